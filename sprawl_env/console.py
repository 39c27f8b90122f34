"""What all commands share: one-line errors, game options, tables."""

from __future__ import annotations

import errno
import io
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NoReturn, TypeVar

import tyro
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)

from sprawl_env.core.errors import InvalidOption, SprawlError, unknown
from sprawl_env.core.files import is_special
from sprawl_env.core.game import Game
from sprawl_env.core.words import counted

T = TypeVar("T")
USAGE_ERROR = 2
STOPPED = 130  # as shells have it after Ctrl-C
SECONDS_A_LINE: Final = 60.0  # of progress, where there is no terminal
SPEED_PERIOD: Final = 3600.0  # seconds before now whose work tells the time left
_FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EIO)  # nothing more can be written


def fail(message: str) -> NoReturn:
    """Print one line on standard error and exit with code 2."""
    sys.stderr.write(f"error: {message}\n")
    raise SystemExit(USAGE_ERROR)


def run(
    main: Callable[[T], object],
    config_type: type[T],
    presets: Mapping[str, T] | None = None,
    *,
    resumed: Callable[[Path], T] | None = None,
    arguments: Sequence[str] | None = None,
    prog: str | None = None,
) -> None:
    """Parse a command line into ``config_type`` and call ``main`` with it.

    Bad input ends the process with one line and exit code 2, without a traceback.

    Args:
        main: the command.
        config_type: a dataclass, or a union of dataclasses that become subcommands.
        presets: configurations by name; ``--preset NAME`` selects one as the defaults, which the
            other flags override.  The first is the default.
        resumed: returns the configuration of the run in a folder; ``--resume FOLDER`` takes it as
            the defaults, so that ``main`` sees what the command line changes.
        arguments: the words of the command line; default: those of this process.
        prog: the name of the command in its help text.
    """
    _prepare_output()
    try:
        if presets is None:
            config = tyro.cli(config_type, args=arguments, prog=prog)
        else:
            default = _defaults(arguments, presets, resumed)
            config = tyro.cli(config_type, args=arguments, prog=prog, default=default)
        main(config)
        sys.stdout.flush()  # here, where it is known what to do if nobody reads
    except SprawlError as error:
        fail(str(error))
    except KeyboardInterrupt:
        sys.stderr.write("stopped\n")
        raise SystemExit(STOPPED) from None
    except BrokenPipeError:  # the program that reads the output has ended
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(1) from None
    except OSError as error:
        if error.errno not in _FULL:
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        fail(f"the output cannot be written: {error.strerror}")


