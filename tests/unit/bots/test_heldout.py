"""bots/heldout: each rule in positions drawn for it, hidden information, whole games, names."""

import ast
import tomllib

import numpy as np
import pytest

import sprawl_env
from sprawl_env.arena.games import play_games
from sprawl_env.bots.heldout import rules
from sprawl_env.bots.heldout.features import FeaturesBot, look_of
from sprawl_env.bots.heldout.rules import ANY, RulesBot, book_of
from sprawl_env.bots.names import BOTS, as_bot, make_bot
from sprawl_env.bots.protocol import states_for
from sprawl_env.core.errors import UnknownName
from sprawl_env.core.state import clone
from sprawl_env.games.tower_up.constants import EndCause
from sprawl_env.kernels.compile import JIT
from tests.commands import ROOT
from tests.conftest import SEATS
from tests.suite import GAMES
from tests.toy import NAME as TOY
from tests.unit.games.ginkgopolis import position as gk
from tests.unit.games.ginkgopolis.test_draft import draft
from tests.unit.games.ginkgopolis.test_gains import run_out
from tests.unit.games.tower_up import position as tu
from tests.unit.games.urban_sprawl import position as us
from tests.unit.games.urban_sprawl.test_elections import elect

NAMES = ("heldout:rules", "heldout:features")
PYPROJECT = ROOT / "pyproject.toml"
TRAINS = {  # modules and classes that change weights
    "sb3_contrib.MaskablePPO",
    *(f"sprawl_env.learning.{name}" for name in ("expert_training", "train", "training")),
}
COUNT = 12 if JIT else 2
REDEALS = 4


def decision(game, games):
    """Return the rule that decides in game 0, and the name of the action that it proposes."""
    bot = RulesBot(game, seed=1)
    masks = game.legal_actions(games, 0)[None]
    action = int(bot.act(None, masks, games)[0])
    assert masks[0, action] == 1
    words = (
        us.word_of if game.name == "urban_sprawl" else lambda *a: game.action_name(a[1], 0, a[2])
    )
    return bot.explain(masks, games)[0], words(game, games, action)


def after(module, drawn, *names):
    """Return a position after some actions, by their names."""
    module.play(*drawn, *names)
    return drawn


# ------------------------------------------------------------------------------------ Tower Up

