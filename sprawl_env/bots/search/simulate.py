"""The simulations of a tree search with a network, for many games at once, as kernels.

A simulation re-deals what the searching seat cannot know, goes down the tree of its slot, and stops
at the end of the game or at a node that the network has not judged.  The leaves of all simulations
are judged by the network in one batch.  Then their values go back up.  Several simulations of one
slot can be under way at once: each takes one *lane*; until it is back, its visits count as lost.

A rival does not see what the searching seat chooses in secret, and the searching seat does not see
what a rival chooses so (the kernel ``hides``).  So such a choice of a rival is no node of the tree:
it is drawn from the network's policy, by what the rival sees in the deal of the simulation.  The
simulation waits for the network, and goes on.  A
rival that sees the same in the same deal chooses the same: compared actions need one question.
A choice that rivals have made already, in secret, is made again in the same way, if the game has
the kernel ``take_back``; else it is one that the re-deal has drawn.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np

from sprawl_env.bots.policy.compiled import Room, judge_numbers
from sprawl_env.bots.policy.compiled import Weights as NetWeights
from sprawl_env.bots.search.heads import Heads, judge_sides
from sprawl_env.bots.search.tree import (
    NEW,
    NO_NODE,
    ROOT,
    Roots,
    Trees,
    Weights,
    consider,
    drawn,
    find,
    judge,
    of_numbers,
    pick_halving,
    pick_puct,
)
from sprawl_env.core.game import Game
from sprawl_env.core.rewards import lead, winner_reward
from sprawl_env.core.rules import GameRules
from sprawl_env.core.state import NOT_OVER, Games, Tables
from sprawl_env.kernels.arrays import Floats, Index, Ints, Mask
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.masks import NO_ACTION, keep_allowed, only_action
from sprawl_env.kernels.rng import WORD, combine

LONGEST_PATH: Final = 256  # decisions in a simulation
ROOT_IDENTITY: Final = 1  # if nodes are sequences of actions
UNKNOWN: Final = -1  # no identity
CHOICES, ROLLOUT = 1, 2  # streams of a deal's seed; 0 re-deals


class Searches(NamedTuple):
    """What is searched, a row for each slot.

    Attributes:
        observers: int64 ``[slots]``, the seats that search.
        seeds: int64 ``[slots]``, of the simulations' deals.
        wanted: int64 ``[slots]``, number of simulations.
        begun: int64 ``[slots]``, simulations that have begun.
        keyed: nodes are what the searching seat sees, not sequences of actions.
        margin: weight of the margin in the value of a side; victory has the rest.
        reach: points of margin that have half the largest effect.
        most: number of actions that sequential halving compares.
        rollout: decisions that the network's policy plays on from a leaf.
    """

    observers: Index
    seeds: Index
    wanted: Index
    begun: Index
    keyed: bool
    margin: float
    reach: float
    most: int
    rollout: int


class Choices(NamedTuple):
    """The first choices that were drawn for rivals in each deal of each slot.

    Attributes:
        identities: int64 ``[slots, deals, choices]``, of what the rival saw, or ``UNKNOWN``.
        answers: int32 ``[slots, deals, choices]``, its choice.
    """

    identities: Index
    answers: Ints


class Forest(NamedTuple):
    """The trees of all slots, and what they are grown for."""

    trees: Trees
    roots: Roots
    searches: Searches
    weights: Weights
    choices: Choices


class Lanes(NamedTuple):
    """Simulations under way; lane ``l`` of slot ``s`` has the index ``s * lanes + l``.

    Attributes:
        nodes: int32 ``[slots * lanes, LONGEST_PATH]``, the nodes on the path.
        actions: int32 ``[slots * lanes, LONGEST_PATH]``, the action at each of them.
        seats: int8 ``[slots * lanes, LONGEST_PATH]``, the seat that plays there.
        lengths: int64 ``[slots * lanes]``, of the paths.
        identities: int64 ``[slots * lanes]``, of the last node and the action there.
        leaves: int64 ``[slots * lanes]``, the node that waits for the network, or ``NO_NODE``.
        numbers: int64 ``[slots * lanes]``, of the simulations, from 0; -1: of the root alone.
        deals: int64 ``[slots * lanes]``, the numbers of the deals.
        seeds: int64 ``[slots * lanes]``, of the deals.
        asked: int64 ``[slots * lanes]``, how many choices of rivals were drawn.
        drawn: int64 ``[slots * lanes]``, the identity of these choices together.
        seen: int64 ``[slots * lanes]``, the identity of what the rival sees that is up.
        answers: int64 ``[slots * lanes]``, such a choice that is to be played.
        asking: int8 ``[slots * lanes]``, the lane waits for such a choice.
        excluded: int64 ``[slots * lanes]``, what no rival has chosen before the root.
        rolled: int64 ``[slots * lanes]``, decisions that the policy has played on from the leaf.
        sums: float32 ``[slots * lanes, num_sides]``, the values of the leaf and after each of these
            decisions but the last.
    """

    nodes: Ints
    actions: Ints
    seats: Mask
    lengths: Index
    identities: Index
    leaves: Index
    numbers: Index
    deals: Index
    seeds: Index
    asked: Index
    drawn: Index
    seen: Index
    answers: Index
    asking: Mask
    excluded: Index
    rolled: Index
    sums: Floats


class Leaves(NamedTuple):
    """The positions that wait for the network, by row.

    Attributes:
        lanes: int64 ``[rows]``, whose leaf it is.
        seats: int64 ``[rows]``, the seat that plays, which observes.
        numbers: int8 ``[rows, observation_size]``.
        masks: int8 ``[rows, num_actions]``.
        points: int32 ``[rows, num_sides]``, points now, by side; the observer first.
        kept: int8 ``[rows]``, a node keeps the logits, of all actions: in other deals others are
            legal.  Otherwise those of the legal actions are enough.
    """

    lanes: Index
    seats: Index
    numbers: Mask
    masks: Mask
    points: Ints
    kept: Mask


class Ends(NamedTuple):
    """Room for the points of one position.

    Attributes:
        scores: int32 ``[num_sides]``.
        standings: int32 ``[num_sides]``.
        values: float32 ``[num_sides]``, the value of each side, 0..1.
    """

    scores: Ints
    standings: Ints
    values: Floats


class Scratch(NamedTuple):
    """What simulations overwrite, besides the trees and their games."""

    lanes: Lanes
    leaves: Leaves
    ends: Ends


def new_lanes(count: int, sides: int) -> Lanes:
    """Return ``count`` lanes."""
    return Lanes(
        nodes=np.zeros((count, LONGEST_PATH), np.int32),
        actions=np.zeros((count, LONGEST_PATH), np.int32),
        seats=np.zeros((count, LONGEST_PATH), np.int8),
        lengths=np.zeros(count, np.int64),
        identities=np.zeros(count, np.int64),
        leaves=np.full(count, NO_NODE, np.int64),
        numbers=np.zeros(count, np.int64),
        deals=np.zeros(count, np.int64),
        seeds=np.zeros(count, np.int64),
        asked=np.zeros(count, np.int64),
        drawn=np.zeros(count, np.int64),
        seen=np.zeros(count, np.int64),
        answers=np.zeros(count, np.int64),
        asking=np.zeros(count, np.int8),
        excluded=np.full(count, NO_ACTION, np.int64),
        rolled=np.zeros(count, np.int64),
        sums=np.zeros((count, sides), np.float32),
    )


def new_leaves(game: Game, rows: int) -> Leaves:
    """Return arrays for ``rows`` leaves."""
    return Leaves(
        lanes=np.zeros(rows, np.int64),
        seats=np.zeros(rows, np.int64),
        numbers=np.zeros((rows, game.observation_size), np.int8),
        masks=np.zeros((rows, game.num_actions), np.int8),
        points=np.zeros((rows, game.num_sides), np.int32),
        kept=np.zeros(rows, np.int8),
    )


def new_ends(game: Game) -> Ends:
    """Return room for the points of one position."""
    sides = game.num_sides
    return Ends(np.zeros(sides, np.int32), np.zeros(sides, np.int32), np.zeros(sides, np.float32))


@kernel
def value_of(share: float, margin: float, searches: Searches) -> float:
    """Return the value of a side, 0..1, from its share of the victory and its margin."""
    if searches.margin <= 0.0:
        return share
    squashed = 0.5 + 0.5 * margin / (abs(margin) + searches.reach)
    return (1.0 - searches.margin) * share + searches.margin * squashed


@kernel
def add_values(trees: Trees, lanes: Lanes, slot: int, lane: int, values: Floats) -> None:
    """Add what a simulation has found to the actions on its path.

    It is the mean of the values of the leaf and after each decision that the policy has played on.

    Args:
        trees: the trees.
        lanes: the simulations.
        slot: of the tree.
        lane: of the simulation.
        values: ``[num_sides]``, the last values.
    """
    for k in range(lanes.lengths[lane]):
        seat = lanes.seats[lane, k]
        value = (values[seat] + lanes.sums[lane, seat]) / (lanes.rolled[lane] + 1.0)
        trees.values[slot, lanes.nodes[lane, k], lanes.actions[lane, k]] += value


@kernel
def begins(forest: Forest, slot: int, first: bool) -> bool:
    """Return whether a simulation begins in a lane of a slot, and count it.

    As long as the network has not judged the root, the first lane alone goes there, which is not
    counted.
    """
    trees, searches = forest.trees, forest.searches
    if trees.used[slot] == 0 or trees.stage[slot, ROOT] == NEW:
        return first
    if searches.begun[slot] >= searches.wanted[slot]:
        return False
    searches.begun[slot] += 1
    return True


@kernel
def deal_of(forest: Forest, slot: int, number: int) -> int:
    """Return the number of the deal of a simulation, 0: that in which the root is judged.

    Where sequential halving compares actions, those with equally many visits have seen the same
    deals: they differ in what they do, not in the rng.
    """
    schedule = forest.roots.schedule
    if schedule.shape[1] > 0 and number >= 0:
        return int(schedule[slot, number]) + 1
    return number + 1


@kernel
def pick(forest: Forest, slot: int, number: int, node: int, mask: Mask) -> int:
    """Return the action of simulation ``number`` at a node."""
    trees, roots, weights = forest.trees, forest.roots, forest.weights
    mixed = weights.mixed if node == ROOT else 0.0
    if node == ROOT and roots.schedule.shape[1] > 0:
        action = pick_halving(trees, roots, slot, number, mask, weights)
        if action != NO_ACTION:
            return action
    return pick_puct(trees, slot, node, mask, weights, roots.noise[slot], mixed)


@kernel
def go_down(forest: Forest, lanes: Lanes, lane: int, seat: int, identity: int, mask: Mask) -> int:
    """Take a lane to the node of an identity; return the action there, ``NO_ACTION`` at a leaf."""
    trees, slot = forest.trees, lane // (lanes.lengths.size // forest.searches.begun.size)
    node, depth = find(trees, slot, identity), int(lanes.lengths[lane])
    judged = node != NO_NODE and trees.stage[slot, node] != NEW
    if not judged or depth == LONGEST_PATH:
        lanes.leaves[lane] = NO_NODE if judged else node
        return NO_ACTION
    action = pick(forest, slot, int(lanes.numbers[lane]), node, mask)
    trees.visits[slot, node, action] += 1
    lanes.nodes[lane, depth] = node
    lanes.actions[lane, depth] = action
    lanes.seats[lane, depth] = seat
    lanes.lengths[lane] = depth + 1
    lanes.identities[lane] = combine(identity, action)
    return action


@kernel
def known_choice(choices: Choices, lanes: Lanes, slot: int, lane: int) -> int:
    """Return what a rival that sees the same has chosen in this deal; ``NO_ACTION`` if unknown."""
    deal, number = lanes.deals[lane], lanes.asked[lane]
    if number >= choices.answers.shape[2]:
        return NO_ACTION
    if choices.identities[slot, deal, number] != lanes.seen[lane]:
        return NO_ACTION
    return int(choices.answers[slot, deal, number])


@kernel
def drawn_in_deal(
    lanes: Lanes, lane: int, stream: int, number: int, logits: Floats, mask: Mask
) -> int:
    """Return draw ``number`` of a stream of a lane's deal, by the network's logits."""
    word = combine(combine(lanes.seeds[lane], stream), number)
    return drawn(logits, mask, word & WORD)


@kernel
def draw_choice(
    choices: Choices, lanes: Lanes, slot: int, lane: int, logits: Floats, mask: Mask
) -> None:
    """Draw the choice of a rival, by the network's logits, for a lane that asks for it."""
    deal, number = lanes.deals[lane], lanes.asked[lane]
    lanes.answers[lane] = answer = drawn_in_deal(lanes, lane, CHOICES, number, logits, mask)
    if number < choices.answers.shape[2]:
        choices.identities[slot, deal, number] = lanes.seen[lane]
        choices.answers[slot, deal, number] = answer


