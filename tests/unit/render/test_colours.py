"""Colours that must be told apart: by everybody, with each of the three colour blindnesses too."""

from itertools import combinations

import numpy as np
import pytest

from sprawl_env.games.ginkgopolis.render_cards import TILES
from sprawl_env.games.tower_up.render import FLOORS
from sprawl_env.games.urban_sprawl.render_marks import COLOURS as ZONE_COLOURS
from sprawl_env.render.shapes import INK, SEAT_COLOURS

LEAST_DIFFERENCE = 15.0  # in CIELAB; 2.3 can just be seen side by side
LEAST_CONTRAST = 4.5  # WCAG 2.2, 1.4.3
# Machado, Oliveira and Fernandes 2009, severity 1: from linear RGB to linear RGB.
VISIONS = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868],
         [0.114503, 0.786281, 0.099216],
         [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968],
         [0.280085, 0.672501, 0.047413],
         [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779],
         [-0.078411, 0.930809, 0.147602],
         [0.004733, 0.691367, 0.303900]]
    ),
}  # fmt: skip
TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375],
     [0.2126729, 0.7151522, 0.0721750],
     [0.0193339, 0.1191920, 0.9503041]]
)  # fmt: skip
WHITE = np.array([0.95047, 1.0, 1.08883])


def linear(colour):
    """Return a colour such as ``#a8c0f0`` in linear RGB."""
    channels = np.array([int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)])
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def lab(rgb):
    """Return linear RGB as CIELAB."""
    xyz = TO_XYZ @ np.clip(rgb, 0, 1) / WHITE
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def luminance(colour):
    return float(TO_XYZ[1] @ linear(colour))


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize(
    "colours",
    [SEAT_COLOURS, ZONE_COLOURS, TILES, FLOORS],
    ids=["seats", "zones", "tiles", "floors"],
)
def test_colours_of_one_kind_are_told_apart(colours, vision):
    seen = {colour: lab(VISIONS[vision] @ linear(colour)) for colour in colours}
    for one, other in combinations(colours, 2):
        assert np.linalg.norm(seen[one] - seen[other]) >= LEAST_DIFFERENCE, (one, other)


@pytest.mark.parametrize("colour", [*ZONE_COLOURS, *TILES])
def test_words_on_zones_and_tiles_can_be_read(colour):
    light, dark = luminance(colour) + 0.05, luminance(INK) + 0.05
    assert light / dark >= LEAST_CONTRAST


def test_colours_that_look_alike_are_found():
    one, other = (lab(VISIONS["tritanopia"] @ linear(c)) for c in ("#a9d3f0", "#a6dcc3"))
    assert np.linalg.norm(one - other) < LEAST_DIFFERENCE
