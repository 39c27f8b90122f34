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
from torch import Tensor

from sprawl_env.bots.policy.network import EntityNet
from sprawl_env.kernels import bfloat16

HALF = torch.bfloat16


def bits(x: Tensor) -> Any:
    """Return the bits of a bfloat16 tensor whose numbers lie side by side, as an array; a view."""
    return x.view(torch.uint16).numpy()


@dataclass
class Things:
    """What a forward pass keeps for the things of one kind, bfloat16 ``[n * things, ...]``."""

    features: Tensor
    first: Tensor
    second: Tensor
    third: Tensor
    where: Tensor


@dataclass
class Kept:
    """What a forward pass keeps for the backward pass."""

    weights: Mapping[str, Tensor]
    low: Mapping[str, Tensor]
    whole: Tensor
    trunk_input: Tensor
    trunk: tuple[Tensor, Tensor]
    things: dict[str, Things]


class HalfNet:
    """Computes a network and its gradient.

    Args:
        net: the network.
        value: names of the weight ``[1, trunk]`` and the bias of the value head.
        sizes: all parameters in order, with their shapes; those of the network have the prefix.
        prefix: of the network's parameters.
        scales: float32 ``[observation_size]``.
    """

    def __init__(
        self,
        net: EntityNet,
        value: tuple[str, str],
        sizes: Mapping[str, torch.Size],
        prefix: str,
        scales: Tensor,
    ) -> None:
        self._net, self._value, self._sizes = net, value, dict(sizes)
        self._layer, self._place = f"{prefix}layers.", f"{prefix}places."
        self._scales = scales
        self._lengths = [size.numel() for size in self._sizes.values()]

    def parts(self, flat: Tensor) -> dict[str, Tensor]:
        """Return the parameters in a flat tensor, by name; views."""
        parts = flat.split(self._lengths)
        pairs = zip(self._sizes.items(), parts, strict=True)
        return {name: part.view(size) for (name, size), part in pairs}

    def forward(self, numbers: Tensor, flat: Tensor) -> tuple[Tensor, Tensor, Kept]:
        """Return logits ``[n, num_actions]``, values ``[n]``, and what :meth:`backward` needs.

        Args:
            numbers: int8 ``[n, observation_size]``.
            flat: all parameters, float32.
        """
        net, weights, low = self._net, self.parts(flat), self.parts(flat.to(HALF))
        count, layer = len(numbers), self._layer
        seen = torch.empty(numbers.shape, dtype=HALF)
        bfloat16.scale_rows(numbers.numpy(), self._scales.numpy(), bits(seen))
        whole = torch.cat([seen[:, start:stop] for start, stop in net.whole], dim=1)
        things: dict[str, Things] = {}
        inputs = [whole]

        def affine(x: Tensor, name: str, bias: str) -> Tensor:
            found = torch.mm(x, low[f"{layer}{name}.weight"].t()).float()
            return found.add_(weights[f"{layer}{bias}.bias"])

        def encode(x: Tensor, name: str, context: Tensor, places: Tensor) -> Tensor:
            found = torch.mm(x, low[f"{layer}{name}.weight"].t())
            shaped = bits(found).reshape(count, len(places), -1)
            bfloat16.add_and_rectify(shaped, context.numpy(), places.numpy())
            return found

        for kind, size in net.size_of.items():
            places = weights[self._place + kind]
            features = net.features(seen, kind).reshape(count * size, -1)
            context = affine(whole, f"{kind}_whole", f"{kind}_in")
            first = encode(features, f"{kind}_in", context, places)
            bias = weights[f"{layer}{kind}_self.bias"].expand(count, -1).contiguous()
            second = encode(first, f"{kind}_self", bias, torch.zeros_like(places))
            mean, largest = torch.empty_like(bias), torch.empty_like(bias)
            where = torch.empty(bias.shape, dtype=torch.int32)
            shaped = bits(second).reshape(count, size, -1)
            bfloat16.pool(shaped, mean.numpy(), largest.numpy(), where.numpy())
            inputs += [mean.to(HALF), largest.to(HALF)]
            things[kind] = Things(features, first, second, second, where)
        trunk_input = torch.cat(inputs, dim=1)
        before = affine(trunk_input, "trunk_in", "trunk_in").relu_()
        after = affine(before.to(HALF), "trunk_out", "trunk_out").relu_()
        summary = after.to(HALF)
        for kind, kept in things.items():
            context = affine(summary, f"{kind}_trunk", f"{kind}_again")
            nothing = torch.zeros_like(weights[self._place + kind])
            kept.third = encode(kept.second, f"{kind}_again", context, nothing)
        logits = torch.zeros(count, net.latent_dim_pi)
        for block in net.blocks:
            x = things[block.entity].third if block.entity in things else summary
            found = affine(x, f"act_{block.name}", f"act_{block.name}").view(count, -1)
            used = min(found.shape[1], block.size)
            logits[:, block.start : block.start + used] = found[:, :used]
        weight, bias = (weights[name] for name in self._value)
        values = torch.mv(after, weight.view(-1)).add_(bias)
        return logits, values, Kept(weights, low, whole, trunk_input, (before, after), things)

    def backward(self, kept: Kept, of_logits: Tensor, of_values: Tensor) -> Tensor:
        """Return the gradient of all parameters, flat, float32.

        Args:
            kept: of the forward pass.
            of_logits: float32 ``[n, num_actions]``, the gradient of the logits.
            of_values: float32 ``[n]``, the gradient of the values.
        """
        net, low, layer = self._net, kept.low, self._layer
        flat = torch.zeros(sum(self._lengths))
        found, count = self.parts(flat), len(of_values)
        before, after = kept.trunk
        summary = after.to(HALF)
        weight, bias = self._value
        found[weight].copy_(torch.mv(after.t(), of_values).view(1, -1))
        found[bias].copy_(of_values.sum())
        of_summary = of_values.unsqueeze(1) * kept.weights[weight]

        def multiplied(gradient: Tensor, x: Tensor, name: str) -> None:
            found[f"{layer}{name}.weight"].copy_(torch.mm(gradient.t(), x))

        def passed(gradient: Tensor, x: Tensor, things: int) -> tuple[Tensor, Tensor, Tensor]:
            """Return the gradient before the ReLU, those of the context and of the places."""
            own, width = torch.empty_like(x), x.shape[1]
            of_context, of_places = torch.empty(count, width), torch.zeros(things, width)
            shape = count, things, width
            bfloat16.gate(
                bits(gradient).reshape(shape), bits(x).reshape(shape), bits(own).reshape(shape),
                of_context.numpy(), of_places.numpy(),
            )  # fmt: skip
            return own, of_context, of_places

        of_third: dict[str, Tensor] = {}
        for block in net.blocks:
            name = f"act_{block.name}"
            own_weight = low[f"{layer}{name}.weight"]
            known = block.entity in kept.things
            rows = count * net.size_of[block.entity] if known else count
            wanted = rows // max(count, 1) * len(own_weight)
            part = of_logits[:, block.start : block.start + min(wanted, block.size)]
            if wanted > block.size:
                part = torch.nn.functional.pad(part, (0, wanted - block.size))
            part = part.reshape(rows, -1)
            found[f"{layer}{name}.bias"].copy_(part.sum(dim=0))
            part = part.to(HALF)
            if not known:
                multiplied(part, summary, name)
                of_summary += torch.mm(part, own_weight)
                continue
            multiplied(part, kept.things[block.entity].third, name)
            if block.entity in of_third:
                of_third[block.entity].addmm_(part, own_weight)
            else:
                of_third[block.entity] = torch.mm(part, own_weight)
        of_second: dict[str, Tensor] = {}
        for kind, things in kept.things.items():
            gradient = of_third.get(kind, torch.zeros_like(things.third))
            own, of_context, _ = passed(gradient, things.third, net.size_of[kind])
            multiplied(own, things.second, f"{kind}_again")
            found[f"{layer}{kind}_again.bias"].copy_(of_context.sum(dim=0))
            context = of_context.to(HALF)
            multiplied(context, summary, f"{kind}_trunk")
            of_summary += torch.mm(context, low[f"{layer}{kind}_trunk.weight"])
            of_second[kind] = torch.mm(own, low[f"{layer}{kind}_again.weight"])
        of_summary.mul_(after > 0)
        found[f"{layer}trunk_out.bias"].copy_(of_summary.sum(dim=0))
        gradient = of_summary.to(HALF)
        multiplied(gradient, before.to(HALF), "trunk_out")
        of_before = torch.mm(gradient, low[f"{layer}trunk_out.weight"]).float().mul_(before > 0)
        found[f"{layer}trunk_in.bias"].copy_(of_before.sum(dim=0))
        gradient = of_before.to(HALF)
        multiplied(gradient, kept.trunk_input, "trunk_in")
        pooled = low[f"{layer}trunk_in.weight"][:, kept.whole.shape[1] :]
        parts = torch.mm(gradient, pooled).float().split(width_of(kept), dim=1) if kept.things else ()
        for k, (kind, things) in enumerate(kept.things.items()):
            size = net.size_of[kind]
            mean, largest = (parts[2 * k + j].contiguous().numpy() for j in (0, 1))
            gradient = of_second[kind]
            shaped = bits(gradient).reshape(count, size, -1)
            bfloat16.add_pooled(mean, largest, things.where.numpy(), shaped)
            own, of_context, _ = passed(gradient, things.second, size)
            multiplied(own, things.first, f"{kind}_self")
            found[f"{layer}{kind}_self.bias"].copy_(of_context.sum(dim=0))
            gradient = torch.mm(own, low[f"{layer}{kind}_self.weight"])
            own, of_context, of_places = passed(gradient, things.first, size)
            multiplied(own, things.features, f"{kind}_in")
            found[f"{layer}{kind}_in.bias"].copy_(of_context.sum(dim=0))
            multiplied(of_context.to(HALF), kept.whole, f"{kind}_whole")
            found[self._place + kind].copy_(of_places)
        return flat


def width_of(kept: Kept) -> int:
    """Return the width of the layers for things."""
    return next(iter(kept.things.values())).second.shape[1]
