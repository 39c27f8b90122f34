"""kernels/memory.py, kernels/stream.py, kernels/prefetch.py: how kernels use memory."""

import itertools

import numba
import numpy as np
import pytest

from sprawl_env.games.urban_sprawl.state import GAME
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.memory import HUGE_PAGE, SMALL, allocate
from sprawl_env.kernels.prefetch import LINE, LIVE_ENTRIES, _lines
from sprawl_env.kernels.stream import stream, to_floats

SHAPES = [0, 5, (0, 7), (3, 0), (3, 5), (1000, 999)]
KINDS = [*itertools.product([np.int8, np.float32], SHAPES), (GAME, 0), (GAME, 3), (GAME, 9990)]


@pytest.mark.parametrize(("kind", "shape"), KINDS)
def test_allocated_memory_is_an_array_of_zeros_that_can_be_written(kind, shape):
    made = allocate(shape, kind)
    assert made.dtype == kind
    assert made.shape == ((shape,) if isinstance(shape, int) else shape)
    assert made.flags.c_contiguous and made.flags.writeable and made.flags.aligned
    assert not made.view(np.uint8).any()


@pytest.mark.parametrize(
    "size", [SMALL + 1, HUGE_PAGE - 1, HUGE_PAGE, HUGE_PAGE + 1, 5 * HUGE_PAGE]
)
def test_large_arrays_begin_at_a_huge_page(size):
    made = allocate(size, np.int8)
    assert made.ctypes.data % HUGE_PAGE == 0
    pages = made
    while pages.base is not None:
        pages = pages.base
    last = made.ctypes.data + -(-size // HUGE_PAGE) * HUGE_PAGE
    assert last <= pages.ctypes.data + pages.nbytes  # the last page belongs to it, too


@kernel
def stream_rows(numbers, scales, out):
    """Write every row by streaming stores."""
    for row in range(numbers.shape[0]):
        stream(numbers[row], scales, out[row])


@pytest.mark.parametrize("size", [*range(1, 35), 63, 64, 65, 257, 926])
def test_streaming_writes_the_same_bytes_and_nothing_else(size):
    rng = np.random.default_rng(size)
    numbers = rng.integers(-128, 128, (9, size), np.int8)
    scales = (1 / rng.integers(1, 128, size)).astype(np.float32)
    expected = np.zeros((9, size), np.float32)
    for row in range(9):
        to_floats(numbers[row], scales, expected[row])
    for before in range(17):  # of the first row, so that rows begin anywhere in a cache line
        memory = np.full(before + 9 * size + 20, np.nan, np.float32)
        rows = memory[before : before + 9 * size].reshape(9, size)
        stream_rows(numbers, scales, rows)
        assert rows.tobytes() == expected.tobytes()
        assert np.isnan(memory[:before]).all()
        assert np.isnan(memory[before + 9 * size :]).all()


def test_prefetching_leaves_out_what_lies_deep_in_the_agenda():
    row = numba.from_dtype(GAME)
    first = GAME.fields["agenda"][1]
    entry = GAME["agenda"].base.itemsize
    deep = range(first + LIVE_ENTRIES * entry, first + GAME["agenda"].itemsize)
    requested = {byte for at in _lines(row) for byte in range(at, at + LINE)}
    missing = set(range(GAME.itemsize)) - requested
    assert missing <= set(deep)
    assert len(missing) > len(deep) - 2 * LINE


@pytest.mark.parametrize("name", ["wealth", "agenda"])
def test_all_of_another_record_is_prefetched(name):
    assert _lines(numba.from_dtype(np.dtype([(name, np.int64, 20)]))) == [0, 64, 128]
    assert _lines(numba.from_dtype(np.dtype([(name, np.int64)]))) == [0]
