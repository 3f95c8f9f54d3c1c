"""Decisions in terms of cards: what a trained player chooses between, compiled.

A *card move* names the card that moves and what it goes on, wherever it lies: column order means nothing to it. A talon
card is offered with the turns of the stock that bring it to the top of the waste, as the greedy player sees it.

    index        move
    0 … 51       card to its foundation
    52 … 155     card (with those on it) onto another: 52 + 2 * card + slot; slot 0 = the spade or heart that takes it,
                 slot 1 = the diamond or club; a king to an empty column has slot 0
    156          turn the stock without a known card in view to play; also whatever needs no decision

Moves that lead to a position which was decided in before in the same game can be left out, so that games end.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from klondike_agents.greedy_kernel import (
    MAX_DEPTH,
    Mind,
    action_without_thought,
    best_action,
    clear_memory,
    idle_action,
    is_met,
    note_met,
    position_hash,
    unknown_ahead,
    weight_row,
)
from klondike_agents.greedy_moves import list_moves, play_in_thought
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
from klondike_env.cards import CARD_COUNT, RANK_COUNT
from klondike_env.compiled import compiled
from klondike_env.engine.moves import column_takes, write_legal_mask
from klondike_env.engine.state import UNLIMITED, State
from klondike_env.layout import COLUMN_COUNT

ONTO_CARD: Final = CARD_COUNT
TURN_MOVE: Final = 3 * CARD_COUNT
MOVE_COUNT: Final = TURN_MOVE + 1

_ONE = np.int64(1)


@compiled
def write_card_moves(
    state: State,
    mind: Mind,
    can_turn: bool,
    may_repeat: bool,
    mask: npt.NDArray[np.int8],
    actions: npt.NDArray[np.int8],
    turns: npt.NDArray[np.int8],
) -> int:
    """Write the card moves of a position, note the position as decided in, and return how many there are.

    Args:
        state: Record, read as far as its cards are known.
        mind: Record, changed: the positions decided in, and room for thought.
        can_turn: Whether turning the stock is legal.
        may_repeat: Whether moves to a position that was decided in before are offered too.
        mask: int8 array (157,), written: 1 = offered.
        actions: int8 array (157,), written where offered: the action that plays it once its turns are made.
        turns: int8 array (157,), written where offered: how often the stock is turned before.
    """
    note_met(mind, position_hash(state))
    mask[:] = 0
    count = 0
    if can_turn and (state.passes != UNLIMITED or unknown_ahead(state)):
        mask[TURN_MOVE] = 1
        actions[TURN_MOVE] = TURN_STOCK
        turns[TURN_MOVE] = 0
        count = 1
    known: Any = np.int64(state.seen)
    after = mind.states[0]
    moves = mind.moves[MAX_DEPTH]
    for any_part in (False, True):
        for number in range(list_moves(state, known, any_part, mind.takes, moves)):
            move = moves[number]
            mind.states[0] = state
            turned_up = play_in_thought(after, move)
            if not (turned_up or may_repeat) and is_met(mind, position_hash(after)):
                continue
            action: Any = np.int64(move.action)
            place: Any = np.int64(move.place)
            index = card_move(state, action, place)
            mask[index] = 1
            actions[index] = move.action
            turns[index] = move.turns
            count += 1
        if count > 0:
            break
    return count


@compiled
def card_move(state: State, action: int, place: int) -> int:
    """Return the card move of an action.

    Args:
        state: Record, read.
        action: Action index that is legal once the waste has ``place`` cards, 0-85.
        place: Waste length at which a talon card is on top; only read for an action that plays the waste.
    """
    if action == TURN_STOCK:
        return TURN_MOVE
    card: Any = np.int64(0)
    if action < COLUMN_TO_FOUNDATION:
        card = np.int64(state.talon[place - 1])
        return card if action == WASTE_TO_FOUNDATION else _onto(state, card, action - WASTE_TO_COLUMN)
    if action < TAKE_BACK:
        column = action - COLUMN_TO_FOUNDATION
        card = np.int64(state.columns[column, state.lengths[column] - 1])
        return card
    target: Any = np.int64(COLUMN_MOVE_TARGET[action])
    if action < COLUMN_TO_COLUMN:
        suit = (action - TAKE_BACK) // COLUMN_COUNT
        card = RANK_COUNT * suit + np.int64(state.foundations[suit]) - 1
        return _onto(state, card, target)
    source: Any = np.int64(COLUMN_MOVE_SOURCE[action])
    takes = column_takes(state, target)
    for depth in range(state.face_down[source], state.lengths[source]):
        card = np.int64(state.columns[source, depth])
        if (takes >> card) & _ONE:
            return _onto(state, card, target)
    return TURN_MOVE


@compiled
def _onto(state: State, card: int, column: int) -> int:
    """Return the move of a card onto the last card of a column (0-6)."""
    length = state.lengths[column]
    slot: Any = np.int64(0)
    if length > 0:
        # Suits 0 to 3 are spades, hearts, diamonds, clubs: of each colour one is in 0-1 and one in 2-3.
        slot = np.int64(state.columns[column, length - 1]) // (2 * RANK_COUNT)
    return ONTO_CARD + 2 * card + slot


@compiled
def greedy_card_move(
    state: State, mind: Mind, weight_table: npt.NDArray[np.float32], depth: int, can_turn: bool
) -> int:
    """Return what the greedy player would choose where no action is forced, or -1 if it would give up.

    Args:
        state: Record, read.
        mind: Record, whose room for thought is used.
        weight_table: float32 array of ``greedy_weights``.
        depth: How many moves it thinks ahead.
        can_turn: Whether turning the stock is legal.
    """
    action: Any = best_action(state, mind, weight_table[weight_row(state)], depth, can_turn)
    if action < 0:
        return -1
    place: Any = np.int64(state.waste_length)
    if mind.target_card >= 0:
        action = np.int64(mind.target_action)
        for index in range(state.talon_length):
            if state.talon[index] == mind.target_card:
                place = np.int64(index) + 1
        mind.target_card = -1
    action = np.int64(action)
    return card_move(state, action, place)


@compiled
def decide(
    states: Any,
    minds: Mind,
    may_repeat: bool,
    legal: npt.NDArray[np.int8],
    mask: npt.NDArray[np.int8],
    actions: npt.NDArray[np.int8],
    turns: npt.NDArray[np.int8],
) -> int:
    """Return the action of row 0 that needs no decision, or -1 and write the card moves to choose from.

    Args:
        states: Record array of a view, read.
        minds: Record array, changed.
        may_repeat: As for ``write_card_moves``.
        legal: int8 array (86,), written: the legal actions.
        mask: int8 array (157,), written.
        actions: int8 array (157,), written.
        turns: int8 array (157,), written.
    """
    mind = minds[0]
    if write_legal_mask(states[0], legal) == 0:
        return TURN_STOCK
    if mind.gave_up:
        return idle_action(legal)
    action = action_without_thought(states[0], mind, legal)
    if action >= 0:
        return action
    if write_card_moves(states[0], mind, legal[TURN_STOCK] != 0, may_repeat, mask, actions, turns) == 0:
        mind.gave_up = 1
        return idle_action(legal)
    return -1


@compiled
def begin_move(states: Any, minds: Mind, move: int, actions: npt.NDArray[np.int8], turns: npt.NDArray[np.int8]) -> int:
    """Return the first action of a card move of row 0; ``decide`` then gives its other ones.

    Args:
        states: Record array of a view, read.
        minds: Record array, changed.
        move: A card move that is offered.
        actions: int8 array (157,) of ``decide``.
        turns: int8 array (157,) of ``decide``.
    """
    action: Any = np.int64(actions[move])
    if turns[move] == 0:
        return action
    mind = minds[0]
    mind.target_card = move if move < ONTO_CARD else (move - ONTO_CARD) // 2
    mind.target_action = action
    mind.target_seen = states[0].seen
    return TURN_STOCK


@compiled
def forget(minds: Mind) -> None:
    """Clear the memory of row 0 before a new game."""
    clear_memory(minds[0])
