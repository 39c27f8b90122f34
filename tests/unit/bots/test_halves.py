"""bots/policy/halves.py: the numbers of the network in float32, but rounded."""

import copy

import numpy as np
import pytest

import sprawl_env

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")

from sprawl_env.learning.ppo import ActorCritic  # noqa: E402

pytestmark = pytest.mark.compiled
ROWS = 64


def decisions(game):
    """Return observations, masks and actions of games after some random plies."""
    vec = sprawl_env.make_vec(game, ROWS, seed=2, observations="int8", skip_forced=True)
    vec.reset()
    for _ in range(12):
        vec.step(vec.sample_actions())
    return tuple(
        torch.from_numpy(np.array(x))
        for x in (vec.observations, vec.masks, vec.sample_actions().astype(np.int64))
    )


def both(game, width=16, trunk=32):
    """Return a network whose policy is not uniform, and the same in bfloat16."""
    torch.manual_seed(4)
    net = ActorCritic(game, width, trunk)
    with torch.no_grad():
        for name, parameter in net.named_parameters():
            if ".act_" in name:
                parameter.mul_(4)
    low = copy.deepcopy(net)
    low.low = True
    low.flatten()
    return net, low


def loss_of(net, numbers, masks, actions):
    logits, values = net(numbers, masks)
    wanted = torch.nn.functional.cross_entropy(logits, actions, reduction="sum")
    return wanted + (values - 1).square().sum()


@pytest.mark.parametrize(
    ("name", "seats"),
    [("tower_up", 2), ("tower_up", 4), ("ginkgopolis", 1), ("ginkgopolis", 3), ("urban_sprawl", 2)],
)
def test_logits_values_and_gradients_are_those_of_the_network(name, seats):
    game = sprawl_env.game(name, num_players=seats)
    net, low = both(game)
    numbers, masks, actions = decisions(game)
    with torch.inference_mode():
        expected, found = net(numbers, masks), low(numbers, masks)
    for one, other in zip(expected, found, strict=True):
        assert (one - other)[one.abs() < 1e4].abs().max() < 0.02 * one[one.abs() < 1e4].abs().max()
    total = loss_of(net, numbers, masks, actions)
    gradients = torch.autograd.grad(total, list(net.parameters()))
    (flat,) = torch.autograd.grad(loss_of(low, numbers, masks, actions), [low.flat])
    whole = torch.cat([gradient.flatten() for gradient in gradients])
    assert (flat - whole).norm() < 0.03 * whole.norm()
    sizes = [gradient.numel() for gradient in gradients]
    least = 1e-3 * float(whole.norm())
    for (label, _), one, other in zip(
        net.named_parameters(), gradients, flat.split(sizes), strict=True
    ):
        wanted = one.flatten()
        assert (wanted - other).norm() < 0.25 * wanted.norm() + least, label


def test_a_row_does_not_depend_on_the_others():
    game = sprawl_env.game("tower_up", num_players=2)
    _, low = both(game)
    numbers, masks, _ = decisions(game)
    with torch.inference_mode():
        logits, values = low(numbers, masks)
        for i in range(0, ROWS, 9):
            alone = low(numbers[i : i + 1], masks[i : i + 1])
            assert torch.allclose(alone[0][0], logits[i], atol=0.02)
            assert torch.allclose(alone[1][0], values[i], atol=0.02)
