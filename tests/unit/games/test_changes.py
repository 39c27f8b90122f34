"""What a ply changed: every difference is told once, and a seat is told only what it may know."""

import importlib
import re
from collections import Counter

import numpy as np
import pytest

import sprawl_env
from experiments.fuzz.games import draw_game
from sprawl_env.core.changes import HEADLINES, MINUS, Change, members, moved, signed_count
from sprawl_env.core.errors import IllegalAction, InvalidOption
from sprawl_env.core.rules import Played
from sprawl_env.core.state import NOBODY, NOT_OVER, clone, plain, readable
from sprawl_env.kernels.compile import JIT
from sprawl_env.kernels.rng import combine
from tests.conftest import SEATS
from tests.suite import GAMES
from tests.toy import toy

GAMES_EACH = 6 if JIT else 2
REDEALS = 8
COLOURS = ("black", "grey", "white", "brown")


def plies_of(game, seed, stop=10**9):
    """Yield ``(before, played, after)`` of a random game."""
    rng, games = np.random.default_rng(seed), game.deal(1, seed)
    while games["over"][0] == NOT_OVER and games["ply"][0] < stop:
        action = int(rng.choice(np.flatnonzero(game.legal_actions(games, 0))))
        before, seat = clone(games), int(games["to_play"][0])
        game.play(games, 0, action)
        yield before, Played(seat, action, ""), clone(games)


def counts_of_tower_up(state):
    for seat in range(state.num_seats):
        for colour, name in enumerate(COLOURS):
            yield seat, f"{name} floor", state.reserve[seat, colour]
            yield seat, f"{name} marker", state.marker[seat, colour]
        yield seat, "roof", state.roofs_left[seat]
        yield seat, "visible roof", np.sum(state.top == seat)
        yield seat, "chip", state.chip[seat].sum()
        yield seat, "cone", state.cone[seat]
        yield seat, "star", state.stars[seat]
    yield NOBODY, "building", np.sum(state.height > 0)


def counts_of_ginkgopolis(state):
    hal = state.num_seats == 1
    for side in range(max(int(state.num_seats), 2)):
        yield side, "resource", state.stock[1] if hal and side == 1 else state.resources[side]
        yield side, "point", state.points[side]
        yield side, "token", state.tokens[side]
        if not (hal and side == 1):
            tiles = int(state.tiles[side]) | int(state.returning[side])
            yield side, "tile", tiles.bit_count()
        yield side, "card", int(state.kept[side]).bit_count()


def counts_of_urban_sprawl(state):
    for seat in range(state.num_seats):
        yield seat, "wealth", state.wealth[seat]
        yield seat, "prestige", state.prestige[seat]
        yield seat, "planning card", state.hand[seat].sum()
        yield seat, "Favor", np.sum(state.favors[seat] >= 0)
        yield seat, "vocation", state.vocations[seat].sum()
        yield seat, "office", np.sum(state.office == seat)
        yield seat, "building", np.sum((state.owner == seat) & (state.corners > 0))
    yield None, "AP", state.points


COUNTS = {
    "tower_up": counts_of_tower_up,
    "ginkgopolis": counts_of_ginkgopolis,
    "urban_sprawl": counts_of_urban_sprawl,
}


def counted_in(game, games):
    """Return all counts of a position: who has how many of what; of points the scores."""
    counts = COUNTS[game.name](readable(games)[0])
    found = {(seat, what): int(number) for seat, what, number in counts}
    for side, points in enumerate(game.scores(games, 0).tolist()):
        found[side, "score"] = points
    return found


def told_in(changes):
    """Return the sums of the changes, by who and what; action points are of one seat at a time."""
    sums = Counter()
    for change in changes:
        sums[None if change.what == "AP" else change.seat, change.what] += change.amount
    return sums


