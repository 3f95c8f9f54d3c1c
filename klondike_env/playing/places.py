"""The places of the table by name, and the actions that lead from one to another.

Whether a move is legal is asked of the position; here only stands which action a tap or drag means, and in which words
a move or a refusal is told.
"""

from __future__ import annotations

from typing import Final

from klondike_env.actions import (
    COLUMN_PILE,
    COLUMN_TO_FOUNDATION,
    FOUNDATION_PILE,
    MOVES,
    STOCK_PILE,
    TURN_STOCK,
    WASTE_PILE,
    WASTE_TO_FOUNDATION,
    Move,
    check_action,
    encode_move,
)
from klondike_env.cards import SUIT_NAMES, Card, card_name, card_suit
from klondike_env.errors import PileError
from klondike_env.illegal_reasons import illegal_reason
from klondike_env.layout import COLUMN_COUNT
from klondike_env.position import Position

COLUMN_PLACES: Final = tuple(f"column {number}" for number in range(1, COLUMN_COUNT + 1))
PLACES: Final = (STOCK_PILE, WASTE_PILE, *SUIT_NAMES, *COLUMN_PLACES)
"""Stock, waste, the foundations by suit, and the columns, as ``Game.tap`` names them."""


def check_place(place: object) -> str:
    """Return the name of a place.

    Raises:
        PileError: There is no such place.
    """
    if not isinstance(place, str) or place not in PLACES:
        raise PileError(f"{place!r} is no place; places are {', '.join(PLACES)}")
    return place


def column_number(place: str) -> int | None:
    """Return the number, 1-7, of a place that is a column, else None."""
    return COLUMN_PLACES.index(place) + 1 if place in COLUMN_PLACES else None


def suit_of_place(place: str) -> int | None:
    """Return the suit, 0-3, of a place that is a foundation, else None."""
    return SUIT_NAMES.index(place) if place in SUIT_NAMES else None


def cards_at(position: Position, place: str) -> list[Card]:
    """Return the cards of a place, from the bottom; of a foundation only the top, of a column -1 for hidden ones.

    For the stock, the card that is turned next comes first.
    """
    column = column_number(check_place(place))
    suit = suit_of_place(place)
    if column is not None:
        cards = position.column(column)
        hidden = position.face_down_count(column)
        return [-1] * hidden + cards[hidden:]
    if suit is not None:
        top = position.foundation_top(suit)
        return [] if top is None else [top]
    return position.stock if place == STOCK_PILE else position.waste


def places_of(position: Position, action: int) -> tuple[str, str]:
    """Return the places that an action (0-85) leads from and to.

    A card that goes up names the foundation of its suit; where there is no card to go up, spades stand in.

    Raises:
        ActionError: The index is outside 0-85.
    """
    move = MOVES[check_action(action)]
    if move.source == COLUMN_PILE:
        source = COLUMN_PLACES[(move.source_column or 1) - 1]
    else:
        source = move.source if move.suit is None else SUIT_NAMES[move.suit]
    if move.target == COLUMN_PILE:
        return source, COLUMN_PLACES[(move.target_column or 1) - 1]
    if move.target == FOUNDATION_PILE:
        cards = cards_at(position, source)
        return source, SUIT_NAMES[card_suit(cards[-1]) if cards and cards[-1] >= 0 else 0]
    return source, move.target


def tap_action(place: str) -> int | None:
    """Return the action that a tap on a place means, or None for a foundation."""
    column = column_number(check_place(place))
    if column is not None:
        return COLUMN_TO_FOUNDATION + column - 1
    return {STOCK_PILE: TURN_STOCK, WASTE_PILE: WASTE_TO_FOUNDATION}.get(place)


def pick_up_reason(position: Position, source: str, card: Card) -> str | None:
    """Return in one line why a card cannot be picked up from a place, or None if it can."""
    cards = cards_at(position, source)
    if source == STOCK_PILE:
        return "cards of the stock are turned to the waste, by a tap on it"
    if not cards:
        return f"{_name(source)} is empty"
    if card < 0:
        return "that card lies face down"
    if card not in cards:
        return f"{card_name(card)} does not lie in {_name(source)}"
    if column_number(source) is None and card != cards[-1]:
        return f"only the top card of {_name(source)} can be taken"
    suit = suit_of_place(source)
    if suit is not None and not position.rules.take_back:
        return illegal_reason(position, encode_move(Move(FOUNDATION_PILE, COLUMN_PILE, target_column=1, suit=suit)))
    return None


def picked_up_cards(position: Position, source: str, card: Card) -> list[Card]:
    """Return the cards that are in the hand when a card is picked up, from the bottom; none if it cannot be."""
    if pick_up_reason(position, source, card) is not None:
        return []
    cards = cards_at(position, source)
    return cards[cards.index(card) :]


