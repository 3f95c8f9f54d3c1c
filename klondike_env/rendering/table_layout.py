"""Where everything lies on a table of some size, and what lies at a point: arithmetic only, all in pixels."""

from __future__ import annotations

from typing import Final, NamedTuple

from klondike_env.actions import COLUMN_PILE, FOUNDATION_PILE, STOCK_PILE, WASTE_PILE
from klondike_env.cards import SUIT_COUNT
from klondike_env.layout import COLUMN_COUNT
from klondike_env.position import Position

CARD_ASPECT: Final = 1.4
"""Height of a card over its width."""
SMALLEST_TABLE: Final = (160, 120)

_NARROWEST_GAP = 0.13
_WIDEST_GAP = 0.32
_ROWS_OF_CARDS = 3.5
_FACE_UP_STEP = 0.25
_FACE_DOWN_STEP = 0.115
_TIGHT_FACE_DOWN_STEP = 0.045
_WASTE_STEP = 0.42
_FIRST_FOUNDATION_COLUMN = 4


class Rect(NamedTuple):
    """A rectangle in pixels, y downwards; right and bottom edge do not belong to it."""

    x: int
    y: int
    width: int
    height: int

    @property
    def right(self) -> int:
        """The first x that is not inside any more."""
        return self.x + self.width

    @property
    def bottom(self) -> int:
        """The first y that is not inside any more."""
        return self.y + self.height

    @property
    def center(self) -> tuple[int, int]:
        """The point in the middle."""
        return self.x + self.width // 2, self.y + self.height // 2

    def contains(self, x: float, y: float) -> bool:
        """Return whether a point lies inside."""
        return self.x <= x < self.right and self.y <= y < self.bottom

    def overlap(self, other: Rect) -> int:
        """Return the area in square pixels that both cover."""
        width = min(self.right, other.right) - max(self.x, other.x)
        height = min(self.bottom, other.bottom) - max(self.y, other.y)
        return max(0, width) * max(0, height)

    def moved(self, dx: int, dy: int) -> Rect:
        """Return the rectangle shifted."""
        return Rect(self.x + dx, self.y + dy, self.width, self.height)


class Spot(NamedTuple):
    """A pile, or one card of a column.

    Attributes:
        pile: ``"stock"``, ``"waste"``, ``"foundation"`` or ``"column"``.
        number: Column 1-7 or suit 0-3; 0 for stock and waste.
        row: The card's place in its column from the bottom, 0 for the first; -1 for an empty column and other piles.
    """

    pile: str
    number: int = 0
    row: int = -1


