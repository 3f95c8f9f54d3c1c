"""Options of agents: ``key=value`` as the command line takes them, and which ones an agent knows."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from klondike_env.errors import PolicyError

OptionValue = bool | int | float | str | None

_WORDS: Final[dict[str, OptionValue]] = {"true": True, "false": False, "none": None}
_KEYWORD_KINDS: Final = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def parse_options(texts: Iterable[str]) -> dict[str, OptionValue]:
    """Read options written as ``key=value``.

    A value is a whole number, another number, ``true``, ``false`` or ``none`` where it reads as one, and else text.

    Args:
        texts: Such as ``["depth=3", "seconds_per_move=0.02"]``.

    Returns:
        The values by key.

    Raises:
        PolicyError: A text has another form, or a key stands there twice.
    """
    options: dict[str, OptionValue] = {}
    for text in texts:
        key, separator, value = text.partition("=")
        key = key.strip().replace("-", "_")
        if not separator or not key.isidentifier():
            raise PolicyError(f"option {text!r} is not of the form key=value, such as depth=3")
        if key in options:
            raise PolicyError(f"option {key!r} is given twice")
        options[key] = _parse_value(value.strip())
    return options


def _parse_value(text: str) -> OptionValue:
    """Return the value that a text stands for."""
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def options_text(options: Mapping[str, Any]) -> str:
    """Write options as ``key=value``, with blanks between."""
    return " ".join(f"{key}={value}" for key, value in options.items())


def check_options(agent: str, factory: Callable[..., Any], options: Mapping[str, Any], given: int = 0) -> None:
    """Refuse options that an agent does not know.

    Args:
        agent: Name of the agent, for messages.
        factory: Its class or what makes it.
        options: The options, keyword arguments of the factory.
        given: How many of its first arguments are given otherwise.

    Raises:
        PolicyError: An option is not known; the message names those that are.
    """
    if not options:
        return
    try:
        parameters = list(inspect.signature(factory).parameters.values())[given:]
    except (TypeError, ValueError):  # Some compiled classes do not tell; making the agent will.
        return
    if any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters):
        return
    known = [parameter.name for parameter in parameters if parameter.kind in _KEYWORD_KINDS]
    for key in options:
        if key not in known:
            has = f"its options are {', '.join(known)}" if known else "it has none"
            raise PolicyError(f"agent {agent!r} has no option {key!r}; {has}")
