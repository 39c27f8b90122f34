"""Import of the optional libraries for rendering (extra ``render``)."""

from __future__ import annotations

from typing import Any

from sprawl_env.core.extras import require


def library(module: str, what: str) -> Any:
    """Import an optional library.

    Raises:
        MissingExtra: it is not installed; the message names the pip command.
    """
    return require(module, what)
