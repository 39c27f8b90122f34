"""Many games with one learner's seat each, and bots in the other seats.

The adapters for frameworks whose learner owns one seat are thin classes over these: a step plays
the learners' actions and then the opponents' actions, in batches, until every learner owes a
decision again or its game is over.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from sprawl_env.adapters.illegal import Flags, Illegal, with_last
from sprawl_env.bots.names import as_bot
from sprawl_env.bots.protocol import Bot, answer
from sprawl_env.bots.random import RandomBot
from sprawl_env.core.batch import BatchKernels, Share, new_results, new_views
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
from sprawl_env.core.rewards import WINNER, RewardFunction, is_dense, own_rewards, reward_mode
from sprawl_env.core.state import AUTOMATON, FINISHED, NOT_OVER, Games, clone, plain, raw_bytes
from sprawl_env.kernels.arrays import Floats, Index, Ints
from sprawl_env.kernels.masks import new_generators
from sprawl_env.kernels.rng import MAX_SEED, combine

Opponents = str | Bot | type[Bot] | Sequence[str | Bot | type[Bot]]

UNSEEDED: Final = -1  # no seed, as Gymnasium says it
IGNORED: Final = 0  # the action in the mask of a game that is over


class Ending(NamedTuple):
    """How a game ended for its learner.

    Attributes:
        seat: the learner's.
        observation: the learner's last one, float32 or int8 ``[observation_size]``.
        scores: int32 ``[num_sides]``, final points.
        standings: int32 ``[num_sides]``, the ranking; a larger number is a better place.
        over: ``FINISHED`` or ``TRUNCATED``.
        illegal: the learner lost by an illegal action.
        opponents: names of the bots in the other seats, and of an automaton.
        returned: the learner's rewards up to the step before.
        length: the learner's decisions.
        before: with a reward function, the record ``[1]`` at the last report; otherwise None.
        after: with a reward function, the last position, a record ``[1]``; otherwise None.
    """

    seat: int
    observation: npt.NDArray[Any]
    scores: Ints
    standings: Ints
    over: int
    illegal: bool
    opponents: list[str]
    returned: np.float32
    length: int
    before: Games | None
    after: Games | None

    @property
    def won(self) -> bool:
        """Whether the learner won or shared the victory."""
        standings = self.standings.tolist()
        return bool(standings[self.seat] == max(standings))

    @property
    def share(self) -> float:
        """The learner's share of the victory, 0..1."""
        standings = self.standings.tolist()
        return float(self.won) / int(standings.count(max(standings)))


@dataclass(frozen=True, kw_only=True)
class LearnerSettings:
    """The settings of :class:`LearnerGames`, which its adapters document."""

    reward: str | RewardFunction = "winner"
    scale: float = 1.0
    observations: str = "float32"
    illegal: str = "raise"


