"""experiments/anatomy.py: the rows agree with the games."""

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("tyro")
pytest.importorskip("rich")

import sprawl_env
from experiments.anatomy import dissect, read
from sprawl_env import replays
from sprawl_env.core.errors import PositionError
from sprawl_env.games.ginkgopolis.rules.scoring import points_of
from sprawl_env.games.urban_sprawl.constants import DECKS, NUM_OFFICES, OFFICES

REPLAYS = Path(__file__).parents[2] / "golden" / "replays"
SPRAWL = ("urban_sprawl/2-seats.jsonl", "urban_sprawl/4-seats-short.jsonl")
GINKGO = ("ginkgopolis/2-seats.jsonl", "ginkgopolis/4-seats.jsonl", "ginkgopolis/solo.jsonl")


def last(one):
    """Return a game's last position."""
    *_, (_, games) = replays.steps(one)
    return games


@pytest.fixture(scope="module", params=(*SPRAWL, *GINKGO, "tower_up/3-seats-start.jsonl"))
def dissected(request):
    (one,) = read(REPLAYS / request.param)
    return one, dissect([one])


@pytest.mark.compiled
def test_sides_have_the_final_scores_and_share_one_victory(dissected):
    one, found = dissected
    game = one.game()
    assert [side.score for side in found.sides] == list(one.scores)
    assert [side.seat for side in found.sides] == list(range(game.num_sides))
    assert sum(side.share for side in found.sides) == pytest.approx(1)
    assert sum(side.margin for side in found.sides) == pytest.approx(0)
    best = max(found.sides, key=lambda side: side.share)
    assert best.score == max(one.scores)
    if game.num_seats == 1:
        assert [side.bot for side in found.sides] == ["seat 0", "automaton"]


@pytest.mark.compiled
def test_decisions_are_the_plies_with_the_lead_before_them(dissected):
    one, found = dissected
    game = one.game()
    plain = [(d.ply, d.seat, d.says, d.legal) for d in found.decisions]
    assert plain == [(p.ply, p.seat, p.says, p.legal) for p in one.plies]
    kinds = {d.kind for d in found.decisions}
    assert kinds <= set(game.actions.blocks)
    games = game.deal(1, one.header["seed"])
    for decision, ply in zip(found.decisions, one.plies, strict=True):
        scores = game.scores(games, 0)
        others = np.delete(scores, ply.seat)
        assert decision.lead == pytest.approx(scores[ply.seat] - others.mean())
        assert decision.turn == games["turn"][0]
        game.play(games, 0, ply.action)


@pytest.mark.compiled
@pytest.mark.parametrize("name", SPRAWL)
def test_contracts_have_the_names_and_prices_of_the_builds(name):
    (one,) = read(REPLAYS / name)
    found = dissect([one])
    chosen, prices, site = [], [], ""
    games = one.game().deal(1, one.header["seed"])
    for ply, after in replays.steps(one):
        if ply.says.startswith("build "):
            chosen.append(re.match(r"build (?:Favor )?(.*) \((\w+) (\d)\)", ply.says).groups())
        elif ply.says.startswith("at ") and len(prices) < len(chosen):
            site = re.search(r"\b([A-F])([1-6])\b", ply.says)
            block = (int(site[2]) - 1) * 6 + "ABCDEF".index(site[1])
            prices.append(int(games["value"][0, block]))
        games = after.copy()
    assert [(c.name, c.zone, str(c.size)) for c in found.contracts] == chosen
    assert [c.price for c in found.contracts] == prices
    assert len(chosen) > 10
    names = {deck: {row.name for row in one.game().data.rows(deck, "contract")} for deck in DECKS}
    assert all(c.name in names[c.deck] for c in found.contracts)
    seat_of = {p.ply: p.seat for p in one.plies}
    assert all(seat_of[c.ply] == c.seat for c in found.contracts)


