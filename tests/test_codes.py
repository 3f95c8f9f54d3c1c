"""Game codes: the fixed test vectors, round trips, and which part of a wrong code is wrong."""

import json
import re
from typing import Any

import numpy as np
import pytest
from golden import DATA
from hypothesis import given
from hypothesis import strategies as st
from walks import game_numbers

from klondike_env.codes import CODE_MODES, MAX_GAME_NUMBER, GameCode, check_game_number, format_code, parse_code
from klondike_env.deals import Deal
from klondike_env.errors import GameCodeError, KlondikeError
from klondike_env.rules import RULE_SETS

VECTORS: list[dict[str, Any]] = json.loads((DATA / "kl1_vectors.json").read_text())["vectors"]


@pytest.mark.parametrize("vector", VECTORS, ids=[str(vector["number"]) for vector in VECTORS])
def test_vectors_give_number_code_and_deck(vector: dict[str, Any]) -> None:
    number = vector["number"]
    for mode in ("D1N", "D3V"):
        code = vector[f"code_{mode}"]
        assert format_code(number, mode) == code
        assert parse_code(code) == GameCode(mode, number)
    assert str(Deal.from_number(number)) == vector["deck"]
    assert Deal.from_text(vector["deck"]).cards == Deal.from_number(number).cards


def test_vectors_hold_the_first_and_the_last_number() -> None:
    assert {0, MAX_GAME_NUMBER} <= {vector["number"] for vector in VECTORS}


@given(game_numbers, st.sampled_from(CODE_MODES))
def test_codes_are_read_back(number: int, mode: str) -> None:
    code = format_code(number, mode)
    assert re.fullmatch(r"KL1-D[13][NV]-[A-Z]{7}", code)
    parsed = parse_code(code)
    assert (parsed.mode, parsed.number) == (mode, number)
    assert str(parsed) == code
    assert parsed.rules == RULE_SETS[mode]


@given(game_numbers, st.sampled_from(CODE_MODES), st.sampled_from(["", " ", "\n", "\t ", "\u00a0"]), st.data())
def test_codes_are_read_in_either_case_and_with_space_around(number: int, mode: str, space: str, data: Any) -> None:
    code = format_code(number, mode)
    spelled = "".join(data.draw(st.sampled_from([letter, letter.lower()])) for letter in code)
    assert parse_code(space + spelled + space) == GameCode(mode, number)


@pytest.mark.parametrize(
    ("number", "letters"), [(0, "AAAAAAA"), (6, "AAAAAAG"), (25, "AAAAAAZ"), (26, "AAAAABA"), (2**32 - 1, "NXMRLXV")]
)
def test_letters_count_in_base_26_most_significant_first(number: int, letters: str) -> None:
    assert format_code(number, "D1N") == f"KL1-D1N-{letters}"


BAD_CODES = [
    ("", "game code '' has 1 parts; it must have three, joined by '-': version, mode, seven letters"),
    ("KL1D1NAAAAAAG", "has 1 parts"),
    ("KL1-D1N", "has 2 parts"),
    ("KL1-D1N-AAA-AAAG", "has 4 parts"),
    ("-KL1-D1N-AAAAAAG", "has 4 parts"),
    ("KL2-D1N-AAAAAAG", "version 'KL2' is unknown; it must be KL1"),
    ("-D1N-AAAAAAG", "version '' is unknown; it must be KL1"),
    ("KL1 -D1N-AAAAAAG", "version 'KL1 ' is unknown"),
    ("KL1-D2N-AAAAAAG", "mode 'D2N' is unknown; it must be one of D1N, D3N, D1V, D3V"),
    ("KL1--AAAAAAG", "mode '' is unknown; it must be one of D1N, D3N, D1V, D3V"),
    ("KL1-ONE-AAAAAAG", "mode 'ONE' is unknown"),
    ("KL1-D1N-AAAAAG", "'AAAAAG' has 6 letters; it must have 7"),
    ("KL1-D1N-AAAAAAAG", "'AAAAAAAG' has 8 letters; it must have 7"),
    ("KL1-D1N-", "'' has 0 letters; it must have 7"),
    ("KL1-D1N-AAAA0AG", "'0' at place 5 of 'AAAA0AG' is no letter from A to Z"),
    ("KL1-D1N-AAAAAA6", "'6' at place 7 of 'AAAAAA6' is no letter from A to Z"),
    ("KL1-D1N-ÄAAAAAA", "'Ä' at place 1 of 'ÄAAAAAA' is no letter from A to Z"),
    ("KL1-D1N-AAAAAß", "'AAAAAß' has 6 letters; it must have 7"),
    ("KL1-D1N-AAAAAAſ", "'ſ' at place 7 of 'AAAAAAſ' is no letter from A to Z"),
    ("KL1-D1N-NXMRLXW", "'NXMRLXW' is game number 4294967296; the highest is 4294967295, KL1-D1N-NXMRLXV"),
    ("KL1-D3V-ZZZZZZZ", "'ZZZZZZZ' is game number 8031810175; the highest is 4294967295, KL1-D3V-NXMRLXV"),
]


@pytest.mark.parametrize(("code", "message"), BAD_CODES, ids=[code for code, _ in BAD_CODES])
def test_the_wrong_part_of_a_code_is_named(code: str, message: str) -> None:
    with pytest.raises(GameCodeError, match=re.escape(message)) as caught:
        parse_code(code)
    assert repr(code) in str(caught.value)


@pytest.mark.parametrize("code", [None, 6, b"KL1-D1N-AAAAAAG", ["KL1-D1N-AAAAAAG"]])
def test_only_texts_are_read(code: Any) -> None:
    with pytest.raises(GameCodeError, match="is no game code; a code is a text such as KL1-D1N-AAAAAAG"):
        parse_code(code)


@given(st.text(max_size=20))
def test_random_text_is_refused(text: str) -> None:
    with pytest.raises(GameCodeError):
        parse_code(text)


@given(st.text(min_size=7, max_size=8))
def test_random_letters_are_a_number_or_refused(text: str) -> None:
    try:
        number = parse_code(f"KL1-D1N-{text}").number
    except GameCodeError:
        return
    assert format_code(number, "D1N") == f"KL1-D1N-{text.strip().upper()}"


@pytest.mark.parametrize("number", [-1, 2**32, 1.0, "6", None, True, [6], float("nan")])
def test_numbers_out_of_range_are_refused(number: Any) -> None:
    message = re.escape(f"game number {number!r} is none; it must be a whole number from 0 to 4294967295")
    for refuse in (check_game_number, lambda n: format_code(n, "D1N"), lambda n: GameCode("D1N", n), Deal.from_number):
        with pytest.raises(GameCodeError, match=f"^{message}$"):
            refuse(number)


@pytest.mark.parametrize("mode", ["D2N", "", "d1n", "one-pass", None, 1, ["D1N"]])
def test_modes_without_a_code_are_refused(mode: Any) -> None:
    for refuse in (lambda m: format_code(6, m), lambda m: GameCode(m, 6)):
        with pytest.raises(GameCodeError, match="has no game code; modes are D1N, D3N, D1V, D3V"):
            refuse(mode)


def test_numpy_numbers_are_whole_numbers() -> None:
    for kind in (np.int32, np.uint32, np.int64, np.uint64):
        assert type(GameCode("D1N", kind(6)).number) is int
        assert format_code(kind(6), "D1N") == "KL1-D1N-AAAAAAG"


def test_code_errors_are_value_errors() -> None:
    assert issubclass(GameCodeError, KlondikeError)
    assert issubclass(GameCodeError, ValueError)
