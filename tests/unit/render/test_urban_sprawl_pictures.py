"""The parts of Urban Sprawl's pictures: sizes, tooltips, targets, marks, names of seats."""

from collections import Counter
from itertools import islice, takewhile

import numpy as np
import pytest

import sprawl_env
from sprawl_env import replays
from sprawl_env.core.rules import Played, View
from sprawl_env.core.state import NOT_OVER
from sprawl_env.games.urban_sprawl import render_board, tips
from sprawl_env.games.urban_sprawl.actions import BUILD, LINE, OPTION, SEAT_AT, SITE
from sprawl_env.games.urban_sprawl.constants import (
    CORNERS,
    MAYOR,
    NUM_CARDS,
    NUM_KINDS,
    NUM_LINES,
    NUM_OFFICES,
    NUM_PLANNING,
    NUM_VOCATIONS,
    RENEWAL,
    SHAPES,
)
from sprawl_env.games.urban_sprawl.guide import GUIDE
from sprawl_env.games.urban_sprawl.names import card_name, kind_name
from sprawl_env.games.urban_sprawl.render_cards import (
    card_effects,
    effect_words,
    effects_of,
    event_effects,
    is_event,
    source_of,
)
from sprawl_env.games.urban_sprawl.steps import Step
from sprawl_env.kernels.compile import JIT
from sprawl_env.render.picture import BOARD, CARDS, INFO, SEAT
from sprawl_env.render.shapes import LEAST_SIZE, LEAST_TARGET, SEAT_COLOURS, Circle, Polygon, Text
from tests.boxes import box_of, boxes_of, free_side, overlapping
from tests.conftest import SEATS
from tests.golden.record_pictures import REPLAYS
from tests.unit.render.test_pictures import EDGE, random_positions

LENGTHS = ("standard", "long", "short")
FEW = 10 if JIT else 3  # positions for each number of seats and length
ROUNDING = 0.01


def parts_before_seats():
    yield "board", BOARD
    yield from ((f"contract-{k}", CARDS) for k in range(1, 6))
    yield from ((f"top-{deck}", CARDS) for deck in ("town", "city", "metropolis"))
    yield "planning", CARDS


def expected_parts(seats):
    """Return names and roles of the parts, without the question."""
    of_seats = [(f"{what}-{seat}", SEAT) for seat in range(seats) for what in ("seat", "hand")]
    last = [(name, INFO) for name in ("offices", "supply", "legend")]
    return [*parts_before_seats(), *of_seats, *last]


def check_part(part):
    texts = [shape for shape in part.shapes if isinstance(shape, Text)]
    for text in texts:
        assert text.size >= LEAST_SIZE - ROUNDING, (part.name, text)
        assert not text.text.endswith(".."), (part.name, text)
    assert overlapping(texts, ROUNDING) == [], part.name
    for shape, (left, top, right, bottom) in zip(part.shapes, boxes_of(part.shapes), strict=True):
        assert left > -EDGE and top > -EDGE, (part.name, shape)
        assert right < part.width + EDGE and bottom < part.height + EDGE, (part.name, shape)
        if shape.actions:
            assert free_side(shape) >= LEAST_TARGET, (part.name, shape)


def check(game, games, last):
    """Check the parts of a position's picture, for a spectator and for every seat."""
    legal = set(np.flatnonzero(game.legal_actions(games, 0)).tolist())
    to_play = int(games.to_play[0]) if games.over[0] == NOT_OVER else -1
    for seat in (None, *range(game.num_seats)):
        picture = game.picture(games, 0, seat, last)
        names = [(part.name, part.role) for part in picture.parts if part.name != "answers"]
        assert names == expected_parts(game.num_seats)
        assert [part.name for part in picture.parts].index("board") == 0
        assert picture.actions == (legal if seat in {None, to_play} else set())
        assert [part.seat for part in picture.parts if part.plays] == [to_play] * (to_play >= 0)
        for part in picture.parts:
            check_part(part)


def after(plies, seed=3, **options):
    """Return a game and its position after some random plies."""
    game = sprawl_env.game("urban_sprawl", **options)
    games, draws = game.deal(1, seed), np.random.default_rng(seed)
    for _ in range(plies):
        legal = np.flatnonzero(game.legal_actions(games, 0))
        game.play(games, 0, int(draws.choice(legal)))
    return game, games


