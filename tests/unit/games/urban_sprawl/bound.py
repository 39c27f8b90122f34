"""The maximum number of plies of an *Urban Sprawl* game, computed from the compiled tables.

The proof is in the game's README, "How long a game can be"; this module does its arithmetic.  It
reads only the tables, so it also holds for overlays.
"""

from typing import NamedTuple

from sprawl_env.games.urban_sprawl.constants import (
    BOTTOM_STACK,
    DECK_CARDS,
    EITHER,
    MAX_SIZE,
    MAYOR,
    NO_VOCATION,
    NUM_CARDS,
    NUM_COLOURS,
    NUM_DECKS,
    NUM_EVENTS,
    NUM_POLITICIANS,
    NUM_ZONES,
    PLANNING_SPACES,
    VOCATIONS_A_CARD,
)
from sprawl_env.games.urban_sprawl.effect_verbs import Verb
from sprawl_env.games.urban_sprawl.tables import STARTING
from sprawl_env.games.urban_sprawl.vocabulary import (
    ALL,
    CHOSEN,
    CHOSEN_VOCATION,
    POLITICIANS,
    Extreme,
    Line,
    MarkerChoice,
    Per,
    Where,
    Who,
)

FACE_UP = PLANNING_SPACES + 1  # planning cards
OF_A_CONTRACT = 3  # plies: taken as a Favor, taken to be built, its footprint
OF_A_TURN = 1 + FACE_UP  # its end, planning cards acquired
REBUILDS_OF_A_TURN = 2  # of the planning deck: in its actions, in its end (ruling U41)
WINNER = 1  # one tied seat is chosen
PARK = 1  # the lot of the Mayor's park
MONEY_VERBS = (Verb.GAIN, Verb.LOSE, Verb.PAY)


class Bound(NamedTuple):
    """At most ``once + a_turn * turns + a_deck * (rebuilds + 1)`` plies have been played.

    ``turns`` have begun and the planning deck was rebuilt ``rebuilds`` times."""

    once: int
    a_turn: int
    a_deck: int

    def after(self, turns, rebuilds):
        """Return the bound, for integers or arrays."""
        return self.once + self.a_turn * turns + self.a_deck * (rebuilds + 1)

    def most(self, turns):
        """Return the bound for the maximum number of rebuilds."""
        return self.after(turns, REBUILDS_OF_A_TURN * turns)


def bound_of(t, seats, length):
    """Return the bound of one record of tables, for a number of seats and a ``Length``."""
    ballot = most_of_election() if t.permit_ballot.any() else 0
    spent = 1  # a planning card in a hand is invested, paid or discarded once
    cards = [contract_or_event(t, card, seats, ballot, spent) for card in range(NUM_CARDS)]
    deck = [
        plies_of_list(t, int(t.event_first[e]), int(t.event_count[e]), seats)
        + (ballot + spent) * drawn_by_list(t, int(t.event_first[e]), int(t.event_count[e]), seats)
        for e in range(NUM_EVENTS)
    ]
    return Bound(
        once=STARTING
        + spent * int(t.opening_cards[:seats].sum())
        + sum(drawn_from_deck(t, cards, deck_number, length) for deck_number in range(NUM_DECKS)),
        a_turn=OF_A_TURN + FACE_UP * (spent + ballot),
        a_deck=sum(deck),
    )


def drawn_from_deck(t, cards, deck, length):
    """Return the largest total of the cards of a deck that can be drawn before the game ends."""
    own = range(deck * DECK_CARDS, (deck + 1) * DECK_CARDS)
    special = next(card for card in own if t.card_special[card])
    effects = range(int(t.card_first[special]), end_of(t.card_first, t.card_effects, special))
    ends = any(t.effects[e].verb == Verb.END_GAME for e in effects)
    drawn = DECK_CARDS - (BOTTOM_STACK[length] if ends else 0)
    return sum(sorted((cards[card] for card in own), reverse=True)[:drawn])


def contract_or_event(t, card, seats, ballot, spent):
    """Return all plies that a card of a contract deck can cause."""
    first, count = int(t.card_first[card]), int(t.card_effects[card])
    drawn = drawn_by_list(t, first, count, seats)
    if t.card_zone[card] < 0:  # an event, at the end of a turn: spaces it empties are filled
        return plies_of_list(t, first, count, seats) + (ballot + spent) * drawn
    return OF_A_CONTRACT + plies_when_built(t, card, seats) + spent * drawn


