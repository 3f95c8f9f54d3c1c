"""Deals: the 52 cards in the order in which they are dealt.

The shuffle of a game number is fixed for ever (design section 5): SplitMix64 with the number as its state, words from
the upper halves of its outputs, numbers below k by multiplication with rejection (Lemire, "Fast Random Integer
Generation in an Interval", 2019), Fisher-Yates from the end. The dealing is row by row, as at a table.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from klondike_env.cards import CARD_COUNT, Card, format_cards
from klondike_env.codes import check_game_number
from klondike_env.compiled import JIT_DISABLED, compiled
from klondike_env.errors import DealError, PileError
from klondike_env.formats import check_deck, read_deal, write_deal
from klondike_env.layout import COLUMN_COUNT, COLUMN_POSITIONS, TABLEAU_COUNT
from klondike_env.numberings import deal_cards
from klondike_env.splitmix import GOLDEN_GAMMA, mix

_LOW_WORD: Final = np.uint64(0xFFFFFFFF)
_TWO_TO_32: Final = np.uint64(2**32)
_SHIFT_32: Final = np.uint64(32)


@compiled
def shuffle_cards(number: int, cards: npt.NDArray[np.int8]) -> None:
    """Write the shuffle of a game number.

    Args:
        number: Game number, 0 to 4294967295.
        cards: int8 array of shape (52,), written: the cards in deal order.
    """
    for i in range(CARD_COUNT):
        cards[i] = i
    state = np.uint64(number)
    for i in range(CARD_COUNT - 1, 0, -1):
        bound = np.uint64(i + 1)
        threshold = _TWO_TO_32 % bound
        while True:
            state += GOLDEN_GAMMA
            product = (mix(state) >> _SHIFT_32) * bound
            if (product & _LOW_WORD) >= threshold:
                break
        j = np.int64(product >> _SHIFT_32)
        card = cards[i]
        cards[i] = cards[j]
        cards[j] = card


if JIT_DISABLED:
    # Compiled code lets unsigned numbers wrap round, as is meant; numpy warns of it.
    shuffle_cards = np.errstate(over="ignore")(shuffle_cards)


def _shuffle(number: int) -> tuple[Card, ...]:
    """Return the cards of a game number, 0 to 4294967295, in deal order."""
    cards = np.empty(CARD_COUNT, np.int8)
    shuffle_cards(number, cards)
    return tuple(cards.tolist())


@dataclass(frozen=True, slots=True)
class Deal:
    """The 52 cards in deal order: row by row, then the stock, first turned first.

    Attributes:
        cards: 52 different cards, 0-51.
        number: The game number that deals them, or None for any other deal.

    Raises:
        DealError: A card is missing, doubled or unknown; the message names it. Or the number deals other cards.
        GameCodeError: The number is out of range.
    """

    cards: tuple[Card, ...]
    number: int | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.cards, Iterable):
            raise DealError(f"{self.cards!r} is no deal; a deal is {CARD_COUNT} cards, the numbers 0 to 51")
        object.__setattr__(self, "cards", check_deck(self.cards))
        if self.number is not None:
            object.__setattr__(self, "number", check_game_number(self.number))
            if _shuffle(self.number) != self.cards:
                raise DealError(f"game number {self.number} deals other cards than these")

    @classmethod
    def from_number(cls, number: int) -> Deal:
        """Return the deal of a game number, 0 to 4294967295.

        Raises:
            GameCodeError: The number is out of range.
        """
        number = check_game_number(number)
        # The shuffle needs no checking against itself, and every reset of an env comes through here.
        deal = object.__new__(cls)
        object.__setattr__(deal, "cards", _shuffle(number))
        object.__setattr__(deal, "number", number)
        return deal

    @classmethod
    def from_text(cls, text: str, format: str = "cards") -> Deal:
        """Read a deal from a text in one of the formats of ``klondike_env.formats.FORMATS``.

        Raises:
            DealError: The text is no deal in that format.
        """
        return cls(read_deal(text, format))

    @classmethod
    def from_any_text(cls, text: str) -> Deal:
        """Read 52 cards in deal order, or another program's numbering and number, such as ``"greenfelt:815"``.

        Raises:
            DealError: The text is neither.
        """
        numbering, colon, number = text.partition(":")
        if not colon:
            return cls.from_text(text)
        if not (number.strip().isascii() and number.strip().isdigit()):
            raise DealError(f"{number!r} in {text!r} is no deal number; write a numbering, ':' and a whole number")
        return cls.from_numbering(numbering.strip(), int(number))

    @classmethod
    def from_numbering(cls, numbering: str, number: int) -> Deal:
        """Return a deal by another program's number; ``klondike_env.numberings.NUMBERINGS`` lists the programs.

        Raises:
            DealError: No such numbering, or the number is out of its range.
        """
        return cls(deal_cards(numbering, number))

    def to_text(self, format: str = "cards") -> str:
        """Write the deal in one of the formats of ``klondike_env.formats.FORMATS``."""
        return write_deal(self.cards, format)

    @property
    def stock(self) -> tuple[Card, ...]:
        """The 24 cards of the stock, the first of them turned first."""
        return self.cards[TABLEAU_COUNT:]

    def column(self, column: int) -> tuple[Card, ...]:
        """Return the cards of a column (1-7) from the bottom; all but the last lie face down.

        Raises:
            PileError: No such column.
        """
        if column not in range(1, COLUMN_COUNT + 1):
            raise PileError(f"column {column!r} is none; columns are 1 to {COLUMN_COUNT}")
        return tuple(self.cards[position] for position in COLUMN_POSITIONS[column - 1])

    def __str__(self) -> str:
        return format_cards(self.cards)
