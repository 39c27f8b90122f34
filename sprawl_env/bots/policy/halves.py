"""A policy network in bfloat16 on a processor, with its gradient written out.

Networks this small spend most of their time between the multiplications: in the memory, and in the
hundreds of small operations of automatic differentiation.  Here matrices are multiplied in
bfloat16, :mod:`sprawl_env.kernels.bfloat16` does in one pass what stands between two of them, and
all weights, and all gradients, are one tensor each.  Sums over many numbers are float32.

The network is :class:`~sprawl_env.bots.policy.network.EntityNet` with a linear value head.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from sprawl_env.bots.policy.network import EntityNet
from sprawl_env.kernels import bfloat16

HALF = torch.bfloat16


def bits(x: Tensor, *shape: int) -> Any:
    """Return the bits of a bfloat16 tensor whose numbers lie side by side, as an array; a view."""
    return x.view(shape or x.shape).view(torch.uint16).numpy()


@dataclass
class Things:
    """What a forward pass keeps for the things of one kind.

    Attributes:
        features: bfloat16 ``[n * things, features]``.
        first: bfloat16 ``[n * things, width]``, after the first layer; ``second`` and ``third``
            likewise.
        where: int32 ``[n, width]``, the first thing that has the maximum.
    """

    features: Tensor
    first: Tensor
    second: Tensor
    third: Tensor
    where: Tensor


class HalfNet:
    """Computes a network and its gradient in bfloat16.

    Args:
        net: the network.
        parameters: the shapes of all parameters by name, in order: those of the network with the
            prefix ``prefix``; for values and gradients also ``value_net.weight`` and
            ``value_net.bias`` of the value head.
        prefix: of the names of the network's parameters.
        scales: float32 ``[observation_size]``.
    """

    def __init__(
        self, net: EntityNet, parameters: Mapping[str, torch.Size], prefix: str, scales: Tensor
    ) -> None:
        self.net, self.scales = net, scales
        self.shapes = {name.removeprefix(prefix): shape for name, shape in parameters.items()}
        self.lengths = [shape.numel() for shape in self.shapes.values()]

    def parts(self, flat: Tensor) -> dict[str, Tensor]:
        """Return the parameters in a flat tensor by name, without the prefix; views."""
        pairs = zip(self.shapes.items(), torch.split(flat, self.lengths), strict=True)
        return {name: part.view(shape) for (name, shape), part in pairs}

    def evaluate(self, numbers: Tensor, flat: Tensor) -> tuple[Tensor, Tensor]:
        """Return logits ``[n, num_actions]`` and summaries ``[n, trunk]``; see :meth:`forward`."""
        found = Pass(self, numbers, flat)
        return found.logits(), found.summary

    def forward(self, numbers: Tensor, flat: Tensor) -> tuple[Tensor, Tensor, Pass]:
        """Return logits ``[n, num_actions]``, values ``[n]`` and what a gradient needs.

        Args:
            numbers: int8 ``[n, observation_size]``.
            flat: all parameters, float32.
        """
        found = Pass(self, numbers, flat)
        return found.logits(), found.values(), found


class Pass:
    """One forward pass, with what its backward pass needs.

    Its results are not among it: they will refer to the pass, and nothing would free either.
    """

    def __init__(self, model: HalfNet, numbers: Tensor, flat: Tensor) -> None:
        self._model, self._net, self._count = model, model.net, len(numbers)
        self._weights, self._low = model.parts(flat), model.parts(flat.to(HALF))
        seen = torch.empty(numbers.shape, dtype=HALF)
        bfloat16.scale_rows(numbers.numpy(), model.scales.numpy(), bits(seen))
        ranges = self._net.shape.whole
        self._whole = torch.cat([seen[:, start:stop] for start, stop in ranges], dim=1)
        self._things: dict[str, Things] = {}
        self._inputs = [self._whole]
        for kind in self._net.shape.size_of:
            self._look(kind, seen)
        self._trunk_input = torch.cat(self._inputs, dim=1)
        self._before = self._affine(self._trunk_input, "trunk_in").relu_()
        self._after = self._affine(self._before.to(HALF), "trunk_out").relu_()
        self._summary = self._after.to(HALF)
        for kind, things in self._things.items():
            context = self._affine(self._summary, f"{kind}_trunk", f"{kind}_again")
            things.third = self._encode(things.second, f"{kind}_again", context)

    # --------------------------------------------------------------------------- forwards

    def _weight(self, name: str) -> Tensor:
        return self._low[f"layers.{name}.weight"]

    def _bias(self, name: str) -> Tensor:
        return self._weights[f"layers.{name}.bias"]

    def _affine(self, x: Tensor, name: str, bias: str = "") -> Tensor:
        """Return a layer's result in float32, with its own bias or another layer's."""
        return torch.mm(x, self._weight(name).t()).float().add_(self._bias(bias or name))

    def _encode(
        self, x: Tensor, name: str, context: Tensor, places: Tensor | None = None
    ) -> Tensor:
        """Return ``relu(x @ weight.T + context + places)`` for all things of a kind."""
        found = torch.mm(x, self._weight(name).t())
        things, width = len(x) // self._count, found.shape[1]
        fixed = torch.zeros(things, width) if places is None else places
        shaped = bits(found, self._count, things, width)
        bfloat16.add_and_rectify(shaped, context.numpy(), fixed.numpy())
        return found

    def _look(self, kind: str, seen: Tensor) -> None:
        """Encode the things of a kind, and add their mean and maximum to the trunk's inputs."""
        count, size = self._count, self._net.shape.size_of[kind]
        features = self._net.features(seen, kind).reshape(count * size, -1)
        context = self._affine(self._whole, f"{kind}_whole", f"{kind}_in")
        first = self._encode(features, f"{kind}_in", context, self._weights[f"places.{kind}"])
        bias = self._bias(f"{kind}_self").expand(count, -1).contiguous()
        second = self._encode(first, f"{kind}_self", bias)
        mean, largest = torch.empty_like(bias), torch.empty_like(bias)
        where = torch.empty(bias.shape, dtype=torch.int32)
        shaped = bits(second, count, size, bias.shape[1])
        bfloat16.pool(shaped, mean.numpy(), largest.numpy(), where.numpy())
        self._inputs += [mean.to(HALF), largest.to(HALF)]
        self._things[kind] = Things(features, first, second, second, where)

    @property
    def summary(self) -> Tensor:
        """The summary, float32 ``[n, trunk]``."""
        return self._after

    def values(self) -> Tensor:
        """Return the values, float32 ``[n]``."""
        weight, bias = self._weights["value_net.weight"], self._weights["value_net.bias"]
        return torch.mv(self._after, weight.view(-1)).add_(bias)

    def logits(self) -> Tensor:
        """Return the logits, also of illegal actions, float32 ``[n, num_actions]``."""
        logits = torch.zeros(self._count, self._net.shape.num_actions)
        for block in self._net.shape.blocks:
            kind = block.entity
            x = self._things[kind].third if kind in self._things else self._summary
            found = self._affine(x, f"act_{block.name}").view(self._count, -1)
            used = min(found.shape[1], block.size)
            logits[:, block.start : block.start + used] = found[:, :used]
        return logits

    # -------------------------------------------------------------------------- backwards

    def backward(self, of_logits: Tensor, of_values: Tensor) -> Tensor:
        """Return the gradient of all parameters, flat, float32.

        Args:
            of_logits: float32 ``[n, num_actions]``, the gradient of the logits.
            of_values: float32 ``[n]``, the gradient of the values.
        """
        flat = torch.zeros(sum(self._model.lengths))
        self._found = self._model.parts(flat)
        weight = self._weights["value_net.weight"]
        self._found["value_net.weight"].copy_(torch.mv(self._after.t(), of_values).view(1, -1))
        self._found["value_net.bias"].copy_(of_values.sum())
        self._of_summary = of_values.unsqueeze(1) * weight
        of_third = self._of_heads(of_logits)
        of_second = {kind: self._of_again(kind, of_third.get(kind)) for kind in self._things}
        pooled = torch.split(self._of_trunk(), [part.shape[1] for part in self._inputs], dim=1)[1:]
        for k, (kind, gradient) in enumerate(of_second.items()):
            self._of_look(kind, gradient, *(x.contiguous() for x in pooled[2 * k : 2 * k + 2]))
        return flat

    def _add(self, name: str, gradient: Tensor, x: Tensor, bias: Tensor | None) -> None:
        """Write the gradients of a layer whose input was ``x``."""
        self._found[f"layers.{name}.weight"].copy_(torch.mm(gradient.t(), x))
        if bias is not None:
            self._found[f"layers.{name}.bias"].copy_(bias.sum(dim=0))

    def _gate(self, gradient: Tensor, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return the gradient before the ReLU of ``x``, those of the context and of the places."""
        own, count, width = torch.empty_like(x), self._count, x.shape[1]
        things = len(x) // count
        of_context, of_places = torch.empty(count, width), torch.zeros(things, width)
        given, result, out = (bits(each, count, things, width) for each in (gradient, x, own))
        bfloat16.gate(given, result, out, of_context.numpy(), of_places.numpy())
        return own, of_context, of_places

    def _of_heads(self, of_logits: Tensor) -> dict[str, Tensor]:
        """Return the gradients of the things' last layers by kind."""
        found: dict[str, Tensor] = {}
        for block in self._net.shape.blocks:
            name, kind = f"act_{block.name}", block.entity
            known = kind in self._things
            x, weight = self._things[kind].third if known else self._summary, self._weight(name)
            size = len(x) // self._count * len(weight)  # of the logits of one row
            part = of_logits[:, block.start : block.start + min(size, block.size)]
            part = nn.functional.pad(part, (0, size - part.shape[1])).reshape(len(x), -1)
            low = part.to(HALF)
            self._add(name, low, x, part)
            if not known:
                self._of_summary += torch.mm(low, weight)
            elif kind in found:
                found[kind].addmm_(low, weight)
            else:
                found[kind] = torch.mm(low, weight)
        return found

    def _of_again(self, kind: str, gradient: Tensor | None) -> Tensor:
        """Return the gradient of the things' second layer; add that of the summary."""
        things = self._things[kind]
        given = torch.zeros_like(things.third) if gradient is None else gradient
        own, of_context, _ = self._gate(given, things.third)
        self._add(f"{kind}_again", own, things.second, of_context)
        context = of_context.to(HALF)
        self._add(f"{kind}_trunk", context, self._summary, None)
        self._of_summary += torch.mm(context, self._weight(f"{kind}_trunk"))
        return torch.mm(own, self._weight(f"{kind}_again"))

    def _of_trunk(self) -> Tensor:
        """Return the gradient of the trunk's inputs."""
        of_after = self._of_summary.mul_(self._after > 0)
        low = of_after.to(HALF)
        self._add("trunk_out", low, self._before.to(HALF), of_after)
        of_before = torch.mm(low, self._weight("trunk_out")).float().mul_(self._before > 0)
        low = of_before.to(HALF)
        self._add("trunk_in", low, self._trunk_input, of_before)
        return torch.mm(low, self._weight("trunk_in")).float()

    def _of_look(self, kind: str, gradient: Tensor, of_mean: Tensor, of_largest: Tensor) -> None:
        """Write the gradients of the things' first two layers."""
        things, size = self._things[kind], self._net.shape.size_of[kind]
        shaped = bits(gradient, self._count, size, gradient.shape[1])
        bfloat16.add_pooled(of_mean.numpy(), of_largest.numpy(), things.where.numpy(), shaped)
        own, of_context, _ = self._gate(gradient, things.second)
        self._add(f"{kind}_self", own, things.first, of_context)
        of_first = torch.mm(own, self._weight(f"{kind}_self"))
        own, of_context, of_places = self._gate(of_first, things.first)
        self._add(f"{kind}_in", own, things.features, of_context)
        self._add(f"{kind}_whole", of_context.to(HALF), self._whole, None)
        self._found[f"places.{kind}"].copy_(of_places)
