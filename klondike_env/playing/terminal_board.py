"""The table as text in a terminal: which characters stand where, and in which style.

Nothing here writes to a terminal. Marks can be told apart without colours: ``[7♦]`` is the cursor, ``<7♦>`` in the
hand, ``+7♦`` a place that takes it, ``7♦*`` moved last.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Final

from klondike_env.actions import STOCK_PILE, WASTE_PILE
from klondike_env.cards import SUIT_LETTERS, SUIT_NAMES, SUIT_SYMBOLS, Card, card_name, card_suit, is_red
from klondike_env.layout import COLUMN_COUNT
from klondike_env.playing.places import COLUMN_PLACES, cards_at
from klondike_env.position import Position

SMALLEST_WIDTH: Final = 56
SMALLEST_HEIGHT: Final = 23
PANEL_WIDTH: Final = 22

_NARROW, _WIDE = 8, 10
_LABEL_ROW, _TOP_ROW, _COUNT_ROW, _NUMBER_ROW, _FIRST_ROW = 2, 3, 4, 5, 6
_BOTTOM_ROWS: Final = 3
_FOUNDATION_SLOT: Final = 3

FOUNDATION_KEYS: Final = "shdc"


@dataclass(frozen=True, slots=True)
class Span:
    """Characters on the screen.

    Attributes:
        row: Row, from 0.
        column: Column of the first character, from 0.
        text: The characters, each one place wide.
        style: ``"red"``, ``"black"``, ``"back"``, ``"dim"``, ``"text"``, ``"title"``, ``"bad"`` or ``"good"``.
        strong: Whether it stands out (bold).
        reverse: Whether colours are swapped.
    """

    row: int
    column: int
    text: str
    style: str = "text"
    strong: bool = False
    reverse: bool = False


@dataclass(frozen=True, slots=True)
class Signs:
    """What cards and places are drawn with.

    Attributes:
        suits: The four suits.
        back: A face-down card.
        redeal: The empty stock that can be redealt.
        finished: The empty stock that cannot.
    """

    suits: str
    back: str
    redeal: str
    finished: str

    def card(self, card: Card) -> str:
        """Return a card in two characters."""
        if card < 0:
            return self.back
        name = card_name(card)
        return name[0] + self.suits[card_suit(card)]

    def text(self, text: str) -> str:
        """Return a text as these signs can write it: without anything but ASCII where the suits are letters."""
        if self.suits == SUIT_SYMBOLS:
            return text
        return text.translate(_TO_ASCII).encode("ascii", "replace").decode()


_TO_ASCII: Final = str.maketrans({**dict(zip(SUIT_SYMBOLS, SUIT_LETTERS, strict=True)), "…": "..."})

UNICODE_SIGNS: Final = Signs(SUIT_SYMBOLS, "▒▒", "↻↻", "××")
ASCII_SIGNS: Final = Signs(SUIT_LETTERS, "##", "()", "XX")


@dataclass(frozen=True, slots=True)
class Marks:
    """What is marked on the table.

    Attributes:
        place: Place of the cursor.
        depth: Index of the card under the cursor in its column, from the bottom.
        hand_place: Place that cards are picked up from, or None.
        hand: The cards in the hand.
        targets: Places that take them.
        moved: The cards that moved last.
    """

    place: str = STOCK_PILE
    depth: int = 0
    hand_place: str | None = None
    hand: Collection[Card] = field(default_factory=tuple)
    targets: Collection[str] = field(default_factory=tuple)
    moved: Collection[Card] = field(default_factory=tuple)


class BoardPainter:
    """Lays a position out on a screen of some size."""

    def __init__(self, position: Position, marks: Marks, signs: Signs, width: int, height: int) -> None:
        """Take what is to be drawn.

        Args:
            position: The player's view.
            marks: What is marked on it.
            signs: What to draw with.
            width: Columns of the screen, at least ``SMALLEST_WIDTH``.
            height: Rows of the screen, at least ``SMALLEST_HEIGHT``.
        """
        self._position = position
        self._marks = marks
        self._signs = signs
        self._rows = height - _FIRST_ROW - _BOTTOM_ROWS
        self._pitch = _WIDE if width >= _WIDE * COLUMN_COUNT + PANEL_WIDTH + 2 else _NARROW
        self._spans: list[Span] = []

    @property
    def panel_column(self) -> int:
        """Where the screen is free, right of the table."""
        return self._pitch * COLUMN_COUNT + 1

    def paint(self) -> list[Span]:
        """Return the table."""
        self._spans = []
        self._paint_stock()
        self._paint_waste()
        for suit, place in enumerate(SUIT_NAMES):
            slot = _FOUNDATION_SLOT + suit
            self._label(slot, f"{FOUNDATION_KEYS[suit]}={self._signs.suits[suit]}")
            cards = cards_at(self._position, place)
            if cards:
                self._card(_TOP_ROW, self._pitch * slot, cards[-1], place, -1)
            else:
                self._empty(_TOP_ROW, self._pitch * slot, f"-{self._signs.suits[suit]}", place)
        for number, place in enumerate(COLUMN_PLACES):
            self._paint_column(number, place)
        return self._spans

    def _paint_stock(self) -> None:
        """Draw the stock: a back and a number, or the sign of a redeal or of a finished stock."""
        self._label(0, "0=stock")
        position, signs = self._position, self._signs
        count = len(position.stock)
        if count:
            sign, words, style = signs.back, f"{count} left", "back"
        elif position.can_redeal:
            sign, words, style = signs.redeal, "redeal", "good"
        else:
            sign, words, style = signs.finished, "finished" if position.waste else "empty", "bad"
        self._cell(_TOP_ROW, 0, sign, style, STOCK_PILE, -1, marked_hand=False)
        self._spans.append(Span(_COUNT_ROW, 1, words, "dim"))

    def _paint_waste(self) -> None:
        """Draw the waste cards in sight, the top last, and how many there are."""
        self._label(1, "w=waste")
        position, start = self._position, self._pitch
        in_sight = position.waste_in_sight
        if not in_sight:
            self._empty(_TOP_ROW, start, "--", WASTE_PILE)
        for number, card in enumerate(in_sight[:-1]):
            self._spans.append(self._plain_card(_TOP_ROW, start + 1 + 3 * number, card))
        if in_sight:
            self._card(_TOP_ROW, start + 3 * (len(in_sight) - 1), in_sight[-1], WASTE_PILE, -1)
        count = len(position.waste)
        self._spans.append(Span(_COUNT_ROW, start + 1, f"{count} card{'' if count == 1 else 's'}", "dim"))

    def _paint_column(self, number: int, place: str) -> None:
        """Draw a column (0-6); where it is too long, its face-down cards share one row."""
        left = self._pitch * number
        marked = place == self._marks.place
        self._spans.append(Span(_NUMBER_ROW, left + 1, str(number + 1), "text" if marked else "dim", strong=marked))
        cards = cards_at(self._position, place)
        if not cards:
            self._empty(_FIRST_ROW, left, "--", place)
            return
        hidden = self._position.face_down_count(number + 1)
        row = _FIRST_ROW
        if len(cards) > self._rows and hidden > 1:
            self._spans.append(Span(row, left + 1, f"{self._signs.back}{hidden}", "back"))
            row += 1
        else:
            for index in range(hidden):
                self._card(row, left, -1, place, index)
                row += 1
        for index in range(hidden, len(cards)):
            self._card(row, left, cards[index], place, index)
            row += 1

    def _label(self, slot: int, text: str) -> None:
        """Draw what stands over a place of the top row."""
        self._spans.append(Span(_LABEL_ROW, self._pitch * slot + 1, text, "dim"))

    def _plain_card(self, row: int, column: int, card: Card) -> Span:
        """Return a card without marks."""
        style = "back" if card < 0 else "red" if is_red(card) else "black"
        return Span(row, column, self._signs.card(card), style)

    def _card(self, row: int, column: int, card: Card, place: str, index: int) -> None:
        """Draw a card with its marks."""
        style = "back" if card < 0 else "red" if is_red(card) else "black"
        self._cell(row, column, self._signs.card(card), style, place, index, card=card)

    def _empty(self, row: int, column: int, sign: str, place: str) -> None:
        """Draw an empty place."""
        self._cell(row, column, sign, "dim", place, -1)

    def _cell(
        self,
        row: int,
        column: int,
        sign: str,
        style: str,
        place: str,
        index: int,
        card: Card = -1,
        marked_hand: bool = True,
    ) -> None:
        """Draw two characters with a mark on each side."""
        marks = self._marks
        cards = cards_at(self._position, place)
        in_hand = marked_hand and marks.hand_place == place and card in marks.hand
        at_cursor = marks.place == place and index in (-1, marks.depth)
        is_top = index in (-1, len(cards) - 1)
        left, right = " ", " "
        if card >= 0 and card in marks.moved:
            right = "*"
        if is_top and place in marks.targets:
            left = "+"
        if in_hand:
            left, right = "<", ">"
        if at_cursor:
            left, right = "[", "]"
        self._spans.append(
            Span(row, column, left + sign + right, style, strong=in_hand or at_cursor, reverse=in_hand or at_cursor)
        )
