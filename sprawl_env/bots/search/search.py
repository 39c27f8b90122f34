"""Tree search with a network in many games at once (:class:`TreeSearch`).

The network is any function of observations as whole numbers, masks and points (:data:`Evaluator`).
At the root, actions are compared by sequential halving with Gumbel noise (Danihelka et al., "Policy
improvement by planning with Gumbel", 2022) or by PUCT with noise in the priors (Silver et al.,
"Mastering the game of Go without human knowledge", 2017); below it by PUCT.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from sprawl_env.bots.policy.compiled import CompiledNet
from sprawl_env.bots.search.conclusion import Found, conclude, new_found
from sprawl_env.bots.search.heads import Heads, judge_all_sides
from sprawl_env.bots.search.schedule import halving
from sprawl_env.bots.search.simulate import (
    Forest,
    Judge,
    Scratch,
    Searches,
    back_up,
    descend_kernel,
    grow_kernel,
    new_ends,
    new_lanes,
    new_leaves,
)
from sprawl_env.bots.search.tree import Roots, Weights, clear_all, new_trees
from sprawl_env.core.errors import InvalidOption
from sprawl_env.core.game import Game
from sprawl_env.core.state import Games, clone, plain
from sprawl_env.kernels.arrays import Floats, Index, Ints, Mask

FEWEST: Final = 2  # legal actions that are a choice
MOST_BYTES: Final = 1 << 28  # of the trees of one search
NO_DEADLINE: Final = np.inf
FIRST_STEPS: Final = 8  # simulations of each lane before the time is looked at
SHORT: Final = 0.02  # seconds after which more simulations are made at once

Values = npt.NDArray[np.float64]
Arrays = TypeVar("Arrays", bound=tuple[Any, ...])


class Evaluation(NamedTuple):
    """What a network says of some positions.

    Attributes:
        logits: float32 ``[n, num_actions]``, also of illegal actions.
        shares: float32 ``[n, num_sides]``, the expected share of the victory of each side, first
            the observer's, then that of the side after it; the sum of a row is 1.
        margins: float32 ``[n]``, the expected final points of the observer minus the mean of the
            others'.
    """

    logits: Floats
    shares: Floats
    margins: Floats


Evaluator = Callable[[Mask, Mask, Ints], Evaluation]
"""A network ``(numbers, masks, points)``.

