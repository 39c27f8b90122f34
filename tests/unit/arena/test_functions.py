"""The functions behind the commands: ``evaluate``, ``tournament`` and ``train``."""

import dataclasses
import io
import json
import os
import shlex
import subprocess
import sys
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
import tyro
from rich.console import Console

import sprawl_env
from sprawl_env.__main__ import main
from sprawl_env.arena import entrants, evaluation, report
from sprawl_env.arena.evaluation import Line, interval, simultaneous
from sprawl_env.arena.schedule import Config
from sprawl_env.arena.tournament import Interrupted
from sprawl_env.commands import play
from sprawl_env.commands.tournament import Tournament
from sprawl_env.console import count_bar, option_words, parse_options, run
from sprawl_env.core import registry
from sprawl_env.core.errors import InvalidOption, UnknownName
from sprawl_env.core.extras import MissingExtra
from sprawl_env.play.review import lead_of
from tests.bots import First
from tests.commands import ROOT, call, hide


@dataclasses.dataclass(frozen=True)
class Nothing:
    """Settings of a command that needs none."""


class Named(First):
    def __init__(self, name):
        self.name = name


class Nameless:
    needs_observations, needs_states = False, False

    def act(self, observations, masks, states):
        return masks.argmax(axis=1)


def test_intervals_that_hold_together_are_wider():
    many = 10**6
    assert simultaneous(1, many) == pytest.approx(1, abs=1e-5)
    assert simultaneous(20, many) * 1.959964 == pytest.approx(3.0233, abs=1e-4)  # table: 0.125%


@pytest.mark.parametrize(
    ("tail", "degrees", "wanted"),
    [(0.025, 19, 2.0930), (0.005, 19, 2.8609), (0.0005, 19, 3.8834), (0.0005, 60, 3.4602)],
)
def test_intervals_of_few_deals_are_wider(tail, degrees, wanted):
    # the quantiles are those of printed tables of Student's t distribution
    found = simultaneous(round(0.025 / tail), degrees + 1) * 1.959964
    assert found == pytest.approx(wanted, rel=0.01)


@pytest.mark.parametrize(("figures", "deals"), [(4, 20), (40, 20), (40, 200)])
def test_equal_runs_seldom_differ_in_any_of_many_figures(figures, deals):
    rng, times = np.random.default_rng(3), 2000
    means = rng.normal(0, 1, (times, figures, deals))
    errors = 1.959964 * means.std(axis=2, ddof=1) / np.sqrt(deals)
    wrong = (np.abs(means.mean(axis=2)) > simultaneous(figures, deals) * errors).any(axis=1)
    assert 0.03 < wrong.mean() < 0.065


@pytest.mark.parametrize("deals", [9, 10, 1000])
def test_equal_shares_have_the_wide_interval_of_as_many_trials(deals):
    shares = np.full(deals, 1 / 3)
    low, high = interval(shares)
    shares[0] = np.nextafter(1 / 3, 1)  # the same share, rounded otherwise
    assert interval(shares) == pytest.approx((low, high))
    trials, z = deals, 1.959964
    assert (low - 1 / 3) ** 2 == pytest.approx(z**2 * low * (1 - low) / trials)  # Wilson's
    assert (high - 1 / 3) ** 2 == pytest.approx(z**2 * high * (1 - high) / trials)


def test_the_package_offers_the_functions_and_says_what_it_lacks():
    for name in sprawl_env.__all__:
        assert getattr(sprawl_env, name) is not None
    assert {"evaluate", "tournament", "train", "load_policy", "replays"} <= set(dir(sprawl_env))
    with pytest.raises(AttributeError, match="module 'sprawl_env' has no attribute 'evalute'"):
        sprawl_env.evalute  # noqa: B018


# --------------------------------------------------------------------------------------- evaluate


