"""Types of the arrays that kernels take."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Mask: TypeAlias = npt.NDArray[np.int8]
Floats: TypeAlias = npt.NDArray[np.float32]
Ints: TypeAlias = npt.NDArray[np.int32]
Index: TypeAlias = npt.NDArray[np.int64]
