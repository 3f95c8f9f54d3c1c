"""The command line: all commands of ``klondike``, and how errors end it."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from klondike_env import __version__
from klondike_env.commands.compare import compare
from klondike_env.commands.evaluate import evaluate
from klondike_env.commands.play import play
from klondike_env.commands.plot import plot
from klondike_env.commands.replay import replay
from klondike_env.commands.report import report
from klondike_env.commands.train import train
from klondike_env.errors import ActionError, KlondikeError, OptionError
from klondike_env.terminal import USAGE_ERROR, print_error, print_table

app = typer.Typer(
    help="Klondike solitaire for reinforcement learning.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

DECK_HELP = "52 cards in deal order instead of a code, or another program's deal, such as greenfelt:815."


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

    print_table(("name", "draw", "passes", "scoring", "take-back", "aces", "fan"), rules_table())


@app.command()
def suites() -> None:
    """Print the suites of fixed games."""
    from klondike_env.suites import get_suite, suite_names

    codes = {name: get_suite(name).codes for name in suite_names()}
    rows = ((name, str(len(games)), games[0], games[-1]) for name, games in codes.items())
    print_table(("suite", "games", "first", "last"), rows)


@app.command()
def show(
    code: Annotated[str | None, typer.Argument(help="Game code, such as KL1-D1N-AAAAAAG.")] = None,
    deck: Annotated[str | None, typer.Option(help=DECK_HELP)] = None,
    rules: Annotated[str | None, typer.Option(help="Rule set; by default the code's own, or D1N for a deck.")] = None,
    actions: Annotated[str, typer.Option(help="Action indices to play first, such as '0 0 11'.")] = "",
    as_format: Annotated[
        str | None, typer.Option("--as", help="Print the deal in a format: cards, solvitaire, lonelybot, …")
    ] = None,
) -> None:
    """Print a game as text: its opening, or where some actions lead."""
    from klondike_env.codes import parse_code
    from klondike_env.deals import Deal
    from klondike_env.game import Game

    if (code is None) == (deck is None):
        raise OptionError("give a game code or --deck, and not both, such as: klondike show KL1-D1N-AAAAAAG")
    if code is not None:
        game_code = parse_code(code)
        game = Game.from_number(game_code.number, rules=rules or game_code.mode)
    else:
        game = Game.from_deal(Deal.from_any_text(deck or ""), rules or "D1N")
    for place, text in enumerate(actions.replace(",", " ").split(), start=1):
        try:
            game.play(int(text) if text.isdecimal() else text)  # type: ignore[arg-type]  # play says what is wrong
        except ActionError as error:
            raise OptionError(f"--actions, number {place} ({text}): {error}") from error
    if as_format is not None and game.deal is not None:
        print(game.deal.to_text(as_format))
        return
    print(game)
    print()
    print(f"deck      {game.deck}")
    print(f"position  {game.notation}")
    print(f"legal     {' '.join(map(str, game.legal_actions()))}")


app.command()(evaluate)
app.command()(compare)
app.command()(plot)
app.command()(play)
app.command()(replay)
app.command()(report)
app.add_typer(train, name="train")


@app.command()
def solve(
    codes: Annotated[list[str] | None, typer.Argument(help="Game codes, such as KL1-D3N-AAAAAAG.")] = None,
    suite: Annotated[str | None, typer.Option(help="Suite of fixed games, such as D3N-dev.")] = None,
    codes_file: Annotated[Path | None, typer.Option("--codes", help="File of game codes, one a line.")] = None,
    deck: Annotated[str | None, typer.Option(help=DECK_HELP)] = None,
    rules: Annotated[
        str | None, typer.Option(help="Rules instead of the codes' own, such as D3N or D3N,passes=3; D1N for a deck.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Labels file: a JSON line a game, as it is solved; its last counts."),
    ] = None,
    jobs: Annotated[int, typer.Option(help="Games solved at the same time.", min=1)] = 1,
    moves: Annotated[bool, typer.Option("--moves", help="Print the solutions.")] = False,
    style: Annotated[
        str, typer.Option(help="How to print them: words, minimal-klondike, klondike-solver or lonelybot.")
    ] = "words",
    node_limit: Annotated[int | None, typer.Option(help="Give a game up after so many positions.", min=1)] = None,
    time_limit: Annotated[float | None, typer.Option(help="Give a game up after so many seconds.")] = None,
    memory_limit: Annotated[int, typer.Option(help="Give a game up at so many MiB.", min=1)] = 1024,
) -> None:
    """Tell which games can be won, all cards known.

    With --out, an interrupted run goes on where it stopped when the same command is given again.
    """
    from klondike_env.solve_command import Limits, check_style, solve_deck, solve_suite, suite_to_solve

    moves_style = check_style(style) if moves else None
    limits = Limits(node_limit, time_limit, memory_limit * 2**20)
    if deck is not None:
        if codes or suite or codes_file or out:
            raise OptionError("--deck solves one deal; give no codes, suite or results file with it")
        solve_deck(deck, rules or "D1N", limits, moves_style)
    else:
        solve_suite(suite_to_solve(codes or [], suite, codes_file, rules), limits, out, jobs, moves_style)


def main() -> None:
    """Run the command line; bad input ends with a message and status 2."""
    # A terminal or file that cannot show a sign gets another one for it, not an error.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        app(standalone_mode=True)
    except KlondikeError as error:
        print_error(str(error))
        sys.exit(USAGE_ERROR)
    except OSError as error:
        # Results files report their own errors; what is left is an output that takes no more.
        print_error(f"cannot write the output: {error.strerror}")
        # Python would try to flush the rest at its end and fail once more.
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115  # it stays open to the end
        sys.exit(USAGE_ERROR)
