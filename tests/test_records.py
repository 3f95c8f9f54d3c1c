"""Records: what was played comes back exactly, damage is named by its line, and nothing that was written is lost."""

import errno
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from klondike_env import Deal, Game, make_rules
from klondike_env.evaluation import Thoughts
from klondike_env.records import (
    Entry,
    GameRecord,
    RecordEnd,
    RecordError,
    RecordWriter,
    find_records,
    parse_record,
    read_record,
    record_key,
    record_path,
    write_record,
)

DECK_F = (
    "AS 2D QD 7H 3H 6C KC 3S 6H AH 8H 8C KH 4S QC 5D 7D 4H 2H JC QS 5C KD 2S 3D QH 8D TC 9H 4C JH 5S TD TH 9D JS 7C"
    " JD 2C 9S 6S 5H AC 9C 4D TS 3C 8S 7S 6D KS AD"
)
HEADER = "klondike-record 1\ncode: KL1-D1N-AAAAAAG\nrules: D1N\nagent: person\n\n"
RULES = ["D1N", "D3N", "D1V", "D3V", "one-pass", "three-pass", "aces-first-3", "D3N,passes=3", "D1N,draw=2,fan=no"]

numbers = st.floats(-1e6, 1e6, allow_nan=False)
thoughts = st.none() | st.builds(
    Thoughts,
    probabilities=st.dictionaries(st.integers(0, 85), st.floats(0, 1), max_size=4),
    value=st.none() | numbers,
    action_values=st.dictionaries(st.integers(0, 85), numbers, max_size=4),
    unit=st.sampled_from(["chance to win", "points", "Wert: „ü“", 'a "quote"\\ and\nline']),
)


