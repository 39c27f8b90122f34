"""GK §4, G2, G3, G13 to G15: exploit, urbanize, construct and an urbanization card alone."""

import pytest

from sprawl_env.games.ginkgopolis.constants import Step
from tests.unit.games.ginkgopolis.position import (
    START,
    building_at,
    choose,
    discards_of,
    hand_of,
    holdings,
    kept_by,
    legal_names,
    markers_of,
    play,
    position,
    step_of,
    tiles_of,
    workers_of,
)

RED_EXPLOIT = ("red exploit",) * 3
NO_STOCK = {0: 0}


def change(game, games, seat, *names):
    """Play actions; return the change of a seat's resources, tiles and points."""
    before = holdings(games, seat)
    play(game, games, *names)
    return tuple(b - a for a, b in zip(before, holdings(games, seat), strict=True))


def act(play_, seat=0, names=(), **drawn):
    """Play the first player's action; return the games and what a seat has gained."""
    game, games = position(**drawn)
    before = holdings(games, seat)
    choose(game, games, play_)
    play(game, games, *names)
    more = tuple(b - a for a, b in zip(before, holdings(games, seat), strict=True))
    return games, more


def waits_for_seat_1(games):
    """Assert that the first player's action is over and seat 1 plays a letter alone."""
    return step_of(games) == Step.GAIN and games.to_play[0] == 1


# ---------------------------------------------------------------- exploit


@pytest.mark.parametrize("levels", [2, 3, 5])
@pytest.mark.parametrize(("tile", "kind"), [("red 9", 0), ("blue 9", 1), ("yellow 9", 2)])
def test_gk_1_a_building_exploited_yields_its_colour_once_a_level(tile, kind, levels):
    games, more = act(tile, buildings={(1, 1): (tile, 1, levels)}, hands=[[tile]])
    assert more == tuple(levels if k == kind else 0 for k in range(3))
    assert waits_for_seat_1(games)


@pytest.mark.parametrize(
    ("tile", "more"), [("red 3", (1, 0, 0)), ("blue 3", (0, 1, 0)), ("yellow 3", (0, 0, 1))]
)
def test_g14_a_starting_building_has_one_level(tile, more):
    assert act(tile, hands=[[tile]])[1] == more


@pytest.mark.parametrize("owner", [0, 1])
def test_a_building_is_exploited_whoever_owns_it_and_the_owner_gets_nothing(owner):
    drawn = {"buildings": {(1, 1): ("red 9", owner, 2)}, "hands": [["red 9"]]}
    games, more = act("red 9", **drawn)
    assert more == (2, 0, 0)
    assert act("red 9", seat=1, **drawn)[1] == (0, 0, 0)
    assert building_at(games, 1, 1) == ("red 9", owner, 2)
    assert workers_of(games) == []


def test_a_card_exploited_is_discarded():
    games, _ = act("red 3", hands=[["red 3"]])
    assert discards_of(games) == {"red 3"}
    assert "red 3" not in hand_of(games, 0)
    assert kept_by(games, 0) == []


def test_seed_example_lucia_exploits_red_7_with_two_levels():
    games, more = act(
        "red 7",
        buildings={(1, 1): ("red 7", 1, 2)},
        hands=[["red 7"]],
        characters=[("blue exploit", "yellow exploit", "red urbanize"), RED_EXPLOIT],
    )
    assert more == (2, 1, 1)
    assert discards_of(games) == {"red 7"}


@pytest.mark.parametrize(
    ("character", "more"),
    [
        ("red exploit", (1, 0, 1)),
        ("blue exploit", (0, 1, 1)),
        ("yellow exploit", (0, 0, 2)),
        ("red urbanize", (0, 0, 1)),
        ("blue construct", (0, 0, 1)),
        ("yellow construct", (0, 0, 1)),
    ],
)
def test_gk_1_exploiting_pays_exploit_characters_only(character, more):
    others = ("red construct", "red urbanize")
    found = act("yellow 3", hands=[["yellow 3"]], characters=[(character, *others), RED_EXPLOIT])
    assert found[1] == more


