"""The steps of the agenda, and the table of decisions (US §9)."""

from __future__ import annotations

from enum import IntEnum
from typing import Final, NamedTuple

NUM_DECISION_COLUMNS: Final = 40  # of an observation: room for new decisions
FIRST_AUTOMATIC: Final = NUM_DECISION_COLUMNS  # decisions have smaller numbers


class Step(IntEnum):
    """Steps of the agenda: decisions, and from FIRST_AUTOMATIC on what needs no decision.

    The number of a decision is its column in observations: it never changes, and a new decision
    takes the next one.  ``state.Entry`` has the arguments of each step, ``DECISIONS`` its answer.
    """

    CLAIM = 0
    MAIN = 1
    FOOTPRINT = 2
    PERMITS = 3
    VOCATION_FROM = 4
    MARKER_GAIN = 5
    UNIT = 6
    TARGET = 7
    SAVE = 8
    PLACE = 9
    MOVE_TO = 10
    PAID_LINE = 11
    GREY = 12
    PICK_MARKER = 13
    PICK_ROW = 14
    PICK_ZONE = 15
    PLACE_ZONE = 16
    OPTION = 17
    BID = 18
    ACCEPT = 19
    NEXT_SEAT = 20
    LEADER = 21
    VICTIM = 22
    WINNER = 23
    PICK_OFFICE = 24
    PICK_VOCATION = 25
    DISCARD = 26
    FREE_CARD = 27
    DISASTER = 28
    HEADLINE = 29
    # automatic
    BEGIN_TURN = 40
    TAKE_VOCATION = 41
    SCORE_SEATS = 42
    EFFECTS = 43
    EFFECT = 44
    EACH = 45
    ACT = 46
    NEXT_BID = 47
    ELECTION = 48
    ASSIGN = 49
    END_OF_TURN = 50
    DRAW_PLANNING = 51
    DRAW_CONTRACT = 52
    END_EVENT = 53
    PAY_WEALTH = 54


class Answer(IntEnum):
    """Where a decision is answered: each has a module or a part of ``rules/decisions.py``."""

    TURN = 0  # what a turn consists of: claims, actions, footprints, permits
    CITY = 1  # a building or a footprint
    SEAT = 2
    PICK = 3  # a line, a marker, an office, a vocation or a card
    SIMPLE = 4  # anything else


class Decision(NamedTuple):
    """What is asked for by a step.

    Attributes:
        answer: an Answer.
        words: the question, for people.
        marks: what marks its legal answers: `module.function`, or the answers.
        does: what carries out an answer.
        rule: its sections and rulings.
        arguments: those of ``state.Entry`` that any value of their kind fits (``invariants``).
    """

    answer: Answer
    words: str
    marks: str
    does: str
    rule: str
    arguments: tuple[str, ...] = ()


