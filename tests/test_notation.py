"""Positions as one line of text: round trips at any point of a game, and every kind of text that is no position."""

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from walks import any_rules, games, lay_out, play_on, random_game

from klondike_env import RULE_SETS, Game, Rules
from klondike_env.cards import format_cards
from klondike_env.errors import NotationError

START = Game.from_number(6, "D3N").notation
COLUMNS = ("QH", "8HTD", "9H", "JH")


def change(notation: str, **fields: str | None) -> str:
    """Return a notation with fields replaced, added, or left out where the value is None."""
    parts = dict(part.partition("=")[::2] for part in notation.split())
    parts |= {name.rstrip("_"): value for name, value in fields.items()}  # type: ignore[misc]
    return " ".join(f"{name}={value}" for name, value in parts.items() if value is not None)


def test_the_deal_of_game_6() -> None:
    assert Game.from_number(6).notation.startswith("rules=D1N columns=")
    fields = dict(part.partition("=")[::2] for part in START.split())
    assert list(fields) == ["rules", "columns", "waste", "stock", "foundations", "fan", "score", "started", "number"]
    assert (fields["rules"], fields["waste"], fields["foundations"]) == ("D3N", "-", "0,0,0,0")
    assert (fields["fan"], fields["score"], fields["started"], fields["number"]) == ("0", "0", "no", "6")
    assert fields["stock"].startswith("As8d2c")
    game = Game.from_number(6)
    for number, column in enumerate(fields["columns"].split("/"), start=1):
        assert column.upper() == format_cards(game.column(number)).replace(" ", "")
        assert [suit.islower() for suit in column[1::2]] == [True] * (number - 1) + [False]


@given(games, st.integers(0, 2**16))
def test_a_position_is_read_back_and_goes_on_alike(game: Game, seed: int) -> None:
    again = Game.from_notation(game.notation)
    assert "\n" not in game.notation
    assert again.notation == game.notation
    assert again.undo_count == 0
    assert (again.rules, again.score, again.passes_left, again.is_lost, again.is_won) == (
        *(game.rules, game.score, game.passes_left, game.is_lost, game.is_won),
    )
    assert (again.deck, again.code, str(again)) == (game.deck, game.code, str(game))
    assert again.waste_in_sight == game.waste_in_sight
    assert (again.view().observation() == game.view().observation()).all()
    assert again.view().unknown_cards == game.view().unknown_cards
    for action in play_on(game, np.random.default_rng(seed), 30):
        again.play(action)
        assert again.notation == game.notation
        assert again.legal_actions() == game.legal_actions()


@given(any_rules)
def test_any_rules_stand_in_a_notation(rules: Rules) -> None:
    assert Game.from_notation(Game.from_number(6, rules).notation).rules == rules


@given(games, st.randoms(use_true_random=False))
def test_fields_stand_in_any_order(game: Game, random: Any) -> None:
    parts = game.notation.split()
    random.shuffle(parts)
    assert Game.from_notation(f"  {'   '.join(parts)}\n").notation == game.notation


def test_fields_that_may_be_left_out() -> None:
    text = lay_out("7H6S/KDQCJDTC9D8C7D6C/KSQHJS/-/-/-/-", "5H", "4,3,4,4").notation
    parts = dict(part.partition("=")[::2] for part in text.split())
    assert list(parts) == ["rules", "columns", "waste", "stock", "foundations", "fan", "score"]
    short = Game.from_notation(change(text, fan=None))
    assert (short.waste_in_sight, short.pass_number, short.game_number) == ([short.waste[-1]], 1, None)
    assert short.notation == text


def test_a_sampled_game_has_a_notation() -> None:
    game = random_game("D3N", 6, 30).view().sample(np.random.default_rng(0))
    assert Game.from_notation(game.notation).notation == game.notation
    assert "number" not in game.notation


def test_what_was_paid_is_kept() -> None:
    game = lay_out("KS/-/QHJSTH9S8H7S6H5S4H3S/-/-/-/KDQCJDTC9D8C7D6C5D4C3D", "-", "2,3,2,3")
    paid = change(game.notation, paid="3S")
    assert Game.from_notation(paid).notation == paid


