"""Every kind of file that the package reads: how one is made, read, and used once it is accepted.

A kind's ``read`` may refuse what it finds with an error of the package.  What it accepts must work:
its ``use`` raises :class:`Broken` if something is wrong with what was read, and no other error.
"""

from __future__ import annotations

import ast
import functools
import importlib
import json
import shutil
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final
from unittest import mock

import numpy as np
import torch
from safetensors.torch import save_file

import sprawl_env
from experiments.export import Config as Export
from experiments.export import export
from experiments.fuzz import games as whole_games
from experiments.fuzz.games import draw_game
from sprawl_env import replays
from sprawl_env.arena import report, schedule
from sprawl_env.arena import tournament as arena
from sprawl_env.arena.compare import compare
from sprawl_env.arena.evaluation import evaluate
from sprawl_env.arena.journal import to_line
from sprawl_env.arena.report_page import to_html
from sprawl_env.bots.analysis import Analysis
from sprawl_env.bots.names import make_bot
from sprawl_env.bots.policy import agents
from sprawl_env.bots.policy.checkpoint import describe_game, load, save
from sprawl_env.bots.policy.player import Policy, load_policy
from sprawl_env.bots.protocol import ask
from sprawl_env.commands.replay import text_lines
from sprawl_env.console import console, parse_options
from sprawl_env.core import registry
from sprawl_env.core.editing import impossible
from sprawl_env.core.files import write_atomically
from sprawl_env.core.game import Game
from sprawl_env.core.provenance import provenance
from sprawl_env.core.state import NOT_OVER, Games
from sprawl_env.kernels.arrays import Mask
from sprawl_env.learning import config as training_config
from sprawl_env.learning import expert_config, load_dataset, write_dataset
from sprawl_env.play.saves import SavedGames, game_of, saves_in
from sprawl_env.play.session import HUMAN, Session
from sprawl_env.replays.page import page

Use = Callable[[], None]

LOTS: Final = "examples.lots:RULES"
GAMES: Final = ("tower_up", "ginkgopolis", "urban_sprawl")
LONGEST: Final = 20_000  # plies of a game
SAVED: Final = 40  # plies of a game that was saved; loading one draws a picture for each
LOOK: Final = 64  # plies between two looks at a game
AGENT: Final = "agent:tower_up/small"
NAMES: Final = ("random", "greedy")  # of the bots of the tournament
ROOT: Final = Path(__file__).resolve().parents[2]


class Broken(Exception):
    """What was accepted does not work."""


@dataclass(frozen=True)
class Kind:
    """One kind of file.

    Attributes:
        reads: the functions that read such files, ``module:function``.
        make: ``make(folder, number)`` writes one variant, undamaged, into an empty folder.
        read: ``read(folder)`` reads it; returns the function that uses what was read.
        variants: the number of variants.
        damaged: glob of the files that are damaged.
    """

    reads: tuple[str, ...]
    make: Callable[[Path, int], None]
    read: Callable[[Path], Use]
    variants: int = 1
    damaged: str = "**/*"


# ------------------------------------------------------------------------------------ what readers


READING: Final = {"read_text", "read_bytes", "read_chunks", "parse_json"}
OWN: Final = {
    "sprawl_env.bots.ratings:_content": "reads the package's own file",
    "sprawl_env.core.files:read_text": "reads for all others",
    "sprawl_env.core.files:read_bytes": "reads for all others",
    "sprawl_env.arena.entrants:content_of_game": "reads the data that the game has read",
    "sprawl_env.arena.entrants:content_of_module": "reads the sources of a bot or a game",
    "sprawl_env.arena.entrants:content_of": "reads the files of a bot that was made of them",
    "sprawl_env.core.variants:options_in_text": "chooses the game that reads a position in full",
    "sprawl_env.core.provenance:digest_of": "reads the source files of a version",
    "sprawl_env.kernels.checked_files:read_named": "the mode cache damages kernel caches",
    "sprawl_env.kernels.checked_files:read_stamped": "the mode cache damages kernel caches",
    "sprawl_env.kernels.sources:source_digest": "reads the package's own source files",
    "sprawl_env.kernels.sources:_digest": "reads the package's own source files",
    "sprawl_env.kernels.sources:_imported_names": "reads the package's own source files",
    "sprawl_env.play.server:_file": "reads the page's own files",
    "sprawl_env.replays.format:_contents": "tells files apart that the game reads",
    "sprawl_env.replays.page:read_web": "reads the page's own files",
    "experiments.template.__main__:read_study": "reads the settings of a study in a clone",
    "experiments.records:read_lines": "reads what the command itself has written",
    "experiments.ablations:made_at": "reads what the command itself has written",
    "experiments.sweep:row_of": "reads what the command itself has written",
    "experiments.sweep:prepare": "reads what the command itself has written",
    "experiments.ladder:ladder_of": "reads the lists of the clone",
    "sprawl_env.arena.protocols:_content": "reads a file of the package",
    "sprawl_env.bots.policy.checkpoint:save": "reads what it is about to write",
    "sprawl_env.bots.policy.agents:best_of": "finds names in a text of the package",
    "experiments.template.__main__:read_results": "reads what the study itself has written",
    "experiments.outcomes:write": "copies the card of an agent as it is",
    "experiments.benchmark:cpu_model": "reads what Linux says about the processor",
}
"""Functions that read files which no user writes."""


