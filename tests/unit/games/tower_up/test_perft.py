"""The number of action sequences to a depth, by the kernels and by the reference."""

import copy

import pytest

from sprawl_env.kernels.compile import JIT
from tests.second_opinion.tower_up_compare import reference_of
from tests.unit.games.perft import perft
from tests.unit.games.tower_up.position import game_of


def perft_by_hand(reference, depth):
    """Count action sequences with the slow reference."""
    names = reference.legal()
    if depth == 1:
        return len(names)
    total = 0
    for name in names:
        child = copy.deepcopy(reference)
        child.play(name, lambda discards: discards)  # the deck lasts
        total += perft_by_hand(child, depth - 1)
    return total


@pytest.mark.parametrize(
    ("seats", "seed", "depth"),
    [
        *((seats, seed, 1) for seats in (2, 3, 4) for seed in (0, 1, 2)),
        *((seats, seed, 2) for seats in (2, 3, 4) for seed in (0, 1)),
        *((seats, seed, 3) for seats, seed in (((2, 0), (3, 1), (4, 2)) if JIT else ((2, 3),))),
    ],
)
def test_perft_agrees_with_the_reference(seats, seed, depth):
    game = game_of(seats, objectives="start")
    games = game.deal(1, seed=seed)
    assert perft(game, games, depth) == perft_by_hand(reference_of(game, games), depth)


# Fixed numbers: they change only with the rules, the deal or the packaged data.
DEPTH_3 = {(2, 0): 1721, (4, 2): 882}


@pytest.mark.skipif(not JIT, reason="slow without compiled kernels")
@pytest.mark.parametrize(("seats", "seed"), DEPTH_3)
def test_perft_to_depth_3_is_as_it_was(seats, seed):
    game = game_of(seats, objectives="start")
    assert perft(game, game.deal(1, seed=seed), 3) == DEPTH_3[seats, seed]
