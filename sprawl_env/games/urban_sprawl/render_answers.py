"""The question that an *Urban Sprawl* decision asks: its card or event, and buttons."""

from __future__ import annotations

from typing import Final

from sprawl_env.core.game import Game
from sprawl_env.core.rules import View
from sprawl_env.core.state import NOBODY, NOT_OVER, Tables
from sprawl_env.games.urban_sprawl.actions import (
    AMOUNT,
    DECLINE,
    GAIN,
    MOST_BID,
    MOST_OPTIONS,
    OPTION,
    YES,
    ZONE,
)
from sprawl_env.games.urban_sprawl.constants import (
    FIRST_EVENT,
    NO_CARD,
    NO_KIND,
    NUM_ZONES,
    VOCATIONS,
)
from sprawl_env.games.urban_sprawl.effect_verbs import VERBS_OF
from sprawl_env.games.urban_sprawl.names import kind_name, marker_name
from sprawl_env.games.urban_sprawl.render_cards import effect_words, source_of
from sprawl_env.games.urban_sprawl.render_marks import INSET, contract, paragraph
from sprawl_env.games.urban_sprawl.state import State
from sprawl_env.games.urban_sprawl.steps import DECISIONS, Step
from sprawl_env.games.urban_sprawl.tables import MAYORS_PARK, Table
from sprawl_env.games.urban_sprawl.tips import card_tip, office_tip, zone_tip
from sprawl_env.games.urban_sprawl.wording import OFFICE_NAMES
from sprawl_env.kernels.agenda import top
from sprawl_env.render.picture import CARDS, Part, Picture
from sprawl_env.render.shapes import FAINT, QUIET, Rect, text_width, wrapped

BUTTON_SIZE: Final = 10.5  # of the text
BUTTON_GAP: Final = 5.0
LEAST_BUTTON: Final = 42.0  # width
BUILDS: Final = (Step.FOOTPRINT, Step.PERMITS)


def step_of(state: State) -> Step | None:
    """Return the decision that is owed, None after the end."""
    return Step(top(state).step) if state.over == NOT_OVER else None


def decision_words(game: Game, state: State, step: Step, view: View) -> str:
    """Return a decision in words, with what is bid, gained or placed."""
    words, entry = DECISIONS[step].words, top(state)
    if step == Step.BID and entry.highest:
        return f"{words}; highest bid: {entry.highest} by {view.seat_name(int(entry.bidder))}"
    if step == Step.GREY:
        return f"{words} for {marker_name(game.tables, int(entry.marker))}"
    if step == Step.MARKER_GAIN:
        return f"{words}: {entry.number} for each of {entry.left}"
    return words


def answers(picture: Picture, game: Game, state: State, view: View) -> None:
    """Add a part with the question, if it has buttons or belongs to a card or an event."""
    step = step_of(state)
    if step is None:
        return
    part = Part("answers", DECISIONS[step].words, CARDS, 1, NOBODY)
    y = _about(part, game, state, step)
    y = _buttons(part, _labels(game.tables[0], state, view), view, y)
    if not part.shapes:
        return
    part.height = y + 2
    picture.parts.append(part)


# ------------------------------------------------------------------------------------------ cause


def _about(part: Part, game: Game, state: State, step: Step) -> float:
    """Draw the card, event or effect that the decision belongs to; return its bottom."""
    entry, tables = top(state), game.tables
    if step in BUILDS:
        return _built(part, tables, int(entry.card), _paid(state, step))
    if step in VERBS_OF:
        return _effect(part, tables, int(entry.effect))
    if step == Step.WINNER:
        office = int(entry.office)
        part.text(INSET, 19, f"election: {OFFICE_NAMES[office]}", 12, bold=True)
        part.explain(4, 5, part.width - 8, 20, office_tip(tables[0], office))
        return paragraph(part, INSET, 35, "these seats are tied: who gets the office?")
    if step == Step.VOCATION_FROM:
        name = VOCATIONS[int(entry.vocation)]
        return paragraph(part, INSET, 18, f"no {name} marker is left: whose do you take?", size=11)
    if step == Step.MARKER_GAIN:
        return _scored(part, state)
    return 6.0


