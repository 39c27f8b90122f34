"""What the signs in the pictures of *Urban Sprawl* mean, for tooltips."""

from __future__ import annotations

from typing import Final

from sprawl_env.core.rules import View
from sprawl_env.core.state import NOBODY, Tables
from sprawl_env.core.words import counted
from sprawl_env.games.urban_sprawl.constants import (
    CONTRACTOR,
    CORNERS,
    DECK_CARDS,
    DECKS,
    FIRST_DOUBLE_ROW,
    FIRST_GREY,
    MEDIA,
    MONEY,
    NO_CARD,
    NO_KIND,
    NO_MARKER,
    NO_VOCATION,
    NUM_COLUMNS,
    NUM_KINDS,
    NUM_TOP_GREYS,
    NUM_WEALTH_MARKERS,
    NUM_ZONES,
    PARK,
    PRESTIGE,
    RENEWAL,
    SIDE,
    VOCATIONS,
    VOCATIONS_A_CARD,
    WEALTH,
    ZONES,
    Power,
)
from sprawl_env.games.urban_sprawl.names import card_name, kind_name, line_name, marker_name
from sprawl_env.games.urban_sprawl.places import block_name, lot_name
from sprawl_env.games.urban_sprawl.render_cards import (
    card_effects,
    event_effects,
    is_event,
    restrictions,
)
from sprawl_env.games.urban_sprawl.state import State
from sprawl_env.games.urban_sprawl.tables import Table
from sprawl_env.games.urban_sprawl.wording import OFFICE_NAMES, POWERS

ZONE_WORDS: Final = ("civic", "commercial", "industrial", "residential", "park")
ZONING_TIP: Final = (
    "A new building may touch a building of another zone only if it also touches one of its own "
    "zone, and gains 1 prestige for each neighbour of its own zone."
)
PARK_TIP: Final = (
    "PARK: a park. Zoning does not look at parks. A park counts as a building of the seat that "
    "controls it, and the Mayor scores for buildings next to parks."
)
WEALTH_TIP: Final = (
    "Wealth (a coin): pays for lots. A number in a coin is a line that pays wealth to the seats "
    "with most buildings in it."
)
PRESTIGE_TIP: Final = (
    "Prestige (a diamond): the points of the game. A number in a diamond is a line that pays "
    "prestige to the seats with most buildings in it, and once more at the end."
)
VALUE_TIP: Final = (
    "The value of a block is the sum of all numbers of the lines through it. Building there costs "
    "as much wealth."
)
EDGE_TIP: Final = (
    "The top and right edges of the city touch the water, the left and bottom edges the forest. "
    "Some cards ask for them."
)
GREY_TIP: Final = (
    "A grey space holds a marker, whose number counts for the columns below it or for the row "
    "beside it."
)
FRAME_TIP: Final = "What was done last is framed in the colour of the seat that did it."
TARGET_TIP: Final = "What can be chosen now has an outline in this colour."
STAR_TIP: Final = "A building whose effect lasts for its controller while it stands."
BALLOT_TIP: Final = (
    "The pawn marks the office of the last ballot, the Mayor at the start. Each permit with a "
    "ballot that is turned up moves the pawn to the next office, clockwise, and that office is "
    "elected if it is in play."
)
AP_TIP: Final = (
    "Action points left in this turn, for planning cards, contracts and Favors. What is left at "
    "the end of the turn is lost."
)
HAND_TIP: Final = (
    "Permits pay for buildings, by zone and size. Before the first action of a turn they may be "
    "invested: discarded for the wealth in the coin. Hands are open."
)
FAVOR_TIP: Final = (
    "A Favor is a contract kept for later. Building it costs no action points, but not in the turn "
    "in which it was taken."
)
TILES_TIP: Final = (
    "Building tiles left, by number of lots. A contract without a tile of its zone and size cannot "
    "be built."
)


# ----------------------------------------------------------------------------------------- cards


def card_tip(tables: Tables, card: int, cost: int | None) -> str:
    """Return a contract, or an event of a contract deck, in sentences.

    Args:
        tables: the game's data.
        card: the card.
        cost: the action points that building it costs; None: they are paid.
    """
    if card == NO_CARD:
        return "No card lies here. Empty spaces are filled at the end of a turn."
    t: Table = tables[0]
    name, effects = card_name(tables, card), card_effects(t, card)
    if is_event(t, card):
        return f"{name}, an event: {effects}."
    zone, size = ZONES[t.card_zone[card]], int(t.card_size[card])
    points = "" if cost is None else f"{cost} AP, "
    says = [
        f"{name}: {zone} building, {counted(size, 'lot')}.",
        f"Building it costs {points}permits for {zone} of at least {size}, and the value of its "
        f"block in wealth.",
        *_vocation_sentences(t, card),
    ]
    if icon := int(t.card_prestige[card]):
        says.append(f"Diamond {icon}: {_pays_when_turned_up(MONEY[PRESTIGE], icon)}.")
    if limits := restrictions(t, card):
        says.append(f"Where: {limits}.")
    says.append(f"Then: {effects}." if effects else "It has no other effect.")
    return " ".join(says)