def test_evaluate_returns_lines_results_and_a_frame():
    found = sprawl_env.evaluate("tower_up", ["greedy", "random"], num_games=3, seed=5)
    assert dataclasses.is_dataclass(found)
    assert [line.bot for line in found.lines] == ["greedy", "random"]
    assert found.num_games == len(found.results.wins) == 4  # whole rotations
    assert (found.game, found.num_players, found.options, found.seed) == ("tower_up", 2, (), 5)
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.seed = 6
    frame = pytest.importorskip("polars") and found.frame()
    assert frame["bot"].to_list() == ["greedy", "random"]
    assert frame["wins"].to_list() == [line.wins for line in found.lines]
    assert json.loads(json.dumps(found.to_json()))["config"]["num_games"] == 4


def test_results_print_as_a_line():
    found = sprawl_env.evaluate("tower_up", ["greedy", "random"], num_games=8)
    assert str(found).startswith("Tower Up, 2 seats, 8 games: greedy 100.0% (")
    assert len(repr(found)) < 1000


def test_evaluate_takes_a_game_an_import_path_and_options():
    game = sprawl_env.game("tower_up", num_players=3, objectives="start")
    found = sprawl_env.evaluate(game, ["random", "random"], num_games=3)
    again = sprawl_env.evaluate(
        "sprawl_env.games.tower_up:RULES", ["random", "random"], num_games=3, num_players=3,
        objectives="start",
    )  # fmt: skip
    assert found.lines == again.lines
    assert (again.game, again.bots, again.num_players) == ("tower_up", ("random",) * 3, 3)
    assert found.options == again.options == ("objectives=start",)
    with pytest.raises(InvalidOption, match="num_players: the game has its options already"):
        sprawl_env.evaluate(game, ["random", "random"], num_players=3)


def test_evaluate_takes_bots_and_shows_them_only_what_their_seat_can_know():
    game = sprawl_env.game("tower_up")
    seen = []

    class Looks(First):
        name = "looks"

        def act(self, observations, masks, states):
            seen.append(states.copy())
            return super().act(observations, masks, states)

    by_name = sprawl_env.evaluate(game, ["tests.bots:First", "random"], num_games=4)
    found = sprawl_env.evaluate(game, [Looks(game, 0), "random"], num_games=4)
    assert [line.bot for line in found.lines] == ["looks", "random"]
    assert found.lines[0].wins == by_name.lines[0].wins
    first = seen[0]
    dealt = game.deal(1, 0)
    assert first["rng"][0].tolist() != dealt["rng"][0].tolist()  # resampled


def test_evaluate_takes_the_bots_of_the_package_as_they_are():
    game = sprawl_env.game("tower_up")
    bot = sprawl_env.make_bot("greedy", game)
    assert entrants.as_bot(bot, game) is bot
    by_name = sprawl_env.evaluate(game, ["greedy", "random"], num_games=2)
    assert sprawl_env.evaluate(game, [bot, "random"], num_games=2).lines == by_name.lines


@pytest.mark.parametrize(
    ("bots", "settings", "says"),
    [
        ("greedy", {}, "bots='greedy': expected a list of names or bots"),
        ([], {}, "bots: expected at least one"),
        (["greedy"], {}, "bots: expected 2 names for 2 seats, got 1"),
        (["greedy"] * 4, {"num_players": 3}, "bots: expected 2 or 3 names for 3 seats, got 4"),
        (["greedy", 3], {}, "bots: expected names or bots, got a int"),
        (["greedy", Nameless()], {}, "got a Nameless; name: expected str; seed: expected a method"),
        (["greedy:x=1", "random"], {}, "bot 'greedy:x=1': greedy has no settings"),
        ([Named("a"), Named("a")], {}, "two different bots are named 'a'"),
        (["greedy", "random"], {"num_games": 0}, "num_games=0: expected a whole number from 1"),
        (["greedy", "random"], {"seed": -1}, "seed -1: expected a whole number"),
        (
            ["greedy", "random"],
            {"floors": 3},
            "tower_up got an unexpected keyword argument 'floors'",
        ),
    ],
)
def test_bad_input_of_evaluate_is_one_line(bots, settings, says):
    with pytest.raises(sprawl_env.SprawlError) as error:
        sprawl_env.evaluate("tower_up", bots, **settings)
    assert says in str(error.value)
    assert "\n" not in str(error.value)


