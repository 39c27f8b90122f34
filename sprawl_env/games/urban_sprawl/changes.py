"""What a ply of *Urban Sprawl* changed, and actions in words.

A ply is carried out again, step by step (``rules/trace.py``), and the states between the steps are
compared: so every change has its cause.  Everything is open except the order of the face-down cards
(U13), which nothing here reads: every seat is told all.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from sprawl_env.core.changes import (
    MINUS,
    Change,
    Told,
    by_source,
    in_parts,
    moved,
    scored,
    signed,
    untold,
)
from sprawl_env.core.game import Game
from sprawl_env.core.rules import Played
from sprawl_env.core.state import FINISHED, NOBODY, NOT_OVER, Games
from sprawl_env.games.urban_sprawl.actions import ACTIONS, DECLINE, LINE
from sprawl_env.games.urban_sprawl.constants import (
    CONTRACT_SPACES,
    CORNERS,
    DECKS,
    FIRST_DOUBLE_ROW,
    FIRST_EVENT,
    FIRST_GREY,
    MONEY,
    NO_CARD,
    NO_KIND,
    NO_LINE,
    NO_MARKER,
    NUM_DECKS,
    NUM_OFFICES,
    NUM_WEALTH_MARKERS,
    PLANNING_TOP,
    PRESTIGE,
    SIZE_OF,
    VOCATIONS,
    WEALTH,
    ZONES,
)
from sprawl_env.games.urban_sprawl.effect_verbs import Verb
from sprawl_env.games.urban_sprawl.names import (
    action_name,
    card_name,
    contract_name,
    kind_name,
    line_name,
    marker_name,
    place_name,
    site_name,
)
from sprawl_env.games.urban_sprawl.places import block_name, lot_name
from sprawl_env.games.urban_sprawl.questions import context, effect_asked, source_name
from sprawl_env.games.urban_sprawl.render_cards import card_effects, effect_words, event_effects
from sprawl_env.games.urban_sprawl.rules import trace
from sprawl_env.games.urban_sprawl.state import Entry, State
from sprawl_env.games.urban_sprawl.steps import Step
from sprawl_env.games.urban_sprawl.tables import NO_ZONE, Table
from sprawl_env.games.urban_sprawl.vocabulary import Line
from sprawl_env.games.urban_sprawl.wording import OFFICE_NAMES
from sprawl_env.kernels.agenda import top

SOURCES: Final = ("prestige", "lines", "wealth", "offices")
NO_NUMBER: Final = 0
# Decisions of which the actions name the cards.
_NAMED_BY_ACTION: Final = frozenset((Step.MAIN, Step.PERMITS, Step.FREE_CARD, Step.DISCARD))
_CAUSES: Final = {
    Step.CLAIM: "claim",
    Step.FOOTPRINT: "demolition",
    Step.VOCATION_FROM: "none in the supply",
    Step.WINNER: "election",
}


def changes(
    game: Game, before: Games, after: Games, g: int, played: Played, viewer: int | None
) -> list[Change]:
    """Return what a ply changed: money, cards, buildings, offices, lines, vocations, the end."""
    steps = _Steps(game)
    parts = in_parts(trace, game, before, g, int(played.action))
    steps.decision(*next(parts), int(played.action))
    for old, new in parts:
        steps.automatic(old, new)
    points = scored(*(by_source(trace, SOURCES, game, games, g) for games in (before, after)))
    return [*steps.found, *untold(points, *SOURCES)]


def building_name(state: State, lot: int) -> str:
    """Return a building by its first lot, e.g. ``RES 2 at C3 top left``."""
    size = SIZE_OF[int(state.corners[lot])]
    return f"{ZONES[state.zone[lot]]} {size} at {lot_name(lot)}"


def numbers_of(game: Game, state: State, money: int) -> dict[int, int]:
    """Return the wealth or the prestige numbers on the board, each with its line."""
    t: Table = game.tables[0]
    fixed = t.column_number if money == WEALTH else t.row_number
    first = 0 if money == WEALTH else FIRST_DOUBLE_ROW
    found = {int(number): first + k for k, number in enumerate(fixed)}
    for grey, marker in enumerate(state.marker_at.tolist()):
        if marker != NO_MARKER and (marker < NUM_WEALTH_MARKERS) == (money == WEALTH):
            found.setdefault(int(t.marker_number[marker]), FIRST_GREY + grey)
    return found


class _Steps:
    """Compares the states before and after each step of a ply.

    Attributes:
        found: the changes so far.
    """

    def __init__(self, game: Game) -> None:
        self.found: list[Change] = []
        self._game, self._tables = game, game.tables
        self._t: Table = game.tables[0]

    def decision(self, old: State, new: State, action: int) -> None:
        """Compare the states before and after a decision."""
        step = Step(int(top(old).step))
        cause = self._cause_of_decision(old, step)
        if step == Step.MAIN and action == DECLINE:
            cause = "end of the turn"
        if step == Step.PERMITS and new.contracts_built != old.contracts_built:
            self._built(old, new)
        elif step == Step.PAID_LINE:
            self._payout(old, new, action - LINE)
        else:
            self._money(old, new, cause)
        self._rest(old, new, cause)
        if step in _NAMED_BY_ACTION:
            cards = {"planning card", "Favor"}
            self.found = [c._replace(text="") if c.what in cards else c for c in self.found]

    def _cause_of_decision(self, state: State, step: Step) -> str:
        e = effect_asked(state)
        if e >= 0:
            return source_name(self._game, e)
        if step == Step.MARKER_GAIN:
            below = state.agenda[int(state.agenda_size) - 2]
            return f"{VOCATIONS[below.vocation]} marker"
        if step == Step.PERMITS:
            return card_name(self._tables, int(top(state).card))
        if step == Step.GREY:
            return context(self._game, state)
        return _CAUSES.get(step, "")

    def automatic(self, old: State, new: State) -> None:
        """Compare the states before and after an automatic step."""
        entry: Entry = top(old)
        step = Step(int(entry.step))
        if step == Step.BEGIN_TURN:
            self._begin_turn(old, new)
        elif step in {Step.DRAW_PLANNING, Step.DRAW_CONTRACT}:
            self._drawn(old, new, step)
        elif step == Step.PAY_WEALTH:
            number = int(self._t.permit_wealth[entry.kind])
            self._payout(old, new, self._line(old, WEALTH, number))
        elif step in {Step.ELECTION, Step.ASSIGN}:
            self._election(old, new, step)
        elif step == Step.EFFECT:
            self._effect(old, new, int(entry.effect))
        else:
            self._money(old, new, self._cause_of_step(entry, step))
            self._rest(old, new, self._cause_of_step(entry, step))

    def _cause_of_step(self, entry: Entry, step: Step) -> str:
        if step == Step.SCORE_SEATS:
            return f"{VOCATIONS[entry.vocation]} markers, Police Chief"
        if step == Step.TAKE_VOCATION:
            return f"vocation of {card_name(self._tables, int(entry.card))}"
        if step == Step.NEXT_BID:
            return f"auction of {source_name(self._game, int(entry.effect))}"
        if step in {Step.ACT, Step.EACH, Step.EFFECTS}:
            return source_name(self._game, int(entry.effect))
        return ""

    # -------------------------------------------------------------------------- parts of a turn

    def _begin_turn(self, old: State, new: State) -> None:
        """Tell what the Treasurer collects, and the action points (US 6.2)."""
        seat = int(new.active)
        if (new.wealth != old.wealth).any():
            self._tell("phase", seat, "turn", "collect as the Treasurer", "Treasurer")
            self._money(old, new, "Treasurer")
        points = int(new.points) - int(old.points)
        if points:
            self.found.append(Change("turn", seat, "AP", points, "new turn", ""))

    def _built(self, old: State, new: State) -> None:
        """Tell the price of a contract that was built, and its neighbourhood bonus (US 6.3)."""
        seat, block = int(old.to_play), int(new.lot) // CORNERS
        value = int(old.value[block])
        self.found += moved(seat, "wealth", -value, f"value of {block_name(block)}")
        bonus = int(new.prestige[seat]) - int(old.prestige[seat])
        zone = ZONES[new.zone[new.lot]]
        self.found += moved(seat, "prestige", bonus, f"{zone} buildings beside it")

    def _drawn(self, old: State, new: State, step: Step) -> None:
        """Tell a card that was turned face up, an event's text, and the payout of a contract."""
        if step == Step.DRAW_PLANNING:
            self._planning(old, new)
        else:
            self._contract(old, new)
        self._rest(old, new, "")

    def _planning(self, old: State, new: State) -> None:
        if new.event != old.event and new.event != NO_KIND:
            name = kind_name(self._tables, int(new.event) + FIRST_EVENT)
            text = f"event {name}: {event_effects(self._t, int(new.event))}"
            self._tell("event", NOBODY, "planning event", text, name)
            return
        for space in np.flatnonzero(new.planning != old.planning).tolist():
            where = "top of the planning deck" if space == PLANNING_TOP else f"{space + 1} AP"
            kind = kind_name(self._tables, int(new.planning[space]))
            self._tell("reveal", NOBODY, "planning card", f"{where}: {kind}")

    def _contract(self, old: State, new: State) -> None:
        drawn = np.flatnonzero(new.deck_size != old.deck_size).tolist()
        if not drawn:
            return
        deck = drawn[0]
        card = int(old.deck[deck, int(new.deck_size[deck])])
        name = card_name(self._tables, card)
        if self._t.card_zone[card] == NO_ZONE:
            text = f"event {name}: {card_effects(self._t, card)}"
            self._tell("event", NOBODY, f"{DECKS[deck]} event", text, name)
            return
        shown = contract_name(self._tables, card)
        spaces = [k for k in range(CONTRACT_SPACES) if new.contract[k] == card]
        where = f"{spaces[0] + 1} AP" if spaces else f"top of the {DECKS[deck]} deck"
        self._tell("reveal", NOBODY, "contract", f"{where}: {shown}")
        number = int(self._t.card_prestige[card])
        if number:
            self._payout(old, new, self._line(old, PRESTIGE, number), f", as {name} came up")

    def _line(self, state: State, money: int, number: int) -> int:
        """Return the line of a number, or of the highest for NO_NUMBER; NO_LINE if none."""
        lines = numbers_of(self._game, state, money)
        return lines.get(max(lines, default=0) if number == NO_NUMBER else number, NO_LINE)

    def _payout(self, old: State, new: State, line: int, why: str = "") -> None:
        """Tell a payout and why there is one, if it pays anybody (US §2)."""
        paid = (new.wealth != old.wealth).any() or (new.prestige != old.prestige).any()
        if paid:
            name = line_name(self._tables, line)
            self._tell("payout", NOBODY, "line", f"{name} pays{why}", name)
            self._money(old, new, f"payout of {name}")

    def _effect(self, old: State, new: State, e: int) -> None:
        """Tell what an effect did at once; a payout by its line."""
        effect = self._t.effects[e]
        cause = source_name(self._game, e)
        if effect.verb == Verb.PAYOUT and effect.line != Line.ROW:
            highest = effect.line == Line.HIGHEST
            number = NO_NUMBER if highest else int(effect.printed_number)
            self._payout(old, new, self._line(old, int(effect.what), number))
        else:
            self._money(old, new, cause)
        self._rest(old, new, cause)

    def _election(self, old: State, new: State, step: Step) -> None:
        """Tell an election of an office in play, and who gets the Contractor (US 6.9)."""
        office = int(top(old).office)
        if step == Step.ELECTION and int(old.in_play) >> office & 1:
            waits = int(top(new).step) == Step.WINNER
            same = new.office[office] == old.office[office] and not waits
            how = ": a tie" if waits else ": no change" if same else ""
            name = f"election of the {OFFICE_NAMES[office]}"
            self._tell("election", NOBODY, "office", f"{name}{how}", name)
        cause = "election" if step == Step.ELECTION else "least prestige"
        self._rest(old, new, cause)

    # ------------------------------------------------------------------------------- everything

    def _money(self, old: State, new: State, cause: str) -> None:
        """Tell how the wealth and prestige of all seats changed."""
        for seat in range(int(new.num_seats)):
            self.found += moved(
                seat, "wealth", int(new.wealth[seat]) - int(old.wealth[seat]), cause
            )
            prestige = int(new.prestige[seat]) - int(old.prestige[seat])
            self.found += moved(seat, "prestige", prestige, cause)

    def _rest(self, old: State, new: State, cause: str) -> None:
        """Tell all changes except those of money and of face-up cards."""
        self._action_points(old, new, cause)
        self._cards(old, new, cause)
        self._buildings(old, new, cause)
        self._vocations(old, new, cause)
        self._offices(old, new, cause)
        self._markers(old, new, cause)
        self._stages(old, new, cause)

    def _action_points(self, old: State, new: State, cause: str) -> None:
        self.found += moved(int(old.active), "AP", int(new.points) - int(old.points), cause)

    def _cards(self, old: State, new: State, cause: str) -> None:
        """Tell planning cards and Favors that seats got or gave away."""
        for seat, kind in np.argwhere(new.hand != old.hand).tolist():
            amount = int(new.hand[seat, kind]) - int(old.hand[seat, kind])
            self._got(seat, "planning card", amount, cause, kind_name(self._tables, kind))
        for seat in np.flatnonzero((new.favors != old.favors).any(axis=1)).tolist():
            was, now = old.favors[seat].tolist(), new.favors[seat].tolist()
            for card in sorted({*was, *now} - {NO_CARD}):
                name = f"Favor {contract_name(self._tables, card)}"
                self._got(seat, "Favor", now.count(card) - was.count(card), cause, name)

    def _buildings(self, old: State, new: State, cause: str) -> None:
        """Tell buildings that were placed, removed or changed their controller."""
        rebuilt = (new.corners != old.corners) | (new.zone != old.zone)
        for lot in np.flatnonzero(rebuilt | (new.owner != old.owner)).tolist():
            how = "" if rebuilt[lot] else "control of "
            if old.corners[lot]:
                self._site(old, lot, -1, how, cause)
            if new.corners[lot]:
                self._site(new, lot, 1, how, cause)

    def _site(self, state: State, lot: int, amount: int, how: str, cause: str) -> None:
        owner = int(state.owner[lot])
        if owner == NOBODY and how:
            return
        sign = "+" if amount > 0 else MINUS
        value = int(state.value[lot // CORNERS])
        text = f"{sign} {how}{building_name(state, lot)}, value {value}"
        kind = "build" if amount > 0 else "remove"
        self.found.append(Change(kind, owner, "building", amount, cause, text))

    def _vocations(self, old: State, new: State, cause: str) -> None:
        for seat, vocation in np.argwhere(new.vocations != old.vocations).tolist():
            amount = int(new.vocations[seat, vocation]) - int(old.vocations[seat, vocation])
            text = f"{signed(amount)} {VOCATIONS[vocation]}"
            self.found.append(Change("vocation", seat, "vocation", amount, cause, text))

    def _offices(self, old: State, new: State, cause: str) -> None:
        for office in np.flatnonzero(new.office != old.office).tolist():
            was, now = int(old.office[office]), int(new.office[office])
            for seat, amount, how in ((was, -1, "no longer"), (now, 1, "now")):
                if seat != NOBODY:
                    text = f"{how} {OFFICE_NAMES[office]}"
                    self.found.append(Change("office", seat, "office", amount, cause, text))

    def _markers(self, old: State, new: State, cause: str) -> None:
        for grey in np.flatnonzero(new.marker_at != old.marker_at).tolist():
            line = line_name(self._tables, FIRST_GREY + grey)
            marker = int(new.marker_at[grey])
            if marker != NO_MARKER:
                text = f"{marker_name(self._tables, marker)} on {line}"
                self._tell("marker", NOBODY, "marker", text, cause)

    def _stages(self, old: State, new: State, cause: str) -> None:
        """Tell decks that open, offices that come into play, and the end (US 6.10, 6.12)."""
        opened = int(new.active_decks) & ~int(old.active_decks)
        for deck in range(NUM_DECKS):
            if opened >> deck & 1:
                self._tell("phase", NOBODY, "deck", f"the {DECKS[deck]} deck opens", cause)
        entered = int(new.in_play) & ~int(old.in_play)
        names = [OFFICE_NAMES[k] for k in range(NUM_OFFICES) if entered >> k & 1]
        if names:
            text = f"offices come into play: {', '.join(names)}"
            self._tell("phase", NOBODY, "office", text, cause)
        if new.over != NOT_OVER and old.over == NOT_OVER:
            limit = "the game stops at the turn limit"
            text = "the game is over" if new.over == FINISHED else limit
            self._tell("phase", NOBODY, "end", text, cause)

    def _got(self, seat: int, what: str, amount: int, cause: str, name: str) -> None:
        if amount:
            sign = "+" if amount > 0 else MINUS
            text = f"{sign} {f'{abs(amount)} × ' if abs(amount) > 1 else ''}{name}"
            kind = "gain" if amount > 0 else "pay"
            self.found.append(Change(kind, seat, what, amount, cause, text))

    def _tell(self, kind: str, seat: int, what: str, text: str, cause: str = "") -> None:
        self.found.append(Change(kind, seat, what, 0, cause, text))


# ------------------------------------------------------------------------------- actions in words


def tell(game: Game, before: Games, now: Games, g: int, played: Played, viewer: int | None) -> Told:
    """Return an action in words; nothing of it is hidden."""
    state: State = before[g]
    block, i = ACTIONS.locate(played.action)
    step = Step(int(top(state).step))
    name = action_name(game.tables, before, g, int(played.action))
    if block == "favor":
        return Told(f"take {place_name(game.tables, state, i)} as a Favor")
    if block == "site":
        return Told(_site_words(game, state, step, i))
    if block in {"decline", "yes"}:
        return Told(_yes_or_no(game, state, step, block == "yes"))
    if block == "option" and step == Step.OPTION:
        effect = int(game.tables[0].effects[top(state).effect].then_first) + i
        return Told(f"choose: {effect_words(game.tables[0], effect)}")
    if block == "gain":
        gains = step == Step.MARKER_GAIN or _gains(game, state)
        return Told(f"{'take' if gains else 'pay'} {MONEY[i]}")
    if step == Step.GREY:
        marker = marker_name(game.tables, int(top(state).marker))
        return Told(f"put {marker} on {name}")
    if block in {"permit", "planning", "build", "amount"}:
        return Told(name)
    return Told(f"pick {name.removeprefix('option ')}")


def _yes_or_no(game: Game, state: State, step: Step, is_yes: bool) -> str:
    """Return what accepting or declining means."""
    if step == Step.MAIN:
        return "end the turn"
    if step == Step.VOCATION_FROM:
        return "take no marker"
    source = source_name(game, effect_asked(state))
    if step == Step.DISASTER:
        return f"pay for {source}"
    if step == Step.SAVE:
        building = site_name(game.tables, state, int(top(state).lot))
        return f"{'pay to save' if is_yes else 'give up'} {building}"
    if step == Step.BID:
        return f"make no bid for {source}"
    return f"{'accept' if is_yes else 'decline'} the offer of {source}"


def _gains(game: Game, state: State) -> bool:
    return bool(game.tables[0].effects[effect_asked(state)].verb == Verb.GAIN)


def _site_words(game: Game, state: State, step: Step, site: int) -> str:
    """Return the choice of a lot, a footprint or a building."""
    name = site_name(game.tables, state, site)
    if step == Step.CLAIM:
        return f"claim {name}"
    if step == Step.FOOTPRINT:
        return f"choose {name} for {contract_name(game.tables, int(top(state).card))}"
    if step == Step.DISASTER:
        return f"lose {name}"
    if step == Step.MOVE_TO:
        return f"move {building_name(state, int(top(state).lot))} to {name}"
    if step == Step.PLACE:
        return f"place {ZONES[top(state).zone]} at {name}"
    return f"pick {name}"