@kernel
def play_on(lanes: Lanes, lane: int, logits: Floats, mask: Mask, values: Floats) -> None:
    """Draw the policy's decision after a leaf, and keep the values before it.

    The draws are those of the deal, so compared actions meet the same luck there, too.
    """
    for side in range(values.size):
        lanes.sums[lane, side] += values[side]
    number = lanes.rolled[lane]
    lanes.answers[lane] = drawn_in_deal(lanes, lane, ROLLOUT, number, logits, mask)
    lanes.rolled[lane] += 1
    lanes.asking[lane] = 1


@kernel
def note_choice(lanes: Lanes, lane: int, action: int) -> None:
    """Note that a rival has made a choice that was drawn."""
    lanes.asked[lane] += 1
    lanes.drawn[lane] = combine(lanes.drawn[lane], action)


@kernel
def back_up(
    forest: Forest, scratch: Scratch, rows: int, logits: Floats, shares: Floats, margins: Floats
) -> None:
    """Write the network's judgements of ``rows`` leaves to the trees and add up their values.

    Where a lane asks for a rival's choice, draw it.

    Args:
        forest: the trees.
        scratch: the simulations and their leaves.
        rows: how many leaves there are.
        logits: ``[rows, num_actions]``.
        shares: ``[rows, num_sides]``, of the victory, the observer's first; the sum is 1.
        margins: ``[rows]``, the observer's final points minus the mean of the others'.
    """
    trees, roots, searches = forest.trees, forest.roots, forest.searches
    lanes, leaves, values = scratch.lanes, scratch.leaves, scratch.ends.values
    sides, per_slot = values.size, lanes.lengths.size // searches.begun.size
    for row in range(rows):
        lane, seat = int(leaves.lanes[row]), int(leaves.seats[row])
        slot, node = lane // per_slot, int(lanes.leaves[lane])
        if lanes.asking[lane]:
            draw_choice(forest.choices, lanes, slot, lane, logits[row], leaves.masks[row])
            continue
        for k in range(sides):
            margin = float(margins[row]) if k == 0 else -float(margins[row]) / (sides - 1.0)
            values[(seat + k) % sides] = value_of(float(shares[row, k]), margin, searches)
        if node != ROOT and lanes.rolled[lane] < searches.rollout:
            play_on(lanes, lane, logits[row], leaves.masks[row], values)
        else:
            add_values(trees, lanes, slot, lane, values)
        lanes.leaves[lane] = NO_NODE  # it has been judged
        if node != NO_NODE:
            judge(trees, slot, node, logits[row], float(values[seat]))
            if node == ROOT and roots.schedule.shape[1] > 0:
                consider(trees, roots, slot, leaves.masks[row], searches.most)


