"""Deals by other programs' numbers, against golden deals that the programs themselves gave."""

import json
import random
from math import factorial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from klondike_env.cards import format_cards, parse_card
from klondike_env.errors import DealError
from klondike_env.numberings import (
    COLUMN_POSITIONS,
    NUMBERINGS,
    check_deck,
    columnwise_to_deal,
    deal_cards,
    deal_number,
    deal_to_columnwise,
)

GOLDEN = json.loads((Path(__file__).parent / "data" / "numberings.json").read_text(encoding="utf-8"))
GOLDEN_ROWS = [(name, int(row["number"]), row["deck"]) for name, rows in GOLDEN.items() for row in rows]
EXACT = ["microsoft", "lonelybot-exact"]


@pytest.mark.parametrize(("numbering", "number", "deck"), GOLDEN_ROWS)
def test_golden_deals(numbering, number, deck):
    assert format_cards(deal_cards(numbering, number)) == deck


@pytest.mark.parametrize(("numbering", "number", "deck"), [row for row in GOLDEN_ROWS if row[0] in EXACT])
def test_golden_deals_back_to_their_numbers(numbering, number, deck):
    assert deal_number(numbering, [parse_card(name) for name in deck.split()]) == number


def test_every_numbering_has_golden_deals():
    assert set(GOLDEN) == set(NUMBERINGS)
    assert all(entry.name == name and entry.description for name, entry in NUMBERINGS.items())


def test_greenfelt_815_turns_the_seven_of_hearts_first():
    cards = deal_cards("greenfelt", 815)
    assert format_cards(cards[28:31]) == "7H 4D AD"
    columns = [format_cards(cards[place] for place in places) for places in COLUMN_POSITIONS]
    assert columns == [
        "JD",
        "TD 8D",
        "8S 5H 3H",
        "3S AC 2H 8H",
        "KC AH TH 4C 6S",
        "9S 7C QD AS 7D KD",
        "3D JS 9D QC JH 2S 9H",
    ]


@given(st.sampled_from(list(NUMBERINGS)), st.data())
def test_each_number_gives_a_deal(numbering, data):
    entry = NUMBERINGS[numbering]
    number = data.draw(st.integers(entry.lowest, entry.highest))
    cards = deal_cards(numbering, number)
    assert check_deck(cards) == cards
    assert all(type(card) is int for card in cards)


@given(st.sampled_from(EXACT), st.integers(0, factorial(52) - 1))
def test_exact_numbers_come_back(numbering, number):
    assert deal_number(numbering, deal_cards(numbering, number)) == number


@given(st.sampled_from(EXACT), st.permutations(range(52)))
def test_exact_deals_come_back(numbering, deck):
    assert deal_cards(numbering, deal_number(numbering, deck)) == tuple(deck)


@pytest.mark.parametrize("numbering", EXACT)
def test_last_exact_number(numbering):
    last = factorial(52) - 1
    assert deal_number(numbering, deal_cards(numbering, last)) == last


@pytest.mark.parametrize("numbering", list(NUMBERINGS))
def test_numbers_out_of_range_are_refused(numbering):
    entry = NUMBERINGS[numbering]
    deal_cards(numbering, entry.lowest)
    with pytest.raises(DealError, match=f"no {numbering} number; whole numbers from {entry.lowest} to "):
        deal_cards(numbering, entry.lowest - 1)
    if entry.highest is None:
        deal_cards(numbering, 10**30)
    else:
        deal_cards(numbering, entry.highest)
        with pytest.raises(DealError, match=f"whole numbers from {entry.lowest} to {entry.highest} are allowed"):
            deal_cards(numbering, entry.highest + 1)


@pytest.mark.parametrize("number", [1.0, "1", None, True, np.float64(1), [1]])
def test_other_things_than_whole_numbers_are_refused(number):
    with pytest.raises(DealError, match="whole numbers from 1 to 2147483646 are allowed"):
        deal_cards("greenfelt", number)


def test_numpy_integers_are_whole_numbers():
    assert deal_cards("solvitaire", np.uint32(42)) == deal_cards("solvitaire", 42)


def test_unknown_numberings_are_refused():
    with pytest.raises(DealError, match="'freecell' is no numbering; known are greenfelt, solvitaire, pysolfc"):
        deal_cards("freecell", 1)
    with pytest.raises(DealError, match="is no numbering"):
        deal_number("freecell", range(52))


def test_only_exact_numberings_number_every_deal():
    with pytest.raises(DealError, match="these do: microsoft, lonelybot-exact"):
        deal_number("greenfelt", range(52))
    with pytest.raises(DealError, match="AS twice"):
        deal_number("microsoft", [0, *range(51)])


def test_global_random_states_have_no_influence_and_are_left_alone():
    random.seed(1)
    np.random.seed(1)
    before = random.getstate(), np.random.get_state()[1].tolist()
    deals = [deal_cards(name, 32123) for name in NUMBERINGS]
    assert random.getstate() == before[0]
    assert np.random.get_state()[1].tolist() == before[1]
    random.seed(2)
    np.random.seed(2)
    assert deals == [deal_cards(name, 32123) for name in NUMBERINGS]


@given(st.permutations(range(52)))
def test_columnwise_order_and_back(deck):
    columnwise = deal_to_columnwise(deck)
    assert columnwise_to_deal(columnwise) == tuple(deck)
    assert list(columnwise[28:]) == deck[28:]
    assert columnwise[:3] == (deck[0], deck[1], deck[7])
    # Columns 2 to 7 lie last with their face-up cards: the first card of each later row.
    assert [columnwise[place] for place in (0, 2, 5, 9, 14, 20, 27)] == [
        deck[place] for place in (0, 7, 13, 18, 22, 25, 27)
    ]