# ---------------------------------------------------------------- urbanization card alone


@pytest.mark.parametrize(("taken", "more"), [("resource", (1, 0, 0)), ("tile", (0, 1, 0))])
def test_g15_an_urbanization_card_alone_takes_a_resource_or_a_tile(taken, more):
    game, games = position(hands=[["C"]])
    before = markers_of(games)
    choose(game, games, "C")
    assert (games.to_play[0], step_of(games)) == (0, Step.GAIN)
    assert legal_names(game, games) == {"take resource", "take tile"}
    assert change(game, games, 0, f"take {taken}") == more
    assert discards_of(games) == {"C"}
    assert markers_of(games) == before
    assert waits_for_seat_1(games)


@pytest.mark.parametrize(
    ("left", "offered"), [(0, {"take tile"}), (1, {"take resource", "take tile"})]
)
def test_g15_it_chooses_among_what_the_supply_still_has(left, offered):
    game, games = position(hands=[["C"]], stock={0: left})
    choose(game, games, "C")
    assert legal_names(game, games) == offered


EMPTY = {"rest_of_tiles": 1, "run_outs": 2, "ending": 1}


def test_g15_with_an_empty_supply_only_the_resource_is_left():
    game, games = position(hands=[["C"]], **EMPTY)
    choose(game, games, "C")
    assert (games.to_play[0], legal_names(game, games)) == (0, {"take resource"})


def test_g15_with_neither_left_there_is_no_ply_and_the_card_is_discarded():
    games, more = act("C", hands=[["C"]], stock=NO_STOCK, **EMPTY)
    assert more == (0, 0, 0)
    assert discards_of(games) == {"C"}
    assert waits_for_seat_1(games)


def test_g15_the_bonuses_of_exploit_follow():
    characters = [("yellow exploit", "yellow urbanize", "yellow construct"), RED_EXPLOIT]
    _, more = act("C", names=["take resource"], hands=[["C"]], characters=characters)
    assert more == (1, 0, 1)


def test_g15_with_neither_left_the_bonuses_are_still_paid():
    characters = [("yellow exploit", "yellow exploit", "yellow construct"), RED_EXPLOIT]
    _, more = act("C", hands=[["C"]], characters=characters, stock=NO_STOCK, **EMPTY)
    assert more == (0, 0, 2)


# ---------------------------------------------------------------- urbanize


def test_urbanize_puts_tile_resource_and_worker_in_the_markers_place():
    games, _ = act(("E", "red 4"), names=["marker east"], hands=[["E"]], tiles=[["red 4", "red 5"]])
    assert building_at(games, 3, 1) == ("red 4", 0, 1)
    assert workers_of(games) == ["red 4"]
    assert tiles_of(games, 0) == ["red 5"]
    assert markers_of(games)["E"] == ((4, 1), "west")
    assert discards_of(games) == {"E"}
    assert kept_by(games, 0) == []
    assert waits_for_seat_1(games)


CORNER = {(-1, 0): ("yellow 9", 1), (-1, -1): ("blue 9", 1, 2)}  # west of A's cell: two levels


def test_seed_example_eva_urbanizes_at_a_with_red_4():
    games, more = act(
        ("A", "red 4"),
        names=["marker north"],
        buildings=CORNER,
        hands=[["A"]],
        tiles=[["red 4"]],
        characters=[("red urbanize", "blue exploit", "yellow construct"), RED_EXPLOIT],
    )
    # red 1 to the south, blue 9 of two levels to the west, one red bonus card
    assert more == (-1 + 1 + 1, -1 + 2, 0)
    assert building_at(games, 0, -1) == ("red 4", 0, 1)
    assert discards_of(games) == {"A"}


