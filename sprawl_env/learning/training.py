"""Train a policy by self-play: masked PPO against a growing pool of opponents.

Example::

    python -m experiments.train --preset quick            # at most 5 minutes on 2 cores
    python -m experiments.train --preset full --seed 3
    python -m experiments.train --resume runs/tower_up-full-3
    python -m experiments.train --game ginkgopolis --num-players 1   # solo, against the automaton

A run is a folder ``runs/NAME``.  It holds ``config.json``, ``checkpoints/step-*`` (weights as
safetensors with one JSON), ``tensorboard`` and, at the end, ``evaluation.json`` and
``evaluation.txt``.

The opponent pool holds the bots ``random`` and ``greedy`` and the run's own past checkpoints.  A
game with one seat has no pool: the policy and these bots play the same deals against the automaton.

Training runs in several processes (:mod:`sprawl_env.learning.team`).  Every process runs the same
program on its own games.  Rank 0 also writes the files, shows the progress and compiles the kernels
before the other ranks start.
"""

from __future__ import annotations

import io
import json
import signal
import time
from collections import defaultdict, deque
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger, configure
from threadpoolctl import threadpool_limits

from sprawl_env.adapters.sb3 import SelfPlayVecEnv
from sprawl_env.arena.evaluation import Line, measure, measure_alone, seats_of, table
from sprawl_env.bots.greedy import heuristic_of
from sprawl_env.bots.names import make_bot
from sprawl_env.bots.policy.checkpoint import (
    OPTIMIZER,
    PREFIX,
    SHAPE,
    Checkpoint,
    CheckpointError,
    check_tensors,
    describe_game,
    load,
    remove_unfinished,
    save,
)
from sprawl_env.bots.policy.player import PolicyBot, load_network
from sprawl_env.bots.protocol import Bot, ask
from sprawl_env.console import console, parse_options, say
from sprawl_env.core.errors import InvalidOption
from sprawl_env.core.files import parse_json, read_text, remove_leftovers, write_atomically
from sprawl_env.core.game import Game
from sprawl_env.core.provenance import provenance
from sprawl_env.core.registry import game as make_game
from sprawl_env.core.state import AUTOMATON
from sprawl_env.kernels.rng import combine
from sprawl_env.learning.config import PRESETS, Config, check
from sprawl_env.learning.imitation import Dataset, collect, imitate
from sprawl_env.learning.policy import EntityPolicy
from sprawl_env.learning.ppo import SharedPPO
from sprawl_env.learning.team import Team, start

RECENT_GAMES = 400  # number of games in the win rates shown
IMITATION_GAMES = 256  # games that the expert plays at the same time, over all processes
IMITATION_BATCH = 512  # decisions per gradient step of behaviour cloning
COLLECTION_SHARE = 0.6  # largest share of the imitation time spent on collecting the dataset
DATASET_BYTES = 3_000_000_000  # largest dataset, over all processes
IMITATION_RATE = 4e-3  # step size of behaviour cloning
ADAM_EPSILON = 1e-5
MOMENTS = ("step", "exp_avg", "exp_avg_sq")  # what Adam keeps for a parameter
PLAIN_SECONDS = 20.0  # time between lines of progress if the output is not a terminal
KEPT_WHEN_RESUMED = {"resume"}


class Clock:
    """Measures the fraction of training done, by steps or by time, whichever is larger.

    Ranks measure different times.  :meth:`agree` sends the fraction of rank 0 to all ranks.
    """

    def __init__(self, config: Config, team: Team, seconds_before: float = 0.0) -> None:
        self._limit = config.max_minutes * 60
        self._total = config.total_steps
        self._team = team
        self._start = time.monotonic() - seconds_before
        self._agreed = 0.0
        self.steps = 0

    @property
    def seconds(self) -> float:
        """Seconds of training, including those before the run was resumed."""
        return time.monotonic() - self._start

    @property
    def fraction(self) -> float:
        """Fraction of the training done, 0 to 1, as this process measures it."""
        by_time = self.seconds / self._limit if self._limit > 0 else 0.0
        return min(1.0, max(by_time, self.steps / self._total))

    def agree(self) -> float:
        """Return the fraction done as rank 0 measures it; all ranks must call this."""
        self._agreed = self._team.all_gather(self.fraction)[0]
        return self._agreed

    def annealed(self, value: float) -> float:
        """Return ``value``, annealed linearly to 5% of it, by the last agreed fraction."""
        return value * max(0.05, 1.0 - self._agreed)