def test_a_frame_without_polars_names_the_extra(monkeypatch):
    found = sprawl_env.evaluate("tower_up", ["random", "random"], num_games=2)
    hide(monkeypatch, "polars")
    with pytest.raises(MissingExtra, match=r"frame\(\) needs polars.*'sprawl-env\[analysis\]'"):
        found.frame()


def test_a_game_is_named_as_a_command_can_name_it(monkeypatch):
    game = sprawl_env.game("tower_up")
    assert registry.game_word(game.rules) == "tower_up"
    monkeypatch.delitem(registry._games, "tower_up")
    monkeypatch.delitem(registry._asked, game.rules, raising=False)
    assert registry.rules_of(registry.game_word(game.rules)) is game.rules
    monkeypatch.delitem(registry._games, "tower_up")  # an import path registers the game
    monkeypatch.setattr(registry, "import_path", lambda rules: None)
    with pytest.raises(InvalidOption, match="found by another process: assign its GameRules"):
        registry.game_word(game.rules)


def test_option_words_are_read_back(tmp_path):
    game = sprawl_env.game("tower_up", num_players=3, objectives="start", max_turns=50)
    words = option_words(game)
    assert parse_options(words) == {"objectives": "start", "max_turns": 50}
    again = sprawl_env.game("tower_up", num_players=3, **parse_options(words))
    assert again.options == game.options
    rows = ROOT / "sprawl_env" / "games" / "tower_up" / "data" / "rows.toml"
    (tmp_path / "rows.toml").write_bytes(rows.read_bytes())
    assert option_words(sprawl_env.game("tower_up", data=tmp_path)) == (f"data={tmp_path}",)


def shown(renderable):
    screen = Console(file=io.StringIO(), width=200)
    screen.print(renderable)
    return screen.file.getvalue()


@pytest.mark.parametrize("name", ["checkpoint:runs/[a]/x", "[/x]", "[bold]"])
def test_names_with_brackets_are_shown_as_they_are(name):
    line = Line(name, 2, 0.5, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0)
    assert shown(evaluation.table(f"a title, {name}", [line])).count(name) == 2
    bar = count_bar(shown=False)
    bar.add_task(evaluation.match_of([name, "\x1brandom"]), total=1)
    assert f"{name} v \\x1brandom" in shown(bar.make_tasks_table(bar.tasks))


def test_without_a_terminal_progress_is_a_line_a_minute(monkeypatch, capsys):
    bar = count_bar()
    times = iter([bar.get_time() + later for later in (30.0, 59.0, 61.0, 119.0, 121.0, 181.0)])
    with bar:
        task = bar.add_task("greedy v [random]", total=1500)
        for now in times:
            monkeypatch.setattr(bar, "get_time", partial(float, now))
            bar.advance(task, 250)
    shown = capsys.readouterr()
    assert not shown.out
    assert shown.err.splitlines() == [
        "greedy v [random]: 750 of 1,500, about 1 minute left",
        "greedy v [random]: 1,250 of 1,500, about 1 minute left",
        "greedy v [random]: 1,500 of 1,500",
    ]


def test_items_are_counted_without_a_terminal_too(monkeypatch, capsys):
    monkeypatch.setattr(sprawl_env.console, "SECONDS_A_LINE", 0.0)
    assert list(sprawl_env.console.tracked("abc", "reading", 3)) == ["a", "b", "c"]
    shown = capsys.readouterr().err.splitlines()
    assert [line.partition(",")[0] for line in shown] == [f"reading: {k} of 3" for k in (1, 2, 3)]


def test_progress_is_not_shown_where_it_is_not_wanted(monkeypatch, capsys):
    monkeypatch.setattr(sprawl_env.console, "SECONDS_A_LINE", 0.0)
    for wanted in (True, False):
        sprawl_env.evaluate("tower_up", ["greedy", "random"], num_games=4, progress=wanted)
        assert ("of 4" in capsys.readouterr().err) == wanted