LONE = {"buildings": {6: ("black", 1)}, "objectives": (4, 6, 9)}  # next to it: 1, 5, 7, 11, 20
TALL = {"buildings": {6: ("black", 5)}, "reserves": [(1, 1, 0, 0), (1, 1, 1, 1)]}
CARDS = ("2 multicolour", "2 black + 2 grey", "black + grey + white")
NINE_STAND = dict(
    zip(
        (0, 2, 4, 10, 12, 14, 16, 18, 1),
        [(c, 1) for c in ("black", "black", "grey", "black", "black", "white", "white", "grey")]
        + [("brown", 1)],
        strict=True,
    )
)
NINE = {  # one roof is left; objectives 1 to 3 are met
    "buildings": NINE_STAND,
    "roofs": [(0, site, 1) for site in NINE_STAND],
    "reserves": [(2, 2, 2, 2), (2, 2, 2, 2)],
}
THREE_COLOURS = {
    "buildings": {6: ("black", 1), 8: ("grey", 1), 12: ("white", 2)},
    "roofs": [(0, 6, 1), (0, 8, 1), (0, 12, 1)],
    "reserves": [(2, 2, 2, 1), (1, 1, 1, 1)],
    "objectives": (1, 5, 9),
}
NEARLY_A_STAR = {
    "buildings": {6: ("black", 1)},
    "reserves": [(1, 1, 0, 0), (1, 1, 1, 1)],
    "markers": [(0, 2, 2, 2), (0, 0, 0, 0)],
}
TOWER_UP = {
    "drive to a star": (
        lambda: tu.position(
            market=("2 black + 2 grey", "grey + white + black vehicle 1", "2 multicolour"),
            markers=[(1, 2, 2, 2), (0, 0, 0, 0)],
        ),
        "take card 2",
    ),
    "build for a chip": (lambda: tu.position(**THREE_COLOURS), "build brown on site 1"),
    "build for a turn": (lambda: tu.position(**NEARLY_A_STAR), "build grey on site 1"),
    "hold the last roof": (
        lambda: tu.position(**NINE, markers=[(0, 0, 0, 0), (9, 9, 9, 1)]),
        "take card 1",
    ),
    "build before the end": (
        lambda: tu.position(
            **LONE,
            reserves=[(2, 2, 0, 0), (1, 1, 1, 1)],
            end_cause=EndCause.SHORTAGE,
            last_turns=1,
        ),
        "build grey on site 1",
    ),
    "drive far": (  # from column 6 to 8: 4 millions
        lambda: tu.position(
            market=("2 multicolour", "2 black + 2 grey", "multicolour + black vehicle 2"),
            markers=[(6, 0, 0, 0), (0, 0, 0, 0)],
        ),
        "take card 3",
    ),
    "build tall": (lambda: tu.position(**TALL), "build grey on site 1"),
    "card for a building": (  # a black floor is missing
        lambda: tu.position(
            buildings={6: ("black", 3)},
            reserves=[(0, 0, 1, 0), (1, 1, 1, 1)],
            market=("2 grey + 2 white", "black + grey + white", "2 brown + 2 grey"),
        ),
        "take card 2",
    ),
    "build with full hands": (
        lambda: tu.position(**LONE, reserves=[(3, 3, 2, 1), (1, 1, 1, 1)]),
        "build grey on site 1",
    ),
    "card with most floors": (
        lambda: tu.position(
            **LONE,
            reserves=[(2, 2, 0, 0), (1, 1, 1, 1)],
            market=("2 brown + 2 grey", "black + grey + white", "2 white + 2 brown"),
        ),
        "take card 3",
    ),
    "roof for a chip": (
        lambda: after(tu, tu.position(**THREE_COLOURS), "build brown on site 7"),
        "roof on site 7",
    ),
    "roof for a turn": (
        lambda: after(tu, tu.position(**NEARLY_A_STAR), "build grey on site 7"),
        "roof on site 6",
    ),
    "roof that is worth most": (
        lambda: after(tu, tu.position(**TALL), "build grey on site 7"),
        "roof on site 6",
    ),
    "floor for a building": (  # site 7 lies between two black buildings
        lambda: after(
            tu,
            tu.position(
                buildings={6: ("black", 1), 8: ("black", 2)},
                reserves=[(0, 1, 0, 0), (1, 1, 1, 1)],
                market=CARDS,
            ),
            "take card 1",
        ),
        "choose black",
    ),
    "floor that is rarest": (
        lambda: after(
            tu,
            tu.position(**LONE, reserves=[(2, 2, 1, 2), (1, 1, 1, 1)], market=CARDS),
            "take card 1",
        ),
        "choose white",
    ),
    "return what is plenty": (
        lambda: after(
            tu, tu.position(reserves=[(2, 4, 1, 1), (1, 1, 1, 1)], market=CARDS), "take card 2"
        ),
        "return grey",
    ),
}

# --------------------------------------------------------------------------------- Ginkgopolis

REDS = [["red 12", "red 13", "red 14"]]
FEW = {"tokens": [0]}


def urbanized(**drawn):
    """Return the choice of marker A's place after seat 0 has built there."""
    game, games = gk.position(hands=[["A", "B", "C", "D"]], tiles=[["red 12"]], **drawn)
    gk.choose(game, games, ("A", "red 12"))
    return game, games


def letter_alone(tiles):
    """Return the choice of a gain after seat 0 has played a letter alone."""
    game, games = gk.position(hands=[["A", "B", "C", "D"]], tiles=[tiles])
    gk.choose(game, games, "A")
    return game, games


