"""render/modes.py: the render modes in every adapter."""

import importlib
import pickle
import re
import sys
import xml.etree.ElementTree as ET

import gymnasium
import numpy as np
import pytest
from pettingzoo.test.render_test import render_test

import sprawl_env
from sprawl_env.adapters.aec import BoardGameAEC, wrapped
from sprawl_env.adapters.gym import BoardGameGym
from sprawl_env.adapters.parallel import BoardGameParallel
from sprawl_env.adapters.registration import camel_case
from sprawl_env.core.errors import InvalidOption
from sprawl_env.render.canvas import Canvas
from sprawl_env.render.modes import RENDER_MODES, WINDOW
from sprawl_env.render.pixels import rgb_array
from sprawl_env.render.shapes import Rect
from sprawl_env.render.text import coloured
from tests.conftest import SEATS
from tests.suite import GAMES
from tests.toy import toy

MAKERS = {
    "aec": BoardGameAEC,
    "parallel": BoardGameParallel,
    "gym": BoardGameGym,
    "vector": lambda name, **options: sprawl_env.make_vec(name, 3, observations=None, **options),
}
EVERY_ADAPTER = [(kind, name) for name in GAMES for kind in MAKERS
                 if kind != "parallel" or name == "ginkgopolis"]  # fmt: skip


