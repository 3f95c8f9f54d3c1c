"""What an agent can tell of a decision: how likely each action was, and how it judged the position."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from klondike_env.actions import ACTION_COUNT
from klondike_env.errors import PolicyError

SHARE_UNITS: Final = ("chance", "share")
"""How units begin whose values are parts of one."""


@dataclass(frozen=True, slots=True)
class Thoughts:
    """How an agent saw its last decision.

    An agent that plays game by game may have an attribute ``thoughts`` (``Thoughts | None``), which belongs to its
    last ``act``; a batch agent a list of them, one for each game of its last ``act_batch``. Records and the replay page
    show them.

    Attributes:
        probabilities: Probability or weight, 0 to 1, of each action that was considered, by action index.
        value: How good the position is for the player, in the agent's own unit; None if it does not say.
        action_values: What the agent expects of single actions, by action index, in the same unit.
        unit: What the values are, such as ``"chance to win"`` or ``"points"``. Values of 0 to 1 whose unit begins with
            ``chance`` or ``share`` are shown in percent, with a bar.
    """

    probabilities: Mapping[int, float] = field(default_factory=dict)
    value: float | None = None
    action_values: Mapping[int, float] = field(default_factory=dict)
    unit: str = "chance to win"

    @property
    def value_is_share(self) -> bool:
        """Whether the value is a part of one, to be shown in percent."""
        return self.value is not None and 0 <= self.value <= 1 and self.unit.startswith(SHARE_UNITS)

    def __post_init__(self) -> None:
        """Refuse what cannot be shown.

        Raises:
            PolicyError: An action outside 0-85, a probability outside 0-1, or a value that is no finite number.
        """
        for action in (*self.probabilities, *self.action_values):
            if action not in range(ACTION_COUNT):
                raise PolicyError(f"thoughts of action {action!r}; actions are 0 to {ACTION_COUNT - 1}")
        for action, probability in self.probabilities.items():
            if not 0 <= probability <= 1:
                raise PolicyError(f"the probability of action {action} is {probability!r}; it must be from 0 to 1")
        for value in (*self.action_values.values(), 0.0 if self.value is None else self.value):
            if not math.isfinite(value):
                raise PolicyError(f"a value in an agent's thoughts is {value!r}; it must be finite")
