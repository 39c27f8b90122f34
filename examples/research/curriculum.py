"""A shaped reward and a curriculum: a few turns first, whole games last.

python examples/research/curriculum.py
"""

import sys

import numpy as np
import torch
from reinforce import Policy, train

import sprawl_env
from sprawl_env.core.rewards import victory_shares

SHORT = "--short" in sys.argv
LESSONS = {6: 5, 400: 10} if SHORT else {6: 60, 20: 60, 400: 120}  # turns of a game: updates


def shaped(game, weight=0.1):
    """Return a reward: the victory, and the change of a potential.

    The potential is a seat's lead; it is 0 after the end (Ng, Harada and Russell, 1999).
    """

    def potential(games, over):
        points = game.scores(games).astype(float)  # [n, seats]
        lead = points - points.mean(axis=1, keepdims=True)
        return np.where(over[:, None], 0, weight * lead)

    def reward(before, after, over):
        won = np.where(over[:, None], victory_shares(game.standings(after)), 0)
        return won + potential(after, over) - potential(before, np.zeros_like(over))

    return reward


if __name__ == "__main__":
    torch.manual_seed(0)
    whole = sprawl_env.game("tower_up", num_players=2)
    network = Policy(whole)
    for turns, updates in LESSONS.items():
        game = sprawl_env.game("tower_up", num_players=2, max_turns=turns)
        train(network, game, updates, reward=shaped(game))
        found = sprawl_env.evaluate(whole, [network, "random"], num_games=100 if SHORT else 1000)
        line = found.lines[0]
        interval = f"{line.low:.1%} to {line.high:.1%}"
        print(f"after games of {turns} turns: wins {line.wins:.1%} ({interval})")
