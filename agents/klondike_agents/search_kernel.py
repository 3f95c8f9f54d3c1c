"""What the search agent computes, compiled: the moves to choose from, and what they are worth in sampled games.

A sample deals the cards that the player does not know to the places it does not know. In it every candidate move is
played and judged in two ways:

* by a rollout: the greedy player plays on to the end, seeing what a player would see. It is honest and too low, for
  greedy is no perfect player.
* by the solver: could the game still be won from there, were all its cards known? That is too high, since no player
  knows them (hindsight), but it is not biased by the faults of a player.

The mean of both judges better than either at the same cost.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from klondike_agents.greedy_kernel import (
    MAX_DEPTH,
    action_without_thought,
    best_action,
    choose_action,
    idle_action,
    is_met,
    note_met,
    position_hash,
    unknown_ahead,
    weight_row,
)
from klondike_agents.greedy_moves import list_moves, play_in_thought
from klondike_agents.greedy_value import count_cards
from klondike_env.actions import TURN_STOCK
from klondike_env.cards import CARD_COUNT
from klondike_env.compiled import JIT_DISABLED, compiled
from klondike_env.engine.moves import is_won, play, stock_action_is_legal, write_legal_mask
from klondike_env.engine.single import fill_unknown, write_unknown_cards
from klondike_env.engine.state import UNLIMITED
from klondike_env.layout import COLUMN_COUNT
from klondike_env.solver.frames import EXHAUSTED, WON
from klondike_env.solver.quick import quick_solve
from klondike_env.splitmix import GOLDEN_GAMMA, mix

MAX_CANDIDATES: Final = 40
LONGEST_ROLLOUT: Final = 400

MEMORY: Final = 0
"""Row of the agent's memory of the game in play, in an array of minds."""
ROLLOUT: Final = 1
"""Row of the mind that plays rollouts."""
MIND_ROWS: Final = 2
SAMPLE: Final = 0
"""Row of the sampled game, in an array of states."""
PLAYED: Final = 1
"""Row of the sampled game after a candidate."""
STATE_ROWS: Final = 2

# Places in the array of settings.
DEPTH: Final = 0
"""How many moves the player of the rollouts thinks ahead."""
ROLLOUT_WEIGHT: Final = 1
SOLVER_WEIGHT: Final = 2
SOLVER_MOVES: Final = 3
"""Moves that the solver may try for one verdict."""
OPEN_VALUE: Final = 4
"""What a game counts for that the solver neither wins nor refutes within them."""
CARD_VALUE: Final = 5
"""What a card on its foundation at the end of a rollout counts for, beside the win."""
SETTING_COUNT: Final = 6

SOLVER_BUDGET: Final = 500
"""The most moves that the solver tries for one verdict."""
_SHIFT_32: Final = np.uint64(32)


def sample_settings(draw: int, vegas: bool) -> npt.NDArray[np.float64]:
    """Return how samples are judged under the rules of a game; found by trial on games of neither suite.

    Args:
        draw: Cards turned at once, 1 to 3.
        vegas: Whether dollars count, not wins.
    """
    settings = np.zeros(SETTING_COUNT)
    settings[DEPTH] = 1
    settings[SOLVER_MOVES] = SOLVER_BUDGET
    settings[OPEN_VALUE] = 0.3
    settings[ROLLOUT_WEIGHT] = 1.0
    # At draw 1 rollouts are near the truth, and hindsight far from it.
    settings[SOLVER_WEIGHT] = 0.2 if draw == 1 else 1.0
    if vegas:
        # Dollars count, and they are paid by the card.
        settings[ROLLOUT_WEIGHT] = 0.0
        settings[SOLVER_WEIGHT] = 0.0
        settings[CARD_VALUE] = 1 / CARD_COUNT
    return settings


def best_possible(settings: npt.NDArray[np.float64]) -> float:
    """Return what a sample is worth in which all goes as well as can be."""
    return float(settings[ROLLOUT_WEIGHT] + settings[SOLVER_WEIGHT] + CARD_COUNT * settings[CARD_VALUE])