def plies_when_built(t, card, seats):
    """Return the plies from the last permit paid for a contract to the end of its effects."""
    plies = plies_of_list(t, int(t.card_first[card]), int(t.card_effects[card]), seats)
    for k in range(VOCATIONS_A_CARD):
        if t.card_vocation[card, k] != NO_VOCATION:  # from whom, then marker by marker
            plies += 1 + int(t.vocation_markers[t.card_vocation[card, k]])
    return plies


def end_of(first, count, k):
    """Return the index after the last effect of a list."""
    return int(first[k]) + int(count[k])


# ---------------------------------------------------------------- effects


def plies_of_list(t, first, count, seats):
    """Return the plies of a list of effects."""
    return sum(plies_of_effect(t, e, seats) for e in range(first, first + count))


def plies_of_effect(t, e, seats):
    """Return the plies of an effect: which leader, which zone, which row, then its verb."""
    leader = Who.MOST_PRESTIGE <= t.effects[e].who <= Who.LEAST_WEALTH
    row = t.effects[e].where == Where.ROW
    return int(leader) + int(t.effects[e].asks_zone) + int(row) + plies_of_verb(t, e, seats)


def acting(t, e, seats):
    """Return how many seats an effect lets act one after another."""
    if t.effects[e].verb == Verb.DISASTER or t.effects[e].who in {Who.EACH, Who.CONTROLLER}:
        return seats
    return seats - 1 if t.effects[e].who == Who.OPPONENTS else 1


def plies_of_verb(t, e, seats):
    """Return the plies of the verb of an effect."""
    effect = t.effects[e]
    verb, office, vocation = Verb(effect.verb), int(effect.office), int(effect.vocation)
    acts = acting(t, e, seats)
    inside = max(plies_inside(t, e, seats), default=0)
    if verb in MONEY_VERBS and t.effects[e].who == Who.CONTROLLER:
        return int(t.effects[e].extreme != Extreme.NONE)
    if verb in MONEY_VERBS:
        return acts - 1 + units(t, e, acts) if t.effects[e].what == EITHER else 0
    if verb == Verb.ELECTION and office != CHOSEN:
        offices = range(NUM_POLITICIANS) if office == ALL else (office,)
        return sum(plies_of_election(one) for one in offices)
    if verb == Verb.SCORE and vocation != CHOSEN_VOCATION:
        return int(t.vocation_markers[vocation])
    if verb == Verb.AUCTION:
        return seats + inside
    if verb == Verb.ENTER:
        return 0 if office == POLITICIANS else WINNER
    of_a_seat = {
        Verb.NEW_MARKER: 1 + int(t.effects[e].marker == MarkerChoice.CHOSEN),
        Verb.MOVE_MARKER: 2,
        Verb.PLACE: 1 + int(t.effects[e].new_zone == CHOSEN),
        Verb.MOVE: 2,
        Verb.DEMOLISH: 1 + int(t.effects[e].save_amount > 0),
        Verb.UNCONTROL: 1 + int(t.effects[e].save_amount > 0),
        Verb.TAKE: 1,
        Verb.DISASTER: 1,
        Verb.ELECTION: 1 + most_of_election(),
        Verb.GIVE: int(office == CHOSEN),
        Verb.FREE_CARD: 1,
        Verb.DISCARD: int(t.effects[e].amount),
        Verb.VOCATION: 1 + int(vocation == CHOSEN_VOCATION),
        Verb.SCORE: 1 + int(t.vocation_markers.max()),
        Verb.OPTIONAL: 1 + inside,
        Verb.CHOOSE: 1 + inside,
    }
    if verb == Verb.STEAL:
        return int(t.effects[e].who == Who.CHOSEN)
    if verb == Verb.PAYOUT:
        return int(t.effects[e].line == Line.ROW)
    if verb not in of_a_seat:  # no decision
        assert verb in {
            Verb.DRAW, Verb.EXTRA_AP, Verb.LASTING, Verb.ACTIVATE, Verb.END_GAME
        }  # fmt: skip
        return 0
    return acts - 1 + acts * of_a_seat[verb]


def plies_inside(t, e, seats):
    """Return the plies of each list of effects nested in an effect."""
    return [plies_of_list(t, first, count, seats) for first, count in lists_inside(t, e)]


def lists_inside(t, e):
    """Return the nested lists of an effect, of which one is run."""
    first, count = int(t.effects[e].then_first), int(t.effects[e].then_count)
    if t.effects[e].verb == Verb.CHOOSE:
        return [(first + option, 1) for option in range(count)]
    return [(first, count), (int(t.effects[e].else_first), int(t.effects[e].else_count))]


