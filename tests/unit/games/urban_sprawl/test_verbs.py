"""US §7: each verb has a class and a rule, and each decision about an effect has an answer."""

import pytest

from sprawl_env.games.urban_sprawl.effect_verbs import ROWS, VERBS_OF, Verb
from sprawl_env.games.urban_sprawl.render_cards import effect_words
from sprawl_env.games.urban_sprawl.state import Entry
from sprawl_env.games.urban_sprawl.steps import (
    ANSWER_OF,
    DECISIONS,
    FIRST_AUTOMATIC,
    NUM_DECISION_COLUMNS,
    Step,
)
from sprawl_env.games.urban_sprawl.vocabulary import NUM_VERB_COLUMNS
from tests.unit.games.urban_sprawl.position import SPARE, is_done, position, run, with_effects

CITY = {"A1 TL": ("RES", 0), "C3 TL": ("COM", 1), "E5 TL": ("IND", 1), "F6 TL": ("CIV", None)}
DRAWN = {
    "buildings": CITY,
    "built": "A1 TL",
    "planning": (4, 5, 6, 11, 1),
    "hands": ({0: 1, 8: 1}, {9: 1}),
    "vocations": {0: {"ENERGY": 1}, 1: {"FINANCE": 1}},
    "offices": {"mayor": 1},
    "markers": {"wealth 7": "grey AB"},
    "active_decks": ("town",),
}
GAIN = {"do": "gain", "what": "wealth", "amount": 1}
EXAMPLES = {  # an effect of each verb that changes something or asks for a decision
    Verb.GAIN: GAIN,
    Verb.LOSE: {"do": "lose", "what": "wealth", "amount": 1},
    Verb.PAY: {"do": "pay", "what": "wealth", "amount": 1},
    Verb.STEAL: {"do": "steal", "what": "wealth", "amount": 1},
    Verb.PAYOUT: {"do": "payout", "line": "row"},
    Verb.NEW_MARKER: {"do": "new_marker", "marker": "chosen"},
    Verb.MOVE_MARKER: {"do": "move_marker"},
    Verb.PLACE: {"do": "place", "zone": "PARK", "size": 1},
    Verb.MOVE: {"do": "move"},
    Verb.DEMOLISH: {"do": "demolish"},
    Verb.UNCONTROL: {"do": "uncontrol"},
    Verb.TAKE: {"do": "take"},
    Verb.DISASTER: {"do": "disaster", "what": "wealth", "amount": 1},
    Verb.ELECTION: {"do": "election", "office": "chosen"},
    Verb.GIVE: {"do": "give", "office": "chosen"},
    Verb.FREE_CARD: {"do": "free_card"},
    Verb.DRAW: {"do": "draw", "amount": 1},
    Verb.DISCARD: {"do": "discard", "amount": 1},
    Verb.EXTRA_AP: {"do": "extra_ap", "amount": 1},
    Verb.VOCATION: {"do": "vocation", "vocation": "chosen"},
    Verb.SCORE: {"do": "score", "vocation": "ENERGY", "amount": 1},
    Verb.LASTING: {"do": "lasting", "power": "wins_ties"},
    Verb.OPTIONAL: {"do": "optional", "then": [GAIN]},
    Verb.AUCTION: {"do": "auction", "then": [GAIN]},
    Verb.CHOOSE: {"do": "choose", "options": [GAIN, GAIN]},
    Verb.ENTER: {"do": "enter", "office": "contractor"},
    Verb.ACTIVATE: {"do": "activate", "deck": "city"},
    Verb.END_GAME: {"do": "end_game"},
}


def effect(verb):
    """Return the example of a verb with lists as tuples, as the loader reads them."""
    return {k: tuple(v) if isinstance(v, list) else v for k, v in EXAMPLES[verb].items()}


def test_every_verb_has_a_class_and_a_column_of_its_own():
    assert set(ROWS) == set(Verb)
    assert set(EXAMPLES) == set(Verb), "each verb needs an example in this test"
    assert max(Verb) < NUM_VERB_COLUMNS


@pytest.mark.parametrize("verb", Verb, ids=lambda verb: verb.name.lower())
def test_every_verb_does_something_and_has_words(verb):
    _, before = position(**DRAWN)
    game, after = run(effect(verb), **DRAWN)
    changed = any(
        after[name].tolist() != before[name].tolist()
        for name in after.dtype.names
        if name not in {"agenda", "agenda_size", "investing"}
    )
    assert changed or not is_done(after)
    assert effect_words(game.tables[0], SPARE)


def test_every_decision_about_an_effect_is_a_decision_with_an_answer():
    assert set(VERBS_OF) <= set(DECISIONS)
    assert {step for step in Step if step < FIRST_AUTOMATIC} == set(DECISIONS)
    assert len(ANSWER_OF) == NUM_DECISION_COLUMNS
    for step, decision in DECISIONS.items():
        assert ANSWER_OF[step] == decision.answer
        assert all(hasattr(Entry, name) for name in decision.arguments)


def test_a_verb_shows_in_the_column_of_its_number():
    game, first = with_effects(position(**DRAWN)[0], [effect(Verb.LASTING)])
    assert game.tables[0].effects[first].verb == Verb.LASTING == 21
    assert game.observation_layout["verb"].shape == (NUM_VERB_COLUMNS,)
