"""The trees of a search with a network: many games at once, a tree for each, as arrays and kernels.

A node stands for what the searching seat sees when a seat decides: its identity is made of that
seat's observation, the seat to play and the number of plies.  So every outcome that the searching
seat gets to see, e.g. a card that is drawn openly, has a node of its own; what stays hidden from
it, e.g. a rival's choice before it is revealed, shares one; and two orders of the same actions meet
in one node.  If ``keyed`` is off, a node stands for the sequence of actions and the seat to play.

Every node has, for each action, the network's logit, and the visits and the sum of the values of
the seat that plays there (max-n: each seat maximises its own value).  Actions that are not legal in
the deal of a simulation are left out.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np

from sprawl_env.kernels.arrays import Floats, Index, Ints, Mask
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.masks import NO_ACTION, word_at
from sprawl_env.kernels.rng import WORD, WORD_BITS, combine

NO_NODE: Final = -1
ROOT: Final = 0
NEW, READY = 0, 1  # values of ``Trees.stage``: the network has not judged the node yet, or has
EIGHT: Final = 8  # numbers in a word
_FACTOR: Final = 2131995753  # odd, below 2**31


class Trees(NamedTuple):
    """Trees side by side, one for each slot.

    Attributes:
        used: int64 ``[slots]``, number of nodes.
        identity: int64 ``[slots, nodes]``.
        places: int32 ``[slots, places]``, a hash table: the node of an identity, or ``NO_NODE``;
            the number of places is a power of two.
        stage: int8 ``[slots, nodes]``.
        judged: float32 ``[slots, nodes]``, the network's value for the seat that plays there.
        logits: float32 ``[slots, nodes, num_actions]``, the network's, also of illegal actions.
        visits: int32 ``[slots, nodes, num_actions]``.
        values: float32 ``[slots, nodes, num_actions]``, sum over the visits that are finished.
    """

    used: Index
    identity: Index
    places: Ints
    stage: Mask
    judged: Floats
    logits: Floats
    visits: Ints
    values: Floats


class Roots(NamedTuple):
    """How the root of each slot is searched.

    Attributes:
        noise: float32 ``[slots, num_actions]``: Gumbel noise that is added to the logits, or for
            plain PUCT a distribution that is mixed into the priors.
        considered: int8 ``[slots, num_actions]``, the actions that sequential halving compares.
        allowed: int8 ``[slots, num_actions]``, the actions that may be played: some or all legal
            ones.
        schedule: int32 ``[slots, sims]``: the number of visits that the action of a simulation
            has so far (see :func:`sprawl_env.bots.search.schedule.halving`); no columns for PUCT.
    """

    noise: Floats
    considered: Mask
    allowed: Mask
    schedule: Ints


class Weights(NamedTuple):
    """The numbers that weigh values against priors.

    Attributes:
        c: weight of the exploration term of PUCT; values are in 0..1.
        doubt: what the value of an action without visits is less than that of its node.
        mixed: share of the noise in the priors of the root, for PUCT.
        visit: added to the visits of the most visited action in ``scale_of``.
        scale: of the values against the logits at the root, for Gumbel.
        trust: visits after which the own value of an action counts as much as its position's.
    """

    c: float
    doubt: float
    mixed: float
    visit: float
    scale: float
    trust: float


def new_trees(slots: int, nodes: int, num_actions: int) -> Trees:
    """Return empty trees of at most ``nodes`` nodes."""
    places = 1 << (2 * nodes - 1).bit_length()
    return Trees(
        used=np.zeros(slots, np.int64),
        identity=np.zeros((slots, nodes), np.int64),
        places=np.full((slots, places), NO_NODE, np.int32),
        stage=np.zeros((slots, nodes), np.int8),
        judged=np.zeros((slots, nodes), np.float32),
        logits=np.zeros((slots, nodes, num_actions), np.float32),
        visits=np.zeros((slots, nodes, num_actions), np.int32),
        values=np.zeros((slots, nodes, num_actions), np.float32),
    )


@kernel
def of_numbers(seed: int, numbers: Mask) -> int:
    """Return an identity, 0..2**63-1, made of a seed and an observation."""
    low, high = seed & WORD, seed >> WORD_BITS
    in_words = numbers.size // EIGHT * EIGHT
    for first in range(0, in_words, EIGHT):
        word = word_at(numbers, first)
        if word != 0:  # most numbers are 0
            low = ((low ^ first ^ (word & WORD)) * _FACTOR) & WORD
            low ^= low >> 15
            high = ((high ^ low ^ (word >> WORD_BITS & WORD)) * _FACTOR) & WORD
            high ^= high >> 13
    for k in range(in_words, numbers.size):
        low = ((low ^ (int(numbers[k]) & WORD)) * _FACTOR + k) & WORD
        low ^= low >> 15
    return combine(combine(seed, low), high)


@kernel
def find(trees: Trees, slot: int, identity: int) -> int:
    """Return the node of an identity, a new one if there is none; ``NO_NODE`` if there is no room.

    A new node has the stage ``NEW`` and no visits.
    """
    places = trees.places[slot]
    last = places.size - 1
    place = identity & last
    while places[place] != NO_NODE:
        node = int(places[place])
        if trees.identity[slot, node] == identity:
            return node
        place = (place + 1) & last
    node = int(trees.used[slot])
    if node == trees.identity.shape[1]:
        return NO_NODE
    places[place] = node
    trees.used[slot] = node + 1
    trees.identity[slot, node] = identity
    trees.stage[slot, node] = NEW
    for action in range(trees.visits.shape[2]):
        trees.visits[slot, node, action] = 0
        trees.values[slot, node, action] = 0.0
    return node


@kernel
def judge(trees: Trees, slot: int, node: int, logits: Floats, value: float) -> None:
    """Write the network's judgement of a node, unless it has one."""
    if trees.stage[slot, node] == NEW:
        trees.stage[slot, node] = READY
        trees.judged[slot, node] = value
        for action in range(logits.size):
            trees.logits[slot, node, action] = logits[action]


