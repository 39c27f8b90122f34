"""A bot made from another bot: it plays like ``base``, but one action in ten at random.

cd examples; sprawl-env evaluate --game tower_up --bots bots.epsilon_greedy:EpsilonGreedy greedy
"""

import numpy as np

import sprawl_env


class EpsilonGreedy:
    """A less predictable opponent, e.g. for training."""

    name = "epsilon-greedy"
    base = "greedy"  # or "agent:tower_up/quick", "checkpoint:PATH", "mcts:sims=50"
    epsilon = 0.1

    def __init__(self, game, seed):
        self.bot = sprawl_env.make_bot(self.base, game, seed)
        self.needs_observations = self.bot.needs_observations
        self.needs_states = self.bot.needs_states
        self.seed(seed)

    def seed(self, seed):
        """Seed the random actions and the base."""
        self.rng = np.random.default_rng(seed)
        self.bot.seed(seed)

    def act(self, observations, masks, states):
        """Return one legal action for each row."""
        chosen = self.bot.act(observations, masks, states)
        at_random = (self.rng.random(masks.shape) * masks).argmax(axis=1)
        return np.where(self.rng.random(len(masks)) < self.epsilon, at_random, chosen)
