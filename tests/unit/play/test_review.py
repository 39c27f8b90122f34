"""The analysis of a finished game: play/review.py, and its part of the page."""

import numpy as np
import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

import sprawl_env
from sprawl_env.bots.analysis import Analysis, only_one
from sprawl_env.bots.names import make_bot
from sprawl_env.core.errors import SprawlError
from sprawl_env.play.asking import LEAD, MIXTURE, RATING, VALUE
from sprawl_env.play.log import Entry
from sprawl_env.play.review import review
from sprawl_env.play.session import NotNow, Session
from tests.suite import GAMES
from tests.unit.play.test_screens import DESKTOP, PHONE, SCREENS, go_on, opened

pytestmark = [pytest.mark.compiled, pytest.mark.usefixtures("one_browser")]  # tests pages
SHORT = {
    "tower_up": {"max_turns": 8},
    "ginkgopolis": {"max_rounds": 4},
    "urban_sprawl": {"max_turns": 3},
}
HINTS = ("greedy", "mcts:sims=20", "planner")


@pytest.mark.parametrize("counts", ["lead", "margin", ""])
def test_a_policy_that_counts_points_tells_the_lead_at_the_end(counts):
    session = finished("tower_up")
    game, entry = session.game, session.log[session.choices()[0][-1]]
    points = game.scores(entry.before, 0)

    class Policy(Judge):
        name = "agent:tower_up/mine"
        needs_states = False

        def analyse(self, mask, state):
            legal = np.flatnonzero(mask)
            return Analysis(legal, np.full(legal.size, 1 / legal.size), np.full(legal.size, 3.0))

    bot = Policy()
    bot.counts = counts
    found = review(game, bot, entry, 0)
    lead = points[entry.played.seat] - points[1 - entry.played.seat]
    assert lead != 0
    assert found.value == (3.0 + lead if counts == "lead" else 3.0)
    assert found.unit == (LEAD if counts else VALUE)
    assert found.lost is None


def finished(name, seats=2, hints=HINTS, bot="random"):
    """Return a session whose game is over."""
    game = sprawl_env.game(name, num_players=seats, **SHORT[name])
    session = Session(game, ("human", *(bot,) * (seats - 1)), hints, 4)
    go_on(session, np.random.default_rng(4), 10**6)
    assert session.over
    return session


class Judge:
    """Gives every action the value of its number among the legal ones; plays the best."""

    name = "mcts:judge"
    needs_observations = False
    needs_states = True
    seen = ()

    def seed(self, seed):
        pass

    def act(self, observations, masks, states):
        return masks.argmax(axis=1)

    def analyse(self, mask, state):
        self.seen = (*self.seen, state.copy())
        legal = np.flatnonzero(mask)[::-1]
        if legal.size == 1:
            return only_one(int(legal[0]))
        values = np.arange(legal.size)[::-1] / legal.size
        values[1] = np.nan  # was not tried
        return Analysis(legal, np.ones(legal.size, np.int64), values)


Judge.__module__ = "sprawl_env.bots.judge"  # searches, as those of the package


@pytest.mark.parametrize("name", GAMES)
def test_what_was_lost_is_the_best_value_less_that_of_the_action(name):
    session, judge = finished(name), Judge()
    game = session.game
    for ply in session.choices()[0]:
        entry = session.log[ply]
        legal = np.flatnonzero(game.legal_actions(entry.before, 0))[::-1]
        (k,) = np.flatnonzero(legal == entry.played.action)
        found = review(game, judge, entry, ply)
        assert (found.ply, found.unit) == (ply, MIXTURE)
        assert found.says == game.action_name(entry.before, 0, entry.played.action)
        assert found.best == game.action_name(entry.before, 0, int(legal[0]))
        assert found.same == (k == 0)
        assert found.value == (legal.size - 1) / legal.size
        assert found.lost == (None if k == 1 else pytest.approx(k / legal.size))
        assert found.share == 1 / legal.size


def test_a_bot_sees_what_the_seat_could_know():
    session, judge = finished("ginkgopolis", 3), Judge()
    game = session.game
    ply = session.choices()[0][-1]
    entry = session.log[ply]
    answers = []
    for number in range(4):  # what the seat cannot know is another one each time
        other = entry.before.copy()
        game.redeal_hidden(other, 0, number, 0)
        answers.append(review(game, judge, Entry(other, entry.played, entry.ply), ply))
    assert answers == answers[:1] * 4
    seen = {game.observe(state, 0, 0).tobytes() for state in judge.seen}
    assert seen == {game.observe(entry.before, 0, 0).tobytes()}