def test_g13_nothing_is_activated_before_the_marker_has_its_place():
    game, games = position(hands=[["A"]], tiles=[["red 4"]])
    before = holdings(games, 0)
    choose(game, games, ("A", "red 4"))
    assert step_of(games) == Step.MARKER
    assert holdings(games, 0) == (before[0] - 1, 0, 0)
    assert change(game, games, 0, "marker west") == (1, 0, 0)


# G's cell (2, 3): north is blue 3; with these also east and west, and a diagonal one.
AROUND_G = {
    (3, 2): ("yellow 15", 1, 2),  # diagonal
    (3, 3): ("yellow 9", 1, 3),  # east
    (1, 3): ("red 9", 0, 4),  # west
}


def test_urbanize_activates_all_adjacent_buildings_by_their_levels_never_diagonal_ones():
    _, more = act(
        ("G", "blue 4"),
        names=["marker south"],
        buildings=AROUND_G,
        hands=[["G"]],
        tiles=[["blue 4"]],
        resources=[6],
    )
    assert more == (-1 + 4, -1 + 1, 3)


def test_urbanize_does_not_activate_the_new_building():
    _, more = act(("C", "red 4"), names=["marker north"], hands=[["C"]], tiles=[["red 4"]])
    assert more == (-1, -1, 1)  # yellow 3 alone


@pytest.mark.parametrize(
    ("character", "more"),
    [
        ("red urbanize", (0, -1, 1)),
        ("blue urbanize", (-1, 0, 1)),
        ("yellow urbanize", (-1, -1, 2)),
        ("red exploit", (-1, -1, 1)),
        ("yellow construct", (-1, -1, 1)),
    ],
)
def test_gk_1_urbanizing_pays_urbanize_characters_only(character, more):
    characters = [(character, "red construct", "red exploit"), RED_EXPLOIT]
    drawn = {"hands": [["C"]], "tiles": [["red 4"]], "characters": characters}
    assert act(("C", "red 4"), names=["marker north"], **drawn)[1] == more


def test_g2_with_one_resource_a_seat_can_urbanize():
    drawn = {"hands": [["C"]], "tiles": [["red 4"]], "resources": [1]}
    games, more = act(("C", "red 4"), names=["marker north"], **drawn)
    assert more == (-1, -1, 1)
    assert building_at(games, 2, -1) == ("red 4", 0, 1)


def test_g2_without_a_resource_the_tile_goes_back_and_the_card_is_played_alone():
    characters = [("yellow exploit", "yellow urbanize", "yellow construct"), RED_EXPLOIT]
    drawn = {"hands": [["C"]], "tiles": [["red 4"]], "resources": [0], "characters": characters}
    game, games = position(**drawn)
    choose(game, games, ("C", "red 4"))
    assert legal_names(game, games) == {"take resource", "take tile"}
    assert change(game, games, 0, "take resource") == (1, 0, 1)
    assert tiles_of(games, 0) == ["red 4"]
    assert building_at(games, 2, -1) is None
    assert markers_of(games)["C"] == ((2, -1), "south")
    assert discards_of(games) == {"C"}
    assert workers_of(games) == []


# ---------------------------------------------------------------- construct: payment


def construct(tile, card, levels, owner=1, **drawn):
    """Play a building card with a tile as seat 0; the building is at (1, 1)."""
    drawn = {"buildings": {(1, 1): (card, owner, levels)}} | drawn
    return act((card, tile), hands=[[card]], tiles=[[tile]], **drawn)


def is_built(games, tile):
    """Return whether the tile tops the building at (1, 1): the card was not played alone."""
    built = building_at(games, 1, 1)[0] == tile
    assert built == (tile not in tiles_of(games, 0))
    assert built == (workers_of(games) == [tile])
    return built


