"""The trained player: plays by its network alone, without torch and without search."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from klondike_agents.card_moves import MOVE_COUNT, TURN_MOVE, begin_move, decide, forget
from klondike_agents.card_network import Array, CardNetwork
from klondike_agents.greedy import new_minds
from klondike_agents.training.config import read_config
from klondike_agents.training.files import BEST_FILE, CONFIG_FILE, LAST_FILE, read_arrays
from klondike_env.actions import ACTION_COUNT
from klondike_env.arguments import check_flag
from klondike_env.errors import OptionError
from klondike_env.evaluation.thoughts import Thoughts
from klondike_env.view import PlayerView

WEIGHTS_FOLDER: Final = Path(__file__).parent.parent / "weights"


class PpoPolicy:
    """Plays what a trained network prefers.

    Attributes:
        name: ``"ppo"``.
        thoughtful: False: it sees what a player sees.
        thoughts: How it saw its last decision; None if there was nothing to decide.
    """

    name = "ppo"
    thoughtful = False

    def __init__(self, may_repeat: bool = False) -> None:
        """Make the player with the weights that come with the package, which differ by draw.

        Args:
            may_repeat: Whether it may move to a position that it decided in before in the same game.
        """
        self._network: CardNetwork | None = None
        self._may_repeat = check_flag("may_repeat", may_repeat)
        self._begin()

    def _begin(self) -> None:
        """Make room for memory and decisions."""
        self.thoughts: Thoughts | None = None
        self._minds = new_minds(1)
        self._legal = np.zeros(ACTION_COUNT, np.int8)
        self._mask = np.zeros(MOVE_COUNT, np.int8)
        self._actions = np.zeros(MOVE_COUNT, np.int8)
        self._turns = np.zeros(MOVE_COUNT, np.int8)

    @classmethod
    def from_arrays(cls, arrays: dict[str, npt.NDArray[Any]], notes: dict[str, Any]) -> Any:
        """Return a player with a network's arrays.

        Args:
            arrays: As they stand in a run's ``best.safetensors``.
            notes: What stands beside them: ``network``, ``may_repeat``, ``opinion_depth``.

        Raises:
            OptionError: They are of another network.
        """
        if notes.get("network") == "plain":
            from klondike_agents.training.plain_player import PlainPolicy

            return PlainPolicy(arrays)
        policy = cls.__new__(cls)
        policy._network = CardNetwork(arrays, notes)
        policy._may_repeat = bool(notes.get("may_repeat", False))
        policy._begin()
        return policy

    def reset(self, seed: int) -> None:
        """Begin a new game; there is no randomness to seed."""
        forget(self._minds)
        self.thoughts = None

    def act(self, view: PlayerView) -> int:
        """Return a legal action of a view."""
        self.thoughts = None
        states = view.states
        action = decide(states, self._minds, self._may_repeat, self._legal, self._mask, self._actions, self._turns)
        if action >= 0:
            return int(action)
        logits, value = self._network_for(states).look(states, self._minds, self._mask)
        offered = np.flatnonzero(self._mask)
        move = int(offered[np.argmax(logits[offered])])
        self.thoughts = self._explain(logits[offered], offered, value)
        return int(begin_move(states, self._minds, move, self._actions, self._turns))

    def _explain(self, logits: Array, offered: npt.NDArray[np.int64], value: float) -> Thoughts:
        """Return thoughts by action: moves of talon cards that are yet to be turned to count for turning."""
        weights = np.exp(logits - logits.max())
        weights /= weights.sum()
        probabilities: dict[int, float] = {}
        for move, weight in zip(offered.tolist(), weights.tolist(), strict=True):
            action = 0 if self._turns[move] or move == TURN_MOVE else int(self._actions[move])
            probabilities[action] = min(1.0, probabilities.get(action, 0.0) + weight)
        return Thoughts(probabilities, value, unit="value of the network")

    def _network_for(self, states: Any) -> CardNetwork:
        """Return the network to play a view with."""
        return shipped_network(int(states["draw"][0])) if self._network is None else self._network


@functools.cache
def shipped_network(draw: int) -> CardNetwork:
    """Return the network that comes with the package for games with this draw, 1 to 3.

    Raises:
        OptionError: None comes with this version.
    """
    path = WEIGHTS_FOLDER / f"D{1 if draw == 1 else 3}N.safetensors"
    if not path.is_file():
        raise OptionError(f"this version comes without trained weights for draw {draw}; train them")
    return CardNetwork(*read_arrays(path))


def run_network(path: Path) -> CardNetwork:
    """Return the network of a training run with card moves; see ``load_run``."""
    arrays, notes = _read_run(path)
    return CardNetwork(arrays, notes)


def load_run(path: str | Path, may_repeat: bool | None = None) -> Any:
    """Return the player of a training run.

    Args:
        path: A run's folder (its best network, or the last if none was evaluated), or a safetensors file in one.
        may_repeat: Whether it may move to a position that it decided in before in the same game; None for as it was
            trained.

    Raises:
        OptionError: There is no run or network.
    """
    arrays, notes = _read_run(Path(path))
    if may_repeat is not None:
        notes["may_repeat"] = check_flag("may_repeat", may_repeat)
    return PpoPolicy.from_arrays(arrays, notes)


def _read_run(path: Path) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
    """Return a run's network, and what stands beside it."""
    if path.is_dir():
        if not (path / CONFIG_FILE).exists():
            raise OptionError(f"{path} is no training run: it has no {CONFIG_FILE}")
        read_config(path / CONFIG_FILE)
        files = [path / name for name in (BEST_FILE, LAST_FILE) if (path / name).exists()]
        if not files:
            raise OptionError(f"the run in {path} has saved no network yet")
        path = files[0]
    return read_arrays(path)
