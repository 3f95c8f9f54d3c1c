"""The weights of the greedy player: what each thing in sight is worth, one column a kind of game.

The features were written by hand. Their weights were tuned with CMA-ES on game numbers from 3 000 000, outside the
evaluation suites: each column on one rule set (D1N, D3N, D1V, three-pass), for wins and founded cards.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

UNLIMITED_DRAW_1: Final = 0
UNLIMITED_DRAW_3: Final = 1
LIMITED_DRAW_1: Final = 2
LIMITED_DRAW_3: Final = 3
ROW_COUNT: Final = 4
"""Kinds of game by passes and draw; draw 3 stands for draw 2 as well."""

# A column with 0 to 6 face-down cards.
FACE_DOWN: Final = 0
# Each empty column, as far as kings wait for one, and beyond.
EMPTY_FOR_KING: Final = 7
EMPTY_FOR_NONE: Final = 8
# Each card on a foundation; each of them more than two above the lower foundation of the other colour, where it may
# be missed in a column; the lowest foundation's height.
FOUNDED: Final = 9
UNSAFE: Final = 10
LOWEST_FOUNDATION: Final = 11
# The foundation's next card by where it lies: last in a column, covered there (and by how many cards), in the talon
# where turning alone reaches it, elsewhere in the talon, or out of sight.
NEEDED_ON_END: Final = 12
NEEDED_COVERED: Final = 13
NEEDED_PER_COVER: Final = 14
NEEDED_REACHABLE: Final = 15
NEEDED_IN_TALON: Final = 16
NEEDED_HIDDEN: Final = 17
# A run on face-down cards by the best place of a card that it could go on, nearest first; NONE: both are founded.
BASE_ON_END: Final = 18
BASE_ON_REACHABLE: Final = 19
BASE_ON_TALON: Final = 20
BASE_ON_HIDDEN: Final = 21
BASE_ON_COVERED: Final = 22
BASE_ON_NONE: Final = 23
# A run from a king on face-down cards, and the same when a column is empty; a card just turned up; how near a run's
# first card is to its foundation; how much all of these grow with each face-down card below.
BASE_KING: Final = 24
BASE_KING_FREE: Final = 25
BASE_UNSEEN: Final = 26
BASE_TO_FOUNDATION: Final = 27
PER_FACE_DOWN: Final = 28
# Each talon card; each that turning reaches; each of those that can be played; each talon card that some pile takes;
# the same for cards out of sight.
TALON_CARD: Final = 29
REACHABLE: Final = 30
PLAYABLE: Final = 31
TALON_TAKEN: Final = 32
HIDDEN_TAKEN: Final = 33
# Limited passes only: each covered card of the waste, each card of the stock, each pass left. Turning to see more.
COVERED_WASTE: Final = 34
STOCK_CARD: Final = 35
PASS_LEFT: Final = 36
TURN_UNKNOWN: Final = 37
# Costs and rewards of moves: any, each turn before it, a redeal before it, a waste card laid on a column, turning a
# card up now rather than a move later.
MOVE: Final = 38
TURN: Final = 39
REDEAL: Final = 40
WASTE_TO_COLUMN: Final = 41
TURNED_UP_FIRST: Final = 42
WEIGHT_COUNT: Final = 43

# Columns: unlimited draw 1, unlimited draw 3, limited draw 1, limited draw 3.
# fmt: off
_WEIGHTS: Final = {
    FACE_DOWN:          (   0.00,    0.00,    0.00,    0.00),
    FACE_DOWN + 1:      (  -4.23,   -4.19,   -3.21,   -3.59),
    FACE_DOWN + 2:      ( -10.75,  -10.44,   -8.93,  -10.01),
    FACE_DOWN + 3:      ( -17.82,  -17.80,  -19.81,  -15.71),
    FACE_DOWN + 4:      ( -27.02,  -26.11,  -26.43,  -26.41),
    FACE_DOWN + 5:      ( -37.74,  -35.92,  -37.21,  -39.68),
    FACE_DOWN + 6:      ( -50.71,  -47.66,  -50.97,  -51.59),
    EMPTY_FOR_KING:     (   0.22,    0.17,   -1.87,   -0.64),
    EMPTY_FOR_NONE:     (  -4.89,   -3.61,   -2.88,   -5.44),
    FOUNDED:            (   2.47,    2.80,    2.75,    1.39),
    UNSAFE:             (  -1.01,   -1.29,   -1.76,   -1.46),
    LOWEST_FOUNDATION:  (   0.44,   -0.58,    0.07,    0.55),
    NEEDED_ON_END:      (   1.37,    1.13,    0.71,    1.37),
    NEEDED_COVERED:     (  -0.43,   -0.63,   -0.53,   -0.78),
    NEEDED_PER_COVER:   (  -0.10,   -0.67,   -0.04,    0.10),
    NEEDED_REACHABLE:   (   1.59,    1.43,    1.75,    1.54),
    NEEDED_IN_TALON:    (   0.84,    0.78,    0.88,    0.36),
    NEEDED_HIDDEN:      (  -0.77,    0.10,   -0.20,   -0.26),
    BASE_ON_END:        (   3.94,    2.14,    3.10,    3.16),
    BASE_ON_REACHABLE:  (   0.02,    1.00,    0.81,    2.14),
    BASE_ON_TALON:      (   1.84,    0.99,    0.93,    1.25),
    BASE_ON_HIDDEN:     (  -0.12,   -0.56,   -0.36,   -0.74),
    BASE_ON_COVERED:    (  -0.75,   -1.37,   -0.75,   -0.66),
    BASE_ON_NONE:       (  -1.21,   -0.93,   -0.39,   -0.43),
    BASE_KING:          (  -1.55,   -1.08,   -0.79,   -0.87),
    BASE_KING_FREE:     (   0.06,    1.05,    1.98,    1.41),
    BASE_UNSEEN:        (   2.17,    1.73,    1.74,    1.64),
    BASE_TO_FOUNDATION: (   0.25,    0.04,    0.23,   -0.35),
    PER_FACE_DOWN:      (   0.12,    0.03,    0.14,    0.15),
    TALON_CARD:         (  -2.06,   -2.90,   -3.45,   -3.27),
    REACHABLE:          (   0.49,    0.01,    0.25,    0.09),
    PLAYABLE:           (   1.23,    2.09,    2.14,    2.85),
    TALON_TAKEN:        (  -0.55,    0.24,    0.23,    0.29),
    HIDDEN_TAKEN:       (  -0.05,   -0.29,   -0.27,   -0.06),
    COVERED_WASTE:      (  -1.21,   -0.32,   -0.71,   -0.91),
    STOCK_CARD:         (  -0.25,   -0.08,   -0.24,   -0.54),
    PASS_LEFT:          (   2.79,    6.56,    4.14,    9.28),
    TURN_UNKNOWN:       (  -0.10,   -0.13,    0.10,    0.16),
    MOVE:               (   0.01,    0.05,   -0.03,   -0.15),
    TURN:               (  -0.07,   -0.05,   -0.03,   -0.12),
    REDEAL:             (  -0.13,   -0.13,   -0.12,   -0.16),
    WASTE_TO_COLUMN:    (  -0.72,   -0.34,   -0.75,   -0.39),
    TURNED_UP_FIRST:    (   0.13,    0.08,   -0.04,    0.09),
}
# fmt: on


def weight_table() -> npt.NDArray[np.float32]:
    """Return the weights as a new array of shape (``ROW_COUNT``, ``WEIGHT_COUNT``)."""
    table = np.zeros((ROW_COUNT, WEIGHT_COUNT), np.float32)
    for index, row in _WEIGHTS.items():
        table[:, index] = row
    return table
