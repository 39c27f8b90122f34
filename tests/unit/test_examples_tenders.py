"""The example *Tenders*: choices at the same time, which stay hidden until all have chosen."""

import itertools
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import parallel_api_test, parallel_seed_test

import sprawl_env
from examples import lots, tenders
from examples.tenders import NO_CARD, NUMBERS, ROUNDS, WAIT
from sprawl_env.adapters.parallel import BoardGameParallel
from sprawl_env.core.editing import impossible
from sprawl_env.core.errors import PositionError
from sprawl_env.core.rules import Played
from sprawl_env.core.state import NOBODY, NOT_OVER, clone
from sprawl_env.kernels.compile import JIT
from sprawl_env.render.board import seen_text
from sprawl_env.replays.telling import Story
from sprawl_env.testing import check_game

ROOT = Path(__file__).resolve().parents[2]
SEATS = (2, 3, 4)


def tenders_of(seats):
    return sprawl_env.game("tenders", num_players=seats)


def openings_of_rounds(seats, games=3):
    """Yield the game and its position before each round of random games."""
    game, rng = tenders_of(seats), np.random.default_rng(seats)
    for seed in range(games):
        state = game.deal(1, seed)
        while state.over[0] == NOT_OVER:
            if state.to_play[0] == 0:
                yield game, clone(state)
            game.play(state, 0, int(rng.choice(np.flatnonzero(game.legal_actions(state)))))


def choices_before(game, games, seat):
    """Yield the positions after all possible choices of the seats before ``seat``."""
    if games.to_play[0] == seat:
        yield games
        return
    for card in np.flatnonzero(game.legal_actions(games)).tolist():
        after = clone(games)
        game.play(after, 0, card)
        yield from choices_before(game, after, seat)


# ------------------------------------------------------------------------------ the game as a whole


def reference(games, g):
    """Return what a seat may choose: what it holds."""
    held = games["hand"][g][games["to_play"][g]]
    return {f"offer {card + 1}" for card in range(NUMBERS) if held[card]}


@pytest.mark.parametrize("seats", SEATS)
def test_the_example_passes_every_check(seats):
    report = check_game(
        tenders.RULES, num_games=4, num_players=seats, legal=reference, spawn=seats == 2
    )
    assert report.decisions == 4 * ROUNDS * seats
    assert report.never_legal == (WAIT,)
    for check in ("owing", "hides", "take_back"):
        assert report.checks[check] > 0


def test_the_example_is_short_and_runs(capsys):
    assert len((ROOT / "examples" / "tenders.py").read_text().splitlines()) <= 345
    tenders.main()
    shown = capsys.readouterr().out
    assert shown.count("> player_2: offer ") == ROUNDS
    assert shown.count("Rounds left: ") == ROUNDS + 1


@pytest.mark.compiled
def test_a_bot_that_looks_ahead_beats_random_play():
    bots = ["planner:playouts=16", "random"]
    assert sprawl_env.evaluate("tenders", bots, num_games=1000).lines[0].low > 0.5


@pytest.mark.parametrize("name", ["lots", "tenders"])
def test_the_fields_of_both_examples_have_meanings(name):
    own = {"lots": lots.State, "tenders": tenders.State}[name]
    fields = sprawl_env.game(name).fields
    assert {each for each in vars(own) if not each.startswith("_")} <= {*fields}
    assert all(field.meaning for field in fields.values())


# ----------------------------------------------------------------------------------------- the rule


@pytest.mark.parametrize(
    ("numbers", "winner"),
    [
        ((6, 5), 0),
        ((1, 2), 1),
        ((3, 3), NOBODY),
        ((6, 6, 1), 2),
        ((2, 5, 5, 4), 3),
        ((4, 4, 2, 2), NOBODY),
        ((1, 2, 3, 4), 3),
    ],
)
def test_the_highest_number_that_only_one_seat_has_chosen_wins(numbers, winner):
    games = tenders_of(len(numbers)).deal(1, 1)
    games.chosen[0][: len(numbers)] = np.array(numbers) - 1
    assert tenders.winner_of(games[0]) == winner


# --------------------------------------------------------------------------- the Parallel interface


def expected_points(seats, rounds):
    """Return the points for the numbers of each round, by the rules as they are written."""
    points = [0] * seats
    for worth, numbers in enumerate(rounds, 1):
        once = [number for number, count in Counter(numbers).items() if count == 1]
        if once:
            points[numbers.index(max(once))] += worth
    return points


