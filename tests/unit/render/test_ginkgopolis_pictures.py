"""Pictures of Ginkgopolis: what just happened is marked, and signs and cards are explained."""

from itertools import islice

import numpy as np
import pytest

import sprawl_env
from sprawl_env.core.rules import Played
from sprawl_env.core.state import NOBODY, NOT_OVER
from sprawl_env.games.ginkgopolis.actions import ACTIONS, BESIDE, CARD, WITH_TILE, WITHOUT_TILE
from sprawl_env.games.ginkgopolis.constants import (
    LETTERS,
    MAX_SEATS,
    NO_CARD,
    NO_SIDE,
    NO_SITE,
    NUM_LETTERS,
    NUM_TILES,
    Step,
)
from sprawl_env.games.ginkgopolis.names import cell_beside, step_of
from sprawl_env.games.ginkgopolis.render_city import MOST_CELL, yields_beside
from sprawl_env.games.ginkgopolis.rules.act import (
    may_construct,
    may_urbanize,
    price_in_points,
    price_in_resources,
)
from sprawl_env.games.ginkgopolis.tips import (
    card_tip,
    character_tip,
    end_words,
    kept_tip,
    letter_tip,
    pays_at_end,
    price_of,
    price_tip,
)
from sprawl_env.render.board import picture_of
from sprawl_env.render.shapes import LEAST_TARGET, SEAT_COLOURS, Circle, Line, Rect, Text
from tests.boxes import box_of
from tests.unit.render.test_parts import misplaced_things, small_things
from tests.unit.render.test_pictures import random_positions

NAMES = ("you", "mcts", "planner with a long name", "greedy", "ppo-2h")


def played_until(game, seed, wanted):
    """Return the games and the plays of a random game up to the first position that is wanted."""
    draws = np.random.default_rng(seed)
    while True:
        games, plays = game.deal(1, int(draws.integers(2**62))), []
        while games["over"][0] == NOT_OVER:
            if wanted(games[0], plays):
                return games, plays
            action = int(draws.choice(np.flatnonzero(game.legal_actions(games, 0))))
            says = game.action_name(games, 0, action)
            plays.append(Played(int(games["to_play"][0]), action, says))
            game.play(games, 0, action)


def texts_of(part):
    return [shape for shape in part.shapes if isinstance(shape, Text)]


def marks_of(picture):
    """Return the frames and rings on the board in seats' colours, by seat."""
    board = picture.parts[0]
    return [
        (SEAT_COLOURS.index(shape.stroke), shape)
        for shape in board.shapes
        if isinstance(shape, Rect | Circle) and shape.stroke in SEAT_COLOURS
    ]


def lies_in(board, shape, name):
    """Return whether a text is inside a shape."""
    left, top, right, bottom = box_of(shape)
    return any(
        left < text.x < right and top < text.y < bottom
        for text in board.shapes
        if isinstance(text, Text) and text.text == name
    )


def test_a_building_that_was_just_built_is_framed_for_everybody():
    game = sprawl_env.game("ginkgopolis", num_players=3)

    def built(state, plays):
        tiles = [p.action - WITH_TILE for p in plays if 0 <= p.action - WITH_TILE < NUM_TILES]
        return bool(tiles) and state.site_of[tiles[-1]] != NO_SITE

    games, plays = played_until(game, 1, built)
    play = [p for p in plays if 0 <= p.action - WITH_TILE < NUM_TILES][-1]
    tile = play.action - WITH_TILE
    for seat in (None, 0, 1, 2):
        picture = picture_of(game, games, 0, seat, plays[-1], recent=[play])
        ((marked, frame),) = marks_of(picture)
        assert marked == play.seat
        assert isinstance(frame, Rect)
        name = f"{'RBY'[tile // 20]}{tile % 20 + 1}"
        assert lies_in(picture.parts[0], frame, name)


def test_a_marker_that_was_just_moved_has_a_ring_in_its_seats_colour():
    game = sprawl_env.game("ginkgopolis", num_players=2)
    games, plays = played_until(
        game, 2, lambda _, plays: bool(plays) and BESIDE <= plays[-1].action < BESIDE + 4
    )
    last, state = plays[-1], games[0]
    side = (int(state.num_sites) - 1) * 4 + last.action - BESIDE
    letter = "ABCDEFGHIJKL"[state.marker.tolist().index(side)]
    picture = game.picture(games, 0, None, last)
    ((marked, ring),) = marks_of(picture)
    assert marked == last.seat
    assert isinstance(ring, Circle)
    assert lies_in(picture.parts[0], ring, letter)


