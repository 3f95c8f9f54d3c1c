"""Taps and drags of the mouse, and the slides of moved cards."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from klondike_env.actions import STOCK_PILE
from klondike_env.cards import Card
from klondike_env.playing.replies import Reply
from klondike_env.playing.session import PlaySession
from klondike_env.playing.window_hand import SLIDE_SECONDS, MouseHand, Slide
from klondike_env.playing.window_table import Table
from klondike_env.rendering.painter import last_move_marks


class Say(Protocol):
    """Writes the line below the table."""

    def __call__(self, text: str, is_refusal: bool = False) -> None:
        """Write a line; tell whether it says why something was refused."""


class MousePlay:
    """Plays what the mouse asks for, and lets whatever moves slide to its place.

    Attributes:
        table: The table as it is laid out.
        slide: Cards on their way, or None.
    """

    def __init__(self, session: PlaySession, table: Table, say: Say) -> None:
        """Begin with an empty hand."""
        self._session = session
        self._say = say
        self.table = table
        self.slide: Slide | None = None
        self._hand: MouseHand | None = None

    @property
    def is_pressed(self) -> bool:
        """Whether the mouse button went down on a place and has not come up."""
        return self._hand is not None

    @property
    def cards_in_hand(self) -> tuple[Card, ...]:
        """The cards that the mouse holds, from the bottom."""
        return () if self._hand is None else self._hand.cards

    @property
    def is_moving(self) -> bool:
        """Whether cards are in the hand or on their way."""
        return self.slide is not None or bool(self.cards_in_hand)

    def lay_out(self, table: Table) -> None:
        """Take another table; cards in the air lie down where they belong."""
        self.table = table
        self.slide = self._hand = None

    def press(self, x: int, y: int) -> None:
        """The button went down."""
        found = self.table.card_at(self._session.view, x, y)
        if found is not None:
            self._hand = MouseHand(*found, x, y)

    def move(self, x: int, y: int) -> None:
        """The mouse moved; a card that it went down on is picked up once it is far enough."""
        hand, session = self._hand, self._session
        if hand is None or not hand.follow(x, y) or hand.cards or hand.refused:
            return
        reason = session.pick_up(hand.place, hand.card)
        if reason is None:
            cards = session.picked_up_cards(hand.place, hand.card)
            rects = self.table.card_rects(session.view)
            hand.pick_up(cards, [rects[card] for card in cards])
            self._say("")
        else:
            hand.refused = True
            if hand.place != STOCK_PILE:
                self._say(reason, True)

    def release(self, x: int, y: int) -> None:
        """The button went up: the end of a tap or of a drag."""
        self.move(x, y)
        hand, self._hand = self._hand, None
        if hand is None:
            return
        if hand.cards:
            self._drop(hand)
            return
        found = self.table.card_at(self._session.view, x, y)
        # A press that wandered off is no tap; a shaky one on the stock is.
        if found is not None and found[0] == hand.place and (not hand.refused or hand.place == STOCK_PILE):
            self._say("")
            self.play(lambda: self._session.tap(hand.place))

    def _drop(self, hand: MouseHand) -> None:
        """Let the cards in the hand go where they are; where they cannot stay they slide back."""
        target = self.table.drop_place(self._session.view, hand.rects()[0])
        if target is None or not self.play(lambda: self._session.drag(hand.place, hand.card, target), hand).changed:
            self.slide = hand.slide_back()

    def put_back(self) -> bool:
        """Let cards in the hand slide back; return whether there were any."""
        hand, self._hand = self._hand, None
        if hand is None or not hand.cards:
            return False
        self.slide = hand.slide_back()
        return True

    def tick(self, seconds: float) -> None:
        """Let cards slide on."""
        if self.slide is not None and not self.slide.tick(seconds):
            self.slide = None

    def play(self, play: Callable[[], Reply], hand: MouseHand | None = None) -> Reply:
        """Do something that may change the game, tell why if it did not, and let moved cards slide to their place.

        Args:
            play: What is to be done.
            hand: The hand that the cards come from, if they do.
        """
        before = self._session.view
        places = self.table.card_rects(before)
        if hand is not None:
            places |= dict(zip(hand.cards, hand.rects(), strict=True))
        reply = play()
        if reply.reason is not None:
            self._say(reply.reason, True)
        if reply.changed and reply.action is not None:
            after = self._session.view
            now = self.table.card_rects(after)
            moved = sorted(last_move_marks(before, after)[0], key=lambda card: (now[card].x, now[card].y))
            if moved:
                # Cards that were not in sight come from the stock.
                start = [places.get(card, self.table.layout.stock) for card in moved]
                self.slide = Slide(moved, start, [now[card] for card in moved], SLIDE_SECONDS)
        return reply

    def flying(self) -> list[tuple[Card, int, int]]:
        """Return the cards in the air, each with its upper left corner, in the order to be drawn."""
        flying: list[tuple[Card, int, int]] = []
        if self.slide is not None:
            flying += [(card, x, y) for card, (x, y) in zip(self.slide.cards, self.slide.corners(), strict=True)]
        if self._hand is not None and self._hand.cards:
            flying += [(card, r.x, r.y) for card, r in zip(self._hand.cards, self._hand.rects(), strict=True)]
        return flying
