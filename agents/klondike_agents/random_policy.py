"""An agent that plays uniformly at random among the legal actions."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from klondike_env.view import PlayerView


class RandomPolicy:
    """Plays a legal action drawn uniformly, take-backs included. Single and batch play give the same games."""

    name = "random"

    def __init__(self) -> None:
        self._generator = np.random.default_rng(0)

    def reset(self, seed: int) -> None:
        """Begin a game with its own random stream."""
        self._generator = np.random.default_rng(seed)

    def act(self, view: PlayerView) -> int:
        """Return a legal action of a view."""
        return _draw(view.action_mask(), self._generator)

    def act_batch(
        self,
        observations: npt.NDArray[np.int8],
        masks: npt.NDArray[np.int8],
        generators: list[np.random.Generator],
    ) -> npt.NDArray[np.int64]:
        """Return a legal action for each row of masks (games, 86), drawn from that row's generator."""
        rows = zip(masks, generators, strict=True)
        return np.array([_draw(mask, generator) for mask, generator in rows], np.int64)


def _draw(mask: npt.NDArray[np.int8], generator: np.random.Generator) -> int:
    """Draw a legal action uniformly."""
    legal = np.flatnonzero(mask)
    return int(legal[generator.integers(len(legal))])
