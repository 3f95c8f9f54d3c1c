"""Named decks, chosen so that a few actions from the deal lead to a position worth checking, and helpers."""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from .klondike_oracle import OracleGame
from .oracle_rules import ALL_CARDS, ORACLE_RULES, OracleRules, oracle_deck, rank_of, suit_of

CASE_DECKS: dict[str, str] = {
    "A": "AH AD JD 8H KS 4C QC 2H 7H QS 9H 6C QH 3H JC 4D 6D 5H 4H TC TS 3C 3S AS 2D 9C 7D KC "
    "2C JH 2S 9D TH 8D 9S 5C TD KD 7S 4S 6H QD 7C 3D 8S AC 6S 5S 8C 5D JS KH",
    "B": "KS 6H 8S JC 2H 7C 6C KH 3D TC 7H 6D 4H KD 8H 3H JS 2D KC 5C 3S 9C QS QH 3C QC JH 9H "
    "5D 2S AS QD 9D TH 8D TS JD TD AC 5S 4S 5H 2C 8C 4D 9S 4C 7S 6S 7D AH AD",
    "C": "KD 5H 7S QH 8H 6C KC QS 5C QC AH 9C 5D 8C 9H 6H JC 3H 7H 2H JS 3D TS AS 2D 6S 7D JD "
    "KH 7C JH 2S 9D TH 8D 9S QD TD 3C AC 3S 4H 2C TC 4D 8S 4C 5S 4S 6D KS AD",
    "D": "5C JD 5H AH 6C QH JH 4H KS 6H 8C 9H KC QC 9D 6D 2H 7D 2C JS JC 4C 2S AD 8H 3S 2D AC "
    "AS 4S KD 7H 8D TS TC 4D 5D 8S 5S 3H TD 9C 3C KH 9S QD 7S 6S 7C 3D QS TH",
    "F": "AS 2D QD 7H 3H 6C KC 3S 6H AH 8H 8C KH 4S QC 5D 7D 4H 2H JC QS 5C KD 2S 3D QH 8D TC "
    "9H 4C JH 5S TD TH 9D JS 7C JD 2C 9S 6S 5H AC 9C 4D TS 3C 8S 7S 6D KS AD",
    "J": "2S AD 4H QC 6D AS JC 7C 5H KS TC 5C QH QS 6H 9D 9H KC JD 7D 2H 8D TS JH 3C 4C 8H 3S "
    "AH 3D AC 7H KD 9S 8C 4D 5D 7S 4S 3H TD 9C 2C KH 8S QD 6S 5S 6C 2D JS TH",
    "M": "5C 3C 2H QC 4H 5D JC TD 3H QS 8D 9S KH JS AD KD AS TH 6H 4C JH KC 8C 8H 6D KS 2C 7C "
    "7H 2S QD 5H 7D 8S TC 3D 4D 6S 3S AH 9D 9C AC QH 7S JD 5S 4S 6C 2D TS 9H",
    "P": "9H KH JD 6H AH 4C KC 8S 4H KS 7H 6C JH 7D JC 3D 5D 2H 6S TC JS 3C 8C AS AD 5H 6D QC "
    "2C TH 2S 9D 8H 8D TS 5C TD KD 7S 3S 3H QD 7C 2D 9S AC 5S 4S 9C 4D QS QH",
    "X1": "5D 4C QH 3H KS TC AH 3D AC 4H 6H TD AD 5H QS JC TS 5C QC 4D AS KC 6C JH 7D 9H 2C 4S "
    "8H 2S 9D 7H 8D 9S QD 7C 6D 7S 3S 2H JD 9C 3C KH 8S KD 6S 5S 8C 2D JS TH",
}


def start(deck: str, rules: str | OracleRules, actions: Iterable[int] = ()) -> OracleGame:
    """Deal a named deck (or game 6, "N6") and play."""
    cards = oracle_deck(6) if deck == "N6" else CASE_DECKS[deck].split()
    game = OracleGame(cards, ORACLE_RULES[rules] if isinstance(rules, str) else rules)
    for action in actions:
        game.play(action)
    return game


def mask_set(game: OracleGame) -> set[int]:
    """The actions whose mask bit is set."""
    return set(np.flatnonzero(game.mask()).tolist())


def column_text(game: OracleGame, number: int) -> str:
    """A column as text, numbered from 1, face-down cards in brackets."""
    return " ".join(e.card if e.face_up else f"[{e.card}]" for e in game.columns[number - 1])


def plane_cards(planes: npt.NDArray[np.int8], plane: int) -> dict[str, int]:
    """The cards whose value in a plane is not 0, with that value."""
    values = {card: int(planes[plane, suit_of(card), rank_of(card)]) for card in ALL_CARDS}
    return {card: value for card, value in values.items() if value}
