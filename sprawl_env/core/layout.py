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

import dataclasses
import functools
import hashlib
import itertools
import json
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

import numpy as np
import numpy.typing as npt

from sprawl_env.core.arguments import checked
from sprawl_env.core.checks import as_array, described
from sprawl_env.core.errors import InvalidOption, short, unknown
from sprawl_env.core.extras import require
from sprawl_env.kernels.records import Field, Record, dtype_of

if TYPE_CHECKING:
    import polars as pl

T = TypeVar("T", bound=np.generic)
Things = Mapping[str, Sequence[str]]


class Block(NamedTuple):
    """One block as it is given to :class:`ObservationLayout`.

    Attributes:
        name: unique in the layout.
        shape: lengths of its axes; with an ``entity`` the first axis is over its things.
        meaning: for the docs.
        entity: what the first axis counts; "" for nothing.
        scale: float of one unit, so that whole number times scale is in -1..1.
        words: names of the places on each axis; an axis without is counted from 0.
    """

    name: str
    shape: tuple[int, ...]
    meaning: str
    entity: str = ""
    scale: float = 1.0
    words: tuple[Sequence[str], ...] = ()


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
        words: names of the places on each axis; an axis without is counted from 0.
    """

    name: str
    start: int
    shape: tuple[int, ...]
    meaning: str
    entity: str
    stride: int
    step: int = 1
    scale: float = 1.0
    words: tuple[Sequence[str], ...] = dataclasses.field(default=(), repr=False)

    @property
    def size(self) -> int:
        """Number of features in the block."""
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

    def names(self) -> npt.NDArray[np.object_]:
        """Return the names of the block's features as text, ``[*shape]``.

        The place on each axis follows the block's name, e.g. ``"owner[red 5, 0]"``; the only
        feature of a block has the block's name.
        """
        names = np.empty(self.shape, object)
        for index in np.ndindex(self.shape):
            places = [str(self._word(axis, place)) for axis, place in enumerate(index)]
            # An axis of one place says nothing, unless it counts things.
            kept = [
                place
                for axis, place in enumerate(places)
                if self.shape[axis] > 1 or (axis == 0 and self.entity)
            ]
            names[index] = f"{self.name}[{', '.join(kept)}]" if kept else self.name
        return names

    def _word(self, axis: int, place: int) -> str | int:
        words = self.words[axis] if axis < len(self.words) else ()
        return words[place] if words else place


@dataclass(frozen=True)
class EntityBlocks:
    """The blocks of one entity, by name: ``layout["contract"]["cost"]``.

    Attributes:
        name: of the entity.
        things: how many things it counts.
        blocks: in the order in which a thing's numbers follow one another.
    """

    name: str
    things: int
    blocks: dict[str, ObservationBlock]

    def __getitem__(self, name: str) -> ObservationBlock:
        """Return a block.

        Raises:
            UnknownName: the entity has no such block.
        """
        if name not in self.blocks:
            raise unknown(f"block of {self.name}", name, self.blocks)
        return self.blocks[name]

    def __repr__(self) -> str:
        return "\n".join([f"{self.things} × {self.name}:", *_rows(self.blocks.values())])


def _rows(blocks: Iterable[ObservationBlock]) -> Iterator[str]:
    """Yield a line for each block: where it begins, its name, shape and scale."""
    for b in blocks:
        scale = "" if b.scale == 1 else f", scale {_in_words(b.scale)}"
        yield f"  {b.start:5} {b.name} {'×'.join(map(str, b.shape))}{scale}"


def _in_words(scale: float) -> str:
    """Return a scale as it is read best, e.g. ``1/6``."""
    return "1" if scale == 1 else f"1/{1 / scale:g}"


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
            for name, shape, meaning, _, scale, words in members:
                size = math.prod(shape)
                self.blocks[name] = ObservationBlock(
                    name, self.size, shape, meaning, "", size, scale=scale, words=words
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
        for name, shape, meaning, _, scale, words in members:
            self.blocks[name] = ObservationBlock(
                name, start, shape, meaning, entity, stride, step, scale, words
            )
            start += math.prod(shape[1:]) * step
        self.size += things * features

    def __getitem__(self, name: str) -> Any:
        """Return a block by its name, or all blocks of an entity by the entity's name.

        Returns:
            An :class:`ObservationBlock`, or :class:`EntityBlocks` for the name of an entity.

        Raises:
            UnknownName: there is neither.
        """
        if self._names_entity(name):
            return EntityBlocks(name, self._of(name)[0].rows, {b.name: b for b in self._of(name)})
        return self._block(name)

    def __repr__(self) -> str:
        """Return a line for each block: index, name, shape, scale."""
        lines = [f"{self.size} features; index, block, shape:"]
        each = self.blocks.values()
        for entity, members in itertools.groupby(each, key=lambda block: block.entity):
            lines += [repr(self[entity])] if entity else _rows(members)
        return "\n".join(lines)

    @functools.cached_property
    def entities(self) -> tuple[str, ...]:
        """The names of the entities."""
        return tuple(dict.fromkeys(b.entity for b in self.blocks.values() if b.entity))

    def _names_entity(self, name: str) -> bool:
        """Return whether a name is an entity's; a block of the same name goes first."""
        return isinstance(name, str) and name in self.entities and name not in self.blocks

    def _block(self, name: str) -> ObservationBlock:
        if not isinstance(name, str) or name not in self.blocks:
            raise unknown("block", name, self.blocks)
        return self.blocks[name]

    def _of(self, entity: str) -> list[ObservationBlock]:
        """Return the blocks of an entity, in order.

        Raises:
            UnknownName: it has none.
        """
        if not isinstance(entity, str) or entity not in self.entities:
            raise unknown("entity", entity, self.entities)
        return [block for block in self.blocks.values() if block.entity == entity]

    def names(self) -> tuple[str, ...]:
        """Return the name of each feature, e.g. ``"owner[red 5, 0]"``.

        It is the block's name and the place on each axis; a block of one feature is its name alone.
        """
        names = np.empty(self.size, object)
        for name, each in self.blocks.items():
            self.view(names, name)[...] = each.names()
        return tuple(names)

    def frame(self, observation: npt.ArrayLike) -> pl.DataFrame:
        """Return an observation as a polars DataFrame, one row a feature.

        Args:
            observation: float32 or int8 ``[size]``, as the game writes it.

        Returns:
            The columns ``index``, ``block``, ``feature`` (its name), ``number`` (the whole number)
            and ``value`` (the float32).

        Raises:
            InvalidOption: the observation has another shape or type.
            MissingExtra: polars is not installed.
        """
        polars = require("polars", "frame()")
        given = as_array(observation)
        if given.shape != (self.size,) or given.dtype not in (np.int8, np.float32):
            raise InvalidOption(
                f"observation: expected float32 or int8 [{self.size}], got {described(observation)}"
            )
        whole = given if given.dtype == np.int8 else np.rint(given / self.scales)
        blocks = np.empty(self.size, object)
        for name in self.blocks:
            self.view(blocks, name)[...] = name
        columns = {
            "index": np.arange(self.size),
            "block": list(blocks),
            "feature": list(self.names()),
            "number": whole.astype(np.int8),
            "value": self.to_floats(whole.astype(np.int8)),
        }
        frame: pl.DataFrame = polars.DataFrame(columns)
        return frame

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
        floats: npt.NDArray[np.float32] = np.multiply(given, self.scales, dtype=np.float32)
        return floats

    def view(self, observation: npt.NDArray[T], name: str) -> npt.NDArray[T]:
        """Return one block of an observation ``[..., size]`` as ``[..., *shape]``, a view.

        The name of an entity gives all its blocks, as :meth:`features` does.

        Raises:
            UnknownName: there is neither such a block nor such an entity.
            InvalidOption: the observation has another size.
        """
        self._check_size(observation)
        if self._names_entity(name):
            return cast("npt.NDArray[T]", self.features(observation, name))
        block = self._block(name)
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

    def rows(self, entity: str) -> tuple[int, int]:
        """Return the first and last index (exclusive) of all blocks of an entity.

        Raises:
            UnknownName: the entity has no blocks.
        """
        own = self._of(entity)
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
        things = self._of(entity)[0].rows
        own = observation[..., start:stop]
        front, each = own.shape[:-1], (stop - start) // things
        if entity in self._planes:
            return own.reshape(*front, each, things).swapaxes(-1, -2)
        return own.reshape(*front, things, each)

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
            scale = _in_words(b.scale)
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
            :func:`layout_of`, tuples of words that name the places, or an entity as the first.
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


def layout_of(
    kind: type[Observation], things: Things | None = None, /, **lengths: int
) -> ObservationLayout:
    """Return the layout that a declaration gives.

    Args:
        kind: the declaration.
        things: names of the things of an entity, by the entity's name.
        **lengths: lengths of axes by name, e.g. ``seats=3``.
    """
    declared = vars(kind)
    entities = {id(field): name for name, field in declared.items() if isinstance(field, _Entity)}

    def length(axis: Any) -> int:
        number = axis.things if isinstance(axis, _Entity) else axis
        if isinstance(number, tuple):
            return len(number)
        return lengths[number] if isinstance(number, str) else int(number)

    def words(axis: Any) -> Sequence[str]:
        if isinstance(axis, _Entity):
            return (things or {}).get(entities[id(axis)], ())
        return axis if isinstance(axis, tuple) else ()

    blocks = [
        Block(
            name,
            tuple(length(axis) for axis in field.axes),
            field.meaning,
            entities.get(id(field.axes[0]), ""),
            field.scale,
            tuple(words(axis) for axis in field.axes),
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
