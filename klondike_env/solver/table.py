"""The table of positions that were met: exact keys, so "met before" is never a guess.

Open addressing with linear probing in an array of uint64. Two layouts:

* One word a position (unlimited passes): the key in the lower 57 bits, above it a code for the talon offsets met.
* Two words a position: the key, then what each residue class of talon offsets was met with.

The talon offset ``w`` (cards turned) and the passes used ``p`` are kept out of the key, because one position may be no
better than another: from ``w`` turning reaches ``w + draw``, ``w + 2 * draw``, … without touching anything else, so
the same cards met with a smaller ``w`` of the same residue, at the same or an earlier pass, allow all that a later one
allows. The end of the stock and, with a pass more, every multiple of ``draw`` is reached from each residue.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from klondike_env.compiled import JIT_DISABLED, compiled
from klondike_env.solver.bits import ONE, ZERO, as_int

KEY_BITS: Final = 57
_KEY_SHIFT: Final = np.uint64(KEY_BITS)
_KEY_MASK: Final = np.uint64((1 << KEY_BITS) - 1)
_MULTIPLIER_1: Final = np.uint64(0x9E3779B97F4A7C15)
_MULTIPLIER_2: Final = np.uint64(0xBF58476D1CE4E5B9)
_SHIFT_29: Final = np.uint64(29)
_SHIFT_32: Final = np.uint64(32)

# Code of the one-word layout: 1 + a * _NONE_3 + b for draw 3, where a and b tell the smallest offset met of residue 1
# and 2 (offset // 3, or the last value for none); 1 + a for draw 2. Offset 0 is met whenever the key is there.
_STEPS_3: Final = 9
_NONE_2: Final = 12
_NONE_3: Final = 8

# Two-word layout: a time is 32 * passes used + offset, in ten bits for each residue; the highest value means never.
_TIME_BITS: Final = np.uint64(10)
_TIME_MASK: Final = np.uint64(1023)
_NEVER: Final = np.uint64((1 << 30) - 1)
_PASS_SHIFT: Final = np.uint64(5)
_IN_USE: Final = np.uint64(1 << 63)
"""Set in every key of the two-word layout, for a key may be 0."""

SEEN: Final = 0
BETTER: Final = 1
NEW: Final = 2


if JIT_DISABLED:

    def _scatter(key: Any) -> Any:
        """Return 32 bits in which every bit of a key shows, without the overflow that NumPy warns of."""
        mixed = int(key) * int(_MULTIPLIER_1) % 2**64
        return np.uint64((mixed ^ (mixed >> 29)) * int(_MULTIPLIER_2) % 2**64 >> 32)

else:

    @compiled
    def _scatter(key: Any) -> Any:
        """Return 32 bits in which every bit of a key shows."""
        mixed = key * _MULTIPLIER_1
        mixed = (mixed ^ (mixed >> _SHIFT_29)) * _MULTIPLIER_2
        return mixed >> _SHIFT_32


@compiled
def _slot(key: Any, capacity: int) -> Any:
    """Return the first slot to look at for a key."""
    return as_int((_scatter(key) * np.uint64(capacity)) >> _SHIFT_32)


@compiled
def note_unlimited(table: Any, key: Any, offset: int, draw: int) -> int:
    """Note a position met under unlimited passes, in the one-word layout.

    Args:
        table: uint64 array of slots, 0 = empty.
        key: Key of the position, below 2 ** 57.
        offset: Talon offset; 0 for every offset from which the same cards can be reached as after a redeal.
        draw: Cards turned at once, 1-3.

    Returns:
        ``NEW``; ``BETTER`` for a known key with an offset that may allow more; ``SEEN`` when nothing can be new.
    """
    residue = offset % draw
    step = offset // draw
    capacity = table.shape[0]
    slot = _slot(key, capacity)
    while True:
        word = table[slot]
        if word == ZERO:
            code = 0
            if draw == 3:
                first = step if residue == 1 else _NONE_3
                second = step if residue == 2 else _NONE_3
                code = first * _STEPS_3 + second
            elif draw == 2:
                code = step if residue == 1 else _NONE_2
            table[slot] = key | (np.uint64(code + 1) << _KEY_SHIFT)
            return NEW
        if word & _KEY_MASK == key:
            break
        slot += 1
        if slot == capacity:
            slot = 0
    if residue == 0:
        return SEEN
    code = as_int(word >> _KEY_SHIFT) - 1
    if draw == 2:
        if code <= step:
            return SEEN
        code = step
    else:
        first = code // _STEPS_3
        second = code % _STEPS_3
        if residue == 1:
            if first <= step:
                return SEEN
            first = step
        else:
            if second <= step:
                return SEEN
            second = step
        code = first * _STEPS_3 + second
    table[slot] = key | (np.uint64(code + 1) << _KEY_SHIFT)
    return BETTER


@compiled
def note_timed(table: Any, key: Any, offset: int, passes_used: int, at_end: bool, draw: int, unlimited: bool) -> int:
    """Note a position met with some passes used, in the two-word layout.

    Args:
        table: uint64 array of shape (2 * slots,), 0 = empty.
        key: Key of the position, below 2 ** 63.
        offset: Talon offset.
        passes_used: Redeals since the search began, at most 24.
        at_end: Whether the stock is empty.
        draw: Cards turned at once, 1-3.
        unlimited: Whether redeals are free, so that an offset of 0 allows nothing that any other does not.

    Returns:
        ``NEW``, ``BETTER`` or ``SEEN``, as ``note_unlimited``.
    """
    key |= _IN_USE
    time = np.uint64(32 * passes_used + offset)
    shift = np.uint64(offset % draw) * _TIME_BITS
    capacity = table.shape[0] // 2
    slot = _slot(key, capacity)
    while True:
        word = table[2 * slot]
        if word == ZERO:
            table[2 * slot] = key
            table[2 * slot + 1] = (_NEVER & ~(_TIME_MASK << shift)) | (time << shift)
            return NEW
        if word == key:
            break
        slot += 1
        if slot == capacity:
            slot = 0
    times = table[2 * slot + 1]
    if (times >> shift) & _TIME_MASK <= time:
        return SEEN
    if unlimited and offset == 0:
        return SEEN
    if at_end or offset % draw == 0:
        for residue in range(draw):
            met = (times >> (np.uint64(residue) * _TIME_BITS)) & _TIME_MASK
            passes_met = as_int(met >> _PASS_SHIFT)
            if passes_met < passes_used or (at_end and passes_met == passes_used):
                return SEEN
    table[2 * slot + 1] = (times & ~(_TIME_MASK << shift)) | (time << shift)
    return BETTER


@compiled
def move_table(old: Any, new: Any, words: int, one_word: bool) -> None:
    """Copy all entries of a table into a larger, empty one of the same layout (1 or 2 words)."""
    capacity = new.shape[0] // words
    for start in range(0, old.shape[0], words):
        word = old[start]
        if word != ZERO:
            slot = _slot(word & _KEY_MASK if one_word else word, capacity)
            while new[words * slot] != ZERO:
                slot += 1
                if slot == capacity:
                    slot = 0
            for k in range(words):
                new[words * slot + k] = old[start + k]


@compiled
def exact_offset_key(key: Any, offset: int) -> Any:
    """Return a key that tells talon offsets apart, for rules under which a smaller one is not always as good."""
    return key | (np.uint64(offset) << _KEY_SHIFT) | (ONE << np.uint64(62))
