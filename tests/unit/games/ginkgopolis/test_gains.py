"""GK §4, G5, G9: gains larger than what is left, and the run-outs of the supply."""

import pytest

from sprawl_env.core.state import FINISHED, NOT_OVER
from sprawl_env.games.ginkgopolis.constants import Step
from sprawl_env.games.ginkgopolis.wording import tile_name
from tests.unit.games.ginkgopolis.position import (
    choose,
    discards_of,
    game_of,
    hand_of,
    holdings,
    kind_of,
    legal_names,
    play,
    play_on,
    position,
    step_of,
    supply_of,
    tile_of,
    tiles_of,
)


def run_out(left=("red 20",), seats=2, levels=3, tiles=(), committed=None, **drawn):
    """Let the first player exploit ``levels`` tiles while ``left`` are in the supply.

    The last seat has its own of ``tiles`` and all other tiles behind its screen.
    """
    drawn = {"buildings": {(1, 1): ("blue 9", 0, levels)}, "first": 0} | drawn
    first = drawn["first"]
    hands = [["blue 9"] if seat == first else [] for seat in range(seats)]
    game, games = position(
        seats, hands=hands, tiles=tiles, supply=left, rest_of_tiles=seats - 1, **drawn
    )
    others = [min(hand_of(games, (first + k) % seats)) for k in range(1, seats)]
    plays = [(card, (committed or {}).get(k + 1)) for k, card in enumerate(others)]
    choose(game, games, "blue 9", *plays)
    return game, games


def returning(games):
    """Return how many tiles each seat has put aside."""
    return [int(held).bit_count() for held in games.returning[0].tolist()]


# ---------------------------------------------------------------- what is left


@pytest.mark.parametrize(("stock", "gained"), [(0, 0), (1, 1), (2, 2), (3, 3), (4, 3)])
def test_g5_a_gain_of_resources_takes_what_is_left(stock, gained):
    game, games = position(buildings={(1, 1): ("red 9", 1, 3)}, hands=[["red 9"]], stock={0: stock})
    before = holdings(games, 0)[0]
    choose(game, games, "red 9")
    assert holdings(games, 0)[0] == before + gained
    assert games.stock[0, 0] == stock - gained


def test_g5_a_gain_smaller_than_the_supply_is_no_run_out():
    _, games = run_out(left=("red 20", "red 19", "red 18", "red 17"))
    assert tiles_of(games, 0) == ["red 18", "red 19", "red 20"]
    assert games.run_outs[0] == 0
    assert step_of(games) == Step.GAIN


# ---------------------------------------------------------------- the first run-out


def test_g5_the_supply_runs_out_the_moment_its_last_tile_is_taken():
    _, games = run_out(left=("red 20", "red 19", "red 18"))
    assert tiles_of(games, 0) == ["red 18", "red 19", "red 20"]
    assert games.run_outs[0] == 1
    assert step_of(games) == Step.RETURN
    assert games.ending[0] == 0


def test_g5_the_action_is_finished_after_the_return():
    game, games = run_out(left=("red 20", "red 19", "red 18"))
    assert "blue 9" not in discards_of(games)
    play(game, games, "return red 18", "done returning", "done returning")
    assert tiles_of(games, 0) == ["red 19", "red 20"]  # the gain was complete before
    assert supply_of(games) == ["red 18"]
    assert "blue 9" in discards_of(games)
    assert games.points[0, 0] == 1


def test_g5_amid_a_gain_all_seats_return_then_the_gain_goes_on():
    game, games = run_out(tiles=[["red 4", "blue 20"], ["yellow 20"]])
    assert tiles_of(games, 0) == ["red 4", "red 20", "blue 20"]
    play(game, games, "return red 4", "return yellow 20", "done returning", "done returning")
    assert set(tiles_of(games, 0)) == {"red 4", "red 20", "blue 20", "yellow 20"}
    assert games.points[0].tolist()[:2] == [1, 1]
    assert supply_of(games) == []
    assert games.run_outs[0] == 2  # both tiles were taken at once


def test_g5_what_remains_of_the_gain_is_taken_from_the_tiles_returned():
    game, games = run_out(tiles=[[], ["blue 18", "yellow 19", "yellow 20"]], levels=2)
    play(game, games, "done returning", "return blue 18", "return yellow 19", "return yellow 20")
    play(game, games, "done returning")
    returned = {"blue 18", "yellow 19", "yellow 20"}
    assert set(tiles_of(games, 0)) - {"red 20"} < returned
    assert len(tiles_of(games, 0)) == 2
    assert set(supply_of(games)) == returned - set(tiles_of(games, 0))
    assert games.points[0].tolist()[:2] == [0, 3]
    assert games.run_outs[0] == 1
    assert step_of(games) == Step.GAIN


