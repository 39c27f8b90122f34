"""Flat observations as named blocks: one declaration for the encoder, the space and the docs.

Every feature is a whole number that fits int8.  A block has a *scale*: as float32, a feature is the
whole number times the scale of its block, which depends on no position, option or seat.

A game declares its observation as a subclass of :class:`Observation`::

    class Seen(Observation):
        site = entity("sites")
        height = block((site, NUM_COLOURS), "floors of the building, by colour", scale=1 / 6)
        owner = block((site, "seats"), "1 for the owner, by seat from the observer")
        deck = block(1, "cards left in the deck", scale=1 / 40)

``layout_of(Seen, sites=24, seats=3)`` returns the layout.  The game's tables have the starts of its
blocks as a part ``at`` (see :func:`starts_of`), so a kernel writes
``out[t.at.height + site * t.at.site + colour]``.  Blocks that several kinds of things have, e.g.
the text of a card, are declared once in a class of their own and added by :func:`group`.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
import json
import math
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
import numpy.typing as npt

from sprawl_env.core.arguments import checked
from sprawl_env.core.checks import as_array
from sprawl_env.core.errors import InvalidOption, short, unknown
from sprawl_env.kernels.records import Field, Record, dtype_of

T = TypeVar("T", bound=np.generic)


class Block(NamedTuple):
    """One block as it is given to :class:`ObservationLayout`.

    Attributes:
        name: unique in the layout.
        shape: lengths of its axes; with an ``entity`` the first axis is over its things.
        meaning: for the docs.
        entity: what the first axis counts; "" for nothing.
        scale: float of one unit, so that whole number times scale is in -1..1.
    """

    name: str
    shape: tuple[int, ...]
    meaning: str
    entity: str = ""
    scale: float = 1.0


@dataclass(frozen=True)
class ObservationBlock:
    """A named part of an observation.

    With an ``entity``, e.g. ``"site"``, the first axis is over the things of that kind.

    Attributes:
        start: index of the first number.
        stride: distance between the first numbers of two consecutive things; the block's size if
            there is no entity.
        step: distance between two consecutive numbers of one thing.
        scale: factor of the block's whole numbers as float32.
    """

    name: str
    start: int
    shape: tuple[int, ...]
    meaning: str
    entity: str
    stride: int
    step: int = 1
    scale: float = 1.0

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
    """Consecutive blocks, given in order as ``(name, shape, meaning[, entity[, scale]])``.

    The blocks of one entity must be consecutive.  They are interleaved: all numbers of the first
    thing, then all numbers of the second thing, and so on.  For an entity in ``planes`` the order
    is transposed: the first number of every thing, then the second number of every thing, and so
    on, like the channels of an image.  If there are many things, kernels write planes several
    times faster.  :meth:`features` returns ``[..., things, features]`` for both orders.

    Args:
        blocks: see :class:`Block`.
        planes: entities that are stored as planes.

    Raises:
        InvalidOption: the blocks of an entity are not consecutive, or their first axes differ.
    """

    @checked
    def __init__(
        self,
        *blocks: Block
        | tuple[str, tuple[int, ...], str]
        | tuple[str, tuple[int, ...], str, str]
        | tuple[str, tuple[int, ...], str, str, float],
        planes: Collection[str] = (),
    ) -> None:
        self.blocks: dict[str, ObservationBlock] = {}
        self._planes = frozenset(planes)
        self.size = 0
        given = [Block(*block) for block in blocks]
        for entity, members in itertools.groupby(given, key=lambda block: block.entity):
            if entity:
                self._add_entity(entity, list(members))
                continue
            for name, shape, meaning, _, scale in members:
                size = math.prod(shape)
                self.blocks[name] = ObservationBlock(
                    name, self.size, shape, meaning, "", size, scale=scale
                )
                self.size += size

    def _add_entity(self, entity: str, members: list[Block]) -> None:
        if any(block.entity == entity for block in self.blocks.values()):
            raise InvalidOption(f"blocks of entity {entity!r}: expected consecutive blocks")
        things = members[0].shape[0]
        if any(member.shape[0] != things for member in members):
            raise InvalidOption(f"blocks of entity {entity!r}: expected the same first axis")
        features = sum(math.prod(member.shape[1:]) for member in members)
        stride, step = (1, things) if entity in self._planes else (features, 1)
        start = self.size
        for name, shape, meaning, _, scale in members:
            self.blocks[name] = ObservationBlock(
                name, start, shape, meaning, entity, stride, step, scale
            )
            start += math.prod(shape[1:]) * step
        self.size += things * features

    def __getitem__(self, name: str) -> ObservationBlock:
        return self.blocks[name]

    @functools.cached_property
    def scales(self) -> npt.NDArray[np.float32]:
        """Scale of each feature, float32 ``[size]``."""
        scales = np.empty(self.size, np.float32)
        for name, each in self.blocks.items():
            self.view(scales, name)[...] = each.scale
        return scales

    def to_floats(self, numbers: Any) -> npt.NDArray[np.float32]:
        """Return observations of whole numbers ``[..., size]`` as float32."""
        given = as_array(numbers)
        self._check_size(given)
        if given.dtype.kind not in "iuf":
            raise InvalidOption(f"numbers: expected whole numbers, got {short(given)}")
        return cast("npt.NDArray[np.float32]", given * self.scales)

    def view(self, observation: npt.NDArray[T], name: str) -> npt.NDArray[T]:
        """Return one block of an observation ``[..., size]`` as ``[..., *shape]``, a view."""
        self._check_size(observation)
        if not isinstance(name, str) or name not in self.blocks:
            raise unknown("block", name, self.blocks)
        block = self.blocks[name]
        front = observation.shape[:-1]
        if not block.entity:
            return observation[..., block.start : block.stop].reshape(*front, *block.shape)
        first = (block.start - self.rows(block.entity)[0]) // block.step
        own: npt.NDArray[T] = self.features(observation, block.entity)
        return own[..., first : first + block.size // block.rows].reshape(*front, *block.shape)

    def _check_size(self, observation: Any) -> None:
        """Check that the last axis of an array is an observation.

        Raises:
            InvalidOption: it is not.
        """
        if tuple(getattr(observation, "shape", ())[-1:]) != (self.size,):
            raise InvalidOption(
                f"observation: expected shape (..., {self.size}), got {short(observation)}"
            )

    @checked
    def rows(self, entity: str) -> tuple[int, int]:
        """Return the first and last index (exclusive) of all blocks of an entity.

        Raises:
            UnknownName: the entity has no blocks.
        """
        own = [block for block in self.blocks.values() if block.entity == entity]
        if not entity or not own:
            raise unknown("entity", entity, {b.entity for b in self.blocks.values()} - {""})
        return own[0].start, own[0].start + sum(block.size for block in own)

    def features(self, observation: Any, entity: str) -> Any:
        """Return all blocks of an entity as ``[..., things, features]``, a view.

        Args:
            observation: numpy array or torch tensor ``[..., size]``.
            entity: its name.

        Raises:
            UnknownName: the entity has no blocks.
        """
        self._check_size(observation)
        start, stop = self.rows(entity)
        things = next(block.rows for block in self.blocks.values() if block.entity == entity)
        own = observation[..., start:stop]
        if entity in self._planes:
            return own.reshape(*own.shape[:-1], -1, things).swapaxes(-1, -2)
        return own.reshape(*own.shape[:-1], things, -1)

    def digest(self) -> str:
        """Return 16 hex digits that change when a block is moved, renamed, resized or rescaled."""
        table = [(b.name, b.start, b.shape, b.stride, b.scale) for b in self.blocks.values()]
        return hashlib.sha256(json.dumps(table).encode()).hexdigest()[:16]

    def markdown(self) -> str:
        """Return the table for the docs, one row for each block."""
        rows = ["| index | block | shape | meaning | scale |", "|---|---|---|---|---|"]
        for b in self.blocks.values():
            shape = "×".join(map(str, b.shape))
            index = f"{b.start}–{b.stop - 1}" if b.stop > b.start + 1 else str(b.start)
            if b.entity and b.step > 1:
                index += f", planes of {b.step}"
            elif b.entity:
                index += f", +{b.stride} a {b.entity}"
            scale = "1" if b.scale == 1 else f"1/{1 / b.scale:g}"
            rows.append(f"| {index} | `{b.name}` | {shape} | {b.meaning} | {scale} |")
        return "\n".join(rows)


# ------------------------------------------------------------------------------------ declarations


@dataclass(frozen=True)
class _Entity(Field):
    """Declared things that several blocks describe."""

    things: str | int = 0
    planes: bool = False


@dataclass(frozen=True)
class _Block(Field):
    """A declared block, whose axes are lengths, names of lengths, or an entity first."""

    axes: tuple[Any, ...] = ()
    scale: float = 1.0


class Observation(Record):
    """Base of the declaration of a game's observation; a field is where its block starts."""


