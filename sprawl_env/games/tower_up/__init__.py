"""*Tower Up* (2 to 4 seats): build, pay the adjacent buildings, place roofs that score."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sprawl_env.core.data import GameData
from sprawl_env.core.errors import InvalidOption
from sprawl_env.core.rules import GameKernels, GameRules, Option
from sprawl_env.games.tower_up.actions import ACTIONS
from sprawl_env.games.tower_up.changes import changes, tell
from sprawl_env.games.tower_up.constants import MARKET_SIZE, MAX_SEATS, MIN_SEATS, MOST_TURNS
from sprawl_env.games.tower_up.data_files import FILES, FOLDER, compile_tables, load_data
from sprawl_env.games.tower_up.guide import GUIDE
from sprawl_env.games.tower_up.invariants import violations
from sprawl_env.games.tower_up.layout import layout
from sprawl_env.games.tower_up.names import action_name, describe
from sprawl_env.games.tower_up.observation import observe
from sprawl_env.games.tower_up.points import points
from sprawl_env.games.tower_up.possible import is_possible
from sprawl_env.games.tower_up.questions import question
from sprawl_env.games.tower_up.rebuild import rebuild
from sprawl_env.games.tower_up.render import draw
from sprawl_env.games.tower_up.rules import entry_points
from sprawl_env.games.tower_up.state import GAME, State

OPTIONS: Final = {
    "num_players": Option(2, "seats", low=MIN_SEATS, high=MAX_SEATS),
    "objectives": Option("random", "three of ten, or the START cards", words=("random", "start")),
    "starting_floors": Option(
        MARKET_SIZE, "buildings at the start (up to 7; with 4 seats up to 5)", low=3, high=9
    ),
    "max_turns": Option(
        400, "turns in all, after which the game is truncated", low=1, high=MOST_TURNS
    ),
}


def check_options(data: GameData, options: Mapping[str, int]) -> None:
    """Check the number of starting floors against the number of seats (TU §3.6).

    Raises:
        InvalidOption: too many starting floors.
    """
    seats, floors = options["num_players"], options["starting_floors"]
    most = data.row("components", "rules").most_starting_floors[seats - MIN_SEATS]
    if floors > most:
        raise InvalidOption(
            f"tower_up: option starting_floors={floors}: expected a whole number "
            f"{MARKET_SIZE}..{most} with {seats} seats"
        )


RULES: Final = GameRules(
    name="tower_up",
    title="Tower Up",
    state=GAME,
    actions=ACTIONS,
    options=OPTIONS,
    data_folder=FOLDER,
    data_files=FILES,
    load_data=load_data,
    compile_tables=compile_tables,
    check_options=check_options,
    layout=layout,
    kernels=GameKernels(
        deal=entry_points.deal,
        legal_actions=entry_points.legal_actions,
        play=entry_points.play,
        observe=observe,
        scores=entry_points.scores,
        standings=entry_points.standings,
        redeal_hidden=entry_points.redeal_hidden,
        is_possible=is_possible,
    ),
    action_name=action_name,
    describe=describe,
    violations=violations,
    declaration=State,
    rebuild=rebuild,
    draw=draw,
    guide=GUIDE,
    points=points,
    changes=changes,
    tell=tell,
    question=question,
)
