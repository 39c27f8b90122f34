"""One game between untrusted bots: a forfeit for each way to fail."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

import sprawl_env
from sprawl_env import replays
from sprawl_env.arena.games import play_games
from sprawl_env.arena.match import Forfeit, forfeited, play_game, shares_and_ranks
from sprawl_env.bots.names import make_bot
from sprawl_env.core.errors import InvalidOption
from sprawl_env.core.game import Game
from sprawl_env.kernels.rng import combine
from tests.bots import First
from tests.toy import RULES
from tests.unit.bots.test_user_bots import BOTS


def played(game, *names, seed=3, watch=lambda seat, ply: None):
    makers = [partial(make_bot, name, game, seed + k) for k, name in enumerate(names)]
    return play_game(game, makers, seed, watch)


def test_a_game_is_played_to_its_end_and_becomes_a_replay(any_game):
    if any_game.num_sides != any_game.num_seats:
        pytest.skip("tournaments are between seats")
    match = played(any_game, *["random"] * any_game.num_seats)
    outcome = match.outcome
    assert outcome.forfeit is None
    assert sum(outcome.shares) == pytest.approx(1)
    assert sum(outcome.ranks) == pytest.approx(sum(range(1, any_game.num_seats + 1)))
    assert outcome.plies == len(match.actions) == sum(match.decisions)
    assert all(seconds > 0 for seconds in match.seconds)
    replay = replays.from_actions(any_game, 3, match.actions, bots=["a", "b"])
    replays.verify(replay)
    assert replay.scores == outcome.scores
    assert replay.plies[-1].after == outcome.final
    assert replays.parse(replays.dump(replay)) == replay


@pytest.mark.compiled
def test_games_are_those_of_the_arena():
    game = sprawl_env.game("tower_up")
    first = lambda: [make_bot(f"{BOTS}:First", game) for _ in range(2)]  # noqa: E731
    results = play_games(game, first(), 2, seed=3)
    match = play_game(game, [lambda bot=bot: bot for bot in first()], seed=3)
    assert results.deals[0] == 0  # dealt from (3, 0), as the game above
    assert tuple(results.scores[0]) == match.outcome.scores
    assert tuple(results.wins[0]) == match.outcome.shares


@pytest.mark.parametrize(
    ("standings", "shares", "ranks"),
    [
        ([5, 9], (0, 1), (2, 1)),
        ([7, 7], (0.5, 0.5), (1.5, 1.5)),
        ([1, 4, 4, 2], (0, 0.5, 0.5, 0), (4, 1.5, 1.5, 3)),
        ([3, 1, 1], (1, 0, 0), (1, 2.5, 2.5)),
    ],
)
def test_shares_and_ranks(standings, shares, ranks):
    assert shares_and_ranks(np.array(standings, np.int32)) == (shares, ranks)


def test_the_seat_that_forfeits_is_last_and_the_others_share_the_victory():
    outcome = forfeited(4, Forfeit(2, 9, "gone"))
    assert outcome.shares == pytest.approx((1 / 3, 1 / 3, 0, 1 / 3))
    assert outcome.ranks == (2, 2, 4, 2)
    assert (outcome.scores, outcome.plies, outcome.final) == (None, None, None)
    assert forfeited(2, Forfeit(0, 0, "gone")).shares == (0, 1)


@pytest.mark.parametrize(
    ("bot", "reason"),
    [
        (
            "Crashes",
            f"bot '{BOTS}:Crashes': act() raised ZeroDivisionError: at <object object at 0x...> "
            "and more (bots.py, line ",
        ),
        ("Quits", f"bot '{BOTS}:Quits': act() raised SystemExit: no more (bots.py, line "),
        ("RaisesNastily", f"bot '{BOTS}:RaisesNastily': act() raised Nasty (bots.py, line "),
        ("Illegal", "illegal action: env 0: tower_up: seat 0 may not play 250"),
        ("WrongShape", "illegal action: tower_up: actions: expected whole numbers of shape (1,)"),
        ("CannotBeMade", f"bot '{BOTS}:CannotBeMade': CannotBeMade(game, seed) raised KeyError"),
    ],
)
def test_a_bot_that_fails_forfeits_with_the_reason(bot, reason):
    game = sprawl_env.game("tower_up", num_players=3)
    match = played(game, f"{BOTS}:{bot}", "random", "random")
    forfeit = match.outcome.forfeit
    assert (forfeit.seat, forfeit.ply) == (0, 0)
    assert forfeit.reason.startswith(reason)
    assert "\n" not in forfeit.reason
    assert match.outcome.shares == (0, 0.5, 0.5)
    replay = replays.from_actions(game, 3, match.actions, forfeit=vars(forfeit))
    replays.verify(replays.parse(replays.dump(replay)))


def test_ctrl_c_stops_the_program_and_is_no_forfeit():
    with pytest.raises(KeyboardInterrupt):
        played(sprawl_env.game("tower_up"), f"{BOTS}:Interrupts", "random")


def test_no_bot_gets_the_seed_of_the_deal():
    game, seeds = sprawl_env.game("tower_up"), []

    class Remembers(First):
        def __init__(self, game, seed):
            super().__init__(game, seed)
            seeds.append(seed)

    play_game(game, [Remembers, Remembers], 77)
    assert len(set(seeds)) == 2
    for seed in seeds:
        again = game.empty(1)
        game.kernels.deal(game.tables, again, 0, seed)
        assert again.tobytes() != game.deal(1, 77).tobytes()


def test_a_bot_that_writes_on_what_it_is_handed_changes_nothing():
    game = sprawl_env.game("tower_up")
    honest = played(game, f"{BOTS}:First", "random").outcome
    cheating = played(game, f"{BOTS}:Scribbles", "random").outcome
    assert cheating == honest
    assert honest.forfeit is None


def test_the_watch_is_called_before_and_after_every_decision():
    game = sprawl_env.game("tower_up")
    heard = []
    match = played(game, "random", "random", watch=lambda seat, ply: heard.append((seat, ply)))
    made, asked = heard[:4], heard[4:]
    assert made == [(0, 0), (-1, 0), (1, 0), (-1, 0)]
    assert len(asked) == 2 * len(match.actions)
    assert all(seat >= 0 for seat, _ in asked[::2])
    assert all(seat == -1 for seat, _ in asked[1::2])
    assert [ply for _, ply in asked[::2]] == list(range(len(match.actions)))


def test_games_with_their_own_seeds_do_not_depend_on_what_was_played_before():
    game = sprawl_env.game("tower_up")
    alone = played(game, "greedy", "random", seed=combine(1, 2)).outcome
    played(game, "greedy", "random", seed=8)
    assert played(game, "greedy", "random", seed=combine(1, 2)).outcome == alone


@pytest.mark.compiled
@pytest.mark.parametrize(
    "search", ["mcts:sims=20", "search:agent=uniform,sims=20,gumbel=0,temperature=2"]
)
def test_a_match_keeps_what_a_search_considered(search):
    game = sprawl_env.game("tower_up", max_turns=6)
    bots = [search, "greedy"]
    plain = play_game(game, bots, 3)
    kept = play_game(game, bots, 3, keep_visits=True)
    assert kept.actions == plain.actions
    assert plain.visits == ()
    assert len(kept.visits) == len(kept.actions)
    replay = replays.from_actions(game, 3, kept.actions, kept.visits, bots=bots)
    replays.verify(replay)
    assert replays.parse(replays.dump(replay)) == replay
    for ply in replay.plies:
        assert len(ply.visits) == (ply.legal if ply.seat == 0 else 0)
        assert sum(ply.visits) in ((1, 20) if ply.seat == 0 else (0,))


@pytest.mark.parametrize("automaton", [True, False])
def test_a_game_with_one_seat_is_refused(automaton):
    game = Game(replace(RULES, automaton=automaton), num_players=1)
    with pytest.raises(InvalidOption, match="play_game: toy: expected 2 or more seats, got 1"):
        play_game(game, ["random"], 3)


def test_visits_must_fit_the_actions():
    game = sprawl_env.game("tower_up")
    first = int(np.flatnonzero(game.legal_actions(game.deal(1, 3), 0))[0])
    with pytest.raises(InvalidOption, match=r"visits: expected none or 1, one list an action"):
        replays.from_actions(game, 3, [first], [[], []])
    with pytest.raises(InvalidOption, match=r"visits\[0\]: expected a number from 0"):
        replays.from_actions(game, 3, [first], [[1.0]])
