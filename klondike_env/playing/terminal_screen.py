"""A terminal as a screen: styles, keys, size, and the terminal as it was afterwards, whatever happens."""

from __future__ import annotations

import contextlib
import curses
import locale
import os
import signal
import sys
import tempfile
from collections.abc import Iterable, Iterator
from types import FrameType
from typing import Any, Final

from klondike_env.errors import OptionError
from klondike_env.playing.terminal_board import Span

_LONGEST_WAIT: Final = 0.5
"""Seconds."""
_ESCAPE_MILLISECONDS: Final = 50
"""How long to wait for the rest of a key that begins with Escape."""

_COLOURS: Final = {
    "red": (curses.COLOR_RED, -1),
    "back": (curses.COLOR_CYAN, -1),
    "title": (curses.COLOR_WHITE, curses.COLOR_GREEN),
    "bad": (curses.COLOR_RED, -1),
    "good": (curses.COLOR_GREEN, -1),
}

_SUSPEND: Final = "SIGTSTP"
_TERMINAL_OUTPUT: Final = 1
_ERROR_OUTPUT: Final = 2

_KEY_NAMES: Final = {
    curses.KEY_UP: "up",
    curses.KEY_DOWN: "down",
    curses.KEY_LEFT: "left",
    curses.KEY_RIGHT: "right",
    curses.KEY_ENTER: "enter",
    curses.KEY_BACKSPACE: "backspace",
    curses.KEY_RESIZE: "resize",
    curses.KEY_F1: "?",
    curses.KEY_HOME: "home",
    curses.KEY_END: "end",
    "\n": "enter",
    "\r": "enter",
    "\x1b": "escape",
    "\x7f": "backspace",
    "\b": "backspace",
    "\t": "tab",
    " ": "space",
    "\x03": "quit",
    "\x04": "quit",
    "\x0c": "redraw",
}


class TerminalClosedError(Exception):
    """The terminal has gone, or the process was asked to end."""


class Screen:
    """A full screen that spans are drawn on and keys are read from."""

    def __init__(self, window: Any, colours: bool, signals: list[str]) -> None:
        """Take a curses window, and a list in which the names of signals will stand."""
        self._window = window
        self._signals = signals
        self._attributes: dict[str, int] = {"dim": curses.A_DIM, "title": curses.A_REVERSE}
        if colours:
            curses.start_color()
            curses.use_default_colors()
            for number, (style, pair) in enumerate(_COLOURS.items(), start=1):
                curses.init_pair(number, *pair)
                self._attributes[style] = curses.color_pair(number)
        window.keypad(True)

    @property
    def width(self) -> int:
        """Columns of the screen now."""
        return int(self._window.getmaxyx()[1])

    @property
    def height(self) -> int:
        """Rows of the screen now."""
        return int(self._window.getmaxyx()[0])

    def draw(self, spans: Iterable[Span]) -> None:
        """Draw spans in place of what was there; what does not fit is cut off."""
        height, width = self._window.getmaxyx()
        self._window.erase()
        for span in spans:
            if not 0 <= span.row < height or span.column >= width:
                continue
            attributes = self._attributes.get(span.style, 0)
            attributes |= curses.A_BOLD if span.strong else 0
            attributes |= curses.A_REVERSE if span.reverse else 0
            # Curses raises after it has written the last place of the screen.
            with contextlib.suppress(curses.error):
                self._window.addstr(span.row, span.column, span.text[: width - span.column], attributes)
        self._window.refresh()

    def send(self, text: str) -> None:
        """Send the terminal something that moves nothing on the screen."""
        os.write(_TERMINAL_OUTPUT, text.encode())

    def _suspend(self) -> None:
        """Give the terminal back to the shell until the player goes on."""
        curses.endwin()
        os.kill(os.getpid(), signal.SIGSTOP)
        # Drawing puts the terminal into its mode for the screen again.
        self.redraw()
        self._window.refresh()

    def redraw(self) -> None:
        """Draw everything again, also what should be there already."""
        self._window.clearok(True)

    def read_key(self, seconds: float) -> str | None:
        """Wait for a key.

        Args:
            seconds: How long; at most half a second, so that no signal has to wait.

        Returns:
            A character, or a name such as ``"left"``, ``"enter"``, ``"escape"``, ``"space"``, ``"resize"``; None if
            there was none, or one without a name.

        Raises:
            TerminalClosedError: The terminal has gone, or a signal asked to end.
        """
        while self._signals:
            noted = self._signals.pop(0)
            if noted != _SUSPEND:
                raise TerminalClosedError(f"ended by {noted}")
            self._suspend()
        self._window.timeout(int(min(seconds, _LONGEST_WAIT) * 1000))
        try:
            key: int | str = self._window.get_wch()
        except curses.error:
            if not _is_open():
                raise TerminalClosedError("the terminal has gone") from None
            return None
        name = _KEY_NAMES.get(key)
        if name is not None:
            return name
        return key if isinstance(key, str) and key.isprintable() else None


