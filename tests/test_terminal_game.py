"""``klondike play --terminal``, driven by keys through a pseudo-terminal; the record tells what was really played."""

import os
import re
import signal
import subprocess
import termios
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from oracle.positions import CASE_DECKS
from terminal_driver import ARROWS, ENTER, ESCAPE, KLONDIKE, Terminal
from walks import random_game

from klondike_env import Game, parse_card, solve
from klondike_env.evaluation.thoughts import Thoughts
from klondike_env.playing.terminal_board import (
    ASCII_SIGNS,
    SMALLEST_HEIGHT,
    SMALLEST_WIDTH,
    UNICODE_SIGNS,
    BoardPainter,
    Marks,
)
from klondike_env.playing.terminal_texts import HELP, KEY_LINES, legal_lines, short_move, thoughts_lines
from klondike_env.records import GameRecord, read_record

READY = "? help"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def open_deck(home: Path, deck: str, rules: str = "D1N", **options: object) -> Terminal:
    """Start the game of a deck of the cases, and wait until it is there."""
    terminal = Terminal(home, "play", "--terminal", "--deck", CASE_DECKS[deck], "--rules", rules, **options)  # type: ignore[arg-type]
    terminal.wait_for(READY)
    return terminal


def last_record(home: Path) -> GameRecord:
    """Return the record that was written last."""
    paths = sorted((home / "games").glob("*.klondike"), key=lambda path: path.stat().st_mtime_ns)
    return read_record(paths[-1])


def entries(home: Path) -> list[int | str]:
    return [entry.move for entry in last_record(home).entries]


def mask(terminal: Terminal) -> set[int]:
    """Return the legal actions that the panel shows."""
    if "legal moves:" not in terminal.text:
        terminal.type("l", "legal moves:")
    terminal.settle()
    numbers = re.findall(r"(\d{1,2}) (?:turn|redeal|\S+(?: back)? (?:up|to col \d))$", terminal.text, re.MULTILINE)
    return {int(number) for number in numbers}


def play(terminal: Terminal, actions: list[int]) -> None:
    """Play actions by their numbers."""
    for action in actions:
        terminal.send(f":{action}\r")
    terminal.wait_for(f"undo {min(len(actions), 100)}")


# What stands on the screen


@pytest.mark.parametrize("height", [SMALLEST_HEIGHT, 24, 40])
@pytest.mark.parametrize("width", [SMALLEST_WIDTH, 80, 132])
def test_every_position_fits_on_the_screen(width: int, height: int) -> None:
    games = [random_game("D3N", number, 150, seed=number) for number in range(10)]
    for game in games:
        for signs in (UNICODE_SIGNS, ASCII_SIGNS):
            spans = BoardPainter(game.view(), Marks(), signs, width, height).paint()
            cells: dict[tuple[int, int], str] = {}
            for span in spans:
                assert 0 <= span.row < height - 3
                for offset, sign in enumerate(span.text):
                    assert span.column + offset < width
                    if sign != " ":
                        assert (span.row, span.column + offset) not in cells
                        cells[span.row, span.column + offset] = sign
            for column in range(1, 8):
                for card in game.column(column)[game.face_down_count(column) :]:
                    assert any(signs.card(card) in span.text for span in spans)
            if signs is ASCII_SIGNS:
                assert all(span.text.isascii() for span in spans)


def test_texts_fit_on_the_screen() -> None:
    assert len(HELP.splitlines()) <= 24 - 2
    assert max(map(len, HELP.splitlines())) <= 79
    assert max(map(len, KEY_LINES)) <= 22
    game = random_game("D1N", 6, 60)
    assert max(map(len, legal_lines(game.view(), game.legal_actions(), UNICODE_SIGNS))) <= 22


def test_thoughts_of_an_agent_fit_beside_the_table() -> None:
    view = Game.from_code("KL1-D1N-AAAAAAG").view()
    names = {action: short_move(view, action, UNICODE_SIGNS) for action in view.legal_actions()}
    thoughts = Thoughts({11: 0.83, 0: 0.1, 67: 0.05}, 0.4312, {11: 0.5, 67: -0.25, 68: -123.0})
    assert thoughts_lines("search: 11 A♥ up", thoughts, names, 20)[2:] == [
        "value 0.431",
        " (chance to win)",
        "11 A♥ up      83% 0.50",
        " 0 turn       10%     ",
        "67 6♥ col 7    5%-0.25",
        "68 3♦ col 1       -123",
    ]
    assert len(thoughts_lines("search: 11 A♥ up", thoughts, names, 5)) == 5
    assert thoughts_lines("greedy: 0 turn", None, names, 20)[-1] == "it told no values here"