def _prepare_output() -> None:
    """Let every text be printed: also where output is closed or its encoding lacks letters."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - to the end
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


@dataclass(frozen=True)
class _Chosen:
    preset: str = ""
    resume: Path | None = None


def _defaults(
    arguments: Sequence[str] | None,
    presets: Mapping[str, T],
    resumed: Callable[[Path], T] | None,
) -> T:
    """Return the configuration that a command line changes; arguments as of :func:`run`.

    Raises:
        UnknownName: there is no such preset.
    """
    words = sys.argv[1:] if arguments is None else arguments
    try:
        chosen, _ = tyro.cli(
            _Chosen, args=words, add_help=False, return_unknown_args=True, console_outputs=False
        )
    except SystemExit:  # a flag without its value, as the whole command line's parser will say
        chosen = _Chosen()
    name = chosen.preset or next(iter(presets))
    if name not in presets:
        raise unknown("preset", name, presets)
    if chosen.resume is not None and resumed is not None:
        return resumed(chosen.resume)
    return presets[name]


def parse_options(words: Sequence[str]) -> dict[str, Any]:
    """Return game options from ``name=value`` words.

    Whole numbers of at most 18 digits become ints, ``true`` and ``false`` become bools, unless they
    name the folder ``data``.

    Raises:
        InvalidOption: a word without ``=``, an option that is given twice, or the number of seats.
    """
    options: dict[str, Any] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name:
            raise InvalidOption(f"option {word!r}: expected name=value, e.g. objectives=start")
        if name == "num_players":
            raise InvalidOption(f"option {word!r}: the number of seats has a flag of its own")
        if name in options:
            raise InvalidOption(f"option {word!r}: {name} is given twice")
        if name == "data":  # a folder, whatever it is called
            options[name] = value
        elif value.lower() in ("true", "false"):
            options[name] = value.lower() == "true"
        else:
            options[name] = int(value) if re.fullmatch(r"-?[0-9]{1,18}", value) else value
    return options


def option_words(game: Game) -> tuple[str, ...]:
    """Return the ``name=value`` words that :func:`parse_options` reads back.

    Options with their default value and the number of seats are left out.
    """
    words = [
        f"{name}={str(value).lower() if isinstance(value, bool) else value}"
        for name, value in game.options.items()
        if name != "num_players" and value != game.rules.options[name].default
    ]
    if game.data_folder is not None:
        words.append(f"data={game.data_folder}")
    return tuple(words)


def check_writable(path: Path, name: str = "out") -> None:
    """Check that a file can be written, before any work is done for it.

    Raises:
        InvalidOption: the path is a folder, a pipe or a device, or its folder cannot be made or
            written.
    """
    where = f"{name}={str(path)!r}"
    try:
        if path.is_dir():
            raise InvalidOption(f"{where}: expected a file, this is a folder")
        if is_special(path):
            raise InvalidOption(f"{where}: expected a file, this is a pipe or a device")
        place = Path(os.path.realpath(path)) if path.is_symlink() else path.absolute()
        folder = next(parent for parent in place.parents if parent.exists())
        usable = folder.is_dir() and os.access(folder, os.W_OK)
    except OSError as error:  # a folder on the way is not readable, or the name is too long
        raise InvalidOption(f"{where}: cannot be written: {error.strerror}") from None
    if not usable:
        raise InvalidOption(f"{where}: cannot be written: {folder} is not writable")


def console() -> Console:
    """Return the console for tables and progress; 110 columns when it is not a terminal."""
    return Console(width=None if sys.stdout.isatty() else 110, emoji=False)


class _Lines(Progress):
    """Progress without a terminal: a line a minute on standard error, so not for short work."""

    def __init__(self) -> None:
        super().__init__(disable=True, speed_estimate_period=SPEED_PERIOD)
        self._said = self.get_time()

    def advance(self, task_id: TaskID, advance: float = 1) -> None:
        """Count, and say how far it is if nothing was said for a minute."""
        super().advance(task_id, advance)
        now = self.get_time()
        if now - self._said < SECONDS_A_LINE:
            return
        self._said = now
        task = self._tasks[task_id]
        seconds = task.time_remaining  # None: not known yet; 0: all is done
        left = f", {_duration(seconds)} left" if seconds else ""
        sys.stderr.write(f"{task.description}: {task.completed:,.0f} of {task.total:,.0f}{left}\n")


def _duration(seconds: float) -> str:
    """Return seconds in words, rounded up to minutes, e.g. ``about 3 minutes``."""
    return f"about {counted(-(-int(seconds) // 60), 'minute')}"


def count_bar(*, shown: bool = True) -> Progress:
    """Return a progress bar that counts: how many are done, and the time left.

    Where there is no terminal it is a line a minute on standard error.
    """
    screen = console()
    if shown and not screen.is_terminal:
        return _Lines()
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=screen,
        transient=True,
        speed_estimate_period=SPEED_PERIOD,
        disable=not shown,
    )


def tracked(items: Iterable[T], what: str, count: int) -> Iterable[T]:
    """Yield items while a progress bar (:func:`count_bar`) counts them."""
    with count_bar() as bar:
        task = bar.add_task(what, total=count)
        for item in items:
            yield item
            bar.advance(task)


def say(text: str) -> None:
    """Print a line without breaking it at the console's width, so that it can be copied."""
    console().print(text, soft_wrap=True, highlight=False, markup=False)


__all__ = [
    "check_writable",
    "console",
    "fail",
    "option_words",
    "parse_options",
    "run",
    "say",
]
