"""*Ginkgopolis* for PettingZoo: ``ginkgopolis_v0.env(num_players=3)``.

Keywords: ``num_players`` (1 to 5), ``characters``, ``difficulty``, ``open_screens``,
``max_rounds``, ``data`` (the game's README), ``reward``, ``render_mode`` (``"ansi"``, ``"svg"``,
``"rgb_array"``, ``"human"``) and, not for
``parallel_env``, ``skip_forced``.
"""

from typing import Any

from sprawl_env.adapters.aec import BoardGameAEC, wrapped
from sprawl_env.adapters.parallel import BoardGameParallel


def raw_env(**kwargs: Any) -> BoardGameAEC:
    """Return the environment without wrappers."""
    return BoardGameAEC("ginkgopolis", **kwargs)


def env(**kwargs: Any) -> Any:
    """Return the wrapped environment."""
    return wrapped(raw_env(**kwargs))


def parallel_env(**kwargs: Any) -> BoardGameParallel:
    """Return the environment in which all who owe an answer give it in one step."""
    return BoardGameParallel("ginkgopolis", **kwargs)
