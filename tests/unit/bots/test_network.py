"""bots/policy/network.py: its own layers compute what torch's layers compute."""

import pytest

import sprawl_env

torch = pytest.importorskip("torch")

from sprawl_env.bots.policy.network import _encode, _Encoded, _pool, _Pooled, network_for  # noqa: E402

DOUBLE = {"dtype": torch.float64, "requires_grad": True}


def drawn(*sizes):
    return [torch.randn(*size, **DOUBLE) for size in sizes]


@pytest.mark.parametrize("kept", [0, 1, 2])
def test_gradients_are_those_of_finite_differences(kept):
    torch.manual_seed(kept)
    x, weight, bias, context, places = drawn((5, 4, 3), (6, 3), (6,), (5, 6), (4, 6))
    added = [context, places][:kept] + [None, None][kept:]
    assert torch.autograd.gradcheck(_Encoded.apply, (x, weight, bias, *added))
    assert torch.autograd.gradcheck(_Pooled.apply, (x,))


@pytest.mark.parametrize("kept", [0, 1, 2])
def test_values_are_those_of_the_plain_layers(kept):
    torch.manual_seed(kept)
    layer = torch.nn.Linear(3, 6).double()
    x, context, places = drawn((5, 4, 3), (5, 6), (4, 6))
    added = [context, places][:kept] + [None, None][kept:]
    expected = layer(x)
    if kept:
        expected = expected + context.unsqueeze(1)
    if kept == 2:
        expected = expected + places
    found = _encode(x, layer, *added)
    assert torch.allclose(found, torch.relu(expected))
    with torch.autocast("cpu", torch.bfloat16):
        low = _encode(x.float(), layer.float(), *(a if a is None else a.float() for a in added))
    assert torch.allclose(low.double(), found, atol=0.1)
    for pooled in (_pool(x), _pool(x.detach())):
        assert torch.allclose(pooled[0], x.mean(dim=1))
        assert torch.equal(pooled[1], x.amax(dim=1))


def test_a_row_does_not_depend_on_the_others():
    game = sprawl_env.game("tower_up", num_players=2)
    net = network_for(game, 8, 16)
    vec = sprawl_env.make_vec(game, 8)
    seen = torch.from_numpy(vec.reset().observations.copy())
    logits, summary = net(seen)
    for i in range(8):
        alone = net(seen[i : i + 1])
        assert torch.allclose(alone[0][0], logits[i], atol=1e-5)
        assert torch.allclose(alone[1][0], summary[i], atol=1e-5)
