"""The page on the screens that people have: sizes, overlaps, taps, keys, accessibility."""

import itertools
import json
from contextlib import contextmanager
from datetime import datetime, timedelta

import numpy as np
import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

import sprawl_env
from sprawl_env import replays
from sprawl_env.core.state import NOT_OVER
from sprawl_env.play.session import Session
from sprawl_env.replays.page import page as replay_page
from tests.browser import new_page
from tests.conftest import SEATS
from tests.suite import GAMES
from tests.unit.play.test_play import served

pytestmark = [pytest.mark.compiled, pytest.mark.usefixtures("one_browser")]  # tests pages

DESKTOP, PHONE, LYING, TABLET = (1400, 900), (390, 844), (844, 390), (768, 1024)
SCREENS = {"desktop": DESKTOP, "phone": PHONE, "lying": LYING, "tablet": TABLET}
LEAST_TEXT, LEAST_TARGET, LEAST_TAP = 11, 24, 40  # pixels
MIDDLE = 60  # plies
ONE = [pytest.param(name, marks=[pytest.mark.slow] * (name != "urban_sprawl")) for name in GAMES]
MOST_BYTES = 1_000_000

# Texts and targets that are too small, texts of a part that overlap, and what is cut off.
FAULTS = """([text, target]) => {
  const faults = [];
  const near = 0.05; // pixels that rounding may take
  for (const element of document.querySelectorAll("svg text, button, p, li, td, th, select, h1")) {
    const box = element.getBoundingClientRect();
    if (!box.width || element.closest(".hidden") || element.closest("dialog")) continue;
    let size = parseFloat(getComputedStyle(element).fontSize);
    const svg = element.closest("svg");
    if (svg && svg.viewBox.baseVal.width) {
      size = Number(element.getAttribute("font-size"))
        * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
    }
    const on_piece = svg && svg.classList.contains("piece");
    if (!on_piece && element.textContent.trim() && size < text - near) {
      faults.push(`text ${size.toFixed(1)}: ${element.textContent.trim().slice(0, 30)}`);
    }
  }
  for (const element of document.querySelectorAll(".target, button, select, input")) {
    const box = element.getBoundingClientRect();
    if (!box.width || element.closest("dialog")) continue;
    const shape = element.matches(".target") ? element.lastElementChild : element;
    const { width, height } = shape.getBoundingClientRect();
    if (Math.min(width, height) < target - near && element.type !== "checkbox") {
      faults.push(`target ${width.toFixed(1)} x ${height.toFixed(1)}: ${element.dataset.says
        || element.id || element.textContent}`);
    }
  }
  for (const part of document.querySelectorAll(".part svg")) {
    const texts = [...part.querySelectorAll("text")].map((e) => [e, e.getBoundingClientRect()]);
    texts.forEach(([one, a], k) => {
      for (const [other, b] of texts.slice(k + 1)) {
        const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (wide > 2 && high > 0.4 * Math.min(a.height, b.height)) {
          faults.push(`overlap: ${one.textContent} | ${other.textContent}`);
        }
      }
    });
    const box = part.getBoundingClientRect();
    for (const [element, a] of texts) {
      if (a.left < box.left - 1 || a.right > box.right + 1 || a.bottom > box.bottom + 3) {
        faults.push(`outside: ${element.textContent}`);
      }
      if (element.textContent.endsWith("..")) faults.push(`cut off: ${element.textContent}`);
    }
  }
  if (document.documentElement.scrollWidth > innerWidth) faults.push("wider than the screen");
  return faults;
}"""


# A point of a target, from its top left corner: the middle of an L is the value of its block.
INSIDE = """(target) => {
  const box = target.getBoundingClientRect();
  const shares = [0.5, 0.25, 0.75, 0.15, 0.85];
  for (const [x, y] of shares.flatMap((x) => shares.map((y) => [x * box.width, y * box.height]))) {
    const found = document.elementFromPoint(box.left + x, box.top + y);
    if (found && found.closest(".target") === target) return { x, y };
  }
  return null;
}"""


@contextmanager
def opened(session, saves, screen):
    """Yield a page of a session on a screen; a phone's has touch."""
    width, height = SCREENS[screen]
    small = screen in ("phone", "lying")
    wrong = []
    options = {
        "viewport": {"width": width, "height": height},
        "has_touch": small,
        "is_mobile": small,
    }
    with served(session, saves) as url, new_page(**options) as page:
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto(url)
        page.wait_for_selector("#board svg")
        yield page
    assert wrong == []


