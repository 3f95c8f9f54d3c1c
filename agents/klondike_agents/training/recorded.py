"""Decisions recorded from another agent's games, as something to learn from.

A folder holds shards, ``*.npz`` files, each with the decisions of whole games one after the other:

    states    uint8 (n, size of STATE_DTYPE): ``view.states`` of each position, seen as bytes
    actions   integers (n,): the action that was played, 0-85
    games     integers (n,): equal within a game, different from the game before
    won       bool (n,), may be left out: whether the game was won in the end

Every action of a game is recorded, turns of the stock included. ``DecisionRecorder`` writes such shards.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from klondike_agents.card_features import FEATURE_COUNT
from klondike_agents.card_moves import MOVE_COUNT
from klondike_agents.greedy import new_minds
from klondike_agents.greedy_weights import weight_table
from klondike_agents.move_stepping import label_records
from klondike_agents.training.files import write_whole
from klondike_env.actions import ACTION_COUNT
from klondike_env.engine.state import STATE_DTYPE
from klondike_env.errors import OptionError
from klondike_env.view import PlayerView

_SHARD_NAMES: Final = "*.npz"


class Decisions(NamedTuple):
    """Recorded decisions between card moves.

    Attributes:
        features: int8 array (n, ``FEATURE_COUNT``).
        masks: int8 array (n, 157), the card moves on offer.
        labels: int64 array (n,), the card moves that were chosen.
        won: float32 array (n,), 1 where the game was won, NaN where that is not recorded.
    """

    features: npt.NDArray[np.int8]
    masks: npt.NDArray[np.int8]
    labels: npt.NDArray[np.int64]
    won: npt.NDArray[np.float32]


class DecisionRecorder:
    """Collects the games of an agent and writes them as a shard."""

    def __init__(self) -> None:
        self._states: list[npt.NDArray[np.uint8]] = []
        self._actions: list[int] = []
        self._games: list[int] = []
        self._won: list[bool] = []
        self._game = 0

    def add(self, view: PlayerView, action: int) -> None:
        """Note what was played in a position."""
        self._states.append(view.states[:1].view(np.uint8).reshape(-1).copy())
        self._actions.append(int(action))

    def end_game(self, won: bool) -> None:
        """Note how the game ended; the next position begins another."""
        count = len(self._actions) - len(self._games)
        self._games += [self._game] * count
        self._won += [won] * count
        self._game += 1

    def write(self, path: str | Path) -> None:
        """Write the games that have ended, whole or not at all."""
        count = len(self._games)
        buffer = io.BytesIO()
        np.savez_compressed(
            buffer,
            states=np.array(self._states[:count]).reshape(count, STATE_DTYPE.itemsize),
            actions=np.array(self._actions[:count], np.int8),
            games=np.array(self._games, np.int64),
            won=np.array(self._won, np.bool_),
        )
        write_whole(Path(path), buffer.getvalue())


def read_decisions(folder: str | Path, may_repeat: bool = False, opinion_depth: int = 3) -> Decisions:
    """Read all shards of a folder, in the order of their names.

    Args:
        folder: The folder.
        may_repeat: As in the settings of the training run.
        opinion_depth: As in the settings of the training run.

    Raises:
        OptionError: There are no shards, or one holds something else.
    """
    paths = sorted(Path(folder).glob(_SHARD_NAMES))
    if not paths:
        raise OptionError(f"imitation_data: {folder} holds no {_SHARD_NAMES} files")
    parts = [_read_shard(path, may_repeat, opinion_depth) for path in paths]
    decisions = Decisions(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))
    if not len(decisions.labels):
        raise OptionError(f"imitation_data: no decision between card moves is recorded in {folder}")
    return decisions


def _read_shard(path: Path, may_repeat: bool, opinion_depth: int) -> Decisions:
    """Read one shard."""
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays: dict[str, npt.NDArray[Any]] = dict(file)
    except (OSError, ValueError) as error:
        raise OptionError(f"{path} cannot be read as a shard of decisions: {error}") from error
    for name in ("states", "actions", "games"):
        if name not in arrays:
            raise OptionError(f"{path} has no array {name!r}")
    states, actions, games = arrays["states"], arrays["actions"].astype(np.int64), arrays["games"]
    count = len(actions)
    if states.shape != (count, STATE_DTYPE.itemsize) or states.dtype != np.uint8 or games.shape != (count,):
        raise OptionError(
            f"{path}: states are {states.dtype} {states.shape} and games {games.shape} for {count} actions; they must"
            f" be uint8 ({count}, {STATE_DTYPE.itemsize}) and ({count},)"
        )
    if count and not (actions.min() >= 0 and actions.max() < ACTION_COUNT):
        raise OptionError(f"{path}: an action is outside 0 to {ACTION_COUNT - 1}")
    starts = np.ones(count, np.bool_)
    starts[1:] = games[1:] != games[:-1]
    masks = np.zeros((count, MOVE_COUNT), np.int8)
    features = np.zeros((count, FEATURE_COUNT), np.int8)
    labels = np.empty(count, np.int64)
    records = np.ascontiguousarray(states).reshape(-1).view(STATE_DTYPE)
    legal = np.zeros(ACTION_COUNT, np.int8)
    label_records(
        records,
        actions,
        starts,
        new_minds(1),
        may_repeat,
        opinion_depth,
        weight_table(),
        legal,
        masks,
        features,
        labels,
    )
    chosen = np.flatnonzero((labels >= 0) & (masks.sum(1) > 1))
    won = arrays["won"].astype(np.float32) if "won" in arrays else np.full(count, np.nan, np.float32)
    return Decisions(features[chosen], masks[chosen], labels[chosen], won[chosen])