def limit_threads() -> None:
    """Use one thread per process; the training processes share the cores."""
    torch.set_num_threads(1)  # with small networks more threads are slower
    torch.distributions.Distribution.set_default_validate_args(False)  # costs 10%
    threadpool_limits(1, "blas")


def make_env(config: Config, game: Game, team: Team, step: int) -> SelfPlayVecEnv:
    """Return this rank's games; ``step`` is where the training starts or resumes."""
    return SelfPlayVecEnv(
        game,
        config.num_envs // team.size,
        reward=config.reward,
        scale=config.reward_scale,
        seed=combine(config.seed + step, team.rank),
    )


def compile_everything(config: Config, env: SelfPlayVecEnv, game: Game) -> None:
    """Compile the kernels of the rules and the bots, so that the clock does not count it."""
    observations: Any = env.reset()
    bots = [make_bot("greedy", game)]
    if config.imitation:
        bots.append(make_expert(config, game, config.seed))
    for bot in bots:
        ask(bot, game, env.games, np.arange(1), observations[:1], env.action_masks()[:1])


def make_model(config: Config, game: Game, env: Any, clock: Clock, team: Team) -> SharedPPO:
    """Return the learner; its weights are the same in every process."""
    model = SharedPPO(
        EntityPolicy,
        env,
        n_steps=config.num_steps,
        batch_size=config.batch_size // team.size,
        n_epochs=config.num_epochs,
        learning_rate=lambda _: clock.annealed(config.learning_rate),
        ent_coef=config.entropy,
        gamma=config.gamma,
        gae_lambda=config.gae_lambda,
        policy_kwargs={
            "net_arch": {"width": config.width, "trunk": config.trunk},
            "layout": game.observation_layout,
            "actions": game.actions,
            "optimizer_kwargs": {"eps": ADAM_EPSILON, "fused": True},
        },
        team=team,
        seed=config.seed,
        device="cpu",
    )
    torch.manual_seed(config.seed + team.rank)  # from here on the ranks sample differently
    return model


def model_tensors(model: SharedPPO) -> dict[str, Any]:
    """Return the weights and Adam's moments as arrays by name."""
    tensors = {f"policy.{k}": v.detach().numpy() for k, v in model.policy.state_dict().items()}
    for k, moments in model.policy.optimizer.state_dict()["state"].items():
        for name, value in moments.items():
            tensors[f"optimizer.{k}.{name}"] = value.detach().numpy()
    return tensors


def make_expert(config: Config, game: Game, seed: int) -> Bot:
    """Return the bot to imitate."""
    return make_bot(config.expert or heuristic_of(game.rules).expert, game, seed)


