"""Pictures of all games: they show every legal action and hide hidden information."""

import xml.etree.ElementTree as ET
from collections import Counter
from itertools import islice
from types import SimpleNamespace

import numpy as np
import pytest

import sprawl_env
from sprawl_env import replays
from sprawl_env.core.errors import InvalidOption
from sprawl_env.core.rules import Played, View
from sprawl_env.core.state import NOT_OVER
from sprawl_env.games.tower_up.constants import NUM_COLOURS
from sprawl_env.games.tower_up.render import _places
from sprawl_env.kernels.compile import JIT
from sprawl_env.render.board import picture_of as drawn
from sprawl_env.render.canvas import Canvas
from sprawl_env.render.picture import BOARD, INFO, Picture
from sprawl_env.render.shapes import (
    LEAST_SIZE,
    MARGIN,
    NONE,
    SEAT_COLOURS,
    TARGET,
    Circle,
    Line,
    Polygon,
    Rect,
    Text,
    fitted,
    moved,
    text_width,
)
from sprawl_env.render.svg import element
from tests.boxes import box_of, boxes_of
from tests.conftest import SEATS
from tests.golden.record_pictures import PICTURES, REPLAYS, path_of, picture_of
from tests.suite import GAMES
from tests.toy import toy

SVG = "{http://www.w3.org/2000/svg}"
FEW = 12 if JIT else 6  # positions for each game and number of seats
OF_EACH = 2  # decisions of each kind
EDGE = 0.5  # half an outline may be outside


def random_positions(game, seed, every):
    """Yield ``(games, last)`` from random games: every few plies and at the end."""
    draws = np.random.default_rng(seed)
    while True:
        games = game.deal(1, int(draws.integers(2**62)))
        last, wait = None, 0
        while True:
            over = games["over"][0] != NOT_OVER
            if wait == 0 or over:
                yield games, last
                wait = int(draws.integers(1, 2 * every))
            if over:
                break
            wait -= 1
            action = int(draws.choice(np.flatnonzero(game.legal_actions(games, 0))))
            last = Played(int(games["to_play"][0]), action, game.action_name(games, 0, action))
            game.kernels.play(game.tables, games, 0, action)


def named(game, games, words):
    """Return the first legal action whose name starts with the words."""
    legal = np.flatnonzero(game.legal_actions(games, 0)).tolist()
    return next(a for a in legal if game.action_name(games, 0, a).startswith(words))


def check(game, games, last):
    """Draw a position with all information and for every seat, and check the pictures."""
    legal = set(np.flatnonzero(game.legal_actions(games, 0)).tolist())
    before = games.tobytes()
    for seat in (None, *range(game.num_seats)):
        picture = game.picture(games, 0, seat, last)
        acts = seat is None or seat == games["to_play"][0]
        assert picture.actions == (legal if acts else set()), seat
        root = ET.fromstring(picture.svg())
        targets = [t for t in root.iter(f"{SVG}g") if t.get("class") == "target"]
        told = {int(action) for t in targets for action in t.get("data-actions").split()}
        assert told == picture.actions
        width, height = picture.width, picture.height
        boxes = boxes_of(picture.shapes)
        inside = (boxes > -EDGE) & (boxes < np.array((width, height) * 2) + EDGE)
        assert inside.all(), picture.shapes[inside.all(1).argmin()]
    assert games.tobytes() == before


def test_random_positions_are_drawn_with_all_legal_actions_as_targets(any_game):
    for games, last in islice(random_positions(any_game, 1, every=9), FEW):
        check(any_game, games, last)


