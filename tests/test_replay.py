"""``klondike replay`` in the terminal, moves in words, and games packed for pages."""

import base64
import json
import zlib
from pathlib import Path

import numpy as np
import pytest
from commands import Ran, run_klondike

from klondike_env import Deal, Game, solve
from klondike_env.evaluation import Thoughts
from klondike_env.records import Entry, GameRecord, RecordEnd, RecordError, parse_record, write_record
from klondike_env.replay.page import PageError, check_page_place, replay_page, script_json, write_page
from klondike_env.replay.page_games import FRAME_OFFSETS, page_game
from klondike_env.replay.words import record_words

HEADER = "klondike-record 1\ncode: KL1-D1N-AAAAAAG\nagent: person\n\n"


def run(*arguments: str | Path, cwd: Path | None = None) -> Ran:
    """Run ``klondike replay``."""
    return run_klondike("replay", *arguments, cwd=cwd)


def won_record(number: int = 6, rules: str = "D3N") -> GameRecord:
    """Return a game that the solver wins."""
    game = Game.from_number(number, rules)
    actions = solve(game).actions or ()
    for action in actions:
        game.play(action)
    entries = tuple(Entry(action, place) for place, action in enumerate(actions))
    assert game.deal is not None
    return GameRecord(game.deal, game.rules, "solver", {}, entries, RecordEnd.of(game))


def random_record(number: int, rules: str, seed: int, steps: int = 150) -> GameRecord:
    """Return a game of random moves, undos and restarts."""
    rng = np.random.default_rng(seed)
    game = Game.from_number(number, rules)
    entries: list[Entry] = []
    while len(entries) < steps and not game.is_won:
        chance = rng.random()
        legal = game.legal_actions()
        move: int | str = "restart" if chance < 0.01 or not legal else int(rng.choice(legal))
        if chance > 0.9 and game.undo_count:
            move = "undo"
        entry = Entry(move, 0.5 * len(entries))
        entry.play(game)
        entries.append(entry)
    return GameRecord(Deal.from_number(number), game.rules, "random", {}, tuple(entries))


class Frames:
    """The frames of a packed game, read by another way than the page's."""

    def __init__(self, packed: dict[str, object]) -> None:
        data = zlib.decompress(base64.b64decode(str(packed["frames"])))
        count = int(str(packed["steps"])) + 1
        size = FRAME_OFFSETS["size"]
        differences = np.frombuffer(data[: size * count], np.uint8).reshape(size, count)
        self.bytes = np.cumsum(differences, axis=1, dtype=np.uint64).astype(np.uint8).T
        self.rest = data[size * count :]

    def field(self, step: int, name: str, size: int) -> list[int]:
        """Return the bytes of a field in a frame."""
        start = FRAME_OFFSETS[name]
        return [int(byte) for byte in self.bytes[step, start : start + size]]

    def number(self, step: int, name: str) -> int:
        """Return a 32-bit number of a frame."""
        return int.from_bytes(bytes(self.field(step, name, 4)), "little", signed=True)


def check_frame(frames: Frames, step: int, game: Game) -> None:
    """Compare a frame with the position that it stands for."""
    places = {}
    for place, card in enumerate([*game.waste, *game.stock]):
        places[card] = place
    for column in range(7):
        for depth, card in enumerate(game.column(column + 1)):
            places[card] = 32 + 19 * column + depth
    for suit in range(4):
        for rank in range(game.foundation_height(suit)):
            places[13 * suit + rank] = 200 + suit
    assert frames.field(step, "cards", 52) == [places[card] for card in range(52)]
    assert frames.field(step, "faceDown", 7) == [game.face_down_count(column) for column in range(1, 8)]
    lengths = [frames.field(step, name, 1)[0] for name in ("talonLength", "wasteLength", "fanLength")]
    assert lengths == [len(game.waste) + len(game.stock), len(game.waste), len(game.waste_in_sight)]
    bits = np.unpackbits(np.array(frames.field(step, "legal", 6), np.uint8), bitorder="little")
    runs = frames.field(step, "runs", 42)
    assert np.flatnonzero([*bits[:44], *runs]).tolist() == game.legal_actions()
    assert runs == [len(game.moved_cards(44 + place)) for place in range(42)]
    flags = frames.field(step, "flags", 1)[0]
    assert flags == 1 * game.can_redeal + 2 * game.is_won
    assert frames.number(step, "score") == game.score
    assert frames.number(step, "passNumber") == game.pass_number
    assert frames.number(step, "passesLeft") == (-1 if game.passes_left is None else game.passes_left)


