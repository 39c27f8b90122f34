"""The gradient of a policy network, row by row, as kernels that skip what is 0.

Half of the results of a layer with ReLU are 0, most features are, and so are the gradients of the
logits of illegal actions: things without a legal action need no last layer at all.  A library that
multiplies whole matrices computes all of it.

A gradient has the layout of :class:`~sprawl_env.bots.policy.compiled.Weights`: the weights of a
layer input by input.  Going backwards through a layer takes them output by output, which is a
second copy of them, ``back``, in which every layer begins at the same place.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from sprawl_env.bots.policy.compiled import (
    AGAIN,
    AGAIN_BIAS,
    COLUMN,
    EACH,
    FEATURES,
    HEADS,
    HEADS_BIAS,
    HEADS_SIZE,
    IN,
    IN_BIAS,
    KIND,
    PLACES,
    SELF,
    SELF_BIAS,
    SIZE,
    START,
    THINGS,
    TRUNK,
    TRUNK_IN,
    TRUNK_IN_BIAS,
    TRUNK_OUT,
    TRUNK_OUT_BIAS,
    WHOLE,
    CompiledNet,
    Room,
    Weights,
    add_from,
    start_from,
)
from sprawl_env.bots.policy.shape import NetShape
from sprawl_env.kernels.arrays import Floats, Index, Ints
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.layers import add_layer

ZERO = np.float32(0.0)


class Gradient(NamedTuple):
    """A gradient, and the gradients of what one row computes.

    Attributes:
        flat: float32, of the weights, in the layout of ``Weights.flat``; rows are added up.
        back: float32, the weights, those of a layer output by output.
        logits: float32 ``[num_actions]``.
        summary: float32 ``[trunk]``.
        before: float32 ``[trunk]``.
        pooled: float32 ``[kinds, 2, width]``.
        context: float32 ``[width]``.
        first: float32 ``[things, width]``.
        second: float32 ``[things, width]``.
        third: float32 ``[things, width]``, of the things of one kind that have legal actions.
        inputs: float32 ``[things, width]``, the second layers of these things.
        heads: float32 ``[most outputs]``.
        across: float32, the inputs of a layer for all things of a kind, input by input.
        used: int32, at least as long as any layer is wide, and as there are things of a kind.
    """

    flat: Floats
    back: Floats
    logits: Floats
    summary: Floats
    before: Floats
    pooled: Floats
    context: Floats
    first: Floats
    second: Floats
    third: Floats
    inputs: Floats
    heads: Floats
    across: Floats
    used: Ints


class Queue(NamedTuple):
    """Rows whose part in the gradient of the trunk is still to be added.

    The weights of the trunk do not fit the nearest cache, so they are passed through once for
    several rows.

    Attributes:
        pooled: float32 ``[rows, kinds * 2 * width]``, the means and maxima.
        before: float32 ``[rows, trunk]``, after the trunk's first layer.
        of_before: float32 ``[rows, trunk]``, the gradient of that.
        of_summary: float32 ``[rows, trunk]``, the gradient of the summary.
        across: float32, at least rows times the width of any of these.
    """

    pooled: Floats
    before: Floats
    of_before: Floats
    of_summary: Floats
    across: Floats


@kernel
def gate(gradient: Floats, x: Floats) -> None:
    """Go backwards through ReLU, whose result is ``x``."""
    for j in range(x.size):
        gradient[j] = gradient[j] if x[j] > ZERO else ZERO


@kernel
def add_bias(flat: Floats, at: int, gradient: Floats) -> None:
    """Add the gradient of a bias that begins at ``at``."""
    bias = flat[at : at + gradient.size]
    for j in range(gradient.size):
        bias[j] += gradient[j]


@kernel
def add_weights(flat: Floats, at: int, inputs: Floats, gradient: Floats) -> None:
    """Add the gradient of a layer's weights, which begin at ``at``."""
    width = gradient.size
    for i in range(inputs.size):
        x = inputs[i]
        if x != ZERO:
            row = flat[at + i * width : at + (i + 1) * width]
            for j in range(width):
                row[j] += x * gradient[j]


