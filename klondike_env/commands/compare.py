"""``klondike compare``: two agents on the same games."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from klondike_env.errors import OptionError, ResultsFileError
from klondike_env.terminal import INTERRUPTED, console, errors, fail, print_table

if TYPE_CHECKING:
    from klondike_env.evaluation import GameResult
    from klondike_env.suites import Suite


def compare(
    first: Annotated[str, typer.Argument(help="An agent as for evaluate, or the results file of one (*.jsonl).")],
    second: Annotated[str, typer.Argument(help="Another one.")],
    suite: Annotated[str | None, typer.Option(help="Suite of fixed games, such as D3N-test.")] = None,
    codes: Annotated[Path | None, typer.Option(help="File of game codes, one a line, # for comments.")] = None,
    option_a: Annotated[list[str] | None, typer.Option(help="Option of the first agent, such as depth=3.")] = None,
    option_b: Annotated[list[str] | None, typer.Option(help="Option of the second agent.")] = None,
    out_dir: Annotated[Path | None, typer.Option(help="Folder for the results files of agents that play now.")] = None,
    seed: Annotated[
        int | None, typer.Option(help="Seed of the agents' randomness; by default a given file's, or 0.", min=0)
    ] = None,
    step_limit: Annotated[
        int | None, typer.Option(help="Actions after which a game is truncated; by default a file's, or 500.", min=1)
    ] = None,
    rows: Annotated[int, typer.Option(help="Games that a batch agent plays at once.", min=1)] = 256,
    jobs: Annotated[int, typer.Option(help="Processes that play at the same time.", min=1)] = 1,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print the tables in Markdown.")] = False,
    plot: Annotated[Path | None, typer.Option(help="Picture of the win rates, such as results.png.")] = None,
) -> None:
    """Compare two agents on the same games: paired differences, and whether they may be chance.

    Without --suite or --codes, the games are those of the results file.
    """
    from klondike_env.evaluation.agent_options import parse_options
    from klondike_env.evaluation.comparison import COMPARISON_COLUMNS, compare_results, comparison_row
    from klondike_env.evaluation.plots import check_plot_file, plot_results
    from klondike_env.evaluation.statistics import SUMMARY_COLUMNS, summarize, summary_row

    if suite is not None and codes is not None:
        raise OptionError("give either --suite or --codes, and not both")
    if plot is not None:
        check_plot_file(plot)
    sides = (_Side(first, parse_options(option_a or [])), _Side(second, parse_options(option_b or [])))
    kept = [side.read() for side in sides]
    played = [results for results in kept if results is not None]
    games = _games(suite, codes, played)
    run: dict[str, Any] = {
        "seed": _of_run("seed", seed, played, 0),
        "step_limit": _of_run("step_limit", step_limit, played, 500),
        "rows": rows,
        "jobs": jobs,
    }
    all_results = []
    speeds = []
    for side, results in zip(sides, kept, strict=True):
        speed = None
        if results is None:
            results, speed = side.play(games, out_dir, run)
        all_results.append(_select(results, games, side.source))
        speeds.append(speed)
    comparison = compare_results(*all_results)
    if all_results[0][0].agent == all_results[1][0].agent:
        all_results = [
            [replace(result, agent=f"{result.agent} ({side.label})") for result in results]
            for results, side in zip(all_results, sides, strict=True)
        ]
    names = [results[0].agent + (" (sees all cards)" if _sees_all(results) else "") for results in all_results]
    scorings = {game.rules.scoring for game in games.games}
    currency = scorings == {"vegas"}
    if len(scorings) == 1:
        rows_of_table = [
            summary_row(name, games.name, summarize(results), currency, speed)
            for name, results, speed in zip(names, all_results, speeds, strict=True)
        ]
        print_table(SUMMARY_COLUMNS, rows_of_table, markdown=markdown)
    row = comparison_row(names[0], names[1], games.name, comparison, currency)
    print_table(COMPARISON_COLUMNS, [row], markdown=markdown)
    versions = sorted({result.version for results in all_results for result in results})
    console.print(
        f"seed {all_results[0][0].seed}, step limit {all_results[0][0].step_limit}, won by both: {comparison.both_won},"
        f" by neither: {comparison.none_won}, klondike-env {' and '.join(versions)}",
        highlight=False,
    )
    if plot is not None:
        plot_results({games.name: [result for results in all_results for result in results]}, plot)


@dataclass(frozen=True, slots=True)
class _Side:
    """One of the two: a name to load or a file to read, and options to load with."""

    source: str
    options: dict[str, Any]

    @property
    def label(self) -> str:
        """What tells this side from the other."""
        from klondike_env.evaluation.agent_options import options_text

        return " ".join(filter(None, (self.source, options_text(self.options))))

    def read(self) -> list[GameResult] | None:
        """Return the results of a file, or None for an agent that is to play."""
        from klondike_env.evaluation.results import read_results

        if not (self.source.endswith(".jsonl") or Path(self.source).is_file()):
            return None
        if self.options:
            raise OptionError(f"{self.source} is a results file; options are for an agent that plays")
        results = read_results(self.source)
        if not results:
            raise ResultsFileError(f"{self.source} holds no results")
        if len(agents := {result.agent for result in results}) > 1:
            raise ResultsFileError(f"{self.source} holds results of several agents: {', '.join(sorted(agents))}")
        return results

    def play(self, games: Suite, out_dir: Path | None, run: dict[str, Any]) -> tuple[list[GameResult], float | None]:
        """Play the games and return the results and the speed."""
        from klondike_env.evaluation.progress import evaluation_progress
        from klondike_env.evaluation.runner import evaluate

        out = None
        if out_dir is not None:
            try:
                out_dir.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise ResultsFileError(f"cannot make folder {out_dir}: {error.strerror}") from error
            out = out_dir / (re.sub(r"[^A-Za-z0-9.=,+-]+", "_", f"{self.label} {games.name}").strip("_.") + ".jsonl")
        with evaluation_progress(errors, self.label, games.name, len(games.games)) as progress:
            try:
                evaluation = evaluate(
                    self.source, games, options=self.options, out=out, progress=progress.update, **run
                )
            except KeyboardInterrupt:
                kept = f"; {out} holds the finished games, and the same command goes on from there" if out else ""
                fail(f"interrupted after {progress.finished} games of {self.label}{kept}", INTERRUPTED)
        return evaluation.results, evaluation.games_per_second


def _games(suite: str | None, codes: Path | None, played: list[list[GameResult]]) -> Suite:
    """Return the games to compare on: those that were named, or those of a results file."""
    from klondike_env.suites import get_suite, read_codes_file

    if suite is not None:
        return get_suite(suite)
    if codes is not None:
        return read_codes_file(codes)
    if not played:
        raise OptionError("give --suite or --codes, such as: klondike compare greedy random --suite D3N-test")
    from klondike_env.evaluation.results import suite_of_results

    return suite_of_results(played[0], "games of the file")


def _of_run(name: str, given: int | None, played: list[list[GameResult]], default: int) -> int:
    """Return a setting: the one given, or that of a results file, so that the other side plays alike."""
    if given is not None:
        return given
    return int(getattr(played[0][0], name)) if played else default


def _select(results: list[GameResult], games: Suite, source: str) -> list[GameResult]:
    """Return the results of the named games, in order.

    Raises:
        ResultsFileError: A game is missing.
    """
    by_key = {result.key: result for result in results}
    keys = [(game.code, game.rules.name) for game in games.games]
    missing = [key for key in keys if key not in by_key]
    if missing:
        raise ResultsFileError(
            f"{source}: {len(missing)} of the {len(keys)} games of {games.name} are missing, the first of them"
            f" {missing[0][0]} under rules {missing[0][1]}; a comparison needs the same games under the same rules"
        )
    return [by_key[key] for key in keys]


def _sees_all(results: list[GameResult]) -> bool:
    """Return whether an agent saw all cards."""
    return results[0].sees == "everything"
