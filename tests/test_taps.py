"""Taps, which cards a move takes along, and why an action is illegal."""

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from walks import games, lay_out

from klondike_env import RULE_SETS, Game, parse_card
from klondike_env.actions import MOVES, Move, encode_move
from klondike_env.cards import SUIT_NAMES, format_cards
from klondike_env.errors import PileError

PILES = ["stock", "waste", *range(1, 8), *SUIT_NAMES]


def waste_to(column: int) -> int:
    """Return the action that moves the waste's top to a column."""
    return encode_move(Move("waste", "column", target_column=column))


def column_to(source: int, target: int) -> int:
    """Return the action from one column to another."""
    return encode_move(Move("column", "column", source_column=source, target_column=target))


# Five of hearts on the waste; the six of spades ends a column of two, the six of clubs one of eight.
TWO_SIXES = lay_out("-/7H6S/KDQCJDTC9D8C7D6C/-/KSQHJS/-/-", "5H", "4,3,4,4").notation
SHORT_FIRST = TWO_SIXES
LONG_FIRST = lay_out("-/KDQCJDTC9D8C7D6C/7H6S/-/KSQHJS/-/-", "5H", "4,3,4,4").notation
EQUAL = lay_out("-/-/7H6S/7D6C/KDQCJDTC9D8C/KSQHJS/-", "5H", "4,3,4,4").notation


@pytest.mark.parametrize(
    ("notation", "column"), [(SHORT_FIRST, 3), (LONG_FIRST, 2), (EQUAL, 3)], ids=["longer", "longer first", "leftmost"]
)
def test_a_double_tap_goes_to_the_longest_column_of_several_the_leftmost(notation: str, column: int) -> None:
    game = Game.from_notation(notation)
    assert game.tap("waste") is None
    assert game.double_tap("waste") == waste_to(column)
    assert game.column(column)[-1] == parse_card("5H")
    game.undo()
    assert game.notation == notation


def test_a_double_tap_moves_the_last_card_of_a_column() -> None:
    game = lay_out("-/7H6S5H/KDQCJDTC9D8C7D6C/-/KSQHJS/-/-", "-", "4,3,4,4")
    assert game.tap(2) is None
    assert game.double_tap(2) == column_to(2, 3)
    assert format_cards(game.column(2)) == "7H 6S"
    assert format_cards(game.column(3)).endswith("7D 6C 5H")


def test_a_double_tap_moves_no_run() -> None:
    game = lay_out("-/7H6S/KDQCJDTC9D8C/-/KSQHJSTH9S/-/-", "5H", "4,3,4,4")
    assert game.is_legal(column_to(2, 3))
    assert game.double_tap(2) is None
    assert game.undo_count == 0


def test_an_empty_column_takes_only_a_king_by_double_tap() -> None:
    game = lay_out("-/7H6S/KDQCJDTC9D8C7D/-/KSQHJSTH/-/-", "KH", "4,3,4,4")
    assert game.double_tap("waste") == waste_to(1)
    game.undo()
    game = lay_out("-/7H6S/KDQSJDTC9D8C7D/-/KSQHJSTH9C/-/-", "QC", "4,3,4,3")
    assert game.double_tap("waste") is None
    assert game.double_tap(5) is None
    assert game.undo_count == 0


def test_a_double_tap_prefers_the_foundation() -> None:
    game = lay_out("-/7H6S/KDQCJDTC9D8C7D6C/-/KSQHJS/-/-", "5H", "4,4,4,4")
    assert game.copy().tap("waste") == 1
    assert game.double_tap("waste") == 1
    assert game.foundation_top(1) == parse_card("5H")
    assert game.double_tap("waste") is None


def test_under_aces_must_play_taps_move_aces_alone() -> None:
    columns = "2S/KDQCJDTC9D8C7D6C/AH/-/KSQHJSTH9S8H7S/-/QSJHTS9H8S7H6S5H"
    game = lay_out(columns, "AS", "0,0,2,2", rules="one-pass")
    assert game.legal_actions() == [1, 11]
    for pile in ("stock", 1, 2, 5, 7):
        assert game.double_tap(pile) is None
    assert [game.tap("waste"), game.tap(3), game.tap(1), game.tap("stock")] == [1, 11, 9, 0]


