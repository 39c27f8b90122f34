"""Many games with one learner's seat each, and bots in the other seats.

The adapters for frameworks whose learner owns one seat are thin classes over these: a step plays
the learners' actions and then the opponents' actions, in batches, until every learner owes a
decision again or its game is over.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from sprawl_env.adapters.illegal import Flags, Illegal, with_last
from sprawl_env.adapters.single import not_finished
from sprawl_env.adapters.spare import SpareArrays
from sprawl_env.adapters.threads import OneOrderPool, split
from sprawl_env.bots.names import as_bot
from sprawl_env.bots.protocol import Bot, answer
from sprawl_env.bots.random import RandomBot
from sprawl_env.core.batch import (
    BatchKernels,
    Share,
    new_results,
    new_views,
)
from sprawl_env.core.checks import (
    MOST_DEALS,
    as_array,
    check_memory,
    check_seed,
    check_whole,
    checked_actions,
    no_choice_left,
)
from sprawl_env.core.errors import InvalidOption, short
from sprawl_env.core.game import Game
from sprawl_env.core.rewards import (
    WINNER,
    RewardFunction,
    is_dense,
    own_rewards,
    reward_mode,
    victory_shares,
)
from sprawl_env.core.state import AUTOMATON, FINISHED, NOT_OVER, Games, clone, plain, raw_bytes
from sprawl_env.kernels.arrays import Floats, Index, Ints, Mask
from sprawl_env.kernels.masks import NO_ACTION, new_generators
from sprawl_env.kernels.rng import MAX_SEED, combine

Opponents = str | Bot | type[Bot] | Sequence[str | Bot | type[Bot]]

UNSEEDED: Final = -1  # no seed, as Gymnasium says it
IGNORED: Final = 0  # the action in the mask of a game that is over


class Endings(NamedTuple):
    """How games ended for their learners, ``k`` of them.

    Attributes:
        which: int64 ``[k]``, indices of the games.
        seats: int64 ``[k]``, the learners'.
        observations: the learners' last ones, float32 or int8 ``[k, observation_size]``.
        scores: int32 ``[k, num_sides]``, final points.
        standings: int32 ``[k, num_sides]``, the ranking; a larger number is a better place.
        over: int8 ``[k]``, ``FINISHED`` or ``TRUNCATED``.
        illegal: bool ``[k]``: the learner lost by an illegal action.
        sitting: int64 ``[k, num_seats]``, the bot of each seat but the learner's.
        returned: float32 ``[k]``, the learners' rewards up to the step before.
        lengths: int64 ``[k]``, numbers of the learners' decisions.
        before: with a reward function, records ``[k]`` at the last report; otherwise none.
        after: with a reward function, the last positions, records ``[k]``; otherwise none.
    """

    which: Index
    seats: Index
    observations: npt.NDArray[Any]
    scores: Ints
    standings: Ints
    over: Mask
    illegal: Flags
    sitting: Index
    returned: Floats
    lengths: Index
    before: Games
    after: Games

    @property
    def won(self) -> Flags:
        """Whether the learners won or shared the victory, bool ``[k]``; not by illegal actions."""
        best = self.standings.max(axis=1)
        won: Flags = self.standings[np.arange(self.which.size), self.seats] == best
        return won & ~self.illegal

    @property
    def shares(self) -> npt.NDArray[np.float64]:
        """The learners' shares of the victories, 0..1, float64 ``[k]``."""
        of_sides = victory_shares(self.standings)
        shares: npt.NDArray[np.float64] = of_sides[np.arange(self.which.size), self.seats]
        return np.where(self.illegal, 0.0, shares)


@dataclass(frozen=True, kw_only=True)
class LearnerSettings:
    """The settings of :class:`LearnerGames`, which its adapters document."""

    reward: str | RewardFunction = "winner"
    scale: float = 1.0
    observations: str = "float32"
    illegal: str = "raise"
    redeals: bool = True  # an ended game is dealt again in the same step
    num_threads: int = 1


