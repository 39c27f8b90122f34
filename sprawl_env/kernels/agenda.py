"""The agenda: a stack of pending steps inside a state, with the next step on top.

A game declares the entries of its agenda as a subclass of :class:`AgendaEntry`, which names the
arguments of its steps, and its state as a subclass of :class:`Record` with two fields::

    class Entry(AgendaEntry):
        card = argument(0, "PERMITS: the contract")
        effect = argument(0, "TARGET, SAVE: the effect")
        site = argument(1, "PERMITS: id of the footprint")

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

from typing import Final, Protocol, TypeVar

import numpy as np

from sprawl_env.kernels.compile import as_python, kernel
from sprawl_env.kernels.records import Record, Records, number, shared

NUM_ARGUMENTS: Final = 3


def argument(place: int, meaning: str) -> int:
    """Declare an argument of some steps; steps that use the same place share its storage.

    Raises:
        ValueError: there is no such place.
    """
    if place not in range(NUM_ARGUMENTS):
        raise ValueError(f"place {place}: expected 0..{NUM_ARGUMENTS - 1}")
    return shared(place, np.int16, meaning)


class AgendaEntry(Record):
    """A pending step; games name its arguments in a subclass."""

    step = number(np.int16, "the game's step")
    seat = number(np.int16, "the seat that the step belongs to")
    first = shared(0, np.int16, "argument 0, whatever its name")
    second = shared(1, np.int16, "argument 1, whatever its name")
    third = shared(2, np.int16, "argument 2, whatever its name")


E = TypeVar("E", bound=AgendaEntry)


class HasAgenda(Protocol[E]):
    """A state with an agenda."""

    agenda: Records[E]
    agenda_size: int


@kernel
def push(state: HasAgenda[E], step: int, seat: int) -> E:
    """Push a step, whose arguments are 0, and return its entry.

    It happens before all steps that were pushed earlier.
    """
    size = int(state.agenda_size)
    entry = state.agenda[size]
    entry.step = step
    entry.seat = seat
    entry.first = 0
    entry.second = 0
    entry.third = 0
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


top_entry = as_python(top)  # for code that is not a kernel


@kernel
def clear_agenda(state: HasAgenda[E]) -> None:
    """Remove all steps and their arguments."""
    state.agenda_size = 0
    for k in range(state.agenda.size):
        entry = state.agenda[k]
        entry.step = 0
        entry.seat = 0
        entry.first = 0
        entry.second = 0
        entry.third = 0
