"""The parts of every game's pictures: sizes of texts and targets, overlaps, and names."""

from itertools import islice

import numpy as np
import pytest

import sprawl_env
from sprawl_env.kernels.compile import JIT
from sprawl_env.render.picture import ROLES, Picture
from sprawl_env.render.shapes import LEAST_SIZE, LEAST_TARGET, Rect, Text
from tests.boxes import boxes_of, overlapping, overlaps
from tests.conftest import EVERY_GAME
from tests.unit.render.test_pictures import random_positions

NOT_IN_PARTS = ("urban_sprawl",)
CASES = [(*case, {}) for case in EVERY_GAME if case[0] not in NOT_IN_PARTS]
CASES += [(*case, {"open_screens": True}) for case in EVERY_GAME if case[0] == "ginkgopolis"]
FEW = 14 if JIT else 4
EDGE = 0.5  # half an outline may be outside
TOUCH = 0.3  # of two boxes, in pixels
SOMETIMES = {"answers"}  # parts that are there only if they have something to show


def drawn(name, seats, options, count=FEW):
    """Yield pictures of random positions for all views, and where each is from."""
    game = sprawl_env.game(name, num_players=seats, **options)
    for games, last in islice(random_positions(game, 11, every=12), count):
        for seat in (None, *range(seats)):
            yield game.picture(games, 0, seat, last), f"ply {games.ply[0]}, seat {seat}"


def small_things(part):
    """Return texts that are too small and targets that are too small."""
    for shape, (left, top, right, bottom) in zip(part.shapes, boxes_of(part.shapes), strict=True):
        if isinstance(shape, Text) and shape.size < LEAST_SIZE - 0.001:
            yield f"{shape.text!r}: {shape.size}"
        if shape.actions and min(right - left, bottom - top) < LEAST_TARGET - 0.001:
            yield f"target {shape.says!r}: {right - left} x {bottom - top}"


def misplaced_things(part):
    """Return what lies outside its part, is cut off, or covers a text."""
    for shape, (left, top, right, bottom) in zip(part.shapes, boxes_of(part.shapes), strict=True):
        if left < -EDGE or top < -EDGE:
            yield f"outside: {shape}"
        if right > part.width + EDGE or bottom > part.height + EDGE:
            yield f"outside: {shape}"
    texts = [shape for shape in part.shapes if isinstance(shape, Text)]
    yield from (f"cut off: {text.text}" for text in texts if text.text.endswith(".."))
    for one, other in overlapping(texts, TOUCH):
        yield f"overlap: {one.text!r}, {other.text!r}"


def covered_things(part):
    """Return targets and tips over which another one lies, so that they are not reached."""
    reached = [shape for shape in part.shapes if shape.actions or shape.tip]
    boxes = boxes_of(reached)
    middles = np.tile((boxes[:, :2] + boxes[:, 2:]) / 2, 2) + np.array((-1, -1, 1, 1))
    for k, j in np.argwhere(np.triu(overlaps(middles, boxes, TOUCH), k=1)):
        shape, later = reached[k], reached[j]
        yield f"{later.says or later.tip!r} covers {shape.says or shape.tip!r}"


def check_all(pictures, faults):
    """Check that no part of any picture has faults."""
    count = 0
    for picture, where in pictures:
        for part in picture.parts:
            found = list(faults(part))
            assert not found, (where, part.name, found)
            count += 1
    assert count


def ids(cases):
    """Return the names of the cases."""
    return [f"{name}-{seats}{'-open' * bool(options)}" for name, seats, options in cases]


@pytest.fixture(scope="module", params=CASES, ids=ids(CASES))
def pictures(request):
    """The pictures of a case, drawn once for all tests."""
    return list(drawn(*request.param))


def test_no_text_and_no_target_is_too_small(pictures):
    check_all(pictures, small_things)


def test_nothing_is_outside_its_part_or_cut_off_and_no_two_texts_overlap(pictures):
    check_all(pictures, misplaced_things)


def test_every_target_and_tip_is_reached(pictures):
    check_all(pictures, covered_things)


def test_parts_have_the_same_names_in_the_same_order_at_every_ply(pictures):
    names = set()
    for picture, _ in pictures:
        found = [part.name for part in picture.parts]
        assert len(set(found)) == len(found)
        assert picture.parts[0].role == ROLES[0]
        names.add(tuple(name for name in found if name not in SOMETIMES))
    assert len(names) == 1


def test_the_part_of_the_seat_that_owes_a_decision_is_framed(pictures):
    for picture, where in pictures:
        playing = {part.seat for part in picture.parts if part.plays}
        asked = picture.caption.seat
        assert playing == ({asked} if asked >= 0 else set()), where


def test_every_text_but_titles_and_names_is_explained(pictures):
    for picture, where in pictures:
        for part in picture.parts:
            tips = [shape for shape in part.shapes if shape.tip or shape.actions]
            texts = [  # titles and names are bold
                shape for shape in part.shapes if isinstance(shape, Text) and not shape.bold
            ]
            explained = overlaps(boxes_of(texts), boxes_of(tips), TOUCH).any(1)
            assert explained.all(), (where, part.name, texts[explained.argmin()].text)


def test_faults_are_found():
    picture = Picture("")
    part = picture.part("one", "", ROLES[0])
    part.height = 40
    part.add(Text(10, 20, "small", 5))
    part.add(Text(12, 21, "a text far beyond the edge of its part, which is cut off ..", 12))
    part.add(Rect(0, 0, 10, 30, actions=(1,), says="thin"))
    assert len(list(small_things(part))) == 2
    assert len(list(misplaced_things(part))) == 3
    part.explain(0, 0, 20, 40, "over it")
    assert len(list(covered_things(part))) == 1
