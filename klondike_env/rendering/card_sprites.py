"""Cards, places and signs as pictures of one size, drawn when first needed and then kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pygame

from klondike_env.cards import ACE, RANK_LETTERS, Card, Suit, card_rank, card_suit, is_red
from klondike_env.rendering.courts import JACK_RANK, draw_court
from klondike_env.rendering.shapes import Canvas, Colour, Point
from klondike_env.rendering.table_layout import CARD_ASPECT

CARD_UNITS: Final = 100.0
"""Cards are drawn in units of a hundredth of their width."""
_CARD_HEIGHT = CARD_UNITS * CARD_ASPECT
_CORNER = 8.5
_SMALL = 50
"""Cards narrower than this, in pixels, have no room for pips."""

_RED: Colour = (200, 24, 44)
_BLACK: Colour = (24, 26, 32)
_PAPER: Colour = (254, 253, 249)
_EDGE = (118, 118, 112)
_BACK: Colour = (32, 64, 128)
_BACK_LIGHT: Colour = (92, 132, 200)
_BACK_DARK: Colour = (22, 44, 96)
_GOLD: Colour = (236, 192, 84)
_ON_TABLE: Colour = (232, 250, 236)
_FAINT: Colour = (88, 152, 122)
_OFF: Colour = (226, 128, 112)

_LEFT, _MIDDLE, _RIGHT = 30.0, 50.0, 70.0
_TOP, _BOTTOM = 35.5, 104.5
_THIRD = (_BOTTOM - _TOP) / 3
_CENTER = (_TOP + _BOTTOM) / 2
_SIDES_2 = [(x, y) for x in (_LEFT, _RIGHT) for y in (_TOP, _BOTTOM)]
_SIDES_3 = [*_SIDES_2, (_LEFT, _CENTER), (_RIGHT, _CENTER)]
_SIDES_4 = [(x, _TOP + _THIRD * row) for x in (_LEFT, _RIGHT) for row in range(4)]
_PIPS: Final[tuple[list[Point], ...]] = (
    [(_MIDDLE, _CENTER)],
    [(_MIDDLE, _TOP), (_MIDDLE, _BOTTOM)],
    [(_MIDDLE, _TOP), (_MIDDLE, _CENTER), (_MIDDLE, _BOTTOM)],
    _SIDES_2,
    [*_SIDES_2, (_MIDDLE, _CENTER)],
    _SIDES_3,
    [*_SIDES_3, (_MIDDLE, (_TOP + _CENTER) / 2)],
    [*_SIDES_3, (_MIDDLE, (_TOP + _CENTER) / 2), (_MIDDLE, (_BOTTOM + _CENTER) / 2)],
    [*_SIDES_4, (_MIDDLE, _CENTER)],
    [*_SIDES_4, (_MIDDLE, _TOP + _THIRD / 2), (_MIDDLE, _BOTTOM - _THIRD / 2)],
)
"""Where the suit symbols of ace to ten stand on a card."""


class CardSprites:
    """The pictures for cards ``width`` pixels wide.

    Attributes:
        size: Width and height of a card in pixels.
    """

    def __init__(self, width: int) -> None:
        self.size = (width, round(width * CARD_ASPECT))
        self._faces: dict[Card, pygame.Surface] = {}
        self._others: dict[tuple[object, ...], pygame.Surface] = {}

    def face(self, card: Card) -> pygame.Surface:
        """Return the face of a card."""
        sprite = self._faces.get(card)
        if sprite is None:
            sprite = self._faces[card] = self._draw_face(card)
        return sprite

    @property
    def back(self) -> pygame.Surface:
        """The back of a card."""
        return self._kept(("back",), self._draw_back)

    @property
    def shadow(self) -> pygame.Surface:
        """A soft shadow, ``shadow_margin`` larger than a card on all sides."""
        return self._kept(("shadow",), self._draw_shadow)

    @property
    def shadow_margin(self) -> int:
        """How far the shadow reaches beyond a card, in pixels."""
        return max(1, round(self.size[0] * 0.05))

    def empty_column(self) -> pygame.Surface:
        """Return the place of an empty column, which takes only a king."""
        return self._kept(("column",), lambda: self._draw_place(king=True))

    def empty_foundation(self, suit: Suit) -> pygame.Surface:
        """Return the place of an empty foundation, marked with its suit."""
        return self._kept(("foundation", suit), lambda: self._draw_place(suit=suit))

    def empty_waste(self) -> pygame.Surface:
        """Return the place of an empty waste."""
        return self._kept(("waste",), self._draw_place)

    def empty_stock(self, sign: str) -> pygame.Surface:
        """Return the place of an empty stock: ``"redeal"``, ``"no pass"`` or ``"finished"`` (no card is left)."""
        return self._kept(("stock", sign), lambda: self._draw_stock_place(sign))

    def outline(self, width: int, height: int, colour: tuple[int, int, int]) -> pygame.Surface:
        """Return a glowing frame to lay around a rectangle of this size; it is ``outline_margin`` larger all round."""
        return self._kept(("outline", width, height, colour), lambda: self._draw_outline(width, height, colour))

    @property
    def outline_margin(self) -> int:
        """How far an outline reaches beyond its rectangle, in pixels."""
        return max(2, round(self.size[0] * 0.06))

    def _kept(self, key: tuple[object, ...], draw: Callable[[], pygame.Surface]) -> pygame.Surface:
        """Return a picture, drawing it the first time."""
        sprite = self._others.get(key)
        if sprite is None:
            sprite = self._others[key] = draw()
        return sprite

    def _blank(self, ground: Colour) -> Canvas:
        """Return a canvas with a blank card on it."""
        canvas = Canvas(self.size, CARD_UNITS, _EDGE)
        canvas.rectangle(0, 0, CARD_UNITS, canvas.height, _EDGE, _CORNER)
        border = max(0.9, 70.0 / self.size[0])
        canvas.rectangle(border, border, CARD_UNITS - 2 * border, canvas.height - 2 * border, ground, _CORNER - border)
        return canvas

    def _draw_face(self, card: Card) -> pygame.Surface:
        """Draw a face: rank and suit in two corners, and pips or a court figure."""
        canvas = self._blank(_PAPER)
        rank, suit = card_rank(card), card_suit(card)
        ink = _RED if is_red(card) else _BLACK
        if self.size[0] < _SMALL:
            self._draw_small_face(canvas, rank, suit, ink)
            return canvas.finish()
        for center in (None, (CARD_UNITS / 2, _CARD_HEIGHT / 2)):
            canvas.turn_around(center)
            letters = RANK_LETTERS[rank].replace("T", "10")
            two_digits = len(letters) == 2
            canvas.text(letters, (16.0 if two_digits else 13.0, 14.0), 16.5, ink, 0.86 if two_digits else 1.0)
            canvas.suit(suit, 38.0 if two_digits else 32.0, 14.0, 17.0, ink)
        canvas.turn_around(None)
        if rank >= JACK_RANK:
            draw_court(canvas, suit, rank, ink)
        else:
            size = 56.0 if rank == ACE else 19.5 if rank >= 8 else 21.5
            for x, y in _PIPS[rank]:
                # The lower half stands on its head, as on any card.
                canvas.turn_around((x, y) if y > _CENTER else None)
                canvas.suit(suit, x, y, size, ink)
            canvas.turn_around(None)
        return canvas.finish()

    def _draw_small_face(self, canvas: Canvas, rank: int, suit: Suit, ink: Colour) -> None:
        """Draw what can still be read on a small card: rank and suit once and large, and one symbol or figure."""
        two_digits = RANK_LETTERS[rank] == "T"
        canvas.text("10" if two_digits else RANK_LETTERS[rank], (23.0 if two_digits else 19.0, 20.0), 25.0, ink)
        canvas.suit(suit, 60.0 if two_digits else 52.0, 20.0, 26.0, ink)
        if rank >= JACK_RANK:
            shrink, foot = 0.84, (CARD_UNITS / 2, 150.0)
            canvas.zoom(shrink, foot)
            draw_court(canvas, suit, rank, ink)
            canvas.zoom(1 / shrink, foot)
        else:
            canvas.suit(suit, CARD_UNITS / 2, 88.0, 60.0, ink)

    def _draw_back(self) -> pygame.Surface:
        """Draw the back: a lattice in a frame, and a medallion with the four suits."""
        canvas = self._blank(_PAPER)
        margin = 6.0
        width, height = CARD_UNITS - 2 * margin, canvas.height - 2 * margin
        canvas.rectangle(margin, margin, width, height, _BACK, 5.0)
        step = 9.0
        lattice = canvas.surface.subsurface(
            pygame.Rect(*(round(v * canvas.scale) for v in (margin + 3, margin + 3, width - 6, height - 6)))
        )
        reach = int((width + height) / step) + 2
        thickness = max(1, round(1.0 * canvas.scale))
        for place in range(-reach, reach):
            x, depth = place * step * canvas.scale, height * canvas.scale
            pygame.draw.line(lattice, _BACK_LIGHT, (x, 0), (x + depth, depth), thickness)
            pygame.draw.line(lattice, _BACK_LIGHT, (x, 0), (x - depth, depth), thickness)
        canvas.rectangle(margin + 2.2, margin + 2.2, width - 4.4, height - 4.4, _GOLD, 3.0, 1.2)
        x, y = CARD_UNITS / 2, canvas.height / 2
        canvas.circle(x, y, 21.5, _GOLD)
        canvas.circle(x, y, 20.0, _BACK_DARK)
        for suit, (dx, dy) in enumerate(((0, -9.5), (9.5, 0), (0, 9.5), (-9.5, 0))):
            canvas.suit(suit, x + dx, y + dy, 11.0, _GOLD)
        return canvas.finish()

    def _draw_shadow(self) -> pygame.Surface:
        """Draw the shadow as rings of growing darkness."""
        margin = self.shadow_margin
        width, height = self.size
        shadow = pygame.Surface((width + 2 * margin, height + 2 * margin), pygame.SRCALPHA, 32)
        radius = round(width * _CORNER / CARD_UNITS)
        for ring in range(margin):
            box = pygame.Rect(ring, ring, shadow.get_width() - 2 * ring, shadow.get_height() - 2 * ring)
            alpha = round(54 * ((ring + 1) / margin) ** 1.5)
            pygame.draw.rect(shadow, (0, 0, 0, alpha), box, border_radius=radius + margin - ring)
        return shadow

    def _draw_place(self, *, suit: Suit | None = None, king: bool = False) -> pygame.Surface:
        """Draw an empty place, sunk into the cloth."""
        canvas = self._place_canvas()
        x, y = CARD_UNITS / 2, canvas.height / 2
        if suit is not None:
            canvas.suit(suit, x, y, 46.0, (*_ON_TABLE[:3], 96))
        if king:
            canvas.text("K", (x, y), 34.0, _FAINT)
        return canvas.finish()

    def _place_canvas(self) -> Canvas:
        """Return a canvas with an empty place on it."""
        canvas = Canvas(self.size, CARD_UNITS, (0, 0, 0))
        canvas.rectangle(0, 0, CARD_UNITS, canvas.height, (0, 0, 0, 46), _CORNER)
        canvas.rectangle(0.5, 0.5, CARD_UNITS - 1, canvas.height - 1, (*_ON_TABLE[:3], 90), _CORNER, 1.8)
        return canvas

    def _draw_stock_place(self, sign: str) -> pygame.Surface:
        """Draw the place of the stock when it is empty, with what a tap on it would do."""
        canvas = self._place_canvas()
        x, y, radius = CARD_UNITS / 2, canvas.height / 2, 27.0
        if sign == "redeal":
            # A ring with a gap, and an arrow head at its end.
            points = [pygame.Vector2(0, -radius).rotate(angle) for angle in range(30, 331, 5)]
            canvas.line([(x + p.x, y + p.y) for p in points], _ON_TABLE, 7.0)
            tip = pygame.Vector2(0, -radius).rotate(358)
            inner, outer = (pygame.Vector2(0, -radius + d).rotate(322) for d in (12.5, -12.5))
            canvas.polygon([(x + p.x, y + p.y) for p in (tip, inner, outer)], _ON_TABLE)
        elif sign == "no pass":
            # Forbidden: a ring crossed out, in another colour.
            points = [pygame.Vector2(0, -radius).rotate(angle) for angle in range(0, 361, 5)]
            canvas.line([(x + p.x, y + p.y) for p in points], _OFF, 7.0)
            half = radius * 0.7071
            canvas.line([(x - half, y - half), (x + half, y + half)], _OFF, 7.0)
        return canvas.finish()

    def _draw_outline(self, width: int, height: int, colour: tuple[int, int, int]) -> pygame.Surface:
        """Draw a frame that fades outwards."""
        margin = self.outline_margin
        size = (width + 2 * margin, height + 2 * margin)
        canvas = Canvas(size, float(size[0]), colour)
        thickness = max(1.6, margin * 0.55)
        radius = self.size[0] * _CORNER / CARD_UNITS
        for spread, alpha in ((margin, 50), (margin * 0.6, 110)):
            canvas.rectangle(
                margin - spread,
                margin - spread,
                width + 2 * spread,
                height + 2 * spread,
                (*colour, alpha),
                radius + spread,
            )
        canvas.rectangle(
            margin - thickness / 2,
            margin - thickness / 2,
            width + thickness,
            height + thickness,
            (*colour, 255),
            radius + thickness / 2,
        )
        inner = thickness / 2
        canvas.rectangle(
            margin + inner,
            margin + inner,
            width - 2 * inner,
            height - 2 * inner,
            (*colour, 0),
            max(1.0, radius - inner),
        )
        return canvas.finish()
