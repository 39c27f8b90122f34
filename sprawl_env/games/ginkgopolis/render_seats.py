"""What each seat of *Ginkgopolis* holds, its hand, and Hal, as parts of a picture."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final, NamedTuple

from sprawl_env.core.game import Game
from sprawl_env.core.rules import View
from sprawl_env.core.state import NOBODY, NOT_OVER
from sprawl_env.core.words import counted
from sprawl_env.games.ginkgopolis.actions import CARD, DRAFT, RETURN, WITH_TILE
from sprawl_env.games.ginkgopolis.constants import (
    ACTS,
    HAL,
    HAND_SIZE,
    LETTERS,
    NO_CARD,
    NO_SIDE,
    NO_SITE,
    NO_TILE,
    NOT_TAKEN,
    NUM_ACTS,
    NUM_COLOURS,
    NUM_LETTERS,
    NUMBERS,
    Step,
)
from sprawl_env.games.ginkgopolis.names import counts_are_open, step_of, tiles_in
from sprawl_env.games.ginkgopolis.render_cards import (
    LEFT,
    TILES,
    Chip,
    draw_chips,
    draw_kept,
    draw_owner,
    short_name,
)
from sprawl_env.games.ginkgopolis.render_city import yields_beside
from sprawl_env.games.ginkgopolis.state import State
from sprawl_env.games.ginkgopolis.tables import Table
from sprawl_env.games.ginkgopolis.tips import (
    CLOSED_TIP,
    FACE_DOWN_TIP,
    FIRST_TIP,
    GAINS,
    HAL_TIP,
    RESOURCES_TIP,
    STOCK_TIP,
    SUCCESS_TIP,
    TAKEN_BACK_TIP,
    TILES_TIP,
    UNPAID_TIP,
    bonus_tip,
    card_tip,
    character_tip,
    character_words,
    gains_in_words,
    hand_tip,
    kept_words,
    letter_tip,
    points_tip,
    price_of,
    price_tip,
    returned_tip,
    tile_tip,
    tokens_tip,
)
from sprawl_env.games.ginkgopolis.wording import card_name, character_name, tile_name
from sprawl_env.render.picture import SEAT, Part, Picture
from sprawl_env.render.shapes import FAINT, GROUND, INK, PAPER, QUIET, Rect, wrapped

CARD_HEAD: Final = 20.0  # height of a card above its lines
HEAD: Final = 30.0  # height of a part's first line
LINE: Final = 11.5  # from one line of a card to the next
BOX: Final = 47.2  # width of a count's box
BONUS: Final = 78.6  # width of a bonus's box


def is_open(state: State, view: View, seat: int) -> bool:
    """Return whether the counts behind a screen may be shown."""
    return counts_are_open(state, view.seat, seat)


def _sees_all(state: State, view: View, seat: int) -> bool:
    return view.sees(seat) or state.over != NOT_OVER


def _is_drafting(state: State) -> bool:
    return bool(state.over == NOT_OVER and step_of(state) == Step.DRAFT)


# ------------------------------------------------------------------------------------ what is held


def draw_seat(
    picture: Picture, game: Game, state: State, view: View, seat: int, points: int
) -> Part:
    """Add the part of what a seat holds, without its hand, and return it."""
    name, t = view.seat_name(seat), game.tables[0]
    seen = is_open(state, view, seat)
    part = picture.part(f"seat-{seat}", f"{name}: tiles, bonuses and cards", SEAT, seat=seat)
    part.piece(18, 17, 10, seat)
    shown = counted(points, "point") if seen else "screen closed"
    wide = part.text(part.width - 10, 21, shown, 12, anchor="end", bold=True)
    part.explain(part.width - wide - 14, 6, wide + 8, 20, points_tip(seen))
    part.text(34, 21, name, 12, width=part.width - wide - 60, bold=True)
    y = _counts(part, t, state, view, seat, HEAD)
    y = _bonuses(part, state, seat, y + 4)
    y = _tiles(part, t, state, view, seat, y + 5)
    hidden = _is_drafting(state) and not view.sees(seat)
    kinds = [] if hidden else state.picks[seat].tolist()
    part.height = draw_kept(part, t, state, view, seat, y, kinds) + 4
    return part


def _counts(part: Part, t: Table, state: State, view: View, seat: int, y: float) -> float:
    """Draw what is behind the screen, as far as it may be seen, and in front of it."""
    tiles = int(state.tiles[seat]) | int(state.returning[seat])
    behind = [int(state.resources[seat]), int(state.points[seat]), tiles.bit_count()]
    seen = is_open(state, view, seat)
    secret = [str(count) if seen else "?" for count in behind]
    shown = [*secret, str(int(state.stock[seat])), str(int(state.tokens[seat]))]
    labels = ("resources", "points", "tiles", "in supply", "new hand")
    hidden = "" if seen else f" {CLOSED_TIP}"
    tips = [f"{tip}{hidden}" for tip in (RESOURCES_TIP, SUCCESS_TIP, TILES_TIP)]
    part.add(Rect(8, y, 3 * BOX + 2, 34, 4, fill=GROUND, stroke=FAINT))
    for k, (label, count) in enumerate(zip(labels, shown, strict=True)):
        middle = 9 + (k + 0.5) * BOX
        part.text(middle, y + 15, count, 13, anchor="middle", bold=True)
        part.text(middle, y + 28, label, 9, fill=QUIET, anchor="middle")
        tip = [*tips, STOCK_TIP, tokens_tip(t)][k]
        part.explain(9 + k * BOX, y, BOX, 34, tip)
    return y + 34


def _bonuses(part: Part, state: State, seat: int, y: float) -> float:
    """Draw what the cards of a seat give on each act, as a box of each colour with a count."""
    for act in range(NUM_ACTS):
        x, gains = 10 + act * BONUS, state.bonus[seat, act].tolist()
        part.text(x, y + 10, ACTS[act], 9.5, fill=QUIET)
        at = x
        for gain in range(NUM_COLOURS):
            if gains[gain]:
                part.add(Rect(at, y + 14, 20, 15, 2, fill=TILES[gain], stroke=QUIET))
                part.text(at + 10, y + 25.4, f"+{gains[gain]}", 10, anchor="middle", bold=True)
                at += 23
        if at == x:
            part.text(x, y + 25, "no bonus", 9, fill=QUIET)
        part.explain(x - 2, y, BONUS - 4, 31, bonus_tip(act, gains))
    return y + 31


def _tiles(part: Part, t: Table, state: State, view: View, seat: int, y: float) -> float:
    """Draw the tiles behind a screen, if the viewer may know them."""
    if not _sees_all(state, view, seat):
        return y
    returning, chips = int(state.returning[seat]), []
    asked = state.over == NOT_OVER and step_of(state) == Step.RETURN
    for tile in tiles_in(int(state.tiles[seat]) | returning):
        tip, can_pay = tile_tip(tile), True
        strong = tile == state.chosen_tile[seat] or bool(returning >> tile & 1)
        if strong:
            tip = f"{tip} {'It is put aside.' if returning >> tile & 1 else 'It lies on the card.'}"
        elif asked and RETURN + tile in view.names:
            tip = returned_tip(t, tile)
        elif WITH_TILE + tile in view.names and seat == state.to_play:
            resources, points, can_pay = price_of(state, seat, tile)
            tip = f"{tip} {price_tip(resources, points, can_pay)}"
        acts = (WITH_TILE + tile, RETURN + tile) if seat == state.to_play else ()
        fill = TILES[tile // NUMBERS]
        label = short_name(tile)
        chips.append(Chip(label, fill, tip, actions=acts, strong=strong, barred=not can_pay))
    y = draw_chips(part, view, y, "tiles", chips)
    if any(chip.barred for chip in chips):
        part.text(LEFT, y + 8, "struck out: you cannot pay for it now", 9.5, fill=QUIET)
        part.explain(LEFT - 2, y - 2, part.width - LEFT - 8, 14, UNPAID_TIP)
        y += 15
    return y


# ----------------------------------------------------------------------------------------- hands


class _Card(NamedTuple):
    """A choice in a hand or pack."""

    name: str
    lines: tuple[str, ...]
    fill: str
    action: int
    chosen: bool
    tip: str


def draw_hand(picture: Picture, game: Game, state: State, view: View, seat: int) -> Part:
    """Add the part of a seat's hand, or of the pack from which it drafts, and return it.

    Only the number of cards is shown if they are hidden.
    """
    name = view.seat_name(seat)
    what = "draft" if _is_drafting(state) else "hand"
    group = f"seat-{seat}"  # below or above what the seat holds
    part = picture.part(f"hand-{seat}", f"{name}: {what}", SEAT, seat=seat, group=group)
    part.piece(18, 17, 8, seat)
    seen = view.sees(seat)
    count = sum(card != NO_CARD for card in state.hand[seat].tolist())
    shown = "pick one" if what == "draft" else counted(count, "card")
    wide = part.text(part.width - 10, 21, shown, 10.5, fill=QUIET, anchor="end")
    tip = hand_tip(what == "draft", state.num_seats == 1)
    part.explain(part.width - wide - 14, 8, wide + 8, 18, tip)
    part.text(34, 21, f"{name}: {what}", 12, width=part.width - wide - 54, bold=True)
    y = HEAD
    if seat == state.first and state.num_seats > 1:
        part.text(34, y + 6, "first player", 9.5, fill=QUIET)
        part.explain(32, y - 4, 70, 14, FIRST_TIP)
        y += 12
    y = _seen_of(part, state, seat, y) if not seen else _cards(part, game, state, view, seat, y)
    part.height = y + 4
    return part


def _cards(part: Part, game: Game, state: State, view: View, seat: int, y: float) -> float:
    """Draw the cards of a hand or pack, two in a row; return ``y`` below them."""
    width = (part.width - 18) / 2
    cards = list(_draft(game, state, seat) if _is_drafting(state) else _hand(game, state, seat))
    for k in range(0, len(cards), 2):
        row = cards[k : k + 2]
        lines = [[s for words in card.lines for s in wrapped(words, 9, width - 12)] for card in row]
        height = CARD_HEAD + max(map(len, lines)) * LINE + 4
        for card, words, left in zip(row, lines, (6.0, 12.0 + width), strict=False):
            box = Rect(left, y, width, height, 4)
            _card(part, card, words, box)
            acts = [card.action] if seat == state.to_play else []
            part.target(view, acts, box, f"{card.tip}{' It is chosen.' if card.chosen else ''}")
        y += height + 6
    return y - 2


def _card(part: Part, card: _Card, lines: list[str], box: Rect) -> None:
    wide, stroke = (2.6, INK) if card.chosen else (1.0, QUIET)
    part.add(replace(box, fill=card.fill, stroke=stroke, stroke_width=wide))
    part.text(box.x + 7, box.y + 15, card.name, 11.5, width=box.width - 12, bold=True)
    for k, line in enumerate(lines):
        part.text(box.x + 7, box.y + 28 + k * LINE, line, 9, width=box.width - 10)


def _draft(game: Game, state: State, seat: int) -> Iterator[_Card]:
    """Yield the characters of a pack."""
    t: Table = game.tables[0]
    pack = (seat - int(state.num_picks)) % int(state.num_seats)
    left = [k for k in range(HAND_SIZE) if state.taken_in[pack, k] == NOT_TAKEN]
    chosen = int(state.chosen[seat])
    for kind in sorted(int(state.pack[pack, k]) for k in left):  # their order has no meaning
        words = tuple(character_words(t, kind).split("; "))
        fill, tip = TILES[kind // NUM_ACTS], character_tip(t, kind)
        yield _Card(character_name(kind), words, fill, DRAFT + kind, kind == chosen, tip)
        chosen = NO_CARD if kind == chosen else chosen  # of several equal ones, one is chosen


def _hand(game: Game, state: State, seat: int) -> Iterator[_Card]:
    """Yield the cards of a hand."""
    t: Table = game.tables[0]
    for card in state.hand[seat].tolist():
        if card == NO_CARD:
            continue
        chosen, action = card == state.chosen[seat], CARD + card
        if card < NUM_LETTERS:
            name, tip = f"marker {LETTERS[card]}", letter_tip(card)
            yield _Card(name, _letter_lines(state, card), PAPER, action, chosen, tip)
        else:
            tile = card - NUM_LETTERS
            fill, tip = TILES[tile // NUMBERS], card_tip(t, tile)
            yield _Card(card_name(card), _card_lines(t, state, tile), fill, action, chosen, tip)


def _letter_lines(state: State, letter: int) -> tuple[str, ...]:
    """Return what a letter's card gives."""
    alone = "alone: 1 resource or tile"
    if state.marker[letter] == NO_SIDE:
        return (alone,)
    return alone, f"+ tile: costs 1, gives {gains_in_words(yields_beside(state, letter))}"