def readers() -> set[str]:
    """Return the functions of the package and of its experiments that read files."""
    found = set()
    for file in sorted([*ROOT.glob("sprawl_env/**/*.py"), *ROOT.glob("experiments/**/*.py")]):
        module = ".".join(file.relative_to(ROOT).with_suffix("").parts)
        if module.startswith("experiments.fuzz.") and module != "experiments.fuzz.running":
            continue
        text = file.read_text()
        if not any(word in text for word in READING):
            continue
        for function in ast.walk(ast.parse(text)):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                called = {_called(node) for node in ast.walk(function)}
                if called & READING:
                    found.add(f"{module}:{function.name}")
    return found


def _called(node: ast.AST) -> str:
    """Return the name of the function that a node calls; "" if it calls none."""
    if not isinstance(node, ast.Call):
        return ""
    return str(getattr(node.func, "attr", getattr(node.func, "id", "")))


# --------------------------------------------------------------------------------- whole games


def look(game: Game, games: Games) -> None:
    """Check a position and what each seat sees of it.

    Raises:
        Broken: something is wrong.
    """
    wrong = game.rules.violations(game.tables, games, 0)
    if wrong:
        raise Broken(f"accepted, but {wrong[0]}")
    for seat in range(game.num_seats):
        seen = game.observe(games, 0, seat)
        if not np.isfinite(seen).all() or np.abs(seen).max() > 1:
            raise Broken("an observation has numbers outside of -1..1")
        other = games.copy()
        game.redeal_hidden(other, 0, seat, seat)
        wrong = game.rules.violations(game.tables, other, 0)
        if wrong:
            raise Broken(f"re-dealt, {wrong[0]}")


def play_to_end(game: Game, games: Games) -> None:
    """Play random actions until a game is over.

    Raises:
        Broken: something is wrong with a position.
    """
    rng = np.random.default_rng(0)
    game.describe(games)
    for ply in range(LONGEST):
        if games["over"][0] != NOT_OVER:
            break
        if ply % LOOK == 0:
            look(game, games)
        legal = np.flatnonzero(game.legal_actions(games, 0))
        if not legal.size:
            raise Broken("the seat to play has no legal action")
        action = int(rng.choice(legal))
        game.action_name(games, 0, action)
        game.play(games, 0, action)
    else:
        raise Broken("the game has no end")
    look(game, games)
    game.describe(games)


def any_game(number: int) -> Game:
    """Return a game, with options drawn from a number."""
    return draw_game(GAMES[number % len(GAMES)], number)


def some_plies(game: Game, number: int, most: int = LONGEST) -> list[int]:
    """Return the first actions of a random game, at most so many."""
    rng = np.random.default_rng(number)
    actions = [ply.action for ply in replays.record_random(game, number).plies]
    return actions[: int(rng.integers(min(len(actions), most) + 1))]


# ------------------------------------------------------------------------- positions and saves


def make_position(folder: Path, number: int) -> None:
    """Write the position after some plies of a random game."""
    game = any_game(number)
    games = game.deal(1, number)
    for action in some_plies(game, number):
        game.play(games, 0, action)
    (folder / "mine.json").write_text(game.to_json(games, 0))


def make_save(folder: Path, number: int) -> None:
    """Write a game of the page that was saved after some plies."""
    game = any_game(number)
    actions = some_plies(game, number, most=SAVED)
    replay = replays.from_actions(game, number, actions, bots=[HUMAN] * game.num_seats)
    (folder / "mine.jsonl").write_text(replays.dump(replay))


