"""Pictures: win rates by agent and suite, and learning curves of training runs.

Drawn with matplotlib, which the extra ``plot`` installs, without a screen. Agents differ in marker as well as colour.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from klondike_env.errors import OptionError, ResultsFileError
from klondike_env.evaluation.results import GameResult
from klondike_env.evaluation.statistics import wilson_interval
from klondike_env.json_lines import parse_fields
from klondike_env.replay.files import write_whole
from klondike_env.suite_labels import load_suite_labels

PLOT_SUFFIXES: Final = (".png", ".svg", ".pdf")
EVALUATIONS_FILE: Final = "evaluations.jsonl"

# Okabe and Ito's colours, which all kinds of colour vision tell apart, but for the yellow that is too light for lines.
_COLOURS: Final = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
_MARKERS: Final = ("o", "s", "^", "D", "v", "P", "X")
_LINES: Final = ("-", "--", "-.", ":")
_ROW_INCHES: Final = 0.32
_CURVE_FIELDS: Final[dict[str, tuple[type, ...]]] = {"steps": (int, float), "games": (int,), "wins": (int,)}


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """An evaluation during training.

    Attributes:
        steps: Environment steps trained so far.
        games: Games played.
        wins: Games won.
    """

    steps: int
    games: int
    wins: int


def check_plot_file(path: Path) -> None:
    """Refuse a picture that cannot be made, before the work for it is done.

    Raises:
        OptionError: The file's ending is no known one, its folder is missing, or matplotlib is not installed.
    """
    if path.suffix.lower() not in PLOT_SUFFIXES:
        raise OptionError(f"cannot draw {path}: a picture's name ends in {', '.join(PLOT_SUFFIXES)}")
    if not path.parent.is_dir() or path.is_dir():
        raise OptionError(f"cannot write {path}: {'it is a folder' if path.is_dir() else 'its folder does not exist'}")
    try:
        import matplotlib  # noqa: F401  # only whether it is there
    except ImportError as error:
        raise OptionError(f'pictures need matplotlib ({error}): pip install "klondike-env[plot]"') from error


def plot_results(results: Mapping[str, Sequence[GameResult]], path: Path) -> None:
    """Draw the share of games won, with 95 % Wilson intervals, a row for each agent under each suite.

    Args:
        results: Results of one or several agents by suite.
        path: Picture file.

    Raises:
        OptionError: As for ``check_plot_file``, or the file cannot be written.
    """
    check_plot_file(path)
    rows: list[tuple[str, str, int, int]] = []
    for suite, games in results.items():
        for agent in sorted({_agent_label(result) for result in games}):
            own = [result.won for result in games if _agent_label(result) == agent]
            rows.append((suite, agent, sum(own), len(own)))
    agents = list(dict.fromkeys(agent for _, agent, _, _ in rows))
    # A head line for each suite above its agents.
    figure, axes = _new_figure(height=1.3 + _ROW_INCHES * (len(rows) + len(results)))
    place = 0.0
    ticks: list[tuple[float, str]] = []
    for suite in results:
        axes.text(0.0, place, f" {suite}", weight="bold", va="center", transform=axes.get_yaxis_transform())
        top = place
        for _, agent, wins, games_played in (row for row in rows if row[0] == suite):
            place += 1
            low, high = wilson_interval(wins, games_played)
            share = wins / games_played
            number = agents.index(agent)
            axes.errorbar(
                100 * share,
                place,
                xerr=[[100 * (share - low)], [100 * (high - share)]],
                fmt=_MARKERS[number % len(_MARKERS)],
                color=_COLOURS[number % len(_COLOURS)],
                capsize=3,
                markersize=5,
            )
            text = f"{100 * share:.1f} %"
            axes.annotate(text, (100 * high, place), xytext=(6, 0), textcoords="offset points", va="center", size=8)
            ticks.append((place, agent))
        winnable = _winnable_share(suite)
        if winnable is not None:
            axes.vlines(100 * winnable, top + 0.4, place + 0.4, color="#666666", linestyle=":", linewidth=1.2)
            axes.annotate("winnable", (100 * winnable, top + 0.3), ha="center", va="bottom", size=7, color="#444444")
        place += 1
    axes.set_yticks([tick for tick, _ in ticks], [label for _, label in ticks])
    axes.set_ylim(place - 0.3, -0.7)
    axes.set_xlim(-2, 109)
    axes.set_xticks(range(0, 101, 10))
    axes.set_xlabel("games won (%), with 95 % intervals")
    axes.grid(axis="x", color="#dddddd", linewidth=0.6)
    _save(figure, path)


def plot_learning_curves(curves: Mapping[str, Sequence[CurvePoint]], path: Path) -> None:
    """Draw the share of games won over the steps of training, with bands of 95 % Wilson intervals.

    Args:
        curves: Evaluations by training run, each at least one.
        path: Picture file.

    Raises:
        OptionError: As for ``check_plot_file``, or the file cannot be written.
    """
    check_plot_file(path)
    figure, axes = _new_figure(height=4.2)
    for number, (run, points) in enumerate(curves.items()):
        steps = [point.steps for point in points]
        intervals = [wilson_interval(point.wins, point.games) for point in points]
        colour = _COLOURS[number % len(_COLOURS)]
        axes.fill_between(
            steps, [100 * low for low, _ in intervals], [100 * high for _, high in intervals], color=colour, alpha=0.2
        )
        axes.plot(
            steps,
            [100 * point.wins / point.games for point in points],
            color=colour,
            linestyle=_LINES[number % len(_LINES)],
            marker=_MARKERS[number % len(_MARKERS)],
            markersize=3.5,
            label=run,
        )
    axes.set_ylim(bottom=0)
    axes.set_xlim(left=0)
    axes.xaxis.set_major_formatter(_steps_formatter())
    axes.set_xlabel("steps of training")
    axes.set_ylabel("games won (%), with 95 % intervals")
    axes.grid(color="#dddddd", linewidth=0.6)
    axes.legend(frameon=False)
    _save(figure, path)


def read_learning_curve(run: Path) -> list[CurvePoint]:
    """Read the evaluations of a training run, in the order of steps; a half last line is left out.

    Args:
        run: Folder of the run, which holds ``evaluations.jsonl``.

    Raises:
        ResultsFileError: The file cannot be read, holds no evaluation, or a line in it is none.
    """
    path = run / EVALUATIONS_FILE
    try:
        lines = path.read_bytes().splitlines(keepends=True)
    except OSError as error:
        raise ResultsFileError(f"cannot read {path}, which a training run writes: {error.strerror}") from error
    points: dict[int, CurvePoint] = {}
    for number, line in enumerate(lines, start=1):
        if not line.endswith(b"\n") or not line.strip():
            continue
        try:
            fields = parse_fields(line.decode("utf-8"), _CURVE_FIELDS)
            point = CurvePoint(int(fields["steps"]), fields["games"], fields["wins"])
            wilson_interval(point.wins, point.games)
        except ValueError as error:
            raise ResultsFileError(f"{path}, line {number} cannot be read: {error}") from error
        # A resumed run may evaluate once more at the same place; the later one counts.
        points[point.steps] = point
    if not points:
        raise ResultsFileError(f"{path} holds no evaluation yet")
    return [points[steps] for steps in sorted(points)]


def _agent_label(result: GameResult) -> str:
    """Return the name of an agent, with a word if it sees all cards."""
    return result.agent + (" (sees all cards)" if result.sees == "everything" else "")


def _winnable_share(suite: str) -> float | None:
    """Return which share of a suite's games can be won, or None where that is not known of each."""
    labels = load_suite_labels(suite) if suite.replace("-", "").isalnum() else None
    if labels is None or labels.count("unknown"):
        return None
    return labels.count("winnable") / len(labels.verdicts)


def _new_figure(height: float) -> tuple[Any, Any]:
    """Return a figure, 8 inches wide, and its axes, without touching matplotlib's own list of figures."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, height), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    return figure, axes


def _steps_formatter() -> Any:
    """Return what writes steps as 0, 500 k, 2 M."""
    from matplotlib.ticker import EngFormatter

    return EngFormatter(sep=" ")


def _save(figure: Any, path: Path) -> None:
    """Write a picture, whole or not at all."""
    from matplotlib import rc_context

    drawn = io.BytesIO()
    # No date and no random names in the file: the same results give the same picture.
    suffix = path.suffix.lower().removeprefix(".")
    metadata = {"png": {"Software": None}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}[suffix]
    with rc_context({"svg.hashsalt": "klondike-env"}):
        figure.savefig(drawn, format=suffix, dpi=150, metadata=metadata)
    try:
        write_whole(path, drawn.getvalue(), overwrite=True)
    except OSError as error:
        raise OptionError(f"cannot write {path}: {error.strerror}") from error
