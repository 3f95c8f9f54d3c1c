"""``PlayerView``: what the player knows, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from klondike_env.arguments import check_flag
from klondike_env.board_text import board_text
from klondike_env.cards import CARD_COUNT, Card
from klondike_env.engine.single import UNDO_LIMIT, fill_unknown, write_unknown_cards
from klondike_env.engine.state import new_states
from klondike_env.errors import OptionError
from klondike_env.observation import observe
from klondike_env.position import Position

if TYPE_CHECKING:
    from klondike_env.game import Game


class PlayerView(Position):
    """A position as a player with perfect memory knows it.

    Face-down cards and talon cards that were never in sight are -1. The view carries neither the deal nor its number.
    ``Game.view()`` makes views; a policy is given one and cannot see more.
    """

    __slots__ = ()

    @property
    def states(self) -> npt.NDArray[Any]:
        """The view as a record array of one row (``klondike_env.engine.STATE_DTYPE``), for compiled agents.

        It is the view's own memory, to be read and not written.
        """
        return self._states

    @property
    def columns(self) -> npt.NDArray[np.int8]:
        """The columns as a new int8 array of shape (7, 19), from the bottom; -1 = face down or no card."""
        return np.array(self._state["columns"])

    @property
    def column_lengths(self) -> npt.NDArray[np.int8]:
        """The number of cards in each column as a new int8 array of shape (7,)."""
        return np.array(self._state["lengths"])

    @property
    def face_down_counts(self) -> npt.NDArray[np.int8]:
        """The number of face-down cards in each column as a new int8 array of shape (7,)."""
        return np.array(self._state["face_down"])

    @property
    def talon(self) -> npt.NDArray[np.int8]:
        """Waste from the bottom, then stock, as a new int8 array of shape (24,); -1 = not known or no card."""
        return np.array(self._state["talon"])

    @property
    def talon_length(self) -> int:
        """The number of cards in waste and stock together, 0-24."""
        return int(self._state["talon_length"])

    @property
    def waste_length(self) -> int:
        """The number of cards in the waste, 0-24."""
        return int(self._state["waste_length"])

    @property
    def foundation_heights(self) -> npt.NDArray[np.int8]:
        """The number of cards on each foundation as a new int8 array of shape (4,)."""
        return np.array(self._state["foundations"])

    @property
    def unknown_cards(self) -> list[Card]:
        """The cards whose places the player does not know, in ascending order."""
        cards = np.empty(CARD_COUNT, np.int8)
        count = write_unknown_cards(self._states, cards)
        unknown: list[int] = cards[:count].tolist()
        return unknown

    def observation(self, information: str = "remembered", squared: bool = False) -> npt.NDArray[np.int8]:
        """Return the observation of this view, a new int8 array of shape (37, 4, 13).

        Args:
            information: ``"visible"`` or ``"remembered"``; a view has no full information to give.
            squared: Whether columns are squared up.

        Raises:
            OptionError: Another kind of information, or ``squared`` is not True or False.
        """
        check_flag("squared", squared)
        if information == "full":
            raise OptionError("information is 'full', which a PlayerView does not hold; ask for 'remembered'")
        return observe(self._states, information, squared)

    def sample(self, rng: np.random.Generator) -> Game:
        """Return a complete game that agrees with everything the player knows.

        The unknown cards are dealt to the unknown places uniformly at random. The game has no deal and no number.

        Args:
            rng: Source of randomness.

        Returns:
            A game in this position, with nothing to undo.

        Raises:
            OptionError: ``rng`` is no generator.
        """
        if not isinstance(rng, np.random.Generator):
            raise OptionError(f"rng is {rng!r}; it must be a numpy Generator, such as numpy.random.default_rng(0)")
        from klondike_env.game import Game  # A game makes views and a view makes games.

        states = new_states(UNDO_LIMIT + 1)
        cards = rng.permutation(np.array(self.unknown_cards, np.int8))
        fill_unknown(self._states, cards, states)
        return Game(states)

    def copy(self) -> PlayerView:
        """Return an independent copy."""
        return PlayerView(self._content())

    def _content(self) -> npt.NDArray[Any]:
        """Return a copy that is the same to the byte for all views that tell the same.

        Numpy leaves the padding of a copied record undefined, so it is copied into zeros, field by field. And that a
        card was seen in the talon tells nothing once it has left it.
        """
        states = new_states(1)
        states[:] = self._states
        in_talon = 0
        for card in states["talon"][0].tolist():
            in_talon |= 1 << card if card >= 0 else 0
        states["seen"] &= in_talon
        return states

    def __str__(self) -> str:
        return board_text(self)

    def __getstate__(self) -> bytes:
        return self._content().tobytes()

    def __setstate__(self, state: bytes) -> None:
        states = new_states(1)
        states[:] = np.frombuffer(state, states.dtype)
        self.__init__(states)  # type: ignore[misc]  # Restoring is making anew from the same record.

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PlayerView) and self.__getstate__() == other.__getstate__()

    __hash__ = None  # type: ignore[assignment]  # Equal by content of a record that its game may share in kind.
