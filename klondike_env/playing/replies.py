"""What a session answers: what came of a request, and the last move."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from klondike_env.cards import Card


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of something that a person asked for.

    Attributes:
        action: The action played, or by an undo taken back; None if there was none.
        reason: One line that says why nothing changed; None if something did, or if there is nothing to say.
        points: Change of the score.
        changed: Whether the game changed.
    """

    action: int | None = None
    reason: str | None = None
    points: int = 0
    changed: bool = False


NOTHING: Final = Reply()
"""Nothing happened, and nothing is to be said."""


@dataclass(frozen=True, slots=True)
class LastMove:
    """A move, as it is marked on the table.

    Attributes:
        action: Action index, 0-85.
        cards: The cards moved, from the bottom; of a turn those turned up, none of a redeal.
        source: Place they came from.
        target: Place they went to.
    """

    action: int
    cards: tuple[Card, ...]
    source: str
    target: str
