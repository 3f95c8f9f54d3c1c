"""The 37 observation planes, filled plane by plane from an `OracleGame`."""

from typing import Literal

import numpy as np
import numpy.typing as npt

from .klondike_oracle import OracleGame
from .oracle_rules import ALL_CARDS, rank_of, suit_of

Information = Literal["visible", "remembered", "full"]
PLANE_COUNT = 37


def stock_actions_until_top(game: OracleGame) -> dict[str, int]:
    """For each talon card that comes to the waste top by turning alone: after how many stock actions."""
    trial = game.copy()
    counts: dict[str, int] = {}
    visited: set[tuple[int, int | None]] = set()
    actions = 0
    while trial.can_turn_stock() and trial.stock_position() not in visited:
        visited.add(trial.stock_position())
        trial.turn_stock()
        actions += 1
        if trial.waste:
            counts.setdefault(trial.waste[-1], actions)
    if game.waste:
        counts.pop(game.waste[-1], None)
    return counts


def oracle_observation(
    game: OracleGame, information: Information = "remembered", squared: bool = False
) -> npt.NDArray[np.int8]:
    """What the player is shown.

    Args:
        game: The game to look at.
        information: How much of it is shown.
        squared: Whether the columns are squared up so that only their last cards show.

    Returns:
        int8 array of shape (37, 4, 13).
    """
    assert information in ("visible", "remembered", "full"), information
    planes = np.zeros((PLANE_COUNT, 4, 13), dtype=np.int8)

    def put(plane: int, card: str, value: int = 1) -> None:
        planes[plane, suit_of(card), rank_of(card)] = value

    hide_covered = squared and information != "full"
    for number, column in enumerate(game.columns):
        face_up = [entry.card for entry in column if entry.face_up]
        face_down = [entry.card for entry in column if not entry.face_up]
        for card in face_up[-1:] if hide_covered else face_up:
            put(number, card)
        if information == "full":
            for turns_as, card in enumerate(reversed(face_down), start=1):
                put(14 + number, card, turns_as)
        if not hide_covered:
            planes[21 + number] = len(face_down)

    for pile in game.foundations:
        for card in pile:
            put(7, card)

    in_sight = game.visible_waste()
    for card in in_sight:
        put(8 if card == game.waste[-1] else 9, card)
    talon = game.waste + game.stock
    remembered = [card for card in talon if card in game.seen and card not in in_sight]
    if information != "visible":
        for card in remembered:
            put(10, card)
    known = {"visible": in_sight, "remembered": in_sight + remembered, "full": talon}[information]
    until_top = stock_actions_until_top(game)
    for place, card in enumerate(talon, start=1):
        if card in known:
            put(11, card, place)
            put(12, card, until_top.get(card, 0))

    if information != "full":
        for card in ALL_CARDS:
            if not planes[:11, suit_of(card), rank_of(card)].any():
                put(13, card)

    rules = game.rules
    planes[28] = len(game.stock)
    planes[29] = len(game.waste)
    planes[30] = 4 if game.passes_left is None else min(3, game.passes_left)
    planes[31] = rules.draw
    planes[32] = min(game.score, 100) if rules.scoring == "normal" else 0
    planes[33] = rules.scoring == "vegas"
    planes[34] = rules.take_back
    planes[35] = rules.aces == "must"
    planes[36] = rules.aces == "first"
    return planes
