"""How the greedy player decides, compiled: the best outcome of a few known moves ahead."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from klondike_agents import greedy_weights as weight
from klondike_agents.greedy_moves import MAX_MOVES, MOVE_DTYPE, is_safe, list_moves, play_in_thought
from klondike_agents.greedy_value import Weights, position_value
from klondike_env.actions import (
    ACTION_COUNT,
    COLUMN_TO_COLUMN,
    COLUMN_TO_FOUNDATION,
    TAKE_BACK,
    TURN_STOCK,
    WASTE_TO_COLUMN,
    WASTE_TO_FOUNDATION,
)
from klondike_env.compiled import compiled
from klondike_env.engine.moves import pass_is_left, write_legal_mask
from klondike_env.engine.state import ACES_MUST, STATE_DTYPE, UNLIMITED, State
from klondike_env.layout import COLUMN_COUNT

MAX_DEPTH: Final = 5
"""The most moves that the player can think ahead."""
_SLOTS: Final = 1024
_MOST_MET: Final = 900

MIND_DTYPE: Final = np.dtype(
    [
        # Memory of the game in play, all of it from what was seen:
        ("target_card", np.int64),  # the talon card that is being turned to; -1: none
        ("target_action", np.int64),  # what it is wanted for
        ("target_seen", np.int64),  # the talon cards seen when it was chosen, as a set
        ("met_count", np.int64),
        ("met", np.int64, (_SLOTS,)),  # hash table of the positions decided in; 0: free
        ("gave_up", np.int64),  # 1 once every move led to a position met before
        # Room for thought:
        ("states", STATE_DTYPE, (MAX_DEPTH + 1,)),  # positions along the line of moves being thought of
        ("moves", MOVE_DTYPE, (MAX_DEPTH + 1, MAX_MOVES)),
        ("counts", np.int64, (MAX_DEPTH + 1,)),
        ("cursors", np.int64, (MAX_DEPTH + 1,)),
        ("costs", np.float32, (MAX_DEPTH + 1,)),
        ("takes", np.int64, (COLUMN_COUNT,)),
        ("mask", np.int8, (ACTION_COUNT,)),
    ],
    align=True,
)
Mind = Any
"""One record of ``MIND_DTYPE``."""

_ONE = np.int64(1)


@compiled
def clear_memory(mind: Mind) -> None:
    """Forget the game before."""
    mind.target_card = -1
    mind.target_action = -1
    mind.met_count = 0
    mind.met[:] = 0
    mind.gave_up = 0


@compiled
def choose_action(state: State, mind: Mind, weight_table: npt.NDArray[np.float32], depth: int) -> int:
    """Return a legal action.

    Args:
        state: Record of a game in play; only cards that the player knows have influence.
        mind: Record, changed.
        weight_table: float32 array, one row a kind of game (``greedy_weights``).
        depth: How many moves to think ahead, 1 to ``MAX_DEPTH``.
    """
    mask = mind.mask
    if write_legal_mask(state, mask) == 0:
        return TURN_STOCK
    if mind.gave_up:
        return idle_action(mask)
    action = action_without_thought(state, mind, mask)
    if action >= 0:
        return action
    weights = weight_table[weight_row(state)]
    note_met(mind, position_hash(state))
    action = best_action(state, mind, weights, depth, mask[TURN_STOCK] != 0)
    if action >= 0:
        return action
    mind.gave_up = 1
    return idle_action(mask)


@compiled
def weight_row(state: State) -> int:
    """Return the row of the weight table for this kind of game."""
    if state.passes == UNLIMITED:
        return weight.UNLIMITED_DRAW_1 if state.draw == 1 else weight.UNLIMITED_DRAW_3
    return weight.LIMITED_DRAW_1 if state.draw == 1 else weight.LIMITED_DRAW_3


@compiled
def action_without_thought(state: State, mind: Mind, mask: Any) -> int:
    """Return an action that needs no thought, or -1.

    Turns towards a card that was chosen, cards that are safe on their foundation, and under unlimited passes the first
    look through the stock.
    """
    if mind.target_card >= 0:
        on_top = state.waste_length > 0 and state.talon[state.waste_length - 1] == mind.target_card
        if not on_top and mask[TURN_STOCK] and state.seen == mind.target_seen:
            return TURN_STOCK
        mind.target_card = -1
        if on_top and mask[mind.target_action]:
            return mind.target_action
    if mask[WASTE_TO_FOUNDATION]:
        # With unlimited passes at draw 3 taking a card from the waste changes which others can be reached.
        plain = state.draw == 1 or state.passes != UNLIMITED
        if (plain and is_safe(state, state.talon[state.waste_length - 1])) or _must_found(state, mask):
            return WASTE_TO_FOUNDATION
    for column in range(COLUMN_COUNT):
        if mask[COLUMN_TO_FOUNDATION + column] and (
            is_safe(state, state.columns[column, state.lengths[column] - 1]) or _must_found(state, mask)
        ):
            return COLUMN_TO_FOUNDATION + column
    if state.passes == UNLIMITED and state.pass_number == 1 and mask[TURN_STOCK] and unknown_ahead(state):
        # The first pass is for looking: it costs no points and nothing is out of reach later.
        return TURN_STOCK
    return -1


@compiled
def _must_found(state: State, mask: Any) -> bool:
    """Return whether aces must go up now, so that the mask holds nothing else."""
    return state.aces == ACES_MUST and not mask[TURN_STOCK] and not mask[WASTE_TO_COLUMN:COLUMN_TO_FOUNDATION].any()


@compiled
def unknown_ahead(state: State) -> bool:
    """Return whether turning and redealing would show a card that the player does not know."""
    length = np.int64(state.talon_length)
    place = np.int64(state.waste_length)
    for _ in range(2 if pass_is_left(state) else 1):
        while place < length:
            place = min(place + state.draw, length)
            card = np.int64(state.talon[place - 1])
            if card < 0 or not (state.seen >> card) & _ONE:
                return True
        place = np.int64(0)
    return False


@compiled
def best_action(state: State, mind: Mind, weights: Weights, depth: int, can_turn: bool) -> int:
    """Return the action that begins the best line of moves, or -1 if every move leads to a position met before."""
    known: Any = np.int64(state.seen)
    after = mind.states[0]
    best: Any = np.float32(-np.inf)
    best_action: Any = -1
    best_target: Any = -1
    if can_turn and (state.passes != UNLIMITED or unknown_ahead(state)):
        best = value_of_turning(state, mind, weights)
        best_action = TURN_STOCK
    # Dollars are paid each time that a card goes up, so that under vegas a take-back must be good for something else.
    least_after_take_back = position_value(state, known, weights) if state.vegas else np.float32(-np.inf)
    moves = mind.moves[MAX_DEPTH]
    for any_part in (False, True):
        for number in range(list_moves(state, known, any_part, mind.takes, moves)):
            move = moves[number]
            mind.states[0] = state
            cost = move_cost(move, weights)
            if play_in_thought(after, move):
                cost += weights[weight.TURNED_UP_FIRST]
            elif is_met(mind, position_hash(after)):
                continue
            value = best_outlook(mind, known, weights, depth - 1, any_part) + cost
            if TAKE_BACK <= move.action < COLUMN_TO_COLUMN and value <= least_after_take_back:
                continue
            if value > best:
                best = value
                best_action = np.int64(move.action)
                best_target = np.int64(state.talon[move.place - 1]) if move.turns > 0 else -1
        if best_action >= 0:
            break
    if best_target < 0:
        return best_action
    mind.target_card = best_target
    mind.target_action = best_action
    mind.target_seen = state.seen
    return TURN_STOCK


@compiled
def value_of_turning(state: State, mind: Mind, weights: Weights) -> float:
    """Return the value of turning the stock without a known card in mind, or of redealing, costs taken off."""
    after = mind.states[0]
    mind.states[0] = state
    if state.waste_length < state.talon_length:
        after.waste_length = min(state.waste_length + state.draw, state.talon_length)
    else:
        after.waste_length = 0
        after.pass_number += 1
    known: Any = np.int64(state.seen)
    return position_value(after, known, weights) + weights[weight.TURN_UNKNOWN]


@compiled
def best_outlook(mind: Mind, known: int, weights: Weights, depth: int, any_part: bool) -> float:
    """Return the best value, costs taken off, of the position in ``states[0]`` and of all up to ``depth`` moves on."""
    best = position_value(mind.states[0], known, weights)
    if depth == 0:
        return best
    level: Any = np.int64(0)
    mind.costs[0] = 0.0
    mind.cursors[0] = 0
    mind.counts[0] = list_moves(mind.states[0], known, any_part, mind.takes, mind.moves[0])
    while level >= 0:
        if mind.cursors[level] == mind.counts[level]:
            level -= 1
            continue
        move = mind.moves[level, mind.cursors[level]]
        mind.cursors[level] += 1
        if level > 0 and _was_open_before(mind, level, move):
            continue
        cost = mind.costs[level] + move_cost(move, weights)
        mind.states[level + 1] = mind.states[level]
        after = mind.states[level + 1]
        if not play_in_thought(after, move) and is_met(mind, position_hash(after)):
            continue
        best = max(best, position_value(after, known, weights) + cost)
        if level + 1 < depth:
            level += 1
            mind.costs[level] = cost
            mind.cursors[level] = 0
            mind.counts[level] = list_moves(after, known, any_part, mind.takes, mind.moves[level])
    return best


@compiled
def _was_open_before(mind: Mind, level: int, move: Any) -> bool:
    """Return whether a move was possible before the last move of the line and has been thought of there.

    Then the two have been tried in the other order, nearly always to the same end.
    """
    before = mind.moves[level - 1]
    for number in range(mind.cursors[level - 1] - 1):
        if before[number].action == move.action and before[number].place == move.place:
            return True
    return False


@compiled
def move_cost(move: Any, weights: Weights) -> float:
    """Return what a move costs beside what it does to the position; costs are negative."""
    cost = weights[weight.MOVE] + weights[weight.TURN] * move.turns + weights[weight.REDEAL] * move.redeals
    if WASTE_TO_COLUMN <= move.action < COLUMN_TO_FOUNDATION:
        cost += weights[weight.WASTE_TO_COLUMN]
    return cost


@compiled
def idle_action(mask: Any) -> int:
    """Return a legal action for a player who sees no way on, one that collects no points if there is a choice."""
    if mask[TURN_STOCK]:
        return TURN_STOCK
    # Column moves come after take-backs in the order of actions, foundations before them.
    for action in range(ACTION_COUNT - 1, TURN_STOCK, -1):
        if mask[action]:
            return action
    return TURN_STOCK


@compiled
def _mix(number: Any) -> Any:
    """Return a well mixed hash of an int64."""
    number = (number ^ (number >> np.int64(29))) * np.int64(-4658895280553007687)
    number = (number ^ (number >> np.int64(32))) * np.int64(-7723592293110705685)
    return number ^ (number >> np.int64(31))


@compiled
def position_hash(state: State) -> int:
    """Return a hash of what matters of a position: not the order of columns, nor the waste where it can be redealt."""
    total: Any = np.int64(0)
    for column in range(COLUMN_COUNT):
        total += _mix(state.runs[column] * np.int64(8) + np.int64(state.face_down[column]) + _ONE)
    rest: Any = np.int64(state.talon_length)
    for suit in range(4):
        rest = rest * np.int64(16) + np.int64(state.foundations[suit])
    if state.passes != UNLIMITED:
        rest = rest * np.int64(32) + np.int64(state.waste_length)
        rest = rest * np.int64(64) + np.int64(state.pass_number)
    return total + _mix(rest)


@compiled
def is_met(mind: Mind, position: int) -> bool:
    """Return whether the player has decided in a position, given by its hash, before."""
    slot = position & np.int64(_SLOTS - 1)
    while mind.met[slot] != 0:
        if mind.met[slot] == position:
            return True
        slot = (slot + _ONE) & np.int64(_SLOTS - 1)
    return False


@compiled
def note_met(mind: Mind, position: int) -> None:
    """Remember a position, given by its hash, as decided in."""
    if mind.met_count >= _MOST_MET or is_met(mind, position):
        return
    slot = position & np.int64(_SLOTS - 1)
    while mind.met[slot] != 0:
        slot = (slot + _ONE) & np.int64(_SLOTS - 1)
    mind.met[slot] = position
    mind.met_count += 1
