"""Labels: the solver's verdicts on many games, written as JSON lines that a broken-off run can go on with."""

from __future__ import annotations

import concurrent.futures
import contextlib
import dataclasses
import json
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final

from klondike_env.errors import OptionError, ResultsFileError
from klondike_env.solver.solving import DEFAULT_MEMORY_LIMIT, SOLVER_VERSION, WINNABLE, Solution, check_limits, solve
from klondike_env.suites import FixedGame

_SAME_IN_A_FILE: Final = ("solver_version", "node_limit", "time_limit", "memory_limit")


@dataclass(frozen=True, slots=True)
class Label:
    """What the solver says of one game.

    Attributes:
        code: Game code: deal, draw and scoring.
        rules: Name of the rules, as ``parse_rules`` reads it.
        verdict: ``"winnable"``, ``"unwinnable"`` or ``"unknown"``.
        length: Actions of the solution found (not the fewest possible), or None.
        nodes: Positions visited.
        seconds: Time taken.
        solver_version: Version of the solver.
        node_limit: Limits of the solve, None where there was none; here and below.
        time_limit: In seconds.
        memory_limit: In bytes.
        actions: The solution, where it was asked for.
    """

    code: str
    rules: str
    verdict: str
    length: int | None
    nodes: int
    seconds: float
    solver_version: str
    node_limit: int | None
    time_limit: float | None
    memory_limit: int
    actions: tuple[int, ...] | None = None

    @property
    def key(self) -> tuple[str, str]:
        """What tells this game from others: code and rules."""
        return self.code, self.rules

    def to_line(self) -> str:
        """Write the label as one line of JSON, without line end."""
        fields = dataclasses.asdict(self)
        if self.actions is None:
            del fields["actions"]
        return json.dumps(fields)


_FIELD_TYPES: Final[dict[str, tuple[type, ...]]] = {
    "code": (str,),
    "rules": (str,),
    "verdict": (str,),
    "length": (int, type(None)),
    "nodes": (int,),
    "seconds": (float, int),
    "solver_version": (str,),
    "node_limit": (int, type(None)),
    "time_limit": (float, int, type(None)),
    "memory_limit": (int,),
}


def parse_label(line: str) -> Label:
    """Read one line of a labels file.

    Raises:
        ResultsFileError: The line is no label; the message says what is wrong with it.
    """
    try:
        fields: Any = json.loads(line)
    except ValueError as error:
        raise ResultsFileError(f"it is no JSON ({error})") from error
    if not isinstance(fields, dict):
        raise ResultsFileError("it is no JSON object")
    for name, types in _FIELD_TYPES.items():
        if name not in fields:
            raise ResultsFileError(f"field {name!r} is missing")
        if not isinstance(fields[name], types) or isinstance(fields[name], bool):
            raise ResultsFileError(f"field {name!r} has the wrong value {fields[name]!r}")
    actions = fields.get("actions")
    return Label(**{name: fields[name] for name in _FIELD_TYPES}, actions=None if actions is None else tuple(actions))


def _split_lines(path: Path, data: bytes) -> tuple[list[Label], int]:
    """Return the labels in a file's bytes and the length of its whole lines; a half last line is left out."""
    labels: list[Label] = []
    whole = 0
    for number, line in enumerate(data.splitlines(keepends=True), start=1):
        if not line.endswith(b"\n"):
            break
        try:
            if line.strip():
                labels.append(parse_label(line.decode("utf-8")))
        except (ResultsFileError, UnicodeDecodeError) as error:
            raise ResultsFileError(f"{path}, line {number} is no label: {error}") from error
        whole += len(line)
    return labels, whole


