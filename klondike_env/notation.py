"""Positions as one line of text, at any point of a game, for bug reports and tests.

Fields are ``name=value``, separated by spaces, in any order::

    rules=D3N columns=4S/9cQH/… waste=7C5D stock=2s… foundations=0,0,0,0 fan=2 pass=1 score=0

Cards are rank and suit letter without separator, from the bottom of a pile, the stock from the card turned next. A
lower-case suit letter is a card that the player does not know: face down in a column, never yet in sight in waste or
stock. ``columns`` holds seven piles separated by ``/``, empty ones as ``-``; so do empty ``waste`` and ``stock``.
``fan`` counts the waste cards in sight. Optional: ``paid`` (cards off the foundations whose foundation points were
already paid as reward), ``started=no`` (no move made yet, so the vegas stake is still to be paid as reward), ``number``
(the game number).
"""

from __future__ import annotations

import itertools
from typing import Any, Final

import numpy.typing as npt

from klondike_env.cards import CARD_COUNT, RANK_COUNT, Card, card_name, card_rank, format_cards, is_red, parse_card
from klondike_env.codes import MAX_GAME_NUMBER
from klondike_env.deals import Deal
from klondike_env.engine.state import MAX_COLUMN, UNLIMITED, set_rules
from klondike_env.errors import CardError, NotationError, RulesError
from klondike_env.layout import COLUMN_COUNT, STOCK_COUNT
from klondike_env.position import Position
from klondike_env.rules import SCORING_TABLES, SCORINGS, parse_rules

_REQUIRED: Final = ("rules", "columns", "waste", "stock", "foundations", "score")
_OPTIONAL: Final = {"fan": None, "pass": "1", "paid": "-", "started": "yes", "number": "-1"}
_EMPTY: Final = "-"


def format_position(position: Position) -> str:
    """Write a complete position as one line of text."""
    state = position._state
    seen, paid = int(state["seen"]), int(state["paid"])
    founded = _founded_set(state)
    columns = [
        _format_pile(cards := position.column(column), range(position.face_down_count(column), len(cards)))
        for column in range(1, COLUMN_COUNT + 1)
    ]
    waste, stock = position.waste, position.stock
    fields = {
        "rules": position.rules.name,
        "columns": "/".join(columns),
        "waste": _format_pile(waste, [i for i, card in enumerate(waste) if seen >> card & 1]),
        "stock": _format_pile(stock, [i for i, card in enumerate(stock) if seen >> card & 1]),
        "foundations": ",".join(str(height) for height in state["foundations"]),
        "fan": str(state["fan_length"]),
        "pass": str(state["pass_number"]),
        "score": str(state["score"]),
        "paid": _format_pile(cards := [c for c in range(CARD_COUNT) if paid & ~founded & 1 << c], range(len(cards))),
        "started": "yes" if state["started"] else "no",
        "number": str(state["game_number"]),
    }
    defaults = {**_OPTIONAL, "fan": None}
    return " ".join(f"{name}={value}" for name, value in fields.items() if value != defaults.get(name, ""))


