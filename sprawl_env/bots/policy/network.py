"""The policy network as a module of torch, which training changes.

What it is made of, :mod:`sprawl_env.bots.policy.shape` says.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import torch
from torch import Tensor, nn

from sprawl_env.bots.policy.shape import Layer, NetShape, shape_for
from sprawl_env.core.game import Game
from sprawl_env.kernels.arrays import Floats

ALWAYS_ACTIVE: Final = 1e3  # a bias with which a unit is positive, whatever it sees


class EntityNet(nn.Module):
    """Maps observations ``[n, observation_size]`` to logits ``[n, num_actions]`` and a summary.

    The summary ``[n, trunk]`` is the trunk's output, from which a value head can be computed.

    Args:
        shape: what it is made of.

    Attributes:
        shape: as given.
        latent_dim_pi: the number of logits, as Stable-Baselines3 calls it.
        latent_dim_vf: the width of the summary, likewise.
    """

    def __init__(self, shape: NetShape) -> None:
        super().__init__()
        self.shape = shape
        self.latent_dim_pi, self.latent_dim_vf = shape.num_actions, shape.trunk
        layers: dict[str, nn.Module] = {}
        places: dict[str, nn.Parameter] = {}
        for kind, count in shape.size_of.items():
            places[kind] = nn.Parameter(0.1 * torch.randn(count, shape.width))
            layers |= {name: _linear(layer) for name, layer in shape.layers_of(kind).items()}
        layers |= {name: _linear(layer) for name, layer in shape.layers_of_trunk().items()}
        layers |= {name: _quiet(_linear(layer)) for name, layer in shape.heads().items()}
        self.layers = nn.ModuleDict(layers)
        self.places = nn.ParameterDict(places)

    def arrays(self) -> dict[str, Floats]:
        """Return the weights by name, as they are now; on a processor these are views."""
        return {name: each.detach().cpu().numpy() for name, each in self.named_parameters()}

    def features(self, observations: Tensor, kind: str) -> Tensor:
        """Return the features of all things of a kind, ``[n, things, features]``; a view."""
        found: Tensor = self.shape.layout.features(observations, kind)
        return found

    def forward(
        self, observations: Tensor, watch: Callable[[str, Tensor], object] | None = None
    ) -> tuple[Tensor, Tensor]:
        """Return the logits and the summary.

        Args:
            observations: ``[n, observation_size]``.
            watch: called for the hidden layers that lead to the summary, with the layer's name and
                what its units give, ``[..., units]``.
        """
        layers, shape, see = self.layers, self.shape, watch or _ignore
        parts = [observations[:, start:stop] for start, stop in shape.whole]
        whole = torch.cat([observations[:, :0], *parts], dim=1)  # there may be no parts
        seen: dict[str, Tensor] = {}
        for kind in shape.size_of:
            features, context = self.features(observations, kind), f"{kind}_whole"
            x = _encode(features, layers[f"{kind}_in"], layers[context](whole), self.places[kind])
            seen[kind] = _encode(x, layers[f"{kind}_self"])
            see(f"{kind}_in", x)
            see(f"{kind}_self", seen[kind])
        pooled = [part for x in seen.values() for part in _pool(x)]
        summary = torch.relu(layers["trunk_in"](torch.cat([whole, *pooled], dim=1)))
        see("trunk_in", summary)
        summary = torch.relu(layers["trunk_out"](summary))
        see("trunk_out", summary)
        for kind, x in seen.items():
            seen[kind] = _encode(x, layers[f"{kind}_again"], layers[f"{kind}_trunk"](summary))
        logits = [self._logits(block, seen, summary) for block in shape.blocks]
        return torch.cat(logits, dim=1), summary

    def _logits(self, block: Any, seen: dict[str, Tensor], summary: Tensor) -> Tensor:
        """Return the logits of one block; 0 for things that are not in the observation."""
        head = self.layers[f"act_{block.name}"]
        if block.entity not in seen:
            return torch.as_tensor(head(summary))
        found = head(seen[block.entity]).flatten(start_dim=1)
        return nn.functional.pad(found, (0, block.size - found.shape[1]))

    @torch.no_grad()
    def revive(self, observations: Tensor, readers: Sequence[Tensor] = ()) -> int:
        """Give units that are 0 in all observations new random weights; return how many there were.

        A new unit is positive in half of the observations.  The outputs stay the same, as nothing
        reads the new units yet.

        Args:
            observations: ``[n, observation_size]``.
            readers: weights ``[outputs, trunk]`` outside of this network that read the summary.
        """
        given = self._units(observations)
        silent = {name: units.amax(dim=0) <= 0 for name, units in given.items()}
        for name, units in silent.items():
            for weight, start in self._readers(name, readers):
                weight[:, start : start + len(units)].masked_fill_(units, 0.0)
        for name, units in silent.items():  # from the inputs on: later layers see the new units
            for weight in self._rows(name):
                weight[units] = nn.init.kaiming_uniform_(torch.empty_like(weight), 5**0.5)[units]
            bias = self.layers[name].get_parameter("bias")
            bias[units] = ALWAYS_ACTIVE
            bias[units] -= self._units(observations)[name].median(dim=0).values[units]
        return sum(int(units.sum()) for units in silent.values())

    def _units(self, observations: Tensor) -> dict[str, Tensor]:
        """Return what the units of each hidden layer give, ``[rows, units]``."""
        found: dict[str, Tensor] = {}
        self(observations, lambda name, units: found.update({name: units.flatten(0, -2)}))
        return found

    def _rows(self, name: str) -> list[Tensor]:
        """Return the weights of a hidden layer, a row for each unit."""
        kind, _, part = name.rpartition("_")
        names = [name, f"{kind}_whole"] if self._is_first(kind, part) else [name]
        return [self._weight(each) for each in names]

    def _weight(self, name: str) -> Tensor:
        return self.layers[name].get_parameter("weight")

    def _is_first(self, kind: str, part: str) -> bool:
        return part == "in" and kind in self.shape.size_of

    def _readers(self, name: str, more: Sequence[Tensor]) -> list[tuple[Tensor, int]]:
        """Return the weights that read a hidden layer, and the column of its first unit."""
        shape = self.shape
        kind, _, part = name.rpartition("_")
        if name == "trunk_in":
            return [(self._weight("trunk_out"), 0)]
        if name == "trunk_out":
            heads = [b.name for b in shape.blocks if b.entity not in shape.size_of]
            read = [f"act_{head}" for head in heads] + [f"{each}_trunk" for each in shape.size_of]
            return [(weight, 0) for weight in (*map(self._weight, read), *more)]
        if self._is_first(kind, part):
            return [(self._weight(f"{kind}_self"), 0)]
        trunk, width = self._weight("trunk_in"), shape.width
        pooled = trunk.shape[1] - 2 * width * (len(shape.size_of) - list(shape.size_of).index(kind))
        return [(self._weight(f"{kind}_again"), 0), (trunk, pooled), (trunk, pooled + width)]

    def forward_actor(self, observations: Tensor) -> Tensor:
        """Return the logits."""
        return self.forward(observations)[0]

    def forward_critic(self, observations: Tensor) -> Tensor:
        """Return the summary."""
        return self.forward(observations)[1]


def network_for(game: Game, width: int, trunk: int) -> EntityNet:
    """Return an untrained network for a game."""
    return EntityNet(shape_for(game, width, trunk))


class _Encoded(torch.autograd.Function):
    """``relu(x @ weight.T + bias + context + places)`` for all things of a kind.

    With layers this narrow, reading and writing memory takes longer than the multiplications, so
    everything after them is done in place, and the backward pass keeps only the result.
    """

    @staticmethod
    def forward(
        ctx: Any, x: Tensor, weight: Tensor, bias: Tensor, context: Tensor | None, places: Any
    ) -> Tensor:
        count, things, features = x.shape
        rows = x.reshape(count * things, features)
        if context is None:
            found = torch.addmm(bias, rows, weight.t())
        else:
            added = (context + bias).unsqueeze(1) + (0 if places is None else places)
            found = added.expand(count, things, -1).contiguous().view(count * things, -1)
            found.addmm_(rows, weight.t())
        ctx.save_for_backward(rows, weight, found.relu_())
        ctx.shape = count, things
        return found.view(count, things, -1)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        rows, weight, found = ctx.saved_tensors
        own = torch.ops.aten.threshold_backward(gradient.reshape(found.shape), found, 0)
        whole = own.view(*ctx.shape, -1)
        needed = ctx.needs_input_grad
        before = (own @ weight).view(*ctx.shape, -1) if needed[0] else None
        of_context = whole.sum(dim=1) if needed[3] else None
        of_bias = (own if of_context is None else of_context).sum(dim=0)
        of_places = whole.sum(dim=0) if needed[4] else None
        return before, own.t() @ rows, of_bias, of_context, of_places


class _Pooled(torch.autograd.Function):
    """The mean and the maximum over the things of a kind; the first largest has the gradient."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> tuple[Tensor, Tensor]:
        largest, where = x.max(dim=1)
        ctx.save_for_backward(where)
        ctx.things = x.shape[1]
        return x.mean(dim=1), largest

    @staticmethod
    def backward(ctx: Any, of_mean: Tensor, of_largest: Tensor) -> Tensor:
        (where,) = ctx.saved_tensors
        each = (of_mean / ctx.things).unsqueeze(1).repeat(1, ctx.things, 1)
        gradient: Tensor = each.scatter_add_(1, where.unsqueeze(1), of_largest.unsqueeze(1))
        return gradient


