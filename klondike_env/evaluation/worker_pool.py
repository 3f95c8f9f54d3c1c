"""Playing games in several processes: who plays what, and what happens when one of them fails.

Workers are fresh Python processes that do not run the caller's program again, so a script needs no
``if __name__ == "__main__"``. They are in sessions of their own: Ctrl-C reaches the parent alone, which ends them; when
the parent is killed, they end by themselves.
"""

from __future__ import annotations

import collections
import os
import pickle
import queue
import subprocess
import sys
import threading
from collections.abc import Generator
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from klondike_env.errors import PolicyError
from klondike_env.evaluation import worker
from klondike_env.evaluation.results import GameResult
from klondike_env.evaluation.worker import WorkerOrder
from klondike_env.suites import FixedGame

_GONE: Final = "gone"
"""A worker's output has ended."""
_CHUNKS_PER_WORKER: Final = 4
_PROGRAM: Final = "import sys; sys.path[:] = {path!r}; from klondike_env.evaluation.worker import main; main()"


def pickle_agent(agent: object, name: str) -> bytes:
    """Return an agent as bytes that another process can read; cloudpickle also takes classes of a script or notebook.

    Raises:
        PolicyError: The agent cannot be pickled.
    """
    try:
        return _dumps(agent)
    except Exception as error:
        raise PolicyError(
            f"agent {name!r} cannot be sent to other processes, as jobs > 1 needs: {type(error).__name__}: {error};"
            " give its name (module:Class), or jobs=1"
        ) from error


def _dumps(content: Any) -> bytes:
    """Pickle something, with cloudpickle where it is installed, which Gymnasium sees to."""
    try:
        from cloudpickle import dumps  # type: ignore[import-untyped]  # it has no types
    except ImportError:
        from pickle import dumps
    pickled: bytes = dumps(content)
    return pickled


def play_in_workers(
    order: WorkerOrder, agent_name: str, games: list[FixedGame], jobs: int, in_batches: bool
) -> Generator[GameResult]:
    """Play games in several processes and yield each result as it comes.

    Closing the iterator, or an error, ends all processes.

    Args:
        order: What the workers are told.
        agent_name: Name of the agent, for messages.
        games: The games, at least one.
        jobs: Number of processes.
        in_batches: Whether the agent plays many games at once; each worker then gets its share at the start.

    Raises:
        PolicyError: The agent fails, or a process ends before its games have.
        KlondikeError: What else a worker met with.
    """
    pool = _Pool(order, agent_name, games, min(jobs, len(games)), in_batches)
    try:
        yield from pool.run()
    finally:
        pool.end()


class _Worker:
    """A process and what it has to play."""

    def __init__(self, number: int, order: WorkerOrder, replies: queue.SimpleQueue[tuple[int, str, Any]]) -> None:
        """Start the process and a thread that reads what it sends."""
        self.number = number
        self.games: list[FixedGame] = []
        # One thread each for the libraries that look here: the other cores have workers of their own.
        environment = {"OMP_NUM_THREADS": "1", **os.environ}
        self.process = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM.format(path=list(map(str, sys.path)))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            start_new_session=True,
        )
        threading.Thread(target=self._read, args=(replies,), daemon=True).start()
        self.send(order)

    def send(self, content: Any) -> None:
        """Send an order or a list of games."""
        assert self.process.stdin is not None
        # A worker that has ended is noticed where its output ends.
        with suppress(BrokenPipeError):
            pickle.dump(_dumps(content), self.process.stdin)
            self.process.stdin.flush()

    def _read(self, replies: queue.SimpleQueue[tuple[int, str, Any]]) -> None:
        """Hand on what the process sends."""
        assert self.process.stdout is not None
        with suppress(EOFError, OSError, pickle.UnpicklingError), self.process.stdout as stream:
            while True:
                replies.put((self.number, *pickle.load(stream)))
        replies.put((self.number, _GONE, None))

    def end(self) -> None:
        """End the process, whatever it does."""
        self.process.kill()
        self.process.wait()
        with suppress(OSError):
            if self.process.stdin is not None:
                self.process.stdin.close()


class _Pool:
    """Some workers and the games that none of them has yet."""

    def __init__(
        self, order: WorkerOrder, agent_name: str, games: list[FixedGame], count: int, in_batches: bool
    ) -> None:
        self._order = order
        self._agent_name = agent_name
        self._waiting = collections.deque(games)
        self._unfinished = len(games)
        self._count = count
        self._share = -(-len(games) // count) if in_batches else 0
        self._workers: list[_Worker] = []
        self._replies: queue.SimpleQueue[tuple[int, str, Any]] = queue.SimpleQueue()

    def run(self) -> Generator[GameResult]:
        """Start workers, give them games, and yield their results until there is one for each game."""
        # The first worker compiles what is not in the cache yet; the others then find it there.
        self._start(replace(self._order, warm_up=self._waiting[0]))
        while self._unfinished:
            number, kind, content = self._replies.get()
            current = self._workers[number]
            if kind == worker.RESULT:
                self._unfinished -= 1
                current.games = [game for game in current.games if (game.code, game.rules.name) != content.key]
                yield content
            elif kind in (worker.READY, worker.DONE):
                if number == 0 and len(self._workers) == 1:
                    for _ in range(1, self._count):
                        self._start(self._order)
                self._give_games(current)
            elif kind == worker.ERROR:
                raise content
            else:
                self._fail(current)

    def _start(self, order: WorkerOrder) -> None:
        """Start one more worker."""
        self._workers.append(_Worker(len(self._workers), order, self._replies))

    def _give_games(self, current: _Worker) -> None:
        """Give a worker its next games, fewer and fewer, so that all end at about the same time."""
        share = self._share or -(-len(self._waiting) // (_CHUNKS_PER_WORKER * self._count))
        games = [self._waiting.popleft() for _ in range(min(share, len(self._waiting)))]
        if games:
            current.games = games
            current.send(games)

    def _fail(self, current: _Worker) -> None:
        """Tell of a worker that has ended by itself."""
        status = current.process.wait()
        how = f"was ended by signal {-status}" if status < 0 else f"ended with status {status}"
        codes = ", ".join(game.code for game in current.games[:3]) + (", …" if len(current.games) > 3 else "")
        where = f"while it had to play {codes}" if codes else "before it played a game"
        raise PolicyError(
            f"agent {self._agent_name!r}: a worker process {how} {where}; what it printed stands above, and with jobs=1"
            " the agent runs in this process, where its end can be looked into"
        )

    def end(self) -> None:
        """End all processes."""
        for each in self._workers:
            each.end()
