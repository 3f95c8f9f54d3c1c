"""``solve``: tell whether a game can be won, and how."""

from __future__ import annotations

import dataclasses
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from klondike_env.cards import Card
from klondike_env.errors import NotationError, OptionError
from klondike_env.solver import frames
from klondike_env.solver.moves import list_moves
from klondike_env.solver.position import GameLike, SolverPosition, from_bit, pack_position
from klondike_env.solver.search import search
from klondike_env.solver.shorten import shorten_path
from klondike_env.solver.table import move_table
from klondike_env.solver.unfold import write_actions
from klondike_env.view import PlayerView

SOLVER_VERSION: Final = "1"
"""Changed whenever verdicts at a limit, node counts or solutions may change."""

WINNABLE: Final = "winnable"
UNWINNABLE: Final = "unwinnable"
UNKNOWN: Final = "unknown"

DEFAULT_MEMORY_LIMIT: Final = 2**30
"""Bytes."""

_FIRST_SLOTS: Final = 4096
_TABLE_GROWTH: Final = 4
_FIRST_FRAMES: Final = 400
_FIRST_SLICE: Final = 10_000
_SLICE: Final = 100_000
"""Moves between two looks at the clock and at signals: some 10 ms, 50 with a large table."""
_WORD_BYTES: Final = 8
_RELAXED_SHARE: Final = 4
"""One part in so many of the memory goes to the search under easier rules."""


@dataclass(frozen=True, slots=True)
class Solution:
    """What a solve found.

    Attributes:
        verdict: ``"winnable"``, ``"unwinnable"`` (both proved) or ``"unknown"`` (a limit was hit).
        actions: Actions that win from the position solved; empty unless winnable.
        nodes: Positions visited.
        seconds: Time taken.
    """

    verdict: str
    actions: tuple[int, ...]
    nodes: int
    seconds: float


def solve(
    game: GameLike | SolverPosition,
    node_limit: int | None = None,
    time_limit: float | None = None,
    memory_limit: int = DEFAULT_MEMORY_LIMIT,
    should_stop: Callable[[], bool] | None = None,
) -> Solution:
    """Tell whether a game can be won from its present position, all cards known.

    Args:
        game: A ``Game`` at any point, or a ``SolverPosition``.
        node_limit: Give up after visiting so many positions.
        time_limit: Give up after so many seconds.
        memory_limit: Give up when the tables of the search would have to grow past so many bytes. The first ones, some
            hundred kilobytes, are always there.
        should_stop: Asked a few times a second; give up when it answers true.

    Returns:
        The verdict, never a guess; with actions to a win if there is one. They are not the fewest possible.

    Raises:
        OptionError: A limit is not a positive number.
        NotationError: What is given is no game with all its cards.
    """
    check_limits(node_limit, time_limit, memory_limit)
    return _solve(_as_position(game), node_limit, time_limit, memory_limit, should_stop)


def _as_position(game: Any) -> SolverPosition:
    """Return what is to be solved, as the search takes it."""
    if isinstance(game, SolverPosition):
        return game
    if isinstance(game, PlayerView):
        raise NotationError("a PlayerView hides cards, so it cannot be solved; solve games that view.sample(rng) gives")
    if not hasattr(game, "face_down_count"):
        raise NotationError(f"{game!r} is no game to solve; make one, such as with Game.from_code('KL1-D3N-AAAAAAG')")
    return SolverPosition.from_game(game)


def solve_without_pruning(
    game: GameLike | SolverPosition, node_limit: int | None = None, memory_limit: int = DEFAULT_MEMORY_LIMIT
) -> Solution:
    """Solve as ``solve`` does, but try every move of the search's graph: to check the prunings with, and slow."""
    check_limits(node_limit, None, memory_limit)
    return _solve(_as_position(game), node_limit, None, memory_limit, prune=False)


def check_limits(node_limit: Any, time_limit: Any, memory_limit: Any) -> None:
    """Refuse limits that are no positive numbers.

    Raises:
        OptionError: One is not.
    """
    for name, limit in (("node_limit", node_limit), ("time_limit", time_limit), ("memory_limit", memory_limit)):
        if limit is None and name != "memory_limit":
            continue
        # `not > 0` refuses NaN, too.
        if isinstance(limit, bool) or not isinstance(limit, int | float | np.number) or not limit > 0:
            raise OptionError(f"{name} is {limit!r}; it must be a positive number")


