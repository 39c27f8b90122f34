"""Rendering of positions: pictures made of shapes, as SVG text, pixels or a window; text boards."""
