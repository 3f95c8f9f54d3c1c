"""Seeds, reset masks, code lists and queues of the native vector env, and what it says of wrong input."""

import copy
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from oracle.positions import CASE_DECKS
from vector_checks import SideBySide, assert_same, choose_actions, make_native

from klondike_env import Game, KlondikeError
from klondike_env.errors import ActionError, EpisodeError, IllegalActionError, OptionError
from klondike_env.vector_env import KlondikeVectorEnv

CODES = [f"KL1-D1N-AAAAAA{letter}" for letter in "ABCDEFGHIJK"]


def game_numbers(envs: KlondikeVectorEnv, resets: int) -> list[list[int]]:
    """Return the game numbers of several resets in a row."""
    return [envs.reset()[1]["game_number"].tolist() for _ in range(resets)]


def notations(envs: KlondikeVectorEnv) -> list[str]:
    """Return the position of each row."""
    return [envs.game(row).notation for row in range(envs.num_envs)]


@pytest.mark.parametrize("seed", [0, 7, 2**40])
def test_row_i_seeded_s_plays_the_games_of_a_single_env_seeded_s_plus_i(seed: int) -> None:
    envs = make_native(3)
    rows = [envs.reset(seed=seed)[1]["game_number"].tolist(), *game_numbers(envs, 3)]
    for row in range(3):
        single = gym.make("klondike_env:Klondike-v0")
        numbers = [single.reset(seed=seed + row)[1]["game_number"]]
        numbers += [single.reset()[1]["game_number"] for _ in range(3)]
        assert [numbers_of_rows[row] for numbers_of_rows in rows] == numbers
        assert len(set(numbers)) == 4


def test_seeds_may_be_a_list_with_none_for_rows_that_go_on() -> None:
    envs, others = make_native(3), make_native(3)
    envs.reset(seed=[5, 0, 9])
    others.reset(seed=[5, 0, 9])
    first = envs.reset(seed=[5, None, 0])[1]["game_number"]
    going_on = others.reset()[1]["game_number"]
    assert first[1] == going_on[1]
    assert first[0] == make_native(1).reset(seed=5)[1]["game_number"][0]
    assert first[2] == make_native(1).reset(seed=0)[1]["game_number"][0]
    assert envs.np_random_seed == (5, 0, 0)


def test_unseeded_envs_differ_and_global_seeds_do_nothing() -> None:
    numbers = []
    for _ in range(2):
        np.random.seed(3)
        numbers.append(make_native(4).reset()[1]["game_number"].tolist())
    assert len({number for row in numbers for number in row}) == 8


def test_training_games_are_never_those_kept_for_evaluation() -> None:
    envs = make_native(500)
    assert min(min(numbers) for numbers in game_numbers(envs, 4)) >= 2_000_000


def test_random_streams_are_those_of_the_model() -> None:
    pair = SideBySide(3, AutoresetMode.NEXT_STEP)
    pair.reset(seed=4)
    pair.reset()
    assert pair.native.np_random_seed == pair.model.np_random_seed == (4, 5, 6)
    for ours, theirs in zip(pair.native.np_random, pair.model.np_random, strict=True):
        assert ours.bit_generator.state == theirs.bit_generator.state
        assert ours.spawn(1)[0].random() == theirs.spawn(1)[0].random()
        assert ours.random() == theirs.random()
    pair.reset()


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_reset_mask_resets_some_rows_and_is_left_in_the_options(mode: AutoresetMode) -> None:
    pair = SideBySide(4, mode, max_episode_steps=30)
    pair.reset(seed=2)
    rng = np.random.default_rng(1)
    mask = np.array([False, True, True, False])
    options = {"reset_mask": mask, "code": "KL1-D3V-AAAAAAG"}
    for _ in range(8):
        for _ in range(6):
            pair.step(choose_actions(pair.masks, rng))
        info = pair.reset(options=options, seed=9)
        assert info["_score"].tolist() == mask.tolist()
        assert info["score"].tolist() == [0, -52, -52, 0]
    assert list(options) == ["reset_mask", "code"]
    assert options["reset_mask"] is mask


