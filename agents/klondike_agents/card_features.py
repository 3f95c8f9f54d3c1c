"""What a trained network sees: the player's knowledge card by card, without the order of columns; compiled.

``CARD_FEATURES`` planes over the 52 cards, then the card moves on offer, then scalars, then what the greedy player
thinks of each move on offer; all int8, to be multiplied by ``feature_scales()``.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from klondike_agents.card_moves import MOVE_COUNT
from klondike_agents.greedy_kernel import Mind
from klondike_agents.greedy_opinions import OPINION_COUNT, OPINION_STEP, write_opinions
from klondike_agents.greedy_value import reachable_talon_cards
from klondike_env.cards import CARD_COUNT, RANK_COUNT, SUIT_COUNT
from klondike_env.compiled import compiled
from klondike_env.engine.moves import pass_is_left
from klondike_env.engine.state import ACES_FIRST, ACES_MUST, UNLIMITED, State
from klondike_env.layout import COLUMN_COUNT, FACE_DOWN_COUNT, STOCK_COUNT

FOUNDED: Final = 0
UNKNOWN_PLACE: Final = 1
IN_TALON: Final = 2  # known and in stock or waste
REACHABLE: Final = 3  # turning and redealing alone bring it to the top of the waste
TALON_PLACE: Final = 4  # 1-24; 0 where the order of the talon does not matter
BEFORE_REDEAL: Final = 5  # reachable without a redeal
AFTER_REDEAL: Final = 6  # reachable after one
PLACE_1: Final = 7  # at draw 3: place 1, 4, 7, …
PLACE_2: Final = 8  # at draw 3: place 2, 5, 8, …
LAST: Final = 9  # last card of its column
ON_SLOT_0: Final = 10  # lies face up on the spade or heart that takes it
ON_SLOT_1: Final = 11  # lies face up on the diamond or club that takes it
FIRST_UP: Final = 12  # 12 … 18: first face-up card of a column with 0 … 6 face-down cards
FACE_DOWN_BELOW: Final = 19  # face-down cards of its column, 0-6
ON_TOP_OF_IT: Final = 20  # cards that lie on it, 0-12
CARD_FEATURES: Final = 21

OFFERED: Final = CARD_FEATURES * CARD_COUNT
SCALARS: Final = OFFERED + MOVE_COUNT
_HEIGHTS: Final = SCALARS
_FACE_DOWN: Final = SCALARS + 4
_EMPTY_COLUMNS: Final = SCALARS + 5  # 5 … 9: one for 0 … 4 or more empty columns
_MOST_EMPTY: Final = 4
_TALON_LENGTH: Final = SCALARS + 10
_WASTE_LENGTH: Final = SCALARS + 11
_STOCK_LENGTH: Final = SCALARS + 12
_PASSES_LEFT: Final = SCALARS + 13
_DRAW: Final = SCALARS + 14
_STAKE: Final = SCALARS + 15
_RULES: Final = SCALARS + 16
OPINIONS: Final = SCALARS + 20
FEATURE_COUNT: Final = OPINIONS + OPINION_COUNT

_ONE = np.int64(1)
_MANY_PASSES: Final = 3
_UNLIMITED_PASSES: Final = 4
_MAX_STAKE: Final = 100
_LARGE_OPINION: Final = 4.0


def feature_scales() -> npt.NDArray[np.float32]:
    """Return what each feature is multiplied by, float32 (``FEATURE_COUNT``,), so that all are about 0 to 1."""
    scales = np.ones(FEATURE_COUNT, np.float32)
    planes = scales[:OFFERED].reshape(CARD_FEATURES, CARD_COUNT)
    planes[TALON_PLACE] = 1 / STOCK_COUNT
    planes[FACE_DOWN_BELOW] = 1 / 6
    planes[ON_TOP_OF_IT] = 1 / 12
    scales[_HEIGHTS : _HEIGHTS + 4] = 1 / 13
    scales[_FACE_DOWN] = 1 / FACE_DOWN_COUNT
    scales[_TALON_LENGTH : _STOCK_LENGTH + 1] = 1 / STOCK_COUNT
    scales[_PASSES_LEFT] = 1 / 4
    scales[_DRAW] = 1 / 3
    scales[_STAKE] = 1 / _MAX_STAKE
    scales[OPINIONS:] = OPINION_STEP / _LARGE_OPINION
    return scales


@compiled
def write_features(
    state: State,
    mind: Mind,
    weight_table: npt.NDArray[np.float32],
    opinion_depth: int,
    mask: npt.NDArray[np.int8],
    features: npt.NDArray[np.int8],
) -> None:
    """Write the features of a position.

    Args:
        state: Record, read as far as its cards are known.
        mind: Record, whose room for thought is used.
        weight_table: float32 array of ``greedy_weights``.
        opinion_depth: How many moves ahead the greedy player looks for its opinions; 0 for none.
        mask: int8 array (157,), the card moves on offer.
        features: int8 array (``FEATURE_COUNT``,), written.
    """
    _write_position(state, mask, features)
    write_opinions(state, mind, weight_table, opinion_depth, mask, features[OPINIONS:])


@compiled
def _write_position(state: State, mask: npt.NDArray[np.int8], features: npt.NDArray[np.int8]) -> None:
    """Write all features but the opinions."""
    features[:] = 0
    placed: Any = np.int64(0)
    for suit in range(SUIT_COUNT):
        height = np.int64(state.foundations[suit])
        features[_HEIGHTS + suit] = height
        for rank in range(height):
            features[FOUNDED * CARD_COUNT + RANK_COUNT * suit + rank] = 1
        placed |= ((_ONE << height) - _ONE) << np.int64(RANK_COUNT * suit)
    placed |= _write_columns(state, features)
    placed |= _write_talon(state, features)
    for card in range(CARD_COUNT):
        if not (placed >> np.int64(card)) & _ONE:
            features[UNKNOWN_PLACE * CARD_COUNT + card] = 1
    features[OFFERED : OFFERED + MOVE_COUNT] = mask
    features[_DRAW] = state.draw
    if state.passes == UNLIMITED:
        features[_PASSES_LEFT] = _UNLIMITED_PASSES
    else:
        features[_PASSES_LEFT] = min(state.passes - state.pass_number, _MANY_PASSES)
    if not state.vegas:
        features[_STAKE] = min(state.score, _MAX_STAKE)
    features[_RULES] = state.vegas
    features[_RULES + 1] = state.take_back
    features[_RULES + 2] = state.aces == ACES_MUST
    features[_RULES + 3] = state.aces == ACES_FIRST


@compiled
def _write_columns(state: State, features: npt.NDArray[np.int8]) -> int:
    """Write the features of face-up cards in columns and return those cards as a set."""
    cards: Any = np.int64(0)
    empty = 0
    hidden: Any = np.int64(0)
    for column in range(COLUMN_COUNT):
        length = np.int64(state.lengths[column])
        face_down = np.int64(state.face_down[column])
        hidden += face_down
        if length == 0:
            empty += 1
            continue
        cards |= state.runs[column]
        below: Any = np.int64(-1)
        for place in range(face_down, length):
            card = np.int64(state.columns[column, place])
            if below < 0:
                features[(FIRST_UP + face_down) * CARD_COUNT + card] = 1
            else:
                features[(ON_SLOT_0 + below // (2 * RANK_COUNT)) * CARD_COUNT + card] = 1
            features[FACE_DOWN_BELOW * CARD_COUNT + card] = face_down
            features[ON_TOP_OF_IT * CARD_COUNT + card] = length - 1 - place
            below = card
        features[LAST * CARD_COUNT + below] = 1
    features[_FACE_DOWN] = hidden
    features[_EMPTY_COLUMNS + min(empty, _MOST_EMPTY)] = 1
    return cards


@compiled
def _write_talon(state: State, features: npt.NDArray[np.int8]) -> int:
    """Write the features of known talon cards and return those cards as a set."""
    cards: Any = np.int64(0)
    length = np.int64(state.talon_length)
    waste = np.int64(state.waste_length)
    draw = np.int64(state.draw)
    redeal = pass_is_left(state)
    reachable = reachable_talon_cards(state)
    features[_TALON_LENGTH] = length
    ordered = draw > 1 or state.passes != UNLIMITED
    if ordered:
        features[_WASTE_LENGTH] = waste
        features[_STOCK_LENGTH] = length - waste
    for index in range(length):
        card = np.int64(state.talon[index])
        if card < 0 or not (state.seen >> card) & _ONE:
            continue
        cards |= _ONE << card
        features[IN_TALON * CARD_COUNT + card] = 1
        features[REACHABLE * CARD_COUNT + card] = (reachable >> card) & _ONE
        if not ordered:
            continue
        place = np.int64(index) + 1
        is_last = place == length
        features[TALON_PLACE * CARD_COUNT + card] = place
        if place >= waste and place > 0:
            features[BEFORE_REDEAL * CARD_COUNT + card] = (place - waste) % draw == 0 or is_last
        features[AFTER_REDEAL * CARD_COUNT + card] = redeal and (place % draw == 0 or is_last)
        if draw > 1:
            features[PLACE_1 * CARD_COUNT + card] = place % draw == 1
            features[PLACE_2 * CARD_COUNT + card] = place % draw == 2
    return cards


@compiled
def write_first_features(
    states: Any,
    minds: Any,
    weight_table: npt.NDArray[np.float32],
    opinion_depth: int,
    mask: npt.NDArray[np.int8],
    features: npt.NDArray[np.int8],
) -> None:
    """Write the features of the first record of an array; see ``write_features``."""
    write_features(states[0], minds[0], weight_table, opinion_depth, mask, features)
