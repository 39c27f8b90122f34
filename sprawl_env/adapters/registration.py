"""Registering games: in this package's register, and with Gymnasium and PettingZoo."""

from __future__ import annotations

import importlib
from typing import Any

import gymnasium
import pettingzoo

from sprawl_env.core import registry
from sprawl_env.core.arguments import checked
from sprawl_env.core.errors import InvalidOption
from sprawl_env.core.heuristic import Heuristic
from sprawl_env.core.rules import GameRules


def camel_case(name: str) -> str:
    """Return ``TowerUp`` for ``tower_up``."""
    return "".join(part.capitalize() for part in name.split("_"))


@checked
def register(
    rules: GameRules | str,
    *,
    name: str | None = None,
    heuristic: Heuristic | str | None = None,
    parallel: bool | None = None,
) -> None:
    """Register a game, so that every function that takes a name knows it.

    Call it at the end of the module that defines the rules.  Another process knows the game when
    it has imported that module; a command imports it when it is given the game's import path.

    The game gets the ids ``sprawl_env/CamelName-v0`` in Gymnasium and ``sprawl_env/name-v0`` in
    PettingZoo.

    Args:
        rules: the game, or the import path ``"module:RULES"`` by which it is imported when it is
            first asked for.
        name: the game's name; needed with an import path.
        heuristic: what the bots greedy, planner and mcts think of positions, or its import path;
            without one they look at the score.
        parallel: whether seats may choose at the same time; needed with an import path if so.

    Raises:
        InvalidOption: a name is missing, not an identifier, or belongs to another game.  A game
            may be registered again, by the same import path or from the same file; with another
            heuristic, once bots have played, only as a copy (``dataclasses.replace(RULES)``).
    """
    if isinstance(rules, GameRules):
        if name not in (None, rules.name):
            raise InvalidOption(f"register: name={name!r}: expected {rules.name!r} as in the rules")
        name = rules.name
        parallel = rules.kernels.owing is not None and rules.wait is not None
    elif name is None:
        raise InvalidOption(f"register({rules!r}): an import path needs a name=")
    registry.check(name, rules, heuristic)
    _check_camel_case(name)
    registry.add(name, rules, heuristic)
    _register_gymnasium(name)
    _register_pettingzoo(name, bool(parallel))


def _check_camel_case(name: str) -> None:
    """Refuse a name whose Gymnasium id belongs to another game."""
    for other in registry.game_names():
        if other != name and camel_case(other) == camel_case(name):
            raise InvalidOption(
                f"register: name {name!r}: its Gymnasium id {camel_case(name)}-v0 is that of "
                f"{other!r}: choose another name"
            )


def _register_gymnasium(name: str) -> None:
    gym_id = f"sprawl_env/{camel_case(name)}-v0"
    if gym_id not in gymnasium.registry:
        gymnasium.register(
            gym_id,
            entry_point=f"{__name__}:make_gym",
            vector_entry_point=f"{__name__}:make_gym_vector",
            kwargs={"game": name},
        )


def _register_pettingzoo(name: str, parallel: bool) -> None:
    if not hasattr(pettingzoo, "register"):  # PettingZoo before 1.27 has no registry
        return
    zoo_id = f"sprawl_env/{name}-v0"
    if zoo_id not in pettingzoo.aec_registry:
        pettingzoo.register(
            "aec", zoo_id, entry_point=f"{__name__}:make_aec", kwargs={"game": name}
        )
    if parallel and zoo_id not in pettingzoo.parallel_registry:
        pettingzoo.register(
            "parallel", zoo_id, entry_point=f"{__name__}:make_parallel", kwargs={"game": name}
        )


def make_gym(game: str, **kwargs: Any) -> Any:
    """Make the Gymnasium environment of a game (the entry point of Gymnasium's registry)."""
    return importlib.import_module("sprawl_env.adapters.gym").BoardGameGym(game, **kwargs)


def make_gym_vector(game: str, num_envs: int, **kwargs: Any) -> Any:
    """Make the vector environment of a game (the vector entry point of Gymnasium's registry)."""
    module = importlib.import_module("sprawl_env.adapters.gym_vector")
    return module.BoardGameVectorEnv(game, num_envs, **kwargs)


def make_aec(game: str, **kwargs: Any) -> Any:
    """Make the wrapped AEC environment of a game (the entry point of PettingZoo's registry)."""
    aec = importlib.import_module("sprawl_env.adapters.aec")
    return aec.wrapped(aec.BoardGameAEC(game, **kwargs))


def make_parallel(game: str, **kwargs: Any) -> Any:
    """Make the Parallel environment of a game (the entry point of PettingZoo's registry)."""
    return importlib.import_module("sprawl_env.adapters.parallel").BoardGameParallel(game, **kwargs)
