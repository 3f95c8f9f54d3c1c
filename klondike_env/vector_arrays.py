"""The arrays that a vector env returns, and the layout of its info."""

from __future__ import annotations

from typing import Any, cast

import gymnasium as gym
import numpy as np
import numpy.typing as npt
from gymnasium.vector.utils import batch_space

from klondike_env.actions import ACTION_COUNT
from klondike_env.observation import OBSERVATION_SHAPE, OBSERVATION_SIZE
from klondike_env.stepping import ILLEGAL, WON

Flags = npt.NDArray[np.bool_]
Info = dict[str, Any]


class StepArrays:
    """What a step writes, one entry a row.

    Attributes:
        planes: int8 array (rows, 37 * 52), the observations.
        masks: int8 array (rows, 86).
        scores: int64 array (rows,).
        rewards: float64 array (rows,).
        terminations: bool array (rows,).
        truncations: bool array (rows,).
    """

    __slots__ = ("masks", "planes", "rewards", "scores", "terminations", "truncations")

    def __init__(self, rows: int) -> None:
        self.planes = np.empty((rows, OBSERVATION_SIZE), np.int8)
        self.masks = np.empty((rows, ACTION_COUNT), np.int8)
        self.scores = np.empty(rows, np.int64)
        self.rewards = np.empty(rows, np.float64)
        self.terminations = np.empty(rows, np.bool_)
        self.truncations = np.empty(rows, np.bool_)

    @property
    def observations(self) -> npt.NDArray[np.int8]:
        """The observations in their own shape (rows, 37, 4, 13), as a view of ``planes``."""
        # Not kept beside planes: a copy or pickle would turn the two into arrays of their own.
        return self.planes.reshape(-1, *OBSERVATION_SHAPE)


def state_info(masks: npt.NDArray[np.int8], scores: npt.NDArray[np.int64], numbers: npt.NDArray[np.int64]) -> Info:
    """Return the keys that every row has after reset and step, without their masks."""
    return {"action_mask": masks, "score": scores, "game_number": numbers}


def partial_state_info(
    masks: npt.NDArray[np.int8], scores: npt.NDArray[np.int64], numbers: npt.NDArray[np.int64], rows: Flags
) -> Info:
    """Return new arrays of the keys that every row has, 0 where ``rows`` is False, with their masks."""
    info = state_info(np.where(rows[:, None], masks, np.int8(0)), np.where(rows, scores, 0), np.where(rows, numbers, 0))
    info.update({f"_{key}": rows.copy() for key in info})
    return info


def add_step_keys(info: Info, statuses: npt.NDArray[np.int8], terminations: Flags, rows: Flags | None = None) -> None:
    """Add ``illegal_action`` and ``won``, each if a row has it.

    Args:
        info: Info so far, added to.
        statuses: int8 array (rows,), the status bits of ``step_episode``.
        terminations: bool array (rows,), the games that were won or lost in this step.
        rows: The rows that count; None for all.
    """
    illegal = (statuses & ILLEGAL) != 0
    ended = terminations
    if rows is not None:
        illegal, ended = illegal & rows, ended & rows
    if illegal.any():
        info["illegal_action"], info["_illegal_action"] = illegal, illegal.copy()
    if ended.any():
        info["won"], info["_won"] = ((statuses & WON) != 0) & ended, ended.copy()


def final_observations(observations: npt.NDArray[np.int8], rows: npt.NDArray[np.int64]) -> npt.NDArray[np.object_]:
    """Return copies of some rows' observations in an object array (rows,), None elsewhere."""
    finals = np.full(len(observations), None, object)
    for row in rows.tolist():
        finals[row] = observations[row].copy()
    return finals


def batch_box(box: gym.spaces.Box, rows: int) -> gym.spaces.Box:
    """Return the space of a batch, equal to ``gymnasium.vector.utils.batch_space`` but small.

    Gymnasium's holds four arrays of the batch's shape, more than the env itself. These are views of one row.
    """
    batch = cast(gym.spaces.Box, batch_space(box, 1))
    batch._shape = (rows, *box.shape)
    for name in ("low", "high", "bounded_below", "bounded_above"):
        setattr(batch, name, np.broadcast_to(getattr(box, name), batch._shape))
    return batch
