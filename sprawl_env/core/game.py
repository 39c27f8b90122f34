"""The class :class:`Game`: the rules of a game with chosen options and compiled data.

Its methods check their arguments and call the rules' kernels.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from sprawl_env.core import positions
from sprawl_env.core.errors import IllegalAction, InvalidOption, unknown
from sprawl_env.core.rules import GameRules, Picture, Played, View
from sprawl_env.core.state import NOT_OVER, Games, plain, raw_bytes
from sprawl_env.kernels.arrays import Ints, Mask
from sprawl_env.kernels.memory import allocate
from sprawl_env.kernels.rng import MAX_SEED, combine
from sprawl_env.kernels.stream import to_floats


class Game:
    """A game with chosen options and compiled data.

    Use :func:`sprawl_env.game` to make one.  A batch of games is a ``np.recarray`` of
    ``game.dtype``.  A copy of the array is a copy of the games;
    :func:`sprawl_env.core.state.clone` makes it fastest.

    ``num_seats`` is the number of seats that make decisions.  ``num_sides`` is the number of sides
    that are scored: the seats and, if a single seat plays against an automaton, the automaton.
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
        self.kernels = rules.kernels
        self._template = np.zeros(1, rules.state).view(np.recarray)
        self.option_fields: Mapping[str, int] = {
            "num_seats" if name == "num_players" else name: value for name, value in numbers.items()
        }
        for field, number in self.option_fields.items():
            self._template[field] = number

    def __repr__(self) -> str:
        chosen = ", ".join(f"{name}={value!r}" for name, value in self.options.items())
        return f"sprawl_env.game({self.name!r}, {chosen})"

    def __copy__(self) -> Game:
        """Return the same game with data and tables of its own."""
        return Game(self.rules, self.data_folder, **self.options)

    def __deepcopy__(self, memo: dict[int, Any]) -> Game:
        """Return the same game with data and tables of its own."""
        return copy.copy(self)

    def empty(self, batch: int) -> Games:
        """Return ``batch`` records in which only the option fields are set, for dealing."""
        games: Games = allocate(batch, self.dtype).view(np.recarray)
        raw_bytes(games)[:] = raw_bytes(self._template)
        return games

    def deal(self, batch: int = 1, seed: int = 0) -> Games:
        """Return a batch of opening positions; game ``i`` is dealt from ``(seed, i)``."""
        seed = check_seed(seed)
        games = self.empty(batch)
        for g in range(batch):
            self.kernels.deal(plain(self.tables), plain(games), g, combine(seed, g))
        return games

    def _check(self, games: Games, g: int, seat: int = 0) -> None:
        """Check a game's index and a seat: kernels trust them.

        Raises:
            InvalidOption: the batch has no such game, or the game has no such seat.
        """
        if not 0 <= g < len(games):
            raise InvalidOption(f"{self.name}: g={g!r}: expected a game 0..{len(games) - 1}")
        if not 0 <= seat < self.num_seats:
            raise InvalidOption(
                f"{self.name}: seat={seat!r}: expected a seat 0..{self.num_seats - 1}"
            )

    def legal_actions(self, games: Games, g: int = 0, mask: Mask | None = None) -> Mask:
        """Return the mask of legal actions, int8 ``[num_actions]``, 1 = legal.

        The mask is all 0 when the game is over.  If ``mask`` is given, it is overwritten and
        returned.
        """
        self._check(games, g)
        out = np.empty(self.num_actions, np.int8) if mask is None else mask
        self.kernels.legal_actions(plain(self.tables), plain(games), g, out)
        return out

    def play(self, games: Games, g: int, action: int) -> None:
        """Play one ply of game ``g`` in place.

        Raises:
            IllegalAction: the action is not legal; the state is unchanged.
        """
        mask = self.legal_actions(games, g)
        if not 0 <= action < self.num_actions or not mask[action]:
            raise self.illegal(games, g, action, mask)
        self.kernels.play(plain(self.tables), plain(games), g, int(action))

    def illegal(self, games: Games, g: int, action: int, mask: Mask) -> IllegalAction:
        """Return the error for ``action``; the message names it and some legal actions."""
        if games["over"][g] != NOT_OVER:
            return IllegalAction(f"{self.name}: the game is over, no seat may act (got {action})")
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

    def observe(self, games: Games, g: int, seat: int, out: Any = None) -> Any:
        """Return the observation of ``seat``, float32 or int8 ``[observation_size]``.

        As int8 it is the whole numbers that the game writes.  As float32 each is multiplied by the
        scale of its block (``observation_layout.scales``).

        Args:
            games: the batch.
            g: index of the game.
            seat: the seat that observes.
            out: is overwritten and returned; its dtype decides.  None: a new float32 array.
        """
        self._check(games, g, seat)
        result = np.empty(self.observation_size, np.float32) if out is None else out
        if result.dtype == np.int8:
            self.kernels.observe(plain(self.tables), plain(games), g, seat, result)
            return result
        numbers = np.empty(self.observation_size, np.int8)
        self.kernels.observe(plain(self.tables), plain(games), g, seat, numbers)
        to_floats(numbers, self.observation_layout.scales, result)
        return result

    def scores(self, games: Games, g: int = 0) -> Ints:
        """Return the current points of all sides, seats first; int32 ``[num_sides]``."""
        self._check(games, g)
        out = np.empty(self.num_sides, np.int32)
        self.kernels.scores(plain(self.tables), plain(games), g, out)
        return out

    def standings(self, games: Games, g: int = 0) -> Ints:
        """Return the ranking of all sides after tie-breaks, int32 ``[num_sides]``.

        A larger number is a better place.  Equal numbers share a place.
        """
        self._check(games, g)
        out = np.empty(self.num_sides, np.int32)
        self.kernels.standings(plain(self.tables), plain(games), g, out)
        return out

    def redeal_hidden(self, games: Games, g: int, seed: int, seat: int) -> None:
        """Resample everything that ``seat`` cannot know about game ``g``, in place."""
        self._check(games, g, seat)
        self.kernels.redeal_hidden(plain(self.tables), plain(games), g, check_seed(seed), seat)

    def action_name(self, games: Games, g: int, action: int) -> str:
        """Return an action in words, as a player would say it."""
        return self.rules.action_name(self.tables, games, g, int(action))

    def describe(self, games: Games, g: int = 0) -> str:
        """Return the position as a text board."""
        return self.rules.describe(self.tables, games, g)

    def picture(
        self, games: Games, g: int = 0, seat: int | None = None, last: Played | None = None
    ) -> Picture:
        """Return game ``g`` as a list of shapes, with the legal actions of the seat to play.

        Args:
            games: the batch.
            g: index of the game.
            seat: the viewer.  Draw only what this seat may see, and legal actions only if it is
                the seat to play.  None: draw everything.
            last: the last action, shown in the header without what ``seat`` may not know.

        Raises:
            InvalidOption: there is no such seat, or the game has no pictures.
        """
        if seat is not None and not 0 <= seat < self.num_seats:
            raise InvalidOption(
                f"{self.name}: seat={seat!r}: expected None or a seat 0..{self.num_seats - 1}"
            )
        if self.rules.draw is None:
            raise InvalidOption(f"{self.name}: has no pictures: expected render mode 'ansi'")
        return self.rules.draw(self, games, g, self.view(games, g, seat, last))

    def view(self, games: Games, g: int, seat: int | None, last: Played | None) -> View:
        """Return what a picture needs to know of its viewer; arguments as in :meth:`picture`."""
        names = {}
        if seat is None or seat == games["to_play"][g]:
            legal = np.flatnonzero(self.legal_actions(games, g)).tolist()
            names = {action: self.action_name(games, g, action) for action in legal}
        return View(seat, last, names)

    def svg(
        self, games: Games, g: int = 0, seat: int | None = None, last: Played | None = None
    ) -> str:
        """Return game ``g`` as SVG text, 800 wide; arguments and errors are :meth:`picture`'s.

        A shape that represents legal actions is inside a
        ``<g class="target" data-actions="ids">``.
        """
        return self.picture(games, g, seat, last).svg()

    def to_json(self, games: Games, g: int = 0) -> str:
        """Return game ``g`` as JSON text that :meth:`from_json` reads back."""
        return positions.to_json(self, games, g)

    def from_json(self, position: str) -> Games:
        """Return one game ``[1]`` from the text of :meth:`to_json`.

        Raises:
            PositionError: not JSON, another game, other options, or an impossible position.
        """
        return positions.from_json(self, position)


def check_seed(seed: int) -> int:
    """Return ``seed`` as an int.

    Raises:
        InvalidOption: not a whole number 0..2**63-1.
    """
    whole = isinstance(seed, int | np.integer) and not isinstance(seed, bool)
    if not whole or not 0 <= seed <= MAX_SEED:
        raise InvalidOption(f"seed {seed!r}: expected a whole number 0..2**63-1")
    return int(seed)
