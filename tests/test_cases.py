"""Faults that users met in other programs, as things to try here; decks and right outcomes are fixed values."""

import copy
import pickle

import cloudpickle
import gymnasium as gym
import numpy as np
import pytest
from golden import read_json_lines
from oracle.positions import CASE_DECKS

from klondike_env import Game, card_name, parse_card
from klondike_env.actions import TAKE_BACK
from klondike_env.env import KlondikeEnv
from klondike_env.errors import DealError, IllegalActionError, UndoError
from klondike_env.formats import read_deal

COPIERS = [
    copy.deepcopy,
    lambda value: pickle.loads(pickle.dumps(value)),
    lambda value: cloudpickle.loads(cloudpickle.dumps(value)),
]


def start(deck: str, rules: str = "D1N", actions: list[int] | None = None, **overrides: object) -> Game:
    """Start a game of a case deck and play actions."""
    game = Game.from_deck(CASE_DECKS[deck], rules, **overrides)
    for action in actions or []:
        game.play(action)
    return game


def legal(game: Game) -> set[int]:
    """Return the legal actions as a set."""
    return set(game.legal_actions())


def names(game: Game, column: int) -> list[str]:
    """Return the face-up cards of a column by name."""
    return [card_name(card) for card in game.column(column)[game.face_down_count(column) :]]


def assert_whole(game: Game) -> None:
    """Check that the position is sound: 52 different cards, in particular."""
    assert game.validate() == []


def test_case_1_undo_of_a_turn_hides_the_card_again() -> None:
    game = start("F")
    before, text = legal(game), str(game)
    game.play(0)
    assert game.waste_in_sight == [parse_card("9H")]
    assert game.is_legal(8)
    game.undo()
    assert (len(game.stock), game.waste) == (24, [])
    assert legal(game) == before == {0, 9, 46, 63}
    assert str(game) == text
    assert "9H" not in text
    assert not game.is_legal(8)
    assert parse_card("9H") in game.view().unknown_cards


def test_case_2_undo_of_a_draw_of_three_keeps_the_order() -> None:
    game = start("B", "D3N")
    stock = game.stock
    for _ in range(3):
        game.play(0)
        assert game.waste == [parse_card(name) for name in ("5D", "2S", "AS")]
        game.undo()
        assert game.stock == stock
    game.play(0)
    assert game.waste_in_sight[-1] == parse_card("AS")


def test_case_3_no_run_goes_to_a_foundation() -> None:
    game = start("A", actions=[9, 10, 11, 71])
    assert names(game, 4)[-2:] == ["4H", "3S"]
    notation = game.notation
    with pytest.raises(IllegalActionError):
        game.play(12)
    assert game.notation == notation
    assert legal(game) == {0, 10, 80}
    assert game.score == 45
    assert_whole(game)


def test_case_4_an_empty_column_takes_only_a_king() -> None:
    game = start("F", actions=[9, 0])
    assert game.column(1) == []
    assert legal(game) == {0, 8, 19, 63, 68}
    for action in range(86):
        if action not in legal(game):
            with pytest.raises(IllegalActionError):
                game.play(action)
    game.play(68)
    assert names(game, 1) == ["KD"]


def test_case_5_foundations_take_the_next_card_of_their_suit() -> None:
    game = start("F", actions=[9])
    assert not legal(game) & {1, *range(9, 16)}
    assert legal(game) & set(range(TAKE_BACK, 44)) == {19}


def test_case_6_last_foundation_and_last_column_are_addressed() -> None:
    assert legal(start("D")) == {0, 15, 50, 75}
    assert legal(start("D", actions=[15, 0])) == {0, 1, 8, 12, 43, 50, 75, 85}
    assert names(start("D", actions=[15, 0, 43]), 7)[-2:] == ["2D", "AC"]
    assert names(start("D", actions=[15, 0, 8]), 7)[-2:] == ["2D", "AS"]
    game = start("D", actions=[15, 0, 85])
    assert names(game, 6)[-2:] == ["3S", "2D"]
    assert names(game, 7) == ["8H"]


