"""Saved games: each a record file in the user's data folder, written after every action, one process at a time.

A game is never stored as a position: its record is replayed when it goes on, so that the undo list comes back, too.
"""

from __future__ import annotations

import contextlib
import os
import time
import zlib
from pathlib import Path
from typing import Final

from klondike_env.codes import format_code
from klondike_env.deals import Deal
from klondike_env.game import Game
from klondike_env.playing.file_lock import FileLock
from klondike_env.records import (
    RECORD_SUFFIX,
    UNDO,
    Entry,
    GameRecord,
    RecordError,
    RecordWriter,
    read_record,
)
from klondike_env.rules import Rules

HOME_VARIABLE: Final = "KLONDIKE_HOME"
"""Environment variable that names another folder for all that is kept."""
DAMAGED_SUFFIX: Final = ".damaged"

_MOST_NAMES: Final = 10_000


class SavedGame:
    """A game that is kept while it is played.

    Attributes:
        path: Its record file.
        record: What the record held when it was opened.
    """

    def __init__(self, writer: RecordWriter, lock: FileLock) -> None:
        """Take over an open record and the lock on it."""
        self.path = writer.path
        self.record: GameRecord = writer.record
        self._writer = writer
        self._lock = lock
        self._waiting: list[Entry] = []
        self._was_played = bool(self.record.entries)
        self._notices: list[str] = []

    def append(self, entry: Entry) -> None:
        """Keep what was done. If the file cannot be written, it is kept with the next that can; a notice says so."""
        self._was_played = True
        failed_before = bool(self._waiting)
        self._waiting.append(entry)
        try:
            self._write_waiting()
        except RecordError as error:
            if not failed_before:
                self._notices.append(f"this game is not kept at the moment: {error}")
            return
        if failed_before:
            self._notices.append("this game is kept again, with all its moves")

    def _write_waiting(self) -> None:
        """Write what has not been written yet, in order."""
        while self._waiting:
            entry = self._waiting[0]
            if entry.action is not None:
                self._writer.action(entry.action, entry.thoughts)
            elif entry.move == UNDO:
                self._writer.undo()
            else:
                self._writer.restart()
            self._waiting.pop(0)

    def take_notices(self) -> list[str]:
        """Return what the player should be told, once."""
        notices, self._notices = self._notices, []
        return notices

    def close(self, game: Game | None = None, *, forget_unplayed: bool = False) -> None:
        """Close the file and give its lock back.

        Args:
            game: The game as it lies; once it is won, the record gets its end.
            forget_unplayed: Whether to remove the file of a game in which nothing was done.
        """
        try:
            self._write_waiting()
            if game is not None and game.is_won:
                self._writer.end(game)
        except RecordError as error:
            self._notices.append(f"the last moves of this game could not be kept: {error}")
        self._writer.close()
        with contextlib.suppress(OSError):
            if forget_unplayed and not self._was_played:
                self.path.unlink()
            else:
                # The game that was left last is the one to go on with.
                os.utime(self.path)
        with contextlib.suppress(OSError):
            self._lock.release()


