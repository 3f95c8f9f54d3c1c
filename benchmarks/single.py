"""``python -m benchmarks.single``: the single env beside OpenSpiel and CartPole; import, compile and start times."""

from __future__ import annotations

import argparse
import importlib.util
import os
import subprocess
import sys
import tempfile
import time
from typing import Any

import gymnasium as gym
import numpy as np

from benchmarks.measuring import CLOCKS, Clock, Contestant, machine, measure_in_turn, print_json, print_table
from benchmarks.openspiel import openspiel_contestants
from benchmarks.playing import draw_actions
from klondike_env.env import KlondikeEnv

FIRST_STEPS = (
    "from klondike_env.env import KlondikeEnv; env = KlondikeEnv(); env.reset(seed=0); env.step(0);"
    "from klondike_env.vector_env import KlondikeVectorEnv; envs = KlondikeVectorEnv(2);"
    "envs.reset(seed=0); envs.step([0, 0]);"
    "envs = KlondikeVectorEnv(2, copy=False); envs.reset(seed=0); envs.step([0, 0])"
)


class LegalPlay:
    """Random legal play with a single env; the time that counts is that of ``step`` and ``reset``."""

    def __init__(self, env: Any) -> None:
        self._env = env
        self._masks = np.zeros((1, 86), np.int8)
        self._actions = np.zeros(1, np.int64)
        self._random = np.array([88172645463325252], np.uint64)
        _, info = env.reset(seed=0)
        self._masks[0] = info["action_mask"]

    def play(self, seconds: float, clock: Clock) -> tuple[int, int, float]:
        """Play for some seconds."""
        env, masks, actions, random_state = self._env, self._masks, self._actions, self._random
        steps, games, elapsed = 0, 0, 0.0
        game_steps = 0
        while not steps or elapsed < seconds:
            draw_actions(masks, actions, random_state)
            action = actions[0]
            start = clock()
            _, _, terminated, truncated, info = env.step(action)
            if terminated or truncated or game_steps >= 500:
                _, info = env.reset()
                games += 1
                game_steps = 0
            elapsed += clock() - start
            game_steps += 1
            steps += 1
            masks[0] = info["action_mask"]
        return steps, games, elapsed


class CartPolePlay:
    """Random play with Gymnasium's CartPole, made with its default wrappers."""

    def __init__(self) -> None:
        self._env = gym.make("CartPole-v1")
        self._env.reset(seed=0)
        self._actions = np.random.default_rng(0).integers(0, 2, 1024)

    def play(self, seconds: float, clock: Clock) -> tuple[int, int, float]:
        """Play for some seconds."""
        steps, games, elapsed = 0, 0, 0.0
        while not steps or elapsed < seconds:
            action = self._actions[steps % 1024]
            start = clock()
            _, _, terminated, truncated, _ = self._env.step(action)
            if terminated or truncated:
                self._env.reset()
                games += 1
            elapsed += clock() - start
            steps += 1
        return steps, games, elapsed


def seconds_of(command: list[str], **variables: str) -> float:
    """Return how long a command runs, in a process of its own."""
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, **variables})
    return time.perf_counter() - start


def start_times() -> dict[str, float]:
    """Return seconds of import, first use without and with compiled code on disk, and of the command line."""
    python = [sys.executable, "-c"]
    times = {
        "import numba and gymnasium": seconds_of([*python, "import numba, gymnasium"]),
        "import klondike_env": seconds_of([*python, "import klondike_env"]),
    }
    with tempfile.TemporaryDirectory() as folder:
        times["first use, nothing compiled yet"] = seconds_of([*python, FIRST_STEPS], NUMBA_CACHE_DIR=folder)
        times["first use, compiled before"] = seconds_of([*python, FIRST_STEPS], NUMBA_CACHE_DIR=folder)
    if importlib.util.find_spec("klondike_env.cli") is not None:
        times["command line, --help"] = seconds_of([sys.executable, "-m", "klondike_env.cli", "--help"])
    return times


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.single", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    parser.add_argument("--seconds", type=float, default=2.0, help="seconds for each contestant (default 2)")
    parser.add_argument("--clock", default="cpu", choices=CLOCKS, help="wall, or processor time (default cpu)")
    arguments = parser.parse_args()

    spiel = openspiel_contestants()
    contestants = [
        *spiel,
        Contestant("KlondikeEnv, bare (env.unwrapped)", LegalPlay(KlondikeEnv()).play),
        Contestant('gym.make("Klondike-v0"), default wrappers', LegalPlay(gym.make("klondike_env:Klondike-v0")).play),
        Contestant('gym.make("CartPole-v1"), default wrappers', CartPolePlay().play),
    ]
    measure_in_turn(contestants, arguments.seconds, CLOCKS[arguments.clock])
    times = start_times()
    reference = spiel[0].median if spiel else None
    figures = {
        contestant.name: {
            "steps_per_second": round(contestant.median),
            "ratio_to_openspiel": None if reference is None else round(contestant.median / reference, 2),
            "ratio_to_cartpole": round(contestant.median / contestants[-1].median, 2),
        }
        for contestant in contestants
    }
    if arguments.json:
        print_json({"clock": arguments.clock, "contestants": figures, "seconds": times})
        return
    print(f"{machine()}; random play, medians; {arguments.clock} clock")
    rows = [
        [name, *("-" if value is None else f"{value:,}" for value in row.values())] for name, row in figures.items()
    ]
    print_table(["", "steps/s", "x OpenSpiel", "x CartPole"], rows)
    print()
    print_table(["", "seconds"], [[name, f"{value:.2f}"] for name, value in times.items()])


if __name__ == "__main__":
    main()
