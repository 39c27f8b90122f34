"""bots/names.py: bots as names, instances or classes, wherever a bot is wanted."""

from typing import ClassVar

import numpy as np
import pytest

import sprawl_env
from sprawl_env.adapters.gym import BoardGameGym
from sprawl_env.arena.games import play_games
from sprawl_env.arena.match import play_game
from sprawl_env.bots import BOTS, RandomBot, as_bot, make_bot
from sprawl_env.bots.greedy import GreedyBot
from sprawl_env.bots.policy.player import PolicyBot
from sprawl_env.bots.protocol import seat_seed
from sprawl_env.bots.user import UserBot
from sprawl_env.play.session import Session
from tests.bots import CannotBeMade, First, Unfit
from tests.bots_with_settings import Anything, Set

WITH_SETTINGS = "tests.bots_with_settings"


class Spy(First):
    """Keeps the random numbers of the states that it is handed."""

    name = "spy"
    seen: ClassVar = []

    def act(self, observations, masks, states):
        self.seen.append(states["rng"].copy())
        return super().act(observations, masks, states)


@pytest.fixture
def game():
    return sprawl_env.game("tower_up")


def line_of(call):
    """Return the one line with which a call is refused."""
    with pytest.raises(sprawl_env.SprawlError) as error:
        call()
    assert "\n" not in str(error.value)
    return str(error.value)


# --------------------------------------------------------------------------------------- as_bot


def test_a_name_an_instance_and_a_class_become_a_bot(game):
    assert as_bot("greedy", game).name == "greedy"
    bot = First(game, 0)
    assert as_bot(bot, game) is bot
    made = as_bot(First, game, 5)
    assert isinstance(made, UserBot)
    assert made.name == "first"
    assert made._bot.seeded == 5


@pytest.mark.parametrize(("kind", "name"), [(RandomBot, "random"), (GreedyBot, "greedy")])
def test_classes_of_the_package_are_made_as_by_name(game, kind, name):
    made = as_bot(kind, game, 3)
    assert type(made) is kind
    assert made.name == name


@pytest.mark.parametrize(
    ("bot", "says"),
    [
        ("gredy", "unknown bot 'gredy' (did you mean 'greedy'?): choose from "),
        (PolicyBot, "opponent: PolicyBot needs more than a game and a seed"),
        (make_bot, "opponent: expected a bot's name, a bot or its class, got the function"),
        (3, "opponent: expected a bot's name, a bot or its class, got 3"),
        (None, "opponent: expected a bot's name, a bot or its class, got None"),
        (dict, "bot 'dict': dict(game, seed) raised TypeError"),
        (CannotBeMade, "bot 'first': CannotBeMade(game, seed) raised KeyError: 'weights'"),
        (Unfit, "bot 'Unfit': does not fit the Bot protocol: name: expected str"),
    ],
)
def test_what_is_no_bot_is_one_line_wherever_it_is_given(game, bot, says):
    said = line_of(lambda: as_bot(bot, game, what="opponent"))
    assert said.startswith(says)
    if bot is make_bot:
        assert said.endswith("call it first")
    if bot is not None:
        assert line_of(lambda: BoardGameGym(game, opponent=bot)) == said
    assert says.removeprefix("opponent: ") in line_of(lambda: play_games(game, [bot] * 2, 2))


def test_an_instance_without_a_name_is_no_bot(game):
    bot = First(game, 0)
    bot.name = None
    assert "expected a bot's name" in line_of(lambda: as_bot(bot, game))


# ------------------------------------------------------------------------------- where bots play


def test_games_are_the_same_for_a_name_an_instance_and_a_class(game):
    found = [
        play_games(game, line_up, 2, seed=4)
        for line_up in (
            ["greedy", "random"],
            [GreedyBot(game), RandomBot()],
            [GreedyBot, RandomBot],
        )
    ]
    for other in found[1:]:
        assert np.array_equal(found[0].scores, other.scores)
        assert np.array_equal(found[0].plies, other.plies)


