"""The pictures of jack, queen and king: half a figure, and the same upside down, divided by a slanting line.

Coordinates are those of a card 100 wide and 140 high.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from klondike_env.cards import CLUBS, DIAMONDS, HEARTS, SPADES
from klondike_env.rendering.shapes import Canvas, Colour, circle, curve

JACK_RANK: Final = 10
QUEEN_RANK: Final = 11

_CENTER = (50.0, 70.0)
_FRAME = (23.0, 26.0, 54.0, 88.0)
_ZOOM = 1.09
_INK: Colour = (42, 36, 44)
_SKIN: Colour = (247, 219, 186)
_CHEEK: Colour = (238, 178, 150)
_GOLD: Colour = (236, 184, 62)
_DARK_GOLD: Colour = (184, 128, 28)
_IVORY: Colour = (253, 249, 238)


@dataclass(frozen=True, slots=True)
class _Colours:
    """The colours of one suit's court: robe, its lining, hair, and the ground of the picture."""

    robe: Colour
    lining: Colour
    hair: Colour
    ground: Colour


_COURT_COLOURS: Final = {
    SPADES: _Colours((44, 72, 142), (128, 164, 222), (74, 54, 44), (232, 238, 248)),
    HEARTS: _Colours((190, 34, 56), (240, 148, 144), (150, 92, 40), (252, 236, 232)),
    DIAMONDS: _Colours((206, 92, 30), (250, 190, 116), (196, 142, 62), (253, 242, 226)),
    CLUBS: _Colours((26, 104, 84), (138, 202, 172), (58, 50, 52), (230, 244, 238)),
}


def draw_court(canvas: Canvas, suit: int, rank: int, ink: Colour) -> None:
    """Draw the framed picture of a court card (rank 10-12) on a canvas of 100 units width."""
    colours = _COURT_COLOURS[suit]
    x, y, width, height = _FRAME
    canvas.zoom(_ZOOM, _CENTER)
    canvas.rectangle(x, y, width, height, colours.ground)
    for center in (None, _CENTER):
        canvas.turn_around(center)
        _draw_robe(canvas, colours, suit)
        if rank == JACK_RANK:
            _draw_jack(canvas, colours)
        elif rank == QUEEN_RANK:
            _draw_queen(canvas, colours, suit, ink)
        else:
            _draw_king(canvas, colours)
        canvas.suit(suit, x + 8.5, y + 9, 11.5, ink)
    canvas.turn_around(None)
    canvas.line([(x, 78.0), (x + width, 62.0)], _GOLD, 2.2)
    canvas.line([(x, 78.0), (x + width, 62.0)], _INK, 0.5)
    canvas.rectangle(x - 0.9, y - 0.9, width + 1.8, height + 1.8, _DARK_GOLD, 1.5, 1.1)
    canvas.zoom(1 / _ZOOM, _CENTER)


def _draw_robe(canvas: Canvas, colours: _Colours, suit: int) -> None:
    """Draw shoulders and chest down to the dividing line."""
    left, right = 23.0, 77.0
    outline = curve((left, 78.0), ((24.0, 66.0), (30.0, 60.0), (42.0, 56.5)))
    outline += curve((58.0, 56.5), ((70.0, 58.0), (75.0, 60.0), (right, 62.0)))
    canvas.polygon(outline, colours.robe)
    # A broad band down the front, edged with gold.
    canvas.polygon([(41.0, 56.5), (59.0, 56.5), (61.5, 66.6), (38.5, 73.4)], colours.lining)
    canvas.line([(41.0, 56.5), (38.5, 73.2)], _GOLD, 1.3)
    canvas.line([(59.0, 56.5), (61.5, 66.6)], _GOLD, 1.3)
    for place, (px, py) in enumerate(((31.0, 68.0), (68.5, 61.8))):
        canvas.suit(suit, px, py, 6.5 - place, _GOLD)
    canvas.line([(46.5, 62.5), (50.0, 66.0), (53.5, 62.5)], colours.robe, 1.1)


