"""A toy game for the tests of the adapters: *Bids*, 1 to 3 seats, solo against an automaton.

Every round each seat bids at once, 1 to 3 points, one of them forbidden to it.  Then, at once,
each seat that bid 3 keeps it or gives it to the next side.  The first of a pass goes round.  The
automaton draws its points.  ``dull`` says how often (0 never, 1 in half of the deals, 2 always)
a game offers nothing but a bid of 1, 3: in every first round; with ``cut`` the end is a truncation.
"""

import numpy as np

from sprawl_env.adapters.registration import register
from sprawl_env.core.actions import ActionTable
from sprawl_env.core.data import GameData
from sprawl_env.core.game import Game
from sprawl_env.core.heuristic import Heuristic
from sprawl_env.core.layout import ObservationLayout
from sprawl_env.core.rules import GameKernels, GameRules, Option
from sprawl_env.core.state import FINISHED, NOBODY, NOT_OVER, TRUNCATED, CommonState
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.masks import NO_ACTION
from sprawl_env.kernels.records import array, number, record
from sprawl_env.kernels.rng import below, seed_state

NAME = "toy"
MOST_SEATS = 3
TOP_BID = 3
KEEP, GIVE, WAIT = 3, 4, 5
OFTEN, ALWAYS, FIRST = 1, 2, 3
MOST_SHOWN = 127  # points


class State(CommonState):
    """The state of a game of *Bids*."""

    rounds = number(np.int16, "number of rounds")
    points = array(np.int16, MOST_SEATS, "points of each side")
    bid = array(np.int8, MOST_SEATS, "bid of each seat in this round")
    banned = array(np.int8, MOST_SEATS, "the bid that each seat may not make, less 1")
    gives = array(np.int8, MOST_SEATS, "1 for a seat that gives its bid to the next side")
    owed = number(np.int8, "seats that still owe an answer in this pass, as bits")
    keeping = number(np.int8, "1 in the second pass of a round")
    dull = number(np.int8, "how often there is no choice")
    cut = number(np.int8, "1 if the end is a truncation")
    only_ones = number(np.int8, "1 if only a bid of 1 is legal in this game")


@kernel
def ask_next(state):
    first = int(state.turn) % int(state.num_seats)
    for k in range(state.num_seats):
        seat = (first + k) % int(state.num_seats)
        if state.owed >> seat & 1:
            state.to_play = seat
            return


@kernel
def begin_round(state):
    state.keeping = 0
    state.owed = (1 << int(state.num_seats)) - 1
    for seat in range(state.num_seats):
        state.banned[seat] = below(state, TOP_BID)
        state.gives[seat] = 0
    ask_next(state)


@kernel
def deal(tables, games, g, seed):
    state = games[g]
    seed_state(state, seed)
    state.ply = state.turn = state.over = 0
    for side in range(MOST_SEATS):
        state.points[side] = state.bid[side] = state.banned[side] = state.gives[side] = 0
    state.points[0] = 2  # so that scores do not begin at 0
    state.only_ones = state.dull == ALWAYS or (state.dull == OFTEN and below(state, 2) == 1)
    begin_round(state)


@kernel
def legal_actions(tables, games, g, mask):
    state = games[g]
    mask[:] = 0
    if state.over != NOT_OVER:
        return
    if state.keeping:
        mask[KEEP] = mask[GIVE] = 1
    elif state.only_ones or (state.dull == FIRST and state.turn == 0):
        mask[0] = 1
    else:
        for bid in range(TOP_BID):
            mask[bid] = bid != state.banned[state.to_play]


@kernel
def end_round(state):
    sides = max(2, int(state.num_seats))
    for seat in range(state.num_seats):
        to = (seat + 1) % sides if state.gives[seat] else seat
        state.points[to] += state.bid[seat]
    if state.num_seats == 1:
        state.points[1] += below(state, TOP_BID) + 1
    state.turn += 1
    if state.turn < state.rounds:
        begin_round(state)
    else:
        state.over = TRUNCATED if state.cut else FINISHED
        state.to_play = NOBODY