def session_in_the_middle(name, seats, seed, plies):
    """Return a session after some random plies, at a decision of a person."""
    game = sprawl_env.game(name, num_players=seats)
    session = Session(game, ("human", *("random",) * (seats - 1)), ("greedy",), seed)
    go_on(session, np.random.default_rng(seed), plies)
    return session


def go_on(session, rng, plies):
    """Play some random plies, and on to a decision of a person."""
    for k in range(10**6):
        if session.over or (k >= plies and session.to_play == 0):
            return
        if session.to_play == 0:
            legal = np.flatnonzero(session.game.legal_actions(session.games, 0))
            session.play(0, int(rng.choice(legal)))
        else:
            session.advance()


def faults_of(page, text, target):
    """Reload the page and return what is wrong with it."""
    page.reload()
    page.wait_for_selector("#board svg")
    return page.evaluate(FAULTS, [text, target])


@pytest.mark.long
@pytest.mark.parametrize("name", ONE)
def test_on_a_desk_all_is_large_enough_and_nothing_overlaps_or_is_cut_off(name, tmp_path):
    for seats in SEATS[name]:
        session = session_in_the_middle(name, seats, 3, 0)
        rng = np.random.default_rng(5)
        with opened(session, tmp_path, "desktop") as page:
            for _ in range(4):
                assert faults_of(page, LEAST_TEXT, LEAST_TARGET) == [], seats
                go_on(session, rng, 23)


@pytest.mark.parametrize("name", GAMES)
def test_panels_keep_their_column_and_groups_of_cards_stay_together(name, tmp_path):
    session = session_in_the_middle(name, 2, 3, 16)
    rng = np.random.default_rng(8)
    columns = """() => [...document.querySelectorAll("#flow > .column")].map((column) =>
      [...column.children].map(({ dataset }) => [dataset.part, dataset.group]))"""
    before, moved, laid = {}, 0, 0
    with opened(session, tmp_path, "desktop") as page:
        page.click("#open-menu")
        page.select_option("#pace", "0")
        page.click("#settings [data-close]")
        for _ in range(12):
            page.wait_for_selector("#decision.mine")
            found = page.evaluate(columns)
            place = {part: k for k, column in enumerate(found) for part, _ in column}
            for column in found:  # a group is not interrupted by other parts
                groups = [group for _, group in column]
                assert len({*groups}) == sum(a != b for a, b in itertools.pairwise([None, *groups]))
            owner = {}
            for k, column in enumerate(found):
                for _, group in column:
                    assert owner.setdefault(group, k) == k
            moved += sum(before[part] != place[part] for part in place.keys() & before.keys())
            laid += len(place)
            before = place
            version = page.get_attribute("body", "data-version")
            action = int(rng.choice(np.flatnonzero(session.game.legal_actions(session.games, 0))))
            page.evaluate("action => act('play', { action })", action)
            page.wait_for_selector(f"body:not([data-version='{version}'])")
    assert laid > 12 * 5
    assert moved <= 0.1 * laid


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_two_hundred_positions_of_each_number_of_seats_fit_a_desk(name, tmp_path):
    for seats in SEATS[name]:
        session = session_in_the_middle(name, seats, 4, 0)
        rng = np.random.default_rng(6)
        with opened(session, tmp_path, "desktop") as page:
            for k in range(200):
                assert faults_of(page, LEAST_TEXT, LEAST_TARGET) == [], (seats, k)
                if session.over:
                    session.deal(k)
                go_on(session, rng, int(rng.integers(1, 12)))


@pytest.mark.parametrize("screen", ["phone", "lying", "tablet"])
@pytest.mark.parametrize("name", GAMES)
def test_a_small_screen_shows_the_board_first_and_tabs(name, screen, tmp_path):
    session = session_in_the_middle(name, 2, 3, MIDDLE)
    width, height = SCREENS[screen]
    with opened(session, tmp_path, screen) as page:
        board = page.locator("#board .part").bounding_box()
        assert board["width"] > 0.3 * width
        assert board["y"] + board["height"] <= page.locator("#tabs").bounding_box()["y"]
        assert board["y"] + board["height"] < height
        cut = [f for f in page.evaluate(FAULTS, [0, 0]) if not f.startswith("overlap")]
        assert cut == []
        infos = {part["role"] for part in session.view(0)["parts"]} & {"info"}
        assert page.locator("#tabs [data-tab=info]:visible").count() == len(infos)
        for tab in ("seats", *infos, "log", "cards"):
            page.click(f"#tabs [data-tab={tab}]")
            shown = "#log li" if tab == "log" else f"#flow [data-role={tab.removesuffix('s')}]"
            if tab == "cards":
                shown = "#flow .part"
            elif tab == "seats":
                shown = "#flow [data-role=seat]"
            assert page.locator(shown).first.is_visible(), tab


