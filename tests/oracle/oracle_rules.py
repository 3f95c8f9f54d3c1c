"""Cards, rule sets, the shuffle of game numbers and the table of action indices, spelt out plainly."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

Scoring = Literal["normal", "vegas"]
AcesRule = Literal["free", "must", "first"]

SUITS = "SHDC"
RANKS = "A23456789TJQK"
ALL_CARDS = [rank + suit for suit in SUITS for rank in RANKS]
RED_SUITS = "HD"
ACTION_COUNT = 86


@dataclass(frozen=True)
class OracleRules:
    """One rule set; use `dataclasses.replace` to override a field."""

    draw: int
    passes: int | None  # None = unlimited
    scoring: Scoring
    take_back: bool
    aces: AcesRule
    fan: bool

    @property
    def stake(self) -> int:
        """Score before the first card is played."""
        return -52 if self.scoring == "vegas" else 0


ORACLE_RULES: dict[str, OracleRules] = {
    "D1N": OracleRules(draw=1, passes=None, scoring="normal", take_back=True, aces="free", fan=True),
    "D3N": OracleRules(draw=3, passes=None, scoring="normal", take_back=True, aces="free", fan=True),
    "D1V": OracleRules(draw=1, passes=1, scoring="vegas", take_back=True, aces="free", fan=True),
    "D3V": OracleRules(draw=3, passes=1, scoring="vegas", take_back=True, aces="free", fan=True),
    "one-pass": OracleRules(draw=1, passes=1, scoring="normal", take_back=False, aces="must", fan=True),
    "three-pass": OracleRules(draw=3, passes=3, scoring="normal", take_back=False, aces="must", fan=False),
    "aces-first": OracleRules(draw=1, passes=1, scoring="normal", take_back=False, aces="first", fan=True),
    "aces-first-3": OracleRules(draw=3, passes=None, scoring="normal", take_back=False, aces="first", fan=False),
}

# Points by scheme and event; a redeal is not listed, since what it costs depends on the score.
POINTS: dict[Scoring, dict[str, int]] = {
    "normal": {"to foundation": 10, "waste to column": 5, "turned up": 5},
    "vegas": {"to foundation": 5, "waste to column": 0, "turned up": 0},
}


class Move(NamedTuple):
    """What an action index stands for; columns and suits count from 0, -1 where there is none."""

    kind: Literal["turn", "waste up", "waste down", "column up", "take back", "column down"]
    source: int = -1  # column, or suit of the foundation for "take back"
    target: int = -1  # column


def _list_moves() -> list[Move]:
    moves = [Move("turn"), Move("waste up")]
    moves += [Move("waste down", target=column) for column in range(7)]
    moves += [Move("column up", source=column) for column in range(7)]
    moves += [Move("take back", suit, column) for suit in range(4) for column in range(7)]
    moves += [Move("column down", i, j) for i in range(7) for j in range(7) if i != j]
    return moves


MOVES: list[Move] = _list_moves()
_RANK_OF_LETTER = {letter: rank for rank, letter in enumerate(RANKS)}


def rank_of(card: str) -> int:
    """Rank from 0 (ace) to 12 (king)."""
    return _RANK_OF_LETTER[card[0]]


def suit_of(card: str) -> int:
    """Suit from 0 to 3: spades, hearts, diamonds, clubs."""
    return SUITS.index(card[1])


def is_red(card: str) -> bool:
    """Whether the card is a heart or a diamond."""
    return card[1] in RED_SUITS


def _splitmix64(state: int) -> Iterator[int]:
    wrap = 2**64
    while True:
        state = (state + 0x9E3779B97F4A7C15) % wrap
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) % wrap
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) % wrap
        yield z ^ (z >> 31)


def _below(outputs: Iterator[int], k: int) -> int:
    """Unbiased number below k: products whose low half falls in the uneven remainder are drawn anew."""
    while True:
        product = (next(outputs) >> 32) * k
        if product % 2**32 >= 2**32 % k:
            return product >> 32


def oracle_deck(game_number: int) -> list[str]:
    """The 52 cards of a numbered game in deal order."""
    assert 0 <= game_number < 2**32, game_number
    outputs = _splitmix64(game_number)
    deck = list(ALL_CARDS)
    for i in range(51, 0, -1):
        j = _below(outputs, i + 1)
        deck[i], deck[j] = deck[j], deck[i]
    return deck
