"""Matches in parts: the same games whoever plays them."""

import re
import sys
from functools import partial

import numpy as np
import pytest

import sprawl_env
from sprawl_env.arena.engines import check_engine, pool_of
from sprawl_env.arena.evaluation import usual_parts
from sprawl_env.arena.games import Results, join, play_games
from sprawl_env.arena.parts import Setup, begin, play_parts
from sprawl_env.arena.workers import Done, Lost, WorkerError
from sprawl_env.bots.random import RandomBot
from sprawl_env.core.errors import InvalidOption, SprawlError, UnknownName
from tests.bots import Dies, First
from tests.commands import hide

LOTS = "examples.lots:RULES"
FIELDS = list(Results.__dataclass_fields__)


class Here:
    """A pool that runs tasks in this process; some are lost at first."""

    def __init__(self, start, argument, *, seconds, lost=()):
        self.work, self.lost, self.tasks = start(argument), list(lost), []

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    def again(self, task):
        self.tasks.append(task)

    def results(self, tasks):
        self.tasks += tasks
        while self.tasks:
            task = self.tasks.pop()  # in the other order
            if task in self.lost:
                self.lost.remove(task)
                yield [Lost(task, -1, 0, -9)]
            else:
                yield [Done(task, self.work(task, lambda seat, ply: None))]


def same(one, other):
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in FIELDS)


def test_parts_are_the_same_deals_and_the_first_part_the_same_games():
    game = sprawl_env.game(LOTS, num_players=3)
    bots = ["random", "random", "greedy"]
    whole = play_games(game, bots, 30, seed=4)
    parts = [play_games(game, bots, 30, seed=4, part=(k, 4)) for k in range(4)]
    assert [len(part.deals) // 3 for part in parts] == [2, 3, 2, 3]
    found = join(parts)
    assert np.array_equal(found.deals, whole.deals)
    assert np.array_equal(found.seats, whole.seats)
    first = play_games(game, bots, 6, seed=4)
    assert same(parts[0], first)
    assert not np.array_equal(found.scores, whole.scores)  # bots are seeded for each part


class Tires(RandomBot):
    """A bot that plays otherwise once it has played for a while, whatever its seed."""

    def __init__(self):
        super().__init__(0)
        self.calls = 0

    def act(self, observations, masks, states):
        self.calls += 1
        return masks.argmax(axis=1) if self.calls > 20 else super().act(observations, masks, states)


def test_every_part_is_played_by_the_bot_as_it_was_given():
    bot, game = Tires(), sprawl_env.game(LOTS)
    setup = Setup(game, ("a", "b"), {"a": bot, "b": RandomBot}, 40, 5, 4)
    work = begin(setup)
    again = [work(1, lambda seat, ply: None) for _ in range(2)]
    assert same(*again) and bot.calls == 0


@pytest.mark.parametrize("seats", [1, 2])
def test_results_depend_on_the_parts_but_not_on_who_plays_them(seats):
    game = sprawl_env.game("ginkgopolis", num_players=seats)
    setup = Setup(game, ("random", "greedy"), {"random": RandomBot, "greedy": "greedy"}, 20, 5, 3)
    shown = []
    here = play_parts(setup, Here, shown.append)
    assert sum(shown) == setup.total == 20 * len(here)
    lossy = play_parts(setup, partial(Here, lost=(0, 2)), shown.append)
    for one, other in zip(here, lossy, strict=True):
        assert same(one, other)
    expected = [
        join([play_games(game, line_up, 20, seed=5, part=(k, 3)) for k in range(3)])
        for line_up in ([["random"], ["greedy"]] if seats == 1 else [["random", "greedy"]])
    ]
    for one, other in zip(here, expected, strict=True):
        assert same(one, other)


@pytest.mark.parametrize(("games", "parts"), [(1, 1), (199, 1), (200, 2), (2000, 20)])
def test_a_match_has_about_a_hundred_games_a_part(games, parts):
    assert usual_parts(games) == parts


def test_worker_processes_play_them():
    settings = {"num_games": 20, "seed": 3, "parts": 5}
    found = [
        sprawl_env.evaluate(LOTS, ["greedy", "random"], processes=n, **settings) for n in (1, 2)
    ]
    assert same(found[0].results, found[1].results)
    assert found[0].parts == 5
    assert found[0].to_json()["config"]["parts"] == 5
    assert [line.bot for line in found[0].lines] == ["greedy", "random"]
    alone = sprawl_env.evaluate(LOTS, ["greedy", "random"], num_games=20, seed=3)
    assert np.array_equal(alone.results.deals, found[0].results.deals)


def test_a_part_whose_process_dies_two_times_is_an_error():
    game = sprawl_env.game(LOTS)
    setup = Setup(game, ("random", "greedy"), {"random": "random", "greedy": "greedy"}, 8, 5, 2)
    says = r"the worker process of random v greedy died 2 times \(exit code -9\)"
    with pytest.raises(WorkerError, match=says):
        play_parts(setup, partial(Here, lost=(1, 1)), lambda n: None)


class Ends(Dies):
    name = "ends"


class Stumbles(First):
    name = "stumbles"

    def act(self, observations, masks, states):
        raise ValueError("no idea")


@pytest.mark.parametrize(
    ("bot", "says"),
    [("Ends", r"Ends v random died 2 times \(exit code 7\)"), ("Stumbles", "ValueError: no idea")],
)
def test_a_bot_that_fails_in_a_worker_process_is_an_error(bot, says):
    line_up = [f"tests.unit.arena.test_parts:{bot}", "random"]
    with pytest.raises(SprawlError, match=says):
        sprawl_env.evaluate(LOTS, line_up, num_games=4, parts=2, processes=1)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: sprawl_env.evaluate(LOTS, ["random"] * 2, parts=0), "parts=0: expected a whole"),
        (
            lambda: sprawl_env.evaluate(LOTS, ["random"] * 2, num_games=6, parts=4),
            "parts=4: expected a whole number 1..3",
        ),
        (lambda: sprawl_env.evaluate(LOTS, ["random"] * 2, processes=-1), "processes=-1: expected"),
        (
            lambda: sprawl_env.evaluate(LOTS, ["random"] * 2, processes=3),
            "processes=3: expected parts",
        ),
        (lambda: sprawl_env.evaluate(LOTS, ["random"] * 2, engine="grid"), "unknown engine 'grid'"),
        (
            lambda: sprawl_env.evaluate(
                LOTS, [type("Own", (Ends,), {"name": "own"}), "random"], parts=2
            ),
            "bot 'own': cannot be pickled for worker processes",
        ),
        (
            lambda: play_games(sprawl_env.game(LOTS), ["random"] * 2, 6, part=(3, 3)),
            "part: k=3: expected a whole number 0..2",
        ),
        (
            lambda: play_games(sprawl_env.game(LOTS), ["random"] * 2, 6, part=(0, 4)),
            "part: n=4: expected a whole number 1..3",
        ),
    ],
)
def test_bad_parts_and_engines_are_one_line(call, says):
    with pytest.raises((InvalidOption, UnknownName), match=re.escape(says)):
        call()


def test_ray_is_asked_for_by_name(monkeypatch):
    hide(monkeypatch, "ray")
    monkeypatch.delitem(sys.modules, "sprawl_env.arena.ray_workers", raising=False)
    check_engine("ray", 0)
    with pytest.raises(InvalidOption, match=r"pip install 'sprawl-env\[ray\]'"):
        pool_of("ray", begin, None, processes=1, seconds=lambda task, seat: 1.0)
