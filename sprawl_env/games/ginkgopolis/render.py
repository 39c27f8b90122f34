"""*Ginkgopolis* as a picture: the city, and parts for supplies and what every seat holds."""

from __future__ import annotations

from typing import Final

from sprawl_env.core.game import Game
from sprawl_env.core.rules import View
from sprawl_env.core.state import NOBODY, NOT_OVER, Games
from sprawl_env.core.words import counted
from sprawl_env.games.ginkgopolis.actions import ACTIONS, DONE, NEW_HAND, PLACE, TAKE, WITHOUT_TILE
from sprawl_env.games.ginkgopolis.constants import (
    COLOURS,
    HAL,
    LAST_PASS,
    LETTERS,
    NUM_LETTERS,
    Step,
)
from sprawl_env.games.ginkgopolis.names import DECISIONS, moving_letter, step_of, tiles_in
from sprawl_env.games.ginkgopolis.render_cards import (
    INITIALS,
    TILES,
    chip_of,
    draw_chips,
    draw_owner,
)
from sprawl_env.games.ginkgopolis.render_city import draw_city, draw_worker, moving_places
from sprawl_env.games.ginkgopolis.render_seats import draw_hal, draw_hand, draw_seat, is_open
from sprawl_env.games.ginkgopolis.state import State
from sprawl_env.games.ginkgopolis.tables import Table
from sprawl_env.games.ginkgopolis.tips import (
    DISCARD_TIP,
    DONE_TIP,
    GAINS,
    MARK_TIP,
    OWNER_TIP,
    PUSH_TIP,
    TAKE_TIPS,
    WITHOUT_TILE_TIP,
    WORKER_TIP,
    YIELD_TIPS,
    deck_tip,
    how_to_play,
    supply_tip,
    tokens_tip,
)
from sprawl_env.render.canvas import BUTTON_HEIGHT
from sprawl_env.render.picture import CARDS, INFO, Part, Picture, ending
from sprawl_env.render.shapes import INK, QUIET, SEAT_COLOURS, Circle, Rect, wrapped

SECRET: Final = frozenset(
    ("draft", "new_hand", "letter", "card", "with_tile", "without_tile", "return", "done")
)


def draw(game: Game, games: Games, g: int, view: View) -> Picture:
    """Return the position as a picture; hands, picks and screens as far as ``view`` sees them."""
    state: State = games[g]
    picture = Picture("Ginkgopolis")
    asked, question = _asked(state, view), _decision(game, games, g, view)
    picture.header(view, _facts(state, view), asked, question, _last(view))
    places = moving_places(games, g, view)
    draw_city(picture, state, view, places)
    _answers(picture, game, view, not places)
    points = game.scores(games, g).tolist()
    picture.points = tuple(
        total if state.num_seats == 1 or is_open(state, view, side) else None
        for side, total in enumerate(points)
    )
    for seat in range(int(state.num_seats)):
        hand = draw_hand(picture, game, state, view, seat)
        held = draw_seat(picture, game, state, view, seat, points[seat])
        hand.plays = held.plays = seat == asked
    if state.num_seats == 1:
        draw_hal(picture, game, state, view, points[HAL])
    _supply(picture, game, state, view)
    _legend(picture, state)
    return picture


def _facts(state: State, view: View) -> str:
    ending_ = "; the end is triggered" if state.ending and state.over == NOT_OVER else ""
    return f"round {int(state.rounds)}; first player: {view.seat_name(int(state.first))}{ending_}"


def _asked(state: State, view: View) -> int:
    """Return the seat shown as owing a decision; a pass does not show who has answered."""
    if state.over != NOT_OVER:
        return NOBODY
    if view.seat is None or step_of(state) > LAST_PASS:
        return int(state.to_play)
    return view.seat if int(state.owes) >> view.seat & 1 else NOBODY


def _decision(game: Game, games: Games, g: int, view: View) -> str:
    state: State = games[g]
    if state.over != NOT_OVER:
        return ending(game, games, g, "stopped at the round limit", view)
    words = DECISIONS[step_of(state)]
    if step_of(state) == Step.MARKER:
        words = f"move marker {LETTERS[moving_letter(state)]}"
    return words if _asked(state, view) != NOBODY else f"waiting for the others to {words}"


def _last(view: View) -> str:
    """Return the last action in words, without the content of another seat's hidden answer."""
    if view.last is None:
        return ""
    block, _ = ACTIONS.locate(view.last.action)
    hidden = block in SECRET and not view.sees(view.last.seat)
    return "a hidden answer" if hidden else view.last.says


