"""Replays as data: positions before each ply, folders of replays, tables, recorded visits."""

import json
import shutil

import numpy as np
import pytest

import sprawl_env
from sprawl_env import replays
from sprawl_env.bots import Analysis
from sprawl_env.core.errors import IllegalAction, InvalidOption, PositionError
from sprawl_env.core.extras import MissingExtra
from sprawl_env.core.state import digest
from sprawl_env.replays.recording import play_ply
from tests.golden.record_pictures import REPLAYS

SIMS = 24


@pytest.fixture(scope="module")
def game():
    return sprawl_env.game("tower_up", num_players=2, max_turns=3)


@pytest.fixture(scope="module")
def searched(game):
    """A game of a search, with its visits."""
    search = sprawl_env.make_bot(f"mcts:sims={SIMS}", game, seed=3)
    return replays.record(game, 4, lambda games, mask: search.analyse(mask, games))


@pytest.fixture
def folder(game, searched, tmp_path):
    """Two files: one game, then two."""
    (tmp_path / "a.jsonl").write_text(replays.dump(searched))
    others = [replays.record_random(game, seed) for seed in (1, 2)]
    named = replays.from_actions(
        game, 2, [ply.action for ply in others[1].plies], bots=["random", "\x1b other"]
    )
    (tmp_path / "b.jsonl").write_text(replays.dump(others[0]) + replays.dump(named))
    (tmp_path / "notes.txt").write_text("not a replay")
    return tmp_path


# --------------------------------------------------------------------------------- positions


@pytest.mark.parametrize(
    ("name", "label"),
    [("tower_up", "2-seats"), ("ginkgopolis", "solo"), ("urban_sprawl", "2-seats-turn-limit")],
)
def test_positions_are_those_before_each_ply_and_the_last_one(name, label):
    played = replays.load(REPLAYS / name / f"{label}.jsonl")
    game = played.game()
    found = replays.positions(played)
    assert len(found) == len(played.plies) + 1
    assert digest(found, 0) == digest(game.deal(1, played.header["seed"]))
    for k, ply in enumerate(played.plies):
        assert (found["ply"][k], found["to_play"][k]) == (ply.ply, ply.seat)
        assert game.legal_actions(found, k)[ply.action]
        assert digest(found, k + 1) == ply.after
    assert found["over"][-1]
    assert game.scores(found, len(found) - 1).tolist() == list(played.scores)


