"""Why an action is not legal, in one line."""

from __future__ import annotations

from klondike_env.actions import (
    COLUMN_PILE,
    COLUMN_TO_FOUNDATION,
    FOUNDATION_PILE,
    MOVES,
    STOCK_PILE,
    WASTE_PILE,
    WASTE_TO_FOUNDATION,
    Move,
)
from klondike_env.cards import ACE, RANK_COUNT, SUIT_NAMES, Card, card_name, card_rank, card_suit, make_card
from klondike_env.layout import COLUMN_COUNT
from klondike_env.position import Position


def illegal_reason(position: Position, action: int) -> str:
    """Return in one line why an action (0-85) that is not legal in a position is not."""
    if position.is_won:
        return "the game is won"
    move = MOVES[action]
    return (
        _source_reason(position, move)
        or _aces_reason(position)
        or (_foundation_reason(position, move) if move.target == FOUNDATION_PILE else _column_reason(position, move))
    )


def _source_reason(position: Position, move: Move) -> str | None:
    """Say what is wrong with the pile that the cards should leave."""
    if move.source == STOCK_PILE:
        if not position.stock and not position.waste:
            return "stock and waste are empty"
        if not position.stock and not position.can_redeal:
            return "the stock is empty and no pass is left"
    if move.source == WASTE_PILE and not position.waste:
        return "the waste is empty"
    if move.source == COLUMN_PILE and not position.column(move.source_column or 0):
        return f"column {move.source_column} is empty"
    if move.suit is not None:
        if not position.rules.take_back:
            return "these rules allow no take-back from a foundation"
        if not position.foundation_height(move.suit):
            return f"the {SUIT_NAMES[move.suit]} foundation is empty"
    return None


def _aces_reason(position: Position) -> str | None:
    """Say that an ace must go up first, where these rules say so and one can."""
    rules = position.rules
    if rules.aces != "must":
        return None
    for action in (WASTE_TO_FOUNDATION, *range(COLUMN_TO_FOUNDATION, COLUMN_TO_FOUNDATION + COLUMN_COUNT)):
        if position.is_legal(action):
            card = position.moved_cards(action)[-1]
            if card_rank(card) == ACE:
                return f"under these rules {card_name(card)} must go to its foundation first"
    return None


def _foundation_reason(position: Position, move: Move) -> str:
    """Say why a foundation does not take the card."""
    card = _source_top(position, move)
    suit = card_suit(card)
    height = position.foundation_height(suit)
    if height == card_rank(card) and position.rules.aces == "first":
        return "under these rules all four aces go to the foundations before any other card"
    needed = card_name(make_card(suit, height)) if height < RANK_COUNT else "no more card"
    return f"{card_name(card)} does not go up; the {SUIT_NAMES[suit]} foundation takes {needed} next"


def _column_reason(position: Position, move: Move) -> str:
    """Say why a column does not take the card or any card of the run."""
    card = _source_top(position, move)
    target = position.column(move.target_column or 0)
    what = card_name(card)
    if move.source == COLUMN_PILE and len(position.column(move.source_column or 0)) > 1:
        what = f"no face-up card of column {move.source_column}"
        goes = "goes"
    else:
        goes = "does not go"
    if not target:
        return f"{what} {goes} to column {move.target_column}; an empty column takes only a king"
    return f"{what} {goes} on {card_name(target[-1])}; it takes a card one rank lower and of the other colour"


def _source_top(position: Position, move: Move) -> Card:
    """Return the last card of the pile that a move takes from; the pile is not empty."""
    if move.source == WASTE_PILE:
        return position.waste[-1]
    if move.suit is not None:
        return make_card(move.suit, position.foundation_height(move.suit) - 1)
    return position.column(move.source_column or 0)[-1]
