"""A progress bar for an evaluation: games, wins so far, speed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from klondike_env.evaluation.results import GameResult


class EvaluationProgress:
    """Counts finished games and wins, and moves a bar.

    Attributes:
        finished: Games finished, those read from a results file included.
    """

    def __init__(self, bar: Progress, description: str, games: int) -> None:
        self.finished = 0
        self._wins = 0
        self._played = 0
        self._bar = bar
        self._task = bar.add_task(description, total=games, wins="-")

    def update(self, result: GameResult, finished: int, games: int) -> None:
        """Note one more game."""
        self.finished = finished
        self._played += 1
        self._wins += result.won
        share = 100 * self._wins / self._played
        self._bar.update(self._task, completed=finished, total=games, wins=f"{share:.1f} % won")


@contextmanager
def evaluation_progress(console: Console, agent: str, suite: str, games: int) -> Iterator[EvaluationProgress]:
    """Show a progress bar while games are played; nothing where the console is no terminal."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[wins]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        yield EvaluationProgress(bar, f"{agent} on {suite}", games)
