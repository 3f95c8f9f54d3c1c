"""A progress bar for training: steps, speed, wins."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from klondike_agents.training.config import TrainingConfig


class TrainingProgress:
    """Moves a bar as training goes on."""

    def __init__(self, bar: Progress, config: TrainingConfig) -> None:
        self._bar = bar
        self._task = bar.add_task(config.rules, total=config.all_steps, known="")

    def update(self, steps: int, known: dict[str, float]) -> None:
        """Note the steps so far and what is known of the run, shares of 1 by name."""
        text = ", ".join(f"{name} {100 * share:.1f} %" for name, share in known.items())
        self._bar.update(self._task, completed=steps, known=text)


@contextmanager
def training_progress(console: Console, config: TrainingConfig) -> Iterator[TrainingProgress]:
    """Show a progress bar while a run is trained; nothing where the console is no terminal."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:,}/{task.total:,} steps"),
        TextColumn("{task.fields[known]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        yield TrainingProgress(bar, config)
