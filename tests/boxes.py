"""Boxes around the shapes of a picture, and which of them overlap."""

import numpy as np

from sprawl_env.render.shapes import Circle, Line, Polygon, Rect, Text, text_width


def box_of(shape):
    """Return left, top, right and bottom of a shape."""
    if isinstance(shape, Rect):
        return shape.x, shape.y, shape.x + shape.width, shape.y + shape.height
    if isinstance(shape, Circle):
        x, y, r = shape.x, shape.y, shape.radius
        return x - r, y - r, x + r, y + r
    if isinstance(shape, Line):
        xs, ys = (shape.x, shape.to_x), (shape.y, shape.to_y)
        return min(xs), min(ys), max(xs), max(ys)
    if isinstance(shape, Polygon):
        xs, ys = zip(*shape.points, strict=True)
        return min(xs), min(ys), max(xs), max(ys)
    assert isinstance(shape, Text)
    wide = text_width(shape.text, shape.size, shape.bold)
    left = shape.x - {"start": 0, "middle": wide / 2, "end": wide}[shape.anchor]
    return left, shape.y - shape.size * 0.75, left + wide, shape.y


def free_side(shape):
    """Return the smaller side of the box around a target."""
    left, top, right, bottom = box_of(shape)
    return min(right - left, bottom - top)


def boxes_of(shapes):
    """Return the boxes of shapes as float64 ``[n, 4]``."""
    return np.array([box_of(shape) for shape in shapes], float).reshape(-1, 4)


def overlaps(some, others, touch):
    """Return which boxes overlap by more than ``touch`` in both directions, bool ``[n, m]``."""
    one, other = some[:, None], others[None]
    common = np.minimum(one[..., 2:], other[..., 2:]) - np.maximum(one[..., :2], other[..., :2])
    return (common > touch).all(-1)


def overlapping(shapes, touch):
    """Return the pairs of shapes whose boxes overlap by more than ``touch`` in both directions."""
    boxes = boxes_of(shapes)
    found = np.argwhere(np.triu(overlaps(boxes, boxes, touch), k=1))
    return [(shapes[k], shapes[j]) for k, j in found]
