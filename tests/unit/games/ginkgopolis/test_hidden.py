"""GK §2, §3: a redeal keeps what a seat knows and resamples what it cannot know."""

from collections import Counter
from itertools import islice

import numpy as np
import pytest

from sprawl_env.games.ginkgopolis.constants import (
    NO_CARD,
    NO_CHARACTER,
    NO_TILE,
    NOT_TAKEN,
    Step,
)
from sprawl_env.kernels.compile import JIT
from sprawl_env.render.board import seen_text
from tests.second_opinion.ginkgopolis_along import (
    ANYTHING,
    BUILDER,
    FEW_TILES,
    GIVER,
    LOOK_EVERY,
    REDEALS,
    cards_in,
    game_of,
    positions_of,
    record_bytes,
    seats_of,
    set_of,
    shown_to,
    steered_game,
    step_of,
    violations,
)
from tests.unit.games.ginkgopolis.position import (
    card_of,
    choose,
    hand_of,
    pack_held_by,
    play,
    play_on,
    position,
    tile_of,
)

SEATS = (1, 2, 3, 4, 5)
PASSES = (Step.DRAFT, Step.CARD, Step.TILE, Step.RETURN)


def redealt(game, games, seat, seed=1):
    other = games.copy()
    game.redeal_hidden(other, 0, seed, seat)
    return other


def looks(game, likes, seed):
    """Yield every few positions, and all positions of the draft and of returning tiles."""
    for ply, games in enumerate(steered_game(game, seed, likes)):
        step = step_of(games)
        if ply % LOOK_EVERY == 0 or (step in (Step.DRAFT, Step.RETURN) and (JIT or ply % 7 == 0)):
            yield games


GAMES = {
    **{f"{seats} seats": (seats, None, ANYTHING, {}) for seats in SEATS},
    **{f"{seats} seats, few tiles": (seats, FEW_TILES, GIVER, {}) for seats in SEATS},
    "open screens": (3, FEW_TILES, GIVER, {"open_screens": True}),
    "sets": (4, None, BUILDER, {"characters": "introductory"}),
    "expert": (1, None, BUILDER, {"difficulty": "expert"}),
}


@pytest.mark.parametrize("name", GAMES)
def test_gk_2_a_redeal_keeps_what_the_observer_is_shown_byte_for_byte(name):
    seats, change, likes, options = GAMES[name]
    game = game_of(seats, change, **options)
    for games in looks(game, likes, seed=seats):
        for seat in seats_of(games):
            before = shown_to(game, games, seat)
            for seed in range(2):
                other = redealt(game, games, seat, seed)
                assert shown_to(game, other, seat) == before, (seat, seed, step_of(games))


@pytest.mark.parametrize("name", GAMES)
def test_gk_2_a_redeal_for_the_seat_to_play_gives_a_possible_position(name):
    seats, change, likes, options = GAMES[name]
    game = game_of(seats, change, **options)
    for games in islice(looks(game, likes, seed=seats + 10), 0, None, 3):
        seat = max(int(games.to_play[0]), 0)
        for seed in range(2):
            assert violations(game, redealt(game, games, seat, seed)) == [], (seat, step_of(games))


@pytest.mark.parametrize("name", GAMES)
def test_gk_2_a_redeal_for_a_seat_that_waits_gives_a_possible_position(name):
    seats, change, likes, options = GAMES[name]
    game = game_of(seats, change, **options)
    for k, games in enumerate(islice(looks(game, likes, seed=seats + 20), 0, None, 2)):
        seat = k % seats
        assert violations(game, redealt(game, games, seat)) == [], (seat, step_of(games))


@pytest.mark.parametrize("seats", SEATS)
def test_gk_2_a_redealt_game_can_be_played_to_its_end(seats):
    """Kernels trust the state, so every position after a redeal must be possible."""
    game = game_of(seats, FEW_TILES)
    rng = np.random.default_rng(seats)
    for games in islice(looks(game, GIVER, seed=seats + 30), 0, None, 12 if JIT else 40):
        other = redealt(game, games, max(int(games.to_play[0]), 0), int(rng.integers(1000)))
        while other.over[0] == 0:
            game.play(other, 0, int(rng.choice(np.flatnonzero(game.legal_actions(other)))))
        assert violations(game, other) == []
        if not JIT:
            break


