"""A policy network as one compiled kernel, row by row.

Most features of an observation are 0, and so are half of the results of a layer with ReLU.  A
kernel that skips zeros takes a few microseconds a row, also for a single row, where a library that
multiplies whole matrices spends hundreds between the multiplications.

The network is :class:`~sprawl_env.bots.policy.network.EntityNet`; :class:`CompiledNet` is made of
its tensors.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from sprawl_env.kernels.arrays import Floats, Index, Ints, Mask
from sprawl_env.kernels.compile import kernel

# Columns of ``Weights.kinds``: numbers of things and features, and where what begins.
THINGS, FEATURES, WHERE, IN, IN_BIAS, WHOLE, PLACES = range(7)
SELF, SELF_BIAS, AGAIN, AGAIN_BIAS, TRUNK = range(7, 12)
# Columns of ``Weights.blocks``.
START, SIZE, EACH, KIND, HEAD, HEAD_BIAS = range(6)
# Indices of ``Weights.trunk``.
TRUNK_IN, TRUNK_IN_BIAS, TRUNK_OUT, TRUNK_OUT_BIAS = range(4)
NO_KIND: Final = -1  # the block's logits are made of the summary


class Weights(NamedTuple):
    """A network's weights.

    Attributes:
        flat: float32, all weights side by side; those of a layer input by input, those of a head
            for things output by output.
        scales: float32 ``[observation_size]``.
        whole: int32, the features that the trunk sees directly.
        where: int32, for each kind the features of each thing, ``[things, features]``.
        kinds: int64 ``[kinds, 12]``.
        blocks: int64 ``[blocks, 6]``.
        trunk: int64 ``[4]``.
    """

    flat: Floats
    scales: Floats
    whole: Ints
    where: Ints
    kinds: Index
    blocks: Index
    trunk: Index


class Room(NamedTuple):
    """What one row overwrites.

    Attributes:
        direct: float32 ``[whole]``, the scaled features that the trunk sees directly.
        features: float32 ``[most features]``, those of a thing.
        context: float32 ``[width]``.
        first: float32 ``[width]``, a thing after its first layer.
        second: float32 ``[all things, width]``, all things after their second layer.
        third: float32 ``[all things * width]``, after their third, for each kind ``[width,
            things]``.
        pooled: float32 ``[kinds, 2, width]``, mean and maximum.
        before: float32 ``[trunk]``, after the trunk's first layer.
        row: float32 ``[most things]``.
        used: int32 ``[most inputs]``.
    """

    direct: Floats
    features: Floats
    context: Floats
    first: Floats
    second: Floats
    third: Floats
    pooled: Floats
    before: Floats
    row: Floats
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
def add_layer(out: Floats, inputs: Floats, flat: Floats, at: int, used: Ints) -> None:
    """Add what all inputs of a layer contribute, except those that are 0.

    Four of them are added at once: then the outputs are read and written a quarter as often.

    Args:
        out: ``[width]``.
        inputs: ``[n]``.
        flat: the weights.
        at: where those of the layer begin, ``[n, width]``.
        used: ``[n]``, overwritten.
    """
    width, count = out.size, 0
    for k in range(inputs.size):  # without a branch, which could not be predicted
        used[count] = k
        count += int(inputs[k] != 0.0)
    in_fours = count // 4 * 4
    for first in range(0, in_fours, 4):
        k, k1, k2, k3 = used[first], used[first + 1], used[first + 2], used[first + 3]
        a, a1, a2, a3 = at + k * width, at + k1 * width, at + k2 * width, at + k3 * width
        w, w1 = flat[a : a + width], flat[a1 : a1 + width]
        w2, w3 = flat[a2 : a2 + width], flat[a3 : a3 + width]
        x, x1, x2, x3 = inputs[k], inputs[k1], inputs[k2], inputs[k3]
        for j in range(width):
            out[j] += (x * w[j] + x1 * w1[j]) + (x2 * w2[j] + x3 * w3[j])
    for last in range(in_fours, count):
        x, a = inputs[used[last]], at + used[last] * width
        w = flat[a : a + width]
        for j in range(width):
            out[j] += x * w[j]


@kernel
def rectify(out: Floats) -> None:
    """Apply ReLU."""
    for j in range(out.size):
        out[j] = max(out[j], np.float32(0.0))


@kernel
def look(net: Weights, room: Room, numbers: Mask, kind: int, begin: int) -> None:
    """Encode the things of a kind, the first of which is thing ``begin`` of all; pool them."""
    flat, k = net.flat, net.kinds[kind]
    context, first, width = room.context, room.first, room.context.size
    start_from(context, flat, k[IN_BIAS])
    add_layer(context, room.direct, flat, k[WHOLE], room.used)
    mean, largest = room.pooled[kind, 0], room.pooled[kind, 1]
    mean[:] = 0.0
    largest[:] = 0.0  # no result of ReLU is less
    for thing in range(k[THINGS]):
        at = k[PLACES] + thing * width
        place = flat[at : at + width]
        for j in range(width):
            first[j] = context[j] + place[j]
        where = k[WHERE] + thing * k[FEATURES]
        features = room.features[: k[FEATURES]]
        for feature in range(features.size):
            index = net.where[where + feature]
            features[feature] = np.float32(numbers[index]) * net.scales[index]
        add_layer(first, features, flat, k[IN], room.used)
        rectify(first)
        second = room.second[begin + thing]
        start_from(second, flat, k[SELF_BIAS])
        add_layer(second, first, flat, k[SELF], room.used)
        rectify(second)
        for j in range(width):
            mean[j] += second[j]
            largest[j] = max(largest[j], second[j])
    for j in range(width):
        mean[j] /= np.float32(k[THINGS])


@kernel
def look_again(net: Weights, room: Room, summary: Floats, kind: int, begin: int) -> None:
    """Encode the things of a kind once more, with the summary."""
    flat, k = net.flat, net.kinds[kind]
    context, first, width, things = room.context, room.first, room.context.size, k[THINGS]
    start_from(context, flat, k[AGAIN_BIAS])
    add_layer(context, summary, flat, k[TRUNK], room.used)
    for thing in range(things):
        start_from(first, context, 0)
        add_layer(first, room.second[begin + thing], flat, k[AGAIN], room.used)
        rectify(first)
        for j in range(width):
            room.third[begin * width + j * things + thing] = first[j]


@kernel
def head_of_things(net: Weights, room: Room, block: int, begin: int, logits: Floats) -> None:
    """Write the logits of a block of which each thing of a kind has some."""
    b, width = net.blocks[block], room.context.size
    things, each = net.kinds[b[KIND], THINGS], b[EACH]
    row = room.row[:things]
    for e in range(each):
        row[:] = net.flat[b[HEAD_BIAS] + e]
        for j in range(width):
            weight = net.flat[b[HEAD] + e * width + j]
            at = begin * width + j * things
            third = room.third[at : at + things]
            for thing in range(things):
                row[thing] += weight * third[thing]
        for thing in range(things):
            if thing * each + e < b[SIZE]:
                logits[b[START] + thing * each + e] = row[thing]


@kernel
def judge_row(net: Weights, room: Room, numbers: Mask, logits: Floats, summary: Floats) -> None:
    """Write the logits and the summary of one observation."""
    flat, at = net.flat, net.trunk
    for k in range(net.whole.size):
        index = net.whole[k]
        room.direct[k] = np.float32(numbers[index]) * net.scales[index]
    begin = 0
    for kind in range(net.kinds.shape[0]):
        look(net, room, numbers, kind, begin)
        begin += net.kinds[kind, THINGS]
    before, pooled = room.before, room.pooled
    start_from(before, flat, at[TRUNK_IN_BIAS])
    add_layer(before, room.direct, flat, at[TRUNK_IN], room.used)
    width, inputs = room.context.size, room.direct.size
    for kind in range(net.kinds.shape[0]):
        for part in range(2):
            begins = (inputs + (2 * kind + part) * width) * before.size
            add_layer(before, pooled[kind, part], flat, at[TRUNK_IN] + begins, room.used)
    rectify(before)
    start_from(summary, flat, at[TRUNK_OUT_BIAS])
    add_layer(summary, before, flat, at[TRUNK_OUT], room.used)
    rectify(summary)
    logits[:] = 0.0  # of things that are not in the observation
    begin = 0
    for kind in range(net.kinds.shape[0]):
        look_again(net, room, summary, kind, begin)
        for block in range(net.blocks.shape[0]):
            if net.blocks[block, KIND] == kind:
                head_of_things(net, room, block, begin, logits)
        begin += net.kinds[kind, THINGS]
    for block in range(net.blocks.shape[0]):
        b = net.blocks[block]
        if b[KIND] == NO_KIND:
            out = logits[b[START] : b[START] + b[SIZE]]
            start_from(out, flat, b[HEAD_BIAS])
            add_layer(out, summary, flat, b[HEAD], room.used)


@kernel
def judge_rows(net: Weights, room: Room, numbers: Mask, logits: Floats, summaries: Floats) -> None:
    """Write the logits and the summaries of all rows.

    Args:
        net: the weights.
        room: overwritten.
        numbers: int8 ``[n, observation_size]``.
        logits: ``[n, num_actions]``, also of illegal actions.
        summaries: ``[n, trunk]``.
    """
    for row in range(numbers.shape[0]):
        judge_row(net, room, numbers[row], logits[row], summaries[row])


class CompiledNet:
    """A network as a function of observations as whole numbers.

    Args:
        network: an :class:`~sprawl_env.bots.policy.network.EntityNet`, whose weights as they are
            now are copied.
        scales: float32 ``[observation_size]``.
    """

    def __init__(self, network: Any, scales: Floats) -> None:
        self._parts: list[Floats] = []
        self._length = 0
        tensors = {name: each.detach().cpu().numpy() for name, each in network.named_parameters()}
        index = np.arange(network.observation_size)
        where: list[npt.NDArray[Any]] = []
        kinds, found = list(network.size_of), 0
        rows = np.zeros((len(kinds), TRUNK + 1), np.int64)
        width = network.width
        for k, (kind, things) in enumerate(network.size_of.items()):
            own = np.asarray(network.features(index, kind)).reshape(things, -1)
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
        blocks = np.zeros((len(network.blocks), HEAD_BIAS + 1), np.int64)
        for k, block in enumerate(network.blocks):
            weight = tensors[f"layers.act_{block.name}.weight"]
            of = kinds.index(block.entity) if block.entity in kinds else NO_KIND
            head = self._add(weight if of != NO_KIND else weight.T)
            bias = self._add(tensors[f"layers.act_{block.name}.bias"])
            blocks[k] = block.start, block.size, len(weight), of, head, bias
        whole = np.concatenate([index[start:stop] for start, stop in network.whole])
        self.weights = Weights(
            flat=np.concatenate(self._parts),
            scales=np.ascontiguousarray(scales),
            whole=whole.astype(np.int32),
            where=np.concatenate([*where, np.zeros(0)]).astype(np.int32),
            kinds=rows,
            blocks=blocks,
            trunk=np.array(trunk, np.int64),
        )
        self.num_actions, self.trunk = network.latent_dim_pi, network.latent_dim_vf
        features = int(rows[:, FEATURES].max(initial=0))
        self._sizes = whole.size, features, width, int(rows[:, THINGS].sum()), len(kinds)
        del self._parts

    def _add(self, array: npt.NDArray[Any]) -> int:
        """Add an array to the weights and return where it begins."""
        begins = self._length
        self._parts.append(np.ascontiguousarray(array, np.float32).ravel())
        self._length += array.size
        return begins

    def new_room(self) -> Room:
        """Return what a row overwrites, for one thread."""
        whole, features, width, things, kinds = self._sizes
        return Room(
            direct=np.zeros(whole, np.float32),
            features=np.zeros(features, np.float32),
            context=np.zeros(width, np.float32),
            first=np.zeros(width, np.float32),
            second=np.zeros((things, width), np.float32),
            third=np.zeros(things * width, np.float32),
            pooled=np.zeros((kinds, 2, width), np.float32),
            before=np.zeros(self.trunk, np.float32),
            row=np.zeros(max(things, 1), np.float32),
            used=np.zeros(max(whole, features, width, self.trunk), np.int32),
        )

    def __call__(self, numbers: Mask) -> tuple[Floats, Floats]:
        """Return logits ``[n, num_actions]`` and summaries ``[n, trunk]``.

        Args:
            numbers: int8 ``[n, observation_size]``, contiguous.
        """
        logits = np.empty((len(numbers), self.num_actions), np.float32)
        summaries = np.empty((len(numbers), self.trunk), np.float32)
        judge_rows(self.weights, self.new_room(), numbers, logits, summaries)
        return logits, summaries
