"""Registration of the env id with Gymnasium."""

from __future__ import annotations

from typing import Final

import gymnasium as gym

ENV_ID: Final = "Klondike-v0"
STEP_LIMIT: Final = 500
"""Steps after which an episode is truncated: about three times the longest proven solution at draw 3."""


def register_envs() -> None:
    """Register ``Klondike-v0`` once; importing ``klondike_env`` calls this."""
    if ENV_ID not in gym.registry:
        gym.register(
            id=ENV_ID,
            entry_point="klondike_env.env:KlondikeEnv",
            vector_entry_point="klondike_env.vector_env:KlondikeVectorEnv",
            max_episode_steps=STEP_LIMIT,
        )