def test_seed_example_patricia_builds_red_4_on_lucias_blue_5():
    games, more = construct(
        "red 4",
        "blue 5",
        2,
        points=[1],
        resources=[4, 5],
        characters=[("yellow construct", "red construct", "blue exploit"), RED_EXPLOIT],
    )
    assert more == (-3 - 1 + 1, -1, -1 + 1)
    assert holdings(games, 1) == (5 + 2, 0, 2)
    assert building_at(games, 1, 1) == ("red 4", 0, 3)
    assert workers_of(games) == ["red 4"]
    assert kept_by(games, 0) == ["blue 5"]
    assert discards_of(games) == set()
    assert waits_for_seat_1(games)


@pytest.mark.parametrize(
    ("tile", "card", "resources", "points", "payable"),
    [
        ("red 4", "blue 5", 4, 1, True),
        ("red 4", "blue 5", 3, 1, False),
        ("red 4", "blue 5", 4, 0, False),
        ("blue 4", "blue 5", 3, 1, True),  # same colour
        ("blue 4", "blue 5", 2, 9, False),
        ("blue 4", "blue 5", 9, 0, False),
        ("blue 6", "blue 5", 3, 0, True),  # higher number
        ("red 5", "blue 5", 4, 0, True),  # equal number
        ("red 5", "blue 5", 3, 9, False),
        ("yellow 4", "blue 20", 4, 16, True),
        ("yellow 4", "blue 20", 4, 15, False),
        ("red 18", "yellow 20", 4, 2, True),
        ("red 18", "yellow 20", 4, 1, False),
    ],
)
def test_g3_the_price_is_exact_on_both_sides(tile, card, resources, points, payable):
    games, _ = construct(tile, card, 2, resources=[resources], points=[points])
    assert is_built(games, tile) == payable


@pytest.mark.parametrize("levels", [2, 3, 4])
def test_g3_a_level_more_costs_a_resource_more(levels):
    games, more = construct("blue 6", "blue 5", levels, resources=[levels + 1])
    assert more == (-(levels + 1), -1, 0)
    assert building_at(games, 1, 1) == ("blue 6", 0, levels + 1)
    games, _ = construct("blue 6", "blue 5", levels, resources=[levels])
    assert not is_built(games, "blue 6")


@pytest.mark.parametrize(
    ("tile", "resources", "payable"),
    [("blue 6", 1, True), ("blue 6", 0, False), ("red 6", 2, True), ("red 6", 1, False)],
)
def test_g3_own_resources_come_back_first_and_may_be_reused(tile, resources, payable):
    games, more = construct(tile, "blue 5", 2, owner=0, resources=[resources])
    assert is_built(games, tile) == payable
    if payable:
        assert more == (-resources, -1, 0)
        assert holdings(games, 0)[0] == 0
        assert building_at(games, 1, 1) == (tile, 0, 3)


@pytest.mark.parametrize("levels", [2, 3])
def test_g3_another_owner_gets_its_resources_and_a_point_each(levels):
    games, _ = construct("blue 6", "blue 5", levels, resources=[9, 4], points=[0, 7])
    assert holdings(games, 1) == (4 + levels, 0, 7 + levels)


def test_g3_building_on_ones_own_building_gives_no_points():
    games, more = construct("blue 6", "blue 5", 2, owner=0)
    assert more == (-1, -1, 0)
    assert holdings(games, 1) == (5, 0, 0)


def test_g3_the_other_owners_resources_do_not_pay():
    games, _ = construct("blue 6", "blue 5", 2, resources=[2, 9])
    assert not is_built(games, "blue 6")
    assert holdings(games, 1) == (9, 0, 0)


@pytest.mark.parametrize(("resources", "payable"), [(2, True), (1, False)])
def test_g14_building_over_a_starting_building_pays_nobody(resources, payable):
    game, games = position(
        3, hands=[["red 2"]], tiles=[["red 4"]], resources=[resources], points=[0, 0, 0]
    )
    choose(game, games, ("red 2", "red 4"))
    assert is_built(games, "red 4") == payable
    assert games.points[0, 1:3].tolist() == [0, 0]
    assert games.resources[0, 1:3].tolist() == [5, 5]
    if payable:
        assert holdings(games, 0) == (0, 0, 0)
        assert building_at(games, 1, 1) == ("red 4", 0, 2)


