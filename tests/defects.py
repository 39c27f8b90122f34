"""Variants of the example *Lots*, each with one planted defect that ``check_game`` must find."""

import dataclasses
from itertools import count
from types import SimpleNamespace

import numpy as np

from examples import lots
from sprawl_env.core.actions import ActionTable
from sprawl_env.core.layout import ObservationLayout
from sprawl_env.core.points import points_table
from sprawl_env.core.rules import no_violations
from sprawl_env.core.state import NOT_OVER
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.records import fields_of
from sprawl_env.kernels.rng import below, seed_state

LAST = lots.MAX_SEATS * (lots.MAX_LOTS * lots.KINDS + 1) + lots.KINDS  # number of an observation


def variant(name, fields=None, **kernels):
    """Return the rules of *Lots* under another name, with other kernels and fields."""
    changed = dataclasses.replace(lots.RULES.kernels, **kernels)
    return dataclasses.replace(lots.RULES, name=name, kernels=changed, **(fields or {}))


# --------------------------------------------------------------------------- the ten of the issue


@kernel
def observe_a_hidden_card(tables, games, g, seat, out):
    lots.observe(tables, games, g, seat, out)
    other = (seat + 1) % int(games[g].num_seats)
    out[LAST] = games[g].hand[other, lots.PARK] > 0


@kernel
def deal_without_the_seed(tables, games, g, seed):
    lots.deal(tables, games, g, 0)


@kernel
def allow_what_is_not_held(tables, games, g, mask):
    mask[:] = games[g].over == NOT_OVER


@kernel
def forbid_shops_beside_others(tables, games, g, mask):
    lots.legal_actions(tables, games, g, mask)
    if mask[lots.PARK] or mask[lots.HOUSE]:
        mask[lots.SHOP] = 0


def name_with_points(tables, games, g, action):
    """Build, count the points, and take the building back only if it was legal."""
    state = games[g]
    seat, lot = int(state.to_play), int(state.ply) // int(state.num_seats)
    state.street[seat, lot] = action
    points = lots.points_of(state, seat)
    if state.hand[seat, action] > 0:
        state.street[seat, lot] = lots.FREE
    return f"build a {lots.KIND_NAMES[action]}: {points} points"


@kernel
def observe_and_draw(tables, games, g, seat, out):
    lots.observe(tables, games, g, seat, out)
    out[LAST] = below(games[g], 1)


@kernel
def redeal_all_hands(tables, games, g, seed, seat):
    state = games[g]
    lots.redeal_hidden(tables, games, g, seed, seat)
    lots.redeal_hidden(tables, games, g, seed, (seat + 1) % int(state.num_seats))


@kernel
def play_for_ever(tables, games, g, action):
    """Build on the lots in turn, over and over; the old building goes back to the supply."""
    state = games[g]
    seat, seats = int(state.to_play), int(state.num_seats)
    lot = int(state.ply) // seats % (lots.CITY // seats)
    old = int(state.street[seat, lot])
    if old != lots.FREE:
        state.supply[old] += 1
    state.street[seat, lot] = action
    state.hand[seat, action] -= 1
    lots.draw_card(state, seat)
    state.ply += 1
    state.turn = (state.turn + 1) % 1000
    state.to_play = (seat + 1) % seats


@kernel
def standings_but_the_first(tables, games, g, out):
    for seat in range(1, games[g].num_seats):
        out[seat] = lots.points_of(games[g], seat)


LEAK = variant("lots_leak", observe=observe_a_hidden_card)
SEED = variant("lots_seed", deal=deal_without_the_seed)
WIDE = variant("lots_wide", legal_actions=allow_what_is_not_held)
NARROW = variant("lots_narrow", legal_actions=forbid_shops_beside_others)
ILLEGAL = variant("lots_illegal", {"action_name": name_with_points})
OBSERVE = variant("lots_observe", observe=observe_and_draw)
REDEAL = variant("lots_redeal", redeal_hidden=redeal_all_hands)
ENDLESS = variant("lots_endless", {"violations": no_violations}, play=play_for_ever)
REWARDS = variant("lots_rewards", standings=standings_but_the_first)


