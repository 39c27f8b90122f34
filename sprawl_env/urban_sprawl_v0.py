"""*Urban Sprawl* for PettingZoo: ``urban_sprawl_v0.env(num_players=4)``.

Keywords of the game (see its README): ``num_players`` (2 to 4), ``length``, ``max_turns``,
``data``.  Other keywords: ``reward``, ``skip_forced``, ``render_mode`` (``"ansi"``, ``"svg"``,
``"rgb_array"``, ``"human"``).
"""

from typing import Any

from sprawl_env.adapters.aec import BoardGameAEC, wrapped


def raw_env(**kwargs: Any) -> BoardGameAEC:
    """Return the AEC environment without wrappers."""
    return BoardGameAEC("urban_sprawl", **kwargs)


def env(**kwargs: Any) -> Any:
    """Return the AEC environment with PettingZoo's order-enforcing wrapper."""
    return wrapped(raw_env(**kwargs))
