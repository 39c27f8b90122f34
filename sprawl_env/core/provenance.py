"""Provenance of a result: versions, machine, commit and a digest of the code that plays."""

from __future__ import annotations

import hashlib
import platform
import subprocess
from collections.abc import Collection, Iterable
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
    """Return the git commit of the checkout that this file belongs to; None without a checkout.

    An installed package may lie in the folder of another repository, whose commit says nothing of
    this code.
    """
    try:
        _git("ls-files", "--error-unmatch", Path(__file__).name)
        return _git("rev-parse", "HEAD")
    except (OSError, subprocess.CalledProcessError):
        return None


def _git(*words: str) -> str:
    """Return what git prints in this file's folder.

    Raises:
        OSError: git is not installed.
        CalledProcessError: git refuses.
    """
    done = subprocess.run(
        ["git", *words], cwd=Path(__file__).parent, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def code_digest() -> str:
    """Return 16 hex digits that change when the code or data of rules or bots changes."""
    return digest_of(_PACKAGE, _PLAYS, (".py", ".toml"))


def digest_of(root: Path, folders: Iterable[str], suffixes: Collection[str]) -> str:
    """Return 16 hex digits that change with the names and contents of files.

    Args:
        root: the folder that the names are relative to.
        folders: the folders in it whose files count.
        suffixes: the files that count, e.g. ``.py``.
    """
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in suffixes:
                digest.update(path.relative_to(root).as_posix().encode())
                digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
