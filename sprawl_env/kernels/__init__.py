"""Everything that configures numba, and kernels that all games share; no module knows a game."""

from __future__ import annotations

from sprawl_env.kernels.compile import kernel

__all__ = ["kernel"]
