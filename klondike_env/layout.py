"""Where the cards of a deal go: seven columns and the stock."""

from __future__ import annotations

from typing import Final

from klondike_env.cards import CARD_COUNT

COLUMN_COUNT: Final = 7
TABLEAU_COUNT: Final = 28
"""Cards in the tableau when a game starts."""
FACE_DOWN_COUNT: Final = TABLEAU_COUNT - COLUMN_COUNT
STOCK_COUNT: Final = CARD_COUNT - TABLEAU_COUNT

COLUMN_POSITIONS: Final = tuple(
    tuple(7 * row - row * (row - 1) // 2 + (column - row) for row in range(column + 1))
    for column in range(COLUMN_COUNT)
)
"""For each column its cards' places in deal order, from the bottom: column 3 holds the cards 2, 8 and 13 of 0 … 51.

Row r begins with the face-up card of column r + 1 and goes on to column 7, so it starts after 7 + 6 + … cards, r terms.
"""
