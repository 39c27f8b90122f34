"""Playing: what a person may see, play and undo; the server; the terminal; a real browser."""

import json
import os
import shutil
import subprocess
import sys
import threading
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("tyro")
pytest.importorskip("starlette")
pytest.importorskip("httpx2")
pytest.importorskip("uvicorn")

from starlette.testclient import TestClient

import sprawl_env
from sprawl_env import replays
from sprawl_env.commands import play
from sprawl_env.console import run
from sprawl_env.core import files
from sprawl_env.core.errors import IllegalAction, InvalidOption, PositionError
from sprawl_env.core.state import NOT_OVER
from sprawl_env.play.connections import PageServer
from sprawl_env.play.log import revealed
from sprawl_env.play.saves import SAVE_NAME, autosave_of, game_of, saves_in
from sprawl_env.play.server import MAX_BYTES, PlayServer
from sprawl_env.play.session import NotNow, Session
from sprawl_env.play.terminal import play_in_terminal
from sprawl_env.render.board import picture_of_view, seen_text
from sprawl_env.render.pieces import parts_of
from tests.browser import open_url
from tests.unit.render.test_pictures import random_positions

pytestmark = [pytest.mark.compiled, pytest.mark.usefixtures("one_browser")]  # tests pages

TOKEN = "a-token"
HOST = "127.0.0.1:8765"
ORIGIN = {"Origin": f"http://{HOST}"}


def session_of(name="tower_up", seats=("human", "random"), seed=1, hints=("greedy",), **options):
    game = sprawl_env.game(name, num_players=len(seats), **options)
    return Session(game, seats, hints, seed)


def legal(session):
    return np.flatnonzero(session.game.legal_actions(session.games, 0)).tolist()


def step(session, rng):
    """Play one decision; a person's is random."""
    seat = session.to_play
    if seat in session.humans:
        session.play(seat, int(rng.choice(legal(session))))
    else:
        session.advance()


def named(session, words):
    """Return the first legal action whose name starts with the words."""
    names = {a: session.game.action_name(session.games, 0, a) for a in legal(session)}
    return next(action for action, name in names.items() if name.startswith(words))


# ---------------------------------------------------------------------------------------- views


def hint_from_seed(session):
    """Return a hint that depends on no earlier random numbers."""
    session._redeals = 0
    session._advisers["greedy"].seed(0)
    return session.hint(0, "greedy")


@pytest.mark.parametrize(
    ("name", "seats"),
    [("tower_up", 2), ("ginkgopolis", 3), ("ginkgopolis", 1), ("urban_sprawl", 2)],
)
def test_no_view_or_hint_depends_on_what_the_seat_cannot_know(name, seats):
    rng = np.random.default_rng(0)
    session = session_of(name, ("human",) + ("random",) * (seats - 1))
    compared = moved = 0
    while not session.over and compared < 25:
        step(session, rng)
        if rng.random() < 0.7:
            continue
        now, text = session.view(0), seen_text(session.game, session.games, 0, 0)
        mine = session.to_play == 0
        hint = hint_from_seed(session) if mine else None
        looked = int(rng.choice(legal(session))) if mine else -1
        preview = session.preview(0, looked) if mine else None
        true = session.games
        for seed in range(3):
            other = true.copy()
            session.game.redeal_hidden(other, 0, seed, 0)
            moved += other.tobytes() != true.tobytes()
            session.games = other
            assert {**session.view(0), "may_undo": None} == {**now, "may_undo": None}
            assert seen_text(session.game, session.games, 0, 0) == text
            if mine:
                assert session.preview(0, looked) == preview
                assert hint_from_seed(session) == hint
        session.games = true
        compared += 1
    assert compared >= 9
    assert moved > compared


def test_a_view_has_no_seed_and_no_scores_behind_screens():
    session = session_of("ginkgopolis", ("human", "random", "random"), seed=918273645)
    rng = np.random.default_rng(1)
    for _ in range(40):
        step(session, rng)
    text = json.dumps(session.view(0))
    assert "918273645" not in text
    points = session.view(0)["points"]
    assert points[0] == session.game.scores(session.games, 0)[0]
    assert points[1:] == [None, None]
    assert '"draft a' not in text


def hidden_and_told(session):
    """Return the texts of others' choices of cards that are hidden, and those that are told."""
    lines = [line["text"] for line in session.view(0)["log"] if line["seat"] > 0]
    hidden = [text for text in lines if "chooses secretly" in text or "chooses a card" in text]
    return hidden, [text for text in lines if " chooses card " in text]


def test_the_log_tells_hidden_answers_once_they_are_revealed():
    session = session_of("ginkgopolis", ("human", "random", "random"), characters="introductory")
    rng = np.random.default_rng(2)
    most_hidden = 0
    while session.games["rounds"][0] < 4:
        step(session, rng)
        hidden, told = hidden_and_told(session)
        most_hidden = max(most_hidden, len(hidden))
        asked = int(session.games["rounds"][0])
        waiting = int(np.sum(session.games["chosen"][0, 1:3] >= 0))
        assert len(hidden) >= waiting * (session.view(0)["decision"] != "")
        assert len(told) >= 2 * (asked - 1)
    assert most_hidden == 2
    names = session.view(0)["names"]
    assert names == ["you", "random 1", "random 2"]
    log = session.view(0)["log"]
    assert all(line["text"].startswith(names[line["seat"]]) for line in log if line["seat"] >= 0)
    assert {line["heading"] for line in log} == {"Round 1", "Round 2", "Round 3"}
    drawn = [change for line in log for change in line["changes"] if change["kind"] == "draw"]
    assert drawn
    assert {change["seat"] for change in drawn} == {0}


def test_an_undone_action_leaves_the_log():
    session = session_of()
    before = session.view(0)["log"]
    session.play(0, named(session, "build"))
    assert len(session.view(0)["log"]) == 1
    session.undo(0)
    assert session.view(0)["log"] == before == []


def test_a_log_that_is_made_again_is_the_same(tmp_path):
    """Lines are kept ply by ply; a game that is loaded makes all of them at once."""
    session = session_of("ginkgopolis", ("human", "random"))
    rng = np.random.default_rng(4)
    for _ in range(70):
        step(session, rng)
    session.save(tmp_path, "kept")
    other = session_of("ginkgopolis", ("human", "random"))
    other.load(tmp_path / "kept.jsonl")
    assert other.view(0)["log"] == session.view(0)["log"]


def test_a_question_names_its_cause_and_a_seat_that_waits_is_told_for_whom():
    session = session_of("tower_up", ("human", "random"))
    assert session.view(0)["question"].startswith("Take a card, or build")
    session.play(0, named(session, "build black on site 8"))
    assert session.question(0).startswith("You built black on site 8: put a roof on it")
    session.play(0, named(session, "roof"))
    assert session.question(0) == "random: take a card or build"


