"""Two questions that a player can ask, answered in the background while the game goes on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from klondike_env.playing.background import Background
from klondike_env.playing.session import PlaySession

_WINNABLE_ANSWERS: Final = {
    "yes": "yes, this game can still be won (the solver knows all cards)",
    "no": "no, this game cannot be won from here (the solver knows all cards)",
    "unknown": "unknown: the solver found no answer in its time",
}

STEP, ASK, RUN = "step", "ask", "run"
"""What an agent is asked for: to play one move, to tell one, or to play on."""


class Questions:
    """A question that waits for its answer; what helps a player in the window and in the terminal builds on it."""

    def __init__(self, session: PlaySession, say: Callable[[str, bool], None]) -> None:
        """Begin with nothing asked.

        Args:
            session: The session.
            say: Shows a line; its second argument tells whether it is a refusal.
        """
        self._session = session
        self._say = say
        self._question: tuple[Background[str], Callable[[str], str]] | None = None

    def ask_winnable(self) -> None:
        """Ask the solver."""
        self.drop_question()
        self._question = (self._session.ask_winnable(), lambda answer: _WINNABLE_ANSWERS[answer])
        self._say("looking whether this game can still be won …", False)

    def ask_useful_move(self) -> None:
        """Ask whether a useful move is left."""
        self.drop_question()
        self._question = (self._session.ask_useful_move(), str)
        self._say("looking for a useful move …", False)

    def drop_question(self) -> None:
        """Take a question back."""
        if self._question is not None:
            self._question[0].cancel()
            self._question = None

    def _look_for_answer(self) -> None:
        """Tell the answer, if it has come."""
        if self._question is not None and self._question[0].done:
            work, words = self._question
            self._question = None
            try:
                self._say(words(work.result()), False)
            except Exception as error:  # Whatever ends the work must not end the game.
                self._say(f"no answer: {error}", True)
