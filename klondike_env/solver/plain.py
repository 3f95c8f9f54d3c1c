"""A plain solver to check the fast one with: the engine's own moves, whole columns, no pruning at all.

Every legal action of the env is tried in every position, turns and redeals included, and a position is left out only
when the same cards lay in the same order before (columns may be exchanged). It shares nothing with the fast search
but the engine's rules, and it is slow: use it with a node limit, on small games or late positions.
"""

from __future__ import annotations

import time
from typing import Any, Final

import numpy as np

from klondike_env.actions import ACTION_COUNT, COLUMN_TO_COLUMN, COLUMN_TO_FOUNDATION, TAKE_BACK, WASTE_TO_COLUMN
from klondike_env.cards import CARD_COUNT
from klondike_env.compiled import compiled
from klondike_env.engine.moves import is_won, play, write_legal_mask
from klondike_env.engine.state import UNLIMITED, new_states
from klondike_env.game import Game
from klondike_env.layout import COLUMN_COUNT
from klondike_env.solver.bits import as_int
from klondike_env.solver.solving import UNKNOWN, UNWINNABLE, WINNABLE, Solution

_ORDER: Final = np.array(
    [
        1,
        *range(COLUMN_TO_FOUNDATION, TAKE_BACK),
        *range(COLUMN_TO_COLUMN, ACTION_COUNT),
        *range(WASTE_TO_COLUMN, COLUMN_TO_FOUNDATION),
        0,
        *range(TAKE_BACK, COLUMN_TO_COLUMN),
    ],
    np.int64,
)
"""Actions in the order in which they are tried."""

_GROUND: Final = CARD_COUNT
"""Stands for what lies under the first card of a column."""
_PAIRS: Final = (CARD_COUNT + 1) * (CARD_COUNT + 1)
_TALON_WORDS: Final = 64 * CARD_COUNT
_WORDS: Final = np.random.default_rng(20240229).integers(1, 2**63, (2, _PAIRS + _TALON_WORDS), np.uint64)
"""Random words: two for each (card, card under it), and for each talon card with its place."""
_SLICE: Final = 50_000
_RUNNING, _WON, _EXHAUSTED, _TABLE_FULL, _STACK_FULL = range(5)


@compiled
def _hash_position(state: Any, words: Any) -> tuple[Any, Any]:
    """Return 128 bits that tell positions apart, whatever the order of the columns."""
    first = np.uint64(0)
    second = np.uint64(0)
    for column in range(COLUMN_COUNT):
        under = _GROUND
        for place in range(state.lengths[column]):
            card = as_int(state.columns[column, place])
            # Face-down cards never change their place, so it is enough to know what lies face up on what.
            if place >= state.face_down[column]:
                index = card * (CARD_COUNT + 1) + under
                first ^= words[0, index]
                second ^= words[1, index]
            under = card
    turned = state.waste_length
    for place in range(state.talon_length):
        index = _PAIRS + CARD_COUNT * (place + 32 * (1 if place < turned else 0)) + as_int(state.talon[place])
        first ^= words[0, index]
        second ^= words[1, index]
    if state.passes != UNLIMITED:
        second ^= np.uint64(state.pass_number) * np.uint64(0x9E3779B97F4)
    if first == np.uint64(0):
        first = np.uint64(1)
    return first, second


@compiled
def _note(table: Any, first: Any, second: Any) -> bool:
    """Put a position into the table; return whether it is new."""
    capacity = table.shape[0]
    slot = as_int(first % np.uint64(capacity))
    while table[slot, 0] != np.uint64(0):
        if table[slot, 0] == first and table[slot, 1] == second:
            return False
        slot += 1
        if slot == capacity:
            slot = 0
    table[slot, 0] = first
    table[slot, 1] = second
    return True


@compiled
def _note_all(old: Any, table: Any) -> None:
    """Copy a table into a larger one."""
    for slot in range(old.shape[0]):
        if old[slot, 0] != np.uint64(0):
            _note(table, old[slot, 0], old[slot, 1])


@compiled
def _search(
    states: Any, masks: Any, cursors: Any, table: Any, counters: Any, budget: int, order: Any, words: Any
) -> int:
    """Search depth first; ``counters`` is depth and positions met, ``cursors`` the next action to try and the last."""
    depth = counters[0]
    for _ in range(budget):
        cursor = cursors[depth, 0]
        while cursor < order.shape[0] and not masks[depth, order[cursor]]:
            cursor += 1
        if cursor == order.shape[0]:
            depth -= 1
            if depth < 0:
                counters[0] = depth
                return _EXHAUSTED
            continue
        action = order[cursor]
        cursors[depth, 0] = cursor + 1
        states[depth + 1] = states[depth]
        play(states[depth + 1], action)
        first, second = _hash_position(states[depth + 1], words)
        if not _note(table, first, second):
            continue
        counters[1] += 1
        cursors[depth, 1] = action
        depth += 1
        cursors[depth, 0] = 0
        counters[0] = depth
        if is_won(states[depth]):
            return _WON
        write_legal_mask(states[depth], masks[depth])
        if 4 * counters[1] >= 3 * table.shape[0]:
            return _TABLE_FULL
        if depth + 2 >= states.shape[0]:
            return _STACK_FULL
    counters[0] = depth
    return _RUNNING


def solve_plainly(game: Game, node_limit: int = 1_000_000) -> Solution:
    """Tell whether a game can be won from its present position, the slow and simple way.

    Args:
        game: A game at any point.
        node_limit: Give up after so many positions.
    """
    start = time.perf_counter()
    if game.is_won:
        return Solution(WINNABLE, (), 0, 0.0)
    states = new_states(4096)
    states[0] = game._states[0]
    masks = np.zeros((len(states), ACTION_COUNT), np.int8)
    cursors = np.zeros((len(states), 2), np.int64)
    masks[0] = game.action_mask()
    table = np.zeros((1 << 14, 2), np.uint64)
    counters = np.zeros(2, np.int64)
    result = _RUNNING
    while counters[1] < node_limit:
        result = _search(states, masks, cursors, table, counters, _SLICE, _ORDER, _WORDS)
        if result in (_WON, _EXHAUSTED):
            break
        if result == _TABLE_FULL:
            larger = np.zeros((len(table) * 4, 2), np.uint64)
            _note_all(table, larger)
            table = larger
        elif result == _STACK_FULL:
            longer = new_states(2 * len(states))
            longer[: len(states)] = states
            states = longer
            masks = np.concatenate([masks, np.zeros_like(masks)])
            cursors = np.concatenate([cursors, np.zeros_like(cursors)])
    verdict = {_WON: WINNABLE, _EXHAUSTED: UNWINNABLE}.get(result, UNKNOWN)
    actions = tuple(cursors[: counters[0], 1].tolist()) if verdict == WINNABLE else ()
    return Solution(verdict, actions, int(counters[1]), time.perf_counter() - start)
