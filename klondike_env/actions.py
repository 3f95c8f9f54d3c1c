"""The 86 actions: index, move and name (design section 6; the indices are fixed).

A run descends by one, so source and target column fix which card moves: one index, one move, nothing left out.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from klondike_env.cards import SUIT_NAMES
from klondike_env.errors import ActionError

ACTION_COUNT: Final = 86
TURN_STOCK: Final = 0
WASTE_TO_FOUNDATION: Final = 1
WASTE_TO_COLUMN: Final = 2
COLUMN_TO_FOUNDATION: Final = 9
TAKE_BACK: Final = 16
COLUMN_TO_COLUMN: Final = 44

_COLUMNS: Final = 7

STOCK_PILE: Final = "stock"
WASTE_PILE: Final = "waste"
FOUNDATION_PILE: Final = "foundation"
COLUMN_PILE: Final = "column"


@dataclass(frozen=True, slots=True)
class Move:
    """An action, taken apart.

    Attributes:
        source: ``"stock"`` (a turn or redeal), ``"waste"``, ``"column"`` or ``"foundation"`` (a take-back).
        target: ``"waste"`` (for the stock), ``"column"`` or ``"foundation"``.
        source_column: Column 1-7 that the cards leave, or None.
        target_column: Column 1-7 that the cards go to, or None.
        suit: Suit 0-3 of the foundation that a card is taken back from, or None.
    """

    source: str
    target: str
    source_column: int | None = None
    target_column: int | None = None
    suit: int | None = None

    def __str__(self) -> str:
        if self.source == STOCK_PILE:
            return "turn the stock, or redeal"
        source = {
            WASTE_PILE: "waste",
            COLUMN_PILE: f"column {self.source_column}",
            FOUNDATION_PILE: f"{SUIT_NAMES[self.suit or 0]} foundation",
        }[self.source]
        target = "foundation" if self.target == FOUNDATION_PILE else f"column {self.target_column}"
        return f"{source} to {target}"


def _all_moves() -> tuple[Move, ...]:
    """List the moves in the order of their indices."""
    columns = range(1, _COLUMNS + 1)
    return (
        Move(STOCK_PILE, WASTE_PILE),
        Move(WASTE_PILE, FOUNDATION_PILE),
        *(Move(WASTE_PILE, COLUMN_PILE, target_column=j) for j in columns),
        *(Move(COLUMN_PILE, FOUNDATION_PILE, source_column=i) for i in columns),
        *(Move(FOUNDATION_PILE, COLUMN_PILE, target_column=j, suit=s) for s in range(4) for j in columns),
        *(Move(COLUMN_PILE, COLUMN_PILE, source_column=i, target_column=j) for i in columns for j in columns if i != j),
    )


MOVES: Final = _all_moves()
"""The move of each action index."""
_TRUTH_VALUES: Final = (bool, np.bool_)
_INDEX_OF_MOVE: Final = {move: index for index, move in enumerate(MOVES)}

COLUMN_MOVE_SOURCE: Final = np.array([(move.source_column or 0) - 1 for move in MOVES], np.int8)
"""int8 array (86,): source column 0-6 of each action, -1 where there is none."""
COLUMN_MOVE_TARGET: Final = np.array([(move.target_column or 0) - 1 for move in MOVES], np.int8)
"""int8 array (86,): target column 0-6 of each action, -1 where there is none."""


def check_action(action: Any) -> int:
    """Return an action index as an int.

    Raises:
        ActionError: It is not a whole number from 0 to 85.
    """
    try:
        index = operator.index(action)
    except TypeError:
        index = -1
    if not 0 <= index < ACTION_COUNT or type(action) in _TRUTH_VALUES:
        raise ActionError(f"action {action!r} is outside the action space; it must be a whole number from 0 to 85")
    return index


def decode_action(action: int) -> Move:
    """Return the move of an action index.

    Raises:
        ActionError: The index is outside 0-85.
    """
    return MOVES[check_action(action)]


def encode_move(move: Move) -> int:
    """Return the action index of a move.

    Raises:
        ActionError: No action is this move, for instance a column to itself.
    """
    index = _INDEX_OF_MOVE.get(move)
    if index is None:
        raise ActionError(f"{move!r} is no move of this game; klondike_env.actions.MOVES lists all 86")
    return index


def action_name(action: int) -> str:
    """Return what an action does, in words: ``"column 2 to column 5"``.

    Raises:
        ActionError: The index is outside 0-85.
    """
    return str(decode_action(action))
