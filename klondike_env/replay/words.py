"""Moves in words, as a record's entries make them."""

from __future__ import annotations

from collections.abc import Iterator

from klondike_env.actions import MOVES, STOCK_PILE
from klondike_env.cards import format_cards
from klondike_env.game import Game
from klondike_env.replay.record import RESTART, UNDO, Entry, GameRecord


def entry_words(entry: Entry, before: Game) -> str:
    """Return what an entry does, in words: ``"9H 8S: column 1 to column 4"``, ``"turn 9H"``, ``"redeal"``, ``"undo"``.

    Args:
        entry: The entry.
        before: The game before it.
    """
    if not isinstance(entry.move, int):
        return {UNDO: "undo", RESTART: "restart"}[entry.move]
    cards = format_cards(before.moved_cards(entry.move))
    if MOVES[entry.move].source == STOCK_PILE:
        return f"turn {cards}" if cards else "redeal"
    return f"{cards}: {MOVES[entry.move]}"


def record_words(record: GameRecord) -> Iterator[tuple[Entry, str, Game]]:
    """Play a record again; yield each entry, what it did in words, and the game after it (always the same object).

    Raises:
        RecordError: The record cannot be replayed as it stands.
    """
    before = record.start()
    for entry, game in record.replay():
        words = entry_words(entry, before)
        entry.play(before)
        yield entry, words, game
