"""A position as plain text, drawn from what lies in sight."""

from __future__ import annotations

from klondike_env.cards import SUIT_LETTERS, card_name
from klondike_env.layout import COLUMN_COUNT
from klondike_env.position import Position

_WIDTH = 5
_FACE_DOWN = "##"
_EMPTY = "--"


def stock_sign(position: Position) -> str:
    """Return what lies on the stock's place: the number of cards, or what a tap on the empty place would do."""
    count = len(position.stock)
    if count:
        return str(count)
    if position.can_redeal:
        return "empty, tap to redeal"
    return "empty, no redeal"


def board_text(position: Position, title: str = "") -> str:
    """Return a position as lines of text: score, stock, waste, foundations and columns.

    Only cards in sight are drawn by name. ``##`` is a face-down card, ``--`` an empty place.
    """
    passes_left = position.passes_left
    passes = "" if passes_left is None else f"   passes left {passes_left}"
    head = f"{title}   " if title else ""
    waste = " ".join(card_name(card) for card in position.waste_in_sight) or _EMPTY
    foundations = "  ".join(
        card_name(top) if (top := position.foundation_top(suit)) is not None else f"-{letter}"
        for suit, letter in enumerate(SUIT_LETTERS)
    )
    lines = [
        f"{head}score {position.score_text}   pass {position.pass_number}{passes}",
        f"stock {stock_sign(position)}   waste {waste} ({len(position.waste)})   foundations {foundations}",
        "",
        "".join(str(column).rjust(_WIDTH) for column in range(1, COLUMN_COUNT + 1)),
    ]
    columns = [_column_cells(position, column) for column in range(1, COLUMN_COUNT + 1)]
    for row in range(max(map(len, columns))):
        cells = (cells[row] if row < len(cells) else "" for cells in columns)
        lines.append("".join(cell.rjust(_WIDTH) for cell in cells).rstrip())
    return "\n".join(lines)


def _column_cells(position: Position, column: int) -> list[str]:
    """Return the cards of a column (1-7) as cells, from the bottom."""
    cards = position.column(column)
    face_down = position.face_down_count(column)
    return [_FACE_DOWN] * face_down + [card_name(card) for card in cards[face_down:]] or [_EMPTY]
