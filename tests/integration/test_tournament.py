"""Tournaments: paired deals, resumable, and robust against bots that fail."""

import contextlib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("openskill")

import sprawl_env
from sprawl_env.arena import workers
from sprawl_env.arena.entrants import made_of, made_of_instance, pinned
from sprawl_env.arena.journal import Journal
from sprawl_env.arena.report import labels, summarise, tables, to_markdown
from sprawl_env.arena.report_page import _value, to_html
from sprawl_env.arena.schedule import Config, Schedule, line_ups
from sprawl_env.arena.tournament import TournamentSettings, check_forfeit, judge
from sprawl_env.arena.workers import Lost, WorkerError
from sprawl_env.core import files
from sprawl_env.core.errors import InvalidOption, SprawlError
from sprawl_env.core.state import NOBODY
from tests.browser import open_url
from tests.commands import ROOT, command, finish, refused

BOTS = "tests.bots"


# ---------------------------------------------------------------------------------- who plays whom


def test_two_seats_play_every_pair_once():
    assert line_ups(["a", "b", "c"], 2) == [("a", "b"), ("a", "c"), ("b", "c")]


def test_more_seats_play_every_choice_of_different_bots():
    assert line_ups("abcd", 2, reach=1) == [tuple("ab"), tuple("bc"), tuple("cd")]
    assert line_ups("abcd", 2, reach=3) == line_ups("abcd", 2)
    assert line_ups("abcd", 3) == [tuple("abc"), tuple("abd"), tuple("acd"), tuple("bcd")]


@pytest.mark.parametrize(("bots", "seats", "count"), [(2, 4, 3), (3, 4, 12), (4, 5, 52)])
def test_with_fewer_bots_than_seats_some_sit_twice_but_never_one_alone(bots, seats, count):
    found = line_ups([f"a{k}" for k in range(bots)], seats)
    assert len(found) == len(set(found)) == count
    assert all(len(set(line_up)) > 1 for line_up in found)


def test_every_line_up_plays_every_deal_with_every_rotation():
    schedule = Schedule((("a", "a", "b"), ("a", "b", "b")), seats=3, deals=4)
    places = [schedule.place(number) for number in range(len(schedule))]
    assert sorted(places) == [(d, u, r) for d in range(4) for u in range(2) for r in range(3)]
    for number in range(len(schedule)):
        assert schedule.number(schedule.row(number)) == number
    seats_of_b = {tuple(schedule.sitting(number)).index("b") for number in range(3)}
    assert seats_of_b == {0, 1, 2}
    assert schedule.number({"deal": 4, "line_up": 0, "rotation": 0}) == -1
    assert schedule.number({"deal": 0, "line_up": 0, "rotation": 3}) == -1
    assert schedule.number({"deal": "x"}) == -1


# ------------------------------------------------------------------------------- whose fault it is


def lost(exit_code, seat=1):
    return Lost(task=0, seat=seat, ply=5, exit_code=exit_code)


def verdict(item, losses=1, users=("bot:B",)):
    return judge(item, ["greedy", "bot:B"], set(users), 2.0, losses)


def test_a_bot_that_stalls_or_ends_its_process_forfeits_at_once():
    assert verdict(lost(None)).reason == "no answer within 2 seconds"
    assert verdict(lost(7)).reason == "its process died (exit code 7)"
    found = verdict(lost(-signal.SIGSEGV))
    assert (found.seat, found.ply, found.reason) == (1, 5, "its process died (signal SIGSEGV)")


def test_a_death_that_may_be_somebody_elses_doing_is_played_again_once():
    assert verdict(lost(-signal.SIGKILL)) is None
    assert verdict(lost(-signal.SIGKILL), losses=2).seat == 1
    assert verdict(lost(7, seat=0)) is None
    again = verdict(lost(7, seat=NOBODY), losses=2)
    assert (again.seat, again.reason) == (
        1,
        "its process died outside of its decisions (exit code 7)",
    )


