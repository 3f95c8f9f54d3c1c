"""Playing one game after another, or many at once, with an agent: the part of an evaluation that a worker does."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

import numpy as np

from klondike_env.errors import ActionError, PolicyError
from klondike_env.evaluation.policies import is_thoughtful, plays_in_batches, policy_name, what_it_sees
from klondike_env.evaluation.recording import Recorder
from klondike_env.evaluation.results import GameResult
from klondike_env.game_batch import FinishedGame, GameBatch
from klondike_env.suites import FixedGame


def game_seed(seed: int, number: int) -> int:
    """Return the seed of an agent's random stream in one game, from the evaluation's seed and the game number."""
    return int(np.random.SeedSequence([seed, number]).generate_state(1, np.uint64)[0])


@dataclass(frozen=True, slots=True)
class GamePlayer:
    """An agent, and what is the same for all its games.

    Attributes:
        agent: The agent.
        version: Version of this package, for the results.
        seed: Seed of the evaluation.
        step_limit: Actions after which a game is truncated.
        rows: Games that a batch agent plays at once.
        recorder: Keeps each game as a record, or None.
        threads: Threads that a batch of games is stepped with; None for as many as pay off.
    """

    agent: Any
    version: str
    seed: int
    step_limit: int
    rows: int
    recorder: Recorder | None = None
    threads: int | None = None

    @property
    def name(self) -> str:
        """Name of the agent."""
        return policy_name(self.agent)

    def play_all(self, games: list[FixedGame]) -> Generator[GameResult]:
        """Play games and yield each result as it is known; its record, if one is kept, is written before.

        Raises:
            PolicyError: The agent fails or answers with an illegal action.
            KlondikeError: A record cannot be written.
        """
        if plays_in_batches(self.agent):
            yield from self._play_batches(games)
            return
        for fixed in games:
            yield self._play(fixed)

    def _play(self, fixed: FixedGame) -> GameResult:
        """Play one game with an agent that is asked game by game."""
        game = fixed.start()
        steps = 0
        repeated_points = 0
        notes = None if self.recorder is None else self.recorder.begin(fixed)
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
            if notes is not None:
                notes.add(action, getattr(self.agent, "thoughts", None))
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
        if notes is not None:
            notes.write(end)
        return self._result(fixed, end)

    def _play_batches(self, games: list[FixedGame]) -> Generator[GameResult]:
        """Play games many at once, a new one in each place that comes free."""
        if not games:
            return
        batch = GameBatch(
            games,
            rows=self.rows,
            information=what_it_sees(self.agent),
            step_limit=self.step_limit,
            threads=self.threads,
        )
        generators: dict[int, np.random.Generator] = {}
        notes: dict[int, Any] = {}
        while not batch.is_done:
            indices = batch.indices.tolist()
            for index in indices:
                if index not in generators:
                    generators[index] = np.random.default_rng(game_seed(self.seed, games[index].number))
                    if self.recorder is not None:
                        notes[index] = self.recorder.begin(games[index])
            streams = [generators[index] for index in indices]
            actions = self._call(games[indices[0]], self.agent.act_batch, batch.observations, batch.masks, streams)
            try:
                finished = batch.step(actions)
            except ActionError as error:
                codes = ", ".join(games[index].code for index in indices[:3])
                raise PolicyError(f"agent {self.name!r} in a batch of games ({codes}, …): {error}") from error
            if self.recorder is not None:
                thoughts = getattr(self.agent, "thoughts", None) or [None] * len(indices)
                for index, action, thought in zip(indices, actions, thoughts, strict=True):
                    notes[index].add(action, thought)
            for end in finished:
                del generators[end.game]
                if self.recorder is not None:
                    notes.pop(end.game).write(end)
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
