"""*Lots*: a small game of your own, in one file.

The rules, for 2 or 3 seats:

* The deck has 9 cards: 3 parks, 3 houses and 3 shops.  Every seat is dealt 2 cards, which it keeps
  secret.
* On its turn a seat builds one of its cards on the next free lot of its own street, then draws a
  card if any is left.
* The city has 6 lots: 3 for each of two seats, 2 for each of three.  The game ends when all are
  built on.
* A park scores 1 point.  A house scores 1 point and 1 more for each park in its own street.  A shop
  scores 1 point for each house in the other streets.
* The most points win; on a tie, the most houses; otherwise the victory is shared.

The game has 3,114 reachable states with two seats and 4,620 with three, random numbers left out.

    python examples/lots.py                                # play one game at random and print it
    cd examples
    sprawl-env evaluate --game lots:RULES --bots greedy random
    sprawl-env play --game lots:RULES --seats human greedy

CONTRIBUTING.md, "Add a game", describes the steps in which this file was written.
"""

import numpy as np

import sprawl_env
from sprawl_env.core.actions import ActionTable
from sprawl_env.core.layout import ObservationLayout
from sprawl_env.core.rules import GameKernels, GameRules, Option
from sprawl_env.core.state import FINISHED, NOBODY, NOT_OVER, CommonState
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.records import array, record
from sprawl_env.kernels.rng import below, seed_state

# ------------------------------------------------------------------------------ constants and state

PARK, HOUSE, SHOP = range(3)
KINDS = 3
KIND_NAMES = ("park", "house", "shop")
COPIES = 3  # cards of each kind
HAND = 2  # cards dealt to each seat
CITY = 6  # lots of all seats together
MIN_SEATS, MAX_SEATS = 2, 3
MAX_LOTS = CITY // MIN_SEATS  # of one seat
FREE = -1  # a lot without a building
ACTIONS = ActionTable(("build", KINDS, "build a park, a house or a shop"))


class State(CommonState):
    """A game."""

    street = array(np.int8, (MAX_SEATS, MAX_LOTS), "kind of building on each lot, or FREE")
    hand = array(np.int8, (MAX_SEATS, KINDS), "cards of each kind")
    supply = array(np.int8, KINDS, "cards of each kind that nobody has drawn")


# ---------------------------------------------------------------------------------------- the rules


@kernel
def draw_card(state, seat):
    """Move a random card from the supply to a hand; do nothing if the supply is empty."""
    left = 0
    for kind in range(KINDS):
        left += int(state.supply[kind])
    if left == 0:
        return
    number = below(state, left)
    for kind in range(KINDS):
        if number < state.supply[kind]:
            state.supply[kind] -= 1
            state.hand[seat, kind] += 1
            return
        number -= int(state.supply[kind])


@kernel
def deal(tables, games, g, seed):
    """Deal two cards to every seat."""
    state = games[g]
    seed_state(state, seed)
    state.ply = state.turn = state.to_play = state.over = 0
    state.street[:], state.hand[:] = FREE, 0
    state.supply[:] = COPIES
    for seat in range(state.num_seats):
        for _ in range(HAND):
            draw_card(state, seat)


@kernel
def legal_actions(tables, games, g, mask):
    """A seat may build what it holds."""
    state = games[g]
    mask[:] = 0
    if state.over == NOT_OVER:
        for kind in range(KINDS):
            mask[kind] = state.hand[state.to_play, kind] > 0