class TableLayout:
    """The places on a table of ``width`` x ``height`` pixels, with strips kept free above and below.

    Stock and waste lie over columns 1 and 2, the foundations over columns 4-7. Cards are as large as width and height
    allow. A column too long for the table is squeezed, its face-down cards first.

    Attributes:
        width: Width of the table.
        height: Height of the table.
        header: Height of the free strip above.
        footer: Height of the free strip below.
        card_width: Width of a card.
        card_height: Height of a card.
        gap: Space between two columns.
        stock: Place of the stock.
        waste: Place of the waste's leftmost card in sight.
        foundations: Places of the foundations, by suit.
    """

    def __init__(self, width: int, height: int, header: int = 0, footer: int = 0) -> None:
        self.width = max(width, SMALLEST_TABLE[0])
        self.height = max(height, SMALLEST_TABLE[1])
        self.header = header
        self.footer = footer
        room = max(self.height - header - footer, self.height // 3)
        by_width = self.width / (COLUMN_COUNT + (COLUMN_COUNT + 1) * _NARROWEST_GAP)
        by_height = room / (CARD_ASPECT * _ROWS_OF_CARDS)
        self.card_width = max(8, int(min(by_width, by_height)))
        self.card_height = round(self.card_width * CARD_ASPECT)
        free = (self.width - COLUMN_COUNT * self.card_width) / (COLUMN_COUNT + 1)
        self.gap = int(min(free, self.card_width * _WIDEST_GAP))
        used = COLUMN_COUNT * self.card_width + (COLUMN_COUNT - 1) * self.gap
        left = (self.width - used) // 2
        self._column_lefts = [left + column * (self.card_width + self.gap) for column in range(COLUMN_COUNT)]
        top = header + max(3, int(self.card_width * _NARROWEST_GAP))
        self.stock = self._card_at(self._column_lefts[0], top)
        self.waste = self._card_at(self._column_lefts[1], top)
        self.foundations = [
            self._card_at(self._column_lefts[_FIRST_FOUNDATION_COLUMN - 1 + suit], top) for suit in range(SUIT_COUNT)
        ]
        self._columns_top = self.stock.bottom + max(4, int(self.card_width * 0.2))
        self._columns_bottom = self.height - footer - max(3, int(self.card_width * _NARROWEST_GAP) // 2)

    def _card_at(self, x: int, y: int) -> Rect:
        """Return the place of a card by its upper left corner."""
        return Rect(x, y, self.card_width, self.card_height)

    def column_place(self, column: int) -> Rect:
        """Return the place of the first card of a column (1-7)."""
        return self._card_at(self._column_lefts[column - 1], self._columns_top)

    def column_cards(self, column: int, length: int, face_down: int) -> list[Rect]:
        """Return the places of the cards of a column, from the bottom, each overlapped by the next.

        Args:
            column: Column 1-7.
            length: How many cards lie in it.
            face_down: How many of them lie face down.
        """
        up_step = self.card_height * _FACE_UP_STEP
        down_step = self.card_height * _FACE_DOWN_STEP
        downs = min(face_down, max(0, length - 1))
        ups = max(0, length - 1 - downs)
        room = self._columns_bottom - self._columns_top - self.card_height
        if downs and downs * down_step + ups * up_step > room:
            down_step = max(self.card_height * _TIGHT_FACE_DOWN_STEP, (room - ups * up_step) / downs)
        needed = downs * down_step + ups * up_step
        if needed > room:
            squeeze = max(0.0, room / needed)
            up_step, down_step = up_step * squeeze, down_step * squeeze
        x = self._column_lefts[column - 1]
        offsets = [min(row, downs) * down_step + max(0, row - downs) * up_step for row in range(length)]
        return [self._card_at(x, self._columns_top + round(offset)) for offset in offsets]

    def waste_cards(self, count: int) -> list[Rect]:
        """Return the places of the waste cards in sight, fanned to the right, the top last."""
        step = round(self.card_width * _WASTE_STEP)
        return [self.waste.moved(place * step, 0) for place in range(count)]

    def hit(self, position: Position, x: float, y: float) -> Spot | None:
        """Return what lies at a point: the uppermost card of a column, a pile or its empty place; or None."""
        if self.stock.contains(x, y):
            return Spot(STOCK_PILE)
        waste = self.waste_cards(max(1, len(position.waste_in_sight)))
        if any(place.contains(x, y) for place in waste):
            return Spot(WASTE_PILE)
        for suit, place in enumerate(self.foundations):
            if place.contains(x, y):
                return Spot(FOUNDATION_PILE, suit)
        for column in range(1, COLUMN_COUNT + 1):
            length = len(position.column(column))
            places = self.column_cards(column, length, position.face_down_count(column))
            for row in reversed(range(length)):
                if places[row].contains(x, y):
                    return Spot(COLUMN_PILE, column, row)
            if not length and self.column_place(column).contains(x, y):
                return Spot(COLUMN_PILE, column)
        return None

    def drop_spot(self, position: Position, card: Rect) -> Spot | None:
        """Return the foundation or column that a card let go of there would lie on: the one it covers most of.

        A column counts from its last card down to the edge of the table.
        """
        best, best_area = None, 0
        for suit, place in enumerate(self.foundations):
            area = card.overlap(place)
            if area > best_area:
                best, best_area = Spot(FOUNDATION_PILE, suit), area
        for column in range(1, COLUMN_COUNT + 1):
            last = self.spot_rect(position, Spot(COLUMN_PILE, column, len(position.column(column)) - 1))
            area = card.overlap(Rect(last.x, last.y, last.width, max(last.height, self.height - last.y)))
            if area > best_area:
                best, best_area = Spot(COLUMN_PILE, column), area
        return best

    def spot_rect(self, position: Position, spot: Spot) -> Rect:
        """Return the place of a pile's top card or empty place, or of one card of a column, uncovered."""
        if spot.pile == STOCK_PILE:
            return self.stock
        if spot.pile == WASTE_PILE:
            return self.waste_cards(max(1, len(position.waste_in_sight)))[-1]
        if spot.pile == FOUNDATION_PILE:
            return self.foundations[spot.number]
        length = len(position.column(spot.number))
        if not length:
            return self.column_place(spot.number)
        row = spot.row if 0 <= spot.row < length else length - 1
        return self.column_cards(spot.number, length, position.face_down_count(spot.number))[row]
