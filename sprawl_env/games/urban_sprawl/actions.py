"""The action table of *Urban Sprawl* (US §9)."""

from __future__ import annotations

from typing import Final

from sprawl_env.core.actions import ActionTable
from sprawl_env.games.urban_sprawl.constants import (
    CONTRACT_SPACES,
    FAVORS,
    NUM_DECKS,
    NUM_KINDS,
    NUM_LINES,
    NUM_LOTS,
    NUM_MARKERS,
    NUM_OFFICES,
    NUM_VOCATIONS,
    NUM_ZONES,
    PLANNING_SPACES,
)

MOST_BID: Final = 16
MOST_OPTIONS: Final = 4

ACTIONS: Final = ActionTable(
    ("decline", 1, "decline or end the turn"),
    ("yes", 1, "accept or pay"),
    ("permit", NUM_KINDS, "invest, pay or discard a card of kind i (17: Urban Renewal)", "kind"),
    ("planning", PLANNING_SPACES + 1, "take the planning card at i + 1 AP (4: the top of the deck)",
     "planning"),
    ("build", CONTRACT_SPACES + NUM_DECKS + FAVORS,
     "build the contract at i + 1 AP, the top of deck i - 5, or Favor i - 8", "contract"),
    ("favor", CONTRACT_SPACES + NUM_DECKS, "take the contract at i + 1 AP or the top of deck i - 5 "
     "as a Favor"),
    ("site", NUM_LOTS, "block i // 4: a lot or building (top left, top right, bottom left, bottom "
     "right), or a footprint (2 lots: top, bottom, left, right; 3: the corner left out)", "lot"),
    ("seat", 4, "the seat i places clockwise from the one that decides", "seat"),
    ("zone", NUM_ZONES, "CIV, COM, IND or RES"),
    ("office", NUM_OFFICES, "Mayor, District Attorney, Treasurer, Police Chief, Union Boss, "
     "Contractor"),
    ("line", NUM_LINES, "the columns, the double rows, the grey spaces on top, those on the right",
     "line"),
    ("marker", NUM_MARKERS, "wealth 7 to 12, prestige 4 to 6"),
    ("vocation", NUM_VOCATIONS, "one of the vocations"),
    ("gain", 2, "wealth (0) or prestige (1)"),
    ("option", MOST_OPTIONS, "option i of the effect, or the row (0) or the column (1)"),
    ("amount", MOST_BID, "bid i + 1"),
)  # fmt: skip

# Kernels read plain integers, so the first id of each block has a name of its own.
DECLINE: Final = ACTIONS["decline"].start
YES: Final = ACTIONS["yes"].start
PERMIT: Final = ACTIONS["permit"].start
PLANNING: Final = ACTIONS["planning"].start
BUILD: Final = ACTIONS["build"].start
FAVOR: Final = ACTIONS["favor"].start
SITE: Final = ACTIONS["site"].start
SEAT_AT: Final = ACTIONS["seat"].start
ZONE: Final = ACTIONS["zone"].start
OFFICE: Final = ACTIONS["office"].start
LINE: Final = ACTIONS["line"].start
MARKER: Final = ACTIONS["marker"].start
VOCATION: Final = ACTIONS["vocation"].start
GAIN: Final = ACTIONS["gain"].start
OPTION: Final = ACTIONS["option"].start
AMOUNT: Final = ACTIONS["amount"].start
