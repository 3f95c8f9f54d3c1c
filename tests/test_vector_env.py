"""The native vector env equals ``SyncVectorEnv`` over the single env, and hands out arrays as it says."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from golden import read_json_lines
from gymnasium.vector import AutoresetMode, VectorEnv
from oracle.positions import CASE_DECKS
from vector_checks import SideBySide, choose_actions, make_native, make_sync

from klondike_env import RULE_SETS, Game
from klondike_env.env import KlondikeEnv
from klondike_env.planes import FACE_UP, ON_FOUNDATION
from klondike_env.vector_env import KlondikeVectorEnv

MODES = list(AutoresetMode)


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("rules", RULE_SETS)
def test_equals_sync_vector_env(rules: str, mode: AutoresetMode) -> None:
    """1,000 steps x 32 rows; a low step limit and some illegal actions bring every kind of end."""
    pair = SideBySide(32, mode, rules=rules, max_episode_steps=70)
    pair.reset(seed=11)
    rng = np.random.default_rng(3)
    for _ in range(1000):
        pair.step(choose_actions(pair.masks, rng, illegal_share=0.02))
    assert pair.ends > 300


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "arguments",
    [
        {"information": "visible", "reward": "table"},
        {"information": "full", "reward": "win", "squared": True},
        {"squared": True, "draw": 2, "passes": 2, "scoring": "vegas", "fan": False},
        {"code": "KL1-D3V-AAAAAAG"},
    ],
)
@pytest.mark.parametrize("copy", [True, False])
def test_equals_sync_vector_env_with_arguments(arguments: dict[str, Any], mode: AutoresetMode, copy: bool) -> None:
    pair = SideBySide(5, mode, native={"copy": copy, "threads": 2}, max_episode_steps=40, **arguments)
    pair.reset(seed=0)
    rng = np.random.default_rng(4)
    for _ in range(120):
        pair.step(choose_actions(pair.masks, rng, illegal_share=0.02))
    pair.reset()
    assert pair.ends > 5


@pytest.mark.parametrize("mode", MODES)
def test_equals_sync_vector_env_in_won_games(mode: AutoresetMode) -> None:
    """Rows play proven solutions to the last card; the final observation shows the won game, not the next."""
    games = [game for game in read_json_lines("oracle_d3.jsonl") if 0 < len(game.get("actions", ())) < 130][:6]
    assert len(games) == 6
    pair = SideBySide(1, mode, rules="D3N", max_episode_steps=130)
    for game in games:
        pair.reset(seed=1, options={"deck": game["deck"]})
        for action in game["actions"]:
            observations, _, terminations, _, info = pair.step(np.array([action]))
        assert terminations[0]
        ended = info if mode is not AutoresetMode.SAME_STEP else info["final_info"]
        final = observations[0] if mode is not AutoresetMode.SAME_STEP else info["final_obs"][0]
        assert ended["won"][0]
        assert ended["score"][0] == game["normal_score"]
        assert final[ON_FOUNDATION].all()
        assert ended["action_mask"].all()


def test_a_win_on_the_last_allowed_step_is_both() -> None:
    game = next(game for game in read_json_lines("oracle_d3.jsonl") if game.get("actions"))
    pair = SideBySide(1, AutoresetMode.NEXT_STEP, rules="D3N", max_episode_steps=len(game["actions"]))
    pair.reset(options={"deck": game["deck"]})
    for action in game["actions"]:
        result = pair.step(np.array([action]))
    assert (result[2][0], result[3][0], result[4]["won"][0]) == (True, True, True)


def test_a_game_lost_from_the_deal_ends_at_its_first_step() -> None:
    """Such a game begins as any other, and its end counts once."""
    pair = SideBySide(3, AutoresetMode.NEXT_STEP, rules="D3V")
    pair.reset(seed=0)
    for number in (95, 223, 1114):
        assert Game.from_number(number, "D3V").is_lost
        info = pair.reset(options={"number": number})
        assert "won" not in info
        terminations, info = pair.step(choose_actions(pair.masks, np.random.default_rng(0)))[2::2]
        assert terminations.all()
        assert not info["won"].any()
        assert not pair.step(np.zeros(3, np.int64))[2].any()


def test_the_mask_of_a_step_knows_the_card_uncovered_by_it() -> None:
    """Case 9: 6H goes on 7C, the ace of diamonds turns up and may be played at once."""
    envs = make_native(2)
    envs.reset(options={"deck": [CASE_DECKS["M"], CASE_DECKS["A"]]})
    observations, _, _, _, info = envs.step(np.array([67, 9]))
    assert set(np.flatnonzero(info["action_mask"][0])) == {0, 12, 49, 51}
    assert info["score"][0] == 5
    assert observations[0, FACE_UP + 3, 2, 0] == 1


@pytest.mark.parametrize("mode", MODES)
def test_arrays_returned_are_new_ones(mode: AutoresetMode) -> None:
    """Case 23: what 50 steps returned is unchanged 100 steps and a reset later, and no two arrays share memory."""
    envs = make_native(4, autoreset_mode=mode, max_episode_steps=20)
    info = envs.reset(seed=1)[1]
    rng = np.random.default_rng(0)
    masks = info["action_mask"].copy()
    kept: list[tuple[np.ndarray[Any, Any], bytes]] = []

    def keep(value: Any) -> None:
        if isinstance(value, dict):
            for item in value.values():
                keep(item)
        elif isinstance(value, np.ndarray) and value.dtype == object:
            for item in value:
                keep(item)
        elif isinstance(value, np.ndarray):
            kept.append((value, value.tobytes()))

    for step in range(150):
        result = envs.step(choose_actions(masks, rng))
        masks = result[4]["action_mask"].copy()
        if step < 50:
            for part in result:
                keep(part)
        over = result[2] | result[3]
        if mode is AutoresetMode.DISABLED and over.any():
            masks[over] = envs.reset(options={"reset_mask": over})[1]["action_mask"][over]
    envs.reset()
    assert len(kept) >= 500
    assert all(array.tobytes() == content for array, content in kept)
    last = kept[-12:]
    assert not any(np.shares_memory(a, b) for i, (a, _) in enumerate(last) for b, _ in last[:i])


def test_without_copies_the_env_returns_its_own_buffers() -> None:
    envs = make_native(3, copy=False, max_episode_steps=10)
    copies = make_native(3, max_episode_steps=10)
    observations, info = envs.reset(seed=5)
    copies.reset(seed=5)
    rng = np.random.default_rng(0)
    masks = info["action_mask"]
    for _ in range(25):
        actions = choose_actions(masks, rng)
        result, expected = envs.step(actions), copies.step(actions)
        assert np.shares_memory(result[0], observations)
        assert result[4]["action_mask"] is envs._buffers.masks
        for ours, theirs in zip(result[:4], expected[:4], strict=True):
            np.testing.assert_array_equal(ours, theirs)
        masks = result[4]["action_mask"]


def test_final_observations_without_copies_are_copies() -> None:
    envs = make_native(2, copy=False, autoreset_mode="SameStep", max_episode_steps=3)
    info = envs.reset(seed=5)[1]
    for _ in range(3):
        observations, _, _, _, info = envs.step(choose_actions(info["action_mask"], np.random.default_rng(0)))
    final = info["final_obs"][0]
    assert not np.shares_memory(final, observations)
    assert final.shape == (37, 4, 13)


def test_spaces_and_metadata_equal_those_of_the_model() -> None:
    envs, model = make_native(3), make_sync(3, AutoresetMode.NEXT_STEP)
    assert envs.single_observation_space == model.single_observation_space
    assert envs.observation_space == model.observation_space
    assert envs.single_action_space == model.single_action_space
    assert envs.action_space == model.action_space
    assert envs.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    observations, info = envs.reset(seed=0)
    assert observations in envs.observation_space
    envs.action_space.seed(0)
    actions = envs.action_space.sample(mask=tuple(info["action_mask"]))
    assert info["action_mask"][np.arange(3), actions].all()


def test_an_env_changes_no_class_metadata() -> None:
    before = [dict(cls.metadata) for cls in (VectorEnv, KlondikeVectorEnv, KlondikeEnv)]
    make_native(1, autoreset_mode=AutoresetMode.DISABLED)
    make_native(1, autoreset_mode="SAME_STEP")
    assert [dict(cls.metadata) for cls in (VectorEnv, KlondikeVectorEnv, KlondikeEnv)] == before
    assert "autoreset_mode" not in KlondikeVectorEnv.metadata


def test_make_vec_makes_the_native_env_with_the_registered_step_limit() -> None:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        envs = gym.make_vec("klondike_env:Klondike-v0", num_envs=2, rules="D3N", passes=3)
    assert isinstance(envs, KlondikeVectorEnv)
    assert envs.spec is not None
    assert envs.spec.kwargs["max_episode_steps"] == 500
    assert envs.rules.name == "D3N,passes=3"


def test_without_step_limit_nothing_is_truncated() -> None:
    for limit in (None, -1):
        envs = make_native(1, max_episode_steps=limit)
        envs.reset(options={"code": "KL1-D1N-AAAAAAG"})
        for _ in range(1200):
            _, _, terminations, truncations, _ = envs.step(np.zeros(1, np.int64))
            assert not truncations[0]
            assert not terminations[0]


def test_text_rendering_gives_one_board_a_row() -> None:
    envs = make_native(2, render_mode="ansi")
    envs.reset(options={"number": [6, 7]})
    single = gym.make("klondike_env:Klondike-v0", render_mode="ansi")
    single.reset(options={"number": 7})
    texts = envs.render()
    assert len(texts) == 2
    assert texts[1] == single.render()
    with pytest.warns(UserWarning, match="render mode"):
        assert make_native(1).render() is None


def test_action_masks_and_game_show_a_row() -> None:
    envs = make_native(2)
    info = envs.reset(options={"number": [6, 7]})[1]
    np.testing.assert_array_equal(envs.action_masks(), info["action_mask"].astype(bool))
    game = envs.game(1)
    assert game.game_number == 7
    game.play(game.legal_actions()[0])
    np.testing.assert_array_equal(envs.action_masks(), info["action_mask"].astype(bool))
