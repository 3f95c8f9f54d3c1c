"""Sets of cards as 64-bit masks, and the questions about them that the search asks at every node.

A card has bit ``4 * rank + place`` with the places hearts 0, diamonds 1, spades 2, clubs 3: a rank is one nibble, and
in it the lower two bits are the red pair, the upper two the black pair. Two cards of a pair ("twins") can stand in for
each other in the columns, so most questions are counts over pairs, answered for all 26 pairs at once.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numba import types
from numba.extending import intrinsic

from klondike_env.compiled import JIT_DISABLED, compiled

# Typed constants: an untyped literal in an expression with a uint64 would turn it into a float64.
ZERO: Final = np.uint64(0)
ONE: Final = np.uint64(1)
TWO: Final = np.uint64(2)
THREE: Final = np.uint64(3)
FOUR: Final = np.uint64(4)
EIGHT: Final = np.uint64(8)
TWELVE: Final = np.uint64(12)
NIBBLE: Final = np.uint64(15)

ACES: Final = np.uint64(0xF)
KINGS: Final = np.uint64(0xF << 48)
ALL_UP: Final = np.uint64(0xF << 52)
"""The mask of the next cards of the foundations when all of them are complete."""
_PAIR_LOW: Final = np.uint64(0x5555555555555555)
_PAIR_HIGH: Final = np.uint64(0xAAAAAAAAAAAAAAAA)
_RED: Final = np.uint64(0x3333333333333333)

if JIT_DISABLED:

    def lowest_bit(mask: Any) -> Any:
        """Return the index of the lowest set bit of a mask that is not zero."""
        number = int(mask)
        return np.uint64((number & -number).bit_length() - 1)

    def bit_count(mask: Any) -> Any:
        """Return how many bits are set."""
        return np.uint64(int(mask).bit_count())

else:

    @intrinsic
    def lowest_bit(typing_context: Any, mask: Any) -> Any:
        """Return the index of the lowest set bit of a mask that is not zero."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.cttz(arguments[0], context.get_constant(types.boolean, True))

        return types.uint64(types.uint64), generate

    @intrinsic
    def bit_count(typing_context: Any, mask: Any) -> Any:
        """Return how many bits are set."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.ctpop(arguments[0])

        return types.uint64(types.uint64), generate


@compiled
def as_int(number: Any) -> Any:
    """Return a number as int64, to index with: mixed with a uint64, it would turn into a float64."""
    return np.int64(number)


@compiled
def other_colour(mask: Any) -> Any:
    """Exchange the red and the black pair of every rank."""
    return ((mask & _RED) << TWO) | ((mask >> TWO) & _RED)


@compiled
def twins(mask: Any) -> Any:
    """Exchange the two cards of every pair."""
    return ((mask & _PAIR_LOW) << ONE) | ((mask & _PAIR_HIGH) >> ONE)


@compiled
def placeable(face_up: Any, placed: Any, empty_columns: Any) -> Any:
    """Return the cards that would find a place on some column, wherever they are now.

    A pair has a free place when fewer of it are placed than cards of the pair above it (one rank higher, other colour)
    lie face up: two cards never share a parent, so one parent is then uncovered (or the run on it may be shifted).

    Args:
        face_up: Face-up cards of the columns.
        placed: Those of them that lie on another face-up card (or are a king at the bottom of its column).
        empty_columns: How many columns are empty.
    """
    parents = other_colour(face_up >> FOUR)
    one_parent = (parents | (parents >> ONE)) & _PAIR_LOW
    two_parents = parents & (parents >> ONE) & _PAIR_LOW
    one_placed = (placed | (placed >> ONE)) & _PAIR_LOW
    two_placed = placed & (placed >> ONE) & _PAIR_LOW
    free = (one_parent & ~one_placed) | (two_parents & ~two_placed)
    free |= free << ONE
    if empty_columns != ZERO:
        return free | KINGS
    return free & ~KINGS


@compiled
def uncoverable(face_up: Any, placed: Any) -> Any:
    """Return the face-up cards that are last in their column, or are after a run on them moved to their twin."""
    children = other_colour(placed << FOUR)
    one_child = (children | (children >> ONE)) & _PAIR_LOW
    two_children = children & (children >> ONE) & _PAIR_LOW
    one_face_up = (face_up | (face_up >> ONE)) & _PAIR_LOW
    two_face_up = face_up & (face_up >> ONE) & _PAIR_LOW
    free = (one_face_up & ~one_child) | (two_face_up & ~two_children)
    return face_up & (free | (free << ONE))


@compiled
def safe_cards(heights: Any, below: Any, take_back: Any) -> Any:
    """Return, for each foundation, a card if it can always go up without harm.

    A card is safe when no card that could be laid on it would ever need to: both of the other colour one rank lower
    can go up themselves and are safe in turn. With ranks counted from the ace as 0 that is when the foundations of the
    other colour hold at least ``rank - 1`` cards and the other one of the own colour ``rank - 2``; without take-backs
    it is enough that those of the other colour hold ``rank`` cards, because they never come back to the columns
    (Blake and Gent, JAIR 85:21, arXiv 1906.12314, section on dominances; also common in FreeCell solvers).

    Args:
        heights: Foundation heights, four bits each.
        below: 0 to ask about the next card of each foundation, 1 about the card that lies on top.
        take_back: Whether the rules allow to take cards back.
    """
    hearts = heights & NIBBLE
    diamonds = (heights >> FOUR) & NIBBLE
    spades = (heights >> EIGHT) & NIBBLE
    clubs = (heights >> TWELVE) & NIBBLE
    red = min(hearts, diamonds)
    black = min(spades, clubs)
    safe = ZERO
    if _is_safe(hearts, diamonds, black, below, take_back):
        safe |= ONE << (FOUR * (hearts - below))
    if _is_safe(diamonds, hearts, black, below, take_back):
        safe |= TWO << (FOUR * (diamonds - below))
    if _is_safe(spades, clubs, red, below, take_back):
        safe |= FOUR << (FOUR * (spades - below))
    if _is_safe(clubs, spades, red, below, take_back):
        safe |= EIGHT << (FOUR * (clubs - below))
    return safe


@compiled
def _is_safe(height: Any, same_colour: Any, other: Any, below: Any, take_back: Any) -> Any:
    """Return whether the card of one foundation is safe; ``other`` is the lower height of the other colour."""
    if height < below:
        return False
    rank = height - below
    if rank <= other + ONE and rank <= same_colour + TWO:
        return True
    return not take_back and rank <= other
