"""The command line: ``klondike evaluate``, ``klondike show``, ``klondike rules`` and ``klondike suites``."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from klondike_env import __version__
from klondike_env.errors import KlondikeError

app = typer.Typer(
    help="Klondike solitaire for reinforcement learning.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
console = Console()
errors = Console(stderr=True)

WIDEST_TABLE = 500
USAGE_ERROR = 2
INTERRUPTED = 130


def _fail(message: str, status: int = USAGE_ERROR) -> NoReturn:
    """Print an error and end with a status."""
    _print_error(message)
    raise typer.Exit(status)


def _print_error(message: str) -> None:
    """Print an error."""
    errors.print(f"[bold red]error:[/] {escape(message)}", highlight=False, soft_wrap=True)


def _print_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table whose cells are never wrapped or cut; a narrow terminal wraps whole lines."""
    table = Table(*columns, box=box.SIMPLE_HEAD, pad_edge=False)
    for column in table.columns:
        column.no_wrap = True
    for row in rows:
        table.add_row(*row)
    needed = console.measure(table, options=console.options.update(max_width=WIDEST_TABLE)).maximum
    Console(width=max(console.width, needed), soft_wrap=True).print(table)


def _print_version(wanted: bool) -> None:
    """Print the version and end, if asked."""
    if wanted:
        print(__version__)
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Klondike solitaire for reinforcement learning."""


@app.command()
def rules() -> None:
    """Print the rule sets."""
    from klondike_env.rules import rules_table

    _print_table(("name", "draw", "passes", "scoring", "take-back", "aces", "fan"), rules_table())


@app.command()
def suites() -> None:
    """Print the suites of fixed games."""
    from klondike_env.suites import get_suite, suite_names

    codes = {name: get_suite(name).codes for name in suite_names()}
    rows = ((name, str(len(games)), games[0], games[-1]) for name, games in codes.items())
    _print_table(("suite", "games", "first", "last"), rows)


@app.command()
def show(
    code: Annotated[str | None, typer.Argument(help="Game code, such as KL1-D1N-AAAAAAG.")] = None,
    deck: Annotated[str | None, typer.Option(help="52 cards in deal order instead of a code.")] = None,
    rules: Annotated[str | None, typer.Option(help="Rule set; by default the code's own, or D1N for a deck.")] = None,
    actions: Annotated[str, typer.Option(help="Action indices to play first, such as '0 0 11'.")] = "",
    as_format: Annotated[
        str | None, typer.Option("--as", help="Print the deal in a format: cards, solvitaire, lonelybot, …")
    ] = None,
) -> None:
    """Print a game as text: its opening, or where some actions lead."""
    from klondike_env.codes import parse_code
    from klondike_env.deals import Deal
    from klondike_env.errors import OptionError
    from klondike_env.game import Game

    if (code is None) == (deck is None):
        raise OptionError("give either a game code or --deck, such as: klondike show KL1-D1N-AAAAAAG")
    if code is not None:
        game_code = parse_code(code)
        game = Game.from_number(game_code.number, rules=rules or game_code.mode)
    else:
        game = Game.from_deal(Deal.from_text(deck or ""), rules or "D1N")
    for place, text in enumerate(actions.replace(",", " ").split(), start=1):
        try:
            game.play(int(text))
        except ValueError as error:
            raise OptionError(f"--actions, number {place} ({text}): {error}") from error
    if as_format is not None and game.deal is not None:
        print(game.deal.to_text(as_format))
        return
    print(game)
    print()
    print(f"deck      {game.deck}")
    print(f"position  {game.notation}")
    print(f"legal     {' '.join(map(str, game.legal_actions()))}")


@app.command()
def evaluate(
    agent: Annotated[str, typer.Argument(help="Agent: random, greedy, or module:Class for one of your own.")],
    suite: Annotated[str | None, typer.Option(help="Suite of fixed games, such as D3N-test.")] = None,
    codes: Annotated[Path | None, typer.Option(help="File of game codes, one a line, # for comments.")] = None,
    out: Annotated[Path | None, typer.Option(help="Results file: one JSON line a game, as it ends.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the agent's randomness.", min=0)] = 0,
    step_limit: Annotated[int, typer.Option(help="Actions after which a game is truncated.", min=1)] = 500,
    rows: Annotated[int, typer.Option(help="Games that a batch agent plays at once.", min=1)] = 256,
) -> None:
    """Play fixed games with an agent and print a table.

    With --out, an interrupted run goes on where it stopped when the same command is given again.
    """
    from klondike_env.errors import OptionError
    from klondike_env.evaluation.progress import evaluation_progress
    from klondike_env.evaluation.runner import evaluate as play_games
    from klondike_env.evaluation.statistics import SUMMARY_COLUMNS, summarize, summary_row
    from klondike_env.suites import get_suite, read_codes_file

    if (suite is None) == (codes is None):
        raise OptionError("give either --suite or --codes, such as: klondike evaluate greedy --suite D3N-test")
    games = get_suite(suite) if suite is not None else read_codes_file(codes or Path())
    with evaluation_progress(errors, agent, games.name, len(games.games)) as progress:
        try:
            evaluation = play_games(
                agent, games, out=out, seed=seed, step_limit=step_limit, rows=rows, progress=progress.update
            )
        except KeyboardInterrupt:
            kept = f"; {out} holds the finished games, and the same command goes on from there" if out else ""
            _fail(f"interrupted after {progress.finished} games{kept}", INTERRUPTED)
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
    _print_table(SUMMARY_COLUMNS, table_rows)
    console.print(
        f"seed {seed}, step limit {step_limit}, {evaluation.summary.truncated} games truncated,"
        f" klondike-env {__version__}",
        highlight=False,
    )
    if evaluation.games_played < len(evaluation.results):
        console.print(
            f"{len(evaluation.results) - evaluation.games_played} games were in {out} already", highlight=False
        )


def main() -> None:
    """Run the command line; bad input ends with a message and status 2."""
    try:
        app()
    except KlondikeError as error:
        _print_error(str(error))
        sys.exit(USAGE_ERROR)