def in_other_tabs_only(session):
    """Return whether many actions can be chosen, none on the board or in the tab "Play"."""
    roles = {
        part["role"]
        for part in session.view(0)["parts"]
        if 'class="target' in part["svg"] and not (part["role"] == "seat" and part["seat"] == 0)
    }
    return roles == {"info"} and len(session.action_names(0)) > 6


def test_actions_of_another_tab_are_listed_and_the_tab_is_marked(tmp_path):
    session = session_in_the_middle("urban_sprawl", 2, 1, 0)
    rng, seed = np.random.default_rng(2), 1
    while not in_other_tabs_only(session):
        if session.over:
            seed += 1
            assert seed < 60
            session.deal(seed)
        go_on(session, rng, 1)
    count = len(session.action_names(0))
    with opened(session, tmp_path, "tablet") as page:
        assert page.locator("main .target:visible").count() == 0
        assert page.locator("#choices button:visible").count() == count
        assert page.locator("#tabs .offers").inner_text().startswith("Info")
        page.click("#tabs [data-tab=info]")
        assert page.locator("main .target:visible").count() == count
        assert page.locator("#choices button:visible").count() == 0


def test_a_double_tap_makes_targets_of_the_board_large_and_another_small_again(tmp_path):
    session = session_in_the_middle("tower_up", 2, 3, 24)
    with opened(session, tmp_path, "phone") as page:
        targets = page.locator("#board .target")
        assert targets.count() > 0
        before = session.version
        box = targets.first.bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        board = page.locator("#board .part").bounding_box()
        empty = board["x"] + 3, board["y"] + 3
        page.clock.install()  # stands still: a busy machine must not come between the taps
        page.clock.pause_at(datetime.now() + timedelta(hours=1))
        page.touchscreen.tap(*empty)
        page.clock.run_for(100)
        page.touchscreen.tap(*empty)
        page.wait_for_selector("#board.zoomed")
        sizes = [target.bounding_box() for target in targets.all()]
        assert min(min(size["width"], size["height"]) for size in sizes) >= LEAST_TAP
        assert session.version == before
        page.click("#unzoom")
        assert page.locator("#board.zoomed").count() == 0
        after = targets.first.bounding_box()
        assert (after["x"] + after["width"] / 2, after["y"] + after["height"] / 2) == pytest.approx(
            (x, y), abs=1
        )


def test_a_pinch_zooms_and_a_drag_moves_the_board(tmp_path):
    session = session_in_the_middle("tower_up", 2, 3, 24)
    fire = """([kind, id, x, y]) => document.elementFromPoint(x, y).dispatchEvent(
      new PointerEvent(kind, {pointerId: id, clientX: x, clientY: y, bubbles: true,
                              pointerType: "touch"}))"""
    with opened(session, tmp_path, "phone") as page:
        scale = "() => new DOMMatrix(getComputedStyle(document.querySelector('#board .part'))"
        scale += ".transform).a"
        for kind, finger, x in [
            ("pointerdown", 1, 150), ("pointerdown", 2, 200), ("pointermove", 2, 300),
            ("pointerup", 2, 300), ("pointerup", 1, 150),
        ]:  # fmt: skip
            page.evaluate(fire, [kind, finger, x, 300])
        assert page.evaluate(scale) == pytest.approx(3, abs=0.1)
        page.click("#unzoom")  # at once, although no click has followed the pinch
        assert page.evaluate(scale) == 1


