"""What every command line here does alike: errors in one line, options of games, tables."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn, TypeVar

import tyro
from rich.console import Console

from sprawl_env.core.errors import InvalidOption, SprawlError, unknown

T = TypeVar("T")
USAGE_ERROR = 2


def fail(message: str) -> NoReturn:
    """Print one line on standard error and leave."""
    sys.stderr.write(f"error: {message}\n")
    raise SystemExit(USAGE_ERROR)


def run(
    main: Callable[[T], None], config_type: type[T], presets: dict[str, T] | None = None
) -> None:
    """Parse the command line into ``config_type`` and call ``main``; no traceback for bad input.

    With ``presets``, ``--preset NAME`` chooses the defaults that other flags override.
    """
    try:
        if presets is None:
            config = tyro.cli(config_type)
        else:
            config = tyro.cli(config_type, default=presets[_preset(sys.argv[1:], presets)])
        main(config)
    except SprawlError as error:
        fail(str(error))
    except BrokenPipeError:  # the reader of our output has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(1) from None


def _preset(arguments: Sequence[str], presets: dict[str, Any]) -> str:
    """Return the preset named on the command line, or the first."""
    name = next(iter(presets))
    for k, argument in enumerate(arguments):
        if argument == "--preset" and k + 1 < len(arguments):
            name = arguments[k + 1]
        elif argument.startswith("--preset="):
            name = argument.removeprefix("--preset=")
    if name not in presets:
        raise unknown("preset", name, presets)
    return name


def parse_options(words: Sequence[str]) -> dict[str, Any]:
    """Return game options from ``name=value`` words; whole numbers become ints.

    ``true`` and ``false`` become bools.

    Raises:
        InvalidOption: a word without ``=``, or the number of seats.
    """
    options: dict[str, Any] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name:
            raise InvalidOption(f"option {word!r}: expected name=value, e.g. objectives=start")
        if name == "num_players":
            raise InvalidOption(f"option {word!r}: the number of seats has a flag of its own")
        if value.lower() in ("true", "false"):
            options[name] = value.lower() == "true"
        else:
            options[name] = int(value) if value.lstrip("-").isdigit() else value
    return options


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number of things in words, e.g. ``1 game`` or ``1,500 games``."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def console() -> Console:
    """Return the console for tables and progress; plain and wide enough when it is no terminal."""
    return Console() if sys.stdout.isatty() else Console(width=110)


def say(text: str) -> None:
    """Print a line that is not broken at the console's width, so that it can be copied."""
    console().print(text, soft_wrap=True, highlight=False)


__all__ = ["console", "counted", "fail", "parse_options", "run", "say"]