@kernel
def add_whole_weights(flat: Floats, at: int, room: Room, gradient: Floats, count: int) -> None:
    """Add the gradient of the weights of the features that the trunk sees directly."""
    width = gradient.size
    for n in range(count):
        i = room.used_whole[n]
        x, row = room.direct[i], flat[at + i * width : at + (i + 1) * width]
        for j in range(width):
            row[j] += x * gradient[j]


@kernel
def add_all_weights(
    work: Gradient, at: int, inputs: Floats, gradients: Floats, across: Floats
) -> None:
    """Add the gradient of the weights of a layer for several rows or things.

    Args:
        work: to whose ``flat`` it is added.
        at: where the weights begin.
        inputs: ``[count, n]``, of the layer.
        gradients: ``[count, width]``, of its results.
        across: overwritten, at least ``count * n`` long.
    """
    count, size, width = inputs.shape[0], inputs.shape[1], gradients.shape[1]
    flat = gradients.reshape(count * width)
    for k in range(count):
        x = inputs[k]
        for i in range(size):
            across[i * count + k] = x[i]
    for i in range(size):  # the row of an input stays in registers while all are added
        row = work.flat[at + i * width : at + (i + 1) * width]
        add_layer(row, across[i * count : (i + 1) * count], flat, work.used)


@kernel
def read_heads(net: Weights, logits: Floats, kind: int, thing: int, heads: Floats) -> None:
    """Write the gradients of a thing's heads from those of the logits."""
    heads[:] = 0.0
    for block in range(net.blocks.shape[0]):
        b = net.blocks[block]
        if b[KIND] == kind:
            for e in range(b[EACH]):
                at = thing * b[EACH] + e
                if at < b[SIZE]:
                    heads[b[COLUMN] + e] = logits[b[START] + at]


@kernel
def leave_last(
    net: Weights, work: Gradient, room: Room, summary: Floats, kind: int, begin: int
) -> None:
    """Go backwards through the heads and the last layer of the things of a kind."""
    k = net.kinds[kind]
    if k[HEADS_SIZE] == 0:
        return
    context, heads, found = work.context, work.heads[: k[HEADS_SIZE]], 0
    context[:] = 0.0
    for thing in range(k[THINGS]):
        if room.needed[begin + thing] == 0:
            continue
        third, gradient = room.third[begin + thing], work.third[found]
        read_heads(net, work.logits, kind, thing, heads)
        add_bias(work.flat, k[HEADS_BIAS], heads)
        add_weights(work.flat, k[HEADS], third, heads)
        gradient[:] = 0.0
        add_from(gradient, heads, work.back, k[HEADS], work.used)
        gate(gradient, third)
        add_from(work.second[begin + thing], gradient, work.back, k[AGAIN], work.used)
        start_from(work.inputs[found], room.second[begin + thing], 0)
        add_bias(context, 0, gradient)
        found += 1
    if found:
        add_all_weights(work, k[AGAIN], work.inputs[:found], work.third[:found], work.across)
        add_bias(work.flat, k[AGAIN_BIAS], context)
        add_weights(work.flat, k[TRUNK], summary, context)
        add_from(work.summary, context, work.back, k[TRUNK], work.used)


@kernel
def leave_pool(net: Weights, work: Gradient, room: Room, kind: int, begin: int, thing: int) -> None:
    """Add the gradient of the mean and the maximum to that of a thing; go through its ReLU."""
    x, gradient = room.second[begin + thing], work.second[begin + thing]
    largest, mean, most = room.pooled[kind, 1], work.pooled[kind, 0], work.pooled[kind, 1]
    share = np.float32(1.0) / np.float32(net.kinds[kind, THINGS])
    for j in range(x.size):
        value, left = x[j], most[j]
        hit = value == largest[j]
        total = gradient[j] + mean[j] * share + (left if hit else ZERO)
        most[j] = ZERO if hit else left  # the first thing that has the maximum gets it
        gradient[j] = total if value > ZERO else ZERO


