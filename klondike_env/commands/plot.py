"""``klondike plot``: pictures of results and of training runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from klondike_env.errors import OptionError
from klondike_env.terminal import console


def plot(
    sources: Annotated[
        list[Path], typer.Argument(help="Results files (*.jsonl), or folders of training runs for learning curves.")
    ],
    out: Annotated[Path, typer.Option(help="Picture to write: .png, .svg or .pdf.")],
) -> None:
    """Draw win rates with 95 % intervals: by agent and suite, or over the steps of training."""
    from klondike_env.evaluation.plots import check_plot_file, plot_learning_curves, plot_results, read_learning_curve
    from klondike_env.evaluation.results import group_by_suite, read_results

    check_plot_file(out)
    folders = [source for source in sources if source.is_dir()]
    if folders and len(folders) < len(sources):
        raise OptionError("give results files or folders of training runs, and not both, for one picture")
    if folders:
        plot_learning_curves({str(folder): read_learning_curve(folder) for folder in folders}, out)
    else:
        plot_results(group_by_suite((source.stem, read_results(source)) for source in sources), out)
    console.print(f"wrote {out}", markup=False, highlight=False, soft_wrap=True)
