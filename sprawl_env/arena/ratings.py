"""Ratings from paired games: Bradley–Terry on the Elo scale with intervals, and openskill."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from sprawl_env.core.extras import require

Numbers = npt.NDArray[np.float64]

MEAN: Final = 1500.0  # of all bots of a tournament, weighted by the information in their games
SCALE: Final = 400.0  # points between two bots of which one wins ten times as often
PRIOR: Final = 0.5  # virtual deals that each of two bots won against the other
ROUNDS: Final = 1000  # of the bootstrap
CLOSE_ENOUGH: Final = 1e-9
MOST_STEPS: Final = 20_000
HEATS: Final = tuple(10.0 ** np.arange(1.0, -2.51, -0.1))  # of the Nash average, falling
NEWTON_STEPS: Final = 100
SHORTEST_STEP: Final = 1e-6


@dataclass(frozen=True)
class Skill:
    """The rating of a bot by openskill's Plackett–Luce model."""

    mu: float
    sigma: float


def pair_wins(
    ranks: Sequence[float], bots: Sequence[int], num_bots: int, failed: int | None = None
) -> Numbers:
    """Return who beat whom in one game, ``[bots, bots]``: row over column, ties half.

    Args:
        ranks: by seat, smaller is better.
        bots: by seat, the number of the bot; seats of the same bot are not compared.
        num_bots: how many bots there are.
        failed: the seat that forfeited the game, if any: the others did not play it to its end, so
            each is compared with this one alone.
    """
    wins: Numbers = np.zeros((num_bots, num_bots))
    seats = range(len(ranks))
    for seat, other in itertools.product(seats, seats):
        if bots[seat] != bots[other] and (failed is None or failed in (seat, other)):
            ahead = (ranks[seat] < ranks[other]) + 0.5 * (ranks[seat] == ranks[other])
            wins[bots[seat], bots[other]] += ahead
    return wins


def prior_wins(wins: Numbers) -> Numbers:
    """Return virtual wins ``[bots, bots]``: half a deal for each bot of every pair that met.

    They keep the rating of a bot that always wins finite, and have the weight of Jeffreys' prior.

    Args:
        wins: ``[deals, bots, bots]``, see :func:`pair_wins`.
    """
    games = wins + wins.transpose(0, 2, 1)
    deals = (games > 0).sum(axis=0)  # in which each pair met
    prior: Numbers = PRIOR * games.sum(axis=0) / np.maximum(deals, 1)
    return prior


def information(wins: Numbers, ratings: Numbers) -> Numbers:
    """Return the Fisher information about each bot in the games, as shares of one ``[bots]``.

    Many games between equal bots hold much information, a hundred losses in a hundred games little.
    The zero of the scale is the mean weighted by it.  With an unweighted mean, the uncertain rating
    of a bot that always loses would widen the intervals of all others.

    Args:
        wins: ``[bots, bots]``, see :func:`bradley_terry`.
        ratings: its fit.
    """
    ahead = 1.0 / (1.0 + 10.0 ** ((ratings - ratings[:, None]) / SCALE))
    found = ((wins + wins.T) * ahead * (1.0 - ahead)).sum(axis=1)
    shares: Numbers = found / found.sum()
    return shares


def centred(ratings: Numbers, shares: Numbers) -> Numbers:
    """Return ratings ``[..., bots]`` shifted so that their mean, weighted by shares, is 1500."""
    moved: Numbers = ratings - (ratings * shares).sum(axis=-1, keepdims=True) + MEAN
    return moved


def rate(wins: Numbers) -> Numbers:
    """Return the ratings of a tournament; their mean, weighted by :func:`information`, is 1500.

    Args:
        wins: ``[deals, bots, bots]``, see :func:`pair_wins`.
    """
    total = wins.sum(axis=0) + prior_wins(wins)
    ratings = bradley_terry(total)
    return centred(ratings, information(total, ratings))


@dataclass(frozen=True)
class NashAverage:
    """The best mixture of some bots, and how each bot does against it.

    Attributes:
        shares: ``[bots]``, of each bot in the mixture.
        wins: ``[bots]``, the share of games that corresponds to each bot's mean logarithm of odds
            against it; 0.5 for the bots in the mixture.  If the mixture has several bots, a bot may
            win another share of the games.
    """

    shares: Numbers
    wins: Numbers


def nash_average(wins: Numbers) -> NashAverage:
    """Return the Nash average of bots that met in pairs (Balduzzi et al., NeurIPS 2018).

    Two players choose a bot each, and the winner is paid the logarithm of the odds.  The mixture is
    the equilibrium with the largest entropy.  It does not change if a bot is entered twice, and
    a bot that only beats weak ones gains nothing.  Pairs that did not meet count as even.

    Args:
        wins: ``[bots, bots]``, how often row beat column, ties half.
    """
    counted = wins + PRIOR * ((wins + wins.T) > 0)
    met = (wins + wins.T) > 0
    odds = np.where(met, np.log(np.where(met, counted, 1.0) / np.where(met, counted.T, 1.0)), 0.0)
    logits: Numbers = np.zeros(len(wins))
    for before, heat in itertools.pairwise(HEATS):
        logits = _tempered(odds, logits * before / heat, heat)
    shares = _softmax(logits)
    return NashAverage(shares, 1.0 / (1.0 + np.exp(-odds @ shares)))


