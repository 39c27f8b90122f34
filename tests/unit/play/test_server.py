"""The page's server against clients that misbehave, and against damaged saved games."""

import asyncio
import json
import logging
import os
import socket
import threading
import time
from contextlib import contextmanager

import numpy as np
import pytest

pytest.importorskip("tyro")
pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

import sprawl_env
from sprawl_env import replays
from sprawl_env.commands import play
from sprawl_env.core.errors import InvalidOption, PositionError
from sprawl_env.play import connections, server
from sprawl_env.play.connections import MAX_CONNECTIONS, MAX_HEADER_BYTES, PageServer
from sprawl_env.play.saves import SavedGames, saves_in
from sprawl_env.play.server import MAX_BYTES, PlayServer
from sprawl_env.play.session import Session

TOKEN = "a-token"


def session_of(seed=1):
    game = sprawl_env.game("tower_up", num_players=2, max_turns=6)
    return Session(game, ("human", "random"), (), seed)


@contextmanager
def served(session, saves):
    """Serve a session; yields the port."""
    started = threading.Event()
    with play._socket(0) as listening:
        running = PageServer(PlayServer(session, TOKEN, saves).app(), started.set)
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        assert started.wait(10)
        try:
            yield listening.getsockname()[1]
        finally:
            running.should_exit = True
            thread.join(10)


@pytest.fixture
def port(tmp_path, monkeypatch):
    monkeypatch.setattr(connections, "HEADER_SECONDS", 0.3)
    monkeypatch.setattr(server, "BODY_SECONDS", 0.3)
    with served(session_of(), tmp_path) as port:
        yield port


def connect(port):
    return socket.create_connection(("127.0.0.1", port), timeout=5)


def received(client):
    """Return everything that the server sends until it closes the connection."""
    parts = []
    try:
        while part := client.recv(65536):
            parts.append(part)
    except ConnectionResetError:
        pass
    return b"".join(parts)


