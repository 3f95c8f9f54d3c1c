"""The clipboard of the desktop, where there is one; else one of the window's own."""

from __future__ import annotations

import pygame


class Clipboard:
    """Text that was copied, here or in another program."""

    def __init__(self) -> None:
        self._own = ""

    def put(self, text: str) -> bool:
        """Copy a text; return whether other programs can paste it."""
        self._own = text
        try:
            pygame.scrap.put_text(text)
        except pygame.error:
            return False
        return True

    def get(self) -> str:
        """Return the text that was copied last; "" if there is none."""
        try:
            text: str = pygame.scrap.get_text()
        except pygame.error:
            return self._own
        return text or ""
