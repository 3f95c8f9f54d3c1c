"""Play fixed games with an agent, one result a game, interrupted and resumed at will."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from klondike_env.codes import parse_code
from klondike_env.errors import OptionError
from klondike_env.evaluation.game_player import GamePlayer, game_seed
from klondike_env.evaluation.policies import (
    AnyPolicy,
    check_policy,
    is_thoughtful,
    load_policy,
    plays_in_batches,
    policy_name,
    what_it_sees,
)
from klondike_env.evaluation.recording import make_recorder
from klondike_env.evaluation.results import GameResult, open_results
from klondike_env.evaluation.statistics import Summary, summarize
from klondike_env.evaluation.worker import WorkerOrder
from klondike_env.evaluation.worker_pool import pickle_agent, play_in_workers
from klondike_env.game_batch import DEFAULT_ROWS
from klondike_env.registration import STEP_LIMIT
from klondike_env.suites import FixedGame, Suite, get_suite

__all__ = ["Evaluation", "Progress", "evaluate", "game_seed"]

Progress = Callable[[GameResult, int, int], None]
"""Called after each game with its result, the number of games finished and the number of all games."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What ``evaluate`` returns.

    Attributes:
        agent: Name of the agent.
        suite: Name of the suite or codes file, or ``"codes"``.
        thoughtful: Whether the agent saw all cards.
        results: One result a game, in the order of the games.
        summary: Their summary.
        games_played: How many games were played now; the others were in the results file already.
        seconds: How long that took.
        games_without_record: How many of the games have no record, since the results file held them already; 0 if no
            records were asked for.
    """

    agent: str
    suite: str
    thoughtful: bool
    results: list[GameResult]
    summary: Summary
    games_played: int
    seconds: float
    games_without_record: int = 0

    @property
    def games_per_second(self) -> float | None:
        """Speed of the games played now; None if there were none."""
        return self.games_played / self.seconds if self.games_played and self.seconds > 0 else None


def evaluate(
    policy: AnyPolicy | str,
    games: Suite | str | Iterable[str],
    *,
    options: Mapping[str, Any] | None = None,
    out: str | Path | None = None,
    record: str | Path | None = None,
    seed: int = 0,
    step_limit: int = STEP_LIMIT,
    rows: int = DEFAULT_ROWS,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Evaluation:
    """Play fixed games with an agent.

    Args:
        policy: An agent, or the name of one (``load_policy``).
        games: A suite or its name, or game codes, each played under its own rules.
        options: Options to load an agent with that is given by name.
        out: Results file. Each result is written to it as its game ends; games that it holds are not played again.
        record: Folder for a record of each game that is played, with the agent's thoughts if it tells them. A game that
            was cut off and is played again replaces its record; other files are never touched.
        seed: Seed of the evaluation. Each game's random stream follows from it and the game number alone.
        step_limit: Actions after which a game is truncated, at least 1.
        rows: Games that a batch policy plays at once. Results do not depend on it.
        jobs: Processes that play at the same time. Results do not depend on it. An agent given as an object is pickled
            and sent to each of them; the object itself then plays nothing.
        progress: Called after each game.

    Returns:
        Results and summary.

    Raises:
        KlondikeError: No such agent, suite or code, a results file that does not fit or cannot be written, or an agent
            that fails or answers with an illegal action. Results written before stay in the file.
    """
    by_name = isinstance(policy, str)
    if options and not by_name:
        raise OptionError("options are for an agent given by name; an object has been made with its own")
    agent = load_policy(policy, options) if isinstance(policy, str) else check_policy(policy)
    suite = _as_suite(games)
    for argument, value, lowest in (("seed", seed, 0), ("step_limit", step_limit, 1), ("rows", rows, 1)):
        _check_whole_number(argument, value, lowest)
    _check_whole_number("jobs", jobs, 1)
    name = policy_name(agent)
    from klondike_env import __version__  # The package imports nothing of this module.

    finished: dict[tuple[str, str], GameResult] = {}
    with contextlib.ExitStack() as stack:
        file = None
        if out is not None:
            own = {"agent": name, "sees": what_it_sees(agent), "version": __version__}
            file = stack.enter_context(open_results(out, **own, seed=seed, step_limit=step_limit))
            finished = {result.key: result for result in file.lines}
        recorder = None
        if record is not None:
            recorder = make_recorder(record, name, seed=seed, step_limit=step_limit, version=__version__)
        start = time.perf_counter()
        played = 0
        keys = [(game.code, game.rules.name) for game in suite.games]
        done = sum(key in finished for key in keys)
        missing = [game for game, key in zip(suite.games, keys, strict=True) if key not in finished]
        if min(jobs, len(missing)) > 1:
            order = WorkerOrder(
                name=policy if isinstance(policy, str) else None,
                options=dict(options or {}),
                pickled_agent=None if by_name else pickle_agent(agent, name),
                version=__version__,
                seed=seed,
                step_limit=step_limit,
                rows=rows,
                recorder=recorder,
            )
            results = play_in_workers(order, name, missing, jobs, plays_in_batches(agent))
        else:
            results = GamePlayer(agent, __version__, seed, step_limit, rows, recorder).play_all(missing)
        # Closing ends the workers at once, whatever stops the loop.
        for result in stack.enter_context(contextlib.closing(results)):
            if file is not None:
                file.append(result)
            finished[result.key] = result
            played += 1
            if progress is not None:
                progress(result, done + played, len(keys))
    in_order = [finished[key] for key in keys]
    seconds = time.perf_counter() - start
    unrecorded = 0 if recorder is None else sum(not recorder.path(game).exists() for game in suite.games)
    thoughtful = is_thoughtful(agent)
    return Evaluation(name, suite.name, thoughtful, in_order, summarize(in_order), played, seconds, unrecorded)


def _as_suite(games: Suite | str | Iterable[str]) -> Suite:
    """Return what ``evaluate`` was given as a suite."""
    if isinstance(games, Suite):
        return games
    if isinstance(games, str):
        return get_suite(games)
    codes = [parse_code(code) for code in games]
    if not codes:
        raise OptionError("there are no games to play; give at least one game code")
    return Suite("codes", tuple(dict.fromkeys(FixedGame(code.number, code.rules) for code in codes)))


def _check_whole_number(name: str, value: Any, lowest: int) -> None:
    """Refuse an argument that is no whole number of at least ``lowest``."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < lowest:
        raise OptionError(f"{name} is {value!r}; it must be a whole number of at least {lowest}")
