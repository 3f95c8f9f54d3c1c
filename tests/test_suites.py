"""Suites of fixed games, and files of game codes."""

import re
from pathlib import Path
from typing import Any

import pytest

from klondike_env import RULE_SETS, Game
from klondike_env.episode_options import EVALUATION_NUMBERS
from klondike_env.errors import CodesFileError, SuiteError
from klondike_env.suites import SUITE_NUMBERS, FixedGame, get_suite, read_codes_file, suite_names


def test_there_is_a_dev_and_a_test_suite_for_each_rule_set() -> None:
    assert suite_names() == [f"{rules}-{part}" for rules in RULE_SETS for part in ("dev", "test")]


@pytest.mark.parametrize("name", suite_names())
def test_suites_hold_the_numbers_of_the_design(name: str) -> None:
    suite = get_suite(name)
    rules, _, part = name.rpartition("-")
    first = {"dev": 0, "test": 1_000_000}[part]
    assert suite.name == name
    assert [game.number for game in suite.games] == list(range(first, first + 1000))
    assert {game.rules for game in suite.games} == {RULE_SETS[rules]}
    assert suite.codes[0] == Game.from_number(first, rules).code
    assert len(set(suite.codes)) == 1000
    assert max(game.number for game in suite.games) < EVALUATION_NUMBERS


def test_no_two_suites_of_a_rule_set_share_a_number() -> None:
    assert not set(SUITE_NUMBERS["dev"]) & set(SUITE_NUMBERS["test"])


def test_a_fixed_game_starts_at_its_deal() -> None:
    game = FixedGame(6, RULE_SETS["three-pass"])
    assert game.code == "KL1-D3N-AAAAAAG"
    assert game.start().notation == Game.from_number(6, "three-pass").notation


@pytest.mark.parametrize("name", ["D3N-tset", "D3N", "d3n-test", "", "-test", "D3N-test ", None, 5])
def test_what_is_no_suite_is_named(name: Any) -> None:
    with pytest.raises(
        SuiteError, match=f"^{re.escape(repr(name))} is no suite; a suite, such as 'D3N-test', is a rule"
    ):
        get_suite(name)


@pytest.mark.parametrize(
    ("name", "meant"), [("tree-pass-test", "three-pass-test"), ("d3n-test", "D3N-test"), ("D1V_dev", "D1V-dev")]
)
def test_a_near_miss_gets_a_hint(name: str, meant: str) -> None:
    with pytest.raises(SuiteError, match=rf"Did you mean '{meant}'\?$"):
        get_suite(name)


def write(folder: Path, text: str | bytes) -> Path:
    """Write a codes file."""
    path = folder / "games.txt"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


@pytest.mark.parametrize(
    "text",
    [
        "KL1-D1N-AAAAAAG\nKL1-D3V-AAAAAAG\n",
        "# my games\n\n  kl1-d1n-aaaaaag  # the first\n\tKL1-D3V-AAAAAAG",
        "KL1-D1N-AAAAAAG\r\nKL1-D3V-AAAAAAG\r\n",
        "\ufeffKL1-D1N-AAAAAAG\r\nKL1-D3V-AAAAAAG\r\n",
    ],
    ids=["plain", "comments and case", "Windows line ends", "byte order mark"],
)
def test_codes_files_are_read(tmp_path: Path, text: str) -> None:
    suite = read_codes_file(write(tmp_path, text))
    assert suite.name == "games.txt"
    assert suite.codes == ["KL1-D1N-AAAAAAG", "KL1-D3V-AAAAAAG"]
    assert [game.rules for game in suite.games] == [RULE_SETS["D1N"], RULE_SETS["D3V"]]
    assert read_codes_file(str(tmp_path / "games.txt")) == suite


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "KL1-D1N-AAAAAAG\n\nKL1-D1N-AAAAAA\n",
            "games.txt, line 3: game code 'KL1-D1N-AAAAAA': 'AAAAAA' has 6 letters",
        ),
        ("# games\nhello", "games.txt, line 2: game code 'hello' has 1 parts"),
        ("KL1-D1N-AAAAAAG KL1-D1N-AAAAAAH", "games.txt, line 1: game code"),
        ("KL1-D1N-AAAAAAG\nkl1-d1n-aaaaaag", "games.txt, line 2: KL1-D1N-AAAAAAG stands in line 1 already"),
        ("", "games.txt holds no game code; write one a line, such as KL1-D1N-AAAAAAG"),
        ("# nothing\n\n", "games.txt holds no game code"),
        (b"\xff\xfe\x00", "games.txt: it is no UTF-8 text"),
    ],
)
def test_wrong_codes_files_are_refused_with_file_and_line(tmp_path: Path, text: str | bytes, message: str) -> None:
    with pytest.raises(CodesFileError, match=re.escape(message)):
        read_codes_file(write(tmp_path, text))


def test_codes_files_that_cannot_be_opened_are_refused(tmp_path: Path) -> None:
    for path, reason in [(tmp_path / "none.txt", "No such file"), (tmp_path, "Is a directory")]:
        with pytest.raises(CodesFileError, match=f"cannot read codes file .*: {reason}"):
            read_codes_file(path)
