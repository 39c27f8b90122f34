"""Ratings from paired games: Bradley–Terry on the Elo scale with intervals, and openskill."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.float64]

MEAN: Final = 1500.0  # of all agents of a tournament, weighed by what their games tell
SCALE: Final = 400.0  # points between agents of which one wins ten times as often
PRIOR: Final = 0.5  # virtual deals that each of two agents won against the other
ROUNDS: Final = 1000  # of the bootstrap
CLOSE_ENOUGH: Final = 1e-9
MOST_STEPS: Final = 20_000


@dataclass(frozen=True)
class Skill:
    """What openskill's Plackett–Luce model thinks of an agent."""

    mu: float
    sigma: float


def pair_wins(ranks: Sequence[float], agents: Sequence[int], num_agents: int) -> Numbers:
    """Return who beat whom in one game, ``[agents, agents]``: row over column, ties half.

    Args:
        ranks: by seat, smaller is better.
        agents: by seat, which agent; seats of the same agent are not compared.
        num_agents: how many there are.
    """
    wins: Numbers = np.zeros((num_agents, num_agents))
    for rank, agent in zip(ranks, agents, strict=True):
        for other_rank, other in zip(ranks, agents, strict=True):
            if agent != other:
                wins[agent, other] += (rank < other_rank) + 0.5 * (rank == other_rank)
    return wins


def prior_wins(wins: Numbers) -> Numbers:
    """Return virtual wins ``[agents, agents]``, half a deal for each agent of every pair that met.

    They keep the rating of one who always wins finite, and weigh as much as Jeffreys' prior.

    Args:
        wins: ``[deals, agents, agents]``, see :func:`pair_wins`.
    """
    met = wins.sum(axis=0)
    prior: Numbers = PRIOR / len(wins) * (met + met.T)
    return prior


def told(wins: Numbers, ratings: Numbers) -> Numbers:
    """Return what the games tell about each agent, as shares of one ``[agents]``.

    The Fisher information: many games between equals tell much, a hundred lost out of a hundred
    little.  The zero of the scale is the mean weighed by it; with an unweighted one an agent that
    always loses, and so might be rated anything, would blur the ratings of all the others.

    Args:
        wins: ``[agents, agents]``, see :func:`bradley_terry`.
        ratings: its fit.
    """
    ahead = 1.0 / (1.0 + 10.0 ** ((ratings - ratings[:, None]) / SCALE))
    information = ((wins + wins.T) * ahead * (1.0 - ahead)).sum(axis=1)
    shares: Numbers = information / information.sum()
    return shares


def centred(ratings: Numbers, shares: Numbers) -> Numbers:
    """Return ratings ``[..., agents]`` moved so that their mean, weighed by shares, is 1500."""
    moved: Numbers = ratings - (ratings * shares).sum(axis=-1, keepdims=True) + MEAN
    return moved


def rate(wins: Numbers) -> Numbers:
    """Return the ratings of all games of a tournament, mean 1500 as :func:`told` weighs them.

    Args:
        wins: ``[deals, agents, agents]``, see :func:`pair_wins`.
    """
    total = wins.sum(axis=0) + prior_wins(wins)
    ratings = bradley_terry(total)
    return centred(ratings, told(total, ratings))


def bradley_terry(wins: Numbers) -> Numbers:
    """Return ratings on the Elo scale, mean 1500 without weights; ``[..., agents]``.

    Newman's iteration (Journal of Machine Learning Research 24, 2023): the maximum of the
    likelihood in far fewer steps than the classical one where strengths differ much.

    Args:
        wins: ``[..., agents, agents]``, how often row beat column, ties half; everybody has won
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
    """Return the low and high ends of 95% intervals of :func:`rate`, each ``[agents]``.

    The Bayesian bootstrap (Rubin, Annals of Statistics 9, 1981): each round gives every deal, with
    all its games, a random weight, and the virtual wins one as well, so the interval of an agent
    that never lost is not empty.  For two agents and independent games it is Jeffreys' interval.

    Args:
        wins: ``[deals, agents, agents]``, see :func:`pair_wins`.
        seed: of the weights.
        rounds: how many.
    """
    draws = np.random.default_rng(seed)
    deals, agents = wins.shape[:2]
    weights = draws.exponential(size=(rounds, deals))
    drawn = (weights @ wins.reshape(deals, -1)).reshape(rounds, agents, agents)
    prior = prior_wins(wins)
    total = wins.sum(axis=0) + prior
    shares = told(total, bradley_terry(total))
    ratings = bradley_terry(drawn + draws.gamma(PRIOR, 1 / PRIOR, drawn.shape) * prior)
    low, high = np.percentile(centred(ratings, shares), [2.5, 97.5], axis=0)
    return low, high


def skills(games: Iterable[tuple[Sequence[float], Sequence[int]]], num_agents: int) -> list[Skill]:
    """Return openskill's Plackett–Luce ratings after the games in this order.

    Args:
        games: of each the ranks and the agents by seat; an agent on several seats gets the mean
            of what each of them would earn it.
        num_agents: how many there are.
    """
    from openskill.models import PlackettLuce  # noqa: PLC0415 - only reports need it

    model = PlackettLuce()
    ratings = [model.rating() for _ in range(num_agents)]
    for ranks, agents in games:
        after = model.rate([[ratings[a]] for a in agents], ranks=list(ranks))
        for agent in set(agents):
            mine = [team[0] for team, a in zip(after, agents, strict=True) if a == agent]
            ratings[agent] = model.rating(
                mu=sum(r.mu for r in mine) / len(mine),
                sigma=sum(r.sigma for r in mine) / len(mine),
            )
    return [Skill(float(r.mu), float(r.sigma)) for r in ratings]
