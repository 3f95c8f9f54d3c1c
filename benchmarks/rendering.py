"""``python -m benchmarks.rendering``: pictures a second beside CartPole's, and the time that a film takes."""

from __future__ import annotations

import argparse
import tempfile
import time
import warnings
from typing import Any

import gymnasium as gym
import numpy as np

from benchmarks.measuring import CLOCKS, Clock, Contestant, machine, measure_in_turn, print_json, print_table


class StepAndRender:
    """Random play with a picture after every step; the time that counts is that of both, or of ``render`` alone."""

    def __init__(self, env: Any, *, render_alone: bool = False) -> None:
        self._env = env
        self._render_alone = render_alone
        self._random = np.random.default_rng(0)
        _, self._info = env.reset(seed=0)

    def play(self, seconds: float, clock: Clock) -> tuple[int, int, float]:
        """Play for some seconds."""
        env = self._env
        steps, games, elapsed = 0, 0, 0.0
        while not steps or elapsed < seconds:
            mask = self._info.get("action_mask")
            action = env.action_space.sample() if mask is None else self._random.choice(np.flatnonzero(mask))
            start = clock()
            _, _, terminated, truncated, self._info = env.step(action)
            if terminated or truncated:
                _, self._info = env.reset()
                games += 1
            if self._render_alone:
                start = clock()
            env.render()
            elapsed += clock() - start
            steps += 1
        return steps, games, elapsed


def film_seconds() -> tuple[float, int]:
    """Return how long it takes to play and film a game with ``RecordVideo``, to the step limit, and its pictures."""
    from gymnasium.wrappers import RecordVideo

    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = time.perf_counter()
        env = RecordVideo(gym.make("klondike_env:Klondike-v0", rules="D3N", render_mode="rgb_array"), folder)
        _, info = env.reset(seed=0)
        random = np.random.default_rng(0)
        pictures, over = 1, False
        while not over:
            action = int(random.choice(np.flatnonzero(info["action_mask"])))
            _, _, terminated, truncated, info = env.step(action)
            over = terminated or truncated
            pictures += 1
        env.close()
        return time.perf_counter() - start, pictures


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.rendering", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    parser.add_argument("--seconds", type=float, default=2.0, help="seconds for each contestant (default 2)")
    parser.add_argument("--clock", default="cpu", choices=CLOCKS, help="wall, or processor time (default cpu)")
    arguments = parser.parse_args()

    ours: dict[str, Any] = {"id": "klondike_env:Klondike-v0", "rules": "D3N", "render_mode": "rgb_array"}
    contestants = [
        Contestant("Klondike, render", StepAndRender(gym.make(**ours), render_alone=True).play),
        Contestant("Klondike, step and render", StepAndRender(gym.make(**ours)).play),
        Contestant(
            "CartPole, render", StepAndRender(gym.make("CartPole-v1", render_mode="rgb_array"), render_alone=True).play
        ),
        Contestant("CartPole, step and render", StepAndRender(gym.make("CartPole-v1", render_mode="rgb_array")).play),
    ]
    measure_in_turn(contestants, arguments.seconds, CLOCKS[arguments.clock])
    reference = contestants[-1].median
    figures = {
        contestant.name: {
            "pictures_per_second": round(contestant.median),
            "ratio_to_cartpole": round(contestant.median / reference, 2),
        }
        for contestant in contestants
    }
    seconds, pictures = film_seconds()
    film = {"seconds": round(seconds, 2), "pictures": pictures}
    if arguments.json:
        print_json({"clock": arguments.clock, "contestants": figures, "film": film})
        return
    print(f"{machine()}; 720 x 540 beside CartPole's 600 x 400, medians; {arguments.clock} clock")
    print_table(
        ["", "pictures/s", "x CartPole, step and render"],
        [[name, *(f"{value:,}" for value in row.values())] for name, row in figures.items()],
    )
    print(f"\nfilm of a game played at random, {pictures} pictures, with RecordVideo: {seconds:.1f} s")


if __name__ == "__main__":
    main()