def part_of(picture, name):
    return next(part for part in picture.parts if part.name == name)


def text_of(part):
    return " ".join(shape.text for shape in part.shapes if isinstance(shape, Text))


# ------------------------------------------------------------------------------------------ sizes


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("seats", SEATS["urban_sprawl"])
def test_texts_and_targets_of_random_positions_are_large_enough_and_apart(seats, length):
    game = sprawl_env.game("urban_sprawl", num_players=seats, length=length)
    for games, last in islice(random_positions(game, seats, every=11), FEW):
        check(game, games, last)


def test_texts_and_targets_of_every_kind_of_decision_are_large_enough_and_apart():
    seen = Counter()
    for path in sorted((REPLAYS / "urban_sprawl").glob("*.jsonl")):
        played = replays.load(path)
        game, last = played.game(), None
        games = game.deal(1, played.header["seed"])
        for ply in played.plies:
            entry = games["agenda"][0, games["agenda_size"][0] - 1]
            size = int(game.tables[0].card_size[entry["card"]])
            kind = int(entry["step"]), size * (entry["step"] == Step.FOOTPRINT)
            seen[kind] += 1
            if seen[kind] <= 2:
                check(game, games, last)
            last = Played(ply.seat, ply.action, ply.says)
            game.kernels.play(game.tables, games, 0, ply.action)
    assert len({step for step, _ in seen}) == 30
    assert {size for step, size in seen if step == Step.FOOTPRINT} == {1, 2, 3, 4}


def footprints():
    """Yield every choice of a footprint: number of the replay, game, position before, ply."""
    for k, path in enumerate(sorted((REPLAYS / "urban_sprawl").glob("*.jsonl"))):
        played = replays.load(path)
        game = played.game()
        games = game.deal(1, played.header["seed"])
        for ply in played.plies:
            if games["agenda"]["step"][0, games["agenda_size"][0] - 1] == Step.FOOTPRINT:
                yield k, game, games, ply
            game.kernels.play(game.tables, games, 0, ply.action)


def targets_of(game, games):
    """Return the targets on the board."""
    return [shape for shape in part_of(game.picture(games), "board").shapes if shape.actions]


def test_targets_of_footprints_do_not_overlap():
    most = 0
    for _, game, games, _ in takewhile(lambda each: each[0] < 2, footprints()):
        targets = targets_of(game, games)
        assert overlapping(targets, ROUNDING) == []
        most = max(most, len(targets))
    assert most > 20


def test_us_6_6_a_place_to_build_tells_its_price_and_what_is_demolished_there():
    told = Counter()
    for _, game, games, _ in footprints():
        for target in targets_of(game, games):
            (action,) = target.actions
            block = (action - SITE) // CORNERS
            cards = games["planning_discards"][0, RENEWAL]
            price = f"{int(games['value'][0, block])} wealth"
            after = games.copy()
            game.play(after, 0, action)
            if after["planning_discards"][0, RENEWAL] > cards:
                price += " and a card Urban Renewal"
            assert f"Building here costs {price}." in target.tip
            _, is_told, gone = target.tip.partition(" Demolished for it: ")
            if told[is_told] < 60:
                told[is_told] += 1
                assert gone.count("(") == demolished_in(game, games, action, block)
    assert min(told[""], told[" Demolished for it: "]) > 10, told


def demolished_in(game, games, action, block):
    """Return how many buildings of a block are gone once a contract is built on a footprint."""
    trial = games.copy()
    game.play(trial, 0, action)
    while trial["agenda"]["step"][0, trial["agenda_size"][0] - 1] == Step.PERMITS:
        game.play(trial, 0, int(np.flatnonzero(game.legal_actions(trial, 0))[0]))
    lots = slice(block * CORNERS, (block + 1) * CORNERS)
    before, after = (int((each["corners"][0, lots] > 0).sum()) for each in (games, trial))
    return before + 1 - after


