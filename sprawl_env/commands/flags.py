"""Types of flags that several commands have."""

from __future__ import annotations

from typing import Annotated, Any

from tyro.conf import FlagCreatePairsOff, arg

GameName = Annotated[
    str, arg(help="name of the game, or module:RULES for a game of your own", metavar="GAME")
]
GameNames = Annotated[
    tuple[str, ...],
    arg(
        help="names of games, or module:RULES for games of your own",
        metavar="GAME ...",
        help_behavior_hint="(default: every game)",
    ),
]
BOT_NAMES = (
    "strongest first mcts:sims=200,greedy=1000,turns=8, planner, greedy, random; flat:sims=200; "
    "heldout:rules, heldout:features; "
    "trained ones search:agent=NAME, agent:GAME/NAME (agent:best for the strongest), "
    "checkpoint:PATH; bots of your own module:Class,key=value, torch:module:make,weights=FILE, "
    "sb3:FILE.zip,trust=yes"
)
Seats = Annotated[int, arg(help="number of seats", metavar="N")]
Options = Annotated[
    tuple[str, ...],
    arg(
        help="further options of the game, e.g. objectives=start",
        metavar="NAME=VALUE ...",
        help_behavior_hint="(default: none)",
    ),
]
Processes = Annotated[
    int,
    arg(
        help="worker processes; 0: one for each core, of this machine or of the cluster",
        metavar="N",
    ),
]
Engine = Annotated[
    str, arg(help="who plays: local, this machine; ray, the nodes of a Ray cluster", metavar="NAME")
]
Switch = FlagCreatePairsOff[bool]


def bots(help_text: str, default: str = "") -> Any:
    """Return the settings of a flag that takes names of bots; ``default`` says what None means."""
    text = f"{help_text}: {BOT_NAMES}"
    if default:
        hint = f"(default: {default})"
        return arg(help=text, metavar="BOT ...", help_behavior_hint=hint)
    return arg(help=text, metavar="BOT ...")


def file(help_text: str, default: str) -> Any:
    """Return the settings of a flag that takes a path; ``default`` says what None means."""
    return arg(help=help_text, metavar="PATH", help_behavior_hint=f"(default: {default})")
