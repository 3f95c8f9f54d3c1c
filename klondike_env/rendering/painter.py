"""Draws what a player knows of a position."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Final

import pygame

from klondike_env.actions import COLUMN_PILE, FOUNDATION_PILE, WASTE_PILE
from klondike_env.cards import RANK_COUNT, SUIT_COUNT, Card
from klondike_env.layout import COLUMN_COUNT
from klondike_env.position import Position
from klondike_env.rendering.card_sprites import CardSprites
from klondike_env.rendering.table_layout import Rect, Spot, TableLayout
from klondike_env.rendering.texts import Rgb, text_image
from klondike_env.view import PlayerView

MARK_LAST_MOVE: Final[Rgb] = (255, 206, 64)
MARK_HINT: Final[Rgb] = (112, 226, 255)
MARK_SELECTED: Final[Rgb] = (255, 140, 60)
MARK_TARGET: Final[Rgb] = (150, 255, 150)

_CLOTH_MIDDLE = (28, 122, 82)
_CLOTH_EDGE = (10, 68, 46)
_INK: Rgb = (238, 246, 240)
_INK_QUIET: Rgb = (184, 214, 196)
_STRIP = (0, 0, 0, 96)


@dataclass(frozen=True, slots=True)
class TableMarks:
    """What is to be shown beside the position.

    Attributes:
        code: The game code, or another name of the game; a view knows none.
        moved: Cards that the last move moved; they are marked where they lie.
        redealt: Whether the last move was a redeal, which marks the stock.
        outlined: Spots to be outlined, each with a colour.
        lifted: Cards that are not drawn in their place, since they are in somebody's hand.
    """

    code: str = ""
    moved: Collection[Card] = ()
    redealt: bool = False
    outlined: Mapping[Spot, Rgb] = field(default_factory=dict)
    lifted: Collection[Card] = ()


def stock_place_sign(position: Position) -> str:
    """Return what an empty stock shows: ``"redeal"``, ``"no pass"`` (cards are left, but no pass) or ``"finished"``."""
    if position.can_redeal:
        return "redeal"
    return "no pass" if position.waste else "finished"


def last_move_marks(before: Position, after: Position) -> tuple[frozenset[Card], bool]:
    """Return which cards lie in another pile than before, and whether the waste went back to the stock.

    Only cards in sight are returned, and not those that were turned up where they lay.
    """
    old, new = _piles(before), _piles(after)
    moved = {card for card, pile in new.items() if old.get(card, pile) != pile}
    turned = after.waste[len(before.waste) :]
    redealt = not before.stock and bool(before.waste) and bool(after.stock) and not after.waste
    return frozenset({*moved, *turned} & set(_cards_in_sight(after))), redealt


def _piles(position: Position) -> dict[Card, tuple[str, int]]:
    """Return the pile of each known card; the stock's are left out, for nobody sees them move."""
    piles = {card: (WASTE_PILE, 0) for card in position.waste if card >= 0}
    for suit in range(SUIT_COUNT):
        first = suit * RANK_COUNT
        piles |= dict.fromkeys(range(first, first + position.foundation_height(suit)), (FOUNDATION_PILE, suit))
    for column in range(1, COLUMN_COUNT + 1):
        piles |= {card: (COLUMN_PILE, column) for card in position.column(column) if card >= 0}
    return piles


def _cards_in_sight(position: Position) -> list[Card]:
    """Return the cards that lie face up and not under a pile."""
    tops = [position.foundation_top(suit) for suit in range(SUIT_COUNT)]
    cards = [*position.waste_in_sight, *(top for top in tops if top is not None)]
    for column in range(1, COLUMN_COUNT + 1):
        cards += position.column(column)[position.face_down_count(column) :]
    return cards


