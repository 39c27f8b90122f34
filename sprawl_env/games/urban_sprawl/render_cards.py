"""The texts of the *Urban Sprawl* cards, written from the compiled effects (US §7)."""

from __future__ import annotations

from typing import Final

from sprawl_env.games.urban_sprawl.constants import (
    DECKS,
    EITHER,
    MAX_SIZE,
    MONEY,
    MOST_VALUE,
    NO_VOCATION,
    NUM_ZONES,
    OFFICES,
    PARK,
    VOCATIONS,
    VOCATIONS_A_CARD,
    ZONES,
    Power,
)
from sprawl_env.games.urban_sprawl.tables import ANY_COLOUR, ANY_SIZE, NO_ZONE, Table
from sprawl_env.games.urban_sprawl.vocabulary import (
    ALL,
    CHOSEN,
    CHOSEN_VOCATION,
    POLITICIANS,
    Extreme,
    Line,
    MarkerChoice,
    Next,
    Owner,
    Per,
    Verb,
    Where,
    Who,
)

OFFICE_NAMES: Final = (
    "Mayor",
    "District Attorney",
    "Treasurer",
    "Police Chief",
    "Union Boss",
    "Contractor",
)
_WHO: Final = {
    Who.MEDIA: "the MEDIA holder",
    Who.MOST_PRESTIGE: "the leader in prestige",
    Who.LEAST_PRESTIGE: "the last in prestige",
    Who.MOST_WEALTH: "the richest seat",
    Who.LEAST_WEALTH: "the poorest seat",
    Who.SELF: "you",
    Who.BUILDER: "the builder",
    Who.EACH: "every seat",
    Who.OPPONENTS: "each opponent",
    Who.CONTROLLER: "every controller",
    Who.CHOSEN: "a chosen opponent",
}
_WHERE: Final = {
    Where.ANYWHERE: "",
    Where.ROWS: " in these rows",
    Where.ROW: " in one of these rows",
    Where.OTHER_ROW: " in the other row",
    Where.BLOCK: " in this block",
    Where.ADJACENT: " adjacent to it",
    Where.WATER: " by the water",
    Where.FOREST: " by the forest",
    Where.PARK: " next to a park",
}
_OWNER: Final = {
    Owner.ANYONE: "",
    Owner.OWN: "own ",
    Owner.OTHERS: "others' ",
    Owner.NOBODY: "uncontrolled ",
    Owner.CONTROLLED: "controlled ",
}
_EXTREME: Final = {
    Extreme.NONE: "",
    Extreme.HIGHEST: " of the highest value",
    Extreme.LOWEST: " of the lowest value",
}
_CHOICE: Final = {
    MarkerChoice.LOWEST: "the lowest",
    MarkerChoice.HIGHEST: "the highest",
    MarkerChoice.CHOSEN: "any",
}
_POWERS: Final = {
    Power.NONE: "",
    Power.EXTRA_FAVOR: "its controller may hold two Favors",
    Power.WINS_TIES: "its controller wins ties of elections",
}


def card_effects(t: Table, card: int) -> str:
    """Return the effects of a contract or an event of its deck, from top to bottom."""
    return _effects(t, int(t.card_first[card]), int(t.card_effects[card]))


def event_effects(t: Table, event: int) -> str:
    """Return the effects of a planning event."""
    return _effects(t, int(t.event_first[event]), int(t.event_count[event]))


def _effects(t: Table, first: int, count: int) -> str:
    return "; ".join(effect_words(t, first + k) for k in range(count))


def restrictions(t: Table, card: int) -> str:
    """Return the restrictions of a contract in words, "" if there are none."""
    words = []
    touches = int(t.card_next_to[card])
    names = [*ZONES[:NUM_ZONES], *(bit.name.lower() for bit in Next)]
    near = [names[bit] for bit in range(len(names)) if touches >> bit & 1]
    if near:
        words.append(f"next to {' or '.join(near)}".replace("own", "an own building"))
    if t.card_empty_block[card]:
        words.append("in an empty block")
    if t.card_at_least[card]:
        words.append(f"value at least {int(t.card_at_least[card])}")
    if t.card_at_most[card] < MOST_VALUE and not is_event(t, card):
        words.append(f"value at most {int(t.card_at_most[card])}")
    if t.card_highest[card]:
        words.append("in the highest block")
    if t.card_any_zone[card]:
        words.append("ignores zoning")
    return ", ".join(words)


