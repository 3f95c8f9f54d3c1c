"""Who helps a player in the window: an agent, and answers to two questions, while the window stays alive."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from klondike_env.errors import KlondikeError
from klondike_env.playing.background import Background
from klondike_env.playing.playing_agent import Choice
from klondike_env.playing.questions import ASK, RUN, STEP, Questions
from klondike_env.playing.replies import Reply
from klondike_env.playing.session import PlaySession

RUN_SECONDS: Final = 0.3
"""Between two moves of an agent that plays on, so that they can be followed."""


class WindowHelpers(Questions):
    """An agent that thinks, and a question that waits for its answer.

    Attributes:
        choice: What the agent chose last, for the panel.
        choice_text: The same in words.
    """

    def __init__(
        self, session: PlaySession, say: Callable[[str, bool], None], play: Callable[[Callable[[], Reply]], Reply]
    ) -> None:
        """Begin with nothing asked.

        Args:
            session: The session.
            say: Shows a line; its second argument tells whether it is a refusal.
            play: Plays something that may change the game, and shows it.
        """
        super().__init__(session, say)
        self._play = play
        self._loading: tuple[str, Background[None]] | None = None
        self._does: str | None = None
        self._rest = 0.0
        self.choice: Choice | None = None
        self.choice_text = ""

    @property
    def agent_is_running(self) -> bool:
        """Whether the agent plays on until it is stopped."""
        return self._does == RUN

    @property
    def is_busy(self) -> bool:
        """Whether something is awaited."""
        return self._does is not None or self._question is not None or self._loading is not None

    def choose_agent(self, name: str) -> None:
        """Load another agent; learners take some seconds for that."""
        self.stop_agent()
        session = self._session
        self._loading = (name, Background(lambda _stopped: session.choose_agent(name)))
        self._say(f"loading agent {name} …", False)

    def ask_agent(self, what: str) -> None:
        """Let the agent think: to play one move (``STEP``), to tell one (``ASK``), or to play on (``RUN``)."""
        self._does = what
        self._rest = 0.0

    def stop_agent(self) -> None:
        """Let the agent do nothing more."""
        self._does = None

    def forget(self) -> None:
        """Drop what belonged to another game."""
        self.drop_question()
        self.stop_agent()
        self.choice, self.choice_text = None, ""

    def tick(self, seconds: float) -> None:
        """Look whether an answer or the agent's choice has come, and do what is to be done with it."""
        self._look_for_answers()
        if self._does is None or self._loading is not None:
            return
        self._rest = max(0.0, self._rest - seconds)
        try:
            thinking = self._session.agent_begin()
        except KlondikeError as error:
            self.stop_agent()
            self._say(str(error), True)
            return
        if thinking.done and self._rest <= 0:
            self._follow_agent()

    def _look_for_answers(self) -> None:
        """Tell what was found out, and whether an agent has been loaded."""
        self._look_for_answer()
        if self._loading is not None and self._loading[1].done:
            name, loading = self._loading
            self._loading = None
            try:
                loading.result()
                self.choice, self.choice_text = None, ""
                self._say(f"{name} plays when asked (a: one move, A: play on)", False)
            except Exception as error:
                self._say(str(error), True)

    def _follow_agent(self) -> None:
        """Show what the agent chose, and play it unless it was only asked."""
        session, does = self._session, self._does
        choice = session.agent_choice
        if choice is not None:
            self.choice, self.choice_text = choice, session.move_text(choice.action)
            gave_up = session.agent_is_done
            if does == ASK or (does == RUN and gave_up):
                self.stop_agent()
                if gave_up:
                    self._say(f"{session.agent_name} sees no way on", False)
                return
        reply = self._play(session.agent_step)
        self._rest = RUN_SECONDS
        if does == STEP or not reply.changed or session.is_won:
            self.stop_agent()
