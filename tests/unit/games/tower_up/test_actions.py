"""TU §9: the action table, the mask and the action names."""

import numpy as np
import pytest

from sprawl_env.core.errors import IllegalAction
from sprawl_env.games.tower_up.actions import ACTIONS
from tests.unit.games.tower_up.position import (
    game_of,
    legal_names,
    pass_by_card,
    play,
    position,
    random_game,
)


def test_tu_9_there_are_251_actions_in_five_blocks():
    blocks = [(block.name, block.start, block.size) for block in ACTIONS.blocks.values()]
    assert blocks == [
        ("take", 0, 3),
        ("choose", 3, 4),
        ("return", 7, 4),
        ("build", 11, 192),
        ("roof", 203, 48),
    ]
    assert ACTIONS.size == game_of(2).num_actions == game_of(4).num_actions == 251


@pytest.mark.parametrize(
    ("action", "name"),
    [
        (0, "take card 1"),
        (2, "take card 3"),
        (3, "choose black"),
        (6, "choose brown"),
        (7, "return black"),
        (10, "return brown"),
        (11, "build black on site 0"),
        (14, "build brown on site 0"),
        (15, "build black on site 1"),
        (202, "build brown on site 47"),
        (203, "roof on site 0"),
        (250, "roof on site 47"),
    ],
)
def test_tu_9_what_an_action_is_called(action, name):
    game = game_of(4)
    assert game.action_name(game.deal(1), 0, action) == name


@pytest.mark.parametrize("seats", (2, 3, 4))
def test_tu_9_no_two_actions_share_a_name(seats):
    game = game_of(seats)
    games = game.deal(1)
    assert len({game.action_name(games, 0, action) for action in range(251)}) == 251


@pytest.mark.parametrize("action", (-1, 251, 10_000))
def test_tu_9_an_id_outside_the_table_has_no_name(action):
    game = game_of(2)
    with pytest.raises(IllegalAction, match=r"0\.\.250"):
        game.action_name(game.deal(1), 0, action)


def test_tu_9_a_mask_holds_0_and_1_and_overwrites_what_was_there():
    game = game_of(2)
    mask = np.full(251, 77, np.int8)
    assert game.legal_actions(game.deal(1), 0, mask) is mask
    assert set(mask.tolist()) == {0, 1}


def test_tu_9_every_ply_before_the_end_has_a_legal_action_and_none_after():
    for games in random_game(game_of(2), seed=3):
        assert game_of(2).legal_actions(games).any() == (not games.over[0])


def test_tu_9_each_decision_offers_its_own_block_alone():
    game = game_of(4)
    blocks = {0: {"take", "build"}, 1: {"choose"}, 2: {"return"}, 3: {"roof"}}
    seen = set()
    for games in random_game(game, seed=5):
        if not games.over[0]:
            step = int(games.agenda[0, int(games.agenda_size[0]) - 1].step)
            assert {name.split()[0] for name in legal_names(game, games)} <= blocks[step]
            seen.add(step)
    assert seen == {0, 1, 2, 3}


def test_tu_9_a_ply_with_a_single_legal_action_is_still_a_ply():
    game, games = position(
        market=("2 multicolour", "2 black + 2 grey", "black + grey + white"),
        supply={"black": 0, "grey": 0, "white": 0},
    )
    play(game, games, "take card 1")
    assert legal_names(game, games) == {"choose brown"}
    play(game, games, "choose brown")
    assert games.ply[0] == 2
    assert games.to_play[0] == 0


def test_tu_9_plies_and_turns_are_counted():
    game, games = position(reserves=[(3, 3, 2, 0), (1, 1, 1, 1)])
    play(game, games, "take card 1", "return black", "return black")
    assert (games.ply[0], games.turn[0]) == (3, 1)
    play(game, games, "build grey on site 7", "roof on site 7")
    assert (games.ply[0], games.turn[0]) == (5, 2)


def test_tu_9_an_illegal_action_is_named_with_what_would_be_legal():
    game, games = position()
    with pytest.raises(IllegalAction, match=r"seat 0 may not play 3 \(choose black\).*take card 1"):
        game.play(games, 0, 3)
    with pytest.raises(IllegalAction, match=r"ids are 0\.\.250"):
        game.play(games, 0, 251)
    with pytest.raises(IllegalAction, match="may not play -1"):
        game.play(games, 0, -1)


def test_tu_9_once_over_every_action_is_illegal():
    game, games = position(options={"max_turns": 1})
    pass_by_card(game, games)
    with pytest.raises(IllegalAction, match="the game is over"):
        game.play(games, 0, 0)


def test_the_text_board_shows_what_lies_there():
    game, games = position(
        buildings={6: ("black", 2), 7: ("grey", 1)},
        roofs=[(0, 6, 2)],
        market=(
            "multicolour + grey vehicle 2",
            "2 black + 2 grey",
            "grey + white + black vehicle 1",
        ),
    )
    text = game.describe(games)
    for line in (
        "seat 0 to take a card or build",
        "site 6: black 2; roofs: seat 0 at 2, top: seat 0",
        "site 7: grey 1",
        "card 1: 1 multicolour + grey vehicle 2",
        "card 3: grey + white + black vehicle 1",
        "objective 1: colours",
        "deck 41 cards",
    ):
        assert line in text