@dataclass(frozen=True)
class _Group(Field):
    """Declared blocks of another declaration, for each thing of the entity in ``axes`` if any."""

    blocks: type[Observation] = Observation
    axes: tuple[Any, ...] = ()


def entity(things: str | int, *, planes: bool = False) -> int:
    """Declare the things of a kind, whose blocks must follow one another.

    In kernels the field is the distance between two consecutive things, or, with ``planes``,
    between two consecutive features of one thing, i.e. the number of things.

    Args:
        things: how many there are, or the name of that number in :func:`layout_of`.
        planes: store the first feature of every thing, then the second feature of every thing ...
    """
    return cast(int, _Entity(np.int32, (), "", things, planes))


def block(shape: Any, meaning: str, *, scale: float = 1.0) -> int:
    """Declare a block; in kernels the field is the index of its first number.

    Args:
        shape: length, or lengths of the axes: whole numbers, names of numbers in
            :func:`layout_of`, or an entity as the first.
        meaning: for the docs, without the scale.
        scale: float32 of one unit.
    """
    axes = shape if isinstance(shape, tuple) else (shape,)
    return cast(int, _Block(np.int32, (), meaning, axes, scale))


def group(kind: type[Observation], meaning: str, *, of: int | None = None) -> int:
    """Declare all blocks of another declaration, one after the other.

    A block is named after the group and itself, e.g. ``favor_size``.  In kernels the field is the
    index of the group's first number.

    Args:
        kind: the other declaration.
        meaning: what the blocks describe, for the docs, which list the blocks of ``kind`` apart.
        of: the entity whose things they describe.
    """
    return cast(int, _Group(np.int32, (), meaning, kind, () if of is None else (of,)))


