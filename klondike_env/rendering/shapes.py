"""Vector shapes as outlines, and the canvas that draws them smoothly at any size.

A shape is drawn several times as large as it is needed and then averaged down, so all edges are smooth.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Final

import pygame

from klondike_env.rendering.texts import new_font

Point = tuple[float, float]
Colour = tuple[int, int, int] | tuple[int, int, int, int]

OVERSAMPLING: Final = 4
_CURVE_POINTS = 14
_CIRCLE_POINTS = 40


def curve(start: Point, *pieces: tuple[Point, Point, Point]) -> list[Point]:
    """Return points along cubic Bézier pieces: two control points and the end of each."""
    points = [start]
    for first, second, end in pieces:
        begin = points[-1]
        for step in range(1, _CURVE_POINTS + 1):
            t = step / _CURVE_POINTS
            u = 1 - t
            weights = (u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t)
            x, y = (
                sum(w * point[axis] for w, point in zip(weights, (begin, first, second, end), strict=True))
                for axis in (0, 1)
            )
            points.append((x, y))
    return points


def mirrored(points: Sequence[Point]) -> list[Point]:
    """Return an outline completed by its mirror image at the y axis; the given half starts and ends on the axis."""
    return [*points, *((-x, y) for x, y in reversed(points))]


def circle(x: float, y: float, radius: float, stretch: float = 1.0) -> list[Point]:
    """Return the outline of a circle, or of an ellipse ``stretch`` times as high as wide."""
    angles = (2 * math.pi * step / _CIRCLE_POINTS for step in range(_CIRCLE_POINTS))
    return [(x + radius * math.cos(angle), y + radius * stretch * math.sin(angle)) for angle in angles]


def _stem(top: float, foot: float) -> list[Point]:
    """Return the stem of a spade or club."""
    return mirrored(curve((0.0, top), ((0.06, 0.45), (0.14, 0.82), (foot, 1.0)), ((0.2, 1.0), (0.1, 1.0), (0.0, 1.0))))


_SPADE: Final = (
    mirrored(
        curve(
            (0.0, -1.0),
            ((0.18, -0.58), (0.92, -0.18), (0.92, 0.27)),
            ((0.92, 0.66), (0.36, 0.82), (0.0, 0.4)),
        )
    ),
    _stem(0.1, 0.36),
)
_HEART: Final = (
    mirrored(
        curve(
            (0.0, 0.98),
            ((-0.1, 0.7), (-0.94, 0.12), (-0.94, -0.42)),
            ((-0.94, -1.02), (-0.2, -1.08), (0.0, -0.5)),
        )
    ),
)
_DIAMOND: Final = (
    mirrored(curve((0.0, -1.0), ((0.2, -0.6), (0.5, -0.2), (0.76, 0.0)), ((0.5, 0.2), (0.2, 0.6), (0.0, 1.0)))),
)
_CLUB: Final = (
    circle(0.0, -0.5, 0.46),
    circle(-0.49, 0.2, 0.46),
    circle(0.49, 0.2, 0.46),
    circle(0.0, 0.02, 0.3),
    _stem(-0.1, 0.38),
)
SUIT_OUTLINES: Final = (_SPADE, _HEART, _DIAMOND, _CLUB)
"""The outlines of each suit's symbol, in a box from -1 to 1 both ways, y downwards."""


