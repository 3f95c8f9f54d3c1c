"""The solver against proved verdicts, replayed solutions, positions amid a game, limits and bad input."""

import dataclasses
import os
import signal
import subprocess
import sys
import threading
from typing import Any

import pytest
from golden import read_json_lines
from oracle.klondike_oracle import OracleGame
from oracle.oracle_rules import ORACLE_RULES

from klondike_env import Deal, Game, KlondikeError
from klondike_env.errors import DealError, NotationError, OptionError, RulesError
from klondike_env.solver import Solution, SolverPosition, solve

SETTINGS = ["d1", "d3", "d1_notb", "d3_notb", "d1_p3", "d3_p3", "d1_p1", "d3_p1"]
QUICK_COUNT = {
    "d1": 200,
    "d3": 200,
    "d1_notb": 199,
    "d3_notb": 199,
    "d1_p3": 60,
    "d3_p3": 200,
    "d1_p1": 40,
    "d3_p1": 200,
}
CASE_S = (
    "6H 4S TH 9C 5H QC 6S 7C 3S 3H 2D 8C QD AD 5C JS 7H 9D 2S TS 4D 8D TC 7S 7D 4H 5D 3D QS JH 5S TD 8S JC 4C 9H"
    " KC KH 9S KS 2H JD AS 3C 6D AH 6C 2C AC KD QH 8H"
)
CASE_F = (
    "AS 2D QD 7H 3H 6C KC 3S 6H AH 8H 8C KH 4S QC 5D 7D 4H 2H JC QS 5C KD 2S 3D QH 8D TC 9H 4C JH 5S TD TH 9D JS"
    " 7C JD 2C 9S 6S 5H AC 9C 4D TS 3C 8S 7S 6D KS AD"
)


def oracle_deals(setting: str) -> list[dict[str, Any]]:
    """Return the deals of a setting, each with its proved verdict."""
    return read_json_lines(f"oracle_{setting}.jsonl")


def start(deal: dict[str, Any], **overrides: Any) -> Game:
    """Start a deal under its rules."""
    rules = {name: deal[name] for name in ("draw", "take_back")} | {"passes": deal["passes"] or "unlimited"}
    return Game.from_deck(deal["deck"], **(rules | overrides))


def replay(game: Game, solution: Solution) -> None:
    """Check that a solution's actions are legal and win."""
    copy = game.copy()
    for action in solution.actions:
        copy.play(action)
    assert copy.is_won


def check_setting(setting: str, deals: list[dict[str, Any]]) -> None:
    """Solve deals, compare the verdicts and replay the solutions."""
    for deal in deals:
        game = start(deal)
        solution = solve(game)
        assert solution.verdict == deal["verdict"], (setting, deal["id"])
        if solution.verdict == "winnable":
            replay(game, solution)
            assert len(solution.actions) < 300
        else:
            assert solution.actions == ()


@pytest.mark.parametrize("setting", SETTINGS)
def test_agrees_with_proved_verdicts(setting: str) -> None:
    check_setting(setting, oracle_deals(setting)[: QUICK_COUNT[setting]])


@pytest.mark.slow
@pytest.mark.parametrize("setting", ["d1_p3", "d1_p1"])
def test_agrees_with_proved_verdicts_of_all_deals(setting: str) -> None:
    check_setting(setting, oracle_deals(setting)[QUICK_COUNT[setting] :])


def test_solutions_replay_in_the_slow_oracle() -> None:
    for setting in ("d1", "d3", "d1_notb", "d3_p3"):
        deals = [deal for deal in oracle_deals(setting) if deal["verdict"] == "winnable"][:3]
        for deal in deals:
            rules = dataclasses.replace(
                ORACLE_RULES["D1N"], draw=deal["draw"], passes=deal["passes"], take_back=deal["take_back"]
            )
            oracle = OracleGame(deal["deck"].split(), rules)
            for action in solve(start(deal)).actions:
                assert oracle.is_legal(action)
                oracle.play(action)
            assert oracle.is_won()


