"""One step of an episode, compiled: play, reward, end, mask and observation.

The single env and the vector env both call ``step_episode``, so what a step means is written once.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from klondike_env.actions import ACTION_COUNT, TURN_STOCK
from klondike_env.arguments import check_choice
from klondike_env.compiled import compiled
from klondike_env.engine.moves import is_lost, is_won, play, write_legal_mask
from klondike_env.engine.state import START_SCORE, State
from klondike_env.observation import OBSERVATION_SIZE, write_observation

REWARDS: Final = ("score", "table", "win")
"""What a step pays: the change in score with a card's foundation points once a game; the table to the letter; a win."""
SCORE_REWARD: Final = REWARDS.index("score")
TABLE_REWARD: Final = REWARDS.index("table")
WIN_REWARD: Final = REWARDS.index("win")

ILLEGAL: Final = 1
"""Status bit of a step: the action was not legal and changed nothing."""
WON: Final = 2
"""Status bit: the game is won."""
LOST: Final = 4
"""Status bit: the game is lost."""
ENDED: Final = WON | LOST


def reward_index(reward: Any) -> int:
    """Return the index of a kind of reward in ``REWARDS``.

    Raises:
        OptionError: There is no such kind.
    """
    return REWARDS.index(check_choice("reward", reward, REWARDS))


@compiled
def step_episode(state: State, legal: npt.NDArray[np.int8], action: int, reward: int) -> tuple[float, int]:
    """Play one action of an episode that has not ended.

    Args:
        state: Record, changed if the action is legal.
        legal: int8 array of shape (86,), the state's legal actions; rewritten.
        action: Action index, 0-85.
        reward: Index in ``REWARDS``.

    Returns:
        The reward, and the status as bits ``ILLEGAL``, ``WON``, ``LOST``. The vegas stake is part of the reward of the
        first move, or of the step that ends the game if no move was made.
    """
    score_before = state.score
    started = state.started
    status = 0
    unpaid = 0
    if legal[action]:
        unpaid = play(state, action)
    else:
        status = ILLEGAL
    other_moves = write_legal_mask(state, legal)
    if is_won(state):
        status |= WON
    elif is_lost(state, other_moves):
        status |= LOST

    if reward == WIN_REWARD:
        return (1.0 if status & WON else 0.0), status
    points = state.score - score_before
    if reward == SCORE_REWARD:
        points -= unpaid
    if not started and (state.started or status & ENDED):
        points += START_SCORE[state.vegas]
        state.started = 1
    return float(points), status


@compiled
def step_game(
    states: Any,
    undo_row: int,
    legal: npt.NDArray[np.int8],
    action: int,
    reward: int,
    information: int,
    squared: bool,
    observation: npt.NDArray[np.int8],
    mask: npt.NDArray[np.int8],
) -> tuple[float, int, int]:
    """Step the game in row 0 of ``states``, keep the state before in ``undo_row``, and write what the agent sees.

    Args:
        states: Record array of a ``Game``.
        undo_row: Row for the state before; written only if the action is legal.
        legal: int8 array (86,), the legal actions of row 0; rewritten.
        action: Action index, 0-85.
        reward: Index in ``REWARDS``.
        information: Index in ``INFORMATION``.
        squared: Whether columns are squared up.
        observation: int8 array of shape (37, 4, 13), written.
        mask: int8 array (86,), written: the legal actions, or all ones in an ended game.

    Returns:
        Reward and status of ``step_episode``, and the score.
    """
    if legal[action]:
        states[undo_row] = states[0]
    paid, status = step_episode(states[0], legal, action, reward)
    write_observation(states[0], information, squared, observation.reshape(OBSERVATION_SIZE))
    write_episode_mask(legal, status, mask)
    return paid, status, int(states[0].score)


@compiled
def write_episode_mask(legal: npt.NDArray[np.int8], status: int, mask: npt.NDArray[np.int8]) -> None:
    """Write the mask of an episode: the legal actions, or all ones once the game has ended.

    All ones, since a mask of zeros makes masked distributions and targets NaN in training libraries.
    """
    if status & ENDED:
        mask[:] = 1
    else:
        mask[:] = legal


@compiled
def legal_action_of_rank(mask: npt.NDArray[np.int8], rank: int) -> int:
    """Return the legal action with ``rank`` legal ones before it, for drawing one uniformly; 0 if there is none."""
    for action in range(ACTION_COUNT):
        if mask[action]:
            if rank == 0:
                return action
            rank -= 1
    return TURN_STOCK