def test_a_preview_tells_what_an_action_costs_and_gains_and_changes_nothing():
    session = session_of("tower_up", ("human", "random"))
    before = session.games.tobytes(), session.version, session.view(0)
    build = named(session, "build black on site 8")
    found = session.preview(0, build)
    assert found["says"] == "build black on site 8"
    assert "\u22121 black floor" in found["text"]
    assert found["scores"] == [[0, 0], [0, 0]]
    assert "white building on site 25 is 2 high" in found["text"]
    assert (session.games.tobytes(), session.version, session.view(0)) == before
    session.play(0, build)
    roof = legal(session)[0]
    after = session.preview(0, roof)["scores"][0][1]
    session.play(0, roof)
    assert session.game.scores(session.games, 0)[0] == after
    with pytest.raises(NotNow, match="it is the turn of "):
        session.preview(0, roof)


def test_a_preview_leaves_out_what_depends_on_hidden_cards():
    """Which tile is taken is drawn; that one is taken is certain."""
    session = session_of("ginkgopolis", ("human", "random"), characters="introductory")
    rng = np.random.default_rng(0)
    found = []
    while len(found) < 3 and not session.over:
        names = {a: session.game.action_name(session.games, 0, a) for a in legal(session)}
        if session.to_play == 0 and "take tile" in names.values():
            found.append(session.preview(0, named(session, "take tile")))
        step(session, rng)
    assert found
    for preview in found:
        assert "+1 tile" in preview["text"]
        assert "tile:" not in preview["text"]


def test_a_preview_of_an_illegal_action_is_refused():
    session = session_of()
    with pytest.raises(IllegalAction, match="you may not play 203 now"):
        session.preview(0, 203)


def test_only_the_seat_to_play_sees_legal_actions():
    session = session_of(seats=("human", "human", "random"))
    assert [action for action, _ in session.view(0)["actions"]] == legal(session)
    assert session.view(1)["actions"] == []
    assert not [part for part in session.view(1)["parts"] if "data-actions" in part["svg"]]


def test_bots_get_positions_that_are_redealt():
    session = session_of("tower_up")
    received = []

    class Nosy:
        name, needs_observations, needs_states = "nosy", False, True

        def seed(self, seed):
            pass

        def act(self, observations, masks, states):
            received.append(states["deck"].copy())
            return masks.argmax(axis=1)

    session._bots[1] = Nosy()
    session.play(0, named(session, "take"))
    rng = np.random.default_rng(0)
    while len(received) < 5:
        step(session, rng)
    decks = {deck.tobytes() for deck in received}
    assert session.games["deck"].tobytes() not in decks
    assert len(decks) == 5


# --------------------------------------------------------------------------------------- undo


def test_an_action_that_revealed_nothing_can_be_undone():
    session = session_of(seats=("human", "human"))
    before = session.games.tobytes()
    session.play(0, named(session, "build"))
    assert session.view(0)["may_undo"]
    assert not session.may_undo(1)
    with pytest.raises(NotNow, match="nothing to undo"):
        session.undo(1)
    version = session.version
    session.undo(0)
    assert session.games.tobytes() == before
    assert session.version > version
    assert session.log == []
    with pytest.raises(NotNow):
        session.undo(0)


def test_with_several_persons_an_action_that_revealed_a_card_cannot_be_undone():
    session = session_of(seats=("human", "human"))
    session.play(0, named(session, "take card"))
    assert not session.view(0)["may_undo"]
    with pytest.raises(NotNow):
        session.undo(0)
    assert len(session.log) == 1


def test_with_several_persons_nothing_is_undone_after_another_seat_has_played():
    session = session_of(seats=("human", "random", "human"))
    session.play(0, named(session, "build"))
    rng = np.random.default_rng(0)
    while session.to_play == 0:
        session.play(0, int(rng.choice(legal(session))))
    session.advance()
    assert not session.view(0)["may_undo"]


def test_against_bots_one_goes_back_to_ones_last_decision_and_the_same_cards_come_again():
    session = session_of("tower_up", ("human", "random", "random"))
    rng = np.random.default_rng(0)
    assert not session.view(0)["may_undo"]
    for _ in range(12):
        step(session, rng)
    while session.to_play != 0:
        session.advance()
    before, action, kept = session.games.tobytes(), named(session, "take card"), len(session.log)
    session.play(0, action)
    after = session.games.tobytes()
    while session.to_play != 0:
        step(session, rng)
    taken = [entry.played.action for entry in session.log[kept:]]
    last = max(k for k, entry in enumerate(session.log) if entry.played.seat == 0)
    session.undo(0)
    while len(session.log) > kept:
        session.undo(0)
    assert session.games.tobytes() == before
    assert sum(len(each["actions"]) for each in session.took_back) == len(taken)
    assert session.took_back[0] == {"ply": last, "actions": taken[last - kept :]}
    assert session.view(0)["took_back"] == len(session.took_back)
    session.play(0, action)
    assert session.games.tobytes() == after


def test_what_was_taken_back_is_a_comment_of_the_replay(tmp_path):
    session = session_of()
    session.play(0, named(session, "take card"))
    session.undo(0)
    session.play(0, named(session, "build"))
    replay = session.replay()
    assert replay.header["took_back"] == [{"ply": 0, "actions": [0]}]
    assert len(list(replays.steps(replay))) == 1
    other = session_of(seed=2)
    other.load(session.save(tmp_path, "back"))
    assert other.took_back == session.took_back
    assert other.games.tobytes() == session.games.tobytes()
    for bad in ([0], [{"ply": 0}], [{"ply": "0", "actions": []}], [{"ply": 0, "actions": ["a"]}]):
        with pytest.raises(PositionError, match="took_back: expected a list of ply and actions"):
            replays.from_actions(session.game, 1, [], took_back=bad)


def test_a_replay_does_not_change_when_more_is_taken_back():
    session, made = session_of(), []
    for _ in range(2):
        session.play(0, named(session, "take card"))
        session.undo(0)
        made.append(session.replay())
    assert [len(replay.header["took_back"]) for replay in made] == [1, 2]


def test_an_undo_that_takes_back_nothing_known_is_no_comment():
    session = session_of()
    session.play(0, named(session, "build"))
    session.undo(0)
    assert session.took_back == []
    assert "took_back" not in session.replay().header


@pytest.mark.parametrize(("name", "seats"), [("ginkgopolis", 1), ("ginkgopolis", 2)])
def test_revealed_agrees_with_observations_of_redealt_positions(name, seats):
    """After an action that revealed nothing, all re-dealt positions give the same observation."""
    game = sprawl_env.game(name, num_players=seats)
    rng = np.random.default_rng(5)
    found, differ = {True: 0, False: 0}, 0
    for games, _ in islice(random_positions(game, 4, every=5), 60):
        if games["over"][0] != NOT_OVER:
            continue
        seat = int(games["to_play"][0])
        action = int(rng.choice(np.flatnonzero(game.legal_actions(games, 0))))
        shown = revealed(game, games, action, seat)
        found[shown] += 1
        seen = set()
        for seed in range(100, 124):
            world = games.copy()
            game.redeal_hidden(world, 0, seed, seat)
            game.play(world, 0, action)
            seen.add(game.observe(world, 0, seat).tobytes())
        assert shown or len(seen) == 1
        differ += shown and len(seen) > 1
    assert min(found.values()) > 3
    assert differ > 0.5 * found[True]  # some revelations change nothing for the seat itself


