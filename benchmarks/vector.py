"""``python -m benchmarks.vector``: the native vector env beside OpenSpiel and other vector envs, in one table."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.measuring import CLOCKS, Clock, Contestant, machine, measure_in_turn, print_json, print_table
from benchmarks.openspiel import openspiel_contestants
from benchmarks.peers import peer_contestants
from benchmarks.playing import draw_actions, step_without_observation
from klondike_env.row_threads import available_cores
from klondike_env.rules import RULE_SETS
from klondike_env.vector_env import KlondikeVectorEnv

ROW_COUNTS = (64, 1024, 8192)
STEP_LIMIT = 500
RESET_GROUPS = 50


def spread_games(envs: KlondikeVectorEnv, seed: int = 0) -> npt.NDArray[np.int8]:
    """Bring the rows to different points of their games, and return their masks."""
    masks = envs.reset(seed=seed)[1]["action_mask"]
    actions = np.zeros(envs.num_envs, np.int64)
    random_state = np.array([88172645463325252], np.uint64)
    groups = np.arange(envs.num_envs) % RESET_GROUPS
    for group in range(RESET_GROUPS):
        for _ in range(STEP_LIMIT // RESET_GROUPS):
            draw_actions(masks, actions, random_state)
            masks = envs.step(actions)[4]["action_mask"]
        if group < envs.num_envs:
            envs.reset(options={"reset_mask": groups == group})
        masks = envs.action_masks().astype(np.int8)
    return masks


class VectorRun:
    """Random legal play in a vector env; the time that counts is that of its ``step``."""

    def __init__(self, rows: int, threads: int, copy: bool, rules: str) -> None:
        self.envs = KlondikeVectorEnv(rows, rules, max_episode_steps=STEP_LIMIT, threads=threads, copy=copy)
        self._masks = spread_games(self.envs)
        self._actions = np.zeros(rows, np.int64)
        self._random = np.array([88172645463325252], np.uint64)

    def play(self, seconds: float, clock: Clock) -> tuple[int, int, float]:
        """Play for some seconds."""
        masks, steps, games, elapsed = self._masks, 0, 0, 0.0
        while not steps or elapsed < seconds:
            draw_actions(masks, self._actions, self._random)
            start = clock()
            _, _, terminations, truncations, info = self.envs.step(self._actions)
            elapsed += clock() - start
            masks = info["action_mask"]
            steps += self.envs.num_envs
            games += int(np.count_nonzero(terminations | truncations))
        self._masks = masks
        return steps, games, elapsed

    @property
    def bytes_per_row(self) -> int:
        """Bytes of all arrays that the env holds for a row."""
        arrays = [value for value in vars(self.envs._rows).values() if isinstance(value, np.ndarray)]
        buffers = self.envs._buffers
        if buffers is not None:
            arrays += [getattr(buffers, name) for name in buffers.__slots__]
        return sum(array.nbytes for array in arrays) // self.envs.num_envs


class MaskRun:
    """The same without observations: the compiled loop alone, as a search would use the engine."""

    def __init__(self, rows: int, rules: str) -> None:
        envs = KlondikeVectorEnv(rows, rules, max_episode_steps=STEP_LIMIT, threads=1)
        spread_games(envs)
        self._rows = envs._rows
        self._actions = np.zeros(rows, np.int64)
        self._random = np.array([88172645463325252], np.uint64)
        self._numbers = np.array([2_000_000], np.int64)

    def play(self, seconds: float, clock: Clock) -> tuple[int, int, float]:
        """Play for some seconds."""
        rows, steps, games, elapsed = self._rows, 0, 0, 0.0
        while not steps or elapsed < seconds:
            draw_actions(rows.legal, self._actions, self._random)
            start = clock()
            games += step_without_observation(
                rows.states, rows.legal, rows.elapsed, self._actions, STEP_LIMIT, self._numbers
            )
            elapsed += clock() - start
            steps += rows.count
        return steps, games, elapsed


def contestants_of(rules: str, row_counts: tuple[int, ...], thread_counts: tuple[int, ...]) -> list[Contestant]:
    """Return our contestants."""
    contestants = []
    for rows in row_counts:
        run = MaskRun(rows, rules)
        contestants.append(Contestant(f"ours, {rows} rows, 1 thread, mask only", run.play, remark="no observation"))
        for copy in (False, True):
            for threads in thread_counts:
                vector_run = VectorRun(rows, threads, copy, rules)
                name = f"ours, {rows} rows, {threads} thread{'s' * (threads > 1)}, {'copies' if copy else 'copy=False'}"
                contestants.append(Contestant(name, vector_run.play, vector_run.bytes_per_row))
    return contestants


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.vector", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--seconds", type=float, default=2.0, help="seconds for each row of the table (default 2)")
    parser.add_argument("--rules", default="D1N", choices=RULE_SETS, help="rule set (default D1N)")
    parser.add_argument("--rows", type=int, nargs="+", default=ROW_COUNTS, help="numbers of rows")
    parser.add_argument(
        "--clock", default="wall", choices=CLOCKS, help="cpu: one thread only, by processor time (default wall)"
    )
    arguments = parser.parse_args()

    spiel = openspiel_contestants()
    peers, missing = peer_contestants()
    thread_counts = (1,) if arguments.clock == "cpu" else tuple(dict.fromkeys((1, available_cores())))
    ours = contestants_of(arguments.rules, tuple(arguments.rows), thread_counts)
    # Peers have threads of their own, which the processor time of this one would leave out.
    contestants = [*spiel, *ours, *(peers if arguments.clock == "wall" else [])]
    measure_in_turn(contestants, arguments.seconds, CLOCKS[arguments.clock])

    reference = spiel[0] if spiel else None
    if not spiel:
        missing = ["OpenSpiel solitaire", *missing]
    if arguments.json:
        print_json(
            {
                "rules": arguments.rules,
                "clock": arguments.clock,
                "contestants": [_figures(c, reference) for c in contestants],
            }
        )
        return
    print(f"{machine()}; rules {arguments.rules}; random legal play; {arguments.clock} clock")
    rows = [_table_row(contestant, reference) for contestant in contestants]
    rows += [[name, "not installed", "", "", "", "", ""] for name in missing]
    print_table(["", "steps/s", "median", "games/s", "x OpenSpiel", "median x", "bytes/row"], rows)


def _figures(contestant: Contestant, reference: Contestant | None) -> dict[str, Any]:
    """Return a contestant's figures."""
    return {
        "name": contestant.name,
        "steps_per_second": round(contestant.best),
        "median_steps_per_second": round(contestant.median),
        "games_per_second": round(contestant.games_per_second, 1),
        "ratio_to_openspiel": None if reference is None else round(contestant.best / reference.best, 2),
        "median_ratio_to_openspiel": None if reference is None else round(contestant.median / reference.median, 2),
        "bytes_per_row": contestant.bytes_per_row,
    }


def _table_row(contestant: Contestant, reference: Contestant | None) -> list[str]:
    """Return a contestant's line of the table."""
    ratio = "" if reference is None else f"{contestant.best / reference.best:.1f}"
    median_ratio = "" if reference is None else f"{contestant.median / reference.median:.1f}"
    return [
        contestant.name,
        f"{contestant.best:,.0f}",
        f"{contestant.median:,.0f}",
        f"{contestant.games_per_second:,.0f}",
        ratio,
        median_ratio,
        "" if contestant.bytes_per_row is None else f"{contestant.bytes_per_row:,}",
    ]


if __name__ == "__main__":
    main()
