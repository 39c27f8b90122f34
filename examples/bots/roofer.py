"""A rule of thumb for Tower Up: roof if possible, else build, else take a card.

cd examples; sprawl-env evaluate --game tower_up --bots bots.roofer:Roofer random
"""

import numpy as np

RANKS = ("roof", "build", "choose", "return", "take")  # action blocks, the best first


class Roofer:
    """Ranks actions by their kind, and roofs by what they gain; it builds at random."""

    name = "roofer"
    needs_observations = True
    needs_states = False

    def __init__(self, game, seed):
        self.layout, self.actions = game.observation_layout, game.actions
        self.rank = np.zeros(game.num_actions)
        for points, name in enumerate(reversed(RANKS)):
            block = self.actions[name]
            self.rank[block.start : block.stop] = 10 * points
        self.seed(seed)

    def seed(self, seed):
        """Seed the tie-breaks."""
        self.rng = np.random.default_rng(seed)

    def act(self, observations, masks, states):
        """Return one legal action for each row."""
        value = self.rank + 0.01 * self.rng.random(masks.shape)
        gain = self.layout.view(observations, "gain")  # [n, sites], what a roof would gain
        roof = self.actions["roof"]
        value[:, roof.start : roof.start + gain.shape[1]] += gain
        return np.where(masks == 1, value, -np.inf).argmax(axis=1)
