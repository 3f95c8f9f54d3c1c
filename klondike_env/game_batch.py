"""Many fixed games played at once by whoever chooses the actions, for evaluation.

    batch = GameBatch(games, rows=256)
    while not batch.is_done:
        for result in batch.step(policy(batch.observations, batch.masks)):
            ...

Each game is played once, and what happens in it depends on its own actions only: not on the number of rows, the order
in which games end, or threads.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from klondike_env.errors import EpisodeError, OptionError
from klondike_env.game_rows import NO_STEP_LIMIT, GameRows, check_positive
from klondike_env.observation import information_index
from klondike_env.row_games import RowGame
from klondike_env.row_threads import default_thread_count
from klondike_env.rules import Rules
from klondike_env.stepping import SCORE_REWARD
from klondike_env.vector_arrays import StepArrays
from klondike_env.vector_stepping import RUNNING, TERMINATED

DEFAULT_ROWS = 256


class NumberedGame(Protocol):
    """A game to play: ``klondike_env.suites.FixedGame`` is one.

    Attributes:
        number: The game number.
        rules: The rules it is played under.
    """

    @property
    def number(self) -> int: ...  # noqa: D102

    @property
    def rules(self) -> Rules: ...  # noqa: D102


class FinishedGame(NamedTuple):
    """How a game ended.

    Attributes:
        game: Its place in the list of games.
        won: Whether it was won.
        score: Its score by the table.
        paid: What ``reward="score"`` paid in all: the score without points for a card that was founded before.
        founded: Cards on the foundations, 0-52.
        steps: How many actions were played.
        terminated: Whether it was won or lost.
        truncated: Whether the step limit was reached; both may be true.
    """

    game: int
    won: bool
    score: int
    paid: int
    founded: int
    steps: int
    terminated: bool
    truncated: bool


class GameBatch:
    """Plays a list of games, up to ``rows`` of them at once."""

    def __init__(
        self,
        games: Iterable[NumberedGame],
        *,
        rows: int = DEFAULT_ROWS,
        information: str = "remembered",
        squared: bool = False,
        step_limit: int | None = None,
        threads: int | None = None,
    ) -> None:
        """Deal the first games.

        Args:
            games: The games, each with a ``number`` and ``rules``.
            rows: How many are played at once.
            information: What is observed, as for ``KlondikeEnv``.
            squared: Whether columns are squared up.
            step_limit: Actions after which a game is truncated; None for without limit.
            threads: Threads to split the rows among; by default as many as pay off.

        Raises:
            OptionError: An argument has a value that it cannot take, or there are no games.
        """
        self._waiting = [RowGame(game.number, None, game.rules) for game in games]
        if not self._waiting:
            raise OptionError("there are no games to play")
        self._waiting.reverse()
        count = min(check_positive("rows", rows), len(self._waiting))
        self._rows = GameRows(
            count,
            self._waiting[-1].rules,
            information=information_index(information),
            squared=squared,
            reward=SCORE_REWARD,
            step_limit=NO_STEP_LIMIT if step_limit is None else check_positive("step_limit", step_limit),
            threads=default_thread_count(count) if threads is None else check_positive("threads", threads),
        )
        self._out = StepArrays(count)
        self._indices = np.arange(count)
        self._paid = np.zeros(count)
        self._next_index = 0
        self._rows.phases[:] = TERMINATED
        self._deal(np.arange(count))

    @property
    def is_done(self) -> bool:
        """Whether every game has ended."""
        return len(self._active) == 0

    @property
    def indices(self) -> npt.NDArray[np.int64]:
        """The places, in the list of games, of those being played now: int64 array (active,)."""
        return self._indices[self._active]

    @property
    def observations(self) -> npt.NDArray[np.int8]:
        """The observations of the games being played now: new int8 array (active, 37, 4, 13)."""
        return self._out.observations[self._active]

    @property
    def masks(self) -> npt.NDArray[np.int8]:
        """Their legal actions: new int8 array (active, 86), 1 = legal."""
        return self._out.masks[self._active]

    def step(self, actions: npt.ArrayLike) -> list[FinishedGame]:
        """Play one action in each game being played now.

        Args:
            actions: Whole numbers 0-85, shape (active,), in the order of ``indices``.

        Returns:
            The games that have ended. The next games have taken their places.

        Raises:
            EpisodeError: Every game has ended.
            ActionError: Wrong dtype, shape or range; the message names the row of ``observations``.
            IllegalActionError: An action is illegal; the message names the row. No game has been stepped.
        """
        if self.is_done:
            raise EpisodeError("every game has ended; make a new GameBatch to play on")
        self._rows.take_actions(actions, must_be_legal=True, rows=self._active)
        self._rows.step(self._out, update=True)
        self._paid[self._active] += self._out.rewards[self._active]
        over = np.flatnonzero(self._out.terminations | self._out.truncations)
        if not len(over):
            return []
        results = [self._result(row) for row in over.tolist()]
        self._deal(over)
        return results

    def _result(self, row: int) -> FinishedGame:
        """Return how the game of a row ended."""
        state = self._rows.states[row]
        founded = int(state["foundations"].sum())
        return FinishedGame(
            int(self._indices[row]),
            founded == 52,
            int(state["score"]),
            int(self._paid[row]),
            founded,
            int(self._rows.elapsed[row]),
            bool(self._out.terminations[row]),
            bool(self._out.truncations[row]),
        )

    def _deal(self, rows: npt.NDArray[np.int64]) -> None:
        """Deal the next games in some rows, as far as there are any."""
        rows = rows[: len(self._waiting)]
        games = [self._waiting.pop() for _ in rows]
        self._rows.deal(rows, games, RUNNING)
        self._rows.observe(rows, self._out)
        self._paid[rows] = 0
        self._indices[rows] = np.arange(self._next_index, self._next_index + len(rows))
        self._next_index += len(rows)
        self._active = np.flatnonzero(self._rows.phases == RUNNING)