class LearnerGames(ABC):
    """``num_envs`` games, each with one learner's seat and bots in the other seats.

    A reward is the sum of the learner's rewards until its next decision or the end of the game.
    What it earns before its first decision is paid with the first step.  A game that ends before
    the learner's first decision is re-dealt and leaves no trace.

    Attributes:
        opponents: the bots.
        earned: float32 ``[num_envs]``, the rewards of the last step.
        endings: by index, the games that ended in the last step.
        over: bool ``[num_envs]``, the games that ended and were not re-dealt.
        views: observations and masks of the learners' decisions, by game; overwritten.
        decisions: of learners and opponents together.
    """

    redeals = True  # whether an ended game is re-dealt in the same step

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
        self._function = reward if callable(reward) else None
        self._mode = WINNER if callable(reward) else reward_mode(reward)
        self._scale = np.float32(settings.scale)
        self._kernels = BatchKernels(game)
        self._games = plain(game.blanks(num_envs))
        self._reported = game.empty(num_envs if self._function else 0)
        self.everyone: Index = np.arange(num_envs)
        self.views = new_views(game, num_envs, settings.observations)
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
        self.endings: dict[int, Ending] = {}
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

    @abstractmethod
    def _seat(self, which: Index) -> None:
        """Choose the seats of learners and opponents in some games, and deal these games."""

    # ------------------------------------------------------------------------------------- calls

    def begin(self, which: Index) -> None:
        """Deal some games and play up to each learner's first decision.

        Raises:
            InvalidOption: every game ends before the learner's first decision.
        """
        self.endings = {}
        self._deals[which] = 0
        self._deal(which)
        self._play_opponents(which)
        self._look(which)

    def checked(self, actions: Any) -> tuple[Index, Flags]:
        """Return the learners' actions, int64 ``[num_envs]``, and which of them lose the game.

        Those of games that are over are ignored.

        Raises:
            IllegalAction: the shape is wrong, or an action is not legal and does not lose.
        """
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
        waiting, acting = np.flatnonzero(self.over), ~self.over
        self.endings = {}
        np.copyto(self.earned, self._carried)
        self._carried[:] = 0
        self._deals[:] = 0
        self._length += 1
        legal = np.flatnonzero(acting & ~loses)
        self._play(legal, actions[legal])
        self._forfeit(np.flatnonzero(acting & loses))
        self._deal(waiting)
        self._play_opponents(self.everyone)
        if self._function is not None:
            self._pay(self._function, legal)
        self._look(self.everyone)
        self._return += self.earned
        self._return[list(self.endings)] = 0

    # ------------------------------------------------------------------------------------- plies

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
        for i in which[decided].tolist():
            self.endings[i] = self._ending(i, illegal)
        self.over[which] = decided & (not self.redeals)
        self._deal(which[~self.over[which]])

    def _ending(self, i: int, illegal: bool) -> Ending:
        """Return how game ``i`` has ended."""
        seat, results, game = int(self._learner[i]), self._results, self.game
        sitting = enumerate(self._sitting[i].tolist())
        others = [self.opponents[k].name for other, k in sitting if other != seat]
        paid_later = self._function is not None
        return Ending(
            seat=seat,
            observation=self._observed(i, seat),
            scores=results.scores[i].copy(),
            standings=results.standings[i].copy(),
            over=int(results.over[i]),
            illegal=illegal,
            opponents=others + [AUTOMATON] * (game.num_sides - game.num_seats),
            returned=self._return[i],
            length=int(self._length[i]),
            before=clone(self._reported, slice(i, i + 1)) if paid_later else None,
            after=clone(self._games, slice(i, i + 1)) if paid_later else None,
        )

    def _observed(self, i: int, seat: int) -> npt.NDArray[Any]:
        """Return what a seat sees of game ``i``."""
        game, kind = self.game, self.views.observations.dtype
        numbers = np.empty(game.observation_size, np.int8)
        game.kernels.observe(plain(game.tables), self._games, i, seat, numbers)
        return numbers if kind == np.int8 else game.observation_layout.to_floats(numbers)

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
        for array in (self._carried, self._return, self._length):
            array[which] = 0
        if self._function is not None:
            self._report(which)

    def _play_opponents(self, which: Index) -> None:
        """Let the opponents play, with the decisions of each bot in one batch."""
        to_play = self._games["to_play"]
        while True:
            which = which[(to_play[which] != self._learner[which]) & ~self.over[which]]
            if which.size == 0:
                return
            bots = self._sitting[which, to_play[which]]
            for k in np.unique(bots) if len(self.opponents) > 1 else bots[:1]:
                group = which[bots == k]
                self._play(group, self._choose(self.opponents[k], group))

    def _choose(self, bot: Bot, which: Index) -> Index:
        """Return the actions of one bot in some games."""
        size = len(which)
        theirs, wants = self._theirs, bot.needs_observations
        self._kernels.look(self._games, which, self.everyone[:size], theirs, observe=wants)
        seen, may = theirs.observations[:size], theirs.masks[:size]
        return answer(bot, self.game, self._games, which, seen, may)

    def _look(self, which: Index) -> None:
        """Write the observations and masks of the learners' decisions."""
        self._kernels.look(self._games, which, which, self.views)
        for i in np.flatnonzero(self.over).tolist():
            if i in self.endings:
                self.views.observations[i] = self.endings[i].observation
            self.views.masks[i] = 0
            self.views.masks[i, IGNORED] = 1

    # ------------------------------------------------------------------------ a reward of one's own

    def _report(self, which: Index) -> None:
        """Note the positions up to which rewards are paid."""
        raw_bytes(self._reported)[which] = raw_bytes(self._games)[which]

    def _pay(self, function: RewardFunction, which: Index) -> None:
        """Add the rewards of a function of one's own in the games in which learners acted."""
        before, after = clone(self._reported, which), clone(self._games, which)
        seats = self._learner[which]
        for k, i in enumerate(which.tolist()):
            ending = self.endings.get(i)
            if ending is not None and ending.before is not None and ending.after is not None:
                raw_bytes(before)[k] = raw_bytes(ending.before)
                raw_bytes(after)[k] = raw_bytes(ending.after)
                seats[k] = ending.seat
        paid = own_rewards(function, self.game, before, after)
        self.earned[which] += paid[np.arange(which.size), seats] * self._scale
        self._report(np.array([i for i in which.tolist() if i not in self.endings], np.int64))