def _encode(
    x: Tensor, layer: Any, context: Tensor | None = None, places: Tensor | None = None
) -> Tensor:
    """Return a layer with ReLU applied to all things ``[n, things, features]`` of a kind.

    Args:
        x: the things.
        layer: a linear layer.
        context: ``[n, width]``, added to all things of a row before the ReLU.
        places: ``[things, width]``, added to the things of all rows.
    """
    if torch.is_autocast_enabled(x.device.type):
        found = layer(x)
        for each in (None if context is None else context.unsqueeze(1), places):
            found = found if each is None else found + each
        return torch.relu(found)
    encode: Any = _Encoded.apply
    encoded: Tensor = encode(x, layer.weight, layer.bias, context, places)
    return encoded


def _pool(x: Tensor) -> tuple[Tensor, Tensor]:
    """Return the mean and the maximum over the things, ``[n, width]`` each."""
    if not torch.is_grad_enabled():
        return x.mean(dim=1), x.amax(dim=1)
    pool: Any = _Pooled.apply
    pooled: tuple[Tensor, Tensor] = pool(x)
    return pooled


def _ignore(name: str, units: Tensor) -> None:
    """Do nothing with what a layer gives."""


def _linear(layer: Layer) -> nn.Linear:
    return nn.Linear(layer.inputs, layer.outputs, bias=layer.biased)


def _quiet(layer: nn.Linear) -> nn.Linear:
    """Scale a head's initial weights down, so that the untrained policy is nearly uniform."""
    with torch.no_grad():
        layer.weight.mul_(0.05)
        layer.bias.zero_()
    return layer
