"""kernels/scratch.py: a stack array is a kernel's own."""

import numpy as np

from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.scratch import SIZE, new_numbers


@kernel
def total_to(numbers, last):
    total = 0
    for k in range(last):
        total += numbers[k]
    return total


@kernel
def squares(last):
    numbers = new_numbers()
    for k in range(last):
        numbers[k] = k * k
    return total_to(numbers, last)


@kernel
def nested(last):
    """Each level has memory of its own, in a loop too."""
    numbers = new_numbers()
    for k in range(last):
        numbers[k] = squares(k)
    return total_to(numbers[:last], last)


def test_a_stack_array_holds_what_is_written():
    assert squares(SIZE) == sum(k * k for k in range(SIZE))


def test_each_call_has_an_array_of_its_own():
    assert nested(SIZE) == sum(sum(i * i for i in range(k)) for k in range(SIZE))


def test_it_is_int32():
    @kernel(label="scratch test")
    def large():
        numbers = new_numbers()
        numbers[0] = 2**31 - 1
        return numbers[0]

    assert large() == np.iinfo(np.int32).max
