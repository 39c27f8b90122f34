"""Train a policy by self-play: masked PPO against a growing pool of opponents.

A run is a folder ``runs/NAME``: ``config.json``, ``checkpoints/step-*`` (weights as safetensors
with one JSON), ``tensorboard``, and at the end ``evaluation.json`` and ``evaluation.txt``.
The pool holds the random and the greedy bot and the run's own past checkpoints; on one seat
there is none, and the policy is measured beside those bots instead of against them.
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
    PREFIX,
    SHAPE,
    Checkpoint,
    CheckpointError,
    describe_game,
    load,
    save,
)
from sprawl_env.bots.policy.player import PolicyBot, load_network
from sprawl_env.bots.protocol import Bot, ask
from sprawl_env.console import console, parse_options, say
from sprawl_env.core.errors import InvalidOption
from sprawl_env.core.files import write_atomically
from sprawl_env.core.game import Game
from sprawl_env.core.provenance import provenance
from sprawl_env.core.registry import game as make_game
from sprawl_env.core.state import AUTOMATON
from sprawl_env.kernels.rng import combine
from sprawl_env.learning.config import PRESETS, Config, check
from sprawl_env.learning.imitation import Lessons, collect, imitate
from sprawl_env.learning.policy import EntityPolicy
from sprawl_env.learning.ppo import SharedPPO
from sprawl_env.learning.team import Team, start

RECENT_GAMES = 400  # games behind the win rates shown
IMITATION_GAMES = 256  # watched at once
IMITATION_BATCH = 512
WATCHING_SHARE = 0.6  # of the time for imitation, at most
LESSON_BYTES = 3_000_000_000  # of all processes together, at most
IMITATION_RATE = 4e-3
ADAM_EPSILON = 1e-5
PLAIN_SECONDS = 20.0  # between lines of progress where there is no terminal
KEPT_WHEN_RESUMED = {"resume"}


class Clock:
    """How far training is, 0..1: by steps or by minutes, whichever is further.

    The leader's time counts: the others know it since the last :meth:`agree`.
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
        """Seconds of training, those before a resume included."""
        return time.monotonic() - self._start

    @property
    def fraction(self) -> float:
        """Share of the training done."""
        by_time = self.seconds / self._limit if self._limit > 0 else 0.0
        return min(1.0, max(by_time, self.steps / self._total))

    def agree(self) -> float:
        """Return the share of the training done as the leader sees it; all must call."""
        self._agreed = self._team.gather(self.fraction)[0]
        return self._agreed

    def annealed(self, value: float) -> float:
        """Return ``value`` going down in a line to 5% of itself, as of the last agreement."""
        return value * max(0.05, 1.0 - self._agreed)


def limit_threads() -> None:
    """Leave the cores to the processes that train together."""
    torch.set_num_threads(1)  # more are slower on small networks
    torch.distributions.Distribution.set_default_validate_args(False)  # checks cost a tenth
    threadpool_limits(1, "blas")


def make_env(config: Config, game: Game, team: Team, step: int) -> SelfPlayVecEnv:
    """Return this process's games, for a training that goes on from a step."""
    return SelfPlayVecEnv(
        game,
        config.num_envs // team.size,
        reward=config.reward,
        scale=config.reward_scale,
        seed=combine(config.seed + step, team.rank),
    )


def compile_everything(config: Config, env: SelfPlayVecEnv, game: Game) -> None:
    """Compile the rules and the agents where that is still to do, before the clock starts."""
    seen: Any = env.reset()
    agents = [make_bot("greedy", game)]
    if config.imitation:
        agents.append(make_teacher(config, game, config.seed))
    for agent in agents:
        ask(agent, game, env.games, np.arange(1), seen[:1], env.action_masks()[:1])


def make_model(config: Config, game: Game, env: Any, clock: Clock, team: Team) -> SharedPPO:
    """Return the learner, the same in every process; also what the throughput measurement runs."""
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
    torch.manual_seed(config.seed + team.rank)  # from here on everyone draws samples of their own
    return model


def model_tensors(model: SharedPPO) -> dict[str, Any]:
    """Return weights and Adam's moments as arrays by name."""
    tensors = {f"policy.{k}": v.detach().numpy() for k, v in model.policy.state_dict().items()}
    for k, moments in model.policy.optimizer.state_dict()["state"].items():
        for name, value in moments.items():
            tensors[f"optimizer.{k}.{name}"] = value.detach().numpy()
    return tensors


def make_teacher(config: Config, game: Game, seed: int) -> Bot:
    """Return the agent to imitate."""
    return make_bot(config.teacher or heuristic_of(game.rules).expert, game, seed)