def test_the_longest_column_fits() -> None:
    run = [parse_card(rank + suit) for rank, suit in zip("KQJT98765432A", "SHSHSHSHSHSHS", strict=True)]
    hidden = [parse_card(card) for card in ("2C", "3C", "4C", "5C", "6C", "7C")]

    class Long:
        """A view with one column as long as can be."""

        stock: tuple[int, ...] = ()
        waste: tuple[int, ...] = ()
        waste_in_sight: tuple[int, ...] = ()
        can_redeal = False

        def column(self, number: int) -> list[int]:
            return hidden + run if number == 7 else []

        def face_down_count(self, number: int) -> int:
            return 6 if number == 7 else 0

        def foundation_top(self, suit: int) -> None:
            return None

    spans = BoardPainter(Long(), Marks(), UNICODE_SIGNS, 80, SMALLEST_HEIGHT).paint()  # type: ignore[arg-type]
    assert max(span.row for span in spans) < SMALLEST_HEIGHT - 3
    assert any(span.text == "▒▒6" for span in spans)
    assert all(any(UNICODE_SIGNS.card(card) in span.text for span in spans) for card in run)


# The cases, by keys


def test_cases_3_4_5_and_17_by_keys(home: Path) -> None:
    with open_deck(home, "F") as terminal:
        assert mask(terminal) == {0, 9, 46, 63}
        # Case 17: quick taps on AS, and on the place it left.
        terminal.send("1" + ESCAPE)
        terminal.wait_for("[A♠]")
        terminal.send(ENTER * 5)
        terminal.wait_for("score 10")
        terminal.type(f"2{ESCAPE}{ENTER}", "3S does not go up")
        terminal.type(f"1{ESCAPE}{ENTER}", "column 1 is empty")
        # Case 17: a foundation card picked up and put back; the same for the waste; the stock meanwhile.
        terminal.type("s", "in the hand")
        terminal.type("0", "cards are in the hand")
        terminal.send(ESCAPE)
        terminal.wait_gone("in the hand")
        terminal.type("0", "9♥")
        terminal.type("w", "in the hand")
        terminal.send(ESCAPE)
        terminal.wait_gone("in the hand")
        terminal.wait_for("undo 2")
        # Case 4: nothing but the king goes to column 1.
        assert mask(terminal) == {0, 8, 19, 63, 68}
        for place in "w23467":
            terminal.type(f"{place}1", "only a king")
        # Case 5.
        for place in "2346w":
            for foundation in "shdc":
                terminal.send(place + foundation)
        terminal.settle()
        terminal.wait_for("undo 2")
        terminal.type("51", "undo 3")
        terminal.type("q", "")
        assert terminal.wait_end() == 0
    assert entries(home) == [9, 0, 68]

    with open_deck(home, "A") as terminal:
        play(terminal, [9, 10, 11, 71])
        assert mask(terminal) == {0, 10, 80}
        # Case 3: the 4H, under 3S, by the cursor.
        terminal.type("4" + ESCAPE, "[3♠]")
        terminal.type(ARROWS["up"], "[4♥]")
        terminal.type(" ", "<3♠>")
        terminal.type("h", "one card at a time")
        terminal.command("12", "3S does not go up")
        terminal.wait_for("score 45")
        terminal.wait_for("undo 4")
    assert entries(home) == [9, 10, 11, 71]


def test_case_6_the_last_foundation_and_column_have_keys(home: Path) -> None:
    with open_deck(home, "D") as terminal:
        assert mask(terminal) == {0, 15, 50, 75}
        play(terminal, [15, 0])
        assert mask(terminal) == {0, 1, 8, 12, 43, 50, 75, 85}
        for keys in ("c7", "w7", "76"):
            terminal.type(keys, "undo 3")
            terminal.type("u", "undo 2")
    assert entries(home) == [15, 0, 43, "undo", 8, "undo", 85, "undo"]


