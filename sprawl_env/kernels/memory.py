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
    pages = -(-size // HUGE_PAGE)
    memory = np.zeros((pages + 1) * HUGE_PAGE, np.uint8)
    first = -memory.ctypes.data % HUGE_PAGE
    return memory[first : first + size].view(kind).reshape(axes)
