"""Game codes: ``KL1-D3V-AAAAAAG`` names a deal, a draw and a scoring.

The game number stands in base 26 (A = 0 … Z = 25), seven letters, most significant first. The same number gives the
same cards in every mode.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any, Final

from klondike_env.errors import GameCodeError
from klondike_env.rules import RULE_SETS, Rules

CODE_VERSION: Final = "KL1"
CODE_MODES: Final = ("D1N", "D3N", "D1V", "D3V")
MAX_GAME_NUMBER: Final = 2**32 - 1
NUMBER_LETTERS: Final = 7

_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
# str.upper would also turn other letters into these: "ß" into "SS".
_TO_UPPER: Final = str.maketrans(_LETTERS.lower(), _LETTERS)
_EXAMPLE: Final = "such as KL1-D1N-AAAAAAG"


@dataclass(frozen=True, slots=True)
class GameCode:
    """A game code, read.

    Attributes:
        mode: ``"D1N"``, ``"D3N"``, ``"D1V"`` or ``"D3V"``, which is also the name of the rule set.
        number: The game number, 0 to 4294967295.

    Raises:
        GameCodeError: The mode or number is out of range.
    """

    mode: str
    number: int

    def __post_init__(self) -> None:
        if self.mode not in CODE_MODES:
            raise GameCodeError(f"mode {self.mode!r} has no game code; modes are {', '.join(CODE_MODES)}")
        object.__setattr__(self, "number", check_game_number(self.number))

    @property
    def rules(self) -> Rules:
        """The rule set that the code's mode names."""
        return RULE_SETS[self.mode]

    def __str__(self) -> str:
        return format_code(self.number, self.mode)


def check_game_number(number: Any) -> int:
    """Return a game number as an int.

    Raises:
        GameCodeError: It is not a whole number from 0 to 4294967295.
    """
    try:
        value = None if isinstance(number, bool) else operator.index(number)
    except TypeError:
        value = None
    if value is None or not 0 <= value <= MAX_GAME_NUMBER:
        raise GameCodeError(f"game number {number!r} is none; it must be a whole number from 0 to {MAX_GAME_NUMBER}")
    return value


def format_code(number: int, mode: str) -> str:
    """Return the code of a game number (0 to 4294967295) and a mode.

    Raises:
        GameCodeError: The number or mode is out of range.
    """
    rest = check_game_number(number)
    if mode not in CODE_MODES:
        raise GameCodeError(f"mode {mode!r} has no game code; modes are {', '.join(CODE_MODES)}")
    letters = ""
    for _ in range(NUMBER_LETTERS):
        rest, digit = divmod(rest, len(_LETTERS))
        letters = _LETTERS[digit] + letters
    return f"{CODE_VERSION}-{mode}-{letters}"


def parse_code(text: str) -> GameCode:
    """Read a game code, in either case and with space around it.

    Args:
        text: Such as ``"KL1-D1N-AAAAAAG"``.

    Returns:
        Its mode and game number.

    Raises:
        GameCodeError: The text is no code; the message says which part is wrong and what is allowed.
    """
    if not isinstance(text, str):
        raise GameCodeError(f"{text!r} is no game code; a code is a text {_EXAMPLE}")
    parts = text.strip().translate(_TO_UPPER).split("-")
    if len(parts) != 3:
        raise GameCodeError(
            f"game code {text!r} has {len(parts)} parts; it must have three, joined by '-': version, mode, seven"
            f" letters, {_EXAMPLE}"
        )
    version, mode, letters = parts
    if version != CODE_VERSION:
        raise GameCodeError(f"game code {text!r}: version {version!r} is unknown; it must be {CODE_VERSION}")
    if mode not in CODE_MODES:
        raise GameCodeError(f"game code {text!r}: mode {mode!r} is unknown; it must be one of {', '.join(CODE_MODES)}")
    if len(letters) != NUMBER_LETTERS:
        raise GameCodeError(
            f"game code {text!r}: {letters!r} has {len(letters)} letters; it must have {NUMBER_LETTERS}, {_EXAMPLE}"
        )
    number = 0
    for position, letter in enumerate(letters, start=1):
        if letter not in _LETTERS:
            raise GameCodeError(
                f"game code {text!r}: {letter!r} at place {position} of {letters!r} is no letter from A to Z"
            )
        number = number * len(_LETTERS) + _LETTERS.index(letter)
    if number > MAX_GAME_NUMBER:
        highest = format_code(MAX_GAME_NUMBER, mode)
        raise GameCodeError(
            f"game code {text!r}: {letters!r} is game number {number}; the highest is {MAX_GAME_NUMBER}, {highest}"
        )
    return GameCode(mode, number)
