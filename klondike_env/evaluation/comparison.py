"""Two agents on the same games: paired differences with intervals, and the exact test of McNemar."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from klondike_env.errors import ResultsFileError
from klondike_env.evaluation.results import GameResult
from klondike_env.evaluation.statistics import Z_95
from klondike_env.rules import parse_rules

_T_95: Final = (math.inf, 12.706204736, 4.302652730, 3.182446305)
"""97.5 % points of Student's t distribution by degrees of freedom, where the series is too coarse."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What came of two agents on the same games; differences are the first agent's less the second's.

    Attributes:
        games: How many games both have played.
        both_won: Games that both won.
        only_first_won: Games that only the first agent won.
        only_second_won: Games that only the second agent won.
        win_rate_difference: Difference of the shares of games won, -1 to 1.
        win_rate_interval: Its 95 % interval.
        p_value: Two-sided p-value of McNemar's exact test that neither wins more often.
        return_difference: Mean difference of the returns (``GameResult.paid``), in points or dollars; None if some
            games count points and others dollars.
        return_interval: Its 95 % interval, or None.
    """

    games: int
    both_won: int
    only_first_won: int
    only_second_won: int
    win_rate_difference: float
    win_rate_interval: tuple[float, float]
    p_value: float
    return_difference: float | None
    return_interval: tuple[float, float] | None

    @property
    def none_won(self) -> int:
        """Games that neither agent won."""
        return self.games - self.both_won - self.only_first_won - self.only_second_won


def mcnemar_p_value(only_first: int, only_second: int) -> float:
    """Return the two-sided p-value of McNemar's exact test.

    Of the games that just one of the two won, each is as likely to be the one's as the other's if neither is better.

    Source: Q. McNemar, "Note on the sampling error of the difference between correlated proportions or percentages",
    Psychometrika 12 (1947), with the binomial distribution itself in place of its approximation.

    Args:
        only_first: Games that only the first won.
        only_second: Games that only the second won.

    Raises:
        ValueError: A negative number.
    """
    if min(only_first, only_second) < 0:
        raise ValueError(f"{only_first} and {only_second} games: there is no negative number of games")
    games = only_first + only_second
    ways = total = 1
    for won in range(min(only_first, only_second)):
        ways = ways * (games - won) // (won + 1)
        total += ways
    # Whole numbers to the end, so nothing is rounded however many games there are.
    share: float = total / 2**games
    return min(1.0, 2 * share)


def paired_share_interval(only_first: int, only_second: int, games: int) -> tuple[float, float]:
    """Return the 95 % interval of the difference of two shares of the same games.

    Source: D. G. Bonett and R. M. Price, "Adjusted Wald confidence interval for a difference of binomial proportions
    based on paired data", Journal of Educational and Behavioral Statistics 37 (2012): one game is added to each kind.

    Args:
        only_first: Games that only the first won.
        only_second: Games that only the second won.
        games: All games, at least 1.

    Returns:
        Lower and upper end, -1 to 1.

    Raises:
        ValueError: The numbers do not fit together.
    """
    if games < 1 or min(only_first, only_second) < 0 or only_first + only_second > games:
        raise ValueError(f"{only_first} and {only_second} of {games} games do not fit together")
    first, second = (only_first + 1) / (games + 2), (only_second + 1) / (games + 2)
    difference = first - second
    half = Z_95 * math.sqrt((first + second - difference**2) / (games + 2))
    return max(-1.0, difference - half), min(1.0, difference + half)


def mean_t_interval(values: Sequence[float]) -> tuple[float, tuple[float, float]]:
    """Return a mean and its 95 % interval by Student's t distribution; a single value has an endless one.

    Raises:
        ValueError: There are no values.
    """
    if not values:
        raise ValueError("there are no values to take the mean of")
    count = len(values)
    mean = sum(values) / count
    if count == 1:
        return mean, (-math.inf, math.inf)
    variance = sum((value - mean) ** 2 for value in values) / (count - 1)
    half = t_quantile_95(count - 1) * math.sqrt(variance / count)
    return mean, (mean - half, mean + half)


def t_quantile_95(degrees: int) -> float:
    """Return the 97.5 % point of Student's t distribution, right to a thousandth of itself.

    Source: M. Abramowitz and I. Stegun, "Handbook of Mathematical Functions" (1964), 26.7.5.
    """
    if degrees < len(_T_95):
        return _T_95[degrees]
    z = Z_95
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + sum(term / float(degrees) ** power for power, term in enumerate(terms, start=1))


def compare_results(first: Iterable[GameResult], second: Iterable[GameResult]) -> Comparison:
    """Compare two agents by their results of the same games.

    Args:
        first: Results of the first agent.
        second: Results of the second agent, in any order.

    Raises:
        ResultsFileError: There are none, or games, rules, seeds or step limits differ; the message says where.
    """
    ours, theirs = ({result.key: result for result in results} for results in (first, second))
    _check_same_games(ours, theirs)
    pairs = [(result, theirs[key]) for key, result in ours.items()]
    for result, other in pairs:
        for name in ("seed", "step_limit"):
            one, two = getattr(result, name), getattr(other, name)
            if one != two:
                raise ResultsFileError(
                    f"game {result.code} ({result.rules}) was played with {name.replace('_', ' ')} {one} by"
                    f" {result.agent!r} and {two} by {other.agent!r}; a comparison needs the same for both"
                )
    only_first = sum(result.won and not other.won for result, other in pairs)
    only_second = sum(other.won and not result.won for result, other in pairs)
    mean, interval = None, None
    if len({parse_rules(result.rules).scoring for result, _ in pairs}) == 1:
        # Points and dollars have no common mean.
        mean, interval = mean_t_interval([result.paid - other.paid for result, other in pairs])
    return Comparison(
        games=len(pairs),
        both_won=sum(result.won and other.won for result, other in pairs),
        only_first_won=only_first,
        only_second_won=only_second,
        win_rate_difference=(only_first - only_second) / len(pairs),
        win_rate_interval=paired_share_interval(only_first, only_second, len(pairs)),
        p_value=mcnemar_p_value(only_first, only_second),
        return_difference=mean,
        return_interval=interval,
    )


def _check_same_games(ours: dict[tuple[str, str], GameResult], theirs: dict[tuple[str, str], GameResult]) -> None:
    """Refuse results of different games."""
    if not ours or not theirs:
        raise ResultsFileError("there are no results to compare; both agents must have played the same games")
    for one, two in ((ours, theirs), (theirs, ours)):
        missing = [result for key, result in one.items() if key not in two]
        if missing:
            agents = next(iter(one.values())).agent, next(iter(two.values())).agent
            raise ResultsFileError(
                f"{len(missing)} of the {len(one)} games that {agents[0]!r} played are missing from the {len(two)} of"
                f" {agents[1]!r}, the first of them {missing[0].code} under rules {missing[0].rules}; a comparison"
                " needs the same games under the same rules"
            )


COMPARISON_COLUMNS: Final = (
    "difference",
    "suite",
    "games",
    "win rate [95 %]",
    "only first won",
    "only second won",
    "McNemar p",
    "mean return [95 %]",
)


def comparison_row(first: str, second: str, suite: str, comparison: Comparison, currency: bool) -> list[str]:
    """Return a comparison as the cells of a table row under ``COMPARISON_COLUMNS``.

    Args:
        first: Name of the first agent.
        second: Name of the second agent.
        suite: Name of the suite.
        comparison: The comparison.
        currency: Whether returns are dollars.
    """
    low, high = (100 * end for end in comparison.win_rate_interval)
    if comparison.return_difference is None or comparison.return_interval is None:
        mean_return = "-"
    else:
        mean, lower, upper = (
            _signed(value, "$" if currency else "")
            for value in (comparison.return_difference, *comparison.return_interval)
        )
        mean_return = f"{mean} [{lower}, {upper}]"
    return [
        f"{first} - {second}",
        suite,
        str(comparison.games),
        f"{100 * comparison.win_rate_difference:+.1f} % [{low:+.1f}, {high:+.1f}]",
        str(comparison.only_first_won),
        str(comparison.only_second_won),
        f"{comparison.p_value:.2g}",
        mean_return,
    ]


def _signed(value: float, unit: str) -> str:
    """Return a number with its sign before the unit."""
    return f"{'-' if value < 0 else '+'}{unit}{abs(value):.1f}"
