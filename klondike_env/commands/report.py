"""``klondike report``: results of several agents in one table or page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from klondike_env.errors import OptionError
from klondike_env.terminal import console, errors, print_table, track_many


def report(
    files: Annotated[list[Path], typer.Argument(help="Results files (*.jsonl) of klondike evaluate --out.")],
    html: Annotated[Path | None, typer.Option(help="Page to write: tables, a grid of the games, replays.")] = None,
    records: Annotated[
        Path | None, typer.Option(help="Folder of records, as klondike evaluate --record keeps; for --html.")
    ] = None,
    title: Annotated[str, typer.Option(help="Title of the page.")] = "Klondike results",
    markdown: Annotated[bool, typer.Option("--markdown", help="Print the table in Markdown.")] = False,
) -> None:
    """Put results together: win rates with 95 % intervals by suite and agent.

    An agent that sees all cards is marked and stands last.
    """
    from klondike_env.replay.page import check_page_place, write_page
    from klondike_env.replay.report import REPORT_COLUMNS, read_report, report_row
    from klondike_env.replay.report_page import find_replays, report_page

    if records is not None and html is None:
        raise OptionError("--records puts replays on a page; give --html, too")
    if html is not None:
        check_page_place(html)
    runs = read_report(files)
    print_table(REPORT_COLUMNS, [report_row(run) for run in runs], markdown=markdown)
    if html is None:
        return
    replays, left_out = find_replays(runs, records) if records is not None else ({}, 0)
    if left_out:
        errors.print(
            f"{left_out} records are of other games than these results, or end otherwise, and were left out",
            highlight=False,
            soft_wrap=True,
        )
    write_page(html, report_page(runs, replays, title, track_many))
    games = sum(len(run.results) for run in runs)
    console.print(f"wrote {html}: {games} games, {len(replays)} replays", markup=False, highlight=False, soft_wrap=True)
