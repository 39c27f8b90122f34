"""How many sequences of actions there are to a depth, by the kernels."""

import numpy as np


def perft(game, games, depth):
    """Count sequences of ``depth`` actions by playing all of them but the last."""
    actions = np.flatnonzero(game.legal_actions(games))
    if depth == 1:
        return actions.size
    total = 0
    for action in actions:
        child = games.copy()
        game.play(child, 0, int(action))
        total += perft(game, child, depth - 1)
    return total
