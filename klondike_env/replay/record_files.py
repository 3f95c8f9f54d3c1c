"""Record files: one that grows while a game goes on, whole ones written at once, and folders of them."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, BinaryIO, Final
from urllib.parse import quote

from klondike_env.deals import Deal
from klondike_env.file_locks import lock_file
from klondike_env.game import Game
from klondike_env.replay.files import write_whole
from klondike_env.replay.record import RESTART, UNDO, Entry, GameRecord, RecordEnd, RecordError
from klondike_env.replay.record_text import parse_record
from klondike_env.rules import Rules

if TYPE_CHECKING:
    from klondike_env.evaluation.thoughts import Thoughts

RECORD_SUFFIX: Final = ".klondike"
"""How the names of record files end."""

RecordKey = tuple[str, str, str, str]
"""What tells the records of a folder apart: agent, rules, game code (or the deck), seed (``""`` if there is none)."""


def read_record(path: str | Path) -> GameRecord:
    """Read a record file; see ``parse_record``.

    Raises:
        RecordError: The file cannot be read, or is no record; the message names file and line.
    """
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise RecordError(f"cannot read {path}: {error.strerror}") from error
    return parse_record(_decode(data, path), str(path))


def _decode(data: bytes, path: str | Path) -> str:
    """Return the bytes of a file as text; a cut last character belongs to a line that was cut anyway."""
    whole, line_end, torn = data.rpartition(b"\n")
    try:
        text = (whole + line_end).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise RecordError(f"{path}, line {line}: this is no UTF-8 text, and so no game record") from error
    return text + torn.decode("utf-8", errors="replace")


class RecordWriter:
    """A record that grows while its game is played: each line is on its way to the disk when the call returns.

    ``RecordWriter(path, game)`` begins a file, ``RecordWriter.reopen(path)`` goes on with one::

        writer = RecordWriter.reopen(path)
        game = writer.record.final_game()

    Attributes:
        path: The file.
        record: What the file held when it was opened.
    """

    def __init__(
        self,
        path: str | Path,
        game: Game,
        *,
        agent: str = "person",
        info: Mapping[str, object] | None = None,
        overwrite: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Begin a record file.

        Args:
            path: The file; folders on the way are made.
            game: The game, nothing played yet. Only its deal and rules are read.
            agent: ``"person"``, or the name of the agent.
            info: Further header lines by key, such as ``seed``, ``started`` and ``version``.
            overwrite: Whether a file that is there is replaced.
            clock: Tells seconds; they count from now.

        Raises:
            RecordError: The file is there already or cannot be written, or the game's deal is not known.
        """
        start = GameRecord(_known_deal(game), game.rules, agent, _texts(info))
        write_record(path, start, overwrite=overwrite)
        self._open(path, clock)

    @classmethod
    def reopen(cls, path: str | Path, *, clock: Callable[[], float] = time.monotonic) -> RecordWriter:
        """Go on with a record file. A torn last line is cut off, and the seconds go on where they stopped.

        Raises:
            RecordError: The file cannot be read or written, is damaged, is closed by an ``end`` line, or another
                program is writing to it.
        """
        writer = cls.__new__(cls)
        writer._open(path, clock)
        return writer

    def _open(self, path: str | Path, clock: Callable[[], float]) -> None:
        """Open a file that is there, read it, and stand at its end."""
        self.path = Path(path)
        self._clock = clock
        try:
            # Unbuffered, so that a program that is killed has lost nothing.
            self._file: BinaryIO = open(self.path, "r+b", buffering=0)  # noqa: SIM115  # close() closes it
        except OSError as error:
            raise RecordError(f"cannot write {self.path}: {error.strerror}") from error
        try:
            if not lock_file(self._file.fileno()):
                raise RecordError(f"another program is writing to {self.path}")
            data = self._file.read()
            self.record = parse_record(_decode(data, self.path), str(self.path))
            if self.record.end is not None:
                raise RecordError(f"{self.path} is the record of a game that has ended; begin another file")
            self._length = len(data)
            if self.record.torn_line:
                self._length = data.rfind(b"\n") + 1
                self._file.truncate(self._length)
            self._file.seek(self._length)
            if data and not self.record.torn_line and not data.endswith(b"\n"):
                self._write(b"\n")
        except OSError as error:
            self.close()
            raise RecordError(f"cannot write {self.path}: {error.strerror}") from error
        except BaseException:
            self.close()
            raise
        entries = self.record.entries
        self._started = clock() - (entries[-1].seconds if entries else 0.0)

    def action(self, action: int, thoughts: Thoughts | None = None) -> None:
        """Note an action that was played.

        Args:
            action: Action index, 0-85.
            thoughts: What the agent thought of the decision.

        Raises:
            RecordError: No such action, or the file cannot be written; it then holds all lines before.
        """
        self._note(Entry(action, self._seconds(), thoughts))

    def undo(self) -> None:
        """Note that the last action was undone.

        Raises:
            RecordError: The file cannot be written; it then holds all lines before.
        """
        self._note(Entry(UNDO, self._seconds()))

    def restart(self) -> None:
        """Note that the game was begun anew.

        Raises:
            RecordError: The file cannot be written; it then holds all lines before.
        """
        self._note(Entry(RESTART, self._seconds()))

    def end(self, game: Game) -> None:
        """Write the closing line of a game that is over; nothing can be written behind it.

        Args:
            game: The game as it lies at the end.

        Raises:
            RecordError: The file cannot be written; it then holds all lines before.
        """
        self._write(f"{RecordEnd.of(game).to_line()}\n".encode())
        self.close()

    def close(self) -> None:
        """Close the file; may be called twice."""
        self._file.close()

    def _seconds(self) -> float:
        return max(0.0, self._clock() - self._started)

    def _note(self, entry: Entry) -> None:
        self._write(f"{entry.to_line()}\n".encode())

    def _write(self, line: bytes) -> None:
        """Append bytes, all or nothing."""
        if self._file.closed:
            raise RecordError(f"{self.path} is closed; RecordWriter.reopen goes on with a record")
        try:
            written = self._file.write(line)
            if written != len(line):
                # A nearly full disk takes part of a line; the rest of the write says so.
                self._file.write(line[written:])
        except OSError as error:
            os.truncate(self._file.fileno(), self._length)
            self._file.seek(self._length)
            raise RecordError(f"cannot write {self.path}: {error.strerror}; it holds all moves before") from error
        self._length += len(line)

    def __enter__(self) -> RecordWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