@pytest.mark.parametrize(
    ("mean", "error", "form", "says"),
    [
        (57.0, 1.25, ".1f", "57.0 ± 1.2"),
        (57.0, 0.0, ".1f", "57.0"),
        (0.6, 0.024, "+.1%", "+60.0% ± 2.4%"),
        (-2.0, 0.0, "+.2f", "-2.00"),
    ],
)
def test_a_mean_without_spread_has_no_error(mean, error, form, says):
    assert evaluation.mean_text(mean, error, form) == says


def test_one_deal_shows_no_error():
    one, two = ([57.0], [50.0, 64.0])
    for means, says in ((one, "57.0"), (two, "57.0 ± 13.7")):
        error = evaluation.half_width(np.array(means))
        line = Line("greedy", 2, 0.5, 0.0, 1.0, 57.0, error, -3.0, error)
        cells = shown(evaluation.table("a title", [line], margins=True))
        assert f" {says} " in cells
        assert f" {says.replace('57', '-3')} " in cells
        score = report._score({"score": 57.0, "score_error": error})
        assert score == says
    assert "±" not in report._score({"score": None, "score_error": None})


def test_evaluate_keeps_its_files_before_it_shows_the_result(tmp_path, monkeypatch):
    def fail(*_, **__):
        raise RuntimeError("nothing can be shown")

    monkeypatch.setattr(evaluation, "table", fail)
    out, results = tmp_path / "out.json", tmp_path / "results.jsonl"
    words = f"--bots random random --games 2 --out {out} --results {results}"
    with pytest.raises(RuntimeError, match="nothing can be shown"):
        main(["evaluate", *words.split()])
    assert json.loads(out.read_text())["config"]["num_games"] == 2
    assert len(results.read_text().splitlines()) == 2


def test_a_result_does_not_replace_the_other(tmp_path, capsys):
    same = str(tmp_path / "a.json")
    words = ["evaluate", "--bots", "random", "random", "--out", same, "--results", same]
    with pytest.raises(SystemExit):
        main(words)
    assert "out, results: " in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("value", ["--5", "²", "1" * 4301, "-", "5-", ""])
def test_an_option_that_only_resembles_a_number_is_text(value):
    assert parse_options([f"a={value}", "b=-5"]) == {"a": value, "b": -5}


def test_an_option_is_given_once_and_a_folder_is_a_text():
    assert parse_options(["data=2024"]) == {"data": "2024"}
    assert parse_options(["data=true"]) == {"data": "true"}
    with pytest.raises(InvalidOption, match="max_turns is given twice"):
        parse_options(["max_turns=3", "max_turns=5"])


# ------------------------------------------------------------------------------------- tournament


def rows_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.compiled
def test_tournament_returns_figures_and_leaves_no_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = sprawl_env.tournament("tower_up", ["random", "greedy"], num_games=4, processes=1)
    assert found.folder is None
    assert list(tmp_path.iterdir()) == []
    assert [line["bot"] for line in found.report["bots"]] == ["greedy", "random"]
    assert len(found.results) == len(found.timings) == 4
    frame = pytest.importorskip("polars") and found.frame()
    assert frame["bot"].to_list() == ["greedy", "random"]
    assert {"elo", "elo_low", "elo_high", "mu", "wins"} < set(frame.columns)


@pytest.mark.compiled
def test_tournament_takes_classes():
    game = sprawl_env.game("tower_up")
    found, by_name = (
        sprawl_env.tournament(game, [bot, "random"], num_games=4, processes=1)
        for bot in (First, "tests.bots:First")
    )
    assert {line["bot"] for line in found.report["bots"]} == {"first", "random"}
    results = [[(row["ranks"], row["scores"]) for row in each.results] for each in (found, by_name)]
    assert results[0] == results[1]


