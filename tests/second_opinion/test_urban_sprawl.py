"""Whole games compared with the slow reference ply by ply, by legal actions and positions."""

import random

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sprawl_env
from sprawl_env.core.state import NOT_OVER
from sprawl_env.games.urban_sprawl.actions import ACTIONS
from sprawl_env.kernels.compile import JIT
from tests.second_opinion.urban_sprawl_compare import both_dealt, differences
from tests.second_opinion.urban_sprawl_random_cards import (
    dealt_with_early_events,
    with_random_cards,
)

GAMES = 5 if JIT else 1
SHARES = 10  # of the slow run
GAMES_A_SHARE = 30
RANDOM_CARDS = (0, 29, 69, 72)  # all but 0 met differences that were mended
MANY_RANDOM_CARDS = 300
PLIES_WITH_RANDOM_CARDS = 120
LIMITS = (300, 300, 300, 40, 1)

# Weights of a random policy by action block; 1 if not listed.
POLICIES = {
    "anything": {},
    "builder": {"build": 30, "planning": 6, "favor": 0.3, "decline": 0.1, "permit": 0.3},
    "hoarder": {"planning": 30, "build": 0.3, "permit": 0.05, "decline": 0.2},
    "investor": {"permit": 20, "planning": 5, "build": 5},
    "idler": {"decline": 20},
    "favours": {"favor": 20, "build": 5, "yes": 5},
    "accepts": {"yes": 20, "build": 10, "planning": 3, "decline": 0.2, "amount": 5},
}
RUNS_CARDS = {"build": 30, "planning": 9, "decline": 2, "favor": 0.3, "permit": 0.3}


def compare(game, seed, policy, rng):
    """Play one game in kernels and reference; return the last position."""
    dealt = both_dealt(game, seed)
    return compare_along(game, *dealt, POLICIES[policy], rng, f"seed {seed}, {policy}")


def compare_along(game, games, reference, liked, rng, name, plies=None):
    """Play a game on, at most some plies, in kernels and reference; return the last position.

    Args:
        game: the game.
        games: its position.
        reference: the same position.
        liked: weights of a random policy by action block; 1 if not listed.
        rng: the generator of the policy.
        name: says which game failed.
        plies: None: to the end.
    """
    played = []
    while True:
        found = differences(game, games, reference)
        assert not found, f"{game!r}, {name}, after {played[-12:]}: {found}"
        assert game.rules.violations(game.tables, games, 0) == []
        if games.over[0] != NOT_OVER or len(played) == plies:
            return games
        actions = np.flatnonzero(game.legal_actions(games))
        moves = [ACTIONS.locate(int(action)) for action in actions]
        weights = np.array([liked.get(block, 1.0) for block, _ in moves])
        choice = int(rng.choice(len(moves), p=weights / weights.sum()))
        played.append(game.action_name(games, 0, int(actions[choice])))
        reference.play(*moves[choice])
        game.play(games, 0, int(actions[choice]))


@st.composite
def setups(draw, limits=LIMITS):
    """A game with its options, a seed and a policy."""
    game = sprawl_env.game(
        "urban_sprawl",
        num_players=draw(st.integers(2, 4)),
        length=draw(st.sampled_from(["standard", "standard", "long", "short"])),
        max_turns=draw(st.sampled_from(limits)),
    )
    return game, draw(st.integers(0, 2**63 - 1)), draw(st.sampled_from(sorted(POLICIES)))


QUIET = settings(
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@settings(QUIET, max_examples=GAMES)
@given(setups())
def test_kernels_and_reference_agree_along_any_game(setup):
    game, seed, policy = setup
    compare(game, seed, policy, np.random.default_rng(seed))


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("share", range(SHARES))
@settings(QUIET, derandomize=False, max_examples=GAMES_A_SHARE)
@given(setup=setups(limits=(300,)))
def test_kernels_and_reference_agree_along_many_whole_games(share, setup):
    """300 games in total, about ten seconds each; every share plays its own."""
    game, seed, policy = setup
    compare(game, seed, policy, np.random.default_rng(seed))


def compare_random_cards(seed):
    """Play the beginning of a game in which most cards that run have random effects."""
    rng = random.Random(seed)
    packaged = sprawl_env.game("urban_sprawl", num_players=2 + seed % 3)
    game, files = with_random_cards(packaged, rng)
    dealt = dealt_with_early_events(game, files, seed, rng)
    choices, name = np.random.default_rng(seed), f"random cards {seed}"
    compare_along(game, *dealt, RUNS_CARDS, choices, name, PLIES_WITH_RANDOM_CARDS)


@pytest.mark.parametrize("seed", RANDOM_CARDS)
def test_kernels_and_reference_agree_on_cards_with_random_effects(seed):
    compare_random_cards(seed)


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_kernels_and_reference_agree_on_many_cards_with_random_effects():
    for seed in range(MANY_RANDOM_CARDS):
        compare_random_cards(seed)