class DrawnGames(LearnerGames):
    """Learners that change their seat from game to game, in turn, and opponents that are drawn.

    The ``k``-th game of env ``i`` is dealt from ``(seed, i, k)``.
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
        self.opponents = [
            as_bot(bot, self.game, (self._seed + k) & MAX_SEED, "opponents")
            for k, bot in enumerate(opponents)
        ]
        self._chances = given / given.sum()

    def start(self, seed: int) -> None:
        """Seed deals, seats, opponents and the draws of opponents."""
        self._seed = check_seed(seed)
        self._rng = np.random.default_rng(self._seed)
        for k, bot in enumerate(self.opponents):
            bot.seed((self._seed + k) & MAX_SEED)

    def reset(self) -> None:
        """Deal every game, each as its first."""
        self._results.episode[:] = 0
        self.begin(self.everyone)

    def _seat(self, which: Index) -> None:
        seats = self.game.num_seats
        self._learner[which] = (which + self._results.episode[which]) % seats
        drawn = self._rng.choice(len(self.opponents), (len(which), seats), p=self._chances)
        self._sitting[which] = drawn
        self._kernels.deal(self._games, which, self._seed, self._mode, self._results)


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
        self._drawn: Index = np.zeros(num_envs, np.int64)  # the action to play next
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

    def seed(self, seeds: Sequence[int | None]) -> None:
        """Seed games, one seed each; None leaves a game's generator as it is.

        All games have the same opponents, which are seeded by the first seed that is given.  Only
        the random opponent has random numbers of its own in every game.
        """
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

    # Random opponents are drawn and played by one call of a kernel, without asking a bot.

    def _play_opponents(self, which: Index) -> None:
        if self._draws is None:
            super()._play_opponents(which)
            return
        while True:
            waits = self._games["to_play"][which] != self._learner[which]
            which = which[waits & ~self.over[which]]
            if which.size == 0:
                return
            self._kernels.look(self._games, which, which, self._theirs, observe=False)
            self._draw(which)

    def _draw(self, which: Index) -> None:
        """Play random actions in some games up to the learners' decisions."""
        none, drawn, results = self._theirs.masks[0, :0], self._drawn, self._results
        before = int(self._games["ply"][which].sum())
        share = Share(0, which, which, drawn, drawn, self._draws, none, none, self._learner)
        self._kernels.draw_until(self._games, share, self._mode, results, self._theirs)
        self.decisions += int(self._games["ply"][which].sum()) - before
        self._collect(which)
        self._end(which[results.over[which] != NOT_OVER])


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