@pytest.fixture
def no_screen(monkeypatch):
    """Open windows on a dummy display."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    return pytest.importorskip("pygame")


def check(mode, shown):
    if mode == "ansi":
        assert "\033" not in shown
    if mode == "svg":
        assert ET.fromstring(shown).get("width") == "800"
    if mode == "rgb_array":
        assert shown.dtype == np.uint8
        assert shown.shape[1:] == (800, 3)
        assert len(np.unique(shown @ (1, 1 << 8, 1 << 16))) > 50  # colours
    if mode == "human":
        assert shown is None


@pytest.mark.parametrize("mode", RENDER_MODES)
@pytest.mark.parametrize(("kind", "name"), EVERY_ADAPTER)
def test_every_adapter_renders_in_every_mode(kind, name, mode, no_screen):
    env = MAKERS[kind](name, num_players=2, render_mode=mode)
    assert env.render_mode == mode
    env.reset(seed=1)
    check(mode, env.render())
    env.close()
    silent = MAKERS[kind](name, num_players=2)
    silent.reset(seed=1)
    assert silent.render() is None


@pytest.mark.parametrize("name", GAMES)
def test_pettingzoos_own_render_test(name, no_screen):
    def make(render_mode):
        return wrapped(BoardGameAEC(name, render_mode=render_mode))

    render_test(make, {"svg": lambda shown: shown.startswith("<svg")})


@pytest.mark.parametrize("name", GAMES)
def test_gymnasium_finds_the_modes_in_the_metadata(name):
    env = gymnasium.make(f"sprawl_env/{camel_case(name)}-v0", render_mode="rgb_array")
    env.reset(seed=1)
    assert env.metadata["render_modes"] == list(RENDER_MODES)
    check("rgb_array", env.render())


@pytest.mark.parametrize("kind", MAKERS)
def test_an_unknown_render_mode_is_one_line_with_the_valid_ones(kind):
    with pytest.raises(InvalidOption) as error:
        MAKERS[kind]("ginkgopolis", render_mode="pixels")
    assert str(error.value) == (
        "render_mode='pixels': expected None or one of ansi, svg, rgb_array, human"
    )


def test_a_game_without_pictures_has_its_text_board_only():
    assert BoardGameAEC(toy()).metadata["render_modes"] == ["ansi"]
    with pytest.raises(InvalidOption, match="has no pictures: expected render_mode 'ansi'"):
        BoardGameAEC(toy(), render_mode="svg")


@pytest.mark.parametrize("mode", ["rgb_array", "human"])
def test_a_missing_library_is_one_line_that_says_what_to_install(mode, monkeypatch):
    real = importlib.import_module

    def absent(module):
        if module == {"rgb_array": "PIL", "human": "pygame"}[mode]:
            raise ImportError(module)
        return real(module)

    monkeypatch.setattr(importlib, "import_module", absent)
    with pytest.raises(InvalidOption, match=re.escape("pip install 'sprawl-env[render]'")):
        BoardGameAEC("tower_up", render_mode=mode)


def test_without_a_display_a_window_is_one_clear_line(no_screen, monkeypatch):
    no_screen.display.quit()
    monkeypatch.setenv("SDL_VIDEODRIVER", "x11")
    monkeypatch.delenv("DISPLAY", raising=False)
    env = BoardGameAEC("tower_up", render_mode="human")
    with pytest.raises(InvalidOption, match="no window can be opened") as error:
        env.reset(seed=1)
    assert "\n" not in str(error.value)
    env.close()


def test_the_window_follows_the_game_by_itself_and_can_be_closed(no_screen):
    env = BoardGameAEC("tower_up", render_mode="human")
    env.reset(seed=1)
    surface = no_screen.display.get_surface()
    first = no_screen.surfarray.array3d(surface)
    env.step(int(env.observe("player_0")["action_mask"].argmax()))
    assert (no_screen.surfarray.array3d(surface) != first).any()
    env.close()
    assert not no_screen.display.get_init()
    env.render()
    assert no_screen.display.get_init()
    env.close()


@pytest.mark.parametrize("name", GAMES)
def test_a_window_fits_a_small_screen(name, no_screen):
    for num_players in SEATS[name]:
        env = BoardGameAEC(name, num_players=num_players, render_mode="human")
        env.render_mode = None  # only the last position is drawn
        env.reset(seed=1)
        for _ in range(12):
            env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
        env.render_mode = "human"
        env.render()
        width, height = no_screen.display.get_surface().get_size()
        assert width <= WINDOW[0] and height <= WINDOW[1]
        assert max(width / WINDOW[0], height / WINDOW[1]) > 0.95 or width > 1000
        env.close()


def test_an_environment_with_an_open_window_can_be_copied(no_screen):
    env = BoardGameAEC("tower_up", render_mode="human")
    env.reset(seed=1)
    again = pickle.loads(pickle.dumps(env))
    assert again.games.tobytes() == env.games.tobytes()
    again.render()
    again.close()


@pytest.mark.parametrize("kind", ["aec", "gym"])
def test_the_last_action_is_told(kind):
    seat = {"seat": 1} if kind == "gym" else {}
    env = MAKERS[kind]("tower_up", num_players=2, render_mode="svg", **seat)
    env.reset(seed=1)
    if kind == "gym":
        before = env.render()
        assert "last: seat 0, " in before
        ply = int(env.games["ply"][0])
        env.step(int(np.flatnonzero(env.action_masks())[0]))
        assert int(env.games["ply"][0]) > ply
        assert "last: seat 0, " in env.render()
        assert env.render().split("last: ")[1][:60] != before.split("last: ")[1][:60]
        return
    assert "last:" not in env.render()
    action = int(env.observe("player_0")["action_mask"].argmax())
    says = env.game.action_name(env.games, 0, action)
    env.step(action)
    assert f"last: seat 0, {says}" in env.render()
    env.reset(seed=1)
    assert "last:" not in env.render()


def test_a_batch_renders_the_game_it_is_asked_for():
    vec = sprawl_env.make_vec("tower_up", 3, observations=None, seed=1, render_mode="svg")
    with pytest.raises(InvalidOption, match=r"call reset\(\) before render\(\)"):
        vec.render()
    vec.reset()
    assert vec.render(2) == vec.game.svg(vec.games, 2)
    assert vec.render(2) != vec.render(1)
    for bad in (-1, 3, "0"):
        with pytest.raises(InvalidOption, match=r"expected a game 0\.\.2"):
            vec.render(bad)


def test_text_boards_are_in_colour_on_a_terminal_only(monkeypatch):
    env = BoardGameAEC("tower_up", render_mode="ansi")
    env.reset(seed=1)
    plain = env.render()
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    painted = env.render()
    assert painted != plain
    assert re.sub(r"\033\[[\d;]*m", "", painted) == plain
    monkeypatch.setenv("NO_COLOR", "1")
    assert env.render() == plain
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert env.render() == plain


def test_words_are_coloured_whole():
    assert coloured("seat 1 blackboard") == "\033[1;33mseat 1\033[0m blackboard"


def test_pixels_are_those_of_the_shapes():
    picture = Canvas(40, 20)
    picture.add(Rect(10, 5, 20, 10, fill="#0072b2"))
    pixels = rgb_array(picture)
    assert pixels.shape == (20, 40, 3)
    assert pixels[10, 20].tolist() == [0, 0x72, 0xB2]
    assert pixels[2, 2].tolist() == [0xF4, 0xF3, 0xEE]


def test_text_is_written_no_wider_than_it_was_measured():
    picture = Canvas(400, 40)
    wide = picture.text(20, 25, "WAVY minimum 1234567890", 20, bold=True)
    columns = np.flatnonzero((rgb_array(picture)[:, :, 0] < 200).any(axis=0))
    assert columns.min() >= 18
    assert columns.max() <= 22 + wide
