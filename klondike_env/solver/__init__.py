"""The solver: can a game be won, all cards known, and how?

``solve`` answers with a proof either way, unless a limit stops it. ``labels`` solves many games into a file.
"""

from klondike_env.solver.position import SolverPosition
from klondike_env.solver.solving import (
    DEFAULT_MEMORY_LIMIT,
    SOLVER_VERSION,
    UNKNOWN,
    UNWINNABLE,
    WINNABLE,
    Solution,
    solve,
)

__all__ = [
    "DEFAULT_MEMORY_LIMIT",
    "SOLVER_VERSION",
    "UNKNOWN",
    "UNWINNABLE",
    "WINNABLE",
    "Solution",
    "SolverPosition",
    "solve",
]
