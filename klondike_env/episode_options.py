"""Which game an episode plays, and under which rules: env arguments, reset options, or a draw at random."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from klondike_env.codes import MAX_GAME_NUMBER, GameCode, parse_code
from klondike_env.deals import Deal
from klondike_env.errors import OptionError
from klondike_env.game import read_deck_argument
from klondike_env.rules import Rules, make_rules

EVALUATION_NUMBERS: Final = 2_000_000
"""Game numbers below this are kept for evaluation: ``reset()`` without a code never draws one."""

RESET_OPTIONS: Final = ("code", "number", "deck")


def draw_game_number(rng: np.random.Generator) -> int:
    """Draw a game number for training: one number from 2 000 000 to 4294967295, from one call of ``integers``."""
    return int(rng.integers(EVALUATION_NUMBERS, MAX_GAME_NUMBER + 1))


def check_reset_options(options: Any, allowed: tuple[str, ...]) -> tuple[Mapping[str, Any], str | None]:
    """Check the form of reset options.

    Args:
        options: What ``reset`` was given; None is an empty dict.
        allowed: The options that there are.

    Returns:
        The options, and the one of ``RESET_OPTIONS`` that names a deal, or None.

    Raises:
        OptionError: They are no dict, one does not exist, or several name a deal.
    """
    options = {} if options is None else options
    if not isinstance(options, Mapping):
        raise OptionError(f"options is {options!r}; it must be None or a dict such as {{'code': 'KL1-D1N-AAAAAAG'}}")
    unknown = [key for key in options if key not in allowed]
    if unknown:
        raise OptionError(f"reset option {unknown[0]!r} does not exist; options are {', '.join(allowed)}")
    given = [key for key in RESET_OPTIONS if options.get(key) is not None]
    if len(given) > 1:
        raise OptionError(f"reset options {' and '.join(given)} both name a deal; give one of them")
    return options, given[0] if given else None


class EpisodeOptions:
    """The rules and code that an env was made with, and the games that follow from them.

    Attributes:
        rules: The rules of games without a code.
        code: The code that every reset plays, or None.

    Raises:
        RulesError: No such rule set, or a wrong override.
        GameCodeError: The code names no game.
    """

    def __init__(self, rules: str | Rules, overrides: dict[str, Any], code: str | None) -> None:
        self.rules = make_rules(rules, **overrides)
        self._kept_overrides = {k: v for k, v in overrides.items() if k not in ("draw", "scoring")}
        self.code = None if code is None else parse_code(code)

    def rules_of_code(self, code: GameCode) -> Rules:
        """Return the rules under which the game of a code is played.

        A code with the draw and scoring of the env's own rules changes nothing; any other brings its own rule set, on
        which the env's remaining overrides (passes, take_back, aces, fan) still stand.
        """
        if (code.rules.draw, code.rules.scoring) == (self.rules.draw, self.rules.scoring):
            return self.rules
        return make_rules(code.rules, **self._kept_overrides)

    def read(self, options: dict[str, Any] | None) -> tuple[Deal, Rules] | None:
        """Return the deal and rules that reset options, or the env's own code, name; None if neither does.

        Raises:
            OptionError: An option that does not exist, or several deals at once.
            GameCodeError: A code or number that names no game.
            DealError: A deck with a missing, doubled or unknown card.
        """
        checked, given = check_reset_options(options, RESET_OPTIONS)
        if given is None:
            return None if self.code is None else self._deal_code(self.code)
        value = checked[given]
        if given == "code":
            return self._deal_code(parse_code(value))
        if given == "number":
            return Deal.from_number(value), self.rules
        return read_deck_argument(value), self.rules

    def _deal_code(self, code: GameCode) -> tuple[Deal, Rules]:
        """Return the deal of a code and the rules it is played under."""
        return Deal.from_number(code.number), self.rules_of_code(code)

    def draw(self, rng: np.random.Generator) -> tuple[Deal, Rules]:
        """Return a random deal that is not kept for evaluation, and the env's rules."""
        return Deal.from_number(draw_game_number(rng)), self.rules