def drag_action(position: Position, source: str, card: Card, target: str) -> tuple[int | None, str | None]:
    """Return the action that a drag means, or why it is refused.

    Args:
        position: The position, the player's view of it.
        source: Place that the card is picked up from, other than the target.
        card: The card picked up; in a column those on it come along.
        target: Place that it is dropped on.

    Returns:
        The action and None if it is legal, else None and the reason in one line.

    Raises:
        PileError: There is no such place.
    """
    check_place(target)
    reason = pick_up_reason(position, source, card)
    if reason is not None:
        return None, reason
    hand = picked_up_cards(position, source, card)
    if target in (STOCK_PILE, WASTE_PILE):
        return None, f"no card can be put on {_name(target)}"
    suit = suit_of_place(target)
    if suit is not None:
        if len(hand) > 1:
            return None, f"{card_name(card)} has {_cards(len(hand) - 1)} on it; a foundation takes one card at a time"
        if suit != card_suit(card):
            return None, f"{card_name(card)} does not go there; this is the {SUIT_NAMES[suit]} foundation"
    action = _action_between(source, target)
    if not position.is_legal(action):
        # A column's refusal of the card in hand says more than that of any card of the run.
        reason = illegal_reason(position, action)
        if suit is None and reason.startswith("no face-up card"):
            reason = _column_refusal(position, card, target)
        return None, reason
    if position.moved_cards(action) != hand:
        return None, _column_refusal(position, card, target)
    return action, None


def move_action(position: Position, source: str, target: str) -> tuple[int | None, str | None]:
    """Return the action from one place to another, whichever card it moves, or why there is none.

    Of a column, the card that the target takes goes, with those on it.

    Args:
        position: The position, the player's view of it.
        source: Place that the cards leave; the stock leads to the waste only.
        target: Place that they go to, another one.

    Returns:
        The action and None if it is legal, else None and the reason in one line.

    Raises:
        PileError: There is no such place.
    """
    check_place(target)
    cards = cards_at(position, source)
    if source == STOCK_PILE and target == WASTE_PILE:
        action = TURN_STOCK
    elif column_number(target) is None or not cards or source in (STOCK_PILE, target):
        return drag_action(position, source, cards[-1] if cards else -1, target)
    else:
        action = _action_between(source, target)
    legal = position.is_legal(action)
    return (action, None) if legal else (None, illegal_reason(position, action))


def drop_targets(position: Position, source: str, card: Card) -> dict[str, int]:
    """Return the places that take a card from where it lies, each with its action."""
    targets = {}
    for target in (*SUIT_NAMES, *COLUMN_PLACES):
        if target != source:
            action, _ = drag_action(position, source, card, target)
            if action is not None:
                targets[target] = action
    return targets


def move_text(position: Position, action: int, *, symbols: bool = False) -> str:
    """Return what an action does here, in words with card names: ``"7D to column 5"``.

    Args:
        position: The position, the player's view of it.
        action: Action index, 0-85; the plain name of the action is returned if it is not legal.
        symbols: Whether suits are written as symbols.

    Raises:
        ActionError: The index is outside 0-85.
    """
    if not position.is_legal(action):
        return str(MOVES[action])
    move = MOVES[action]
    if move.source == STOCK_PILE:
        return "turn the stock" if position.stock else "redeal"
    cards = position.moved_cards(action)
    what = card_name(cards[0], symbols=symbols)
    if len(cards) > 1:
        what += f" and {_cards(len(cards) - 1)} on it"
    if move.suit is not None:
        what += " from its foundation"
    return f"{what} to {'its foundation' if move.target == FOUNDATION_PILE else f'column {move.target_column}'}"


def _action_between(source: str, target: str) -> int:
    """Return the action from one place to another: waste, column or foundation to column or foundation."""
    column, suit = column_number(source), suit_of_place(source)
    kind = COLUMN_PILE if column is not None else FOUNDATION_PILE if suit is not None else source
    target_column = column_number(target)
    target_kind = FOUNDATION_PILE if target_column is None else COLUMN_PILE
    return encode_move(Move(kind, target_kind, source_column=column, target_column=target_column, suit=suit))


def _column_refusal(position: Position, card: Card, target: str) -> str:
    """Say why a column does not take a card."""
    cards = cards_at(position, target)
    if not cards:
        return f"{card_name(card)} does not go to {target}; an empty column takes only a king"
    top = card_name(cards[-1])
    return f"{card_name(card)} does not go on {top}; it takes a card one rank lower and of the other colour"


def _name(place: str) -> str:
    """Return how a place is called in a sentence."""
    if place in SUIT_NAMES:
        return f"the {place} foundation"
    return place if place in COLUMN_PLACES else f"the {place}"


def _cards(count: int) -> str:
    """Return a number of cards in words."""
    return "1 card" if count == 1 else f"{count} cards"