def read_save(folder: Path) -> Use:
    """List saved games and go on with one."""
    names = saves_in(folder)
    if not names:
        raise sprawl_env.SprawlError("no save")
    path = folder / names[0]
    game = game_of(path)
    session = Session(game, [HUMAN, *["random"] * (game.num_seats - 1)])
    listed = SavedGames(game).of(path)
    says = listed.damaged if listed is not None else ""
    session.load(path)

    def use() -> None:
        if says:
            raise Broken(f"can be loaded although the list says {says}")
        json.dumps(session.view(0), allow_nan=False)
        session.load(session.save(folder, "again"))
        play_to_end(game, session.games)

    return use


def make_replays(folder: Path, number: int) -> None:
    """Write one or two random games, some of them with a forfeit, some with visits."""
    game = any_game(number)
    bots = [f"bot {seat}" for seat in range(game.num_seats)]
    rng = np.random.default_rng(number)

    def choose(games: Games, mask: Mask) -> Analysis:
        legal = rng.permutation(np.flatnonzero(mask))
        return Analysis(legal, rng.integers(100, size=legal.size), np.zeros(legal.size))

    whole = replays.record_random(game, number)
    texts = [replays.dump(whole if number % 3 else replays.record(game, number, choose))]
    if number % 2:
        actions = some_plies(game, number)
        forfeit = {"seat": 0, "ply": len(actions), "reason": "it raised ValueError"}
        about: dict[str, Any] = {"bots": bots, "forfeit": forfeit}
        texts.append(replays.dump(replays.from_actions(game, number, actions, **about)))
    (folder / "games.jsonl").write_text("".join(texts))


def read_replays(folder: Path) -> Use:
    """Verify replays."""
    found = replays.load_all(folder / "games.jsonl")
    for replay in found:
        replays.verify(replay)

    def use() -> None:
        for replay in found:
            lines = list(text_lines(replay))
            if not all(line.replace("\n", "").isprintable() for line in lines):
                raise Broken("a line has control characters")
            replays.parse(replays.dump(replay))
        replays.table(folder / "games.jsonl")
        page(min(found, key=lambda replay: len(replay.plies)))

    return use


# ---------------------------------------------------------------------------------- card data


