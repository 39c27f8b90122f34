"""A slow reference for *Tower Up*, written from the rules alone.

Plain Python on dicts, sets, lists and strings: one rule, one small method, each citing its
section of the rules as ``(TU §n)`` or its ruling as ``(ruling Tn)``. It shares no code
with the fast game and is compared with it ply by ply, by action name and by state.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import combinations

COLOURS = ("black", "grey", "white", "brown")
MULTICOLOUR = "multicolour"
GREY_DISTRICTS = ("grey_a", "grey_b")
NUM_OBJECTIVES_IN_PLAY = 3

NOBODY = -1
"""``to_play`` once the game is over."""
NO_CARD = -1
"""A market space whose card has been discarded and which is not refilled yet (ruling T10)."""
NO_CHIP = 0
"""The space for a chip a seat has not earned."""

Reshuffle = Callable[[list[int]], list[int]]


# ---------------------------------------------------------------- TU §1, §2, §8: the components


@dataclass(frozen=True)
class Site:
    """A building site; ``streets`` are the ids of the sites adjacent to it (TU §2)."""

    id: int
    district: str
    streets: tuple[int, ...]
    park: int | None
    lake: int | None


@dataclass(frozen=True)
class Card:
    """A reserve card (TU §8); ``steps`` is how far ``vehicle`` moves, 0 without a vehicle."""

    floors: tuple[str, ...]
    multicolour: int
    vehicle: str | None
    steps: int
    bottom: str


@dataclass(frozen=True)
class Rules:
    """The numbers of a game (TU §3, §7, §8); ``chips`` are those of one shape, by seats."""

    chips: dict[int, tuple[int, ...]]
    row_values: tuple[int, ...]
    cone_values: tuple[int, ...]
    star_columns: tuple[int, ...]
    floors_limit: int = 10
    max_turns: int = 400


# ---------------------------------------------------------------- TU §6: the ten objectives
# ``present`` is the set of sites in whose building the seat has a roof at any height.

NEEDED_BY_A_PARK = 4
NEEDED_BY_A_LAKE = 4
NEEDED_ADJACENT = 5
NEEDED_BROWN = 4
NEEDED_GREY = (2, 3)
NEEDED_BUILDINGS_AT_BORDERS = 4
NEEDED_TWICE = 2
TWICE = 2
NEEDED_HEIGHTS = {1, 2, 3, 4}


def in_every_colour(present: set[int], colour_of: dict[int, str]) -> bool:
    """Objective 1: present in all 4 building colours (TU §6)."""
    return {colour_of[site] for site in present} == set(COLOURS)


def in_four_by_a_park(present: set[int], sites: dict[int, Site]) -> bool:
    """Objective 2: in 4 different buildings by a park, any parks (TU §6, ruling T12)."""
    return len([site for site in present if sites[site].park is not None]) >= NEEDED_BY_A_PARK


def in_every_district(present: set[int], sites: dict[int, Site]) -> bool:
    """Objective 3: present in all 5 districts (TU §6)."""
    return {sites[site].district for site in present} == {s.district for s in sites.values()}


def in_four_by_a_lake(present: set[int], sites: dict[int, Site]) -> bool:
    """Objective 4: in 4 different buildings by a lake, any lakes (TU §6, ruling T12)."""
    return len([site for site in present if sites[site].lake is not None]) >= NEEDED_BY_A_LAKE


def in_five_adjacent(present: set[int], sites: dict[int, Site]) -> bool:
    """Objective 5: own buildings and their streets connect at least 5 (TU §6, ruling T5)."""
    return any(len(_flood(start, present, sites)) >= NEEDED_ADJACENT for start in present)


def _flood(start: int, present: set[int], sites: dict[int, Site]) -> set[int]:
    """Return the sites of ``present`` reachable from ``start`` within ``present``."""
    reached: set[int] = set()
    waiting = [start]
    while waiting:
        site = waiting.pop()
        if site in present and site not in reached:
            reached.add(site)
            waiting.extend(sites[site].streets)
    return reached


def in_four_brown(present: set[int], colour_of: dict[int, str]) -> bool:
    """Objective 6: in 4 different brown buildings (TU §6)."""
    return len([site for site in present if colour_of[site] == "brown"]) >= NEEDED_BROWN


def in_three_and_two_grey(present: set[int], sites: dict[int, Site]) -> bool:
    """Objective 7: in 3 buildings of one grey district, either one, and 2 of the other (TU §6)."""
    held = Counter(sites[site].district for site in present)
    fewer, more = sorted(held[district] for district in GREY_DISTRICTS)
    return fewer >= NEEDED_GREY[0] and more >= NEEDED_GREY[1]


def across_two_borders(present: set[int], sites: dict[int, Site]) -> bool:
    """Objective 8: both sides of 2 borders, no building counted twice (TU §6, ruling T6)."""
    streets = {
        frozenset((here, there))
        for here in present
        for there in sites[here].streets
        if there in present and sites[here].district != sites[there].district
    }
    return any(
        len(one | other) == NEEDED_BUILDINGS_AT_BORDERS
        and _border(one, sites) != _border(other, sites)
        for one, other in combinations(streets, 2)
    )


def _border(street: Iterable[int], sites: dict[int, Site]) -> frozenset[str]:
    """The pair of districts a street joins (TU §2)."""
    return frozenset(sites[site].district for site in street)


def twice_in_two(roofs: list[tuple[int, int]]) -> bool:
    """Objective 9: twice in each of two different buildings, any heights (TU §6)."""
    in_building = Counter(site for site, _ in roofs)
    return len([site for site, number in in_building.items() if number >= TWICE]) >= NEEDED_TWICE


def at_heights_one_to_four(roofs: list[tuple[int, int]]) -> bool:
    """Objective 10: at least once at each of the heights 1, 2, 3 and 4 (TU §6)."""
    return {height for _, height in roofs} >= NEEDED_HEIGHTS


OBJECTIVE_TESTS: dict[int, Callable[[TowerUp, int], bool]] = {
    1: lambda game, seat: in_every_colour(game.present(seat), game.colour_of),
    2: lambda game, seat: in_four_by_a_park(game.present(seat), game.sites),
    3: lambda game, seat: in_every_district(game.present(seat), game.sites),
    4: lambda game, seat: in_four_by_a_lake(game.present(seat), game.sites),
    5: lambda game, seat: in_five_adjacent(game.present(seat), game.sites),
    6: lambda game, seat: in_four_brown(game.present(seat), game.colour_of),
    7: lambda game, seat: in_three_and_two_grey(game.present(seat), game.sites),
    8: lambda game, seat: across_two_borders(game.present(seat), game.sites),
    9: lambda game, seat: twice_in_two(game.roofs[seat]),
    10: lambda game, seat: at_heights_one_to_four(game.roofs[seat]),
}


def fulfilled(number: int, game: TowerUp, seat: int) -> bool:
    """Return whether the seat's roofs meet objective ``number``, 1 to 10 (TU §6)."""
    return OBJECTIVE_TESTS[number](game, seat)


