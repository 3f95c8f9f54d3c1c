"""Cards as small integers, and their names.

A card is ``13 * suit + rank`` with the suits spades 0, hearts 1, diamonds 2, clubs 3 and the ranks ace 0 to king 12
(the order of the foundations and of the observation planes).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from klondike_env.errors import CardError

Card = int
"""A card, 0 to 51."""
Suit = int
"""A suit, 0 to 3: spades, hearts, diamonds, clubs."""
Rank = int
"""A rank, 0 (ace) to 12 (king)."""

SPADES: Final = 0
HEARTS: Final = 1
DIAMONDS: Final = 2
CLUBS: Final = 3
ACE: Final = 0
KING: Final = 12

CARD_COUNT: Final = 52
SUIT_COUNT: Final = 4
RANK_COUNT: Final = 13

SUIT_NAMES: Final = ("spades", "hearts", "diamonds", "clubs")
SUIT_LETTERS: Final = "SHDC"
SUIT_SYMBOLS: Final = "♠♥♦♣"
RANK_LETTERS: Final = "A23456789TJQK"
RANK_NAMES: Final = (
    *("ace", "two", "three", "four", "five", "six", "seven"),
    *("eight", "nine", "ten", "jack", "queen", "king"),
)

_SUIT_OF_SIGN: Final = {
    **{letter: suit for suit, letter in enumerate(SUIT_LETTERS)},
    **{symbol: suit for suit, symbol in enumerate(SUIT_SYMBOLS)},
    **{symbol: suit for suit, symbol in enumerate("♤♡♢♧")},
}
_RANK_OF_SIGN: Final = {**{letter: rank for rank, letter in enumerate(RANK_LETTERS)}, "10": 9}


def make_card(suit: Suit, rank: Rank) -> Card:
    """Return the card of a suit (0-3) and a rank (0-12)."""
    return RANK_COUNT * suit + rank


def card_suit(card: Card) -> Suit:
    """Return the suit of a card, 0-3."""
    return card // RANK_COUNT


def card_rank(card: Card) -> Rank:
    """Return the rank of a card, 0 (ace) to 12 (king)."""
    return card % RANK_COUNT


def is_red(card: Card) -> bool:
    """Return whether a card is a heart or a diamond."""
    return card_suit(card) in (HEARTS, DIAMONDS)


def card_name(card: Card, *, symbols: bool = False) -> str:
    """Return the two-character name of a card, such as ``"TS"``, or ``"T♠"`` with ``symbols``.

    Raises:
        CardError: The number is no card; -1, which stands for an unknown card of a view, has no name.
    """
    if not 0 <= card < CARD_COUNT:
        raise CardError(f"{card!r} is no card; cards are the numbers 0 to {CARD_COUNT - 1}")
    suits = SUIT_SYMBOLS if symbols else SUIT_LETTERS
    return RANK_LETTERS[card_rank(card)] + suits[card_suit(card)]


def parse_card(text: str) -> Card:
    """Read one card.

    Args:
        text: A rank (``A 2 … 9 T J Q K``, or ``10``) and a suit (``S H D C`` or a suit symbol), in either case.

    Returns:
        The card, 0-51.

    Raises:
        CardError: The text names no card.
    """
    sign = text.strip().replace("\ufe0f", "").upper() if isinstance(text, str) else ""
    rank = _RANK_OF_SIGN.get(sign[:-1])
    suit = _SUIT_OF_SIGN.get(sign[-1:])
    if rank is None or suit is None:
        raise CardError(
            f"{text!r} is no card; a card is a rank (A 2 3 4 5 6 7 8 9 T J Q K) and a suit (S H D C), such as 'TS'"
        )
    return make_card(suit, rank)


def format_cards(cards: Iterable[Card]) -> str:
    """Return card names separated by single spaces."""
    return " ".join(card_name(card) for card in cards)
