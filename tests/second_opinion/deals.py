"""Whether a redeal deals each deal that agrees with what a seat has seen equally often.

A :class:`Case` is a position with the list of all these deals, written from the rules without the
code that re-deals; :func:`p_of` compares it with the frequencies of redeals by a chi-square test.
"""

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sprawl_env.core.state import restore
from sprawl_env.kernels.compile import JIT

LIMIT = 0.001  # of p, over all positions of a game together
DRAWS = 100_000
FEWEST, MOST = 50, DRAWS // 20  # deals of a position
SHORT = 5  # draws a deal in the short test
UNEVEN = 60  # draws a deal that show that a redeal is uneven on purpose


@dataclass(frozen=True)
class Case:
    """A position and all deals that agree with what a seat has seen of it."""

    game: object
    games: np.recarray  # one game
    deals: tuple | dict  # every deal once; all are equally likely, or as their weights in a dict
    deal_of: Callable  # games [1] -> the deal, a member of ``deals``; may play on
    hidden: tuple  # fields of the record that a redeal may change, but for ``rng``
    seat: int = 0  # the observer
    ahead: bool = False  # whether ``deal_of`` plays on, so that ``rng`` is part of the deal
    first_seed: int = 0  # of the redeals

    def redeal(self, games, seed):
        """Re-deal game 0 of a batch for the observer."""
        self.game.redeal_hidden(games, 0, seed, self.seat)


def true_deal(case):
    """Return the deal of the position itself."""
    return case.deal_of(case.games.copy())


def redealt_counts(case, draws, disturb=None):
    """Count the deals of redeals; ``disturb(games, truth, rng)``, if given, follows each redeal.

    Raises:
        AssertionError: a redeal changes what every seat sees.
    """
    counts, samples = Counter(), {}
    trial, truth = case.games.copy(), case.games
    rng = np.random.default_rng(0)
    ahead = ("rng",) if case.ahead else ()
    fields = [trial.view(np.ndarray)[name] for name in (*case.hidden, *ahead)]
    for seed in range(case.first_seed, case.first_seed + draws):
        restore(trial, truth)
        case.redeal(trial, seed)
        if disturb is not None:
            disturb(trial, truth, rng)
        key = b"".join(field.tobytes() for field in fields)
        counts[key] += 1
        if key not in samples:
            assert_the_open_is_kept(case, trial)
            samples[key] = case.deal_of(trial)
    deals = Counter()
    for key, count in counts.items():
        deals[samples[key]] += count
    return deals


def assert_the_open_is_kept(case, trial):
    """Assert that a redeal has changed nothing but the hidden fields."""
    kept = trial.view(np.ndarray).copy()
    for name in (*case.hidden, "rng"):
        kept[name] = case.games.view(np.ndarray)[name]
    if kept.tobytes() != case.games.tobytes():
        names = [name for name in kept.dtype.names if (kept[name] != case.games[name]).any()]
        assert not names, names


def chance_of(square, freedom):
    """Return the probability that chi-square with ``freedom`` degrees is at least ``square``.

    The regularised upper incomplete gamma function Q(freedom / 2, square / 2): its series below
    the mean, its continued fraction (Lentz) above.
    """
    a, x = freedom / 2, square / 2
    if x <= 0:
        return 1.0
    scale = math.exp(a * math.log(x) - x - math.lgamma(a))
    if x < a + 1:
        term = total = 1 / a
        n = a
        while term > total * 1e-15:
            n += 1
            term *= x / n
            total += term
        return 1 - total * scale
    b = x + 1 - a
    c, d = 1e300, 1 / b
    fraction = d
    for k in range(1, 10_000):
        b += 2
        step = -k * (k - a)
        d = 1 / (step * d + b)
        c = b + step / c
        fraction *= d * c
        if abs(d * c - 1) < 1e-15:
            break
    return fraction * scale


def p_value(counts, deals):
    """Return the probability of counts as far from the expected as these; 0 if a deal cannot be."""
    if not set(counts) <= set(deals):
        return 0.0
    weights = deals if isinstance(deals, dict) else dict.fromkeys(deals, 1)
    unit = sum(counts.values()) / sum(weights.values())
    square = sum((counts[deal] - unit * w) ** 2 / (unit * w) for deal, w in weights.items())
    return chance_of(square, len(deals) - 1)


def p_of(case, draws, disturb=None):
    """Return the p-value of redeals of a position."""
    return p_value(redealt_counts(case, draws, disturb), case.deals)


def assert_short(case, num_cases):
    """Assert the short version; without compiled kernels it finds impossible deals only."""
    if not JIT:
        assert set(redealt_counts(case, 40)) <= set(case.deals)
        return
    assert p_of(case, SHORT * len(case.deals)) > LIMIT / num_cases


def assert_even(case, num_cases):
    """Assert that :data:`DRAWS` redeals deal every deal equally often."""
    assert p_of(case, DRAWS) > LIMIT / num_cases


def assert_uneven(case, disturb, num_cases):
    """Assert that few draws, or more, show that a redeal is made uneven on purpose."""
    p = p_of(case, SHORT * len(case.deals), disturb)
    if p >= LIMIT / num_cases:
        p = p_of(case, UNEVEN * len(case.deals), disturb)
    assert p < LIMIT / num_cases


def redealt(case, seeds):
    """Yield a copy of the position for each seed, re-dealt."""
    for seed in seeds:
        trial = case.games.copy()
        case.redeal(trial, seed)
        yield trial


def assert_random_state_is_new(case):
    """Assert that each of 30 seeds gives other random numbers, and none the true ones."""
    states = {int(trial.rng[0]) for trial in redealt(case, range(30))}
    assert len(states) == 30
    assert int(case.games.rng[0]) not in states


def assert_shuffles_follow_the_seed(case):
    """Assert that what each of ten seeds deals later is different, and not the true deal."""
    found = {true_deal(case), *(case.deal_of(trial) for trial in redealt(case, range(10)))}
    assert len(found) == 11


def assert_enough(cases):
    """Assert that there are positions enough, each with deals enough."""
    assert len(cases) >= 12
    for case in cases:
        assert FEWEST <= len(case.deals) <= MOST, case.games


def keep_the_truth(trial, truth, rng):
    """Leave the true position in 1 of 20 redeals."""
    if rng.random() < 0.05:
        trial[0] = truth[0]


def keep_the_random_state(trial, truth, rng):
    """Leave the true state of the random number generator in 1 of 20 redeals."""
    if rng.random() < 0.05:
        trial.rng[0] = truth.rng[0]
