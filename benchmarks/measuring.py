"""Measuring contestants beside each other, so that what else a machine does strikes all of them alike."""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

WINDOW_SECONDS = 0.03
"""Short enough that some windows pass undisturbed on a machine that others use too."""

Clock = Callable[[], float]
Window = Callable[[float, Clock], tuple[int, int, float]]
"""Plays for about so many seconds of a clock; returns how many steps and games that were, and the seconds."""

CLOCKS: dict[str, Clock] = {"wall": time.perf_counter, "cpu": time.thread_time}
"""The wall clock, and the processor time of this thread, on which other work on the machine has less influence."""


@dataclass
class Contestant:
    """Something to be measured.

    Attributes:
        name: What the table calls it.
        play: Plays for some seconds.
        bytes_per_row: Bytes that a game takes, if known.
        remark: Anything to be said about it.
        rates: Steps a second of each window so far.
        games: Games a second of each window so far.
    """

    name: str
    play: Window
    bytes_per_row: int | None = None
    remark: str = ""
    rates: list[float] = field(default_factory=list)
    games: list[float] = field(default_factory=list)

    def measure(self, seconds: float, clock: Clock) -> None:
        """Play one window."""
        steps, games, elapsed = self.play(seconds, clock)
        self.rates.append(steps / elapsed)
        self.games.append(games / elapsed)

    @property
    def best(self) -> float:
        """Steps a second in the best window: the figure that other work on the machine disturbs least."""
        return max(self.rates)

    @property
    def median(self) -> float:
        """Steps a second in the median window."""
        return float(np.median(self.rates))

    @property
    def games_per_second(self) -> float:
        """Games a second over all windows."""
        return float(np.mean(self.games))


def measure_in_turn(contestants: Sequence[Contestant], seconds: float, clock: Clock = time.perf_counter) -> None:
    """Give each contestant about ``seconds`` in short windows, one after the other, round and round."""
    for contestant in contestants:
        contestant.play(0.0, clock)
    for _ in range(max(3, round(seconds / WINDOW_SECONDS))):
        for contestant in contestants:
            contestant.measure(WINDOW_SECONDS, clock)


def machine() -> str:
    """Return what the figures were measured on."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return f"{platform.machine()}, {cores} cores{load}, Python {platform.python_version()}, NumPy {np.__version__}"


def print_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table with its first column to the left and the others to the right."""
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    for row in [header, ["-" * width for width in widths], *rows]:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        print("  ".join(cells).rstrip())


def print_json(figures: dict[str, Any]) -> None:
    """Print figures as JSON, with the machine they were measured on."""
    print(json.dumps({"machine": machine(), **figures}, indent=2))
