"""Which game each row of a vector env plays next: its own random stream, reset options, or a queue of games."""

from __future__ import annotations

import operator
from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from gymnasium.utils import seeding

from klondike_env.cards import Card
from klondike_env.codes import GameCode, check_game_number, parse_code
from klondike_env.deals import Deal
from klondike_env.episode_options import RESET_OPTIONS, EpisodeOptions, check_reset_options, draw_game_number
from klondike_env.errors import KlondikeError, OptionError
from klondike_env.game import read_deck_argument
from klondike_env.rules import Rules

RESET_MASK = "reset_mask"

_SHARED_SEED_SEQUENCE = np.random.SeedSequence(0)

Seeds = int | Sequence[int | None] | None
"""Seeds as ``VectorEnv.reset`` takes them: an int for consecutive ones, one a row, or None."""


class RowGame(NamedTuple):
    """A game that a row is to play.

    Attributes:
        number: The game number, or -1 for a deck.
        cards: The 52 cards of a deck, in deal order; None for a number.
        rules: The rules it is played under.
    """

    number: int
    cards: tuple[Card, ...] | None
    rules: Rules


class ResetRequest(NamedTuple):
    """What reset options ask for.

    Attributes:
        rows: int64 array, the rows to reset.
        games: The game of each of ``rows``, or None for games that the env chooses.
        queue: Games for later resets, after those of ``games``.
    """

    rows: npt.NDArray[np.int64]
    games: list[RowGame] | None
    queue: list[RowGame]


