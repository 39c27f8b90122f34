"""experiments/ladder: every pair of a game's bots, on the same deals, with ratings."""

import itertools
import json
import re
import shutil
import tomllib
from dataclasses import replace

import numpy as np
import pytest

import sprawl_env
from experiments import ladder, tables
from sprawl_env.arena.entrants import made_of
from sprawl_env.bots.policy.agents import agents_folder
from sprawl_env.core.errors import InvalidOption, SprawlError
from tests.commands import refused_beside_another
from tests.ladder import LADDER

BOTS = ("random", "heldout:rules", "greedy")


@pytest.fixture
def config(tmp_path):
    return ladder.Config(bots=BOTS, most=12, near=8, rest=4, processes=1, out=tmp_path / "ladder")


def test_the_pairs_are_played_once_and_a_stopped_command_goes_on(config, capsys):
    ladder.main(config)
    path = config.out / ladder.PAIRS
    whole = path.read_text()
    head, *rows = map(json.loads, whole.splitlines())
    assert head["settings"] == {"game": "tower_up", "num_players": 2, "seed": 2026}
    assert [(*row["bots"], row["games"]) for row in rows] == [
        ("heldout:rules", "random", 8), ("greedy", "random", 4), ("greedy", "heldout:rules", 8),
    ]  # fmt: skip
    assert [len(row["shares"]) for row in rows] == [4, 2, 4]
    assert "3 pairs to play, at most" in capsys.readouterr().out
    found = json.loads((config.out / "ladder.json").read_text())
    assert {line["bot"] for line in found["bots"]} == set(BOTS)
    assert found["bots"][-1]["bot"] == "random"
    assert sum(line["mixture"] for line in found["bots"]) == pytest.approx(1)
    printed = (config.out / "ladder.md").read_text()
    assert printed.count("\n") == 13
    assert f"| 3.{tables.NO_BREAK}`random` |" in printed
    assert printed.splitlines()[-1].startswith("| 3 | ")  # the same number, without the name

    path.write_text("".join(whole.splitlines(keepends=True)[:3]))
    ladder.main(config)
    assert path.read_text() == whole
    assert "1 pair to play" in capsys.readouterr().out


def test_a_ladder_says_how_long_what_is_left_takes(config, monkeypatch, capsys):
    monkeypatch.setattr(ladder, "estimates", lambda *_: [330.0, 60.0, 30.0])
    ladder.main(config)
    said = [line for line in capsys.readouterr().out.splitlines() if "at most" in line]
    assert said == [
        "3 pairs to play, at most 7 minutes",
        "1 of 3: heldout:rules against random, 8 games; at most 7 minutes left",
        "2 of 3: greedy against random, 4 games; at most 2 minutes left",
        "3 of 3: greedy against heldout:rules, 8 games; at most 1 minute left",
    ]


def test_the_estimate_is_of_games_played_alone(config):
    times = {"greedy": 2.0, "random": 0.0, "planner": 4.0}
    pairs = [("greedy", "random", 10), ("random", "greedy", 20), ("greedy", "planner", 10)]
    first, *others = ladder.estimates(config, times, pairs)
    assert others == pytest.approx([2 * first, 3 * first])
    assert ladder.estimates(replace(config, processes=2), times, pairs)[0] == first / 2
    assert 0.2 < first < 2  # ten games of 10 to 100 decisions by a seat, of 2 ms


def test_a_run_that_goes_on_is_one_bot_in_all_pairs(config, monkeypatch):
    played = []

    def evaluate(game, bots, **settings):
        played.extend(bots)
        raise InvalidOption("enough")

    monkeypatch.setattr(sprawl_env, "evaluate", evaluate)
    with pytest.raises(InvalidOption, match="enough"):
        ladder.play(
            config,
            sprawl_env.game("tower_up"),
            ("a", "b", 2),
            {},
            {"a": "a of now", "b": "b of now"},
        )
    assert played == ["a of now", "b of now"]


def test_with_more_seats_both_ways_round_are_played(config):
    more = replace(config, num_players=4, bots=("random", "greedy"))
    ladder.main(more)
    found = json.loads((config.out / "ladder.json").read_text())
    wins = {(cell["bot"], cell["against"]): cell["wins"] for cell in found["pairs"]}
    assert set(wins) == {("random", "greedy"), ("greedy", "random")}
    assert wins["greedy", "random"] > wins["random", "greedy"]
    assert "elo" not in found["bots"][0]


def pairs_played(config, capsys):
    """Return how many pairs the command plays."""
    capsys.readouterr()
    ladder.main(config)
    return int(re.search(r"([0-9]+) pairs? to play", capsys.readouterr().out)[1])


def test_pairs_are_played_again_after_the_code_has_changed(config, capsys, monkeypatch):
    config = replace(config, bots=("random", "heldout:rules"))
    path = config.out / ladder.PAIRS
    assert pairs_played(config, capsys) == 1
    first = path.read_text()
    monkeypatch.setattr("sprawl_env.arena.entrants.code_digest", lambda: "changed")
    assert [pairs_played(config, capsys) for _ in range(2)] == [1, 0]
    *before, last = path.read_text().splitlines(keepends=True)
    assert "".join(before) == first
    assert len(json.loads((config.out / "ladder.json").read_text())["pairs"]) == 1

    row = {**json.loads(last), "shares": [0.0] * 4}
    del row[ladder.MADE]  # as an earlier version wrote it
    path.write_text(before[0] + json.dumps(row) + "\n")
    ladder.main(config)
    said = capsys.readouterr().out
    assert "1 pairs of an earlier version do not say what played" in said
    assert "0 pairs to play" in said
    assert json.loads((config.out / "ladder.json").read_text())["pairs"][0]["wins"] == 0.0


