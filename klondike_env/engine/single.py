"""Compiled entry points for one game, as ``Game`` and the env hold it.

A game is a record array: row 0 is the present state, rows 1 to ``UNDO_LIMIT`` a ring of the states before. Arrays
rather than single records cross from Python, since numba passes those fastest.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from klondike_env.cards import CARD_COUNT
from klondike_env.compiled import compiled
from klondike_env.engine.moves import is_lost, is_won, play, write_legal_mask
from klondike_env.engine.state import UNKNOWN, deal_cards
from klondike_env.layout import COLUMN_COUNT

UNDO_LIMIT: Final = 100
"""How many actions can be undone."""

States = Any
"""Record array of ``STATE_DTYPE``."""


@compiled
def start_game(states: States, cards: npt.NDArray[np.int8], game_number: int, legal: npt.NDArray[np.int8]) -> None:
    """Deal cards, int8 array (52,), into row 0, whose rules are set; write legal actions, int8 array (86,)."""
    deal_cards(states[0], cards, game_number)
    write_legal_mask(states[0], legal)


@compiled
def play_action(states: States, undo_row: int, action: int, legal: npt.NDArray[np.int8]) -> int:
    """Keep row 0 in ``undo_row``, play a legal action on it, write the new legal actions, return what ``play`` does."""
    states[undo_row] = states[0]
    unpaid = play(states[0], action)
    write_legal_mask(states[0], legal)
    return unpaid


@compiled
def undo_action(states: States, undo_row: int, legal: npt.NDArray[np.int8]) -> None:
    """Bring the state in ``undo_row`` back to row 0 and write its legal actions."""
    states[0] = states[undo_row]
    write_legal_mask(states[0], legal)


@compiled
def refresh_legal(states: States, legal: npt.NDArray[np.int8]) -> None:
    """Write the legal actions of row 0."""
    write_legal_mask(states[0], legal)


@compiled
def game_is_lost(states: States) -> bool:
    """Return whether the game in row 0 is lost."""
    scratch = np.empty(86, np.int8)
    return is_lost(states[0], write_legal_mask(states[0], scratch))


@compiled
def game_is_won(states: States) -> bool:
    """Return whether the game in row 0 is won."""
    return is_won(states[0])


@compiled
def hide_unknown(states: States, view: States) -> None:
    """Write row 0 to row 0 of ``view``, with every card that the player does not know as -1.

    Unused places of columns and talon become -1 as well, and the game number, which names the deal, goes.
    """
    view[0] = states[0]
    state = view[0]
    state.game_number = -1
    for column in range(COLUMN_COUNT):
        for place in range(state.columns.shape[1]):
            if place < state.face_down[column] or place >= state.lengths[column]:
                state.columns[column, place] = UNKNOWN
    fan_start = state.waste_length - state.fan_length
    for place in range(state.talon.shape[0]):
        card = state.talon[place]
        in_sight = fan_start <= place < state.waste_length
        if place >= state.talon_length or not (in_sight or (state.seen >> np.int64(card)) & 1):
            state.talon[place] = UNKNOWN


@compiled
def write_unknown_cards(view: States, cards: npt.NDArray[np.int8]) -> int:
    """Write the cards whose places row 0 of a view does not tell, in ascending order, and return how many."""
    known = np.int64(0)
    state = view[0]
    for column in range(COLUMN_COUNT):
        known |= state.runs[column]
    for suit in range(4):
        known |= ((np.int64(1) << np.int64(state.foundations[suit])) - 1) << np.int64(13 * suit)
    for place in range(state.talon_length):
        if state.talon[place] >= 0:
            known |= np.int64(1) << np.int64(state.talon[place])
    count = 0
    for card in range(CARD_COUNT):
        if not (known >> np.int64(card)) & 1:
            cards[count] = card
            count += 1
    return count


@compiled
def fill_unknown(view: States, cards: npt.NDArray[np.int8], states: States) -> None:
    """Write row 0 of a view to row 0 of ``states`` with its unknown places taken by ``cards``, in order."""
    states[0] = view[0]
    state = states[0]
    used = 0
    for column in range(COLUMN_COUNT):
        for place in range(state.face_down[column]):
            state.columns[column, place] = cards[used]
            used += 1
    for place in range(state.talon_length):
        if state.talon[place] == UNKNOWN:
            state.talon[place] = cards[used]
            used += 1