def head_start(config: Config, game: Game, model: SharedPPO, clock: Clock) -> None:
    """Imitate the teacher before the first step."""
    team = model.team
    seed = combine(config.seed, team.rank)
    teacher = make_teacher(config, game, seed)
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TimeElapsedColumn(),
        console=console(),
        disable=not team.leads,
    )

    def watch(done: float) -> bool:
        bar.update(task, completed=done)
        return clock.fraction < WATCHING_SHARE * config.imitation_share

    with bar:
        task = bar.add_task(f"watching {teacher.name}", total=1.0)
        most = LESSON_BYTES // Lessons.bytes_each(game)
        lessons = collect(
            game,
            teacher,
            min(config.imitation, most) // team.size,
            games=-(-IMITATION_GAMES // team.size),
            reward=config.reward,
            seed=seed,
            progress=watch,
        )
        agreement = imitate(
            model,
            lessons,
            epochs=config.imitation_epochs,
            batch_size=-(-IMITATION_BATCH // team.size),
            scale=config.reward_scale,
            learning_rate=IMITATION_RATE,
            time_used=lambda: clock.agree() / config.imitation_share,
            progress=lambda done, agreed: bar.update(
                task, completed=done, description=f"imitating it, {agreed:.0%} alike"
            ),
        )
    watched = sum(team.gather(len(lessons.returns)))
    if team.leads:
        say(f"imitated {watched:,.0f} decisions of {teacher.name}, {agreement:.0%} alike")


def restore(model: SharedPPO, checkpoint: Checkpoint) -> None:
    """Put a checkpoint's weights and moments into a model.

    Raises:
        CheckpointError: they are not those of such a model.
    """
    weights = {
        name.removeprefix("policy."): torch.from_numpy(array.copy())
        for name, array in checkpoint.tensors.items()
        if name.startswith("policy.")
    }
    moments: dict[int, dict[str, Any]] = defaultdict(dict)
    for name, array in checkpoint.tensors.items():
        kind, number, *rest = name.split(".")
        if kind == "optimizer":
            moments[int(number)][rest[0]] = torch.from_numpy(array.copy())
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
    """Grows the pool and stops in time; all processes do this alike."""

    def __init__(self, config: Config, game: Game, clock: Clock) -> None:
        super().__init__()
        self._config = config
        self._game = game
        self._clock = clock
        self._last_saved = 0
        self._began = 0  # steps before this rollout
        self._references: list[Bot] = [
            make_bot("greedy", game, config.seed),
            make_bot("random", game, config.seed),
        ]
        self._past: list[Bot] = []
        self._draws = np.random.default_rng(config.seed)
        self.interrupted = False

    # the pool ---------------------------------------------------------------------

    def remember(self, step: int, network: Any) -> None:
        """Add a past policy to the pool, if there are opponents."""
        if self._game.num_seats == 1:
            return
        seed = self._config.seed + step
        self._past.append(PolicyBot.from_network("self", network, seed))

    def set_pool(self) -> None:
        """Weigh the pool: references by their shares, a few own checkpoints by the rest."""
        if self._game.num_seats == 1:
            return
        config = self._config
        newest = np.arange(len(self._past))[-config.pool_size :]
        shares = np.array([config.greedy_share, config.random_share])
        own = np.zeros(len(self._past))
        if newest.size:
            active = self._draws.choice(newest, min(config.pool_active, newest.size), replace=False)
            own[active] = (1 - shares.sum()) / active.size
        weights = np.concatenate([shares, own])
        if weights.sum() <= 0:
            weights[0] = 1.0
        env: Any = self.training_env
        env.set_opponents([*self._references, *self._past], weights)

    def save(self) -> None:
        """Let the policy as it is join the pool."""
        learner: Any = self.model
        self._last_saved = learner.num_timesteps
        self.remember(learner.num_timesteps, learner.policy.mlp_extractor)

    # what Stable-Baselines3 calls ------------------------------------------------

    def _on_training_start(self) -> None:
        self._last_saved = self.num_timesteps
        if self.num_timesteps == 0:
            self.save()  # also what imitation taught

    def _on_rollout_start(self) -> None:
        learner: Any = self.model
        self._began = self._clock.steps = learner.num_timesteps
        self._clock.agree()
        if self._began - self._last_saved >= self._config.checkpoint_every:
            self.save()
        self.set_pool()
        learner.ent_coef = self._clock.annealed(self._config.entropy)

    def _on_step(self) -> bool:
        learner: Any = self.model
        played = learner.num_timesteps - self._began
        self._clock.steps = self._began + played * learner.team.size
        return self._clock.fraction < 1.0 and not self.interrupted


class Reported(SelfPlay):
    """The leader's: writes checkpoints too, and shows the win rates in its own games."""

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
        """Write a checkpoint and let it join the pool."""
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
        """Leave the terminal as it was."""
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
    """Return a new run's folder; without a name of its own it gets a number if need be.

    Raises:
        InvalidOption: the run that was named exists already.
    """
    name = config.name or f"{config.game.replace(':', '-')}-{config.preset}-{config.seed}"
    folder = config.runs / name
    if (folder / "config.json").exists() and config.name:
        raise InvalidOption(
            f"run {str(folder)!r} exists: go on with --resume {folder}, or choose another --name"
        )
    number = 1
    while (folder / "config.json").exists():
        number += 1
        folder = config.runs / f"{name}-{number}"
    return folder


def read_config(folder: Path) -> Config:
    """Return the config of a run to go on with.

    Raises:
        InvalidOption: no run, or its config is damaged.
    """
    path = folder / "config.json"
    try:
        written = json.loads(path.read_text(encoding="utf-8"))["config"]
        known = {field.name for field in fields(Config)} - KEPT_WHEN_RESUMED
        values = {name: written[name] for name in known}
        values["runs"] = Path(values["runs"])
        values["options"] = tuple(values["options"])
    except OSError:
        raise InvalidOption(
            f"resume: {str(path)!r} does not exist: expected a run's folder"
        ) from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise InvalidOption(f"resume: {str(path)!r} is damaged") from None
    return Config(**values)


def newest_checkpoint(folder: Path, game: Game) -> Checkpoint | None:
    """Return the newest checkpoint that is whole; None if there is none."""
    for path in sorted((folder / "checkpoints").glob(f"{PREFIX}*"), reverse=True):
        try:
            return load(path, game)
        except CheckpointError as error:
            say(f"passed over: {error}")
    return None


def train(config: Config, folder: Path, game: Game) -> bool:
    """Train to the end of the config; return False if interrupted by Ctrl-C."""
    checkpoint = newest_checkpoint(folder, game)
    path = checkpoint.path if checkpoint else None
    with start(config.processes, follow, config, path) as team:
        limit_threads()
        env = make_env(config, game, team, checkpoint.step if checkpoint else 0)
        compile_everything(config, env, game)
        team.wait()  # the others begin
        clock = begin(config, team, checkpoint)
        callback = Reported(config, game, clock, folder)
        model = make_model(config, game, env, clock, team)
        model.set_logger(configure(str(folder / "tensorboard"), ["tensorboard"]))
        if checkpoint is not None:
            say(
                f"going on with {folder} at step {checkpoint.step:,} of {config.total_steps:,}, "
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


def follow(team: Team, config: Config, path: Path | None) -> None:
    """Train along with the leader: the same program, without files and words."""
    limit_threads()
    options = parse_options(config.options)
    game = make_game(config.game, num_players=config.num_players, **options)
    checkpoint = load(path, game) if path else None
    team.wait()  # the leader has compiled everything
    env = make_env(config, game, team, checkpoint.step if checkpoint else 0)
    clock = begin(config, team, checkpoint)
    model = make_model(config, game, env, clock, team)
    model.set_logger(Logger(None, []))
    learn(config, game, model, SelfPlay(config, game, clock), clock, checkpoint)


def begin(config: Config, team: Team, checkpoint: Checkpoint | None) -> Clock:
    """Return the clock of a training that begins or goes on now."""
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
    """Run the training proper, from the start or from a checkpoint; all processes do this alike."""
    callback.init_callback(model)
    if checkpoint is not None:
        restore(model, checkpoint)
        model.num_timesteps = checkpoint.step
        for path in sorted(checkpoint.path.parent.glob(f"{PREFIX}*"))[-config.pool_size :]:
            if path.name <= checkpoint.path.name:
                past = load(path, game)
                callback.remember(past.step, load_network(past, game))
    elif config.imitation:
        head_start(config, game, model, clock)
    if clock.agree() < 1.0:
        model.learn(config.total_steps - clock.steps, callback=callback, reset_num_timesteps=False)


def evaluate(config: Config, folder: Path, game: Game) -> dict[str, list[Line]]:
    """Measure the newest checkpoint against the reference bots; write table and JSON.

    On one seat it is measured against the automaton, and they beside it on the same deals.
    Return the lines by opponent.
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
        folder = run_folder(config)
    check(config)
    game = make_game(config.game, num_players=config.num_players, **parse_options(config.options))
    if config.imitation:
        make_teacher(
            config, game, config.seed
        )  # an unknown bot is refused before a file is written
    written = {"config": asdict(replace(config, resume=None)), **provenance()}
    if not (folder / "config.json").exists():
        write_atomically(folder / "config.json", json.dumps(written, indent=1, default=str))
    if not train(config, folder, game):
        say(f"interrupted; go on with: python -m experiments.train --resume {folder}")
        return folder, False, {}
    return folder, True, evaluate(config, folder, game) if config.evaluation_games else {}


__all__ = ["PRESETS", "Config", "check", "main"]
