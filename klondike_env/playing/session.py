"""``PlaySession``: a person's game with all that window and terminal offer, without drawing.

Each call plays at most one action, keeps it in the saved game, and answers with a ``Reply``. What a frontend draws it
takes from ``view``, the ``PlayerView``, so that it cannot show more than the player knows.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from klondike_env.actions import TURN_STOCK
from klondike_env.board_text import stock_sign
from klondike_env.cards import Card, card_name
from klondike_env.errors import PolicyError, UndoError
from klondike_env.evaluation.thoughts import Thoughts
from klondike_env.game import Game
from klondike_env.playing import places
from klondike_env.playing.background import Background
from klondike_env.playing.new_games import make_game, random_game
from klondike_env.playing.places import PLACES
from klondike_env.playing.played_game import PlayedGame
from klondike_env.playing.playing_agent import AgentSeat, Choice, PlayingAgent
from klondike_env.playing.replies import NOTHING, LastMove, Reply
from klondike_env.playing.saved_games import SavedGame, SavedGames
from klondike_env.playing.taps import DOUBLE_TAP_SECONDS, FIRST, SPENT, TapTimer
from klondike_env.playing.useful_moves import WINNABLE_LIMIT, can_be_won, find_useful_move
from klondike_env.rules import Rules
from klondike_env.view import PlayerView

__all__ = ["DOUBLE_TAP_SECONDS", "PLACES", "LastMove", "PlaySession", "Reply"]


class PlaySession:
    """A person's game: moves, taps, drags, undo, help, an agent that plays on, and a record that is always kept."""

    def __init__(
        self,
        game: Game | None = None,
        saves: SavedGames | None = None,
        agent: str | PlayingAgent | None = None,
        clock: Callable[[], float] = time.monotonic,
        saved: SavedGame | None = None,
    ) -> None:
        """Begin a game, or go on with a kept one.

        Args:
            game: A game at its deal; by default one at random under the rules D1N.
            saves: Where games are kept; None keeps nothing.
            agent: An agent that may play on, or its name.
            clock: Returns seconds; for the time between taps.
            saved: A kept game to go on with, in place of ``game``; it is this session's to close from now on.

        Raises:
            PolicyError: No such agent.
        """
        self._saves = saves
        self._notices: list[str] = []
        self._clock = clock
        self._seat = AgentSeat(agent)
        self._serial = 0
        self._begin((random_game() if game is None else game) if saved is None else saved.record.start(), saved)

    @classmethod
    def open(
        cls,
        saves: SavedGames | None = None,
        *,
        code: str | None = None,
        deck: str | None = None,
        rules: str | None = None,
        new: bool = False,
        agent: str | None = None,
    ) -> PlaySession:
        """Go on with a game where it was left, or begin one.

        Without code and deck, the game that was played last goes on, unless it is won, has other rules than are asked
        for, or is being played by another process. With one, the last game of that deal and those rules goes on.

        Args:
            saves: Where games are kept; None keeps nothing.
            code: Game code.
            deck: 52 cards in deal order, or another program's deal.
            rules: Rules instead of the code's own; D1N for a deck or a new game.
            new: Whether to begin anew in any case.
            agent: Name of an agent that may play on.

        Raises:
            KlondikeError: A code, deck, rule set or agent that is none; nothing was begun.
        """
        wanted = make_game(code=code, deck=deck, rules=rules)
        # A wrong name is told before a kept game is touched.
        player = None if agent is None else PlayingAgent(agent)
        found: SavedGame | None = None
        notices: list[str] = []
        if saves is not None and not new:
            named = code is not None or deck is not None
            found = saves.go_on(wanted.deal if named else None, wanted.rules if named or rules else None, notices)
        session = cls(wanted, saves, player, saved=found)
        session._notices[:0] = notices
        return session

    # What there is to see

    @property
    def view(self) -> PlayerView:
        """What the player knows of the position; the same object until the game changes."""
        return self._played.view

    @property
    def serial(self) -> int:
        """A number that grows with every change of the game."""
        return self._serial + self._played.changes

    @property
    def rules(self) -> Rules:
        """The rules of this game."""
        return self._game.rules

    @property
    def score_text(self) -> str:
        """The score: points, or ``+$208``, ``$0``, ``-$52``."""
        return self._game.score_text

    @property
    def code_text(self) -> str:
        """The game code, with the rules behind it where they are not the code's own; ``own deck`` without one."""
        rules, code = self._game.rules, self._game.code
        if code is None:
            return f"own deck, {rules.name}"
        return code if rules.name == rules.mode else f"{code}, {rules.name}"

    @property
    def copy_text(self) -> str:
        """What is copied to name this game: its code, or the 52 cards of a deal that has none."""
        return self._game.code or self._game.deck or ""

    @property
    def passes_left(self) -> int | None:
        """Passes through the stock after the present one; None without limit."""
        return self._game.passes_left

    @property
    def stock_sign(self) -> str:
        """The number of cards in the stock, or what a tap on its empty place would do."""
        return stock_sign(self.view)

    @property
    def is_won(self) -> bool:
        """Whether all cards lie on the foundations."""
        return self._game.is_won

    @property
    def undo_count(self) -> int:
        """How many actions can be undone, 0-100."""
        return self._game.undo_count

    @property
    def action_count(self) -> int:
        """How many actions led here from the deal, those undone left out."""
        return len(self._played.moves)

    @property
    def actions(self) -> list[int]:
        """The actions that lead from the deal to the position."""
        return [move.action for move in self._played.moves]

    @property
    def last_move(self) -> LastMove | None:
        """The move that led here, or None at the deal."""
        moves = self._played.moves
        return moves[-1] if moves else None

    @property
    def saved_path(self) -> Path | None:
        """The file that this game is kept in, or None."""
        saved = self._played.saved
        return None if saved is None else saved.path

    def take_notices(self) -> list[str]:
        """Return what the player should be told now, oldest first, once."""
        notices, self._notices = [*self._notices, *self._played.take_notices()], []
        return notices

    def game_copy(self) -> Game:
        """Return a copy of the game, all cards known to it: for checks, not for drawing."""
        return self._game.copy()

    # Playing

    def act(self, action: int) -> Reply:
        """Play an action, 0-85.

        Raises:
            ActionError: The index is outside 0-85.
        """
        self._taps.forget()
        return self._act(action)

    def tap(self, place: str) -> Reply:
        """Tap a place.

        The stock turns or redeals. The top card of waste or column goes to its foundation; if it cannot, a second tap
        within ``DOUBLE_TAP_SECONDS`` looks for a column: the longest that takes it, an empty one for a king. After a
        tap that moved a card, quick further taps on the same place do nothing. A foundation is only dragged from.

        Raises:
            PileError: There is no such place.
        """
        action = places.tap_action(place)
        if action is None:
            self._taps.forget()
            return Reply(reason="a foundation's card can be dragged back to a column; a tap does nothing")
        if action == TURN_STOCK:
            self._taps.forget()
            return self._act(action)
        kind = self._taps.kind(place)
        if kind == SPENT:
            return NOTHING
        reply = self._act(action) if kind == FIRST else self._look_for_column(place)
        if reply.changed:
            self._taps.note_moved()
        return reply

    def look_for_column(self, place: str) -> Reply:
        """Do at once what two quick taps do: the top card goes up if it can, and else to the longest column for it.

        Raises:
            PileError: There is no such place.
        """
        self._taps.forget()
        return self._look_for_column(place)

    def _look_for_column(self, place: str) -> Reply:
        """Do what a second tap does."""
        action = places.tap_action(place)
        if action in (None, TURN_STOCK):
            return Reply(reason="only a top card of waste or column can look for a column")
        found = self._game.copy().double_tap(place)
        if found is not None:
            return self._act(found)
        cards = places.cards_at(self.view, place)
        if not cards:
            return Reply(reason=f"{place if place in places.COLUMN_PLACES else f'the {place}'} is empty")
        return Reply(reason=f"no column takes {card_name(cards[-1])}, and it does not go up")

    def pick_up(self, source: str, card: Card) -> str | None:
        """Return in one line why a card cannot be picked up from a place, or None if it can; nothing changes.

        Raises:
            PileError: There is no such place.
        """
        return places.pick_up_reason(self.view, source, card)

    def picked_up_cards(self, source: str, card: Card) -> list[Card]:
        """Return the cards that come along when one is picked up, from the bottom, it first; none if it cannot be.

        Raises:
            PileError: There is no such place.
        """
        return places.picked_up_cards(self.view, source, card)

    def drop_targets(self, source: str, card: Card) -> dict[str, int]:
        """Return the places that take a card from where it lies, each with its action.

        Raises:
            PileError: There is no such place.
        """
        return places.drop_targets(self.view, source, card)

    def drag(self, source: str, card: Card, target: str | None) -> Reply:
        """Drag a card, and those on it, from one place to another.

        Args:
            source: Place that the card lies at.
            card: The card, -1 for one that lies face down.
            target: Place that it is dropped on; its own place or None puts it back.

        Raises:
            PileError: There is no such place.
        """
        self._taps.forget()
        places.check_place(source)
        if target is None or target == source:
            return NOTHING
        action, reason = places.drag_action(self.view, source, card, target)
        return Reply(reason=reason) if action is None else self._act(action)

    def move(self, source: str, target: str) -> Reply:
        """Move from one place to another whichever card goes there, with those on it; from the stock to the waste.

        Raises:
            PileError: There is no such place.
        """
        self._taps.forget()
        places.check_place(source)
        if target == source:
            return NOTHING
        action, reason = places.move_action(self.view, source, target)
        return Reply(reason=reason) if action is None else self._act(action)

    def undo(self) -> Reply:
        """Take the last action back, with its points; the last 100 are kept."""
        self._taps.forget()
        before = self._game.score
        try:
            move = self._played.undo()
        except UndoError as error:
            return Reply(reason=str(error))
        return Reply(action=move.action, points=self._game.score - before, changed=True)

    def restart(self) -> Reply:
        """Deal the same cards again; nothing can be undone then."""
        self._taps.forget()
        if not self.action_count and not self.undo_count:
            return Reply(reason="the game stands at its beginning")
        before = self._game.score
        try:
            self._played.restart()
        except UndoError as error:
            return Reply(reason=str(error))
        return Reply(points=self._game.score - before, changed=True)

    def new_game(self, rules: str | None = None, *, code: str | None = None, deck: str | None = None) -> Reply:
        """Leave this game, which stays kept, and begin another.

        Args:
            rules: Rule set of a game with a random number (by default this game's), or instead of a code's own.
            code: Code of a certain game.
            deck: 52 cards in deal order, or another program's deal.

        Raises:
            KlondikeError: A code, deck or rule set that is none; nothing has changed.
        """
        if rules is None and code is None:
            rules = self._game.rules.name
        game = make_game(code=code, deck=deck, rules=rules)
        self._notices += self._played.leave(for_another=True)
        self._serial = self.serial + 1
        self._begin(game)
        return Reply(changed=True)

    # Help

    def hints(self) -> list[int]:
        """Return all legal actions, the mask of the position; none once the game is won."""
        return self._game.legal_actions()

    def move_text(self, action: int, *, symbols: bool = False) -> str:
        """Return what an action does here, in words with card names.

        Raises:
            ActionError: The index is outside 0-85.
        """
        return places.move_text(self.view, action, symbols=symbols)

    def places_of(self, action: int) -> tuple[str, str]:
        """Return the places that an action leads from and to.

        Raises:
            ActionError: The index is outside 0-85.
        """
        return places.places_of(self.view, action)

    def ask_winnable(self, time_limit: float = WINNABLE_LIMIT) -> Background[str]:
        """Ask the solver, which knows all cards, whether the game can still be won.

        Args:
            time_limit: Seconds after which the answer is "unknown".

        Returns:
            Work whose result is ``"yes"``, ``"no"`` or ``"unknown"``.
        """
        game = self._game.copy()
        return Background(lambda stopped: can_be_won(game, time_limit, stopped))

    def ask_useful_move(self) -> Background[str]:
        """Ask whether a useful move is left; the answer is one line, from what the player knows."""
        game = self._game.copy()
        return Background(lambda stopped: find_useful_move(game, stopped))

    # An agent that plays on

    @property
    def agent_name(self) -> str | None:
        """The name of the agent that may play on, or None."""
        return self._seat.agent_name

    def choose_agent(self, name: str | None) -> None:
        """Choose the agent that may play on, or none.

        Raises:
            PolicyError: No such agent; the one before stays.
        """
        self._seat.choose(name)

    def agent_begin(self) -> Background[Choice]:
        """Let the agent think of the position; while nothing changes, this is the same piece of work.

        Raises:
            PolicyError: No agent is chosen, or no action is legal.
        """
        return self._seat.begin(self._game, self.action_count, self.serial)

    @property
    def agent_choice(self) -> Choice | None:
        """What the agent would play here, once it has thought; else None, also if it failed."""
        return self._seat.choice(self.serial)

    @property
    def agent_is_done(self) -> bool:
        """Whether the agent has no use in playing on: the game is won, nothing is legal, or it gave up."""
        choice = self.agent_choice
        return not self._game.legal_actions() or (choice is not None and choice.gave_up)

    def agent_step(self) -> Reply:
        """Play the agent's choice; it thinks first, and this waits for it, if it has not yet."""
        try:
            choice = self.agent_begin().result()
        except PolicyError as error:
            self._seat.stop()
            return Reply(reason=str(error))
        self._taps.forget()
        reply = self._act(choice.action, choice.thoughts)
        self._seat.note_played(self.serial)
        return reply

    # Keeping

    def close(self) -> None:
        """End the session; the game is kept as it lies and can go on at any time."""
        self._seat.stop()
        self._notices += self._played.leave()

    def __enter__(self) -> PlaySession:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _act(self, action: int, thoughts: Thoughts | None = None) -> Reply:
        """Play an action if it is legal."""
        reason = self._game.illegal_reason(action)
        if reason is not None:
            return Reply(reason=reason)
        points = self._played.play(int(action), thoughts)
        return Reply(action=int(action), points=points, changed=True)

    def _begin(self, game: Game, saved: SavedGame | None = None) -> None:
        """Take a game as the one that is played, and keep it."""
        if saved is None and self._saves is not None and game.deal is not None:
            saved = self._saves.begin(game.deal, game.rules, self._notices)
        self._game = game
        self._played = PlayedGame(game, saved)
        self._taps = TapTimer(self._clock)
        self._seat.stop()