class LearnerGames(ABC):
    """``num_envs`` games, each with one learner's seat and bots in the other seats.

    A reward is the sum of the learner's rewards until its next decision or the end of the game.
    What it earns before its first decision is paid with the first step.  A game that ends before
    the learner's first decision is re-dealt and leaves no trace.

    A deal or a step that fails, e.g. in a bot, leaves games in the opponents' turns, and masks of
    earlier positions.  :meth:`check_whole` refuses such games until all are dealt again.

    Attributes:
        unfinished: whether the last deal or step was begun and its results were not returned; the
            adapters set it to False when they return them.
        opponents: the bots.
        earned: float32 ``[num_envs]``, the rewards of the last step.
        views: observations and masks of the learners' decisions, by game; the observations are
            new with every call, the masks are overwritten.
        over: bool ``[num_envs]``, the games that ended and were not re-dealt.
        decisions: of learners and opponents together.
    """

    def __init__(self, game: Game, num_envs: int, settings: LearnerSettings) -> None:
        """Make the games; :meth:`begin` deals them.

        Raises:
            SprawlError: an argument is not allowed.
        """
        num_envs = check_whole("num_envs=", num_envs, 1)
        each = game.dtype.itemsize + 8 * game.observation_size + 2 * game.num_actions
        check_memory("num_envs", num_envs, each)
        factor, reward = as_array(settings.scale), settings.reward
        if factor.ndim or factor.dtype.kind not in "iuf" or not np.isfinite(factor):
            raise InvalidOption(f"scale={short(settings.scale)}: expected a finite number")
        self.game, self.num_envs = game, num_envs
        self._illegal = Illegal(game, settings.illegal, reward)
        self._redeals = settings.redeals
        self._function = reward if callable(reward) else None
        self._mode = WINNER if callable(reward) else reward_mode(reward)
        self._scale = np.float32(settings.scale)
        self._kernels = BatchKernels(game)
        self._games = plain(game.blanks(num_envs))
        self._reported = game.empty(num_envs if self._function else 0)
        self.everyone: Index = np.arange(num_envs)
        self.views = new_views(game, num_envs, settings.observations)
        self._spare = SpareArrays(self.views.observations)
        self._theirs = new_views(game, num_envs)  # of the opponents, in the first rows
        self._results = new_results(game, num_envs)
        self.earned: Floats = np.zeros(num_envs, np.float32)
        self._carried: Floats = np.zeros(num_envs, np.float32)
        self._learner: Index = np.zeros(num_envs, np.int64)
        self._sitting: Index = np.zeros((num_envs, game.num_seats), np.int64)
        self._return: Floats = np.zeros(num_envs, np.float32)
        self._length: Index = np.zeros(num_envs, np.int64)
        self._deals: Index = np.zeros(num_envs, np.int64)  # since the last decision
        self.over = np.zeros(num_envs, np.bool_)
        self._endings: list[Endings] = []
        self.unfinished = False
        self.opponents: list[Bot] = []
        self.decisions = 0

    @property
    def games(self) -> Games:
        """The records ``[num_envs]``, a copy: writing to it changes no game."""
        return clone(self._games)

    @property
    def seats(self) -> Index:
        """The learners' seats, int64 ``[num_envs]``; a copy."""
        return self._learner.copy()

    @property
    def endings(self) -> Endings | None:
        """The games that ended in the last step; None: no game."""
        if len(self._endings) > 1:
            parts: Any = zip(*self._endings, strict=True)
            self._endings = [Endings._make(np.concatenate(part) for part in parts)]
        return self._endings[0] if self._endings else None

    @abstractmethod
    def _seat(self, which: Index) -> None:
        """Choose the seats of learners and opponents in some games, and deal these games."""

    def names(self, seat: int, sitting: Index) -> list[str]:
        """Return the names of the bots in the seats other than the learner's, and of an automaton.

        Args:
            seat: the learner's.
            sitting: int64 ``[num_seats]``, the bot of each other seat.
        """
        others = np.delete(sitting, seat).tolist()
        automata = [AUTOMATON] * (self.game.num_sides - self.game.num_seats)
        return [self.opponents[k].name for k in others] + automata

    # ------------------------------------------------------------------------------------- calls

    def begin(self, which: Index) -> None:
        """Deal some games and play up to each learner's first decision.

        Raises:
            InvalidOption: every game ends before the learner's first decision.
        """
        self.unfinished = True
        self._endings = []
        self._deals[which] = 0
        self._new_observations()
        self._deal(which)
        self._play_opponents(which)
        others = np.setdiff1d(self.everyone, which)
        self._kernels.look(self._games, others, others, self.views, last=self._learner)
        self._show_over(others[self.over[others]])

    def check_whole(self) -> None:
        """Check that the masks are those of the positions.

        Raises:
            InvalidOption: the last deal or step did not finish.
        """
        if self.unfinished:
            raise not_finished(self.game)

    def checked(self, actions: Any) -> tuple[Index, Flags]:
        """Return the learners' actions, int64 ``[num_envs]``, and which of them lose the game.

        Those of games that are over are ignored.

        Raises:
            IllegalAction: the shape is wrong, or an action is not legal and does not lose.
            InvalidOption: the last deal or step did not finish.
        """
        self.check_whole()
        masks = self.views.masks
        given = as_array(actions)
        if self.over.any() and given.shape == self.over.shape and given.dtype.kind in "iu":
            actions = np.where(self.over, IGNORED, given)
        if self._illegal.loses:
            return self._illegal.check_all(masks, actions)
        chosen = checked_actions(self.game, self._games, self.everyone, masks, actions)
        return chosen, np.zeros(self.num_envs, np.bool_)

    def step(self, actions: Index, loses: Flags) -> None:
        """Play the learners' actions and every opponent up to the learners' next decisions.

        A game that is over is dealt instead.

        Args:
            actions: int64 ``[num_envs]``, legal ones where they do not lose the game.
            loses: bool ``[num_envs]``.

        Raises:
            InvalidOption: every game ends before the learner's first decision.
        """
        self.unfinished = True
        acting = ~self.over
        legal, lost = np.flatnonzero(acting & ~loses), np.flatnonzero(acting & loses)
        self._endings = []
        np.copyto(self.earned, self._carried)
        self._carried[:] = 0
        self._deals[:] = 0
        self._length += 1
        self._new_observations()
        self._deal(np.flatnonzero(self.over))
        self._play_round(legal, actions, lost)
        if self._function is not None and legal.size:
            self._pay(self._function, legal)
        self._return += self.earned
        if self.endings:
            self._return[self.endings.which] = 0

    # ------------------------------------------------------------------------------------- plies

    def _play_round(self, legal: Index, actions: Index, lost: Index) -> None:
        """Play the learners' legal actions, end the games they lose, then play the opponents."""
        self._play(legal, actions[legal])
        self._forfeit(lost)
        self._play_opponents(self.everyone)

    def _play(self, which: Index, actions: Index) -> None:
        """Play ``actions[k]`` in game ``which[k]`` and add the learners' rewards."""
        if which.size == 0:
            return
        results = self._results
        self._kernels.step(self._games, which, actions, self._mode, results)
        self.decisions += len(which)
        self._collect(which)
        self._end(which[results.over[which] != NOT_OVER])

    def _collect(self, which: Index) -> None:
        """Add the rewards of the plies since the last call to what the learners earn."""
        rewards, played = self._results.rewards, which
        if self._function is None:
            gained = rewards[which, self._learner[which]] * self._scale
            opening = self._length[which] == 0
            if opening.any():
                self._carried[which[opening]] += gained[opening]
                which, gained = which[~opening], gained[~opening]
            self.earned[which] += gained
        rewards[played] = 0

    def _forfeit(self, which: Index) -> None:
        """End games whose learners lose by an illegal action."""
        if which.size == 0:
            return
        games, seats, results = clone(self._games, which), self._learner[which], self._results
        scores = self.game.scores(games)
        paid = self._illegal.paid(scores, seats)[np.arange(which.size), seats]
        self.earned[which] += paid * self._scale
        results.scores[which] = scores
        results.standings[which] = with_last(self.game.standings(games), seats)
        results.over[which] = FINISHED
        self._end(which, illegal=True)

    def _end(self, which: Index, illegal: bool = False) -> None:
        """Note the ends of some games; re-deal those that are not to stay."""
        if which.size == 0:
            return
        self._carried[which] = 0
        decided = self._length[which] > 0
        self._note(which[decided], illegal)
        self.over[which] = decided & (not self._redeals)
        self._deal(which[~self.over[which]])

    def _note(self, which: Index, illegal: bool) -> None:
        """Note how some games have ended; :attr:`views` keep the last observations."""
        if which.size == 0:
            return
        self._look_last(which)
        self._show_over(which)
        results, reported = self._results, which if self._function is not None else which[:0]
        self._endings.append(
            Endings(
                which=which,
                seats=self._learner[which],
                observations=self.views.observations[which],
                scores=results.scores[which],
                standings=results.standings[which],
                over=results.over[which],
                illegal=np.full(which.size, illegal),
                sitting=self._sitting[which],
                returned=self._return[which],
                lengths=self._length[which],
                before=clone(self._reported, reported),
                after=clone(self._games, reported),
            )
        )

    def _look_last(self, which: Index) -> None:
        """Look at the ends of some games."""
        self._kernels.look(self._games, which, which, self.views, last=self._learner)

    def _show_over(self, which: Index) -> None:
        """Write the masks of games that are over."""
        self.views.masks[which] = 0
        self.views.masks[which, IGNORED] = 1

    def _new_observations(self) -> None:
        """Write observations to another array from now on."""
        array = self._spare.take()
        kind = "floats" if array.dtype == np.float32 else "numbers"
        self.views = self.views._replace(**{kind: array})

    def _deal(self, which: Index) -> None:
        """Deal some games.

        Raises:
            InvalidOption: too many games in a row ended before the learner's first decision.
        """
        if which.size == 0:
            return
        self._deals[which] += 1
        if self._deals.max() > MOST_DEALS:
            raise no_choice_left(self.game)
        self._seat(which)
        self.over[which] = False
        for array in (self._carried, self._return, self._length, self._results.rewards):
            array[which] = 0  # also what an interrupted step did not pay
        if self._function is not None:
            self._report(which)

    def _play_opponents(self, which: Index) -> None:
        """Let the opponents play up to the learners' decisions, and look at these.

        The decisions of each bot are in one batch.
        """
        to_play, waits = self._games["to_play"], which
        while True:
            waits = waits[(to_play[waits] != self._learner[waits]) & ~self.over[waits]]
            if waits.size == 0:
                break
            bots = self._sitting[waits, to_play[waits]]
            for k in np.unique(bots) if len(self.opponents) > 1 else bots[:1]:
                group = waits[bots == k]
                self._play(group, self._choose(self.opponents[k], group))
        acting = which[~self.over[which]]
        self._kernels.look(self._games, acting, acting, self.views)

    def _choose(self, bot: Bot, which: Index) -> Index:
        """Return the actions of one bot in some games."""
        size = len(which)
        theirs, wants = self._theirs, bot.needs_observations
        self._kernels.look(self._games, which, self.everyone[:size], theirs, observe=wants)
        seen, may = theirs.observations[:size], theirs.masks[:size]
        return answer(bot, self.game, self._games, which, seen, may)

    # ------------------------------------------------------------------------ a reward of one's own

    def _report(self, which: Index) -> None:
        """Note the positions up to which rewards are paid."""
        raw_bytes(self._reported)[which] = raw_bytes(self._games)[which]

    def _pay(self, function: RewardFunction, which: Index) -> None:
        """Add the rewards of a function of one's own in the games in which learners acted."""
        before, after = clone(self._reported, which), clone(self._games, which)
        seats = self._learner[which]
        if self.endings:
            of_play = np.flatnonzero(~self.endings.illegal)
            kept = of_play[np.argsort(self.endings.which[of_play])]
            ended = np.isin(which, self.endings.which)
            raw_bytes(before)[ended] = raw_bytes(self.endings.before)[kept]
            raw_bytes(after)[ended] = raw_bytes(self.endings.after)[kept]
            seats[ended] = self.endings.seats[kept]
            self._report(which[~ended])
        else:
            self._report(which)
        paid = own_rewards(function, self.game, before, after)
        self.earned[which] += paid[np.arange(which.size), seats] * self._scale


