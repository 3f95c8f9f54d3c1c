"""The solver for compiled callers: a verdict on an engine record within a fixed budget, in microseconds.

``solve`` takes any position, grows its tables as it needs and writes solutions. Agents that judge thousands of sampled
positions a second need none of that: here the record is packed in compiled code, the table is small and reused, and the
search ends after a fixed number of moves.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from klondike_env.cards import CARD_COUNT, KING, RANK_COUNT, SUIT_COUNT
from klondike_env.compiled import compiled
from klondike_env.engine.state import ACES_FIRST as RULE_ACES_FIRST
from klondike_env.engine.state import ACES_MUST as RULE_ACES_MUST
from klondike_env.engine.state import UNLIMITED as UNLIMITED_PASSES
from klondike_env.layout import COLUMN_COUNT, STOCK_COUNT
from klondike_env.solver import frames
from klondike_env.solver.bits import FOUR, ONE, ZERO
from klondike_env.solver.frames import (
    ACES_FIRST,
    ACES_MUST,
    AFTER_REDEAL,
    BASES,
    BOTTOMS,
    DRAW,
    EMPTY,
    EXHAUSTED,
    FACE_UP,
    KEY_FORM,
    LOW_KEY,
    NEXT_UP,
    OFFSET,
    PRUNE,
    REACHABLE,
    REDEALS,
    RUNNING,
    TAKE_BACK,
    TALON,
    TALON_ACES,
    UNLIMITED,
    WON,
)
from klondike_env.solver.moves import list_moves, reachable
from klondike_env.solver.position import to_bit
from klondike_env.solver.search import search

_STACK_ROOM: Final = 400
_SHORTEST_TABLE: Final = 256
_HEIGHT_BITS: Final = 16
_TURNED_TWICE: Final = 1 + (1 << 10)
"""The talon offset stands twice in a frame: as far as it matters, and as really turned."""

_BIT_OF_CARD: Final = np.array([to_bit(card) for card in range(CARD_COUNT)], np.int64)
_PLACE_OF_SUIT: Final = np.array([to_bit(RANK_COUNT * suit) for suit in range(SUIT_COUNT)], np.int64)


class SearchRoom(NamedTuple):
    """The arrays that a quick solve works in; see ``search.search``. Each thread needs its own."""

    frames: npt.NDArray[np.uint64]
    counters: npt.NDArray[np.int64]
    table: npt.NDArray[np.uint64]
    rules: npt.NDArray[np.int64]
    columns: npt.NDArray[np.int64]
    column_of: npt.NDArray[np.int64]
    key_shift: npt.NDArray[np.int64]
    key_mask: npt.NDArray[np.int64]
    talon_cards: npt.NDArray[np.int64]
    talon_place: npt.NDArray[np.int64]


def new_search_room(move_limit: int) -> SearchRoom:
    """Return room for quick solves of up to ``move_limit`` moves."""
    slots = _SHORTEST_TABLE
    while slots < 2 * move_limit:
        slots *= 2
    return SearchRoom(
        np.zeros((_STACK_ROOM, frames.FRAME_WORDS), np.uint64),
        np.zeros(frames.COUNTER_COUNT, np.int64),
        np.zeros(2 * slots, np.uint64),  # Two words a position at most.
        np.zeros(frames.RULE_COUNT, np.int64),
        np.zeros((COLUMN_COUNT, 8), np.int64),
        np.zeros(CARD_COUNT, np.int64),
        np.zeros(COLUMN_COUNT, np.int64),
        np.zeros(COLUMN_COUNT, np.int64),
        np.zeros(STOCK_COUNT + 1, np.int64),
        np.zeros(CARD_COUNT, np.int64),
    )


@compiled
def quick_solve(state: Any, move_limit: int, room: Any) -> int:
    """Tell whether a position can be won, all cards known, if that shows within some moves.

    Args:
        state: Record of ``STATE_DTYPE`` with all its cards.
        move_limit: Moves to try.
        room: A ``SearchRoom``.

    Returns:
        ``frames.WON``, ``frames.EXHAUSTED`` (it cannot be won) or ``frames.RUNNING`` (not known).
    """
    if not pack_record(state, room):
        return WON
    room.counters[:] = 0
    room.table[:] = ZERO
    list_moves(room.frames, 0, room.rules, ZERO, ZERO)
    result = search(
        room.frames,
        room.counters,
        room.table,
        move_limit,
        room.rules,
        room.columns,
        room.column_of,
        room.key_shift,
        room.key_mask,
        room.talon_cards,
        room.talon_place,
    )
    return result if result in (WON, EXHAUSTED) else RUNNING


@compiled
def pack_record(state: Any, room: Any) -> bool:
    """Write a record to ``room`` as the root of a search, as ``position.pack_position`` does for a position.

    Returns:
        False if the game is won already, so that there is nothing to search.
    """
    talon_length: Any = np.int64(state.talon_length)
    waste_length: Any = np.int64(state.waste_length)
    talon_aces: Any = np.int64(0)
    all_talon: Any = ZERO
    room.talon_place[:] = -1
    room.talon_cards[:] = 0
    for place in range(talon_length):
        bit = _BIT_OF_CARD[state.talon[place]]
        room.talon_cards[place] = bit
        room.talon_place[bit] = place
        all_talon |= ONE << np.uint64(bit)
        if bit < SUIT_COUNT:
            talon_aces |= np.int64(1) << place

    root = room.frames[0]
    root[:] = ZERO
    _pack_columns(state, root, room)
    founded: Any = np.int64(0)
    for suit in range(SUIT_COUNT):
        height = np.uint64(state.foundations[suit])
        place_of_suit = np.uint64(_PLACE_OF_SUIT[suit])
        founded += np.int64(height)
        root[LOW_KEY] |= height << (FOUR * place_of_suit)
        root[NEXT_UP] |= ONE << (FOUR * height + place_of_suit)
    if founded == CARD_COUNT:
        return False

    rules = room.rules
    passes_left: Any = np.int64(0)
    if state.passes != UNLIMITED_PASSES:
        passes_left = np.int64(state.passes) - np.int64(state.pass_number)
    must = state.aces == RULE_ACES_MUST
    # A pass in which no talon card is played is wasted, and no card ever comes back to the talon.
    unlimited = state.passes == UNLIMITED_PASSES or passes_left >= talon_length
    lone_talon = unlimited and state.draw == 1
    one_word = unlimited and not (must and talon_aces != 0 and not lone_talon)
    rules[DRAW] = state.draw
    rules[UNLIMITED] = 1 if unlimited else 0
    rules[REDEALS] = passes_left
    rules[TAKE_BACK] = 1 if state.take_back else 0
    rules[ACES_MUST] = 1 if must else 0
    rules[ACES_FIRST] = 1 if state.aces == RULE_ACES_FIRST else 0
    rules[PRUNE] = 1
    rules[TALON_ACES] = talon_aces
    rules[KEY_FORM] = 1 if one_word else 2
    root[TALON] = (ONE << np.uint64(talon_length)) - ONE
    root[OFFSET] = np.uint64(waste_length * _TURNED_TWICE)
    if lone_talon:
        root[REACHABLE] = all_talon
    else:
        now, later = reachable(root[TALON], waste_length, unlimited or passes_left > 0, rules, room.talon_cards)
        root[REACHABLE] = now
        root[AFTER_REDEAL] = later
    return True


@compiled
def _pack_columns(state: Any, root: Any, room: Any) -> None:
    """Write the columns of a record to the root frame and to the arrays of ``room``."""
    shift: Any = np.int64(_HEIGHT_BITS)
    bottoms: Any = ZERO
    room.column_of[:] = -1
    room.columns[:] = 0
    for column in range(COLUMN_COUNT):
        length = np.int64(state.lengths[column])
        face_down = np.int64(state.face_down[column])
        count: Any = np.int64(0) if length == 0 else face_down + 1
        for place in range(count):
            bit = _BIT_OF_CARD[state.columns[column, place]]
            room.columns[column, place] = bit
            room.column_of[bit] = column
        for place in range(face_down, length):
            root[FACE_UP] |= ONE << np.uint64(_BIT_OF_CARD[state.columns[column, place]])
        bottom_is_king = length > 0 and state.columns[column, 0] % RANK_COUNT == KING
        if length > 0 and not bottom_is_king:
            bottoms |= ONE << np.uint64(room.columns[column, 0])
        if length == 0:
            root[EMPTY] += ONE
        elif face_down == 0 and bottom_is_king:
            count = np.int64(0)
        else:
            root[BASES] |= ONE << np.uint64(room.columns[column, face_down])
        bits: Any = np.int64(0)
        while (count >> bits) > 0:
            bits += 1
        room.key_shift[column] = shift
        room.key_mask[column] = (1 << bits) - 1
        root[LOW_KEY] |= np.uint64(count) << np.uint64(shift)
        shift += bits
    room.rules[BOTTOMS] = np.int64(bottoms)
