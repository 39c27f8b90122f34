"""A slow reference for *Ginkgopolis*, written from the rules alone.

Plain Python on dicts, lists and strings: one rule, one small method, each citing its section of
the rules as ``(GK §n)`` or its ruling as ``(ruling Gn)``. It shares no code with the fast
game and is compared with it ply by ply, by action name and by state.

The whole game is one generator: ``_story`` runs from the draft to the end and yields wherever a
seat has to answer. ``play`` sends it the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass

Cell = tuple[int, int]
"""``(x, y)``: x grows east, y grows south; the top left tile of the start is ``(0, 0)``."""
Place = tuple[Cell, str]
"""Where a marker stands: its cell, and the direction towards the tile it leans on (ruling G4)."""
Shuffle = Callable[[list[str]], None]

# ---------------------------------------------------------------- GK §1: cards, tiles, characters

COLOURS = ("red", "blue", "yellow")
NUMBERS = range(1, 21)
LETTERS = tuple("ABCDEFGHIJKL")
TILES = tuple(f"{colour} {number}" for colour in COLOURS for number in NUMBERS)
CARDS = LETTERS + TILES

EXPLOIT, URBANIZE, CONSTRUCT = ACTIONS = ("exploit", "urbanize", "construct")
CHARACTERS = tuple(f"{colour} {action}" for colour in COLOURS for action in ACTIONS)

RESOURCE, TILE, POINT = "resource", "tile", "point"
Gain = tuple[str, int]
"""What is gained, and how many of it."""

YIELD_OF_COLOUR = {"red": RESOURCE, "blue": TILE, "yellow": POINT}

ACTION_OF_NUMBER = {
    **dict.fromkeys((1, 4, 7), EXPLOIT),
    **dict.fromkeys((2, 5, 8), URBANIZE),
    **dict.fromkeys((3, 6, 9), CONSTRUCT),
}
"""The action on which a building card of that number gives its bonus; others have none."""
NUMBERS_WITH_EXTRA_POINT = (7, 8, 9)

COLOUR_COUNTED = {
    ("red", 10): "red",
    ("red", 11): "yellow",
    ("red", 12): "blue",
    ("red", 13): "red",
    ("blue", 10): "blue",
    ("blue", 11): "red",
    ("blue", 12): "yellow",
    ("blue", 13): "blue",
    ("yellow", 10): "yellow",
    ("yellow", 11): "red",
    ("yellow", 12): "blue",
    ("yellow", 13): "yellow",
}
"""The colour of the buildings that a card 10 to 13 counts at the end."""
ACTION_COUNTED = {16: EXPLOIT, 17: URBANIZE, 18: CONSTRUCT}
TALL = 3
POINTS_PER_LOW_BUILDING = 1
POINTS_PER_TALL_BUILDING = 3
POINTS_PER_CARD = 2
POINTS_OF_TWENTY = 9

STARTING_ITEMS: dict[str, list[Gain]] = {
    "red exploit": [(RESOURCE, 1), (POINT, 1), (TILE, 1)],
    "red urbanize": [(RESOURCE, 1), (POINT, 1), (TILE, 1)],
    "red construct": [(TILE, 1)],
    "blue exploit": [(RESOURCE, 2), (POINT, 1)],
    "blue urbanize": [(RESOURCE, 2), (POINT, 1)],
    "blue construct": [(RESOURCE, 1)],
    "yellow exploit": [(RESOURCE, 2), (POINT, 2), (TILE, 1)],
    "yellow urbanize": [(RESOURCE, 2), (POINT, 2), (TILE, 1)],
    "yellow construct": [(RESOURCE, 2), (POINT, 1), (TILE, 1)],
}
SOLO_STARTING_ITEMS: list[Gain] = [(RESOURCE, 6), (POINT, 6), (TILE, 6)]

# ---------------------------------------------------------------- GK §1: numbers by seats

RESOURCES_BY_SEATS = {1: 25, 2: 25, 3: 20, 4: 18, 5: 16}
MOST_SEATS_THAT_DISCARD_FROM_A_NEW_DECK = 3
CARDS_DISCARDED_FROM_A_NEW_DECK = 7
HAND = 4
SOLO_HAND = 3
TOKENS = 2
POINTS_PER_TOKEN = 2
PICKS = 3
START_WIDTH = 3

HAL = 1
"""The place of Hal in the lists of a solo game, and as the owner of a building."""
NOBODY = -1
"""The owner of a starting building, and ``to_play`` once the game is over."""

# ---------------------------------------------------------------- directions, all clockwise

STEPS: dict[str, Cell] = {"north": (0, -1), "east": (1, 0), "south": (0, 1), "west": (-1, 0)}
RIGHT_OF = {"north": "east", "east": "south", "south": "west", "west": "north"}
OPPOSITE = {"north": "south", "south": "north", "east": "west", "west": "east"}
CLOCKWISE, ANTICLOCKWISE = 1, -1
PUSHES = {"push anticlockwise": ANTICLOCKWISE, "push clockwise": CLOCKWISE}


def beside(cell: Cell, direction: str) -> Cell:
    """The cell one orthogonal step away."""
    step = STEPS[direction]
    return cell[0] + step[0], cell[1] + step[1]


# ---------------------------------------------------------------- small readers of names


def colour_of(name: str) -> str:
    """The colour of a tile, a building card or a character."""
    return name.split(maxsplit=1)[0]


def number_of(name: str) -> int:
    """The number of a tile or a building card."""
    return int(name.split()[1])


def sorted_cards(cards: Iterable[str]) -> list[str]:
    """A to L, then red, blue and yellow by number; tiles sort likewise."""
    return sorted(cards, key=CARDS.index)


def sorted_characters(characters: Iterable[str]) -> list[str]:
    """Red, blue, yellow; in each colour Exploit, Urbanize, Construct."""
    return sorted(characters, key=CHARACTERS.index)


def bonus_action(card: str) -> str | None:
    """The action on which a character or building card gives its bonus, if any (GK §1)."""
    if card in CHARACTERS:
        return card.split()[1]
    return ACTION_OF_NUMBER.get(number_of(card))


def bonus_gains(card: str) -> list[Gain]:
    """What such a card gives: 1 of its own kind, with 7, 8, 9 another point (GK §1)."""
    own_kind = [(YIELD_OF_COLOUR[colour_of(card)], 1)]
    if card not in CHARACTERS and number_of(card) in NUMBERS_WITH_EXTRA_POINT:
        return [*own_kind, (POINT, 1)]
    return own_kind


# ---------------------------------------------------------------- outside and contour (ruling G4)


def outside_of(city: set[Cell]) -> set[Cell]:
    """The empty cells joined to infinity by orthogonal steps, within a frame round the city.

    Other empty cells are holes. The frame is one cell wide and so holds every outside cell
    next to a tile (ruling G4).
    """
    west, east = min(x for x, _ in city) - 1, max(x for x, _ in city) + 1
    north, south = min(y for _, y in city) - 1, max(y for _, y in city) + 1
    reached: set[Cell] = set()
    waiting = [(west, north)]
    while waiting:
        cell = waiting.pop()
        in_frame = west <= cell[0] <= east and north <= cell[1] <= south
        if in_frame and cell not in city and cell not in reached:
            reached.add(cell)
            waiting.extend(beside(cell, direction) for direction in STEPS)
    return reached


def contour_of(city: set[Cell]) -> list[Place]:
    """The closed clockwise walk along all tile sides that face the outside (ruling G4).

    It starts on the north side of the westernmost tile of the northern row. A side is given as
    a place: the outside cell that shows it, and the direction from there towards the tile.
    """
    first = (min(city, key=lambda cell: (cell[1], cell[0])), "north")
    walk: list[Place] = []
    tile, facing = first
    while not walk or (tile, facing) != first:
        walk.append((beside(tile, facing), OPPOSITE[facing]))
        tile, facing = _next_side(tile, facing, city)
    return walk


def _next_side(tile: Cell, facing: str, city: set[Cell]) -> tuple[Cell, str]:
    """The tile side that follows clockwise, as tile and the direction it faces (ruling G4).

    First comes a tile diagonally ahead, whether or not one lies between: the walk turns in a
    concave corner, or crosses where two tiles meet only at a corner.
    """
    heading = RIGHT_OF[facing]
    ahead = beside(tile, heading)
    diagonal = beside(ahead, facing)
    if diagonal in city:
        return diagonal, OPPOSITE[heading]
    if ahead in city:
        return ahead, facing
    return tile, heading


# ---------------------------------------------------------------- buildings and decisions


@dataclass
class Building:
    """A building under its top tile (GK §1); ``resources`` are those of ``owner`` on it."""

    tile: str
    cell: Cell
    owner: int
    levels: int
    resources: int
    worker: bool

    @property
    def colour(self) -> str:
        """The colour of its top tile."""
        return colour_of(self.tile)


@dataclass(frozen=True)
class Question:
    """A decision to make: its seat, its kind and the names of the answers."""

    seat: int
    decision: str
    answers: frozenset[str]


Story = Generator[Question, str, None]
"""A part of the game that may have to ask; it is sent the name of the answer."""
OVER = Question(NOBODY, "over", frozenset())


# ---------------------------------------------------------------- the game


class Ginkgopolis:
    """One game; seat 0 is the first player of round 1 (ruling G11)."""

    def __init__(
        self,
        num_seats: int,
        *,
        start: list[str],
        deck: list[str],
        discards: list[str],
        supply: list[str],
        packs: list[list[str]] | None,
        characters: list[list[str]] | None,
        difficulty: str = "normal",
        max_rounds: int = 200,
        colour_points: int = 1,
        colour_per: str = "building",
        shuffle: Shuffle,
    ) -> None:
        """Lay out a game that is shuffled but not dealt yet (GK §1, ruling G11).

        Args:
            num_seats: Number of seats, without Hal.
            start: The 9 starting tiles, row by row.
            deck: The deck before any hand is dealt; the last card is drawn next.
            discards: With 1 to 3 seats the 7 cards discarded at the start.
            supply: The tiles before any seat has one; the last one is taken next.
            packs: For the draft, the 4 characters dealt to each seat.
            characters: Without the draft, the 3 characters of each seat; None when solo.
            difficulty: "normal" or "expert", solo only.
            max_rounds: After this round the game stops (ruling G20).
            colour_points: What cards 10 to 13 pay for each thing counted.
            colour_per: Whether they count a "building" or a "level".
            shuffle: Shuffles a list in place.
        """
        if num_seats > 1 and (packs is None) == (characters is None):
            raise ValueError("either packs for the draft or characters must be given")
        self.num_seats = num_seats
        self.solo = num_seats == 1
        self.expert = difficulty == "expert"
        self.max_rounds = max_rounds
        self.colour_points = colour_points
        self.colour_per = colour_per
        self.shuffle = shuffle

        self.buildings: dict[str, Building] = {}
        for place, tile in enumerate(start):
            cell = (place % START_WIDTH, place // START_WIDTH)
            self.buildings[tile] = Building(tile, cell, NOBODY, 1, 0, worker=False)
        self.covered: list[str] = []
        self.markers: dict[str, Place] = dict(zip(LETTERS, contour_of(self._city()), strict=True))
        self.deck = list(deck)
        self.discards = list(discards)
        self.supply = list(supply)
        self.packs = None if packs is None else [list(pack) for pack in packs]

        seats = range(num_seats)
        scorers = range(2) if self.solo else seats
        self.characters = [[] if characters is None else [*characters[seat]] for seat in seats]
        self.hands: list[list[str]] = [[] for _ in seats]
        self.tiles: list[list[str]] = [[] for _ in seats]
        self.returning: list[list[str]] = [[] for _ in seats]
        self.committed: list[tuple[str | None, str | None]] = [(None, None) for _ in seats]
        self.tokens = [0 if self.solo else TOKENS for _ in seats]
        self.resources = [0 for _ in scorers]
        self.stock = [RESOURCES_BY_SEATS[num_seats] for _ in scorers]
        self.points = [0 for _ in scorers]
        self.cards: list[list[str]] = [[] for _ in scorers]
        self.hal_card: str | None = None

        self.round = 0
        self.first_player = 0
        self.run_outs = 0
        self.ending = False
        self.over = "no"
        self.question = OVER
        self.story = self._story()
        self._tell_on(None)

    # ------------------------------------------------------------ GK §6: actions

    def legal(self) -> set[str]:
        """Names of the legal actions of the seat to play; empty once over (GK §6)."""
        return set(self.question.answers)

    def play(self, name: str) -> None:
        """Play one ply by its name (GK §6).

        Raises:
            ValueError: The action is not legal; nothing has changed.
        """
        if name not in self.question.answers:
            raise ValueError(f"{name!r} is not legal, only {sorted(self.question.answers)}")
        self._tell_on(name)

    def _tell_on(self, answer: str | None) -> None:
        """Run the generator to the next question, or to its end."""
        try:
            self.question = next(self.story) if answer is None else self.story.send(answer)
        except StopIteration:
            self.question = OVER

    # ------------------------------------------------------------ GK §3: the course of a game

    def _story(self) -> Story:
        """Draft, starting items, hands, rounds until the end (GK §3, ruling G11)."""
        if self.packs is not None:
            yield from self._draft(self.packs)
        yield from self._take_starting_items()
        self.round = 1
        self._deal()
        while self.over == "no":
            yield from self._choose_cards()
            yield from self._choose_tiles()
            yield from self._act_in_turn()
            if self.ending:
                self.over = "finished"
            elif self.round >= self.max_rounds:
                self.over = "truncated"
            else:
                self._prepare_next_round()

    def _clockwise(self) -> list[int]:
        """All seats in order from the first player (GK §3)."""
        return [(self.first_player + ahead) % self.num_seats for ahead in range(self.num_seats)]

    def _draft(self, packs: list[list[str]]) -> Story:
        """Three picks; after each the rest of the pack goes to the next seat (ruling G11)."""
        for _ in range(PICKS):
            for seat in self._clockwise():
                offered = frozenset(f"draft {character}" for character in packs[seat])
                answer = yield Question(seat, "draft", offered)
                character = answer.removeprefix("draft ")
                packs[seat].remove(character)
                self.characters[seat].append(character)
            packs[:] = [packs[seat - 1] for seat in range(self.num_seats)]

    def _take_starting_items(self) -> Story:
        """What the characters show, or 6 of everything in solo (GK §1, rulings G11, G17)."""
        for seat in range(self.num_seats):
            if self.solo:
                yield from self._gain_all(seat, SOLO_STARTING_ITEMS)
            for character in self.characters[seat]:
                yield from self._gain_all(seat, STARTING_ITEMS[character])

    def _deal(self) -> None:
        """The first hands, or the cards of a solo round (rulings G11, G17)."""
        for seat in range(self.num_seats):
            for _ in range(SOLO_HAND if self.solo else HAND):
                self.hands[seat].append(self._draw())
        if self.solo:
            self.hal_card = self._draw()

    def _prepare_next_round(self) -> None:
        """Unused cards and the first-player card move on; all draw 1 (GK §3, ruling G17)."""
        self.round += 1
        if self.solo:
            self._deal()
            return
        self.hands = [self.hands[seat - 1] for seat in range(self.num_seats)]
        self.first_player = (self.first_player + 1) % self.num_seats
        for seat in self._clockwise():
            self.hands[seat].append(self._draw())

    # ------------------------------------------------------------ the deck (ruling G12)

    def _draw(self) -> str:
        """The top card; taking the last one re-forms the deck at once (ruling G12)."""
        card = self.deck.pop()
        if not self.deck:
            self._re_form_deck()
        return card

    def _re_form_deck(self) -> None:
        """Discards and the cards of tiles with a worker are the new deck (ruling G12)."""
        at_work = [building for building in self.buildings.values() if building.worker]
        self.deck = sorted_cards([*self.discards, *(building.tile for building in at_work)])
        self.discards = []
        self.shuffle(self.deck)
        for building in at_work:
            building.worker = False
        if self.num_seats <= MOST_SEATS_THAT_DISCARD_FROM_A_NEW_DECK:
            for _ in range(CARDS_DISCARDED_FROM_A_NEW_DECK):
                self.discards.append(self.deck.pop())
        assert self.deck, "the draw deck is never short (ruling G8)"

    # ------------------------------------------------------------ GK §3: step 1, choices

    def _choose_cards(self) -> Story:
        """All seats choose a card, in passes while a seat takes a new hand (GK §3)."""
        owing = self._clockwise()
        while owing:
            new_hands = []
            for seat in owing:
                answer = yield Question(seat, "card", self._card_answers(seat))
                if answer == "new hand":
                    new_hands.append(seat)
                else:
                    self._commit_card(seat, answer.removeprefix("card "))
            for seat in new_hands:
                self._take_new_hand(seat)
            owing = new_hands

    def _card_answers(self, seat: int) -> frozenset[str]:
        """Any card in hand, and a new hand while a token is left (GK §3, ruling G1)."""
        new_hand = ["new hand"] if self.tokens[seat] > 0 else []
        return frozenset([*new_hand, *(f"card {card}" for card in self.hands[seat])])

    def _commit_card(self, seat: int, card: str) -> None:
        """The card lies face down, without a tile for now (GK §3)."""
        self.hands[seat].remove(card)
        self.committed[seat] = (card, None)

    def _take_new_hand(self, seat: int) -> None:
        """Pay the token, discard the hand, then draw one by one (ruling G1)."""
        self.tokens[seat] -= 1
        self.discards.extend(self.hands[seat])
        self.hands[seat] = []
        for _ in range(HAND):
            self.hands[seat].append(self._draw())

    def _choose_tiles(self) -> Story:
        """All seats choose whether a tile goes with the card (GK §3)."""
        for seat in self._clockwise():
            with_tile = [f"with tile {tile}" for tile in self.tiles[seat]]
            answer = yield Question(seat, "tile", frozenset(["without tile", *with_tile]))
            if answer != "without tile":
                self._commit_tile(seat, answer.removeprefix("with tile "))

    def _commit_tile(self, seat: int, tile: str) -> None:
        """The tile lies face down on the card (GK §3)."""
        self.tiles[seat].remove(tile)
        card, _ = self.committed[seat]
        self.committed[seat] = (card, tile)

    # ------------------------------------------------------------ GK §3: step 2, actions

    def _act_in_turn(self) -> Story:
        """Each seat resolves its card; in solo Hal follows (GK §3, rulings G6, G17)."""
        for seat in self._clockwise():
            yield from self._act(seat)
            self._check_end()
        if self.solo:
            self.discards.extend(self.hands[0])
            self.hands[0] = []
            yield from self._hal_acts()
            self._check_end()

    def _act(self, seat: int) -> Story:
        """Reveal card and tile; one that cannot be paid goes back (GK §3, ruling G2)."""
        card, tile = self.committed[seat]
        self.committed[seat] = (None, None)
        assert card is not None
        if tile is not None and not self._can_pay(seat, card, tile):
            self.tiles[seat].append(tile)
            tile = None
        if tile is None:
            yield from self._exploit(seat, card)
        elif card in LETTERS:
            yield from self._urbanize(seat, card, tile)
        else:
            yield from self._construct(seat, card, tile)

    def _can_pay(self, seat: int, card: str, tile: str) -> bool:
        """Return whether the seat can pay for all of the action beforehand (ruling G2)."""
        if card in LETTERS:
            return self.resources[seat] >= 1
        under = self.buildings[card]
        own_back = under.resources if under.owner == seat else 0
        resources = under.levels + 1 + self._resources_for_colour(under, tile)
        points = self._points_for_number(under, tile)
        return self.resources[seat] + own_back >= resources and self.points[seat] >= points

    def _resources_for_colour(self, under: Building, tile: str) -> int:
        """Another colour costs 1 resource, back to the supply (ruling G3)."""
        return 1 if under.colour != colour_of(tile) else 0

    def _points_for_number(self, under: Building, tile: str) -> int:
        """A lower number costs the difference in points (ruling G3)."""
        return max(0, number_of(under.tile) - number_of(tile))

    def _exploit(self, seat: int, card: str) -> Story:
        """A card alone: an item of choice, or what the building yields; bonuses; discarded."""
        if card in LETTERS:
            yield from self._choose_gain(seat)
        else:
            yield from self._activate(seat, self.buildings[card])
        yield from self._gain_bonuses(seat, EXPLOIT)
        self.discards.append(card)

    def _choose_gain(self, seat: int) -> Story:
        """A resource or a tile, of what the supply still has; with neither, no ply (ruling G15)."""
        answers = []
        if self.stock[seat] > 0:
            answers.append("take resource")
        if self.supply:
            answers.append("take tile")
        if answers:
            answer = yield Question(seat, "gain", frozenset(answers))
            yield from self._gain(seat, answer.removeprefix("take "), 1)

    def _urbanize(self, seat: int, letter: str, tile: str) -> Story:
        """Tile and resource, marker, adjacent buildings, bonuses, discarded (ruling G13)."""
        cell = self._put_up(seat, letter, tile)
        self.resources[seat] -= 1
        yield from self._move_markers(seat, letter, cell)
        for building in self._adjacent_buildings(cell):
            yield from self._activate(seat, building)
        yield from self._gain_bonuses(seat, URBANIZE)
        self.discards.append(letter)

    def _put_up(self, owner: int, letter: str, tile: str) -> Cell:
        """The tile replaces the marker, with 1 resource and a worker on it (GK §3)."""
        cell, _ = self.markers.pop(letter)
        self.buildings[tile] = Building(tile, cell, owner, 1, 1, worker=True)
        return cell

    def _adjacent_buildings(self, cell: Cell) -> list[Building]:
        """Those orthogonally next to the cell, north, east, south, west (ruling G13)."""
        at = {building.cell: building for building in self.buildings.values()}
        around = [beside(cell, direction) for direction in STEPS]
        return [at[near] for near in around if near in at]

    def _construct(self, seat: int, card: str, tile: str) -> Story:
        """Give back, pay, build, bonuses; last the card is kept (rulings G3, G13)."""
        under = self.buildings[card]
        self._give_back(seat, under)
        self.points[seat] -= self._points_for_number(under, tile)
        extra = self._resources_for_colour(under, tile)
        self.resources[seat] -= extra
        self.stock[seat] += extra
        built = self._build_over(seat, under, tile)
        self.resources[seat] -= built.resources
        yield from self._gain_bonuses(seat, CONSTRUCT)
        self.cards[seat].append(card)

    def _give_back(self, builder: int, under: Building) -> None:
        """Resources return to their owner; another's are worth 1 point each (ruling G3)."""
        if under.owner == NOBODY:
            return
        if self._is_hal(under.owner):
            self.stock[HAL] += under.resources
        else:
            self.resources[under.owner] += under.resources
        if under.owner != builder:
            self.points[under.owner] += under.resources

    def _build_over(self, owner: int, under: Building, tile: str) -> Building:
        """One level more, 1 resource for each level, and a worker (ruling G3)."""
        assert not under.worker, "a building with a worker cannot be built over (ruling G12)"
        levels = under.levels + 1
        del self.buildings[under.tile]
        self.covered.append(under.tile)
        built = Building(tile, under.cell, owner, levels, levels, worker=True)
        self.buildings[tile] = built
        return built

    def _is_hal(self, owner: int) -> bool:
        """Return whether the owner is the virtual player of a solo game."""
        return self.solo and owner == HAL

    # ------------------------------------------------------------ gains (GK §1, ruling G5)

    def _activate(self, seat: int, building: Building) -> Story:
        """As many of what its colour yields as it has levels (GK §1)."""
        yield from self._gain(seat, YIELD_OF_COLOUR[building.colour], building.levels)

    def _gain_bonuses(self, seat: int, action: str) -> Story:
        """Characters, then building cards, in the order they came (ruling G13)."""
        for card in [*self.characters[seat], *self.cards[seat]]:
            if bonus_action(card) == action:
                yield from self._gain_all(seat, bonus_gains(card))

    def _gain_all(self, seat: int, gains: list[Gain]) -> Story:
        """Several gains in order."""
        for kind, number in gains:
            yield from self._gain(seat, kind, number)

    def _gain(self, seat: int, kind: str, number: int) -> Story:
        """Resources and tiles as far as there are any (ruling G5)."""
        if kind == POINT:
            self.points[seat] += number
        elif kind == RESOURCE:
            taken = min(number, self.stock[seat])
            self.stock[seat] -= taken
            self.resources[seat] += taken
        else:
            for _ in range(number):
                yield from self._gain_tile(seat)

    def _gain_tile(self, seat: int) -> Story:
        """One tile; lost if there is none; the last one runs the supply out (ruling G5)."""
        if self.supply:
            self.tiles[seat].append(self.supply.pop())
            if not self.supply:
                yield from self._supply_runs_out()

    def _supply_runs_out(self) -> Story:
        """The first time tiles are returned, except in solo (rulings G5, G9)."""
        self.run_outs += 1
        if self.run_outs == 1 and not self.solo:
            yield from self._return_tiles()
            if not self.supply:
                self.run_outs += 1

    def _return_tiles(self) -> Story:
        """In passes all seats return tiles, hidden until all are done (GK §3, ruling G5)."""
        owing = self._clockwise()
        while owing:
            not_done = []
            for seat in owing:
                answer = yield Question(seat, "return", self._return_answers(seat))
                if answer != "done returning":
                    tile = answer.removeprefix("return ")
                    self.tiles[seat].remove(tile)
                    self.returning[seat].append(tile)
                    not_done.append(seat)
            owing = not_done
        self._reveal_returned_tiles()

    def _return_answers(self, seat: int) -> frozenset[str]:
        """Done, or a tile above those returned before; committed ones are not here (GK §6)."""
        highest = max([CARDS.index(tile) for tile in self.returning[seat]], default=-1)
        above = [tile for tile in self.tiles[seat] if CARDS.index(tile) > highest]
        return frozenset(["done returning", *(f"return {tile}" for tile in above)])

    def _reveal_returned_tiles(self) -> None:
        """1 point each, and all of them are the new supply (ruling G5)."""
        returned = []
        for seat in range(self.num_seats):
            self.points[seat] += len(self.returning[seat])
            returned.extend(self.returning[seat])
            self.returning[seat] = []
        if returned:
            self.supply = sorted_cards(returned)
            self.shuffle(self.supply)

    # ------------------------------------------------------------ the end (rulings G5, G6, G9)

    def _check_end(self) -> None:
        """After each action: last run-out, or all resources in the city (rulings G6, G9)."""
        if self.run_outs == (1 if self.solo else 2) or self._somebody_placed_everything():
            self.ending = True

    def _somebody_placed_everything(self) -> bool:
        """A seat, or Hal, has resources neither behind the screen nor in the supply (GK §3)."""
        left = [own + stock for own, stock in zip(self.resources, self.stock, strict=True)]
        return 0 in left

    # ------------------------------------------------------------ markers (ruling G4)

    def _city(self) -> set[Cell]:
        """All cells with a building."""
        return {building.cell for building in self.buildings.values()}

    def _occupied(self) -> set[Cell]:
        """All cells with a marker; the others are free (ruling G4)."""
        return {cell for cell, _ in self.markers.values()}

    def _move_markers(self, mover: int, letter: str, new_tile: Cell) -> Story:
        """The marker that was built on, then those shut in a hole by it (ruling G4).

        The waiting ones follow in alphabetical order onwards from the moved letter.
        """
        yield from self._place_built_on(mover, letter, new_tile)
        outside = outside_of(self._city())
        after = LETTERS.index(letter) + 1
        onwards = LETTERS[after:] + LETTERS[: after - 1]
        for shut_in in [other for other in onwards if self.markers[other][0] not in outside]:
            yield from self._place_in_order(mover, shut_in)
        self._assert_markers_in_order()

    def _place_built_on(self, mover: int, letter: str, new_tile: Cell) -> Story:
        """Case (1): a free outside cell next to the new tile, leaning on it (ruling G4)."""
        free = outside_of(self._city()) - self._occupied()
        directions = [direction for direction in STEPS if beside(new_tile, direction) in free]
        if directions:
            answers = frozenset(f"marker {direction}" for direction in directions)
            answer = yield Question(mover, "marker", answers)
            direction = answer.removeprefix("marker ")
            self.markers[letter] = (beside(new_tile, direction), OPPOSITE[direction])
        else:
            yield from self._place_in_order(mover, letter)

    def _place_in_order(self, mover: int, letter: str) -> Story:
        """Case (2), a free place between its neighbours; else case (3), a push (ruling G4)."""
        places = self._places_between_neighbours(letter)
        if places:
            answers = frozenset(f"marker place {k}" for k in range(len(places)))
            answer = yield Question(mover, "marker", answers)
            self.markers[letter] = places[int(answer.removeprefix("marker place "))]
        else:
            moves_of = self._shortest_pushes(letter)
            answer = yield Question(mover, "marker", frozenset(moves_of))
            self.markers.update(moves_of[answer])

    def _letters_on_contour(self) -> dict[Place, str]:
        """The letters by place; those shut in a hole are not on the contour (ruling G4)."""
        contour = set(contour_of(self._city()))
        return {place: other for other, place in self.markers.items() if place in contour}

    def _neighbour(self, letter: str, way: int) -> str:
        """The nearest later (clockwise) or earlier letter on the contour (ruling G4)."""
        there = set(self._letters_on_contour().values())
        at = LETTERS.index(letter)
        round_trip = [LETTERS[(at + way * far) % len(LETTERS)] for far in range(1, len(LETTERS))]
        return next(other for other in round_trip if other in there)

    def _walk_from(self, letter: str, way: int) -> list[Place]:
        """The contour from beyond the place of a letter, all round and back to it (ruling G4)."""
        contour = contour_of(self._city())[::way]
        after = contour.index(self.markers[letter]) + 1
        return contour[after:] + contour[:after]

    def _places_between_neighbours(self, letter: str) -> list[Place]:
        """Case (2), clockwise: free cells that show a side strictly between (ruling G4).

        A cell that shows several such sides is one place, leaning on the first of them.
        """
        walk = self._walk_from(self._neighbour(letter, ANTICLOCKWISE), CLOCKWISE)
        between = walk[: walk.index(self.markers[self._neighbour(letter, CLOCKWISE)])]
        taken = self._occupied()
        first_side: dict[Cell, str] = {}
        for cell, side in between:
            if cell not in taken:
                first_side.setdefault(cell, side)
        return list(first_side.items())

    def _shortest_pushes(self, letter: str) -> dict[str, dict[str, Place]]:
        """Case (3): what each direction that moves the fewest letters would do (ruling G4)."""
        moves_of = {name: self._push(letter, way) for name, way in PUSHES.items()}
        fewest = min(len(moves) for moves in moves_of.values())
        return {name: moves for name, moves in moves_of.items() if len(moves) == fewest}

    def _push(self, letter: str, way: int) -> dict[str, Place]:
        """The new places of the letter and of the run of letters it pushes on (ruling G4).

        The run ends with the first letter beyond which a free cell comes before the next one;
        it goes to the first such cell, on the side the walk in that direction meets first.
        """
        letter_at = self._letters_on_contour()
        taken = self._occupied()
        neighbour = self._neighbour(letter, way)
        run = [letter, neighbour]
        places = [self.markers[neighbour]]
        for place in self._walk_from(neighbour, way):
            if place in letter_at:
                run.append(letter_at[place])
                places.append(place)
            elif place[0] not in taken:
                places.append(place)
                break
        assert len(set(run)) == len(run) == len(places), "there is always a free cell (GK §5)"
        return dict(zip(run, places, strict=True))

    def _assert_markers_in_order(self) -> None:
        """All twelve on the contour, A to L clockwise, one in a cell (ruling G4)."""
        letter_at = self._letters_on_contour()
        met = [letter_at[place] for place in self._walk_from("L", CLOCKWISE) if place in letter_at]
        assert tuple(met) == LETTERS, met
        assert len(self._occupied()) == len(LETTERS)

    # ------------------------------------------------------------ Hal (rulings G17, G18)

    def _hal_acts(self) -> Story:
        """He draws a tile and plays his card; no tile, no action (ruling G18)."""
        card, self.hal_card = self.hal_card, None
        assert card is not None
        if not self.supply:
            self.discards.append(card)
            return
        tile = self.supply.pop()
        if not self.supply:
            yield from self._supply_runs_out()
        if self.expert and card in LETTERS:
            card = self._hal_better_card(card, self._draw())
        if not self._hal_can_pay(card):
            self.discards.append(card)
            self.ending = True
        elif card in LETTERS:
            yield from self._hal_urbanizes(card, tile)
        else:
            self._hal_constructs(card, tile)

    def _hal_better_card(self, first: str, second: str) -> str:
        """Expert: the second if it is a building or pays strictly more (ruling G18).

        The other one is discarded at once.
        """
        takes_second = second not in LETTERS or self._hal_pay(second) > self._hal_pay(first)
        self.discards.append(first if takes_second else second)
        return second if takes_second else first

    def _hal_pay(self, letter: str) -> int:
        """What urbanizing there is worth: 1 point per level next to it (ruling G18)."""
        cell, _ = self.markers[letter]
        return sum(building.levels for building in self._adjacent_buildings(cell))

    def _hal_can_pay(self, card: str) -> bool:
        """Return whether Hal can pay every level; his own come back first (ruling G18)."""
        if card in LETTERS:
            return self.stock[HAL] >= 1
        under = self.buildings[card]
        own_back = under.resources if under.owner == HAL else 0
        return self.stock[HAL] + own_back >= under.levels + 1

    def _hal_urbanizes(self, letter: str, tile: str) -> Story:
        """As a seat would, but for points only; seat 0 moves the marker (ruling G18)."""
        pay = self._hal_pay(letter)
        cell = self._put_up(HAL, letter, tile)
        self.stock[HAL] -= 1
        yield from self._move_markers(0, letter, cell)
        self.points[HAL] += pay
        self.discards.append(letter)

    def _hal_constructs(self, card: str, tile: str) -> None:
        """No extra costs and no bonuses; he keeps the card (ruling G18)."""
        under = self.buildings[card]
        self._give_back(HAL, under)
        self.stock[HAL] -= self._build_over(HAL, under, tile).resources
        self.cards[HAL].append(card)

    # ------------------------------------------------------------ final scores (GK §1, §4)

    def scores(self) -> list[int]:
        """Points, tokens, end cards and districts as they stand now; solo: Hal's second."""
        by_district = [self._district_points(district) for district in self._districts()]
        return [
            self.points[scorer]
            + self._token_points(scorer)
            + sum(self._end_points(scorer, card) for card in self.cards[scorer])
            + sum(points.get(scorer, 0) for points in by_district)
            for scorer in range(len(self.points))
        ]

    def _token_points(self, scorer: int) -> int:
        """2 points for each New hand not spent; a solo game has none (GK §3)."""
        return 0 if self.solo else POINTS_PER_TOKEN * self.tokens[scorer]

    def _end_points(self, scorer: int, card: str) -> int:
        """What one kept building card pays at the end (GK §1)."""
        colour, number = colour_of(card), number_of(card)
        owned = [building for building in self.buildings.values() if building.owner == scorer]
        in_front = self._cards_in_front(scorer)
        if (colour, number) in COLOUR_COUNTED:
            return self._colour_points(owned, COLOUR_COUNTED[colour, number])
        if number == 14:
            return POINTS_PER_LOW_BUILDING * len([b for b in owned if b.levels < TALL])
        if number == 15:
            return POINTS_PER_TALL_BUILDING * len([b for b in owned if b.levels >= TALL])
        if number in ACTION_COUNTED:
            counted = [c for c in in_front if bonus_action(c) == ACTION_COUNTED[number]]
            return POINTS_PER_CARD * len(counted)
        if number == 19:
            return POINTS_PER_CARD * len([c for c in in_front if colour_of(c) == colour])
        if number == 20:
            return POINTS_OF_TWENTY
        return 0

    def _cards_in_front(self, scorer: int) -> list[str]:
        """Characters and kept building cards (GK §1)."""
        characters = [] if self._is_hal(scorer) else self.characters[scorer]
        return [*characters, *self.cards[scorer]]

    def _colour_points(self, owned: list[Building], colour: str) -> int:
        """Cards 10 to 13: for own buildings, or levels, under that colour (GK §1)."""
        counted = [building for building in owned if building.colour == colour]
        if self.colour_per == "level":
            return self.colour_points * sum(building.levels for building in counted)
        return self.colour_points * len(counted)

    def _districts(self) -> list[list[Building]]:
        """Areas of at least 2 adjacent buildings of one top colour (ruling G10)."""
        areas = []
        seen: set[str] = set()
        for building in self.buildings.values():
            if building.tile not in seen:
                area = self._area(building)
                seen.update(member.tile for member in area)
                areas.append(area)
        return [area for area in areas if len(area) > 1]

    def _area(self, building: Building) -> list[Building]:
        """All buildings of its colour that are joined to it (ruling G10)."""
        area: list[Building] = []
        waiting = [building]
        while waiting:
            member = waiting.pop()
            if member not in area and member.colour == building.colour:
                area.append(member)
                waiting.extend(self._adjacent_buildings(member.cell))
        return area

    def _district_points(self, district: list[Building]) -> dict[int, int]:
        """First: all resources there; second: the own ones; alone: both (rulings G10, G14)."""
        owners = {building.owner for building in district} - {NOBODY}
        ranking = sorted(owners, key=lambda owner: self._rank_in(district, owner), reverse=True)
        if not ranking:
            return {}
        points = {ranking[0]: sum(building.resources for building in district)}
        second = ranking[1] if len(ranking) > 1 else ranking[0]
        points[second] = points.get(second, 0) + self._rank_in(district, second)[0]
        return points

    def _rank_in(self, district: list[Building], owner: int) -> tuple[int, int, int]:
        """Resources, then the tallest building, then the highest number of those (ruling G10)."""
        own = [building for building in district if building.owner == owner]
        tallest = max(building.levels for building in own)
        highest = max(number_of(b.tile) for b in own if b.levels == tallest)
        return sum(building.resources for building in own), tallest, highest

    def winners(self) -> set[int]:
        """Most points; equal points share the victory (rulings G7, G19)."""
        scores = self.scores()
        return {scorer for scorer, points in enumerate(scores) if points == max(scores)}

    # ------------------------------------------------------------ comparing

    def snapshot(self) -> dict[str, object]:
        """Return a copy of all that is compared."""
        return {
            "to_play": self.question.seat,
            "round": self.round,
            "first_player": self.first_player,
            "over": self.over,
            "decision": self.question.decision,
            "buildings": {
                b.tile: (*b.cell, b.owner, b.levels, b.resources, b.worker)
                for b in self.buildings.values()
            },
            "markers": {letter: (*cell, side) for letter, (cell, side) in self.markers.items()},
            "deck": list(self.deck),
            "discards": sorted_cards(self.discards),
            "hands": [sorted_cards(hand) for hand in self.hands],
            "committed": list(self.committed),
            "hal_card": self.hal_card,
            "supply": list(self.supply),
            "tiles": [sorted_cards(tiles) for tiles in self.tiles],
            "returning": [sorted_cards(tiles) for tiles in self.returning],
            "resources": list(self.resources),
            "stock": list(self.stock),
            "points": list(self.points),
            "tokens": list(self.tokens),
            "cards": [list(cards) for cards in self.cards],
            "characters": [sorted_characters(characters) for characters in self.characters],
            "run_outs": self.run_outs,
            "ending": self.ending,
        }
