"""``KlondikeVecEnv`` does what ``DummyVecEnv`` over the single env does, and MaskablePPO learns with it."""

import os
from collections.abc import Iterator
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch
from klondike_agents.sb3_vec_env import KlondikeVecEnv
from oracle.positions import CASE_DECKS
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv, VecMonitor
from vector_checks import assert_same, choose_actions

from klondike_env.errors import OptionError


@pytest.fixture(autouse=True)
def one_torch_thread() -> Iterator[None]:
    """Torch's threads and this machine's few cores do not get on."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def make_single() -> gym.Env[Any, Any]:
    """Make the single env that the adapter stands for."""
    return gym.make("klondike_env:Klondike-v0", rules="D3N", disable_env_checker=True, max_episode_steps=30)


def test_equals_dummy_vec_env_step_for_step() -> None:
    ours, theirs = KlondikeVecEnv(4, rules="D3N", max_episode_steps=30), DummyVecEnv([make_single] * 4)
    assert ours.seed(3) == theirs.seed(3)
    np.testing.assert_array_equal(ours.reset(), theirs.reset())
    assert_same(ours.reset_infos, theirs.reset_infos)
    rng = np.random.default_rng(0)
    dones = 0
    for _ in range(200):
        masks = get_action_masks(ours)
        np.testing.assert_array_equal(masks, get_action_masks(theirs))
        actions = choose_actions(masks.astype(np.int8), rng, illegal_share=0.05)
        result, expected = ours.step(actions), theirs.step(actions)
        for mine, model in zip(result[:3], expected[:3], strict=True):
            assert_same(mine, model)
        assert_same(ours.reset_infos, theirs.reset_infos)
        for mine, model in zip(result[3], expected[3], strict=True):
            assert_same(mine, model)
            assert all(type(mine[key]) is type(value) for key, value in model.items())
        dones += int(result[2].sum())
    assert dones > 20


def test_the_mask_knows_the_card_uncovered_by_the_step() -> None:
    """Case 9, as a training library sees it."""
    envs = KlondikeVecEnv(2)
    envs.set_options({"deck": CASE_DECKS["M"]})
    envs.reset()
    infos = envs.step(np.array([67, 0]))[3]
    assert set(np.flatnonzero(get_action_masks(envs)[0])) == {0, 12, 49, 51}
    assert set(np.flatnonzero(infos[0]["action_mask"])) == {0, 12, 49, 51}


def test_options_differ_by_row_and_last_for_one_reset() -> None:
    envs = KlondikeVecEnv(2)
    envs.set_options([{"code": "KL1-D1N-AAAAAAG"}, {"code": "KL1-D3V-AAAAAAH"}])
    envs.reset()
    assert [info["game_number"] for info in envs.reset_infos] == [6, 7]
    envs.reset()
    assert min(info["game_number"] for info in envs.reset_infos) >= 2_000_000
    envs.set_options([{"code": "KL1-D1N-AAAAAAG"}, {}])
    with pytest.raises(OptionError, match="row 1"):
        envs.reset()


def test_masks_are_found_by_every_way_of_the_library() -> None:
    envs = KlondikeVecEnv(3)
    envs.reset()
    assert is_masking_supported(envs)
    assert is_masking_supported(VecMonitor(envs))
    masks = get_action_masks(envs)
    assert (masks.shape, masks.dtype) == ((3, 86), np.dtype(bool))
    np.testing.assert_array_equal(envs.action_masks(), masks)
    np.testing.assert_array_equal(envs.env_method("action_masks", indices=[1])[0], masks[1])
    np.testing.assert_array_equal(envs.get_attr("action_masks", indices=2)[0](), masks[2])


def test_attributes_and_methods() -> None:
    envs = KlondikeVecEnv(2, rules="D3N", render_mode="ansi")
    envs.reset()
    assert envs.render_mode == "ansi"
    assert [rules.name for rules in envs.get_attr("rules")] == ["D3N", "D3N"]
    assert "stock" in envs.env_method("render", indices=1)[0].lower()
    assert envs.env_is_wrapped(Monitor) == [False, False]
    assert not envs.has_attr("nonsense")
    with pytest.raises(AttributeError, match="nonsense"):
        envs.env_method("nonsense")
    with pytest.raises(AttributeError, match="share"):
        envs.set_attr("rules", None)
    with pytest.raises(OptionError, match="copy cannot be chosen"):
        KlondikeVecEnv(2, copy=False)
    envs.close()


def test_vec_monitor_counts_whole_episodes() -> None:
    envs = VecMonitor(KlondikeVecEnv(3, max_episode_steps=12), info_keywords=("score",))
    envs.reset()
    episodes = []
    totals = np.zeros(3)
    rng = np.random.default_rng(0)
    for _ in range(40):
        _, rewards, dones, infos = envs.step(choose_actions(get_action_masks(envs).astype(np.int8), rng))
        totals += rewards
        for row in np.flatnonzero(dones):
            episodes.append(infos[row]["episode"])
            assert infos[row]["episode"]["r"] == totals[row]
            assert infos[row]["terminal_observation"].shape == (37, 4, 13)
            assert infos[row]["TimeLimit.truncated"]
            totals[row] = 0
    assert [episode["l"] for episode in episodes] == [12] * 9


class IllegalActions(BaseCallback):
    """Counts illegal actions and episodes."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0
        self.episodes = 0

    def _on_step(self) -> bool:
        for info in self.locals["infos"]:
            self.count += bool(info.get("illegal_action", False))
            self.episodes += "terminal_observation" in info
        return True


