"""Rule sets and scoring tables, as data.

Everything that distinguishes one way of playing Klondike from another stands here; the engine reads it and adds
nothing of its own. Design section 3 names the source of each rule set.
"""

from __future__ import annotations

import dataclasses
import difflib
import operator
from dataclasses import dataclass
from typing import Any, Final

from klondike_env.errors import RulesError

SCORINGS: Final = ("normal", "vegas")
ACES_RULES: Final = ("free", "must", "first")
MAX_DRAW: Final = 3
MAX_PASSES: Final = 1_000_000

_ACES_SYNONYMS: Final = {"must play": "must", "before any other": "first"}
_ACES_TEXTS: Final = {"free": "free", "must": "must play", "first": "before any other"}


@dataclass(frozen=True, slots=True)
class ScoringTable:
    """What each event adds to the score.

    Attributes:
        start: Score before the first move.
        card_to_foundation: A card goes to its foundation, from the waste or a column.
        waste_to_column: The top waste card goes to a column.
        card_turned_up: A face-down card is turned up, on top of the move's own points.
        redeal: The waste goes back to the stock.
        redeal_floor: A redeal takes the score no lower than this.
        column_to_column: A run goes to another column.
        take_back: A foundation card goes back to a column.
        currency: Whether the score is money and shown as such.
    """

    start: int
    card_to_foundation: int
    waste_to_column: int
    card_turned_up: int
    redeal: int
    redeal_floor: int
    column_to_column: int = 0
    take_back: int = 0
    currency: bool = False


SCORING_TABLES: Final = {
    "normal": ScoringTable(
        start=0, card_to_foundation=10, waste_to_column=5, card_turned_up=5, redeal=-100, redeal_floor=0
    ),
    # A redeal is not possible in the app's vegas games; where an override allows it, it costs nothing.
    "vegas": ScoringTable(
        start=-52,
        card_to_foundation=5,
        waste_to_column=0,
        card_turned_up=0,
        redeal=0,
        redeal_floor=-52,
        currency=True,
    ),
}


def format_score(score: int, scoring: str) -> str:
    """Return a score as a player reads it: points, or ``+$208``, ``$0``, ``-$52`` under vegas."""
    if not SCORING_TABLES[scoring].currency:
        return str(score)
    sign = "+" if score > 0 else "-" if score < 0 else ""
    return f"{sign}${abs(score)}"


def _whole_number(name: str, value: Any, lowest: int, highest: int, also: str = "") -> int:
    """Return a rule field as an int, refusing truth values, fractions and numbers out of range."""
    try:
        number = None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = None
    if number is None or not lowest <= number <= highest:
        alternative = f", {also}" if also else ""
        raise RulesError(f"{name} is {value!r}; it must be a whole number from {lowest} to {highest}{alternative}")
    return number


def _one_of(name: str, value: Any, allowed: tuple[str, ...]) -> str:
    """Return a rule field that is one of a few words."""
    if not isinstance(value, str) or value not in allowed:
        raise RulesError(f"{name} is {value!r}; it must be one of {', '.join(map(repr, allowed))}")
    return value


@dataclass(frozen=True, slots=True)
class Rules:
    """How a game is played and scored.

    Attributes:
        draw: Cards turned from the stock at once, 1-3.
        passes: How often the stock may be gone through, or None (``"unlimited"`` is read too) for without limit.
        scoring: ``"normal"`` or ``"vegas"``.
        take_back: Whether a foundation's top card may go back to a column.
        aces: ``"free"``; ``"must"``: while an ace can go to its foundation, only such moves are legal; ``"first"``: no
            other card goes to a foundation until all four aces lie there.
        fan: Whether all cards of the last turn stay in sight, or only the top one.

    Raises:
        RulesError: A field has a value that it cannot take.
    """

    draw: int = 1
    passes: int | None = None
    scoring: str = "normal"
    take_back: bool = True
    aces: str = "free"
    fan: bool = True

    def __post_init__(self) -> None:
        set_field = object.__setattr__
        set_field(self, "draw", _whole_number("draw", self.draw, 1, MAX_DRAW))
        if isinstance(self.passes, str) and self.passes == "unlimited":
            set_field(self, "passes", None)
        if self.passes is not None:
            set_field(self, "passes", _whole_number("passes", self.passes, 1, MAX_PASSES, "or 'unlimited'"))
        set_field(self, "scoring", _one_of("scoring", self.scoring, SCORINGS))
        aces = _ACES_SYNONYMS.get(self.aces, self.aces) if isinstance(self.aces, str) else self.aces
        set_field(self, "aces", _one_of("aces", aces, ACES_RULES))
        for name in ("take_back", "fan"):
            value = getattr(self, name)
            if type(value).__name__ not in ("bool", "bool_"):
                raise RulesError(f"{name} is {value!r}; it must be True or False")
            set_field(self, name, bool(value))

    @property
    def name(self) -> str:
        """The name of the rule set, with differences behind it when it is none: ``"D3N,passes=3"``."""
        for name, rules in RULE_SETS.items():
            if rules == self:
                return name
        base = self.mode
        changed = [
            f"{field.name}={_format_value(getattr(self, field.name))}"
            for field in dataclasses.fields(self)
            if getattr(self, field.name) != getattr(RULE_SETS[base], field.name)
        ]
        return ",".join([base, *changed])

    @property
    def mode(self) -> str:
        """Draw and scoring as in a game code: ``"D1N"``, ``"D3V"``. Draw 2, which no code has, gives ``"D1N"``."""
        return f"D{3 if self.draw == 3 else 1}{'V' if self.scoring == 'vegas' else 'N'}"

    @property
    def scoring_table(self) -> ScoringTable:
        """The points of each event."""
        return SCORING_TABLES[self.scoring]