GINKGOPOLIS = {
    "fetch resources": (
        lambda: gk.position(
            buildings={(1, 1): ("red 9", 1, 3)},
            hands=[["A", "B", "C", "red 9"]],
            resources=[0],
            tiles=REDS,
        ),
        "card red 9",
    ),
    "fetch tiles": (
        lambda: gk.position(
            buildings={(1, 1): ("blue 9", 1, 2)}, hands=[["A", "B", "C", "blue 9"]]
        ),
        "card blue 9",
    ),
    "keep a card that pays": (
        lambda: gk.position(
            buildings={(1, 1): ("red 20", 1, 2)},
            hands=[["A", "B", "C", "red 20"]],
            tiles=[["red 19", "blue 7", "blue 8"]],
            points=[10],
        ),
        "card red 20",
    ),
    "take over a tower": (
        lambda: gk.position(
            buildings={(1, 1): ("red 9", 1, 3)}, hands=[["A", "B", "C", "red 9"]], tiles=REDS
        ),
        "card red 9",
    ),
    "build the engine": (
        lambda: gk.position(
            hands=[["A", "B", "C", "red 2"]], tiles=[["red 5", "blue 7", "blue 8"]]
        ),
        "card red 2",
    ),
    "urbanize where it yields": (  # A leans on a red tower
        lambda: gk.position(
            buildings={(0, 0): ("red 9", 1, 5)},
            hands=[["D", "C", "B", "A"]],
            tiles=REDS,
            resources=[1],
        ),
        "card A",
    ),
    "raise a building": (  # late, so nobody builds an engine
        lambda: gk.position(
            buildings={
                (1, 1): ("red 14", 0, 2),
                (0, -1): ("red 5", 0),
                (-1, 0): ("red 6", 0),
            },
            hands=[["A", "B", "C", "red 14"]],
            tiles=[["red 18", "blue 7", "blue 8", "blue 9"]],
            rest_of_tiles=1,
            supply=["yellow 20", "yellow 19"],
            run_outs=1,
        ),
        "card red 14",
    ),
    "exploit a tower": (
        lambda: gk.position(
            buildings={(1, 1): ("yellow 9", 1, 3)}, hands=[["A", "B", "C", "yellow 9"]]
        ),
        "card yellow 9",
    ),
    "ask for a new hand": (lambda: gk.position(hands=[["A", "B", "C", "D"]]), "new hand"),
    "do what gains most": (
        lambda: gk.position(hands=[["yellow 3", "A", "B", "C"]], **FEW),
        "card A",
    ),
    "pick by preference": (
        lambda: draft(
            ("red exploit", "yellow construct", "blue construct", "red urbanize"),
            ("red exploit", "red exploit", "red exploit", "red exploit"),
        ),
        "draft yellow construct",
    ),
    "take a tile if few": (lambda: letter_alone(["red 12"]), "take tile"),
    "take a resource": (lambda: letter_alone(REDS[0]), "take resource"),
    "marker far from towers": (  # west of A's cell there is a tower to the south
        lambda: urbanized(buildings={(-1, 0): ("yellow 15", 1, 3)}),
        "marker north",
    ),
    "return all but a few": (
        lambda: run_out(left=("red 20", "red 19", "red 18"), tiles=[["red 4", "blue 18"]]),
        "return red 4",
    ),
}

# -------------------------------------------------------------------------------- Urban Sprawl