def test_a_worker_that_dies_twice_without_a_users_bot_ends_the_command():
    assert verdict(lost(1, seat=0), users=()) is None
    with pytest.raises(WorkerError, match="greedy v bot:B died twice"):
        verdict(lost(1, seat=0), losses=2, users=())


def test_a_bot_of_this_package_whose_worker_dies_is_nobody_elses_fault():
    with pytest.raises(WorkerError, match=r"died twice \(signal SIGKILL\)"):
        verdict(lost(-signal.SIGKILL, seat=0), losses=2)


def test_a_bot_of_this_package_that_fails_ends_the_command_and_no_game_counts():
    row = {"bots": ["greedy", "bot:B"], "forfeit": {"seat": 0, "ply": 3, "reason": "no memory"}}
    with pytest.raises(WorkerError, match="bot greedy failed at ply 3: no memory"):
        check_forfeit(row, {"bot:B"})
    check_forfeit({**row, "forfeit": {**row["forfeit"], "seat": 1}}, {"bot:B"})
    check_forfeit({**row, "forfeit": None}, set())


@pytest.mark.parametrize("error", [WorkerError("bot greedy failed"), OSError(28, "full")])
@pytest.mark.parametrize("kept", [True, False])
def test_only_a_folder_keeps_games(monkeypatch, tmp_path, error, kept):
    def play(*_, **__):
        raise error

    monkeypatch.setattr("sprawl_env.arena.tournament.play", play)
    out = tmp_path / "out" if kept else None
    with pytest.raises(SprawlError) as raised:
        sprawl_env.tournament("tower_up", ["greedy", "random"], num_games=2, out=out)
    assert ("run the same command again" in str(raised.value)) == kept
    assert ("out=" in str(raised.value)) == (kept and isinstance(error, OSError))


def test_a_folder_without_a_name_is_refused():
    with pytest.raises(InvalidOption, match="out='': expected a folder"):
        sprawl_env.tournament("tower_up", ["greedy", "random"], num_games=2, out="")


@pytest.mark.parametrize(("stopped", "late"), [(100.0, False), (0.0, True)])
def test_time_in_which_the_command_is_stopped_counts_for_no_decision(monkeypatch, stopped, late):
    clock, rounds, killed = [0.0], iter([stopped, *[0.9] * 4]), []

    class Ended(Exception):
        pass

    def wait(*_):
        try:
            clock[0] += next(rounds)
        except StopIteration:
            raise Ended from None
        return []

    monkeypatch.setattr(workers, "wait", wait)
    monkeypatch.setattr(workers.time, "monotonic", lambda: clock[0])
    process = SimpleNamespace(sentinel=0, kill=lambda: killed.append(True), join=lambda _: None)
    reads = iter([[0, 1, 5, 7]] * 5)  # one in each round: a second one would say less
    deciding = SimpleNamespace(
        process=process, pipe=SimpleNamespace(close=lambda: None, poll=lambda: False),
        waiting=[0], beat=7, since=0.0, read=lambda: next(reads),
    )  # fmt: skip
    pool = workers.Workers(None, None, 1, lambda task, seat: 5.0 if stopped else 2.0)
    pool._workers = [deciding]
    monkeypatch.setattr(pool, "_fill", lambda: None)
    with contextlib.suppress(Ended):
        for found in pool.results([]):
            assert found[0].exit_code is None
            assert found[0].seat == 1
    assert bool(killed) == late


@pytest.mark.parametrize(
    ("tasks", "wanted"), [([], 1), ([3], 2), ([3, 4], 3), ([3, 4, 5, 6, 7], 4)]
)
def test_no_more_workers_start_than_there_are_tasks(monkeypatch, tasks, wanted):
    def worker(*waiting):
        return SimpleNamespace(waiting=list(waiting), pipe=SimpleNamespace(send=lambda _: None))

    pool = workers.Workers(None, None, 4, lambda task, seat: 1.0)
    pool._workers = [worker(1)]
    pool._tasks.extend(tasks)
    monkeypatch.setattr(pool, "_spawn", worker)
    pool._fill()
    assert len(pool._workers) == wanted


# -------------------------------------------------------------------------------------- the journal