def test_a_hand_of_every_kind_and_long_names_of_seats_fit():
    game, games = after(120, num_players=4)
    games["hand"][0, 1, :NUM_KINDS] = 2
    view = View(None, None, {}, ("you", "a very capable player", "expert of the long game", "mcts"))
    for part in game.rules.draw(game, games, 0, view).parts:
        check_part(part)


def test_every_card_fits_into_a_part():
    game, games = after(40, num_players=2)
    for card in range(NUM_CARDS):
        if not is_event(game.tables[0], card):
            games["contract"][0, 0] = games["deck_top"][0, 0] = games["favors"][0, 0, 0] = card
            for name in ("contract-1", "top-town", "hand-0"):
                part = part_of(game.picture(games), name)
                check_part(part)
                words = text_of(part)
                effects = " ".join(effects_of(game.tables[0], card))
                assert card_name(game.tables, card) in words
                assert " ".join(effects.split()) in words


def test_every_planning_card_fits_into_its_row():
    game, games = after(40, num_players=2)
    for kind in range(NUM_PLANNING):
        games["planning"][0] = kind
        check_part(part_of(game.picture(games), "planning"))


# -------------------------------------------------------------------------------- tips and answers


def test_everything_on_the_table_is_explained():
    game, games = after(200, num_players=3)
    picture = game.picture(games)
    told = {part.name: [s.tip for s in part.shapes if s.tip] for part in picture.parts}
    assert all(told[name] for name, _ in expected_parts(3) if not name.startswith("hand"))
    board = " ".join(told["board"])
    buildings = int((games["corners"][0] > 0).sum())
    assert board.count("controlled by") == buildings > 12
    assert sum(": pays " in tip or "an empty space" in tip for tip in told["board"]) == NUM_LINES
    assert len(told["offices"]) == NUM_OFFICES + 1
    assert sum("markers left: " in tip for tip in told["supply"]) == NUM_VOCATIONS
    for seat in range(3):
        assert len([t for t in told[f"hand-{seat}"] if "pays for" in t]) == int(
            (games["hand"][0, seat, :17] > 0).sum()
        )


def test_numbers_of_tips_come_from_the_tables():
    game, games = after(0, num_players=3)
    tables = game.tables.copy()
    tables.treasurer[0], tables.boss_points[0], tables.wealth_a_point[0] = 33, 44, 55
    assert "Collects 33 wealth" in tips.office_tip(tables[0], 2)
    assert "Has 44 AP a turn" in tips.office_tip(tables[0], 4)
    assert "1 for each 55 wealth" in tips.points_tip(tables[0], 0, 0)
    tables.column_number[0, 0], tables.places[0, 9] = 9, (66, 5, 4, 3)
    assert "pays 66 / 5 / 4 wealth" in tips.line_tip(tables, games[0], 0, View())


def test_tips_of_cards_say_when_a_line_pays_also_of_cards_that_never_paid():
    """Rulings U12 and U30: nothing triggers in the setup, nor for offices out of play."""
    game, _ = after(0)
    t = game.tables[0]
    assert {bool(t.permit_ballot[kind]) for kind in range(RENEWAL)} == {False, True}
    for kind in range(RENEWAL):
        pays = (
            "When such a card is turned up at the end of a turn, the line wealth "
            f"{t.permit_wealth[kind]} pays if it is on the board"
        )
        if t.permit_ballot[kind]:
            pays += ", after the election that its ballot calls if the next office is in play"
        assert tips.planning_tip(game.tables, kind, 1).endswith(f" {pays}.")
    for card in range(NUM_CARDS):
        if icon := int(t.card_prestige[card]):
            assert (
                f"Diamond {icon}: when such a card is turned up at the end of a turn, the line "
                f"prestige {icon} pays if it is on the board."
            ) in tips.card_tip(game.tables, card, 5)


def test_tips_and_guide_say_what_the_pawn_marks_and_that_the_mayor_scores_no_parks():
    t = after(0)[0].tables[0]
    assert "the office of the last ballot, the Mayor at the start" in tips.BALLOT_TIP
    assert "each of one's buildings, parks excepted, next to a park" in tips.office_tip(t, MAYOR)
    guide = " ".join(section.text for section in GUIDE)
    assert "each own building other than a park beside a park" in guide
    assert "moves the pawn to the next office, which is elected if it is in play" in guide


