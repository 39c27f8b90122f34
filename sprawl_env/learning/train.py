"""The function :func:`train`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sprawl_env.arena.evaluation import Line
from sprawl_env.bots.policy.player import Policy, load_policy
from sprawl_env.console import option_words
from sprawl_env.core import registry
from sprawl_env.core.arguments import checked, fit
from sprawl_env.core.errors import InvalidOption, unknown
from sprawl_env.core.extras import require, require_extra
from sprawl_env.core.game import Game
from sprawl_env.learning.config import PRESETS, Config, read_config
from sprawl_env.learning.runs import check_kept

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Training:
    """A training run.

    Attributes:
        folder: with the config, the checkpoints, the learning curves and the evaluation.
        finished: False if the run was interrupted by Ctrl-C; ``train(resume=folder)`` continues it.
        results: for each opponent the lines of the evaluation; empty if there was none.
    """

    folder: Path
    finished: bool
    results: Mapping[str, tuple[Line, ...]]

    def policy(self) -> Policy:
        """Return the policy of the newest checkpoint."""
        return load_policy(self.folder)

    def frame(self) -> pl.DataFrame:
        """Return the evaluation as a polars DataFrame, one row a bot and opponent.

        Raises:
            MissingExtra: polars is not installed.
        """
        rows = [
            {"opponent": name, **asdict(line)}
            for name, lines in self.results.items()
            for line in lines
        ]
        frame: pl.DataFrame = require("polars", "frame()").DataFrame(rows)
        return frame


@checked
def train(game: str | Game = "tower_up", *, preset: str = "quick", **settings: Any) -> Training:
    """Train a policy by self-play, then measure it.

    Progress is printed.  The run's folder is ``runs/GAME-PRESET-SEED`` unless ``runs`` or ``name``
    say otherwise.

    >>> run = sprawl_env.train("tower_up", max_minutes=1.0)
    >>> run.policy().bot()

    Args:
        game: a game's name or import path, or a game with its options chosen.
        preset: the defaults of the settings: ``"quick"`` or ``"full"``.
        **settings: fields of :class:`sprawl_env.learning.config.Config`, e.g. ``seed=1``,
            ``num_players=3``, ``max_minutes=10.0``, or ``resume=folder`` to continue a run.

    Raises:
        SprawlError: there is no such game, preset or setting, a value is not allowed, or the game
            has several sets of options.
        MissingExtra: torch or another library of the extra ``train`` is not installed.
    """
    require_extra("train", "sprawl_env.train")
    if preset not in PRESETS:
        raise unknown("preset", preset, PRESETS)
    for name in settings:
        if name not in {field.name for field in fields(Config)}:
            raise unknown("setting of train", name, (field.name for field in fields(Config)))
    if isinstance(game, Game):
        if {"num_players", "options"} & settings.keys():
            raise InvalidOption("num_players, options: the game has its options already")
        if game.is_mixed:
            raise InvalidOption("train: expected a game with one set of options, got a mixed game")
        settings["num_players"] = game.num_seats
        settings["options"] = option_words(game)
        game = registry.game_word(game.rules)
    elif settings.get("resume") is None:
        game = registry.game_word(registry.rules_of(game))
    for name, value in settings.items():
        settings[name] = value.item() if isinstance(value, np.generic) else value
    if isinstance(settings.get("options"), list):
        settings["options"] = tuple(settings["options"])
    for name in {"runs", "resume", "start"} & settings.keys():
        settings[name] = _as_path(name, settings[name])
    if settings.get("resume") is not None:
        check_kept(settings["resume"], settings, read_config(settings["resume"]))
    from sprawl_env.learning.training import main  # noqa: PLC0415 - imports torch

    folder, finished, results = main(replace(PRESETS[preset], game=game, **settings))
    return Training(folder, finished, {name: tuple(lines) for name, lines in results.items()})


def _as_path(name: str, value: Any) -> Path | None:
    """Return a setting that is a path.

    Raises:
        InvalidOption: it is none.
    """
    kinds = ("Path",) if name == "runs" else ("None", "Path")
    made: Path | None = fit("train", name, kinds, value, {})
    return made