def test_a_torn_last_line_is_dropped_and_the_rest_kept(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b'{"a": 1}\n{"a": 2}\n{"a": \xe2')
    journal = Journal(path, lambda row: True)
    assert journal.rows == [{"a": 1}, {"a": 2}]
    journal.append([{"a": 3}])
    assert path.read_bytes() == b'{"a": 1}\n{"a": 2}\n{"a": 3}\n'


def test_a_damaged_line_is_named(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"a": 1}\n[2]\n{"a": 3}\n')
    with pytest.raises(SprawlError, match="line 2 is not a JSON object"):
        Journal(path, lambda row: True)


# --------------------------------------------------------------------------------------- the report


def row(deal, rotation, scores, forfeit=None):
    bots = ["a", "b"] if rotation == 0 else ["b", "a"]
    shares = [float(s == max(scores)) for s in scores]
    return {
        "deal": deal,
        "line_up": 0,
        "rotation": rotation,
        "bots": bots,
        "shares": shares,
        "ranks": [2 - share for share in shares],
        "scores": None if forfeit else scores,
        "truncated": False,
        "forfeit": forfeit,
    }


def test_the_report_adds_up():
    rows = [row(0, 0, [9, 5]), row(0, 1, [3, 8]), row(1, 0, [2, 7])]
    rows.append(row(1, 1, [0, 1], {"seat": 0, "ply": 3, "reason": "raised <Oops|>"}))
    timings = [{**r, "seconds": [0.5, 0.25], "decisions": [10, 10]} for r in rows[:3]]
    timings.append({**rows[3], "seconds": None, "decisions": None})
    report = summarise(Config(bots=("a", "b")), rows, timings)
    first, second = report["bots"]
    assert (first["bot"], second["bot"]) == ("a", "b")
    assert (first["wins"], second["wins"]) == (0.75, 0.25)
    assert first["elo"] + second["elo"] == pytest.approx(3000)
    # means of the two deals, of which the second has one game with scores
    assert (first["score"], second["score"]) == pytest.approx((((9 + 8) / 2 + 2) / 2, (4 + 7) / 2))
    assert (first["forfeits"], second["forfeits"]) == (0, 1)
    assert first["seconds_a_move"] == pytest.approx((0.5 + 0.25 + 0.5) / 30)
    assert [line["games"] for line in report["seats"]] == [2, 2]  # both games of the whole deal
    assert [line["wins"] for line in report["seats"]] == [0.5, 0.5]
    ahead = {(line["bot"], line["against"]): line for line in report["head_to_head"]}
    assert ahead["a", "b"]["wins"] == 0.75
    assert ahead["a", "b"]["meetings"] == 4
    assert report["forfeits"][0]["first"] == {"deal": 1, "line_up": 0, "rotation": 1, "ply": 3}
    page, text = to_html(report, b"picture"), to_markdown(report)
    assert "raised &lt;Oops|&gt;" in page
    assert "raised <Oops\\|>" in text
    for table in tables(report):
        assert all(len(cells) == len(table.columns) for cells in table.rows)
        assert f"## {table.title}" in text


# -------------------------------------------------------------------------------------- the command


def tournament(*arguments, cwd, **options):
    return command("sprawl_env", "tournament", *arguments, cwd=cwd, **options)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--game", "tower"], "unknown game 'tower'"),
        (["--bots", "greedy"], "bots: expected 2 or more, got 1"),
        (["--bots", "greedy", "greedy"], "'greedy' is named 2 times, expected once"),
        (["--bots", "greedy", "gredy"], "unknown bot 'gredy' (did you mean 'greedy'?)"),
        (["--bots", "greedy", "no_bot:Bot"], "no module 'no_bot'"),
        (["--bots", "greedy", f"{BOTS}:CannotBeMade"], "raised KeyError: 'weights'"),
        (["--bots", "greedy", "checkpoint:nowhere"], "no such folder"),
        (["--games", "0"], "games=0: expected a whole number from 1"),
        (["--num-players", "1"], "num_players=1: expected a whole number from 2"),
        (["--num-players", "5"], "expected a whole number 2..4"),
        (["--reach", "-1"], "reach=-1: expected a whole number from 0"),
        (["--reach", "1", "--num-players", "3"], "reach=1: expected 0 with 3 seats"),
        (["--seed", "-1"], "expected a whole number 0.."),
        (["--move-seconds", "0"], "move_seconds=0.0: expected more than 0"),
        (["--processes", "-1"], "processes=-1: expected a whole number from 0"),
        (["--options", "floors=4"], "tower_up got an unexpected keyword argument 'floors'"),
        (["--options", "num_players=3"], "the number of seats has a flag of its own"),
    ],
)
@pytest.mark.compiled
def test_bad_input_is_one_line_and_leaves_nothing_behind(
    tmp_path, monkeypatch, capsys, arguments, says
):
    monkeypatch.chdir(tmp_path)
    assert says in refused(capsys, "tournament", *arguments)
    assert list(tmp_path.iterdir()) == []


