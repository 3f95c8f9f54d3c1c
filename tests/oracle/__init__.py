"""An independent, slow rules checker that the package is compared against."""

from .klondike_oracle import ColumnCard, OracleGame, oracle_perft
from .oracle_env import OracleEnv
from .oracle_observation import oracle_observation
from .oracle_rules import MOVES, ORACLE_RULES, OracleRules, oracle_deck

__all__ = [
    "MOVES",
    "ORACLE_RULES",
    "ColumnCard",
    "OracleEnv",
    "OracleGame",
    "OracleRules",
    "oracle_deck",
    "oracle_observation",
    "oracle_perft",
]
