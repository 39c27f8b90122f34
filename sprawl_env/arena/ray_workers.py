"""Tasks on the nodes of a Ray cluster, each in a worker process as on a single machine.

The driver sends chunks of tasks, which take some seconds each.  On its node a chunk runs in a
:class:`~sprawl_env.arena.workers.Workers` of one process, so a task that dies, hangs or fails does
the same everywhere.  Ray repeats the chunks of a node that dies elsewhere, and gives chunks to
nodes that join.  The values of the tasks do not depend on who runs them.

It needs ray (extra ``ray``).
"""

from __future__ import annotations

import os
import socket
import time
import uuid
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from sprawl_env.arena.workers import Done, Lost, Work, WorkerError, Workers
from sprawl_env.core.errors import InvalidOption, SprawlError
from sprawl_env.core.extras import require
from sprawl_env.core.provenance import code_digest

ray: Any = require("ray", "engine='ray'")

CHUNK_SECONDS: Final = 4.0  # aim: a lost node costs this much, the way of a chunk is far shorter
MOST_TASKS: Final = 4096  # of a chunk
AHEAD: Final = 2  # chunks at each core of the cluster, one of them waiting
LOOK_SECONDS: Final = 0.5  # between counts of the cluster's cores
CALL_SECONDS: Final = 10.0  # for a cluster to answer
REPEATS: Final = 20  # of a chunk whose node or process died
STORE_BYTES: Final = 256 * 2**20  # of a cluster of our own, on this machine
QUIET: Final = {"log_to_driver": False, "logging_level": "ERROR"}


@dataclass(frozen=True)
class Job:
    """What every node needs of a run.

    Attributes:
        start: as of ``Workers``.
        argument: as of ``Workers``.
        seconds: as of ``Workers``.
        code: digest of the code, which must be the same everywhere.
        token: distinguishes runs.
    """

    start: Callable[[Any], Work]
    argument: Any
    seconds: Callable[[int, int], float]
    code: str = field(default_factory=code_digest)
    token: str = field(default_factory=lambda: uuid.uuid4().hex)


# -------------------------------------------------------------------------------------- on a node

_pools: Final[dict[str, Workers]] = {}  # of this process of Ray, by the token of the run; one


def _pool(job: Job) -> Workers:
    """Return this process' pool for a run; that of an earlier run is closed."""
    if job.token not in _pools:
        for old in _pools.values():
            old.__exit__(None, None, None)
        _pools.clear()
        if code_digest() != job.code:
            raise InvalidOption(
                f"node {socket.gethostname()}: has another version of sprawl-env: "
                "install the same on every node"
            )
        _pools[job.token] = Workers(job.start, job.argument, 1, job.seconds)
    return _pools[job.token]


def _run_chunk(job: Job, tasks: list[int]) -> tuple[list[Done | Lost], float]:
    """Run some tasks; return what was found and the seconds that it took."""
    began = time.perf_counter()
    found = [item for some in _pool(job).results(tasks) for item in some]
    return found, time.perf_counter() - began


# ------------------------------------------------------------------------------------- the driver


