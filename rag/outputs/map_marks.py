"""The number of a theme in, the mark of its papers on a map out: a colour and a shape.

The colours are those of Okabe and Ito (2008, "Color universal design"), which the colour-blind tell apart.
The number of shapes has no divisor in common with theirs: the first 72 themes all look different.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

Outline = tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Ink:
    """A colour on white, its edge, and what it is on black."""

    light: str
    edge: str
    dark: str


INKS = (
    Ink("#0072b2", "#004b76", "#4aa8e0"),
    Ink("#d55e00", "#8f3f00", "#f07b26"),
    Ink("#009e73", "#00694d", "#1fc796"),
    Ink("#cc79a7", "#8c4a70", "#e093be"),
    Ink("#e69f00", "#946600", "#f0b32e"),
    Ink("#56b4e9", "#2c78a3", "#8accf2"),
    Ink("#4d4d4d", "#000000", "#e6e6e6"),
    Ink("#f0e442", "#857d00", "#f0e442"),
)


def _regular(corners: int, turn: float, size: float = 1.0, inner: float = 0.0) -> Outline:
    """Return a polygon with its first corner at `turn`, or a star whose notches are at `inner`."""
    steps = corners * (2 if inner else 1)
    radius = (size, inner) if inner else (size, size)
    angles = [turn + 2 * math.pi * n / steps for n in range(steps)]
    return tuple(
        (round(math.cos(a) * radius[n % 2], 3), round(math.sin(a) * radius[n % 2], 3))
        for n, a in enumerate(angles)
    )


def _crossed(turn: float) -> Outline:
    """Return a thick cross with its arms at `turn`."""
    long, half = 1.1, 0.36
    arm = ((long, -half), (long, half), (half, half))
    corners = []
    for quarter in range(4):
        angle = turn + quarter * math.pi / 2
        cos, sin = math.cos(angle), math.sin(angle)
        corners += [(round(x * cos - y * sin, 3), round(x * sin + y * cos, 3)) for x, y in arm]
    return tuple(corners)


_UP = -math.pi / 2
# All of about the same area.
OUTLINES: tuple[Outline, ...] = (
    _regular(24, 0.0, 0.95),
    _regular(4, math.pi / 4, 1.18),
    _regular(3, _UP, 1.32),
    _regular(4, 0.0, 1.25),
    _regular(3, -_UP, 1.32),
    _crossed(0.0),
    _regular(5, _UP, 1.08),
    _crossed(math.pi / 4),
    _regular(5, _UP, 1.4, 0.62),
)


def ink_of(theme: int) -> int:
    """Return which of INKS a theme has."""
    return theme % len(INKS)


def outline_of(theme: int) -> int:
    """Return which of OUTLINES a theme has."""
    return theme % len(OUTLINES)