def grown(path, lines, process):
    """Wait until a file has more than that many lines."""
    deadline = time.monotonic() + 120
    while not path.exists() or path.read_bytes().count(b"\n") <= lines:
        assert time.monotonic() < deadline
        assert process.poll() is None, process.communicate()
        time.sleep(0.005)


@pytest.mark.slow
@pytest.mark.compiled
def test_killed_twice_and_resumed_it_ends_byte_for_byte_like_an_unbroken_run(tmp_path):
    what = ["--bots", "random", "greedy", f"{BOTS}:First", "--games", "40", "--seed", "4"]
    what += ["--replays"]
    finish(tournament(*what, "--processes", "1", "--out", "whole", cwd=tmp_path))
    results = tmp_path / "broken" / "results.jsonl"
    lines = 0
    for _ in range(2):
        broken = tournament(
            *what, "--processes", "2", "--out", "broken", cwd=tmp_path, start_new_session=True
        )
        grown(results, lines + 15, broken)
        os.killpg(broken.pid, signal.SIGKILL)
        broken.communicate()
        lines = results.read_bytes().count(b"\n")
        assert lines < 120
        with results.open("ab") as file:
            file.write(b'{"deal": 3, "line')  # as if killed in the middle of a line
    out, _ = finish(tournament(*what, "--processes", "2", "--out", "broken", cwd=tmp_path))
    assert f"{lines:,} already played" in out
    whole = tmp_path / "whole"
    assert results.read_bytes() == (whole / "results.jsonl").read_bytes()
    for path in (whole / "replays").iterdir():
        assert path.read_bytes() == (results.parent / "replays" / path.name).read_bytes()
    rows = [json.loads(line) for line in results.read_text().splitlines()]
    assert len(rows) == 120
    places = [(r["deal"], r["line_up"], r["rotation"]) for r in rows]
    assert all(a < b for a, b in pairwise(places))
    reports = [json.loads((tmp_path / d / "report.json").read_text()) for d in ("whole", "broken")]
    for report in reports:
        for line in report["bots"]:
            del line["seconds_a_move"]
    assert reports[0] == reports[1]
    assert {line["bot"]: line["elo"] > 1500 for line in reports[0]["bots"]}["greedy"]
    out, err = finish(tournament(*what, "--out", "broken", "--seed", "5", cwd=tmp_path), code=2)
    assert "holds a tournament with seed=4, not 5: choose another folder" in err
    assert err.count("\n") == 1
    out, _ = finish(command("sprawl_env", "replay", "verify", "whole/replays", cwd=tmp_path))
    assert "120 games verified" in out