@kernel
def leave_things(
    net: Weights, work: Gradient, room: Room, kind: int, begin: int, features: int, count: int
) -> None:
    """Go backwards through the first two layers of the things of a kind."""
    k = net.kinds[kind]
    things, size, context = k[THINGS], k[FEATURES], work.context
    context[:] = 0.0
    for thing in range(things):
        first, gradient = room.first[begin + thing], work.first[begin + thing]
        leave_pool(net, work, room, kind, begin, thing)
        second = work.second[begin + thing]
        add_bias(work.flat, k[SELF_BIAS], second)
        gradient[:] = 0.0
        add_from(gradient, second, work.back, k[SELF], work.used)
        gate(gradient, first)
        add_bias(work.flat, k[PLACES] + thing * context.size, gradient)
        add_bias(context, 0, gradient)
    end = begin + things
    add_all_weights(work, k[SELF], room.first[begin:end], work.second[begin:end], work.across)
    own = room.features[features : features + things * size].reshape(things, size)
    add_all_weights(work, k[IN], own, work.first[begin:end], work.across)
    add_bias(work.flat, k[IN_BIAS], context)
    add_whole_weights(work.flat, k[WHOLE], room, context, count)


@kernel
def leave_trunk(
    net: Weights, work: Gradient, room: Room, queue: Queue, at: int, summary: Floats, count: int
) -> None:
    """Go backwards through the trunk; write the gradients of the means and maxima."""
    trunk, flat, used = net.trunk, work.flat, work.used
    gate(work.summary, summary)
    start_from(queue.of_summary[at], work.summary, 0)
    start_from(queue.before[at], room.before, 0)
    add_bias(flat, trunk[TRUNK_OUT_BIAS], work.summary)
    before, pooled = queue.of_before[at], work.pooled.reshape(work.pooled.size)
    before[:] = 0.0
    add_from(before, work.summary, work.back, trunk[TRUNK_OUT], used)
    gate(before, room.before)
    add_bias(flat, trunk[TRUNK_IN_BIAS], before)
    add_whole_weights(flat, trunk[TRUNK_IN], room, before, count)
    start_from(queue.pooled[at], room.pooled.reshape(pooled.size), 0)
    pooled[:] = 0.0
    begins = trunk[TRUNK_IN] + room.direct.size * before.size
    add_from(pooled, before, work.back, begins, used)


@kernel
def add_gradient(
    net: Weights, work: Gradient, room: Room, queue: Queue, at: int, summary: Floats, count: int
) -> None:
    """Add the gradient of one row to ``work.flat``, but for what :func:`add_queue` adds.

    Args:
        net: the weights.
        work: has the gradients of the row's logits and of its summary.
        room: as :func:`~sprawl_env.bots.policy.compiled.judge_row` has left it for this row.
        queue: place ``at`` is overwritten.
        at: likewise.
        summary: float32 ``[trunk]``, as judge_row has written it.
        count: what judge_row returned.
    """
    kinds = net.kinds.shape[0] - 1
    k = net.kinds[kinds]
    work.second[:] = 0.0
    heads = work.heads[: k[HEADS_SIZE]]
    read_heads(net, work.logits, kinds, 0, heads)
    add_bias(work.flat, k[HEADS_BIAS], heads)
    add_weights(work.flat, k[HEADS], summary, heads)
    add_from(work.summary, heads, work.back, k[HEADS], work.used)
    begin = 0
    for kind in range(kinds):
        leave_last(net, work, room, summary, kind, begin)
        begin += net.kinds[kind, THINGS]
    leave_trunk(net, work, room, queue, at, summary, count)
    begin, features = 0, 0
    for kind in range(kinds):
        leave_things(net, work, room, kind, begin, features, count)
        begin += net.kinds[kind, THINGS]
        features += net.kinds[kind, THINGS] * net.kinds[kind, FEATURES]


@kernel
def add_queue(net: Weights, work: Gradient, queue: Queue, rows: int, direct: int) -> None:
    """Add the part of the first ``rows`` rows of the queue in the gradient of the trunk.

    ``direct`` is the number of features that the trunk sees directly.
    """
    at, across, before = net.trunk, queue.across, queue.of_before[:rows]
    begins = at[TRUNK_IN] + direct * before.shape[1]
    add_all_weights(work, begins, queue.pooled[:rows], before, across)
    add_all_weights(work, at[TRUNK_OUT], queue.before[:rows], queue.of_summary[:rows], across)


