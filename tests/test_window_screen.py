"""The window on a virtual screen, played by real mouse and keys; what came of it is read from the saved game."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType

import pytest
from oracle.positions import CASE_DECKS

from klondike_env import Game, card_name, parse_card
from klondike_env.playing.window import WINDOW_SIZE
from klondike_env.playing.window_scene import Scene
from klondike_env.records import RECORD_SUFFIX, GameRecord, read_record
from klondike_env.rendering.table_layout import Rect

PROGRAMS = ("Xvfb", "xdotool")
MISSING = [name for name in PROGRAMS if shutil.which(name) is None]
SECONDS = 90


def test_the_programs_of_these_tests_are_there_in_ci() -> None:
    assert not (os.environ.get("CI") and MISSING), f"these are not installed: {MISSING}"


needs_screen = pytest.mark.skipif(bool(MISSING), reason=f"{' and '.join(MISSING)} not installed")


@pytest.fixture(scope="module")
def display() -> Iterator[str]:
    """Start a virtual screen and return its name."""
    reading, writing = os.pipe()
    screen = subprocess.Popen(
        # Without -noreset it starts anew when its last client leaves, and refuses the next one meanwhile.
        ["Xvfb", "-noreset", "-displayfd", str(writing), "-screen", "0", "1280x1024x24", "-nolisten", "tcp"],
        pass_fds=[writing],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(writing)
    with os.fdopen(reading) as number:
        name = f":{number.readline().strip()}"
    assert name != ":", "Xvfb did not start"
    yield name
    screen.terminate()
    screen.wait(timeout=20)


def wait_for(ready: Callable[[], bool], what: str) -> None:
    """Wait until something is so."""
    end = time.monotonic() + SECONDS
    while not ready():
        assert time.monotonic() < end, f"waited too long for {what}"
        time.sleep(0.03)


def hear_interrupts() -> None:
    """Let Ctrl+C end a program also where the tests themselves run in the background, deaf to it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Desktop:
    """``klondike play`` on the virtual screen, with the hands of a person."""

    def __init__(self, display: str, home: Path, *arguments: str) -> None:
        self.home = home
        self.environment = {
            **{key: value for key, value in os.environ.items() if key not in ("WAYLAND_DISPLAY", "SDL_VIDEODRIVER")},
            "DISPLAY": display,
            "KLONDIKE_HOME": str(home),
            "SDL_AUDIODRIVER": "dummy",
        }
        self.process = subprocess.Popen(
            [sys.executable, "-m", "klondike_env", "play", *arguments],
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=hear_interrupts,
        )
        self.table = Scene(WINDOW_SIZE, None).table
        self.bar = Scene(WINDOW_SIZE, None).bar
        self.window = ""

    def __enter__(self) -> "Desktop":
        wait_for(self._find_window, "the window")
        self.do("windowfocus", self.window, "windowmove", "--sync", self.window, "0", "0")
        # SDL takes a first click for one that only brings the window to the front, so it goes to an empty spot.
        self.click((2, self.table.layout.height // 2))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate(timeout=20)

    def _find_window(self) -> bool:
        """Look for the window on the screen."""
        assert self.process.poll() is None, self.process.communicate()[1]
        # Searching by name misses windows without a window manager, so all are looked at.
        for window in self._ask("search", "--onlyvisible", "").split():
            if self._ask("getwindowname", window).strip() == "Klondike":
                self.window = window
        return bool(self.window)

    def _ask(self, *arguments: str) -> str:
        """Return what xdotool answers."""
        return subprocess.run(
            ["xdotool", *arguments], env=self.environment, capture_output=True, text=True, check=False
        ).stdout

    def do(self, *arguments: object) -> None:
        """Let xdotool do something."""
        subprocess.run(["xdotool", *map(str, arguments)], env=self.environment, check=True, timeout=60)

    @property
    def game(self) -> Game:
        """The game as it is kept, the file changed last."""
        return self.record().final_game()

    def record(self) -> GameRecord:
        """Return the record of the game that was played last."""
        paths = sorted(self.home.rglob(f"*{RECORD_SUFFIX}"), key=lambda path: path.stat().st_mtime_ns)
        return read_record(paths[-1])

    def until(self, ready: Callable[[Game], bool], what: str) -> None:
        """Wait until the kept game is as expected."""

        def is_so() -> bool:
            assert self.process.poll() is None, self.process.communicate()[1]
            return ready(self.game)

        wait_for(is_so, what)

    def rect(self, card: str) -> Rect:
        """Return where a card lies."""
        return self.table.card_rects(self.game.view())[parse_card(card)]

    def place(self, place: str) -> tuple[int, int]:
        """Return the middle of a place's top card."""
        return self.table.pile_rect(self.game.view(), place).center

    def click(self, point: tuple[int, int], times: int = 1) -> None:
        """Click a point."""
        self.do("mousemove", *point, "click", "--repeat", times, "--delay", 40, 1)

    def tap(self, place: str) -> None:
        """Tap a place, long after the last tap."""
        time.sleep(0.45)  # A person's pause, without which the two would be one double tap.
        self.click(self.place(place))

    def drag(self, card: str, place: str) -> None:
        """Drag a card onto a place."""
        rect, target = self.rect(card), self.table.pile_rect(self.game.view(), place)
        x, y = rect.x + 8, rect.y + 6
        end_x, end_y = x + target.x - rect.x, y + target.y - rect.y
        self.do("mousemove", x, y, "mousedown", 1, "mousemove", (x + end_x) // 2, (y + end_y) // 2)
        self.do("mousemove", end_x, end_y, "mouseup", 1)

    def key(self, *names: str) -> None:
        """Press keys."""
        self.do("key", "--delay", 15, *names)


@needs_screen
def test_mouse_play_on_a_screen(display: str, tmp_path: Path) -> None:
    with Desktop(display, tmp_path, "--deck", CASE_DECKS["F"], "--rules", "D1N") as desktop:
        # Tap: AS goes up. A refused drag changes nothing; the next allowed one comes first in the record.
        desktop.tap("column 1")
        desktop.until(lambda game: game.foundation_height(0) == 1, "the ace on its foundation")
        desktop.drag("QH", "column 1")
        desktop.drag("QH", "column 2")
        desktop.drag("KD", "column 1")
        desktop.until(lambda game: game.column(1) == [parse_card("KD")], "the king in the empty column")
        assert desktop.game.undo_count == 2
        # Double tap: 9H cannot go up and looks for a column.
        desktop.tap("stock")
        desktop.until(lambda game: card_name(game.waste[-1]) == "9H", "the turned card")
        point = desktop.place("waste")

        def tapped_twice(game: Game) -> bool:
            if card_name(game.column(7)[-1]) == "9H":
                return True
            # On a busy machine the two may come too far apart, and then they change nothing.
            time.sleep(0.5)
            desktop.click(point, times=2)
            return False

        desktop.until(tapped_twice, "the double tap")
        # Take-back: AS from its foundation onto the 2H.
        holder = next(j for j in range(1, 8) if card_name(desktop.game.column(j)[-1]) == "2H")
        desktop.drag("AS", f"column {holder}")
        desktop.until(lambda game: game.foundation_height(0) == 0, "the take-back")
        # Undo by key and by button.
        desktop.key("u")
        desktop.until(lambda game: game.foundation_height(0) == 1, "the undo")
        desktop.click(desktop.bar.boxes["u"].center)
        desktop.until(lambda game: game.undo_count == 3, "the second undo")
        kept = desktop.game.notation
        # Killed without warning, and gone on with.
        desktop.process.kill()
    with Desktop(display, tmp_path) as desktop:
        assert desktop.game.notation == kept
        desktop.key("u")
        desktop.until(lambda game: game.undo_count == 2, "an undo of the session before")
        desktop.key("q")
        assert desktop.process.wait(timeout=20) == 0


@needs_screen
def test_undo_and_codes_and_both_scorings_on_a_screen(display: str, tmp_path: Path) -> None:
    with Desktop(display, tmp_path, "KL1-D1N-AAAAAAG") as desktop:
        first = desktop.place("stock")
        desktop.click(first, times=24)
        desktop.until(lambda game: len(game.waste) == 24, "the whole stock turned")
        desktop.click(first, times=77)
        desktop.until(lambda game: len(desktop.record().entries) == 101, "101 turns")
        desktop.key(*["u"] * 101, "0")
        # The 101st undo is refused, so that one turn is left of the 101, and one came after.
        desktop.until(lambda game: game.undo_count == 1 and len(game.waste) == 2, "100 undos and a turn")
        # A code is typed in; vegas begins with its stake.
        desktop.key("n")
        desktop.do("type", "--delay", 15, "kl1-d3v-aaaaaag")
        desktop.key("Return")
        desktop.until(lambda game: game.code == "KL1-D3V-AAAAAAG", "the game of the code")
        assert desktop.game.score_text == "-$52"
        desktop.tap("stock")
        desktop.until(lambda game: len(game.waste) == 3, "three turned cards")
        assert card_name(desktop.game.waste[-1]) == "2C"
        desktop.process.send_signal(signal.SIGINT)
        _, errors = desktop.process.communicate(timeout=20)
        assert "Traceback" not in errors