DENSE = dict.fromkeys(("A3 BL", "A4 TL", "A4 BR", "B3 BL", "B4 TL"), ("RES", 1))
HOUSE = {"contracts": ["House"], "active_decks": ("town",)}
TIED = {"D1 TL": ("COM", 1), "D1 BR": ("RES", 0), "D2 TL": ("IND", 1)}
HEADLINE = {
    "do": "gain",
    "who": "controller",
    "what": "prestige",
    "amount": 2,
    "per": "building",
    "extreme": "highest",
}
FLOOD = {"do": "disaster", "where": "water", "what": "wealth", "amount": 3}
WET = {"B1 top": ("COM", 0), "A1 TL": ("RES", 0)}
OFFER = {
    "do": "optional",
    "what": "wealth",
    "amount": 3,
    "then": [{"do": "gain", "what": "prestige", "amount": 5}],
}
AUCTION = {"do": "auction", "then": [{"do": "gain", "what": "prestige", "amount": 5}]}
EITHER = {"what": "either", "amount": 2, "per": "building", "zones": ["RES"]}
STEAL = {"do": "steal", "who": "chosen", "what": "prestige", "amount": 3}
TWO = [{"do": "gain", "what": what, "amount": 1} for what in ("wealth", "prestige")]
URBAN_SPRAWL = {
    "invest when poor": (  # the permit of 11; three others are kept
        lambda: us.position(**HOUSE, wealth=2, hands=[{0: 3, 2: 1}]),
        "permit 2",
    ),
    "build what is worth most": (
        lambda: us.position(**HOUSE, hands=[{0: 1}], buildings={"C3 TL": ("RES", 1)}),
        "build 0",
    ),
    "take a permit": (lambda: us.position(planning=[None, 0, 13]), "planning 2"),
    "reserve a contract": (lambda: us.position(**HOUSE), "favor 0"),
    "end the turn": (us.position, "decline"),
    "pay without waste": (  # one permit, not two
        lambda: after(us, us.position(**HOUSE, hands=[{0: 1, 5: 1}]), "build 0", "site A3 TL"),
        "permit 0",
    ),
    "place where lines pay": (  # five neighbours of its zone
        lambda: after(
            us,
            us.position(
                **HOUSE,
                hands=[{0: 1}],
                buildings=DENSE,
                wealth=2,
            ),
            "build 0",
        ),
        "site A4 TR",
    ),
    "pay for a disaster": (lambda: us.run(FLOOD, event=True, buildings=WET, wealth=9), "yes"),
    "help oneself": (lambda: us.run(HEADLINE, event=True, buildings=TIED), "site D1 BR"),
    "harm a rival": (
        lambda: us.run(
            {"do": "demolish"},
            buildings={"A3 TL": ("RES", 1), "D1 TL": ("COM", 1), "D2 TL": ("IND", 0)},
        ),
        "site D1 TL",
    ),
    "spare the dearest": (
        lambda: us.run(FLOOD, event=True, buildings=WET, wealth=1),
        "site A1 TL",
    ),
    "choose oneself": (
        lambda: elect(
            "mayor",
            num_players=2,
            vocations={0: {"FINANCE": 1}, 1: {"ENERGY": 1}},
            buildings={"C1 TL": ("CIV", 0)},
        ),
        "seat 0",
    ),
    "choose the leader": (
        lambda: us.run(STEAL, num_players=3, prestige=[5, 6, 7]),
        "seat 2",
    ),
    "pay the own line": (  # the column pays 6, the double row 1
        lambda: us.run(
            {"do": "payout", "line": "row"}, buildings={"C3 TL": ("RES", 0)}, built="C3 TL"
        ),
        "line column C",
    ),
    "mark the own line": (
        lambda: us.run(
            {"do": "new_marker", "number": 6, "what": "prestige"},
            buildings={"D3 TL": ("COM", 0), "C3 TL": ("RES", 1), "C5 TL": ("RES", 0)}
            | {"E1 TL": ("RES", 0), "F1 TL": ("RES", 0), "E6 TL": ("RES", 0)},
        ),
        "line grey EF",
    ),
    "add the highest marker": (
        lambda: us.run({"do": "new_marker", "marker": "chosen"}),
        "marker prestige 6",
    ),
    "want the best office": (
        lambda: us.run({"do": "give", "office": "chosen"}, offices={"mayor": 1, "boss": 1}),
        "office boss",
    ),
    "want the own vocation": (
        lambda: us.run({"do": "vocation", "vocation": "chosen"}, vocations={0: {"ENERGY": 1}}),
        "vocation ENERGY",
    ),
    "take the best card": (
        lambda: us.run({"do": "free_card"}, planning=[0, "renewal", 13]),
        "planning 2",
    ),
    "discard the worst card": (
        lambda: us.run({"do": "discard", "amount": 1}, hands=[{0: 1, 13: 1}]),
        "permit 0",
    ),
    "accept what is cheap": (lambda: us.run(OFFER, wealth=9), "yes"),
    "pay in wealth": (
        lambda: us.run(
            {"do": "pay", "what": "either", "amount": 4, "zones": ["RES"]},
            buildings={"A1 TL": ("RES", 1)},
        ),
        "gain wealth",
    ),
    "gain prestige": (
        lambda: us.run({"do": "gain", **EITHER}, buildings={"A1 TL": ("RES", 0)}),
        "gain prestige",
    ),
    "choose the own zone": (
        lambda: us.run(
            {"do": "gain", "what": "wealth", "amount": 1, "per": "building", "zones": ["chosen"]},
            buildings={"A1 TL": ("IND", 0)},
        ),
        "zone IND",
    ),
    "bid what is cheap": (lambda: us.run(AUCTION, wealth=[30, 0]), "bid 1"),
    "take the first option": (lambda: us.run({"do": "choose", "options": TWO}), "option 0"),
}
CASES = {"tower_up": TOWER_UP, "ginkgopolis": GINKGOPOLIS, "urban_sprawl": URBAN_SPRAWL}


