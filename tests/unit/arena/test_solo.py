"""Evaluation and training on one seat, against the automaton."""

import json

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")
import sprawl_env
from sprawl_env.arena import evaluation
from sprawl_env.bots.names import make_bot
from sprawl_env.kernels.compile import JIT
from sprawl_env.learning import training
from sprawl_env.learning.report import Report
from tests.commands import call
from tests.toy import NAME, toy

pytestmark = pytest.mark.compiled


def test_each_bot_plays_the_same_deals_alone():
    game = toy(num_players=1)
    bots = [make_bot(name, game) for name in ("random", "random")]
    lines, results = evaluation.measure_alone(game, ["one", "two"], bots, 40, seed=3)
    assert [line.bot for line in lines] == ["one", "two"]
    assert [line.games for line in lines] == [40, 40]
    assert len(results.wins) == 80
    assert lines[0].wins == lines[1].wins  # the same bot, seeded alike
    half = results.margins[:40, 0]
    assert lines[0].margin == pytest.approx(half.mean())
    assert lines[0].margin_error == pytest.approx(1.959964 * half.std(ddof=1) / np.sqrt(40))


@pytest.mark.parametrize("bots", [("greedy",), ("greedy", "random")])
def test_evaluation_on_one_seat_shows_wins_score_and_margin(bots, tmp_path, capsys):
    out = tmp_path / "result.json"
    what = ["--game", NAME, "--bots", *bots, "--num-players", 1, "--games", 30, "--out", out]
    shown = call(capsys, "evaluate", *what).out
    assert "1 seat against the automaton" in shown
    assert "mean margin" in shown
    result = json.loads((tmp_path / "result.json").read_text())
    assert [line["bot"] for line in result["lines"]] == list(bots)
    assert {"wins", "score", "margin", "margin_error"} <= result["lines"][0].keys()


def test_two_seats_show_no_margins(capsys):
    shown = call(capsys, "evaluate", "--game", NAME, "--bots", "greedy", "random", "--games", 20)
    assert "2 seats, seed 0" in shown.out
    assert "margin" not in shown.out


def test_a_game_that_is_registered_is_found_by_name_and_by_import_path():
    by_name = sprawl_env.evaluate(NAME, ["greedy", "random"], num_games=20, num_players=1)
    by_path = sprawl_env.evaluate(
        "tests.toy:RULES", ["greedy", "random"], num_games=20, num_players=1
    )
    assert by_name.lines == by_path.lines
    assert by_name.game == by_path.game == "tests.toy:RULES"


def test_a_bot_that_is_named_twice_plays_once():
    game = toy(num_players=1)
    twice = sprawl_env.evaluate(game, ["random", "random"], num_games=4)
    assert twice.lines == sprawl_env.evaluate(game, ["random"], num_games=4).lines
    assert len(twice.lines) == 1


@pytest.mark.skipif(not JIT, reason="trains")
def test_training_on_one_seat_meets_the_automaton_and_no_pool(tmp_path, monkeypatch, capsys):
    won = []
    show = Report.show
    monkeypatch.setattr(
        Report,
        "show",
        lambda self, clock, watch, games, statistics: (
            won.extend(games.won) or show(self, clock, watch, games, statistics)
        ),
    )
    config = training.Config(
        game=NAME, num_players=1, total_steps=2048, max_minutes=0, num_envs=16, num_steps=16,
        batch_size=64, num_epochs=1, width=8, trunk=16, imitation=2000, imitation_epochs=1,
        checkpoint_every=512, evaluation_games=40, processes=1, device="cpu", runs=tmp_path,
        name="solo",
    )  # fmt: skip
    training.main(config)
    assert {name for name, _ in won} == {"automaton"}
    result = json.loads((tmp_path / "solo" / "evaluation.json").read_text())
    assert result["results"].keys() == {"automaton"}
    lines = result["results"]["automaton"]
    assert [line["bot"] for line in lines] == ["policy", "random", "greedy"]
    assert all(line["games"] == 40 for line in lines)
    text = (tmp_path / "solo" / "evaluation.txt").read_text()
    assert "1 seat" in text
    assert "v automaton" in text
    assert "mean margin" in text
    training.main(training.Config(resume=tmp_path / "solo"))
    assert "100% done" in capsys.readouterr().out
