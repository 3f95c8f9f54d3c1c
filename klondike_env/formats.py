"""Deals as texts: plain cards, and the forms that solvers print and read.

Every reader returns the 52 cards in this package's deal order (row by row, then the stock, first turned first) and
raises a `DealError` that names the card or the count at fault; no text is ever completed or cut to make it a deal.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from typing import Any, Final

from klondike_env.cards import (
    CARD_COUNT,
    RANK_COUNT,
    SUIT_LETTERS,
    Card,
    card_name,
    format_cards,
    make_card,
    parse_card,
)
from klondike_env.errors import CardError, DealError
from klondike_env.layout import COLUMN_COUNT, COLUMN_POSITIONS, TABLEAU_COUNT
from klondike_env.numberings import check_deck, columnwise_to_deal, deal_cards, deal_number, deal_to_columnwise

__all__ = ["FORMATS", "Reader", "Writer", "check_deck", "format_deck", "read_deal", "read_deck", "write_deal"]

_SOLVER_SUITS: Final = "CDHS"
"""Suits in the order of Klondike-Solver's third digit, from 1."""
_COLUMNS_KEY: Final = "tableau piles"
_STOCK_KEY: Final = "stock"
_EMPTY_PILES_KEYS: Final = ("foundation", "foundations", "waste")
"""Piles that a Solvitaire text may list although no card lies on them yet; lonelybot lists its foundations."""
_SOLVITAIRE_CARD: Final = re.compile(r"(?P<rank>[A2-9TJQK]|10)(?P<suit>[SHDCshdc])")
_SHOWN_LENGTH: Final = 12
"""How much of a wrong piece of text an error repeats."""


# Plain cards


def read_deck(text: str) -> tuple[Card, ...]:
    """Read 52 card names in deal order.

    Args:
        text: Cards such as ``"4S 9C QH …"``, in either case, separated by white space or commas; a ten is ``T`` or
            ``10``, a suit a letter or a suit symbol.

    Returns:
        The cards in deal order.

    Raises:
        DealError: A card is unknown, doubled or missing, or there are more or fewer than 52.
    """
    return check_deck(_read_cards(text))


def format_deck(cards: Iterable[Card]) -> str:
    """Write a deal as card names in deal order, separated by single spaces.

    Args:
        cards: The 52 cards in deal order.

    Returns:
        The text, which `read_deck` reads.

    Raises:
        DealError: The cards are no deal.
    """
    return format_cards(check_deck(cards))


def _read_cards(text: str) -> list[Card]:
    cards = []
    for place, name in enumerate(re.findall(r"[^\s,]+", _check_text(text)), start=1):
        try:
            cards.append(parse_card(name))
        except CardError as error:
            raise DealError(f"card {place} of the deal: {_shorten(name)} is no card") from error
    return cards


def _check_text(text: Any) -> str:
    if not isinstance(text, str):
        raise DealError(f"a deal is read from a text, not from {type(text).__name__} {_shorten(text)}")
    return text


def _shorten(piece: object) -> str:
    shown = repr(piece)
    return shown if len(shown) <= _SHOWN_LENGTH + 3 else f"{shown[:_SHOWN_LENGTH]}…{shown[-1]}"


# Solvitaire JSON


