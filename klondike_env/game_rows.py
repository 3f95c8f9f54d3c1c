"""Many games in compiled steps, without Gymnasium: what the vector env and ``GameBatch`` have in common."""

from __future__ import annotations

import operator
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from klondike_env.actions import ACTION_COUNT, MOVES
from klondike_env.cards import CARD_COUNT
from klondike_env.engine.single import UNDO_LIMIT
from klondike_env.engine.state import new_states, set_rules
from klondike_env.errors import ActionError, IllegalActionError, OptionError
from klondike_env.game import Game
from klondike_env.illegal_reasons import illegal_reason
from klondike_env.row_games import RowGame
from klondike_env.row_threads import RowThreads
from klondike_env.rules import Rules
from klondike_env.vector_arrays import Flags, StepArrays
from klondike_env.vector_stepping import TERMINATED, deal_rows, find_bad_action, observe_rows, step_rows

NO_STEP_LIMIT = 2**31 - 1


class GameRows:
    """Rows with one game each, dealt and stepped together.

    Attributes:
        count: How many rows there are.
        states: Record array (count,) of ``STATE_DTYPE``.
        legal: int8 array (count, 86), the legal actions.
        phases: int8 array (count,): ``RUNNING``, ``FRESH``, ``TERMINATED`` or ``TRUNCATED``.
        elapsed: int32 array (count,), steps since the deal.
        statuses: int8 array (count,), status bits of the last step.
        numbers: int64 array (count,), game numbers, -1 for a deck.
    """

    def __init__(
        self, count: int, rules: Rules, *, information: int, squared: bool, reward: int, step_limit: int, threads: int
    ) -> None:
        """Make rows without games.

        Args:
            count: How many rows.
            rules: The rules of most games; a game with others brings its own.
            information: Index in ``INFORMATION``.
            squared: Whether columns are squared up.
            reward: Index in ``REWARDS``.
            step_limit: Steps after which a game is truncated.
            threads: Threads to split the rows among.
        """
        self.count = count
        self.states = new_states(count)
        set_rules(self.states, rules)
        self.legal = np.zeros((count, ACTION_COUNT), np.int8)
        self.phases = np.zeros(count, np.int8)
        self.elapsed = np.zeros(count, np.int32)
        self.statuses = np.zeros(count, np.int8)
        self.numbers = np.zeros(count, np.int64)
        self._row_rules = [rules] * count
        self._actions = np.zeros(count, np.int64)
        self._information = information
        self._squared = squared
        self._reward = reward
        self._step_limit = step_limit
        self._threads = RowThreads(threads)

    def deal(self, rows: npt.NDArray[np.int64], games: list[RowGame], phase: int) -> None:
        """Deal a game in each of some rows.

        Args:
            rows: int64 array (k,), the rows.
            games: The game of each.
            phase: Their phase afterwards: ``RUNNING``, or ``FRESH`` if the next step only shows them.
        """
        decks = np.empty((len(rows), CARD_COUNT), np.int8)
        numbers = np.empty(len(rows), np.int64)
        for place, (row, game) in enumerate(zip(rows.tolist(), games, strict=True)):
            numbers[place] = game.number
            if game.cards is not None:
                decks[place] = game.cards
                numbers[place] = -1
            if game.rules is not self._row_rules[row]:
                set_rules(self.states[row : row + 1], game.rules)
                self._row_rules[row] = game.rules
        deal_rows(self.states, self.legal, self.elapsed, rows, numbers, decks)
        self.numbers[rows] = numbers
        self.phases[rows] = phase

    def observe(self, rows: npt.NDArray[np.int64], out: StepArrays) -> None:
        """Write observation, mask and score of some rows.

        Args:
            rows: int64 array (k,), the rows.
            out: Arrays whose entries of ``rows`` are written.
        """
        observe_rows(
            self.states,
            self.legal,
            self.phases,
            rows,
            self._information,
            self._squared,
            out.planes,
            out.masks,
            out.scores,
        )

    def take_actions(
        self, actions: npt.ArrayLike, must_be_legal: bool, rows: npt.NDArray[np.int64] | None = None
    ) -> None:
        """Check the actions of the next step, and keep them in an array as the compiled step expects it.

        Args:
            actions: Whole numbers 0-85, one a row. Those of rows whose game is not running do not matter.
            must_be_legal: Whether an illegal action is an error.
            rows: int64 array (k,), the rows that the actions are for; None for all. Messages count them from 0.

        Raises:
            ActionError: Wrong dtype, shape or range; the message names the row.
            IllegalActionError: An action is illegal and must not be; the message names the row.
        """
        count = self.count if rows is None else len(rows)
        try:
            given = np.asarray(actions)
        except ValueError as error:
            lists = [row for row, action in enumerate(cast(Any, actions)) if np.ndim(action) > 0]
            raise ActionError(
                f"row {lists[0]}: the action is a list; it must be a whole number from 0 to 85"
            ) from error
        if given.shape != (count,):
            length = len(given) if given.ndim == 1 else 0
            where = f"row {length} has none" if length < count else f"entry {count} belongs to no row"
            raise ActionError(f"actions have shape {given.shape}; it must be ({count},): {where}")
        if given.dtype.kind not in "iu":
            raise ActionError(
                f"actions are of dtype {given.dtype} ({given[0]!r} in row 0); they must be whole numbers from 0 to 85"
            )
        if rows is None:
            np.copyto(self._actions, given, casting="unsafe")
        else:
            self._actions[rows] = given
        bad_row = find_bad_action(self._actions, self.phases, self.legal, must_be_legal)
        if bad_row < 0:
            return
        place = bad_row if rows is None else int(np.searchsorted(rows, bad_row))
        action = int(given[place])
        if not 0 <= action < ACTION_COUNT:
            raise ActionError(
                f"row {place}: action {action} is outside the action space; it must be a whole number from 0 to 85"
            )
        reason = illegal_reason(self.game(bad_row), action)
        raise IllegalActionError(f"row {place}: action {action} ({MOVES[action]}) is not legal: {reason}")

    def step(self, out: StepArrays, update: bool) -> tuple[int, int]:
        """Step all rows with the actions taken.

        Args:
            out: Arrays to write.
            update: Whether ``out`` holds what the last step wrote, so that only changes need to be written.

        Returns:
            How many rows took an illegal action, and how many ended.
        """

        def step_range(first: int, stop: int) -> tuple[int, int]:
            return step_rows(
                first,
                stop,
                self.states,
                self.legal,
                self.phases,
                self.elapsed,
                self._actions,
                self._reward,
                self._step_limit,
                self._information,
                self._squared,
                update,
                out.planes,
                out.masks,
                out.scores,
                out.rewards,
                out.terminations,
                out.truncations,
                self.statuses,
            )

        counts = self._threads.run(step_range, self.count)
        return sum(illegal for illegal, _ in counts), sum(over for _, over in counts)

    def action_masks(self) -> Flags:
        """Return the legal actions as a new bool array (count, 86); all ones where a game was won or lost."""
        masks = self.legal.astype(np.bool_)
        masks[self.phases == TERMINATED] = True
        return masks

    def game(self, row: int) -> Game:
        """Return a copy of a row's game, with nothing to undo."""
        states = new_states(UNDO_LIMIT + 1)
        states[0] = self.states[row]
        return Game(states)

    def close(self) -> None:
        """End the threads; a later step starts new ones."""
        self._threads.close()


def check_positive(name: str, value: Any) -> int:
    """Return an argument that must be a whole number of at least 1.

    Raises:
        OptionError: It is something else.
    """
    try:
        number = 0 if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = 0
    if not 1 <= number < 2**31:
        raise OptionError(f"{name} is {value!r}; it must be a whole number of at least 1 and less than 2**31")
    return number