def units(t, e, acts):
    """Return how often wealth or prestige is chosen."""
    if t.effects[e].per == Per.VOCATION:
        named = t.effects[e].vocation
        markers = t.vocation_markers if named == NO_VOCATION else t.vocation_markers[named]
        return int(markers.sum())
    if t.effects[e].verb == Verb.PAY:
        return buildings(t, e)  # each of one seat
    return acts * (buildings(t, e) if t.effects[e].per == Per.BUILDING else 1)


def buildings(t, e):
    """Return how many buildings can pass a filter: the number of tiles of its kinds."""
    sizes, colours = int(t.effects[e].sizes), int(t.effects[e].colours)
    tiles = [
        sum(int(t.tiles[colour, size]) for size in range(MAX_SIZE) if sizes >> size & 1)
        if colours >> colour & 1
        else 0
        for colour in range(NUM_COLOURS)
    ]
    return max(tiles[:NUM_ZONES]) if t.effects[e].asks_zone else sum(tiles)


def plies_of_election(office):
    """Return the plies of an election: a tie, a Mayor's park, a tie for the Contractor."""
    return WINNER + (PARK if office == MAYOR else 0) + WINNER


def most_of_election():
    """Return the maximum number of plies of an election."""
    return max(plies_of_election(office) for office in range(NUM_POLITICIANS))


# ---------------------------------------------------------------- planning cards


def drawn_by_list(t, first, count, seats):
    """Return how many planning cards a list of effects can bring into hands."""
    return sum(drawn_by_effect(t, e, seats) for e in range(first, first + count))


def drawn_by_effect(t, e, seats):
    """Return how many planning cards an effect can bring into hands."""
    of_a_seat = {
        Verb.FREE_CARD: 1,
        Verb.DRAW: int(t.effects[e].amount),
        Verb.OPTIONAL: max(drawn_inside(t, e, seats), default=0),
        Verb.CHOOSE: max(drawn_inside(t, e, seats), default=0),
    }
    if t.effects[e].verb == Verb.AUCTION:
        return max(drawn_inside(t, e, seats))
    return acting(t, e, seats) * of_a_seat.get(Verb(t.effects[e].verb), 0)


def drawn_inside(t, e, seats):
    """Return the planning cards of each list of effects nested in an effect."""
    return [drawn_by_list(t, first, count, seats) for first, count in lists_inside(t, e)]


# ---------------------------------------------------------------- the agenda


def depth_of_list(t, first, count):
    """Return how many agenda entries a list of effects can have at once, its rest included."""
    if count == 0:
        return 0
    return 1 + max(depth_of_effect(t, e) for e in range(first, first + count))


def depth_of_effect(t, e):
    """Return how many agenda entries an effect can have, above the rest of its list."""
    verb, office = Verb(t.effects[e].verb), int(t.effects[e].office)
    inside = max((depth_of_list(t, *inner) for inner in lists_inside(t, e)), default=0)
    elected = 2  # the Contractor waits below the tie, or below the Mayor's park
    asked = 2  # a question on the effect, or on those who take turns; a scoring and its marker
    of_a_seat = {Verb.ELECTION: elected, Verb.SCORE: 2, Verb.OPTIONAL: inside, Verb.CHOOSE: inside}
    if verb == Verb.ELECTION and office == ALL:
        return NUM_POLITICIANS - 1 + elected
    if verb == Verb.AUCTION:
        return max(asked, inside)
    return max(asked, 1 + max(of_a_seat.get(verb, 1), 1))


def deepest_agenda(t):
    """Return the maximum number of entries on the agenda."""
    turn, end_of_turn, drawn_top, event = 1, 1, 1, 1
    ballot = end_of_turn + 1 + 2  # the payout waits, then the Contractor and the park
    building = turn + 1 + 1 + 2  # effects, second vocation, the scoring, from whom or a marker
    contracts, deck_events = 0, 0
    for card in range(NUM_CARDS):
        depth = depth_of_list(t, int(t.card_first[card]), int(t.card_effects[card]))
        if t.card_zone[card] < 0:
            deck_events = max(deck_events, end_of_turn + drawn_top + depth)
        else:
            contracts = max(contracts, turn + depth)
    planning_events = end_of_turn + drawn_top + event + max(
        depth_of_list(t, int(t.event_first[e]), int(t.event_count[e])) for e in range(NUM_EVENTS)
    )  # fmt: skip
    return max(ballot, building, contracts, deck_events, planning_events)
