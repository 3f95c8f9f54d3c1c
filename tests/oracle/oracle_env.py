"""Reset and step around an `OracleGame`, with the return values of a Gymnasium environment."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from .klondike_oracle import OracleGame
from .oracle_observation import Information, oracle_observation
from .oracle_rules import ACTION_COUNT, OracleRules

Observation = npt.NDArray[np.int8]


class OracleEnv:
    """One game at a time; the caller deals. `won` stands in info when the game is terminated."""

    game: OracleGame

    def __init__(
        self,
        rules: OracleRules,
        information: Information = "remembered",
        squared: bool = False,
        reward: Literal["score", "table", "win"] = "score",
        illegal_action: Literal["ignore", "raise"] = "ignore",
        step_limit: int | None = None,
    ) -> None:
        self.rules = rules
        self.information = information
        self.squared = squared
        self.reward = reward
        self.illegal_action = illegal_action
        self.step_limit = step_limit
        self.steps = 0
        self.terminated = False

    def reset(self, deck: Sequence[str]) -> tuple[Observation, dict[str, Any]]:
        """Deal these cards."""
        self.game = OracleGame(deck, self.rules)
        self.steps = 0
        self.terminated = False
        return self._observe(), self._info()

    def step(self, action: int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Play one action; an illegal one changes nothing.

        Raises:
            ValueError: The index lies outside 0 … 85, or the action is illegal and that is to raise.
        """
        assert not self.terminated, "the game has ended, deal again"
        if not 0 <= action < ACTION_COUNT:
            raise ValueError(f"action {action} lies outside 0 … {ACTION_COUNT - 1}")
        is_legal = self.game.is_legal(action)
        if not is_legal and self.illegal_action == "raise":
            raise ValueError(f"action {action} is illegal here, legal are {self.game.legal_actions()}")
        stake_due = not self.game.begun
        reward = 0
        if is_legal:
            self.game.play(action)
            reward = self.game.rewards[self.reward]
        self.steps += 1
        self.terminated = self.game.is_won() or self.game.is_lost()
        if self.terminated and not is_legal:
            # Only a game lost from the deal on ends by an illegal step; its return is its score as well.
            self.game.begun = True
            reward = self.rules.stake if stake_due and self.reward != "win" else 0
        truncated = self.step_limit is not None and self.steps >= self.step_limit
        info = self._info()
        if not is_legal:
            info["illegal_action"] = True
        if self.terminated:
            info["won"] = self.game.is_won()
        return self._observe(), float(reward), self.terminated, truncated, info

    def _observe(self) -> Observation:
        return oracle_observation(self.game, self.information, self.squared)

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self.game.mask(), "score": self.game.score}
