"""Two agents on the same games: exact test, intervals that cover, and refusal of what cannot be compared."""

import dataclasses
import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from klondike_env.cli import app
from klondike_env.errors import KlondikeError, ResultsFileError
from klondike_env.evaluation import GameResult, evaluate, read_results
from klondike_env.evaluation.comparison import (
    COMPARISON_COLUMNS,
    compare_results,
    comparison_row,
    mcnemar_p_value,
    mean_t_interval,
    paired_share_interval,
    t_quantile_95,
)
from klondike_env.evaluation.results import group_by_suite, suite_of_results
from klondike_env.suites import Suite, get_suite
from klondike_env.terminal import markdown_table

KLONDIKE = Path(sys.executable).parent / "klondike"
GAMES = Suite("some", get_suite("D1N-dev").games[:60])


@pytest.fixture(scope="module")
def greedy() -> list[GameResult]:
    return evaluate("greedy", GAMES).results


@pytest.fixture(scope="module")
def random() -> list[GameResult]:
    return evaluate("random", GAMES).results


def run(*arguments: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [str(KLONDIKE), "compare", *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=300)


def write(path: Path, results: list[GameResult]) -> Path:
    path.write_text("".join(result.to_line() + "\n" for result in results))
    return path


def test_mcnemar_is_exact() -> None:
    # Ten throws of a coin, one head: 2 * (1 + 10) / 1024.
    assert mcnemar_p_value(1, 9) == mcnemar_p_value(9, 1) == 22 / 1024
    assert mcnemar_p_value(0, 5) == 2 / 32
    assert mcnemar_p_value(0, 0) == mcnemar_p_value(7, 7) == 1.0
    assert mcnemar_p_value(4, 3) == 1.0
    # Against sums of binomial coefficients, and far in the tail, where numbers with a point would have underflowed.
    for few, many in ((3, 11), (40, 70), (480, 560)):
        tail = sum(math.comb(few + many, won) for won in range(few + 1))
        assert mcnemar_p_value(few, many) == pytest.approx(2 * tail / 2 ** (few + many), rel=1e-12)
    assert 0 < mcnemar_p_value(0, 1000) < 1e-300
    with pytest.raises(ValueError, match="no negative number"):
        mcnemar_p_value(-1, 3)


@pytest.mark.parametrize("shares", [(0.02, 0.02), (0.1, 0.25), (0.0, 0.3), (0.3, 0.3), (0.0, 0.0)])
def test_interval_of_a_paired_difference_covers_it(shares: tuple[float, float]) -> None:
    """The chance that the interval holds the true difference, summed over all outcomes of 40 games."""
    first, second = shares
    games, covered = 40, 0.0
    for won in range(games + 1):
        for lost in range(games + 1 - won):
            equal = games - won - lost
            ways = math.comb(games, won) * math.comb(games - won, lost)
            chance = ways * first**won * second**lost * (1 - first - second) ** equal
            low, high = paired_share_interval(won, lost, games)
            covered += chance * (low <= first - second <= high)
    assert covered >= 0.93


def test_interval_of_a_paired_difference_by_hand() -> None:
    # 12 and 6 of 98 games: (12 + 1) / 100 and (6 + 1) / 100.
    low, high = paired_share_interval(12, 6, 98)
    half = 1.959963984540054 * math.sqrt((0.13 + 0.07 - 0.06**2) / 100)
    assert (low, high) == pytest.approx((0.06 - half, 0.06 + half))
    assert paired_share_interval(6, 12, 98) == pytest.approx((-high, -low))
    assert paired_share_interval(1, 0, 1)[1] == 1.0
    assert paired_share_interval(0, 1, 1)[0] == -1.0
    for numbers in ((0, 0, 0), (3, 3, 5), (-1, 0, 5)):
        with pytest.raises(ValueError, match="do not fit together"):
            paired_share_interval(*numbers)


def test_student_t_equals_published_values() -> None:
    # Any table of the t distribution, 97.5 %.
    published = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 8: 2.306, 10: 2.228, 20: 2.086, 30: 2.042}
    for degrees, value in published.items():
        assert t_quantile_95(degrees) == pytest.approx(value, rel=1e-3)
    assert t_quantile_95(10**6) == pytest.approx(1.959966, abs=2e-6)