def _declared_blocks(kind: type[Observation]) -> dict[str, _Block]:
    """Return the declared blocks by name, those of groups among them."""
    found: dict[str, _Block] = {}
    for name, field in vars(kind).items():
        if isinstance(field, _Block):
            found[name] = field
        elif isinstance(field, _Group):
            for inner, each in _declared_blocks(field.blocks).items():
                meaning = f"{field.meaning}: `{inner}`"
                axes = (*field.axes, *each.axes)
                found[f"{name}_{inner}"] = replace(each, meaning=meaning, axes=axes)
    return found


def layout_of(kind: type[Observation], **lengths: int) -> ObservationLayout:
    """Return the layout that a declaration gives with lengths by name, e.g. ``seats=3``."""
    declared = vars(kind)
    entities = {id(field): name for name, field in declared.items() if isinstance(field, _Entity)}

    def length(axis: Any) -> int:
        number = axis.things if isinstance(axis, _Entity) else axis
        return lengths[number] if isinstance(number, str) else int(number)

    blocks = [
        Block(
            name,
            tuple(length(axis) for axis in field.axes),
            field.meaning,
            entities.get(id(field.axes[0]), ""),
            field.scale,
        )
        for name, field in _declared_blocks(kind).items()
    ]
    planes = {name for name in entities.values() if declared[name].planes}
    return ObservationLayout(*blocks, planes=planes)


def starts_of(kind: type[Observation], layout: ObservationLayout) -> np.record:
    """Return the record that kernels read: starts of blocks, and distances of things."""
    starts = np.zeros(1, dtype_of(kind)).view(np.recarray)
    for name, field in vars(kind).items():
        if isinstance(field, _Group):
            starts[name] = layout[f"{name}_{next(iter(_declared_blocks(field.blocks)))}"].start
    for made in layout.blocks.values():
        if made.name in starts.dtype.names:
            starts[made.name] = made.start
        if made.entity:
            starts[made.entity] = made.step if made.step > 1 else made.stride
    return cast(np.record, starts[0])