def test_case_7_part_of_a_run_moves() -> None:
    game = start("P", actions=[50, 56, 62, 74])
    assert names(game, 1) == ["9H", "8S", "7D", "6S", "5H"]
    assert legal(game) == {0, 14, 47, 81}
    assert list(game.moved_cards(47)) == [parse_card(name) for name in ("7D", "6S", "5H")]
    game.play(47)
    assert names(game, 1) == ["9H", "8S"]
    assert names(game, 5)[-4:] == ["8C", "7D", "6S", "5H"]
    assert_whole(game)


def test_case_8_undo_and_play_again() -> None:
    game = start("C")
    deal = game.notation
    masks = []
    for round_ in range(2):
        for turn, (action, score) in enumerate(zip((77, 64, 65, 59), (5, 10, 15, 20), strict=True)):
            game.play(action)
            assert game.score == score
            if round_ == 0:
                masks.append(legal(game))
            else:
                assert legal(game) == masks[turn]
        if round_ == 0:
            for _ in range(4):
                game.undo()
            assert game.notation == deal
            assert legal(game) == {0, 50, 64, 73, 77, 81}
            for name in ("AS", "9H", "QC", "5C"):
                assert name not in str(game)
    game.undo()
    game.undo()
    for action in (73, 81):
        if game.is_legal(action):
            other = game.copy()
            other.play(action)
            assert_whole(other)


def test_case_9_the_uncovered_card_counts_in_the_same_step() -> None:
    env = gym.make("Klondike-v0")
    env.reset(options={"deck": CASE_DECKS["M"]})
    observation, reward, _, _, info = env.step(67)
    assert set(np.flatnonzero(info["action_mask"])) == {0, 12, 49, 51}
    assert (reward, info["score"]) == (5.0, 5)
    assert observation[3].reshape(52)[parse_card("AD")] == 1


def test_case_10_undo_takes_money_back() -> None:
    game = start("B", "D3V")
    assert game.score_text == "-$52"
    game.play(0)
    scores = [game.score_text]
    for _ in range(2):
        game.play(1)
        scores.append(game.score_text)
    assert scores == ["-$52", "-$47", "-$42"]
    game.undo()
    assert game.score_text == "-$47"
    game.undo()
    assert game.score_text == "-$52"
    assert game.waste_in_sight == [parse_card(name) for name in ("5D", "2S", "AS")]
    game.play(1)
    game.play(1)
    assert game.score_text == "-$42"
    assert game.tap("spades") is None


@pytest.mark.parametrize(
    ("actions", "scores"),
    [([0, 1], [0, 10]), ([0, 2, 9], [0, 5, 15]), ([0, 1, 23, 9, 23, 9], [0, 10, 10, 20, 20, 30])],
)
def test_case_11_scores_shown(actions: list[int], scores: list[int]) -> None:
    game = start("J")
    shown = []
    for action in actions:
        game.play(action)
        shown.append(game.score)
    assert shown == scores


@pytest.mark.parametrize(
    ("rules", "reward", "paid"),
    [
        ("D1N", "score", [0, 10, 0, 0, 0, 0]),
        ("D1N", "table", [0, 10, 0, 10, 0, 10]),
        ("D1V", "score", [-52, 5, 0, 0, 0, 0]),
        ("D1V", "table", [-52, 5, 0, 5, 0, 5]),
        ("D1V", "win", [0, 0, 0, 0, 0, 0]),
    ],
)
def test_case_11_rewards(rules: str, reward: str, paid: list[int]) -> None:
    env = KlondikeEnv(rules, reward=reward)
    env.reset(options={"deck": CASE_DECKS["J"]})
    assert [env.step(action)[1] for action in (0, 1, 23, 9, 23, 9)] == paid


def test_case_11_vegas_shown() -> None:
    game = start("J", "D1V")
    shown = []
    for action in (0, 1, 23, 9, 23, 9):
        game.play(action)
        shown.append(game.score)
    assert shown == [-52, -47, -47, -42, -42, -37]


def test_case_12_no_redeal_without_a_pass() -> None:
    game = Game.from_code("KL1-D1V-AAAAAAG")
    for _ in range(24):
        game.play(0)
    assert legal(game) == {11, 67, 68}
    assert game.tap("stock") is None
    assert game.illegal_reason(0) == "the stock is empty and no pass is left"
    assert "empty, no redeal" in str(game)
    assert "tap to redeal" not in str(game)


