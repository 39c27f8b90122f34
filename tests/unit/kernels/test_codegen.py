"""kernels/codegen.py and libraries.py: how kernels are compiled; nobody else's functions change."""

import os
import subprocess
import sys

import numba
import numpy as np
import pytest
from numba.core.caching import NullCache
from numba.core.codegen import CPUCodeLibrary
from numba.core.errors import NumbaError, TypingError
from numba.np import arrayobj

from sprawl_env.kernels.compile import kernel

pytestmark = pytest.mark.compiled

CHECKED = """
import numpy as np
from numba import njit
from sprawl_env.kernels.compile import kernel

def read(a, k): return a[k]
def write(a, k): a[k] = 1
def add(a, k): a[k] += 1
def read_second(b, k): return b[1, k]
def read_first(b, k): return b[k, 1]
def write_second(b, k): b[1, k] = 7
def read_row(b, k): return b[k][1]
def slice_row(b, k): return b[k, 0:2].sum()
def read_record(r, k): return r[k].wealth[0]
def read_field(r, k): return r[1].wealth[k]
def write_field(r, k): r[1].wealth[k] = 3
def read_grid(r, k): return r[1].grid[1, k]
def write_grid(r, k): r[1].grid[k, 1] = 3

numbers, table = np.arange(3), np.arange(9).reshape(3, 3)
fields = [("x", "i8"), ("wealth", "i2", (3,)), ("grid", "i1", (3, 3))]
records = np.zeros(3, fields).view(np.recarray)
assert njit(read)(numbers, -1) == 2

def check(function, array):
    @kernel
    def outer(array, k):
        return inner(array, k)

    inner = kernel(function)
    for each in inner, outer:
        for index in (1, 2, -1, np.int8(-1), 3):
            try:
                each(array, index)
                failed = False
            except IndexError:
                failed = True
            assert failed == (index not in (1, 2)), (function, index)

for function in read, write, add:
    check(function, numbers)
for function in read_first, read_second, write_second, read_row, slice_row:
    check(function, table)
for function in read_record, read_field, write_field, read_grid, write_grid:
    check(function, records)
print("checked")
"""


def fresh(function=None, *, label=""):
    """Return a kernel that is not loaded from the cache."""
    if function is None:
        return lambda inner: fresh(inner, label=label)
    made = kernel(label=label)(function)
    made._cache = made.part._cache = NullCache()
    return made


@pytest.fixture
def kernels():
    """A kernel, and one that calls it twice."""

    @fresh(label="collatz")
    def collatz(n):
        steps = 0
        while n > 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        return steps

    @fresh(label="both")
    def both(n, m):
        return collatz(n) + collatz(m)

    return collatz, both


def linkages(compiled):
    """Return the linkage of each function in a compiled kernel's code."""
    (result,) = compiled.overloads.values()
    functions = result.library._final_module.functions
    return {f.linkage.name for f in functions if not f.is_declaration}


def test_where_indices_are_checked_a_kernel_may_not_count_from_the_end():
    done = subprocess.run(
        [sys.executable, "-c", CHECKED],
        check=False,
        env={**os.environ, "NUMBA_BOUNDSCHECK": "1"},
        capture_output=True,
        text=True,
        timeout=500,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "checked\n"


def test_a_kernel_does_not_look_for_negative_indices_and_anybody_elses_function_does():
    def read(a, k):
        return a[k]

    def read_first(b, k):
        return b[k, 0]

    ours, ours_first = fresh(read), fresh(read_first)
    # of the same module and name as a kernel
    theirs, theirs_first = numba.njit(read), numba.njit(read_first)
    numbers = np.arange(5)
    middle = numbers[2:]  # the elements before it exist in memory
    assert theirs(middle, -1) == 4
    assert ours(middle, -1) == 1
    table = np.arange(10).reshape(5, 2)
    assert theirs_first(table[2:], -1) == 8
    assert ours_first(table[2:], -1) == 2


def test_nothing_of_numbas_is_replaced():
    assert arrayobj.fix_integer_index.__module__ == "numba.np.arrayobj"
    assert CPUCodeLibrary._optimize_final_module.__module__ == "numba.core.codegen"
    assert numba.njit(lambda a: a[-1])(np.arange(3)) == 2


def test_a_negative_constant_as_an_index_of_an_array_is_an_error():
    for read in (lambda a: a[-1, 0], lambda a: a[0, -1]):
        with pytest.raises(NumbaError, match="counts from the start"):
            fresh(read)(np.zeros((2, 2)))
    assert fresh(lambda a: a.shape[-1])(np.zeros((2, 3))) == 3  # a tuple is no array


def test_what_python_calls_owns_all_it_calls_and_what_is_called_stays_shared(kernels):
    collatz, both = kernels
    assert both(6, 7) == 8 + 16
    # "internal" functions have a name in the object file; "private" ones have none.
    assert not {"linkonce_odr", "internal"} & linkages(both)
    assert not {"private", "internal"} & linkages(collatz.part)
    assert not collatz.overloads  # it has no machine code of its own yet
    assert collatz(6) == 8


def test_a_failed_compilation_leaves_a_kernel_that_can_be_compiled(kernels):
    _, both = kernels
    with pytest.raises(TypingError):
        both(None, 1)
    assert both(6, 7) == 24


def test_whole_numbers_of_all_kinds_share_one_part(kernels):
    collatz, _ = kernels

    @fresh
    def total(a, b):
        return collatz(a[0]) + collatz(b[0]) + collatz(7)

    assert total(np.array([6], np.int8), np.array([6], np.uint16)) == 32
    assert len(collatz.part.overloads) == 1


def test_anybody_elses_function_may_call_kernels(kernels):
    collatz, both = kernels

    @numba.njit
    def theirs(n):
        return both(n, n) + collatz(n)

    assert theirs(7) == 48


def test_a_kernel_may_call_itself():
    @fresh
    def factorial(n):
        return 1 if n <= 1 else n * factorial(n - 1)

    assert factorial(5) == 120


def test_a_part_is_linked_after_all_that_call_it():
    @fresh
    def leaf(a: np.ndarray, k: int) -> int:
        total = 0
        for j in range(a.size):
            total += a[j] * k + j * (total % 7)
        return total

    @fresh
    def middle(a: np.ndarray, k: int, plain: bool) -> int:
        best = -1
        for j in range(a.size):
            best = max(best, a[j] if plain else leaf(a, j))
        return best

    @fresh
    def outer(a: np.ndarray, k: int) -> int:
        if k == 1:
            return middle(a, k, True)  # does not call leaf
        return middle(a, k, False)

    @fresh
    def all_of_them(a: np.ndarray, k: int) -> int:
        return outer(a, k) + leaf(a, k)

    assert [outer(np.arange(10), k) for k in (1, 2)] == [9, 572]
    found = [all_of_them(np.arange(10), k) for k in (1, 2)]  # it jumped to address 0
    assert found == [253, 829]


@pytest.mark.parametrize(
    ("from_outside", "says"),
    [
        (True, "outside: calls kernels that call each other in a circle"),
        (False, "compiler re-entrant to the same function signature"),  # numba's own
    ],
)
def test_kernels_that_call_each_other_in_a_circle_are_refused(from_outside, says):
    @fresh
    def even(n):
        if n == 0:
            return True
        return odd(n - 1)

    @fresh
    def odd(n):
        if n == 0:
            return False
        return even(n - 1)

    @fresh
    def outside(n):
        return even(n)

    with pytest.raises(NumbaError, match=says):
        (outside if from_outside else even)(4)