class _Search:
    """One search with its stack and its table, advanced slice by slice."""

    def __init__(self, position: SolverPosition, prune: bool, byte_limit: int) -> None:
        self._packed = pack_position(position, prune)
        self._words = int(self._packed.rules[frames.KEY_FORM])
        self._frames = np.zeros((_FIRST_FRAMES, frames.FRAME_WORDS), np.uint64)
        self._frames[0] = self._packed.root
        self._table = np.zeros(_FIRST_SLOTS * self._words, np.uint64)
        self._counters = np.zeros(frames.COUNTER_COUNT, np.int64)
        self.byte_limit = byte_limit
        list_moves(self._frames, 0, self._packed.rules, np.uint64(0), np.uint64(0))

    @property
    def nodes(self) -> int:
        """Positions visited."""
        return int(self._counters[frames.NODES])

    @property
    def path(self) -> list[tuple[int, Card]]:
        """The moves from the root to the present position, as (kind, card); shortened if it is a win."""
        moves = self._frames[1 : int(self._counters[frames.DEPTH]) + 1, frames.MOVE].astype(np.int64)
        return [(move >> 6, from_bit(move & 63)) for move in shorten_path(moves, self._packed).tolist()]

    def advance(self, moves: int) -> int:
        """Search on for some moves; return a state of ``frames``, ``TABLE_FULL`` only when memory is used up."""
        state = search(self._frames, self._counters, self._table, moves, *self._packed.arrays)
        if state == frames.STACK_FULL:
            self._frames = np.concatenate([self._frames, np.zeros_like(self._frames)])
            return frames.RUNNING
        if state == frames.TABLE_FULL and self._grow():
            return frames.RUNNING
        return state

    def _grow(self) -> bool:
        """Make the table larger, unless the limit leaves no room for that."""
        # Old and new table exist side by side for a moment, so the last growth takes what the limit leaves.
        slots = self._table.shape[0] // self._words
        room = (self.byte_limit - self._frames.nbytes) // (_WORD_BYTES * self._words) - slots
        larger = min(slots * _TABLE_GROWTH, room)
        if larger < slots * 3 // 2:
            return False
        new = np.zeros(larger * self._words, np.uint64)
        move_table(self._table, new, self._words, self._words == 1)
        self._table = new
        return True


def _relax(position: SolverPosition) -> SolverPosition | None:
    """Return the same cards under rules that allow all that the position's own rules allow, or None if it has them.

    Draw 1 without limit of passes reaches every talon card at any time. That search is small, and where it proves that
    there is no win, there is none under the stricter rules.
    """
    easy = dataclasses.replace(position, draw=1, passes_left=None, aces="free")
    return None if easy == position else easy


def _solve(
    position: SolverPosition,
    node_limit: int | None,
    time_limit: float | None,
    memory_limit: int,
    should_stop: Callable[[], bool] | None = None,
    prune: bool = True,
) -> Solution:
    """Solve a position, with or without prunings."""
    if position.is_won:
        return Solution(WINNABLE, (), 0, 0.0)
    relaxed = _relax(position) if prune else None
    proof = _Search(position, prune, memory_limit - (memory_limit // _RELAXED_SHARE if relaxed else 0))
    proof.advance(0)  # Compiles, on a first use, before the clock runs.
    start = time.perf_counter()
    searches = [proof]
    waiting = deque(searches)
    verdict = UNKNOWN
    actions: list[int] = []
    slice_moves = _FIRST_SLICE
    while waiting:
        if node_limit is not None:
            # A move visits one position at most.
            slice_moves = int(min(slice_moves, node_limit - sum(each.nodes for each in searches)))
        out_of_time = time_limit is not None and time.perf_counter() - start > time_limit
        if slice_moves <= 0 or out_of_time or (should_stop is not None and should_stop()):
            break
        current = waiting.popleft()
        state = current.advance(slice_moves)
        if state == frames.EXHAUSTED:
            verdict = UNWINNABLE
            break
        if state == frames.WON and current is proof:
            verdict = WINNABLE
            actions = write_actions(position, proof.path)
            break
        if state == frames.RUNNING:
            waiting.append(current)
        if relaxed is not None:
            searches.append(_Search(relaxed, prune, memory_limit // _RELAXED_SHARE))
            waiting.appendleft(searches[1])
            relaxed = None
        slice_moves = _SLICE
    return Solution(verdict, tuple(actions), sum(each.nodes for each in searches), time.perf_counter() - start)
