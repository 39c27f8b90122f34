"""MaskablePPO of sb3-contrib with a features extractor that knows the blocks of an observation.

python examples/research/own_features.py
"""

import sys

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor

import sprawl_env
from sprawl_env.adapters.sb3 import SelfPlayVecEnv

SHORT = "--short" in sys.argv
STEPS = 2_048 if SHORT else 200_000


class PerSite(BaseFeaturesExtractor):
    """Reads every site with the same weights, and the whole observation in one more layer."""

    def __init__(self, observation_space, layout, per_site=16, width=128):
        size = observation_space.shape[0]
        sites, numbers = layout.features(torch.zeros(size), "site").shape
        super().__init__(observation_space, sites * per_site + width)
        self.layout = layout
        self.site = torch.nn.Sequential(torch.nn.Linear(numbers, per_site), torch.nn.ReLU())
        self.whole = torch.nn.Sequential(torch.nn.Linear(size, width), torch.nn.ReLU())

    def forward(self, observations):
        """Return the features ``[n, features]``."""
        sites = self.site(self.layout.features(observations, "site"))  # [n, sites, per_site]
        return torch.cat([sites.flatten(1), self.whole(observations)], dim=1)


def train(game, steps=STEPS):
    """Return a model that has played against random bots."""
    env = SelfPlayVecEnv(game, num_envs=16, reward="lead", scale=0.05, seed=0)
    model = MaskablePPO(
        "MlpPolicy",
        env,
        n_steps=64,
        batch_size=256,
        gamma=0.95,
        learning_rate=1e-3,
        policy_kwargs={
            "features_extractor_class": PerSite,
            "features_extractor_kwargs": {"layout": game.observation_layout},
            "net_arch": [],
        },
        seed=0,
        device="cpu",
    )
    return model.learn(steps)


if __name__ == "__main__":
    game = sprawl_env.game("tower_up", num_players=2)
    train(game).save("own_features.zip")
    found = sprawl_env.evaluate(
        game, ["sb3:own_features.zip,trust=yes", "random"], num_games=100 if SHORT else 1000
    )
    line = found.lines[0]
    print(f"wins {line.wins:.1%} ({line.low:.1%} to {line.high:.1%}) against random")
