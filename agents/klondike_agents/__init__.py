"""Agents that play Klondike from what a player knows, and adapters to train more of them."""

from typing import TYPE_CHECKING, Any

from klondike_agents.greedy import GreedyPolicy
from klondike_agents.random_policy import RandomPolicy
from klondike_agents.search import SearchPolicy
from klondike_agents.thoughtful import SolverPolicy
from klondike_env.evaluation.policies import BatchPolicy, Policy, ThoughtfulPolicy, load_policy

if TYPE_CHECKING:
    from klondike_agents.sb3_vec_env import KlondikeVecEnv

__all__ = [
    "BatchPolicy",
    "GreedyPolicy",
    "KlondikeVecEnv",
    "Policy",
    "RandomPolicy",
    "SearchPolicy",
    "SolverPolicy",
    "ThoughtfulPolicy",
    "load_policy",
]


def __getattr__(name: str) -> Any:
    """Load what needs torch only when it is asked for."""
    if name == "KlondikeVecEnv":
        from klondike_agents.sb3_vec_env import KlondikeVecEnv

        return KlondikeVecEnv
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
