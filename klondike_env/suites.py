"""Suites: the fixed games on which agents are compared, and files of game codes.

``dev`` is game numbers 0 to 999, ``test`` 1 000 000 to 1 000 999, for each rule set: ``D3N-test``, ``one-pass-dev``.
Training never draws these numbers.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from klondike_env.codes import format_code, parse_code
from klondike_env.deals import Deal
from klondike_env.errors import CodesFileError, GameCodeError, SuiteError
from klondike_env.game import Game
from klondike_env.rules import RULE_SETS, Rules
from klondike_env.suite_labels import SuiteLabels, load_suite_labels

SUITE_NUMBERS: Final = {"dev": range(1000), "test": range(1_000_000, 1_001_000)}


@dataclass(frozen=True, slots=True)
class FixedGame:
    """A game that can be played again by anybody: a number and rules.

    Attributes:
        number: The game number.
        rules: The rules it is played under.
    """

    number: int
    rules: Rules

    @property
    def code(self) -> str:
        """The game code, which names deal, draw and scoring; ``rules`` may say more."""
        return format_code(self.number, self.rules.mode)

    def start(self) -> Game:
        """Return the game at its deal."""
        return Game.from_deal(Deal.from_number(self.number), self.rules)


@dataclass(frozen=True, slots=True)
class Suite:
    """Games that are evaluated together.

    Attributes:
        name: What results are listed under.
        games: The games, in order.
    """

    name: str
    games: tuple[FixedGame, ...]

    @property
    def codes(self) -> list[str]:
        """The game codes, in order."""
        return [game.code for game in self.games]

    @property
    def labels(self) -> SuiteLabels | None:
        """Which games can be won, as the solver found; None for games that are no suite of the package."""
        if self.name not in suite_names() or self != get_suite(self.name):
            return None
        return load_suite_labels(self.name)


def suite_names() -> list[str]:
    """Return the names of all suites."""
    return [f"{rules}-{part}" for rules in RULE_SETS for part in SUITE_NUMBERS]


def get_suite(name: str) -> Suite:
    """Return a suite.

    Args:
        name: Rule set and part, such as ``"D3N-test"``.

    Raises:
        SuiteError: There is no such suite.
    """
    if name not in suite_names():
        known = {suite.lower(): suite for suite in suite_names()}
        close = difflib.get_close_matches(str(name).lower(), known, n=1, cutoff=0.5)
        hint = f" Did you mean {known[close[0]]!r}?" if close else ""
        raise SuiteError(
            f"{name!r} is no suite; a suite, such as 'D3N-test', is a rule set, '-' and {' or '.join(SUITE_NUMBERS)};"
            f" rule sets are {', '.join(RULE_SETS)}.{hint}"
        )
    rules, _, part = name.rpartition("-")
    return Suite(name, tuple(FixedGame(number, RULE_SETS[rules]) for number in SUITE_NUMBERS[part]))


def read_codes_file(path: str | Path) -> Suite:
    """Read a file of game codes, one a line; ``#`` starts a comment. Each game is played under its code's own rules.

    Args:
        path: The file.

    Returns:
        The games as a suite named after the file.

    Raises:
        CodesFileError: The file cannot be read, holds no code, or a line is no code or one that stood before; the
            message gives file name and line number.
    """
    path = Path(path)
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no UTF-8 text"
        raise CodesFileError(f"cannot read codes file {path}: {reason}") from error
    games: dict[FixedGame, int] = {}
    for line_number, line in enumerate(lines, start=1):
        text = line.partition("#")[0].strip()
        if not text:
            continue
        try:
            code = parse_code(text)
        except GameCodeError as error:
            raise CodesFileError(f"{path}, line {line_number}: {error}") from error
        game = FixedGame(code.number, code.rules)
        if game in games:
            raise CodesFileError(f"{path}, line {line_number}: {code} stands in line {games[game]} already")
        games[game] = line_number
    if not games:
        raise CodesFileError(f"codes file {path} holds no game code; write one a line, such as KL1-D1N-AAAAAAG")
    return Suite(path.name, tuple(games))
