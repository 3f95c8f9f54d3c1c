"""Cards in the mouse's hand, and cards that slide to their place; neither changes the game."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from klondike_env.cards import Card
from klondike_env.rendering.table_layout import Rect

DRAG_DISTANCE: Final = 6
"""Pixels that the mouse must move, pressed, before a tap becomes a drag."""
SLIDE_SECONDS: Final = 0.16
SLIDE_BACK_SECONDS: Final = 0.24


class Slide:
    """Cards on their way from one place to another, only for the eye: the game has them at the end already.

    Attributes:
        cards: The cards, from the bottom.
    """

    def __init__(self, cards: Sequence[Card], start: Sequence[Rect], end: Sequence[Rect], seconds: float) -> None:
        """Begin.

        Args:
            cards: The cards.
            start: Where each begins.
            end: Where each ends.
            seconds: How long the way takes.
        """
        self.cards = tuple(cards)
        self._start, self._end = list(start), list(end)
        self._seconds = seconds
        self._elapsed = 0.0

    def tick(self, seconds: float) -> bool:
        """Let time pass; return whether the cards are still on their way."""
        self._elapsed += seconds
        return self._elapsed < self._seconds

    def corners(self) -> list[tuple[int, int]]:
        """Return where each card's upper left corner is now."""
        share = min(1.0, self._elapsed / self._seconds)
        # Quick at first, then gently.
        eased = 1 - (1 - share) ** 3
        return [
            (round(a.x + (b.x - a.x) * eased), round(a.y + (b.y - a.y) * eased))
            for a, b in zip(self._start, self._end, strict=True)
        ]


class MouseHand:
    """A mouse button that went down on a card, and what it picked up once it moved.

    Attributes:
        place: The place it went down on.
        card: The card it went down on, -1 for none in sight.
        cards: What is in the hand, from the bottom; empty before the mouse has moved far enough.
        refused: Whether the card cannot be picked up.
    """

    def __init__(self, place: str, card: Card, x: float, y: float) -> None:
        self.place = place
        self.card = card
        self.cards: tuple[Card, ...] = ()
        self.refused = False
        self._pressed_at = (x, y)
        self._mouse = (x, y)
        self._rects: list[Rect] = []

    def follow(self, x: float, y: float) -> bool:
        """Move with the mouse; return whether it has gone far enough for a drag."""
        self._mouse = (x, y)
        return math.dist(self._pressed_at, self._mouse) >= DRAG_DISTANCE

    def pick_up(self, cards: Sequence[Card], rects: Sequence[Rect]) -> None:
        """Take cards from where they lie."""
        self.cards = tuple(cards)
        self._rects = list(rects)

    def rects(self) -> list[Rect]:
        """Return where each card in the hand is now."""
        dx, dy = (round(now - then) for now, then in zip(self._mouse, self._pressed_at, strict=True))
        return [rect.moved(dx, dy) for rect in self._rects]

    def slide_back(self) -> Slide:
        """Return the slide of the cards back to where they lay."""
        return Slide(self.cards, self.rects(), self._rects, SLIDE_BACK_SECONDS)
