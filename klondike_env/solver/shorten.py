"""Making a found path shorter: moves that undo each other go, and talon cards are played in the order of the stock.

Every change is kept only if the whole path, played again by the rules of the search's graph, still wins.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from klondike_env.compiled import compiled
from klondike_env.solver.bits import (
    ACES,
    ALL_UP,
    FOUR,
    KINGS,
    ONE,
    ZERO,
    as_int,
    bit_count,
    placeable,
    uncoverable,
)
from klondike_env.solver.frames import (
    ACES_FIRST,
    ACES_MUST,
    BACK,
    BASES,
    DRAW,
    EMPTY,
    FACE_UP,
    NEXT_UP,
    OFFSET,
    SHIFT,
    TALON,
    TALON_DOWN,
    TALON_UP,
    TURNED_SHIFT,
    UNLIMITED,
    UP,
)
from klondike_env.solver.position import SearchInput

_GONE: Final = -1

# What a move reads and writes, one bit each: in the first word the number of face-up cards (from bit 0) and of placed
# cards (from bit 28) of each pair, the empty columns (56), whether all aces are up (57), and the foundations (58-61);
# in the second one whether a card has been turned up.
_PLACED: Final = 28
_EMPTY: Final = np.uint64(1 << 56)
_ACES_UP: Final = np.uint64(1 << 57)
_FOUNDATIONS: Final = 58


@compiled
def _turned_up_by(card: int, left: Any, columns: Any, column_of: Any) -> int:
    """Take a base out of its column in ``left`` (cards left of each column); return the card under it, or -1."""
    column = column_of[card]
    left[column] -= 1
    return columns[column, left[column] - 1] if left[column] > 0 else -1


@compiled
def _wins(path: Any, root: Any, rules: Any, columns: Any, column_of: Any) -> bool:
    """Return whether a path, -1 for moves that are gone, is legal and wins; the talon's order is not looked at."""
    face_up = root[FACE_UP]
    bases = root[BASES]
    next_up = root[NEXT_UP]
    empty = root[EMPTY]
    left = _cards_left(bases, columns, column_of)
    for move in path:
        if move == _GONE:
            continue
        kind = move >> 6
        card = move & 63
        bit = ONE << np.uint64(card)
        placed = face_up & ~bases
        if kind in (UP, TALON_UP):
            if (next_up & bit) == ZERO or (rules[ACES_FIRST] and card > 3 and (next_up & ACES) != ZERO):
                return False
            if kind == UP and (uncoverable(face_up, placed) & bit) == ZERO:
                return False
        else:
            if (placeable(face_up, placed, empty) & bit) == ZERO:
                return False
            if kind == BACK and ((next_up >> FOUR) & bit) == ZERO:
                return False
            if kind == SHIFT and (bases & bit) == ZERO:
                return False
        if kind != SHIFT and kind != TALON_DOWN:
            next_up ^= bit | (bit << FOUR)
        if kind == UP:
            face_up &= ~bit
        elif kind != TALON_UP:
            face_up |= bit
            if (bit & KINGS) != ZERO:
                empty -= ONE
        if kind <= SHIFT and (bases & bit) != ZERO:
            bases &= ~bit
            under = _turned_up_by(card, left, columns, column_of)
            if under < 0:
                empty += ONE
            else:
                under_bit = ONE << np.uint64(under)
                face_up |= under_bit
                if left[column_of[card]] > 1 or (under_bit & KINGS) == ZERO:
                    bases |= under_bit
        elif kind == UP and (bit & KINGS) != ZERO:
            empty += ONE
    return next_up == ALL_UP


@compiled
def _cards_left(bases: Any, columns: Any, column_of: Any) -> Any:
    """Return how many cards each column has up to its base."""
    left = np.zeros(7, np.int64)
    for card in range(52):
        if (bases >> np.uint64(card)) & ONE:
            column = column_of[card]
            for depth in range(8):
                if columns[column, depth] == card:
                    left[column] = depth + 1
    return left


@compiled
def _drop_detours(path: Any, root: Any, rules: Any, columns: Any, column_of: Any) -> None:
    """Take out of a path, in place, pairs of moves that bring a card up and back, or down and up again."""
    changed = True
    while changed:
        changed = False
        for i in range(path.shape[0]):
            first = path[i]
            kind = first >> 6
            if first == _GONE or kind == SHIFT:
                continue
            card = first & 63
            j = i + 1
            while j < path.shape[0] and (path[j] == _GONE or (path[j] & 63) != card):
                j += 1
            if j == path.shape[0]:
                continue
            second = path[j]
            goes_up = kind in (UP, TALON_UP)
            if goes_up == ((second >> 6) != BACK):
                continue
            # What does the same in one move: nothing, or the way that stops short of the foundation or the column.
            single = _GONE
            if kind == TALON_UP:
                single = TALON_DOWN * 64 + card
            elif kind == TALON_DOWN:
                single = TALON_UP * 64 + card
            path[i] = single
            path[j] = _GONE
            if _wins(path, root, rules, columns, column_of):
                changed = True
                continue
            if kind == UP:
                path[i] = SHIFT * 64 + card
                if _wins(path, root, rules, columns, column_of):
                    changed = True
                    continue
            path[i] = first
            path[j] = second


@compiled
def _pair(card: int) -> int:
    """Return which of the 26 pairs a card belongs to."""
    return card >> 1