@pytest.mark.parametrize(
    ("rules", "seed"), [("D1N", 0), ("D3N", 1), ("D1V", 2), ("three-pass", 3), ("one-pass", 4), ("D3N,passes=3", 5)]
)
def test_every_frame_is_the_engines_position(rules: str, seed: int) -> None:
    record = random_record(1000 + seed, rules, seed)
    packed = page_game(record)
    frames = Frames(packed)
    game = record.start()
    check_frame(frames, 0, game)
    for step, (entry, position) in enumerate(record.replay(), start=1):
        check_frame(frames, step, position)
        move = entry.move if isinstance(entry.move, int) else {"undo": 254, "restart": 255}[entry.move]
        assert frames.field(step, "move", 1) == [move]
        assert frames.number(step, "milliseconds") == 1000 * entry.seconds
    assert frames.rest == b""
    assert len(str(packed["frames"])) < 60 * 150


def test_a_won_game_has_one_end_and_it_is_won() -> None:
    packed = page_game(won_record())
    frames = Frames(packed)
    flags = [frames.field(step, "flags", 1)[0] for step in range(int(packed["steps"]) + 1)]
    assert flags[-1] == 2
    assert not any(flag & 2 for flag in flags[:-1])
    assert packed["outcome"] == "won"


def test_thoughts_are_packed_likeliest_first() -> None:
    thoughts = Thoughts({11: 0.25, 0: 0.75, 67: 0.0001}, 0.43219, {68: 0.5, 0: 0.25}, unit="points")
    record = GameRecord(Deal.from_number(6), Game.from_number(6).rules, "a", {}, (Entry(0), Entry(11, 1, thoughts)))
    packed = page_game(record)
    assert json.loads(Frames(packed).rest) == [
        None,
        [0.4322, "points", [[0, 0.75, 0.25], [11, 0.25, None], [68, None, 0.5]]],
    ]
    assert packed["thoughts"]


def test_words_of_moves() -> None:
    record = parse_record(HEADER + "11 0\n0 1\nundo 2\n67 3\nrestart 4\n" + "0 5\n" * 25)
    words = [text for _, text, _ in record_words(record)]
    assert words[:5] == ["AH: column 3 to foundation", "turn AS", "undo", "6H: column 4 to column 7", "restart"]
    assert words[5:7] == ["turn AS", "turn 8D"]
    assert words[-1] == "redeal"
    draw_3 = parse_record(HEADER.replace("D1N", "D3N") + "0 0\n")
    assert [text for _, text, _ in record_words(draw_3)] == ["turn AS 8D 2C"]


def test_one_record_is_shown_with_its_moves_and_board(tmp_path: Path) -> None:
    path = tmp_path / "game.klondike"
    path.write_text(HEADER + '11 1.5\n0 2.25 {"value": 0.5}\nend truncated 15\n')
    shown = run(path)
    assert shown.returncode == 0, shown.stderr
    assert "code      KL1-D1N-AAAAAAG" in shown.stdout
    assert "   1       1.5 s     15  AH: column 3 to foundation" in shown.stdout
    assert "   2       2.2 s     15  turn AS  (chance to win 0.5)" in shown.stdout
    game = Game.from_code("KL1-D1N-AAAAAAG")
    game.play(11)
    after_one = str(game)
    game.play(0)
    assert str(game) in shown.stdout
    assert shown.stdout.endswith("stopped, score 15, 2 entries, all legal\n")
    one_step = run(path, "--step", "1")
    assert after_one in one_step.stdout
    assert "turn AS" not in one_step.stdout
    beyond = run(path, "--step", "3")
    assert (beyond.returncode, "has 2 entries" in beyond.stderr) == (2, True)