def test_a_whole_game_by_keyboard_alone(tmp_path):
    game = sprawl_env.game("tower_up", num_players=2, max_turns=14)
    session = Session(game, ("human", "random"), (), 1)
    with opened(session, tmp_path, "desktop") as page:
        page.keyboard.press("m")
        page.locator("#pace").focus()
        page.keyboard.press("Home")  # at once
        page.keyboard.press("Escape")
        page.wait_for_selector("#settings:not([open])", state="attached")
        page.wait_for_selector("#decision.mine")
        focused = "document.activeElement.closest('.target, #choices') !== null"
        page.wait_for_function(focused)  # the closed dialog has lost the focus
        for k in range(80):
            page.wait_for_selector("#decision.mine, #after:not(.hidden)")
            if session.over:
                break
            version = page.get_attribute("body", "data-version")
            assert page.evaluate(focused), k
            page.keyboard.press(("ArrowRight", "ArrowDown", "ArrowLeft")[k % 3])
            page.keyboard.press("Enter")
            if page.locator("#menu:visible").count():
                page.keyboard.press("Enter")
            page.wait_for_selector(f"body:not([data-version='{version}'])")
        assert session.over
        assert "win" in page.inner_text("#prompt")


def play_offered(page, session, most, touch):
    """Play at most so many decisions by choosing what the page offers; return how many."""
    page.click("#open-menu")
    page.select_option("#pace", "0")
    page.click("#settings [data-close]")

    def choose(place, **options):
        (place.tap if touch else place.click)(**options)

    for k in range(most):
        page.wait_for_selector("#decision.mine, #after:not(.hidden)")
        if session.over:
            return k
        version = page.get_attribute("body", "data-version")
        targets = page.locator("main .target:visible")
        if targets.count():
            chosen = targets.nth(k % targets.count())
            chosen.scroll_into_view_if_needed()
            choose(chosen, position=chosen.evaluate(INSIDE))
        else:
            choose(page.locator("#choices button").first)
        page.wait_for_selector(f"body:not([data-version='{version}']), #menu:not(.hidden)")
        if page.locator("#menu:visible").count():
            choose(page.locator("#menu button").first)
        page.wait_for_selector(f"body:not([data-version='{version}'])")
    return most


@pytest.mark.long
@pytest.mark.parametrize("name", ONE)
def test_a_phone_plays_by_taps(name, tmp_path):
    session = session_in_the_middle(name, 2, 7, 0)
    with opened(session, tmp_path, "phone") as page:
        play_offered(page, session, 25, touch=True)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("name", GAMES)
def test_a_whole_game_is_played_on_every_screen_by_what_the_page_offers(name, screen, tmp_path):
    session = session_in_the_middle(name, 2, 7, 0)
    with opened(session, tmp_path, screen) as page:
        decisions = play_offered(page, session, 2000, touch=screen in {"phone", "lying"})
        assert session.over
        assert decisions > 20
        assert "win" in page.inner_text("#prompt")
        assert page.locator("#points:visible tr").count() > 3


def test_a_tooltip_explains_a_sign_and_an_action(tmp_path):
    session = session_in_the_middle("tower_up", 2, 3, 0)
    with opened(session, tmp_path, "desktop") as page:
        page.locator("[data-part=objectives] .tip").first.hover()
        page.wait_for_selector("#tip:not(.hidden)")
        assert "Objective: " in page.inner_text("#tip")
        page.locator("[data-part=market-1] .target").hover()
        page.wait_for_selector("#tip b:has-text('take card')")
        assert "you get each floor shown" in page.inner_text("#tip")
        page.keyboard.press("e")
        page.keyboard.press("ArrowDown")
        assert page.evaluate("document.activeElement.matches('.tip, .target')")
        fire = """kind => document.querySelector("[data-part=objectives] .tip").dispatchEvent(
          new PointerEvent(kind, {bubbles: true, isPrimary: true, pointerType: "touch"}))"""
        page.evaluate(fire, "pointerdown")
        page.wait_for_selector("#tip:has-text('Objective: ')")
        page.evaluate(fire, "pointercancel")  # the finger scrolls, so no click follows
        page.click("#list")
        page.wait_for_selector("#choices button")


def test_the_guide_and_the_tour_point_at_parts(tmp_path):
    session = session_in_the_middle("tower_up", 2, 3, 10)
    with opened(session, tmp_path, "desktop") as page:
        page.keyboard.press("?")
        page.wait_for_selector("#guide[open]")
        assert page.locator("#guide-text section").count() == len(session.game.rules.guide)
        assert page.locator("#guide-text svg").count() >= 2
        page.click("#tour")
        pointed = set()
        while page.locator("#step:visible").count():
            pointed.add(page.locator(".pointed").get_attribute("data-part"))
            page.click("#step-on")
        assert {"board", "market-1", "seat-0"} <= pointed


