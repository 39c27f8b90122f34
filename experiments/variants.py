"""Compare variants of training, each with runs of several seeds that played the same deals.

:mod:`experiments.ablations` and :mod:`experiments.sweep` train them.  A difference is that of the
mean shares of games won.  Its 95% interval is a bootstrap over the deals that both played, to which
the error of the runs is added, drawn from Student's t distribution.  How much runs of a variant
differ is taken to be the same for all variants, and estimated from all of them, because two or
three runs say little about it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from experiments.records import Row

RESAMPLES: Final = 4000
SMALL: Final = 0.02  # a gain that no longer counts
RECIPE: Final = "recipe"  # the variant with which the others are compared
COMMIT: Final = "commit"  # in a row: the commit that made a run
SHARES: Final = "shares"  # in a row: of the victory, in each deal against each opponent

Floats = npt.NDArray[np.float64]


def runs_of(
    rows: Sequence[Row], against: str, variant: str, seeds: Collection[int] | None = None
) -> Floats:
    """Return the shares of a variant, ``[runs, deals]``.

    Args:
        rows: the results.
        against: the opponent.
        variant: its name.
        seeds: those of the runs that count; None: all.
    """
    found = [
        row[SHARES][against]
        for row in rows
        if row["variant"] == variant and (seeds is None or row["seed"] in seeds)
    ]
    return np.array(found, np.float64)


def spread(variants: Sequence[Floats]) -> tuple[float, int]:
    """Return the standard deviation between runs of a variant, and its degrees of freedom.

    Args:
        variants: ``[runs, deals]`` each; those with one run say nothing.
    """
    freedom = sum(len(shares) - 1 for shares in variants)
    squares = sum(len(shares) * shares.mean(axis=1).var() for shares in variants)
    return float(np.sqrt(squares / max(freedom, 1))), freedom


def difference(
    own: Floats, recipe: Floats, variants: Sequence[Floats]
) -> tuple[float, float, float]:
    """Return what a variant wins more than the recipe, with the ends of the 95% interval.

    Args:
        own: ``[runs, deals]`` of the variant.
        recipe: ``[runs, deals]`` of the recipe.
        variants: ``[runs, deals]`` of all variants, which show how much runs differ.
    """
    rng = np.random.default_rng(0)
    deals = rng.integers(own.shape[1], size=(RESAMPLES, own.shape[1]))
    found = (own.mean(axis=0) - recipe.mean(axis=0))[deals].mean(axis=1)
    deviation, freedom = spread(variants)
    if freedom:  # a bootstrap of so few runs would be too short
        error = deviation * np.sqrt(1 / len(own) + 1 / len(recipe))
        found += error * rng.standard_t(freedom, size=RESAMPLES)
    low, high = np.percentile(found, [2.5, 97.5])
    return float(own.mean() - recipe.mean()), float(low), float(high)


def verdict(low: float, high: float, runs: int) -> str:
    """Return in words what the interval of a difference says.

    Args:
        low: its lower end.
        high: its upper end.
        runs: the smaller number of runs.
    """
    if runs == 1:
        return "one run"
    if high < 0:
        return "worse"
    if low > 0:
        return "better"
    return "no gain" if high < SMALL else "no difference shown"
