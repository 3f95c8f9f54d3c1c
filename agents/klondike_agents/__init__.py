"""Agents that play Klondike from what a player knows."""

from klondike_agents.greedy import GreedyPolicy
from klondike_agents.random_policy import RandomPolicy
from klondike_env.evaluation.policies import BatchPolicy, Policy, ThoughtfulPolicy, load_policy

__all__ = ["BatchPolicy", "GreedyPolicy", "Policy", "RandomPolicy", "ThoughtfulPolicy", "load_policy"]
