"""Tree search compared with a slow reference, decision by decision.

The reference is plain Python, written from the description of the search without reading its code.
The network is a table of random numbers, the same for both.
"""

import functools
import math
import zlib
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest

import sprawl_env
from sprawl_env.bots.search.conclusion import Found
from sprawl_env.bots.search.search import Evaluation, Noise, TreeConfig, TreeSearch
from sprawl_env.core.errors import InvalidOption
from sprawl_env.core.game import Game
from sprawl_env.core.state import NOT_OVER, Games, clone
from sprawl_env.kernels.arrays import Floats, Index, Ints, Mask
from sprawl_env.kernels.compile import JIT
from sprawl_env.kernels.rng import combine

TOLERANCE: Final = 1e-4  # the trees have float32, the reference Python's floats
GAMES: Final = (
    ("tower_up", 2),
    ("tower_up", 3),
    ("ginkgopolis", 2),
    ("ginkgopolis", 1),
    ("urban_sprawl", 2),
)
IDS: Final = [f"{name}-{seats}" for name, seats in GAMES]


# The network


class Table:
    """A network of random numbers: a row of the answer is a function of the row of the question."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.rows: dict[bytes, tuple[Floats, Floats, float]] = {}

    def __call__(self, numbers: Mask, masks: Mask, points: Ints) -> Evaluation:
        """Answer as an evaluator does."""
        game = self.game
        assert [a.dtype.name for a in (numbers, masks, points)] == ["int8", "int8", "int32"]
        assert numbers.shape[1] == game.observation_size
        assert masks.shape[1] == game.num_actions
        assert points.shape[1] == game.num_sides
        rows = [
            self._row(seen.tobytes() + mask.tobytes() + scored.tobytes())
            for seen, mask, scored in zip(numbers, masks, points, strict=True)
        ]
        logits, shares, margins = zip(*rows, strict=True)
        return Evaluation(np.stack(logits), np.stack(shares), np.array(margins, np.float32))

    def _row(self, asked: bytes) -> tuple[Floats, Floats, float]:
        """Return logits, shares and a margin."""
        if asked not in self.rows:
            rng = np.random.default_rng(zlib.crc32(asked))
            logits = rng.normal(0, 1, self.game.num_actions).astype(np.float32)
            shares = rng.random(self.game.num_sides) + 0.01
            shares = (shares / shares.sum()).astype(np.float32)
            self.rows[asked] = logits, shares, float(np.float32(rng.normal(0, 5)))
        return self.rows[asked]


# The reference


@dataclass
class Node:
    """A decision; actions that are not in ``visits`` have no visit."""

    key: Any
    logits: list[float]
    judged: float
    visits: Counter[int] = field(default_factory=Counter)
    sums: dict[int, float] = field(default_factory=dict)

    def mean(self, action: int) -> float:
        """Return the mean value of an action with visits."""
        return self.sums[action] / self.visits[action]


@dataclass(frozen=True)
class Task:
    """A position to search, how often, and the noise at its root."""

    position: Games  # one game
    seed: int
    sims: int
    noise: list[float] | None = None
    mixed: float = 0.0


class Answer(NamedTuple):
    """What a search found; ``values`` has the actions with visits, ``policy`` the legal ones."""

    action: int
    visits: dict[int, int]
    values: dict[int, float]
    policy: dict[int, float]
    worth: float


Key = tuple[Any, ...]
Values = list[float]  # one of each side
CHOICES: Final = 1  # as the search has it: the stream of a deal's seed that draws rivals' choices
ROLLOUT: Final = 2  # and the one that draws the actions of a rollout
Path = list[tuple[Node, int, int]]  # node, action, seat that decided


def softmax(logits: dict[int, float]) -> dict[int, float]:
    """Return probabilities of actions."""
    largest = max(logits.values())
    weights = {action: math.exp(logit - largest) for action, logit in logits.items()}
    total = math.fsum(weights.values())
    return {action: weight / total for action, weight in weights.items()}


def lowest_of_best(scored: dict[int, float]) -> int:
    """Return the action with the largest number, of equal ones the lowest."""
    return min(scored, key=lambda action: (-scored[action], action))


def drawn_by(shares: dict[int, float], seed: int, stream: int, number: int) -> int:
    """Return the action that a stream of a deal's seed draws by the actions' shares."""
    word = combine(combine(seed, stream), number) % 2**32
    left = (word + 0.5) / 2**32
    for action, share in shares.items():
        left -= share
        if left < 0:
            return action
    return max(shares)


def schedule(legal: int, gumbel: int, sims: int) -> list[int]:
    """Return how many visits the action has that each simulation chooses at the root."""
    compared = min(legal, gumbel, sims)
    if compared <= 1:
        return list(range(sims))
    rounds = math.ceil(math.log2(compared))
    wanted: list[int] = []
    left, visits = compared, 0
    while len(wanted) < sims:
        for _ in range(max(1, sims // (rounds * left))):
            wanted += [visits] * left
            visits += 1
        left = max(2, left // 2)
    return wanted[:sims]


class Reference:
    """A search of one position.

    Args:
        game: the game.
        table: the network.
        config: the settings; ``lanes`` and ``trees`` are 1.
        task: the position.
        met: counts what simulations met, over all searches that share it.
    """

    def __init__(
        self, game: Game, table: Table, config: TreeConfig, task: Task, met: Counter[str]
    ) -> None:
        self.game, self.table, self.config, self.task, self.met = game, table, config, task, met
        self.searcher = int(task.position.to_play[0])
        self.legal = self._legal(task.position)
        self.wanted = schedule(len(self.legal), config.gumbel, task.sims)
        self.nodes: dict[Key, Node] = {}
        games, _ = self._dealt(0)
        key = self._key(games, [], None)
        self._leaf(games, key)
        self.root = self.nodes[key]

    def search(self) -> Answer:
        """Simulate and return what was found."""
        for number in range(1, self.task.sims + 1):
            self._simulate(number)
        return self._conclusion()

    def _dealt(self, number: int) -> tuple[Games, int]:
        """Return the root with the hidden information of a simulation, and the seed of that."""
        games, seed = clone(self.task.position), combine(self.task.seed, number)
        self.game.redeal_hidden(games, 0, seed, self.searcher)
        return games, seed

    def _taken_back(self, games: Games) -> int:
        """Take back what rivals have chosen in secret; return what they have not chosen."""
        take_back = self.game.kernels.take_back
        if take_back is None:
            return -1
        excluded = int(take_back(self.game.tables, games, 0, self.searcher))
        self.met["choices made again"] += int(games.to_play[0]) != self.searcher
        return excluded

    def _is_secret(self, games: Games, path: Path) -> bool:
        """Return whether the others do not see what the seat to play chooses."""
        hides = self.game.kernels.hides
        return hides is not None and bool(hides(self.game.tables, games, 0))

    def _drawn(self, games: Games, seed: int, number: int, excluded: int) -> int:
        """Return a choice that a rival makes by the network's policy, from what it sees."""
        seat, mask = int(games.to_play[0]), self.game.legal_actions(games)
        if excluded >= 0:
            self.met["choices excluded"] += int(mask[excluded])
            mask[excluded] = 0
        said = self.table(
            self._seen(games, seat)[None], mask[None], self._points(games, seat)[None]
        )
        shares = softmax({int(a): float(said.logits[0, a]) for a in np.flatnonzero(mask)})
        return drawn_by(shares, seed, CHOICES, number)

    def _deal(self, number: int) -> int:
        """Return the number of the deal of a simulation.

        Halving gives the n-th visit of each compared action the n-th deal.
        """
        return self.wanted[number - 1] + 1 if self.config.gumbel else number

    def _noise(self, action: int) -> float:
        """Return the noise of an action at the root."""
        return self.task.noise[action] if self.task.noise else 0.0

    def _legal(self, games: Games) -> list[int]:
        """Return the legal actions."""
        return [int(action) for action in np.flatnonzero(self.game.legal_actions(games))]

    def _seen(self, games: Games, seat: int) -> Mask:
        """Return the observation of a seat as whole numbers."""
        out: Mask = np.zeros(self.game.observation_size, np.int8)
        self.game.observe(games, 0, seat, out)
        return out

    def _points(self, games: Games, seat: int) -> Ints:
        """Return the points of all sides, those of a seat first."""
        points = self.game.scores(games, 0).tolist()
        return np.array(points[seat:] + points[:seat], np.int32)

    def _simulate(self, number: int) -> None:
        """Play from the root to a leaf or to the end; the first simulation has number 1."""
        games, seed = self._dealt(self._deal(number))
        path, drawn, excluded = Path(), list[int](), self._taken_back(games)
        while games.over[0] == NOT_OVER:
            legal, seat = self._legal(games), int(games.to_play[0])
            if len(legal) == 1:
                self.met["forced plies"] += 1
                self.game.play(games, 0, legal[0])
                continue
            secret = self._is_secret(games, path)
            if secret and seat != self.searcher:
                self.met["simultaneous choices"] += 1
                never = -1 if path else excluded
                drawn.append(self._drawn(games, seed, len(drawn), never))
                self.game.play(games, 0, drawn[-1])
                continue
            key = self._key(games, path, None if secret or not path else drawn)
            if key not in self.nodes:
                values = self._leaf(games, key)
                passed = self._rollout(games, seed, self.nodes[key].logits)
                self._go_back(path, self._counted([values, *passed]))
                return
            node = self.nodes[key]
            action = self._choice(node, legal) if path else self._first(number)
            self.met["other legal actions"] += bool(set(node.visits) - set(legal))
            path.append((node, action, seat))
            self.game.play(games, 0, action)
        self.met["ends"] += 1
        self.met["ends before a rollout"] += self.config.rollout > 0
        self._go_back(path, self._ending(games))

    def _rollout(self, games: Games, seed: int, logits: list[float]) -> list[Values]:
        """Play on from a leaf; return the values of what comes after each drawn action."""
        passed = list[Values]()
        for number in range(self.config.rollout):
            legal = self._legal(games)
            self.met["secret choices of rollouts"] += self._is_secret(games, [])
            shares = softmax({action: logits[action] for action in legal})
            self.game.play(games, 0, self._drawn_in_rollout(shares, seed, number))
            while games.over[0] == NOT_OVER and len(legal := self._legal(games)) == 1:
                self.met["forced plies of rollouts"] += 1
                self.game.play(games, 0, legal[0])
            if games.over[0] != NOT_OVER:
                self.met["ends of rollouts"] += 1
                return [*passed, self._ending(games)]
            logits, values = self._judged(games)
            passed.append(values)
        self.met["whole rollouts"] += self.config.rollout > 0
        return passed

    def _drawn_in_rollout(self, shares: dict[int, float], seed: int, number: int) -> int:
        """Return the action that a seat plays in a rollout; the first is number 0."""
        return drawn_by(shares, seed, ROLLOUT, number)

    def _counted(self, passed: list[Values]) -> Values:
        """Return the mean of the values of a leaf and of what came after it."""
        return [math.fsum(of_side) / len(passed) for of_side in zip(*passed, strict=True)]

    def _key(self, games: Games, path: Path, drawn: list[int] | None) -> Key:
        """Return what identifies the node of the position.

        Args:
            games: the position.
            path: the nodes before it.
            drawn: the choices of rivals that were drawn; None at the root, which comes before they
                are seen, and where seats choose in secret.
        """
        if self.config.keyed:
            seen = self._seen(games, self.searcher).tobytes()
            return seen, int(games.to_play[0]), int(games.ply[0])
        before = tuple((node.key, action) for node, action, _ in path[-1:])
        return before, int(games.to_play[0]), None if drawn is None else tuple(drawn)

    def _go_back(self, path: Path, values: Values) -> None:
        """Add a visit and a value to every action of a simulation."""
        for node, action, seat in path:
            node.visits[action] += 1
            node.sums[action] = node.sums.get(action, 0.0) + values[seat]

    def _value(self, share: float, margin: float) -> float:
        """Return the value of a share of the victory and a margin."""
        weight = self.config.margin
        effect = margin / (abs(margin) + self.config.reach)
        return (1 - weight) * share + weight * (0.5 + 0.5 * effect)

    def _leaf(self, games: Games, key: Key) -> Values:
        """Make a node and return the value of each side."""
        logits, values = self._judged(games)
        self.nodes[key] = Node(key, logits, values[int(games.to_play[0])])
        return values

    def _judged(self, games: Games) -> tuple[list[float], Values]:
        """Return logits and the value of each side, from what the seat to play sees."""
        sides, seat = self.game.num_sides, int(games.to_play[0])
        points = self._points(games, seat)
        said = self.table(
            self._seen(games, seat)[None], self.game.legal_actions(games)[None], points[None]
        )
        margin = float(said.margins[0])
        values = [0.0] * sides
        for k in range(sides):
            of_side = margin if k == 0 else -margin / (sides - 1)
            values[(seat + k) % sides] = self._value(float(said.shares[0, k]), of_side)
        return said.logits[0].tolist(), values

    def _ending(self, games: Games) -> Values:
        """Return the value of each side at the end of the game."""
        standings = self.game.standings(games, 0).tolist()
        points = self.game.scores(games, 0).tolist()
        winners = standings.count(max(standings))
        self.met["shared victories"] += winners > 1
        values = []
        for standing, own in zip(standings, points, strict=True):
            share = 1 / winners if standing == max(standings) else 0.0
            others = (sum(points) - own) / (len(points) - 1)
            values.append(self._value(share, own - others))
        return values

    def _choice(self, node: Node, legal: list[int]) -> int:
        """Return the action that PUCT chooses."""
        config, task = self.config, self.task
        priors = softmax({action: node.logits[action] for action in legal})
        if node is self.root and config.gumbel == 0 and task.mixed > 0:
            for action in legal:
                own = (1 - task.mixed) * priors[action]
                priors[action] = own + task.mixed * self._noise(action)
        total = sum(node.visits[action] for action in legal)
        earned = math.fsum(node.sums.get(action, 0.0) for action in legal)
        without = (node.judged + earned) / (1 + total) - config.doubt
        scored = {}
        for action in legal:
            visits = node.visits[action]
            mean = node.mean(action) if visits else without
            scored[action] = mean + config.c * priors[action] * math.sqrt(total + 1) / (1 + visits)
        return lowest_of_best(scored)

    def _first(self, number: int) -> int:
        """Return the action that a simulation chooses at the root."""
        node = self.root
        if self.config.gumbel == 0:
            return self._choice(node, self.legal)
        plain = {action: node.logits[action] + self._noise(action) for action in self.legal}
        considered = sorted(plain, key=lambda action: (-plain[action], action))
        worth, scale = self._worth(), self._scale()
        scored = {}
        for action in considered[: self.config.gumbel]:
            if node.visits[action] == self.wanted[number - 1]:
                scored[action] = plain[action] + scale * self._trusted(action, worth)
        return lowest_of_best(scored) if scored else self._choice(node, self.legal)

    def _scale(self) -> float:
        """Return the weight of the values against the logits at the root."""
        most = max(self.root.visits[action] for action in self.legal)
        return (50 + most) * self.config.scale

    def _worth(self) -> float:
        """Return the value of the root, from its judgement and the values of its actions."""
        root = self.root
        visited = [action for action in self.legal if root.visits[action]]
        if not visited:
            return root.judged
        priors = softmax({action: root.logits[action] for action in self.legal})
        shared = math.fsum(priors[action] * root.mean(action) for action in visited)
        average = shared / math.fsum(priors[action] for action in visited)
        count = sum(root.visits.values())
        return (root.judged + count * average) / (1 + count)

    def _trusted(self, action: int, worth: float) -> float:
        """Return the value of an action at the root, of which few visits say little.

        The description does not have this formula.  It was found from the line on ``trust`` in
        ``TreeConfig`` and by comparing results.
        """
        visits, trust = self.root.visits[action], self.config.trust
        if visits + trust == 0:
            return worth
        return (self.root.sums.get(action, 0.0) + trust * worth) / (visits + trust)

    def _conclusion(self) -> Answer:
        """Return what was found."""
        root, legal, scale, worth = self.root, self.legal, self._scale(), self._worth()
        visited = [action for action in legal if root.visits[action]]
        means = {action: root.mean(action) for action in visited}
        completed = {action: self._trusted(action, worth) for action in legal}
        improved = {action: root.logits[action] + scale * completed[action] for action in legal}
        most = max(root.visits[action] for action in legal)
        best = {}
        for action in legal:
            if root.visits[action] == most:
                by_mean = completed[action]
                by_both = improved[action] + self._noise(action)
                best[action] = by_both if self.config.gumbel else by_mean
        visits = {action: root.visits[action] for action in visited}
        return Answer(lowest_of_best(best), visits, means, softmax(improved), worth)


