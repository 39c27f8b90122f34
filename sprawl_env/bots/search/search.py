"""Tree search with a network in many games at once (:class:`TreeSearch`).

The network is any function of observations as whole numbers, masks and points (:data:`Evaluator`).
At the root, actions are compared by sequential halving with Gumbel noise (Danihelka et al., "Policy
improvement by planning with Gumbel", 2022) or by PUCT with noise in the priors (Silver et al.,
"Mastering the game of Go without human knowledge", 2017); below it by PUCT.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from sprawl_env.bots.policy.compiled import CompiledNet
from sprawl_env.bots.search.conclusion import Found, conclude, new_found
from sprawl_env.bots.search.heads import Heads, judge_all_sides
from sprawl_env.bots.search.schedule import halving
from sprawl_env.bots.search.simulate import (
    UNKNOWN,
    Choices,
    Forest,
    Judge,
    Scratch,
    Searches,
    abandon,
    back_up,
    descend_kernel,
    grow_kernel,
    is_finished,
    new_ends,
    new_lanes,
    new_leaves,
)
from sprawl_env.bots.search.tree import NO_NODE, Roots, Trees, Weights, new_trees
from sprawl_env.bots.settings import Number, check_settings
from sprawl_env.core.errors import InvalidOption
from sprawl_env.core.executors import Threads
from sprawl_env.core.game import Game
from sprawl_env.core.state import Games, plain, raw_bytes
from sprawl_env.kernels.arrays import Floats, Index, Ints, Mask
from sprawl_env.kernels.compile import bound

FEWEST: Final = 2  # legal actions that are a choice
MOST_BYTES: Final = 1 << 28  # of the trees of one search, for each thread
NO_LIMIT: Final = float("inf")  # seconds
FEWEST_CONCLUDED: Final = 64  # positions whose trees are read by one thread
FIRST_STEPS: Final = 8  # simulations before the time is looked at, if there are so few trees
FEWEST_ROUNDS: Final = 2  # the root is judged, and then what a first simulation finds
SECRETS: Final = 3  # choices of each rival in a simulation, as far as there is time for them
SHORT: Final = 0.02  # seconds after which more simulations are made at once

Values = npt.NDArray[np.float64]
Arrays = TypeVar("Arrays", bound=tuple[Any, ...])


class Evaluation(NamedTuple):
    """What a network says of some positions.

    Attributes:
        logits: float32 ``[n, num_actions]``, also of illegal actions.
        shares: float32 ``[n, num_sides]``, the expected share of the victory of each side, first
            the observer's, then that of the side after it; the sum of a row is 1.
        margins: float32 ``[n]``, the estimated final points of the observer minus the mean of the
            others'; discounted values estimate them too near to the points now.
    """

    logits: Floats
    shares: Floats
    margins: Floats


Evaluator = Callable[[Mask, Mask, Ints], Evaluation]
"""A network ``(numbers, masks, points)``.

``numbers`` is int8 ``[n, observation_size]``, as the seat to play sees the game; ``masks`` int8
``[n, num_actions]``; ``points`` int32 ``[n, num_sides]``, the points now, the observer's first.
A search calls it from one thread at a time.
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
        return evaluation_of(self.heads, *self.net(numbers), points)


def evaluation_of(heads: Heads, logits: Floats, summaries: Floats, points: Ints) -> Evaluation:
    """Return an evaluation from a network's logits and summaries ``[n, trunk]``, by its heads."""
    shares, margins = np.empty(points.shape, np.float32), np.empty(len(points), np.float32)
    judge_all_sides(heads, summaries, points, shares, margins)
    return Evaluation(logits, shares, margins)


LIMITS: Final[dict[str, tuple[Number, Number]]] = {
    "sims": (1, 1_000_000),
    "ms": (0, 3_600_000),
    "gumbel": (0, 1000),
    "c": (0.0, 100.0),
    "doubt": (-1.0, 1.0),
    "scale": (0.0, 100.0),
    "trust": (0.0, 1e6),
    "margin": (0.0, 1.0),
    "reach": (0.01, 1e6),
    "keyed": (0, 1),
    "rollout": (0, 10_000),
    "lanes": (1, 256),
    "trees": (1, 256),
    "threads": (1, 256),
    "temperature": (0.0, 100.0),
}


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
        margin: weight of the margin in the value of a position; victory has the rest.  A side
            that is alone has the victory in any case, so its value is that of its points.
        reach: points of margin that have half the largest effect.
        keyed: 1: every outcome that the searching seat gets to see has a node of its own; 0: nodes
            are sequences of actions and the seat to play.  Simultaneous choices of rivals are no
            nodes: they are drawn from the network's policy.
        rollout: decisions that the network's policy plays on, for all seats, where a simulation
            leaves the tree.  Its value is the mean of the network's values there and after each
            of them, which averages out errors of the values.
        lanes: simulations of a tree that are judged by the network at once.  With more than one,
            ``gumbel`` compares with results that are not all there, to the disadvantage of the
            last of the compared actions.
        trees: number of independent trees, whose visits are added.
        threads: number of threads that share the trees of all positions.  Without a time limit
            they change no result.
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
    rollout: int = 0
    lanes: int = 1
    trees: int = 1
    threads: int = 1
    temperature: float = 0.0

    def __post_init__(self) -> None:
        """Check all of them.

        Raises:
            InvalidOption: a value is not allowed.
        """
        check_settings(self, LIMITS)


