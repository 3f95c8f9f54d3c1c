"""How fast the solver is: ``python -m benchmarks.solver``.

Solves the deals of ``tests/data/oracle_*.jsonl`` on one core, setting by setting, and compares the verdicts. With
``pyksolve`` installed (``pip install pyksolve``), it solves the same deals of draw 1 and 3 right after each of ours.
Times are processor times, which other work on the machine disturbs least.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measuring import machine, print_table
from klondike_env import Game
from klondike_env.deals import Deal
from klondike_env.solver import solve

DATA = Path(__file__).parent.parent / "tests" / "data"
SETTINGS = ("d1", "d3", "d1_notb", "d3_notb", "d1_p3", "d3_p3", "d1_p1", "d3_p1")
LONELYBOT = {"d1": "0.013 / 33", "d3": "0.05 / 126"}
"""Median and mean ms that lonelybot took on 300 such deals; measured elsewhere, so only an order of magnitude."""


def start(deal: dict[str, Any]) -> Game:
    """Start a deal under its rules."""
    passes = deal["passes"] or "unlimited"
    return Game.from_deck(deal["deck"], draw=deal["draw"], passes=passes, take_back=deal["take_back"])


def solve_with_pyksolve(deal: dict[str, Any], closed_limit: int) -> tuple[str, float]:
    """Return the verdict of pyksolve's fast search, whose ``unwinnable`` is no proof, and its seconds."""
    from pyksolve.solver import Solitaire, SolveResult  # type: ignore[import-not-found]

    text = Deal.from_text(deal["deck"]).to_text("klondike-solver")
    begun = time.process_time()
    game = Solitaire()
    game.load_solitaire(text)
    game.reset_game(deal["draw"])
    result = game.solve_fast(max_closed_count=closed_limit)
    seconds = time.process_time() - begun
    if result in (SolveResult.SolvedMinimal, SolveResult.SolvedMayNotBeMinimal):
        return "winnable", seconds
    return ("unwinnable" if result == SolveResult.Impossible else "unknown"), seconds


def has_pyksolve() -> bool:
    """Return whether pyksolve can be imported."""
    try:
        import pyksolve  # type: ignore[import-not-found]  # noqa: F401
    except ImportError:
        return False
    return True


def times(seconds: list[float]) -> str:
    """Return median, mean and maximum in ms."""
    milliseconds = 1000 * np.array(seconds)
    return f"{np.median(milliseconds):.2f} / {milliseconds.mean():.1f} / {milliseconds.max():.0f}"


def counts(verdicts: Counter[str]) -> str:
    """Return how many games are winnable, unwinnable and open."""
    return " / ".join(str(verdicts[verdict]) for verdict in ("winnable", "unwinnable", "unknown"))


def main() -> None:
    """Solve, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--settings", nargs="+", choices=SETTINGS, default=SETTINGS)
    parser.add_argument("--deals", type=int, default=200, help="deals of each setting")
    parser.add_argument("--pyksolve-deals", type=int, default=40, help="of these, deals given to pyksolve, too")
    parser.add_argument("--closed-limit", type=int, default=100_000, help="positions after which pyksolve gives up")
    options = parser.parse_args()

    print(machine())
    rows = []
    yardstick = has_pyksolve()
    for setting in options.settings:
        deals = [json.loads(line) for line in (DATA / f"oracle_{setting}.jsonl").read_text().splitlines()]
        own: list[float] = []
        own_beside: list[float] = []
        peer: list[float] = []
        verdicts: Counter[str] = Counter()
        peer_verdicts: Counter[str] = Counter()
        lengths: list[int] = []
        wrong = 0
        solve(start(deals[0]))  # Compile before the clock runs.
        for index, deal in enumerate(deals[: options.deals]):
            game = start(deal)
            begun = time.process_time()
            solution = solve(game)
            own.append(time.process_time() - begun)
            verdicts[solution.verdict] += 1
            wrong += solution.verdict not in (deal["verdict"], "unknown")
            if solution.actions:
                lengths.append(len(solution.actions))
            if yardstick and setting in LONELYBOT and index < options.pyksolve_deals:
                verdict, seconds = solve_with_pyksolve(deal, options.closed_limit)
                peer.append(seconds)
                peer_verdicts[verdict] += 1
                own_beside.append(own[-1])
        beside = "-"
        if peer:
            ratio = np.mean(peer) / np.mean(own_beside)
            beside = f"{times(peer)}, {counts(peer_verdicts)}; {ratio:.0f} x our mean on these {len(peer)}"
        solved = f"{np.median(lengths):.0f} / {max(lengths)}" if lengths else "-"
        rows.append((setting, times(own), counts(verdicts), str(wrong), solved, LONELYBOT.get(setting, "-"), beside))
    print_table(
        (
            "setting",
            "ms median / mean / max",
            "won / lost / open",
            "wrong",
            "actions median / max",
            "lonelybot ms, elsewhere",
            "pyksolve ms, verdicts",
        ),
        rows,
    )
    if not yardstick:
        print("pyksolve is not installed; 'pip install pyksolve' puts it beside")


if __name__ == "__main__":
    main()
