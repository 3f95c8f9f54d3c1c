"""MaskablePPO of sb3-contrib on `gym.make`, in twenty lines: `python examples/train_maskable_ppo.py --steps 40000`.

Needs `pip install -e ".[agents]"`. MaskablePPO asks the env for `action_masks()` by itself, so the single env needs no
adapter; `examples/maskable_ppo.py` is the same on the native vector env. Expect about a minute, and a mean return of
about 100 at the end, where random legal play gets -330 (`ep_rew_mean` counts in hundreds).
"""

import argparse

import gymnasium as gym
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--steps", type=int, default=40_000)
parser.add_argument("--games", type=int, default=20, help="games of the evaluation")
arguments = parser.parse_args()
torch.set_num_threads(1)  # Small networks are slower on several threads.

# An illegal action raises, so that a slip with the masks would show at once.
env = gym.make("klondike_env:Klondike-v0", rules="D1N", illegal_action="raise")
env = gym.wrappers.TransformReward(env, lambda reward: float(reward) / 100)
model = MaskablePPO("MlpPolicy", env, n_steps=2048, batch_size=256, learning_rate=7e-4, seed=0, device="cpu", verbose=1)
model.learn(total_timesteps=arguments.steps)

# Masked evaluation: the plain evaluate_policy of Stable-Baselines3 would play illegal actions.
test_env = gym.make("klondike_env:Klondike-v0", rules="D1N")
mean, deviation = evaluate_policy(model, test_env, n_eval_episodes=arguments.games, deterministic=False, warn=False)
print(f"mean return {mean:.1f} over {arguments.games} games, standard deviation {deviation:.1f}")