def parse_position(text: str, states: npt.NDArray[Any]) -> None:
    """Read a position into row 0 of a record array.

    Args:
        text: A position as ``format_position`` writes it.
        states: Record array, of which row 0 is written.

    Raises:
        NotationError: A field is missing, doubled, unknown or cannot be read, or the position breaks an invariant; the
            message lists every broken one.
    """
    fields = _split_fields(text)
    try:
        set_rules(states[:1], parse_rules(fields["rules"]))
    except RulesError as error:
        raise NotationError(f"rules in position: {error}") from error
    state = states[0]
    columns = fields["columns"].split("/")
    if len(columns) != COLUMN_COUNT:
        raise NotationError(f"columns has {len(columns)} piles; it must have {COLUMN_COUNT}, separated by '/'")
    seen = 0
    for index, column in enumerate(columns):
        cards, known = _parse_pile(f"column {index + 1}", column, MAX_COLUMN)
        face_down = known.index(True) if True in known else len(known)
        if not all(known[face_down:]):
            raise NotationError(f"column {index + 1} ({column}) has a face-down card on a face-up one")
        state["columns"][index, : len(cards)] = cards
        state["lengths"][index] = len(cards)
        state["face_down"][index] = face_down
        state["runs"][index] = _card_set(cards[face_down:])
    waste, waste_known = _parse_pile("waste", fields["waste"], STOCK_COUNT)
    stock, stock_known = _parse_pile("stock", fields["stock"], STOCK_COUNT)
    talon = waste + stock
    if len(talon) > STOCK_COUNT:
        raise NotationError(f"waste and stock have {len(talon)} cards together; they can have {STOCK_COUNT}")
    seen = _card_set([card for card, known in zip(talon, waste_known + stock_known, strict=True) if known])
    state["talon"][: len(talon)] = talon
    state["talon_length"] = len(talon)
    state["waste_length"] = len(waste)
    heights = fields["foundations"].split(",")
    if len(heights) != 4:
        raise NotationError(f"foundations is {fields['foundations']!r}; it must be four heights, separated by ','")
    for suit, height in enumerate(heights):
        state["foundations"][suit] = _parse_number("foundations", height, 0, RANK_COUNT)
    default_fan = min(1, len(waste))
    state["fan_length"] = default_fan if fields["fan"] is None else _parse_number("fan", fields["fan"], 0, STOCK_COUNT)
    state["pass_number"] = _parse_number("pass", fields["pass"], 1, 2**31 - 1)
    state["score"] = _parse_number("score", fields["score"], -(2**31), 2**31 - 1)
    state["seen"] = seen
    paid, _ = _parse_pile("paid", fields["paid"], CARD_COUNT)
    state["paid"] = _card_set(paid) | _founded_set(state)
    if fields["started"] not in ("yes", "no"):
        raise NotationError(f"started is {fields['started']!r}; it must be 'yes' or 'no'")
    state["started"] = fields["started"] == "yes"
    state["game_number"] = _parse_number("number", fields["number"], -1, MAX_GAME_NUMBER)
    faults = list_faults(states)
    if faults:
        raise NotationError("the position breaks the rules: " + "; ".join(faults))


