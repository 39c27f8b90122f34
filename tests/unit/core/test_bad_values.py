"""Bad values of single arguments, in all of the package: each is refused in one line."""

import dataclasses
import re

import numpy as np
import pytest

import sprawl_env
from sprawl_env import replays
from sprawl_env.arena.evaluation import interval
from sprawl_env.arena.games import play_games
from sprawl_env.bots.protocol import ask
from sprawl_env.core.errors import InvalidOption, PositionError
from sprawl_env.core.rules import Option
from sprawl_env.core.state import clone

FLAG = Option(False, "whether hands are open", flag=True)


def clone_of_two(which):
    return clone(sprawl_env.game("tower_up").deal(2), which)


def ask_in_two(which):
    game = sprawl_env.game("tower_up")
    games, masks = game.deal(2), np.ones((1, game.num_actions), np.int8)
    seen = np.zeros((1, game.observation_size), np.float32)
    return ask(sprawl_env.make_bot("random", game), game, games, which, seen, masks)


def dump_with(value):
    replay = replays.record_random(sprawl_env.game("tower_up", max_turns=1), 3)
    return replays.dump(dataclasses.replace(replay, header={**replay.header, "note": value}))


def play_part(part):
    return play_games(sprawl_env.game("tower_up"), ["random"] * 2, 6, part=part)


@pytest.mark.parametrize(
    ("call", "value", "says"),
    [
        (lambda flag: FLAG.parse("toy", "open", flag), 1, "toy: option open=1: expected True or F"),
        (lambda flag: FLAG.parse("toy", "open", flag), "yes", "open='yes': expected True or False"),
        (
            lambda folder: sprawl_env.game("examples.lots:RULES", data=folder),
            "mine",
            "data='mine': this game has no data files",
        ),
        (clone_of_two, [0], "clone: which: expected an array of indices 0..1, got [0]"),
        (clone_of_two, 0, "clone: which: expected an array of indices 0..1, got 0"),
        (clone_of_two, np.array([2]), "clone: which: expected an array of indices 0..1"),
        (clone_of_two, np.array([0.0]), "clone: which: expected an array of indices 0..1"),
        (clone_of_two, np.array([[0]]), "clone: which: expected an array of indices 0..1"),
        (ask_in_two, np.array([2]), "ask: which: expected indices 0..1"),
        (ask_in_two, np.array([-1]), "ask: which: expected indices 0..1"),
        (ask_in_two, np.array([0.0]), "ask: which: expected indices 0..1"),
        (ask_in_two, np.array([[0]]), "ask: which: expected indices 0..1"),
        (play_part, 3, "part=3: expected"),
        (play_part, (0, 1, 2), "part=(0, 1, 2): expected"),
        (interval, [], "interval: shares: expected numbers 0..1"),
        (interval, [0.5, 1.5], "interval: shares: expected numbers 0..1"),
        (interval, [0.5, float("nan")], "interval: shares: expected numbers 0..1"),
        (interval, ["much"], "interval: shares: expected numbers 0..1"),
    ],
)
def test_a_bad_value_is_refused_in_one_line(call, value, says):
    with pytest.raises(InvalidOption, match=re.escape(says)) as error:
        call(value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("value", [{1}, np.int64(1)], ids=repr)
def test_a_replay_of_what_is_no_json_is_refused_in_one_line(value):
    with pytest.raises(PositionError, match="replay: expected values that JSON can hold") as error:
        dump_with(value)
    assert "\n" not in str(error.value)