def _read_solvitaire(text: str) -> tuple[Card, ...]:
    """Read an opening position in Solvitaire's JSON form.

    ``{"tableau piles": [["7D"], ["3d", "10S"], …], "stock": ["3C", …]}``: columns from bottom to top, a lower-case
    suit for a face-down card; the last card of ``stock`` is turned first. Foundations and waste may be listed if they
    are empty, as lonelybot does.
    """
    columns, stock = _solvitaire_piles(text)
    if len(columns) != COLUMN_COUNT:
        raise DealError(f"{_COLUMNS_KEY!r} lists {len(columns)} columns instead of 7")
    cards: list[Card] = []
    for number, column in enumerate(columns, start=1):
        if len(column) != number:
            raise DealError(
                f"column {number} has {_count(column)} instead of {number}; a deal starts with 1 to 7 cards"
            )
        for place, entry in enumerate(column, start=1):
            card, is_face_up = _solvitaire_card(entry, f"column {number}, card {place}")
            if is_face_up != (place == number):
                right = "upper case, face up" if place == number else "lower case, face down"
                raise DealError(f"column {number}, card {place}: the suit of {entry!r} must be in {right}, in a deal")
            cards.append(card)
    if len(stock) != CARD_COUNT - TABLEAU_COUNT:
        raise DealError(f"{_STOCK_KEY!r} has {_count(stock)} instead of 24")
    turned = [_solvitaire_card(entry, f"stock, card {place}")[0] for place, entry in enumerate(stock, start=1)]
    return columnwise_to_deal(check_deck(cards + turned[::-1]))


def _format_solvitaire(cards: Iterable[Card]) -> str:
    """Write a deal as Solvitaire JSON; the card that is turned first stands last in ``stock``."""
    deck = check_deck(cards)
    columns = [
        [*(_solvitaire_name(deck[position], face_up=False) for position in face_down), _solvitaire_name(deck[last])]
        for *face_down, last in COLUMN_POSITIONS
    ]
    stock = [_solvitaire_name(card) for card in reversed(deck[TABLEAU_COUNT:])]
    return json.dumps({_COLUMNS_KEY: columns, _STOCK_KEY: stock})


def _solvitaire_name(card: Card, *, face_up: bool = True) -> str:
    name = card_name(card).replace("T", "10")
    return name if face_up else name[:-1] + name[-1].lower()


def _solvitaire_piles(text: str) -> tuple[list[list[Any]], list[Any]]:
    """Return the columns and the stock of a Solvitaire text, both still unread."""
    try:
        position = json.loads(_check_text(text))
    except (json.JSONDecodeError, RecursionError) as error:
        raise DealError(f"no JSON: {error}") from error
    if not isinstance(position, dict):
        raise DealError(f"the JSON is no object with {_COLUMNS_KEY!r} and {_STOCK_KEY!r}")
    for key, piles in position.items():
        if key in _EMPTY_PILES_KEYS:
            if piles and any(not isinstance(pile, list) or pile for pile in _check_list(piles, key)):
                raise DealError(f"{key!r} holds cards; in a deal they all lie in the columns and the stock")
        elif key not in (_COLUMNS_KEY, _STOCK_KEY):
            raise DealError(f"{key!r} is no pile of a Klondike deal; {_COLUMNS_KEY!r} and {_STOCK_KEY!r} are")
    for key in (_COLUMNS_KEY, _STOCK_KEY):
        if key not in position:
            raise DealError(f"{key!r} is missing")
    columns = [_check_list(column, "a column") for column in _check_list(position[_COLUMNS_KEY], _COLUMNS_KEY)]
    return columns, _check_list(position[_STOCK_KEY], _STOCK_KEY)


def _check_list(value: Any, name: str) -> list[Any]:
    if not isinstance(value, list):
        raise DealError(f"{name!r} is {_shorten(value)}, not a list")
    return value


def _count(pile: list[Any]) -> str:
    return f"{len(pile)} card{'s' * (len(pile) != 1)}"


def _solvitaire_card(entry: Any, place: str) -> tuple[Card, bool]:
    """Return a card of a Solvitaire text, and whether its suit is in upper case."""
    match = _SOLVITAIRE_CARD.fullmatch(entry) if isinstance(entry, str) else None
    if match is None:
        raise DealError(f"{place}: {_shorten(entry)} is no card; cards look like '10S', face down like '10s'")
    return parse_card(match[0]), match["suit"].isupper()


# Klondike-Solver, pyksolve, MinimalKlondike


