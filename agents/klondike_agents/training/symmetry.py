"""The eight renamings of the suits that keep cards of one colour together, and what they do to features and moves.

No rule tells the suits apart but by colour, so a position and its renamed twin are worth the same. The network shares
its weights accordingly: it gives the renamed move for the renamed features, exactly.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from klondike_agents.card_features import (
    CARD_FEATURES,
    FEATURE_COUNT,
    OFFERED,
    ON_SLOT_0,
    ON_SLOT_1,
    OPINIONS,
    SCALARS,
)
from klondike_agents.card_moves import MOVE_COUNT, ONTO_CARD, TURN_MOVE
from klondike_env.cards import CARD_COUNT, KING, RANK_COUNT, SUIT_COUNT, card_rank, is_red
from klondike_env.layout import COLUMN_COUNT

Indices = npt.NDArray[np.int64]
_RED: Final = tuple(suit for suit in range(SUIT_COUNT) if is_red(RANK_COUNT * suit))
_BLACK: Final = tuple(suit for suit in range(SUIT_COUNT) if suit not in _RED)


def _renamings() -> tuple[tuple[int, ...], ...]:
    """Return for each symmetry what each suit becomes; the first leaves all as they are."""
    renamings = []
    for first, second in ((_BLACK, _RED), (_RED, _BLACK)):
        for black in (first, first[::-1]):
            for red in (second, second[::-1]):
                becomes = dict(zip(_BLACK + _RED, black + red, strict=True))
                renamings.append(tuple(becomes[suit] for suit in range(SUIT_COUNT)))
    return tuple(renamings)


RENAMINGS: Final = _renamings()
SYMMETRY_COUNT: Final = len(RENAMINGS)


def _card_map(renaming: tuple[int, ...]) -> Indices:
    """Return what each card becomes."""
    return np.array([RANK_COUNT * renaming[card // RANK_COUNT] + card_rank(card) for card in range(CARD_COUNT)])


def _slot(renaming: tuple[int, ...], card: int, slot: int) -> int:
    """Return what the slot of a card that it lies on, or goes to, becomes."""
    if card_rank(card) == KING:
        return slot  # An empty column.
    other_colour = _BLACK if is_red(card) else _RED
    return renaming[other_colour[slot]] // 2


def _move_map(renaming: tuple[int, ...]) -> Indices:
    """Return what each card move becomes."""
    cards = _card_map(renaming)
    moves = np.empty(MOVE_COUNT, np.int64)
    moves[:CARD_COUNT] = cards
    for card in range(CARD_COUNT):
        for slot in (0, 1):
            moves[ONTO_CARD + 2 * card + slot] = ONTO_CARD + 2 * cards[card] + _slot(renaming, card, slot)
    moves[TURN_MOVE] = TURN_MOVE
    return moves


def _feature_map(renaming: tuple[int, ...]) -> Indices:
    """Return what each feature becomes."""
    features = np.arange(FEATURE_COUNT)
    planes = features[:OFFERED].reshape(CARD_FEATURES, CARD_COUNT)
    planes[:] = CARD_COUNT * np.arange(CARD_FEATURES)[:, None] + _card_map(renaming)
    for card in range(CARD_COUNT):
        for slot, plane in enumerate((ON_SLOT_0, ON_SLOT_1)):
            becomes = (ON_SLOT_0, ON_SLOT_1)[_slot(renaming, card, slot)]
            planes[plane, card] = CARD_COUNT * becomes + _card_map(renaming)[card]
    features[OFFERED:SCALARS] = OFFERED + _move_map(renaming)
    features[SCALARS : SCALARS + SUIT_COUNT] = SCALARS + np.array(renaming)
    for plane in range(OPINIONS, FEATURE_COUNT, MOVE_COUNT):
        features[plane : plane + MOVE_COUNT] = plane + _move_map(renaming)
    return features


HIDDEN_PLANES: Final = 2 * COLUMN_COUNT
"""What a critic sees beside the features: for each column its face-up cards, then its face-down ones as the observation
under full information has them."""
HIDDEN_COUNT: Final = HIDDEN_PLANES * CARD_COUNT


def hidden_scales() -> npt.NDArray[np.float32]:
    """Return what the hidden features are multiplied by, float32 (728,)."""
    scales = np.ones((2, COLUMN_COUNT * CARD_COUNT), np.float32)
    scales[1] = 1 / 6
    return scales.reshape(-1)


def _full_map(renaming: tuple[int, ...]) -> Indices:
    """Return what each feature becomes, hidden ones included."""
    hidden = FEATURE_COUNT + CARD_COUNT * np.arange(HIDDEN_PLANES)[:, None] + _card_map(renaming)
    return np.concatenate([_feature_map(renaming), hidden.reshape(-1)])


FEATURE_MAPS: Final = np.stack([_feature_map(renaming) for renaming in RENAMINGS])
"""int64 array (8, features): what each feature becomes under each symmetry."""
MOVE_MAPS: Final = np.stack([_move_map(renaming) for renaming in RENAMINGS])
"""int64 array (8, 157): what each card move becomes under each symmetry."""
FEATURE_SOURCES: Final = np.argsort(FEATURE_MAPS, axis=1)
"""The inverse of ``FEATURE_MAPS``."""
FULL_FEATURE_SOURCES: Final = np.argsort(np.stack([_full_map(renaming) for renaming in RENAMINGS]), axis=1)
"""As ``FEATURE_SOURCES``, hidden features included."""
MOVE_SOURCES: Final = np.argsort(MOVE_MAPS, axis=1)
"""The inverse of ``MOVE_MAPS``."""


def _relations() -> Indices:
    """Return, for symmetries g and h, the number of the symmetry "g undone after h"."""
    number = {renaming: index for index, renaming in enumerate(RENAMINGS)}
    table = np.empty((SYMMETRY_COUNT, SYMMETRY_COUNT), np.int64)
    for i, first in enumerate(RENAMINGS):
        undo = {becomes: suit for suit, becomes in enumerate(first)}
        for j, second in enumerate(RENAMINGS):
            table[i, j] = number[tuple(undo[second[suit]] for suit in range(SUIT_COUNT))]
    return table


RELATIONS: Final = _relations()