def _draw_face(canvas: Canvas, y: float, mouth: float = 5.4) -> None:
    """Draw neck, face, eyes, nose and mouth; y is the middle of the face."""
    canvas.polygon([(46.0, y + 5), (54.0, y + 5), (54.5, y + 12), (45.5, y + 12)], _SKIN)
    canvas.polygon(circle(50.0, y, 8.2, 1.18), _INK)
    canvas.polygon(circle(50.0, y, 7.7, 1.18), _SKIN)
    for side in (-1, 1):
        canvas.circle(50.0 + side * 5.0, y + 3.0, 1.5, _CHEEK)
        canvas.line([(50.0 + side * 4.6, y - 2.9), (50.0 + side * 1.9, y - 3.1)], _INK, 0.7)
        canvas.polygon(circle(50.0 + side * 3.2, y - 0.7, 1.25, 0.75), _IVORY)
        canvas.circle(50.0 + side * 3.1, y - 0.7, 0.85, _INK)
    canvas.line([(50.0, y - 0.4), (49.2, y + 2.6), (50.5, y + 2.8)], (196, 138, 104), 0.6)
    canvas.line([(48.2, y + mouth), (50.0, y + mouth + 0.6), (51.8, y + mouth)], (178, 44, 52), 1.0)


def _draw_king(canvas: Canvas, colours: _Colours) -> None:
    """Draw a bearded head with a crown, and a sceptre."""
    y = 46.5
    canvas.polygon(circle(50.0, y + 2.0, 11.4, 1.02), colours.hair)
    _draw_face(canvas, y)
    beard = curve((42.1, y + 2.0), ((42.5, y + 12.0), (46.0, y + 15.5), (50.0, y + 17.0)))
    beard += curve((50.0, y + 17.0), ((54.0, y + 15.5), (57.5, y + 12.0), (57.9, y + 2.0)))
    beard += curve((57.9, y + 2.0), ((56.0, y + 5.5), (53.5, y + 3.4), (50.0, y + 3.6)))
    beard += curve((50.0, y + 3.6), ((46.5, y + 3.4), (44.0, y + 5.5), (42.1, y + 2.0)))
    canvas.polygon(beard, colours.hair)
    canvas.line([(48.0, y + 6.3), (50.0, y + 7.0), (52.0, y + 6.3)], (206, 92, 84), 1.2)
    _draw_crown(canvas, y - 6.6, 11.0, 9.5, colours.robe)
    canvas.line([(67.5, 40.0), (67.5, 58.5)], _DARK_GOLD, 2.0)
    canvas.circle(67.5, 38.0, 3.8, _DARK_GOLD)
    canvas.circle(67.5, 38.0, 3.1, _GOLD)
    canvas.line([(67.5, 31.5), (67.5, 34.5)], _DARK_GOLD, 1.3)
    canvas.line([(65.8, 32.9), (69.2, 32.9)], _DARK_GOLD, 1.3)


def _draw_crown(canvas: Canvas, base: float, half_width: float, height: float, jewel: Colour) -> None:
    """Draw a crown whose band lies on ``base``."""
    top = base - height
    points = [
        (50.0 - half_width, base),
        (50.0 - half_width * 1.15, top + height * 0.2),
        (50.0 - half_width * 0.52, top + height * 0.55),
        (50.0, top),
        (50.0 + half_width * 0.52, top + height * 0.55),
        (50.0 + half_width * 1.15, top + height * 0.2),
        (50.0 + half_width, base),
    ]
    canvas.polygon(points, _GOLD)
    canvas.line([*points, points[0]], _DARK_GOLD, 0.7)
    for x, y in (points[1], points[3], points[5]):
        canvas.circle(x, y, 1.5, _DARK_GOLD)
        canvas.circle(x, y, 1.1, _IVORY)
    canvas.polygon(
        [
            (50 - half_width, base - 2.4),
            (50 + half_width, base - 2.4),
            (50 + half_width, base),
            (50 - half_width, base),
        ],
        _DARK_GOLD,
    )
    for place in (-0.6, 0.0, 0.6):
        canvas.circle(50.0 + place * half_width, base - 1.2, 1.0, jewel if place else _IVORY)


