"""Pictures of results and training runs: drawn without a screen, whole or not at all."""

import builtins
import dataclasses
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from klondike_env.cli import app
from klondike_env.errors import KlondikeError, OptionError, ResultsFileError
from klondike_env.evaluation import GameResult, evaluate
from klondike_env.evaluation import plots as plots_module
from klondike_env.evaluation.plots import (
    CurvePoint,
    check_plot_file,
    plot_learning_curves,
    plot_results,
    read_learning_curve,
)
from klondike_env.evaluation.results import group_by_suite
from klondike_env.evaluation.statistics import wilson_interval
from klondike_env.suites import Suite, get_suite

matplotlib = pytest.importorskip("matplotlib")
KLONDIKE = Path(sys.executable).parent / "klondike"


@pytest.fixture(scope="module")
def results() -> list[GameResult]:
    return evaluate("random", Suite("few", get_suite("D1N-dev").games[:20]), step_limit=20).results


@pytest.fixture
def figures(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The figures that are written."""
    written: list[Any] = []
    save = plots_module._save

    def keep(figure: Any, path: Path) -> None:
        written.append(figure)
        save(figure, path)

    monkeypatch.setattr(plots_module, "_save", keep)
    return written


def with_wins(results: list[GameResult], agent: str, wins: int, sees: str = "view") -> list[GameResult]:
    return [
        dataclasses.replace(result, agent=agent, won=place < wins, sees=sees) for place, result in enumerate(results)
    ]


def test_results_show_each_agent_with_its_interval(
    tmp_path: Path, results: list[GameResult], figures: list[Any]
) -> None:
    games = {
        "D1N-dev": [*with_wins(results, "best", 15), *with_wins(results, "worst", 1)],
        "D3N-dev": [*with_wins(results, "best", 5), *with_wins(results, "knowing", 20, "everything")],
    }
    plot_results(games, tmp_path / "results.png")
    assert (tmp_path / "results.png").read_bytes().startswith(b"\x89PNG")
    assert [path.name for path in tmp_path.iterdir()] == ["results.png"]
    axes = figures[0].axes[0]
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert labels == ["best", "worst", "best", "knowing (sees all cards)"]
    containers = axes.containers
    assert [float(container[0].get_xdata()[0]) for container in containers] == [75.0, 5.0, 25.0, 100.0]
    segments = containers[0][2][0].get_segments()[0]
    low, high = wilson_interval(15, 20)
    assert segments[:, 0].tolist() == pytest.approx([100 * low, 100 * high])
    # One agent has one look under every suite, and different agents differ in colour and marker.
    looks = [(container[0].get_color(), container[0].get_marker()) for container in containers]
    assert looks[0] == looks[2]
    assert len({look[0] for look in looks}) == len({look[1] for look in looks}) == 3
    texts = {text.get_text().strip() for text in axes.texts}
    assert {"D1N-dev", "D3N-dev", "winnable", "75.0 %"} <= texts


def test_learning_curve_shows_every_evaluation(tmp_path: Path, figures: list[Any]) -> None:
    curves = {
        "runs/a": [CurvePoint(0, 100, 0), CurvePoint(1_000_000, 100, 30), CurvePoint(2_000_000, 100, 55)],
        "runs/b": [CurvePoint(500_000, 1000, 100)],
    }
    plot_learning_curves(curves, tmp_path / "curve.svg")
    assert "</svg>" in (tmp_path / "curve.svg").read_text()
    axes = figures[0].axes[0]
    first, second = axes.lines
    assert first.get_xydata().tolist() == [[0, 0], [1_000_000, 30], [2_000_000, 55]]
    assert second.get_xydata().tolist() == [[500_000, 10]]
    band = axes.collections[0].get_paths()[0].vertices
    low, high = wilson_interval(55, 100)
    assert band[:, 1].max() == pytest.approx(100 * high)
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["runs/a", "runs/b"]
    assert low < 0.55


def test_the_same_results_give_the_same_picture(tmp_path: Path, results: list[GameResult]) -> None:
    for suffix in (".png", ".svg", ".pdf"):
        drawn = []
        for _ in range(2):
            path = tmp_path / f"picture{suffix}"
            plot_results({"D1N-dev": results}, path)
            drawn.append(path.read_bytes())
        assert drawn[0] == drawn[1], suffix


def write_run(folder: Path, *lines: object) -> Path:
    folder.mkdir(exist_ok=True)
    text = "".join(line if isinstance(line, str) else json.dumps(line) + "\n" for line in lines)
    (folder / "evaluations.jsonl").write_text(text)
    return folder


def test_a_run_is_read(tmp_path: Path) -> None:
    line = {"steps": 1000, "games": 50, "wins": 5, "mean_return": 1.5, "seconds": 2.0}
    run = write_run(tmp_path / "run", line, {**line, "steps": 2000}, {**line, "wins": 6}, '{"steps": 3000, "ga')
    assert read_learning_curve(run) == [CurvePoint(1000, 50, 6), CurvePoint(2000, 50, 5)]
    for bad, message in (
        ({**line, "wins": 51}, "line 1 cannot be read: wins 51 of games 50"),
        ({**line, "wins": "many"}, "line 1 cannot be read: field 'wins'"),
        ({"steps": 1000}, "line 1 cannot be read: field 'games' is missing"),
        ("[]\n", "line 1 cannot be read: it is no JSON object"),
        ("", "holds no evaluation yet"),
    ):
        with pytest.raises(ResultsFileError, match=message):
            read_learning_curve(write_run(tmp_path / "run", bad))
    with pytest.raises(ResultsFileError, match=r"cannot read .*, which a training run writes"):
        read_learning_curve(tmp_path / "none")


def test_files_of_one_suite_are_drawn_together(results: list[GameResult]) -> None:
    groups = group_by_suite([("a", results), ("b", with_wins(results, "other", 3))])
    assert {name: len(group) for name, group in groups.items()} == {"D1N-dev, 20 games": 40}
    with pytest.raises(ResultsFileError, match="a holds no results"):
        group_by_suite([("a", [])])


def test_a_missing_extra_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real_import = builtins.__import__

    def without_matplotlib(name: str, *arguments: Any, **keywords: Any) -> Any:
        if name.partition(".")[0] == "matplotlib":
            raise ModuleNotFoundError("No module named 'matplotlib'")
        return real_import(name, *arguments, **keywords)

    monkeypatch.setattr(builtins, "__import__", without_matplotlib)
    with pytest.raises(OptionError, match=r'pip install "klondike-env\[plot\]"'):
        check_plot_file(tmp_path / "x.png")


def run_command(*arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(KLONDIKE), *map(str, arguments)], cwd=cwd, capture_output=True, text=True, timeout=300)


def test_plot_command(tmp_path: Path, results: list[GameResult], monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.jsonl").write_text("".join(result.to_line() + "\n" for result in results))
    write_run(tmp_path / "run", {"steps": 10, "games": 5, "wins": 1})
    assert run_command("plot", "a.jsonl", "--out", "a.png", cwd=tmp_path).stdout == "wrote a.png\n"
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(app, ["plot", "run", "--out", "run.pdf"]).exception is None
    assert (tmp_path / "run.pdf").read_bytes().startswith(b"%PDF")
    files = sorted(tmp_path.iterdir())
    for arguments, message in (
        (["a.jsonl", "run", "--out", "x.png"], "and not both"),
        (["a.jsonl", "--out", "x.jpg"], "a picture's name ends in .png, .svg, .pdf"),
        (["a.jsonl", "--out", "none/x.png"], "its folder does not exist"),
        (["b.jsonl", "--out", "x.png"], "cannot read b.jsonl"),
    ):
        error = CliRunner().invoke(app, ["plot", *arguments]).exception
        assert isinstance(error, KlondikeError)
        assert message in str(error)
    assert sorted(tmp_path.iterdir()) == files


def test_evaluate_draws_and_writes_markdown(tmp_path: Path) -> None:
    (tmp_path / "codes.txt").write_text("KL1-D1N-AAAAAAA\nKL1-D1N-AAAAAAB\n")
    command = ("evaluate", "greedy", "--codes", "codes.txt", "--markdown", "--plot", "out.png", "--record", "records")
    output = run_command(*command, "--option", "depth=1", "--jobs", "2", cwd=tmp_path)
    assert output.stdout.startswith("| agent | suite | games |"), output.stderr
    assert "| greedy depth=1 | codes.txt | 2 |" in output.stdout
    assert (tmp_path / "out.png").read_bytes().startswith(b"\x89PNG")
    assert len(list((tmp_path / "records").rglob("*.klondike"))) == 2
