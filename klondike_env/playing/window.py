"""``klondike play``: a session played in a window, by mouse and by keys."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Final, Protocol

from klondike_env.rendering.env_renderer import load_pygame

load_pygame()

import pygame  # noqa: E402  # after the loader, so that it does not greet

from klondike_env.actions import STOCK_PILE  # noqa: E402
from klondike_env.cards import Card  # noqa: E402
from klondike_env.errors import OptionError  # noqa: E402
from klondike_env.playing.questions import ASK, RUN, STEP  # noqa: E402
from klondike_env.playing.replies import Reply  # noqa: E402
from klondike_env.playing.session import PlaySession  # noqa: E402
from klondike_env.playing.terminal_hand import PLACE_KEYS, TerminalHand  # noqa: E402
from klondike_env.playing.window_bar import Bar  # noqa: E402
from klondike_env.playing.window_clipboard import Clipboard  # noqa: E402
from klondike_env.playing.window_dialogs import HelpDialog  # noqa: E402
from klondike_env.playing.window_drawing import dim  # noqa: E402
from klondike_env.playing.window_forms import agent_form, new_game_form, restart_form  # noqa: E402
from klondike_env.playing.window_helpers import WindowHelpers  # noqa: E402
from klondike_env.playing.window_keys import key_name  # noqa: E402
from klondike_env.playing.window_mouse import MousePlay  # noqa: E402
from klondike_env.playing.window_scene import AGENT_PANEL, HINTS_PANEL, Scene, Shown  # noqa: E402
from klondike_env.playing.window_table import Table  # noqa: E402
from klondike_env.rendering.card_sprites import CardSprites  # noqa: E402

WINDOW_SIZE: Final = (1000, 750)
_FRAMES_PER_SECOND: Final = 60
_IDLE_MILLISECONDS: Final = 200
_WAITING_MILLISECONDS: Final = 40
_LEFT_BUTTON: Final = 1
_SHARE_OF_SCREEN: Final = 0.88


class Dialog(Protocol):
    """What lies over the table and takes keys and presses while it is open."""

    closed: bool

    def follow_key(self, key: str) -> None:
        """Do what a key means."""

    def press(self, x: float, y: float) -> None:
        """Do what a press of the mouse means."""

    def draw(self, surface: pygame.Surface) -> None:
        """Draw it."""


def run_window(session: PlaySession) -> None:
    """Play a session in a window of the desktop, until the player closes it.

    Args:
        session: The session; it stays open.

    Raises:
        OptionError: No window can be opened.
    """
    try:
        pygame.display.init()
        if pygame.display.get_driver() == "offscreen" and not os.environ.get("SDL_VIDEODRIVER"):
            raise OptionError("there is no display to open a window on")
        pygame.display.set_caption("Klondike")
        pygame.display.set_icon(_icon())
        surface = pygame.display.set_mode(_first_size(), pygame.RESIZABLE)
    except pygame.error as error:
        raise OptionError(f"no window can be opened: {error}") from error
    pygame.key.set_repeat(350, 60)
    window = Window(session, surface.get_size())
    clock = pygame.time.Clock()
    try:
        while window.is_open:
            if window.needs_drawing:
                window.draw(pygame.display.get_surface() or surface)
                pygame.display.flip()
            if not window.is_moving:
                # Asleep until something happens, or somebody may have an answer.
                pause = _WAITING_MILLISECONDS if window.is_waiting else _IDLE_MILLISECONDS
                event = pygame.event.wait(pause)
                if event.type != pygame.NOEVENT:
                    window.handle(event)
            for event in pygame.event.get():
                window.handle(event)
            window.tick(clock.tick(_FRAMES_PER_SECOND) / 1000)
    except KeyboardInterrupt:
        # Every move is kept already, so Ctrl+C in the terminal just ends the window.
        pass
    finally:
        window.close()
        pygame.display.quit()


def _first_size() -> tuple[int, int]:
    """Return the size that the window opens with: the usual one, or less on a small screen."""
    width, height = pygame.display.get_desktop_sizes()[0]
    return min(WINDOW_SIZE[0], round(width * _SHARE_OF_SCREEN)), min(WINDOW_SIZE[1], round(height * _SHARE_OF_SCREEN))


def _icon() -> pygame.Surface:
    """Return the icon of the window, an ace."""
    icon = pygame.Surface((64, 64), pygame.SRCALPHA, 32)
    ace = CardSprites(44).face(0)
    icon.blit(ace, ace.get_rect(center=icon.get_rect().center))
    return icon


class Window:
    """The window without the display: it is given events, time and a surface to draw on.

    Attributes:
        session: The session that is played.
        is_open: Whether the player has not closed it.
        needs_drawing: Whether something has changed since it was drawn.
        message: The line below the table.
        is_refusal: Whether that line says why something was refused.
        dialog: What is open over the table, or None.
        clipboard: Where the game code is copied to.
    """

    def __init__(
        self, session: PlaySession, size: tuple[int, int] = WINDOW_SIZE, clipboard: Clipboard | None = None
    ) -> None:
        """Show a session.

        Args:
            session: The session.
            size: Width and height in pixels.
            clipboard: Where text is copied to and pasted from.
        """
        self.session = session
        self.is_open = True
        self.needs_drawing = True
        self.message = ""
        self.is_refusal = False
        self.dialog: Dialog | None = None
        self.clipboard = clipboard or Clipboard()
        self._keys_hand = TerminalHand(session)
        self._shows_cursor = False
        self._helpers = WindowHelpers(session, self._say, self._play)
        self._serial = session.serial
        self._commands: dict[str, Callable[[], None]] = {
            "enter": self._tap_or_drop,
            "space": lambda: self._use_cursor(self._keys_hand.take_or_drop_at_cursor),
            "escape": self._escape,
            "0": lambda: self._tap(STOCK_PILE),
            "o": lambda: self._when_free(lambda: session.look_for_column(self._keys_hand.place)),
            "u": lambda: self._when_free(session.undo),
            "r": self._ask_restart,
            "n": self._ask_new_game,
            "l": lambda: self._toggle_panel(HINTS_PANEL),
            "a": lambda: self._ask_agent(STEP),
            "p": lambda: self._ask_agent(ASK),
            "A": lambda: self._ask_agent(RUN),
            "g": self._ask_which_agent,
            "v": self._helpers.ask_winnable,
            "x": self._helpers.ask_useful_move,
            "y": self._copy_code,
            "?": self._show_help,
            "q": self._quit,
        }
        self._scene = Scene(size, None)
        self._mouse = MousePlay(session, self._scene.table, self._say)
        self._say("; ".join(session.take_notices()) or "drag cards or use keys; ? shows them all")

    # What there is, for tests and for the loop

    @property
    def table(self) -> Table:
        """The table as it is laid out now."""
        return self._scene.table

    @property
    def bar(self) -> Bar:
        """The line and the buttons below the table."""
        return self._scene.bar

    @property
    def panel(self) -> str | None:
        """What the panel shows: ``"hints"``, ``"agent"``, or None for no panel."""
        return self._scene.panel

    @property
    def cards_in_hand(self) -> tuple[Card, ...]:
        """The cards that the mouse holds, from the bottom."""
        return self._mouse.cards_in_hand

    @property
    def is_moving(self) -> bool:
        """Whether cards are in the mouse's hand or on their way, so that it must be drawn often."""
        return self._mouse.is_moving

    @property
    def is_waiting(self) -> bool:
        """Whether an agent or an answer is awaited."""
        return self._helpers.is_busy

    def close(self) -> None:
        """Stop what runs beside the game."""
        self.is_open = False
        self._helpers.forget()

    # Events

    def handle(self, event: pygame.event.Event) -> None:
        """Do what an event means."""
        self.needs_drawing |= event.type != pygame.MOUSEMOTION or self._mouse.is_pressed
        if event.type in (pygame.QUIT, pygame.WINDOWCLOSE):
            self._quit()
        elif event.type == pygame.VIDEORESIZE:
            self._lay_out(event.size, self.panel)
        elif event.type == pygame.KEYDOWN:
            name = key_name(event)
            if name:
                self._follow_key(name)
        elif event.type == pygame.MOUSEBUTTONDOWN:
            self._press(event.button, *event.pos)
        elif event.type == pygame.MOUSEMOTION:
            self._mouse.move(*event.pos)
        elif event.type == pygame.MOUSEBUTTONUP and event.button == _LEFT_BUTTON:
            self._release(*event.pos)
        elif event.type == pygame.WINDOWFOCUSLOST:
            self._mouse.put_back()
        else:
            return
        self._note_change()

    def tick(self, seconds: float) -> None:
        """Let time pass: cards slide on, and answers are looked for. Nothing else ever moves by itself."""
        if self._mouse.is_moving:
            self._mouse.tick(seconds)
            self.needs_drawing = True
        if self._helpers.is_busy:
            if not self._mouse.is_pressed and self.dialog is None:
                self._helpers.tick(seconds)
            self.needs_drawing = True
            self._note_change()

    def _note_change(self) -> None:
        """After a change of the game, drop what belonged to the position before, and tell what is to be told."""
        if self.session.serial != self._serial:
            self._serial = self.session.serial
            self._keys_hand.put_back()
            self._helpers.drop_question()
        self._keys_hand.follow()
        notices = self.session.take_notices()
        if notices:
            self._say("; ".join(notices))

    def _follow_key(self, key: str) -> None:
        """Do what a key, or the button that stands for it, means now."""
        if self._stop_agent():
            return
        if self.dialog is not None:
            self._with_dialog(lambda dialog: dialog.follow_key(key))
            return
        # A card in the mouse's hand goes back before anything else is done.
        if self._mouse.put_back() and key == "escape":
            return
        self._say("")
        if key in PLACE_KEYS:
            self._use_cursor(lambda: self._keys_hand.take_or_drop(PLACE_KEYS[key]))
        elif key in ("left", "right", "up", "down"):
            self._shows_cursor = True
            self._keys_hand.move_cursor(key)
        elif key in self._commands:
            self._commands[key]()
        else:
            self._say("that key does nothing; ? shows the keys")

    def _stop_agent(self) -> bool:
        """Stop an agent that plays on; return whether one did."""
        running = self._helpers.agent_is_running
        self._helpers.stop_agent()
        if running:
            self._say(f"{self.session.agent_name} stopped")
        return running

    def _with_dialog(self, use: Callable[[Dialog], None]) -> None:
        """Let the open dialog follow something, and close it when it is done."""
        dialog = self.dialog
        if dialog is not None:
            use(dialog)
            # What it did may have opened another one.
            if dialog.closed and self.dialog is dialog:
                self.dialog = None

    # Mouse

    def _press(self, button: int, x: int, y: int) -> None:
        """A mouse button went down."""
        if self._stop_agent():
            return
        if button != _LEFT_BUTTON or self._mouse.is_pressed:
            self._mouse.put_back()
        elif self.dialog is not None:
            self._with_dialog(lambda dialog: dialog.press(x, y))
        elif self._scene.bar.contains(y):
            key = self._scene.bar.key_at(x, y)
            if key is not None:
                self._follow_key(key)
        elif not self._scene.on_panel(x, y):
            self._mouse.slide = None
            self._shows_cursor = False
            self._keys_hand.put_back()
            self._mouse.press(x, y)

    def _release(self, x: int, y: int) -> None:
        """The left mouse button went up."""
        self._mouse.release(x, y)
        self._tell_if_won()

    # Playing

    def _play(self, play: Callable[[], Reply]) -> Reply:
        """Do something that may change the game, and show what came of it."""
        reply = self._mouse.play(play)
        self._tell_if_won()
        return reply

    def _tell_if_won(self) -> None:
        """Tell that the game is won."""
        if self.session.is_won:
            self._say(f"Won with {self.session.score_text}!   n: new game, u: undo")

    def _tap(self, place: str) -> None:
        """Tap a place by key."""
        self._when_free(lambda: self.session.tap(place))

    def _when_free(self, play: Callable[[], Reply]) -> None:
        """Do something that needs an empty hand; what keys had picked up goes back."""
        self._keys_hand.put_back()
        self._play(play)

    def _use_cursor(self, play: Callable[[], Reply]) -> None:
        """Do something with the keys' hand."""
        self._shows_cursor = True
        self._play(play)
        if self._keys_hand.is_full:
            self._say("in the hand: a place's key, or Space at the cursor, drops it; Escape puts it back")

    def _tap_or_drop(self) -> None:
        """Do what Enter does."""
        keys = self._keys_hand
        self._shows_cursor = True
        self._play((lambda: keys.drop(keys.place)) if keys.is_full else (lambda: self.session.tap(keys.place)))

    def _escape(self) -> None:
        """Put back, close the panel, or take a question back: one at a time."""
        if self._keys_hand.is_full:
            self._keys_hand.put_back()
        elif self.panel is not None:
            self._toggle_panel(self.panel)
        else:
            self._shows_cursor = False
        self._helpers.drop_question()

    # Commands

    def _quit(self) -> None:
        """Close the window; the game is kept."""
        self.is_open = False

    def _copy_code(self) -> None:
        """Copy the game code, or the 52 cards of a game that has none."""
        text = self.session.copy_text
        shared = self.clipboard.put(text)
        shown = text if len(text) < 20 else "the 52 cards"
        self._say(f"copied {shown}" if shared else f"no clipboard here; this game is {text}")

    def _ask_new_game(self) -> None:
        """Open the form for a new game."""
        self.dialog = new_game_form(self.session, self._begin_showing, self.clipboard.get)

    def _ask_restart(self) -> None:
        """Open the form that asks before all moves are given up, if there are any."""
        if self.session.action_count or self.session.undo_count:
            self.dialog = restart_form(self.session, self._begin_showing)
        else:
            self._play(self.session.restart)

    def _begin_showing(self, message: str) -> None:
        """Show another game, or the same one from its beginning."""
        self._helpers.forget()
        self._mouse.slide = None
        self._say(message)

    def _ask_agent(self, what: str) -> None:
        """Let the agent think, and show its thoughts."""
        self._keys_hand.put_back()
        self._show_panel(AGENT_PANEL)
        self._helpers.ask_agent(what)

    def _ask_which_agent(self) -> None:
        """Open the form for an agent."""
        self.dialog = agent_form(self.session, self._choose_agent, self.clipboard.get)

    def _choose_agent(self, name: str) -> None:
        """Load the chosen agent, and show its panel."""
        self._helpers.choose_agent(name)
        self._show_panel(AGENT_PANEL)

    def _show_help(self) -> None:
        """Show the keys."""
        self.dialog = HelpDialog()

    def _toggle_panel(self, panel: str) -> None:
        """Show or hide a panel."""
        self._show_panel(None if self.panel == panel else panel)

    def _show_panel(self, panel: str | None) -> None:
        """Show a panel, or none."""
        if panel != self.panel:
            self._lay_out(self._scene.size, panel)

    def _say(self, text: str, is_refusal: bool = False) -> None:
        """Write the line below the table."""
        self.message, self.is_refusal = text, is_refusal

    # Drawing

    def _lay_out(self, size: tuple[int, int], panel: str | None) -> None:
        """Lay everything out anew; cards in the air lie down."""
        self._scene = Scene(size, panel)
        self._mouse.lay_out(self._scene.table)
        self.needs_drawing = True

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the window on a surface; one of another size than before is laid out anew."""
        size = surface.get_size()
        if Scene.fitting(size) != self._scene.size:
            self._lay_out(size, self.panel)
        self.needs_drawing = False
        helpers = self._helpers
        shown = Shown(
            message=self.message,
            is_refusal=self.is_refusal,
            keys=self._keys_hand.marks(),
            shows_cursor=self._shows_cursor,
            flying=self._mouse.flying(),
            agent_runs=helpers.agent_is_running,
            agent_thinks=helpers.is_busy,
            choice=helpers.choice,
            choice_text=helpers.choice_text,
        )
        self._scene.draw(surface, self.session, shown)
        if self.dialog is not None:
            dim(surface)
            self.dialog.draw(surface)
