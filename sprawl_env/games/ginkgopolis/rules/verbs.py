"""The verbs of *Ginkgopolis*: what the outside world calls (see ``core.game.Verbs``)."""

from __future__ import annotations

from sprawl_env.core.state import NOT_OVER, Games, State, Tables
from sprawl_env.games.ginkgopolis.actions import (
    BESIDE,
    CARD,
    DONE,
    DRAFT,
    NEW_HAND,
    PLACE,
    RETURN,
    TAKE,
    WITH_TILE,
    WITHOUT_TILE,
)
from sprawl_env.games.ginkgopolis.constants import (
    HAND_SIZE,
    LAST_DECISION,
    LAST_PASS,
    NEW_HAND_CARD,
    NO_CARD,
    NO_SIDE,
    NUM_KINDS,
    NUM_TILES,
    Gain,
    Step,
)
from sprawl_env.games.ginkgopolis.rules.act import collect_yields, finish_action, reveal
from sprawl_env.games.ginkgopolis.rules.draft import end_draft_pass, may_pick
from sprawl_env.games.ginkgopolis.rules.gains import (
    do_return,
    do_take,
    may_return,
    may_take_resource,
    may_take_tile,
    reveal_returned,
    take_tiles,
)
from sprawl_env.games.ginkgopolis.rules.hal import hal_acts, hal_collects
from sprawl_env.games.ginkgopolis.rules.hidden import redeal
from sprawl_env.games.ginkgopolis.rules.markers import (
    ANTICLOCKWISE,
    CLOCKWISE,
    do_push,
    find_place,
    marker_settled,
    may_push,
    may_stand_beside,
    may_stand_beside_any,
)
from sprawl_env.games.ginkgopolis.rules.passes import answered, ask_again, asked_seat
from sprawl_env.games.ginkgopolis.rules.rounds import (
    begin_round,
    choose_card,
    end_card_pass,
    end_round,
    may_ask_new_hand,
)
from sprawl_env.games.ginkgopolis.rules.scoring import num_sides, write_scores
from sprawl_env.games.ginkgopolis.rules.setup import deal_hands, set_up, take_items
from sprawl_env.kernels.agenda import SEAT, STEP, A, B, C, pop, top
from sprawl_env.kernels.arrays import Ints, Mask
from sprawl_env.kernels.bits import lowest
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.rng import seed_state

POINT = 1000  # of a standing; the resources of a tie-break are fewer


@kernel
def advance(t: State, state: State) -> None:
    """Carry out automatic steps until a decision is on top or the game is over."""
    while state.over == NOT_OVER:
        step = top(state, STEP)
        if step <= LAST_PASS:
            state.to_play = asked_seat(state)
            return
        if step <= LAST_DECISION:
            state.to_play = top(state, SEAT)
            return
        carry_out(t, state, step)


@kernel
def carry_out(t: State, state: State, step: int) -> None:
    """Carry out the automatic step on top."""
    seat = top(state, SEAT)
    if step == Step.ACT:
        reveal(t, state, seat)
    elif step == Step.COLLECT:
        collect_yields(t, state)
    elif step == Step.TAKE_TILES:
        take_tiles(state)
    elif step == Step.FINISH:
        finish_action(t, state)
    elif step == Step.HAL:
        hal_acts(t, state)
    elif step == Step.HAL_COLLECT:
        hal_collects(state)
    elif step == Step.END_OF_ROUND:
        end_round(t, state)
    elif step == Step.BEGIN_ROUND:
        begin_round(t, state)
    elif step == Step.EQUIP:
        take_items(t, state, seat)
    else:
        deal_hands(t, state)


@kernel
def deal(tables: Tables, games: Games, g: int, seed: int) -> None:
    """Deal an opening position."""
    state = games[g]
    seed_state(state, seed)
    set_up(tables[0], state)
    advance(tables[0], state)


@kernel
def mark_cards(state: State, seat: int, mask: Mask) -> None:
    """Any card of the hand, or a new hand (G1)."""
    for k in range(HAND_SIZE):
        if state.hand[seat, k] != NO_CARD:
            mask[CARD + int(state.hand[seat, k])] = 1
    mask[NEW_HAND] = may_ask_new_hand(state, seat)


@kernel
def mark_tiles(state: State, seat: int, mask: Mask) -> None:
    """Any tile behind the screen, or none (G2)."""
    tiles = int(state.tiles[seat])
    while tiles:
        mask[WITH_TILE + lowest(tiles)] = 1
        tiles &= tiles - 1
    mask[WITHOUT_TILE] = 1


@kernel
def mark_returns(state: State, seat: int, mask: Mask) -> None:
    """Tiles in ascending order, or done (G5)."""
    for tile in range(NUM_TILES):
        mask[RETURN + tile] = may_return(state, seat, tile)
    mask[DONE] = 1


