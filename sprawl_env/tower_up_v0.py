"""*Tower Up* for PettingZoo: ``tower_up_v0.env(num_players=3)``.

Keywords: ``num_players`` (2 to 4), ``objectives``, ``starting_floors``, ``max_turns``, ``data``
(the game's README), ``reward``, ``skip_forced`` and ``render_mode`` (``"ansi"``, ``"svg"``,
``"rgb_array"``, ``"human"``).
"""

from typing import Any

from sprawl_env.adapters.aec import BoardGameAEC, wrapped


def raw_env(**kwargs: Any) -> BoardGameAEC:
    """Return the environment without wrappers."""
    return BoardGameAEC("tower_up", **kwargs)


def env(**kwargs: Any) -> Any:
    """Return the wrapped environment."""
    return wrapped(raw_env(**kwargs))
