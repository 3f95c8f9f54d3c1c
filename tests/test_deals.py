"""Deals: the shuffle, where the cards of a deal go, and cards that are no deal."""

import dataclasses
import pickle
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from walks import game_numbers

from klondike_env.cards import format_cards
from klondike_env.deals import Deal, shuffle_cards
from klondike_env.errors import DealError, GameCodeError, PileError
from klondike_env.formats import FORMATS
from klondike_env.game import Game
from klondike_env.layout import COLUMN_POSITIONS

decks = st.permutations(range(52))
IN_ORDER = Deal(tuple(range(52)))


def test_cards_are_dealt_row_by_row() -> None:
    columns = [[] for _ in range(7)]
    left = iter(range(52))
    for row in range(7):
        for column in range(row, 7):
            columns[column].append(next(left))
    assert [list(positions) for positions in COLUMN_POSITIONS] == columns
    assert [list(IN_ORDER.column(number)) for number in range(1, 8)] == columns
    assert list(IN_ORDER.stock) == list(left)


@given(decks)
def test_columns_and_stock_hold_each_card_once(deck: list[int]) -> None:
    deal = Deal(tuple(deck))
    assert sorted([card for number in range(1, 8) for card in deal.column(number)] + list(deal.stock)) == list(
        range(52)
    )
    assert [len(deal.column(number)) for number in range(1, 8)] == [1, 2, 3, 4, 5, 6, 7]
    assert len(deal.stock) == 24


@given(decks)
def test_games_start_as_the_deal_lies(deck: list[int]) -> None:
    deal = Deal(tuple(deck))
    game = Game.from_deck(deal)
    for number in range(1, 8):
        assert game.column(number) == list(deal.column(number))
        assert game.face_down_count(number) == number - 1
    assert game.stock == list(deal.stock)
    assert game.waste == []


@pytest.mark.parametrize("column", [0, 8, -1, None, "1", 1.5])
def test_other_columns_are_refused(column: Any) -> None:
    with pytest.raises(PileError, match=re.escape(f"column {column!r} is none; columns are 1 to 7")):
        IN_ORDER.column(column)


@given(game_numbers)
def test_each_number_deals_every_card_once(number: int) -> None:
    deal = Deal.from_number(number)
    assert sorted(deal.cards) == list(range(52))
    assert deal.number == number
    assert all(type(card) is int for card in deal.cards)
    assert Deal.from_number(number) == deal
    assert Deal(deal.cards, number) == deal


def test_the_shuffle_favours_no_card_at_any_place() -> None:
    rounds = 5200
    counts = np.zeros((52, 52))
    cards = np.empty(52, np.int8)
    for number in range(rounds):
        shuffle_cards(number, cards)
        counts[np.arange(52), cards] += 1
    # Each count is close to Poisson with mean 100; chi-square of 51 * 51 degrees of freedom, eight deviations wide.
    expected = rounds / 52
    chi_square = ((counts - expected) ** 2 / expected).sum()
    assert abs(chi_square - 51 * 51) < 8 * np.sqrt(2 * 51 * 51)


def test_neighbouring_numbers_share_no_more_cards_than_chance() -> None:
    same = [
        sum(a == b for a, b in zip(Deal.from_number(n).cards, Deal.from_number(n + 1).cards, strict=True))
        for n in range(2000)
    ]
    assert 0.85 < np.mean(same) < 1.15  # one card in place on average, deviation 1 / sqrt(2000)


@given(decks, st.sampled_from(list(FORMATS)))
def test_texts_are_read_back(deck: list[int], format: str) -> None:
    deal = Deal(tuple(deck))
    assert Deal.from_text(deal.to_text(format), format) == deal
    assert Deal.from_text(str(deal)) == deal
    assert str(deal) == deal.to_text() == format_cards(deck)


@pytest.mark.parametrize(
    ("cards", "message"),
    [
        (range(51), "51"),
        ([*range(52), 0], "53"),
        ([*range(51), 0], "KC|AS"),
        ([*range(51), 52], "card 52 is 52, which is no card; cards are the numbers 0 to 51"),
        ([*range(51), -1], "card 52 is -1, which is no card"),
        ([0.0, *range(1, 52)], r"card 1 is 0\.0, which is no card"),
        (["AS", *range(1, 52)], "card 1 is 'AS', which is no card"),
        ([], "no cards instead of 52; 52 cards are missing, the first of them AS"),
        (7, "^7 is no deal; a deal is 52 cards, the numbers 0 to 51$"),
        (None, "^None is no deal; a deal is 52 cards, the numbers 0 to 51$"),
    ],
)
def test_what_is_no_deal_is_named(cards: Any, message: str) -> None:
    for refuse in (Deal, Game.from_deck):
        with pytest.raises(DealError, match=message):
            refuse(cards)


def test_a_doubled_and_the_missing_card_are_both_named() -> None:
    with pytest.raises(DealError, match=r"(?=.*\bAS\b)(?=.*\bKC\b)"):
        Deal((*range(51), 0))


def test_a_number_that_deals_other_cards_is_refused() -> None:
    with pytest.raises(DealError, match="game number 6 deals other cards than these"):
        Deal(IN_ORDER.cards, 6)
    with pytest.raises(GameCodeError, match="game number -1 is none"):
        Deal(IN_ORDER.cards, -1)


def test_any_iterable_of_whole_numbers_is_taken() -> None:
    for cards in (range(52), list(range(52)), np.arange(52, dtype=np.int8), iter(range(52))):
        assert Deal(cards) == IN_ORDER  # type: ignore[arg-type]


def test_deals_do_not_change_and_can_be_keys() -> None:
    deal = Deal.from_number(6)
    with pytest.raises(dataclasses.FrozenInstanceError):
        deal.number = 7  # type: ignore[misc]
    assert {deal: 1}[Deal.from_number(6)] == 1
    assert pickle.loads(pickle.dumps(deal)) == deal


def test_other_programs_numbers_deal_too() -> None:
    deal = Deal.from_numbering("lonelybot-exact", 0)
    assert deal.number is None
    assert sorted(deal.cards) == list(range(52))
    with pytest.raises(DealError):
        Deal.from_numbering("no such program", 0)
