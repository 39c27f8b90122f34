"""How to play *Urban Sprawl*, in our own words; the rules page decides where this is short."""

from __future__ import annotations

from typing import Final

from sprawl_env.core.rules import Section

GUIDE: Final = (
    Section(
        "The aim",
        "A town grows into a metropolis. You put up buildings and are paid by the lines in which "
        "they stand. Most prestige at the end wins. Wealth is money: ten of it are one prestige at "
        "the end.",
    ),
    Section(
        "The board",
        "A block has four lots. Lots touch across streets too, and at corners. The number beside a "
        "column or row belongs to that line; markers on grey spaces add numbers. A block's value "
        "is the sum of the numbers of its lines. At the start the seats claim twelve small "
        "buildings, each for its value in wealth.",
        "board",
        shown=True,
    ),
    Section(
        "Your turn",
        "First you may invest: discard permits for the wealth on them. Then spend 6 action points "
        "(AP) in any order: take planning cards, build contracts, or keep a contract as a Favor. "
        "Then end the turn. AP left over are lost.",
        "planning",
    ),
    Section(
        "Planning cards",
        "The space says how many AP a card costs. Most are permits: a number, and the zones in "
        "which it is valid. Urban Renewal lets you build over existing buildings that are no "
        "larger than the new one.",
        "planning",
        shown=True,
    ),
    Section(
        "Contracts",
        "A contract is a building that you may build for the AP of its space. It has a size of 1 "
        "to 4 lots and a zone: civic (CIV), commercial (COM), industrial (IND) or residential "
        "(RES). Unused contracts become cheaper.",
        "contract-",
        shown=True,
    ),
    Section(
        "Decks",
        "An open top card can be used like those in the row. Town comes first. Its event Airport "
        "opens City, and the City event Sports Team opens Metropolis, with larger buildings.",
        "top-",
    ),
    Section(
        "How to build",
        "Choose a place in one block. It may touch other zones only if it also touches its own. "
        "Pay permits for its zone that add up to its size, and the block's value in wealth. You "
        "get one prestige for each building of its zone that it touches; then the card's effects "
        "follow.",
        "board",
    ),
    Section(
        "Permits and Favor",
        "Permits wait here until you use them. You may hold one Favor. To build it takes no AP, "
        "but permits and wealth as always, and not in the turn in which you took it.",
        "hand-",
    ),
    Section(
        "Vocations",
        "A contract with a vocation, such as TOURISM-3, gives you a marker of it. Then every "
        "TOURISM marker in the game, old or new, pays its owner 3, in wealth or prestige: other "
        "seats can gain too.",
        "seat-",
        shown=True,
    ),
    Section(
        "Payouts and events",
        "After a turn new cards are turned up. A permit pays the line of its wealth number, a "
        "contract the line of its prestige number. Whoever has most buildings in the line gets the "
        "number, the second about half of it. A tie shares. Events happen at once.",
        "board",
    ),
    Section(
        "Offices",
        "A permit with a ballot moves the pawn to the next office, which is elected if it is in "
        "play. The Mayor has most vocation markers; four other offices go to the most valuable "
        "building of their zone. The Contractor is the last in prestige. Each office has a power.",
        "offices",
    ),
    Section(
        "The end",
        "The Metropolis event Olympic Games stops the game. Every prestige line pays once more, "
        "and ten wealth are one prestige. The office of a zone gives one prestige for each "
        "building of that zone in the city, the Mayor's one for each own building other than a "
        "park beside a park. If prestige is equal, more wealth wins.",
        "seat-",
    ),
)
