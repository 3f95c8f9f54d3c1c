"""The results page: tables by suite, a grid of all games of a run, and the replays of those that were recorded."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from klondike_env.records import GameRecord, RecordKey, find_records, read_record
from klondike_env.replay.page import PLAYER_SCRIPTS, fill_page, page_data
from klondike_env.replay.page_games import page_games
from klondike_env.replay.report import REPORT_COLUMNS, Run, report_row, suite_codes, suite_verdicts
from klondike_env.suite_labels import VERDICT_LETTERS

ReplayKey = tuple[int, str]
"""The place of a run in the report, and a game code."""
Track = Callable[[Sequence[GameRecord], str], Iterable[GameRecord]]
"""Goes through records and shows how far it is."""

_AGENT_CELL: Final = 0
_WIN_RATE_CELL: Final = 3
_SUITE_CELL: Final = 1


def _no_track(records: Sequence[GameRecord], what: str) -> Iterable[GameRecord]:
    """Go through records and show nothing."""
    return records


def find_replays(runs: Sequence[Run], folder: str | Path) -> tuple[dict[ReplayKey, GameRecord], int]:
    """Find the records of the games in a report.

    A record belongs to a result if agent, rules, game and seed are the same, and score, outcome and number of actions,
    too. Records that say no seed fit any.

    Args:
        runs: The runs of the report.
        folder: The folder of records; folders in it are looked through.

    Returns:
        The records by run and game code, and how many records of the folder belong to no result.

    Raises:
        RecordError: The folder is none, or a record in it cannot be read.
    """
    paths = find_records(folder)
    replays: dict[ReplayKey, GameRecord] = {}
    used = set()
    for place, run in enumerate(runs):
        for result in run.results:
            for seed in (str(run.seed), ""):
                path = paths.get(_key(run, result.code, seed))
                if path is None or path in used:
                    continue
                record = read_record(path)
                if record.end is not None and (record.end.score, record.end.outcome == "won", len(record.entries)) == (
                    result.score,
                    result.won,
                    result.steps,
                ):
                    replays[place, result.code] = record
                    used.add(path)
                    break
    return replays, len(paths) - len(used)


def _key(run: Run, code: str, seed: str) -> RecordKey:
    return run.agent, run.rules, code, seed


def report_page(
    runs: Sequence[Run],
    replays: Mapping[ReplayKey, GameRecord] | None = None,
    title: str = "Klondike results",
    track: Track = _no_track,
) -> str:
    """Return a page of results.

    Args:
        runs: The runs, as ``read_report`` puts them together.
        replays: Records by the run's place and game code, as ``find_replays`` returns them.
        title: Title of the page.
        track: Shows how far the packing of the replays is.

    Raises:
        RecordError: A record cannot be replayed as it stands.
    """
    replays = replays or {}
    data = page_data(page_games(track(list(replays.values()), "packing")))
    indices = {key: index for index, key in enumerate(replays)}
    suites = list(dict.fromkeys(run.suite for run in runs))
    data["suites"] = [_suite_data(suite, runs) for suite in suites]
    data["runs"] = [_run_data(place, run, suites, indices, runs) for place, run in enumerate(runs)]
    return fill_page(
        "report_page.html",
        title=title,
        data=data,
        styles=("page.css", "report.css"),
        scripts=(*PLAYER_SCRIPTS, "report_page.js"),
        tables="\n".join(_suite_table(suite, runs) for suite in suites),
    )


def _suite_data(suite: str, runs: Sequence[Run]) -> dict[str, Any]:
    """Return the games of a suite: codes, and a letter each for the solver's verdict."""
    codes = suite_codes(suite, [run for run in runs if run.suite == suite])
    verdicts = suite_verdicts(suite)
    letters = (VERDICT_LETTERS[verdicts.get(code, "unknown")] for code in codes)
    return {"name": suite, "codes": codes, "verdicts": "".join(letters)}


def _run_data(
    place: int, run: Run, suites: list[str], indices: Mapping[ReplayKey, int], runs: Sequence[Run]
) -> dict[str, Any]:
    """Return what a run did in each game of its suite, None where it was not played."""
    results = {result.code: result for result in run.results}
    games: list[list[Any] | None] = []
    for code in suite_codes(run.suite, [other for other in runs if other.suite == run.suite]):
        result = results.get(code)
        if result is None:
            games.append(None)
            continue
        outcome = "won" if result.won else "lost" if result.terminated else "truncated"
        games.append([outcome, result.score, result.founded, result.steps, indices.get((place, code), -1)])
    return {
        "title": run.title,
        "agent": run.agent,
        "rules": run.rules,
        "seed": run.seed,
        "vegas": run.is_vegas,
        "suite": suites.index(run.suite),
        "games": games,
    }


def _suite_table(suite: str, runs: Sequence[Run]) -> str:
    """Return the table of a suite as HTML; it can be read without scripts."""
    columns = [name for place, name in enumerate(REPORT_COLUMNS) if place != _SUITE_CELL]
    heads = "".join(f'<th scope="col">{html.escape(name)}</th>' for name in columns)
    rows = []
    for place, run in enumerate(runs):
        if run.suite != suite:
            continue
        cells = report_row(run)
        low, high = (f"{100 * end:.2f}" for end in run.summary.interval)
        interval = (
            f'<span class="interval" aria-hidden="true" style="--low:{low};--high:{high};'
            f'--rate:{100 * run.summary.win_rate:.2f}"></span>'
        )
        agent = f'<button type="button" data-run="{place}">{html.escape(cells[_AGENT_CELL])}</button>'
        parts = [f'<th scope="row">{agent}</th>']
        for number, cell in enumerate(cells):
            if number not in (_AGENT_CELL, _SUITE_CELL):
                parts.append(f"<td>{html.escape(cell)}{interval if number == _WIN_RATE_CELL else ''}</td>")
        rows.append(f"<tr>{''.join(parts)}</tr>")
    name = html.escape(suite)
    return (
        f'<section class="suite"><h2>{name}</h2><div class="scroll" tabindex="0" role="region" aria-label="{name}">'
        f"<table><thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table></div></section>"
    )
