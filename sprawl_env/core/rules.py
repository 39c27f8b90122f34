"""The records that define a game: its rules, kernels, options and views."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

import numpy as np

from sprawl_env.core.actions import ActionTable
from sprawl_env.core.changes import Change, Told
from sprawl_env.core.checks import check_whole
from sprawl_env.core.data import DataFile, GameData
from sprawl_env.core.errors import InvalidOption, short
from sprawl_env.core.layout import ObservationLayout
from sprawl_env.core.state import Games, Tables
from sprawl_env.kernels.arrays import Ints, Mask
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.records import Record
from sprawl_env.kernels.sources import kernels_label

_REMEMBERED: Final = 64  # compiled tables: a game with options has some kilobytes


@dataclass(frozen=True)
class GameKernels:
    """The kernels that every game provides, callable from Python and from other kernels.

    ``tables`` is the game's data, ``games`` a batch of records, ``g`` the index of one record.

    Attributes:
        deal: ``(tables, games, g, seed)``: write the opening position to a record whose option
            fields are set.  ``seed`` determines all chance of the game.
        legal_actions: ``(tables, games, g, mask)``: write the mask of legal actions, int8
            ``[num_actions]``; all 0 when the game is over.
        play: ``(tables, games, g, action)``: play one ply.  The action must be legal.
        observe: ``(tables, games, g, seat, out)``: write the observation of a seat as whole
            numbers, int8 ``[observation_size]``; float32 is number times scale of its block.
        scores: ``(tables, games, g, out)``: write the current points, int32 ``[num_sides]``: one
            number per seat and, with one seat and an automaton, the automaton's.
        standings: ``(tables, games, g, out)``: write the ranking, int32 ``[num_sides]``: points
            combined with the rulebook's tie-breaks.  Larger is better; equal numbers share a
            place.
        redeal_hidden: ``(tables, games, g, seed, seat)``: resample everything that ``seat`` cannot
            know, consistent with what it knows.
        owing: ``(tables, games, g)``: return the seats that now choose at the same time, as bits
            (seat 0 is 1): all seats that have not chosen yet in the current pass, or the one seat
            to play; 0 when the game is over.  Exactly these seats choose next, once each.
            ``legal_actions`` on a copy with ``to_play`` set to one of them gives that seat's legal
            actions.  None for a game without simultaneous choices.
        hides: ``(tables, games, g)``: return whether the others do not see what the seat to play
            chooses, as it is revealed later or chosen at the same time: always if several seats
            owe a choice, and also for the last of them.  None: every choice is seen at once.
        take_back: ``(tables, games, g, seat)``: take back what the others have chosen unseen
            since ``seat`` last chose, and the plies with it, so that they choose again before
            ``seat`` does; whatever they choose, ``seat`` then sees and may do what it did before.
            Return the one action that they must not choose before that, e.g. one whose effect
            ``seat`` would have seen, or -1.  ``seat`` is to play before and, if nothing is taken
            back, afterwards.  None: searches take a random choice of ``redeal_hidden`` instead.
        is_possible: ``(tables, games, g)``: return whether the position is possible; as
            ``GameRules.violations`` does, but compiled, for millions of positions.  None for a game
            without such a check.
    """

    deal: Callable[[Tables, Games, int, int], None]
    legal_actions: Callable[[Tables, Games, int, Mask], None]
    play: Callable[[Tables, Games, int, int], None]
    observe: Callable[[Tables, Games, int, int, Any], None]
    scores: Callable[[Tables, Games, int, Ints], None]
    standings: Callable[[Tables, Games, int, Ints], None]
    redeal_hidden: Callable[[Tables, Games, int, int, int], None]
    owing: Callable[[Tables, Games, int], int] | None = None
    hides: Callable[[Tables, Games, int], bool] | None = None
    take_back: Callable[[Tables, Games, int, int], int] | None = None
    is_possible: Callable[[Tables, Games, int], bool] | None = None


class Played(NamedTuple):
    """An action that was played, with its name in the position in which it was played."""

    seat: int
    action: int
    says: str


@dataclass(frozen=True)
class View:
    """The viewer of a position, and what a picture shows besides the position.

    Attributes:
        seat: the viewer; None sees everything.
        last: the last action; None if not known.
        names: the legal actions of the seat to play in words, by id; empty if the viewer is
            another seat.
        seats: what each seat is called; empty: ``seat 0``, ``seat 1``, ...
        recent: the actions that are marked on the board: those since the viewer's last decision;
            empty: ``last`` alone.
        before: the state ``[1]`` before each of ``marked``; empty if they are not known.
    """

    seat: int | None = None
    last: Played | None = None
    names: Mapping[int, str] = dataclasses.field(default_factory=dict)
    seats: tuple[str, ...] = ()
    recent: tuple[Played, ...] = ()
    before: tuple[Games, ...] = ()

    @property
    def marked(self) -> tuple[Played, ...]:
        """The actions that are marked on the board, the oldest first."""
        return self.recent or (() if self.last is None else (self.last,))

    def seat_name(self, seat: int) -> str:
        """Return what a seat is called."""
        return self.seats[seat] if self.seats else f"seat {seat}"

    def sees(self, seat: int) -> bool:
        """Return whether the viewer may see what only ``seat`` knows."""
        return self.seat is None or self.seat == seat


@dataclass(frozen=True)
class Option:
    """A choice made before the game is dealt; the state has a field of the same name.

    Attributes:
        default: the value if none is given.
        meaning: one line for the docs.
        words: the allowed words; the field contains the index.
        low: the smallest allowed whole number, if there are no ``words`` and no ``flag``.
        high: the largest allowed whole number.
        flag: the allowed values are True and False; the field contains 1 or 0.
    """

    default: Any
    meaning: str
    words: tuple[str, ...] = ()
    low: int = 0
    high: int = 0
    flag: bool = False

    def parse(self, game: str, name: str, value: Any) -> int:
        """Return the number that is stored in the state.

        Raises:
            InvalidOption: the value is not allowed.
        """
        if self.words:
            if not isinstance(value, str) or value not in self.words:
                raise InvalidOption(
                    f"{game}: option {name}={short(value)}: expected one of {', '.join(self.words)}"
                )
            return self.words.index(value)
        if self.flag:
            if not isinstance(value, bool | np.bool_):
                raise InvalidOption(f"{game}: option {name}={short(value)}: expected True or False")
            return int(value)
        return check_whole(f"{game}: option {name}=", value, self.low, self.high)


class Picture(Protocol):
    """A drawn position, e.g. a :class:`sprawl_env.render.picture.Picture`.

    Attributes:
        width: in pixels.
        height: in pixels.
        scale: pixels that a unit of length has if the picture is painted.
        shapes: what is painted, in order.
        caption: the seat to play, its decision, and the last action.
    """

    scale: float
    caption: Any

    @property
    def width(self) -> float:
        """See the class."""
        ...

    @property
    def height(self) -> float:
        """See the class."""
        ...

    @property
    def shapes(self) -> list[Any]:
        """See the class."""
        ...

    def svg(self) -> str:
        """Return the picture as SVG text."""
        ...


class Section(NamedTuple):
    """A section of a game's guide for persons.

    Attributes:
        title: a few words.
        text: what to know, in plain sentences.
        part: the name, or the beginning of the names, of the parts of the picture that it explains;
            "": none.
        shown: whether the guide shows that part.
    """

    title: str
    text: str
    part: str = ""
    shown: bool = False


class PointsRow(NamedTuple):
    """A row of the table of where points come from.

    Attributes:
        what: the source of the points; ``total``; or a tie-break, e.g. ``tie-break: wealth``.
        points: of each side, seats first.
        total: whether it is the sum of the rows before it, which is what is scored.
    """

    what: str
    points: tuple[int, ...]
    total: bool = False


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
    """The definition of one game, which ``games/<game>/__init__.py`` exports as ``RULES``.

    Attributes:
        name: a Python identifier, e.g. ``tower_up``.
        title: the name as people write it.
        state: dtype of a game's record; made of a subclass of ``CommonState``.
        actions: the flat action ids.
        options: the choices made before the game is dealt; the first is ``num_players``.
        layout: ``(tables, num_seats)`` returns the layout of observations.
        kernels: what the library calls.
        action_name: ``(tables, games, g, action)`` returns an action in words.
        describe: ``(tables, games, g)`` returns the position as a text board.
        describe_to: ``(tables, games, g, seat)`` returns the text board as a seat may see it.
            None: the words that differ between re-dealt positions are shown as ``?``.
        data_folder: the packaged TOML files; None if the game has none.
        data_files: the schema of each data file.
        load_data: ``(folder)`` reads and checks the data; files in ``folder`` replace packaged
            ones.
        compile_tables: ``(data, options)`` returns the data as a numpy record array of length 1.
            The result is remembered: it may depend on nothing else.
        check_options: ``(data, options)`` raises ``InvalidOption`` for options that exclude each
            other.
        violations: ``(tables, games, g)`` returns what is impossible in a position, as sentences.
            It answers for every field that kernels use as an index.  The fields of ``CommonState``
            have been checked: ``to_play`` is a seat until the game is over, then NOBODY, and
            ``ply`` and ``turn`` are not negative.
        declaration: the class of which ``state`` is made, for tables of the fields.
        rebuild: ``(tables, before, games, given)``: write what follows from the other fields of
            game 0, except the fields named in ``given``; ``before`` is the game before fields were
            set.  None: nothing follows from other fields.
        automaton: with one seat, an automaton is scored as a second side.
        wait: the action id of a seat that has no choice while others choose at the same time; it
            is never legal otherwise.  None for a game without simultaneous choices (see
            ``GameKernels.owing``).
        draw: ``(game, games, g, view)`` returns a picture; None if the game has no pictures.
        guide: how to play, for persons; empty if nobody has written it.
        points: ``(game, games, g)`` returns where the points of all sides come from, as if the game
            were scored now (see :meth:`sprawl_env.core.game.Game.points`); None: only totals.
        changes: ``(game, before, after, g, played, viewer)`` returns what a ply changed, in order,
            as far as the seat ``viewer`` may know it after the ply (None: all).  None: only
            changes of points are told.
        tell: ``(game, before, now, g, played, viewer)`` returns an action in words, as far as the
            viewer may know it in the later position ``now``.  None: by ``action_name``; choices
            that others make at the same time stay secret until the game is over.
        question: ``(game, games, g)`` returns in words what the seat to play is asked, and why.
            None: the same words for every decision.
        heading: ``(game, games, g)`` returns the part of the game in which a decision is made, e.g.
            ``Round 3``; None: the turn.
        automaton_name: what the automaton is called.
    """

    name: str
    title: str
    state: np.dtype[Any]
    actions: ActionTable
    options: Mapping[str, Option]
    layout: Callable[[Tables, int], ObservationLayout]
    kernels: GameKernels
    action_name: Callable[[Tables, Games, int, int], str]
    describe: Callable[[Tables, Games, int], str]
    describe_to: Callable[[Tables, Games, int, int], str] | None = None
    data_folder: Path | None = None
    data_files: tuple[DataFile, ...] = ()
    load_data: Callable[[Path | None], GameData] = no_data
    compile_tables: Callable[[GameData, Mapping[str, int]], Tables] = no_tables
    check_options: Callable[[GameData, Mapping[str, int]], None] = accept
    violations: Callable[[Tables, Games, int], list[str]] = no_violations
    declaration: type[Record] | None = None
    rebuild: Callable[[Tables, Games, Games, Collection[str]], None] | None = None
    automaton: bool = False
    wait: int | None = None
    draw: Callable[[Any, Games, int, View], Picture] | None = None
    guide: tuple[Section, ...] = ()
    points: Callable[[Any, Games, int], list[PointsRow]] | None = None
    changes: Callable[[Any, Games, Games, int, Played, int | None], list[Change]] | None = None
    tell: Callable[[Any, Games, Games, int, Played, int | None], Told] | None = None
    question: Callable[[Any, Games, int], str] | None = None
    heading: Callable[[Any, Games, int], str] | None = None
    automaton_name: str = "the automaton"

    @functools.cached_property
    def record(self) -> np.dtype[Any]:
        """The dtype of record arrays, whose fields are attributes."""
        return np.dtype((np.record, self.state))

    @property
    def module(self) -> str:
        """The module that defines the kernel ``play``."""
        return str(getattr(self.kernels.play, "py_func", self.kernels.play).__module__)

    @functools.cached_property
    def label(self) -> str:
        """Identifies the kernels made for this game in the cache on disk.

        For a game outside this package the label changes when the game's sources change.
        """
        kernels = (getattr(self.kernels, field.name) for field in dataclasses.fields(GameKernels))
        return f"{self.name} {kernels_label(*kernels)}".strip()


def data_of(rules: GameRules, folder: Path | None) -> GameData:
    """Return a game's checked data; files of its own, not of a user's folder, are read once.

    Raises:
        DataError: a file is broken.
    """
    own = folder is None and rules.data_files
    return _own_data(rules) if own else rules.load_data(folder)


@functools.cache
def _own_data(rules: GameRules) -> GameData:
    return rules.load_data(None)


def compile_data(
    rules: GameRules, data: GameData, options: Mapping[str, int]
) -> tuple[Tables, ObservationLayout]:
    """Return tables of the caller's own, and the layout; what was compiled last is remembered."""
    tables, layout = _compiled(rules, data, tuple(options.items()))
    return tables.copy(), layout


@functools.lru_cache(maxsize=_REMEMBERED)
def _compiled(
    rules: GameRules, data: GameData, options: tuple[tuple[str, int], ...]
) -> tuple[Tables, ObservationLayout]:
    numbers = dict(options)
    tables = rules.compile_tables(data, numbers)
    return tables, rules.layout(tables, numbers["num_players"])


@functools.cache
def totals_kernel(rules: GameRules) -> Callable[..., None]:
    """Return the kernel ``(tables, games, scores, standings)`` of a whole batch.

    It writes the points and the ranking of every game, int32 ``[n, num_sides]``.
    """
    score_all, stand = rules.kernels.scores, rules.kernels.standings

    @kernel(label=rules.label)
    def totals(tables: Tables, games: Games, scores: Ints, standings: Ints) -> None:
        for g in range(scores.shape[0]):
            score_all(tables, games, g, scores[g])
            stand(tables, games, g, standings[g])

    return totals
