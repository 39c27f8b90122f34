"""A run of expert iteration: its folder, its clock, its checkpoints, its matches.

Example::

    python -m experiments.train_search --start tower_up/ppo-1h            # 2 hours
    python -m experiments.train_search --resume runs/tower_up-search-0

A run is a folder ``runs/NAME``.  It holds ``config.json``, ``checkpoints/step-*``,
``matches.jsonl`` and, at the end, ``evaluation.json``.  The weights of a checkpoint are the
player's, so ``checkpoint:RUN`` plays it; the file ``learner.safetensors`` beside them has the
learner's, with their running mean and Adam's moments.  After a resume games are dealt again, and
learning goes on when the window has been filled a little.

The algorithm is in :mod:`sprawl_env.learning.expert`.
"""

from __future__ import annotations

import json
import time
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import safetensors
import safetensors.numpy
import torch

from sprawl_env.arena import evaluation
from sprawl_env.arena.evaluation import Line, even_share, table
from sprawl_env.bots.policy.checkpoint import (
    POLICY,
    Checkpoint,
    CheckpointError,
    checkpoints_in,
    describe_game,
    load,
    save,
    step_name,
)
from sprawl_env.bots.search.bot import checkpoint_of, fixed_name_of
from sprawl_env.bots.search.evaluators import SPREAD_SAID, lead_spread_of, network_evaluator
from sprawl_env.console import console, parse_options, say
from sprawl_env.core.checks import check_memory
from sprawl_env.core.files import (
    read_bytes,
    write_atomically,
)
from sprawl_env.core.game import Game
from sprawl_env.core.processes import leave_if_imported
from sprawl_env.core.provenance import provenance
from sprawl_env.core.registry import game as make_game
from sprawl_env.kernels.arrays import Floats
from sprawl_env.kernels.rng import combine
from sprawl_env.learning.expert import (
    REWARD,
    SEARCHED,
    STATISTICS,
    ExpertLearner,
    SearchPlay,
    Window,
    at_temperature,
    match,
    network_of,
)
from sprawl_env.learning.expert_config import EXPERT_PRESETS, ExpertConfig, check_expert
from sprawl_env.learning.outcomes import FITTED
from sprawl_env.learning.ppo import Stopwatch
from sprawl_env.learning.process import (
    INTERRUPTED,
    Clock,
    begin,
    device_of,
    gpu_of,
    prepare_process,
    prepared_process,
)
from sprawl_env.learning.runs import (
    add_row,
    owned_run,
    progress_bar,
    read_rows,
)
from sprawl_env.learning.stored import checkpoint_to_resume, model_tensors, restore
from sprawl_env.learning.team import Team, start

LEARNER_FILE: Final = "learner.safetensors"
LAST_MATCH: Final = "last_match"  # in a checkpoint's JSON: the step of the last match
AVERAGE: Final = "average"  # in this file: the running mean of the weights
MATCHES: Final = "matches.jsonl"
PLIES: Final = 8  # decisions of every game between two updates
FILLED_FIRST: Final = 0.05  # share of the window that is filled before anything is learnt
ROUNDING: Final = 1e-9  # shares that are less than even by no more count as even
PLAIN_SECONDS: Final = 30.0  # time between lines of progress if the output is not a terminal
SMOOTH: Final = 0.02  # weight of the newest statistics in those shown
REFERENCES: Final = ("greedy", "planner")