@kernel
def play(tables, games, g, action):
    """Build a card, draw a card, pass the turn on."""
    state, seat = games[g], int(games[g].to_play)
    state.street[seat, int(state.ply) // int(state.num_seats)] = action
    state.hand[seat, action] -= 1
    draw_card(state, seat)
    state.ply += 1
    state.turn += 1
    state.to_play = (seat + 1) % int(state.num_seats)
    if state.ply == CITY:
        state.over = FINISHED
        state.to_play = NOBODY


# ---------------------------------------------------------------------------------------- the score


@kernel
def built(state, seat, kind):
    """Count a seat's buildings of a kind."""
    count = 0
    for lot in range(MAX_LOTS):
        count += state.street[seat, lot] == kind
    return count


@kernel
def points_of(state, seat):
    """Return a seat's points."""
    parks = built(state, seat, PARK)
    customers = 0
    for other in range(state.num_seats):
        if other != seat:
            customers += built(state, other, HOUSE)
    houses = built(state, seat, HOUSE) * (1 + parks)
    return parks + houses + built(state, seat, SHOP) * customers


@kernel
def scores(tables, games, g, out):
    """Write the points of every seat."""
    for seat in range(games[g].num_seats):
        out[seat] = points_of(games[g], seat)


@kernel
def standings(tables, games, g, out):
    """Write points with the tie-break, the number of houses, folded in."""
    for seat in range(games[g].num_seats):
        out[seat] = points_of(games[g], seat) * (CITY + 1) + built(games[g], seat, HOUSE)


# -------------------------------------------------------------------------------- what a seat knows


def layout(tables, num_seats):
    """Return the blocks of an observation with their scales; seats count from the observer on."""
    return ObservationLayout(
        ("streets", (MAX_SEATS, MAX_LOTS, KINDS), "1 if the seat has that building on that lot"),
        ("hand", (KINDS,), "own cards of each kind", "", 1 / COPIES),
        ("seat", (MAX_SEATS,), "1 for the observer's place in the order of play"),
        ("three", (1,), "1 with three seats"),
    )


@kernel
def observe(tables, games, g, seat, out):
    """Write what a seat knows, as whole numbers: all streets and its own hand."""
    state = games[g]
    out[:] = 0
    for k in range(state.num_seats):
        other = (seat + k) % int(state.num_seats)
        for lot in range(MAX_LOTS):
            kind = int(state.street[other, lot])
            if kind != FREE:
                out[(k * MAX_LOTS + lot) * KINDS + kind] = 1
    at = MAX_SEATS * MAX_LOTS * KINDS
    for kind in range(KINDS):
        out[at + kind] = state.hand[seat, kind]
    out[at + KINDS + seat] = 1
    out[at + KINDS + MAX_SEATS] = state.num_seats == MAX_SEATS


@kernel
def redeal_hidden(tables, games, g, seed, seat):
    """Shuffle the other hands and the supply together and deal as many cards again."""
    state = games[g]
    seed_state(state, seed)
    for other in range(state.num_seats):
        if other != seat:
            for kind in range(KINDS):
                state.supply[kind] += state.hand[other, kind]
    for other in range(state.num_seats):
        if other != seat:
            cards = 0
            for kind in range(KINDS):
                cards += int(state.hand[other, kind])
                state.hand[other, kind] = 0
            for _ in range(cards):
                draw_card(state, other)


# --------------------------------------------------------------------------------------- for people


def action_name(tables, games, g, action):
    """Return what a player would say."""
    return f"build a {KIND_NAMES[action]}"


def describe(tables, games, g):
    """Return the position as text, hands included."""
    state = games[g]
    lines = [f"Free lots: {CITY - state.ply}, cards left: {state.supply.sum()}"]
    for seat in range(state.num_seats):
        street = [KIND_NAMES[kind] if kind != FREE else "-" for kind in state.street[seat]]
        hand = [KIND_NAMES[kind] for kind in range(KINDS) for _ in range(state.hand[seat, kind])]
        row = " ".join(f"{word:5}" for word in street[: CITY // state.num_seats])
        points = points_of(state, seat)
        lines.append(f"seat {seat}:  {row}  {points} points, holds {' '.join(hand) or 'nothing'}")
    return "\n".join(lines)


def violations(tables, games, g):
    """Return what is impossible in a position."""
    state, found, seats, ply = games[g], [], int(games[g].num_seats), int(games[g].ply)
    if ply > CITY or (ply == CITY) != (state.over != NOT_OVER):
        found.append(f"over: expected the end after {CITY} buildings")
    if state.to_play != (NOBODY if ply >= CITY else ply % seats):
        found.append(f"to_play: expected seat {ply % seats}")
    if state.street.min() < FREE or state.street.max() >= KINDS:
        found.append(f"street: expected {FREE}..{KINDS - 1}")
    for kind, name in enumerate(KIND_NAMES):
        cards = [int(state.supply[kind]), *state.hand[:, kind].tolist()]
        if min(cards) < 0 or sum(cards) + int((state.street == kind).sum()) != COPIES:
            found.append(f"{name}: expected {COPIES} cards in all, no negative number")
    for seat in range(seats):
        lots = (ply - seat + seats - 1) // seats
        if not ((state.street[seat] != FREE) == (np.arange(MAX_LOTS) < lots)).all():
            found.append(f"street of seat {seat}: expected {lots} buildings, the first lots first")
    return found


# ------------------------------------------------------------------------------------ the heuristic


@kernel
def value(tables, games, g, seat):
    """Return the lead in points; a park counts a little more, as a house may follow it."""
    state = games[g]
    best = -1
    for other in range(state.num_seats):
        if other != seat:
            best = max(best, points_of(state, other))
    return float(points_of(state, seat) - best) + 0.6 * built(state, seat, PARK)


# ------------------------------------------------------------------------------------- registration

RULES = GameRules(
    name="lots",
    title="Lots",
    state=record(State),
    declaration=State,
    actions=ACTIONS,
    options={"num_players": Option(MIN_SEATS, "seats", low=MIN_SEATS, high=MAX_SEATS)},
    layout=layout,
    kernels=GameKernels(
        deal=deal,
        legal_actions=legal_actions,
        play=play,
        observe=observe,
        scores=scores,
        standings=standings,
        redeal_hidden=redeal_hidden,
    ),
    action_name=action_name,
    describe=describe,
    violations=violations,
)
HEURISTIC = sprawl_env.Heuristic(value=value)
sprawl_env.register(RULES, heuristic=HEURISTIC)


def main():
    """Play one game at random and print it."""
    game = sprawl_env.game("lots", num_players=3)
    games, rng = game.deal(1, seed=7), np.random.default_rng(0)
    while games["over"][0] == NOT_OVER:
        print(game.describe(games))
        action = int(rng.choice(np.flatnonzero(game.legal_actions(games))))
        print(f"> seat {games['to_play'][0]}: {game.action_name(games, 0, action)}\n")
        game.play(games, 0, action)
    print(game.describe(games))
    print(f"points: {game.scores(games, 0).tolist()}")


if __name__ == "__main__":
    main()
