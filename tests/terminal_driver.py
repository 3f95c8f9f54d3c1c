"""A terminal that a test types in and reads from: the real command behind a pseudo-terminal."""

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path

import pyte

KLONDIKE = Path(sys.executable).parent / "klondike"
PATIENCE = 30.0

ARROWS = {"up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D"}
REDRAWN = re.compile(rb"\x1b\[H\x1b\[2?J")
ENTER, ESCAPE = "\r", "\x1b"


class Terminal:
    """A pseudo-terminal with a command in it."""

    def __init__(
        self,
        home: Path,
        *arguments: str,
        columns: int = 80,
        rows: int = 24,
        settings: dict[str, str] | None = None,
        command: str | Path = KLONDIKE,
    ) -> None:
        self.screen = pyte.Screen(columns, rows)
        self.stream = pyte.ByteStream(self.screen)
        self.bytes = b""
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG"))}
        environment.pop("NO_COLOR", None)
        environment |= {"TERM": "linux", "LANG": "C.UTF-8", "KLONDIKE_HOME": str(home), **(settings or {})}
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            os.execve(command, [str(command), *arguments], environment)
        self._set_size(columns, rows)
        self.status: int | None = None

    def _set_size(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def resize(self, columns: int, rows: int) -> None:
        """Give the terminal another size, as a window manager does."""
        self.screen.resize(rows, columns)
        self._set_size(columns, rows)

    @property
    def text(self) -> str:
        """What stands on the screen."""
        return "\n".join(line.rstrip() for line in self.screen.display)

    def read(self, seconds: float) -> bool:
        """Take what the command writes within a time; return whether it can write more."""
        ready, _, _ = select.select([self.master], [], [], seconds)
        if not ready:
            return True
        try:
            data = os.read(self.master, 65536)
        except OSError:
            return False
        self.bytes += data
        self.stream.feed(data)
        return bool(data)

    def wait_until(self, condition: Callable[[], bool], what: str = "") -> None:
        """Read until a condition holds."""
        end = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < end, f"waited for {what or 'a condition'} in vain:\n{self.text}"
            if not self.read(0.02) and not condition():
                raise AssertionError(f"the command ended, no {what}:\n{self.text}")

    def wait_for(self, text: str) -> None:
        """Read until a text stands on the screen."""
        self.wait_until(lambda: text in self.text, repr(text))

    def wait_gone(self, text: str) -> None:
        """Read until a text does not stand on the screen."""
        self.wait_until(lambda: text not in self.text, f"end of {text!r}")

    def settle(self) -> None:
        """Read until the command has followed all keys and waits for more: it answers a mark of its own.

        A control key redraws the screen from its first row; when that has come, all keys before have been followed.
        """
        count = len(REDRAWN.findall(self.bytes))
        self.send("\x0c")
        self.wait_until(lambda: len(REDRAWN.findall(self.bytes)) > count, "redraw")
        while True:
            size = len(self.bytes)
            self.read(0.05)
            if len(self.bytes) == size:
                return

    def send(self, keys: str) -> None:
        """Type."""
        os.write(self.master, keys.encode())

    def type(self, keys: str, expected: str) -> None:
        """Type, and wait for a text."""
        self.send(keys)
        self.wait_for(expected)

    def command(self, text: str, expected: str) -> None:
        """Give a command behind the colon, and wait for a text."""
        self.send(f":{text}\r")
        self.wait_for(expected)

    def place_of(self, text: str) -> pyte.screens.Char:
        """Return the first character cell of a text on the screen, for its colours."""
        for row, line in enumerate(self.screen.display):
            if text in line:
                return self.screen.buffer[row][line.index(text)]
        raise AssertionError(f"{text!r} is not on the screen:\n{self.text}")

    def kill(self, number: int = signal.SIGKILL) -> None:
        """Send the command a signal."""
        os.kill(self.pid, number)

    def wait_end(self) -> int:
        """Read to the end of the command and return its exit status, negative for a signal."""
        end = time.monotonic() + PATIENCE
        while self.status is None:
            assert time.monotonic() < end, f"the command does not end:\n{self.text}"
            if not self.read(0.02):
                pass
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = os.waitstatus_to_exitcode(status)
        while self.read(0):
            ready, _, _ = select.select([self.master], [], [], 0)
            if not ready:
                break
        return self.status

    def close(self) -> None:
        """End the command, if it has not ended, and close the terminal."""
        if self.status is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            self.status = -signal.SIGKILL
        os.close(self.master)

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
