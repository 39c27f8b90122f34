"""Information-set Monte Carlo tree search and flat Monte Carlo for any game, as kernels.

A simulation resamples everything that the seat to play cannot know, descends the tree by upper
confidence bounds, adds one node, plays on by the rollout policy, and adds the outcome for every
side to the visited nodes (max-n: each seat maximises its own value).  If the settings use the
game's heuristic, it plays in the rollouts, chooses which actions get a node first, and rates the
position at which a rollout is cut off.

The nodes of the tree are sequences of actions, hidden ones of others included: below the root, a
seat's decisions may depend on what it will not have seen.  The statistics of a node count only the
deals in which its action was legal (availability).  The true position is only read through
``redeal_hidden``, so what is hidden now has no effect.

The method is the single-observer form in P. Cowling, E. Powley, D. Whitehouse, "Information Set
Monte Carlo Tree Search", 2012.
"""

from __future__ import annotations

import functools
import math
import threading
import time
from collections.abc import Callable
from concurrent.futures import wait
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from sprawl_env.bots.analysis import Analysis, check_position, only_one
from sprawl_env.bots.greedy import best_action, heuristic_label, plan_value_of
from sprawl_env.bots.protocol import check_act
from sprawl_env.bots.settings import Number, check_settings, parse_settings, slices
from sprawl_env.core.checks import check_seed
from sprawl_env.core.errors import InvalidOption
from sprawl_env.core.executors import Threads
from sprawl_env.core.game import Game
from sprawl_env.core.retaken import RetakesKernels
from sprawl_env.core.rewards import winner_reward
from sprawl_env.core.rules import GameRules
from sprawl_env.core.state import NOT_OVER, Games, Tables
from sprawl_env.kernels.arrays import Floats, Index, Ints, Mask
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.masks import (
    NO_ACTION,
    count_legal,
    keep_allowed,
    legal_number,
    new_generators,
    only_action,
)
from sprawl_env.kernels.rng import below, combine

MAX_SIDES: Final = 5  # seats, or one seat and the automaton
NODE: Final = np.dtype(
    [
        ("action", np.int32),
        ("child", np.int32),  # the first child, or NO_NODE
        ("sibling", np.int32),  # the next sibling, or NO_NODE
        ("visits", np.int32),
        ("available", np.int32),  # visits of the parent in which the action was legal
        ("value", np.float64, (MAX_SIDES,)),  # sum over the visits, for each side
    ]
)
NO_NODE: Final = -1
USED, PLAYED = 0, 1  # indices of a tree's counts
POINTS, VALUE = 0, 1  # rows of a workspace's values
ROOT: Final = 0
LONGEST_PATH: Final = 512  # nodes on a path from the root
NODES_WHEN_TIMED: Final = 200_000  # most nodes of a tree
CHUNK: Final = 16  # simulations between two checks of the time limit
PER_THOUSAND: Final = 1000
LAST_TURN: Final = 2**31 - 1  # more turns than any game has
SURE: Final = 0.7  # weight of victory in the value of a finished game; the margin has the rest
CLOSE: Final = 0.1  # margin, relative to both sides' points, that has half the largest effect

Nodes = npt.NDArray[Any]
Values = npt.NDArray[np.float64]


LIMITS: Final[dict[str, tuple[Number, Number]]] = {
    "sims": (1, 10_000_000),
    "ms": (0, 3_600_000),
    "c": (0.0, 100.0),
    "depth": (1, LONGEST_PATH - 1),
    "plies": (0, 1_000_000),
    "turns": (0, 10_000),
    "greedy": (0, PER_THOUSAND),
    "widen": (0.0, 1000.0),
    "trees": (1, 256),
    "threads": (1, 256),
}