def test_g3_the_resource_for_another_colour_goes_to_the_supply():
    games, more = construct("red 6", "blue 5", 2, resources=[9])
    assert more == (-4, -1, 0)
    assert games.stock[0].tolist()[:2] == [25 - 9 + 1, 25 - 2 - 5]
    games, _ = construct("blue 6", "blue 5", 2, resources=[9])
    assert games.stock[0].tolist()[:2] == [25 - 9, 25 - 2 - 5]


def test_g13_the_resource_returned_can_come_back_as_a_bonus():
    characters = [("red construct",) * 3, RED_EXPLOIT]
    games, more = construct("red 6", "blue 5", 2, stock=NO_STOCK, characters=characters)
    assert more == (-3 - 1 + 1, -1, 0)
    assert games.stock[0, 0] == 0


# ---------------------------------------------------------------- construct: the rest


@pytest.mark.parametrize(
    ("character", "more"),
    [
        ("red construct", (-2, -1, 0)),
        ("blue construct", (-3, 0, 0)),
        ("yellow construct", (-3, -1, 1)),
        ("red exploit", (-3, -1, 0)),
        ("yellow urbanize", (-3, -1, 0)),
    ],
)
def test_gk_1_constructing_pays_construct_characters_only(character, more):
    characters = [(character, "red exploit", "red urbanize"), RED_EXPLOIT]
    assert construct("blue 6", "blue 5", 2, characters=characters)[1] == more


def test_constructing_activates_nothing():
    assert construct("blue 6", "blue 5", 2)[1] == (-3, -1, 0)


def test_g3_the_card_does_not_count_for_the_action_that_won_it():
    game, games = position(hands=[["red 3", "red 2"], ["L", "K"]], tiles=[["red 9", "red 8"]])
    before = holdings(games, 0)
    choose(game, games, ("red 3", "red 9"))
    assert holdings(games, 0) == (before[0] - 2, 1, 0)
    assert kept_by(games, 0) == ["red 3"]
    assert games.bonus[0, 0].tolist() == [[0, 0, 0], [0, 0, 0], [1, 0, 0]]


def test_a_card_kept_counts_from_the_next_action_on():
    games, more = construct("blue 6", "blue 5", 3, kept=[["red 6"]])
    assert more == (-4 + 1, -1, 0)
    assert kept_by(games, 0) == ["red 6", "blue 5"]


@pytest.mark.parametrize("points", [0, 9])
def test_g2_who_cannot_pay_moves_nothing_and_plays_the_card_alone(points):
    games, more = construct(
        "red 4",
        "blue 5",
        2,
        resources=[3 if points else 9, 5],
        points=[points],
        characters=[("yellow exploit", "red construct", "red urbanize"), RED_EXPLOIT],
    )
    assert more == (0, 2, 1)  # blue 5 exploited, and the bonus of exploit
    assert holdings(games, 1) == (5, 0, 0)
    assert building_at(games, 1, 1) == ("blue 5", 1, 2)
    assert "red 4" in tiles_of(games, 0)
    assert kept_by(games, 0) == []
    assert discards_of(games) == {"blue 5"}


def test_g2_the_mask_does_not_forbid_what_cannot_be_paid():
    game, games = position(
        buildings={(1, 1): ("blue 5", 1, 2)}, hands=[["blue 5"]], tiles=[["red 4"]], resources=[0]
    )
    play(game, games, "card blue 5", f"card {min(hand_of(games, 1))}")
    assert legal_names(game, games) == {"with tile red 4", "without tile"}


