"""The search: depth first over positions without runs, turns and redeals, on an explicit stack.

What a position is here. The face-up cards of the columns are one set, without the runs in which they lie. A card that
covers a face-down card, or is the last of the original cards of its column, is that column's *base*; every other one
is *placed*, on a card one rank higher of the other colour or, a king, on the ground. The two cards of a rank and colour
are a pair. A placed card lies on either card of the pair above, and where there are fewer placed cards than parents,
one parent is uncovered, or the run on it can go to the other parent in one move. So counts alone decide what can be
done, and a move of part of a run changes nothing that counts: it is left out, and filled in when the solution is
written. Both directions are a test: each move here can be played, and each action leads to a position reached here.
(lonelybot, github.com/vuonghy2442/lonelybot, searches such states; moving part of a run only for a foundation move is
in Blake and Gent, JAIR 85:21, arXiv 1906.12314.) The stock is a set, too, as in most fast solvers: a move plays a talon
card that turning and redealing can reach, turns are filled in.

Prunings, each with the reason why no win is lost:

* Safe foundation moves are forced and not taken back (``bits.safe_cards``): whatever a win would lay on such a card
  later can go up instead and is safe in turn, so the win goes through without ever missing the card. From the talon
  only where every talon card can always be played: elsewhere removing a card changes which others can be.
* With take-backs, a card that can go up is not moved to a column: it may go up, and come down from there.
* Delayed moves. Laying down the last card of a column only makes an empty column, and laying down a talon card that
  never runs away (draw 1, unlimited passes) only makes a place for another card or uncovers its twin. In any win such
  a move can be put off until right before the first move that needs what it makes, and left out if there is none. So
  nothing but such a move follows it, and the position between is not kept in the table.
* A position met before with at least as much of the talon in reach is not searched again (``table``).

None of them makes the shortest win, counted in moves of this graph, longer, so they are exact together and with the
table: a kept position with the shortest win of all that were given up would have a successor with a shorter one. They
are compared with two searches that have none of them (``solve_without_pruning``, ``plain``).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from klondike_env.compiled import compiled
from klondike_env.solver.bits import (
    ACES,
    ALL_UP,
    FOUR,
    KINGS,
    ONE,
    THREE,
    ZERO,
    as_int,
    bit_count,
    lowest_bit,
    other_colour,
    placeable,
    twins,
    uncoverable,
)
from klondike_env.solver.frames import (
    ACES_FIRST,
    ACES_MUST,
    AFTER_REDEAL,
    BACK,
    BASES,
    BOTTOMS,
    DEPTH,
    DRAW,
    EMPTY,
    EXHAUSTED,
    FACE_UP,
    KEY_FORM,
    LOW_KEY,
    LOW_KEY_BITS,
    MOVE,
    NEXT_UP,
    NODES,
    OFFSET,
    OFFSET_MASK,
    PASSES_SHIFT,
    PRUNE,
    REACHABLE,
    REDEALS,
    RUNNING,
    SHIFT,
    STACK_FULL,
    STORED,
    TABLE_FULL,
    TALON,
    TALON_ACES,
    TALON_DOWN,
    TALON_UP,
    TRIED,
    TRY_BACK,
    TRY_SHIFT,
    TRY_TALON_DOWN,
    TRY_TALON_UP,
    TRY_UP,
    TURNED_SHIFT,
    UNLIMITED,
    UP,
    WON,
)
from klondike_env.solver.moves import list_moves, reachable
from klondike_env.solver.table import NEW, SEEN, exact_offset_key, note_timed, note_unlimited


@compiled
def _nearest(frame: Any, cards: Any, draw: int, talon_place: Any) -> Any:
    """Return the one of some talon cards that needs the fewest turns, as a mask; short solutions come of it."""
    if cards & (cards - ONE) == ZERO:
        return cards
    talon = frame[TALON]
    turned = as_int(frame[OFFSET] >> TURNED_SHIFT)
    best = ZERO
    best_distance = 1000
    while cards != ZERO:
        bit = cards & (~cards + ONE)
        cards ^= bit
        place = np.uint64(talon_place[as_int(lowest_bit(bit))])
        position = as_int(bit_count(talon & ((ONE << place) - ONE))) + 1
        distance = position - turned
        if distance < 0 or (distance % draw != 0 and position % draw == 0):
            distance = position + 24 * draw
        if distance < best_distance:
            best_distance = distance
            best = bit
    return best


@compiled
def search(
    frames: Any, counters: Any, table: Any, slice_moves: int, rules: Any, columns: Any, column_of: Any, key_shift: Any,
    key_mask: Any, talon_cards: Any, talon_place: Any,
) -> int:  # fmt: skip
    """Search on from where the stack stands.

    Args:
        frames: The stack, uint64 array (frames, 16); frame 0 is the root.
        counters: int64 array: depth, positions visited, positions in the table, moves tried.
        table: The table of positions met.
        slice_moves: Stop after so many moves.
        rules: int64 array of rules.
        columns: int64 array (7, 8), cards of each column, from the bottom, up to its base at the root.
        column_of: Column of each card of ``columns``, -1 for others.
        key_shift: Where in the key each column's count stands.
        key_mask: Mask of each column's count.
        talon_cards: Card at each talon place.
        talon_place: Talon place of each card, -1 for others.

    Returns:
        ``RUNNING`` when the slice is over, ``WON``, ``EXHAUSTED``, ``TABLE_FULL`` or ``STACK_FULL``.
    """
    depth = counters[DEPTH]
    draw = rules[DRAW]
    unlimited = rules[UNLIMITED] != 0
    prune = rules[PRUNE] != 0
    lone_talon = prune and draw == 1 and unlimited
    one_word = rules[KEY_FORM] == 1
    bottoms = np.uint64(rules[BOTTOMS])
    stored = counters[STORED]
    room = table.shape[0] // rules[KEY_FORM] * 3 // 4
    tried = counters[TRIED]
    last = tried + slice_moves
    nodes = counters[NODES]
    result = RUNNING
    while tried < last:
        frame = frames[depth]
        if frame[TRY_UP] != ZERO:
            kind = UP
            choice = frame[TRY_UP] & frame[BASES]
            if choice == ZERO:
                choice = frame[TRY_UP]
        elif frame[TRY_SHIFT] != ZERO:
            kind = SHIFT
            choice = frame[TRY_SHIFT] & ~bottoms
            if choice == ZERO:
                choice = frame[TRY_SHIFT]
        elif frame[TRY_TALON_UP] != ZERO:
            kind = TALON_UP
            choice = _nearest(frame, frame[TRY_TALON_UP], draw, talon_place)
        elif frame[TRY_TALON_DOWN] != ZERO:
            kind = TALON_DOWN
            choice = _nearest(frame, frame[TRY_TALON_DOWN], draw, talon_place)
        elif frame[TRY_BACK] != ZERO:
            kind = BACK
            choice = frame[TRY_BACK]
        else:
            depth -= 1
            if depth < 0:
                result = EXHAUSTED
                break
            continue
        card_bit = lowest_bit(choice)
        card = as_int(card_bit)
        bit = ONE << card_bit
        frame[TRY_UP + kind] &= ~bit
        tried += 1

        # The key needs only part of the new position; the rest waits until the table says that it is new.
        bases = frame[BASES]
        low_key = frame[LOW_KEY]
        talon = frame[TALON]
        offset = as_int(frame[OFFSET] & OFFSET_MASK)
        passes_used = as_int((frame[OFFSET] >> PASSES_SHIFT) & OFFSET_MASK)
        turned = as_int(frame[OFFSET] >> TURNED_SHIFT)
        suit_shift = (card_bit & THREE) * FOUR
        if kind in (UP, TALON_UP):
            low_key += ONE << suit_shift
        elif kind == BACK:
            low_key -= ONE << suit_shift
        column = -1
        count = 0
        needed = ZERO
        needed_up = ZERO
        if kind <= SHIFT:
            if (bases & bit) != ZERO:
                column = column_of[card]
                shift = np.uint64(key_shift[column])
                low_key -= ONE << shift
                count = as_int((low_key >> shift) & np.uint64(key_mask[column]))
                if count == 1 and columns[column, 0] >= 48:
                    # A king turned up at the bottom of a column is as good as placed in an empty one.
                    low_key -= ONE << shift
                if prune and kind == SHIFT and (bottoms & bit) != ZERO:
                    needed = KINGS
        elif kind != BACK:
            place = np.uint64(talon_place[card])
            position = as_int(bit_count(talon & ((ONE << place) - ONE))) + 1
            talon &= ~(ONE << place)
            if not unlimited and (frame[AFTER_REDEAL] & bit) != ZERO:
                passes_used += 1
            offset = position - 1
            turned = offset
            if lone_talon and kind == TALON_DOWN:
                face_up = frame[FACE_UP]
                placed = face_up & ~bases
                free = placeable(face_up, placed, frame[EMPTY])
                needed = (other_colour(bit) | twins(other_colour(bit))) >> FOUR & ~free
                may_go_up = frame[NEXT_UP]
                if rules[ACES_FIRST] and (may_go_up & ACES) != ZERO:
                    may_go_up &= ACES
                needed_up = twins(bit) & face_up & may_go_up & ~uncoverable(face_up, placed)
        delayed = (needed | needed_up) != ZERO
        talon_count = as_int(bit_count(talon))
        exact = rules[ACES_MUST] != 0 and (talon & np.uint64(rules[TALON_ACES])) != ZERO
        if unlimited and (lone_talon or (not exact and (offset % draw == 0 or offset == talon_count))):
            offset = 0
        if not delayed:
            key = low_key | (talon << LOW_KEY_BITS)
            if one_word:
                met = note_unlimited(table, key, offset, draw)
            elif exact and not lone_talon:
                met = note_timed(table, exact_offset_key(key, offset), 0, passes_used, False, 1, False)
            else:
                met = note_timed(table, key, offset, passes_used, offset == talon_count, draw, unlimited)
            if met == SEEN:
                continue
            if met == NEW:
                stored += 1
        nodes += 1

        new = frames[depth + 1]
        face_up = frame[FACE_UP]
        next_up = frame[NEXT_UP]
        empty = frame[EMPTY]
        reach_now = frame[REACHABLE]
        reach_later = frame[AFTER_REDEAL]
        if kind != SHIFT and kind != TALON_DOWN:
            next_up ^= bit | (bit << FOUR)
        if kind == UP:
            face_up &= ~bit
        else:
            if kind != TALON_UP:
                face_up |= bit
                if (bit & KINGS) != ZERO:
                    empty -= ONE
        if column >= 0:
            bases &= ~bit
            if count == 0:
                empty += ONE
            else:
                uncovered = ONE << np.uint64(columns[column, count - 1])
                face_up |= uncovered
                if count > 1 or (uncovered & KINGS) == ZERO:
                    bases |= uncovered
        elif kind == UP and (bit & KINGS) != ZERO:
            empty += ONE
        if kind in (TALON_UP, TALON_DOWN):
            if lone_talon:
                reach_now &= ~bit
            else:
                redeal = unlimited or passes_used < rules[REDEALS]
                reach_now, reach_later = reachable(talon, offset, redeal, rules, talon_cards)
        new[FACE_UP] = face_up
        new[BASES] = bases
        new[NEXT_UP] = next_up
        new[LOW_KEY] = low_key
        new[TALON] = talon
        new[OFFSET] = np.uint64(offset) | (np.uint64(passes_used) << PASSES_SHIFT) | (np.uint64(turned) << TURNED_SHIFT)
        new[REACHABLE] = reach_now
        new[AFTER_REDEAL] = reach_later
        new[EMPTY] = empty
        new[MOVE] = np.uint64(kind * 64 + card)
        depth += 1
        if next_up == ALL_UP:
            result = WON
            break
        list_moves(frames, depth, rules, needed, needed_up)
        if stored >= room:
            result = TABLE_FULL
            break
        if depth + 2 >= frames.shape[0]:
            result = STACK_FULL
            break
    counters[DEPTH] = depth
    counters[NODES] = nodes
    counters[STORED] = stored
    counters[TRIED] = tried
    return result
