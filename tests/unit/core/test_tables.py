"""core/{actions,layout}.py and kernels/{bits,lanes}.py: tables and sets."""

from itertools import product

import numpy as np
import pytest

from sprawl_env.core.actions import ActionTable
from sprawl_env.core.errors import IllegalAction, InvalidOption, UnknownName
from sprawl_env.core.layout import (
    Observation,
    ObservationLayout,
    block,
    entity,
    layout_of,
    starts_of,
)
from sprawl_env.kernels.bits import count_bits, lowest
from sprawl_env.kernels.lanes import lanes, shortfall, zeros
from sprawl_env.kernels.stream import to_floats

TABLE = ActionTable(("take", 3, "take a card"), ("build", 4, "build"))
LAYOUT = ObservationLayout(("board", (2, 3), "sites"), ("score", (1,), "points"))


def test_blocks_of_actions_lie_end_to_end():
    assert TABLE.size == 7
    assert (TABLE["build"].start, TABLE["build"].stop) == (3, 7)
    assert [TABLE.locate(a) for a in (0, 2, 3, 6)] == [
        ("take", 0),
        ("take", 2),
        ("build", 0),
        ("build", 3),
    ]


@pytest.mark.parametrize("action", [-1, 7])
def test_an_action_outside_the_table_is_refused(action):
    with pytest.raises(IllegalAction, match=r"ids are 0\.\.6"):
        TABLE.locate(action)


def test_blocks_of_observations_are_viewed_in_their_shape_without_a_copy():
    batch = np.arange(14, dtype=np.float32).reshape(2, 7)
    board = LAYOUT.view(batch, "board")
    assert board.shape == (2, 2, 3)
    assert board.base is not None
    assert LAYOUT.view(batch, "score")[1, 0] == 13


def test_blocks_of_one_entity_are_interleaved_thing_by_thing():
    layout = ObservationLayout(
        ("points", (2,), "points"),
        ("height", (3,), "floors", "site"),
        ("owner", (3, 2), "whose", "site"),
        ("deck", (1,), "cards left"),
    )
    seen = np.arange(2 * 12, dtype=np.float32).reshape(2, 12)
    assert layout.size == 12
    assert layout.rows("site") == (2, 11)
    assert layout.view(seen, "height")[0].tolist() == [2, 5, 8]
    assert layout.view(seen, "owner")[0].tolist() == [[3, 4], [6, 7], [9, 10]]
    assert layout.view(seen, "owner")[1, 2].tolist() == [21, 22]
    assert layout.view(seen[0], "deck").tolist() == [11]
    layout.view(seen, "height")[1, 2] = -1
    assert seen[1, 8] == -1, "a view, not a copy"
    assert "| 3–4, +3 a site | `owner` |" in layout.markdown()
    assert "| 2, +3 a site | `height` |" in layout.markdown()


def test_entities_in_planes_lie_number_by_number():
    layout = ObservationLayout(
        ("points", (2,), "points"),
        ("height", (3,), "floors", "site"),
        ("owner", (3, 2), "whose", "site"),
        ("deck", (1,), "cards left"),
        planes=("site",),
    )
    seen = np.arange(2 * 12, dtype=np.float32).reshape(2, 12)
    assert layout.size == 12
    assert layout.rows("site") == (2, 11)
    assert layout.view(seen, "height")[0].tolist() == [2, 3, 4]
    assert layout.view(seen, "owner")[0].tolist() == [[5, 8], [6, 9], [7, 10]]
    assert layout.features(seen, "site")[1, 2].tolist() == [16, 19, 22]
    assert layout.features(seen[:0], "site").shape == (0, 3, 3)
    assert layout.view(seen[:0], "owner").shape == (0, 3, 2)
    assert layout.view(seen, "site")[1, 2].tolist() == [16, 19, 22]
    layout.view(seen, "height")[1, 2] = -1
    layout.view(seen, "owner")[1, 2, 1] = -2
    assert (seen[1, 4], seen[1, 10]) == (-1, -2), "a view, not a copy"
    assert "| 5–10, planes of 3 | `owner` |" in layout.markdown()


def test_blocks_of_one_entity_must_lie_together_and_agree_on_the_number_of_things():
    site = ("height", (3,), "floors", "site")
    with pytest.raises(ValueError, match="consecutive"):
        ObservationLayout(site, ("points", (2,), "points"), ("owner", (3,), "whose", "site"))
    with pytest.raises(ValueError, match="same first axis"):
        ObservationLayout(site, ("owner", (4,), "whose", "site"))
    with pytest.raises(UnknownName, match="unknown entity 'card': choose from site"):
        ObservationLayout(site).rows("card")


