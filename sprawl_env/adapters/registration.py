"""Puts the games into the registries of Gymnasium and PettingZoo."""

from __future__ import annotations

import importlib
from typing import Any, Final

import gymnasium
import pettingzoo

from sprawl_env.core.registry import GAMES

# games with simultaneous choices (``Verbs.owing``): asking them all would import them all
PARALLEL: Final = ("ginkgopolis",)


def camel_case(name: str) -> str:
    """Return ``TowerUp`` for ``tower_up``."""
    return "".join(part.capitalize() for part in name.split("_"))


def make_gym(game: str, **kwargs: Any) -> Any:
    """Make the Gymnasium environment of a game (the registry's entry point)."""
    return importlib.import_module("sprawl_env.adapters.gym").BoardGameGym(game, **kwargs)


def register_all() -> None:
    """Register ``sprawl_env/TowerUp-v0`` .. and, where PettingZoo has a registry, its ids."""
    for name in GAMES:
        gym_id = f"sprawl_env/{camel_case(name)}-v0"
        if gym_id not in gymnasium.registry:
            gymnasium.register(
                gym_id,
                entry_point="sprawl_env.adapters.registration:make_gym",
                kwargs={"game": name},
            )
        if hasattr(pettingzoo, "register"):  # since PettingZoo 1.27
            zoo_id, module = f"sprawl_env/{name}-v0", f"sprawl_env.{name}_v0"
            if zoo_id not in pettingzoo.aec_registry:
                pettingzoo.register("aec", zoo_id, entry_point=f"{module}:env")
            if name in PARALLEL and zoo_id not in pettingzoo.parallel_registry:
                pettingzoo.register("parallel", zoo_id, entry_point=f"{module}:parallel_env")
