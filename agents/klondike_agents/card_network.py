"""The network of card moves as players compute it: without torch, on one thread, and alike on every machine."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from klondike_agents.card_features import FEATURE_COUNT, write_first_features
from klondike_agents.card_moves import MOVE_COUNT
from klondike_agents.greedy_weights import weight_table
from klondike_env.compiled import compiled
from klondike_env.errors import OptionError

Array = npt.NDArray[np.float32]


class CardNetwork:
    """The network that ``klondike_agents.training`` trains, as plain layers.

    Attributes:
        opinion_depth: How many moves ahead the greedy player looks for the opinions that the network sees; 0 for none.
    """

    def __init__(self, arrays: dict[str, npt.NDArray[Any]], notes: dict[str, Any]) -> None:
        """Take the layers of ``CardPolicy.dense_arrays``.

        Args:
            arrays: The layers.
            notes: What stands beside them: ``opinion_depth``.

        Raises:
            OptionError: A layer is missing or has another shape.
        """
        self._greedy_weights = weight_table()
        self.opinion_depth = int(notes.get("opinion_depth", 0))
        count = sum(name.startswith("layer") for name in arrays) // 2
        names = [*(f"layer{number}" for number in range(count)), "moves", "value"]
        try:
            layers = [(_columns(arrays[f"{name}.weight"]), _flat(arrays[f"{name}.bias"])) for name in names]
        except KeyError as error:
            raise OptionError(f"the weights have no array {error}; they are of another network") from error
        *self._layers, self._moves, self._value = layers
        if not count or self._layers[0][0].shape[0] != FEATURE_COUNT or len(self._moves[1]) != MOVE_COUNT:
            raise OptionError("the weights are for other features or moves than this version's")

    def __call__(self, features: npt.NDArray[Any]) -> tuple[Array, Array]:
        """Return logits (positions, 157) and values (positions,) of features (positions, ``FEATURE_COUNT``)."""
        logits = np.empty((len(features), MOVE_COUNT), np.float32)
        values = np.empty((len(features), 1), np.float32)
        for position, own in enumerate(features.astype(np.float32)):
            units = own
            for number, (columns, bias) in enumerate(self._layers):
                change = bias.copy()
                add_columns(units, columns, change)
                np.maximum(change, 0, out=change)
                units = units + change if number else change
            for (columns, bias), out in ((self._moves, logits[position]), (self._value, values[position])):
                out[:] = bias
                add_columns(units, columns, out)
        return logits, values[:, 0]

    def look(
        self, states: npt.NDArray[Any], minds: npt.NDArray[Any], mask: npt.NDArray[np.int8]
    ) -> tuple[Array, float]:
        """Return logits (157,) and the value of a position.

        Args:
            states: Record array of a view, read.
            minds: Record array whose first row has room for thought.
            mask: int8 array (157,), the card moves on offer.
        """
        features = np.empty(FEATURE_COUNT, np.int8)
        write_first_features(states, minds, self._greedy_weights, self.opinion_depth, mask, features)
        logits, values = self(features[None])
        return logits[0], float(values[0])


@compiled
def add_columns(units: Array, columns: Array, out: Array) -> None:
    """Add each row of ``columns``, times its unit, to ``out``; what is 0 costs nothing, and most features are.

    Args:
        units: float32 array (units in,).
        columns: float32 array (units in, units out): the columns of a layer's weight, one a row.
        out: float32 array (units out,), changed.
    """
    for i in range(units.shape[0]):
        unit = units[i]
        if unit != 0:
            for j in range(out.shape[0]):
                out[j] += unit * columns[i, j]


def _columns(weight: npt.NDArray[Any]) -> Array:
    """Return a weight (units out, units in) as ``add_columns`` takes it."""
    if weight.ndim != 2:
        raise OptionError(f"a weight has {weight.ndim} axes instead of 2; it is of another network")
    return np.ascontiguousarray(weight.T, np.float32)


def _flat(bias: npt.NDArray[Any]) -> Array:
    """Return a bias as the network computes with it."""
    return np.ascontiguousarray(bias, np.float32)