def behaviour_cloning(config: Config, game: Game, model: SharedPPO, clock: Clock) -> None:
    """Imitate the expert before the first step of reinforcement learning."""
    team = model.team
    seed = combine(config.seed, team.rank)
    expert = make_expert(config, game, seed)
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TimeElapsedColumn(),
        console=console(),
        disable=team.rank != 0,
    )

    def collected(done: float) -> bool:
        bar.update(task, completed=done)
        return clock.fraction < COLLECTION_SHARE * config.imitation_share

    with bar:
        task = bar.add_task(f"collecting decisions of {expert.name}", total=1.0)
        most = DATASET_BYTES // Dataset.bytes_per_decision(game)
        dataset = collect(
            game,
            expert,
            min(config.imitation, most) // team.size,
            games=-(-IMITATION_GAMES // team.size),
            reward=config.reward,
            seed=seed,
            progress=collected,
        )
        agreement = imitate(
            model,
            dataset,
            epochs=config.imitation_epochs,
            batch_size=-(-IMITATION_BATCH // team.size),
            scale=config.reward_scale,
            learning_rate=IMITATION_RATE,
            time_used=lambda: clock.agree() / config.imitation_share,
            progress=lambda done, agreed: bar.update(
                task, completed=done, description=f"behaviour cloning, agreement {agreed:.0%}"
            ),
        )
    count = sum(team.all_gather(len(dataset.returns)))
    if team.rank == 0:
        say(f"imitated {count:,.0f} decisions of {expert.name}, agreement {agreement:.0%}")


def restore(model: SharedPPO, checkpoint: Checkpoint) -> None:
    """Load a checkpoint's weights and Adam's moments into a model.

    Raises:
        CheckpointError: the checkpoint is of a model with another network.
    """
    weights = {
        name.removeprefix("policy."): torch.from_numpy(array.copy())
        for name, array in checkpoint.tensors.items()
        if name.startswith("policy.")
    }
    check_tensors(checkpoint)
    moments: dict[int, dict[str, Any]] = defaultdict(dict)
    parameters = list(model.policy.parameters())
    for name, array in checkpoint.tensors.items():
        found = OPTIMIZER.fullmatch(name)
        if found is None:
            continue
        number, kind = int(found[1]), found[2]
        known = number < len(parameters)
        shape = (1,) if kind == "step" else tuple(parameters[number].shape) if known else None
        if not known or (array.shape or (1,)) != shape:
            raise CheckpointError(
                f"checkpoint {str(checkpoint.path)!r}: does not fit this config: {name} has shape "
                f"{array.shape}"
            )
        moments[number][kind] = torch.from_numpy(array.copy())
    if any(len(found) != len(MOMENTS) for found in moments.values()):
        raise CheckpointError(
            f"checkpoint {str(checkpoint.path)!r}: expected {', '.join(MOMENTS)} of a parameter"
        )
    try:
        model.policy.load_state_dict(weights)
        state = model.policy.optimizer.state_dict()
        model.policy.optimizer.load_state_dict({**state, "state": dict(moments)})
    except (RuntimeError, ValueError, KeyError) as error:
        first = str(error).splitlines()[0]
        raise CheckpointError(
            f"checkpoint {str(checkpoint.path)!r}: does not fit this config: {first}"
        ) from None


class SelfPlay(BaseCallback):
    """Callback of all ranks: adds to the opponent pool, anneals, and stops at the limit."""

    def __init__(self, config: Config, game: Game, clock: Clock) -> None:
        super().__init__()
        self._config = config
        self._game = game
        self._clock = clock
        self._last_saved = 0
        self._steps_before = 0  # steps before this rollout
        self._references: list[Bot] = [
            make_bot("greedy", game, config.seed),
            make_bot("random", game, config.seed),
        ]
        self._past: list[Bot] = []
        self._rng = np.random.default_rng(config.seed)
        self.interrupted = False

    # the pool ---------------------------------------------------------------------

    def remember(self, step: int, network: Any) -> None:
        """Add a past policy to the opponent pool; does nothing on one seat."""
        if self._game.num_seats == 1:
            return
        seed = self._config.seed + step
        self._past.append(PolicyBot.from_network("self", network, seed))

    def set_pool(self) -> None:
        """Set the opponents and their weights; a few own checkpoints share what is left over."""
        if self._game.num_seats == 1:
            return
        config = self._config
        newest = np.arange(len(self._past))[-config.pool_size :]
        shares = np.array([config.greedy_share, config.random_share])
        own = np.zeros(len(self._past))
        if newest.size:
            active = self._rng.choice(newest, min(config.pool_active, newest.size), replace=False)
            own[active] = (1 - shares.sum()) / active.size
        weights = np.concatenate([shares, own])
        if weights.sum() <= 0:
            weights[0] = 1.0
        env: Any = self.training_env
        env.set_opponents([*self._references, *self._past], weights)

    def save(self) -> None:
        """Add the current policy to the opponent pool."""
        learner: Any = self.model
        self._last_saved = learner.num_timesteps
        self.remember(learner.num_timesteps, learner.policy.mlp_extractor)

    # what Stable-Baselines3 calls ------------------------------------------------

    def _on_training_start(self) -> None:
        self._last_saved = self.num_timesteps
        if self.num_timesteps == 0 and not self._past:  # a resumed run has it already
            self.save()  # also keeps the result of behaviour cloning

    def _on_rollout_start(self) -> None:
        learner: Any = self.model
        self._steps_before = self._clock.steps = learner.num_timesteps
        self._clock.agree()
        if self._steps_before - self._last_saved >= self._config.checkpoint_every:
            self.save()
        self.set_pool()
        learner.ent_coef = self._clock.annealed(self._config.entropy)

    def _on_step(self) -> bool:
        learner: Any = self.model
        played = learner.num_timesteps - self._steps_before
        self._clock.steps = self._steps_before + played * learner.team.size
        return self._clock.fraction < 1.0 and not self.interrupted


class Reported(SelfPlay):
    """Callback of rank 0: also writes checkpoints and shows the win rates of its own games."""

    def __init__(self, config: Config, game: Game, clock: Clock, folder: Path) -> None:
        super().__init__(config, game, clock)
        self._folder = folder
        self._last_line = time.monotonic()
        self._won: dict[str, deque[float]] = defaultdict(lambda: deque(maxlen=RECENT_GAMES))
        self._console = console()
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f}%"),
            TimeElapsedColumn(),
            TextColumn("{task.fields[rates]}"),
            console=self._console,
        )
        self._task: TaskID = self._bar.add_task("training", total=1.0, rates="")

    def save(self) -> None:
        """Write a checkpoint and add it to the opponent pool."""
        learner: Any = self.model
        tensors = model_tensors(learner)
        step = learner.num_timesteps
        about = {
            **describe_game(self._game),
            "step": step,
            "seconds": round(self._clock.seconds, 1),
            "seed": self._config.seed,
            "network": {key: getattr(self._config, key) for key in SHAPE},
            "config": json.loads(json.dumps(asdict(self._config), default=str)),
        }
        save(self._folder / "checkpoints" / f"{PREFIX}{step:010d}", tensors, about)
        super().save()

    def close(self) -> None:
        """Stop the progress bar and restore the terminal."""
        self._bar.stop()

    def _on_training_start(self) -> None:
        super()._on_training_start()
        self._bar.start()

    def _on_rollout_start(self) -> None:
        super()._on_rollout_start()
        self._show()

    def _on_step(self) -> bool:
        for info in self.locals["infos"]:
            if "won" in info:
                for name in set(info["opponents"]):
                    self._won[name].append(info["won"])
        return super()._on_step()

    def _on_training_end(self) -> None:
        self._show()
        self.close()

    def _rates(self) -> str:
        names = [n for n in ("random", "greedy", "self", AUTOMATON) if n in self._won]
        return "wins " + ", ".join(f"{n} {np.mean(self._won[n]):.0%}" for n in names)

    def _show(self) -> None:
        rates = self._rates()
        steps = self._clock.steps
        speed = f"{steps / max(self._clock.seconds, 1e-9):,.0f}/s"
        self._bar.update(
            self._task,
            completed=self._clock.fraction,
            description=f"step {steps:,} ({speed})",
            rates=rates,
        )
        for name, won in self._won.items():
            self.logger.record(f"wins/{name}", float(np.mean(won)))
        if not self._console.is_terminal and time.monotonic() - self._last_line > PLAIN_SECONDS:
            self._last_line = time.monotonic()
            self._console.print(f"{self._clock.fraction:4.0%}  step {steps:,}  {speed}  {rates}")


