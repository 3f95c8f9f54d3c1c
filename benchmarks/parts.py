"""``python -m benchmarks.parts``: what a step of the vector env spends its time on."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.measuring import machine, print_json, print_table
from benchmarks.playing import draw_actions
from benchmarks.vector import spread_games
from klondike_env.compiled import compiled
from klondike_env.engine.moves import play, write_legal_mask
from klondike_env.observation import REMEMBERED, update_observation, write_observation
from klondike_env.vector_env import KlondikeVectorEnv

States = Any


@compiled
def play_all(states: States, legal: npt.NDArray[np.int8], actions: npt.NDArray[np.int64]) -> None:
    """Play the rows' actions where they are legal, and nothing else."""
    for row in range(states.shape[0]):
        if legal[row, actions[row]]:
            play(states[row], actions[row])


@compiled
def write_masks(states: States, masks: npt.NDArray[np.int8]) -> None:
    """Write the legal actions of all rows."""
    for row in range(states.shape[0]):
        write_legal_mask(states[row], masks[row])


@compiled
def update_observations(states: States, actions: npt.NDArray[np.int64], observations: npt.NDArray[np.int8]) -> None:
    """Bring all observations up to date."""
    for row in range(states.shape[0]):
        update_observation(states[row], actions[row], REMEMBERED, False, observations[row])


@compiled
def write_observations(states: States, observations: npt.NDArray[np.int8]) -> None:
    """Write all observations in full."""
    for row in range(states.shape[0]):
        write_observation(states[row], REMEMBERED, False, observations[row])


class Stopwatch:
    """Processor time of each part, call by call."""

    def __init__(self) -> None:
        self.times: dict[str, list[float]] = {}

    def time(self, part: str, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function and keep the time it took."""
        start = time.thread_time()
        result = function(*arguments)
        self.times.setdefault(part, []).append(time.thread_time() - start)
        return result

    def nanoseconds(self, part: str, rows: int) -> float:
        """Return the median time of a part for each row."""
        return float(np.median(self.times[part][5:])) / rows * 1e9


def measure(rows: int, rules: str, steps: int) -> dict[str, float]:
    """Return nanoseconds a row of each part, measured while games go on."""
    envs = {copy: KlondikeVectorEnv(rows, rules, threads=1, copy=copy, max_episode_steps=500) for copy in (False, True)}
    masks = {copy: spread_games(env) for copy, env in envs.items()}
    actions = np.zeros(rows, np.int64)
    random_state = np.array([88172645463325252], np.uint64)
    core = envs[False]._rows
    observations = np.zeros((rows, 37 * 52), np.int8)
    target = observations.copy()
    scratch_masks = core.legal.copy()
    watch = Stopwatch()
    for _ in range(steps):
        draw_actions(masks[True], actions, random_state)
        masks[True] = watch.time("step, copies", envs[True].step, actions)[4]["action_mask"]
        draw_actions(masks[False], actions, random_state)
        states, legal = core.states.copy(), core.legal.copy()
        masks[False] = watch.time("step, copy=False", envs[False].step, actions)[4]["action_mask"]
        watch.time("play", play_all, states, legal, actions)
        watch.time("mask", write_masks, states, scratch_masks)
        watch.time("observation, update", update_observations, states, actions, observations)
        watch.time("observation, in full", write_observations, states, observations)
        watch.time("memory: copy of an observation", np.copyto, target, observations)
    return {part: watch.nanoseconds(part, rows) for part in watch.times}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.parts", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--rules", default="D1N", help="rule set (default D1N)")
    parser.add_argument("--rows", type=int, nargs="+", default=[1, 64, 1024, 8192], help="numbers of rows")
    arguments = parser.parse_args()
    figures = {rows: measure(rows, arguments.rules, max(100, min(1000, 300_000 // rows))) for rows in arguments.rows}
    if arguments.json:
        print_json({"rules": arguments.rules, "nanoseconds_per_row": figures})
        return
    print(f"{machine()}; rules {arguments.rules}; nanoseconds a row, processor time of one thread, medians")
    parts = next(iter(figures.values()))
    table = [[part, *(f"{of_rows[part]:,.0f}" for of_rows in figures.values())] for part in parts]
    print_table(["", *(f"{rows} row{'s' * (rows > 1)}" for rows in figures)], table)


if __name__ == "__main__":
    main()
