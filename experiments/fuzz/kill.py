"""Commands that are killed at random moments, and started again until they end.

A trial kills a command by SIGKILL, once or several times in a row, and then lets it end.  Half of
the moments are spread over the time that the unbroken command takes, half lie at a change of its
files.  Half of the kills hit the command's whole process group, half only its first process, whose
worker processes must then end by themselves.  After each kill and at the end:

- nothing is lost: files that are there are whole, lines of journals and finished files stay, and
  the end is that of the unbroken command;
- nothing is left behind: files, temporary files, files of the kernel cache, processes, shared
  memory;
- the command goes on without a traceback and ends.

The commands are in :mod:`experiments.fuzz.killed`.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from fnmatch import fnmatch
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np
from rich.table import Table

from experiments.fuzz.killed import ENTRIES, PRINTS, ROOT, Entry, Place, without_entry
from experiments.fuzz.running import check_positive, open_journal, save_failure
from sprawl_env.arena.journal import Row
from sprawl_env.console import console, count_bar
from sprawl_env.core.checks import check_seed
from sprawl_env.core.errors import InvalidOption, unknown
from sprawl_env.kernels.cache import cache_base
from sprawl_env.kernels.rng import combine

LOST, LEFTOVER, FAILED = KINDS = ("lost", "leftovers", "failed")  # of problems
OFTEN: Final = 2  # how much more often an entry marked so is killed
MOST_MISSES: Final = 20  # trials in a row that end before they are killed
MOST_FAILURES: Final = 5  # of a command, whose other trials are left out
LOOK_SECONDS: Final = 0.0005  # between looks at the files
PAUSE_SECONDS: Final = 0.01  # between looks at the clock
LONGEST_DELAY: Final = 0.004  # seconds from a change of the files to the kill
LONGEST_END: Final = 60.0  # seconds in which workers end; one that is just starting takes longest
SECONDS: Final = "seconds"  # key of a row that tells how long something took
MARK: Final = "SPRAWL_FUZZ_KILL"  # environment variable of all processes of a trial
MEMORY: Final = Path("/dev/shm")
PROCESSES: Final = Path("/proc")
HALF: Final = 0.5
CHANCES: Final = (0.4, 0.25, 0.15, 0.1, 0.1)  # of one kill in a trial, two, ...
ENDS: Final = {".html": b"</html>", ".png": b"IEND\xaeB`\x82"}  # of files by suffix
Problem = tuple[str, str]  # kind and text
ROW: Final = {  # of the journal
    "command": str,
    "trial": int,
    "kills": int,
    "moments": [str],
    **dict.fromkeys(KINDS, int),
    "seconds": float,
    "failures": [str],
}


@dataclass(frozen=True)
class Kill:
    """Kill commands at random moments and start them again."""

    kills: int = 10
    """number of times that each command is killed; train, tournament and play twice as often"""
    only: tuple[str, ...] = ()
    """names of commands; default: all commands that write files"""
    seconds: float = 600.0
    """a command that takes longer hangs"""
    seed: int = 0
    """seed of the moments"""
    out: Path = Path("runs/fuzz")
    """folder for the results; the same command goes on where it was stopped"""


@dataclass(frozen=True)
class Moment:
    """When a command is killed, and how.

    Attributes:
        seconds: after the start; 0: at a change.
        change: number of the change of its files, from 1; 0: after ``seconds``.
        delay: seconds from the change to the kill.
        alone: whether only the first process is killed.
    """

    seconds: float
    change: int
    delay: float
    alone: bool

    def words(self) -> str:
        """Return the moment in words."""
        when = f"change {self.change} + {self.delay * 1e3:.1f} ms" if self.change else ""
        who = "first process" if self.alone else "process group"
        return f"{when or f'{self.seconds:.2f} s'}, {who}"


@dataclass(frozen=True)
class Unbroken:
    """What a command does that is not killed.

    Attributes:
        place: its folders.
        files: what is in its folder, see :func:`tree`.
        temporary: what is in its folder for temporary files.
        seconds: how long it takes.
        changes: how often its files change.
    """

    place: Place
    files: dict[str, str]
    temporary: dict[str, str]
    seconds: float
    changes: int


@dataclass
class Trial:
    """A command that is being killed.

    Attributes:
        entry: the command.
        unbroken: the same command unbroken.
        place: its folders.
        limit: seconds after which it hangs.
        problems: what was found.
        kept: files that must stay as they are, with their digests.
        lines: lines that must stay, by journal.
        moments: the kills so far, in words.
        memory: inodes of the shared memory that killed processes had mapped.
    """

    entry: Entry
    unbroken: Unbroken
    place: Place
    limit: float
    problems: list[Problem] = field(default_factory=list)
    kept: dict[str, str] = field(default_factory=dict)
    lines: dict[str, set[str]] = field(default_factory=dict)
    moments: list[str] = field(default_factory=list)
    memory: set[int] = field(default_factory=set)


# ------------------------------------------------------------------------- processes and memory


def start(entry: Entry, place: Place) -> subprocess.Popen[bytes]:
    """Start a command, or start it again, in its own process group."""
    environment = {
        **os.environ,
        **entry.environment(place),
        "PYTHONPATH": str(ROOT),
        "COLUMNS": "200",
        "TMPDIR": str(place.temporary),
        "PYTHONDONTWRITEBYTECODE": "1",  # a leftover of Python's, not of the command's
        MARK: str(place.base),
    }
    with place.out.open("wb") as out, place.err.open("wb") as err:
        return subprocess.Popen(
            [sys.executable, "-m", *entry.words_now(place.work)],
            cwd=place.work,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            start_new_session=True,
        )


def processes_of(place: Place) -> list[int]:
    """Return the running processes of a trial."""
    mark = f"{MARK}={place.base}".encode()
    found = []
    for folder in PROCESSES.glob("[0-9]*"):
        try:
            if mark in (folder / "environ").read_bytes().split(b"\0"):
                found.append(int(folder.name))
        except OSError:  # another user's, or it has just ended
            continue
    return found


def mapped_memory(processes: Iterable[int]) -> set[int]:
    """Return the inodes of shared memory, semaphores too, that some processes have mapped."""
    found = set()
    for number in processes:
        try:
            maps = (PROCESSES / str(number) / "maps").read_text()
        except OSError:  # it has just ended
            continue
        # address, access, offset, device, inode, name: that of a semaphore may be an older one
        found |= {int(line.split()[4]) for line in maps.splitlines() if f" {MEMORY}/" in line}
    return found


def left_memory(inodes: set[int]) -> list[str]:
    """Return the names of the shared memory that still exists with one of some inodes."""
    found = []
    for path in MEMORY.iterdir() if MEMORY.is_dir() else ():
        try:
            if path.stat().st_ino in inodes:
                found.append(path.name)
        except OSError:  # it has just been deleted
            continue
    return sorted(found)


def wait_for(what: Callable[[], Any]) -> Any:
    """Wait until a function returns something empty; return the last thing that it returned."""
    end = time.monotonic() + LONGEST_END
    while (found := what()) and time.monotonic() < end:
        time.sleep(0.05)
    return found


def stop(process: subprocess.Popen[bytes], place: Place, *, alone: bool) -> set[int]:
    """Kill a process, or its process group, and wait for its end.

    Returns:
        The inodes of the shared memory that it and its worker processes had mapped.
    """
    try:
        os.killpg(process.pid, signal.SIGSTOP)  # so that it gets no further while we look
        memory = mapped_memory(processes_of(place))
        if alone:
            process.kill()
            os.killpg(process.pid, signal.SIGCONT)
        else:
            os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:  # it has just ended
        memory = set[int]()
    process.wait()
    return memory


# ------------------------------------------------------------------------------------- files


def tree(folder: Path) -> dict[str, str]:
    """Return the digest of every file below a folder by its name; of folders, with "/", ""."""
    found: dict[str, str] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        try:
            found |= (
                {f"{name}/": ""}
                if path.is_dir()
                else {name: hashlib.sha256(path.read_bytes()).hexdigest()}
            )
        except FileNotFoundError:  # a process has deleted or renamed it
            continue
    return found


def look(folder: str) -> dict[str, tuple[int, int]]:
    """Return size and time of the last change of every file below a folder."""
    found: dict[str, tuple[int, int]] = {}
    with suppress(FileNotFoundError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                found |= look(entry.path)
            else:
                about = entry.stat(follow_symlinks=False)
                found[entry.path] = about.st_size, about.st_mtime_ns
    return found


def matches(name: str, patterns: tuple[str, ...]) -> bool:
    """Return whether a file's name matches one of some patterns."""
    return any(fnmatch(name, pattern) for pattern in patterns)


