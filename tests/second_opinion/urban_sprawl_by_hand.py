"""A slow reference of *Urban Sprawl*, written only from the rules page and the rulebook.

Plain Python on dicts, lists and strings: one small method per rule. A method cites its section of
the rules page as ``(US 6.4)`` or its ruling as ``(ruling U16)``; ``(plies)`` and ``(effects)``
stand for the page that fixes decisions, verbs and data files. It shares no code with the kernels
and is compared with them ply by ply, by action and by position.

A game is one generator, ``_story``, which runs from the claims to the end and yields at every
decision. ``play`` sends it the answer. All mutable state is in ``Table``, so that a part of the
game can be tried on a copy (ruling U21).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterable
from collections.abc import Set as AbstractSet
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Protocol

Effect = dict[str, Any]
Action = tuple[str, int]
"""A block of the action table, and the index in it (US §9)."""
Lots = tuple[int, ...]
"""The lots of a building or a footprint, in ascending order."""

# ---------------------------------------------------------------- names and numbers (US §1, §9)

ZONES = ("CIV", "COM", "IND", "RES", "PARK")
PARK = "PARK"
MEDIA = "MEDIA"
WEALTH, PRESTIGE, EITHER = "wealth", "prestige", "either"
GAINS = (WEALTH, PRESTIGE)

MAYOR, ATTORNEY, TREASURER, POLICE, BOSS = POLITICIANS = (
    "mayor",
    "attorney",
    "treasurer",
    "police",
    "boss",
)
"""The five politicians in the order of the election track (US §1)."""
CONTRACTOR = "contractor"
OFFICES = (*POLITICIANS, CONTRACTOR)
ZONE_OF_OFFICE = {ATTORNEY: "CIV", TREASURER: "COM", POLICE: "RES", BOSS: "IND"}
TIE_BREAKER = {ATTORNEY: MAYOR, TREASURER: ATTORNEY, POLICE: TREASURER, BOSS: POLICE}

TOWN, CITY, METROPOLIS = DECKS = range(3)
CARDS_IN_A_DECK = 37
SPACES = 5
PLANNING_SPACES = 4
RENEWAL = 17
FIRST_EVENT = 18
"""Kinds of planning cards: permits 0 to 16, 17 Urban Renewal; for sorting, events from 18."""

BLOCKS = range(36)
BLOCK_ROWS = BLOCK_COLUMNS = range(6)
CORNERS = range(4)
LOTS = range(144)
SIDE = 12
LINES = range(18)
COLUMN_LINES = range(6)
DOUBLE_ROW_LINES = range(6, 9)
TOP_SPACES = range(9, 12)
RIGHT_SPACES = range(12, 18)
GREY_SPACES = range(9, 18)

FOOTPRINTS: dict[int, list[Lots]] = {
    1: [(0,), (1,), (2,), (3,)],
    2: [(0, 1), (2, 3), (0, 2), (1, 3)],
    3: [(1, 2, 3), (0, 2, 3), (0, 1, 3), (0, 1, 2)],
    4: [(0, 1, 2, 3)],
}
"""By size: the corners that each footprint of a block takes, in the order of their ids (US §9)."""

TOP_OF_OPENING = 22
EVENTLESS = "the first 22 planning cards"
SPECIAL_AMONG = {"standard": range(15, 22), "long": range(18, 28), "short": range(9, 19)}
"""Where the special event may lie in a contract deck, top card 0 (US 6.1)."""

HIGHEST_BID = 16
EXTRA_FAVOR, WINS_TIES = "extra_favor", "wins_ties"
HORIZONTAL = 0


# ---------------------------------------------------------------- the grid (US §1)


def lot_at(row: int, column: int) -> int:
    """Return the lot in a row and column of the 12×12 grid."""
    return (row // 2 * 6 + column // 2) * 4 + row % 2 * 2 + column % 2


def place_of(lot: int) -> tuple[int, int]:
    """Return the row and column of a lot on the 12×12 grid."""
    block, corner = divmod(lot, 4)
    block_row, block_column = divmod(block, 6)
    return block_row * 2 + corner // 2, block_column * 2 + corner % 2


@cache
def around(lots: Lots) -> frozenset[int]:
    """Return all lots adjacent to these, across streets and diagonally too (US §1)."""
    near = set()
    for lot in lots:
        row, column = place_of(lot)
        for beside_row in range(max(0, row - 1), min(SIDE, row + 2)):
            for beside_column in range(max(0, column - 1), min(SIDE, column + 2)):
                near.add(lot_at(beside_row, beside_column))
    return frozenset(near - set(lots))


def at_water(lots: Iterable[int]) -> bool:
    """Return whether one of the lots lies on the top or right edge (US §1)."""
    return any(row == 0 or column == SIDE - 1 for row, column in map(place_of, lots))


def at_forest(lots: Iterable[int]) -> bool:
    """Return whether one of the lots lies on the bottom or left edge (US §1)."""
    return any(row == SIDE - 1 or column == 0 for row, column in map(place_of, lots))


def block_of(lots: Iterable[int]) -> int:
    """Return the one block in which these lots lie."""
    return min(lots) // 4


def footprints(size: int, block: int) -> dict[int, Lots]:
    """Return the footprints of a size in a block, by site (US §9)."""
    return {
        block * 4 + which: tuple(block * 4 + corner for corner in corners)
        for which, corners in enumerate(FOOTPRINTS[size])
    }


@cache
def all_footprints(size: int) -> dict[int, Lots]:
    """Return the footprints of a size on the whole board, by site."""
    return {site: lots for block in BLOCKS for site, lots in footprints(size, block).items()}


@cache
def blocks_of_line(line: int) -> frozenset[int]:
    """Return the 6 or 12 blocks of a printed line or of the line of a grey space (US §1)."""
    return frozenset(block for block in BLOCKS if _runs_through(line, *divmod(block, 6)))


def _runs_through(line: int, row: int, column: int) -> bool:
    """Return whether a line runs through the block in a block row and block column (US §1)."""
    if line in COLUMN_LINES:
        return column == line
    if line in DOUBLE_ROW_LINES:
        return row // 2 == line - DOUBLE_ROW_LINES[0]
    if line in TOP_SPACES:
        return column // 2 == line - TOP_SPACES[0]
    return row == line - RIGHT_SPACES[0]


def block_row(block: int) -> set[int]:
    """Return the 6 blocks of its single block row (ruling U8)."""
    return {other for other in BLOCKS if other // 6 == block // 6}


def block_column(block: int) -> set[int]:
    """Return the 6 blocks of its single block column (ruling U8)."""
    return {other for other in BLOCKS if other % 6 == block % 6}


# ---------------------------------------------------------------- cards


def kind_of(name: str) -> int:
    """Return the kind of a planning card; events follow the eighteen kinds that are held."""
    if name == "renewal":
        return RENEWAL
    word, number = name.split()
    return int(number) if word == "permit" else FIRST_EVENT + int(number)


def name_of(kind: int) -> str:
    """Return the name of a planning card that can be held."""
    return "renewal" if kind == RENEWAL else f"permit {kind}"


def is_event(name: str) -> bool:
    """Return whether a planning card is an event."""
    return kind_of(name) >= FIRST_EVENT


def sorted_planning(names: Iterable[str]) -> list[str]:
    """Return planning cards sorted: permits by kind, Urban Renewals, events by number."""
    return sorted(names, key=kind_of)


def planning_cards(planning: dict[str, Any]) -> list[str]:
    """Return the 50 cards of the opening planning deck: permits and events, sorted (US §3)."""
    permits = [
        f"permit {kind}"
        for kind, permit in enumerate(planning["permit"])
        for _ in range(permit["copies"])
    ]
    return permits + [f"event {number}" for number in range(len(planning["event"]))]


@dataclass(frozen=True)
class Card:
    """A card of a contract deck: a contract, or an event without zone."""

    name: str
    zone: str | None
    size: int
    vocations: tuple[tuple[str, int], ...]
    prestige: int
    effects: tuple[Effect, ...]
    restrictions: dict[str, Any]
    special: bool

    @property
    def is_event(self) -> bool:
        """Whether it is an event."""
        return self.zone is None


RESTRICTIONS = (
    "next_to",
    "empty_block",
    "value_at_least",
    "value_at_most",
    "highest_block",
    "ignores_zoning",
)


def contract_cards(deck: dict[str, Any]) -> list[Card]:
    """Return a contract deck: contracts, copies side by side, then events (data files)."""
    cards = []
    for row in deck["contract"]:
        restrictions = {name: row[name] for name in RESTRICTIONS if row.get(name)}
        vocations = tuple(_vocation_of(text) for text in row.get("vocations", []))
        effects = tuple(row.get("effects", []))
        contract = Card(
            row["name"],
            row["zone"],
            row["size"],
            vocations,
            row.get("prestige", 0),
            effects,
            restrictions,
            special=False,
        )
        cards += [contract] * row.get("copies", 1)
    for row in deck["event"]:
        effects = tuple(row["effects"])
        cards.append(Card(row["name"], None, 0, (), 0, effects, {}, row.get("special", False)))
    return cards


def _vocation_of(text: str) -> tuple[str, int]:
    """``"PUBLIC SERVICE-1"`` as name and number."""
    name, number = text.rsplit("-", 1)
    return name, int(number)


class Chance(Protocol):
    """The randomness of a game, supplied by the caller."""

    def opening(self) -> tuple[list[str], list[int], list[int], list[int]]:
        """Return the planning, Town, City and Metropolis decks before the deal, top first."""

    def reshuffle(self, cards: list[str]) -> list[str]:
        """Return the planning discards, given sorted, in a new order, top first."""


# ---------------------------------------------------------------- what lies on the table


@dataclass(frozen=True)
class Building:
    """A building or park; ``owner`` is the seat whose cube is on it, if any."""

    zone: str
    lots: Lots
    owner: int | None
    power: str | None = None

    @property
    def first(self) -> int:
        """The lot that identifies it."""
        return self.lots[0]

    @property
    def block(self) -> int:
        """The block it stands in."""
        return block_of(self.lots)

    @property
    def size(self) -> int:
        """The number of its lots."""
        return len(self.lots)


@dataclass
class Table:
    """The mutable state of a game."""

    wealth: list[int]
    prestige: list[int]
    hands: list[list[int]]
    favors: list[list[int]]
    vocations: list[dict[str, int]]
    supply: dict[str, int]
    tiles: dict[str, list[int]]
    planning: list[str]
    decks: list[list[int]]
    discards: list[str]
    buildings: dict[int, Building] = field(default_factory=dict)
    offices: dict[str, int | None] = field(default_factory=lambda: dict.fromkeys(OFFICES))
    in_play: set[str] = field(default_factory=lambda: {MAYOR})
    pawn: int = 0
    markers: dict[tuple[str, int], int | None] = field(default_factory=dict)
    planning_row: list[str | None] = field(default_factory=lambda: [None] * PLANNING_SPACES)
    planning_up: bool = False
    rebuilt: bool = False
    """The planning deck was, since the turn or its end began (ruling U41)."""
    contract_row: list[int | None] = field(default_factory=lambda: [None] * SPACES)
    tops_up: list[bool] = field(default_factory=lambda: [False] * len(DECKS))
    active_decks: list[bool] = field(default_factory=lambda: [True, False, False])
    turn: int = 0
    active: int = 0
    ap: int = 0
    investing: bool = False
    built: int = 0
    taken_now: list[int] = field(default_factory=list)
    this_lots: Lots = ()
    """The lots of "this building" while the effects of its contract run; it may move."""
    this_block: int | None = None
    chosen_row: int | None = None


@dataclass(frozen=True)
class Question:
    """A pending decision: its seat and the legal answers."""

    seat: int | None
    answers: frozenset[Action]


Story = Generator[Question, Action, None]
"""A part of the game that may have to ask; it is sent the answer."""
Part = Callable[[int], Story]
"""What one seat does in an effect that concerns several."""
Test = Callable[[Building], bool]
OVER = Question(None, frozenset())
DECLINE, YES = ("decline", 0), ("yes", 0)


class GameEnds(Exception):
    """Olympic Games: the game stops at once, whatever is pending (US 6.12)."""


# ---------------------------------------------------------------- the game


class UrbanSprawlByHand:
    """One game; seat 0 begins."""

    def __init__(
        self,
        num_players: int,
        board: dict[str, Any],
        planning: dict[str, Any],
        town: dict[str, Any],
        city: dict[str, Any],
        metropolis: dict[str, Any],
        length: str = "standard",
        max_turns: int = 300,
        *,
        chance: Chance,
    ) -> None:
        """Set up the board and run to the first claim (US 6.1).

        Args:
            num_players: 2 to 4 seats.
            board: The board file.
            planning: The planning deck's file.
            town: The Town deck's file.
            city: The City deck's file.
            metropolis: The Metropolis deck's file.
            length: "standard", "long" or "short".
            max_turns: After this turn the game stops (ruling U32).
            chance: The orders of the decks.
        """
        self.num_players = num_players
        self.length = length
        self.max_turns = max_turns
        self.chance = chance
        self.board = board
        self.costs = board["costs"]
        self.permits = planning["permit"]
        self.renewals = planning["renewal"]["copies"]
        self.planning_events = [tuple(row["effects"]) for row in planning["event"]]
        self.opening_cards = planning_cards(planning)
        self.cards: list[Card] = []
        for deck in (town, city, metropolis):
            cards = contract_cards(deck)
            assert len(cards) == CARDS_IN_A_DECK, f"{len(cards)} cards in a contract deck"
            assert len([card for card in cards if card.special]) == 1
            self.cards += cards
        self.vocation_names = [row["name"] for row in board["vocation"]]
        self.marker_names = [(what, number) for what in GAINS for number in board["markers"][what]]
        self.places_of_value = {row["value"]: row["places"] for row in board["payout"]}
        self.trying = False
        self.over = "no"
        self.table = self._lay_out()
        self.question = OVER
        self.story = self._story()
        self._tell_on(None)

    # ------------------------------------------------------------ actions (US §9)

    def legal(self) -> set[Action]:
        """Return the legal actions of the seat to play, empty when the game is over (US §9)."""
        return set(self.question.answers)

    @property
    def to_play(self) -> int | None:
        """The seat that has to decide; None once over."""
        return self.question.seat

    @property
    def turn(self) -> int:
        """The turn being played, from 1; 0 during the claims."""
        return self.table.turn

    def play(self, block: str, index: int) -> None:
        """Play one ply (US §9).

        Raises:
            ValueError: The action is not legal; nothing has changed.
        """
        if (block, index) not in self.question.answers:
            raise ValueError(f"{(block, index)} is not legal, only {sorted(self.legal())}")
        self._tell_on((block, index))

    def _tell_on(self, answer: Action | None) -> None:
        """Run the game to the next decision or to its end."""
        try:
            self.question = next(self.story) if answer is None else self.story.send(answer)
        except StopIteration:
            self.question = OVER

    def _ask(self, seat: int, answers: Iterable[Action]) -> Generator[Question, Action, Action]:
        """Yield one decision, also if it has one legal answer only (ruling U34)."""
        legal = frozenset(answers)
        assert legal, "a choice without candidates is not offered (ruling U34)"
        answer = yield Question(seat, legal)
        return answer

    def _ask_index(
        self, seat: int, block: str, indices: Iterable[int]
    ) -> Generator[Question, Action, int]:
        """Yield one decision within a block of the action table."""
        _, index = yield from self._ask(seat, [(block, index) for index in indices])
        return index

    def _ask_seat(self, decider: int, seats: Iterable[int]) -> Generator[Question, Action, int]:
        """Choose a seat; counted clockwise from the seat that decides (US §9)."""
        places = [(seat - decider) % self.num_players for seat in seats]
        ahead = yield from self._ask_index(decider, "seat", places)
        return (decider + ahead) % self.num_players

    def _ask_if_tied(self, decider: int, seats: list[int]) -> Generator[Question, Action, int]:
        """Choose among tied seats, if there are two or more (ruling U34)."""
        if len(seats) == 1:
            return seats[0]
        seat = yield from self._ask_seat(decider, seats)
        return seat

    # ------------------------------------------------------------ setup (US 6.1)

    def _lay_out(self) -> Table:
        """Carry out the setup before the claims; nothing triggers (US 6.1, ruling U12)."""
        order, *orders = self.chance.opening()
        planning, decks = list(order), [list(deck) for deck in orders]
        self._check_planning_deck(planning)
        for deck in DECKS:
            self._check_contract_deck(deck, decks[deck])
        setup, seats = self.board["setup"], range(self.num_players)
        table = Table(
            wealth=[setup["wealth"][self.num_players - 2] for _ in seats],
            prestige=[0 for _ in seats],
            hands=[[0] * FIRST_EVENT for _ in seats],
            favors=[[] for _ in seats],
            vocations=[dict.fromkeys(self.vocation_names, 0) for _ in seats],
            supply={row["name"]: row["markers"] for row in self.board["vocation"]},
            tiles={row["zone"]: list(row["counts"]) for row in self.board["tiles"]},
            planning=planning,
            decks=decks,
            discards=["renewal"] * self.renewals,
            markers=dict.fromkeys(self.marker_names),
        )
        for row in self.board["starting"]:
            lot = (row["row"] * 6 + row["column"]) * 4 + _corner(row["corner"])
            table.buildings[lot] = Building(row["zone"], (lot,), None)
            table.tiles[row["zone"]][0] -= 1
        for seat in seats:
            for _ in range(setup["cards"][seat]):
                table.hands[seat][kind_of(planning.pop(0))] += 1
        table.planning_row = [planning.pop(0) for _ in range(PLANNING_SPACES)]
        table.planning_up = True
        table.contract_row = [decks[TOWN].pop(0) for _ in range(SPACES)]
        table.tops_up[TOWN] = True
        return table

    def _check_planning_deck(self, order: list[str]) -> None:
        """Check 36 permits and 14 events, no event in the top 22 (US 6.1, §3)."""
        assert Counter(order) == Counter(self.opening_cards), "not the opening planning cards"
        assert not any(is_event(name) for name in order[:TOP_OF_OPENING]), EVENTLESS

    def _check_contract_deck(self, deck: int, order: list[int]) -> None:
        """Check the cards of a deck, and its special event in its own stack (US 6.1)."""
        ids = range(deck * CARDS_IN_A_DECK, (deck + 1) * CARDS_IN_A_DECK)
        assert sorted(order) == list(ids), "not the cards of that deck"
        special = next(place for place, card in enumerate(order) if self.cards[card].special)
        assert special in SPECIAL_AMONG[self.length], f"special event at place {special}"

    def _claim(self) -> Story:
        """Claim the starting buildings one by one, clockwise, each paid at its value (US 6.1)."""
        for claim in range(len(self.board["starting"])):
            seat = claim % self.num_players
            payable = [
                lot
                for lot, building in self.table.buildings.items()
                if building.owner is None and self.value(building.block) <= self.table.wealth[seat]
            ]
            lot = yield from self._ask_index(seat, "site", payable)
            self.table.wealth[seat] -= self.value(lot // 4)
            self._give_cube(self.table.buildings[lot], seat)

    def _give_media(self) -> None:
        """Give MEDIA to the richest, a tie by who has a certain RES (US 6.1, ruling U11)."""
        most = max(self.table.wealth)
        tied = [seat for seat, wealth in enumerate(self.table.wealth) if wealth == most]
        richest = self._media_of_tied(tied) if len(tied) > 1 else tied[0]
        self.table.supply[MEDIA] -= 1
        self.table.vocations[richest][MEDIA] += 1

    def _media_of_tied(self, tied: list[int]) -> int:
        """Return which of the tied seats gets MEDIA (US 6.1, rulings U11 and U42).

        The summary of the rules: whoever controls the RES of value 3, if it is tied.  The
        rulebook: whoever controls most RES of value 4.  Else the first of them in turn order.
        """
        setup = self.board["setup"]
        owners = [
            building.owner
            for building in self.table.buildings.values()
            if building.zone == "RES" and self.value(building.block) == setup["tie_value"]
        ]
        if setup.get("tie_reading", "controller") == "controller":
            (owner,) = owners
            return owner if owner in tied else tied[0]
        counts = Counter(owner for owner in owners if owner in tied)
        return max(tied, key=lambda seat: (counts[seat], -seat))

    # ------------------------------------------------------------ the course of a game (US 6.2)

    def _story(self) -> Story:
        """Claims, then turn after turn (US 6.1, 6.2, ruling U32)."""
        yield from self._claim()
        self._give_media()
        try:
            while self.over == "no":
                yield from self._turn()
                if self.table.turn >= self.max_turns:
                    self.over = "truncated"
                else:
                    self.table.active = (self.table.active + 1) % self.num_players
        except GameEnds:
            self.over = "finished"

    def _clockwise(self, first: int) -> list[int]:
        """Return all seats, clockwise from one."""
        return [(first + ahead) % self.num_players for ahead in range(self.num_players)]

    def _turn(self) -> Story:
        """Play a turn: Treasurer, investments and actions, end of turn (US 6.2, ruling U14)."""
        table = self.table
        table.turn += 1
        table.built = 0
        table.rebuilt = False
        table.taken_now = []
        table.investing = True
        self._collect()
        is_boss = table.offices[BOSS] == table.active
        table.ap = self.costs["boss_points" if is_boss else "points"]
        while True:
            block, index = yield from self._ask(table.active, self._main_answers())
            if block == "decline":
                break
            if block == "permit":
                self._invest(index)
            else:
                table.investing = False
                yield from self._act(block, index)
        table.investing = False
        table.ap = 0
        yield from self._end_of_turn()

    def _collect(self) -> None:
        """Let the Treasurer collect 2 from each opponent, or what it has (US 6.2)."""
        active = self.table.active
        if self.table.offices[TREASURER] == active:
            for seat in self._clockwise(active)[1:]:
                paid = self._lose(seat, WEALTH, self.costs["treasurer"])
                self._gain(active, WEALTH, paid)

    def _main_answers(self) -> list[Action]:
        """Return the legal investments and actions, and ending the turn (US 6.2, plies)."""
        table, active = self.table, self.table.active
        answers = [DECLINE]
        if table.investing:
            answers += [("permit", kind) for kind in range(RENEWAL) if table.hands[active][kind]]
        for space, name in enumerate(self._planning_spaces()):
            if name is not None and table.ap >= self.costs["planning"][space]:
                answers.append(("planning", space))
        for place, card in self._contracts_to_build().items():
            if table.ap >= self._contract_cost(place) and self._can_build(card):
                answers.append(("build", place))
        if len(table.favors[active]) < self._favor_slots(active):
            for place in self._available_contracts():
                if table.ap >= self._contract_cost(place):
                    answers.append(("favor", place))
        return answers

    def _planning_spaces(self) -> list[str | None]:
        """Return the face-up planning cards at 1, 2, 3, 4 AP and on the deck (US 6.2)."""
        top = self.table.planning[0] if self.table.planning_up else None
        return [*self.table.planning_row, top]

    def _available_contracts(self) -> dict[int, int]:
        """Return the contracts in the row and the face-up deck tops, by place (US 6.2)."""
        available = {s: card for s, card in enumerate(self.table.contract_row) if card is not None}
        for deck in DECKS:
            if self.table.tops_up[deck]:
                available[SPACES + deck] = self.table.decks[deck][0]
        return available

    def _contracts_to_build(self) -> dict[int, int]:
        """Return these and the seat's Favors, except those taken this turn (ruling U4)."""
        favors = {
            SPACES + len(DECKS) + slot: card
            for slot, card in enumerate(self.table.favors[self.table.active])
            if card not in self.table.taken_now
        }
        return {**self._available_contracts(), **favors}

    def _contract_cost(self, place: int) -> int:
        """Return the action points of a contract; a Favor is free (US §1)."""
        costs: list[int] = [*self.costs["contracts"], *self.costs["tops"], 0, 0]
        return costs[place]

    def _favor_slots(self, seat: int) -> int:
        """Return the number of Favor slots: 1, or 2 with the Extra Favor (US 6.2, ruling U24)."""
        return 2 if self._has_power(seat, EXTRA_FAVOR) else 1

    def _has_power(self, seat: int, power: str) -> bool:
        """Return whether the seat controls a building with this lasting effect (ruling U24)."""
        return any(building.power == power for building in self._owned_by(seat))

    def _invest(self, kind: int) -> None:
        """Discard a permit for its wealth value (US 6.2)."""
        self._discard(self.table.active, kind)
        self._gain(self.table.active, WEALTH, self.permits[kind]["wealth"])

    def _discard(self, seat: int, kind: int) -> None:
        """Move a card from a hand to the planning discards."""
        self.table.hands[seat][kind] -= 1
        self.table.discards.append(name_of(kind))

    def _act(self, block: str, index: int) -> Story:
        """Carry out an action that costs action points (US 6.2)."""
        if block == "planning":
            self.table.ap -= self.costs["planning"][index]
            self._take_planning(self.table.active, index)
            return
        card = self._take_contract(index)
        self.table.ap -= self._contract_cost(index)
        if block == "favor":
            self.table.favors[self.table.active].append(card)
            self.table.taken_now.append(card)
        else:
            yield from self._build(self.cards[card])

    def _take_planning(self, seat: int, space: int) -> None:
        """Take a planning card; the card below a deck top stays face down (US 6.2)."""
        if space == PLANNING_SPACES:
            name: str | None = self.table.planning.pop(0)
            self.table.planning_up = False
        else:
            name = self.table.planning_row[space]
            self.table.planning_row[space] = None
        assert name is not None
        self.table.hands[seat][kind_of(name)] += 1

    def _take_contract(self, place: int) -> int:
        """Remove a contract from its space, deck or slot; slot 1 moves down (US 6.2, plies)."""
        table = self.table
        card = self._contracts_to_build()[place]
        if place < SPACES:
            table.contract_row[place] = None
        elif place < SPACES + len(DECKS):
            table.decks[place - SPACES].pop(0)
            table.tops_up[place - SPACES] = False
        else:
            table.favors[table.active].remove(card)
        return card

    # ------------------------------------------------------------ lines and values (US §1)

    def number_of(self, line: int) -> tuple[str, int] | None:
        """Return currency and number of a line: printed, or of its marker (US §1)."""
        if line in COLUMN_LINES:
            return WEALTH, self.board["numbers"]["columns"][line]
        if line in DOUBLE_ROW_LINES:
            return PRESTIGE, self.board["numbers"]["double_rows"][line - DOUBLE_ROW_LINES[0]]
        standing = [marker for marker, space in self.table.markers.items() if space == line]
        return standing[0] if standing else None

    def line_of(self, what: str, number: int) -> int | None:
        """Return the line with a number, if it is on the board (US §2)."""
        return next((line for line in LINES if self.number_of(line) == (what, number)), None)

    def numbered_lines(self, block: int) -> list[int]:
        """Return the lines with a number through a block, 2 to 4 of them (ruling U22)."""
        return [
            line
            for line in LINES
            if block in blocks_of_line(line) and self.number_of(line) is not None
        ]

    def value(self, block: int) -> int:
        """Return the sum of all numbers of the lines a block lies in (US §1)."""
        numbers = [self.number_of(line) for line in self.numbered_lines(block)]
        return sum(number[1] for number in numbers if number is not None)

    def _empty_spaces(self) -> list[int]:
        """Return the grey spaces without a marker (US 6.7)."""
        return [space for space in GREY_SPACES if space not in self.table.markers.values()]

    # ------------------------------------------------------------ buildings

    def _owned_by(self, seat: int) -> list[Building]:
        """Return the buildings with a seat's cube, parks included."""
        return [building for building in self.table.buildings.values() if building.owner == seat]

    def _of_zone(self, zone: str) -> list[Building]:
        """Return the buildings of a zone, no matter who controls them."""
        return [building for building in self.table.buildings.values() if building.zone == zone]

    def _touching(self, lots: Lots, standing: Iterable[Building]) -> list[Building]:
        """Return the buildings adjacent to the lots, each once."""
        near = around(lots)
        return [building for building in standing if not near.isdisjoint(building.lots)]

    def _occupied(self) -> set[int]:
        """Return all lots with a building."""
        return {lot for building in self.table.buildings.values() for lot in building.lots}

    def _give_cube(self, building: Building, seat: int | None) -> None:
        """Put another cube, or none, on a building."""
        self.table.buildings[building.first] = replace(building, owner=seat)

    def _remove(self, building: Building) -> None:
        """Remove a building: its cube is returned, its tile leaves the game (US 6.6)."""
        del self.table.buildings[building.first]

    def _has_tile(self, zone: str, size: int) -> bool:
        """Return whether the supply has such a tile (ruling U1)."""
        return self.table.tiles[zone][size - 1] > 0

    def _put(self, zone: str, lots: Lots, owner: int | None) -> None:
        """Place a tile of the supply on the board."""
        self.table.tiles[zone][len(lots) - 1] -= 1
        self.table.buildings[lots[0]] = Building(zone, lots, owner)

    # ------------------------------------------------------------ building a contract (US 6.3)

    def _can_build(self, card_id: int) -> bool:
        """Return whether there are permits, a tile and a legal, payable footprint (U5, U15)."""
        card = self.cards[card_id]
        return self._has_permits(card) and bool(self._sites(card))

    def _has_permits(self, card: Card) -> bool:
        """Return whether the held permits for its zone reach its size (US 6.3)."""
        hand = self.table.hands[self.table.active]
        held: list[int] = [
            self.permits[kind]["permits"] * hand[kind] for kind in self._fitting(card)
        ]
        return sum(held) >= card.size

    def _fitting(self, card: Card) -> list[int]:
        """Return the held kinds of permit whose zones include the contract's (US 6.3)."""
        hand = self.table.hands[self.table.active]
        return [
            kind
            for kind in range(RENEWAL)
            if hand[kind] > 0 and card.zone in self.permits[kind]["zones"]
        ]

    def _sites(self, card: Card) -> dict[int, Lots]:
        """Return the legal footprints in blocks that the seat can pay (ruling U15)."""
        legal = self._legal_footprints(card)
        if card.restrictions.get("highest_block"):
            highest = max([self.value(block_of(lots)) for lots in legal.values()], default=0)
            legal = {s: lots for s, lots in legal.items() if self.value(block_of(lots)) == highest}
        wealth = self.table.wealth[self.table.active]
        return {s: lots for s, lots in legal.items() if self.value(block_of(lots)) <= wealth}

    def _legal_footprints(self, card: Card) -> dict[int, Lots]:
        """Return the legal footprints, without price and "highest block"."""
        assert card.zone is not None
        if not self._has_tile(card.zone, card.size):
            return {}
        return {
            site: lots
            for site, lots in all_footprints(card.size).items()
            if self._may_cover(lots) and self._may_stand(card, lots)
        }

    def _covered(self, lots: Lots) -> list[Building]:
        """Return the buildings that a footprint would cover at least in part."""
        wanted = set(lots)
        return [b for b in self.table.buildings.values() if not wanted.isdisjoint(b.lots)]

    def _may_cover(self, lots: Lots) -> bool:
        """Return whether all covered buildings are whole and may be demolished (US 6.6, U16)."""
        covered, active = self._covered(lots), self.table.active
        if not covered:
            return True
        if not all(set(building.lots) <= set(lots) for building in covered):
            return False
        contractor = self.table.offices[CONTRACTOR]
        if contractor == active:
            return True
        immune = contractor is not None and any(b.owner == contractor for b in covered)
        return self.table.hands[active][RENEWAL] > 0 and not immune

    def _may_stand(self, card: Card, lots: Lots) -> bool:
        """Check zoning and restrictions as if the demolished were gone (US 6.4, 6.6, U16)."""
        covered = self._covered(lots)
        standing = [b for b in self.table.buildings.values() if b not in covered]
        return self._is_zoned(card, lots, standing) and self._is_allowed(card, lots, standing)

    def _is_zoned(self, card: Card, lots: Lots, standing: list[Building]) -> bool:
        """Check zoning: beside another zone only if also beside its own (US 6.4)."""
        zones = {building.zone for building in self._touching(lots, standing)} - {PARK}
        return not zones or card.zone in zones or bool(card.restrictions.get("ignores_zoning"))

    def _is_allowed(self, card: Card, lots: Lots, standing: list[Building]) -> bool:
        """Return whether all restrictions of the contract are met (US 6.3, data files)."""
        block, wanted = block_of(lots), card.restrictions
        if "next_to" in wanted:
            kinds = wanted["next_to"]
            if not any(self._is_next_to(kind, lots, standing) for kind in kinds):
                return False
        if wanted.get("empty_block") and any(building.block == block for building in standing):
            return False
        if "value_at_least" in wanted and self.value(block) < wanted["value_at_least"]:
            return False
        return "value_at_most" not in wanted or self.value(block) <= int(wanted["value_at_most"])

    def _is_next_to(self, kind: str, lots: Lots, standing: list[Building]) -> bool:
        """Return whether lots touch water, forest, a park, a zone or own building (data files)."""
        if kind == "water":
            return at_water(lots)
        if kind == "forest":
            return at_forest(lots)
        touching = self._touching(lots, standing)
        if kind == "own":
            return any(building.owner == self.table.active for building in touching)
        return any(building.zone == kind.upper() for building in touching)

    def _build(self, card: Card) -> Story:
        """Build: footprint, permits, wealth, tile, bonus, vocations, effects (US 6.3, U15)."""
        assert card.zone is not None
        active = self.table.active
        sites = self._sites(card)
        site = yield from self._ask_index(active, "site", sites)
        lots = sites[site]
        covered = self._covered(lots)
        if covered and self.table.offices[CONTRACTOR] != active:
            self._discard(active, RENEWAL)
        yield from self._pay_permits(card)
        self.table.wealth[active] -= self.value(block_of(lots))
        for building in covered:
            self._remove(building)
        self._put(card.zone, lots, active)
        self._gain_bonus(self.table.buildings[lots[0]])
        self.table.this_lots, self.table.this_block = lots, block_of(lots)
        self.table.chosen_row = None
        for name, number in card.vocations:
            yield from self._take_vocation(active, name)
            yield from self._score_vocation(name, number, for_contract=True)
        yield from self._run_all(card.effects, active)
        self.table.this_lots, self.table.this_block, self.table.chosen_row = (), None, None

    def _pay_permits(self, card: Card) -> Story:
        """Pay permits one by one until they reach the size; there is no change (US 6.3)."""
        paid = 0
        while paid < card.size:
            fitting = self._fitting(card)
            kind = yield from self._ask_index(self.table.active, "permit", fitting)
            self._discard(self.table.active, kind)
            paid += self.permits[kind]["permits"]

    def _gain_bonus(self, new: Building) -> None:
        """Gain 1 prestige per neighbour of its zone; doubled for the Attorney's first (US 6.3)."""
        touching = self._touching(new.lots, self.table.buildings.values())
        bonus = len([building for building in touching if building.zone == new.zone])
        active = self.table.active
        if self.table.built == 0 and self.table.offices[ATTORNEY] == active:
            bonus *= 2
        self._gain(active, PRESTIGE, bonus)
        self.table.built += 1

    # ------------------------------------------------------------ vocations (US 6.5)

    def _take_vocation(self, seat: int, name: str) -> Story:
        """Take a marker of the supply; if it has none, maybe of an opponent (US 6.5, U17)."""
        table = self.table
        if table.supply[name] > 0:
            table.supply[name] -= 1
            table.vocations[seat][name] += 1
            return
        holders = [s for s in range(self.num_players) if s != seat and table.vocations[s][name] > 0]
        if not holders:
            return
        places = [("seat", (holder - seat) % self.num_players) for holder in holders]
        block, ahead = yield from self._ask(seat, [DECLINE, *places])
        if block == "seat":
            self.table.vocations[(seat + ahead) % self.num_players][name] -= 1
            self.table.vocations[seat][name] += 1

    def _score_vocation(self, name: str, number: int, *, for_contract: bool) -> Story:
        """Score every marker in play, clockwise from the active player (US 6.5, ruling U17)."""
        for seat in self._clockwise(self.table.active):
            for _ in range(self.table.vocations[seat][name]):
                if for_contract and self.table.offices[POLICE] == seat:
                    self._gain(seat, WEALTH, number)
                    self._gain(seat, PRESTIGE, number)
                else:
                    which = yield from self._ask_index(seat, "gain", range(len(GAINS)))
                    self._gain(seat, GAINS[which], number)

    # ------------------------------------------------------------ wealth and prestige (US 6.11)

    def _has(self, seat: int, what: str) -> int:
        """Return how much wealth or prestige a seat has."""
        return self.table.wealth[seat] if what == WEALTH else self.table.prestige[seat]

    def _gain(self, seat: int, what: str, amount: int) -> None:
        """Gain from the bank."""
        held = self.table.wealth if what == WEALTH else self.table.prestige
        held[seat] += amount

    def _lose(self, seat: int, what: str, amount: int) -> int:
        """Lose up to an amount, never below 0; return what was lost (US 6.11)."""
        lost = min(amount, self._has(seat, what))
        self._gain(seat, what, -lost)
        return lost

    def _can_pay(self, seat: int, what: str, amount: int) -> bool:
        """Return whether an optional payment can be met in full (US 6.11)."""
        return what == "none" or self._has(seat, what) >= amount

    # ------------------------------------------------------------ payouts (US §2)

    def _payout(self, line: int | None) -> None:
        """Pay a line, if its number is on the board (US §2)."""
        if line is None:
            return
        number = self.number_of(line)
        assert number is not None
        for seat, amount in enumerate(self.payout_of(line)):
            self._gain(seat, number[0], amount)

    def payout_of(self, line: int) -> list[int]:
        """Return what each seat gets for its buildings in the line (US §2, U2, U19)."""
        number = self.number_of(line)
        assert number is not None
        places = self.places_of_value[number[1]]
        blocks = blocks_of_line(line)
        counts = [
            len([building for building in self._owned_by(seat) if building.block in blocks])
            for seat in range(self.num_players)
        ]
        return [self._share(count, counts, places) for count in counts]

    def _share(self, count: int, counts: list[int], places: list[int]) -> int:
        """Return the equal part of the places that tied seats occupy, rounded down (US §2)."""
        if count == 0:
            return 0
        ahead = len([other for other in counts if other > count])
        tied = counts.count(count)
        return sum(places[ahead : ahead + tied]) // tied

    # ------------------------------------------------------------ elections (US 6.9)

    def _ballot(self) -> Story:
        """Advance the pawn; a politician not in play makes the ballot blank (US 6.9)."""
        self.table.pawn = (self.table.pawn + 1) % len(POLITICIANS)
        yield from self._elect(POLITICIANS[self.table.pawn])

    def _elect(self, office: str) -> Story:
        """Elect: winner, Mayor's park, Contractor; nothing if not in play (US 6.9, U30)."""
        if office not in self.table.in_play:
            return
        tied = self._most_votes(office)
        if tied:
            winner = yield from self._break_tie(office, tied)
            self.table.offices[office] = winner
            if office == MAYOR:
                yield from self._place_park(winner)
        yield from self._assign_contractor()

    def _most_votes(self, office: str) -> list[int]:
        """Return the seats with most vocations, or the best building of the zone (US 6.9, U6)."""
        if office == MAYOR:
            votes = [sum(held.values()) for held in self.table.vocations]
        else:
            zone = ZONE_OF_OFFICE[office]
            votes = [
                max(
                    [self.value(b.block) for b in self._owned_by(seat) if b.zone == zone], default=0
                )
                for seat in range(self.num_players)
            ]
        return _best(range(self.num_players), votes) if max(votes) > 0 else []

    def _break_tie(self, office: str, tied: list[int]) -> Generator[Question, Action, int]:
        """Break a tie: Municipal Court, most buildings of the zone, tie-breaker (US 6.9)."""
        with_court = [seat for seat in tied if self._has_power(seat, WINS_TIES)]
        if len(tied) > 1 and with_court:
            tied = with_court
        if len(tied) > 1 and office != MAYOR:
            zone = ZONE_OF_OFFICE[office]
            counts = [len([b for b in self._owned_by(s) if b.zone == zone]) for s in tied]
            tied = _best(tied, counts)
        decider = self._media_holder() if office == MAYOR else self._holder(TIE_BREAKER[office])
        winner = yield from self._ask_if_tied(self._or_active(decider), tied)
        return winner

    def _holder(self, office: str) -> int | None:
        """Return the seat that holds an office, None while it is vacant or not in play."""
        return self.table.offices[office]

    def _media_holder(self) -> int | None:
        """Return the seat that holds the MEDIA vocation."""
        holders = [s for s, held in enumerate(self.table.vocations) if held[MEDIA] > 0]
        return holders[0] if holders else None

    def _or_active(self, seat: int | None) -> int:
        """Return the tie-breaker; the active player if the office is vacant (US 6.9)."""
        return self.table.active if seat is None else seat

    def _place_park(self, mayor: int) -> Story:
        """Let the new Mayor place a 1-lot park on any empty lot (US 6.9, ruling U30)."""
        empty = set(LOTS) - self._occupied()
        if empty and self._has_tile(PARK, 1):
            lot = yield from self._ask_index(mayor, "site", empty)
            self._put(PARK, (lot,), mayor)

    def _assign_contractor(self) -> Story:
        """Give the Contractor, if in play, to the lowest prestige; tie: Union Boss (US 6.9)."""
        if CONTRACTOR in self.table.in_play:
            least = min(self.table.prestige)
            tied = [seat for seat, has in enumerate(self.table.prestige) if has == least]
            decider = self._or_active(self._holder(BOSS))
            self.table.offices[CONTRACTOR] = yield from self._ask_if_tied(decider, tied)

    # ------------------------------------------------------------ end of turn (US 6.8)

    def _end_of_turn(self) -> Story:
        """Carry out steps 1 to 8 (US 6.8)."""
        self.table.rebuilt = False
        self._slide_planning()
        yield from self._fill_planning()
        yield from self._turn_up_planning()
        self._slide_contracts()
        yield from self._fill_contracts()
        for deck in DECKS:
            yield from self._turn_up_contract(deck)

    def _slide_planning(self) -> None:
        """Step 1: slide cards towards 1 AP, a face-up deck top with them (US 6.8, U25)."""
        table = self.table
        cards = [name for name in table.planning_row if name is not None]
        if table.planning_up and len(cards) < PLANNING_SPACES:
            cards.append(table.planning.pop(0))
            table.planning_up = False
        table.planning_row = [*cards, *[None] * (PLANNING_SPACES - len(cards))]

    def _fill_planning(self) -> Story:
        """Step 2: fill the cheapest empty space first; events run and are replaced (U26)."""
        while None in self.table.planning_row and self._planning_left():
            name = self._draw_planning()
            if is_event(name):
                yield from self._planning_event(name)
            else:
                self.table.planning_row[self.table.planning_row.index(None)] = name
                yield from self._planning_revealed(name)

    def _turn_up_planning(self) -> Story:
        """Step 3: reveal the top if it is face down; events run first (US 6.8)."""
        while not self.table.planning_up and self._planning_left():
            name = self._draw_planning()
            if is_event(name):
                yield from self._planning_event(name)
            else:
                self.table.planning.insert(0, name)
                self.table.planning_up = True
                yield from self._planning_revealed(name)

    def _planning_left(self) -> bool:
        """Return whether a permit or an Urban Renewal can be drawn (rulings U28, U41)."""
        table = self.table
        to_come = table.planning + ([] if table.rebuilt else table.discards)
        return any(not is_event(name) for name in to_come)

    def _draw_planning(self) -> str:
        """Draw the top card; rebuild an empty deck from the discards first (ruling U28)."""
        table = self.table
        if not table.planning:
            assert not table.rebuilt, "rebuilt before"
            table.rebuilt = True
            cards = sorted_planning(table.discards)
            table.discards = []
            table.planning = list(cards) if self.trying else list(self.chance.reshuffle([*cards]))
            assert sorted_planning(table.planning) == cards, "not the planning discards"
        table.planning_up = False
        return table.planning.pop(0)

    def _planning_event(self, name: str) -> Story:
        """Execute a planning event, then discard it (ruling U28)."""
        effects = self.planning_events[kind_of(name) - FIRST_EVENT]
        yield from self._run_all(effects, self.table.active)
        self.table.discards.append(name)

    def _planning_revealed(self, name: str) -> Story:
        """Run the ballot, then the wealth payout; Urban Renewal has neither (US 6.8, U3)."""
        if name != "renewal":
            permit = self.permits[kind_of(name)]
            if permit["ballot"]:
                yield from self._ballot()
            self._payout(self.line_of(WEALTH, permit["wealth"]))

    def _rails(self) -> list[tuple[list[int], int]]:
        """Return the rail lines: spaces, cheapest first, and their decks (US 6.8, ruling U27).

        Spaces that nothing may move into are left out.
        """
        _, city, metropolis = self.table.active_decks
        if not city:
            return [([0, 1, 2, 3, 4], TOWN)]
        if not metropolis:
            return [([0, 1, 2, 3], CITY), ([4], TOWN)]
        rails = [([0, 1, 2], METROPOLIS)]
        if self.table.decks[CITY]:
            return [*rails, ([3], CITY), ([4], TOWN)]
        if self.table.decks[TOWN]:
            return [*rails, ([3, 4], TOWN)]
        return rails

    def _slide_contracts(self) -> None:
        """Step 4: slide each rail line towards 1 AP, the face-up top with it (US 6.8, U25)."""
        table = self.table
        for spaces, deck in self._rails():
            there = [table.contract_row[space] for space in spaces]
            cards = [card for card in there if card is not None]
            if table.tops_up[deck] and len(cards) < len(spaces):
                cards.append(table.decks[deck].pop(0))
                table.tops_up[deck] = False
            for space in spaces:
                table.contract_row[space] = cards.pop(0) if cards else None

    def _fill_contracts(self) -> Story:
        """Step 5: fill the cheapest first; look up the deck for each card (ruling U26)."""
        while True:
            empty = self._empty_and_fed()
            if not empty:
                return
            space = min(empty)
            deck = empty[space]
            seen = self.table.tops_up[deck]
            self.table.tops_up[deck] = False
            card = self.table.decks[deck].pop(0)
            if self.cards[card].is_event:
                yield from self._run_all(self.cards[card].effects, self.table.active)
            else:
                self.table.contract_row[space] = card
                if not seen:
                    self._contract_revealed(card)

    def _empty_and_fed(self) -> dict[int, int]:
        """Return the empty spaces that a deck can fill, and the deck (US 6.8, ruling U27)."""
        return {
            space: deck
            for spaces, deck in self._rails()
            for space in spaces
            if self.table.contract_row[space] is None and self.table.decks[deck]
        }

    def _turn_up_contract(self, deck: int) -> Story:
        """Steps 6, 7, 8: reveal the top of an active deck (US 6.8)."""
        table = self.table
        while table.active_decks[deck] and table.decks[deck] and not table.tops_up[deck]:
            card = table.decks[deck][0]
            if self.cards[card].is_event:
                table.decks[deck].pop(0)
                yield from self._run_all(self.cards[card].effects, table.active)
            else:
                table.tops_up[deck] = True
                self._contract_revealed(card)

    def _contract_revealed(self, card: int) -> None:
        """Pay the prestige icon of a revealed contract, if it has one (US 6.8)."""
        if self.cards[card].prestige:
            self._payout(self.line_of(PRESTIGE, self.cards[card].prestige))

    # ------------------------------------------------------------ the end (US 6.12)

    def scores(self) -> list[int]:
        """Return the scores as if the game ended now (US 6.12)."""
        return [
            self.table.prestige[seat]
            + sum(self.payout_of(line)[seat] for line in self._prestige_lines())
            + self.table.wealth[seat] // self.board["final"]["wealth_a_point"]
            + sum(self._bonus(office) for office in OFFICES if self._holder(office) == seat)
            for seat in range(self.num_players)
        ]

    def _prestige_lines(self) -> list[int]:
        """Every prestige line on the board."""
        return [line for line in LINES if (self.number_of(line) or ("none", 0))[0] == PRESTIGE]

    def _bonus(self, office: str) -> int:
        """Return the bonus: own buildings beside parks, or buildings of the zone (US 6.12)."""
        if office == CONTRACTOR:
            return 0
        if office != MAYOR:
            return len(self._of_zone(ZONE_OF_OFFICE[office]))
        mayor = self._holder(MAYOR)
        assert mayor is not None
        own = [building for building in self._owned_by(mayor) if building.zone != PARK]
        return len([building for building in own if self._touching(building.lots, self._parks())])

    def _parks(self) -> list[Building]:
        """Return the parks, no matter who controls them."""
        return self._of_zone(PARK)

    def standings(self) -> list[list[int]]:
        """Return the seats by score, then wealth; seats that share a place together."""
        keys = list(zip(self.scores(), self.table.wealth, strict=True))
        return [
            [seat for seat, own in enumerate(keys) if own == key]
            for key in sorted(set(keys), reverse=True)
        ]

    # ------------------------------------------------------------ effects: how they run

    def _run_all(self, effects: Iterable[Effect], own: int) -> Story:
        """Run effects from top to bottom, each finished before the next (effects)."""
        for effect in effects:
            yield from self._run(effect, own)

    def _run(self, effect: Effect, own: int) -> Story:
        """Run an effect: seats, zone and row chosen by its seat, then the verb (effects)."""
        verb = getattr(self, f"_do_{effect['do']}", None)
        if verb is None:
            raise ValueError(f"no verb {effect['do']!r}")
        seats = yield from self._who(effect, own)
        if not seats:
            return
        if effect.get("zones") == ["chosen"]:
            zone = yield from self._ask_index(own, "zone", range(4))
            effect = {**effect, "zones": [ZONES[zone]]}
        if effect.get("where") == "row":
            self.table.chosen_row = yield from self._ask_index(own, "option", range(2))
        yield from verb(effect, own, seats)

    def _who(self, effect: Effect, own: int) -> Generator[Question, Action, list[int]]:
        """Find the seats of an effect; none if an office is vacant (effects, step 1)."""
        if effect["do"] in ("pay", "steal"):
            who = effect.get("who", "opponents")
        else:
            who = effect.get("who", "self")
        if who in ("self", "chosen"):
            return [own]
        if who == "builder":
            return [self.table.active]
        if who in ("each", "controller"):
            return self._clockwise(self.table.active)
        if who == "opponents":
            return [seat for seat in self._clockwise(self.table.active) if seat != own]
        if who in OFFICES or who == "media":
            holder = self._media_holder() if who == "media" else self._holder(who)
            return [] if holder is None else [holder]
        extreme, what = who.split("_")
        held = [self._has(seat, what) for seat in range(self.num_players)]
        wanted = {"most": max, "least": min}[extreme](held)
        tied = [seat for seat, has in enumerate(held) if has == wanted]
        seat = yield from self._ask_if_tied(self.table.active, tied)
        return [seat]

    def _each_in_turn(self, seats: list[int], part: Part) -> Story:
        """Let several seats decide: forced ones first, then as the active player says (U21)."""
        left = [seat for seat in self._clockwise(self.table.active) if seat in seats]
        if len(left) == 1:
            yield from part(left[0])
            return
        while left:
            choices = {seat: self._choices(part, seat) for seat in left}
            left = [seat for seat in left if choices[seat] is not None]
            if not left:
                return
            forced = [seat for seat in left if choices[seat] in (0, 1)]
            if forced:
                goes = forced[0]
            else:
                goes = yield from self._ask_if_tied(self.table.active, left)
            left.remove(goes)
            yield from part(goes)

    def _choices(self, part: Part, seat: int) -> int | None:
        """Return the legal actions of the seat's first ply, tried on a copy of the table.

        0: it acts without any ply. None: it has nothing to decide and nothing to do.
        """
        table, before = self.table, self.trying
        self.table, self.trying = deepcopy(table), True
        try:
            return len(next(part(seat)).answers)
        except GameEnds:
            return 0
        except StopIteration:
            return None if self.table == table else 0
        finally:
            self.table, self.trying = table, before

    # ------------------------------------------------------------ effects: filters and targets

    def _matching(self, effect: Effect, seat: int) -> list[Building]:
        """Return the buildings that match a filter; the extreme is applied last (effects)."""
        found = [
            self.table.buildings[first]
            for first in sorted(self.table.buildings)
            if self._matches(self.table.buildings[first], effect, seat)
        ]
        if "extreme" in effect and found:
            pick = {"highest": max, "lowest": min}[effect["extreme"]]
            wanted = pick(self.value(building.block) for building in found)
            found = [building for building in found if self.value(building.block) == wanted]
        return found

    def _matches(self, building: Building, effect: Effect, seat: int) -> bool:
        """Check zone, size, owner and place (effects)."""
        zones, sizes = effect.get("zones") or ZONES, effect.get("sizes") or (1, 2, 3, 4)
        owner = effect.get("owner", "anyone")
        owned = {
            "anyone": True,
            "own": building.owner == seat,
            "others": building.owner not in (seat, None),
            "nobody": building.owner is None,
            "controlled": building.owner is not None,
        }
        fits = building.zone in zones and building.size in sizes and owned[owner]
        return fits and self._is_where(building.lots, effect)

    def _is_where(self, lots: Lots, effect: Effect) -> bool:
        """Return whether lots lie in, or touch, the place of an effect (effects)."""
        where = effect.get("where", "anywhere")
        if where == "anywhere":
            return True
        if where == "water":
            return at_water(lots)
        if where == "forest":
            return at_forest(lots)
        if where == "park":
            return bool(self._touching(lots, self._parks()))
        if where == "adjacent":
            assert self.table.this_lots, "only on contracts"
            return bool(around(self.table.this_lots) & set(lots))
        return block_of(lots) in self._blocks(where, effect)

    def _blocks(self, where: str, effect: Effect) -> AbstractSet[int]:
        """Return the blocks of a line, of this block, or of its rows (effects, rulings U8, U22)."""
        if where == "line":
            line = self.line_of(effect["what"], effect["number"])
            return set() if line is None else blocks_of_line(line)
        block = self.table.this_block
        assert block is not None, "only on contracts"
        if where == "block":
            return {block}
        if where == "rows":
            return block_row(block) | block_column(block)
        assert where in ("row", "other_row"), where
        assert self.table.chosen_row is not None, "no row was chosen"
        horizontal = (self.table.chosen_row == HORIZONTAL) == (where == "row")
        return block_row(block) if horizontal else block_column(block)

    def _target(
        self, effect: Effect, seat: int, changes: Test
    ) -> Generator[Question, Action, Building | None]:
        """Choose a building that passes the filter and would be changed (effects).

        The active player picks among several extreme ones; otherwise the seat, even if one.
        """
        candidates = {b.first: b for b in self._matching(effect, seat) if changes(b)}
        if not candidates:
            return None
        if "extreme" not in effect:
            first = yield from self._ask_index(seat, "site", candidates)
        elif len(candidates) == 1:
            first = min(candidates)
        else:
            first = yield from self._ask_index(self.table.active, "site", candidates)
        return candidates[first]

    # ------------------------------------------------------------ effects: gains and losses

    def _do_gain(self, effect: Effect, own: int, seats: list[int]) -> Story:
        """Gain a fixed amount, or per building, marker or value (effects)."""
        yield from self._gain_or_lose(effect, seats, self._part_gain)

    def _do_lose(self, effect: Effect, own: int, seats: list[int]) -> Story:
        """Lose in the same way, up to what the seat has (effects)."""
        yield from self._gain_or_lose(effect, seats, self._part_lose)

    def _gain_or_lose(
        self, effect: Effect, seats: list[int], part: Callable[[int, str, list[int]], Story]
    ) -> Story:
        """Fix the units before any is paid; plies only where there is a choice (U18, U20)."""
        if effect.get("who") == "controller":
            units = yield from self._units_of_controllers(effect)
        else:
            units = {seat: self._units(effect, seat) for seat in seats}

        def go(seat: int) -> Story:
            yield from part(seat, effect["what"], units[seat])

        if effect["what"] == EITHER:
            yield from self._each_in_turn(seats, go)
        else:
            for seat in seats:
                yield from go(seat)

    def _units(self, effect: Effect, seat: int) -> list[int]:
        """Return the amounts for which the currency is chosen one by one (effects: counts)."""
        amount, per = effect.get("amount", 1), effect.get("per")
        if per == "building":
            return [amount] * len(self._matching(effect, seat))
        if per == "vocation":
            held = self.table.vocations[seat]
            name = effect.get("vocation")
            return [amount] * (sum(held.values()) if name is None else held[name])
        if per == "value":
            assert self.table.this_block is not None, "only on contracts"
            return [amount * self.value(self.table.this_block)]
        return [amount]

    def _units_of_controllers(
        self, effect: Effect
    ) -> Generator[Question, Action, dict[int, list[int]]]:
        """One unit a matching building for its controller; one extreme only (effects)."""
        matching = self._matching(effect, self.table.active)
        if "extreme" in effect:
            controlled = yield from self._target(
                effect, self.table.active, lambda building: building.owner is not None
            )
            matching = [] if controlled is None else [controlled]
        units: dict[int, list[int]] = {seat: [] for seat in range(self.num_players)}
        for building in matching:
            if building.owner is not None:
                times = self.value(building.block) if effect.get("times_value") else 1
                units[building.owner].append(effect.get("amount", 1) * times)
        return units

    def _part_gain(self, seat: int, what: str, units: list[int]) -> Story:
        """Gain unit by unit; a unit of 0 makes no ply (effects: money)."""
        for unit in units:
            if what != EITHER:
                self._gain(seat, what, unit)
            elif unit > 0:
                which = yield from self._ask_index(seat, "gain", range(len(GAINS)))
                self._gain(seat, GAINS[which], unit)

    def _part_lose(
        self, seat: int, what: str, units: list[int], receiver: int | None = None
    ) -> Story:
        """Lose unit by unit, to the bank or to a receiver of what was paid (ruling U20)."""
        for unit in units:
            chosen = what
            if what == EITHER:
                able = self._able(seat, unit)
                if unit == 0 or not able:
                    continue
                which = yield from self._ask_index(seat, "gain", able)
                chosen = GAINS[which]
            paid = self._lose(seat, chosen, unit)
            if receiver is not None:
                self._gain(receiver, chosen, paid)

    def _able(self, seat: int, unit: int) -> list[int]:
        """Return the currencies that can be met in full, else those not at 0 (ruling U20)."""
        in_full = [which for which, what in enumerate(GAINS) if self._has(seat, what) >= unit]
        return in_full or [which for which, what in enumerate(GAINS) if self._has(seat, what) > 0]

    def _do_pay(self, effect: Effect, own: int, seats: list[int]) -> Story:
        """Let others pay per matching building of theirs; counts are fixed first (effects)."""
        matching = self._matching(effect, own)
        units = {
            seat: [effect["amount"]] * len([b for b in matching if b.owner == seat])
            for seat in seats
        }

        def go(seat: int) -> Story:
            yield from self._part_lose(seat, effect["what"], units[seat], receiver=own)

        yield from self._each_in_turn([seat for seat in seats if seat != own], go)

    def _do_steal(self, effect: Effect, own: int, seats: list[int]) -> Story:
        """Take up to the amount from the seats (effects)."""
        what = effect["what"]
        if effect.get("who") == "chosen":
            rich = [s for s in range(self.num_players) if s != own and self._has(s, what) > 0]
            if not rich:
                return
            victim = yield from self._ask_seat(own, rich)
            seats = [victim]
        for seat in seats:
            if seat != own:
                self._gain(own, what, self._lose(seat, what, effect["amount"]))

    def _do_payout(self, effect: Effect, own: int, seats: list[int]) -> Story:
        """Pay a named line, one of these rows, or the highest line (effects, ruling U22)."""
        if effect["line"] == "named":
            self._payout(self.line_of(effect["what"], effect["number"]))
        elif effect["line"] == "highest":
            numbers = [self.number_of(line) for line in LINES]
            highest = max(n[1] for n in numbers if n is not None and n[0] == effect["what"])
            self._payout(self.line_of(effect["what"], highest))
        else:
            assert self.table.this_block is not None, "only on contracts"
            lines = self.numbered_lines(self.table.this_block)
            line = yield from self._ask_index(own, "line", lines)
            self._payout(line)

    # ------------------------------------------------------------ effects: markers (US 6.7)

    def _do_new_marker(self, effect: Effect, own: int, seats: list[int]) -> Story:
        """Put a marker of the supply on an empty grey space (US 6.7)."""
        yield from self._each_in_turn(seats, lambda seat: self._part_new_marker(effect, seat))

    def _part_new_marker(self, effect: Effect, seat: int) -> Story:
        """Choose the marker, if it is chosen; then the space (effects)."""
        fitting = self._markers_that_fit(effect, on_board=False)
        which = effect.get("marker", "number")
        if which not in ("lowest", "highest", "chosen"):
            number = effect["number"] if which == "number" else which
            fitting = [marker for marker in fitting if self.marker_names[marker][1] == number]
        if not fitting or not self._empty_spaces():
            return
        if which == "chosen":
            marker = yield from self._ask_index(seat, "marker", fitting)
        else:
            by_number = sorted(fitting, key=lambda marker: self.marker_names[marker][1])
            marker = by_number[-1] if which == "highest" else by_number[0]
        yield from self._place_marker(seat, marker)

    def _markers_that_fit(self, effect: Effect, *, on_board: bool) -> list[int]:
        """Return the markers of a currency on the board, or in the supply, ascending."""
        what = effect.get("what", EITHER)
        return [
            marker
            for marker, name in enumerate(self.marker_names)
            if what in (EITHER, name[0]) and (self.table.markers[name] is not None) == on_board
        ]

    def _place_marker(self, seat: int, marker: int) -> Story:
        """Put a marker on an empty grey space; a moved one must change place (US 6.7)."""
        line = yield from self._ask_index(seat, "line", self._empty_spaces())
        self.table.markers[self.marker_names[marker]] = line

    def _do_move_marker(self, effect: Effect, own: int, seats: list[int]) -> Story:
        """Move a marker on the board to another grey space (US 6.7)."""
        yield from self._each_in_turn(seats, lambda seat: self._part_move_marker(effect, seat))

    def _part_move_marker(self, effect: Effect, seat: int) -> Story:
        """Which, then where (effects)."""
        fitting = self._markers_that_fit(effect, on_board=True)
        if fitting and self._empty_spaces():
            marker = yield from self._ask_index(seat, "marker", fitting)
            yield from self._place_marker(seat, marker)

    # ------------------------------------------------------------ effects: buildings (U23)

    def _do_place(self, effect: Effect, own: int, seats: list[int]) -> Story:
        """Place a free building or park on empty lots; zoning is ignored (ruling U23)."""
        yield from self._each_in_turn(seats, lambda seat: self._part_place(effect, seat))

    def _part_place(self, effect: Effect, seat: int) -> Story:
        """Choose the zone, if it is chosen, then the footprint; nothing without tile or room."""
        size, occupied = effect.get("size", 1), self._occupied()
        room = {
            site: lots
            for site, lots in all_footprints(size).items()
            if not set(lots) & occupied and self._is_where(lots, effect)
        }
        wanted = ZONES[:4] if effect["zone"] == "chosen" else [effect["zone"]]
        zones = [zone for zone in wanted if self._has_tile(zone, size)]
        if not room or not zones:
            return
        zone = zones[0]
        if effect["zone"] == "chosen":
            index = yield from self._ask_index(seat, "zone", map(ZONES.index, zones))
            zone = ZONES[index]
        site = yield from self._ask_index(seat, "site", room)
        self._put(zone, room[site], None if effect.get("uncontrolled") else seat)

    def _do_move(self, effect: Effect, own: int, seats: list[int]) -> Story:
        """Move a building to another footprint; it keeps its cube (ruling U23)."""
        yield from self._each_in_turn(seats, lambda seat: self._part_move(effect, seat))

    def _part_move(self, effect: Effect, seat: int) -> Story:
        """Which, then where (effects)."""
        building = yield from self._target(effect, seat, lambda b: bool(self._room_to_move(b)))
        if building is None:
            return
        room = self._room_to_move(building)
        site = yield from self._ask_index(seat, "site", room)
        self._remove(building)
        self.table.buildings[room[site][0]] = replace(building, lots=room[site])
        if building.lots == self.table.this_lots:
            self.table.this_lots = room[site]
            self.table.this_block = block_of(room[site])

    def _room_to_move(self, building: Building) -> dict[int, Lots]:
        """Return the footprints on empty or its own lots, except its place (ruling U23)."""
        taken = self._occupied() - set(building.lots)
        return {
            site: lots
            for site, lots in all_footprints(building.size).items()
            if not set(lots) & taken and lots != building.lots
        }

    def _do_demolish(self, effect: Effect, own: int, seats: list[int]) -> Story:
        """Remove a building from the board (ruling U16: no seat is immune to effects)."""

        def go(seat: int) -> Story:
            building = yield from self._target(effect, seat, lambda b: True)
            if building is not None:
                saved = yield from self._is_saved(effect, building, seat)
                if not saved:
                    self._remove(building)

        yield from self._each_in_turn(seats, go)

    def _do_uncontrol(self, effect: Effect, own: int, seats: list[int]) -> Story:
        """Remove the cube of a building (effects)."""

        def go(seat: int) -> Story:
            building = yield from self._target(effect, seat, lambda b: b.owner is not None)
            if building is not None:
                saved = yield from self._is_saved(effect, building, seat)
                if not saved:
                    self._give_cube(building, None)

        yield from self._each_in_turn(seats, go)

    def _is_saved(
        self, effect: Effect, building: Building, seat: int
    ) -> Generator[Question, Action, bool]:
        """Let the controller pay to keep a building, if it can pay in full (effects, U19).

        While the choices of ``seat`` are counted, another controller's do not count (ruling U43).
        """
        if "save_amount" not in effect or building.owner is None:
            return False
        if self.trying and building.owner != seat:
            return False
        what, amount = effect["save_what"], effect["save_amount"]
        if not self._can_pay(building.owner, what, amount):
            return False
        answer = yield from self._ask(building.owner, [YES, DECLINE])
        if answer == YES:
            self._lose(building.owner, what, amount)
        return answer == YES

    def _do_take(self, effect: Effect, own: int, seats: list[int]) -> Story:
        """Put the cube of the seat that decides on a building (effects)."""

        def go(seat: int) -> Story:
            building = yield from self._target(effect, seat, lambda b: b.owner != seat)
            if building is not None:
                self._give_cube(building, seat)

        yield from self._each_in_turn(seats, go)

    def _do_disaster(self, effect: Effect, own: int, seats: list[int]) -> Story:
        """Let each affected seat lose a building of its choice, or pay (effects)."""

        def go(seat: int) -> Story:
            hit = [b.first for b in self._matching(effect, seat) if b.owner == seat]
            if not hit:
                return
            answers: list[Action] = [("site", first) for first in hit]
            if "amount" in effect and self._can_pay(seat, effect["what"], effect["amount"]):
                answers.append(YES)
            answer = yield from self._ask(seat, answers)
            if answer == YES:
                self._lose(seat, effect["what"], effect["amount"])
            else:
                self._remove(self.table.buildings[answer[1]])

        yield from self._each_in_turn(list(range(self.num_players)), go)

    # ------------------------------------------------------------ effects: offices

    def _do_election(self, effect: Effect, own: int, seats: list[int]) -> Story:
        """Hold the election of one office, of all in track order, or of a chosen one (U30)."""
        if effect["office"] == "all":
            for office in POLITICIANS:
                yield from self._elect(office)
        elif effect["office"] == "chosen":
            yield from self._each_in_turn(seats, self._part_election)
        else:
            yield from self._elect(effect["office"])

    def _part_election(self, seat: int) -> Story:
        """Hold the election of a politician in play that the seat chooses (effects)."""
        there = [place for place, name in enumerate(POLITICIANS) if name in self.table.in_play]
        place = yield from self._ask_index(seat, "office", there)
        yield from self._elect(POLITICIANS[place])

    def _do_give(self, effect: Effect, own: int, seats: list[int]) -> Story:
        """Give an office without an election: no park, no Contractor (effects, ruling U30)."""

        def go(seat: int) -> Story:
            office = effect["office"]
            if office == "chosen":
                others = [
                    place
                    for place, name in enumerate(OFFICES)
                    if name in self.table.in_play and self.table.offices[name] != seat
                ]
                if not others:
                    return
                place = yield from self._ask_index(seat, "office", others)
                office = OFFICES[place]
            if office in self.table.in_play:
                self.table.offices[office] = seat

        yield from self._each_in_turn(seats, go)

    def _do_enter(self, effect: Effect, own: int, seats: list[int]) -> Story:
        """Bring politicians into play, or the Contractor, assigned at once (ruling U31)."""
        if effect["office"] == "politicians":
            self.table.in_play.update(POLITICIANS)
        else:
            self.table.in_play.add(CONTRACTOR)
            yield from self._assign_contractor()

    # ------------------------------------------------------------ effects: cards

    def _do_free_card(self, effect: Effect, own: int, seats: list[int]) -> Story:
        """Take a face-up planning card without action points (effects)."""

        def go(seat: int) -> Story:
            there = [s for s, name in enumerate(self._planning_spaces()) if name is not None]
            if there:
                space = yield from self._ask_index(seat, "planning", there)
                self._take_planning(seat, space)

        yield from self._each_in_turn(seats, go)

    def _do_draw(self, effect: Effect, own: int, seats: list[int]) -> Story:
        """Draw from the planning deck, clockwise; events are discarded unread (U28, U29)."""
        yield from ()
        for seat in self._clockwise(self.table.active):
            if seat in seats:
                for _ in range(effect.get("amount", 1)):
                    self._draw_for(seat)

    def _draw_for(self, seat: int) -> None:
        """Draw one permit or Urban Renewal, if one is left (rulings U28, U29)."""
        while self._planning_left():
            name = self._draw_planning()
            if not is_event(name):
                self.table.hands[seat][kind_of(name)] += 1
                return
            self.table.discards.append(name)

    def _do_discard(self, effect: Effect, own: int, seats: list[int]) -> Story:
        """Discard cards of the hand, up to the number required (effects)."""

        def go(seat: int) -> Story:
            for _ in range(effect.get("amount", 1)):
                held = [kind for kind, copies in enumerate(self.table.hands[seat]) if copies > 0]
                if held:
                    kind = yield from self._ask_index(seat, "permit", held)
                    self._discard(seat, kind)

        yield from self._each_in_turn(seats, go)

    def _do_extra_ap(self, effect: Effect, own: int, seats: list[int]) -> Story:
        """More action points this turn, at most 99 (effects)."""
        yield from ()
        self.table.ap = min(self.table.ap + effect["amount"], 99)

    # ------------------------------------------------------------ effects: vocations

    def _do_vocation(self, effect: Effect, own: int, seats: list[int]) -> Story:
        """Take a marker as for a contract, without scoring (effects)."""

        def go(seat: int) -> Story:
            name = effect["vocation"]
            if name == "chosen":
                gettable = [
                    place
                    for place, some in enumerate(self.vocation_names)
                    if self.table.supply[some] > 0 or self._somebody_has(some, but=seat)
                ]
                if not gettable:
                    return
                place = yield from self._ask_index(seat, "vocation", gettable)
                name = self.vocation_names[place]
            yield from self._take_vocation(seat, name)

        yield from self._each_in_turn(seats, go)

    def _somebody_has(self, name: str, but: int | None = None) -> bool:
        """Return whether a seat other than ``but`` holds such a marker."""
        held = [self.table.vocations[s][name] for s in range(self.num_players) if s != but]
        return any(held)

    def _do_score(self, effect: Effect, own: int, seats: list[int]) -> Story:
        """Score a vocation by an effect; the Police Chief has no privilege (ruling U17)."""
        if effect["vocation"] != "chosen":
            yield from self._score_vocation(
                effect["vocation"], effect["amount"], for_contract=False
            )
            return

        def go(seat: int) -> Story:
            held = [p for p, name in enumerate(self.vocation_names) if self._somebody_has(name)]
            if held:
                place = yield from self._ask_index(seat, "vocation", held)
                name = self.vocation_names[place]
                yield from self._score_vocation(name, effect["amount"], for_contract=False)

        yield from self._each_in_turn(seats, go)

    # ------------------------------------------------------------ effects: the rest

    def _do_lasting(self, effect: Effect, own: int, seats: list[int]) -> Story:
        """Give this building a lasting effect while it stands (ruling U24)."""
        yield from ()
        building = self.table.buildings.get(self.table.this_lots[0])
        if building is not None and building.lots == self.table.this_lots:
            self.table.buildings[building.first] = replace(building, power=effect["power"])

    def _do_optional(self, effect: Effect, own: int, seats: list[int]) -> Story:
        """Pay for ``then``, or run ``otherwise``; no choice if it cannot be paid (U34)."""
        what, amount = effect.get("what", "none"), effect.get("amount", 0)

        def go(seat: int) -> Story:
            answer = DECLINE
            if self._can_pay(seat, what, amount):
                answer = yield from self._ask(seat, [YES, DECLINE])
            if answer == YES:
                if what != "none":
                    self._lose(seat, what, amount)
                yield from self._run_all(effect.get("then", []), seat)
            else:
                yield from self._run_all(effect.get("otherwise", []), seat)

        yield from self._each_in_turn(seats, go)

    def _do_auction(self, effect: Effect, own: int, seats: list[int]) -> Story:
        """Run one round of bids from the active player's left; the highest pays (effects)."""
        highest, winner = 0, None
        first = (self.table.active + 1) % self.num_players
        for seat in self._clockwise(first):
            most = min(HIGHEST_BID, self.table.wealth[seat])
            if most <= highest:
                continue
            bids = [("amount", bid - 1) for bid in range(highest + 1, most + 1)]
            block, index = yield from self._ask(seat, [DECLINE, *bids])
            if block == "amount":
                highest, winner = index + 1, seat
        if winner is not None:
            self._lose(winner, WEALTH, highest)
            yield from self._run_all(effect["then"], winner)

    def _do_choose(self, effect: Effect, own: int, seats: list[int]) -> Story:
        """Run one of several effects for the seat that chooses (effects)."""

        def go(seat: int) -> Story:
            options = effect["options"]
            option = yield from self._ask_index(seat, "option", range(len(options)))
            yield from self._run(options[option], seat)

        yield from self._each_in_turn(seats, go)

    def _do_activate(self, effect: Effect, own: int, seats: list[int]) -> Story:
        """Activate a contract deck (US 6.10)."""
        yield from ()
        self.table.active_decks[{"city": CITY, "metropolis": METROPOLIS}[effect["deck"]]] = True

    def _do_end_game(self, effect: Effect, own: int, seats: list[int]) -> Story:
        """End the game: Olympic Games (US 6.12)."""
        yield from ()
        raise GameEnds

    # ------------------------------------------------------------ comparing

    def position(self) -> dict[str, Any]:
        """Return a copy of everything to compare: zones, kinds, markers and lines by number."""
        table = self.table
        spaces = self._planning_spaces()
        return {
            "wealth": list(table.wealth),
            "prestige": list(table.prestige),
            "hands": [list(hand) for hand in table.hands],
            "favors": [list(favors) for favors in table.favors],
            "vocations": [[held[v] for v in self.vocation_names] for held in table.vocations],
            "vocation_supply": [table.supply[name] for name in self.vocation_names],
            "offices": dict(table.offices),
            "in_play": [office for office in OFFICES if office in table.in_play],
            "pawn": table.pawn,
            "markers": {m: table.markers[name] for m, name in enumerate(self.marker_names)},
            "buildings": {
                first: (ZONES.index(b.zone), b.lots, b.owner, b.power)
                for first, b in sorted(table.buildings.items())
            },
            "tiles": [list(table.tiles[zone]) for zone in ZONES],
            "planning_row": [None if n is None else kind_of(n) for n in spaces[:PLANNING_SPACES]],
            "planning_top": kind_of(table.planning[0]) if table.planning_up else None,
            "planning_deck": list(table.planning),
            "planning_discards": sorted_planning(table.discards),
            "contract_row": list(table.contract_row),
            "decks": [list(deck) for deck in table.decks],
            "tops_up": list(table.tops_up),
            "active_decks": list(table.active_decks),
            "ap": table.ap,
            "investing": table.investing,
            "contracts_built": table.built,
            "active": table.active,
        }


def _corner(corner: str | int) -> int:
    """Return TL, TR, BL, BR as 0 to 3."""
    return corner if isinstance(corner, int) else ("TL", "TR", "BL", "BR").index(corner)


def _best(seats: Iterable[int], marks: list[int]) -> list[int]:
    """Return the seats with the highest mark."""
    return [seat for seat, mark in zip(seats, marks, strict=True) if mark == max(marks)]
