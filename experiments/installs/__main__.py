"""Two versions of the package play each other: is a bot of this one as strong as it was?

Example::

    git worktree add ../before v0.2.0
    python -m experiments.installs --before ../before --game ginkgopolis --bot mcts:sims=100

Each version runs in processes of its own and holds the same game; both are told every action, and
the legal actions are compared after each.  Every deal is played twice, with the seats exchanged.
The rules must be the same in both; states, observations and bots may differ.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

import numpy as np

from experiments.fuzz.running import check_positive, open_journal
from experiments.records import alone
from sprawl_env.arena.evaluation import interval
from sprawl_env.arena.journal import Row
from sprawl_env.console import count_bar, run, say
from sprawl_env.core.errors import InvalidOption, SprawlError
from sprawl_env.core.processes import usable_cores
from sprawl_env.core.provenance import digest_of

ROW = {"deal": int, "first": int, "plies": int, "scores": [float], "won": float}
HERE = Path(__file__).resolve().parents[2]
SOURCES = (".py", ".toml", ".safetensors", ".json")
PLAYER = Path(__file__).with_name("player.py")


@dataclass(frozen=True)
class Installs:
    """Let two versions of the package play each other, with 2 seats."""

    before: Path
    """folder of the other version's source"""
    game: str = "ginkgopolis"
    """name of the game"""
    bot: str = "mcts"
    """the bot, by the same name in both versions"""
    games: int = 1000
    """number of games, two a deal"""
    python: Path = Path(sys.executable)
    """interpreter of the other version"""
    jobs: int = usable_cores()
    """games at a time"""
    out: Path = Path("runs/installs")
    """folder for the results; the same command goes on where it was stopped"""


class Player:
    """A process that plays for one version."""

    def __init__(self, config: Installs, python: Path, source: Path) -> None:
        words = [config.game, json.dumps({"num_players": 2}), config.bot]
        self.process = subprocess.Popen(
            [str(python), str(PLAYER), *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(source), "SPRAWL_ENV_QUIET": "1"},
        )

    def ask(self, line: str) -> str:
        """Send a line and return the answer.

        Raises:
            SprawlError: the process has ended.
        """
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        answer = ""
        with suppress(BrokenPipeError):
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
        if not answer:
            raise SprawlError(f"a player ended with {self.process.wait()}: see above")
        return answer.strip()

    def close(self) -> None:
        """End the process."""
        self.process.kill()
        with suppress(BrokenPipeError):
            self.process.communicate()


def play(players: tuple[Player, Player], deal: int, first: int) -> Row:
    """Play one game and return its row.

    Args:
        players: of this version and of the other one.
        deal: seed of the deal.
        first: which of the two has seat 0.

    Raises:
        SprawlError: the versions disagree about what is legal or about the scores.
    """
    seats = (players[first], players[1 - first])
    answers = [player.ask(f"new {deal} {2 * deal + first}") for player in players]
    plies = 0
    while True:
        if answers[0] != answers[1]:
            raise SprawlError(f"deal {deal}, ply {plies}: the versions play different rules")
        seat = int(answers[0].split()[1])
        if seat < 0:
            break
        action = seats[seat].ask("act")
        answers = [player.ask(f"play {action}") for player in players]
        plies += 1
    scores = [player.ask("end") for player in players]
    if scores[0] != scores[1]:
        raise SprawlError(f"deal {deal}: the versions score differently: {scores}")
    points = [float(score) for score in scores[0].split()]
    places = points[len(seats) :]  # how both stand, with the tie-breaks
    own, other = places[first], places[1 - first]
    won = 0.5 if own == other else float(own > other)
    scores_only = points[: len(seats)]
    return {"deal": deal, "first": first, "plies": plies, "scores": scores_only, "won": won}


def results(config: Installs, left: list[tuple[int, int]]) -> Iterator[Row]:
    """Play games at the same time; yield their rows."""
    free: SimpleQueue[tuple[Player, Player]] = SimpleQueue()
    made = []
    for _ in range(config.jobs):
        own = Player(config, Path(sys.executable), HERE)
        made.append((own, Player(config, config.python.absolute(), config.before.absolute())))
        free.put(made[-1])

    def one(task: tuple[int, int]) -> Row:
        players = free.get()
        try:
            return play(players, *task)
        finally:
            free.put(players)

    try:
        with ThreadPoolExecutor(config.jobs) as pool:
            yield from pool.map(one, left)
    finally:
        for player in (player for pair in made for player in pair):
            player.close()


def source_digest(folder: Path) -> str:
    """Return 16 hex digits that change with the code, the data and the agents of a version."""
    return digest_of(folder, ("sprawl_env", "agents"), SOURCES)


def main(config: Installs) -> None:
    """Run the command."""
    check_positive(games=config.games, jobs=config.jobs)
    if config.games % 2:
        raise InvalidOption(f"games {config.games}: expected an even number, two games a deal")
    if not (config.before / "sprawl_env").is_dir():
        raise InvalidOption(f"before={str(config.before)!r}: expected a folder with sprawl_env")
    with alone(config.out):
        play_all(config)


def play_all(config: Installs) -> None:
    """Play what is missing, and print how often this version won."""
    settings = {"game": config.game, "bot": config.bot, "before": str(config.before)}
    sources = {"code": source_digest(HERE), "code_before": source_digest(config.before)}
    journal = open_journal(config.out, config.game, {**settings, **sources}, ROW)
    tasks = [(game // 2, game % 2) for game in range(config.games)]
    rows = {(row["deal"], row["first"]): row for row in journal.rows}
    left = [task for task in tasks if task not in rows]
    with count_bar() as bar:
        shown = bar.add_task("games", total=len(tasks), completed=len(tasks) - len(left))
        for row in results(config, left):
            journal.append([row])
            rows[row["deal"], row["first"]] = row
            bar.advance(shown)
    shares = [
        (rows[deal, 0]["won"] + rows[deal, 1]["won"]) / 2 for deal in range(config.games // 2)
    ]
    low, high = interval(np.array(shares))
    mean = np.mean([rows[task]["won"] for task in tasks])
    say(
        f"{config.game}, {config.bot}: this version won {100 * mean:.1f}% "
        f"({100 * low:.1f} to {100 * high:.1f}) of {len(tasks):,} games against {config.before}"
    )


if __name__ == "__main__":
    run(main, Installs)
