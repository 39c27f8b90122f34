"""Games compared with the slow reference ply by ply, by action names and position."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sprawl_env
from sprawl_env.core.state import FINISHED, NOT_OVER, TRUNCATED
from sprawl_env.kernels.compile import JIT
from tests.second_opinion.ginkgopolis_compare import both_dealt, differences

GAMES = 14 if JIT else 2
SLOW_GAMES = 600

# Weights of actions in a policy, by their first words; 1 if not listed.
POLICIES = {
    "anything": {"new hand": 0.2},
    "builder": {"without tile": 0.05, "new hand": 0.1},
    "urbanist": {"without tile": 0.05, "card": 0.3, **{f"card {c}": 30 for c in "ABCDEFGHIJKL"}},
    "tower": {"without tile": 0.05, "card": 30, **{f"card {c}": 0.05 for c in "ABCDEFGHIJKL"}},
    "exploiter": {"without tile": 30, "take tile": 5},
    "outward": {"card A": 500, "without tile": 0.01, "marker north": 9},
    "giver": {"without tile": 20, "take tile": 9, "card blue": 9, "done": 0.1},
}


def weight(policy, name):
    liked = {words: w for words, w in POLICIES[policy].items() if name.startswith(words)}
    return liked[max(liked, key=len)] if liked else 1.0


def compare(game, seed, policy, rng, met=None):
    """Play one game in both; return the last position."""
    games, reference, shuffler = both_dealt(game, seed)
    played = []
    while True:
        found = differences(game, games, reference)
        assert not found, f"{game!r}, seed {seed}, after {played[-12:]}: {found}"
        assert game.rules.violations(game.tables, games, 0) == []
        if games.over[0] != NOT_OVER:
            return games
        actions = np.flatnonzero(game.legal_actions(games))
        names = [game.action_name(games, 0, int(action)) for action in actions]
        weights = np.array([weight(policy, name) for name in names])
        choice = int(rng.choice(len(names), p=weights / weights.sum()))
        played.append(names[choice])
        if met is not None:
            met[" ".join(names[choice].split()[:2])] += 1
        shuffler.follow(games[0])
        reference.play(names[choice])
        game.play(games, 0, int(actions[choice]))


@st.composite
def setups(draw):
    """A game with its options, a seed and a policy."""
    seats = draw(st.integers(1, 5))
    options = {
        "characters": draw(st.sampled_from(["draft", "introductory"])),
        "max_rounds": draw(st.sampled_from([200, 200, 200, 7, 1])),
    }
    if seats == 1:
        options["difficulty"] = draw(st.sampled_from(["normal", "expert"]))
    policy = draw(st.sampled_from(sorted(POLICIES)))
    game = sprawl_env.game("ginkgopolis", num_players=seats, **options)
    return game, draw(st.integers(0, 2**63 - 1)), policy


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
@settings(QUIET, derandomize=False, max_examples=SLOW_GAMES)
@given(setups())
def test_kernels_and_reference_agree_along_many_games(setup):
    game, seed, policy = setup
    compare(game, seed, policy, np.random.default_rng(seed))


# What each steered game must reach.
STEERED = {
    "both run-outs": (2, "anything", {}, lambda s, _: s.run_outs == 2 and s.over == FINISHED),
    "tiles returned": (3, "giver", {}, lambda _, met: met["return red"] + met["return blue"] > 0),
    "Hal": (1, "builder", {}, lambda s, _: s.over == FINISHED and s.kept[1]),
    "Hal, expert": (1, "anything", {"difficulty": "expert"}, lambda s, _: s.over == FINISHED),
    "a truncated game": (4, "exploiter", {"max_rounds": 5}, lambda s, _: s.over == TRUNCATED),
}


@pytest.mark.parametrize("name", STEERED)
def test_kernels_and_reference_agree_along_games_that_reach(name):
    seats, policy, options, reached = STEERED[name]
    game = sprawl_env.game("ginkgopolis", num_players=seats, **options)
    found = 0
    for seed in range(2 if JIT else 1):
        met = Counter()
        games = compare(game, seed, policy, np.random.default_rng(seed), met)
        found += bool(reached(games[0], met))
    assert found or not JIT
