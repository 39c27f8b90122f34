"""Flat observations as named blocks: one table drives the encoder, the space and the docs."""

from __future__ import annotations

import hashlib
import itertools
import json
import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class ObservationBlock:
    """Numbers of an observation that belong together.

    With an ``entity``, e.g. ``"site"``, the first axis runs over the things of that kind, and the
    numbers of one thing lie beside those of its kind's other blocks.

    Attributes:
        start: index of the first number.
        stride: from one thing's first number to the next one's; without an entity, the size.
    """

    name: str
    start: int
    shape: tuple[int, ...]
    meaning: str
    entity: str
    stride: int

    @property
    def size(self) -> int:
        """How many numbers the block holds."""
        return math.prod(self.shape)

    @property
    def rows(self) -> int:
        """How many things the block tells about; 1 without an entity."""
        return self.shape[0] if self.entity else 1

    @property
    def stop(self) -> int:
        """First index after the numbers of the first thing; without an entity, of the block."""
        return self.start + self.size // self.rows


class ObservationLayout:
    """Blocks laid end to end, in the order given: ``(name, shape, meaning[, entity])``.

    Blocks of one entity follow one another and are interleaved: all about the first thing, then
    all about the second, and so on, so that ``[..., things, features]`` is one reshape away
    (:meth:`rows`).  All values lie in -1..1 unless a block's meaning says otherwise.

    Raises:
        ValueError: blocks of one entity that are apart or tell about different numbers of things.
    """

    def __init__(
        self,
        *blocks: tuple[str, tuple[int, ...], str] | tuple[str, tuple[int, ...], str, str],
    ) -> None:
        self.blocks: dict[str, ObservationBlock] = {}
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
            raise ValueError(f"blocks of entity {entity!r}: expected one after the other")
        things = members[0][1][0]
        if any(shape[0] != things for _, shape, _, _ in members):
            raise ValueError(f"blocks of entity {entity!r}: expected the same first axis")
        stride = sum(math.prod(shape[1:]) for _, shape, _, _ in members)
        start = self.size
        for name, shape, meaning, _ in members:
            self.blocks[name] = ObservationBlock(name, start, shape, meaning, entity, stride)
            start += math.prod(shape[1:])
        self.size += things * stride

    def __getitem__(self, name: str) -> ObservationBlock:
        return self.blocks[name]

    @property
    def starts(self) -> npt.NDArray[np.int32]:
        """First index of every block, in order; shape ``[num_blocks]``."""
        return np.array([b.start for b in self.blocks.values()], np.int32)

    def view(self, observation: npt.NDArray[np.float32], name: str) -> npt.NDArray[np.float32]:
        """Return one block of an observation ``[..., size]`` as ``[..., *shape]``, no copy."""
        block = self.blocks[name]
        front = observation.shape[:-1]
        if not block.entity:
            return observation[..., block.start : block.stop].reshape(*front, *block.shape)
        start, stop = self.rows(block.entity)
        rows = observation[..., start:stop].reshape(*front, block.rows, block.stride)
        own = rows[..., block.start - start : block.stop - start]
        return own.reshape(*front, *block.shape)

    def rows(self, entity: str) -> tuple[int, int]:
        """Return first and last index (exclusive) of all that is told about a kind of thing.

        Raises:
            KeyError: no block tells about it.
        """
        for block in self.blocks.values():
            if block.entity == entity:
                return block.start, block.start + block.rows * block.stride
        raise KeyError(entity)

    def digest(self) -> str:
        """Return 16 hex digits that change when a block is moved, renamed or resized."""
        table = [(b.name, b.start, b.shape, b.stride) for b in self.blocks.values()]
        return hashlib.sha256(json.dumps(table).encode()).hexdigest()[:16]

    def markdown(self) -> str:
        """Return the table for the docs, one row a block."""
        rows = ["| index | block | shape | meaning |", "|---|---|---|---|"]
        for b in self.blocks.values():
            shape = "×".join(map(str, b.shape))
            index = f"{b.start}–{b.stop - 1}" if b.stop > b.start + 1 else str(b.start)
            if b.entity:
                index += f", +{b.stride} a {b.entity}"
            rows.append(f"| {index} | `{b.name}` | {shape} | {b.meaning} |")
        return "\n".join(rows)
