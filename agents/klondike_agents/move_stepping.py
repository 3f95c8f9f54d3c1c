"""Rows of games stepped from one decision between card moves to the next, compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from klondike_agents.card_features import write_features
from klondike_agents.card_moves import (
    MOVE_COUNT,
    TURN_MOVE,
    card_move,
    greedy_card_move,
    write_card_moves,
)
from klondike_agents.greedy_kernel import Mind, action_without_thought, clear_memory, idle_action
from klondike_env.actions import ACTION_COUNT, TURN_STOCK
from klondike_env.cards import CARD_COUNT
from klondike_env.compiled import compiled
from klondike_env.engine.moves import play, write_legal_mask
from klondike_env.engine.state import State
from klondike_env.layout import COLUMN_COUNT, FACE_DOWN_COUNT
from klondike_env.stepping import ENDED, step_episode


@compiled
def turn_to_moves(
    states: Any,
    legal: npt.NDArray[np.int8],
    elapsed: npt.NDArray[np.int32],
    minds: Mind,
    moves: npt.NDArray[np.int64],
    masks: npt.NDArray[np.int8],
    move_actions: npt.NDArray[np.int8],
    move_turns: npt.NDArray[np.int8],
    step_limit: int,
    reward: int,
    actions: npt.NDArray[np.int64],
    paid: npt.NDArray[np.float64],
) -> None:
    """Turn the stock of each row as its move asks, and write the action that is left to play.

    Turning stops before a turn that shows a new card or reaches the step limit; that turn is then what is left.

    Args:
        states: One record a row, changed.
        legal: int8 array (rows, 86), the legal actions; rewritten.
        elapsed: int32 array (rows,), steps since the deal, changed.
        minds: One record a row, room for thought.
        moves: int64 array (rows,), the card moves.
        masks: int8 array (rows, 157) of ``write_card_moves``; a move that is not offered becomes an illegal action.
        move_actions: int8 array (rows, 157) of ``write_card_moves``.
        move_turns: int8 array (rows, 157) of ``write_card_moves``.
        step_limit: Steps after which a game is truncated.
        reward: Index in ``REWARDS``.
        actions: int64 array (rows,), written.
        paid: float64 array (rows,), added to: what turning paid.
    """
    for row in range(moves.shape[0]):
        move = moves[row]
        if not masks[row, move]:
            actions[row] = _illegal_action(legal[row])
            continue
        actions[row] = move_actions[row, move]
        for _ in range(move_turns[row, move]):
            scratch = minds[row].states[0]
            minds[row].states[0] = states[row]
            play(scratch, TURN_STOCK)
            if elapsed[row] + 1 >= step_limit or scratch.seen != states[row].seen:
                actions[row] = TURN_STOCK
                break
            points, _ = step_episode(states[row], legal[row], TURN_STOCK, reward)
            paid[row] += points
            elapsed[row] += 1


@compiled
def _illegal_action(legal: npt.NDArray[np.int8]) -> int:
    """Return an action that is not legal; never are all."""
    action = ACTION_COUNT - 1
    while legal[action]:
        action -= 1
    return action


@compiled
def settle_rows(
    states: Any,
    legal: npt.NDArray[np.int8],
    elapsed: npt.NDArray[np.int32],
    minds: Mind,
    is_new: npt.NDArray[np.bool_],
    may_repeat: bool,
    opinion_depth: int,
    weight_table: npt.NDArray[np.float32],
    step_limit: int,
    reward: int,
    paid: npt.NDArray[np.float64],
    masks: npt.NDArray[np.int8],
    move_actions: npt.NDArray[np.int8],
    move_turns: npt.NDArray[np.int8],
    features: npt.NDArray[np.int8],
    potentials: npt.NDArray[np.float64],
) -> None:
    """Play what needs no decision in each row, and write what is to be decided.

    An action that would end the game, or reach the step limit, is not played here: it becomes the row's only move. A
    row without a move is set just before its step limit, since nothing more can happen in it.

    Args:
        states: One record a row, changed.
        legal: int8 array (rows, 86), the legal actions; rewritten.
        elapsed: int32 array (rows,), steps since the deal, changed.
        minds: One record a row, changed.
        is_new: bool array (rows,): a game has just been dealt.
        may_repeat: As for ``write_card_moves``.
        opinion_depth: As for ``write_features``.
        weight_table: float32 array of ``greedy_weights``.
        step_limit: Steps after which a game is truncated.
        reward: Index in ``REWARDS``.
        paid: float64 array (rows,), added to: what forced actions paid.
        masks: int8 array (rows, 157), written.
        move_actions: int8 array (rows, 157), written.
        move_turns: int8 array (rows, 157), written.
        features: int8 array (rows, ``FEATURE_COUNT``), written.
        potentials: float64 array (rows, 2), written: share of cards turned up, share of cards founded.
    """
    for row in range(masks.shape[0]):
        if is_new[row]:
            clear_memory(minds[row])
        minds[row].target_card = -1
        pending = -1
        while True:
            action = action_without_thought(states[row], minds[row], legal[row])
            if action < 0:
                break
            if elapsed[row] + 1 >= step_limit:
                pending = action
                break
            minds[row].states[1] = states[row]
            points, status = step_episode(states[row], legal[row], action, reward)
            if status & ENDED:
                states[row] = minds[row].states[1]
                write_legal_mask(states[row], legal[row])
                pending = action
                break
            paid[row] += points
            elapsed[row] += 1
        if pending < 0:
            can_turn = legal[row, TURN_STOCK] != 0
            count = write_card_moves(
                states[row], minds[row], can_turn, may_repeat, masks[row], move_actions[row], move_turns[row]
            )
            if count == 0:
                pending = idle_action(legal[row])
                elapsed[row] = step_limit - 1
        if pending >= 0:
            masks[row, :] = 0
            masks[row, TURN_MOVE] = 1
            move_actions[row, TURN_MOVE] = pending
            move_turns[row, TURN_MOVE] = 0
        # A forced action needs no opinion.
        depth = opinion_depth if pending < 0 else 0
        write_features(states[row], minds[row], weight_table, depth, masks[row], features[row])
        _write_potential(states[row], potentials[row])


@compiled
def _write_potential(state: State, potential: npt.NDArray[np.float64]) -> None:
    """Write which share of the face-down cards has been turned up, and of all cards is on the foundations."""
    face_down = 0
    for column in range(COLUMN_COUNT):
        face_down += state.face_down[column]
    founded = 0
    for suit in range(4):
        founded += state.foundations[suit]
    potential[0] = (FACE_DOWN_COUNT - face_down) / FACE_DOWN_COUNT
    potential[1] = founded / CARD_COUNT


@compiled
def greedy_labels(
    states: Any,
    legal: npt.NDArray[np.int8],
    minds: Mind,
    masks: npt.NDArray[np.int8],
    weight_table: npt.NDArray[np.float32],
    depth: int,
    labels: npt.NDArray[np.int64],
) -> None:
    """Write the greedy player's choice in each row, or -1 where there is nothing to choose.

    Args:
        states: One record a row, read.
        legal: int8 array (rows, 86), the legal actions.
        minds: One record a row, as ``settle_rows`` leaves them.
        masks: int8 array (rows, 157), the card moves on offer.
        weight_table: float32 array of ``greedy_weights``.
        depth: How many moves it thinks ahead.
        labels: int64 array (rows,), written.
    """
    for row in range(labels.shape[0]):
        count = 0
        for move in range(MOVE_COUNT):
            count += masks[row, move]
        labels[row] = -1
        if count > 1:
            label = greedy_card_move(states[row], minds[row], weight_table, depth, legal[row, TURN_STOCK] != 0)
            if label >= 0 and masks[row, label]:
                labels[row] = label


@compiled
def label_records(
    states: Any,
    actions: npt.NDArray[np.int64],
    starts: npt.NDArray[np.bool_],
    minds: Mind,
    may_repeat: bool,
    opinion_depth: int,
    weight_table: npt.NDArray[np.float32],
    legal: npt.NDArray[np.int8],
    masks: npt.NDArray[np.int8],
    features: npt.NDArray[np.int8],
    labels: npt.NDArray[np.int64],
) -> None:
    """Write what recorded games chose, in terms of card moves.

    A turn of the stock stands for the move of the talon card that it led to, unless it showed a new card.

    Args:
        states: Record array (n,), the positions of games one after the other, read as far as their cards are known.
        actions: int64 array (n,), what was played in each.
        starts: bool array (n,): the first position of a game.
        minds: Record array of one, changed.
        may_repeat: As for ``write_card_moves``.
        opinion_depth: As for ``write_features``.
        weight_table: float32 array of ``greedy_weights``.
        legal: int8 array (86,), room to work in.
        masks: int8 array (n, 157), written where there is a label.
        features: int8 array (n, ``FEATURE_COUNT``), written where there is a label.
        labels: int64 array (n,), written: the card move, or -1 where nothing was decided.
    """
    move_actions = np.zeros(MOVE_COUNT, np.int8)
    move_turns = np.zeros(MOVE_COUNT, np.int8)
    mind = minds[0]
    is_turning = False
    for record in range(actions.shape[0]):
        labels[record] = -1
        if starts[record]:
            clear_memory(mind)
            is_turning = False
        if is_turning:
            # Part of the decision before, up to the action that it turned to.
            is_turning = actions[record] == TURN_STOCK
            continue
        if write_legal_mask(states[record], legal) == 0 or action_without_thought(states[record], mind, legal) >= 0:
            continue
        can_turn = legal[TURN_STOCK] != 0
        mask = masks[record]
        if write_card_moves(states[record], mind, can_turn, may_repeat, mask, move_actions, move_turns) == 0:
            continue
        last = record
        while (
            actions[last] == TURN_STOCK
            and last + 1 < actions.shape[0]
            and not starts[last + 1]
            and states[last + 1].seen == states[record].seen
        ):
            last += 1
        place: Any = np.int64(states[last].waste_length)
        label = card_move(states[last], actions[last], place)
        is_turning = last > record
        if masks[record, label]:
            labels[record] = label
            write_features(states[record], mind, weight_table, opinion_depth, mask, features[record])
