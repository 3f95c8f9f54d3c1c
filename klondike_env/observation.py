"""The observation: 37 planes over the 52 cards, shape (37, 4, 13), int8 (design section 7).

What stands in which plane says ``klondike_env.planes``.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from klondike_env.actions import COLUMN_MOVE_SOURCE, COLUMN_MOVE_TARGET, COLUMN_TO_COLUMN, COLUMN_TO_FOUNDATION
from klondike_env.arguments import check_choice
from klondike_env.cards import CARD_COUNT, RANK_COUNT, SUIT_COUNT
from klondike_env.compiled import compiled
from klondike_env.engine.moves import pass_is_left
from klondike_env.engine.state import ACES_FIRST, ACES_MUST, UNKNOWN, UNLIMITED, State
from klondike_env.layout import COLUMN_COUNT
from klondike_env.planes import (
    ACES_COME_FIRST,
    ACES_MUST_PLAY,
    DRAW,
    FACE_DOWN,
    FACE_DOWN_COUNT,
    FACE_UP,
    IN_MEMORY,
    IS_VEGAS,
    MANY_PASSES,
    MAX_STAKE,
    MAY_TAKE_BACK,
    OBSERVATION_SHAPE,
    OBSERVATION_SIZE,
    ON_FOUNDATION,
    PASSES_LEFT,
    PLANES,
    POINTS_AT_STAKE,
    STOCK_ACTIONS,
    STOCK_LENGTH,
    TALON_PLACE,
    UNLIMITED_PASSES,
    WASTE_FAN,
    WASTE_LENGTH,
    WASTE_TOP,
    WHEREABOUTS_UNKNOWN,
    plane_bounds,
)
from klondike_env.wide_stores import store_card_set, store_value

__all__ = [
    "FULL",
    "INFORMATION",
    "OBSERVATION_SHAPE",
    "OBSERVATION_SIZE",
    "PLANES",
    "REMEMBERED",
    "VISIBLE",
    "information_index",
    "observe",
    "plane_bounds",
    "update_observation",
    "write_observation",
]

INFORMATION: Final = ("visible", "remembered", "full")
"""How much the observation tells: what lies in sight, what a perfect memory knows, or everything."""
VISIBLE: Final = INFORMATION.index("visible")
REMEMBERED: Final = INFORMATION.index("remembered")
FULL: Final = INFORMATION.index("full")

ALL_CARDS: Final = 2**CARD_COUNT - 1
"""All cards, as a set."""

_ONE = np.int64(1)


def information_index(information: Any) -> int:
    """Return the index of a kind of information in ``INFORMATION``.

    Raises:
        OptionError: There is no such kind.
    """
    return INFORMATION.index(check_choice("information", information, INFORMATION))


@compiled
def write_observation(state: State, information: int, squared: bool, planes: npt.NDArray[np.int8]) -> None:
    """Write all planes of a state.

    Args:
        state: Record, read. Under ``VISIBLE`` and ``REMEMBERED`` cards unknown to the player have no influence.
        information: ``VISIBLE``, ``REMEMBERED`` or ``FULL``.
        squared: Whether columns are squared up: covered run cards and face-down counts are hidden. Full information
            shows them all the same.
        planes: int8 array of shape (37 * 52,), C-contiguous, written.
    """
    squared = squared and information != FULL
    for column in range(COLUMN_COUNT):
        _write_face_up(state, column, squared, planes)
        store_value(planes, FACE_DOWN + column, 0)
        _write_face_down(state, column, information, squared, planes)
    store_card_set(planes, ON_FOUNDATION, _founded_cards(state))
    _write_talon(state, information, planes)
    _write_unknown(state, information, squared, planes)
    store_value(planes, PASSES_LEFT, _passes_left(state))
    store_value(planes, DRAW, state.draw)
    store_value(planes, POINTS_AT_STAKE, _points_at_stake(state))
    store_value(planes, IS_VEGAS, state.vegas)
    store_value(planes, MAY_TAKE_BACK, state.take_back)
    store_value(planes, ACES_MUST_PLAY, state.aces == ACES_MUST)
    store_value(planes, ACES_COME_FIRST, state.aces == ACES_FIRST)


@compiled
def update_observation(
    state: State, action: int, information: int, squared: bool, planes: npt.NDArray[np.int8]
) -> None:
    """Bring the planes of the state before a legal action up to date, which is faster than writing all of them.

    Args:
        state: Record after the action, read.
        action: The action that was played, 0-85.
        information: As it was when the planes were written.
        squared: As it was when the planes were written.
        planes: int8 array of shape (37 * 52,), C-contiguous: the observation of the state before; changed.
    """
    squared = squared and information != FULL
    source: Any = np.int64(COLUMN_MOVE_SOURCE[action])
    target: Any = np.int64(COLUMN_MOVE_TARGET[action])
    if source >= 0:
        _write_face_up(state, source, squared, planes)
        _write_face_down(state, source, information, squared, planes)
    if target >= 0:
        _write_face_up(state, target, squared, planes)
    if action < COLUMN_TO_FOUNDATION:
        _write_talon(state, information, planes)
        store_value(planes, PASSES_LEFT, _passes_left(state))
    if action < COLUMN_TO_COLUMN:
        store_card_set(planes, ON_FOUNDATION, _founded_cards(state))
    _write_unknown(state, information, squared, planes)
    store_value(planes, POINTS_AT_STAKE, _points_at_stake(state))


@compiled
def _write_face_up(state: State, column: int, squared: bool, planes: npt.NDArray[np.int8]) -> None:
    """Write the face-up cards of a column (0-6), planes 0 to 6."""
    store_card_set(planes, FACE_UP + column, _shown_of_column(state, column, squared))


@compiled
def _write_face_down(state: State, column: int, information: int, squared: bool, planes: npt.NDArray[np.int8]) -> None:
    """Write the number of face-down cards of a column (0-6), and under full information the cards."""
    face_down = state.face_down[column]
    store_value(planes, FACE_DOWN_COUNT + column, 0 if squared else face_down)
    if information == FULL:
        store_value(planes, FACE_DOWN + column, 0)
        start = (FACE_DOWN + column) * CARD_COUNT
        for place in range(face_down):
            planes[start + np.int64(state.columns[column, place])] = face_down - place


@compiled
def _write_unknown(state: State, information: int, squared: bool, planes: npt.NDArray[np.int8]) -> None:
    """Write the cards of unknown whereabouts, plane 13."""
    shown: Any = _founded_cards(state) | _known_talon_cards(state, information)
    for column in range(COLUMN_COUNT):
        shown |= _shown_of_column(state, column, squared)
    store_card_set(planes, WHEREABOUTS_UNKNOWN, 0 if information == FULL else ALL_CARDS & ~shown)


@compiled
def _write_talon(state: State, information: int, planes: npt.NDArray[np.int8]) -> None:
    """Write planes 8 to 12, 28 and 29."""
    known = _known_talon_cards(state, information)
    in_sight = _talon_cards(state, state.waste_length - state.fan_length, state.waste_length)
    top: Any = np.int64(0)
    if state.waste_length > 0:
        top = _ONE << np.int64(state.talon[state.waste_length - 1])
    store_card_set(planes, WASTE_TOP, top)
    store_card_set(planes, WASTE_FAN, in_sight & ~top)
    store_card_set(planes, IN_MEMORY, known & state.seen & ~in_sight)
    store_value(planes, TALON_PLACE, 0)
    store_value(planes, STOCK_ACTIONS, 0)
    store_value(planes, STOCK_LENGTH, state.talon_length - state.waste_length)
    store_value(planes, WASTE_LENGTH, state.waste_length)
    for place in range(state.talon_length):
        card = np.int64(state.talon[place])
        if card != UNKNOWN:
            # Multiplied by the card's bit, since a branch could not be predicted.
            planes[TALON_PLACE * CARD_COUNT + card] = (place + 1) * ((known >> card) & 1)
    _write_stock_actions(state, known, planes)


@compiled
def _write_stock_actions(state: State, known: int, planes: npt.NDArray[np.int8]) -> None:
    """Write plane 12, which is all 0, for the known cards that turning and redealing reach."""
    length = state.talon_length
    waste_length = state.waste_length
    draw = state.draw
    actions = 0
    for end in range(waste_length + draw, length, draw):
        actions += 1
        _write_stock_action(state, end - 1, known, actions, planes)
    if waste_length < length:
        actions += 1
        _write_stock_action(state, length - 1, known, actions, planes)
    if length == 0 or not pass_is_left(state):
        return
    # After a redeal turns end at multiples of ``draw``. If the present turn ends at one, those after it were written
    # above; the present top needs no action, and the last card is reached sooner without a redeal or is the top.
    actions += 1
    stop = waste_length if draw == 1 or waste_length % draw == 0 else length
    for end in range(draw, stop, draw):
        actions += 1
        _write_stock_action(state, end - 1, known, actions, planes)


@compiled
def _write_stock_action(state: State, place: int, known: int, actions: int, planes: npt.NDArray[np.int8]) -> None:
    """Write plane 12 for the card at a place of the talon, if it is known."""
    card = np.int64(state.talon[place])
    if card != UNKNOWN:
        planes[STOCK_ACTIONS * CARD_COUNT + card] = actions * ((known >> card) & 1)


@compiled
def _passes_left(state: State) -> int:
    """Return the value of plane 30."""
    if state.passes == UNLIMITED:
        return UNLIMITED_PASSES
    return min(state.passes - state.pass_number, MANY_PASSES)


@compiled
def _points_at_stake(state: State) -> int:
    """Return the value of plane 32."""
    return 0 if state.vegas else min(state.score, MAX_STAKE)


@compiled
def _shown_of_column(state: State, column: int, squared: bool) -> int:
    """Return the face-up cards of a column (0-6) that the observation shows, as a set."""
    length = state.lengths[column]
    cards: Any = state.runs[column]
    if squared and length > 0:
        cards = _ONE << np.int64(state.columns[column, length - 1])
    return cards


@compiled
def _founded_cards(state: State) -> int:
    """Return the cards on the foundations, as a set."""
    cards: Any = np.int64(0)
    for suit in range(SUIT_COUNT):
        cards |= ((_ONE << np.int64(state.foundations[suit])) - _ONE) << np.int64(RANK_COUNT * suit)
    return cards


@compiled
def _talon_cards(state: State, first: int, stop: int) -> int:
    """Return the talon cards from the place ``first`` to before ``stop``, as a set."""
    cards: Any = np.int64(0)
    for place in range(first, stop):
        cards |= _ONE << np.int64(state.talon[place])
    return cards


@compiled
def _known_talon_cards(state: State, information: int) -> int:
    """Return the talon cards that the player knows under this kind of information, as a set."""
    if information == VISIBLE:
        return _talon_cards(state, state.waste_length - state.fan_length, state.waste_length)
    if information == FULL:
        return _talon_cards(state, 0, state.talon_length)
    # A card that was seen in the talon and has left it lies face up in a column or on its foundation.
    elsewhere = _founded_cards(state)
    for column in range(COLUMN_COUNT):
        elsewhere |= state.runs[column]
    return state.seen & ~elsewhere


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
