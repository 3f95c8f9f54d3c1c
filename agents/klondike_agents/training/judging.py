"""Learning from what moves are worth in sampled games.

At each decision some games are dealt that agree with what the player knows, and every move that it might choose is
judged in them. The network is then moved towards the moves that did better: the gradient is that of the mean worth of a
move drawn from its probabilities, over all judged moves and not only the one that was played. It is policy improvement
over the player of the rollouts, as in "Online Policy Improvement using Monte-Carlo Search" (Tesauro and Galperin, NIPS
1996), with a network in place of the search.

The greedy teacher's own choice counts a little more than it is worth in the samples. Many moves are worth the same
there, since the rollouts that follow make good what was put off; a player that puts off for ever wins nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch.nn import functional

from klondike_agents.card_moves import MOVE_COUNT
from klondike_agents.greedy import new_minds
from klondike_agents.greedy_weights import weight_table
from klondike_agents.move_judging import JUDGING_ROWS, judge_moves
from klondike_agents.search_kernel import MIND_ROWS, SOLVER_BUDGET, best_possible, sample_settings
from klondike_env.engine.state import new_states
from klondike_env.solver.quick import new_search_room


class MoveJudge:
    """Judges moves in rows of games.

    Attributes:
        judged: int8 array (rows, 157): the moves judged last.
        worths: float32 array (rows, 157): what they were worth, 0 (nothing) to 1 (always won).
        seed: Number that the next samples follow from.
    """

    def __init__(self, rows: int, draw: int, vegas: bool, samples: int, margin: float, trust: float, seed: int) -> None:
        """Make a judge.

        Args:
            rows: Number of games.
            draw: Cards turned at once, 1 to 3.
            vegas: Whether dollars count, not wins.
            samples: Samples a decision.
            margin: Moves are judged whose logit is less than this below the best one's.
            trust: What the teacher's choice counts more than it is worth.
            seed: What all samples follow from.
        """
        self._samples = samples
        self._margin = margin
        self._trust = trust
        self._settings = sample_settings(draw, vegas)
        self._weights = weight_table()
        self._room = new_search_room(SOLVER_BUDGET)
        self._minds = new_minds(MIND_ROWS)
        self._states = new_states(JUDGING_ROWS)
        self.judged = np.zeros((rows, MOVE_COUNT), np.int8)
        self.worths = np.zeros((rows, MOVE_COUNT), np.float32)
        self.seed = seed

    def judge(
        self,
        states: npt.NDArray[Any],
        minds: npt.NDArray[Any],
        logits: npt.NDArray[np.float32],
        offered: npt.NDArray[np.int8],
        actions: npt.NDArray[np.int8],
        turns: npt.NDArray[np.int8],
        labels: npt.NDArray[np.int64],
    ) -> None:
        """Judge the moves that a network might choose, and the teacher's choice.

        Args:
            states: One record a row, read.
            minds: One record a row, read: the memory of the game.
            logits: float32 (rows, 157), the network's.
            offered: int8 (rows, 157), the moves on offer.
            actions: int8 (rows, 157) of ``write_card_moves``.
            turns: int8 (rows, 157) of ``write_card_moves``.
            labels: int64 (rows,), the teacher's choice, -1 for none.
        """
        logits = np.where(offered > 0, logits, -np.inf)
        self.judged[:] = logits > logits.max(axis=1, keepdims=True) - self._margin
        taught = np.flatnonzero(labels >= 0)
        self.judged[taught, labels[taught]] = 1
        judge_moves(
            states,
            minds,
            self.judged,
            actions,
            turns,
            self._samples,
            np.uint64(self.seed % 2**64),
            self._settings,
            self._weights,
            self._room,
            self._minds,
            self._states,
            self.worths,
        )
        self.worths /= best_possible(self._settings)
        self.worths[taught, labels[taught]] += self._trust
        # One number a row was used.
        self.seed += len(states)


def worth_loss(
    logits: torch.Tensor, judged: torch.Tensor, worths: torch.Tensor, unit: float
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return the loss, the gain and the entropy of some decisions, each a mean over them.

    The loss is least where probabilities are in proportion to exp(worth / unit).

    Args:
        logits: Of all moves, float32 (decisions, 157).
        judged: bool (decisions, 157), two or more of each decision.
        worths: float32 (decisions, 157), read where judged.
        unit: A difference in worth that makes a move e times as likely.

    Returns:
        The loss; by how much the worth of a move drawn from the probabilities is above the mean of those judged; the
        entropy among those judged, in nats.
    """
    log_probabilities = functional.log_softmax(logits.masked_fill(~judged, -1e8), dim=1)
    probabilities = log_probabilities.exp()
    worths = worths.masked_fill(~judged, 0.0)
    mean = worths.sum(1, keepdim=True) / judged.sum(1, keepdim=True)
    gain = (probabilities * (worths - mean)).sum(1).mean()
    entropy = -(probabilities * log_probabilities).sum(1).mean()
    return -gain / unit - entropy, gain, entropy
