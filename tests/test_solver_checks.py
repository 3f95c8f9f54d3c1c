"""The fast search against slower ones that have no prunings: verdicts may never differ."""

import random
from collections import Counter

import pytest
from test_solver_moves import RULES, walk

from klondike_env import Game
from klondike_env.solver import solve
from klondike_env.solver.plain import solve_plainly
from klondike_env.solver.solving import solve_without_pruning


def check_rules(rules: dict[str, object], count: int, plain_limit: int) -> Counter[str]:
    """Solve random positions in three ways, compare, replay, and count the verdicts that the plain way proved."""
    generator = random.Random(f"check {rules}")
    proved: Counter[str] = Counter()
    for _ in range(count):
        game = Game.from_number(generator.randrange(2**32), **rules)
        walk(game, generator, generator.choice([0, 0, 20, 60, 120, 200]))
        plain = solve_plainly(game, node_limit=plain_limit)
        solutions = [plain, solve(game, node_limit=10 * plain_limit), solve_without_pruning(game, 10 * plain_limit)]
        verdicts = {solution.verdict for solution in solutions} - {"unknown"}
        assert len(verdicts) <= 1, (game.notation, [solution.verdict for solution in solutions])
        for solution in solutions:
            if solution.verdict == "winnable":
                copy = game.copy()
                for action in solution.actions:
                    copy.play(action)
                assert copy.is_won
        proved[plain.verdict] += 1
    return proved


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_fast_search_agrees_with_plain_ones(rules: dict[str, object]) -> None:
    proved = check_rules(rules, 8, 2000)
    assert proved["unwinnable"] + proved["winnable"] > 0


@pytest.mark.slow
@pytest.mark.parametrize("rules", RULES, ids=str)
def test_fast_search_agrees_with_plain_ones_on_many_positions(rules: dict[str, object]) -> None:
    proved = check_rules(rules, 30, 8_000)
    assert proved["unwinnable"] + proved["winnable"] > 5