# Comparison


def answers(
    game: Game,
    table: Table,
    config: TreeConfig,
    tasks: list[Task],
    *,
    met: Counter[str] | None = None,
    kind: type[Reference] = Reference,
) -> list[Answer]:
    """Return what the reference finds."""
    met = Counter() if met is None else met
    return [kind(game, table, config, task, met).search() for task in tasks]


def found_by(search: TreeSearch, tasks: list[Task]) -> Found:
    """Return what the real search finds, of all positions in one call."""
    size = search.game.dtype.itemsize
    packed = b"".join(task.position.tobytes() for task in tasks)
    assert len(packed) == len(tasks) * size
    positions = np.frombuffer(bytearray(packed), search.game.dtype).view(np.recarray)
    noise = None
    if tasks[0].noise is not None:
        noise = Noise(np.array([task.noise for task in tasks], np.float32), tasks[0].mixed)
    seeds: Index = np.array([task.seed for task in tasks], np.int64)
    sims: Index = np.array([task.sims for task in tasks], np.int64)
    return search.run(positions, seeds, sims, noise)


def differences(found: Found, expected: list[Answer]) -> list[str]:
    """Return in what the real search differs from the reference."""
    assert all(answer.visits for answer in expected), "a reference that never comes to its root"
    return [
        f"position {k}: {what}: {real} instead of {right}"
        for k, answer in enumerate(expected)
        for what, real, right in unequal(found, k, answer)
    ]


