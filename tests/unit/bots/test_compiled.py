"""bots/policy/compiled.py: the numbers of the network that torch computes."""

import numpy as np
import pytest

import sprawl_env

torch = pytest.importorskip("torch")

from sprawl_env.bots.policy.compiled import CompiledNet  # noqa: E402
from sprawl_env.bots.policy.network import EntityNet, network_for  # noqa: E402
from sprawl_env.bots.policy.shape import NetShape  # noqa: E402
from sprawl_env.bots.search import heads  # noqa: E402
from sprawl_env.bots.search.heads import Heads, judge_sides, no_shares  # noqa: E402
from sprawl_env.core.actions import ActionTable  # noqa: E402
from sprawl_env.core.layout import ObservationLayout  # noqa: E402
from tests.toy import RULES as TOY  # noqa: E402

GAMES = [
    ("tower_up", {}),
    ("tower_up", {"num_players": 4}),
    ("ginkgopolis", {}),
    ("ginkgopolis", {"num_players": 1}),
    ("urban_sprawl", {"num_players": 3}),
    (TOY, {}),
]
IDS = [f"{getattr(name, 'name', name)}-{options}" for name, options in GAMES]


def rows_of(game, count=24):
    vec = sprawl_env.make_vec(game, count, seed=3, observations="int8")
    vec.reset()
    for _ in range(15):
        vec.step(vec.sample_actions())
    return vec.observations.copy()


def network(game, width, trunk):
    torch.manual_seed(1)
    net = network_for(game, width, trunk).eval()
    with torch.no_grad():
        for name, each in net.named_parameters():
            if ".act_" in name:
                each.mul_(20)
            if name.endswith("bias"):
                each.add_(0.1 * torch.randn_like(each))
    return net


@pytest.mark.parametrize(("name", "options"), GAMES, ids=IDS)
@pytest.mark.parametrize(("width", "trunk"), [(16, 32), (5, 7)])
def test_every_game_and_width_gives_the_numbers_of_torch(name, options, width, trunk):
    game = sprawl_env.game(name, **options)
    net, numbers = network(game, width, trunk), rows_of(game)
    scales = game.observation_layout.scales
    with torch.inference_mode():
        wanted = net(torch.from_numpy(numbers * scales))
    assert {k: tuple(v.shape) for k, v in net.arrays().items()} == net.shape.tensors()
    compiled = CompiledNet(net.shape, net.arrays(), scales)
    logits, summaries = compiled(numbers)
    assert logits == pytest.approx(wanted[0].numpy(), abs=1e-4)
    assert summaries == pytest.approx(wanted[1].numpy(), abs=1e-4)
    for k in (0, 3):
        alone = compiled(numbers[k : k + 1])
        assert np.array_equal(alone[0][0], logits[k])
        assert np.array_equal(alone[1][0], summaries[k])
    seen = numbers * scales
    seen.flags.writeable = False
    for rows in (seen, np.asfortranarray(seen)):
        found = compiled(rows)
        assert np.array_equal(found[0], logits)
        assert np.array_equal(found[1], summaries)


@pytest.mark.parametrize(("name", "options"), GAMES, ids=IDS)
def test_things_without_legal_actions_are_left_out_and_nothing_else_changes(name, options):
    game = sprawl_env.game(name, **options)
    net = network(game, 8, 16)
    compiled = CompiledNet(net.shape, net.arrays(), game.observation_layout.scales)
    vec = sprawl_env.make_vec(game, 24, seed=3, observations="int8")
    vec.reset()
    for _ in range(15):
        vec.step(vec.sample_actions())
    whole, part = compiled(vec.observations), compiled(vec.observations, vec.masks)
    legal = vec.masks != 0
    assert np.array_equal(part[0][legal], whole[0][legal])
    assert (part[0][~legal] == 0).all()
    assert whole[0][~legal].any()  # without masks they have logits too
    assert np.array_equal(part[1], whole[1])


@pytest.mark.filterwarnings("ignore:Initializing zero-element tensors")
def test_a_board_that_is_everything_and_all_whose_actions_are_four_to_a_cell():
    layout = ObservationLayout(("board", (64, 3), "cells", "cell"))
    actions = ActionTable(("move", 64 * 4, "move from cell i // 4", "cell", 64), ("pass", 1, ""))
    torch.manual_seed(2)
    net = EntityNet(NetShape(layout, actions, 8, 16)).eval()
    assert net.shape.whole == []  # more numbers than the trunk has outputs
    with torch.no_grad():
        net.layers["act_move"].weight.mul_(20)
    seen = np.random.default_rng(3).integers(0, 2, (5, 192), dtype=np.int8)
    with torch.inference_mode():
        wanted = net(torch.from_numpy(seen).float())
    logits, summaries = CompiledNet(net.shape, net.arrays(), layout.scales)(seen)
    assert logits == pytest.approx(wanted[0].numpy(), abs=1e-4)
    assert summaries == pytest.approx(wanted[1].numpy(), abs=1e-4)
    assert (logits[:, :256].std(axis=0) > 0).all()  # each action belongs to a cell that is seen


def test_weights_are_copied():
    game = sprawl_env.game("tower_up")
    net, numbers = network(game, 8, 8), rows_of(game, 2)
    compiled = CompiledNet(net.shape, net.arrays(), game.observation_layout.scales)
    before = compiled(numbers)[0]
    with torch.no_grad():
        for each in net.parameters():
            each.zero_()
    assert np.array_equal(compiled(numbers)[0], before)


@pytest.mark.parametrize("sides", [2, 3, 5])
def test_shares_of_a_critic_sum_to_one_and_even_is_even(sides):
    summary, points = np.ones(4, np.float32), np.zeros(sides, np.int32)
    shares, none = np.zeros(sides, np.float32), no_shares(sides, 4)
    for kind in (heads.LEAD, heads.MARGIN, heads.VICTORY):
        for value in (-0.5, 0.0, 0.4):
            weights = np.full(4, value / 4, np.float32)
            made = Heads(kind, 1.0, 5.0, weights, np.zeros(1, np.float32), *none)
            margin = judge_sides(made, summary, points, shares)
            assert shares.sum() == pytest.approx(1)
            assert np.sign(round(margin, 6)) == np.sign(value)
            assert (shares[0] > 1 / sides + 1e-6) == (value > 0)
            assert len(set(shares[1:].tolist())) == 1
    points[0] = 10  # ahead already
    lead = Heads(heads.LEAD, 1.0, 5.0, np.zeros(4, np.float32), np.zeros(1, np.float32), *none)
    assert judge_sides(lead, summary, points, shares) == pytest.approx(10)