def test_taps_on_the_stock_turn_and_redeal() -> None:
    game = Game.from_number(6, "D3N")
    assert [game.tap("stock") for _ in range(8)] == [0] * 8
    assert (len(game.waste), game.stock) == (24, [])
    assert game.double_tap("stock") == 0
    assert (game.waste, len(game.stock), game.pass_number) == ([], 24, 2)
    assert game.undo_count == 9


@pytest.mark.parametrize("spelling", [3, "3", "column 3", "Column 3", " column3 ", np.int64(3)])
def test_spellings_of_a_column(spelling: Any) -> None:
    game = lay_out("-/-/5H/-/KSQHJSTH9S8H7S/KDQCJDTC9D8C7D6C/-", "-", "4,4,4,4")
    assert game.tap(spelling) == 11


@pytest.mark.parametrize(
    "pile", ["", "column", "column 0", "column 8", "foundation", "spade", 0, 8, True, None, [1], 1.5]
)
def test_what_is_no_pile_is_named_with_the_piles(pile: Any) -> None:
    game = Game.from_number(6)
    message = re.escape(
        f"{pile!r} is no pile; piles are 'stock', 'waste', 'column 1' to 'column 7' (or 1 to 7), 'spades'"
    )
    for tap in (game.tap, game.double_tap):
        with pytest.raises(PileError, match=message):
            tap(pile)
    assert game.undo_count == 0


@given(games)
def test_taps_play_what_they_return_and_else_nothing(game: Game) -> None:
    for pile in PILES:
        for tap in ("tap", "double_tap"):
            other, same = game.copy(), game.copy()
            action = getattr(other, tap)(pile)
            if action is not None:
                same.play(action)
            assert other.notation == same.notation
            if tap == "tap" and isinstance(pile, int):
                assert (action is not None) == game.is_legal(8 + pile)
            if pile in SUIT_NAMES:
                assert action is None


# Which cards a move takes along


