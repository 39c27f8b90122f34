"""Large arrays that are handed out, and written again once nobody refers to them.

A new array of many observations costs more than what is written to it: the operating system gives
its memory page by page.  So an array that was handed out is used again, but only when its owner and
all views of it are gone.
"""

from __future__ import annotations

import sys
from typing import Any, Final

import numpy.typing as npt

from sprawl_env.kernels.memory import memory_for, placed

_KEPT: Final = 4  # arrays that may be used again


class SpareArrays:
    """Arrays of one shape and type.

    Args:
        like: an array of that shape and type.
    """

    def __init__(self, like: npt.NDArray[Any]) -> None:
        self._shape, self._dtype, self._size = like.shape, like.dtype, like.nbytes
        self._owners = [memory_for(self._size)]
        self._alone = sys.getrefcount(self._owners[0])  # the count without a view

    def take(self) -> npt.NDArray[Any]:
        """Return an array to which nobody else refers; its contents are left from earlier."""
        for k in range(len(self._owners)):
            if sys.getrefcount(self._owners[k]) == self._alone:
                break
        else:
            self._owners = [memory_for(self._size), *self._owners[: _KEPT - 1]]
            k = 0
        return placed(self._owners[k], self._shape, self._dtype)