@pytest.mark.parametrize("name", GAMES)
def test_the_same_question_has_the_same_answer(name):
    session = finished(name)
    ply = session.choices()[0][2]
    for bot, unit in (("mcts:sims=20", MIXTURE), ("planner", RATING), ("greedy", "")):
        first = session.review(0, bot, ply)
        assert session.review(0, bot, ply) == first
        assert first.unit == unit
        assert (first.value is None) == (bot == "greedy")
        alone = make_bot(bot, session.game)
        assert review(session.game, alone, session.log[ply], ply).best == first.best


def test_choices_are_the_decisions_with_more_than_one_action():
    session = finished("tower_up")
    game = session.game
    assert session.view(0)["choices"] == session.choices()
    for seat, plies in enumerate(session.choices()):
        for ply, entry in enumerate(session.log):
            several = game.legal_actions(entry.before, 0).sum() > 1
            assert (ply in plies) == (several and entry.played.seat == seat)
    session.undo(0)
    assert session.choices() == [[], []]


def test_there_is_no_analysis_before_the_end_or_of_anything_else():
    session = finished("tower_up")
    for name, ply, says in [
        ("nobody", 0, "analysis 'nobody': expected one of greedy, mcts:sims=20, planner"),
        ("greedy", len(session.log), r"ply \d+: expected a decision of the log, 0..\d+"),
        ("greedy", -1, "ply -1: expected a decision of the log"),
    ]:
        with pytest.raises(NotNow, match=says):
            session.review(0, name, ply)
    session.undo(0)
    with pytest.raises(NotNow, match="the analysis is available when the game is over"):
        session.review(0, "greedy", 0)


class Breaks(Judge):
    name = "breaks"

    def act(self, observations, masks, states):
        raise ZeroDivisionError("by nothing")

    def analyse(self, mask, state):
        return self.act(None, mask, state)


def test_a_bot_that_fails_is_one_line():
    session = finished("tower_up", hints=(Breaks(),))
    with pytest.raises(SprawlError, match="ZeroDivisionError: by nothing"):
        session.review(0, "breaks", session.choices()[0][0])


FITS = """() => [...document.querySelectorAll("#review *")].filter((element) => {
  const box = element.getBoundingClientRect();
  return box.width && (box.left < 0 || box.right > innerWidth + 1);
}).map((element) => element.outerHTML.slice(0, 80))"""


@pytest.mark.parametrize("screen", ["desktop", "phone"])
def test_the_page_shows_the_curve_and_what_cost_most(screen, tmp_path):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    session = finished("tower_up", hints=("greedy", "planner"), bot="greedy")
    assert {DESKTOP, PHONE} <= set(SCREENS.values())
    with opened(session, tmp_path, screen) as page:
        page.click("#open-review")
        done = "#review-says:has-text('It would have played the same in')"
        page.wait_for_selector(done)
        assert page.input_value("#judge") == "planner"  # greedy knows no values
        plies = session.choices()[0]
        found = [session.review(0, "planner", ply) for ply in plies]
        same = sum(each.same for each in found)
        says = f"the same in {same} of {len(plies)} decisions with a choice."
        assert says in page.inner_text("#review-says")
        assert page.locator("#curve circle").count() == len(plies)
        assert page.locator("#curve circle.other").count() == len(plies) - same
        costly = [each for each in found if not each.same and (each.lost or 0.0) >= 0.05]
        worst = max(costly, key=lambda each: each.lost)
        first = page.locator("#worst button").first
        assert first.inner_text().startswith("Turn ")
        assert first.inner_text().endswith(
            f": {worst.lost:.1f} points lost: {worst.says}; better: {worst.best}"
        )
        assert page.evaluate(FITS) == []
        assert axe.Axe().run(page).response["violations"] == []
        page.select_option("#judged", "1")
        page.wait_for_selector(f"{done}:has-text('of {len(session.choices()[1])} decisions')")
        page.select_option("#judge", "greedy")
        page.wait_for_selector(done)
        assert page.locator("#curve:visible").count() == 0
        page.locator("#worst button").first.click()
        assert page.locator("#review[open]").count() == 0
        page.wait_for_selector("#past:has-text('Before this decision')")
        page.evaluate("$('past-says').textContent = ''")
        page.locator("#worst button").first.dispatch_event("click")  # whose position is shown
        page.wait_for_selector("#past:has-text('Before this decision')")
