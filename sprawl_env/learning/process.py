"""The processes of a training run: their clock, their memory, their number and their precision."""

from __future__ import annotations

import ctypes
import gc
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path
from typing import Final, Protocol

import torch
from threadpoolctl import threadpool_limits

from sprawl_env.bots.policy.checkpoint import Checkpoint
from sprawl_env.console import say
from sprawl_env.core.arguments import check_fields
from sprawl_env.core.errors import InvalidOption
from sprawl_env.core.processes import on_interrupt, usable_cores
from sprawl_env.learning.runs import Settings, check_kept, read_settings, run_folder
from sprawl_env.learning.team import Team

LEAST_ANNEALING: Final = 0.05  # at the end
INTERRUPTED: Final = 2.0  # fraction of the training done that tells all ranks to stop
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # what glibc's mallopt calls them
LARGEST_BLOCK: Final = 32 * 2**20  # bytes that the allocator may take out of memory it has kept
KEPT_MEMORY: Final = 2**30  # bytes that it keeps
PLACE: Final = ("runs", "name", "resume")  # settings that say where a run lies


class Limited(Protocol):
    """A config with limits in minutes (0: none) and in decisions."""

    @property
    def max_minutes(self) -> float:
        """Minutes."""

    @property
    def total_steps(self) -> int:
        """Decisions."""


class Clock:
    """Measures the fraction of training done, by steps or by time, whichever is larger.

    Ranks measure different times.  :meth:`agree` sends the fraction of rank 0 to all ranks.

    Attributes:
        steps: decisions that all ranks have learned from.
        interrupted: the user wants to stop.
    """

    def __init__(self, config: Limited, team: Team, checkpoint: Checkpoint | None = None) -> None:
        before = float(checkpoint.about.get("seconds", 0)) if checkpoint else 0.0
        self._limit = config.max_minutes * 60
        self._total = config.total_steps
        self._team = team
        self._start = time.monotonic() - before
        self._agreed = 0.0
        self.steps = checkpoint.step if checkpoint else 0
        self.interrupted = False

    @property
    def seconds(self) -> float:
        """Seconds of training, including those before the run was resumed."""
        return time.monotonic() - self._start

    @property
    def fraction(self) -> float:
        """Fraction of the training done, 0 to 1, as this process measures it."""
        by_time = self.seconds / self._limit if self._limit > 0 else 0.0
        return min(1.0, max(by_time, self.steps / self._total))

    @property
    def annealing(self) -> float:
        """Factor on the step size: falls linearly with the last agreed fraction."""
        return max(LEAST_ANNEALING, 1.0 - self._agreed)

    def agree(self) -> float:
        """Return the fraction done as rank 0 measures it; all ranks must call this."""
        mine = INTERRUPTED if self.interrupted else self.fraction
        self._agreed = self._team.all_gather(mine)[0]
        return self._agreed

    @property
    def is_ending(self) -> bool:
        """Whether the user wants to stop, as all ranks have last agreed."""
        return self._agreed == INTERRUPTED

    @contextmanager
    def ending_on_interrupt(self) -> Iterator[None]:
        """Inside the block, in the main thread, Ctrl-C tells all ranks to stop by agreement."""

        def interrupt(*_: object) -> None:
            self.interrupted = True

        with on_interrupt(interrupt):
            yield

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Do not count the time inside the block."""
        began = time.monotonic()
        try:
            yield
        finally:
            self._start += time.monotonic() - began


@contextmanager
def prepared_process() -> Iterator[None]:
    """Inside the block, this process trains; then threads and torch's numbers are as before."""
    threads, state = torch.get_num_threads(), torch.get_rng_state()
    with threadpool_limits(1, "blas"):
        prepare_process()
        try:
            yield
        finally:
            gc.unfreeze()
            torch.set_num_threads(threads)
            torch.set_rng_state(state)


def prepare_process() -> None:
    """Use one thread per process, as the training processes share the cores, and keep memory.

    A gradient step frees and takes the same megabytes again.  By default the allocator returns them
    to the system each time, which costs a seventh of the time.
    """
    torch.set_num_threads(1)  # with small networks more threads are slower
    threadpool_limits(1, "blas")
    gc.freeze()  # what is there by now stays: it need not be searched for garbage again
    allocator = getattr(ctypes.CDLL(None), "mallopt", None) if os.name == "posix" else None
    if allocator is not None:  # of glibc
        allocator(_MMAP_THRESHOLD, LARGEST_BLOCK)
        allocator(_TRIM_THRESHOLD, KEPT_MEMORY)