# ------------------------------------------------------------------------------ play, save, load


@pytest.mark.parametrize(
    ("name", "seats"),
    [("tower_up", ("human", "greedy")), ("ginkgopolis", ("human",))],
)
def test_a_finished_game_is_a_valid_replay(name, seats):
    session = session_of(name, seats)
    rng = np.random.default_rng(2)
    while not session.over:
        step(session, rng)
    view = session.view(0)
    assert view["over"]
    assert view["points"] == session.game.scores(session.games, 0).tolist()
    assert not view["mine"]
    assert not view["bot"]
    replays.verify(session.replay())
    with pytest.raises(NotNow, match="the game is over"):
        session.play(0, 0)
    with pytest.raises(NotNow, match="no bot"):
        session.advance()


def test_a_saved_game_continues_where_it_was(tmp_path):
    session = session_of(seed=7)
    rng = np.random.default_rng(3)
    for _ in range(15):
        step(session, rng)
    path = session.save(tmp_path, "my-game_1")
    assert saves_in(tmp_path) == ["my-game_1.jsonl"]
    other = session_of(seed=8)
    other.load(path)
    assert other.games.tobytes() == session.games.tobytes()
    assert other.view(0)["log"] == session.view(0)["log"]
    assert game_of(path).options == session.game.options
    other.deal()
    assert other.log == []
    assert other.games.tobytes() != session.game.deal(1, 7).tobytes()


def test_saving_deletes_what_killed_processes_left_of_any_saved_game(tmp_path):
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    left = [f".a.jsonl.{files.HOST}.{ended.pid}", f".b.json.{files.HOST}.{ended.pid}"]
    kept = [f".notes.{ended.pid}", f".c.jsonl.{files.HOST}.{os.getppid()}", ".d.jsonl.old"]
    for name in left + kept:
        (tmp_path / name).write_text("")
    session_of().save(tmp_path, "mine")
    assert {path.name for path in tmp_path.iterdir()} == {*kept, "mine.jsonl"}


def test_a_position_is_loaded_and_saved_as_one(tmp_path):
    source = session_of(seed=7)
    rng = np.random.default_rng(3)
    for _ in range(15):
        step(source, rng)
    path = tmp_path / "middle.json"
    path.write_text(source.game.to_json(source.games))
    session = session_of(seed=8)
    session.load(path)
    assert session.games.tobytes() == source.games.tobytes()
    assert game_of(path).name == "tower_up"
    step(session, rng)
    kept = session.save(tmp_path, "later")
    assert kept.name == "later.json"
    assert session.game.from_json(kept.read_text()).tobytes() == session.games.tobytes()
    with pytest.raises(NotNow, match="has no replay"):
        session.replay()


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "expected a header"),
        ('{"format": 1}\n{}\n', "expected a header"),
        (
            replays.dump(replays.record_random(sprawl_env.game("tower_up", max_turns=4), 1)),
            "options",
        ),
    ],
)
def test_a_file_that_cannot_be_loaded_changes_nothing(tmp_path, content, says):
    session = session_of()
    session.play(0, named(session, "build"))
    before = session.games.tobytes(), session.version, len(session.log)
    for path in (tmp_path / "bad.jsonl", tmp_path / "bad.json", tmp_path / "none.jsonl"):
        if path.stem == "bad":
            path.write_text(content)
        with pytest.raises(PositionError, match=says if path.name == "bad.jsonl" else None):
            session.load(path)
    assert (session.games.tobytes(), session.version, len(session.log)) == before


def test_an_illegal_action_changes_nothing():
    session = session_of()
    before = session.games.tobytes()
    for action in (-1, 10**6, 250):
        with pytest.raises(IllegalAction, match="may not play"):
            session.play(0, action)
    with pytest.raises(NotNow, match="it is the turn of "):
        session.play(1, legal(session)[0])
    assert session.games.tobytes() == before


def test_the_number_of_seats_must_fit_and_one_must_be_a_person():
    game = sprawl_env.game("tower_up")
    for seats in (("random", "greedy"), ("human",), ("human",) * 3, ()):
        with pytest.raises(InvalidOption, match="expected 2 seats, 'human' among them"):
            Session(game, seats)


# ---------------------------------------------------------------------------------- the server


@pytest.fixture
def table(tmp_path):
    """A session, and a client that sends what the page sends."""
    session = session_of()
    server = PlayServer(session, TOKEN, tmp_path)
    client = TestClient(server.app(), base_url=f"http://{HOST}", raise_server_exceptions=False)
    return session, client


def post(client, what, body=None, **changes):
    """Send a request as the page does."""
    version = client.get(f"/{TOKEN}/api/view").json()["version"]
    content = {"version": version, **(body or {})}
    return client.post(f"/{TOKEN}/api/{what}", json=content, headers={**ORIGIN, **changes})


def test_the_page_and_its_files_are_served_with_strict_headers(table):
    _, client = table
    for name in ("", "page.css", "play.css", "parts.js", "play.js"):
        answer = client.get(f"/{TOKEN}/{name}")
        assert answer.status_code == 200
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cache-control"] == "no-store"
    assert "onclick" not in client.get(f"/{TOKEN}/").text


def test_a_game_is_played_by_requests(table):
    session, client = table
    answer = post(client, "play", {"action": named(session, "build")})
    assert answer.status_code == 200
    assert answer.json() == session.view(0)
    assert len(session.log) == 1
    preview = post(client, "preview", {"action": legal(session)[0]})
    assert preview.json() == {"preview": session.preview(0, legal(session)[0])}
    assert post(client, "preview", {"action": 999}).status_code == 422
    old = post(client, "preview", {"action": legal(session)[0], "version": -1})
    assert (old.status_code, old.json()) == (200, {"preview": None})  # the page has moved on
    assert post(client, "preview", {"action": "1"}).status_code == 400
    assert len(session.log) == 1
    assert post(client, "undo").json()["log"] == []
    hint = post(client, "hint", {"name": "greedy"}).json()
    assert [advice["action"] in legal(session) for advice in hint["hint"]] == [True]
    assert hint["says"] == f"greedy would play: {hint['hint'][0]['says']}"
    assert post(client, "save", {"name": "one"}).json()["says"].endswith("one.jsonl")
    (one,) = client.get(f"/{TOKEN}/api/saves").json()["saves"]
    assert (one["name"], one["damaged"]) == ("one.jsonl", "")
    assert one["says"].startswith("one: human random, ply 0, 20")
    post(client, "play", {"action": named(session, "take card")})
    assert len(session.log) == 1
    assert post(client, "load", {"name": "one.jsonl"}).json()["log"] == []
    assert post(client, "deal").status_code == 200