def _card_lines(t: Table, state: State, tile: int) -> tuple[str, ...]:
    """Return what a building's card gives."""
    site = int(state.site_of[tile])
    if site == NO_SITE:
        return (kept_words(t, tile),)
    levels = int(state.levels[site])
    alone = f"alone: {counted(levels, GAINS[tile // NUMBERS])}"
    return alone, f"+ tile: costs {levels + 1} or more", f"then {kept_words(t, tile)}"


def _seen_of(part: Part, state: State, seat: int, y: float) -> float:
    """Write what everybody has seen of a seat's choice and of its tiles (GK §3, G2, G16)."""
    if state.over == NOT_OVER and step_of(state) > Step.TILE and state.chosen[seat] != NO_CARD:
        tile = "with a tile" if state.chosen_tile[seat] != NO_TILE else "without a tile"
        part.text(10, y + 10, f"a card face down, {tile}", 10.5)
        part.explain(8, y, part.width - 16, 15, FACE_DOWN_TIP)
        y += 16
    known = [short_name(tile) for tile in tiles_in(state.taken_back[seat])]
    if known:
        words, top = f"tiles shown and taken back: {' '.join(known)}", y
        for line in wrapped(words, 10, part.width - 20):
            part.text(10, y + 10, line, 10, fill=QUIET)
            y += 13
        part.explain(8, top, part.width - 16, y - top, TAKEN_BACK_TIP)
    return y


# ------------------------------------------------------------------------------------------- Hal


def draw_hal(picture: Picture, game: Game, state: State, view: View, points: int) -> None:
    """Add the part of the automaton of the solo game."""
    part = picture.part("hal", f"Hal: {counted(points, 'point')}", SEAT, seat=NOBODY)
    draw_owner(part, state, 18, 17, 10, HAL)
    part.text(34, 21, "Hal", 12, bold=True)
    part.text(part.width - 10, 21, counted(points, "point"), 12, anchor="end", bold=True)
    part.explain(6, 4, part.width - 12, 24, HAL_TIP)
    stock = int(state.stock[HAL])
    part.text(10, 42, f"{counted(stock, 'resource')} left to build with", 10.5)
    part.explain(8, 31, part.width - 16, 16, "When Hal has none left, the end is triggered.")
    y = 50.0
    if state.lost_tile != NO_TILE:
        lost = f"could not pay for {tile_name(int(state.lost_tile))}"
        part.text(10, y + 8, lost, 10.5)
        tip = "Hal lacked resources for all levels, so nothing moved and the game ends."
        part.explain(8, y - 3, part.width - 16, 15, tip)
        y += 16
    part.height = draw_kept(part, game.tables[0], state, view, HAL, y) + 4
