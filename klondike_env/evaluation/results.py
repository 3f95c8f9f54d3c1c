"""Results of games as JSON lines, written as each game ends and read back to go on."""

from __future__ import annotations

import dataclasses
import json
import os
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Final

from klondike_env.errors import ResultsFileError

_SAME_IN_A_FILE: Final = ("agent", "version", "seed", "step_limit")


@dataclass(frozen=True, slots=True)
class GameResult:
    """What came of one game.

    Attributes:
        code: Game code: deal, draw and scoring.
        rules: Name of the rules, as ``parse_rules`` reads it.
        won: Whether all cards went to the foundations.
        score: Final score by the scoring table.
        founded: Cards on the foundations at the end, 0-52.
        steps: Actions played.
        terminated: Whether the game was won or lost.
        truncated: Whether the step limit was reached; both may be true.
        agent: Name of the agent.
        version: Version of this package.
        seed: Seed of the evaluation, from which, with the game number, the agent's random stream follows.
        step_limit: Actions after which a game is truncated.
    """

    code: str
    rules: str
    won: bool
    score: int
    founded: int
    steps: int
    terminated: bool
    truncated: bool
    agent: str
    version: str
    seed: int
    step_limit: int

    @property
    def key(self) -> tuple[str, str]:
        """What tells this game from others: code and rules."""
        return self.code, self.rules

    def to_line(self) -> str:
        """Write the result as one line of JSON, without line end."""
        return json.dumps(dataclasses.asdict(self), ensure_ascii=False)


_FIELD_TYPES: Final = {
    field.name: {"str": str, "bool": bool, "int": int}[str(field.type)] for field in dataclasses.fields(GameResult)
}


def parse_result(line: str) -> GameResult:
    """Read one line of a results file.

    Raises:
        ResultsFileError: The line is no result; the message says what is wrong with it.
    """
    try:
        fields: Any = json.loads(line)
    except ValueError as error:
        raise ResultsFileError(f"it is no JSON ({error})") from error
    if not isinstance(fields, dict):
        raise ResultsFileError("it is no JSON object")
    for name, field_type in _FIELD_TYPES.items():
        if name not in fields:
            raise ResultsFileError(f"field {name!r} is missing")
        if type(fields[name]) is not field_type:
            raise ResultsFileError(f"field {name!r} is {fields[name]!r}; it must be a {field_type.__name__}")
    return GameResult(**{name: fields[name] for name in _FIELD_TYPES})


def _read_lines(path: Path, data: bytes) -> tuple[list[GameResult], int]:
    """Return the results in a file's bytes and the length of its whole lines; a half last line is left out."""
    results: list[GameResult] = []
    whole = 0
    for line_number, line in enumerate(data.splitlines(keepends=True), start=1):
        if not line.endswith(b"\n"):
            # What a killed run left half written. It is dropped even if it parses: a number may have been cut.
            break
        try:
            if line.strip():
                results.append(parse_result(line.decode("utf-8")))
        except (ResultsFileError, UnicodeDecodeError) as error:
            raise ResultsFileError(f"{path}, line {line_number} is no result of a game: {error}") from error
        whole += len(line)
    return results, whole


def read_results(path: str | Path) -> list[GameResult]:
    """Read a results file; a half last line, as a killed run leaves it, is left out.

    Raises:
        ResultsFileError: The file cannot be read, or a line is no result; the message gives the line number.
    """
    path = Path(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ResultsFileError(f"cannot read results file {path}: {error.strerror}") from error
    return _read_lines(path, data)[0]


class ResultsFile:
    """A results file being written: each result is on disk when ``append`` returns.

    Opening an existing file reads what it holds, so that a run goes on where the one before stopped. A half last line
    is cut off; everything else in the file stays as it is.
    """

    def __init__(self, path: str | Path, *, agent: str, version: str, seed: int, step_limit: int) -> None:
        """Open a file for results of one agent, version, seed and step limit.

        Raises:
            ResultsFileError: The file cannot be read or written, holds something else, holds results of another agent,
                version, seed or step limit, or another run is writing to it.
        """
        self.path = Path(path)
        self.results: list[GameResult] = []
        if self.path.exists() and not self.path.is_file():
            raise ResultsFileError(f"cannot write results to {self.path}: it is no regular file")
        try:
            # Unbuffered, so that a killed run has lost nothing that append wrote.
            self._file: BinaryIO = open(self.path, "a+b", buffering=0)  # noqa: SIM115  # closed by close()
        except OSError as error:
            raise ResultsFileError(f"cannot write results to {self.path}: {error.strerror}") from error
        try:
            self._lock()
            self._file.seek(0)
            self.results, self._length = _read_lines(self.path, self._file.read())
            own = {"agent": agent, "version": version, "seed": seed, "step_limit": step_limit}
            for result in self.results:
                for name in _SAME_IN_A_FILE:
                    if getattr(result, name) != own[name]:
                        raise ResultsFileError(
                            f"{self.path} holds results with {name} {getattr(result, name)!r}, and this run has"
                            f" {own[name]!r}; give another --out file"
                        )
            self._file.truncate(self._length)
        except BaseException:
            self.close()
            raise

    def _lock(self) -> None:
        """Keep a second run from writing to the same file, where the system can."""
        try:
            import fcntl
        except ImportError:  # Not on Windows; there two runs must be kept apart by the user.
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise ResultsFileError(f"another run is writing to {self.path}; give another file or wait") from error

    def append(self, result: GameResult) -> None:
        """Write one result.

        Raises:
            ResultsFileError: It cannot be written, for instance since the disk is full. The file then holds all results
                before it, whole.
        """
        line = (result.to_line() + "\n").encode("utf-8")
        try:
            written = self._file.write(line)
            if written != len(line):
                # A nearly full disk takes part of a line; the rest of the write would say so only next time.
                self._file.write(line[written:])
        except OSError as error:
            os.truncate(self._file.fileno(), self._length)
            raise ResultsFileError(
                f"cannot write to {self.path}: {error.strerror}; it holds the {len(self.results)} games before, and the"
                " same command goes on from there"
            ) from error
        self._length += len(line)
        self.results.append(result)

    def close(self) -> None:
        """Close the file; may be called twice."""
        self._file.close()

    def __enter__(self) -> ResultsFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
