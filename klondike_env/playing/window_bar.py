"""What stands around the table in the window: a line of text, buttons, and a panel of moves or of thoughts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

import pygame

from klondike_env.evaluation.thoughts import Thoughts
from klondike_env.playing.window_dialogs import text_size
from klondike_env.playing.window_drawing import (
    ACCENT,
    INK,
    QUIET,
    REFUSAL,
    draw_button,
    draw_panel,
    draw_text,
    wrapped,
)
from klondike_env.rendering.texts import text_width

BUTTONS: Final = (
    ("n", "New"),
    ("r", "Restart"),
    ("u", "Undo 100"),
    ("l", "Hint"),
    ("x", "Stuck?"),
    ("v", "Winnable?"),
    ("p", "Agent: tell"),
    ("a", "Agent: step"),
    ("A", "Agent: run"),
    ("y", "Copy code"),
    ("?", "Help"),
)
"""The key that each button stands for, and the longest text that it shows."""

_BAR_COLOUR: Final = (8, 40, 29)
_WIDE: Final = 1.1


class Bar:
    """The strip below the table: one line of text and the buttons.

    Attributes:
        height: Its height in pixels.
    """

    def __init__(self, width: int, height: int) -> None:
        """Place the buttons for a window of this width and height."""
        largest = max(8, round(text_size((width, height)) * 0.9))
        # A little smaller is better than a second row.
        fits = (size for size in range(largest, round(largest * 0.65), -1) if _columns(width, size) == len(BUTTONS))
        self._size = next(fits, largest)
        pad = _pad(self._size)
        columns = _columns(width, self._size)
        rows = math.ceil(len(BUTTONS) / columns)
        columns = math.ceil(len(BUTTONS) / rows)
        button_height = round(self._size * 1.75)
        line = round(self._size * 1.6)
        self.height = line + rows * (button_height + pad) + pad
        top = height - self.height
        self._line = pygame.Rect(pad, top + pad // 2, width - 2 * pad, line)
        self._ground = pygame.Rect(0, top, width, self.height)
        each = (width - pad) / columns
        self.boxes: dict[str, pygame.Rect] = {}
        for place, (key, _) in enumerate(BUTTONS):
            row, column = divmod(place, columns)
            x, right = round(pad + column * each), round(pad + (column + 1) * each) - pad
            y = top + line + row * (button_height + pad) + pad // 2
            self.boxes[key] = pygame.Rect(x, y, right - x, button_height)

    def contains(self, y: float) -> bool:
        """Return whether a height belongs to the bar."""
        return y >= self._ground.y

    def key_at(self, x: float, y: float) -> str | None:
        """Return the key of the button at a point, or None."""
        return next((key for key, box in self.boxes.items() if box.collidepoint(x, y)), None)

    def draw(
        self,
        surface: pygame.Surface,
        message: str,
        is_refusal: bool,
        texts: Mapping[str, str],
        off: Sequence[str],
        chosen: Sequence[str],
    ) -> None:
        """Draw the bar.

        Args:
            surface: The window.
            message: The line of text.
            is_refusal: Whether it says why something was refused.
            texts: Texts of buttons that differ from the usual ones, by key.
            off: Keys of buttons that would do nothing now.
            chosen: Keys of buttons that are on.
        """
        surface.fill(_BAR_COLOUR, self._ground)
        size = self._size
        while size > 8 and text_width(message, size) > self._line.width:
            size -= 1
        colour = REFUSAL if is_refusal else INK
        draw_text(surface, message, size, colour, self._line.width, midleft=self._line.midleft)
        for key, text in BUTTONS:
            label = texts.get(key, text)
            draw_button(surface, self.boxes[key], label, self._size, chosen=key in chosen, enabled=key not in off)


def _pad(size: int) -> int:
    """Return the space between buttons for a text size."""
    return max(3, size // 3)


def _columns(width: int, size: int) -> int:
    """Return how many buttons fit beside each other at a text size."""
    pad = _pad(size)
    needed = max(text_width(text, size) for _, text in BUTTONS) + 2 * pad
    return max(1, min(len(BUTTONS), (width - pad) // (needed + pad)))


class SidePanel:
    """A panel beside the table in a wide window, below it in a high one.

    Attributes:
        box: Where it lies.
        beside: Whether it lies beside the table.
    """

    def __init__(self, width: int, height: int, bar_height: int) -> None:
        """Place the panel in a window."""
        free = height - bar_height
        self.beside = width >= _WIDE * free
        if self.beside:
            panel_width = max(120, min(360, round(width * 0.24)))
            self.box = pygame.Rect(width - panel_width, 0, panel_width, free)
        else:
            panel_height = max(70, round(free * 0.24))
            self.box = pygame.Rect(0, free - panel_height, width, panel_height)
        self._size = max(8, min(text_size((width, height)), self.box.width // 13))

    def draw_lines(self, surface: pygame.Surface, title: str, lines: Sequence[str]) -> None:
        """Draw a heading and lines, in columns if the panel is wide."""
        inner, line = self._begin(surface, title)
        rows = max(1, (inner.height - line) // line)
        columns = max(1, math.ceil(len(lines) / rows)) if not self.beside else 1
        shown = list(lines[: rows * columns])
        if len(lines) > len(shown):
            shown[-1] = f"and {len(lines) - len(shown) + 1} more"
        each = inner.width // columns
        for place, text in enumerate(shown):
            column, row = divmod(place, rows)
            corner = (inner.x + column * each, inner.y + line + row * line)
            draw_text(surface, text, self._size, INK, each - 4, topleft=corner)

    def draw_thoughts(
        self, surface: pygame.Surface, title: str, chosen: str, thoughts: Thoughts | None, names: Mapping[int, str]
    ) -> None:
        """Draw what an agent chose and how it saw it.

        Args:
            surface: The window.
            title: The agent's name.
            chosen: Its choice in words.
            thoughts: What it tells, or None.
            names: Actions in words.
        """
        inner, line = self._begin(surface, title)
        y = inner.y + line
        for text in wrapped(chosen, self._size, inner.width):
            draw_text(surface, text, self._size, INK, topleft=(inner.x, y))
            y += line
        if thoughts is None:
            draw_text(surface, "it told no values here", self._size, QUIET, inner.width, topleft=(inner.x, y))
            return
        if thoughts.value is not None:
            is_share = thoughts.value_is_share
            value = f"{100 * thoughts.value:.0f} %" if is_share else f"{thoughts.value:.3g}"
            text = f"value {value} ({thoughts.unit})"
            self._draw_bar(surface, pygame.Rect(inner.x, y, inner.width, line), text, thoughts.value if is_share else 0)
            y += line
        weights, values = thoughts.probabilities, thoughts.action_values
        order = sorted({*weights, *values}, key=lambda a: (-weights.get(a, 0.0), -values.get(a, -math.inf), a))
        for action in order:
            if y + line > inner.bottom:
                return
            share = f"  {100 * weights[action]:.0f} %" if action in weights else ""
            value = f"  {values[action]:.3g}" if action in values else ""
            text = f"{names.get(action, str(action))}{share}{value}"
            self._draw_bar(surface, pygame.Rect(inner.x, y, inner.width, line), text, weights.get(action, 0.0))
            y += line

    def _begin(self, surface: pygame.Surface, title: str) -> tuple[pygame.Rect, int]:
        """Draw ground and heading; return the space inside and the height of a line."""
        surface.fill(_BAR_COLOUR, self.box)
        line = round(self._size * 1.45)
        box = self.box.inflate(-8, -8)
        draw_panel(surface, box)
        inner = box.inflate(-line, -line // 2)
        draw_text(surface, title, self._size, ACCENT, inner.width, topleft=inner.topleft)
        return inner, line

    def _draw_bar(self, surface: pygame.Surface, box: pygame.Rect, text: str, share: float) -> None:
        """Draw a line of text over a bar that is as long as a share, 0 to 1."""
        ground = box.inflate(0, -2)
        pygame.draw.rect(surface, (20, 60, 46), ground, border_radius=3)
        if share > 0:
            length = max(2, round(ground.width * min(1.0, share)))
            pygame.draw.rect(surface, (46, 126, 92), (ground.x, ground.y, length, ground.height), border_radius=3)
        draw_text(surface, text, self._size, INK, box.width - 8, midleft=(box.x + 4, box.centery))