@dataclass(frozen=True)
class SearchConfig:
    """Settings of a search, for one decision.

    Attributes:
        sims: simulations of each tree; with ``ms``, the maximum.
        ms: milliseconds for a decision, shared by the trees that a thread grows one after another;
            0: no time limit, so results are reproducible.
        c: weight of the exploration term; values are in 0..1.
        depth: depth of the tree in decisions; 1: flat Monte Carlo.
        plies: maximum plies of a rollout; 0: to the end of the game.
        turns: turns that a simulation plays, including the current turn; 0: to the end of the game.
        greedy: fraction of a rollout's plies that the heuristic plays, in thousandths.
        widen: a node with n visits gets another child while it has fewer than 1 + ``widen`` √n, in
            the heuristic's order; 0: all legal actions, in random order.
        trees: number of independent trees, whose visits are added.
        threads: number of threads that run the trees; it does not change results without ``ms``.
    """

    sims: int = 200
    ms: int = 0
    c: float = 0.7
    depth: int = LONGEST_PATH - 1
    plies: int = 0
    turns: int = 0
    greedy: int = 0
    widen: float = 0.0
    trees: int = 1
    threads: int = 1

    def __post_init__(self) -> None:
        """Check all of them.

        Raises:
            InvalidOption: a value is not allowed.
        """
        check_settings(self, LIMITS)

    @property
    def with_heuristic(self) -> bool:
        """Whether the search uses the heuristic; if so, it also rates cut-off rollouts."""
        return self.greedy > 0 or self.widen > 0.0


def parse_search(name: str, base: SearchConfig) -> SearchConfig:
    """Return the settings in a bot's name such as ``mcts:sims=400,c=1.0``.

    Raises:
        UnknownName: there is no such setting, or its value is not allowed.
    """
    chosen: dict[str, Any] = dict(parse_settings(name, LIMITS))
    if chosen.get("ms") and "sims" not in chosen:
        chosen["sims"] = LIMITS["sims"][1]
    return replace(base, **chosen)


class Search(NamedTuple):
    """What is searched.

    Attributes:
        root: ``[1]``, the position.
        observer: the seat that searches.
        seed: seed of the simulations' deals.
        allowed: int8, the actions that may be played at the root; ``[0]``: all legal ones.
    """

    root: Games
    observer: int
    seed: int
    allowed: Mask


class Tree(NamedTuple):
    """The tree that the simulations of a search grow.

    Attributes:
        nodes: ``[most nodes]``, see ``NODE``.
        counts: int64 ``[2]``; ``[USED]`` is the number of nodes in the tree, ``[PLAYED]`` the
            number of plies that simulations have played.
    """

    nodes: Nodes
    counts: Index


class Workspace(NamedTuple):
    """The arrays that a simulation overwrites.

    Attributes:
        games: ``[2]``, the game of the simulation, and a copy for the heuristic.
        path: int64 ``[LONGEST_PATH]``, the nodes from the root on.
        mask: int8 ``[num_actions]``, the legal actions.
        spare: int8 ``[num_actions]``, for the heuristic.
        rng: ``[1]``, the generator of random actions.
        scores: int32 ``[num_sides]``.
        standings: int32 ``[num_sides]``.
        values: float64 ``[2, num_sides]``: the estimated final points, and the value for each side.
    """

    games: Games
    path: Index
    mask: Mask
    spare: Mask
    rng: Any
    scores: Ints
    standings: Ints
    values: Values


class Limits(NamedTuple):
    """The settings of :class:`SearchConfig` that simulations use."""

    c: float
    depth: int
    plies: int
    turns: int
    greedy: int
    widen: float


def _picker(rules: GameRules, with_heuristic: bool) -> Callable[..., int]:
    """Return the kernel that picks one of ``legal`` legal actions in ``work.games[0]``.

    It picks the heuristic's best action if ``best``, otherwise a random one, all equally likely.
    """
    if not with_heuristic:

        @kernel(label=heuristic_label(rules))
        def pick_any(tables: Tables, work: Workspace, legal: int, best: bool) -> int:
            return legal_number(work.mask, below(work.rng[0], legal))

        return pick_any

    choose = best_action(rules)

    @kernel(label=heuristic_label(rules))
    def pick(tables: Tables, work: Workspace, legal: int, best: bool) -> int:
        if best:
            return int(choose(tables, work.games, work.mask, work.spare))
        return legal_number(work.mask, below(work.rng[0], legal))

    return pick