def header(port, what="GET", path="api/view", **more):
    lines = [f"{what} /{TOKEN}/{path} HTTP/1.1", f"Host: 127.0.0.1:{port}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in more.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def post_header(port, **more):
    origin = {"Origin": f"http://127.0.0.1:{port}", "Content_Type": "application/json"}
    return header(port, "POST", "api/undo", **origin, **more)


def answers(port):
    """Whether the server answers a request."""
    with connect(port) as client:
        client.sendall(header(port, Connection="close"))
        return received(client).startswith(b"HTTP/1.1 200")


# ---------------------------------------------------------------------------------- connections


def test_the_address_is_announced_once_connections_are_accepted(tmp_path, monkeypatch):
    lines, connected, opened = [], [], []

    class Stopped(PageServer):
        async def startup(self, sockets=None):
            await super().startup(sockets)
            self.should_exit = True

    def say(line):
        lines.append(line)
        if "http" in line:
            with connect(int(line.rpartition(":")[2].partition("/")[0])):
                connected.append(True)

    monkeypatch.setattr(play, "say", say)
    monkeypatch.setattr(play, "_has_browser", lambda: True)
    monkeypatch.setattr(play.webbrowser, "open", opened.append)
    monkeypatch.setattr(connections, "PageServer", Stopped)
    play.serve(session_of(), play.Play(saves=tmp_path, port=0))
    assert connected == [True]
    assert lines[1] == "Ctrl-C ends it."
    assert lines[0].endswith(opened[0])


def test_a_port_that_another_process_will_listen_on_is_one_line():
    with play._socket(0) as used, pytest.raises(InvalidOption, match="choose another"):
        play._socket(used.getsockname()[1])


@pytest.mark.parametrize("begun", [b"", b"GET /a-token/ HTTP/1.1\r\nHost: 127"])
def test_a_header_that_does_not_end_closes_the_connection(port, begun):
    with connect(port) as client:
        client.sendall(begun)
        start = time.monotonic()
        assert received(client) == b""
        assert time.monotonic() - start < 3
    assert answers(port)


def test_a_second_header_that_does_not_end_closes_the_connection(port):
    with connect(port) as client:
        client.sendall(header(port))
        assert client.recv(65536).startswith(b"HTTP/1.1 200")
        time.sleep(0.5)  # the connection is kept
        client.sendall(header(port, path=""))
        answer = b""
        while b"</html>" not in answer:  # it may come in parts
            answer += client.recv(65536)
        client.sendall(b"GET /")
        start = time.monotonic()
        received(client)
        assert time.monotonic() - start < 3


def test_a_long_header_is_refused(port):
    with connect(port) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: " + b"x" * 2 * MAX_HEADER_BYTES)
        assert b" 400 " in received(client).splitlines()[0]


def test_connections_are_limited(tmp_path):
    with served(session_of(), tmp_path) as port:
        clients = [connect(port) for _ in range(MAX_CONNECTIONS)]
        deadline = time.monotonic() + 5
        while answered := answers(port):
            assert time.monotonic() < deadline
        assert not answered
        for client in clients:
            client.close()
        while not answers(port):
            assert time.monotonic() < deadline


# ----------------------------------------------------------------------------------------- bodies


@pytest.mark.parametrize(
    ("length", "body", "status"),
    [
        ({"Content_Length": 50}, b'{"version"', 408),
        ({"Content_Length": 10**9}, b" " * (MAX_BYTES + 1), 413),
        ({"Transfer_Encoding": "chunked"}, b"ffff\r\n" + b" " * 0xFFFF + b"\r\n", 413),
        ({"Transfer_Encoding": "chunked"}, b"2\r\n{}\r\n", 408),
    ],
)
def test_a_body_that_is_too_slow_or_too_long_is_refused(port, length, body, status):
    with connect(port) as client:
        client.sendall(post_header(port, **length))
        client.sendall(body)
        answer = received(client)
    assert answer.startswith(f"HTTP/1.1 {status}".encode())
    assert list(json.loads(answer.partition(b"\r\n\r\n")[2])) == ["error"]
    assert answers(port)


def test_a_body_that_is_not_expected_closes_the_connection(port):
    with connect(port) as client:
        client.sendall(header(port, Content_Length=10**9))
        assert received(client).startswith(b"HTTP/1.1 400")


@pytest.mark.parametrize("sent", [b"", b'{"version"'])
def test_a_client_that_leaves_in_a_request_is_no_traceback(port, caplog, capfd, sent):
    caplog.set_level(logging.WARNING)
    logging.getLogger("uvicorn.error").propagate = True
    for _ in range(3):
        with connect(port) as client:
            client.sendall(post_header(port, Content_Length=50) + sent)
            time.sleep(0.05)
        with connect(port) as client:  # leaves without reading the answer
            client.sendall(header(port))
    assert answers(port)
    time.sleep(0.1)
    assert [record.message for record in caplog.records] == []
    assert "Traceback" not in capfd.readouterr().err


# ------------------------------------------------------------------------------------ saved games


def damage(folder, good):
    """Write saved games that cannot be loaded; return their names."""
    lines = good.read_text().splitlines(keepends=True)
    other = replays.record_random(sprawl_env.game("ginkgopolis", num_players=1), 1)
    (folder / "empty.jsonl").write_text("")
    (folder / "cut.jsonl").write_text("".join(lines[:-1]))
    (folder / "digest.jsonl").write_text("".join(lines).replace('"after": "', '"after": "0', 1))
    (folder / "other.jsonl").write_text(replays.dump(other))
    (folder / "bytes.json").write_bytes(b"\xff\xfe\x00")
    (folder / "deep.json").write_text("[" * 100_000)
    (folder / "folder.json").mkdir()
    (folder / "gone.jsonl").symlink_to(folder / "nothing")
    (folder / "itself.jsonl").symlink_to(folder / "itself.jsonl")
    (folder / "device.json").symlink_to("/dev/zero")
    os.mkfifo(folder / "pipe.jsonl")
    return {path.name for path in folder.iterdir()} - {good.name}


@pytest.mark.skipif(os.name == "nt", reason="links and pipes")
def test_damaged_saves_are_marked_in_the_list_and_the_others_can_be_loaded(tmp_path):
    from starlette.testclient import TestClient

    session = session_of()
    rng = np.random.default_rng(0)
    for _ in range(6):
        if session.to_play == 0:
            legal = np.flatnonzero(session.game.legal_actions(session.games, 0))
            session.play(0, int(rng.choice(legal)))
        else:
            session.advance()
    damaged = damage(tmp_path, session.save(tmp_path, "good"))
    app = PlayServer(session, TOKEN, tmp_path).app()
    client = TestClient(app, base_url="http://127.0.0.1:8765")
    found = client.get(f"/{TOKEN}/api/saves").json()["saves"]
    reasons = {saved["name"]: saved["damaged"] for saved in found}
    assert set(reasons) == {"good.jsonl", *damaged} - {"other.jsonl"}  # of another game
    assert {name for name, reason in reasons.items() if reason} == damaged - {"other.jsonl"}
    assert not [reason for reason in reasons.values() if "\n" in reason]
    assert "not a regular file" in reasons["pipe.jsonl"]
    body = {"version": session.version, "name": "good.jsonl"}
    origin = {"Origin": "http://127.0.0.1:8765"}
    log = session.view(0)["log"]
    session.deal()
    body["version"] = session.version
    loaded = client.post(f"/{TOKEN}/api/load", json=body, headers=origin)
    assert loaded.json()["log"] == log
    for name in damaged:
        body = {"version": session.version, "name": name}
        assert client.post(f"/{TOKEN}/api/load", json=body, headers=origin).status_code == 422


def test_a_save_is_checked_again_when_it_changes(tmp_path):
    session = session_of()
    path = session.save(tmp_path, "mine")
    good = path.read_bytes()
    listed = SavedGames(session.game)
    assert listed.of(path).damaged == ""
    path.write_bytes(b"{}\n" + good)
    assert "expected a header" in listed.of(path).damaged
    path.write_bytes(good)
    assert listed.of(path).damaged == ""
    path.unlink()
    assert "cannot be read" in listed.of(path).damaged
    assert saves_in(tmp_path) == []


def test_a_game_with_data_of_ones_own_is_saved_and_loaded(tmp_path):
    (tmp_path / "data").mkdir()
    packaged = sprawl_env.game("tower_up").rules.data_folder / "cards.toml"
    text = packaged.read_text().replace("grey", "?").replace("white", "grey").replace("?", "white")
    (tmp_path / "data" / "cards.toml").write_text(text)
    game = sprawl_env.game("tower_up", num_players=2, data=tmp_path / "data")
    session = Session(game, ("human", "random"), (), 1)
    session.play(0, int(np.flatnonzero(game.legal_actions(session.games, 0))[0]))
    path = session.save(tmp_path, "mine")
    session.deal()
    session.load(path)
    assert session.seed == 1
    with pytest.raises(PositionError):
        Session(sprawl_env.game("tower_up"), ("human", "random")).load(path)


def test_after_ctrl_c_nobody_waits_for_a_bot_that_thinks(tmp_path):
    page = PlayServer(Session(sprawl_env.game("tower_up"), ("human", "random")), "t", tmp_path)
    begun, ends = threading.Event(), threading.Event()

    def think():
        assert threading.current_thread().daemon
        begun.set()
        ends.wait(60)

    def fail():
        raise ZeroDivisionError

    async def ask_and_leave():
        assert await page._in_thread(pow, 2, 5) == 32
        with pytest.raises(ZeroDivisionError):
            await page._in_thread(fail)
        asking = asyncio.create_task(page._in_thread(think))
        while not begun.is_set():
            await asyncio.sleep(0.001)
        page.leave()
        with pytest.raises(server.Refused, match="the page has ended"):
            await asking
        assert not page._waiting

    asyncio.run(ask_and_leave())
    ends.set()