def _vocation_sentences(t: Table, card: int) -> list[str]:
    return [
        f"{VOCATIONS[v]}-{number}: the builder takes a marker of {VOCATIONS[v]}; then each such "
        f"marker in play scores {number} wealth or prestige for its holder."
        for k in range(VOCATIONS_A_CARD)
        if (v := int(t.card_vocation[card, k])) != NO_VOCATION
        for number in (int(t.card_number[card, k]),)
    ]


def opening_tip(tables: Tables, deck: int) -> str:
    """Return what opens a contract deck: the special event of the deck before it."""
    before = range((deck - 1) * DECK_CARDS, deck * DECK_CARDS)
    event = next(card for card in before if tables[0].card_special[card])
    return (
        f"The {DECKS[deck].capitalize()} deck opens once {card_name(tables, event)} is turned up "
        f"in the {DECKS[deck - 1].capitalize()} deck."
    )


def planning_tip(tables: Tables, kind: int, cost: int) -> str:
    """Return a planning card that lies face up, in sentences; a cost of 0: it is free now."""
    if kind == NO_KIND:
        return "No card lies here. Empty spaces are filled at the end of a turn."
    if kind >= NUM_KINDS:
        effects = event_effects(tables[0], kind - NUM_KINDS)
        return f"{kind_name(tables, kind)}, an event: {effects}."
    t: Table = tables[0]
    price = f"costs {cost} AP" if cost else "is free now"
    says = f"Taking it {price}. {kind_tip(tables, kind)}"
    if kind == RENEWAL:
        return says
    pays = _pays_when_turned_up(MONEY[WEALTH], int(t.permit_wealth[kind]))
    says += f" {pays[0].upper()}{pays[1:]}"
    ballot = ", after the election that its ballot calls if the next office is in play."
    return says + (ballot if t.permit_ballot[kind] else ".")


def _pays_when_turned_up(money: str, number: int) -> str:
    """Return when a line pays for a card; cards of the setup trigger nothing (ruling U12)."""
    return (
        f"when such a card is turned up at the end of a turn, the line {money} {number} pays if it "
        "is on the board"
    )


def kind_tip(tables: Tables, kind: int) -> str:
    """Return a kind of planning card that a hand can hold, in sentences."""
    if kind == RENEWAL:
        return (
            "Urban Renewal: discarded while building, it lets the new building replace buildings "
            "that it covers wholly, except those of the Contractor."
        )
    t: Table = tables[0]
    zones = [ZONES[zone] for zone in range(NUM_ZONES) if int(t.permit_zones[kind]) >> zone & 1]
    return (
        f"{counted(int(t.permits[kind]), 'permit')} for {' or '.join(zones)}: pays for as many "
        f"lots of such a building; what it pays too much is lost. Or it is invested for "
        f"{int(t.permit_wealth[kind])} wealth at the start of a turn."
    )


# ---------------------------------------------------------------------------------------- the city