def steps_of(game, seed):
    """Yield the games before and after each play of a random game, and the play."""
    draws, games = np.random.default_rng(seed), game.deal(1, seed)
    while games["over"][0] == NOT_OVER:
        before, seat = games.copy(), int(games["to_play"][0])
        action = int(draws.choice(np.flatnonzero(game.legal_actions(games, 0))))
        played = Played(seat, action, game.action_name(games, 0, action))
        game.play(games, 0, action)
        yield before, played, games


def test_markers_moved_anywhere_have_a_ring_while_they_are_there():
    game = sprawl_env.game("ginkgopolis", num_players=2)
    kinds, most, seed = {"beside": 0, "place": 0}, 0, 0
    while min(kinds.values()) == 0:
        seed += 1
        assert seed < 20
        recent = []
        movers = [{} for _ in range(6)]  # of the last plays: who moved each letter
        for before, played, games in steps_of(game, seed):
            recent = [*recent, (before, played)][-len(movers) :]
            movers = [*movers[1:], {}]
            block = ACTIONS.locate(played.action)[0]
            now, old = games["marker"][0], before["marker"][0]
            for letter in np.flatnonzero(now != old).tolist():
                for earlier in movers:  # it has moved on
                    earlier.pop(letter, None)
                if block in kinds and now[letter] != NO_SIDE:
                    movers[-1][letter] = played.seat
            if block in kinds:
                kinds[block] += 1
                most = max(most, sum(map(len, movers)))
                check_rings(game, games, recent, movers)
    assert most > 1


def check_rings(game, games, recent, movers):
    """Check that each moved marker has a ring, and nothing else but chosen cards has one."""
    plays, states = [play for _, play in recent], [state for state, _ in recent]
    picture = picture_of(game, games, 0, None, plays[-1], recent=plays, before=states)
    rings = [(seat, mark) for seat, mark in marks_of(picture) if isinstance(mark, Circle)]
    expected = [(seat, letter) for each in movers for letter, seat in each.items()]
    for seat, letter in expected:
        found = [ring for s, ring in rings if s == seat]
        assert any(lies_in(picture.parts[0], ring, LETTERS[letter]) for ring in found)
    cards = [play for play in plays if ACTIONS.locate(play.action)[0] == "letter"]
    assert len(expected) <= len(rings) <= len(expected) + len(cards)


def test_what_hal_has_just_built_is_framed():
    game = sprawl_env.game("ginkgopolis", num_players=1)
    built = 0
    for before, played, games in steps_of(game, 2):
        told = [c.text for c in game.changes(before, games, 0, played, 0) if c.kind == "automaton"]
        tiles = [text.split()[1:3] for text in told if text.startswith("build ")]
        picture = picture_of(game, games, 0, 0, played, recent=[played], before=[before])
        frames = [mark for seat, mark in marks_of(picture) if seat == len(SEAT_COLOURS) - 1]
        assert len(frames) == len(tiles)
        for frame, (colour, number) in zip(frames, tiles, strict=True):
            assert lies_in(picture.parts[0], frame, f"{colour[0].upper()}{number}")
        built += len(tiles)
    assert built > 2


def test_a_card_that_was_chosen_in_secret_is_marked_only_for_its_seat():
    game = sprawl_env.game("ginkgopolis", num_players=3)
    games, plays = played_until(
        game, 3, lambda _, plays: bool(plays) and CARD <= plays[-1].action < WITH_TILE
    )
    last = plays[-1]
    for seat in (None, 0, 1, 2):
        marks = marks_of(game.picture(games, 0, seat, last))
        assert len(marks) == (seat is None or seat == last.seat), seat


