"""Optional libraries of the pictures."""

from __future__ import annotations

from typing import Any

from sprawl_env.core.extras import require


def library(module: str, what: str) -> Any:
    """Import an optional library.

    Raises:
        MissingExtra: it is not installed.
    """
    return require(module, what)
