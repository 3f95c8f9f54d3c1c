"""Files of JSON lines that long runs append to: whole after any stop, and read back to go on."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Final, Generic, Protocol, TypeVar

from klondike_env.errors import ResultsFileError
from klondike_env.file_locks import lock_file


class Line(Protocol):
    """What a file holds: something that writes itself as one line."""

    def to_line(self) -> str:
        """Write this as one line of JSON, without line end."""


_LINE_START: Final = b'{"code": '
"""How every line begins; the first field of what is written is the game code."""

LineT = TypeVar("LineT", bound=Line)


def parse_fields(line: str, types: Mapping[str, tuple[type, ...]]) -> dict[str, Any]:
    """Read a line of JSON and check its fields; more fields than are asked for do not matter.

    Args:
        line: The line.
        types: The types that each field may have; a truth value is no number.

    Returns:
        All fields of the line.

    Raises:
        ResultsFileError: The line is something else; the message says what is wrong with it.
    """
    try:
        fields: Any = json.loads(line)
    except ValueError as error:
        raise ResultsFileError(f"it is no JSON ({error})") from error
    if not isinstance(fields, dict):
        raise ResultsFileError("it is no JSON object")
    for name, allowed in types.items():
        if name not in fields:
            raise ResultsFileError(f"field {name!r} is missing")
        if type(fields[name]) not in allowed:
            names = " or ".join(kind.__name__ for kind in allowed)
            raise ResultsFileError(f"field {name!r} is {fields[name]!r}; it must be a {names}")
    return fields


def split_lines(path: Path, data: bytes, parse: Callable[[str], LineT]) -> tuple[list[LineT], int]:
    """Return what stands in a file's bytes and the length of its whole lines.

    A last line without line end, as a killed run leaves it, is left out even if it can be read: a number in it may have
    been cut.

    Raises:
        ResultsFileError: A line cannot be read, or a half last line is not the start of one that this package writes;
            the message gives its number.
    """
    lines: list[LineT] = []
    whole = 0
    for number, line in enumerate(data.splitlines(keepends=True), start=1):
        if not line.endswith(b"\n"):
            if not (line.startswith(_LINE_START) or _LINE_START.startswith(line)):
                raise ResultsFileError(f"{path}, line {number} cannot be read: it is no result of a game")
            break
        try:
            if line.strip():
                lines.append(parse(line.decode("utf-8")))
        except (ResultsFileError, UnicodeDecodeError) as error:
            raise ResultsFileError(f"{path}, line {number} cannot be read: {error}") from error
        whole += len(line)
    return lines, whole


def read_json_lines(path: str | Path, parse: Callable[[str], LineT]) -> list[LineT]:
    """Read a file of JSON lines, leaving out a half last one.

    Raises:
        ResultsFileError: The file cannot be read, or a line in it.
    """
    path = Path(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ResultsFileError(f"cannot read {path}: {error.strerror}") from error
    return split_lines(path, data, parse)[0]


class JsonLinesFile(Generic[LineT]):
    """A file being appended to: each line is on disk when ``append`` returns.

    Opening an existing file reads what it holds, so that a run goes on where the one before stopped. A half last line
    is cut off; everything else in the file stays as it is.

    Attributes:
        path: The file.
        lines: What it holds.
    """

    def __init__(self, path: str | Path, parse: Callable[[str], LineT], same: Mapping[str, Any]) -> None:
        """Open a file.

        Args:
            path: The file; it is made if it does not exist.
            parse: Reads a line, raising ``ResultsFileError`` for one that is something else.
            same: Attributes that every line in the file must have, so that different runs are not mixed.

        Raises:
            ResultsFileError: The file cannot be read or written, holds something else or lines of a different run, or
                another run is writing to it.
        """
        self.path = Path(path)
        self.lines: list[LineT] = []
        if self.path.exists() and not self.path.is_file():
            raise ResultsFileError(f"cannot write results to {self.path}: it is no regular file")
        try:
            # Unbuffered, so that a killed run has lost nothing that append wrote.
            self._file: BinaryIO = open(self.path, "a+b", buffering=0)  # noqa: SIM115  # close() closes it
        except OSError as error:
            raise ResultsFileError(f"cannot write results to {self.path}: {error.strerror}") from error
        try:
            if not lock_file(self._file.fileno()):
                raise ResultsFileError(f"another run is writing to {self.path}; give another file or wait")
            self._file.seek(0)
            self.lines, self._length = split_lines(self.path, self._file.read(), parse)
            for line in self.lines:
                self._check_same(line, same)
            self._file.truncate(self._length)
        except BaseException:
            self.close()
            raise

    def _check_same(self, line: LineT, same: Mapping[str, Any]) -> None:
        """Refuse a line of a different run."""
        for name, own in same.items():
            if (there := getattr(line, name)) != own:
                raise ResultsFileError(
                    f"{self.path} holds results with {name} {there!r}, and this run has {own!r}; give another file"
                )

    def append(self, line: LineT) -> None:
        """Write one line.

        Raises:
            ResultsFileError: It cannot be written, for instance since the disk is full. The file then holds all lines
                before it, whole.
        """
        data = (line.to_line() + "\n").encode("utf-8")
        try:
            written = self._file.write(data)
            if written != len(data):
                # A nearly full disk takes part of a line; the rest of the write says so.
                self._file.write(data[written:])
        except OSError as error:
            os.truncate(self._file.fileno(), self._length)
            raise ResultsFileError(
                f"cannot write to {self.path}: {error.strerror}; it holds the {len(self.lines)} games before, and the"
                " same command goes on from there"
            ) from error
        self._length += len(data)
        self.lines.append(line)

    def close(self) -> None:
        """Close the file; may be called twice."""
        self._file.close()

    def __enter__(self) -> JsonLinesFile[LineT]:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