@pytest.mark.parametrize("seats", SEATS)
def test_gk_2_a_redeal_follows_its_seed(seats):
    game = game_of(seats)
    games = game.deal(1, seed=1)
    one, same, other = (record_bytes(redealt(game, games, 0, seed)) for seed in (5, 5, 6))
    assert one == same
    assert one != other


@pytest.mark.parametrize("seats", SEATS)
def test_gk_2_a_redeal_of_a_game_that_is_over_changes_nothing_but_chance(seats):
    game = game_of(seats, max_rounds=2)
    *_, games = steered_game(game, seed=1)
    for seat in seats_of(games):
        other = redealt(game, games, seat)
        other.rng[0] = games.rng[0]
        assert record_bytes(other) == record_bytes(games)


HIDDEN_FIELDS = {
    *("rng", "owes", "asked", "again", "pack", "taken_in", "picks", "deck", "hand", "known_by"),
    *("chosen", "chosen_tile", "hal_card", "supply", "tiles", "returning", "lost_tile"),
}


@pytest.mark.parametrize("seats", SEATS)
def test_gk_2_a_redeal_leaves_all_that_is_open_alone(seats):
    game = game_of(seats, FEW_TILES)
    for games in looks(game, GIVER, seed=seats + 40):
        for seat in seats_of(games):
            other = redealt(game, games, seat)
            changed = {n for n in games.dtype.names if (games[n] != other[n]).any()}
            assert changed <= HIDDEN_FIELDS, step_of(games)


@pytest.mark.parametrize("seats", SEATS)
def test_gk_2_a_redeal_leaves_what_the_observer_holds_has_chosen_and_has_passed_on(seats):
    game = game_of(seats, FEW_TILES)
    for games in looks(game, GIVER, seed=seats + 50):
        for seat in seats_of(games):
            other = redealt(game, games, seat)
            for name in ("hand", "tiles", "returning", "chosen", "chosen_tile", "picks"):
                assert (games[name][0, seat] == other[name][0, seat]).all(), name
            for holder in seats_of(games):
                known = [
                    {c for c in cards_in(g.hand[0, holder]) if int(g.known_by[0, c]) >> seat & 1}
                    for g in (games, other)
                ]
                assert known[0] == known[1]


@pytest.mark.parametrize("seats", (2, 3, 4, 5))
def test_gk_2_after_a_redeal_everyone_has_held_the_cards_in_its_hand(seats):
    """The seats that have held a card decide who sees it, so they must match after a redeal."""
    game = game_of(seats)
    for games in looks(game, ANYTHING, seed=seats + 60):
        for seat in seats_of(games):
            other = redealt(game, games, seat)
            for holder in seats_of(games):
                for card in cards_in(other.hand[0, holder]):
                    assert int(other.known_by[0, card]) >> holder & 1


@pytest.mark.parametrize("seats", (2, 3, 4, 5))
def test_gk_2_after_a_redeal_hands_have_been_passed_on_as_before(seats):
    """As many cards of a hand as before have been held by the same seats, as passing is open."""
    game = game_of(seats)
    for games in looks(game, ANYTHING, seed=seats + 70):
        for seat in seats_of(games):
            other = redealt(game, games, seat)
            for holder in seats_of(games):
                held = [
                    Counter(int(g.known_by[0, c]) for c in cards_in(g.hand[0, holder]))
                    for g in (games, other)
                ]
                assert held[0] == held[1]


# ---------------------------------------------------------------- what is resampled


def tally(game, games, seat, look, count=REDEALS):
    """Count what ``look`` returns over many redeals."""
    found = Counter()
    for seed in range(count):
        found.update(look(redealt(game, games, seat, seed)))
    return found