class Canvas:
    """A picture in the making, with coordinates of its own choice.

    Args:
        pixels: Width and height of the finished picture.
        units: How many units its width has.
        edge: The colour that smooth outer edges fade from.
    """

    def __init__(self, pixels: tuple[int, int], units: float, edge: tuple[int, int, int] = (255, 255, 255)) -> None:
        self._pixels = pixels
        self.scale = pixels[0] * OVERSAMPLING / units
        self.height = pixels[1] * OVERSAMPLING / self.scale
        self.surface = pygame.Surface((pixels[0] * OVERSAMPLING, pixels[1] * OVERSAMPLING), pygame.SRCALPHA, 32)
        # Averaging down mixes colours whatever their opacity, so the empty ground must have the colour of the edge.
        self.surface.fill((*edge, 0))
        self._turned_around: Point | None = None
        self._origin = (0.0, 0.0)

    def zoom(self, factor: float, center: Point) -> None:
        """Draw larger from now on by a factor, about a point that stays where it is."""
        x, y = center
        self._origin = (
            self._origin[0] + x * (1 - factor) * self.scale,
            self._origin[1] + y * (1 - factor) * self.scale,
        )
        self.scale *= factor

    def turn_around(self, center: Point | None) -> None:
        """Draw upside down, turned about a point, from now on; or upright again."""
        self._turned_around = center

    def _place(self, x: float, y: float) -> Point:
        """Return where a point lies on the oversized surface."""
        if self._turned_around is not None:
            x, y = 2 * self._turned_around[0] - x, 2 * self._turned_around[1] - y
        return self._origin[0] + x * self.scale, self._origin[1] + y * self.scale

    def polygon(self, points: Sequence[Point], colour: Colour) -> None:
        """Fill an outline."""
        pygame.draw.polygon(self.surface, colour, [self._place(x, y) for x, y in points])

    def line(self, points: Sequence[Point], colour: Colour, width: float) -> None:
        """Draw a line through points, with round ends and joints."""
        places = [self._place(x, y) for x, y in points]
        thickness = max(1.0, width * self.scale)
        for (x1, y1), (x2, y2) in itertools.pairwise(places):
            length = math.hypot(x2 - x1, y2 - y1)
            if length:
                dx, dy = (y2 - y1) / length * thickness / 2, (x1 - x2) / length * thickness / 2
                corners = [(x1 + dx, y1 + dy), (x2 + dx, y2 + dy), (x2 - dx, y2 - dy), (x1 - dx, y1 - dy)]
                pygame.draw.polygon(self.surface, colour, corners)
        for place in places:
            pygame.draw.circle(self.surface, colour, place, thickness / 2)

    def circle(self, x: float, y: float, radius: float, colour: Colour) -> None:
        """Fill a circle."""
        pygame.draw.circle(self.surface, colour, self._place(x, y), max(1.0, radius * self.scale))

    def rectangle(
        self, x: float, y: float, width: float, height: float, colour: Colour, radius: float = 0.0, border: float = 0.0
    ) -> None:
        """Fill a rectangle with round corners, or draw its border of some width inwards."""
        x1, y1 = self._place(x, y)
        x2, y2 = self._place(x + width, y + height)
        box = pygame.Rect(round(min(x1, x2)), round(min(y1, y2)), round(abs(x2 - x1)), round(abs(y2 - y1)))
        thickness = max(1, round(border * self.scale)) if border else 0
        pygame.draw.rect(self.surface, colour, box, thickness, border_radius=round(radius * self.scale))

    def suit(self, suit: int, x: float, y: float, size: float, colour: Colour) -> None:
        """Draw a suit's symbol about a point, ``size`` high."""
        half = size / 2
        for outline in SUIT_OUTLINES[suit]:
            self.polygon([(x + px * half, y + py * half) for px, py in outline], colour)

    def text(self, text: str, center: Point, height: float, colour: Colour, narrow: float = 1.0) -> None:
        """Draw a line of text about a point, its capitals ``height`` high, its width times ``narrow``."""
        # Capitals of the font that pygame brings are 0.69 of its size high.
        image = new_font(max(4, round(height * self.scale / 0.69))).render(text, True, colour)
        image = image.subsurface(image.get_bounding_rect())
        if narrow != 1.0:
            image = pygame.transform.smoothscale(image, (max(1, round(image.get_width() * narrow)), image.get_height()))
        if self._turned_around is not None:
            image = pygame.transform.rotate(image, 180)
        x, y = self._place(*center)
        self.surface.blit(image, (round(x - image.get_width() / 2), round(y - image.get_height() / 2)))

    def finish(self) -> pygame.Surface:
        """Return the picture at its own size."""
        return pygame.transform.smoothscale(self.surface, self._pixels)