class ExpertTrainer:
    """One rank's training: searches, updates and matches in turn, until the clock says stop.

    Args:
        config: the settings, resolved.
        game: the game.
        team: the process group.
        player: who plays at first.
        checkpoint: where to go on; None: from the start.
        report: rank 0: writes the files and shows the progress.
    """

    def __init__(
        self,
        config: ExpertConfig,
        game: Game,
        team: Team,
        player: Checkpoint,
        checkpoint: Checkpoint | None = None,
        report: Report | None = None,
    ) -> None:
        self.config, self.game, self.team = config, game, team
        spread = lead_spread_of(player, game)  # of all players to come
        self.player = replace(player, about={**player.about, SPREAD_SAID: spread})
        self.clock = Clock(config, team, checkpoint)
        self.watch = Stopwatch()
        self._report = report
        self.window = Window(game, max(1, config.window // team.size))
        self.play = SearchPlay(config, game, team, self.window, self.watch)
        net = network_of(self.player, game, config.reward_scale, spread)
        net = net.to(device_of(config.device))
        net.flatten()
        self.learner = ExpertLearner(config, net, team, self.watch)
        if checkpoint is not None:
            self._restore(checkpoint)
        self._owed = 0.0  # gradient steps
        self.last_match = last_match_of(checkpoint) if checkpoint else 0
        self.statistics: Floats | None = None  # running means; None: nothing learnt yet

    def _restore(self, checkpoint: Checkpoint) -> None:
        """Load the learner of a checkpoint; if it cannot be read, it begins as the player."""
        path = checkpoint.path / LEARNER_FILE
        try:
            restore_learner(self.learner, replace(checkpoint, tensors=read_learner(path)))
        except (OSError, CheckpointError) as error:
            if self._report:
                say(f"the learner begins as the player, as {str(path)!r}: {error}")

    def run(self) -> None:
        """Train to the end.

        A run that is interrupted is saved without a match; it follows after a resume.
        """
        if self.clock.steps == 0 and self._report:
            self._report.save(self)
        self._begin()
        while self.clock.agree() < 1.0:
            self.round()
            due = self.clock.steps - self.last_match >= self.config.gate_every
            if due and self.clock.agree() != INTERRUPTED:
                self.compare()
            if self._report:
                self._report.show(self)
        if self.clock.is_ending:
            if self._report:
                self._report.save(self)
        elif self.clock.steps > self.last_match:
            self.compare()

    def _begin(self) -> None:
        step = self.clock.steps
        self.play.begin(step, self.player)
        self._rng = np.random.default_rng(
            combine(combine(self.config.seed + 1, self.team.rank), step)
        )

    def round(self) -> None:
        """Play some decisions of every game, then learn."""
        added = sum(self.play.advance() for _ in range(PLIES))
        with self.watch.on("waiting"):
            total = sum(self.team.all_gather(added))
            filled = min(self.team.all_gather(self.window.filled))
        self.clock.steps += int(total)
        share = filled / len(self.window.margins)
        if share < FILLED_FIRST:
            return
        # While the window fills, each of its rows is drawn more often in a step.
        self._owed += total * share * self.config.reuse / self.config.batch_size
        while self._owed >= 1:
            self._owed -= 1
            found = self.learner.step(self.window, self._rng, self.clock.annealing)
            known = found if self.statistics is None else self.statistics
            self.statistics = known + SMOOTH * (found - known)

    def losses(self) -> dict[str, float]:
        """Return the running means of ``STATISTICS`` by name; none if nothing was learnt yet."""
        if self.statistics is None:
            return {}
        return {name: float(x) for name, x in zip(STATISTICS, self.statistics, strict=True)}

    def compare(self) -> None:
        """Let the learner play the player; it takes its place if it wins as often as equal bots."""
        step = self.last_match = self.clock.steps
        learner = self.as_checkpoint()
        seed = combine(self.config.seed, step)
        won, games = match(self.config, self.game, self.team, learner, self.player, seed)
        if is_even(won, self.game):
            self.player = learner
            self.play.seat(learner)
        if self._report:
            self._report.note_match(self, won, games)
            self._report.save(self)

    def as_checkpoint(self) -> Checkpoint:
        """Return the learner's network, with its mean weights, as a player."""
        tensors = {
            f"{POLICY}{name}": each.detach().cpu().numpy().copy()
            for name, each in self.learner.averaged().state_dict().items()
        }
        config = {**as_json(self.config), "reward": REWARD}
        about = {**self.player.about, "config": config}
        about.pop(FITTED, None)  # these heads are no longer those that were fitted
        return Checkpoint(self.player.path, about, tensors)


def is_even(won: float, game: Game) -> bool:
    """Return whether a share of the victories is at least that of equal bots."""
    return won >= even_share(game) - ROUNDING


def last_match_of(checkpoint: Checkpoint) -> int:
    """Return the step of the last match before a checkpoint; older ones are written after one."""
    found = checkpoint.about.get(LAST_MATCH)
    return found if type(found) is int and 0 <= found <= checkpoint.step else checkpoint.step


def as_json(config: ExpertConfig) -> dict[str, Any]:
    """Return the settings as JSON holds them."""
    found: dict[str, Any] = json.loads(json.dumps(asdict(config), default=str))
    return found


def read_learner(path: Path) -> dict[str, Any]:
    """Return the learner's weights and Adam's moments.

    Raises:
        OSError: the file cannot be read.
        CheckpointError: it is damaged.
    """
    try:
        found: dict[str, Any] = safetensors.numpy.load(read_bytes(path))
    except (safetensors.SafetensorError, KeyError):  # KeyError: a type numpy has not
        raise CheckpointError("is damaged") from None
    for name, array in found.items():
        if array.dtype.kind != "f" or not np.isfinite(array).all():
            raise CheckpointError(f"{name}: expected finite numbers")
    return found


def learner_tensors(learner: ExpertLearner) -> dict[str, Any]:
    """Return a learner's weights, their running mean and Adam's moments as arrays by name."""
    return {**model_tensors(learner), AVERAGE: learner.average.cpu().numpy()}


def restore_learner(learner: ExpertLearner, stored: Checkpoint) -> None:
    """Load weights, their running mean and Adam's moments into a learner.

    Raises:
        CheckpointError: they are of a learner with another network.
    """
    tensors = dict(stored.tensors)
    average = tensors.pop(AVERAGE, None)
    if average is None or average.shape != tuple(learner.average.shape):
        raise CheckpointError(f"does not fit this config: expected {AVERAGE}, one mean a weight")
    restore(learner, replace(stored, tensors=tensors))
    learner.average.copy_(torch.from_numpy(average.copy()))


class Report:
    """Rank 0's files and progress.

    Args:
        config: the settings.
        folder: of the run.
        game: the game.
    """

    def __init__(self, config: ExpertConfig, folder: Path, game: Game) -> None:
        self._config, self._folder, self._game = config, folder, game
        self._began = self._last_line = time.monotonic()
        self._first_step: int | None = None
        self._console = console()
        self._bar = progress_bar("state")
        self._task = self._bar.add_task("searching", total=1.0, state="")

    def close(self) -> None:
        """Stop the progress bar."""
        self._bar.stop()

    def save(self, trainer: ExpertTrainer) -> None:
        """Write a checkpoint with the player and the learner."""
        step = trainer.clock.steps
        about = {
            **trainer.player.about,
            **describe_game(self._game),
            "step": step,
            "seconds": round(trainer.clock.seconds, 1),
            "seed": self._config.seed,
            LAST_MATCH: trainer.last_match,
        }
        for name in ("versions", "commit", "machine", "sha256", "format"):
            about.pop(name, None)  # those of this process
        folder = self._folder / "checkpoints"
        learner = safetensors.numpy.save(
            {name: np.ascontiguousarray(x) for name, x in learner_tensors(trainer.learner).items()}
        )
        policy = {k: v for k, v in trainer.player.tensors.items() if k.startswith(POLICY)}
        save(folder / step_name(step), policy, about, {LEARNER_FILE: learner})
        for old in checkpoints_in(folder)[:-1]:
            (old / LEARNER_FILE).unlink(missing_ok=True)

    def note_match(self, trainer: ExpertTrainer, won: float, games: int) -> None:
        """Add a line to the matches, and show it."""
        taken = is_even(won, self._game)
        row = {
            "step": trainer.clock.steps,
            "seconds": round(trainer.clock.seconds, 1),
            "wins": round(won, 4),
            "games": games,
            "accepted": taken,
            **{name: round(x, 4) for name, x in trainer.losses().items()},
        }
        add_row(self._folder / MATCHES, row)
        what = "takes its place" if taken else "learns on"
        self._console.print(
            f"step {trainer.clock.steps:,}: the learner wins {won:.1%} of {games:,} games against "
            f"the player and {what}"
        )

    def show(self, trainer: ExpertTrainer) -> None:
        """Show one round."""
        clock, step = trainer.clock, trainer.clock.steps
        if self._first_step is None:
            self._first_step, self._began = step, time.monotonic()
        rate = (step - self._first_step) / max(time.monotonic() - self._began, 1e-9)
        losses = trainer.losses().items()
        state = ", ".join(f"{name.replace('_', ' ')} {x:.3f}" for name, x in losses)
        state = state or "learns nothing yet: the window fills"
        self._bar.start()
        self._bar.update(
            self._task,
            completed=clock.fraction,
            description=f"{step:,} ({rate:,.0f}/s)",
            state=state,
        )
        if not self._console.is_terminal and time.monotonic() - self._last_line > PLAIN_SECONDS:
            self._last_line = time.monotonic()
            self._console.print(f"{clock.fraction:4.0%}  {step:,}  {rate:,.0f}/s  {state}")


def read_matches(folder: Path) -> list[dict[str, Any]]:
    """Return the matches of a run, in order; damaged lines are left out."""
    return read_rows(folder / MATCHES)


def start_of(config: ExpertConfig, game: Game) -> Checkpoint:
    """Return the agent that a run begins with, at its temperature.

    Raises:
        UnknownName: there is no such agent for this game.
        CheckpointError: it is damaged, or its values cannot guide a search.
    """
    checkpoint = checkpoint_of(config.start, game)
    network_evaluator(checkpoint, game)
    return at_temperature(checkpoint, game, config.temperature)


def train(config: ExpertConfig, folder: Path, game: Game) -> bool:
    """Train to the end as rank 0; returns False if interrupted by Ctrl-C."""
    checkpoint = checkpoint_to_resume(folder, game)
    path = checkpoint.path if checkpoint else None
    with prepared_process(), start(config.processes, train_other_rank, config, path) as team:
        player = checkpoint or start_of(config, game)
        compile_everything(config, game, player)
        team.barrier()  # the other ranks start now
        report = Report(config, folder, game)
        trainer = ExpertTrainer(config, game, team, player, checkpoint, report)
        clock = trainer.clock
        if checkpoint is not None:
            say(f"resuming {folder} at step {checkpoint.step:,}, {clock.fraction:.0%} done")

        with closing(report), clock.ending_on_interrupt():
            trainer.run()
        parts = ", ".join(
            f"{name} {share:.0%}" for name, share in trainer.watch.shares().items() if share
        )
        say(f"learnt from {clock.steps:,} searches in {clock.seconds:,.0f} s; time: {parts}")
        return not clock.interrupted


def compile_everything(config: ExpertConfig, game: Game, player: Checkpoint) -> None:
    """Compile the kernels, so that the clock does not count it."""
    few = replace(config, num_envs=2, sims=2, fast_sims=1)
    play = SearchPlay(few, game, Team(), Window(game, 1), Stopwatch())
    play.begin(0, player)
    play.advance()


def train_other_rank(team: Team, config: ExpertConfig, path: Path | None) -> None:
    """Train as rank 1 or more: the same program, which writes no files and prints nothing."""
    prepare_process()
    game = make_game(config.game, num_players=config.num_players, **parse_options(config.options))
    checkpoint = load(path, game) if path else None
    player = checkpoint or start_of(config, game)
    team.barrier()  # rank 0 has compiled everything
    ExpertTrainer(config, game, team, player, checkpoint).run()


def evaluate(config: ExpertConfig, folder: Path, game: Game) -> dict[str, list[Line]]:
    """Measure the newest player, raw and with a search; write JSON, and return the lines.

    All cores play parts of the games; the results do not depend on how many cores there are.
    The start is the first checkpoint: an agent of that name may be another one by now.
    """
    raw = f"checkpoint:{folder}"
    search = ",".join(f"{name}={getattr(config, name)}" for name in ("sims", *SEARCHED))
    bots = {
        "policy": raw,
        "search": f"search:agent={raw},{search}",
        "raw policy": raw,
        "start": f"checkpoint:{checkpoints_in(folder / 'checkpoints')[0]}",
        **{name: name for name in REFERENCES},
    }
    pairs = [("policy", each) for each in ("start", *REFERENCES)]
    pairs += [("search", each) for each in ("raw policy", REFERENCES[-1])]
    found: dict[str, list[Line]] = {}
    for measured, opponent in pairs:
        lines = evaluation.evaluate(
            game,
            [bots[measured], bots[opponent]],
            num_games=config.evaluation_games,
            seed=config.seed + 1,
            parts=evaluation.usual_parts(config.evaluation_games),
            progress=True,
        ).lines
        what, names = f"{measured} v {opponent}", ("measured", opponent)
        found[what] = [replace(line, bot=name) for line, name in zip(lines, names, strict=True)]
        margins = game.num_seats == 1
        console().print(table(f"{game.title}: {what}", found[what], margins=margins))
    result = {
        "results": {what: [asdict(line) for line in lines] for what, lines in found.items()},
        "search": search,
        "config": as_json(config),
        **provenance(),
    }
    write_atomically(folder / "evaluation.json", json.dumps(result, indent=1, default=str))
    return found


def main(config: ExpertConfig) -> tuple[Path, bool, dict[str, list[Line]]]:
    """Train, then evaluate; return the folder, whether training finished, and the lines."""
    leave_if_imported()
    new = config.resume is None
    config, folder = begin(config, EXPERT_PRESETS, check_expert, "search")
    game = make_game(config.game, num_players=config.num_players, **parse_options(config.options))
    if new:  # an unknown agent is refused before a file is written
        config = replace(config, start=fixed_name_of(config.start, game))
        start_of(config, game)
    check_memory("window", config.window, game.observation_size + 3 * game.num_actions)
    with owned_run(folder, config, gpu_of(config.device), new=new):
        if not train(config, folder, game):
            say(f"interrupted; resume with: python -m experiments.train_search --resume {folder}")
            return folder, False, {}
        return folder, True, evaluate(config, folder, game) if config.evaluation_games else {}