def test_what_a_bot_is_made_of_changes_with_its_weights_and_its_module(tmp_path, monkeypatch):
    game, copied, module = sprawl_env.game("tower_up"), tmp_path / "a=b", tmp_path / "my_own.py"
    monkeypatch.syspath_prepend(tmp_path)
    module.write_text("from sprawl_env.bots.greedy import GreedyBot\n")
    sprawl_env.make_bot("my_own:GreedyBot", game)
    with_weights = [
        f"checkpoint:{copied}", f"search:agent=checkpoint:{copied},sims=2",
        f"planner:judge=checkpoint:{copied}", f"torch:a:b,weights={copied}/weights.safetensors",
    ]  # fmt: skip
    names = ["random", "planner", "agent:tower_up/quick", "my_own:GreedyBot", *with_weights]
    found = []
    for agent in ("quick", "ppo-1h"):
        shutil.copytree(agents_folder() / "tower_up" / agent, copied, dirs_exist_ok=True)
        found.append([made_of(name, game) for name in names])
    module.write_text("from sprawl_env.bots.random import RandomBot as GreedyBot\n")
    found.append([made_of(name, game) for name in names])
    weights, code = (
        [name for name, a, b in zip(names, before, after, strict=True) if a != b]
        for before, after in itertools.pairwise(found)
    )
    assert weights == with_weights
    assert code == ["my_own:GreedyBot"]
    assert found[0][0] == found[0][1]  # the package's code alone


@pytest.mark.parametrize("game", ["tower_up", "ginkgopolis", "urban_sprawl"])
def test_the_published_pairs_still_make_the_published_table(game, tmp_path, monkeypatch, capsys):
    folder = LADDER / game / "ladder"
    published = json.loads((folder / "ladder.json").read_text())
    times = {line["bot"]: line["milliseconds"] for line in published["bots"]}
    shutil.copy(folder / ladder.PAIRS, tmp_path)
    monkeypatch.setattr(ladder, "times_of", lambda *_: times)
    assert pairs_played(ladder.Config(game=game, out=tmp_path), capsys) == 0
    assert (tmp_path / "ladder.md").read_text() == tables.ladder_table(published)


def test_the_shares_of_a_pair_are_wins_of_both():
    rows = [{"bots": ["b", "a"], "games": 4, "shares": [1.0, 0.25]}]
    wins = ladder.wins_of(rows, ["a", "b"])
    assert wins[0].tolist() == [[0, 0], [2, 0]]
    assert wins[1].tolist() == [[0, 1.5], [0.5, 0]]


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"game": "chess", "bots": ()}, "chess"),
        ({"bots": ("greedy",)}, "two or more"),
        ({"bots": (), "num_players": 4}, "num_players=4: .* have 2 seats: name the bots, --bots"),
        ({"bots": ("greedy", "greedy")}, "different"),
        ({"bots": ("greedy", "nobody")}, "nobody"),
        ({"rest": 0}, "expected more than 0"),
        ({"game": "ginkgopolis", "num_players": 1}, "num_players=1: expected 2 or more"),
    ],
)
def test_what_is_not_allowed_is_refused_and_writes_nothing(config, changes, says):
    with pytest.raises(SprawlError, match=says):
        ladder.main(ladder.Config(**{**vars(config), **changes}))
    assert not config.out.exists()


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"settings": {}}', "@\n{}", '@\n{"bots": ["a"], "games": 2, "shares": [1]}',
     '@\n{"bots": ["a", "b"], "games": 2, "shares": [2]}'],
)  # fmt: skip
def test_a_damaged_file_is_refused_and_stays(config, text):
    config.out.mkdir()
    path = config.out / ladder.PAIRS
    text = text.replace("@", json.dumps({"settings": ladder.settings_of(config)}))
    path.write_text(text)
    with pytest.raises(InvalidOption, match="expected pairs of this ladder"):
        ladder.main(config)
    assert path.read_text() == text


def test_every_bot_of_every_ladder_can_be_made():
    known = tomllib.loads(ladder.LADDERS.read_text())
    for name, given in known.items():
        game = sprawl_env.game(name)
        for bot in given["bots"]:
            sprawl_env.make_bot(bot, game)
        assert all(bot in given["bots"] for pair in given["most"] for bot in pair)
        pairs = list(ladder.pairs_of(ladder.Config(game=name)))
        assert len(pairs) == len(given["bots"]) * (len(given["bots"]) - 1) // 2
        assert sum(games == 2000 for _, _, games in pairs) == len(given["most"])
        assert np.unique([games for _, _, games in pairs]).tolist() == [100, 400, 2000]


def test_a_second_command_with_the_same_folder_is_refused(config):
    refused_beside_another(ladder.main, config)