UNREADABLE = [
    ("", "field 'rules' is missing; a position needs rules, columns, waste, stock, foundations, score"),
    (
        "hello",
        "'hello' is no field; fields are rules, columns, waste, stock, foundations, score, fan, pass, paid, started",
    ),
    (change(START, depth="3"), "'depth=3' is no field; fields are rules, columns"),
    (START + " score=0", "field 'score' is there twice"),
    (START + " score", "'score' is no field"),
    (change(START, score=None), "field 'score' is missing"),
    (change(START, stock=None), "field 'stock' is missing"),
    (change(START, rules="D4N"), "rules in position: 'D4N' is no rule set"),
    (change(START, rules="D3N,draw=9"), "rules in position: draw is 9"),
    (change(START, columns="-/-/-"), "columns has 3 piles; it must have 7, separated by '/'"),
    (change(START, columns="-/-/-/-/-/-/-/-"), "columns has 8 piles"),
    (change(START, columns="XS/-/-/-/-/-/-"), "column 1 (XS): 'XS' is no card"),
    (change(START, columns="-/4SQ/-/-/-/-/-"), "column 2 (4SQ): 'Q' is no card"),
    (change(START, columns="-/4♠/-/-/-/-/-"), "column 2 (4♠): suits are the letters S H D C"),
    (change(START, columns="-/KSqh/-/-/-/-/-"), "column 2 (KSqh) has a face-down card on a face-up one"),
    (change(START, columns=f"-/-/{'2s' * 20}/-/-/-/-"), "column 3 has 20 cards; it can have 19"),
    (change(START, waste="10S"), "waste (10S): '10' is no card"),
    (change(START, waste="AS" * 25), "waste has 25 cards; it can have 24"),
    (change(START, waste="AS"), "waste and stock have 25 cards together; they can have 24"),
    (change(START, foundations="0,0,0"), "foundations is '0,0,0'; it must be four heights, separated by ','"),
    (change(START, foundations="0,0,0,x"), "foundations is 'x'; it must be a whole number from 0 to 13"),
    (change(START, foundations="0,0,0,14"), "foundations is '14'; it must be a whole number from 0 to 13"),
    (change(START, foundations="0,0,0,"), "foundations is ''; it must be a whole number from 0 to 13"),
    (change(START, fan="-1"), "fan is '-1'; it must be a whole number from 0 to 24"),
    (change(START, pass_="0"), "pass is '0'; it must be a whole number from 1 to 2147483647"),
    (change(START, pass_="9" * 5000), "it must be a whole number from 1 to 2147483647"),
    (change(START, score="1.5"), "score is '1.5'; it must be a whole number from -2147483648 to 2147483647"),
    (change(START, score="²"), "score is '²'; it must be a whole number"),
    (change(START, score="--5"), "score is '--5'; it must be a whole number"),
    (change(START, paid="ZZ"), "paid (ZZ): 'ZZ' is no card"),
    (change(START, started="maybe"), "started is 'maybe'; it must be 'yes' or 'no'"),
    (change(START, number="4294967296"), "number is '4294967296'; it must be a whole number from -1 to 4294967295"),
    (change(START, number="six"), "number is 'six'; it must be a whole number"),
]


@pytest.mark.parametrize(("text", "message"), UNREADABLE, ids=[message[:50] for _, message in UNREADABLE])
def test_what_cannot_be_read_is_named(text: str, message: str) -> None:
    with pytest.raises(NotationError, match=re.escape(message)):
        Game.from_notation(text)


@pytest.mark.parametrize("text", [None, 6, b"rules=D1N", ["rules=D1N"]])
def test_only_texts_are_read(text: Any) -> None:
    with pytest.raises(NotationError, match="is no position; a position is a text"):
        Game.from_notation(text)


