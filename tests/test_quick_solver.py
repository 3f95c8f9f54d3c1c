"""The solver for compiled callers: the same packing, and never another verdict, than the solver that proves."""

import numpy as np
import pytest
from walks import random_game

from klondike_env import RULE_SETS, Game
from klondike_env.compiled import compiled
from klondike_env.rules import make_rules
from klondike_env.solver import UNKNOWN, WINNABLE, SolverPosition, frames, solve
from klondike_env.solver.position import pack_position
from klondike_env.solver.quick import new_search_room, pack_record, quick_solve

MOVE_LIMIT = 5000
VARIANTS = [
    *RULE_SETS,
    *(
        {"draw": draw, "passes": passes, "aces": aces}
        for draw in (1, 2, 3)
        for passes in (1, 30)
        for aces in ("must", "first")
    ),
]


@compiled
def solve_row(states, move_limit, room):  # type: ignore[no-untyped-def]
    return quick_solve(states[0], move_limit, room)


@compiled
def pack_row(states, room):  # type: ignore[no-untyped-def]
    return pack_record(states[0], room)


def start_of(variant: str | dict[str, object], number: int, steps: int) -> Game:
    rules = make_rules(variant) if isinstance(variant, str) else make_rules("D1N", **variant)
    return random_game(rules, 3_000_000 + number, steps, seed=number)


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_a_record_is_packed_as_a_position_is(variant: str | dict[str, object]) -> None:
    room = new_search_room(MOVE_LIMIT)
    for number in range(12):
        game = start_of(variant, number, steps=9 * number)
        packed = pack_position(SolverPosition.from_game(game))
        assert pack_row(game._states, room)
        np.testing.assert_array_equal(room.frames[0], packed.root)
        for ours, theirs in zip(room[3:], packed.arrays, strict=True):
            np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_verdicts_are_those_of_the_solver(variant: str | dict[str, object]) -> None:
    room = new_search_room(MOVE_LIMIT)
    verdicts = []
    for number in range(30):
        game = start_of(variant, number, steps=4 * number)
        verdict = solve_row(game._states, MOVE_LIMIT, room)
        verdicts.append(verdict)
        proved = solve(game, node_limit=200_000).verdict
        if verdict != frames.RUNNING and proved != UNKNOWN:
            assert (verdict == frames.WON) == (proved == WINNABLE)
    assert sum(verdict != frames.RUNNING for verdict in verdicts) >= 10


def test_a_game_that_is_won_and_one_that_needs_more_moves() -> None:
    room = new_search_room(MOVE_LIMIT)
    game = Game.from_code("KL1-D1N-AAAAAAG")
    assert solve_row(game._states, 1, room) == frames.RUNNING
    game = Game.from_number(next(n for n in range(100) if solve(Game.from_number(n)).verdict == WINNABLE))
    for action in solve(game).actions:
        assert solve_row(game._states, MOVE_LIMIT, room) != frames.EXHAUSTED
        game.play(action)
    assert game.is_won
    assert solve_row(game._states, 1, room) == frames.WON


def test_a_small_budget_never_runs_out_of_room() -> None:
    for limit in (1, 7, 100, 500):
        room = new_search_room(limit)
        for number in range(50):
            game = start_of(RULES_OF_MOST_POSITIONS, number, steps=number)
            assert solve_row(game._states, limit, room) in (frames.WON, frames.EXHAUSTED, frames.RUNNING)
            assert room.counters[frames.TRIED] <= limit


RULES_OF_MOST_POSITIONS = "D3N"