def points_without_sources(game, games, g):
    return points_table(game, games, g, [])


POINTS = variant("lots_points", {"points": points_without_sources})


def unreachable():
    """Return rules that no module holds."""
    return variant("lots_pickle")


# ------------------------------------------------------------------------------------- more of them


@kernel
def observe_too_much(tables, games, g, seat, out):
    lots.observe(tables, games, g, seat, out)
    out[LAST] = games[g].num_seats


@kernel
def observe_too_little(tables, games, g, seat, out):
    last = out[LAST]
    lots.observe(tables, games, g, seat, out)
    out[LAST] = last


@kernel
def observe_a_fraction(tables, games, g, seat, out):
    lots.observe(tables, games, g, seat, out)
    out[LAST] = games[g].num_seats / lots.MAX_SEATS / 2


@kernel
def observe_a_large_number(tables, games, g, seat, out):
    """Write 257, of which int8 keeps 1."""
    lots.observe(tables, games, g, seat, out)
    out[LAST] = 254 + int(games[g].num_seats)


@kernel
def redeal_without_rng(tables, games, g, seed, seat):
    """Redeal, but leave what will be drawn as it is."""
    kept = games[g].rng
    lots.redeal_hidden(tables, games, g, seed, seat)
    games[g].rng = kept


@kernel
def redeal_by_the_truth(tables, games, g, seed, seat):
    """Redeal by a seed that depends on the hidden cards."""
    lots.redeal_hidden(tables, games, g, seed // 8 + int(games[g].supply[0]), seat)


@kernel
def play_two_plies(tables, games, g, action):
    lots.play(tables, games, g, action)
    games[g].ply += 1


@kernel
def play_in_the_next_game(tables, games, g, action):
    lots.play(tables, games, g, action)
    games[(g + 1) % games.size].turn += 1


@kernel
def deal_on_top(tables, games, g, seed):
    """Deal, but keep the streets of the game before."""
    state = games[g]
    seed_state(state, seed)
    state.ply = state.turn = state.to_play = state.over = 0
    if state.supply.sum() == 0 and state.hand.sum() == 0:
        state.street[:] = lots.FREE
    state.hand[:] = 0
    state.supply[:] = lots.COPIES
    for seat in range(state.num_seats):
        for _ in range(lots.HAND):
            lots.draw_card(state, seat)


def broken_describe(tables, games, g):
    """Raise what no user's code expects."""
    raise IndexError("no such\nlot")


def tell_all(tables, games, g, seat):
    """Tell a seat what the others hold."""
    return lots.RULES.describe(tables, games, g)


@kernel
def deal_to_nobody(tables, games, g, seed):
    lots.deal(tables, games, g, seed)
    games[g].to_play = games[g].num_seats


@kernel
def play_and_stay(tables, games, g, action):
    """Play, but leave a seat to play when the game is over."""
    lots.play(tables, games, g, action)
    games[g].to_play = max(int(games[g].to_play), 0)


@kernel
def the_next_owes(tables, games, g):
    return 1 << (max(int(games[g].to_play), 0) + 1) % int(games[g].num_seats)


@kernel
def somebody_owes(tables, games, g):
    return 1 << max(int(games[g].to_play), 0)


@kernel
def all_owe(tables, games, g):
    return (1 << int(games[g].num_seats)) - 1


@kernel
def exclude_what_is_no_action(tables, games, g, seat):
    return lots.KINDS


def violations_that_write(tables, games, g):
    """Change the position that is looked at."""
    games["turn"][g] += 1
    return []


def violations_that_write_alone(tables, games, g):
    """Change a position that is looked at alone, once somebody has played."""
    games["turn"][g] += len(games) == 1 and games["ply"][g] > 0
    return []


def draw_all_hands(game, games, g, view):
    """Draw what the others hold."""
    return SimpleNamespace(svg=lambda: f"<svg>{games['hand'][g].tolist()}</svg>")


def name_by_number():
    """Return an ``action_name`` that tells how often it was called."""
    calls = count()
    return lambda tables, games, g, action: f"call {next(calls)}: build {action}"


@kernel
def play_by_place(tables, games, g, action):
    """Play otherwise in each place of a batch."""
    lots.play(tables, games, g, action)
    games[g].turn += g


@kernel
def play_by_chance(tables, games, g, action):
    """Play by chance that is no part of the state, in the places that only batches have."""
    lots.play(tables, games, g, action)
    if g > 1:
        games[g].turn = np.random.randint(1000)  # noqa: NPY002 - what numba has


@kernel
def deal_into_the_tables(tables, games, g, seed):
    lots.deal(tables, games, g, seed)
    tables[0].unused += 1


@kernel
def deal_into_the_next_game(tables, games, g, seed):
    lots.deal(tables, games, g, seed)
    if g + 1 < games.size:
        games[g + 1].turn += 1


@kernel
def deal_a_batch_into_the_tables(tables, games, g, seed):
    """Keep a card of a game of a large batch where all games share it."""
    lots.deal(tables, games, g, seed)
    if games.size > 3:  # the checks before play with three
        tables[0].unused = games[g].hand[0, lots.PARK] > 0


@kernel
def observe_the_tables(tables, games, g, seat, out):
    lots.observe(tables, games, g, seat, out)
    out[LAST] = tables[0].unused


@kernel
def observe_too_much_alone(tables, games, g, seat, out):
    """Write a number that is too large, in a batch of one."""
    lots.observe(tables, games, g, seat, out)
    if games.size == 1:
        out[LAST] = games[g].num_seats


@kernel
def observe_by_chance_alone(tables, games, g, seat, out):
    """Write numbers that change from call to call, in a batch of one."""
    lots.observe(tables, games, g, seat, out)
    if games.size == 1:
        for k in range(LAST):
            out[k] = np.random.randint(2)  # noqa: NPY002 - what numba has


TWICE = ActionTable(("build", 2, ""), ("build", 1, ""))
SAME = ObservationLayout(("streets", (27,), ""), ("hand", (3,), ""), ("hand", (4,), ""))
FIELDS = [(name, field.dtype) for name, field in fields_of(lots.State).items()]


class Unscaled(ObservationLayout):
    """A layout whose factors are not those of its blocks."""

    scales = np.ones(LAST + 1, np.float32)


class Rounded(ObservationLayout):
    """A layout whose ``to_floats`` forgets the scales."""

    def to_floats(self, observations):
        return observations.astype(np.float32)


def scaled(scale, kind=ObservationLayout):
    """Return a layout of *Lots* whose block ``hand`` has another scale."""
    blocks = list(lots.RULES.layout(None, 2).blocks.values())
    given = [(b.name, b.shape, b.meaning, "", scale if b.name == "hand" else 1.0) for b in blocks]
    return lambda *_: kind(*given)


# The last checks only see rules that can be pickled, so a module holds these.
ROUNDED = variant("lots_rounded", {"layout": scaled(1 / 3, Rounded)})
SCRATCH = variant("lots_scratch", deal=deal_a_batch_into_the_tables, observe=observe_the_tables)
THROWN = variant("lots_thrown", play=play_by_chance)
ALONE = variant("lots_alone", observe=observe_too_much_alone)
UNSTEADY = variant("lots_unsteady", observe=observe_by_chance_alone)

MORE = [
    (
        variant("lots_range", observe=observe_too_much),
        "observation",
        r"'three'.* is 3: expected -1",
    ),
    (variant("lots_left", observe=observe_too_little), "observation", r"does not write.*'three'"),
    (
        variant("lots_fraction", observe=observe_a_fraction),
        "observation",
        r"'three'.* is 0\.5: expected a whole number -128\.\.127",
    ),
    (
        variant("lots_large", observe=observe_a_large_number),
        "observation",
        r"257",  # in plain Python numpy raises an error
    ),
    (
        variant("lots_scale", {"layout": scaled(2 / 3)}),
        "observation",
        r"'hand'.* is 1\.33.*: expected -1",
    ),
    (
        variant("lots_no_scale", {"layout": scaled(0.0)}),
        "layout",
        r"'hand' has scale 0: expected a number above 0",
    ),
    (
        variant("lots_unscaled", {"layout": scaled(1 / 3, Unscaled)}),
        "observation",
        r"'hand'.* as float32 .* expected number x scale",
    ),
    (variant("lots_rng", redeal_hidden=redeal_without_rng), "redeal", "rng"),
    (variant("lots_truth", redeal_hidden=redeal_by_the_truth), "redeal", "what the seat knows"),
    (variant("lots_plies", play=play_two_plies), "play", "adds 2 to ply, expected 1"),
    (variant("lots_next", play=play_in_the_next_game), "play", "another game of the batch"),
    (variant("lots_on_top", deal=deal_on_top), "deal", "finished game.*'street'"),
    (variant("lots_shared", deal=deal_into_the_tables), "deal", "deal writes into the tables"),
    (
        variant("lots_beyond", deal=deal_into_the_next_game),
        "deal",
        "deal writes into another game of the batch",
    ),
    (variant("lots_says", {"action_name": lambda *_: "build"}), "names", "both called 'build'"),
    (variant("lots_silent", {"action_name": lambda *_: ""}), "names", "expected one line"),
    (variant("lots_text", {"describe": broken_describe}), "pure", "IndexError: no such lot"),
    (variant("lots_told", {"describe_to": tell_all}), "names", "the text of describe_to changes"),
    (variant("lots_ids", {"actions": TWICE}), "layout", "expected unique names"),
    (variant("lots_blocks", {"layout": lambda *_: SAME}), "layout", "every number once"),
    (variant("lots_padded", {"state": np.dtype(FIELDS, align=True)}), "state", "padding"),
    (variant("lots_nobody", deal=deal_to_nobody), "to_play", "to_play is 3: expected a seat"),
    (variant("lots_stays", play=play_and_stay), "to_play", "after the end: expected -1"),
    (variant("lots_owes", owing=the_next_owes), "owing", "owing returns 2: .* the seat to play"),
    (variant("lots_owes_still", owing=somebody_owes), "owing", "after the end: expected 0"),
    (variant("lots_shows", owing=all_owe), "hides", "several seats owe a choice"),
    (
        variant("lots_takes_back", take_back=exclude_what_is_no_action),
        "take_back",
        "take_back returns 3: expected an action or -1",
    ),
    (
        variant("lots_looks", {"violations": violations_that_write}),
        "pure",
        "violations writes field 'turn': expected no change",
    ),
    (
        variant("lots_json", {"violations": violations_that_write_alone}),
        "json",
        "field 'turn' differs after to_json and from_json",
    ),
    (variant("lots_drawn", {"draw": draw_all_hands}), "picture", "the picture changes"),
    (variant("lots_named", {"action_name": name_by_number()}), "replay", "has another name"),
    (variant("lots_placed", play=play_by_place), "replay", "ends in another position"),
    (ROUNDED, "batch", "observations as int8 times their scales"),
    (SCRATCH, "batch", r"env \d: expected what single games give"),
    (THROWN, "batch", r"env [23]: a step differs from a single game's"),
    (ALONE, "pettingzoo", "Out of bounds"),
    (UNSTEADY, "gymnasium", "[Dd]eterministic"),
]


MANY = 6


@kernel
def impossible_with_many_points(tables, games, g):
    return lots.points_of(games[g], 0) < MANY


IMPOSSIBLE = variant("lots_impossible", is_possible=impossible_with_many_points)
