"""The cores of this machine that the process may use."""

from __future__ import annotations

import os


def usable_cores() -> int:
    """Return how many cores the process may use: all, or those of ``taskset`` or of a Slurm job."""
    if hasattr(os, "sched_getaffinity"):  # not on macOS and Windows
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