def test_g5_the_new_supply_is_shuffled():
    tops = set()
    for rng in range(1, 12):
        game, games = run_out(tiles=[["red 4", "blue 18"]], levels=3, rng=rng)
        play(game, games, "return red 4", "done returning")
        play(game, games, "return red 20", "return blue 18", "done returning")
        assert games.run_outs[0] == 1
        tops.add(supply_of(games)[0])
    assert tops == {"red 4", "red 20", "blue 18"}


# ---------------------------------------------------------------- passes


def test_g23_tiles_are_returned_one_a_pass_from_the_first_player_on():
    game, games = run_out(seats=3, first=1, tiles=[["red 4", "red 5"], ["red 6"], ["red 7"]])
    asked = []
    for name in (
        *("return red 6", "return red 7", "return red 4"),  # seats 1, 2, 0
        *("done returning", "done returning", "return red 5"),
    ):
        asked.append(int(games.to_play[0]))
        play(game, games, name)
    assert asked == [1, 2, 0, 1, 2, 0]
    assert games.to_play[0] == 0  # alone
    assert legal_names(game, games) == {"done returning"}


def test_g23_who_is_done_is_not_asked_again():
    game, games = run_out(tiles=[["red 4"], ["red 5", "red 6"]])
    play(game, games, "done returning", "return red 5")
    assert games.to_play[0] == 1
    play(game, games, "return red 6")
    assert games.to_play[0] == 1


def test_g5_tiles_and_points_show_only_when_all_are_done():
    game, games = run_out(tiles=[["red 4", "red 5"], ["red 6"]])
    play(game, games, "return red 4", "return red 6", "return red 5", "done returning")
    assert returning(games)[:2] == [2, 1]
    assert games.points[0].tolist()[:2] == [0, 0]
    assert supply_of(games) == []
    play(game, games, "done returning")
    assert returning(games)[:2] == [0, 0]
    assert games.points[0].tolist()[:2] == [2, 1]


def test_g5_the_pass_begins_with_the_first_player_not_with_who_took_the_last_tile():
    game, games = position(
        3,
        buildings={(1, 1): ("blue 9", 0, 2)},
        hands=[["A"], ["blue 9"], ["C"]],
        tiles=[["red 4"]],
        supply=["red 20"],
        rest_of_tiles=2,
    )
    choose(game, games, "A", "blue 9", "C")
    play(game, games, "take resource")
    assert step_of(games) == Step.RETURN
    assert games.to_play[0] == 0
    assert "return red 20" not in legal_names(game, games)
    assert "return red 4" in legal_names(game, games)


# ---------------------------------------------------------------- what may be returned


def test_gk_6_tiles_are_returned_in_ascending_order_only():
    game, games = run_out(tiles=[["red 4", "red 19", "blue 20", "blue 4"]])
    assert legal_names(game, games) == {
        *("return red 4", "return red 19", "return red 20"),
        *("return blue 4", "return blue 20", "done returning"),
    }
    play(game, games, "return red 20", "done returning")
    assert legal_names(game, games) == {"return blue 4", "return blue 20", "done returning"}
    play(game, games, "return blue 20")
    assert legal_names(game, games) == {"done returning"}


def test_g5_the_tile_just_taken_may_be_returned():
    game, games = run_out()
    assert legal_names(game, games) == {"return red 20", "done returning"}


def test_g5_a_tile_committed_to_a_card_is_not_returned():
    game, games = run_out(tiles=[[], ["yellow 19", "yellow 20"]], committed={1: "yellow 19"})
    play(game, games, "done returning")
    names = legal_names(game, games)
    assert "return yellow 20" in names
    assert "return yellow 19" not in names
    play(game, games, "return yellow 20", "done returning")
    assert tile_of("yellow 19") in games.site_tile[0]  # built with by now


def test_g5_any_number_of_tiles_may_be_returned():
    game, games = run_out(tiles=[["red 4", "red 5", "red 6"]])
    play(game, games, "return red 4", "done returning", "return red 5", "return red 6")
    play(game, games, "return red 20", "done returning")
    assert games.points[0, 0] == 4
    assert len(tiles_of(games, 0)) == 2  # of the new supply
    assert len(supply_of(games)) == 2


# ---------------------------------------------------------------- the second run-out


def test_g5_if_nobody_returns_any_that_is_the_second_run_out():
    game, games = run_out(tiles=[["red 4"]])
    play(game, games, "done returning", "done returning")
    assert games.run_outs[0] == 2
    assert games.points[0].tolist()[:2] == [0, 0]
    assert tiles_of(games, 0) == ["red 4", "red 20"]
    assert games.ending[0] == 1
    assert games.over[0] == NOT_OVER


