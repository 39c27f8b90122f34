"""Games compared with the slow reference ply by ply, by action names and position."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sprawl_env.core.state import FINISHED, NOT_OVER, TRUNCATED
from sprawl_env.games.tower_up.constants import EndCause
from sprawl_env.kernels.compile import JIT
from tests.second_opinion.tower_up_compare import differences, play_both, reference_of
from tests.unit.games.tower_up.position import (
    SECOND_OPINION_GAMES,
    SLOW_SECOND_OPINION_GAMES,
    game_of,
)

# Weights of actions in a policy, by their first words; 1 if not listed.
POLICIES = {
    "anything": {},
    "builder": {"build": 50, "take": 0.2},
    "taker": {"build": 0.05},  # long games: the deck is rebuilt
    "hoarder of black": {"build": 0.02, "choose black": 20, "return black": 0.01},
    "drawn by colour": {"build white": 9, "build brown": 9, "build black": 0.2},
    "mover": {"take card 1": 5, "build": 3},
}


def weight(policy, name):
    liked = [w for words, w in POLICIES[policy].items() if name.startswith(words)]
    return liked[0] if liked else 1.0


def compare(game, seed, policy, rng):
    """Play one game in both; return the last position."""
    games = game.deal(1, seed=seed)
    reference = reference_of(game, games)
    played, rebuilt = [], False
    while True:
        found = differences(game, games, reference)
        assert not found, f"{game!r}, seed {seed}, after {played}: {found}"
        if games.over[0] != NOT_OVER:
            return games, rebuilt
        actions = np.flatnonzero(game.legal_actions(games))
        names = [game.action_name(games, 0, int(action)) for action in actions]
        weights = np.array([weight(policy, name) for name in names])
        choice = int(rng.choice(len(names), p=weights / weights.sum()))
        played.append(names[choice])
        discarded = int(games.num_discards[0])
        play_both(game, games, reference, int(actions[choice]), names[choice])
        rebuilt |= int(games.num_discards[0]) < discarded


@st.composite
def setups(draw):
    """A game with its options, a seed and a policy."""
    seats = draw(st.integers(2, 4))
    options = {
        "objectives": draw(st.sampled_from(["random", "start"])),
        "starting_floors": draw(st.integers(3, 5 if seats == 4 else 7)),
        "max_turns": draw(st.sampled_from([400, 400, 400, 60, 17, 1])),
    }
    data = draw(st.sampled_from([None, None, "few floors", "dense", "grid"]))
    policy = draw(st.sampled_from(sorted(POLICIES)))
    return game_of(seats, data, **options), draw(st.integers(0, 2**63 - 1)), policy


QUIET = settings(
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@settings(QUIET, max_examples=SECOND_OPINION_GAMES)
@given(setups())
def test_kernels_and_reference_agree_along_any_game(setup):
    game, seed, policy = setup
    compare(game, seed, policy, np.random.default_rng(seed))


@pytest.mark.slow
@settings(QUIET, derandomize=False, max_examples=SLOW_SECOND_OPINION_GAMES)
@given(setups())
def test_kernels_and_reference_agree_along_many_games(setup):
    game, seed, policy = setup
    compare(game, seed, policy, np.random.default_rng(seed))


# What each steered game must reach.
STEERED = {
    "a last roof": (2, None, "builder", {}, lambda s, _: s.end_cause == EndCause.LAST_ROOF),
    "a shortage": (4, "few floors", "taker", {}, lambda s, _: s.end_cause == EndCause.SHORTAGE),
    "a hoarder": (2, "few floors", "hoarder of black", {}, lambda s, _: s.over == FINISHED),
    "a rebuilt deck": (2, None, "taker", {"max_turns": 60}, lambda _, rebuilt: rebuilt),
    "a full board": (
        4,
        "dense",
        "builder",
        {"starting_floors": 5},
        lambda s, _: s.end_cause == EndCause.SHORTAGE and s.roofs_left[:4].min() > 0,
    ),
    "a truncated game": (3, None, "taker", {"max_turns": 17}, lambda s, _: s.over == TRUNCATED),
    "extra turns": (3, None, "mover", {}, lambda s, _: s.stars.max() > 0),
    "chips": (3, None, "builder", {"objectives": "start"}, lambda s, _: s.chip.any()),
}


@pytest.mark.parametrize("name", STEERED)
def test_kernels_and_reference_agree_along_games_that_reach(name):
    seats, data, policy, options, reached = STEERED[name]
    game = game_of(seats, data, **options)
    met = Counter()
    for seed in range(3 if JIT else 1):
        games, rebuilt = compare(game, seed, policy, np.random.default_rng(seed))
        met[bool(reached(games[0], rebuilt))] += 1
    assert met[True] > 0