def run_folder(config: Config) -> Path:
    """Return the folder of a new run; a default name gets a number if the folder exists.

    Raises:
        InvalidOption: ``config.name`` is given and that run exists.
    """
    name = config.name or f"{config.game.replace(':', '-')}-{config.preset}-{config.seed}"
    folder = config.runs / name
    if (folder / "config.json").exists() and config.name:
        raise InvalidOption(
            f"run {str(folder)!r} exists: resume it with --resume {folder}, or use another --name"
        )
    number = 1
    while (folder / "config.json").exists():
        number += 1
        folder = config.runs / f"{name}-{number}"
    return folder


def read_config(folder: Path) -> Config:
    """Return the config of a run that is to be resumed.

    Raises:
        InvalidOption: the run does not exist, or its config is damaged.
    """
    path = folder / "config.json"
    try:
        written = parse_json(read_text(path))["config"]
        known = {field.name for field in fields(Config)} - KEPT_WHEN_RESUMED
        values = {name: written[name] for name in known}
        values["runs"] = Path(values["runs"])
        values["options"] = tuple(values["options"])
        config = Config(**values)
    except FileNotFoundError:
        raise InvalidOption(
            f"resume: {str(path)!r} does not exist: expected a run's folder"
        ) from None
    except OSError as error:
        raise InvalidOption(f"resume: {str(path)!r} cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise InvalidOption(f"resume: {str(path)!r} is damaged") from None
    try:
        check(config)
    except InvalidOption as error:
        raise InvalidOption(f"resume: {str(path)!r} is damaged: {error}") from None
    return config


def newest_checkpoint(folder: Path, game: Game) -> Checkpoint | None:
    """Return the newest checkpoint that is complete; None if there is none."""
    for path in sorted((folder / "checkpoints").glob(f"{PREFIX}*"), reverse=True):
        try:
            return load_of_run(path, game)
        except CheckpointError as error:
            say(f"skipped: {error}")
    return None


def load_of_run(path: Path, game: Game) -> Checkpoint:
    """Return a checkpoint of a run, whose folder is named after its step.

    Raises:
        CheckpointError: as :func:`~sprawl_env.bots.policy.checkpoint.load`, or it is of another
            step.
    """
    checkpoint = load(path, game)
    if path.name != f"{PREFIX}{checkpoint.step:010d}":
        raise CheckpointError(f"checkpoint {str(path)!r}: is of step {checkpoint.step}")
    return checkpoint


def past_policies(
    checkpoint: Checkpoint, game: Game, count: int, rank: int
) -> list[tuple[int, Any]]:
    """Return the steps and networks of the newest checkpoints up to one, oldest first.

    Damaged ones are passed over, which rank 0 says.

    Args:
        checkpoint: the newest one.
        game: the game.
        count: largest number of networks.
        rank: this process's rank.
    """
    paths = sorted(checkpoint.path.parent.glob(f"{PREFIX}*"), reverse=True)
    found: list[tuple[int, Any]] = []
    for path in paths:
        if path.name > checkpoint.path.name or len(found) == count:
            continue
        try:
            past = load_of_run(path, game)
            found.append((past.step, load_network(past, game)))
        except CheckpointError as error:
            if rank == 0:
                say(f"skipped: {error}")
    return found[::-1]


def train(config: Config, folder: Path, game: Game) -> bool:
    """Train to the end as rank 0; returns False if interrupted by Ctrl-C."""
    checkpoint = newest_checkpoint(folder, game)
    path = checkpoint.path if checkpoint else None
    with start(config.processes, train_other_rank, config, path) as team:
        limit_threads()
        env = make_env(config, game, team, checkpoint.step if checkpoint else 0)
        compile_everything(config, env, game)
        team.barrier()  # the other ranks start now
        clock = begin(config, team, checkpoint)
        callback = Reported(config, game, clock, folder)
        model = make_model(config, game, env, clock, team)
        model.set_logger(configure(str(folder / "tensorboard"), ["tensorboard"]))
        if checkpoint is not None:
            say(
                f"resuming {folder} at step {checkpoint.step:,} of {config.total_steps:,}, "
                f"{clock.fraction:.0%} done"
            )

        def interrupt(*_: object) -> None:
            callback.interrupted = True

        before = signal.signal(signal.SIGINT, interrupt)
        try:
            learn(config, game, model, callback, clock, checkpoint)
            if checkpoint is None or checkpoint.step < model.num_timesteps:
                callback.save()
        finally:
            signal.signal(signal.SIGINT, before)
            callback.close()
        return not callback.interrupted


def train_other_rank(team: Team, config: Config, path: Path | None) -> None:
    """Train as rank 1 or more: the same program, which writes no files and prints nothing."""
    limit_threads()
    options = parse_options(config.options)
    game = make_game(config.game, num_players=config.num_players, **options)
    checkpoint = load(path, game) if path else None
    team.barrier()  # rank 0 has compiled everything
    env = make_env(config, game, team, checkpoint.step if checkpoint else 0)
    clock = begin(config, team, checkpoint)
    model = make_model(config, game, env, clock, team)
    model.set_logger(Logger(None, []))
    learn(config, game, model, SelfPlay(config, game, clock), clock, checkpoint)


def begin(config: Config, team: Team, checkpoint: Checkpoint | None) -> Clock:
    """Return the clock of a training that starts or resumes now."""
    clock = Clock(config, team, float(checkpoint.about.get("seconds", 0)) if checkpoint else 0.0)
    clock.steps = checkpoint.step if checkpoint else 0
    return clock


def learn(
    config: Config,
    game: Game,
    model: SharedPPO,
    callback: SelfPlay,
    clock: Clock,
    checkpoint: Checkpoint | None,
) -> None:
    """Run reinforcement learning from the start or from a checkpoint; called by all ranks."""
    callback.init_callback(model)
    if checkpoint is not None:
        restore(model, checkpoint)
        model.num_timesteps = checkpoint.step
        for step, network in past_policies(checkpoint, game, config.pool_size, model.team.rank):
            callback.remember(step, network)
    elif config.imitation:
        behaviour_cloning(config, game, model, clock)
    if clock.agree() < 1.0:
        model.learn(config.total_steps - clock.steps, callback=callback, reset_num_timesteps=False)


def evaluate(config: Config, folder: Path, game: Game) -> dict[str, list[Line]]:
    """Evaluate the newest checkpoint against ``random`` and ``greedy``; write a table and JSON.

    On one seat the policy and these bots play the same deals against the automaton.

    Returns:
        The lines of the result, by opponent.
    """
    trained = make_bot(f"checkpoint:{folder}", game)
    references = {name: make_bot(name, game) for name in ("random", "greedy")}
    num_games, seed = config.evaluation_games, config.seed + 1
    out = console()
    alone = game.num_seats == 1
    lines: dict[str, list[Line]] = {}
    if alone:
        names, bots = ["policy", *references], [trained, *references.values()]
        lines[AUTOMATON], _ = measure_alone(game, names, bots, num_games, seed)
    else:
        others = game.num_seats - 1
        for name, reference in references.items():
            names, bots = ["policy"] + [name] * others, [trained] + [reference] * others
            lines[name], _ = measure(game, names, bots, num_games, seed)
    plain = io.StringIO()
    text = Console(file=plain, width=110)
    for opponent, found in lines.items():
        title = f"{game.title}, {seats_of(game)}: {trained.name} v {opponent}"
        shown = table(title, found, margins=alone)
        out.print(shown)
        text.print(shown)
    write_atomically(folder / "evaluation.txt", plain.getvalue())
    result = {
        "checkpoint": trained.name,
        "results": {name: [asdict(line) for line in found] for name, found in lines.items()},
        "config": asdict(config),
        **provenance(),
    }
    write_atomically(folder / "evaluation.json", json.dumps(result, indent=1, default=str))
    say(f"policy: checkpoint:{folder}   results: {folder / 'evaluation.txt'}")
    return lines


def main(config: Config) -> tuple[Path, bool, dict[str, list[Line]]]:
    """Train, then evaluate; return the folder, whether training finished, and the lines."""
    if config.resume is not None:
        folder = config.resume
        config = read_config(folder)
    else:
        check(config)
        folder = run_folder(config)
    game = make_game(config.game, num_players=config.num_players, **parse_options(config.options))
    if config.imitation:
        make_expert(config, game, config.seed)  # an unknown bot is refused before a file is written
    written = {"config": asdict(replace(config, resume=None)), **provenance()}
    if folder.is_dir():
        remove_leftovers(folder)
        remove_unfinished(folder / "checkpoints")
    if not (folder / "config.json").exists():
        try:
            write_atomically(folder / "config.json", json.dumps(written, indent=1, default=str))
        except OSError as error:
            raise InvalidOption(f"run {str(folder)!r}: cannot be made: {error.strerror}") from None
    if not train(config, folder, game):
        say(f"interrupted; resume with: python -m experiments.train --resume {folder}")
        return folder, False, {}
    return folder, True, evaluate(config, folder, game) if config.evaluation_games else {}


__all__ = ["PRESETS", "Config", "check", "main"]
