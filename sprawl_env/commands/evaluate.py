"""The command ``evaluate``: measure bots against each other."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

from tyro.conf import arg

from sprawl_env.commands.flags import Engine, GameName, Options, Processes, Seats, bots, file
from sprawl_env.console import check_writable, console, parse_options
from sprawl_env.core.errors import InvalidOption
from sprawl_env.core.files import write_atomically

if TYPE_CHECKING:
    from sprawl_env.arena.evaluation import Evaluation
    from sprawl_env.arena.protocols import ProtocolResult

FIXED: Final = ("games", "seed", "parts", "options")  # what a protocol says


@dataclass(frozen=True)
class Evaluate:
    """Measure bots against each other on paired deals with rotated seats.

    Example: sprawl-env evaluate --game tower_up --bots greedy random --num-players 3
    """

    game: GameName = "tower_up"
    bots: Annotated[
        tuple[str, ...],
        bots("one a seat, or two (the second fills all other seats); any number for one seat"),
    ] = ("greedy", "random")
    num_players: Seats = 2
    options: Options = ()
    games: Annotated[
        int, arg(help="games to play, rounded up to whole rotations of the seats", metavar="N")
    ] = 1000
    seed: Annotated[int, arg(help="deal d is dealt from (seed, d)", metavar="N")] = 0
    parts: Annotated[
        int,
        arg(
            help="2 or more: worker processes play equal parts of the deals; bots are seeded for "
            "each part, so results depend on the number of parts, but not on who plays them",
            metavar="N",
        ),
    ] = 1
    processes: Processes = 0
    engine: Engine = "local"
    protocol: Annotated[
        str,
        arg(
            help="fixed benchmark of one bot, e.g. v0, which sets opponents, games and seeds",
            metavar="NAME",
            help_behavior_hint="(default: none)",
        ),
    ] = ""
    out: Annotated[Path | None, file("JSON file for the result", "none")] = None
    results: Annotated[
        Path | None, file("file for one JSON line a game, which compare reads", "none")
    ] = None


def main(command: Evaluate) -> None:
    """Run the command."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # small networks are faster without torch threads
    from sprawl_env.arena.evaluation import evaluate, table  # noqa: PLC0415 - help needs no kernels

    for name, path in (("out", command.out), ("results", command.results)):
        if path is not None:
            check_writable(path, name)
    if command.out and command.results and command.out.resolve() == command.results.resolve():
        raise InvalidOption(f"out, results: {str(command.out)!r} twice: expected two files")
    if command.protocol:
        _by_protocol(command)
        return
    found = evaluate(
        command.game,
        command.bots,
        num_games=command.games,
        seed=command.seed,
        parts=command.parts,
        processes=command.processes,
        engine=command.engine,
        progress=True,
        num_players=command.num_players,
        **parse_options(command.options),
    )
    alone = found.num_players == 1
    try:
        _keep(command, found)
    finally:  # shown even if the disk is full
        console().print(table(f"{found.title}, seed {found.seed}", found.lines, margins=alone))
        console().print(
            f"{found.mean_turns:.1f} turns and {found.mean_plies:.1f} plies a game, "
            f"{found.truncated:.1%} ended at the turn limit"
        )


def _by_protocol(command: Evaluate) -> None:
    """Measure one bot by a fixed benchmark."""
    from sprawl_env.arena.protocols import run_protocol  # noqa: PLC0415 - help needs no kernels

    fixed = [name for name in FIXED if getattr(command, name) != getattr(Evaluate(), name)]
    if fixed:
        raise InvalidOption(f"protocol={command.protocol}: fixes {', '.join(fixed)}: expected none")
    if len(command.bots) != 1:
        raise InvalidOption(
            f"protocol={command.protocol}: names the opponents: expected one bot, "
            f"got {len(command.bots)}"
        )
    found = run_protocol(
        command.game,
        command.bots[0],
        name=command.protocol,
        num_players=command.num_players,
        processes=command.processes,
        engine=command.engine,
        progress=True,
    )
    try:
        _keep(command, found)
    finally:
        console().print(found.table())
        console().print(f"sha256 {found.sha256}", highlight=False, soft_wrap=True)


def _keep(command: Evaluate, found: Evaluation | ProtocolResult) -> None:
    """Write the files that the command asks for, the second one also if the first cannot be."""
    try:
        if command.out is not None:
            _write("out", command.out, json.dumps(found.to_json(), indent=1, default=str))
    finally:
        if command.results is not None:
            rows = "".join(json.dumps(row) + "\n" for row in found.rows())
            _write("results", command.results, rows)


def _write(name: str, path: Path, text: str) -> None:
    try:
        write_atomically(path, text)
    except OSError as error:
        raise InvalidOption(f"{name}={str(path)!r}: cannot be written: {error.strerror}") from None
