"""The forms of the window: a new game, a restart, an agent."""

from __future__ import annotations

from collections.abc import Callable

from klondike_env.errors import KlondikeError
from klondike_env.evaluation.policies import AGENT_CLASSES
from klondike_env.playing.session import PlaySession
from klondike_env.playing.window_dialogs import ChoiceGroup, FormDialog


def new_game_form(session: PlaySession, begun: Callable[[str], None], paste: Callable[[], str]) -> FormDialog:
    """Return the form for a new game: draw and scoring, or a code or deck.

    Args:
        session: The session that begins the game.
        begun: Called with a line to show once it has.
        paste: Returns the text of the clipboard.
    """

    def begin(choices: dict[str, str], text: str) -> str | None:
        mode = choices["draw"] + choices["scoring"]
        is_deck = ":" in text or len(text.split()) > 1
        try:
            if not text:
                session.new_game(mode)
            elif is_deck:
                session.new_game(mode, deck=text)
            else:
                session.new_game(code=text)
        except KlondikeError as error:
            return str(error)
        begun(f"new game {session.code_text}")
        return None

    rules = session.rules
    draws = [("D1", "Easy: draw 1"), ("D3", "Hard: draw 3")]
    scorings = [("N", "Normal"), ("V", "Vegas")]
    return FormDialog(
        "New game",
        begin,
        groups=[
            ChoiceGroup("draw", draws, "D3" if rules.draw == 3 else "D1"),
            ChoiceGroup("scoring", scorings, "V" if rules.scoring == "vegas" else "N"),
        ],
        field="or a code, which tells draw and scoring, or 52 cards",
        paste=paste,
    )


def restart_form(session: PlaySession, begun: Callable[[str], None]) -> FormDialog:
    """Return the form that asks before all moves of a game are given up.

    Args:
        session: The session that restarts the game.
        begun: Called with a line to show once it has.
    """

    def restart(_choices: dict[str, str], _text: str) -> str | None:
        session.restart()
        begun("the same cards again")
        return None

    return FormDialog("Restart this game?", restart, accept_text="Restart")


def agent_form(session: PlaySession, choose: Callable[[str], None], paste: Callable[[], str]) -> FormDialog:
    """Return the form that chooses the agent which plays on.

    Args:
        session: The session whose agent it is.
        choose: Called with the agent's name.
        paste: Returns the text of the clipboard.
    """

    def accept(choices: dict[str, str], text: str) -> str | None:
        choose(text or choices["agent"])
        return None

    names = list(AGENT_CLASSES)
    chosen = session.agent_name if session.agent_name in names else names[0]
    return FormDialog(
        "Agent that plays on",
        accept,
        groups=[ChoiceGroup("agent", [(name, name) for name in names], chosen or names[0])],
        field="or another, as for klondike evaluate: module:Class",
        accept_text="Choose",
        paste=paste,
    )
