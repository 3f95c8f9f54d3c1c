"""Writing a path of the search out as actions: turns, redeals, and the run moves that the search left out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from klondike_env.actions import (
    COLUMN_TO_COLUMN,
    COLUMN_TO_FOUNDATION,
    TAKE_BACK,
    TURN_STOCK,
    WASTE_TO_COLUMN,
    WASTE_TO_FOUNDATION,
)
from klondike_env.cards import KING, RANK_COUNT, Card, card_rank, card_suit
from klondike_env.layout import COLUMN_COUNT
from klondike_env.solver import frames
from klondike_env.solver.position import SolverPosition, fits_on

_MOST_TURNS: Final = 64
"""More than turning through the rest of the stock, redealing and turning through all of it."""


class Board:
    """The piles of a position, changed by the actions that are appended to ``actions``."""

    def __init__(self, position: SolverPosition) -> None:
        self.columns = [list(column) for column in position.columns]
        self.face_down = list(position.face_down)
        self.waste = list(position.waste)
        self.stock = list(position.stock)
        self.heights = list(position.heights)
        self.draw = position.draw
        self.aces_must = position.aces == "must"
        self.actions: list[int] = []

    def turn_stock(self) -> None:
        """Turn cards, or redeal when the stock is empty."""
        if self.stock:
            self.waste += self.stock[: self.draw]
            del self.stock[: self.draw]
        else:
            self.stock, self.waste = self.waste, []
        self.actions.append(TURN_STOCK)

    def bring_up(self, card: Card) -> None:
        """Turn the stock until a talon card is on top of the waste."""
        for _ in range(_MOST_TURNS):
            if self.waste and self.waste[-1] == card:
                return
            # Under "must", an ace that comes by has to go up at once; the path then has its move only later.
            if self.aces_must and self.waste and card_rank(self.waste[-1]) == 0:
                self.waste_up()
            else:
                self.turn_stock()
        raise AssertionError(f"card {card} cannot be brought up; the search counted on it")

    def waste_up(self) -> None:
        """Play the waste top to its foundation."""
        self.heights[card_suit(self.waste.pop())] += 1
        self.actions.append(WASTE_TO_FOUNDATION)

    def waste_down(self, target: int) -> None:
        """Play the waste top to a column (0-6)."""
        self.columns[target].append(self.waste.pop())
        self.actions.append(WASTE_TO_COLUMN + target)

    def column_up(self, column: int) -> None:
        """Play the last card of a column to its foundation."""
        self.heights[card_suit(self.columns[column].pop())] += 1
        self._turn_up(column)
        self.actions.append(COLUMN_TO_FOUNDATION + column)

    def take_back(self, suit: int, target: int) -> None:
        """Take the top card of a foundation back to a column."""
        self.heights[suit] -= 1
        self.columns[target].append(RANK_COUNT * suit + self.heights[suit])
        self.actions.append(TAKE_BACK + COLUMN_COUNT * suit + target)

    def move_run(self, source: int, card: Card, target: int) -> None:
        """Move a card and all that lies on it to another column."""
        cards = self.columns[source]
        start = cards.index(card)
        self.columns[target] += cards[start:]
        del cards[start:]
        self._turn_up(source)
        self.actions.append(COLUMN_TO_COLUMN + 6 * source + (target - 1 if target > source else target))

    def _turn_up(self, column: int) -> None:
        """Turn the last card of a column up if it lies face down."""
        self.face_down[column] = min(self.face_down[column], max(0, len(self.columns[column]) - 1))

    def column_of(self, card: Card) -> int:
        """Return the column in which a card lies."""
        return next(j for j, cards in enumerate(self.columns) if card in cards)

    def column_for(self, card: Card) -> int:
        """Return a column that takes a card."""
        if card_rank(card) == KING:
            return next(j for j, cards in enumerate(self.columns) if not cards)
        return next(j for j, cards in enumerate(self.columns) if cards and fits_on(card, cards[-1]))

    def uncover(self, card: Card) -> int:
        """Make a card the last of its column by moving the run on it to its twin; return the column."""
        column = self.column_of(card)
        cards = self.columns[column]
        if cards[-1] != card:
            above = cards[cards.index(card) + 1]
            self.move_run(column, above, self.column_for(above))
        return column


def write_actions(position: SolverPosition, path: Iterable[tuple[int, Card]]) -> list[int]:
    """Return the actions of a path of the search.

    Args:
        position: Where the path begins.
        path: Moves as (kind, card), the kinds as in ``frames``.
    """
    board = Board(position)
    for kind, card in path:
        if kind == frames.UP:
            board.column_up(board.uncover(card))
        elif kind == frames.SHIFT:
            board.move_run(board.column_of(card), card, board.column_for(card))
        elif kind == frames.TALON_UP:
            if board.heights[card_suit(card)] <= card_rank(card):
                board.bring_up(card)
                board.waste_up()
        elif kind == frames.TALON_DOWN:
            board.bring_up(card)
            board.waste_down(board.column_for(card))
        else:
            board.take_back(card_suit(card), board.column_for(card))
    return board.actions