@pytest.mark.parametrize("seats", SEATS)
def test_a_pass_of_the_parallel_environment_is_a_round(seats):
    env, rng = BoardGameParallel("tenders", num_players=seats), np.random.default_rng(seats)
    for seed in range(10):
        rounds = []
        seen, _ = env.reset(seed=seed)
        while env.agents:
            masks = {agent: seen[agent]["action_mask"] for agent in env.agents}
            assert not any(mask[WAIT] for mask in masks.values())
            chosen = {a: int(rng.choice(np.flatnonzero(mask))) for a, mask in masks.items()}
            rounds.append(list(chosen.values()))
            seen, *_ = env.step(chosen)
        assert len(rounds) == ROUNDS
        assert env.game.scores(env.games, 0).tolist() == expected_points(seats, rounds)


@pytest.mark.parametrize("seats", SEATS)
def test_pettingzoo_accepts_the_parallel_environment(seats, capsys):
    parallel_api_test(BoardGameParallel("tenders", num_players=seats), num_cycles=200)
    parallel_seed_test(lambda: BoardGameParallel("tenders", num_players=seats), num_cycles=50)


@pytest.mark.skipif(not hasattr(pettingzoo, "register"), reason="no registry")
def test_registering_makes_both_pettingzoo_ids():
    assert pettingzoo.make("parallel", "sprawl_env/tenders-v0", num_players=3).max_num_agents == 3
    assert pettingzoo.make("aec", "sprawl_env/tenders-v0", num_players=4).max_num_agents == 4


# ----------------------------------------------------------------------------------- hidden choices


@pytest.mark.parametrize("seats", SEATS)
def test_nobody_else_observes_what_a_seat_has_chosen(seats):
    for game, start in openings_of_rounds(seats):
        for seat in range(1, seats):
            positions = list(choices_before(game, start, seat))
            for observer in range(seat, seats):
                seen = {game.observe(games, 0, observer).tobytes() for games in positions}
                assert len(seen) == 1
            assert len({game.legal_actions(games).tobytes() for games in positions}) == 1


@pytest.mark.parametrize("seats", SEATS)
def test_each_seat_owes_a_hidden_choice_until_it_has_chosen(seats):
    game = tenders_of(seats)
    owing, hides = game.kernels.owing, game.kernels.hides
    games = game.deal(1, 6)
    while games.over[0] == NOT_OVER:
        seat = int(games.to_play[0])
        assert owing(game.tables, games, 0) == sum(1 << other for other in range(seat, seats))
        assert hides(game.tables, games, 0)
        game.play(games, 0, int(game.legal_actions(games).argmax()))
    assert owing(game.tables, games, 0) == 0
    assert not hides(game.tables, games, 0)


def test_a_seat_observes_its_own_choice():
    game = tenders_of(2)
    games = game.deal(1, 3)
    before = game.observe(games, 0, 0)
    game.play(games, 0, int(game.legal_actions(games).argmax()))
    after = game.observe(games, 0, 0)
    chosen = game.observation_layout.view(after, "chosen")
    assert chosen.sum() == 1
    assert game.observation_layout.view(before, "chosen").sum() == 0


@pytest.mark.parametrize("seats", SEATS)
def test_the_text_board_shows_a_choice_to_its_own_seat_only(seats):
    game = tenders_of(seats)
    start = game.deal(1, 5)
    boards = set()
    for games in choices_before(game, start, 1):
        number = games.chosen[0, 0] + 1
        assert f"seat 0: 0 points; offers {number};" in seen_text(game, games, 0, 0)
        boards.add(seen_text(game, games, 0, seats - 1))
    (board,) = boards
    assert "seat 0: 0 points; offers ?; holds ? ? ? ?\n" in board
    assert "seat 1: 0 points; offers -; holds" in board


@pytest.mark.parametrize("seats", SEATS)
def test_a_choice_is_told_once_all_have_chosen(seats):
    game = tenders_of(seats)
    games = game.deal(1, 5)
    start = clone(games)
    card = int(np.flatnonzero(game.legal_actions(games))[-1])
    played = Played(0, card, game.action_name(games, 0, card))
    while games.turn[0] == 0:
        game.play(games, 0, int(np.flatnonzero(game.legal_actions(games))[-1]))
        for viewer in (None, *range(seats)):
            told = game.tell(start, games, 0, played, viewer)
            if viewer in {None, 0} or games.turn[0] == 1:
                assert told == (f"offer {card + 1}", True)
            else:
                assert told == ("choose a card face down", False)


