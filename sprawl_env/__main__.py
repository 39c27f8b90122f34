"""The command line: ``sprawl-env COMMAND``, the same as ``python -m sprawl_env COMMAND``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated, Any

from tyro.conf import subcommand

from sprawl_env.commands import compare, data, evaluate, play, replay, tournament, warmup
from sprawl_env.console import run

MODULES: dict[type, Any] = {
    warmup.Warmup: warmup,
    data.Data: data,
    evaluate.Evaluate: evaluate,
    tournament.Tournament: tournament,
    compare.Compare: compare,
    replay.ReplayCommand: replay,
    play.Play: play,
}

Command = (
    Annotated[warmup.Warmup, subcommand("warmup")]
    | Annotated[data.Data, subcommand("data")]
    | Annotated[evaluate.Evaluate, subcommand("evaluate")]
    | Annotated[tournament.Tournament, subcommand("tournament")]
    | Annotated[compare.Compare, subcommand("compare")]
    | Annotated[replay.ReplayCommand, subcommand("replay")]
    | Annotated[play.Play, subcommand("play")]
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line, by default that of this process; return the exit code.

    Raises:
        SystemExit: the command ends with another code, e.g. 2 after bad input.
    """
    config: Any = Command
    run(
        lambda command: MODULES[type(command)].main(command),
        config,
        arguments=arguments,
        prog="sprawl-env",
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