def test_case_7_part_of_a_run_by_the_cursor(home: Path) -> None:
    with open_deck(home, "P") as terminal:
        play(terminal, [50, 56, 62, 74])
        assert mask(terminal) == {0, 14, 47, 81}
        terminal.type("1" + ESCAPE, "[5♥]")
        terminal.send(ARROWS["up"] * 4)
        terminal.wait_for("[9♥]")
        terminal.type(" 5", "9H does not go on 8C")
        terminal.type("1" + ESCAPE, "[5♥]")
        terminal.type(ARROWS["up"] * 2, "[7♦]")
        terminal.type(" ", "<6♠>")
        terminal.wait_for("+8♣")
        terminal.type(ARROWS["right"] * 4 + " ", "undo 5")
        terminal.type("u", "undo 4")
        terminal.type("15", "undo 5")
    assert entries(home)[4:] == [47, "undo", 47]


def test_case_12_a_redeal_and_a_finished_stock_look_different(home: Path) -> None:
    with Terminal(home, "play", "--terminal", "KL1-D3N-AAAAAAG", "--rules", "D3N,passes=3") as terminal:
        terminal.wait_for("pass 1, 2 left")
        terminal.send("0" * 8)
        terminal.wait_for("↻↻")
        terminal.wait_for("redeal")
        terminal.type("0", "pass 2, 1 left")
        terminal.wait_gone("↻↻")
        terminal.send("0" * 9)
        terminal.wait_for("pass 3, 0 left")
        terminal.send("0" * 8)
        terminal.wait_for("××")
        terminal.wait_for("finished")
        terminal.type("0", "no pass is left")
        terminal.send("u" * 9)
        terminal.wait_for("pass 2, 1 left")
        terminal.wait_for("↻↻")


def test_case_14_a_killed_game_goes_on_in_the_terminal(home: Path) -> None:
    with Terminal(home, "play", "--terminal", "KL1-D3N-AAAAAAG") as terminal:
        terminal.wait_for(READY)
        terminal.send("0" * 12)
        terminal.wait_for("undo 12")
        terminal.type("u", "undo 11")
        board = board_of(terminal)
        terminal.kill(signal.SIGKILL)
        assert terminal.wait_end() == -signal.SIGKILL
    with Terminal(home, "play", "--terminal") as terminal:
        terminal.wait_for("goes on where it was left")
        assert board_of(terminal) == board
        terminal.type("u", "undo 10")
        terminal.type("r", "restart this game")
        terminal.type("n", READY)
        terminal.type("ry", "undo 0")
        terminal.type("u", "nothing is left to undo")
        terminal.type("0", "undo 1")
        terminal.type("q", "")
        assert terminal.wait_end() == 0
        told = re.sub(rb"\s+", b"", terminal.bytes.rpartition(b"the game is kept in ")[2])
        (path,) = (home / "games").glob("*.klondike")
        assert told == f"{path};klondikereplayshowsit".encode()
    assert entries(home) == [0] * 12 + ["undo", "undo", "restart", 0]


def board_of(terminal: Terminal) -> list[str]:
    """Return the rows of the table, with title, without what stands under it."""
    terminal.settle()
    return terminal.text.splitlines()[:20]


def test_case_15_a_win_is_shown_as_one(home: Path) -> None:
    with Terminal(home, "play", "--terminal", "KL1-D1V-AAAAAAG", "--rules", "D1N", columns=132, rows=40) as terminal:
        terminal.wait_for(READY)
        for action in solve(Game.from_code("KL1-D1N-AAAAAAG")).actions:
            terminal.send(f":{action}\r")
        terminal.wait_for("Won with")
        terminal.settle()
        assert "lose" not in terminal.text
        assert "lost" not in terminal.text
        terminal.type("0", "the game is won")
        terminal.send("q")
        assert terminal.wait_end() == 0
    record = last_record(home)
    assert record.end is not None
    assert record.end.outcome == "won"
    assert record.final_game().is_won


