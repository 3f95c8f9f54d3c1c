"""Win rates with intervals, means, and the table that shows them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from klondike_env.evaluation.results import GameResult
from klondike_env.suite_labels import SuiteLabels

Z_95: Final = 1.959963984540054
"""The 97.5 % point of the normal distribution."""


def wilson_interval(wins: int, games: int) -> tuple[float, float]:
    """Return the 95 % Wilson score interval of a share.

    Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22 (1927).

    Args:
        wins: How often it happened, 0 to ``games``.
        games: How often it could have happened, at least 1.

    Returns:
        Lower and upper end, 0 to 1.

    Raises:
        ValueError: The numbers are out of range.
    """
    if games < 1 or not 0 <= wins <= games:
        raise ValueError(f"wins {wins} of games {games}: games must be at least 1 and wins from 0 to games")
    share = wins / games
    square = Z_95 * Z_95 / games
    centre = (share + square / 2) / (1 + square)
    half = Z_95 / (1 + square) * math.sqrt(share * (1 - share) / games + square / (4 * games))
    # Exact ends where rounding would leave them a hair off.
    return 0.0 if wins == 0 else centre - half, 1.0 if wins == games else centre + half


def mean_interval(values: Sequence[float]) -> tuple[float, float]:
    """Return a mean and the half width of its 95 % interval by the normal approximation (0 for a single value)."""
    count = len(values)
    mean = sum(values) / count
    if count < 2:
        return mean, 0.0
    variance = sum((value - mean) ** 2 for value in values) / (count - 1)
    return mean, Z_95 * math.sqrt(variance / count)


@dataclass(frozen=True, slots=True)
class Summary:
    """What came of many games.

    Attributes:
        games: How many were played.
        wins: How many were won.
        win_rate: Share won, 0 to 1.
        interval: 95 % Wilson interval of the share.
        mean_score: Mean score by the scoring table, in points or dollars.
        mean_score_half_width: Half width of its 95 % interval.
        mean_paid: Mean of what ``reward="score"`` pays in all.
        mean_paid_half_width: Half width of its 95 % interval.
        mean_founded: Mean number of cards on the foundations at the end, 0-52.
        mean_steps: Mean number of actions.
        truncated: How many games ended at the step limit without a win.
    """

    games: int
    wins: int
    win_rate: float
    interval: tuple[float, float]
    mean_score: float
    mean_score_half_width: float
    mean_paid: float
    mean_paid_half_width: float
    mean_founded: float
    mean_steps: float
    truncated: int


def summarize(results: Sequence[GameResult]) -> Summary:
    """Summarize results of at least one game.

    Raises:
        ValueError: There are no results.
    """
    if not results:
        raise ValueError("there are no results to summarize; at least one game must have been played")
    games = len(results)
    wins = sum(result.won for result in results)
    mean_score, score_half_width = mean_interval([result.score for result in results])
    mean_paid, paid_half_width = mean_interval([result.paid for result in results])
    return Summary(
        games=games,
        wins=wins,
        win_rate=wins / games,
        interval=wilson_interval(wins, games),
        mean_score=mean_score,
        mean_score_half_width=score_half_width,
        mean_paid=mean_paid,
        mean_paid_half_width=paid_half_width,
        mean_founded=sum(result.founded for result in results) / games,
        mean_steps=sum(result.steps for result in results) / games,
        truncated=sum(result.truncated and not result.terminated for result in results),
    )


def winnable_text(results: Sequence[GameResult], labels: SuiteLabels) -> str:
    """Say which share of the games that can be won at all an agent won.

    Args:
        results: A result for each game of the suite, in order.
        labels: The suite's labels.

    Returns:
        One line of text.
    """
    # A game that was won can be won, whatever the solver left open.
    pairs = list(zip(results, labels.verdicts, strict=True))
    winnable = sum(verdict == "winnable" or result.won for result, verdict in pairs)
    won = sum(result.won for result in results)
    unknown = sum(verdict == "unknown" and not result.won for result, verdict in pairs)
    if not winnable:
        return "no game of these is known to be winnable"
    low, high = (100 * end for end in wilson_interval(won, winnable))
    text = f"won {100 * won / winnable:.1f} % [{low:.1f}, {high:.1f}] of the {winnable} games that can be won"
    return text + (f"; whether {unknown} more can be won is open" if unknown else "")


SUMMARY_COLUMNS: Final = (
    "agent",
    "suite",
    "games",
    "win rate [95 %]",
    "mean score",
    "mean return",
    "on foundations",
    "steps",
    "games/s",
)


def summary_row(agent: str, suite: str, summary: Summary, currency: bool, games_per_second: float | None) -> list[str]:
    """Return a summary as the cells of a table row under ``SUMMARY_COLUMNS``.

    Args:
        agent: Name of the agent.
        suite: Name of the suite.
        summary: The summary.
        currency: Whether scores are dollars.
        games_per_second: Speed, or None if no game was played now.
    """
    low, high = (100 * end for end in summary.interval)
    return [
        agent,
        suite,
        str(summary.games),
        f"{100 * summary.win_rate:.1f} % [{low:.1f}, {high:.1f}]",
        _mean_text(summary.mean_score, summary.mean_score_half_width, currency),
        _mean_text(summary.mean_paid, summary.mean_paid_half_width, currency),
        f"{summary.mean_founded:.1f}",
        f"{summary.mean_steps:.1f}",
        "-" if games_per_second is None else f"{games_per_second:,.1f}",
    ]


def _mean_text(mean: float, half_width: float, currency: bool) -> str:
    """Return a mean with its interval, in points or dollars."""
    sign = "-" if mean < 0 else "+" if currency else ""
    return f"{sign}{'$' if currency else ''}{abs(mean):.1f} ± {half_width:.1f}"