def test_case_18_no_face_down_card_moves_with_the_one_on_it() -> None:
    for rules in ({"draw": 1}, {"draw": 3}, {"draw": 1, "take_back": False}):
        game = Game.from_deck(CASE_S, **rules)
        solution = solve(game)
        assert solution.verdict == "winnable"
        replay(game, solution)
    assert solve(Game.from_deck(CASE_S, draw=1, passes=1)).verdict == "unwinnable"


_CASE_19 = """
import resource
resource.setrlimit(resource.RLIMIT_AS, (4 * 2**30, 4 * 2**30))
from klondike_env import Deal, Game
from klondike_env.solver import solve
game = Game.from_deal(Deal.from_numbering("greenfelt", 1492773577))
won = solve(game)
for action in won.actions:
    game.play(action)
assert won.verdict == "winnable" and game.is_won
assert solve(Game.from_deal(Deal.from_numbering("greenfelt", 2095819838))).verdict == "unwinnable"
"""


@pytest.mark.skipif(sys.platform == "win32", reason="address space limits are a matter of Unix")
def test_case_19_hard_deals_within_four_gigabytes() -> None:
    # Threads of BLAS libraries would reserve address space that has nothing to do with the solver.
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
    subprocess.run([sys.executable, "-c", _CASE_19], check=True, timeout=300, env=environment)


def hard_game() -> Game:
    """Return a game that takes many seconds to solve."""
    return start(next(deal for deal in oracle_deals("d1_p3") if deal["id"] == 134))


def test_interrupt_ends_a_solve() -> None:
    game = hard_game()
    solve(game, node_limit=1)
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        solve(game)
    timer.join()


def test_limits_give_unknown() -> None:
    game = hard_game()
    few = solve(game, node_limit=1000)
    assert (few.verdict, few.actions) == ("unknown", ())
    assert few.nodes == 1000
    assert solve(game, time_limit=0.01).verdict == "unknown"
    small = solve(game, memory_limit=2**20)
    assert small.verdict == "unknown"
    assert small.nodes < 300_000
    assert solve(game, should_stop=lambda: True).verdict == "unknown"


@pytest.mark.parametrize("limit", [0, -1, float("nan"), "10", True])
@pytest.mark.parametrize("name", ["node_limit", "time_limit", "memory_limit"])
def test_wrong_limits_are_refused(name: str, limit: Any) -> None:
    with pytest.raises(OptionError, match=name):
        solve(Game.from_number(1), **{name: limit})


@pytest.mark.parametrize(
    "deck",
    [
        " ".join(CASE_F.split()[:31]),
        CASE_F.removesuffix("AD") + "AS",
        CASE_F.removesuffix("AD") + "1S",
        "",
        CASE_F + " AS",
        CASE_F.removesuffix("AD") + "joker",
    ],
)
def test_case_20_nothing_else_is_solved_in_place_of_a_wrong_deck(deck: str) -> None:
    with pytest.raises(DealError):
        SolverPosition.from_deck(deck)


def test_wrong_positions_are_refused() -> None:
    position = SolverPosition.from_deck(CASE_F)
    with pytest.raises(NotationError, match="4S"):
        dataclasses.replace(position, waste=(3,))
    with pytest.raises(NotationError, match="face down"):
        dataclasses.replace(position, face_down=(0, 1, 2, 3, 4, 5, 7))
    with pytest.raises(NotationError, match="cannot lie on"):
        dataclasses.replace(position, face_down=(0, 1, 2, 3, 4, 5, 5))
    with pytest.raises(NotationError, match="columns"):
        dataclasses.replace(position, columns=position.columns[:6])
    with pytest.raises(NotationError, match="heights"):
        dataclasses.replace(position, heights=(0, 0, 0, 14))
    with pytest.raises(RulesError):
        SolverPosition.from_deck(CASE_F, draw=4)
    assert issubclass(NotationError, KlondikeError)


