"""Sequences of moves in the texts of MinimalKlondike, Klondike-Solver and lonelybot.

A text belongs to the position at which its first move is played, in most cases the deal. Reading replays the text
under that game's rules, so that each move is known to be legal; writing replays the actions, and leaves nothing out,
the first draw included. What is written reads back as the same actions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Final, NamedTuple, NoReturn

from klondike_env.actions import COLUMN_PILE, FOUNDATION_PILE, MOVES, STOCK_PILE, TURN_STOCK, WASTE_PILE
from klondike_env.cards import RANK_COUNT, SUIT_LETTERS, SUIT_SYMBOLS, Card, card_name, card_rank, card_suit, parse_card
from klondike_env.errors import CardError, IllegalActionError, MoveTextError

if TYPE_CHECKING:
    from klondike_env.game import Game

Pile = tuple[str, int]
"""A pile: its kind, and the column 1 to 7 or the foundation's suit, 0 for stock and waste."""

_STOCK: Final[Pile] = (STOCK_PILE, 0)
_WASTE: Final[Pile] = (WASTE_PILE, 0)
_COLUMNS: Final = range(1, 8)
_ACTIONS: Final = {
    (move.source, move.source_column or move.suit or 0, move.target, move.target_column or 0): action
    for action, move in enumerate(MOVES)
}
"""Action by source pile, kind of target and target column (0 for a foundation: its suit follows from the card)."""


def write_moves(game: Game, actions: Iterable[int], style: str) -> str:
    """Write actions as another program's move text.

    Args:
        game: The position before the first action; it is left as it is.
        actions: Action indices, played one after the other.
        style: A name in `MOVE_TEXTS`.

    Returns:
        The text, on one line; `read_moves` turns it into the same actions again.

    Raises:
        MoveTextError: No such style, or MinimalKlondike's and a redeal without the turn after it, which it cannot say.
        IllegalActionError: An action that the rules do not allow at its place; the message names its step.
    """
    return _find_style(style)[0](game.copy(), actions)


def read_moves(game: Game, text: str, style: str) -> list[int]:
    """Read another program's move text.

    Args:
        game: The position that the text begins at; it is left as it is.
        text: The moves.
        style: A name in `MOVE_TEXTS`.

    Returns:
        The action indices that play these moves.

    Raises:
        MoveTextError: No such style, a piece of text that is no move, or a move that is not legal at its place; the
            message names the step (its number among the pieces of the text) and the piece.
    """
    reader = _find_style(style)[1]
    if not isinstance(text, str):
        raise MoveTextError(f"moves are read from a text, not from {type(text).__name__} {text!r}")
    return reader(game.copy(), text)


# Replaying


class _Step(NamedTuple):
    """A played action, as the texts describe it."""

    number: int  # its place among the actions, from 1
    is_redeal: bool
    source: Pile
    target: Pile
    cards: list[Card]  # those that went from pile to pile, bottom to top; none for the stock
    uncovered: bool  # whether a face-down card of the source column turned up


def _play_steps(game: Game, actions: Iterable[int]) -> Iterator[_Step]:
    """Play the actions, and yield each once it is played."""
    for number, action in enumerate(actions, start=1):
        if action not in game.legal_actions():
            raise IllegalActionError(f"step {number}: action {action!r} is not legal there")
        move = MOVES[action]
        is_redeal = move.source == STOCK_PILE and not game.stock
        source: Pile = (move.source, move.source_column or move.suit or 0)
        target: Pile = (move.target, move.target_column or 0)
        cards = _moved_cards(game, source, target)
        if move.target == FOUNDATION_PILE:
            target = (FOUNDATION_PILE, card_suit(cards[0]))
        face_down = _face_down_count(game, source)
        game.play(action)
        yield _Step(number, is_redeal, source, target, cards, _face_down_count(game, source) < face_down)


def _moved_cards(game: Game, source: Pile, target: Pile) -> list[Card]:
    """Return the cards, bottom to top, that a move between two piles carries; none if it cannot be made."""
    kind, number = source
    if kind == STOCK_PILE:
        return []
    if kind == WASTE_PILE:
        return list(game.waste[-1:])
    if kind == FOUNDATION_PILE:
        top = game.foundation_top(number)
        return [] if top is None else [top]
    column = game.column(number)
    if not column or target[0] != COLUMN_PILE:
        return list(column[-1:])
    # A run descends by one, so the card that the target takes tells how many go; an empty column takes a king.
    other = game.column(target[1])
    count = (card_rank(other[-1]) if other else RANK_COUNT) - card_rank(column[-1])
    return list(column[-count:]) if 0 < count <= len(column) - game.face_down_count(number) else []


def _face_down_count(game: Game, pile: Pile) -> int:
    return game.face_down_count(pile[1]) if pile[0] == COLUMN_PILE else 0


