"""The policy network of card moves, with weights shared among the eight renamings of the suits.

Each layer has ``8 * channels`` units: every channel once for each renaming. Dense weights are put together from the
shared ones, so that the network costs what a dense one costs and learns from each position what eight would teach.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from torch import Tensor, nn
from torch.nn import functional

from klondike_agents.card_features import FEATURE_COUNT, feature_scales
from klondike_agents.card_moves import MOVE_COUNT
from klondike_agents.training.symmetry import (
    FEATURE_SOURCES,
    FULL_FEATURE_SOURCES,
    MOVE_SOURCES,
    RELATIONS,
    SYMMETRY_COUNT,
    hidden_scales,
)

Indices = npt.NDArray[np.int64]
Array = npt.NDArray[np.float32]

_FEATURES_SET: int = 120
"""About so many features of a position are not 0; initial weights are scaled for that."""


class CardTrunk(nn.Module):
    """From features to hidden units."""

    def __init__(self, channels: int, layers: int, bfloat16: bool, sources: Indices, scales: Array) -> None:
        """Make a trunk.

        Args:
            channels: Units of a layer for each renaming of the suits.
            layers: Hidden layers after the first.
            bfloat16: Whether they are computed in bfloat16.
            sources: int64 array (8, features): which feature becomes each one under each renaming.
            scales: float32 array (features,): what features are multiplied by.
        """
        super().__init__()
        self._in_bfloat16 = bfloat16
        self.units = units = SYMMETRY_COUNT * channels
        self.input = nn.Parameter(torch.randn(channels, len(scales)) * math.sqrt(0.5 / _FEATURES_SET))
        self.input_bias = nn.Parameter(torch.zeros(channels))
        self.hidden = nn.ParameterList(
            [nn.Parameter(torch.randn(SYMMETRY_COUNT, channels, channels) / math.sqrt(units)) for _ in range(layers)]
        )
        self.hidden_bias = nn.ParameterList([nn.Parameter(torch.zeros(channels)) for _ in range(layers)])
        self.register_buffer("scales", torch.from_numpy(scales), persistent=False)
        self.register_buffer("sources", torch.from_numpy(sources), persistent=False)
        self.register_buffer("relations", torch.from_numpy(RELATIONS), persistent=False)

    def dense_layers(self) -> list[tuple[Tensor, Tensor]]:
        """Return weight (units out, units in) and bias of each layer, the first one's scaled for raw features."""
        sources: Any = self.sources
        relations: Any = self.relations
        scales: Any = self.scales
        first = self.input[:, sources].permute(1, 0, 2).reshape(self.units, -1) * scales
        layers = [(first, self.input_bias.repeat(SYMMETRY_COUNT))]
        for weight, bias in zip(self.hidden, self.hidden_bias, strict=True):
            dense = weight[relations].permute(0, 2, 1, 3).reshape(self.units, self.units)
            layers.append((dense, bias.repeat(SYMMETRY_COUNT)))
        return layers

    def forward(self, features: Tensor) -> Tensor:
        """Return the hidden units (batch, units) of features (batch, features)."""
        (weight, bias), *hidden = self.dense_layers()
        with torch.autocast("cpu", torch.bfloat16, enabled=self._in_bfloat16):
            units = torch.relu(functional.linear(features, weight, bias))
            for weight, bias in hidden:
                units = units + torch.relu(functional.linear(units, weight, bias))
        return units.float()


class CardTrunks(nn.Module):
    """The player's trunk, and one of the critic if that sees hidden cards."""

    def __init__(self, channels: int, layers: int, bfloat16: bool, full_critic: bool) -> None:
        super().__init__()
        self.latent_dim_pi = self.latent_dim_vf = SYMMETRY_COUNT * channels
        self.player = CardTrunk(channels, layers, bfloat16, FEATURE_SOURCES, feature_scales())
        self.critic: CardTrunk | None = None
        if full_critic:
            scales = np.concatenate([feature_scales(), hidden_scales()])
            self.critic = CardTrunk(channels, layers, bfloat16, FULL_FEATURE_SOURCES, scales)

    def forward_actor(self, features: Tensor) -> Tensor:
        """Return the hidden units of the player, who sees the first ``FEATURE_COUNT`` features only."""
        units: Tensor = self.player(features[:, :FEATURE_COUNT])
        return units

    def forward_critic(self, features: Tensor) -> Tensor:
        """Return the hidden units of the critic; they are the player's if it has none of its own."""
        if self.critic is None:
            return self.forward_actor(features)
        units: Tensor = self.critic(features)
        return units

    def forward(self, features: Tensor) -> tuple[Tensor, Tensor]:
        """Return the hidden units of player and critic."""
        units = self.forward_actor(features)
        return units, units if self.critic is None else self.forward_critic(features)


