"""REINFORCE in plain torch, by self-play on a batch of games; it learns to beat ``random``.

python examples/research/reinforce.py 2
python examples/research/reinforce.py 3
"""

import sys

import torch

import sprawl_env
from sprawl_env.learning import returns

SHORT = "--short" in sys.argv
UPDATES, ENVS, STEPS = (25, 64, 32) if SHORT else (200, 256, 64)


class Policy(torch.nn.Module):
    """A network that is also a bot: it plays its likeliest action."""

    name, needs_observations, needs_states = "reinforce", True, False

    def __init__(self, game, width=64):
        super().__init__()
        self.body = torch.nn.Linear(game.observation_size, width)
        self.head = torch.nn.Linear(width, game.num_actions)

    def forward(self, seen, masks):
        """Return a distribution over the legal actions."""
        logits = self.head(torch.tanh(self.body(seen)))
        return torch.distributions.Categorical(logits=logits.masked_fill(masks == 0, -1e9))

    def seed(self, seed):
        """Do nothing: no random numbers are drawn."""

    def act(self, observations, masks, states):
        """Return one legal action for each row."""
        with torch.no_grad():
            policy = self(torch.tensor(observations), torch.tensor(masks))
        return policy.logits.argmax(dim=1).numpy()


def play(network, vec, look, steps):
    """Play some steps of every game; return what the seats see then, and the columns."""
    rows = []
    for _ in range(steps):
        seen, masks, seats = torch.tensor(look[0]), torch.tensor(look[1]), look[2].copy()
        with torch.no_grad():
            actions = network(seen, masks).sample()
        *look, paid, terminated, truncated = vec.step(actions.numpy())
        rows.append((seen, masks, actions, seats, paid.copy(), terminated | truncated))
    return look, [list(column) for column in zip(*rows, strict=True)]


def train(network, game, updates, reward="lead"):
    """Improve a network; each update learns from the decisions of all seats."""
    optimizer = torch.optim.Adam(network.parameters(), lr=3e-3)
    vec = sprawl_env.make_vec(game, num_envs=ENVS, reward=reward, seed=0)
    look = vec.reset()
    for _ in range(updates):
        look, (seen, masks, actions, *paid) = play(network, vec, look, STEPS)
        # What comes after the steps is left out: there are no values that could stand for it.
        weights = torch.tensor(returns(*paid, discount=0.9).returns).float().flatten()
        weights = (weights - weights.mean()) / weights.std()
        policy = network(torch.cat(seen), torch.cat(masks))
        loss = -(weights * policy.log_prob(torch.cat(actions)) + 0.01 * policy.entropy()).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    vec.close()


if __name__ == "__main__":
    seats = int(sys.argv[1])
    torch.manual_seed(0)
    game = sprawl_env.game("tower_up", num_players=seats)
    network = Policy(game)
    train(network, game, UPDATES)
    found = sprawl_env.evaluate(game, [network, "random"], num_games=120 if SHORT else 1000)
    line = found.lines[0]
    print(
        f"wins {line.wins:.1%} ({line.low:.1%} to {line.high:.1%}); even would be {1 / seats:.1%}"
    )
