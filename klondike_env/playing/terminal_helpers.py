"""Who helps a player in the terminal: an agent, and the answers to two questions, all while keys are still followed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from klondike_env.errors import KlondikeError
from klondike_env.playing.questions import ASK, RUN, STEP, Questions
from klondike_env.playing.session import PlaySession
from klondike_env.playing.terminal_board import Signs
from klondike_env.playing.terminal_texts import short_move, thoughts_lines

_POLL_SECONDS: Final = 0.05
_RUN_SECONDS: Final = 0.15
"""Between two moves of an agent that plays on, so that they can be followed."""
_IDLE_SECONDS: Final = 0.5


class TerminalHelpers(Questions):
    """An agent that thinks, and questions that wait for an answer.

    Attributes:
        thoughts: Lines on what the agent chose last.
    """

    def __init__(self, session: PlaySession, signs: Signs, say: Callable[[str, bool], None]) -> None:
        """Begin with nothing asked.

        Args:
            session: The session.
            signs: What cards are written with.
            say: Shows a line; its second argument tells whether it is a refusal.
        """
        super().__init__(session, say)
        self._signs = signs
        self._agent_does: str | None = None
        self.thoughts: list[str] = []

    @property
    def agent_is_running(self) -> bool:
        """Whether the agent plays on until it is stopped."""
        return self._agent_does == RUN

    @property
    def wait_seconds(self) -> float:
        """How long to wait for a key before ``go_on`` has something to do."""
        if self._agent_does == RUN:
            return _RUN_SECONDS
        return _IDLE_SECONDS if self._question is None and self._agent_does is None else _POLL_SECONDS

    def ask_agent(self, what: str, rows: int) -> None:
        """Let the agent think.

        Args:
            what: To play one move (``STEP``), to tell one (``ASK``), or to play on (``RUN``).
            rows: How many lines of thoughts can be shown.
        """
        self._agent_does = what
        self.thoughts = [self._waiting_line()]
        self.go_on(rows)

    def stop_agent(self) -> None:
        """Let the agent do nothing more."""
        self._agent_does = None
        if self.thoughts == [self._waiting_line()]:
            self.thoughts = []

    def _waiting_line(self) -> str:
        """Return what is shown while the agent thinks."""
        return f"{self._session.agent_name or 'agent'} thinks …"

    def go_on(self, rows: int) -> None:
        """Look whether an answer or the agent's choice has come, and do what is to be done with it.

        Args:
            rows: How many lines of thoughts can be shown.
        """
        self._look_for_answer()
        if self._agent_does is None:
            return
        try:
            thinking = self._session.agent_begin()
        except KlondikeError as error:
            self._agent_does = None
            self.thoughts = []
            self._say(str(error), True)
            return
        if thinking.done:
            self._follow_agent(rows)

    def _follow_agent(self, rows: int) -> None:
        """Show what the agent chose, and play it unless it was only asked."""
        session, does = self._session, self._agent_does
        choice = session.agent_choice
        if choice is not None:
            names = {action: short_move(session.view, action, self._signs) for action in session.hints()}
            heading = f"{session.agent_name}: {choice.action} {names.get(choice.action, '')}"
            self.thoughts = thoughts_lines(heading, choice.thoughts, names, rows)
            if does == ASK or (does == RUN and session.agent_is_done):
                self._agent_does = None
                if does == RUN:
                    self._say(f"{session.agent_name} sees no way on", False)
                return
        reply = session.agent_step()
        if reply.reason is not None:
            self.thoughts = []
            self._say(reply.reason, True)
        if does == STEP or not reply.changed or session.is_won:
            self._agent_does = None
