"""How to play each game: a guide of a screen, whose sections point at parts of the picture."""

import numpy as np
import pytest

import sprawl_env
from sprawl_env.core.rules import Section
from sprawl_env.core.state import NOT_OVER
from sprawl_env.play import guide
from sprawl_env.render.board import picture_of
from tests.suite import GAMES

LONGEST = 420  # characters of a section
A_SCREEN = 3000  # characters of a guide
SECTIONS = range(7, 13)
SHOWN = range(2, 5)


@pytest.mark.parametrize("name", GAMES)
def test_a_guide_fits_one_screen(name):
    sections = sprawl_env.game(name).rules.guide
    assert len(sections) in SECTIONS
    assert all(section.title.strip() and section.text.strip() for section in sections)
    titles = [section.title for section in sections]
    assert len(set(titles)) == len(titles)
    too_long = {each.title: len(each.text) for each in sections if len(each.text) > LONGEST}
    assert too_long == {}
    assert sum(len(section.text) for section in sections) <= A_SCREEN
    assert all(section.text.endswith(".") for section in sections)
    assert titles[0].startswith("The aim")


@pytest.mark.parametrize("name", GAMES)
def test_a_guide_explains_the_board_and_shows_a_few_parts(name):
    sections = sprawl_env.game(name).rules.guide
    parts = [section.part for section in sections]
    assert {"board", "seat-"} <= set(parts)
    shown = [section.part for section in sections if section.shown]
    assert len(shown) in SHOWN
    assert all(shown)


def parts_along(game, plies=60):
    """Return the names of all parts of the pictures of a random game."""
    rng, games, found = np.random.default_rng(0), game.deal(1), set()
    for _ in range(plies):
        if games["over"][0] != NOT_OVER:
            break
        found |= {part.name for part in picture_of(game, games, 0, 0).parts}
        legal = np.flatnonzero(game.legal_actions(games))
        game.play(games, 0, int(rng.choice(legal)))
    return found


@pytest.mark.compiled  # draws pictures
def test_every_part_that_tower_up_s_guide_names_is_in_its_picture():
    game = sprawl_env.game("tower_up")
    found = parts_along(game)
    for section in game.rules.guide:
        assert any(name.startswith(section.part) for name in found), section.title


@pytest.mark.compiled
def test_a_section_that_names_the_beginning_of_parts_shows_the_first_of_them(monkeypatch):
    game = sprawl_env.game("tower_up")
    drawn = {part.name: part.svg() for part in picture_of(game, game.deal(1), 0, 0).parts}
    sections = (
        Section("Cards", "Text.", "market-", shown=True),
        Section("A card", "Text.", "market-2", shown=True),
        Section("Not shown", "Text.", "market-"),
        Section("No such part", "Text.", "nowhere", shown=True),
        Section("No part", "Text.", "", shown=True),
    )
    monkeypatch.setitem(game.rules.__dict__, "guide", sections)
    shown = [section["svg"] for section in guide.sections_of(game)]
    assert shown == [drawn["market-1"], drawn["market-2"], "", "", ""]
