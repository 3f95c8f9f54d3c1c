"""Masked PPO in one file on the native vector env: `python examples/cleanrl_style_ppo.py --steps 300000`.

Needs `pip install torch`. It shows the three places where action masks and the ends of episodes need care: the mask is
stored with each step, so that the same moves are legal when the step is learned from; a game cut off at the step limit
is not a game that is over, so the value of its last position, `info["final_obs"]`, is added to its last reward; and
advantages do not run on from one game into the next. At the end the policy plays games that training never draws, next
to random legal play. A card game needs hundreds of millions of steps to be played well; in a minute or two a plain
network learns what costs points, and its mean return rises from random's -330 to above 100.
"""

from __future__ import annotations

import argparse
import time
from collections import deque
from typing import Any

import gymnasium as gym
import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from klondike_env import evaluate, format_code

REWARD_SCALE = 0.01  # Points per step are up to 100, and networks learn best from small numbers.


class Agent(nn.Module):
    """A policy over the 86 moves and a value, from one trunk."""

    name = "cleanrl_style_ppo"

    def __init__(self, observation_space: gym.spaces.Box, moves: int, width: int = 256) -> None:
        super().__init__()
        # Each plane has its own range, such as 0-1 for a card's place and 0-24 for the length of the stock.
        self.scale: Tensor
        self.register_buffer("scale", torch.from_numpy(1.0 / np.maximum(observation_space.high, 1)).float())
        self.trunk = nn.Sequential(
            nn.Flatten(), nn.Linear(self.scale.numel(), width), nn.ReLU(), nn.Linear(width, width), nn.ReLU()
        )
        self.policy = nn.Linear(width, moves)
        self.value = nn.Linear(width, 1)
        nn.init.normal_(self.policy.weight, std=0.01)  # Begins as nearly uniform play.

    def forward(self, observations: Tensor, masks: Tensor) -> tuple[torch.distributions.Categorical, Tensor]:
        """Return the distribution over legal moves and the values of int8 observations (games, 37, 4, 13)."""
        hidden = self.trunk(observations.float() * self.scale)
        logits = self.policy(hidden).masked_fill(~masks, -torch.inf)
        return torch.distributions.Categorical(logits=logits), self.value(hidden).squeeze(-1)

    @torch.no_grad()
    def act_batch(
        self,
        observations: npt.NDArray[np.int8],
        masks: npt.NDArray[np.int8],
        generators: list[np.random.Generator],
    ) -> npt.NDArray[np.int64]:
        """Draw a move for each game, which is all that `klondike_env.evaluate` asks of an agent."""
        distribution, _ = self(torch.from_numpy(observations), torch.from_numpy(masks).bool())
        # The likeliest after Gumbel noise is a draw from the distribution, here with each game's own random stream.
        noise = np.stack([generator.gumbel(size=masks.shape[1]) for generator in generators])
        return np.asarray((distribution.logits.numpy() + noise).argmax(axis=1), np.int64)