def test_a_card_that_was_revealed_is_marked_for_everybody():
    game = sprawl_env.game("ginkgopolis", num_players=3)

    def revealed(state, plays):
        alone = {p.seat for p in plays if p.action == WITHOUT_TILE}
        return any(state.chosen[seat] == NO_CARD for seat in alone)

    games, plays = played_until(game, 4, revealed)
    alone = {p.seat for p in plays if p.action == WITHOUT_TILE}
    seat = next(seat for seat in alone if games["chosen"][0, seat] == NO_CARD)
    card = next(p for p in plays if p.seat == seat and CARD <= p.action < WITH_TILE)
    for viewer in range(3):
        ((marked, _),) = marks_of(picture_of(game, games, 0, viewer, plays[-1], recent=[card]))
        assert marked == seat


def test_marks_of_several_plays_tell_nothing_that_is_secret():
    game = sprawl_env.game("ginkgopolis", num_players=3)
    draws, changed = np.random.default_rng(5), 0
    for seed in range(12):
        count = int(draws.integers(10, 90))
        steps = list(islice(steps_of(game, seed), count))
        games, (before, plays, _) = steps[-1][2], zip(*steps[-8:], strict=True)
        for seat in range(3):
            drawn = {"recent": plays, "before": before}
            svg = picture_of(game, games, 0, seat, plays[-1], **drawn).svg()
            for again in range(3):
                other, *others = (each.copy() for each in (games, *before))
                for each in (other, *others):
                    game.redeal_hidden(each, 0, again, seat)
                changed += other.tobytes() != games.tobytes()
                drawn = {"recent": plays, "before": others}
                seen = picture_of(game, other, 0, seat, plays[-1], **drawn)
                assert seen.svg() == svg, (seed, seat)
    assert changed


def test_seats_have_their_names_everywhere_and_long_names_fit():
    for num_players in range(1, MAX_SEATS + 1):
        game = sprawl_env.game("ginkgopolis", num_players=num_players)
        for games, last in islice(random_positions(game, 7, every=15), 6):
            names = NAMES[:num_players]
            for seat in (None, num_players - 1):
                picture = picture_of(game, games, 0, seat, last, seats=names)
                svg = picture.svg()
                assert "seat 0" not in svg
                assert all(name in svg for name in names)
                for part in picture.parts:
                    assert not [*misplaced_things(part), *small_things(part)]


def test_the_texts_and_targets_of_a_wide_city_stay_large_enough():
    game = sprawl_env.game("ginkgopolis", num_players=5)
    games, _ = played_until(game, 8, lambda state, _: state.num_sites >= 20)
    state = games[0]
    for width in (12, 18, 22):
        drawn = games.copy()
        drawn["site_x"][0, : int(state.num_sites)] = np.arange(int(state.num_sites)) % width
        drawn["site_y"][0, : int(state.num_sites)] = np.arange(int(state.num_sites)) // width * 2
        drawn["marker"][0] = -1
        part = game.picture(drawn, 0).parts[0]
        assert not list(small_things(part))
        assert not [fault for fault in misplaced_things(part) if "outside" in fault]


def test_a_high_city_makes_the_board_higher():
    game = sprawl_env.game("ginkgopolis", num_players=2)
    games = game.deal(1, 1)
    normal = game.picture(games, 0).parts[0].height
    games["site_y"][0, 8] = 29
    board = game.picture(games, 0).parts[0]
    assert board.height > normal
    assert not list(small_things(board))


def test_every_cell_of_the_start_is_explained():
    game = sprawl_env.game("ginkgopolis", num_players=2)
    games = game.deal(1, 1)
    tips = [shape.tip for shape in game.picture(games, 0, 0).parts[0].shapes if shape.tip]
    assert len(tips) == 9 + NUM_LETTERS
    a, yellow = games[0].marker[0], int(games[0].site_tile[0]) // 20
    assert cell_beside(games[0], int(a)) == (0, -1)
    gains = [int(colour == yellow) for colour in range(3)]
    assert yields_beside(games[0], 0) == gains
    assert any(tip.startswith("Marker A: ") for tip in tips)


def test_cards_are_explained_as_the_data_says(tmp_path):
    t = sprawl_env.game("ginkgopolis", num_players=2).tables[0]
    assert "each exploit of its owner gives 1 resource, 1 point." in card_tip(t, 6)
    assert kept_tip(t, 19) == "Kept card red 20: at the end it pays 9 points."
    assert end_words(t, 14) == "3 for each own building over 2 levels"
    assert "2 points for each exploit bonus card. Characters" in kept_tip(t, 15)
    assert not pays_at_end(t, 8)
    assert pays_at_end(t, 9)
    assert "It brought 1 resource at the start" in character_tip(t, 5)
    assert letter_tip(2).startswith("Card C. Alone")


