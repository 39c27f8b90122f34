"""What the roots of a search say: the best action, the improved policy and the position's value."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sprawl_env.bots.search.tree import ROOT, Roots, Trees, Weights, highest_logit, scale_of
from sprawl_env.kernels.arrays import Floats, Index, Mask
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.masks import NO_ACTION

Values = npt.NDArray[np.float64]


class Found(NamedTuple):
    """What a search found, a row for each position.

    Attributes:
        actions: int64 ``[n]``, the best actions.
        visits: int64 ``[n, num_actions]``.
        values: float64 ``[n, num_actions]``, mean value for the seat to play, 0..1; NaN without a
            visit.
        policies: float32 ``[n, num_actions]``, the improved policy: the softmax of the logits plus
            the scaled values, which an action without visits takes from the position.
        worth: float64 ``[n]``, the value of the position for the seat to play.
    """

    actions: Index
    visits: Index
    values: Values
    policies: Floats
    worth: Values


def new_found(count: int, num_actions: int) -> Found:
    """Return room for what is found in ``count`` positions."""
    return Found(
        actions=np.zeros(count, np.int64),
        visits=np.zeros((count, num_actions), np.int64),
        values=np.zeros((count, num_actions), np.float64),
        policies=np.zeros((count, num_actions), np.float32),
        worth=np.zeros(count, np.float64),
    )


@kernel
def conclude(
    trees: Trees, roots: Roots, masks: Mask, weights: Weights, gumbel: bool, found: Found
) -> None:
    """Write what the trees of each position say together.

    Args:
        trees: those of the first position, then those of the second, and so on.
        roots: their roots; the noise of a position is that of its first tree.
        masks: ``[n, num_actions]``, 1 = legal.
        weights: of values and priors.
        gumbel: see :func:`best_action_of`.
        found: overwritten.
    """
    each = trees.used.size // found.actions.size
    for k in range(found.actions.size):
        mask, visits, values = masks[k], found.visits[k], found.values[k]
        visits[:] = 0
        values[:] = 0.0
        judged = 0.0
        for tree in range(k * each, (k + 1) * each):
            judged += float(trees.judged[tree, ROOT]) / each
            for action in range(mask.size):
                visits[action] += trees.visits[tree, ROOT, action]
                values[action] += float(trees.values[tree, ROOT, action])
        for action in range(mask.size):
            count = visits[action]
            values[action] = values[action] / count if count > 0 else np.nan
        logits, policy = trees.logits[k * each, ROOT], found.policies[k]
        highest = highest_logit(logits, mask)
        found.worth[k] = mixed_value(logits, visits, values, mask, judged, highest)
        scale = scale_of(visits, mask, weights)
        worth = float(found.worth[k])
        for action in range(mask.size):
            value = worth
            if visits[action] > 0:
                own = visits[action] / (visits[action] + weights.trust)
                value += own * (float(values[action]) - worth)
            policy[action] = float(logits[action]) + scale * value if mask[action] else 0.0
        found.actions[k] = best_action_of(
            policy, values, visits, mask, roots.noise[k * each], gumbel
        )
        soften(policy, mask)


@kernel
def mixed_value(
    logits: Floats, visits: Index, values: Values, mask: Mask, judged: float, highest: float
) -> float:
    """Return the value of a position, which actions without visits have too.

    It is the mean of the network's value and, as often as there are visits, the mean of the visited
    actions' values, weighted by their priors (Danihelka et al., 2022, appendix D).
    """
    total, priors, weighted = 0.0, 0.0, 0.0
    for action in range(mask.size):
        if mask[action] and visits[action] > 0:
            prior = math.exp(float(logits[action]) - highest)
            total += float(visits[action])
            priors += prior
            weighted += prior * float(values[action])
    if priors <= 0.0:
        return judged
    return (judged + total * weighted / priors) / (1.0 + total)


@kernel
def best_action_of(
    improved: Floats, values: Values, visits: Index, mask: Mask, noise: Floats, gumbel: bool
) -> int:
    """Return the best of the most visited actions.

    With ``gumbel`` it is the one with the highest improved logit + noise, else the one with the
    highest value, or without any visit the one with the highest improved logit.
    """
    best, highest, most, visited = NO_ACTION, -np.inf, -1, False
    for action in range(mask.size):
        visited |= visits[action] > 0
    for action in range(mask.size):
        if mask[action] and visits[action] >= most:
            if gumbel:
                score = float(improved[action]) + float(noise[action])
            elif visited:
                score = float(values[action]) if visits[action] > 0 else 0.0
            else:
                score = float(improved[action])
            if visits[action] > most or score > highest:
                best, highest, most = action, score, int(visits[action])
    return best


@kernel
def soften(policy: Floats, mask: Mask) -> None:
    """Replace the logits of the legal actions by their softmax."""
    highest, total = highest_logit(policy, mask), 0.0
    for action in range(mask.size):
        if mask[action]:
            odds = math.exp(float(policy[action]) - highest)
            policy[action] = odds
            total += odds
    for action in range(mask.size):
        if mask[action]:
            policy[action] = float(policy[action]) / total
