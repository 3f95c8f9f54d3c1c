"""What stands in which plane of the observation: the one table that space, documentation and tests read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from klondike_env.cards import CARD_COUNT, RANK_COUNT, SUIT_COUNT

FACE_UP: Final = 0
ON_FOUNDATION: Final = 7
WASTE_TOP: Final = 8
WASTE_FAN: Final = 9
IN_MEMORY: Final = 10
TALON_PLACE: Final = 11
STOCK_ACTIONS: Final = 12
WHEREABOUTS_UNKNOWN: Final = 13
FACE_DOWN: Final = 14
FACE_DOWN_COUNT: Final = 21
STOCK_LENGTH: Final = 28
WASTE_LENGTH: Final = 29
PASSES_LEFT: Final = 30
DRAW: Final = 31
POINTS_AT_STAKE: Final = 32
IS_VEGAS: Final = 33
MAY_TAKE_BACK: Final = 34
ACES_MUST_PLAY: Final = 35
ACES_COME_FIRST: Final = 36
PLANE_COUNT: Final = 37

OBSERVATION_SHAPE: Final = (PLANE_COUNT, SUIT_COUNT, RANK_COUNT)
OBSERVATION_SIZE: Final = PLANE_COUNT * CARD_COUNT

MANY_PASSES: Final = 3
UNLIMITED_PASSES: Final = 4
MAX_STAKE: Final = 100


@dataclass(frozen=True, slots=True)
class Plane:
    """One or several planes of the same kind.

    Attributes:
        first: Index of the first.
        last: Index of the last.
        name: What it is called.
        low: Lowest value.
        high: Highest value.
        meaning: What a value says of its card, or of the whole game.
    """

    first: int
    last: int
    name: str
    low: int
    high: int
    meaning: str


PLANES: Final = (
    Plane(0, 6, "face up", 0, 1, "the card lies face up in column 1 … 7"),
    Plane(7, 7, "foundation", 0, 1, "the card lies on its foundation"),
    Plane(8, 8, "waste top", 0, 1, "the card is the top of the waste"),
    Plane(9, 9, "waste fan", 0, 1, "the card is in the waste, in sight, not on top"),
    Plane(10, 10, "remembered", 0, 1, "the card is in the talon, was seen before, and is not in sight"),
    Plane(11, 11, "talon place", 0, 24, "place in the talon, 1 = first turned, if in sight or remembered"),
    Plane(
        12, 12, "stock actions", 0, 49, "stock actions until the card is the waste top; 0 = never, unknown or already"
    ),
    Plane(13, 13, "unknown", 0, 1, "the card's whereabouts are unknown: planes 0-10 do not show it"),
    Plane(14, 20, "face down", 0, 6, "full information only: face down in column 1 … 7, 1 = next to turn up"),
    Plane(21, 27, "face-down count", 0, 6, "number of face-down cards in column 1 … 7"),
    Plane(28, 28, "stock length", 0, 24, "number of cards in the stock"),
    Plane(29, 29, "waste length", 0, 24, "number of cards in the waste"),
    Plane(30, 30, "passes left", 0, 4, "passes left after this one; 3 = three or more, 4 = unlimited"),
    Plane(31, 31, "draw", 1, 3, "cards turned at once"),
    Plane(32, 32, "points at stake", 0, 100, "points at stake at the next redeal: min(score, 100) under normal"),
    Plane(33, 33, "vegas", 0, 1, "vegas scoring"),
    Plane(34, 34, "take-back", 0, 1, "take-back allowed"),
    Plane(35, 35, "aces must play", 0, 1, "aces must play"),
    Plane(36, 36, "aces first", 0, 1, "aces go before any other card"),
)
"""All planes, in order."""


def plane_bounds() -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
    """Return the lowest and highest value of every entry, each int8 of shape (37, 4, 13)."""
    low = np.zeros(OBSERVATION_SHAPE, np.int8)
    high = np.zeros(OBSERVATION_SHAPE, np.int8)
    for plane in PLANES:
        low[plane.first : plane.last + 1] = plane.low
        high[plane.first : plane.last + 1] = plane.high
    return low, high