class MoveHead(nn.Module):
    """From hidden units to a logit for each card move."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(MOVE_COUNT, channels) * 0.01)
        self.bias = nn.Parameter(torch.zeros(MOVE_COUNT))
        self.register_buffer("sources", torch.from_numpy(MOVE_SOURCES), persistent=False)

    def dense(self) -> tuple[Tensor, Tensor]:
        """Return weight (157, units) and bias (157,)."""
        sources: Any = self.sources
        weight = self.weight[sources].permute(1, 0, 2).reshape(MOVE_COUNT, -1)
        return weight, self.bias[sources].mean(0)

    def forward(self, units: Tensor) -> Tensor:
        """Return logits (batch, 157)."""
        return functional.linear(units, *self.dense())


class ValueHead(nn.Module):
    """From hidden units to the value of a position."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(channels) * 0.01)
        self.bias = nn.Parameter(torch.zeros(1))

    def dense(self) -> tuple[Tensor, Tensor]:
        """Return weight (1, units) and bias (1,)."""
        return self.weight.repeat(SYMMETRY_COUNT)[None], self.bias

    def forward(self, units: Tensor) -> Tensor:
        """Return values (batch, 1)."""
        return functional.linear(units, *self.dense())


class CardPolicy(MaskableActorCriticPolicy):
    """``CardTrunk`` and its heads as a policy that ``MaskablePPO`` trains.

    Attributes:
        sharpness: What logits are multiplied by where moves are drawn to be played.
        last_logits: Logits of the positions that moves were last drawn for, float32 (batch, 157).
    """

    def __init__(
        self, *arguments: Any, channels: int, layers: int, bfloat16: bool, full_critic: bool, **named_arguments: Any
    ) -> None:
        """Make a policy.

        Args:
            *arguments: What ``MaskableActorCriticPolicy`` takes.
            channels: Units of a layer for each renaming of the suits.
            layers: Hidden layers after the first.
            bfloat16: Whether hidden layers are computed in bfloat16.
            full_critic: Whether the value that training uses is judged by a network of its own that sees hidden cards.
            **named_arguments: What ``MaskableActorCriticPolicy`` takes.
        """
        self.channels, self.layers = channels, layers
        self._in_bfloat16, self.full_critic = bfloat16, full_critic
        self.sharpness = 1.0
        self.last_logits = np.zeros((0, MOVE_COUNT), np.float32)
        super().__init__(*arguments, **named_arguments)

    def forward(
        self, obs: Tensor, deterministic: bool = False, action_masks: npt.NDArray[Any] | None = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return moves (batch,), values (batch, 1) and log-probabilities (batch,) of positions (batch, features)."""
        units, critic_units = self.mlp_extractor(obs.float())
        logits = self.action_net(units)
        self.last_logits = logits.detach().numpy()
        distribution = self.action_dist.proba_distribution(action_logits=logits * self.sharpness)
        if action_masks is not None:
            distribution.apply_masking(action_masks)
        moves = distribution.get_actions(deterministic=deterministic)
        return moves, self.value_net(critic_units), distribution.log_prob(moves)

    def sharpen(self, factor: float) -> None:
        """Multiply all logits by a factor, for good."""
        with torch.no_grad():
            for parameter in self.action_net.parameters():
                parameter *= factor

    def _build(self, lr_schedule: Callable[[float], float]) -> None:
        """Make network and optimizer."""
        self.mlp_extractor: Any = CardTrunks(self.channels, self.layers, self._in_bfloat16, self.full_critic)
        self.action_net: Any = MoveHead(self.channels)
        self.value_net: Any = ValueHead(self.channels)
        # What the player itself thinks of a position, for those who use it after training.
        self.player_value = ValueHead(self.channels) if self.full_critic else self.value_net
        # The class is known as torch's base class, whose types do not tell of a rate.
        self.optimizer = self.optimizer_class(self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs)  # type: ignore[call-arg]

    def dense_arrays(self) -> dict[str, Array]:
        """Return the network as plain layers, as ``CardNetwork`` names them."""
        layers = [*self.mlp_extractor.player.dense_layers(), self.action_net.dense(), self.player_value.dense()]
        names = [*(f"layer{number}" for number in range(len(layers) - 2)), "moves", "value"]
        arrays = {}
        with torch.no_grad():
            for name, (weight, bias) in zip(names, layers, strict=True):
                arrays[f"{name}.weight"] = weight.detach().numpy().astype(np.float32)
                arrays[f"{name}.bias"] = bias.detach().numpy().astype(np.float32)
        return arrays