def make_data(folder: Path, number: int) -> None:
    """Copy some of a game's data files, and write which game it is."""
    name = GAMES[number % len(GAMES)]
    files = sorted((ROOT / "sprawl_env" / "games" / name / "data").glob("*.toml"))
    data = folder / "data"
    data.mkdir()
    for file in files[number // len(GAMES) % len(files) :]:
        shutil.copy(file, data)
    game = draw_game(name, number)
    (folder / "game").write_text(json.dumps([name, game.options]))


def read_data(folder: Path) -> Use:
    """Make a game with data files."""
    name, options = json.loads((folder / "game").read_text())
    game = sprawl_env.game(name, data=folder / "data", **options)

    def use() -> None:
        for seed in range(2):
            play_to_end(game, game.deal(1, seed))

    return use


# -------------------------------------------------------------------- checkpoints, agents, runs


def learning(module: str) -> Any:
    """Return a module of :mod:`sprawl_env.learning`, most of which import torch."""
    return importlib.import_module(f"sprawl_env.learning.{module}")


@functools.cache
def small_trainer() -> Any:
    """Return a small training of Tower Up that has taken a step."""
    settings = {"num_envs": 2, "num_steps": 4, "batch_size": 2, "width": 2, "trunk": 4}
    own = {"imitation": 0, "past_share": 0.5, "processes": 1, "device": "cpu"}
    config = learning("training").Config(**settings, **own)
    learning("process").prepare_process()
    trainer = learning("training").Trainer(
        config, sprawl_env.game("tower_up"), learning("team").Team()
    )
    trainer.games.begin(0)
    trainer.round()
    return trainer


def about(step: int) -> dict[str, Any]:
    """Return the description of a checkpoint of the small learner."""
    config = small_trainer().config
    return {
        **describe_game(sprawl_env.game("tower_up")),
        "step": step,
        "seconds": 1.5,
        "seed": 0,
        "network": {"width": config.width, "trunk": config.trunk},
        "config": json.loads(json.dumps(asdict(config), default=str)),
    }


def make_checkpoint(folder: Path, number: int) -> None:
    """Write a checkpoint with the optimizer's moments, or with the policy alone."""
    tensors = learning("stored").model_tensors(small_trainer().learner)
    if number:
        tensors = {name: array for name, array in tensors.items() if name.startswith("policy.")}
    save(folder / "mine", tensors, about(100), {"README.md": "A card."})


def use_policy(policy: Policy, seen: Any, mask: Any, logits: Any, values: Any) -> None:
    """Check what a policy says about a position.

    Raises:
        Broken: a number is not finite, or it plays what is illegal.
    """
    if not np.isfinite(logits).all() or not np.isfinite(values).all():
        raise Broken("a logit or a value is not finite")
    for sample in (False, True):
        action = policy.bot(sample=sample).act(seen, mask, None)[0]
        if not mask[0, action]:
            raise Broken("it plays an illegal action")


def read_policy(name: str | Path) -> Use:
    """Load a policy and ask it for values."""
    policy = load_policy(name)
    games = policy.game.deal(1, 0)
    seen = policy.game.observe(games, 0, int(games["to_play"][0]))[None]
    mask = policy.game.legal_actions(games, 0)[None]
    logits, values = policy.logits(seen, mask), policy.values(seen)
    return lambda: use_policy(policy, seen, mask, logits, values)


def read_checkpoint(folder: Path) -> Use:
    """Load a checkpoint as a policy."""
    return read_policy(folder / "mine")


def linear(game: Game) -> Any:
    """Return a network as a user writes one."""
    return torch.nn.Linear(game.observation_size, game.num_actions)


def make_weights(folder: Path, number: int) -> None:
    """Save the weights of a user's network."""
    torch.manual_seed(number)
    save_file(linear(sprawl_env.game(LOTS)).state_dict(), folder / "net.safetensors")


def read_weights(folder: Path) -> Use:
    """Load a user's network and let it play."""
    game, path = sprawl_env.game(LOTS), folder / "net.safetensors"
    bot = make_bot(f"torch:experiments.fuzz.kinds:linear,weights={path}", game, 1)
    games = game.deal(1, 0)
    seen = game.observe(games, 0, int(games["to_play"][0]))[None]
    mask = game.legal_actions(games, 0)[None]
    action = bot.act(seen, mask, None)[0]

    def use() -> None:
        if not mask[0, action]:
            raise Broken("it plays an illegal action")

    return use


def make_agent(folder: Path, number: int) -> None:
    """Write the folder of agents with one of them."""
    make_checkpoint(folder, 1)
    (folder / "tower_up").mkdir()
    (folder / "mine").rename(folder / "tower_up" / "small")


def read_agent(folder: Path) -> Use:
    """Find an agent by its name and load it."""
    game = sprawl_env.game("tower_up")
    with mock.patch.object(agents, "agents_folder", lambda: folder):
        bot = make_bot(AGENT, game)
        use = read_policy(AGENT)

    def play() -> None:
        use()
        games = game.deal(1, 0)
        seen, mask = game.observe(games, 0, 0)[None], game.legal_actions(games, 0)[None]
        ask(bot, game, games, np.zeros(1, np.int64), seen, mask)

    return play


def make_search_run(folder: Path, number: int) -> None:
    """Write a run of expert iteration: its config, a checkpoint with the learner, a match."""
    game, run, module = sprawl_env.game("tower_up"), folder / "search", learning("expert_training")
    config = module.ExpertConfig(
        start="tower_up/quick", num_envs=2, sims=2, fast_sims=1, window=50, processes=1,
        max_minutes=0.0, precision="float32",
    )  # fmt: skip
    write_atomically(run / "config.json", json.dumps({"config": module.as_json(config)}))
    player = module.start_of(config, game)
    trainer = module.ExpertTrainer(config, game, learning("team").Team(), player)
    trainer.player = trainer.as_checkpoint()
    trainer.clock.steps = 100
    report = module.Report(config, run, game)
    report.note_match(trainer, 0.5, 2)
    report.save(trainer)
    report.close()


def read_search_run(folder: Path) -> Use:
    """Resume a run of expert iteration up to its first step."""
    run, module = folder / "search", learning("expert_training")
    config = expert_config.read_config(run)
    options = parse_options(config.options)
    game = registry.game(config.game, num_players=config.num_players, **options)
    rows = module.read_matches(run)
    checkpoint = learning("stored").newest_checkpoint(run, game)
    if checkpoint is None:
        return lambda: None
    trainer = module.ExpertTrainer(config, game, learning("team").Team(), checkpoint, checkpoint)

    def use() -> None:
        if not all(type(row["step"]) is int for row in rows):
            raise Broken("a match has no step")
        tensors = learning("stored").model_tensors(trainer.learner)
        if not all(np.isfinite(array).all() for array in tensors.values()):
            raise Broken("the learner has numbers that are not finite")

    return use


def make_run(folder: Path, number: int) -> None:
    """Write a run of training: its config, two checkpoints with their games, and evaluations."""
    trainer, run = small_trainer(), folder / "run"
    written = {"config": asdict(trainer.config), **provenance()}
    write_atomically(run / "config.json", json.dumps(written, indent=1, default=str))
    shown = learning("report").Report(trainer.config, run, trainer.game, 0)
    for step in (100, 200):
        trainer.clock.steps = step
        shown.save(trainer.clock, trainer.learner, trainer.games, trainer.all_games())
    shown.close()
    line = {"bot": "policy", "games": 10, "wins": 0.5, "low": 0.4, "high": 0.6, "score": 9.5}
    results = {"results": {"random": [{**line, "score_error": 1.5}]}}
    write_atomically(run / "evaluation.json", json.dumps(results))
    row = json.dumps({"step": 100, "seconds": 1.5, **results})
    write_atomically(run / "evaluations.jsonl", row + "\n")


def read_run(folder: Path) -> Use:
    """Resume a run up to its first step."""
    config = training_config.read_config(folder / "run")
    options = parse_options(config.options)
    game = registry.game(config.game, num_players=config.num_players, **options)
    rows = learning("report").read_evaluations(folder / "run")
    checkpoint = learning("stored").newest_checkpoint(folder / "run", game)
    if checkpoint is None:
        return lambda: None
    trainer = learning("training").Trainer(config, game, learning("team").Team(), checkpoint)
    trainer.go_on(checkpoint)

    def use() -> None:
        if not 0 < len(trainer.games.past) <= config.pool_size:
            raise Broken(f"the pool has {len(trainer.games.past)} networks")
        if not all(type(row["step"]) is int for row in rows):
            raise Broken("an evaluation has no step")
        tensors = learning("stored").model_tensors(trainer.learner)
        if not all(np.isfinite(array).all() for array in tensors.values()):
            raise Broken("the learner has numbers that are not finite")
        found = impossible(game, trainer.games.going.games)
        if found is not None:
            raise Broken(f"game {found[0]} is impossible: {found[1]}")

    return use


def read_export(folder: Path) -> Use:
    """Make an agent of a run."""
    target = folder / "agents" / "tower_up" / "mine"
    export(Export(folder / "run", target, own_games=0))

    def use() -> None:
        if not (target / agents.CARD).read_text().replace("\n", "").isprintable():
            raise Broken("the card has control characters")
        load(target)

    return use


# -------------------------------------------------------------------------- tournaments, journals


def tournament_of() -> tuple[schedule.Config, arena.Setup]:
    """Return a small tournament."""
    game = sprawl_env.game(LOTS)
    config = schedule.Config(game=LOTS, bots=NAMES, num_games=4)
    games = schedule.Schedule(tuple(schedule.line_ups(NAMES, 2)), 2, 2)
    return config, arena.Setup(game, games, config.seed, False)


def go_on(folder: Path) -> tuple[schedule.Config, list[Any], list[Any]]:
    """Play the games of the tournament that are missing, in this process."""
    config, setup = tournament_of()
    kept = arena.Folder(folder, config, setup.schedule)
    try:
        missing = [n for n in range(len(setup.schedule)) if n not in kept.results]
        kept.add([arena.play_number(setup, n, lambda seat, ply: None) for n in missing])
        return config, *kept.finish()
    finally:
        kept.close()


def make_tournament(folder: Path, number: int) -> None:
    """Play a tournament, whole or half."""
    go_on(folder)
    if number:
        path = folder / "results.jsonl"
        path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:number]))


