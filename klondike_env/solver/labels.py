"""Labels: the solver's verdicts on many games, written as JSON lines that a broken-off run can go on with."""

from __future__ import annotations

import concurrent.futures
import contextlib
import dataclasses
import json
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from klondike_env.errors import OptionError
from klondike_env.json_lines import JsonLinesFile, parse_fields, read_json_lines
from klondike_env.solver.solving import DEFAULT_MEMORY_LIMIT, SOLVER_VERSION, WINNABLE, Solution, check_limits, solve
from klondike_env.suites import FixedGame


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
    fields = parse_fields(line, _FIELD_TYPES)
    actions = fields.get("actions")
    return Label(**{name: fields[name] for name in _FIELD_TYPES}, actions=None if actions is None else tuple(actions))


def read_labels(path: str | Path) -> list[Label]:
    """Read a labels file; a half last line, as a killed run leaves it, is left out.

    Raises:
        ResultsFileError: The file cannot be read, or a line is no label; the message gives the line number.
    """
    return read_json_lines(path, parse_label)


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
        file: JsonLinesFile[Label] | None = None
        if path is not None:
            file = stack.enter_context(JsonLinesFile(path, parse_label, own))
            found = {label.key: label for label in file.lines}
        keys = {(game.code, game.rules.name): game for game in games}
        if with_actions:
            # What an earlier call labelled without keeping its solution is solved again.
            found = {key: label for key, label in found.items() if label.verdict != WINNABLE or label.actions}
        missing = [game for key, game in keys.items() if key not in found]
        for game, solution in _solve_all(missing, limits, jobs):
            label = _make_label(game, solution, own, with_actions)
            if file is not None:
                file.append(label)
            found[label.key] = label
            if report is not None:
                report(label)
    return [found[game.code, game.rules.name] for game in games]


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
