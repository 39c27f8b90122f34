"""Sequential halving at the root as a schedule: how often was visited what a simulation visits.

The schedule depends on the number of actions that are compared and on the number of simulations
alone (Danihelka et al., "Policy improvement by planning with Gumbel", 2022).
"""

from __future__ import annotations

import functools

import numpy as np

from sprawl_env.kernels.arrays import Ints


@functools.cache
def halving(considered: int, sims: int) -> Ints:
    """Return for each simulation the visits that its action has so far, int32 ``[sims]``.

    In each of the ⌈log2 ``considered``⌉ rounds all actions that are left get the same number of
    visits, then the better half stays; the last two stay to the end.

    Args:
        considered: number of actions that are compared, at least 1.
        sims: number of simulations.
    """
    if considered <= 1:
        return _frozen(np.arange(sims, dtype=np.int32))
    rounds = (considered - 1).bit_length()
    found: list[int] = []
    left, visits = considered, 0
    while len(found) < sims:
        for _ in range(max(1, sims // (rounds * left))):
            found += [visits] * left
            visits += 1
        left = max(2, left // 2)
    return _frozen(np.array(found[:sims], np.int32))


def _frozen(found: Ints) -> Ints:
    found.setflags(write=False)
    return found
