"""A redeal depends on the seed and on what the seat knows, never on how cards really lie."""

import numpy as np
import pytest

import sprawl_env
from sprawl_env.core.state import NOT_OVER
from sprawl_env.kernels.compile import JIT

GAMES = [
    ("tower_up", {"num_players": 3}),
    ("urban_sprawl", {"num_players": 2}),
    ("ginkgopolis", {"num_players": 1}),
    ("ginkgopolis", {"num_players": 2}),
    ("ginkgopolis", {"num_players": 4, "characters": "draft"}),
]
GAMES_EACH = 30 if JIT else 3


@pytest.mark.parametrize(("name", "options"), GAMES, ids=str)
def test_positions_that_differ_only_in_what_is_hidden_are_redealt_alike(name, options):
    game = sprawl_env.game(name, **options)
    rng = np.random.default_rng(0)
    games, trial = game.deal(GAMES_EACH, seed=1), game.empty(2)
    mask = np.zeros(game.num_actions, np.int8)
    compared = moved = 0
    for g in range(GAMES_EACH):
        while games.over[g] == NOT_OVER:
            if rng.random() < 0.1:
                seat = int(rng.integers(game.num_seats))
                trial[0] = trial[1] = games[g]
                game.kernels.redeal_hidden(game.tables, trial, 1, 5, seat)
                moved += trial[0].tobytes() != trial[1].tobytes()
                for k in range(2):
                    game.kernels.redeal_hidden(game.tables, trial, k, 6, seat)
                for field in games.dtype.names:
                    assert np.array_equal(trial[0][field], trial[1][field]), field
                compared += 1
            game.kernels.legal_actions(game.tables, games, g, mask)
            game.kernels.play(game.tables, games, g, int(rng.choice(np.flatnonzero(mask))))
    assert compared > GAMES_EACH
    assert moved == compared