def test_a_code_brings_its_mode_to_its_row_for_one_game() -> None:
    envs = make_native(3, rules="D1N", max_episode_steps=1)
    codes = ["KL1-D1N-AAAAAAG", "KL1-D3V-AAAAAAG", "KL1-D1V-AAAAAAG"]
    info = envs.reset(seed=0, options={"code": codes})[1]
    assert info["score"].tolist() == [0, -52, -52]
    assert info["game_number"].tolist() == [6, 6, 6]
    assert [envs.game(row).rules.name for row in range(3)] == ["D1N", "D3V", "D1V"]
    for _ in range(2):
        envs.step(np.zeros(3, np.int64))
    assert [envs.game(row).rules.name for row in range(3)] == ["D1N"] * 3


def test_decks_and_numbers_may_be_one_or_a_list() -> None:
    envs = make_native(2)
    deck = Game.from_deck(CASE_DECKS["A"]).deal.cards
    for value in (CASE_DECKS["A"], [CASE_DECKS["A"], CASE_DECKS["A"]], list(deck), [list(deck)] * 2):
        info = envs.reset(options={"deck": value})[1]
        assert info["game_number"].tolist() == [-1, -1]
        assert envs.game(1).deck is None
        assert envs.game(1).column(1) == Game.from_deck(CASE_DECKS["A"]).column(1)
    assert envs.reset(options={"number": 6})[1]["game_number"].tolist() == [6, 6]
    assert envs.reset(options={"number": np.array([6, 8])})[1]["game_number"].tolist() == [6, 8]


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
@pytest.mark.parametrize("rows", [1, 3, 4])
def test_a_queue_is_played_to_its_end_each_code_once(rows: int, mode: AutoresetMode) -> None:
    envs = make_native(rows, autoreset_mode=mode, max_episode_steps=25)
    info = envs.reset(options={"code": CODES})[1]
    numbers, scores = info["game_number"].copy(), {}
    while not envs.idle_rows.all():
        # What is played depends on the game alone, so that scores can be compared.
        actions = [int(np.flatnonzero(mask)[-1]) for mask in info["action_mask"]]
        _, rewards, terminations, truncations, info = envs.step(np.array(actions))
        ended = info.get("final_info", info)
        for row in np.flatnonzero(terminations | truncations):
            assert ended["_score"][row]
            assert numbers[row] not in scores
            scores[int(numbers[row])] = int(ended["score"][row])
        shown = info["_game_number"]
        numbers[shown] = info["game_number"][shown]
        idle = envs.idle_rows
        assert (shown == ~idle).all()
        assert not rewards[idle & ~(terminations | truncations)].any()
    assert sorted(scores) == list(range(11))
    observations, rewards, terminations, truncations, info = envs.step(np.full(rows, 85))
    assert not any(values.any() for values in (terminations, truncations, rewards, info["_score"]))
    assert observations in envs.observation_space
    reference = make_native(11, max_episode_steps=25)
    info = reference.reset(options={"code": CODES})[1]
    for _ in range(25):
        info = reference.step(np.array([int(np.flatnonzero(mask)[-1]) for mask in info["action_mask"]]))[4]
    assert list(dict(sorted(scores.items())).values()) == info["score"].tolist()
    envs.reset(seed=0)
    assert not envs.idle_rows.any()


def test_a_queue_ends_with_the_next_reset_of_all_rows() -> None:
    envs = make_native(2, max_episode_steps=1)
    envs.reset(seed=0, options={"code": CODES})
    with pytest.raises(OptionError, match="queue"):
        envs.reset(options={"reset_mask": np.array([True, False])})
    envs.reset()
    envs.step(np.zeros(2, np.int64))
    assert envs.step(np.zeros(2, np.int64))[4]["game_number"].min() >= 2_000_000