class DrawnGames(LearnerGames):
    """Learners that change their seat from game to game, in turn, and opponents that are drawn.

    The ``k``-th game of env ``i`` is dealt from ``(seed, i, k)``; after ``r`` further resets
    without a seed from ``(combine(seed, r), i, k)``, so that no reset repeats games.
    """

    def __init__(self, game: Game, num_envs: int, settings: LearnerSettings, seed: int) -> None:
        super().__init__(game, num_envs, settings)
        self._seed = check_seed(seed)
        self.opponents = [RandomBot(seed)]
        self._chances = np.ones(1)
        self.start(seed)

    def set_opponents(self, opponents: Opponents, weights: Sequence[float] | None) -> None:
        """Set the bots from which the opponents of games dealt from now on are drawn.

        Raises:
            SprawlError: there is no such bot, or the weights are not one a bot.
        """
        if isinstance(opponents, str) or not isinstance(opponents, Sequence):
            opponents = [opponents]
        if len(opponents) == 0:
            raise InvalidOption("opponents: expected at least one bot, got none")
        given = np.ones(len(opponents)) if weights is None else as_array(weights)
        fits = given.shape == (len(opponents),) and given.dtype.kind in "iuf"
        if not fits or not np.isfinite(given).all() or given.min() < 0 or given.sum() <= 0:
            raise InvalidOption(f"weights: expected {len(opponents)} numbers from 0, some positive")
        made = [
            as_bot(bot, self.game, (self._seed + k) & MAX_SEED, "opponents")
            for k, bot in enumerate(opponents)
        ]
        playing = self.opponents[len(made) : int(self._sitting.max(initial=0)) + 1]
        self.opponents = [*made, *playing]  # these only end their games
        self._chances = np.concatenate([given / given.sum(), np.zeros(len(playing))])

    def start(self, seed: int) -> None:
        """Seed deals, seats, opponents and the draws of opponents."""
        self._seed = self._deals_seed = check_seed(seed)
        self._resets = 0
        self._rng = np.random.default_rng(self._seed)
        for k, bot in enumerate(self.opponents):
            bot.seed((self._seed + k) & MAX_SEED)

    def reset(self) -> None:
        """Deal every game, each as its first; games that no reset since the seed has dealt."""
        self._deals_seed = combine(self._seed, self._resets) if self._resets else self._seed
        self._resets += 1
        self._results.episode[:] = 0
        self.begin(self.everyone)

    def _seat(self, which: Index) -> None:
        seats = self.game.num_seats
        self._learner[which] = (which + self._results.episode[which]) % seats
        drawn = self._rng.choice(len(self.opponents), (len(which), seats), p=self._chances)
        self._sitting[which] = drawn
        self._kernels.deal(self._games, which, self._deals_seed, self._mode, self._results)