def test_interval_of_a_mean() -> None:
    mean, interval = mean_t_interval([1.0, 2.0, 3.0, 4.0, 5.0])
    half = 2.776445 * math.sqrt(2.5 / 5)
    assert mean == 3.0
    assert interval == pytest.approx((3 - half, 3 + half), rel=1e-3)
    assert mean_t_interval([4.0])[1] == (-math.inf, math.inf)
    with pytest.raises(ValueError, match="no values"):
        mean_t_interval([])


def test_comparison_adds_up(greedy: list[GameResult], random: list[GameResult]) -> None:
    comparison = compare_results(greedy, list(reversed(random)))
    wins = [sum(result.won for result in results) for results in (greedy, random)]
    assert comparison.games == 60
    assert comparison.both_won + comparison.only_first_won == wins[0]
    assert comparison.both_won + comparison.only_second_won == wins[1]
    assert comparison.win_rate_difference == pytest.approx((wins[0] - wins[1]) / 60)
    assert comparison.none_won == 60 - comparison.both_won - comparison.only_first_won - comparison.only_second_won
    assert comparison.p_value < 1e-6
    paid = [sum(result.paid for result in results) / 60 for results in (greedy, random)]
    assert comparison.return_difference == pytest.approx(paid[0] - paid[1])
    other_way = compare_results(random, greedy)
    assert other_way.win_rate_difference == -comparison.win_rate_difference
    assert other_way.p_value == comparison.p_value
    same = compare_results(greedy, greedy)
    assert (same.win_rate_difference, same.p_value, same.return_difference) == (0.0, 1.0, 0.0)


def test_points_and_dollars_have_no_common_mean() -> None:
    codes = ["KL1-D1N-AAAAAAA", "KL1-D1V-AAAAAAB"]
    results = evaluate("random", codes, step_limit=20).results
    comparison = compare_results(results, results)
    assert comparison.return_difference is comparison.return_interval is None
    row = comparison_row("a", "b", "codes", comparison, False)
    assert len(row) == len(COMPARISON_COLUMNS)
    assert row[-1] == "-"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda results: results[:-1], "1 of the 60 games that 'greedy' played are missing from the 59 of 'random'"),
        (lambda results: [], "there are no results to compare"),
        (lambda results: [dataclasses.replace(result, rules="one-pass") for result in results], "60 of the 60 games"),
        (lambda results: [dataclasses.replace(result, seed=3) for result in results], "with seed 0 by 'greedy' and 3"),
        (
            lambda results: [dataclasses.replace(result, step_limit=9) for result in results],
            "with step limit 500 by 'greedy' and 9 by 'random'",
        ),
    ],
)
def test_what_differs_is_not_compared(
    greedy: list[GameResult],
    random: list[GameResult],
    change: Callable[[list[GameResult]], list[GameResult]],
    message: str,
) -> None:
    with pytest.raises(ResultsFileError, match=message):
        compare_results(greedy, change(random))
    with pytest.raises(ResultsFileError):
        compare_results(change(random), greedy)


def test_suites_of_results(greedy: list[GameResult]) -> None:
    assert suite_of_results(greedy, "file").name == "D1N-dev, 60 games"
    assert suite_of_results(greedy, "file").games == GAMES.games
    whole = get_suite("aces-first-test")
    results = [dataclasses.replace(greedy[0], code=game.code, rules=game.rules.name) for game in whole.games]
    assert suite_of_results(results, "file") == whole
    mixed = [*greedy[:2], dataclasses.replace(greedy[0], code="KL1-D3V-AAAAAAA", rules="D3V")]
    assert suite_of_results(mixed, "file").name == "file"


def test_markdown() -> None:
    assert markdown_table(("a", "b"), [("1", "x|y")]) == "| a | b |\n| --- | --- |\n| 1 | x\\|y |"