def test_the_command_of_a_report_plays_the_same_tournament():
    bots = ("checkpoint:my runs/a", "greedy")
    config = Config(bots=bots, options=("max_turns=9",), move_seconds=2.5, replays=True)
    words = shlex.split(report.command(config))
    assert words[:2] == ["sprawl-env", "tournament"]
    again = tyro.cli(Tournament, args=words[2:])
    assert (again.bots, again.options) == (bots, config.options)
    assert (again.move_seconds, again.replays) == (2.5, True)
    assert report.command(Config()) == (
        "sprawl-env tournament --game tower_up --bots random greedy --num-players 2 --games 1000 "
        "--seed 0"
    )


@pytest.mark.compiled
def test_tournament_continues_what_its_folder_holds_and_takes_bots(tmp_path):
    game = sprawl_env.game("tower_up")
    settings = sprawl_env.TournamentSettings(replays=True)
    what = {"num_games": 2, "processes": 1, "out": tmp_path / "t", "settings": settings}
    found = sprawl_env.tournament(game, [First(game, 0), "random"], **what)
    assert found.folder == tmp_path / "t"
    assert {line["bot"] for line in found.report["bots"]} == {"first", "random"}
    rows = rows_of(tmp_path / "t" / "results.jsonl")
    assert [row["bots"] for row in rows] == [["first", "random"], ["random", "first"]]
    (replay, _) = sorted((tmp_path / "t" / "replays").glob("*.jsonl"))
    assert len(list((tmp_path / "t" / "replays").glob("*.html"))) == 1  # a game to watch
    assert sprawl_env.replays.load(replay).header["bots"] == ["first", "random"]
    timings = rows_of(tmp_path / "t" / "timings.jsonl")
    again = sprawl_env.tournament(game, [First(game, 0), "random"], **what)
    assert list(found.timings) == list(again.timings) == timings  # no game was played again
    assert json.loads((tmp_path / "t" / "report.json").read_text())["command"] == (
        "sprawl-env tournament --game tower_up --bots first random --num-players 2 --games 2 "
        "--seed 0 --replays"
    )


@pytest.mark.compiled
@pytest.mark.parametrize(
    "name", ["planner:playouts=2", "mcts:sims=2", "search:agent=uniform,sims=2"]
)
def test_a_tournament_leaves_an_instance_as_it_was_and_so_goes_on(tmp_path, name):
    game = sprawl_env.game("tower_up")
    bots = [sprawl_env.make_bot(name, game), "random"]
    found = [
        sprawl_env.tournament(game, bots, num_games=2, processes=1, out=tmp_path / "t")
        for _ in range(2)
    ]
    first, again = ([row["seconds"] for row in each.timings] for each in found)
    assert again == first  # no game was played again


@pytest.mark.parametrize(
    ("bots", "settings", "says"),
    [
        (
            ["random", "greedy"],
            {"settings": sprawl_env.TournamentSettings(replays=True)},
            "replays: expected a folder as out",
        ),
        (["random", "greedy"], {"processes": -1}, "processes=-1: expected a whole number from 0"),
        (["random", "greedy"], {"num_players": "two"}, "num_players='two': expected a whole"),
        (["random", "random"], {}, "'random' is named 2 times"),
        (["random", Named(lambda: 0)], {}, "bots: expected names or bots, got a Named"),
    ],
)
def test_bad_input_of_tournament_is_one_line(bots, settings, says):
    with pytest.raises(sprawl_env.SprawlError) as error:
        sprawl_env.tournament("tower_up", bots, **settings)
    assert says in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.compiled
def test_a_bot_that_cannot_be_sent_to_a_process_is_one_line():
    game = sprawl_env.game("tower_up")
    bot = First(game, 0)
    bot.thing = lambda: 0
    with pytest.raises(InvalidOption, match="bot 'first': cannot be pickled for worker processes"):
        sprawl_env.tournament(game, [bot, "random"], num_games=2)


