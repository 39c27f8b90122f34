"""*Tenders*: a small game in which all seats choose at the same time, in one file.

The rules, for 2 to 4 seats:

* The deck has 24 cards: the numbers 1 to 6, four times each.  Every seat is dealt 5 cards, which
  it keeps secret.  Nobody sees the other cards.
* In each of 5 rounds all seats choose a card of their hand at the same time, face down.  Then the
  cards are shown.  The highest number that only one seat has chosen wins the contract of the round,
  which is worth 1 point in the first round, 2 in the second, and so on.  If all numbers were chosen
  more than once, nobody wins it.
* The most points win; on a tie the victory is shared.

    python examples/tenders.py                             # play one game at random and print it
    cd examples
    sprawl-env evaluate --game tenders:RULES --bots mcts random
    sprawl-env play --game tenders:RULES --seats human mcts mcts

The file is in the order of ``lots.py``.  New is the part "choices at the same time", which
docs/guides/games.md describes.
"""

import numpy as np

import sprawl_env
from sprawl_env.adapters.parallel import BoardGameParallel
from sprawl_env.core.actions import ActionTable
from sprawl_env.core.changes import Told
from sprawl_env.core.layout import ObservationLayout
from sprawl_env.core.rules import GameKernels, GameRules, Option
from sprawl_env.core.state import FINISHED, NOBODY, NOT_OVER, CommonState
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.masks import NO_ACTION
from sprawl_env.kernels.records import array, record
from sprawl_env.kernels.rng import below, seed_state

# ------------------------------------------------------------------------------ constants and state

NUMBERS = 6  # card k has the number k + 1
COPIES = 4  # cards of each number
ROUNDS = 5  # a hand has a card for each
ALL_POINTS = ROUNDS * (ROUNDS + 1) // 2  # the contract of round k is worth k points
MIN_SEATS, MAX_SEATS = 2, 4
NO_CARD = -1  # not chosen yet
WAIT = NUMBERS  # never legal here: all seats choose in every round (see GameRules.wait)
ACTIONS = ActionTable(
    ("offer", NUMBERS, "choose a card with the number 1 to 6"), ("wait", 1, "while others choose")
)


class State(CommonState):
    """A game."""

    hand = array(np.int8, (MAX_SEATS, NUMBERS), "cards of each number, without the chosen one")
    supply = array(np.int8, NUMBERS, "cards of each number that were not dealt")
    shown = array(np.int8, NUMBERS, "cards of each number that were chosen in earlier rounds")
    chosen = array(np.int8, MAX_SEATS, "card of this round, hidden from the others, or NO_CARD")
    points = array(np.int8, MAX_SEATS, "points of each seat")


# ---------------------------------------------------------------------------------------- the rules


@kernel
def draw_card(state):
    """Take a random card from the supply and return it."""
    left = 0
    for card in range(NUMBERS):
        left += int(state.supply[card])
    number = below(state, left)
    for card in range(NUMBERS):
        if number < state.supply[card]:
            state.supply[card] -= 1
            return card
        number -= int(state.supply[card])
    return NO_CARD


@kernel
def deal(tables, games, g, seed):
    """Deal five cards to every seat."""
    state = games[g]
    seed_state(state, seed)
    state.ply = state.turn = state.to_play = state.over = 0
    state.hand[:], state.shown[:], state.points[:] = 0, 0, 0
    state.supply[:], state.chosen[:] = COPIES, NO_CARD
    for seat in range(state.num_seats):
        for _ in range(ROUNDS):
            state.hand[seat, draw_card(state)] += 1


@kernel
def legal_actions(tables, games, g, mask):
    """A seat may choose what it holds; it never waits."""
    state = games[g]
    mask[:] = 0
    if state.over == NOT_OVER:
        for card in range(NUMBERS):
            mask[card] = state.hand[state.to_play, card] > 0


@kernel
def next_seat(state):
    """Return the first seat that has not chosen, or NOBODY."""
    for seat in range(state.num_seats):
        if state.chosen[seat] == NO_CARD:
            return seat
    return NOBODY


