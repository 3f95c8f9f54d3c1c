"""Reading the text of a record."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

from klondike_env.actions import ACTION_COUNT
from klondike_env.codes import parse_code
from klondike_env.deals import Deal
from klondike_env.errors import KlondikeError, PolicyError
from klondike_env.replay.record import (
    FIRST_LINE,
    HEADER_KEY,
    RESTART,
    START_KEYS,
    UNDO,
    Entry,
    GameRecord,
    RecordEnd,
    RecordError,
)
from klondike_env.rules import Rules, parse_rules

if TYPE_CHECKING:
    from klondike_env.evaluation.thoughts import Thoughts

_SECONDS: Final = re.compile(r"[0-9]{1,12}(\.[0-9]{1,9})?")
_END: Final = re.compile(r"end (won|lost|truncated) (-?[0-9]{1,9})")
_THOUGHTS_KEYS: Final = ("probabilities", "value", "action_values", "unit")


def parse_record(text: str, place: str = "record") -> GameRecord:
    """Read a record.

    A last line without line end is taken if it is whole, and else left out and kept as ``torn_line``: a game that was
    stopped while it wrote loses no more than that. An ``end`` counts only as a whole line, for its score may be cut.

    Args:
        text: The text of a record file.
        place: Where it stood, for messages.

    Raises:
        RecordError: The text is no record, or a line of it cannot be read; the message names place and line. Whether
            the moves are legal is told by ``replay``.
    """
    whole, _, torn = text.rpartition("\n")
    lines = [line.removesuffix("\r") for line in whole.split("\n")]
    if lines[0] != FIRST_LINE:
        raise RecordError(f"{place}, line 1: this is no game record; one begins with the line {FIRST_LINE!r}")
    if "" not in lines:
        raise RecordError(f"{place}, line {len(lines)}: the record ends within its header; a blank line ends a header")
    blank = lines.index("")
    try:
        deal, rules, agent, info = _parse_header(lines[1:blank], place)
    except RecordError:
        raise
    except KlondikeError as error:
        raise RecordError(f"{place}: {error}") from error
    entries: list[Entry] = []
    end: RecordEnd | None = None
    while len(lines) > blank + 1 and not lines[-1]:
        lines.pop()
    for number, line in enumerate(lines[blank + 1 :], start=blank + 2):
        if end is not None:
            raise RecordError(f"{place}, line {number}: {line!r} stands behind the end of the game")
        try:
            if line.startswith("end"):
                end = _parse_end(line, number)
            else:
                entries.append(_parse_entry(line, number))
        except RecordError as error:
            raise RecordError(f"{place}, line {number}: {error}") from error
    if torn and end is None:
        try:
            entries.append(_parse_entry(torn, len(lines) + 1))
            torn = ""
        except RecordError:
            pass
    return GameRecord(deal, rules, agent, info, tuple(entries), end, place, torn)


def _parse_header(lines: list[str], place: str) -> tuple[Deal, Rules, str, dict[str, str]]:
    """Read the lines between the first and the blank one: deal, rules, agent, further information."""
    values: dict[str, str] = {}
    for number, line in enumerate(lines, start=2):
        key, colon, value = line.partition(":")
        if not colon or not HEADER_KEY.fullmatch(key):
            raise RecordError(f"{place}, line {number}: {line!r} is no header line such as 'rules: D1N'")
        if key in values:
            raise RecordError(f"{place}, line {number}: {key!r} stands in the header twice")
        values[key] = value.strip()
    if ("code" in values) == ("deck" in values):
        raise RecordError(f"{place}: a record's header has either 'code: …' or 'deck: …', and not both")
    if "code" in values:
        code = parse_code(values["code"])
        deal = Deal.from_number(code.number)
        rules = parse_rules(values.get("rules", code.mode))
        if rules.mode != code.mode:
            raise RecordError(f"{place}: code {code} and rules {rules.name} differ in draw or scoring")
    else:
        deal = Deal.from_text(values["deck"])
        rules = parse_rules(values.get("rules", "D1N"))
    info = {key: value for key, value in values.items() if key not in START_KEYS}
    return deal, rules, values.get("agent", "person"), info


def _parse_end(line: str, number: int) -> RecordEnd:
    """Read the line that closes a record."""
    found = _END.fullmatch(line)
    if found is None:
        raise RecordError(f"{line!r} is no end; one is 'end', won, lost or truncated, and the score")
    return RecordEnd(found[1], int(found[2]), number)


def _parse_entry(line: str, number: int) -> Entry:
    """Read one line of what was done."""
    word, _, rest = line.partition(" ")
    seconds, _, thoughts = rest.partition(" ")
    is_action = word.isascii() and word.isdigit() and int(word[:4]) < ACTION_COUNT
    if not (is_action or word in (UNDO, RESTART)):
        raise RecordError(f"{line!r} is no entry; one begins with an action from 0 to 85, {UNDO!r} or {RESTART!r}")
    if not _SECONDS.fullmatch(seconds):
        raise RecordError(f"{line!r} has no seconds behind {word!r}; write them as in '{word} 2.500'")
    move = int(word) if is_action else word
    return Entry(move, float(seconds), _parse_thoughts(thoughts) if thoughts else None, number)


def _parse_thoughts(text: str) -> Thoughts:
    """Read the JSON of thoughts."""
    from klondike_env.evaluation.thoughts import Thoughts  # Evaluation writes records, and so imports this module.

    try:
        fields = json.loads(text)
        unknown = [key for key in fields if key not in _THOUGHTS_KEYS]
        if unknown:
            raise RecordError(f"thoughts have no {unknown[0]!r}; they have {', '.join(_THOUGHTS_KEYS)}")
        for key in ("probabilities", "action_values"):
            if key in fields:
                fields[key] = {int(action): float(number) for action, number in fields[key].items()}
        if fields.get("value") is not None:
            fields["value"] = float(fields["value"])
        fields["unit"] = str(fields.get("unit", Thoughts().unit))
        return Thoughts(**fields)
    except (PolicyError, RecordError) as error:
        raise RecordError(str(error)) from error
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise RecordError(f"the thoughts {text[:60]!r} cannot be read: {error}") from error