@pytest.mark.compiled
def test_an_interrupted_tournament_says_what_is_kept(monkeypatch, tmp_path):
    from sprawl_env.arena import tournament

    def stop(*arguments, **keywords):
        raise KeyboardInterrupt

    monkeypatch.setattr(tournament, "play", stop)
    with pytest.raises(Interrupted, match="0 of 2 games are kept; run the same command again"):
        sprawl_env.tournament("tower_up", ["random", "greedy"], num_games=2, out=tmp_path / "t")
    with pytest.raises(Interrupted, match="stopped after 0 of 2 games"):
        sprawl_env.tournament("tower_up", ["random", "greedy"], num_games=2)


# ------------------------------------------------------------------------------------------ train


@pytest.mark.compiled
def test_train_returns_the_run_its_policy_and_a_frame(tmp_path):
    pytest.importorskip("sb3_contrib")
    game = sprawl_env.game("tower_up", objectives="start")
    found = sprawl_env.train(
        game, total_steps=256, max_minutes=0.0, num_envs=16, num_steps=8, batch_size=64,
        num_epochs=1, width=8, trunk=16, imitation=0, checkpoint_every=128, evaluation_games=4,
        processes=1, runs=str(tmp_path), name="mine",
    )  # fmt: skip
    assert found.finished
    assert found.folder == tmp_path / "mine"
    assert found.results.keys() == {"random", "greedy"}
    policy = found.policy()
    assert policy.game.options == game.options
    frame = pytest.importorskip("polars") and found.frame()
    assert set(frame["opponent"]) == {"random", "greedy"}
    config = json.loads((found.folder / "config.json").read_text())["config"]
    assert (config["game"], config["options"]) == ("tower_up", ["objectives=start"])


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"preset": "quik"}, "unknown preset 'quik'"),
        ({"num_env": 3}, "unknown setting of train 'num_env' (did you mean 'num_envs'?)"),
        ({"gamma": 2.0}, "gamma=2.0: expected 0..1"),
    ],
)
def test_bad_input_of_train_is_one_line(settings, says, tmp_path, monkeypatch):
    pytest.importorskip("sb3_contrib")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(sprawl_env.SprawlError) as error:
        sprawl_env.train("tower_up", **settings)
    assert says in str(error.value)
    assert list(tmp_path.iterdir()) == []


def test_train_takes_no_options_for_a_game_that_has_them(tmp_path, monkeypatch):
    pytest.importorskip("sb3_contrib")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidOption, match="the game has its options already"):
        sprawl_env.train(sprawl_env.game("tower_up"), num_players=3)
    assert list(tmp_path.iterdir()) == []


def test_unknown_games_are_named():
    with pytest.raises(UnknownName, match="unknown game 'tower'"):
        sprawl_env.evaluate("tower", ["random", "random"])


def test_ctrl_c_ends_a_command_with_one_word(capsys):
    def stopped(config):
        raise KeyboardInterrupt

    with pytest.raises(SystemExit) as ended:
        run(stopped, Nothing, arguments=[])
    assert ended.value.code == 130
    assert capsys.readouterr().err == "stopped\n"


def test_ctrl_c_ends_a_game_at_the_terminal_as_any_command(capsys, monkeypatch, tmp_path):
    def stopped(session, saves):
        raise KeyboardInterrupt

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(play, "play_in_terminal", stopped)
    assert (
        call(capsys, "play", "--terminal", "--seats", "human", "random", code=130).err
        == "stopped\n"
    )


def test_a_command_whose_last_line_nobody_reads_ends_without_a_word():
    code = (
        "import sys\n"
        "from sprawl_env.commands.data import Data\n"
        "from sprawl_env.console import run\n"
        "run(lambda config: sys.stdout.write('text\\n'), Data, arguments=[])\n"
    )
    reading, writing = os.pipe()
    os.close(reading)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    environment.pop("PYTHONUNBUFFERED", None)
    try:
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", code],
            check=False,
            stdout=writing,
            stderr=subprocess.PIPE,
            env=environment,
            timeout=300,
        )
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (1, b"")


def test_alone_and_without_an_automaton_the_lead_is_the_score():
    game = SimpleNamespace(scores=lambda position, g: np.array([5]))
    assert lead_of(game, None, 0) == 5.0
