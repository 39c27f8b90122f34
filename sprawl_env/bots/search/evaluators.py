"""Networks as a search asks them: by whole numbers, for logits, shares of the victory, margins."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from sprawl_env.bots.policy.checkpoint import (
    DESCRIPTION,
    SHARES,
    VALUE,
    WEIGHTS,
    Checkpoint,
    CheckpointError,
    head_of,
    reward_scale_of,
)
from sprawl_env.bots.policy.player import load_compiled, load_network
from sprawl_env.bots.search import heads
from sprawl_env.bots.search.heads import SPREAD, Heads, no_shares
from sprawl_env.bots.search.search import (
    CompiledEvaluator,
    Evaluation,
    Evaluator,
    evaluation_of,
)
from sprawl_env.bots.search.spread import measured_spread
from sprawl_env.core.extras import require
from sprawl_env.core.game import Game
from sprawl_env.kernels.arrays import Floats, Ints, Mask

KINDS: Final = {
    "lead": heads.LEAD,
    "margin": heads.MARGIN,
    "winner": heads.VICTORY,
    "rank": heads.VICTORY,
}
"""What the values of a network mean that was trained with a reward."""
MOST_RANKED: Final = 2  # sides, of which the reward ``rank`` is that of the victory
SPREAD_SAID: Final = "spread"  # in the description of a checkpoint


def kinds_of(game: Game) -> dict[str, int]:
    """Return the rewards whose values can guide a search in a game, and what the values mean.

    With three sides or more the reward ``rank`` does not say how likely a victory is.
    """
    ranked = game.num_sides <= MOST_RANKED
    return {name: kind for name, kind in KINDS.items() if ranked or name != "rank"}


class UniformEvaluator:
    """The evaluator that knows nothing: all actions and all sides are equal.

    Args:
        game: the game.
    """

    def __init__(self, game: Game) -> None:
        self._num_actions, self._num_sides = game.num_actions, game.num_sides

    def __call__(self, numbers: Mask, masks: Mask, points: Ints) -> Evaluation:
        """Return what it says of some positions; see :data:`Evaluator`."""
        rows = len(numbers)
        return Evaluation(
            np.zeros((rows, self._num_actions), np.float32),
            np.full((rows, self._num_sides), 1 / self._num_sides, np.float32),
            np.zeros(rows, np.float32),
        )


def network_evaluator(
    checkpoint: Checkpoint, game: Game, half: bool = False, device: str = "cpu"
) -> Evaluator:
    """Return a checkpoint's network as an evaluator.

    The margin is the lead now plus the value if the value head was trained with the reward
    ``lead``, the value itself if with ``margin``.  A value is discounted as in its training, by
    default by 1% a decision in PPO, so a margin made of it is too near to the lead now.  The shares
    of the victory are made of the margin, to which the head for the shares adds, if there is one;
    without it the rivals are equal.  How sure a margin is, the checkpoint says (``spread``), or it
    is measured (:func:`~sprawl_env.bots.search.spread.measured_spread`).

    Args:
        checkpoint: of the network.
        game: its game.
        half: multiply matrices in bfloat16, on a GPU.
        device: where the network computes: ``cpu`` or a GPU that torch can use, e.g. ``cuda``.

    Raises:
        CheckpointError: it has no such head, its values are neither points nor victories, or a
            weight is so large that no result would be finite.
        MissingExtra: torch is not installed, which a GPU needs.
    """
    network = load_compiled(checkpoint, game)
    judge = heads_of(checkpoint, game, network.trunk)
    compiled = CompiledEvaluator(network, judge)
    with np.errstate(all="ignore"):
        found = compiled(*_example(game))
    if not all(np.isfinite(array).all() for array in found):
        raise CheckpointError(
            f"checkpoint {str(checkpoint.path)!r}: the weights are damaged or have diverged: "
            f"expected finite logits and values"
        )
    judge = compiled.heads = judge._replace(spread=_spread(checkpoint, game, compiled))
    if device == "cpu":
        return compiled
    with_torch = load_network(checkpoint, game).eval()
    return _DeviceEvaluator(with_torch, game, judge, device, half)


def spread_of(checkpoint: Checkpoint, game: Game) -> float:
    """Return the points of margin at which a victory is e times likelier, for a checkpoint.

    Raises:
        CheckpointError: as :func:`network_evaluator`.
    """
    made: Any = network_evaluator(checkpoint, game)
    return float(made.heads.spread)


def lead_spread_of(checkpoint: Checkpoint, game: Game) -> float:
    """Return :func:`spread_of` for networks that begin as a checkpoint and foresee leads.

    A checkpoint that foresees victories says nothing of it: its network is measured as if it
    expected no change of the lead, as the new networks do at first.

    Raises:
        CheckpointError: as :func:`network_evaluator`.
    """
    made: Any = network_evaluator(checkpoint, game)
    if made.heads.kind != heads.VICTORY:
        return float(made.heads.spread)
    none = no_shares(game.num_sides, made.net.trunk)
    zero = np.zeros(made.net.trunk, np.float32), np.zeros(1, np.float32)
    foresees = Heads(heads.LEAD, 1.0, SPREAD, *zero, *_floats(*none))
    return measured_spread(game, CompiledEvaluator(made.net, foresees))


def _spread(checkpoint: Checkpoint, game: Game, compiled: CompiledEvaluator) -> float:
    """Return what a checkpoint says, or else what is measured."""
    said: Any = checkpoint.about.get(SPREAD_SAID)
    if said is None:
        foresees = compiled.heads.kind != heads.VICTORY
        return measured_spread(game, compiled) if foresees else SPREAD
    if isinstance(said, bool) or not isinstance(said, float | int) or not 0 < said < np.inf:
        raise CheckpointError(
            f"checkpoint {str(checkpoint.path)!r}: {DESCRIPTION}: {SPREAD_SAID}={said!r}: "
            f"expected a number more than 0"
        )
    return float(said)


def _example(game: Game) -> tuple[Mask, Mask, Ints]:
    """Return the largest observation, with everything legal and no points."""
    return (
        np.full((1, game.observation_size), 127, np.int8),
        np.ones((1, game.num_actions), np.int8),
        np.zeros((1, game.num_sides), np.int32),
    )


class _DeviceEvaluator:
    """A network on a GPU."""

    def __init__(self, network: Any, game: Game, judge: Heads, device: str, half: bool) -> None:
        self._torch, self._half = require("torch", "a search with a network"), half
        self._device = self._torch.device(device)
        self._network, self._heads = network.to(self._device), judge
        scales = self._torch.from_numpy(game.observation_layout.scales.copy())
        self._scales = scales.to(self._device)

    def __call__(self, numbers: Mask, masks: Mask, points: Ints) -> Evaluation:
        torch = self._torch
        kind, low = self._device.type, torch.bfloat16
        with torch.inference_mode(), torch.autocast(kind, low, enabled=self._half):
            seen = torch.from_numpy(numbers).to(self._device) * self._scales
            logits, summaries = (each.float().cpu().numpy() for each in self._network(seen))
        return evaluation_of(self._heads, logits, summaries, points)


def heads_of(checkpoint: Checkpoint, game: Game, width: int) -> Heads:
    """Return the heads of a checkpoint's network.

    Raises:
        CheckpointError: it has none, its values say neither points nor victories, or they are of
            the ranks of three sides or more.
    """
    where = f"checkpoint {str(checkpoint.path)!r}"
    scale = 1.0 / reward_scale_of(checkpoint)
    head = head_of(checkpoint, VALUE, 1, width)
    if head is None:
        raise CheckpointError(f"{where}: {WEIGHTS} does not hold a value head")
    config: Any = checkpoint.about.get("config")
    reward = config.get("reward")
    sides, kinds = game.num_sides, kinds_of(game)
    if reward not in kinds:
        raise CheckpointError(
            f"{where}: {DESCRIPTION}: a search needs values in points or victories: expected "
            f"reward {', '.join(kinds)}, got {reward!r}"
        )
    shares = head_of(checkpoint, SHARES, sides, width) or no_shares(sides, width)
    return Heads(kinds[reward], scale, SPREAD, *_floats(head[0][0], head[1], *shares))


def _floats(*arrays: Any) -> list[Floats]:
    return [np.ascontiguousarray(array, np.float32) for array in arrays]