@pytest.mark.parametrize(("name", "rule"), [(name, rule) for name in CASES for rule in CASES[name]])
def test_the_rule_decides_in_its_position_as_the_strategy_says(name, rule):
    drawn, expected = CASES[name][rule]
    assert decision(*drawn()) == (rule, expected)


@pytest.mark.parametrize("name", GAMES)
def test_every_rule_has_a_position(name):
    assert list(CASES[name]) == list(book_of(sprawl_env.game(name).rules).rules)


# ------------------------------------------------------------------- where a rule does not apply


def not_by(rule, drawn):
    """Assert that another rule decides."""
    assert decision(*drawn)[0] != rule


def test_the_last_roof_is_not_held_by_a_seat_that_leads():
    not_by("hold the last roof", tu.position(**NINE, markers=[(9, 9, 9, 1), (0, 0, 0, 0)]))


def test_a_vehicle_that_gains_little_is_left():
    market = ("2 multicolour", "2 black + 2 grey", "multicolour + black vehicle 2")
    not_by("drive far", tu.position(market=market, markers=[(4, 0, 0, 0), (0, 0, 0, 0)]))


def test_a_low_roof_is_not_worth_a_turn():
    not_by("build tall", tu.position(**LONE, reserves=[(1, 1, 0, 0), (1, 1, 1, 1)]))


def test_nobody_asks_for_a_new_hand_without_a_token():
    not_by("ask for a new hand", gk.position(hands=[["A", "B", "C", "D"]], **FEW))


def test_no_engine_is_built_late():
    drawn = {"rest_of_tiles": 1, "supply": ["yellow 20", "yellow 19"], "run_outs": 1}
    hand, tiles = [["A", "B", "C", "red 2"]], [["red 5", "blue 7", "blue 8"]]
    not_by("build the engine", gk.position(hands=hand, tiles=tiles, **drawn))


def test_a_tile_is_not_shown_for_nothing():
    buildings = {(1, 1): ("yellow 9", 1, 3)}
    hands = [["yellow 9", "A", "B", "C"], ["D", "E", "F", "G"]]
    drawn = gk.position(buildings=buildings, hands=hands, tiles=[["red 12"]], resources=[0])
    assert decision(*after(gk, drawn, "card yellow 9", "card D"))[1] == "without tile"


def test_few_tiles_are_kept_at_the_run_out():
    drawn = run_out(left=("red 20", "red 19", "red 18"), tiles=[[]])
    assert decision(*drawn) == ("return all but a few", "done returning")


def test_a_building_is_placed_where_its_lines_pay_most():
    """Column D pays 6, rows 1 and 2 pay 3."""
    park, buildings = {"do": "place", "zone": "PARK", "size": 1}, {"C3 TL": ("RES", 0)}
    drawn = us.run(park, buildings=buildings)
    assert decision(*drawn) == ("place where lines pay", "site D1 TL")


