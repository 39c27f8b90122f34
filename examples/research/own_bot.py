"""A bot of one's own, ranked in a tournament against two of this package.

python examples/research/own_bot.py
"""

import sys

import numpy as np

import sprawl_env

GAMES = 12 if "--short" in sys.argv else 400  # of each pair of bots


class LeadGreedy:
    """Plays the action with the best lead in points right after it."""

    name, needs_observations, needs_states = "lead-greedy", False, True

    def __init__(self, game, seed):
        self.game = game
        self.seed(seed)

    def seed(self, seed):
        """Seed the tie-breaks."""
        self.rng = np.random.default_rng(seed)

    def act(self, observations, masks, states):
        """Return one legal action for each row."""
        return np.array([self.choose(mask, states[[k]]) for k, mask in enumerate(masks)])

    def choose(self, mask, state):
        """Return the best action of one position."""
        seat, actions = state.to_play[0], self.rng.permutation(np.flatnonzero(mask))
        after = np.repeat(state, len(actions)).view(np.recarray)
        for k, action in enumerate(actions):
            self.game.play(after, k, action)
        scores = self.game.scores(after)  # [actions, seats]
        others = np.delete(scores, seat, axis=1).max(axis=1)
        return actions[np.argmax(scores[:, seat] - others)]


if __name__ == "__main__":
    found = sprawl_env.tournament("tower_up", ["random", "greedy", LeadGreedy], num_games=GAMES)
    print(found.frame().select("bot", "elo", "elo_low", "elo_high"))