class RowGames:
    """Chooses the games of the rows of a vector env.

    Each row has a random stream of its own, seeded and used as that of a single env.

    Attributes:
        count: How many rows there are.
    """

    def __init__(self, count: int, options: EpisodeOptions) -> None:
        self.count = count
        self._options = options
        self._generators: list[np.random.Generator | None] = [None] * count
        self._seeds: list[int] = [0] * count
        self._queue: deque[RowGame] | None = None
        self._fixed = None if options.code is None else self._of_code(options.code)

    @property
    def generators(self) -> tuple[np.random.Generator, ...]:
        """The random stream of each row; what is drawn from it the row does not draw again."""
        for row in range(self.count):
            state = self._generator(row).bit_generator.state
            generator, _ = seeding.np_random(self._seeds[row])
            generator.bit_generator.state = state
            self._generators[row] = generator
        return tuple(self._generator(row) for row in range(self.count))

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seed of each row's stream."""
        for row in range(self.count):
            self._generator(row)
        return tuple(self._seeds)

    def _generator(self, row: int) -> np.random.Generator:
        """Return the random stream of a row, begun from the system's entropy if it was never seeded."""
        return self._generators[row] or self._begin_stream(row, None)

    def _begin_stream(self, row: int, seed: int | None) -> np.random.Generator:
        """Begin the random stream of a row as a single env begins its own."""
        seeded, self._seeds[row] = seeding.np_random(seed)
        # The seed sequence that a generator keeps takes as much memory as the generator, so all rows share one.
        bits = type(seeded.bit_generator)(_SHARED_SEED_SEQUENCE)
        bits.state = seeded.bit_generator.state
        generator = np.random.Generator(bits)
        self._generators[row] = generator
        return generator

    def check_seeds(self, seed: Seeds) -> list[int | None]:
        """Return one seed or None for each row.

        Raises:
            OptionError: A seed is no whole number of at least 0, or their number is not that of the rows.
        """
        if seed is None:
            return [None] * self.count
        if isinstance(seed, str) or not isinstance(seed, Iterable):
            return [_check_seed(seed, "") + row for row in range(self.count)]
        seeds = list(seed)
        if len(seeds) != self.count:
            raise OptionError(_wrong_length("seed", len(seeds), self.count))
        return [None if value is None else _check_seed(value, f"row {row}: ") for row, value in enumerate(seeds)]

    def seed(self, rows: npt.NDArray[np.int64], seeds: list[int | None]) -> None:
        """Begin the random streams of some rows anew where there is a seed for them."""
        for row in rows.tolist():
            seed = seeds[row]
            if seed is not None:
                self._begin_stream(row, seed)

    def read(self, options: dict[str, Any] | None, queue_allowed: bool) -> ResetRequest:
        """Read reset options, changing nothing.

        Args:
            options: ``code``, ``number`` or ``deck``, each one for all rows or a list with one a row, and
                ``reset_mask``. A longer list is a queue.
            queue_allowed: Whether rows reset by themselves, so that a queue would be played.

        Returns:
            The rows, their games and the queue.

        Raises:
            OptionError: An option that does not exist or has the wrong form, or several deals at once.
            GameCodeError: A code or number that names no game; the message names the row.
            DealError: A deck with a missing, doubled or unknown card; the message names the row.
        """
        given, key = check_reset_options(options, (*RESET_OPTIONS, RESET_MASK))
        mask = given.get(RESET_MASK)
        if mask is not None and self._queue is not None:
            raise OptionError(
                "a queue of games is being played, or has been played to its end; reset all rows, not some"
            )
        rows = np.arange(self.count) if mask is None else np.flatnonzero(self._check_mask(mask))
        if key is None:
            return ResetRequest(rows, None, [])
        values = given[key]
        if not _is_list(key, values):
            return ResetRequest(rows, [self._read_game(key, values, None)] * len(rows), [])
        if len(values) < self.count:
            raise OptionError(_wrong_length(f"reset option {key!r}", len(values), self.count))
        if len(values) > self.count and not queue_allowed:
            raise OptionError(
                f"reset option {key!r} has {len(values)} entries for {self.count} rows: the entry after that of row"
                f" {self.count - 1} would have to wait, but rows do not reset by themselves in this autoreset mode"
            )
        if len(values) > self.count and mask is not None:
            raise OptionError(
                f"reset option {key!r} has {len(values)} entries for {self.count} rows: a queue cannot be given"
                " together with reset_mask"
            )
        games = [self._read_game(key, values[row], row) for row in rows.tolist()]
        queue = [self._read_game(key, values[place], place) for place in range(self.count, len(values))]
        return ResetRequest(rows, games, queue)

    def _check_mask(self, mask: Any) -> npt.NDArray[np.bool_]:
        """Return a reset mask that is sound."""
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
            kind = f"an array of {mask.dtype}" if isinstance(mask, np.ndarray) else repr(type(mask).__name__)
            raise OptionError(f"reset_mask is {kind}; it must be a NumPy array of bool of shape ({self.count},)")
        if mask.shape != (self.count,):
            length = mask.shape[0] if mask.ndim == 1 else -1
            where = f": {_first_difference(length, self.count)}" if length >= 0 else ""
            raise OptionError(f"reset_mask has shape {mask.shape}; it must be ({self.count},){where}")
        if not mask.any():
            raise OptionError(f"reset_mask is False for every row, 0 to {self.count - 1}; one must be True")
        return mask

    def _read_game(self, key: str, value: Any, place: int | None) -> RowGame:
        """Return the game that one value of an option names; an error tells its row or place in the queue."""
        try:
            if key == "code":
                return self._of_code(parse_code(value))
            if key == "number":
                return RowGame(check_game_number(value), None, self._options.rules)
            deal = read_deck_argument(value)
        except KlondikeError as error:
            if place is None:
                raise
            where = f"row {place}" if place < self.count else f"entry {place} (queued after row {self.count - 1})"
            raise type(error)(f"reset option {key!r}, {where}: {error}") from None
        return RowGame(-1 if deal.number is None else deal.number, deal.cards, self._options.rules)

    def _of_code(self, code: GameCode) -> RowGame:
        """Return the game of a code."""
        return RowGame(code.number, None, self._options.rules_of_code(code))

    def begin(self, request: ResetRequest) -> list[RowGame]:
        """Return the games of a request's rows, and keep its queue."""
        self._queue = deque(request.queue) if request.queue else None
        if request.games is not None:
            return request.games
        return [self._draw(row) for row in request.rows.tolist()]

    def next(self, rows: npt.NDArray[np.int64]) -> list[RowGame]:
        """Return the next game of each row; fewer if a queue ends, when the last of the rows get none."""
        if self._queue is not None:
            return [self._queue.popleft() for _ in range(min(len(rows), len(self._queue)))]
        return [self._draw(row) for row in rows.tolist()]

    def _draw(self, row: int) -> RowGame:
        """Return the game of the env's own code, or a random one."""
        if self._fixed is not None:
            return self._fixed
        return RowGame(draw_game_number(self._generator(row)), None, self._options.rules)


def _is_list(key: str, values: Any) -> bool:
    """Return whether an option's value is a list with one entry a row, rather than one entry for all."""
    if isinstance(values, str | Deal) or not isinstance(values, Sequence | np.ndarray):
        return False
    if isinstance(values, np.ndarray) and values.ndim == 0:
        return False
    # A deck may itself be a list, of 52 card numbers.
    return key != "deck" or len(values) == 0 or not isinstance(values[0], int | np.integer)


def _check_seed(seed: Any, where: str) -> int:
    """Return a seed as an int."""
    try:
        value = -1 if isinstance(seed, bool) else operator.index(seed)
    except TypeError:
        value = -1
    if value < 0:
        raise OptionError(f"{where}seed is {seed!r}; it must be a whole number of at least 0, or None")
    return value


def _wrong_length(what: str, length: int, rows: int) -> str:
    """Return the message for a list that does not fit the rows."""
    return f"{what} has {length} entries for {rows} rows: {_first_difference(length, rows)}"


def _first_difference(length: int, rows: int) -> str:
    """Return which row has no entry, or which entry no row."""
    return f"row {length} has none" if length < rows else f"entry {rows} has no row; the last row is {rows - 1}"
