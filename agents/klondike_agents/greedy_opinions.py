"""What the greedy player thinks of each card move on offer, as features of a network; compiled.

Two planes over the card moves: what a move adds to the value of the position at once, and what the best line of known
moves that begins with it adds.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from klondike_agents import greedy_weights as weight
from klondike_agents.card_moves import MOVE_COUNT, TURN_MOVE, card_move
from klondike_agents.greedy_kernel import MAX_DEPTH, Mind, best_outlook, move_cost, value_of_turning, weight_row
from klondike_agents.greedy_moves import list_moves, play_in_thought
from klondike_agents.greedy_value import position_value
from klondike_env.compiled import compiled
from klondike_env.engine.state import State

OPINION_COUNT: Final = 2 * MOVE_COUNT
OPINION_STEP: Final = 0.125
"""Opinions are written in such steps of the greedy player's value."""
_MOST_STEPS: Final = 127


@compiled
def write_opinions(
    state: State,
    mind: Mind,
    weight_table: npt.NDArray[np.float32],
    depth: int,
    mask: npt.NDArray[np.int8],
    opinions: npt.NDArray[np.int8],
) -> None:
    """Write what the greedy player thinks of each move on offer, in comparison to the position as it is.

    Args:
        state: Record, read as far as its cards are known.
        mind: Record, whose room for thought is used.
        weight_table: float32 array of ``greedy_weights``.
        depth: How many moves the second plane looks ahead, 1 to ``MAX_DEPTH``; 0 writes 0 everywhere.
        mask: int8 array (157,), the card moves on offer.
        opinions: int8 array (314,), written, in steps of ``OPINION_STEP``; 0 where a move is not on offer.
    """
    opinions[:] = 0
    if depth == 0:
        return
    known: Any = np.int64(state.seen)
    weights = weight_table[weight_row(state)]
    now = position_value(state, known, weights)
    if mask[TURN_MOVE]:
        opinion = _in_steps(value_of_turning(state, mind, weights) - now)
        opinions[TURN_MOVE] = opinion
        opinions[MOVE_COUNT + TURN_MOVE] = opinion
    after = mind.states[0]
    moves = mind.moves[MAX_DEPTH]
    for any_part in (False, True):
        count = 0
        for number in range(list_moves(state, known, any_part, mind.takes, moves)):
            move = moves[number]
            action: Any = np.int64(move.action)
            place: Any = np.int64(move.place)
            index = card_move(state, action, place)
            if not mask[index]:
                continue
            count += 1
            mind.states[0] = state
            cost = move_cost(move, weights)
            if play_in_thought(after, move):
                cost += weights[weight.TURNED_UP_FIRST]
            opinions[index] = _in_steps(position_value(after, known, weights) + cost - now)
            outlook = best_outlook(mind, known, weights, depth - 1, any_part)
            opinions[MOVE_COUNT + index] = _in_steps(outlook + cost - now)
        if count > 0:
            break


@compiled
def _in_steps(value: float) -> int:
    """Return a value in steps, as far as they fit int8."""
    return max(-_MOST_STEPS, min(_MOST_STEPS, round(value / OPINION_STEP)))
