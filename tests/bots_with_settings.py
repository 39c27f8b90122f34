"""A bot with settings, networks as a user might write them, and what is neither."""

import numpy as np

from tests.bots import First


class Set(First):
    """Keeps what its name sets."""

    def __init__(self, game, seed, *, path="", k=1, scale=1.0, flag=False):
        super().__init__(game, seed)
        self.given = {"path": path, "k": k, "scale": scale, "flag": flag}


class Needs(First):
    def __init__(self, game, seed, path):
        super().__init__(game, seed)


class Anything(First):
    def __init__(self, game, seed, **given):
        super().__init__(game, seed)
        self.given = given


def last_legal(observations, masks):
    """Prefer the highest number, and an illegal action more than any."""
    assert observations.dtype.is_floating_point
    numbers = masks.new_ones(masks.shape).cumsum(1).float()
    return numbers.masked_fill(~masks, 1e9)


def make():
    return last_legal


def wide(game, width=2):
    """Return a tiny network, with weights that are not random."""
    import torch

    first = torch.nn.Linear(game.observation_size, width)
    net = torch.nn.Sequential(
        first, torch.nn.Dropout(0.9), torch.nn.Linear(width, game.num_actions)
    )
    with torch.no_grad():
        for parameter in net.parameters():
            count = parameter.numel()
            spread = torch.arange(count, dtype=torch.float32).mul(7).remainder(count)
            parameter.copy_((spread / count - 0.5).reshape(parameter.shape))
    return net


def even(game):
    """Return logits that prefer nothing."""
    return lambda observations, masks: masks.float() * 0


def narrow():
    return lambda observations, masks: masks[:, :1].float()


def infinite():
    return lambda observations, masks: masks.float() / 0


def listed():
    return lambda observations, masks: [0.0]


def raises():
    def net(observations, masks):
        raise ZeroDivisionError("by hand")

    return net


def no_network():
    return np.zeros(3)