def write_record(path: str | Path, record: GameRecord, *, overwrite: bool = False) -> None:
    """Write a record file, whole or not at all. Folders on the way are made.

    Raises:
        RecordError: The file is there already and ``overwrite`` is not set, or it cannot be written.
    """
    try:
        write_whole(Path(path), record.to_text().encode(), overwrite=overwrite)
    except FileExistsError as error:
        raise RecordError(f"{path} is there already; give another name, or remove it first") from error
    except OSError as error:
        raise RecordError(f"cannot write {path}: {error.strerror}") from error


def record_path(folder: str | Path, agent: str, code: str, rules: Rules | str, seed: int | None = None) -> Path:
    """Return where a folder keeps the record of an agent's game: ``greedy/seed-0/D1N/KL1-D1N-AAAAAAG.klondike``.

    Different agents, seeds, rules and games have different places, also where file names know no capital letters.

    Args:
        folder: The folder of all records.
        agent: Name of the agent.
        code: The game code.
        rules: The rules, or their name.
        seed: Seed of the evaluation; None leaves its folder out.
    """
    name = rules.name if isinstance(rules, Rules) else rules
    seed_folder = () if seed is None else (f"seed-{seed}",)
    return Path(folder, _file_name(agent), *seed_folder, name, f"{code}{RECORD_SUFFIX}")


def _file_name(text: str) -> str:
    """Return an agent's name as a file name: capitals and other signs are written so that no two names give one."""
    letters = (f"^{letter.lower()}" if letter.isascii() and letter.isupper() else letter for letter in text)
    name = quote("".join(letters), safe="^=,+ ()").lower()
    return name if name.strip(".") else name.replace(".", "%2e") or "%"


def find_records(folder: str | Path) -> dict[RecordKey, Path]:
    """Return the record files in a folder and below it, by agent, rules, game code (or deck) and seed.

    Raises:
        RecordError: The folder is none, or a file in it whose name ends in ``.klondike`` is no record.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise RecordError(f"{folder} is no folder of records")
    return {record_key(read_record(path)): path for path in sorted(folder.rglob(f"*{RECORD_SUFFIX}"))}


def record_key(record: GameRecord) -> RecordKey:
    """Return what tells a record from others of a folder."""
    return record.agent, record.rules.name, record.code or str(record.deal), record.info.get("seed", "")


def _known_deal(game: Game) -> Deal:
    """Return the deal of a game, without which it cannot be recorded."""
    if game.deal is None:
        raise RecordError("this game cannot be recorded: its deal is not known")
    return game.deal


def _texts(info: Mapping[str, object] | None) -> dict[str, str]:
    """Return further header lines as text."""
    return {key: str(value) for key, value in (info or {}).items()}
