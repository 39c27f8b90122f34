"""Masked PPO by self-play (Schulman et al., 2017; Huang & Ontañón, 2022), from games to gradients.

Each process of the group plays its own batch of games (:class:`SelfPlay`) and holds its rows of the
rollout (:class:`Rollout`); all have the same weights, because gradients are averaged over the group
(:func:`differentiate`).  One round is::

    rollout = games.collect(learner.net)
    learner.update(games.estimate(rollout), ...)

Most games are played by the learner on every seat, and all its seats learn.  In the others it has
one seat, among its own earlier networks or bots.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from sprawl_env.adapters.vector import make_vec
from sprawl_env.bots.policy.checkpoint import ILLEGAL_LOGIT
from sprawl_env.bots.policy.network import network_for
from sprawl_env.bots.protocol import Bot, ask
from sprawl_env.core.game import Game
from sprawl_env.core.rewards import victory_shares
from sprawl_env.core.state import AUTOMATON, Games
from sprawl_env.kernels.arrays import Floats, Index
from sprawl_env.kernels.rng import combine
from sprawl_env.learning.config import Config
from sprawl_env.learning.flat import FlatModule
from sprawl_env.learning.loss_kernels import BatchArrays, DemonstrationArrays, LossKernel, Terms
from sprawl_env.learning.process import threads_of
from sprawl_env.learning.team import Team

LEARNER: Final = 0  # who sits on a seat: the network that learns
PAST: Final = 1  # the earlier network of this rollout
FIRST_BOT: Final = 2  # the first of the bots
OPENING: Final = -1  # nobody: the ply is random
NOT_LEARNT: Final = -1  # the row of a decision that was not the learner's
GAMES_FOR_DISCOUNT: Final = 64  # that are played to count decisions
LONG: Final = 50  # decisions of a seat from which a game is long
CLIP: Final = 0.2  # of the ratio of new and old probability
VALUE_WEIGHT: Final = 0.5
LARGEST_GRADIENT: Final = 0.5  # norm
ADAM_EPSILON: Final = 1e-5
STATISTICS: Final = ("policy_gain", "value_loss", "entropy", "approx_kl", "clip_fraction")
PARTS: Final = ("environment", "inference", "opponents", "update", "waiting")  # of the time

Loss = Callable[[Tensor], tuple[Tensor, Tensor]]


class ActorCritic(FlatModule):
    """The network of a policy with a value head.

    Its tensors have the names that a policy of Stable-Baselines3 gives them, so that checkpoints of
    both are the same.

    Args:
        game: whose observations and actions it takes.
        width: of the layers for each kind of thing, see
            :class:`~sprawl_env.bots.policy.network.EntityNet`.
        trunk: of the layers for the whole observation.
        low: multiply matrices in bfloat16, on a GPU; the weights are float32 all the same.
    """

    def __init__(self, game: Game, width: int, trunk: int, low: bool = False) -> None:
        super().__init__()
        self.low = low
        self.mlp_extractor = network_for(game, width, trunk)
        self.value_net = nn.Linear(trunk, 1)
        self.scales: Tensor
        scales = torch.from_numpy(game.observation_layout.scales.copy())
        self.register_buffer("scales", scales, persistent=False)
        self.flatten()

    @property
    def in_rows(self) -> bool:
        """Whether kernels compute the network and its loss row by row: on a processor."""
        return not self.flat.is_cuda

    def forward(self, numbers: Tensor, masks: Tensor) -> tuple[Tensor, Tensor]:
        """Return logits ``[n, num_actions]``, very low if illegal, and values ``[n]``.

        Args:
            numbers: int8 ``[n, observation_size]``, observations as whole numbers.
            masks: int8 ``[n, num_actions]``.
        """
        with torch.autocast("cuda", torch.bfloat16, enabled=self.low):
            logits, summary = self.mlp_extractor(numbers.float() * self.scales)
            values = self.value_net(summary)
        return logits.float().masked_fill(masks == 0, ILLEGAL_LOGIT), values.float().flatten()

    @torch.inference_mode()
    def sample(self, numbers: Tensor, masks: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return sampled actions ``[n]``, their log probabilities and the values."""
        return sampled(*self(numbers, masks))

    @torch.inference_mode()
    def silent_units(self, numbers: Tensor) -> dict[str, float]:
        """Return, for each hidden layer, the share of units that are 0 in all observations.

        Such a unit learns nothing from them; of many, the network is as if it were smaller.

        Args:
            numbers: int8 ``[n, observation_size]``, observations as whole numbers.
        """
        found: dict[str, float] = {}

        def watch(name: str, units: Tensor) -> None:
            found[name] = float((units.flatten(0, -2).amax(dim=0) <= 0).float().mean())

        self.mlp_extractor(numbers.float() * self.scales, watch)
        return found

    def revive(self, numbers: Tensor) -> int:
        """Give silent units new weights, see :meth:`EntityNet.revive`; outputs stay the same."""
        seen = numbers.float() * self.scales
        return self.mlp_extractor.revive(seen, [self.value_net.weight])