class RayWorkers:
    """The nodes of a Ray cluster as a pool, see :class:`~sprawl_env.arena.engines.Pool`.

    The cluster is the one that this process is connected to, otherwise that of the environment
    variable ``RAY_ADDRESS``, otherwise one of this machine's cores that ends with the pool.

    Args:
        start: as of :class:`~sprawl_env.arena.workers.Workers`.
        argument: as of ``Workers``.
        count: how many chunks are sent at the same time; 0: two for each core of the cluster.
        seconds: as of ``Workers``.
    """

    def __init__(
        self,
        start: Callable[[Any], Work],
        argument: Any,
        count: int,
        seconds: Callable[[int, int], float],
    ) -> None:
        self._job = Job(start, argument, seconds)
        self._count = count
        self._tasks: deque[int] = deque()
        self._running: dict[Any, list[int]] = {}
        self._connected = False
        self._spent = [0.0, 0]  # seconds and tasks of the chunks so far

    def __enter__(self) -> RayWorkers:
        self._connected = _connect(self._count)
        self._shared = ray.put(self._job)
        self._remote = ray.remote(num_cpus=1, max_retries=REPEATS)(_run_chunk)
        return self

    def __exit__(self, *error: Any) -> None:
        for chunk in self._running:
            ray.cancel(chunk, force=True)
        self._running.clear()
        if self._connected:
            ray.shutdown()

    def again(self, task: int) -> None:
        """Run a lost task again."""
        self._tasks.appendleft(task)

    def results(self, tasks: Iterable[int]) -> Iterator[list[Done | Lost]]:
        """Run the tasks; yield results as they arrive, a chunk at a time.

        Raises:
            WorkerError: the workers of a node cannot work, or the cluster is gone.
            InvalidOption: a node has another version of the package.
        """
        self._tasks.extend(tasks)
        while self._tasks or self._running:
            self._fill()
            ready, _ = ray.wait(list(self._running), timeout=LOOK_SECONDS)
            for chunk in ready:
                del self._running[chunk]
                yield self._value(chunk)

    def _fill(self) -> None:
        """Send chunks as long as there is room for them."""
        room = self._count or AHEAD * max(1, int(ray.cluster_resources().get("CPU", 1)))
        while self._tasks and len(self._running) < room:
            size = self._size(room)
            chunk = [self._tasks.popleft() for _ in range(min(size, len(self._tasks)))]
            self._running[self._remote.remote(self._shared, chunk)] = chunk

    def _size(self, room: int) -> int:
        """Return how many tasks make a chunk, fewer towards the end."""
        seconds, tasks = self._spent
        if not tasks:
            return 1
        aim = int(CHUNK_SECONDS * tasks / max(seconds, 1e-9))
        return max(1, min(aim, MOST_TASKS, -(-len(self._tasks) // (2 * room))))

    def _value(self, chunk: Any) -> list[Done | Lost]:
        """Return what a chunk has found.

        Raises:
            SprawlError: it failed.
        """
        try:
            found, seconds = ray.get(chunk)
        except ray.exceptions.RayTaskError as error:
            if isinstance(error.cause, SprawlError):
                raise error.cause from None
            raise WorkerError(f"engine='ray': {_last_line(error)}") from None
        except ray.exceptions.RayError as error:
            raise WorkerError(
                f"engine='ray': {_last_line(error)}: run the same command again to continue"
            ) from None
        self._spent[0] += seconds
        self._spent[1] += len(found)
        return list(found)


def _last_line(error: Exception) -> str:
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[-1].strip().rstrip(".")


def _call(address: str) -> None:
    """Check that something listens at an address; ``ray.init`` would wait for many minutes.

    Raises:
        OSError: nothing listens there.
        ValueError: it is not an address.
    """
    host, colon, port = address.rpartition("://")[2].partition("/")[0].rpartition(":")
    if colon:  # auto and local have none
        socket.create_connection((host.strip("[]"), int(port)), CALL_SECONDS).close()


def _connect(count: int) -> bool:
    """Connect this process to a cluster, unless it is; return whether it was not.

    Raises:
        InvalidOption: there is no cluster at ``RAY_ADDRESS``.
    """
    if ray.is_initialized():
        return False
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    address = os.environ.get("RAY_ADDRESS")
    try:
        if address:
            _call(address)
            ray.init(address=address, **QUIET)
        else:
            store = {"object_store_memory": STORE_BYTES, "include_dashboard": False}
            ray.init(address="local", num_cpus=count or None, **store, **QUIET)
    except (OSError, RuntimeError, ValueError) as error:
        raise InvalidOption(
            f"engine='ray': RAY_ADDRESS={address!r}: no cluster answers ({_last_line(error)})"
        ) from None
    return True
