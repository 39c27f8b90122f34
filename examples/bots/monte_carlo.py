"""A bot for every game: it plays each action, then games at random, and keeps what wins most.

cd examples; sprawl-env evaluate --game lots:RULES --bots bots.monte_carlo:MonteCarlo greedy
"""

import numpy as np

from sprawl_env.core.state import NOT_OVER, clone


class MonteCarlo:
    """Looks one ply ahead; random playouts say how good a position is."""

    name = "monte-carlo"
    needs_observations = False
    needs_states = True
    playouts = 8  # for each action

    def __init__(self, game, seed):
        self.game = game
        self.seed(seed)

    def seed(self, seed):
        """Seed the playouts."""
        self.rng = np.random.default_rng(seed)

    def act(self, observations, masks, states):
        """Return one legal action for each row."""
        return np.array([self.best(states, k, np.flatnonzero(m)) for k, m in enumerate(masks)])

    def best(self, states, k, legal):
        """Return the action whose playouts win most often."""
        wins = [sum(self.wins(states, k, a) for _ in range(self.playouts)) for a in legal]
        return int(legal[int(np.argmax(wins))])

    def wins(self, states, k, action):
        """Return whether a playout is won; what the seat cannot know is resampled for each."""
        game, games = self.game, clone(states, np.array([k]))
        seat = int(games["to_play"][0])
        game.redeal_hidden(games, 0, int(self.rng.integers(2**62)), seat)
        game.play(games, 0, int(action))
        while games["over"][0] == NOT_OVER:
            game.play(games, 0, int(self.rng.choice(np.flatnonzero(game.legal_actions(games)))))
        standings = game.standings(games, 0)
        return bool(standings[seat] == standings.max())