def points_kernels(rules: GameRules) -> tuple[Callable[..., None], Callable[..., None]]:
    """Return the kernels that write the values at the end of a game, and the points of a leaf."""
    score_all, stand = rules.kernels.scores, rules.kernels.standings

    @kernel(label=rules.label)
    def end(tables: Tables, games: Games, lane: int, searches: Searches, ends: Ends) -> None:
        """Write the value of every side of a finished game."""
        score_all(tables, games, lane, ends.scores)
        stand(tables, games, lane, ends.standings)
        sides = ends.scores.size
        for side in range(sides):
            share = (1.0 + (sides - 1.0) * winner_reward(ends.standings, side)) / sides
            ends.values[side] = value_of(share, lead(ends.scores, side), searches)

    @kernel(label=rules.label)
    def count(
        tables: Tables, games: Games, lane: int, leaves: Leaves, row: int, ends: Ends
    ) -> None:
        """Write the points of a leaf to a row, and whose it is."""
        seat = int(games[lane].to_play)
        leaves.lanes[row], leaves.seats[row] = lane, seat
        score_all(tables, games, lane, ends.scores)
        sides = ends.scores.size
        for k in range(sides):
            leaves.points[row, k] = ends.scores[(seat + k) % sides]

    return end, count


@functools.cache
def take_back_kernel(rules: GameRules) -> Callable[..., int]:
    """Return the kernel that takes back what the others have chosen in secret."""
    if rules.kernels.take_back is not None:
        return rules.kernels.take_back

    @kernel(label=rules.label)
    def keep(tables: Tables, games: Games, lane: int, observer: int) -> int:
        """Return ``NO_ACTION``: nothing is taken back."""
        return NO_ACTION

    return keep


