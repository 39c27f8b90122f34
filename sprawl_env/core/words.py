"""Numbers of things in words."""

from __future__ import annotations


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun, e.g. ``1 game`` or ``1,500 games``.

    Args:
        number: how many.
        noun: what, in the singular.
        plural: the plural where it is not the singular and an s.
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
