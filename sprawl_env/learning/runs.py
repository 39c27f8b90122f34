"""The folder of a training run: its name, its settings, its rows, and how its progress is shown."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any, Final, TypeVar

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from sprawl_env.bots.policy.checkpoint import remove_unfinished
from sprawl_env.console import console
from sprawl_env.core.errors import InvalidOption
from sprawl_env.core.files import parse_json, read_text, remove_leftovers, write_atomically
from sprawl_env.core.folders import locked_folder
from sprawl_env.core.provenance import provenance

CONFIG: Final = "config.json"
STEP: Final = "step"  # in a row: decisions learned from so far
Settings = TypeVar("Settings", bound=Any)


def run_folder(runs: Path, name: str, usual: str) -> Path:
    """Return the folder of a new run; the usual name gets a number if the folder exists.

    Args:
        runs: the folder of all runs.
        name: of the run; "": the usual one.
        usual: its name if none is given.

    Raises:
        InvalidOption: a name is given and that run exists.
    """
    folder, number = runs / (name or usual), 1
    while (folder / CONFIG).exists():
        if name:
            raise _exists(folder)
        number += 1
        folder = runs / f"{usual}-{number}"
    return folder


def _exists(folder: Path) -> InvalidOption:
    return InvalidOption(
        f"run {str(folder)!r} exists: resume it with --resume {folder}, or use another --name"
    )


@contextmanager
def owned_run(folder: Path, config: Any, gpu: str | None = None, *, new: bool) -> Iterator[None]:
    """Inside the block, this process alone trains in a run's folder.

    What killed processes have left there is deleted, and the settings of a new run are written.

    Args:
        folder: of the run.
        config: its settings, a dataclass with the field ``resume``.
        gpu: name of the GPU that it uses, if any.
        new: whether the run begins; else it is resumed.

    Raises:
        InvalidOption: another process trains there or has just made the run, or the folder cannot
            be made.
    """
    taken = "another process trains there: wait for its end, or use another --name"
    with locked_folder(folder, f"run {str(folder)!r}", taken):
        if not (folder / CONFIG).exists():
            _write_settings(folder, config, gpu)
        elif new:
            raise _exists(folder)
        remove_leftovers(folder)
        remove_unfinished(folder / "checkpoints")
        yield


def _write_settings(folder: Path, config: Any, gpu: str | None) -> None:
    """Write the settings of a new run.

    Raises:
        InvalidOption: the folder cannot be written.
    """
    written: dict[str, Any] = {"config": asdict(replace(config, resume=None)), **provenance()}
    if gpu is not None:
        written["gpu"] = gpu
    try:
        write_atomically(folder / CONFIG, json.dumps(written, indent=1, default=str))
    except OSError as error:
        raise InvalidOption(f"run {str(folder)!r}: cannot be made: {error.strerror}") from None


def read_settings(
    folder: Path, kind: type[Settings], check: Callable[[Settings], None]
) -> Settings:
    """Return the settings of a run that is to be resumed.

    Args:
        folder: of the run.
        kind: the dataclass of the settings; its field ``resume`` is not read.
        check: raises ``InvalidOption`` for values that are not allowed.

    Raises:
        InvalidOption: the run does not exist, or its settings are damaged.
    """
    path = folder / CONFIG
    try:
        written: Mapping[str, Any] = parse_json(read_text(path))["config"]
        own = (field for field in fields(kind) if field.name != "resume")
        values = {field.name: _as_declared(str(field.type), written[field.name]) for field in own}
        config: Settings = kind(**values)
    except FileNotFoundError:
        raise InvalidOption(
            f"resume: {str(path)!r} cannot be read: it does not exist: expected a run's folder"
        ) from None
    except OSError as error:
        raise InvalidOption(f"resume: {str(path)!r} cannot be read: {error.strerror}") from None
    except KeyError as error:
        raise InvalidOption(
            f"resume: {str(path)!r} has no {error.args[0]!r}: it is damaged, of another version or "
            f"of another command (experiments.train, experiments.train_search)"
        ) from None
    except (ValueError, TypeError, AttributeError):
        raise InvalidOption(f"resume: {str(path)!r} is damaged") from None
    try:
        check(config)
    except InvalidOption as error:
        raise InvalidOption(f"resume: {str(path)!r} is damaged: {error}") from None
    return config


def check_kept(folder: Path, given: Mapping[str, Any], own: Any) -> None:
    """Check that a command changes no setting of the run that it resumes.

    Args:
        folder: of the run.
        given: what the command says, by name.
        own: the settings of the run, a dataclass.

    Raises:
        InvalidOption: one is not the run's.
    """
    for name, value in given.items():
        kept = getattr(own, name)
        if name != "resume" and value != kept:
            raise InvalidOption(
                f"{name}={value}: the run {str(folder)!r} keeps its own, {kept or repr(kept)}: "
                f"leave it out, or begin another run with the weights of this one (start)"
            )


def _as_declared(declared: str, value: Any) -> Any:
    """Return a value of JSON as a field of the declared type holds it."""
    if declared.startswith("tuple"):
        return tuple(value)
    if declared.startswith("Path") and value is not None:
        return Path(value)
    return value


def read_rows(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a file of JSON lines, each with a step; damaged lines are left out."""
    try:
        text = read_text(path)
    except OSError:
        return []
    found = []
    for line in text.splitlines():
        try:
            row = parse_json(line)
        except ValueError:
            continue
        if isinstance(row, dict) and type(row.get(STEP)) is int:
            found.append(row)
    return found


def add_row(path: Path, row: Mapping[str, Any]) -> None:
    """Add a row to a file of JSON lines; rows of later steps, of before a resume, are dropped."""
    kept = [old for old in read_rows(path) if old[STEP] < row[STEP]]
    write_atomically(path, "".join(json.dumps(each) + "\n" for each in [*kept, row]))


def progress_bar(field: str = "", *, shown: bool = True) -> Progress:
    """Return a bar with a description, the share done and the time; ``field`` adds a text."""
    columns = [
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TimeElapsedColumn(),
    ]
    if field:
        columns.append(TextColumn(f"{{task.fields[{field}]}}"))
    return Progress(*columns, console=console(), disable=not shown)