@compiled
def _resources(path: Any, root: Any, columns: Any, column_of: Any, reads: Any, writes: Any) -> None:
    """Write what each move of a path reads and writes, two words a move."""
    left = _cards_left(root[BASES], columns, column_of)
    is_base = np.zeros(52, np.bool_)
    for card in range(52):
        is_base[card] = (root[BASES] >> np.uint64(card)) & ONE != ZERO
    for i in range(path.shape[0]):
        kind = path[i] >> 6
        card = path[i] & 63
        pair = _pair(card)
        king = card >= 48
        # Pairs alternate red, black: the one above of the other colour is 3 or 1 further, the one below 1 or 3 back.
        above = pair + (3 if pair % 2 == 0 else 1)
        below = pair - (1 if pair % 2 == 0 else 3)
        own_up = ONE << np.uint64(pair)
        own_placed = ONE << np.uint64(_PLACED + pair)
        foundation = ONE << np.uint64(_FOUNDATIONS + (card & 3))
        read = ZERO
        write = ZERO
        if kind in (UP, TALON_UP, BACK):
            read |= foundation
            write |= foundation
            if card < 4:
                write |= _ACES_UP
            else:
                read |= _ACES_UP
        if kind == UP:
            read |= own_up
            if below >= 0:
                read |= ONE << np.uint64(_PLACED + below)
            write |= own_up
        elif kind != TALON_UP:
            read |= own_placed | (_EMPTY if king else ONE << np.uint64(above))
            write |= own_placed
            if kind != SHIFT:
                write |= own_up
        if king and kind != TALON_UP:
            write |= _EMPTY
        if kind <= SHIFT:
            reads[i, 1] = ONE << np.uint64(card)
            if is_base[card]:
                is_base[card] = False
                under = _turned_up_by(card, left, columns, column_of)
                if under < 0:
                    write |= _EMPTY
                else:
                    write |= ONE << np.uint64(_pair(under))
                    writes[i, 1] = ONE << np.uint64(under)
                    is_base[under] = left[column_of[card]] > 1 or under < 48
                    if not is_base[under]:
                        write |= ONE << np.uint64(_PLACED + _pair(under))
            else:
                write |= own_placed
        reads[i, 0] = read
        writes[i, 0] = write


@compiled
def _follow_stock(path: Any, root: Any, columns: Any, column_of: Any, talon_place: Any) -> Any:
    """Return a path with moves exchanged that do not touch each other, so that fewer turns lie between them.

    For draw 1 without limit of passes, where talon cards can be played in any order.
    """
    count = path.shape[0]
    reads = np.zeros((count, 2), np.uint64)
    writes = np.zeros((count, 2), np.uint64)
    _resources(path, root, columns, column_of, reads, writes)
    waits = np.zeros(count, np.int64)
    conflicts = np.zeros((count, count), np.bool_)
    for j in range(count):
        for i in range(j):
            clash = ZERO
            for word in range(2):
                clash |= writes[i, word] & (reads[j, word] | writes[j, word]) | reads[i, word] & writes[j, word]
            if clash != ZERO:
                conflicts[i, j] = True
                waits[j] += 1
    result = np.empty_like(path)
    done = np.zeros(count, np.bool_)
    talon = root[TALON]
    turned = as_int(root[OFFSET] >> TURNED_SHIFT)
    for step in range(count):
        best = -1
        best_distance = 1000
        for i in range(count):
            if done[i] or waits[i] > 0:
                continue
            kind = path[i] >> 6
            if kind not in (TALON_UP, TALON_DOWN):
                best = i
                break
            place = np.uint64(talon_place[path[i] & 63])
            distance = as_int(bit_count(talon & ((ONE << place) - ONE))) + 1 - turned
            if distance < 0:
                distance += 100
            if distance < best_distance:
                best_distance = distance
                best = i
        done[best] = True
        result[step] = path[best]
        kind = path[best] >> 6
        if kind in (TALON_UP, TALON_DOWN):
            place = np.uint64(talon_place[path[best] & 63])
            turned = as_int(bit_count(talon & ((ONE << place) - ONE)))
            talon &= ~(ONE << place)
        for j in range(best + 1, count):
            if conflicts[best, j]:
                waits[j] -= 1
    return result


@compiled
def _shorten(path: Any, root: Any, rules: Any, columns: Any, column_of: Any, talon_place: Any) -> Any:
    """Return a shorter path, or the same."""
    if rules[ACES_MUST] != 0 or not _wins(path, root, rules, columns, column_of):
        return path
    _drop_detours(path, root, rules, columns, column_of)
    path = path[path != _GONE]
    if rules[DRAW] == 1 and rules[UNLIMITED] != 0:
        ordered = _follow_stock(path, root, columns, column_of, talon_place)
        if _wins(ordered, root, rules, columns, column_of):
            path = ordered
    return path


def shorten_path(path: npt.NDArray[np.int64], packed: SearchInput) -> npt.NDArray[np.int64]:
    """Return a winning path with fewer moves or fewer turns between them, if one is found at little cost.

    Args:
        path: int64 array of moves, 64 * kind + card; overwritten.
        packed: Where it begins.
    """
    arrays = (packed.rules, packed.columns, packed.column_of, packed.talon_place)
    shorter: npt.NDArray[np.int64] = _shorten(path, packed.root, *arrays)
    return shorter
