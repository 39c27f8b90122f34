"""What all kinds of fuzzing share: settings, results that stay, saved failures, progress."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sprawl_env.arena.journal import Journal
from sprawl_env.core.errors import InvalidOption
from sprawl_env.core.files import fits, parse_json, read_text, write_atomically
from sprawl_env.core.provenance import provenance


def check_positive(**counts: int) -> None:
    """Check settings that count something.

    Raises:
        InvalidOption: one is below 1.
    """
    for name, count in counts.items():
        if count < 1:
            raise InvalidOption(f"{name} {count}: expected 1 or more")


def open_journal(out: Path, name: str, settings: dict[str, Any], row: Mapping[str, Any]) -> Journal:
    """Return the journal of a command that is started or goes on.

    Args:
        out: folder of the results; made if it does not exist.
        name: of the journal's file, without ``.jsonl``; ``name.json`` tells what made it.
        settings: those that change what is tried.
        row: the shape of a row, by key (:func:`sprawl_env.arena.journal.fits`).

    Raises:
        InvalidOption: the folder has the results of another command, or they cannot be read.
        PositionError: a row is damaged.
    """
    path = out / f"{name}.json"
    try:
        out.mkdir(parents=True, exist_ok=True)
        known = parse_json(read_text(path))["config"] if path.exists() else settings
    except OSError as error:
        raise InvalidOption(f"{path}: cannot be read: {error.strerror}") from None
    except (ValueError, TypeError, KeyError):
        raise InvalidOption(f"{path}: is damaged: choose another --out") from None
    if known != settings:
        raise InvalidOption(f"{out}: has results of other settings: choose another --out")
    shape = dict(row)
    journal = Journal(out / f"{name}.jsonl", lambda found: fits(found, shape))
    write_atomically(path, json.dumps({"config": settings, **provenance()}, indent=1))
    return journal


def save_failure(out: Path, name: str, content: Any) -> str:
    """Save what failed as ``failures/NAME.json``; return the file's name."""
    folder = out / "failures"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.json"
    write_atomically(path, json.dumps(content))
    return path.name
