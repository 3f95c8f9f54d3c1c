"""The vector env in TorchRL's training loop: `python examples/torchrl_ppo.py --steps 200000`.

Needs `pip install torch torchrl`. An `EnvBase` of some forty lines hands TorchRL all rows of the native vector env at
once; its collector resets rows as their games end, `MaskedCategorical` keeps the policy to the legal moves, and `GAE`
counts a game that was cut off at the step limit as going on. Mean return rises from random's -330 to above 100.
"""

from __future__ import annotations

import argparse
import warnings
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from tensordict import TensorDict, TensorDictBase
from tensordict.nn import TensorDictModule
from torch import Tensor, nn
from torchrl.collectors import Collector
from torchrl.data import Binary, Bounded, Categorical, Composite, Unbounded
from torchrl.envs import Compose, EnvBase, RewardScaling, RewardSum, TransformedEnv
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

# PyTorch warns that the bounds of an observation space are read-only; they are only read.
warnings.filterwarnings("ignore", message="The given NumPy array is not writable")


class KlondikeTorchRLEnv(EnvBase):
    """The native vector env as a TorchRL env whose batch is the rows."""

    def __init__(self, num_envs: int, rules: str = "D1N") -> None:
        super().__init__(batch_size=[num_envs])
        # TorchRL says itself which rows are to be reset, which is what DISABLED is for.
        options: dict[str, Any] = {"rules": rules, "autoreset_mode": "Disabled", "illegal_action": "raise"}
        self.envs: Any = gym.make_vec("klondike_env:Klondike-v0", num_envs=num_envs, **options)
        space = self.envs.single_observation_space
        shape = (num_envs, *space.shape)
        low, high = (torch.as_tensor(bound).expand(shape) for bound in (space.low, space.high))
        moves = int(self.envs.single_action_space.n)
        one = (num_envs, 1)
        self.observation_spec = Composite(
            observation=Bounded(low, high, shape=shape, dtype=torch.int8),
            action_mask=Binary(moves, shape=(num_envs, moves), dtype=torch.bool),
            won=Binary(1, shape=one, dtype=torch.bool),
            shape=(num_envs,),
        )
        self.action_spec = Categorical(moves, shape=(num_envs,))
        self.reward_spec = Unbounded(shape=one)
        flags = {key: Binary(1, shape=one, dtype=torch.bool) for key in ("done", "terminated", "truncated")}
        self.full_done_spec = Composite(**flags, shape=(num_envs,))
        self._seed: int | None = None

    def _set_seed(self, seed: int | None) -> None:
        self._seed = seed

    def _reset(self, tensordict: TensorDictBase | None = None, **kwargs: Any) -> TensorDictBase:
        rows = None if tensordict is None else tensordict.get("_reset", None)
        options = None if rows is None else {"reset_mask": rows.numpy().reshape(-1)}
        observations, _ = self.envs.reset(seed=self._seed, options=options)
        self._seed = None  # Later games go on in the same random streams.
        nobody = np.zeros(self.envs.num_envs, np.bool_)
        return self._pack(observations, won=nobody, done=nobody, terminated=nobody, truncated=nobody)

    def _step(self, tensordict: TensorDictBase) -> TensorDictBase:
        observations, rewards, terminated, truncated, info = self.envs.step(tensordict["action"].numpy())
        packed = self._pack(
            observations,
            won=info.get("won", np.zeros_like(terminated)),
            done=terminated | truncated,
            terminated=terminated,
            truncated=truncated,
        )
        return packed.set("reward", torch.from_numpy(rewards).float().unsqueeze(-1))

    def _pack(self, observations: Any, **flags: Any) -> TensorDict:
        """Return what is seen of all rows, with flags of shape (rows, 1)."""
        columns = {key: torch.from_numpy(flag).unsqueeze(-1) for key, flag in flags.items()}
        masks = torch.from_numpy(self.envs.action_masks())
        seen = {"observation": torch.from_numpy(observations), "action_mask": masks, **columns}
        return TensorDict(seen, batch_size=self.batch_size)


class PlainNetwork(nn.Module):
    """A multilayer perceptron over the flattened planes, each divided by its upper bound."""

    def __init__(self, high: np.ndarray[Any, Any], outputs: int, width: int = 128) -> None:
        super().__init__()
        self.scale: Tensor
        self.register_buffer("scale", torch.from_numpy(1.0 / np.maximum(high, 1)).float())
        layers = [nn.Linear(self.scale.numel(), width), nn.ReLU(), nn.Linear(width, width), nn.ReLU()]
        self.layers = nn.Sequential(*layers, nn.Linear(width, outputs))

    def forward(self, observations: Tensor) -> Tensor:
        """Return (..., outputs) from int8 observations (..., 37, 4, 13)."""
        return self.layers((observations.float() * self.scale).flatten(-3))


def main() -> None:
    """Train PPO and print the returns of finished games."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--steps", type=int, default=200_000, help="steps of all games together")
    parser.add_argument("--rules", default="D1N", help="rule set")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--num-envs", type=int, default=64, help="games played at once")
    arguments = parser.parse_args()
    torch.set_num_threads(1)  # Small networks are slower on several threads.
    torch.manual_seed(arguments.seed)
    frames = 64 * arguments.num_envs

    games = KlondikeTorchRLEnv(arguments.num_envs, arguments.rules)
    # RewardSum comes first, so that the printed return is in points.
    env = TransformedEnv(games, Compose(RewardSum(), RewardScaling(loc=0.0, scale=0.01)))
    env.set_seed(arguments.seed)
    high = games.envs.single_observation_space.high
    actor = ProbabilisticActor(
        TensorDictModule(PlainNetwork(high, outputs=86), in_keys=["observation"], out_keys=["logits"]),
        in_keys={"logits": "logits", "mask": "action_mask"},
        distribution_class=MaskedCategorical,
        return_log_prob=True,
    )
    critic = ValueOperator(PlainNetwork(high, outputs=1), in_keys=["observation"])
    advantage = GAE(gamma=0.99, lmbda=0.95, value_network=critic)
    loss_module = ClipPPOLoss(actor, critic, entropy_coeff=0.005, critic_coeff=0.5, normalize_advantage=True)
    optimizer = torch.optim.Adam(loss_module.parameters(), lr=7e-4)

    updates = max(1, arguments.steps // frames)
    collector = Collector(
        env, actor, frames_per_batch=frames, total_frames=updates * frames, auto_register_policy_transforms=False
    )
    returns: list[float] = []
    wins: list[float] = []
    for update, data in enumerate(collector, start=1):
        advantage(data)
        ended = data["next", "done"]
        returns += data["next", "episode_reward"][ended].tolist()
        wins += data["next", "won"][ended].float().tolist()
        steps = data.exclude("next").flatten()
        for _ in range(3):
            for chosen in torch.randperm(frames).split(512):
                losses = loss_module(steps[chosen])
                loss = losses["loss_objective"] + losses["loss_critic"] + losses["loss_entropy"]
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(loss_module.parameters(), 0.5)
                optimizer.step()
        if returns and (update % 8 == 0 or update == updates):
            mean, won = np.mean(returns), np.mean(wins)
            print(f"{update * frames:>9} steps: {len(returns)} games, mean return {mean:.1f}, won {won:.1%}")
            returns, wins = [], []
    collector.shutdown()


if __name__ == "__main__":
    main()
