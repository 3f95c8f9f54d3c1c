"""What the commands print with: tables that are never cut, errors without traceback."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NoReturn

import typer
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

console: Final = Console()
errors: Final = Console(stderr=True)

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


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table whose cells are never wrapped or cut; a narrow terminal wraps whole lines."""
    table = Table(*columns, box=box.SIMPLE_HEAD, pad_edge=False)
    for column in table.columns:
        column.no_wrap = True
    for row in rows:
        table.add_row(*row)
    needed = console.measure(table, options=console.options.update(max_width=WIDEST_TABLE)).maximum
    Console(width=max(console.width, needed), soft_wrap=True).print(table)