def is_temporary(name: str) -> bool:
    """Return whether a name is that of a file that is being written."""
    return name.endswith(".tmp") or any(part.startswith(".") for part in name.split("/"))


def is_whole(path: Path) -> bool:
    """Return whether the end of a file is that of a file of its kind."""
    content = path.read_bytes()
    try:
        if path.suffix == ".json":
            json.loads(content)
        elif path.suffix == ".jsonl":
            for line in content.split(b"\n")[:-1]:
                json.loads(line)
            return content.endswith(b"\n")
    except ValueError:
        return False
    end = ENDS.get(path.suffix)
    return end is None or content.rstrip(b"\n").endswith(end)


def complete_lines(path: Path) -> set[str]:
    """Return the lines of a journal that are complete, without how long something took.

    What was not yet in the results is done again, and takes another time.
    """
    found = set()
    for line in path.read_bytes().split(b"\n")[:-1]:
        row = json.loads(line)
        found.add(json.dumps({key: row[key] for key in row if key != SECONDS}))
    return found


def check_files(trial: Trial) -> None:
    """Check that nothing is lost: after a kill and at the end."""
    entry, place, unbroken = trial.entry, trial.place, trial.unbroken
    found, lost = tree(place.work), []
    for name, digest in found.items():
        path = place.work / name
        if name.endswith("/") or is_temporary(name):
            continue
        if matches(name, entry.journals):
            lines = complete_lines(path)
            lost += [f"{name}: a line is lost"] if trial.lines.get(name, set()) - lines else []
            trial.lines[name] = lines
        elif matches(name, entry.varying) or name not in unbroken.files:
            lost += [] if is_whole(path) else [f"{name}: half-written"]
        elif unbroken.files[name] != digest:
            lost.append(f"{name}: neither absent nor that of the unbroken command")
        if matches(name, entry.stay):
            trial.kept.setdefault(name, digest)
    lost += [f"{name}: lost" for name in trial.lines.keys() - found.keys()]
    lost += [f"{name}: changed" for name, kept in trial.kept.items() if found.get(name) != kept]
    trial.problems += [(LOST, text) for text in lost + entry.check(place)]


