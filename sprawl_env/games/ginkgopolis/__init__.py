"""*Ginkgopolis* (1 to 5 seats): urbanize, construct levels, exploit buildings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sprawl_env.core.data import GameData
from sprawl_env.core.errors import InvalidOption
from sprawl_env.core.rules import GameKernels, GameRules, Option
from sprawl_env.games.ginkgopolis.actions import ACTIONS, WAIT
from sprawl_env.games.ginkgopolis.changes import changes, heading, tell
from sprawl_env.games.ginkgopolis.constants import MAX_SEATS, MIN_SEATS, MOST_ROUNDS, Difficulty
from sprawl_env.games.ginkgopolis.data_files import FILES, FOLDER, compile_tables, load_data
from sprawl_env.games.ginkgopolis.guide import GUIDE
from sprawl_env.games.ginkgopolis.invariants import violations
from sprawl_env.games.ginkgopolis.layout import layout
from sprawl_env.games.ginkgopolis.names import action_name, describe, describe_to
from sprawl_env.games.ginkgopolis.observation import observe
from sprawl_env.games.ginkgopolis.points import points
from sprawl_env.games.ginkgopolis.possible import is_possible
from sprawl_env.games.ginkgopolis.questions import question
from sprawl_env.games.ginkgopolis.rebuild import rebuild
from sprawl_env.games.ginkgopolis.render import draw
from sprawl_env.games.ginkgopolis.rules import entry_points
from sprawl_env.games.ginkgopolis.state import GAME, State

OPTIONS: Final = {
    "num_players": Option(2, "seats; 1 plays against Hal", low=MIN_SEATS, high=MAX_SEATS),
    "characters": Option(
        "draft",
        "draft characters, or deal random introductory sets",
        words=("draft", "introductory"),
    ),
    "difficulty": Option("normal", "difficulty of Hal, solo only", words=("normal", "expert")),
    "open_screens": Option(False, "show the counts behind the screens", flag=True),
    "max_rounds": Option(200, "rounds after which the game is truncated", low=1, high=MOST_ROUNDS),
}


def check_options(data: GameData, options: Mapping[str, int]) -> None:
    """Check the difficulty against the number of seats (GK §2).

    Raises:
        InvalidOption: an expert Hal with more than one seat.
    """
    if options["difficulty"] == Difficulty.EXPERT and options["num_players"] > 1:
        raise InvalidOption(
            "ginkgopolis: option difficulty='expert': expected 'normal' with more than one seat "
            "(it is Hal's)"
        )


RULES: Final = GameRules(
    name="ginkgopolis",
    title="Ginkgopolis",
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
        owing=entry_points.owing,
        hides=entry_points.hides,
        take_back=entry_points.take_back,
    ),
    action_name=action_name,
    describe=describe,
    describe_to=describe_to,
    violations=violations,
    declaration=State,
    rebuild=rebuild,
    draw=draw,
    guide=GUIDE,
    points=points,
    changes=changes,
    tell=tell,
    question=question,
    heading=heading,
    automaton_name="Hal",
    automaton=True,
    wait=WAIT,
)
