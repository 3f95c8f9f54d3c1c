"""The table in the window: how its places are called, where they lie, and what lies under the mouse."""

from __future__ import annotations

from klondike_env.actions import COLUMN_PILE, FOUNDATION_PILE, STOCK_PILE, WASTE_PILE
from klondike_env.cards import SUIT_COUNT, SUIT_NAMES, Card
from klondike_env.layout import COLUMN_COUNT
from klondike_env.playing.places import COLUMN_PLACES, column_number, suit_of_place
from klondike_env.position import Position
from klondike_env.rendering.painter import TablePainter
from klondike_env.rendering.table_layout import Rect, Spot


def place_of_spot(spot: Spot) -> str:
    """Return the name of the place that a spot belongs to."""
    if spot.pile == COLUMN_PILE:
        return COLUMN_PLACES[spot.number - 1]
    return SUIT_NAMES[spot.number] if spot.pile == FOUNDATION_PILE else spot.pile


def spot_of_place(place: str, row: int = -1) -> Spot:
    """Return the spot of a place, or of one card of a column."""
    column, suit = column_number(place), suit_of_place(place)
    if column is not None:
        return Spot(COLUMN_PILE, column, row)
    return Spot(FOUNDATION_PILE, suit) if suit is not None else Spot(place)


class Table:
    """A painter of one size, with questions about what it draws.

    Args:
        width: Width of the table in pixels.
        height: Height of the table.
        footer: Height of the strip below that the table leaves free.
    """

    def __init__(self, width: int, height: int, footer: int) -> None:
        self.painter = TablePainter(width, height, footer)
        self.layout = self.painter.layout

    def card_at(self, position: Position, x: float, y: float) -> tuple[str, Card] | None:
        """Return the place at a point and the card there, -1 for one that lies face down or none; or None."""
        spot = self.layout.hit(position, x, y)
        if spot is None:
            return None
        place = place_of_spot(spot)
        card: Card | None = None
        if spot.pile == COLUMN_PILE:
            hidden = position.face_down_count(spot.number)
            card = position.column(spot.number)[spot.row] if spot.row >= hidden else None
        elif spot.pile == FOUNDATION_PILE:
            card = position.foundation_top(spot.number)
        elif spot.pile == WASTE_PILE:
            cards = position.waste_in_sight
            under = [
                card
                for card, rect in zip(cards, self.layout.waste_cards(len(cards)), strict=True)
                if rect.contains(x, y)
            ]
            card = under[-1] if under else None
        return place, -1 if card is None else card

    def drop_place(self, position: Position, card: Rect) -> str | None:
        """Return the place that a card let go of there would lie on, or None."""
        spot = self.layout.drop_spot(position, card)
        return None if spot is None else place_of_spot(spot)

    def card_rects(self, position: Position) -> dict[Card, Rect]:
        """Return where each card in sight lies."""
        waste = position.waste_in_sight
        rects = dict(zip(waste, self.layout.waste_cards(len(waste)), strict=True))
        for suit in range(SUIT_COUNT):
            top = position.foundation_top(suit)
            if top is not None:
                rects[top] = self.layout.foundations[suit]
        for column in range(1, COLUMN_COUNT + 1):
            cards = position.column(column)
            hidden = position.face_down_count(column)
            places = self.layout.column_cards(column, len(cards), hidden)
            rects.update(list(zip(cards, places, strict=True))[hidden:])
        return rects

    def pile_rect(self, position: Position, place: str, row: int = -1) -> Rect:
        """Return where the top card of a place lies, or its empty place, or one card of a column."""
        return self.layout.spot_rect(position, spot_of_place(place, row))

    def start_rect(self, source: str) -> Rect:
        """Return where cards come from that were not in sight before: the stock, or the first card's place."""
        return self.layout.stock if source == STOCK_PILE else self.layout.waste