@kernel
def drawn(logits: Floats, mask: Mask, word: int) -> int:
    """Return a legal action, drawn from the softmax of the logits.

    Args:
        logits: ``[num_actions]``.
        mask: ``[num_actions]``, 1 = legal.
        word: 32 random bits.
    """
    highest, total = highest_logit(logits, mask), 0.0
    for action in range(mask.size):
        if mask[action]:
            total += math.exp(float(logits[action]) - highest)
    left, last = (word + 0.5) / (WORD + 1.0) * total, NO_ACTION
    for action in range(mask.size):
        if mask[action]:
            last = action
            left -= math.exp(float(logits[action]) - highest)
            if left < 0.0:
                return action
    return last


@kernel
def highest_logit(logits: Floats, mask: Mask) -> float:
    """Return the highest logit of a legal action."""
    highest = -np.inf
    for action in range(mask.size):
        if mask[action]:
            highest = max(highest, float(logits[action]))
    return highest


@kernel
def pick_puct(
    trees: Trees,
    slot: int,
    node: int,
    mask: Mask,
    weights: Weights,
    noise: Floats,
    mixed: float,
) -> int:
    """Return the legal action with the highest bound: value + c · prior · √visits / (1 + own).

    Args:
        trees: the trees.
        slot: of the tree.
        node: where a seat decides.
        mask: int8 ``[num_actions]``, 1 = legal.
        weights: of values and priors.
        noise: float32 ``[num_actions]``, a distribution.
        mixed: its share in the priors.
    """
    logits, visits, values = (
        trees.logits[slot, node],
        trees.visits[slot, node],
        trees.values[slot, node],
    )
    highest = highest_logit(logits, mask)
    total, norm, seen = 0, 0.0, float(trees.judged[slot, node])
    for action in range(mask.size):
        if mask[action]:
            total += int(visits[action])
            seen += float(values[action])
            norm += math.exp(float(logits[action]) - highest)
    unvisited = seen / (1 + total) - weights.doubt
    factor = weights.c * math.sqrt(float(total) + 1.0)
    best, bound = NO_ACTION, -np.inf
    for action in range(mask.size):
        if mask[action]:
            prior = math.exp(float(logits[action]) - highest) / norm
            if mixed > 0.0:
                prior = (1.0 - mixed) * prior + mixed * float(noise[action])
            count = int(visits[action])
            value = float(values[action]) / count if count > 0 else unvisited
            found = value + factor * prior / (1 + count)
            if best == NO_ACTION or found > bound:  # an action even if nothing is a number
                best, bound = action, found
    return best


@kernel
def scale_of(visits: Ints, mask: Mask, weights: Weights) -> float:
    """Return the factor of values where they are compared with logits; it grows with visits."""
    most = 0
    for action in range(mask.size):
        if mask[action]:
            most = max(most, int(visits[action]))
    return (weights.visit + most) * weights.scale


@kernel
def consider(trees: Trees, roots: Roots, slot: int, mask: Mask, most: int) -> None:
    """Mark the ``most`` actions with the highest logit + noise as considered at the root."""
    considered, logits, noise = roots.considered[slot], trees.logits[slot, ROOT], roots.noise[slot]
    for action in range(mask.size):
        considered[action] = 0
    for _ in range(most):
        best, highest = NO_ACTION, -np.inf
        for action in range(mask.size):
            if mask[action] and not considered[action]:
                found = float(logits[action]) + float(noise[action])
                if best == NO_ACTION or found > highest:
                    best, highest = action, found
        if best == NO_ACTION:
            return
        considered[best] = 1


@kernel
def pick_halving(
    trees: Trees, roots: Roots, slot: int, number: int, mask: Mask, weights: Weights
) -> int:
    """Return the action of simulation ``number`` at the root by sequential halving.

    Of the considered actions with as many visits as the schedule says, it is the one with the
    highest logit + noise + scaled value, which few visits make smaller.  ``NO_ACTION``: there is
    none.
    """
    logits, visits = trees.logits[slot, ROOT], trees.visits[slot, ROOT]
    scale = scale_of(visits, mask, weights)
    wanted = int(roots.schedule[slot, number])
    best, highest = NO_ACTION, -np.inf
    for action in range(mask.size):
        if mask[action] and roots.considered[slot, action] and int(visits[action]) == wanted:
            found = float(logits[action]) + float(roots.noise[slot, action])
            if wanted > 0:
                found += scale * float(trees.values[slot, ROOT, action]) / (wanted + weights.trust)
            if best == NO_ACTION or found > highest:
                best, highest = action, found
    return best
