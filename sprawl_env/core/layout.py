"""Flat observations as named blocks: one table drives the encoder, the space and the docs."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class ObservationBlock:
    """Consecutive numbers of an observation that belong together.

    With an ``entity``, e.g. ``"site"``, the first axis runs over the things of that kind.
    """

    name: str
    start: int
    shape: tuple[int, ...]
    meaning: str
    entity: str = ""

    @property
    def size(self) -> int:
        """How many numbers the block holds."""
        return math.prod(self.shape)

    @property
    def stop(self) -> int:
        """First index after the block."""
        return self.start + self.size


class ObservationLayout:
    """Blocks laid end to end, in the order given: ``(name, shape, meaning[, entity])``.

    All values lie in -1..1 unless a block's meaning says otherwise.
    """

    def __init__(
        self,
        *blocks: tuple[str, tuple[int, ...], str] | tuple[str, tuple[int, ...], str, str],
    ) -> None:
        self.blocks: dict[str, ObservationBlock] = {}
        start = 0
        for name, shape, meaning, *entity in blocks:
            block = ObservationBlock(name, start, shape, meaning, *entity)
            self.blocks[name] = block
            start = block.stop
        self.size = start

    def __getitem__(self, name: str) -> ObservationBlock:
        return self.blocks[name]

    @property
    def starts(self) -> npt.NDArray[np.int32]:
        """First index of every block, in order; shape ``[num_blocks]``."""
        return np.array([b.start for b in self.blocks.values()], np.int32)

    def view(self, observation: npt.NDArray[np.float32], name: str) -> npt.NDArray[np.float32]:
        """Return one block of an observation ``[..., size]`` as ``[..., *shape]``, no copy."""
        block = self.blocks[name]
        flat = observation[..., block.start : block.stop]
        return flat.reshape(*observation.shape[:-1], *block.shape)

    def digest(self) -> str:
        """Return 16 hex digits that change when a block is moved, renamed or resized."""
        table = [(b.name, b.start, b.shape) for b in self.blocks.values()]
        return hashlib.sha256(json.dumps(table).encode()).hexdigest()[:16]

    def markdown(self) -> str:
        """Return the table for the docs, one row a block."""
        rows = ["| index | block | shape | meaning |", "|---|---|---|---|"]
        for b in self.blocks.values():
            shape = "×".join(map(str, b.shape))
            rows.append(f"| {b.start}–{b.stop - 1} | `{b.name}` | {shape} | {b.meaning} |")
        return "\n".join(rows)
