"""adapters/spare.py: arrays that are used again once nobody refers to them."""

import numpy as np
import pytest

from sprawl_env.adapters.spare import SpareArrays
from sprawl_env.kernels.memory import HUGE_PAGE, SMALL


@pytest.mark.parametrize("shape", [(3, 5), (SMALL, 2), (0, 4)])
@pytest.mark.parametrize("kind", [np.float32, np.int8])
def test_only_an_array_without_references_is_used_again(shape, kind):
    spare = SpareArrays(np.zeros(shape, kind))
    first = spare.take()
    assert (first.shape, first.dtype) == (shape, kind)
    assert first.flags.c_contiguous and first.flags.aligned and first.flags.writeable
    if first.nbytes > SMALL:
        assert first.ctypes.data % HUGE_PAGE == 0
    address, part = first.ctypes.data, first[:1]
    del first
    other = spare.take()  # a view of the first one is left
    assert not np.shares_memory(other, part)
    del part
    assert spare.take().ctypes.data == address


def test_any_number_can_be_kept():
    spare, kept = SpareArrays(np.zeros((2, 3))), []
    for k in range(10):
        kept.append(spare.take())
        kept[k][:] = k
    assert [array.max() for array in kept] == [array.min() for array in kept] == list(range(10))
