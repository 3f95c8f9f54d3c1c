"""What stands beside and below the table in the terminal: keys, legal moves, an agent's thoughts, dialogs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from klondike_env.actions import FOUNDATION_PILE, MOVES, STOCK_PILE
from klondike_env.evaluation.thoughts import Thoughts
from klondike_env.playing.terminal_board import PANEL_WIDTH, Signs
from klondike_env.position import Position

KEY_LINES: Final = (
    "keys",
    "1-7 w s h d c  places",
    "arrows  cursor",
    "Space  pick up, drop",
    "Enter  tap",
    "Esc  put back",
    "0    turn the stock",
    "u    undo",
    "l    legal moves",
    "a    agent plays one",
    "p    agent tells one",
    "A    agent plays on",
    "g    choose the agent",
    "x    useful move left?",
    "v    still winnable?",
    "n r  new, restart",
    "y :  code, command",
    "? q  help, quit",
)
"""The most needed keys, as lines of the panel."""

HELP: Final = """\
Klondike in the terminal

1 … 7          a column             w  the waste
s h d c        the foundations of spades, hearts, diamonds, clubs
               A place picks up what lies there; a second place takes it: 1 5
               brings from column 1 to column 5 whichever card fits, with all
               on it; 1 s brings its last card up; c 7 takes a club back.
arrows         move the cursor; up and down choose a card of a column
Space          pick up the card under the cursor, and drop it at the cursor
Escape         put the cards back that are in the hand
Enter          tap: the card goes to its foundation; a second tap soon after
               looks for a column, the longest first   o  both at once
0              turn the stock, or redeal
u r n          undo, restart, new game
l              legal moves, with their numbers       y  game code, to copy
a p A  g       the agent plays a move, tells one, plays on; choose another
x v            is a useful move left?  can it still be won? (all cards known)
:              a command: a number of a legal move, undo, restart, new D3V,
               code KL1-D1N-AAAAAAG, agent greedy, step, run, hints, quit
q              quit; the game is saved after every move
Marks          [7♦] cursor  <7♦> in the hand  +7♦ takes it  7♦* moved last
Stock          {redeal} can be redealt   {finished} is finished
"""
"""Two signs are to be filled in."""

NEW_GAME: Final = """\
New game

  1   draw 1 (easy), normal
  2   draw 3 (hard), normal
  3   draw 1 (easy), vegas
  4   draw 3 (hard), vegas

  c   a game code, or 52 cards

Escape goes on with this game.
"""
NEW_GAME_RULES: Final = {"1": "D1N", "2": "D3N", "3": "D1V", "4": "D3V"}


def short_move(position: Position, action: int, signs: Signs) -> str:
    """Return a legal action in few characters: ``7♦+2 to col 5``, ``A♠ up``, ``2♠ back to col 3``."""
    move = MOVES[action]
    cards = position.moved_cards(action)
    if move.source == STOCK_PILE:
        return "turn" if position.stock else "redeal"
    if not cards:
        return str(move)
    what = signs.card(cards[0]) + (f"+{len(cards) - 1}" if len(cards) > 1 else "")
    if move.target == FOUNDATION_PILE:
        return f"{what} up"
    return f"{what} {'back ' if move.suit is not None else ''}to col {move.target_column}"


def legal_lines(position: Position, actions: Sequence[int], signs: Signs) -> list[str]:
    """Return the legal actions with their numbers as lines of a panel."""
    lines = [f"{action:>2} {short_move(position, action, signs)}" for action in actions]
    return ["legal moves:", *(lines or ["none"])]


def thoughts_lines(heading: str, thoughts: Thoughts | None, names: dict[int, str], rows: int) -> list[str]:
    """Return what an agent thought as lines of a panel.

    Args:
        heading: Who chose what.
        thoughts: The thoughts, or None if the agent tells none.
        names: The legal actions in few characters.
        rows: How many lines there may be.
    """
    lines = [heading[:PANEL_WIDTH], heading[PANEL_WIDTH : 2 * PANEL_WIDTH]]
    if thoughts is None:
        return [*lines, "it told no values here"]
    if thoughts.value is not None:
        lines.append(f"value {thoughts.value:.3g}"[:PANEL_WIDTH])
        lines.append(f" ({thoughts.unit})"[:PANEL_WIDTH])
    weights = dict(thoughts.probabilities)
    order = sorted({*weights, *thoughts.action_values}, key=lambda a: (-weights.get(a, 0), -_value(thoughts, a)))
    for action in order:
        name = names.get(action, "").replace("back to col", "col").replace("to col", "col")[:10]
        share = f"{100 * weights[action]:.0f}%" if action in weights else ""
        value = _short(thoughts.action_values[action]) if action in thoughts.action_values else ""
        lines.append(f"{action:>2} {name:<10}{share:>4}{value:>5}")
    return lines[:rows]


def _short(value: float) -> str:
    """Return a value in at most five characters, or more only where it is very large."""
    return f"{value:.2f}" if abs(value) < 10 else f"{value:.0f}"


def _value(thoughts: Thoughts, action: int) -> float:
    """Return what an agent expects of an action, or very little where it does not say."""
    return thoughts.action_values.get(action, float("-inf"))