def test_the_log_of_another_seat_reveals_the_choices_at_the_end_of_the_round():
    game = tenders_of(3)
    games, rng = game.deal(1, 8), np.random.default_rng(8)
    story = Story(game, ("ann", "bob", "cat"), 2)
    numbers = []
    for seat in range(3):
        before = clone(games)
        action = int(rng.choice(np.flatnonzero(game.legal_actions(games))))
        numbers.append(action + 1)
        says = game.action_name(games, 0, action)
        game.play(games, 0, action)
        story.add(before, Played(seat, action, says), games)
        lines = [line.text for line in story.since(0)]
        if seat < 2:
            assert not re.search(r"\d", " ".join(lines))
    for line, name, number in zip(lines, ("ann", "bob", "cat"), numbers, strict=True):
        assert line.startswith(f"{name} offers {number}")


@pytest.mark.parametrize("seats", SEATS)
def test_a_redeal_draws_hidden_choices_from_all_cards_that_the_seat_does_not_know(seats):
    """Of 24 cards the last seat knows its hand; each other card is as likely to be chosen."""
    game = tenders_of(seats)
    games = next(choices_before(game, game.deal(1, 2), seats - 1))
    own = games.hand[0, seats - 1]
    unknown = (tenders.COPIES - own) / (tenders.COPIES * NUMBERS - own.sum())
    deals = 3000 if JIT else 300
    found = np.zeros((seats - 1, NUMBERS))
    for seed in range(deals):
        trial = clone(games)
        game.redeal_hidden(trial, 0, seed, seats - 1)
        found[range(seats - 1), trial.chosen[0, : seats - 1]] += 1
    error = np.sqrt(unknown * (1 - unknown) / deals)
    assert (np.abs(found / deals - unknown) <= 5 * error).all()


# ---------------------------------------------------------------------------------------- take_back


@pytest.mark.parametrize("seats", SEATS)
def test_what_was_chosen_in_secret_leaves_no_trace_once_it_is_taken_back(seats):
    for game, start in openings_of_rounds(seats, games=2):
        for seat in range(seats):
            for games in choices_before(game, start, seat):
                assert game.kernels.take_back(game.tables, games, 0, seat) == -1
                assert games.tobytes() == start.tobytes()


def test_the_choice_of_the_seat_itself_stays():
    game = tenders_of(3)
    games = game.deal(1, 4)
    card = int(game.legal_actions(games).argmax())
    game.play(games, 0, card)
    kept = clone(games)
    game.play(games, 0, int(game.legal_actions(games).argmax()))
    game.kernels.take_back(game.tables, games, 0, 0)
    assert games.tobytes() == kept.tobytes()
    assert games.chosen[0].tolist() == [card, NO_CARD, NO_CARD, NO_CARD]


# --------------------------------------------------------------------------------------- violations


@pytest.mark.parametrize("seats", SEATS)
def test_no_number_that_is_out_of_range_is_possible(seats):
    """Every number of every field of the game's own, as small and as large as it can be."""
    game = tenders_of(seats)
    names = [name for name in vars(tenders.State) if not name.startswith("_")]
    for _, start in itertools.islice(openings_of_rounds(seats), 0, None, 2):
        games = next(choices_before(game, start, 1))
        assert impossible(game, games) is None
        for name in names:
            for at in range(games[name][0].size):
                for value in (-128, -2, tenders.ALL_POINTS + 1, 127):
                    damaged = clone(games)
                    damaged[name][0].flat[at] = value
                    assert impossible(game, damaged) is not None, (name, at, value)


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"chosen": {0: NUMBERS}}, "chosen: expected -1..5"),
        ({"turn": ROUNDS + 1}, "over: expected the end after 5 rounds"),
        ({"turn": 1}, "ply: expected 2 for each round"),
        ({"to_play": 1}, "to_play: expected the first seat that has not chosen"),
        ({"hand": np.zeros((4, NUMBERS), int)}, "hand: expected 5 cards of each seat"),
        ({"shown": {0: 1}}, "shown: expected 0 cards"),
        ({"supply": {0: -1}}, "number 1: expected 4 cards in all"),
        ({"points": {1: 1}}, "points: expected 0 of all seats at most"),
    ],
)
def test_an_impossible_position_is_refused_with_the_reason(fields, says):
    game = tenders_of(2)
    with pytest.raises(PositionError, match=re.escape(says)):
        game.edit(game.deal(1, 1), 0, **fields)


# ---------------------------------------------------------------------------------------- the guide


def test_the_code_of_the_guide_is_that_of_the_example():
    guide = (ROOT / "docs" / "guides" / "games.md").read_text(encoding="utf-8")
    section = guide.split("\n## Choices at the same time\n")[1].split("\n## ")[0]
    code = (ROOT / "examples" / "tenders.py").read_text(encoding="utf-8")
    (excerpt,) = re.findall(r"```py\n(.*?)```", section, re.DOTALL)
    for part in excerpt.split("\n\n\n"):
        assert part.strip() in code