class Market(Observation):
    site = entity(2)
    owner = block((site, "seats"), "whose")
    supply = block((("red", "blue"),), "cards left", scale=1 / 4)
    deck = block(1, "cards left", scale=1 / 60)


@pytest.fixture
def market():
    return layout_of(Market, {"site": ("A", "B")}, seats=2)


def test_every_feature_has_a_name_from_its_places_on_the_axes(market):
    owner = ("owner[A, 0]", "owner[A, 1]", "owner[B, 0]", "owner[B, 1]")
    assert market.names() == (*owner, "supply[red]", "supply[blue]", "deck")


def test_names_of_features_are_unique_for_all_games_and_seats(any_game):
    layout = any_game.observation_layout
    assert len(set(layout.names())) == layout.size


def test_names_follow_the_features_of_planes():
    layout = ObservationLayout(
        ("height", (2,), "floors", "site"), ("owner", (2, 2), "whose", "site"), planes=("site",)
    )
    first = ("height[0]", "height[1]", "owner[0, 0]", "owner[1, 0]")
    assert layout.names() == (*first, "owner[0, 1]", "owner[1, 1]")


def test_a_frame_shows_an_observation_of_either_type(market):
    polars = pytest.importorskip("polars")
    whole = np.array([1, 0, 0, 1, 2, 0, 59], np.int8)
    frame = market.frame(whole)
    assert frame.equals(market.frame(market.to_floats(whole)))
    supply = frame.filter(polars.col("feature") == "supply[red]")
    assert supply.to_dicts() == [
        {"index": 4, "block": "supply", "feature": "supply[red]", "number": 2, "value": 0.5}
    ]


@pytest.mark.parametrize("wrong", [[0.0] * 7, np.zeros(6, np.int8), np.zeros((1, 7), np.float32)])
def test_a_frame_of_something_else_is_refused(market, wrong):
    pytest.importorskip("polars")
    with pytest.raises(InvalidOption, match=r"observation: expected float32 or int8 \[7\], got"):
        market.frame(wrong)


def test_an_action_block_can_say_of_how_many_things_it_is():
    table = ActionTable(("build", 12, "", "site"), ("roof", 6, "", "site"))
    assert table.things_of("site") == 6
    assert ActionTable(("build", 12, "", "site", 3)).things_of("site") == 3
    for blocks in (
        [("build", 12, "", "site", 5)],
        [("build", 12, "", "site", 3), ("roof", 6, "", "site", 6)],
        [("build", 12, "", "site", -3)],
    ):
        with pytest.raises(InvalidOption, match="things, like other blocks of 'site'"):
            ActionTable(*blocks)


def test_blocks_are_found_by_name_and_through_their_entity(market):
    assert market["site"]["owner"] is market["owner"]
    assert market.entities == ("site",)
    assert market["owner"].start == 0
    for name, known in (("ownr", "did you mean 'owner'"), ("color", "choose from deck, owner")):
        with pytest.raises(UnknownName, match=known):
            market[name]
    with pytest.raises(UnknownName, match="unknown block of site 'deck': choose from owner"):
        market["site"]["deck"]
    with pytest.raises(UnknownName, match="unknown block"):
        market.view(np.zeros(7, np.int8), "ownr")


def test_the_repr_lists_the_blocks(market):
    assert repr(market).splitlines() == [
        "7 features; index, block, shape:",
        "2 × site:",
        "      0 owner 2×2",
        "      4 supply 2, scale 1/4",
        "      6 deck 1, scale 1/60",
    ]


def test_the_layouts_digest_sees_names_shapes_and_order_but_not_wording():
    other = ObservationLayout(("board", (2, 3), "reworded"), ("score", (1,), "points"))
    turned = ObservationLayout(("board", (3, 2), "sites"), ("score", (1,), "points"))
    swapped = ObservationLayout(("score", (1,), "points"), ("board", (2, 3), "sites"))
    assert other.digest() == LAYOUT.digest()
    assert len({LAYOUT.digest(), turned.digest(), swapped.digest()}) == 3


def test_tables_print_as_markdown_with_a_row_a_block():
    assert TABLE.markdown().splitlines()[-1] == "| 3–6 | `build` | build |"
    assert LAYOUT.markdown().splitlines()[2] == "| 0–5 | `board` | 2×3 | sites | 1 |"


