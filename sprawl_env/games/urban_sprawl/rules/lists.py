"""Lists of effects on the agenda (US §7, ruling U18)."""

from __future__ import annotations

from sprawl_env.games.urban_sprawl.state import State
from sprawl_env.games.urban_sprawl.steps import (
    Stage,
    Step,
)
from sprawl_env.kernels.agenda import pop, push, top
from sprawl_env.kernels.compile import kernel


@kernel
def push_effects(state: State, seat: int, first: int, count: int) -> None:
    """Queue a list of effects, which are run for ``seat``."""
    entry = push(state, Step.EFFECTS, seat)
    entry.effect = first
    entry.left = count


@kernel
def next_effect(state: State) -> None:
    """Start the next effect of a list."""
    entry = top(state)
    seat, e, left = int(entry.seat), int(entry.effect), int(entry.left)
    pop(state)
    if left:
        push_effects(state, seat, e + 1, left - 1)
        entry = push(state, Step.EFFECT, seat)
        entry.effect = e
        entry.stage = Stage.WHO
