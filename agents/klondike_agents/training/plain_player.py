"""The player of the plain network: planes in, one of the 86 actions out."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from klondike_env.errors import OptionError


class PlainPolicy:
    """Plays what a plain network prefers, many games at once.

    Attributes:
        name: ``"ppo-plain"``.
    """

    name = "ppo-plain"

    def __init__(self, arrays: dict[str, npt.NDArray[Any]]) -> None:
        """Take the weights of Stable-Baselines3's ``MlpPolicy``.

        Raises:
            OptionError: They are of another network.
        """
        prefix = "mlp_extractor.policy_net."
        numbers = sorted(int(name.split(".")[2]) for name in arrays if name.startswith(prefix) and "weight" in name)
        names = [*(f"{prefix}{number}" for number in numbers), "action_net"]
        try:
            self._layers = [(arrays[f"{name}.weight"], arrays[f"{name}.bias"]) for name in names]
        except KeyError as error:
            raise OptionError(f"the weights have no array {error}; they are of another network") from error

    def act_batch(
        self,
        observations: npt.NDArray[np.int8],
        masks: npt.NDArray[np.int8],
        generators: list[np.random.Generator],
    ) -> npt.NDArray[np.int64]:
        """Return the preferred legal action of each game; see ``BatchPolicy``."""
        units = observations.reshape(len(observations), -1).astype(np.float32)
        *hidden, (weight, bias) = self._layers
        for hidden_weight, hidden_bias in hidden:
            units = np.tanh(units @ hidden_weight.T + hidden_bias)
        logits = np.where(masks != 0, units @ weight.T + bias, -np.inf)
        return np.asarray(np.argmax(logits, axis=1), np.int64)
