"""Plays in a window as a person does: with events of mouse and keys, and looks at the game behind it."""

import time
from collections.abc import Callable
from typing import Any

import numpy.typing as npt
from oracle.positions import CASE_DECKS

from klondike_env import Game, parse_card
from klondike_env.cards import Card
from klondike_env.playing.session import PlaySession
from klondike_env.playing.window import Window
from klondike_env.playing.window_clipboard import Clipboard
from klondike_env.rendering.env_renderer import load_pygame
from klondike_env.rendering.table_layout import Rect

load_pygame()
import pygame  # noqa: E402  # after the loader, so that it does not greet

NAMED_KEYS = {
    "enter": pygame.K_RETURN,
    "space": pygame.K_SPACE,
    "escape": pygame.K_ESCAPE,
    "backspace": pygame.K_BACKSPACE,
    "tab": pygame.K_TAB,
    "left": pygame.K_LEFT,
    "right": pygame.K_RIGHT,
    "up": pygame.K_UP,
    "down": pygame.K_DOWN,
}


class FakeClock:
    """A clock that only moves when told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class FakeClipboard(Clipboard):
    """A clipboard of the test's own."""

    def __init__(self, text: str = "") -> None:
        super().__init__()
        self.text = text

    def put(self, text: str) -> bool:
        self.text = text
        return True

    def get(self) -> str:
        return self.text


class Player:
    """A person before a window."""

    def __init__(self, game: Game | PlaySession, size: tuple[int, int] = (900, 700), agent: str | None = None) -> None:
        self.clock = FakeClock()
        session = game if isinstance(game, PlaySession) else PlaySession(game, agent=agent, clock=self.clock)
        self.session = session
        self.clipboard = FakeClipboard()
        self.window = Window(session, size, self.clipboard)
        self.surface = pygame.Surface(size, 0, 32)

    @property
    def game(self) -> Game:
        """A copy of the game behind the window."""
        return self.session.game_copy()

    def draw(self) -> None:
        self.window.draw(self.surface)

    def send(self, kind: int, **values: object) -> None:
        self.window.handle(pygame.event.Event(kind, **values))

    def wait(self, seconds: float) -> None:
        """Let time pass in small steps."""
        self.clock.now += seconds
        while seconds > 0:
            self.window.tick(min(seconds, 0.05))
            seconds -= 0.05

    def wait_until(self, ready: Callable[[], bool], limit: float = 60.0) -> None:
        """Let real time pass until something is so, for work in other threads."""
        end = time.monotonic() + limit
        while not ready():
            assert time.monotonic() < end, "waited too long"
            self.window.tick(0.02)
            time.sleep(0.005)

    # Keys

    def key(self, name: str, mod: int = 0) -> None:
        """Press a key by its name or letter."""
        code = NAMED_KEYS.get(name, ord(name.lower()) if len(name) == 1 else 0)
        letter = name if len(name) == 1 else ""
        self.send(pygame.KEYDOWN, key=code, unicode=letter, mod=mod)

    def keys(self, *names: str) -> None:
        for name in names:
            self.key(name)

    def type(self, text: str) -> None:
        for letter in text:
            self.key("space" if letter == " " else letter)

    # Mouse

    def rect(self, card: str | Card) -> Rect:
        """Return where a card in sight lies."""
        number = parse_card(card) if isinstance(card, str) else card
        return self.window.table.card_rects(self.session.view)[number]

    def grip(self, card: str) -> tuple[int, int]:
        """Return a point at which the card can be seen and taken."""
        rect = self.rect(card)
        return rect.x + 5, rect.y + 4

    def place_point(self, place: str) -> tuple[int, int]:
        """Return the middle of a place's top card."""
        return self.window.table.pile_rect(self.session.view, place).center

    def press(self, point: tuple[int, int], button: int = 1) -> None:
        self.send(pygame.MOUSEBUTTONDOWN, button=button, pos=point)

    def move(self, point: tuple[int, int]) -> None:
        self.send(pygame.MOUSEMOTION, pos=point, rel=(0, 0), buttons=(1, 0, 0))

    def release(self, point: tuple[int, int]) -> None:
        self.send(pygame.MOUSEBUTTONUP, button=1, pos=point)

    def click(self, point: tuple[int, int]) -> None:
        self.press(point)
        self.release(point)

    def tap(self, place: str) -> None:
        """Tap a place, long after the last tap."""
        self.clock.now += 5.0
        self.click(self.place_point(place))

    def quick_taps(self, place: str, count: int) -> None:
        """Tap a point several times quickly; the point stays where it is when cards leave."""
        self.clock.now += 5.0
        point = self.place_point(place)
        for _ in range(count):
            self.click(point)
            self.clock.now += 0.1

    def take(self, card: str) -> tuple[int, int]:
        """Press on a card and move a little, so that it is in the hand; return the point."""
        x, y = self.grip(card)
        self.press((x, y))
        self.move((x + 20, y + 10))
        return x, y

    def drag(self, card: str, place: str) -> None:
        """Drag a card onto a place, the card's corner to that of the place's top card."""
        rect = self.rect(card)
        x, y = self.take(card)
        target = self.window.table.pile_rect(self.session.view, place)
        end = (x + target.x - rect.x, y + target.y - rect.y)
        self.move(((x + end[0]) // 2, (y + end[1]) // 2))
        self.release(end)
        self.wait(1.0)

    def press_button(self, key: str) -> None:
        """Press a button of the bar."""
        self.click(self.window.bar.boxes[key].center)


def start(deck: str, rules: str = "D1N", actions: tuple[int, ...] = ()) -> Player:
    """Begin with a case deck, and play actions in the window's session."""
    player = Player(Game.from_deck(CASE_DECKS[deck], rules))
    for action in actions:
        assert player.session.act(action).changed
    return player


def legal(player: Player) -> set[int]:
    """Return the legal actions as a set."""
    return set(player.game.legal_actions())


def check_cards(player: Player) -> None:
    """Check that the game is sound, with 52 different cards and none in the air."""
    assert player.game.validate() == []
    assert not player.window.cards_in_hand


def seen(player: Player) -> npt.NDArray[Any]:
    """Return what the window shows."""
    player.draw()
    return pygame.surfarray.array3d(player.surface)