class RowPlayer:
    """A network on a processor, as its weights are now, that decides row by row.

    Args:
        kernel: of a network of the same shape.
        net: the network.
    """

    def __init__(self, kernel: LossKernel, net: ActorCritic) -> None:
        flat = net.flat.detach().numpy()
        self._net, head = kernel.net.with_weights(flat), torch.from_numpy(flat[kernel.head].copy())
        self._weight, self._bias = head[:-1], head[-1]

    def sample(self, numbers: Tensor, masks: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return sampled actions ``[n]``, their log probabilities and the values."""
        logits, summaries = map(torch.from_numpy, self._net(numbers.numpy(), masks.numpy()))
        values = torch.mv(summaries, self._weight).add_(self._bias)
        return sampled(logits.masked_fill_(masks == 0, ILLEGAL_LOGIT), values)


Player = ActorCritic | RowPlayer


def actor_critic(config: Config, game: Game) -> ActorCritic:
    """Return an untrained network with the settings of a run."""
    return ActorCritic(game, config.width, config.trunk, low=config.precision == "bfloat16")


def sampled(logits: Tensor, values: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return sampled actions ``[n]``, their log probabilities, and the values as given."""
    probabilities = torch.softmax(logits, dim=1)
    actions = draw(probabilities)
    return actions, chosen(probabilities, actions).log(), values


def draw(probabilities: Tensor) -> Tensor:
    """Sample one action per row by inverting the cumulative distribution."""
    cumulative = probabilities.cumsum(dim=1)
    drawn = torch.rand(len(cumulative), 1, device=cumulative.device) * cumulative[:, -1:]
    # rounding can make a drawn number equal the total: then take the last possible action
    last = (cumulative < cumulative[:, -1:]).sum(dim=1)
    return torch.minimum((cumulative <= drawn).sum(dim=1), last)


def chosen(table: Tensor, actions: Tensor) -> Tensor:
    """Return the entry of one action per row."""
    return table.gather(1, actions.unsqueeze(1)).flatten()


class Stopwatch:
    """Adds up where the time of a process goes, by name."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Start again from 0."""
        self.seconds = dict.fromkeys(PARTS, 0.0)

    @contextmanager
    def on(self, part: str) -> Iterator[None]:
        """Count the time inside the block, less that of blocks inside it, for one part."""
        start, inside = time.perf_counter(), sum(self.seconds.values())
        try:
            yield
        finally:
            spent = time.perf_counter() - start
            self.seconds[part] += spent - (sum(self.seconds.values()) - inside)

    def shares(self) -> dict[str, float]:
        """Return each part's share of the time measured."""
        total = max(sum(self.seconds.values()), 1e-9)
        return {part: spent / total for part, spent in self.seconds.items()}


@dataclass
class Rollout:
    """``steps`` plies of ``n`` games, of which the learner's decisions have rows of their own.

    Attributes:
        numbers: int8 ``[steps * n, observation_size]``; only the first ``used`` rows count.
        masks: int8 ``[steps * n, num_actions]``.
        actions: int64 ``[steps * n]``.
        log_probs: float32 ``[steps * n]``, of the actions when they were played.
        values: float32 ``[steps * n]``, estimated when they were played.
        used: number of rows that hold a decision.
        row: int64 ``[steps, n]``, the row of each decision; ``NOT_LEARNT`` if not the learner's.
        seats: int64 ``[steps, n]``, who decided.
        rewards: float32 ``[steps, n, num_seats]``.
        ended: bool ``[steps, n]``, the game ended with this ply.
    """

    numbers: Tensor
    masks: Tensor
    actions: Tensor
    log_probs: Tensor
    values: Tensor
    used: int
    row: Index
    seats: Index
    rewards: Floats
    ended: npt.NDArray[np.bool_]


class Going(NamedTuple):
    """Games in the middle of play.

    Attributes:
        games: records ``[n]``.
        sitting: int64 ``[n, num_seats]``, who plays each seat.
        opening: int64 ``[n]``, number of random plies that are still to come.
    """

    games: Games
    sitting: Index
    opening: Index


class Batch(NamedTuple):
    """Decisions to learn from, a row each; all tensors ``[n, ...]``.

    Attributes:
        numbers: int8 ``[n, observation_size]``.
        masks: int8 ``[n, num_actions]``.
        actions: int64 ``[n]``.
        log_probs: float32 ``[n]``.
        advantages: float32 ``[n]``, with mean 0 and standard deviation 1 over all processes.
        returns: float32 ``[n]``, what the value should have been.
        rows: int64 ``[m]``, the rows that count.
    """

    numbers: Tensor
    masks: Tensor
    actions: Tensor
    log_probs: Tensor
    advantages: Tensor
    returns: Tensor
    rows: Tensor


@dataclass
class SelfPlay:
    """The games of one process: the learner plays itself, its past and bots.

    Args:
        config: the settings of the run.
        game: the game.
        team: the process group.
        device: where the network computes.
        bots: opponents, with the shares of all games in which they play.
        watch: counts the time.

    Attributes:
        discount: factor for each further decision of a seat.
        sitting: int64 ``[n, num_seats]``, who plays each seat of each game.
        opening: int64 ``[n]``, number of random plies that are still to come.
        past: earlier networks, oldest first.
        won: for each kind of opponent, the shares of victories of the learner in games that ended
            since the list was emptied.
    """

    config: Config
    game: Game
    team: Team
    device: torch.device
    bots: Sequence[tuple[Bot, float]] = ()
    watch: Stopwatch = field(default_factory=Stopwatch)
    past: list[ActorCritic] = field(default_factory=list)
    won: list[tuple[str, float]] = field(default_factory=list)

    def __post_init__(self) -> None:
        config, game = self.config, self.game
        self.discount = config.gamma or usual_discount(game)
        self.n = config.num_envs // self.team.size
        self._vec = make_vec(
            game,
            self.n,
            reward=config.reward,
            observations="int8",
            skip_forced=True,
            num_threads=threads_of(self.device),
        )
        rows = config.num_steps * self.n
        on: dict[str, Any] = {"device": self.device}
        self._numbers = torch.zeros(rows, game.observation_size, dtype=torch.int8, **on)
        self._masks = torch.zeros(rows, game.num_actions, dtype=torch.int8, **on)
        self._actions = torch.zeros(rows, dtype=torch.int64, **on)
        self._log_probs = torch.zeros(rows, **on)
        self._values = torch.zeros(rows, **on)
        self.sitting: Index = np.zeros((self.n, game.num_seats), np.int64)
        self.opening: Index = np.zeros(self.n, np.int64)
        self._kernel: LossKernel | None = None

    def begin(self, step: int, going: Going | None = None) -> None:
        """Seed all random numbers for what follows ``step``, and deal or go on.

        Everything after this call depends only on the seed, the step, the positions, the weights
        and the past networks; so a run that is resumed here is the run that was not stopped.

        Args:
            step: decisions learned from so far.
            going: the games to continue; None: deal.

        Raises:
            InvalidOption: positions that no play can reach.
        """
        seed = combine(combine(self.config.seed, self.team.rank), step)
        self._rng = np.random.default_rng(seed)
        torch.manual_seed(seed)
        for k, (bot, _) in enumerate(self.bots):
            bot.seed(combine(seed, k) >> 32)
        self._vec.reset(seed=seed)
        if going is None:
            self._seat(np.arange(self.n))
        else:
            self._vec.load(going.games)
            self.sitting, self.opening = going.sitting.copy(), going.opening.copy()

    @property
    def numbers(self) -> Tensor:
        """Observations of the seats to play in the games at this moment, int8 ``[n, size]``."""
        return torch.from_numpy(self._vec.observations.copy()).to(self.device)

    @property
    def going(self) -> Going:
        """The games that are being played; copies."""
        return Going(self._vec.games, self.sitting.copy(), self.opening.copy())

    def _seat(self, which: Index) -> None:
        """Decide who plays in new games, and how many of their plies are random."""
        count, most = which.size, self.config.opening_plies
        drawn = self._rng.random(count) < self.config.opening_share
        self.opening[which] = np.where(drawn, self._rng.integers(1, most + 1, count), 0)
        self.sitting[which] = self._seated(count)

    def _seated(self, count: int) -> Index:
        """Return who plays the seats of ``count`` new games, ``[count, num_seats]``."""
        seats = self.game.num_seats
        sitting = np.full((count, seats), LEARNER)
        if seats == 1:
            return sitting
        shares = [self.config.past_share if self.past else 0.0, *(share for _, share in self.bots)]
        kinds = np.searchsorted(np.cumsum(shares), self._rng.random(count), side="right")
        others = np.flatnonzero(kinds < len(shares))
        sitting[others] = PAST + kinds[others, np.newaxis]
        sitting[others, self._rng.integers(seats, size=others.size)] = LEARNER
        return sitting

    def collect(self, net: ActorCritic) -> Rollout:
        """Play ``num_steps`` plies of all games and return them; the next call overwrites them."""
        config, vec, each = self.config, self._vec, np.arange(self.n)
        shape = config.num_steps, self.n
        out = Rollout(
            self._numbers, self._masks, self._actions, self._log_probs, self._values,
            used=0,
            row=np.full(shape, NOT_LEARNT),
            seats=np.zeros(shape, np.int64),
            rewards=np.zeros((*shape, self.game.num_seats), np.float32),
            ended=np.zeros(shape, np.bool_),
        )  # fmt: skip
        past = self._player(self.past[self._rng.integers(len(self.past))] if self.past else net)
        learner = self._player(net)
        actions = np.zeros(self.n, np.int64)
        for t in range(config.num_steps):
            out.seats[t] = vec.to_play
            acting = np.where(self.opening > 0, OPENING, self.sitting[each, vec.to_play])
            mine = np.flatnonzero(acting == LEARNER)
            if mine.size:
                with self.watch.on("inference"):
                    actions[mine] = self._decide(learner, mine, out)
                    out.row[t, mine] = np.arange(out.used - mine.size, out.used)
            if mine.size < self.n:
                with self.watch.on("opponents"):
                    self._answer(acting, past, actions)
            with self.watch.on("environment"):
                step = vec.step(actions)
                out.rewards[t] = step.rewards
                out.ended[t] = step.terminated | step.truncated
                self.opening -= self.opening > 0
                if out.ended[t].any():
                    self._count()
        return out

    def _player(self, net: ActorCritic) -> Player:
        """Return what samples the decisions of a network until it is changed."""
        if not net.in_rows:
            return net
        self._kernel = self._kernel or loss_kernel(net)
        return RowPlayer(self._kernel, net)

    def _decide(self, net: Player, which: Index, out: Rollout) -> Index:
        """Return the learner's actions in some games, and store the decisions."""
        numbers, masks = self._seen(which)
        rows = slice(out.used, out.used + which.size)
        out.numbers[rows], out.masks[rows] = numbers, masks
        out.actions[rows], out.log_probs[rows], out.values[rows] = net.sample(numbers, masks)
        out.used += which.size
        actions: Index = out.actions[rows].cpu().numpy()
        return actions

    def _answer(self, acting: Index, past: Player, actions: Index) -> None:
        """Write the actions of opponents and of openings."""
        which = np.flatnonzero(acting == OPENING)
        if which.size:
            actions[which] = self._vec.sample_actions()[which]
        which = np.flatnonzero(acting == PAST)
        if which.size:
            actions[which] = past.sample(*self._seen(which))[0].cpu().numpy()
        games = None
        for k, (bot, _) in enumerate(self.bots):
            which = np.flatnonzero(acting == FIRST_BOT + k)
            if which.size:
                games = self._vec.games if games is None else games
                numbers = self._vec.observations[which if bot.needs_observations else which[:0]]
                seen = numbers * self.game.observation_layout.scales
                actions[which] = ask(bot, self.game, games, which, seen, self._vec.masks[which])

    def _seen(self, which: Index) -> tuple[Tensor, Tensor]:
        """Return observations and masks of some games, on the device."""
        numbers, masks = self._vec.observations, self._vec.masks
        if which.size < self.n:
            numbers, masks = numbers[which], masks[which]
        return torch.from_numpy(numbers).to(self.device), torch.from_numpy(masks).to(self.device)

    def _count(self) -> None:
        """Note the results of the games that have just ended, and seat the next ones."""
        ended = self._vec.ended
        shares = victory_shares(ended.standings)
        alone = self.game.num_seats == 1
        for i, sitting in enumerate(self.sitting[ended.which]):
            kinds = np.flatnonzero(sitting != LEARNER)
            if alone or kinds.size:
                kind = None if alone else int(sitting[kinds[0]])
                own = 0 if alone else int(np.flatnonzero(sitting == LEARNER)[0])
                self.won.append((self._name_of(kind), float(shares[i, own])))
        self._seat(ended.which)

    def _name_of(self, kind: int | None) -> str:
        """Return the name of a kind of opponent; None is that of a game with one seat."""
        if kind is None:
            return AUTOMATON
        return "past" if kind == PAST else self.bots[kind - FIRST_BOT][0].name

    def estimate(self, rollout: Rollout) -> Batch:
        """Return the decisions of a rollout with their advantages, normalised over all ranks."""
        config = self.config
        learnt = rollout.row != NOT_LEARNT
        values = np.zeros(rollout.row.shape, np.float32)
        values[learnt] = rollout.values.cpu().numpy()[rollout.row[learnt]]
        gains, known = advantages(
            rollout.seats,
            rollout.rewards * np.float32(config.reward_scale),
            rollout.ended,
            values,
            discount=self.discount,
            gae_lambda=config.gae_lambda,
        )
        learnt &= known
        found = gains[learnt]
        with self.watch.on("waiting"):
            sums = np.array([found.size, found.sum(), np.square(found).sum()])
            count, total, squares = self.team.all_reduce(sums).tolist()
        count = max(count, 1)
        mean = total / count
        deviation = max(squares / count - mean**2, 0.0) ** 0.5
        rows = torch.from_numpy(rollout.row[learnt]).to(self.device)
        normal = torch.zeros_like(rollout.values)
        returns = rollout.values.clone()
        normal[rows] = torch.from_numpy((found - mean) / (deviation + 1e-8)).float().to(self.device)
        returns[rows] += torch.from_numpy(found).float().to(self.device)
        return Batch(
            rollout.numbers, rollout.masks, rollout.actions, rollout.log_probs, normal, returns,
            rows,
        )  # fmt: skip


def usual_discount(game: Game) -> float:
    """Return 0.99 if a seat decides less than ``LONG`` times in a random game, else 0.998."""
    vec = make_vec(game, GAMES_FOR_DISCOUNT, skip_forced=True)
    vec.reset(seed=0)
    left, goes_on = LONG * game.num_seats * vec.num_envs, np.ones(vec.num_envs, np.bool_)
    while goes_on.any() and left > 0:
        left -= int(goes_on.sum())
        vec.step(vec.sample_actions())
        goes_on &= ~(vec.terminated | vec.truncated)
    return 0.99 if left > 0 else 0.998


def advantages(
    seats: Index,
    rewards: Floats,
    ended: npt.NDArray[np.bool_],
    values: Floats,
    *,
    discount: float,
    gae_lambda: float,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Return the generalized advantage estimates of consecutive plies (Schulman et al., 2016).

    The reward of a decision is all that its seat earns until its next decision in the same game, or
    until the end of the game.  For a seat's last decision in a game that goes on, it is not known:
    its value is the estimate of what follows the decision before it, and it has no estimate of its
    own.

    Args:
        seats: int64 ``[T, n]``, who decided.
        rewards: ``[T, n, num_seats]``, what the ply paid.
        ended: bool ``[T, n]``, the game ended with the ply.
        values: ``[T, n]``, estimated for the seat that decided, before it did.
        discount: factor for each further decision of the same seat.
        gae_lambda: the lambda of the estimates.

    Returns:
        The estimates, float64 ``[T, n]``, and where there is one, bool ``[T, n]``.
    """
    steps, games = seats.shape
    shape = games, rewards.shape[2]
    each = np.arange(games)
    pending, value, advantage = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    follows = np.zeros(shape, np.bool_)  # a later decision or the end of the game is known
    found, known = np.zeros(seats.shape), np.zeros(seats.shape, np.bool_)
    for t in reversed(range(steps)):
        for state in (pending, value, advantage):
            state[ended[t]] = 0
        follows[ended[t]] = True
        pending += rewards[t]
        own = each, seats[t]
        known[t] = follows[own]
        delta = pending[own] + discount * value[own] - values[t]
        found[t] = np.where(known[t], delta + discount * gae_lambda * advantage[own], 0)
        advantage[own], value[own], pending[own], follows[own] = found[t], values[t], 0, True
    return found, known


class Learner:
    """The network of one rank and its optimizer.

    The loss is written twice: in :meth:`_loss` for automatic differentiation, and, faster, as a
    kernel that is used on a processor in float32.  If you change the loss, change :meth:`_loss`
    and set ``kernel = None``.

    Args:
        config: the settings of the run.
        game: the game.
        team: the process group; the weights are the same in every rank.
        device: where it computes.
        watch: counts the time.
    """

    def __init__(
        self, config: Config, game: Game, team: Team, device: torch.device, watch: Stopwatch
    ) -> None:
        torch.manual_seed(config.seed)
        self.config, self.team, self.device, self.watch = config, team, device, watch
        self.net = actor_critic(config, game).to(device)
        self.net.flatten()
        self.kernel = loss_kernel(self.net) if self.net.in_rows else None
        self.optimizer = torch.optim.Adam(
            [self.net.flat], lr=config.learning_rate, eps=ADAM_EPSILON, fused=True
        )

    def update(self, batch: Batch, annealing: float) -> tuple[int, Mapping[str, float]]:
        """Take the gradient steps of one rollout.

        Args:
            batch: this rank's decisions.
            annealing: factor on the step size and the entropy bonus.

        Returns:
            The number of decisions of all ranks that were used, and the means of ``STATISTICS``.
        """
        config, watch = self.config, self.watch
        for group in self.optimizer.param_groups:
            group["lr"] = config.learning_rate * annealing
        with watch.on("waiting"):
            sizes = self.team.all_gather(len(batch.rows))
        steps = math.ceil(max(sizes) / max(1, config.batch_size // self.team.size))
        totals = torch.zeros(len(STATISTICS))
        summed = self.summed(batch, config.entropy * annealing)
        with watch.on("update"):
            for _ in range(config.num_epochs if steps else 0):
                order = torch.randperm(len(batch.rows)).to(self.device)
                for rows in torch.tensor_split(batch.rows[order], steps):
                    totals += share_gradient(self.team, self.net.flat, *summed(rows), watch)
                    nn.utils.clip_grad_norm_([self.net.flat], LARGEST_GRADIENT)
                    self.optimizer.step()
        count = int(sum(sizes))
        means = totals / max(count * config.num_epochs, 1)
        return count, dict(zip(STATISTICS, means.tolist(), strict=True))

    def summed(self, batch: Batch, entropy_weight: float) -> Callable[[Tensor], Summed]:
        """Return the gradient of the loss, and the statistics, as a function of rows.

        On a processor a kernel computes both (:mod:`sprawl_env.learning.loss_kernels`).
        """
        kernel = self.kernel
        if kernel is None:
            loss = self._loss(batch, entropy_weight)
            return lambda rows: gradient_of(loss, rows, list(self.net.parameters()))
        terms = Terms(CLIP, VALUE_WEIGHT, entropy_weight)
        data = BatchArrays(*(tensor.numpy() for tensor in batch))

        def summed(rows: Tensor) -> Summed:
            flat = self.net.flat.detach().numpy()
            return summed_by(kernel, flat, data._replace(rows=rows.numpy()), terms)

        return summed

    def _loss(self, batch: Batch, entropy_weight: float) -> Loss:
        """Return the loss of PPO as a function of rows."""

        def loss(rows: Tensor) -> tuple[Tensor, Tensor]:
            # index_select: torch's indexing takes ten times as long with rows of int8
            numbers, masks = (x.index_select(0, rows) for x in (batch.numbers, batch.masks))
            logits, values = self.net(numbers, masks)
            log_probs = torch.log_softmax(logits, dim=1)
            # softmax: torch's exp takes ten times as long where the result is subnormal or 0
            entropy = -(torch.softmax(logits, dim=1) * log_probs).sum(dim=1)
            change = chosen(log_probs, batch.actions[rows]) - batch.log_probs[rows]
            ratio, advantage = change.exp(), batch.advantages[rows]
            gain = torch.min(advantage * ratio, advantage * ratio.clamp(1 - CLIP, 1 + CLIP))
            error = (values - batch.returns[rows]).square()
            total = VALUE_WEIGHT * error - gain - entropy_weight * entropy
            clipped = (ratio - 1).abs() > CLIP
            statistics = torch.stack([gain, error, entropy, ratio - 1 - change, clipped])
            return total.sum(), statistics.sum(dim=1)

        return loss


class Summed(NamedTuple):
    """What the rows of a gradient step give, added up.

    Attributes:
        gradient: of the loss, float32 ``[parameters]``.
        statistics: float32 ``[n]``.
        rows: their number.
    """

    gradient: Tensor
    statistics: Tensor
    rows: int


def summed_by(
    kernel: LossKernel, flat: Floats, data: BatchArrays | DemonstrationArrays, terms: Terms
) -> Summed:
    """Return the gradient and the statistics that a kernel computes."""
    gradient, statistics = map(torch.from_numpy, kernel(flat, data, terms))
    return Summed(gradient, statistics.float(), len(data.rows))


def gradient_of(loss: Loss, rows: Tensor, leaves: Sequence[Tensor]) -> Summed:
    """Differentiate a loss.

    Args:
        loss: maps rows to the sum of their losses and the sums of their statistics ``[n]``.
        rows: indices of this rank's samples.
        leaves: the parameters that it is differentiated by; it must depend on each of them.
    """
    total, statistics = loss(rows)
    gradients = torch.autograd.grad(total, leaves)
    flat = torch.cat([gradient.flatten() for gradient in gradients])
    return Summed(flat, statistics.detach().flatten(), len(rows))


def differentiate(
    team: Team,
    flat: Tensor,
    leaves: Sequence[Tensor],
    rows: Tensor,
    loss: Loss,
    watch: Stopwatch,
) -> Tensor:
    """Set the gradient to that of the mean loss over all ranks' rows, and return the statistics.

    See :func:`gradient_of` and :func:`share_gradient`.
    """
    return share_gradient(team, flat, *gradient_of(loss, rows, leaves), watch)


def share_gradient(
    team: Team, flat: Tensor, gradient: Tensor, statistics: Tensor, rows: int, watch: Stopwatch
) -> Tensor:
    """Set the gradient of all parameters to that of the mean loss over all ranks' rows.

    Args:
        team: the process group.  All ranks must call this function; all get the same gradient.
        flat: all parameters ``[n]``; its ``grad`` is set.
        gradient: see :class:`Summed`, as the next two.
        statistics: of this rank's rows.
        rows: their number.
        watch: counts the time that the ranks wait for each other.

    Returns:
        The statistics, summed over the rows of all ranks, float32 ``[n]``.
    """
    count = gradient.new_tensor([rows])
    sums = torch.cat([part.float() for part in (gradient, statistics, count)])
    if team.size > 1:
        mine = sums.cpu().numpy()
        with watch.on("waiting"):
            reduced = team.all_reduce(mine)
        sums = torch.from_numpy(reduced).to(sums.device)
    mean, statistics, number = torch.split(sums, [len(flat), statistics.numel(), 1])
    flat.grad = mean.div_(number)
    return statistics.cpu()


def loss_kernel(net: ActorCritic) -> LossKernel:
    """Return the loss of a network on a processor as a kernel."""
    parts, length = {}, 0
    for name, parameter in net.named_parameters():
        parts[name.removeprefix("mlp_extractor.")] = length
        length += parameter.numel()
    head, shape = parts["value_net.weight"], net.mlp_extractor.shape
    return LossKernel(shape, shape.layout.scales, parts, head)
