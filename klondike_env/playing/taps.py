"""What a tap means, by the time since the last one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

DOUBLE_TAP_SECONDS: Final = 0.4
"""Two taps on one place within this time belong together."""

FIRST, SECOND, SPENT = "first", "second", "spent"


class TapTimer:
    """Tells first taps from quick second ones, and from those that come after a gesture that has done its work.

    A tap that moved a card ends its gesture: the taps that follow quickly on the same place are spent, so that a
    triple click moves one card once.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        """Begin.

        Args:
            clock: Returns seconds.
        """
        self._clock = clock
        self._place = ""
        self._time = 0.0
        self._moved = False

    def kind(self, place: str) -> str:
        """Return what a tap now on a place is: ``"first"``, ``"second"`` or ``"spent"``."""
        now = self._clock()
        quick = place == self._place and now - self._time <= DOUBLE_TAP_SECONDS
        self._time = now
        if not quick:
            self._place = place
            self._moved = False
            return FIRST
        return SPENT if self._moved else SECOND

    def note_moved(self) -> None:
        """Note that the tap just asked about moved a card."""
        self._moved = True

    def forget(self) -> None:
        """Let the next tap be a first one: something else was done in between."""
        self._place = ""
