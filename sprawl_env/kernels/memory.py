"""Memory for large arrays that kernels walk.

A processor finds memory fastest in huge pages.  numpy asks the operating system (Linux) for them,
for arrays of 4 MiB and more, but an array that begins or ends inside a huge page is not in one
there, and smaller arrays never are.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
import numpy.typing as npt

HUGE_PAGE: Final = 2 << 20  # bytes
SMALL: Final = 1 << 18  # bytes up to which an array stays as numpy makes it


def allocate(shape: int | tuple[int, ...], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """Return an array of zeros; a large one begins at a huge page and fills its last one."""
    kind = np.dtype(dtype)
    axes = (shape,) if isinstance(shape, int) else shape
    size = math.prod(axes) * kind.itemsize
    if size <= SMALL:
        return np.zeros(axes, kind)
    return placed(memory_for(size), axes, kind)


def memory_for(size: int) -> npt.NDArray[np.uint8]:
    """Return memory in which :func:`placed` puts an array of ``size`` bytes, all zeros."""
    pages = -(-size // HUGE_PAGE)
    return np.zeros(size if size <= SMALL else (pages + 1) * HUGE_PAGE, np.uint8)


def placed(
    memory: npt.NDArray[np.uint8], shape: tuple[int, ...], dtype: np.dtype[Any]
) -> npt.NDArray[Any]:
    """Return an array in memory from :func:`memory_for`; it does not own the memory."""
    size = math.prod(shape) * dtype.itemsize
    first = 0 if size <= SMALL else -memory.ctypes.data % HUGE_PAGE
    return memory[first : first + size].view(dtype).reshape(shape)