def test_one_game_takes_bots_and_functions_that_make_them(game):
    matches = [
        play_game(game, makers, 3)
        for makers in (
            ["greedy", First],
            [GreedyBot, "tests.bots:First"],
            [GreedyBot(game, seat_seed(3, 0)), First(game, 0)],
            [lambda: GreedyBot(game, seat_seed(3, 0)), lambda: First(game, 0)],
        )
    ]
    assert {match.actions for match in matches} == {matches[0].actions}
    assert matches[0].outcome.forfeit is None


@pytest.mark.parametrize(
    ("maker", "says"),
    [
        ("gredy", "unknown bot 'gredy'"),
        (CannotBeMade, "raised KeyError: 'weights'"),
        (lambda: 3, "makers: expected a bot's name, a bot or its class, got 3"),
        (lambda: First, "makers: expected a bot's name, a bot or its class, got <class"),
    ],
)
def test_a_seat_whose_bot_cannot_be_made_forfeits(game, maker, says):
    forfeit = play_game(game, [RandomBot(), maker], 3).outcome.forfeit
    assert (forfeit.seat, forfeit.ply) == (1, 0)
    assert says in forfeit.reason


@pytest.mark.parametrize("maker", [3, None, [First], Unfit(None, 0)])
def test_a_seat_with_neither_a_bot_nor_a_function_is_one_line(game, maker):
    assert "makers: expected a bot's name, a bot or its class, got " in line_of(
        lambda: play_game(game, [RandomBot(), maker], 3)
    )


@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_line_up_of_another_length_is_one_line(game, count):
    bots = ["random"] * count
    assert line_of(lambda: play_games(game, bots, 2)) == (
        f"tower_up: line_up: expected 2 bots, one a seat, got {count}"
    )
    assert line_of(lambda: play_game(game, bots, 2)) == (
        f"makers: expected 2, one a seat, got {count}"
    )
    if count != 1:
        assert line_of(lambda: BoardGameGym(game, opponent=bots)) == (
            f"opponent: expected one bot or 1, got {count}"
        )


def test_a_name_instead_of_a_list_is_one_line(game):
    assert line_of(lambda: play_games(game, "random", 2)) == (
        "line_up='random': expected a list of bots"
    )
    assert line_of(lambda: play_game(game, "random", 2)) == (
        "makers='random': expected a list, one a seat"
    )
    assert line_of(lambda: Session(game, "human")) == (
        "seats='human': expected a list of names or bots"
    )


def test_evaluate_takes_classes(game):
    by_name = sprawl_env.evaluate(game, ["tests.bots:First", "random"], num_games=2)
    by_class = sprawl_env.evaluate(game, [First, RandomBot], num_games=2)
    assert by_class.bots == ("first", "random")
    assert np.array_equal(by_name.results.scores, by_class.results.scores)
    assert line_of(lambda: sprawl_env.evaluate(game, [First, First(game, 0)])) == (
        "bots: two different bots are named 'first': rename one"
    )
    assert line_of(lambda: sprawl_env.evaluate(game, [make_bot, "random"])) == (
        "bots: expected names or bots, got a function: call it first"
    )


@pytest.mark.parametrize("opponent", ["greedy", GreedyBot, ["greedy"], [GreedyBot]])
def test_a_gymnasium_environment_takes_names_and_classes(game, opponent):
    env = BoardGameGym(game, opponent=opponent, seat=1)
    other = BoardGameGym(game, opponent=GreedyBot(game), seat=1)
    assert np.array_equal(env.reset(seed=2)[0], other.reset(seed=2)[0])


def test_a_session_takes_instances_and_classes(game):
    session = Session(game, ("human", First), (GreedyBot(game),), 3)
    assert (session.seats, session.hints) == (("human", "first"), ("greedy",))
    human = First(game, 0)
    human.name = "human"
    for wrong in (human, make_bot, 3):
        assert "seats: expected 'human', a bot's name, a bot or its class, got " in line_of(
            lambda wrong=wrong: Session(game, ("human", wrong))
        )


@pytest.mark.parametrize("bot", [Spy, "instance", f"{__name__}:Spy"])
def test_a_users_bot_never_sees_the_true_random_numbers(game, bot, monkeypatch):
    monkeypatch.setattr(Spy, "seen", [])
    given = Spy(game, 0) if bot == "instance" else bot
    env = BoardGameGym(game, opponent=given, seat=1)
    env.reset(seed=2)
    true = env.games["rng"]
    play_games(game, [given, "random"], 2, seed=4)
    play_game(game, [given, "random"], 4)
    assert len(Spy.seen) > 3
    dealt = game.deal(1, 4)["rng"]
    for seen in Spy.seen:
        assert (seen != true).all()
        assert (seen != dealt).all()


