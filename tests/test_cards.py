"""Cards: numbers, names, suits and ranks, and texts that name none."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from klondike_env.cards import (
    CARD_COUNT,
    RANK_LETTERS,
    RANK_NAMES,
    SUIT_LETTERS,
    SUIT_NAMES,
    SUIT_SYMBOLS,
    card_name,
    card_rank,
    card_suit,
    format_cards,
    is_red,
    make_card,
    parse_card,
)
from klondike_env.errors import CardError, KlondikeError


def test_suits_and_ranks_stand_in_the_documented_order() -> None:
    assert SUIT_NAMES == ("spades", "hearts", "diamonds", "clubs")
    assert [name[0].upper() for name in SUIT_NAMES] == list(SUIT_LETTERS)
    assert RANK_NAMES[0] == "ace"
    assert RANK_NAMES[12] == "king"
    assert len(RANK_LETTERS) == len(set(RANK_LETTERS)) == len(RANK_NAMES) == 13


@pytest.mark.parametrize(
    ("name", "card"), [("AS", 0), ("KS", 12), ("AH", 13), ("TH", 22), ("2D", 27), ("AC", 39), ("KC", 51)]
)
def test_a_card_is_thirteen_times_suit_plus_rank(name: str, card: int) -> None:
    assert parse_card(name) == card
    assert card_name(card) == name


def test_every_card_goes_through_its_name_and_its_parts() -> None:
    assert len({card_name(card) for card in range(CARD_COUNT)}) == CARD_COUNT
    for card in range(CARD_COUNT):
        suit, rank = card_suit(card), card_rank(card)
        assert make_card(suit, rank) == card
        assert card_name(card) == RANK_LETTERS[rank] + SUIT_LETTERS[suit]
        assert card_name(card, symbols=True) == RANK_LETTERS[rank] + SUIT_SYMBOLS[suit]
        assert parse_card(card_name(card)) == card
        assert parse_card(card_name(card, symbols=True)) == card
        assert card_name(np.int8(card)) == card_name(card)
        assert is_red(card) == (card_name(card)[1] in "HD")


@pytest.mark.parametrize("text", ["th", " TH\n", "10H", "10h", "T♥", "10♡", "t♥\ufe0f"])
def test_spellings_of_the_ten_of_hearts(text: str) -> None:
    assert parse_card(text) == 22


@pytest.mark.parametrize(
    "text", ["", " ", "S", "A", "SA", "1S", "0S", "11S", "AX", "ASS", "A S", "JOKER", "??", "A♥♥", "-1S", "TS TS"]
)
def test_texts_that_name_no_card_are_named(text: str) -> None:
    with pytest.raises(CardError, match=f"^{re.escape(repr(text))} is no card; a card is a rank .* and a suit"):
        parse_card(text)


@pytest.mark.parametrize("value", [None, 5, b"AS", ["AS"], ("A", "S")])
def test_only_texts_are_read(value: object) -> None:
    with pytest.raises(CardError, match="is no card"):
        parse_card(value)  # type: ignore[arg-type]


@pytest.mark.parametrize("card", [-1, 52, 1000, np.int8(-1)])
def test_numbers_that_are_no_card_have_no_name(card: int) -> None:
    with pytest.raises(CardError, match="is no card; cards are the numbers 0 to 51"):
        card_name(card)


@given(st.text(max_size=4))
def test_random_text_is_a_card_or_refused(text: str) -> None:
    try:
        card = parse_card(text)
    except CardError:
        return
    assert 0 <= card < CARD_COUNT


def test_cards_are_listed_with_single_spaces() -> None:
    assert format_cards([0, 22, 51]) == "AS TH KC"
    assert format_cards(iter(())) == ""
    with pytest.raises(CardError, match="-1"):
        format_cards([0, -1])


def test_card_errors_are_value_errors() -> None:
    assert issubclass(CardError, KlondikeError)
    assert issubclass(KlondikeError, ValueError)
