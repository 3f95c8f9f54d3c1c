"""``klondike replay``: check records of games, and show them."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from klondike_env.errors import OptionError
from klondike_env.terminal import USAGE_ERROR, console, errors, fail, print_error, print_table, track_many

if TYPE_CHECKING:
    from klondike_env.game import Game
    from klondike_env.records import Entry, GameRecord


def replay(
    files: Annotated[list[Path], typer.Argument(help="Record files, or folders of them.")],
    html: Annotated[Path | None, typer.Option(help="Page to write, which plays the games in a browser.")] = None,
    step: Annotated[int | None, typer.Option(help="Show the board after so many entries.", min=0)] = None,
    title: Annotated[str, typer.Option(help="Title of the page.")] = "Klondike replay",
) -> None:
    """Check records, every move and the end they claim, and show them: the moves in words, or a page.

    Several files give a line each.
    """
    from klondike_env.replay.page import check_page_place, replay_page, write_page

    if html is not None:
        check_page_place(html)
    paths = _record_files(files)
    if step is not None and (html is not None or len(paths) > 1):
        raise OptionError("--step shows the board of one game; give one record file, and no --html")
    games = _checked_games(paths)
    records = [record for record, _ in games]
    if html is not None:
        write_page(html, replay_page(track_many(records, "packing"), title))
        count = "1 game" if len(records) == 1 else f"{len(records)} games"
        console.print(f"wrote {html}: {count}", markup=False, highlight=False, soft_wrap=True)
    elif len(records) == 1:
        _show_game(records[0], step)
    else:
        _list_games(paths, games)


def _record_files(files: list[Path]) -> list[Path]:
    """Return the files given, and the record files in the folders given, each once."""
    from klondike_env.records import RECORD_SUFFIX

    paths: list[Path] = []
    for file in files:
        found = sorted(file.rglob(f"*{RECORD_SUFFIX}")) if file.is_dir() else [file]
        if not found:
            raise OptionError(f"folder {file} holds no record; their names end in {RECORD_SUFFIX}")
        paths += found
    return list(dict.fromkeys(paths))


def _checked_games(paths: list[Path]) -> list[tuple[GameRecord, Game]]:
    """Read and replay all records; errors are printed, and end the command when all have been looked at."""
    from klondike_env.records import RecordError, read_record

    games = []
    bad = 0
    for path in track_many(paths, "checking"):
        try:
            record = read_record(path)
            games.append((record, record.final_game()))
        except RecordError as error:
            print_error(str(error))
            bad += 1
            continue
        if record.torn_line:
            errors.print(f"{path}: the last line is cut off and was left out", markup=False, soft_wrap=True)
    if bad and len(paths) > 1:
        fail(f"{bad} of {len(paths)} records are bad")
    if bad:
        raise typer.Exit(USAGE_ERROR)
    return games


def _show_game(record: GameRecord, step: int | None) -> None:
    """Print the moves of a game in words, and the board at its end or after some entries."""
    from klondike_env.replay.words import record_words

    steps = len(record.entries) if step is None else step
    if steps > len(record.entries):
        raise OptionError(f"--step is {steps}, but the record has {len(record.entries)} entries")
    for key, value in _facts(record):
        print(f"{key:9} {value}")
    print()
    game = record.start()
    for number, (entry, words, game) in enumerate(islice(record_words(record), steps), start=1):
        print(f"{number:4} {entry.seconds:9.1f} s {game.score_text:>6}  {words}{_value_text(entry)}")
    print()
    print(game)
    print()
    if steps < len(record.entries):
        return
    entries = "1 entry" if steps == 1 else f"{steps} entries"
    print(f"{_outcome(record, game)}, score {game.score_text}, {entries}, all legal")


def _facts(record: GameRecord) -> list[tuple[str, str]]:
    """Return what a record says of its game before the moves."""
    start = ("deck", str(record.deal)) if record.code is None else ("code", record.code)
    return [start, ("rules", record.rules.name), ("agent", record.agent), *record.info.items()]


def _value_text(entry: Entry) -> str:
    """Return how the agent judged the position before an entry, or nothing."""
    if entry.thoughts is None or entry.thoughts.value is None:
        return ""
    return f"  ({entry.thoughts.unit} {entry.thoughts.value:.3g})"


def _outcome(record: GameRecord, game: Game) -> str:
    """Return in words how a game ended, as it lies at its end."""
    if record.end is None:
        return "won" if game.is_won else "not finished"
    return {"truncated": "stopped"}.get(record.end.outcome, record.end.outcome)


def _list_games(paths: list[Path], games: list[tuple[GameRecord, Game]]) -> None:
    """Print a line for each game."""
    rows = (
        (
            str(path),
            record.code or "a deal without code",
            record.rules.name,
            record.agent,
            _outcome(record, game),
            game.score_text,
            str(len(record.entries)),
        )
        for path, (record, game) in zip(paths, games, strict=True)
    )
    print_table(("file", "game", "rules", "agent", "outcome", "score", "steps"), rows)
