"""Make a trained agent of a run of training or expert iteration: weights, description and card.

    python -m experiments.export runs/tower_up-quick-0 agents/tower_up/quick
    python -m experiments.export runs/tower_up-search-0 agents/tower_up/search-2h
    python -m experiments.export RUN agents/GAME/NAME --weaknesses "It rarely builds upwards."
    python -m experiments.export RUN agents/GAME/NAME --curves docs/ladder/GAME/curves-2

The card is written from the run's ``config.json``, ``evaluation.json`` and newest checkpoint, and
from what :mod:`experiments.curves` measured of that checkpoint.  What it expects of the victory,
which a search with the agent asks, is fitted here to games that it plays against itself
(:mod:`experiments.outcomes`), unless the run has said it.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from tyro.conf import Positional, arg

from experiments.measuring import MEASURED, is_of_now, read_measured, shares_of
from experiments.outcomes import fitted
from experiments.records import Row
from sprawl_env.arena.entrants import weights_of
from sprawl_env.arena.evaluation import interval, interval_text, mean_text
from sprawl_env.bots.policy.agents import NAME, export_agent
from sprawl_env.bots.policy.checkpoint import Checkpoint, check_replaceable, load
from sprawl_env.bots.policy.player import game_of
from sprawl_env.bots.search.evaluators import SPREAD_SAID, kinds_of, spread_of
from sprawl_env.console import run, say
from sprawl_env.core.errors import InvalidOption, printable
from sprawl_env.core.files import parse_json, read_text
from sprawl_env.core.game import Game
from sprawl_env.learning.config import PRESETS
from sprawl_env.learning.expert_config import EXPERT_PRESETS
from sprawl_env.learning.outcomes import FITTED, GAMES

PLACES = ("runs", "name", "resume")  # of a config: where the run lay on the machine that trained
NOT_SETTINGS = ("preset", *PLACES)  # of a config: change nothing in the result
SEARCHES = ("planner", "mcts", "flat", "search")  # bots that look ahead


@dataclass(frozen=True)
class Config:
    """Write the folder of a trained agent from a training run."""

    run: Annotated[Positional[Path], arg(help="folder of the run", metavar="RUN")]
    folder: Annotated[
        Positional[Path], arg(help="folder of the agent: agents/GAME/NAME", metavar="FOLDER")
    ]
    weaknesses: Annotated[
        tuple[str, ...],
        arg(
            help="known weaknesses, one sentence each",
            metavar="TEXT ...",
            help_behavior_hint="(default: none)",
        ),
    ] = ()
    game: str = ""
    """module:RULES of a game of your own (default: the game that the run names)"""
    own_games: int = GAMES
    """games against itself, to which what it expects of the victory is fitted; 0: none"""
    curves: Path | None = None
    """folder in which experiments.curves has measured the run's newest checkpoint"""


def read(path: Path) -> dict[str, Any]:
    """Return the content of a JSON file of a run.

    Raises:
        InvalidOption: it is missing or damaged.
    """
    try:
        content = parse_json(read_text(path))
    except FileNotFoundError:
        raise InvalidOption(
            f"run: {str(path)!r}: there is none: expected a run that has been evaluated: finish it "
            f"with --resume, or train with evaluation_games of 1 or more"
        ) from None
    except OSError as error:
        raise InvalidOption(f"run: {str(path)!r}: cannot be read: {error.strerror}") from None
    except ValueError:
        content = None
    if not isinstance(content, dict):
        raise InvalidOption(f"run: {str(path)!r}: expected a JSON object")
    return content


class Way(NamedTuple):
    """A way to train.

    Attributes:
        command: the module of its command.
        algorithm: what it does.
        learnt_from: what it counts.
        measured: what the table of strength compares.
        presets: its settings by preset.
    """

    command: str
    algorithm: str
    learnt_from: str
    measured: str
    presets: Mapping[str, Any]


PPO = Way(
    "train",
    "masked PPO by self-play (`sprawl_env.learning`)",
    "decisions",
    "Paired games against reference bots (`policy` is this agent)",
    PRESETS,
)
EXPERT = Way(
    "train_search",
    "expert iteration: it learns what a search with its network finds (`sprawl_env.learning`)",
    "searched decisions",
    "Paired games of the agent's policy, and of a search with it, against reference bots "
    "(`measured` is the first of each pair)",
    EXPERT_PRESETS,
)


def way_of(config: Mapping[str, Any]) -> Way:
    """Return how a config trains."""
    return EXPERT if "full_share" in config else PPO


def command_of(config: Mapping[str, Any]) -> str:
    """Return the command that trains with a config."""
    way = way_of(config)
    default = way.presets.get(config.get("preset", "quick"), way.presets["quick"])
    words = ["python", "-m", f"experiments.{way.command}", "--preset", default.preset]
    words += ["--game", config["game"]]
    for field in fields(default):
        if field.name in (*NOT_SETTINGS, "game") or field.name not in config:
            continue
        value, usual = config[field.name], getattr(default, field.name, MISSING)
        if value == (list(usual) if isinstance(usual, tuple) else usual):
            continue
        words.append(f"--{field.name.replace('_', '-')}")
        words += map(str, value) if isinstance(value, list) else [str(value)]
    return shlex.join(words)