def test_a_card_is_told_in_sentences_with_all_its_effects():
    game, _ = after(0)
    for card in range(NUM_CARDS):
        tip = tips.card_tip(game.tables, card, 5)
        assert card_effects(game.tables[0], card) in tip
        assert is_event(game.tables[0], card) == ("an event" in tip)
        assert is_event(game.tables[0], card) != ("costs 5 AP" in tip)


def test_a_tip_says_what_a_card_costs_now():
    game, games = after(0)
    t = game.tables
    contract = next(card for card in range(NUM_CARDS) if not is_event(t[0], card))
    assert "Building it costs 3 AP, permits for" in tips.card_tip(t, contract, 3)
    assert "Building it costs permits for" in tips.card_tip(t, contract, None)
    assert "Taking it costs 2 AP." in tips.planning_tip(t, 0, 2)
    assert "Taking it is free now." in tips.planning_tip(t, 0, 0)
    for free in (False, True):
        if free:
            games["agenda_size"] = 1
            games["agenda"][0, 0]["step"] = Step.FREE_CARD
        planning = part_of(game.picture(games), "planning")
        assert ("Taking it is free now." in " ".join(s.tip for s in planning.shapes)) == free


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("University", "every seat gains 4 prestige for each own CIV/RES"),
        ("Motel", "gain 2 wealth for each own TOURISM marker"),
        ("Temple", "each opponent pays you 4 wealth or prestige for each own RES"),
        (
            "Corporate HQ",
            "gain 4 wealth for each 4-lot COM; every seat gains 3 wealth for each own",
        ),
        (
            "Local Headlines",
            "the controller of a building of the highest value gains 1 prestige (of",
        ),
        (
            "Federal Grant",
            "of the lowest value gains 1 wealth for each point of its value (of several",
        ),
        ("Urban Blight", "of the lowest value (unless its controller pays 3 prestige)"),
        ("Flood", "every seat that controls a building by the water loses one of them or pays 3 w"),
    ],
)
def test_a_text_says_whose_buildings_and_markers_count(name, says):
    game, _ = after(0)
    t = game.tables[0]
    cards = {card_name(game.tables, card): card_effects(t, card) for card in range(NUM_CARDS)}
    events = {
        kind_name(game.tables, k): event_effects(t, k - NUM_KINDS)
        for k in range(NUM_KINDS, NUM_PLANNING)
    }
    assert says in (cards | events)[name]


def test_an_effect_is_told_with_the_card_or_the_event_that_it_belongs_to():
    t = after(0)[0].tables[0]
    assert source_of(t, 0) == (-1, -1)
    for card in range(NUM_CARDS):
        for e in range(int(t.card_first[card]), int(t.card_first[card] + t.card_effects[card])):
            found, event = source_of(t, e)
            assert t.card_first[found] == t.card_first[card]
            assert event == -1
            inner = int(t.effects[e].then_first)
            if t.effects[e].then_count:
                assert t.card_first[source_of(t, inner)[0]] == t.card_first[card]
    for event in range(14):
        assert source_of(t, int(t.event_first[event])) == (-1, event)


def test_the_question_shows_the_contract_that_is_built():
    game = sprawl_env.game("urban_sprawl", num_players=2)
    for games, _ in random_positions(game, 5, every=1):
        entry = games["agenda"][0, games["agenda_size"][0] - 1]
        if games.over[0] == NOT_OVER and entry["step"] == Step.PERMITS:
            asked = part_of(game.picture(games, 0, 1 - int(games.to_play[0])), "answers")
            name = card_name(game.tables, int(entry["card"]))
            assert name in text_of(asked)
            assert f"permits paid: {entry['paid']}" in text_of(asked)
            assert any(s.tip.startswith(f"{name}: ") for s in asked.shapes)
            return


def test_options_are_buttons_with_their_effects_in_full():
    game = sprawl_env.game("urban_sprawl", num_players=3)
    seen = 0
    for games, _ in random_positions(game, 8, every=1):
        if games.over[0] == NOT_OVER:
            entry = games["agenda"][0, games["agenda_size"][0] - 1]
            if entry["step"] == Step.OPTION:
                words = text_of(part_of(game.picture(games), "answers"))
                first = int(game.tables[0].effects[entry["effect"]].then_first)
                for k in np.flatnonzero(game.legal_actions(games, 0)) - OPTION:
                    effect = effect_words(game.tables[0], first + int(k))
                    assert f"{k + 1}: {' '.join(effect.split())}" in " ".join(words.split())
                seen += 1
        if seen == 3:
            return


