"""Small training runs for tests."""

import json
from pathlib import Path
from typing import Any

import numpy as np
from klondike_agents.training.config import TrainingConfig
from klondike_agents.training.files import read_arrays

from klondike_env.suites import Suite, get_suite

SMALL: dict[str, Any] = {
    "rows": 16,
    "rollout_steps": 16,
    "batch": 64,
    "epochs": 2,
    "channels": 4,
    "layers": 1,
    "steps": 2048,
    "imitation_steps": 512,
    "judging_steps": 512,
    "checkpoint_interval": 512,
    "evaluation_interval": 1024,
    "evaluation_games": 4,
    "step_limit": 120,
}


def small(**changes: Any) -> TrainingConfig:
    """Return settings of a run of seconds."""
    return TrainingConfig(**{**SMALL, **changes})


def first_games(suite: str, count: int) -> Suite:
    """Return the first games of a suite."""
    return Suite(suite, get_suite(suite).games[:count])


def same_arrays(first: Path, second: Path) -> bool:
    """Return whether two files hold the same arrays, bit by bit."""
    one, other = read_arrays(first)[0], read_arrays(second)[0]
    return one.keys() == other.keys() and all(np.array_equal(one[name], other[name]) for name in one)


def curve(run: Path) -> list[dict[str, Any]]:
    """Return a run's evaluations without their times."""
    lines = [json.loads(line) for line in (run / "evaluations.jsonl").read_text().splitlines()]
    return [{key: value for key, value in line.items() if key != "seconds"} for line in lines]


class Stopped(Exception):  # noqa: N818  # it is no error
    """Raised to stop a run in the middle."""


def stop_at(steps: int) -> Any:
    """Return a report that stops a run after so many steps."""

    def report(now: int, known: dict[str, float]) -> None:
        if now >= steps:
            raise Stopped

    return report