def check_end(trial: Trial) -> None:
    """Check that nothing is missing and nothing is left behind."""
    entry, place, unbroken = trial.entry, trial.place, trial.unbroken
    found = tree(place.work)
    absent = unbroken.files.keys() - found.keys()
    lost = [f"{name}: missing" for name in absent if not matches(name, entry.more)]
    more = [
        name
        for name in found.keys() - unbroken.files.keys()
        if is_temporary(name) or not matches(name, entry.more)
    ]
    more += [f"TMPDIR/{name}" for name in tree(place.temporary).keys() - unbroken.temporary.keys()]
    more += [f"cache/{path.name}" for path in place.cache.rglob("*.tmp")]
    for name in found:
        if matches(name, entry.journals) and not is_whole(place.work / name):
            lost.append(f"{name}: its last line is not whole")
    trial.problems += [(LOST, text) for text in lost + entry.check_end(place, unbroken.place)]
    trial.problems += [(LEFTOVER, text) for text in more]


# ------------------------------------------------------------------------------------- one trial


def prepare(entry: Entry, place: Place, needed: Mapping[str, Unbroken]) -> None:
    """Make a trial's folders, with the files that its command needs."""
    for folder in (place.work, place.temporary):
        folder.mkdir(parents=True)
    for name in entry.needs:
        shutil.copytree(needed[name].place.work, place.work, dirs_exist_ok=True)
    entry.prepare(place.work)


