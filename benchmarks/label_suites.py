"""Solve every game of every suite and write the labels that the package ships.

`python -m benchmarks.label_suites --folder labels` keeps a resumable file of JSON lines a suite in that folder; when a
suite is done its labels go to `klondike_env/data/labels`. `--table` prints the winnable shares of what is shipped.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from klondike_env.evaluation.statistics import wilson_interval
from klondike_env.solver.labels import Label, label_games
from klondike_env.solver.solving import SOLVER_VERSION
from klondike_env.suite_labels import SuiteLabels, labels_folder, load_suite_labels
from klondike_env.suites import get_suite, suite_names

MEMORY_LIMIT = 2**31
"""Bytes; twice the default, so that fewer games stay open."""


def label_suite(name: str, folder: Path, jobs: int) -> None:
    """Solve the games of one suite and write its labels."""
    suite = get_suite(name)
    counts = {"winnable": 0, "unwinnable": 0, "unknown": 0}

    def report(label: Label) -> None:
        counts[label.verdict] += 1
        print(f"\r{name}: {counts}", end="", flush=True)

    labels = label_games(suite.games, folder / f"{name}.jsonl", memory_limit=MEMORY_LIMIT, jobs=jobs, report=report)
    packed = SuiteLabels(
        suite=name,
        solver_version=SOLVER_VERSION,
        node_limit=None,
        time_limit=None,
        memory_limit=MEMORY_LIMIT,
        verdicts=tuple(label.verdict for label in labels),
        lengths=tuple(label.length for label in labels),
    )
    (labels_folder() / f"{name}.json").write_text(packed.to_json(), encoding="utf-8")
    print(f"\r{name}: {sum(label.seconds for label in labels):.0f} s of solving")


def shares_table(part: str = "") -> str:
    """Return a Markdown table of the winnable shares of the suites whose names end with a part."""
    lines = ["| suite | games | winnable | unwinnable | open | winnable, 95 % interval |", "|---|---|---|---|---|---|"]
    for name in suite_names():
        labels = load_suite_labels(name)
        if labels is None or not name.endswith(part):
            continue
        games, won = len(labels.verdicts), labels.count("winnable")
        low, high = (100 * end for end in wilson_interval(won, games))
        lines.append(
            f"| {name} | {games} | {won} | {labels.count('unwinnable')} | {labels.count('unknown')} |"
            f" {100 * won / games:.1f} % [{low:.1f}, {high:.1f}] |"
        )
    return "\n".join(lines)


def main() -> None:
    """Read the command line and label the suites."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--folder", type=Path, default=Path("labels"))
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--suites", nargs="*", default=suite_names())
    parser.add_argument("--table", action="store_true")
    arguments = parser.parse_args()
    if not arguments.table:
        arguments.folder.mkdir(parents=True, exist_ok=True)
        for name in arguments.suites:
            label_suite(name, arguments.folder, arguments.jobs)
    print(shares_table())


if __name__ == "__main__":
    main()
