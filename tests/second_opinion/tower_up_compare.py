"""Compares the slow reference with the kernels: same deal, same description of a position."""

import numpy as np

from sprawl_env.core.state import FINISHED, NOBODY, NOT_OVER, TRUNCATED
from sprawl_env.games.tower_up.constants import COLOURS, NO_COLOUR, NUM_ROOFS, Step
from tests.second_opinion.tower_up_by_hand import Card, Rules, Site, TowerUp
from tests.unit.games.tower_up.position import legal_names

OVER = {NOT_OVER: "no", FINISHED: "finished", TRUNCATED: "truncated"}
DECISIONS = {Step.TURN: "turn", Step.FLOOR: "floor", Step.RETURN: "return", Step.ROOF: "roof"}


def by_colour(numbers):
    return dict(zip(COLOURS, map(int, numbers), strict=True))


def cards_of(game):
    """The 44 cards from the rows of the data file, in the order of their ids."""
    return [
        Card(
            floors=tuple(floor for floor in row.floors if floor != "multicolour"),
            multicolour=row.floors.count("multicolour"),
            vehicle=row.vehicle or None,
            steps=row.steps,
            bottom=row.bottom,
        )
        for row in game.data.rows("cards", "card")
        for _ in range(row.copies)
    ]


def reference_of(game, games):
    """Return the reference in the position of a fresh deal."""
    state = games[0]
    rules = game.data.row("components", "rules")
    board = "board_2p" if game.num_seats == 2 else "board_4p"
    return TowerUp(
        Rules(
            chips={row.seats: row.values for row in game.data.rows("components", "chips")},
            row_values=game.data.row("rows", "marker").values,
            cone_values=game.data.row("rows", "cone").values,
            star_columns=game.data.row("rows", "stars").columns,
            floors_limit=rules.reserve_limit,
            max_turns=game.options["max_turns"],
        ),
        [
            Site(row.id, row.district, row.streets, row.park or None, row.lake or None)
            for row in game.data.rows(board, "site")
        ],
        cards_of(game),
        game.num_seats,
        market=state.market.tolist(),
        deck=state.deck[: state.deck_size].tolist(),
        discards=state.discards[: state.num_discards].tolist(),
        objectives=[int(number) + 1 for number in state.objective],
        buildings={
            site: COLOURS[colour]
            for site, colour in enumerate(state.colour.tolist())
            if colour != NO_COLOUR
        },
        supply=by_colour(state.supply),
        reserves=[by_colour(state.reserve[seat]) for seat in range(game.num_seats)],
    )


def snapshot_of(game, games):
    """Return the kernels' position in the form of ``TowerUp.snapshot``."""
    state = games[0]
    seats = range(game.num_seats)
    placed = [NUM_ROOFS - int(state.roofs_left[seat]) for seat in seats]
    top = state.top.tolist()
    decision = "over"
    if state.over == NOT_OVER:
        decision = DECISIONS[Step(int(state.agenda[int(state.agenda_size) - 1].step))]
    return {
        "to_play": int(state.to_play),
        "turn": int(state.turn),
        "over": OVER[int(state.over)],
        "decision": decision,
        "market": state.market.tolist(),
        "deck": state.deck[: state.deck_size].tolist(),
        "discards": sorted(state.discards[: state.num_discards].tolist()),
        "supply": by_colour(state.supply),
        "reserves": [by_colour(state.reserve[seat]) for seat in seats],
        "buildings": {
            site: (COLOURS[colour], int(state.height[site]))
            for site, colour in enumerate(state.colour.tolist())
            if colour != NO_COLOUR
        },
        "roofs": [
            list(
                zip(
                    state.roof_site[seat, : placed[seat]].tolist(),
                    state.roof_height[seat, : placed[seat]].tolist(),
                    strict=True,
                )
            )
            for seat in seats
        ],
        "tops": {site: seat for site, seat in enumerate(top) if seat != NOBODY},
        "markers": [by_colour(state.marker[seat]) for seat in seats],
        "cones": state.cone[: game.num_seats].tolist(),
        "stars": state.stars[: game.num_seats].tolist(),
        "chips": state.chip[: game.num_seats].tolist(),
        "roofs_left": state.roofs_left[: game.num_seats].tolist(),
    }


def play_both(game, games, reference, action, name):
    """Play a ply in both; the reference gets the deck that the kernels have rebuilt (T2)."""
    market = games.market[0].tolist()
    game.play(games, 0, action)

    def reshuffled(discards):
        """The new deck: what is left of it below the card just drawn into the market."""
        now = games.market[0].tolist()
        waiting = name.split()[2] if name.startswith("take") else None
        space = int(waiting) - 1 if waiting else market.index(-1)
        return [*games.deck[0, : games.deck_size[0]].tolist(), now[space]]

    reference.play(name, reshuffled)


def differences(game, games, reference):
    """Return where the two differ; empty if nowhere."""
    mine, other = snapshot_of(game, games), reference.snapshot()
    if mine["decision"] not in ("turn", "over"):  # the kernels update stars at the end of the turn
        del mine["stars"], other["stars"]
    found = {key: (mine[key], other[key]) for key in mine if mine[key] != other[key]}
    if set(mine) != set(other):
        found["fields"] = (set(mine), set(other))
    names = legal_names(game, games), reference.legal()
    if names[0] != names[1]:
        found["legal"] = (sorted(names[0] - names[1]), sorted(names[1] - names[0]))
    scores = game.scores(games, 0).tolist(), reference.scores()
    if scores[0] != scores[1]:
        found["scores"] = scores
    standings = game.standings(games, 0)
    winners = set(np.flatnonzero(standings == standings.max()).tolist()), reference.winners()
    if winners[0] != winners[1]:
        found["winners"] = winners
    return found
