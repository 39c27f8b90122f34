"""Expert iteration (Anthony et al., 2017; Silver et al., 2017), from games to gradients.

The *player* plays all seats of many games by a search with its network.  A share of the decisions
is searched fully (Wu, "Accelerating self-play learning in Go", 2019): the *learner*, a copy of the
network, learns the improved policies of these searches, the sides' shares of the victory and the
final margins.  From time to time the learner plays a match against the player and takes its place
if it wins at least as often as equal bots would.

Each process of the group plays its own games (:class:`SearchPlay`) and has its own window of rows
(:class:`Window`); all have the same weights, because gradients are averaged over the group.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from sprawl_env.adapters.vector import make_vec
from sprawl_env.arena.games import play_games
from sprawl_env.bots.policy.checkpoint import (
    ILLEGAL_LOGIT,
    NET,
    SHAPE,
    SHARES,
    VALUE,
    Checkpoint,
    head_of,
    reward_scale_of,
)
from sprawl_env.bots.policy.network import network_for
from sprawl_env.bots.policy.player import counted_by, load_network
from sprawl_env.bots.search.bot import LearnedSearchBot
from sprawl_env.bots.search.evaluators import network_evaluator
from sprawl_env.bots.search.heads import LARGEST_ODDS
from sprawl_env.bots.search.search import LIMITS, Evaluator, Noise, TreeConfig, TreeSearch
from sprawl_env.core.game import Game
from sprawl_env.core.rewards import leads, victory_shares
from sprawl_env.kernels.arrays import Floats, Index, Mask
from sprawl_env.kernels.rng import combine
from sprawl_env.learning.expert_config import REVERSE, ExpertConfig
from sprawl_env.learning.flat import FlatModule
from sprawl_env.learning.ppo import Stopwatch, differentiate
from sprawl_env.learning.process import device_of, threads_of
from sprawl_env.learning.team import Team

EPSILON: Final = 1e-5  # of Adam
LARGEST_GRADIENT: Final = 1.0  # norm
WARM_UP: Final = 100  # gradient steps in which the step size grows: Adam knows little at first
LEAST_WANTED: Final = 1e-7  # probability, about the least that a window can hold
STATISTICS: Final = ("policy_loss", "policy_entropy", "share_loss", "margin_error")
REWARD: Final = "lead"  # what the value head counts
SEARCHED: Final = ("gumbel", "scale", "c", "rollout")  # settings that all searches of a run have
OPEN_DECISIONS: Final = 16  # searched decisions of a game for which there is room at first


class SearchNet(FlatModule):
    """The network of a policy with heads for the change of the lead and the shares of the victory.

    The shares are made of the expected margin; their head adds to them
    (:func:`sprawl_env.bots.search.heads.judge_sides`).

    Args:
        game: whose observations and actions it takes.
        width: see :class:`~sprawl_env.bots.policy.network.EntityNet`.
        trunk: likewise.
        reward_scale: factor on points in the value head.
        spread: points of margin at which a victory is e times likelier.
    """

    def __init__(
        self, game: Game, width: int, trunk: int, reward_scale: float, spread: float
    ) -> None:
        super().__init__()
        self._reward_scale, self._spread = reward_scale, spread
        self.mlp_extractor = network_for(game, width, trunk)
        self.value_net = nn.Linear(trunk, 1)
        self.share_net = nn.Linear(trunk, game.num_sides)
        self.scales: Tensor
        scales = torch.from_numpy(game.observation_layout.scales.copy())
        self.register_buffer("scales", scales, persistent=False)
        with torch.no_grad():
            for head in (self.value_net, self.share_net):
                head.weight.zero_()
                head.bias.zero_()
        self.flatten()

    def forward(
        self, numbers: Tensor, masks: Tensor, leads: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return logits, very low if illegal, the shares' logits, and the expected margins ``[n]``.

        Args:
            numbers: int8 ``[n, observation_size]``.
            masks: int8 ``[n, num_actions]``.
            leads: float32 ``[n]``, points of the observer now less the mean of the others'.
        """
        logits, summary = self.mlp_extractor(numbers * self.scales)
        margins = leads + self.value_net(summary).flatten() / self._reward_scale
        odds = (margins.detach() / self._spread).clamp(-LARGEST_ODDS, LARGEST_ODDS)
        shares = self.share_net(summary)
        shares = torch.cat([shares[:, :1] + odds[:, None], shares[:, 1:]], dim=1)
        return logits.masked_fill(masks == 0, ILLEGAL_LOGIT), shares, margins


