"""Legal moves, play and ends, compiled. Rules and points are those of design sections 3 and 4."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from klondike_env.actions import (
    COLUMN_MOVE_SOURCE,
    COLUMN_MOVE_TARGET,
    COLUMN_TO_COLUMN,
    COLUMN_TO_FOUNDATION,
    TAKE_BACK,
    TURN_STOCK,
    WASTE_TO_COLUMN,
    WASTE_TO_FOUNDATION,
)
from klondike_env.cards import CARD_COUNT, RANK_COUNT, SUIT_COUNT
from klondike_env.compiled import compiled
from klondike_env.engine.state import (
    ACES_FIRST,
    ACES_MUST,
    COLUMN_TO_COLUMN_POINTS,
    FOUNDATION_POINTS,
    KINGS,
    RANKS_UP_TO,
    REDEAL_FLOOR,
    REDEAL_POINTS,
    TAKE_BACK_POINTS,
    TAKES,
    TURNED_UP_POINTS,
    UNLIMITED,
    WASTE_TO_COLUMN_POINTS,
    State,
)
from klondike_env.layout import COLUMN_COUNT
from klondike_env.wide_stores import store_column_moves, store_matches

_ONE = np.int64(1)
_COLUMNS: Any = tuple(np.int64(column) for column in range(COLUMN_COUNT))
"""Columns as numbers of one type: functions would be compiled once more for each constant."""
_ACES = sum(1 << RANK_COUNT * suit for suit in range(SUIT_COUNT))


@compiled
def is_won(state: State) -> bool:
    """Return whether all 52 cards lie on the foundations."""
    founded = 0
    for suit in range(4):
        founded += state.foundations[suit]
    return founded == CARD_COUNT


@compiled
def column_takes(state: State, column: int) -> int:
    """Return which cards a column (0-6) takes, as a set."""
    length = state.lengths[column]
    if length == 0:
        return KINGS
    return TAKES[state.columns[column, length - 1]]


@compiled
def foundation_takes(state: State) -> int:
    """Return which cards may go to their foundation now, as a set."""
    cards: Any = np.int64(0)
    aces_wait = False
    if state.aces == ACES_FIRST:
        for suit in range(4):
            if state.foundations[suit] == 0:
                aces_wait = True
    for suit in range(4):
        height = state.foundations[suit]
        if height < RANK_COUNT and not (aces_wait and height > 0):
            cards |= _ONE << np.int64(RANK_COUNT * suit + height)
    return cards


@compiled
def pass_is_left(state: State) -> bool:
    """Return whether the rules allow one more redeal."""
    return state.passes == UNLIMITED or state.pass_number < state.passes


@compiled
def stock_action_is_legal(state: State) -> bool:
    """Return whether the stock can be turned or redealt, all other rules left aside."""
    if state.waste_length < state.talon_length:
        return True
    return state.talon_length > 0 and pass_is_left(state)


@compiled
def write_legal_mask(state: State, mask: npt.NDArray[np.int8]) -> int:
    """Write which actions are legal; nothing is legal in a won game.

    Args:
        state: Record, read. Unknown cards have no influence.
        mask: int8 array of shape (86,), written: 1 = legal.

    Returns:
        The number of legal actions other than turning the stock.
    """
    if is_won(state):
        mask[:] = 0
        return 0
    to_foundation = foundation_takes(state)
    waste_top: Any = np.int64(0)
    if state.waste_length > 0:
        waste_top = _ONE << np.int64(state.talon[state.waste_length - 1])
    last_cards = (
        _last_card_set(state, _COLUMNS[0]),
        _last_card_set(state, _COLUMNS[1]),
        _last_card_set(state, _COLUMNS[2]),
        _last_card_set(state, _COLUMNS[3]),
        _last_card_set(state, _COLUMNS[4]),
        _last_card_set(state, _COLUMNS[5]),
        _last_card_set(state, _COLUMNS[6]),
    )
    takes = (
        column_takes(state, _COLUMNS[0]),
        column_takes(state, _COLUMNS[1]),
        column_takes(state, _COLUMNS[2]),
        column_takes(state, _COLUMNS[3]),
        column_takes(state, _COLUMNS[4]),
        column_takes(state, _COLUMNS[5]),
        column_takes(state, _COLUMNS[6]),
    )
    only_aces = False
    if state.aces == ACES_MUST:
        aces: Any = to_foundation & _ACES
        for cards in last_cards:
            only_aces |= (cards & aces) != 0
        only_aces |= (waste_top & aces) != 0
        if only_aces:
            to_foundation = aces

    # All flags are written, set or not: that is cheaper than branches that cannot be predicted.
    count: Any = np.int64((waste_top & to_foundation) != 0)
    mask[WASTE_TO_FOUNDATION] = count
    count += store_matches(mask, COLUMN_TO_FOUNDATION, to_foundation, last_cards)
    if only_aces:
        mask[TURN_STOCK] = 0
        mask[WASTE_TO_COLUMN:COLUMN_TO_FOUNDATION] = 0
        mask[TAKE_BACK:] = 0
        return count
    mask[TURN_STOCK] = stock_action_is_legal(state)
    count += store_matches(mask, WASTE_TO_COLUMN, waste_top, takes)
    for suit in range(4):
        top: Any = np.int64(0)
        if state.take_back:
            top = _foundation_top(state, suit)
        count += store_matches(mask, TAKE_BACK + COLUMN_COUNT * suit, top, takes)
    runs = (state.runs[0], state.runs[1], state.runs[2], state.runs[3], state.runs[4], state.runs[5], state.runs[6])
    return count + store_column_moves(mask, COLUMN_TO_COLUMN, runs, takes)


@compiled
def _last_card_set(state: State, column: int) -> int:
    """Return the last card of a column (0-6), as a set; an empty set if it has none."""
    length = state.lengths[column]
    cards: Any = np.int64(0)
    if length > 0:
        cards = _ONE << np.int64(state.columns[column, length - 1])
    return cards


@compiled
def _foundation_top(state: State, suit: int) -> int:
    """Return the top card of a foundation, as a set; an empty set if it has none."""
    top: Any = (_ONE << np.int64(state.foundations[suit])) >> _ONE
    return top << np.int64(RANK_COUNT * suit)


@compiled
def column_action(source: int, target: int) -> int:
    """Return the action index of a move from one column (0-6) to another."""
    index = COLUMN_TO_COLUMN + (COLUMN_COUNT - 1) * source + target
    return index - 1 if target > source else index


@compiled
def _last_card(state: State, column: int) -> int:
    """Return the last card of a column (0-6) that is not empty."""
    return state.columns[column, state.lengths[column] - 1]


@compiled
def play(state: State, action: int) -> int:
    """Play a legal action. Legality is the caller's duty: an illegal one corrupts the state.

    Args:
        state: Record, changed: cards, score, pass, what was seen and paid.
        action: Legal action index, 0-85.

    Returns:
        The points in this move's change of score that are no reward, since the card had been on its foundation before
        (design section 4: foundation points are paid once a card and game).
    """
    state.started = 1
    if action == TURN_STOCK:
        _turn_or_redeal(state)
        return 0
    if action < COLUMN_TO_FOUNDATION:
        card = _take_waste_card(state)
        if action == WASTE_TO_FOUNDATION:
            return _put_on_foundation(state, card)
        _put_on_column(state, card, action - WASTE_TO_COLUMN)
        state.score += WASTE_TO_COLUMN_POINTS[state.vegas]
        return 0
    if action < TAKE_BACK:
        column = action - COLUMN_TO_FOUNDATION
        card = _last_card(state, column)
        state.lengths[column] -= 1
        state.runs[column] &= ~(_ONE << np.int64(card))
        unpaid = _put_on_foundation(state, card)
        _turn_up(state, column)
        return unpaid
    if action < COLUMN_TO_COLUMN:
        suit = (action - TAKE_BACK) // COLUMN_COUNT
        state.foundations[suit] -= 1
        _put_on_column(state, RANK_COUNT * suit + state.foundations[suit], COLUMN_MOVE_TARGET[action])
        state.score += TAKE_BACK_POINTS[state.vegas]
        return 0
    _move_run(state, COLUMN_MOVE_SOURCE[action], COLUMN_MOVE_TARGET[action])
    state.score += COLUMN_TO_COLUMN_POINTS[state.vegas]
    return 0


@compiled
def _turn_or_redeal(state: State) -> None:
    """Turn cards from the stock to the waste, or put the whole waste back, order kept."""
    if state.waste_length == state.talon_length:
        state.waste_length = 0
        state.fan_length = 0
        state.pass_number += 1
        state.score = max(state.score + REDEAL_POINTS[state.vegas], REDEAL_FLOOR[state.vegas])
        return
    turned = min(state.draw, state.talon_length - state.waste_length)
    state.waste_length += turned
    state.fan_length = turned if state.fan else 1
    for place in range(state.waste_length - state.fan_length, state.waste_length):
        state.seen |= _ONE << np.int64(state.talon[place])


@compiled
def _take_waste_card(state: State) -> int:
    """Remove the top card of the waste; the one under it comes in sight."""
    top = state.waste_length - 1
    card = state.talon[top]
    for place in range(top, state.talon_length - 1):
        state.talon[place] = state.talon[place + 1]
    state.talon_length -= 1
    state.waste_length = top
    if state.fan_length > 0:
        state.fan_length -= 1
    if top > 0:
        if state.fan_length == 0:
            state.fan_length = 1
        state.seen |= _ONE << np.int64(state.talon[top - 1])
    return card


@compiled
def _put_on_foundation(state: State, card: int) -> int:
    """Put a card on its foundation, score it, and return its points if they were paid as reward before."""
    state.foundations[card // RANK_COUNT] += 1
    points = FOUNDATION_POINTS[state.vegas]
    state.score += points
    bit = _ONE << np.int64(card)
    if state.paid & bit:
        return points
    state.paid |= bit
    return 0


@compiled
def _put_on_column(state: State, card: int, column: int) -> None:
    """Lay one card on a column (0-6)."""
    state.columns[column, state.lengths[column]] = card
    state.lengths[column] += 1
    state.runs[column] |= _ONE << np.int64(card)


@compiled
def _move_run(state: State, source: int, target: int) -> None:
    """Move the card that the target takes, and every card on it, from one column (0-6) to another."""
    card_set = state.runs[source] & column_takes(state, target)
    # The run descends from its first card, so the card's place follows from its rank.
    first = state.face_down[source]
    place = first
    while not (card_set >> np.int64(state.columns[source, place])) & _ONE:
        place += 1
    moved = state.runs[source] & RANKS_UP_TO[state.columns[source, place] % RANK_COUNT]
    state.runs[source] &= ~moved
    state.runs[target] |= moved
    onto = state.lengths[target]
    for card_place in range(place, state.lengths[source]):
        state.columns[target, onto] = state.columns[source, card_place]
        onto += 1
    state.lengths[target] = onto
    state.lengths[source] = place
    _turn_up(state, source)


@compiled
def _turn_up(state: State, column: int) -> None:
    """Turn the last card of a column (0-6) face up if it lies face down, and score it."""
    length = state.lengths[column]
    if length > 0 and state.face_down[column] == length:
        state.face_down[column] -= 1
        state.runs[column] = _ONE << np.int64(state.columns[column, length - 1])
        state.score += TURNED_UP_POINTS[state.vegas]


@compiled
def is_lost(state: State, other_moves: int) -> bool:
    """Return whether the game cannot go on: nothing but turning is possible, now and at any stock position ahead.

    Turning and redealing never change columns or foundations, so it is enough to ask of each card that can still
    become the waste top whether it goes anywhere. One redeal reaches every position that more would.

    Args:
        state: Record, read.
        other_moves: The number of legal actions other than turning the stock, as ``write_legal_mask`` returns it.

    Returns:
        True if the game is lost; a won game is not.
    """
    if other_moves > 0 or is_won(state):
        return False
    playable = foundation_takes(state)
    for column in range(COLUMN_COUNT):
        playable |= column_takes(state, column)
    place = state.waste_length
    redeals = 1 if pass_is_left(state) else 0
    while True:
        while place < state.talon_length:
            place = min(place + state.draw, state.talon_length)
            if (playable >> np.int64(state.talon[place - 1])) & _ONE:
                return False
        if redeals == 0:
            return True
        redeals = 0
        place = 0
