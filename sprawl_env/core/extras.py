"""Optional libraries, and the one-line error for one that is not installed."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterable, Mapping
from types import ModuleType
from typing import Final

from sprawl_env.core.errors import InvalidOption

EXTRAS: Final[Mapping[str, tuple[str, ...]]] = {
    "train": (
        "torch",
        "stable_baselines3",
        "sb3_contrib",
        "tensorboard",
        "threadpoolctl",
    ),
    "render": ("PIL", "pygame"),
    "analysis": ("openskill", "matplotlib", "polars"),
    "play": ("starlette", "uvicorn", "h11"),
    "open_spiel": ("pyspiel",),
    "torchrl": ("torchrl",),
    "ray": ("ray",),
}
"""The modules that each extra of the package installs."""

_INSTALLED_AS: Final = {
    "PIL": "pillow",
    "pyspiel": "open_spiel",
    "stable_baselines3": "stable-baselines3",
    "sb3_contrib": "sb3-contrib",
}


class MissingExtra(InvalidOption):
    """An optional library that is not installed; the message names the pip command."""


def pip_command(extra: str) -> str:
    """Return the command that installs an extra."""
    return f"pip install 'sprawl-env[{extra}]'"


def missing(modules: Iterable[str]) -> list[str]:
    """Return which of some modules are not installed, by the names that pip uses."""
    return [_INSTALLED_AS.get(m, m) for m in modules if importlib.util.find_spec(m) is None]


def require(module: str, what: str) -> ModuleType:
    """Import and return an optional module.

    Args:
        module: a module named in :data:`EXTRAS`, or one inside of it.
        what: what needs it, as the subject of the error message.

    Raises:
        MissingExtra: it is not installed, or cannot be imported.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        root = module.partition(".")[0]
        extra = next(name for name, modules in EXTRAS.items() if root in modules)
        reason = "is not installed" if missing([root]) else f"cannot be imported ({error})"
    raise MissingExtra(
        f"{what} needs {_INSTALLED_AS.get(root, root)}, which {reason}: {pip_command(extra)}"
    )


def require_extra(extra: str, what: str) -> None:
    """Check that every library of an extra is installed, without importing any.

    Raises:
        MissingExtra: some are not; the message names them.
    """
    absent = missing(EXTRAS[extra])
    if absent:
        names = " and ".join([", ".join(absent[:-1]), absent[-1]] if absent[1:] else absent)
        verb = "is" if len(absent) == 1 else "are"
        raise MissingExtra(
            f"{what} needs {names}, which {verb} not installed: {pip_command(extra)}"
        )
