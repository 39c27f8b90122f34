"""Import of the optional libraries for rendering (extra ``render``)."""

from __future__ import annotations

import importlib
from typing import Any

from sprawl_env.core.errors import InvalidOption


def library(module: str, what: str) -> Any:
    """Import an optional library.

    Raises:
        InvalidOption: it is not installed; the message names the pip command.
    """
    try:
        return importlib.import_module(module)
    except ImportError:
        raise InvalidOption(
            f"{what}: needs a library that is not installed: pip install 'sprawl-env[render]'"
        ) from None
