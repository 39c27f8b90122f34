"""A policy network as one compiled kernel, row by row.

Most features of an observation are 0, and so are half of the results of a layer with ReLU.  A
kernel that skips zeros takes a few microseconds a row, also for a single row, where a library that
multiplies whole matrices spends hundreds between the multiplications.

What it computes, :mod:`sprawl_env.bots.policy.shape` says.  It needs numba alone, so trained agents
play without torch.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from sprawl_env.bots.policy.shape import NetShape
from sprawl_env.kernels.arrays import Floats, Index, Ints, Mask
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.layers import add_layer, add_products

# Columns of ``Weights.kinds``: numbers of things and features, and where what begins.
THINGS, FEATURES, WHERE, IN, IN_BIAS, WHOLE, PLACES = range(7)
SELF, SELF_BIAS, AGAIN, AGAIN_BIAS, TRUNK, HEADS, HEADS_BIAS, HEADS_SIZE = range(7, 15)
# Columns of ``Weights.blocks``: the place and number of its logits, its kind, how many logits a
# thing has, and where they are among those of all blocks of the kind.
START, SIZE, KIND, EACH, COLUMN = range(5)
# Indices of ``Weights.trunk``.
TRUNK_IN, TRUNK_IN_BIAS, TRUNK_OUT, TRUNK_OUT_BIAS = range(4)
PADDED: Final = 8  # heads have a multiple of so many outputs; those that are added are 0


class Weights(NamedTuple):
    """A network's weights.

    Attributes:
        flat: float32, all weights side by side, those of a layer input by input.
        scales: float32 ``[observation_size]``.
        whole: int32, the features that the trunk sees directly.
        where: int32, for each kind the features of each thing, ``[things, features]``.
        kinds: int64 ``[kinds + 1, 15]``; the last row has the heads of the trunk alone.
        blocks: int64 ``[blocks, 5]``.
        trunk: int64 ``[4]``.
        every: int8 ``[num_actions]``, a mask in which all actions are legal.
    """

    flat: Floats
    scales: Floats
    whole: Ints
    where: Ints
    kinds: Index
    blocks: Index
    trunk: Index
    every: Mask


class Room(NamedTuple):
    """What one row overwrites; it is also what the gradient of the row is made of.

    Things are those of all kinds, one kind after the other.

    Attributes:
        seen: float32 ``[observation_size]``, the observation, scaled.
        direct: float32 ``[whole]``, the scaled features that the trunk sees directly.
        used_whole: int32 ``[whole]``, the features in ``direct`` that are not 0.
        features: float32 ``[all features of things]``, thing by thing.
        used_features: int32, likewise: the features of each thing that are not 0, first.
        counts: int32 ``[things]``, how many they are.
        context: float32 ``[width]``.
        first: float32 ``[things, width]``, after their first layer.
        second: float32 ``[things, width]``, after their second layer.
        third: float32 ``[things, width]``, after their last layer, where needed.
        needed: int8 ``[things]``, whether a thing has a legal action.
        pooled: float32 ``[kinds, 2, width]``, mean and maximum.
        before: float32 ``[trunk]``, after the trunk's first layer.
        heads: float32 ``[most outputs]``, of all heads of a kind for one thing.
        used: int32 ``[most inputs]``.
    """

    seen: Floats
    direct: Floats
    used_whole: Ints
    features: Floats
    used_features: Ints
    counts: Ints
    context: Floats
    first: Floats
    second: Floats
    third: Floats
    needed: Mask
    pooled: Floats
    before: Floats
    heads: Floats
    used: Ints


# Loops run over slices of the weights: numba makes vector instructions of them, but not of a loop
# over ``flat[at + j]``, where it has to allow for negative indices.


@kernel
def start_from(out: Floats, flat: Floats, at: int) -> None:
    """Write a bias."""
    bias = flat[at : at + out.size]
    for j in range(out.size):
        out[j] = bias[j]


@kernel
def add_from(out: Floats, inputs: Floats, flat: Floats, at: int, used: Ints) -> None:
    """Add what the inputs of a layer contribute whose weights ``[n, width]`` begin at ``at``."""
    add_layer(out, inputs, flat[at : at + inputs.size * out.size], used)


@kernel
def add_whole(out: Floats, room: Room, flat: Floats, at: int, count: int) -> None:
    """Add what the features that the trunk sees directly contribute."""
    inputs = room.direct
    add_products(out, inputs, flat[at : at + inputs.size * out.size], room.used_whole, count)


@kernel
def pick(out: Floats, seen: Floats, where: Ints, at: int, used: Ints) -> int:
    """Write some features; list in ``used`` those that are not 0, and return their number."""
    places, count = where[at : at + out.size], 0
    for k in range(out.size):  # without a branch, which could not be predicted
        feature = seen[places[k]]
        out[k] = feature
        used[count] = k
        count += int(feature != 0)
    return count


@kernel
def rectify(out: Floats) -> None:
    """Apply ReLU."""
    for j in range(out.size):
        out[j] = max(out[j], np.float32(0.0))


@kernel
def look(
    net: Weights, room: Room, seen: Floats, kind: int, begin: int, features_begin: int, count: int
) -> None:
    """Encode the things of a kind, the first of which is thing ``begin`` of all; pool them."""
    flat, k = net.flat, net.kinds[kind]
    context, width, size = room.context, room.context.size, k[FEATURES]
    start_from(context, flat, k[IN_BIAS])
    add_whole(context, room, flat, k[WHOLE], count)
    mean, largest = room.pooled[kind, 0], room.pooled[kind, 1]
    mean[:] = 0.0
    largest[:] = 0.0  # no result of ReLU is less
    for thing in range(k[THINGS]):
        first, second = room.first[begin + thing], room.second[begin + thing]
        at = k[PLACES] + thing * width
        place = flat[at : at + width]
        for j in range(width):
            first[j] = context[j] + place[j]
        at = features_begin + thing * size
        features, used = room.features[at : at + size], room.used_features[at : at + size]
        found = pick(features, seen, net.where, k[WHERE] + thing * size, used)
        room.counts[begin + thing] = found
        at = k[IN]
        add_products(first, features, flat[at : at + size * width], used, found)
        rectify(first)
        start_from(second, flat, k[SELF_BIAS])
        add_from(second, first, flat, k[SELF], room.used)
        rectify(second)
        for j in range(width):
            mean[j] += second[j]
            largest[j] = max(largest[j], second[j])
    for j in range(width):
        mean[j] /= np.float32(k[THINGS])


@kernel
def has_legal(net: Weights, mask: Mask, kind: int, thing: int) -> bool:
    """Return whether an action with a thing is legal."""
    for block in range(net.blocks.shape[0]):
        b = net.blocks[block]
        if b[KIND] == kind:
            for e in range(b[EACH]):
                at = thing * b[EACH] + e
                if at < b[SIZE] and mask[b[START] + at] != 0:
                    return True
    return False


@kernel
def write_logits(net: Weights, heads: Floats, kind: int, thing: int, logits: Floats) -> None:
    """Write the logits of a thing from the outputs of the heads of its kind."""
    for block in range(net.blocks.shape[0]):
        b = net.blocks[block]
        if b[KIND] == kind:
            for e in range(b[EACH]):
                at = thing * b[EACH] + e
                if at < b[SIZE]:
                    logits[b[START] + at] = heads[b[COLUMN] + e]


@kernel
def look_again(
    net: Weights, room: Room, mask: Mask, summary: Floats, kind: int, begin: int, logits: Floats
) -> None:
    """Encode the things of a kind that have legal actions once more, with the summary.

    Write their logits.
    """
    flat, k = net.flat, net.kinds[kind]
    context, found = room.context, False
    for thing in range(k[THINGS]):
        legal = k[HEADS_SIZE] > 0 and has_legal(net, mask, kind, thing)
        room.needed[begin + thing] = legal
        found |= legal
    if not found:
        return
    out = room.heads[: k[HEADS_SIZE]]
    start_from(context, flat, k[AGAIN_BIAS])
    add_from(context, summary, flat, k[TRUNK], room.used)
    for thing in range(k[THINGS]):
        if room.needed[begin + thing]:
            third = room.third[begin + thing]
            start_from(third, context, 0)
            add_from(third, room.second[begin + thing], flat, k[AGAIN], room.used)
            rectify(third)
            start_from(out, flat, k[HEADS_BIAS])
            add_from(out, third, flat, k[HEADS], room.used)
            write_logits(net, out, kind, thing, logits)


@kernel
def judge_row(
    net: Weights, room: Room, seen: Floats, mask: Mask, logits: Floats, summary: Floats
) -> int:
    """Write the logits and the summary of one observation, scaled.

    Logits of things without a legal action are 0.

    Returns:
        The number of features that the trunk sees directly and that are not 0.
    """
    flat, at, kinds = net.flat, net.trunk, net.kinds.shape[0] - 1
    count = pick(room.direct, seen, net.whole, 0, room.used_whole)
    begin, features = 0, 0
    for kind in range(kinds):
        look(net, room, seen, kind, begin, features, count)
        begin += net.kinds[kind, THINGS]
        features += net.kinds[kind, THINGS] * net.kinds[kind, FEATURES]
    before, pooled = room.before, room.pooled
    start_from(before, flat, at[TRUNK_IN_BIAS])
    add_whole(before, room, flat, at[TRUNK_IN], count)
    width, inputs = room.context.size, room.direct.size
    for kind in range(kinds):
        for part in range(2):
            begins = (inputs + (2 * kind + part) * width) * before.size
            add_from(before, pooled[kind, part], flat, at[TRUNK_IN] + begins, room.used)
    rectify(before)
    start_from(summary, flat, at[TRUNK_OUT_BIAS])
    add_from(summary, before, flat, at[TRUNK_OUT], room.used)
    rectify(summary)
    logits[:] = 0.0
    begin = 0
    for kind in range(kinds):
        look_again(net, room, mask, summary, kind, begin, logits)
        begin += net.kinds[kind, THINGS]
    out = room.heads[: net.kinds[kinds, HEADS_SIZE]]
    start_from(out, flat, net.kinds[kinds, HEADS_BIAS])
    add_from(out, summary, flat, net.kinds[kinds, HEADS], room.used)
    write_logits(net, out, kinds, 0, logits)
    return int(count)


@kernel
def judge_numbers(
    net: Weights, room: Room, numbers: Mask, mask: Mask, logits: Floats, summary: Floats
) -> int:
    """Write the logits and the summary of one observation as whole numbers; see judge_row."""
    seen = room.seen
    for k in range(seen.size):
        seen[k] = np.float32(numbers[k]) * net.scales[k]
    return judge_row(net, room, seen, mask, logits, summary)


@kernel
def judge_all_numbers(
    net: Weights, room: Room, numbers: Mask, masks: Mask, logits: Floats, summaries: Floats
) -> None:
    """Write the logits and the summaries of all rows.

    Args:
        net: the weights.
        room: overwritten.
        numbers: int8 ``[n, observation_size]``.
        masks: int8 ``[n, num_actions]``; no rows: all actions are legal.
        logits: ``[n, num_actions]``; those of things without a legal action are 0.
        summaries: ``[n, trunk]``.
    """
    for row in range(numbers.shape[0]):
        mask = masks[row] if masks.shape[0] else net.every
        judge_numbers(net, room, numbers[row], mask, logits[row], summaries[row])


@kernel
def judge_all_rows(
    net: Weights, room: Room, seen: Floats, masks: Mask, logits: Floats, summaries: Floats
) -> None:
    """Write the logits and the summaries of all rows, as :func:`judge_all_numbers` does.

    ``seen`` is float32 ``[n, observation_size]``, scaled.
    """
    for row in range(seen.shape[0]):
        mask = masks[row] if masks.shape[0] else net.every
        judge_row(net, room, seen[row], mask, logits[row], summaries[row])


class CompiledNet:
    """A network as a function of observations.

    Args:
        shape: what it is made of.
        tensors: float32, its weights by name (:meth:`NetShape.tensors`), which are copied.
        scales: float32 ``[observation_size]``, of observations as whole numbers.
        dtype: of the weights; only a network of float32 can be asked.

    Attributes:
        observation_size: the number of features.
        num_actions: the number of logits.
        trunk: the width of a summary.
        width: the width of the layers for things.
        inputs: the number of features that the trunk sees directly.
    """

    def __init__(
        self,
        shape: NetShape,
        tensors: Mapping[str, npt.NDArray[Any]],
        scales: Floats,
        dtype: npt.DTypeLike = np.float32,
    ) -> None:
        self._parts: list[npt.NDArray[Any]] = []
        self._length, self._dtype = 0, dtype
        index = np.arange(shape.layout.size)
        where: list[npt.NDArray[Any]] = []
        kinds, found = list(shape.size_of), 0
        rows = np.zeros((len(kinds) + 1, HEADS_SIZE + 1), np.int64)
        for k, (kind, things) in enumerate(shape.size_of.items()):
            own = np.asarray(shape.layout.features(index, kind)).reshape(things, -1)
            where.append(own.ravel())
            layers = (IN, f"{kind}_in"), (SELF, f"{kind}_self"), (AGAIN, f"{kind}_again")
            rows[k, [THINGS, FEATURES, WHERE]] = things, own.shape[1], found
            found += own.size
            for column, name in layers:
                rows[k, column] = self._add(tensors[f"layers.{name}.weight"].T)
                rows[k, column + 1] = self._add(tensors[f"layers.{name}.bias"])
            rows[k, WHOLE] = self._add(tensors[f"layers.{kind}_whole.weight"].T)
            rows[k, TRUNK] = self._add(tensors[f"layers.{kind}_trunk.weight"].T)
            rows[k, PLACES] = self._add(tensors[f"places.{kind}"])
        trunk = [
            self._add(
                tensors[f"layers.{name}.weight"].T if part else tensors[f"layers.{name}.bias"]
            )
            for name in ("trunk_in", "trunk_out")
            for part in (1, 0)
        ]
        blocks = np.zeros((len(shape.blocks), COLUMN + 1), np.int64)
        for k, block in enumerate(shape.blocks):
            owner = kinds.index(block.entity) if block.entity in kinds else len(kinds)
            each = len(tensors[f"layers.act_{block.name}.bias"])
            blocks[k] = block.start, block.size, owner, each, rows[owner, HEADS_SIZE]
            rows[owner, HEADS_SIZE] += each
        for owner in range(len(kinds) + 1):
            pairs = zip(shape.blocks, blocks, strict=True)
            names = [f"layers.act_{block.name}" for block, row in pairs if row[KIND] == owner]
            rows[owner, HEADS:] = self._add_heads(tensors, names)
        whole = np.concatenate([index[start:stop] for start, stop in shape.whole])
        self.weights = Weights(
            flat=np.concatenate(self._parts),
            scales=np.ascontiguousarray(scales),
            whole=whole.astype(np.int32),
            where=np.concatenate([*where, np.zeros(0)]).astype(np.int32),
            kinds=rows,
            blocks=blocks,
            trunk=np.array(trunk, np.int64),
            every=np.ones(shape.num_actions, np.int8),
        )
        self.observation_size, self.num_actions = shape.layout.size, shape.num_actions
        self.trunk = shape.trunk
        self.width, self.inputs = shape.width, whole.size
        del self._parts

    def _add(self, array: npt.NDArray[Any]) -> int:
        """Add an array to the weights and return where it begins."""
        begins = self._length
        self._parts.append(np.ascontiguousarray(array, self._dtype).ravel())
        self._length += array.size
        return begins

    def _add_heads(
        self, tensors: Mapping[str, npt.NDArray[Any]], names: list[str]
    ) -> tuple[int, int, int]:
        """Add the heads of a kind, side by side; return where they begin, and their outputs."""
        if not names:
            return 0, 0, 0
        weight = np.concatenate([tensors[f"{name}.weight"] for name in names])
        bias = np.concatenate([tensors[f"{name}.bias"] for name in names])
        more = -len(bias) % PADDED
        weight, bias = np.pad(weight, ((0, more), (0, 0))), np.pad(bias, (0, more))
        return self._add(weight.T), self._add(bias), len(bias)

    def new_room(self) -> Room:
        """Return what a row overwrites, for one thread."""
        kinds = self.weights.kinds
        count, width = len(kinds) - 1, self.width
        things = int(kinds[:, THINGS].sum())
        features = int((kinds[:, THINGS] * kinds[:, FEATURES]).sum())
        most = max(self.inputs, width, self.trunk, int(kinds[:, FEATURES].max()))
        return Room(
            seen=np.zeros(self.observation_size, np.float32),
            direct=np.zeros(self.inputs, np.float32),
            used_whole=np.zeros(self.inputs, np.int32),
            features=np.zeros(features, np.float32),
            used_features=np.zeros(features, np.int32),
            counts=np.zeros(things, np.int32),
            context=np.zeros(width, np.float32),
            first=np.zeros((things, width), np.float32),
            second=np.zeros((things, width), np.float32),
            third=np.zeros((things, width), np.float32),
            needed=np.zeros(things, np.int8),
            pooled=np.zeros((count, 2, width), np.float32),
            before=np.zeros(self.trunk, np.float32),
            heads=np.zeros(int(kinds[:, HEADS_SIZE].max()), np.float32),
            used=np.zeros(most, np.int32),
        )

    def __call__(self, rows: Mask | Floats, masks: Mask | None = None) -> tuple[Floats, Floats]:
        """Return logits ``[n, num_actions]`` and summaries ``[n, trunk]``.

        Args:
            rows: ``[n, observation_size]``; int8: whole numbers, float32: scaled.
            masks: int8 ``[n, num_actions]``, 1 = legal.  Things without legal actions are left out,
                and their logits are 0.  None: all actions are legal.
        """
        legal = np.zeros((0, self.num_actions), np.int8) if masks is None else masks
        # for arrays in another layout numba compiles the kernels anew
        given: Any = np.require(rows, requirements=["C", "W"])
        legal = np.require(legal, requirements=["C", "W"])
        logits = np.empty((len(rows), self.num_actions), np.float32)
        summaries = np.empty((len(rows), self.trunk), np.float32)
        judge: Any = judge_all_numbers if rows.dtype == np.int8 else judge_all_rows
        judge(self.weights, self.new_room(), given, legal, logits, summaries)
        return logits, summaries
