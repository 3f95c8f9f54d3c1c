"""The layout of the arrays that the compiled search works on, by name.

The values become part of the machine code of the ``@compiled`` functions that use them; this mark of a compiled file
makes ``klondike_env.compiled`` throw that code away when a value here changes.
"""

from __future__ import annotations

from typing import Final

import numpy as np

# A stack frame is a row of 16 uint64: the position, the moves not yet tried there, and the move that led to it.
FACE_UP: Final = 0
BASES: Final = 1
NEXT_UP: Final = 2
"""The next card of each foundation, as a mask."""
LOW_KEY: Final = 3
"""Foundation heights in 16 bits, above them the number of cards left in each column up to its base."""
TALON: Final = 4
"""Talon cards left, by place."""
OFFSET: Final = 5
"""Cards turned as far as it matters, passes used, and cards really turned, in five bits each."""
REACHABLE: Final = 6
"""Talon cards that can be played in this pass (in any, if passes are unlimited)."""
AFTER_REDEAL: Final = 7
"""Talon cards that can be played after one more redeal only."""
EMPTY: Final = 8
"""Empty columns."""
TRY_UP: Final = 9
TRY_SHIFT: Final = 10
TRY_TALON_UP: Final = 11
TRY_TALON_DOWN: Final = 12
TRY_BACK: Final = 13
MOVE: Final = 14
"""64 * kind + card of the move that led here."""
FRAME_WORDS: Final = 16

# Kinds of moves, in the order of TRY_UP … TRY_BACK.
UP: Final = 0
SHIFT: Final = 1
TALON_UP: Final = 2
TALON_DOWN: Final = 3
BACK: Final = 4

# Places in the array of rules.
DRAW: Final = 0
UNLIMITED: Final = 1
REDEALS: Final = 2
TAKE_BACK: Final = 3
ACES_MUST: Final = 4
ACES_FIRST: Final = 5
PRUNE: Final = 6
TALON_ACES: Final = 7
"""Places of the aces in the talon, as a mask."""
BOTTOMS: Final = 8
"""Cards without a face-down card under them that are bases, as a mask."""
KEY_FORM: Final = 9
"""1 = one word a position, 2 = two words."""
RULE_COUNT: Final = 10

# Places in the array of counters.
DEPTH: Final = 0
NODES: Final = 1
STORED: Final = 2
TRIED: Final = 3
COUNTER_COUNT: Final = 4

RUNNING: Final = 0
WON: Final = 1
EXHAUSTED: Final = 2
TABLE_FULL: Final = 3
STACK_FULL: Final = 4

# The parts of OFFSET, five bits each.
OFFSET_MASK: Final = np.uint64(31)
PASSES_SHIFT: Final = np.uint64(5)
TURNED_SHIFT: Final = np.uint64(10)

LOW_KEY_BITS: Final = np.uint64(33)
HEIGHTS_MASK: Final = np.uint64(0xFFFF)

FORCED_ACE: Final = np.uint64(1 << 63)
"""In REACHABLE: the waste top is an ace that must be played now."""