@pytest.mark.parametrize("name", GAMES)
def test_the_changes_of_every_ply_add_up_to_the_difference_of_the_positions(name):
    plies = told = 0
    for seed in range(GAMES_EACH):
        game = draw_game(name, seed)
        for before, played, after in plies_of(game, seed, 400):
            changes = game.changes(before, after, 0, played)
            sums, old, new = told_in(changes), counted_in(game, before), counted_in(game, after)
            for key, number in new.items():
                assert sums[key] == number - old[key], (seed, plies, key, changes)
            plies, told = plies + 1, told + len(changes)
    assert told > plies > 60


@pytest.mark.parametrize(
    ("name", "things"),
    [("ginkgopolis", {"resource", "point"}), ("urban_sprawl", {"wealth", "prestige"})],
)
def test_every_gain_and_payment_names_its_cause(name, things):
    """Also each part of a sum: what a building yields, what a card adds, what a level costs."""
    causes = Counter()
    for seed in range(GAMES_EACH):
        game = draw_game(name, seed)
        for before, played, after in plies_of(game, seed, 300):
            invests = game.action_name(before, 0, played.action).startswith("invest")
            for change in game.changes(before, after, 0, played):
                if change.what in things:
                    assert change.cause or invests, (seed, change)
                    causes[change.cause] += 1
    assert len(causes) > 15


@pytest.mark.parametrize("name", ["ginkgopolis", "urban_sprawl"])
def test_a_ply_in_parts_ends_in_the_same_position(name):
    trace = importlib.import_module(f"sprawl_env.games.{name}.rules.trace")
    for seed in range(GAMES_EACH):
        game = draw_game(name, seed)
        for before, played, after in plies_of(game, seed, 300):
            trace.decide(plain(game.tables), plain(before), 0, played.action)
            while trace.do_next(plain(game.tables), plain(before), 0):
                pass
            for field in {*before.dtype.names} - {"ply", "to_play"}:
                assert np.array_equal(before[field], after[field]), field


def test_changes_leave_the_positions_as_they_are(any_game):
    for before, played, after in plies_of(any_game, 3, 60):
        kept = before.tobytes(), after.tobytes()
        any_game.changes(before, after, 0, played)
        any_game.tell(before, after, 0, played, 0)
        any_game.question(before)
        assert kept == (before.tobytes(), after.tobytes())


# ---------------------------------------------------------------------------------- secrets


def known_to(game, games, seat):
    """Return what a seat sees of a position, and counts that are open though not in its sight."""
    seen = [game.observe(games, 0, seat).tobytes()]
    if games["to_play"][0] == seat:
        seen.append(game.legal_actions(games, 0).tobytes())
    if game.name == "ginkgopolis":  # every gain and payment is open (GK §3)
        seen += [games[field].tobytes() for field in ("points", "resources", "tokens")]
    return seen


def shown_in(game, before, played, after):
    """Return the cards that a ply turned up, of which the position after it may not tell."""
    shown = []
    if game.name == "urban_sprawl":
        old, new = before[0], after[0]
        shown.append(old.planning_deck[new.planning_size : old.planning_size].tolist())
        if (new.planning_discards < old.planning_discards).any():  # a new deck: its order counts
            shown.append(before.tobytes())
        for deck, size in enumerate(new.deck_size.tolist()):
            shown.append(old.deck[deck, size : old.deck_size[deck]].tolist())
    if game.name == "ginkgopolis":
        for seat in range(game.num_seats):
            chosen, tile = (int(before[field][0, seat]) for field in ("chosen", "chosen_tile"))
            if chosen >= 0 and after["chosen"][0, seat] < 0:
                shown.append((chosen, played.action if seat == played.seat else tile))
            if after["tokens"][0, seat] < before["tokens"][0, seat]:
                shown.append(sorted(before["hand"][0, seat].tolist()))
    return shown


def trials_of(game, before, played, viewer, seed):
    """Yield plies that may look the same to the viewer: re-dealt, others' secret answers too."""
    rng = np.random.default_rng(seed)
    for k in range(REDEALS):
        trial = clone(before)
        game.redeal_hidden(trial, 0, combine(seed, k), viewer)
        legal = game.legal_actions(trial, 0)
        action = played.action
        secret = game.kernels.owing is not None and played.seat != viewer
        if secret and (k % 2 or not legal[action]):
            action = int(rng.choice(np.flatnonzero(legal)))
        now = clone(trial)
        game.play(now, 0, action)
        yield trial, Played(played.seat, action, ""), now


