"""The examples run as they stand, with little to do."""

import runpy
import subprocess
import sys
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
ARGUMENTS = {
    "cleanrl_style_ppo.py": ["--steps", "2048", "--num-envs", "2", "--games", "8"],
    "maskable_ppo.py": ["2048"],
    "own_agent.py": [],
    "search_one_position.py": ["--simulations", "32"],
    "torchrl_ppo.py": ["--steps", "4096", "--num-envs", "4"],
    "train_maskable_ppo.py": ["--steps", "2048", "--games", "2"],
}
EXPECTED = {
    "cleanrl_style_ppo.py": "of 8 games won",
    "maskable_ppo.py": "mean return",
    "own_agent.py": "of 104 games won",
    "search_one_position.py": "column 7 to column 3",
    "torchrl_ppo.py": "mean return",
    "train_maskable_ppo.py": "over 2 games",
}


def test_every_example_is_tested() -> None:
    assert {path.name for path in EXAMPLES.glob("*.py")} == set(ARGUMENTS)


@pytest.mark.parametrize("name", ARGUMENTS)
def test_example_runs(name: str, tmp_path: Path) -> None:
    command = [sys.executable, str(EXAMPLES / name), *ARGUMENTS[name]]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stderr
    assert EXPECTED[name] in result.stdout


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_torchrl_env_plays_as_the_single_env() -> None:
    """Random legal play through two ends of games in each row."""
    from torchrl.envs import ActionMask, TransformedEnv

    example = runpy.run_path(str(EXAMPLES / "torchrl_ppo.py"))
    env = TransformedEnv(example["KlondikeTorchRLEnv"](2), ActionMask())
    env.set_seed(5)
    steps = env.rollout(1100, break_when_any_done=False)
    assert int(steps["next", "done"].sum()) >= 4
    for row in range(2):
        single = gym.make("klondike_env:Klondike-v0")
        observation, info = single.reset(seed=5 + row)
        for step in steps[row]:
            np.testing.assert_array_equal(observation, step["observation"].numpy())
            np.testing.assert_array_equal(info["action_mask"], step["action_mask"].numpy())
            observation, reward, terminated, truncated, info = single.step(int(step["action"]))
            shown = [step["next", key].item() for key in ("reward", "terminated", "truncated", "won")]
            assert shown == [reward, terminated, truncated, info.get("won", False)]
            np.testing.assert_array_equal(observation, step["next", "observation"].numpy())
            if terminated or truncated:
                observation, info = single.reset()