@pytest.mark.long
@pytest.mark.compiled
def test_bots_that_stall_or_die_forfeit_and_the_tournament_goes_on(tmp_path):
    bots = [f"{BOTS}:{kind}" for kind in ("Stalls", "Dies", "CannotBeMadeLater", "Interrupts")]
    what = [
        "--bots",
        "random",
        *bots,
        "--games",
        "2",
        "--move-seconds",
        "0.5",
        "--processes",
        "2",
        "--out",
        "bad",
    ]
    out, _ = finish(tournament(*what, cwd=tmp_path))
    assert "20 games" in out
    rows = [
        json.loads(line) for line in (tmp_path / "bad" / "results.jsonl").read_text().splitlines()
    ]
    assert len(rows) == 20
    for r in rows:
        forfeit = r["forfeit"]
        bot = r["bots"][forfeit["seat"]]
        says = {
            f"{BOTS}:Stalls": "no answer within 0.5 seconds",
            f"{BOTS}:Dies": "its process died (exit code 7)",
            f"{BOTS}:CannotBeMadeLater": "raised KeyError: 'weights'",
            f"{BOTS}:Interrupts": "raised KeyboardInterrupt",
        }
        assert says[bot] in forfeit["reason"]
        assert r["shares"][forfeit["seat"]] == 0
        assert sum(r["shares"]) == 1
        assert r["scores"] is None
    report = json.loads((tmp_path / "bad" / "report.json").read_text())
    forfeits = {line["bot"]: line["forfeits"] for line in report["bots"]}
    assert sum(forfeits.values()) == 20
    assert forfeits["random"] == 0
    assert "## Forfeits" in (tmp_path / "bad" / "report.md").read_text()
    page = (tmp_path / "bad" / "report.html").read_text()
    assert "data:image/png;base64," in page
    assert not re.search(r"(src|href)=(?!\"data:)", page)


@pytest.mark.compiled
def test_ctrl_c_keeps_what_is_played_and_says_how_to_go_on(tmp_path):
    what = ["--bots", "random", "greedy", "--games", "100000", "--out", "long"]
    process = tournament(*what, cwd=tmp_path)
    grown(tmp_path / "long" / "results.jsonl", 10, process)
    process.send_signal(signal.SIGINT)
    out, err = finish(process, code=130)
    assert "run the same command again to continue" in out
    assert "Traceback" not in err


def test_a_folder_with_something_else_is_refused(tmp_path):
    from sprawl_env.arena.tournament import Folder

    schedule = Schedule((("a", "b"),), 2, 1)
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(SprawlError, match="expected an empty folder or that of a tournament"):
        Folder(tmp_path, Config(), schedule)
    with pytest.raises(SprawlError, match="expected a folder"):
        Folder(tmp_path / "notes.txt", Config(), schedule)
    held = Folder(tmp_path / "new", Config(), schedule)
    with pytest.raises(SprawlError, match="another tournament is writing to it"):
        Folder(tmp_path / "new", Config(), schedule)
    held.close()
    for text in ("{", "[]", '{"config": 3}'):
        (tmp_path / "new" / "config.json").write_text(text)
        with pytest.raises(SprawlError, match=r"config.json is not that of a tournament"):
            Folder(tmp_path / "new", Config(), schedule)


def test_hidden_files_of_the_user_stay_and_what_killed_processes_left_is_deleted(tmp_path):
    from sprawl_env.arena.tournament import Folder

    schedule = Schedule((("a", "b"),), 2, 1)
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    (tmp_path / ".old.1").mkdir()
    mine = [tmp_path / ".notes.2026.txt", tmp_path / ".old.1" / ".a.2", tmp_path / ".b.3"]
    for path in mine:
        path.write_text("mine")
    Folder(tmp_path, Config(), schedule).close()
    assert [path.read_text() for path in mine] == ["mine"] * 3
    (tmp_path / "replays").mkdir()
    left = [
        tmp_path / f".results.jsonl.{files.HOST}.{ended.pid}",
        tmp_path / "replays" / f".x.jsonl.{files.HOST}.{ended.pid}",
    ]
    for path in left:
        path.write_text("half")
    Folder(tmp_path, Config(), schedule).close()
    assert not any(path.exists() for path in left)
    assert all(path.exists() for path in mine)


