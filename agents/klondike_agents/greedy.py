"""The greedy agent: a hand-written player that thinks two known moves ahead.

It knows what a ``PlayerView`` tells and guesses nothing: a position is worth a weighted sum of what the player sees
(``greedy_weights``), and the move is the first of the best short line of moves whose outcome is known. A card that
such a line would turn up stays unknown in it.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from klondike_agents.greedy_kernel import MAX_DEPTH, MIND_DTYPE, Mind, choose_action, clear_memory
from klondike_agents.greedy_weights import weight_table
from klondike_env.compiled import JIT_DISABLED, compiled
from klondike_env.errors import OptionError
from klondike_env.view import PlayerView

DEFAULT_DEPTH: Final = 2


def new_minds(count: int) -> npt.NDArray[Any]:
    """Return ``count`` records of memory and room for thought, as the kernel takes them, with nothing remembered.

    Agents that play many games in compiled code, such as rollouts, hold one for each game in play.
    """
    minds = np.zeros(count, MIND_DTYPE)
    # As in ``new_states``: plain Python reads fields as attributes only from record arrays.
    minds = minds.view(np.recarray) if JIT_DISABLED else minds
    for row in range(count):
        _forget(minds, row)
    return minds


class GreedyPolicy:
    """A deterministic player by rules of thumb, fast enough for thousands of games.

    Attributes:
        name: ``"greedy"``, with the depth if it is not the usual one.
        thoughtful: False: it sees what a player sees.
    """

    thoughtful = False

    def __init__(self, depth: int = DEFAULT_DEPTH) -> None:
        """Make a player.

        Args:
            depth: How many moves to think ahead, 1 to 5. Each one more takes several times as long.

        Raises:
            OptionError: The depth is out of range.
        """
        if depth not in range(1, MAX_DEPTH + 1):
            raise OptionError(f"depth is {depth!r}; it must be a whole number from 1 to {MAX_DEPTH}")
        self.name = "greedy" if depth == DEFAULT_DEPTH else f"greedy depth={depth}"
        self._depth = int(depth)
        self._minds = new_minds(1)
        self._weights = weight_table()

    def reset(self, seed: int) -> None:
        """Begin a new game: what was seen of the last one is forgotten. There is no randomness to seed."""
        _forget(self._minds, 0)

    def act(self, view: PlayerView) -> int:
        """Return a legal action of a view."""
        return int(_act(view.states, self._minds, self._weights, self._depth))

    @property
    def gave_up(self) -> bool:
        """Whether the player has seen no way on in this game: every move led to a position it had decided in.

        From then on it idles until the step limit, since the rules know no resignation. Where nothing but a foundation
        card's way down and up again is legal, it collects points by that, which say nothing about its play.
        """
        return bool(self._minds["gave_up"][0] > 0)


@compiled
def _forget(minds: Mind, row: int) -> None:
    """Clear the memory of a row."""
    clear_memory(minds[row])


@compiled
def _act(states: Any, minds: Mind, weights: npt.NDArray[np.float32], depth: int) -> int:
    """Return the action for row 0. Arrays rather than records cross from Python, since numba passes those fastest."""
    return choose_action(states[0], minds[0], weights, depth)