@pytest.mark.parametrize("name", ["tower_up", "ginkgopolis"])
def test_lines_of_the_log_that_the_page_has_are_not_sent_again(tmp_path, name):
    session = session_of(name, ("human", "random", "random"))
    server = PlayServer(session, TOKEN, tmp_path)
    client = TestClient(server.app(), base_url=f"http://{HOST}", raise_server_exceptions=False)
    rng, lines, told_again, sent = np.random.default_rng(3), [], 0, []
    while not session.over and len(sent) < 90:
        body = {"log_of": 0}
        if session.to_play != 0:
            what = "advance"
        elif session.may_undo(0) and rng.random() < 0.15:
            what = "undo"
        else:
            what, body["action"] = "play", int(rng.choice(legal(session)))
        plies = len(session.log)
        found = post(client, what, body).json()
        told_again += what != "undo" and found["log_from"] < plies
        lines = [line for line in lines if line["ply"] < found["log_from"]] + found["log"]
        assert lines == client.get(f"/{TOKEN}/api/view").json()["log"]
        sent.append(len(found["log"]))
    assert np.mean(sent) < 8 < len(lines)
    assert (told_again > 0) == (name == "ginkgopolis")  # choices that were hidden before
    assert len(post(client, "deal", {"log_of": 0}).json()["log"]) == 0
    for log_of in (1, "0", None, 7):  # another seat's log, or none
        if session.to_play == 0:
            found = post(client, "play", {"action": legal(session)[0], "log_of": log_of}).json()
        else:
            found = post(client, "advance", {"log_of": log_of}).json()
        assert found == session.view(0)


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/wrong/", {}, 403),
        ("/wrong/api/view", {}, 403),
        ("/wrong/play.js", {}, 403),
        ("/%C3%A9/api/view", {}, 403),
        (f"/{TOKEN}/api/view", {"Host": "evil.example"}, 403),
        (f"/{TOKEN}/api/view", {"Host": "evil.example:8765"}, 403),
        (f"/{TOKEN}/api/view", {"Host": "127.0.0.1.evil.example"}, 403),
        (f"/{TOKEN}/api/nothing", {}, 404),
        (f"/{TOKEN}/play.py", {}, 404),
        (f"/{TOKEN}/..%2fplay.py", {}, 404),
        (f"/{TOKEN}/replay.html", {}, 409),
    ],
)
def test_forged_requests_get_one_line_of_json(table, path, headers, status):
    _, client = table
    answer = client.get(path, headers=headers)
    assert answer.status_code == status
    assert list(answer.json()) == ["error"]
    assert "\n" not in answer.text


def test_an_address_without_its_token_is_a_page_that_says_where_to_look(table):
    _, client = table
    wants = {"Accept": "text/html"}
    for answer in (client.get("/"), client.get("/wrong/", headers=wants)):
        assert answer.status_code == 403
        assert answer.headers["content-type"].startswith("text/html")
        assert "sprawl-env play" in answer.text
        assert TOKEN not in answer.text


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": f"https://{HOST}"}, 403),
        ({"Origin": "http://127.0.0.1:1"}, 403),
        ({"Content-Type": "text/plain"}, 415),
    ],
)
def test_only_the_page_itself_may_change_anything(table, headers, status):
    session, client = table
    before = session.games.tobytes()
    answer = post(client, "play", {"action": legal(session)[0]}, **headers)
    assert answer.status_code == status
    assert session.games.tobytes() == before
    bare = client.post(f"/{TOKEN}/api/play", json={"version": 1, "action": 0})
    assert bare.status_code == 403


@pytest.mark.parametrize(
    ("what", "body", "status", "says"),
    [
        ("play", {"action": 9999}, 422, "may not play 9999"),
        ("play", {"action": -1}, 422, "may not play -1"),
        ("play", {"action": "0"}, 400, "action: expected a whole number"),
        ("play", {"action": True}, 400, "action: expected a whole number"),
        ("play", {"action": 1.0}, 400, "action: expected a whole number"),
        ("play", {"action": 10**400}, 422, "may not play"),
        ("play", {}, 400, "action: expected a whole number"),
        ("play", {"action": 0, "version": 99}, 409, "the game has changed"),
        ("play", {"action": 0, "version": None}, 409, "the game has changed"),
        ("advance", {}, 409, "no bot is to play"),
        ("undo", {}, 409, "nothing to undo"),
        ("hint", {"name": "os:system"}, 409, "hint 'os:system': expected one of greedy"),
        ("hint", {"name": ["greedy"]}, 400, "name: expected text"),
        ("save", {"name": "../x"}, 422, "expected 1..40 letters"),
        ("save", {"name": "a/b"}, 422, "expected 1..40 letters"),
        ("save", {"name": "x\n"}, 422, "expected 1..40 letters"),
        ("save", {"name": ""}, 422, "expected 1..40 letters"),
        ("load", {"name": "../../etc/passwd"}, 409, "no such saved game"),
        ("load", {"name": "bad.jsonl"}, 422, "expected a header"),
        ("nothing", {}, 404, "not found"),
    ],
)
def test_a_request_that_is_not_allowed_is_refused(table, tmp_path, what, body, status, says):
    session, client = table
    (tmp_path / "bad.jsonl").write_text("{}\n{}\n")
    before = session.games.tobytes(), session.version
    answer = post(client, what, body)
    assert answer.status_code == status
    assert says in answer.json()["error"]
    assert "\n" not in answer.json()["error"]
    assert (session.games.tobytes(), session.version) == before
    assert [path.name for path in tmp_path.iterdir()] == ["bad.jsonl"]


@pytest.mark.parametrize(
    ("content", "status"),
    [
        (b"", 400),
        (b"[1]", 400),
        (b"{", 400),
        (b"\xff", 400),
        (b"[" * 2000, 400),
        (b" " * (MAX_BYTES + 1), 413),
    ],
)
def test_an_invalid_body_is_refused(table, content, status):
    _, client = table
    headers = {**ORIGIN, "Content-Type": "application/json"}
    answer = client.post(f"/{TOKEN}/api/play", content=content, headers=headers)
    assert answer.status_code == status
    assert list(answer.json()) == ["error"]


def test_a_bot_that_fails_is_reported_in_one_line_and_can_try_again(table):
    session, client = table

    class Broken:
        name, needs_observations, needs_states = "broken", False, False

        def seed(self, seed):
            pass

        def act(self, observations, masks, states):
            raise RuntimeError("no\nidea")

    good, session._bots[1] = session._bots[1], Broken()
    while session.to_play == 0:
        session.play(0, legal(session)[0])
    answer = post(client, "advance")
    assert answer.status_code == 422
    said = answer.json()["error"]
    assert said.startswith("bot broken raised RuntimeError: no idea (test_play.py, line ")
    session._bots[1] = good
    assert post(client, "advance").status_code == 200


