"""Lines of text as pictures, smooth at any size."""

from __future__ import annotations

import functools

import pygame

Rgb = tuple[int, int, int]

_OVERSAMPLING = 3


def new_font(size: int) -> pygame.font.Font:
    """Return a font of a size in pixels, not to be kept.

    Others in the process may end pygame at any time, as Gymnasium's own envs do when they are closed, and fonts from
    before do not work then. So pictures of texts are kept, and fonts are not.
    """
    pygame.font.init()
    return pygame.font.Font(None, size)


@functools.lru_cache(maxsize=2048)
def text_width(text: str, size: int) -> int:
    """Return how many pixels wide a line is."""
    # Measured large, since letters of small sizes are moved to whole pixels.
    return -(-new_font(size * _OVERSAMPLING).size(text)[0] // _OVERSAMPLING)


@functools.lru_cache(maxsize=512)
def text_image(text: str, size: int, colour: Rgb) -> pygame.Surface:
    """Return a line of text on a transparent ground; the picture is kept and not to be changed.

    Args:
        text: The line; an empty one gives an empty picture.
        size: Font size in pixels.
        colour: Colour.
    """
    large = new_font(size * _OVERSAMPLING).render(text or " ", True, colour)
    width, height = (max(1, -(-pixels // _OVERSAMPLING)) for pixels in large.get_size())
    return pygame.transform.smoothscale(large, (width, height))
