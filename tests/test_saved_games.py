"""Saved games: they go on where they were left, after any end, and no file is lost or written by two at once."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from oracle.positions import CASE_DECKS

from klondike_env import Game, solve
from klondike_env.playing.saved_games import SavedGames, default_home
from klondike_env.playing.session import PlaySession
from klondike_env.records import RecordError, RecordWriter, read_record

CODE = "KL1-D3N-AAAAAAG"

PLAY_UNTIL_KILLED = """
import sys
from pathlib import Path
from klondike_env.playing.saved_games import SavedGames
from klondike_env.playing.session import PlaySession

session = PlaySession.open(SavedGames(Path(sys.argv[1])), code="KL1-D3N-AAAAAAG")
count = 0
while True:
    session.tap("stock")
    count += 1
    if count % 7 == 0:
        session.undo()
    print(len(session.actions), session.game_copy().notation, flush=True)
"""


@pytest.fixture
def saves(tmp_path: Path) -> SavedGames:
    return SavedGames(tmp_path / "games")


def files(saves: SavedGames) -> list[str]:
    return sorted(path.name for path in saves.folder.iterdir())


def play_some(session: PlaySession, count: int = 30) -> None:
    """Play actions that go over a redeal, with undos in between."""
    for number in range(count):
        session.act(session.hints()[number % 2 and -1] if number > 20 else 0)
        if number % 5 == 4:
            session.undo()


def test_case_14_coming_back_and_restarting(saves: SavedGames) -> None:
    session = PlaySession.open(saves, code=CODE)
    first = session.game_copy().notation
    play_some(session)
    assert session.view.pass_number > 1
    session.restart()
    assert session.game_copy().notation == first
    session.restart()
    assert (session.score_text, session.view.pass_number, session.undo_count) == ("0", 1, 0)
    play_some(session)
    left, undo_count, moves = session.game_copy(), session.undo_count, session.actions
    session.close()

    for open_again in (lambda: PlaySession.open(saves), lambda: PlaySession.open(saves, code=CODE)):
        session = open_again()
        assert session.take_notices() == ["this game goes on where it was left"]
        assert session.game_copy().notation == left.notation
        assert (session.undo_count, session.actions) == (undo_count, moves)
        session.close()
    session = PlaySession.open(saves)
    while left.undo_count:
        left.undo()
        session.undo()
        assert session.game_copy().notation == left.notation
    assert not session.undo().changed
    for _ in range(12):
        assert session.tap("stock").changed
    for _ in range(2):
        session.restart()
        assert session.game_copy().notation == first
    session.close()
    assert len(files(saves)) == 1


@pytest.mark.parametrize("seconds", [0.0, 0.05])
def test_a_killed_game_goes_on(saves: SavedGames, seconds: float) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", PLAY_UNTIL_KILLED, str(saves.folder)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    lines = [process.stdout.readline() for _ in range(150)]
    time.sleep(seconds)
    process.send_signal(signal.SIGKILL)
    lines += process.communicate()[0].splitlines(keepends=True)
    count, notation = [line for line in lines if line.endswith("\n")][-1].strip().split(" ", 1)

    with PlaySession.open(saves) as session:
        assert session.take_notices() == ["this game goes on where it was left"]
        # What was printed had been kept; the process may have played once more before it was killed.
        reached = [session.game_copy().notation]
        assert session.undo_count >= 99
        session.undo()
        reached.append(session.game_copy().notation)
        assert notation in reached
        assert len(session.actions) in (int(count) - 1, int(count))
    assert len(files(saves)) == 1


def test_a_line_that_was_cut_is_left_out(saves: SavedGames) -> None:
    with PlaySession.open(saves, code=CODE) as session:
        play_some(session, 10)
        path, notation = session.saved_path, session.game_copy().notation
    assert path is not None
    with path.open("ab") as file:
        file.write(b"4")
    with PlaySession.open(saves) as session:
        assert session.game_copy().notation == notation
        session.tap("stock")
        notation = session.game_copy().notation
    assert read_record(path).final_game().notation == notation


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[:20],
        lambda data: b"\x00" * len(data),
        lambda data: b"\xff\xfe" + data,
        lambda data: data.replace(b"\n0 ", b"\n85 ", 1),
        lambda data: data.replace(b"\n0 ", b"\nundo 0.1\nundo 0.2\n0 ", 1),
        lambda data: data.replace(b"rules: D3N", b"rules: D9N"),
        lambda data: data + b"what\n",
    ],
)
def test_a_damaged_game_is_kept_aside(saves: SavedGames, damage: object) -> None:
    with PlaySession.open(saves, code=CODE) as session:
        play_some(session, 10)
        path = session.saved_path
    assert path is not None
    damaged = damage(path.read_bytes())  # type: ignore[operator]
    path.write_bytes(damaged)
    with PlaySession.open(saves, code=CODE) as session:
        notices = session.take_notices()
        assert len(notices) == 1
        assert "damaged" in notices[0]
        assert f"{path.name}.damaged" in notices[0]
        assert session.action_count == 0
        assert session.saved_path != path or not session.undo_count
        session.tap("stock")
    assert path.with_name(f"{path.name}.damaged").read_bytes() == damaged
    with PlaySession.open(saves) as session:
        assert session.action_count == 1
        assert session.take_notices() == ["this game goes on where it was left"]


def test_two_damaged_games_of_one_name_are_both_kept(saves: SavedGames) -> None:
    saves.folder.mkdir(parents=True)
    for number in range(3):
        (saves.folder / "KL1-D3N-AAAAAAG-1.klondike").write_text(f"{number}")
        PlaySession.open(saves, new=number == 9).close()
        assert len(list(saves.folder.glob("*.damaged*"))) == number + 1
    assert sorted(path.read_text() for path in saves.folder.glob("*.damaged*")) == ["0", "1", "2"]


def hold_game(folder: Path, ready: object, done: object) -> None:
    """Play a game in another process until told to end."""
    session = PlaySession.open(SavedGames(folder))
    session.tap("stock")
    ready.set()  # type: ignore[attr-defined]
    done.wait()  # type: ignore[attr-defined]
    os._exit(0)  # as a kill would, without putting anything in order


def test_two_processes_never_write_to_one_game(saves: SavedGames) -> None:
    with PlaySession.open(saves, code=CODE) as session:
        play_some(session, 10)
        notation, path = session.game_copy().notation, session.saved_path
    context = multiprocessing.get_context("spawn")
    ready, done = context.Event(), context.Event()
    process = context.Process(target=hold_game, args=(saves.folder, ready, done))
    process.start()
    assert ready.wait(60)
    with PlaySession.open(saves) as other:
        assert "played elsewhere" in other.take_notices()[0]
        assert other.saved_path != path
        assert other.action_count == 0
        done.set()
        process.join(60)
        assert process.exitcode == 0
    # The lock went with the process that held it.
    with PlaySession.open(saves, code=CODE) as session:
        assert session.saved_path == path
        session.undo()
        assert session.game_copy().notation == notation


def test_the_game_left_last_goes_on(saves: SavedGames) -> None:
    first = PlaySession.open(saves, code=CODE)
    first.tap("stock")
    second = PlaySession.open(saves, new=True, rules="D1V")
    second.tap("stock")
    second.tap("stock")
    second.close()
    first.close()
    with PlaySession.open(saves) as session:
        assert session.code_text == CODE
    with PlaySession.open(saves, code=second.copy_text) as session:
        assert session.action_count == 2
    with PlaySession.open(saves) as session:
        assert session.code_text == second.code_text
    with PlaySession.open(saves, rules="D3N") as session:
        assert session.take_notices() == []
        assert (session.rules.name, session.action_count) == ("D3N", 0)


def test_a_game_of_other_rules_or_cards_is_not_taken_for_the_one_asked_for(saves: SavedGames) -> None:
    with PlaySession.open(saves, code=CODE) as session:
        session.tap("stock")
    for options in (
        {"code": CODE, "rules": "D3N,passes=3"},
        {"code": CODE, "new": True},
        {"deck": CASE_DECKS["F"], "rules": "D3N"},
    ):
        with PlaySession.open(saves, **options) as session:  # type: ignore[arg-type]
            assert session.action_count == 0
            session.tap("stock")
            session.tap("stock")
        with PlaySession.open(saves, **{**options, "new": False}) as session:  # type: ignore[arg-type]
            assert session.action_count == 2


def test_a_won_game_does_not_go_on(saves: SavedGames) -> None:
    with PlaySession.open(saves, code="KL1-D1N-AAAAAAG") as session:
        for action in solve(session.game_copy()).actions:
            session.act(action)
        path = session.saved_path
    assert path is not None
    assert read_record(path).end is not None
    # As after a kill between the last move and the end.
    path.write_text(path.read_text().rpartition("end")[0])
    with PlaySession.open(saves) as session:
        assert session.action_count == 0
        assert session.saved_path != path
    assert str(read_record(path).end).count("won") == 1


def test_an_unplayed_game_gives_way_to_the_next(saves: SavedGames) -> None:
    with PlaySession.open(saves) as session:
        session.new_game()
        session.new_game("D3V")
        session.tap("stock")
        session.new_game("D1V")
    codes = [name.partition("-2")[0] for name in files(saves)]
    assert [code[:7] for code in codes] == ["KL1-D1V", "KL1-D3V"]


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    session = PlaySession.open(SavedGames(tmp_path / "file" / "games"))
    assert "not kept" in session.take_notices()[0]
    assert session.tap("stock").changed
    session.new_game()
    assert "not kept" in session.take_notices()[0]
    session.close()


def test_moves_wait_for_a_disk_that_is_full(saves: SavedGames, monkeypatch: pytest.MonkeyPatch) -> None:
    session = PlaySession.open(saves, code=CODE)
    session.tap("stock")
    write = RecordWriter._write

    def fail(writer: RecordWriter, line: bytes) -> None:
        raise RecordError("No space left on device")

    monkeypatch.setattr(RecordWriter, "_write", fail)
    session.tap("stock")
    assert "No space left" in session.take_notices()[0]
    session.undo()
    session.tap("stock")
    assert session.take_notices() == []
    monkeypatch.setattr(RecordWriter, "_write", write)
    session.tap("stock")
    assert session.take_notices() == ["this game is kept again, with all its moves"]
    notation, path = session.game_copy().notation, session.saved_path
    session.close()
    assert path is not None
    assert read_record(path).final_game().notation == notation
    assert [entry.move for entry in read_record(path).entries] == [0, 0, "undo", 0, 0]


def test_where_games_are_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("KLONDIKE_HOME", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    if sys.platform.startswith("linux"):
        assert default_home() == tmp_path / "data" / "klondike"
    monkeypatch.setenv("KLONDIKE_HOME", str(tmp_path / "mine"))
    assert SavedGames().folder == tmp_path / "mine" / "games"
    assert not (tmp_path / "mine").exists()


def test_a_deck_comes_back(saves: SavedGames) -> None:
    with PlaySession.open(saves, deck=CASE_DECKS["B"], rules="D3N,passes=3") as session:
        session.tap("stock")
        notation = session.game_copy().notation
    with PlaySession.open(saves) as session:
        assert session.game_copy().notation == notation
        assert session.copy_text == CASE_DECKS["B"]
        assert session.restart().changed
        assert session.game_copy().notation == Game.from_deck(CASE_DECKS["B"], "D3N", passes=3).notation
