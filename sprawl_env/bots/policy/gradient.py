"""The gradient of a policy network, row by row, as kernels.

Things without a legal action need no last layer, and much of what the trunk sees is 0.  A library
that multiplies the matrices of whole batches computes all of it, and passes through the memory once
for each operation; here a row stays in the nearest cache.

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
    DIRECT,
    DIRECT_BIAS,
    FEATURES,
    HEADS,
    HEADS_BIAS,
    HEADS_SIZE,
    IN,
    OUT,
    OUT_BIAS,
    PLACES,
    POOLED,
    SELF,
    SELF_BIAS,
    THINGS,
    TRUNK,
    CompiledNet,
    Room,
    Weights,
    add_from,
    start_from,
)
from sprawl_env.bots.policy.shape import NetShape
from sprawl_env.kernels.arrays import Floats, Index, Ints
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.matrices import (
    add_outer,
    add_rows,
    go_back,
    go_back_gated,
    leave_pool,
)

ZERO = np.float32(0.0)


class Gradient(NamedTuple):
    """A gradient, and the gradients of what one row computes.

    Attributes:
        flat: float32, of the weights, in the layout of ``Weights.flat``; rows are added up.
        back: float32, the weights, those of a layer output by output.
        logits: float32 ``[num_actions]``.
        summary: float32 ``[trunk]``.
        pooled: float32 ``[kinds, 2, width]``.
        second: float32 ``[things, width]``.
        first: float32 ``[things, width]``, of the things of one kind; so are the next two.
        third: float32 ``[things, width]``, of those that have legal actions.
        again: float32 ``[things, width]``, what ``third`` adds to ``second``.
        heads: float32, in the order of ``Room.heads``.
        used: int32, at least as long as any layer is wide.
    """

    flat: Floats
    back: Floats
    logits: Floats
    summary: Floats
    pooled: Floats
    second: Floats
    first: Floats
    third: Floats
    again: Floats
    heads: Floats
    used: Ints


class Queue(NamedTuple):
    """Rows whose part in the gradients of the layers from and to the trunk is still to be added.

    These weights do not fit the nearest cache, so they are passed through once for several rows.

    Attributes:
        direct: float32 ``[rows, whole]``, the features that the trunk sees directly.
        pooled: float32 ``[rows, kinds * 2 * width]``, the means and maxima.
        before: float32 ``[rows, trunk]``, after the trunk's first layer.
        summary: float32 ``[rows, trunk]``.
        of_direct: float32 ``[rows, trunk + kinds * width]``, the gradient of ``Room.direct_out``.
        of_before: float32 ``[rows, trunk]``, the gradient of ``before``.
        of_summary: float32 ``[rows, trunk]``, the gradient of the summary.
        of_third: float32 ``[kinds, rows, width]``, the gradients of what all things of a kind get
            from the summary.
        of_heads: float32 ``[rows, outputs]``, the gradients of the trunk's heads.
    """

    direct: Floats
    pooled: Floats
    before: Floats
    summary: Floats
    of_direct: Floats
    of_before: Floats
    of_summary: Floats
    of_third: Floats
    of_heads: Floats


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
def add_layer_weights(flat: Floats, at: int, inputs: Floats, gradient: Floats) -> None:
    """Add the gradient of the weights of a layer, which begin at ``at``, for several rows.

    Args:
        flat: to which it is added.
        at: where the weights begin.
        inputs: ``[rows, inputs]``, of the layer.
        gradient: ``[rows, outputs]``, of its results.
    """
    add_outer(flat[at : at + inputs.shape[1] * gradient.shape[1]], inputs, gradient)


@kernel
def add_layer_bias(flat: Floats, at: int, gradient: Floats) -> None:
    """Add the gradient of a bias, which begins at ``at``, for several rows."""
    add_rows(flat[at : at + gradient.shape[1]], gradient)


@kernel
def leave_logits(net: Weights, work: Gradient, room: Room, legal: Ints) -> None:
    """Write the gradients of the heads of all things, and of the trunk, from the logits'."""
    work.heads[:] = 0.0
    for n in range(legal.size):
        action = legal[n]
        work.heads[room.places[net.owner[action]] + net.column[action]] = work.logits[action]