def unequal(found: Found, k: int, answer: Answer) -> list[tuple[str, Any, Any]]:
    """Return what differs at one position: its name, as found, as expected."""
    size = found.visits.shape[1]
    visits = {int(a): int(found.visits[k, a]) for a in np.flatnonzero(found.visits[k])}
    numbers: list[tuple[str, npt.NDArray[Any], npt.NDArray[Any]]] = [
        ("values", found.values[k], spread(answer.values, size, np.nan)),
        ("policies", found.policies[k], spread(answer.policy, size, 0.0)),
        ("worth", found.worth[k : k + 1], np.array([answer.worth])),
    ]
    unlike: list[tuple[str, Any, Any]] = []
    if visits != answer.visits:
        unlike.append(("visits", visits, answer.visits))
    if int(found.actions[k]) != answer.action:
        unlike.append(("action", int(found.actions[k]), answer.action))
    for what, real, right in numbers:
        if not np.allclose(real, right, rtol=0, atol=TOLERANCE, equal_nan=True):
            away = np.flatnonzero(~np.isclose(real, right, 0, TOLERANCE, equal_nan=True))
            unlike.append((f"{what} {away[:5].tolist()}", real[away[:5]], right[away[:5]]))
    return unlike


def spread(numbers: dict[int, float], size: int, other: float) -> npt.NDArray[np.float64]:
    """Return the numbers of some actions as an array of all."""
    out = np.full(size, other)
    for action, number in numbers.items():
        out[action] = number
    return out