# ------------------------------------------------------------------------- viewers and their marks


def test_seats_are_called_as_the_view_says():
    game, games = after(150, num_players=3)
    names = ("Ada", "greedy", "you")
    view = View(None, Played(1, 0, "end turn"), {}, names)
    picture = game.rules.draw(game, games, 0, view)
    says = picture.svg()
    assert "seat 0" not in says and "seat 1" not in says and "seat 2" not in says
    assert all(
        f"{name}: planning cards" in says or f"{name}: no planning" in says for name in names
    )


def framed(part, colour):
    """Return the boxes of the frames in a seat's colour."""
    return [
        tuple(round(value, 2) for value in box_of(shape))
        for shape in part.shapes
        if shape.stroke == colour and not isinstance(shape, Circle)
    ]


def marked(*played, **options):
    """Return the board with some actions marked."""
    game, games = after(0, **options)
    view = View(None, None, {}, (), played)
    return part_of(game.rules.draw(game, games, 0, view), "board")


def sides(box):
    left, top, right, bottom = box
    return round((right - left) / render_board.LOT), round((bottom - top) / render_board.LOT)


@pytest.mark.parametrize(
    ("site", "says", "wide", "high"),
    [
        (21 * 4 + 1, "at D4 bottom", 2, 1),
        (21 * 4 + 2, "at D4 left", 1, 2),
        (21 * 4 + 3, "at D4 all but bottom right", 2, 2),
        (21 * 4, "at D4", 2, 2),
        (21 * 4, "at CIV 1 at D4 top left", 1, 1),
        (20 * 4 + 3, "at C4 bottom right", 1, 1),
    ],
)
def test_an_action_in_the_city_is_framed_in_its_seats_colour(site, says, wide, high):
    (box,) = framed(marked(Played(1, SITE + site, says)), SEAT_COLOURS[1])
    assert sides(box) == (wide, high)
    (x, y) = render_board._lot_place(site // 4 * 4)
    assert x - 2 < box[0] < x + 70 and y - 2 < box[1] < y + 70


def test_the_name_of_every_footprint_tells_its_corners():
    sizes = Counter()
    for _, game, games, ply in footprints():
        entry = games["agenda"][0, games["agenda_size"][0] - 1]
        size = int(game.tables[0].card_size[entry["card"]])
        site = ply.action - SITE
        shape = int(SHAPES[size - 1, site % 4])
        occupied = size == 1 and games["corners"][0, site]  # demolished by this action
        if not occupied:
            assert render_board._corners_named(games[0], site, ply.says) == shape
            sizes[size] += 1
    assert set(sizes) == {1, 2, 3, 4}


def test_the_last_action_is_told_with_names_of_seats():
    game, games = after(30, num_players=3)
    view = View(None, Played(2, SEAT_AT + 2, "seat 1"), {}, ("Ada", "greedy", "you"))
    assert game.rules.draw(game, games, 0, view).caption.last == "picks greedy"


def test_all_recent_actions_on_the_board_are_framed():
    board = marked(
        Played(1, SITE + 21 * 4 + 1, "at D4 bottom"),
        Played(0, LINE + 2, "column C (wealth 5)"),
        Played(1, SITE + 3, "at A1 bottom right"),
        Played(0, BUILD, "build"),
        num_players=2,
    )
    assert len(framed(board, SEAT_COLOURS[1])) == 2
    assert len(framed(board, SEAT_COLOURS[0])) == 1


def test_a_target_in_the_city_leaves_the_value_of_its_block_free():
    for corners in range(1, 15):
        if corners not in {6, 9}:  # not one footprint
            points = render_board._around_value(7, corners)
            x, y = render_board._lot_place(7 * 4 + 3)
            near = min(np.hypot(a - x, b - y) for a, b in points)
            assert near > 8.6
            assert free_side(Polygon(points)) > 2 * render_board.LOT * 0.4
