"""Running the effects of a card (US §7, ruling U18): the seats concerned, questions, the verb.

Effects are entries of the agenda.  EFFECTS runs through a list.  EFFECT finds the seats and asks
what the verb needs to know.  EACH and ACT let seats decide one after another (``seats``).
"""

from __future__ import annotations

from sprawl_env.core.state import FINISHED, NOBODY, State
from sprawl_env.games.urban_sprawl.constants import (
    CONTRACTOR,
    EITHER,
    MAYOR,
    NO_LINE,
    NUM_OFFICES,
    NUM_POLITICIANS,
    PRESTIGE,
    WEALTH,
    Stage,
    Step,
)
from sprawl_env.games.urban_sprawl.rules.board import give_power
from sprawl_env.games.urban_sprawl.rules.elections import give_office, media_holder
from sprawl_env.games.urban_sprawl.rules.lines import (
    all_seats,
    extreme_seats,
    highest_line,
    line_with,
    only_seat,
    pay_line,
)
from sprawl_env.games.urban_sprawl.rules.money import move_fixed, reward_controllers, steal, victims
from sprawl_env.games.urban_sprawl.rules.rails import do_draw_card
from sprawl_env.games.urban_sprawl.rules.vocations import score_vocation
from sprawl_env.games.urban_sprawl.vocabulary import (
    ALL,
    CHOSEN,
    CHOSEN_VOCATION,
    POLITICIANS,
    Line,
    Verb,
    Where,
    Who,
)
from sprawl_env.kernels.bits import lowest
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.old_agenda import SEAT, A, B, C, pop, push, top

# -------------------------------------------------------------------------------- a list of effects


@kernel
def next_effect(state: State) -> None:
    """Start the next effect of a list."""
    this, e, left = top(state, SEAT), top(state, A), top(state, B)
    pop(state)
    if left:
        push(state, Step.EFFECTS, this, e + 1, left - 1)
        push(state, Step.EFFECT, this, e, Stage.WHO)


@kernel
def set_top(state: State, field: int, value: int) -> None:
    """Change one field of the top step."""
    state.agenda[int(state.agenda_size) - 1, field] = value


@kernel
def seats_meant(t: State, state: State, e: int, this: int) -> int:
    """Return the seats that an effect concerns; ``find_seats`` handles most and least."""
    who = int(t.who[e])
    if who < NUM_OFFICES:
        holder = int(state.office[who])
        return 0 if holder == NOBODY else 1 << holder
    if who == Who.MEDIA:
        holder = media_holder(state)
        return 0 if holder == NOBODY else 1 << holder
    if who == Who.EACH or who == Who.CONTROLLER:
        return all_seats(state)
    if who == Who.OPPONENTS:
        return all_seats(state) & ~(1 << this)
    if who == Who.BUILDER:
        return 1 << int(state.active)
    return 1 << this


@kernel
def run_effect(t: State, state: State) -> None:
    """Carry out one stage of an effect."""
    e, stage = top(state, A), top(state, B)
    set_top(state, B, stage + 1)
    if stage == Stage.WHO:
        find_seats(t, state, e)
    elif stage == Stage.ASK_ZONE:
        if t.asks_zone[e]:
            push(state, Step.PICK_ZONE, top(state, SEAT))
    elif stage == Stage.ASK_ROW:
        if t.where[e] == Where.ROW:
            push(state, Step.PICK_ROW, top(state, SEAT))
    else:
        this, seats = top(state, SEAT), top(state, C)
        pop(state)
        run_verb(t, state, e, seats, this)


@kernel
def find_seats(t: State, state: State, e: int) -> None:
    """Find the seats; the active player picks among tied ones; no seat ends the effect."""
    who = t.who[e]
    if who >= Who.MOST_PRESTIGE and who <= Who.LEAST_WEALTH:
        prestige = who <= Who.LEAST_PRESTIGE
        highest = who == Who.MOST_PRESTIGE or who == Who.MOST_WEALTH
        seats = extreme_seats(state, PRESTIGE if prestige else WEALTH, highest)
        set_top(state, C, seats)
        if not only_seat(seats):
            push(state, Step.LEADER, int(state.active), seats)
        return
    seats = seats_meant(t, state, e, top(state, SEAT))
    set_top(state, C, seats)
    if seats == 0:
        pop(state)


# --------------------------------------------------------------------------------- what a verb does


