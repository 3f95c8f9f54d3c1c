"""One step of many games in one compiled call; the rules of a step are those of ``klondike_env.stepping``."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from klondike_env.actions import ACTION_COUNT
from klondike_env.compiled import compiled
from klondike_env.deals import shuffle_cards
from klondike_env.engine.moves import write_legal_mask
from klondike_env.engine.state import deal_cards
from klondike_env.observation import update_observation, write_observation
from klondike_env.stepping import ENDED, ILLEGAL, step_episode

RUNNING: Final = 0
"""Phase of a row: a game is being played."""
FRESH: Final = 1
"""Phase: a game was dealt, and the next step only shows it."""
TERMINATED: Final = 2
"""Phase: the game was won or lost; the row waits for another."""
TRUNCATED: Final = 3
"""Phase: the step limit was reached in a game that could have gone on; the row waits for another."""

MOVED: Final = 8
"""Status bit of a row, beside those of a step: a legal action was played."""

BLOCK_ROWS: Final = 32
"""So many rows are played, then observed. Playing is full of branches that are mispredicted, and observing of writes
that miss the cache; taken in turn row by row, each would wait for the other."""

States = Any
"""Record array of ``STATE_DTYPE``, one record a row."""


@compiled
def find_bad_action(
    actions: npt.NDArray[np.int64], phases: npt.NDArray[np.int8], legal: npt.NDArray[np.int8], must_be_legal: bool
) -> int:
    """Return the first running row whose action is outside 0-85, or not legal if it must be, else -1.

    Args:
        actions: int64 array (rows,).
        phases: int8 array (rows,).
        legal: int8 array (rows, 86), the legal actions.
        must_be_legal: Whether actions that are not legal are looked for too.
    """
    for row in range(actions.shape[0]):
        if phases[row] == RUNNING:
            action = actions[row]
            if action < 0 or action >= ACTION_COUNT or (must_be_legal and not legal[row, action]):
                return row
    return -1


@compiled
def deal_rows(
    states: States,
    legal: npt.NDArray[np.int8],
    elapsed: npt.NDArray[np.int32],
    rows: npt.NDArray[np.int64],
    numbers: npt.NDArray[np.int64],
    decks: npt.NDArray[np.int8],
) -> None:
    """Start a game in some rows, whose rules are set.

    Args:
        states: One record a row; those of ``rows`` are written.
        legal: int8 array (rows, 86); those of ``rows`` are written.
        elapsed: int32 array (rows,), steps since the deal; set to 0.
        rows: int64 array (k,), the rows.
        numbers: int64 array (k,), their game numbers, -1 for a deck.
        decks: int8 array (k, 52), cards in deal order where there is no number; the others are written.
    """
    for i in range(rows.shape[0]):
        row = rows[i]
        if numbers[i] >= 0:
            shuffle_cards(numbers[i], decks[i])
        deal_cards(states[row], decks[i], numbers[i])
        write_legal_mask(states[row], legal[row])
        elapsed[row] = 0


@compiled
def observe_rows(
    states: States,
    legal: npt.NDArray[np.int8],
    phases: npt.NDArray[np.int8],
    rows: npt.NDArray[np.int64],
    information: int,
    squared: bool,
    observations: npt.NDArray[np.int8],
    masks: npt.NDArray[np.int8],
    scores: npt.NDArray[np.int64],
) -> None:
    """Write observation, mask and score of some rows.

    Args:
        states: One record a row, read.
        legal: int8 array (rows, 86), read.
        phases: int8 array (rows,), read.
        rows: int64 array (k,), the rows.
        information: Index in ``INFORMATION``.
        squared: Whether columns are squared up.
        observations: int8 array (rows, 37 * 52), written.
        masks: int8 array (rows, 86), written.
        scores: int64 array (rows,), written.
    """
    for i in range(rows.shape[0]):
        row = rows[i]
        write_observation(states[row], information, squared, observations[row])
        _write_mask(legal[row], phases[row], masks[row])
        scores[row] = states[row].score


@compiled
def _write_mask(legal: npt.NDArray[np.int8], phase: int, mask: npt.NDArray[np.int8]) -> None:
    """Write the mask of one row: its legal actions, or all ones once the game has ended."""
    for action in range(ACTION_COUNT):
        mask[action] = 1 if phase == TERMINATED else legal[action]


@compiled
def step_rows(
    first: int,
    stop: int,
    states: States,
    legal: npt.NDArray[np.int8],
    phases: npt.NDArray[np.int8],
    elapsed: npt.NDArray[np.int32],
    actions: npt.NDArray[np.int64],
    reward: int,
    step_limit: int,
    information: int,
    squared: bool,
    update: bool,
    observations: npt.NDArray[np.int8],
    masks: npt.NDArray[np.int8],
    scores: npt.NDArray[np.int64],
    rewards: npt.NDArray[np.float64],
    terminations: npt.NDArray[np.bool_],
    truncations: npt.NDArray[np.bool_],
    statuses: npt.NDArray[np.int8],
) -> tuple[int, int]:
    """Step the rows from ``first`` to before ``stop``; rows without a running game are only shown.

    Args:
        first: First row.
        stop: Row after the last.
        states: One record a row, changed.
        legal: int8 array (rows, 86), the legal actions; rewritten.
        phases: int8 array (rows,), changed.
        elapsed: int32 array (rows,), steps since the deal, changed.
        actions: int64 array (rows,), checked.
        reward: Index in ``REWARDS``.
        step_limit: Steps after which a game is truncated.
        information: Index in ``INFORMATION``.
        squared: Whether columns are squared up.
        update: Whether ``observations`` holds the observations of the states before, so that only what an action
            changes needs to be written.
        observations: int8 array (rows, 37 * 52), written.
        masks: int8 array (rows, 86), written.
        scores: int64 array (rows,), written.
        rewards: float64 array (rows,), written.
        terminations: bool array (rows,), written: the game was won or lost in this step.
        truncations: bool array (rows,), written: the step limit was reached in this step.
        statuses: int8 array (rows,), written: the status bits of ``step_episode``.

    Returns:
        How many rows took an illegal action, and how many ended.
    """
    illegal = 0
    over = 0
    for start in range(first, stop, BLOCK_ROWS):
        end = min(start + BLOCK_ROWS, stop)
        for row in range(start, end):
            phase = phases[row]
            status = 0
            truncated = False
            rewards[row] = 0.0
            if phase == RUNNING:
                rewards[row], status = step_episode(states[row], legal[row], actions[row], reward)
                elapsed[row] += 1
                truncated = elapsed[row] >= step_limit
                if status & ENDED:
                    phase = TERMINATED
                elif truncated:
                    phase = TRUNCATED
                phases[row] = phase
                if phase != RUNNING:
                    over += 1
                if status & ILLEGAL:
                    illegal += 1
                else:
                    status |= MOVED
            terminations[row] = (status & ENDED) != 0
            truncations[row] = truncated
            statuses[row] = status
            scores[row] = states[row].score
            _write_mask(legal[row], phase, masks[row])
        for row in range(start, end):
            if phases[row] == FRESH:
                phases[row] = RUNNING
                write_observation(states[row], information, squared, observations[row])
            elif not update:
                write_observation(states[row], information, squared, observations[row])
            elif statuses[row] & MOVED:
                update_observation(states[row], actions[row], information, squared, observations[row])
    return illegal, over
