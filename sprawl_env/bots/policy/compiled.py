"""A policy network as one compiled kernel, row by row.

Most features of an observation are 0, and so are half of the results of a layer with ReLU; the
layers of things are small matrices.  A kernel takes a few microseconds a row, also for a single
row, where a library that multiplies whole matrices spends hundreds between the multiplications.

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
from sprawl_env.kernels.layers import add_layer
from sprawl_env.kernels.matrices import add_rows, encode, encode_places, keep_largest, project

# Columns of ``Weights.kinds``: numbers of things and features, and where what begins.
THINGS, FEATURES, WHERE, IN, PLACES, SELF, SELF_BIAS = range(7)
AGAIN, AGAIN_BIAS, TRUNK, HEADS, HEADS_BIAS, HEADS_SIZE = range(7, 13)
# Indices of ``Weights.trunk``: where begin the layer of the features that the trunk sees directly,
# whose results are for the trunk and for the things of each kind; the trunk's layer of means and
# maxima; its second layer.
DIRECT, DIRECT_BIAS, POOLED, OUT, OUT_BIAS = range(5)
Tensors = Mapping[str, npt.NDArray[Any]]
PADDED: Final = 8  # heads have a multiple of so many outputs; those that are added are 0


class Weights(NamedTuple):
    """A network's weights.

    Attributes:
        flat: float32, all weights side by side, those of a layer input by input.
        scales: float32 ``[observation_size]``.
        whole: int32, the features that the trunk sees directly.
        where: int32, for each kind the features of each thing, ``[things, features]``.
        kinds: int64 ``[kinds + 1, 13]``; the last row has the heads of the trunk alone.
        owner: int32 ``[num_actions]``, the thing of an action among those of all kinds, or their
            number: the trunk; -1: a thing that there is only with more seats.
        column: int32 ``[num_actions]``, the place of its logit among those of its owner.
        trunk: int64 ``[5]``.
        every: int8 ``[num_actions]``, a mask in which all actions are legal.
    """

    flat: Floats
    scales: Floats
    whole: Ints
    where: Ints
    kinds: Index
    owner: Ints
    column: Ints
    trunk: Index
    every: Mask


class Room(NamedTuple):
    """What one row overwrites; it is also what the gradient of the row is made of.

    Things are those of all kinds, one kind after the other.

    Attributes:
        seen: float32 ``[observation_size]``, the observation, scaled.
        direct: float32 ``[whole]``, the scaled features that the trunk sees directly.
        features: float32 ``[all features of things]``, thing by thing.
        direct_out: float32 ``[trunk + kinds * width]``, what they give the trunk, and the things.
        context: float32 ``[width]``, what the summary gives the things of a kind.
        first: float32 ``[things, width]``, after their first layer.
        second: float32 ``[things, width]``, after their second layer.
        pooled: float32 ``[kinds, 2, width]``, mean and maximum.
        before: float32 ``[trunk]``, after the trunk's first layer.
        legal: int32 ``[num_actions]``, the legal actions.
        needed: int8 ``[things + 1]``, whether a thing has a legal action; the trunk comes last.
        found: int32 ``[kinds]``, how many things of a kind have one.
        chosen: int32 ``[things]``, which; those of a kind begin where its things do.
        again: float32 ``[things, width]``, likewise: their second layers.
        third: float32 ``[things, width]``, likewise: after their last layer.
        heads: float32, what they give for the heads, side by side, and what the trunk does.
        places: int32 ``[things + 1]``, where what a thing gives begins in ``heads``.
        used: int32 ``[most inputs]``.
    """

    seen: Floats
    direct: Floats
    features: Floats
    direct_out: Floats
    context: Floats
    first: Floats
    second: Floats
    pooled: Floats
    before: Floats
    legal: Ints
    needed: Mask
    found: Ints
    chosen: Ints
    again: Floats
    third: Floats
    heads: Floats
    places: Ints
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
def pick(out: Floats, seen: Floats, where: Ints, at: int) -> None:
    """Write some features."""
    places = where[at : at + out.size]
    for k in range(out.size):
        out[k] = seen[places[k]]


@kernel
def rectify(out: Floats) -> None:
    """Apply ReLU."""
    for j in range(out.size):
        out[j] = max(out[j], np.float32(0.0))


@kernel
def see_directly(net: Weights, room: Room, seen: Floats) -> None:
    """Write what the trunk and the things get from the features that the trunk sees directly."""
    pick(room.direct, seen, net.whole, 0)
    start_from(room.direct_out, net.flat, net.trunk[DIRECT_BIAS])
    add_from(room.direct_out, room.direct, net.flat, net.trunk[DIRECT], room.used)


@kernel
def look(net: Weights, room: Room, seen: Floats, kind: int, begin: int, at: int) -> None:
    """Encode the things of a kind, and pool them.

    Their first one is thing ``begin`` of all; their features begin at ``at``.
    """
    flat, k, width = net.flat, net.kinds[kind], room.context.size
    things, size, own = k[THINGS], k[FEATURES], room.before.size + kind * width
    context = room.direct_out[own : own + width]
    features = room.features[at : at + things * size]
    pick(features, seen, net.where, k[WHERE])
    first, second = room.first[begin : begin + things], room.second[begin : begin + things]
    weights = flat[k[IN] : k[IN] + size * width]
    places = flat[k[PLACES] : k[PLACES] + things * width]
    encode_places(first, features.reshape(things, size), weights, places, context)
    weights = flat[k[SELF] : k[SELF] + width * width]
    encode(second, first, weights, flat[k[SELF_BIAS] : k[SELF_BIAS] + width])
    mean, largest = room.pooled[kind, 0], room.pooled[kind, 1]
    mean[:] = 0.0
    largest[:] = 0.0  # no result of ReLU is less
    add_rows(mean, second)
    keep_largest(largest, second)
    for j in range(width):
        mean[j] /= np.float32(things)


@kernel
def list_legal(net: Weights, room: Room, mask: Mask) -> int:
    """List the legal actions, mark the things that have one, and return their number."""
    count = 0
    room.needed[:] = 0
    for action in range(mask.size):
        if mask[action] != 0 and net.owner[action] >= 0:
            room.legal[count] = action
            room.needed[net.owner[action]] = 1
            count += 1
    return count


@kernel
def look_again(
    net: Weights, room: Room, summary: Floats, kind: int, begin: int, heads_begin: int
) -> int:
    """Encode the things of a kind that have legal actions once more, with the summary.

    Returns:
        Where the heads of the next kind begin.
    """
    flat, k, found = net.flat, net.kinds[kind], 0
    context, size, width = room.context, k[HEADS_SIZE], room.context.size
    for thing in range(begin, begin + k[THINGS]):
        if room.needed[thing] != 0:
            start_from(room.again[begin + found], room.second[thing], 0)
            room.chosen[begin + found] = thing
            room.places[thing] = heads_begin + found * size
            found += 1
    room.found[kind] = found
    if found == 0:
        return heads_begin
    start_from(context, flat, k[AGAIN_BIAS])
    add_from(context, summary, flat, k[TRUNK], room.used)
    again, third = room.again[begin : begin + found], room.third[begin : begin + found]
    encode(third, again, flat[k[AGAIN] : k[AGAIN] + width * width], context)
    end = heads_begin + found * size
    heads = room.heads[heads_begin:end].reshape(found, size)
    weights = flat[k[HEADS] : k[HEADS] + width * size]
    project(heads, third, weights, flat[k[HEADS_BIAS] : k[HEADS_BIAS] + size])
    return int(end)


@kernel
def look_at_all(net: Weights, room: Room, seen: Floats) -> None:
    """Encode the things of all kinds."""
    begin, features = 0, 0
    for kind in range(net.kinds.shape[0] - 1):
        look(net, room, seen, kind, begin, features)
        begin += net.kinds[kind, THINGS]
        features += net.kinds[kind, THINGS] * net.kinds[kind, FEATURES]


@kernel
def sum_up(net: Weights, room: Room, summary: Floats) -> None:
    """Write the summary, of what the trunk sees directly and of what was pooled."""
    flat, at, before, pooled = net.flat, net.trunk, room.before, room.pooled
    start_from(before, room.direct_out, 0)
    add_from(before, pooled.reshape(pooled.size), flat, at[POOLED], room.used)
    rectify(before)
    start_from(summary, flat, at[OUT_BIAS])
    add_from(summary, before, flat, at[OUT], room.used)
    rectify(summary)


@kernel
def judge_row(
    net: Weights, room: Room, seen: Floats, mask: Mask, logits: Floats, summary: Floats
) -> int:
    """Write the logits of legal actions and the summary of one observation, scaled.

    Other logits are 0.

    Returns:
        The number of legal actions, which ``room.legal`` lists.
    """
    kinds, begin, place = net.kinds.shape[0] - 1, 0, 0
    see_directly(net, room, seen)
    look_at_all(net, room, seen)
    sum_up(net, room, summary)
    count = list_legal(net, room, mask)
    for kind in range(kinds):
        place = look_again(net, room, summary, kind, begin, place)
        begin += net.kinds[kind, THINGS]
    k = net.kinds[kinds]
    room.places[begin] = place
    out = room.heads[place : place + k[HEADS_SIZE]]
    start_from(out, net.flat, k[HEADS_BIAS])
    add_from(out, summary, net.flat, k[HEADS], room.used)
    logits[:] = 0.0
    for n in range(count):
        action = room.legal[n]
        logits[action] = room.heads[room.places[net.owner[action]] + net.column[action]]
    return count


@kernel
def judge_numbers(
    net: Weights, room: Room, numbers: Mask, mask: Mask, logits: Floats, summary: Floats
) -> int:
    """Do the same for an observation as whole numbers; see :func:`judge_row`."""
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
        logits: ``[n, num_actions]``; those of illegal actions are 0.
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
        outputs: the number of outputs of the heads of all things, and of the trunk.
    """

    def __init__(
        self,
        shape: NetShape,
        tensors: Tensors,
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
            rows[k, [THINGS, FEATURES, WHERE]] = things, own.shape[1], found
            found += own.size
            self._add_kind(tensors, kind, rows[k])
        whole = np.concatenate([index[:0], *(index[start:stop] for start, stop in shape.whole)])
        trunk = self._add_trunk(tensors, kinds, whole.size)
        owner, column = self._add_actions(shape, tensors, rows)
        self.weights = Weights(
            flat=np.concatenate(self._parts),
            scales=np.ascontiguousarray(scales),
            whole=whole.astype(np.int32),
            where=np.concatenate([*where, np.zeros(0)]).astype(np.int32),
            kinds=rows,
            owner=owner,
            column=column,
            trunk=np.array(trunk, np.int64),
            every=np.ones(shape.num_actions, np.int8),
        )
        self.observation_size, self.num_actions = shape.layout.size, shape.num_actions
        self.trunk = shape.trunk
        self.width, self.inputs = shape.width, whole.size
        self.outputs = int((np.maximum(rows[:, THINGS], 1) * rows[:, HEADS_SIZE]).sum())
        del self._parts

    def _add(self, array: npt.NDArray[Any]) -> int:
        """Add an array to the weights and return where it begins."""
        begins = self._length
        self._parts.append(np.ascontiguousarray(array, self._dtype).ravel())
        self._length += array.size
        return begins

    def _add_layer(self, tensors: Tensors, name: str) -> tuple[int, int]:
        """Add a layer; return where its weights and its bias begin."""
        weight = self._add(tensors[f"layers.{name}.weight"].T)
        return weight, self._add(tensors[f"layers.{name}.bias"])

    def _add_kind(self, tensors: Tensors, kind: str, row: npt.NDArray[np.int64]) -> None:
        """Add the layers of a kind; write where they begin."""
        row[IN] = self._add(tensors[f"layers.{kind}_in.weight"].T)
        row[PLACES] = self._add(tensors[f"places.{kind}"])
        row[[SELF, SELF_BIAS]] = self._add_layer(tensors, f"{kind}_self")
        row[[AGAIN, AGAIN_BIAS]] = self._add_layer(tensors, f"{kind}_again")
        row[TRUNK] = self._add(tensors[f"layers.{kind}_trunk.weight"].T)

    def _add_trunk(self, tensors: Tensors, kinds: list[str], inputs: int) -> list[int]:
        """Add the layers of the trunk; return where they begin."""
        into = tensors["layers.trunk_in.weight"]
        direct = [into[:, :inputs], *(tensors[f"layers.{kind}_whole.weight"] for kind in kinds)]
        names = ["trunk_in", *(f"{kind}_in" for kind in kinds)]
        return [
            self._add(np.concatenate(direct).T),
            self._add(np.concatenate([tensors[f"layers.{name}.bias"] for name in names])),
            self._add(into[:, inputs:].T),
            *self._add_layer(tensors, "trunk_out"),
        ]

    def _add_actions(
        self, shape: NetShape, tensors: Tensors, rows: npt.NDArray[np.int64]
    ) -> tuple[Ints, Ints]:
        """Add the heads; write where they begin; return ``Weights.owner`` and ``column``."""
        owner, column = np.zeros(shape.num_actions, np.int32), np.zeros(shape.num_actions, np.int32)
        kinds, begins = list(shape.size_of), np.concatenate([[0], np.cumsum(rows[:, THINGS])])
        heads: list[list[str]] = [[] for _ in rows]
        for block in shape.blocks:
            kind = kinds.index(block.entity) if block.entity in kinds else len(kinds)
            each = len(tensors[f"layers.act_{block.name}.bias"])
            thing, place = np.divmod(np.arange(block.size), each)
            part = slice(block.start, block.start + block.size)
            there = thing < max(int(rows[kind, THINGS]), 1)
            owner[part] = np.where(there, begins[kind] + thing, -1)
            column[part] = rows[kind, HEADS_SIZE] + place
            rows[kind, HEADS_SIZE] += each
            heads[kind].append(f"layers.act_{block.name}")
        for row, names in zip(rows, heads, strict=True):
            row[HEADS:] = self._add_heads(tensors, names)
        return owner, column

    def _add_heads(self, tensors: Tensors, names: list[str]) -> tuple[int, int, int]:
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
        most = max(self.inputs, 2 * count * width, self.trunk)
        return Room(
            seen=np.zeros(self.observation_size, np.float32),
            direct=np.zeros(self.inputs, np.float32),
            features=np.zeros(features, np.float32),
            direct_out=np.zeros(self.trunk + count * width, np.float32),
            context=np.zeros(width, np.float32),
            first=np.zeros((things, width), np.float32),
            second=np.zeros((things, width), np.float32),
            pooled=np.zeros((count, 2, width), np.float32),
            before=np.zeros(self.trunk, np.float32),
            legal=np.zeros(self.num_actions, np.int32),
            needed=np.zeros(things + 1, np.int8),
            found=np.zeros(count, np.int32),
            chosen=np.zeros(things, np.int32),
            again=np.zeros((things, width), np.float32),
            third=np.zeros((things, width), np.float32),
            heads=np.zeros(self.outputs, np.float32),
            places=np.zeros(things + 1, np.int32),
            used=np.zeros(most, np.int32),
        )

    def __call__(self, rows: Mask | Floats, masks: Mask | None = None) -> tuple[Floats, Floats]:
        """Return logits ``[n, num_actions]`` and summaries ``[n, trunk]``.

        Args:
            rows: ``[n, observation_size]``; int8: whole numbers, float32: scaled.
            masks: int8 ``[n, num_actions]``, 1 = legal; the logits of other actions are 0.  None:
                all actions are legal.
        """
        legal = np.zeros((0, self.num_actions), np.int8) if masks is None else masks
        # arrays in another layout would be a reason for numba to compile the kernels again
        given: Any = np.require(rows, requirements=["C", "W"])
        legal = np.require(legal, requirements=["C", "W"])
        logits = np.empty((len(rows), self.num_actions), np.float32)
        summaries = np.empty((len(rows), self.trunk), np.float32)
        judge: Any = judge_all_numbers if rows.dtype == np.int8 else judge_all_rows
        judge(self.weights, self.new_room(), given, legal, logits, summaries)
        return logits, summaries