def test_two_persons_share_a_screen_and_see_one_seat_at_a_time(tmp_path):
    session = session_of("ginkgopolis", ("human", "human"))
    client = TestClient(PlayServer(session, TOKEN, tmp_path).app(), base_url=f"http://{HOST}")
    assert client.get(f"/{TOKEN}/api/view").json()["seat"] == 0
    while session.to_play == 0:
        answer = post(client, "play", {"action": legal(session)[0], "log_of": 0})
    assert answer.json()["curtain"]
    assert answer.json()["seat"] == 0
    assert not {"parts", "log", "actions", "points"} & answer.json().keys()
    assert post(client, "at", {"ply": 0}).status_code == 409
    assert post(client, "play", {"action": legal(session)[0]}).status_code == 409
    shown = post(client, "hand_over", {"log_of": 0}).json()
    assert shown == session.view(1)  # with the whole log: the page had that of another seat
    assert (shown["seat"], len(shown["log"])) == (1, len(session.log))
    assert post(client, "play", {"action": legal(session)[0]}).status_code == 200


def test_persons_without_secrets_share_a_screen_without_a_curtain(tmp_path):
    session = session_of("tower_up", ("human", "human"))
    client = TestClient(PlayServer(session, TOKEN, tmp_path).app(), base_url=f"http://{HOST}")
    seats = []
    for _ in range(6):
        view = client.get(f"/{TOKEN}/api/view").json()
        assert view["mine"]
        seats.append(view["seat"])
        post(client, "play", {"action": legal(session)[0]})
    assert set(seats) == {0, 1}


def test_at_one_screen_the_person_who_has_just_decided_may_undo(tmp_path):
    for name, curtain in (("tower_up", False), ("ginkgopolis", True)):
        session = session_of(name, ("human", "human"))
        client = TestClient(PlayServer(session, TOKEN, tmp_path).app(), base_url=f"http://{HOST}")
        before, action = session.games.tobytes(), legal(session)[0]
        if not curtain:
            action = named(session, "build")  # reveals nothing
        view = post(client, "play", {"action": action}).json()
        assert (view["seat"], view["curtain"]) == (0, True) if curtain else (1, False)
        assert view["may_undo"]
        view = post(client, "undo").json()
        assert (view["seat"], view["mine"], session.log) == (0, True, [])
        assert session.games.tobytes() == before
        post(client, "play", {"action": action})
        assert post(client, "hand_over").json()["may_undo"] is not curtain


def test_a_seat_that_chooses_after_others_is_told_so():
    session = session_of("ginkgopolis", ("random", "human", "human"))
    assert session.to_play == 0
    assert [session.question(seat) for seat in (1, 2)] == ["the others choose first, then you"] * 2
    while session.to_play != 2:
        step(session, np.random.default_rng(0))
    assert session.question(1) == "waiting for the others to pick a character"
    assert session.question(2) == session.game.question(session.games)


def test_earlier_positions_are_shown_as_the_seat_may_see_them(tmp_path):
    session = session_of("ginkgopolis", ("human", "random"), seed=4)
    client = TestClient(PlayServer(session, TOKEN, tmp_path).app(), base_url=f"http://{HOST}")
    rng = np.random.default_rng(0)
    names, after, shown = {}, {}, {}
    for ply in range(20):
        step(session, rng)
        after[ply] = session.games.copy()
        names[ply] = [part["name"] for part in session.view(0)["parts"]]
    for ply in (0, 7, 19):
        parts = post(client, "at", {"ply": ply}).json()["parts"]
        assert [part["name"] for part in parts if part["name"] != "answers"] == [
            name for name in names[ply] if name != "answers"
        ]
        assert not [part for part in parts if "data-actions" in part["svg"]]
        shown[ply] = {part["name"]: part["svg"] for part in parts}
        view = replace(
            session.game.view(after[ply], 0, 0, session.log[ply].played),
            names={},
            seats=tuple(session.names(0)),
            before=(session.log[ply].before,),
        )
        drawn = parts_of(picture_of_view(session.game, after[ply], 0, view))
        assert shown[ply] == {part["name"]: part["svg"] for part in drawn}
    assert shown[0] != shown[7] != shown[19]
    for bad, status in ((20, 409), (-1, 409), ("0", 400)):
        assert post(client, "at", {"ply": bad}).status_code == status


@pytest.mark.parametrize("name", ["tower_up", "ginkgopolis", "urban_sprawl"])
def test_each_game_has_a_guide_whose_parts_exist(name, tmp_path):
    session = session_of(name)
    client = TestClient(PlayServer(session, TOKEN, tmp_path).app(), base_url=f"http://{HOST}")
    sections = client.get(f"/{TOKEN}/api/guide").json()["sections"]
    assert len(sections) >= 6
    names = [part["name"] for part in session.view(0)["parts"]]
    for section in sections:
        part = section["part"]
        assert part in {"", "hal"} or any(n.startswith(part) for n in names), part
    assert sum(section["svg"] != "" for section in sections) >= 2


def test_a_search_gives_its_three_best_actions_with_reasons():
    session = session_of(hints=("mcts:sims=40", "planner", "greedy"))
    best = session.hint(0, "mcts:sims=40")
    assert len(best) == 3
    assert len({advice.action for advice in best}) == 3
    assert all("%" in advice.why and "value" in advice.why for advice in best)
    shares = [float(advice.why.partition("%")[0]) for advice in best]
    assert shares == sorted(shares, reverse=True)
    assert "rating" in session.hint(0, "planner")[0].why
    assert [advice.why for advice in session.hint(0, "greedy")] == [""]


def test_the_game_is_saved_by_itself_and_resumed(tmp_path):
    command = play.Play(saves=tmp_path, seats=("human", "random"), seed=3)
    session = play.new_session(command)
    client = TestClient(PlayServer(session, TOKEN, tmp_path).app(), base_url=f"http://{HOST}")
    post(client, "play", {"action": named(session, "build")})
    assert saves_in(tmp_path) == ["autosave-tower_up.jsonl"]
    again = play.new_session(play.Play(saves=tmp_path, resume=True))
    assert again.seats == ("human", "random")
    assert again.games.tobytes() == session.games.tobytes()
    session.undo(0)  # the first action
    again = play.new_session(play.Play(saves=tmp_path, resume=True))
    assert (again.log, again.games.tobytes()) == ([], session.games.tobytes())
    with pytest.raises(InvalidOption, match="use one of the two"):
        play.new_session(play.Play(saves=tmp_path, resume=True, load=tmp_path / "x.jsonl"))
    with pytest.raises(PositionError, match="there is no saved game in"):
        play.new_session(play.Play(saves=tmp_path / "empty", resume=True))
    for changes, says in (
        ({"game": "ginkgopolis"}, "autosave-tower_up.jsonl is of tower_up, not ginkgopolis"),
        ({"seats": ("human", "planner")}, "has the seats human random: leave them out"),
    ):
        with pytest.raises(InvalidOption, match=says):
            play.new_session(play.Play(saves=tmp_path, resume=True, **changes))


