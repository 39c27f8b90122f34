"""GK §1: cards, characters and counts as packaged, and the errors of a user's data folder."""

from collections import Counter

import pytest

import sprawl_env
from sprawl_env.core.errors import DataError
from sprawl_env.games.ginkgopolis.constants import ACTS, COLOURS, Count, Gain

RESOURCE, TILE, POINT = Gain.RESOURCE, Gain.TILE, Gain.POINT


@pytest.fixture(scope="module")
def game():
    return sprawl_env.game("ginkgopolis", num_players=2)


@pytest.fixture(scope="module")
def t(game):
    return game.tables[0]


def card_id(colour, number):
    return colour * 20 + number - 1


# ---------------------------------------------------------------- GK §1: building cards


@pytest.mark.parametrize("colour", range(3))
@pytest.mark.parametrize("number", range(1, 7))
def test_gk_1_cards_1_to_6_give_one_of_their_own_kind(t, colour, number):
    card = card_id(colour, number)
    assert t.card_counts[card] == Count.NOTHING
    assert ACTS[t.card_act[card]] == ("exploit", "urbanize", "construct")[(number - 1) % 3]
    expected = [0, 0, 0]
    expected[colour] = 1
    assert t.card_gain[card].tolist() == expected


@pytest.mark.parametrize("colour", range(3))
@pytest.mark.parametrize("number", (7, 8, 9))
def test_gk_1_cards_7_to_9_give_their_own_kind_and_a_point_and_yellow_ones_two_points(
    t, colour, number
):
    card = card_id(colour, number)
    assert t.card_counts[card] == Count.NOTHING
    assert ACTS[t.card_act[card]] == ("exploit", "urbanize", "construct")[number - 7]
    assert t.card_gain[card].tolist() == ([1, 0, 1], [0, 1, 1], [0, 0, 2])[colour]


@pytest.mark.parametrize(
    ("number", "counted"),
    [
        (10, ("red", "blue", "yellow")),
        (11, ("yellow", "red", "red")),
        (12, ("blue", "yellow", "blue")),
        (13, ("red", "blue", "yellow")),
    ],
)
def test_gk_1_cards_10_to_13_count_buildings_of_a_colour(t, number, counted):
    for colour in range(3):
        card = card_id(colour, number)
        assert t.card_counts[card] == Count.BUILDINGS_OF_COLOUR
        assert COLOURS[t.card_colour[card]] == counted[colour]
        assert t.card_points[card] == 1
    assert t.colour_per_level == 0


@pytest.mark.parametrize(
    ("number", "counts", "points"),
    [
        (14, Count.LOW_BUILDINGS, 1),
        (15, Count.TALL_BUILDINGS, 3),
        (16, Count.CARDS_OF_ACT, 2),
        (17, Count.CARDS_OF_ACT, 2),
        (18, Count.CARDS_OF_ACT, 2),
        (19, Count.CARDS_OF_COLOUR, 2),
        (20, Count.FLAT, 9),
    ],
)
def test_gk_1_cards_14_to_20(t, number, counts, points):
    for colour in range(3):
        card = card_id(colour, number)
        assert t.card_counts[card] == counts
        assert t.card_points[card] == points
        assert t.card_gain[card].tolist() == [0, 0, 0]
        if counts == Count.CARDS_OF_ACT:
            assert ACTS[t.card_act[card]] == ACTS[number - 16]
    assert t.low_levels == 2


def test_gk_1_one_building_card_for_every_tile(t):
    assert len(t.card_counts) == 60
    assert Counter(t.card_counts.tolist()) == {
        Count.NOTHING: 27,
        Count.BUILDINGS_OF_COLOUR: 12,
        Count.LOW_BUILDINGS: 3,
        Count.TALL_BUILDINGS: 3,
        Count.CARDS_OF_ACT: 9,
        Count.CARDS_OF_COLOUR: 3,
        Count.FLAT: 3,
    }


# ---------------------------------------------------------------- GK §1: characters


