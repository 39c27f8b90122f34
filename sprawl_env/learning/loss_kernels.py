"""The losses of PPO and of imitation, each with its gradient for some decisions as one kernel.

They are what ``Learner._loss`` and the loss in :func:`~sprawl_env.learning.imitation.imitate` are
with automatic differentiation, without what is 0: see :mod:`sprawl_env.bots.policy.gradient`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from sprawl_env.bots.policy.compiled import Room, Weights, judge_numbers
from sprawl_env.bots.policy.gradient import (
    FlatNet,
    Gradient,
    Queue,
    add_gradient,
    add_queue,
    new_queue,
)
from sprawl_env.bots.policy.shape import NetShape
from sprawl_env.kernels.arrays import Floats, Index, Ints, Mask
from sprawl_env.kernels.compile import kernel

LOWEST = np.float32(-np.inf)
QUEUED: Final = 64  # rows


class BatchArrays(NamedTuple):
    """The arrays of a :class:`sprawl_env.learning.ppo.Batch`, for kernels."""

    numbers: Mask
    masks: Mask
    actions: Index
    log_probs: Floats
    advantages: Floats
    returns: Floats
    rows: Index


class DemonstrationArrays(NamedTuple):
    """Decisions to imitate.

    Attributes:
        numbers: int8 ``[n, observation_size]``.
        returns: float32 ``[n]``, what the values should be.
        rows: int64 ``[m]``, those that count.
        targets: float32 ``[m, num_actions]``, the probabilities wanted for them; negative where an
            action is illegal.
    """

    numbers: Mask
    returns: Floats
    rows: Index
    targets: Floats


class Terms(NamedTuple):
    """The numbers of the loss.

    Attributes:
        clip: largest change of a probability's ratio that is rewarded.
        value_weight: weight of the squared error of the values.
        entropy_weight: weight of the entropy.
    """

    clip: float
    value_weight: float
    entropy_weight: float


class Head(NamedTuple):
    """The value head, and what one row overwrites.

    Attributes:
        weights: float32 ``[trunk + 1]``, the bias last.
        gradient: float32 ``[trunk + 1]``, to which is added.
        logits: float32 ``[num_actions]``.
        summary: float32 ``[trunk]``.
        odds: float64 ``[num_actions]``, the logarithms of the legal actions' probabilities.
        mask: int8 ``[num_actions]``, the legal actions of an example.
    """

    weights: Floats
    gradient: Floats
    logits: Floats
    summary: Floats
    odds: npt.NDArray[np.float64]
    mask: Mask


@kernel
def list_odds(head: Head, legal: Ints) -> None:
    """List the logarithms of the probabilities of the legal actions."""
    highest, total = LOWEST, 0.0
    for k in range(legal.size):
        highest = max(highest, head.logits[legal[k]])
    for k in range(legal.size):
        head.odds[k] = float(head.logits[legal[k]]) - float(highest)
        total += math.exp(head.odds[k])
    for k in range(legal.size):
        head.odds[k] -= math.log(total)


@kernel
def judge_action(
    head: Head,
    legal: Ints,
    data: BatchArrays,
    row: int,
    terms: Terms,
    gradient: Floats,
    statistics: npt.NDArray[np.float64],
) -> None:
    """Write the gradient of the legal logits; add gain, entropy, change and clipping."""
    entropy, chosen = 0.0, 0.0
    for k in range(legal.size):
        entropy -= math.exp(head.odds[k]) * head.odds[k]
        if legal[k] == data.actions[row]:
            chosen = head.odds[k]
    change = chosen - data.log_probs[row]
    ratio, advantage = math.exp(change), data.advantages[row]
    kept = min(max(ratio, 1.0 - terms.clip), 1.0 + terms.clip)
    too_far = ratio > 1.0 + terms.clip if advantage > 0.0 else ratio < 1.0 - terms.clip
    pull = 0.0 if too_far else advantage * ratio
    for k in range(legal.size):
        odds, action = head.odds[k], legal[k]
        share = math.exp(odds)
        slope = share * (pull + terms.entropy_weight * (odds + entropy))
        gradient[action] = slope - (pull if action == data.actions[row] else 0.0)
    statistics[0] += min(advantage * ratio, advantage * kept)
    statistics[2] += entropy
    statistics[3] += ratio - 1.0 - change
    statistics[4] += abs(ratio - 1.0) > terms.clip


@kernel
def judge_value(head: Head, wanted: float, terms: Terms, summary: Floats) -> float:
    """Write the gradient of the summary, add that of the head; return the squared error."""
    size, value = summary.size, float(head.weights[summary.size])
    for j in range(size):
        value += head.summary[j] * head.weights[j]
    error = value - wanted
    slope = np.float32(2.0 * terms.value_weight * error)
    for j in range(size):
        summary[j] = slope * head.weights[j]
        head.gradient[j] += slope * head.summary[j]
    head.gradient[size] += slope
    return error * error


@kernel
def judge_targets(head: Head, legal: Ints, wanted: Floats, gradient: Floats) -> bool:
    """Write the gradient of the legal logits; return whether the likeliest action is the best."""
    total, likeliest, best = 0.0, 0, 0
    for k in range(legal.size):
        total += wanted[legal[k]]
        if head.odds[k] > head.odds[likeliest]:
            likeliest = k
        if wanted[legal[k]] > wanted[legal[best]]:
            best = k
    for k in range(legal.size):
        action = legal[k]
        gradient[action] = math.exp(head.odds[k]) * total - wanted[action]
    return likeliest == best


@kernel
def leave_row(
    net: Weights,
    work: Gradient,
    room: Room,
    queue: Queue,
    head: Head,
    legal: Ints,
    at: int,
    last: bool,
) -> int:
    """Add the gradient of a row; return the place of the next one in the queue.

    Args:
        net: the network.
        work: to which the gradient is added; has those of the logits and of the summary.
        room: as the row has left it.
        queue: the rows whose gradient is not complete.
        head: has the row's summary.
        legal: the row's legal actions.
        at: the row's place in the queue.
        last: it is the last row of all.
    """
    add_gradient(net, work, room, queue, at, head.summary, legal)
    if last or at + 1 == queue.before.shape[0]:
        add_queue(net, work, queue, at + 1)
        return 0
    return at + 1


@kernel
def add_loss(
    net: Weights,
    work: Gradient,
    room: Room,
    queue: Queue,
    head: Head,
    data: BatchArrays,
    terms: Terms,
    statistics: npt.NDArray[np.float64],
) -> None:
    """Add the gradient of PPO's loss of some decisions, and their statistics.

    Args:
        net: the network.
        work: to which the gradient is added.
        room: overwritten.
        queue: likewise.
        head: the value head; its gradient is added, too.
        data: the decisions.
        terms: the numbers of the loss.
        statistics: ``[5]``, to which the sums of ``STATISTICS`` are added.
    """
    at = 0
    for k in range(data.rows.size):
        row = data.rows[k]
        mask = data.masks[row]
        count = judge_numbers(net, room, data.numbers[row], mask, head.logits, head.summary)
        legal = room.legal[:count]
        list_odds(head, legal)
        judge_action(head, legal, data, row, terms, work.logits, statistics)
        statistics[1] += judge_value(head, float(data.returns[row]), terms, work.summary)
        at = leave_row(net, work, room, queue, head, legal, at, k == data.rows.size - 1)


@kernel
def add_imitation(
    net: Weights,
    work: Gradient,
    room: Room,
    queue: Queue,
    head: Head,
    data: DemonstrationArrays,
    terms: Terms,
    statistics: npt.NDArray[np.float64],
) -> None:
    """Add the gradient of the loss of some examples, and how many of them are agreed with.

    The arguments are those of :func:`add_loss`.
    """
    at = 0
    for k in range(data.rows.size):
        row, wanted = data.rows[k], data.targets[k]
        for action in range(wanted.size):
            head.mask[action] = wanted[action] >= 0.0
        numbers, mask = data.numbers[row], head.mask
        count = judge_numbers(net, room, numbers, mask, head.logits, head.summary)
        legal = room.legal[:count]
        list_odds(head, legal)
        statistics[0] += judge_targets(head, legal, wanted, work.logits)
        judge_value(head, float(data.returns[row]), terms, work.summary)
        at = leave_row(net, work, room, queue, head, legal, at, k == data.rows.size - 1)


class LossKernel:
    """The losses of a policy with a value head whose parameters are one array.

    Args:
        shape: of the policy's network.
        scales: float32 ``[observation_size]``.
        parts: where each weight of the network begins in that array, by name.
        head: where the value head's weights begin; its bias follows.

    Attributes:
        net: the policy's network.
        head: the part of that array that is the value head.
    """

    def __init__(
        self, shape: NetShape, scales: Floats, parts: Mapping[str, int], head: int
    ) -> None:
        self.net = FlatNet(shape, scales, parts)
        self.head = slice(head, head + shape.trunk + 1)
        self._room, self._shape = self.net.net.new_room(), shape
        self._queue = new_queue(self.net.net, QUEUED)

    def __call__(
        self, flat: Floats, data: BatchArrays | DemonstrationArrays, terms: Terms
    ) -> tuple[Floats, npt.NDArray[np.float64]]:
        """Return the gradient of the summed loss, and the sums of the statistics ``[5]``.

        Args:
            flat: float32, all parameters.
            data: the decisions, of PPO or to imitate; their arrays are contiguous.
            terms: the numbers of the loss; imitation needs the weight of the values alone.
        """
        net, work = self.net.load(flat)
        actions, statistics = self._shape.num_actions, np.zeros(5)
        head = Head(
            weights=flat[self.head].copy(),
            gradient=np.zeros(self._shape.trunk + 1, np.float32),
            logits=np.zeros(actions, np.float32),
            summary=np.zeros(self._shape.trunk, np.float32),
            odds=np.zeros(actions),
            mask=np.zeros(actions, np.int8),
        )
        add: Any = add_loss if isinstance(data, BatchArrays) else add_imitation
        add(net, work, self._room, self._queue, head, data, terms, statistics)
        gradient = np.zeros_like(flat)
        self.net.unload(work, gradient)
        gradient[self.head] = head.gradient
        return gradient, statistics
