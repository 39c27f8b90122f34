"""Networks as a search asks them: by whole numbers, for logits, shares of the victory, margins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from sprawl_env.bots.policy.checkpoint import (
    DESCRIPTION,
    MARGIN,
    SHARES,
    VALUE,
    WEIGHTS,
    Checkpoint,
    CheckpointError,
    head_of,
    reward_scale_of,
)
from sprawl_env.bots.policy.player import load_network
from sprawl_env.bots.search.search import Evaluation, Evaluator
from sprawl_env.core.extras import require
from sprawl_env.core.game import Game
from sprawl_env.kernels.arrays import Floats, Ints, Mask

POINTS: Final = ("lead", "margin")  # rewards in points
VICTORIES: Final = ("winner", "rank")  # rewards from -1 to 1
SPREAD: Final = (
    5.0  # points of expected margin at which a victory is e times likelier than a defeat
)
LEAST_SHARE: Final = 0.01


def uniform_evaluator(game: Game) -> Evaluator:
    """Return the evaluator that knows nothing: all actions and all sides are equal."""

    def evaluate(numbers: Mask, masks: Mask, points: Ints) -> Evaluation:
        rows = len(numbers)
        return Evaluation(
            np.zeros((rows, game.num_actions), np.float32),
            np.full((rows, game.num_sides), 1 / game.num_sides, np.float32),
            np.zeros(rows, np.float32),
        )

    return evaluate


def network_evaluator(checkpoint: Checkpoint, game: Game, half: bool = False) -> Evaluator:
    """Return a checkpoint's network as an evaluator; ``half``: see :func:`forward_of`.

    Without heads for the shares and the margin, both are made of its value head: the margin is the
    lead now plus the value if it was trained with the reward ``lead``, the value itself if
    with ``margin``; the rivals share what the observer is not expected to win.

    Raises:
        CheckpointError: it has no such head, or its values are neither points nor victories.
        MissingExtra: torch is not installed.
    """
    network = load_network(checkpoint, game).eval()
    width = network.latent_dim_vf
    judge = _heads(checkpoint, game, width) or _critic(checkpoint, game, width)
    forward = forward_of(network, game, half)
    where = f"checkpoint {str(checkpoint.path)!r}"

    def evaluate(numbers: Mask, masks: Mask, points: Ints) -> Evaluation:
        logits, summaries = forward(numbers)
        shares, margins = judge(summaries, points)
        if not (np.isfinite(logits).all() and np.isfinite(shares).all()):
            raise CheckpointError(
                f"{where}: the weights are damaged or have diverged: expected finite logits and "
                f"values"
            )
        return Evaluation(logits, shares, margins)

    return evaluate


def forward_of(network: Any, game: Game, half: bool) -> Callable[[Mask], tuple[Floats, Floats]]:
    """Return a network as a function of int8 observations; it returns logits and summaries.

    Args:
        network: an :class:`~sprawl_env.bots.policy.network.EntityNet`, whose weights as they are
            now are used.
        game: its game.
        half: multiply in bfloat16, which some processors do twice as fast.
    """
    torch = require("torch", "a search with a network")
    scales = torch.from_numpy(game.observation_layout.scales.copy())
    if not half:

        def forward(numbers: Mask) -> tuple[Floats, Floats]:
            with torch.inference_mode():
                logits, summary = network(torch.from_numpy(numbers) * scales)
            return logits.numpy(), summary.numpy()

        return forward
    from sprawl_env.bots.policy.halves import HalfNet, Pass  # noqa: PLC0415 - imports torch

    parameters = {name: each.detach() for name, each in network.named_parameters()}
    shapes = {name: each.shape for name, each in parameters.items()}
    flat = torch.cat([each.flatten() for each in parameters.values()])
    model = HalfNet(network, shapes, "", scales)

    def forward_low(numbers: Mask) -> tuple[Floats, Floats]:
        with torch.inference_mode():
            found = Pass(model, torch.from_numpy(numbers), flat)
            return found.logits().numpy(), found.summary.numpy()

    return forward_low


Judge = Callable[[Floats, Ints], tuple[Floats, Floats]]
"""Makes shares ``[n, num_sides]`` and margins ``[n]`` of summaries ``[n, trunk]`` and points."""


def _heads(checkpoint: Checkpoint, game: Game, width: int) -> Judge | None:
    """Return the heads of a network that was trained for searches; None if it has none."""
    shares = head_of(checkpoint, SHARES, game.num_sides, width)
    margin = head_of(checkpoint, MARGIN, 1, width)
    if shares is None or margin is None:
        return None
    scale = np.float32(1.0 / reward_scale_of(checkpoint))

    def judge(summaries: Floats, points: Ints) -> tuple[Floats, Floats]:
        odds = summaries @ shares[0].T + shares[1]
        odds = np.exp(odds - odds.max(axis=1, keepdims=True))
        margins = (summaries @ margin[0].T + margin[1])[:, 0] * scale
        return odds / odds.sum(axis=1, keepdims=True), margins

    return judge


def _critic(checkpoint: Checkpoint, game: Game, width: int) -> Judge:
    """Return the value head of a network that was trained by rewards.

    Raises:
        CheckpointError: it has none, or its values say neither points nor victories.
    """
    head, where = head_of(checkpoint, VALUE, 1, width), f"checkpoint {str(checkpoint.path)!r}"
    if head is None:
        raise CheckpointError(f"{where}: {WEIGHTS} does not hold a value head")
    config: Any = checkpoint.about.get("config")
    reward = config.get("reward") if isinstance(config, dict) else None
    if reward not in POINTS + VICTORIES:
        raise CheckpointError(
            f"{where}: {DESCRIPTION}: a search needs values in points or victories: expected "
            f"reward {', '.join(POINTS + VICTORIES)}, got {reward!r}"
        )
    scale, sides = np.float32(1.0 / reward_scale_of(checkpoint)), game.num_sides
    weight, bias = head

    def judge(summaries: Floats, points: Ints) -> tuple[Floats, Floats]:
        values = (summaries @ weight.T + bias)[:, 0] * scale
        if reward in VICTORIES:
            own = np.clip((1 + (sides - 1) * values) / sides, LEAST_SHARE, 1 - LEAST_SHARE)
            margins = SPREAD * (np.log(own / (1 - own)) + np.log(sides - 1))
        else:
            margins = values
            if reward == "lead":
                margins = values + points[:, 0] - points[:, 1:].mean(axis=1)
            own = 1 / (1 + (sides - 1) * np.exp(-np.clip(margins / SPREAD, -50, 50)))
        shares = np.repeat(((1 - own) / (sides - 1))[:, None], sides, axis=1)
        shares[:, 0] = own
        return shares.astype(np.float32), margins.astype(np.float32)

    return judge
