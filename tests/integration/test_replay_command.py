"""The command ``replay``: games as text ply by ply, and changed replays refused."""

import re
from itertools import pairwise

import numpy as np
import pytest

import sprawl_env
from sprawl_env import replays
from sprawl_env.core.rules import Played
from sprawl_env.render.board import picture_of
from sprawl_env.render.pixels import rgb_array
from tests import commands

BOTS = ["greedy", "my_bot:MyBot"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    game = sprawl_env.game("tower_up", max_turns=6)
    found = [replays.record_random(game, seed) for seed in (1, 2, 3)]
    kept = [
        replays.from_actions(game, r.header["seed"], [p.action for p in r.plies], bots=BOTS)
        for r in found
    ]
    for k, one in enumerate(kept):
        (tmp_path / f"game-{k}.jsonl").write_text(replays.dump(one))
    (tmp_path / "all.jsonl").write_text("".join(map(replays.dump, kept)))
    forfeit = {"seat": found[0].plies[4].seat, "ply": 4, "reason": "raised Oops: no"}
    actions = [p.action for p in found[0].plies[:4]]
    broken = replays.from_actions(game, 1, actions, bots=BOTS, forfeit=forfeit)
    (tmp_path / "broken-off.jsonl").write_text(replays.dump(broken))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def call(capsys, *arguments, code=0):
    return commands.call(capsys, "replay", *arguments, code=code)


def test_verify_counts_games_and_plies(folder, capsys):
    plies = [len(r.plies) for r in replays.load_all(folder / "all.jsonl")]
    out = call(capsys, "verify", "all.jsonl").out
    assert f"3 games verified, {sum(plies):,} plies" in out
    out = call(capsys, "verify", "game-0.jsonl", "broken-off.jsonl").out
    assert f"2 games verified, {plies[0] + 4:,} plies" in out
    out = call(capsys, "verify", ".").out
    assert f"7 games verified, {2 * sum(plies) + 4:,} plies" in out


def test_show_prints_every_ply_with_names_and_the_end(folder, capsys):
    out = call(capsys, "show", "all.jsonl", "--game", "1").out
    game = replays.load(folder / "game-1.jsonl")
    assert out.startswith("Tower Up: num_players=2")
    assert "seed 2" in out.splitlines()[0]
    names = ("greedy", "MyBot")
    for ply in game.plies:
        told = [line for line in out.splitlines() if line.startswith(f"{ply.ply:5}  Turn ")]
        assert f": {names[ply.seat]} " in told[0]
    assert f"seat 0 greedy {game.scores[0]}, seat 1 my_bot:MyBot {game.scores[1]}" in out
    boards = call(capsys, "show", "game-1.jsonl", "--boards").out
    assert len(boards) > 3 * len(out)


def test_a_forfeit_is_shown(folder, capsys):
    out = call(capsys, "show", "broken-off.jsonl").out
    assert re.search("seat [01] forfeits at ply 4: raised Oops: no", out)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (r'"after": "(.)', '"after": "x', "all.jsonl, game 0: .*the state differs"),
        (r'"action": \d+', '"action": 9999', "expected an id 0..250"),
        (r'"action": \d+', '"action": "x"', "line 2: expected ply, seat, action"),
        (r'"seed": 1', '"seed": "one"', "expected a header"),
        (r'"options": \{.*?\}', '"options": 3', "expected a header"),
        (r'"game": "tower_up"', '"game": "chess"', "unknown game 'chess'"),
        (r'"bots"', '"forfeit": {"seat": 1}, "bots"', "forfeit: expected seat, ply, reason"),
        (r'\{"scores"', '{"score"', "the replay is incomplete"),
        (r'\{"format": 1', '{"format": 7', "expected a header of format 1"),
    ],
)
def test_a_changed_replay_is_refused_in_one_line(folder, capsys, old, new, says):
    path = folder / "all.jsonl"
    text, count = re.subn(old, new, path.read_text(), count=1)
    assert count == 1
    path.write_text(text)
    err = call(capsys, "verify", "all.jsonl", code=2).err
    assert re.search(says, err)
    assert err.startswith("error: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["verify", "none.jsonl"], "none.jsonl: cannot be read"),
        (["verify", "empty"], "expected a folder with replays"),
        (["show", "none.jsonl"], "none.jsonl: cannot be read"),
        (["show", "all.jsonl", "--game", "3"], "game=3: all.jsonl holds games 0..2"),
    ],
)
def test_bad_input_is_one_line(folder, capsys, arguments, says):
    (folder / "empty").mkdir()
    err = call(capsys, *arguments, code=2).err
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert says in err