def test_a_letter_is_told_in_the_order_of_g13_the_marker_moves_before_the_buildings_yield():
    assert letter_tip(2).endswith(
        "builds the tile in place of marker C for 1 resource; you move the marker on, then it "
        "gives what all adjacent buildings yield. The card is discarded."
    )


def test_tips_tell_the_numbers_of_other_data(tmp_path):
    game = sprawl_env.game("ginkgopolis", num_players=2)
    text = (game.rules.data_folder / "components.toml").read_text(encoding="utf-8")
    for old, new in (
        ("low_levels = 2", "low_levels = 4"),
        ("token_points = 2", "token_points = 7"),
    ):
        assert old in text
        text = text.replace(old, new)
    (tmp_path / "components.toml").write_text(text, encoding="utf-8")
    other = sprawl_env.game("ginkgopolis", num_players=2, data=tmp_path)
    assert end_words(other.tables[0], 13).endswith("own building up to 4 levels")
    assert "worth 7 points at the end" in other.svg(other.deal(1, 1))


@pytest.mark.parametrize("num_players", [1, 3])
def test_the_parts_of_a_game_are_in_a_fixed_order(num_players):
    game = sprawl_env.game("ginkgopolis", num_players=num_players)
    seats = [f"{what}-{seat}" for seat in range(num_players) for what in ("hand", "seat")]
    hal = ["hal"] if num_players == 1 else []
    expected = ["board", *seats, *hal, "supply", "legend"]
    kinds = set()
    for games, last in islice(random_positions(game, 9, every=2), 60):
        picture = game.picture(games, 0, 0, last)
        names = [part.name for part in picture.parts]
        answers = {part.name: part for part in picture.parts}.get("answers")
        kinds.add(answers is not None)
        if answers is not None:
            assert names.pop(1) == "answers"
            assert any(shape.actions for shape in answers.shapes)
        assert names == expected
        assert all(part.seat == NOBODY for part in picture.parts if part.name in {"hal", "board"})
    assert kinds == {False, True}


def test_tiles_tell_their_price_and_those_that_cannot_be_paid_are_struck_out():
    game = sprawl_env.game("ginkgopolis", num_players=2)
    seen = {True: 0, False: 0}
    for seed in range(3):
        for before, played, _ in steps_of(game, seed):
            state, seat = before[0], played.seat
            if step_of(state) != Step.TILE:
                continue
            others = np.flatnonzero(game.legal_actions(before, 0))
            own = f"seat-{seat}"
            (part,) = [p for p in game.picture(before, 0, seat).parts if p.name == own]
            barred = sum(isinstance(shape, Line) for shape in part.shapes)
            cannot = 0
            for action in [a for a in others if WITH_TILE <= a < WITH_TILE + NUM_TILES]:
                (shape,) = [shape for shape in part.shapes if action in shape.actions]
                *price, can_pay = price_of(state, seat, action - WITH_TILE)
                assert price_tip(*price, can_pay) in shape.tip
                cannot += not can_pay
                seen[can_pay] += 1
                tile, covered = action - WITH_TILE, int(state.chosen[seat]) - NUM_LETTERS
                if covered >= 0:
                    assert price[0] == price_in_resources(state, tile, covered)
                    assert price[1] == price_in_points(tile, covered)
                    assert can_pay == may_construct(state, seat, tile, covered)
                else:
                    assert price == [1, 0]
                    assert can_pay == may_urbanize(state, seat)
            assert barred == cannot
            assert (cannot > 0) == any("struck out" in t.text for t in texts_of(part))
    assert min(seen.values()) > 5


def test_a_placed_marker_has_targets_as_large_as_cells():
    game = sprawl_env.game("ginkgopolis", num_players=3)
    games, _ = played_until(
        game, 10, lambda state, _: state.over == NOT_OVER and step_of(state) == Step.MARKER
    )
    board = game.picture(games, 0).parts[0]
    targets = [shape for shape in board.shapes if shape.actions]
    assert targets
    assert all(LEAST_TARGET <= shape.width <= MOST_CELL for shape in targets)
    assert all(shape.tip.startswith("Put marker ") for shape in targets)
