"""Which moves the search tries in a position."""

from __future__ import annotations

from typing import Any

import numpy as np

from klondike_env.compiled import compiled
from klondike_env.solver.bits import (
    ACES,
    FOUR,
    ONE,
    ZERO,
    as_int,
    bit_count,
    lowest_bit,
    other_colour,
    placeable,
    safe_cards,
    twins,
    uncoverable,
)
from klondike_env.solver.frames import (
    ACES_FIRST,
    ACES_MUST,
    AFTER_REDEAL,
    BASES,
    BOTTOMS,
    DRAW,
    EMPTY,
    FACE_UP,
    FORCED_ACE,
    HEIGHTS_MASK,
    LOW_KEY,
    NEXT_UP,
    PRUNE,
    REACHABLE,
    TAKE_BACK,
    TALON_ACES,
    TRY_BACK,
    TRY_SHIFT,
    TRY_TALON_DOWN,
    TRY_TALON_UP,
    TRY_UP,
    UNLIMITED,
)


@compiled
def reachable(talon: Any, offset: int, redeal: bool, rules: Any, talon_cards: Any) -> tuple[Any, Any]:
    """Return the talon cards that turning brings up, in this pass and after one redeal.

    With ``n`` cards, ``w`` of them turned and ``d`` a turn, these are the card at ``w``, those at ``w + d``,
    ``w + 2d``, … and ``n``; after a redeal ``d``, ``2d``, … and ``n``. A second redeal brings up nothing more.

    Args:
        talon: Mask of talon cards left.
        offset: Cards turned.
        redeal: Whether a redeal is left.
        rules: int64 array of rules.
        talon_cards: Card at each talon place.
    """
    draw = rules[DRAW]
    count = as_int(bit_count(talon))
    aces = np.uint64(rules[TALON_ACES]) & talon if rules[ACES_MUST] else ZERO
    now = ZERO
    later = ZERO
    stopped = False
    place = 0
    rest = talon
    while rest:
        index = lowest_bit(rest)
        rest &= rest - ONE
        place += 1
        card = ONE << np.uint64(talon_cards[as_int(index)])
        if place >= offset and (place == count or (place - offset) % draw == 0):
            if not stopped:
                now |= card
                # An ace on the waste has to be played; what lies behind it can only be reached afterwards.
                if aces and (aces >> index) & ONE:
                    stopped = True
                    if place == offset:
                        return card | FORCED_ACE, ZERO
        elif place % draw == 0:
            later |= card
    if stopped or not redeal:
        return now, ZERO
    if aces:
        later = ZERO
        place = 0
        rest = talon
        while rest:
            index = lowest_bit(rest)
            rest &= rest - ONE
            place += 1
            if place % draw == 0 or place == count:
                later |= ONE << np.uint64(talon_cards[as_int(index)])
                if (aces >> index) & ONE:
                    break
        later &= ~now
    if rules[UNLIMITED]:
        return now | later, ZERO
    return now, later


@compiled
def list_moves(frames: Any, depth: int, rules: Any, needed: Any, needed_up: Any) -> None:
    """Write the moves to try in a frame.

    Args:
        frames: The stack, uint64 array (depth, 16).
        depth: The frame.
        rules: int64 array of rules.
        needed: If not zero, the last move was made to give these cards a place: only they may be laid down.
        needed_up: If not zero, the last move was made to uncover these cards for their foundation.
    """
    frame = frames[depth]
    face_up = frame[FACE_UP]
    bases = frame[BASES]
    next_up = frame[NEXT_UP]
    heights = frame[LOW_KEY] & HEIGHTS_MASK
    placed = face_up & ~bases
    free = placeable(face_up, placed, frame[EMPTY])
    talon_cards = frame[REACHABLE] | frame[AFTER_REDEAL]
    take_back = rules[TAKE_BACK] != 0
    prune = rules[PRUNE] != 0
    lone_talon = prune and rules[DRAW] == 1 and rules[UNLIMITED] != 0
    tops = next_up >> FOUR
    if rules[ACES_FIRST] and (next_up & ACES) != ZERO:
        next_up &= ACES

    frame[TRY_UP] = ZERO
    frame[TRY_SHIFT] = ZERO
    frame[TRY_TALON_UP] = ZERO
    frame[TRY_TALON_DOWN] = ZERO
    frame[TRY_BACK] = ZERO

    if (needed | needed_up) != ZERO:
        frame[TRY_UP] = needed_up
        shift = bases & needed & free
        if frame[EMPTY] != ZERO:
            shift &= ~np.uint64(rules[BOTTOMS])
        frame[TRY_SHIFT] = shift
        frame[TRY_TALON_DOWN] = useful_talon(face_up, next_up, placed, free, talon_cards & needed & free, lone_talon)
        if take_back:
            frame[TRY_BACK] = tops & needed & free
        return

    uncovered = uncoverable(face_up, placed) & next_up
    if rules[ACES_MUST]:
        if (uncovered & ACES) != ZERO:
            frame[TRY_UP] = uncovered & ACES
            return
        if (talon_cards & FORCED_ACE) != ZERO:
            frame[TRY_TALON_UP] = talon_cards & ~FORCED_ACE
            return
        aces = talon_cards & ACES
        if lone_talon and aces != ZERO:
            # They are safe, and first of all so that none of them lies on the waste while another move is made.
            frame[TRY_TALON_UP] = aces & (~aces + ONE)
            return
    talon_up = talon_cards & next_up
    shift = bases & free
    talon_down = talon_cards & free
    if rules[ACES_MUST]:
        talon_down &= ~ACES
    back = tops & free if take_back else ZERO
    if prune:
        safe = safe_cards(heights, ZERO, take_back)
        forced = uncovered & safe
        if forced != ZERO:
            frame[TRY_UP] = forced & (~forced + ONE)
            return
        if lone_talon:
            forced = talon_up & safe
            if forced != ZERO:
                frame[TRY_TALON_UP] = forced & (~forced + ONE)
                return
        if take_back:
            back &= ~safe_cards(heights, ONE, take_back)
            shift &= ~uncovered
            talon_down &= ~talon_up
        if frame[EMPTY] != ZERO:
            shift &= ~np.uint64(rules[BOTTOMS])
        talon_down = useful_talon(face_up, next_up, placed, free, talon_down, lone_talon)
    frame[TRY_UP] = uncovered
    frame[TRY_SHIFT] = shift
    frame[TRY_TALON_UP] = talon_up
    frame[TRY_TALON_DOWN] = talon_down
    frame[TRY_BACK] = back


@compiled
def useful_talon(face_up: Any, next_up: Any, placed: Any, free: Any, cards: Any, lone_talon: bool) -> Any:
    """Return the talon cards that are worth laying down now, when they could as well be laid down later.

    That is, those that make a place for a card that has none, or uncover their twin for its foundation.
    """
    if not lone_talon:
        return cards
    served = other_colour(free << FOUR) | ACES
    waiting = face_up & next_up & ~uncoverable(face_up, placed)
    return cards & (~served | twins(waiting))
