"""kernels/codegen.py: the changes to numba's code generation, which affect only kernels."""

import os
import subprocess
import sys

import numba
import numpy as np
import pytest
from numba.core.caching import NullCache
from numba.core.errors import TypingError

from sprawl_env.kernels import codegen
from sprawl_env.kernels.compile import kernel

pytestmark = pytest.mark.compiled

CHECKED = """
import numpy as np
from numba import njit
from numba.core.caching import NullCache
from sprawl_env.kernels.compile import kernel
def read(a, k):
    return a[k]
def write(a, k):
    a[k] = 1
numbers = np.arange(3)
print(njit(read)(numbers, -1))
for function in read, write:
    ours = kernel(function)
    ours._cache = NullCache()
    for k in 2, -1, 3:
        try:
            ours(numbers, k)
        except IndexError:
            print(function.__name__, k)
"""


@pytest.fixture
def kernels():
    """A kernel, and one that calls it twice; neither is loaded from the cache."""

    @kernel(label="collatz")
    def collatz(n):
        steps = 0
        while n > 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        return steps

    @kernel(label="both")
    def both(n, m):
        return collatz(n) + collatz(m)

    collatz._cache = both._cache = NullCache()
    return collatz, both


def linkages(compiled):
    """Return the linkage of each function in a compiled kernel's code, by name."""
    (result,) = compiled.overloads.values()
    functions = result.library._final_module.functions
    return {f.name: f.linkage.name for f in functions if not f.is_declaration}


def test_where_indices_are_checked_a_kernel_may_not_count_from_the_end(tmp_path):
    script = tmp_path / "checked.py"
    script.write_text(CHECKED)
    done = subprocess.run(
        [sys.executable, str(script)],
        check=False,
        env={**os.environ, "NUMBA_BOUNDSCHECK": "1"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n") == ["2", "read -1", "read 3", "write -1", "write 3", ""]


def test_a_kernel_does_not_look_for_negative_indices_and_anybody_elses_function_does():
    def read(a, k):
        return a[k]

    ours = kernel(label="codegen")(read)
    ours._cache = NullCache()
    theirs = numba.njit(lambda a, k: a[k])
    numbers = np.arange(5)
    middle = numbers[2:]  # the elements before it exist in memory
    assert theirs(middle, -1) == 4
    assert ours(middle, -1) == 1


def test_what_python_calls_owns_all_it_calls_and_what_is_called_stays_shared(kernels):
    collatz, both = kernels
    assert both(6, 7) == 8 + 16
    # "internal" functions have a name in the object file; "private" ones have none.
    assert not {"linkonce_odr", "internal"} & set(linkages(both).values())
    assert not {"private", "internal"} & set(linkages(collatz).values())
    assert collatz(6) == 8


def test_a_failed_compilation_ends_its_program(kernels):
    _, both = kernels
    with pytest.raises(TypingError):
        both(None, 1)
    assert not codegen.in_program()
    assert both(6, 7) == 24


def test_where_numba_lacks_a_function_nothing_is_put_in_its_place():
    class Version:
        present = staticmethod(abs)

    codegen._replace(Version, "absent", lambda numbas: numbas)
    codegen._replace(Version, "present", lambda numbas: lambda n: numbas(n) + 1)
    assert not hasattr(Version, "absent")
    assert Version.present(-2) == 3
