"""Work that takes a while, beside a game that goes on: an agent's thoughts, the solver's answer."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

ResultT = TypeVar("ResultT")


class Background(Generic[ResultT]):
    """A function that runs in a thread of its own, which never keeps the program from ending."""

    def __init__(self, work: Callable[[Callable[[], bool]], ResultT]) -> None:
        """Start the work.

        Args:
            work: Called with a function that tells whether the work was cancelled, so that it may return early.
        """
        self._work = work
        self._cancelled = threading.Event()
        self._result: list[ResultT] = []
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        """Do the work and keep what came of it."""
        try:
            self._result.append(self._work(self._cancelled.is_set))
        except BaseException as error:  # It belongs to whoever asks for the result, not to this thread.
            self._error = error

    @property
    def done(self) -> bool:
        """Whether the work has ended, well or badly."""
        return not self._thread.is_alive()

    def result(self) -> ResultT:
        """Wait for the work and return its result; an error in it is raised here."""
        # A join without limit could not be interrupted from the keyboard on every system.
        while self._thread.is_alive():
            self._thread.join(0.1)
        if self._error is not None:
            raise self._error
        return self._result[0]

    def cancel(self) -> None:
        """Ask the work to end early; its result, if any, is of no more use."""
        self._cancelled.set()
