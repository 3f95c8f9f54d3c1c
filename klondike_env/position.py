"""What a complete game and a player's view have in common: piles, score, passes, legal actions."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from klondike_env.actions import ACTION_COUNT, MOVES, STOCK_PILE, WASTE_PILE, check_action
from klondike_env.cards import RANK_COUNT, SUIT_NAMES, Card, Suit, card_rank, make_card
from klondike_env.engine.single import game_is_won, refresh_legal
from klondike_env.engine.state import UNLIMITED
from klondike_env.errors import PileError
from klondike_env.layout import COLUMN_COUNT
from klondike_env.rules import ACES_RULES, SCORINGS, Rules, format_score


class Position:
    """A position of a game; cards that are not known are -1.

    ``Game`` (all cards known to it) and ``PlayerView`` (what the player knows) are positions. Columns are numbered 1
    to 7, suits 0 to 3 (spades, hearts, diamonds, clubs).
    """

    __slots__ = ("_legal", "_states")

    def __init__(self, states: npt.NDArray[Any]) -> None:
        self._states = states
        self._legal = np.empty(ACTION_COUNT, np.int8)
        refresh_legal(states, self._legal)

    @property
    def _state(self) -> Any:
        return self._states[0]

    @property
    def rules(self) -> Rules:
        """The rules of this game."""
        state = self._state
        return Rules(
            draw=int(state["draw"]),
            passes=None if state["passes"] == UNLIMITED else int(state["passes"]),
            scoring=SCORINGS[state["vegas"]],
            take_back=bool(state["take_back"]),
            aces=ACES_RULES[state["aces"]],
            fan=bool(state["fan"]),
        )

    def column(self, column: int) -> list[Card]:
        """Return the cards of a column (1-7), from the bottom.

        Raises:
            PileError: No such column.
        """
        index = _column_index(column)
        state = self._state
        cards: list[int] = state["columns"][index, : state["lengths"][index]].tolist()
        return cards

    def face_down_count(self, column: int) -> int:
        """Return how many cards of a column (1-7) lie face down.

        Raises:
            PileError: No such column.
        """
        return int(self._state["face_down"][_column_index(column)])

    @property
    def waste(self) -> list[Card]:
        """The waste, from the bottom; the last card is its top."""
        state = self._state
        cards: list[int] = state["talon"][: state["waste_length"]].tolist()
        return cards

    @property
    def waste_in_sight(self) -> list[Card]:
        """The waste cards that lie in sight, the top last."""
        return self.waste[len(self.waste) - int(self._state["fan_length"]) :]

    @property
    def stock(self) -> list[Card]:
        """The stock, from the card that is turned next."""
        state = self._state
        cards: list[int] = state["talon"][state["waste_length"] : state["talon_length"]].tolist()
        return cards

    def foundation_height(self, suit: Suit) -> int:
        """Return how many cards lie on the foundation of a suit (0-3).

        Raises:
            PileError: No such suit.
        """
        if isinstance(suit, bool) or suit not in range(len(SUIT_NAMES)):
            raise PileError(f"suit {suit!r} is none; suits are 0 to 3: {', '.join(SUIT_NAMES)}")
        return int(self._state["foundations"][int(suit)])

    @property
    def founded(self) -> int:
        """How many cards lie on the foundations, 0-52."""
        return int(self._state["foundations"].sum())

    @property
    def score(self) -> int:
        """The score by the scoring table, in points or dollars."""
        return int(self._state["score"])

    @property
    def score_text(self) -> str:
        """The score as a player reads it: ``"45"``, or ``"+$208"``, ``"$0"``, ``"-$52"`` under vegas."""
        return format_score(self.score, SCORINGS[self._state["vegas"]])

    @property
    def pass_number(self) -> int:
        """The present pass through the stock, from 1."""
        return int(self._state["pass_number"])

    @property
    def passes_left(self) -> int | None:
        """How many passes are left after the present one; None without limit."""
        state = self._state
        return None if state["passes"] == UNLIMITED else int(state["passes"] - state["pass_number"])

    @property
    def can_redeal(self) -> bool:
        """Whether the stock is empty and tapping it would redeal."""
        state = self._state
        return bool(state["waste_length"] == state["talon_length"] > 0) and self.passes_left != 0

    @property
    def is_won(self) -> bool:
        """Whether all 52 cards lie on the foundations."""
        return bool(game_is_won(self._states))

    def legal_actions(self) -> list[int]:
        """Return the legal action indices in ascending order; none in a won game."""
        actions: list[int] = np.flatnonzero(self._legal).tolist()
        return actions

    def is_legal(self, action: int) -> bool:
        """Return whether an action (0-85) is legal.

        Raises:
            ActionError: The index is outside 0-85.
        """
        return bool(self._legal[check_action(action)])

    def action_mask(self) -> npt.NDArray[np.int8]:
        """Return the legal actions as a new int8 array of shape (86,), 1 = legal."""
        return self._legal.copy()

    def foundation_top(self, suit: Suit) -> Card | None:
        """Return the top card of a foundation (suit 0-3), or None.

        Raises:
            PileError: No such suit.
        """
        height = self.foundation_height(suit)
        return RANK_COUNT * suit + height - 1 if height else None

    def moved_cards(self, action: int) -> list[Card]:
        """Return the cards that a legal action moves, from the bottom; for the stock, what it turns (-1 = unknown).

        A redeal moves no card that matters and gives an empty list; so does an action that is not legal.

        Raises:
            ActionError: The index is outside 0-85.
        """
        if not self.is_legal(action):
            return []
        move = MOVES[action]
        if move.source == STOCK_PILE:
            return self.stock[: int(self._state["draw"])]
        if move.source == WASTE_PILE:
            return self.waste[-1:]
        if move.suit is not None:
            return [make_card(move.suit, self.foundation_height(move.suit) - 1)]
        cards = self.column(move.source_column or 0)
        if move.target_column is None:
            return cards[-1:]
        # Runs descend by one, so ranks tell how many cards lie from the moved one to the last.
        target = self.column(move.target_column)
        above = card_rank(target[-1]) if target else RANK_COUNT
        return cards[len(cards) - above + card_rank(cards[-1]) :]


def _column_index(column: Any) -> int:
    """Return a column 1-7 as an index 0-6."""
    if isinstance(column, bool) or column not in range(1, COLUMN_COUNT + 1):
        raise PileError(f"column {column!r} is none; columns are 1 to {COLUMN_COUNT}")
    return int(column) - 1
