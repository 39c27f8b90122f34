"""Pictures as pixels, painted with Pillow and the font that comes with it.

The same picture gives the same pixels on every machine with the same version of Pillow.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from sprawl_env.core.extras import require
from sprawl_env.core.rules import Picture
from sprawl_env.render.canvas import Canvas
from sprawl_env.render.shapes import (
    GROUND,
    NONE,
    Circle,
    Line,
    Polygon,
    Rect,
    Shape,
    Text,
    text_width,
)

Pixels: TypeAlias = npt.NDArray[np.uint8]
_EDGES: Final = 24  # colours of a palette besides those of the shapes
_MOST_COLOURS: Final = 256  # of a palette
_FINER: Final = 2  # how much finer shapes are painted, before pixels are averaged


def rgb_array(picture: Picture | Canvas) -> Pixels:
    """Return a picture as uint8 ``[height, width, 3]``, at its scale.

    Raises:
        InvalidOption: Pillow is not installed.
    """
    image_module, draw_module = (require(f"PIL.{m}", "pixels") for m in ("Image", "ImageDraw"))
    scale = picture.scale
    size = (round(picture.width * scale) * _FINER, round(picture.height * scale) * _FINER)
    image = image_module.new("RGB", size, GROUND)
    canvas = draw_module.Draw(image)
    for shape in picture.shapes:
        _paint(canvas, shape, _FINER * scale)
    return np.asarray(image.reduce(_FINER), np.uint8)


def colours_of(shapes: Iterable[Shape]) -> set[str]:
    """Return the colours of some shapes."""
    return {colour for shape in shapes for colour in (shape.fill, shape.stroke)} - {NONE}


def palette_of(colours: Iterable[str], image: Any) -> Any:
    """Return a palette for Pillow: these colours, the ground, and some for the edges of letters.

    Args:
        colours: names of colours.
        image: Pillow's, which has the other colours.
    """
    image_module, color_module = (require(f"PIL.{m}", "pixels") for m in ("Image", "ImageColor"))
    named = sorted({GROUND, *colours})
    own = [part for colour in named for part in color_module.getrgb(colour)]
    others = (image.quantize(_EDGES).getpalette() or [])[: 3 * _EDGES]
    palette = image_module.new("P", (1, 1))
    palette.putpalette((own + others)[: 3 * _MOST_COLOURS])
    return palette


def _paint(canvas: Any, shape: Shape, n: float) -> None:
    """Paint one shape at scale ``n``; an invisible one paints nothing."""
    if shape.fill == shape.stroke == NONE:
        return
    style = {
        "fill": None if shape.fill == NONE else shape.fill,
        "outline": None if shape.stroke == NONE else shape.stroke,
        "width": max(1, round(shape.stroke_width * n)),
    }
    out = shape.stroke_width * n / 2 if shape.stroke != NONE else 0.0  # outside half of the outline
    if isinstance(shape, Rect):
        left, top = shape.x * n - out, shape.y * n - out
        right, bottom = (shape.x + shape.width) * n + out, (shape.y + shape.height) * n + out
        canvas.rounded_rectangle((left, top, right - 1, bottom - 1), shape.radius * n, **style)
    elif isinstance(shape, Circle):
        r = shape.radius * n + out
        x, y = shape.x * n, shape.y * n
        canvas.ellipse((x - r, y - r, x + r, y + r), **style)
    elif isinstance(shape, Polygon):
        canvas.polygon([(x * n, y * n) for x, y in shape.points], **style)
    elif isinstance(shape, Line):
        ends = (shape.x * n, shape.y * n, shape.to_x * n, shape.to_y * n)
        canvas.line(ends, fill=shape.stroke, width=style["width"])
    elif isinstance(shape, Text):
        _write(canvas, shape, n)


def _write(canvas: Any, text: Text, n: float) -> None:
    """Paint a text at scale ``n``, at most as wide as :func:`text_width` says."""
    meant = text_width(text.text, text.size, text.bold) * n
    font = _font(round(text.size * n, 1))
    wide = font.getlength(text.text) + (1 if text.bold else 0)
    if wide > meant:
        font = _font(round(text.size * n * meant / wide, 1))
    anchor = {"start": "ls", "middle": "ms", "end": "rs"}[text.anchor]
    bold = 0.035 * text.size * n if text.bold else 0
    place = (text.x * n, text.y * n)
    canvas.text(place, text.text, text.fill, font, anchor, stroke_width=bold)


@functools.lru_cache(maxsize=256)
def _font(size: float) -> Any:
    """Return Pillow's own font, which is the same on every machine."""
    return require("PIL.ImageFont", "pixels").load_default(size)