# Positions


@functools.cache
def game_of(name: str, seats: int) -> Game:
    """Return a game."""
    return sprawl_env.game(name, num_players=seats)


@functools.cache
def decisions(name: str, seats: int, seed: int) -> tuple[Games, ...]:
    """Return the positions of a random game that have a choice."""
    game, rng = game_of(name, seats), np.random.default_rng(seed)
    games, passed = game.deal(1, seed), []
    while games.over[0] == NOT_OVER:
        legal = np.flatnonzero(game.legal_actions(games))
        if len(legal) > 1:
            passed.append(clone(games))
        game.play(games, 0, int(rng.choice(legal)))
    return tuple(passed)


SIMS: Final = (24, 7, 24, 1, 19, 24)  # a position each
FEW_SIMS: Final = max(SIMS) if JIT else 8  # plain Python plays slowly


def tasks_along(name: str, seats: int, seed: int, kind: str, most: int = FEW_SIMS) -> list[Task]:
    """Return positions of a random game: the first, some between, and some of the last.

    Args:
        name: of the game.
        seats: number of seats.
        seed: of the random game, of the deals and of the noise.
        kind: of noise: ``"none"``, ``"gumbel"`` or ``"mixed"``.
        most: simulations of a position.
    """
    passed, rng = decisions(name, seats, seed), np.random.default_rng(seed + 1)
    last = len(passed) - 1
    where = (0, last // 3, 2 * last // 3, last - 6, last - 2, last)
    tasks = []
    for at, share in zip(where, SIMS, strict=True):
        games = passed[at]
        sims = math.ceil(share * most / max(SIMS))
        dealt = int(rng.integers(0, 2**63 - 1))
        noise, mixed = noise_of(game_of(name, seats), games, kind, rng)
        tasks.append(Task(games, dealt, sims, noise, mixed))
    return tasks


def noise_of(
    game: Game, games: Games, kind: str, rng: np.random.Generator
) -> tuple[list[float] | None, float]:
    """Return noise for the root and its share in the priors."""
    if kind == "gumbel":
        drawn = rng.gumbel(size=game.num_actions)
    elif kind == "mixed":
        legal = np.flatnonzero(game.legal_actions(games))
        drawn = np.zeros(game.num_actions)
        drawn[legal] = rng.dirichlet(np.full(len(legal), 0.5))
    else:
        return None, 0.0
    return drawn.astype(np.float32).tolist(), 0.25 if kind == "mixed" else 0.0


# Tests

# The settings and the kind of noise.
SEARCHES: Final = {
    "gumbel with noise": (
        TreeConfig(
            sims=24,
            gumbel=8,
            c=1.3,
            doubt=0.1,
            scale=0.1,
            trust=2.0,
            margin=0.3,
            reach=7.0,
            keyed=1,
        ),
        "gumbel",
    ),
    "gumbel without noise": (TreeConfig(sims=24, gumbel=8, keyed=1), "none"),
    "puct with mixed noise": (
        TreeConfig(sims=24, gumbel=0, c=0.7, doubt=0.05, scale=0.02, margin=0.2, keyed=1),
        "mixed",
    ),
    "gumbel with short rollouts": (
        TreeConfig(sims=24, gumbel=8, margin=0.3, keyed=1, rollout=3),
        "gumbel",
    ),
    "puct with long rollouts": (
        TreeConfig(sims=24, gumbel=0, c=0.7, doubt=0.05, margin=0.2, keyed=1, rollout=20),
        "mixed",
    ),
}
FEW_SEEDS: Final = 25 if JIT else 3
MANY_SEEDS: Final = 500 if JIT else 10


@pytest.mark.parametrize("keyed", [1, 0], ids=["keyed", "not keyed"])
@pytest.mark.parametrize("kind", SEARCHES)
@pytest.mark.parametrize(("name", "seats"), GAMES, ids=IDS)
def test_search_and_reference_agree(name: str, seats: int, kind: str, keyed: int) -> None:
    game, (config, noise) = game_of(name, seats), SEARCHES[kind]
    config = replace(config, keyed=keyed)
    table, met = Table(game), Counter[str]()
    tasks = tasks_along(name, seats, 8, noise)
    expected = answers(game, table, config, tasks, met=met)
    found = found_by(TreeSearch(game, table, config), tasks)
    assert not differences(found, expected)
    if JIT:
        # Simulations reach the end of the game.
        kinds = ("ends of rollouts", "whole rollouts") if config.rollout else ("ends",)
        assert min(met[what] for what in kinds) > 0
        simultaneous = name == "ginkgopolis" and seats > 1
        assert (met["secret choices of rollouts"] > 0) == (simultaneous and config.rollout > 0)


def random_settings(rng: np.random.Generator) -> tuple[TreeConfig, str]:
    """Return settings and a kind of noise."""
    gumbel = int(rng.choice([0, 0, 1, 2, 3, 5, 8, 16, 40]))
    config = TreeConfig(
        sims=int(rng.choice([2, 5, 16, 40, 100])),
        gumbel=gumbel,
        c=float(rng.choice([0.2, 1.0, 3.0])),
        doubt=float(rng.choice([-0.1, 0.0, 0.2])),
        scale=float(rng.choice([0.01, 0.1, 4.0])),
        trust=float(rng.choice([1e-9, 0.5, 4.0, 20.0])),
        margin=float(rng.choice([0.0, 0.4, 1.0])),
        reach=float(rng.choice([2.0, 10.0])),
        keyed=int(rng.integers(2)),
        threads=int(rng.choice([1, 1, 3])),
        rollout=int(rng.choice([0, 0, 1, 3, 20])),
    )
    return config, str(rng.choice(["none", "gumbel" if gumbel else "mixed"]))


def met_by_random_settings(seeds: range) -> Counter[str]:
    """Compare searches with random settings; return what simulations met."""
    met: Counter[str] = Counter()
    for seed in seeds:
        rng = np.random.default_rng(seed)
        name, seats = GAMES[seed % len(GAMES)]
        game, (config, noise) = game_of(name, seats), random_settings(rng)
        table = Table(game)
        tasks = tasks_along(name, seats, seed, noise, config.sims)
        expected = answers(game, table, config, tasks, met=met)
        found = found_by(TreeSearch(game, table, config), tasks)
        wrong = differences(found, expected)
        assert not wrong, f"seed {seed}, {name} for {seats}, {config}, noise {noise}: {wrong}"
    return met


def test_search_and_reference_agree_with_random_settings() -> None:
    met = met_by_random_settings(range(FEW_SEEDS))
    if JIT:
        kinds = (
            "ends",
            "forced plies",
            "other legal actions",
            "simultaneous choices",
            "choices made again",
            "ends before a rollout",
            "ends of rollouts",
            "whole rollouts",
            "forced plies of rollouts",
            "secret choices of rollouts",
        )
        assert min(met[what] for what in kinds) > 0


@pytest.mark.slow
def test_search_and_reference_agree_with_many_random_settings() -> None:
    met = met_by_random_settings(range(FEW_SEEDS, MANY_SEEDS))
    if JIT:
        assert met["shared victories"] > 0


@pytest.mark.slow
@pytest.mark.parametrize("keyed", [1, 0], ids=["keyed", "not keyed"])
@pytest.mark.parametrize(("name", "seats"), GAMES, ids=IDS)
def test_search_and_reference_agree_on_large_trees(name: str, seats: int, keyed: int) -> None:
    game = game_of(name, seats)
    config = TreeConfig(sims=600, gumbel=4, c=0.3, doubt=0.1, margin=0.5, keyed=keyed)
    table, tasks = Table(game), tasks_along(name, seats, 9, "none", config.sims)
    found = found_by(TreeSearch(game, table, config), tasks)
    assert not differences(found, answers(game, table, config, tasks))


def test_a_position_without_a_choice_is_refused() -> None:
    game, (config, _) = game_of("ginkgopolis", 2), SEARCHES["gumbel without noise"]
    games, rng = game.deal(1, 1), np.random.default_rng(1)
    while (legal := np.flatnonzero(game.legal_actions(games))).size > 1:
        game.play(games, 0, int(rng.choice(legal)))
    free, *_ = tasks_along("ginkgopolis", 2, 1, "none")
    search = TreeSearch(game, Table(game), config)
    with pytest.raises(InvalidOption, match="a choice"):
        found_by(search, [free, Task(games, 3, 8)])
    assert found_by(search, [free]).visits.sum() == free.sims


@pytest.mark.parametrize("sims", [(0, 24, 5), (24, 5, 25), (24, -1, 5), (24, 5)])
def test_a_number_of_simulations_that_is_not_allowed_is_refused(sims: tuple[int, ...]) -> None:
    game, config = game_of("tower_up", 2), TreeConfig(sims=24)
    tasks = tasks_along("tower_up", 2, 3, "none")[:3]
    states = game.empty(3)
    for k, task in enumerate(tasks):
        states[k] = task.position[0]
    search = TreeSearch(game, Table(game), config)
    with pytest.raises(InvalidOption, match="sims"):
        search.run(states, np.arange(3), np.array(sims))


def test_search_and_reference_agree_without_trust() -> None:
    game, config = game_of("tower_up", 2), TreeConfig(sims=24, gumbel=8, trust=0.0)
    table, tasks = Table(game), tasks_along("tower_up", 2, 6, "gumbel")
    found = found_by(TreeSearch(game, table, config), tasks)
    assert not differences(found, answers(game, table, config, tasks))


@pytest.mark.parametrize("rollout", [0, 5])
def test_a_search_leaves_nothing_behind_for_the_next_one(rollout: int) -> None:
    game, (config, _) = game_of("tower_up", 2), SEARCHES["gumbel without noise"]
    config, table = replace(config, rollout=rollout), Table(game)
    search = TreeSearch(game, table, config)
    several, two = slice(None), slice(2)
    for seed, noise, chosen in (
        (1, "none", two),
        (2, "gumbel", several),
        (3, "none", slice(1, 4)),
        (4, "gumbel", two),
        (1, "none", two),
    ):
        tasks = tasks_along("tower_up", 2, seed, noise)[chosen]
        assert not differences(found_by(search, tasks), answers(game, table, config, tasks))


def test_search_and_reference_agree_if_positions_are_searched_in_parts() -> None:
    game, (config, noise) = game_of("urban_sprawl", 2), SEARCHES["puct with mixed noise"]
    table, tasks = Table(game), tasks_along("urban_sprawl", 2, 4, noise)
    search = TreeSearch(game, table, config)
    search.most_positions = 4
    assert not differences(found_by(search, tasks), answers(game, table, config, tasks))


# Wrong references: the comparison notices each


class SameValueForAll(Reference):
    """Every seat on a path gets the value of the searcher."""

    def _go_back(self, path: Path, values: Values) -> None:
        super()._go_back(path, [values[self.searcher]] * len(values))


class PointsFromSeat0(Reference):
    """The points do not begin with those of the seat to play."""

    def _points(self, games: Games, seat: int) -> Ints:
        return super()._points(games, 0)


class DealsOneLater(Reference):
    """The root is judged with the deal of the first simulation."""

    def _dealt(self, number: int) -> tuple[Games, int]:
        return super()._dealt(number + 1)


class DealsOfItsOwn(Reference):
    """Every simulation has a deal of its own."""

    def _deal(self, number: int) -> int:
        return number


class RivalsKnow(Reference):
    """Simultaneous choices are made in turn: rivals see what the searcher has chosen."""

    def _is_secret(self, games: Games, path: Path) -> bool:
        return not path and super()._is_secret(games, path)


class ChoicesStay(Reference):
    """What rivals have chosen in secret is random, as it was re-dealt."""

    def _taken_back(self, games: Games) -> int:
        return -1


class MarginsFromWins(Reference):
    """The end of the game counts as if nobody had points."""

    def _ending(self, games: Games) -> Values:
        return [self._value(round(value), 0.0) for value in super()._ending(games)]


class OnlyTheLastCounts(Reference):
    """What a rollout passes has no value, only what it comes to."""

    def _counted(self, passed: list[Values]) -> Values:
        return passed[-1]


class LeavesDoNotCount(Reference):
    """The value of the leaf is not in the mean of a rollout."""

    def _counted(self, passed: list[Values]) -> Values:
        return super()._counted(passed[1:])


class RolloutsOfOneDeal(Reference):
    """Rollouts draw the same numbers in all deals."""

    def _drawn_in_rollout(self, shares: dict[int, float], seed: int, number: int) -> int:
        return super()._drawn_in_rollout(shares, self.task.seed, number)


class RolloutsDrawAsRivals(Reference):
    """Rollouts draw the numbers that rivals' secret choices have."""

    def _drawn_in_rollout(self, shares: dict[int, float], seed: int, number: int) -> int:
        return drawn_by(shares, seed, CHOICES, number)


class RolloutsPlayTheBest(Reference):
    """Rollouts play the action with the largest logit."""

    def _drawn_in_rollout(self, shares: dict[int, float], seed: int, number: int) -> int:
        return lowest_of_best(shares)


WRONG_SETTINGS: Final[dict[str, dict[str, Any]]] = {
    "c": {"c": 0.6},
    "doubt": {"doubt": 0.0},
    "scale": {"scale": 0.05},
    "trust": {"trust": 3.0},
    "margin": {"margin": 0.25},
    "reach": {"reach": 8.0},
    "keyed": {"keyed": 0},
    "gumbel": {"gumbel": 3},
    "rollout": {"rollout": 2},
}
WRONG_IN: Final = {"gumbel": "gumbel with noise", "rollout": "gumbel with short rollouts"}


@pytest.mark.parametrize("wrong", WRONG_SETTINGS)
def test_comparison_notices_a_wrong_setting(wrong: str) -> None:
    kind = WRONG_IN.get(wrong, "puct with mixed noise")
    game, (config, noise) = game_of("ginkgopolis", 2), SEARCHES[kind]
    table, tasks = Table(game), tasks_along("ginkgopolis", 2, 5, noise, config.sims)
    found = found_by(TreeSearch(game, table, config), tasks)
    assert not differences(found, answers(game, table, config, tasks))
    other = replace(config, **WRONG_SETTINGS[wrong])
    assert differences(found, answers(game, table, other, tasks))


@pytest.mark.parametrize("kind", [SameValueForAll, PointsFromSeat0, DealsOneLater, MarginsFromWins])
def test_comparison_notices_a_wrong_rule(kind: type[Reference]) -> None:
    game, (config, noise) = game_of("urban_sprawl", 2), SEARCHES["puct with mixed noise"]
    table, tasks = Table(game), tasks_along("urban_sprawl", 2, 5, noise, config.sims)
    found = found_by(TreeSearch(game, table, config), tasks)
    assert not differences(found, answers(game, table, config, tasks))
    assert differences(found, answers(game, table, config, tasks, kind=kind))


@pytest.mark.parametrize("kind", [RivalsKnow, ChoicesStay])
def test_comparison_notices_a_wrong_rule_of_simultaneous_choices(kind: type[Reference]) -> None:
    game, (config, noise) = game_of("ginkgopolis", 2), SEARCHES["gumbel with noise"]
    table, tasks = Table(game), tasks_along("ginkgopolis", 2, 5, noise, config.sims)
    found = found_by(TreeSearch(game, table, config), tasks)
    assert not differences(found, answers(game, table, config, tasks))
    assert differences(found, answers(game, table, config, tasks, kind=kind))


@pytest.mark.parametrize("search", ["gumbel with short rollouts", "puct with long rollouts"])
@pytest.mark.parametrize(
    "kind",
    [
        OnlyTheLastCounts,
        LeavesDoNotCount,
        RolloutsOfOneDeal,
        RolloutsDrawAsRivals,
        RolloutsPlayTheBest,
    ],
)
def test_comparison_notices_a_wrong_rule_of_rollouts(kind: type[Reference], search: str) -> None:
    game, (config, noise) = game_of("ginkgopolis", 2), SEARCHES[search]
    table, tasks = Table(game), tasks_along("ginkgopolis", 2, 5, noise)
    found = found_by(TreeSearch(game, table, config), tasks)
    assert not differences(found, answers(game, table, config, tasks))
    assert differences(found, answers(game, table, config, tasks, kind=kind))


def test_search_and_reference_agree_where_rivals_have_not_asked_for_a_new_hand() -> None:
    game, (config, _) = game_of("ginkgopolis", 2), SEARCHES["gumbel without noise"]
    for_tiles = [
        games
        for games in decisions("ginkgopolis", 2, 5)
        if game.legal_actions(games)[game.actions["without_tile"].start]
        and games.tokens[0, :2].all()  # so a rival could have asked
    ]
    table, tasks = Table(game), [Task(games, seed, 16) for seed, games in enumerate(for_tiles)]
    met = Counter[str]()
    found = found_by(TreeSearch(game, table, config), tasks)
    assert not differences(found, answers(game, table, config, tasks, met=met))
    assert met["choices excluded"] > 0


def test_comparison_notices_deals_that_compared_actions_do_not_share() -> None:
    game, (config, noise) = game_of("tower_up", 2), SEARCHES["gumbel with noise"]
    table, tasks = Table(game), tasks_along("tower_up", 2, 5, noise)
    found = found_by(TreeSearch(game, table, config), tasks)
    assert not differences(found, answers(game, table, config, tasks))
    assert differences(found, answers(game, table, config, tasks, kind=DealsOfItsOwn))


@pytest.mark.parametrize("kind", ["gumbel with noise", "puct with mixed noise"])
def test_comparison_notices_missing_noise(kind: str) -> None:
    game, (config, noise) = game_of("tower_up", 2), SEARCHES[kind]
    table, tasks = Table(game), tasks_along("tower_up", 2, 5, noise)
    found = found_by(TreeSearch(game, table, config), tasks)
    assert not differences(found, answers(game, table, config, tasks))
    silent = [replace(task, noise=None, mixed=0.0) for task in tasks]
    assert differences(found, answers(game, table, config, silent))


def test_schedule_of_the_reference_is_as_by_hand() -> None:
    halved = [0] * 8 + [1] * 4 + [2] * 4 + [3, 3, 4, 4, 5, 5, 6, 6]
    assert schedule(20, 8, 24) == halved
    assert schedule(20, 8, 10) == [0] * 8 + [1] * 2
    assert schedule(3, 8, 7) == [0, 0, 0, 1, 1, 2, 2]
    assert schedule(5, 1, 4) == [0, 1, 2, 3]
