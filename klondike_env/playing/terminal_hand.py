"""The cursor on the table, and the cards in the hand, by keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from klondike_env.actions import STOCK_PILE, WASTE_PILE
from klondike_env.cards import SUIT_NAMES, Card
from klondike_env.playing.places import COLUMN_PLACES, cards_at, column_number
from klondike_env.playing.replies import Reply
from klondike_env.playing.session import PlaySession
from klondike_env.playing.terminal_board import FOUNDATION_KEYS, Marks

PLACE_KEYS: Final = {
    "w": WASTE_PILE,
    **dict(zip(FOUNDATION_KEYS, SUIT_NAMES, strict=True)),
    **{str(column_number(place)): place for place in COLUMN_PLACES},
}
"""The place of each key; the stock has ``0``, which taps it."""

_TOP_PLACES: Final = (STOCK_PILE, WASTE_PILE, *SUIT_NAMES)
# The waste's fan stands over two columns, so the first foundation stands over the fourth.
_TOP_SLOTS: Final = (0, 1, 3, 4, 5, 6)


class TerminalHand:
    """A cursor and a hand. What is in the hand stays on the table until it is dropped."""

    def __init__(self, session: PlaySession) -> None:
        """Begin with the cursor on the stock and an empty hand."""
        self._session = session
        self._place = STOCK_PILE
        self._depth = 0
        self._source: str | None = None
        self._card: Card | None = None

    @property
    def place(self) -> str:
        """The place of the cursor."""
        return self._place

    @property
    def is_full(self) -> bool:
        """Whether something is in the hand."""
        return self._source is not None

    def put_back(self) -> None:
        """Empty the hand; nothing has moved."""
        self._source = self._card = None

    def follow(self) -> None:
        """Keep the cursor on a card that is there, after a change of the game."""
        first, last = self._range()
        self._depth = min(max(self._depth, first), last)

    def marks(self) -> Marks:
        """Return what is to be marked on the table."""
        session, source = self._session, self._source
        cards: list[Card] = []
        targets: dict[str, int] = {}
        if source is not None and self._card is not None:
            cards = session.picked_up_cards(source, self._card)
            targets = session.drop_targets(source, self._card)
        elif source is not None:
            cards = [card for card in cards_at(session.view, source) if card >= 0]
            cards = cards if column_number(source) else cards[-1:]
            targets = {
                target: action
                for action in session.hints()
                for start, target in [session.places_of(action)]
                if start == source
            }
        move = session.last_move
        return Marks(self._place, self._depth, source, cards, targets, () if move is None else move.cards)

    def move_cursor(self, direction: str) -> None:
        """Move the cursor ``"left"``, ``"right"``, ``"up"`` or ``"down"``."""
        if self._place in COLUMN_PLACES:
            self._move_in_columns(direction)
        else:
            slot = _TOP_PLACES.index(self._place)
            if direction == "down":
                self.go_to(COLUMN_PLACES[_TOP_SLOTS[slot]], top=False)
            elif direction in ("left", "right"):
                step = 1 if direction == "right" else -1
                self.go_to(_TOP_PLACES[(slot + step) % len(_TOP_PLACES)])

    def _move_in_columns(self, direction: str) -> None:
        """Move the cursor from a column's card."""
        index = COLUMN_PLACES.index(self._place)
        first, last = self._range()
        if direction in ("left", "right"):
            step = 1 if direction == "right" else -1
            self.go_to(COLUMN_PLACES[(index + step) % len(COLUMN_PLACES)])
        elif direction == "down":
            self._depth = min(self._depth + 1, last)
        elif self._depth > first:
            self._depth -= 1
        else:
            slot = max(slot for slot in range(len(_TOP_SLOTS)) if _TOP_SLOTS[slot] <= index)
            self.go_to(_TOP_PLACES[slot])

    def go_to(self, place: str, *, top: bool = True) -> None:
        """Put the cursor on a place, in a column on its last card or on its first face-up one."""
        self._place = place
        first, last = self._range()
        self._depth = last if top else first

    def take_or_drop(self, place: str) -> Reply:
        """Do what a place's key does: pick up whatever fits from there, or drop what is in the hand."""
        self.go_to(place)
        if self._source is not None:
            return self.drop(place)
        cards = cards_at(self._session.view, place)
        reason = self._session.pick_up(place, cards[-1] if cards else -1)
        if reason is None:
            self._source = place
        return Reply(reason=reason)

    def take_or_drop_at_cursor(self) -> Reply:
        """Pick up the card under the cursor, or drop at the cursor what is in the hand."""
        if self._source is not None:
            return self.drop(self._place)
        cards = cards_at(self._session.view, self._place)
        index = self._depth if self._place in COLUMN_PLACES else -1
        card = cards[index] if cards else -1
        reason = self._session.pick_up(self._place, card)
        if reason is None:
            self._source, self._card = self._place, card
        return Reply(reason=reason)

    def drop(self, place: str) -> Reply:
        """Drop what is in the hand on a place; it goes back where it came from if that does not take it."""
        source, card = self._source, self._card
        self.put_back()
        if source is None:
            return Reply()
        play: Callable[[], Reply] = (
            (lambda: self._session.move(source, place))
            if card is None
            else (lambda: self._session.drag(source, card, place))
        )
        return play()

    def _range(self) -> tuple[int, int]:
        """Return the first face-up and the last card, by index, of the column under the cursor."""
        number = column_number(self._place)
        if number is None:
            return 0, 0
        view = self._session.view
        last = max(len(view.column(number)) - 1, 0)
        return min(view.face_down_count(number), last), last
