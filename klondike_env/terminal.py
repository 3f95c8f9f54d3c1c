"""What the commands print with: tables that are never cut, errors without traceback."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NoReturn, TypeVar

import typer
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.progress import track
from rich.table import Table

console: Final = Console()
errors: Final = Console(stderr=True)

ItemT = TypeVar("ItemT")

MANY: Final = 20
"""Items from which on a progress bar is shown."""
WIDEST_TABLE: Final = 500
USAGE_ERROR: Final = 2
INTERRUPTED: Final = 130


def print_error(message: str) -> None:
    """Print an error."""
    errors.print(f"[bold red]error:[/] {escape(message)}", highlight=False, soft_wrap=True)


def fail(message: str, status: int = USAGE_ERROR) -> NoReturn:
    """Print an error and end with a status."""
    print_error(message)
    raise typer.Exit(status)


def track_many(items: Sequence[ItemT], what: str) -> Iterable[ItemT]:
    """Return items with a progress bar while they are gone through, where there is a terminal and they are many."""
    hidden = len(items) <= MANY or not errors.is_terminal
    return track(items, what, console=errors, transient=True, disable=hidden)


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]], markdown: bool = False) -> None:
    """Print a table whose cells are never wrapped or cut; a narrow terminal wraps whole lines.

    Args:
        columns: Heads of the columns.
        rows: The rows, a text for each column.
        markdown: Whether to print it in Markdown, with a blank line behind it.
    """
    if markdown:
        console.print(markdown_table(columns, rows) + "\n", markup=False, highlight=False, soft_wrap=True)
        return
    table = Table(*columns, box=box.SIMPLE_HEAD, pad_edge=False)
    for column in table.columns:
        column.no_wrap = True
    for row in rows:
        table.add_row(*row)
    needed = console.measure(table, options=console.options.update(max_width=WIDEST_TABLE)).maximum
    Console(width=max(console.width, needed), soft_wrap=True).print(table)


def markdown_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown, without line end."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)
