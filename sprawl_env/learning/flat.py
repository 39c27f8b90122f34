"""Networks whose parameters are one tensor: one norm, one Adam step, one message to all ranks."""

from __future__ import annotations

import copy
from typing import TypeVar

import torch
from torch import Tensor, nn

Net = TypeVar("Net", bound="FlatModule")


class FlatModule(nn.Module):
    """A network whose parameters are views of one tensor.

    Attributes:
        flat: all parameters, float32 ``[n]``, once :meth:`flatten` was called.
    """

    flat: Tensor

    def flatten(self) -> None:
        """Lay all parameters side by side in :attr:`flat`, of which they become views."""
        parameters = list(self.parameters())
        self.flat = torch.cat([parameter.detach().flatten() for parameter in parameters])
        lengths = [parameter.numel() for parameter in parameters]
        for parameter, part in zip(parameters, torch.split(self.flat, lengths), strict=True):
            parameter.data = part.view_as(parameter)
        self.flat.requires_grad_()

    def frozen(self: Net) -> Net:
        """Return a copy that does not learn."""
        found = copy.deepcopy(self).eval().requires_grad_(False)
        found.flatten()
        found.flat.requires_grad_(False)
        return found