@functools.cache
def hides_kernel(rules: GameRules) -> Callable[..., bool]:
    """Return the kernel that says whether others do not see what the seat to play chooses."""
    if rules.kernels.hides is not None:
        return rules.kernels.hides

    @kernel(label=rules.label)
    def never(tables: Tables, games: Games, lane: int) -> bool:
        """Return False: every choice of this game is seen at once."""
        return False

    return never


def _decide_kernel(rules: GameRules) -> Callable[..., int]:
    """Return the kernel that decides for the seat to play, or writes the observation of a leaf."""
    observe, hides = rules.kernels.observe, hides_kernel(rules)

    @kernel(label=rules.label)
    def decide(
        tables: Tables, games: Games, lane: int, forest: Forest, scratch: Scratch, row: int
    ) -> int:
        """Return the action of a lane; ``NO_ACTION`` if row ``row`` waits for the network."""
        lanes, leaves, searches = scratch.lanes, scratch.leaves, forest.searches
        numbers, seat = leaves.numbers[row], int(games[lane].to_play)
        if lanes.rolled[lane] > 0:
            observe(tables, games, lane, seat, numbers)
            return NO_ACTION
        slot = lane // (lanes.lengths.size // searches.begun.size)
        observer = int(searches.observers[slot])
        secret = hides(tables, games, lane)
        if secret and seat != observer:
            observe(tables, games, lane, seat, numbers)
            excluded, is_before_root = int(lanes.excluded[lane]), lanes.lengths[lane] == 0
            if is_before_root and 0 <= excluded < leaves.masks.shape[1]:  # two or more are legal
                leaves.masks[row, excluded] = 0
            lanes.seen[lane] = of_numbers(combine(int(games[lane].ply), seat), numbers)
            choice = known_choice(forest.choices, lanes, slot, lane)
            if choice == NO_ACTION:
                lanes.asking[lane] = 1
            else:
                note_choice(lanes, lane, choice)
            return choice
        identity = combine(lanes.identities[lane], seat)
        if not secret and lanes.lengths[lane] > 0:  # nobody has seen a choice before the root
            identity = combine(identity, lanes.drawn[lane])
        if searches.keyed:
            observe(tables, games, lane, observer, numbers)
            identity = of_numbers(combine(int(games[lane].ply), seat), numbers)
        if lanes.lengths[lane] == 0:
            keep_allowed(leaves.masks[row], forest.roots.allowed[slot])
        action = go_down(forest, lanes, lane, seat, identity, leaves.masks[row])
        if action == NO_ACTION and not (searches.keyed and seat == observer):
            observe(tables, games, lane, seat, numbers)
        return action

    return decide