def _rollout(rules: GameRules, with_heuristic: bool) -> Callable[..., int]:
    """Return the kernel that plays ``work.games[0]`` on and returns the number of plies."""
    play, legal_actions = rules.kernels.play, rules.kernels.legal_actions
    pick = _picker(rules, with_heuristic)

    @kernel(label=f"{heuristic_label(rules)} {with_heuristic}")
    def rollout(tables: Tables, work: Workspace, limits: Limits, last: int) -> int:
        games, mask = work.games, work.mask
        ply = 0
        while goes_on(games[0], last) and (limits.plies == 0 or ply < limits.plies):
            legal_actions(tables, games, 0, mask)
            legal = count_legal(mask)
            if legal == 1:
                action = legal_number(mask, 0)
            else:
                best = limits.greedy > 0 and below(work.rng[0], PER_THOUSAND) < limits.greedy
                action = pick(tables, work, legal, best)
            play(tables, games, 0, action)
            ply += 1
        return ply

    return rollout


def _score_estimate(rules: GameRules) -> Callable[..., float]:
    """Return the kernel that estimates a side's final points by its current points."""

    @kernel(label=heuristic_label(rules))
    def estimate(tables: Tables, games: Games, g: int, side: int, scores: Ints) -> float:
        return float(scores[side])

    return estimate


def _plan_estimate(rules: GameRules) -> Callable[..., float]:
    """Return the kernel that estimates a side's final points by the heuristic."""
    plan_value = plan_value_of(rules)

    @kernel(label=heuristic_label(rules))
    def estimate(tables: Tables, games: Games, g: int, side: int, scores: Ints) -> float:
        return float(plan_value(tables, games, g, side))

    return estimate


def _evaluator(rules: GameRules, with_heuristic: bool) -> Callable[..., None]:
    """Return the kernel that writes the value of ``work.games[0]`` for each side, 0..1."""
    score_all, stand = rules.kernels.scores, rules.kernels.standings
    estimate = _plan_estimate(rules) if with_heuristic else _score_estimate(rules)

    @kernel(label=f"{heuristic_label(rules)} {with_heuristic}")
    def evaluate(tables: Tables, work: Workspace) -> None:
        games, scores, standings = work.games, work.scores, work.standings
        points, values = work.values[POINTS], work.values[VALUE]
        score_all(tables, games, 0, scores)
        over = games[0].over != NOT_OVER
        if over:
            stand(tables, games, 0, standings)
        total = 0.0
        for side in range(scores.size):
            points[side] = scores[side]
            if not over:
                points[side] = estimate(tables, games, 0, side, scores)
            total += points[side]
        for side in range(scores.size):
            own = points[side]
            others = (total - own) / max(scores.size - 1, 1)  # mean
            margin = own - others
            reach = CLOSE * (abs(own) + abs(others)) + 1.0
            values[side] = 0.5 + 0.5 * margin / (abs(margin) + reach)
            if over:
                won = 0.5 + 0.5 * winner_reward(standings, side)
                values[side] = SURE * won + (1.0 - SURE) * values[side]

    return evaluate


