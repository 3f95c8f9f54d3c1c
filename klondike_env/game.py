"""``Game``: a game as a person plays it, with undo, taps and text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from klondike_env.actions import COLUMN_PILE, COLUMN_TO_FOUNDATION, MOVES, TURN_STOCK, WASTE_TO_FOUNDATION, check_action
from klondike_env.board_text import board_text
from klondike_env.cards import SUIT_NAMES, Card
from klondike_env.codes import CODE_MODES, GameCode, format_code, parse_code
from klondike_env.deals import Deal
from klondike_env.engine.single import (
    UNDO_LIMIT,
    game_is_lost,
    hide_unknown,
    play_action,
    start_game,
    undo_action,
)
from klondike_env.engine.state import STATE_DTYPE, new_states, set_rules
from klondike_env.errors import DealError, IllegalActionError, PileError, RulesError, UndoError
from klondike_env.illegal_reasons import illegal_reason
from klondike_env.layout import COLUMN_COUNT
from klondike_env.notation import format_position, list_faults, parse_position
from klondike_env.position import Position
from klondike_env.rules import RULE_FIELDS, Rules, make_rules
from klondike_env.view import PlayerView


class Game(Position):
    """One game of Klondike, all cards known to it.

    Make one with ``from_code``, ``from_number``, ``from_deck`` or ``from_notation``. Rules may be overridden one by
    one as keywords: ``Game.from_number(6, rules="D3N", passes=3)``.
    """

    __slots__ = ("_deal", "_next_undo_row", "_undo_count")

    def __init__(self, states: npt.NDArray[Any], deal: Deal | None = None) -> None:
        """Take over a record array of ``UNDO_LIMIT + 1`` rows, whose row 0 is the position.

        Raises:
            DealError: Something else is given, such as a deal; the message names what to call instead.
        """
        if getattr(states, "dtype", None) is None or states.dtype.names != STATE_DTYPE.names:
            raise DealError(
                "Game(…) takes over a record array; start a game with Game.from_code, from_number or from_deck"
            )
        super().__init__(states)
        self._deal = deal
        self._undo_count = 0
        self._next_undo_row = 1

    @classmethod
    def from_deal(cls, deal: Deal, rules: str | Rules = "D1N", **overrides: Any) -> Game:
        """Start a game from a deal.

        Args:
            deal: The deal.
            rules: A rule set or its name.
            **overrides: Single rules, as ``make_rules`` takes them.

        Raises:
            RulesError: No such rule set, or a wrong override.
        """
        states = new_states(UNDO_LIMIT + 1)
        set_rules(states[:1], _rules_with(rules, overrides))
        game = cls(states, deal)
        game.restart()
        return game

    @classmethod
    def from_code(cls, code: str | GameCode, **overrides: Any) -> Game:
        """Start the game of a code, under the code's own rule set.

        Raises:
            GameCodeError: The code names no game.
            RulesError: A wrong override.
        """
        game_code = code if isinstance(code, GameCode) else parse_code(code)
        return cls.from_deal(Deal.from_number(game_code.number), _rules_with(game_code.rules, overrides))

    @classmethod
    def from_number(cls, number: int, rules: str | Rules = "D1N", **overrides: Any) -> Game:
        """Start the game of a number, 0 to 4294967295.

        Raises:
            GameCodeError: The number is out of range.
            RulesError: No such rule set, or a wrong override.
        """
        return cls.from_deal(Deal.from_number(number), _rules_with(rules, overrides))

    @classmethod
    def from_deck(cls, deck: str | Iterable[Card] | Deal, rules: str | Rules = "D1N", **overrides: Any) -> Game:
        """Start a game from 52 cards in deal order.

        Args:
            deck: The cards as text (``"4S 9C QH …"``), as numbers 0-51, or a ``Deal``.
            rules: A rule set or its name.
            **overrides: Single rules, as ``make_rules`` takes them.

        Raises:
            DealError: A card is missing, doubled or unknown.
            RulesError: No such rule set, or a wrong override.
        """
        return cls.from_deal(read_deck_argument(deck), _rules_with(rules, overrides))

    @classmethod
    def from_notation(cls, text: str) -> Game:
        """Read a position, at any point of a game, as ``notation`` writes it. Nothing can be undone in it.

        Raises:
            NotationError: The text cannot be read, or the position breaks an invariant; the message lists them all.
        """
        states = new_states(UNDO_LIMIT + 1)
        parse_position(text, states)
        number = int(states[0]["game_number"])
        return cls(states, None if number < 0 else Deal.from_number(number))

    @property
    def notation(self) -> str:
        """The position as one line of text that ``from_notation`` reads, for bug reports and tests."""
        return format_position(self)

    @property
    def game_number(self) -> int | None:
        """The number of this deal, or None if it has none."""
        number = int(self._state["game_number"])
        return None if number < 0 else number

    @property
    def code(self) -> str | None:
        """The game code: deal, draw and scoring; None if no code names them. Other rules are not part of a code."""
        rules = self.rules
        mode = f"D{rules.draw}{'V' if rules.scoring == 'vegas' else 'N'}"
        number = self.game_number
        return format_code(number, mode) if number is not None and mode in CODE_MODES else None

    @property
    def deal(self) -> Deal | None:
        """The deal that this game started from; None for a sampled game or a position read without a number."""
        return self._deal

    @property
    def deck(self) -> str | None:
        """The 52 cards in deal order as text; None where ``deal`` is None."""
        return None if self._deal is None else str(self._deal)

    @property
    def is_lost(self) -> bool:
        """Whether the game can only be lost from here: no move but turning the stock, now and as far as it goes.

        The answer uses cards that the player may not know. A lost game can be played on and undone.
        """
        return bool(game_is_lost(self._states))

    @property
    def undo_count(self) -> int:
        """How many actions can be undone now, 0-100."""
        return self._undo_count

    def play(self, action: int) -> int:
        """Play an action.

        Args:
            action: Action index, 0-85.

        Returns:
            The change in score.

        Raises:
            ActionError: The index is outside 0-85.
            IllegalActionError: The action is not legal here; nothing has changed.
        """
        index = check_action(action)
        self._check_legal(index)
        before = self.score
        self._play_legal(index)
        return self.score - before

    def play_counting(self, action: int) -> int:
        """Play an action as ``play`` does, and return the points in its change of score that are no reward.

        These are the foundation points of a card that had been on its foundation before; without them the changes of
        score add up to what an episode pays under ``reward="score"``.

        Raises:
            ActionError: The index is outside 0-85.
            IllegalActionError: The action is not legal here; nothing has changed.
        """
        index = check_action(action)
        self._check_legal(index)
        return self._play_legal(index)

    def _check_legal(self, action: int) -> None:
        """Refuse an action (0-85) that is not legal here."""
        if not self._legal[action]:
            raise IllegalActionError(f"action {action} ({MOVES[action]}) is not legal: {illegal_reason(self, action)}")

    def _play_legal(self, action: int) -> int:
        """Play a legal action and return the points in its change of score that are no reward."""
        unpaid = play_action(self._states, self._next_undo_row, action, self._legal)
        self._note_played()
        return int(unpaid)

    def _note_played(self) -> None:
        """Count one more action that can be undone; its state before lies in the next undo row."""
        if self._undo_count < UNDO_LIMIT:
            self._undo_count += 1
        self._next_undo_row = self._next_undo_row % UNDO_LIMIT + 1

    def undo(self) -> None:
        """Take the last action back, score, passes and all that was seen included.

        Raises:
            UndoError: Nothing is left to undo; the last 100 actions are kept.
        """
        if self._undo_count == 0:
            raise UndoError(f"nothing is left to undo; a game keeps its last {UNDO_LIMIT} actions")
        self._next_undo_row = (self._next_undo_row - 2) % UNDO_LIMIT + 1
        self._undo_count -= 1
        undo_action(self._states, self._next_undo_row, self._legal)

    def restart(self) -> None:
        """Deal the same cards again; nothing can be undone afterwards.

        Raises:
            UndoError: The deal is not known (a sampled game, or a position read without a game number).
        """
        if self._deal is None:
            raise UndoError("this game cannot restart: its deal is not known")
        number = -1 if self._deal.number is None else self._deal.number
        start_game(self._states, np.array(self._deal.cards, np.int8), number, self._legal)
        self._undo_count = 0
        self._next_undo_row = 1

    def illegal_reason(self, action: int) -> str | None:
        """Return in one line why an action (0-85) is not legal here, or None if it is.

        Raises:
            ActionError: The index is outside 0-85.
        """
        return None if self.is_legal(action) else illegal_reason(self, check_action(action))

    def tap(self, pile: str | int) -> int | None:
        """Tap a pile: the stock turns or redeals; a top card goes to its foundation if it can.

        Args:
            pile: ``"stock"``, ``"waste"``, ``"column 1"`` … ``"column 7"`` or 1 … 7, or a foundation's suit name, on
                which a tap does nothing.

        Returns:
            The action played, or None if the tap did nothing; ``illegal_reason`` then says why.

        Raises:
            PileError: No such pile.
        """
        action = _tap_action(pile)
        if action is None or not self._legal[action]:
            return None
        self.play(action)
        return action

    def double_tap(self, pile: str | int) -> int | None:
        """Tap a pile twice: as ``tap``, and if the top card cannot go up it looks for a column.

        The longest column that takes the card gets it; an empty one only a king. On the stock it is one tap.

        Args:
            pile: As for ``tap``.

        Returns:
            The action played, or None.

        Raises:
            PileError: No such pile.
        """
        action = self.tap(pile)
        up = _tap_action(pile)
        if action is not None or up is None or up == TURN_STOCK:
            return action
        source = (MOVES[up].source, MOVES[up].source_column)
        choices = [
            choice
            for choice in self.legal_actions()
            if (MOVES[choice].source, MOVES[choice].source_column) == source
            and MOVES[choice].target == COLUMN_PILE
            and len(self.moved_cards(choice)) == 1
        ]
        if not choices:
            return None
        # max keeps the first, so that of equally long columns the leftmost is taken.
        action = max(choices, key=lambda choice: len(self.column(MOVES[choice].target_column or 0)))
        self.play(action)
        return action

    def copy(self) -> Game:
        """Return an independent copy, undo list included."""
        copy = Game(self._states.copy(), self._deal)
        copy._undo_count = self._undo_count
        copy._next_undo_row = self._next_undo_row
        return copy

    def __copy__(self) -> Game:
        return self.copy()

    def view(self) -> PlayerView:
        """Return what the player knows of this position."""
        states = new_states(1)
        hide_unknown(self._states, states)
        return PlayerView(states)

    def validate(self) -> list[str]:
        """Return every broken invariant of this position, in words; an empty list if it is sound."""
        return list_faults(self._states)

    def __str__(self) -> str:
        return board_text(self, self.code or self.rules.name)

    def __repr__(self) -> str:
        return f"Game.from_notation({self.notation!r})"


def read_deck_argument(deck: str | Iterable[Card] | Deal) -> Deal:
    """Return 52 cards, given as text, as numbers 0-51 or as a deal, as a deal.

    Raises:
        DealError: A card is missing, doubled or unknown.
    """
    if isinstance(deck, Deal):
        return deck
    return Deal.from_text(deck) if isinstance(deck, str) else Deal(deck)  # type: ignore[arg-type]  # Deal checks it.


def _rules_with(rules: str | Rules, overrides: dict[str, Any]) -> Rules:
    """Return rules with overrides given as keywords, naming a keyword that is none."""
    unknown = [name for name in overrides if name not in RULE_FIELDS]
    if unknown:
        raise RulesError(f"{unknown[0]!r} is no rule; rules are {', '.join(RULE_FIELDS)}")
    return make_rules(rules, **overrides)


def _tap_action(pile: str | int) -> int | None:
    """Return the action that a tap on a pile stands for, or None for a foundation."""
    name = pile.strip().lower() if isinstance(pile, str) else pile
    if name == "stock":
        return TURN_STOCK
    if name == "waste":
        return WASTE_TO_FOUNDATION
    if name in SUIT_NAMES:
        return None
    column = name.removeprefix("column").strip() if isinstance(name, str) else name
    for number in range(1, COLUMN_COUNT + 1):
        if not isinstance(column, bool) and column in (number, str(number)):
            return COLUMN_TO_FOUNDATION + number - 1
    raise PileError(
        f"{pile!r} is no pile; piles are 'stock', 'waste', 'column 1' to 'column {COLUMN_COUNT}' (or 1 to"
        f" {COLUMN_COUNT}), {', '.join(map(repr, SUIT_NAMES))}"
    )