def _tempered(odds: Numbers, logits: Numbers, heat: float) -> Numbers:
    """Return the logits of the mixture that is the softmax of its own payoffs divided by ``heat``.

    As the heat falls to 0, it goes to the equilibrium with the largest entropy.  Newton's method,
    with shorter steps where a full one does not help.
    """
    for _ in range(NEWTON_STEPS):
        mix = _softmax(logits)
        wrong = logits - logits.mean() - _centred_payoffs(odds, mix, heat)
        size = np.abs(wrong).max()
        if size < CLOSE_ENOUGH:
            break
        slope = np.diag(mix) - np.outer(mix, mix)
        payoffs = odds @ slope / heat
        matrix = np.eye(len(mix)) - (payoffs - payoffs.mean(axis=0))
        step = np.linalg.solve(matrix, wrong)
        length = 1.0
        while length > SHORTEST_STEP:
            tried = logits - length * step
            tried -= tried.mean()
            if np.abs(tried - _centred_payoffs(odds, _softmax(tried), heat)).max() < size:
                break
            length /= 2
        logits = tried
    return logits


def _centred_payoffs(odds: Numbers, mix: Numbers, heat: float) -> Numbers:
    payoffs = odds @ mix / heat
    found: Numbers = payoffs - payoffs.mean()
    return found


def _softmax(logits: Numbers) -> Numbers:
    odds = np.exp(logits - logits.max())
    found: Numbers = odds / odds.sum()
    return found


def bradley_terry(wins: Numbers) -> Numbers:
    """Return ratings on the Elo scale, mean 1500 without weights; ``[..., bots]``.

    Newman's iteration (Journal of Machine Learning Research 24, 2023): the maximum of the
    likelihood in far fewer steps than the classical one where strengths differ much.

    Args:
        wins: ``[..., bots, bots]``, how often row beat column, ties half; every bot has won
            and lost something, see :func:`prior_wins`.
    """
    strength: Numbers = np.ones(wins.shape[:-1])
    log_strength = np.log(strength)
    for _ in range(MOST_STEPS):
        for k in range(wins.shape[-1]):
            sums = strength[..., k : k + 1] + strength
            won = (wins[..., k, :] * strength / sums).sum(axis=-1)
            strength[..., k] = won / (wins[..., :, k] / sums).sum(axis=-1)
        better = np.log(strength)
        better -= better.mean(axis=-1, keepdims=True)
        strength = np.exp(better)
        change = np.abs(better - log_strength).max()
        log_strength = better
        if change < CLOSE_ENOUGH:
            break
    ratings: Numbers = MEAN + SCALE / np.log(10.0) * log_strength
    return ratings


def bootstrap(wins: Numbers, seed: int, rounds: int = ROUNDS) -> tuple[Numbers, Numbers]:
    """Return the low and high ends of 95% intervals of :func:`rate`, each ``[bots]``.

    The Bayesian bootstrap (Rubin, Annals of Statistics 9, 1981): each round gives every deal, with
    all its games, a random weight, and the virtual wins one as well, so the interval of a bot that
    never lost is not empty.  For two bots and independent games it is Jeffreys' interval.

    Args:
        wins: ``[deals, bots, bots]``, see :func:`pair_wins`.
        seed: of the weights.
        rounds: how many.
    """
    draws = np.random.default_rng(seed)
    deals, bots = wins.shape[:2]
    weights = draws.exponential(size=(rounds, deals))
    drawn = (weights @ wins.reshape(deals, -1)).reshape(rounds, bots, bots)
    prior = prior_wins(wins)
    total = wins.sum(axis=0) + prior
    shares = information(total, bradley_terry(total))
    ratings = bradley_terry(drawn + draws.gamma(PRIOR, 1 / PRIOR, drawn.shape) * prior)
    low, high = np.percentile(centred(ratings, shares), [2.5, 97.5], axis=0)
    return low, high


def skills(games: Iterable[tuple[Sequence[float], Sequence[int]]], num_bots: int) -> list[Skill]:
    """Return openskill's Plackett–Luce ratings after the games in this order.

    Args:
        games: for each the ranks and the bots by seat; a bot on several seats gets the mean of what
            each of them would earn it.
        num_bots: how many bots there are.

    Raises:
        MissingExtra: openskill is not installed.
    """
    model = require("openskill.models", "the openskill ratings").PlackettLuce()
    ratings = [model.rating() for _ in range(num_bots)]
    for ranks, bots in games:
        after = model.rate([[ratings[bot]] for bot in bots], ranks=list(ranks))
        for bot in set(bots):
            mine = [team[0] for team, other in zip(after, bots, strict=True) if other == bot]
            ratings[bot] = model.rating(
                mu=sum(r.mu for r in mine) / len(mine),
                sigma=sum(r.sigma for r in mine) / len(mine),
            )
    return [Skill(float(r.mu), float(r.sigma)) for r in ratings]
