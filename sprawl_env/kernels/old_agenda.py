"""The agenda: a stack of pending steps inside a state, with the next step on top.

A record that uses an agenda has the fields ``agenda`` int16 ``[depth, 5]`` and ``agenda_size``
int8.  An entry is ``(step, seat, a, b, c)``: the game's step number, the seat that the step belongs
to, and three arguments.  A rule does not call the rule that follows it: it pushes a step.  So every
step can ask for a decision, and a copy of a state contains everything that is still to happen.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from sprawl_env.kernels.compile import kernel

STEP: Final = 0
SEAT: Final = 1
A: Final = 2
B: Final = 3
C: Final = 4
ENTRY_SIZE: Final = 5


def agenda_fields(depth: int) -> list[tuple[Any, ...]]:
    """Return the dtype fields of an agenda that holds ``depth`` steps."""
    return [("agenda", np.int16, (depth, ENTRY_SIZE)), ("agenda_size", np.int8)]


@kernel
def push(state: Any, step: int, seat: int, a: int = 0, b: int = 0, c: int = 0) -> None:
    """Push a step; it happens before all steps that were pushed earlier."""
    top = int(state.agenda_size)
    entry = state.agenda[top]
    entry[STEP] = step
    entry[SEAT] = seat
    entry[A] = a
    entry[B] = b
    entry[C] = c
    state.agenda_size = top + 1


@kernel
def pop(state: Any) -> None:
    """Remove the top step."""
    state.agenda_size = int(state.agenda_size) - 1


@kernel
def top(state: Any, field: int) -> int:
    """Return one field (``STEP``, ``SEAT``, ``A``, ``B``, ``C``) of the top step."""
    return int(state.agenda[int(state.agenda_size) - 1, field])
