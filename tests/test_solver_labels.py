"""Labels of many games: files that a broken-off run goes on with."""

import threading
from pathlib import Path

import pytest

from klondike_env.errors import OptionError, ResultsFileError
from klondike_env.rules import make_rules
from klondike_env.solver.labels import Label, label_games, parse_label, read_labels
from klondike_env.suites import FixedGame

GAMES = [FixedGame(number, make_rules(name)) for name in ("D1N", "D3N") for number in range(6, 14)]


def facts(labels: list[Label]) -> list[tuple[object, ...]]:
    """Return labels without their times."""
    return [(label.code, label.rules, label.verdict, label.length, label.nodes) for label in labels]


def test_a_file_is_gone_on_with_after_a_half_line(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    whole = label_games(GAMES, path)
    assert [label.code for label in whole] == [game.code for game in GAMES]
    assert {label.verdict for label in whole} == {"winnable", "unwinnable"}
    assert read_labels(path) == whole
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    kept = read_labels(path)
    assert 0 < len(kept) < len(GAMES)
    new: list[Label] = []
    assert facts(label_games(GAMES, path, report=new.append)) == facts(whole)
    assert len(new) == len(GAMES) - len(kept)
    assert facts(read_labels(path)) == facts(whole)
    again: list[Label] = []
    assert label_games(GAMES, path, report=again.append) == read_labels(path)
    assert again == []


def test_jobs_and_missing_file_change_nothing() -> None:
    assert facts(label_games(GAMES, jobs=2)) == facts(label_games(GAMES))


def test_actions_and_lines_go_round(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    labels = label_games(GAMES[:3], path, with_actions=True)
    for game, label in zip(GAMES, labels, strict=False):
        assert parse_label(label.to_line()) == label
        assert label.actions is None or label.length == len(label.actions)
        played = game.start()
        for action in label.actions or ():
            played.play(action)
        assert played.is_won == (label.verdict == "winnable")
    assert read_labels(path) == labels


def test_limits_are_kept_and_give_unknown(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    (label,) = label_games(GAMES[:1], path, node_limit=1)
    assert (label.verdict, label.length, label.node_limit) == ("unknown", None, 1)
    with pytest.raises(ResultsFileError, match="node_limit"):
        label_games(GAMES[:1], path)


def test_wrong_files_and_options_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text('{"code": 3}\n')
    with pytest.raises(ResultsFileError, match="line 1"):
        label_games(GAMES, path)
    assert path.read_text() == '{"code": 3}\n'
    with pytest.raises(ResultsFileError, match="no JSON"):
        parse_label("{")
    with pytest.raises(ResultsFileError):
        read_labels(tmp_path / "missing.jsonl")
    with pytest.raises(ResultsFileError):
        label_games(GAMES, tmp_path)
    with pytest.raises(OptionError, match="jobs"):
        label_games(GAMES, jobs=0)


def test_an_interrupt_leaves_whole_lines(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"

    def interrupt(label: Label) -> None:
        raise KeyboardInterrupt

    for jobs in (1, 2):
        with pytest.raises(KeyboardInterrupt):
            label_games(GAMES, path, jobs=jobs, report=interrupt)
        assert path.read_bytes().endswith(b"\n")
    assert len(read_labels(path)) == 2
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("ThreadPool")]
