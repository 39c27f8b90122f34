"""Flat observations as named blocks: one table for the encoder, the space and the docs."""

from __future__ import annotations

import hashlib
import itertools
import json
import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class ObservationBlock:
    """A named part of an observation.

    With an ``entity``, e.g. ``"site"``, the first axis is over the things of that kind.

    Attributes:
        start: index of the first number.
        stride: distance between the first numbers of two consecutive things; the block's size if
            there is no entity.
        step: distance between two consecutive numbers of one thing.
    """

    name: str
    start: int
    shape: tuple[int, ...]
    meaning: str
    entity: str
    stride: int
    step: int = 1

    @property
    def size(self) -> int:
        """Number of numbers in the block."""
        return math.prod(self.shape)

    @property
    def rows(self) -> int:
        """Number of things that the block describes; 1 without an entity."""
        return self.shape[0] if self.entity else 1

    @property
    def stop(self) -> int:
        """First index after the numbers of the first thing.

        Without an entity, or if the numbers of a thing are not consecutive (``step`` > 1), it is
        the first index after the block.
        """
        return self.start + (self.size if self.step > 1 else self.size // self.rows)


class ObservationLayout:
    """Consecutive blocks, given in order as ``(name, shape, meaning[, entity])``.

    The blocks of one entity must be consecutive.  They are interleaved: all numbers of the first
    thing, then all numbers of the second thing, and so on.  For an entity in ``planes`` the order
    is transposed: the first number of every thing, then the second number of every thing, and so
    on, like the channels of an image.  If there are many things, kernels write planes several
    times faster.  :meth:`features` returns ``[..., things, features]`` for both orders.  All
    values are in -1..1 unless a block's meaning says otherwise.

    Args:
        blocks: ``(name, shape, meaning[, entity])``.
        planes: entities that are stored as planes.

    Raises:
        ValueError: the blocks of an entity are not consecutive, or their first axes differ.
    """

    def __init__(
        self,
        *blocks: tuple[str, tuple[int, ...], str] | tuple[str, tuple[int, ...], str, str],
        planes: Collection[str] = (),
    ) -> None:
        self.blocks: dict[str, ObservationBlock] = {}
        self._planes = frozenset(planes)
        self.size = 0
        given = [(*block, "")[:4] for block in blocks]
        for entity, members in itertools.groupby(given, key=lambda block: block[3]):
            if entity:
                self._add_entity(entity, list(members))
                continue
            for name, shape, meaning, _ in members:
                size = math.prod(shape)
                self.blocks[name] = ObservationBlock(name, self.size, shape, meaning, "", size)
                self.size += size

    def _add_entity(
        self, entity: str, members: list[tuple[str, tuple[int, ...], str, str]]
    ) -> None:
        if any(block.entity == entity for block in self.blocks.values()):
            raise ValueError(f"blocks of entity {entity!r}: expected consecutive blocks")
        things = members[0][1][0]
        if any(shape[0] != things for _, shape, _, _ in members):
            raise ValueError(f"blocks of entity {entity!r}: expected the same first axis")
        features = sum(math.prod(shape[1:]) for _, shape, _, _ in members)
        stride, step = (1, things) if entity in self._planes else (features, 1)
        start = self.size
        for name, shape, meaning, _ in members:
            self.blocks[name] = ObservationBlock(name, start, shape, meaning, entity, stride, step)
            start += math.prod(shape[1:]) * step
        self.size += things * features

    def __getitem__(self, name: str) -> ObservationBlock:
        return self.blocks[name]

    @property
    def starts(self) -> npt.NDArray[np.int32]:
        """First index of each block, in order; shape ``[num_blocks]``."""
        return np.array([b.start for b in self.blocks.values()], np.int32)

    def view(self, observation: npt.NDArray[np.float32], name: str) -> npt.NDArray[np.float32]:
        """Return one block of an observation ``[..., size]`` as ``[..., *shape]``, a view."""
        block = self.blocks[name]
        front = observation.shape[:-1]
        if not block.entity:
            return observation[..., block.start : block.stop].reshape(*front, *block.shape)
        first = (block.start - self.rows(block.entity)[0]) // block.step
        own: npt.NDArray[np.float32] = self.features(observation, block.entity)
        return own[..., first : first + block.size // block.rows].reshape(*front, *block.shape)

    def rows(self, entity: str) -> tuple[int, int]:
        """Return the first and last index (exclusive) of all blocks of an entity.

        Raises:
            KeyError: the entity has no blocks.
        """
        own = [block for block in self.blocks.values() if block.entity == entity]
        if not entity or not own:
            raise KeyError(entity)
        return own[0].start, own[0].start + sum(block.size for block in own)

    def features(self, observation: Any, entity: str) -> Any:
        """Return all blocks of an entity as ``[..., things, features]``, a view.

        Args:
            observation: numpy array or torch tensor ``[..., size]``.
            entity: its name.

        Raises:
            KeyError: the entity has no blocks.
        """
        start, stop = self.rows(entity)
        things = next(block.rows for block in self.blocks.values() if block.entity == entity)
        own = observation[..., start:stop]
        if entity in self._planes:
            return own.reshape(*own.shape[:-1], -1, things).swapaxes(-1, -2)
        return own.reshape(*own.shape[:-1], things, -1)

    def digest(self) -> str:
        """Return 16 hex digits that change when a block is moved, renamed or resized."""
        table = [(b.name, b.start, b.shape, b.stride) for b in self.blocks.values()]
        return hashlib.sha256(json.dumps(table).encode()).hexdigest()[:16]

    def markdown(self) -> str:
        """Return the table for the docs, one row for each block."""
        rows = ["| index | block | shape | meaning |", "|---|---|---|---|"]
        for b in self.blocks.values():
            shape = "×".join(map(str, b.shape))
            index = f"{b.start}–{b.stop - 1}" if b.stop > b.start + 1 else str(b.start)
            if b.entity and b.step > 1:
                index += f", planes of {b.step}"
            elif b.entity:
                index += f", +{b.stride} a {b.entity}"
            rows.append(f"| {index} | `{b.name}` | {shape} | {b.meaning} |")
        return "\n".join(rows)
