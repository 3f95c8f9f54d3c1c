"""The Gymnasium environment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, SupportsFloat

import gymnasium as gym
import numpy as np
import numpy.typing as npt

from klondike_env.actions import ACTION_COUNT, MOVES, check_action
from klondike_env.arguments import check_choice, check_flag
from klondike_env.episode_options import EpisodeOptions
from klondike_env.errors import EpisodeError, IllegalActionError, OptionError
from klondike_env.game import Game
from klondike_env.illegal_reasons import illegal_reason
from klondike_env.observation import OBSERVATION_SHAPE, information_index, observe, plane_bounds
from klondike_env.rules import Rules
from klondike_env.stepping import ENDED, ILLEGAL, WON, reward_index, step_game

if TYPE_CHECKING:
    from klondike_env.rendering.env_renderer import EnvRenderer

Observation = npt.NDArray[np.int8]

# Looked up once, since a step is short enough for it to count.
_empty = np.empty
_INT8 = np.dtype(np.int8)

ILLEGAL_ACTION_MODES = ("ignore", "raise")


class KlondikeEnv(gym.Env[Observation, np.int64]):
    r"""Klondike solitaire, draw 1 or 3, under eight rule sets.

    ## Description

    The classic card game of one player: 28 cards are dealt to seven columns, one face up in each, and 24 to the stock.
    Runs of descending ranks and alternating colours are built on the columns, and all 52 cards are to go to four
    foundations, from ace to king. Face-down cards and the stock are hidden, so a player acts on what it has seen.

    ## Action Space

    The action is an `int64` scalar, shape `()`, from `Discrete(86)`.

    | index | move |
    |---|---|
    | 0 | turn the stock; redeal when it is empty |
    | 1 | waste to its foundation |
    | 2 … 8 | waste to column 1 … 7 |
    | 9 … 15 | column 1 … 7 to its foundation |
    | 16 … 43 | take-back: foundation of suit s to column j: 16 + 7 s + (j - 1) |
    | 44 … 85 | column i to column j, i ≠ j: 44 + 6 (i - 1) + (j - 1, less one when j > i) |

    Suits are spades 0, hearts 1, diamonds 2, clubs 3. A run descends by one, so source and target column fix which card
    moves. The mask in `info["action_mask"]` and `action_masks()` is exact: 1 if and only if the action is legal.

    ## Observation Space

    The observation is an `int8` array of shape `(37, 4, 13)` from `Box`: planes over the 52 cards (suit, rank). What is
    said of the whole game fills a plane. `klondike_env.observation.PLANES` is this table:

    | planes | name | range | meaning |
    |---|---|---|---|
    | 0-6 | face up | 0-1 | the card lies face up in column 1 … 7 |
    | 7 | foundation | 0-1 | the card lies on its foundation |
    | 8 | waste top | 0-1 | the card is the top of the waste |
    | 9 | waste fan | 0-1 | the card is in the waste, in sight, not on top |
    | 10 | remembered | 0-1 | the card is in the talon, was seen before, and is not in sight |
    | 11 | talon place | 0-24 | place in the talon, 1 = first turned, if in sight or remembered |
    | 12 | stock actions | 0-49 | stock actions until the card is the waste top; 0 = never, unknown or already |
    | 13 | unknown | 0-1 | the card's whereabouts are unknown: planes 0-10 do not show it |
    | 14-20 | face down | 0-6 | full information only: face down in column 1 … 7, 1 = next to turn up |
    | 21-27 | face-down count | 0-6 | number of face-down cards in column 1 … 7 |
    | 28 | stock length | 0-24 | number of cards in the stock |
    | 29 | waste length | 0-24 | number of cards in the waste |
    | 30 | passes left | 0-4 | passes left after this one; 3 = three or more, 4 = unlimited |
    | 31 | draw | 1-3 | cards turned at once |
    | 32 | points at stake | 0-100 | points at stake at the next redeal: min(score, 100) under normal |
    | 33 | vegas | 0-1 | vegas scoring |
    | 34 | take-back | 0-1 | take-back allowed |
    | 35 | aces must play | 0-1 | aces must play |
    | 36 | aces first | 0-1 | aces go before any other card |

    `information="visible"` shows only what lies in sight; `"remembered"`, the default, adds what a perfect memory knows
    of the talon; `"full"` shows everything and is for teachers, critics and solvers, never for a result that is
    reported as playing Klondike. With `squared=True` columns are squared up: covered run cards and face-down counts are
    hidden, and a covered card counts as unknown. Unknown cards have no influence on observation, mask and info, but
    for `game_number`. (That a game ends as lost may depend on them; its mask is then all ones.)

    ## Starting State

    `reset()` draws one game number from 2 000 000 to 4 294 967 295 from `np_random` and deals it; smaller numbers are
    kept for evaluation. `reset(options=…)` takes one of

    - `{"code": "KL1-D3V-AAAAAAG"}`: the game of a code under the code's draw and scoring. If these are the env's own,
      all its rules stand; else the code's rule set does, with the env's overrides of passes, take_back, aces and fan.
    - `{"number": 6}`: the game of a number under the env's rules.
    - `{"deck": "4S 9C QH …"}`: any 52 cards in deal order (row by row, then the stock) under the env's rules.

    ## Rewards

    - `reward="score"` (default): the change in score by the scoring table, with the foundation points of each card paid
      once a game. Otherwise a learner would move one card up and down for ever.
    - `reward="table"`: the change in score to the letter.
    - `reward="win"`: 1 for a win, else 0.

    | event | normal | vegas |
    |---|---|---|
    | start | 0 | -52 |
    | card to its foundation | 10 | 5 |
    | waste card to a column | 5 | 0 |
    | face-down card turned up | 5 | 0 |
    | redeal | -100, but not below 0 | 0 |
    | column to column, take-back | 0 | 0 |

    The vegas stake of -52 is part of the first move's reward, so an episode's return is its final score (under
    `reward="table"`, and under `"score"` unless cards were founded again).

    ## Episode End

    - `terminated`: the game is won, or lost: no move is legal, or nothing but turning the stock is possible now and at
      every stock position that can still be reached. A few games are lost from the deal on; they begin as any other and
      end at the first step.
    - `truncated`: after 500 steps, by the registered `TimeLimit`. On the last allowed step both may be true.

    An illegal action changes nothing, pays 0, counts as a step and sets `info["illegal_action"]`; with
    `illegal_action="raise"` it raises instead. An index outside the space, or a step after the end, always raises.

    ## Information

    - `action_mask`: `int8` array of shape `(86,)`, 1 = legal. All ones once the game has ended.
    - `score`: score by the table.
    - `game_number`: the number of this game, or -1 for a deck; no input for a policy.
    - `illegal_action`: True, only after an illegal action.
    - `won`: whether the game was won, only when it has ended.

    ## Arguments

    ```python
    import gymnasium as gym
    import klondike_env

    env = gym.make("Klondike-v0", rules="D3N", passes=3, information="visible")
    ```

    - `rules="D1N"`: a rule set: `D1N`, `D3N`, `D1V`, `D3V`, `one-pass`, `three-pass`, `aces-first`, `aces-first-3`.
    - `draw`, `passes`, `scoring`, `take_back`, `aces`, `fan`: override single rules: 1-3; a number or `"unlimited"`;
      `"normal"` or `"vegas"`; True or False; `"free"`, `"must"` or `"first"`; True or False.
    - `information="remembered"`, `squared=False`: what is observed.
    - `reward="score"`: what is paid.
    - `illegal_action="ignore"`: or `"raise"`.
    - `code=None`: a game code that every reset plays.
    - `render_mode=None`: or one of
      - `"rgb_array"`: `render` returns a picture, a new `uint8` array `(540, 720, 3)`, drawn without a display.
      - `"human"`: a window shows every step, four a second; once a person has closed it, the env goes on without.
      - `"ansi"`: `render` returns the board as text, with colours and suit symbols if standard output is a terminal
        that has them, or the variable `FORCE_COLOR` is set; `NO_COLOR` gives plain text.

    Pictures and text show only what the player knows. The first two need the extra `render`.

    `env.unwrapped.game` is the `Game` with all its cards; an agent must not be given it.

    ## Vectorized environment

    `gym.make_vec("Klondike-v0", num_envs=4096)` plays many games in one compiled call.

    ## References

    The rules follow a phone app, an article on rules and an encyclopaedia; the app does not publish how its codes
    become cards, so the shuffle is this project's own.

    ## Version History

    - v0: first version.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["human", "rgb_array", "ansi"], "render_fps": 4}  # type: ignore[misc]  # gymnasium: an instance dict

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
        self._game_number = -1
        self._ended = False
        self._renderer: EnvRenderer | None = None

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
        self._game_number = -1 if deal.number is None else deal.number
        if self.render_mode == "human":
            self.render()
        info = {"action_mask": self._game.action_mask(), "score": self._game.score, "game_number": self._game_number}
        return self.observation_of_game(), info

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
        observation = _empty(OBSERVATION_SHAPE, _INT8)
        mask = _empty(ACTION_COUNT, _INT8)
        reward, status, score = step_game(
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
        info: dict[str, Any] = {"action_mask": mask, "score": score, "game_number": self._game_number}
        if status & ILLEGAL:
            info["illegal_action"] = True
        else:
            game._note_played()
        if status & ENDED:
            self._ended = True
            info["won"] = bool(status & WON)
        if self.render_mode == "human":
            self.render()
        return observation, reward, self._ended, False, info

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return the mask as bool of shape (86,), the method that sb3-contrib's MaskablePPO looks for."""
        game = self.game
        return np.ones(ACTION_COUNT, np.bool_) if self._ended else game._legal.astype(np.bool_)

    def render(self) -> Any:
        """Draw the position; see the class documentation for what each ``render_mode`` returns.

        Returns:
            A uint8 array of shape (540, 720, 3) for ``"rgb_array"``, text for ``"ansi"``, None for ``"human"`` and,
            with a warning, without a render mode.

        Raises:
            EpisodeError: Before the first ``reset``.
            DependencyNotInstalled: Pictures were asked for, and pygame is not installed.
        """
        if self.render_mode is None:
            gym.logger.warn(
                "render was called on an env without render mode; make it with, for instance,"
                ' gym.make("Klondike-v0", render_mode="rgb_array")'
            )
            return None
        # Loaded here, since envs are mostly run without being looked at.
        if self.render_mode == "ansi":
            from klondike_env.rendering.ansi import ansi_text

            return ansi_text(self.game, self.game.code or self.game.rules.name) + "\n"
        game = self.game
        if self._renderer is None:
            from klondike_env.rendering.env_renderer import EnvRenderer

            self._renderer = EnvRenderer()
        if self.render_mode == "human":
            self._renderer.show(game, self.metadata["render_fps"])
            return None
        return self._renderer.frame(game)

    def close(self) -> None:
        """Close the window of ``render_mode="human"``. May be called twice."""
        # Gymnasium also closes envs whose making failed.
        renderer = getattr(self, "_renderer", None)
        if renderer is not None:
            renderer.close()
            self._renderer = None

    def __getstate__(self) -> dict[str, Any]:
        # Pictures and windows cannot be copied; a copy draws its own when it is asked to.
        return {**self.__dict__, "_renderer": None}