def test_a_seat_is_told_the_same_whatever_it_cannot_know(any_game):
    game, compared, moved_apart = any_game, 0, 0
    for seed in range(2 if JIT and game.num_seats == SEATS[game.name][0] else 1):
        for k, (before, played, after) in enumerate(plies_of(game, seed, 180)):
            viewer = k % game.num_seats
            known = known_to(game, after, viewer), shown_in(game, before, played, after)
            changes = game.changes(before, after, 0, played, viewer)
            told = game.tell(before, after, 0, played, viewer)
            for trial, other, now in trials_of(game, before, played, viewer, combine(seed, k)):
                seen = known_to(game, now, viewer), shown_in(game, trial, other, now)
                if seen != known or now["over"][0] != NOT_OVER:
                    continue
                same = trial.tobytes() == before.tobytes() and other.action == played.action
                assert game.changes(trial, now, 0, other, viewer) == changes
                if other.action == played.action or not told.is_final:
                    assert game.tell(trial, now, 0, other, viewer) == told
                compared, moved_apart = compared + 1, moved_apart + (not same)
    assert compared >= moved_apart > 50


@pytest.mark.parametrize("options", [{}, {"characters": "introductory"}, {"open_screens": True}])
def test_an_answer_is_told_only_when_no_redeal_changes_it(options):
    """An answer that re-deals vary is hidden; a card that was played is told (GK §3)."""
    game = sprawl_env.game("ginkgopolis", num_players=3, **options)
    answers, hidden, told = [], 0, 0
    for before, played, after in plies_of(game, 5, 150):
        answers.append((before, played))
        viewer = len(answers) % 3
        trials = clone(after, np.zeros(REDEALS, np.int64))
        for k in range(REDEALS):
            game.redeal_hidden(trials, k, k, viewer)
        for asked, answer in answers[-12:]:
            seat = answer.seat
            if seat == viewer or asked["rounds"][0] == 0:
                continue
            name = game.action_name(asked, 0, answer.action)
            says = game.tell(asked, after, 0, answer, viewer)
            same_round = asked["rounds"][0] == after["rounds"][0]
            is_card = name.startswith("card ")
            if is_card and same_round and after["chosen"][0, seat] >= 0:
                varied = len(np.unique(trials["chosen"][:, seat])) > 1
                hidden += varied
                assert not says.is_final
                assert name not in says.text
            elif is_card:
                told += 1
                assert says == (f"choose {name}", True)
    assert hidden > 20
    assert told > 20


def test_whose_tiles_are_returned_stays_hidden_until_all_are_done():
    """The pass in which tiles are returned tells nothing of others (G5, G23)."""
    game = sprawl_env.game("ginkgopolis", num_players=2, characters="introductory")
    seen = Counter()
    for seed in range(60):
        for before, played, after in plies_of(game, seed):
            name = game.action_name(before, 0, played.action)
            if not name.startswith(("return ", "done")):
                continue
            other = 1 - played.seat
            step = int(after["agenda"]["step"][0, after["agenda_size"][0] - 1])
            still = after["over"][0] == NOT_OVER and step == 3  # Step.RETURN
            told = game.tell(before, after, 0, played, other)
            changes = game.changes(before, after, 0, played, other)
            assert name.removeprefix("return ") not in str(changes)
            if still:
                assert told == ("return a tile or none", False)
                assert changes == []
            elif after["over"][0] == NOT_OVER:
                assert told.is_final
                assert told.text in {"return a tile", "return no more tiles"}
            seen[still] += 1
    assert min(seen[True], seen[False]) > 3


# --------------------------------------------------------------------- games without the hooks


