"""A worker of an evaluation: a process of its own that plays the games it is given and sends back the results.

It is started by ``worker_pool``, reads pickles from its standard input and writes pickles to its standard output. What
an agent prints goes to standard error. When the parent is gone, the input ends, and so does the worker, even in the
middle of a game.
"""

from __future__ import annotations

import os
import pickle
import queue
import sys
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, BinaryIO, Final

from klondike_env.errors import KlondikeError, PolicyError
from klondike_env.evaluation.game_player import GamePlayer
from klondike_env.evaluation.policies import load_policy
from klondike_env.evaluation.recording import Recorder
from klondike_env.suites import FixedGame

READY: Final = "ready"
"""A worker has loaded and compiled everything and waits for games."""
RESULT: Final = "result"
"""A game has ended; its result comes with it."""
DONE: Final = "done"
"""All games of a task have ended."""
ERROR: Final = "error"
"""Something went wrong; the exception comes with it, and the worker ends."""

_WARM_UP_STEPS: Final = 8
_PARENT_GONE: Final = 1


@dataclass(frozen=True, slots=True)
class WorkerOrder:
    """What a worker is told first.

    Attributes:
        name: Name of the agent to load; None if ``pickled_agent`` is given.
        options: Options to load it with.
        pickled_agent: An agent that was given as an object.
        version: As in ``GamePlayer``; here and below.
        seed: Seed of the evaluation.
        step_limit: Actions after which a game is truncated.
        rows: Games that a batch agent plays at once.
        recorder: Keeps each game as a record, or None.
        warm_up: A game of which some moves are played first, so that everything is compiled; or None.
    """

    name: str | None
    options: dict[str, Any]
    pickled_agent: bytes | None
    version: str
    seed: int
    step_limit: int
    rows: int
    recorder: Recorder | None
    warm_up: FixedGame | None = None


def main() -> None:
    """Run a worker until its input ends."""
    commands, replies = _take_over_streams()
    tasks: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_read_commands, args=(commands, tasks.put), daemon=True).start()

    def send(kind: str, content: Any = None) -> None:
        pickle.dump((kind, content), replies)
        replies.flush()

    try:
        _serve(lambda: pickle.loads(tasks.get()), send)
    except BrokenPipeError:
        os._exit(_PARENT_GONE)
    except KlondikeError as error:
        send(ERROR, error)
    except BaseException as error:
        trace = "".join(traceback.format_exception(error)).strip()
        send(ERROR, PolicyError(f"a worker process failed: {trace}"))
    # Not sys.exit: threads that an agent has started must not keep the process.
    os._exit(0)


def _serve(receive: Callable[[], Any], send: Callable[..., None]) -> None:
    """Play what is received, an order and then lists of games."""
    order: WorkerOrder = receive()
    player = _make_player(order)
    if order.warm_up is not None:
        short = replace(player, step_limit=min(_WARM_UP_STEPS, order.step_limit), recorder=None)
        for _ in short.play_all([order.warm_up]):
            pass
    send(READY)
    while True:
        for result in player.play_all(receive()):
            send(RESULT, result)
        send(DONE)


def _make_player(order: WorkerOrder) -> GamePlayer:
    """Load the agent, and keep it to one thread: the other cores have workers of their own."""
    agent = (
        load_policy(order.name, order.options) if order.name is not None else pickle.loads(order.pickled_agent or b"")
    )
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.set_num_threads(1)
    return GamePlayer(agent, order.version, order.seed, order.step_limit, order.rows, order.recorder, threads=1)


def _take_over_streams() -> tuple[BinaryIO, BinaryIO]:
    """Return standard input and output for messages. What an agent prints goes to standard error; it reads nothing."""
    commands = os.fdopen(os.dup(0), "rb")
    replies = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return commands, replies


def _read_commands(commands: BinaryIO, put: Callable[[bytes], None]) -> None:
    """Hand on what the parent sends, and end the process when the parent is gone, whatever the worker does then.

    Each message is a pickle within a pickle: the outer one can always be read, the inner one is left to the thread
    whose errors are told to the parent.
    """
    try:
        while True:
            put(pickle.load(commands))
    except (EOFError, OSError, pickle.UnpicklingError):
        os._exit(_PARENT_GONE)
