"""What the greedy player considers: moves that change the cards, with the turns that lead to them.

Turning the stock is no move of its own here. A talon card that turning and redealing can bring to the top of the
waste is offered at once, together with the turns it costs.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from klondike_agents.greedy_value import founded_rank_of_other_colour
from klondike_env.actions import (
    COLUMN_MOVE_SOURCE,
    COLUMN_TO_COLUMN,
    COLUMN_TO_FOUNDATION,
    TAKE_BACK,
    WASTE_TO_COLUMN,
    WASTE_TO_FOUNDATION,
)
from klondike_env.cards import RANK_COUNT
from klondike_env.compiled import compiled
from klondike_env.engine.moves import column_action, column_takes, foundation_takes, pass_is_left, play
from klondike_env.engine.state import RANKS_UP_TO, State
from klondike_env.layout import COLUMN_COUNT

MAX_MOVES: Final = 160
"""Room for the moves of one position; far more than occur."""
_MOST_FROM_ONE_TALON_CARD: Final = 1 + COLUMN_COUNT

MOVE_DTYPE: Final = np.dtype(
    [
        ("action", np.int16),
        ("place", np.int16),  # the waste length at which a talon card is on top; -1: no talon card
        ("turns", np.int16),  # stock actions before the action, redeals among them
        ("redeals", np.int16),
    ],
    align=True,
)
Moves = Any
"""Record array of ``MOVE_DTYPE``."""

_ONE = np.int64(1)


@compiled
def is_safe(state: State, card: int) -> bool:
    """Return whether a card does no more good in a column than on its foundation.

    Nothing needs it there when every card that could lie on it can go up itself, or be taken back for it.
    """
    return card % RANK_COUNT <= max(1, founded_rank_of_other_colour(state, card // RANK_COUNT) + 1)


@compiled
def list_moves(state: State, known: int, any_part: bool, takes: Any, moves: Moves) -> int:
    """Write the moves worth a thought, and return how many.

    Args:
        state: Record, read as far as its cards are known.
        known: The talon cards that the player knows, as a set.
        any_part: Whether any part of a run may move. Otherwise only if that lets a card go to its foundation, which
            is all that a player needs nearly always.
        takes: int64 array of shape (7,), overwritten: room to work in.
        moves: Record array, written.
    """
    to_foundation = foundation_takes(state)
    taken: Any = np.int64(0)
    count: Any = np.int64(0)
    has_empty = False
    for column in range(COLUMN_COUNT):
        length = state.lengths[column]
        takes[column] = 0
        if length == 0:
            # All empty columns are alike; one is enough.
            if not has_empty:
                takes[column] = column_takes(state, column)
            has_empty = True
        elif state.runs[column] != 0:
            takes[column] = column_takes(state, column)
            if (_ONE << np.int64(state.columns[column, length - 1])) & to_foundation:
                count = _add_move(moves, count, COLUMN_TO_FOUNDATION + column)
        taken |= takes[column]
    for source in range(COLUMN_COUNT):
        if state.runs[source] & taken:
            count = _list_column_moves(state, source, any_part, takes, to_foundation, moves, count)
    if state.take_back:
        for suit in range(4):
            top = RANK_COUNT * suit + state.foundations[suit] - 1
            if state.foundations[suit] > 0 and not is_safe(state, top):
                for target in range(COLUMN_COUNT):
                    if (takes[target] >> np.int64(top)) & _ONE:
                        count = _add_move(moves, count, TAKE_BACK + COLUMN_COUNT * suit + target)
    wanted = (taken | to_foundation) & known
    return _list_talon_moves(state, wanted, takes, to_foundation, moves, count)


@compiled
def _add_move(moves: Moves, count: int, action: int) -> int:
    """Add a move without turns to a list of ``count`` moves, and return the new count."""
    moves[count].action = action
    moves[count].place = -1
    moves[count].turns = 0
    moves[count].redeals = 0
    return count + 1


@compiled
def _list_column_moves(
    state: State, source: int, any_part: bool, takes: Any, to_foundation: int, moves: Moves, count: int
) -> int:
    """Add moves from one column (0-6) to others to a list, and return the new count."""
    run = state.runs[source]
    face_down = state.face_down[source]
    base = _ONE << np.int64(state.columns[source, face_down])
    for target in range(COLUMN_COUNT):
        moved = run & takes[target]
        if source == target or moved == 0:
            continue
        if moved == base:
            if face_down == 0 and state.lengths[target] == 0:
                continue
        elif not any_part:
            # Not the whole run moves, so the target is no empty column and its last card has a rank above ace.
            rank = state.columns[target, state.lengths[target] - 1] % RANK_COUNT
            uncovered = run & RANKS_UP_TO[rank] & ~RANKS_UP_TO[rank - 1]
            if not uncovered & to_foundation:
                continue
        count = _add_move(moves, count, column_action(source, target))
    return count


@compiled
def _list_talon_moves(state: State, wanted: int, takes: Any, to_foundation: int, moves: Moves, count: int) -> int:
    """Add moves of those talon cards among ``wanted`` that can be reached to a list, and return the new count."""
    length = np.int64(state.talon_length)
    draw = np.int64(state.draw)
    place: Any = np.int64(state.waste_length)
    turns: Any = np.int64(0)
    redeals: Any = np.int64(0)
    listed: Any = np.int64(0)
    while count <= MAX_MOVES - _MOST_FROM_ONE_TALON_CARD:
        if place > 0 and not (listed >> place) & _ONE:
            listed |= _ONE << place
            card = np.int64(state.talon[place - 1])
            if card >= 0 and (wanted >> card) & _ONE:
                if (to_foundation >> card) & _ONE:
                    count = _add_talon_move(moves, count, WASTE_TO_FOUNDATION, place, turns, redeals)
                for target in range(COLUMN_COUNT):
                    if (takes[target] >> card) & _ONE:
                        count = _add_talon_move(moves, count, WASTE_TO_COLUMN + target, place, turns, redeals)
        if place < length:
            place = min(place + draw, length)
        elif redeals == 0 and length > 0 and pass_is_left(state):
            redeals = 1
            turns += 1
            place = min(draw, length)
        else:
            break
        turns += 1
    return count


@compiled
def _add_talon_move(moves: Moves, count: int, action: int, place: int, turns: int, redeals: int) -> int:
    """Add a talon card's move to a list of ``count`` moves, and return the new count."""
    count = _add_move(moves, count, action)
    moves[count - 1].place = place
    moves[count - 1].turns = turns
    moves[count - 1].redeals = redeals
    return count


@compiled
def play_in_thought(state: State, move: Any) -> bool:
    """Play a move and the turns before it on a record of thought.

    Args:
        state: Record, changed.
        move: Record of ``MOVE_DTYPE``.

    Returns:
        Whether a card turned up, whose face the player does not know before really playing; its column then has no
        face-up card in ``state``.
    """
    action: Any = np.int64(move.action)
    if move.place >= 0:
        state.waste_length = move.place
        state.fan_length = 1
        state.pass_number += move.redeals
    source: Any = -1
    if action >= COLUMN_TO_COLUMN:
        source = COLUMN_MOVE_SOURCE[action]
    elif COLUMN_TO_FOUNDATION <= action < TAKE_BACK:
        source = action - COLUMN_TO_FOUNDATION
    if source < 0:
        play(state, action)
        return False
    face_down = state.face_down[source]
    play(state, action)
    if state.face_down[source] == face_down:
        return False
    state.runs[source] = 0
    return True