def test_case_16_and_40_random_keys(home: Path) -> None:
    keys = [*"1234567wshdc0uolxv?: \rn1ryaAp\t\x0c\x7fé", ESCAPE, *ARROWS.values()]
    rng = np.random.default_rng(40)
    with open_deck(home, "J") as terminal:
        play(terminal, [0, 1, 23])
        terminal.resize(70, 30)
        terminal.wait_for("A♥*")
        for _ in range(25):
            terminal.send("".join(keys[int(index)] for index in rng.integers(len(keys), size=40)))
            terminal.settle()
        terminal.send(ESCAPE)
        terminal.settle()
        terminal.send(ESCAPE)
        terminal.wait_for(READY)
        terminal.send("q")
        assert terminal.wait_end() == 0
        assert b"Traceback" not in terminal.bytes
    for path in (home / "games").glob("*.klondike"):
        assert read_record(path).final_game().validate() == []


# Dialogs, help, agent


def test_dialogs_and_help(home: Path) -> None:
    with Terminal(home, "play", "--terminal", settings={"TERM": "xterm-256color"}) as terminal:
        terminal.wait_for("KL1-D1N-")
        terminal.wait_for(READY)
        terminal.type("?", "a second place takes it")
        terminal.send("x")
        terminal.wait_gone("a second place takes it")
        terminal.type("n", "draw 3 (hard), vegas")
        terminal.type("4", "KL1-D3V-")
        terminal.wait_for("score -$52")
        terminal.wait_for("pass 1, 0 left")
        terminal.type("nc", "code or 52 cards:")
        terminal.type("KL1-D9N-AAAAAAG\r", "mode 'D9N' is unknown")
        terminal.wait_for("KL1-D3V-")
        terminal.type("nckl1-d1n-aaaaaax\x7fg\r", " KL1-D1N-AAAAAAG ")
        terminal.type("y", "this game: KL1-D1N-AAAAAAG")
        assert b"\x1b]52;c;S0wxLUQxTi1BQUFBQUFH\x07" in terminal.bytes
        terminal.type("v", "yes, this game can still be won")
        terminal.type("x", "there is a way on, beginning with")
        terminal.command("no such thing", "is no command")
        terminal.command("86", "outside the action space")
        terminal.command("agent nobody", "'nobody' is no agent")
        terminal.command("new D9N", "is no rule set")
        terminal.command("agent random", "random plays on")
        terminal.type("p", "random:")
        terminal.wait_for("undo 0")
        terminal.type("a", "undo 1")
        terminal.command("agent greedy", "greedy plays on")
        terminal.type("A", "undo 5")
        terminal.type("j", "greedy stopped")
        terminal.type("g", "agent (random, greedy,")
        terminal.type("nobody\r", "'nobody' is no agent")
        terminal.type("grandom\r", "random plays on")
        terminal.command("quit", "")
        assert terminal.wait_end() == 0


def test_a_key_stops_an_agent_that_thinks_and_the_panel_says_so(home: Path, tmp_path: Path) -> None:
    (tmp_path / "sleeper.py").write_text(
        "import time\n\nclass Sleeper:\n    def reset(self, seed):\n        pass\n"
        "    def act(self, view):\n        time.sleep(600)\n"
    )
    settings = {"PYTHONPATH": str(tmp_path)}
    with Terminal(home, "play", "--terminal", "--agent", "sleeper:Sleeper", settings=settings) as it:
        it.wait_for(READY)
        it.type("p", "sleeper:Sleeper thinks")
        it.send(ARROWS["left"])
        it.wait_gone("thinks")
        it.wait_for("agent tells one")
        it.send("q")
        assert it.wait_end() == 0


# The terminal itself


def test_sizes(home: Path) -> None:
    with open_deck(home, "F") as terminal:
        terminal.resize(40, 10)
        terminal.wait_for("This terminal is 40 x 10")
        terminal.resize(56, 23)
        terminal.wait_for("[▒▒]")
        terminal.resize(3, 2)
        terminal.settle()
        terminal.resize(120, 50)
        terminal.wait_for("l    legal moves")
        terminal.type("0", "undo 1")


