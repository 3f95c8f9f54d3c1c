"""``klondike play --terminal``: a session played by keys in a terminal."""

from __future__ import annotations

import base64
import os
import textwrap
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from klondike_env.errors import KlondikeError
from klondike_env.evaluation.policies import AGENT_CLASSES
from klondike_env.playing.questions import ASK, RUN, STEP
from klondike_env.playing.replies import Reply
from klondike_env.playing.session import PlaySession
from klondike_env.playing.terminal_board import (
    ASCII_SIGNS,
    SMALLEST_HEIGHT,
    SMALLEST_WIDTH,
    UNICODE_SIGNS,
    BoardPainter,
    Signs,
    Span,
)
from klondike_env.playing.terminal_hand import PLACE_KEYS, TerminalHand
from klondike_env.playing.terminal_helpers import TerminalHelpers
from klondike_env.playing.terminal_screen import Screen, TerminalClosedError, open_screen, symbols_work
from klondike_env.playing.terminal_texts import (
    HELP,
    KEY_LINES,
    NEW_GAME,
    NEW_GAME_RULES,
    legal_lines,
)

_PANEL_MARGIN: Final = 5
"""Rows of the screen that the panel beside the table leaves free."""
_CLIPBOARD_TERMINALS: Final = ("xterm", "screen", "tmux", "rxvt", "alacritty", "foot")


def run_terminal(session: PlaySession, *, ascii_only: bool = False) -> None:
    """Play a session in the terminal, until the player quits or a signal ends it.

    The terminal is as it was before when this returns or raises.

    Args:
        session: The session; it stays open.
        ascii_only: Whether to draw letters instead of suit symbols in any case.

    Raises:
        OptionError: The terminal cannot show a full screen.
    """
    signs = ASCII_SIGNS if ascii_only or not symbols_work() else UNICODE_SIGNS
    with open_screen() as screen:
        try:
            TerminalGame(session, screen, signs).run()
        except TerminalClosedError:
            return