def block_tip(tables: Tables, state: State, block: int) -> str:
    """Return the value of a block, which is the price of a building there, and its parts."""
    t: Table = tables[0]
    row, column = divmod(block, SIDE)
    parts = [f"wealth {int(t.column_number[column])}", f"prestige {int(t.row_number[row // 2])}"]
    for grey in (column // 2, NUM_TOP_GREYS + row):
        marker = int(state.marker_at[grey])
        if marker != NO_MARKER:
            parts.append(f"marker {marker_name(tables, marker)}")
    value = int(state.value[block])
    return f"Block {block_name(block)}, value {value}: {', '.join(parts)}."


def building_tip(state: State, lot: int, view: View) -> str:
    """Return a building: zone, size, controller, value, lasting effect."""
    zone, power = int(state.zone[lot]), int(state.power[lot])
    size = int(state.corners[lot]).bit_count()
    what = "Park" if zone == PARK else f"{ZONES[zone]} building"
    whose = f"controlled by {_owner(state, lot, view)}"
    lasts = f" Lasting: {POWERS[Power(power)]}." if power else ""
    return (
        f"{what}, {counted(size, 'lot')}, {lot_name(lot)}: {whose}; value "
        f"{int(state.value[lot // CORNERS])}.{lasts}"
    )


def build_tip(tables: Tables, state: State, block: int, corners: int, view: View) -> str:
    """Return what it costs to build in a block, and what is demolished for it (US 6.3, 6.6).

    ``corners`` are those of the footprint on which there are buildings.
    """
    gone = [
        f"{ZONES[state.zone[lot]]} {covered.bit_count()} ({_owner(state, lot, view)})"
        for lot in range(block * CORNERS, (block + 1) * CORNERS)
        if (covered := int(state.corners[lot])) & corners
    ]
    price = f"{int(state.value[block])} wealth"
    if gone and state.office[CONTRACTOR] != state.to_play:
        price += " and a card Urban Renewal"
    demolished = f" Demolished for it: {', '.join(gone)}." if gone else ""
    return f"{block_tip(tables, state, block)} Building here costs {price}.{demolished}"


def _owner(state: State, lot: int, view: View) -> str:
    owner = int(state.owner[lot])
    return "nobody" if owner == NOBODY else view.seat_name(owner)


def line_tip(tables: Tables, state: State, line: int, view: View) -> str:
    """Return what a line pays, when, and how many buildings each seat has in it."""
    t: Table = tables[0]
    seats = int(state.num_seats)
    name = line_name(tables, line)
    number, pays = 0, MONEY[line >= FIRST_DOUBLE_ROW]
    if line < FIRST_DOUBLE_ROW:
        number = int(t.column_number[line])
    elif line < FIRST_GREY:
        number = int(t.row_number[line - FIRST_DOUBLE_ROW])
    elif (marker := int(state.marker_at[line - FIRST_GREY])) != NO_MARKER:
        number, pays = int(t.marker_number[marker]), MONEY[marker >= NUM_WEALTH_MARKERS]
        name += f" ({pays} {number})"
    start = f"{name[0].upper()}{name[1:]}"
    counts = _counts(state, line)
    held = ", ".join(f"{view.seat_name(seat)} {counts[seat]}" for seat in range(seats))
    if number == 0:
        return f"{start}: an empty space for a marker. {GREY_TIP} Buildings there: {held}."
    places = " / ".join(str(int(share)) for share in t.places[number, :seats])
    return f"{start}: pays {places} {pays} by most buildings. {_when(pays, number)} Now: {held}."


def _counts(state: State, line: int) -> list[int]:
    """Return how many buildings each seat has in a line."""
    if line < FIRST_DOUBLE_ROW:
        return [int(n) for n in state.in_column[:, line]]
    if line < FIRST_GREY:
        first = 2 * (line - NUM_COLUMNS)
        return [int(n) for n in state.in_row[:, first : first + 2].sum(1)]
    grey = line - FIRST_GREY
    if grey < NUM_TOP_GREYS:
        return [int(n) for n in state.in_column[:, 2 * grey : 2 * grey + 2].sum(1)]
    return [int(n) for n in state.in_row[:, grey - NUM_TOP_GREYS]]


def _when(pays: str, number: int) -> str:
    """Return when a line pays."""
    if pays == MONEY[0]:
        return f"It pays when a permit with {number} in its coin is turned up."
    return f"It pays when a contract with {number} in its diamond is turned up, and at the end."


def marker_tip(tables: Tables, marker: int) -> str:
    """Return what a marker of the supply does."""
    number = int(tables[0].marker_number[marker])
    pays = MONEY[marker >= NUM_WEALTH_MARKERS]
    return (
        f"Marker {pays} {number}: effects put it on a grey space. It adds {number} to the value of "
        f"the blocks there. {_when(pays, number)}"
    )


# ------------------------------------------------------------------------- offices and vocations


def office_tip(t: Table, office: int) -> str:
    """Return how an office is won and what it does."""
    name = OFFICE_NAMES[office]
    how = "elected by the highest controlled {} building, then by most of them"
    one = "At the end: 1 prestige for each {} building in the city."
    return {
        0: f"{name}: elected by most vocation markers. Whoever is elected places a park of 1 lot. "
        "At the end: 1 prestige for each of one's buildings, parks excepted, next to a park.",
        1: f"{name}: {how.format('CIV')}. The first contract of a turn gains twice the prestige "
        f"for neighbours of its zone. {one.format('CIV')}",
        2: f"{name}: {how.format('COM')}. Collects {int(t.treasurer)} wealth from each opponent at "
        f"the start of the turn. {one.format('COM')}",
        3: f"{name}: {how.format('RES')}. Gains wealth and prestige, not one of them, when a "
        f"contract scores vocation markers. {one.format('RES')}",
        4: f"{name}: {how.format('IND')}. Has {int(t.boss_points)} AP a turn, others "
        f"{int(t.action_points)}. {one.format('IND')}",
        CONTRACTOR: f"{name}: the seat of the lowest prestige after each election. May build over "
        "buildings without Urban Renewal, and is safe from that of others.",
    }[office]


def vocation_tip(t: Table, vocation: int, left: int) -> str:
    """Return what the markers of a vocation do."""
    name = VOCATIONS[vocation]
    media = " Its holder breaks the ties for the Mayor." if vocation == MEDIA else ""
    return (
        f"{name}: markers left: {left} of {int(t.vocation_markers[vocation])}; once none is left, "
        f"the builder may take one from an opponent. A contract with {name}-N gives one; then each "
        f"of them in play scores N.{media}"
    )


def zone_tip(zone: int) -> str:
    """Return what a zone is."""
    if zone == PARK:
        return PARK_TIP
    return f"{ZONES[zone]}: {ZONE_WORDS[zone]} buildings. {ZONING_TIP}"


def points_tip(t: Table, prestige: int, points: int) -> str:
    """Return what the points of a seat are made of."""
    return (
        f"Points if the game ended now: prestige {prestige}, and {points - prestige} from the "
        f"lines of prestige, 1 for each {int(t.wealth_a_point)} wealth, and the offices."
    )
