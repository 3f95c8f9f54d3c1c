"""MaskablePPO that first learns from a teacher: labels for the positions that the learner meets (DAgger).

S. Ross, G. Gordon, D. Bagnell, "A Reduction of Imitation Learning and Structured Prediction to No-Regret Online
Learning" (2011).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.utils import explained_variance
from torch.nn import functional

from klondike_agents.training.recorded import Decisions


class ImitatingPPO(MaskablePPO):
    """MaskablePPO whose updates follow a teacher's labels up to a number of steps, and PPO from then on.

    The value is learned from returns in both.

    Attributes:
        imitation_steps: Steps of imitation.
        imitation_epochs: How often each rollout is learned from meanwhile.
        labels: The teacher's choices of the present rollout, one int64 array (rows,) a step; -1 for none.
    """

    imitation_steps: int = 0
    imitation_epochs: int = 1

    def __init__(self, *arguments: Any, **named_arguments: Any) -> None:
        self.labels: list[npt.NDArray[np.int64]] = []
        super().__init__(*arguments, **named_arguments)

    def learn_decisions(self, decisions: Decisions, epochs: int, rate: float) -> float:
        """Learn recorded decisions, and the player's value from how their games ended.

        Args:
            decisions: The decisions.
            epochs: How often each is learned from.
            rate: Learning rate at the start; it falls to a tenth.

        Returns:
            The share of decisions in the last epoch that the network would have made too.
        """
        policy: Any = self.policy
        policy.set_training_mode(True)
        count = len(decisions.labels)
        size = self.batch_size or count
        batches = -(-count // size) * epochs
        done = 0
        agreements: list[float] = []
        for _ in range(epochs):
            agreements.clear()
            order = np.random.permutation(count)
            for start in range(0, count, size):
                chosen = order[start : start + size]
                for group in policy.optimizer.param_groups:
                    group["lr"] = rate * (1 - 0.9 * done / batches)
                units = policy.mlp_extractor.forward_actor(torch.from_numpy(decisions.features[chosen]).float())
                offered = torch.from_numpy(decisions.masks[chosen] > 0)
                logits = policy.action_net(units).masked_fill(~offered, -1e8)
                wanted = torch.from_numpy(decisions.labels[chosen])
                won = torch.from_numpy(decisions.won[chosen])
                known = ~won.isnan()
                loss = functional.cross_entropy(logits, wanted)
                if known.any():
                    values = policy.player_value(units[known]).flatten()
                    loss = loss + self.vf_coef * functional.mse_loss(values, won[known])
                policy.optimizer.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                torch.nn.utils.clip_grad_norm_(policy.parameters(), self.max_grad_norm)
                policy.optimizer.step()
                agreements.append((logits.argmax(1) == wanted).float().mean().item())
                done += 1
        return float(np.mean(agreements))

    def train(self) -> None:
        """Learn from the rollout."""
        if self.num_timesteps <= self.imitation_steps:
            self._imitate()
        elif getattr(self.policy, "full_critic", False):
            self._improve()
        else:
            super().train()

    def _improve(self) -> None:
        """Learn as ``MaskablePPO`` does, and teach the player's own value what the full critic's returns are."""
        policy: Any = self.policy
        policy.set_training_mode(True)
        self._update_learning_rate(policy.optimizer)
        clip_range = self.clip_range(self._current_progress_remaining)  # type: ignore[operator]
        logs: dict[str, list[float]] = {}
        for _ in range(self.n_epochs):
            for data in self.rollout_buffer.get(self.batch_size):
                features = data.observations.float()
                units, critic_units = policy.mlp_extractor(features)
                distribution = policy._get_action_dist_from_latent(units)
                distribution.apply_masking(data.action_masks)
                log_ratio = distribution.log_prob(data.actions.long().flatten()) - data.old_log_prob
                ratio = log_ratio.exp()
                advantages = (data.advantages - data.advantages.mean()) / (data.advantages.std() + 1e-8)
                clipped = torch.clamp(ratio, 1 - clip_range, 1 + clip_range)
                policy_loss = -torch.min(advantages * ratio, advantages * clipped).mean()
                value_loss = functional.mse_loss(policy.value_net(critic_units).flatten(), data.returns)
                player_loss = functional.mse_loss(policy.player_value(units).flatten(), data.returns)
                entropy = distribution.entropy().mean()
                loss = policy_loss - self.ent_coef * entropy + self.vf_coef * (value_loss + player_loss)
                policy.optimizer.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(policy.parameters(), self.max_grad_norm)
                policy.optimizer.step()
                with torch.no_grad():
                    kept = {
                        "policy_gradient_loss": policy_loss,
                        "value_loss": value_loss,
                        "player_value_loss": player_loss,
                        "entropy_loss": -entropy,
                        "approx_kl": (ratio - 1 - log_ratio).mean(),
                        "clip_fraction": ((ratio - 1).abs() > clip_range).float().mean(),
                    }
                for name, value in kept.items():
                    logs.setdefault(name, []).append(value.item())
            self._n_updates += 1
        for name, values in logs.items():
            self.logger.record(f"train/{name}", float(np.mean(values)))
        buffer = self.rollout_buffer
        self.logger.record(
            "train/explained_variance", explained_variance(buffer.values.flatten(), buffer.returns.flatten())
        )

    def _imitate(self) -> None:
        """Learn the teacher's choices, and values from returns."""
        self.policy.set_training_mode(True)
        self._update_learning_rate(self.policy.optimizer)
        buffer = self.rollout_buffer
        # The first call of get puts the rows' steps one after the other; the labels follow.
        next(buffer.get(self.batch_size))
        labels = np.stack(self.labels).swapaxes(0, 1).reshape(-1)
        losses, value_losses, agreements = [], [], []
        for _ in range(self.imitation_epochs):
            order = np.random.permutation(len(labels))
            for start in range(0, len(order), self.batch_size or len(order)):
                chosen = order[start : start + (self.batch_size or len(order))]
                loss, value_loss, agreement = self._losses(chosen, labels[chosen])
                total = loss + self.vf_coef * value_loss
                self.policy.optimizer.zero_grad()
                total.backward()  # type: ignore[no-untyped-call]
                torch.nn.utils.clip_grad_norm_(self.policy.parameters(), self.max_grad_norm)
                self.policy.optimizer.step()
                losses.append(loss.item())
                value_losses.append(value_loss.item())
                agreements.append(agreement)
            self._n_updates += 1
        self.logger.record("imitation/loss", float(np.mean(losses)))
        self.logger.record("imitation/agreement", float(np.mean(agreements)))
        self.logger.record("train/value_loss", float(np.mean(value_losses)))

    def _losses(
        self, chosen: npt.NDArray[np.int64], labels: npt.NDArray[np.int64]
    ) -> tuple[torch.Tensor, torch.Tensor, float]:
        """Return the cross-entropy, the value loss and the agreement with the teacher for some steps of the rollout."""
        buffer = self.rollout_buffer
        features = torch.from_numpy(buffer.observations[chosen]).float()
        policy: Any = self.policy
        units, critic_units = policy.mlp_extractor(features)
        returns = torch.from_numpy(buffer.returns[chosen].flatten())
        values = policy.value_net(critic_units).flatten()
        value_loss = functional.mse_loss(values, returns)
        if policy.full_critic:
            value_loss = value_loss + functional.mse_loss(policy.player_value(units).flatten(), returns)
        known = torch.from_numpy(labels >= 0)
        offered = torch.from_numpy(buffer.action_masks[chosen] > 0)[known]
        logits = policy.action_net(units[known]).masked_fill(~offered, -1e8)
        wanted = torch.from_numpy(labels[labels >= 0])
        if len(wanted) == 0:
            return values.sum() * 0, value_loss, 0.0
        agreement = (logits.argmax(1) == wanted).float().mean().item()
        return functional.cross_entropy(logits, wanted), value_loss, agreement