def read_labels(path: str | Path) -> list[Label]:
    """Read a labels file; a half last line, as a killed run leaves it, is left out.

    Raises:
        ResultsFileError: The file cannot be read, or a line is no label; the message gives the line number.
    """
    path = Path(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ResultsFileError(f"cannot read labels file {path}: {error.strerror}") from error
    return _split_lines(path, data)[0]


@contextlib.contextmanager
def _open_labels(path: Path, limits: dict[str, Any]) -> Iterator[tuple[BinaryIO, list[Label]]]:
    """Open a labels file to append to; give what it holds already, after checking that it fits."""
    try:
        # Unbuffered, so that a killed run has lost nothing that was written.
        file = open(path, "a+b", buffering=0)  # noqa: SIM115  # closed below
    except OSError as error:
        raise ResultsFileError(f"cannot write labels to {path}: {error.strerror}") from error
    with file:
        file.seek(0)
        labels, whole = _split_lines(path, file.read())
        for label in labels:
            for name in _SAME_IN_A_FILE:
                if getattr(label, name) != limits[name]:
                    raise ResultsFileError(
                        f"{path} holds labels with {name} {getattr(label, name)!r}, and this run has"
                        f" {limits[name]!r}; give another file"
                    )
        file.truncate(whole)
        yield file, labels


def label_games(
    games: Iterable[FixedGame],
    path: str | Path | None = None,
    *,
    node_limit: int | None = None,
    time_limit: float | None = None,
    memory_limit: int = DEFAULT_MEMORY_LIMIT,
    jobs: int = 1,
    with_actions: bool = False,
    report: Callable[[Label], None] | None = None,
) -> list[Label]:
    """Solve many games.

    An interrupt (Ctrl-C) leaves a file of whole lines; the same call goes on from there.

    Args:
        games: The games.
        path: File that each label is appended to as it is found; games that it holds already are not solved again.
        node_limit: Limit of each solve, as for ``solve``; here and below.
        time_limit: In seconds.
        memory_limit: In bytes, of each of the jobs.
        jobs: Games solved at the same time.
        with_actions: Whether labels keep the solutions.
        report: Called with each new label.

    Returns:
        The labels of all games, in the order of the games.

    Raises:
        OptionError: A limit or the number of jobs is not a positive number.
        ResultsFileError: The file cannot be read or written, or holds labels of another solver version or limit.
    """
    limits = {"node_limit": node_limit, "time_limit": time_limit, "memory_limit": memory_limit}
    check_limits(**limits)
    if isinstance(jobs, bool) or not isinstance(jobs, int) or jobs < 1:
        raise OptionError(f"jobs is {jobs!r}; it must be a positive whole number")
    games = list(games)
    own = {**limits, "solver_version": SOLVER_VERSION}
    found: dict[tuple[str, str], Label] = {}
    with contextlib.ExitStack() as stack:
        file: BinaryIO | None = None
        if path is not None:
            file, labels = stack.enter_context(_open_labels(Path(path), own))
            found = {label.key: label for label in labels}
        keys = {(game.code, game.rules.name): game for game in games}
        missing = [game for key, game in keys.items() if key not in found]
        for game, solution in _solve_all(missing, limits, jobs):
            label = _make_label(game, solution, own, with_actions)
            if file is not None:
                _append_line(file, label)
            found[label.key] = label
            if report is not None:
                report(label)
    return [found[game.code, game.rules.name] for game in games]


def _append_line(file: BinaryIO, label: Label) -> None:
    """Write a label as one whole line, or leave the file as it was.

    Raises:
        ResultsFileError: It cannot be written, for instance since the disk is full.
    """
    line = label.to_line().encode() + b"\n"
    whole = file.seek(0, os.SEEK_END)
    try:
        written = file.write(line)
        if written != len(line):
            # A nearly full disk takes part of a line; the rest of the write would say so only next time.
            file.write(line[written:])
    except OSError as error:
        file.truncate(whole)
        raise ResultsFileError(
            f"cannot write to {file.name}: {error.strerror}; it holds the labels before {label.code}, whole, and the"
            " same call goes on from there"
        ) from error


def _make_label(game: FixedGame, solution: Solution, own: dict[str, Any], with_actions: bool) -> Label:
    """Return the label of a game."""
    won = solution.verdict == WINNABLE
    return Label(
        code=game.code,
        rules=game.rules.name,
        verdict=solution.verdict,
        length=len(solution.actions) if won else None,
        nodes=solution.nodes,
        seconds=round(solution.seconds, 6),
        actions=solution.actions if won and with_actions else None,
        **own,
    )


def _solve_all(games: list[FixedGame], limits: dict[str, Any], jobs: int) -> Iterator[tuple[FixedGame, Solution]]:
    """Solve games, up to ``jobs`` at a time, and give each solution as it comes.

    Threads are enough: the compiled search runs without the interpreter lock.
    """
    stop = threading.Event()

    def solve_one(game: FixedGame) -> tuple[FixedGame, Solution]:
        return game, solve(game.start(), **limits, should_stop=stop.is_set)

    if jobs == 1:
        yield from map(solve_one, games)
        return
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(solve_one, game) for game in games]
        try:
            for future in concurrent.futures.as_completed(futures):
                yield future.result()
        except BaseException:
            # An interrupt reaches this thread alone; the others see the event within a slice of their search.
            stop.set()
            pool.shutdown(wait=True, cancel_futures=True)
            raise
