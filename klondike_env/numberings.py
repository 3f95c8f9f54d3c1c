"""Deals that other programs know by a number, and the deal order that all of this package shares.

A deal is 52 different cards in deal order: row by row as at a table (one face-up card on the first column of the
row, face-down cards on the columns to its right), then the stock, first turned first. Each numbering below was
written anew from a description of its program's shuffle; golden deals of the original programs are in
``tests/data/numberings.json``.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from math import factorial
from operator import index
from typing import Final

import numpy as np

from klondike_env.cards import CARD_COUNT, RANK_COUNT, SUIT_LETTERS, Card, card_name, make_card
from klondike_env.errors import DealError
from klondike_env.layout import COLUMN_COUNT, COLUMN_POSITIONS, TABLEAU_COUNT

_STOCK_ORDER: Final = tuple(range(TABLEAU_COUNT, CARD_COUNT))
_COLUMNWISE_ORDER: Final = (*(position for column in COLUMN_POSITIONS for position in column), *_STOCK_ORDER)
"""Where lonelybot's cards go: column by column."""
_RIGHT_TO_LEFT_ORDER: Final = (
    *(COLUMN_POSITIONS[column][row] for row in range(COLUMN_COUNT) for column in range(COLUMN_COUNT - 1, row - 1, -1)),
    *_STOCK_ORDER,
)
"""Where Solvitaire's cards go: row by row, each from column 7 to the left."""
_FACE_DOWN_FIRST_ORDER: Final = (
    *(COLUMN_POSITIONS[column][row] for row in range(COLUMN_COUNT) for column in range(COLUMN_COUNT - 1, row, -1)),
    *(COLUMN_POSITIONS[column][column] for column in range(COLUMN_COUNT - 1, -1, -1)),
    *_STOCK_ORDER,
)
"""Where PySolFC's cards go: the face-down rows, six cards, five, …, then all that lie face up; from the right."""

_WORD: Final = 0xFFFF_FFFF
"""The largest 32-bit word, and the mask to cut a number down to one."""
_MISSING_SHOWN: Final = 3
"""How many missing cards an error names one by one."""


# The deal


def check_deck(cards: Iterable[Card]) -> tuple[Card, ...]:
    """Return the cards as a tuple if they are a deal.

    Args:
        cards: Card numbers in deal order.

    Returns:
        52 different cards.

    Raises:
        DealError: The cards are no deal; the message names the unknown, doubled and missing cards, or the count.
    """
    deck: list[Card] = []
    for place, card in enumerate(cards, start=1):
        try:
            number = index(card)
        except TypeError:
            number = -1
        if not 0 <= number < CARD_COUNT:
            raise DealError(f"card {place} is {card!r}, which is no card; cards are the numbers 0 to 51")
        deck.append(number)
    faults = _deck_faults(deck)
    if faults:
        raise DealError("; ".join(faults))
    return tuple(deck)


