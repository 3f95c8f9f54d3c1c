"""Dialogs of the window: a form with choices and a text field, and the list of keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import pygame

from klondike_env.playing.window_drawing import (
    ACCENT,
    INK,
    QUIET,
    REFUSAL,
    draw_button,
    draw_panel,
    draw_text,
    fitted,
    wrapped,
)
from klondike_env.playing.window_keys import KEY_HELP, MOUSE_HELP
from klondike_env.rendering.texts import text_width

_SMALLEST_TEXT: Final = 8
_LARGEST_TEXT: Final = 22
_MOST_CHARACTERS: Final = 400
_ACCEPT, _CANCEL, _FIELD = "accept", "cancel", "field"


def text_size(size: tuple[int, int]) -> int:
    """Return the size of ordinary text for a window of some size, in pixels."""
    return max(_SMALLEST_TEXT, min(_LARGEST_TEXT, size[0] // 34, size[1] // 26))


@dataclass
class ChoiceGroup:
    """Options of which one is chosen.

    Attributes:
        name: What is chosen.
        options: Each option's value and text.
        chosen: The chosen value.
    """

    name: str
    options: Sequence[tuple[str, str]]
    chosen: str

    def step(self, step: int) -> None:
        """Choose the next or last option."""
        values = [value for value, _ in self.options]
        self.chosen = values[(values.index(self.chosen) + step) % len(values)]


class FormDialog:
    """A dialog with groups of choices, a text field or none, and two buttons.

    Attributes:
        text: What stands in the field.
        error: Why the form was not accepted, or "".
        closed: Whether the dialog is done.
    """

    def __init__(
        self,
        title: str,
        accept: Callable[[dict[str, str], str], str | None],
        *,
        groups: Sequence[ChoiceGroup] = (),
        field: str | None = None,
        accept_text: str = "Play",
        paste: Callable[[], str] = str,
    ) -> None:
        """Make a dialog.

        Args:
            title: The heading.
            accept: Called with the chosen values by group and the field's text; returns an error or None.
            groups: The choices.
            field: What is asked for in the text field; None for no field.
            accept_text: What the accepting button says.
            paste: Returns the text of the clipboard.
        """
        self._title = title
        self._accept = accept
        self.groups = list(groups)
        self._field = field
        self._accept_text = accept_text
        self._paste = paste
        self.text = ""
        self.error = ""
        self.closed = False
        self._focus_order = [
            *(group.name for group in self.groups),
            *([_FIELD] if field is not None else []),
            _ACCEPT,
            _CANCEL,
        ]
        self.focus = _ACCEPT
        self._boxes: dict[tuple[str, str], pygame.Rect] = {}

    # Input

    def follow_key(self, key: str) -> None:
        """Do what a key means."""
        group = next((group for group in self.groups if group.name == self.focus), None)
        if key == "escape":
            self.closed = True
        elif key == "enter":
            self._press(self.focus if self.focus == _CANCEL else _ACCEPT)
        elif key in ("tab", "down", "up"):
            place = self._focus_order.index(self.focus)
            self.focus = self._focus_order[(place + (-1 if key == "up" else 1)) % len(self._focus_order)]
        elif key in ("left", "right"):
            self._step(-1 if key == "left" else 1)
        elif key == "space" and group is not None:
            group.step(1)
        elif key == "space" and self.focus in (_ACCEPT, _CANCEL):
            self._press(self.focus)
        elif self._field is not None:
            self._type(key)

    def _step(self, step: int) -> None:
        """Choose the neighbour in the focused group, or the other button."""
        for group in self.groups:
            if group.name == self.focus:
                group.step(step)
        if self.focus in (_ACCEPT, _CANCEL):
            self.focus = _CANCEL if self.focus == _ACCEPT else _ACCEPT

    def _type(self, key: str) -> None:
        """Write into the field, wherever the focus is."""
        if key == "backspace":
            self.text = self.text[:-1]
        elif key == "delete":
            self.text = ""
        elif key == "paste":
            self.text += " ".join(self._paste().split())
        elif key == "space":
            self.text += " "
        elif len(key) == 1:
            self.text += key
        else:
            return
        self.text = self.text[:_MOST_CHARACTERS]
        self.focus = _FIELD
        self.error = ""

    def press(self, x: float, y: float) -> None:
        """Do what a press of the mouse at a point means."""
        for (name, value), box in self._boxes.items():
            if box.collidepoint(x, y):
                self.focus = name
                for group in self.groups:
                    if group.name == name:
                        group.chosen = value
                if name in (_ACCEPT, _CANCEL):
                    self._press(name)
                return

    def _press(self, button: str) -> None:
        """Do what a button does."""
        if button == _CANCEL:
            self.closed = True
            return
        error = self._accept({group.name: group.chosen for group in self.groups}, self.text.strip())
        self.error = error or ""
        self.closed = error is None

    # Drawing

    def box_of(self, name: str, value: str = "") -> pygame.Rect:
        """Return where an option, the field or a button was drawn last: ``box_of("accept")``."""
        return self._boxes[name, value]

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the dialog in the middle of the window, as large as fits."""
        width, height = surface.get_size()
        for size in range(text_size((width, height)), _SMALLEST_TEXT - 1, -1):
            panel = self._arrange(width, height, size)
            if panel.height <= height - 4:
                break
        draw_panel(surface, panel)
        line = round(size * 1.5)
        y = panel.y + line // 2
        draw_text(surface, self._title, round(size * 1.3), ACCENT, panel.width - line, topleft=(panel.x + line // 2, y))
        for group in self.groups:
            for value, text in group.options:
                focused = self.focus == group.name
                chosen = value == group.chosen
                box = self._boxes[group.name, value]
                draw_button(surface, box, text, size, chosen=chosen, focused=focused and chosen)
        if self._field is not None:
            self._draw_field(surface, size)
        y = self._boxes[_ACCEPT, ""].y - line * (1 + len(self._error_lines(size, panel.width - line)))
        for error in self._error_lines(size, panel.width - line):
            draw_text(surface, error, size, REFUSAL, topleft=(panel.x + line // 2, y + line // 2))
            y += line
        for name, text in ((_ACCEPT, self._accept_text), (_CANCEL, "Cancel")):
            draw_button(surface, self._boxes[name, ""], text, size, focused=self.focus == name)

    def _draw_field(self, surface: pygame.Surface, size: int) -> None:
        """Draw the text field with what was typed, its end if it is long."""
        box = self._boxes[_FIELD, ""]
        draw_text(surface, self._field or "", round(size * 0.9), QUIET, box.width, bottomleft=(box.x, box.y - 2))
        pygame.draw.rect(surface, (6, 24, 18), box, border_radius=4)
        pygame.draw.rect(surface, INK if self.focus == _FIELD else QUIET, box, 2 if self.focus == _FIELD else 1, 4)
        shown = self.text
        while shown and text_width(shown, size) > box.width - size:
            shown = shown[1:]
        end = draw_text(surface, shown, size, INK, midleft=(box.x + size // 2, box.centery))
        if self.focus == _FIELD:
            pygame.draw.line(surface, ACCENT, (end.right + 2, box.y + 4), (end.right + 2, box.bottom - 5), 2)

    def _error_lines(self, size: int, width: int) -> list[str]:
        """Return the error as lines."""
        return wrapped(self.error, size, width)[:4] if self.error else []

    def _arrange(self, width: int, height: int, size: int) -> pygame.Rect:
        """Place everything for a text size and return the panel's rectangle."""
        line = round(size * 1.5)
        panel_width = min(width - 8, size * 30)
        left, inner = (width - panel_width) // 2 + line // 2, panel_width - line
        rows: list[tuple[str, int]] = [("title", 2 * line)]
        rows += [(group.name, 2 * line) for group in self.groups]
        if self._field is not None:
            rows += [("label", line), (_FIELD, round(1.9 * line))]
        rows += [("error", line * len(self._error_lines(size, inner)) + line // 2), ("buttons", 2 * line)]
        total = sum(row_height for _, row_height in rows) + line // 2
        y = max(2, (height - total) // 2)
        panel = pygame.Rect(left - line // 2, y, panel_width, total)
        y += line // 2
        self._boxes = {}
        for name, row_height in rows:
            group = next((group for group in self.groups if group.name == name), None)
            if group is not None:
                self._place_row(name, [value for value, _ in group.options], left, y, inner, line)
            elif name == _FIELD:
                self._boxes[_FIELD, ""] = pygame.Rect(left, y, inner, round(1.5 * line))
            elif name == "buttons":
                half = (inner - line // 2) // 2
                for place, button in enumerate((_ACCEPT, _CANCEL)):
                    x = left + place * (half + line // 2)
                    self._boxes[button, ""] = pygame.Rect(x, y, half, round(1.6 * line))
            y += row_height
        return panel

    def _place_row(self, name: str, values: Sequence[str], left: int, y: int, width: int, line: int) -> None:
        """Place the options of a group beside each other."""
        gap = line // 3
        each = (width - gap * (len(values) - 1)) // len(values)
        for place, value in enumerate(values):
            self._boxes[name, value] = pygame.Rect(left + place * (each + gap), y, each, round(1.6 * line))


class HelpDialog:
    """The list of keys. Any key or press closes it.

    Attributes:
        closed: Whether it is done.
    """

    def __init__(self) -> None:
        self.closed = False

    def follow_key(self, key: str) -> None:
        """Close."""
        self.closed = bool(key)

    def press(self, x: float, y: float) -> None:
        """Close."""
        self.closed = True

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the list as large as fits."""
        width, height = surface.get_size()
        for size in range(text_size((width, height)), _SMALLEST_TEXT - 2, -1):
            line = round(size * 1.32)
            panel_width = min(width - 8, size * 46)
            keys_width = max(text_width(keys, size) for keys, _ in KEY_HELP) + size
            inner = panel_width - line
            rows = [
                (keys, part) for keys, text in KEY_HELP for part in self._lines(keys, text, size, inner - keys_width)
            ]
            mouse = wrapped(MOUSE_HELP, size, inner)
            total = line * (len(rows) + len(mouse) + 3)
            if total <= height - 4:
                break
        panel = pygame.Rect(
            (width - panel_width) // 2, max(2, (height - total) // 2), panel_width, min(total, height - 4)
        )
        draw_panel(surface, panel)
        x, y = panel.x + line // 2, panel.y + line // 2
        draw_text(surface, "Keys", round(size * 1.2), ACCENT, topleft=(x, y))
        y += round(line * 1.5)
        last = ""
        for keys, text in rows:
            if keys != last:
                draw_text(surface, keys, size, ACCENT, topleft=(x, y))
            draw_text(surface, text, size, INK, inner - keys_width, topleft=(x + keys_width, y))
            last = keys
            y += line
        for text in mouse:
            draw_text(surface, fitted(text, size, inner), size, QUIET, topleft=(x, y + line // 2))
            y += line

    @staticmethod
    def _lines(keys: str, text: str, size: int, width: int) -> list[str]:
        """Return what a key does as lines."""
        return wrapped(text, size, width)
