"""Provenance of a result: versions, machine, commit and a digest of the code that plays."""

from __future__ import annotations

import hashlib
import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

_PACKAGE: Final = Path(__file__).resolve().parents[1]
_PLAYS: Final = ("kernels", "core", "games", "bots")  # folders whose code determines the games
_LIBRARIES: Final = ("sprawl-env", "numpy", "numba", "torch", "stable-baselines3", "sb3-contrib")


def provenance() -> dict[str, Any]:
    """Return versions, machine and commit, which are saved with every result."""
    versions = {"python": platform.python_version()}
    for library in _LIBRARIES:
        try:
            versions[library] = version(library)
        except PackageNotFoundError:
            continue
    return {"versions": versions, "machine": platform.machine(), "commit": commit()}


def commit() -> str | None:
    """Return the git commit of the checkout that contains this file; None without a checkout."""
    try:
        found = subprocess.run(
            ["git", "rev-parse", "HEAD"],
            cwd=Path(__file__).parent,
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return found.stdout.strip()


def code_digest() -> str:
    """Return 16 hex digits that change when the code or data of rules or bots changes."""
    digest = hashlib.sha256()
    for folder in _PLAYS:
        for path in sorted((_PACKAGE / folder).rglob("*")):
            if path.suffix in (".py", ".toml"):
                digest.update(path.relative_to(_PACKAGE).as_posix().encode())
                digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
