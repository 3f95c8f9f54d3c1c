"""A position as text with colours and suit symbols, where whoever reads it can show them."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from typing import Any, Final

from klondike_env.board_text import board_text
from klondike_env.cards import RANK_LETTERS, SUIT_LETTERS, SUIT_SYMBOLS
from klondike_env.position import Position

_RESET = "\x1b[0m"
_DIM = "\x1b[2m"
_BLUE = "\x1b[34m"
_SUIT_CODES: Final = ("\x1b[1m", "\x1b[1;31m", "\x1b[1;91m", "\x1b[1;36m")
_CARD = re.compile(rf"(?<![\w-])([{RANK_LETTERS}])([{SUIT_LETTERS}])(?![\w-])")
_EMPTY_FOUNDATION = re.compile(rf"(?<!\w)-([{SUIT_LETTERS}])(?!\w)")
_FACE_DOWN = re.compile(r"##")
_EMPTY = re.compile(r"(?<![\w-])--(?![\w-])")


def shows_colours(stream: Any, environment: Mapping[str, str] = os.environ) -> bool:
    """Return whether a stream shows colours.

    It does if it is a terminal, unless the variable ``NO_COLOR`` is set or ``TERM`` is ``dumb``; ``FORCE_COLOR`` says
    yes for any stream. An empty variable counts as not set.
    """
    if environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR"):
        return True
    try:
        return bool(stream.isatty()) and environment.get("TERM") != "dumb"
    except (AttributeError, ValueError):
        # No stream at all, as under pythonw, or one that was closed.
        return False


def shows_symbols(stream: Any) -> bool:
    """Return whether a stream's encoding has the suit symbols."""
    try:
        SUIT_SYMBOLS.encode(getattr(stream, "encoding", None) or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def ansi_text(position: Position, title: str = "", *, colours: bool | None = None, symbols: bool | None = None) -> str:
    """Return a position as lines of text, ``board_text`` with colours and suit symbols.

    Args:
        position: A game or a view; only what lies in sight is told.
        title: What stands before the score.
        colours: Whether to use colours; None for if standard output shows them.
        symbols: Whether to write suits as symbols; None for if there are colours and the encoding has symbols.
    """
    if colours is None:
        colours = shows_colours(sys.stdout)
    if symbols is None:
        symbols = colours and shows_symbols(sys.stdout)
    head, *lines = board_text(position, title).split("\n")
    signs = SUIT_SYMBOLS if symbols else SUIT_LETTERS

    def card(match: re.Match[str]) -> str:
        suit = SUIT_LETTERS.index(match[2])
        text = match[1] + signs[suit]
        return f"{_SUIT_CODES[suit]}{text}{_RESET}" if colours else text

    def empty_foundation(match: re.Match[str]) -> str:
        text = "-" + signs[SUIT_LETTERS.index(match[1])]
        return f"{_DIM}{text}{_RESET}" if colours else text

    text = "\n".join(lines)
    text = _EMPTY_FOUNDATION.sub(empty_foundation, _CARD.sub(card, text))
    if colours:
        text = _FACE_DOWN.sub(f"{_BLUE}##{_RESET}", text)
        text = _EMPTY.sub(f"{_DIM}--{_RESET}", text)
        head = f"\x1b[1m{head}{_RESET}"
    return f"{head}\n{text}"