def test_g5_at_the_second_run_out_nothing_is_returned_and_the_rest_is_lost():
    _, games = run_out(run_outs=1, left=("red 20", "red 19"))
    assert tiles_of(games, 0) == ["red 19", "red 20"]
    assert games.run_outs[0] == 2
    assert games.ending[0] == 1
    assert step_of(games) == Step.GAIN
    assert games.to_play[0] == 1


@pytest.mark.parametrize(("left", "run_outs"), [(4, 1), (3, 2)])
def test_g5_the_second_run_out_comes_with_the_last_tile(left, run_outs):
    _, games = run_out(run_outs=1, left=("red 20", "red 19", "red 18", "red 17")[:left])
    assert games.run_outs[0] == run_outs
    assert games.ending[0] == (run_outs == 2)
    assert len(tiles_of(games, 0)) == 3


def test_g5_after_the_second_run_out_tiles_gained_are_lost():
    _, games = run_out(left=(), run_outs=2, ending=1)
    assert tiles_of(games, 0) == []
    assert games.run_outs[0] == 2
    assert "blue 9" in discards_of(games)


def test_g5_the_round_of_the_second_run_out_is_completed():
    game, games = run_out(run_outs=1, left=("red 20",))
    before = holdings(games, 1)[0]
    play(game, games, "take resource")
    assert holdings(games, 1)[0] == before + 1
    assert games.over[0] == FINISHED
    assert games.rounds[0] == 1


# ---------------------------------------------------------------- where else tiles run out


def test_g5_the_supply_may_run_out_while_urbanizing():
    game, games = position(
        hands=[["K"]], tiles=[["red 4"]], supply=["red 20"], rest_of_tiles=1, resources=[2]
    )
    choose(game, games, ("K", "red 4"))
    play(game, games, "marker west")
    assert step_of(games) == Step.RETURN
    assert legal_names(game, games) == {"return red 20", "done returning"}  # red 4 is built


def test_g5_the_supply_may_run_out_by_an_urbanization_card_alone():
    game, games = position(hands=[["K"]], supply=["red 20"], rest_of_tiles=1)
    choose(game, games, "K")
    play(game, games, "take tile")
    assert step_of(games) == Step.RETURN
    play(game, games, "done returning", "done returning")
    assert games.run_outs[0] == 2
    assert games.ending[0] == 1


def test_g5_after_the_first_run_out_play_goes_on():
    game, games = run_out(tiles=[["red 4", "red 5", "red 6", "red 7"]], levels=2)
    play(game, games, "return red 4", "done returning", "return red 20", "done returning")
    play_on(game, games)
    assert (games.over[0], int(games.rounds[0]), int(games.run_outs[0])) == (NOT_OVER, 2, 1)


def test_g9_with_one_seat_nothing_is_returned_and_the_first_run_out_ends_it():
    game, games = position(
        1,
        buildings={(1, 1): ("blue 9", 0, 3)},
        hands=[["blue 9"]],
        tiles=[["red 4"]],
        supply=["red 20", "red 19"],
        rest_of_tiles=0,
    )
    held = len(tiles_of(games, 0))
    choose(game, games, "blue 9")
    assert len(tiles_of(games, 0)) == held + 2
    assert games.run_outs[0] == 1
    assert games.over[0] == FINISHED


def test_g5_the_supply_may_run_out_amid_the_starting_items():
    game = game_of(2)
    games = game.deal(1, seed=1)
    state = games[0]
    for name in ("exploit", "urbanize"):  # one tile each for both seats
        state.pack[0, ("exploit", "urbanize").index(name)] = kind_of(f"red {name}")
        state.pack[1, ("exploit", "urbanize").index(name)] = kind_of(f"red {name}")
    state.pack[:2, 2:] = kind_of("blue construct")
    left = [tile_of(name) for name in supply_of(games)]
    state.tiles[1] = sum(1 << tile for tile in left[3:])
    state.supply[:3] = left[:3]
    state.supply_size = 3
    picks = ["draft red exploit"] * 2 + ["draft red urbanize"] * 2 + ["draft blue construct"] * 2
    play(game, games, *picks)
    assert (step_of(games), int(games.rounds[0])) == (Step.RETURN, 0)
    assert len(tiles_of(games, 0)) == 2
    held = len(tiles_of(games, 1))
    lowest = min(map(tile_of, tiles_of(games, 1)))
    play(game, games, "done returning", f"return {tile_name(lowest)}", "done returning")
    assert step_of(games) == Step.CARD
    assert len(tiles_of(games, 1)) == held  # the one returned, taken again
    assert games.points[0].tolist()[:2] == [2, 3]
    assert (int(games.run_outs[0]), int(games.ending[0])) == (2, 0)
