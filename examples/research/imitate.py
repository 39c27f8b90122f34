"""A dataset of games is written, read back and imitated.

python examples/research/imitate.py data/greedy
"""

import sys
from pathlib import Path

import numpy as np
import torch

import sprawl_env
from sprawl_env.learning import load_dataset, write_dataset

GAMES, EPOCHS = (512, 4) if "--short" in sys.argv else (4096, 6)


class Imitator(torch.nn.Sequential):
    """A network that is also a bot."""

    name, needs_observations, needs_states = "imitator", True, False

    def seed(self, seed):
        """Nothing is drawn."""

    def act(self, observations, masks, states):
        """Return one legal action for each row."""
        with torch.no_grad():
            logits = self(torch.tensor(observations)).numpy()
        return np.where(masks == 1, logits, -np.inf).argmax(axis=1)


def imitate(game, data, epochs=EPOCHS):
    """Return a network that has learned the actions of a dataset."""
    torch.manual_seed(0)
    network = Imitator(
        torch.nn.Linear(game.observation_size, 256),
        torch.nn.ReLU(),
        torch.nn.Linear(256, game.num_actions),
    )
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
    for epoch in range(epochs):
        for part in data.torch(256, seed=epoch):
            choice = part["masks"].sum(dim=1) > 1  # forced decisions teach nothing
            logits = network(part["observations"]).masked_fill(~part["masks"], -1e9)
            loss = torch.nn.functional.cross_entropy(logits[choice], part["actions"][choice])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch}: loss {loss.item():.2f}")
    return network


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    game = sprawl_env.game("tower_up", num_players=2)
    write_dataset(folder, game, ["greedy", "greedy"], num_games=GAMES)
    data = load_dataset(folder, game)
    print(data.num_decisions, "decisions in", data.num_shards, "shards")
    print(sprawl_env.evaluate(game, [imitate(game, data), "random"], num_games=200).frame())
