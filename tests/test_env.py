"""The env: checkers, determinism, ends, illegal actions and a masked learner."""

import json
import warnings
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from golden import read_json_lines
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import FlattenObservation

from klondike_env import RULE_SETS, Game, make_rules
from klondike_env.env import KlondikeEnv
from klondike_env.errors import (
    ActionError,
    EpisodeError,
    IllegalActionError,
)
from klondike_env.observation import INFORMATION
from klondike_env.registration import ENV_ID, STEP_LIMIT

CODE = "KL1-D3N-AAAAAAG"
LOST_FROM_THE_DEAL = (95, 223)
"""Game numbers that are lost at the deal under D3N."""


def win() -> dict[str, Any]:
    """Return a deck with actions that win it at draw 3."""
    return next(line for line in read_json_lines("oracle_d3.jsonl") if line.get("actions"))


# Checkers


@pytest.mark.parametrize("information", INFORMATION)
@pytest.mark.parametrize("rules", RULE_SETS)
def test_gymnasium_finds_nothing_to_warn_about(rules: str, information: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gym.make(ENV_ID, rules=rules, information=information).unwrapped)


@pytest.mark.parametrize("information", INFORMATION)
@pytest.mark.parametrize("rules", RULE_SETS)
def test_stable_baselines_warns_only_of_what_it_takes_for_an_image(rules: str, information: str) -> None:
    check_sb3_env = pytest.importorskip("stable_baselines3.common.env_checker").check_env
    env = gym.make(ENV_ID, rules=rules, information=information).unwrapped
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_sb3_env(FlattenObservation(env))
        # It takes every observation of three axes for an image; planes of cards are none.
        warnings.filterwarnings("ignore", message=".*image")
        check_sb3_env(env)


@pytest.mark.parametrize("options", [{"squared": True}, {"reward": "win"}, {"reward": "table"}, {"code": CODE}])
def test_the_checker_accepts_the_other_arguments(options: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gym.make(ENV_ID, **options).unwrapped)


# Determinism and specs


@pytest.mark.parametrize("rules", RULE_SETS)
def test_two_envs_with_one_seed_are_alike_for_a_thousand_steps(rules: str) -> None:
    envs = [gym.make(ENV_ID, rules=rules) for _ in range(2)]
    rng = np.random.default_rng(3)
    results: list[Any] = [env.reset(seed=0) for env in envs]
    episodes = 1
    for _ in range(1000):
        (observation, *flags, info), (other_observation, *other_flags, other_info) = results
        assert envs[0].observation_space.contains(observation)
        assert observation.tobytes() == other_observation.tobytes()
        mask = info.pop("action_mask")
        assert mask.tobytes() == other_info.pop("action_mask").tobytes()
        assert (flags, info) == (other_flags, other_info)
        if any(flags[1:]):
            episodes += 1
            results = [env.reset() for env in envs]
        else:
            action = int(rng.choice(np.flatnonzero(mask)))
            results = [env.step(action) for env in envs]
    assert episodes > 1


def test_a_spec_comes_back_from_json() -> None:
    arguments = {"rules": "D3N", "passes": 3, "take_back": False, "information": "visible", "squared": True}
    arguments |= {"reward": "win", "illegal_action": "raise", "code": "KL1-D3N-AAAAAAG"}
    env = gym.make(ENV_ID, max_episode_steps=77, **arguments)
    assert env.spec is not None
    spec = EnvSpec.from_json(env.spec.to_json())
    assert json.loads(env.spec.to_json())["kwargs"] == arguments
    again = gym.make(spec)
    assert again.spec == env.spec
    assert again.unwrapped.rules == env.unwrapped.rules == make_rules("D3N", passes=3, take_back=False)
    assert (again.reset(seed=1)[0] == env.reset(seed=1)[0]).all()


def test_what_step_and_reset_return_has_the_plain_types() -> None:
    env = KlondikeEnv()
    observation, info = env.reset(seed=0)
    assert {key: type(value) for key, value in info.items()} == {
        "action_mask": np.ndarray,
        "score": int,
        "game_number": int,
    }
    for action in (int(np.flatnonzero(info["action_mask"])[0]), 16):
        observation, reward, terminated, truncated, info = env.step(action)
        assert (type(reward), type(terminated), type(truncated)) == (float, bool, bool)
        assert (info["action_mask"].dtype, info["action_mask"].shape) == (np.int8, (86,))
        assert (observation.dtype, observation.shape) == (np.int8, (37, 4, 13))
    assert info["illegal_action"] is True
    masks = env.action_masks()
    assert (masks.dtype, masks.shape) == (np.bool_, (86,))
    assert (masks == info["action_mask"]).all()
    masks[:] = True
    assert not env.action_masks().all()


# Ends


def test_the_step_limit_truncates() -> None:
    env = gym.make(ENV_ID)
    env.reset(seed=0)
    for step in range(1, STEP_LIMIT + 1):
        _, _, terminated, truncated, info = env.step(0)
        assert not terminated
        assert truncated == (step == STEP_LIMIT)
    assert "won" not in info
    assert (info["action_mask"] == env.unwrapped.game.action_mask()).all()
    assert STEP_LIMIT == 500


def test_a_win_on_the_last_allowed_step_is_both() -> None:
    line = win()
    env = gym.make(ENV_ID, rules="D3N", max_episode_steps=len(line["actions"]))
    env.reset(options={"deck": line["deck"]})
    for action in line["actions"]:
        _, _, terminated, truncated, info = env.step(action)
    assert (terminated, truncated, info["won"]) == (True, True, True)
    assert info["score"] == line["normal_score"]