@compiled
def begin_decision(view: Any, minds: Any, states: Any, weight_table: Any, depth: int, candidates: Any) -> int:
    """Find out what there is to decide.

    Args:
        view: Record array of one row: what the player knows.
        minds: Record array of ``MIND_ROWS``; the memory is changed, the other overwritten.
        states: Record array of ``STATE_ROWS``, overwritten.
        weight_table: The greedy player's weights.
        depth: How many moves the greedy player thinks ahead where it proposes the first candidate.
        candidates: Record array of ``MAX_CANDIDATES`` moves, written; the first is what the greedy player would do.

    Returns:
        An action, if there is nothing to decide; else minus the number of candidates, which is then 2 or more.
    """
    state = view[0]
    memory = minds[MEMORY]
    mask = memory.mask
    if write_legal_mask(state, mask) == 0:
        return TURN_STOCK
    if memory.gave_up:
        return idle_action(mask)
    action = action_without_thought(state, memory, mask)
    if action >= 0:
        return action
    note_met(memory, position_hash(state))
    count = _list_candidates(state, memory, states, mask, candidates)
    if count == 0:
        memory.gave_up = 1
        return idle_action(mask)
    if count == 1:
        return commit(view, minds, candidates, 0)

    # The greedy player decides with a copy of the memory, and what it wants is the first candidate.
    minds[ROLLOUT] = memory
    adviser = minds[ROLLOUT]
    weights = weight_table[weight_row(state)]
    wanted: Any = best_action(state, adviser, weights, depth, mask[TURN_STOCK] != 0)
    target: Any = np.int64(adviser.target_card)
    if target >= 0:
        wanted = np.int64(adviser.target_action)
    for number in range(count):
        if candidates[number].action == wanted and _target(state, candidates[number]) == target:
            # Swapped in place, by way of the row beyond the last candidate.
            candidates[count] = candidates[0]
            candidates[0] = candidates[number]
            candidates[number] = candidates[count]
            break
    return -count


@compiled
def _list_candidates(state: Any, memory: Any, states: Any, mask: Any, candidates: Any) -> int:
    """Write the moves that do not lead back to a position decided in before, and return how many."""
    known: Any = np.int64(state.seen)
    moves = memory.moves[MAX_DEPTH]
    count: Any = np.int64(0)
    for any_part in (False, True):
        for number in range(list_moves(state, known, any_part, memory.takes, moves)):
            states[PLAYED] = state
            after = states[PLAYED]
            if not play_in_thought(after, moves[number]) and is_met(memory, position_hash(after)):
                continue
            # One row stays free for swapping, one for the turn below.
            if count < MAX_CANDIDATES - 2:
                candidates[count] = moves[number]
                count += 1
        if count > 0:
            break
    if mask[TURN_STOCK] and (state.passes != UNLIMITED or unknown_ahead(state)):
        candidates[count].action = TURN_STOCK
        candidates[count].place = -1
        candidates[count].turns = 0
        candidates[count].redeals = 0
        count += 1
    return count


@compiled
def _target(state: Any, move: Any) -> int:
    """Return the talon card that a move turns to, or -1."""
    target: Any = np.int64(-1)
    if move.turns > 0:
        target = np.int64(state.talon[move.place - 1])
    return target


@compiled
def commit(view: Any, minds: Any, candidates: Any, number: int) -> int:
    """Decide for a candidate: return its first action, and remember the rest if it begins with turns."""
    state = view[0]
    move = candidates[number]
    action: Any = np.int64(move.action)
    if move.turns == 0:
        return action
    memory = minds[MEMORY]
    memory.target_card = _target(state, move)
    memory.target_action = action
    memory.target_seen = state.seen
    return TURN_STOCK


@compiled
def count_unknown_cards(view: Any) -> int:
    """Return how many cards the player knows no place for."""
    return write_unknown_cards(view, np.empty(CARD_COUNT, np.int8))


@compiled
def deal_sample(view: Any, seed: Any, sample: int, states: Any) -> None:
    """Write a game that agrees with what the player knows to row ``SAMPLE`` of ``states``.

    Args:
        view: Record array of one row.
        seed: Seed of the decision, uint64.
        sample: Number of the sample; the game follows from seed and number alone.
        states: Record array, written.
    """
    cards = np.empty(CARD_COUNT, np.int8)
    count = write_unknown_cards(view, cards)
    # The first output scatters the sample's number.
    state = mix((seed + np.uint64(sample)) * GOLDEN_GAMMA)
    for i in range(count - 1, 0, -1):
        state += GOLDEN_GAMMA
        j = np.int64(((mix(state) >> _SHIFT_32) * np.uint64(i + 1)) >> _SHIFT_32)
        card = cards[i]
        cards[i] = cards[j]
        cards[j] = card
    fill_unknown(view, cards, states[SAMPLE : SAMPLE + 1])