class _Replay:
    """The game, the actions read so far, and the piece of text that is being read."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.actions: list[int] = []
        self.uncovered: int | None = None
        """Column whose last card the last move turned up."""
        self._step = 0
        self._token = ""

    def begin(self, token: str) -> None:
        """Go on to the next piece of text."""
        self._step += 1
        self._token = token

    def fail(self, reason: str) -> NoReturn:
        """Raise the error of the piece of text that is being read."""
        raise MoveTextError(f"step {self._step}, {self._token!r}: {reason}")

    def turn(self) -> None:
        """Turn cards, or redeal if the stock is empty."""
        self._play(TURN_STOCK, _STOCK, "the stock can be neither turned nor redealt here")

    def move(self, source: Pile, target: Pile) -> None:
        """Move between two piles."""
        if target[0] == FOUNDATION_PILE:
            for card in _moved_cards(self.game, source, target):
                if card_suit(card) != target[1]:
                    self.fail(f"the card there is {card_name(card)}, of another suit than this foundation")
        action = _ACTIONS.get((*source, target[0], target[1] if target[0] == COLUMN_PILE else 0))
        if action is None:
            self.fail("no move leads from that pile to that pile")
        self._play(action, source, "not legal in this position")

    def _play(self, action: int, source: Pile, refusal: str) -> None:
        if action not in self.game.legal_actions():
            self.fail(refusal)
        face_down = _face_down_count(self.game, source)
        self.game.play(action)
        self.actions.append(action)
        self.uncovered = source[1] if _face_down_count(self.game, source) < face_down else None


# MinimalKlondike

_MINIMAL_PILES: Final[dict[str, Pile]] = {
    "A": _WASTE,
    **{letter: (FOUNDATION_PILE, SUIT_LETTERS.index(suit)) for letter, suit in zip("BCDE", "CDSH", strict=True)},
    **{letter: (COLUMN_PILE, column) for letter, column in zip("FGHIJKL", _COLUMNS, strict=True)},
}
_MINIMAL_LETTERS: Final = {pile: letter for letter, pile in _MINIMAL_PILES.items()}


def _write_minimal_klondike(game: Game, actions: Iterable[int]) -> str:
    """Write pairs of pile letters; ``@`` is a draw, with an empty stock a redeal and a draw.

    MinimalKlondike itself prints draws only before a move from the waste; here they stand where they were made.
    """
    text = ""
    redealt = 0
    for step in _play_steps(game, actions):
        if step.is_redeal:
            redealt = step.number
        elif step.source == _STOCK:
            text += "@"
            redealt = 0
        elif redealt:
            break
        else:
            text += f"{_MINIMAL_LETTERS[step.source]}{_MINIMAL_LETTERS[step.target]} "
    if redealt:
        raise MoveTextError(
            f"step {redealt}, '@': MinimalKlondike writes a redeal and the turn after it as one sign, but here no turn "
            "comes right after the redeal"
        )
    return text.rstrip()


def _read_minimal_klondike(game: Game, text: str) -> list[int]:
    replay = _Replay(game)
    for token in re.findall(r"@|[^\s@]{1,2}", text.upper()):
        replay.begin(token)
        if token == "@":
            if not game.stock:
                replay.turn()
            replay.turn()
        elif len(token) == 2 and token[0] in _MINIMAL_PILES and token[1] in _MINIMAL_PILES:
            replay.move(_MINIMAL_PILES[token[0]], _MINIMAL_PILES[token[1]])
        else:
            replay.fail("no move; moves are two pile letters A to L, or @ for a draw")
    return replay.actions


# Klondike-Solver

_SOLVER_PILES: Final[dict[str, Pile]] = {
    "W": _WASTE,
    **{letter: (FOUNDATION_PILE, suit) for suit, letter in enumerate(SUIT_LETTERS)},
    **{str(column): (COLUMN_PILE, column) for column in _COLUMNS},
}
_SOLVER_LETTERS: Final = {pile: letter for letter, pile in _SOLVER_PILES.items()}
_SOLVER_TOKEN: Final = re.compile(
    r"DR(?P<draws>[1-9]\d?)|(?P<redeal>NEW)|F(?P<uncovered>[1-7])|"
    r"(?P<source>[WCDSH1-7])(?P<target>[WCDSH1-7])(-(?P<count>[1-9]\d?))?"
)


def _write_klondike_solver(game: Game, actions: Iterable[int]) -> str:
    """Write ``DRn`` for n draws, ``NEW`` for a redeal, ``XY`` or ``XY-n`` for n cards, ``Fk`` for a turned-up card."""
    tokens: list[str] = []
    draws = 0
    for step in _play_steps(game, actions):
        if step.source == _STOCK and not step.is_redeal:
            if draws:
                tokens.pop()
            draws += 1
            tokens.append(f"DR{draws}")
            continue
        draws = 0
        if step.is_redeal:
            tokens.append("NEW")
            continue
        count = f"-{len(step.cards)}" if len(step.cards) > 1 else ""
        tokens.append(_SOLVER_LETTERS[step.source] + _SOLVER_LETTERS[step.target] + count)
        if step.uncovered:
            tokens.append(f"F{_SOLVER_LETTERS[step.source]}")
    return " ".join(tokens)


def _read_klondike_solver(game: Game, text: str) -> list[int]:
    replay = _Replay(game)
    for token in text.upper().split():
        replay.begin(token)
        match = _SOLVER_TOKEN.fullmatch(token)
        if match is None:
            replay.fail("no move; moves are DRn, NEW, XY and XY-n with the piles W, C D S H and 1 to 7, and Fk")
        elif match["draws"]:
            for _ in range(int(match["draws"])):
                if not game.stock:
                    replay.fail("the stock does not hold that many draws; a redeal is written NEW")
                replay.turn()
        elif match["redeal"]:
            if game.stock:
                replay.fail(f"no redeal before the stock is empty; it still holds {len(game.stock)} cards")
            replay.turn()
        elif match["uncovered"]:
            if replay.uncovered != int(match["uncovered"]):
                replay.fail("the move before turned up no card of that column")
        else:
            source, target = _SOLVER_PILES[match["source"]], _SOLVER_PILES[match["target"]]
            count, moved = int(match["count"] or 1), len(_moved_cards(game, source, target))
            if moved and count != moved:
                replay.fail(f"this move carries {moved} card{'s' * (moved != 1)}, not {count}")
            replay.move(source, target)
    return replay.actions


# lonelybot

_BOT_PILES: Final[dict[str, Pile]] = {
    "D": _WASTE,
    **{f"F{letter}": (FOUNDATION_PILE, suit) for suit, letter in enumerate(SUIT_LETTERS)},
    **{f"T{column - 1}": (COLUMN_PILE, column) for column in _COLUMNS},
}
_BOT_NAMES: Final = {pile: name for name, pile in _BOT_PILES.items()}
_BOT_READ_PILES: Final = {
    **_BOT_PILES,
    **{f"F{number}": _BOT_PILES[f"F{letter}"] for number, letter in enumerate("HDCS")},
    **{symbol: (FOUNDATION_PILE, suit) for suit, symbol in enumerate(SUIT_SYMBOLS)},
    **{str(column): (COLUMN_PILE, column) for column in _COLUMNS},
}
"""Also what other versions of lonelybot print: foundations by symbol or number, columns from 1 without T."""
_BOT_TOKEN: Final = re.compile(r"(?P<card>[^:>▸]+):(?P<source>[^:>▸]+)[>▸](?P<target>[^:>▸]+)")


def _write_lonelybot(game: Game, actions: Iterable[int]) -> str:
    """Write ``@`` for a turn or a redeal, else ``CARD:FROM>TO`` with the bottom card of those that move."""
    return " ".join(
        f"{card_name(step.cards[0])}:{_BOT_NAMES[step.source]}>{_BOT_NAMES[step.target]}" if step.cards else "@"
        for step in _play_steps(game, actions)
    )


def _read_lonelybot(game: Game, text: str) -> list[int]:
    replay = _Replay(game)
    for token in re.findall(r"[@=]|[^\s,@=]+", text.upper()):
        replay.begin(token)
        if token in "@=":
            replay.turn()
            continue
        match = _BOT_TOKEN.fullmatch(token)
        source = _BOT_READ_PILES.get(match["source"]) if match else None
        target = _BOT_READ_PILES.get(match["target"]) if match else None
        if match is None or source is None or target is None:
            replay.fail("no move; moves are @ and CARD:FROM>TO with the piles D, FS FH FD FC and T0 to T6")
        try:
            card = parse_card(match["card"])
        except CardError as error:
            replay.fail(str(error))
        moved = _moved_cards(game, source, target)
        if moved and moved[0] != card:
            replay.fail(f"the card that moves from there is {card_name(moved[0])}")
        replay.move(source, target)
    return replay.actions


Style = tuple[Callable[["Game", Iterable[int]], str], Callable[["Game", str], list[int]]]
"""A writer and a reader; each plays the game that it is given."""

MOVE_TEXTS: Final[dict[str, Style]] = {
    "minimal-klondike": (_write_minimal_klondike, _read_minimal_klondike),
    "klondike-solver": (_write_klondike_solver, _read_klondike_solver),
    "lonelybot": (_write_lonelybot, _read_lonelybot),
}
"""Writer and reader of each move text by the program's name; `write_moves` and `read_moves` call them on a copy."""


def _find_style(name: str) -> Style:
    found = MOVE_TEXTS.get(name)
    if found is None:
        raise MoveTextError(f"{name!r} is no move text; known are {', '.join(MOVE_TEXTS)}")
    return found
