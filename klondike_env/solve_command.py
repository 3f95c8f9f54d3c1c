"""``klondike solve``: which games can be won, and how."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from klondike_env.actions import MOVES, STOCK_PILE
from klondike_env.cards import card_name
from klondike_env.codes import parse_code
from klondike_env.deals import Deal
from klondike_env.errors import OptionError
from klondike_env.evaluation.statistics import wilson_interval
from klondike_env.game import Game
from klondike_env.move_texts import MOVE_TEXTS, write_moves
from klondike_env.rules import make_rules
from klondike_env.solver import solve
from klondike_env.solver.labels import Label, label_games
from klondike_env.suites import FixedGame, Suite, get_suite, read_codes_file
from klondike_env.terminal import INTERRUPTED, console, errors, fail, print_table

WORDS: Final = "words"
_FEW_GAMES: Final = 20
"""Up to so many games are listed one by one."""


@dataclass(frozen=True, slots=True)
class Limits:
    """When to give a game up: positions and seconds (None = no limit), and bytes."""

    node_limit: int | None
    time_limit: float | None
    memory_limit: int


def suite_to_solve(codes: list[str], suite: str | None, codes_file: Path | None, rules: str | None) -> Suite:
    """Return the games that the command line names.

    Raises:
        KlondikeError: None or several ways to name games were used, or one names no game.
    """
    if sum((bool(codes), suite is not None, codes_file is not None)) != 1:
        raise OptionError("give game codes, --suite, --codes or --deck, such as: klondike solve KL1-D3N-AAAAAAG")
    if suite is not None:
        games = get_suite(suite)
    elif codes_file is not None:
        games = read_codes_file(codes_file)
    else:
        parsed = [parse_code(code) for code in codes]
        games = Suite("codes", tuple(dict.fromkeys(FixedGame(code.number, code.rules) for code in parsed)))
    if rules is None:
        return games
    chosen = make_rules(rules)
    return Suite(f"{games.name}, {chosen.name}", tuple(FixedGame(game.number, chosen) for game in games.games))


def check_style(style: str) -> str:
    """Return a way to print solutions.

    Raises:
        OptionError: There is no such way.
    """
    if style not in (WORDS, *MOVE_TEXTS):
        raise OptionError(f"--style is {style!r}; it must be one of {', '.join((WORDS, *MOVE_TEXTS))}")
    return style


def solve_deck(deck: str, rules: str, limits: Limits, style: str | None) -> None:
    """Solve one deal of any 52 cards and print what came of it, with the moves in a style if one is given."""
    game = Game.from_deal(Deal.from_any_text(deck), rules)
    try:
        solution = solve(game, **asdict(limits))
    except KeyboardInterrupt:
        fail("interrupted; the verdict is unknown", INTERRUPTED)
    length = f", {len(solution.actions)} actions" if solution.actions else ""
    console.print(f"{solution.verdict}{length} ({solution.nodes} positions, {solution.seconds:.3f} s)", highlight=False)
    if style is not None and solution.actions:
        console.print(solution_text(game, solution.actions, style), highlight=False, soft_wrap=True)


def solve_suite(games: Suite, limits: Limits, out: Path | None, jobs: int, style: str | None) -> None:
    """Solve games, show how far it is, and print verdicts and shares."""
    counts: Counter[str] = Counter()
    columns = (
        TextColumn(f"solving {games.name}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[verdicts]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=errors, transient=True, disable=not errors.is_terminal) as bar:
        task = bar.add_task("", total=len(games.games), verdicts="")

        def report(label: Label) -> None:
            counts[label.verdict] += 1
            bar.update(task, advance=1, verdicts=_count_text(counts))

        try:
            labels = label_games(
                games.games, out, **asdict(limits), jobs=jobs, with_actions=style is not None, report=report
            )
        except KeyboardInterrupt:
            kept = f"; {out} holds them and those before, and the same command goes on from there" if out else ""
            fail(f"interrupted; games solved now: {counts.total()}{kept}", INTERRUPTED)
    if len(labels) <= _FEW_GAMES:
        print_table(
            ("code", "rules", "verdict", "actions", "positions", "seconds"),
            [
                (
                    label.code,
                    label.rules,
                    label.verdict,
                    "-" if label.length is None else str(label.length),
                    str(label.nodes),
                    f"{label.seconds:.3f}",
                )
                for label in labels
            ],
        )
    if style is not None:
        for game, label in zip(games.games, labels, strict=True):
            if label.actions is not None:
                console.print(f"{label.code}, {label.rules}", highlight=False)
                console.print(solution_text(game.start(), label.actions, style) + "\n", highlight=False, soft_wrap=True)
    verdicts = Counter(label.verdict for label in labels)
    console.print(
        f"{games.name}: {_count_text(verdicts)}; {_share_text(verdicts)} of {len(labels)} winnable",
        highlight=False,
        soft_wrap=True,
    )


def _share_text(counts: Counter[str]) -> str:
    """Return the winnable share with its 95 % interval, or its bounds while any verdict is unknown."""
    games, won, unknown = counts.total(), counts["winnable"], counts["unknown"]
    if unknown:
        return f"between {100 * won / games:.1f} and {100 * (won + unknown) / games:.1f} %"
    low, high = wilson_interval(won, games)
    return f"{100 * won / games:.1f} % [{100 * low:.1f}, {100 * high:.1f}]"


def _count_text(counts: Counter[str]) -> str:
    """Return verdict counts in words."""
    return ", ".join(f"{counts[verdict]} {verdict}" for verdict in ("winnable", "unwinnable", "unknown"))


def solution_text(game: Game, actions: tuple[int, ...], style: str = WORDS) -> str:
    """Return a solution in a style of ``MOVE_TEXTS``, or in words.

    In words it is a line each move, with the cards that move; turns of the stock in a row share a line.
    """
    if style != WORDS:
        return write_moves(game, actions, style)
    game = game.copy()
    lines: list[str] = []
    turns = 0
    for place, action in enumerate(actions, start=1):
        move = MOVES[action]
        if move.source == STOCK_PILE:
            turns += 1
            game.play(action)
            continue
        if turns:
            times = "once" if turns == 1 else f"{turns} times"
            lines.append(f"{place - 1:4}  turn the stock {times} (or redeal)")
            turns = 0
        cards = " ".join(card_name(card) for card in game.moved_cards(action))
        lines.append(f"{place:4}  {cards}: {move}  [{action}]")
        game.play(action)
    return "\n".join(lines)
