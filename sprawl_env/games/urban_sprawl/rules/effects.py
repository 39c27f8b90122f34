"""Running the effects of a card (US §7, ruling U18): who is meant, what is asked, the verb.

Effects stand on the agenda: EFFECTS goes through a list, EFFECT finds the seats and asks what the
verb needs to know, EACH lets seats act one after the other, ACT starts what one seat has to do.
"""

from __future__ import annotations

from sprawl_env.core.state import FINISHED, NOBODY, State
from sprawl_env.games.urban_sprawl.constants import (
    CONTRACTOR,
    CORNERS,
    EITHER,
    MAYOR,
    NO_GREY,
    NO_KIND,
    NO_LINE,
    NO_MARKER,
    NUM_KINDS,
    NUM_MARKERS,
    NUM_OFFICES,
    NUM_POLITICIANS,
    NUM_VOCATIONS,
    NUM_WEALTH_MARKERS,
    NUM_ZONES,
    PLANNING_TOP,
    PRESTIGE,
    WEALTH,
    Stage,
    Step,
)
from sprawl_env.games.urban_sprawl.rules.board import give_power, lay, lift, set_owner
from sprawl_env.games.urban_sprawl.rules.elections import is_in_play, media_holder
from sprawl_env.games.urban_sprawl.rules.filters import (
    count_places,
    count_targets,
    first_target,
)
from sprawl_env.games.urban_sprawl.rules.lines import (
    all_seats,
    empty_greys,
    extreme_seats,
    grey_of,
    highest_line,
    in_line,
    line_number,
    line_with,
    only_seat,
    pay_line,
)
from sprawl_env.games.urban_sprawl.rules.money import (
    buildings_held,
    count_unit_choices,
    has,
    move_fixed,
    reward_controllers,
    steal,
    take_up_to,
    units,
    victims,
)
from sprawl_env.games.urban_sprawl.rules.rails import do_draw_card
from sprawl_env.games.urban_sprawl.rules.vocations import (
    opponents_with,
    score_vocation,
    take_vocation,
)
from sprawl_env.games.urban_sprawl.vocabulary import (
    ALL,
    CHOSEN,
    CHOSEN_VOCATION,
    POLITICIANS,
    Extreme,
    Line,
    MarkerChoice,
    Verb,
    Where,
    Who,
)
from sprawl_env.kernels.agenda import SEAT, A, B, C, pop, push, top
from sprawl_env.kernels.bits import lowest
from sprawl_env.kernels.compile import kernel

# ----------------------------------------------------------------------------- a list of effects


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
    """Set of the seats that an effect concerns; several leaders are still tied."""
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
    """Carry an effect one stage on."""
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
    """Note the seats meant; the active player picks among tied leaders; vacant: no effect."""
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


# --------------------------------------------------------------------------- what a verb does


@kernel
def run_verb(t: State, state: State, e: int, seats: int, this: int) -> None:
    """Do at once what needs no decision; otherwise let the seats act one by one."""
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
    """Gain, lose, pay."""
    if t.who[e] == Who.CONTROLLER:
        reward_controllers(t, state, e)
    elif t.what[e] == EITHER:
        push(state, Step.EACH, NOBODY, e, seats & ~payee(t, e, this), this)
    else:
        move_fixed(t, state, e, seats & ~payee(t, e, this), this)


@kernel
def payee(t: State, e: int, this: int) -> int:
    """Set of the seat that is paid: nobody pays themself (ruling U20)."""
    return 1 << this if t.verb[e] == Verb.PAY else 0


@kernel
def run_steal(t: State, state: State, e: int, seats: int, this: int) -> None:
    """Steal from one or several seats."""
    if t.who[e] != Who.CHOSEN:
        steal(t, state, e, seats, this)
        return
    chosen = victims(t, state, e, this)
    if chosen:
        push(state, Step.VICTIM, this, e, chosen)


