"""Every kind of decision is explained by an element of the page: the table decisions.toml."""

import re
import tomllib
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

import sprawl_env
from sprawl_env.core.state import clone
from sprawl_env.play.session import Session
from sprawl_env.render.board import picture_of
from sprawl_env.render.pieces import parts_of
from tests.suite import GAMES
from tests.unit.play.test_screens import opened

pytestmark = pytest.mark.compiled  # tests pages, not rules

TABLE = tomllib.loads(Path(__file__).with_name("decisions.toml").read_text(encoding="utf-8"))
TURNS = 3
SEATS = {"tower_up": 2, "ginkgopolis": 2, "urban_sprawl": 3}
DEALS = {
    "tower_up": 40,
    "ginkgopolis": 30,
    "urban_sprawl": 6,
}  # of which all decisions are looked at
MOST_DEALS = 400  # in which a rare decision is looked for


def openings(game, deals):
    """Yield the positions of the first turns of random games, as their seats to play see them."""
    rng = np.random.default_rng(0)
    for seed in range(deals):
        games = game.deal(1, seed)
        while not games["over"][0] and games["turn"][0] < TURNS * game.num_seats:
            yield games
            legal = np.flatnonzero(game.legal_actions(games, 0))
            game.play(games, 0, int(rng.choice(legal)))


def row_of(name, decision):
    """Return the row of the table for a decision."""
    rows = [row for row in TABLE[name] if re.fullmatch(row["decision"], decision)]
    assert len(rows) == 1, decision
    return rows[0]


@pytest.mark.parametrize("name", GAMES)
def test_every_decision_of_the_first_turns_is_in_the_table(name):
    game, found = sprawl_env.game(name, num_players=SEATS[name]), 0
    for games in openings(game, DEALS[name]):
        picture = picture_of(game, games, 0, int(games["to_play"][0]))
        row = row_of(name, picture.caption.decision)
        assert row["says"] in game.question(games), row
        places = [part["name"] for part in parts_of(picture) if "target" in part["svg"]]
        assert places, row
        for place in places:
            assert place.startswith(tuple(row["places"])), row
        found += 1
    assert found > 200


def examples(name):
    """Return for each row of the table a position in which it is asked, and the number of deals."""
    game = sprawl_env.game(name, num_players=SEATS[name])
    wanted, found = len(TABLE[name]), {}
    for games in openings(game, MOST_DEALS):
        asked = game.question(games)
        if any(row["says"] in asked and row["decision"] not in found for row in TABLE[name]):
            picture = picture_of(game, games, 0, int(games["to_play"][0]))
            row = row_of(name, picture.caption.decision)
            found.setdefault(row["decision"], clone(games))
        if len(found) == wanted:
            break
    missing = [row["decision"] for row in TABLE[name] if row["decision"] not in found]
    assert not missing
    return game, found


SHOWN = """(names) => names.map((name) =>
  [...document.querySelectorAll(`main .part[data-part^="${name}"] .target`)].filter((element) =>
    element.getBoundingClientRect().width > 0 && element.getAttribute("aria-label")
    && element.getAttribute("role") === "button").length)"""


@pytest.mark.long
@pytest.mark.parametrize("name", GAMES)
def test_the_page_has_the_element_when_the_decision_is_asked(name, tmp_path):
    game, found = examples(name)
    session = Session(game, ("human",) * game.num_seats, ())
    with opened(session, tmp_path, "desktop") as page:
        for row in TABLE[name]:
            session.seed = None
            session._start(found[row["decision"]])
            page.reload()
            page.wait_for_selector("#curtain:not(.hidden), #board svg")
            if page.locator("#curtain:visible").count():
                page.click("#hand-over")
            page.wait_for_selector("#decision.mine")
            assert row["says"] in page.inner_text("#prompt"), row
            counts = page.evaluate(SHOWN, row["places"])
            assert sum(counts) > 0, row
            page.keyboard.press("ArrowRight")  # to the first place
            page.wait_for_selector("#tip:not(.hidden)")
            assert page.inner_text("#tip").strip(), row
