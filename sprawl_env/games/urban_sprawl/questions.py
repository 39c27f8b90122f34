"""What a seat of *Urban Sprawl* is asked, in full, with the card that asks and its text."""

from __future__ import annotations

from typing import Final

from sprawl_env.core.game import Game
from sprawl_env.core.state import NOBODY, Games
from sprawl_env.games.urban_sprawl.constants import (
    FIRST_EVENT,
    MAYOR,
    NO_CARD,
    NO_KIND,
    VOCATIONS,
    ZONES,
)
from sprawl_env.games.urban_sprawl.names import (
    card_name,
    contract_name,
    kind_name,
    marker_name,
    site_name,
)
from sprawl_env.games.urban_sprawl.render_cards import (
    card_effects,
    effect_words,
    restrictions,
    source_of,
)
from sprawl_env.games.urban_sprawl.rules.elections import media_holder, tie_breaking_office
from sprawl_env.games.urban_sprawl.state import Entry, State
from sprawl_env.games.urban_sprawl.steps import DECISIONS, Step
from sprawl_env.games.urban_sprawl.tables import MAYORS_PARK, Table
from sprawl_env.games.urban_sprawl.wording import OFFICE_NAMES, Wording
from sprawl_env.kernels.agenda import top

# Decisions about the effect of the step below them.
_OF_EFFECT_BELOW: Final = frozenset((Step.PICK_ROW, Step.PICK_ZONE, Step.LEADER, Step.NEXT_SEAT))
_OF_NO_EFFECT: Final = frozenset(
    (Step.CLAIM, Step.MAIN, Step.FOOTPRINT, Step.PERMITS, Step.VOCATION_FROM, Step.MARKER_GAIN,
     Step.GREY, Step.WINNER)
)  # fmt: skip
_NO_EFFECT: Final = -1


def source_name(game: Game, e: int) -> str:
    """Return the name of the contract or event that has an effect; "" for the effect of none."""
    if e == MAYORS_PARK:
        return "Mayor"
    card, event = source_of(game.tables[0], e)
    if card != NO_CARD:
        return card_name(game.tables, card)
    return "" if event == NO_KIND else kind_name(game.tables, event + FIRST_EVENT)


def effect_asked(state: State) -> int:
    """Return the effect that the current decision is about, -1 if none."""
    entry: Entry = top(state)
    step = Step(int(entry.step))
    if step in _OF_NO_EFFECT:
        return _NO_EFFECT
    if step in _OF_EFFECT_BELOW:
        return int(state.agenda[int(state.agenda_size) - 2].effect)
    return int(entry.effect)


def context(game: Game, state: State) -> str:
    """Return the name of the event or the contract whose effects are being run, or ""."""
    if state.event != NO_KIND:
        return kind_name(game.tables, int(state.event) + FIRST_EVENT)
    return "" if state.card == NO_CARD else card_name(game.tables, int(state.card))


def question(game: Game, games: Games, g: int) -> str:
    """Return what the seat to play decides, and why it is asked."""
    state: State = games[g]
    step = Step(int(top(state).step))
    e = effect_asked(state)
    if step == Step.MAIN and game.legal_actions(games, g).sum() == 1:
        return f"Your turn, {int(state.points)} AP left and nothing else to do: end your turn"
    if e == _NO_EFFECT:
        return _of_a_turn(game, state, step)
    return f"{source_name(game, e)}: {_about_effect(game, state, step, e)}"


def _of_a_turn(game: Game, state: State, step: Step) -> str:
    """Return the question of a decision that no effect asks for."""
    entry: Entry = top(state)
    if step == Step.CLAIM:
        return (
            "Setup, in turns: claim a starting building and pay the value of its block; the wealth "
            "that is left pays for what you build"
        )
    if step == Step.MAIN:
        invest = "invest permits (before your first action only), " if state.investing else ""
        return (
            f"Your turn, {int(state.points)} AP left: {invest}take a planning card, build a "
            "contract or take one as a Favor, or end the turn"
        )
    if step in {Step.FOOTPRINT, Step.PERMITS}:
        return _of_a_contract(game, state, step, int(entry.card))
    if step == Step.VOCATION_FROM:
        name = VOCATIONS[entry.vocation]
        return f"No {name} marker is left: take one from an opponent, or decline"
    if step == Step.MARKER_GAIN:
        left = f" ({int(entry.left)} left)" if entry.left > 1 else ""
        below = state.agenda[int(state.agenda_size) - 2]
        name = VOCATIONS[below.vocation]
        return f"Your {name} marker scores {int(entry.number)}: as wealth or as prestige{left}"
    if step == Step.WINNER:
        name = OFFICE_NAMES[entry.office]
        return f"The election of the {name} is tied: you break the tie, {_why_you(state, entry)}"
    marker = marker_name(game.tables, int(entry.marker))
    cause = context(game, state)
    return f"{cause}{': p' if cause else 'P'}ut the marker {marker} on an empty grey space"


def _why_you(state: State, entry: Entry) -> str:
    """Return why the seat to play breaks a tie (US 6.9, ruling U6)."""
    office, seat = int(entry.office), int(state.to_play)
    if office == MAYOR:
        return "as you have the MEDIA" if media_holder(state) == seat else "as it is your turn"
    decides = tie_breaking_office(office)
    if state.office[decides] == seat:
        return f"as you are the {OFFICE_NAMES[decides]}"
    return "as it is your turn"


def _of_a_contract(game: Game, state: State, step: Step, card: int) -> str:
    """Return the question of where to build a contract, or of its permits."""
    t: Table = game.tables[0]
    name, zone = contract_name(game.tables, card), ZONES[t.card_zone[card]]
    if step == Step.PERMITS:
        paid, size = int(top(state).paid), int(t.card_size[card])
        return f"{name}: pay permits for {zone}, {paid} of {size} paid"
    limits = restrictions(t, card)
    where = f" ({limits})" if limits else ""
    text = card_effects(t, card)
    says = f". When built: {text}" if text else ""
    return f"{name}: choose where to build it{where}; you pay the value of the block{says}"


def _about_effect(game: Game, state: State, step: Step, e: int) -> str:
    """Return the question of an effect, without the name of its card."""
    entry: Entry = top(state)
    t: Table = game.tables[0]
    says = Wording(t, e, effect_words)
    if step == Step.DISASTER:
        enough = (state.prestige if t.effects[e].what else state.wealth)[state.to_play]
        pay = f", or pay {says.price()}" if enough >= t.effects[e].amount else ""
        return f"lose {says.a_building()}{pay}"
    if step == Step.SAVE:
        building = site_name(game.tables, state, int(entry.lot))
        return f"pay {says.save_price()} to save your {building}, or lose it"
    if step == Step.BID:
        highest = int(entry.highest)
        more = f"more than seat {int(entry.bidder)}'s {highest}" if entry.bidder != NOBODY else ""
        return f"bid {more or 'wealth'}, or decline; who bids most: {says.then()}"
    if step == Step.OPTION:
        return f"choose one: {says.then(' or ')}"
    if step == Step.UNIT:
        left = f" ({int(entry.left)} left)" if entry.left > 1 else ""
        return f"{effect_words(t, e)}: as wealth or as prestige{left}"
    if step == Step.PLACE and e == MAYORS_PARK:
        return "you are elected Mayor, place a park on an empty lot"
    order = "; the seats decide in the order that you pick" if step == Step.NEXT_SEAT else ""
    return f"{DECISIONS[step].words}{order} ({effect_words(t, e)})"