def list_faults(states: npt.NDArray[Any]) -> list[str]:
    """Return every broken invariant of the position in row 0 of a record array, in words."""
    state = states[0]
    faults: list[str] = []
    places: dict[Card, list[str]] = {card: [] for card in range(CARD_COUNT)}
    for index in range(COLUMN_COUNT):
        cards: list[Card] = state["columns"][index, : state["lengths"][index]].tolist()
        face_down = int(state["face_down"][index])
        name = f"column {index + 1}"
        for card in cards:
            places[card].append(name)
        if cards and face_down == len(cards):
            faults.append(f"the last card of {name} lies face down")
        if face_down > index:
            faults.append(f"{name} has {face_down} face-down cards; it is dealt {index}")
        run = cards[face_down:]
        for below, above in itertools.pairwise(run):
            if card_rank(above) != card_rank(below) - 1 or is_red(above) == is_red(below):
                faults.append(f"{card_name(above)} lies on {card_name(below)} in {name}")
        if int(state["runs"][index]) != _card_set(run):
            faults.append(f"the set of face-up cards of {name} is not that of its cards")
    for place, card in enumerate(state["talon"][: state["talon_length"]].tolist()):
        places[card].append("waste" if place < state["waste_length"] else "stock")
    for card in range(CARD_COUNT):
        if card % RANK_COUNT < state["foundations"][card // RANK_COUNT]:
            places[card].append("foundation")
        if not places[card]:
            faults.append(f"{card_name(card)} is missing")
        elif len(places[card]) > 1:
            faults.append(f"{card_name(card)} is there {len(places[card])} times ({', '.join(places[card])})")
    faults += _talon_faults(state) + _score_faults(state) + _number_faults(state)
    return faults


def _number_faults(state: Any) -> list[str]:
    """Return which cards that never moved are not where the game number deals them."""
    if state["game_number"] < 0:
        return []
    deal = Deal.from_number(int(state["game_number"]))
    faults = []
    for number in range(1, COLUMN_COUNT + 1):
        count = int(state["face_down"][number - 1])
        if tuple(state["columns"][number - 1, :count].tolist()) != deal.column(number)[:count]:
            faults.append(f"game number {deal.number} deals other cards face down to column {number}")
    talon: list[Card] = state["talon"][: state["talon_length"]].tolist()
    if talon != [card for card in deal.stock if card in talon]:
        faults.append(f"game number {deal.number} deals another stock than what waste and stock are left of")
    return faults


def _talon_faults(state: Any) -> list[str]:
    """Return what is wrong with fan, sight and passes."""
    faults = []
    waste: list[Card] = state["talon"][: state["waste_length"]].tolist()
    fan = int(state["fan_length"])
    widest = min(len(waste), int(state["draw"]) if state["fan"] else 1)
    if not min(1, len(waste)) <= fan <= widest:
        faults.append(f"fan is {fan}; with these rules and this waste it is {min(1, len(waste))} to {widest}")
    hidden = [card for card in waste[len(waste) - min(fan, len(waste)) :] if not int(state["seen"]) >> card & 1]
    if hidden:
        faults.append(f"{format_cards(hidden)} in sight on the waste but marked as never seen")
    if state["passes"] != UNLIMITED and state["pass_number"] > state["passes"]:
        faults.append(f"pass is {state['pass_number']}; these rules allow {state['passes']}")
    return faults


def _score_faults(state: Any) -> list[str]:
    """Return what is wrong with the score."""
    table = SCORING_TABLES[SCORINGS[state["vegas"]]]
    score, faults = int(state["score"]), []
    lowest = table.start + (table.card_to_foundation * int(state["foundations"].sum()) if state["vegas"] else 0)
    if score < lowest:
        faults.append(f"score is {score}; it cannot be below {lowest} here")
    if (score - table.start) % 5:
        faults.append(f"score is {score}; it changes in steps of 5 from {table.start}")
    return faults


def _split_fields(text: str) -> dict[str, Any]:
    """Return the fields of a position text by name, defaults filled in."""
    if not isinstance(text, str):
        raise NotationError(f"{text!r} is no position; a position is a text 'rules=… columns=… …'")
    fields: dict[str, str] = {}
    for part in text.split():
        name, sign, value = part.partition("=")
        if not sign or name not in (*_REQUIRED, *_OPTIONAL):
            raise NotationError(
                f"{part!r} is no field; fields are {', '.join((*_REQUIRED, *_OPTIONAL))}, as name=value"
            )
        if name in fields:
            raise NotationError(f"field {name!r} is there twice")
        fields[name] = value
    missing = [name for name in _REQUIRED if name not in fields]
    if missing:
        raise NotationError(f"field {missing[0]!r} is missing; a position needs {', '.join(_REQUIRED)}")
    return {**_OPTIONAL, **fields}


def _parse_number(name: str, text: str, lowest: int, highest: int) -> int:
    """Read a whole number of a field."""
    digits = text.removeprefix("-")
    number = int(text) if digits.isascii() and digits.isdigit() and len(digits) < 12 else None
    if number is None or not lowest <= number <= highest:
        raise NotationError(f"{name} is {text!r}; it must be a whole number from {lowest} to {highest}")
    return number


def _parse_pile(name: str, text: str, longest: int) -> tuple[list[Card], list[bool]]:
    """Read a pile: its cards, and which of them are known to the player (upper-case suit)."""
    if text == _EMPTY:
        return [], []
    names = [text[i : i + 2] for i in range(0, len(text), 2)]
    if not text.isascii():
        # Suit symbols have no case, so they cannot tell known cards from unknown ones.
        raise NotationError(f"{name} ({text}): suits are the letters S H D C, in lower case for a card not known")
    try:
        cards = [parse_card(card) for card in names]
    except CardError as error:
        raise NotationError(f"{name} ({text}): {error}") from error
    if len(cards) > longest:
        raise NotationError(f"{name} has {len(cards)} cards; it can have {longest}")
    return cards, [card[1].isupper() for card in names]


def _format_pile(cards: list[Card], known: Any) -> str:
    """Write a pile; cards whose index is not in ``known`` get a lower-case suit."""
    names = [card_name(card) for card in cards]
    return "".join(name if i in known else name[0] + name[1].lower() for i, name in enumerate(names)) or _EMPTY


def _card_set(cards: list[Card]) -> int:
    """Return cards as a bit mask."""
    mask = 0
    for card in cards:
        mask |= 1 << card
    return mask


def _founded_set(state: Any) -> int:
    """Return the cards on the foundations as a bit mask."""
    return sum(((1 << int(height)) - 1) << (RANK_COUNT * suit) for suit, height in enumerate(state["foundations"]))
