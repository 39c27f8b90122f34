"""Perft: the number of action sequences of a depth, by the kernels and by the reference.

The first plies are random, by a seed; then all sequences are counted.  The cards drawn on the way
also follow from the seed, so both see the same cards.
"""

import numpy as np
import pytest

from sprawl_env.games.urban_sprawl.actions import ACTIONS
from sprawl_env.kernels.compile import JIT
from tests.second_opinion.urban_sprawl_compare import both_dealt
from tests.unit.games.perft import perft
from tests.unit.games.urban_sprawl.position import game_of

LIKES = {"build": 30, "planning": 6, "favor": 0.5, "decline": 0.5, "permit": 0.3}


def opening(game, seed, plies):
    """Play random plies that prefer building; return the games and the actions."""
    games = game.deal(1, seed)
    rng = np.random.default_rng(seed)
    moves = []
    for _ in range(plies):
        actions = np.flatnonzero(game.legal_actions(games))
        weights = np.array([LIKES.get(ACTIONS.locate(int(a))[0], 1.0) for a in actions])
        action = int(rng.choice(actions, p=weights / weights.sum()))
        moves.append(ACTIONS.locate(action))
        game.play(games, 0, action)
    return games, moves


def perft_by_hand(game, seed, moves, depth):
    """Count with the slow reference, which cannot be copied: each sequence is replayed."""
    _, reference = both_dealt(game, seed)
    for move in moves:
        reference.play(*move)
    legal = reference.legal()
    if depth == 1:
        return len(legal)
    return sum(perft_by_hand(game, seed, [*moves, move], depth - 1) for move in legal)


def agree(seats, seed, plies, depth, **options):
    game = game_of(seats, **options)
    games, moves = opening(game, seed, plies)
    return perft(game, games, depth), perft_by_hand(game, seed, moves, depth)


# Seats, seed, plies played first, depth: claims, the first turn, a later turn.
QUICK = [
    *((seats, seed, 0, depth) for seats, seed in ((2, 0), (3, 1), (4, 2)) for depth in (1, 2)),
    *((seats, seed, 12, depth) for seats, seed in ((2, 0), (3, 1), (4, 2)) for depth in (1, 2)),
    *((seats, seed, 20, 2) for seats, seed in ((2, 3), (3, 4), (4, 5))),
]
DEEP = [
    *((seats, seed, 12, 3) for seats, seed in ((2, 0), (3, 1), (4, 2))),
    (2, 3, 60, 3),
    (3, 4, 80, 3),
    (2, 6, 150, 2),
    (4, 8, 250, 2),
]


@pytest.mark.parametrize(("seats", "seed", "plies", "depth"), QUICK if JIT else [(2, 0, 12, 2)])
def test_perft_agrees_with_the_reference(seats, seed, plies, depth):
    ours, theirs = agree(seats, seed, plies, depth)
    assert ours == theirs


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize(("seats", "seed", "plies", "depth"), DEEP)
def test_perft_agrees_with_the_reference_deeper(seats, seed, plies, depth):
    ours, theirs = agree(seats, seed, plies, depth)
    assert ours == theirs


# Frozen: a change here is a change of the rules, the deal or the packaged data.
DEPTH_3 = {
    (2, 0, 0): 12 * 11 * 10,
    (2, 0, 12): 2038,
    (3, 1, 12): 2125,
    (4, 2, 12): 875,
    (2, 6, 150): 38,
    (4, 8, 250): 12,
}


@pytest.mark.compiled
@pytest.mark.parametrize(("seats", "seed", "plies"), DEPTH_3)
def test_perft_to_depth_3_is_as_it_was(seats, seed, plies):
    game = game_of(seats)
    games, _ = opening(game, seed, plies)
    assert perft(game, games, 3) == DEPTH_3[seats, seed, plies]
