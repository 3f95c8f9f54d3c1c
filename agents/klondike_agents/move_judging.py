"""What the card moves on offer are worth in sampled games, for many games at once; compiled.

The same judgement as the search agent's, from the same knowledge: the cards that a player does not know are dealt anew.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from klondike_agents.card_moves import MOVE_COUNT
from klondike_agents.greedy_kernel import Mind
from klondike_agents.search_kernel import ROLLOUT, STATE_ROWS, deal_sample, judge_move
from klondike_env.compiled import JIT_DISABLED, compiled
from klondike_env.engine.single import hide_unknown
from klondike_env.splitmix import mix

VIEW: Final = STATE_ROWS
"""Row of what the player knows, in an array of states."""
JUDGING_ROWS: Final = STATE_ROWS + 1


@compiled
def judge_moves(
    states: Any,
    minds: Mind,
    judged: npt.NDArray[np.int8],
    move_actions: npt.NDArray[np.int8],
    move_turns: npt.NDArray[np.int8],
    samples: int,
    seed: Any,
    settings: npt.NDArray[np.float64],
    weight_table: npt.NDArray[np.float32],
    room: Any,
    sampled_minds: Mind,
    sampled_states: Any,
    worths: npt.NDArray[np.float32],
) -> None:
    """Write what moves are worth in games that agree with what the player of each row knows.

    All moves of a row are judged in the same samples, so that their differences are more exact than they are.

    Args:
        states: One record a row, read.
        minds: One record a row, read: the memory of the game.
        judged: int8 array (rows, 157): the moves to judge, all on offer; rows with fewer than two are passed over.
        move_actions: int8 array (rows, 157) of ``write_card_moves``.
        move_turns: int8 array (rows, 157) of ``write_card_moves``.
        samples: Samples a row.
        seed: uint64; rows and samples follow from it.
        settings: float64 array of ``search_kernel.sample_settings``.
        weight_table: float32 array of ``greedy_weights``.
        room: A ``SearchRoom``.
        sampled_minds: Record array of ``MIND_ROWS``, overwritten.
        sampled_states: Record array of ``JUDGING_ROWS``, overwritten.
        worths: float32 array (rows, 157), written: the mean of ``judge_move`` over the samples; 0 where a move was not
            judged.
    """
    view = sampled_states[VIEW : VIEW + 1]
    for row in range(judged.shape[0]):
        worths[row, :] = 0.0
        count = 0
        for move in range(MOVE_COUNT):
            count += judged[row, move]
        if count < 2:
            continue
        hide_unknown(states[row : row + 1], view)
        row_seed = mix(seed + np.uint64(row))
        for sample in range(samples):
            deal_sample(view, row_seed, sample, sampled_states)
            for move in range(MOVE_COUNT):
                if not judged[row, move]:
                    continue
                action, turns = move_actions[row, move], move_turns[row, move]
                sampled_minds[ROLLOUT] = minds[row]
                mind = sampled_minds[ROLLOUT]
                worth = judge_move(action, turns, sampled_states, mind, room, weight_table, settings)
                worths[row, move] += worth / samples


if JIT_DISABLED:
    # Compiled code lets unsigned numbers wrap round, as is meant; numpy warns of it.
    judge_moves = np.errstate(over="ignore")(judge_moves)
