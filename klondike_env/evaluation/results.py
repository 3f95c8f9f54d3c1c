"""Results of games as JSON lines, written as each game ends and read back to go on."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from klondike_env.codes import parse_code
from klondike_env.errors import ResultsFileError
from klondike_env.json_lines import JsonLinesFile, parse_fields, read_json_lines
from klondike_env.rules import RULE_SETS, parse_rules
from klondike_env.suites import SUITE_NUMBERS, FixedGame, Suite, get_suite


@dataclass(frozen=True, slots=True)
class GameResult:
    """What came of one game.

    Attributes:
        code: Game code: deal, draw and scoring.
        rules: Name of the rules, as ``parse_rules`` reads it.
        won: Whether all cards went to the foundations.
        score: Final score by the scoring table.
        paid: What ``reward="score"`` pays in all: the score without points for a card that was founded before. An agent
            that must move one card up and down to the end has a high score, and this is not changed by it.
        founded: Cards on the foundations at the end, 0-52.
        steps: Actions played.
        terminated: Whether the game was won or lost.
        truncated: Whether the step limit was reached; both may be true.
        agent: Name of the agent.
        sees: What the agent plays from: ``"view"``, observations that are ``"visible"`` or ``"remembered"``, or
            ``"everything"``.
        version: Version of this package.
        seed: Seed of the evaluation, from which, with the game number, the agent's random stream follows.
        step_limit: Actions after which a game is truncated.
    """

    code: str
    rules: str
    won: bool
    score: int
    paid: int
    founded: int
    steps: int
    terminated: bool
    truncated: bool
    agent: str
    sees: str
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
    field.name: ({"str": str, "bool": bool, "int": int}[str(field.type)],) for field in dataclasses.fields(GameResult)
}


def parse_result(line: str) -> GameResult:
    """Read one line of a results file.

    Raises:
        ResultsFileError: The line is no result; the message says what is wrong with it.
    """
    fields = parse_fields(line, _FIELD_TYPES)
    return GameResult(**{name: fields[name] for name in _FIELD_TYPES})


def read_results(path: str | Path) -> list[GameResult]:
    """Read a results file; a half last line, as a killed run leaves it, is left out.

    Raises:
        ResultsFileError: The file cannot be read, or a line is no result; the message gives the line number.
    """
    return read_json_lines(path, parse_result)


def open_results(
    path: str | Path, *, agent: str, sees: str, version: str, seed: int, step_limit: int
) -> JsonLinesFile[GameResult]:
    """Open a results file of one agent, version, seed and step limit to append to.

    Raises:
        ResultsFileError: See ``JsonLinesFile``; results of another agent, version, seed or step limit are not mixed.
    """
    same = {"agent": agent, "sees": sees, "version": version, "seed": seed, "step_limit": step_limit}
    return JsonLinesFile(path, parse_result, same)


def suite_of_results(results: Sequence[GameResult], name: str) -> Suite:
    """Return the games of results, in the order of the results; the suite of the package if they are all its games.

    Args:
        results: The results.
        name: What to call games that are no suite of the package, or only some of one.
    """
    games = tuple(
        dict.fromkeys(FixedGame(parse_code(result.code).number, parse_rules(result.rules)) for result in results)
    )
    for rules in {game.rules.name for game in games} & set(RULE_SETS):
        for part in SUITE_NUMBERS:
            suite = get_suite(f"{rules}-{part}")
            if set(suite.games) == set(games):
                return suite
            if set(suite.games) > set(games):
                return Suite(f"{suite.name}, {len(games)} games", games)
    return Suite(name, games)


def group_by_suite(files: Iterable[tuple[str, Sequence[GameResult]]]) -> dict[str, list[GameResult]]:
    """Return results by the name of their suite; agents of one name in several files get the file's name, too.

    Args:
        files: For each results file what to call its games if they are no suite of the package, and the results.

    Raises:
        ResultsFileError: A file holds no results.
    """
    named: list[tuple[str, str, Sequence[GameResult]]] = []
    for name, results in files:
        if not results:
            raise ResultsFileError(f"{name} holds no results")
        named.append((suite_of_results(results, name).name, name, results))
    counts = Counter((suite, agent) for suite, _, results in named for agent in {result.agent for result in results})
    groups: dict[str, list[GameResult]] = {}
    for suite, name, results in named:
        groups.setdefault(suite, []).extend(
            dataclasses.replace(result, agent=f"{result.agent} ({name})") if counts[suite, result.agent] > 1 else result
            for result in results
        )
    return groups
