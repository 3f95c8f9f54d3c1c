"""Training of agents with PPO, and the players that come of it.

Importing this package loads no torch: a trained player needs NumPy and safetensors only.
"""

from typing import Any

__all__ = ["PpoPolicy", "TrainingConfig", "load_run", "train"]


def __getattr__(name: str) -> Any:
    """Load what is asked for, and torch only for training."""
    if name in ("PpoPolicy", "load_run"):
        from klondike_agents.training import player

        return getattr(player, name)
    if name == "TrainingConfig":
        from klondike_agents.training.config import TrainingConfig

        return TrainingConfig
    if name == "train":
        from klondike_agents.training.trainer import train

        return train
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
