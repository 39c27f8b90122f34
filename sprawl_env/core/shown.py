"""A position as a notebook shows it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, repr=False)
class Shown:
    """A picture of a position, made by :meth:`sprawl_env.core.game.Game.show`.

    A notebook shows the picture if the object is the last value of a cell (``_repr_svg_``);
    elsewhere it is printed as one line.  It does not change when the game goes on.

    Attributes:
        svg: the picture as SVG text.
        says: one line: the game, the ply, and the decision or the result as far as the viewer may
            know it.
    """

    svg: str
    says: str

    def _repr_svg_(self) -> str:
        """Return the picture; called by notebooks."""
        return self.svg

    def __repr__(self) -> str:
        return f"<{self.says}>"