def read_tournament(folder: Path) -> Use:
    """Continue a tournament, compare it with itself, and report it."""
    config, results, timings = go_on(folder)
    compare(folder, folder)

    def use() -> None:
        if len(results) != config.num_games:
            raise Broken(f"{len(results)} games")
        found = report.summarise(config, results, timings)
        json.dumps(found, allow_nan=False, default=str)
        report.to_markdown(found)
        to_html(found, None)

    return use


def make_results(folder: Path, number: int) -> None:
    """Write the games of an evaluation."""
    found = evaluate(LOTS, NAMES, num_games=4, seed=number)
    (folder / "results.jsonl").write_text("".join(map(to_line, found.rows())))


def read_results(folder: Path) -> Use:
    """Compare the games of a run with themselves."""
    games = folder / "results.jsonl"
    found = compare(games, games)
    return lambda: console().print(found.table(), found.verdict, markup=False)


def make_dataset(folder: Path, number: int) -> None:
    """Write a dataset of two shards."""
    write_dataset(folder, LOTS, NAMES, 4, seed=number, games_per_shard=2)


def read_dataset(folder: Path) -> Use:
    """Read all shards of a dataset."""
    found = load_dataset(folder, sprawl_env.game(LOTS))
    shards = list(found)

    def use() -> None:
        count = sum(len(part.actions) for part in found.batches(7, seed=1))
        if not count == found.num_decisions == sum(len(shard.actions) for shard in shards):
            raise Broken(f"{count} decisions")

    return use