class Judge(NamedTuple):
    """A compiled network, and what it overwrites.

    Attributes:
        net: its weights.
        room: what a row overwrites.
        heads: its heads.
        logits: float32 ``[rows, num_actions]``.
        summaries: float32 ``[rows, trunk]``.
        shares: float32 ``[rows, num_sides]``.
        margins: float32 ``[rows]``.
    """

    net: NetWeights
    room: Room
    heads: Heads
    logits: Floats
    summaries: Floats
    shares: Floats
    margins: Floats


@kernel
def judge_leaves(judge: Judge, leaves: Leaves, rows: int) -> None:
    """Let the network judge the first ``rows`` leaves."""
    for row in range(rows):
        numbers, summary = leaves.numbers[row], judge.summaries[row]
        mask = judge.net.every if leaves.kept[row] else leaves.masks[row]
        judge_numbers(judge.net, judge.room, numbers, mask, judge.logits[row], summary)
        shares = judge.shares[row]
        judge.margins[row] = judge_sides(judge.heads, summary, leaves.points[row], shares)


@kernel
def is_finished(searches: Searches, lanes: Lanes) -> bool:
    """Return whether every slot has all the simulations that it wants, and none is under way."""
    left = 0
    for slot in range(searches.begun.size):
        left += searches.wanted[slot] - searches.begun[slot]
    for lane in range(lanes.asking.size):
        left += lanes.asking[lane]
    return bool(left == 0)