class Noise(NamedTuple):
    """Noise at the root, for self-play.

    Attributes:
        numbers: float32 ``[n, num_actions]``: of the Gumbel distribution, added to the logits; for
            PUCT a distribution over the legal actions, mixed into the priors.
        mixed: its share in the priors, for PUCT.
    """

    numbers: Floats
    mixed: float = 0.0


class _Tasks(NamedTuple):
    """What is to be searched, a row for each position.

    Attributes:
        copies: uint8 ``[n, itemsize]``, the records' bytes.
        masks: int8 ``[n, num_actions]``.
        legal: int64 ``[n]``, the number of legal actions.
        seeds: int64 ``[n]``.
        wanted: int64 ``[n]``, simulations.
    """

    copies: npt.NDArray[np.uint8]
    masks: Mask
    legal: Index
    seeds: Index
    wanted: Index


class _Part(NamedTuple):
    """Slots that one thread simulates in, and what it overwrites.

    Attributes:
        positions: ``[slots]``, what is searched.
        games: ``[slots * lanes]``.
        forest: the trees.
        scratch: the simulations and their leaves.
    """

    positions: Any
    games: Any
    forest: Forest
    scratch: Scratch


class _Layout(NamedTuple):
    """Which of a search's arrays stand for what, for some number of positions; all are views.

    To make these views takes as long as some simulations, so they are kept for the next search.

    Attributes:
        total: the number of positions.
        mixed: see :class:`Noise`.
        each: int64 ``[slots]``, the position of each slot.
        strides: int64 ``[slots]``, what is added to a position's seed.
        masks: int8 ``[n, num_actions]``, the legal actions.
        copies: uint8 ``[slots, itemsize]``, the bytes of what is searched.
        observers: int8 ``[slots]``, the seats to play.
        trees: of all slots.
        roots: of all slots.
        searches: of all slots.
        weights: of values and priors.
        parts: what each thread simulates in.
        concluded: what each thread reads at the end: positions, and their trees and roots.
    """

    total: int
    mixed: float
    each: Index
    strides: Index
    masks: Mask
    copies: npt.NDArray[np.uint8]
    observers: Mask
    trees: Trees
    roots: Roots
    searches: Searches
    weights: Weights
    parts: list[_Part]
    concluded: list[tuple[slice, Trees, Roots]]