@kernel
def mark_places(state: State, letter: int, site: int, mask: Mask) -> None:
    """Where a marker may go: the first case of G4 that applies."""
    if may_stand_beside_any(state, site):
        for direction in range(4):
            mask[BESIDE + direction] = may_stand_beside(state, site, direction)
        return
    number = 0
    while find_place(state, letter, number) != NO_SIDE:
        mask[PLACE + number] = 1
        number += 1
    if number == 0:
        mask[PLACE] = may_push(state, letter, ANTICLOCKWISE)
        mask[PLACE + 1] = may_push(state, letter, CLOCKWISE)


@kernel
def legal_actions(tables: Tables, games: Games, g: int, mask: Mask) -> None:
    """Mark what the seat to play may do (GK §6)."""
    state = games[g]
    mask[:] = 0
    if state.over != NOT_OVER:
        return
    step = top(state, STEP)
    seat = int(state.to_play)
    if step == Step.CARD:
        mark_cards(state, seat, mask)
    elif step == Step.TILE:
        mark_tiles(state, seat, mask)
    elif step == Step.MARKER:
        mark_places(state, top(state, A), top(state, B), mask)
    elif step == Step.GAIN:
        mask[TAKE] = may_take_resource(state, seat)
        mask[TAKE + 1] = may_take_tile(state)
    elif step == Step.RETURN:
        mark_returns(state, seat, mask)
    else:
        for kind in range(NUM_KINDS):
            mask[DRAFT + kind] = may_pick(state, seat, kind)


@kernel
def answer(state: State, seat: int, action: int) -> None:
    """Note the answer of a seat in a pass."""
    if action < NEW_HAND:
        state.chosen[seat] = action - DRAFT
    elif action == NEW_HAND:
        choose_card(state, seat, NEW_HAND_CARD)
    elif action < WITH_TILE:
        choose_card(state, seat, action - CARD)
    elif action < WITHOUT_TILE:
        state.chosen_tile[seat] = action - WITH_TILE
    elif action >= RETURN and action < DONE:
        do_return(state, seat, action - RETURN)


@kernel
def end_pass(t: State, state: State, step: int) -> None:
    """All answers of a pass take effect together (GK §3)."""
    if step == Step.DRAFT:
        end_draft_pass(state)
    elif step == Step.CARD:
        end_card_pass(t, state)
    elif step == Step.TILE:
        pop(state)
    elif state.again:
        ask_again(state)
    else:
        reveal_returned(t, state)


@kernel
def place_marker(state: State, seat: int, action: int) -> None:
    """Move a marker to the place chosen (G4)."""
    letter, site, origin = top(state, A), top(state, B), top(state, C)
    if action < PLACE:
        state.marker[letter] = site * 4 + action - BESIDE
    else:
        side = find_place(state, letter, action - PLACE)
        if side != NO_SIDE:
            state.marker[letter] = side
        else:
            do_push(state, letter, ANTICLOCKWISE if action == PLACE else CLOCKWISE)
    marker_settled(state, seat, letter, origin)


@kernel
def play(tables: Tables, games: Games, g: int, action: int) -> None:
    """Carry out a legal action and go on to the next decision."""
    t, state = tables[0], games[g]
    seat = int(state.to_play)
    step = top(state, STEP)
    state.ply += 1
    if step <= LAST_PASS:
        answer(state, seat, action)
        if answered(state, seat):
            end_pass(t, state, step)
    elif step == Step.GAIN:
        do_take(state, seat, Gain.RESOURCE if action == TAKE else Gain.TILE)
    else:
        place_marker(state, seat, action)
    advance(t, state)


@kernel
def owing(tables: Tables, games: Games, g: int) -> int:
    """Set of the seats that owe an answer at once now (GK §3); 0 once over."""
    state = games[g]
    if state.over != NOT_OVER:
        return 0
    if top(state, STEP) <= LAST_PASS:
        return int(state.owes)
    return 1 << int(state.to_play)


@kernel
def scores(tables: Tables, games: Games, g: int, out: Ints) -> None:
    """Write everybody's points, as if the game were scored now; solo: yours and Hal's."""
    write_scores(tables[0], games[g], out)


@kernel
def standings(tables: Tables, games: Games, g: int, out: Ints) -> None:
    """Write the points with the tie-break, resources behind the screen, folded in (G7, G19)."""
    state = games[g]
    write_scores(tables[0], state, out)
    for seat in range(num_sides(state)):
        out[seat] = out[seat] * POINT
        if state.num_seats > 1:
            out[seat] += state.resources[seat]


@kernel
def redeal_hidden(tables: Tables, games: Games, g: int, seed: int, seat: int) -> None:
    """Resample what the seat cannot know, and all chance to come."""
    seed_state(games[g], seed)
    redeal(tables[0], games[g], seat)
