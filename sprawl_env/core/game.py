"""The class :class:`Game`: the rules of a game with chosen options and compiled data.

Its methods check their arguments and call the rules' kernels.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from sprawl_env.core import editing, positions
from sprawl_env.core.arguments import checked
from sprawl_env.core.changes import Change, Told, scored
from sprawl_env.core.checks import (
    FLOAT32,
    INT8,
    check_memory,
    check_row,
    check_seed,
    check_whole,
    whole_number,
)
from sprawl_env.core.data import GameData
from sprawl_env.core.errors import IllegalAction, InvalidOption, PositionError
from sprawl_env.core.points import known_scores, points_table
from sprawl_env.core.records import RecordCheck
from sprawl_env.core.rules import (
    GameRules,
    Picture,
    Played,
    PointsRow,
    View,
    compile_data,
    data_of,
    totals_kernel,
)
from sprawl_env.core.shown import Shown
from sprawl_env.core.state import (
    FINISHED,
    NOBODY,
    NOT_OVER,
    Games,
    Tables,
    plain,
    raw_bytes,
    readable,
)
from sprawl_env.core.variants import (
    complete,
    fields_of,
    in_turn,
    options_in,
    options_in_text,
    parsed,
)
from sprawl_env.kernels.arrays import Ints, Mask
from sprawl_env.kernels.memory import allocate
from sprawl_env.kernels.rng import combine
from sprawl_env.kernels.stream import to_floats

_MASK: Final = (INT8,)  # dtypes of a mask, and of an observation
_LONGEST_NAME: Final = 1000  # letters of an action's name in a picture
_OBSERVATION: Final = (FLOAT32, INT8)


class Game:
    """A game with chosen options and compiled data.

    Use :func:`sprawl_env.game` to make one.  A batch of games is a ``np.recarray`` of
    ``game.dtype``.  A copy of the array is a copy of the games;
    :func:`sprawl_env.core.state.clone` makes it fastest.

    ``num_seats`` is the number of seats that make decisions.  ``num_sides`` is the number of sides
    that are scored: the seats and, if a single seat plays against an automaton, the automaton.

    ``options`` are the game's options.  Records of other options are refused, unless the game was
    made by :meth:`mixed`: then its methods take records of all sets in ``accepted``.
    ``base_options`` hold for what a set does not name.
    """

    @checked
    def __init__(self, rules: GameRules, data: Path | None = None, **options: Any) -> None:
        self._set_up(rules, data, None, options)

    def _set_up(
        self,
        rules: GameRules,
        folder: Path | None,
        data: GameData | None,
        options: dict[str, Any],
    ) -> None:
        """Become a game of these rules; with ``data`` None, its data are read."""
        self.options, numbers = parsed(rules, options)
        self.rules = rules
        self.name = rules.name
        self.title = rules.title
        self.num_seats = numbers["num_players"]
        alone = rules.automaton and self.num_seats == 1
        self.num_sides = self.num_seats + 1 if alone else self.num_seats
        self.data_folder = folder
        self.data = data_of(rules, folder) if data is None else data
        rules.check_options(self.data, numbers)
        tables, self.observation_layout = compile_data(rules, self.data, numbers)
        self.tables: Tables = readable(tables)
        self.actions = rules.actions
        self.num_actions = rules.actions.size
        self.observation_size = self.observation_layout.size
        self.dtype = rules.state
        self.kernels = rules.kernels
        self._template = np.zeros(1, rules.record).view(np.recarray)
        self._template["over"], self._template["to_play"] = FINISHED, NOBODY  # until it is dealt
        self.option_fields: Mapping[str, int] = fields_of(numbers)
        for field, number in self.option_fields.items():
            self._template[field] = number
        self._records = RecordCheck(
            self.name, self._template.dtype, self.option_fields, self.num_seats
        )
        self._checked = self._records.checked
        self._variants: tuple[dict[str, Any], ...] = ()
        self.base_options = self.options
        self.accepted: tuple[dict[str, Any], ...] = (self.options,)

    def __repr__(self) -> str:
        chosen = ", ".join(f"{name}={value!r}" for name, value in self.options.items())
        mixed = f".mixed({list(self._variants)!r})" if self._variants else ""
        return f"sprawl_env.game({self.name!r}, {chosen}){mixed}"

    def __copy__(self) -> Game:
        """Return the same game with tables of its own."""
        made = self._with(self.base_options)
        if self._variants:
            made = made.mixed(self.accepted)
            made.deal_in_turn(self._variants)
        return made

    @property
    def variants(self) -> tuple[dict[str, Any], ...]:
        """The sets of options that a mixed game deals in turn; for other games their options."""
        return self._variants or (self.options,)

    @property
    def is_mixed(self) -> bool:
        """Whether the game was made by :meth:`mixed`."""
        return bool(self._variants)

    @checked
    def mixed(self, options: Sequence[Mapping[str, Any]]) -> Game:
        """Return a game whose methods take records of several sets of options.

        A batch that is made with it has these options in turn: :func:`sprawl_env.make_vec` and
        ``SelfPlayVecEnv``.  The first set is the game's own: everything that deals games of one
        set uses it (:meth:`deal`, replays, matches).  A record keeps its options for all its games;
        :meth:`options_of` says which.

        >>> game = sprawl_env.game("tower_up").mixed([{}, {"objectives": "start"}])

        Args:
            options: sets of options, each a dictionary; this game's options hold for what a set
                does not name.

        Raises:
            SprawlError: no set, an option that does not exist, a value that is not allowed, another
                number of seats, or a set with which the tables or the observations differ.
        """
        sets = complete(self, options)
        made = self._with(sets[0])
        made.base_options = self.base_options
        made.deal_in_turn(sets)
        return made

    @checked
    def deal_in_turn(self, options: Sequence[Mapping[str, Any]]) -> None:
        """Change what :meth:`mixed` was given; records of the earlier sets stay accepted.

        Args:
            options: as of :meth:`mixed`.

        Raises:
            SprawlError: as of :meth:`mixed`; nothing has changed.
        """
        sets = complete(self, options)
        for each in sets:
            if each not in self.accepted:
                self.accepted = (*self.accepted, each)
                self._records.accept(fields_of(parsed(self.rules, each)[1]))
        self._variants = tuple(sets)

    def options_of(self, games: Games, g: int = 0) -> dict[str, Any]:
        """Return the options of game ``g``, as :func:`sprawl_env.game` takes them.

        Raises:
            InvalidOption: not records of this game with these options, or no such game.
        """
        records, g, _ = self._checked(games, g)
        return options_in(self.rules, records[g])

    def blanks(self, batch: int) -> Games:
        """Return what :meth:`empty` returns, with the options of :attr:`variants` in turn.

        Raises:
            InvalidOption: as of :meth:`empty`; or there are more sets of options than games.
        """
        games = self.empty(batch)
        which = in_turn(len(self.variants), batch)
        for k, options in enumerate(self.variants):
            for field, number in fields_of(parsed(self.rules, options)[1]).items():
                games[field][which == k] = number
        return games

    def _alone(self, options: dict[str, Any]) -> Game:
        """Return the game with one of the accepted sets of options."""
        return self._with(options) if self.is_mixed else self

    def _with(self, options: dict[str, Any]) -> Game:
        """Return a game with the same data, which are not read again, and other options."""
        made = Game.__new__(Game)
        made._set_up(self.rules, self.data_folder, self.data, options)
        return made

    def __deepcopy__(self, memo: dict[int, Any]) -> Game:
        """Return the same game with tables of its own."""
        return copy.copy(self)

    def empty(self, batch: int) -> Games:
        """Return ``batch`` records for dealing: the option fields are set, the games are over.

        Raises:
            InvalidOption: not a whole number from 0, or more than fits in memory.
        """
        count = check_whole(f"{self.name}: batch=", batch)
        check_memory(f"{self.name}: batch", count, self.dtype.itemsize)
        games: Games = allocate(count, self.rules.record).view(np.recarray)
        raw_bytes(games)[:] = raw_bytes(self._template)
        return games

    def deal(self, batch: int = 1, seed: int = 0) -> Games:
        """Return a batch of opening positions; game ``i`` is dealt from ``(seed, i)``.

        Raises:
            InvalidOption: ``batch`` is not a whole number from 0 or more than fits in memory, or
                ``seed`` not a whole number 0..2**63-1.
        """
        seed = check_seed(seed)
        games = self.empty(batch)
        for g in range(len(games)):
            self.kernels.deal(plain(self.tables), plain(games), g, combine(seed, g))
        return games

    def check_games(self, games: Games) -> None:
        """Check that an array is a batch of this game's records, dealt for its options.

        Raises:
            InvalidOption: it is not, or it cannot be written.
        """
        self._records.check_all(games)

    @checked
    def check(self, games: Games) -> None:
        """Check that every position of a batch can be reached, as far as the rules can tell.

        Raises:
            PositionError: one is impossible; names the first such game and what is wrong.
            InvalidOption: not records of this game with these options.
        """
        self._records.check_all(games, state=False)
        found = editing.impossible(self, games)
        if found is not None:
            raise PositionError(f"{self.name}: game {found[0]} is impossible: {found[1]}")

    def edit(self, games: Games, g: int = 0, **fields: Any) -> None:
        """Set printed facts of game ``g``, in place, and rebuild what follows from them.

        Floors, cards and tiles that a seat gains leave the supply, the deck or the discards; those
        that it loses go back.  A hidden pile that something goes back to is shuffled.  Then the
        position is checked.

        >>> game.edit(games, 0, reserve={0: [3, 0, 0, 1]})  # the floors of seat 0 in Tower Up

        Args:
            games: the batch.
            g: index of the game.
            **fields: fields of the state by name (:attr:`fields` lists them): a whole number or an
                array of the field's shape, or ``{index: value}`` for a part of it.  A field that
                holds sets also takes a Python set of whole numbers.

        Raises:
            PositionError: the position is impossible; the game is unchanged.
            SprawlError: there is no such field, it follows from others, is an option or a pending
                decision, or a value does not fit; the game is unchanged.
        """
        _, g, _ = self._checked(games, g)
        editing.edit(self, games, g, fields)

    @property
    def fields(self) -> editing.StateFields:
        """The fields of the state: type, shape, meaning, and from what a field follows."""
        return editing.StateFields(self.rules)

    def legal_actions(self, games: Games, g: int = 0, mask: Mask | None = None) -> Mask:
        """Return the mask of legal actions, int8 ``[num_actions]``, 1 = legal.

        The mask is all 0 when the game is over.  If ``mask`` is given, it is overwritten and
        returned.

        Raises:
            InvalidOption: not records of this game with these options, no such game, or ``mask`` is
                not a writable, contiguous int8 array of this shape.
        """
        records, g, _ = self._checked(games, g)
        if mask is None:
            mask = np.empty(self.num_actions, np.int8)
        else:
            check_row("mask", mask, self.num_actions, _MASK)
        self.kernels.legal_actions(plain(self.tables), records, g, mask)
        return mask

    def play(self, games: Games, g: int, action: int) -> None:
        """Play one ply of game ``g`` in place.

        Raises:
            IllegalAction: the action is not legal; the state is unchanged.
            InvalidOption: not records of this game with these options, or no such game.
        """
        records, g, _ = self._checked(games, g)
        number = whole_number(self, action)
        mask = np.empty(self.num_actions, np.int8)
        self.kernels.legal_actions(plain(self.tables), records, g, mask)
        if not 0 <= number < self.num_actions or not mask[number]:
            raise self.illegal(games, g, number, mask)
        self.kernels.play(plain(self.tables), records, g, number)

    def illegal(self, games: Games, g: int, action: int, mask: Mask) -> IllegalAction:
        """Return the error for ``action``; the message names it and some legal actions."""
        games, g = self._readable(games, g)
        action = whole_number(self, action)
        check_row("mask", mask, self.num_actions, _MASK)
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

        Raises:
            InvalidOption: not records of this game with these options, no such game or seat, or
                ``out`` is not a writable, contiguous float32 or int8 array of this shape.
        """
        records, g, seat = self._checked(games, g, seat)
        if out is None:
            out = np.empty(self.observation_size, np.float32)
        else:
            check_row("out", out, self.observation_size, _OBSERVATION)
        if out.dtype == INT8:
            self.kernels.observe(plain(self.tables), records, g, seat, out)
            return out
        numbers = np.empty(self.observation_size, np.int8)
        self.kernels.observe(plain(self.tables), records, g, seat, numbers)
        to_floats(numbers, self.observation_layout.scales, out)
        return out

    def scores(self, games: Games, g: int | None = None) -> Ints:
        """Return the current points of all sides, seats first.

        Returns:
            int32 ``[num_sides]`` of game ``g``; without ``g`` of every game, ``[n, num_sides]``.

        Raises:
            InvalidOption: not records of this game with these options, or no such game.
        """
        if g is None:
            return self._totals(games)[0]
        records, g, _ = self._checked(games, g)
        out = np.empty(self.num_sides, np.int32)
        self.kernels.scores(plain(self.tables), records, g, out)
        return out

    def standings(self, games: Games, g: int | None = None) -> Ints:
        """Return the ranking of all sides after tie-breaks.

        A larger number is a better place.  Equal numbers share a place.

        Returns:
            int32 ``[num_sides]`` of game ``g``; without ``g`` of every game, ``[n, num_sides]``.

        Raises:
            InvalidOption: not records of this game with these options, or no such game.
        """
        if g is None:
            return self._totals(games)[1]
        records, g, _ = self._checked(games, g)
        out = np.empty(self.num_sides, np.int32)
        self.kernels.standings(plain(self.tables), records, g, out)
        return out

    def points(self, games: Games, g: int = 0) -> list[PointsRow]:
        """Return where the points of all sides come from, as if the game were scored now.

        The rows are the sources of points, without those that give no side anything; the row
        ``total``, their sum, which equals :meth:`scores`; and the tie-breaks in their order.  A
        game that has no such table returns the total alone.

        During a game the table may tell what a seat cannot know.

        Raises:
            InvalidOption: not records of this game with these options, or no such game.
        """
        games, g = self._readable(games, g)
        table = self.rules.points
        return points_table(self, games, g, []) if table is None else table(self, games, g)

    def _totals(self, games: Games) -> tuple[Ints, Ints]:
        """Return the points and the ranking of every game, int32 ``[n, num_sides]`` each."""
        self.check_games(games)
        scores = np.empty((len(games), self.num_sides), np.int32)
        standings = np.empty_like(scores)
        totals_kernel(self.rules)(plain(self.tables), plain(games), scores, standings)
        return scores, standings

    def redeal_hidden(self, games: Games, g: int, seed: int, seat: int) -> None:
        """Resample everything that ``seat`` cannot know about game ``g``, in place."""
        records, g, seat = self._checked(games, g, seat)
        self.kernels.redeal_hidden(plain(self.tables), records, g, check_seed(seed), seat)

    def action_name(self, games: Games, g: int, action: int) -> str:
        """Return an action in words, as a player would say it.

        Raises:
            InvalidOption: not records of this game with these options, or no such game.
            IllegalAction: there is no such action.
        """
        games, g = self._readable(games, g)
        last = self.num_actions - 1
        expected = f"a whole number 0..{last}"
        number = check_whole(f"{self.name}: action ", action, 0, last, expected, IllegalAction)
        return self.rules.action_name(self.tables, games, g, number)

    def _readable(self, games: Games, g: int) -> tuple[Games, int]:
        """Return a batch with fields as attributes, and a game's index, after checking both."""
        records, g, _ = self._checked(games, g)
        return readable(records), g

    def describe(self, games: Games, g: int = 0) -> str:
        """Return the position as a text board.

        Raises:
            InvalidOption: not records of this game with these options, or no such game.
        """
        games, g = self._readable(games, g)
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
            InvalidOption: not records of this game with these options, there is no such game or
                seat, or the game has no pictures.
        """
        games, g = self._readable(games, g)
        if self.rules.draw is None:
            raise InvalidOption(
                f"{self.name}: has no pictures (GameRules.draw): describe() gives the text, which "
                "is render mode 'ansi'"
            )
        return self.rules.draw(self, games, g, self.view(games, g, seat, last))

    @checked
    def view(self, games: Games, g: int, seat: int | None, last: Played | None) -> View:
        """Return what a picture needs to know of its viewer; arguments as in :meth:`picture`."""
        games, g = self._readable(games, g)
        seat = self._viewer("seat", seat)
        if last is not None:
            self._check_played("last", last)
        names = {}
        if seat is None or seat == games["to_play"][g]:
            legal = np.flatnonzero(self.legal_actions(games, g)).tolist()
            names = {action: self.action_name(games, g, action) for action in legal}
        return View(seat, last, names)

    def _viewer(self, name: str, seat: int | None) -> int | None:
        """Return a viewer, None or a seat, as a plain number.

        Raises:
            InvalidOption: there is no such seat.
        """
        if seat is None:
            return None
        last = self.num_seats - 1
        return check_whole(f"{self.name}: {name}=", seat, 0, last, f"None or a seat 0..{last}")

    def _check_played(self, name: str, played: Played) -> None:
        """Check that an action and its seat exist.

        Raises:
            InvalidOption: one does not, or the action's name is too long.
        """
        check_whole(f"{self.name}: {name}.seat=", played.seat, 0, self.num_seats - 1)
        check_whole(f"{self.name}: {name}.action=", played.action, 0, self.num_actions - 1)
        if len(played.says) > _LONGEST_NAME:
            raise InvalidOption(
                f"{self.name}: {name}.says: expected at most {_LONGEST_NAME} letters"
            )

    def _check_playable(self, games: Games, g: int, played: Played) -> None:
        """Check that an action can be played in a position by the seat that is said to have.

        Raises:
            InvalidOption: there is no such seat or action, or another seat is to play.
            IllegalAction: the action is not legal.
        """
        self._check_played("played", played)
        mask = self.legal_actions(games, g)
        if not mask[played.action]:
            raise self.illegal(games, g, played.action, mask)
        if played.seat != games["to_play"][g]:
            seat = int(games["to_play"][g])
            raise InvalidOption(f"{self.name}: played.seat={played.seat}: expected {seat}")

    @checked
    def changes(
        self, before: Games, after: Games, g: int, played: Played, viewer: int | None = None
    ) -> list[Change]:
        """Return what a ply changed, in the order in which it happened.

        Args:
            before: the batch before the ply.
            after: the same batch after it.
            g: index of the game in both.
            played: the action that was played.
            viewer: leave out what this seat may not know after the ply.  None: tell everything.

        Raises:
            InvalidOption: not records of this game with these options, or there is no such game,
                seat or action, or another seat is to play before the ply.
            IllegalAction: the action is not legal before the ply.
        """
        before, g = self._readable(before, g)
        after, g = self._readable(after, g)
        viewer = self._viewer("viewer", viewer)
        self._check_playable(before, g, played)
        if self.rules.changes is not None:
            return self.rules.changes(self, before, after, g, played, viewer)
        old, new = known_scores(self, before, g, viewer), known_scores(self, after, g, viewer)
        pairs = list(zip(old, new, strict=True))
        sides = [side for side, pair in enumerate(pairs) if None not in pair]
        points = scored(
            {"": np.array([old[side] for side in sides])},
            {"": np.array([new[side] for side in sides])},
        )
        return [change._replace(seat=sides[change.seat]) for change in points]

    @checked
    def tell(
        self, before: Games, now: Games, g: int, played: Played, viewer: int | None = None
    ) -> Told:
        """Return an action in words, as far as a viewer may know it at a later position.

        Args:
            before: the batch before the action.
            now: the same batch after it, or at any later time of the same game.
            g: index of the game in both.
            played: the action that was played.
            viewer: the seat that is told; None: tell everything.

        Raises:
            InvalidOption: not records of this game with these options, or there is no such game,
                seat or action, or another seat is to play before the ply.
            IllegalAction: the action is not legal before the ply.
        """
        before, g = self._readable(before, g)
        now, g = self._readable(now, g)
        viewer = self._viewer("viewer", viewer)
        self._check_playable(before, g, played)
        if self.rules.tell is not None:
            return self.rules.tell(self, before, now, g, played, viewer)
        secret = self.kernels.owing is not None and viewer not in {None, played.seat}
        if secret and now["over"][g] == NOT_OVER:
            return Told("choose an action", is_final=False)
        return Told(f"play {self.rules.action_name(self.tables, before, g, int(played.action))}")

    def question(self, games: Games, g: int = 0) -> str:
        """Return in words what the seat to play is asked, and why; "" once the game is over.

        It may say what only this seat knows.

        Raises:
            InvalidOption: not records of this game with these options, or no such game.
        """
        games, g = self._readable(games, g)
        if games["over"][g] != NOT_OVER:
            return ""
        if self.rules.question is None:
            return "Choose an action"
        return self.rules.question(self, games, g)

    def heading(self, games: Games, g: int = 0) -> str:
        """Return the part of the game that a position belongs to, e.g. ``Round 3``.

        Raises:
            InvalidOption: not records of this game with these options, or no such game.
        """
        games, g = self._readable(games, g)
        if self.rules.heading is None:
            return f"Turn {int(games['turn'][g]) + 1}"
        return self.rules.heading(self, games, g)

    def svg(
        self, games: Games, g: int = 0, seat: int | None = None, last: Played | None = None
    ) -> str:
        """Return game ``g`` as SVG text, 800 wide; arguments and errors are :meth:`picture`'s.

        A shape that represents legal actions is inside a
        ``<g class="target" data-actions="ids">``.
        """
        return self.picture(games, g, seat, last).svg()

    def show(
        self, games: Games, g: int = 0, seat: int | None = None, last: Played | None = None
    ) -> Shown:
        """Return game ``g`` as an object that a notebook shows as a picture.

        Arguments and errors are :meth:`picture`'s.
        """
        drawn = self.picture(games, g, seat, last)
        where = f"{self.name}, ply {int(games['ply'][g])}"
        who = f", seat {drawn.caption.seat}" if drawn.caption.seat != NOBODY else ""
        return Shown(drawn.svg(), f"{where}{who}: {drawn.caption.decision}")

    def to_json(self, games: Games, g: int = 0) -> str:
        """Return game ``g`` as JSON text that :meth:`from_json` reads back.

        Raises:
            InvalidOption: not records of this game with these options, or no such game.
        """
        games, g = self._readable(games, g)
        return positions.to_json(self._alone(options_in(self.rules, games[g])), games, g)

    @checked
    def from_json(self, position: str) -> Games:
        """Return one game ``[1]`` from the text of :meth:`to_json`.

        Raises:
            PositionError: not JSON, another game, other options, or an impossible position.
        """
        named = options_in_text(position) if self.is_mixed else None
        fitting = [options for options in self.accepted if options == named]
        return positions.from_json(self._alone((fitting or [self.options])[0]), position)
