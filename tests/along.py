"""A random game, ply by ply, as digests: ``python -m tests.along GAME SEED PLIES`` prints them.

Run with and without compiled kernels, the lines must be the same.
"""

import sys
from hashlib import sha256

import numpy as np

from experiments.fuzz.games import draw_game
from sprawl_env.core.state import NOT_OVER, raw_bytes
from sprawl_env.kernels.rng import combine


def seen(game, games, seat):
    """Return all bytes of a seat's observation, as float32 and as int8."""
    whole = np.zeros(game.observation_size, np.int8)
    return game.observe(games, 0, seat).tobytes() + game.observe(games, 0, seat, whole).tobytes()


def along(name, seed, plies):
    """Yield a line for each ply of a random game with random options, and one for its end.

    A line has digests of the state, the mask, the observation of the seat to play and of another
    one, the scores and the position re-dealt for the seat to play.
    """
    game = draw_game(name, seed)
    rng = np.random.default_rng(seed)
    games, trial = game.deal(1, seed), game.empty(1)
    for ply in range(plies):
        over = games.over[0] != NOT_OVER
        seat = ply % game.num_seats if over else int(games.to_play[0])
        other = (seat + 1 + ply) % game.num_seats
        trial[0] = games[0]
        game.redeal_hidden(trial, 0, combine(seed, ply), seat)
        parts = {
            "state": raw_bytes(games).tobytes(),
            "mask": b"" if over else game.legal_actions(games).tobytes(),
            "seen": seen(game, games, seat) + seen(game, games, other),
            "scores": game.scores(games, 0).tobytes() + game.standings(games, 0).tobytes(),
            "redealt": raw_bytes(trial).tobytes(),
        }
        digests = (f"{part} {sha256(whole).hexdigest()[:16]}" for part, whole in parts.items())
        yield f"{ply} " + " ".join(digests)
        if over:
            return
        legal = np.flatnonzero(game.legal_actions(games))
        game.play(games, 0, int(rng.choice(legal)))


if __name__ == "__main__":
    words = sys.argv[1:]
    for line in along(words[0], int(words[1]), int(words[2])):
        print(line)