@kernel
def winner_of(state):
    """Return the seat with the highest number that only one seat has chosen, or NOBODY."""
    for card in range(NUMBERS - 1, -1, -1):
        count, winner = 0, NOBODY
        for seat in range(state.num_seats):
            if state.chosen[seat] == card:
                count, winner = count + 1, seat
        if count == 1:
            return winner
    return NOBODY


@kernel
def end_round(state):
    """Show the chosen cards and give the contract to its winner."""
    state.turn += 1
    winner = winner_of(state)
    if winner != NOBODY:
        state.points[winner] += state.turn
    for seat in range(state.num_seats):
        state.shown[state.chosen[seat]] += 1
    state.chosen[:] = NO_CARD
    state.to_play = 0
    if state.turn == ROUNDS:
        state.over, state.to_play = FINISHED, NOBODY


@kernel
def play(tables, games, g, action):
    """Put a card aside, which no other seat sees; the last choice of a round ends it."""
    state, seat = games[g], int(games[g].to_play)
    state.chosen[seat] = action
    state.hand[seat, action] -= 1
    state.ply += 1
    state.to_play = next_seat(state)
    if state.to_play == NOBODY:
        end_round(state)


# ------------------------------------------------------------------------- choices at the same time


@kernel
def owing(tables, games, g):
    """Return the seats that have not chosen in this round, as bits."""
    state, bits = games[g], 0
    if state.over == NOT_OVER:
        for seat in range(state.num_seats):
            if state.chosen[seat] == NO_CARD:
                bits |= 1 << seat
    return bits


@kernel
def hides(tables, games, g):
    """Return whether the others do not see the choice: always, also the last one of a round."""
    return games[g].over == NOT_OVER


@kernel
def take_back(tables, games, g, seat):
    """Return the cards that the others have chosen in this round to their hands."""
    state = games[g]
    for other in range(state.num_seats):
        if other != seat and state.chosen[other] != NO_CARD:
            state.hand[other, state.chosen[other]] += 1
            state.chosen[other] = NO_CARD
            state.ply -= 1
    if state.over == NOT_OVER:
        state.to_play = next_seat(state)
    return NO_ACTION


def tell(game, before, now, g, played, viewer):
    """Return a choice in words; until the round is over, only its own seat is told the number."""
    if viewer in {None, played.seat} or now[g].turn > before[g].turn:
        return Told(action_name(game.tables, before, g, played.action))
    return Told("choose a card face down", is_final=False)


# -------------------------------------------------------------------------------- what a seat knows


@kernel
def scores(tables, games, g, out):
    """Write the points of every seat, which also rank them."""
    for seat in range(games[g].num_seats):
        out[seat] = games[g].points[seat]


def layout(tables, num_seats):
    """Return the blocks of an observation with their scales; seats count from the observer on."""
    return ObservationLayout(
        ("hand", (NUMBERS,), "own cards of each number", "", 1 / COPIES),
        ("chosen", (NUMBERS,), "1 for the card that the observer has chosen in this round"),
        ("shown", (NUMBERS,), "cards of each number chosen in earlier rounds", "", 1 / COPIES),
        ("points", (MAX_SEATS,), "points of each seat", "", 1 / ALL_POINTS),
        ("round", (ROUNDS,), "1 for the round"),
    )


@kernel
def observe(tables, games, g, seat, out):
    """Write what a seat knows, as whole numbers; of the chosen cards only its own."""
    state = games[g]
    out[:] = 0
    for card in range(NUMBERS):
        out[card] = state.hand[seat, card]
        out[NUMBERS + card] = state.chosen[seat] == card
        out[2 * NUMBERS + card] = state.shown[card]
    at = 3 * NUMBERS
    for k in range(state.num_seats):
        out[at + k] = state.points[(seat + k) % int(state.num_seats)]
    if state.over == NOT_OVER:
        out[at + MAX_SEATS + state.turn] = 1


