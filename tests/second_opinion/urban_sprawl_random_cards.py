"""Cards with random effects: parameters and their combinations that no packaged card has.

A packaged card uses few of the parameters that the loader accepts, so games with packaged cards
compare few of them.
"""

from sprawl_env.core.errors import DataError
from sprawl_env.games.urban_sprawl.cards import DEEPEST, EffectCompiler, check_effects
from sprawl_env.games.urban_sprawl.constants import FIRST_EVENT, MONEY, OFFICES
from sprawl_env.games.urban_sprawl.effect_verbs import ROWS, Verb, effect_row
from sprawl_env.games.urban_sprawl.vocabulary import (
    Extreme,
    Line,
    MarkerChoice,
    Owner,
    Per,
    Where,
    Who,
    words,
)
from tests.second_opinion.urban_sprawl_compare import TOML, both_dealt, kind_number
from tests.unit.games.urban_sprawl.position import SPARE, with_tables

VALUES = {
    "who": words(Who),
    "what": MONEY,
    "amount": (1, 2, 3, 9),
    "per": words(Per)[1:],
    "vocation": ("MEDIA", "FACTORY", "chosen"),
    "times_value": (True,),
    "zones": (["RES"], ["chosen"], ["COM", "PARK"]),
    "sizes": ([1], [2, 3]),
    "where": words(Where),
    "extreme": words(Extreme)[1:],
    "owner": words(Owner),
    "number": (3, 4, 6, 7),
    "line": words(Line),
    "marker": words(MarkerChoice)[:3],
    "zone": ("RES", "PARK", "chosen"),
    "size": (1, 2),
    "uncontrolled": (True,),
    "save_what": MONEY[:2],
    "save_amount": (2, 9),
    "office": (*OFFICES, "all", "chosen", "politicians"),
    "deck": ("city",),
    "power": ("extra_favor", "wins_ties"),
}
LISTS = {"then": (1, 2), "otherwise": (1, 2), "options": (2, 3)}  # effects inside, at most
GIVEN = 0.35  # how often a parameter is given that may be left out
EARLY = 0.6  # how often an event lies before the next permit in the planning deck
NEVER = {Verb.END_GAME, Verb.ACTIVATE}  # the games would be short


def parameters(row):
    """Return the parameters of a verb and whether they are required."""
    return {name: f.is_required() for name, f in row.model_fields.items() if name != "do"}


def random_effect(rng, depth=0):
    """Return an effect as in a data file, which may break a rule of the loader."""
    verb = rng.choice([verb for verb in Verb if verb not in NEVER])
    effect = {"do": verb.name.lower()}
    for name, required in parameters(ROWS[verb]).items():
        if not required and rng.random() > GIVEN:
            continue
        if name in LISTS:
            number = rng.choice(LISTS[name]) if depth < DEEPEST else 0
            effect[name] = [random_effect(rng, depth + 1) for _ in range(number)]
        else:
            effect[name] = rng.choice(VALUES[name])
    return effect


def random_effects(rng, event):
    """Return one or two effects that the loader accepts on a card."""
    while True:
        effects = [random_effect(rng) for _ in range(rng.choice((1, 1, 2)))]
        try:
            check_effects([effect_row(effect) for effect in effects], "a card", event)
        except (DataError, ValueError):
            continue
        return effects


def with_random_cards(game, rng):
    """Return a game and the reference's files; planning events and Town contracts are random."""
    planning, town = TOML["planning"], TOML["town"]
    events = [{**row, "effects": random_effects(rng, True)} for row in planning["event"]]
    contracts = [{**row, "effects": random_effects(rng, False)} for row in town["contract"]]
    files = TOML | {
        "planning": {**planning, "event": events},
        "town": {**town, "contract": contracts},
    }
    tables = game.tables.copy()
    t, compiler = tables[0], EffectCompiler(tables)
    compiler.size = SPARE
    for k, row in enumerate(events):
        effects = [effect_row(effect) for effect in row["effects"]]
        t.event_first[k], t.event_count[k] = compiler.add(effects, row["name"])
    card = 0
    for row in contracts:
        effects = [effect_row(effect) for effect in row["effects"]]
        first, count = compiler.add(effects, row["name"])
        for _ in range(row.get("copies", 1)):
            t.card_first[card], t.card_effects[card] = first, count
            card += 1
    return with_tables(game, tables), files


def dealt_with_early_events(game, files, seed, rng):
    """Deal a game and its reference with the events of the planning deck spread from the top on."""
    games, reference = both_dealt(game, seed, files)
    state, planning = games[0], reference.table.planning
    size = int(state.planning_size)
    shown, hidden = planning[: len(planning) - size], planning[len(planning) - size :]
    events = [card for card in hidden if kind_number(card) >= FIRST_EVENT]
    permits = [card for card in hidden if kind_number(card) < FIRST_EVENT]
    rng.shuffle(events)
    order = []
    while events or permits:
        early = events and (not permits or rng.random() < EARLY)
        order.append((events if early else permits).pop())
    reference.table.planning = [*shown, *order]
    state.planning_deck[:size] = [kind_number(card) for card in reversed(order)]
    state.no_events = 0
    return games, reference