def test_case_12_three_passes() -> None:
    game = Game.from_number(6, "D3N", passes=3)
    left = [game.passes_left]
    planes = [int(game.view().observation()[30, 0, 0])]
    for _redeal in range(2):
        for _ in range(8):
            game.play(0)
        assert "tap to redeal" in str(game)
        game.play(0)
        left.append(game.passes_left)
        planes.append(int(game.view().observation()[30, 0, 0]))
    for _ in range(8):
        game.play(0)
    assert left == planes == [2, 1, 0]
    assert not game.is_legal(0)
    for _ in range(9):
        game.undo()
    assert game.passes_left == 1
    assert game.is_legal(0)


def test_case_13_a_redeal_keeps_the_order() -> None:
    game = Game.from_code("KL1-D1N-AAAAAAG")
    for _ in range(25):
        game.play(0)
    seen = []
    for _ in range(3):
        game.play(0)
        seen.append(game.waste[-1])
    assert seen == [parse_card(name) for name in ("AS", "8D", "2C")]
    game = Game.from_code("KL1-D3N-AAAAAAG")
    for _ in range(10):
        game.play(0)
    assert game.waste_in_sight == [parse_card(name) for name in ("AS", "8D", "2C")]


def test_case_14_restart_deals_the_same_cards() -> None:
    game = Game.from_code("KL1-D3N-AAAAAAG")
    deal = game.notation
    rng = np.random.default_rng(0)
    for _ in range(30):
        game.play(int(rng.choice(game.legal_actions())))
    middle = game.notation
    for _ in range(2):
        game.restart()
        assert game.notation == deal
        assert game.undo_count == 0
    again = pickle.loads(pickle.dumps(Game.from_notation(middle)))
    assert again.notation == middle
    for _ in range(2):
        again.restart()
        assert again.notation == deal


def test_case_14_coming_back_keeps_the_undo_list() -> None:
    game = Game.from_code("KL1-D3N-AAAAAAG")
    positions = [game.notation]
    rng = np.random.default_rng(1)
    for _ in range(130):
        game.play(int(rng.choice(game.legal_actions())))
        positions.append(game.notation)
    game = pickle.loads(pickle.dumps(game))
    for back in range(1, 101):
        game.undo()
        assert game.notation == positions[-1 - back]
    with pytest.raises(UndoError, match="nothing is left to undo"):
        game.undo()
    assert game.notation == positions[30]


@pytest.mark.parametrize("name", ["oracle_d1", "oracle_d3", "oracle_d3_p1"])
def test_case_15_a_win_is_a_win(name: str) -> None:
    line = next(line for line in read_json_lines(f"{name}.jsonl") if line.get("actions"))
    env = gym.make("Klondike-v0", rules=f"D{line['draw']}N", passes=line["passes"], take_back=line["take_back"])
    env.reset(options={"deck": line["deck"]})
    for place, action in enumerate(line["actions"]):
        observation, _, terminated, _, info = env.step(action)
        assert terminated == (place == len(line["actions"]) - 1)
        assert ("won" in info) == terminated
    assert info["won"] is True
    assert env.unwrapped.game.is_won
    assert not env.unwrapped.game.is_lost
    assert env.unwrapped.game.legal_actions() == []
    assert observation[7].all()
    assert info["action_mask"].all()


def test_case_16_a_card_taken_back_stays() -> None:
    game = start("J", actions=[0, 1, 23])
    assert names(game, 1) == ["2S", "AH"]
    assert game.tap("hearts") is None
    assert names(game, 1) == ["2S", "AH"]


def test_case_17_extra_taps_do_nothing() -> None:
    game = start("F")
    taps = [game.tap("column 1") for _ in range(5)]
    assert taps == [9, None, None, None, None]
    assert game.double_tap(1) is None
    assert_whole(game)
    game.undo()
    assert names(game, 1) == ["AS"]


def test_case_18_a_face_down_card_never_moves() -> None:
    assert legal(start("X1")) == {0, 47, 55, 59, 80, 82}
    assert legal(start("X1", actions=[55])) == {0, 47, 50, 51, 59, 80, 81, 82}