class TablePainter:
    """Draws views on surfaces of one size, cards and cloth drawn once and then kept.

    Args:
        width: Width of the surfaces in pixels.
        height: Height of the surfaces in pixels.
        footer: Height of a strip below that is left empty, for whatever else a window shows.

    Attributes:
        layout: Where everything lies.
        sprites: The pictures of the cards.
    """

    def __init__(self, width: int, height: int, footer: int = 0) -> None:
        header = header_height(width, height)
        self.layout = TableLayout(width, height, header, footer)
        self.sprites = CardSprites(self.layout.card_width)
        self._text_size = max(9, round(header * 0.72))
        self._small_text_size = max(8, round(self.layout.card_width * 0.2))
        self._cloth = _draw_cloth(width, height)
        strip = pygame.Surface((width, header), pygame.SRCALPHA, 32)
        strip.fill(_STRIP)
        self._cloth.blit(strip, (0, 0))

    def draw(self, surface: pygame.Surface, view: PlayerView, marks: TableMarks | None = None) -> None:
        """Draw a view on a surface of this painter's size.

        Args:
            surface: What to draw on; all of it is drawn over.
            view: What the player knows.
            marks: What is to be shown beside it.
        """
        marks = marks or TableMarks()
        surface.blit(self._cloth, (0, 0))
        self._draw_header(surface, view, marks)
        self._draw_stock(surface, view, marks)
        self._draw_waste(surface, view, marks)
        for suit in range(SUIT_COUNT):
            self._draw_foundation(surface, view, suit, marks)
        for column in range(1, COLUMN_COUNT + 1):
            self._draw_column(surface, view, column, marks)
        for spot, colour in marks.outlined.items():
            self.outline(surface, self.layout.spot_rect(view, spot), colour)
        if view.is_won:
            self.draw_banner(surface, "Won")

    def draw_banner(self, surface: pygame.Surface, text: str) -> None:
        """Write a few words large across the columns' place."""
        words = text_image(text, max(14, self.layout.card_height // 2), (255, 244, 206))
        place = self.layout.column_place((COLUMN_COUNT + 1) // 2)
        box = words.get_rect(center=(self.layout.width // 2, place.center[1]))
        ground = pygame.Surface(box.inflate(box.height, box.height // 2).size, pygame.SRCALPHA, 32)
        pygame.draw.rect(ground, (0, 0, 0, 120), ground.get_rect(), border_radius=ground.get_height() // 4)
        surface.blit(ground, ground.get_rect(center=box.center))
        surface.blit(words, box)

    def draw_card(self, surface: pygame.Surface, card: Card, x: int, y: int) -> None:
        """Draw a card with its upper left corner at a point; -1 draws a back."""
        margin = self.sprites.shadow_margin
        surface.blit(self.sprites.shadow, (x - margin, y - margin + max(1, margin // 3)))
        surface.blit(self.sprites.face(card) if card >= 0 else self.sprites.back, (x, y))

    def outline(self, surface: pygame.Surface, place: Rect, colour: Rgb) -> None:
        """Draw a glowing frame around a place."""
        margin = self.sprites.outline_margin
        sprite = self.sprites.outline(place.width, place.height, colour)
        surface.blit(sprite, (place.x - margin, place.y - margin))

    def _draw_header(self, surface: pygame.Surface, view: PlayerView, marks: TableMarks) -> None:
        """Write score, game code and passes on the strip above."""
        pad = max(4, self._text_size // 2)
        middle = self.layout.header // 2
        score = text_image(f"Score {view.score_text}", self._text_size, _INK)
        surface.blit(score, score.get_rect(midleft=(pad, middle)))
        left = view.passes_left
        passes = f"Pass {view.pass_number}" + ("" if left is None else f", {left} left")
        note = text_image(passes, self._text_size, _INK if left else _INK_QUIET)
        surface.blit(note, note.get_rect(midright=(self.layout.width - pad, middle)))
        room = self.layout.width - 2 * pad - score.get_width() - note.get_width() - 2 * pad
        code = text_image(marks.code, self._text_size, _INK_QUIET)
        if code.get_width() > room > 0:
            code = pygame.transform.smoothscale(code, (room, max(1, code.get_height() * room // code.get_width())))
        between = (pad + score.get_width() + self.layout.width - pad - note.get_width()) // 2
        centre = self.layout.width // 2
        half = code.get_width() // 2 + pad
        if centre - half < pad + score.get_width() or centre + half > self.layout.width - pad - note.get_width():
            centre = between
        surface.blit(code, code.get_rect(center=(centre, middle)))

    def _draw_stock(self, surface: pygame.Surface, view: PlayerView, marks: TableMarks) -> None:
        """Draw the stock with the number of its cards, or the sign of its empty place."""
        place = self.layout.stock
        count = len(view.stock)
        if not count:
            surface.blit(self.sprites.empty_stock(stock_place_sign(view)), place[:2])
            return
        # A few edges show that more cards lie below.
        edges = min(2, (count - 1) // 8)
        shift = max(1, place.width // 50)
        for edge in range(edges, -1, -1):
            self.draw_card(surface, -1, place.x, place.y - shift * edge if edge else place.y)
        if marks.redealt:
            self.outline(surface, place, MARK_LAST_MOVE)
        number = text_image(str(count), self._small_text_size, _INK)
        box = number.get_rect(midbottom=(place.center[0], place.bottom - max(3, place.height // 14)))
        ground = box.inflate(max(4, box.height // 2), 2)
        pygame.draw.rect(surface, (16, 32, 72), ground, border_radius=ground.height // 2)
        surface.blit(number, box)

    def _draw_waste(self, surface: pygame.Surface, view: PlayerView, marks: TableMarks) -> None:
        """Draw the waste cards in sight, fanned, or the empty place."""
        waste = view.waste
        cards = view.waste_in_sight
        places = self.layout.waste_cards(len(cards))
        # What shows once the top card is lifted is the card under it, which an observant player has seen.
        kept = [card for card in cards if card not in marks.lifted]
        if not kept:
            under = waste[-1 - len(cards)] if len(waste) > len(cards) else None
            if under is None:
                surface.blit(self.sprites.empty_waste(), self.layout.waste[:2])
            else:
                self.draw_card(surface, under, *self.layout.waste[:2])
        for card, place in zip(cards, places, strict=True):
            if card not in marks.lifted:
                self.draw_card(surface, card, place.x, place.y)
        for card, place in zip(cards, places, strict=True):
            if card in marks.moved and card not in marks.lifted and card == cards[-1]:
                self.outline(surface, place, MARK_LAST_MOVE)

    def _draw_foundation(self, surface: pygame.Surface, view: PlayerView, suit: int, marks: TableMarks) -> None:
        """Draw a foundation's top card, or its empty place with the suit."""
        place = self.layout.foundations[suit]
        top = view.foundation_top(suit)
        if top is not None and top in marks.lifted:
            top = top - 1 if view.foundation_height(suit) > 1 else None
        if top is None:
            surface.blit(self.sprites.empty_foundation(suit), place[:2])
            return
        self.draw_card(surface, top, place.x, place.y)
        if top in marks.moved:
            self.outline(surface, place, MARK_LAST_MOVE)

    def _draw_column(self, surface: pygame.Surface, view: PlayerView, column: int, marks: TableMarks) -> None:
        """Draw a column from the bottom, or its empty place."""
        cards = view.column(column)
        face_down = view.face_down_count(column)
        places = self.layout.column_cards(column, len(cards), face_down)
        if not cards or cards[0] in marks.lifted:
            surface.blit(self.sprites.empty_column(), self.layout.column_place(column)[:2])
        marked = None
        for row, (card, place) in enumerate(zip(cards, places, strict=True)):
            if row < face_down:
                self.draw_card(surface, -1, place.x, place.y)
            elif card not in marks.lifted:
                self.draw_card(surface, card, place.x, place.y)
                if card in marks.moved:
                    marked = marked or place
        if marked is not None:
            self.outline(surface, marked._replace(height=places[-1].bottom - marked.y), MARK_LAST_MOVE)


def header_height(width: int, height: int) -> int:
    """Return the height of the strip that holds score and code."""
    return max(15, round(min(width * 0.045, height * 0.06)))


def _draw_cloth(width: int, height: int) -> pygame.Surface:
    """Draw the table, lighter in the middle."""
    columns, rows = 40, 30
    small = pygame.Surface((columns, rows), 0, 32)
    for x in range(columns):
        for y in range(rows):
            dx, dy = (x + 0.5) / columns * 2 - 1, (y + 0.5) / rows * 2 - 0.8
            share = min(1.0, (dx * dx + dy * dy) / 2.2)
            small.set_at(
                (x, y),
                tuple(
                    round(inner + (outer - inner) * share)
                    for inner, outer in zip(_CLOTH_MIDDLE, _CLOTH_EDGE, strict=True)
                ),
            )
    return pygame.transform.smoothscale(small, (width, height))
