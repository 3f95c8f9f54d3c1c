"""The native vector env: many games in one compiled call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, cast

import gymnasium as gym
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from klondike_env.actions import ACTION_COUNT
from klondike_env.arguments import check_choice, check_flag
from klondike_env.env import ILLEGAL_ACTION_MODES
from klondike_env.episode_options import EpisodeOptions
from klondike_env.errors import EpisodeError, OptionError
from klondike_env.game import Game
from klondike_env.game_rows import NO_STEP_LIMIT, GameRows, check_positive
from klondike_env.observation import OBSERVATION_SHAPE, information_index, plane_bounds
from klondike_env.row_games import RowGames, Seeds
from klondike_env.row_threads import default_thread_count
from klondike_env.rules import Rules
from klondike_env.stepping import reward_index
from klondike_env.vector_arrays import (
    Flags,
    Info,
    StepArrays,
    add_step_keys,
    batch_box,
    final_observations,
    partial_state_info,
    state_info,
)
from klondike_env.vector_stepping import FRESH, RUNNING, TERMINATED

if TYPE_CHECKING:
    from klondike_env.rendering.env_renderer import EnvRenderer

Observations = npt.NDArray[np.int8]


class KlondikeVectorEnv(VectorEnv[Observations, npt.NDArray[np.int64], npt.NDArray[Any]]):
    """Many games of Klondike, stepped together: ``gym.make_vec("Klondike-v0", num_envs=4096, rules="D3N")``.

    Equal, step for step, to ``gymnasium.vector.SyncVectorEnv`` over ``gym.make("Klondike-v0", …)``: row i seeded s
    plays what the single env seeded s + i plays, and observations, rewards, flags and every key of info agree, dtypes
    included. Spaces, rewards and the end of an episode are those of ``KlondikeEnv``.

    ## Observation and info

    Observations are int8, shape ``(num_envs, 37, 4, 13)``; rewards float64, terminations and truncations bool, shape
    ``(num_envs,)``. Info holds arrays over the rows, each with a bool array ``_key`` of the rows that it is given for:
    ``action_mask`` (int8, ``(num_envs, 86)``), ``score`` and ``game_number`` (int64), ``illegal_action`` (bool, only if
    a row's action was illegal) and ``won`` (bool, only if a game has ended).

    ## Autoreset

    - ``NEXT_STEP`` (default): the step after an episode's last ignores that row's action and shows the new game.
    - ``SAME_STEP``: the last step shows the new game already; ``info["final_obs"]`` and ``info["final_info"]`` the end.
    - ``DISABLED``: ``reset(options={"reset_mask": …})`` with a bool array ``(num_envs,)`` starts games in those rows.

    ## Copies

    With ``copy=True`` (default) every array returned is new. With ``copy=False`` the env returns its own buffers: they
    change with the next ``step`` or ``reset``, must not be written to, and are for those who use them up at once, for
    instance by moving them to a device. ``torch.from_numpy`` takes either without another copy.

    ## Queues

    A list of codes (or numbers, or decks) in ``reset(options={"code": […]})`` has one entry a row. A longer one is a
    queue: a row whose episode ends takes the next entry, so that each is played once. When none is left the row idles:
    its observation stays, its actions are ignored, its reward is 0, its flags are False and so is its entry in every
    ``_key`` mask of info. ``idle_rows`` tells which rows idle; a loop over a queue ends when all do. Any reset of all
    rows ends the queue. ``klondike_env.game_batch.GameBatch`` plays a list of games without Gymnasium's interface.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["rgb_array", "ansi"], "render_fps": 4}  # type: ignore[misc]  # gymnasium: an instance dict

    def __init__(
        self,
        num_envs: int = 1,
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
        max_episode_steps: int | None = None,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        threads: int | None = None,
    ) -> None:
        """Make an env of ``num_envs`` rows.

        Args:
            num_envs: How many games are played at once.
            rules: A rule set, as for ``KlondikeEnv``; so are the next eleven.
            draw: See ``KlondikeEnv``.
            passes: See ``KlondikeEnv``.
            scoring: See ``KlondikeEnv``.
            take_back: See ``KlondikeEnv``.
            aces: See ``KlondikeEnv``.
            fan: See ``KlondikeEnv``.
            information: See ``KlondikeEnv``.
            squared: See ``KlondikeEnv``.
            reward: See ``KlondikeEnv``.
            illegal_action: See ``KlondikeEnv``; ``"raise"`` raises before any row is stepped.
            code: A game code that every reset of every row plays.
            render_mode: None, ``"rgb_array"`` or ``"ansi"``.
            max_episode_steps: Steps after which an episode is truncated; None or -1 for without limit.
            autoreset_mode: ``AutoresetMode`` or its value, such as ``"SameStep"``.
            copy: Whether returned arrays are new ones.
            threads: Threads to split the rows among; by default as many as pay off. Results do not depend on it.

        Raises:
            OptionError: An argument has a value that it cannot take.
            RulesError: No such rule set, or a wrong override.
            GameCodeError: The code names no game.
        """
        self.num_envs = check_positive("num_envs", num_envs)
        overrides = {
            "draw": draw,
            "passes": passes,
            "scoring": scoring,
            "take_back": take_back,
            "aces": aces,
            "fan": fan,
        }
        options = EpisodeOptions(rules, overrides, code)
        self._rules = options.rules
        self._raise_if_illegal = check_choice("illegal_action", illegal_action, ILLEGAL_ACTION_MODES) == "raise"
        if render_mode is not None:
            check_choice("render_mode", render_mode, tuple(self.metadata["render_modes"]))
        self.render_mode = render_mode
        self._renderer: EnvRenderer | None = None
        step_limit = NO_STEP_LIMIT
        if max_episode_steps is not None and max_episode_steps != -1:
            step_limit = check_positive("max_episode_steps", max_episode_steps)
        thread_count = default_thread_count(self.num_envs) if threads is None else check_positive("threads", threads)
        self.autoreset_mode = _check_autoreset_mode(autoreset_mode)
        self.copy = check_flag("copy", copy)
        # An own dict: writing into the class's would change it for every env of the process.
        self.metadata = {**type(self).metadata, "autoreset_mode": self.autoreset_mode}  # type: ignore[misc]
        low, high = plane_bounds()
        box = gym.spaces.Box(low, high, OBSERVATION_SHAPE, np.int8)
        self.single_observation_space = box
        self.single_action_space = gym.spaces.Discrete(ACTION_COUNT)
        self.observation_space = batch_box(box, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

        self._games = RowGames(self.num_envs, options)
        self._rows = GameRows(
            self.num_envs,
            options.rules,
            information=information_index(information),
            squared=check_flag("squared", squared),
            reward=reward_index(reward),
            step_limit=step_limit,
            threads=thread_count,
        )
        self._idle = np.zeros(self.num_envs, np.bool_)
        self._buffers = None if self.copy else StepArrays(self.num_envs)
        self._started = False
        self._any_over = False

    @property
    def rules(self) -> Rules:
        """The rules that games have unless ``reset`` is given codes of another mode."""
        return self._rules

    @property
    def idle_rows(self) -> Flags:
        """Which rows have no game left of a queue, as a new bool array (num_envs,)."""
        return self._idle.copy()

    @property  # type: ignore[misc]
    def np_random(self) -> tuple[np.random.Generator, ...]:  # type: ignore[override]
        """The random stream of each row, as ``SyncVectorEnv`` gives them."""
        return self._games.generators

    @property
    def np_random_seed(self) -> tuple[int, ...]:  # type: ignore[override]
        """The seed of each row's random stream."""
        return self._games.seeds

    def reset(self, *, seed: Seeds = None, options: dict[str, Any] | None = None) -> tuple[Observations, Info]:
        """Start a game in every row, or in those of a reset mask.

        Args:
            seed: An int s seeds row i with s + i; a list seeds each row on its own, None leaving a row's stream as it
                is.
            options: ``code``, ``number`` or ``deck`` as for ``KlondikeEnv``, each one for all rows or a list (see
                "Queues"), and ``reset_mask``, a bool array (num_envs,). The dict is read, never changed.

        Returns:
            Observations and info. With a reset mask info tells of the rows that were reset only.

        Raises:
            OptionError: An option that does not exist or has the wrong form, or a wrong seed.
            GameCodeError: A code or number that names no game.
            DealError: A deck with a missing, doubled or unknown card.
            EpisodeError: A reset mask before the first reset of all rows.
        """
        # Everything is read before anything changes, so that wrong input leaves the env as it was.
        seeds = self._games.check_seeds(seed)
        request = self._games.read(options, self.autoreset_mode is not AutoresetMode.DISABLED)
        rows = request.rows
        if not self._started and len(rows) < self.num_envs:
            row = int(np.setdiff1d(np.arange(self.num_envs), rows)[0])
            raise EpisodeError(f"reset_mask leaves out row {row}, where no game has started; reset all rows first")
        self._games.seed(rows, seeds)
        self._rows.deal(rows, self._games.begin(request), RUNNING)
        self._idle[rows] = False
        self._started = True
        self._any_over = bool((self._rows.phases >= TERMINATED).any())
        out = self._buffers or StepArrays(self.num_envs)
        self._rows.observe(np.arange(self.num_envs), out)
        chosen = np.zeros(self.num_envs, np.bool_)
        chosen[rows] = True
        return out.observations, partial_state_info(out.masks, out.scores, self._rows.numbers, chosen)

    def step(self, actions: npt.ArrayLike) -> tuple[Observations, npt.NDArray[np.float64], Flags, Flags, Info]:
        """Play one action in every row.

        Args:
            actions: Whole numbers 0-85, shape (num_envs,).

        Returns:
            Observations, rewards, terminations, truncations and info.

        Raises:
            ActionError: Wrong dtype, shape or range; the message names the row, and no row has been stepped.
            IllegalActionError: An action is illegal and ``illegal_action="raise"``; no row has been stepped.
            EpisodeError: No game has started, or a row's episode has ended and autoreset is disabled.
        """
        if not self._started:
            raise EpisodeError("step was called, but no game has started in row 0 or any other; call reset() first")
        self._rows.take_actions(actions, self._raise_if_illegal)
        if self._any_over:
            self._begin_next_games()
        out = self._buffers or StepArrays(self.num_envs)
        illegal, over = self._rows.step(out, update=not self.copy)
        self._any_over = self._any_over or over > 0
        info: Info = {}
        going_on = None
        if self._any_over and self.autoreset_mode is AutoresetMode.SAME_STEP:
            going_on = self._reset_in_same_step(out, info)
        self._tell_shown_games(info, out, going_on, illegal + over > 0)
        return out.observations, out.rewards, out.terminations, out.truncations, info

    def _begin_next_games(self) -> None:
        """Deal new games, before a step, in the rows whose episode ended in the step before."""
        rows = np.flatnonzero(self._rows.phases >= TERMINATED)
        if self.autoreset_mode is AutoresetMode.DISABLED:
            raise EpisodeError(f"row {rows[0]}: the episode has ended; reset it with options={{'reset_mask': …}}")
        if self.autoreset_mode is AutoresetMode.NEXT_STEP:
            self._any_over = self._deal_next(rows, FRESH) < len(rows)

    def _deal_next(self, rows: npt.NDArray[np.int64], phase: int) -> int:
        """Deal the next game of each row, and return how many got one; the others idle."""
        games = self._games.next(rows)
        self._rows.deal(rows[: len(games)], games, phase)
        self._idle[rows[len(games) :]] = True
        return len(games)

    def _reset_in_same_step(self, out: StepArrays, info: Info) -> Flags:
        """Keep the ends of episodes in info and show the rows' next games; return the rows that have not ended."""
        ended = out.terminations | out.truncations
        rows = np.flatnonzero(ended)
        if len(rows):
            final = partial_state_info(out.masks, out.scores, self._rows.numbers, ended)
            add_step_keys(final, self._rows.statuses, out.terminations, ended)
            info["final_obs"] = final_observations(out.observations, rows)
            info["_final_obs"] = ended.copy()
            info["final_info"] = final
            info["_final_info"] = ended.copy()
            dealt = self._deal_next(rows, RUNNING)
            self._rows.observe(rows[:dealt], out)
        self._any_over = bool(self._idle.any())
        return ~ended

    def _tell_shown_games(self, info: Info, out: StepArrays, going_on: Flags | None, any_status: bool) -> None:
        """Add what info tells of the games shown now."""
        numbers = self._rows.numbers
        shown = ~self._idle
        info.update(state_info(out.masks, out.scores, numbers.copy() if self.copy else numbers))
        info.update(_action_mask=shown, _score=shown.copy(), _game_number=shown.copy())
        if any_status:
            add_step_keys(info, self._rows.statuses, out.terminations, going_on)

    def action_masks(self) -> Flags:
        """Return which actions are legal, as a new bool array (num_envs, 86); all ones where a game has ended."""
        return self._rows.action_masks()

    def game(self, row: int) -> Game:
        """Return a copy of a row's game, with nothing to undo. An agent must not be given it.

        Raises:
            OptionError: There is no such row.
            EpisodeError: No game has started.
        """
        if row not in range(self.num_envs):
            raise OptionError(f"row {row!r} does not exist; rows are 0 to {self.num_envs - 1}")
        if not self._started:
            raise EpisodeError(f"no game has started in row {row}; call reset() first")
        return self._rows.game(row)

    def render(self) -> Any:
        """Return a tuple with a picture (uint8, shape (540, 720, 3)) or the text of each row's board.

        Without a render mode it warns and returns None.

        Raises:
            DependencyNotInstalled: Pictures need the extra ``render``.
        """
        if self.render_mode is None:
            gym.logger.warn(
                "render was called on a vector env without render mode; make it with render_mode='rgb_array'"
            )
            return None
        if self.render_mode == "ansi":
            return tuple(f"{self.game(row)}\n" for row in range(self.num_envs))
        if self._renderer is None:
            from klondike_env.rendering.env_renderer import EnvRenderer

            self._renderer = EnvRenderer()
        return tuple(self._renderer.frame(self.game(row)) for row in range(self.num_envs))

    def close_extras(self, **kwargs: Any) -> None:
        """End the env's threads."""
        # Gymnasium also closes envs whose making failed, and which have no rows.
        if hasattr(self, "_rows"):
            self._rows.close()

    def __getstate__(self) -> dict[str, Any]:
        # The batch space is rebuilt, since pickling would write its views out in full; so is what draws.
        kept = {key: value for key, value in self.__dict__.items() if key != "observation_space"}
        return {**kept, "_renderer": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        box = cast(gym.spaces.Box, self.single_observation_space)
        self.observation_space = batch_box(box, self.num_envs)


def _check_autoreset_mode(mode: Any) -> AutoresetMode:
    """Return an autoreset mode given as such, by value or by name.

    Raises:
        OptionError: There is no such mode.
    """
    for known in AutoresetMode:
        if mode in (known, known.value, known.name):
            return known
    raise OptionError(
        f"autoreset_mode is {mode!r}; it must be one of {', '.join(repr(m.value) for m in AutoresetMode)}"
    )
