"""What the solver starts from: a position in plain Python, checked, and its form for the compiled search."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt

from klondike_env.cards import (
    CARD_COUNT,
    KING,
    RANK_COUNT,
    SUIT_COUNT,
    Card,
    card_name,
    card_rank,
    card_suit,
    is_red,
)
from klondike_env.deals import Deal
from klondike_env.errors import NotationError
from klondike_env.layout import COLUMN_COUNT
from klondike_env.rules import Rules, make_rules
from klondike_env.solver import frames
from klondike_env.solver.moves import reachable
from klondike_env.solver.table import KEY_BITS

_PLACE_OF_SUIT: Final = (2, 0, 1, 3)
"""Place in a nibble of spades, hearts, diamonds, clubs (see ``bits``)."""
_SUIT_OF_PLACE: Final = (1, 2, 0, 3)
_FIRST_KING: Final = 48
_TALON_BITS: Final = 24
_HEIGHT_BITS: Final = 16


def to_bit(card: Card) -> int:
    """Return the bit of a card in the masks of the search."""
    return 4 * card_rank(card) + _PLACE_OF_SUIT[card_suit(card)]


def from_bit(bit: int) -> Card:
    """Return the card of a bit in the masks of the search."""
    return RANK_COUNT * _SUIT_OF_PLACE[bit & 3] + (bit >> 2)


def fits_on(card: Card, target: Card) -> bool:
    """Return whether a card may be laid on another one in a column."""
    return card_rank(card) + 1 == card_rank(target) and is_red(card) != is_red(target)


class GameLike(Protocol):
    """The part of ``Game`` that the solver reads."""

    @property
    def rules(self) -> Rules:
        """The rules."""

    @property
    def waste(self) -> list[Card]:
        """The waste, from the bottom."""

    @property
    def stock(self) -> list[Card]:
        """The stock, from the card that is turned next."""

    @property
    def passes_left(self) -> int | None:
        """Passes left after the present one; None without limit."""

    def column(self, column: int, /) -> list[Card]:
        """Return the cards of a column (1-7), from the bottom."""

    def face_down_count(self, column: int, /) -> int:
        """Return how many of them lie face down."""

    def foundation_height(self, suit: int, /) -> int:
        """Return how many cards lie on a foundation."""


@dataclass(frozen=True, slots=True)
class SolverPosition:
    """A position with all cards known, and the rules that decide what can be won from it.

    Attributes:
        columns: The seven columns, each from the bottom.
        face_down: How many cards of each column lie face down.
        waste: The waste, from the bottom.
        stock: The stock, from the card that is turned next.
        heights: Foundation heights of spades, hearts, diamonds, clubs.
        passes_left: Passes left after the present one; None without limit.
        draw: Cards turned at once.
        take_back: Whether foundation cards may go back to a column.
        aces: ``"free"``, ``"must"`` or ``"first"``.

    Raises:
        NotationError: This is no position that play can reach.
    """

    columns: tuple[tuple[Card, ...], ...]
    face_down: tuple[int, ...]
    waste: tuple[Card, ...]
    stock: tuple[Card, ...]
    heights: tuple[int, ...]
    passes_left: int | None = None
    draw: int = 1
    take_back: bool = True
    aces: str = "free"

    def __post_init__(self) -> None:
        fault = _find_fault(self)
        if fault:
            raise NotationError(f"this position cannot be solved: {fault}")

    @classmethod
    def from_game(cls, game: GameLike) -> SolverPosition:
        """Take the present position of a game."""
        rules = game.rules
        numbers = range(1, COLUMN_COUNT + 1)
        return cls(
            columns=tuple(tuple(game.column(number)) for number in numbers),
            face_down=tuple(game.face_down_count(number) for number in numbers),
            waste=tuple(game.waste),
            stock=tuple(game.stock),
            heights=tuple(game.foundation_height(suit) for suit in range(SUIT_COUNT)),
            passes_left=game.passes_left,
            draw=rules.draw,
            take_back=rules.take_back,
            aces=rules.aces,
        )

    @classmethod
    def from_deck(
        cls, deck: str | Iterable[Card] | Deal, rules: str | Rules = "D1N", **overrides: Any
    ) -> SolverPosition:
        """Take the first position of a deal.

        Args:
            deck: 52 cards in deal order, as text, numbers or a ``Deal``.
            rules: A rule set or its name.
            **overrides: Single rules, as ``make_rules`` takes them.

        Raises:
            DealError: A card is missing, doubled or unknown.
            RulesError: No such rule set, or a wrong override.
        """
        if isinstance(deck, str):
            deck = Deal.from_text(deck)
        deal = deck if isinstance(deck, Deal) else Deal(tuple(deck))
        played = make_rules(rules, **overrides)
        return cls(
            columns=tuple(deal.column(number) for number in range(1, COLUMN_COUNT + 1)),
            face_down=tuple(range(COLUMN_COUNT)),
            waste=(),
            stock=deal.stock,
            heights=(0,) * SUIT_COUNT,
            passes_left=None if played.passes is None else played.passes - 1,
            draw=played.draw,
            take_back=played.take_back,
            aces=played.aces,
        )

    @property
    def is_won(self) -> bool:
        """Whether all cards lie on the foundations."""
        return sum(self.heights) == CARD_COUNT


def _find_fault(position: SolverPosition) -> str | None:
    """Return what is wrong with a position, or None."""
    if len(position.columns) != COLUMN_COUNT or len(position.face_down) != COLUMN_COUNT:
        return f"it has {len(position.columns)} columns, not {COLUMN_COUNT}"
    if len(position.heights) != SUIT_COUNT or not all(0 <= height <= RANK_COUNT for height in position.heights):
        return f"foundation heights {position.heights} are not four numbers from 0 to {RANK_COUNT}"
    founded = [RANK_COUNT * suit + rank for suit, height in enumerate(position.heights) for rank in range(height)]
    cards = [*founded, *position.waste, *position.stock, *(card for column in position.columns for card in column)]
    for card in range(CARD_COUNT):
        if cards.count(card) != 1:
            return f"{card_name(card)} is there {cards.count(card)} times"
    if len(cards) != CARD_COUNT:
        return f"it has {len(cards)} cards, not {CARD_COUNT}"
    if len(position.waste) + len(position.stock) > _TALON_BITS:
        return f"stock and waste hold more than {_TALON_BITS} cards"
    for number, (column, face_down) in enumerate(zip(position.columns, position.face_down, strict=True), start=1):
        if not 0 <= face_down < max(1, min(number, len(column))):
            return f"column {number} cannot have {face_down} cards face down"
        for below, card in zip(column[face_down:], column[face_down + 1 :], strict=False):
            if not fits_on(card, below):
                return f"in column {number}, {card_name(card)} cannot lie on {card_name(below)}"
    return None


@dataclass(frozen=True, slots=True)
class SearchInput:
    """A position in the form of the compiled search; see ``search.search`` for the arrays."""

    rules: npt.NDArray[np.int64]
    columns: npt.NDArray[np.int64]
    column_of: npt.NDArray[np.int64]
    key_shift: npt.NDArray[np.int64]
    key_mask: npt.NDArray[np.int64]
    talon_cards: npt.NDArray[np.int64]
    talon_place: npt.NDArray[np.int64]
    root: npt.NDArray[np.uint64]

    @property
    def arrays(self) -> tuple[npt.NDArray[np.int64], ...]:
        """The arrays that ``search.search`` takes, in its order."""
        return (
            self.rules,
            self.columns,
            self.column_of,
            self.key_shift,
            self.key_mask,
            self.talon_cards,
            self.talon_place,
        )


def pack_position(position: SolverPosition, prune: bool = True) -> SearchInput:
    """Return a position in the form of the compiled search.

    Args:
        position: The position, not yet won.
        prune: Whether to use the prunings; without them only the abstraction itself is used.
    """
    talon = [to_bit(card) for card in (*position.waste, *position.stock)]
    talon_cards = np.zeros(_TALON_BITS + 1, np.int64)
    talon_cards[: len(talon)] = talon
    talon_place = np.full(CARD_COUNT, -1, np.int64)
    talon_place[talon] = np.arange(len(talon))

    columns = np.zeros((COLUMN_COUNT, 8), np.int64)
    column_of = np.full(CARD_COUNT, -1, np.int64)
    key_shift = np.zeros(COLUMN_COUNT, np.int64)
    key_mask = np.zeros(COLUMN_COUNT, np.int64)
    face_up = bases = bottoms = low_key = empty = 0
    shift = _HEIGHT_BITS
    for j, (column, face_down) in enumerate(zip(position.columns, position.face_down, strict=True)):
        bits = [to_bit(card) for card in column]
        face_up |= sum(1 << bit for bit in bits[face_down:])
        count = face_down + 1 if column else 0
        columns[j, :count] = bits[:count]
        column_of[bits[:count]] = j
        if column and card_rank(column[0]) != KING:
            bottoms |= 1 << bits[0]
        if not column:
            empty += 1
        elif face_down == 0 and card_rank(column[0]) == KING:
            count = 0
        else:
            bases |= 1 << bits[face_down]
        key_shift[j] = shift
        key_mask[j] = (1 << count.bit_length()) - 1
        low_key |= count << shift
        shift += count.bit_length()
    assert shift + _TALON_BITS <= KEY_BITS

    heights = [0] * SUIT_COUNT
    for suit, height in enumerate(position.heights):
        heights[_PLACE_OF_SUIT[suit]] = height
    low_key |= sum(height << 4 * place for place, height in enumerate(heights))

    talon_aces = sum(1 << place for place, bit in enumerate(talon) if bit < SUIT_COUNT)
    must = position.aces == "must"
    # A pass in which no talon card is played is wasted, and no card ever comes back to the talon.
    unlimited = position.passes_left is None or position.passes_left >= len(talon)
    lone_talon = prune and unlimited and position.draw == 1
    one_word = unlimited and not (must and talon_aces and not lone_talon)
    rules = np.zeros(frames.RULE_COUNT, np.int64)
    rules[frames.DRAW] = position.draw
    rules[frames.UNLIMITED] = unlimited
    rules[frames.REDEALS] = position.passes_left or 0
    rules[frames.TAKE_BACK] = position.take_back
    rules[frames.ACES_MUST] = must
    rules[frames.ACES_FIRST] = position.aces == "first"
    rules[frames.PRUNE] = prune
    rules[frames.TALON_ACES] = talon_aces
    rules[frames.BOTTOMS] = bottoms
    rules[frames.KEY_FORM] = 1 if one_word else 2

    root = np.zeros(frames.FRAME_WORDS, np.uint64)
    root[frames.FACE_UP] = face_up
    root[frames.BASES] = bases
    root[frames.NEXT_UP] = sum(1 << 4 * height + place for place, height in enumerate(heights))
    root[frames.LOW_KEY] = low_key
    root[frames.TALON] = (1 << len(talon)) - 1
    root[frames.OFFSET] = len(position.waste) * (1 + (1 << 10))
    root[frames.EMPTY] = empty
    if lone_talon:
        root[frames.REACHABLE] = sum(1 << bit for bit in talon)
    else:
        root[frames.REACHABLE], root[frames.AFTER_REDEAL] = reachable(
            root[frames.TALON],
            len(position.waste),
            unlimited or bool(position.passes_left),
            rules,
            talon_cards,
        )
    return SearchInput(rules, columns, column_of, key_shift, key_mask, talon_cards, talon_place, root)
