"""bots/user.py: a user's bot by import path is checked and sees only what its seat can know."""

import numpy as np
import pytest

import sprawl_env
from sprawl_env.arena.games import play_games
from sprawl_env.bots.names import make_bot
from sprawl_env.bots.user import UserBot
from sprawl_env.core.state import clone
from tests.unit.bots.test_bots import decisions

BOTS = "tests.bots"


@pytest.fixture
def game():
    return sprawl_env.game("tower_up")


def test_a_bot_is_found_by_import_path_and_plays(game):
    bot = make_bot(f"{BOTS}:First", game, seed=5)
    assert isinstance(bot, UserBot)
    assert bot.name == f"{BOTS}:First"
    assert (bot.needs_observations, bot.needs_states) == (False, True)
    results = play_games(game, [bot, make_bot("random", game)], 2)
    assert len(results.wins) == 2


def test_the_positions_of_the_caller_stay_as_they_are(game):
    games = game.deal(3, seed=1)
    before = games.tobytes()
    masks = np.stack([game.legal_actions(games, g) for g in range(3)])
    make_bot(f"{BOTS}:First", game, seed=5).act(None, masks, games)
    assert games.tobytes() == before


def test_a_bot_is_looked_up_in_the_current_folder(game, tmp_path, monkeypatch):
    (tmp_path / "bot_of_this_folder.py").write_text(
        "from tests.bots import First\nclass Mine(First): pass\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend("somewhere_else")
    assert make_bot("bot_of_this_folder:Mine", game).name == "bot_of_this_folder:Mine"


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("no_such_module:Bot", "no module 'no_such_module' in the current folder"),
        ("tests.unit.none:Bot", "no module 'tests.unit.none'"),
        (f"{BOTS}:Frist", r"unknown class of tests.bots 'Frist' \(did you mean 'First'\?\)"),
        ("tests.unit:Bot", "has no class 'Bot', nor any"),
        (f"{BOTS}:not_a_class", "expected a class, not_a_class is a int"),
        (f"{BOTS}:First()", "expected module:Class, e.g. my_bot:MyBot"),
        ("my bot:First", "expected module:Class"),
        (f"{BOTS}:CannotBeMade", r"CannotBeMade\(game, seed\) raised KeyError: 'weights'"),
        (
            f"{BOTS}:Unfit",
            "name: expected str; needs_observations: expected bool; needs_states: expected bool; "
            "seed: expected a method",
        ),
    ],
)
def test_what_is_no_bot_is_refused_in_one_line(game, name, says):
    with pytest.raises(sprawl_env.SprawlError, match=says) as error:
        make_bot(name, game)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("import no_such_library\n", "raised ModuleNotFoundError: No module named 'no_such_lib"),
        ("class Bot(:\n", "raised SyntaxError"),
        ("raise SystemExit\n", "raised SystemExit"),
    ],
)
def test_a_module_that_cannot_be_imported_says_why(game, tmp_path, monkeypatch, text, says):
    name = f"broken_{abs(hash(text))}"
    (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(sprawl_env.SprawlError, match=says) as error:
        make_bot(f"{name}:Bot", game)
    assert "\n" not in str(error.value)


def handed_to(bot, masks, states):
    """Return the positions that a bot decides from."""
    bot.act(None, masks, states)
    return clone(bot._bot.seen)


def test_a_bot_sees_nothing_that_its_seat_cannot_know(any_game):
    states, masks = decisions(any_game)
    bot = make_bot(f"{BOTS}:Keeps", any_game)
    handed = handed_to(bot, masks, states)
    assert (handed["rng"] != states["rng"]).all()
    for k in range(len(states)):
        seat = int(states.to_play[k])
        assert np.array_equal(any_game.legal_actions(handed, k), masks[k])
        assert np.array_equal(any_game.observe(handed, k, seat), any_game.observe(states, k, seat))
    again = handed_to(bot, masks, states)  # another decision: resampled again
    assert (again["rng"] != handed["rng"]).all()
    bot.seed(0)
    repeated = handed_to(bot, masks, states)
    assert repeated.tobytes() == handed.tobytes()


def test_what_a_bot_is_handed_does_not_depend_on_the_order_of_hidden_cards():
    """The true next card is at every place of the resampled deck equally often."""
    game = sprawl_env.game("tower_up")
    states, masks = decisions(game, count=400, plies=4)
    handed = handed_to(make_bot(f"{BOTS}:Keeps", game), masks, states)
    size = states["deck_size"].astype(int)
    rows = np.flatnonzero(size > 10)
    top = [states["deck"][k, size[k] - 1] == handed["deck"][k, size[k] - 1] for k in rows]
    assert np.mean(top) < 0.3
