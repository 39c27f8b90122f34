"""The commands that :mod:`experiments.fuzz.kill` kills: one entry each, and how each goes on.

Every command of the package that writes files has an entry.  Those that only print are listed too,
and it is checked that they write nothing.
"""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import time
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass, is_dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Final, Union, get_args, get_origin, get_type_hints

import sprawl_env.__main__
from sprawl_env import replays
from sprawl_env.bots.policy.checkpoint import DESCRIPTION, WEIGHTS, checkpoints_in, load, step_of
from sprawl_env.core.errors import SprawlError
from sprawl_env.kernels.checked_files import read_named, read_stamped

ROOT: Final = Path(__file__).parents[2]
LOTS: Final = "examples.lots:RULES"
NOTICE: Final = "compiling the rules"
CACHE_VARIABLE: Final = "SPRAWL_ENV_CACHE"


@dataclass(frozen=True)
class Place:
    """The folders of a trial.

    Attributes:
        base: contains the others.
        cache: of compiled kernels; all trials share it.
    """

    base: Path
    cache: Path

    @property
    def work(self) -> Path:
        """The current folder of the command."""
        return self.base / "work"

    @property
    def temporary(self) -> Path:
        """The command's folder for temporary files."""
        return self.base / "temporary"

    @property
    def out(self) -> Path:
        """What the command prints."""
        return self.base / "out.txt"

    @property
    def err(self) -> Path:
        """What the command prints on standard error."""
        return self.base / "err.txt"


Client = Callable[[subprocess.Popen[bytes], Place], None]


def nothing(folder: Path) -> None:
    """Leave a folder as it is."""


def no_faults(*places: Place) -> list[str]:
    """Return no faults."""
    return []


@dataclass(frozen=True)
class Entry:
    """A command that is killed.  Patterns are of names relative to its folder, as in a shell.

    Attributes:
        name: as in the table.
        words: after ``python -m``.
        again: returns the words with which the command goes on in a folder; None: the same.
        needs: names of the entries whose unbroken results are in its folder from the start.
        prepare: makes further files in a folder.
        varying: patterns of files that differ from those of the unbroken command.
        more: patterns of files that a command that was killed may have beyond those.
        journals: patterns of files whose complete lines stay.
        stay: patterns of files that stay as they are once they are there.
        check: returns what is lost, after a kill and at the end.
        check_end: returns what is lost at the end, compared with the unbroken command.
        make_client: makes a function that talks to the command while it runs, and what checks
            that nothing that it was told is lost.
        own_cache: whether the command has a kernel cache in its folder, empty at first.
        often: whether it is killed more often than others.
        seconds: limit for a command that only prints.
    """

    name: str
    words: str
    again: Callable[[Path], str | None] | None = None
    needs: tuple[str, ...] = ()
    prepare: Callable[[Path], None] = nothing
    varying: tuple[str, ...] = ()
    more: tuple[str, ...] = ()
    journals: tuple[str, ...] = ()
    stay: tuple[str, ...] = ()
    check: Callable[[Place], list[str]] = no_faults
    check_end: Callable[[Place, Place], list[str]] = no_faults
    make_client: Callable[[], tuple[Client, Callable[[Place], list[str]]]] | None = None
    client: Client | None = None
    own_cache: bool = False
    often: bool = False
    seconds: float = 600.0

    def words_now(self, folder: Path) -> tuple[str, ...]:
        """Return the words that start the command in a folder, or let it go on."""
        words = self.again(folder) if self.again else None
        return tuple((words or self.words).split())

    def environment(self, place: Place) -> dict[str, str]:
        """Return environment variables of the command."""
        return {CACHE_VARIABLE: str(place.work / "cache" if self.own_cache else place.cache)}

    def fresh(self) -> Entry:
        """Return the entry with a client of its own, if it has one."""
        if self.make_client is None:
            return self
        client, check = self.make_client()
        return replace(self, client=client, check=check)


# ----------------------------------------------------------------------------------------- train

RUN: Final = "runs/mine"
SEARCHING: Final = "runs/searching"
SEARCHES: Final = 500  # decisions that expert iteration learns from


def go_on_training(folder: Path) -> str | None:
    """Return the words that resume a run that has begun."""
    begun = (folder / RUN / "config.json").exists()
    return f"experiments.train --resume {RUN}" if begun else None


def go_on_searching(folder: Path) -> str | None:
    """Return the words that resume a run of expert iteration that has begun."""
    begun = (folder / SEARCHING / "config.json").exists()
    return f"experiments.train_search --resume {SEARCHING}" if begun else None


