"""Games as a page holds them: every position on the way as a row of bytes, worked out by the engine, then packed.

A page knows no rules. What it shows of a step stands in that step's frame, ``FRAME_SIZE`` bytes: where each card lies,
how many are face down, score, passes, which actions are legal. Frames change little from one to the next, so each byte
is kept as its difference to the frame before, byte by byte instead of frame by frame, deflated and written in base64:
about 2 KB a game. A page unpacks a game when it is opened.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterable
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from klondike_env.actions import COLUMN_TO_COLUMN, MOVES
from klondike_env.cards import CARD_COUNT, RANK_COUNT, SUIT_COUNT, card_name
from klondike_env.engine.state import MAX_COLUMN, STATE_DTYPE
from klondike_env.game import Game
from klondike_env.layout import COLUMN_COUNT, STOCK_COUNT
from klondike_env.replay.record import RESTART, UNDO, Entry, GameRecord

COLUMN_PLACES: Final = 32
"""A card's byte: its place in the talon (0-23), ``COLUMN_PLACES + 19 * column + depth``, or
``FOUNDATION_PLACES + suit``."""
FOUNDATION_PLACES: Final = 200
NO_MOVE: Final = 253
UNDO_MOVE: Final = 254
RESTART_MOVE: Final = 255
NO_LIMIT: Final = -1
CAN_REDEAL: Final = 1
IS_WON: Final = 2

_RUN_MOVES: Final = 42
_MASK_BYTES: Final = 6
_COLUMNS_OF: Final = [{move.source_column, move.target_column} for move in MOVES]
_FIELDS: Final = {
    "cards": CARD_COUNT,  # where each card lies
    "faceDown": COLUMN_COUNT,  # face-down cards of each column
    "talonLength": 1,
    "wasteLength": 1,
    "fanLength": 1,
    "flags": 1,
    "move": 1,  # what led here: an action, or one of the bytes above
    "legal": _MASK_BYTES,  # actions 0-43 as bits, the first in the lowest bit
    "runs": _RUN_MOVES,  # actions 44-85: how many cards each would move, 0 = not legal
    "score": 4,  # this and what follows: 32-bit numbers, the lowest byte first
    "passNumber": 4,
    "passesLeft": 4,
    "milliseconds": 4,
}


def _offsets() -> dict[str, int]:
    """Return where each field of a frame begins, and the size of all."""
    offsets, end = {}, 0
    for name, size in _FIELDS.items():
        offsets[name] = end
        end += size
    return {**offsets, "size": end}


FRAME_OFFSETS: Final = _offsets()
"""Where each field begins in a frame; ``"size"`` is the length of a frame."""
FRAME_SIZE: Final = FRAME_OFFSETS["size"]

_COMPRESSION: Final = 6
_SHOWN_THOUGHTS: Final = 24
"""Actions whose probabilities and values a page shows at a step."""
_SMALLEST_SHARE: Final = 0.0005


def page_game(record: GameRecord) -> dict[str, Any]:
    """Return a game as a page holds it: what its list shows, and all steps, packed.

    Args:
        record: The game.

    Returns:
        Fields that can be written as JSON: ``name`` (code, or the first cards of the deal), ``code`` (or None),
        ``rules``, ``agent``, ``outcome`` (``"won"``, ``"lost"``, ``"truncated"`` or ``"open"``), ``score``, ``steps``,
        ``vegas``, ``info``, ``thoughts`` (whether there are some) and ``frames`` (base64).

    Raises:
        RecordError: The record cannot be replayed as it stands.
    """
    game, frames = _frames(record)
    thoughts = [_page_thoughts(entry.thoughts) for entry in record.entries]
    has_thoughts = any(thought is not None for thought in thoughts)
    packed = _packed(frames) + (json.dumps(thoughts, separators=(",", ":")).encode() if has_thoughts else b"")
    return {
        "name": record.code or "deal " + " ".join(card_name(card) for card in record.deal.cards[:COLUMN_COUNT]) + " …",
        "code": record.code,
        "rules": record.rules.name,
        "agent": record.agent,
        "outcome": record.end.outcome if record.end else "won" if game.is_won else "open",
        "score": game.score,
        "steps": len(record.entries),
        "vegas": record.rules.scoring_table.currency,
        "info": dict(record.info),
        "thoughts": has_thoughts,
        "frames": base64.b64encode(zlib.compress(packed, _COMPRESSION)).decode("ascii"),
    }


def _frames(record: GameRecord) -> tuple[Game, npt.NDArray[np.uint8]]:
    """Replay a game; return it as it lies at the end, and a frame for the deal and each entry."""
    count = len(record.entries) + 1
    frames = np.zeros((count, FRAME_SIZE), np.uint8)
    states = np.zeros(count, STATE_DTYPE)
    masks = np.zeros((count, 8 * _MASK_BYTES), np.uint8)
    game = record.start()
    moves = [NO_MOVE]
    times = [0.0]
    runs = _Runs()
    _note(game, 0, frames, states, masks, runs)
    for step, (entry, game) in enumerate(record.replay(), start=1):  # the last game is returned
        runs.forget(entry)
        _note(game, step, frames, states, masks, runs)
        moves.append(
            entry.move if isinstance(entry.move, int) else {UNDO: UNDO_MOVE, RESTART: RESTART_MOVE}[entry.move]
        )
        times.append(entry.seconds)
    _write_places(states, frames)
    _field(frames, "faceDown")[:] = states["face_down"]
    for name, field in (("talonLength", "talon_length"), ("wasteLength", "waste_length"), ("fanLength", "fan_length")):
        _field(frames, name)[:, 0] = states[field]
    _field(frames, "move")[:, 0] = moves
    _field(frames, "legal")[:] = np.packbits(masks, axis=1, bitorder="little")
    passes_left = np.where(states["passes"] == 0, NO_LIMIT, states["passes"] - states["pass_number"])
    milliseconds = np.minimum(np.round(1000 * np.array(times)), 2**31 - 1)
    numbers = (("score", states["score"]), ("passNumber", states["pass_number"]), ("passesLeft", passes_left))
    for name, values in (*numbers, ("milliseconds", milliseconds)):
        _field(frames, name)[:] = np.ascontiguousarray(values, "<i4").view(np.uint8).reshape(count, 4)
    return game, frames


class _Runs:
    """How many cards each legal move between columns takes, as the engine says.

    It is asked again only when one of the two columns has changed, for this is what takes the time.
    """

    def __init__(self) -> None:
        self._known: dict[int, int] = {}

    def forget(self, entry: Entry) -> None:
        """Forget what an entry may have changed."""
        if entry.action is None:
            self._known.clear()
            return
        move = MOVES[entry.action]
        touched = {move.source_column, move.target_column} - {None}
        if touched:
            self._known = {action: count for action, count in self._known.items() if not touched & _COLUMNS_OF[action]}

    def counts(self, game: Game, legal: npt.NDArray[np.int8]) -> npt.NDArray[np.uint8]:
        """Return the number of cards of actions 44-85, 0 = not legal, given what is legal."""
        counts = np.zeros(_RUN_MOVES, np.uint8)
        for place in legal[COLUMN_TO_COLUMN:].nonzero()[0].tolist():
            action = COLUMN_TO_COLUMN + place
            if action not in self._known:
                self._known[action] = len(game.moved_cards(action))
            counts[place] = self._known[action]
        return counts


def _field(frames: npt.NDArray[np.uint8], name: str) -> npt.NDArray[np.uint8]:
    """Return the bytes of a field in all frames, shape (frames, size of the field)."""
    return frames[:, FRAME_OFFSETS[name] : FRAME_OFFSETS[name] + _FIELDS[name]]


def _note(
    game: Game,
    step: int,
    frames: npt.NDArray[np.uint8],
    states: npt.NDArray[Any],
    masks: npt.NDArray[np.uint8],
    runs: _Runs,
) -> None:
    """Keep what the engine says of a position, before the next entry changes it."""
    states[step] = game._states[0]
    legal = game.action_mask()
    masks[step, :COLUMN_TO_COLUMN] = legal[:COLUMN_TO_COLUMN]
    frames[step, FRAME_OFFSETS["runs"] : FRAME_OFFSETS["runs"] + _RUN_MOVES] = runs.counts(game, legal)
    frames[step, FRAME_OFFSETS["flags"]] = CAN_REDEAL * game.can_redeal | IS_WON * game.is_won


def _write_places(states: npt.NDArray[Any], frames: npt.NDArray[np.uint8]) -> None:
    """Write where each card lies."""
    rows, places = np.nonzero(np.arange(STOCK_COUNT) < states["talon_length"][:, None])
    frames[rows, states["talon"][rows, places]] = places
    for column in range(COLUMN_COUNT):
        rows, places = np.nonzero(np.arange(MAX_COLUMN) < states["lengths"][:, column, None])
        frames[rows, states["columns"][rows, column, places]] = COLUMN_PLACES + MAX_COLUMN * column + places
    for suit in range(SUIT_COUNT):
        rows, ranks = np.nonzero(np.arange(RANK_COUNT) < states["foundations"][:, suit, None])
        frames[rows, RANK_COUNT * suit + ranks] = FOUNDATION_PLACES + suit


def _packed(frames: npt.NDArray[np.uint8]) -> bytes:
    """Return frames byte by byte, each as its difference to the frame before."""
    differences = frames.copy()
    differences[1:] -= frames[:-1]
    return np.ascontiguousarray(differences.T).tobytes()


def _page_thoughts(thoughts: Any) -> list[Any] | None:
    """Return what a page shows of thoughts: ``[value, unit, [[action, probability, value], …]]``, likeliest first."""
    if thoughts is None:
        return None
    shares, values = thoughts.probabilities, thoughts.action_values
    actions = sorted({*shares, *values}, key=lambda action: (-shares.get(action, 0.0), -values.get(action, -1e300)))
    shown = [action for action in actions if shares.get(action, 0.0) >= _SMALLEST_SHARE or action in values]
    rows = [[action, _short(shares.get(action)), _short(values.get(action))] for action in shown[:_SHOWN_THOUGHTS]]
    return [_short(thoughts.value), thoughts.unit, rows]


def _short(number: float | None) -> float | None:
    """Return a number with the four digits that a page shows."""
    return None if number is None else float(f"{number:.4g}")


def page_games(records: Iterable[GameRecord]) -> list[dict[str, Any]]:
    """Return games as a page holds them, in order.

    Raises:
        RecordError: A record cannot be replayed as it stands.
    """
    return [page_game(record) for record in records]
