"""The engine and the env equal the slow oracle: masks, rewards, ends, scores, observations, action sequences.

`KLONDIKE_ORACLE_GAMES=2000 pytest tests/test_engine_against_oracle.py` is the long run; a few games run by default.
"""

import os
from typing import Any

import numpy as np
import pytest
from golden import read_golden
from oracle import ORACLE_RULES, OracleEnv, OracleGame, oracle_deck, oracle_observation, oracle_perft

from klondike_env import RULE_SETS, Game
from klondike_env.actions import COLUMN_TO_COLUMN, TAKE_BACK
from klondike_env.cards import format_cards
from klondike_env.env import KlondikeEnv
from klondike_env.observation import INFORMATION, observe
from klondike_env.stepping import REWARDS

GAMES = int(os.environ.get("KLONDIKE_ORACLE_GAMES", "6"))
OBSERVED = 0.5 if GAMES < 100 else 0.02
"""Share of the steps at which an observation is compared."""
STEP_LIMIT = 300
KINDS = [(information, squared) for information in INFORMATION for squared in (False, True)]


def choose(rng: np.random.Generator, mask: np.ndarray, style: int) -> int:
    """Draw an action: style 0 uniformly, 1 rarely a take-back, 2 mostly a move up; now and then illegal."""
    if rng.random() < 0.02:
        return int(rng.integers(86))
    legal = np.flatnonzero(mask)
    take_backs = (legal >= TAKE_BACK) & (legal < COLUMN_TO_COLUMN)
    if style >= 1 and rng.random() < 0.97 and not take_backs.all():
        legal = legal[~take_backs]
    if style == 2 and rng.random() < 0.9 and ((legal >= 1) & (legal < TAKE_BACK)).any():
        legal = legal[(legal >= 1) & (legal < TAKE_BACK)]
    return int(rng.choice(legal))


class QuickOracle(OracleEnv):
    """The oracle's env with legal actions worked out once a step and no observations, which are compared apart."""

    legal: list[int]

    def start(self, deck: list[str]) -> None:
        self.game = OracleGame(deck, self.rules)
        self.legal = self.game.legal_actions()

    def step(self, action: int) -> tuple[None, float, bool, bool, dict[str, Any]]:
        is_legal = action in self.legal
        stake_due = not self.game.begun
        if is_legal:
            self.game.play(action)
            self.legal = self.game.legal_actions()
        won = self.game.is_won()
        # With another move than the stock's a game cannot be lost, so the slow question need not be asked.
        ended = won or (self.legal in ([], [0]) and self.game.is_lost())
        paid = float(self.game.rewards["score"]) if is_legal else 0.0
        if ended and not is_legal and stake_due:
            paid = float(self.rules.stake)
        mask = np.ones(86, np.int8) if ended else np.isin(np.arange(86), self.legal).astype(np.int8)
        info = {"action_mask": mask, "score": self.game.score}
        if not is_legal:
            info["illegal_action"] = True
        if ended:
            info["won"] = won
        return None, paid, ended, False, info


@pytest.mark.parametrize("rules", RULE_SETS)
def test_the_quick_oracle_is_the_oracle(rules: str) -> None:
    rng = np.random.default_rng(0)
    # Game 95 is lost from the deal on at draw 3.
    for number, first in ((95, 1), (6, 1), (7, 0)):
        quick, slow = QuickOracle(ORACLE_RULES[rules]), OracleEnv(ORACLE_RULES[rules])
        quick.start(oracle_deck(number))
        slow.reset(oracle_deck(number))
        action = first
        for _ in range(60):
            (_, *ours, _, info), (_, *theirs, _, expected) = quick.step(action), slow.step(action)
            assert ours == theirs
            mask = expected.pop("action_mask")
            assert (info.pop("action_mask") == mask).all()
            assert info == expected
            if ours[1]:
                break
            action = choose(rng, mask, 1)


