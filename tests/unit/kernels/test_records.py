"""kernels/records.py and kernels/agenda.py: declarations of records, and the stack of steps."""

import textwrap

import numpy as np
import pytest
from mypy import api

from sprawl_env.kernels.agenda import AgendaEntry, argument, clear_agenda, pop, push, top
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.records import (
    Record,
    array,
    dtype_of,
    fields_of,
    number,
    part,
    record,
    records,
)
from tests.commands import ROOT, run_code


class Entry(AgendaEntry):
    card = argument("TAKE: the card")
    place = argument("TAKE: where it goes", np.int8)
    left = argument("COUNT: how many are left")


class Point(Record):
    x = number(np.int8, "column")
    y = number(np.int8, "row")


class Base(Record):
    ply = number(np.int32, "decisions made so far")


class State(Base):
    wealth = array(np.int16, 3, "wealth of each seat")
    board = array(np.int8, (2, 3), "what stands there")
    seen = number(np.int64, "set of cells")
    points = records(Point, 2, "two corners")
    centre = part(Point, "the middle")
    agenda = records(Entry, 4, "pending steps, the next one last")
    agenda_size = number(np.int8, "number of pending steps")


STATE = record(State)


def new_states(count=2):
    return np.zeros(count, STATE).view(np.recarray)


def test_a_declaration_gives_fields_in_order_those_of_its_base_first():
    assert list(fields_of(State)) == [
        "ply",
        "wealth",
        "board",
        "seen",
        "points",
        "centre",
        "agenda",
        "agenda_size",
    ]
    assert fields_of(State)["board"].shape == (2, 3)


def test_a_record_has_wide_fields_first_and_no_padding():
    fields = STATE.fields
    offsets = sorted((fields[name][1], fields[name][0].itemsize) for name in STATE.names)
    assert [start for start, _ in offsets] == [
        sum(size for _, size in offsets[:k]) for k in range(len(offsets))
    ]
    assert STATE.names[0] == "seen"
    assert STATE.itemsize % 8 == 0
    for name in STATE.names:
        assert fields[name][1] % fields[name][0].base.alignment == 0


def test_a_declared_field_says_its_type_and_shape():
    fields = fields_of(State)
    assert (fields["wealth"].type_name, fields["wealth"].shape_name) == ("int16", "3")
    assert (fields["points"].type_name, fields["points"].shape_name) == ("record", "2")
    assert fields["wealth"].follows == ""


def test_a_nested_record_has_wide_fields_first_too():
    dtype = dtype_of(Entry)
    assert dtype.names == ("card", "left", "step", "seat", "place")
    assert dtype.itemsize == 8


@pytest.mark.parametrize("name", ["size", "data", "item", "round", "field"])
def test_a_field_must_not_hide_an_attribute_of_numpys_records(name):
    wrong = type("Wrong", (Record,), {name: number(np.int8, "plain Python would read numpy's")})
    with pytest.raises(ValueError, match=f"field '{name}': numpy's records have an attribute"):
        record(wrong)


@kernel
def set_fields(games, g):
    state = games[g]
    state.wealth[1] += 5
    state.points[1].y = 7
    state.centre.x = state.points[1].y - 1
    state.board[1, 2] = 4


def test_kernels_read_and_write_every_kind_of_field():
    games = new_states()
    set_fields(games, 1)
    assert games.wealth[1].tolist() == [0, 5, 0]
    assert games["points"][1, 1]["y"] == 7
    assert games["centre"][1]["x"] == 6
    assert games.board[1, 1, 2] == 4
    assert not games[:1].tobytes().strip(b"\0")


@kernel
def ask_twice(games, g):
    state = games[g]
    entry = push(state, 5, 1)
    entry.card = 20
    entry.place = 30
    push(state, 6, 0).left = 40


@kernel
def answer(games, g):
    state = games[g]
    entry = top(state)
    step, card, place, left = int(entry.step), int(entry.card), int(entry.place), int(entry.left)
    pop(state)
    return step, card, place, left


PUSH_TOO_MUCH = """
from tests.unit.kernels.test_records import ask_twice, new_states
games = new_states(1)
games.agenda[0].step = 1
games.agenda_size[0] = 3
after = games.dtype.fields["agenda"][1] + games.dtype["agenda"].itemsize
whole = games.view("u1")
whole[after:] = 7
games.agenda_size[0] = 3
try:
    ask_twice(games, 0)
except IndexError:
    print(len(whole[after:]) > 1, (whole[after:] != 7).sum())
"""


@pytest.mark.compiled
def test_with_checked_indices_a_full_agenda_writes_nothing_behind_it():
    """agenda_size is behind it: the first push writes that one byte."""
    assert run_code(PUSH_TOO_MUCH, ROOT, NUMBA_BOUNDSCHECK="1")[0] == "True 1\n"


@kernel
def clear(games, g):
    clear_agenda(games[g])


def test_the_agenda_is_a_stack_whose_entries_have_named_arguments():
    games = new_states()
    ask_twice(games, 1)
    assert games.agenda_size.tolist() == [0, 2]
    assert answer(games, 1) == (6, 0, 0, 40)
    assert answer(games, 1) == (5, 20, 30, 0)
    assert games.agenda_size[1] == 0


def test_kernels_called_from_python_take_single_records_and_return_entries():
    games = new_states()
    ask_twice(games, 1)
    assert top(games[1]).left == 40
    pop(games[1])
    assert top(games[1]).card == 20


def test_a_pushed_step_has_no_arguments_of_an_older_one():
    games = new_states()
    ask_twice(games, 0)
    answer(games, 0)
    answer(games, 0)
    games.agenda["place"][0] = 9
    ask_twice(games, 0)
    assert games.agenda["place"][0].tolist() == [30, 0, 9, 9]
    clear(games, 0)
    assert games.tobytes() == new_states().tobytes()


PLANTED = """
    from sprawl_env.games.{game}.state import State
    from sprawl_env.games.{game}.tables import Table
    from sprawl_env.kernels.agenda import push, top

    def wrong(t: Table, state: State) -> None:
        push(state, 0, 0).no_argument = 1
        print(state.to_plya, t.no_table, top(state).sept)
"""


@pytest.mark.slow
@pytest.mark.parametrize("game", ["tower_up", "ginkgopolis", "urban_sprawl"])
def test_a_type_checker_finds_misspelt_fields(game):
    found, _, status = api.run(
        ["--config-file=", "--strict", "-c", textwrap.dedent(PLANTED.format(game=game))]
    )
    assert status == 1
    for name in ("no_argument", "to_plya", "no_table", "sept"):
        assert f'has no attribute "{name}"' in found, found
