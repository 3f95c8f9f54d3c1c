"""What ``KlondikeEnv.render`` draws with: pictures as arrays, and a window."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
from gymnasium.error import DependencyNotInstalled

from klondike_env.codes import CODE_MODES
from klondike_env.game import Game
from klondike_env.rules import RULE_SETS

if TYPE_CHECKING:
    import pygame

    from klondike_env.rendering.painter import TableMarks, TablePainter

FRAME_SIZE: Final = (720, 540)
"""Width and height of the pictures, in pixels; both even, as film formats want them."""

INSTALL_HINT: Final = 'pygame-ce is not installed; drawing needs it: pip install "klondike-env[render]"'


def load_pygame() -> None:
    """Import pygame without the line that it prints.

    Raises:
        DependencyNotInstalled: It is not installed; the message says how to.
    """
    hidden = "PYGAME_HIDE_SUPPORT_PROMPT" in os.environ
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    try:
        import pygame  # noqa: F401  # only loaded here, so that it keeps quiet
    except ImportError as error:
        raise DependencyNotInstalled(INSTALL_HINT) from error
    finally:
        if not hidden:
            del os.environ["PYGAME_HIDE_SUPPORT_PROMPT"]


def game_title(game: Game) -> str:
    """Return what names a game in pictures: its code, with the rules behind it that the code does not say."""
    rules = game.rules
    if game.code is None:
        return rules.name
    mode = rules.mode
    return game.code if mode in CODE_MODES and rules == RULE_SETS[mode] else f"{game.code}  ({rules.name})"


class EnvRenderer:
    """Draws games, each from its view, and shows them in a window if asked.

    Raises:
        DependencyNotInstalled: pygame is not installed.
    """

    def __init__(self) -> None:
        load_pygame()
        import pygame

        from klondike_env.rendering.painter import TablePainter

        self._painter: TablePainter = TablePainter(*FRAME_SIZE)
        self._surface = pygame.Surface(FRAME_SIZE, 0, 32)
        self._window: pygame.Window | None = None
        self._closed_by_person = False
        self._clock: pygame.time.Clock | None = None

    def frame(self, game: Game) -> npt.NDArray[np.uint8]:
        """Return a picture as a new uint8 array of shape (540, 720, 3). No display is opened for it."""
        self._painter.draw(self._surface, game.view(), _marks(game))
        width, height = FRAME_SIZE
        pixels = np.frombuffer(self._surface.get_buffer().raw, np.uint8).reshape(height, width, 4)
        picture = np.empty((height, width, 3), np.uint8)
        # Colour by colour, which is several times as fast as pygame's own conversions.
        for place, shift in enumerate(self._surface.get_shifts()[:3]):
            picture[..., place] = pixels[..., shift // 8]
        return picture

    def show(self, game: Game, frames_per_second: float) -> None:
        """Show a game in the window, and wait until it is time for the next picture.

        The window opens the first time. When a person closes it the game goes on without: nothing is shown any more.

        Raises:
            DependencyNotInstalled: No window can be opened, for there is no display; the message says what to do.
        """
        import pygame

        if self._closed_by_person:
            return
        self._painter.draw(self._surface, game.view(), _marks(game))
        try:
            self._flip()
        except pygame.error:
            # Somebody in the process has ended pygame, and the window with it, as Gymnasium's own envs do on closing.
            self._window = None
            self._flip()
        assert self._clock is not None
        self._closed_by_person = self._was_closed()
        if self._closed_by_person:
            self.close()
        else:
            self._clock.tick(frames_per_second)

    def _flip(self) -> None:
        """Bring the picture into the window, which is opened if need be."""
        if self._window is None:
            self._open_window()
        assert self._window is not None
        self._window.get_surface().blit(self._surface, (0, 0))
        self._window.flip()

    def _was_closed(self) -> bool:
        """Take in what happened since the last picture, and return whether a person closed the window."""
        import pygame

        closings = (pygame.WINDOWCLOSE, pygame.QUIT)
        # Nobody reads mouse and keys here; left lying, they would fill the queue until closing finds no place in it.
        pygame.event.get(exclude=closings)
        closed = False
        for event in pygame.event.get(closings):
            if event.type == pygame.QUIT or event.window is self._window:
                closed = True
            else:
                pygame.event.post(event)
        return closed

    def _open_window(self) -> None:
        """Open the window."""
        import pygame

        try:
            pygame.display.init()
            self._window = pygame.Window("Klondike", FRAME_SIZE)
        except pygame.error as error:
            raise DependencyNotInstalled(
                f'no window can be opened ({error}); use render_mode="rgb_array" where there is no display'
            ) from error
        self._clock = pygame.time.Clock()

    def close(self) -> None:
        """Close the window, if there is one. May be called twice."""
        if self._window is not None:
            self._window.destroy()
            self._window = None


def _marks(game: Game) -> TableMarks:
    """Return what is to be shown beside the position of a game: its name and its last move."""
    from klondike_env.rendering.painter import TableMarks, last_move_marks

    title = game_title(game)
    if not game.undo_count:
        return TableMarks(title)
    before = game.copy()
    before.undo()
    moved, redealt = last_move_marks(before.view(), game.view())
    return TableMarks(title, moved, redealt)