@kernel
def play(tables, games, g, action):
    state = games[g]
    seat = int(state.to_play)
    if state.keeping:
        state.gives[seat] = action == GIVE
    else:
        state.bid[seat] = action + 1
    state.ply += 1
    state.owed &= ~(1 << seat)
    if state.owed == 0 and not state.keeping:
        state.keeping = 1
        for other in range(state.num_seats):
            if state.bid[other] == TOP_BID:
                state.owed |= 1 << other
    if state.owed == 0:
        end_round(state)
    else:
        ask_next(state)


@kernel
def observe(tables, games, g, seat, out):
    state = games[g]
    for side in range(MOST_SEATS):
        out[side] = min(int(state.points[side]), MOST_SHOWN)
        out[MOST_SEATS + side] = side == state.banned[seat]
    out[2 * MOST_SEATS] = state.keeping


@kernel
def scores(tables, games, g, out):
    for side in range(out.size):
        out[side] = games[g].points[side]


@kernel
def redeal_hidden(tables, games, g, seed, seat):
    seed_state(games[g], seed)


@kernel
def owing(tables, games, g):
    return int(games[g].owed) if games[g].over == NOT_OVER else 0


@kernel
def hides(tables, games, g):
    """Return whether several seats were asked: who alone bid the most decides in the open."""
    state, asked = games[g], 0
    for seat in range(state.num_seats):
        asked += not state.keeping or state.bid[seat] == TOP_BID
    return state.over == NOT_OVER and asked > 1


@kernel
def take_back(tables, games, g, seat):
    state = games[g]
    for other in range(state.num_seats):
        was_asked = not state.keeping or state.bid[other] == TOP_BID
        if other != seat and was_asked and not state.owed >> other & 1:
            state.owed |= 1 << other
            state.ply -= 1
    ask_next(state)
    return NO_ACTION


RULES = GameRules(
    name=NAME,
    title="Bids",
    state=record(State),
    actions=ActionTable(("bid", 3, "1 to 3"), ("keep", 1, ""), ("give", 1, ""), ("wait", 1, "")),
    options={
        "num_players": Option(2, "seats", low=1, high=MOST_SEATS),
        "rounds": Option(3, "rounds", low=1, high=20),
        "dull": Option(0, "how often there is no choice", low=0, high=3),
        "cut": Option(0, "truncated at the end", low=0, high=1),
    },
    data_folder=None,
    data_files=(),
    load_data=lambda folder: GameData({}),
    compile_tables=lambda data, options: np.zeros(1, [("none", np.int64)]).view(np.recarray),
    check_options=lambda data, options: None,
    layout=lambda tables, seats: ObservationLayout(
        ("points", (MOST_SEATS,), "points", "", 1 / MOST_SHOWN),
        ("banned", (TOP_BID,), "bid"),
        ("keeping", (1,), ""),
    ),
    kernels=GameKernels(
        deal=deal,
        legal_actions=legal_actions,
        play=play,
        observe=observe,
        scores=scores,
        standings=scores,
        redeal_hidden=redeal_hidden,
        owing=owing,
        hides=hides,
        take_back=take_back,
    ),
    action_name=lambda tables, games, g, action: f"action {action}",
    describe=lambda tables, games, g: f"Bids, round {games['turn'][g]}",
    violations=lambda tables, games, g: [],
    automaton=True,
    wait=WAIT,
)


def toy(**options):
    """Return the toy with options."""
    return Game(RULES, **options)


@kernel
def value(tables, games, g, seat):
    """Rate a position for the bot greedy."""
    return float(games[g].points[seat]) + float(games[g].bid[seat]) - 4.0 * games[g].gives[seat]


HEURISTIC = Heuristic(value=value)
register(RULES, heuristic=HEURISTIC)
