"""``klondike train``: training of agents."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from klondike_env.errors import OptionError
from klondike_env.terminal import INTERRUPTED, console, errors, fail

if TYPE_CHECKING:
    from klondike_agents.training.config import TrainingConfig

train = typer.Typer(help="Train agents.", no_args_is_help=True)


@train.command()
def ppo(
    out: Annotated[Path, typer.Option(help="Folder of the run.")],
    rules: Annotated[str | None, typer.Option(help="Rule set, such as D1N or D3N; D1N by default.")] = None,
    steps: Annotated[str | None, typer.Option(help="Decisions to learn from, such as 20e6.")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of games, weights and sampling.", min=0)] = None,
    config: Annotated[Path | None, typer.Option(help="JSON file of settings; options given here win.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in --out, by its own settings.")] = False,
) -> None:
    """Train a player with MaskablePPO, after teaching it what moves are worth in sampled games.

    A stopped run goes on from its newest checkpoint when the same command is given again.
    """
    settings = _settings(out, rules, steps, seed, config, resume)
    try:
        import sb3_contrib  # noqa: F401  # whether they are there is all that is asked
        import tensorboard  # noqa: F401
        import torch  # noqa: F401
    except ImportError as error:
        raise OptionError(f'training needs {error.name}: pip install "klondike-env[agents]"') from error
    from klondike_agents.training.progress import training_progress
    from klondike_agents.training.trainer import train as train_run

    with training_progress(errors, settings) as progress:
        try:
            outcome = train_run(settings, out, progress.update)
        except KeyboardInterrupt:
            kept = any((out / "checkpoints").glob("*.safetensors"))
            there = (
                f"goes on from the newest checkpoint in {out}" if kept else "begins anew: there is no checkpoint yet"
            )
            fail(f"interrupted; the same command {there}", INTERRUPTED)
    if outcome.steps_now == 0:
        console.print(f"the run in {out} is finished: {outcome.steps:,} steps; nothing to do", highlight=False)
    else:
        console.print(f"trained {outcome.steps_now:,} steps, {outcome.steps:,} in all", highlight=False)
    if outcome.evaluations:
        best = max(outcome.evaluations, key=lambda line: int(line["wins"]))
        console.print(
            f"best: {best['wins']} of {best['games']} games of the dev suite won, after {best['steps']:,} steps;"
            f" next: klondike evaluate {out} --suite {settings.rules}-test",
            highlight=False,
            soft_wrap=True,
        )


def _settings(
    out: Path, rules: str | None, steps: str | None, seed: int | None, config: Path | None, resume: bool
) -> TrainingConfig:
    """Return the settings that the options ask for."""
    from klondike_agents.training.config import (
        FIELDS,
        TrainingConfig,
        config_from_values,
        parse_count,
        read_config,
        read_values,
    )
    from klondike_agents.training.files import CONFIG_FILE

    given: dict[str, Any] = {"rules": rules, "seed": seed}
    if steps is not None:
        given["steps"] = parse_count(steps, "--steps")
    given = {name: value for name, value in given.items() if value is not None}
    if resume:
        if not (out / CONFIG_FILE).exists():
            raise OptionError(f"--resume: {out} holds no run; leave --resume out to begin one")
        own = read_config(out / CONFIG_FILE)
        wanted = {**(read_values(config) if config is not None else {}), **given}
        for name, value in wanted.items():
            if name not in FIELDS:
                raise OptionError(f"--resume: {name!r} in {config} is no setting; settings are {', '.join(FIELDS)}")
            if getattr(own, name) != value:
                raise OptionError(f"--resume: {name} is {getattr(own, name)!r} in {out}, and {value!r} was asked for")
        return own
    values = {**(read_values(config) if config is not None else {}), **given}
    steps_wanted = values.get("steps")
    if isinstance(steps_wanted, int) and values.get("network") != "plain":
        # A short run is taught for the same shares of its steps as a long one by default.
        for name, share in (("imitation_steps", 20), ("judging_steps", 3 / 2)):
            values.setdefault(name, min(getattr(TrainingConfig(), name), int(steps_wanted / share)))
    return config_from_values(values, str(config) if config is not None else "options")