def follow(process: subprocess.Popen[bytes], folder: Path | None, limit: float) -> Iterator[int]:
    """Yield the number of changes of a process's files again and again, until it ends or hangs.

    Without a folder the number is 0, and the process has the machine for itself.
    """
    end = time.monotonic() + limit
    seen, changes = look(str(folder)) if folder else {}, 0
    while process.poll() is None and time.monotonic() < end:
        begun = time.monotonic()
        now = look(str(folder)) if folder else {}
        changes += now != seen
        seen = now
        yield changes
        time.sleep(max(LOOK_SECONDS, time.monotonic() - begun) if folder else PAUSE_SECONDS)


def run_unbroken(
    entry: Entry, place: Place, needed: Mapping[str, Unbroken], limit: float
) -> Unbroken:
    """Run a command without killing it.

    Raises:
        InvalidOption: the command fails.
    """
    prepare(entry, place, needed)
    begun, changes = time.monotonic(), 0
    process = start(entry, place)
    talk(entry, process, place)
    try:
        for number in follow(process, place.work, limit):
            changes = number
    except BaseException:  # Ctrl-C
        stop(process, place, alone=False)
        raise
    seconds = time.monotonic() - begun
    if process.poll() is None:
        stop(process, place, alone=False)
    if process.returncode != 0:
        last = (place.err.read_text().strip() or "nothing").splitlines()[-1]
        raise InvalidOption(f"{entry.name}: ended with {process.returncode}: {last}")
    return Unbroken(place, tree(place.work), tree(place.temporary), seconds, changes)


def talk(entry: Entry, process: subprocess.Popen[bytes], place: Place) -> threading.Thread | None:
    """Start the client of a command that is a server."""
    if entry.client is None:
        return None
    thread = threading.Thread(target=entry.client, args=(process, place), daemon=True)
    thread.start()
    return thread


def draw_moment(unbroken: Unbroken, rng: np.random.Generator) -> Moment:
    """Return a random moment of a command's life."""
    at_change = bool(unbroken.changes and rng.random() < HALF)
    return Moment(
        seconds=0.0 if at_change else float(rng.uniform(0, unbroken.seconds)),
        change=int(rng.integers(1, unbroken.changes + 1)) if at_change else 0,
        delay=float(rng.uniform(0, LONGEST_DELAY)) if at_change else 0.0,
        alone=bool(rng.random() < HALF),
    )


def run_once(trial: Trial, moment: Moment | None) -> bool:
    """Start a trial's command, or start it again; return whether it was killed at a moment."""
    place = trial.place
    begun = time.monotonic()
    process = start(trial.entry, place)
    thread = talk(trial.entry, process, place)
    watched = place.work if moment is not None and moment.change else None
    try:
        for changes in follow(process, watched, trial.limit):
            if moment is None:
                continue
            if moment.change and changes >= moment.change:
                time.sleep(moment.delay)
                break
            if not moment.change and time.monotonic() - begun >= moment.seconds:
                break
    except BaseException:  # Ctrl-C ends the fuzzer: its command must not go on
        stop(process, place, alone=False)
        raise
    hit = moment is not None and process.poll() is None
    if hit and moment is not None:
        trial.memory |= stop(process, place, alone=moment.alone)
        hit = process.returncode == -signal.SIGKILL
    if process.poll() is None:
        stop(process, place, alone=False)
        trial.problems.append((FAILED, f"does not end within {trial.limit:g} seconds"))
    if thread is not None:
        thread.join(LONGEST_END)
    orphans = wait_for(partial(processes_of, place))
    for orphan in orphans:
        os.kill(orphan, signal.SIGKILL)
    trial.problems += [(LEFTOVER, f"process {orphan}") for orphan in orphans]
    says = place.err.read_text(errors="replace")
    if not hit and process.returncode != 0:
        last = (says.strip() or "nothing").splitlines()[-1]
        trial.problems.append((FAILED, f"ended with {process.returncode}: {last}"))
    if "Traceback" in says and not (hit and moment is not None and moment.alone):
        trial.problems.append((FAILED, "printed a traceback"))
    return hit