@kernel
def abandon(forest: Forest, lanes: Lanes) -> None:
    """Forget the simulations that are under way: their visits no longer count."""
    visits, per_slot = forest.trees.visits, lanes.lengths.size // forest.searches.begun.size
    for lane in range(lanes.asking.size):
        if lanes.asking[lane]:
            for k in range(lanes.lengths[lane]):
                visits[lane // per_slot, lanes.nodes[lane, k], lanes.actions[lane, k]] -= 1
            lanes.asking[lane] = 0


@functools.cache
def descend_kernel(rules: GameRules) -> Callable[..., int]:
    """Return the kernel that takes one simulation in each lane down to its leaf."""
    kernels = rules.kernels
    legal_actions, redeal, play = kernels.legal_actions, kernels.redeal_hidden, kernels.play
    end, count = points_kernels(rules)
    decide, take_back = _decide_kernel(rules), take_back_kernel(rules)

    @kernel(label=rules.label)
    def begin(tables: Tables, games: Games, lane: int, forest: Forest, lanes: Lanes) -> None:
        """Deal what the searching seat cannot know for the simulation that begins in a lane."""
        searches = forest.searches
        slot = lane // (lanes.lengths.size // searches.begun.size)
        observer, number = int(searches.observers[slot]), int(searches.begun[slot]) - 1
        deal = deal_of(forest, slot, number)
        seed = combine(searches.seeds[slot], deal)
        redeal(tables, games, lane, seed, observer)
        lanes.numbers[lane], lanes.deals[lane], lanes.seeds[lane] = number, deal, seed
        lanes.lengths[lane], lanes.identities[lane] = 0, ROOT_IDENTITY
        lanes.asked[lane], lanes.drawn[lane], lanes.excluded[lane] = 0, 0, NO_ACTION
        lanes.rolled[lane] = 0
        lanes.sums[lane] = 0.0
        if number >= 0:
            lanes.excluded[lane] = take_back(tables, games, lane, observer)

    @kernel(label=rules.label)
    def descend(
        tables: Tables, positions: Games, games: Games, forest: Forest, scratch: Scratch
    ) -> int:
        """Begin a simulation in each lane, or go on with it, until it waits for the network.

        Values of simulations that end with the game are added at once.

        Args:
            tables: the game's.
            positions: ``[slots]``, what is searched.
            games: ``[slots * lanes]``, overwritten.
            forest: the trees.
            scratch: overwritten.

        Returns:
            The number of rows that wait.
        """
        lanes, leaves, searches = scratch.lanes, scratch.leaves, forest.searches
        rows, per_slot = 0, lanes.lengths.size // searches.begun.size
        for lane in range(lanes.lengths.size):
            slot = lane // per_slot
            if lanes.asking[lane]:
                lanes.asking[lane], answer = 0, int(lanes.answers[lane])
                if lanes.rolled[lane] == 0:
                    note_choice(lanes, lane, answer)
                play(tables, games, lane, answer)
            elif begins(forest, slot, lane % per_slot == 0):
                games[lane] = positions[slot]
                begin(tables, games, lane, forest, lanes)
            else:
                continue
            mask, action = leaves.masks[rows], 0
            while action != NO_ACTION and games[lane].over == NOT_OVER:
                legal_actions(tables, games, lane, mask)
                action = only_action(mask)
                if action == NO_ACTION:
                    action = decide(tables, games, lane, forest, scratch, rows)
                if action != NO_ACTION:
                    play(tables, games, lane, action)
            if action == NO_ACTION:
                count(tables, games, lane, leaves, rows, scratch.ends)
                leaves.kept[rows] = lanes.leaves[lane] != NO_NODE
                rows += 1
            else:
                end(tables, games, lane, searches, scratch.ends)
                add_values(forest.trees, lanes, slot, lane, scratch.ends.values)
        return rows

    return descend


@functools.cache
def grow_kernel(rules: GameRules) -> Callable[..., bool]:
    """Return the kernel that takes simulations down and up again, with a compiled network."""
    descend = descend_kernel(rules)

    @kernel(label=rules.label)
    def grow(
        tables: Tables,
        positions: Games,
        games: Games,
        forest: Forest,
        scratch: Scratch,
        judge: Judge,
        steps: int,
    ) -> bool:
        """Ask the network at most ``steps`` times; return whether everything is finished."""
        for _ in range(steps):
            if is_finished(forest.searches, scratch.lanes):
                return True
            rows = descend(tables, positions, games, forest, scratch)
            judge_leaves(judge, scratch.leaves, rows)
            back_up(forest, scratch, rows, judge.logits, judge.shares, judge.margins)
        return is_finished(forest.searches, scratch.lanes)

    return grow