def train(envs: Any, steps: int) -> tuple[MaskablePPO, IllegalActions]:
    """Train for some steps and count illegal actions on the way."""
    model = MaskablePPO(
        "MlpPolicy",
        envs,
        n_steps=128,
        batch_size=256,
        n_epochs=2,
        seed=0,
        device="cpu",
        policy_kwargs={"net_arch": [32]},
    )
    callback = IllegalActions()
    model.learn(steps, callback=callback)
    return model, callback


def test_maskable_ppo_takes_no_illegal_action() -> None:
    """Case 26, in short: rows reset, are truncated, and lose at the first step."""
    envs = VecMonitor(KlondikeVecEnv(8, rules="D3V", max_episode_steps=40))
    model, callback = train(envs, 8_000)
    assert callback.count == 0
    assert callback.episodes > 100
    rewards, lengths = evaluate_policy(model, envs, n_eval_episodes=6, return_episode_rewards=True)
    assert len(rewards) == 6
    assert max(lengths) <= 40
    observations = envs.reset()
    masks = get_action_masks(envs)
    actions, _ = model.predict(observations, action_masks=masks)
    assert masks[np.arange(8), actions].all()


@pytest.mark.slow
@pytest.mark.parametrize("adapter", ["native", "subprocesses"])
def test_maskable_ppo_takes_no_illegal_action_for_long(adapter: str) -> None:
    """Case 26; set ``KLONDIKE_LONG_TRAINING=350000`` for its full length, which takes many minutes."""
    steps = int(os.environ.get("KLONDIKE_LONG_TRAINING", "30000" if adapter == "native" else "4000"))
    envs = (
        KlondikeVecEnv(8, rules="D3N", max_episode_steps=30)
        if adapter == "native"
        else SubprocVecEnv([make_single] * 8)
    )
    try:
        _, callback = train(envs, steps)
    finally:
        envs.close()
    assert callback.count == 0
    assert callback.episodes > steps / 60


def test_rows_have_attributes_of_their_own() -> None:
    env = KlondikeVecEnv(num_envs=3, rules="D3N")
    env.seed(5)
    env.reset()
    games = env.get_attr("game")
    assert [game.game_number for game in games] == [info["game_number"] for info in env.reset_infos]
    assert len({id(generator) for generator in env.get_attr("np_random", indices=[0, 2])}) == 2
    assert env.env_method("get_wrapper_attr", "rules") == env.get_attr("rules")
    assert env.get_images() == [None] * 3
    with pytest.raises(AttributeError, match="share their attributes"):
        env.set_attr("rules", "D1N")
