"""The Gymnasium environment."""

from __future__ import annotations

from typing import Any, ClassVar, SupportsFloat

import gymnasium as gym
import numpy as np
import numpy.typing as npt

from klondike_env.actions import ACTION_COUNT, MOVES, check_action
from klondike_env.episode_options import EpisodeOptions
from klondike_env.errors import EpisodeError, IllegalActionError, OptionError
from klondike_env.game import Game
from klondike_env.illegal_reasons import illegal_reason
from klondike_env.observation import OBSERVATION_SHAPE, information_index, observe, plane_bounds
from klondike_env.rules import Rules
from klondike_env.stepping import ENDED, ILLEGAL, WON, reward_index, step_game

Observation = npt.NDArray[np.int8]

ILLEGAL_ACTION_MODES = ("ignore", "raise")


class KlondikeEnv(gym.Env[Observation, np.int64]):
    """Klondike solitaire."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi"], "render_fps": 4}  # type: ignore[misc]

    def __init__(
        self,
        rules: str = "D1N",
        *,
        draw: int | None = None,
        passes: int | str | None = None,
        scoring: str | None = None,
        take_back: bool | None = None,
        aces: str | None = None,
        fan: bool | None = None,
        information: str = "remembered",
        squared: bool = False,
        reward: str = "score",
        illegal_action: str = "ignore",
        code: str | None = None,
        render_mode: str | None = None,
    ) -> None:
        """Make an env; the class documentation describes the arguments."""
        overrides = {
            "draw": draw,
            "passes": passes,
            "scoring": scoring,
            "take_back": take_back,
            "aces": aces,
            "fan": fan,
        }
        self._options = EpisodeOptions(rules, overrides, code)
        self._information = information_index(information)
        self._information_name = information
        self._reward = reward_index(reward)
        self._squared = check_flag("squared", squared)
        self._raise_if_illegal = check_choice("illegal_action", illegal_action, ILLEGAL_ACTION_MODES) == "raise"
        modes = self.metadata["render_modes"]
        if render_mode is not None and render_mode not in modes:
            raise OptionError(
                f"render_mode is {render_mode!r}; it must be None or one of {', '.join(map(repr, modes))}"
            )
        self.render_mode = render_mode
        low, high = plane_bounds()
        self.observation_space = gym.spaces.Box(low, high, OBSERVATION_SHAPE, np.int8)
        self.action_space = gym.spaces.Discrete(ACTION_COUNT)
        self._game: Game | None = None
        self._ended = False

    @property
    def game(self) -> Game:
        """The game being played. An agent must not be given it.

        Raises:
            EpisodeError: Before the first ``reset``.
        """
        if self._game is None:
            raise EpisodeError("no game has started; call reset() first")
        return self._game

    @property
    def rules(self) -> Rules:
        """The rules that a game has unless ``reset`` is given a code of another mode."""
        return self._options.rules

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start a game.

        Args:
            seed: Seeds the stream of game numbers. Without one the stream goes on.
            options: ``{"code": …}`` plays the game of a code, under the code's draw and scoring; ``{"number": …}`` the
                game of a number and ``{"deck": "…52 cards…"}`` any deal, under the env's rules.

        Returns:
            Observation and info of the new game.

        Raises:
            OptionError: An option that does not exist, or several deals at once.
            GameCodeError: A code or number that names no game.
            DealError: A deck with a missing, doubled or unknown card.
        """
        # Options are read before anything changes, so that wrong ones leave env and random stream as they were.
        chosen = self._options.read(options)
        super().reset(seed=seed)
        deal, rules = chosen if chosen is not None else self._options.draw(self.np_random)
        self._game = Game.from_deal(deal, rules)
        self._ended = False
        if self.render_mode == "human":
            self.render()
        return self.observation_of_game(), self._info(self._game.action_mask())

    def observation_of_game(self) -> Observation:
        """Return a new observation of the present position, int8 of shape (37, 4, 13), as ``step`` returned it.

        Raises:
            EpisodeError: Before the first ``reset``.
        """
        return observe(self.game._states, self._information_name, self._squared)

    def step(self, action: np.int64 | int) -> tuple[Observation, SupportsFloat, bool, bool, dict[str, Any]]:
        """Play an action.

        Args:
            action: Action index, 0-85.

        Returns:
            Observation, reward, terminated (won or lost), False (the step limit is a wrapper's) and info.

        Raises:
            ActionError: The index is outside the action space.
            IllegalActionError: The action is illegal and ``illegal_action="raise"``; nothing has changed.
            EpisodeError: No game has started, or it has ended.
        """
        game = self._game
        if game is None or self._ended:
            what = "no game has started" if game is None else "the game has ended"
            raise EpisodeError(f"step was called, but {what}; call reset() first")
        index = check_action(action)
        if self._raise_if_illegal and not game._legal[index]:
            raise IllegalActionError(f"action {index} ({MOVES[index]}) is not legal: {illegal_reason(game, index)}")
        observation = np.empty(OBSERVATION_SHAPE, np.int8)
        mask = np.empty(ACTION_COUNT, np.int8)
        reward, status = step_game(
            game._states,
            game._next_undo_row,
            game._legal,
            index,
            self._reward,
            self._information,
            self._squared,
            observation,
            mask,
        )
        info = self._info(mask)
        if status & ILLEGAL:
            info["illegal_action"] = True
        else:
            game._note_played()
        if status & ENDED:
            self._ended = True
            info["won"] = bool(status & WON)
        return observation, reward, self._ended, False, info

    def _info(self, mask: npt.NDArray[np.int8]) -> dict[str, Any]:
        """Return what every reset and step tells beside the observation."""
        state = self.game._states[0]
        return {"action_mask": mask, "score": int(state["score"]), "game_number": int(state["game_number"])}

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return the mask as bool of shape (86,), the method that sb3-contrib's MaskablePPO looks for."""
        game = self.game
        return np.ones(ACTION_COUNT, np.bool_) if self._ended else game._legal.astype(np.bool_)

    def render(self) -> Any:
        """Return the board as text for ``render_mode="ansi"``; warn and return None without a render mode."""
        if self.render_mode is None:
            gym.logger.warn(
                "render was called on an env without render mode; make it with, for instance,"
                ' gym.make("Klondike-v0", render_mode="ansi")'
            )
            return None
        return str(self.game) + "\n"

    def close(self) -> None:
        """Do nothing; the env holds no resources. May be called twice."""


def check_flag(name: str, value: Any) -> bool:
    """Return an argument that must be True or False.

    Raises:
        OptionError: It is something else.
    """
    if not isinstance(value, bool | np.bool_):
        raise OptionError(f"{name} is {value!r}; it must be True or False")
    return bool(value)


def check_choice(name: str, value: Any, allowed: tuple[str, ...]) -> str:
    """Return an argument that must be one of a few words.

    Raises:
        OptionError: It is something else.
    """
    if not isinstance(value, str) or value not in allowed:
        raise OptionError(f"{name} is {value!r}; it must be one of {', '.join(map(repr, allowed))}")
    return value
