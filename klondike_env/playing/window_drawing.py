"""Text, panels and buttons of the window."""

from __future__ import annotations

from typing import Final

import pygame

from klondike_env.rendering.texts import Rgb, text_image, text_width

INK: Final[Rgb] = (240, 247, 242)
QUIET: Final[Rgb] = (176, 204, 188)
REFUSAL: Final[Rgb] = (255, 176, 150)
ACCENT: Final[Rgb] = (255, 214, 102)
_PANEL: Final = (12, 50, 36, 250)
_SHADE: Final = (0, 12, 8, 150)
_FRAME: Final = (62, 122, 96)
_BUTTON: Final[Rgb] = (34, 92, 68)
_BUTTON_CHOSEN: Final[Rgb] = (214, 170, 60)
_BUTTON_OFF: Final[Rgb] = (26, 62, 48)


def draw_text(
    surface: pygame.Surface, text: str, size: int, colour: Rgb, width: int | None = None, **place: tuple[int, int]
) -> pygame.Rect:
    """Write a line of text.

    Args:
        surface: What to write on.
        text: The line; it is cut, with an ellipsis, to fit the width.
        size: Font size in pixels.
        colour: Colour.
        width: Most pixels it may take; None for as many as it needs.
        **place: One corner or edge of ``pygame.Rect`` and where it lies, such as ``midleft=(3, 20)``.

    Returns:
        The rectangle that it took.
    """
    image = text_image(fitted(text, size, width), size, colour)
    return surface.blit(image, image.get_rect(**place))


def fitted(text: str, size: int, width: int | None) -> str:
    """Return a line cut to a width in pixels, with an ellipsis if it had to be cut."""
    if width is None or text_width(text, size) <= width:
        return text
    while text and text_width(text + "…", size) > width:
        text = text[:-1]
    return text + "…"


def wrapped(text: str, size: int, width: int) -> list[str]:
    """Return a text as lines that fit a width in pixels; a word that does not fit is cut."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and text_width(longer, size) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return [fitted(line, size, width) for line in lines]


def dim(surface: pygame.Surface) -> None:
    """Darken the whole window, so that what lies over it stands out."""
    shade = pygame.Surface(surface.get_size(), pygame.SRCALPHA, 32)
    shade.fill(_SHADE)
    surface.blit(shade, (0, 0))


def draw_panel(surface: pygame.Surface, box: pygame.Rect, radius: int = 8) -> None:
    """Darken a part of the window for something to be written on."""
    ground = pygame.Surface(box.size, pygame.SRCALPHA, 32)
    pygame.draw.rect(ground, _PANEL, ground.get_rect(), border_radius=radius)
    pygame.draw.rect(ground, _FRAME, ground.get_rect(), 1, border_radius=radius)
    surface.blit(ground, box)


def draw_button(
    surface: pygame.Surface,
    box: pygame.Rect,
    text: str,
    size: int,
    *,
    chosen: bool = False,
    enabled: bool = True,
    focused: bool = False,
) -> None:
    """Draw a button: chosen ones stand out, disabled ones recede, the focused one has a frame."""
    radius = max(3, box.height // 5)
    ground = _BUTTON_CHOSEN if chosen else _BUTTON if enabled else _BUTTON_OFF
    pygame.draw.rect(surface, ground, box, border_radius=radius)
    if focused:
        pygame.draw.rect(surface, INK, box, max(2, box.height // 14), border_radius=radius)
    ink: Rgb = (26, 24, 12) if chosen else INK if enabled else (120, 150, 134)
    draw_text(surface, text, size, ink, box.width - 4, center=box.center)