class TreeSearch:
    """Searches in many games of one kind at once; its arrays are used again by each search.

    With several threads, each has a share of the trees.  A compiled network is asked by each thread
    for its own leaves.  Any other evaluator is asked for the leaves of all threads at once, by one
    thread at a time; the trees are halved, and while it judges the leaves of one half, the threads
    simulate in the other.

    Args:
        game: the game.
        evaluate: the network.
        config: the settings; ``temperature`` and ``ms`` are the caller's.
    """

    def __init__(self, game: Game, evaluate: Evaluator, config: TreeConfig) -> None:
        self.game, self.evaluate, self.config = game, evaluate, config
        self._descend = descend_kernel(game.rules)
        self._grow_kernel, self._conclude = grow_kernel(game.rules), conclude
        self._bound, self._halved = False, bool(config.gumbel)
        self._slots = 0
        self._layout: _Layout | None = None
        self._compiled = isinstance(evaluate, CompiledEvaluator)
        self._pool = Threads(config.threads) if config.threads > 1 else None
        self._halves = 1 if self._compiled or self._pool is None else 2
        self._asking = Threads(self._halves) if self._halves > 1 else None
        self._one_at_a_time, self._stop = threading.Lock(), threading.Event()
        self._simultaneous = game.rules.kernels.owing is not None
        self._secrets = SECRETS * (game.num_seats - 1) if self._simultaneous else 0
        self._fewest_rounds = FEWEST_ROUNDS + self._secrets + config.rollout
        most = MOST_BYTES // (config.trees * self._bytes())  # nodes of a tree, however many threads
        self.most_nodes = int(min(config.sims + 1, max(most, 2)))
        self.most_positions = int(max(1, most * config.threads // self.most_nodes))
        self._tables = plain(game.tables)

    def __reduce__(self) -> tuple[Any, ...]:
        """Return how to make a copy: a new search, with arrays, locks and threads of its own."""
        return type(self), (self.game, self.evaluate, self.config)

    def _bytes(self) -> int:
        """Return the size of a node."""
        return 12 * self.game.num_actions + 32

    def _reserve(self, slots: int) -> None:
        """Make the arrays for so many trees."""
        if slots <= self._slots:
            return
        game, config, rows = self.game, self.config, slots * self.config.lanes
        self._slots, self._layout = slots, None
        self._trees = new_trees(slots, self.most_nodes, game.num_actions)
        self._roots = Roots(
            noise=np.zeros((slots, game.num_actions), np.float32),
            considered=np.zeros((slots, game.num_actions), np.int8),
            allowed=np.zeros((slots, game.num_actions), np.int8),
            schedule=np.zeros((slots, config.sims if config.gumbel else 0), np.int32),
        )
        self._searches = Searches(
            observers=np.zeros(slots, np.int64),
            seeds=np.zeros(slots, np.int64),
            wanted=np.zeros(slots, np.int64),
            begun=np.zeros(slots, np.int64),
            keyed=bool(config.keyed),
            margin=1.0 if game.num_sides == 1 else float(config.margin),  # alone: points decide
            reach=float(config.reach),
            most=config.gumbel,
            rollout=config.rollout,
        )
        deals = config.sims + 1 if self._simultaneous else 0  # deal 0 is that of the root
        secrets = self._secrets if config.gumbel else 0  # with PUCT no two simulations share a deal
        known = slots, deals, secrets
        self._choices = Choices(np.zeros(known, np.int64), np.zeros(known, np.int32))
        self._masks = np.zeros((slots // config.trees, game.num_actions), np.int8)
        self._lanes = new_lanes(rows, game.num_sides)
        self._games, self._positions = plain(game.empty(rows)), plain(game.empty(slots))
        parts = config.threads * self._halves
        share = -(-slots // parts) * config.lanes
        if isinstance(self.evaluate, CompiledEvaluator):
            self._judges = [self.evaluate.judge(share, game.num_sides) for _ in range(parts)]
        self._scratch = [(new_leaves(game, share), new_ends(game)) for _ in range(parts)]

    def _laid_out(self, count: int, mixed: float) -> _Layout:
        """Return the arrays' parts for so many positions."""
        if self._layout is not None and (count, mixed) == (self._layout.total, self._layout.mixed):
            return self._layout
        config = self.config
        slots = count * config.trees
        self._reserve(slots)
        weights = Weights(
            float(config.c),
            float(config.doubt),
            mixed,
            _VISIT,
            float(config.scale),
            float(config.trust),
        )
        size = max(1, -(-slots // (config.threads * self._halves)))
        concluded = []
        for part in _parts(count, max(FEWEST_CONCLUDED, -(-count // config.threads))):
            own = slice(part.start * config.trees, part.stop * config.trees)
            concluded.append((part, _share(self._trees, own), _share(self._roots, own)))
        whole, positions = slice(0, slots), self._positions[:slots]
        self._layout = _Layout(
            total=count,
            mixed=mixed,
            each=np.repeat(np.arange(count), config.trees),
            strides=np.tile(np.arange(config.trees), count) * _STRIDE,
            masks=self._masks[:count],
            copies=raw_bytes(positions),
            observers=positions["to_play"],
            trees=_share(self._trees, whole),
            roots=_share(self._roots, whole),
            searches=self._share_of_searches(whole),
            weights=weights,
            parts=[
                self._part(where, number, weights)
                for number, where in enumerate(_parts(slots, size))
            ],
            concluded=concluded,
        )
        if not self._bound:
            self._bind(self._layout)
        return self._layout

    def _bind(self, layout: _Layout) -> None:
        """Let the kernels that each search calls take the types of its arrays for granted."""
        self._bound = True
        part, trees, roots = layout.concluded[0]
        found = new_found(part.stop, self.game.num_actions)
        arguments = self._tables, *layout.parts[0]
        if self._compiled:
            self._grow_kernel = bound(self._grow_kernel, *arguments, self._judges[0], FIRST_STEPS)
        else:  # these take any evaluator's arrays; they are only compiled before the time counts
            shares = np.zeros((1, self.game.num_sides), np.float32)
            bound(self._descend, *arguments)
            _, _, forest, scratch = layout.parts[0]
            bound(back_up, forest, scratch, 1, found.policies, shares, shares[:, 0].copy())
        self._conclude = bound(
            self._conclude, trees, roots, layout.masks[part], layout.weights, self._halved, found
        )

    def run(
        self,
        positions: Games,
        seeds: Index,
        sims: Index | None = None,
        noise: Noise | None = None,
        masks: Mask | None = None,
        seconds: float = NO_LIMIT,
    ) -> Found:
        """Search some positions, each for its seat to play.

        Args:
            positions: records ``[n]``, with at least two legal actions each.
            seeds: int64 ``[n]``, of the deals of the simulations.
            sims: int64 ``[n]``, simulations for each position, at most the config's; None: the
                config's.
            noise: at the root; None: none.
            masks: int8 ``[n, num_actions]``, the actions that may be played, some or all legal
                ones; None: all.
            seconds: after which to stop, from when everything is compiled; every position gets a
                simulation all the same.  More than ``most_positions`` are searched in groups, for
                that time each.

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
        if not count:
            return new_found(0, self.game.num_actions)
        if masks is None:
            masks = np.stack([self.game.legal_actions(positions, k) for k in range(count)])
        legal = masks.sum(axis=1, dtype=np.int64)
        if legal.min() < FEWEST:
            raise InvalidOption("positions: expected a choice of actions in each")
        tasks = _Tasks(raw_bytes(positions), masks, legal, seeds, wanted)
        if count <= self.most_positions:
            return self._run(tasks, noise, seconds)
        found = [
            self._run(
                _share(tasks, part),
                None if noise is None else noise._replace(numbers=noise.numbers[part]),
                seconds,
            )
            for part in _parts(count, self.most_positions)
        ]
        return Found(*map(np.concatenate, zip(*found, strict=True)))

    def _run(self, tasks: _Tasks, noise: Noise | None, seconds: float) -> Found:
        layout = self._laid_out(len(tasks.masks), 0.0 if noise is None else float(noise.mixed))
        deadline = time.perf_counter() + seconds
        self._begin(layout, tasks, noise)
        parts = layout.parts
        self._stop.clear()
        if self._compiled:
            self._each(self._grow, [(part, k, deadline) for k, part in enumerate(parts)])
        elif self._asking is None:
            self._grow_together(parts, deadline)
        else:
            middle = -(-len(parts) // self._halves)
            halves = [(parts[:middle], deadline), (parts[middle:], deadline)]
            self._wait([self._asking.submit(self._grow_together, *half) for half in halves])
        return self._concluded(layout)

    def _begin(self, layout: _Layout, tasks: _Tasks, noise: Noise | None) -> None:
        """Write what is searched into the arrays, and empty the trees."""
        each, searches, roots = layout.each, layout.searches, layout.roots
        layout.copies[:] = tasks.copies[each]
        layout.masks[:] = tasks.masks
        searches.observers[:] = layout.observers
        searches.seeds[:] = (tasks.seeds[each] + layout.strides) & _POSITIVE
        searches.wanted[:] = tasks.wanted[each]
        searches.begun[:] = 0
        self._lanes.asking[:] = 0
        self._choices.identities[:] = UNKNOWN
        roots.allowed[:] = tasks.masks[each]
        roots.noise[:] = 0 if noise is None else noise.numbers[each]
        most, trees = self.config.gumbel, self.config.trees
        if most:
            pairs = zip(tasks.legal.tolist(), tasks.wanted.tolist(), strict=True)
            for k, (legal, sims) in enumerate(pairs):
                rows = slice(k * trees, (k + 1) * trees)
                roots.schedule[rows, :sims] = halving(min(legal, most, sims), sims)
        layout.trees.used[:] = 0
        layout.trees.places[:] = NO_NODE

    def _concluded(self, layout: _Layout) -> Found:
        """Return what the trees say, of which each thread reads a share."""
        found = new_found(layout.total, self.game.num_actions)

        def conclude_some(part: slice, trees: Trees, roots: Roots) -> None:
            masks, share = layout.masks[part], _share(found, part)
            self._conclude(trees, roots, masks, layout.weights, self._halved, share)

        self._each(conclude_some, layout.concluded)
        return found

    def _each(self, function: Callable[..., Any], calls: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Call a function with each of some arguments, in the threads; return the results."""
        if self._pool is None or len(calls) == 1:
            return [function(*arguments) for arguments in calls]
        return self._wait([self._pool.submit(function, *arguments) for arguments in calls])

    def _wait(self, running: Sequence[Future[Any]]) -> list[Any]:
        """Return the results of calls; if one fails or this is interrupted, the others stop."""
        try:
            return [future.result() for future in running]
        except BaseException:
            self._stop.set()
            wait(running)
            raise

    def _share_of_searches(self, where: slice) -> Searches:
        """Return the searches of some slots; views."""
        searches = self._searches
        return searches._replace(
            observers=searches.observers[where],
            seeds=searches.seeds[where],
            wanted=searches.wanted[where],
            begun=searches.begun[where],
        )

    def _part(self, where: slice, number: int, weights: Weights) -> _Part:
        """Return what a thread needs for some slots; views."""
        forest = Forest(
            _share(self._trees, where),
            _share(self._roots, where),
            self._share_of_searches(where),
            weights,
            _share(self._choices, where),
        )
        rows = slice(where.start * self.config.lanes, where.stop * self.config.lanes)
        scratch = Scratch(_share(self._lanes, rows), *self._scratch[number])
        return _Part(self._positions[where], self._games[rows], forest, scratch)

    def _grow(self, part: _Part, number: int, deadline: float) -> None:
        """Simulate in some slots with a compiled network until each has what it wants."""
        judge, asked_for = self._judges[number], 0
        steps = max(1, FIRST_STEPS // len(part.forest.searches.begun))
        started = time.perf_counter()
        while not self._grow_kernel(self._tables, *part, judge, steps):
            now = time.perf_counter()
            asked_for += steps
            if not self._goes_on(self._end_of(asked_for, deadline)):
                abandon(part.forest, part.scratch.lanes)
                return
            each = (now - started) / steps  # seconds
            steps *= 2 if now - started < SHORT else 1
            steps = int(max(1, min(steps, (deadline - now) / each)))
            started = now

    def _grow_together(self, parts: Sequence[_Part], deadline: float) -> None:
        """Simulate in some slots until each has what it wants, with the network asked for all."""
        back: list[tuple[Any, ...]] = [()] * len(parts)  # what goes up first
        asked_for = 0
        while parts and self._goes_on(self._end_of(asked_for, deadline)):
            asked_for += 1
            going = [(part, each, deadline) for part, each in zip(parts, back, strict=True)]
            waiting = self._each(self._up_and_down, going)
            total = sum(waiting)
            if not total:
                return
            leaves = [part.scratch.leaves for part in parts]
            asked = (
                _joined([getattr(each, name) for each in leaves], waiting)
                for name in ("numbers", "masks", "points")
            )
            with self._one_at_a_time:
                judged = self._checked(self.evaluate(*asked), total)
            ends = np.cumsum(waiting).tolist()
            rows = [slice(end - count, end) for end, count in zip(ends, waiting, strict=True)]
            back = [(part.stop - part.start, *_share(judged, part)) for part in rows]
        self._each(self._up, list(zip(parts, back, strict=True)))
        for part in parts:
            abandon(part.forest, part.scratch.lanes)

    def _up_and_down(self, part: _Part, back: tuple[Any, ...], deadline: float) -> int:
        """Take what was judged up the trees and begin simulations until some wait for the network.

        Returns:
            The number of leaves; 0: nothing is left to do.
        """
        self._up(part, back)
        searches, waiting = part.forest.searches, 0
        while not waiting and not is_finished(searches, part.scratch.lanes):
            waiting = self._descend(self._tables, *part)
            if not self._goes_on(deadline):
                break
        return waiting

    def _up(self, part: _Part, back: tuple[Any, ...]) -> None:
        """Take what was judged up the trees, if anything was."""
        if back and back[0]:
            back_up(part.forest, part.scratch, *back)

    def _end_of(self, asked_for: int, deadline: float) -> float:
        """Return when to stop: some simulations are made however little time there is.

        Args:
            asked_for: how often the network has been asked.
            deadline: time (``time.perf_counter()``) at which to stop after these.
        """
        return deadline if asked_for >= self._fewest_rounds else NO_LIMIT

    def _goes_on(self, deadline: float) -> bool:
        """Return whether there is time left and nobody has interrupted the search."""
        return not self._stop.is_set() and time.perf_counter() < deadline

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


def _joined(arrays: Sequence[npt.NDArray[Any]], counts: Sequence[int]) -> Any:
    """Return the first rows of each of some arrays as one array; a view if there is only one."""
    if len(arrays) == 1:
        return arrays[0][: counts[0]]
    pairs = zip(arrays, counts, strict=True)
    return np.concatenate([array[:count] for array, count in pairs])