WRONG_ARGUMENTS: list[tuple[dict[str, Any], str]] = [
    ({"num_envs": 0}, "num_envs is 0"),
    ({"num_envs": 2.5}, "num_envs is 2.5"),
    ({"num_envs": True}, "num_envs is True"),
    ({"max_episode_steps": 0}, "max_episode_steps is 0"),
    ({"threads": 0}, "threads is 0"),
    ({"copy": "yes"}, "copy is 'yes'"),
    ({"autoreset_mode": "never"}, "autoreset_mode is 'never'"),
    ({"render_mode": "human"}, "render_mode is 'human'"),
    ({"rules": "D9N"}, "'D9N' is no rule set"),
    ({"information": "most"}, "information is 'most'"),
    ({"code": "KL1-D1N-A"}, "1 letters"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG_ARGUMENTS)
def test_wrong_arguments_are_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(KlondikeError, match=message):
        KlondikeVectorEnv(**arguments)


WRONG_OPTIONS: list[tuple[dict[str, Any], str]] = [
    ({"cod": 1}, "option 'cod' does not exist"),
    ({"code": CODES[0], "number": 6}, "code and number both name a deal"),
    ({"code": CODES[:2]}, "2 entries for 3 rows: row 2 has none"),
    ({"code": []}, "0 entries for 3 rows: row 0 has none"),
    ({"code": [CODES[0], "KL1-D1N-AAAAA", CODES[0]]}, "row 1.*5 letters"),
    ({"code": [*CODES[:4], "KL2"]}, r"entry 4 \(queued after row 2\)"),
    ({"number": [0, 1, -1]}, "row 2.*-1"),
    ({"deck": [CASE_DECKS["A"], "4S", CASE_DECKS["A"]]}, "row 1"),
    ({"reset_mask": [True, False, True]}, "reset_mask is 'list'"),
    ({"reset_mask": np.array([1, 0, 1])}, "array of int64"),
    ({"reset_mask": np.array([True, False])}, r"shape \(2,\).*row 2 has none"),
    ({"reset_mask": np.ones(5, bool)}, r"shape \(5,\).*entry 3 has no row"),
    ({"reset_mask": np.ones((3, 1), bool)}, r"shape \(3, 1\)"),
    ({"reset_mask": np.zeros(3, bool)}, "False for every row, 0 to 2"),
    ({"reset_mask": np.ones(3, bool), "code": CODES}, "queue cannot be given together"),
]


@pytest.mark.parametrize(("options", "message"), WRONG_OPTIONS)
def test_wrong_options_are_named_and_change_nothing(options: dict[str, Any], message: str) -> None:
    envs = make_native(3)
    envs.reset(seed=1)
    twin = copy.deepcopy(envs)
    given = dict(options)
    with pytest.raises(KlondikeError, match=message):
        envs.reset(seed=4, options=options)
    assert_same(envs.step(np.zeros(3, np.int64)), twin.step(np.zeros(3, np.int64)))
    assert_same(envs.reset(), twin.reset())
    assert options == given


@pytest.mark.parametrize(
    ("seed", "message"),
    [
        ([1, 2], "row 2 has none"),
        ([1, 2, 3, 4], "entry 3 has no row"),
        ([1, -2, 3], "row 1: seed is -2"),
        (-1, "-1"),
        ("a", "'a'"),
    ],
)
def test_wrong_seeds_name_the_row(seed: Any, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        make_native(3).reset(seed=seed)


WRONG_ACTIONS: list[tuple[Any, str]] = [
    ([0, 0], "row 2 has none"),
    ([0, 0, 0, 0], "entry 3 belongs to no row"),
    (0, r"shape \(\)"),
    (np.zeros((3, 1), np.int64), r"shape \(3, 1\)"),
    ([0.0, 1.0, 2.0], "float64"),
    ([True, False, True], "bool"),
    ([0, 86, 0], "row 1: action 86"),
    ([0, 0, -1], "row 2: action -1"),
    (np.array([0, 0, 2**64 - 1], np.uint64), "row 2: action 18446744073709551615"),
]


@pytest.mark.parametrize(("actions", "message"), WRONG_ACTIONS)
def test_wrong_actions_name_the_row_and_step_no_row(actions: Any, message: str) -> None:
    envs = make_native(3)
    envs.reset(seed=1)
    before = notations(envs)
    with pytest.raises(ActionError, match=message):
        envs.step(actions)
    assert notations(envs) == before


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint64])
def test_actions_may_be_whole_numbers_of_any_dtype(dtype: Any) -> None:
    envs, twin = make_native(3), make_native(3)
    info = envs.reset(seed=1)[1]
    twin.reset(seed=1)
    actions = choose_actions(info["action_mask"], np.random.default_rng(0))
    assert_same(envs.step(actions.astype(dtype)), twin.step(actions.tolist()))


