"""A bot for every game: it plays the action after which its lead in points is largest.

cd examples; sprawl-env evaluate --game lots:RULES --bots bots.score_greedy:ScoreGreedy random
"""

import numpy as np

from sprawl_env.core.state import clone


class ScoreGreedy:
    """Tries every legal action on a copy of the position."""

    name = "score-greedy"
    needs_observations = False
    needs_states = True  # copies, in which what the seat cannot know is resampled

    def __init__(self, game, seed):
        self.game = game
        self.seed(seed)

    def seed(self, seed):
        """Seed the tie-breaks."""
        self.rng = np.random.default_rng(seed)

    def act(self, observations, masks, states):
        """Return one legal action for each row."""
        return np.array([self.best(states, k, np.flatnonzero(m)) for k, m in enumerate(masks)])

    def best(self, states, k, legal):
        """Return the action with the largest lead, ties broken at random."""
        leads = [self.lead(clone(states, np.array([k])), action) for action in legal]
        return int(self.rng.choice(legal[np.array(leads) == max(leads)]))

    def lead(self, games, action):
        """Return the lead in points after an action."""
        seat = int(games["to_play"][0])
        self.game.play(games, 0, int(action))
        scores = self.game.scores(games, 0)
        return scores[seat] - max(np.delete(scores, seat), default=0)