class SeededGames(LearnerGames):
    """Learners with a seed for each game and with the same opponents in all games.

    From the same seed, a game and its learner's seat are those of the Gymnasium environment.
    """

    def __init__(
        self, game: Game, num_envs: int, settings: LearnerSettings, seat: int | None
    ) -> None:
        """Make the games.

        Args:
            game: the game.
            num_envs: number of games.
            settings: see :class:`LearnerSettings`.
            seat: the learner's seat; None: drawn for every game.

        Raises:
            SprawlError: an argument is not allowed.
        """
        super().__init__(game, num_envs, settings)
        self._fixed_seat = learners_seat(game, seat)
        self.generators = [np.random.default_rng() for _ in range(num_envs)]
        self.seeds = [UNSEEDED] * num_envs
        self._num_threads = check_whole("num_threads=", settings.num_threads, 1)
        self._given: Index = np.zeros(num_envs, np.int64)  # the learners' actions
        self._drawn: Index = np.zeros(num_envs, np.int64)  # an opponent's
        self._draws: Any = None  # generators of random opponents, one a game
        self._places: Index = np.zeros(max(game.num_seats - 1, 1), np.int64)

    def set_opponent(self, opponent: Opponents | None) -> None:
        """Seat the opponents, as of :func:`seat_opponents`."""
        bots = seat_opponents(self.game, opponent)
        self.opponents = list({id(bot): bot for bot in bots}.values())
        of_bot = {id(bot): k for k, bot in enumerate(self.opponents)}
        self._places[: len(bots)] = [of_bot[id(bot)] for bot in bots]
        alone = len(self.opponents) == 1 and type(self.opponents[0]) is RandomBot
        self._draws = plain(new_generators(self.num_envs, 0)) if alone else None
        shares = split(self.everyone, self._num_threads if alone else 1)
        self._pool = OneOrderPool([partial(self._draw_in, share) for share in shares])

    def begin(self, which: Index) -> None:
        """Deal some games, as in the base class."""
        self._pool.wait()  # as in seed(), which a reset need not call
        super().begin(which)

    def close(self) -> None:
        """Stop the threads."""
        self._pool.stop()

    def seed(self, seeds: Sequence[int | None]) -> None:
        """Seed games, one seed each; None leaves a game's generator as it is.

        All games have the same opponents, which are seeded by the first seed that is given.  Only
        the random opponent has random numbers of its own in every game.
        """
        self._pool.wait()  # for threads that an interrupted step left behind, which draw numbers
        fresh = True
        for i, seed in enumerate(seeds):
            if seed is not None:
                self.generators[i], self.seeds[i] = np.random.default_rng(seed), seed
                self._seed_opponents(i, fresh)
                fresh = False

    def _seed_opponents(self, i: int, fresh: bool) -> None:
        """Draw the opponents' seeds as the Gymnasium environment does, and use them if wanted."""
        drawn = self.generators[i].integers(2**62, size=self.game.num_seats - 1).tolist()
        if self._draws is not None:
            self._draws["rng"][i] = new_generators(1, drawn[-1]).rng[0]
        elif fresh:
            for k, seed in zip(self._places.tolist(), drawn, strict=False):
                self.opponents[k].seed(seed)

    def _seat(self, which: Index) -> None:
        game, results, tables = self.game, self._results, plain(self.game.tables)
        fixed, records = self._fixed_seat, self._games
        for i in which.tolist():
            drawn = self.generators[i].integers
            seat = int(drawn(game.num_seats)) if fixed is None else fixed
            self._learner[i] = seat
            game.kernels.deal(tables, records, i, combine(int(drawn(2**62)), 0))
            if is_dense(self._mode):
                game.kernels.scores(tables, records, i, results.scores[i])
        around = np.arange(game.num_seats) - self._learner[which, None] - 1
        self._sitting[which] = self._places[around % game.num_seats % len(self._places)]

    # Random opponents are drawn and played by one order, without asking a bot.

    def _play_round(self, legal: Index, actions: Index, lost: Index) -> None:
        if self._draws is None:
            super()._play_round(legal, actions, lost)
            return
        self._given[:] = NO_ACTION
        self._given[legal] = actions[legal]
        ended = self._draw(self.everyone, self._pool.run)
        self._forfeit(lost)
        self._play_opponents(np.concatenate([ended, lost]))

    def _play_opponents(self, which: Index) -> None:
        if self._draws is None:
            super()._play_opponents(which)
            return
        while (which := which[~self.over[which]]).size:
            self._given[which] = NO_ACTION
            which = self._draw(which, partial(self._draw_in, which))

    def _look_last(self, which: Index) -> None:
        if self._draws is None:  # otherwise the order has looked
            super()._look_last(which)

    def _draw(self, which: Index, play: Callable[[], None]) -> Index:
        """Play up to the learners' decisions, and look at these; return the games that ended."""
        plies, over = self._games["ply"], self._results.over
        before = int(plies[which].sum())
        play()
        self.decisions += int(plies[which].sum()) - before
        self._collect(which)
        ended: Index = which[(over[which] != NOT_OVER) & ~self.over[which]]
        self._end(ended)
        return ended

    def _draw_in(self, which: Index) -> None:
        """Play some of the games up to the learners' decisions; several threads may do so."""
        share = Share(
            number=0,
            which=which,
            rows=which,
            actions=self._given,
            drawn=self._drawn,
            generators=self._draws,
            mask=self._theirs.masks[0, :0],
            numbers=np.zeros(self.game.observation_size, np.int8),
            until=self._learner,
        )
        self._kernels.play_round(self._games, share, self._mode, self._results, self.views)


def learners_seat(game: Game, seat: int | None) -> int | None:
    """Return the learner's seat; None if it is drawn for every game.

    Raises:
        InvalidOption: there is no such seat.
    """
    last = game.num_seats - 1
    return (
        None if seat is None else check_whole("seat=", seat, 0, last, f"None or a seat 0..{last}")
    )


def seat_opponents(game: Game, opponent: Opponents | None) -> list[Bot]:
    """Return the bots of the other seats, in the order after the learner.

    Args:
        game: the game.
        opponent: a bot for all other seats, or one for each of them; None: random bots.

    Raises:
        SprawlError: there is no such bot, or another number of bots.
    """
    others = game.num_seats - 1
    if opponent is None:
        return [RandomBot()] * others
    if isinstance(opponent, str) or not isinstance(opponent, Sequence):
        return [as_bot(opponent, game, what="opponent")] * others
    if len(opponent) != others:
        raise InvalidOption(f"opponent: expected one bot or {others}, got {len(opponent)}")
    return [as_bot(bot, game, k, "opponent") for k, bot in enumerate(opponent)]
