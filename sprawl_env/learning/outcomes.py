"""Who wins, as a network's summary tells it: a head fitted to games that it plays against itself.

PPO's value head estimates how much the lead will change, discounted, which is right for learning
but says less of the winner than the network knows.  A search with the network asks for the shares
of the victory.  They are the softmax of a linear function of the summary, and for the observer the
expected margin over the *spread* on top (:func:`sprawl_env.bots.search.heads.judge_sides`).  Both
are fitted here, by cross-entropy with the outcomes of the games; the policy and the values stay.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final, NamedTuple

import numpy as np
import torch
from torch import Tensor

from sprawl_env.bots.policy.checkpoint import SHARES, Checkpoint
from sprawl_env.bots.search.evaluators import SPREAD_SAID, network_evaluator
from sprawl_env.bots.search.heads import LARGEST_ODDS, VICTORY
from sprawl_env.bots.search.search import CompiledEvaluator, Evaluation, evaluation_of
from sprawl_env.bots.search.spread import OwnGames
from sprawl_env.core.checks import check_seed, check_whole
from sprawl_env.core.errors import InvalidOption
from sprawl_env.core.game import Game
from sprawl_env.core.rewards import victory_shares
from sprawl_env.core.state import NOT_OVER
from sprawl_env.kernels.arrays import Floats, Index, Ints, Mask

GAMES: Final = 5000
AT_ONCE: Final = 500  # games
ASKED: Final = 0.125  # share of the decisions that are fitted to: neighbours say nearly the same
HELD_OUT: Final = 5  # every fifth game is not fitted to
DECAY: Final = 1e-4  # of the squared weights, where the summary's numbers have the deviation 1
STEPS: Final = 60
LEAST_DEVIATION: Final = 1e-4  # of a number of the summary that is not always the same
LEAST_ODDS: Final = 1e-6  # of a spread, as a factor
FITTED: Final = "outcomes"  # in a description: what was fitted, and how well


class Outcomes(NamedTuple):
    """Decisions of games that a network has played against itself, and how these ended.

    Attributes:
        summaries: float32 ``[n, trunk]``, the network's.
        margins: float32 ``[n]``, the margins that it expected for the seat that decided.
        expected: float32 ``[n, num_sides]``, the shares of the victory that it expected, first that
            of this seat.
        shares: float32 ``[n, num_sides]``, the shares at the end.
        games: int64 ``[n]``, the number of the game.
    """

    summaries: Floats
    margins: Floats
    expected: Floats
    shares: Floats
    games: Index


class Fit(NamedTuple):
    """A head for the shares of the victory.

    Attributes:
        spread: points of margin at which the observer's victory is e times likelier.
        weight: float32 ``[num_sides, trunk]``.
        bias: float32 ``[num_sides]``.
        before: mean cross-entropy of the outcomes that were not fitted to, by the network.
        after: the same by this head.
    """

    spread: float
    weight: Floats
    bias: Floats
    before: float
    after: float


def with_outcomes(
    checkpoint: Checkpoint,
    game: Game,
    games: int = GAMES,
    seed: int = 0,
    report: Callable[[int], None] | None = None,
) -> Checkpoint:
    """Return a checkpoint with a head for the shares of the victory fitted to its own games.

    It is the checkpoint as it was if the head foresees games that it was not fitted to no better,
    or if its values are themselves victories.

    Args:
        checkpoint: of a policy.
        game: its game.
        games: how many games it plays against itself.
        seed: of the deals and of its actions.
        report: called with the number of games after each part of them.

    Raises:
        CheckpointError: a search cannot use its values.
        InvalidOption: ``games`` or ``seed`` is not allowed.
    """
    check_whole("games", games, HELD_OUT, 10**7)
    check_seed(seed)
    evaluator = network_evaluator(checkpoint, game)
    if not isinstance(evaluator, CompiledEvaluator) or evaluator.heads.kind == VICTORY:
        return checkpoint
    found = fit(play_out(game, evaluator, games, seed, report), evaluator.heads.spread)
    if not found.after < found.before:
        return checkpoint
    tensors = {
        **checkpoint.tensors,
        f"{SHARES}weight": found.weight,
        f"{SHARES}bias": found.bias,
    }
    how_well = {
        "games": games,
        "seed": seed,
        "before": round(found.before, 4),
        "after": round(found.after, 4),
    }
    about = {**checkpoint.about, SPREAD_SAID: found.spread, FITTED: how_well}
    return replace(checkpoint, tensors=tensors, about=about)


def play_out(
    game: Game,
    evaluator: CompiledEvaluator,
    games: int,
    seed: int,
    report: Callable[[int], None] | None = None,
) -> Outcomes:
    """Let a network play against itself; see :func:`with_outcomes`.

    Raises:
        InvalidOption: fewer than five games have ended.
    """
    rng, parts = np.random.default_rng(seed), list[Outcomes]()
    for first in range(0, games, AT_ONCE):
        count = min(AT_ONCE, games - first)
        parts.append(_part(game, evaluator, count, first, rng))
        if report is not None:
            report(count)
    found = Outcomes(*map(np.concatenate, zip(*parts, strict=True)))
    if len(set(found.games.tolist())) < HELD_OUT:
        raise InvalidOption(f"games={games}: expected more: fewer than {HELD_OUT} have ended")
    return found


def _part(
    game: Game, evaluator: CompiledEvaluator, count: int, first: int, rng: np.random.Generator
) -> Outcomes:
    """Play some games at the same time; ``first`` is the number of the first."""
    own = OwnGames(game, count, int(rng.integers(2**62)))
    asked: list[tuple[Index, Index, Floats, Evaluation]] = []
    summaries: Floats = np.zeros((0, 0), np.float32)

    def evaluate(numbers: Mask, masks: Mask, points: Ints) -> Evaluation:
        nonlocal summaries
        logits, summaries = evaluator.net(numbers)
        return evaluation_of(evaluator.heads, logits, summaries, points)

    for said in own.plies(evaluate):
        chosen = np.flatnonzero(said.choice & (rng.random(said.choice.size) < ASKED))
        judged = Evaluation(*(array[chosen] for array in said.found))
        asked.append((said.games[chosen], said.seats[chosen], summaries[chosen], judged))
    shares = victory_shares(game.standings(own.games.view(np.recarray))).astype(np.float32)
    over = own.games["over"] != NOT_OVER
    which, seats = (np.concatenate([part[k] for part in asked]) for k in (0, 1))
    kept = over[which]
    sides = np.arange(game.num_sides)
    ends = shares[which[:, None], (seats[:, None] + sides) % game.num_sides]
    return Outcomes(
        summaries=np.concatenate([part[2] for part in asked])[kept],
        margins=np.concatenate([part[3].margins for part in asked])[kept],
        expected=np.concatenate([part[3].shares for part in asked])[kept],
        shares=ends[kept],
        games=which[kept] + first,
    )


def fit(outcomes: Outcomes, spread: float) -> Fit:
    """Fit a head to the outcomes of four games of five, and judge it by the others'.

    Args:
        outcomes: of at least five games.
        spread: where the search for the best one begins.
    """
    held_out = torch.from_numpy(outcomes.games % HELD_OUT == 0)
    summaries, shares = (
        torch.from_numpy(array.astype(np.float64))
        for array in (outcomes.summaries, outcomes.shares)
    )
    margins = torch.from_numpy(outcomes.margins.astype(np.float64))
    mean, deviation = summaries[~held_out].mean(0), summaries[~held_out].std(0)
    varies = deviation > LEAST_DEVIATION
    scaled = torch.where(varies, (summaries - mean) / torch.where(varies, deviation, 1.0), 0.0)
    sides, trunk = shares.shape[1], summaries.shape[1]
    weight = torch.zeros(sides, trunk, dtype=torch.float64, requires_grad=True)
    bias = torch.zeros(sides, dtype=torch.float64, requires_grad=True)
    likelier = torch.tensor(1.0, dtype=torch.float64, requires_grad=True)  # of the margin
    optimizer = torch.optim.LBFGS(
        [weight, bias, likelier], max_iter=STEPS, line_search_fn="strong_wolfe"
    )

    def loss(rows: Tensor) -> Tensor:
        logits = scaled[rows] @ weight.T + bias
        odds = (margins[rows] / spread * likelier).clamp(-LARGEST_ODDS, LARGEST_ODDS)
        logits = torch.cat([logits[:, :1] + odds[:, None], logits[:, 1:]], dim=1)
        return -(shares[rows] * logits.log_softmax(dim=1)).sum(dim=1).mean()

    def step() -> Any:
        optimizer.zero_grad()
        found = loss(~held_out) + DECAY * weight.square().sum()
        found.backward()  # type: ignore[no-untyped-call]  # torch
        return found

    optimizer.step(step)  # type: ignore[no-untyped-call]  # torch
    expected = torch.from_numpy(outcomes.expected.astype(np.float64))[held_out]
    before = -(shares[held_out] * expected.clamp_min(1e-9).log()).sum(dim=1).mean()
    with torch.no_grad():
        after = float(loss(held_out)) if likelier > 0 else np.inf
        unscaled = torch.where(varies, weight / torch.where(varies, deviation, 1.0), 0.0)
        moved = bias - unscaled @ mean
        wide = spread / max(float(likelier), LEAST_ODDS)
    return Fit(
        spread=float(f"{wide:.3g}"),
        weight=unscaled.numpy().astype(np.float32),
        bias=moved.numpy().astype(np.float32),
        before=float(before),
        after=after,
    )


__all__ = ["FITTED", "GAMES", "Fit", "Outcomes", "fit", "play_out", "with_outcomes"]
