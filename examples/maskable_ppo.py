"""Train MaskablePPO of sb3-contrib on the native vector env: `python examples/maskable_ppo.py [steps]`.

Needs `pip install -e ".[agents]"`. A plain network learns little in the default 20,000 steps; this shows how the parts
go together.
"""

import sys

import torch
from klondike_agents import KlondikeVecEnv
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from stable_baselines3.common.vec_env import VecMonitor

steps = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
torch.set_num_threads(1)  # Small networks are slower on several threads.

# VecMonitor adds the return and length of each episode to what is logged.
train_env = VecMonitor(KlondikeVecEnv(num_envs=32, rules="D1N"))
model = MaskablePPO("MlpPolicy", train_env, n_steps=64, batch_size=256, seed=0, device="cpu", verbose=1)
model.learn(total_timesteps=steps)

# Masked evaluation: the plain evaluate_policy of Stable-Baselines3 would play illegal actions.
test_env = VecMonitor(KlondikeVecEnv(num_envs=32, rules="D1N"))
mean_return, deviation = evaluate_policy(model, test_env, n_eval_episodes=32)
print(f"mean return {mean_return:.1f} over 32 games, standard deviation {deviation:.1f}")