def test_command_plays_and_reads(tmp_path: Path, greedy: list[GameResult], random: list[GameResult]) -> None:
    file = write(tmp_path / "greedy.jsonl", greedy)
    (tmp_path / "codes.txt").write_text("\n".join(GAMES.codes))
    played = run("greedy", "random", "--codes", "codes.txt", "--out-dir", "out", "--jobs", "2", cwd=tmp_path)
    assert played.returncode == 0, played.stderr
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == ["greedy_codes.txt.jsonl", "random_codes.txt.jsonl"]
    kept = read_results(tmp_path / "out" / names[1])
    assert {result.to_line() for result in kept} == {result.to_line() for result in random}

    read = run(file, tmp_path / "out" / names[1], "--markdown", "--plot", "both.png", cwd=tmp_path)
    comparison = compare_results(greedy, random)
    row = comparison_row("greedy", "random", "D1N-dev, 60 games", comparison, False)
    assert f"| {' | '.join(row)} |" in read.stdout, read.stderr
    assert f"{100 * comparison.win_rate_difference:+.1f} %" in played.stdout
    assert (tmp_path / "both.png").read_bytes().startswith(b"\x89PNG")

    # The other side plays the games of the file, with its seed and step limit.
    short = evaluate("random", GAMES, seed=5, step_limit=30).results
    shallow = run(write(tmp_path / "short.jsonl", short), "greedy", "--option-b", "depth=1", cwd=tmp_path)
    assert "seed 5, step limit 30, won by both: 0, by neither: 60" in shallow.stdout, shallow.stderr
    assert "random - greedy depth=1" in shallow.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["greedy", "random"], "give --suite or --codes"),
        (["greedy", "nobody", "--suite", "D1N-dev", "--codes", "x"], "give either --suite or --codes, and not both"),
        (["greedy.jsonl", "none.jsonl"], "cannot read none.jsonl"),
        (["greedy.jsonl", "empty.jsonl"], "empty.jsonl holds no results"),
        (["greedy.jsonl", "both.jsonl"], "holds results of several agents: greedy, random"),
        (["greedy.jsonl", "greedy.jsonl", "--suite", "D1N-dev"], "940 of the 1000 games of D1N-dev are missing"),
        (["greedy.jsonl", "random.jsonl", "--option-b", "depth=1"], "is a results file; options are for an agent"),
        (["greedy.jsonl", "nobody"], "'nobody' is no agent"),
        (["greedy.jsonl", "part.jsonl"], "1 of the 60 games of D1N-dev, 60 games are missing"),
        (["greedy.jsonl", "seed.jsonl"], "with seed 0 by 'greedy' and 1 by 'random'"),
        (["greedy.jsonl", "random.jsonl", "--plot", "x.gif"], "a picture's name ends in .png"),
    ],
)
def test_command_errors_are_told(
    tmp_path: Path,
    greedy: list[GameResult],
    random: list[GameResult],
    arguments: list[str],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write(tmp_path / "greedy.jsonl", greedy)
    write(tmp_path / "random.jsonl", random)
    write(tmp_path / "part.jsonl", random[:-1])
    write(tmp_path / "both.jsonl", [*greedy, *random])
    write(tmp_path / "empty.jsonl", [])
    write(tmp_path / "seed.jsonl", [dataclasses.replace(result, seed=1) for result in random])
    files = sorted(tmp_path.iterdir())
    monkeypatch.chdir(tmp_path)
    error = CliRunner().invoke(app, ["compare", *arguments]).exception
    # ``main`` prints these and ends with status 2.
    assert isinstance(error, KlondikeError)
    assert message in str(error)
    assert sorted(tmp_path.iterdir()) == files


def test_a_command_error_is_a_message(tmp_path: Path) -> None:
    result = run("greedy", "random", cwd=tmp_path)
    assert result.returncode == 2
    assert "give --suite or --codes" in result.stderr
    assert "Traceback" not in result.stderr


def test_agents_of_one_name_are_told_apart(tmp_path: Path, greedy: list[GameResult], random: list[GameResult]) -> None:
    first = write(tmp_path / "first.jsonl", random)
    second = write(tmp_path / "second.jsonl", random)
    output = run(first.name, second.name, cwd=tmp_path).stdout
    assert "random (first.jsonl) - random (second.jsonl)" in output
    groups = group_by_suite([("first", random), ("second", random), ("third", greedy)])
    assert {result.agent for result in groups["D1N-dev, 60 games"]} == {"random (first)", "random (second)", "greedy"}