@kernel
def leave_last(
    net: Weights, work: Gradient, room: Room, context: Floats, kind: int, begin: int, place: int
) -> int:
    """Go backwards through the heads and the last layer of the things of a kind.

    Write the gradient of what all of them get from the summary, ``context``.

    Returns:
        Where the heads of the next kind begin.
    """
    k, flat, back = net.kinds[kind], work.flat, work.back
    found, size, width = room.found[kind], k[HEADS_SIZE], context.size
    context[:] = 0.0
    if found == 0:
        return place
    end, last = place + found * size, begin + found
    heads = work.heads[place:end].reshape(found, size)
    third, results, again = work.third[:found], room.third[begin:last], work.again[:found]
    add_layer_bias(flat, k[HEADS_BIAS], heads)
    add_layer_weights(flat, k[HEADS], results, heads)
    go_back_gated(third, heads, back[k[HEADS] : k[HEADS] + size * width], results)
    add_layer_weights(flat, k[AGAIN], room.again[begin:last], third)
    go_back(again, third, back[k[AGAIN] : k[AGAIN] + width * width])
    for n in range(found):
        start_from(work.second[room.chosen[begin + n]], again[n], 0)
    add_rows(context, third)
    add_from(work.summary, context, back, k[TRUNK], work.used)
    return int(end)


@kernel
def leave_things(
    net: Weights, work: Gradient, room: Room, context: Floats, kind: int, begin: int, features: int
) -> None:
    """Go backwards through the first two layers of the things of a kind.

    Write the gradient of what all of them get from the features that the trunk sees directly.
    """
    k, flat = net.kinds[kind], work.flat
    things, size, width = k[THINGS], k[FEATURES], context.size
    end = begin + things
    first, of_first, of_second = room.first[begin:end], work.first[:things], work.second[begin:end]
    mean, most = work.pooled[kind, 0], work.pooled[kind, 1]
    for j in range(width):
        mean[j] /= np.float32(things)
    leave_pool(mean, most, room.pooled[kind, 1], of_second, room.second[begin:end])
    add_layer_bias(flat, k[SELF_BIAS], of_second)
    add_layer_weights(flat, k[SELF], first, of_second)
    go_back_gated(of_first, of_second, work.back[k[SELF] : k[SELF] + width * width], first)
    add_bias(flat, k[PLACES], of_first.reshape(things * width))
    own = room.features[features : features + things * size].reshape(things, size)
    add_layer_weights(flat, k[IN], own, of_first)
    context[:] = 0.0
    add_rows(context, of_first)


@kernel
def leave_trunk(
    net: Weights, work: Gradient, room: Room, queue: Queue, at: int, summary: Floats
) -> None:
    """Go backwards through the trunk; write the gradients of the means and maxima."""
    trunk, used = net.trunk, work.used
    before, pooled = queue.of_before[at], work.pooled.reshape(work.pooled.size)
    gate(work.summary, summary)
    before[:] = 0.0
    add_from(before, work.summary, work.back, trunk[OUT], used)
    gate(before, room.before)
    start_from(queue.of_direct[at, : before.size], before, 0)
    pooled[:] = 0.0
    add_from(pooled, before, work.back, trunk[POOLED], used)
    start_from(queue.direct[at], room.direct, 0)
    start_from(queue.pooled[at], room.pooled.reshape(pooled.size), 0)
    start_from(queue.before[at], room.before, 0)
    start_from(queue.summary[at], summary, 0)
    start_from(queue.of_summary[at], work.summary, 0)


