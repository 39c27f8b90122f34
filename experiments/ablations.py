"""Take each part of the training recipe away, or add one, and measure what it does to the result.

Example::

    python -m experiments.ablations --minutes 10 --seeds 0 1 2 --out runs/ablations
    python -m experiments.ablations --only recipe "no imitation" --minutes 1 --seeds 0

Every variant is trained with every seed, one run after the other, so that each has all cores.  The
policies play the same deals against ``greedy`` and ``planner``.  A variant is compared with the
recipe's runs of its own seeds (see :mod:`experiments.variants`).  There is no verdict about a
variant with one run.

``results.jsonl`` keeps what was measured; the command goes on where it was stopped, inside a run
too.  Another game, time, opponent or number of games needs another ``--out``.  ``table.md`` is made
from that file alone.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

import sprawl_env
from experiments.measuring import MADE, SEED, shares_against
from experiments.records import Row, alone, read_lines, write_lines
from experiments.tables import variants_table
from experiments.variants import COMMIT, RECIPE, SHARES
from sprawl_env.arena.entrants import weights_of
from sprawl_env.arena.evaluation import interval
from sprawl_env.bots.names import make_bot
from sprawl_env.bots.policy.checkpoint import Checkpoint, load
from sprawl_env.bots.policy.player import game_of
from sprawl_env.console import check_writable, console, run, say
from sprawl_env.core.errors import InvalidOption, unknown
from sprawl_env.core.files import parse_json, read_text, write_atomically
from sprawl_env.core.game import Game
from sprawl_env.core.provenance import provenance
from sprawl_env.learning import training
from sprawl_env.learning.config import PRESETS, check
from sprawl_env.learning.config import Config as TrainConfig
from sprawl_env.learning.runs import CONFIG

VARIANTS: Final[dict[str, dict[str, Any]]] = {
    RECIPE: {},
    "no imitation": {"imitation": 0},
    "earlier networks in a quarter of the games": {"past_share": 0.25},
    "earlier networks in half of the games": {"past_share": 0.5},
    "greedy in a quarter of the games": {"greedy_share": 0.25},
    "random openings in a quarter of the games": {"opening_share": 0.25},
    "no entropy bonus": {"entropy": 0.0},
    "entropy bonus from 0.05": {"entropy": 0.05},
    "two passes over a rollout": {"num_epochs": 2},
    "a network twice as wide": {"width": 64, "trunk": 256},
}
RESULTS: Final = "results.jsonl"
AGAINST: Final = "greedy"
OWN: Final = ("game", "seed", "name", "preset", "evaluation_games", "evaluate_every")
"""Settings that a command chooses for its runs."""
WORDS: Final = {int: "a whole number", float: "a number", str: "a word"}  # kinds of settings
COMPARED: Final = ("games", "strong", "strong_games")  # options that all results have in common
WHOLE: Final = "whole"  # all settings of the recipe, defaults too, which may change later
SAID: Final = {WHOLE: "defaults of training"}


@dataclass(frozen=True)
class Config:
    """Take each part of the training recipe away, or add one, and measure what it does."""

    game: str = "tower_up"
    """name of the game"""
    minutes: float = 10.0
    """training time of a run; 0: no limit, for runs with total_steps"""
    seeds: tuple[int, ...] = (0, 1, 2)
    """seeds of the runs"""
    only: tuple[str, ...] = ()
    """variants to train (default: all)"""
    settings: tuple[str, ...] = ()
    """settings of all runs, e.g. total_steps=100000"""
    games: int = 2000
    """paired games against greedy"""
    strong: str = "planner"
    """a stronger reference bot"""
    strong_games: int = 1000
    """paired games against it"""
    out: Path = Path("runs/ablations")
    """folder of the runs, results.jsonl and table.md"""


def value_of(name: str, text: str, own: Collection[str] = OWN) -> Any:
    """Return the value of a setting of training that was given as text.

    Args:
        name: of the setting.
        text: its value.
        own: the settings that the command itself chooses.

    Raises:
        InvalidOption: there is no such setting that is a number or a word, the command chooses it,
            or it is no number.
    """
    kinds = {each.name: type(getattr(TrainConfig(), each.name)) for each in fields(TrainConfig)}
    kinds = {each: kind for each, kind in kinds.items() if kind in WORDS}
    if name not in kinds:
        raise unknown("setting of training", name, kinds)
    if name in own:
        raise InvalidOption(f"settings: {name}: the command chooses it by itself: leave it out")
    try:
        return kinds[name](text)
    except ValueError:
        raise InvalidOption(f"settings: '{name}={text}': expected {WORDS[kinds[name]]}") from None


def parse_settings(words: Sequence[str], own: Collection[str] = OWN) -> dict[str, Any]:
    """Return settings of training from ``name=value`` words.

    Args:
        words: the words.
        own: the settings that the command itself chooses.

    Raises:
        InvalidOption: a word has no ``=``, or as of :func:`value_of`.
    """
    found = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals:
            raise InvalidOption(f"settings: {word!r}: expected name=value, e.g. total_steps=100000")
        found[name] = value_of(name, value, own)
    return found


def settings_of(config: Config) -> dict[str, Any]:
    """Return the settings of all runs.

    Raises:
        InvalidOption: as of :func:`parse_settings`.
    """
    own = parse_settings(config.settings)
    return {"game": config.game, "max_minutes": config.minutes, **own}


def read_results(path: Path) -> list[Row]:
    """Return the lines of an earlier command: settings first, then a row for each run.

    Raises:
        InvalidOption: the file cannot be read or is damaged.
    """

    def fits(head: Row, rows: list[Row]) -> bool:
        return isinstance(head["settings"], dict) and all(
            isinstance(row["variant"], str)
            and isinstance(row["seed"], int)
            and all(interval(np.array(each, np.float64)) for each in row[SHARES].values())
            for row in rows
        )

    return read_lines(path, "results of this command", fits)


def runs_of(config: Config) -> list[tuple[str, int]]:
    """Return the runs, seed by seed: variant and seed."""
    return [(variant, seed) for seed in config.seeds for variant in config.only or VARIANTS]


def wanted_of(config: Config, variant: str, seed: int) -> TrainConfig:
    """Return the settings of a run."""
    name = f"{variant.replace(' ', '-')}-{seed}"
    own: dict[str, Any] = {"seed": seed, "name": name, "runs": config.out, "evaluation_games": 0}
    return replace(PRESETS["quick"], **{**settings_of(config), **VARIANTS[variant], **own})


def game_to_train(settings: TrainConfig) -> Game:
    """Return the game of a run."""
    return sprawl_env.game(settings.game, num_players=settings.num_players)


def check_strong(strong: str, settings: TrainConfig) -> None:
    """Check the name of the stronger reference bot, in the game of a run.

    Raises:
        SprawlError: there is no such bot, or it is the one that every run meets anyway.
    """
    if strong == AGAINST:
        raise InvalidOption(f"strong={strong}: every run meets it anyway: expected another bot")
    make_bot(strong, game_to_train(settings))


def check_asked(config: Config) -> None:
    """Check what is asked for, before anything is written.

    Raises:
        SprawlError: there is no such variant, game or bot, or a setting is not allowed.
    """
    for name in config.only:
        if name not in VARIANTS:
            raise unknown("variant", name, VARIANTS)
    runs = runs_of(config)
    if len(set(runs)) < len(runs):
        raise InvalidOption("only, seeds: expected different ones")
    for variant, seed in runs:
        check(wanted_of(config, variant, seed))
    check_strong(config.strong, wanted_of(config, *runs[0]))
    check_writable(config.out / RESULTS)


def whole_of(settings: TrainConfig) -> Row:
    """Return all settings of training as JSON holds them, without those that a command chooses."""
    left_out = {*OWN, "runs", "resume"} - {"game"}
    kept = {name: value for name, value in asdict(settings).items() if name not in left_out}
    found: Row = json.loads(json.dumps(kept, default=str))
    return found


def begin(config: Config) -> list[Row]:
    """Return the lines of an earlier command, or the new first one, which is written.

    It is written before the first run begins, so that no other command goes on with that run.

    Raises:
        InvalidOption: the folder holds runs of other settings.
    """
    path, own = config.out / RESULTS, Row(settings=settings_of(config))
    own |= {name: getattr(config, name) for name in COMPARED}
    recipe = wanted_of(config, RECIPE, 0)
    own[MADE] = weights_of(config.strong, game_to_train(recipe))
    own[WHOLE] = whole_of(recipe)
    lines = read_results(path)
    begun = lines[1:] or any(config.out.glob(f"*/{CONFIG}"))
    usual = {MADE: own[MADE]}  # files of earlier versions do not say
    other = [name for name in own if lines and {**usual, **lines[0]}.get(name) != own[name]]
    if WHOLE in other and "settings" in other:
        other.remove(WHOLE)  # it follows from them
    if begun and other:
        raise InvalidOption(
            f"{str(path)!r}: results of other {', '.join(SAID.get(name, name) for name in other)}; "
            f"choose another --out"
        )
    if other or not lines:
        lines = [{**own, **provenance()}]
        write_lines(path, lines)
    return lines


def train(config: Config, variant: str, seed: int) -> Path | None:
    """Train a variant, or go on with it, and return its folder; None if it was interrupted."""
    wanted = wanted_of(config, variant, seed)
    folder = config.out / wanted.name
    if (folder / CONFIG).exists():
        wanted = replace(wanted, resume=folder)
    _, finished, _ = training.main(wanted)
    return folder if finished else None


def made_at(folder: Path) -> str | None:
    """Return the commit at which a run was begun; None if it is not known."""
    found: str | None = parse_json(read_text(folder / CONFIG)).get(COMMIT)
    return found


def measure(
    checkpoint: Checkpoint, games_against: Mapping[str, int], processes: int = 0
) -> dict[str, list[float]]:
    """Return the share of each deal that a policy won, by opponent, in order of the deals.

    Args:
        checkpoint: of the policy.
        games_against: number of games by opponent.
        processes: that play them; 0: one a core.
    """
    game = game_of(checkpoint)
    return {
        name: np.round(
            shares_against(checkpoint, game, name, games, SEED, processes=processes), 4
        ).tolist()
        for name, games in games_against.items()
    }


def measure_all(config: Config) -> list[Row]:
    """Train and measure what is missing, and return all rows.

    Raises:
        SprawlError: the folder holds results of other settings, or something is not allowed.
    """
    check_asked(config)
    with alone(config.out):
        return measure_missing(config)


def measure_missing(config: Config) -> list[Row]:
    """Train and measure what is missing; see :func:`measure_all`."""
    lines = begin(config)
    done = {(row["variant"], row["seed"]) for row in lines[1:]}
    for variant, seed in runs_of(config):
        if (variant, seed) in done:
            continue
        say(f"{variant}, seed {seed}")
        folder = train(config, variant, seed)
        if folder is None:
            say("interrupted; the same command goes on")
            return lines[1:]
        checkpoint = load(folder)
        row = {"variant": variant, "seed": seed, "changes": VARIANTS[variant]}
        row[COMMIT] = made_at(folder)
        row |= {name: checkpoint.about[name] for name in ("step", "seconds")}
        games = {AGAINST: config.games, config.strong: config.strong_games}
        lines.append({**row, SHARES: measure(checkpoint, games)})
        write_lines(config.out / RESULTS, lines)
    return lines[1:]


def lines_of(rows: Sequence[Row]) -> Iterator[str]:
    """Yield a line for each run."""
    for row in rows:
        wins = ", ".join(f"{name} {np.mean(own):.1%}" for name, own in row[SHARES].items())
        yield f"{row['variant']}, seed {row['seed']}: {row['step']:,} decisions, {wins}"


def main(config: Config) -> None:
    """Train and measure what is missing, and write the table."""
    if min(config.games, config.strong_games) < 1 or not config.seeds:
        raise InvalidOption("games, strong_games, seeds: expected at least 1")
    rows = measure_all(config)
    if not rows:
        return
    for line in lines_of(rows):
        say(line)
    found = variants_table(rows, RECIPE)
    write_atomically(config.out / "table.md", found)
    console().print(found)


if __name__ == "__main__":
    run(main, Config)