DECISIONS: Final = {
    Step.CLAIM: Decision(
        Answer.TURN,
        "claim a starting building",
        "`turn.mark_claims`",
        "`turn.do_claim`",
        "US 6.1",
    ),
    Step.MAIN: Decision(
        Answer.TURN,
        "invest, act or end the turn",
        "`turn.mark_main`",
        "`turn.do_main`",
        "US 6.2, U14",
    ),
    Step.FOOTPRINT: Decision(
        Answer.TURN,
        "choose where to build",
        "`build.mark_footprints`",
        "`build.do_choose_footprint`",
        "US 6.3, 6.4, 6.6",
    ),
    Step.PERMITS: Decision(
        Answer.TURN,
        "pay permits",
        "`build.mark_permits`",
        "`build.do_pay_permit`",
        "US 6.3, U15",
    ),
    Step.VOCATION_FROM: Decision(
        Answer.SEAT,
        "take a vocation from an opponent",
        "opponents with it, decline",
        "`vocations.do_take_from`",
        "US 6.5, U17",
        ("vocation",),
    ),
    Step.MARKER_GAIN: Decision(
        Answer.SIMPLE,
        "wealth or prestige for a vocation",
        "wealth, prestige",
        "`vocations.do_marker_gain`",
        "US 6.5",
    ),
    Step.UNIT: Decision(
        Answer.SIMPLE,
        "wealth or prestige",
        "`money.mark_unit`",
        "`money.do_move_unit`",
        "US §7, U20",
        ("self_seat",),
    ),
    Step.TARGET: Decision(
        Answer.CITY,
        "pick a building",
        "`targets.mark_targets`",
        "`targets.hit`",
        "US §7, U18",
        ("acting_seat",),
    ),
    Step.SAVE: Decision(
        Answer.SIMPLE,
        "pay to save a building",
        "accept, decline",
        "pay or `targets.strike`",
        "US §7, U34",
        ("lot",),
    ),
    Step.PLACE: Decision(
        Answer.CITY,
        "place a building",
        "`targets.mark_places`",
        "`targets.do_place`",
        "US §7, U23",
    ),
    Step.MOVE_TO: Decision(
        Answer.CITY,
        "choose where a building moves",
        "`targets.mark_moves`",
        "`targets.do_move`",
        "US §7, U23",
        ("lot",),
    ),
    Step.PAID_LINE: Decision(
        Answer.PICK,
        "pick a line to be paid",
        "`picks.is_paid_line`",
        "`lines.pay_line`",
        "US §7, U22",
    ),
    Step.GREY: Decision(
        Answer.PICK,
        "pick a grey space",
        "empty grey spaces",
        "`lines.do_put_marker`",
        "US 6.7",
        ("marker",),
    ),
    Step.PICK_MARKER: Decision(
        Answer.PICK,
        "pick a marker",
        "`picks.marker_fits`",
        "GREY follows",
        "US 6.7",
    ),
    Step.PICK_ROW: Decision(
        Answer.SIMPLE,
        "pick the row or the column",
        "row, column",
        "set the row of the filter",
        "US §7, U35",
    ),
    Step.PICK_ZONE: Decision(
        Answer.SIMPLE,
        "pick a zone",
        "the four zones",
        "set the zone of the filter",
        "US §7, U35",
    ),
    Step.PLACE_ZONE: Decision(
        Answer.SIMPLE,
        "pick the zone of a building",
        "`targets.has_tile`",
        "PLACE follows",
        "US §7, U1",
    ),
    Step.OPTION: Decision(
        Answer.SIMPLE,
        "choose one of several effects",
        "the options of the effect",
        "run the effect chosen",
        "US §7, U35",
    ),
    Step.BID: Decision(
        Answer.SIMPLE,
        "bid or decline",
        "higher bids, decline",
        "`offers.do_bid`",
        "US §7, U34",
        ("highest",),
    ),
    Step.ACCEPT: Decision(
        Answer.SIMPLE,
        "accept or decline",
        "accept, decline",
        "`offers.do_accept`",
        "US 6.11",
    ),
    Step.NEXT_SEAT: Decision(
        Answer.SEAT,
        "pick who decides next",
        "seats still to decide",
        "`seats.let_act`",
        "US 6.11, U21",
        ("seats",),
    ),
    Step.LEADER: Decision(
        Answer.SEAT,
        "pick among tied seats",
        "tied seats",
        "set the seat of the effect",
        "US §7",
        ("seats",),
    ),
    Step.VICTIM: Decision(
        Answer.SEAT,
        "pick an opponent",
        "seats with something to steal",
        "`money.steal`",
        "US §7",
        ("seats",),
    ),
    Step.WINNER: Decision(
        Answer.SEAT,
        "break the tie of an election",
        "tied seats",
        "`elections.do_elect`",
        "US 6.9, U7",
        ("office", "seats"),
    ),
    Step.PICK_OFFICE: Decision(
        Answer.PICK,
        "pick an office",
        "`picks.office_fits`",
        "election, or `give_office`",
        "US 6.9, U30",
    ),
    Step.PICK_VOCATION: Decision(
        Answer.PICK,
        "pick a vocation",
        "`picks.vocation_fits`",
        "`picks.pick_vocation`",
        "US 6.5",
    ),
    Step.DISCARD: Decision(
        Answer.PICK,
        "discard a planning card",
        "kinds in hand",
        "`picks.discard`",
        "US §7",
    ),
    Step.FREE_CARD: Decision(
        Answer.PICK,
        "take a planning card",
        "face-up planning cards",
        "`turn.do_take_planning`",
        "US §7",
    ),
    Step.DISASTER: Decision(
        Answer.CITY,
        "lose a building or pay",
        "`targets.mark_losses`",
        "demolish or pay",
        "US §7",
    ),
    Step.HEADLINE: Decision(
        Answer.CITY,
        "pick among the buildings of equal value",
        "`money.mark_extremes`",
        "`money.reward_building`",
        "US §7, U37",
    ),
}
ANSWER_OF: Final = tuple(  # by step
    int(DECISIONS[Step(step)].answer) if step in DECISIONS else -1
    for step in range(FIRST_AUTOMATIC)
)


class Stage(IntEnum):
    """Stages of an effect before its verb is run."""

    WHO = 0
    ASK_ZONE = 1
    ASK_ROW = 2
    VERB = 3


class EndStage(IntEnum):
    """The steps of the end of a turn (US 6.8)."""

    SLIDE_PLANNING = 1
    FILL_PLANNING = 2
    TURN_PLANNING = 3
    SLIDE_CONTRACTS = 4
    FILL_CONTRACTS = 5
    TURN_TOWN = 6
    TURN_CITY = 7
    TURN_METROPOLIS = 8
    NEXT_TURN = 9