def test_a_game_that_cannot_be_saved_by_itself_goes_on_and_says_so(tmp_path, monkeypatch, capsys):
    session = session_of("tower_up")
    session.autosaves = tmp_path / "taken" / "saves"
    (tmp_path / "taken").write_text("a file", encoding="utf-8")
    session.play(0, named(session, "build"))
    assert session.view(0)["unsaved"].startswith("the game is not saved by itself: '")
    play_terminal(session, tmp_path, [str(legal(session)[0])])
    assert capsys.readouterr().out.count("the game is not saved by itself") == 1
    with pytest.raises(InvalidOption, match="cannot be written"):
        session.save(tmp_path / "taken" / "saves", "mine")
    session.autosaves = tmp_path
    rng = np.random.default_rng(0)
    while not saves_in(tmp_path):
        step(session, rng)
    assert session.view(0)["unsaved"] == ""


def test_a_saved_game_chooses_no_module_and_no_file_for_a_seat(tmp_path, monkeypatch):
    (tmp_path / "own_bot.py").write_text("raise AssertionError\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    session = session_of()
    for bot in ("own_bot:Bot", "torch:own_bot:make", "sb3:x.zip,trust=yes", "checkpoint:x",
                "search:agent=checkpoint:x"):  # fmt: skip
        session.seats = ("human", bot)
        session.save(tmp_path, "mine")
        with pytest.raises(InvalidOption, match=r"no saved game decides .*: add --seats human"):
            play.new_session(play.Play(saves=tmp_path, resume=True))
    assert "own_bot" not in sys.modules
    for bot in ("mcts:sims=2", "planner", "agent:tower_up/quick"):
        session.seats = ("human", bot)
        session.save(tmp_path, "mine")
        assert play.new_session(play.Play(saves=tmp_path, resume=True)).seats == session.seats


def test_a_game_that_is_loaded_keeps_its_seats(tmp_path):
    session_of("ginkgopolis", ("random", "human")).save(tmp_path, "mine")
    load = tmp_path / "mine.jsonl"
    assert play.new_session(play.Play(load=load)).seats == ("random", "human")
    other = ("human", "greedy")
    assert play.new_session(play.Play(load=load, seats=other)).seats == other
    session = session_of()
    session.seats = ("human", "own_bot:Bot")
    session.save(tmp_path, "own")
    with pytest.raises(InvalidOption, match=r"load: own.jsonl has own_bot:Bot in a seat"):
        play.new_session(play.Play(load=tmp_path / "own.jsonl"))


def test_a_game_in_which_nobody_plays_is_loaded_with_the_usual_seats(tmp_path):
    session_of(seats=("human", "random", "random")).save(tmp_path, "three")
    for name, bots, count in (("two", ("random", "random"), 2), ("four", ("random",) * 4, 4)):
        game = sprawl_env.game("tower_up", num_players=count)
        (tmp_path / f"{name}.json").write_text(game.to_json(game.deal()), encoding="utf-8")
        text = replays.dump(replays.from_actions(game, 1, [], bots=list(bots)))
        (tmp_path / f"{name}.jsonl").write_text(text, encoding="utf-8")
    for kind in ("json", "jsonl"):
        assert play.new_session(play.Play(load=tmp_path / f"two.{kind}")).seats == play.USUAL_SEATS
        with pytest.raises(InvalidOption, match=r"has 4 seats and nobody plays one: add --seats"):
            play.new_session(play.Play(load=tmp_path / f"four.{kind}"))


def test_a_position_is_resumed_with_seats_that_are_given(tmp_path):
    game = sprawl_env.game("tower_up", num_players=3)
    (tmp_path / "mine.json").write_text(game.to_json(game.deal()), encoding="utf-8")
    with pytest.raises(InvalidOption, match="is a position and names no seats: add --seats"):
        play.new_session(play.Play(saves=tmp_path, resume=True))
    seats = ("human", "random", "random")
    assert play.new_session(play.Play(saves=tmp_path, resume=True, seats=seats)).seats == seats


def test_a_game_of_ones_own_cards_is_resumed_with_them(tmp_path):
    data = tmp_path / "cards"
    shutil.copytree(Path(sprawl_env.__file__).parent / "games/urban_sprawl/data", data)
    table = next(data.glob("*.toml"))
    table.write_text(table.read_text(encoding="utf-8") + "\n# mine\n", encoding="utf-8")
    own = {"saves": tmp_path / "saves", "options": (f"data={data}",)}
    first = play.new_session(play.Play(game="urban_sprawl", **own))
    while not saves_in(own["saves"]):
        step(first, np.random.default_rng(0))
    again = play.new_session(play.Play(resume=True, **own))
    assert again.game.data_folder == data
    assert again.games.tobytes() == first.games.tobytes()
    with pytest.raises(InvalidOption, match="expected at most data=FOLDER"):
        play.new_session(play.Play(resume=True, saves=own["saves"], options=("max_turns=3",)))


def test_a_flag_that_is_the_default_counts_when_a_game_is_resumed(tmp_path):
    session_of("ginkgopolis", ("human", "random")).save(tmp_path, "mine")
    for changes, says in (
        ({"game": "tower_up"}, "mine.jsonl is of ginkgopolis, not tower_up"),
        ({"seats": ("human", "greedy")}, "has the seats human random: leave them out"),
    ):
        with pytest.raises(InvalidOption, match=says):
            play.new_session(play.Play(saves=tmp_path, resume=True, **changes))


def test_a_saved_game_is_replaced_only_by_itself(tmp_path):
    session, other = session_of(seed=7), session_of("ginkgopolis", seed=7)
    path = session.save(tmp_path, "mine")
    rng = np.random.default_rng(3)
    step(session, rng)
    session.save(tmp_path, "mine")
    kept = path.read_text()
    for each in (other, session_of(seed=8)):
        with pytest.raises(InvalidOption, match="'mine': there is another saved game of this name"):
            each.save(tmp_path, "mine")
    session.deal()
    with pytest.raises(InvalidOption, match="there is another saved game of this name"):
        session.save(tmp_path, "mine")
    assert path.read_text() == kept
    session.load(path)
    step(session, rng)
    session.save(tmp_path, "mine")
    assert path.read_text() != kept


def test_games_of_any_name_are_saved_by_themselves():
    assert autosave_of("tower_up") == "autosave-tower_up"
    names = [
        "lots_with_a_rather_long_research_name",
        "lots_with_a_rather_long_research_name2",
        "städte",
    ]
    found = {autosave_of(name) for name in names}
    assert len(found) == 3
    assert all(SAVE_NAME.fullmatch(name) for name in found)


def test_a_new_game_on_a_shared_screen_shows_no_others_secrets(tmp_path):
    session = session_of("ginkgopolis", ("human", "human"), seed=1)
    client = TestClient(PlayServer(session, TOKEN, tmp_path).app(), base_url=f"http://{HOST}")
    saved = session.save(tmp_path, "first")
    session.play(0, int(session.game.legal_actions(session.games, 0).argmax()))
    post(client, "hand_over")
    for what, body in (("deal", {}), ("load", {"name": saved.name})):
        view = post(client, what, body).json()
        assert (session.to_play, view["curtain"]) == (0, True)
        assert not view.get("actions")
        session.play(0, int(session.game.legal_actions(session.games, 0).argmax()))
        assert client.get(f"/{TOKEN}/api/view").json()["seat"] == 1


def test_saves_of_other_games_are_not_listed(tmp_path, table):
    _, client = table
    session_of("ginkgopolis").save(tmp_path, "other-game")
    session_of(max_turns=9).save(tmp_path, "other-options")
    session_of().save(tmp_path, "mine")
    listed = client.get(f"/{TOKEN}/api/saves").json()["saves"]
    assert [saved["name"] for saved in listed] == ["mine.jsonl"]


def test_the_replay_is_shown_when_the_game_is_over(table):
    session, client = table
    rng = np.random.default_rng(0)
    while not session.over:
        step(session, rng)
    answer = client.get(f"/{TOKEN}/replay.html")
    assert answer.status_code == 200
    assert "DecompressionStream" in answer.text


# ------------------------------------------------------------------------------ the command line


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--game", "tower"], "unknown game 'tower'"),
        (["--seats", "greedy", "random"], "expected 2 seats, 'human' among them"),
        (["--seats", "human", "gredy"], " 'gredy'"),
        (["--seats", "human"], "seats: expected 2..4 names for tower_up, got 1"),
        (["--seats", *["human"] * 5], "seats: expected 2..4 names for tower_up, got 5"),
        (["--hints", "gredy"], " 'gredy'"),
        (["--options", "board"], "expected name=value"),
        (["--seed", "-1"], "seed=-1: expected a whole number"),
        (["--port", "70000"], "port=70000: expected 0..65535"),
        (["--load", "none.jsonl"], "none.jsonl: cannot be read"),
        (["--load", "bad.json"], "bad.json: expected a position or a replay"),
        (["--load", "pairs.json"], "pairs.json: expected a position or a replay"),
        (["--load", "."], ".: cannot be read"),
        (
            ["--load", "one.json", "--game", "ginkgopolis"],
            "load: one.json is of tower_up, not ginkgopolis: leave --game out",
        ),
        (
            ["--load", "bad.json", "--options", "a=1"],
            "a saved game has its own: expected at most data",
        ),
    ],
)
def test_bad_input_is_one_line(tmp_path, monkeypatch, capsys, arguments, says):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.json").write_text("[]")
    (tmp_path / "pairs.json").write_text('{"game": "tower_up", "options": [["a", 1]], "state": {}}')
    game = sprawl_env.game("tower_up")
    (tmp_path / "one.json").write_text(game.to_json(game.deal()))
    monkeypatch.setattr("sys.argv", ["play", *arguments])
    with pytest.raises(SystemExit) as left:
        run(play.main, play.Play)
    assert left.value.code == 2
    err = capsys.readouterr().err
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert says in err