def network_of(checkpoint: Checkpoint, game: Game, reward_scale: float, spread: float) -> SearchNet:
    """Return a network with a checkpoint's weights.

    A head that it has not is new, and both are if its values are no changes of the lead.

    Args:
        checkpoint: of a policy.
        game: its game.
        reward_scale: see :class:`SearchNet`.
        spread: likewise.

    Raises:
        CheckpointError: its tensors are not those of such a network.
    """
    network, shape = load_network(checkpoint, game), checkpoint.about["network"]
    sizes = {key: shape[key] for key in SHAPE}
    net = SearchNet(game, **sizes, reward_scale=reward_scale, spread=spread)
    net.mlp_extractor.load_state_dict(network.state_dict())
    if counted_by(checkpoint) != REWARD:
        return net
    factor = reward_scale / reward_scale_of(checkpoint)
    for prefix, head, scale in ((VALUE, net.value_net, factor), (SHARES, net.share_net, 1.0)):
        known = head_of(checkpoint, prefix, head.out_features, head.in_features)
        if known is not None:
            weight, bias = (torch.from_numpy(array * np.float32(scale)) for array in known)
            head.load_state_dict({"weight": weight, "bias": bias})
    return net


def at_temperature(checkpoint: Checkpoint, game: Game, temperature: float) -> Checkpoint:
    """Return a checkpoint with the logits divided by a temperature; its values stay.

    Raises:
        CheckpointError: its tensors are not those of such a network.
    """
    heads = load_network(checkpoint, game).shape.heads()
    names = {f"{NET}layers.{head}.{part}" for head in heads for part in ("weight", "bias")}
    tensors = {
        name: array / np.float32(temperature) if name in names else array
        for name, array in checkpoint.tensors.items()
    }
    return replace(checkpoint, tensors=tensors)


class Window:
    """The newest searched decisions of one process, the oldest of which are overwritten.

    Attributes:
        numbers: int8 ``[size, observation_size]``.
        masks: int8 ``[size, num_actions]``.
        policies: float16 ``[size, num_actions]``, what to learn.
        leads: float32 ``[size]``, points of the observer then less the mean of the others'.
        shares: float32 ``[size, num_sides]``, of the victory, the observer's first.
        margins: float32 ``[size]``, the lead at the end of the game.
        filled: number of rows that hold a decision.
    """

    def __init__(self, game: Game, size: int) -> None:
        self.numbers = np.zeros((size, game.observation_size), np.int8)
        self.masks = np.zeros((size, game.num_actions), np.int8)
        self.policies = np.zeros((size, game.num_actions), np.float16)
        self.leads = np.zeros(size, np.float32)
        self.shares = np.zeros((size, game.num_sides), np.float32)
        self.margins = np.zeros(size, np.float32)
        self.filled, self._next = 0, 0

    def add(
        self,
        numbers: Mask,
        masks: Mask,
        policies: Any,
        leads: Floats,
        shares: Floats,
        margins: Floats,
    ) -> None:
        """Add rows; arrays ``[k, ...]``."""
        size = len(self.margins)
        at = (self._next + np.arange(len(margins))) % size
        self.numbers[at], self.masks[at], self.policies[at] = numbers, masks, policies
        self.leads[at], self.shares[at], self.margins[at] = leads, shares, margins
        self._next = (self._next + len(margins)) % size
        self.filled = min(size, self.filled + len(margins))


