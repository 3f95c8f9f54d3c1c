"""The oracle by itself: shuffles, proven solutions, positions worked out by hand, and its own consistency."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracle import (
    MOVES,
    ORACLE_RULES,
    OracleEnv,
    OracleGame,
    OracleRules,
    oracle_deck,
    oracle_observation,
    oracle_perft,
)
from oracle.positions import CASE_DECKS, column_text, mask_set, start

DATA = Path(__file__).parent / "data"
SOLUTION_FILES = sorted(path.name for path in DATA.glob("oracle_*.jsonl"))
TAKE_BACKS = range(16, 44)
LOST_AT_DRAW_3 = 95
PERFT = [
    ("F", "D1N", [4, 17, 74]),
    ("F", "D3N", [4, 16, 66]),
    ("F", "one-pass", [1, 3, 10]),
    ("M", "D1N", [4, 16, 63]),
    ("J", "D1N", [3, 10, 36]),
    ("J", "three-pass", [3, 6, 12]),
]


def read_lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / name).read_text().splitlines()]


def test_shuffle_vectors() -> None:
    vectors = json.loads((DATA / "kl1_vectors.json").read_text())["vectors"]
    assert vectors
    for vector in vectors:
        assert " ".join(oracle_deck(vector["number"])) == vector["deck"], vector["number"]


def test_deal_goes_row_by_row() -> None:
    game = start("F", "D1N")
    assert [column_text(game, number) for number in (1, 2, 3)] == ["AS", "[2D] 3S", "[QD] [6H] 4S"]
    assert column_text(game, 7) == "[KC] [KH] [4H] [5C] [3D] [8D] TC"
    assert game.stock == CASE_DECKS["F"].split()[28:]


def test_action_table() -> None:
    assert len(MOVES) == len(set(MOVES)) == 86
    assert MOVES[8].target == 6
    assert MOVES[15].source == 6
    assert MOVES[16 + 7 * 2 + 4][1:] == (2, 4)
    for i in range(1, 8):
        for j in range(1, 8):
            if i != j:
                action = 44 + 6 * (i - 1) + (j - 1) - (1 if j > i else 0)
                assert MOVES[action] == ("column down", i - 1, j - 1)


def replay(line: dict[str, Any], check_every_position: bool) -> None:
    vegas_or_normal = ["normal", "vegas"] if "vegas_score" in line else ["normal"]
    for scoring in vegas_or_normal:
        rules = OracleRules(line["draw"], line["passes"], scoring, line["take_back"], "free", True)
        game = OracleGame(line["deck"].split(), rules)
        paid = {"score": 0, "table": 0, "win": 0}
        redeal_cost = waste_to_column = 0
        for action in line["actions"]:
            assert not game.is_won()
            if check_every_position:
                assert not game.is_lost()
                assert game.mask().sum() == len(game.legal_actions()) > 0
            is_redeal = action == 0 and not game.stock
            before = game.score
            game.play(action)
            redeal_cost += before - game.score if is_redeal else 0
            waste_to_column += action in range(2, 9)
            for kind, value in game.rewards.items():
                paid[kind] += value
        assert game.is_won()
        assert not game.is_lost()
        assert game.legal_actions() == []
        assert game.mask().all()
        take_backs = sum(action in TAKE_BACKS for action in line["actions"])
        assert take_backs == line["take_backs"]
        assert game.score == line[f"{scoring}_score"]
        assert paid["table"] == game.score
        assert paid["win"] == game.rewards["win"] == 1
        once = 625 + 5 * waste_to_column - redeal_cost if scoring == "normal" else 208
        assert paid["score"] == once
        if take_backs == 0:
            assert game.score == once


@pytest.mark.parametrize("name", SOLUTION_FILES)
def test_solutions_with_every_position(name: str) -> None:
    lines = [line for line in read_lines(name) if "actions" in line]
    for line in lines[::10]:
        replay(line, check_every_position=True)


@pytest.mark.slow
@pytest.mark.parametrize("name", SOLUTION_FILES)
def test_all_solutions(name: str) -> None:
    for line in read_lines(name):
        if "actions" in line:
            replay(line, check_every_position=False)


def test_there_are_eight_solution_files() -> None:
    assert len(SOLUTION_FILES) == 8


def test_runs_stay_whole_and_foundations_take_the_next_card_only() -> None:
    game = start("A", "D1N", [9, 10, 11, 71])
    assert column_text(game, 4).endswith("4H 3S")
    assert game.foundations[1] == ["AH", "2H", "3H"]
    assert mask_set(game) == {0, 10, 80}
    assert game.score == 45


def test_empty_column_takes_only_a_king() -> None:
    game = start("F", "D1N", [9, 0])
    assert game.columns[0] == []
    assert mask_set(game) == {0, 8, 19, 63, 68}
    assert not mask_set(game) & set(range(9, 16))
    game.play(68)
    assert column_text(game, 1) == "KD"
    assert column_text(game, 5) == "[3H] [8H] [5D] JC"
    assert game.score == 15


def test_last_foundation_and_last_column() -> None:
    assert mask_set(start("D", "D1N")) == {0, 15, 50, 75}
    game = start("D", "D1N", [15, 0])
    assert mask_set(game) == {0, 1, 8, 12, 43, 50, 75, 85}
    for action, number, ending in ((43, 7, "2D AC"), (8, 7, "2D AS"), (85, 6, "3S 2D"), (85, 7, "8H")):
        after = game.copy()
        after.play(action)
        assert column_text(after, number).endswith(ending)


def test_part_of_a_run_moves() -> None:
    game = start("P", "D1N", [50, 56, 62, 74])
    assert column_text(game, 1) == "9H 8S 7D 6S 5H"
    assert mask_set(game) == {0, 14, 47, 81}
    game.play(47)
    assert column_text(game, 1) == "9H 8S"
    assert column_text(game, 5).endswith("8C 7D 6S 5H")


def test_chain_of_uncovered_cards() -> None:
    game = start("C", "D1N")
    assert mask_set(game) == {0, 50, 64, 73, 77, 81}
    for action, score in ((77, 5), (64, 10), (65, 15), (59, 20)):
        game.play(action)
        assert game.score == score


def test_uncovered_card_counts_in_the_same_step() -> None:
    game = start("M", "D1N", [67])
    assert column_text(game, 4) == "[QC] [QS] AD"
    assert mask_set(game) == {0, 12, 49, 51}
    assert game.score == 5


def test_vegas_money_and_the_fan() -> None:
    game = start("B", "D3V", [0])
    assert game.visible_waste() == ["5D", "2S", "AS"]
    assert game.score == -52
    assert game.rewards == {"score": -52, "table": -52, "win": 0}
    for score, left in ((-47, ["5D", "2S"]), (-42, ["5D"])):
        game.play(1)
        assert game.score == score
        assert game.rewards == {"score": 5, "table": 5, "win": 0}
        assert game.visible_waste() == left
    top_only = start("B", dataclasses.replace(ORACLE_RULES["D3V"], fan=False), [0])
    assert top_only.visible_waste() == ["AS"]
    assert top_only.seen == {"AS"}
    top_only.play(1)
    assert top_only.visible_waste() == ["2S"]
    assert top_only.seen == {"AS", "2S"}


@pytest.mark.parametrize(
    ("rules", "actions", "shown", "score_reward", "table_reward"),
    [
        ("D1N", [0, 1], [0, 10], [0, 10], [0, 10]),
        ("D1N", [0, 2, 9], [0, 5, 15], [0, 5, 10], [0, 5, 10]),
        ("D1N", [0, 1, 23, 9, 23, 9], [0, 10, 10, 20, 20, 30], [0, 10, 0, 0, 0, 0], [0, 10, 0, 10, 0, 10]),
        (
            "D1V",
            [0, 1, 23, 9, 23, 9],
            [-52, -47, -47, -42, -42, -37],
            [-52, 5, 0, 0, 0, 0],
            [-52, 5, 0, 5, 0, 5],
        ),
    ],
)
def test_points_of_roundabout_ways(
    rules: str, actions: list[int], shown: list[int], score_reward: list[int], table_reward: list[int]
) -> None:
    for kind, expected in (("score", score_reward), ("table", table_reward)):
        env = OracleEnv(ORACLE_RULES[rules], reward=kind)
        env.reset(CASE_DECKS["J"].split())
        results = [env.step(action) for action in actions]
        assert [result[4]["score"] for result in results] == shown
        assert [result[1] for result in results] == expected


def test_no_redeal_without_a_pass() -> None:
    game = start("N6", "D1V", [0] * 24)
    assert mask_set(game) == {11, 67, 68}
    rules = dataclasses.replace(ORACLE_RULES["D3N"], passes=3)
    game = start("N6", rules)
    for left in (2, 1, 0):
        assert game.passes_left == left
        assert (oracle_observation(game)[30] == left).all()
        for _ in range(8):
            game.play(0)
        assert game.is_legal(0) == (left > 0)
        if left:
            game.play(0)


def test_redeal_keeps_the_order_and_costs_at_most_the_score() -> None:
    game = start("N6", "D1N", [0] * 25)
    assert (game.score, game.stock[0], game.waste) == (0, "AS", [])
    for action in (0, 0, 0):
        game.play(action)
    assert game.waste == ["AS", "8D", "2C"]
    game = start("N6", "D3N", [0] * 10)
    assert game.visible_waste() == ["AS", "8D", "2C"]
    game = start("J", "D1N", [0, 1] + [0] * 23)
    assert (game.score, game.stock) == (10, [])
    game.play(0)
    assert (game.score, game.rewards["score"], game.rewards["table"]) == (0, -10, -10)
    vegas = dataclasses.replace(ORACLE_RULES["D1V"], passes=2)
    game = start("J", vegas, [0, 1] + [0] * 24)
    assert (game.score, game.rewards["table"]) == (-47, 0)


def test_face_down_cards_do_not_move() -> None:
    game = start("X1", "D1N")
    assert mask_set(game) == {0, 47, 55, 59, 80, 82}
    game.play(55)
    assert mask_set(game) == {0, 47, 50, 51, 59, 80, 81, 82}


def test_aces_that_must_play() -> None:
    assert mask_set(start("F", "one-pass")) == {9}
    assert mask_set(start("F", "one-pass", [9])) == {0, 63, 68}
    # An ace taken back has to go up again at once.
    taking_back = dataclasses.replace(ORACLE_RULES["one-pass"], take_back=True)
    assert mask_set(start("F", taking_back, [9, 19])) == {12}
    # So has one that comes up on the waste; no turn before that.
    assert mask_set(start("B", "three-pass", [0])) == {1}
    assert mask_set(start("J", "three-pass", [0])) == {1}


def test_aces_before_any_other() -> None:
    free, first = start("B", "D3V", [0, 1]), start("B", "aces-first-3", [0, 1])
    assert free.waste[-1] == first.waste[-1] == "2S"
    assert mask_set(free) - mask_set(first) == {1} | (mask_set(free) & set(TAKE_BACKS))
    for suit, card in ((1, "AH"), (2, "AD"), (3, "AC")):
        assert not first.is_legal(1)
        first.foundations[suit].append(card)
    assert first.is_legal(1)


@pytest.mark.parametrize(("action", "paid"), [(0, -52.0), (1, -52.0)])
def test_game_lost_from_the_deal_on(action: int, paid: float) -> None:
    env = OracleEnv(ORACLE_RULES["D3V"])
    _, info = env.reset(oracle_deck(LOST_AT_DRAW_3))
    assert np.flatnonzero(info["action_mask"]).tolist() == [0]
    assert env.game.is_lost()
    _, reward, terminated, truncated, info = env.step(action)
    assert (reward, terminated, truncated, info["won"], info["score"]) == (paid, True, False, False, -52)
    assert info["action_mask"].all()
    assert info.get("illegal_action", False) == (action == 1)
    assert env.game.legal_actions() == [0]


def test_illegal_action_changes_nothing_and_leaves_the_stake_due() -> None:
    env = OracleEnv(ORACLE_RULES["D1V"], step_limit=3)
    before, _ = env.reset(CASE_DECKS["F"].split())
    after, reward, terminated, truncated, info = env.step(10)
    assert (before == after).all()
    assert (reward, terminated, truncated, info["illegal_action"]) == (0, False, False, True)
    assert "won" not in info
    assert env.step(9)[1] == -47
    assert env.step(0)[1:4] == (0, False, True)
    env.illegal_action = "raise"
    with pytest.raises(ValueError, match="illegal"):
        env.step(1)
    for outside in (-1, 86):
        with pytest.raises(ValueError, match="outside"):
            env.step(outside)


def test_last_card_wins_and_loses_nothing() -> None:
    line = next(line for line in read_lines("oracle_d1_p1.jsonl") if "actions" in line)
    env = OracleEnv(ORACLE_RULES["D1V"], reward="win", step_limit=len(line["actions"]))
    env.reset(line["deck"].split())
    results = [env.step(action) for action in line["actions"]]
    assert [result[1] for result in results] == [0] * (len(results) - 1) + [1]
    observation, _, terminated, truncated, info = results[-1]
    assert (terminated, truncated, info["won"]) == (True, True, True)
    assert info["action_mask"].all()
    assert observation[7].all()
    assert not any(result[2] or "won" in result[4] for result in results[:-1])


@pytest.mark.parametrize("rules", sorted(ORACLE_RULES))
def test_perft_counts_by_playing_from_the_deal(rules: str) -> None:
    cards = CASE_DECKS["F"].split()
    sequences: list[list[int]] = [[]]
    for depth in range(4):
        assert oracle_perft(cards, ORACLE_RULES[rules], depth) == len(sequences)
        sequences = [[*s, action] for s in sequences for action in start("F", rules, s).legal_actions()]


def test_perft_goldens() -> None:
    for deck, rules, counts in PERFT:
        for depth, count in enumerate(counts, start=1):
            assert oracle_perft(CASE_DECKS[deck].split(), ORACLE_RULES[rules], depth) == count