class SavedGames:
    """The folder of saved games."""

    def __init__(self, folder: Path | None = None) -> None:
        """Name the folder; nothing is made or read yet.

        Args:
            folder: The folder; by default ``games`` in ``$KLONDIKE_HOME``, or else in the user's data folder of the
                system (``$XDG_DATA_HOME/klondike`` and the like).
        """
        self.folder = default_home() / "games" if folder is None else folder

    def begin(self, deal: Deal, rules: Rules, notices: list[str]) -> SavedGame | None:
        """Begin to keep a game.

        Args:
            deal: Its cards.
            rules: Its rules.
            notices: Gets a line if the game cannot be kept.

        Returns:
            The saved game, or None if it cannot be kept.
        """
        from klondike_env import __version__  # The package imports nothing of this module.

        name = f"{_name_of(deal, rules)}-{time.strftime('%Y%m%d-%H%M%S')}"
        info = {"started": time.strftime("%Y-%m-%dT%H:%M:%S%z"), "version": __version__}
        lock: FileLock | None = None
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            for number in range(1, _MOST_NAMES):
                path = self.folder / f"{name}{'' if number == 1 else f'-{number}'}{RECORD_SUFFIX}"
                if path.exists():
                    continue
                lock = FileLock(path)
                if lock.acquire() and not path.exists():
                    return SavedGame(RecordWriter(path, Game.from_deal(deal, rules), info=info), lock)
                lock.release()
            raise RecordError(f"{self.folder} holds too many games")
        except (OSError, RecordError) as error:
            if lock is not None:
                with contextlib.suppress(OSError):
                    lock.release()
            notices.append(f"this game is not kept: {_reason(error)}")
            return None

    def go_on(self, deal: Deal | None, rules: Rules | None, notices: list[str]) -> SavedGame | None:
        """Open a game that was left before its end.

        A damaged file is renamed, so that it is kept aside and not met again.

        Args:
            deal: The deal that is wanted, or None for the game that was played last, whichever it is.
            rules: The rules that are wanted, or None for any.
            notices: Gets lines on what was found.

        Returns:
            The game, or None if there is none to go on with.
        """
        for path in self._newest_first(deal, rules):
            lock = FileLock(path)
            saved: SavedGame | None = None
            try:
                if not lock.acquire():
                    notices.append("the last game is being played elsewhere at the moment; this is another one")
                    return None
                saved = self._open(path, lock, deal, rules, notices)
            except OSError as error:
                notices.append(f"a saved game cannot be opened, so this is another one: {_reason(error)}")
                return None
            finally:
                if saved is None:
                    lock.release()
            if saved is not None:
                notices.append("this game goes on where it was left")
                return saved
            if deal is None:
                return None
        return None

    def _open(
        self, path: Path, lock: FileLock, deal: Deal | None, rules: Rules | None, notices: list[str]
    ) -> SavedGame | None:
        """Open one file, or return None if it is not the game that is wanted, or has ended, or is damaged."""
        try:
            record = read_record(path)
            if record.end is not None:
                return None
            if (deal is not None and record.deal.cards != deal.cards) or rules not in (None, record.rules):
                return None
            game = record.final_game()
        except RecordError as error:
            if isinstance(error.__cause__, OSError):
                raise error.__cause__ from error
            aside = _put_aside(path)
            notices.append(
                f"the saved game was damaged and is kept aside as {aside.name}; this is another one ({error})"
            )
            return None
        try:
            writer = RecordWriter.reopen(path)
            if game.is_won:
                writer.end(game)
                return None
            os.utime(path)
        except RecordError as error:
            notices.append(f"a saved game cannot be opened, so this is another one: {error}")
            return None
        return SavedGame(writer, lock)

    def _newest_first(self, deal: Deal | None, rules: Rules | None) -> list[Path]:
        """Return the record files, of a certain deal or all, the one written to last first."""
        start = "" if deal is None or rules is None else f"{_name_of(deal, rules)}-"
        found: list[tuple[int, Path]] = []
        with contextlib.suppress(OSError):
            for path in self.folder.iterdir():
                if path.name.startswith(start) and path.suffix == RECORD_SUFFIX:
                    with contextlib.suppress(OSError):
                        found.append((path.stat().st_mtime_ns, path))
        return [path for _, path in sorted(found, reverse=True)]


def default_home() -> Path:
    """Return the folder of all that is kept: ``$KLONDIKE_HOME``, or the system's place for a user's data."""
    home = os.environ.get(HOME_VARIABLE)
    if home:
        return Path(home).expanduser()
    from platformdirs import user_data_path

    return user_data_path("klondike", appauthor=False)


def _name_of(deal: Deal, rules: Rules) -> str:
    """Return how the files of a deal begin: its code, or ``deck-`` and a check sum."""
    if deal.number is not None:
        return format_code(deal.number, rules.mode)
    return f"deck-{zlib.crc32(bytes(deal.cards)):08x}"


def _put_aside(path: Path) -> Path:
    """Rename a damaged file to a name that is free, and return that."""
    for number in range(1, _MOST_NAMES):
        aside = path.with_name(f"{path.name}{DAMAGED_SUFFIX}{'' if number == 1 else f'-{number}'}")
        if not aside.exists():
            path.rename(aside)
            return aside
    raise OSError(f"too many damaged files of the name {path.name}")


def _reason(error: Exception) -> str:
    """Return in words what is wrong with a file."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror} ({error.filename})" if error.filename else error.strerror
    return str(error)