@compiled
def judge_samples(
    view: Any,
    memories: Any,
    minds: Any,
    states: Any,
    room: Any,
    weight_table: Any,
    settings: Any,
    candidates: Any,
    alive: Any,
    seed: Any,
    first: int,
    last: int,
    values: Any,
) -> None:
    """Judge candidates in some samples.

    Args:
        view: Record array of one row: what the player knows.
        memories: Record array whose first row is the agent's memory, read.
        minds: Record array of ``MIND_ROWS``, of which the rollouts' row is overwritten.
        states: Record array of ``STATE_ROWS``, overwritten.
        room: A ``SearchRoom``.
        weight_table: The greedy player's weights.
        settings: float64 array of settings.
        candidates: Record array of moves.
        alive: int64 array: the candidates to judge.
        seed: Seed of the decision, uint64.
        first: First sample.
        last: The sample after the last one.
        values: float32 array of shape (candidates, samples), written at the candidates and samples judged.
    """
    for sample in range(first, last):
        deal_sample(view, seed, sample, states)
        for number in alive:
            move = candidates[number]
            minds[ROLLOUT] = memories[MEMORY]
            values[number, sample] = judge_move(
                move.action, move.turns, states, minds[ROLLOUT], room, weight_table, settings
            )


@compiled
def judge_move(action: int, turns: int, states: Any, mind: Any, room: Any, weight_table: Any, settings: Any) -> float:
    """Return what a move is worth in the sampled game, 0 to about 1.

    Args:
        action: What is played after the turns.
        turns: How often the stock is turned before.
        states: Record array of ``STATE_ROWS``: the game in row ``SAMPLE``, read; row ``PLAYED`` is overwritten.
        mind: Record of the player of the rollout, with the memory of the game; changed.
        room: A ``SearchRoom``.
        weight_table: The greedy player's weights.
        settings: float64 array of settings.
    """
    states[PLAYED] = states[SAMPLE]
    for _ in range(turns):
        play(states[PLAYED], TURN_STOCK)
    wanted: Any = np.int64(action)
    play(states[PLAYED], wanted)
    return _judge(states[PLAYED], mind, room, weight_table, settings)


@compiled
def _judge(state: Any, mind: Any, room: Any, weight_table: Any, settings: Any) -> float:
    """Return what a sampled game is worth, 0 to about 1; it is played to its end."""
    value = 0.0
    solver_moves: Any = np.int64(settings[SOLVER_MOVES])
    depth: Any = np.int64(settings[DEPTH])
    if settings[SOLVER_WEIGHT] > 0.0:
        verdict = quick_solve(state, solver_moves, room)
        if verdict == WON:
            value += settings[SOLVER_WEIGHT]
        elif verdict != EXHAUSTED:
            value += settings[SOLVER_WEIGHT] * settings[OPEN_VALUE]
    if settings[ROLLOUT_WEIGHT] + settings[CARD_VALUE] > 0.0:
        if _rollout(state, mind, weight_table, depth):
            value += settings[ROLLOUT_WEIGHT]
            value += settings[CARD_VALUE] * CARD_COUNT
        elif settings[CARD_VALUE] > 0.0:
            # A card counts once, however often it went up.
            value += settings[CARD_VALUE] * count_cards(np.int64(state.paid))
    return value


@compiled
def _rollout(state: Any, mind: Any, weight_table: Any, depth: int) -> bool:
    """Let the greedy player play a game on, and return whether it wins."""
    for _ in range(LONGEST_ROLLOUT):
        if _is_surely_won(state):
            return True
        action = choose_action(state, mind, weight_table, depth)
        if mind.gave_up:
            return False
        play(state, action)
        if action == TURN_STOCK and mind.target_card >= 0:
            _turn_to_target(state, mind)
    return False


@compiled
def _turn_to_target(state: Any, mind: Any) -> None:
    """Turn on to the talon card that the player has chosen, as ``choose_action`` would do turn by turn."""
    while (
        state.seen == mind.target_seen
        and stock_action_is_legal(state)
        and (state.waste_length == 0 or state.talon[state.waste_length - 1] != mind.target_card)
    ):
        play(state, TURN_STOCK)


@compiled
def _is_surely_won(state: Any) -> bool:
    """Return whether a game is won, or so far on that any sensible play wins it.

    At draw 1 with unlimited passes that is so once no card lies face down: the lowest card that is not up yet is
    reached in the talon, or it is last in its column, since on a run only lower cards lie.
    """
    if state.passes != UNLIMITED or state.draw != 1:
        return is_won(state)
    face_down = 0
    for column in range(COLUMN_COUNT):
        face_down += state.face_down[column]
    return face_down == 0


if JIT_DISABLED:
    # Compiled code lets unsigned numbers wrap round, as is meant; numpy warns of it.
    deal_sample = np.errstate(over="ignore")(deal_sample)