def test_a_torn_line_is_mentioned(tmp_path: Path) -> None:
    path = tmp_path / "game.klondike"
    path.write_text(HEADER + "11 1.5\n0")
    shown = run(path)
    assert shown.returncode == 0
    assert "the last line is cut off and was left out" in shown.stderr
    assert "not finished, score 15, 1 entry," in shown.stdout


def test_bad_records_end_with_status_2_and_a_line_number(tmp_path: Path) -> None:
    good, bad, other = (tmp_path / f"{name}.klondike" for name in ("good", "bad", "other"))
    good.write_text(HEADER + "11 1\n")
    bad.write_text(HEADER + "11 1\n12 2\n")
    other.write_text("no record")
    shown = run("bad.klondike", cwd=tmp_path)
    assert shown.returncode == 2
    assert shown.stdout == ""
    assert shown.stderr.startswith("error: bad.klondike, line 6: action 12 (column 4 to foundation) is not legal: 6H")
    assert "Traceback" not in shown.stderr
    all_three = run(".", "--html", "out.html", cwd=tmp_path)
    assert all_three.returncode == 2
    assert "bad.klondike, line 6" in all_three.stderr
    assert "other.klondike, line 1: this is no game record" in all_three.stderr
    assert "2 of 3 records are bad" in all_three.stderr
    assert not (tmp_path / "out.html").exists()
    for arguments, message in ((["missing"], "cannot read missing"), ([".", "--step", "1"], "give one record file")):
        wrong = run(*arguments, cwd=tmp_path)
        assert (wrong.returncode, message in wrong.stderr) == (2, True)
    (tmp_path / "empty").mkdir()
    assert "holds no record" in run("empty", cwd=tmp_path).stderr


def test_several_records_are_a_table_and_a_page(tmp_path: Path) -> None:
    for number in range(3):
        write_record(tmp_path / "games" / f"{number}.klondike", random_record(number, "D3V", number, 30))
    write_record(tmp_path / "won.klondike", won_record())
    table = run("games", "won.klondike", cwd=tmp_path)
    assert table.returncode == 0, table.stderr
    assert table.stdout.count("KL1-D3V") == 3
    assert "won" in table.stdout
    assert "-$" in table.stdout
    page = run("games", "won.klondike", "--html", "out/page.html", "--title", "A <b>title</b>", cwd=tmp_path)
    assert page.returncode == 0, page.stderr
    assert page.stdout == "wrote out/page.html: 4 games\n"
    text = (tmp_path / "out" / "page.html").read_text()
    assert "<title>A &lt;b&gt;title&lt;/b&gt;</title>" in text
    again = run("won.klondike", "--html", "out/page.html", cwd=tmp_path)
    assert again.stdout == "wrote out/page.html: 1 game\n"
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["page.html"]


def test_a_page_never_replaces_another_kind_of_file(tmp_path: Path) -> None:
    letter = tmp_path / "letter.html"
    letter.write_text("<!doctype html><title>Dear aunt</title>")
    record = tmp_path / "won.klondike"
    write_record(record, won_record())
    before = record.read_bytes()
    for path in (letter, record):
        refused = run(record, "--html", path)
        assert refused.returncode == 2
        assert "is no page made by klondike" in refused.stderr
    assert letter.read_text() == "<!doctype html><title>Dear aunt</title>"
    assert record.read_bytes() == before
    with pytest.raises(PageError, match="is a folder"):
        check_page_place(tmp_path)
    with pytest.raises(PageError, match="cannot write"):
        write_page(record / "page.html", "…")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["letter.html", "won.klondike"]


def test_a_page_is_one_file_that_asks_for_nothing() -> None:
    page = replay_page([won_record()])
    assert "default-src 'none'" in page
    for sign in ("http://", "https://", "src=", "@import", "url("):
        assert sign not in page.replace("http://www.w3.org/2000/svg", "")


def test_data_cannot_end_its_script_element() -> None:
    text = "</script><!--<script>\u2028 ü"
    packed = script_json({"agent": text})
    assert "<" not in packed
    assert json.loads(packed) == {"agent": text}


def test_a_bad_record_makes_no_page() -> None:
    with pytest.raises(RecordError, match="line 5: nothing is left to undo"):
        replay_page([parse_record(HEADER + "undo 1\n")])
