"""Many games at once as numpy arrays: the fastest interface, for self-play."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from sprawl_env.adapters.illegal import Illegal, with_last
from sprawl_env.adapters.threads import ThreadPool, Turn, split
from sprawl_env.core.arguments import checked, takes_also
from sprawl_env.core.batch import (
    DEAL,
    DEAL_ENDED,
    DRAW,
    LOOK,
    OBSERVE,
    PLAY,
    STUCK,
    BatchKernels,
    Share,
    new_orders,
    new_results,
    new_views,
)
from sprawl_env.core.checks import (
    as_array,
    check_flag,
    check_memory,
    check_seed,
    check_whole,
    checked_actions,
    described,
    no_choice_left,
)
from sprawl_env.core.editing import impossible
from sprawl_env.core.errors import IllegalAction, InvalidOption, short
from sprawl_env.core.game import Game
from sprawl_env.core.registry import as_game
from sprawl_env.core.rewards import WINNER, RewardFunction, is_dense, own_rewards, reward_mode
from sprawl_env.core.state import (
    FINISHED,
    NOBODY,
    NOT_OVER,
    TRUNCATED,
    Games,
    clone,
    plain,
    raw_bytes,
)
from sprawl_env.core.variants import in_turn
from sprawl_env.kernels.arrays import Floats, Index, Ints, Mask
from sprawl_env.kernels.masks import NO_ACTION, new_generators
from sprawl_env.kernels.signals import Words
from sprawl_env.render.modes import Renderer
from sprawl_env.render.pixels import Pixels


class Look(NamedTuple):
    """The result of :meth:`VectorGames.reset`: arrays that the next call overwrites.

    Attributes:
        observations: float32 or int8 ``[num_envs, observation_size]``.
        masks: int8 ``[num_envs, num_actions]``, 1 = legal.
        to_play: int64 ``[num_envs]``.
    """

    observations: Floats | Mask
    masks: Mask
    to_play: Index


class Step(NamedTuple):
    """The result of :meth:`VectorGames.step`: arrays that the next call overwrites.

    Attributes:
        observations: float32 or int8 ``[num_envs, observation_size]``.
        masks: int8 ``[num_envs, num_actions]``, 1 = legal.
        to_play: int64 ``[num_envs]``.
        rewards: float32 ``[num_envs, num_players]``.
        terminated: bool ``[num_envs]``.
        truncated: bool ``[num_envs]``.
    """

    observations: Floats | Mask
    masks: Mask
    to_play: Index
    rewards: Floats
    terminated: npt.NDArray[np.bool_]
    truncated: npt.NDArray[np.bool_]


class Ended(NamedTuple):
    """The games that ended in the last step, ``k`` of them: see :attr:`VectorGames.ended`.

    Attributes:
        which: int64 ``[k]``, indices of their environments.
        games: records ``[k]``, their last positions.
        scores: int32 ``[k, num_sides]``, final points.
        standings: int32 ``[k, num_sides]``, the ranking; a larger number is a better place.  A seat
            that lost by an illegal action is last.
    """

    which: Index
    games: Games
    scores: Ints
    standings: Ints


@dataclass(frozen=True, kw_only=True)
class VectorSettings:
    """The settings of :class:`VectorGames`; :func:`sprawl_env.make_vec` documents them."""

    seed: int = 0
    num_threads: int = 1
    reward: str | RewardFunction = "winner"
    observations: str | None = "float32"
    skip_forced: bool = False
    render_mode: str | None = None
    illegal: str = "raise"
    first: int = 0  # number of the first game in messages


class VectorGames:
    """``num_envs`` games of self-play; a game that ends is re-dealt at once.

    The arrays are allocated once.  Every call overwrites them, so copy what you keep.  Nothing is
    read from them: writing to them changes neither a game nor what is legal.  :meth:`load`
    continues from other positions.  One thread at a time may call a method.  Results depend only
    on ``seed`` and the actions, not on ``num_threads``.  Use :func:`sprawl_env.make_vec` to make
    them.

    Attributes:
        observations: float32 or int8 ``[num_envs, observation_size]``, as the seat to play sees the
            game (size 0 with ``observations=None``).  int8 are whole numbers; times
            ``observation_layout.scales`` they are the float32 observations.
        observation_layout: the blocks of an observation, with their scales.
        masks: int8 ``[num_envs, num_actions]``, 1 = legal.
        to_play: int64 ``[num_envs]``, the seat that owes the decision.
        rewards: float32 ``[num_envs, num_players]``, the rewards of the last step.
        terminated: bool ``[num_envs]``: the game ended by its rules in the last step; the other
            arrays already show the next game.
        truncated: bool ``[num_envs]``: the same for a game that ended at a turn limit.
        illegal: int64 ``[num_envs]``, the seat that lost a game by an illegal action in the last
            step, otherwise -1; always -1 unless ``illegal="lose"`` was chosen.
        final_scores: int32 ``[num_envs, num_sides]``, points at the end of the last game that
            ended; with a reward at every ply, the current points.  Sides are the seats and, with
            one seat, the automaton if the game has one.
    """

    @checked
    def __init__(self, game: Game, num_envs: int, settings: VectorSettings | None = None) -> None:
        chosen = settings or VectorSettings()
        num_envs = check_whole("num_envs=", num_envs, 1)
        num_threads = check_whole("num_threads=", chosen.num_threads, 1)
        each = (
            (3 if game.is_mixed else 2) * game.dtype.itemsize
            + 4 * game.observation_size
            + 2 * game.num_actions
        )
        check_memory("num_envs", num_envs, each)
        self.game = copy.copy(game) if game.is_mixed else game  # set_options() changes it
        self.num_envs = num_envs
        self.num_actions = game.num_actions
        self.num_players = game.num_seats
        self.observation_layout = game.observation_layout
        self.seed = check_seed(chosen.seed)
        self._function = chosen.reward if callable(chosen.reward) else None
        self._mode = WINNER if callable(chosen.reward) else reward_mode(chosen.reward)
        self._illegal = Illegal(game, chosen.illegal, chosen.reward)
        self._skip_forced = check_flag("skip_forced", chosen.skip_forced)
        self._first = check_whole("first=", chosen.first)
        self._renderer = Renderer(self.game, chosen.render_mode)
        self.render_mode = chosen.render_mode
        self._look = LOOK if chosen.observations is None else LOOK | OBSERVE
        game = self.game
        self._games = plain(game.blanks(num_envs))
        self._views = new_views(game, num_envs, chosen.observations, shown=True)
        self._legal = self._views.masks  # decides what is legal, so it is not handed out
        blanks = game.blanks(num_envs) if game.is_mixed else None
        self._results = new_results(game, num_envs, finals=True, blanks=blanks)
        self.terminated = np.zeros(num_envs, np.bool_)
        self.truncated = np.zeros(num_envs, np.bool_)
        self._offenders: Index = np.full(num_envs, NOBODY)
        self._told = self._results.scores.copy(), self._offenders.copy()  # as these two are read
        self._hand_out()
        self._all: Index = np.arange(num_envs)
        self._actions: Index = np.zeros(num_envs, np.int64)
        self._drawn: Index = np.zeros(num_envs, np.int64)
        self._generators = plain(new_generators(num_envs, self.seed))
        self._pool = self._new_pool(num_threads)
        self._turn = Turn()
        self._started = False

    def _hand_out(self) -> None:
        """Show what steps write into; the views are the user's own."""
        self.observations = self._views.observations.view()
        self.masks = self._views.shown.view()
        self.to_play = self._views.to_play.view()
        self.rewards = self._results.rewards.view()
        scores, offenders = self._told
        self.final_scores, self.illegal = scores.view(), offenders.view()

    def _finish(self) -> None:
        """Tell what a call has done; before, the games must not go on."""
        np.equal(self._results.over, FINISHED, out=self.terminated)
        np.equal(self._results.over, TRUNCATED, out=self.truncated)
        scores, offenders = self._told
        scores[:], offenders[:] = self._results.scores, self._offenders
        self._started = True

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Return a copy that shows its own steps: copied views would be arrays of their own.

        Raises:
            InvalidOption: another thread uses the games.
        """
        made = object.__new__(type(self))
        memo[id(self)] = made
        with self._turn:
            if not self._pool.stopped:
                self._pool.wait()  # for workers whose caller was interrupted
            vars(made).update(copy.deepcopy(vars(self), memo))
        made._hand_out()
        return made

    def _new_pool(self, num_threads: int) -> ThreadPool:
        """Divide the games into shares and return a thread pool for them."""
        shares = split(self._all, num_threads)
        self._orders = new_orders(shares=len(shares))
        works = [self._work_of(k, which, self._orders) for k, which in enumerate(shares)]
        return ThreadPool(self._orders, works)

    def _work_of(self, number: int, which: Index, orders: Words) -> Callable[[], None]:
        """Return the call that executes orders in a share of the games."""
        share = Share(
            number=number,
            which=which,
            rows=which,
            actions=self._actions,
            drawn=self._drawn,
            generators=self._generators,
            mask=np.zeros(self.num_actions, np.int8),
            numbers=np.zeros(self.game.observation_size, np.int8),
            until=np.zeros(0, np.int64),
        )
        return BatchKernels(self.game).bind(
            self._games,
            share,
            self._mode,
            self._results,
            self._views,
            orders,
            self._skip_forced,
        )

    @property
    def games(self) -> Games:
        """The records ``[num_envs]``, a copy: writing to it changes no game (see :meth:`load`)."""
        return clone(self._games)

    @property
    def ended(self) -> Ended:
        """The games that ended in the last step, with their last positions; copies.

        The other arrays show the next games already.
        """
        which = np.flatnonzero(self._results.over != NOT_OVER)
        games = clone(self._results.finals, which)
        standings, seats = self.game.standings(games), self._offenders[which]
        lost = seats != NOBODY
        standings[lost] = with_last(standings[lost], seats[lost])
        return Ended(which, games, self.game.scores(games), standings)

    def reset(self, seed: int | None = None) -> Look:
        """Deal every game; game ``i`` is dealt from ``(seed, i, episode)``.

        Without a seed the games of the last one are dealt again.

        Raises:
            InvalidOption: with ``skip_forced``, every game ends before a seat has a choice; or the
                games are closed.
        """
        with self._turn:
            self._pool.wait()
            if seed is not None:
                self.seed = check_seed(seed)
                self._generators[:] = new_generators(self.num_envs, self.seed)
            self._started = False
            self._results.episode[:] = 0
            self._results.rewards[:] = 0
            self._results.scores[:] = 0
            self._run(DEAL | self._look)
            return self._started_look()

    def _started_look(self) -> Look:
        self._results.over[:] = NOT_OVER
        self._offenders[:] = NOBODY
        self._finish()
        return Look(self.observations, self.masks, self.to_play)

    @checked
    def set_options(self, options: Sequence[Mapping[str, Any]]) -> None:
        """Change the options of games from their next deals on; running games end as they began.

        Game ``i`` is dealt with ``options[i % len(options)]``.  :attr:`game` also takes records
        of the new options.  The batch must have been made with ``options=[...]``.

        Args:
            options: sets of options, at most ``num_envs``; what a set does not name has the value
                that :func:`sprawl_env.make_vec` was given beside ``options``, or its default.

        Raises:
            SprawlError: the batch was made with one set of options, or as of
                :meth:`~sprawl_env.core.game.Game.mixed`; nothing has changed.
        """
        with self._turn:
            self._pool.wait()
            if not self.game.is_mixed:
                raise InvalidOption(
                    "set_options: expected a batch made by make_vec(..., options=[{...}])"
                )
            if options:  # the game refuses an empty list
                in_turn(len(options), self.num_envs)
            self.game.deal_in_turn(options)
            raw_bytes(self._results.blanks)[:] = raw_bytes(self.game.blanks(self.num_envs))

    def load(self, games: Games) -> Look:
        """Continue from other positions; nothing is dealt.

        With ``skip_forced`` a position in which only one action is legal is shown as it is.

        A batch with several sets of options takes positions of all of them.  A game is re-dealt
        with the options of its position.

        Args:
            games: records ``[num_envs]`` of this game with these options, which are not over, as
                :attr:`games`, ``game.deal`` or ``game.from_json`` return them; copied.

        Returns:
            What the seats to play see, as :meth:`reset` does.

        Raises:
            InvalidOption: other records, another number of them, a game that is over or that no
                play can reach, or the games are closed; nothing has changed.
        """
        with self._turn:
            self._pool.wait()
            self.game.check_games(games)
            if len(games) != self.num_envs:
                raise InvalidOption(
                    f"load: games: expected {self.num_envs} records, got {described(games)}"
                )
            records = games.view(np.ndarray)
            seats = records["to_play"]
            wrong = (records["over"] != NOT_OVER) | (seats < 0) | (seats >= self.num_players)
            if wrong.any():
                i = int(wrong.argmax())
                raise InvalidOption(f"load: game {i} is over: expected games with a seat to play")
            self._check_possible(games)
            self._started = False
            raw_bytes(self._games)[:] = raw_bytes(games)
            if self.game.is_mixed:
                for field in self.game.option_fields:
                    self._results.blanks[field] = records[field]
            self._results.rewards[:] = 0
            if is_dense(self._mode):
                for i in range(self.num_envs):
                    self._results.scores[i] = self.game.scores(self._games, i)
            self._run(self._look)
            return self._started_look()

    def redeal(self, which: npt.ArrayLike) -> Look:
        """Deal some games that are being played, as if they had ended; the others go on.

        A game is dealt from ``(seed, i, episode)`` with the options of its next deal.

        Args:
            which: whole numbers ``[k]``, the games, each at most once.

        Returns:
            What the seats to play see in all games.

        Raises:
            InvalidOption: there is no such game or it is named twice, no game was dealt yet, with
                ``skip_forced`` every game ends before a seat has a choice, or the games are closed.
        """
        with self._turn:
            self._pool.wait()
            if not self._started:
                raise InvalidOption(f"{self.game.name}: call reset() before redeal()")
            given = as_array(which)
            chosen = np.unique(given.astype(np.int64)) if given.dtype.kind in "iu" else None
            if given.size == 0:
                chosen = self._all[:0]
            fits = chosen is not None and given.ndim == 1 and chosen.size == given.size
            if chosen is None or not fits or not np.isin(chosen, self._all).all():
                raise InvalidOption(
                    f"redeal: which={short(given)}: expected different games 0..{self.num_envs - 1}"
                )
            self._started = False
            self._deal_again(chosen)
            self._results.rewards[chosen] = 0
            self._results.over[chosen] = NOT_OVER
            self._offenders[chosen] = NOBODY
            self._finish()
            return Look(self.observations, self.masks, self.to_play)

    def _check_possible(self, games: Games) -> None:
        """Refuse positions that no game can reach, as far as the rules can tell.

        Raises:
            InvalidOption: a position is impossible; names the first such game and why.
        """
        found = impossible(self.game, games)
        if found is not None:
            raise InvalidOption(f"load: game {found[0]} is impossible: {found[1]}")

    def _run(self, what: int) -> None:
        """Execute an order in all games."""
        self._pool.run(what, self.seed)
        if self._orders[STUCK]:
            raise no_choice_left(self.game)

    def step(self, actions: npt.ArrayLike) -> Step:
        """Play one action in every game.

        Args:
            actions: whole numbers ``[num_envs]``.

        Raises:
            IllegalAction: an action is not legal, and does not lose the game, or the array has
                another shape; nothing has changed.
            InvalidOption: the games are closed, or your reward function returns something else
                than a reward for each seat.  After that, or an interruption, call :meth:`reset`.
        """
        if not self._turn.take(False):
            raise self._turn.taken()
        try:
            self._pool.wait()
            loses = self._take_actions(actions)
            self._started = False  # if this fails or is interrupted, the games must be reset
            self._results.rewards[:] = 0
            before = self.games if self._function is not None else None
            self._run(PLAY | DEAL_ENDED | self._look)
            if self._function is not None and before is not None:
                self._reward(self._function, before, loses)
            if self._illegal.loses:
                self._forfeit(loses)
            self._finish()
        finally:
            self._turn.give()
        return Step(
            self.observations,
            self.masks,
            self.to_play,
            self.rewards,
            self.terminated,
            self.truncated,
        )

    def _reward(self, function: RewardFunction, before: Games, loses: Index) -> None:
        """Ask a function of the user for the rewards of the games that were played."""
        after, over, played = self.games, self._results.over != NOT_OVER, self._all
        raw_bytes(after)[over] = raw_bytes(self._results.finals)[over]
        if loses.size:
            played = np.setdiff1d(played, loses)
            before, after = clone(before, played), clone(after, played)
        if played.size:
            self._results.rewards[played] = own_rewards(function, self.game, before, after)

    def _take_actions(self, actions: npt.ArrayLike) -> Index:
        """Check the actions and keep them; return the games that they lose, int64 ``[k]``."""
        if not self._started:
            raise IllegalAction(f"{self.game.name}: call reset() before step()")
        if not self._illegal.loses:
            self._actions[:] = checked_actions(
                self.game, self._games, self._all, self._legal, actions, self._first
            )
            return self._all[:0]
        chosen, loses = self._illegal.check_all(self._legal, actions)
        self._actions[:] = np.where(loses, NO_ACTION, chosen)  # nothing is played there
        return np.flatnonzero(loses)

    def _forfeit(self, which: Index) -> None:
        """End games whose seats to play lose by an illegal action, and deal the next ones."""
        self._offenders[:] = NOBODY
        if which.size == 0:
            return
        results, seats = self._results, self._games["to_play"][which].astype(np.int64)
        self._offenders[which] = seats
        raw_bytes(results.finals)[which] = raw_bytes(self._games)[which]
        games = clone(self._games, which)
        scores, standings = self.game.scores(games), with_last(self.game.standings(games), seats)
        paid = self._illegal.paid(scores, seats)
        if is_dense(self._mode):  # of plies that were forced before
            paid += results.rewards[which]
        self._deal_again(which)
        results.rewards[which] = paid
        results.over[which], results.standings[which] = FINISHED, standings
        if not is_dense(self._mode):
            results.scores[which] = scores

    def _deal_again(self, which: Index) -> None:
        """Deal some games and look at them.

        Raises:
            InvalidOption: with ``skip_forced``, every game ends before a seat has a choice.
        """
        orders = new_orders(DEAL | self._look, self.seed)
        self._work_of(0, which, orders)()
        if orders[STUCK]:
            raise no_choice_left(self.game)

    def sample_actions(self) -> Index:
        """Return a random legal action for each game, all equally likely; a new array.

        Raises:
            InvalidOption: no game was dealt yet, or the games are closed.
        """
        if not self._started:
            raise InvalidOption(f"{self.game.name}: call reset() before sample_actions()")
        if not self._turn.take(False):
            raise self._turn.taken()
        try:
            self._pool.run(DRAW, self.seed)
            return self._drawn.copy()
        finally:
            self._turn.give()

    def render(self, i: int = 0) -> str | Pixels | None:
        """Render game ``i`` with all hidden information, in the render mode of the batch.

        Returns:
            A text board for ``"ansi"``, in colour if standard output is a terminal; SVG text for
            ``"svg"``; uint8 ``[height, width, 3]`` for ``"rgb_array"``; None for ``"human"``,
            which shows the pixels in a window, and without a render mode.

        Raises:
            InvalidOption: there is no game ``i``, no game was dealt yet, or there is no display for
                a window.
        """
        last = self.num_envs - 1
        i = check_whole("render: i=", i, 0, last, f"a game 0..{last}")
        if not self._started:
            raise InvalidOption(f"{self.game.name}: call reset() before render()")
        return self._renderer.render(clone(self._games, slice(i, i + 1)), 0)

    def close(self) -> None:
        """Stop the threads and close the window; the games cannot be stepped after that."""
        self._renderer.close()
        self._pool.stop()


@checked
@takes_also("illegal", "render_mode", "options", "data")
def make_vec(
    name: str | Game,
    num_envs: int,
    *,
    seed: int = 0,
    num_threads: int = 1,
    reward: str | RewardFunction = "winner",
    observations: str | None = "float32",
    skip_forced: bool = False,
    **options: Any,
) -> VectorGames:
    """Return ``num_envs`` games of self-play as numpy arrays.

    Args:
        name: a game's name, or a :class:`~sprawl_env.core.game.Game`.
        num_envs: number of games.
        seed: the ``k``-th game of env ``i`` is dealt from ``(seed, i, k)``.  With ``skip_forced``,
            a game that ends before a seat has a choice counts in ``k`` but is not shown.
        num_threads: number of threads that share the games; useful for many games.
        reward: ``"winner"``, ``"rank"``, ``"margin"``, ``"score"`` or ``"lead"``, or a function
            (:data:`~sprawl_env.core.rewards.RewardFunction`).
        observations: ``"float32"``; ``"int8"`` for whole numbers, a quarter of the memory; None:
            no observations (size 0), for speed.
        skip_forced: play forced plies, in which only one action is legal, automatically.
        **options: options of the game, e.g. ``num_players=3``, and

            - ``illegal``: ``"raise"``, or ``"lose"``: an illegal action ends the game with the
              rewards of :func:`~sprawl_env.adapters.illegal.forfeits`, and
              ``VectorGames.illegal`` says which seat lost,
            - ``render_mode``: ``"ansi"``, ``"svg"``, ``"rgb_array"``, ``"human"`` or None, for
              :meth:`VectorGames.render`,
            - ``data``: a folder of TOML files that replace those of the package,
            - ``options``: ``[{...}, {...}]``, several sets of options, at most ``num_envs``, with
              the same number of seats: game ``i`` is always dealt with set ``i % len(options)`` and
              the options given beside them (:meth:`VectorGames.set_options` changes them).

    Raises:
        SprawlError: there is no such game, option, reward, type of observations or render mode, a
            value is not allowed, an option is given both in ``options`` and beside it, or
            ``options`` with a game that is made already.
    """
    settings = VectorSettings(
        seed=seed,
        num_threads=num_threads,
        reward=reward,
        observations=observations,
        skip_forced=skip_forced,
        render_mode=options.pop("render_mode", None),
        illegal=options.pop("illegal", "raise"),
    )
    return VectorGames(_mixed_game(name, options), num_envs, settings)


def _mixed_game(name: str | Game, options: dict[str, Any]) -> Game:
    """Return a game with its options, mixed if ``options`` has several sets of them.

    Raises:
        SprawlError: as of :func:`make_vec`.
    """
    if "options" not in options:
        return as_game(name, **options)
    sets = options.pop("options")
    if isinstance(name, Game):
        raise InvalidOption("options: the game has its options already: use game.mixed([...])")
    game = as_game(name, **options)
    for k, each in enumerate(sets if isinstance(sets, Sequence) else ()):
        both = [name for name in options if isinstance(each, Mapping) and name in each]
        if both:
            raise InvalidOption(
                f"options[{k}]: {', '.join(both)}: is given for all games too: give it once"
            )
    return game.mixed(sets)