def test_an_earlier_position_is_shown_by_a_click_in_the_log(tmp_path):
    session = session_in_the_middle("tower_up", 2, 3, 20)
    with opened(session, tmp_path, "desktop") as page:
        now = page.inner_html("#board .part")
        row = page.locator("#log li[data-ply='4']")
        row.click()
        page.wait_for_selector("#log li.now")
        earlier = page.inner_html("#board .part")
        assert earlier != now
        page.set_viewport_size({"width": TABLET[0], "height": TABLET[1]})
        page.click("#tabs [data-tab=seats]")
        assert page.inner_html("#board .part") == earlier
        assert page.locator("main .target").count() == 0
        assert page.locator("#past:visible").count() == 1
        assert "Go back to now" in page.inner_text("#help")
        page.set_viewport_size({"width": DESKTOP[0], "height": DESKTOP[1]})
        row.click()
        page.wait_for_selector("main .target")
        assert page.inner_html("#board .part") == now


def test_nothing_goes_on_while_an_earlier_position_is_shown(tmp_path):
    game = sprawl_env.game("tower_up", num_players=3)
    session = Session(game, ("human", "random", "random"), ("greedy",), 3)
    while session.to_play == 0 or not session.log:
        session.play(0, int(np.flatnonzero(game.legal_actions(session.games, 0))[0]))
    with opened(session, tmp_path, "desktop") as page:
        page.locator("#log li[data-ply='0'] button").click()
        if session.log[1:]:  # the last line shows the current position
            page.wait_for_selector("#past:visible")
        else:
            page.evaluate("past = 0; scheduleNext()")
        version = session.version
        page.wait_for_timeout(1500)  # longer than the pace
        assert session.version == version
        page.evaluate("showPast(-1, '')")
        page.wait_for_selector("#decision.mine")


def test_a_forced_action_that_is_undone_is_not_played_again_at_once(tmp_path):
    session = session_in_the_middle("tower_up", 2, 3, 20)
    with opened(session, tmp_path, "desktop") as page:
        page.evaluate("$('forced').checked = true")
        page.wait_for_selector("#decision.mine")
        page.evaluate("act('undo')")
        page.wait_for_function("view.stopped")
        assert page.evaluate("view.mine")
        page.evaluate("names = new Map([...names].slice(0, 1)); scheduleNext()")
        version = session.version
        page.wait_for_timeout(900)  # longer than the wait before a forced action
        assert session.version == version


def test_a_second_tab_is_no_failure_of_a_bot(tmp_path):
    session = session_in_the_middle("tower_up", 2, 3, 20)
    with opened(session, tmp_path, "desktop") as page:
        page.wait_for_selector("#decision.mine")
        late = "{ status: 409, json: async () => ({ error: 'the game has changed' }), ok: false }"
        page.evaluate(
            "(() => { const real = fetch; window.fetch = (url, options) => url.endsWith('advance')"
            f" ? Promise.resolve({late}) : real(url, options); return act('advance'); }})()"
        )
        assert not page.evaluate("view.stopped")
        assert page.inner_text("#message") == ""


def test_a_game_that_has_begun_is_not_lost_by_loading_another(tmp_path):
    session = session_in_the_middle("tower_up", 2, 3, 20)
    Session(session.game, session.seats, (), 5).save(tmp_path, "other")
    with opened(session, tmp_path, "desktop") as page:
        asked = []
        page.on("dialog", lambda dialog: (asked.append(dialog.message), dialog.dismiss()))
        page.click("#open-menu")
        page.wait_for_selector("#saves option", state="attached")
        page.click("#load")
        page.wait_for_timeout(200)
        assert asked == ["End this game and load another?"]
        assert session.log


