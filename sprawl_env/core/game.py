"""Game: a game with its options chosen and its data compiled."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np

from sprawl_env.core import positions
from sprawl_env.core.errors import IllegalAction, InvalidOption, unknown
from sprawl_env.core.rules import GameRules, Picture, Played, View
from sprawl_env.core.state import NOT_OVER, Games, raw_bytes
from sprawl_env.kernels.arrays import Floats, Ints, Mask
from sprawl_env.kernels.rng import MAX_SEED, combine


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
        self.option_fields = {
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
        """Return ``batch`` records with only the option fields set, ready to be dealt."""
        games: Games = np.empty(batch, self.dtype).view(np.recarray)
        raw_bytes(games)[:] = raw_bytes(self._template)
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
        return positions.to_json(self, games, g)

    def from_json(self, position: str) -> Games:
        """Return one game ``[1]`` from the text of :meth:`to_json`.

        Raises:
            PositionError: not JSON, another game, other options, or no possible position.
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
