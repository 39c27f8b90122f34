"""Flat action ids as named blocks, so that kernels take offsets from a table."""

from __future__ import annotations

from dataclasses import dataclass

from sprawl_env.core.arguments import checked
from sprawl_env.core.errors import IllegalAction


@dataclass(frozen=True)
class ActionBlock:
    """A range of consecutive action ids of the same kind of move.

    With an ``entity``, e.g. ``"site"``, the range is divided into equal parts, one for each entity
    0, 1, ...  These are the entities that the observation blocks of the same name describe.
    """

    name: str
    start: int
    size: int
    meaning: str
    entity: str = ""

    @property
    def stop(self) -> int:
        """First id after the block."""
        return self.start + self.size


class ActionTable:
    """Consecutive blocks, given in order as ``(name, size, meaning[, entity])``."""

    @checked
    def __init__(self, *blocks: tuple[str, int, str] | tuple[str, int, str, str]) -> None:
        self.blocks: dict[str, ActionBlock] = {}
        start = 0
        for name, size, meaning, *entity in blocks:
            self.blocks[name] = ActionBlock(name, start, size, meaning, *entity)
            start += size
        self.size = start

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