def _deck_faults(deck: Sequence[Card]) -> list[str]:
    """Return what keeps known cards from being a deal, an item a fault, none if they are one."""
    faults = []
    if len(deck) != CARD_COUNT:
        faults.append(f"{len(deck) or 'no'} card{'s' * (len(deck) != 1)} instead of 52")
    places: dict[Card, list[str]] = {}
    for place, card in enumerate(deck, start=1):
        places.setdefault(card, []).append(str(place))
    for card, found in places.items():
        if len(found) > 1:
            times = "twice" if len(found) == 2 else f"{len(found)} times"
            faults.append(f"{card_name(card)} {times} (cards {', '.join(found[:-1])} and {found[-1]})")
    missing = [card_name(card) for card in range(CARD_COUNT) if card not in places]
    if len(missing) > _MISSING_SHOWN:
        faults.append(f"{len(missing)} cards are missing, the first of them {missing[0]}")
    elif missing:
        faults.append(f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing")
    return faults


def columnwise_to_deal(cards: Sequence[Card]) -> tuple[Card, ...]:
    """Bring 52 cards from lonelybot's order (column 1 to 7, each bottom to top, then the stock) into deal order."""
    return _place(cards, _COLUMNWISE_ORDER)


def deal_to_columnwise(cards: Sequence[Card]) -> tuple[Card, ...]:
    """Bring a deal into lonelybot's order, the inverse of `columnwise_to_deal`."""
    return tuple(cards[position] for position in _COLUMNWISE_ORDER)


def _place(cards: Sequence[Card], order: Sequence[int]) -> tuple[Card, ...]:
    """Return a deal from cards that are dealt to these places of the deal order, one after the other."""
    deal = [0] * CARD_COUNT
    for card, position in zip(cards, order, strict=True):
        deal[position] = card
    return tuple(deal)


# Ordered packs


def _pack_by_suit(suits: str) -> list[Card]:
    """Return ace to king of the first suit, then of the second, and so on."""
    return [make_card(SUIT_LETTERS.index(suit), rank) for suit in suits for rank in range(RANK_COUNT)]


def _pack_by_rank(suits: str) -> list[Card]:
    """Return the four aces in this order of suits, then the twos, and so on."""
    return [make_card(SUIT_LETTERS.index(suit), rank) for rank in range(RANK_COUNT) for suit in suits]


def _swap(pack: list[Card], first: int, second: int) -> None:
    pack[first], pack[second] = pack[second], pack[first]


# The numberings


def _deal_greenfelt(number: int) -> Sequence[Card]:
    """Shuffle with the Lehmer generator 16807 modulo 2^31 - 1, seven times through the pack."""
    pack = _pack_by_suit("CDHS")
    state = number
    for _ in range(7):
        for place in range(CARD_COUNT):
            state = 16807 * state % 0x7FFF_FFFF
            _swap(pack, place, state % CARD_COUNT)
    return pack[::-1]


def _deal_solvitaire(number: int) -> Sequence[Card]:
    """Shuffle with Mersenne Twister words that are cut into equal buckets, as Boost's ``uniform_int`` does."""
    pack = _pack_by_rank("CHSD")
    # RandomState seeds the Mersenne Twister from one 32-bit word (init_genrand), as C++ does; Python's own
    # random.seed fills the state in another way and would give other words.
    twister = np.random.RandomState(number)
    for place in range(CARD_COUNT - 1, 0, -1):
        bucket = _WORD // (place + 1) + (_WORD % (place + 1) == place)
        other = place + 1
        while other > place:
            other = int(twister.randint(0, _WORD + 1, dtype=np.uint32)) // bucket
        _swap(pack, place, other)
    # The tableau is dealt from the 28 cards before the stock, the last of them first.
    tableau, stock = pack[:TABLEAU_COUNT], pack[TABLEAU_COUNT:]
    return _place(tableau[::-1] + stock, _RIGHT_TO_LEFT_ORDER)


def _deal_pysolfc(number: int) -> Sequence[Card]:
    """Shuffle as PySolFC does: with Microsoft FreeCell's generator up to 31999, else with Python's own."""
    if number < 32000:
        pack = _pack_by_rank("CDHS")
        state = number
        for place in range(CARD_COUNT - 1, 0, -1):
            # Only bits 16 to 30 are used, and they do not depend on higher ones.
            state = (214013 * state + 2531011) & 0x7FFF_FFFF
            _swap(pack, place, (state >> 16) % (place + 1))
    else:
        pack = _pack_by_suit("CSHD")
        twister = random.Random(number)
        for place in range(CARD_COUNT - 1, 0, -1):
            _swap(pack, place, int(twister.random() * (place + 1)))
    return _place(pack[::-1], _FACE_DOWN_FIRST_ORDER)


def _klondike_solver_words(number: int) -> Iterator[int]:
    """Yield the numbers, 0 to 2^31 - 1, of Klondike-Solver's generator: three 32-bit words mixed with each other."""
    mix, twist, value = 51651237, 895213268, number
    for step in count(1):
        carry = ((twist - mix) & _WORD) ^ twist ^ value ^ mix
        mix ^= twist ^ value
        value ^= (twist - mix) & _WORD
        twist ^= value ^ carry
        value ^= ((twist << 7) ^ (_as_signed(mix) >> 16) ^ (carry << 8)) & _WORD
        if step == 50:
            signed = _as_signed(number)
            value = 0x9417_B3AF ^ ((signed ^ (signed >> 15)) & _WORD)
        elif step > 1000:
            yield value & 0x7FFF_FFFF


def _as_signed(word: int) -> int:
    """Read a 32-bit word as a two's complement number, so that shifting it right keeps its sign."""
    return word - (1 << 32) if word >> 31 else word


def _deal_klondike_solver(number: int) -> Sequence[Card]:
    """Swap 269 random pairs of cards."""
    pack = _pack_by_suit("CDSH")
    words = _klondike_solver_words(number)
    for _ in range(269):
        _swap(pack, next(words) % CARD_COUNT, next(words) % CARD_COUNT)
    return pack


def _deal_microsoft(number: int) -> Sequence[Card]:
    """Read the number's factorial digits as a Fisher-Yates shuffle from the end of the pack."""
    pack = _pack_by_suit("SHCD")
    for place in range(CARD_COUNT - 1, 0, -1):
        number, other = divmod(number, place + 1)
        _swap(pack, place, other)
    return pack[::-1]


def _number_microsoft(cards: Sequence[Card]) -> int:
    pack = _pack_by_suit("SHCD")
    shuffled = cards[::-1]
    number, weight = 0, 1
    for place in range(CARD_COUNT - 1, 0, -1):
        other = pack.index(shuffled[place])
        number += weight * other
        weight *= place + 1
        _swap(pack, place, other)
    return number


def _deal_lonelybot_exact(number: int) -> Sequence[Card]:
    """Read the number's factorial digits as a shuffle from the start of the pack, dealt column by column."""
    pack = _pack_by_rank("HDCS")
    for place in range(1, CARD_COUNT):
        number, other = divmod(number, place + 1)
        _swap(pack, place, other)
    return columnwise_to_deal(pack)


def _number_lonelybot_exact(cards: Sequence[Card]) -> int:
    ordered = _pack_by_rank("HDCS")
    pack = list(deal_to_columnwise(cards))
    number = 0
    # Undone from the last swap on: before it, the last place still held the last card of the ordered pack.
    for place in range(CARD_COUNT - 1, 0, -1):
        other = pack.index(ordered[place])
        number = number * (place + 1) + other
        _swap(pack, place, other)
    return number


# The table and its front doors


@dataclass(frozen=True)
class Numbering:
    """A published way to turn a number into a deal."""

    name: str
    """What `deal_cards` calls it."""
    lowest: int
    """The first number that names a deal."""
    highest: int | None
    """The last number that names a deal; ``None`` when there is no end."""
    description: str
    """Whose numbers these are, in one line."""
    deal: Callable[[int], Sequence[Card]]
    """From a number in range to the cards in deal order, without any check."""
    number: Callable[[Sequence[Card]], int] | None = None
    """From a deal back to its number, where each deal has exactly one; without any check."""


_LAST_EXACT: Final = factorial(CARD_COUNT) - 1

NUMBERINGS: Final = {
    numbering.name: numbering
    for numbering in (
        Numbering("greenfelt", 1, 2**31 - 2, "game numbers of greenfelt.net", _deal_greenfelt),
        Numbering("solvitaire", 0, _WORD, "random seeds of the solver Solvitaire", _deal_solvitaire),
        Numbering("pysolfc", 0, None, "game numbers of PySol Fan Club edition", _deal_pysolfc),
        Numbering("klondike-solver", 0, _WORD, "game numbers of the solver Klondike-Solver", _deal_klondike_solver),
        Numbering(
            *("microsoft", 0, _LAST_EXACT, "numbers in Microsoft Solitaire Collection's solitaire.log"),
            *(_deal_microsoft, _number_microsoft),
        ),
        Numbering(
            *("lonelybot-exact", 0, _LAST_EXACT, "exact numbers of the solver lonelybot"),
            *(_deal_lonelybot_exact, _number_lonelybot_exact),
        ),
    )
}
"""Every numbering by its name."""


def deal_cards(numbering: str, number: int) -> tuple[Card, ...]:
    """Return the deal that another program gives for a number.

    Args:
        numbering: A name in `NUMBERINGS`.
        number: The number, within that numbering's range.

    Returns:
        The 52 cards in deal order.

    Raises:
        DealError: No such numbering, or a number that names no deal in it.
    """
    found = _find_numbering(numbering)
    # bool is an int to Python, but nobody means game 1 by it.
    whole = None if isinstance(number, bool) or not hasattr(number, "__index__") else index(number)
    if whole is None or whole < found.lowest or (found.highest is not None and whole > found.highest):
        end = "up" if found.highest is None else str(found.highest)
        raise DealError(f"{number!r} is no {numbering} number; whole numbers from {found.lowest} to {end} are allowed")
    return tuple(found.deal(whole))


def deal_number(numbering: str, cards: Iterable[Card]) -> int:
    """Return the number that a deal has in another program.

    Args:
        numbering: A name in `NUMBERINGS` that numbers every possible deal.
        cards: The 52 cards in deal order.

    Returns:
        The number for which `deal_cards` gives these cards.

    Raises:
        DealError: The cards are no deal, no such numbering, or one that numbers only some deals.
    """
    found = _find_numbering(numbering)
    if found.number is None:
        exact = ", ".join(name for name, entry in NUMBERINGS.items() if entry.number)
        raise DealError(f"{numbering} does not number every deal; these do: {exact}")
    return found.number(check_deck(cards))


def _find_numbering(name: str) -> Numbering:
    found = NUMBERINGS.get(name)
    if found is None:
        raise DealError(f"{name!r} is no numbering; known are {', '.join(NUMBERINGS)}")
    return found
