"""*Urban Sprawl* (2 to 4 seats): permits, contracts, zoning, elections and payouts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sprawl_env.core.data import GameData
from sprawl_env.core.rules import GameKernels, GameRules, Option
from sprawl_env.games.urban_sprawl.actions import ACTIONS
from sprawl_env.games.urban_sprawl.changes import changes, tell
from sprawl_env.games.urban_sprawl.constants import MAX_SEATS, MIN_SEATS, MOST_TURNS
from sprawl_env.games.urban_sprawl.data_files import FILES, FOLDER, compile_tables, load_data
from sprawl_env.games.urban_sprawl.guide import GUIDE
from sprawl_env.games.urban_sprawl.invariants import violations
from sprawl_env.games.urban_sprawl.names import action_name, describe
from sprawl_env.games.urban_sprawl.observation import layout, observe
from sprawl_env.games.urban_sprawl.points import points
from sprawl_env.games.urban_sprawl.possible import is_possible
from sprawl_env.games.urban_sprawl.questions import question
from sprawl_env.games.urban_sprawl.rebuild import rebuild
from sprawl_env.games.urban_sprawl.render import draw
from sprawl_env.games.urban_sprawl.rules import entry_points
from sprawl_env.games.urban_sprawl.state import GAME, State

OPTIONS: Final = {
    "num_players": Option(2, "seats", low=MIN_SEATS, high=MAX_SEATS),
    "length": Option(
        "standard",
        "how deep the special events lie in their decks",
        words=("standard", "long", "short"),
    ),
    "max_turns": Option(300, "turns after which the game is truncated", low=1, high=MOST_TURNS),
}


def check_options(data: GameData, options: Mapping[str, int]) -> None:
    """Check the options against each other; this game has nothing to check."""


RULES: Final = GameRules(
    name="urban_sprawl",
    title="Urban Sprawl",
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
