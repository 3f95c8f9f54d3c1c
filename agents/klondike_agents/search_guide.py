"""A trained network as the guide of a search: which candidates are worth sampling, and whose choice stands in doubt."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from klondike_agents.card_moves import MOVE_COUNT, card_move
from klondike_agents.card_network import CardNetwork
from klondike_agents.search_kernel import MAX_CANDIDATES
from klondike_agents.training.player import run_network, shipped_network
from klondike_env.compiled import compiled
from klondike_env.errors import OptionError

GUIDE_MARGIN: Final = 3.0
"""Candidates whose logit is so far below the best one's are not sampled."""


class NetworkGuide:
    """Puts the candidates of a decision in the order that a network gives them, and leaves out those it thinks poor."""

    def __init__(self, source: str = "ppo", margin: float = GUIDE_MARGIN) -> None:
        """Load the network.

        Args:
            source: ``"ppo"`` for the weights that come with the package, which differ by draw, or a training run's
                folder or file.
            margin: Candidates whose logit is so far below the best one's are left out.

        Raises:
            OptionError: There is no such run or network.
        """
        self._own: CardNetwork | None = None
        if source != "ppo":
            try:
                self._own = run_network(Path(source))
            except OptionError as error:
                raise OptionError(
                    f"guide is {source!r}, neither 'greedy' nor 'ppo' nor a training run: {error}"
                ) from error
        self._margin = margin
        self._moves = np.zeros(MAX_CANDIDATES, np.int64)
        self._mask = np.zeros(MOVE_COUNT, np.int8)

    def arrange(
        self, states: npt.NDArray[Any], minds: npt.NDArray[Any], candidates: npt.NDArray[Any], count: int
    ) -> int:
        """Put the candidates in order, the best first, and return how many are worth sampling.

        Args:
            states: Record array of a view, read.
            minds: Record array whose first row has room for thought.
            candidates: Record array of moves, of which the first ``count`` are put in order.
            count: How many there are.
        """
        network = shipped_network(int(states["draw"][0])) if self._own is None else self._own
        moves = self._moves[:count]
        write_candidate_moves(states, candidates, moves)
        self._mask[:] = 0
        self._mask[moves] = 1
        logits = network.look(states, minds, self._mask)[0][moves]
        order = np.argsort(-logits, kind="stable")
        candidates[:count] = candidates[:count][order]
        return int((logits > logits.max() - self._margin).sum())


@compiled
def write_candidate_moves(states: Any, candidates: Any, moves: npt.NDArray[np.int64]) -> None:
    """Write the card move of each candidate in the position of row 0."""
    for number in range(moves.shape[0]):
        action: Any = np.int64(candidates[number].action)
        place: Any = np.int64(candidates[number].place)
        moves[number] = card_move(states[0], action, place)