@functools.cache
def search_kernel(rules: GameRules, with_heuristic: bool) -> Callable[..., None]:
    """Return the kernel that runs simulations, with or without the game's heuristic."""
    kernels = rules.kernels
    play, legal_actions, redeal = kernels.play, kernels.legal_actions, kernels.redeal_hidden
    evaluate, rollout = _evaluator(rules, with_heuristic), _rollout(rules, with_heuristic)
    pick = _picker(rules, with_heuristic)

    @kernel(label=f"{heuristic_label(rules)} {with_heuristic}")
    def simulate(
        tables: Tables,
        search: Search,
        first: int,
        count: int,
        tree: Tree,
        work: Workspace,
        limits: Limits,
    ) -> None:
        """Run simulations ``first`` .. ``first + count - 1``; they grow the tree."""
        games, nodes, mask = work.games, tree.nodes, work.mask
        last = int(search.root[0].turn) + limits.turns if limits.turns else LAST_TURN
        used, plies = int(tree.counts[USED]), 0
        for number in range(first, first + count):
            games[0] = search.root[0]
            redeal(tables, games, 0, combine(search.seed, number), search.observer)
            node, depth = ROOT, 0
            work.path[0] = ROOT
            grown = False
            while not grown and depth < limits.depth and goes_on(games[0], last):
                legal_actions(tables, games, 0, mask)
                if node == ROOT and search.allowed.size:
                    keep_allowed(mask, search.allowed)
                action = only_action(mask)
                if action == NO_ACTION:
                    legal = count_legal(mask)
                    child = best_child(nodes, node, int(games[0].to_play), limits.c, mask)
                    left = count_legal(mask)  # actions without a node
                    widen = limits.widen
                    if left and used < nodes.size and may_grow(nodes, node, legal - left, widen):
                        action = pick(tables, work, left, widen > 0.0)
                        child = used
                        add_child(nodes, node, child, action)
                        used += 1
                        grown = True
                    if child == NO_NODE:
                        break
                    node = child
                    action = int(nodes[node].action)
                    depth += 1
                    work.path[depth] = node
                play(tables, games, 0, action)
                plies += 1
            plies += rollout(tables, work, limits, last)
            evaluate(tables, work)
            add_visit(nodes, work.path[: depth + 1], work.values[VALUE])
        tree.counts[USED] = used
        tree.counts[PLAYED] += plies

    return simulate


@kernel
def goes_on(state: Any, last: int) -> bool:
    """Return whether a simulation continues: the game is not over and turns are left."""
    return bool(state.over == NOT_OVER and state.turn < last)


@kernel
def may_grow(nodes: Nodes, node: int, children: int, widen: float) -> bool:
    """Return whether a node may get another child."""
    return widen <= 0.0 or children < 1.0 + widen * math.sqrt(float(nodes[node].visits))


@kernel
def best_child(nodes: Nodes, node: int, seat: int, c: float, mask: Mask) -> int:
    """Return the legal child with the highest bound, or ``NO_NODE``.

    Clears the actions of all children in the mask and counts them as available.
    """
    best, highest = NO_NODE, -np.inf
    child = int(nodes[node].child)
    while child != NO_NODE:
        action = int(nodes[child].action)
        if mask[action]:
            mask[action] = 0
            nodes[child].available += 1
            visits = int(nodes[child].visits)
            bound = float(nodes[child].value[seat]) / visits
            bound += c * math.sqrt(math.log(float(nodes[child].available)) / visits)
            if bound > highest:
                best, highest = child, bound
        child = int(nodes[child].sibling)
    return best


@kernel
def add_visit(nodes: Nodes, path: Index, values: Values) -> None:
    """Add a visit and its value for each side to every node of a path."""
    for k in range(path.size):
        nodes[path[k]].visits += 1
        for side in range(values.size):
            nodes[path[k]].value[side] += values[side]


@kernel
def add_child(nodes: Nodes, parent: int, child: int, action: int) -> None:
    """Add a child without visits to a node."""
    clear_node(nodes, child)
    nodes[child].action = action
    nodes[child].available = 1
    nodes[child].sibling = nodes[parent].child
    nodes[parent].child = child


