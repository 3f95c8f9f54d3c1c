"""Results of several agents put together by suite, with the figures that a report shows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from klondike_env.codes import parse_code
from klondike_env.errors import ResultsFileError
from klondike_env.evaluation.results import GameResult, read_results
from klondike_env.evaluation.statistics import (
    SUMMARY_COLUMNS,
    Summary,
    summarize,
    summary_row,
    wilson_interval,
)
from klondike_env.rules import RULE_SETS, parse_rules
from klondike_env.suite_labels import load_suite_labels
from klondike_env.suites import SUITE_NUMBERS, get_suite

EVERYTHING: Final = "everything"
"""What a thoughtful agent sees, as results record it."""


@dataclass(frozen=True, slots=True)
class Run:
    """What one agent did on the games of one suite, with one seed.

    Attributes:
        agent: Name of the agent.
        suite: Name of the suite; ``"codes, RULES"`` for games of none.
        rules: Name of the rules.
        seed: Seed of the evaluation.
        step_limit: Actions after which a game was truncated.
        version: Version of the package.
        sees: What the agent played from.
        results: A result for each game that was played, in the order of the suite.
    """

    agent: str
    suite: str
    rules: str
    seed: int
    step_limit: int
    version: str
    sees: str
    results: tuple[GameResult, ...]

    @property
    def is_thoughtful(self) -> bool:
        """Whether the agent saw all cards."""
        return self.sees == EVERYTHING

    @property
    def title(self) -> str:
        """The agent's name, marked if it sees all cards."""
        return f"{self.agent} (sees all cards)" if self.is_thoughtful else self.agent

    @property
    def is_vegas(self) -> bool:
        """Whether scores are dollars."""
        return parse_rules(self.rules).scoring_table.currency

    @property
    def summary(self) -> Summary:
        """Its summary."""
        return summarize(self.results)

    @property
    def winnable(self) -> int | None:
        """How many of the played games can be won; None where the solver's verdicts are not all known."""
        verdicts = suite_verdicts(self.suite)
        answers = [result.won or verdicts.get(result.code) == "winnable" for result in self.results]
        known = all(result.won or verdicts.get(result.code, "unknown") != "unknown" for result in self.results)
        return sum(answers) if known else None


def suite_verdicts(suite: str) -> dict[str, str]:
    """Return the solver's verdict on each game of a suite, by game code; empty for games of no suite."""
    if not _is_suite(suite):
        return {}
    labels = load_suite_labels(suite)
    return {} if labels is None else dict(zip(get_suite(suite).codes, labels.verdicts, strict=True))


def suite_codes(suite: str, runs: Iterable[Run]) -> list[str]:
    """Return the game codes of a suite; for games of no suite, those that were played in some run."""
    if _is_suite(suite):
        return get_suite(suite).codes
    return sorted({result.code for run in runs for result in run.results})


def _is_suite(name: str) -> bool:
    rules, _, part = name.rpartition("-")
    return rules in RULE_SETS and part in SUITE_NUMBERS


def _suite_of(result: GameResult) -> str:
    """Return the name of the suite that a game belongs to."""
    number = parse_code(result.code).number
    if result.rules in RULE_SETS:
        for part, numbers in SUITE_NUMBERS.items():
            if number in numbers:
                return f"{result.rules}-{part}"
    return f"codes, {result.rules}"


def read_report(files: Sequence[str | Path]) -> list[Run]:
    """Read results files and put their results together by suite and agent.

    A game that stands in several files with the same outcome counts once.

    Args:
        files: The results files.

    Returns:
        The runs by suite, in each the best first, thoughtful agents last.

    Raises:
        ResultsFileError: A file cannot be read, holds no results, or gives a game another outcome than one before.
    """
    found: dict[tuple[str, str, int, int, str, str], dict[str, GameResult]] = {}
    for file in files:
        results = read_results(file)
        if not results:
            raise ResultsFileError(f"{file} holds no results")
        for result in results:
            run = (
                _suite_of(result),
                result.agent,
                result.seed,
                result.step_limit,
                result.version,
                result.sees,
            )
            games = found.setdefault(run, {})
            if games.setdefault(result.code, result) != result:
                raise ResultsFileError(
                    f"{file}: game {result.code} with agent {result.agent!r} and seed {result.seed} has another outcome"
                    " here than before"
                )
    runs = []
    for (suite, agent, seed, step_limit, version, sees), games in found.items():
        some = next(iter(games.values()))
        order = get_suite(suite).codes if _is_suite(suite) else sorted(games)
        results = [games[code] for code in order if code in games]
        runs.append(Run(agent, suite, some.rules, seed, step_limit, version, sees, tuple(results)))
    return sorted(runs, key=_place)


def _place(run: Run) -> tuple[object, ...]:
    """Return what runs are sorted by: suites as they are listed, then the best first, thoughtful agents last."""
    rules, _, part = run.suite.rpartition("-")
    suite = (list(RULE_SETS).index(rules), part) if _is_suite(run.suite) else (len(RULE_SETS), run.suite)
    return (part != "test", suite, run.is_thoughtful, -run.summary.win_rate, run.agent, run.seed)


REPORT_COLUMNS: Final = (*SUMMARY_COLUMNS[:-1], "of the winnable [95 %]", "seed", "step limit", "version")
"""Heads of a report's table."""


def report_row(run: Run) -> list[str]:
    """Return a run as the cells of a table row under ``REPORT_COLUMNS``."""
    cells = summary_row(run.title, run.suite, run.summary, run.is_vegas, None)[:-1]
    return [*cells, winnable_share(run), str(run.seed), str(run.step_limit), run.version]


def winnable_share(run: Run) -> str:
    """Return which share of the games that can be won was won, or ``"-"`` where that is not known."""
    winnable, wins = run.winnable, run.summary.wins
    if not winnable:
        return "-"
    low, high = (100 * end for end in wilson_interval(wins, winnable))
    return f"{100 * wins / winnable:.1f} % [{low:.1f}, {high:.1f}]"
