"""What a record holds: the deal and rules that a game starts from, and what was done in it, line by line."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NoReturn

from klondike_env.actions import check_action
from klondike_env.codes import format_code
from klondike_env.deals import Deal
from klondike_env.errors import KlondikeError
from klondike_env.game import Game
from klondike_env.rules import Rules

if TYPE_CHECKING:
    from klondike_env.evaluation.thoughts import Thoughts

FIRST_LINE: Final = "klondike-record 1"
UNDO: Final = "undo"
RESTART: Final = "restart"
START_KEYS: Final = ("code", "deck", "rules", "agent")
"""Keys of a header that are no further information."""
HEADER_KEY: Final = re.compile(r"[a-z][a-z0-9_-]*")
"""What a key of a header looks like."""

_MAX_SECONDS: Final = 1e12
_SIGNIFICANT_DIGITS: Final = 6


class RecordError(KlondikeError):
    """A record that cannot be read or written, or whose game cannot be played as it stands."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a record: something that was done.

    Attributes:
        move: Action index 0-85, ``"undo"`` or ``"restart"``.
        seconds: Seconds since the game began, at least 0; kept to the millisecond.
        thoughts: What an agent thought of the decision, or None; kept to six digits a number.
        line: Line number in the file that it was read from, or None.
    """

    move: int | str
    seconds: float = 0.0
    thoughts: Thoughts | None = None
    line: int | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        """Check the fields.

        Raises:
            RecordError: No such move, or a time that is none.
        """
        if self.move not in (UNDO, RESTART):
            try:
                object.__setattr__(self, "move", check_action(self.move))
            except KlondikeError as error:
                raise RecordError(f"{self.move!r} is no action from 0 to 85, {UNDO!r} or {RESTART!r}") from error
        if not (math.isfinite(self.seconds) and 0 <= self.seconds < _MAX_SECONDS):
            raise RecordError(f"a time of {self.seconds!r} seconds; it must be a number of at least 0")
        object.__setattr__(self, "seconds", round(float(self.seconds), 3))
        if self.thoughts is not None:
            object.__setattr__(self, "thoughts", _shorten(self.thoughts))

    @property
    def action(self) -> int | None:
        """The action index, or None for an undo or restart."""
        return self.move if isinstance(self.move, int) else None

    def play(self, game: Game) -> None:
        """Do it in a game.

        Raises:
            KlondikeError: The action is not legal there, or nothing is left to undo.
        """
        if isinstance(self.move, int):
            game.play(self.move)
        elif self.move == UNDO:
            game.undo()
        else:
            game.restart()

    def to_line(self) -> str:
        """Write the entry as a line, without line end."""
        line = f"{self.move} {self.seconds:.3f}"
        return line if self.thoughts is None else f"{line} {_thoughts_text(self.thoughts)}"


@dataclass(frozen=True, slots=True)
class RecordEnd:
    """How a record says that its game ended.

    Attributes:
        outcome: ``"won"``, ``"lost"`` or ``"truncated"`` (left or stopped before it was either).
        score: The final score, in points or dollars.
        line: Line number in the file that it was read from, or None.
    """

    outcome: str
    score: int
    line: int | None = field(default=None, compare=False)

    @classmethod
    def of(cls, game: Game) -> RecordEnd:
        """Return the end of a game that is over, as it lies there."""
        return cls("won" if game.is_won else "lost" if game.is_lost else "truncated", game.score)

    def to_line(self) -> str:
        """Write the end as a line, without line end."""
        return f"end {self.outcome} {self.score}"


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A game that was played: how it started and what was done.

    Attributes:
        deal: The cards.
        rules: The rules.
        agent: Who played: ``"person"`` or the name of an agent.
        info: More about it, as text by key: ``seed``, ``started``, ``version``.
        entries: What was done, in order.
        end: How it ended, or None where the record does not say, as while a game goes on.
        place: Where it was read from, for messages.
        torn_line: A last line without line end that was left out, since a write was cut off there; else ``""``.
    """

    deal: Deal
    rules: Rules
    agent: str = "person"
    info: Mapping[str, str] = field(default_factory=dict)
    entries: tuple[Entry, ...] = ()
    end: RecordEnd | None = None
    place: str = field(default="record", compare=False)
    torn_line: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        """Check the texts.

        Raises:
            RecordError: A key or text that cannot stand in a header line.
        """
        object.__setattr__(self, "agent", _header_value("agent", self.agent))
        info = {}
        for key, value in self.info.items():
            if not HEADER_KEY.fullmatch(key) or key in START_KEYS:
                raise RecordError(f"{key!r} is no key for a record's header; use a word in small letters, such as seed")
            info[key] = _header_value(key, value)
        object.__setattr__(self, "info", info)
        object.__setattr__(self, "entries", tuple(self.entries))

    @property
    def code(self) -> str | None:
        """The game code, or None for a deal that none names; ``rules`` may say more than the code."""
        return None if self.deal.number is None else format_code(self.deal.number, self.rules.mode)

    @property
    def actions(self) -> list[int]:
        """The action indices, in order, undos and restarts left out."""
        return [entry.move for entry in self.entries if isinstance(entry.move, int)]

    def start(self) -> Game:
        """Return the game at its deal."""
        return Game.from_deal(self.deal, self.rules)

    def replay(self) -> Iterator[tuple[Entry, Game]]:
        """Play the game again; yield each entry once it is done, with the game, which is the same object every time.

        Raises:
            RecordError: An entry cannot be done where it stands, or the end is another than the record says; the
                message names line and reason.
        """
        game = self.start()
        for entry in self.entries:
            try:
                entry.play(game)
            except KlondikeError as error:
                self._fail(entry.line, f"{error}")
            yield entry, game
        self._check_end(game)

    def final_game(self) -> Game:
        """Return the game as it lies at the end, with all that can be undone.

        Raises:
            RecordError: As for ``replay``.
        """
        game = self.start()
        for _entry, game in self.replay():  # noqa: B007  # the last game is what is wanted
            pass
        return game

    def _check_end(self, game: Game) -> None:
        """Refuse an end that is not the one that was claimed."""
        if self.end is None:
            return
        true_end = RecordEnd.of(game)
        if true_end != self.end:
            self._fail(
                self.end.line,
                f"the record ends {self.end.outcome} with score {self.end.score}, but its moves end {true_end.outcome}"
                f" with score {true_end.score}",
            )

    def _fail(self, line: int | None, reason: str) -> NoReturn:
        """Raise an error that says where in the record it is."""
        raise RecordError(f"{self.place}{'' if line is None else f', line {line}'}: {reason}")

    def to_text(self) -> str:
        """Write the record; ``parse_record`` reads it back as it is."""
        lines = [*_header_lines(self), "", *(entry.to_line() for entry in self.entries)]
        if self.end is not None:
            lines.append(self.end.to_line())
        return "\n".join(lines) + "\n"