def test_a_port_in_use_is_one_line():
    used = play._socket(0)
    used.listen()
    with used, pytest.raises(InvalidOption, match="choose another, or 0 for any free one"):
        play._socket(used.getsockname()[1])


# -------------------------------------------------------------------------------- the terminal


def play_terminal(session, tmp_path, answers):
    """Play with scripted input; a callable one is called with the session."""
    given = iter(answers)

    def ask(prompt):
        try:
            answer = next(given)
        except StopIteration:
            raise EOFError from None
        return answer(session) if callable(answer) else answer

    play_in_terminal(session, tmp_path, ask)


def test_a_whole_game_in_the_terminal(tmp_path, capsys):
    session = session_of("tower_up", max_turns=12)
    play_terminal(session, tmp_path, [lambda s: str(legal(s)[0])] * 100)
    assert session.over
    out = capsys.readouterr().out
    assert "\n  random takes card " in out or "\n  random builds " in out
    assert "The game is over; scores: you " in out


def test_the_terminal_executes_commands_and_refuses_other_input(tmp_path, capsys):
    session = session_of()
    build = str(named(session, "build"))
    answers = ["99999", "xyzzy", "take", "hint", "hint os:system", build, "undo", "save one"]
    play_terminal(session, tmp_path, [*answers, "save ../x", "log", "board", "quit", build])
    out = capsys.readouterr().out
    assert "error: you may not play 99999 now" in out
    assert "'xyzzy': no legal action contains this" in out
    assert "greedy would play" in out
    assert "error: hint 'os:system'" in out
    assert saves_in(tmp_path) == ["one.jsonl"]
    assert session.log == []


def test_persons_without_secrets_see_only_news_in_the_terminal(tmp_path, capsys):
    session = session_of("tower_up", ("human", "human"))
    answers = [lambda s: str(named(s, "build")), lambda s: str(named(s, "roof"))] * 2
    play_terminal(session, tmp_path, [*answers, "undo", "9" * 5000])
    out = capsys.readouterr().out
    assert out.count("Type an action's number") == 2  # at the start, and of what is not understood
    assert len(session.log) == 3


def test_persons_with_secrets_undo_in_the_terminal_before_they_hand_over(tmp_path):
    session = session_of("ginkgopolis", ("human", "human"))
    first = session.games.tobytes()
    chosen = [lambda s: str(legal(s)[0])]
    play_terminal(session, tmp_path, [*chosen, "undo"])
    assert session.games.tobytes() == first
    play_terminal(session, tmp_path, [*chosen, "", *chosen])
    assert len(session.log) == 2


# --------------------------------------------------------------------------------- the browser


@contextmanager
def served(session, saves):
    """Serve a session over HTTP; yields the address of the page."""
    listening = play._socket(0)
    started = threading.Event()
    server = PageServer(PlayServer(session, TOKEN, saves).app(), started.set)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    assert started.wait(10)
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/{TOKEN}/"
    finally:
        server.should_exit = True
        thread.join(10)
        listening.close()


def set_pace(page, pace):
    page.click("#open-menu")
    page.select_option("#pace", pace)
    page.click("#settings [data-close]")


def ready(page):
    page.wait_for_selector("#decision.mine, #after:not(.hidden)")
    return page.locator("#after:visible").count() == 0


def click_a_target(page, number):
    """Click a target on the board and, if it has several actions, one of them in the menu."""
    version = page.get_attribute("body", "data-version")
    targets = page.locator("main .target")
    chosen = targets.nth(number % targets.count())
    ids = chosen.get_attribute("data-actions").split()
    chosen.click()
    if len(ids) > 1:
        choices = page.locator("#menu button")
        assert choices.count() == len(ids)
        choices.nth(number % len(ids)).click()
    page.wait_for_selector(f"body:not([data-version='{version}'])")