class Clock:
    """A clock that goes on by a quarter of a second each time it is read."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        self.now += 0.25
        return self.now


def play_at_random(game: Game, rng: np.random.Generator, steps: int) -> list[Entry]:
    """Play with undos and restarts among the moves, and return what was done."""
    entries = []
    for step in range(steps):
        chance = rng.random()
        legal = game.legal_actions()
        if chance < 0.1 and game.undo_count:
            entry = Entry("undo", step)
        elif chance < 0.12:
            entry = Entry("restart", step)
        elif legal:
            entry = Entry(int(rng.choice(legal)), step)
        else:
            break
        entry.play(game)
        entries.append(entry)
    return entries


@given(
    number=st.integers(0, 2**32 - 1), rules=st.sampled_from(RULES), seed=st.integers(0, 2**32), as_deck=st.booleans()
)
def test_a_game_replays_exactly(number: int, rules: str, seed: int, as_deck: bool) -> None:
    deal = Deal.from_number(number)
    game = Game.from_deal(Deal(deal.cards) if as_deck else deal, rules)
    entries = play_at_random(game, np.random.default_rng(seed), 120)
    record = GameRecord(game.deal, game.rules, "person", {}, tuple(entries))  # type: ignore[arg-type]
    copy = parse_record(record.to_text()).final_game()
    assert copy.notation == game.notation
    assert copy.score == game.score
    assert copy.undo_count == game.undo_count
    while game.undo_count:
        game.undo()
        copy.undo()
        assert copy.notation == game.notation
    assert ("deck: " in record.to_text()) == as_deck


@given(
    entries=st.lists(
        st.builds(
            Entry,
            st.integers(0, 85) | st.sampled_from(["undo", "restart"]),
            st.floats(0, 1e6, allow_nan=False),
            thoughts,
        ),
        max_size=8,
    ),
    agent=st.text(st.characters(categories=["L", "N", "P", "S"]), max_size=20),
    info=st.dictionaries(st.from_regex(r"[a-z][a-z0-9_-]{0,8}", fullmatch=True), st.text("ab:= ü", max_size=8)),
    end=st.none() | st.builds(RecordEnd, st.sampled_from(["won", "lost", "truncated"]), st.integers(-52, 9999)),
)
def test_text_reads_back_as_it_was(
    entries: list[Entry], agent: str, info: dict[str, str], end: RecordEnd | None
) -> None:
    info = {key: value for key, value in info.items() if key not in ("code", "deck", "rules", "agent")}
    record = GameRecord(Deal.from_number(6), make_rules("D3N"), agent, info, tuple(entries), end)
    copy = parse_record(record.to_text())
    assert copy == record
    assert copy.to_text() == record.to_text()
    first = copy.to_text().split("\n").index("") + 2
    assert [entry.line for entry in copy.entries] == list(range(first, first + len(entries)))


def test_the_example_of_the_format() -> None:
    text = (
        "klondike-record 1\ncode: kl1-d1n-aaaaaag\nrules: D1N\nagent: search\nseed: 7\n\n11 1.250\n"
        '0 2.013 {"value": 0.43, "unit": "points", "probabilities": {"0": 0.8, "67": 0.2}}\nundo 3.5\nrestart 4\n'
    )
    record = parse_record(text)
    assert record.code == "KL1-D1N-AAAAAAG"
    assert (record.agent, record.info) == ("search", {"seed": "7"})
    assert [entry.move for entry in record.entries] == [11, 0, "undo", "restart"]
    assert record.actions == [11, 0]
    assert record.entries[1].thoughts == Thoughts({0: 0.8, 67: 0.2}, 0.43, unit="points")
    assert [game.score for _, game in record.replay()] == [15, 15, 15, 0]
    assert parse_record(text.replace("\n", "\r\n")) == record
    assert parse_record("klondike-record 1\ndeck: " + DECK_F + "\n\n9 0\n").final_game().rules.name == "D1N"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: this is no game record"),
        ("PNG\n", "line 1: this is no game record"),
        ("klondike-record 2\n\n", "line 1: this is no game record; one begins with the line 'klondike-record 1'"),
        ("klondike-record 1\ncode: KL1-D1N-AAAAAAG\n", "line 2: the record ends within its header"),
        ("klondike-record 1\n\n", "either 'code: …' or 'deck: …'"),
        ("klondike-record 1\ncode: KL1-D1N-AAAAAA1\n\n", "'1' at place 7"),
        ("klondike-record 1\ndeck: AS AS\n\n", "AS"),
        ("klondike-record 1\ncode: KL1-D1N-AAAAAAG\nrules: D3N\n\n", "differ in draw or scoring"),
        ("klondike-record 1\ncode: KL1-D1N-AAAAAAG\nrules: D9N\n\n", "D9N"),
        ("klondike-record 1\ncode: KL1-D1N-AAAAAAG\ncode: KL1-D1N-AAAAAAG\n\n", "line 3: 'code' stands"),
        ("klondike-record 1\ncode: KL1-D1N-AAAAAAG\nwhat is this\n\n", "line 3: 'what is this' is no header line"),
        (HEADER + "11 1.0\n86 2.0\n", "line 7: '86 2.0' is no entry"),
        (HEADER + "11 1.0\n-1 2.0\n", "line 7: '-1 2.0' is no entry"),
        (HEADER + "1 1 1\n", "line 6: the thoughts '1' cannot be read"),
        (HEADER + "11\n", "line 6: '11' has no seconds"),
        (HEADER + "11 -1.0\n", "line 6: '11 -1.0' has no seconds"),
        (HEADER + "11 nan\n", "line 6: '11 nan' has no seconds"),
        (HEADER + "11 1.0\n\n0 2.0\n", "line 7: '' is no entry"),
        (HEADER + '11 1.0 {"value": 0.4\n', "line 6: the thoughts"),
        (HEADER + '11 1.0 {"value": NaN}\n', "line 6: a value in an agent's thoughts is nan"),
        (HEADER + '11 1.0 {"mood": 1}\n', "line 6: thoughts have no 'mood'"),
        (HEADER + '11 1.0 {"probabilities": {"99": 1}}\n', "line 6: thoughts of action 99"),
        (HEADER + "end won\n", "line 6: 'end won' is no end"),
        (HEADER + "end truncated 0\n0 1.0\n", "line 7: '0 1.0' stands behind the end"),
    ],
)
def test_damage_is_named_with_its_line(text: str, message: str) -> None:
    with pytest.raises(RecordError) as caught:
        parse_record(text, "game.klondike")
    assert str(caught.value).startswith("game.klondike")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("11 1.0\n12 2.0\n", "record, line 7: action 12 (column 4 to foundation) is not legal: 6H does not go up"),
        ("undo 1.0\n", "record, line 6: nothing is left to undo"),
        ("11 1.0\nrestart 2.0\nundo 3.0\n", "record, line 8: nothing is left to undo"),
        ("11 1.0\nend won 15\n", "record, line 7: the record ends won with score 15, but its moves end truncated with"),
        ("11 1.0\nend truncated 10\n", "with score 10, but its moves end truncated with score 15"),
    ],
)
def test_moves_that_cannot_be_are_named_with_line_and_reason(lines: str, message: str) -> None:
    with pytest.raises(RecordError) as caught:
        parse_record(HEADER + lines).final_game()
    assert message in str(caught.value)


def test_a_hundred_undos_and_no_more() -> None:
    turns = "".join(f"0 {second}\n" for second in range(120))
    undos = "".join(f"undo {second}\n" for second in range(120, 220))
    game = parse_record(HEADER + turns + undos).final_game()
    assert game.undo_count == 0
    with pytest.raises(RecordError, match="line 226: nothing is left to undo"):
        parse_record(HEADER + turns + undos + "undo 300\n").final_game()


def test_a_won_game_is_won_and_not_lost() -> None:
    from klondike_env import solve

    game = Game.from_code("KL1-D3N-AAAAAAG")
    solution = solve(game)
    entries = [Entry(action, 0.5 * place) for place, action in enumerate(solution.actions or ())]
    for entry in entries:
        entry.play(game)
    record = GameRecord(game.deal, game.rules, "thoughtful", {"seed": "0"}, tuple(entries), RecordEnd.of(game))  # type: ignore[arg-type]
    assert record.end == RecordEnd("won", game.score)
    assert record.to_text().count("\nend ") == 1
    copy = parse_record(record.to_text())
    assert copy == record
    assert copy.final_game().is_won
    with pytest.raises(RecordError, match="ends lost"):
        parse_record(record.to_text().replace("end won", "end lost")).final_game()


def test_a_writer_writes_each_line_at_once(tmp_path: Path) -> None:
    path = tmp_path / "games" / "first.klondike"
    game = Game.from_code("KL1-D1N-AAAAAAG")
    thoughts = Thoughts({11: np.float32(1 / 3)}, value=np.float64(2 / 3))  # type: ignore[dict-item]
    with RecordWriter(path, game, info={"seed": 3}, clock=Clock()) as writer:
        assert path.read_text() == HEADER.replace("\n\n", "\nseed: 3\n\n")
        writer.action(11, thoughts)
        assert path.read_text().endswith('\n11 0.250 {"probabilities": {"11": 0.333333}, "value": 0.666667}\n')
        writer.undo()
        writer.restart()
        writer.action(np.int64(0))  # type: ignore[arg-type]
        assert path.read_text().endswith("\nundo 0.500\nrestart 0.750\n0 1.000\n")
        with pytest.raises(RecordError, match="no action"):
            writer.action(86)
    with pytest.raises(RecordError, match="is closed"):
        writer.undo()
    assert read_record(path).final_game().score == 0


def test_a_writer_never_replaces_a_file_unless_told(tmp_path: Path) -> None:
    path = tmp_path / "novel.txt"
    path.write_text("Chapter 1")
    game = Game.from_code("KL1-D1N-AAAAAAG")
    with pytest.raises(RecordError, match="is there already"):
        RecordWriter(path, game)
    assert path.read_text() == "Chapter 1"
    with pytest.raises(RecordError, match="this is no game record"):
        RecordWriter.reopen(path)
    assert path.read_text() == "Chapter 1"
    RecordWriter(path, game, overwrite=True).close()
    assert read_record(path).entries == ()
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("torn", ["0", "0 ", "0 2.5 {", "und", "restart", "end won 6", "0 2.5 {\ufffd"])
def test_a_torn_line_is_dropped_and_the_game_goes_on(tmp_path: Path, torn: str) -> None:
    path = tmp_path / "game.klondike"
    path.write_bytes(
        (HEADER + "11 1.000\n67 2.000\n").encode()
        + torn.replace("\ufffd", "").encode()
        + b"\xe2\x99" * ("\ufffd" in torn)
    )
    assert read_record(path).actions == [11, 67]
    assert read_record(path).torn_line
    with RecordWriter.reopen(path, clock=Clock()) as writer:
        game = writer.record.final_game()
        writer.action(0)
        game.play(0)
    assert path.read_text() == HEADER + "11 1.000\n67 2.000\n0 2.250\n"
    copy = read_record(path).final_game()
    assert (copy.notation, copy.undo_count) == (game.notation, 3)


def test_a_whole_last_line_without_line_end_counts(tmp_path: Path) -> None:
    path = tmp_path / "game.klondike"
    path.write_text(HEADER + "11 1.000\nundo 2")
    assert [entry.move for entry in read_record(path).entries] == [11, "undo"]
    with RecordWriter.reopen(path, clock=Clock()) as writer:
        writer.action(0)
    assert path.read_text() == HEADER + "11 1.000\nundo 2\n0 2.250\n"


@pytest.mark.parametrize("damage", ["86 1.0\n0 2.0\n", "0 2.0\n0", "end truncated 0\n", "0 1.0\n\x000 2.0\n"])
def test_a_damaged_or_closed_record_is_left_as_it_is(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "game.klondike"
    text = HEADER + damage if damage != "0 2.0\n0" else "klondike-record 1\nrules: D1N\n\n" + damage
    path.write_text(text)
    with pytest.raises(RecordError):
        RecordWriter.reopen(path)
    assert path.read_text() == text


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "game.klondike"
    writer = RecordWriter(path, Game.from_code("KL1-D1N-AAAAAAG"))
    with pytest.raises(RecordError, match="another program is writing"):
        RecordWriter.reopen(path)
    writer.close()
    RecordWriter.reopen(path).close()


@pytest.mark.parametrize("error", [OSError(errno.ENOLCK, "No locks available"), ImportError("no fcntl here")])
def test_where_there_are_no_locks_records_are_kept_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def lock(descriptor: int) -> None:
        raise error

    monkeypatch.setattr("klondike_env.file_locks._lock", lock)
    path = tmp_path / "game.klondike"
    with RecordWriter(path, Game.from_code("KL1-D1N-AAAAAAG")) as writer:
        writer.action(11)
    assert [entry.move for entry in read_record(path).entries] == [11]


def test_ending_closes_the_record(tmp_path: Path) -> None:
    path = tmp_path / "game.klondike"
    game = Game.from_code("KL1-D1N-AAAAAAG")
    writer = RecordWriter(path, game)
    game.play(11)
    writer.action(11)
    writer.end(game)
    assert read_record(path).end == RecordEnd("truncated", 15)
    with pytest.raises(RecordError, match="has ended"):
        RecordWriter.reopen(path)


def test_a_full_disk_leaves_whole_lines(tmp_path: Path) -> None:
    path = tmp_path / "game.klondike"
    writer = RecordWriter(path, Game.from_code("KL1-D1N-AAAAAAG"), clock=Clock())
    writer.action(11)
    whole = path.read_text()

    class FullDisk:
        """A file that takes five bytes more, and then none."""

        closed = False
        left = 5

        def write(self, data: bytes) -> int:
            if not self.left:
                raise OSError(28, "No space left on device")
            self.left = 0
            return file.write(data[:5])

        def __getattr__(self, name: str) -> Any:
            return getattr(file, name)

    file = writer._file
    writer._file = FullDisk()  # type: ignore[assignment]
    with pytest.raises(RecordError, match="No space left"):
        writer.action(0)
    assert path.read_text() == whole
    writer._file = file
    writer.action(0)
    assert path.read_text().startswith(whole)
    assert read_record(path).actions == [11, 0]


def test_sampled_games_and_odd_texts_are_refused(tmp_path: Path) -> None:
    game = Game.from_code("KL1-D1N-AAAAAAG")
    sampled = game.view().sample(np.random.default_rng(0))
    with pytest.raises(RecordError, match="deal is not known"):
        RecordWriter(tmp_path / "a.klondike", sampled)
    with pytest.raises(RecordError, match="control characters"):
        RecordWriter(tmp_path / "a.klondike", game, agent="two\nlines")
    with pytest.raises(RecordError, match="no key"):
        RecordWriter(tmp_path / "a.klondike", game, info={"rules": "D3N"})
    with pytest.raises(RecordError, match="no action"):
        Entry(True)
    with pytest.raises(RecordError, match="seconds"):
        Entry(0, float("nan"))
    with pytest.raises(RecordError, match="cannot read"):
        read_record(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_of_records(tmp_path: Path) -> None:
    agents = ["greedy", "Greedy", "my.agents:Search", "..", "a/b", "a%2fb", "ünï", ""]
    paths: dict[Path, tuple[str, str, str, str]] = {}
    for agent in agents:
        for rules in ("D3N", "three-pass", "D3N,passes=3"):
            for seed in (None, 0, 1):
                game = Game.from_number(6, rules)
                info = {} if seed is None else {"seed": str(seed)}
                record = GameRecord(game.deal, game.rules, agent, info)  # type: ignore[arg-type]
                path = record_path(tmp_path, agent, record.code or "", rules, seed)
                assert tmp_path in path.resolve().parents
                write_record(path, record)
                paths[path] = record_key(record)
                with pytest.raises(RecordError, match="is there already"):
                    write_record(path, record)
    assert len({str(path).lower() for path in paths}) == len(agents) * 9
    assert {path: key for key, path in find_records(tmp_path).items()} == paths
    with pytest.raises(RecordError, match="no folder"):
        find_records(tmp_path / "nowhere")
