"""experiments/show.py: pictures stay small, commands say what they say, errors are one line."""

import io

import numpy as np
import pytest

pytest.importorskip("matplotlib")
pytest.importorskip("PIL")
pytest.importorskip("polars")
pytest.importorskip("IPython")

import PIL.Image
import polars as pl

import sprawl_env
from experiments import show
from sprawl_env.render.pixels import rgb_array
from sprawl_env.render.shapes import SEAT_COLOURS, TARGET

LARGEST = 60_000  # bytes


def pixels(image):
    return np.asarray(PIL.Image.open(io.BytesIO(image.data)).convert("RGB")).astype(int)


@pytest.mark.parametrize("name", ["tower_up", "ginkgopolis", "urban_sprawl"])
def test_a_position_is_its_picture_in_few_colours_and_bytes(name):
    game = sprawl_env.game(name)
    games = game.deal(1, 5)
    image = show.position(game, games)
    assert len(image.data) <= LARGEST
    drawn = rgb_array(game.picture(games)).astype(int)
    assert pixels(image).shape == drawn.shape
    assert np.abs(pixels(image) - drawn).mean() < 4
    for colour in (
        *SEAT_COLOURS[:2],
        TARGET,
    ):  # exactly where it was, however little there is of it
        exact = [int(colour[k : k + 2], 16) for k in (1, 3, 5)]
        meant = (drawn == exact).all(axis=2)
        assert meant.any() or name == "urban_sprawl"
        assert (pixels(image)[meant] == exact).all()


def test_a_table_has_no_quotation_marks():
    html = show.table(pl.DataFrame({"name": ["Bank"], "size": [2]})).data
    assert "<td>Bank</td><td>2</td>" in html
    assert "&quot;" not in html


def test_a_position_may_be_one_seats_view():
    game = sprawl_env.game("ginkgopolis")
    games = game.deal(1, 5)
    mine, theirs = (show.position(game, games, seat=seat).data for seat in (0, 1))
    assert mine != theirs


def test_a_command_prints_what_it_says_without_blanks(tmp_path, capsys):
    show.command("sprawl_env data tower_up", tmp_path)
    out = capsys.readouterr().out
    assert out.startswith("tower_up\ntable")
    assert all(line and line == line.rstrip() for line in out.splitlines())
    show.command("sprawl_env data tower_up", tmp_path, quiet=True)
    assert capsys.readouterr().out == ""
    assert not list(tmp_path.iterdir())


def test_bars_of_progress_are_left_out_and_tables_stay():
    said = "step 5 (3/s) ━━━━━━━━╸ 100% 0:00:01 wins\n\n┏━━━┓  \n┃ a ┃\n"
    assert show.lines_of(said) == ["step 5 (3/s) 100% 0:00:01 wins", "┏━━━┓", "┃ a ┃"]


@pytest.mark.compiled
def test_a_command_is_plain_text_in_a_kernel_that_asks_for_colour(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    show.command("sprawl_env evaluate --bots random random --games 2", tmp_path)
    out = capsys.readouterr().out
    assert "mean score" in out
    assert "\x1b" not in out


def test_a_command_that_fails_says_why_in_one_line(tmp_path):
    with pytest.raises(show.CommandFailed) as error:
        show.command("sprawl_env data chess", tmp_path)
    assert str(error.value).startswith(
        "python -m sprawl_env data chess: error: unknown game 'chess'"
    )
    assert "\n" not in str(error.value)


def test_set_up_draws_in_the_seats_colours():
    import matplotlib as mpl

    with mpl.rc_context():
        show.set_up()
        colours = [style["color"] for style in mpl.rcParams["axes.prop_cycle"]]
    assert colours == list(SEAT_COLOURS)