class _Open(NamedTuple):
    """The searched decisions of games that go on, ``[rows, ...]``; see :class:`Window`.

    Attributes:
        game: int64, the game; -1: the row is free.
        seat: int64, who decided.
        worth: float32, the search's value for this seat.
        leads: see :class:`Window`.
    """

    game: Index
    seat: Index
    worth: Floats
    leads: Floats
    numbers: Mask
    masks: Mask
    policies: npt.NDArray[np.float16]


class SearchPlay:
    """The games of one process: the player searches on every seat.

    Args:
        config: the settings of the run.
        game: the game.
        team: the process group.
        window: where the decisions of games that have ended are added.
        watch: counts the time.
    """

    def __init__(
        self, config: ExpertConfig, game: Game, team: Team, window: Window, watch: Stopwatch
    ) -> None:
        self.config, self.game, self.window, self.watch = config, game, window, watch
        self.n = config.num_envs // team.size
        self._rank = team.rank
        self._vec = make_vec(
            game,
            self.n,
            reward="winner",
            observations="int8",
            skip_forced=True,
            num_threads=threads_of(device_of(config.device)),
        )
        self._open = self._room(OPEN_DECISIONS * self.n)

    def _room(self, rows: int) -> _Open:
        game = self.game
        return _Open(
            np.full(rows, -1, np.int64),
            np.zeros(rows, np.int64),
            np.zeros(rows, np.float32),
            np.zeros(rows, np.float32),
            np.zeros((rows, game.observation_size), np.int8),
            np.zeros((rows, game.num_actions), np.int8),
            np.zeros((rows, game.num_actions), np.float16),
        )

    def begin(self, step: int, player: Checkpoint) -> None:
        """Seed all random numbers for what follows ``step``, and deal new games."""
        self.seat(player)
        seed = combine(combine(self.config.seed, self._rank), step)
        self._rng = np.random.default_rng(seed)
        self._vec.reset(seed=seed)
        self._open.game[:] = -1

    def seat(self, player: Checkpoint) -> None:
        """Let another player search from now on."""
        evaluate = evaluator_of(self.config, player, self.game)
        self._search = TreeSearch(self.game, evaluate, tree_config(self.config, self.config.sims))

    def advance(self) -> int:
        """Play one decision in every game; return the number of rows added to the window."""
        config, vec, n = self.config, self._vec, self.n
        full = self._rng.random(n) < config.full_share
        sims = np.where(full, config.sims, config.fast_sims)
        which = np.flatnonzero(full)
        noise = np.zeros((n, self.game.num_actions), np.float32)
        noise[which] = self._rng.gumbel(size=(which.size, self.game.num_actions))
        seeds = self._rng.integers(2**62, size=n)
        with self.watch.on("inference"):
            found = self._search.run(vec.games, seeds, sims, Noise(noise), vec.masks)
        self._note(which, found.policies[which], found.worth[which])
        with self.watch.on("environment"):
            vec.step(found.actions)
            return self._close()

    def _note(self, which: Index, policies: Floats, worth: npt.NDArray[np.float64]) -> None:
        """Keep the searched decisions of games ``which`` until their games end."""
        free = np.flatnonzero(self._open.game < 0)
        if free.size < which.size:
            more = self._room(len(self._open.game))
            pairs: Any = zip(self._open, more, strict=True)
            self._open = _Open(*(np.concatenate(pair) for pair in pairs))
            free = np.flatnonzero(self._open.game < 0)
        rows, kept, vec = free[: which.size], self._open, self._vec
        kept.game[rows], kept.seat[rows], kept.worth[rows] = which, vec.to_play[which], worth
        kept.numbers[rows], kept.masks[rows] = vec.observations[which], vec.masks[which]
        kept.policies[rows] = policies
        points = self.game.scores(vec.games)[which]
        kept.leads[rows] = leads_of(points, vec.to_play[which])

    def _close(self) -> int:
        """Move the decisions of the games that have just ended to the window."""
        if not (self._vec.terminated | self._vec.truncated).any():
            return 0
        ended = self._vec.ended
        place = np.full(self.n, -1)
        place[ended.which] = np.arange(ended.which.size)
        rows = np.flatnonzero((self._open.game >= 0) & (place[self._open.game] >= 0))
        games, seats = place[self._open.game[rows]], self._open.seat[rows]
        shares, margins = targets(
            ended.standings[games],
            ended.scores[games],
            seats,
            self._open.worth[rows],
            self.config.outcome_share,
        )
        kept = self._open
        self.window.add(
            kept.numbers[rows],
            kept.masks[rows],
            kept.policies[rows],
            kept.leads[rows],
            shares,
            margins,
        )
        kept.game[rows] = -1
        return int(rows.size)