def train(arguments: argparse.Namespace) -> Agent:
    """Collect steps from all games and learn from them, again and again."""
    torch.manual_seed(arguments.seed)
    rows, length = arguments.num_envs, arguments.rollout
    # SAME_STEP: the step that ends a game already shows the next one, so that every step is one to learn from. (Under
    # the default NEXT_STEP, the step after an end ignores its action and would have to be left out.)
    # An illegal action raises, so that a slip with the masks would show at once.
    envs: Any = gym.make_vec(
        "klondike_env:Klondike-v0",
        num_envs=rows,
        rules=arguments.rules,
        autoreset_mode="SameStep",
        illegal_action="raise",
    )
    agent = Agent(envs.single_observation_space, envs.single_action_space.n)
    optimizer = torch.optim.Adam(agent.parameters(), lr=arguments.learning_rate, eps=1e-5)

    observations = torch.zeros((length, rows, *envs.single_observation_space.shape), dtype=torch.int8)
    masks = torch.zeros((length, rows, envs.single_action_space.n), dtype=torch.bool)
    actions = torch.zeros((length, rows), dtype=torch.int64)
    log_probs, rewards, values, ends = (torch.zeros(length, rows) for _ in range(4))

    observation, info = envs.reset(seed=arguments.seed)
    returns = np.zeros(rows)
    finished: deque[float] = deque(maxlen=128)
    wins: deque[bool] = deque(maxlen=128)
    start = time.perf_counter()
    updates = max(1, arguments.steps // (rows * length))
    for update in range(updates):
        optimizer.param_groups[0]["lr"] = arguments.learning_rate * (1 - update / updates)
        for step in range(length):
            observations[step] = torch.from_numpy(observation)
            masks[step] = torch.from_numpy(info["action_mask"]).bool()
            with torch.no_grad():
                distribution, values[step] = agent(observations[step], masks[step])
                actions[step] = distribution.sample()
                log_probs[step] = distribution.log_prob(actions[step])
            observation, reward, terminated, truncated, info = envs.step(actions[step].numpy())
            rewards[step] = torch.from_numpy(reward) * REWARD_SCALE
            done = terminated | truncated
            ends[step] = torch.from_numpy(done)
            cut_off = np.flatnonzero(truncated & ~terminated)
            if len(cut_off):
                last = torch.from_numpy(np.stack(info["final_obs"][cut_off].tolist()))
                legal = torch.from_numpy(info["final_info"]["action_mask"][cut_off]).bool()
                with torch.no_grad():
                    rewards[step, torch.from_numpy(cut_off)] += arguments.gamma * agent(last, legal)[1]
            returns += reward
            if done.any():
                finished += returns[done].tolist()
                wins += info["final_info"].get("won", np.zeros(rows, bool))[done].tolist()
                returns[done] = 0

        with torch.no_grad():
            following = agent(torch.from_numpy(observation), torch.from_numpy(info["action_mask"]).bool())[1]
        advantages = torch.zeros(length, rows)
        running = torch.zeros(rows)
        for step in reversed(range(length)):
            going_on = 1 - ends[step]
            error = rewards[step] + arguments.gamma * following * going_on - values[step]
            running = error + arguments.gamma * arguments.gae_lambda * going_on * running
            advantages[step], following = running, values[step]

        data = [t.flatten(0, 1) for t in (observations, masks, actions, log_probs, advantages, advantages + values)]
        for _ in range(arguments.epochs):
            for chosen in torch.randperm(rows * length).split(arguments.minibatch):
                learn(agent, optimizer, [tensor[chosen] for tensor in data], arguments)
        if finished and (update % 8 == 7 or update == updates - 1):
            steps = (update + 1) * rows * length
            speed = steps / (time.perf_counter() - start)
            print(
                f"{steps:>9} steps, {speed:.0f} a second: mean return {np.mean(finished):.1f} over the last"
                f" {len(finished)} games, {sum(wins)} of them won"
            )
    envs.close()
    return agent


def learn(agent: Agent, optimizer: torch.optim.Optimizer, batch: list[Tensor], arguments: argparse.Namespace) -> None:
    """Take one gradient step of PPO's clipped objective."""
    observations, masks, actions, old_log_probs, advantages, targets = batch
    distribution, values = agent(observations, masks)
    ratio = (distribution.log_prob(actions) - old_log_probs).exp()
    advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
    clipped = ratio.clamp(1 - arguments.clip, 1 + arguments.clip)
    policy_loss = -torch.minimum(ratio * advantages, clipped * advantages).mean()
    value_loss = (values - targets).square().mean()
    loss = policy_loss + 0.5 * value_loss - arguments.entropy * distribution.entropy().mean()
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
    optimizer.step()


def main() -> None:
    """Train, then play fixed games with the trained agent and at random."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--steps", type=int, default=300_000, help="steps of all games together")
    parser.add_argument("--rules", default="D1N", help="rule set")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--num-envs", type=int, default=64, help="games played at once")
    parser.add_argument("--rollout", type=int, default=64, help="steps of each game between updates")
    parser.add_argument("--minibatch", type=int, default=512)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--learning-rate", type=float, default=7e-4)
    parser.add_argument("--gamma", type=float, default=0.99)
    parser.add_argument("--gae-lambda", type=float, default=0.95)
    parser.add_argument("--clip", type=float, default=0.2)
    parser.add_argument("--entropy", type=float, default=0.005, help="weight of the entropy bonus")
    parser.add_argument("--games", type=int, default=200, help="games of the evaluation")
    arguments = parser.parse_args()
    torch.set_num_threads(1)  # Small networks are slower on several threads.
    agent = train(arguments)
    codes = [format_code(number, arguments.rules) for number in range(arguments.games)]
    for player in ("random", agent):
        summary = evaluate(player, codes).summary
        name = player if isinstance(player, str) else player.name
        half = summary.mean_paid_half_width
        print(f"{name}: mean return {summary.mean_paid:.1f} ± {half:.1f}, {summary.wins} of {summary.games} games won")


if __name__ == "__main__":
    main()