@pytest.mark.parametrize(
    ("cut", "message"),
    [
        (lambda cards: cards[:31], "31"),
        (lambda cards: [*cards[:-1], "AS"], "AD"),
        (lambda cards: [*cards[:-1], "1S"], "1S"),
        (lambda cards: [], "0|empty|no card"),
        (lambda cards: [*cards, "AD"], "53"),
        (lambda cards: [*cards[:-1], "JOKER"], "JOKER"),
    ],
)
def test_case_20_bad_decks_are_refused(cut: object, message: str) -> None:
    deck = " ".join(cut(CASE_DECKS["F"].split()))  # type: ignore[operator]
    with pytest.raises(DealError, match=message):
        Game.from_deck(deck)
    with pytest.raises(DealError, match=message):
        read_deal(deck)
    env = KlondikeEnv()
    _observation, info = env.reset(seed=3)
    state = env.np_random.bit_generator.state
    with pytest.raises(DealError, match=message):
        env.reset(options={"deck": deck})
    assert env.game.game_number == info["game_number"]
    assert env.np_random.bit_generator.state == state


def test_case_23_what_was_returned_never_changes() -> None:
    env = gym.make("Klondike-v0")
    kept = []
    observation, info = env.reset(seed=0)
    rng = np.random.default_rng(0)
    for _ in range(150):
        kept.append((observation, observation.tobytes(), info["action_mask"], info["action_mask"].tobytes()))
        action = int(rng.choice(np.flatnonzero(info["action_mask"])))
        observation, _, terminated, truncated, info = env.step(action)
        if terminated or truncated:
            observation, info = env.reset()
    env.reset()
    for array, data, mask, mask_data in kept:
        assert array.tobytes() == data
        assert mask.tobytes() == mask_data


def test_case_24_seeds_count() -> None:
    import random

    def numbers(env: KlondikeEnv, seed: int | None) -> list[int]:
        return [env.reset(seed=seed)[1]["game_number"], *(env.reset()[1]["game_number"] for _ in range(2))]

    first = numbers(KlondikeEnv(), 7)
    random.seed(1)
    np.random.seed(1)
    assert numbers(KlondikeEnv(), 7) == first == numbers(KlondikeEnv(), 7)
    assert len(set(first)) == 3
    assert numbers(KlondikeEnv(), 0) == numbers(KlondikeEnv(), 0) != first
    np.random.seed(1)
    unseeded = numbers(KlondikeEnv(), None)
    np.random.seed(1)
    assert numbers(KlondikeEnv(), None) != unseeded
    assert min(first + unseeded) >= 2_000_000


@pytest.mark.parametrize(
    "copier",
    [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x)), lambda x: cloudpickle.loads(cloudpickle.dumps(x))],
)
@pytest.mark.parametrize("wrapped", [False, True])
def test_case_25_copies_go_on_alike(copier: object, wrapped: bool) -> None:
    env = gym.make("Klondike-v0", rules="D3N", render_mode="ansi")
    env = env if wrapped else env.unwrapped
    env.reset(seed=1)
    env.reset(options={"deck": CASE_DECKS["B"]})
    for action in (0, 1, 1):
        env.step(action)
    env.render()
    other = copier(env)  # type: ignore[operator]
    rng = np.random.default_rng(5)
    for _ in range(100):
        action = int(rng.choice(env.unwrapped.game.legal_actions()))
        ours, theirs = env.step(action), other.step(action)
        assert (ours[0] == theirs[0]).all()
        assert ours[1:4] == theirs[1:4]
        assert (ours[4]["action_mask"] == theirs[4]["action_mask"]).all()
    assert env.unwrapped.game.notation == other.unwrapped.game.notation
    before = env.unwrapped.game.notation
    other.unwrapped.game.undo()
    assert env.unwrapped.game.notation == before != other.unwrapped.game.notation
    assert env.reset()[1]["game_number"] == other.reset()[1]["game_number"]
    assert env.unwrapped.np_random is not other.unwrapped.np_random


def test_case_25_copies_of_game_and_view() -> None:
    game = start("B", "D3N", [0, 1, 1])
    for copier in (copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x)), Game.copy):
        other = copier(game)
        assert other.notation == game.notation
        other.undo()
        assert other.notation != game.notation
        assert other.undo_count == 2
    view = game.view()
    for copier in (copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))):
        assert copier(view) == view
        assert copier(view).legal_actions() == view.legal_actions()
