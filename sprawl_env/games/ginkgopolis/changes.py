"""What a ply of *Ginkgopolis* changed, and actions in words.

A ply is carried out again, step by step (``rules/trace.py``), and the states between the steps are
compared: so every change has its cause.  Counts of resources, points, tokens and tiles are open
(GK §3, G25).  The rest is told only to the seats that may know it: which tiles a seat takes, its
hand (``_Steps.sees``), and answers before they are revealed (``tell``).
"""

from __future__ import annotations

from typing import Final

import numpy as np

from sprawl_env.core.changes import (
    Change,
    Told,
    by_source,
    in_parts,
    members,
    moved,
    scored,
    untold,
)
from sprawl_env.core.game import Game
from sprawl_env.core.rules import Played
from sprawl_env.core.state import FINISHED, NOBODY, NOT_OVER, Games
from sprawl_env.games.ginkgopolis.actions import ACTIONS
from sprawl_env.games.ginkgopolis.constants import (
    ACTS,
    CHARACTERS_KEPT,
    HAL,
    LETTERS,
    NO_CARD,
    NO_SITE,
    NO_TILE,
    NUM_LETTERS,
    NUMBERS,
    Act,
    Gain,
    Step,
)
from sprawl_env.games.ginkgopolis.names import (
    action_name,
    construction_costs,
    decision_of,
    step_of,
    tiles_in,
)
from sprawl_env.games.ginkgopolis.rules import trace
from sprawl_env.games.ginkgopolis.state import Entry, State
from sprawl_env.games.ginkgopolis.wording import card_name, character_name, tile_name

GAINS: Final = ("resource", "tile", "point")  # by Gain
SOURCES: Final = ("points", "tokens", "cards", "districts")
_CAUSES: Final = {
    Step.RETURN: "tiles returned",
    Step.CARD: "new hand",
    Step.GAIN: "card played alone",
}
Parts = list[tuple[int, int, int, str]]  # seat, Gain, amount, cause


def changes(
    game: Game, before: Games, after: Games, g: int, played: Played, viewer: int | None
) -> list[Change]:
    """Return what a ply changed, as far as a seat may know it."""
    steps = _Steps(game, viewer)
    parts = in_parts(trace, game, before, g, int(played.action))
    steps.decision(*next(parts))
    for old, new in parts:
        steps.automatic(old, new)
    points = scored(*(by_source(trace, SOURCES, game, games, g) for games in (before, after)))
    return [*steps.found, *untold(points, "points", "tokens")]


def held_tiles(state: State, seat: int) -> int:
    """Return the set of tiles behind a seat's screen; those put aside to return are among them."""
    return int(state.tiles[seat]) | int(state.returning[seat])


def resources_of(state: State, side: int) -> int:
    """Return the resources that a side can spend; Hal's lie in the supply (G18)."""
    return int(state.stock[HAL] if is_hal(state, side) else state.resources[side])


def is_hal(state: State, side: int) -> bool:
    """Return whether a side is the automaton."""
    return bool(state.num_seats == 1 and side == HAL)


