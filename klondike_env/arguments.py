"""Checks of arguments that many constructors share."""

from __future__ import annotations

from typing import Any

import numpy as np

from klondike_env.errors import OptionError


def check_flag(name: str, value: Any) -> bool:
    """Return an argument that must be True or False.

    Raises:
        OptionError: It is something else.
    """
    if not isinstance(value, bool | np.bool_):
        raise OptionError(f"{name} is {value!r}; it must be True or False")
    return bool(value)


def check_choice(name: str, value: Any, allowed: tuple[str, ...]) -> str:
    """Return an argument that must be one of a few words.

    Raises:
        OptionError: It is something else.
    """
    if not isinstance(value, str) or value not in allowed:
        raise OptionError(f"{name} is {value!r}; it must be one of {', '.join(map(repr, allowed))}")
    return value
