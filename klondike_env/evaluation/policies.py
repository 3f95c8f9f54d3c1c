"""What an agent is, and how one is loaded by name.

An agent is given what the player knows and nothing else: a ``PlayerView``, or observations and masks. Only an agent
marked ``thoughtful`` is given the ``Game``; its results are listed apart.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from pathlib import Path
from typing import Any, Final, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from klondike_env.errors import PolicyError
from klondike_env.game import Game
from klondike_env.observation import FULL, INFORMATION
from klondike_env.view import PlayerView

AGENT_CLASSES: Final = {
    "random": "klondike_agents:RandomPolicy",
    "greedy": "klondike_agents:GreedyPolicy",
}
"""The agents that come with the package, by name."""


@runtime_checkable
class Policy(Protocol):
    """An agent that plays one game at a time.

    Attributes:
        name: What its results are listed under.
    """

    name: str

    def reset(self, seed: int) -> None:
        """Begin a new game.

        Args:
            seed: Seed of all randomness in this game, 0 to 2**64 - 1. It follows from the game number, so that results
                do not depend on which other games are played. Fixed games can be told apart by it, as by their opening;
                an agent that looks a game up instead of playing it is no agent.
        """

    def act(self, view: PlayerView) -> int:
        """Choose a legal action.

        Args:
            view: What the player knows.

        Returns:
            Action index, 0-85.
        """


@runtime_checkable
class BatchPolicy(Protocol):
    """An agent that plays many games at once from observations.

    An optional attribute ``information`` (``"remembered"`` by default, or ``"visible"``) says what it observes.

    Attributes:
        name: What its results are listed under.
    """

    name: str

    def act_batch(
        self,
        observations: npt.NDArray[np.int8],
        masks: npt.NDArray[np.int8],
        generators: list[np.random.Generator],
    ) -> npt.NDArray[np.int64]:
        """Choose a legal action for each game.

        Args:
            observations: int8 array of shape (games, 37, 4, 13).
            masks: int8 array of shape (games, 86), 1 = legal.
            generators: The random stream of each game, the only source of randomness to use.

        Returns:
            Action indices, shape (games,).
        """


@runtime_checkable
class ThoughtfulPolicy(Protocol):
    """An agent that sees all cards. ``thoughtful`` is True, and its results are listed apart.

    Attributes:
        name: What its results are listed under.
        thoughtful: True.
    """

    name: str
    thoughtful: bool

    def reset(self, seed: int) -> None:
        """Begin a new game; see ``Policy.reset``."""

    def act_on_game(self, game: Game) -> int:
        """Choose a legal action, knowing all cards. The game is a copy."""


AnyPolicy = Policy | BatchPolicy | ThoughtfulPolicy


def is_thoughtful(policy: object) -> bool:
    """Return whether an agent is marked as seeing all cards."""
    return bool(getattr(policy, "thoughtful", False))


def what_it_sees(policy: object) -> str:
    """Return what an agent is given to play from, as results record it.

    Returns:
        ``"everything"`` (a thoughtful agent), ``"view"`` (a ``PlayerView``), or the information of its observations.
    """
    if is_thoughtful(policy):
        return "everything"
    if callable(getattr(policy, "act", None)):
        return "view"
    return str(getattr(policy, "information", "remembered"))


def policy_name(policy: object) -> str:
    """Return the name that an agent's results are listed under: its ``name``, else its class."""
    return str(getattr(policy, "name", type(policy).__name__))


def load_policy(name: str) -> AnyPolicy:
    """Load an agent by name.

    Args:
        name: ``"random"``, ``"greedy"``, or ``"module:Class"`` for an agent of one's own; the class is called without
            arguments. Modules are also looked for in the current folder.

    Returns:
        The agent.

    Raises:
        PolicyError: No such agent, or its module or class cannot be loaded, or it is no agent.
    """
    target = AGENT_CLASSES.get(name, name)
    module_name, separator, class_name = target.partition(":")
    if not separator or not module_name or not class_name:
        raise PolicyError(
            f"{name!r} is no agent; agents are {', '.join(AGENT_CLASSES)}, or module:Class for one of your own"
        )
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.append(folder)
    try:
        module = importlib.import_module(module_name)
    except ImportError as error:
        hint = "; write the module without .py" if module_name.endswith(".py") else ""
        raise PolicyError(f"agent {name!r}: module {module_name!r} cannot be imported: {error}{hint}") from error
    except Exception as error:
        raise PolicyError(
            f"agent {name!r}: module {module_name!r} fails on import: {type(error).__name__}: {error}"
        ) from error
    agent_class = getattr(module, class_name, None)
    if agent_class is None:
        raise PolicyError(f"agent {name!r}: module {module_name!r} has no {class_name!r}")
    try:
        policy: Any = agent_class() if inspect.isclass(agent_class) or callable(agent_class) else agent_class
    except Exception as error:
        raise PolicyError(
            f"agent {name!r}: {class_name}() cannot be made without arguments: {type(error).__name__}: {error}"
        ) from error
    return check_policy(policy)


def check_policy(policy: Any) -> AnyPolicy:
    """Return an agent, checked for the methods it needs.

    Raises:
        PolicyError: It has none of ``act``, ``act_batch`` and, if thoughtful, ``act_on_game``; it has no ``reset``; or
            it asks for observations that show hidden cards.
    """
    name = policy_name(policy)
    needed = ("act_on_game",) if is_thoughtful(policy) else ("act", "act_batch")
    methods = [method for method in needed if callable(getattr(policy, method, None))]
    if not methods:
        raise PolicyError(f"agent {name!r} has no method {' or '.join(needed)}")
    if methods[0] != "act_batch" and not callable(getattr(policy, "reset", None)):
        raise PolicyError(f"agent {name!r} has no method reset(seed), which is called before each game")
    if methods == ["act_batch"] and what_it_sees(policy) not in INFORMATION[:FULL]:
        raise PolicyError(
            f"agent {name!r} asks for information {what_it_sees(policy)!r}; an agent may observe"
            f" {' or '.join(map(repr, INFORMATION[:FULL]))}"
        )
    checked: AnyPolicy = policy
    return checked
