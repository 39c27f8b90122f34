"""The command ``compare``: whether two runs agree."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, arg

from sprawl_env.console import console, say
from sprawl_env.core.words import counted

_RUN = "results.jsonl of a tournament, its folder, or a file of evaluate --results"


@dataclass(frozen=True)
class Compare:
    """Compare the games of two runs, paired by deal; the exit code is 1 if they differ.

    Example: sprawl-env compare mine.jsonl theirs.jsonl
    """

    mine: Annotated[Positional[Path], arg(help=_RUN, metavar="MINE")]
    theirs: Annotated[Positional[Path], arg(help=_RUN, metavar="THEIRS")]


def main(command: Compare) -> None:
    """Run the command.

    Raises:
        SystemExit: the runs differ.
    """
    from sprawl_env.arena.compare import compare  # noqa: PLC0415 - help needs no kernels

    found = compare(command.mine, command.theirs)
    console().print(found.table())
    say(
        f"{counted(found.pairs, 'game')} in both, {found.equal:,} with the same result; "
        f"{found.only_mine:,} only in the first, {found.only_theirs:,} only in the second"
    )
    if not found.seeds_known:
        say("note: a run does not say the seed of its deals, which is taken to be the other's")
    say(found.verdict)
    if not found.agree:
        raise SystemExit(1)