def targets(
    standings: npt.NDArray[np.int32],
    scores: npt.NDArray[np.int32],
    seats: Index,
    worth: Floats,
    outcome_share: float,
) -> tuple[Floats, Floats]:
    """Return what the heads learn: shares ``[n, num_sides]``, the observer first, margins ``[n]``.

    Args:
        standings: ``[n, num_sides]``, at the end of the game; larger is better.
        scores: ``[n, num_sides]``, final points.
        seats: ``[n]``, who observed.
        worth: ``[n]``, the search's value for the observer.
        outcome_share: weight of the outcome; the search's value has the rest.  What the search
            does not give to the observer it gives to the others as the outcome does, or equally if
            the outcome gives them nothing.  A side that is alone has the whole victory.
    """
    sides = standings.shape[1]
    if sides == 1:
        worth = np.ones_like(worth)  # was that of its points
    order = (seats[:, None] + np.arange(sides)) % sides
    won = np.take_along_axis(victory_shares(standings), order, axis=1)
    others = won[:, 1:]
    total = others.sum(axis=1, keepdims=True)
    parts = np.where(total > 0, others / np.where(total > 0, total, 1.0), 1.0 / max(sides - 1, 1))
    searched = np.concatenate([worth[:, None], (1.0 - worth[:, None]) * parts], axis=1)
    shares = outcome_share * won + (1.0 - outcome_share) * searched
    return shares.astype(np.float32), leads_of(scores, seats)


def leads_of(points: npt.NDArray[np.int32], seats: Index) -> Floats:
    """Return the points of some seats less the mean of the others', ``[n]``.

    Args:
        points: ``[n, num_sides]``.
        seats: ``[n]``.
    """
    of_seats = np.take_along_axis(leads(points), seats[:, None], axis=1)
    found: Floats = of_seats[:, 0].astype(np.float32)
    return found