JOURNAL: Final = whole_games.Games(games=2000, only=(LOTS,))


def make_journal(folder: Path, number: int) -> None:
    """Write the results of the fuzzer's games."""
    journal = whole_games.journal_of(JOURNAL, folder)
    for chunk in range(2):
        row = {"game": LOTS, "chunk": chunk, "options": ["num_players=2"], "games": 1000}
        counts = {"plies": 6000, "checks": 1000, "finished": 1000, "seconds": 0.5}
        journal.append([{**row, **counts, "failures": []}])


def read_journal(folder: Path) -> Use:
    """Read the results of the fuzzer's games again."""
    journal = whole_games.journal_of(JOURNAL, folder)
    return lambda: console().print(whole_games.table(journal.rows, JOURNAL))


# ------------------------------------------------------------------------------------- all kinds

_CHECKPOINT: Final = "sprawl_env.bots.policy.checkpoint:load"
_RUN: Final = ("sprawl_env.learning.runs:read_settings", "sprawl_env.learning.runs:read_rows")
_SESSION: Final = ("sprawl_env.play.saves:named_in", "sprawl_env.play.saves:text_of")
_REPLAY: Final = ("sprawl_env.replays.format:_text", "sprawl_env.replays.format:parse")
_JOURNAL: Final = "sprawl_env.arena.journal:__init__"

KINDS: Final[dict[str, Kind]] = {
    "position": Kind(
        (*_SESSION, "sprawl_env.core.positions:_read"), make_position, read_save, variants=18
    ),
    "save": Kind(_REPLAY, make_save, read_save, variants=18),
    "replay": Kind(_REPLAY, make_replays, read_replays, variants=12),
    "data": Kind(
        ("sprawl_env.core.data:_read",), make_data, read_data, variants=24, damaged="data/*"
    ),
    "checkpoint": Kind((_CHECKPOINT,), make_checkpoint, read_checkpoint, variants=2),
    "weights": Kind(
        ("sprawl_env.bots.networks:_load_weights",), make_weights, read_weights, variants=2
    ),
    "agent": Kind((_CHECKPOINT, "sprawl_env.bots.policy.agents:_describe"), make_agent, read_agent),
    "run": Kind(
        (_CHECKPOINT, *_RUN, "sprawl_env.learning.training:read_games"),
        make_run,
        read_run,
    ),
    "search run": Kind(
        (_CHECKPOINT, *_RUN, "sprawl_env.learning.expert_training:read_learner"),
        make_search_run,
        read_search_run,
    ),
    "export": Kind((_CHECKPOINT, "experiments.export:read"), make_run, read_export),
    "tournament": Kind(
        (
            _JOURNAL,
            "sprawl_env.arena.tournament:_compare",
            "sprawl_env.arena.compare:_config_in",
        ),
        make_tournament,
        read_tournament,
        variants=3,
        damaged="*.json*",
    ),
    "results": Kind(
        ("sprawl_env.arena.compare:_games_in", "sprawl_env.arena.compare:_is_of_tournament"),
        make_results,
        read_results,
        variants=3,
    ),
    "dataset": Kind(
        (
            "sprawl_env.learning.datasets:read_description",
            "sprawl_env.learning.datasets:read_shard",
        ),
        make_dataset,
        read_dataset,
        variants=2,
    ),
    "journal": Kind(
        (_JOURNAL, "experiments.fuzz.running:open_journal"), make_journal, read_journal
    ),
}


def files_in(folder: Path, kind: Kind) -> list[Path]:
    """Return the files of a variant that are damaged, in order."""
    found: Iterable[Path] = folder.glob(kind.damaged)
    return sorted(path for path in found if path.is_file() and not path.name.startswith("."))


__all__ = ["KINDS", "OWN", "Broken", "Kind", "files_in", "readers"]