def vocations_of(t: Table, card: int) -> str:
    """Return the vocations of a contract, e.g. ``FINANCE-4``."""
    return " ".join(
        f"{VOCATIONS[t.card_vocation[card, k]]}-{int(t.card_number[card, k])}"
        for k in range(VOCATIONS_A_CARD)
        if t.card_vocation[card, k] != NO_VOCATION
    )


def is_event(t: Table, card: int) -> bool:
    """Return whether a card of a contract deck is an event."""
    return bool(t.card_zone[card] == NO_ZONE)


# --------------------------------------------------------------------------------------- effects


def effect_words(t: Table, e: int) -> str:
    """Return an effect in words, with the effects nested in it."""
    verb = Verb(int(t.effects[e].verb))
    if verb in _MONEY_VERBS:
        return _money_words(t, e, verb)
    if verb in _BUILDING_VERBS:
        return _building_words(t, e, verb)
    if verb in {Verb.OPTIONAL, Verb.AUCTION, Verb.CHOOSE}:
        return _wrapper_words(t, e, verb)
    return _other_words(t, e, verb)


_MONEY_VERBS: Final = {Verb.GAIN, Verb.LOSE, Verb.PAY, Verb.STEAL, Verb.PAYOUT}
_BUILDING_VERBS: Final = {
    Verb.PLACE,
    Verb.MOVE,
    Verb.DEMOLISH,
    Verb.UNCONTROL,
    Verb.TAKE,
    Verb.DISASTER,
}


def _who(t: Table, e: int) -> str:
    who = Who(int(t.effects[e].who))
    return _WHO.get(who) or f"the {OFFICE_NAMES[who]}"


def _does(t: Table, e: int, verb: str) -> str:
    """Return verb and subject, e.g. ``gain`` or ``every seat gains``."""
    if t.effects[e].who == Who.SELF:
        return verb
    third = f"{verb}es" if verb.endswith(("s", "sh")) else f"{verb}s"
    return f"{_who(t, e)} {third}"


def _money(what: int) -> str:
    return "wealth or prestige" if what == EITHER else MONEY[what]


def _line(t: Table, e: int) -> str:
    effect = t.effects[e]
    return f"the line {_money(int(effect.what))} {int(effect.printed_number)}"


def _buildings(t: Table, e: int) -> str:
    """Return the buildings that pass a filter, in words."""
    effect = t.effects[e]
    colours, sizes = int(effect.colours), int(effect.sizes)
    if effect.asks_zone:
        zone = "building of a chosen zone"
    elif colours == ANY_COLOUR:
        zone = "building"
    else:
        names = [*ZONES[:NUM_ZONES], "park"]
        zone = "/".join(names[k] for k in range(PARK + 1) if colours >> k & 1)
    lots = ""
    if sizes != ANY_SIZE:
        kinds = [str(k + 1) for k in range(MAX_SIZE) if sizes >> k & 1]
        lots = f"{'/'.join(kinds)}-lot "
    where = Where(int(effect.where))
    place = f" in {_line(t, e)}" if where == Where.LINE else _WHERE[where]
    owner = _OWNER[Owner(int(effect.owner))]
    return f"{owner}{lots}{zone}{place}{_EXTREME[Extreme(int(effect.extreme))]}"


def _a(words: str) -> str:
    """Return words with their article."""
    return f"{'an' if words[0] in 'aeiou' else 'a'} {words}"


def _money_words(t: Table, e: int, verb: Verb) -> str:
    effect = t.effects[e]
    amount, money = int(effect.amount), _money(int(effect.what))
    if verb == Verb.PAYOUT:
        pays = Line(int(effect.line))
        if pays == Line.NAMED:
            return f"pays out {_line(t, e)}"
        return (
            f"pays out the highest {money} line"
            if pays == Line.HIGHEST
            else ("pays out one of the lines through this block")
        )
    if verb == Verb.STEAL:
        return f"take up to {amount} {money} from {_who(t, e)}"
    if verb == Verb.PAY:
        each = _buildings(t, e)
        return f"{_who(t, e)} pays you {amount} {money} for each {each} it controls"
    does = _does(t, e, "gain" if verb == Verb.GAIN else "lose")
    per = {
        Per.ONCE: "",
        Per.BUILDING: f" for each {_buildings(t, e)}",
        Per.VOCATION: f" for each {_vocation(int(effect.vocation))} marker",
        Per.VALUE: " times the value of this block",
    }[Per(int(effect.per))]
    return f"{does} {amount} {money}{per}{', times its value' if effect.times_value else ''}"