class TerminalGame:
    """What the keys do, and what stands on the screen."""

    def __init__(self, session: PlaySession, screen: Screen, signs: Signs) -> None:
        """Take a session and the screen it is played on."""
        self._session = session
        self._screen = screen
        self._signs = signs
        self._hand = TerminalHand(session)
        self._message = ""
        self._is_refusal = False
        self._page: str | None = None
        self._prompt: tuple[str, Callable[[str], Reply | None]] | None = None
        self._typed = ""
        self._one_key = False
        self._panel = "keys"
        self._helpers = TerminalHelpers(session, signs, self._say)
        self._quit = False
        self._serial = session.serial
        self._commands: dict[str, Callable[[], Reply | None]] = {
            "undo": session.undo,
            "restart": session.restart,
            "new": session.new_game,
            "hints": self._toggle_legal_moves,
            "step": lambda: self._ask_agent(STEP),
            "ask": lambda: self._ask_agent(ASK),
            "run": lambda: self._ask_agent(RUN),
            "quit": self._end,
            "help": self._show_help,
        }
        self._keys: dict[str, Callable[[], Reply | None]] = {
            "enter": self._tap_or_drop,
            "space": self._hand.take_or_drop_at_cursor,
            "escape": self._put_back,
            "0": lambda: self._tap("stock"),
            "o": lambda: self._when_free(lambda: session.look_for_column(self._hand.place)),
            "u": session.undo,
            "r": self._ask_restart,
            "n": self._show_new_game,
            "l": self._toggle_legal_moves,
            "a": lambda: self._ask_agent(STEP),
            "p": lambda: self._ask_agent(ASK),
            "A": lambda: self._ask_agent(RUN),
            "g": self._ask_which_agent,
            "v": self._helpers.ask_winnable,
            "x": self._helpers.ask_useful_move,
            "y": self._show_code,
            ":": lambda: self._ask("command: ", self._run_command),
            "?": self._show_help,
            "q": self._end,
        }

    def run(self) -> None:
        """Draw and follow keys until the player quits."""
        self._say("; ".join(self._session.take_notices()))
        while not self._quit:
            self._draw()
            key = self._screen.read_key(self._helpers.wait_seconds)
            if key is None:
                self._helpers.go_on(self._screen.height - _PANEL_MARGIN)
            elif key == "quit":
                self._end()
            elif key == "redraw":
                self._screen.redraw()
            elif key != "resize":
                self._follow_key(key)
            self._note_change()
        self._helpers.drop_question()

    def _note_change(self) -> None:
        """After a change of the game, drop what belonged to the position before, and tell what is to be told."""
        if self._session.serial != self._serial:
            self._serial = self._session.serial
            self._hand.put_back()
            self._helpers.drop_question()
        self._hand.follow()
        notices = self._session.take_notices()
        if notices:
            self._say("; ".join(notices))

    # Keys

    def _follow_key(self, key: str) -> None:
        """Do what a key means now."""
        was_running = self._helpers.agent_is_running
        self._helpers.stop_agent()
        if was_running:
            self._say(f"{self._session.agent_name} stopped")
            return
        if self._prompt is not None:
            self._type(key)
            return
        if self._page is not None:
            self._follow_page_key(key)
            return
        self._say("")
        if key in PLACE_KEYS:
            place = PLACE_KEYS[key]
            self._answer(self._hand.take_or_drop(place))
        elif key in ("left", "right", "up", "down"):
            self._hand.move_cursor(key)
        elif key in self._keys:
            self._answer(self._keys[key]())
        else:
            self._say("that key does nothing; ? shows the keys")

    def _answer(self, reply: Reply | None) -> None:
        """Show what came of a request."""
        if reply is None:
            return
        if reply.reason is not None:
            self._say(reply.reason, True)

    def _say(self, text: str, refusal: bool = False) -> None:
        """Put a line under the table."""
        self._message = text
        self._is_refusal = refusal

    def _tap_or_drop(self) -> Reply:
        """Do what Enter does."""
        return self._hand.drop(self._hand.place) if self._hand.is_full else self._tap(self._hand.place)

    def _tap(self, place: str) -> Reply:
        """Tap a place, unless cards are in the hand."""
        return self._when_free(lambda: self._session.tap(place))

    def _when_free(self, play: Callable[[], Reply]) -> Reply:
        """Do something that needs an empty hand."""
        if self._hand.is_full:
            return Reply(reason="cards are in the hand; drop them first, or put them back with Escape")
        return play()

    def _put_back(self) -> None:
        """Do what Escape does."""
        self._helpers.drop_question()
        self._hand.put_back()

    def _end(self) -> None:
        """Leave the game; it is saved."""
        self._quit = True

    # Pages and prompts

    def _show_help(self) -> None:
        """Show the keys."""
        self._page = "help"

    def _show_new_game(self) -> None:
        """Ask which game to begin."""
        self._page = "new"

    def _follow_page_key(self, key: str) -> None:
        """Do what a key means while a page is shown."""
        page, self._page = self._page, None
        if page != "new":
            return
        if key in NEW_GAME_RULES:
            self._begin_new(NEW_GAME_RULES[key])
        elif key == "c":
            self._ask("code or 52 cards: ", self._begin_typed)
        elif key != "escape":
            self._page = page

    def _begin_new(self, rules: str | None) -> Reply:
        """Begin a game with a random number."""
        reply = self._session.new_game(rules)
        self._say(f"new game {self._session.code_text}")
        return reply

    def _begin_typed(self, text: str) -> Reply:
        """Begin the game that was typed."""
        names_deck = ":" in text or len(text.split()) > 1
        reply = self._session.new_game(deck=text) if names_deck else self._session.new_game(code=text)
        self._say(f"new game {self._session.code_text}")
        return reply

    def _ask_restart(self) -> None:
        """Ask before all moves are lost."""
        self._ask("restart this game? y or n: ", self._restart_if, key_only=True)

    def _restart_if(self, text: str) -> Reply | None:
        """Restart if the answer was yes."""
        return self._session.restart() if text.lower().startswith("y") else None

    def _ask(self, prompt: str, done: Callable[[str], Reply | None], *, key_only: bool = False) -> None:
        """Let the player type a line, or a single key."""
        self._prompt = (prompt, done)
        self._one_key = key_only
        self._typed = ""

    def _type(self, key: str) -> None:
        """Follow a key while a line is typed."""
        assert self._prompt is not None
        _, done = self._prompt
        if key == "escape":
            self._prompt = None
        elif key == "backspace":
            self._typed = self._typed[:-1]
        elif key == "space" or len(key) == 1:
            self._typed += " " if key == "space" else key
        if self._prompt is not None and (key == "enter" or (self._one_key and self._typed)):
            self._prompt = None
            self._say("")
            try:
                self._answer(done(self._typed.strip()))
            except KlondikeError as error:
                self._say(str(error), True)

    def _run_command(self, text: str) -> Reply | None:
        """Do what was typed behind the colon."""
        word, _, rest = text.partition(" ")
        word, rest = word.lower(), rest.strip()
        if not word:
            return None
        if word.isdecimal():
            return self._session.act(int(word))
        if word == "new" and rest:
            return self._begin_new(rest)
        if word in ("code", "deck") and rest:
            return self._begin_typed(rest)
        if word == "agent" and rest:
            self._choose_agent(rest)
            return None
        if word in self._commands and not rest:
            return self._commands[word]()
        commands = ", ".join(self._commands)
        return Reply(
            reason=f"{text!r} is no command; type an action number, {commands}, new RULES, code CODE, agent NAME"
        )

    # Help and agent

    def _toggle_legal_moves(self) -> None:
        """Show or hide the legal moves."""
        self._panel = "keys" if self._panel == "legal" else "legal"

    def _ask_agent(self, what: str) -> None:
        """Let the agent think, and show its thoughts."""
        self._panel = "agent"
        self._helpers.ask_agent(what, self._screen.height - _PANEL_MARGIN)

    def _ask_which_agent(self) -> None:
        """Let the player name another agent."""
        self._ask(f"agent ({', '.join(AGENT_CLASSES)}, or another): ", self._choose_agent)

    def _choose_agent(self, name: str) -> None:
        """Let another agent play on from now on; no name leaves the one that is there."""
        if name:
            self._session.choose_agent(name)
            self._say(f"{name} plays on when asked")

    def _show_code(self) -> None:
        """Show the game code, and give it to the terminal's clipboard where it may know how."""
        text = self._session.copy_text
        self._say(f"this game: {text}")
        if os.environ.get("TERM", "").startswith(_CLIPBOARD_TERMINALS):
            data = base64.b64encode(text.encode()).decode()
            self._screen.send(f"\x1b]52;c;{data}\x07")

    # Drawing

    def _draw(self) -> None:
        """Draw the screen."""
        width, height = self._screen.width, self._screen.height
        if width < SMALLEST_WIDTH or height < SMALLEST_HEIGHT:
            text = f"This terminal is {width} x {height}; the game needs {SMALLEST_WIDTH} x {SMALLEST_HEIGHT}."
            lines = textwrap.wrap(f"{text} Make it larger, or press q to quit.", max(width - 1, 1))
            self._screen.draw(Span(row, 0, line) for row, line in enumerate(lines))
            return
        spans = self._title(width)
        if self._page is None:
            painter = BoardPainter(self._session.view, self._hand.marks(), self._signs, width, height)
            spans += painter.paint()
            spans += [
                Span(row, painter.panel_column, line, "dim", strong=row == 2)
                for row, line in enumerate(self._panel_lines(height - _PANEL_MARGIN), start=2)
            ]
        else:
            signs = self._signs
            text = HELP.format(redeal=signs.redeal, finished=signs.finished) if self._page == "help" else NEW_GAME
            lines = text.splitlines()
            spans += [Span(row, 1, line) for row, line in enumerate(lines, start=1)]
        spans += self._bottom(width, height)
        self._screen.draw(replace(span, text=self._signs.text(span.text)) for span in spans)

    def _title(self, width: int) -> list[Span]:
        """Return the first row: code, score, passes, and what can be undone."""
        session = self._session
        left = session.passes_left
        passes = f"pass {session.view.pass_number}" + ("" if left is None else f", {left} left")
        text = f" {session.code_text}   score {session.score_text}   {passes}   undo {session.undo_count}"
        return [Span(0, 0, text.ljust(width)[:width], "title", strong=True)]

    def _panel_lines(self, rows: int) -> list[str]:
        """Return what stands right of the table."""
        if self._panel == "legal":
            return legal_lines(self._session.view, self._session.hints(), self._signs)[:rows]
        return (self._helpers.thoughts if self._panel == "agent" and self._helpers.thoughts else list(KEY_LINES))[:rows]

    def _bottom(self, width: int, height: int) -> list[Span]:
        """Return the rows under the table: what is to be said, what is typed, what is in the hand."""
        if self._prompt is not None:
            text = f"{self._prompt[0]}{self._typed}_"
            return [Span(height - 2, 1, text[-(width - 2) :], strong=True)]
        style = "bad" if self._is_refusal else "text"
        message = self._message if self._page is None else ""  # A page takes all rows.
        lines = textwrap.wrap(message, width - 2, max_lines=2, placeholder=" …")
        spans = [Span(height - 3 + row, 1, line, style, strong=True) for row, line in enumerate(lines)]
        if self._session.is_won:
            won = f"Won with {self._session.score_text}!   n new game   u undo   q quit"
            spans.append(Span(height - 1, 1, won, "good", strong=True))
        elif self._hand.is_full:
            spans.append(Span(height - 1, 1, "in the hand: choose where it goes, or Escape", "text"))
        else:
            spans.append(Span(height - 1, 1, "? help   q quit", "dim"))
        return spans
