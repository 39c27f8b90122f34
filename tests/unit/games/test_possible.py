"""The compiled check of a position and the one in words decide the same."""

import numpy as np
import pytest

import sprawl_env
from sprawl_env.core.state import clone, raw_bytes
from sprawl_env.kernels.compile import JIT

GAMES = [(name, seats) for name in ("tower_up", "urban_sprawl") for seats in (2, 3, 4)]
GAMES += [("ginkgopolis", seats) for seats in (1, 2, 5)]
EVERY = 1 if JIT else 32  # plies between checks; plain Python checks slowly
# Prefix of what only the check in words finds: it looks at the arguments of pending steps too.
ONLY_IN_WORDS = {"urban_sprawl": "agenda"}


def decide(game, games):
    return bool(game.kernels.is_possible(game.tables, games, 0))


@pytest.mark.parametrize(("name", "seats"), GAMES)
def test_every_position_of_a_random_game_is_possible(name, seats):
    game, rng = sprawl_env.game(name, num_players=seats), np.random.default_rng(seats)
    for seed in range(3 if JIT else 1):
        games = game.deal(1, seed)
        while not games["over"][0]:
            assert games["ply"][0] % EVERY or decide(game, games)
            game.play(games, 0, int(rng.choice(np.flatnonzero(game.legal_actions(games)))))
        assert decide(game, games)


@pytest.mark.parametrize(("name", "seats"), GAMES)
def test_damage_is_seen_by_both_checks_or_none(name, seats):
    """Any byte of a position is changed: the compiled check says what the words say."""
    unseen = ONLY_IN_WORDS.get(name, "none")
    game, rng = sprawl_env.game(name, num_players=seats), np.random.default_rng(seats)
    vec = sprawl_env.make_vec(game, num_envs=32, seed=seats, observations=None)
    vec.reset()
    refused = 0
    for _ in range(40):
        vec.step(vec.sample_actions())
        games = clone(vec.games[:1])
        raw = raw_bytes(games)[0]
        where = int(rng.integers(raw.size))
        raw[where] = np.uint8(int(raw[where]) + rng.choice([1, -1, 2, 64, 128]) & 255)
        words = game.rules.violations(game.tables, games, 0)
        said = [line for line in words if not line.startswith(unseen)]
        assert decide(game, games) == (said == []) or (said == [] != words), (where, words)
        refused += words != []
    assert refused > 5


@pytest.mark.parametrize(("name", "seats"), GAMES)
@pytest.mark.parametrize("plies", [0, 40])
def test_every_field_out_of_its_range_is_seen_by_both_checks(name, seats, plies):
    """The first number of each field is set to the least and the largest of its type."""
    unseen = ONLY_IN_WORDS.get(name, "none")
    game = sprawl_env.game(name, num_players=seats)
    vec = sprawl_env.make_vec(game, num_envs=1, seed=seats, observations=None)
    vec.reset()
    for _ in range(plies):
        vec.step(vec.sample_actions())
    silent = set()
    for field in vec.games.dtype.names:
        verdicts = set()
        for edge in ("min", "max"):
            games = clone(vec.games)
            inner = games[field] if games[field].dtype.names is None else games[field]["step"]
            inner.reshape(-1)[:1] = getattr(np.iinfo(inner.dtype), edge)
            assert games.tobytes() != vec.games.tobytes()
            words = game.rules.violations(game.tables, games, 0)
            said = [line for line in words if not line.startswith(unseen)]
            assert decide(game, games) == (said == []) or (said == [] != words), (field, words)
            verdicts.add(words != [])
        if verdicts == {False}:
            silent.add(field)
    assert silent <= {*game.options, "rng", "unused"}  # options are compared with the game's