def run_trial(trial: Trial, moments: Iterable[Moment]) -> None:
    """Kill a command at some moments, let it end, and check everything."""
    for moment in moments:
        if not run_once(trial, moment):
            break
        trial.moments.append(moment.words())
        check_files(trial)
        if trial.problems:
            return
    run_once(trial, None)
    check_files(trial)
    check_end(trial)
    left = wait_for(lambda: left_memory(trial.memory))
    trial.problems += [(LEFTOVER, f"shared memory {name}") for name in left]


# ----------------------------------------------------------------------------------- all trials


class Ground:
    """The folder in which commands are killed, with a kernel cache of its own.

    Args:
        folder: an empty folder.
        config: the settings.
    """

    def __init__(self, folder: Path, config: Kill) -> None:
        self._folder, self._config = folder, config
        self._cache = folder / "cache"
        self._known: dict[str, Unbroken] = {}
        base = cache_base()
        self._cache.mkdir(mode=0o700, parents=True)
        if base is not None and base.is_dir():
            shutil.copytree(
                base, self._cache, dirs_exist_ok=True, ignore=_locks, copy_function=_link
            )

    def place(self, name: str) -> Place:
        """Return the folders of a trial."""
        return Place(self._folder / name.replace(" ", "-"), self._cache)

    def unbroken(self, entry: Entry) -> Unbroken:
        """Return what a command does that is not killed; it runs once."""
        if entry.name not in self._known:
            needed = {name: self.unbroken(named(name)) for name in entry.needs}
            place = self.place(f"unbroken {entry.name}")
            limit = self._config.seconds
            self._known[entry.name] = run_unbroken(entry.fresh(), place, needed, limit)
        return self._known[entry.name]

    def trial(self, entry: Entry, number: int) -> Row:
        """Run a trial; return its row of the journal."""
        unbroken, place = self.unbroken(entry), self.place(f"{entry.name} {number}")
        entry = entry.fresh()
        prepare(entry, place, self._known)
        trial = Trial(entry, unbroken, place, self._config.seconds)
        seed = combine(combine(self._config.seed, zlib.crc32(entry.name.encode())), number)
        begun = time.monotonic()
        rng = np.random.default_rng(seed)
        count = 1 + int(rng.choice(len(CHANCES), p=CHANCES))
        run_trial(trial, [draw_moment(unbroken, rng) for _ in range(count)])
        failures = [self._save(trial, number)] if trial.problems else []
        shutil.rmtree(place.base)
        counts = {kind: sum(k == kind for k, _ in trial.problems) for kind in KINDS}
        return {
            "command": entry.name,
            "trial": number,
            "kills": len(trial.moments),
            "moments": trial.moments,
            **counts,
            "seconds": round(time.monotonic() - begun, 1),
            "failures": failures,
        }

    def _save(self, trial: Trial, number: int) -> str:
        content = {
            "command": ["python", "-m", *trial.entry.words_now(trial.place.work)],
            "moments": trial.moments,
            "problems": trial.problems,
            "files": sorted(tree(trial.place.work)),
            "out": trial.place.out.read_text(errors="replace"),
            "err": trial.place.err.read_text(errors="replace"),
        }
        name = f"kill-{trial.entry.name.replace(' ', '-')}-{number}"
        return save_failure(self._config.out, name, content)


def _locks(folder: str, names: list[str]) -> list[str]:
    """Return the files of a kernel cache that are not copied."""
    return [name for name in names if name == "lock"]


def _link(source: str, target: str) -> None:
    """Link a file of the kernel cache, which is never changed, only replaced."""
    try:
        os.link(source, target)
    except OSError:  # another file system
        shutil.copy2(source, target)


