"""experiments/balance.py: sources add up to the scores, and bad options are one line."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import sprawl_env

pytest.importorskip("tyro")
pytest.importorskip("rich")

from rich.progress import Progress

from experiments import balance
from experiments.balance import (
    LEAST_SEEN,
    MOST_MOVED,
    MOST_PARKLESS,
    PRICE,
    SOURCES,
    CardSums,
    Config,
    builders_wins,
    line_of,
    play,
    pooled,
    report,
    shares,
    violations,
)
from sprawl_env.arena.evaluation import half_width
from sprawl_env.console import run
from sprawl_env.games.urban_sprawl.constants import NUM_CARDS, PRESTIGE, WEALTH
from sprawl_env.games.urban_sprawl.data_files import FOLDER
from tests.commands import refused

pytestmark = pytest.mark.compiled
GAMES = 6


@pytest.fixture(scope="module")
def game():
    return sprawl_env.game("urban_sprawl", num_players=3)


@pytest.fixture(scope="module")
def played(game):
    with Progress(disable=True) as progress:
        return play(game, Config(games=GAMES, batch=4), progress)


def command(*arguments, cwd):
    return subprocess.run(
        [sys.executable, "-m", "experiments.balance", *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={**os.environ, "COLUMNS": "200"},
    )


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--games", "0"], "games=0: expected a whole number from 1"),
        (["--batch", "0"], "batch=0: expected a whole number from 1"),
        (["--seats", "7"], "expected a whole number 2..4"),
        (["--data", "nowhere"], "does not exist"),
        (["--length", "endless"], "expected one of standard, long, short"),
        (["--seed", "-1"], "seed"),
        (["--out", "."], "expected a file, this is a folder"),
    ],
)
def test_bad_input_is_one_line(tmp_path, monkeypatch, capsys, arguments, says):
    def main(arguments):
        run(balance.main, Config, arguments=arguments)

    monkeypatch.chdir(tmp_path)
    assert says in refused(capsys, *arguments, main=main)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.long
def test_file_and_tables(tmp_path):
    out = tmp_path / "runs" / "balance.json"
    done = command("--games", "2", "--seats", "2", "4", "--out", str(out), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    written = json.loads(out.read_text())
    assert written["config"]["games"] == 2
    assert {"versions", "commit", "machine"} <= written.keys()
    assert [found["seats"] for found in written["reports"]] == [2, 4]
    for word in ("winner less last", "seat 3 wins", "vocations", "Olympic Games", "Luxury Tax"):
        assert word in done.stdout
    again = command("--games", "2", "--seats", "2", "4", "--out", str(out), cwd=tmp_path)
    assert again.stdout == done.stdout


def test_sources_add_up_to_the_final_scores(played):
    assert (played.sources[:, :, PRESTIGE].sum(axis=2) == played.scores).all()
    assert (played.sources[:, :, PRESTIGE, PRICE] == 0).all()
    assert (played.sources[:, :, WEALTH, PRICE] < 0).all()


def test_wins_are_shares(played):
    assert np.allclose(played.wins.sum(axis=1), 1.0)
    assert not played.truncated.any()


def test_cards_are_seen_once_and_built_at_most_as_often(game, played):
    contracts = game.tables[0].card_zone >= 0
    seen, done = played.cards.seen[:NUM_CARDS], played.cards.done[:NUM_CARDS]
    assert (seen[contracts] <= GAMES).all()
    assert (done <= seen)[contracts].all()
    assert played.cards.seen[played.names.index("Olympic Games")] == GAMES


def test_report_counts_copies_together_and_pools_seats(game, played):
    found = report(game, played)
    names = [card["name"] for card in found["cards"]]
    assert len(names) == len(set(names))
    house = found["cards"][names.index("House")]
    assert GAMES < house["seen"] <= 5 * GAMES
    assert house["source"] == "public"
    both = pooled([found, found])[names.index("House")]
    assert both["seen"] == 2 * house["seen"]
    assert both["most"] == pytest.approx(house["most"])
    assert list(found["sources"]) == list(SOURCES)
    assert both["lead_error"] == pytest.approx(house["lead_error"] / np.sqrt(2))
    assert max(card["lead_error"] for card in found["cards"]) > 0
    assert found["winner"]["error"] == pytest.approx(half_width(played.scores.max(axis=1)))
    assert found["all"]["error"] == pytest.approx(half_width(played.scores.mean(axis=1)))


def test_a_cards_lead_has_the_interval_of_its_builds(game, played):
    leads, wealth = np.array([2.0, 5.0, 5.0, -1.0]), np.array([0.0, 1.0, -4.0, 4.0])
    sums = CardSums()
    card = np.array([7])
    sums.done[7] = len(leads)
    for money, values in ((PRESTIGE, leads), (WEALTH, wealth)):
        sums.squares[7, money] = (values**2).sum()
        sums.own[7, money] = sums.all[7, money] = values.sum()
    line = sums.line(card, games=4, seats=3, winner=100.0)
    for name, values in (("lead", leads), ("lead_wealth", wealth)):
        assert line[name] == pytest.approx(values.mean())
        assert line[f"{name}_error"] == pytest.approx(half_width(values))
    done = np.flatnonzero(played.cards.done[:NUM_CARDS])
    lines = [played.cards.line(np.array([k]), GAMES, 3, 100.0) for k in done]
    means = np.array([line["lead"] for line in lines])
    squares = played.cards.squares[done, PRESTIGE]
    assert (squares >= means**2 * played.cards.done[done] - 1e-9).all()


def test_a_builder_counts_once_a_game_and_errors_are_over_games():
    wins = np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0], [1.0, 0.0]])
    builds = np.array([[0, 7, 0], [0, 8, 0], [1, 8, 1], [2, 7, 0], [3, 9, 0]])
    found = builders_wins(builds, wins, np.array([7, 8]))
    assert found["wins"] == pytest.approx(0.5)
    assert found["wins_error"] == pytest.approx(half_width(np.array([1.0, 0.5, 0.0])))
    both = np.array([[g, 7, seat] for g in range(4) for seat in range(2)])
    assert builders_wins(both, wins, np.array([7])) == {"wins": 0.5, "wins_error": 0.0}
    assert builders_wins(builds, wins, np.array([9])) == {"wins": None, "wins_error": None}
    assert builders_wins(builds[:0], wins, np.array([7]))["wins"] is None


def test_every_build_is_listed_with_its_game_and_its_seat(game, played):
    games, cards, seats = played.builds.T
    assert set(games.tolist()) == set(range(GAMES))
    assert (game.tables[0].card_zone[cards] >= 0).all()
    assert set(seats.tolist()) == {0, 1, 2}
    counted = np.bincount(cards, minlength=NUM_CARDS)
    contracts = game.tables[0].card_zone >= 0
    assert (counted[contracts] == played.cards.done[:NUM_CARDS][contracts]).all()
    found = report(game, played)["cards"]
    assert all(card["wins"] is None for card in found if card["event"])
    assert any(card["wins"] is not None for card in found)


def test_violations(game, played):
    found = report(game, played)
    found["cards"][0].update(event=False, done=0, seen=LEAST_SEEN)
    found["cards"][1].update(most_of_winner=MOST_MOVED + 0.01)
    found["winner"]["mean"] = 300.0
    found["mayor"] = {"elections": 1234, "without_park": MOST_PARKLESS}
    lines = "\n".join(violations(found))
    for card in found["cards"][:2]:
        assert card["name"] in lines
    assert "not 120 to 220" in lines
    assert "the Mayor lacked a park in 0.50% of 1,234 elections, not in less than 0.5%" in lines
    found["mayor"]["without_park"] = MOST_PARKLESS / 2
    assert "lacked a park" not in "\n".join(violations(found))


def test_a_park_tile_is_counted_for_each_election_of_the_mayor_and_its_lack(tmp_path):
    """With 99 tiles no Mayor lacks one; with 3 every Mayor from the fourth on does."""
    text = (FOLDER / "board.toml").read_text(encoding="utf-8")
    counted = {}
    for tiles in (99, 3):
        changed = text.replace("counts = [15, 1, 1, 1]", f"counts = [{tiles}, 1, 1, 1]", 1)
        assert changed != text
        (tmp_path / "board.toml").write_text(changed, encoding="utf-8")
        game = sprawl_env.game("urban_sprawl", num_players=3, data=tmp_path)
        with Progress(disable=True) as progress:
            counted[tiles] = play(game, Config(games=GAMES, batch=4), progress).mayor.tolist()
    elections, parks = counted[99]
    assert elections == parks > 4 * GAMES
    elections, parks = counted[3]
    assert parks == 3 * GAMES < elections


def test_shares_as_the_rulebook_pays(game):
    t = sprawl_env.game("urban_sprawl", num_players=4).tables[0]
    counts = np.array([[3, 3, 1, 0], [2, 2, 2, 2], [4, 3, 1, 1], [5, 5, 0, 0]])
    paid = shares(t, counts, np.array([6, 6, 6, 6]))
    assert paid.tolist() == [[4, 4, 1, 0], [2, 2, 2, 2], [6, 3, 0, 0], [4, 4, 0, 0]]


def test_lines_of_printed_numbers_and_markers(game):
    games = game.deal(2, 0)
    games["marker_at"][:] = -1
    games["marker_at"][1, 4] = 7  # prestige 5
    t = game.tables[0]
    assert line_of(t, games, WEALTH, np.array([1, 2])).tolist() == [0, 5]
    assert line_of(t, games, PRESTIGE, np.array([5, 5])).tolist() == [-1, 13]
