"""experiments/equal_time.py: the simulations that fit, and the match."""

import json
import shlex

import numpy as np
import pytest

import sprawl_env
from experiments import equal_time
from experiments.equal_time import Config, Timed, fitting, main, positions_of, time_of
from sprawl_env.core.errors import InvalidOption
from tests.commands import call


def test_positions_have_a_choice_and_come_from_the_whole_game():
    game = sprawl_env.game("tower_up")
    games, masks = positions_of(game, 40, 1)
    assert (masks.sum(axis=1) > 1).all()
    for k in range(40):
        assert np.array_equal(game.legal_actions(games, k), masks[k])
    plies = games["ply"]
    assert plies.min() < 15
    assert plies.max() > 30


@pytest.mark.parametrize(
    ("bot", "wanted"), [("mcts", "mcts:sims=3"), ("mcts:c=2", "mcts:c=2,sims=3")]
)
def test_the_number_of_simulations_is_added_to_any_name(bot, wanted):
    assert equal_time._with(bot, 3) == wanted


def test_a_negative_number_of_games_is_refused_at_once():
    with pytest.raises(InvalidOption, match="games=-1"):
        main(Config(games=-1))


def test_a_search_alone_has_no_opponent():
    with pytest.raises(InvalidOption, match="num_players=1: expected a whole number from 2"):
        main(Config(game="ginkgopolis", num_players=1))


def test_both_bots_are_timed():
    game = sprawl_env.game("tower_up")
    games, masks = positions_of(game, 4, 1)
    found = time_of(game, ["random", "search:agent=uniform,sims=2"], games, masks)
    assert [each.bot for each in found] == ["random", "search:agent=uniform,sims=2"]
    assert all(each.ms > 0 for each in found)


@pytest.mark.parametrize("most", [1, 2, 3, 7, 20, 100])
def test_the_largest_number_of_simulations_that_fits_is_found(monkeypatch, most):
    asked = []

    def timed(game, names, games, masks):
        sims = [int(name.partition("sims=")[2] or most) for name in names]
        asked.append(sims[1])
        return [Timed(name, float(each)) for name, each in zip(names, sims, strict=True)]

    monkeypatch.setattr(equal_time, "time_of", timed)
    found = fitting(None, "search:agent=best", "planner", None, None)
    chosen = int(found[1].bot.partition("sims=")[2])
    assert chosen <= most < 1.1 * chosen + 1
    assert int(found[2].bot.partition("sims=")[2]) > most
    assert len(asked) < 20


def slower_at_the_end(limit, factor):
    """Return ``time_of``: a millisecond a simulation, more where all are measured together."""

    def timed(_, names, *__):
        each = factor if len(names) > 2 else 1.0
        own = [Timed(name, each * int(name.partition("sims=")[2])) for name in names[1:]]
        return [Timed(names[0], limit), *own]

    return timed


def test_what_is_said_at_the_end_fits_too(monkeypatch):
    """Where the times of the choice were too short, fewer simulations are taken."""
    monkeypatch.setattr(equal_time, "time_of", slower_at_the_end(20.0, 1.2))
    found = fitting(None, "search:agent=best", "planner", None, None)
    assert [each.bot.partition("sims=")[2] for each in found] == ["", "16", "17"]


def test_one_simulation_that_does_not_fit_at_the_end_is_refused(monkeypatch):
    monkeypatch.setattr(equal_time, "time_of", slower_at_the_end(1.5, 2.0))
    with pytest.raises(InvalidOption, match=r"sims=1 takes 2.000 ms .* expected a slower opponent"):
        fitting(None, "search:agent=best", "mine", None, None)


def test_an_opponent_that_is_too_fast_is_refused(monkeypatch):
    monkeypatch.setattr(
        equal_time, "time_of", lambda *_: [Timed("random", 1.0), Timed("search,sims=1", 2.0)]
    )
    with pytest.raises(InvalidOption, match="expected a slower opponent"):
        fitting(None, "search:agent=best", "random", None, None)


def test_an_opponent_that_is_too_slow_is_refused(monkeypatch):
    monkeypatch.setattr(
        equal_time, "time_of", lambda *_: [Timed("mine", 2.0), Timed("search", 1.0)]
    )
    with pytest.raises(InvalidOption, match=r"sims=131072 takes 1.000 ms .* a faster opponent"):
        fitting(None, "search:agent=best", "mine", None, None)


def test_the_result_is_written(tmp_path, monkeypatch, capsys):
    times = [Timed("planner", 2.0), Timed("search:agent=uniform,sims=2", 1.5), Timed("x", 3.0)]
    monkeypatch.setattr(equal_time, "fitting", lambda *_: times)
    out = tmp_path / "found.json"
    main(Config(bot="search:agent=uniform", games=2, positions=2, out=out))
    written = json.loads(out.read_text())
    assert written["parts"] == 1
    assert [row["ms"] for row in written["times"]] == [2.0, 1.5, 3.0]
    assert written["lines"][0]["games"] == 2
    assert "at equal time" in capsys.readouterr().out
    with pytest.raises(InvalidOption, match="expected a file"):
        main(Config(out=tmp_path))


def test_the_command_that_it_says_plays_the_same_match(tmp_path, monkeypatch, capsys):
    times = [Timed("greedy", 2.0), Timed("search:agent=uniform,sims=4", 1.5), Timed("x", 3.0)]
    monkeypatch.setattr(equal_time, "fitting", lambda *_: times)
    first, again = tmp_path / "first.json", tmp_path / "again.json"
    options = ("objectives=start",)
    main(
        Config(
            num_players=3, options=options, against="greedy", games=12, seed=5, parts=2,
            positions=2, processes=1, out=first,
        )
    )  # fmt: skip
    said = next(line for line in capsys.readouterr().out.splitlines() if "sprawl-env" in line)
    call(capsys, *shlex.split(said)[1:], "--processes", "1", "--out", again)
    assert json.loads(again.read_text())["lines"] == json.loads(first.read_text())["lines"]


def test_more_parts_than_deals_are_refused_at_once():
    with pytest.raises(InvalidOption, match=r"parts=11: expected a whole number 0\.\.10"):
        main(Config(games=20, parts=11))