@pytest.mark.long
def test_a_browser_plays_a_whole_game_by_clicking_and_is_reloaded_in_the_middle(tmp_path):
    session = session_of("tower_up", ("human", "greedy"), seed=3)
    with served(session, tmp_path) as url, open_url(url) as page:
        set_pace(page, "0")
        clicks = 0
        while ready(page):
            click_a_target(page, 3 * clicks)
            clicks += 1
            if clicks == 5:
                ready(page)
                before = page.inner_text("#log"), page.inner_html("#board .part")
                page.reload()
                ready(page)
                assert (page.inner_text("#log"), page.inner_html("#board .part")) == before
                set_pace(page, "0")
        assert session.over
        assert clicks > 10
        assert page.locator("#log li[data-ply]").count() == len(session.view(0)["log"])
        assert "wins" in page.inner_text("#prompt")
        scores = session.game.scores(session.games, 0).tolist()
        rows = page.locator("#seats li").all()
        names = [row.evaluate("row => row.lastChild.textContent") for row in rows]
        assert names == [f"you: {scores[0]}", f"greedy: {scores[1]}"]
        with page.expect_popup() as opened:
            page.click("#replay")
        viewer = opened.value
        viewer.wait_for_selector("#board svg")
        viewer.keyboard.press("End")
        totals = viewer.locator("#sides td:last-child").all_inner_texts()
        assert totals == [str(score) for score in scores]


def test_a_browser_undoes_shows_hints_saves_loads_and_lists(tmp_path):
    session = session_of("tower_up", ("human", "random"), seed=3)
    with served(session, tmp_path) as url, open_url(url, "status of 422") as page:
        set_pace(page, "-1")
        ready(page)
        assert page.is_disabled("#undo")
        page.click("#list")
        assert page.locator("#choices button").count() == len(legal(session))
        page.click(f"#choices button[data-action='{named(session, 'build')}']")
        page.wait_for_selector("#log li")
        page.keyboard.press("u")
        page.wait_for_selector("#log:not(:has(li))", state="attached")
        page.keyboard.press("h")
        page.wait_for_selector("main .target.hinted")
        assert "greedy would play: " in page.inner_text("#message")
        page.click("#open-menu")
        page.fill("#name", "mine")
        page.click("#save")
        page.wait_for_selector("#saves option", state="attached")
        assert "mine.jsonl" in page.inner_text("#settings-says")  # the page behind is inert
        page.click("#settings [data-close]")
        while page.locator("#decision.mine").count():
            click_a_target(page, 0)
        page.wait_for_timeout(300)
        assert page.locator("#log li[data-ply]").count() == len(session.view(0)["log"])
        rows = page.locator("#log li").count()
        page.click("#next")
        page.wait_for_selector(f"#log li:nth-child({rows + 1})")
        (tmp_path / "broken.jsonl").write_text("{}")
        page.click("#open-menu")
        page.fill("#name", "other")
        page.click("#save")
        page.wait_for_selector("#saves option[value='broken.jsonl']:disabled", state="attached")
        page.select_option("#saves", "mine.jsonl")
        page.once("dialog", lambda dialog: dialog.accept())  # the game has begun
        page.click("#load")
        page.wait_for_selector("#log:not(:has(li))", state="attached")
        assert page.locator("#settings[open]").count() == 0
        assert page.inner_text("#message") == "loaded mine.jsonl"
        page.click("#open-menu")
        page.fill("#name", "not allowed")
        page.click("#save")
        page.wait_for_selector("#settings-says.error")
        assert "expected 1..40 letters" in page.inner_text("#settings-says")
        page.click("#settings [data-close]")
        assert ready(page)


@pytest.mark.long
def test_a_browser_of_ginkgopolis_never_receives_what_is_hidden(tmp_path):
    session = session_of("ginkgopolis", ("human", "random", "random"), seed=12345678)
    received = []

    def keep(answer):  # the library sets attributes on handlers, which a list's method refuses
        received.append(answer)

    with served(session, tmp_path) as url, open_url(url) as page:
        page.on("response", keep)
        set_pace(page, "0")
        for k in range(12):
            assert ready(page)
            click_a_target(page, k)
        ready(page)
        answers = [answer for answer in received if "/api/" in answer.url]
        texts = [answer.text() for answer in answers if not answer.url.endswith("saves")]
    assert len(texts) > 24
    for text in texts:
        assert "12345678" not in text
        view = json.loads(text)
        if view.keys() == {"preview"}:  # where the pointer rested
            continue
        assert view["seat"] == 0, text
        assert view["mine"] or not view["actions"]
        assert view["points"][1:] == [None, None]
        of_others = "".join(part["svg"] for part in view["parts"] if part["seat"] in (1, 2))
        assert of_others.count("screen closed") == 2
        others = [line["text"] for line in view["log"] if line["seat"] > 0]
        assert not [text for text in others if " drafts " in text and "a character" not in text]


REACHABLE = """target => {
  const box = target.getBoundingClientRect();
  for (const down of [0.5, 0.25, 0.75, 0.1, 0.9]) {
    for (const right of [0.5, 0.25, 0.75, 0.1, 0.9]) {
      const point = [box.left + right * box.width, box.top + down * box.height];
      const hit = document.elementFromPoint(...point);
      if (hit && hit.closest(".target") === target) return point;
    }
  }
  return null;
}"""


@pytest.mark.long
def test_a_browser_can_click_every_target_of_urban_sprawl(tmp_path):
    session = session_of("urban_sprawl", ("human", "random"), seed=2)
    with served(session, tmp_path) as url, open_url(url) as page:
        set_pace(page, "0")
        for k in range(16):
            assert ready(page)
            targets = page.locator("main .target").all()
            points = [target.evaluate(REACHABLE) for target in targets[:: 1 + len(targets) // 8]]
            assert None not in points, page.inner_text("#prompt")
            version = page.get_attribute("body", "data-version")
            page.mouse.click(*points[k % len(points)])
            menu = page.locator("#menu button:visible")
            if menu.count():
                menu.first.click()
            page.wait_for_selector(f"body:not([data-version='{version}'])")


def test_a_saved_game_keeps_what_a_search_considered(tmp_path):
    session = session_of(seats=("human", "mcts:sims=10"), max_turns=4)
    rng = np.random.default_rng(1)
    for _ in range(8):
        step(session, rng)
    counts = [len(ply.visits) for ply in session.replay().plies]
    assert counts == [ply.legal * (ply.seat == 1) for ply in session.replay().plies]
    assert any(counts)
    path = session.save(tmp_path, "searched")
    session.load(path)
    assert [len(ply.visits) for ply in session.replay().plies] == counts