# Four whole suits in two runs each way; every card is there once.
RUNS = lay_out(
    "KSQHJSTH9S8H7S6H5S4H3S2HAS/KHQSJHTS9H8S7H6S5H4S3H2SAH/-/-/-/KCQDJCTD9C8D7C6D5C4D3C2DAC/KDQCJDTC9D8C7D6C5D4C3D2CAD"
).notation
MIDDLE = lay_out("7H6S/KDQCJDTC9D8C7D6C/KSQHJS/-/-/-/-", "5H", "4,3,4,4").notation
BROKEN = [
    (RUNS.replace("2HAS", "2HAC"), ["AS is missing", "AC is there 2 times (column 1, column 6)"]),
    (change(RUNS, foundations="1,0,0,0"), ["AS is there 2 times (column 1, foundation)"]),
    (RUNS.replace("KSQH", "KSQSJSQH"), ["QS lies on KS in column 1", "QS is there 2 times", "JS is there 2 times"]),
    (RUNS.replace("KSQHJS", "KSJS").replace("/-/-/-/", "/QH/-/-/"), ["JS lies on KS in column 1"]),
    (RUNS.replace("KSQH", "KsQH"), ["column 1 has 1 face-down cards; it is dealt 0"]),
    (RUNS.replace("/-/-/-/", "/-/-/2s/"), ["the last card of column 5 lies face down", "2S is there 2 times"]),
    (change(MIDDLE, fan="0"), ["fan is 0; with these rules and this waste it is 1 to 1"]),
    (change(MIDDLE, fan="2"), ["fan is 2; with these rules and this waste it is 1 to 1"]),
    (change(MIDDLE, rules="D3N", fan="3"), ["fan is 3; with these rules and this waste it is 1 to 1"]),
    (change(START, fan="1"), ["fan is 1; with these rules and this waste it is 0 to 0"]),
    (change(MIDDLE, waste="5h"), ["5H in sight on the waste but marked as never seen"]),
    (change(MIDDLE, rules="D1V", score="28", pass_="2"), ["pass is 2; these rules allow 1"]),
    (
        change(START, number="7"),
        ["game number 7 deals other cards face down to column 2", "to column 7", "another stock"],
    ),
    (
        change(START.replace("As8d2c", "8dAs2c")),
        ["game number 6 deals another stock than what waste and stock are left of"],
    ),
    (change(MIDDLE, number="6"), ["game number 6 deals another stock"]),
    (change(MIDDLE, score="-5"), ["score is -5; it cannot be below 0 here"]),
    (change(MIDDLE, score="3"), ["score is 3; it changes in steps of 5 from 0"]),
    (
        change(MIDDLE, rules="D1V", score="0"),
        ["score is 0; it cannot be below 23", "it changes in steps of 5 from -52"],
    ),
]


@pytest.mark.parametrize(("text", "faults"), BROKEN, ids=[faults[0] for _, faults in BROKEN])
def test_broken_invariants_are_listed(text: str, faults: list[str]) -> None:
    with pytest.raises(NotationError, match=r"^the position breaks the rules: ") as caught:
        Game.from_notation(text)
    listed = str(caught.value).removeprefix("the position breaks the rules: ").split("; ")
    assert all(fault in str(caught.value) for fault in faults), caught.value
    assert len(listed) >= len(faults)


def test_every_broken_invariant_is_listed_at_once() -> None:
    text = change(MIDDLE, rules="D1V", score="-53", pass_="4", fan="2", columns="7H6s/KDQDJDTC9D8C7D6C/KSQHJS/-/-/-/-")
    text = text.replace("7H6s", "7h6s")
    with pytest.raises(NotationError) as caught:
        Game.from_notation(text)
    assert str(caught.value).removeprefix("the position breaks the rules: ").split("; ") == [
        "the last card of column 1 lies face down",
        "column 1 has 2 face-down cards",
        "it is dealt 0",
        "QD lies on KD in column 2",
        "JD lies on QD in column 2",
        "QD is there 2 times (column 2, stock)",
        "QC is missing",
        "fan is 2",
        "with these rules and this waste it is 1 to 1",
        "pass is 4",
        "these rules allow 1",
        "score is -53",
        "it cannot be below 23 here",
        "score is -53",
        "it changes in steps of 5 from -52",
    ]


def test_a_sound_position_has_no_faults_and_a_spoilt_one_lists_them() -> None:
    game = Game.from_notation(MIDDLE)
    assert game.validate() == []
    game._states[0]["runs"][1] ^= 1
    game._states[0]["score"] = 7
    assert game.validate() == [
        "the set of face-up cards of column 2 is not that of its cards",
        "score is 7; it changes in steps of 5 from 0",
    ]


@given(games)
def test_every_position_of_play_is_sound(game: Game) -> None:
    assert game.validate() == []
    assert game.view().sample(np.random.default_rng(0)).validate() == []


SOURCES = [random_game(rules, 6, 40).notation for rules in RULE_SETS]


@given(st.sampled_from(SOURCES), st.data())
def test_a_changed_text_is_a_sound_position_or_refused(notation: str, data: Any) -> None:
    place = data.draw(st.integers(0, len(notation) - 1))
    text = notation[:place] + data.draw(st.text("AKT2sS/-=,0 91♠x", max_size=2)) + notation[place + 1 :]
    try:
        game = Game.from_notation(text)
    except NotationError:
        return
    assert game.validate() == []
    assert Game.from_notation(game.notation).notation == game.notation