def test_menus_and_the_log_work_by_keyboard_and_a_server_that_ended_is_left_alone(tmp_path):
    session = session_in_the_middle("tower_up", 2, 3, 20)
    tried = []

    def refuse(route):
        tried.append(route.request.url)
        route.abort()

    def has_focus(locator):
        return locator.evaluate("element => element === document.activeElement")

    with opened(session, tmp_path, "desktop") as page:
        place = page.locator("main .target[data-actions*=' ']").first
        place.focus()
        page.keyboard.press("Enter")
        buttons = page.locator("#menu button:visible")
        last = buttons.count() - 1
        assert last > 0
        for key, k in (("ArrowDown", 1), ("ArrowUp", 0), ("ArrowUp", last), ("ArrowDown", 0)):
            page.keyboard.press(key)
            assert has_focus(buttons.nth(k)), key
        page.keyboard.press("Escape")
        assert buttons.count() == 0
        assert has_focus(place)
        page.locator("#log").focus()
        page.keyboard.press("ArrowUp")
        page.keyboard.press("ArrowUp")
        lines = page.locator("#log li[data-ply] button")
        assert has_focus(lines.nth(lines.count() - 2))
        page.locator("#log li[data-ply='4'] button").first.focus()
        page.keyboard.press("Enter")
        page.wait_for_selector("#past:has-text('After')")
        page.click("#now")
        page.wait_for_selector("main .target")
        page.select_option("#pace", "-1", force=True)
        while session.to_play == 0:
            version = page.get_attribute("body", "data-version")
            action = int(np.flatnonzero(session.game.legal_actions(session.games, 0))[0])
            lines.nth(1).focus()
            page.evaluate("action => act('play', { action })", action)
            page.wait_for_selector(f"body:not([data-version='{version}'])")
            page.wait_for_function("!busy")
            assert has_focus(lines.nth(1))  # who reads the log goes on reading
            assert page.evaluate("$('log').scrollTop") == 0
        assert not session.over
        page.route("**/api/*", refuse)
        page.select_option("#pace", "0", force=True)
        page.wait_for_selector("#message.error")
        page.wait_for_timeout(200)
        assert [url.rpartition("/")[2] for url in tried] == ["advance", "view"]
        assert page.locator("#next:visible").count() == 1


def test_persons_with_secrets_hand_over_the_screen(tmp_path):
    game = sprawl_env.game("ginkgopolis", num_players=2)
    session = Session(game, ("human", "human"), ("greedy",), 3)
    with opened(session, tmp_path, "desktop") as page:
        assert page.locator("#curtain:visible").count() == 0
        page.locator("main .target").first.click()
        for is_reloaded in (False, True):
            if is_reloaded:
                page.reload()
            page.wait_for_selector("#curtain:visible")
            page.wait_for_selector("#hand-over:focus")
            assert page.locator("main .part").count() == 0
            assert page.locator("#choices button, #log li, #seats li").count() == 0
            assert page.evaluate("$('prompt').textContent + $('help').textContent") == ""
            assert page.locator("#take-back:visible").count() == 1
            for element in ("#open-menu", "#undo", "#log", "#tabs button", "#whose"):
                page.locator(element).first.evaluate("element => element.focus()")
                assert page.evaluate("document.activeElement.id") == "hand-over", element
            page.keyboard.press("m")
            assert page.locator("dialog[open]").count() == 0
        page.keyboard.press("Enter")
        page.wait_for_selector("main .target:focus")
        assert "person: ?" in page.inner_text("#seats li:first-child")
        assert page.locator("#log li.new").count() == len(session.log) == 1
        options = page.locator("#whose option").all_inner_texts()
        assert options == ["everybody", *session.names(1)]
        page.keyboard.press("h")
        page.wait_for_selector("#message:has-text('greedy would play')")


@pytest.mark.parametrize(("theme", "names"), [("light", GAMES), ("dark", GAMES[-1:])])
def test_pages_are_accessible(theme, names, tmp_path):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    for name in names:
        session = session_in_the_middle(name, 2, 3, 30)
        with opened(session, tmp_path, "desktop") as page:
            page.evaluate("theme => setTheme(theme)", theme)
            page.wait_for_timeout(150)
            assert violations(axe, page) == [], name
            if name == names[0]:
                page.keyboard.press("m")
                assert violations(axe, page, "#settings") == [], "menu"
    replay = tmp_path / "replay.html"
    replay.write_text(replay_page(replays.record_random(sprawl_env.game("tower_up"), 1)))
    with opened(session, tmp_path, "desktop") as page:
        page.goto(replay.as_uri())
        page.wait_for_selector("#board svg")
        page.evaluate("theme => setTheme(theme)", theme)
        page.wait_for_timeout(150)
        assert violations(axe, page) == []


def violations(axe, page, context=None):
    """Return what the accessibility checker finds, in a part of the page, with one element each."""
    found = axe.run(page, context=context).response["violations"]
    return [(each["id"], each["nodes"][0]["html"][:160]) for each in found]


def test_what_the_page_receives_in_the_middle_of_a_game_of_four_stays_small():
    session = session_in_the_middle("urban_sprawl", 4, 3, MIDDLE)
    assert session.games["over"][0] == NOT_OVER
    assert len(json.dumps(session.view(0))) < MOST_BYTES