@pytest.mark.parametrize("settings", [{"NO_COLOR": "1"}, {"LC_ALL": "C"}, {}], ids=str)
def test_colours_and_signs_follow_the_settings(home: Path, settings: dict[str, str]) -> None:
    letters = "LC_ALL" in settings
    with open_deck(home, "F", settings=settings) as terminal:
        queen = terminal.place_of("2H" if letters else "2♥")
        assert (queen.fg == "red") == ("NO_COLOR" not in settings)
        terminal.type("l", "legal moves:")
        terminal.type("v", "this game can")
        terminal.send("?")
        terminal.wait_for("Marks")
        terminal.settle()
        if letters:
            assert terminal.bytes.isascii()
        else:
            terminal.wait_for("[7♦] cursor")


def test_letters_can_be_asked_for(home: Path) -> None:
    with Terminal(home, "play", "--terminal", "--ascii", "KL1-D1N-AAAAAAG") as terminal:
        terminal.wait_for("AH")
        assert terminal.bytes.isascii()


@pytest.fixture
def shell(home: Path) -> Iterator[Terminal]:
    """A shell in a terminal, which the command runs in."""
    with Terminal(home, columns=100, rows=30, command="/bin/sh", settings={"PS1": "$ ", "ENV": ""}) as terminal:
        terminal.wait_for("$")
        yield terminal


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, None])
def test_the_terminal_is_put_back(shell: Terminal, home: Path, number: int | None) -> None:
    before = termios.tcgetattr(shell.master)
    shell.send(f"{KLONDIKE} play --terminal KL1-D1N-AAAAAAG & echo pid-$!-; fg; echo status-$?-\r")
    shell.wait_for(READY)
    shell.type("0", "undo 1")
    assert termios.tcgetattr(shell.master)[3] != before[3]
    if number is None:
        shell.send("\x03")
    else:
        shell.send("0")
        pid = int(subprocess.run(["pgrep", "-P", str(shell.pid)], capture_output=True, text=True).stdout.split()[-1])
        os.kill(pid, number)
    shell.wait_for("status-0-")
    assert termios.tcgetattr(shell.master)[3] == before[3]
    assert not shell.screen.cursor.hidden
    assert entries(home)[0] == 0


def test_a_terminal_that_goes_away_ends_the_game(home: Path) -> None:
    terminal = open_deck(home, "F")
    terminal.type("0", "undo 1")
    os.close(terminal.master)
    assert os.waitstatus_to_exitcode(os.waitpid(terminal.pid, 0)[1]) == 0
    assert entries(home) == [0]
    assert not list((home / "games").glob("*.lock"))


def test_the_game_can_be_suspended(shell: Terminal) -> None:
    shell.send(f"set -m; {KLONDIKE} play --terminal KL1-D1N-AAAAAAG\r")
    shell.wait_for(READY)
    shell.type("0", "undo 1")
    shell.send("\x1a")
    shell.wait_for("Stopped")
    shell.type("echo still-$((1+1))-here\r", "still-2-here")
    shell.type("fg\r", READY)
    shell.type("0", "undo 2")
    shell.send("q")
    shell.wait_gone(READY)


def test_without_a_terminal_it_says_so(home: Path) -> None:
    environment = {**os.environ, "KLONDIKE_HOME": str(home)}
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"):
        environment.pop(name, None)
    for arguments, words in (
        (["play", "--terminal"], "input or output is a file or pipe"),
        (["play"], "klondike play --terminal"),
    ):
        result = subprocess.run(
            [KLONDIKE, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, env=environment
        )
        assert result.returncode == 2
        assert words in result.stderr.replace("\n", " ")
        assert "Traceback" not in result.stderr
    assert not home.exists()


@pytest.mark.parametrize(
    ("settings", "arguments", "words"),
    [
        ({"TERM": "dumb"}, [], "cannot move its cursor"),
        ({"TERM": "no-such-terminal"}, [], "is not known here"),
        ({}, ["KL1-D7N-AAAAAAG"], "mode 'D7N' is unknown"),
        ({}, ["--agent", "nobody"], "'nobody' is no agent"),
    ],
)
def test_what_cannot_be_played_ends_with_a_message(
    home: Path, settings: dict[str, str], arguments: list[str], words: str
) -> None:
    with Terminal(home, "play", "--terminal", *arguments, settings=settings, columns=200) as terminal:
        assert terminal.wait_end() == 2
        assert words in terminal.text
        assert "Traceback" not in terminal.text
