"""Klondike solitaire for reinforcement learning: a compiled rules engine, exact action masks, fixed games.

``import klondike_env`` registers ``Klondike-v0`` with Gymnasium. ``Game`` is the same game without Gymnasium.
"""

from klondike_env.cards import card_name, parse_card
from klondike_env.codes import GameCode, format_code, parse_code
from klondike_env.deals import Deal
from klondike_env.errors import KlondikeError
from klondike_env.game import Game
from klondike_env.registration import register_envs
from klondike_env.rules import RULE_SETS, Rules, make_rules
from klondike_env.view import PlayerView

__version__ = "0.1.0"

__all__ = [
    "RULE_SETS",
    "Deal",
    "Game",
    "GameCode",
    "KlondikeError",
    "PlayerView",
    "Rules",
    "card_name",
    "format_code",
    "make_rules",
    "parse_card",
    "parse_code",
]

register_envs()
