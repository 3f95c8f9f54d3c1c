"""Play fixed games with an agent, one result a game, interrupted and resumed at will."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from klondike_env.codes import parse_code
from klondike_env.errors import ActionError, OptionError, PolicyError
from klondike_env.evaluation.policies import (
    AnyPolicy,
    check_policy,
    is_thoughtful,
    load_policy,
    policy_name,
    what_it_sees,
)
from klondike_env.evaluation.results import GameResult, open_results
from klondike_env.evaluation.statistics import Summary, summarize
from klondike_env.game_batch import DEFAULT_ROWS, FinishedGame, GameBatch
from klondike_env.registration import STEP_LIMIT
from klondike_env.suites import FixedGame, Suite, get_suite

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
    """

    agent: str
    suite: str
    thoughtful: bool
    results: list[GameResult]
    summary: Summary
    games_played: int
    seconds: float

    @property
    def games_per_second(self) -> float | None:
        """Speed of the games played now; None if there were none."""
        return self.games_played / self.seconds if self.games_played and self.seconds > 0 else None


def evaluate(
    policy: AnyPolicy | str,
    games: Suite | str | Iterable[str],
    *,
    out: str | Path | None = None,
    seed: int = 0,
    step_limit: int = STEP_LIMIT,
    rows: int = DEFAULT_ROWS,
    progress: Progress | None = None,
) -> Evaluation:
    """Play fixed games with an agent.

    Args:
        policy: An agent, or the name of one (``load_policy``).
        games: A suite or its name, or game codes, each played under its own rules.
        out: Results file. Each result is written to it as its game ends; games that it holds are not played again.
        seed: Seed of the evaluation. Each game's random stream follows from it and the game number alone.
        step_limit: Actions after which a game is truncated, at least 1.
        rows: Games that a batch policy plays at once. Results do not depend on it.
        progress: Called after each game.

    Returns:
        Results and summary.

    Raises:
        KlondikeError: No such agent, suite or code, a results file that does not fit or cannot be written, or an agent
            that fails or answers with an illegal action. Results written before stay in the file.
    """
    agent = load_policy(policy) if isinstance(policy, str) else check_policy(policy)
    suite = _as_suite(games)
    _check_whole_number("seed", seed, 0)
    _check_whole_number("step_limit", step_limit, 1)
    _check_whole_number("rows", rows, 1)
    name = policy_name(agent)
    from klondike_env import __version__  # The package imports nothing of this module.

    finished: dict[tuple[str, str], GameResult] = {}
    file = None
    if out is not None:
        file = open_results(
            out, agent=name, sees=what_it_sees(agent), version=__version__, seed=seed, step_limit=step_limit
        )
        finished = {result.key: result for result in file.lines}
    run = _Run(agent, name, __version__, seed, step_limit)
    start = time.perf_counter()
    played = 0
    keys = [(game.code, game.rules.name) for game in suite.games]
    done = sum(key in finished for key in keys)
    try:
        missing = [game for game, key in zip(suite.games, keys, strict=True) if key not in finished]
        for result in run.play_all(missing, rows):
            if file is not None:
                file.append(result)
            finished[result.key] = result
            played += 1
            if progress is not None:
                progress(result, done + played, len(keys))
    finally:
        if file is not None:
            file.close()
    results = [finished[key] for key in keys]
    seconds = time.perf_counter() - start
    return Evaluation(name, suite.name, is_thoughtful(agent), results, summarize(results), played, seconds)


def game_seed(seed: int, number: int) -> int:
    """Return the seed of an agent's random stream in one game, from the evaluation's seed and the game number."""
    return int(np.random.SeedSequence([seed, number]).generate_state(1, np.uint64)[0])


@dataclass(frozen=True, slots=True)
class _Run:
    """An agent, and what is the same for all its games."""

    agent: Any
    name: str
    version: str
    seed: int
    step_limit: int

    def play_all(self, games: list[FixedGame], rows: int) -> Iterator[GameResult]:
        """Play games and yield each result as it is known."""
        if not is_thoughtful(self.agent) and not hasattr(self.agent, "act"):
            yield from self._play_batches(games, rows)
            return
        for fixed in games:
            yield self._play(fixed)

    def _play(self, fixed: FixedGame) -> GameResult:
        """Play one game with an agent that is asked game by game."""
        game = fixed.start()
        steps = 0
        repeated_points = 0
        self._call(fixed, self.agent.reset, game_seed(self.seed, fixed.number))
        terminated = False
        while not terminated and steps < self.step_limit:
            if is_thoughtful(self.agent):
                action = self._call(fixed, self.agent.act_on_game, game.copy())
            else:
                action = self._call(fixed, self.agent.act, game.view())
            try:
                repeated_points += game.play_counting(action)
            except ActionError as error:
                raise PolicyError(f"agent {self.name!r} in game {fixed.code}: {error}") from error
            steps += 1
            terminated = game.is_won or game.is_lost
        end = FinishedGame(
            game=0,
            won=game.is_won,
            score=game.score,
            paid=game.score - repeated_points,
            founded=game.founded,
            steps=steps,
            terminated=terminated,
            truncated=steps >= self.step_limit,
        )
        return self._result(fixed, end)

    def _play_batches(self, games: list[FixedGame], rows: int) -> Iterator[GameResult]:
        """Play games many at once, a new one in each place that comes free."""
        if not games:
            return
        information = what_it_sees(self.agent)
        batch = GameBatch(games, rows=rows, information=information, step_limit=self.step_limit)
        generators: dict[int, np.random.Generator] = {}
        while not batch.is_done:
            indices = batch.indices.tolist()
            for index in indices:
                if index not in generators:
                    generators[index] = np.random.default_rng(game_seed(self.seed, games[index].number))
            streams = [generators[index] for index in indices]
            actions = self._call(games[indices[0]], self.agent.act_batch, batch.observations, batch.masks, streams)
            try:
                finished = batch.step(actions)
            except ActionError as error:
                codes = ", ".join(games[index].code for index in indices[:3])
                raise PolicyError(f"agent {self.name!r} in a batch of games ({codes}, …): {error}") from error
            for end in finished:
                del generators[end.game]
                yield self._result(games[end.game], end)

    def _call(self, fixed: FixedGame, method: Callable[..., Any], *arguments: Any) -> Any:
        """Call a method of the agent; an error in it names the agent, the game and the place."""
        try:
            return method(*arguments)
        except (Exception, SystemExit) as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            raise PolicyError(
                f"agent {self.name!r} failed in game {fixed.code}: {type(error).__name__}: {error} ({place.filename},"
                f" line {place.lineno}, in {place.name})"
            ) from error

    def _result(self, fixed: FixedGame, end: FinishedGame) -> GameResult:
        """Return the result of a game that has ended."""
        return GameResult(
            code=fixed.code,
            rules=fixed.rules.name,
            won=end.won,
            score=end.score,
            paid=end.paid,
            founded=end.founded,
            steps=end.steps,
            terminated=end.terminated,
            truncated=end.truncated,
            agent=self.name,
            sees=what_it_sees(self.agent),
            version=self.version,
            seed=self.seed,
            step_limit=self.step_limit,
        )


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