@pytest.mark.compiled
def test_learners_take_names_and_classes(game):
    sb3 = pytest.importorskip("sprawl_env.adapters.sb3")
    seen = [
        sb3.SelfPlayVecEnv(game, 2, opponents=opponents, seed=3).reset()
        for opponents in (["greedy"], [GreedyBot], [GreedyBot(game)], "greedy", GreedyBot)
    ]
    assert all(np.array_equal(seen[0], other) for other in seen[1:])
    env = sb3.SelfPlayVecEnv(game, 2, opponents=["greedy", First])
    assert [bot.name for bot in env.opponents] == ["greedy", "first"]
    env.set_opponents("random")
    assert [bot.name for bot in env.opponents] == ["random"]
    assert "unknown bot 'gredy'" in line_of(lambda: env.set_opponents(["gredy"]))
    assert "call it first" in line_of(lambda: env.set_opponents([make_bot]))


# -------------------------------------------------------------------------- settings of a class


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ("path=x,k=3", {"path": "x", "k": 3}),
        ("k=-2,scale=2.5", {"k": -2, "scale": 2.5}),
        ("scale=1e-3", {"scale": 0.001}),
        ("flag=true", {"flag": True}),
        ("flag=False", {"flag": False}),
        ("path=runs/my net.zip", {"path": "runs/my net.zip"}),
        ("path=a=b", {"path": "a=b"}),
        ("path=", {"path": ""}),
        ("path=1_000", {"path": "1_000"}),
        ("path=nan", {"path": "nan"}),
        (f"path={'9' * 30}", {"path": 1e30}),
    ],
)
def test_settings_in_a_name_are_keywords_of_the_class(game, text, given):
    name = f"{WITH_SETTINGS}:Set,{text}"
    bot = make_bot(name, game, 7)
    assert bot.name == name
    expected = {"path": "", "k": 1, "scale": 1.0, "flag": False} | given
    assert bot._bot.given == expected
    assert [type(value) for value in bot._bot.given.values()] == [
        type(value) for value in expected.values()
    ]
    assert bot._bot.seeded == 7


def test_a_class_may_take_any_keyword(game):
    bot = make_bot(f"{WITH_SETTINGS}:Anything,width=8,what=else", game)
    assert bot._bot.given == {"width": 8, "what": "else"}
    assert as_bot(Anything, game)._bot.given == {}
    assert as_bot(Set, game)._bot.given["k"] == 1


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("Set,paht=x", ":Set': no setting 'paht' (did you mean 'path'?); there are path, k, scale"),
        ("Set,game=x", ":Set': no setting 'game'; there are path, k, scale, flag"),
        ("Anything,seed=1", ":Anything': no setting 'seed'; there are none"),
        ("Set,k", "expected key=value after the comma, got 'k'"),
        ("Set,k=1,", "expected key=value after the comma, got ''"),
        ("Set,a b=1", "expected key=value after the comma, got 'a b=1'"),
        ("Set,k=1,k=2", "k is given twice"),
        ("Needs", "Needs(game, seed) raised TypeError"),
        ("First,k=1", ":First': no setting 'k'; there are none"),
    ],
)
def test_a_wrong_setting_is_one_line(game, name, says):
    assert says in line_of(lambda: make_bot(f"{WITH_SETTINGS}:{name}", game))


def test_a_class_plays_with_settings_by_name():
    found = sprawl_env.evaluate(
        "tower_up", [f"{WITH_SETTINGS}:Set,k=2", f"{WITH_SETTINGS}:Set,k=3"], num_games=2
    )
    assert [line.bot for line in found.lines] == list(found.bots)


def test_the_list_of_bots_is_in_the_reference_of_make_bot():
    for bot in BOTS:
        kind = bot.partition("[")[0].partition(":")[0]
        assert f"``{kind}" in make_bot.__doc__