def _header_value(key: str, value: object) -> str:
    """Return a text that can stand behind a key of the header, without space around it."""
    text = str(value).strip()
    if not text.isprintable():
        raise RecordError(f"{key} is {value!r}; it must be text on one line, without control characters")
    return text


def _header_lines(record: GameRecord) -> list[str]:
    """Return the lines of a record before the blank one."""
    start = f"deck: {record.deal}" if record.code is None else f"code: {record.code}"
    header = {"rules": record.rules.name, "agent": record.agent, **record.info}
    return [FIRST_LINE, start, *(f"{key}: {value}".rstrip() for key, value in header.items())]


def _thoughts_text(thoughts: Thoughts) -> str:
    """Write thoughts as JSON, what is not given left out."""
    fields: dict[str, Any] = {}
    if thoughts.probabilities:
        fields["probabilities"] = {str(action): share for action, share in thoughts.probabilities.items()}
    if thoughts.value is not None:
        fields["value"] = thoughts.value
    if thoughts.action_values:
        fields["action_values"] = {str(action): value for action, value in thoughts.action_values.items()}
    if thoughts.unit != type(thoughts)().unit:
        fields["unit"] = thoughts.unit
    return json.dumps(fields, allow_nan=False)


def _shorten(thoughts: Thoughts) -> Thoughts:
    """Return thoughts in plain numbers of six significant digits, which is more than anybody looks at."""

    def short(number: Any) -> float:
        return float(f"{float(number):.{_SIGNIFICANT_DIGITS}g}")

    return type(thoughts)(
        {int(action): short(share) for action, share in thoughts.probabilities.items()},
        None if thoughts.value is None else short(thoughts.value),
        {int(action): short(value) for action, value in thoughts.action_values.items()},
        str(thoughts.unit),
    )
