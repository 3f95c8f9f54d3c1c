"""Actions: 86 indices and moves that belong together, at the places that the design fixes."""

import re
from typing import Any

import numpy as np
import pytest

from klondike_env.actions import (
    ACTION_COUNT,
    COLUMN_MOVE_SOURCE,
    COLUMN_MOVE_TARGET,
    MOVES,
    Move,
    action_name,
    check_action,
    decode_action,
    encode_move,
)
from klondike_env.errors import ActionError, IllegalActionError

COLUMNS = range(1, 8)


def test_indices_and_moves_are_a_bijection() -> None:
    assert ACTION_COUNT == len(MOVES) == len(set(MOVES)) == 86
    for index in range(ACTION_COUNT):
        assert encode_move(decode_action(index)) == index
        assert decode_action(index) == MOVES[index]


def test_indices_are_those_of_the_design() -> None:
    assert encode_move(Move("stock", "waste")) == 0
    assert encode_move(Move("waste", "foundation")) == 1
    formulas = {0, 1}
    for j in COLUMNS:
        assert encode_move(Move("waste", "column", target_column=j)) == 1 + j
        assert encode_move(Move("column", "foundation", source_column=j)) == 8 + j
        formulas |= {1 + j, 8 + j}
        for s in range(4):
            assert encode_move(Move("foundation", "column", target_column=j, suit=s)) == 16 + 7 * s + (j - 1)
            formulas.add(16 + 7 * s + (j - 1))
        for i in COLUMNS:
            if i != j:
                index = 44 + 6 * (i - 1) + (j - 1 - (1 if j > i else 0))
                assert encode_move(Move("column", "column", source_column=i, target_column=j)) == index
                formulas.add(index)
    assert formulas == set(range(86))


def test_column_tables_agree_with_the_moves() -> None:
    for index, move in enumerate(MOVES):
        assert COLUMN_MOVE_SOURCE[index] == (-1 if move.source_column is None else move.source_column - 1)
        assert COLUMN_MOVE_TARGET[index] == (-1 if move.target_column is None else move.target_column - 1)


@pytest.mark.parametrize(
    ("action", "name"),
    [
        (0, "turn the stock, or redeal"),
        (1, "waste to foundation"),
        (2, "waste to column 1"),
        (8, "waste to column 7"),
        (9, "column 1 to foundation"),
        (15, "column 7 to foundation"),
        (16, "spades foundation to column 1"),
        (43, "clubs foundation to column 7"),
        (44, "column 1 to column 2"),
        (85, "column 7 to column 6"),
    ],
)
def test_names(action: int, name: str) -> None:
    assert action_name(action) == name == str(MOVES[action])


def test_no_two_actions_share_a_name() -> None:
    assert len({action_name(action) for action in range(ACTION_COUNT)}) == ACTION_COUNT


@pytest.mark.parametrize("action", [-1, 86, 2**40, 0.0, "0", None, True, np.bool_(False), [0], np.array([0])])
def test_indices_outside_the_space_are_refused(action: Any) -> None:
    message = re.escape(f"action {action!r} is outside the action space; it must be a whole number from 0 to 85")
    for refuse in (check_action, decode_action, action_name):
        with pytest.raises(ActionError, match=f"^{message}$"):
            refuse(action)


@pytest.mark.parametrize("kind", [int, np.int8, np.int64, np.uint8, np.array])
def test_every_kind_of_whole_number_is_an_index(kind: Any) -> None:
    assert check_action(kind(85)) == 85
    assert type(check_action(kind(85))) is int


@pytest.mark.parametrize(
    "move",
    [
        Move("column", "column", source_column=3, target_column=3),
        Move("column", "column", source_column=0, target_column=1),
        Move("waste", "column", target_column=8),
        Move("waste", "column"),
        Move("foundation", "column", target_column=1, suit=4),
        Move("foundation", "foundation"),
        Move("stock", "column", target_column=1),
        Move("stock", "waste", suit=0),
        "column 1 to column 2",
        None,
    ],
)
def test_moves_that_are_none_are_refused(move: Any) -> None:
    with pytest.raises(ActionError, match=r"is no move of this game; klondike_env\.actions\.MOVES lists all 86"):
        encode_move(move)


def test_action_errors_are_value_errors() -> None:
    assert issubclass(IllegalActionError, ActionError)
    assert issubclass(ActionError, ValueError)
