"""A slow second opinion on the rules: one game, its legal moves, scores, rewards and ends.

It shares nothing with the package under test and favours the naive way over the fast one. Where the rules
leave something open, it holds to these decisions:

* Vegas stake: the -52 is part of the reward (kinds "score" and "table") of the first legal action, or of
  the step that ends the game, whichever comes first. An illegal action pays 0; only the illegal first step
  of a game lost from the deal on, which ends that game, pays the stake and nothing else.
* Vegas with more than one pass by override: a redeal costs 0. Normal: score = max(score - 100, 0).
* In sight on the waste: with fan, all cards of the last turn; the others stay in sight when the top is
  played, and when all of them are gone just the new top is in sight. Without fan only ever the top. Nothing
  after a redeal. "Seen" are the cards that were ever in sight.
* A king with nothing face down beneath it may move to another empty column.
* Aces "must": while an ace can go up, only moves of aces to their foundation are legal, no turn either.
  Aces "first": until all four aces lie up, no other card may go to a foundation; nothing else changes.
* A won game has no legal actions at rules level; a lost one still has its turns. The mask of an ended game
  is all ones, except that a game lost from the deal on shows its exact mask until the first step.
* Planes 0-10 and 13 show each card once under "visible" and "remembered"; 13 is what 0-10 do not show.
  `squared` leaves the last card of each column in 0-6 and empties 21-27; what it covers counts as plane 13.
* "full" fills 14-20, and 11 and 12 for the whole talon; plane 10 stays what was seen before, 13 is empty,
  `squared` has no effect.
* Plane 11 counts the present talon from 1, waste bottom first. Plane 12 counts turns and redeals by stock
  and passes alone: an ace that must be played does not stop the count, for an unknown ace would show in it.
  Both stand for cards in sight ("visible"), also for remembered ones ("remembered"), or for all ("full").
* Plane 30 is min(3, passes left after this one), 4 if unlimited; plane 32 is min(score, 100), 0 under vegas.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .oracle_rules import (
    ACTION_COUNT,
    ALL_CARDS,
    MOVES,
    POINTS,
    RANKS,
    Move,
    OracleRules,
    is_red,
    rank_of,
    suit_of,
)


class ColumnCard(NamedTuple):
    """A card of a column."""

    card: str
    face_up: bool


class OracleGame:
    """One game in progress.

    Attributes:
        rules: The rule set.
        columns: Seven lists of `ColumnCard`, the last one lying free.
        foundations: Four lists of cards, spades, hearts, diamonds, clubs, ace first.
        stock: Face-down cards, the first is turned next.
        waste: Turned cards, the last is the top.
        in_sight: How many cards at the end of `waste` can be seen.
        seen: Cards that were ever in sight on the waste.
        redeals: Redeals made.
        score: Points by the table.
        paid: Cards whose way up has been paid as reward.
        rewards: What the last action paid under each kind of reward.
        begun: Whether a step has been taken.
    """

    def __init__(self, deck: Sequence[str], rules: OracleRules) -> None:
        assert sorted(deck) == sorted(ALL_CARDS), "a deck has each of the 52 cards once"
        assert rules.passes is None or rules.passes >= 1, rules.passes
        self.rules = rules
        self.stock = list(deck)
        self.columns: list[list[ColumnCard]] = [[] for _ in range(7)]
        for row in range(7):
            for column in range(row, 7):
                self.columns[column].append(ColumnCard(self.stock.pop(0), face_up=column == row))
        self.foundations: list[list[str]] = [[], [], [], []]
        self.waste: list[str] = []
        self.in_sight = 0
        self.seen: set[str] = set()
        self.redeals = 0
        self.score = rules.stake
        self.paid: set[str] = set()
        self.rewards = {"score": 0, "table": 0, "win": 0}
        self.begun = False

    def copy(self) -> "OracleGame":
        """A game with piles of its own in the same position."""
        other = OracleGame.__new__(OracleGame)
        other.rules = self.rules
        other.columns = [list(column) for column in self.columns]
        other.foundations = [list(pile) for pile in self.foundations]
        other.stock = list(self.stock)
        other.waste = list(self.waste)
        other.in_sight = self.in_sight
        other.seen = set(self.seen)
        other.redeals = self.redeals
        other.score = self.score
        other.paid = set(self.paid)
        other.rewards = dict(self.rewards)
        other.begun = self.begun
        return other

    @property
    def passes_left(self) -> int | None:
        """Passes through the stock left after the present one, None if unlimited."""
        return None if self.rules.passes is None else self.rules.passes - 1 - self.redeals

    def visible_waste(self) -> list[str]:
        """Waste cards in sight, the top last."""
        return self.waste[len(self.waste) - self.in_sight :]

    def can_turn_stock(self) -> bool:
        """Whether stock and passes allow a turn or a redeal, whatever the aces rule says."""
        if self.stock:
            return True
        return bool(self.waste) and (self.passes_left is None or self.passes_left > 0)

    def turn_stock(self) -> None:
        """Turn cards, or put the waste back if the stock is empty; only the cards, no points."""
        assert self.can_turn_stock()
        if self.stock:
            turned = self.stock[: self.rules.draw]
            del self.stock[: self.rules.draw]
            self.waste += turned
            self.in_sight = len(turned) if self.rules.fan else 1
        else:
            self.stock, self.waste = self.waste, []
            self.in_sight = 0
            self.redeals += 1
        self.seen.update(self.visible_waste())

    def stock_position(self) -> tuple[int, int | None]:
        """What tells stock positions apart while nothing but the stock is turned."""
        return len(self.stock), self.passes_left

    def legal_actions(self) -> list[int]:
        """Action indices that the rules allow now, ascending; none after a win."""
        if self.is_won():
            return []
        actions = [action for action in range(ACTION_COUNT) if self._is_possible(MOVES[action])]
        if self.rules.aces == "must":
            ace_actions = [action for action in actions if self._founded_by(MOVES[action]).startswith("A")]
            if ace_actions:
                return ace_actions
        if self.rules.aces == "first" and not all(self.foundations):
            # An empty name stands for moves that do not end on a foundation; those stay free.
            return [action for action in actions if self._founded_by(MOVES[action])[:1] in ("", "A")]
        return actions

    def is_legal(self, action: int) -> bool:
        """Whether the rules allow this action now."""
        return action in self.legal_actions()

    def is_won(self) -> bool:
        """Whether all cards lie on the foundations."""
        return sum(len(pile) for pile in self.foundations) == 52

    def is_lost(self) -> bool:
        """Whether nothing but turning the stock is possible, now and wherever turning leads."""
        if self.is_won():
            return False
        trial = self.copy()
        visited: set[tuple[int, int | None]] = set()
        while trial.stock_position() not in visited:
            visited.add(trial.stock_position())
            legal = trial.legal_actions()
            if any(action != 0 for action in legal):
                return False
            if not legal:
                return True
            trial.turn_stock()
        return True

    def is_ended(self) -> bool:
        """Whether a player is told that the game is over."""
        return self.is_won() or (self.begun and self.is_lost())

    def mask(self) -> npt.NDArray[np.int8]:
        """The 86 bits that go with the observation: the legal actions, or all ones in an ended game."""
        if self.is_ended():
            return np.ones(ACTION_COUNT, dtype=np.int8)
        bits = np.zeros(ACTION_COUNT, dtype=np.int8)
        bits[self.legal_actions()] = 1
        return bits

    def play(self, action: int) -> None:
        """Carry out a legal action with all that follows from it: uncovered card, score, rewards."""
        assert self.is_legal(action), f"action {action} is not legal, legal are {self.legal_actions()}"
        move = MOVES[action]
        score_before = self.score
        points = POINTS[self.rules.scoring]
        paid_again = 0
        if move.kind == "turn":
            is_redeal = not self.stock
            self.turn_stock()
            if is_redeal and self.rules.scoring == "normal":
                self.score = max(self.score - 100, 0)
        else:
            cards = self._moving_cards(move)
            self._take_away(move, len(cards))
            if move.kind in ("waste up", "column up"):
                self.foundations[suit_of(cards[0])].append(cards[0])
                self.score += points["to foundation"]
                if cards[0] in self.paid:
                    paid_again = points["to foundation"]
                self.paid.add(cards[0])
            else:
                self.columns[move.target] += [ColumnCard(card, face_up=True) for card in cards]
            if move.kind == "waste down":
                self.score += points["waste to column"]
            self._turn_up_last_card(move)
        stake = 0 if self.begun else self.rules.stake
        self.begun = True
        change = self.score - score_before + stake
        self.rewards = {"score": change - paid_again, "table": change, "win": int(self.is_won())}

    def _is_possible(self, move: Move) -> bool:
        """Whether the piles allow the move, the aces rule left aside."""
        if move.kind == "turn":
            return self.can_turn_stock()
        if move.kind == "take back" and not self.rules.take_back:
            return False
        return bool(self._moving_cards(move))

    def _moving_cards(self, move: Move) -> list[str]:
        """The cards that the move would carry, none if the piles do not allow it."""
        if move.kind == "waste up":
            return [card for card in self.waste[-1:] if self._fits_foundation(card)]
        if move.kind == "waste down":
            return [card for card in self.waste[-1:] if self._fits_column(card, move.target)]
        if move.kind == "column up":
            last = self.columns[move.source][-1:]
            return [entry.card for entry in last if self._fits_foundation(entry.card)]
        if move.kind == "take back":
            top = self.foundations[move.source][-1:]
            return [card for card in top if self._fits_column(card, move.target)]
        assert move.kind == "column down", move
        column = self.columns[move.source]
        for place, entry in enumerate(column):
            if entry.face_up and self._fits_column(entry.card, move.target):
                return [carried.card for carried in column[place:]]
        return []

    def _fits_foundation(self, card: str) -> bool:
        # The next card of a suit has as many cards before it as lie on the foundation.
        return rank_of(card) == len(self.foundations[suit_of(card)])

    def _fits_column(self, card: str, column: int) -> bool:
        if not self.columns[column]:
            return card[0] == RANKS[12]
        last = self.columns[column][-1].card
        return rank_of(card) == rank_of(last) - 1 and is_red(card) != is_red(last)

    def _founded_by(self, move: Move) -> str:
        """The card that a possible move puts on a foundation, "" for another kind of move."""
        return self._moving_cards(move)[0] if move.kind in ("waste up", "column up") else ""

    def _take_away(self, move: Move, count: int) -> None:
        if move.kind in ("waste up", "waste down"):
            self.waste.pop()
            # The card under the last one of a turn comes into sight when that has gone.
            self.in_sight = max(self.in_sight - 1, min(1, len(self.waste)))
            self.seen.update(self.visible_waste())
        elif move.kind == "take back":
            self.foundations[move.source].pop()
        else:
            del self.columns[move.source][-count:]

    def _turn_up_last_card(self, move: Move) -> None:
        if move.kind not in ("column up", "column down") or not self.columns[move.source]:
            return
        last = self.columns[move.source][-1]
        if not last.face_up:
            self.columns[move.source][-1] = ColumnCard(last.card, face_up=True)
            self.score += POINTS[self.rules.scoring]["turned up"]


def oracle_perft(deck: Sequence[str], rules: OracleRules, depth: int) -> int:
    """Number of different sequences of exactly `depth` legal actions from the deal."""

    def count(game: OracleGame, left: int) -> int:
        if left == 0:
            return 1
        total = 0
        for action in game.legal_actions():
            after = game.copy()
            after.play(action)
            total += count(after, left - 1)
        return total

    return count(OracleGame(deck, rules), depth)