def _draw_queen(canvas: Canvas, colours: _Colours, suit: int, ink: Colour) -> None:
    """Draw a head with long hair and a diadem, a necklace, and a flower."""
    y = 46.0
    hair = curve((50.0, y - 12.0), ((60.0, y - 12.0), (63.0, y - 3.0), (62.5, y + 6.0)))
    hair += curve((62.5, y + 6.0), ((62.5, y + 11.0), (65.0, y + 13.0), (64.0, y + 16.0)))
    hair += [(56.0, y + 13.0), (44.0, y + 13.0)]
    hair += curve((36.0, y + 16.0), ((35.0, y + 13.0), (37.5, y + 11.0), (37.5, y + 6.0)))
    hair += curve((37.5, y + 6.0), ((37.0, y - 3.0), (40.0, y - 12.0), (50.0, y - 12.0)))
    canvas.polygon(hair, colours.hair)
    _draw_face(canvas, y + 0.5)
    fringe = curve((42.3, y - 2.5), ((43.0, y - 9.5), (57.0, y - 9.5), (57.7, y - 2.5)))
    fringe += curve((57.7, y - 2.5), ((55.0, y - 6.0), (52.0, y - 6.5), (50.0, y - 7.5)))
    fringe += curve((50.0, y - 7.5), ((48.0, y - 6.5), (45.0, y - 6.0), (42.3, y - 2.5)))
    canvas.polygon(fringe, colours.hair)
    _draw_crown(canvas, y - 7.4, 8.2, 7.6, colours.robe)
    for place in range(-2, 3):
        canvas.circle(50.0 + place * 2.3, y + 12.2 - abs(place) * 0.7, 1.1, _IVORY)
    canvas.line([(68.0, 58.0), (67.0, 50.0), (68.5, 44.0)], (52, 118, 60), 1.3)
    canvas.polygon(circle(70.0, 51.5, 2.6, 0.5), (52, 118, 60))
    for dx, dy in ((0, -3.0), (2.9, -0.9), (1.8, 2.4), (-1.8, 2.4), (-2.9, -0.9)):
        canvas.circle(68.5 + dx, 40.0 + dy, 2.3, colours.lining)
    canvas.circle(68.5, 40.0, 1.9, _GOLD)


def _draw_jack(canvas: Canvas, colours: _Colours) -> None:
    """Draw a beardless head with a cap and feather, and a halberd."""
    y = 47.5
    hair = curve((38.6, y + 8.5), ((37.5, y - 3.0), (40.0, y - 9.0), (50.0, y - 9.5)))
    hair += curve((50.0, y - 9.5), ((60.0, y - 9.0), (62.5, y - 3.0), (61.4, y + 8.5)))
    hair += [(57.0, y + 9.5), (43.0, y + 9.5)]
    canvas.polygon(hair, colours.hair)
    _draw_face(canvas, y)
    canvas.polygon([(42.0, 56.2), (58.0, 56.2), (55.0, 60.5), (50.0, 58.6), (45.0, 60.5)], _IVORY)
    cap = curve((39.0, y - 5.4), ((36.5, y - 14.0), (46.0, y - 17.0), (53.0, y - 16.0)))
    cap += curve((53.0, y - 16.0), ((61.0, y - 15.0), (64.0, y - 9.0), (61.0, y - 5.4)))
    canvas.polygon(cap, colours.robe)
    canvas.polygon([(38.0, y - 7.6), (62.0, y - 7.6), (61.4, y - 4.6), (38.6, y - 4.6)], _GOLD)
    canvas.line([(38.3, y - 4.6), (61.7, y - 4.6)], _DARK_GOLD, 0.7)
    feather = curve((57.0, y - 8.5), ((58.5, y - 15.0), (64.0, y - 19.0), (71.0, y - 18.0)))
    feather += curve((71.0, y - 18.0), ((69.0, y - 12.0), (63.0, y - 8.0), (57.0, y - 8.5)))
    canvas.polygon(feather, _IVORY)
    canvas.line(curve((57.0, y - 8.5), ((60.0, y - 13.0), (64.0, y - 16.0), (71.0, y - 18.0))), colours.lining, 0.8)
    canvas.line([(69.0, 40.0), (69.0, 60.0)], (120, 82, 48), 1.7)
    blade = curve((69.0, 36.0), ((73.0, 38.0), (75.0, 42.0), (74.0, 47.0)))
    canvas.polygon([*blade, (69.0, 44.5)], (176, 186, 200))
    canvas.polygon([(67.6, 42.0), (70.4, 42.0), (69.0, 34.0)], (150, 160, 176))
