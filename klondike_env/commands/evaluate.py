"""``klondike evaluate``: play fixed games with an agent, and print, keep and draw what came of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from klondike_env import __version__
from klondike_env.errors import OptionError
from klondike_env.terminal import INTERRUPTED, console, errors, fail

if TYPE_CHECKING:
    from klondike_env.evaluation import Evaluation
    from klondike_env.suites import Suite


def evaluate(
    agent: Annotated[
        str,
        typer.Argument(help="Agent: random, greedy, …, the folder of a training run, or module:Class for your own."),
    ],
    suite: Annotated[str | None, typer.Option(help="Suite of fixed games, such as D3N-test.")] = None,
    codes: Annotated[Path | None, typer.Option(help="File of game codes, one a line, # for comments.")] = None,
    option: Annotated[
        list[str] | None, typer.Option(help="Option of the agent, such as depth=3; may be given several times.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Results file: one JSON line a game, as it ends.")] = None,
    record: Annotated[Path | None, typer.Option(help="Folder for a record of each game.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the agent's randomness.", min=0)] = 0,
    step_limit: Annotated[int, typer.Option(help="Actions after which a game is truncated.", min=1)] = 500,
    rows: Annotated[int, typer.Option(help="Games that a batch agent plays at once.", min=1)] = 256,
    jobs: Annotated[int, typer.Option(help="Processes that play at the same time.", min=1)] = 1,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print the table in Markdown.")] = False,
    plot: Annotated[Path | None, typer.Option(help="Picture of the win rate, such as results.png.")] = None,
) -> None:
    """Play fixed games with an agent and print a table.

    With --out, an interrupted run goes on where it stopped when the same command is given again.
    """
    from klondike_env.evaluation.agent_options import parse_options
    from klondike_env.evaluation.progress import evaluation_progress
    from klondike_env.evaluation.runner import evaluate as play_games
    from klondike_env.suites import get_suite, read_codes_file

    if (suite is None) == (codes is None):
        raise OptionError("give either --suite or --codes, such as: klondike evaluate greedy --suite D3N-test")
    games = get_suite(suite) if suite is not None else read_codes_file(codes or Path())
    options = parse_options(option or [])
    if plot is not None:
        from klondike_env.evaluation.plots import check_plot_file, plot_results

        check_plot_file(plot)
    with evaluation_progress(errors, agent, games.name, len(games.games)) as progress:
        try:
            evaluation = play_games(
                agent,
                games,
                options=options,
                out=out,
                record=record,
                seed=seed,
                step_limit=step_limit,
                rows=rows,
                jobs=jobs,
                progress=progress.update,
            )
        except KeyboardInterrupt:
            kept = f"; {out} holds the finished games, and the same command goes on from there" if out else ""
            fail(f"interrupted after {progress.finished} games{kept}", INTERRUPTED)
    _print_evaluation(evaluation, games, markdown)
    console.print(
        f"seed {seed}, step limit {step_limit}, games truncated: {evaluation.summary.truncated},"
        f" klondike-env {__version__}",
        highlight=False,
    )
    before = len(evaluation.results) - evaluation.games_played
    if before:
        without = f"; games without a record: {evaluation.games_without_record}" if record is not None else ""
        console.print(f"{before} games were in {out} already{without}", highlight=False)
    if plot is not None:
        plot_results({games.name: evaluation.results}, plot)


def _print_evaluation(evaluation: Evaluation, games: Suite, markdown: bool) -> None:
    """Print the table, and which share of the games that can be won was won."""
    from klondike_env.evaluation.statistics import SUMMARY_COLUMNS, summarize, summary_row, winnable_text
    from klondike_env.terminal import print_table

    table_rows = []
    scorings = {game.rules.scoring for game in games.games}
    name = evaluation.agent + (" (sees all cards)" if evaluation.thoughtful else "")
    for scoring in sorted(scorings):
        # Points and dollars have no common mean, so a file of codes of both kinds gives a row each.
        kept_results = [
            result
            for result, game in zip(evaluation.results, games.games, strict=True)
            if game.rules.scoring == scoring
        ]
        label = evaluation.suite if len(scorings) == 1 else f"{evaluation.suite} ({scoring})"
        summary = summarize(kept_results)
        table_rows.append(summary_row(name, label, summary, scoring == "vegas", evaluation.games_per_second))
    print_table(SUMMARY_COLUMNS, table_rows, markdown=markdown)
    if games.labels is not None:
        console.print(winnable_text(evaluation.results, games.labels), highlight=False)
