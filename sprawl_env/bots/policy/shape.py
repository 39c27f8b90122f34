"""The shape of a policy network: what it sees, and which layers it has.

The shape follows from the observation's and the action table's blocks, so the network fits every
game.  Things of one kind (an *entity*, e.g. all sites) are encoded by the same layers.  Each kind
is summarised by its mean and maximum for the trunk.  An action block with an entity gets its logits
from the encodings of these things, every other block from the trunk.

:class:`~sprawl_env.bots.policy.network.EntityNet` is such a network for torch, which trains it;
:class:`~sprawl_env.bots.policy.compiled.CompiledNet` is one as a kernel, which plays.
"""

from __future__ import annotations

from typing import NamedTuple

from sprawl_env.core.actions import ActionTable
from sprawl_env.core.game import Game
from sprawl_env.core.layout import ObservationLayout


class Layer(NamedTuple):
    """A linear layer.

    Attributes:
        inputs: numbers that it takes.
        outputs: numbers that it gives.
        biased: whether a bias is added.
    """

    inputs: int
    outputs: int
    biased: bool = True


class NetShape:
    """What a network for some observations and actions is made of.

    Args:
        layout: the layout of the observations.
        actions: the action table of the logits.
        width: width of the layers for each kind of thing.
        trunk: width of the trunk's two layers.

    Attributes:
        layout: as given.
        width: as given.
        trunk: as given.
        num_actions: the number of logits.
        blocks: the blocks of the action table.
        size_of: the number of things of each kind that has layers of its own.
        things_of: likewise in the action table; there can be more than an observation shows.
        whole: the ranges of an observation that the trunk sees directly.
    """

    def __init__(
        self, layout: ObservationLayout, actions: ActionTable, width: int, trunk: int
    ) -> None:
        self.layout, self.width, self.trunk = layout, width, trunk
        self.num_actions = actions.size
        self.blocks = list(actions.blocks.values())
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
        self.things_of = {kind: actions.things_of(kind) for kind in self.size_of}
        self.whole = _without(layout.size, apart)

    def layers_of(self, kind: str) -> dict[str, Layer]:
        """Return the layers for the things of a kind by name."""
        start, stop = self.layout.rows(kind)
        features = (stop - start) // self.size_of[kind]
        width, trunk = self.width, self.trunk
        return {
            f"{kind}_in": Layer(features, width),
            f"{kind}_whole": Layer(self._inputs, width, biased=False),
            f"{kind}_self": Layer(width, width),
            f"{kind}_again": Layer(width, width),
            f"{kind}_trunk": Layer(trunk, width, biased=False),
        }

    def layers_of_trunk(self) -> dict[str, Layer]:
        """Return the layers of the trunk by name."""
        pooled = 2 * self.width * len(self.size_of)
        return {
            "trunk_in": Layer(self._inputs + pooled, self.trunk),
            "trunk_out": Layer(self.trunk, self.trunk),
        }

    def heads(self) -> dict[str, Layer]:
        """Return the layers that give the logits, one for each block of actions, by name."""
        found = {}
        for block in self.blocks:
            if block.entity in self.size_of:
                each = -(-block.size // self.things_of[block.entity])
                found[f"act_{block.name}"] = Layer(self.width, each)
            else:
                found[f"act_{block.name}"] = Layer(self.trunk, block.size)
        return found

    def tensors(self) -> dict[str, tuple[int, ...]]:
        """Return the shapes of all weights by name, as torch names those of a network."""
        of_kinds = [self.layers_of(kind) for kind in self.size_of]
        found: dict[str, tuple[int, ...]] = {}
        for layers in (*of_kinds, self.layers_of_trunk(), self.heads()):
            for name, layer in layers.items():
                found[f"layers.{name}.weight"] = layer.outputs, layer.inputs
                if layer.biased:
                    found[f"layers.{name}.bias"] = (layer.outputs,)
        places = {f"places.{kind}": (count, self.width) for kind, count in self.size_of.items()}
        return {**found, **places}

    @property
    def _inputs(self) -> int:
        """How many features the trunk sees directly."""
        return sum(stop - start for start, stop in self.whole)


def shape_for(game: Game, width: int, trunk: int) -> NetShape:
    """Return the shape of a network for a game."""
    return NetShape(game.observation_layout, game.actions, width, trunk)


def _without(size: int, apart: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the ranges of ``0..size`` outside of ``apart``, whose ranges are in order."""
    edges = [0, *(edge for part in apart for edge in part), size]
    pairs = zip(edges[::2], edges[1::2], strict=True)
    return [(start, stop) for start, stop in pairs if start < stop]
