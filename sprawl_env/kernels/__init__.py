"""Everything that is compiled by numba or written for kernels; it knows no game."""

from __future__ import annotations

from sprawl_env.kernels.compile import kernel

__all__ = ["kernel"]
