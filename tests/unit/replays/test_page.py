"""The page of a replay: its data, the command that writes it, and the page in a real browser."""

import base64
import gzip
import json
import random
import re

import pytest

pytest.importorskip("tyro")

import sprawl_env
from sprawl_env import replays
from sprawl_env.commands.replay import Html, Show, Verify, main
from sprawl_env.console import run
from sprawl_env.core.rules import Played
from sprawl_env.render.board import picture_of
from sprawl_env.replays.page import content, edits, page
from tests.browser import open_page
from tests.golden.record_pictures import REPLAYS
from tests.suite import GAMES

pytestmark = [pytest.mark.compiled, pytest.mark.usefixtures("one_browser")]  # tests pages

MOST_BYTES = 5_000_000


def golden(name, label):
    return replays.load(REPLAYS / name / f"{label}.jsonl")


def call(monkeypatch, *arguments):
    monkeypatch.setattr("sys.argv", ["replay", *map(str, arguments)])
    run(main, Verify | Show | Html)


def applied(steps):
    """Yield the lines of every step, from the edits."""
    now = []
    for step in steps:
        for at, removed, inserted in step:
            now[at : at + removed] = inserted
        yield list(now)


def test_edits_turn_one_list_into_the_other():
    rng = random.Random(0)
    lists = [[rng.randrange(6) for _ in range(rng.randrange(9))] for _ in range(200)]
    lists += [[], [1, 2, 3], [1, 2, 3], [1, 3]]
    assert list(applied(edits(a, b) for a, b in zip([[], *lists], lists, strict=False))) == (lists)
    assert edits([1, 2, 3], [1, 2, 3]) == []
    assert edits([1, 2, 3, 4], [1, 9, 3, 4]) == [(1, 1, [9])]


@pytest.mark.parametrize(
    ("name", "label"),
    [("tower_up", "2-seats"), ("ginkgopolis", "solo"), ("urban_sprawl", "2-seats-turn-limit")],
)
def test_every_step_of_a_page_is_the_games_own_picture(name, label):
    played = golden(name, label)
    shown = content(played)
    game, last, before = played.game(), None, []
    games = game.deal(1, played.header["seed"])
    for k, lines in enumerate(applied(shown["steps"])):
        found = "\n".join(shown["lines"][line] for line in lines)
        called = shown["names"][: game.num_seats]
        parts = picture_of(game, games, 0, last=last, seats=called, before=before).parts
        svg = [part.svg() for part in parts]
        abouts = [json.loads(line) for line in found.splitlines() if line.startswith("{")]
        assert [about["name"] for about in abouts] == [part.name for part in parts], k
        drawn = "\n".join(line for line in found.splitlines() if not line.startswith("{"))
        assert f"{drawn}\n" == "".join(svg), k
        assert shown["scores"][k] == game.scores(games, 0).tolist()
        assert shown["turns"][k] == games["turn"][0]
        if k < len(played.plies):
            ply = played.plies[k]
            assert shown["plies"][k] == [ply.seat, ply.action, ply.says]
            before = [games.copy()]
            game.play(games, 0, ply.action)
            last = Played(ply.seat, ply.action, ply.says)
    assert k == len(played.plies)
    assert shown["end"] == shown["decisions"][-1][1]
    assert len(shown["sides"]) == game.num_sides


@pytest.mark.slow
def test_a_long_game_of_urban_sprawl_stays_below_five_megabytes():
    game = sprawl_env.game("urban_sprawl", num_players=4, length="long")
    assert len(page(replays.record_random(game, 1))) < MOST_BYTES


def test_a_page_is_self_contained_and_holds_its_data():
    text = page(golden("tower_up", "2-seats"))
    assert not re.search(r"""(src|href|url\()\s*=?\s*["']?(https?:|//|\w+\.)""", text)
    assert text.count("http:") == text.count("http://www.w3.org/2000/svg")
    packed = re.search(r'<script id="data"[^>]*>([^<]*)</script>', text)[1]
    shown = json.loads(gzip.decompress(base64.b64decode(packed)))
    assert shown == json.loads(json.dumps(content(golden("tower_up", "2-seats"))))


def test_names_in_a_replay_are_escaped():
    played = golden("tower_up", "2-seats")
    evil = "</script><img src=x onerror=alert(1)>{{script}}"
    replay = replays.from_actions(
        played.game(),
        played.header["seed"],
        [ply.action for ply in played.plies[:5]],
        bots=[evil, "greedy"],
        forfeit={"seat": 1, "ply": 5, "reason": evil},
    )
    text = page(replay)
    assert "onerror" not in text
    with open_page(text) as browser:
        browser.keyboard.press("End")
        assert evil in browser.inner_text("#about")
        assert evil in browser.inner_text("#sides")
        assert browser.locator("img").count() == 0