@pytest.mark.parametrize("name", GAMES)
def test_every_kind_of_decision_is_drawn_with_all_legal_actions_as_targets(name):
    seen = Counter()
    for path in sorted((REPLAYS / name).glob("*.jsonl")):
        played = replays.load(path)
        game, last = played.game(), None
        games = game.deal(1, played.header["seed"])
        for ply in played.plies:
            decision = int(games["agenda"]["step"][0, games["agenda_size"][0] - 1])
            seen[decision] += 1
            if seen[decision] <= OF_EACH:
                check(game, games, last)
            last = Played(ply.seat, ply.action, ply.says)
            game.kernels.play(game.tables, games, 0, ply.action)
    assert len(seen) == {"ginkgopolis": 6, "tower_up": 4, "urban_sprawl": 30}[name]


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize("name", GAMES)
def test_a_thousand_random_positions_of_a_game_are_drawn(name):
    seats = SEATS[name]
    for num_players in seats:
        game = sprawl_env.game(name, num_players=num_players)
        for games, last in islice(random_positions(game, 2, every=6), 1000 // len(seats) + 1):
            check(game, games, last)


def test_a_notebook_shows_the_picture_of_a_position(any_game):
    for position, last in islice(random_positions(any_game, 7, every=9), 2):
        for seat in (None, 0, any_game.num_seats - 1):
            games = position.copy()
            shown = any_game.show(games, 0, seat, last)
            svg = any_game.svg(games, 0, seat, last)
            caption = any_game.picture(games, 0, seat, last).caption
            before = repr(shown)
            assert before.startswith(f"<{any_game.name}, ply {games.ply[0]}")
            assert (f", seat {caption.seat}: " in before) == (caption.seat >= 0)
            assert before.endswith(f": {caption.decision}>")
            any_game.play(games, 0, int(any_game.legal_actions(games).argmax()))
            assert shown._repr_svg_() == svg  # of the position before
            assert repr(shown) == before
            if seat is None:  # a seat may see no difference
                assert any_game.svg(games, 0, seat, last) != svg


@pytest.mark.parametrize("options", [{}, {"open_screens": True}])
def test_what_a_seat_cannot_know_changes_no_byte_of_its_picture(any_game, options):
    if options:
        if any_game.name != "ginkgopolis":
            pytest.skip("an option of Ginkgopolis")
        any_game = sprawl_env.game("ginkgopolis", num_players=any_game.num_seats, **options)
    changed = 0
    for games, last in islice(random_positions(any_game, 3, every=5), FEW):
        for seat in range(any_game.num_seats):
            seen = any_game.svg(games, 0, seat, last)
            for seed in range(2):
                other = games.copy()
                any_game.redeal_hidden(other, 0, seed, seat)
                changed += other.tobytes() != games.tobytes()
                assert any_game.svg(other, 0, seat, last) == seen, (seat, seed)
    assert changed > 0


def test_ginkgopolis_tells_others_nothing_of_an_answer_given_in_secret():
    game = sprawl_env.game("ginkgopolis", num_players=3)
    games = game.deal(1, 4)
    legal = np.flatnonzero(game.legal_actions(games, 0)).tolist()
    pictures = []
    for action in legal[:2]:
        after = games.copy()
        last = Played(0, action, game.action_name(after, 0, action))
        game.play(after, 0, action)
        pictures.append([game.svg(after, 0, seat, last) for seat in (None, 0, 1, 2)])
        assert last.says in pictures[-1][0]
        assert "a hidden answer" in pictures[-1][2]
    for seat, (one, other) in enumerate(zip(*pictures, strict=True), start=-1):
        assert (one == other) == (seat > 0), seat


@pytest.mark.parametrize("is_open", [False, True])
def test_ginkgopolis_shows_what_lies_behind_a_screen_only_if_screens_are_open(is_open):
    game = sprawl_env.game("ginkgopolis", num_players=3, open_screens=is_open)
    games = next(islice(random_positions(game, 6, every=9), 8, None))[0]
    assert games["rounds"][0] > 0
    other = games.copy()
    other["resources"][0, 1] += 1
    other["points"][0, 1] += 1
    assert (game.svg(other, 0, 0) == game.svg(games, 0, 0)) == (not is_open)
    assert game.svg(other, 0, 1) != game.svg(games, 0, 1)
    assert game.svg(other, 0) != game.svg(games, 0)


def test_ginkgopolis_does_not_tell_who_of_a_pass_has_answered():
    game = sprawl_env.game("ginkgopolis", num_players=3)
    games = game.deal(1, 5)
    before = game.svg(games, 0, 2)
    assert "seat 2: pick a character" in before
    game.play(games, 0, int(game.legal_actions(games, 0).argmax()))
    assert game.svg(games, 0, 2) == before
    assert "waiting for the others to pick a character" in game.svg(games, 0, 0)


def test_ginkgopolis_shows_on_which_cards_a_tile_lies_once_all_have_chosen():
    game = sprawl_env.game("ginkgopolis", num_players=3)
    seen = set()
    for games, _ in islice(random_positions(game, 6, every=1), 12, 90):
        others = [seat for seat in (1, 2) if games["chosen"][0, seat] >= 0]
        with_tile = [int(games["chosen_tile"][0, seat]) >= 0 for seat in others]
        picture = game.svg(games, 0, 0)
        counts = [picture.count(f"a card face down, {how} a tile") for how in ("with", "without")]
        all_chosen = int(games["agenda"][0, games["agenda_size"][0] - 1]["step"]) > 2
        assert counts == ([sum(with_tile), len(others) - sum(with_tile)] if all_chosen else [0, 0])
        seen |= set(with_tile) if all_chosen else set()
    assert seen == {False, True}


def test_ginkgopolis_shows_the_tiles_that_others_have_shown_and_taken_back():
    game = sprawl_env.game("ginkgopolis", num_players=3)
    games = next(islice(random_positions(game, 6, every=9), 8, None))[0]
    games["taken_back"][0, 1] = 1 << 27
    says = "tiles shown and taken back: B8"
    assert [says in game.svg(games, 0, seat) for seat in (0, 1, 2)] == [True, False, True]


def test_a_picture_asks_for_a_seat_that_there_is(any_game):
    games = any_game.deal(1, 0)
    for seat in (-1, any_game.num_seats):
        with pytest.raises(
            InvalidOption, match=f"expected None or a seat 0..{any_game.num_seats - 1}"
        ):
            any_game.svg(games, 0, seat)


def test_a_game_without_pictures_says_so():
    game = toy()
    with pytest.raises(
        InvalidOption, match=r"has no pictures \(GameRules.draw\): describe\(\) gives the text"
    ):
        game.svg(game.deal(1, 0))


@pytest.mark.parametrize(("name", "label", "plies", "seat"), PICTURES)
def test_reference_pictures_are_drawn_as_they_were(name, label, plies, seat):
    kept = path_of(name, label, plies).read_text(encoding="utf-8")
    picture = picture_of(name, label, plies, seat)
    assert picture.svg() == kept
    assert not [s for s in picture.shapes if isinstance(s, Text) and s.text.endswith("..")]


# --------------------------------------------------------------------------- shapes and pictures


def test_svg_escapes_what_it_is_given():
    picture = Picture('<"Tower" & Up>')
    part = picture.part("board", 'the "board" <&>', BOARD)
    part.text(5, 20, "1 < 2 & 'so' \"on\" ]]>")
    part.explain(0, 0, 9, 9, 'a "tip" <&>')
    root = ET.fromstring(picture.svg())
    assert root.find(f"{SVG}title").text == '<"Tower" & Up>'
    drawn = root.findall(f"{SVG}g")[1]
    assert drawn.find(f"{SVG}text").text == "1 < 2 & 'so' \"on\" ]]>"
    assert drawn.find(f"{SVG}g").get("data-tip") == 'a "tip" <&>'
    alone = ET.fromstring(part.svg())
    assert alone.get("aria-label") == 'the "board" <&>'


def test_a_text_that_is_too_long_becomes_smaller_and_is_then_cut():
    assert fitted("short", 10, 100) == ("short", 10)
    same, smaller = fitted("a little longer", 10, 0.95 * text_width("a little longer", 10))
    assert same == "a little longer"
    assert LEAST_SIZE <= smaller < 10
    cut, size = fitted("much too long for so little room", 10, 60)
    assert cut.endswith("..")
    assert size == LEAST_SIZE
    assert text_width(cut, size) <= 60
    assert fitted("no room", 10, 1)[0] == ""


def test_no_text_is_smaller_than_the_least_size():
    canvas = Canvas()
    canvas.text(0, 10, "small", 5)
    canvas.paragraph(0, 30, "small", 5, 100, 1)
    canvas.piece(20, 20, 5, 1)
    assert [s.size for s in canvas.shapes if isinstance(s, Text)] == [LEAST_SIZE] * 2


def test_a_paragraph_keeps_to_its_lines_and_its_width():
    canvas = Canvas()
    words = "every controller gains 1 wealth for each building in one of these rows; " * 3
    below = canvas.paragraph(10, 20, words, 11, 150, 2)
    assert len(canvas.shapes) == 2
    assert all(box_of(shape)[2] <= 160.01 for shape in canvas.shapes)
    assert canvas.shapes[-1].text.endswith("..")
    assert below > canvas.shapes[-1].y


def test_parts_lie_side_by_side_without_overlapping():
    picture = Picture("parts")
    for k, (columns, height) in enumerate([(2, 300), (1, 100), (1, 250), (1, 40), (3, 20), (1, 9)]):
        picture.part(f"part-{k}", "a part", INFO, columns=columns).height = height
    for columns in (3, 4, 5):
        picture.columns = columns
        boxes = [(x, y, x + part.width, y + part.height) for part, (x, y) in picture.arranged()]
        assert max(box[2] for box in boxes) <= picture.width - MARGIN
        assert max(box[3] for box in boxes) == picture.height - MARGIN
        for k, (left, top, right, bottom) in enumerate(boxes):
            for other in boxes[:k]:
                apart = (
                    left >= other[2] or right <= other[0] or top >= other[3] or bottom <= other[1]
                )
                assert apart, (columns, k)


def test_moving_a_shape_changes_its_place_only():
    shapes = [
        Rect(1, 2, 3, 4, fill="#123456"),
        Circle(1, 2, 3),
        Polygon(((1, 2), (5, 2), (3, 9))),
        Line(1, 2, 3, 4),
        Text(1, 2, "text", 9),
    ]
    for shape in shapes:
        there = moved(shape, 10, 20)
        assert box_of(there) == tuple(
            a + b for a, b in zip(box_of(shape), (10, 20) * 2, strict=True)
        )
        assert moved(there, -10, -20) == shape


def test_a_part_has_one_of_the_roles():
    with pytest.raises(
        InvalidOption, match="role='hand': expected one of board, cards, seat, info"
    ):
        Picture("roles").part("hand-0", "a hand", "hand")


def test_a_target_and_what_it_explains_are_one_element():
    view = View(names={4: "take it"})
    part = Picture("targets").part("board", "the board", BOARD)
    assert part.target(view, [3, 4], Rect(0, 0, 20, 20), "a thing")
    assert not part.target(view, [3], Rect(0, 0, 20, 20), "a thing")
    assert not part.target(view, [3], Rect(0, 0, 20, 20))
    both, explained = part.shapes
    assert (both.actions, both.says, both.tip, both.stroke) == ((4,), "take it", "a thing", TARGET)
    assert (explained.actions, explained.tip, explained.stroke) == ((), "a thing", NONE)
    assert "take it \u00b7 a thing" in element(both)


def test_seats_are_called_as_the_viewer_calls_them(any_game):
    games = any_game.deal(1, 3)
    called = [f"somebody {seat}" for seat in range(any_game.num_seats)]
    shown = drawn(any_game, games, 0, 0, seats=called).svg()
    assert "somebody 0" in shown
    assert "seat 0" not in shown
    assert drawn(any_game, games, 0, 0).svg() == any_game.svg(games, 0, 0)


def test_what_others_did_since_ones_last_decision_is_marked():
    game = sprawl_env.game("tower_up", num_players=4)
    games = game.deal(1, 3)
    builds = [named(game, games, "build") for _ in range(2)]
    played = [Played(1, builds[0], "build"), Played(2, builds[1] + NUM_COLOURS, "build")]
    one = drawn(game, games, 0, 0, played[-1])
    two = drawn(game, games, 0, 0, played[-1], recent=played)
    rings = [
        {s.stroke for s in p.parts[0].shapes if isinstance(s, Circle) and s.stroke in SEAT_COLOURS}
        for p in (one, two)
    ]
    assert rings == [{SEAT_COLOURS[2]}, {SEAT_COLOURS[1], SEAT_COLOURS[2]}]


def test_sites_of_a_board_may_lie_on_one_line():
    places, half = _places([SimpleNamespace(x=x, y=3) for x in (0, 1, 2)], 300)
    assert len({x for x, _ in places}) == 3
    assert len({y for _, y in places}) == 1
    assert half > 0
