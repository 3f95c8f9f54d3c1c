"""Which game is begun: one of a code, of a deck, or at random."""

from __future__ import annotations

import numpy as np

from klondike_env.codes import parse_code
from klondike_env.deals import Deal
from klondike_env.episode_options import draw_game_number
from klondike_env.errors import OptionError
from klondike_env.game import Game
from klondike_env.rules import Rules, parse_rules


def random_game(rules: str | Rules = "D1N") -> Game:
    """Return a game with a random number, none of those that are kept for evaluation."""
    return Game.from_number(draw_game_number(np.random.default_rng()), rules)


def make_game(*, code: str | None = None, deck: str | None = None, rules: str | None = None) -> Game:
    """Return the game that a code or a deck names, or one with a random number.

    Args:
        code: Game code.
        deck: 52 cards in deal order, or another program's deal.
        rules: Rules instead of the code's own, such as ``"D3N,passes=3"``; D1N for the others.

    Raises:
        KlondikeError: Something is none, or both code and deck are given.
    """
    if code is not None and deck is not None:
        raise OptionError("give a game code or a deck, and not both")
    if code is not None:
        game_code = parse_code(code)
        return Game.from_number(game_code.number, parse_rules(rules) if rules else game_code.rules)
    if deck is not None:
        return Game.from_deal(Deal.from_any_text(deck), parse_rules(rules or "D1N"))
    return random_game(parse_rules(rules or "D1N"))
