"""SplitMix64, the generator behind deals and samples, compiled.

G. Steele, D. Lea, C. Flood, "Fast Splittable Pseudorandom Number Generators" (OOPSLA 2014). Its state grows by
``GOLDEN_GAMMA`` for each output, and the output is the state, mixed.

Compiled code lets uint64 wrap round, as is meant; as plain Python NumPy warns of it, so callers then run under
``numpy.errstate(over="ignore")``.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from klondike_env.compiled import compiled

GOLDEN_GAMMA: Final = np.uint64(0x9E3779B97F4A7C15)
_MIX_1: Final = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2: Final = np.uint64(0x94D049BB133111EB)
_SHIFT_27: Final = np.uint64(27)
_SHIFT_30: Final = np.uint64(30)
_SHIFT_31: Final = np.uint64(31)


@compiled
def mix(state: Any) -> Any:
    """Return the output for a state, both uint64."""
    state = (state ^ (state >> _SHIFT_30)) * _MIX_1
    state = (state ^ (state >> _SHIFT_27)) * _MIX_2
    return state ^ (state >> _SHIFT_31)
