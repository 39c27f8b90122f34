"""Flat action ids as named blocks, so that kernels take offsets from a table."""

from __future__ import annotations

from dataclasses import dataclass

from sprawl_env.core.arguments import checked
from sprawl_env.core.errors import IllegalAction, InvalidOption


@dataclass(frozen=True)
class ActionBlock:
    """A range of consecutive action ids of the same kind of move.

    With an ``entity``, e.g. ``"site"``, the range is divided into equal parts, one for each entity
    0, 1, ...  These are the entities that the observation blocks of the same name describe.  There
    are ``things`` of them; 0: as many as the smallest block of this entity has ids.
    """

    name: str
    start: int
    size: int
    meaning: str
    entity: str = ""
    things: int = 0

    @property
    def stop(self) -> int:
        """First id after the block."""
        return self.start + self.size


class ActionTable:
    """Consecutive blocks, given in order as ``(name, size, meaning[, entity[, things]])``.

    Raises:
        InvalidOption: a block cannot be divided into as many parts as there are things, or blocks
            of an entity say different numbers of things.
    """

    @checked
    def __init__(
        self,
        *blocks: tuple[str, int, str] | tuple[str, int, str, str] | tuple[str, int, str, str, int],
    ) -> None:
        self.blocks: dict[str, ActionBlock] = {}
        start = 0
        for name, size, meaning, *more in blocks:
            self.blocks[name] = ActionBlock(name, start, size, meaning, *more)
            start += size
        self.size = start
        for entity in {block.entity for block in self.blocks.values() if block.entity}:
            self._check(entity)

    def things_of(self, entity: str) -> int:
        """Return the number of things of an entity, of which there is a block."""
        own = [block for block in self.blocks.values() if block.entity == entity]
        return max(0, *(block.things for block in own)) or min(block.size for block in own)

    def _check(self, entity: str) -> None:
        """Check what the blocks of an entity say of the number of things."""
        things = self.things_of(entity)
        stated = [b for b in self.blocks.values() if b.entity == entity and b.things]
        for block in stated:
            if block.things != things or block.size % things:
                raise InvalidOption(
                    f"block {block.name!r}: expected {things} things, like other blocks of "
                    f"{entity!r}, and a size that is a multiple of it, got {block.things} and "
                    f"{block.size}"
                )

    def __getitem__(self, name: str) -> ActionBlock:
        return self.blocks[name]

    @checked
    def locate(self, action: int) -> tuple[str, int]:
        """Return ``(block name, offset inside the block)``.

        Raises:
            IllegalAction: if ``action`` is outside ``0..size-1``.
        """
        for block in self.blocks.values():
            if block.start <= action < block.stop:
                return block.name, action - block.start
        raise IllegalAction(f"action {action} does not exist: ids are 0..{self.size - 1}")

    def markdown(self) -> str:
        """Return the table for the docs, one row for each block."""
        rows = ["| ids | block | meaning |", "|---|---|---|"]
        rows += [
            f"| {b.start}–{b.stop - 1} | `{b.name}` | {b.meaning} |" for b in self.blocks.values()
        ]
        return "\n".join(rows)