def test_a_rich_seat_does_not_invest():
    not_by("invest when poor", us.position(**HOUSE, wealth=30, hands=[{0: 3, 2: 1}]))


def test_an_offer_that_is_dear_is_declined():
    assert decision(*us.run(OFFER, wealth=8)) == ("accept what is cheap", "decline")
    assert decision(*us.run(AUCTION, wealth=[2, 0])) == ("bid what is cheap", "decline")


def test_without_a_rule_any_legal_action_is_played_all_equally_often(monkeypatch):
    game, games = tu.position()
    monkeypatch.setattr(rules, "check_act", lambda game, name, masks, states: (masks, states))
    masks = np.zeros((400, game.num_actions), np.int8)
    masks[:, [203, 240]] = 1  # roofs, although it is the beginning of a turn
    bot = RulesBot(game, seed=3)
    states = clone(games, np.zeros(400, np.int64))
    assert set(bot.explain(masks, states)) == {ANY}
    counts = np.bincount(bot.act(None, masks, states), minlength=game.num_actions)
    assert counts[[203, 240]].sum() == 400
    assert 150 < counts[203] < 250


# --------------------------------------------------------------------------- hidden information


def positions(game, plies, count=COUNT):
    vec = sprawl_env.make_vec(game, count, seed=plies, observations=None)
    vec.reset()
    for _ in range(plies):
        vec.step(vec.sample_actions())
    return vec.games, vec.masks.copy()


@pytest.mark.compiled
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("plies", [1, 25])
def test_what_is_hidden_does_not_change_the_decision(any_game, name, plies):
    states, masks = positions(any_game, plies)
    bot = make_bot(name, any_game)
    chosen, hidden = [], set()
    for seed in range(REDEALS):
        other = clone(states)
        for k in range(len(other)):
            any_game.redeal_hidden(other, k, 100 * seed + k, int(other["to_play"][k]))
        hidden.add(other.tobytes())
        bot.seed(5)
        chosen.append(bot.act(None, masks, other).tolist())
    assert len(hidden) == REDEALS
    assert chosen == chosen[:1] * REDEALS


def test_only_the_bot_that_redeals_by_itself_gets_the_true_states():
    game = sprawl_env.game("tower_up")
    states, masks = positions(game, 3, count=2)
    rows = np.arange(2)
    given = {n: states_for(make_bot(n, game), game, states, rows, masks) for n in NAMES}
    assert given["heldout:features"].tobytes() == states.tobytes()
    assert given["heldout:rules"].tobytes() != states.tobytes()


def test_acting_changes_neither_the_states_nor_the_masks():
    game = sprawl_env.game("tower_up")
    states, masks = positions(game, 9, count=4)
    before = states.tobytes(), masks.tobytes()
    for name in NAMES:
        make_bot(name, game).act(None, masks, states)
    assert (states.tobytes(), masks.tobytes()) == before


# ---------------------------------------------------------------------------------- whole games

OPTIONS = {
    "tower_up": [{"objectives": "start", "starting_floors": 5}],
    "ginkgopolis": [{"characters": "introductory", "open_screens": True}],
    "urban_sprawl": [{"length": "short"}, {"length": "long"}],
}
WHOLE = [(name, {"num_players": seats}) for name in GAMES for seats in SEATS[name]]
WHOLE += [(name, options) for name in GAMES for options in OPTIONS[name]]
WHOLE += [("ginkgopolis", {"num_players": 1, "difficulty": "expert"})]


@pytest.mark.compiled
@pytest.mark.parametrize(("name", "options"), WHOLE)
def test_whole_games_are_legal_and_the_same_for_the_same_seed(name, options):
    game = sprawl_env.game(name, **options)
    line_up = [NAMES[k % 2] for k in range(options.get("num_players", 2))]
    found = [play_games(game, line_up, 4, seed=8) for _ in range(2)]
    assert np.array_equal(found[0].scores, found[1].scores)
    assert np.array_equal(found[0].plies, found[1].plies)
    assert not found[0].truncated.any()


