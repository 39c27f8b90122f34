"""The agenda: a stack of pending steps inside a state, with the next step on top.

A game declares the entries of its agenda as a subclass of :class:`AgendaEntry`, which names the
arguments of its steps, and its state as a subclass of :class:`Record` with two fields::

    class Entry(AgendaEntry):
        card = argument("PERMITS: the contract")
        effect = argument("TARGET, SAVE: the effect")
        site = argument("PERMITS: id of the footprint")

    class State(CommonState):
        agenda = records(Entry, AGENDA_DEPTH, "pending steps, the next one last")
        agenda_size = number(np.int8, "number of pending steps")

A rule does not call the rule that follows it: it pushes a step and sets its arguments by name::

    entry = push(state, Step.PERMITS, seat)
    entry.card = card

So every step can ask for a decision, and a copy of a state contains everything that is still to
happen.  An entry is a view of the state: read what you need from ``top(state)`` before you push or
pop.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeVar

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, types
from numba.extending import intrinsic

from sprawl_env.kernels.compile import JIT, kernel
from sprawl_env.kernels.records import Record, Records, number


def argument(meaning: str, kind: type[np.generic] = np.int16) -> int:
    """Declare an argument that some steps have; it is 0 in the entries of other steps."""
    return number(kind, meaning)


class AgendaEntry(Record):
    """A pending step; games name its arguments in a subclass."""

    step = number(np.int8, "the game's step")
    seat = number(np.int8, "the seat that the step belongs to")


E = TypeVar("E", bound=AgendaEntry)


class HasAgenda(Protocol[E]):
    """A state with an agenda."""

    agenda: Records[E]
    agenda_size: int


@intrinsic  # type: ignore[untyped-decorator]  # numba has no types
def _fill_with_zeros(typing_context: Any, records: Any, k: Any) -> Any:
    """Set all bytes of one record of an array to 0."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        length = cgutils.unpack_tuple(builder, array.strides)[0]
        start = builder.mul(arguments[1], length)
        place = cgutils.pointer_add(builder, array.data, start, ir.IntType(8).as_pointer())
        cgutils.memset(builder, place, length, 0)
        return context.get_dummy_value()

    return types.void(records, types.intp), generate


if JIT:

    @kernel
    def clear_entry(entries: Records[E], k: int) -> None:
        """Set all fields of an entry to 0."""
        _fill_with_zeros(entries, k)

else:

    def clear_entry(entries: Any, k: int) -> None:
        """Set all fields of an entry to 0."""
        entries[k] = np.zeros((), entries.dtype)


@kernel
def push(state: HasAgenda[E], step: int, seat: int) -> E:
    """Push a step, whose arguments are 0, and return its entry.

    It happens before all steps that were pushed earlier.  Called from Python, a compiled kernel
    returns a copy of the entry: set arguments in ``state.agenda``.
    """
    size = int(state.agenda_size)
    entry = state.agenda[size]  # before it is cleared, which checks no index
    clear_entry(state.agenda, size)
    entry.step = step
    entry.seat = seat
    state.agenda_size = size + 1
    return entry


@kernel
def pop(state: HasAgenda[E]) -> None:
    """Remove the top step."""
    state.agenda_size = int(state.agenda_size) - 1


@kernel
def top(state: HasAgenda[E]) -> E:
    """Return the entry of the top step, a view."""
    return state.agenda[int(state.agenda_size) - 1]


@kernel
def clear_agenda(state: HasAgenda[E]) -> None:
    """Remove all steps and their arguments."""
    state.agenda_size = 0
    for k in range(state.agenda.size):
        clear_entry(state.agenda, k)