@kernel
def run_payout(t: State, state: State, e: int, this: int) -> None:
    """Pay a line."""
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
def is_paid_line(t: State, state: State, line: int) -> bool:
    """Is it a line with a number through this block (ruling U22)?"""
    return bool(line_number(t, state, line) and in_line(line, int(state.lot) // CORNERS))


@kernel
def run_elections(t: State, state: State, e: int) -> None:
    """Elect one office, or all in track order."""
    if t.of_office[e] != ALL:
        push(state, Step.ELECTION, NOBODY, int(t.of_office[e]))
        return
    for office in range(NUM_POLITICIANS - 1, MAYOR - 1, -1):
        push(state, Step.ELECTION, NOBODY, office)


@kernel
def give_office(state: State, office: int, seat: int) -> None:
    """Give an office in play without an election (ruling U30)."""
    if is_in_play(state, office):
        state.office[office] = seat


@kernel
def run_draw(t: State, state: State, e: int, seats: int) -> None:
    """Planning cards from the deck, clockwise from the active player."""
    count = int(state.num_seats)
    for k in range(count):
        seat = (int(state.active) + k) % count
        if seats >> seat & 1:
            for _ in range(t.amount[e]):
                do_draw_card(state, seat)


@kernel
def change_game(t: State, state: State, e: int) -> None:
    """Offices come into play, a deck becomes active, the game stops (US 6.10, 6.12)."""
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


# ------------------------------------------------------------------- one seat after another (U21)


@kernel
def each_seat(t: State, state: State) -> None:
    """Let the next seat act: who has no choice goes first, the active player picks the others."""
    e, seats, this = top(state, A), top(state, B), top(state, C)
    count = int(state.num_seats)
    forced = NOBODY
    for k in range(count):
        seat = (int(state.active) + k) % count
        if seats >> seat & 1:
            choices = count_choices(t, state, e, seat)
            if choices == 0:
                seats &= ~(1 << seat)
            elif choices == 1 and forced == NOBODY:
                forced = seat
    set_top(state, B, seats)
    if seats == 0:
        pop(state)
    elif forced != NOBODY:
        let_act(state, forced)
    elif only_seat(seats):
        let_act(state, lowest(seats))
    else:
        push(state, Step.NEXT_SEAT, int(state.active), seats, this)


@kernel
def let_act(state: State, seat: int) -> None:
    """One seat acts; the others wait below."""
    e, this = top(state, A), top(state, C)
    left = top(state, B) & ~(1 << seat)
    set_top(state, B, left)
    if left == 0:
        pop(state)
    push(state, Step.ACT, seat, e, this)


@kernel
def count_choices(t: State, state: State, e: int, seat: int) -> int:
    """Count the legal actions of a seat's first ply; 1 if it acts without any, 0 if it does not."""
    verb = t.verb[e]
    if verb <= Verb.PAY:
        return count_unit_choices(t, state, e, seat) if units(t, state, e, seat) else 0
    if verb >= Verb.MOVE and verb <= Verb.TAKE:
        return count_targets(t, state, e, seat)
    if verb == Verb.PLACE:
        return count_placing(t, state, e)
    if verb == Verb.NEW_MARKER or verb == Verb.MOVE_MARKER:
        return count_marker_choices(t, state, e)
    if verb == Verb.DISASTER:
        return count_losses(t, state, e, seat)
    if verb == Verb.ELECTION or verb == Verb.GIVE:
        return count_offices(t, state, e, seat)
    if verb == Verb.FREE_CARD or verb == Verb.DISCARD:
        return count_cards(t, state, e, seat)
    if verb == Verb.VOCATION or verb == Verb.SCORE:
        return count_vocations(t, state, e, seat)
    if verb == Verb.OPTIONAL:
        return 1 + may_accept(t, state, e, seat)
    return int(t.then_count[e])


@kernel
def act(t: State, state: State) -> None:
    """Start what one seat has to do."""
    seat, e, this = top(state, SEAT), top(state, A), top(state, B)
    pop(state)
    verb = t.verb[e]
    if verb <= Verb.PAY:
        push(state, Step.UNIT, seat, e, units(t, state, e, seat), this)
    elif verb >= Verb.MOVE and verb <= Verb.TAKE:
        pick_target(t, state, e, seat)
    elif verb == Verb.PLACE:
        begin_placing(t, state, e, seat)
    elif verb == Verb.NEW_MARKER or verb == Verb.MOVE_MARKER:
        begin_marker(t, state, e, seat)
    elif verb == Verb.DISASTER:
        push(state, Step.DISASTER, seat, e)
    elif verb == Verb.ELECTION or verb == Verb.GIVE:
        push(state, Step.PICK_OFFICE, seat, e)
    elif verb == Verb.FREE_CARD:
        push(state, Step.FREE_CARD, seat, e)
    elif verb == Verb.DISCARD:
        push(state, Step.DISCARD, seat, e, int(t.amount[e]))
    elif verb == Verb.VOCATION or verb == Verb.SCORE:
        begin_vocation(t, state, e, seat)
    elif verb == Verb.OPTIONAL:
        offer(t, state, e, seat)
    else:
        push(state, Step.OPTION, seat, e)


# --------------------------------------------------------------- buildings: targets and placing


@kernel
def pick_target(t: State, state: State, e: int, seat: int) -> None:
    """An extreme building needs no choice, several are the active player's (US §7)."""
    if t.extreme[e] == Extreme.NONE:
        push(state, Step.TARGET, seat, e, seat)
    elif count_targets(t, state, e, seat) > 1:
        push(state, Step.TARGET, int(state.active), e, seat)
    else:
        hit(t, state, e, seat, first_target(t, state, e, seat))


@kernel
def hit(t: State, state: State, e: int, seat: int, lot: int) -> None:
    """Do to a building what the effect says, unless its controller may save it."""
    verb = t.verb[e]
    owner = int(state.owner[lot])
    if verb == Verb.MOVE:
        push(state, Step.MOVE_TO, seat, e, lot)
    elif verb == Verb.TAKE:
        set_owner(state, lot, seat)
    elif t.save_amount[e] and owner != NOBODY:
        if has(state, owner, int(t.save_what[e])) >= t.save_amount[e]:
            push(state, Step.SAVE, owner, e, lot)
        else:
            strike(t, state, e, lot)
    else:
        strike(t, state, e, lot)


@kernel
def strike(t: State, state: State, e: int, lot: int) -> None:
    """Demolish a building, or take its cube away."""
    if t.verb[e] == Verb.UNCONTROL:
        set_owner(state, lot, NOBODY)
    else:
        lift(state, lot)


@kernel
def do_move(state: State, lot: int, block: int, shape: int) -> None:
    """Move a building with its cube; a lasting effect goes along (ruling U23)."""
    zone, owner, power = int(state.zone[lot]), int(state.owner[lot]), int(state.power[lot])
    lift(state, lot)
    now = lay(state, block, shape, zone, owner, power)
    if state.lot == lot:
        state.lot = now


@kernel
def has_tile(t: State, state: State, e: int, zone: int) -> bool:
    """Is there a tile of the effect's size?"""
    return bool(state.tiles[zone, t.new_size[e] - 1] > 0)


@kernel
def count_placing(t: State, state: State, e: int) -> int:
    """Count the zones or footprints of a building to place."""
    places = count_places(t, state, e)
    if places == 0 or t.new_zone[e] != CHOSEN:
        return places if t.new_zone[e] == CHOSEN or has_tile(t, state, e, int(t.new_zone[e])) else 0
    zones = 0
    for zone in range(NUM_ZONES):
        zones += has_tile(t, state, e, zone)
    return zones


@kernel
def begin_placing(t: State, state: State, e: int, seat: int) -> None:
    """Ask for the zone, if it is chosen, then for the footprint."""
    if t.new_zone[e] == CHOSEN:
        push(state, Step.PLACE_ZONE, seat, e)
    else:
        push(state, Step.PLACE, seat, e, int(t.new_zone[e]))


@kernel
def do_place(t: State, state: State, e: int, seat: int, zone: int, block: int, shape: int) -> None:
    """Place a building for nothing (ruling U23)."""
    state.tiles[zone, t.new_size[e] - 1] -= 1
    lay(state, block, shape, zone, NOBODY if t.uncontrolled[e] else seat, 0)


@kernel
def count_losses(t: State, state: State, e: int, seat: int) -> int:
    """Count the ways to suffer a disaster: the matching buildings of a seat, or to pay."""
    own = buildings_held(t, state, e, seat)
    if own == 0:
        return 0
    return own + int(has(state, seat, int(t.what[e])) >= t.amount[e])


# --------------------------------------------------------------------------------------- markers


@kernel
def marker_fits(t: State, state: State, e: int, marker: int) -> bool:
    """May the marker be picked: in the supply if it is to be new, on the board to be moved?"""
    on_board = grey_of(state, marker) != NO_GREY
    wealth = marker < NUM_WEALTH_MARKERS
    money = t.what[e]
    fits = money == EITHER or (money == WEALTH) == wealth
    return bool(fits and on_board == (t.verb[e] == Verb.MOVE_MARKER))


@kernel
def marker_meant(t: State, state: State, e: int) -> int:
    """Return the marker that an effect names, NO_MARKER if it is not in the supply."""
    best = NO_MARKER
    for marker in range(NUM_MARKERS):
        if not marker_fits(t, state, e, marker):
            continue
        if t.marker_choice[e] == MarkerChoice.NAMED:
            if t.marker_number[marker] == t.number[e]:
                return marker
        elif best == NO_MARKER:
            best = marker
        else:
            higher = t.marker_number[marker] > t.marker_number[best]
            if higher == (t.marker_choice[e] == MarkerChoice.HIGHEST):
                best = marker
    return best


@kernel
def picks_marker(t: State, e: int) -> bool:
    """Does the decider pick the marker?"""
    chosen = t.marker_choice[e] == MarkerChoice.CHOSEN
    return bool(chosen or t.verb[e] == Verb.MOVE_MARKER)


@kernel
def count_marker_choices(t: State, state: State, e: int) -> int:
    """Count the markers to pick from, or the grey spaces for the one meant."""
    greys = empty_greys(state)
    if greys == 0:
        return 0
    if not picks_marker(t, e):
        return greys if marker_meant(t, state, e) != NO_MARKER else 0
    count = 0
    for marker in range(NUM_MARKERS):
        count += marker_fits(t, state, e, marker)
    return count


@kernel
def begin_marker(t: State, state: State, e: int, seat: int) -> None:
    """Ask which marker, if it is picked, then where it goes."""
    if picks_marker(t, e):
        push(state, Step.PICK_MARKER, seat, e)
    else:
        push(state, Step.GREY, seat, marker_meant(t, state, e))


# ------------------------------------------------------------------- offices, cards, vocations


@kernel
def office_fits(t: State, state: State, e: int, seat: int, office: int) -> bool:
    """May the office be picked: a politician to elect, one that the seat does not hold?"""
    if not is_in_play(state, office):
        return False
    if t.verb[e] == Verb.ELECTION:
        return office < NUM_POLITICIANS
    return bool(state.office[office] != seat)


@kernel
def count_offices(t: State, state: State, e: int, seat: int) -> int:
    """Count the offices to pick from."""
    count = 0
    for office in range(NUM_OFFICES):
        count += office_fits(t, state, e, seat, office)
    return count


@kernel
def count_cards(t: State, state: State, e: int, seat: int) -> int:
    """Count the planning cards to take, or the kinds to discard."""
    count = 0
    if t.verb[e] == Verb.FREE_CARD:
        for space in range(PLANNING_TOP + 1):
            count += state.planning[space] != NO_KIND
    else:
        for kind in range(NUM_KINDS):
            count += state.hand[seat, kind] > 0
    return count


@kernel
def vocation_fits(t: State, state: State, e: int, seat: int, vocation: int) -> bool:
    """May the vocation be picked: one to be had, or one that somebody holds?"""
    held = opponents_with(state, seat, vocation)
    if t.verb[e] == Verb.VOCATION:
        return bool(state.vocations_left[vocation] > 0 or held)
    return bool(held or state.vocations[seat, vocation] > 0)


@kernel
def count_vocations(t: State, state: State, e: int, seat: int) -> int:
    """Count the vocations to pick from, or from whom the one named can be taken."""
    named = int(t.of_vocation[e])
    count = 0
    if named == CHOSEN_VOCATION:
        for vocation in range(NUM_VOCATIONS):
            count += vocation_fits(t, state, e, seat, vocation)
        return count
    if state.vocations_left[named] > 0:
        return 1
    seats = opponents_with(state, seat, named)
    if seats == 0:
        return 0
    for other in range(state.num_seats):
        count += seats >> other & 1
    return count + 1


@kernel
def begin_vocation(t: State, state: State, e: int, seat: int) -> None:
    """Ask which vocation, if it is chosen, or take the one named."""
    if t.of_vocation[e] == CHOSEN_VOCATION:
        push(state, Step.PICK_VOCATION, seat, e)
    else:
        take_vocation(state, seat, int(t.of_vocation[e]))


# ---------------------------------------------------------------------- optional, auction, choice


@kernel
def may_accept(t: State, state: State, e: int, seat: int) -> bool:
    """Can the seat pay in full what is optional (US 6.11)?"""
    return bool(has(state, seat, int(t.what[e])) >= t.amount[e])


@kernel
def offer(t: State, state: State, e: int, seat: int) -> None:
    """Ask the seat, unless it cannot pay."""
    if may_accept(t, state, e, seat):
        push(state, Step.ACCEPT, seat, e)
    else:
        push(state, Step.EFFECTS, seat, int(t.else_first[e]), int(t.else_count[e]))


@kernel
def do_accept(t: State, state: State, e: int, seat: int, accepts: bool) -> None:
    """Pay, and the effects inside run for the seat; or those for who declines."""
    if accepts:
        take_up_to(state, seat, int(t.what[e]), int(t.amount[e]))
        push(state, Step.EFFECTS, seat, int(t.then_first[e]), int(t.then_count[e]))
    else:
        push(state, Step.EFFECTS, seat, int(t.else_first[e]), int(t.else_count[e]))


@kernel
def next_bid(t: State, state: State, most: int) -> None:
    """Ask the next seat for a bid; after the active player the highest bidder pays (US §7)."""
    seat, e, highest, bidder = top(state, SEAT), top(state, A), top(state, B), top(state, C)
    pop(state)
    if seat == NOBODY:
        if bidder != NOBODY:
            state.wealth[bidder] -= highest
            push(state, Step.EFFECTS, bidder, int(t.then_first[e]), int(t.then_count[e]))
        return
    following = NOBODY if seat == state.active else (seat + 1) % int(state.num_seats)
    push(state, Step.NEXT_BID, following, e, highest, bidder)
    if min(int(state.wealth[seat]), most) > highest:
        push(state, Step.BID, seat, e, highest)


@kernel
def do_bid(state: State, seat: int, amount: int) -> None:
    """Note a bid for the next seat to top."""
    pop(state)
    set_top(state, B, amount)
    set_top(state, C, seat)
