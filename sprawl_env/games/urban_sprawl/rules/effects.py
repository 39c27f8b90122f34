"""Running the effects of a card (US §7, ruling U18): the seats concerned, questions, the verb.

Effects are entries of the agenda.  EFFECTS runs through a list.  EFFECT finds the seats and asks
what the verb needs to know.  EACH and ACT let seats decide one after another (``seats``).
"""

from __future__ import annotations

from sprawl_env.core.state import FINISHED, NOBODY
from sprawl_env.games.urban_sprawl.constants import (
    CONTRACTOR,
    EITHER,
    MAYOR,
    MOST_ACTION_POINTS,
    NO_LINE,
    NUM_POLITICIANS,
    PRESTIGE,
    WEALTH,
)
from sprawl_env.games.urban_sprawl.effect_verbs import Verb
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
from sprawl_env.games.urban_sprawl.state import State
from sprawl_env.games.urban_sprawl.steps import (
    Stage,
    Step,
)
from sprawl_env.games.urban_sprawl.tables import Table
from sprawl_env.games.urban_sprawl.vocabulary import (
    ALL,
    CHOSEN,
    CHOSEN_VOCATION,
    OFFICE_OF,
    POLITICIANS,
    Line,
    Where,
    Who,
)
from sprawl_env.kernels.agenda import pop, push, top
from sprawl_env.kernels.bits import lowest
from sprawl_env.kernels.compile import kernel

# -------------------------------------------------------------------------- the stages of an effect


@kernel
def seats_meant(t: Table, state: State, e: int, this: int) -> int:
    """Return the seats that an effect concerns; ``find_seats`` handles most and least."""
    who = int(t.effects[e].who)
    if OFFICE_OF[who] >= 0:
        holder = int(state.office[OFFICE_OF[who]])
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
def run_effect(t: Table, state: State) -> None:
    """Carry out one stage of an effect."""
    entry = top(state)
    e, seat, stage = int(entry.effect), int(entry.seat), int(entry.stage)
    entry.stage = stage + 1
    if stage == Stage.WHO:
        find_seats(t, state, e)
    elif stage == Stage.ASK_ZONE:
        if t.effects[e].asks_zone:
            push(state, Step.PICK_ZONE, seat)
    elif stage == Stage.ASK_ROW:
        if t.effects[e].where == Where.ROW:
            push(state, Step.PICK_ROW, seat)
    else:
        seats = int(entry.seats)
        pop(state)
        run_verb(t, state, e, seats, seat)


@kernel
def find_seats(t: Table, state: State, e: int) -> None:
    """Find the seats; the active player picks among tied ones; no seat ends the effect."""
    who = t.effects[e].who
    prestige = who == Who.MOST_PRESTIGE or who == Who.LEAST_PRESTIGE
    if prestige or who == Who.MOST_WEALTH or who == Who.LEAST_WEALTH:
        highest = who == Who.MOST_PRESTIGE or who == Who.MOST_WEALTH
        seats = extreme_seats(state, PRESTIGE if prestige else WEALTH, highest)
        top(state).seats = seats
        if not only_seat(seats):
            push(state, Step.LEADER, int(state.active)).seats = seats
        return
    seats = seats_meant(t, state, e, int(top(state).seat))
    top(state).seats = seats
    if seats == 0:
        pop(state)


# --------------------------------------------------------------------------------- what a verb does


@kernel
def push_each(state: State, e: int, seats: int, self_seat: int) -> None:
    """Let a set of seats act one after another."""
    entry = push(state, Step.EACH, NOBODY)
    entry.effect = e
    entry.seats = seats
    entry.self_seat = self_seat


