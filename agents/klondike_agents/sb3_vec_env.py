"""The native vector env as a Stable-Baselines3 ``VecEnv``, with action masks for sb3-contrib."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvStepReturn

from klondike_env.errors import OptionError
from klondike_env.registration import STEP_LIMIT
from klondike_env.vector_env import KlondikeVectorEnv

FINAL_OBSERVATION = "terminal_observation"
TRUNCATED = "TimeLimit.truncated"
ACTION_MASKS = "action_masks"


class KlondikeVecEnv(VecEnv):
    """Many games of Klondike for ``MaskablePPO`` and everything else that takes a ``VecEnv``.

    It resets and steps as ``DummyVecEnv`` over ``gym.make("Klondike-v0", …)`` does, row for row: an episode that ends
    starts the next at once, ``infos[i]`` is that of the step, with ``terminal_observation`` and ``TimeLimit.truncated``
    at the end of an episode. ``VecMonitor``, ``get_action_masks`` and masked evaluation work as with any other.

    Attributes:
        vector_env: The vector env underneath.
    """

    def __init__(self, num_envs: int = 1, *, max_episode_steps: int | None = STEP_LIMIT, **env_arguments: Any) -> None:
        """Make an env of ``num_envs`` rows.

        Args:
            num_envs: How many games are played at once.
            max_episode_steps: Steps after which an episode is truncated; None for without limit.
            **env_arguments: What ``KlondikeEnv`` takes, and ``threads``.

        Raises:
            KlondikeError: An argument has a value that it cannot take.
        """
        for name in ("autoreset_mode", "copy"):
            if name in env_arguments:
                raise OptionError(f"{name} cannot be chosen here: Stable-Baselines3 fixes it")
        self.vector_env = KlondikeVectorEnv(
            num_envs, max_episode_steps=max_episode_steps, autoreset_mode=AutoresetMode.SAME_STEP, **env_arguments
        )
        self._masks = np.ones((num_envs, 0), np.bool_)
        self._actions: npt.NDArray[Any] = np.zeros(num_envs, np.int64)
        super().__init__(num_envs, self.vector_env.single_observation_space, self.vector_env.single_action_space)

    def reset(self) -> npt.NDArray[np.int8]:
        """Start a game in every row, with the seeds and options set since the last reset."""
        observations, info = self.vector_env.reset(seed=self._seeds, options=_merge_options(self._options))
        self._reset_seeds()
        self._reset_options()
        self._masks = info["action_mask"].astype(np.bool_)
        self.reset_infos = _row_infos(info)
        return observations

    def step_async(self, actions: npt.NDArray[Any]) -> None:
        """Keep the actions for ``step_wait``."""
        self._actions = actions

    def step_wait(self) -> VecEnvStepReturn:
        """Step all rows.

        Returns:
            Observations, rewards (float32), dones and one info a row.
        """
        observations, rewards, terminations, truncations, info = self.vector_env.step(self._actions)
        self._masks = info["action_mask"].astype(np.bool_)
        dones = terminations | truncations
        infos = _row_infos(info)
        ended = np.flatnonzero(dones).tolist()
        final_infos = _row_infos(info["final_info"]) if ended else []
        for row in ended:
            self.reset_infos[row] = infos[row]
            infos[row] = {**final_infos[row], FINAL_OBSERVATION: info["final_obs"][row]}
        for row_info, truncated in zip(infos, (truncations & ~terminations).tolist(), strict=True):
            row_info[TRUNCATED] = truncated
        return observations, rewards.astype(np.float32), dones, infos

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return which actions are legal now, bool (num_envs, 86)."""
        return self._masks

    def close(self) -> None:
        """Close the vector env."""
        self.vector_env.close()

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Return an attribute of some rows.

        ``action_masks``, ``game``, ``np_random`` and ``np_random_seed`` are each row's own; what else the vector env
        has is shared and returned once a row.

        Raises:
            AttributeError: There is none of that name.
        """
        rows = list(self._get_indices(indices))
        if attr_name == ACTION_MASKS:
            return [lambda row=row: self._masks[row] for row in rows]
        if attr_name == "game":
            return [self.vector_env.game(row) for row in rows]
        value = getattr(self.vector_env, attr_name)
        return [value[row] for row in rows] if attr_name in ("np_random", "np_random_seed") else [value for _ in rows]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Refuse: rows share their attributes.

        Raises:
            AttributeError: Always.
        """
        raise AttributeError(f"{attr_name!r} cannot be set: the rows of a {type(self).__name__} share their attributes")

    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Call a method in some rows: ``action_masks``, ``render`` or ``get_wrapper_attr``.

        Raises:
            AttributeError: There is no such method; a row cannot be reset or stepped without the others.
        """
        rows = list(self._get_indices(indices))
        if method_name == ACTION_MASKS:
            return [self._masks[row] for row in rows]
        if method_name == "get_wrapper_attr":
            return self.get_attr(method_args[0], indices)
        if method_name == "render":
            texts = self.vector_env.render()
            return [None if texts is None else texts[row] for row in rows]
        known = "action_masks, get_wrapper_attr and render"
        raise AttributeError(f"{type(self).__name__} has no method {method_name!r}; it has {known}")

    def get_images(self) -> list[npt.NDArray[np.uint8] | None]:
        """Return None for each row: there are no pictures of this env."""
        return [None] * self.num_envs

    def env_is_wrapped(
        self, wrapper_class: type[gym.Wrapper[Any, Any, Any, Any]], indices: VecEnvIndices = None
    ) -> list[bool]:
        """Return False for each row: rows are in no wrapper."""
        return [False for _ in self._get_indices(indices)]


def _row_infos(info: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what a vector env's info tells of each row, as the single env would give it."""
    scores, numbers = info["score"].tolist(), info["game_number"].tolist()
    infos = [
        {"action_mask": mask, "score": score, "game_number": number}
        for mask, score, number in zip(info["action_mask"], scores, numbers, strict=True)
    ]
    for key in ("illegal_action", "won"):
        if key in info:
            for row in np.flatnonzero(info[f"_{key}"]).tolist():
                infos[row][key] = bool(info[key][row])
    return infos


def _merge_options(options: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Return one options dict with a list a key from one dict a row.

    Raises:
        OptionError: The rows' dicts do not have the same keys.
    """
    for row, row_options in enumerate(options):
        if set(row_options) != set(options[0]):
            raise OptionError(
                f"row {row} has the reset options {sorted(row_options)} and row 0 {sorted(options[0])}; every row must"
                " have the same"
            )
    return {key: [row_options[key] for row_options in options] for key in options[0]} or None
