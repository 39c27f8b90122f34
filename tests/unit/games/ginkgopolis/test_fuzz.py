"""Random games break no invariant, get stuck nowhere and stay within the proved ply bound."""

import numpy as np
import pytest

import sprawl_env
from sprawl_env.core.state import TRUNCATED
from sprawl_env.kernels.compile import JIT

PLIES_A_ROUND = 14  # of a seat; solo as many more for Hal's markers
PLIES_A_GAME = 66
FUZZ_GAMES = 200 if JIT else 4
CHECK_EVERY = 3 if JIT else 1  # steps; the slow run checks each step
SLOW_FUZZ_GAMES = 20_000  # for each number of seats
LOOKS = 3  # positions of the batch that a checked step compares with every invariant


def conserved(game, games):
    """Return resources of every side and the number of tiles, over the whole batch at once."""
    seats = game.num_seats
    total = int(game.tables.resources[0, seats])
    for side in range(game.num_sides):
        built = np.where(games.owner == side, games.levels, 0).sum(axis=1)
        if (built + games.resources[:, side] + games.stock[:, side] != total).any():
            return False
    held = np.bitwise_count(games.tiles) + np.bitwise_count(games.returning)
    placed = games.num_sites + np.bitwise_count(games.covered) + (games.lost_tile >= 0)
    tiles = 60 - int(game.tables.removed_tiles[0, seats])
    return bool((held.sum(axis=1) + placed + games.supply_size == tiles).all())


def fuzz(seats, num_games, envs, seed, every=1, **options):
    game = sprawl_env.game("ginkgopolis", num_players=seats, **options)
    vec = sprawl_env.make_vec(game, num_envs=envs, seed=seed, observations=None)
    vec.reset()
    rng = np.random.default_rng(seed)
    bound = PLIES_A_ROUND * max(seats, 2) * game.options["max_rounds"] + PLIES_A_GAME * seats
    ended = truncated = steps = 0
    while ended < num_games:
        steps += 1
        vec.step(vec.sample_actions())
        assert vec.masks.any(axis=1).all()
        assert vec.games.ply.max() <= bound
        assert conserved(game, vec.games)
        for g in rng.integers(envs, size=LOOKS if steps % every == 0 else 0):
            assert game.rules.violations(game.tables, vec.games, int(g)) == []
        ended += int((vec.terminated | vec.truncated).sum())
        truncated += int(vec.truncated.sum())
        assert not (vec.games.over == TRUNCATED).any()  # re-dealt at once
    return ended, truncated


@pytest.mark.parametrize("seats", (1, 2, 3, 4, 5))
def test_random_games_keep_every_invariant_and_end(seats):
    envs = 64 if JIT else 2
    ended, truncated = fuzz(seats, FUZZ_GAMES, envs, seats, every=CHECK_EVERY)
    assert ended >= FUZZ_GAMES
    assert truncated == 0


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("difficulty", ("normal", "expert"))
def test_many_random_solo_games_keep_every_invariant_and_end(difficulty):
    fuzz(1, SLOW_FUZZ_GAMES, 2048, 11, difficulty=difficulty)


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("characters", ("draft", "introductory"))
@pytest.mark.parametrize("seats", (2, 3, 4, 5))
def test_many_random_games_keep_every_invariant_and_end(seats, characters):
    fuzz(seats, SLOW_FUZZ_GAMES, 2048, seats, characters=characters)
