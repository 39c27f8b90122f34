"""A game's heuristic: kernels that rate positions and actions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sprawl_env.core.arguments import check_fields
from sprawl_env.core.errors import InvalidOption


@dataclass(frozen=True, eq=False)
class Heuristic:
    """How good positions and actions are, for the bots greedy, planner and mcts.

    All callables are kernels.  They must not use what the seat to play cannot know.

    Attributes:
        value: ``(tables, games, g, seat) -> float``: how good the position is for a seat, after
            an action of that seat.
        rate: ``(tables, games, action, seat, mask) -> float``: how good an action is in
            ``games[0]``; ``games[1]`` and ``mask`` may be overwritten.  Give it instead of
            ``value`` where the position after the action would show what the seat cannot know.
        plan_value: ``(tables, games, g, side) -> float``: the points that a side is expected to
            have at the end of the game.
        plan_turns: turns that the planner plays before it asks for ``plan_value``.
        expert: the bot that behaviour cloning imitates; it must be fast enough for hundreds of
            thousands of decisions.
    """

    value: Callable[..., float] | None = None
    rate: Callable[..., float] | None = None
    plan_value: Callable[..., float] | None = None
    plan_turns: int = 4
    expert: str = "greedy"

    def __post_init__(self) -> None:
        """Check the types, and that exactly one of ``value`` and ``rate`` is given.

        Raises:
            InvalidOption: a value is of another type, or both or neither are given.
        """
        check_fields(self)
        if (self.value is None) == (self.rate is None):
            raise InvalidOption("Heuristic: expected exactly one of value and rate")
