"""Where tasks run: in worker processes of this machine, or on the nodes of a Ray cluster."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, Protocol, Self

from sprawl_env.arena.workers import Done, Lost, Work, WorkerError, Workers
from sprawl_env.core.checks import check_whole
from sprawl_env.core.errors import unknown
from sprawl_env.core.processes import usable_cores

ENGINES: Final = ("local", "ray")
MOST_PROCESSES: Final = 1024
MOST_LOSSES: Final = 2  # of the process of one task
_PROCESSES: Final = f"a whole number from 0 to {MOST_PROCESSES}"


class Pool(Protocol):
    """Processes that run tasks; a context manager."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *error: Any) -> None: ...

    def again(self, task: int) -> None:
        """Run a lost task again."""

    def results(self, tasks: Iterable[int]) -> Iterator[list[Done | Lost]]:
        """Run the tasks; yield results as they arrive, several at a time, in any order.

        Raises:
            WorkerError: the processes cannot work.
        """


def check_engine(engine: str, processes: int) -> None:
    """Check the name of an engine and a number of processes.

    Raises:
        SprawlError: there is no such engine, or the number is not allowed.
    """
    if engine not in ENGINES:
        raise unknown("engine", engine, ENGINES)
    check_whole("processes=", processes, 0, MOST_PROCESSES, _PROCESSES)


def pool_of(
    engine: str,
    start: Callable[[Any], Work],
    argument: Any,
    *,
    processes: int,
    seconds: Callable[[int, int], float],
) -> Pool:
    """Return the pool of an engine.

    Args:
        engine: one of :data:`ENGINES`.
        start: as of :class:`~sprawl_env.arena.workers.Workers`.
        argument: as of ``Workers``.
        processes: how many tasks run at the same time; 0: one for each core, of this machine or of
            the cluster.
        seconds: as of ``Workers``.

    Raises:
        MissingExtra: Ray is not installed.
    """
    if engine == "ray":
        from sprawl_env.arena.ray_workers import RayWorkers  # noqa: PLC0415 - needs ray

        return RayWorkers(start, argument, processes, seconds)
    return Workers(start, argument, processes or usable_cores(), seconds)


def values(
    pool: Pool, tasks: Iterable[int], name_of: Callable[[int], str]
) -> Iterator[tuple[int, Any]]:
    """Run tasks in an open pool; yield each task with its value, in any order.

    A task whose process dies is run again; a process that dies ``MOST_LOSSES`` times is an error.

    Args:
        pool: it has been entered.
        tasks: as of ``Workers``.
        name_of: what a task is, for the error.

    Raises:
        WorkerError: the process of a task died too often.
    """
    losses: Counter[int] = Counter()
    for item in (item for some in pool.results(tasks) for item in some):
        if isinstance(item, Done):
            yield item.task, item.value
            continue
        losses[item.task] += 1
        if losses[item.task] >= MOST_LOSSES:
            raise WorkerError(
                f"the worker process of {name_of(item.task)} died {MOST_LOSSES} times "
                f"(exit code {item.exit_code})"
            )
        pool.again(item.task)