@kernel
def run_verb(t: Table, state: State, e: int, seats: int, this: int) -> None:
    """Carry out an effect at once, or let the seats decide one by one."""
    effect = t.effects[e]
    verb = effect.verb
    if verb == Verb.GAIN or verb == Verb.LOSE or verb == Verb.PAY:
        run_money(t, state, e, seats, this)
    elif verb == Verb.STEAL:
        run_steal(t, state, e, seats, this)
    elif verb == Verb.PAYOUT:
        run_payout(t, state, e, this)
    elif verb == Verb.DISASTER:
        push_each(state, e, all_seats(state), this)
    elif verb == Verb.ELECTION and effect.office != CHOSEN:
        run_elections(t, state, e)
    elif verb == Verb.GIVE and effect.office != CHOSEN:
        give_office(state, int(effect.office), lowest(seats))
    elif verb == Verb.DRAW:
        run_draw(t, state, e, seats)
    elif verb == Verb.EXTRA_AP:
        state.points = min(int(state.points) + int(effect.amount), MOST_ACTION_POINTS)
    elif verb == Verb.SCORE and effect.vocation != CHOSEN_VOCATION:
        score_vocation(state, int(state.active), int(effect.vocation), int(effect.amount), False)
    elif verb == Verb.LASTING:
        if state.corners[state.lot]:
            give_power(state, int(state.lot), int(effect.power))
    elif verb == Verb.AUCTION:
        first = (int(state.active) + 1) % int(state.num_seats)
        entry = push(state, Step.NEXT_BID, first)
        entry.effect = e
        entry.bidder = NOBODY
    elif verb == Verb.ENTER or verb == Verb.ACTIVATE or verb == Verb.END_GAME:
        change_game(t, state, e)
    else:
        push_each(state, e, seats, this)


@kernel
def run_money(t: Table, state: State, e: int, seats: int, this: int) -> None:
    """Run ``gain``, ``lose`` or ``pay``."""
    effect = t.effects[e]
    if effect.who == Who.CONTROLLER:
        reward_controllers(t, state, e)
    elif effect.what == EITHER:
        push_each(state, e, seats & ~payee(t, e, this), this)
    else:
        move_fixed(t, state, e, seats & ~payee(t, e, this), this)


@kernel
def payee(t: Table, e: int, this: int) -> int:
    """Return the set of the seat that is paid; it does not pay itself (ruling U20)."""
    return 1 << this if t.effects[e].verb == Verb.PAY else 0


@kernel
def run_steal(t: Table, state: State, e: int, seats: int, this: int) -> None:
    """Run ``steal``, from all seats concerned or from one chosen seat."""
    if t.effects[e].who != Who.CHOSEN:
        steal(t, state, e, seats, this)
        return
    chosen = victims(t, state, e, this)
    if chosen:
        entry = push(state, Step.VICTIM, this)
        entry.effect = e
        entry.seats = chosen


@kernel
def run_payout(t: Table, state: State, e: int, this: int) -> None:
    """Run ``payout`` of a named line, the highest line, or a chosen line through this block."""
    effect = t.effects[e]
    if effect.line == Line.ROW:
        push(state, Step.PAID_LINE, this).effect = e
        return
    if effect.line == Line.HIGHEST:
        line = highest_line(t, state, int(effect.what))
    else:
        line = line_with(t, state, int(effect.what), int(effect.printed_number))
    if line != NO_LINE:
        pay_line(t, state, line)


@kernel
def run_elections(t: Table, state: State, e: int) -> None:
    """Hold the election of one office, or of all in track order."""
    effect = t.effects[e]
    if effect.office != ALL:
        push(state, Step.ELECTION, NOBODY).office = effect.office
        return
    for office in range(NUM_POLITICIANS - 1, MAYOR - 1, -1):
        push(state, Step.ELECTION, NOBODY).office = office


@kernel
def run_draw(t: Table, state: State, e: int, seats: int) -> None:
    """Let the seats draw planning cards, clockwise from the active player."""
    count = int(state.num_seats)
    for k in range(count):
        seat = (int(state.active) + k) % count
        if seats >> seat & 1:
            for _ in range(t.effects[e].amount):
                do_draw_card(state, seat)


@kernel
def change_game(t: Table, state: State, e: int) -> None:
    """Bring offices into play, activate a deck or end the game (US 6.10, 6.12)."""
    effect = t.effects[e]
    verb = effect.verb
    if verb == Verb.ACTIVATE:
        state.active_decks = int(state.active_decks) | (1 << int(effect.deck))
    elif verb == Verb.END_GAME:
        state.over = FINISHED
        state.to_play = NOBODY
    elif effect.office == POLITICIANS:
        state.in_play = int(state.in_play) | ((1 << NUM_POLITICIANS) - 1)
    else:
        state.in_play = int(state.in_play) | (1 << CONTRACTOR)
        push(state, Step.ASSIGN, NOBODY)
