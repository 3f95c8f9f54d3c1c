"""Records of evaluated games: one file a game, written whole when the game has ended."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from klondike_env.deals import Deal
from klondike_env.errors import ResultsFileError
from klondike_env.evaluation.thoughts import Thoughts
from klondike_env.game_batch import FinishedGame
from klondike_env.suites import FixedGame

if TYPE_CHECKING:
    # Records import the thoughts of this package, so here they are loaded when they are needed.
    from klondike_env.records import Entry


@dataclass(frozen=True, slots=True)
class Recorder:
    """Keeps the games of one run in a folder.

    Attributes:
        folder: The folder; it exists.
        agent: Name of the agent.
        info: What else each record says of the run, by key: seed, step limit, version.
    """

    folder: Path
    agent: str
    info: dict[str, str]

    def path(self, game: FixedGame) -> Path:
        """Return the file of a game."""
        from klondike_env.records import record_path

        return record_path(self.folder, self.agent, game.code, game.rules, int(self.info["seed"]))

    def begin(self, game: FixedGame) -> GameNotes:
        """Begin to note a game.

        Raises:
            ResultsFileError: A file of that name is there and is no record of this game and run.
        """
        path = self.path(game)
        if path.exists() and not self._is_own(path, game):
            raise ResultsFileError(
                f"{path} is there already and is no record of this game with agent {self.agent!r},"
                f" {', '.join(f'{key} {value}' for key, value in self.info.items())}; give another folder"
            )
        return GameNotes(self, game)

    def _is_own(self, path: Path, game: FixedGame) -> bool:
        """Return whether a file holds a record of a game in this run: one that was written before it was cut off."""
        from klondike_env.records import RecordError, read_record

        try:
            record = read_record(path)
        except RecordError:
            return False
        run = {key: record.info.get(key) for key in self.info}
        return (record.code, record.rules, record.agent, run) == (game.code, game.rules, self.agent, self.info)


class GameNotes:
    """What happens in one game, until it has ended."""

    def __init__(self, recorder: Recorder, game: FixedGame) -> None:
        """Begin the clock."""
        self._recorder = recorder
        self._game = game
        self._started = datetime.now(UTC).isoformat(timespec="seconds")
        self._start = time.perf_counter()
        self._entries: list[Entry] = []

    def add(self, action: Any, thoughts: Thoughts | None) -> None:
        """Note an action that was played, with what the agent thought of the decision."""
        from klondike_env.replay.record import Entry

        seconds = time.perf_counter() - self._start
        self._entries.append(Entry(int(action), seconds, thoughts))

    def write(self, end: FinishedGame) -> None:
        """Write the record of the game, which has ended.

        Raises:
            RecordError: It cannot be written. No half file is left.
        """
        from klondike_env.records import GameRecord, RecordEnd, write_record

        outcome = "won" if end.won else "lost" if end.terminated else "truncated"
        record = GameRecord(
            deal=Deal.from_number(self._game.number),
            rules=self._game.rules,
            agent=self._recorder.agent,
            info={**self._recorder.info, "started": self._started},
            entries=tuple(self._entries),
            end=RecordEnd(outcome, end.score),
        )
        write_record(self._recorder.path(self._game), record, overwrite=True)


def make_recorder(folder: str | Path, agent: str, *, seed: int, step_limit: int, version: str) -> Recorder:
    """Return the recorder of a run, its folder made if needed.

    Raises:
        ResultsFileError: The folder cannot be made.
    """
    path = Path(folder)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ResultsFileError(f"cannot make folder {path} for records: {error.strerror}") from error
    info = {"seed": str(seed), "step-limit": str(step_limit), "version": version}
    return Recorder(path, agent, info)
