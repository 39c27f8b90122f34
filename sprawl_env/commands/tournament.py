"""The command ``tournament``: rate bots by many games."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tyro.conf import arg

from sprawl_env.commands.flags import (
    Engine,
    GameName,
    Options,
    Processes,
    Seats,
    Switch,
    bots,
    file,
)
from sprawl_env.console import STOPPED, console, parse_options, say


@dataclass(frozen=True)
class Tournament:
    """Rate bots by a tournament on paired deals; run it again to continue after an interruption.

    Example: sprawl-env tournament --bots random greedy my_bot:MyBot --games 200
    """

    game: GameName = "tower_up"
    bots: Annotated[tuple[str, ...], bots("two or more")] = ("random", "greedy")
    num_players: Seats = 2
    games: Annotated[
        int,
        arg(help="games of each line-up, rounded up to whole rotations of the seats", metavar="N"),
    ] = 1000
    seed: Annotated[int, arg(help="seed of deals and bots", metavar="N")] = 0
    reach: Annotated[
        int, arg(help="two seats: how far apart in the list bots meet; 0: any", metavar="N")
    ] = 0
    options: Options = ()
    move_seconds: Annotated[
        float,
        arg(help="time limit for a decision of your own bot, and for making it", metavar="SECONDS"),
    ] = 60.0
    replays: Switch = False
    """store every game as a replay, except those in which a bot's process ended or hung"""
    processes: Processes = 0
    engine: Engine = "local"
    out: Annotated[Path | None, file("folder for the files", "runs/tournament-GAME-SEATS-SEED")] = (
        None
    )


def main(command: Tournament) -> None:
    """Run the command."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # one core for each worker process
    from sprawl_env.arena import report  # noqa: PLC0415 - help needs no kernels
    from sprawl_env.arena.tournament import (  # noqa: PLC0415
        Interrupted,
        TournamentSettings,
        tournament,
    )

    name = command.game.replace(":", "-")
    default = Path("runs") / f"tournament-{name}-{command.num_players}-{command.seed}"
    out = command.out or default
    try:
        found = tournament(
            command.game,
            command.bots,
            num_games=command.games,
            seed=command.seed,
            settings=TournamentSettings(
                reach=command.reach,
                move_seconds=command.move_seconds,
                replays=command.replays,
                engine=command.engine,
            ),
            processes=command.processes,
            out=out,
            progress=True,
            num_players=command.num_players,
            **parse_options(command.options),
        )
    except Interrupted as stopped:
        say(str(stopped))
        raise SystemExit(STOPPED) from None
    for table in report.tables(found.report)[:2]:
        console().print(report.for_console(table))
    say(f"report: {out / 'report.md'} and {out / 'report.html'}")
