"""A run of training: its folder, its clock, its games and updates.

Example::

    python -m experiments.train --preset quick            # at most 5 minutes on 2 cores
    python -m experiments.train --preset full --seed 3
    python -m experiments.train --resume runs/tower_up-full-3
    python -m experiments.train --game ginkgopolis --num-players 1   # solo, against the automaton

A run is a folder ``runs/NAME``.  It holds ``config.json``, ``checkpoints/step-*`` (weights as
safetensors with one JSON), ``tensorboard`` and, at the end, ``evaluation.json`` and
``evaluation.txt``.

The algorithm is in :mod:`sprawl_env.learning.ppo`; what is written and shown in
:mod:`sprawl_env.learning.report`.  Training runs in several processes
(:mod:`sprawl_env.learning.team`).  Every process runs the same program on its own games.  Rank 0
also writes the files, shows the progress and compiles the kernels before the other ranks start.

At a checkpoint all random numbers are seeded again from the seed and the step, and the positions of
all games are stored with it.  So a run with a limit in decisions that was killed and resumed ends
with the same bytes as one that was not.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import safetensors
import safetensors.numpy
import torch

from sprawl_env.adapters.vector import make_vec
from sprawl_env.arena.entrants import CHECKPOINT, guarded_bot, pinned
from sprawl_env.arena.evaluation import Line
from sprawl_env.bots.greedy import heuristic_of
from sprawl_env.bots.names import make_bot
from sprawl_env.bots.policy.checkpoint import (
    Checkpoint,
    CheckpointError,
    checkpoints_in,
    load,
    reward_scale_of,
    step_of,
)
from sprawl_env.bots.policy.player import weights_of
from sprawl_env.bots.protocol import Bot, ask
from sprawl_env.bots.search.bot import checkpoint_of
from sprawl_env.console import parse_options, say
from sprawl_env.core.checks import check_memory
from sprawl_env.core.errors import InvalidOption
from sprawl_env.core.files import read_bytes
from sprawl_env.core.game import Game
from sprawl_env.core.processes import leave_if_imported
from sprawl_env.core.registry import game as make_game
from sprawl_env.kernels.rng import combine
from sprawl_env.learning.config import PRESETS, Config, check
from sprawl_env.learning.imitation import (
    ILLEGAL,
    Demonstrations,
    collect_demonstrations,
    imitate,
    revive,
)
from sprawl_env.learning.ppo import (
    FIRST_BOT,
    LEARNER,
    ActorCritic,
    Batch,
    Going,
    Learner,
    RowPlayer,
    SelfPlay,
    Stopwatch,
    actor_critic,
    loss_kernel,
)
from sprawl_env.learning.process import Clock, begin, gpu_of, prepare_process, prepared_process
from sprawl_env.learning.report import GAMES_FILE, Report, evaluate
from sprawl_env.learning.runs import owned_run, progress_bar
from sprawl_env.learning.stored import (
    checkpoint_to_resume,
    load_of_run,
    restore,
    restore_weights,
)
from sprawl_env.learning.team import Team, start

IMITATION_GAMES: Final = 256  # games that the expert plays at the same time, over all processes
IMITATION_BATCH: Final = 512  # decisions per gradient step of behaviour cloning
COLLECTION_SHARE: Final = 0.6  # largest share of the imitation time spent on collecting the dataset
DATASET_BYTES: Final = 3_000_000_000  # largest dataset, over all processes
IMITATION_RATE: Final = 4e-3  # step size of behaviour cloning
FIRST_SPACING: Final = 100_000  # decisions between the first checkpoints
AGENT: Final = "agent:"  # begins the name of an agent, as that of a bot


def make_expert(config: Config, game: Game, seed: int) -> Bot:
    """Return the bot to imitate."""
    return make_bot(config.expert or heuristic_of(game.rules).expert, game, seed)


def opponents(config: Config, game: Game) -> list[tuple[Bot, float]]:
    """Return the bots among the opponents, with their shares of the games."""
    shares = {"greedy": config.greedy_share, "random": config.random_share}
    if config.opponent:
        shares[config.opponent] = shares.get(config.opponent, 0.0) + config.opponent_share
    alone = game.num_seats == 1
    found = {name: share for name, share in shares.items() if share and not alone}
    return [(guarded_bot(name, game), share) for name, share in found.items()]


def imitates(config: Config) -> bool:
    """Return whether a run begins with behaviour cloning."""
    return config.imitation > 0 and config.imitation_epochs > 0 and config.start is None


def compile_everything(config: Config, game: Game, *, begins: bool) -> None:
    """Compile the kernels of the rules, the bots and the network, before the clock starts.

    Otherwise each process compiles those that it needs first.

    Args:
        config: the settings.
        game: the game.
        begins: whether the run begins; else it goes on after behaviour cloning.
    """
    will_imitate = begins and imitates(config)
    vec = make_vec(game, 2, reward=config.reward, observations="int8", skip_forced=True)
    vec.reset()
    vec.step(vec.sample_actions())
    bots = [make_bot("greedy", game), *(bot for bot, _ in opponents(config, game))]
    if will_imitate:
        bots.append(make_expert(config, game, config.seed))
    seen = vec.observations[:1] * game.observation_layout.scales
    for bot in bots:
        ask(bot, game, vec.games, np.arange(1), seen, vec.masks[:1])
    device = torch.device(config.device)
    learner = Learner(config, game, Team(), device, Stopwatch())
    numbers, masks = (torch.from_numpy(x[:1]).to(device) for x in (vec.observations, vec.masks))
    if learner.net.in_rows:
        RowPlayer(loss_kernel(learner.net), learner.net).sample(numbers, masks)
    zeros, row = torch.zeros(1, device=device), torch.zeros(1, dtype=torch.int64, device=device)
    learner.summed(Batch(numbers, masks, row, zeros, zeros, zeros, row), 0.0)(row)
    if will_imitate:
        targets = np.where(vec.masks[:1] == 0, ILLEGAL, 1.0).astype(np.float16)
        example = Demonstrations(vec.observations[:1].copy(), targets, np.zeros(1, np.float32))
        imitate(
            learner, example, epochs=1, batch_size=1, learning_rate=IMITATION_RATE,
            time_used=lambda: 0.0, progress=lambda *_: None,
        )  # fmt: skip


class Trainer:
    """One rank's training: games and updates in turn, until the clock says stop.

    Args:
        config: the settings, resolved.
        game: the game.
        team: the process group.
        checkpoint: where to go on; None: from the start.
        report: rank 0: writes the files and shows the progress.
    """

    def __init__(
        self,
        config: Config,
        game: Game,
        team: Team,
        checkpoint: Checkpoint | None = None,
        report: Report | None = None,
    ) -> None:
        self.config, self.game, self.team = config, game, team
        self.clock = Clock(config, team, checkpoint)
        self.watch = Stopwatch()
        device = torch.device(config.device)
        self.learner = Learner(config, game, team, device, self.watch)
        self.games = SelfPlay(config, game, team, device, opponents(config, game), watch=self.watch)
        self._report = report
        self._last_saved = self.clock.steps
        if checkpoint is None and config.start is not None:
            begin_from(self.learner.net, load(config.start, game), config)
        if checkpoint is not None:
            restore(self.learner, checkpoint)
            count = config.pool_size if config.past_share else 0
            for net in past_networks(checkpoint, config, game, count, team.rank):
                self._remember(net)

    def run(self, checkpoint: Checkpoint | None = None) -> None:
        """Train from the start or from a checkpoint to the end.

        A run that is interrupted during behaviour cloning has no checkpoint, so that it begins from
        the start when it is resumed.
        """
        if checkpoint is None:
            if imitates(self.config):
                behaviour_cloning(self.config, self.game, self.learner, self.clock)
                if self.clock.is_ending:
                    return
            self.save()
        else:
            self.go_on(checkpoint)
        while self.clock.agree() < 1.0:
            statistics = self.round()
            if self.clock.steps - self._last_saved >= self.spacing:
                self.save()
            if self._report:
                self._report.show(self.clock, self.watch, self.games, statistics)
            self.games.won.clear()  # also in the ranks that show nothing
        if self.clock.steps > self._last_saved:
            self.save()

    @property
    def spacing(self) -> int:
        """Decisions until the next checkpoint: fewer at first, when a policy changes fastest."""
        return min(self.config.checkpoint_every, max(FIRST_SPACING, self._last_saved // 4))

    def round(self) -> Mapping[str, float]:
        """Play and update once; return the means of what is logged."""
        rollout = self.games.collect(self.learner.net)
        batch = self.games.estimate(rollout)
        used, statistics = self.learner.update(batch, self.clock.annealing)
        self.clock.steps += used
        return statistics

    def save(self) -> None:
        """Write a checkpoint, add its network to the opponents, and seed what follows."""
        step = self.clock.steps
        going = self.games.going if step else None
        stored = self.all_games() if step else {}
        if self._report:
            self._report.save(self.clock, self.learner, self.games, stored)
        self._last_saved = step
        self._remember(self.learner.net.frozen())
        self.games.begin(step, going)

    def _remember(self, net: ActorCritic) -> None:
        """Add a network to the opponents, if it will play; the oldest one leaves."""
        if not self.config.past_share:
            return
        self.games.past.append(net)
        del self.games.past[: -self.config.pool_size]

    def all_games(self) -> dict[str, Any]:
        """Return the arrays of the games of all ranks; the records are bytes ``[n, size]``."""
        going, n = self.games.going, self.games.n
        records: Any = np.frombuffer(going.games.tobytes(), np.uint8).reshape(n, -1)
        found = {}
        for name, own in going._replace(games=records)._asdict().items():
            whole = np.zeros((self.config.num_envs, *own.shape[1:]), own.dtype)
            whole[self.team.rank * n : (self.team.rank + 1) * n] = own
            found[name] = self.team.all_reduce(whole)
        return found

    def go_on(self, checkpoint: Checkpoint) -> None:
        """Continue the games of a checkpoint, or deal new ones if they cannot be read."""
        step = checkpoint.step
        if self._report:
            with self.clock.paused():
                self._report.measure_if_due(checkpoint.path, step, self.clock.seconds)
        try:
            found = read_games(checkpoint.path / GAMES_FILE, self.game, self.config)
            own = slice(self.team.rank * self.games.n, (self.team.rank + 1) * self.games.n)
            mine: Any = [whole[own] for whole in found]
            self.games.begin(step, Going(*mine))
        except (OSError, InvalidOption) as error:
            self.games.begin(step)
            if step and self._report:
                say(f"new games are dealt, as {str(checkpoint.path / GAMES_FILE)!r}: {error}")


def read_games(path: Path, game: Game, config: Config) -> Going:
    """Return the games of all ranks that were being played at a checkpoint.

    Raises:
        OSError: the file cannot be read.
        InvalidOption: it is damaged.
    """
    n, kinds = config.num_envs, FIRST_BOT + len(opponents(config, game))
    whole = np.dtype(np.int64)
    wanted = {
        "games": ((n, game.dtype.itemsize), np.dtype(np.uint8)),
        "sitting": ((n, game.num_seats), whole),
        "opening": ((n,), whole),
    }
    try:
        found = safetensors.numpy.load(read_bytes(path))
    except (safetensors.SafetensorError, KeyError):  # KeyError: a type numpy has not
        raise InvalidOption("is damaged") from None
    if {name: (array.shape, array.dtype) for name, array in found.items()} != wanted:
        raise InvalidOption("does not fit this config")
    sitting, opening = found["sitting"], found["opening"]
    learners = (sitting == LEARNER).any(axis=1)
    if sitting.min() < 0 or sitting.max() >= kinds or not learners.all() or opening.min() < 0:
        raise InvalidOption("is damaged")
    games = np.frombuffer(found["games"].tobytes(), game.dtype).copy().view(np.recarray)
    return Going(games, sitting, opening)


def behaviour_cloning(config: Config, game: Game, learner: Learner, clock: Clock) -> None:
    """Imitate the expert before the first step of reinforcement learning.

    It ends early if the user wants to stop, see :attr:`Clock.is_ending`.
    """
    team = learner.team
    seed = combine(config.seed, team.rank)
    expert = make_expert(config, game, seed >> 32)
    bar = progress_bar(shown=team.rank == 0)

    def collected(done: float) -> bool:
        bar.update(task, completed=done)
        return clock.agree() < COLLECTION_SHARE * config.imitation_share

    with bar:
        task = bar.add_task(f"collecting decisions of {expert.name}", total=1.0)
        most = DATASET_BYTES // Demonstrations.bytes_per_decision(game)
        dataset = collect_demonstrations(
            game,
            expert,
            max(1, min(config.imitation, most) // team.size),
            games=-(-IMITATION_GAMES // team.size),
            reward=config.reward,
            seed=seed,
            progress=collected,
        )
        if clock.is_ending:
            return
        bar.remove_task(task)  # a task of its own counts its own time
        task = bar.add_task("behaviour cloning", total=1.0)
        begun = clock.agree()
        agreement = imitate(
            learner,
            dataset,
            epochs=config.imitation_epochs,
            batch_size=-(-IMITATION_BATCH // team.size),
            learning_rate=IMITATION_RATE,
            time_used=lambda: time_used(begun, clock.agree(), config.imitation_share),
            progress=lambda done, agreed: bar.update(
                task, completed=done, description=f"behaviour cloning, agreement {agreed:.0%}"
            ),
        )
    revived = revive(learner, dataset)
    count = sum(team.all_gather(len(dataset.returns)))
    if team.rank == 0 and not clock.is_ending:
        if agreement is None:
            why = "there was no time after collecting" if count else "no game ended in the"
            say(f"imitated nothing: {why} decisions of {expert.name}")
        else:
            say(f"imitated {count:,.0f} decisions of {expert.name}, agreement {agreement:.0%}")
            say(f"{revived} units of the network were silent and have new weights")


def time_used(begun: float, now: float, end: float) -> float:
    """Return the fraction of the time from the beginning of imitation to its end that has passed.

    Args:
        begun: the fraction of the training done when it began.
        now: the fraction done now.
        end: the fraction done when imitation must end.
    """
    return (now - begun) / (end - begun) if begun < end else 1.0


def past_networks(
    checkpoint: Checkpoint, config: Config, game: Game, count: int, rank: int
) -> list[ActorCritic]:
    """Return the networks of the newest checkpoints up to one, oldest first.

    Damaged ones are passed over, which rank 0 says.

    Args:
        checkpoint: the newest one.
        config: the settings of the run.
        game: the game.
        count: largest number of networks.
        rank: this process's rank.
    """
    found: list[ActorCritic] = []
    for path in reversed(checkpoints_in(checkpoint.path.parent)):
        if step_of(path) > checkpoint.step or len(found) == count:
            continue
        try:
            net = actor_critic(config, game)
            restore_weights(net, load_of_run(path, game))
            found.append(net.to(config.device).frozen())
        except CheckpointError as error:
            if rank == 0:
                say(f"skipped: {error}")
    return found[::-1]


def begin_from(net: ActorCritic, start: Checkpoint, config: Config) -> None:
    """Load the weights that a run starts from, with its values in the units of the run.

    Values of another reward are of no use: those of the run begin at 0.

    Args:
        net: changed in place.
        start: the checkpoint.
        config: the settings of the run.

    Raises:
        CheckpointError: the checkpoint is of another network.
    """
    restore_weights(net, start)
    known = start.about.get("config")
    same = isinstance(known, dict) and known.get("reward") == config.reward
    factor = config.reward_scale / reward_scale_of(start) if same else 0.0
    with torch.no_grad():
        for parameter in net.value_net.parameters():
            parameter.mul_(factor)


def train(config: Config, folder: Path, game: Game) -> bool:
    """Train to the end as rank 0; returns False if interrupted by Ctrl-C."""
    checkpoint = checkpoint_to_resume(folder, game)
    path = checkpoint.path if checkpoint else None
    with prepared_process(), start(config.processes, train_other_rank, config, path) as team:
        compile_everything(config, game, begins=checkpoint is None)
        team.barrier()  # the other ranks start now
        report = Report(config, folder, game, checkpoint.step if checkpoint else None)
        trainer = Trainer(config, game, team, checkpoint, report)
        clock = trainer.clock
        if checkpoint is not None:
            say(
                f"resuming {folder} at step {checkpoint.step:,} of {config.total_steps:,}, "
                f"{clock.fraction:.0%} done"
            )
        elif not config.gamma:
            say(f"discount {trainer.games.discount}, by the length of the game")

        with closing(report), clock.ending_on_interrupt():
            trainer.run(checkpoint)
        parts = ", ".join(f"{name} {share:.0%}" for name, share in trainer.watch.shares().items())
        say(f"trained on {clock.steps:,} decisions in {clock.seconds:,.0f} s; time: {parts}")
        return not clock.interrupted


def train_other_rank(team: Team, config: Config, path: Path | None) -> None:
    """Train as rank 1 or more: the same program, which writes no files and prints nothing."""
    prepare_process()
    options = parse_options(config.options)
    game = make_game(config.game, num_players=config.num_players, **options)
    checkpoint = load(path, game) if path else None
    team.barrier()  # rank 0 has compiled everything
    Trainer(config, game, team, checkpoint).run(checkpoint)


def fixed(config: Config, game: Game) -> Config:
    """Return a config with the newest checkpoints in place of runs that may still train.

    The network is as wide as that of the start.

    Raises:
        CheckpointError: there is no checkpoint, or it is damaged.
        UnknownName: the start is named as an agent that there is not.
    """
    config = replace(config, opponent=pinned(config.opponent), expert=pinned(config.expert))
    if config.start is None:
        return config
    name = str(config.start)
    named = name.startswith((AGENT, CHECKPOINT))
    start = checkpoint_of(name, game) if named else load(config.start, game)
    shape, _ = weights_of(start, game)
    return replace(config, start=start.path, width=shape.width, trunk=shape.trunk)


def main(config: Config) -> tuple[Path, bool, dict[str, list[Line]]]:
    """Train, then evaluate; return the folder, whether training finished, and the lines."""
    leave_if_imported()
    new = config.resume is None
    config, folder = begin(config, PRESETS, check, config.preset)
    game = make_game(config.game, num_players=config.num_players, **parse_options(config.options))
    if new:  # unknown bots are refused before a file is written
        config = fixed(config, game)
        opponents(config, game)
        if imitates(config):
            make_expert(config, game, config.seed)
    if new and config.start is not None:
        begin_from(actor_critic(config, game), load(config.start, game), config)
    row = game.observation_size + game.num_actions
    check_memory("num_envs * num_steps", config.num_envs * config.num_steps, row)
    with owned_run(folder, config, gpu_of(config.device), new=new):
        if not train(config, folder, game):
            say(
                f"interrupted; resume with: python -m experiments.train --resume {folder} (in a "
                f"clone), or sprawl_env.train(resume={str(folder)!r})"
            )
            return folder, False, {}
        return folder, True, evaluate(config, folder, game) if config.evaluation_games else {}


__all__ = ["PRESETS", "Config", "check", "main"]