@pytest.mark.parametrize(
    ("colour", "items"),
    [  # exploit, urbanize, construct: resources, points, tiles
        ("red", ((1, 1, 1), (1, 1, 1), (0, 0, 1))),
        ("blue", ((2, 1, 0), (2, 1, 0), (1, 0, 0))),
        ("yellow", ((2, 2, 1), (2, 2, 1), (2, 1, 1))),
    ],
)
def test_gk_1_starting_items_of_the_characters(t, colour, items):
    for act, (resources, points, tiles) in enumerate(items):
        found = t.character_items[COLOURS.index(colour) * 3 + act]
        assert found[[RESOURCE, POINT, TILE]].tolist() == [resources, points, tiles]


def test_gk_1_27_characters_four_red_three_blue_and_two_yellow_of_each_act(t):
    kinds = Counter(t.character_kind[: t.num_characters].tolist())
    assert t.num_characters == 27
    assert kinds == {kind: (4, 3, 2)[kind // 3] for kind in range(9)}


@pytest.mark.parametrize(
    ("number", "acts"),
    enumerate(["UCC", "CCE", "EUU", "UUC", "EEC", "UEE"], start=1),
)
def test_gk_1_introductory_sets_red_yellow_blue(t, number, acts):
    red, yellow, blue = ("EUC".index(act) for act in acts)
    assert t.sets[number - 1].tolist() == [red, 3 + blue, 6 + yellow]


def test_gk_1_patricias_set_2_starts_with_4_resources_2_tiles_and_2_points(t):
    items = t.character_items[t.sets[1]].sum(axis=0)
    assert items[[RESOURCE, TILE, POINT]].tolist() == [4, 2, 2]


def test_gk_1_nine_characters_belong_to_no_set(t):
    in_sets = Counter(kind for row in t.sets[: t.num_sets].tolist() for kind in row)
    copies = Counter(t.character_kind[: t.num_characters].tolist())
    assert t.num_sets == 6
    assert all(in_sets[kind] <= copies[kind] for kind in in_sets)
    assert (copies - in_sets).total() == 9


# ---------------------------------------------------------------- GK §1: setup by seats


@pytest.mark.parametrize(
    ("seats", "tiles", "face_up", "resources"),
    [(1, 45, 7, 25), (2, 45, 7, 25), (3, 45, 7, 20), (4, 51, 0, 18), (5, 51, 0, 16)],
)
def test_gk_1_setup_by_seats(t, seats, tiles, face_up, resources):
    assert 51 - t.removed_tiles[seats] == tiles
    assert t.face_up_cards[seats] == face_up
    assert t.resources[seats] == resources


def test_gk_1_two_tokens_worth_two_points_and_a_point_for_a_tile_returned(t):
    assert (t.tokens, t.token_points, t.return_points) == (2, 2, 1)


def test_gk_1_solo_begins_with_six_of_each(t):
    assert t.solo_items.tolist() == [6, 6, 6]


def test_gk_1_every_row_says_where_it_comes_from(game):
    assert game.data.tally() == {
        ("components", "rules"): {"printed": 1},
        ("components", "colour_bonus"): {"public": 1},
        ("cards", "card"): {"printed": 16, "public": 4},
        ("characters", "character"): {"public": 9},
        ("characters", "set"): {"public": 6},
    }


def test_gk_1_the_unverified_row_says_so(game):
    assert "unverified" in game.data.row("components", "colour_bonus").note


# ---------------------------------------------------------------- a user's data folder


def packaged(game, file):
    return (game.rules.data_folder / file).read_text(encoding="utf-8")


def load(folder, file, text, **options):
    (folder / file).write_text(text, encoding="utf-8")
    return sprawl_env.game("ginkgopolis", data=folder, **options)


def refuse(folder, file, text):
    """Load a folder with this one file; return the message, which is a single line."""
    with pytest.raises(DataError) as error:
        load(folder, file, text)
    message = str(error.value)
    assert "\n" not in message
    return message


def card(number):
    return f"[[card]]\nnumber = {number}\n"


# file, text to replace, its replacement, part of the message
BROKEN = {
    "too many cards face up with 4 seats": (
        "components.toml",
        "face_up_cards = [7, 7, 7, 0, 0]",
        "face_up_cards = [7, 7, 7, 5, 0]",
        "components.toml: rules 1: face_up_cards: expected at most 4 with 4 seats",
    ),
    "too many cards face up with 5 seats": (
        "components.toml",
        "face_up_cards = [7, 7, 7, 0, 0]",
        "face_up_cards = [7, 7, 7, 0, 2]",
        "components.toml: rules 1: face_up_cards: expected at most ",
    ),
    "more cards face up than a row may say": (
        "components.toml",
        "face_up_cards = [7, 7, 7, 0, 0]",
        "face_up_cards = [8, 7, 7, 0, 0]",
        "components.toml: rules 1: face_up_cards 1: expected a whole number 0..7, got 8",
    ),
    "a list for four numbers of seats": (
        "components.toml",
        "resources = [25, 25, 20, 18, 16]",
        "resources = [25, 25, 20, 18]",
        "components.toml: rules 1: resources: expected",
    ),
    "cards out of order": (
        "cards.toml",
        card(1),
        card(2),
        "cards.toml: card 1: number: expected 1 (rows in order), got 2",
    ),
    "a card that gives nothing": (
        "cards.toml",
        card(1) + 'act = "exploit"\nown = 1\n',
        card(1),
        "cards.toml: card 1: expected an act with own = 1.., or counts",
    ),
    "a card with an act that gives nothing": (
        "cards.toml",
        card(1) + 'act = "exploit"\nown = 1\n',
        card(1) + 'act = "exploit"\n',
        "cards.toml: card 1: expected an act with own = 1.., or counts",
    ),
    "a card that gives something on no act": (
        "cards.toml",
        card(1) + 'act = "exploit"\nown = 1\n',
        card(1) + "own = 1\n",
        "cards.toml: card 1: expected an act with own = 1.., or counts",
    ),
    "a card with both kinds of bonus": (
        "cards.toml",
        card(20),
        card(20) + "own = 1\n",
        "cards.toml: card 20: own: expected only in a row without counts",
    ),
    "colours where none belong": (
        "cards.toml",
        card(20),
        card(20) + 'colours = ["red", "red", "red"]\n',
        "cards.toml: card 20: colours: expected if and only if counts is 'buildings_of_colour'",
    ),
    "colours on a permanent bonus": (
        "cards.toml",
        card(1),
        card(1) + 'colours = ["red", "red", "red"]\n',
        "cards.toml: card 1: colours: expected if and only if counts is 'buildings_of_colour'",
    ),
    "an act where none belongs": (
        "cards.toml",
        card(20),
        card(20) + 'act = "exploit"\n',
        "cards.toml: card 20: act: expected if and only if counts is 'cards_of_act'",
    ),
    "no act where one is counted": (
        "cards.toml",
        'counts = "cards_of_act"\nact = "urbanize"',
        'counts = "cards_of_act"',
        "cards.toml: card 17: act: expected if and only if counts is 'cards_of_act'",
    ),
    "an unknown thing to count": (
        "cards.toml",
        'counts = "flat"',
        'counts = "nothing"',
        "cards.toml: card 20: counts: expected one of buildings_of_colour",
    ),
    "characters out of order": (
        "characters.toml",
        'colour = "red"\nact = "urbanize"',
        'colour = "red"\nact = "exploit"',
        "characters.toml: character 2: expected red urbanize (rows in order), got red exploit",
    ),
    "characters of the wrong colour": (
        "characters.toml",
        'colour = "blue"\nact = "exploit"',
        'colour = "red"\nact = "exploit"',
        "characters.toml: character 4: expected blue exploit (rows in order), got red exploit",
    ),
    "an unknown act in a set": (
        "characters.toml",
        '[[set]]\nred = "urbanize"',
        '[[set]]\nred = "build"',
        "characters.toml: set 1: red: expected one of exploit, urbanize, construct",
    ),
    "an unknown unit": (
        "components.toml",
        'per = "building"',
        'per = "tile"',
        "components.toml: colour_bonus 1: per: expected one of building, level",
    ),
    "unknown field": (
        "components.toml",
        "token_points = 2",
        "tokenpoints = 2",
        "components.toml: rules 1: unknown field 'tokenpoints' (did you mean 'token_points'?)",
    ),
    "missing field": (
        "components.toml",
        "return_points = 1",
        "",
        "components.toml: rules 1: return_points is missing",
    ),
    "no source": (
        "cards.toml",
        'source = "printed"\nnote',
        "note",
        "cards.toml: card 1: source is missing",
    ),
}


@pytest.mark.parametrize(("file", "old", "new", "says"), BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_file_is_refused_naming_file_row_and_field(tmp_path, game, file, old, new, says):
    text = packaged(game, file)
    assert old in text
    assert says in refuse(tmp_path, file, text.replace(old, new, 1))


@pytest.mark.parametrize(("solo", "refused"), [(9, False), (10, True)])
def test_solo_must_leave_a_resource_in_the_supply(tmp_path, game, solo, refused):
    text = packaged(game, "components.toml").replace("resources = [25,", "resources = [10,", 1)
    text = text.replace("solo_resources = 6", f"solo_resources = {solo}", 1)
    if refused:
        message = refuse(tmp_path, "components.toml", text)
        assert message.endswith("components.toml: rules 1: solo_resources: expected fewer than 10")
    else:
        load(tmp_path, "components.toml", text)


# total: copies of each of the nine kinds, and whether they can be dealt
COPIES = {
    20: ([4, 2, 2, 2, 2, 2, 2, 2, 2], True),
    19: ([3, 2, 2, 2, 2, 2, 2, 2, 2], False),
    48: ([9, 9, 9, 9, 4, 2, 2, 2, 2], True),
    49: ([9, 9, 9, 9, 5, 2, 2, 2, 2], False),
}


@pytest.mark.parametrize("total", COPIES)
def test_20_to_48_characters_can_be_dealt(tmp_path, game, total):
    copies, good = COPIES[total]
    head, *rows = packaged(game, "characters.toml").split("copies = ")
    rows = [row.split("\n", 1)[1] for row in rows]
    text = head + "".join(f"copies = {n}\n{row}" for n, row in zip(copies, rows, strict=True))
    if good:
        loaded = load(tmp_path, "characters.toml", text, num_players=5)
        assert loaded.tables[0].num_characters == total
        assert loaded.rules.violations(loaded.tables, loaded.deal(1, seed=1), 0) == []
    else:
        message = refuse(tmp_path, "characters.toml", text)
        expected = f"characters.toml: character: expected copies to sum to 20..48, got {total}"
        assert message == expected


@pytest.mark.parametrize(
    ("file", "table", "least"),
    [("cards", "card", 20), ("characters", "character", 9), ("characters", "set", 5)],
)
def test_a_missing_row_is_refused(tmp_path, game, file, table, least):
    text = packaged(game, f"{file}.toml")
    rows = text.split(f"[[{table}]]")
    kept = f"[[{table}]]".join(rows[:least])
    if table == "character":
        kept += text[text.index("[[set]]") :]
    message = refuse(tmp_path, f"{file}.toml", kept)
    assert f"{file}.toml: {table}: expected {least}" in message
    assert message.endswith(f"rows, got {least - 1}")


@pytest.mark.parametrize(
    ("face_up", "seats"), [("7, 7, 7, 0, 0", 3), ("7, 7, 7, 4, 0", 4), ("7, 7, 7, 0, 1", 5)]
)
def test_gk_4_g8_cards_face_up_are_refused_or_leave_a_deck_when_all_hands_are_dealt(
    tmp_path, game, face_up, seats
):
    """With 5 seats, 20 of the 21 cards are dealt: with one face up, no card is left for a deck."""
    text = packaged(game, "components.toml").replace("7, 7, 7, 0, 0", face_up, 1)
    options = {"num_players": seats, "characters": "introductory"}
    try:
        loaded = load(tmp_path, "components.toml", text, **options)
    except DataError as error:
        assert seats == 5, error
        return
    games = loaded.deal(1, seed=1)
    assert loaded.rules.violations(loaded.tables, games, 0) == []


def test_a_file_of_another_name_is_refused(tmp_path):
    message = refuse(tmp_path, "card.toml", "")
    assert "card.toml: no data file of this game (did you mean 'cards.toml'?)" in message


def test_text_that_is_no_toml_is_refused(tmp_path):
    assert "cards.toml: is not valid TOML" in refuse(tmp_path, "cards.toml", "[[card\n")
