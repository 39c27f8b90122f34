"""replays/format.py: files that were not written by this package."""

import json
import os

import pytest

import sprawl_env
from sprawl_env import replays
from sprawl_env.commands.replay import text_lines
from sprawl_env.core.errors import InvalidOption, PositionError, SprawlError
from sprawl_env.replays.page import content

ESCAPE = "\x1b]0;owned\x07\ud800\n"


@pytest.fixture(scope="module")
def played():
    return replays.record_random(sprawl_env.game("tower_up", num_players=2, max_turns=3), 1)


def changed(played, line=0, **values):
    """Return the text of a replay in which one line has other values."""
    rows = [json.loads(row) for row in replays.dump(played).splitlines()]
    rows[line] |= values
    return "".join(json.dumps(row) + "\n" for row in rows)


def cut(played, count, **header):
    """Return the text of a replay that ends after some plies, with a forfeit of the next seat."""
    game, games = played.game(), replays.positions(played)
    seat = played.plies[count].seat if count < len(played.plies) else 0
    given = {"seat": seat, "ply": count, "reason": "", **header.pop("forfeit", {})}
    rows = [json.loads(row) for row in replays.dump(played).splitlines()]
    rows = [{**rows[0], **header, "forfeit": given}, *rows[1 : 1 + count]]
    rows.append({"scores": game.scores(games, count).tolist()})
    return "".join(json.dumps(row) + "\n" for row in rows)


USES = (replays.verify, content, lambda replay: list(text_lines(replay)), replays.positions)


@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_forfeit_is_of_the_seat_to_play_at_the_last_ply(played, count):
    whole, plies = len(played.plies), played.plies
    replays.verify(replays.parse(cut(played, count)))
    wrong = [(cut(played, whole), "a forfeit of a game that is over")]
    for forfeit in ({"ply": count + 1}, *([{"seat": 1 - plies[count].seat}] if count else [])):
        wrong.append((cut(played, count, forfeit=forfeit), f"at ply {count}, found one of seat"))
    for text, says in wrong:
        for use in USES:
            with pytest.raises(PositionError, match=says):
                use(replays.parse(text))


def test_scores_that_were_changed_are_noticed_by_everything_that_plays_a_replay_again(played):
    replay = replays.parse(changed(played, line=-1, scores=[99, 99]))
    for use in USES:
        with pytest.raises(PositionError, match="the scores differ"):
            use(replay)


@pytest.mark.parametrize("name", ["data", "rules", "name", "no_such_option"])
def test_a_file_only_gives_options_of_its_game(played, tmp_path, name):
    options = {**played.header["options"], name: str(tmp_path)}
    replay = replays.parse(changed(played, options=options))
    with pytest.raises(PositionError, match=f"option '{name}': expected options of tower_up: num"):
        replays.verify(replay)


def test_other_data_is_read_only_if_the_caller_names_it(played, tmp_path):
    packaged = sprawl_env.game("tower_up").rules.data_folder / "cards.toml"
    text = packaged.read_text().replace("grey", "?").replace("white", "grey").replace("?", "white")
    (tmp_path / "cards.toml").write_text(text)
    game = sprawl_env.game("tower_up", data=tmp_path)
    other = replays.record_random(game, 1)
    replays.verify(other, tmp_path)
    assert content(other, data=tmp_path)["title"] == "Tower Up"
    assert list(text_lines(other, data=tmp_path))
    with pytest.raises(PositionError):
        replays.verify(other)
    (tmp_path / "cards.toml").write_text(packaged.read_text())  # files that have changed are read
    with pytest.raises(PositionError):
        replays.verify(other, tmp_path)
    (tmp_path / "cards.toml").unlink()
    with pytest.raises(SprawlError, match="holds none of"):
        replays.verify(other, tmp_path)


@pytest.mark.parametrize(
    "header",
    [
        {"seed": True},
        {"seed": 1.0},
        {"format": True},
        {"format": 1.0},
        {"options": []},
        {"game": 1},
        {"bots": "greedy"},
        {"bots": [1, 2]},
        {"bots": None},
        {"forfeit": {"seat": 0, "ply": 0}},
    ],
)
def test_a_header_of_other_types_is_refused(played, header):
    with pytest.raises(PositionError, match="line 1"):
        replays.parse(changed(played, **header))


@pytest.mark.parametrize("seed", [-1, 2**63, 10**400])
def test_a_seed_out_of_range_is_refused(played, seed):
    with pytest.raises(InvalidOption, match="seed"):
        replays.verify(replays.parse(changed(played, seed=seed)))


@pytest.mark.parametrize("scores", [[1], [1, 2, 3], []])
def test_scores_of_another_number_of_seats_are_refused(played, scores):
    replay = replays.parse(changed(played, line=-1, scores=scores))
    for use in (replays.verify, content, lambda replay: list(text_lines(replay))):
        with pytest.raises(PositionError, match="expected 2 scores"):
            use(replay)


def test_a_forfeit_of_a_seat_that_does_not_exist_is_refused(played):
    forfeit = {"seat": 2, "ply": 0, "reason": ""}
    with pytest.raises(PositionError, match=r"a forfeit of a seat 0\.\.1"):
        replays.verify(replays.parse(changed(played, forfeit=forfeit)))


@pytest.mark.parametrize("scores", [[1.5, 2], [True, 1], ["1", "2"], None])
def test_scores_are_whole_numbers(played, scores):
    with pytest.raises(PositionError, match="no scores"):
        replays.parse(changed(played, line=-1, scores=scores))


def test_no_control_character_of_a_file_is_printed(played):
    replay = replays.parse(cut(played, 4, bots=[ESCAPE, "greedy"], forfeit={"reason": ESCAPE}))
    lines = list(text_lines(replay))
    assert all(part.isprintable() for line in lines for part in line.split("\n"))
    assert r"\x1b]0;owned\x07\ud800\n" in lines[1]
    shown = content(replay)
    assert all(text.isprintable() for text in (*shown["sides"], shown["end"]))
    for line, values in (
        (0, {"game": ESCAPE}),
        (0, {"options": {ESCAPE: 1}}),
        (1, {"says": ESCAPE}),
    ):
        with pytest.raises(SprawlError) as error:
            replays.verify(replays.parse(changed(played, line, **values)))
        assert str(error.value).isprintable()


@pytest.mark.parametrize(
    "line", ["[" * 100_000, '{"a": NaN}', '{"a": 1e999}', '{"a": 1, "a": 2}', "9" * 5000]
)
def test_json_that_is_deep_infinite_or_ambiguous_is_refused(played, line):
    with pytest.raises(PositionError, match="line 2 is not JSON"):
        replays.parse(replays.dump(played).splitlines()[0] + "\n" + line)


@pytest.mark.skipif(os.name == "nt", reason="links and pipes")
def test_only_regular_files_are_read(played, tmp_path):
    (tmp_path / "good.jsonl").write_text(replays.dump(played))
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "good.jsonl")
    assert replays.load(tmp_path / "link.jsonl") == replays.load(tmp_path / "good.jsonl")
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "device.jsonl").symlink_to("/dev/zero")
    (tmp_path / "gone.jsonl").symlink_to(tmp_path / "nothing")
    (tmp_path / "folder.jsonl").mkdir()
    for name in ("pipe", "device", "gone", "folder", "a\0b"):
        for load in (replays.load, replays.load_all):
            with pytest.raises(PositionError, match="cannot be read"):
                load(tmp_path / f"{name}.jsonl")