def _read_klondike_solver(text: str) -> tuple[Card, ...]:
    """Read the digits that Klondike-Solver, pyksolve and MinimalKlondike take for a deal.

    52 times three digits in deal order: the rank 01 to 13, then the suit, clubs 1, diamonds 2, hearts 3, spades 4.
    White space is ignored.
    """
    digits = "".join(_check_text(text).split())
    cards = []
    for start in range(0, len(digits), 3):
        group = digits[start : start + 3]
        match = re.fullmatch(r"(0[1-9]|1[0-3])([1-4])", group)
        if match is None:
            raise DealError(
                f"card {start // 3 + 1} of the deal: {group!r} is no card; a card is its rank 01 to 13, then its suit, "
                "clubs 1, diamonds 2, hearts 3, spades 4"
            )
        suit = _SOLVER_SUITS[int(match[2]) - 1]
        cards.append(make_card(SUIT_LETTERS.index(suit), int(match[1]) - 1))
    return check_deck(cards)


def _format_klondike_solver(cards: Iterable[Card]) -> str:
    """Write a deal as the 156 digits that `_read_klondike_solver` describes."""
    groups = []
    for card in check_deck(cards):
        suit, rank = divmod(card, RANK_COUNT)
        groups.append(f"{rank + 1:02}{_SOLVER_SUITS.index(SUIT_LETTERS[suit]) + 1}")
    return "".join(groups)


# lonelybot


def _read_lonelybot(text: str) -> tuple[Card, ...]:
    """Read card names in lonelybot's order: column 1 to 7, each bottom to top, then the stock, first turned first."""
    return columnwise_to_deal(check_deck(_read_cards(text)))


def _format_lonelybot(cards: Iterable[Card]) -> str:
    """Write a deal as card names in lonelybot's order."""
    return format_cards(deal_to_columnwise(check_deck(cards)))


def _read_lonelybot_exact(text: str) -> tuple[Card, ...]:
    """Read lonelybot's exact number of a deal, 0 to 52! - 1."""
    digits = _check_text(text).strip()
    # No such number has more than 68 digits; a longer one is not even converted.
    if not re.fullmatch(r"[0-9]{1,68}", digits):
        raise DealError(f"{_shorten(digits)} is no whole number from 0 to 52! - 1 (68 digits at most)")
    return deal_cards("lonelybot-exact", int(digits))


def _format_lonelybot_exact(cards: Iterable[Card]) -> str:
    """Write a deal as lonelybot's exact number."""
    return str(deal_number("lonelybot-exact", cards))


# All of them by name

Reader = Callable[[str], tuple[Card, ...]]
"""From a text to the 52 cards in deal order."""
Writer = Callable[[Iterable[Card]], str]
"""From the 52 cards in deal order to a text."""

FORMATS: Final[dict[str, tuple[Reader, Writer]]] = {
    "cards": (read_deck, format_deck),
    "solvitaire": (_read_solvitaire, _format_solvitaire),
    "klondike-solver": (_read_klondike_solver, _format_klondike_solver),
    "lonelybot": (_read_lonelybot, _format_lonelybot),
    "lonelybot-exact": (_read_lonelybot_exact, _format_lonelybot_exact),
}
"""Reader and writer of each format by its name."""


def read_deal(text: str, format: str = "cards") -> tuple[Card, ...]:
    """Read a deal from a text.

    Args:
        text: The deal.
        format: A name in `FORMATS`.

    Returns:
        The 52 cards in deal order.

    Raises:
        DealError: The text is no deal in this format, or there is no such format.
    """
    return _find_format(format)[0](text)


def write_deal(cards: Iterable[Card], format: str = "cards") -> str:
    """Write a deal as a text.

    Args:
        cards: The 52 cards in deal order.
        format: A name in `FORMATS`.

    Returns:
        The text, which `read_deal` reads in the same format.

    Raises:
        DealError: The cards are no deal, or there is no such format.
    """
    return _find_format(format)[1](cards)


def _find_format(name: str) -> tuple[Reader, Writer]:
    found = FORMATS.get(name)
    if found is None:
        raise DealError(f"{name!r} is no deal format; known are {', '.join(FORMATS)}")
    return found
