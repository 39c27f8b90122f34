"""Questions and the log in words: what newcomers asked for is said, and it is true."""

import numpy as np
import pytest

import sprawl_env
from sprawl_env.core.rules import Played
from sprawl_env.core.state import NOT_OVER, clone
from sprawl_env.games.tower_up.actions import ACTIONS
from sprawl_env.games.urban_sprawl.wording import OFFICE_NAMES

pytestmark = pytest.mark.compiled


def plies(name, seeds, **options):
    """Yield the game, the state before, its question, the changes and the state after."""
    game = sprawl_env.game(name, **options)
    rng = np.random.default_rng(5)
    for seed in range(seeds):
        games = game.deal(1, seed)
        while games["over"][0] == NOT_OVER:
            before = clone(games)
            legal = np.flatnonzero(game.legal_actions(games, 0))
            action = int(rng.choice(legal))
            played = Played(int(games["to_play"][0]), action, game.action_name(games, 0, action))
            game.play(games, 0, action)
            changes = game.changes(before, games, 0, played, None)
            yield game, before, game.question(before), [each.text for each in changes], games


def test_markers_of_tower_up_are_told_by_the_numbers_on_their_tracks():
    told = 0
    for game, before, _, texts, after in plies("tower_up", 4):
        values = game.tables[0].marker_values
        moved = np.argwhere(after["marker"][0] != before["marker"][0]).tolist()
        for seat, colour in moved:
            was, now = (values[each["marker"][0, seat, colour]] for each in (before, after))
            assert any(text.endswith(f"marker {was} to {now}") for text in texts)
            told += 1
    assert told > 50


def test_a_seat_of_tower_up_that_cannot_build_is_told_so():
    build, said = ACTIONS["build"], {True: 0, False: 0}
    for game, before, question, _, _ in plies("tower_up", 20):
        if "ake a card" not in question or "no roof left" in question:
            continue
        may = bool(game.legal_actions(before, 0)[build.start : build.stop].any())
        assert ("or build" in question) == may
        assert ("you cannot build anywhere" in question) == (not may)
        said[may] += 1
    assert min(said.values()) > 0


def test_a_new_deck_of_ginkgopolis_is_told():
    renewed = 0
    for _, before, _, texts, after in plies("ginkgopolis", 2):
        grew = bool(after["deck_size"][0] > before["deck_size"][0])
        assert any("become a new deck" in text for text in texts) == grew
        renewed += grew
    assert renewed > 2


def test_urban_sprawl_says_why_a_seat_breaks_a_tie_and_why_a_line_pays():
    reasons, payouts = set(), 0
    for _, before, question, texts, _ in plies("urban_sprawl", 2):
        if "you break the tie" in question:
            reason = question.rpartition(", as ")[2]
            reasons.add(reason)
            if reason.startswith("you are the "):
                office = OFFICE_NAMES.index(reason.removeprefix("you are the "))
                assert before["office"][0, office] == before["to_play"][0]
        payouts += sum(", as " in text and " pays" in text for text in texts)
        if "nothing else to do" in question:
            assert "end your turn" in question
    assert reasons
    assert payouts > 3