def test_game_and_position_are_solved_alike_and_left_alone() -> None:
    game = Game.from_deck(CASE_F, "D3N")
    before = game.notation
    from_game, from_position = solve(game), solve(SolverPosition.from_deck(CASE_F, "D3N"))
    assert game.notation == before
    assert from_game.actions == from_position.actions
    assert (from_game.verdict, from_game.nodes) == (from_position.verdict, from_position.nodes)


def test_won_and_lost_games() -> None:
    deal = next(deal for deal in oracle_deals("d1") if deal.get("actions"))
    game = start(deal)
    for action in deal["actions"][:-1]:
        game.play(action)
    assert solve(game).actions == (deal["actions"][-1],)
    game.play(deal["actions"][-1])
    assert (solve(game).verdict, solve(game).actions) == ("winnable", ())


@pytest.mark.parametrize("setting", ["d1", "d3", "d1_p3", "d1_notb"])
def test_case_22_positions_amid_a_won_game_stay_winnable(setting: str) -> None:
    deals = [deal for deal in oracle_deals(setting) if deal.get("actions")][: 20 if setting == "d1" else 6]
    for deal in deals:
        game = start(deal)
        for count, action in enumerate(deal["actions"]):
            if count % 10 == 0:
                solution = solve(game)
                assert solution.verdict == "winnable", (deal["id"], count)
                replay(game, solution)
            game.play(action)


def test_easier_rules_never_make_a_winnable_game_unwinnable() -> None:
    harder_first = [
        ({"draw": 3, "passes": 1}, {"draw": 3, "passes": 3}, {"draw": 3}, {"draw": 2}, {"draw": 1}),
        ({"draw": 1, "passes": 1}, {"draw": 1, "passes": 2}, {"draw": 1, "passes": 9}, {"draw": 1}),
        ({"draw": 1, "passes": 1, "take_back": False, "aces": "first"}, {"draw": 1, "passes": 1, "take_back": False}),
        ({"draw": 3, "passes": 3}, {"draw": 1, "passes": 3}),
        ({"draw": 3, "take_back": False}, {"draw": 3}),
        ({"draw": 1, "take_back": False}, {"draw": 1}),
        ({"draw": 3, "aces": "first"}, {"draw": 3}),
        ({"draw": 3, "passes": 3, "take_back": False, "aces": "must"}, {"draw": 3, "passes": 3, "take_back": False}),
    ]
    changes = set()
    for deal in oracle_deals("d1")[:40]:
        for chain in harder_first:
            solutions = [solve(Game.from_deck(deal["deck"], **rules), node_limit=100_000) for rules in chain]
            verdicts = [solution.verdict for solution in solutions if solution.verdict != "unknown"]
            # "unwinnable" sorts before "winnable".
            assert verdicts == sorted(verdicts), (deal["id"], chain)
            if len(set(verdicts)) > 1:
                changes.add(chain[0]["draw"])
    assert changes == {1, 3}


def test_take_back_decides_a_game() -> None:
    deal = oracle_deals("d1")[67]
    with_take_back, without = start(deal), start(deal, take_back=False)
    assert (solve(with_take_back).verdict, solve(without).verdict) == ("winnable", "unwinnable")


def test_greenfelt_815_turns_seven_of_hearts_first() -> None:
    game = Game.from_deal(Deal.from_numbering("greenfelt", 815))
    solution = solve(game)
    replay(game, solution)


def test_only_games_with_all_cards_are_solved() -> None:
    view = Game.from_number(6).view()
    with pytest.raises(NotationError, match=r"view\.sample"):
        solve(view)  # type: ignore[arg-type]
    for game in ("KL1-D3N-AAAAAAG", None, 3):
        with pytest.raises(NotationError, match=r"make one, such as with Game\.from_code"):
            solve(game)  # type: ignore[arg-type]