RULE_SETS: Final[dict[str, Rules]] = {
    "D1N": Rules(draw=1),
    "D3N": Rules(draw=3),
    "D1V": Rules(draw=1, passes=1, scoring="vegas"),
    "D3V": Rules(draw=3, passes=1, scoring="vegas"),
    "one-pass": Rules(draw=1, passes=1, take_back=False, aces="must"),
    "three-pass": Rules(draw=3, passes=3, take_back=False, aces="must", fan=False),
    "aces-first": Rules(draw=1, passes=1, take_back=False, aces="first"),
    "aces-first-3": Rules(draw=3, take_back=False, aces="first", fan=False),
}
"""The named rule sets; ``"D1N"`` is the default."""

RULE_FIELDS: Final = tuple(field.name for field in dataclasses.fields(Rules))


def make_rules(
    rules: str | Rules = "D1N",
    *,
    draw: int | None = None,
    passes: int | str | None = None,
    scoring: str | None = None,
    take_back: bool | None = None,
    aces: str | None = None,
    fan: bool | None = None,
) -> Rules:
    """Return a rule set, with single fields overridden.

    Args:
        rules: A name of ``RULE_SETS``, a name with differences as ``Rules.name`` writes it, or a rule set.
        draw: Cards turned at once, 1-3. None keeps the rule set's own value, here and below.
        passes: Passes through the stock, at least 1, or ``"unlimited"``.
        scoring: ``"normal"`` or ``"vegas"``.
        take_back: Whether foundation cards may go back to a column.
        aces: ``"free"``, ``"must"`` or ``"first"``.
        fan: Whether all cards of the last turn stay in sight.

    Returns:
        The rule set.

    Raises:
        RulesError: No such rule set, or a value that the field cannot take.
    """
    overrides: dict[str, Any] = {
        "draw": draw,
        "passes": passes,
        "scoring": scoring,
        "take_back": take_back,
        "aces": aces,
        "fan": fan,
    }
    changes = {name: value for name, value in overrides.items() if value is not None}
    base = rules if isinstance(rules, Rules) else parse_rules(rules)
    return dataclasses.replace(base, **changes)


def parse_rules(text: str) -> Rules:
    """Read a rule set from its name, with differences behind it where ``Rules.name`` wrote some.

    Args:
        text: Such as ``"D3N"``, ``"three-pass"`` or ``"D3N,passes=3,take_back=no"``.

    Returns:
        The rule set.

    Raises:
        RulesError: No such rule set or field, or a value that the field cannot take.
    """
    if not isinstance(text, str):
        raise RulesError(f"rules is {text!r}; it must be one of {', '.join(RULE_SETS)}, or a Rules object")
    name, *differences = (part.strip() for part in text.split(","))
    known = {rule_set.lower(): rule_set for rule_set in RULE_SETS}
    if name.lower() not in known:
        close = difflib.get_close_matches(name.lower(), known, n=1)
        hint = f" Did you mean {known[close[0]]!r}?" if close else ""
        raise RulesError(f"{name!r} is no rule set; there are {', '.join(RULE_SETS)}.{hint}")
    changes: dict[str, Any] = {}
    for difference in differences:
        field, value = _parse_difference(difference, text)
        if field in changes:
            raise RulesError(f"{difference!r} in rules {text!r}: {field} is there twice")
        changes[field] = value
    return dataclasses.replace(RULE_SETS[known[name.lower()]], **changes)


def _parse_difference(difference: str, text: str) -> tuple[str, Any]:
    """Read one ``field=value`` of a rules text."""
    field, sign, value = difference.partition("=")
    if field not in RULE_FIELDS or not sign:
        raise RulesError(
            f"{difference!r} in rules {text!r} is no rule; write one of {', '.join(RULE_FIELDS)}, '=' and a value"
        )
    if field in ("take_back", "fan"):
        if value not in ("yes", "no"):
            raise RulesError(f"{difference!r} in rules {text!r}: {field} must be 'yes' or 'no'")
        return field, value == "yes"
    if field == "passes" and value == "unlimited":
        return field, None
    if field in ("draw", "passes"):
        if not (value.isascii() and value.isdigit() and len(value) < 12):
            raise RulesError(f"{difference!r} in rules {text!r}: {field} must be a whole number")
        return field, int(value)
    return field, value


def _format_value(value: object) -> str:
    """Write the value of a rule field as ``parse_rules`` reads it."""
    if value is None:
        return "unlimited"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def rules_table() -> list[tuple[str, ...]]:
    """Return the rule sets as rows of text: name, draw, passes, scoring, take-back, aces, fan."""
    return [
        (
            name,
            str(rules.draw),
            _format_value(rules.passes),
            rules.scoring,
            _format_value(rules.take_back),
            _ACES_TEXTS[rules.aces],
            _format_value(rules.fan),
        )
        for name, rules in RULE_SETS.items()
    ]
