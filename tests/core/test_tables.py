"""core/actions.py, layout.py, bits.py, agenda.py: the small tables and stacks."""

import numpy as np
import pytest

from sprawl_env.core.actions import ActionTable
from sprawl_env.core.agenda import SEAT, STEP, A, B, C, agenda_fields, pop, push, top
from sprawl_env.core.bits import count_bits
from sprawl_env.core.errors import IllegalAction
from sprawl_env.core.layout import ObservationLayout

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


def test_the_layouts_digest_sees_names_shapes_and_order_but_not_wording():
    other = ObservationLayout(("board", (2, 3), "reworded"), ("score", (1,), "points"))
    turned = ObservationLayout(("board", (3, 2), "sites"), ("score", (1,), "points"))
    swapped = ObservationLayout(("score", (1,), "points"), ("board", (2, 3), "sites"))
    assert other.digest() == LAYOUT.digest()
    assert len({LAYOUT.digest(), turned.digest(), swapped.digest()}) == 3


def test_tables_print_as_markdown_with_a_row_a_block():
    assert TABLE.markdown().splitlines()[-1] == "| 3–6 | `build` | build |"
    assert LAYOUT.markdown().splitlines()[2] == "| 0–5 | `board` | 2×3 | sites |"


@pytest.mark.parametrize("bits", [0, 1, 0b1011, (1 << 48) - 1, (1 << 62) - 1, 1 << 61])
def test_count_bits(bits):
    assert count_bits(bits) == bin(bits).count("1")


def test_the_agenda_is_a_stack():
    state = np.zeros(1, agenda_fields(4)).view(np.recarray)[0]
    push(state, 5, 1, 2, 3, 4)
    push(state, 6, 0, 0, 0, 0)
    assert (top(state, STEP), top(state, SEAT)) == (6, 0)
    pop(state)
    assert [top(state, field) for field in (STEP, SEAT, A, B, C)] == [5, 1, 2, 3, 4]
    pop(state)
    assert state.agenda_size == 0
