"""Damage to the JSON text of a position."""

import numpy as np


def spoil(state, field, where, value):
    """Set one number of a field to ``value``; of the agenda, one that a pending step has.

    Args:
        state: the fields of a position, changed in place.
        field: name of the field.
        where: which of its numbers, 0 the first, towards 1 the last.
        value: the new number.
    """
    if field == "agenda":
        pending = state["agenda"][: state["agenda_size"]]
        numbers = [(entry, name) for entry in pending for name in entry]
        entry, name = numbers[int(where * len(numbers))]
        entry[name] = value
        return
    whole = np.array(state[field])
    whole.reshape(-1)[int(where * whole.size)] = value
    state[field] = whole.tolist()