def check_checkpoints(place: Place) -> list[str]:
    """Return which checkpoints of runs cannot be read."""
    faults = []
    for folder in (place.work / "runs").glob("*/checkpoints"):
        for path in checkpoints_in(folder):
            try:
                load(path)
            except SprawlError as error:
                faults.append(str(error))
    return faults


def last_step(place: Place, run: str) -> int:
    """Return the step of a run's last checkpoint."""
    return step_of(checkpoints_in(place.work / run / "checkpoints")[-1])


def check_last_step(place: Place, unbroken: Place) -> list[str]:
    """Return whether a run stopped before the last step of the unbroken one."""
    last, whole = last_step(place, RUN), last_step(unbroken, RUN)
    return [f"ended at step {last}, not {whole}"] if last < whole else []


def check_all_searches(place: Place, unbroken: Place) -> list[str]:
    """Return whether expert iteration stopped before its limit; a resumed run plays other games."""
    last = last_step(place, SEARCHING)
    return [f"ended at step {last}, not {SEARCHES}"] if last < SEARCHES else []


# ------------------------------------------------------------------------------------ tournament


def rows_of(path: Path, *without: str) -> list[str]:
    """Return the rows of a journal in some order, without keys that vary."""
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    return sorted(
        json.dumps({key: value for key, value in row.items() if key not in without}) for row in rows
    )


def check_chunks(place: Place, unbroken: Place) -> list[str]:
    """Return whether the rows of the fuzzer's games are those of the unbroken command."""
    mine, theirs = (
        rows_of(each.work / "fuzz" / "random.jsonl", "seconds") for each in (place, unbroken)
    )
    return [] if mine == theirs else ["fuzz/random.jsonl: other rows than the unbroken command"]


# ------------------------------------------------------------------------------------------ play

SAVES: Final = "saves"
SAVE: Final = "mine"
MOST_SAVES: Final = 40  # of a server that is not killed
LONGEST_START: Final = 300.0  # seconds until the page is ready
LONGEST_ANSWER: Final = 60.0


def go_on_playing(folder: Path) -> str | None:
    """Return the words that continue the saved game."""
    path = Path(SAVES) / f"{SAVE}.jsonl"
    return f"{PLAY} --load {path}" if (folder / path).exists() else None


class Page:
    """A page that plays and saves after every ply, and knows what the server has confirmed.

    Attributes:
        asked: plies of the last save that was asked for.
        saved: plies of the last save that was confirmed; -1: none.
        faults: wrong answers.
    """

    def __init__(self) -> None:
        self.asked = self.saved = -1
        self.faults: list[str] = []

    def client(self, process: subprocess.Popen[bytes], place: Place) -> None:
        """Play and save until the server ends, or end it after some saves."""
        try:
            address = self._address(process, place)
            if address:
                self._play(*address)
                process.send_signal(signal.SIGINT)
        except (OSError, http.client.HTTPException):  # the server was killed
            return
        except (ValueError, KeyError) as error:
            self.faults.append(f"the page's answer: {error!r}")
            process.send_signal(signal.SIGINT)

    def check(self, place: Place) -> list[str]:
        """Return whether the saved game is neither the old nor the new one."""
        path = place.work / SAVES / f"{SAVE}.jsonl"
        if not path.exists():
            return [*self.faults, "the saved game is lost"] if self.saved >= 0 else self.faults
        try:
            replay = replays.load(path)
            for _ in replays.steps(replay):
                pass
        except SprawlError as error:
            return [*self.faults, str(error)]
        plies = len(replay.plies)
        if plies in {self.saved, self.asked}:
            return self.faults
        says = f"the saved game has {plies} plies, expected {self.saved} or {self.asked}"
        return [*self.faults, says]

    def _address(self, process: subprocess.Popen[bytes], place: Place) -> tuple[str, str] | None:
        """Return host and path of the page once the server has told them."""
        end = time.monotonic() + LONGEST_START
        while process.poll() is None and time.monotonic() < end:
            url = place.out.read_text(errors="replace").partition("http://")[2]
            if "\n" in url:
                host, _, path = url.split()[0].partition("/")
                return host, f"/{path}api/"
            time.sleep(0.01)
        return None

    def _play(self, host: str, path: str) -> None:
        view = self._ask(host, f"{path}view")
        for _ in range(MOST_SAVES):
            if view["over"]:
                view = self._ask(host, f"{path}deal", version=view["version"])
            elif view["mine"]:
                action = view["actions"][0][0]
                view = self._ask(host, f"{path}play", version=view["version"], action=action)
            else:
                view = self._ask(host, f"{path}advance", version=view["version"])
            self.asked = len(view["log"])
            view = self._ask(host, f"{path}save", version=view["version"], name=SAVE)
            self.saved = self.asked

    def _ask(self, host: str, path: str, **body: Any) -> dict[str, Any]:
        connection = http.client.HTTPConnection(host, timeout=LONGEST_ANSWER)
        headers = {"Origin": f"http://{host}", "Content-Type": "application/json"}
        if body:
            connection.request("POST", path, json.dumps(body), headers)
        else:
            connection.request("GET", path)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        if answer.status != http.client.OK:
            raise ValueError(f"{path.rpartition('/')[2]}: {answer.status} {content.decode()[:200]}")
        found: dict[str, Any] = json.loads(content)
        return found