def test_a_game_without_changes_tells_the_points_that_all_redeals_agree_on():
    game = toy()
    for before, played, after in plies_of(game, 1):
        points = game.scores(after, 0) - game.scores(before, 0)
        told = told_in(game.changes(before, after, 0, played))
        assert [told[side, "score"] for side in range(game.num_sides)] == points.tolist()
        assert game.question(before) == "Choose an action"
        assert game.heading(before) == f"Turn {int(before['turn'][0]) + 1}"
        name = game.action_name(before, 0, played.action)
        assert game.tell(before, after, 0, played).text == f"play {name}"
        for change in game.changes(before, after, 0, played, 0):
            assert change in game.changes(before, after, 0, played)
    assert game.question(after) == ""


def test_wrong_viewers_and_actions_are_refused():
    game = sprawl_env.game("tower_up")
    games = game.deal(1)
    played = Played(0, 0, "")
    with pytest.raises(InvalidOption, match=r"tower_up: viewer=2: expected None or a seat 0\.\.1"):
        game.changes(games, games, 0, played, 2)
    with pytest.raises(InvalidOption, match=r"tower_up: viewer=-1: expected None or a seat 0\.\.1"):
        game.tell(games, games, 0, played, -1)
    with pytest.raises(InvalidOption, match=r"tower_up: played\.action=999"):
        game.changes(games, games, 0, Played(0, 999, ""))
    with pytest.raises(InvalidOption, match=r"tower_up: played\.seat=5"):
        game.tell(games, games, 0, Played(5, 0, ""))
    with pytest.raises(InvalidOption, match=r"tower_up: played\.seat=1: expected 0"):
        game.tell(games, games, 0, Played(1, 0, ""))
    with pytest.raises(IllegalAction, match="seat 0 may not play 250"):
        game.changes(games, games, 0, Played(0, 250, ""))


# -------------------------------------------------------------------------------------- words


def test_numbers_have_a_true_minus_sign_and_things_a_plural():
    assert signed_count(1, "tile") == "+1 tile"
    assert signed_count(-2, "tile") == f"{MINUS}2 tiles"
    assert signed_count(-1, "resource") == f"{MINUS}1 resource"
    assert signed_count(3, "wealth") == "+3 wealth"
    assert moved(1, "tile", 0) == []
    assert moved(1, "tile", -1, "building") == [
        Change("pay", 1, "tile", -1, "building", f"{MINUS}1 tile")
    ]
    assert members(0b10110) == [1, 2, 4]


@pytest.mark.parametrize("name", GAMES)
def test_every_question_of_a_game_is_a_sentence_of_its_own(name):
    """A question names its cause; none is the same as another decision's."""
    by_step = {}
    for seed in range(GAMES_EACH):
        game = draw_game(name, seed)
        for before, _, _ in plies_of(game, seed, 400):
            step = int(before["agenda"]["step"][0, before["agenda_size"][0] - 1])
            asked = game.question(before)
            assert asked[0].isupper() or not asked[0].isalpha()
            assert "  " not in asked
            assert "None" not in asked
            by_step.setdefault(step, set()).add(asked)
    texts = [text for asked in by_step.values() for text in asked]
    assert len(texts) == len(set(texts))


def test_a_fire_is_asked_about_with_its_name_and_price():
    game = sprawl_env.game("urban_sprawl", num_players=3)
    found = set()
    for seed in range(30):
        for before, _, _ in plies_of(game, seed, 800):
            asked = game.question(before)
            if asked.startswith("Fire: lose"):
                found.add(asked)
        if len(found) > 1:
            break
    assert "Fire: lose a building by the forest, or pay 3 wealth" in found


def test_headlines_tell_events_elections_and_payouts():
    game = sprawl_env.game("urban_sprawl", num_players=4, length="short")
    seen = Counter()
    for before, played, after in plies_of(game, 2):
        for change in game.changes(before, after, 0, played):
            seen[change.kind] += change.kind in HEADLINES
            if change.kind == "payout":
                assert re.fullmatch(r".+ pays(, as .+ came up)?", change.text)
    assert min(seen["event"], seen["election"], seen["payout"], seen["phase"]) > 0