def test_the_command_writes_a_page_beside_the_replay(tmp_path, monkeypatch, capsys):
    path = tmp_path / "game.jsonl"
    path.write_text((REPLAYS / "tower_up" / "2-seats.jsonl").read_text())
    call(monkeypatch, "html", path)
    size = (tmp_path / "game.html").stat().st_size / 1e3
    assert f"game.html: 52 plies, {size:,.0f} kB" in capsys.readouterr().out
    assert (tmp_path / "game.html").read_text() == page(golden("tower_up", "2-seats"))
    call(monkeypatch, "html", path, "-o", tmp_path / "deep" / "other.html")
    assert (tmp_path / "deep" / "other.html").exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["game.jsonl", "--game", "1"], "game=1: game.jsonl holds games 0..0"),
        (["none.jsonl"], "none.jsonl: cannot be read"),
        (["changed.jsonl"], "the state differs after it"),
        (["game.jsonl", "-o", "file/x.html"], "'file/x.html': cannot be written: "),
    ],
)
def test_bad_input_is_one_line_and_writes_nothing(tmp_path, monkeypatch, capsys, arguments, says):
    monkeypatch.chdir(tmp_path)
    text = (REPLAYS / "tower_up" / "2-seats.jsonl").read_text()
    (tmp_path / "game.jsonl").write_text(text)
    (tmp_path / "changed.jsonl").write_text(re.sub('"after": ".', '"after": "x', text, count=1))
    (tmp_path / "file").write_text("")
    before = sorted(tmp_path.iterdir())
    with pytest.raises(SystemExit):
        call(monkeypatch, "html", *arguments)
    err = capsys.readouterr().err
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert says in err
    assert sorted(tmp_path.iterdir()) == before


# ------------------------------------------------------------------------------- in the browser


def shown_step(browser):
    return int(browser.evaluate("document.body.dataset.step"))


def picture(browser):
    return browser.inner_html("main")


@pytest.mark.parametrize("name", GAMES)
def test_a_browser_shows_every_step(name):
    labels = {
        "tower_up": "3-seats-start",
        "ginkgopolis": "solo",
        "urban_sprawl": "2-seats-turn-limit",
    }
    played = golden(name, labels[name])
    game, story = played.game(), content(played)["story"]
    with open_page(page(played)) as browser:
        assert game.title in browser.inner_text("#title")
        assert browser.locator("#plies li").count() == len(played.plies) + 1
        seen = {picture(browser)}
        for k in range(1, 6):
            browser.keyboard.press("ArrowRight")
            assert shown_step(browser) == k
            told = [line["text"] for line in story if line["ply"] == k - 1]
            assert told
            assert all(text in browser.inner_text("#plies .now") for text in told)
            seen.add(picture(browser))
        assert len(seen) == 6
        browser.keyboard.press("End")
        assert shown_step(browser) == len(played.plies)
        totals = browser.locator("#sides td:last-child").all_inner_texts()
        assert totals == [str(score) for score in played.scores]
        assert "win" in browser.inner_text("#about")


def test_a_browser_goes_to_steps_plays_and_pauses():
    played = golden("tower_up", "2-seats")
    turns = content(played)["turns"]
    with open_page(page(played)) as browser:
        browser.fill("#turn", "9")
        browser.press("#turn", "Enter")
        assert shown_step(browser) == turns.index(8)
        browser.click("#later-turn")
        assert shown_step(browser) == turns.index(9)
        browser.keyboard.press("ArrowUp")
        assert shown_step(browser) == turns.index(8)
        browser.locator("#plies li").nth(30).click()
        assert shown_step(browser) == 30
        browser.locator("#slider").fill("12")
        assert shown_step(browser) == 12
        wide = browser.locator("#chart").bounding_box()["width"]
        browser.click("#chart", position={"x": wide - 4, "y": 70})
        assert shown_step(browser) == len(played.plies)
        browser.keyboard.press("Home")
        browser.select_option("#speed", "150")
        browser.click("#play")
        browser.wait_for_selector("#plies li.now:nth-child(n+4)")
        browser.click("#play")
        stopped = shown_step(browser)
        browser.wait_for_timeout(400)
        assert shown_step(browser) == stopped
        browser.locator("#slider").fill(str(len(played.plies) - 2))
        browser.keyboard.press(" ")
        browser.wait_for_selector("#play:text-is('Play')")
        assert shown_step(browser) == len(played.plies)


def test_a_browser_marks_what_is_played_next_and_hides_the_rest():
    played = golden("tower_up", "2-seats")
    with open_page(page(played)) as browser:
        chosen = browser.locator("main .target.next")
        assert chosen.count() == 1
        assert str(played.plies[0].action) in chosen.get_attribute("data-actions").split()
        assert browser.locator("main .target:visible").count() > 1
        browser.keyboard.press("t")
        assert browser.locator("main .target:visible").count() == 1
        browser.focus("#targets")
        browser.keyboard.press(" ")
        assert browser.locator("main .target:visible").count() > 1
        browser.focus("#forward")
        browser.keyboard.press(" ")
        assert shown_step(browser) == 1
        assert browser.inner_text("#play") == "Play"