@pytest.mark.parametrize("where", ["write_atomically", "Journal"])
def test_a_full_disk_at_the_start_is_one_line_and_releases_the_folder(tmp_path, monkeypatch, where):
    from sprawl_env.arena import tournament as module

    def full(*_):
        raise OSError(28, "No space left on device")

    what = {"num_games": 2, "processes": 1, "out": tmp_path / "t"}
    monkeypatch.setattr(module, "rehearse", lambda game, bots: set())
    with monkeypatch.context() as patched:
        patched.setattr(module, where, full)
        with pytest.raises(SprawlError, match=r"out='.*': No space left on device: run the same"):
            sprawl_env.tournament("tower_up", ["random", "greedy"], **what)
    schedule = Schedule((("random", "greedy"),), 2, 1)
    config = Config(bots=("random", "greedy"), num_games=2)
    made = {name: made_of(name, sprawl_env.game("tower_up")) for name in config.bots}
    module.Folder(tmp_path / "t", config, schedule, made).close()  # not locked


def test_games_of_a_bot_that_has_changed_since_are_refused(tmp_path):
    from sprawl_env.arena.tournament import Folder, Setup

    schedule = Schedule((("a", "b"),), 2, 1)
    Folder(tmp_path, Config(), schedule, {"a": "1", "b": "1"}).close()
    Folder(tmp_path, Config(), schedule, {"b": "1", "a": "1"}).close()
    with pytest.raises(
        SprawlError, match="holds games of b before the game, its code or its weights"
    ):
        Folder(tmp_path, Config(), schedule, {"a": "1", "b": "2"})
    game = sprawl_env.game("tower_up")
    setup = Setup(game, schedule, 1, replays=False, pinned={"checkpoint:x": "random"})
    assert setup.maker("checkpoint:x", 1)().name == "random"


class Plain:
    """A bot with a setting that its name does not say."""

    name = "plain"
    needs_observations = False
    needs_states = False

    def __init__(self, last=False):
        self.last = last

    def seed(self, seed):
        pass

    def act(self, observations, masks, states):
        return (masks[:, ::-1] if self.last else masks).argmax(axis=1)


def test_what_bots_are_made_of_changes_with_the_data_and_an_instances_state(tmp_path):
    game = sprawl_env.game("tower_up")
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        shutil.copy(game.rules.data_folder / "rows.toml", tmp_path / folder)
    first, second = (sprawl_env.game("tower_up", data=tmp_path / folder) for folder in "ab")
    assert made_of("random", first) == made_of("random", second) != made_of("random", game)
    with (tmp_path / "b" / "rows.toml").open("a") as file:
        file.write("# changed\n")
    assert made_of("random", first) != made_of("random", second)
    command = "import sprawl_env; from sprawl_env.arena.entrants import made_of_instance as made;"
    command += "game = sprawl_env.game('tower_up'); bot = sprawl_env.make_bot('greedy', game);"
    command += "print(made(bot, game))"
    printed = subprocess.run([sys.executable, "-c", command], capture_output=True, check=True)
    greedy = sprawl_env.make_bot("greedy", game)
    assert printed.stdout.decode().strip() == made_of_instance(greedy, game)
    plain, other = (made_of_instance(Plain(last), game) for last in (False, True))
    assert plain == made_of_instance(Plain(), game) != other
    assert made_of_instance(Plain(), first) != plain != made_of_instance(Plain, game)


def test_the_newest_checkpoint_of_a_run_is_looked_up_once(tmp_path):
    for step in (3, 7):
        (tmp_path / "run" / "checkpoints" / f"step-000000000{step}").mkdir(parents=True)
    newest = tmp_path / "run" / "checkpoints" / "step-0000000007"
    assert pinned(f"checkpoint:{tmp_path / 'run'}") == f"checkpoint:{newest}"
    word = f"search:agent=checkpoint:{tmp_path / 'run'},sims=3"
    assert pinned(word) == f"search:agent=checkpoint:{newest},sims=3"
    assert pinned("planner:turns=2") == "planner:turns=2"
    run = f"checkpoint:{tmp_path / 'run'}"
    word = f"planner:judge={run},turns=2,adviser={run}"
    assert pinned(word) == f"planner:judge=checkpoint:{newest},turns=2,adviser=checkpoint:{newest}"
    (tmp_path / "run").rename(tmp_path / "a, b")
    newest = tmp_path / "a, b" / "checkpoints" / "step-0000000007"
    assert pinned(f"checkpoint:{tmp_path / 'a, b'}") == f"checkpoint:{newest}"
    with pytest.raises(SprawlError, match="checkpoint"):
        pinned(f"checkpoint:{tmp_path / 'other'}")