class Seen(Observation):
    site = entity("sites")
    height = block((site, 2), "floors of the building, by colour", scale=1 / 6)
    owner = block((site, "seats"), "1 for the owner, by seat from the observer")
    lot = entity(4, planes=True)
    zone = block((lot, 3), "zone of the building")
    height_of_lot = block((lot,), "floors on the lot", scale=1 / 4)
    deck = block(1, "cards left in the deck", scale=1 / 40)


def test_an_observation_is_declared_once_with_lengths_by_name():
    layout = layout_of(Seen, sites=5, seats=3)
    shapes = {name: made.shape for name, made in layout.blocks.items()}
    assert shapes == {
        "height": (5, 2), "owner": (5, 3), "zone": (4, 3), "height_of_lot": (4,), "deck": (1,),
    }  # fmt: skip
    assert layout.size == 5 * 5 + 4 * 4 + 1
    assert layout_of(Seen, sites=5, seats=2).size == layout.size - 5
    with pytest.raises(KeyError):
        layout_of(Seen, sites=5)


def test_kernels_get_the_starts_of_blocks_and_the_distances_of_things():
    layout = layout_of(Seen, sites=5, seats=3)
    at = starts_of(Seen, layout)
    seen = np.arange(layout.size)
    assert seen[at.height + 3 * at.site + 1] == layout.view(seen, "height")[3, 1]
    assert seen[at.owner + 4 * at.site + 2] == layout.view(seen, "owner")[4, 2]
    assert seen[at.zone + 2 * at.lot + 3] == layout.view(seen, "zone")[3, 2]
    assert seen[at.height_of_lot + 1] == layout.view(seen, "height_of_lot")[1]
    assert seen[at.deck] == layout.view(seen, "deck")[0]


def test_an_observation_as_floats_is_its_whole_numbers_times_the_scales_of_their_blocks():
    layout = layout_of(Seen, sites=5, seats=3)
    assert layout.scales.dtype == np.float32
    assert layout.view(layout.scales, "height_of_lot").tolist() == [0.25] * 4
    numbers = np.random.default_rng(0).integers(-128, 128, (7, layout.size)).astype(np.int8)
    floats = layout.to_floats(numbers)
    written = np.empty(layout.size, np.float32)
    for row, wanted in zip(numbers, floats, strict=True):
        to_floats(row, layout.scales, written)
        assert written.tobytes() == wanted.tobytes()
    for kind in (np.int16, np.int32, np.int64, np.uint8, np.float32, np.float64):
        given = np.abs(numbers.astype(np.int16)) % 128 if kind is np.uint8 else numbers
        expected = floats if given is numbers else layout.to_floats(given.astype(np.int8))
        same = layout.to_floats(given.astype(kind))
        assert same.dtype == np.float32
        assert same.tobytes() == expected.tobytes()
    sixth = np.float32(1 / 6)
    assert layout.view(floats, "height")[2, 1, 0] == np.float32(numbers[2, 5]) * sixth


def test_the_layouts_digest_sees_scales():
    class Rescaled(Observation):
        deck = block(1, "cards left in the deck", scale=1 / 50)

    class Scaled(Observation):
        deck = block(1, "cards left", scale=1 / 40)

    assert layout_of(Scaled).digest() != layout_of(Rescaled).digest()
    assert "| 0 | `deck` | 1 | cards left | 1/40 |" in layout_of(Scaled).markdown()


@pytest.mark.parametrize("bits", [0, 1, 0b1011, (1 << 48) - 1, (1 << 62) - 1, 1 << 61])
def test_count_bits(bits):
    assert count_bits(bits) == bin(bits).count("1")


def test_lowest_walks_a_set_in_order():
    for place in range(63):
        assert lowest(1 << place) == place
        assert lowest((1 << place) | (1 << 62)) == place


def test_lanes_compare_four_counts_at_once():
    for counts in product((0, 1, 5, 40, 2047), repeat=4):
        wanted = lanes(*counts)
        low, high = 1 << 11, 12
        assert zeros(wanted) == sum(low << high * k for k in range(4) if counts[k] == 0)
        for held in ((0, 0, 0, 0), (1, 40, 0, 6), (2047, 5, 2, 41)):
            short = sum(max(w - h, 0) for w, h in zip(counts, held, strict=True))
            if short < 2**12:  # larger sums are not supported
                assert shortfall(wanted, lanes(*held)) == short