@kernel
def run_verb(t: State, state: State, e: int, seats: int, this: int) -> None:
    """Carry out an effect at once, or let the seats decide one by one."""
    verb = t.verb[e]
    if verb <= Verb.PAY:
        run_money(t, state, e, seats, this)
    elif verb == Verb.STEAL:
        run_steal(t, state, e, seats, this)
    elif verb == Verb.PAYOUT:
        run_payout(t, state, e, this)
    elif verb == Verb.DISASTER:
        push(state, Step.EACH, NOBODY, e, all_seats(state), this)
    elif verb == Verb.ELECTION and t.of_office[e] != CHOSEN:
        run_elections(t, state, e)
    elif verb == Verb.GIVE and t.of_office[e] != CHOSEN:
        give_office(state, int(t.of_office[e]), lowest(seats))
    elif verb == Verb.DRAW:
        run_draw(t, state, e, seats)
    elif verb == Verb.EXTRA_AP:
        state.points += t.amount[e]
    elif verb == Verb.SCORE and t.of_vocation[e] != CHOSEN_VOCATION:
        score_vocation(state, int(state.active), int(t.of_vocation[e]), int(t.amount[e]), False)
    elif verb == Verb.LASTING:
        if state.corners[state.lot]:
            give_power(state, int(state.lot), int(t.of_power[e]))
    elif verb == Verb.AUCTION:
        first = (int(state.active) + 1) % int(state.num_seats)
        push(state, Step.NEXT_BID, first, e, 0, NOBODY)
    elif verb >= Verb.ENTER:
        change_game(t, state, e)
    else:
        push(state, Step.EACH, NOBODY, e, seats, this)


@kernel
def run_money(t: State, state: State, e: int, seats: int, this: int) -> None:
    """Run ``gain``, ``lose`` or ``pay``."""
    if t.who[e] == Who.CONTROLLER:
        reward_controllers(t, state, e)
    elif t.what[e] == EITHER:
        push(state, Step.EACH, NOBODY, e, seats & ~payee(t, e, this), this)
    else:
        move_fixed(t, state, e, seats & ~payee(t, e, this), this)


@kernel
def payee(t: State, e: int, this: int) -> int:
    """Return the set of the seat that is paid; it does not pay itself (ruling U20)."""
    return 1 << this if t.verb[e] == Verb.PAY else 0


@kernel
def run_steal(t: State, state: State, e: int, seats: int, this: int) -> None:
    """Run ``steal``, from all seats concerned or from one chosen seat."""
    if t.who[e] != Who.CHOSEN:
        steal(t, state, e, seats, this)
        return
    chosen = victims(t, state, e, this)
    if chosen:
        push(state, Step.VICTIM, this, e, chosen)


@kernel
def run_payout(t: State, state: State, e: int, this: int) -> None:
    """Run ``payout`` of a named line, the highest line, or a chosen line through this block."""
    if t.pays[e] == Line.ROW:
        push(state, Step.PAID_LINE, this, e)
        return
    if t.pays[e] == Line.HIGHEST:
        line = highest_line(t, state, int(t.what[e]))
    else:
        line = line_with(t, state, int(t.what[e]), int(t.number[e]))
    if line != NO_LINE:
        pay_line(t, state, line)


@kernel
def run_elections(t: State, state: State, e: int) -> None:
    """Hold the election of one office, or of all in track order."""
    if t.of_office[e] != ALL:
        push(state, Step.ELECTION, NOBODY, int(t.of_office[e]))
        return
    for office in range(NUM_POLITICIANS - 1, MAYOR - 1, -1):
        push(state, Step.ELECTION, NOBODY, office)


@kernel
def run_draw(t: State, state: State, e: int, seats: int) -> None:
    """Let the seats draw planning cards, clockwise from the active player."""
    count = int(state.num_seats)
    for k in range(count):
        seat = (int(state.active) + k) % count
        if seats >> seat & 1:
            for _ in range(t.amount[e]):
                do_draw_card(state, seat)


@kernel
def change_game(t: State, state: State, e: int) -> None:
    """Bring offices into play, activate a deck or end the game (US 6.10, 6.12)."""
    verb = t.verb[e]
    if verb == Verb.ACTIVATE:
        state.active_decks = int(state.active_decks) | (1 << int(t.of_deck[e]))
    elif verb == Verb.END_GAME:
        state.over = FINISHED
        state.to_play = NOBODY
    elif t.of_office[e] == POLITICIANS:
        state.in_play = int(state.in_play) | ((1 << NUM_POLITICIANS) - 1)
    else:
        state.in_play = int(state.in_play) | (1 << CONTRACTOR)
        push(state, Step.ASSIGN, NOBODY)
