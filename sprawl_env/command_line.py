"""What this package's own commands do alike: bad input is one line and an exit code."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Final

from sprawl_env.core.errors import SprawlError

USAGE_ERROR: Final = 2


def run(work: Callable[[], object]) -> int:
    """Do the work; returns the exit code, after an error of bad input printed in one line."""
    try:
        work()
    except SprawlError as error:
        sys.stderr.write(f"error: {error}\n")
        return USAGE_ERROR
    return 0
