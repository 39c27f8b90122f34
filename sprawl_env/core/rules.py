"""What a game provides: its rules record, its verbs, its options and how it is drawn."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from sprawl_env.core.actions import ActionTable
from sprawl_env.core.data import DataFile, GameData
from sprawl_env.core.errors import InvalidOption
from sprawl_env.core.layout import ObservationLayout
from sprawl_env.core.state import Games, Tables
from sprawl_env.kernels.arrays import Floats, Ints, Mask
from sprawl_env.kernels.cache import kernels_label


@dataclass(frozen=True)
class Verbs:
    """The kernels every game offers, callable from Python and from other kernels.

    ``tables`` is the game's data, ``games`` a batch of records, ``g`` the index of one of them.

    Attributes:
        deal: ``(tables, games, g, seed)``: opening position into a record whose option fields
            are set; all chance of the game follows from ``seed``.
        legal_actions: ``(tables, games, g, mask)``: int8 ``[num_actions]``, overwritten; all 0
            once the game is over.
        play: ``(tables, games, g, action)``: one ply; trusts that the action is legal.
        observe: ``(tables, games, g, seat, out)``: float32 ``[observation_size]``, overwritten.
        scores: ``(tables, games, g, out)``: int32 ``[num_sides]`` points now: one number a
            seat; with one seat and an automaton the second number is the automaton's.
        standings: ``(tables, games, g, out)``: int32 ``[num_sides]``, larger is better, equal
            is shared: points with the rulebook's tie-breaks folded in.
        redeal_hidden: ``(tables, games, g, seed, seat)``: resample all that ``seat`` cannot
            know, consistent with what it can.
        owing: ``(tables, games, g)``: the seats that owe an answer at once now, as bits (seat 0
            is 1): all that still owe one in the current pass, or the one seat to play; 0 when
            over.  None where nobody ever chooses at the same time as another.  The game asks
            exactly these seats, each once, before anything else happens, and ``legal_actions``
            on a copy whose ``to_play`` is set to one of them gives what that seat may answer.
    """

    deal: Callable[[Tables, Games, int, int], None]
    legal_actions: Callable[[Tables, Games, int, Mask], None]
    play: Callable[[Tables, Games, int, int], None]
    observe: Callable[[Tables, Games, int, int, Floats], None]
    scores: Callable[[Tables, Games, int, Ints], None]
    standings: Callable[[Tables, Games, int, Ints], None]
    redeal_hidden: Callable[[Tables, Games, int, int, int], None]
    owing: Callable[[Tables, Games, int], int] | None = None


class Played(NamedTuple):
    """An action that was played, as it was called in the position it was played in."""

    seat: int
    action: int
    says: str


@dataclass(frozen=True)
class View:
    """Who looks at a position, and what is told beside it.

    Attributes:
        seat: who looks; None sees everything.
        last: the last action, None if not known.
        names: the legal actions of the seat to play in words, by id; empty if another seat
            looks.
    """

    seat: int | None = None
    last: Played | None = None
    names: Mapping[int, str] = dataclasses.field(default_factory=dict)

    def sees(self, seat: int) -> bool:
        """Whether what ``seat`` keeps to itself may be shown."""
        return self.seat is None or self.seat == seat


@dataclass(frozen=True)
class Option:
    """A choice of whoever sets the game up; a field of the state of the same name."""

    default: Any
    meaning: str
    words: tuple[str, ...] = ()  # allowed words; the field holds the index
    low: int = 0  # otherwise: allowed whole numbers
    high: int = 0
    flag: bool = False  # or True and False; the field holds 1 and 0

    def parse(self, game: str, name: str, value: Any) -> int:
        """Return the number that goes into the state.

        Raises:
            InvalidOption: naming what would be allowed.
        """
        if self.words:
            if not isinstance(value, str) or value not in self.words:
                raise InvalidOption(
                    f"{game}: option {name}={value!r}: expected one of {', '.join(self.words)}"
                )
            return self.words.index(value)
        if self.flag:
            if not isinstance(value, bool):
                raise InvalidOption(f"{game}: option {name}={value!r}: expected True or False")
            return int(value)
        whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
        if not whole or not self.low <= value <= self.high:
            raise InvalidOption(
                f"{game}: option {name}={value!r}: expected a whole number {self.low}..{self.high}"
            )
        return int(value)


class Picture(Protocol):
    """A drawn position; :class:`sprawl_env.render.picture.Picture` is one.

    Attributes:
        width: in pixels.
        height: in pixels.
        shapes: what is painted, in order.
        caption: whose decision it is, which decision, and the last action.
    """

    width: float
    height: float
    shapes: list[Any]
    caption: Any

    def svg(self) -> str:
        """Return the picture as SVG text."""
        ...


def no_data(folder: Path | None) -> GameData:
    """Return no data: for games without data files.

    Raises:
        InvalidOption: a data folder was given.
    """
    if folder is not None:
        raise InvalidOption(f"data={str(folder)!r}: this game has no data files")
    return GameData({})


def no_tables(data: GameData, options: Mapping[str, int]) -> Tables:
    """Return tables with one unused field: for games whose kernels need none."""
    return np.zeros(1, [("unused", np.int64)]).view(np.recarray)


def accept(data: GameData, options: Mapping[str, int]) -> None:
    """Accept every combination of options."""


def no_violations(tables: Tables, games: Games, g: int) -> list[str]:
    """Return no violations: for games that do not check positions."""
    return []


@dataclass(frozen=True, eq=False, kw_only=True)
class GameRules:
    """One game: what ``games/<game>/__init__.py`` exports as ``RULES``.

    Attributes:
        name: a Python identifier, e.g. ``tower_up``.
        title: the name as people write it.
        state: dtype of a game's record; it begins with ``common_fields()``.
        actions: the flat action ids.
        options: what whoever sets the game up may choose; the first is ``num_players``.
        layout: ``(tables, num_seats)`` returns the layout of observations.
        verbs: the kernels.
        action_name: ``(tables, games, g, action)`` returns what a player would say.
        describe: ``(tables, games, g)`` returns the position as a text board.
        data_folder: the packaged TOML files; None if the game has none.
        data_files: the schema of each data file.
        load_data: ``(folder)`` reads and checks the data; files in ``folder`` replace packaged
            ones.
        compile_tables: ``(data, options)`` returns the data as a numpy record array of length 1.
        check_options: ``(data, options)`` raises ``InvalidOption`` for options that do not go
            together.
        violations: ``(tables, games, g)`` returns what is impossible in a position, as sentences.
        automaton: with one seat, an automaton is scored as a second side.
        wait: action id of a seat that owes nothing while others answer, never legal otherwise;
            None if no two seats ever choose at the same time (see ``Verbs.owing``).
        draw: ``(game, games, g, view)`` returns a picture; None if the game has none.
    """

    name: str
    title: str
    state: np.dtype[Any]
    actions: ActionTable
    options: Mapping[str, Option]
    layout: Callable[[Tables, int], ObservationLayout]
    verbs: Verbs
    action_name: Callable[[Tables, Games, int, int], str]
    describe: Callable[[Tables, Games, int], str]
    data_folder: Path | None = None
    data_files: tuple[DataFile, ...] = ()
    load_data: Callable[[Path | None], GameData] = no_data
    compile_tables: Callable[[GameData, Mapping[str, int]], Tables] = no_tables
    check_options: Callable[[GameData, Mapping[str, int]], None] = accept
    violations: Callable[[Tables, Games, int], list[str]] = no_violations
    automaton: bool = False
    wait: int | None = None
    draw: Callable[[Any, Games, int, View], Picture] | None = None

    @property
    def module(self) -> str:
        """The module that defines the kernel ``play``."""
        return str(getattr(self.verbs.play, "py_func", self.verbs.play).__module__)

    @functools.cached_property
    def label(self) -> str:
        """Tells kernels made for this game from those for others, in the cache on disk.

        For a game outside this package it changes with the game's sources.
        """
        verbs = (getattr(self.verbs, field.name) for field in dataclasses.fields(Verbs))
        return f"{self.name} {kernels_label(*verbs)}".strip()
