"""Golden games: a rules change shows as a reviewable difference, ply by ply.

Record them again with ``python -m tests.golden.record_replays`` after a change that is meant.
"""

from pathlib import Path

import pytest

import sprawl_env
from sprawl_env import replays
from sprawl_env.core.errors import PositionError

GOLDEN = sorted((Path(__file__).parent / "replays").glob("*/*.jsonl"))


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_golden_game(path):
    replays.verify(replays.load(path))


def test_there_are_golden_games_for_every_game_and_number_of_seats(any_game):
    played = [replays.load(path).header for path in GOLDEN]
    mine = [h for h in played if h["game"] == any_game.name]
    assert any(h["options"]["num_players"] == any_game.num_seats for h in mine)


def sample():
    game = sprawl_env.game("tower_up", num_players=2, max_turns=6)
    return replays.dump(replays.record_random(game, 3))


def test_a_replay_reads_back_as_it_was_written():
    text = sample()
    again = replays.parse(text)
    assert replays.dump(again) == text
    assert len(list(replays.steps(again))) == len(again.plies) > 0


def edited(line, old, new):
    lines = sample().splitlines()
    assert old in lines[line]
    lines[line] = lines[line].replace(old, new, 1)
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (lambda: "", "expected a header"),
        (lambda: "{", "line 1 is not JSON"),
        (lambda: edited(0, '"format": 1', '"format": 9'), "expected a header of format"),
        (lambda: "\n".join(sample().splitlines()[:-1]), "the replay is incomplete"),
        (lambda: edited(2, '"ply"', '"plie"'), "line 3: expected ply, seat"),
        (lambda: edited(1, '"after": "', '"after": "f'), "the state differs"),
        (lambda: edited(1, '"says": "', '"says": "do '), "has another name"),
        (lambda: edited(1, '"seat": 0', '"seat": 1'), "expected ply, seat and legal"),
        (lambda: edited(-1, "[", "[9"), "the scores differ"),
        (lambda: edited(0, '"seed": 3', '"seed": 4'), "ply 0"),
    ],
)
def test_a_replay_that_was_changed_is_refused_and_says_where(text, says):
    with pytest.raises(PositionError, match=says) as error:
        replays.verify(replays.parse(text()))
    assert "\n" not in str(error.value)


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(PositionError, match="cannot be read"):
        replays.load(tmp_path / "none.jsonl")