def symbols_work() -> bool:
    """Return whether the user's language settings promise a terminal that shows suit symbols."""
    with contextlib.suppress(locale.Error):
        locale.setlocale(locale.LC_ALL, "")
    return "utf" in locale.nl_langinfo(locale.CODESET).lower()


@contextlib.contextmanager
def open_screen() -> Iterator[Screen]:
    """Make the terminal a screen, and put it back as it was at the end, also after errors and signals.

    Raises:
        OptionError: The terminal cannot do it.
    """
    with contextlib.suppress(locale.Error):
        locale.setlocale(locale.LC_ALL, "")
    try:
        curses.setupterm()
    except curses.error as error:
        raise OptionError(f"the terminal type TERM={os.environ.get('TERM', '')!r} is not known here") from error
    if not curses.tigetstr("cup"):
        raise OptionError(
            f"a terminal of the type TERM={os.environ.get('TERM', '')!r} cannot move its cursor; the game needs that"
        )
    curses.set_escdelay(_ESCAPE_MILLISECONDS)
    with _kept_messages(), _noted_signals() as signals:
        window = curses.initscr()
        try:
            curses.noecho()
            curses.cbreak()
            with contextlib.suppress(curses.error):
                curses.curs_set(0)
            yield Screen(window, curses.has_colors() and not os.environ.get("NO_COLOR"), signals)
        finally:
            with contextlib.suppress(curses.error):
                curses.curs_set(1)
            with contextlib.suppress(curses.error):
                curses.nocbreak()
                curses.echo()
                curses.endwin()


@contextlib.contextmanager
def _kept_messages() -> Iterator[None]:
    """Keep what is printed meanwhile, such as a word on compiling, off the screen; it comes out at the end."""
    sys.stderr.flush()
    terminal = os.dup(_ERROR_OUTPUT)
    with tempfile.TemporaryFile() as messages:
        os.dup2(messages.fileno(), _ERROR_OUTPUT)
        try:
            with contextlib.redirect_stdout(sys.stderr):
                yield
        finally:
            sys.stderr.flush()
            os.dup2(terminal, _ERROR_OUTPUT)
            os.close(terminal)
            messages.seek(0)
            with contextlib.suppress(OSError):  # The terminal may have gone.
                os.write(_ERROR_OUTPUT, messages.read())


@contextlib.contextmanager
def _noted_signals() -> Iterator[list[str]]:
    """Note signals to end or suspend, for the next wait for a key; acting at once could tear a move or a drawing."""
    noted: list[str] = []

    def note(number: int, frame: FrameType | None) -> None:
        noted.append(signal.Signals(number).name)

    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP", "SIGINT", _SUSPEND) if hasattr(signal, name)]
    before = {number: signal.signal(number, note) for number in numbers}
    try:
        yield noted
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _is_open() -> bool:
    """Return whether the terminal is still there to be read from."""
    try:
        os.tcgetpgrp(0)
    except OSError:
        return False
    return True