@kernel
def clear_node(nodes: Nodes, node: int) -> None:
    """Reset a node to one without action, children and visits."""
    nodes[node].action = NO_ACTION
    nodes[node].child = NO_NODE
    nodes[node].sibling = NO_NODE
    nodes[node].visits = 0
    nodes[node].available = 0
    for side in range(MAX_SIDES):
        nodes[node].value[side] = 0.0


class _Worker(RetakesKernels):
    """One tree and the arrays that its simulations use."""

    def __init__(self, game: Game, config: SearchConfig) -> None:
        self._game, self._config = game, config
        self._simulate = search_kernel(game.rules, config.with_heuristic)
        nodes = min(config.sims, NODES_WHEN_TIMED) + 1
        self._tree = Tree(np.zeros(nodes, NODE).view(np.recarray), np.zeros(2, np.int64))
        self._work = Workspace(
            games=game.empty(2),
            path=np.zeros(LONGEST_PATH, np.int64),
            mask=np.zeros(game.num_actions, np.int8),
            spare=np.zeros(game.num_actions, np.int8),
            rng=new_generators(1, 0),
            scores=np.zeros(game.num_sides, np.int32),
            standings=np.zeros(game.num_sides, np.int32),
            values=np.zeros((2, game.num_sides), np.float64),
        )
        self._limits = Limits(
            c=float(config.c),
            depth=config.depth,
            plies=config.plies,
            turns=config.turns,
            greedy=config.greedy,
            widen=float(config.widen),
        )

    def _kernels_of_game(self) -> dict[str, Any]:
        return {"_simulate": search_kernel(self._game.rules, self._config.with_heuristic)}

    @property
    def plies(self) -> int:
        """Number of plies that the simulations have played so far."""
        return int(self._tree.counts[PLAYED])

    def load(self, root: Games) -> None:
        """Load or compile what :meth:`run` needs, without a simulation."""
        search = Search(root, 0, 0, self._work.mask[:0])
        self._simulate(self._game.tables, search, 0, 0, self._tree, self._work, self._limits)

    def forget(self) -> None:
        """Have no tree, so that nothing is added up."""
        clear_node(self._tree.nodes, ROOT)

    def run(self, search: Search, deadline: float, stop: threading.Event) -> None:
        """Build a new tree.

        Args:
            search: what is searched; its seed is that of the tree.
            deadline: time (``time.perf_counter()``) at which to stop; infinity: no limit.
            stop: stops the search soon after it is set.
        """
        tree, sims = self._tree, self._config.sims
        self._work.rng[:] = new_generators(1, combine(search.seed, 1))
        clear_node(tree.nodes, ROOT)
        tree.counts[USED] = 1
        most = sims if math.isinf(deadline) else CHUNK
        for first, count in slices(sims, most):
            if first and (stop.is_set() or time.perf_counter() >= deadline):
                return
            self._simulate(self._game.tables, search, first, count, tree, self._work, self._limits)

    def add_up(self, seat: int, visits: Index, values: Values) -> None:
        """Add the visits and the seat's values of the root's actions; both ``[num_actions]``."""
        nodes = self._tree.nodes
        child = int(nodes["child"][ROOT])
        while child != NO_NODE:
            node = nodes[child]
            visits[node["action"]] += node["visits"]
            values[node["action"]] += node["value"][seat]
            child = int(node["sibling"])


