"""experiments/fuzz: whole games are checked, failures are saved, a stopped command goes on."""

import json

import pytest

pytest.importorskip("tyro")
pytest.importorskip("rich")

import sprawl_env
from experiments.fuzz import games as whole_games
from experiments.fuzz.games import Games, chunks_of, draw_game, fuzz, play_chunk
from experiments.fuzz.walks import CHECKS, FAILED, NO_GAME, actions_of, new_work, walk_kernel
from sprawl_env.core.errors import InvalidOption, UnknownName
from sprawl_env.core.state import plain
from sprawl_env.kernels.rng import combine
from tests.defects import MANY
from tests.suite import GAMES

LOTS = "examples.lots:RULES"
SEED = 5


def test_the_kernel_plays_the_games_that_deal_and_play_play():
    game = sprawl_env.game(LOTS, num_players=3)
    work = new_work(game)
    walk_kernel(game.rules, "random")(plain(game.tables), work, SEED, 7, 1, 16)
    games = game.deal(1, combine(SEED, 7))
    for action in actions_of(work):
        game.play(games, 0, action)
    assert games["over"][0]
    assert games.tobytes() == work.games[:1].tobytes()
    assert work.counts[FAILED] == NO_GAME


def test_greedy_games_differ_from_random_ones():
    game, played = sprawl_env.game(LOTS), {}
    for bot in ("random", "greedy"):
        work = new_work(game)
        walk_kernel(game.rules, bot)(plain(game.tables), work, SEED, 0, 1, 16)
        played[bot] = actions_of(work)
    assert played["random"] != played["greedy"]


@pytest.mark.parametrize("every", [1, 16])
def test_positions_are_checked_along_the_game_and_at_its_end(every):
    game = sprawl_env.game(LOTS)
    work = new_work(game)
    walk_kernel(game.rules, "random")(plain(game.tables), work, SEED, 0, 1, every)
    plies = len(actions_of(work))
    assert work.counts[CHECKS] == plies // every + (plies % every > 0)


@pytest.mark.parametrize("name", GAMES)
def test_every_option_of_a_game_is_drawn_with_several_values(name):
    drawn = [draw_game(name, seed).options for seed in range(60)]
    for option in sprawl_env.game(name).rules.options:
        assert len({options[option] for options in drawn}) > 1, option


def test_options_are_drawn_from_all_that_exist():
    drawn = [draw_game("tower_up", seed).options for seed in range(60)]
    assert {options["num_players"] for options in drawn} == {2, 3, 4}
    assert {options["objectives"] for options in drawn} == {"random", "start"}
    assert len({options["max_turns"] for options in drawn}) > 10
    assert any(options["max_turns"] == 400 for options in drawn)


def test_an_impossible_position_is_saved_with_its_actions(tmp_path):
    name = "tests.defects:IMPOSSIBLE"
    row = play_chunk(Games(out=tmp_path, every=1), name, 0)
    assert row["failures"]
    saved = json.loads((tmp_path / "failures" / row["failures"][0]).read_text())
    assert "in words does not" in saved["wrong"]
    game = draw_game(name, whole_games.chunk_seed(Games(), name, 0))
    games = game.deal(1, saved["seed"])
    for action in saved["actions"]:
        assert game.scores(games, 0)[0] < MANY
        game.play(games, 0, action)
    assert game.scores(games, 0)[0] >= MANY
    assert json.loads(game.to_json(games)) == saved["position"]


def test_a_game_without_end_has_failed(tmp_path):
    row = play_chunk(Games(out=tmp_path, every=10**6), "tests.defects:ENDLESS", 0)
    saved = json.loads((tmp_path / "failures" / row["failures"][0]).read_text())
    assert saved["wrong"] == "the game has no end"


def test_a_stopped_command_goes_on(tmp_path, monkeypatch, capsys):
    config = Games(games=4000, only=(LOTS,), out=tmp_path, jobs=1)
    played = []

    def in_this_process(config, chunks, left):
        for task in left:
            played.append(chunks[task])
            yield play_chunk(config, *chunks[task])
            if len(played) == 2:
                return

    monkeypatch.setattr(whole_games, "_played", in_this_process)
    assert fuzz(config) == 0
    assert fuzz(config) == 0
    assert played == chunks_of(config)
    rows = [json.loads(line) for line in (tmp_path / "random.jsonl").read_text().splitlines()]
    assert sum(row["games"] for row in rows) == config.games
    assert "failures" in capsys.readouterr().out
    with pytest.raises(InvalidOption, match="choose another --out"):
        fuzz(Games(games=4000, only=(LOTS,), out=tmp_path, seed=1))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"games": 0}, "games 0: expected 1 or more"),
        ({"every": 0}, "every 0: expected 1 or more"),
        ({"jobs": -1}, "jobs -1: expected 1 or more"),
        ({"seed": -1}, "seed -1: expected a whole number"),
    ],
)
def test_impossible_settings_are_refused(tmp_path, change, says):
    with pytest.raises(InvalidOption, match=says):
        fuzz(Games(out=tmp_path / "new", **change))
    assert not (tmp_path / "new").exists()


def test_unknown_names_are_refused(tmp_path):
    with pytest.raises(UnknownName, match="bot"):
        fuzz(Games(bot="mcts", out=tmp_path))
    with pytest.raises(UnknownName, match="game"):
        fuzz(Games(only=("chess",), out=tmp_path))