@kernel
def redeal_hidden(tables, games, g, seed, seat):
    """Shuffle the supply and the others' cards together, also the chosen ones, and deal again."""
    state = games[g]
    seed_state(state, seed)
    for other in range(state.num_seats):
        if other != seat:
            for card in range(NUMBERS):
                state.supply[card] += state.hand[other, card]
                state.hand[other, card] = 0
            if state.chosen[other] != NO_CARD:
                state.supply[state.chosen[other]] += 1
    for other in range(state.num_seats):
        if other != seat:
            cards = ROUNDS - int(state.turn)
            if state.chosen[other] != NO_CARD:
                state.chosen[other] = draw_card(state)
                cards -= 1
            for _ in range(cards):
                state.hand[other, draw_card(state)] += 1


# --------------------------------------------------------------------------------------- for people


def action_name(tables, games, g, action):
    """Return what a player would say."""
    return "wait" if action == WAIT else f"offer {action + 1}"


def describe(tables, games, g):
    """Return the position as text, hands and chosen cards included."""
    state = games[g]
    lines = [f"Rounds left: {ROUNDS - state.turn}"]
    for seat in range(state.num_seats):
        held = " ".join(map(str, np.repeat(np.arange(NUMBERS) + 1, state.hand[seat]))) or "-"
        chosen = "-" if state.chosen[seat] == NO_CARD else state.chosen[seat] + 1
        lines.append(f"seat {seat}: {state.points[seat]} points; offers {chosen}; holds {held}")
    return "\n".join(lines)


def violations(tables, games, g):
    """Return what is impossible in a position."""
    state, found = games[g], []
    seats, turn, has_chosen = int(state.num_seats), int(state.turn), state.chosen != NO_CARD
    if state.chosen.min() < NO_CARD or state.chosen.max() >= NUMBERS:
        found.append(f"chosen: expected {NO_CARD}..{NUMBERS - 1}")
    if turn > ROUNDS or state.over != (FINISHED if turn == ROUNDS else NOT_OVER):
        found.append(f"over: expected the end after {ROUNDS} rounds")
    if state.to_play != (next_seat(state) if turn < ROUNDS else NOBODY):
        found.append("to_play: expected the first seat that has not chosen")
    if state.ply != turn * seats + has_chosen.sum():
        found.append(f"ply: expected {seats} for each round, and the choices of this one")
    cards = np.where(np.arange(MAX_SEATS) < seats, ROUNDS - turn, 0)
    if not np.array_equal(state.hand.sum(axis=1) + has_chosen, cards):
        found.append(f"hand: expected {ROUNDS - turn} cards of each seat, with the chosen one")
    if state.shown.sum() != turn * seats:
        found.append(f"shown: expected {turn * seats} cards")
    for card in range(NUMBERS):
        counts = [*state.hand[:, card].tolist(), int(state.supply[card]), int(state.shown[card])]
        if min(counts) < 0 or sum(counts) + (state.chosen == card).sum() != COPIES:
            found.append(f"number {card + 1}: expected {COPIES} cards in all, no negative number")
    most = turn * (turn + 1) // 2
    if state.points.min() < 0 or state.points.sum() > most or state.points[seats:].any():
        found.append(f"points: expected {most} of all seats at most, no negative number")
    return found


# ------------------------------------------------------------------------------------- registration

RULES = GameRules(
    name="tenders",
    title="Tenders",
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
        standings=scores,
        redeal_hidden=redeal_hidden,
        owing=owing,
        hides=hides,
        take_back=take_back,
    ),
    wait=WAIT,
    action_name=action_name,
    describe=describe,
    violations=violations,
    tell=tell,
)
sprawl_env.register(RULES)


def main():
    """Play one game at random, all seats at the same time, and print it."""
    env = BoardGameParallel("tenders", num_players=3)
    _, infos = env.reset(seed=7)
    rng = np.random.default_rng(0)
    while env.agents:
        print(env.game.describe(env.games))
        chosen = {a: int(rng.choice(np.flatnonzero(infos[a]["action_mask"]))) for a in env.agents}
        for agent, action in chosen.items():
            print(f"> {agent}: {env.game.action_name(env.games, 0, action)}")
        _, _, _, _, infos = env.step(chosen)
        print()
    print(env.game.describe(env.games))


if __name__ == "__main__":
    main()