def test_g2_a_choice_may_become_payable_before_it_is_revealed():
    game, games = position(
        buildings={(1, 1): ("blue 5", 1, 2), (0, 0): ("blue 9", 1, 2)},
        hands=[["blue 5"], ["blue 9"]],
        tiles=[["blue 6"], ["blue 8"]],
        resources=[3, 1],
    )
    choose(game, games, ("blue 5", "blue 6"), ("blue 9", "blue 8"))
    # before, seat 1 had 1 + 2 resources and no point; then 3 + 2 and two points
    assert building_at(games, 0, 0) == ("blue 8", 1, 3)
    assert games.points[0, 1] == 2 - 1
    assert games.resources[0, 1] == 1 + 2 + 2 - 3


def test_g2_without_the_first_action_the_same_choice_could_not_be_paid():
    game, games = position(
        buildings={(1, 1): ("blue 5", 1, 2), (0, 0): ("blue 9", 1, 2)},
        hands=[["C"], ["blue 9"]],
        tiles=[[], ["blue 8"]],
        resources=[3, 1],
    )
    choose(game, games, "C", ("blue 9", "blue 8"))
    play(game, games, "take resource")
    assert building_at(games, 0, 0) == ("blue 9", 1, 2)


def test_two_seats_may_build_in_one_round_each_on_its_turn():
    game, games = position(
        first=1, hands=[["red 3"], ["red 2"]], tiles=[["red 4"], ["red 5"]], resources=[2, 2]
    )
    choose(game, games, ("red 2", "red 5"), ("red 3", "red 4"))
    assert building_at(games, 1, 1) == ("red 5", 1, 2)
    assert building_at(games, 2, 1) == ("red 4", 0, 2)
    assert (kept_by(games, 0), kept_by(games, 1)) == (["red 3"], ["red 2"])


# ---------------------------------------------------------------- permanent bonuses of cards 1 to 9

COVERED = {"red": 0, "blue": 3, "yellow": 6}  # cell of the start that has a building on top


def printed_bonus(card):
    """Return the bonus of GK §1: one of its own kind; from 7 on also a point."""
    colour, number = card.split()
    gain = [0, 0, 0]
    gain[("red", "blue", "yellow").index(colour)] += 1
    gain[2] += int(number) >= 7
    return gain


@pytest.mark.parametrize("act_played", range(3))
@pytest.mark.parametrize("number", range(1, 10))
@pytest.mark.parametrize("colour", COVERED)
def test_gk_1_bonus_of_cards_1_to_9(colour, number, act_played):
    card, start, cell = f"{colour} {number}", list(START), COVERED[colour]
    if card in start:  # a card that is kept lies below
        start[start.index(card)], start[cell] = start[cell], card
    play_, names, plain = (
        (start[2], (), (0, 0, 1)),
        (("C", "red 20"), ("marker north",), (-1, -1, 1)),
        ((start[5], "red 20"), (), (-2, -1, 0)),
    )[act_played]
    _, more = act(
        play_,
        names=names,
        start=start,
        buildings={(0, cell // 3): ("red 18", 0, 3)},
        hands=[[play_ if isinstance(play_, str) else play_[0]]],
        tiles=[["red 20"]],
        kept=[[card]],
    )
    bonus = printed_bonus(card) if (number - 1) % 3 == act_played else [0, 0, 0]
    assert more == tuple(a + b for a, b in zip(plain, bonus, strict=True))


def test_bonuses_of_other_seats_do_not_count():
    drawn = {"buildings": {(0, 2): ("red 18", 0, 3)}, "kept": [[], ["red 4"]]}
    assert act("yellow 3", hands=[["yellow 3"]], **drawn)[1] == (0, 0, 1)


def test_bonuses_add_up():
    drawn = {"buildings": {(0, 2): ("red 18", 0, 5)}, "kept": [["red 4", "red 7", "yellow 7"]]}
    assert act("yellow 3", hands=[["yellow 3"]], **drawn)[1] == (2, 0, 1 + 1 + 2)