@given(games)
def test_moved_cards_leave_their_pile_and_lie_on_the_target(game: Game) -> None:
    for action, move in enumerate(MOVES):
        moved = game.moved_cards(action)
        if not game.is_legal(action):
            assert moved == []
            continue
        after = game.copy()
        after.play(action)
        if action == 0:
            assert moved == game.stock[: game.rules.draw]
            assert (after.waste, after.stock) == (
                (game.waste + moved, game.stock[len(moved) :]) if moved else ([], game.waste)
            )
            continue
        assert moved
        if move.source == "waste":
            assert game.waste == after.waste + moved
        elif move.source == "foundation":
            assert moved == [game.foundation_top(move.suit or 0)]
            assert after.foundation_height(move.suit or 0) == game.foundation_height(move.suit or 0) - 1
        else:
            assert game.column(move.source_column or 0) == after.column(move.source_column or 0) + moved
        if move.target == "column":
            assert after.column(move.target_column or 0) == game.column(move.target_column or 0) + moved
        else:
            assert len(moved) == 1
            assert after.foundation_top(moved[0] // 13) == moved[0]
        assert game.view().moved_cards(action) == moved


def test_a_whole_long_run_moves_to_an_empty_column() -> None:
    game = lay_out("KSQHJSTH9S8H7S6H5S4H3S2HAS/-/KHQS/-/-/-/KDQCJDTC9D8C7D6C5D4C3D2CAD")
    action = column_to(1, 2)
    assert format_cards(game.moved_cards(action)) == "KS QH JS TH 9S 8H 7S 6H 5S 4H 3S 2H AS"
    game.play(action)
    assert game.column(1) == []
    assert len(game.column(2)) == 13


def test_what_a_view_cannot_know_is_unknown_in_its_moved_cards() -> None:
    game = Game.from_number(6, "D3N")
    assert game.view().moved_cards(0) == [-1, -1, -1]
    assert format_cards(game.moved_cards(0)) == "AS 8D 2C"


# Why an action is illegal


@given(games)
def test_every_illegal_action_has_a_reason_of_one_line(game: Game) -> None:
    for action in range(86):
        reason = game.illegal_reason(action)
        if game.is_legal(action):
            assert reason is None
        else:
            assert reason
            assert re.fullmatch(r"[ -~]{10,120}", reason), reason


ACES_FIRST = lay_out("2S/KDQCJDTC9D8C7D6C/AH/-/KSQHJSTH9S8H7S/-/QSJHTS9H8S7H6S5H", "-", "1,0,1,1", rules="aces-first")
MIDDLE = Game.from_notation(TWO_SIXES)
WON = lay_out("-/-/-/-/-/-/-", foundations="13,13,13,13")
BOTH_RUNS = lay_out(
    "KSQHJSTH9S8H7S6H5S4H3S2HAS/KHQSJHTS9H8S7H6S5H4S3H2SAH/-/-/-/KCQDJCTD9C8D7C6D5C4D3C2DAC/KDQCJDTC9D8C7D6C5D4C3D2CAD"
)
LAST_PASS = Game.from_number(6, "D1V")
for _turn in range(24):
    LAST_PASS.play(0)


@pytest.mark.parametrize(
    ("game", "action", "reason"),
    [
        (WON, 0, "the game is won"),
        (WON, 20, "the game is won"),
        (BOTH_RUNS, 0, "stock and waste are empty"),
        (LAST_PASS, 0, "the stock is empty and no pass is left"),
        (Game.from_number(6), 1, "the waste is empty"),
        (Game.from_number(6), 2, "the waste is empty"),
        (MIDDLE, 9, "column 1 is empty"),
        (MIDDLE, column_to(1, 2), "column 1 is empty"),
        (Game.from_number(6, take_back=False), 16, "these rules allow no take-back from a foundation"),
        (Game.from_number(6), 16, "the spades foundation is empty"),
        (Game.from_number(6), 43, "the clubs foundation is empty"),
        (ACES_FIRST, 9, "under these rules all four aces go to the foundations before any other card"),
        (MIDDLE, 1, "5H does not go up; the hearts foundation takes 4H next"),
        (MIDDLE, 13, "JS does not go up; the spades foundation takes 5S next"),
        (MIDDLE, waste_to(1), "5H does not go to column 1; an empty column takes only a king"),
        (MIDDLE, column_to(2, 4), "no face-up card of column 2 goes to column 4; an empty column takes only a king"),
        (MIDDLE, waste_to(5), "5H does not go on JS; it takes a card one rank lower and of the other colour"),
        (MIDDLE, column_to(2, 5), "no face-up card of column 2 goes on JS; it takes a card one rank lower and"),
        (MIDDLE, 16 + 1, "4S does not go on 6S; it takes a card one rank lower and of the other colour"),
    ],
)
def test_reasons(game: Game, action: int, reason: str) -> None:
    assert reason in (game.illegal_reason(action) or "")


def test_under_aces_must_play_the_reason_names_the_ace() -> None:
    game = lay_out("2S/KDQCJDTC9D8C7D6C/AH/-/KSQHJSTH9S8H7S/-/QSJHTS9H8S7H6S5H", "-", "1,0,2,2", rules="one-pass")
    assert game.legal_actions() == [11]
    for action in (0, 9, column_to(2, 4)):
        assert game.illegal_reason(action) == "under these rules AH must go to its foundation first"


@pytest.mark.parametrize("rules", RULE_SETS)
def test_the_error_of_an_illegal_play_tells_action_move_and_reason(rules: str) -> None:
    game = Game.from_number(6, rules)
    with pytest.raises(ValueError, match=r"^action 1 \(waste to foundation\) is not legal: the waste is empty$"):
        game.play(1)
