"""The policy network: layers shared by all things of a kind, and a trunk for the whole state.

The network takes its shape from the observation's and the action table's blocks, so it fits every
game.  Things of one kind (an *entity*, e.g. all sites) are encoded by the same layers.  Each kind
is summarised by its mean and maximum for the trunk.  An action block with an entity gets its logits
from the encodings of these things, every other block from the trunk.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from sprawl_env.core.actions import ActionTable
from sprawl_env.core.game import Game
from sprawl_env.core.layout import ObservationLayout
from sprawl_env.kernels.arrays import Floats


class EntityNet(nn.Module):
    """Maps observations ``[n, observation_size]`` to logits ``[n, num_actions]`` and a summary.

    The summary ``[n, trunk]`` is the trunk's output, from which a value head can be computed.

    Args:
        layout: the layout of the observations.
        actions: the action table of the logits.
        width: width of the layers for each kind of thing.
        trunk: width of the trunk's two layers.

    Attributes:
        blocks: the blocks of the action table.
        size_of: the number of things of each kind that has layers of its own.
        whole: the ranges of an observation that the trunk sees directly.
    """

    def __init__(
        self, layout: ObservationLayout, actions: ActionTable, width: int, trunk: int
    ) -> None:
        super().__init__()
        self.latent_dim_pi = actions.size
        self.latent_dim_vf = trunk
        self.width = width
        self.blocks = list(actions.blocks.values())
        self._layout = layout
        self.size_of: dict[str, int] = {}
        apart: list[tuple[int, int]] = []  # ranges too long to be direct inputs of the trunk
        with_actions = {b.entity for b in self.blocks}
        for block in layout.blocks.values():
            kind = block.entity
            if kind in with_actions and kind not in self.size_of and kind:
                self.size_of[kind] = block.rows
                start, stop = layout.rows(kind)
                if stop - start > trunk:
                    apart.append((start, stop))
        self.whole = _without(layout.size, apart)
        self._make_layers(layout, sum(stop - start for start, stop in self.whole), width, trunk)

    @property
    def observation_size(self) -> int:
        """The length of an observation."""
        return self._layout.size

    def _make_layers(self, layout: ObservationLayout, whole: int, width: int, trunk: int) -> None:
        layers: dict[str, nn.Module] = {}
        places: dict[str, nn.Parameter] = {}
        for kind, count in self.size_of.items():
            start, stop = layout.rows(kind)
            features = (stop - start) // count
            places[kind] = nn.Parameter(0.1 * torch.randn(count, width))
            layers[f"{kind}_in"] = nn.Linear(features, width)
            layers[f"{kind}_whole"] = nn.Linear(whole, width, bias=False)
            layers[f"{kind}_self"] = nn.Linear(width, width)
            layers[f"{kind}_again"] = nn.Linear(width, width)
            layers[f"{kind}_trunk"] = nn.Linear(trunk, width, bias=False)
        pooled = 2 * width * len(self.size_of)
        layers["trunk_in"] = nn.Linear(whole + pooled, trunk)
        layers["trunk_out"] = nn.Linear(trunk, trunk)
        for block in self.blocks:
            if block.entity in self.size_of:
                each = -(-block.size // self._table_size(block.entity))
                layers[f"act_{block.name}"] = _quiet(nn.Linear(width, each))
            else:
                layers[f"act_{block.name}"] = _quiet(nn.Linear(trunk, block.size))
        self.layers = nn.ModuleDict(layers)
        self.places = nn.ParameterDict(places)

    def features(self, observations: Tensor, kind: str) -> Tensor:
        """Return the features of all things of a kind, ``[n, things, features]``; a view."""
        found: Tensor = self._layout.features(observations, kind)
        return found

    def _table_size(self, kind: str) -> int:
        """Return the number of things of a kind in the action table."""
        return min(block.size for block in self.blocks if block.entity == kind)

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """Return the logits and the summary."""
        layers = self.layers
        whole = torch.cat([observations[:, start:stop] for start, stop in self.whole], dim=1)
        seen: dict[str, Tensor] = {}
        for kind in self.size_of:
            features, context = self.features(observations, kind), f"{kind}_whole"
            x = _encode(features, layers[f"{kind}_in"], layers[context](whole), self.places[kind])
            seen[kind] = _encode(x, layers[f"{kind}_self"])
        pooled = [part for x in seen.values() for part in _pool(x)]
        summary = torch.relu(layers["trunk_in"](torch.cat([whole, *pooled], dim=1)))
        summary = torch.relu(layers["trunk_out"](summary))
        for kind, x in seen.items():
            seen[kind] = _encode(x, layers[f"{kind}_again"], layers[f"{kind}_trunk"](summary))
        return torch.cat([self._logits(block, seen, summary) for block in self.blocks], 1), summary

    def _logits(self, block: Any, seen: dict[str, Tensor], summary: Tensor) -> Tensor:
        """Return the logits of one block; 0 for things that are not in the observation."""
        head = self.layers[f"act_{block.name}"]
        if block.entity not in seen:
            return torch.as_tensor(head(summary))
        found = head(seen[block.entity]).flatten(start_dim=1)
        return nn.functional.pad(found, (0, block.size - found.shape[1]))

    def logits_of(self, observations: Floats) -> Floats:
        """Return the logits of numpy observations ``[n, observation_size]``, float32."""
        with torch.inference_mode():
            found: Floats = self(torch.from_numpy(observations))[0].numpy()
        return found.copy() if found.base is not None else found

    def forward_actor(self, observations: Tensor) -> Tensor:
        """Return the logits."""
        return self.forward(observations)[0]

    def forward_critic(self, observations: Tensor) -> Tensor:
        """Return the summary."""
        return self.forward(observations)[1]


def network_for(game: Game, width: int, trunk: int) -> EntityNet:
    """Return an untrained network for a game."""
    return EntityNet(game.observation_layout, game.actions, width, trunk)


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


def _without(size: int, apart: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the ranges of ``0..size`` outside of ``apart``, whose ranges are in order."""
    edges = [0, *(edge for part in apart for edge in part), size]
    pairs = zip(edges[::2], edges[1::2], strict=True)
    return [(start, stop) for start, stop in pairs if start < stop]


def _quiet(layer: nn.Linear) -> nn.Linear:
    """Scale a head's initial weights down, so that the untrained policy is nearly uniform."""
    with torch.no_grad():
        layer.weight.mul_(0.05)
        layer.bias.zero_()
    return layer