def _building_words(t: Table, e: int, verb: Verb) -> str:
    effect = t.effects[e]
    which = _buildings(t, e)
    if verb == Verb.PLACE:
        zone, size = int(effect.new_zone), int(effect.new_size)
        what = "park" if zone == PARK else "building of a chosen zone"
        if zone < PARK:
            what = ZONES[zone]
        lots = "" if zone == PARK and size == 1 else f"{size}-lot "
        alone = " that nobody controls" if effect.uncontrolled else ""
        where = Where(int(effect.where))
        place = f" in {_line(t, e)}" if where == Where.LINE else _WHERE[where]
        return f"{_does(t, e, 'place')} a {lots}{what}{alone}{place}"
    if verb == Verb.DISASTER:
        price = f"{int(effect.amount)} {_money(int(effect.what))}"
        return f"every seat loses {_a(which)} of its own or {price}"
    words = {
        Verb.MOVE: f"{_does(t, e, 'move')} {_a(which)}",
        Verb.DEMOLISH: f"{_does(t, e, 'demolish')} {_a(which)}",
        Verb.UNCONTROL: f"{_does(t, e, 'pick')} {_a(which)}: its control cube goes home",
        Verb.TAKE: f"{_does(t, e, 'take')} control of {_a(which)}",
    }[verb]
    if effect.save_amount:
        words += f" (saved for {int(effect.save_amount)} {_money(int(effect.save_what))})"
    return words


def _wrapper_words(t: Table, e: int, verb: Verb) -> str:
    effect = t.effects[e]
    first, count = int(effect.then_first), int(effect.then_count)
    inside = _effects(t, first, count)
    if verb == Verb.AUCTION:
        return f"auction: {inside}"
    if verb == Verb.CHOOSE:
        options = " or ".join(effect_words(t, first + k) for k in range(count))
        return f"{_does(t, e, 'choose')}: {options}"
    price = f" pay {int(effect.amount)} {_money(int(effect.what))}" if effect.amount else ""
    words = f"{_who(t, e)} may{price}: {inside}"
    if effect.else_count:
        words += f", otherwise {_effects(t, int(effect.else_first), int(effect.else_count))}"
    return words


def _other_words(t: Table, e: int, verb: Verb) -> str:
    effect = t.effects[e]
    amount = int(effect.amount)
    cards = "a planning card" if amount <= 1 else f"{amount} planning cards"
    vocation = _vocation(int(effect.vocation))
    if verb == Verb.NEW_MARKER:
        return f"{_does(t, e, 'put')} {_marker(t, e)} on a grey space"
    if verb == Verb.MOVE_MARKER:
        return f"{_does(t, e, 'move')} a {_money(int(effect.what))} marker"
    if verb in {Verb.ELECTION, Verb.GIVE, Verb.ENTER}:
        return _office_words(t, e, verb)
    return {
        Verb.FREE_CARD: f"{_does(t, e, 'take')} a planning card of the row, free",
        Verb.DRAW: f"{_does(t, e, 'draw')} {cards}",
        Verb.DISCARD: f"{_does(t, e, 'discard')} {cards}",
        Verb.EXTRA_AP: f"{amount} more action points this turn",
        Verb.VOCATION: f"{_does(t, e, 'take')} a {vocation} marker",
        Verb.SCORE: f"all {vocation} markers score {amount}",
        Verb.LASTING: _POWERS[Power(int(effect.power))],
        Verb.ACTIVATE: f"the {DECKS[int(effect.deck)].capitalize()} deck opens",
        Verb.END_GAME: "the game ends at once",
    }[verb]


def _marker(t: Table, e: int) -> str:
    effect = t.effects[e]
    choice, money = MarkerChoice(int(effect.marker)), _money(int(effect.what))
    if choice == MarkerChoice.NAMED:
        return f"the {money} {int(effect.printed_number)} marker"
    return f"{_CHOICE[choice]} {money} marker"


def _office_words(t: Table, e: int, verb: Verb) -> str:
    office = int(t.effects[e].office)
    if verb == Verb.ENTER:
        return "the politicians enter" if office == POLITICIANS else "the Contractor enters"
    names = {ALL: "all politicians", CHOSEN: "a chosen office"}
    name = names[office] if office >= len(OFFICES) else f"the {OFFICE_NAMES[office]}"
    return f"election of {name}" if verb == Verb.ELECTION else f"{_does(t, e, 'get')} {name}"


def _vocation(vocation: int) -> str:
    if vocation == CHOSEN_VOCATION:
        return "chosen vocation"
    return VOCATIONS[vocation] if vocation != NO_VOCATION else "vocation"