def test_an_illegal_action_may_raise_and_names_the_row() -> None:
    envs = make_native(2, illegal_action="raise")
    envs.reset(options={"deck": CASE_DECKS["M"]})
    before = notations(envs)
    with pytest.raises(IllegalActionError, match=r"row 1: action 1 \(waste to foundation\) is not legal"):
        envs.step([67, 1])
    assert notations(envs) == before


def test_the_action_of_a_row_that_resets_is_ignored() -> None:
    envs = make_native(1, max_episode_steps=1, illegal_action="raise")
    envs.reset(seed=0)
    envs.step([0])
    _, rewards, _, _, info = envs.step([1000])
    assert rewards[0] == 0
    assert "illegal_action" not in info


def test_steps_before_a_reset_and_after_an_end_are_errors() -> None:
    envs = make_native(2, autoreset_mode=AutoresetMode.DISABLED, max_episode_steps=2)
    with pytest.raises(EpisodeError, match="no game has started in row 0"):
        envs.step([0, 0])
    with pytest.raises(EpisodeError, match="leaves out row 1"):
        envs.reset(options={"reset_mask": np.array([True, False])})
    envs.reset(seed=0)
    envs.step([0, 0])
    envs.reset(options={"reset_mask": np.array([True, False])})
    envs.step([0, 0])
    with pytest.raises(EpisodeError, match="row 1: the episode has ended"):
        envs.step([0, 0])
    with pytest.raises(OptionError, match="do not reset by themselves"):
        envs.reset(options={"code": CODES})


@pytest.mark.parametrize("options", [[], "", 5, "abc"])
def test_options_are_none_or_a_dict(options: Any) -> None:
    with pytest.raises(OptionError, match="it must be None or a dict"):
        make_native(3).reset(options=options)


def test_a_number_may_be_an_array_without_axes() -> None:
    envs = make_native(3)
    _, info = envs.reset(options={"number": np.array(5)})
    assert info["game_number"].tolist() == [5, 5, 5]


def test_rows_of_a_queue_that_is_over_are_reset_all_together() -> None:
    envs = make_native(3, max_episode_steps=1, autoreset_mode="SameStep")
    envs.reset(options={"number": [1, 2, 3, 4]})
    for _ in range(2):
        envs.step([0] * 3)
    assert envs.idle_rows.all()
    with pytest.raises(OptionError, match="has been played to its end; reset all rows"):
        envs.reset(options={"reset_mask": np.array([False, True, False])})
    envs.reset()
    assert not envs.idle_rows.any()


def test_wrong_rows_and_ragged_actions_name_the_row() -> None:
    envs = make_native(3)
    with pytest.raises(EpisodeError, match="no game has started in row 1"):
        envs.game(1)
    envs.reset(seed=0)
    for row in (3, -1, "a"):
        with pytest.raises(OptionError, match="rows are 0 to 2"):
            envs.game(row)  # type: ignore[arg-type]
    with pytest.raises(ActionError, match="row 1: the action is a list"):
        envs.step([0, [0, 1], 0])  # type: ignore[list-item]
    with pytest.raises(OptionError, match="max_episode_steps is 9223372036854775808"):
        make_native(3, max_episode_steps=2**63)
