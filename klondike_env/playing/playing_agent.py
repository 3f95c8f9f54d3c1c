"""An agent that plays on in a person's game."""

from __future__ import annotations

import threading
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from klondike_env.errors import PolicyError
from klondike_env.evaluation.game_player import game_seed
from klondike_env.evaluation.policies import AGENT_CLASSES, is_thoughtful, load_policy, policy_name, what_it_sees
from klondike_env.evaluation.thoughts import Thoughts
from klondike_env.game import Game
from klondike_env.playing.background import Background


@dataclass(frozen=True, slots=True)
class Choice:
    """What an agent would play.

    Attributes:
        action: Action index, 0-85, legal where the agent was asked.
        thoughts: How it saw the decision, if it tells.
        gave_up: Whether it says of itself that it sees no way on.
    """

    action: int
    thoughts: Thoughts | None = None
    gave_up: bool = False


class PlayingAgent:
    """An agent of any kind, asked for one action at a time.

    It begins anew (``reset``) at its first action and wherever the position is not the one its own last action led to:
    after a person's move, an undo or another game. From the deal on it plays as ``klondike evaluate`` with seed 0 does.

    Attributes:
        name: The name that the agent was chosen by.
        thoughtful: Whether it sees all cards.
    """

    def __init__(self, name: str) -> None:
        """Load an agent.

        Raises:
            PolicyError: No such agent, or it cannot be loaded.
        """
        self._policy: Any = load_policy(name)
        self.name = name
        self.thoughtful = is_thoughtful(self._policy)
        # One thought at a time: an abandoned one may still be going on when the next is asked for.
        self._lock = threading.Lock()
        self._expected_serial: int | None = None
        self._generator = np.random.default_rng(0)

    def choose(self, game: Game, action_count: int, serial: int, stopped: Callable[[], bool]) -> Choice:
        """Choose an action.

        Args:
            game: A copy of the game, which only a thoughtful agent gets to see.
            action_count: Actions played since the deal.
            serial: Number of the position; ``played`` tells which one the agent's own action led to.
            stopped: Whether the answer is still wanted.

        Returns:
            The choice.

        Raises:
            PolicyError: The agent fails, or its answer is no legal action, or is not wanted any more.
        """
        with self._lock:
            if stopped():
                raise PolicyError(f"agent {self.name!r} was not asked in the end")
            try:
                if serial != self._expected_serial:
                    self._reset(game, action_count)
                answer = self._ask(game)
                action = int(answer)
                legal = action == answer and game.is_legal(action)
                thoughts = self._thoughts()
                gave_up = bool(getattr(self._policy, "gave_up", False))
            except (Exception, SystemExit) as error:
                self._expected_serial = None
                raise PolicyError(f"agent {self.name!r} failed: {type(error).__name__}: {error}") from error
            self._expected_serial = None
            if not legal:
                raise PolicyError(f"agent {self.name!r} answered {answer!r}, which is no legal action here")
            return Choice(action, thoughts, gave_up)

    def played(self, serial: int) -> None:
        """Note that the agent's choice was played and led to the position of this number."""
        self._expected_serial = serial

    def _reset(self, game: Game, action_count: int) -> None:
        """Begin anew."""
        number = game.game_number
        if number is None:
            number = zlib.crc32((game.deck or "").encode())
        seed = game_seed(0, number)
        if action_count:
            seed = game_seed(seed, action_count)
        self._generator = np.random.default_rng(seed)
        if callable(getattr(self._policy, "reset", None)):
            self._policy.reset(seed)

    def _ask(self, game: Game) -> Any:
        """Return the agent's answer."""
        if self.thoughtful:
            return self._policy.act_on_game(game.copy())
        view = game.view()
        if callable(getattr(self._policy, "act", None)):
            return self._policy.act(view)
        observations = view.observation(what_it_sees(self._policy))[np.newaxis]
        masks = view.action_mask()[np.newaxis]
        return np.asarray(self._policy.act_batch(observations, masks, [self._generator]))[0]

    def _thoughts(self) -> Thoughts | None:
        """Return what the agent tells of its last decision."""
        thoughts = getattr(self._policy, "thoughts", None)
        if isinstance(thoughts, list | tuple) and thoughts:
            thoughts = thoughts[0]
        return thoughts if isinstance(thoughts, Thoughts) else None

    def __repr__(self) -> str:
        return f"PlayingAgent({policy_name(self._policy)!r})"


class AgentSeat:
    """The place of an agent beside a person's game: chosen or empty, thinking of a position or not."""

    def __init__(self, agent: str | PlayingAgent | None = None) -> None:
        """Seat an agent, given itself or by name, or nobody.

        Raises:
            PolicyError: No such agent.
        """
        self._agent = PlayingAgent(agent) if isinstance(agent, str) else agent
        self._thinking: tuple[int, Background[Choice]] | None = None

    @property
    def agent_name(self) -> str | None:
        """The name of the agent, or None."""
        return None if self._agent is None else self._agent.name

    def choose(self, name: str | None) -> None:
        """Seat another agent, or nobody.

        Raises:
            PolicyError: No such agent; the one before stays.
        """
        agent = None if name is None else PlayingAgent(name)
        self.stop()
        self._agent = agent

    def begin(self, game: Game, action_count: int, serial: int) -> Background[Choice]:
        """Let the agent think of a position, or return the work that does so already.

        Args:
            game: The game; the agent gets a copy or a view.
            action_count: Actions played since the deal.
            serial: Number of the position.

        Raises:
            PolicyError: No agent is chosen, or no action is legal.
        """
        agent = self._agent
        if agent is None:
            raise PolicyError(f"no agent is chosen; agents are {', '.join(AGENT_CLASSES)}")
        if not game.legal_actions():
            raise PolicyError("the game is won" if game.is_won else "no action is legal")
        if self._thinking is None or self._thinking[0] != serial:
            self.stop()
            copy = game.copy()
            self._thinking = serial, Background(lambda stopped: agent.choose(copy, action_count, serial, stopped))
        return self._thinking[1]

    def choice(self, serial: int) -> Choice | None:
        """Return what the agent would play in the position of a number; None while it thinks or if it failed."""
        if self._thinking is None or self._thinking[0] != serial or not self._thinking[1].done:
            return None
        try:
            return self._thinking[1].result()
        except PolicyError:
            return None

    def note_played(self, serial: int) -> None:
        """Note that the choice was played and led to the position of this number."""
        if self._agent is not None:
            self._agent.played(serial)

    def stop(self) -> None:
        """Drop what the agent is thinking."""
        if self._thinking is not None:
            self._thinking[1].cancel()
            self._thinking = None