@pytest.mark.parametrize("rules", RULE_SETS)
def test_random_games_equal_the_oracle(rules: str) -> None:
    rng = np.random.default_rng(list(RULE_SETS).index(rules))
    ends = {"won": 0, "lost": 0, "open": 0}
    for game_index in range(GAMES):
        number = int(rng.integers(2**32))
        envs = {reward: KlondikeEnv(rules, reward=reward) for reward in REWARDS}
        infos = {reward: env.reset(options={"number": number})[1] for reward, env in envs.items()}
        oracle = QuickOracle(ORACLE_RULES[rules])
        oracle.start(oracle_deck(number))
        game = envs["score"].game
        mask = infos["score"]["action_mask"]
        end = "open"
        for step in range(STEP_LIMIT):
            where = (rules, number, step, action := choose(rng, mask, game_index % 3))
            _, expected, ended, _, expected_info = oracle.step(action)
            expected_rewards = {"score": expected, "table": expected, "win": 0.0}
            if "illegal_action" not in expected_info:
                expected_rewards |= {kind: oracle.game.rewards[kind] for kind in ("table", "win")}
            for reward, env in envs.items():
                _, paid, terminated, _, info = env.step(action)
                assert paid == expected_rewards[reward], (*where, reward)
                assert terminated == ended, where
                assert (info["action_mask"] == expected_info["action_mask"]).all(), where
                assert {**info, "action_mask": 0} == {**expected_info, "action_mask": 0, "game_number": number}, where
            if ended or rng.random() < OBSERVED:
                for information, squared in KINDS if ended else [KINDS[int(rng.integers(len(KINDS)))]]:
                    expected_planes = oracle_observation(oracle.game, information, squared)
                    assert (observe(game._states, information, squared) == expected_planes).all(), (*where, information)
                assert game.legal_actions() == oracle.game.legal_actions(), where
                assert Game.from_notation(game.notation).notation == game.notation, where
                assert game.validate() == [], where
            mask = info["action_mask"]
            if ended:
                end = "won" if info["won"] else "lost"
                break
        ends[end] += 1
    print(rules, ends)
    if GAMES >= 500:
        assert ends["lost"], ends


@pytest.mark.parametrize("rules", RULE_SETS)
def test_legal_from_the_deal_equals_the_oracle(rules: str) -> None:
    for number in range(200):
        game = Game.from_number(number, rules)
        oracle = OracleGame(oracle_deck(number), ORACLE_RULES[rules])
        assert game.deck == " ".join(oracle_deck(number))
        assert game.legal_actions() == oracle.legal_actions()
        assert game.is_lost == oracle.is_lost()


def perft(game: Game, depth: int) -> int:
    """Count the legal action sequences of a length, undoing and not copying."""
    actions = game.legal_actions()
    if depth == 1:
        return len(actions)
    total = 0
    for action in actions:
        game.play(action)
        total += perft(game, depth - 1)
        game.undo()
    return total


def test_perft_is_golden() -> None:
    for line in read_golden("perft.txt"):
        rules, number, *counts = line.split()
        game = Game.from_number(int(number), rules)
        found = [perft(game, depth) for depth in range(1, 6)]
        divide = {a: perft_after(game, a, 4) for a in game.legal_actions()}
        assert found == [int(count) for count in counts], f"{line}: found {found}; by first action {divide}"


def perft_after(game: Game, action: int, depth: int) -> int:
    """Count the sequences that go on after one action, to show which move is wrong."""
    copy = game.copy()
    copy.play(action)
    return perft(copy, depth)


def test_perft_of_the_oracle_is_golden() -> None:
    for line in read_golden("perft.txt"):
        rules, number, *counts = line.split()
        for depth in range(1, 4):
            assert oracle_perft(oracle_deck(int(number)), ORACLE_RULES[rules], depth) == int(counts[depth - 1]), line


def test_format_cards_equals_oracle_deck() -> None:
    assert format_cards(Game.from_number(6).deal.cards) == " ".join(oracle_deck(6))