class SearchBot:
    """Plays the action that the search has visited most often."""

    needs_observations = False
    needs_states = True
    redeals_hidden = True

    def __init__(self, game: Game, config: SearchConfig, seed: int = 0, name: str = "mcts") -> None:
        if game.num_sides > MAX_SIDES:
            raise InvalidOption(f"{name}: expected a game of at most {MAX_SIDES} sides")
        self.name = name
        self._game, self._config = game, config
        self._workers = [_Worker(game, config) for _ in range(config.trees)]
        threads = min(config.threads, config.trees)
        self._pool = Threads(threads) if threads > 1 else None
        self._root = game.empty(1)
        self.seed(seed)

    def seed(self, seed: int) -> None:
        """Seed the search; without ``ms`` the same seed and decisions give the same actions."""
        self._seed = check_seed(seed)
        self._decisions = 0

    @property
    def plies(self) -> int:
        """Number of plies that the simulations have played so far."""
        return sum(worker.plies for worker in self._workers)

    def act(self, observations: Floats | None, masks: Mask, states: Games | None) -> Index:
        """Search each row in turn; needs ``states``."""
        masks, states = check_act(self._game, self.name, masks, states)
        return np.array([self._choose(masks[k], states, k) for k in range(len(masks))], np.int64)

    def _choose(self, mask: Mask, states: Games, k: int) -> int:
        only = int(only_action(mask))
        if only != NO_ACTION:
            return only
        return int(self._ranked(mask, states, k).actions[0])

    def analyse(self, mask: Mask, state: Games) -> Analysis:
        """Search one position; see :class:`sprawl_env.bots.analysis.Analyst`."""
        legal, state = check_position(self._game, self.name, mask, state)
        if legal.size == 1:
            return only_one(int(legal[0]))
        return self._ranked(mask, state, 0)

    def _ranked(self, mask: Mask, states: Games, k: int) -> Analysis:
        """Search in game ``k``; the most visited actions come first, of equals the better one."""
        legal = np.flatnonzero(mask)
        every = self._game.legal_actions(states, k)
        allowed = None if np.array_equal(mask != 0, every != 0) else mask
        visits, values = (found[legal] for found in self.search(states, k, allowed))
        means = values / np.maximum(visits, 1)
        order = np.lexsort((-means, -visits))  # stable: the lower id of equals
        means[visits == 0] = np.nan
        return Analysis(legal[order], visits[order], means[order])

    def search(
        self, states: Games, k: int = 0, allowed: Mask | None = None
    ) -> tuple[Index, Values]:
        """Search in game ``k`` for the seat to play.

        Args:
            states: the games.
            k: index of the game.
            allowed: int8 ``[num_actions]``, at least two legal actions, of which one is wanted;
                None: all.

        Returns:
            The number of visits of each action, int64 ``[num_actions]``, and the sum of the seat's
            values over these visits, float64 ``[num_actions]``, 0..1 for each visit.
        """
        self._root[0] = states[k]
        seat = int(states["to_play"][k])
        seed = combine(self._seed, self._decisions)
        self._decisions += 1
        limit = self._config.ms / 1000 or math.inf
        if self._config.ms:  # the time counts from when everything is compiled
            self._workers[0].load(self._root)
        deadline = time.perf_counter() + limit
        given = np.zeros(0, np.int8) if allowed is None else (allowed != 0).astype(np.int8)
        search = Search(self._root, seat, seed, given)
        turns = -(-len(self._workers) // self._config.threads)  # trees that a thread grows in turn

        stop = threading.Event()

        def grow(number: int) -> None:
            now = time.perf_counter()
            if number and now >= deadline:  # one tree is there in any case
                self._workers[number].forget()
            elif not stop.is_set():
                until = min(deadline, now + limit / turns)
                of_tree = search._replace(seed=combine(seed, number))
                self._workers[number].run(of_tree, until, stop)

        if self._pool is None:
            for number in range(len(self._workers)):
                grow(number)
        else:
            self._grow_in_threads(self._pool, grow, stop)
        visits: Index = np.zeros(self._game.num_actions, np.int64)
        values = np.zeros(self._game.num_actions, np.float64)
        for worker in self._workers:
            worker.add_up(seat, visits, values)
        return visits, values

    def _grow_in_threads(
        self, pool: Threads, grow: Callable[[int], None], stop: threading.Event
    ) -> None:
        """Grow all trees; if this is interrupted, stop the threads before it ends."""
        growing = [pool.submit(grow, number) for number in range(len(self._workers))]
        try:
            for each in growing:
                each.result()
        finally:
            stop.set()
            wait(growing)
