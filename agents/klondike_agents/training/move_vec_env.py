"""The native vector env with decisions between card moves, as Stable-Baselines3 trains on it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import gymnasium as gym
import numpy as np
import numpy.typing as npt
from stable_baselines3.common.vec_env.base_vec_env import VecEnvStepReturn

from klondike_agents.card_features import FEATURE_COUNT
from klondike_agents.card_moves import MOVE_COUNT
from klondike_agents.greedy import new_minds
from klondike_agents.greedy_weights import weight_table
from klondike_agents.move_stepping import greedy_labels, settle_rows, turn_to_moves
from klondike_agents.sb3_vec_env import KlondikeVecEnv
from klondike_agents.training.config import TrainingConfig
from klondike_agents.training.judging import MoveJudge
from klondike_agents.training.symmetry import HIDDEN_COUNT
from klondike_env.cards import CARD_COUNT
from klondike_env.engine.state import STATE_DTYPE
from klondike_env.layout import COLUMN_COUNT
from klondike_env.observation import FULL
from klondike_env.planes import FACE_DOWN, FACE_UP
from klondike_env.rules import parse_rules
from klondike_env.stepping import reward_index
from klondike_env.vector_arrays import StepArrays
from klondike_env.vector_stepping import observe_rows

_HIGHEST: Final = 127


class CardMoveVecEnv(KlondikeVecEnv):
    """Games of ``KlondikeVecEnv`` stepped from decision to decision.

    Observations are features, int8 (num_envs, ``FEATURE_COUNT``), with hidden ones behind them for a full critic;
    actions are card moves, 0-156; masks say which are offered. What needs no decision is played within a step: turns of
    the stock towards the card that was chosen, cards that are safe on their foundation, and under unlimited passes the
    first look through the stock. An episode ends when its game does, when nothing is left to choose, or at the step
    limit; all three are ends for good, so nothing is bootstrapped.

    Attributes:
        labels: int64 array (num_envs,): the teacher's choice in the positions that the last step acted on, -1 for none;
            only written while ``teaches``.
        teaches: Whether the greedy teacher is asked.
        judge: What judged moves in the positions that the last step acted on, and its judgement.
        logits: Gives the network's logits for the present positions, float32 (num_envs, 157); None as long as moves are
            not judged.
        games: Games ended so far.
        wins: Games won so far.
    """

    def __init__(self, config: TrainingConfig) -> None:
        """Make an env for a training run."""
        self._config = config
        reward = "score" if config.reward == "score" else "win"
        super().__init__(config.rows, max_episode_steps=config.step_limit, rules=config.rules, reward=reward, threads=1)
        self._shows_all = config.critic == "full"
        count = FEATURE_COUNT + HIDDEN_COUNT * self._shows_all
        self.observation_space = gym.spaces.Box(-_HIGHEST, _HIGHEST, (count,), np.int8)
        self._all_rows = np.arange(config.rows)
        self._full = StepArrays(config.rows)
        self.action_space = gym.spaces.Discrete(MOVE_COUNT)
        rows = config.rows
        self._reward = reward_index(reward)
        self._minds = new_minds(rows)
        self._offered = np.zeros((rows, MOVE_COUNT), np.int8)
        self._move_actions = np.zeros((rows, MOVE_COUNT), np.int8)
        self._move_turns = np.zeros((rows, MOVE_COUNT), np.int8)
        self._features = np.zeros((rows, FEATURE_COUNT), np.int8)
        self._potentials = np.zeros((rows, 2))
        self._carried = np.zeros(rows)
        self._weights = weight_table()
        self.labels = np.full(rows, -1, np.int64)
        self.teaches = False
        spec = parse_rules(config.rules)
        self.judge = MoveJudge(
            rows,
            spec.draw,
            spec.scoring == "vegas",
            config.judging_samples,
            config.judging_margin,
            config.judging_trust,
            config.seed << 32,
        )
        self.logits: Callable[[], npt.NDArray[np.float32]] | None = None
        self.games = 0
        self.wins = 0

    def reset(self) -> npt.NDArray[np.int8]:
        """Start a game in every row and play it to its first decision."""
        super().reset()
        self._carried = self._settle(np.ones(self.num_envs, np.bool_))
        return self._observe()

    def step_wait(self) -> VecEnvStepReturn:
        """Play a card move in all rows, and what follows it without a decision."""
        rows = self.vector_env._rows
        if self.teaches:
            greedy_labels(
                rows.states,
                rows.legal,
                self._minds,
                self._offered,
                self._weights,
                self._config.teacher_depth,
                self.labels,
            )
        if self.logits is not None:
            self.judge.judge(
                rows.states,
                self._minds,
                self.logits(),
                self._offered,
                self._move_actions,
                self._move_turns,
                self.labels,
            )
        paid = self._carried
        actions = np.empty(self.num_envs, np.int64)
        turn_to_moves(
            rows.states,
            rows.legal,
            rows.elapsed,
            self._minds,
            np.asarray(self._actions, np.int64),
            self._offered,
            self._move_actions,
            self._move_turns,
            self._config.step_limit,
            self._reward,
            actions,
            paid,
        )
        _, rewards, terminations, truncations, info = self.vector_env.step(actions)
        dones = terminations | truncations
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        if dones.any():
            won = info["final_info"].get("won")
            self.games += int(dones.sum())
            for row in np.flatnonzero(dones).tolist():
                infos[row]["won"] = bool(won is not None and won[row])
                self.wins += infos[row]["won"]
        potential = self._potential()
        carried = self._settle(dones)
        rewards += paid + np.where(dones, 0.0, carried)
        self._carried = np.where(dones, carried, 0.0)
        if self._config.reward == "score":
            rewards /= self._config.score_unit
        elif self._config.reward == "shaped":
            # Ends have no potential, whatever the position, so that all of it is paid back.
            rewards += self._config.gamma * np.where(dones, 0.0, self._potential()) - potential
        return self._observe(), rewards.astype(np.float32), dones, infos

    def _observe(self) -> npt.NDArray[np.int8]:
        """Return the features, and for a full critic the hidden ones behind them."""
        if not self._shows_all:
            return self._features.copy()
        rows = self.vector_env._rows
        out = self._full
        observe_rows(
            rows.states, rows.legal, rows.phases, self._all_rows, FULL, False, out.planes, out.masks, out.scores
        )
        planes = out.observations.reshape(self.num_envs, -1, CARD_COUNT)
        face_up = planes[:, FACE_UP : FACE_UP + COLUMN_COUNT].reshape(self.num_envs, -1)
        face_down = planes[:, FACE_DOWN : FACE_DOWN + COLUMN_COUNT].reshape(self.num_envs, -1)
        return np.concatenate([self._features, face_up, face_down], axis=1)

    def _potential(self) -> npt.NDArray[np.float64]:
        """Return how far each row's game has come, float64 (num_envs,)."""
        config = self._config
        return np.asarray(self._potentials @ np.array([config.turned_up_worth, config.founded_worth]))

    def _settle(self, is_new: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
        """Play each row to its next decision, and return what that paid."""
        rows = self.vector_env._rows
        paid = np.zeros(self.num_envs)
        settle_rows(
            rows.states,
            rows.legal,
            rows.elapsed,
            self._minds,
            is_new,
            self._config.may_repeat,
            self._config.opinion_depth,
            self._weights,
            self._config.step_limit,
            self._reward,
            paid,
            self._offered,
            self._move_actions,
            self._move_turns,
            self._features,
            self._potentials,
        )
        self._masks = self._offered.astype(np.bool_)
        return paid

    def state_arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return copies of all that the rows are, for ``restore``."""
        rows = self.vector_env._rows
        arrays = {
            "states": rows.states.view(np.uint8).reshape(self.num_envs, -1),
            "minds": self._minds.view(np.uint8).reshape(self.num_envs, -1),
            "legal": rows.legal,
            "phases": rows.phases,
            "elapsed": rows.elapsed,
            "numbers": rows.numbers,
            "offered": self._offered,
            "move_actions": self._move_actions,
            "move_turns": self._move_turns,
            "features": self._features,
            "potentials": self._potentials,
            "carried": self._carried,
        }
        return {name: np.array(array) for name, array in arrays.items()}

    def generator_states(self) -> list[dict[str, Any]]:
        """Return the state of each row's random stream, as JSON can hold it."""
        return [dict(self.vector_env._games._generator(row).bit_generator.state) for row in range(self.num_envs)]

    def restore(self, arrays: dict[str, npt.NDArray[Any]], generators: list[dict[str, Any]]) -> npt.NDArray[np.int8]:
        """Bring back what ``state_arrays`` and ``generator_states`` gave, and return the observations."""
        self.reset()
        rows = self.vector_env._rows
        rows.states[:] = arrays["states"].reshape(-1).view(STATE_DTYPE)
        self._minds[:] = arrays["minds"].reshape(-1).view(self._minds.dtype)
        rows.legal[:] = arrays["legal"]
        rows.phases[:] = arrays["phases"]
        rows.elapsed[:] = arrays["elapsed"]
        rows.numbers[:] = arrays["numbers"]
        self._offered[:] = arrays["offered"]
        self._move_actions[:] = arrays["move_actions"]
        self._move_turns[:] = arrays["move_turns"]
        self._features[:] = arrays["features"]
        self._potentials[:] = arrays["potentials"]
        self._carried = np.array(arrays["carried"])
        self._masks = self._offered.astype(np.bool_)
        for row, state in enumerate(generators):
            self.vector_env._games._generator(row).bit_generator.state = state
        return self._observe()
