"""The observation: 37 planes over the 52 cards, shape (37, 4, 13), int8 (design section 7).

``PLANES`` is the one table of what stands where; the env's space, the documentation and the tests read it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from klondike_env.cards import CARD_COUNT, RANK_COUNT, SUIT_COUNT
from klondike_env.compiled import compiled
from klondike_env.engine.moves import pass_is_left
from klondike_env.engine.state import ACES_FIRST, ACES_MUST, UNLIMITED, State
from klondike_env.errors import OptionError
from klondike_env.layout import COLUMN_COUNT

INFORMATION: Final = ("visible", "remembered", "full")
"""How much the observation tells: what lies in sight, what a perfect memory knows, or everything."""
VISIBLE: Final = INFORMATION.index("visible")
REMEMBERED: Final = INFORMATION.index("remembered")
FULL: Final = INFORMATION.index("full")

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


def information_index(information: Any) -> int:
    """Return the index of a kind of information in ``INFORMATION``.

    Raises:
        OptionError: There is no such kind.
    """
    if not isinstance(information, str) or information not in INFORMATION:
        raise OptionError(f"information is {information!r}; it must be one of {', '.join(map(repr, INFORMATION))}")
    return INFORMATION.index(information)


@compiled
def _fill(planes: npt.NDArray[np.int8], plane: int, value: int) -> None:
    """Set a whole plane to one value."""
    start = plane * CARD_COUNT
    for entry in range(start, start + CARD_COUNT):
        planes[entry] = value


@compiled
def write_observation(state: State, information: int, squared: bool, planes: npt.NDArray[np.int8]) -> None:
    """Write all planes of a state.

    Args:
        state: Record, read. Under ``VISIBLE`` and ``REMEMBERED`` cards unknown to the player have no influence.
        information: ``VISIBLE``, ``REMEMBERED`` or ``FULL``.
        squared: Whether columns are squared up: covered run cards and face-down counts are hidden. Full information
            shows them all the same.
        planes: int8 array of shape (37 * 52,), written.
    """
    planes[:] = 0
    hides = squared and information != FULL
    unknown = WHEREABOUTS_UNKNOWN * CARD_COUNT
    if information != FULL:
        # Everything is unknown until it is found somewhere below.
        _fill(planes, WHEREABOUTS_UNKNOWN, 1)
    for column in range(COLUMN_COUNT):
        length = state.lengths[column]
        face_down = state.face_down[column]
        start = (FACE_UP + column) * CARD_COUNT
        for place in range(length - 1 if hides and length > 0 else face_down, length):
            card = state.columns[column, place]
            planes[start + card] = 1
            planes[unknown + card] = 0
        if information == FULL:
            start = (FACE_DOWN + column) * CARD_COUNT
            for place in range(face_down):
                planes[start + state.columns[column, place]] = face_down - place
        if not hides:
            _fill(planes, FACE_DOWN_COUNT + column, face_down)
    for suit in range(SUIT_COUNT):
        for card in range(RANK_COUNT * suit, RANK_COUNT * suit + state.foundations[suit]):
            planes[ON_FOUNDATION * CARD_COUNT + card] = 1
            planes[unknown + card] = 0
    _write_talon(state, information, planes)

    _fill(planes, STOCK_LENGTH, state.talon_length - state.waste_length)
    _fill(planes, WASTE_LENGTH, state.waste_length)
    passes_left = UNLIMITED_PASSES
    if state.passes != UNLIMITED:
        passes_left = min(state.passes - state.pass_number, MANY_PASSES)
    _fill(planes, PASSES_LEFT, passes_left)
    _fill(planes, DRAW, state.draw)
    _fill(planes, POINTS_AT_STAKE, 0 if state.vegas else min(state.score, MAX_STAKE))
    _fill(planes, IS_VEGAS, state.vegas)
    _fill(planes, MAY_TAKE_BACK, state.take_back)
    _fill(planes, ACES_MUST_PLAY, 1 if state.aces == ACES_MUST else 0)
    _fill(planes, ACES_COME_FIRST, 1 if state.aces == ACES_FIRST else 0)


@compiled
def _write_talon(state: State, information: int, planes: npt.NDArray[np.int8]) -> None:
    """Write planes 8 to 12, and clear plane 13, for the talon cards that the player may know."""
    fan_start = state.waste_length - state.fan_length
    for place in range(state.talon_length):
        card = state.talon[place]
        if not _is_known(state, information, place):
            continue
        planes[TALON_PLACE * CARD_COUNT + card] = place + 1
        if place == state.waste_length - 1:
            planes[WASTE_TOP * CARD_COUNT + card] = 1
        elif fan_start <= place < state.waste_length:
            planes[WASTE_FAN * CARD_COUNT + card] = 1
        elif (state.seen >> np.int64(card)) & 1:
            planes[IN_MEMORY * CARD_COUNT + card] = 1
        planes[WHEREABOUTS_UNKNOWN * CARD_COUNT + card] = 0

    actions = 0
    end = state.waste_length
    redealt = False
    while True:
        while end < state.talon_length:
            end = min(end + state.draw, state.talon_length)
            actions += 1
            # The first time that a place is reached counts; the present top needs no action.
            if _is_known(state, information, end - 1) and end != state.waste_length:
                entry = STOCK_ACTIONS * CARD_COUNT + state.talon[end - 1]
                if planes[entry] == 0:
                    planes[entry] = actions
        if redealt or state.talon_length == 0 or not pass_is_left(state):
            return
        redealt = True
        actions += 1
        end = 0


@compiled
def _is_known(state: State, information: int, place: int) -> bool:
    """Return whether the player knows the talon card at a place (from 0) under this kind of information."""
    if information == FULL:
        return True
    if state.waste_length - state.fan_length <= place < state.waste_length:
        return True
    if information == VISIBLE or state.talon[place] < 0:
        return False
    return (state.seen >> np.int64(state.talon[place])) & 1 == 1


def observe(state: Any, information: str = "remembered", squared: bool = False) -> npt.NDArray[np.int8]:
    """Return a new observation of one state.

    Args:
        state: Record array of one or more rows, of which the first is observed.
        information: One of ``INFORMATION``.
        squared: Whether columns are squared up.

    Returns:
        int8 array of shape (37, 4, 13).

    Raises:
        OptionError: No such kind of information.
    """
    planes = np.empty(OBSERVATION_SIZE, np.int8)
    write_first_observation(state, information_index(information), squared, planes)
    return planes.reshape(OBSERVATION_SHAPE)


@compiled
def write_first_observation(states: Any, information: int, squared: bool, planes: npt.NDArray[np.int8]) -> None:
    """Write the observation of the first record of an array; see ``write_observation``."""
    write_observation(states[0], information, squared, planes)