@kernel
def add_gradient(
    net: Weights,
    work: Gradient,
    room: Room,
    queue: Queue,
    at: int,
    summary: Floats,
    legal: Ints,
) -> None:
    """Add the gradient of one row to ``work.flat``, but for what :func:`add_queue` adds.

    Args:
        net: the weights.
        work: has the gradients of the row's summary and of the logits of its legal actions.
        room: as :func:`~sprawl_env.bots.policy.compiled.judge_row` has left it for this row.
        queue: place ``at`` is overwritten.
        at: likewise.
        summary: float32 ``[trunk]``, as judge_row has written it.
        legal: the legal actions.
    """
    kinds, begin, place = net.kinds.shape[0] - 1, 0, 0
    work.second[:] = 0.0
    leave_logits(net, work, room, legal)
    for kind in range(kinds):
        place = leave_last(net, work, room, queue.of_third[kind, at], kind, begin, place)
        begin += net.kinds[kind, THINGS]
    heads = queue.of_heads[at]
    start_from(heads, work.heads, place)
    add_from(work.summary, heads, work.back, net.kinds[kinds, HEADS], work.used)
    leave_trunk(net, work, room, queue, at, summary)
    begin, features, width = 0, 0, work.first.shape[1]
    for kind in range(kinds):
        own = summary.size + kind * width
        context = queue.of_direct[at, own : own + width]
        leave_things(net, work, room, context, kind, begin, features)
        begin += net.kinds[kind, THINGS]
        features += net.kinds[kind, THINGS] * net.kinds[kind, FEATURES]


@kernel
def add_queue(net: Weights, work: Gradient, queue: Queue, rows: int) -> None:
    """Add the part of the first ``rows`` rows of the queue in the gradient."""
    flat, at, kinds = work.flat, net.trunk, net.kinds.shape[0] - 1
    summary, of_summary = queue.summary[:rows], queue.of_summary[:rows]
    heads = queue.of_heads[:rows]
    add_layer_weights(flat, at[DIRECT], queue.direct[:rows], queue.of_direct[:rows])
    add_layer_bias(flat, at[DIRECT_BIAS], queue.of_direct[:rows])
    add_layer_weights(flat, at[POOLED], queue.pooled[:rows], queue.of_before[:rows])
    add_layer_weights(flat, at[OUT], queue.before[:rows], of_summary)
    add_layer_bias(flat, at[OUT_BIAS], of_summary)
    add_layer_weights(flat, net.kinds[kinds, HEADS], summary, heads)
    add_layer_bias(flat, net.kinds[kinds, HEADS_BIAS], heads)
    for kind in range(kinds):
        if net.kinds[kind, HEADS_SIZE] > 0:
            third = queue.of_third[kind, :rows]
            add_layer_weights(flat, net.kinds[kind, TRUNK], summary, third)
            add_layer_bias(flat, net.kinds[kind, AGAIN_BIAS], third)


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
        pooled, most = (len(kinds) - 1, 2, width), int(kinds[:, HEADS_SIZE].max())
        return Gradient(
            flat=np.zeros(len(back), np.float32),
            back=back,
            logits=np.zeros(self.net.num_actions, np.float32),
            summary=np.zeros(trunk, np.float32),
            pooled=np.zeros(pooled, np.float32),
            second=np.zeros((things, width), np.float32),
            first=np.zeros((things, width), np.float32),
            third=np.zeros((things, width), np.float32),
            again=np.zeros((things, width), np.float32),
            heads=np.zeros(self.net.outputs, np.float32),
            used=np.zeros(max(most, trunk, width), np.int32),
        )


def new_queue(net: CompiledNet, rows: int) -> Queue:
    """Return a queue for some rows."""
    kinds, width, trunk = len(net.weights.kinds) - 1, net.width, net.trunk

    def zeros(*shape: int) -> Floats:
        return np.zeros(shape, np.float32)

    return Queue(
        direct=zeros(rows, net.inputs),
        pooled=zeros(rows, kinds * 2 * width),
        before=zeros(rows, trunk),
        summary=zeros(rows, trunk),
        of_direct=zeros(rows, trunk + kinds * width),
        of_before=zeros(rows, trunk),
        of_summary=zeros(rows, trunk),
        of_third=zeros(kinds, rows, width),
        of_heads=zeros(rows, int(net.weights.kinds[-1, HEADS_SIZE])),
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
    pooled, out = (int(net.weights.trunk[which]) for which in (POOLED, OUT))
    layers += [(pooled, 2 * len(kinds) * width, trunk), (out, trunk, trunk)]
    for at, inputs, outputs in layers:
        part = slice(at, at + inputs * outputs)
        found[part] = places[part].reshape(inputs, outputs).T.ravel()
    return found