@pytest.mark.compiled
@pytest.mark.parametrize("name", SPRAWL)
def test_offices_count_turns_and_holders_at_the_end(name):
    (one,) = read(REPLAYS / name)
    found = dissect([one])
    final = last(one)
    at_end = {(o.seat, OFFICES.index(o.office)) for o in found.offices if o.at_end}
    holders = final["office"][0].tolist()
    assert at_end == {(seat, office) for office, seat in enumerate(holders) if seat >= 0}
    held, turn = Counter(), 0
    for _, games in replays.steps(one):
        if games["turn"][0] > turn:
            turn = int(games["turn"][0])
            for office in range(NUM_OFFICES):
                seat = int(games["office"][0, office])
                if seat >= 0:
                    held[seat, OFFICES[office]] += 1
    assert {(o.seat, o.office): o.turns for o in found.offices if o.turns} == dict(held)
    assert held


@pytest.mark.compiled
@pytest.mark.parametrize("name", GINKGO)
def test_points_of_districts_and_the_other_points_add_up_to_the_scores(name):
    (one,) = read(REPLAYS / name)
    found = dissect([one])
    game, final = one.game(), last(one)
    paid = np.zeros(game.num_sides, int)
    for part in found.districts:
        paid[part.seat] += part.points
    rest = [int(points_of(game.tables[0], final[0], side)) for side in range(game.num_sides)]
    assert (np.array(rest) + paid).tolist() == list(one.scores)
    assert paid.sum() > 0
    for number in {part.district for part in found.districts}:
        parts = [part for part in found.districts if part.district == number]
        assert len({(p.colour, p.buildings, p.resources) for p in parts}) == 1
        assert sum(part.own for part in parts) == parts[0].resources
        assert parts[0].buildings > 1
        first = max(part.points for part in parts)
        assert first == parts[0].resources * (2 if len(parts) == 1 else 1)


def short():
    game = sprawl_env.game("tower_up", max_turns=6)
    one = replays.record_random(game, 3)
    return game, one, [ply.action for ply in one.plies]


def test_bots_have_the_names_in_the_replay_and_games_are_numbered():
    game, one, actions = short()
    named = replays.from_actions(game, 3, actions, bots=["greedy", "mcts:sims=5"])
    found = dissect([one, named])
    assert [(s.game, s.bot) for s in found.sides] == [
        (0, "seat 0"),
        (0, "seat 1"),
        (1, "greedy"),
        (1, "mcts:sims=5"),
    ]
    assert {d.game for d in found.decisions} == {0, 1}
    assert found.contracts == found.offices == found.districts == []


def test_a_forfeit_gives_the_victory_to_the_others():
    game, _, actions = short()
    forfeit = {"seat": 1, "ply": 3, "reason": "raised Oops: no"}
    found = dissect([replays.from_actions(game, 3, actions[:3], forfeit=forfeit)])
    assert [side.share for side in found.sides] == [1.0, 0.0]
    assert len(found.decisions) == 3


def test_progress_gets_every_replay():
    _, one, _ = short()
    seen = []

    def progress(replays):
        for passed in replays:
            seen.append(passed)
            yield passed

    assert len(dissect([one, one], progress).sides) == 4
    assert seen == [one, one]


def test_a_game_that_differs_or_is_not_over_is_refused_with_its_number():
    game, one, actions = short()
    wrong = replace(one, plies=(*one.plies[:-1], replace(one.plies[-1], after="0" * 12)))
    with pytest.raises(PositionError, match=r"game 1: tower_up, ply \d+: .*the state differs"):
        dissect([one, wrong])
    with pytest.raises(PositionError, match="game 0: the game is not over"):
        dissect([replays.from_actions(game, 3, actions[:3])])


def test_reading_takes_files_and_folders(tmp_path):
    _, one, _ = short()
    (tmp_path / "b.jsonl").write_text(replays.dump(one) * 2)
    (tmp_path / "a.jsonl").write_text(replays.dump(one))
    assert len(read(tmp_path)) == 3
    assert len(read(tmp_path / "b.jsonl", tmp_path)) == 5
    (tmp_path / "empty").mkdir()
    with pytest.raises(PositionError, match="expected a folder with replays"):
        read(tmp_path / "empty")
    with pytest.raises(PositionError, match=r"none.jsonl: cannot be read"):
        read(tmp_path, tmp_path / "none.jsonl")