def strength_table(name: str, results: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[str]:
    """Return the lines of a Markdown table of an evaluation.

    An opponent of the agent's own name is the agent that had the name before.

    Args:
        name: of the agent, ``GAME/NAME``.
        results: for each opponent the bots' lines.
    """
    own = f"agent:{name}"
    named = {own: f"the earlier {own}"}
    lines = [
        "| against | bot | games | wins | 95% interval | mean score |",
        "| :-- | :-- | --: | --: | --: | --: |",
    ]
    for opponent, found in results.items():
        for line in found:
            cells = [
                named.get(opponent, opponent),
                named.get(line["bot"], line["bot"]),
                f"{line['games']:,}",
                f"{line['wins']:.1%}",
                interval_text(line["low"], line["high"]),
                mean_text(line["score"], line["score_error"]),
            ]
            lines.append(f"| {' | '.join(cells)} |")
    return lines


def measured_table(rows: Sequence[Row]) -> list[str]:
    """Return the lines of a Markdown table of measurements of :mod:`experiments.curves`."""
    lines = ["| against | games | seed | wins | 95% interval |", "| :-- | --: | --: | --: | --: |"]
    for row in rows:
        shares = shares_of(row)
        low, high = interval(shares)
        cells = [row["against"], f"{row['games']:,}", str(row["seed"]), f"{shares.mean():.1%}"]
        lines.append(f"| {' | '.join(cells)} | {interval_text(low, high)} |")
    return lines


def further(rows: Sequence[Row]) -> list[str]:
    """Return the lines of a card about measurements of :mod:`experiments.curves`."""
    if not rows:
        return []
    most = {row["against"]: row for row in sorted(rows, key=lambda row: row["games"])}
    ordered = [most[name] for name in dict.fromkeys(row["against"] for row in rows)]
    said = "Further paired games, in parts of their own random numbers:"
    return [said, "", *measured_table(ordered), ""]


def pre_training(config: Mapping[str, Any]) -> str:
    """Return in words what came before the first step of reinforcement learning."""
    if config.get("start"):
        return f"weights of {config['start']}"
    if not config.get("imitation"):
        return "none"
    of_whom = f" of `{config['expert']}`" if config.get("expert") else ""
    return f"behaviour cloning, up to {config['imitation']:,} decisions{of_whom}"


def experience(config: Mapping[str, Any]) -> str:
    """Return in words whom a policy met in training."""
    if way_of(config) is EXPERT:
        return "In training it played only against searches with its own network."
    if config.get("num_players") == 1:
        return "In training it played alone, as it plays."
    *others, last = met(config)
    found = f"In training it played against {', '.join(others)}{' and ' if others else ''}{last}"
    searched = config.get("opponent", "").startswith(SEARCHES)
    return f"{found}." if searched else f"{found}, never against a search."


def met(config: Mapping[str, Any]) -> list[str]:
    """Return the opponents of a training by PPO."""
    shares = {
        "earlier versions of itself": "past_share",
        "greedy": "greedy_share",
        "random": "random_share",
    }
    found = [name for name, share in shares.items() if config.get(share, 0) > 0]
    given = [*shares.values(), "opponent_share"]
    left = 1 - math.fsum(config.get(share, 0) for share in given)
    own = ["itself"] if left > 0 else []
    return [*own, *found, *([config["opponent"]] if config.get("opponent") else [])]


def fitted_to(about: Mapping[str, Any]) -> dict[str, str]:
    """Return the fact of what an agent expects of the victory, if that was fitted."""
    how_well = about.get(FITTED)
    if how_well is None:
        return {}
    fitted = (
        f"fitted to {how_well['games']:,} games against itself (`experiments.outcomes`): "
        f"cross-entropy {how_well['before']:.3f} before, {how_well['after']:.3f} after"
    )
    return {"forecast of the winner, for searches": fitted}


def card(
    name: str, checkpoint: Checkpoint, run: Mapping[str, Any], evaluation: Mapping[str, Any],
    weaknesses: Sequence[str], measured: Sequence[Row] = (),
) -> str:  # fmt: skip
    """Return the card of an agent as Markdown.

    Args:
        name: ``GAME/NAME``.
        checkpoint: its weights.
        run: the content of the run's ``config.json``.
        evaluation: the content of its ``evaluation.json``.
        weaknesses: known weaknesses, one sentence each.
        measured: rows of :mod:`experiments.curves` about this checkpoint.
    """
    about, config = checkpoint.about, run["config"]
    way = way_of(config)
    seats = about["options"]["num_players"]
    options = [f"{key}={value}" for key, value in about["options"].items() if key != "num_players"]
    versions = [f"{library} {number}" for library, number in run.get("versions", {}).items()]
    search = evaluation.get("search")
    searched = f" The search: `{search}`." if search else ""
    weak = [
        f"It plays only with num_players={seats}.",
        f"It was trained with {', '.join(options)}; it is untested with others." if options else "",
        experience(config),
        *weaknesses,
    ]
    facts = {
        "algorithm": way.algorithm,
        "pre-training": pre_training(config),
        "training": f"{about['step']:,} {way.learnt_from} in "
        f"{about.get('seconds', 0) / 60:.1f} minutes",
        **fitted_to(about),
        "machine": f"{run.get('machine', 'unknown')}, {config['processes']} "
        f"process{'es'[: 2 * (config['processes'] > 1)]}, "
        f"{run.get('gpu', 'a GPU') if config.get('device') == 'cuda' else 'no GPU'}",
        "versions": ", ".join(versions),
        "commit": f"`{run.get('commit')}`",
        "command": f"`{command_of(config)}`",
    }
    return "\n".join(
        printable(line)
        for line in [
            f"# agent:{name}",
            "",
            f"A policy for {about['game']} with num_players={seats}.",
            "",
            "| | |",
            "| :-- | :-- |",
            *(f"| {key} | {value} |" for key, value in facts.items()),
            "",
            "## Strength",
            "",
            f"{way.measured}, seed {config['seed'] + 1}; intervals count deals.{searched}",
            "",
            *strength_table(name, evaluation["results"]),
            "",
            *further(measured),
            "## Known weaknesses",
            "",
            *(f"- {sentence}" for sentence in weak if sentence),
            "",
        ]
    )


def without_places(checkpoint: Checkpoint) -> Checkpoint:
    """Return a checkpoint that does not say where its run lay."""
    about = checkpoint.about
    config = about.get("config")
    if not isinstance(config, dict):
        return checkpoint
    kept = {name: value for name, value in config.items() if name not in PLACES}
    return replace(checkpoint, about={**about, "config": kept})


def for_searches(checkpoint: Checkpoint, game: Game, own_games: int) -> Checkpoint:
    """Return a checkpoint that says what it expects of the victory, if a search can use its values.

    One that says how sure a lead is, e.g. after expert iteration, stays as it is.
    """
    about = checkpoint.about
    if SPREAD_SAID in about:
        return checkpoint
    config = about.get("config")
    if not isinstance(config, dict) or config.get("reward") not in kinds_of(game):
        return checkpoint
    if own_games:
        checkpoint = fitted(checkpoint, game, own_games)
    if SPREAD_SAID in checkpoint.about:
        return checkpoint
    return replace(checkpoint, about={**about, SPREAD_SAID: spread_of(checkpoint, game)})


def export(config: Config) -> None:
    """Write the folder.

    Raises:
        SprawlError: the run is damaged, or the folder is not that of an agent of its game.
    """
    training, evaluation = (read(config.run / f"{name}.json") for name in ("config", "evaluation"))
    checkpoint = load(config.run)
    game, name = config.folder.resolve().parts[-2:]
    if game != checkpoint.about.get("game") or not NAME.fullmatch(name):
        raise InvalidOption(
            f"folder={str(config.folder)!r}: expected agents/{checkpoint.about.get('game')}/NAME"
        )
    made = game_of(checkpoint, config.game)
    check_replaceable(config.folder)
    rows: list[Row] = []
    if config.curves is not None:
        _, rows = read_measured(config.curves / MEASURED)
        rows = [row for row in rows if row["weights"] == checkpoint.about["sha256"]]
        made_by = {row["against"]: weights_of(row["against"], made) for row in rows}
        rows = [row for row in rows if is_of_now(row, made_by)]
        if not rows:
            raise InvalidOption(
                f"curves={str(config.curves)!r}: expected measurements of {checkpoint.path}"
            )

    def written(checkpoint: Checkpoint) -> str:
        try:
            return card(f"{game}/{name}", checkpoint, training, evaluation, config.weaknesses, rows)
        except (KeyError, TypeError) as error:
            raise InvalidOption(f"run: {str(config.run)!r}: its JSON files lack {error}") from None
        except (ValueError, AttributeError, OverflowError) as error:  # a value of another type
            raise InvalidOption(f"run: {str(config.run)!r}: its JSON files: {error}") from None

    written(checkpoint)  # damaged files are noticed before many games
    try:
        ready = for_searches(without_places(checkpoint), made, config.own_games)
        folder = export_agent(ready, config.folder, written(ready))
    except OSError as error:
        raise InvalidOption(f"folder={str(config.folder)!r}: {error.strerror}") from None
    size = sum(path.stat().st_size for path in folder.iterdir())
    say(f"agent:{game}/{name}: {folder}, {size / 1e6:.2f} MB")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command line, by default that of this process."""
    run(export, Config, arguments=arguments, prog="python -m experiments.export")


if __name__ == "__main__":
    main()
