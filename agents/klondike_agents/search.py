"""The search agent: it samples the hidden cards many times and judges each move in all of these games.

It plays from the ``PlayerView`` alone. What it adds to plain rollouts and to hindsight optimisation (Bjarnason, Fern
and Tadepalli, "Lower bounding Klondike solitaire with Monte-Carlo planning", ICAPS 2009) is that both are averaged, one
too low and the other too high; that candidates that fall behind in the same samples are dropped; and that moves back
to a position that it has decided in are no candidates, so that it does not put off for ever what can be done later.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from klondike_agents.greedy import new_minds
from klondike_agents.greedy_moves import MOVE_DTYPE
from klondike_agents.greedy_weights import weight_table
from klondike_agents.search_kernel import (
    MAX_CANDIDATES,
    MEMORY,
    MIND_ROWS,
    SOLVER_BUDGET,
    STATE_ROWS,
    begin_decision,
    best_possible,
    commit,
    count_unknown_cards,
    judge_samples,
    sample_settings,
)
from klondike_env.actions import TURN_STOCK
from klondike_env.compiled import JIT_DISABLED
from klondike_env.engine.state import new_states
from klondike_env.errors import OptionError
from klondike_env.evaluation.thoughts import Thoughts
from klondike_env.solver import WINNABLE, solve
from klondike_env.solver.quick import new_search_room
from klondike_env.view import PlayerView

if TYPE_CHECKING:
    from klondike_agents.search_guide import NetworkGuide

DEFAULT_SIMULATIONS: Final = 128
BATCH: Final = 16
"""Samples between two looks at which candidates have fallen behind."""
LONGEST_TIMED: Final = 100_000
"""Samples of a decision that is bounded by time alone."""
DROP_BEYOND: Final = 2.0
"""A candidate is dropped when it is so many standard deviations of the paired difference behind the best."""
TRUST_BEYOND: Final = 0.75
"""The guide's choice, by default the greedy player's, stands unless another candidate is so many deviations ahead."""
ADVICE_DEPTH: Final = 2
ENDGAME_NODES: Final = 20_000


class SearchPolicy:
    """A player that judges moves in sampled games, as strong as its budget.

    Attributes:
        name: ``"search"``, with the budget if it is not the default.
        thoughtful: False: it sees what a player sees.
        thoughts: What it expected of the moves of its last decision; None if there was nothing to decide.
    """

    thoughtful = False

    def __init__(
        self,
        simulations: int | None = None,
        seconds_per_move: float | None = None,
        threads: int = 1,
        guide: str = "greedy",
    ) -> None:
        """Make a player.

        Args:
            simulations: The most samples of the hidden cards that a decision looks at. 128 by default, or without bound
                if ``seconds_per_move`` is given.
            seconds_per_move: The most seconds that a decision takes. Results then depend on the machine.
            threads: Threads that share the samples of a decision. Results do not depend on it.
            guide: Whose choice stands where samples do not tell moves apart: ``"greedy"``, or ``"ppo"`` or a training
                run's folder for a network, which also tells which moves are worth sampling.

        Raises:
            OptionError: A budget that is no positive number, or no such guide.
        """
        for option, value in (("simulations", simulations), ("threads", threads)):
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
                raise OptionError(f"{option} is {value!r}; it must be a whole number of at least 1")
        if seconds_per_move is not None and (
            isinstance(seconds_per_move, bool)
            or not isinstance(seconds_per_move, int | float)
            or not 0 < seconds_per_move < float("inf")
        ):
            raise OptionError(f"seconds_per_move is {seconds_per_move!r}; it must be a positive number")
        if not isinstance(guide, str):
            raise OptionError(f"guide is {guide!r}; it must be 'greedy', 'ppo' or the folder of a training run")
        self._seconds = seconds_per_move
        if simulations is None:
            simulations = DEFAULT_SIMULATIONS if seconds_per_move is None else LONGEST_TIMED
        self._simulations = simulations
        options = [f"simulations={simulations}"] if simulations not in (DEFAULT_SIMULATIONS, LONGEST_TIMED) else []
        options += [f"seconds_per_move={seconds_per_move:g}"] if seconds_per_move is not None else []
        options += [f"guide={guide}"] if guide != "greedy" else []
        self.name = " ".join(["search", *options])
        self._guide: NetworkGuide | None = None
        if guide != "greedy":
            from klondike_agents.search_guide import NetworkGuide

            self._guide = NetworkGuide(guide)
        self.thoughts: Thoughts | None = None
        self._weights = weight_table()
        self._candidates = _records(MAX_CANDIDATES, MOVE_DTYPE)
        self._workers = [_Worker() for _ in range(threads)]
        self._pool: ThreadPoolExecutor | None = None
        self._seed = 0
        self._decisions = 0
        self._plan: list[int] = []
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Begin a new game.

        Args:
            seed: Seed of all samples in this game, 0 to 2**64 - 1.
        """
        self._minds = new_minds(MIND_ROWS)
        self._seed = seed
        self._decisions = 0
        self._plan = []
        self.thoughts = None

    def act(self, view: PlayerView) -> int:
        """Return a legal action of a view."""
        self.thoughts = None
        if self._plan and view.is_legal(self._plan[0]):
            return self._plan.pop(0)
        states = view.states
        worker = self._workers[0]
        answer = int(begin_decision(states, self._minds, worker.states, self._weights, ADVICE_DEPTH, self._candidates))
        if answer >= 0:
            return answer
        self._decisions += 1
        if count_unknown_cards(states) <= 1:
            # The last unknown card lies in the last unknown place, so all is known.
            solution = solve(view.sample(np.random.default_rng(0)), node_limit=ENDGAME_NODES)
            if solution.verdict == WINNABLE:
                self._plan = list(solution.actions)
                self.thoughts = Thoughts({self._plan[0]: 1.0}, 1.0, {self._plan[0]: 1.0})
                return self._plan.pop(0)
        count = -answer
        if self._guide is not None:
            count = self._guide.arrange(states, self._minds, self._candidates, count)
            if count == 1:
                return int(commit(states, self._minds, self._candidates, 0))
        return self._decide(states, count)

    @property
    def gave_up(self) -> bool:
        """Whether the player has seen no way on in this game, as ``GreedyPolicy.gave_up``."""
        return bool(self._minds["gave_up"][MEMORY] > 0)

    def _decide(self, states: npt.NDArray[Any], count: int) -> int:
        """Judge the candidates in sampled games and return the best one's first action."""
        deadline = None if self._seconds is None else time.perf_counter() + self._seconds
        settings = sample_settings(int(states["draw"][0]), bool(states["vegas"][0]))
        best_worth = best_possible(settings)
        seed = np.uint64(np.random.SeedSequence([self._seed, self._decisions]).generate_state(1, np.uint64)[0])
        most = self._simulations if count_unknown_cards(states) > 1 else 1
        values = np.zeros((count, 0), np.float32)
        alive = np.arange(count)
        judged = np.zeros(count, np.int64)  # samples that each candidate was judged in
        done = 0
        while done < most and len(alive) > 1:
            last = min(done + BATCH, most)
            values = np.concatenate([values, np.zeros((count, last - done), np.float32)], axis=1)
            self._judge(states, settings, alive, seed, done, last, values)
            done = last
            judged[alive] = done
            alive = _still_in(values, alive)
            if done >= 2 * BATCH and (values[alive[0]].min() >= best_worth - 1e-3 or values[alive].max() <= 0.0):
                # Always won, or never by any: more samples would tell nothing.
                break
            if deadline is not None and time.perf_counter() > deadline:
                break
        best = _choose(values, alive)
        self.thoughts = self._explain(_expected(values, judged, best) / best_worth, best)
        return int(commit(states, self._minds, self._candidates, best))

    def _judge(
        self,
        states: npt.NDArray[Any],
        settings: npt.NDArray[np.float64],
        alive: npt.NDArray[np.int64],
        seed: np.uint64,
        first: int,
        last: int,
        values: npt.NDArray[np.float32],
    ) -> None:
        """Write the values of candidates in samples ``first`` to ``last``, on several threads if there are."""

        def judge(worker: _Worker, start: int, stop: int) -> None:
            judge_samples(
                states,
                self._minds,
                worker.minds,
                worker.states,
                worker.room,
                self._weights,
                settings,
                self._candidates,
                alive,
                seed,
                start,
                stop,
                values,
            )

        if len(self._workers) == 1:
            judge(self._workers[0], first, last)
            return
        if self._pool is None:
            self._pool = ThreadPoolExecutor(len(self._workers))
        edges = np.linspace(first, last, len(self._workers) + 1).astype(int).tolist()
        list(self._pool.map(judge, self._workers, edges[:-1], edges[1:]))

    def _explain(self, means: npt.NDArray[np.float64], best: int) -> Thoughts:
        """Return what was expected of the moves, by the action that each begins with."""
        expected: dict[int, float] = {}
        for number in range(len(means)):
            move = self._candidates[number]
            action = TURN_STOCK if move["turns"] > 0 else int(move["action"])
            expected[action] = max(expected.get(action, 0.0), float(means[number]))
        move = self._candidates[best]
        chosen = TURN_STOCK if move["turns"] > 0 else int(move["action"])
        return Thoughts({chosen: 1.0}, float(means[best]), expected, unit="share of sampled games won")

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy needs; threads are its own."""
        return {**self.__dict__, "_pool": None}


class _Worker:
    """The memory that one thread works in."""

    def __init__(self) -> None:
        self.minds = new_minds(MIND_ROWS)
        self.states = new_states(STATE_ROWS)
        self.room = new_search_room(SOLVER_BUDGET)


def _records(count: int, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """Return empty records that plain Python can read fields of as attributes, too."""
    records = np.zeros(count, dtype)
    return records.view(np.recarray) if JIT_DISABLED else records


def _expected(values: npt.NDArray[np.float32], judged: npt.NDArray[np.int64], best: int) -> npt.NDArray[np.float64]:
    """Return what each candidate is worth by its samples.

    A candidate that was dropped has been judged in the first samples only. What it lay behind the chosen one there is
    taken off the chosen one's mean over all, so that it does not look better for having had easy samples.
    """
    behind = np.array([(values[best, :n] - values[i, :n]).mean() for i, n in enumerate(judged.tolist())], np.float64)
    worth: npt.NDArray[np.float64] = np.maximum(float(values[best, : judged[best]].mean()) - behind, 0.0)
    return worth


def _choose(values: npt.NDArray[np.float32], alive: npt.NDArray[np.int64]) -> int:
    """Return the candidate to play.

    Where the samples do not tell candidates apart, the one with the best mean is so by chance, and the guide's own,
    candidate 0, is better than chance.
    """
    best = int(alive[int(np.argmax(values[alive].sum(axis=1)))])
    if alive[0] == 0:
        ahead = values[best] - values[0]
        if ahead.sum() <= TRUST_BEYOND * np.sqrt((ahead**2).sum() + 1.0):
            return 0
    return best


def _still_in(values: npt.NDArray[np.float32], alive: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the candidates that may still be best, the guide's among equals first."""
    judged = values[alive]
    best = int(np.argmax(judged.sum(axis=1)))
    behind = judged[best] - judged
    deviation = np.sqrt((behind**2).sum(axis=1) + 1.0)
    kept: npt.NDArray[np.int64] = alive[behind.sum(axis=1) <= DROP_BEYOND * deviation]
    return kept