# ------------------------------------------------------------------- answers, supplies and legend


def _answers(picture: Picture, game: Game, view: View, pushes: bool) -> None:
    """Add a button for each action that has no place in the city, if there are any."""
    tips = {
        NEW_HAND: tokens_tip(game.tables[0]),
        WITHOUT_TILE: WITHOUT_TILE_TIP,
        TAKE: TAKE_TIPS[0],
        TAKE + 1: TAKE_TIPS[1],
        DONE: DONE_TIP,
    }
    if pushes:
        tips |= {PLACE: PUSH_TIP, PLACE + 1: PUSH_TIP}
    legal = [action for action in tips if action in view.names]
    if not legal:
        return
    part = picture.part("answers", "other answers", CARDS)
    y = 6.0
    for action in legal:
        box = Rect(6, y, part.width - 12, BUTTON_HEIGHT, 5)
        part.text(part.width / 2, y + 15, view.names[action], 11, anchor="middle")
        part.target(view, [action], box, tips[action])
        y += BUTTON_HEIGHT + 5
    part.height = y + 1


def _supply(picture: Picture, game: Game, state: State, view: View) -> None:
    t: Table = game.tables[0]
    part = picture.part("supply", "supply of tiles, deck and discards", INFO)
    run_outs = ("never", "once", "twice")[min(int(state.run_outs), 2)]
    part.text(10, 18, f"supply: {counted(int(state.supply_size), 'tile')}", 11.5, bold=True)
    part.text(part.width - 10, 18, f"run out {run_outs}", 10, fill=QUIET, anchor="end")
    part.explain(8, 5, part.width - 16, 18, supply_tip(t, state.num_seats == 1))
    part.text(10, 37, f"deck: {counted(int(state.deck_size), 'card')}", 11.5, bold=True)
    part.explain(8, 24, part.width - 16, 18, deck_tip(int(t.face_up_cards[state.num_seats])))
    letters = [k for k in range(NUM_LETTERS) if int(state.discarded_letters) >> k & 1]
    cards = letters + [NUM_LETTERS + tile for tile in tiles_in(state.discarded)]
    part.text(10, 56, f"discarded: {counted(len(cards), 'card')}", 11.5, bold=True)
    part.explain(8, 43, part.width - 16, 18, DISCARD_TIP)
    chips = [chip_of(card, t) for card in cards]
    part.height = (draw_chips(part, view, 63, "open", chips) if chips else 62) + 2


def _legend(picture: Picture, state: State) -> None:
    part = picture.part("legend", "what signs mean, and how to play", INFO)
    part.text(10, 18, "signs", 11.5, bold=True)
    y = 35.0
    for colour, gain in enumerate(GAINS):
        part.add(Rect(10, y - 10, 18, 14, 2, fill=TILES[colour], stroke=INK))
        words = f"{INITIALS[colour]} {COLOURS[colour]}: a {gain} for each level"
        y = _sign(part, y, words, YIELD_TIPS[colour])
    draw_owner(part, state, 19, y - 3, 6.5, 0)
    y = _sign(part, y, "owner; x2: levels, and resources on them", OWNER_TIP)
    draw_worker(part, 19, y - 3)
    y = _sign(part, y, "worker: the card is in the next deck", WORKER_TIP)
    part.add(Circle(19, y - 3.5, 6, stroke=SEAT_COLOURS[0], stroke_width=2.5))
    y = _sign(part, y, "framed: what a seat has just done", MARK_TIP)
    part.text(10, y + 7, "how to play", 11.5, bold=True)
    y += 22
    for words, tip in how_to_play(state.num_seats == 1):
        y = _rule(part, y, words, tip)
    part.height = y


def _sign(part: Part, y: float, words: str, tip: str) -> float:
    """Write what a sign means beside it; return ``y`` of the next one."""
    part.text(36, y, words, 10, width=part.width - 44)
    part.explain(8, y - 12, part.width - 16, 17, tip)
    return y + 18


def _rule(part: Part, y: float, words: str, tip: str) -> float:
    """Write a rule in lines; return ``y`` of the next one."""
    top = y - 10
    for line in wrapped(words, 9.5, part.width - 20):
        part.text(10, y, line, 9.5, fill=QUIET)
        y += 12
    part.explain(8, top, part.width - 16, y - 10 - top, tip)
    return y + 2