def middle(seats, step=Step.CARD, likes="builder", **options):
    """Return a position in mid-game in which the last seat of a pass is to answer."""
    game = game_of(seats, **options)
    found = positions_of(game, 3, step, likes)
    last = [games for games in found if int(games.owes[0]).bit_count() == 1]
    return game, last[len(last) // 2]


def unknown_in_hand(games, seat, other):
    """Return the cards of another hand that the seat has not held."""
    if other == seat:
        return set()
    hand = cards_in(games.hand[0, other])
    return {card for card in hand if not int(games.known_by[0, card]) >> seat & 1}


def unknown_cards(games, seat, age=0):
    """Return the cards of a class, by default this deck's, whose place is unknown (G25)."""
    hidden = {int(card) for card in games.deck[0, : games.deck_size[0]]}
    for other in seats_of(games):
        hidden |= unknown_in_hand(games, seat, other)
    if games.hal_card[0] != NO_CARD:
        hidden.add(int(games.hal_card[0]))
    return {card for card in hidden if games.age[0, card] == age}


def possible_cards(games, seat, other):
    """Return the cards that may be in another hand: for each unknown card, all of its class."""
    possible = cards_in(games.hand[0, other])
    for card in unknown_in_hand(games, seat, other):
        possible |= unknown_cards(games, seat, games.age[0, card])
    return possible


@pytest.mark.compiled
@pytest.mark.parametrize("seats", (2, 3, 5))
def test_gk_2_every_unknown_card_appears_in_every_hand_and_everywhere_in_the_deck(seats):
    game, games = middle(seats)
    seat = int(games.to_play[0])
    hidden = unknown_cards(games, seat)
    for other in seats_of(games):
        if other != seat and cards_in(games.hand[0, other]) & hidden:
            held = tally(game, games, seat, lambda g, o=other: cards_in(g.hand[0, o]) & hidden)
            assert set(held) == hidden
    for place in (0, int(games.deck_size[0]) - 1):
        assert set(tally(game, games, seat, lambda g, p=place: [int(g.deck[0, p])])) == hidden


@pytest.mark.compiled
def test_gk_2_every_unknown_card_can_be_hals():
    game, games = middle(1)
    hidden = unknown_cards(games, 0)
    assert len(hidden) > 1
    assert set(tally(game, games, 0, lambda g: [int(g.hal_card[0])])) == hidden


@pytest.mark.compiled
@pytest.mark.parametrize("seats", SEATS)
def test_gk_2_every_unknown_tile_can_be_next_removed_or_behind_any_other_screen(seats):
    game, games = middle(seats, Step.TILE)
    seat = int(games.to_play[0])
    size = int(games.supply_size[0])
    known = set_of(games.tiles[0, seat]) | set_of(games.covered[0])
    known |= {int(tile) for tile in games.site_tile[0, : games.num_sites[0]]}
    known |= {tile for other in seats_of(games) for tile in set_of(games.taken_back[0, other])}
    hidden = set(range(60)) - known
    assert games.returned[0] == 0
    places = {"next": lambda g: [int(g.supply[0, size - 1])]}
    for other in seats_of(games):
        if other != seat and set_of(games.tiles[0, other]) & hidden:
            places[other] = lambda g, o=other: set_of(g.tiles[0, o]) & hidden
    if seats < 4:
        places["removed"] = lambda g: [
            tile
            for tile in hidden
            if tile not in g.supply[0, :size]
            and not any(tile in set_of(g.tiles[0, o]) for o in seats_of(g))
        ]
    for name, look in places.items():
        assert set(tally(game, games, seat, look, 5 * REDEALS)) == hidden, name


@pytest.mark.compiled
@pytest.mark.parametrize("step", (Step.CARD, Step.TILE, Step.GAIN, Step.MARKER))
def test_gk_3_others_that_have_chosen_unseen_have_chosen_anything(step):
    """Card, tile or none; in the pass of the cards also a new hand."""
    game = game_of(3)
    found = [
        (games, other)
        for games in positions_of(game, 3, step, "builder")
        for other in seats_of(games)
        if other != games.to_play[0] and games.chosen[0, other] != NO_CARD
    ]
    games, other = found[len(found) // 2]
    seat = int(games.to_play[0])
    assert games.tiles[0, other] != 0
    cards = tally(game, games, seat, lambda g: [int(g.chosen[0, other])])
    possible = possible_cards(games, seat, other)
    if step == Step.CARD and games.tokens[0, other]:
        possible |= {NO_CARD}  # a new hand
    assert set(cards) == possible
    owes_tile = step == Step.TILE and int(games.owes[0]) >> other & 1
    if step != Step.CARD and not owes_tile:
        tiles = tally(game, games, seat, lambda g: [int(g.chosen_tile[0, other])], 3 * REDEALS)
        if step == Step.TILE:  # not all have chosen yet
            assert NO_TILE in tiles
            assert len(tiles) > 20
        elif games.chosen_tile[0, other] == NO_TILE:
            assert set(tiles) == {NO_TILE}
        else:
            assert NO_TILE not in tiles
            assert len(tiles) > 20


@pytest.mark.compiled
def test_gk_3_others_that_still_owe_a_card_have_chosen_none():
    game = game_of(4)
    found = 0
    for games in positions_of(game, 3, Step.CARD):
        seat = int(games.to_play[0])
        other = redealt(game, games, seat)
        for waiting in seats_of(games):
            if waiting != seat and int(games.owes[0]) >> waiting & 1:
                assert other.chosen[0, waiting] == NO_CARD
                found += 1
    assert found > 0


def taken_back(game, games, seat):
    """Return a redealt copy in which the others choose again, and what they have not chosen."""
    other = redealt(game, games, seat)
    return other, int(game.kernels.take_back(game.tables, other, 0, seat))


@pytest.mark.parametrize("name", GAMES)
def test_gk_3_whatever_others_choose_again_the_seat_sees_what_it_saw(name):
    seats, change, likes, options = GAMES[name]
    game, rng = game_of(seats, change, **options), np.random.default_rng(seats)
    again = set()
    for games in islice(looks(game, likes, seed=seats + 40), 0, None, 1 if JIT else 3):
        if games.over[0] != 0:
            continue
        seat, step = int(games.to_play[0]), step_of(games)
        before = shown_to(game, games, seat)
        other, excluded = taken_back(game, games, seat)
        assert violations(game, other) == [], (seat, step)
        while other.to_play[0] != seat:
            again.add(step)
            legal = np.flatnonzero(game.legal_actions(other))
            action = int(rng.choice(legal[legal != excluded]))
            game.play(other, 0, action)
            assert violations(game, other) == [], (seat, step)
        assert shown_to(game, other, seat) == before, (seat, step)
        assert other.ply[0] == games.ply[0]
    if JIT and seats > 1:
        assert Step.TILE in again


@pytest.mark.parametrize("step", PASSES[:3])
def test_gk_3_others_choose_again_until_all_have_chosen(step):
    game, found = game_of(3), 0
    for games in positions_of(game, 3, step):
        seat = int(games.to_play[0])
        rivals = [rival for rival in seats_of(games) if rival != seat]
        other, excluded = taken_back(game, games, seat)
        has_new_hand = game.actions["new_hand"].start
        assert excluded == (has_new_hand if step == Step.TILE else -1)
        answered = int(games.asked[0]) & ~int(games.owes[0])
        if step == Step.TILE:
            assert step_of(other) == Step.CARD
            assert [bool(other.owes[0] >> rival & 1) for rival in rivals] == [True, True]
            assert (other.chosen[0, rivals] == NO_CARD).all()
            assert (other.chosen_tile[0, rivals] == NO_TILE).all()
            assert other.chosen[0, seat] == games.chosen[0, seat]
        else:
            assert step_of(other) == step
            assert other.owes[0] == games.owes[0] | answered
            taken = [rival for rival in rivals if answered >> rival & 1]
            assert (other.chosen[0, taken] == NO_CARD).all()
            found += len(taken)
    assert found or step == Step.TILE


def test_gk_3_once_all_have_chosen_nothing_is_chosen_again():
    game = game_of(3)
    for step in (Step.RETURN, Step.GAIN, Step.MARKER):
        found = positions_of(game, 3, step, "builder")
        assert found != [], step
        for games in found:
            seat = int(games.to_play[0])
            other, excluded = taken_back(game, games, seat)
            assert excluded == -1
            assert record_bytes(other) == record_bytes(redealt(game, games, seat))


# ---------------------------------------------------------------- the draft


def kinds_seen(state, pack, number):
    """Return what was in a pack when it was held in a pass."""
    taken = state.taken_in[pack]
    return Counter(state.pack[pack][(taken == NOT_TAKEN) | (taken >= number)].tolist())


@pytest.mark.compiled
@pytest.mark.parametrize("seats", (2, 3, 4, 5))
@pytest.mark.parametrize("number", (0, 1, 2))
def test_gk_4_g11_packs_that_were_held_stay_and_others_are_dealt_anew(seats, number):
    game = game_of(seats)
    games = next(
        g
        for g in positions_of(game, 4, Step.DRAFT)
        if g.num_picks[0] == number and int(g.owes[0]).bit_count() == 1
    )
    seat = int(games.to_play[0])
    state = games[0]
    now = pack_held_by(games, seat)
    copies = Counter(game.tables[0].character_kind[:27].tolist())
    for seed in range(REDEALS // 4):
        other = redealt(game, games, seat, seed)[0]
        assert kinds_seen(other, now, number) == kinds_seen(state, now, number)
        for held in range(number):  # packs held in an earlier pass, as they were then
            pack = (seat - held) % seats
            assert kinds_seen(other, pack, held) == kinds_seen(state, pack, held)
        assert Counter(other.pack[:seats].ravel().tolist()) <= copies
        assert (np.sort(other.taken_in) == np.sort(state.taken_in)).all()


@pytest.mark.compiled
@pytest.mark.parametrize("seats", (2, 3, 4, 5))
def test_gk_4_g11_unseen_picks_of_others_can_be_any_kind(seats):
    game = game_of(seats)
    games = next(
        g
        for g in positions_of(game, 4, Step.DRAFT)
        if g.num_picks[0] == 1 and int(g.owes[0]).bit_count() == 1
    )
    seat = int(games.to_play[0])
    state = games[0]
    left = Counter(game.tables[0].character_kind[:27].tolist())
    left -= Counter(state.pack[seat].tolist())  # held in the first pass, whole
    now = pack_held_by(games, seat)
    left -= Counter(state.pack[now][state.taken_in[now] == NOT_TAKEN].tolist())
    unseen = (seat + 1) % seats  # its first pick came from its own pack
    picks = tally(game, games, seat, lambda g: [int(g.picks[0, unseen, 0])])
    assert NO_CHARACTER not in picks
    assert set(picks) == set(left)


@pytest.mark.compiled
@pytest.mark.parametrize("seats", (3, 4, 5))
def test_gk_4_g11_what_the_next_seat_took_of_a_pack_passed_on_is_any_of_what_was_left(seats):
    """In the last pass: the seat's first pack, from which the next seat then took a card."""
    game = game_of(seats)
    games = next(
        g
        for g in positions_of(game, 4, Step.DRAFT)
        if g.num_picks[0] == 2 and int(g.owes[0]).bit_count() == 1
    )
    seat = int(games.to_play[0])
    passed_on = set(kinds_seen(games[0], seat, 1))
    assert len(passed_on) > 1
    following = (seat + 1) % seats
    picks = tally(game, games, seat, lambda g: [int(g.picks[0, following, 1])], REDEALS // 2)
    assert set(picks) == passed_on


@pytest.mark.compiled
def test_gk_4_g11_with_two_seats_the_pack_that_came_back_tells_what_was_taken():
    """Seat 0 is dealt pack 0, seat 1 takes a card from it, and in pass 2 it is back."""
    game = game_of(2)
    games = next(
        g for g in positions_of(game, 4, Step.DRAFT) if g.num_picks[0] == 2 and g.to_play[0] == 1
    )
    picks = tally(game, games, 1, lambda g: [int(g.picks[0, 0, 1])], REDEALS // 4)
    assert set(picks) == {int(games.picks[0, 0, 1])}


# ---------------------------------------------------------------- tiles returned


@pytest.mark.compiled
@pytest.mark.parametrize("seats", (2, 3, 5))
def test_gk_4_g5_others_may_have_returned_any_number_so_far(seats):
    game = game_of(seats, FEW_TILES)
    found = [g for g in positions_of(game, 3, Step.RETURN, "giver") if g.pass_number[0] >= 1]
    assert found
    for games in found:
        seat = int(games.to_play[0])
        first = int(games.first[0])
        for other in seats_of(games):
            if other == seat:
                continue
            before = (other - first) % seats < (seat - first) % seats
            answers = int(games.pass_number[0]) + before
            held = len(set_of(games.tiles[0, other]) | set_of(games.returning[0, other]))
            held -= games.chosen_tile[0, other] != NO_TILE
            counts = tally(game, games, seat, lambda g, o=other: [len(set_of(g.returning[0, o]))])
            assert set(counts) <= set(range(min(answers, held) + 1))
            assert min(answers, held) in counts  # the most likely one, or nearly


def after_the_return(game):
    """Return the position after the tiles were shown, and what each seat had returned."""
    returned = None
    for games in steered_game(game, 5, GIVER):
        if step_of(games) == Step.RETURN:
            returned = [set_of(held) for held in games.returning[0]]
        elif returned is not None:
            return games, returned  # the last answer of all is "done"
    raise LookupError("no tiles were returned")


@pytest.mark.compiled
def test_gk_4_g5_tiles_a_seat_has_returned_are_never_among_those_removed_unseen():
    """Returned tiles are revealed together and form the supply: a seat knows at least its own."""
    game = game_of(2, FEW_TILES)
    games, returned = after_the_return(game)
    seat = 0 if returned[0] else 1
    assert returned[seat]
    for seed in range(REDEALS // 4):
        state = redealt(game, games, seat, seed)[0]
        around = {*state.supply[: state.supply_size].tolist(), *set_of(state.covered)}
        around |= {*set_of(state.tiles[0]), *set_of(state.tiles[1])}
        around |= set(state.site_tile[: state.num_sites].tolist())
        assert returned[seat] <= around


# ---------------------------------------------------------------- no trace of the truth


def trace(game, games, seat, seed):
    """Return what a search sees of a re-dealt game: everything except the cards' history."""
    other = redealt(game, games, seat, seed)
    state = other[0]
    found = [("owes", int(state.owes)), ("again", int(state.again))]
    for holder in seats_of(other):
        if holder != seat:
            found += [(holder, "card", card) for card in cards_in(state.hand[holder])]
            found += [(holder, "tile", tile) for tile in set_of(state.tiles[holder])]
            found += [(holder, "returning", len(set_of(state.returning[holder])))]
            found += [(holder, "chosen", int(state.chosen[holder]))]
            found += [(holder, "with", int(state.chosen_tile[holder]) == NO_TILE)]
            found += [(holder, "pick", k, int(p)) for k, p in enumerate(state.picks[holder])]
    found += [("next", int(state.deck[state.deck_size - 1]))]
    found += [("hal", int(state.hal_card))]
    return found


TRACED = {
    "card": (3, None, Step.CARD, "builder"),
    "card, 5 seats": (5, None, Step.CARD, "anything"),
    "tile": (3, None, Step.TILE, "builder"),
    "marker": (3, None, Step.MARKER, "builder"),
    "draft": (4, None, Step.DRAFT, "anything"),
    "draft, 2 seats": (2, None, Step.DRAFT, "anything"),
    "return": (3, FEW_TILES, Step.RETURN, "giver"),
    "Hal": (1, None, Step.CARD, "builder"),
}


@pytest.mark.compiled
@pytest.mark.parametrize("name", TRACED)
def test_gk_2_redeals_of_two_games_that_look_alike_are_alike(name):
    """A seat knows the same in a game and in its redeal, so redeals of both are alike.

    Every feature of a re-dealt game is equally frequent within five standard deviations.
    """
    seats, change, step, likes = TRACED[name]
    game = game_of(seats, change)
    found = positions_of(game, 3, step, likes)
    count = 2 * REDEALS
    for games in found[len(found) // 3 :: max(len(found) // 3, 1)]:
        seat = int(games.to_play[0])
        twin = redealt(game, games, seat, 10**6)
        one, other = Counter(), Counter()
        for seed in range(count):
            one.update(trace(game, games, seat, seed))
            other.update(trace(game, twin, seat, count + seed))
        for feature in one | other:
            share = (one[feature] + other[feature]) / (2 * count)
            spread = np.sqrt(2 * share * (1 - share) / count)
            apart = abs(one[feature] - other[feature]) / count
            assert apart <= 5 * spread + 1e-9, (feature, one[feature], other[feature])


# ---------------------------------------------------------------- what a seat knows (G25)


def test_gk_4_g25_cards_in_hands_are_of_an_older_class_once_the_deck_is_formed_anew():
    """Seat 1 draws H, the last card of the old deck, and seat 0 the first of the new one."""
    hands = [["A", "B", "C", "D"], ["E", "F", "G", "red 1"]]
    game, games = position(hands=hands, deck=["H"], rest_of_cards="discards")
    choose(game, games, "A", "E")
    play_on(game, games)
    ages = {name: int(games.age[0, card_of(name)]) for name in (*"BCDFGH", "red 1")}
    assert set(ages.values()) == {1}
    (drawn,) = hand_of(games, 0) - {"F", "G", "red 1"}
    assert games.age[0, card_of(drawn)] == 0
    assert games.age[0].sum() == len(ages)
    assert all(games.age[0, card] == 0 for card in games.deck[0, : games.deck_size[0]])


def test_gk_4_g25_classes_are_numbered_without_gaps_when_a_deck_is_formed():
    """So their number is bounded by that of the cards in hands.  F and G are of older decks."""
    hands = [["A", "B", "C", "D"], ["E", "F", "G", "red 1"]]
    game, games = position(hands=hands, deck=["H"], rest_of_cards="discards")
    games.age[0, [card_of("F"), card_of("G")]] = 9, 4
    choose(game, games, "A", "E")
    play_on(game, games)
    ages = {name: int(games.age[0, card_of(name)]) for name in ("B", "G", "F", "H", "E")}
    assert ages == {"B": 1, "G": 2, "F": 3, "H": 1, "E": 0}


def test_gk_4_g25_the_last_card_of_a_deck_is_known_to_be_hals():
    """Seat 0 draws E, F and G, Hal H, and the deck is formed anew."""
    game, games = position(
        1, hands=[["A", "B", "C"]], hal_card="D", deck=["E", "F", "G", "H"],
        rest_of_cards="discards",
    )  # fmt: skip
    choose(game, games, "A")
    play_on(game, games)
    assert hand_of(games, 0) == {"E", "F", "G"}
    for seed in range(20):
        assert redealt(game, games, 0, seed).hal_card[0] == card_of("H")


def test_gk_4_g2_g25_a_tile_taken_back_is_known_until_it_is_played():
    """Seat 1 cannot pay for red 20 with E; a round later it can."""
    game, games = position(
        hands=[["A", "B", "C", "D"], ["E", "F", "G", "red 1"]],
        resources=[5, 0],
        tiles=[[], ["red 20"]],
    )
    choose(game, games, "A", ("E", "red 20"))
    assert games.taken_back[0].tolist()[:2] == [0, 0]
    play(game, games, "take resource")
    assert games.taken_back[0].tolist()[:2] == [0, 1 << tile_of("red 20")]
    play_on(game, games)
    for seed in range(20):
        assert redealt(game, games, 0, seed).tiles[0, 1] == games.tiles[0, 1]
    choose(game, games, ("B", "red 20"))
    assert games.taken_back[0].tolist()[:2] == [0, 0]


def test_gk_4_g25_a_known_tile_that_is_returned_belongs_to_the_supply():
    """Seat 1 takes red 20 back; seat 0 takes the last tile of the supply in the next round."""
    game, games = position(
        hands=[["A", "B", "C", "D"], ["E", "F", "G", "red 1"]],
        resources=[5, 0],
        tiles=[[], ["red 20"]],
        supply=["red 19"],
        rest_of_tiles=0,
    )
    choose(game, games, "A", ("E", "red 20"))
    play(game, games, "take resource", "take resource")
    choose(game, games, "B", "F")
    play(game, games, "take resource", "take tile")
    play(game, games, "return red 20", "return red 18", "done returning", "done returning")
    assert games.taken_back[0, 1] == 0
    assert set_of(games.returned[0]) == {tile_of("red 20"), tile_of("red 18")}
    for seed in range(20):
        supply = redealt(game, games, 0, seed).supply[0]
        assert set(supply[:2].tolist()) == {tile_of("red 20"), tile_of("red 18")}
        assert not supply[2:].any()


def test_gk_4_g23_a_text_does_not_say_how_many_tiles_are_put_aside():
    found = set()
    for answer in ("return red 20", "done returning"):
        game, games = position(
            hands=[["A", "B", "C", "D"], ["E", "F", "G", "H"]],
            tiles=[["red 20"], ["red 18"]],
            supply=["red 19"],
            rest_of_tiles=0,
            options={"open_screens": True},
        )
        choose(game, games, "A", "E")
        play(game, games, "take tile", answer)
        found.add(seen_text(game, games, 0, 1))
    assert len(found) == 1
    assert "tiles ?, ?, " in found.pop()


@pytest.mark.parametrize("name", GAMES)
def test_gk_4_g25_a_redeal_keeps_classes_known_tiles_and_whether_a_tile_lies_on_a_card(name):
    seats, change, likes, options = GAMES[name]
    game = game_of(seats, change, **options)
    for games in looks(game, likes, seed=seats + 80):
        for seat in seats_of(games):
            other = redealt(game, games, seat)
            for field in ("age", "taken_back", "returned"):
                assert (games[field] == other[field]).all(), field
            all_chosen = step_of(games) not in (Step.CARD, Step.TILE)
            for holder in seats_of(games):
                hands = [cards_in(g.hand[0, holder]) for g in (games, other)]
                assert Counter(games.age[0, list(hands[0])].tolist()) == Counter(
                    games.age[0, list(hands[1])].tolist()
                )
                shown = set_of(games.taken_back[0, holder])
                mine, others = (
                    set_of(g.tiles[0, holder]) | set_of(g.returning[0, holder])
                    for g in (games, other)
                )
                returned = set_of(games.returned[0])
                assert shown <= others
                assert (len(mine & returned), len(mine)) == (len(others & returned), len(others))
                if all_chosen:
                    lies = [g.chosen_tile[0, holder] != NO_TILE for g in (games, other)]
                    assert lies[0] == lies[1]


@pytest.mark.parametrize("seats", SEATS)
def test_gk_2_after_a_redeal_nothing_lies_behind_the_end_of_deck_and_supply(seats):
    """What was drawn, and the removed tiles, must not be left there."""
    game = game_of(seats, FEW_TILES)
    for games in looks(game, GIVER, seed=seats + 90):
        other = redealt(game, games, 0)
        assert games.over[0] or not other.deck[0, int(other.deck_size[0]) :].any()
        assert games.over[0] or not other.supply[0, int(other.supply_size[0]) :].any()


def test_gk_4_g11_nothing_is_kept_of_packs_and_of_the_order_of_picks_after_the_draft():
    game = game_of(3)
    games = next(g for g in steered_game(game, 2) if step_of(g) == Step.CARD)
    assert set(games.pack[0].ravel().tolist()) == {NO_CHARACTER}
    assert set(games.taken_in[0].ravel().tolist()) == {NOT_TAKEN}
    assert (np.diff(games.picks[0, :3].astype(int)) >= 0).all()


def lines_of(text):
    """Return the lines of the seats, each as its parts between semicolons."""
    return [line.strip().split("; ") for line in text.splitlines() if line.startswith("  seat")]


def test_the_text_board_shows_a_seat_what_it_may_see():
    """GK §2: resources, points and tiles behind a screen are hidden, cards before it are not."""
    game = game_of(2)
    games = next(islice(steered_game(game, 3, BUILDER), 60, None)).copy()
    own, other = lines_of(game.rules.describe_to(game.tables, games, 0, 0))
    all_of_own, all_of_other = lines_of(game.describe(games))
    assert own == all_of_own
    counts, tiles, hand, cards = other
    assert counts.startswith("seat 1: ? points, ? resources (+")
    assert (tiles, hand) == ("tiles ?", "hand ?, ?, ?, ?")
    assert cards == all_of_other[3]
    assert cards.count(",") >= 2

    games["open_screens"] = 1
    counts, tiles, _, _ = lines_of(game.rules.describe_to(game.tables, games, 0, 0))[1]
    assert counts == all_of_other[0]
    assert tiles == "tiles " + ", ".join("?" for _ in all_of_other[1].split(", "))


def test_characters_are_hidden_on_the_text_board_while_they_are_drafted():
    """GK §2: a picked character lies face down until the draft is over."""
    game = game_of(3, characters="draft")
    games = game.deal(1, seed=4)
    for _ in range(3):  # every seat picks its first character
        game.play(games, 0, int(np.flatnonzero(game.legal_actions(games, 0))[0]))
    shown = [parts[3] for parts in lines_of(game.rules.describe_to(game.tables, games, 0, 1))]
    assert shown[0] == shown[2] == "cards ?"
    assert shown[1] == lines_of(game.describe(games))[1][3] != "cards ?"