@pytest.mark.parametrize(
    "name",
    ["my_checkpoint:MyBot", "torch:my_checkpoint:make", "my_checkpoint:Bot,a=x_checkpoint:b"],
)
def test_a_bot_whose_module_is_called_like_a_checkpoint_is_no_checkpoint(name):
    assert pinned(name) == name


def test_what_a_bot_is_made_of_is_read_whatever_its_size(tmp_path, monkeypatch):
    game, weights = sprawl_env.game("tower_up"), tmp_path / "big.bin"
    name, found = f"{BOTS}:First,weights={weights}", []
    for content in (b"1" * 9, b"1" * 8 + b"2", b"1" * 9):
        weights.write_bytes(content)
        found.append(made_of(name, game))
    assert found[0] != found[1]
    monkeypatch.setattr(files, "MOST_BYTES", 4)
    assert made_of(name, game) == found[0] == found[2]


def test_a_file_of_a_bot_that_cannot_be_read_is_one_line(tmp_path, monkeypatch):
    game, weights = sprawl_env.game("tower_up"), tmp_path / "secret.bin"
    weights.write_bytes(b"1")
    whole = Path.open

    def refused(path, *arguments, **settings):
        if path == weights:
            raise PermissionError(13, "Permission denied", str(path))
        return whole(path, *arguments, **settings)

    monkeypatch.setattr(Path, "open", refused)
    with pytest.raises(InvalidOption, match=r"bot 'm:B,w=.*': .*secret.bin: Permission denied"):
        made_of(f"m:B,w={weights}", game)


def test_a_bot_from_an_archive_has_no_file_that_is_read(tmp_path, monkeypatch):
    with zipfile.ZipFile(tmp_path / "bots.zip", "w") as archive:
        archive.writestr("zipped_bots.py", "class Bot: pass")
    monkeypatch.syspath_prepend(str(tmp_path / "bots.zip"))
    import zipped_bots

    monkeypatch.delitem(sys.modules, zipped_bots.__name__)
    game = sprawl_env.game("tower_up")
    without = made_of("zipped_bots:Bot", game)
    monkeypatch.setitem(sys.modules, zipped_bots.__name__, zipped_bots)
    assert made_of("zipped_bots:Bot", game) == without


def test_a_name_of_digits_and_commas_is_no_number_in_the_page_of_a_report():
    assert [_value(cell) for cell in (", second", "+,", "1,234.5", "-2", "3 ms")] == [
        "", "", ' data-v="1234.5"', ' data-v="-2"', ' data-v="0.003"',
    ]  # fmt: skip


def test_results_of_another_tournament_are_refused(tmp_path):
    from sprawl_env.arena.tournament import Folder

    schedule = Schedule((("a", "b"),), 2, 1)
    Folder(tmp_path / "new", Config(), schedule).close()
    row = {
        "deal": 7,
        "line_up": 0,
        "rotation": 0,
        "bots": ["a", "b"],
        "shares": [1, 0],
        "ranks": [1, 2],
        "scores": [5, 3],
        "plies": 9,
        "turns": 4,
        "truncated": False,
        "final": None,
        "forfeit": None,
    }
    (tmp_path / "new" / "results.jsonl").write_text(json.dumps(row) + "\n")
    with pytest.raises(SprawlError, match="holds a game of another tournament"):
        Folder(tmp_path / "new", Config(), schedule)


# ---------------------------------------------------------------------------------------- the guide


