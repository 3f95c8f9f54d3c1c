"""The native vector env and its model, ``SyncVectorEnv`` over the single env, side by side."""

from typing import Any

import gymnasium as gym
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from klondike_env.actions import COLUMN_TO_COLUMN, TAKE_BACK, TURN_STOCK
from klondike_env.vector_env import KlondikeVectorEnv

Info = dict[str, Any]


def make_native(num_envs: int, **arguments: Any) -> KlondikeVectorEnv:
    """Make a native vector env as users do."""
    envs = gym.make_vec("klondike_env:Klondike-v0", num_envs=num_envs, **arguments)
    assert isinstance(envs, KlondikeVectorEnv)
    return envs


def make_sync(num_envs: int, autoreset_mode: AutoresetMode, **arguments: Any) -> SyncVectorEnv:
    """Make the model of a native vector env."""

    def make() -> gym.Env[Any, Any]:
        return gym.make("klondike_env:Klondike-v0", disable_env_checker=True, **arguments)

    return SyncVectorEnv([make] * num_envs, autoreset_mode=autoreset_mode)


def assert_same(ours: Any, theirs: Any, where: str = "") -> None:
    """Check that two results are equal: types, keys, dtypes, shapes and values, at any depth."""
    if isinstance(theirs, dict):
        assert set(ours) == set(theirs), where
        for key, value in theirs.items():
            assert_same(ours[key], value, f"{where}/{key}")
    elif isinstance(theirs, tuple | list):
        assert len(ours) == len(theirs), where
        for place, value in enumerate(theirs):
            assert_same(ours[place], value, f"{where}/{place}")
    elif isinstance(theirs, np.ndarray):
        assert isinstance(ours, np.ndarray), where
        assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape), where
        if theirs.dtype == object:
            for row, value in enumerate(theirs):
                assert_same(ours[row], value, f"{where}/{row}")
        else:
            np.testing.assert_array_equal(ours, theirs, err_msg=where)
    else:
        assert ours is theirs is None or ours == theirs, where


def choose_actions(
    masks: npt.NDArray[np.int8], rng: np.random.Generator, illegal_share: float = 0.0
) -> npt.NDArray[np.int64]:
    """Draw an action a row: legal ones with a liking for those that get somewhere, and a share of any at all."""
    weights = masks.astype(np.float64)
    weights[:, :TAKE_BACK] *= 8
    weights[:, TURN_STOCK] *= 0.5
    weights[:, TAKE_BACK:COLUMN_TO_COLUMN] *= 0.3
    weights[~masks.any(axis=1)] = 1
    heights = np.cumsum(weights, axis=1)
    actions = (heights < rng.random((len(masks), 1)) * heights[:, -1:]).sum(axis=1)
    anything = rng.random(len(masks)) < illegal_share
    actions[anything] = rng.integers(0, masks.shape[1], anything.sum())
    return actions


class SideBySide:
    """Both envs, stepped with the same actions; every result is compared."""

    def __init__(self, num_envs: int, mode: AutoresetMode, *, native: dict[str, Any] | None = None, **arguments: Any):
        self.native = make_native(num_envs, autoreset_mode=mode, **arguments, **(native or {}))
        self.model = make_sync(num_envs, mode, **arguments)
        self.mode = mode
        self.masks = np.ones((num_envs, 86), np.int8)
        self.ends = 0

    def reset(self, **arguments: Any) -> Info:
        """Reset both and return info."""
        options = arguments.pop("options", None)
        ours = self.native.reset(options=options, **arguments)
        # The model takes the reset mask out of the caller's options.
        theirs = self.model.reset(options=None if options is None else dict(options), **arguments)
        assert_same(ours, theirs, "reset")
        self._keep_masks(ours[1])
        return ours[1]

    def step(self, actions: npt.NDArray[np.int64]) -> tuple[Any, ...]:
        """Step both, reset ended rows where they do not reset by themselves, and return the native result."""
        ours, theirs = self.native.step(actions), self.model.step(actions)
        assert_same(ours, theirs, "step")
        over = theirs[2] | theirs[3]
        self.ends += int(over.sum())
        self._keep_masks(ours[4])
        if self.mode is AutoresetMode.DISABLED and over.any():
            self.reset(options={"reset_mask": over})
        return ours

    def _keep_masks(self, info: Info) -> None:
        shown = info["_action_mask"]
        self.masks[shown] = info["action_mask"][shown]