def named(name: str) -> Entry:
    """Return the command with a name.

    Raises:
        UnknownName: there is none.
    """
    for entry in ENTRIES:
        if entry.name == name:
            return entry
    raise unknown("command", name, [entry.name for entry in ENTRIES])


def check_prints(ground: Ground) -> None:
    """Check that the commands that only print write no files.

    Raises:
        InvalidOption: one does.
    """
    for entry in PRINTS:
        needed = {name: ground.unbroken(named(name)) for name in entry.needs}
        before = {name for need in needed.values() for name in need.files}
        found = run_unbroken(entry, ground.place(f"prints {entry.name}"), needed, entry.seconds)
        if found.files.keys() - before:
            raise InvalidOption(f"{entry.name}: writes files: expected an entry of its own")


def check(config: Kill) -> None:
    """Check the settings, and that every command is known.

    Raises:
        InvalidOption: one is not possible, or a command that writes files has no entry.
    """
    check_seed(config.seed)
    check_positive(kills=config.kills)
    if not config.seconds > 0:
        raise InvalidOption(f"seconds {config.seconds}: expected more than 0")
    for name in config.only:
        named(name)
    if not (PROCESSES / "self" / "environ").exists():
        raise InvalidOption("kill: expected Linux: processes are found under /proc")
    missing = without_entry()
    if missing:
        raise InvalidOption(
            f"{', '.join(missing)}: expected an entry in experiments/fuzz/killed.py"
        )


def fuzz(config: Kill) -> int:
    """Kill commands until each was killed often enough; print a table; return the failures."""
    check(config)
    journal = open_journal(config.out, "kill", {"seed": config.seed}, ROW)
    chosen = [named(name) for name in config.only] or list(ENTRIES)
    wanted = {entry.name: config.kills * (OFTEN if entry.often else 1) for entry in chosen}
    rows = [row for row in journal.rows if row["command"] in wanted]
    bar = count_bar()
    with bar, TemporaryDirectory(prefix="sprawl-kill-") as folder:
        ground = Ground(Path(folder), config)
        if not config.only:
            check_prints(ground)
        done = sum(row["kills"] for row in rows)
        shown = bar.add_task("kills", total=max(done, sum(wanted.values())), completed=done)
        for entry in chosen:
            mine = [row for row in rows if row["command"] == entry.name]
            for row in _trials(ground, entry, mine, wanted[entry.name]):
                journal.append([row])
                rows.append(row)
                bar.advance(shown, row["kills"])
    console().print(table(rows))
    return sum(len(row["failures"]) for row in rows)


def _trials(ground: Ground, entry: Entry, known: list[Row], wanted: int) -> Iterator[Row]:
    """Run the trials that are missing; yield their rows.

    Raises:
        InvalidOption: the command always ends before it is killed.
    """
    kills = sum(row["kills"] for row in known)
    failures = sum(len(row["failures"]) for row in known)
    number, misses = 1 + max((row["trial"] for row in known), default=-1), 0
    while kills < wanted and failures < MOST_FAILURES:
        row = ground.trial(entry, number)
        yield row
        number, kills = number + 1, kills + row["kills"]
        failures += len(row["failures"])
        misses = 0 if row["kills"] else misses + 1
        if misses == MOST_MISSES:
            raise InvalidOption(f"{entry.name}: ended {misses} times before it was killed")


def table(rows: list[Row]) -> Table:
    """Return the table of the results: one row a command."""
    shown = Table(title="commands killed at random moments")
    columns = ("trials", "kills", *KINDS)
    for column in ("command", *columns):
        shown.add_column(column, justify="left" if column == "command" else "right")
    groups: dict[str, list[Row]] = {}
    for row in rows:
        for name in (row["command"], "all"):
            groups.setdefault(name, []).append(row)
    for name in (*(name for name in groups if name != "all"), "all"):
        group = groups.get(name, [])
        counts = [sum(row[column] for row in group) for column in columns[1:]]
        shown.add_row(name, *(f"{count:,}" for count in (len(group), *counts)))
    return shown
