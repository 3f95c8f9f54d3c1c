"""The state of a game as one fixed-size record, and how a game starts.

Cards are 0-51 (``klondike_env.cards``), columns 0-6 here and 1-7 for people. Sets of cards are int64 bit masks, bit
``c`` for card ``c``: 52 bits never reach the sign, and numba would turn a mix of signed and unsigned into floats.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from klondike_env.cards import CARD_COUNT, KING, RANK_COUNT, card_rank, is_red
from klondike_env.compiled import JIT_DISABLED, compiled
from klondike_env.layout import COLUMN_COUNT, COLUMN_POSITIONS, STOCK_COUNT
from klondike_env.rules import ACES_RULES, SCORING_TABLES, SCORINGS, Rules

MAX_COLUMN: Final = 19
"""The longest column: six face-down cards and a run from king to ace."""
UNKNOWN: Final = -1
"""A card that the player does not know, in the record of a ``PlayerView``."""
UNLIMITED: Final = 0
"""``passes`` without limit."""

State = Any
"""One record of ``STATE_DTYPE``, as compiled functions see it."""

STATE_DTYPE: Final = np.dtype(
    [
        ("runs", np.int64, (COLUMN_COUNT,)),  # face-up cards of each column, as a set
        ("seen", np.int64),  # talon cards that were ever in sight, as a set; cards keep their bit when they leave
        ("paid", np.int64),  # cards whose foundation points were paid as reward, as a set
        ("game_number", np.int64),  # -1: a deal without one
        ("score", np.int32),
        ("passes", np.int32),  # 0: unlimited
        ("pass_number", np.int32),  # the present one, from 1
        ("columns", np.int8, (COLUMN_COUNT, MAX_COLUMN)),  # cards from the bottom; beyond the length undefined
        ("lengths", np.int8, (COLUMN_COUNT,)),
        ("face_down", np.int8, (COLUMN_COUNT,)),  # the lowest so many cards of a column lie face down
        ("talon", np.int8, (STOCK_COUNT,)),  # waste from the bottom, then stock from the next to be turned
        ("talon_length", np.int8),
        ("waste_length", np.int8),
        ("fan_length", np.int8),  # cards in sight at the top of the waste
        ("foundations", np.int8, (4,)),  # cards on each foundation, 0-13
        ("draw", np.int8),
        ("vegas", np.int8),
        ("take_back", np.int8),
        ("aces", np.int8),  # index in ACES_RULES
        ("fan", np.int8),
        ("started", np.int8),  # whether a move was made, so that the vegas stake is paid as reward
    ],
    align=True,
)

ACES_FREE: Final = ACES_RULES.index("free")
ACES_MUST: Final = ACES_RULES.index("must")
ACES_FIRST: Final = ACES_RULES.index("first")

# One row a scoring, the columns named below; compiled functions read it as a constant.
_TABLES: Final = [SCORING_TABLES[scoring] for scoring in SCORINGS]
START_SCORE: Final = np.array([table.start for table in _TABLES], np.int32)
FOUNDATION_POINTS: Final = np.array([table.card_to_foundation for table in _TABLES], np.int32)
WASTE_TO_COLUMN_POINTS: Final = np.array([table.waste_to_column for table in _TABLES], np.int32)
TURNED_UP_POINTS: Final = np.array([table.card_turned_up for table in _TABLES], np.int32)
COLUMN_TO_COLUMN_POINTS: Final = np.array([table.column_to_column for table in _TABLES], np.int32)
TAKE_BACK_POINTS: Final = np.array([table.take_back for table in _TABLES], np.int32)
REDEAL_POINTS: Final = np.array([table.redeal for table in _TABLES], np.int32)
REDEAL_FLOOR: Final = np.array([table.redeal_floor for table in _TABLES], np.int32)


def _card_set(*cards: int) -> int:
    """Return cards as a bit mask."""
    return sum(1 << card for card in cards)


KINGS: Final = _card_set(*(card for card in range(CARD_COUNT) if card_rank(card) == KING))
"""What an empty column takes."""
TAKES: Final = np.array(
    [
        _card_set(*(c for c in range(CARD_COUNT) if card_rank(c) == card_rank(on) - 1 and is_red(c) != is_red(on)))
        for on in range(CARD_COUNT)
    ],
    np.int64,
)
"""What each card takes on it in a column: one rank lower, of the other colour."""
RANKS_UP_TO: Final = np.array(
    [_card_set(*(c for c in range(CARD_COUNT) if card_rank(c) <= rank)) for rank in range(RANK_COUNT)], np.int64
)
"""All cards of a rank and below: in a run, a card and everything on it."""

_COLUMN_POSITIONS: Final = np.full((COLUMN_COUNT, COLUMN_COUNT), -1, np.int8)
for _column in range(COLUMN_COUNT):
    _COLUMN_POSITIONS[_column, : _column + 1] = COLUMN_POSITIONS[_column]
_STOCK_START: Final = CARD_COUNT - STOCK_COUNT


def new_states(count: int) -> npt.NDArray[Any]:
    """Return ``count`` empty state records; deal cards and set rules before use."""
    states = np.zeros(count, STATE_DTYPE)
    # Plain Python reads fields as attributes only from record arrays; compiled code does so from any.
    return states.view(np.recarray) if JIT_DISABLED else states


def set_rules(states: npt.NDArray[Any], rules: Rules) -> None:
    """Write a rule set into state records."""
    states["draw"] = rules.draw
    states["passes"] = UNLIMITED if rules.passes is None else rules.passes
    states["vegas"] = SCORINGS.index(rules.scoring)
    states["take_back"] = rules.take_back
    states["aces"] = ACES_RULES.index(rules.aces)
    states["fan"] = rules.fan


@compiled
def deal_cards(state: State, cards: npt.NDArray[np.int8], game_number: int) -> None:
    """Start a game: deal the cards into a state whose rules are set.

    Args:
        state: Record, written.
        cards: int8 array of shape (52,) in deal order.
        game_number: The number that gives these cards, or -1.
    """
    for column in range(COLUMN_COUNT):
        for depth in range(column + 1):
            state.columns[column, depth] = cards[_COLUMN_POSITIONS[column, depth]]
        state.lengths[column] = column + 1
        state.face_down[column] = column
        state.runs[column] = np.int64(1) << np.int64(state.columns[column, column])
    for place in range(STOCK_COUNT):
        state.talon[place] = cards[_STOCK_START + place]
    state.talon_length = STOCK_COUNT
    state.waste_length = 0
    state.fan_length = 0
    for suit in range(4):
        state.foundations[suit] = 0
    state.seen = 0
    state.paid = 0
    state.game_number = game_number
    state.pass_number = 1
    state.score = START_SCORE[state.vegas]
    state.started = 0
