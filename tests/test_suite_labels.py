"""The labels that are shipped: complete, in agreement with the solver and with each other."""

import pytest

from klondike_env import solve
from klondike_env.errors import ResultsFileError
from klondike_env.evaluation import GameResult
from klondike_env.evaluation.statistics import winnable_text
from klondike_env.solver import SOLVER_VERSION
from klondike_env.suite_labels import SuiteLabels, load_suite_labels, parse_suite_labels
from klondike_env.suites import Suite, get_suite, suite_names

# Whoever wins under the first rules wins under the second, which allow at least as much.
EASIER = [
    ("D3N", "D1N"),
    ("D3V", "D1V"),
    ("D1V", "D1N"),
    ("D3V", "D3N"),
    ("one-pass", "D1V"),
    ("aces-first", "D1V"),
    ("three-pass", "D3N"),
    ("aces-first-3", "D3N"),
]


@pytest.mark.parametrize("name", suite_names())
def test_each_suite_is_labelled_and_the_solver_agrees(name: str) -> None:
    suite = get_suite(name)
    labels = suite.labels
    assert labels is not None
    assert (labels.suite, labels.solver_version) == (name, SOLVER_VERSION)
    assert len(labels.verdicts) == len(labels.lengths) == len(suite.games) == 1000
    assert labels.count("unknown") == 0
    assert parse_suite_labels(labels.to_json(), "here") == labels
    for place in range(5, 1000, 99):
        assert (labels.lengths[place] is not None) == (labels.verdicts[place] == "winnable")
        solution = solve(suite.games[place].start(), node_limit=200_000)
        assert solution.verdict in (labels.verdicts[place], "unknown")
        if solution.verdict == "winnable":
            assert len(solution.actions) == labels.lengths[place]


@pytest.mark.parametrize(("harder", "easier"), EASIER)
@pytest.mark.parametrize("part", ["dev", "test"])
def test_easier_rules_lose_no_win(harder: str, easier: str, part: str) -> None:
    hard, easy = load_suite_labels(f"{harder}-{part}"), load_suite_labels(f"{easier}-{part}")
    assert hard is not None
    assert easy is not None
    pairs = list(zip(hard.verdicts, easy.verdicts, strict=True))
    assert ("winnable", "unwinnable") not in pairs
    assert ("winnable", "winnable") in pairs


def test_other_games_have_no_labels() -> None:
    suite = get_suite("D1N-dev")
    assert Suite("codes.txt", suite.games).labels is None
    assert Suite("D1N-dev", suite.games[1:]).labels is None


def test_broken_labels_are_refused() -> None:
    for text in ("", "[]", '{"verdicts": "wx", "lengths": []}', '{"verdicts": "w", "lengths": [3]}'):
        with pytest.raises(ResultsFileError, match="here holds no labels"):
            parse_suite_labels(text, "here")


def test_share_of_the_winnable_games() -> None:
    labels = SuiteLabels("x", "1", None, None, 1, ("winnable", "winnable", "unwinnable", "unknown"), (9, 9, None, None))

    def results(*won: bool) -> list[GameResult]:
        return [GameResult("", "", w, 0, 0, 0, 0, True, False, "", "", "", 0, 1) for w in won]

    text = winnable_text(results(True, False, False, False), labels)
    assert text.startswith("won 50.0 % [")
    assert text.endswith("of the 2 games that can be won; whether 1 more can be won is open")
    # A game that the solver left open and the agent won can be won.
    assert winnable_text(results(False, False, False, True), labels).endswith("of the 3 games that can be won")
