"""A game with its history, kept after every action: what stands behind a session."""

from __future__ import annotations

from klondike_env.evaluation.thoughts import Thoughts
from klondike_env.game import Game
from klondike_env.playing.places import places_of
from klondike_env.playing.replies import LastMove
from klondike_env.playing.saved_games import SavedGame
from klondike_env.records import RESTART, UNDO, Entry
from klondike_env.view import PlayerView


class PlayedGame:
    """A ``Game``, the moves that led to its position, and the saved game that holds both.

    Attributes:
        game: The game. It is changed only through this class.
        moves: The moves that lead from the deal to the position, those undone left out.
        saved: Where it is kept, or None.
        changes: How often the position has changed since the game was taken up.
    """

    def __init__(self, game: Game, saved: SavedGame | None = None) -> None:
        """Take up a game; with a saved one that holds moves, the game goes on where it was left.

        Args:
            game: A game, nothing played yet.
            saved: Where it is kept.
        """
        self.game = game
        self.moves: list[LastMove] = []
        self.saved = saved
        self.changes = 0
        self._view: PlayerView | None = None
        for entry in () if saved is None else saved.record.entries:
            if entry.action is not None:
                self._play(entry.action)
            else:
                entry.play(game)
                self._forget_moves(entry)

    @property
    def view(self) -> PlayerView:
        """What the player knows; the same object until the position changes."""
        if self._view is None:
            self._view = self.game.view()
        return self._view

    def play(self, action: int, thoughts: Thoughts | None = None) -> int:
        """Play a legal action and keep it.

        Args:
            action: Action index, 0-85.
            thoughts: What an agent thought of it.

        Returns:
            The change in score.

        Raises:
            ActionError: The action is outside 0-85 or not legal; nothing has changed.
        """
        points = self._play(action)
        self._keep(Entry(action, thoughts=thoughts))
        return points

    def undo(self) -> LastMove:
        """Take the last action back, and return the move that it was.

        Raises:
            UndoError: Nothing is left to undo.
        """
        self.game.undo()
        move = self.moves[-1]
        self._forget_moves(Entry(UNDO))
        self._keep(Entry(UNDO))
        return move

    def restart(self) -> None:
        """Deal the same cards again."""
        self.game.restart()
        self._forget_moves(Entry(RESTART))
        self._keep(Entry(RESTART))

    def take_notices(self) -> list[str]:
        """Return what the player should be told of the saved game, once."""
        return [] if self.saved is None else self.saved.take_notices()

    def leave(self, *, for_another: bool = False) -> list[str]:
        """Close the saved game and return what the player should be told.

        Args:
            for_another: Whether another game takes its place; a game in which nothing was done is then not kept.
        """
        if self.saved is None:
            return []
        saved, self.saved = self.saved, None
        saved.close(self.game, forget_unplayed=for_another)
        return saved.take_notices()

    def _play(self, action: int) -> int:
        """Play an action and remember the move; return its points."""
        cards = tuple(self.game.moved_cards(action))
        source, target = places_of(self.game, action)
        points = self.game.play(action)
        self.moves.append(LastMove(action, cards, source, target))
        return points

    def _forget_moves(self, entry: Entry) -> None:
        """Drop the moves that an undo or restart took back."""
        if entry.move == UNDO:
            self.moves.pop()
        else:
            self.moves.clear()

    def _keep(self, entry: Entry) -> None:
        """Keep what was done, and forget what belonged to the position before."""
        self.changes += 1
        self._view = None
        if self.saved is not None:
            self.saved.append(entry)
