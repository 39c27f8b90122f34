"""What a network's summary says of the sides: shares of the victory and the margin, as kernels."""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np

from sprawl_env.core.rewards import lead
from sprawl_env.kernels.arrays import Floats, Ints
from sprawl_env.kernels.compile import kernel

LEAD, MARGIN, VICTORY = range(3)  # values of ``Heads.kind``
SPREAD: Final = 5.0  # of a network that foresees no margins
LEAST_SHARE: Final = 0.01
LARGEST_ODDS: Final = 50.0  # logarithm


class Heads(NamedTuple):
    """The heads of a network.

    Attributes:
        kind: the value is the change of the lead from now on (``LEAD``), the final margin
            (``MARGIN``), or the reward ``winner``, at most 1 (``VICTORY``), all discounted as in
            training.
        scale: of the value.
        spread: points of margin at which a victory is e times likelier than a defeat.
        value: float32 ``[trunk]``.
        bias: float32 ``[1]``.
        shares: float32 ``[num_sides, trunk]``: what is added to the logits of the sides' shares of
            the victory that the margin gives, in which the rivals are equal; not for ``VICTORY``.
        shares_bias: float32 ``[num_sides]``.
    """

    kind: int
    scale: float
    spread: float
    value: Floats
    bias: Floats
    shares: Floats
    shares_bias: Floats


@kernel
def weighted(summary: Floats, weights: Floats) -> float:
    """Return the sum of the products."""
    total = 0.0
    for k in range(summary.size):
        total += summary[k] * weights[k]
    return total


@kernel
def share_out(own: float, shares: Floats) -> None:
    """Write the observer's share and equal parts of the rest."""
    for side in range(shares.size):
        shares[side] = own if side == 0 else (1.0 - own) / (shares.size - 1.0)


@kernel
def soften(shares: Floats) -> None:
    """Replace logits by their softmax."""
    highest, total = shares[0], 0.0
    for side in range(shares.size):
        highest = max(highest, shares[side])
    for side in range(shares.size):
        shares[side] = math.exp(shares[side] - highest)
        total += shares[side]
    for side in range(shares.size):
        shares[side] /= total


@kernel
def judge_sides(heads: Heads, summary: Floats, points: Ints, shares: Floats) -> float:
    """Write the shares of the victory, the observer's first; return its expected margin.

    Args:
        heads: the heads.
        summary: ``[trunk]``.
        points: ``[num_sides]``, now, the observer's first.
        shares: ``[num_sides]``.
    """
    sides = shares.size
    value = (weighted(summary, heads.value) + float(heads.bias[0])) * heads.scale
    if heads.kind == VICTORY:
        own = (1.0 + (sides - 1.0) * value) / sides
        own = min(max(own, LEAST_SHARE), 1.0 - LEAST_SHARE)
        share_out(own, shares)
        return heads.spread * (math.log(own / (1.0 - own)) + math.log(max(sides - 1.0, 1.0)))
    if heads.kind == LEAD:
        value += lead(points, 0)
    for side in range(sides):
        shares[side] = weighted(summary, heads.shares[side]) + float(heads.shares_bias[side])
    shares[0] += min(max(value / heads.spread, -LARGEST_ODDS), LARGEST_ODDS)
    soften(shares)
    return value


@kernel
def judge_all_sides(
    heads: Heads, summaries: Floats, points: Ints, shares: Floats, margins: Floats
) -> None:
    """Write the shares ``[n, num_sides]`` and the margins ``[n]`` of all rows."""
    for row in range(margins.size):
        margins[row] = judge_sides(heads, summaries[row], points[row], shares[row])


def no_shares(sides: int, trunk: int) -> tuple[Floats, Floats]:
    """Return the arrays of a head that adds nothing."""
    return np.zeros((sides, trunk), np.float32), np.zeros(sides, np.float32)
