"""Rule sets against the table of the design, overrides, names, scoring, and what is said about wrong values."""

import dataclasses
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from walks import any_rules

from klondike_env.errors import RulesError
from klondike_env.rules import (
    RULE_FIELDS,
    RULE_SETS,
    SCORING_TABLES,
    Rules,
    format_score,
    make_rules,
    parse_rules,
    rules_table,
)

# As the design prints it: name, draw, passes, scoring, take-back, aces, fan.
DESIGN_TABLE = """
D1N           1  unlimited  normal  yes  free              yes
D3N           3  unlimited  normal  yes  free              yes
D1V           1  1          vegas   yes  free              yes
D3V           3  1          vegas   yes  free              yes
one-pass      1  1          normal  no   must play         yes
three-pass    3  3          normal  no   must play         no
aces-first    1  1          normal  no   before any other  yes
aces-first-3  3  unlimited  normal  no   before any other  no
"""
DESIGN_ROWS = [tuple(re.split(r"  +", line)) for line in DESIGN_TABLE.strip().splitlines()]


@pytest.mark.parametrize("row", DESIGN_ROWS, ids=[row[0] for row in DESIGN_ROWS])
def test_rule_sets_are_those_of_the_design(row: tuple[str, ...]) -> None:
    name, draw, passes, scoring, take_back, aces, fan = row
    assert RULE_SETS[name] == Rules(
        draw=int(draw),
        passes=None if passes == "unlimited" else int(passes),
        scoring=scoring,
        take_back=take_back == "yes",
        aces={"free": "free", "must play": "must", "before any other": "first"}[aces],
        fan=fan == "yes",
    )
    assert RULE_SETS[name].name == name


def test_the_printed_table_is_that_of_the_design() -> None:
    assert rules_table() == DESIGN_ROWS


def test_the_default_is_draw_one_normal() -> None:
    assert make_rules() == Rules() == RULE_SETS["D1N"] == parse_rules("D1N")


@pytest.mark.parametrize(
    ("field", "value", "kept"),
    [
        ("draw", 2, 2),
        ("passes", 7, 7),
        ("passes", "unlimited", None),
        ("scoring", "vegas", "vegas"),
        ("take_back", True, True),
        ("take_back", False, False),
        ("aces", "first", "first"),
        ("aces", "must play", "must"),
        ("aces", "before any other", "first"),
        ("fan", True, True),
        ("fan", False, False),
    ],
)
@pytest.mark.parametrize("name", RULE_SETS)
def test_an_override_changes_its_field_and_no_other(name: str, field: str, value: Any, kept: Any) -> None:
    changed = make_rules(name, **{field: value})
    assert changed == dataclasses.replace(RULE_SETS[name], **{field: kept})
    assert make_rules(RULE_SETS[name], **{field: value}) == changed


@pytest.mark.parametrize("name", RULE_SETS)
def test_none_keeps_what_the_rule_set_says(name: str) -> None:
    assert make_rules(name, **dict.fromkeys(RULE_FIELDS)) == RULE_SETS[name]


@given(any_rules)
def test_names_are_read_back(rules: Rules) -> None:
    assert parse_rules(rules.name) == rules
    assert parse_rules(f" {rules.name.upper().partition(',')[0]}{''.join(rules.name.partition(',')[1:])} ") == rules
    assert not re.search(r"\s", rules.name)
    assert parse_rules(rules.name).name == rules.name


@pytest.mark.parametrize(
    ("rules", "name"),
    [
        (Rules(draw=3, passes=3), "D3N,passes=3"),
        (Rules(draw=2), "D1N,draw=2"),
        (Rules(draw=2, scoring="vegas", passes=None), "D1V,draw=2,passes=unlimited"),
        (Rules(draw=3, take_back=False, fan=False), "D3N,take_back=no,fan=no"),
        (Rules(draw=1, passes=1, aces="must"), "D1N,passes=1,aces=must"),
    ],
)
def test_names_of_rules_that_are_no_rule_set(rules: Rules, name: str) -> None:
    assert rules.name == name
    assert parse_rules(name) == rules


@pytest.mark.parametrize("text", ["d3n", " D3N ", "THREE-PASS", "Aces-First-3"])
def test_names_are_read_in_either_case(text: str) -> None:
    assert parse_rules(text).name.lower() == text.strip().lower()


def test_the_mode_is_that_of_a_code() -> None:
    assert [rules.mode for rules in RULE_SETS.values()] == ["D1N", "D3N", "D1V", "D3V", "D1N", "D3N", "D1N", "D3N"]


