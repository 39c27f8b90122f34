"""Game: what an adapter may know about a game, its verbs and its sizes."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from sprawl_env.core.actions import ActionTable
from sprawl_env.core.data import DataFile, GameData
from sprawl_env.core.errors import IllegalAction, InvalidOption, PositionError, unknown
from sprawl_env.core.layout import ObservationLayout
from sprawl_env.core.rng import MAX_SEED, combine

if TYPE_CHECKING:
    from sprawl_env.core.drawing import Picture

Games: TypeAlias = "np.recarray[Any, Any]"
State: TypeAlias = Any  # one record of ``Games``; numba and numpy both allow attribute access
Tables: TypeAlias = "np.recarray[Any, Any]"
Mask: TypeAlias = npt.NDArray[np.int8]
Floats: TypeAlias = npt.NDArray[np.float32]
Ints: TypeAlias = npt.NDArray[np.int32]

NOBODY: Final = -1  # no seat
NOT_OVER: Final = 0
FINISHED: Final = 1  # ended by the rules
TRUNCATED: Final = 2  # stopped at a turn limit, scored like an end

AUTOMATON: Final = "automaton"  # how tables and logs call the side that no seat plays


def common_fields() -> list[tuple[Any, ...]]:
    """Return the dtype fields that the record of every game begins with."""
    return [
        ("rng", np.int64),  # see core/rng.py
        ("ply", np.int32),  # decisions made so far
        ("turn", np.int16),  # turns finished so far
        ("num_seats", np.int8),
        ("to_play", np.int8),  # seat that owes a decision, NOBODY when over
        ("over", np.int8),  # NOT_OVER, FINISHED or TRUNCATED
    ]


def record(fields: Sequence[tuple[Any, ...]]) -> np.dtype[Any]:
    """Return a record's dtype without padding, so that equal states are equal bytes.

    Wide fields come first; what is left of the last eight bytes is a field ``unused``.
    """
    ordered = sorted(fields, key=lambda field: -np.dtype(field[1]).itemsize)
    size = np.dtype(list(ordered)).itemsize
    unused = -size % np.dtype(np.int64).itemsize
    return np.dtype([*ordered, ("unused", np.int8, (unused,))] if unused else ordered, align=True)


def _rows(games: Games) -> npt.NDArray[np.uint8]:
    return games.view(np.ndarray).view(np.uint8).reshape(len(games), games.dtype.itemsize)


def clone(games: Games, which: npt.NDArray[np.int64] | slice = slice(None)) -> Games:
    """Return copies of all or some games, as plain bytes: much faster than copying records."""
    rows = np.array(_rows(games)[which])
    return rows.reshape(-1).view(games.dtype).view(np.recarray)


def restore(games: Games, saved: Games) -> None:
    """Overwrite games with clones made earlier; both ``[n]``."""
    _rows(games)[:] = _rows(saved)


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


@dataclass(frozen=True, eq=False)
class GameRules:
    """One game, whoever plays it: what ``games/<game>/__init__.py`` exports as ``RULES``.

    Attributes:
        automaton: with one seat, an automaton is scored as a second side.
        wait: action id of a seat that owes nothing while others answer, never legal otherwise;
            None where nobody ever chooses at the same time as another (see ``Verbs.owing``).
    """

    name: str
    title: str
    state: np.dtype[Any]
    actions: ActionTable
    options: Mapping[str, Option]  # first of them num_players
    data_folder: Path
    data_files: tuple[DataFile, ...]
    load_data: Callable[[Path | None], GameData]
    compile_tables: Callable[[GameData, Mapping[str, int]], Tables]
    check_options: Callable[[GameData, Mapping[str, int]], None]
    layout: Callable[[Tables, int], ObservationLayout]
    verbs: Verbs
    action_name: Callable[[Tables, Games, int, int], str]
    describe: Callable[[Tables, Games, int], str]
    violations: Callable[[Tables, Games, int], list[str]]
    automaton: bool = False
    wait: int | None = None
    draw: Callable[[Game, Games, int, View], Picture] | None = None


class Game:
    """A game with its options chosen and its data compiled.

    Users get one from :func:`sprawl_env.game`.  A batch of games is a ``np.recarray`` of
    ``game.dtype``; copying it clones the games, :func:`clone` does so fastest.

    ``num_seats`` is how many make decisions; ``num_sides`` how many are scored: the seats, and
    the automaton where a single seat plays against one.
    """

    def __init__(self, rules: GameRules, data: Path | None = None, **options: Any) -> None:
        for name in options:
            if name not in rules.options:
                raise unknown(f"option of {rules.name}", name, rules.options)
        given = {name: options.get(name, o.default) for name, o in rules.options.items()}
        numbers = {n: rules.options[n].parse(rules.name, n, v) for n, v in given.items()}
        self.rules = rules
        self.name = rules.name
        self.title = rules.title
        self.options: dict[str, Any] = {
            name: value if rules.options[name].words or rules.options[name].flag else numbers[name]
            for name, value in given.items()
        }
        self.num_seats = numbers["num_players"]
        alone = rules.automaton and self.num_seats == 1
        self.num_sides = self.num_seats + 1 if alone else self.num_seats
        self.data_folder = data
        self.data = rules.load_data(data)
        rules.check_options(self.data, numbers)
        self.tables = rules.compile_tables(self.data, numbers)
        self.actions = rules.actions
        self.num_actions = rules.actions.size
        self.observation_layout = rules.layout(self.tables, self.num_seats)
        self.observation_size = self.observation_layout.size
        self.dtype = rules.state
        self.verbs = rules.verbs
        self._template = np.zeros(1, rules.state).view(np.recarray)
        self._option_fields = {
            "num_seats" if name == "num_players" else name: value for name, value in numbers.items()
        }
        for field, number in self._option_fields.items():
            self._template[field] = number

    def __repr__(self) -> str:
        chosen = ", ".join(f"{name}={value!r}" for name, value in self.options.items())
        return f"sprawl_env.game({self.name!r}, {chosen})"

    def empty(self, batch: int) -> Games:
        """Return ``batch`` records with only the option fields set, ready to be dealt."""
        games: Games = np.empty(batch, self.dtype).view(np.recarray)
        _rows(games)[:] = _rows(self._template)
        return games

    def deal(self, batch: int = 1, seed: int = 0) -> Games:
        """Return ``batch`` opening positions; game ``i`` is dealt from ``(seed, i)``."""
        seed = check_seed(seed)
        games = self.empty(batch)
        for g in range(batch):
            self.verbs.deal(self.tables, games, g, combine(seed, g))
        return games

    def _check(self, games: Games, g: int, seat: int = 0) -> None:
        """Look at a game's index and a seat before they go to kernels, which trust them.

        Raises:
            InvalidOption: no such game in the batch, or no such seat.
        """
        if not 0 <= g < len(games):
            raise InvalidOption(f"{self.name}: g={g!r}: expected a game 0..{len(games) - 1}")
        if not 0 <= seat < self.num_seats:
            raise InvalidOption(
                f"{self.name}: seat={seat!r}: expected a seat 0..{self.num_seats - 1}"
            )

    def legal_actions(self, games: Games, g: int = 0, mask: Mask | None = None) -> Mask:
        """Return int8 ``[num_actions]``, 1 = legal; all 0 once over.  ``mask`` is overwritten."""
        self._check(games, g)
        out = np.empty(self.num_actions, np.int8) if mask is None else mask
        self.verbs.legal_actions(self.tables, games, g, out)
        return out

    def play(self, games: Games, g: int, action: int) -> None:
        """Play one ply of game ``g`` in place.

        Raises:
            IllegalAction: the action is not legal; no byte of the state has changed.
        """
        mask = self.legal_actions(games, g)
        if not 0 <= action < self.num_actions or not mask[action]:
            raise self.illegal(games, g, action, mask)
        self.verbs.play(self.tables, games, g, int(action))

    def illegal(self, games: Games, g: int, action: int, mask: Mask) -> IllegalAction:
        """Return the error for ``action``, naming what it means and what would be legal."""
        if games["over"][g] != NOT_OVER:
            return IllegalAction(f"{self.name}: the game is over, nobody may act (got {action})")
        seat = int(games["to_play"][g])
        legal = np.flatnonzero(mask)
        some = ", ".join(f"{a} ({self.action_name(games, g, int(a))})" for a in legal[:4])
        more = f" and {legal.size - 4} more" if legal.size > 4 else ""  # noqa: PLR2004 - as above
        says = ""
        if 0 <= action < self.num_actions:
            says = f" ({self.action_name(games, g, int(action))})"
        else:
            says = f" (ids are 0..{self.num_actions - 1})"
        return IllegalAction(
            f"{self.name}: seat {seat} may not play {action}{says} now; legal: {some}{more}"
        )

    def observe(self, games: Games, g: int, seat: int, out: Floats | None = None) -> Floats:
        """Return float32 ``[observation_size]`` as ``seat`` sees the game; ``out`` is reused."""
        self._check(games, g, seat)
        result = np.empty(self.observation_size, np.float32) if out is None else out
        self.verbs.observe(self.tables, games, g, seat, result)
        return result

    def scores(self, games: Games, g: int = 0) -> Ints:
        """Return the points of every side now, seats first; int32 ``[num_sides]``."""
        self._check(games, g)
        out = np.empty(self.num_sides, np.int32)
        self.verbs.scores(self.tables, games, g, out)
        return out

    def standings(self, games: Games, g: int = 0) -> Ints:
        """Return int32 ``[num_sides]``: larger is better, equal is shared (ties broken)."""
        self._check(games, g)
        out = np.empty(self.num_sides, np.int32)
        self.verbs.standings(self.tables, games, g, out)
        return out

    def redeal_hidden(self, games: Games, g: int, seed: int, seat: int) -> None:
        """Resample in place all that ``seat`` cannot know about game ``g``."""
        self._check(games, g, seat)
        self.verbs.redeal_hidden(self.tables, games, g, check_seed(seed), seat)

    def action_name(self, games: Games, g: int, action: int) -> str:
        """Return what a player would say for ``action``."""
        return self.rules.action_name(self.tables, games, g, int(action))

    def describe(self, games: Games, g: int = 0) -> str:
        """Return the position as a text board."""
        return self.rules.describe(self.tables, games, g)

    def picture(
        self, games: Games, g: int = 0, seat: int | None = None, last: Played | None = None
    ) -> Picture:
        """Return game ``g`` as a list of shapes, legal actions of the seat to play included.

        Args:
            games: the batch.
            g: which game.
            seat: draw what this seat may see, and legal actions only if it is the one to play;
                None: draw everything.
            last: the last action, to be told; what ``seat`` may not know of it is left out.

        Raises:
            InvalidOption: no such seat, or the game has no pictures.
        """
        if seat is not None and not 0 <= seat < self.num_seats:
            raise InvalidOption(
                f"{self.name}: seat={seat!r}: expected None or a seat 0..{self.num_seats - 1}"
            )
        if self.rules.draw is None:
            raise InvalidOption(f"{self.name}: has no pictures: expected render mode 'ansi'")
        names = {}
        if seat is None or seat == games["to_play"][g]:
            legal = np.flatnonzero(self.legal_actions(games, g)).tolist()
            names = {action: self.action_name(games, g, action) for action in legal}
        return self.rules.draw(self, games, g, View(seat, last, names))

    def svg(
        self, games: Games, g: int = 0, seat: int | None = None, last: Played | None = None
    ) -> str:
        """Return game ``g`` as SVG text, 800 wide; arguments and errors as of :meth:`picture`.

        Whatever stands for legal actions is a ``<g class="target" data-actions="ids">``.
        """
        return self.picture(games, g, seat, last).svg()

    def to_json(self, games: Games, g: int = 0) -> str:
        """Return game ``g`` as JSON text that :meth:`from_json` reads back."""
        record = games[g]
        fields = {name: np.asarray(record[name]).tolist() for name in self.dtype.names or ()}
        return json.dumps({"game": self.name, "options": self.options, "state": fields})

    def from_json(self, position: str) -> Games:
        """Return one game ``[1]`` from the text of :meth:`to_json`.

        Raises:
            PositionError: not JSON, another game, other options, or no possible position.
        """
        fields = self._read_position(position)
        games = self.empty(1)
        for name in self.dtype.names or ():
            expected = self.dtype[name]
            try:
                value = np.array(fields[name])
            except (KeyError, ValueError):
                raise PositionError(f"{self.name}: position: field {name!r} is missing") from None
            kind = np.iinfo(expected.base)
            fits = value.shape == expected.shape and value.dtype.kind == "i"
            if not fits or value.min() < kind.min or value.max() > kind.max:
                raise PositionError(
                    f"{self.name}: position: {name}: expected {expected.base.name} of shape "
                    f"{list(expected.shape)}"
                )
            games[name][0] = value
        for field, number in self._option_fields.items():
            if games[field][0] != number:
                raise PositionError(
                    f"{self.name}: position: {field}: expected {number} as the options say, "
                    f"got {games[field][0]}"
                )
        wrong = self.rules.violations(self.tables, games, 0)
        if wrong:
            raise PositionError(f"{self.name}: position: {wrong[0]}")
        return games

    def _read_position(self, position: str) -> dict[str, Any]:
        try:
            content = json.loads(position)
            game, options, fields = content["game"], content["options"], dict(content["state"])
        except (ValueError, TypeError, KeyError, RecursionError):
            raise PositionError(
                'position: expected JSON text {"game": ..., "options": ..., "state": ...}'
            ) from None
        if game != self.name:
            raise PositionError(f"position is of game {game!r}, expected {self.name!r}")
        if options != self.options:
            raise PositionError(f"position has options {options}, expected {self.options}")
        return fields


def check_seed(seed: int) -> int:
    """Return ``seed`` as an int.

    Raises:
        InvalidOption: not a whole number 0..2**63-1.
    """
    whole = isinstance(seed, int | np.integer) and not isinstance(seed, bool)
    if not whole or not 0 <= seed <= MAX_SEED:
        raise InvalidOption(f"seed {seed!r}: expected a whole number 0..2**63-1")
    return int(seed)