@pytest.mark.compiled
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("game", GAMES)
def test_it_wins_against_random(game, name):
    found = play_games(sprawl_env.game(game), [name, "random"], 20, seed=2)
    assert found.wins[:, 0].sum() >= 18


@pytest.mark.compiled
def test_the_weights_decide():
    """The rating is linear in them: with all of them 0 every action is as good."""
    game = sprawl_env.game("tower_up")
    states, masks = positions(game, 30, count=40)
    bot = FeaturesBot(game)

    def chosen():
        bot.seed(1)  # ties are broken alike
        return bot.act(None, masks, states)

    before = chosen()
    assert np.array_equal(chosen(), before)
    bot._scratch[3][:] = 0.0
    assert not np.array_equal(chosen(), before)


@pytest.mark.compiled
@pytest.mark.parametrize("name", GAMES)
def test_every_feature_has_one_weight(name):
    game = sprawl_env.game(name)
    weights = look_of(game.rules).weights
    assert all(isinstance(weight, float) and weight != 0.0 for weight in weights.values())
    bot = FeaturesBot(game)
    trial, mask, features, factors = bot._scratch
    written = np.full(len(features) + 8, np.nan)  # room for features without a weight
    bot._scratch = trial, mask, written, factors
    states, masks = positions(game, 30, count=8)
    bot.act(None, masks, states)
    assert np.isfinite(written[: len(weights)]).all()
    assert np.isnan(written[len(weights) :]).all()


# ------------------------------------------------------------------ how they are named and found


@pytest.mark.parametrize("name", NAMES)
def test_the_names_make_the_bots(name):
    game = sprawl_env.game("tower_up")
    assert make_bot(name, game).name == name
    assert as_bot(name, game, 3).name == name
    assert as_bot(type(make_bot(name, game)), game, 3).name == name
    assert name in BOTS


@pytest.mark.parametrize("name", ["heldout:other", "heldout", "heldout:rules,x=1", "heldout:rule"])
def test_another_name_is_one_line(name):
    with pytest.raises(UnknownName, match="unknown bot") as error:
        make_bot(name, sprawl_env.game("tower_up"))
    assert "\n" not in str(error.value)
    assert str(error.value).endswith("choose from heldout:features, heldout:rules")


@pytest.mark.parametrize("name", NAMES)
def test_a_game_of_ones_own_is_one_line(name):
    with pytest.raises(UnknownName) as error:
        make_bot(name, sprawl_env.game(TOY))
    expected = f"bot {name!r} plays tower_up, ginkgopolis, urban_sprawl, not 'toy'"
    assert str(error.value) == expected


def contract(word):
    """Return the import contract whose name contains a word."""
    contracts = tomllib.loads(PYPROJECT.read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    return next(each for each in contracts if word in each["name"])


def imported_by(path):
    """Return the modules and names that a module imports, also inside of functions."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module
            yield from (f"{node.module}.{each.name}" for each in node.names)


def trainers():
    """Return the experiments that import what trains."""
    for path in sorted((ROOT / "experiments").rglob("*.py")):
        if any(name in TRAINS for name in imported_by(path)):
            yield ".".join(path.relative_to(ROOT).with_suffix("").parts)


def test_no_training_code_may_import_held_out_bots():
    found = contract("never trained with")
    assert found["forbidden_modules"] == ["sprawl_env.bots.heldout"]
    assert set(found["source_modules"]) == {"sprawl_env.learning", *trainers()}
    assert "experiments.train_sb3" in found["source_modules"]


def test_held_out_bots_may_not_import_the_other_bots():
    found = contract("know nothing of the other bots")
    others = {"heuristics", "greedy", "planner", "mcts", "search", "policy"}
    assert found["source_modules"] == ["sprawl_env.bots.heldout"]
    assert set(found["forbidden_modules"]) == {f"sprawl_env.bots.{name}" for name in others}
    assert not found.get("allow_indirect_imports", False)
