"""The tables of README, made from the code; `python tests/readme_tables.py` writes them into README."""

import re
from pathlib import Path

from klondike_env.actions import MOVES, TAKE_BACK
from klondike_env.evaluation.statistics import wilson_interval
from klondike_env.observation import PLANES
from klondike_env.rules import RULE_SETS, rules_table
from klondike_env.suite_labels import load_suite_labels

README = Path(__file__).parents[1] / "README.md"


def markdown(header: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """Return a Markdown table."""
    lines = [header, tuple("---" for _ in header), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def rules_markdown() -> str:
    """Return the rule sets."""
    return markdown(("name", "draw", "passes", "scoring", "take-back", "aces", "fan"), rules_table())


def actions_markdown() -> str:
    """Return the actions, kinds of move in a row; the first and last of each kind are looked up in the code."""
    groups: list[tuple[str, int, int]] = []
    for index, move in enumerate(MOVES):
        kind = f"{move.source} to {move.target}"
        if groups and groups[-1][0] == kind:
            groups[-1] = (kind, groups[-1][1], index)
        else:
            groups.append((kind, index, index))
    meanings = {
        "stock to waste": "turn the stock; redeal when it is empty",
        "waste to foundation": "waste to its foundation",
        "waste to column": "waste to column 1 … 7",
        "column to foundation": "column 1 … 7 to its foundation",
        "foundation to column": f"take-back: foundation of suit s to column j: {TAKE_BACK} + 7 s + (j - 1)",
        "column to column": "column i to column j, i ≠ j: 44 + 6 (i - 1) + (j - 1, less one when j > i)",
    }
    rows = [(str(a) if a == b else f"{a} … {b}", meanings[kind]) for kind, a, b in groups]
    return markdown(("index", "move"), rows)


def observation_markdown() -> str:
    """Return the observation planes."""
    rows = [
        (
            str(plane.first) if plane.first == plane.last else f"{plane.first}-{plane.last}",
            plane.name,
            f"{plane.low}-{plane.high}",
            plane.meaning,
        )
        for plane in PLANES
    ]
    return markdown(("planes", "name", "range", "meaning"), rows)


PUBLISHED = {"D1N": "90.48 ± 0.12 %", "D3N": "81.95 ± 0.08 %"}
"""Blake and Gent, JAIR 85:21 (2026), a million deals each; for the other rule sets no figure was found."""


def winnable_markdown() -> str:
    """Return the winnable share of the labelled games of each rule set."""
    rows = []
    for rules in RULE_SETS:
        verdicts = [
            verdict
            for part in ("dev", "test")
            if (labels := load_suite_labels(f"{rules}-{part}")) is not None
            for verdict in labels.verdicts
        ]
        if not verdicts:
            continue
        games, won = len(verdicts), verdicts.count("winnable")
        low, high = (100 * end for end in wilson_interval(won, games))
        share = f"{100 * won / games:.1f} % [{low:.1f}, {high:.1f}]"
        counts = (str(games), str(won), str(verdicts.count("unwinnable")), str(verdicts.count("unknown")))
        rows.append((rules, *counts, share, PUBLISHED.get(rules, "-")))
    header = ("rules", "games", "winnable", "unwinnable", "open", "winnable, 95 % interval", "published")
    return markdown(header, rows)


TABLES = {
    "rules": rules_markdown,
    "actions": actions_markdown,
    "observation": observation_markdown,
    "winnable": winnable_markdown,
}


def filled(readme: str) -> str:
    """Return README with each table as the code says, after its `<!-- name -->` mark."""
    for name, table in TABLES.items():
        mark = f"<!-- {name} -->\n"
        readme = re.sub(re.escape(mark) + r"\n*(\|[^\n]*\n)*\n*", mark + "\n" + table() + "\n\n", readme)
    return readme


if __name__ == "__main__":
    README.write_text(filled(README.read_text()))