@pytest.mark.long
@pytest.mark.compiled
def test_the_guides_bot_plays_as_written_and_its_commands_run(tmp_path):
    guide = (ROOT / "docs" / "guides" / "bots.md").read_text(encoding="utf-8")
    page = guide.split("\n## A bot in 20 lines\n")[1].split("\n## ")[0]
    (code,) = re.findall(r"```python[^\n]*\n(.*?)```", page, re.DOTALL)
    assert len([line for line in code.splitlines() if line.strip()]) <= 20
    (tmp_path / "my_bot.py").write_text(code)
    shell = "".join(re.findall(r"```sh\n(.*?)```", page, re.DOTALL))
    for line in shell.splitlines():
        program, *words = shlex.split(line, comments=True)
        assert program == "sprawl-env"
        finish(command("sprawl_env", *words, cwd=tmp_path))
    (path,) = tmp_path.rglob("report.json")
    report = json.loads(path.read_text())
    elo = {line["bot"]: line for line in report["bots"]}
    assert elo["my_bot:MyBot"]["elo_low"] > elo["random"]["elo_high"]
    assert not any(line["forfeits"] for line in report["bots"])


def test_labels_keep_what_tells_bots_apart():
    expected = {
        "planner": "planner",
        "mcts:sims=200": "mcts sims=200",
        "mcts:sims=30,greedy=1000,turns=8": "mcts sims=30 …",
        "agent:tower_up/ppo-2h": "agent ppo-2h",
        "search:agent=tower_up/ppo-2h,sims=32": "search ppo-2h sims=32",
        "search:agent=tower_up/ppo-2h,sims=8,scale=1": "search ppo-2h sims=8 …",
        "checkpoint:runs/tower_up-quick-0": "checkpoint tower_up-quick-0",
        "my.bots:Clever": "my.bots Clever",
    }
    assert labels(list(expected)) == expected
    alike = ["mcts:sims=9,turns=8", "mcts:sims=9,turns=4"]
    assert labels(["greedy", *alike]) == {"greedy": "greedy", **{name: name for name in alike}}


def test_the_page_has_labels_values_to_sort_by_and_games_to_watch():
    rows = [row(0, 0, [9, 5]), row(0, 1, [3, 8]), row(1, 0, [2, 7])]
    rows = [{**r, "bots": [{"a": "mcts:sims=9,c=1"}.get(b, b) for b in r["bots"]]} for r in rows]
    timings = [{**r, "seconds": [0.5, 25.0], "decisions": [100, 10]} for r in rows]
    report = summarise(Config(bots=("mcts:sims=9,c=1", "b")), rows, timings)
    page = to_html(report, None, {("b", "mcts:sims=9,c=1"): "replays/x.html"})
    assert '<span title="mcts:sims=9,c=1">mcts sims=9 …</span>' in page
    assert '<span title="mcts:sims=9,c=1 v b">mcts sims=9 … v b</span>' in page
    assert page.count('<a href="replays/x.html">watch</a>') == 4  # two meetings, two of a line-up
    assert 'data-v="0.5">' not in page
    assert '<a href="replays/x.html">' not in to_html(report, None)
    bots = page[page.index("<h2>Bots") : page.index("<h2>Head")]
    times = re.findall(r'data-v="([\d.]+)">[\d.]+ m?s<', bots)
    assert sorted(map(float, times)) == sorted(
        round(line["seconds_a_move"], 3) for line in report["bots"]
    )


def test_a_report_is_sorted_by_clicks_and_leads_to_games(tmp_path):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    game = sprawl_env.game("tower_up", max_turns=4)
    settings = TournamentSettings(replays=True)
    play = sprawl_env.tournament
    play(game, ["random", "greedy"], num_games=2, settings=settings, processes=1, out=tmp_path)
    with open_url((tmp_path / "report.html").as_uri()) as page:
        assert axe.Axe().run(page).response["violations"] == []
        cells = page.locator("table").nth(0).locator("tbody td:nth-child(2)")
        by_elo = page.locator("table").nth(0).locator("th button").nth(1)
        by_elo.click()
        first = [int(text) for text in cells.all_inner_texts()]
        by_elo.click()
        assert [int(text) for text in cells.all_inner_texts()] == first[::-1] == sorted(first)
        page.locator("a:has-text('watch')").first.click()
        page.wait_for_selector("#board svg")
        assert page.title() == "Tower Up: replay"
