"""*Urban Sprawl* (2 to 4 seats): permits, contracts, zoning, elections and payouts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sprawl_env.core.data import GameData
from sprawl_env.core.rules import GameRules, Option, Verbs
from sprawl_env.games.urban_sprawl.actions import ACTIONS
from sprawl_env.games.urban_sprawl.constants import MAX_SEATS, MIN_SEATS, MOST_TURNS
from sprawl_env.games.urban_sprawl.data_files import FILES, FOLDER, compile_tables, load_data
from sprawl_env.games.urban_sprawl.invariants import violations
from sprawl_env.games.urban_sprawl.names import action_name, describe
from sprawl_env.games.urban_sprawl.observation import layout, observe
from sprawl_env.games.urban_sprawl.render import draw
from sprawl_env.games.urban_sprawl.rules import verbs
from sprawl_env.games.urban_sprawl.state import GAME

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
    verbs=Verbs(
        deal=verbs.deal,
        legal_actions=verbs.legal_actions,
        play=verbs.play,
        observe=observe,
        scores=verbs.scores,
        standings=verbs.standings,
        redeal_hidden=verbs.redeal_hidden,
    ),
    action_name=action_name,
    describe=describe,
    violations=violations,
    draw=draw,
)
