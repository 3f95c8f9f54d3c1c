"""What an agent is, and how one is loaded by name.

An agent is given what the player knows and nothing else: a ``PlayerView``, or observations and masks. Only an agent
marked ``thoughtful`` is given the ``Game``; its results are listed apart.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from klondike_env.errors import KlondikeError, PolicyError
from klondike_env.evaluation.agent_options import check_options, options_text
from klondike_env.game import Game
from klondike_env.observation import FULL, INFORMATION
from klondike_env.view import PlayerView

AGENT_CLASSES: Final = {
    "random": "klondike_agents:RandomPolicy",
    "greedy": "klondike_agents:GreedyPolicy",
    "ppo": "klondike_agents.training:PpoPolicy",
    "search": "klondike_agents:SearchPolicy",
    "thoughtful": "klondike_agents:SolverPolicy",
}
"""The agents that come with the package, by name."""
NETWORK_SUFFIX: Final = ".safetensors"


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


def plays_in_batches(policy: object) -> bool:
    """Return whether an agent is asked for many games at once, since it cannot be asked game by game."""
    return not is_thoughtful(policy) and not callable(getattr(policy, "act", None))


def load_policy(name: str, options: Mapping[str, Any] | None = None) -> AnyPolicy:
    """Load an agent by name.

    Args:
        name: ``"random"``, ``"greedy"`` or another of ``AGENT_CLASSES``; the folder of a training run, such as
            ``"runs/d1n"``, or one network in it (``*.safetensors``); or ``"module:Class"`` for an agent of one's own.
            Modules are also looked for in the current folder.
        options: Keyword arguments for the agent's class.

    Returns:
        The agent.

    Raises:
        PolicyError: No such agent, or its module or class cannot be loaded, or it is no agent, or it takes no such
            option.
    """
    if not isinstance(name, str):
        raise PolicyError(f"agent {name!r} is no name; it must be text such as 'greedy'")
    options = dict(options or {})
    if name not in AGENT_CLASSES and (Path(name).is_dir() or name.endswith(NETWORK_SUFFIX)):
        return check_policy(_load_run(Path(name), options))
    target = AGENT_CLASSES.get(name, name)
    module_name, separator, class_name = target.partition(":")
    if not separator or not module_name or not class_name:
        raise PolicyError(
            f"{name!r} is no agent; agents are {', '.join(AGENT_CLASSES)}, the folder of a training run, or"
            " module:Class for one of your own"
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
    try:
        agent_class = getattr(module, class_name, None)
    except ImportError as error:  # An agent that is loaded only when it is asked for.
        raise PolicyError(
            f'agent {name!r} cannot be loaded: {error}; pip install "klondike-env[agents]" installs what it needs'
        ) from error
    if agent_class is None:
        raise PolicyError(f"agent {name!r}: module {module_name!r} has no {class_name!r}")
    if not callable(agent_class):
        if options:
            raise PolicyError(f"agent {name!r} takes no options: {class_name!r} of {module_name!r} is made already")
        return check_policy(agent_class)
    check_options(name, agent_class, options)
    how = f"with {options_text(options)}" if options else "without arguments"
    return check_policy(_make(f"agent {name!r}: {class_name}()", how, lambda: agent_class(**options)))


def _load_run(folder: Path, options: dict[str, Any]) -> Any:
    """Return the agent of a training run, or of one network of it.

    Raises:
        PolicyError: The folder holds no run, or what it needs is not installed.
    """
    if folder.is_dir() and not (folder / "config.json").is_file():
        raise PolicyError(f"folder {str(folder)!r} holds no training run: there is no config.json in it")
    try:
        load_run = importlib.import_module("klondike_agents.training").load_run
    except ImportError as error:
        raise PolicyError(
            f'run {str(folder)!r} cannot be loaded: {error}; pip install "klondike-env[agents]" installs what it needs'
        ) from error
    check_options(str(folder), load_run, options, given=1)
    return _make(f"run {str(folder)!r}", "loaded", lambda: load_run(folder, **options))


def _make(what: str, how: str, make: Callable[[], Any]) -> Any:
    """Make an agent; what it raises names the agent."""
    try:
        return make()
    except Exception as error:
        # An error of this package says itself what is wrong.
        reason = str(error) if isinstance(error, KlondikeError) else f"{type(error).__name__}: {error}"
        raise PolicyError(f"{what} cannot be {'made ' if how != 'loaded' else ''}{how}: {reason}") from error


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