def _paid(state: State, step: Step) -> str:
    return f"permits paid: {int(top(state).paid)}" if step == Step.PERMITS else "where to build?"


def _built(part: Part, tables: Tables, card: int, says: str) -> float:
    """Draw the contract that is being built."""
    bottom = contract(part, tables, card, 0)
    part.explain(4, 4, part.width - 8, bottom - 4, card_tip(tables, card, None))
    return paragraph(part, INSET, bottom + 14, says, size=10.5, fill=QUIET) - 4


def _effect(part: Part, tables: Tables, e: int) -> float:
    """Draw an effect after the name of the card or event that it belongs to."""
    card, event = source_of(tables[0], e)
    words = effect_words(tables[0], e)
    if e == MAYORS_PARK:
        return paragraph(part, INSET, 18, "the new Mayor places a park of 1 lot", size=11)
    if card != NO_CARD:
        bottom = contract(part, tables, card, 0)
        part.explain(4, 4, part.width - 8, bottom - 4, card_tip(tables, card, None))
    else:
        name = kind_name(tables, FIRST_EVENT + event) if event != NO_KIND else ""
        part.text(INSET, 18, f"{name} (event)", 12, width=part.width - 2 * INSET, bold=True)
        bottom = 24.0
    part.add(Rect(INSET, bottom + 3, part.width - 2 * INSET, 0.8, fill=FAINT))
    return paragraph(part, INSET, bottom + 17, f"now: {words}", size=10.5) - 2


def _scored(part: Part, state: State) -> float:
    """Draw the vocation that is scored: the step below on the agenda has it."""
    entry, below = top(state), state.agenda[int(state.agenda_size) - 2]
    name = (
        f"{VOCATIONS[int(below.vocation)]} marker" if below.step == Step.SCORE_SEATS else "marker"
    )
    says = f"{name} scores {int(entry.number)}: wealth or prestige? markers left: {int(entry.left)}"
    return paragraph(part, INSET, 18, says, size=11)


# ---------------------------------------------------------------------------------------- buttons


def _labels(t: Table, state: State, view: View) -> dict[int, tuple[str, str]]:
    """Return label and tooltip of each legal answer that is a button."""
    spans = ((YES, 1), (DECLINE, 1), (ZONE, NUM_ZONES), (GAIN, 2), (OPTION, MOST_OPTIONS))
    plain = [start + k for start, count in (*spans, (AMOUNT, MOST_BID)) for k in range(count)]
    legal = [action for action in plain if action in view.names]
    labels = {action: (view.names[action].removeprefix("option "), "") for action in legal}
    for action in legal:
        if ZONE <= action < ZONE + NUM_ZONES:
            labels[action] = (labels[action][0], zone_tip(action - ZONE))
    if step_of(state) == Step.OPTION:
        first = int(t.effects[top(state).effect].then_first)
        for action in legal:
            k = action - OPTION
            labels[action] = (f"{k + 1}: {effect_words(t, first + k)}", "")
    return labels


def _buttons(part: Part, labels: dict[int, tuple[str, str]], view: View, y: float) -> float:
    """Draw buttons in rows, each as wide as its label; return their bottom."""
    if not labels:
        return y - 6
    x, most, row = INSET, part.width - 2 * INSET, 0.0
    for action, (label, tip) in labels.items():
        width = min(max(text_width(label, BUTTON_SIZE) + 16, LEAST_BUTTON), most)
        lines = wrapped(label, BUTTON_SIZE, width - 10)
        if x > INSET and x + width > INSET + most:
            x, y, row = INSET, y + row + BUTTON_GAP, 0.0
        height = 13.0 * len(lines) + 9
        for k, line in enumerate(lines):
            part.text(x + width / 2, y + 15 + 13 * k, line, BUTTON_SIZE, anchor="middle")
        part.target(view, [action], Rect(x, y, width, height, 5), tip)
        x, row = x + width + BUTTON_GAP, max(row, height)
    return y + row + 4