``numbers`` is int8 ``[n, observation_size]``, as the seat to play sees the game; ``masks`` int8
``[n, num_actions]``; ``points`` int32 ``[n, num_sides]``, the points now, the observer's first.
"""


class CompiledEvaluator:
    """A compiled network: searches ask it without leaving their kernel.

    Args:
        net: the network.
        heads: its heads.
    """

    def __init__(self, net: CompiledNet, heads: Heads) -> None:
        self.net, self.heads = net, heads

    def judge(self, rows: int, sides: int) -> Judge:
        """Return what a search with up to ``rows`` leaves at once needs, for one thread."""
        return Judge(
            net=self.net.weights,
            room=self.net.new_room(),
            heads=self.heads,
            logits=np.empty((rows, self.net.num_actions), np.float32),
            summaries=np.empty((rows, self.net.trunk), np.float32),
            shares=np.empty((rows, sides), np.float32),
            margins=np.empty(rows, np.float32),
        )

    def __call__(self, numbers: Mask, masks: Mask, points: Ints) -> Evaluation:
        """Return what it says of some positions; see :data:`Evaluator`."""
        logits, summaries = self.net(numbers)
        shares = np.empty(points.shape, np.float32)
        margins = np.empty(len(points), np.float32)
        judge_all_sides(self.heads, summaries, points, shares, margins)
        return Evaluation(logits, shares, margins)


@dataclass(frozen=True, kw_only=True)
class TreeConfig:
    """Settings of a search with a network, for one decision.

    Attributes:
        sims: simulations of each tree; with ``ms``, the maximum.
        ms: milliseconds for a decision; 0: no time limit, so results are reproducible.
        gumbel: most actions that are compared at the root by sequential halving; 0: PUCT.
        c: weight of the exploration term of PUCT; values are in 0..1.
        doubt: what the value of an action without visits is less than that of its position.
        scale: of the values against the logits where they are compared.
        trust: visits after which the own value of an action counts as much as its position's.
        margin: weight of the margin in the value of a position; victory has the rest.
        reach: points of margin that have half the largest effect.
        keyed: 1: every outcome that the searching seat gets to see has a node of its own; 0: nodes
            are sequences of actions.
        lanes: simulations of a tree that are judged by the network at once.
        trees: number of independent trees, whose visits are added.
        threads: number of threads that share the trees of all positions.
        temperature: 0: play the best action; else draw one, with probabilities as the visits to
            the power of 1 / temperature.
    """

    sims: int = 32
    ms: int = 0
    gumbel: int = 4
    c: float = 1.0
    doubt: float = 0.0
    scale: float = 4.0
    trust: float = 4.0
    margin: float = 0.0
    reach: float = 10.0
    keyed: int = 0
    lanes: int = 1
    trees: int = 1
    threads: int = 1
    temperature: float = 0.0


class Noise(NamedTuple):
    """Noise at the root, for self-play.

    Attributes:
        numbers: float32 ``[n, num_actions]``: of the Gumbel distribution, added to the logits; for
            PUCT a distribution over the legal actions, mixed into the priors.
        mixed: its share in the priors, for PUCT.
    """

    numbers: Floats
    mixed: float = 0.0


class TreeSearch:
    """Searches in many games of one kind at once; its arrays are used again by each search.

    Args:
        game: the game.
        evaluate: the network.
        config: the settings; ``temperature`` and ``ms`` are the caller's.
    """

    def __init__(self, game: Game, evaluate: Evaluator, config: TreeConfig) -> None:
        self.game, self.evaluate, self.config = game, evaluate, config
        self._descend = descend_kernel(game.rules)
        self._grow_kernel = grow_kernel(game.rules)
        self._slots = 0
        self._pool = ThreadPoolExecutor(config.threads) if config.threads > 1 else None
        self._stop = threading.Event()
        most = MOST_BYTES // (config.trees * self._bytes())  # nodes of the trees of one position
        self.most_nodes = int(min(config.sims + 1, max(most, 2)))
        self.most_positions = int(max(1, most // self.most_nodes))
        self._tables = plain(game.tables)

    def _bytes(self) -> int:
        """Return the size of a node."""
        return 12 * self.game.num_actions + 32

    def _reserve(self, slots: int) -> None:
        """Make the arrays for so many trees."""
        if slots <= self._slots:
            return
        game, rows = self.game, slots * self.config.lanes
        self._slots = slots
        self._trees = new_trees(slots, self.most_nodes, game.num_actions)
        self._lanes = new_lanes(rows)
        self._games, self._positions = plain(game.empty(rows)), plain(game.empty(slots))
        share = -(-slots // self.config.threads) * self.config.lanes
        if isinstance(self.evaluate, CompiledEvaluator):
            sides = game.num_sides
            self._judges = [self.evaluate.judge(share, sides) for _ in range(self.config.threads)]
        self._scratch = [
            (new_leaves(game, share), new_ends(game)) for _ in range(self.config.threads)
        ]

    def run(
        self,
        positions: Games,
        seeds: Index,
        sims: Index | None = None,
        noise: Noise | None = None,
        masks: Mask | None = None,
        deadline: float = NO_DEADLINE,
    ) -> Found:
        """Search some positions, each for its seat to play.

        Args:
            positions: records ``[n]``, with at least two legal actions each.
            seeds: int64 ``[n]``, of the deals of the simulations.
            sims: int64 ``[n]``, simulations for each position, at most the config's; None: the
                config's.
            noise: at the root; None: none.
            masks: int8 ``[n, num_actions]``, the legal actions, if they are known.
            deadline: the time (``time.perf_counter()``) at which to stop.

        Raises:
            InvalidOption: a position has no choice, an array has another length, a number of
                simulations is not allowed, or the evaluator returns arrays of another shape.
        """
        count, most = len(positions), self.config.sims
        wanted = np.full(count, most, np.int64) if sims is None else sims
        if len(seeds) != count or len(wanted) != count:
            raise InvalidOption(f"seeds, sims: expected {count}, one for each position")
        if count and not 1 <= wanted.min() <= wanted.max() <= most:
            raise InvalidOption(f"sims: expected whole numbers 1..{most}")
        if masks is None:
            masks = np.stack([self.game.legal_actions(positions, k) for k in range(count)])
        if (masks.sum(axis=1, dtype=np.int64) < FEWEST).any():
            raise InvalidOption("positions: expected a choice of actions in each")
        found = [
            self._run(
                clone(positions, part),
                masks[part],
                seeds[part],
                wanted[part],
                None if noise is None else noise._replace(numbers=noise.numbers[part]),
                deadline,
            )
            for part in _parts(len(positions), self.most_positions)
        ]
        return (
            found[0] if len(found) == 1 else Found(*map(np.concatenate, zip(*found, strict=True)))
        )

    def _run(
        self,
        positions: Games,
        masks: Mask,
        seeds: Index,
        wanted: Index,
        noise: Noise | None,
        deadline: float,
    ) -> Found:
        config, count = self.config, len(positions)
        slots = count * config.trees
        self._reserve(slots)
        each = np.repeat(np.arange(count), config.trees)
        self._positions[:slots] = plain(positions)[each]
        number = np.tile(np.arange(config.trees), count)
        searches = Searches(
            observers=self._positions["to_play"][:slots].astype(np.int64),
            seeds=(seeds[each] + number * _STRIDE) & _POSITIVE,
            wanted=wanted[each],
            begun=np.zeros(slots, np.int64),
            keyed=bool(config.keyed),
            margin=float(config.margin),
            reach=float(config.reach),
            most=config.gumbel,
        )
        roots = self._roots(masks, wanted, noise, each)
        weights = Weights(
            float(config.c),
            float(config.doubt),
            0.0 if noise is None else float(noise.mixed),
            _VISIT,
            float(config.scale),
            float(config.trust),
        )
        parts = _parts(slots, max(1, -(-slots // config.threads)))
        if self._pool is None:
            self._grow(parts[0], 0, searches, roots, weights, deadline)
        else:
            self._stop.clear()
            growing = [
                self._pool.submit(self._grow, part, number, searches, roots, weights, deadline)
                for number, part in enumerate(parts)
            ]
            try:
                for future in growing:
                    future.result()
            finally:  # if this is interrupted, no thread goes on
                self._stop.set()
                wait(growing)
        found = new_found(count, self.game.num_actions)
        trees = _share(self._trees, slice(slots))
        conclude(trees, roots, masks, weights, bool(config.gumbel), found)
        return found

    def _roots(self, masks: Mask, wanted: Index, noise: Noise | None, each: Index) -> Roots:
        """Return how the roots are searched."""
        slots, actions = len(each), masks.shape[1]
        numbers = np.zeros((slots, actions), np.float32) if noise is None else noise.numbers[each]
        most = self.config.gumbel
        schedule = np.zeros((slots, int(wanted.max(initial=0)) if most else 0), np.int32)
        if most:
            compared = np.minimum(masks.sum(axis=1, dtype=np.int64), np.minimum(most, wanted))
            for slot, k in enumerate(each.tolist()):
                planned = halving(int(compared[k]), int(wanted[k]))
                schedule[slot, : planned.size] = planned
        return Roots(numbers, np.zeros((slots, actions), np.int8), schedule)

    def _grow(
        self,
        part: slice,
        number: int,
        searches: Searches,
        roots: Roots,
        weights: Weights,
        deadline: float,
    ) -> None:
        """Simulate in the slots of a part until every one has what it wants."""
        per_slot, (leaves, ends) = self.config.lanes, self._scratch[number]
        forest = Forest(
            _share(self._trees, part),
            _share(roots, part),
            searches._replace(
                observers=searches.observers[part],
                seeds=searches.seeds[part],
                wanted=searches.wanted[part],
                begun=searches.begun[part],
            ),
            weights,
        )
        rows = slice(part.start * per_slot, part.stop * per_slot)
        scratch = Scratch(_share(self._lanes, rows), leaves, ends)
        positions, games = self._positions[part], self._games[rows]
        begun, wanted = forest.searches.begun, forest.searches.wanted
        clear_all(forest.trees)
        if isinstance(self.evaluate, CompiledEvaluator):
            judge, steps, finished = self._judges[number], FIRST_STEPS, False
            while not finished and self._goes_on(deadline):
                started = time.perf_counter()
                finished = self._grow_kernel(
                    self._tables, positions, games, forest, scratch, judge, steps
                )
                if time.perf_counter() - started < SHORT:
                    steps *= 2
            return
        while (begun < wanted).any() and self._goes_on(deadline):
            waiting = self._descend(self._tables, positions, games, forest, scratch)
            if waiting:
                judged = self.evaluate(
                    leaves.numbers[:waiting], leaves.masks[:waiting], leaves.points[:waiting]
                )
                back_up(forest, scratch, waiting, *self._checked(judged, waiting))

    def _goes_on(self, deadline: float) -> bool:
        """Return whether there is time left and nobody has interrupted the search."""
        stopped = self._pool is not None and self._stop.is_set()
        return not stopped and time.perf_counter() < deadline

    def _checked(self, judged: Evaluation, rows: int) -> Evaluation:
        """Return what an evaluator said, for kernels.

        Raises:
            InvalidOption: an array has another shape.
        """
        game = self.game
        shapes = (rows, game.num_actions), (rows, game.num_sides), (rows,)
        found = [np.ascontiguousarray(array, np.float32) for array in judged]
        if [array.shape for array in found] != list(shapes):
            raise InvalidOption(
                f"evaluator: expected float32 {', '.join(map(str, shapes))}, "
                f"got {', '.join(str(array.shape) for array in found)}"
            )
        return Evaluation(*found)


_VISIT: Final = 50.0  # as Danihelka et al. have it
_STRIDE: Final = 0x9E3779B97F4A7C1
_POSITIVE: Final = 2**63 - 1


def _share(arrays: Arrays, part: slice) -> Arrays:
    """Return a slice of every array of a named tuple; views."""
    kind: Any = type(arrays)
    found: Arrays = kind(*(array[part] for array in arrays))
    return found


def _parts(total: int, most: int) -> list[slice]:
    """Return slices of at most ``most`` that make up ``total``; one if there is nothing."""
    return [slice(k, min(k + most, total)) for k in range(0, max(total, 1), most)]
