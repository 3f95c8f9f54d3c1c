"""A small pool of threads among which the rows of a vector env are split."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, TypeVar

ResultT = TypeVar("ResultT")

ROWS_PER_THREAD: Final = 1024
"""Fewer rows than this for each thread cost more to hand over than they save (``benchmarks/README.md``)."""


def available_cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def default_thread_count(rows: int) -> int:
    """Return how many threads are worth their while for a number of rows."""
    return max(1, min(available_cores(), rows // ROWS_PER_THREAD))


class RowThreads:
    """Runs a function over ranges of rows, the first in the calling thread and the others in threads of its own.

    The threads start at the first use. A forked child has none of its parent's threads, so it starts its own; copies
    and pickles come without threads and do the same.

    Attributes:
        count: How many ranges the rows are split into.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self._pool: ThreadPoolExecutor | None = None
        self._pool_pid = 0

    def run(self, function: Callable[[int, int], ResultT], rows: int) -> list[ResultT]:
        """Call ``function(first, stop)`` for ranges that together cover all rows, and return the results in order."""
        # Bounds fall on multiples of 64 rows, so that two threads do not write to one cache line of a row of bytes.
        step = -(-rows // (64 * self.count)) * 64
        bounds = [(first, min(first + step, rows)) for first in range(0, rows, step)]
        if len(bounds) == 1:
            return [function(0, rows)]
        pool = self._started_pool()
        others = [pool.submit(function, first, stop) for first, stop in bounds[1:]]
        return [function(*bounds[0]), *(other.result() for other in others)]

    def _started_pool(self) -> ThreadPoolExecutor:
        """Return this process's threads."""
        if self._pool is None or self._pool_pid != os.getpid():
            self._pool = ThreadPoolExecutor(self.count - 1, thread_name_prefix="klondike-rows")
            self._pool_pid = os.getpid()
        return self._pool

    def close(self) -> None:
        """End the threads; a later ``run`` starts new ones."""
        if self._pool is not None and self._pool_pid == os.getpid():
            self._pool.shutdown()
        self._pool = None

    def __getstate__(self) -> dict[str, Any]:
        return {"count": self.count, "_pool": None, "_pool_pid": 0}