BAD_VALUES: list[tuple[dict[str, Any], str]] = [
    ({"draw": 0}, "draw is 0; it must be a whole number from 1 to 3"),
    ({"draw": 4}, "draw is 4; it must be a whole number from 1 to 3"),
    ({"draw": -1}, "draw is -1; it must be a whole number from 1 to 3"),
    ({"draw": 1.0}, "draw is 1.0; it must be a whole number from 1 to 3"),
    ({"draw": "3"}, "draw is '3'; it must be a whole number from 1 to 3"),
    ({"draw": True}, "draw is True; it must be a whole number from 1 to 3"),
    ({"passes": 0}, "passes is 0; it must be a whole number from 1 to 1000000, or 'unlimited'"),
    ({"passes": -3}, "passes is -3; it must be a whole number from 1 to 1000000, or 'unlimited'"),
    ({"passes": 10**9}, "passes is 1000000000; it must be a whole number from 1 to 1000000, or 'unlimited'"),
    ({"passes": 2.5}, "passes is 2.5; it must be a whole number from 1 to 1000000, or 'unlimited'"),
    ({"passes": "3"}, "passes is '3'; it must be a whole number from 1 to 1000000, or 'unlimited'"),
    ({"passes": False}, "passes is False; it must be a whole number from 1 to 1000000, or 'unlimited'"),
    ({"scoring": "Vegas"}, "scoring is 'Vegas'; it must be one of 'normal', 'vegas'"),
    ({"scoring": 1}, "scoring is 1; it must be one of 'normal', 'vegas'"),
    ({"scoring": ["vegas"]}, "scoring is ['vegas']; it must be one of 'normal', 'vegas'"),
    ({"take_back": 1}, "take_back is 1; it must be True or False"),
    ({"take_back": "no"}, "take_back is 'no'; it must be True or False"),
    ({"aces": "never"}, "aces is 'never'; it must be one of 'free', 'must', 'first'"),
    ({"aces": True}, "aces is True; it must be one of 'free', 'must', 'first'"),
    ({"aces": ["must"]}, "aces is ['must']; it must be one of 'free', 'must', 'first'"),
    ({"fan": 0}, "fan is 0; it must be True or False"),
    ({"fan": "yes"}, "fan is 'yes'; it must be True or False"),
]


@pytest.mark.parametrize(("override", "message"), BAD_VALUES, ids=[str(bad) for bad, _ in BAD_VALUES])
def test_wrong_values_are_named_with_what_is_right(override: dict[str, Any], message: str) -> None:
    for make in (make_rules, Rules):
        with pytest.raises(RulesError, match=f"^{re.escape(message)}$"):
            make(**override)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("D3M", "'D3M' is no rule set; there are D1N, D3N, .*aces-first-3. Did you mean 'D3[NV]'?"),
        ("tree-pass", "Did you mean 'three-pass'?"),
        ("", "'' is no rule set; there are D1N"),
        ("klondike", "'klondike' is no rule set"),
        ("D3N,", "'' in rules 'D3N,' is no rule; write one of draw, passes, scoring, take_back, aces, fan"),
        ("D3N,speed=3", "'speed=3' in rules 'D3N,speed=3' is no rule"),
        ("D3N,draw", "'draw' in rules 'D3N,draw' is no rule"),
        ("D3N,draw=three", "'draw=three' in rules .*: draw must be a whole number"),
        ("D3N,draw=²", "draw must be a whole number"),
        ("D3N,passes=-1", "passes must be a whole number"),
        ("D3N,passes=" + "9" * 5000, "passes must be a whole number"),
        ("D3N,passes=0", "passes is 0; it must be"),
        ("D3N,draw=4", "draw is 4; it must be"),
        ("D3N,fan=True", "'fan=True' in rules 'D3N,fan=True': fan must be 'yes' or 'no'"),
        ("D3N,take_back=", "take_back must be 'yes' or 'no'"),
        ("D3N,aces=last", "aces is 'last'; it must be one of"),
        ("D3N,scoring=", "scoring is ''; it must be one of"),
        ("D3N,passes=2,passes=3", "'passes=3' in rules .*: passes is there twice"),
    ],
)
def test_wrong_texts_are_named(text: str, message: str) -> None:
    for read in (parse_rules, make_rules):
        with pytest.raises(RulesError, match=message):
            read(text)


@pytest.mark.parametrize("value", [None, 3, b"D1N", ["D1N"]])
def test_only_texts_and_rules_are_read(value: Any) -> None:
    with pytest.raises(RulesError, match=r"rules is .*; it must be one of D1N, .*, or a Rules object"):
        make_rules(value)


def test_numpy_values_become_plain_ones() -> None:
    rules = Rules(draw=np.int64(3), passes=np.int8(2), take_back=np.bool_(False))
    assert rules == Rules(draw=3, passes=2, take_back=False)
    assert [type(getattr(rules, field)) for field in ("draw", "passes", "take_back")] == [int, int, bool]
    assert rules.name == "D3N,passes=2,take_back=no"


def test_rules_do_not_change_and_can_be_keys() -> None:
    rules = Rules()
    with pytest.raises(dataclasses.FrozenInstanceError):
        rules.draw = 3  # type: ignore[misc]
    assert {rules: 1}[make_rules("D1N")] == 1


def test_scoring_tables_are_those_of_the_design() -> None:
    normal, vegas = SCORING_TABLES["normal"], SCORING_TABLES["vegas"]
    assert dataclasses.astuple(normal) == (0, 10, 5, 5, -100, 0, 0, 0, False)
    assert (vegas.start, vegas.card_to_foundation, vegas.waste_to_column, vegas.card_turned_up) == (-52, 5, 0, 0)
    assert (vegas.column_to_column, vegas.take_back, vegas.currency) == (0, 0, True)
    assert vegas.start + 52 * vegas.card_to_foundation == 208
    assert vegas.start + 10 * vegas.card_to_foundation < 0 < vegas.start + 11 * vegas.card_to_foundation
    assert Rules(scoring="vegas").scoring_table is vegas


@pytest.mark.parametrize(
    ("score", "scoring", "text"),
    [
        (0, "normal", "0"),
        (645, "normal", "645"),
        (-52, "vegas", "-$52"),
        (0, "vegas", "$0"),
        (208, "vegas", "+$208"),
        (-2, "vegas", "-$2"),
        (3, "vegas", "+$3"),
    ],
)
def test_scores_as_a_player_reads_them(score: int, scoring: str, text: str) -> None:
    assert format_score(score, scoring) == text
