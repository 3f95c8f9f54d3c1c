"""Playing fixed games with an agent, and what came of it."""

from klondike_env.evaluation.comparison import Comparison, compare_results
from klondike_env.evaluation.policies import BatchPolicy, Policy, ThoughtfulPolicy, load_policy
from klondike_env.evaluation.results import GameResult, open_results, read_results
from klondike_env.evaluation.runner import Evaluation, evaluate
from klondike_env.evaluation.statistics import Summary, summarize, wilson_interval
from klondike_env.evaluation.thoughts import Thoughts

__all__ = [
    "BatchPolicy",
    "Comparison",
    "Evaluation",
    "GameResult",
    "Policy",
    "Summary",
    "ThoughtfulPolicy",
    "Thoughts",
    "compare_results",
    "evaluate",
    "load_policy",
    "open_results",
    "read_results",
    "summarize",
    "wilson_interval",
]