@pytest.mark.parametrize("reward", ["score", "table", "win"])
@pytest.mark.parametrize("scoring", ["normal", "vegas"])
def test_the_return_of_a_won_episode_is_its_score(reward: str, scoring: str) -> None:
    line = next(line for line in read_json_lines("oracle_d3.jsonl") if line.get("actions") and not line["take_backs"])
    env = KlondikeEnv("D3N", scoring=scoring, reward=reward)
    env.reset(options={"deck": line["deck"]})
    steps = [env.step(action) for action in line["actions"]]
    final = 1 if reward == "win" else line["normal_score"] if scoring == "normal" else 208
    assert sum(step[1] for step in steps) == final
    assert [step[2] for step in steps] == [False] * (len(steps) - 1) + [True]
    if reward == "win":
        assert {step[1] for step in steps[:-1]} == {0.0}


@pytest.mark.parametrize("number", LOST_FROM_THE_DEAL)
@pytest.mark.parametrize("action", [0, 1, 16])
def test_a_game_lost_from_the_deal_ends_at_its_first_step(number: int, action: int) -> None:
    env = KlondikeEnv("D3N")
    _, info = env.reset(options={"number": number})
    assert env.game.is_lost
    assert np.flatnonzero(info["action_mask"]).tolist() == env.game.legal_actions() == [0]
    assert (env.action_masks() == info["action_mask"]).all()
    assert "won" not in info
    _, reward, terminated, truncated, info = env.step(action)
    assert (reward, terminated, truncated, info["won"]) == (0.0, True, False, False)
    assert info["action_mask"].all()
    assert env.action_masks().all()
    assert info.get("illegal_action", False) == (action != 0)
    with pytest.raises(EpisodeError, match=r"^step was called, but the game has ended; call reset\(\) first$"):
        env.step(0)
    env.reset()
    assert not env.action_masks().all()


@pytest.mark.parametrize(("action", "reward"), [(0, -52.0), (1, -52.0)])
def test_a_vegas_game_lost_from_the_deal_pays_the_stake(action: int, reward: float) -> None:
    number = next(number for number in range(3000) if Game.from_number(number, "D3V").is_lost)
    env = KlondikeEnv("D3V")
    env.reset(options={"number": number})
    _, paid, terminated, _, info = env.step(action)
    assert (paid, terminated, info["score"]) == (reward, True, -52)


def test_no_step_before_reset() -> None:
    env = KlondikeEnv()
    for early in (lambda: env.step(0), lambda: env.game, env.action_masks, env.observation_of_game):
        with pytest.raises(EpisodeError, match=r"no game has started; call reset\(\) first"):
            early()


# Illegal actions


@pytest.mark.parametrize("wrapped", [False, True])
def test_an_illegal_action_changes_nothing_and_pays_nothing(wrapped: bool) -> None:
    env: Any = gym.make(ENV_ID, rules="D1V") if wrapped else KlondikeEnv("D1V")
    observation, info = env.reset(options={"number": 6})
    game = env.unwrapped.game
    notation = game.notation
    for action in np.flatnonzero(info["action_mask"] == 0):
        shown, reward, terminated, truncated, step_info = env.step(action)
        assert (shown == observation).all()
        assert (reward, terminated, truncated) == (0.0, False, False)
        assert step_info.pop("illegal_action") is True
        assert (step_info.pop("action_mask") == info["action_mask"]).all()
        assert step_info == {"score": -52, "game_number": 6}
    assert (game.notation, game.undo_count) == (notation, 0)
    # The stake is paid by the first move, however many illegal actions came before.
    assert env.step(0)[1] == -52.0
    assert "illegal_action" not in env.step(0)[4]


def test_illegal_actions_count_as_steps() -> None:
    env = gym.make(ENV_ID, max_episode_steps=3)
    env.reset(seed=0)
    assert [env.step(1)[3] for _ in range(3)] == [False, False, True]


def test_illegal_actions_raise_where_that_is_asked_for() -> None:
    env = KlondikeEnv(illegal_action="raise")
    env.reset(options={"number": 6})
    notation = env.game.notation
    with pytest.raises(
        IllegalActionError, match=r"^action 1 \(waste to foundation\) is not legal: the waste is empty$"
    ):
        env.step(1)
    assert env.game.notation == notation
    assert "illegal_action" not in env.step(0)[4]


@pytest.mark.parametrize("mode", ["ignore", "raise"])
@pytest.mark.parametrize("action", [-1, 86, 1000, 0.5, None, "0", np.array([0]), True])
def test_indices_outside_the_space_always_raise(mode: str, action: Any) -> None:
    env = KlondikeEnv(illegal_action=mode)
    env.reset(seed=0)
    notation = env.game.notation
    with pytest.raises(ActionError, match="is outside the action space; it must be a whole number from 0 to 85"):
        env.step(action)
    assert env.game.notation == notation


# A learner


@pytest.mark.slow
def test_masked_ppo_learns_without_an_illegal_action() -> None:
    torch = pytest.importorskip("torch")
    from sb3_contrib import MaskablePPO

    torch.set_num_threads(1)
    env = KlondikeEnv("D3N", illegal_action="raise")
    model = MaskablePPO("MlpPolicy", env, n_steps=128, batch_size=64, n_epochs=1, seed=0, device="cpu")
    model.learn(256)
    assert model.num_timesteps == 256
    observation, info = env.reset(seed=1)
    action, _ = model.predict(observation, action_masks=env.action_masks())
    assert info["action_mask"][int(action)] == 1