def new_page() -> tuple[Client, Callable[[Place], list[str]]]:
    """Return a page's client and its check."""
    page = Page()
    return page.client, page.check


# ---------------------------------------------------------------------------------------- warmup


def check_cache(place: Place) -> list[str]:
    """Return which files of a kernel cache are damaged."""
    faults = []
    for path in (place.work / "cache").rglob("*.*"):
        reader = {".nbi": read_stamped, ".nbc": read_named, ".bc": read_named}.get(path.suffix)
        try:
            if reader is not None:
                reader(path)
        except OSError as error:
            faults.append(f"{path.name}: {error}")
    return faults


def check_loaded(place: Place, unbroken: Place) -> list[str]:
    """Return whether kernels are compiled again although the cache has them all."""
    done = subprocess.run(
        [sys.executable, "-m", *WARMUP.split()],
        cwd=place.work,
        env={**os.environ, "PYTHONPATH": str(ROOT), CACHE_VARIABLE: str(place.work / "cache")},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode or NOTICE in done.stderr:
        return [f"the cache is not complete: {done.stderr.strip().splitlines()[-1]}"]
    return []


# ------------------------------------------------------------------------------------- notebooks


def write_notebook(folder: Path) -> None:
    """Write a notebook with one cell."""
    cell: dict[str, Any] = {
        "cell_type": "code",
        "execution_count": None,
        "id": "one",
        "metadata": {},
    }
    cell |= {"outputs": [], "source": "1 + 1"}
    content = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (folder / "small.ipynb").write_text(json.dumps(content))


# ------------------------------------------------------------------------------------- the lists

TRAIN: Final = (
    "experiments.train --num-envs=16 --num-steps=8 --batch-size=64 --num-epochs=1 --width=8 "
    "--trunk=16 --imitation=0 --max-minutes=0 --processes=2 --name=mine --checkpoint-every=256 "
    "--total-steps=1200 --evaluate-every=600 --evaluation-games=20 --device=cpu --past-share=0.4 "
    "--greedy-share=0.2"
)
TOURNAMENT: Final = (
    "sprawl_env tournament --bots random greedy --games 40 --seed 4 --replays --processes 2 "
    "--out results"
)
PLAY: Final = f"sprawl_env play --port 0 --no-open --seed 3 --hints greedy --saves {SAVES}"
WARMUP: Final = f"sprawl_env warmup --game {LOTS}"
BENCHMARK: Final = (
    "experiments.benchmark --games tower_up --seats 2 --num-envs 64 --seconds 0.05 --repeats 1 "
    "--no-peers --no-startup --out speed.json"
)
REPLAY: Final = "results/replays/deal-00000-line-up-000-rotation-0.jsonl"

ABLATIONS: Final = (
    "experiments.ablations --minutes 0 --games 20 --strong random --strong-games 20 --seeds 3 "
    "--out new --settings num_envs=16 num_steps=8 batch_size=64 width=8 trunk=16 imitation=0 "
    "processes=2 total_steps=500 --only recipe"
)
EXPLOIT: Final = (
    "experiments.exploit --minutes 0 --victim greedy --start tower_up/quick --games 20 --few 20 "
    "--seed 3 --out exploited --settings num_envs=16 num_steps=8 batch_size=64 processes=2 "
    "total_steps=500 checkpoint_every=128 device=cpu"
)
SWEEP: Final = (
    "experiments.sweep --games 20 --strong random --strong-games 20 --seeds 3 --out swept "
    "--processes 2 --settings max_minutes=0 num_envs=16 num_steps=8 batch_size=64 width=4,8 "
    "trunk=16 imitation=0 total_steps=500"
)
TRAIN_SEARCH: Final = (
    "experiments.train_search --start=tower_up/quick --num-envs=16 --sims=4 --fast-sims=2 "
    "--full-share=0.5 --window=400 --batch-size=32 --gate-every=100 --gate-games=4 "
    f"--max-minutes=0 --total-steps={SEARCHES} --evaluation-games=0 --processes=2 "
    "--precision=float32 --name=searching"
)
TRAIN_SB3: Final = "experiments.train_sb3 --total-steps=1 --games=0 --width=8 --trunk=16"

ENTRIES: Final = (
    Entry(
        "experiments.train",
        TRAIN,
        again=go_on_training,
        varying=(
            f"{RUN}/checkpoints/*/{DESCRIPTION}",  # has the seconds
            f"{RUN}/tensorboard/*",
            f"{RUN}/evaluations.jsonl",  # has the seconds
        ),
        more=(f"{RUN}/checkpoints/*/games.safetensors", f"{RUN}/tensorboard/events.*"),
        stay=(f"{RUN}/checkpoints/*/{WEIGHTS}", f"{RUN}/checkpoints/*/{DESCRIPTION}"),
        check=check_checkpoints,
        check_end=check_last_step,
        often=True,
    ),
    Entry(
        "experiments.train_search",
        TRAIN_SEARCH,
        again=go_on_searching,
        varying=(f"{SEARCHING}/checkpoints/*", f"{SEARCHING}/matches.jsonl"),
        more=(f"{SEARCHING}/checkpoints/*", f"{SEARCHING}/matches.jsonl"),
        stay=(f"{SEARCHING}/checkpoints/*/{WEIGHTS}",),
        check=check_checkpoints,
        check_end=check_all_searches,
    ),
    Entry("experiments.train_sb3", TRAIN_SB3, stay=("runs/*/checkpoints/*",)),
    Entry(
        "tournament",
        TOURNAMENT,
        varying=("results/timings.jsonl", "results/report.*"),
        journals=("results/results.jsonl", "results/timings.jsonl"),
        stay=("results/config.json", "results/replays/*"),
        often=True,
    ),
    Entry(
        "play",
        PLAY,
        again=go_on_playing,
        varying=(f"{SAVES}/*",),
        make_client=new_page,
        often=True,
    ),
    Entry("evaluate", "sprawl_env evaluate --bots greedy random --games 60 --out found.json"),
    Entry(
        "experiments.export",
        f"experiments.export {RUN} agents/tower_up/mine",
        needs=("experiments.train",),
    ),
    Entry(
        "experiments.outcomes",
        f"experiments.outcomes {RUN} agents/tower_up/fitted --games 600",
        needs=("experiments.train",),
    ),
    Entry(
        "experiments.equal_time",
        "experiments.equal_time --bot search:agent=uniform --against mcts:sims=100 --positions 4 "
        "--games 4 --out equal.json",
        varying=("equal.json",),  # has the times
    ),
    Entry(
        "experiments.curves",
        f"experiments.curves {RUN} --games 20 --few 10 --strong greedy --against random --out new",
        needs=("experiments.train",),
        varying=("new/measured.jsonl",),  # has the seconds
        stay=("new/curves.*",),
    ),
    Entry(
        "experiments.ladder",
        "experiments.ladder --bots random greedy flat:sims=4 --most 40 --near 40 --rest 20 "
        "--processes 1 --out rungs",
        varying=("rungs/ladder.*",),  # have the times
        journals=("rungs/pairs.jsonl",),
    ),
    Entry(
        "experiments.exploit",
        EXPLOIT,
        varying=(
            f"exploited/run/checkpoints/*/{DESCRIPTION}",  # has the seconds
            "exploited/run/tensorboard/*",
            "exploited/curve/*",  # has the seconds
            "exploited/exploit.json",
        ),
        more=(
            "exploited/run/checkpoints/*/games.safetensors",
            "exploited/run/tensorboard/events.*",
        ),
    ),
    Entry(
        "experiments.ablations",
        ABLATIONS,
        varying=(
            f"new/*/checkpoints/*/{DESCRIPTION}",  # has the seconds
            "new/*/tensorboard/*",
            "new/results.jsonl",  # has the seconds
        ),
        more=("new/*/checkpoints/*/games.safetensors", "new/*/tensorboard/events.*"),
    ),
    Entry(
        "experiments.sweep",
        SWEEP,
        varying=(
            f"swept/*/checkpoints/*/{DESCRIPTION}",  # has the seconds
            "swept/*/tensorboard/*",
            "swept/*/measured.json",  # has the seconds
            "swept/*.log",
            "swept/curves.*",
        ),
        more=(
            "swept/*/checkpoints/*/games.safetensors",
            "swept/*/tensorboard/events.*",
            "swept/*.log",
        ),
    ),
    Entry("replay html", f"sprawl_env replay html {REPLAY} -o page.html", needs=("tournament",)),
    Entry("replay gif", f"sprawl_env replay gif {REPLAY} -o film.gif", needs=("tournament",)),
    Entry(
        "warmup",
        WARMUP,
        varying=("cache/*",),
        more=("cache/*",),
        check=check_cache,
        check_end=check_loaded,
        own_cache=True,
    ),
    Entry(
        "experiments.fuzz",
        f"experiments.fuzz games --games 40000 --only {LOTS} --jobs 2 --out fuzz",
        varying=("fuzz/random.jsonl",),
        journals=("fuzz/random.jsonl",),
        check_end=check_chunks,
    ),
    Entry(
        "experiments.installs",
        f"experiments.installs --before {ROOT} --game {LOTS} --bot random --games 200 --out two",
        varying=(f"two/{LOTS}.jsonl",),
        journals=(f"two/{LOTS}.jsonl",),
    ),
    Entry(
        "experiments.balance",
        "experiments.balance --games 4 --seats 2 --batch 4 --out balance.json",
    ),
    Entry(
        "experiments.dataset",
        f"experiments.dataset data --game {LOTS} --bots random --games 4000 --games-per-shard 500",
        varying=("data/dataset.json", "data/README.md"),
    ),
    Entry(
        "experiments.template",
        "experiments.template --games 2 --out study",
        varying=("study/results.jsonl",),
    ),
    Entry("experiments.benchmark", BENCHMARK, varying=("speed.json",)),
    Entry(
        "experiments.throughput",
        "experiments.throughput --seconds 0.5 --repeats 1 --out speed.json",
        varying=("speed.json",),
    ),
    Entry(
        "experiments.notebooks",
        "experiments.notebooks small.ipynb --out done",
        prepare=write_notebook,
    ),
)

PRINTS: Final = (
    Entry("data", "sprawl_env data"),
    Entry("compare", "sprawl_env compare results results", needs=("tournament",)),
    Entry("replay verify", f"sprawl_env replay verify {REPLAY}", needs=("tournament",)),
    Entry("replay show", f"sprawl_env replay show {REPLAY}", needs=("tournament",)),
)


def subcommands(kind: Any, name: str = "") -> Iterator[str]:
    """Yield the names of all commands that a type describes, e.g. ``replay verify``."""
    while get_origin(kind) is Annotated:
        inside, *marks = get_args(kind)
        own = [mark.name for mark in marks if getattr(mark, "name", None)]
        kind, name = inside, " ".join([name, *own]).strip()
    if get_origin(kind) in {Union, types.UnionType}:
        for choice in get_args(kind):
            yield from subcommands(choice, name)
        return
    hints = get_type_hints(kind, include_extras=True) if is_dataclass(kind) else {}
    inner = [found for hint in hints.values() for found in _choices(hint)]
    if not inner:
        yield name
    for hint in inner:
        yield from subcommands(hint, name)


def _choices(hint: Any) -> list[Any]:
    """Return the commands of a field, none if it is a setting."""
    while get_origin(hint) is Annotated:
        hint = get_args(hint)[0]
    found = get_args(hint) if get_origin(hint) in {Union, types.UnionType} else ()
    return [choice for choice in found if get_origin(choice) is Annotated]


def command_names() -> list[str]:
    """Return the names of all commands: of ``sprawl-env`` and of ``experiments``."""
    found = list(subcommands(sprawl_env.__main__.Command))
    for path in sorted((ROOT / "experiments").iterdir()):
        source = path / "__main__.py" if path.is_dir() else path
        if source.suffix == ".py" and source.is_file() and "__main__" in source.read_text():
            found.append(f"experiments.{path.stem}")
    return found


def without_entry() -> list[str]:
    """Return the names of the commands that are neither killed nor known to only print."""
    known = {entry.name for entry in (*ENTRIES, *PRINTS)}
    return [name for name in command_names() if name not in known]
