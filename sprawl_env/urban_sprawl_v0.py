"""*Urban Sprawl* for PettingZoo: ``urban_sprawl_v0.env(num_players=4)``.

Keywords: ``num_players`` (2 to 4), ``length``, ``max_turns``, ``data`` (the game's README),
``reward``, ``render_mode`` (``"ansi"``, ``"svg"``,
``"rgb_array"``, ``"human"``) and ``skip_forced``.
"""

from typing import Any

from sprawl_env.adapters.aec import BoardGameAEC, wrapped


def raw_env(**kwargs: Any) -> BoardGameAEC:
    """Return the environment without wrappers."""
    return BoardGameAEC("urban_sprawl", **kwargs)


def env(**kwargs: Any) -> Any:
    """Return the wrapped environment."""
    return wrapped(raw_env(**kwargs))
