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
    """

    def __init__(
        self, layout: ObservationLayout, actions: ActionTable, width: int, trunk: int
    ) -> None:
        super().__init__()
        self.latent_dim_pi = actions.size
        self.latent_dim_vf = trunk
        self._blocks = list(actions.blocks.values())
        self._layout = layout
        self._size_of: dict[str, int] = {}
        apart: list[tuple[int, int]] = []  # ranges too long to be direct inputs of the trunk
        with_actions = {b.entity for b in self._blocks}
        for block in layout.blocks.values():
            kind = block.entity
            if kind in with_actions and kind not in self._size_of and kind:
                self._size_of[kind] = block.rows
                start, stop = layout.rows(kind)
                if stop - start > trunk:
                    apart.append((start, stop))
        self._whole = _without(layout.size, apart)
        self._make_layers(layout, sum(stop - start for start, stop in self._whole), width, trunk)

    @property
    def observation_size(self) -> int:
        """The length of an observation."""
        return self._layout.size

    def _make_layers(self, layout: ObservationLayout, whole: int, width: int, trunk: int) -> None:
        layers: dict[str, nn.Module] = {}
        places: dict[str, nn.Parameter] = {}
        for kind, count in self._size_of.items():
            start, stop = layout.rows(kind)
            features = (stop - start) // count
            places[kind] = nn.Parameter(0.1 * torch.randn(count, width))
            layers[f"{kind}_in"] = nn.Linear(features, width)
            layers[f"{kind}_whole"] = nn.Linear(whole, width, bias=False)
            layers[f"{kind}_self"] = nn.Linear(width, width)
            layers[f"{kind}_again"] = nn.Linear(width, width)
            layers[f"{kind}_trunk"] = nn.Linear(trunk, width, bias=False)
        pooled = 2 * width * len(self._size_of)
        layers["trunk_in"] = nn.Linear(whole + pooled, trunk)
        layers["trunk_out"] = nn.Linear(trunk, trunk)
        for block in self._blocks:
            if block.entity in self._size_of:
                each = -(-block.size // self._table_size(block.entity))
                layers[f"act_{block.name}"] = _quiet(nn.Linear(width, each))
            else:
                layers[f"act_{block.name}"] = _quiet(nn.Linear(trunk, block.size))
        self.layers = nn.ModuleDict(layers)
        self.places = nn.ParameterDict(places)

    def _table_size(self, kind: str) -> int:
        """Return the number of things of a kind in the action table."""
        return min(block.size for block in self._blocks if block.entity == kind)

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """Return the logits and the summary."""
        layers = self.layers
        whole = torch.cat([observations[:, start:stop] for start, stop in self._whole], dim=1)
        seen: dict[str, Tensor] = {}
        for kind in self._size_of:
            x = layers[f"{kind}_in"](self._layout.features(observations, kind)) + self.places[kind]
            x = torch.relu(x + layers[f"{kind}_whole"](whole).unsqueeze(1))
            seen[kind] = torch.relu(layers[f"{kind}_self"](x))
        pooled = [part for x in seen.values() for part in (x.mean(dim=1), x.amax(dim=1))]
        summary = torch.relu(layers["trunk_in"](torch.cat([whole, *pooled], dim=1)))
        summary = torch.relu(layers["trunk_out"](summary))
        for kind, x in seen.items():
            context = layers[f"{kind}_trunk"](summary).unsqueeze(1)
            seen[kind] = torch.relu(layers[f"{kind}_again"](x) + context)
        return torch.cat([self._logits(block, seen, summary) for block in self._blocks], 1), summary

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
