"""MaskablePPO that first learns from a teacher, then from what moves are worth in sampled games.

The teacher labels the positions that the learner meets (DAgger): S. Ross, G. Gordon, D. Bagnell, "A Reduction of
Imitation Learning and Structured Prediction to No-Regret Online Learning" (2011). For the sampled games see
``judging``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.utils import explained_variance
from torch.nn import functional

from klondike_agents.training.judging import worth_loss
from klondike_agents.training.recorded import Decisions


class ImitatingPPO(MaskablePPO):
    """MaskablePPO whose updates follow a teacher's labels first, the worths of moves then, and PPO from then on.

    The value is learned from returns in all three.

    Attributes:
        imitation_steps: Steps of imitation.
        imitation_epochs: How often each rollout is learned from meanwhile.
        labels: The teacher's choices of the present rollout, one int64 array (rows,) a step; -1 for none.
        judging_steps: Steps, after those, of learning from worths.
        judging_epochs: How often each rollout is learned from meanwhile.
        judging_unit: A difference in worth that is to make a move e times as likely.
        judged: The moves judged in the present rollout, one int8 array (rows, 157) a step.
        worths: What they were worth, one float32 array (rows, 157) a step.
    """

    imitation_steps: int = 0
    imitation_epochs: int = 1
    judging_steps: int = 0
    judging_epochs: int = 1
    judging_unit: float = 1.0

    def __init__(self, *arguments: Any, **named_arguments: Any) -> None:
        self.labels: list[npt.NDArray[np.int64]] = []
        self.judged: list[npt.NDArray[np.int8]] = []
        self.worths: list[npt.NDArray[np.float32]] = []
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
            for chosen in self._batches(count):
                for group in policy.optimizer.param_groups:
                    group["lr"] = rate * (1 - 0.9 * done / batches)
                units = policy.mlp_extractor.forward_actor(torch.from_numpy(decisions.features[chosen]).float())
                loss, agreement = self._label_loss(units, decisions.masks[chosen], decisions.labels[chosen])
                won = torch.from_numpy(decisions.won[chosen])
                known = ~won.isnan()
                if known.any():
                    values = policy.player_value(units[known]).flatten()
                    loss = loss + self.vf_coef * functional.mse_loss(values, won[known])
                self._descend(loss)
                agreements.append(agreement)
                done += 1
        return float(np.mean(agreements))

    def train(self) -> None:
        """Learn from the rollout."""
        if self.num_timesteps <= self.imitation_steps:
            self._imitate()
        elif self.num_timesteps <= self.imitation_steps + self.judging_steps:
            self._follow_worths()
        elif getattr(self.policy, "full_critic", False):
            self._improve()
        else:
            super().train()

    def _improve(self) -> None:
        """Learn as ``MaskablePPO`` does, and teach the player's own value what the full critic's returns are."""
        policy: Any = self.policy
        policy.set_training_mode(True)
        self._update_learning_rate(policy.optimizer)
        clip_range = self.clip_range(self._current_progress_remaining)  # type: ignore[operator]  # SB3 has made it a function
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
                self._descend(loss)
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
        self._record({f"train/{name}": values for name, values in logs.items()})
        buffer = self.rollout_buffer
        self.logger.record(
            "train/explained_variance", explained_variance(buffer.values.flatten(), buffer.returns.flatten())
        )

    def _in_order(self, steps: list[npt.NDArray[Any]]) -> npt.NDArray[Any]:
        """Return an array a step as one array, in the order of the rollout buffer: row after row."""
        # The buffer puts its own steps in that order at the first call of get.
        next(self.rollout_buffer.get(self.batch_size))
        stacked = np.stack(steps).swapaxes(0, 1)
        return stacked.reshape(-1, *stacked.shape[2:])

    def _batches(self, count: int) -> Iterator[npt.NDArray[np.int64]]:
        """Yield the numbers 0 to ``count`` - 1 in random order, a batch at a time."""
        order = np.random.permutation(count)
        size = self.batch_size or count
        for start in range(0, count, size):
            yield order[start : start + size]

    def _descend(self, loss: torch.Tensor) -> None:
        """Take one step of the optimizer."""
        self.policy.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]  # torch has no types here
        torch.nn.utils.clip_grad_norm_(self.policy.parameters(), self.max_grad_norm)
        self.policy.optimizer.step()

    def _imitate(self) -> None:
        """Learn the teacher's choices, and values from returns."""
        self.policy.set_training_mode(True)
        self._update_learning_rate(self.policy.optimizer)
        labels = self._in_order(self.labels)
        logs: dict[str, list[float]] = {}
        for _ in range(self.imitation_epochs):
            for chosen in self._batches(len(labels)):
                units, value_loss = self._units_and_value_loss(chosen)
                loss, agreement = self._label_loss(units, self.rollout_buffer.action_masks[chosen], labels[chosen])
                self._descend(loss + self.vf_coef * value_loss)
                kept = {"imitation/loss": loss.item(), "imitation/agreement": agreement}
                for name, value in (kept | {"train/value_loss": value_loss.item()}).items():
                    logs.setdefault(name, []).append(value)
            self._n_updates += 1
        self._record(logs)

    def _follow_worths(self) -> None:
        """Learn to choose by what moves are worth, and values from returns."""
        self.policy.set_training_mode(True)
        self._update_learning_rate(self.policy.optimizer)
        judged, worths = self._in_order(self.judged), self._in_order(self.worths)
        counts = judged.sum(axis=1)
        logs: dict[str, list[float]] = {"judging/moves": [float(counts.mean())]}
        policy: Any = self.policy
        for _ in range(self.judging_epochs):
            for chosen in self._batches(len(judged)):
                units, value_loss = self._units_and_value_loss(chosen)
                loss = self.vf_coef * value_loss
                several = counts[chosen] > 1
                if several.any():
                    of = chosen[several]
                    logits = policy.action_net(units[torch.from_numpy(several)])
                    worth, gain, entropy = worth_loss(
                        logits, torch.from_numpy(judged[of] > 0), torch.from_numpy(worths[of]), self.judging_unit
                    )
                    loss = loss + worth
                    logs.setdefault("judging/gain", []).append(gain.item())
                    logs.setdefault("judging/entropy", []).append(entropy.item())
                self._descend(loss)
                logs.setdefault("train/value_loss", []).append(value_loss.item())
            self._n_updates += 1
        self._record(logs)

    def _record(self, logs: dict[str, list[float]]) -> None:
        """Log the means of what was collected."""
        for name, values in logs.items():
            self.logger.record(name, float(np.mean(values)))

    def _units_and_value_loss(self, chosen: npt.NDArray[np.int64]) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the player's hidden units and the value loss for some steps of the rollout."""
        buffer = self.rollout_buffer
        policy: Any = self.policy
        units, critic_units = policy.mlp_extractor(torch.from_numpy(buffer.observations[chosen]).float())
        returns = torch.from_numpy(buffer.returns[chosen].flatten())
        value_loss = functional.mse_loss(policy.value_net(critic_units).flatten(), returns)
        if policy.full_critic:
            value_loss = value_loss + functional.mse_loss(policy.player_value(units).flatten(), returns)
        return units, value_loss

    def _label_loss(
        self, units: torch.Tensor, masks: npt.NDArray[Any], labels: npt.NDArray[np.int64]
    ) -> tuple[torch.Tensor, float]:
        """Return the cross-entropy and the agreement with a teacher for some decisions; labels are -1 for none."""
        policy: Any = self.policy
        known = torch.from_numpy(labels >= 0)
        offered = torch.from_numpy(masks > 0)[known]
        logits = policy.action_net(units[known]).masked_fill(~offered, -1e8)
        wanted = torch.from_numpy(labels[labels >= 0])
        if len(wanted) == 0:
            return units.sum() * 0, 0.0
        return functional.cross_entropy(logits, wanted), (logits.argmax(1) == wanted).float().mean().item()