def test_positions_of_a_replay_that_differs_are_refused(searched):
    rows = [json.loads(line) for line in replays.dump(searched).splitlines()]
    rows[3]["after"] = "0" * 12
    changed = replays.parse("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(PositionError, match=r"ply 2: .*the state differs after it"):
        replays.positions(changed)


# ------------------------------------------------------------------------------------ visits


def test_a_recorded_search_is_the_game_that_it_plays(game, searched):
    search = sprawl_env.make_bot(f"mcts:sims={SIMS}", game, seed=3)
    played = replays.record(game, 4, lambda games, mask: search.act(None, mask[None], games)[0])
    assert [ply.after for ply in played.plies] == [ply.after for ply in searched.plies]
    assert all(ply.visits == () for ply in played.plies)


def test_visits_are_kept_in_the_order_of_the_legal_actions(game, searched):
    games = replays.positions(searched)
    for k, ply in enumerate(searched.plies):
        legal = np.flatnonzero(game.legal_actions(games, k)).tolist()
        assert len(ply.visits) == ply.legal == len(legal)
        assert sum(ply.visits) == (SIMS if ply.legal > 1 else 1)
        assert ply.visits[legal.index(ply.action)] == max(ply.visits)
    assert any(len(set(ply.visits)) > 2 for ply in searched.plies)
    assert replays.parse(replays.dump(searched)) == searched
    replays.verify(searched)


def test_a_replay_without_visits_does_not_mention_them(game):
    assert "visits" not in replays.dump(replays.record_random(game, 1))


@pytest.mark.parametrize(
    "damage",
    [
        lambda visits: visits[:-1],
        lambda visits: [*visits, 0],
        lambda visits: [-1, *visits[1:]],
        lambda visits: [True, *visits[1:]],
        lambda visits: [10**400, *visits[1:]],
        lambda visits: dict(enumerate(visits)),
        lambda visits: [],
        lambda visits: None,
        lambda visits: 5,
    ],
)
def test_visits_that_are_not_a_number_for_each_legal_action_are_refused(searched, damage):
    rows = [json.loads(line) for line in replays.dump(searched).splitlines()]
    rows[2]["visits"] = damage(rows[2]["visits"])
    with pytest.raises(PositionError, match=r"line 3: (visits: )?expected a number from 0"):
        replays.parse("".join(json.dumps(row) + "\n" for row in rows))


@pytest.mark.parametrize(
    "change",
    [
        lambda found: found._replace(actions=found.actions[1:], visits=found.visits[1:]),
        lambda found: found._replace(actions=found.actions + 1),
        lambda found: found._replace(visits=found.visits[1:]),
        lambda found: found._replace(visits=found.visits - 10.0),
        lambda found: found._replace(visits=np.full(len(found.visits), np.nan)),
        lambda found: found._replace(visits=[[1], [2, 3]]),
        lambda found: found._replace(actions=None),
    ],
)
def test_an_analysis_of_other_actions_is_refused(game, change):
    def choose(games, mask):
        legal = np.flatnonzero(mask)
        return change(Analysis(legal, np.ones(legal.size), np.zeros(legal.size)))

    with pytest.raises(InvalidOption, match="expected an analysis of the legal actions"):
        replays.record(game, 1, choose)


def test_an_analysis_may_be_ones_own(game):
    def choose(games, mask):
        legal = np.flatnonzero(mask)[::-1]
        return Analysis(legal, legal / 10, np.zeros(legal.size))

    played = replays.record(game, 1, choose)
    assert [list(ply.visits) == sorted(ply.visits) for ply in played.plies]
    assert played.plies[0].action == 10 * played.plies[0].visits[-1]


# ------------------------------------------------------------------------------------ folders


def test_a_folder_gives_all_its_replays_in_the_order_of_the_names(folder, searched):
    found = replays.load(folder)
    assert found == replays.load_all(folder)
    assert found[0] == searched == replays.load(folder / "a.jsonl")
    assert found[1:] == replays.load_all(folder / "b.jsonl")
    assert [one.header["seed"] for one in found] == [4, 1, 2]


@pytest.mark.parametrize("read", [replays.load, replays.load_all, replays.table])
def test_a_damaged_replay_in_a_folder_is_one_line_that_names_the_file(folder, read):
    (folder / "c.jsonl").write_text((folder / "a.jsonl").read_text()[:300])
    with pytest.raises(PositionError, match=r"^c\.jsonl: line \d is not JSON$"):
        read(folder)


@pytest.mark.parametrize("read", [replays.load, replays.load_all, replays.table])
def test_a_folder_without_replays_is_one_line(tmp_path, read):
    (tmp_path / "nothing").mkdir()
    with pytest.raises(PositionError, match="nothing: cannot be read: expected a folder with rep"):
        read(tmp_path / "nothing")


# -------------------------------------------------------------------------------------- table


def test_a_table_has_one_row_for_each_ply(game, folder):
    pytest.importorskip("polars")
    found = replays.table(folder)
    kept = replays.load(folder)
    assert found.columns == [
        "game", "file", "seed", "ply", "turn", "seat", "bot", "action", "name", "num_legal",
        "legal", "visits", "points", "final_points",
    ]  # fmt: skip
    rows = iter(found.iter_rows(named=True))
    for number, one in enumerate(kept):
        games = replays.positions(one)
        bots = [None, None] if number < 2 else ["random", "\\x1b other"]
        for k, ply in enumerate(one.plies):
            assert next(rows) == {
                "game": number,
                "file": "a.jsonl" if number == 0 else "b.jsonl",
                "seed": one.header["seed"],
                "ply": k,
                "turn": games["turn"][k],
                "seat": ply.seat,
                "bot": bots[ply.seat],
                "action": ply.action,
                "name": ply.says,
                "num_legal": ply.legal,
                "legal": np.flatnonzero(game.legal_actions(games, k)).tolist(),
                "visits": list(ply.visits) if number == 0 else None,
                "points": game.scores(games, k)[ply.seat],
                "final_points": one.scores[ply.seat],
            }
    assert next(rows, None) is None
    assert found.equals(replays.table(str(folder)))
    shutil.copy(folder / "b.jsonl", folder / "one")
    assert replays.table(folder / "one")["game"].to_list() == [
        k for k, one in enumerate(kept[1:]) for _ in one.plies
    ]


def test_the_columns_have_their_types_even_without_a_ply(game, folder, tmp_path):
    polars = pytest.importorskip("polars")
    whole = replays.table(folder)
    (tmp_path / "none").write_text(replays.dump(replays.from_actions(game, 1, [])))
    empty = replays.table(tmp_path / "none")
    assert empty.is_empty()
    assert empty.schema == whole.schema
    assert whole.schema["visits"] == polars.List(polars.Float64)


@pytest.mark.parametrize(
    ("line", "change", "says"),
    [
        (2, {"after": "0" * 12}, r"^c\.jsonl, game 0: .*the state differs after it"),
        (-1, {"scores": [99, 99]}, r"^c\.jsonl, game 0: tower_up: the scores differ"),
        (0, {"seed": -1}, r"^c\.jsonl, game 0: seed"),
    ],
)
def test_a_game_that_differs_from_its_replay_is_named(folder, searched, line, change, says):
    pytest.importorskip("polars")
    rows = [json.loads(text) for text in replays.dump(searched).splitlines()]
    rows[line] |= change
    (folder / "c.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(PositionError, match=says):
        replays.table(folder)


def test_a_table_without_polars_says_what_to_install(folder, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "polars", None)
    with pytest.raises(MissingExtra, match=r"replays\.table\(\) needs polars.*\[analysis\]"):
        replays.table(folder)


def test_an_illegal_action_is_still_refused(game):
    with pytest.raises(IllegalAction):
        replays.record(game, 1, lambda games, mask: int(np.flatnonzero(mask == 0)[0]))


@pytest.mark.parametrize("answer", [0.9, "0", True, None, np.float64(0), [0]])
def test_an_answer_that_is_no_whole_number_is_refused(game, answer):
    with pytest.raises(IllegalAction, match=r"^tower_up: action: expected a whole number 0\.\."):
        replays.record(game, 1, lambda games, mask: answer)


def test_numbers_of_numpy_are_recorded_as_pythons(game, searched):
    actions = [np.int64(ply.action) for ply in searched.plies]
    for kind in (np.array, lambda visits: list(np.array(visits, float)), list):
        visits = [kind(ply.visits) for ply in searched.plies]
        again = replays.from_actions(game, 4, actions, visits)
        assert replays.parse(replays.dump(again)) == searched
    rng = np.random.default_rng(1)
    drawn = replays.record(game, 1, lambda _, mask: rng.choice(np.flatnonzero(mask)))
    assert replays.dump(drawn) == replays.dump(replays.record_random(game, 1))
    ply = play_ply(game, game.deal(1, 4), actions[0], np.array(searched.plies[0].visits, float))
    assert json.loads(json.dumps([ply.action, ply.visits])) == [actions[0], [*ply.visits]]
    assert ply == searched.plies[0]


def test_visits_of_true_are_refused(game, searched):
    actions = [ply.action for ply in searched.plies]
    wrong = [[True] * ply.legal for ply in searched.plies]
    for visits in (wrong, [np.array(each) for each in wrong]):
        with pytest.raises(InvalidOption, match=r"^from_actions: visits"):
            replays.from_actions(game, 4, actions, visits)


def test_the_header_of_a_replay_is_its_own(game):
    options = dict(game.options)
    for made in (replays.record_random(game, 1), replays.from_actions(game, 1, [])):
        made.header["options"]["max_turns"] = 9
        assert game.options == options
