"""learning/loss_kernels.py: the gradients and statistics of automatic differentiation."""

import copy
from dataclasses import replace

import numpy as np
import pytest

import sprawl_env
from tests.toy import RULES as TOY

torch = pytest.importorskip("torch")

from sprawl_env.learning import ppo  # noqa: E402
from sprawl_env.learning.config import Config  # noqa: E402
from sprawl_env.learning.imitation import ILLEGAL, Demonstrations, imitate  # noqa: E402
from sprawl_env.learning.team import Team  # noqa: E402

pytestmark = pytest.mark.compiled
ROWS = 48
GAMES = [
    ("tower_up", {}),
    ("tower_up", {"num_players": 4}),
    ("ginkgopolis", {"num_players": 1}),
    ("ginkgopolis", {"num_players": 3}),
    ("urban_sprawl", {}),
    (TOY, {}),
]
IDS = [f"{getattr(name, 'name', name)}-{options}" for name, options in GAMES]
ENTROPY = 0.02


def learner_of(game, width=12, trunk=20):
    """Return a learner whose policy is not uniform."""
    config = replace(Config(), width=width, trunk=trunk, precision="float32", device="cpu")
    made = ppo.Learner(config, game, Team(), torch.device("cpu"), ppo.Stopwatch())
    with torch.no_grad():
        for name, parameter in made.net.named_parameters():
            if ".act_" in name:
                parameter.mul_(20)
            if name.endswith("bias"):
                parameter.add_(0.1 * torch.randn_like(parameter))
    return made


def batch_of(game, net):
    """Return decisions after some random plies; some of them changed too much to be learnt."""
    vec = sprawl_env.make_vec(game, ROWS, seed=2, observations="int8", skip_forced=True)
    vec.reset()
    for _ in range(12):
        vec.step(vec.sample_actions())
    numbers, masks = (torch.from_numpy(np.array(x)) for x in (vec.observations, vec.masks))
    actions = torch.from_numpy(vec.sample_actions().astype(np.int64))
    torch.manual_seed(3)
    with torch.inference_mode():
        odds = torch.log_softmax(net(numbers, masks)[0], dim=1)
    played = (ppo.chosen(odds, actions) + 0.3 * torch.randn(ROWS)).clone()
    rows = torch.randperm(ROWS)[: ROWS - 7]
    return ppo.Batch(numbers, masks, actions, played, torch.randn(ROWS), torch.randn(ROWS), rows)


@pytest.mark.parametrize(("name", "options"), GAMES, ids=IDS)
def test_gradients_and_statistics_are_those_of_automatic_differentiation(name, options):
    game = sprawl_env.game(name, **options)
    learner = learner_of(game)
    batch = batch_of(game, learner.net)
    found = learner.summed(batch, ENTROPY)(batch.rows)
    leaves = list(learner.net.parameters())
    wanted = ppo.gradient_of(learner._loss(batch, ENTROPY), batch.rows, leaves)
    assert found.rows == wanted.rows == len(batch.rows)
    assert found.statistics.numpy() == pytest.approx(wanted.statistics.numpy(), rel=1e-3, abs=1e-3)
    assert 0 < found.statistics[4] < found.rows  # some are clipped
    assert (found.gradient - wanted.gradient).norm() < 1e-5 * wanted.gradient.norm()
    sizes = [parameter.numel() for parameter in leaves]
    parts = zip(found.gradient.split(sizes), wanted.gradient.split(sizes), strict=True)
    for (label, _), (one, other) in zip(learner.net.named_parameters(), parts, strict=True):
        assert (one - other).norm() <= 1e-4 * other.norm() + 1e-5, label


def test_rows_are_added_up_and_the_weights_are_those_of_now():
    game = sprawl_env.game("tower_up")
    learner = learner_of(game)
    batch = batch_of(game, learner.net)
    summed = learner.summed(batch, ENTROPY)
    whole = summed(batch.rows)
    parts = [summed(rows) for rows in batch.rows.split(11)]
    total = torch.stack([part.gradient for part in parts]).sum(dim=0)
    assert (whole.gradient - total).norm() < 1e-5 * total.norm()
    assert sum(part.rows for part in parts) == whole.rows
    with torch.no_grad():
        learner.net.flat.mul_(0.5)
    assert (summed(batch.rows).gradient - whole.gradient).norm() > 0.1 * whole.gradient.norm()


def test_an_update_by_the_kernel_is_one_by_automatic_differentiation():
    game = sprawl_env.game("tower_up")
    learner = learner_of(game)
    batch = batch_of(game, learner.net)
    other = copy.deepcopy(learner)
    other.net.flatten()
    other.optimizer = torch.optim.Adam([other.net.flat], lr=1e-3, eps=ppo.ADAM_EPSILON, fused=True)
    other.kernel = None
    before = learner.net.flat.detach().clone()
    for each in (learner, other):
        torch.manual_seed(5)
        each.update(batch, 1.0)
    moved = (learner.net.flat - before).norm()
    assert moved > 0
    assert (learner.net.flat - other.net.flat).norm() < 0.02 * moved


@pytest.mark.parametrize(("name", "options"), GAMES, ids=IDS)
def test_imitation_by_the_kernel_is_that_by_automatic_differentiation(name, options):
    game = sprawl_env.game(name, **options)
    learner = learner_of(game)
    batch = batch_of(game, learner.net)
    rng = np.random.default_rng(4)
    legal = batch.masks.numpy() != 0
    targets = np.where(legal, rng.random(legal.shape) ** 4, 0)
    targets /= targets.sum(axis=1, keepdims=True)
    targets = np.where(legal, targets, ILLEGAL).astype(np.float16)
    dataset = Demonstrations(
        batch.numbers.numpy(), targets, 20 * rng.normal(size=ROWS).astype(np.float32)
    )
    other = copy.deepcopy(learner)
    other.net.flatten()
    other.kernel = None
    before = learner.net.flat.detach().clone()
    agreed = [
        imitate(
            each, dataset, epochs=1, batch_size=ROWS - 5, learning_rate=1e-3,
            time_used=lambda: 0.0, progress=lambda *_: None,
        )
        for each in (learner, other)
    ]  # fmt: skip
    assert agreed[0] == agreed[1]
    assert 0 < agreed[0] < 1
    moved = (learner.net.flat - before).norm()
    assert moved > 0
    assert (learner.net.flat - other.net.flat).norm() < 0.02 * moved
    one, two = learner.net.flat.grad, other.net.flat.grad
    assert (one - two).norm() < 1e-3 * two.norm()


@pytest.mark.parametrize(("name", "options"), GAMES, ids=IDS)
def test_a_player_by_rows_decides_as_the_network_does(name, options):
    game = sprawl_env.game(name, **options)
    learner = learner_of(game)
    batch = batch_of(game, learner.net)
    player = ppo.RowPlayer(ppo.loss_kernel(learner.net), learner.net)
    torch.manual_seed(7)
    wanted = learner.net.sample(batch.numbers, batch.masks)
    with torch.no_grad():
        learner.net.flat.mul_(0.5)  # it keeps its weights
    torch.manual_seed(7)
    found = player.sample(batch.numbers, batch.masks)
    assert torch.equal(found[0], wanted[0])
    for one, other in zip(found[1:], wanted[1:], strict=True):
        assert torch.allclose(one, other, atol=1e-5)
