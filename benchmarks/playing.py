"""Compiled helpers of the benchmarks: random legal actions, and steps without observations."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from klondike_env.actions import ACTION_COUNT
from klondike_env.cards import CARD_COUNT
from klondike_env.compiled import compiled
from klondike_env.deals import shuffle_cards
from klondike_env.engine.moves import write_legal_mask
from klondike_env.engine.state import deal_cards
from klondike_env.stepping import ENDED, SCORE_REWARD, legal_action_of_rank, step_episode

_7, _13, _17, _32 = (np.uint64(shift) for shift in (7, 13, 17, 32))


@compiled
def draw_actions(masks: npt.NDArray[np.int8], actions: npt.NDArray[np.int64], random: npt.NDArray[np.uint64]) -> None:
    """Draw a legal action for each row.

    Args:
        masks: int8 array (rows, 86).
        actions: int64 array (rows,), written.
        random: uint64 array (1,), the state of an xorshift generator; changed.
    """
    state = random[0]
    for row in range(masks.shape[0]):
        count = 0
        for action in range(ACTION_COUNT):
            count += masks[row, action]
        state ^= state << _13
        state ^= state >> _7
        state ^= state << _17
        rank = ((state >> _32) * np.uint64(count)) >> _32
        actions[row] = legal_action_of_rank(masks[row], np.int64(rank))
    random[0] = state


@compiled
def step_without_observation(
    states: Any,
    legal: npt.NDArray[np.int8],
    elapsed: npt.NDArray[np.int32],
    actions: npt.NDArray[np.int64],
    step_limit: int,
    numbers: npt.NDArray[np.int64],
) -> int:
    """Step all rows, keep their masks up to date, deal a new game where one ended, and return how many ended.

    Args:
        states: One record a row, changed.
        legal: int8 array (rows, 86), rewritten.
        elapsed: int32 array (rows,), changed.
        actions: int64 array (rows,).
        step_limit: Steps after which a game is truncated.
        numbers: int64 array (1,), the next game number; counted up.
    """
    cards = np.empty(CARD_COUNT, np.int8)
    ended = 0
    for row in range(states.shape[0]):
        _, status = step_episode(states[row], legal[row], actions[row], SCORE_REWARD)
        elapsed[row] += 1
        if status & ENDED or elapsed[row] >= step_limit:
            ended += 1
            shuffle_cards(numbers[0], cards)
            deal_cards(states[row], cards, numbers[0])
            write_legal_mask(states[row], legal[row])
            elapsed[row] = 0
            numbers[0] += 1
    return ended