class ExpertLearner:
    """The network that learns, of one rank, and its optimizer.

    Attributes:
        average: float32 ``[n]``, the running mean of the network's parameters, which is steadier.

    Args:
        config: the settings of the run.
        net: the network, with the same weights in every rank, on the config's device.
        team: the process group.
        watch: counts the time.
    """

    def __init__(self, config: ExpertConfig, net: SearchNet, team: Team, watch: Stopwatch) -> None:
        self.config, self.net, self.team, self.watch = config, net, team, watch
        self.optimizer = torch.optim.Adam(
            [net.flat], lr=config.learning_rate, eps=EPSILON, fused=True
        )
        self.average = net.flat.detach().clone()

    def averaged(self) -> SearchNet:
        """Return a network with the mean weights."""
        net = self.net.frozen()
        net.flat.copy_(self.average)
        return net

    def step(self, window: Window, rng: np.random.Generator, annealing: float) -> Floats:
        """Take one gradient step; return the means of ``STATISTICS``.

        Args:
            window: this rank's rows, at least one.
            rng: draws the rows.
            annealing: factor on the step size.
        """
        taken = int(self.optimizer.state[self.net.flat].get("step", 0))
        warm = min(1.0, (taken + 1) / WARM_UP)
        for group in self.optimizer.param_groups:
            group["lr"] = self.config.learning_rate * annealing * warm
        size = max(1, self.config.batch_size // self.team.size)
        rows = torch.from_numpy(rng.integers(window.filled, size=size))  # of numpy's arrays
        with self.watch.on("update"):
            found = differentiate(
                self.team,
                self.net.flat,
                list(self.net.parameters()),
                rows,
                lambda which: self._loss(window, which.numpy()),
                self.watch,
            )
            nn.utils.clip_grad_norm_([self.net.flat], LARGEST_GRADIENT)
            self.optimizer.step()
            self.average.lerp_(self.net.flat.detach(), 1.0 - self.config.averaging)
        means: Floats = (found / (size * self.team.size)).numpy()
        return means

    def _loss(self, window: Window, rows: Index) -> tuple[Tensor, Tensor]:
        """Return the sum of the losses of some rows, and the sums of ``STATISTICS``."""
        numbers, masks, policies, leads, shares, margins = (
            torch.from_numpy(array[rows]).to(self.net.flat.device)
            for array in (
                window.numbers, window.masks, window.policies,
                window.leads, window.shares, window.margins,
            )
        )  # fmt: skip
        logits, odds, predicted = self.net(numbers, masks, leads)
        wanted = policies.float()
        wanted = wanted / wanted.sum(dim=1, keepdim=True)
        if self.config.divergence == REVERSE:
            policy = divergence(logits, wanted)
        else:
            policy = nn.functional.cross_entropy(logits, wanted, reduction="none")
        share = nn.functional.cross_entropy(odds, shares, reduction="none")
        scale = self.config.reward_scale
        margin = nn.functional.smooth_l1_loss(predicted * scale, margins * scale, reduction="none")
        total = policy + share + self.config.margin_weight * margin
        entropy = -torch.special.xlogy(wanted, wanted).sum(dim=1)
        error = (predicted.detach() - margins).abs()
        found = torch.stack([policy.detach(), entropy, share.detach(), error]).sum(dim=1)
        return total.sum(), found


def divergence(logits: Tensor, wanted: Tensor) -> Tensor:
    """Return the Kullback-Leibler divergence of policies from what is wanted, ``[n]``.

    Args:
        logits: ``[n, num_actions]``, of the policies, very low if illegal.
        wanted: ``[n, num_actions]``, probabilities.
    """
    policies = torch.log_softmax(logits, dim=1)
    gains = policies - wanted.clamp(min=LEAST_WANTED).log()
    return (policies.exp() * gains).sum(dim=1)


def tree_config(config: ExpertConfig, sims: int) -> TreeConfig:
    """Return the settings of the run's searches."""
    chosen = {name: getattr(config, name) for name in SEARCHED}
    threads = min(threads_of(device_of(config.device)), LIMITS["threads"][1])
    return TreeConfig(sims=sims, margin=0.0, threads=int(threads), **chosen)


def evaluator_of(config: ExpertConfig, checkpoint: Checkpoint, game: Game) -> Evaluator:
    """Return a network as the run's searches ask it."""
    device = device_of(config.device).type
    return network_evaluator(checkpoint, game, config.precision == "bfloat16", device)


def match(
    config: ExpertConfig, game: Game, team: Team, learner: Checkpoint, player: Checkpoint, seed: int
) -> tuple[float, int]:
    """Let the learner play paired games against the player, both by fast searches.

    On one seat both play the same deals alone.

    Returns:
        The learner's share of the victories, and the number of games, over all ranks.  On one seat
        the better result of a deal wins, and equal points count half.
    """
    seats = game.num_seats
    bots = [
        LearnedSearchBot(
            game, evaluator_of(config, each, game), tree_config(config, config.fast_sims)
        )
        for each in (learner, player)
    ]
    count = -(-config.gate_games // (team.size * seats)) * seats
    seed = combine(combine(seed, team.rank), 1) >> 1
    won: npt.NDArray[np.float64]
    if seats == 1:
        scores = [play_games(game, [bot], count, seed).scores[:, 0] for bot in bots]
        won = 0.5 + 0.5 * np.sign(scores[0] - scores[1])
    else:
        won = play_games(game, [bots[0]] + [bots[1]] * (seats - 1), count, seed).wins[:, 0]
    sums = team.all_reduce(np.array([won.sum(), won.size], np.float64))
    return float(sums[0] / sums[1]), int(sums[1])