def device_of(name: str) -> torch.device:
    """Return the device of a config.

    Raises:
        InvalidOption: ``cuda`` where there is none.
    """
    there = torch.cuda.is_available()
    if name == "cuda" and not there:
        raise InvalidOption("device='cuda': no GPU is available to torch: expected cpu or auto")
    return torch.device("cuda" if name != "cpu" and there else "cpu")


def gpu_of(device: str) -> str | None:
    """Return the name of the GPU of a resolved config; None on a processor."""
    return torch.cuda.get_device_name() if device == "cuda" else None


def resolved(config: Settings) -> Settings:
    """Return a config with its device, its number of processes and its precision decided.

    Args:
        config: a dataclass with ``device``, ``num_envs``, ``processes`` and ``precision``.

    Raises:
        InvalidOption: the device is not there or has no such precision, or several processes would
            share a GPU.
    """
    device = device_of(config.device).type
    processes, precision = config.processes, config.precision
    if device == "cuda":
        if processes > 1:
            raise InvalidOption(f"processes={processes}: expected 1 on a GPU")
        processes = 1
    elif precision == "bfloat16":
        raise InvalidOption("precision=bfloat16: expected float32 without a GPU")
    if processes == 0:
        cores, num_envs = usable_cores(), config.num_envs
        processes = max(n for n in range(1, cores + 1) if num_envs % n == 0)
        if processes < cores:
            say(
                f"{processes} of {cores} cores are used: num_envs={num_envs} cannot be shared out "
                f"to more; {-(-num_envs // cores) * cores} can"
            )
    if precision == "auto":
        precision = "bfloat16" if device == "cuda" else "float32"
    found: Settings = replace(config, device=device, processes=processes, precision=precision)
    return found


def resumed(config: Settings) -> Settings:
    """Return the config of a run that goes on here, without a GPU if none is left."""
    if config.device != "cuda" or torch.cuda.is_available():
        return config
    say("the run began on a GPU, and none is available here: it goes on without")
    return resolved(replace(config, device="cpu", processes=0, precision="auto"))


def begin(
    config: Settings, presets: Mapping[str, Settings], check: Callable[[Settings], None], label: str
) -> tuple[Settings, Path]:
    """Return the settings that a command trains with here, and the run's folder.

    Args:
        config: of the command, a dataclass; the run in its field ``resume`` has its own settings.
        presets: the defaults by the name of the preset.
        check: raises ``InvalidOption`` for values that are not allowed.
        label: names the kind of run in the usual name of its folder.

    Raises:
        InvalidOption: a value is not allowed, a run of that name exists, the run to resume does
            not exist, is damaged or has other settings, or the device is not there.
    """
    if config.resume is not None:
        own = read_settings(config.resume, type(config), check)
        check_same(config, own, presets)
        return resumed(own), config.resume
    check(config)
    config = resolved(config)
    usual = f"{config.game.replace(':', '-')}-{label}-{config.seed}"
    return config, run_folder(config.runs, config.name, usual)


def check_same(config: Settings, own: Settings, presets: Mapping[str, Settings]) -> None:
    """Check that a command changes no setting of the run that it resumes.

    Args:
        config: of the command.
        own: of the run.
        presets: the defaults by the name of the preset; they stand for what is not given.

    Raises:
        InvalidOption: a setting is neither the default nor the run's.
    """
    check_fields(config, "")
    default = type(config)()
    usual = replace(presets.get(config.preset, default), preset=default.preset)
    given = {field.name: getattr(config, field.name) for field in fields(config)}
    changed = {
        name: value
        for name, value in given.items()
        if name not in PLACE and value != getattr(usual, name)
    }
    check_kept(config.resume, changed, own)


def threads_of(device: torch.device) -> int:
    """Return how many threads the games of a process use: on a GPU there is one process."""
    return 1 if device.type == "cpu" else usable_cores()
