"""What the greedy player thinks of a position: one weighted sum over what it knows of it.

Only cards that the player knows are read: face-up cards, and talon cards in the set ``known``. A column whose last
card has just been turned up in thought has no face-up card yet (``runs`` is empty there); it takes and gives nothing.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from klondike_agents import greedy_weights as weight
from klondike_env.cards import CARD_COUNT, KING, RANK_COUNT
from klondike_env.compiled import compiled
from klondike_env.engine.moves import pass_is_left
from klondike_env.engine.state import KINGS, RANKS_UP_TO, TAKES, UNLIMITED, State
from klondike_env.layout import COLUMN_COUNT

Weights = npt.NDArray[np.float32]
"""One row of the weight table."""

_ONE = np.int64(1)
_ALL_CARDS = np.int64((1 << CARD_COUNT) - 1)
_SUPPORTS: Final = np.array(
    [sum(1 << on for on in range(CARD_COUNT) if int(TAKES[on]) >> card & 1) for card in range(CARD_COUNT)], np.int64
)
"""The two cards that each card can lie on in a column, as a set."""


@compiled
def count_cards(cards: Any) -> int:
    """Return how many cards a set holds."""
    count = 0
    while cards:
        cards &= cards - _ONE
        count += 1
    return count


@compiled
def founded_rank_of_other_colour(state: State, suit: int) -> int:
    """Return the lower height of the two foundations whose colour is not that of ``suit``."""
    heights = state.foundations
    # Suits 1 and 2 are red.
    return min(heights[0], heights[3]) if 1 <= suit <= 2 else min(heights[1], heights[2])


@compiled
def talon_cards(state: State) -> int:
    """Return the talon cards that are no -1, as a set."""
    cards: Any = np.int64(0)
    for place in range(state.talon_length):
        if state.talon[place] >= 0:
            cards |= _ONE << np.int64(state.talon[place])
    return cards


@compiled
def reachable_talon_cards(state: State) -> int:
    """Return the cards that turning and redealing alone can bring to the top of the waste, as a set."""
    cards: Any = np.int64(0)
    length = np.int64(state.talon_length)
    draw = np.int64(state.draw)
    place = np.int64(state.waste_length)
    if draw == 1 and pass_is_left(state):
        return talon_cards(state)
    if place > 0 and state.talon[place - 1] >= 0:
        cards |= _ONE << np.int64(state.talon[place - 1])
    for _ in range(2 if pass_is_left(state) else 1):
        while place < length:
            place = min(place + draw, length)
            if state.talon[place - 1] >= 0:
                cards |= _ONE << np.int64(state.talon[place - 1])
        place = np.int64(0)
    return cards


@compiled
def position_value(state: State, known: int, weights: Weights) -> float:
    """Return how good a position is for the player; only comparisons mean anything.

    Args:
        state: Record, read as far as its cards are known.
        known: The talon cards that the player knows, as a set; it may hold others.
        weights: A row of the weight table, float32 array of shape (``greedy_weights.WEIGHT_COUNT``,).
    """
    talon = talon_cards(state) & known
    reachable = reachable_talon_cards(state) & known
    value = weights[weight.TALON_CARD] * state.talon_length + weights[weight.REACHABLE] * count_cards(reachable)
    if state.passes != UNLIMITED:
        value += weights[weight.COVERED_WASTE] * max(0, state.waste_length - 1)
        value += weights[weight.STOCK_CARD] * (state.talon_length - state.waste_length)
        value += weights[weight.PASS_LEFT] * (state.passes - state.pass_number)

    ends: Any = np.int64(0)
    face_up: Any = np.int64(0)
    taken: Any = np.int64(0)
    empty_columns: Any = np.int64(0)
    for column in range(COLUMN_COUNT):
        length = state.lengths[column]
        value += weights[weight.FACE_DOWN + state.face_down[column]]
        if length == 0:
            empty_columns += 1
            taken |= KINGS
        elif state.runs[column] == 0:
            value += weights[weight.BASE_UNSEEN] * (1 + weights[weight.PER_FACE_DOWN] * state.face_down[column])
        else:
            end = state.columns[column, length - 1]
            ends |= _ONE << np.int64(end)
            taken |= TAKES[end]
            face_up |= state.runs[column]

    founded: Any = np.int64(0)
    for suit in range(4):
        founded |= ((_ONE << np.int64(state.foundations[suit])) - _ONE) << np.int64(RANK_COUNT * suit)
    hidden = _ALL_CARDS & ~(founded | face_up | talon)
    value += _value_of_columns(state, weights, ends, face_up, talon, reachable, hidden, empty_columns)
    value += _value_of_foundations(state, weights, ends, face_up, talon, reachable)
    for suit in range(4):
        if state.foundations[suit] < RANK_COUNT:
            taken |= _ONE << np.int64(RANK_COUNT * suit + state.foundations[suit])
    value += weights[weight.PLAYABLE] * count_cards(reachable & taken)
    value += weights[weight.TALON_TAKEN] * count_cards(talon & taken)
    value += weights[weight.HIDDEN_TAKEN] * count_cards(hidden & taken)
    return value


@compiled
def _value_of_columns(
    state: State,
    weights: Weights,
    ends: int,
    face_up: int,
    talon: int,
    reachable: int,
    hidden: int,
    empty_columns: int,
) -> float:
    """Return what runs on face-down cards have to hope for, and what empty columns are worth.

    Args:
        state: Record, read.
        weights: A row of the weight table.
        ends: The last cards of the columns, and so on: sets of cards by where the player sees them.
        face_up: Cards face up in columns.
        talon: Known talon cards.
        reachable: Those of them that can become the waste top.
        hidden: Cards whose whereabouts are not known.
        empty_columns: The number of empty columns.
    """
    value = np.float32(0.0)
    free_ends = ends
    waiting_kings = count_cards((talon | hidden) & KINGS)
    for column in range(COLUMN_COUNT):
        face_down = state.face_down[column]
        if face_down == 0 or state.runs[column] == 0:
            continue
        base = state.columns[column, face_down]
        supports = _SUPPORTS[base]
        support = supports & free_ends
        if base % RANK_COUNT == KING:
            waiting_kings += 1
            hope = weights[weight.BASE_KING_FREE] if empty_columns > 0 else weights[weight.BASE_KING]
        elif support:
            # Two runs cannot both go on one card.
            free_ends &= ~(support & -support)
            hope = weights[weight.BASE_ON_END]
        elif supports & reachable:
            hope = weights[weight.BASE_ON_REACHABLE]
        elif supports & talon:
            hope = weights[weight.BASE_ON_TALON]
        elif supports & hidden:
            hope = weights[weight.BASE_ON_HIDDEN]
        elif supports & face_up:
            hope = weights[weight.BASE_ON_COVERED]
        else:
            hope = weights[weight.BASE_ON_NONE]
        missing = base % RANK_COUNT - state.foundations[base // RANK_COUNT]
        hope += weights[weight.BASE_TO_FOUNDATION] / (1 + max(0, missing))
        value += hope * (1 + weights[weight.PER_FACE_DOWN] * (face_down - 1))
    value += weights[weight.EMPTY_FOR_KING] * min(empty_columns, waiting_kings)
    value += weights[weight.EMPTY_FOR_NONE] * max(0, empty_columns - waiting_kings)
    return value


@compiled
def _value_of_foundations(state: State, weights: Weights, ends: int, face_up: int, talon: int, reachable: int) -> float:
    """Return what the foundations are worth, by their heights and by where the cards lie that they need next.

    The sets are those of ``_value_of_columns``.
    """
    value = np.float32(0.0)
    lowest = np.int64(RANK_COUNT)
    for suit in range(4):
        height = np.int64(state.foundations[suit])
        lowest = min(lowest, height)
        value += weights[weight.FOUNDED] * height
        value += weights[weight.UNSAFE] * max(0, height - 2 - founded_rank_of_other_colour(state, suit))
        if height == RANK_COUNT:
            continue
        needed = _ONE << (RANK_COUNT * suit + height)
        if needed & ends:
            value += weights[weight.NEEDED_ON_END]
        elif needed & face_up:
            value += weights[weight.NEEDED_COVERED]
            for column in range(COLUMN_COUNT):
                if state.runs[column] & needed:
                    above = state.runs[column] & RANKS_UP_TO[height] & ~needed
                    value += weights[weight.NEEDED_PER_COVER] * count_cards(above)
        elif needed & reachable:
            value += weights[weight.NEEDED_REACHABLE]
        elif needed & talon:
            value += weights[weight.NEEDED_IN_TALON]
        else:
            value += weights[weight.NEEDED_HIDDEN]
    return value + weights[weight.LOWEST_FOUNDATION] * lowest