class _Steps:
    """Compares the states before and after each step of a ply.

    Attributes:
        found: the changes so far.
    """

    def __init__(self, game: Game, viewer: int | None) -> None:
        self.found: list[Change] = []
        self._game, self._viewer = game, viewer
        self._tiles: Parts = []  # tiles that are to be gained, by cause

    def sees(self, seat: int) -> bool:
        """Return whether the viewer may know what only ``seat`` knows."""
        return self._viewer is None or self._viewer == seat

    def decision(self, old: State, new: State) -> None:
        """Compare the states before and after a decision, and the end of its pass."""
        step = step_of(old)
        if step == Step.GAIN:
            self._tiles = [(int(decision_of(old).seat), Gain.TILE, 1, _CAUSES[step])]
        elif step == Step.MARKER:
            self._markers(old, new)
        cause = _CAUSES.get(step, "")
        self._counts(old, new, [], cause)
        self._hand(old, new)
        if step == Step.DRAFT and new.num_picks == CHARACTERS_KEPT:
            self._characters(new)
        self._state_of_game(old, new)

    def automatic(self, old: State, new: State) -> None:
        """Compare the states before and after an automatic step."""
        entry = decision_of(old)
        step, seat = Step(int(entry.step)), int(entry.seat)
        parts: Parts = []
        cause = ""
        if step == Step.ACT:
            parts = self._act(old, new, seat)
        elif step == Step.COLLECT:
            parts = self._collect(old, entry)
        elif step == Step.TAKE_TILES:
            parts = [part for part in self._tiles if part[0] == seat]
            cause = "tiles still to take"
        elif step == Step.HAL:
            parts = self._hal(old, new)
        elif step == Step.HAL_COLLECT:
            cause = "adjacent buildings"
        elif step == Step.EQUIP:
            cause = "characters"
            self._tiles = [(seat, Gain.TILE, int(decision_of(new).tiles_left), cause)]
        self._counts(old, new, parts, cause)
        if step in {Step.END_OF_ROUND, Step.BEGIN_ROUND, Step.DEAL_HANDS}:
            self._hand(old, new)
        if step == Step.FINISH:
            self._kept(old, new, seat)
        self._state_of_game(old, new)

    # ---------------------------------------------------------------------------- an action

    def _act(self, old: State, new: State, seat: int) -> Parts:
        """Tell the action of a seat; return what it paid and gained, by cause."""
        card, tile = int(old.chosen[seat]), int(old.chosen_tile[seat])
        built = new.site_of[tile] != NO_SITE if tile != NO_TILE else False
        back = f"; {tile_name(tile)} cannot be paid and goes back" if tile != NO_TILE else ""
        if card < NUM_LETTERS:
            if built:
                text = f"build {tile_name(tile)} in place of marker {LETTERS[card]}"
                self._tell("act", seat, "building", text)
                return [(seat, Gain.RESOURCE, -1, "building")]
            self._tell("act", seat, "card", f"play {LETTERS[card]} alone{back}")
            return []
        named = card - NUM_LETTERS
        if built:
            self._tell("act", seat, "building", f"build {tile_name(tile)} on {tile_name(named)}")
            return self._construct(old, seat, named, tile)
        levels = int(old.levels[old.site_of[named]])
        self._tell("act", seat, "card", f"exploit {tile_name(named)}, {levels} high{back}")
        yields = (seat, named // NUMBERS, levels, tile_name(named))
        return self._gains(old, seat, Act.EXPLOIT, [yields])

    def _construct(self, old: State, seat: int, covered: int, tile: int) -> Parts:
        """Return what building on a building pays and gains (G3)."""
        parts = self._given_back(old, int(old.site_of[covered]), seat)
        costs = construction_costs(old, covered, tile)
        parts += [(seat, int(gain), -amount, why) for gain, amount, why in costs]
        return parts + self._gains(old, seat, Act.CONSTRUCT, [])

    def _given_back(self, old: State, site: int, builder: int) -> Parts:
        """Return what the owner of a building that is built over gets (G3, G18)."""
        owner, levels = int(old.owner[site]), int(old.levels[site])
        if owner == NOBODY:
            return []
        cause = f"{tile_name(int(old.site_tile[site]))} is built over"
        parts = [(owner, int(Gain.RESOURCE), levels, cause)]
        if owner != builder:
            parts.append((owner, int(Gain.POINT), levels, cause))
        return parts

    def _collect(self, old: State, entry: Entry) -> Parts:
        """Return the yields of buildings beside a new one, and the bonuses (G13)."""
        seat, site = int(entry.seat), int(entry.site)
        yields: Parts = []
        if site != NO_SITE:
            for direction in range(4):
                other = int(old.around[site, 2 * direction])
                if other != NO_SITE:
                    tile = int(old.site_tile[other])
                    levels = int(old.levels[other])
                    yields.append((seat, tile // NUMBERS, levels, tile_name(tile)))
        return self._gains(old, seat, int(entry.act), yields)

    def _gains(self, old: State, seat: int, act: int, yields: Parts) -> Parts:
        """Return yields and bonuses; tiles among them are taken in a later step."""
        cause = f"cards on {ACTS[act]}"
        bonus = [(seat, gain, int(n), cause) for gain, n in enumerate(old.bonus[seat, act])]
        self._tiles = [part for part in (*yields, *bonus) if part[1] == Gain.TILE]
        return [part for part in (*yields, *bonus) if part[1] != Gain.TILE]

    def _hal(self, old: State, new: State) -> Parts:
        """Tell Hal's move; return what it pays and gives back (G17, G18, G24)."""
        built = [k for k in range(len(old.site_tile)) if new.site_tile[k] != old.site_tile[k]]
        if not built:
            lost = new.lost_tile != NO_TILE
            text = "fail to pay for a building: the game ends" if lost else "discard a card"
            self._tell("automaton", HAL, "card", text)
            return []
        site = built[0]
        tile = tile_name(int(new.site_tile[site]))
        if site < old.num_sites:
            covered, levels = tile_name(int(old.site_tile[site])), int(new.levels[site])
            self._tell("automaton", HAL, "building", f"build {tile} on {covered}")
            parts = self._given_back(old, site, HAL)
            return [*parts, (HAL, Gain.RESOURCE, -levels, f"{levels} levels")]
        gone = [k for k in range(NUM_LETTERS) if new.marker[k] != old.marker[k]]
        text = f"build {tile} in place of marker {LETTERS[gone[0]]}"
        self._tell("automaton", HAL, "building", text)
        return [(HAL, Gain.RESOURCE, -1, "building")]

    def _kept(self, old: State, new: State, seat: int) -> None:
        for tile in members(int(new.kept[seat]) & ~int(old.kept[seat])):
            self._tell("keep", seat, "card", f"card {tile_name(tile)} kept", 1)

    # ------------------------------------------------------------------------------- counts

    def _counts(self, old: State, new: State, parts: Parts, cause: str) -> None:
        """Tell how the counts of all sides changed; what no part explains has ``cause``."""
        for side in range(max(int(new.num_seats), 2)):
            self._split(side, Gain.RESOURCE, resources_of(new, side) - resources_of(old, side),
                        parts, cause)  # fmt: skip
            if not is_hal(new, side):
                self._tiles_of(old, new, side, parts, cause)
            gained = int(new.points[side]) - int(old.points[side])
            self._split(side, Gain.POINT, gained, parts, cause)
            paid = int(new.tokens[side]) - int(old.tokens[side])
            self.found += moved(side, "token", paid, cause)

    def _split(self, side: int, gain: int, total: int, parts: Parts, cause: str) -> None:
        """Tell the change of a count by its parts; what is left over has ``cause``.

        Where the supply had too little (G5), the last gains among the parts are smaller.
        """
        own = [(amount, why) for seat, what, amount, why in parts if (seat, what) == (side, gain)]
        missing = max(sum(amount for amount, _ in own) - total, 0)
        for k in range(len(own) - 1, -1, -1):
            amount, why = own[k]
            short = min(max(amount, 0), missing)
            own[k], missing = (amount - short, why), missing - short
        for amount, why in own:
            self.found += moved(side, GAINS[gain], amount, why)
        self.found += moved(side, GAINS[gain], total - sum(amount for amount, _ in own), cause)

    def _tiles_of(self, old: State, new: State, seat: int, parts: Parts, cause: str) -> None:
        """Tell how many tiles a seat has more or fewer, and to those who see them, which."""
        was, now = held_tiles(old, seat), held_tiles(new, seat)
        total = now.bit_count() - was.bit_count()
        start = len(self.found)
        self._split(seat, Gain.TILE, total, parts, cause or "building")
        names = ", ".join(map(tile_name, tiles_in(now & ~was)))
        if names and self.sees(seat) and len(self.found) > start:
            last = self.found[-1]
            self.found[-1] = last._replace(text=f"{last.text}: {names}")

    def _hand(self, old: State, new: State) -> None:
        """Tell the viewer its new hand."""
        seat = self._viewer
        if seat is None or (old.hand[seat] == new.hand[seat]).all():
            return
        held = sorted(card for card in new.hand[seat].tolist() if card != NO_CARD)
        cards = [card_name(card) for card in held]
        if cards:
            self._tell("draw", seat, "hand", f"hand {', '.join(cards)}")

    def _characters(self, new: State) -> None:
        """Tell all characters, which are shown together after the draft (G11)."""
        for seat in range(int(new.num_seats)):
            names = ", ".join(map(character_name, new.picks[seat].tolist()))
            self._tell("draft", seat, "character", f"characters {names}", CHARACTERS_KEPT)

    def _markers(self, old: State, new: State) -> None:
        """Tell which markers moved; that of the decision is named by the action."""
        for letter in np.flatnonzero(new.marker != old.marker).tolist():
            text = f"marker {LETTERS[letter]} is pushed on"
            named = letter == decision_of(old).letter
            self._tell("marker", NOBODY, "marker", "" if named else text)

    def _state_of_game(self, old: State, new: State) -> None:
        """Tell a new deck (G12), run-outs, the trigger of the end, and the end."""
        if new.deck_size > old.deck_size:
            text = "the discards become a new deck, with the cards of the workers, who leave"
            self._tell("phase", NOBODY, "deck", text)
        if new.run_outs != old.run_outs:
            which = "first" if new.run_outs == 1 else "second"
            self._tell("phase", NOBODY, "supply", f"the tiles run out for the {which} time")
        if new.ending and not old.ending:
            self._tell("phase", NOBODY, "end", "the end is triggered: this is the last round")
        if new.over != NOT_OVER and old.over == NOT_OVER:
            limit = "the game stops at the round limit"
            self._tell(
                "phase", NOBODY, "end", "the game is over" if new.over == FINISHED else limit
            )

    def _tell(self, kind: str, seat: int, what: str, text: str, amount: int = 0) -> None:
        self.found.append(Change(kind, seat, what, amount, "", text))


# ------------------------------------------------------------------------------- actions in words


def tell(game: Game, before: Games, now: Games, g: int, played: Played, viewer: int | None) -> Told:
    """Return an action in words, without what is still hidden from the viewer at ``now``."""
    block, _ = ACTIONS.locate(played.action)
    hidden = _HIDDEN.get(block)
    mine = viewer is None or viewer == played.seat or now[g].over != NOT_OVER
    if mine or hidden is None:
        return Told(_in_words(game, before, g, played))
    told = hidden(before[g], now[g], played.seat)
    return told or Told(_in_words(game, before, g, played))


def _in_words(game: Game, before: Games, g: int, played: Played) -> str:
    """Return an action as a phrase that begins with a verb."""
    block, offset = ACTIONS.locate(played.action)
    state: State = before[g]
    card = int(state.chosen[played.seat])
    name = action_name(game.tables, before, g, int(played.action))
    if block in {"letter", "card"}:
        return f"choose {name}"
    if block == "with_tile":
        return f"choose {card_name(card)} with tile {tile_name(offset)}"
    if block == "without_tile":
        return f"choose {card_name(card)} without a tile"
    if block in {"beside", "place"}:
        letter = LETTERS[int(decision_of(state).letter)]
        if block == "beside":
            return f"move marker {letter} {name.removeprefix('marker ')} of the new tile"
        if name.startswith("push"):
            return f"push the markers beyond {letter} {name.removeprefix('push ')}"
        return f"move marker {letter} to place {offset}"
    phrases = {
        "new_hand": "ask for a new hand",
        "done": "return no more tiles",
        "take": ("take a resource", "take a tile")[offset % 2],
        "draft": f"draft {name.removeprefix('draft ')}",
        "return": f"return tile {name.removeprefix('return ')}",
    }
    return phrases.get(block, name)


def _pass_is_over(before: State, now: State) -> bool:
    """Return whether the pass in which an answer was given has ended."""
    if now.over != NOT_OVER or now.rounds != before.rounds or step_of(now) != step_of(before):
        return True
    return bool(now.pass_number != before.pass_number or now.num_picks != before.num_picks)


def _pick(before: State, now: State, seat: int) -> Told | None:
    """A pick stays secret: only the characters kept are shown, without their order (G11)."""
    return Told("draft a character", is_final=False)


def _card(before: State, now: State, seat: int) -> Told | None:
    """A card is hidden until its seat acts (GK §3)."""
    over = _pass_is_over(before, now)
    if over and (now.rounds != before.rounds or now.chosen[seat] == NO_CARD):
        return None
    return Told("choose a card" if over else "choose secretly", is_final=False)


def _new_hand(before: State, now: State, seat: int) -> Told | None:
    """A new hand is drawn openly when all have answered (G1, G22)."""
    return None if _pass_is_over(before, now) else Told("choose secretly", is_final=False)


def _tile(before: State, now: State, seat: int) -> Told | None:
    """Whether a tile lies on a card is open once all have chosen (GK §3)."""
    if not _pass_is_over(before, now):
        return Told("choose whether to add a tile", is_final=False)
    if now.rounds != before.rounds or now.chosen[seat] == NO_CARD:
        return None
    has_tile = now.chosen_tile[seat] != NO_TILE
    return Told(f"have {'a' if has_tile else 'no'} tile on the card", is_final=False)


def _return(before: State, now: State, seat: int) -> Told | None:
    """Returned tiles are shown together; whose each was, is not told (G5, G23)."""
    if _return_is_over(before, now):
        return Told("return a tile")
    return Told("return a tile or none", is_final=False)


def _done(before: State, now: State, seat: int) -> Told | None:
    """Who is done is hidden until all are (G23)."""
    if _return_is_over(before, now):
        return None
    return Told("return a tile or none", is_final=False)


def _return_is_over(before: State, now: State) -> bool:
    """Return whether all seats have returned their tiles; that happens once a game."""
    return bool(now.over != NOT_OVER or step_of(now) != Step.RETURN)


_HIDDEN: Final = {
    "draft": _pick,
    "new_hand": _new_hand,
    "letter": _card,
    "card": _card,
    "with_tile": _tile,
    "without_tile": _tile,
    "return": _return,
    "done": _done,
}


def heading(game: Game, games: Games, g: int) -> str:
    """Return the round, or the draft before the first one."""
    rounds = int(games[g].rounds)
    return f"Round {rounds}" if rounds else "Draft"
