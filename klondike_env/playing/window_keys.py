"""Keys of the window: their names, which are those of the terminal, and the list that help shows."""

from __future__ import annotations

from typing import Final

import pygame

_NAMES: Final = {
    pygame.K_RETURN: "enter",
    pygame.K_KP_ENTER: "enter",
    pygame.K_SPACE: "space",
    pygame.K_ESCAPE: "escape",
    pygame.K_BACKSPACE: "backspace",
    pygame.K_DELETE: "delete",
    pygame.K_TAB: "tab",
    pygame.K_LEFT: "left",
    pygame.K_RIGHT: "right",
    pygame.K_UP: "up",
    pygame.K_DOWN: "down",
    pygame.K_F1: "?",
}
_CONTROL_NAMES: Final = {
    pygame.K_z: "u",
    pygame.K_c: "y",
    pygame.K_n: "n",
    pygame.K_q: "q",
    pygame.K_w: "q",
    pygame.K_v: "paste",
}

KEY_HELP: Final = (
    ("1 … 7", "a column: the first key picks up from it, the second drops there (1 5: column 1 to 5)"),
    ("w", "the waste"),
    ("s h d c", "the foundations: spades, hearts, diamonds, clubs (1 s: up; c 7: take a club back)"),
    ("arrows", "move the cursor; up and down choose a card of a column"),
    ("Space", "pick up the card under the cursor, or drop at the cursor"),
    ("Enter", "tap: a card goes up; again at once: it looks for a column"),
    ("o", "look for a column at once"),
    ("Escape", "put back what is in the hand; close what is open"),
    ("0", "turn the stock, or redeal"),
    ("u, Ctrl+Z", "undo, up to 100 actions"),
    ("n, r", "new game, restart this one"),
    ("l", "hint: outline and list the legal moves"),
    ("x", "stuck: is no useful move left?"),
    ("v", "can it still be won? (the solver looks at all cards)"),
    ("a, A", "the agent plays one move; plays on until any key"),
    ("p, g", "the agent tells its move and values; choose an agent"),
    ("y, Ctrl+C", "copy the game code"),
    ("?, F1", "this help"),
    ("q", "quit; the game is kept and goes on next time"),
)
"""Keys and what they do, in the order that help lists them."""

MOUSE_HELP: Final = (
    "Mouse: drag cards and runs, also back from a foundation; tap a card to send it up, twice quickly for a column;"
    " tap the stock to turn or redeal."
)


def key_name(event: pygame.event.Event) -> str:
    """Return the name of a pressed key: a letter or sign, or a word such as ``"enter"``; ``""`` for any other."""
    if event.mod & (pygame.KMOD_CTRL | pygame.KMOD_META):
        return _CONTROL_NAMES.get(event.key, "")
    if event.mod & pygame.KMOD_SHIFT and event.key == pygame.K_INSERT:
        return "paste"
    name = _NAMES.get(event.key)
    if name is not None:
        return name
    letter: str = getattr(event, "unicode", "")
    return letter if len(letter) == 1 and letter.isprintable() else ""
