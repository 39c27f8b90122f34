"""*Ginkgopolis* for PettingZoo: ``ginkgopolis_v0.env(num_players=3)``.

Keywords of the game (see its README): ``num_players`` (1 to 5), ``characters``, ``difficulty``,
``open_screens``, ``max_rounds``, ``data``.  Other keywords: ``reward``, ``render_mode``
(``"ansi"``, ``"svg"``, ``"rgb_array"``, ``"human"``) and, except for ``parallel_env``,
``skip_forced``.
"""

from typing import Any

from sprawl_env.adapters.aec import BoardGameAEC, wrapped
from sprawl_env.adapters.parallel import BoardGameParallel


def raw_env(**kwargs: Any) -> BoardGameAEC:
    """Return the AEC environment without wrappers."""
    return BoardGameAEC("ginkgopolis", **kwargs)


def env(**kwargs: Any) -> Any:
    """Return the AEC environment with PettingZoo's order-enforcing wrapper."""
    return wrapped(raw_env(**kwargs))


def parallel_env(**kwargs: Any) -> BoardGameParallel:
    """Return the Parallel environment: seats that choose at the same time act in one step."""
    return BoardGameParallel("ginkgopolis", **kwargs)