# ---------------------------------------------------------------- the game


class TowerUp:
    """One game, after the deal; seat 0 starts (ruling T9)."""

    def __init__(
        self,
        rules: Rules,
        sites: list[Site],
        cards: list[Card],
        num_seats: int,
        *,
        market: list[int],
        deck: list[int],
        discards: list[int],
        objectives: list[int],
        buildings: dict[int, str],
        supply: dict[str, int],
        reserves: list[dict[str, int]],
        roofs_left: int | list[int] = 10,
    ) -> None:
        """Lay out the dealt game (TU §3).

        Args:
            rules: The numbers of the game.
            sites: The board; every street must be listed at both of its ends.
            cards: All reserve cards; a card is its index in this list.
            num_seats: Number of seats.
            market: The card in each market space.
            deck: The face-down cards; the last one is drawn next.
            discards: The discarded cards.
            objectives: Numbers 1 to 10 of those in play, in the order of the shapes.
            buildings: The colour of each starting floor, by site; each is 1 floor high.
            supply: Floors left, by colour.
            reserves: Floors of each seat, by colour.
            roofs_left: Roofs of every seat, or a list with those of each.
        """
        seats = range(num_seats)
        self.rules = rules
        self.sites = {site.id: site for site in sites}
        self.cards = list(cards)
        self.num_seats = num_seats
        self.market = list(market)
        self.deck = list(deck)
        self.discards = list(discards)
        self.objectives = list(objectives)
        self.colour_of = dict(buildings)
        self.height_of = dict.fromkeys(buildings, 1)
        self.supply = {colour: supply.get(colour, 0) for colour in COLOURS}
        self.reserves = [{c: reserves[seat].get(c, 0) for c in COLOURS} for seat in seats]
        self.roofs_left = [roofs_left] * num_seats if isinstance(roofs_left, int) else [*roofs_left]
        self.roofs: list[list[tuple[int, int]]] = [[] for _ in seats]
        self.top_of: dict[int, int] = {}
        self.markers = [dict.fromkeys(COLOURS, 0) for _ in seats]
        self.cones = [0] * num_seats
        self.stars = [0] * num_seats
        self.chips = [[NO_CHIP] * NUM_OBJECTIVES_IN_PLAY for _ in seats]
        self.chips_left = [list(rules.chips[num_seats]) for _ in range(NUM_OBJECTIVES_IN_PLAY)]

        self.seat = 0
        self.turn = 0
        self.over = "no"
        self.decision = "turn"
        self.extra_turn = False
        self.card_taken: Card | None = None
        self.space_taken = 0
        self.substitutes_due = 0
        self.multicolour_due = 0
        self.floors_just_placed: set[int] = set()
        self.end_triggered_by: str | None = None
        self.last_turns: list[int] | None = None
        self.counted: set[int] = set()
        self._assert_streets_run_both_ways()

    def _assert_streets_run_both_ways(self) -> None:
        """A street joins two sites, so each must name the other (TU §2)."""
        for site in self.sites.values():
            assert all(site.id in self.sites[other].streets for other in site.streets), site

    # ------------------------------------------------------------ TU §9: actions

    def legal(self) -> set[str]:
        """Names of the legal actions of the seat to play; empty once over (TU §9)."""
        if self.decision == "turn":
            return self._legal_cards() | self._legal_builds()
        if self.decision == "floor":
            return {f"choose {colour}" for colour in self._colours_in_supply()}
        if self.decision == "return":
            held = self.reserves[self.seat]
            return {f"return {colour}" for colour in COLOURS if held[colour] > 0}
        if self.decision == "roof":
            return {f"roof on site {site}" for site in self.floors_just_placed}
        return set()

    def play(self, name: str, reshuffled: Reshuffle) -> None:
        """Play one ply by its name (TU §9).

        Args:
            name: One of ``legal()``.
            reshuffled: Given the discards when an empty deck must be rebuilt, returns the new
                deck, the last card drawn next; asked at most once a ply.

        Raises:
            ValueError: The action is not legal; nothing has changed.
        """
        if name not in self.legal():
            raise ValueError(f"{name!r} is not legal, only {sorted(self.legal())}")
        words = name.split()
        if words[0] == "take":
            self._take_card(int(words[2]) - 1, reshuffled)
        elif words[0] == "choose":
            self._choose_floor(words[1], reshuffled)
        elif words[0] == "return":
            self._return_floor(words[1])
        elif words[0] == "build":
            self._build(words[1], int(words[4]))
        else:
            self._place_roof(int(words[3]))

    # ------------------------------------------------------------ TU §4: take a card

    def _legal_cards(self) -> set[str]:
        """A card can always be taken, useful or not (ruling T3)."""
        return {f"take card {space + 1}" for space in range(len(self.market))}

    def _take_card(self, space: int, reshuffled: Reshuffle) -> None:
        """Discard a market card and take the floors it prints first (TU §4, ruling T10)."""
        self.space_taken = space
        self.discards.append(self.market[space])
        self.card_taken = self.cards[self.market[space]]
        self.market[space] = NO_CARD
        for colour in self.card_taken.floors:
            self._take_printed_floor(colour)
        self.multicolour_due = self.card_taken.multicolour
        self._next_floor_or_finish_card(reshuffled)

    def _take_printed_floor(self, colour: str) -> None:
        """Take a floor; without one a substitute is due and the end is triggered (TU §4)."""
        if self.supply[colour] > 0:
            self._take_floor(colour)
        else:
            self.substitutes_due += 1
            self._trigger_end("shortage")

    def _take_floor(self, colour: str) -> None:
        """One floor from the supply to the reserve."""
        self.supply[colour] -= 1
        self.reserves[self.seat][colour] += 1

    def _colours_in_supply(self) -> set[str]:
        """Return the colours of a substitute or multicolour floor (ruling T10)."""
        return {colour for colour in COLOURS if self.supply[colour] > 0}

    def _next_floor_or_finish_card(self, reshuffled: Reshuffle) -> None:
        """Ask for the next floor to choose; without supply it is lost, no ply (ruling T10)."""
        due = self.substitutes_due + self.multicolour_due
        if due and self._colours_in_supply():
            self.decision = "floor"
            return
        if due:
            self._lose_floors_due()
        self._finish_card(reshuffled)

    def _lose_floors_due(self) -> None:
        """Lose the floors due, as the supply is empty, and trigger the end (ruling T10)."""
        self.substitutes_due = 0
        self.multicolour_due = 0
        self._trigger_end("shortage")

    def _choose_floor(self, colour: str, reshuffled: Reshuffle) -> None:
        """Take a chosen floor, the substitutes before the multicolour ones (ruling T10)."""
        self._take_floor(colour)
        if self.substitutes_due:
            self.substitutes_due -= 1
        else:
            self.multicolour_due -= 1
        self._next_floor_or_finish_card(reshuffled)

    def _finish_card(self, reshuffled: Reshuffle) -> None:
        """After the floors: vehicle, refill, return of floors (ruling T10)."""
        assert self.card_taken is not None
        if self.card_taken.vehicle is not None:
            self._move_marker(self.card_taken.vehicle, self.card_taken.steps)
        self.card_taken = None
        self.market[self.space_taken] = self._draw(reshuffled)
        self._return_or_end_turn()

    def _draw(self, reshuffled: Reshuffle) -> int:
        """The next card; an empty deck is first rebuilt from the discards (ruling T2)."""
        if not self.deck:
            deck = list(reshuffled(list(self.discards)))
            assert sorted(deck) == sorted(self.discards), "the new deck must be the old discards"
            self.deck = deck
            self.discards = []
        return self.deck.pop()

    def _return_or_end_turn(self) -> None:
        """At the end of the turn nobody holds more than 10 floors (TU §4, ruling T4)."""
        if sum(self.reserves[self.seat].values()) > self.rules.floors_limit:
            self.decision = "return"
        else:
            self._end_turn()

    def _return_floor(self, colour: str) -> None:
        """One floor from the reserve back to the supply (TU §4)."""
        self.reserves[self.seat][colour] -= 1
        self.supply[colour] += 1
        self._return_or_end_turn()

    # ------------------------------------------------------------ TU §4: build

    def _legal_builds(self) -> set[str]:
        """Return every building the seat may build now (TU §4, §9)."""
        return {
            f"build {colour} on site {site}"
            for site in self.sites
            for colour in COLOURS
            if self._may_build(colour, site)
        }

    def _may_build(self, colour: str, site: int) -> bool:
        """Return whether site, price and roofs allow the building (TU §4, ruling T11)."""
        return (
            self.roofs_left[self.seat] > 0
            and self._site_takes(colour, site)
            and self._has_floors(self._price(colour, site))
        )

    def _site_takes(self, colour: str, site: int) -> bool:
        """Empty, adjacent to a building, and of another colour than all of those (TU §4)."""
        adjacent_colours = {self.colour_of[other] for other in self._adjacent_buildings(site)}
        return (
            site not in self.colour_of
            and len(adjacent_colours) > 0
            and colour not in adjacent_colours
        )

    def _adjacent_buildings(self, site: int) -> set[int]:
        """The built sites one street away (TU §2)."""
        return {other for other in self.sites[site].streets if other in self.colour_of}

    def _price(self, colour: str, site: int) -> Counter[str]:
        """The new floor, and one of its own colour for each adjacent building (TU §4)."""
        paid = [self.colour_of[other] for other in self._adjacent_buildings(site)]
        return Counter([colour, *paid])

    def _has_floors(self, price: Counter[str]) -> bool:
        """Return whether the reserve covers the whole price (TU §4)."""
        return all(self.reserves[self.seat][colour] >= price[colour] for colour in price)

    def _build(self, colour: str, site: int) -> None:
        """Build and pay; the roof is the next ply (TU §4)."""
        adjacent = self._adjacent_buildings(site)
        for spent, number in self._price(colour, site).items():
            self.reserves[self.seat][spent] -= number
        self.colour_of[site] = colour
        self.height_of[site] = 1
        for other in adjacent:
            self.height_of[other] += 1
            self.top_of.pop(other, None)
        self.floors_just_placed = {site} | adjacent
        self.decision = "roof"

    def _place_roof(self, site: int) -> None:
        """One roof on a floor just placed, then score its building's colour (TU §4)."""
        height = self.height_of[site]
        self.roofs[self.seat].append((site, height))
        self.roofs_left[self.seat] -= 1
        self.top_of[site] = self.seat
        self.floors_just_placed = set()
        if self.roofs_left[self.seat] == 0:
            self._trigger_end("last roof")
        self._move_marker(self.colour_of[site], height)
        self._take_chips()
        self._return_or_end_turn()

    def _move_marker(self, colour: str, spaces: int) -> None:
        """Forward to the end of the row at most; the rest is lost (TU §4)."""
        end_of_row = len(self.rules.row_values) - 1
        markers = self.markers[self.seat]
        markers[colour] = min(markers[colour] + spaces, end_of_row)
        self._earn_extra_turn()

    # ------------------------------------------------------------ TU §5: extra turn

    def _earn_extra_turn(self) -> None:
        """One extra turn if all four markers have reached a star column not yet used (TU §5)."""
        slowest = min(self.markers[self.seat].values())
        reached = len([column for column in self.rules.star_columns if slowest >= column])
        if reached > self.stars[self.seat]:
            self.stars[self.seat] = reached
            self.extra_turn = True

    # ------------------------------------------------------------ TU §6: objectives

    def present(self, seat: int) -> set[int]:
        """The sites in whose building the seat has a roof at any height (TU §6)."""
        return {site for site, _ in self.roofs[seat]}

    def _take_chips(self) -> None:
        """The highest chip left of each shape whose objective is newly met (ruling T13)."""
        mine = self.chips[self.seat]
        for shape, number in enumerate(self.objectives):
            if mine[shape] == NO_CHIP and fulfilled(number, self, self.seat):
                mine[shape] = max(self.chips_left[shape])
                self.chips_left[shape].remove(mine[shape])

    # ------------------------------------------------------------ TU §7: end of turn and game

    def _trigger_end(self, why: str) -> None:
        """Record the first trigger; later ones change nothing (rulings T7, T8)."""
        if self.end_triggered_by is None:
            self.end_triggered_by = why

    def _end_turn(self) -> None:
        """Check the board, then begin an extra or the next turn (TU §5, §7, rulings T16, T17)."""
        self.turn += 1
        if self._no_site_takes_a_building():
            self._trigger_end("shortage")
        extra_turn, self.extra_turn = self.extra_turn, False
        if not extra_turn:
            self._leave_seat()
        if self.over == "no" and self.turn >= self.rules.max_turns:
            self._finish("truncated")
        if self.over == "no":
            self.decision = "turn"

    def _no_site_takes_a_building(self) -> bool:
        """Return whether no empty site can take a building of any colour (ruling T14)."""
        return not any(self._site_takes(colour, s) for s in self.sites for colour in COLOURS)

    def _leave_seat(self) -> None:
        """The seat's turn and its extra turns are over: count, last turns, next seat (TU §7)."""
        if self.last_turns is not None:
            self._count_visible_roofs(self.seat)
            self.last_turns.remove(self.seat)
        elif self.end_triggered_by == "last roof":
            self._count_visible_roofs(self.seat)
            self.last_turns = self._clockwise_from_next()
        elif self.end_triggered_by == "shortage":
            self.last_turns = [*self._clockwise_from_next(), self.seat]
        if self.last_turns == []:
            self._finish("finished")
        else:
            self.seat = (self.seat + 1) % self.num_seats
            assert self.last_turns is None or self.last_turns[0] == self.seat

    def _clockwise_from_next(self) -> list[int]:
        """The other seats in the order they play (TU §7)."""
        return [(self.seat + ahead) % self.num_seats for ahead in range(1, self.num_seats)]

    def _count_visible_roofs(self, seat: int) -> None:
        """The cone moves one space per own roof on top of a building, at most 7 (TU §7a)."""
        visible = len([site for site, owner in self.top_of.items() if owner == seat])
        self.cones[seat] = min(visible, len(self.rules.cone_values) - 1)
        self.counted.add(seat)

    def _finish(self, how: str) -> None:
        """End the game; every seat that has not counted yet counts (rulings T15, T17)."""
        for seat in range(self.num_seats):
            if seat not in self.counted:
                self._count_visible_roofs(seat)
        self.over = how
        self.decision = "over"
        self.seat = NOBODY

    # ------------------------------------------------------------ TU §7: final scores

    def scores(self) -> list[int]:
        """Millions of markers, cone and chips, as they stand now (TU §7)."""
        return [self._score(seat) for seat in range(self.num_seats)]

    def _score(self, seat: int) -> int:
        """Millions of one seat (TU §7)."""
        rows = [self.rules.row_values[steps] for steps in self.markers[seat].values()]
        return sum(rows) + self.rules.cone_values[self.cones[seat]] + sum(self.chips[seat])

    def winners(self) -> set[int]:
        """Most millions, then most floors in reserve, then shared; as it stands now (TU §7)."""
        floors = [sum(reserve.values()) for reserve in self.reserves]
        ranks = list(zip(self.scores(), floors, strict=True))
        return {seat for seat, rank in enumerate(ranks) if rank == max(ranks)}

    # ------------------------------------------------------------ comparing

    def snapshot(self) -> dict[str, object]:
        """Return a copy of all that is compared; an empty market space is ``NO_CARD``."""
        return {
            "to_play": self.seat,
            "turn": self.turn,
            "over": self.over,
            "decision": self.decision,
            "market": list(self.market),
            "deck": list(self.deck),
            "discards": sorted(self.discards),
            "supply": dict(self.supply),
            "reserves": [dict(reserve) for reserve in self.reserves],
            "buildings": {s: (self.colour_of[s], self.height_of[s]) for s in self.colour_of},
            "roofs": [list(roofs) for roofs in self.roofs],
            "tops": dict(self.top_of),
            "markers": [dict(markers) for markers in self.markers],
            "cones": list(self.cones),
            "stars": list(self.stars),
            "chips": [list(chips) for chips in self.chips],
            "roofs_left": list(self.roofs_left),
        }
