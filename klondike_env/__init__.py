"""Klondike solitaire for reinforcement learning: a compiled rules engine, exact action masks, fixed games.

``import klondike_env`` registers ``Klondike-v0`` with Gymnasium. ``Game`` is the same game without Gymnasium, ``solve``
tells whether one can be won, and ``evaluate`` plays fixed games with an agent.
"""

from typing import TYPE_CHECKING, Any

from klondike_env.cards import card_name, parse_card
from klondike_env.codes import GameCode, format_code, parse_code
from klondike_env.deals import Deal
from klondike_env.errors import KlondikeError
from klondike_env.game import Game
from klondike_env.registration import register_envs
from klondike_env.rules import RULE_SETS, Rules, make_rules
from klondike_env.view import PlayerView

if TYPE_CHECKING:
    from klondike_env.evaluation import evaluate
    from klondike_env.solver import Solution, solve

__version__ = "0.1.0"

__all__ = [
    "RULE_SETS",
    "Deal",
    "Game",
    "GameCode",
    "KlondikeError",
    "PlayerView",
    "Rules",
    "Solution",
    "card_name",
    "evaluate",
    "format_code",
    "make_rules",
    "parse_card",
    "parse_code",
    "solve",
]

_LOADED_WHEN_ASKED_FOR = {"evaluate": "evaluation", "solve": "solver", "Solution": "solver"}
_MODULES = ("env", "evaluation", "game_batch", "move_texts", "solver", "suites", "vector_env")


def __getattr__(name: str) -> Any:
    """Load what an env does not need, so that importing the package stays quick."""
    if name in _LOADED_WHEN_ASKED_FOR:
        import importlib

        return getattr(importlib.import_module(f"klondike_env.{_LOADED_WHEN_ASKED_FOR[name]}"), name)
    if name in _MODULES:
        import importlib

        return importlib.import_module(f"klondike_env.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


register_envs()