class FlatNet:
    """A network whose weights, and their gradient, are one array, as training has them.

    Args:
        shape: what it is made of.
        scales: float32 ``[observation_size]``.
        parts: where in that array each weight begins, by name (:meth:`NetShape.tensors`).

    Attributes:
        net: the compiled network.
    """

    def __init__(self, shape: NetShape, scales: Floats, parts: Mapping[str, int]) -> None:
        sizes = shape.tensors()
        places = {
            name: (parts[name] + 1 + np.arange(int(np.prod(size)))).reshape(size)
            for name, size in sizes.items()
        }
        # a network of places instead of weights says where each of its weights comes from
        self.net = CompiledNet(shape, places, scales, np.float64)
        self._from = np.rint(self.net.weights.flat).astype(np.int64)  # 0: padding
        self._back_from = _turned(self.net, self._from)
        self._filled = np.flatnonzero(self._from)
        self._to = self._from[self._filled] - 1

    def with_weights(self, flat: Floats) -> CompiledNet:
        """Return the network with some weights, which are copied."""
        found = copy.copy(self.net)
        found.weights = self.net.weights._replace(flat=_padded(flat)[self._from])
        return found

    def load(self, flat: Floats) -> tuple[Weights, Gradient]:
        """Return the network with some weights, and room for its gradient, which is 0."""
        work = self._new_gradient(_padded(flat)[self._back_from])
        return self.with_weights(flat).weights, work

    def unload(self, work: Gradient, flat: Floats) -> None:
        """Write a gradient to an array with the places of :meth:`load`'s."""
        flat[self._to] = work.flat[self._filled]

    def _new_gradient(self, back: Floats) -> Gradient:
        kinds, width, trunk = self.net.weights.kinds, self.net.width, self.net.trunk
        things = int(kinds[:, THINGS].sum())
        across = int((kinds[:, THINGS] * np.maximum(kinds[:, FEATURES], width)).max())
        pooled, heads = (len(kinds) - 1, 2, width), int(kinds[:, HEADS_SIZE].max())
        most = max(heads, trunk, width, int(np.prod(pooled)), things, self.net.inputs)
        return Gradient(
            flat=np.zeros(len(back), np.float32),
            back=back,
            logits=np.zeros(self.net.num_actions, np.float32),
            summary=np.zeros(trunk, np.float32),
            before=np.zeros(trunk, np.float32),
            pooled=np.zeros(pooled, np.float32),
            context=np.zeros(width, np.float32),
            first=np.zeros((things, width), np.float32),
            second=np.zeros((things, width), np.float32),
            third=np.zeros((things, width), np.float32),
            inputs=np.zeros((things, width), np.float32),
            heads=np.zeros(heads, np.float32),
            across=np.zeros(across, np.float32),
            used=np.zeros(most, np.int32),
        )


def new_queue(net: CompiledNet, rows: int) -> Queue:
    """Return a queue for some rows."""
    pooled, trunk = 2 * (len(net.weights.kinds) - 1) * net.width, net.trunk
    return Queue(
        pooled=np.zeros((rows, pooled), np.float32),
        before=np.zeros((rows, trunk), np.float32),
        of_before=np.zeros((rows, trunk), np.float32),
        of_summary=np.zeros((rows, trunk), np.float32),
        across=np.zeros(rows * max(pooled, trunk), np.float32),
    )


def _padded(flat: Floats) -> Floats:
    """Return weights behind a 0, from which the padding is taken."""
    return np.concatenate([np.zeros(1, np.float32), flat])


def _turned(net: CompiledNet, places: Index) -> Index:
    """Return places with every layer through which one goes backwards output by output."""
    found, width, trunk = places.copy(), net.width, net.trunk
    *kinds, last = net.weights.kinds.tolist()
    layers = [(last[HEADS], trunk, last[HEADS_SIZE])]
    for k in kinds:
        layers += [(k[SELF], width, width), (k[AGAIN], width, width), (k[TRUNK], trunk, width)]
        layers.append((k[HEADS], width, k[HEADS_SIZE]))
    into, out = (int(net.weights.trunk[which]) for which in (TRUNK_IN, TRUNK_OUT))
    layers += [(into + net.inputs * trunk, 2 * len(kinds) * width, trunk), (out, trunk, trunk)]
    for at, inputs, outputs in layers:
        part = slice(at, at + inputs * outputs)
        found[part] = places[part].reshape(inputs, outputs).T.ravel()
    return found