def test_gif_has_a_frame_a_turn_or_a_ply(folder, capsys):
    image = pytest.importorskip("PIL.Image")
    played = replays.load(folder / "game-0.jsonl")
    turns = [int(games["turn"][0]) for games in replays.positions(played)[:, None]]
    changes = sum(one != other for one, other in pairwise(turns))
    ends = 1 + changes + (turns[-1] == turns[-2])  # the deal, the ends of turns, the end
    for frame, frames in (("turn", ends), ("ply", len(played.plies) + 1)):
        what = ["--frame", frame, "--width", "300", "--milliseconds", "200", "-o", f"{frame}.gif"]
        out = call(capsys, "gif", "game-0.jsonl", *what).out
        assert f"{frame}.gif: {len(played.plies)} plies, " in out
        with image.open(folder / f"{frame}.gif") as film:
            assert (film.format, film.size[0], film.info["loop"]) == ("GIF", 300, 0)
            times = []
            for k in range(film.n_frames):
                film.seek(k)
                times.append(film.info["duration"])
        assert sum(times) == 200 * (frames + 3)  # Pillow joins frames that are equal
    first = (folder / "turn.gif").read_bytes()
    call(capsys, "gif", "game-0.jsonl", "--width", "300", "--milliseconds", "200")
    assert (folder / "game-0.gif").read_bytes() == first


def test_a_frame_shows_the_end_of_a_turn_with_its_last_ply(folder, monkeypatch):
    from sprawl_env.replays import film

    played = replays.load(folder / "game-0.jsonl")
    positions = replays.positions(played)
    turns = positions["turn"].tolist()
    shown = []
    monkeypatch.setattr(film, "_drawn", lambda game, at, seats: shown.append(at.games.tobytes()))
    list(film._pictures(played, "turn", iter, None))
    ends = [
        0,
        *(k for k in range(1, len(turns)) if turns[k] != turns[k - 1] or k == len(turns) - 1),
    ]
    assert shown == [positions[k : k + 1].tobytes() for k in ends]


def test_the_last_frame_of_a_gif_is_the_picture_of_the_end(folder, capsys):
    image = pytest.importorskip("PIL.Image")
    played = replays.load(folder / "game-0.jsonl")
    game, last = played.game(), played.plies[-1]
    end = picture_of(
        game, replays.positions(played)[-1:], 0, seats=["greedy", "MyBot"],
        last=Played(last.seat, last.action, last.says),
    )  # fmt: skip
    wide = round(end.width * end.scale)
    call(capsys, "gif", "game-0.jsonl", "--width", str(wide))
    with image.open(folder / "game-0.gif") as film:
        film.seek(film.n_frames - 1)
        found = np.asarray(film.convert("RGB")).astype(int)
    expected = rgb_array(end).astype(int)
    assert found.shape[1] == expected.shape[1]
    found = found[: len(expected)]  # a frame before was as high or higher
    same = (np.abs(found - expected).max(axis=2) < 8).mean()
    assert same > 0.9  # all but the edges of letters


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--width", "20"], "width=20: expected a whole number 100..4000"),
        (["--milliseconds", "0"], "milliseconds=0: expected a whole number 10..60000"),
        (["--frame", "year"], "unknown frame 'year': choose from ply, turn"),
        (["--game", "7"], "game=7: game-0.jsonl holds games 0..0"),
    ],
)
def test_a_gif_that_cannot_be_made_is_one_line(folder, capsys, arguments, says):
    assert says in commands.refused(capsys, "replay", "gif", "game-0.jsonl", *arguments)
    assert not list(folder.glob("**/*.gif"))
