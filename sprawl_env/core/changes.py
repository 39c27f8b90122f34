"""What one decision changed, in words and as data: records, and the phrases that games share.

A game's ``changes.py`` compares the states before and after a ply.  The log of the page, the replay
viewer, the terminal and notebooks are all made from what it returns
(:mod:`sprawl_env.replays.telling`).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from sprawl_env.core.state import Games, clone, plain, readable
from sprawl_env.kernels.arrays import Ints

MINUS: Final = "\u2212"
SCORE: Final = "score"  # the kind, and the thing, of changes of a side's points
# Kinds of changes that happen by themselves after a decision; each begins a line of the log.
HEADLINES: Final = frozenset(("act", "automaton", "election", "event", "payout", "phase"))
Pair: TypeAlias = tuple[Any, Any]  # the records before and after a step
_UNCOUNTED: Final = frozenset(("AP", "prestige", "score", "wealth"))


class Change(NamedTuple):
    """One thing that a ply changed.

    Attributes:
        kind: what sort of change it is, e.g. ``gain``; one of ``HEADLINES`` if it begins a line.
        seat: the side that it concerns; NOBODY: none in particular.
        what: the thing that changed, e.g. ``resource``.
        amount: by how much; 0 if it is not a number.
        cause: why, in words; "" if the decision itself is the cause.
        text: the change in words, without the name of the seat; "" if another change tells it.
    """

    kind: str
    seat: int
    what: str = ""
    amount: int = 0
    cause: str = ""
    text: str = ""


class Told(NamedTuple):
    """An action in words, as somebody may know it.

    Attributes:
        text: begins with a verb in its base form, e.g. ``build black on site 12``.
        is_final: False if more of the action is still hidden from this viewer.
    """

    text: str
    is_final: bool = True


def signed(amount: int) -> str:
    """Return a number with its sign, e.g. ``+2``; a negative one has a true minus sign."""
    return f"+{amount}" if amount >= 0 else f"{MINUS}{-amount}"


def signed_count(amount: int, noun: str) -> str:
    """Return a signed number of things, e.g. ``+2 tiles``."""
    ending = "" if abs(amount) == 1 or noun in _UNCOUNTED else "s"
    return f"{signed(amount)} {noun}{ending}"


def moved(seat: int, what: str, amount: int, cause: str = "", kind: str = "") -> list[Change]:
    """Return the change of a seat's count of things; none if the count stays the same.

    Args:
        seat: whose count changed.
        what: the things, in the singular.
        amount: by how much.
        cause: why.
        kind: "": ``gain`` or ``pay`` by the sign.
    """
    if amount == 0:
        return []
    named = kind or ("gain" if amount > 0 else "pay")
    return [Change(named, seat, what, amount, cause, signed_count(amount, what))]


def scored(before: Mapping[str, Ints], after: Mapping[str, Ints]) -> list[Change]:
    """Return the changes of all sides' points, one for each side and source of points.

    Args:
        before: for each source, what it gives to each side.
        after: the same after the ply.
    """
    changes = []
    for source, points in after.items():
        for side in range(len(points)):
            amount = int(points[side]) - int(before[source][side])
            if amount:
                text = signed_count(amount, SCORE) + (f" from {source}" if source else "")
                changes.append(Change(SCORE, side, SCORE, amount, source, text))
    return changes


def untold(changes: Iterable[Change], *sources: str) -> list[Change]:
    """Return changes of points; those from ``sources`` get no words, as others tell them."""
    return [change._replace(text="") if change.cause in sources else change for change in changes]


def in_parts(trace: Any, game: Any, before: Games, g: int, action: int) -> Iterator[Pair]:
    """Carry out a ply step by step on a copy; yield the records before and after each step.

    The first step is the decision, the others are automatic.  Both records are valid until the next
    step.

    Args:
        trace: the module ``rules/trace.py`` of the game.
        game: a :class:`~sprawl_env.core.game.Game`.
        before: the batch before the ply.
        g: index of the game.
        action: the legal action that is played.
    """
    tables, trial = plain(game.tables), clone(before, slice(g, g + 1))
    games, new = plain(trial), readable(trial)[0]
    for step in itertools.count():
        old = readable(clone(trial))[0]
        if step == 0:
            trace.decide(tables, games, 0, action)
        elif not trace.do_next(tables, games, 0):
            return
        yield old, new


def by_source(
    trace: Any, sources: Sequence[str], game: Any, games: Games, g: int
) -> dict[str, Ints]:
    """Return where the points come from: for each source, the points of every side.

    Args:
        trace: the module ``rules/trace.py`` of the game, whose ``write_parts`` is called.
        sources: the names of what it writes, in order.
        game: a :class:`~sprawl_env.core.game.Game`.
        games: the batch.
        g: index of the game.
    """
    out = np.zeros((len(sources), game.num_sides), np.int32)
    trace.write_parts(plain(game.tables), plain(games), g, out)
    return dict(zip(sources, out, strict=True))


def members(bits: Any) -> list[int]:
    """Return the members of a set that is stored as bits, in ascending order."""
    left, found = int(bits), []
    while left:
        lowest = left & -left
        found.append(lowest.bit_length() - 1)
        left ^= lowest
    return found
