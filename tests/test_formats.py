"""Deals from and to texts: round trips, golden texts, and what is said about texts that are no deal."""

import json
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from klondike_env.cards import SUIT_LETTERS, SUIT_SYMBOLS, format_cards
from klondike_env.errors import DealError
from klondike_env.formats import FORMATS, check_deck, format_deck, read_deal, read_deck, write_deal
from klondike_env.numberings import deal_cards

DECK_F = (
    "AS 2D QD 7H 3H 6C KC 3S 6H AH 8H 8C KH 4S QC 5D 7D 4H 2H JC QS 5C KD 2S 3D QH 8D TC 9H 4C JH 5S TD TH 9D JS 7C "
    "JD 2C 9S 6S 5H AC 9C 4D TS 3C 8S 7S 6D KS AD"
)
NAMES_F = DECK_F.split()
decks = st.permutations(range(52)).map(tuple)

# Digits and drawing of a deal as MinimalKlondike printed them (ShootMe/MinimalKlondike #6).
SOLVER_DIGITS = (
    "031112012094033022071023111021072032122104064121043062044133061024073114082052054083102134124074132013081053092011"
    "113084034103091014051063042093131101123041"
)
SOLVER_DECK = (
    "3C JD AD 9S 3H 2D 7C 2H JC 2C 7D 3D QD TS 6S QC 4H 6D 4S KH 6C 2S 7H JS 8D 5D 5S 8H TD KS QS 7S KD AH 8C 5H 9D AC "
    "JH 8S 3S TH 9C AS 5C 6H 4D 9H KC TC QH 4C"
)
# The digits in MinimalKlondike's README stand for no deal, although it draws one for them.
README_DIGITS = (
    "072103023042094134111092051034044074114052123011083122013131091082124064014033093112071104132053133102084041013073"
    "063031061043081054113062024021101022032121"
)

SOLVITAIRE_815 = {
    "tableau piles": [
        ["JD"],
        ["10d", "8D"],
        ["8s", "5h", "3H"],
        ["3s", "Ac", "2h", "8H"],
        ["Kc", "Ah", "10h", "4c", "6S"],
        ["9s", "7c", "Qd", "As", "7d", "KD"],
        ["3d", "Js", "9d", "Qc", "Jh", "2s", "9H"],
    ],
    "stock": [
        *("6D", "9C", "8C", "QS", "10C", "5D", "4H", "QH", "5S", "4S", "5C", "2C"),
        *("6C", "7S", "6H", "3C", "KS", "KH", "10S", "2D", "JC", "AD", "4D", "7H"),
    ],
}


@pytest.mark.parametrize("format", list(FORMATS))
@given(deck=decks)
def test_round_trip(format, deck):
    text = write_deal(deck, format)
    assert read_deal(text, format) == deck
    assert read_deal(f"\n {text} \n", format) == deck
    assert write_deal(read_deal(text, format), format) == text


# Plain cards


def test_deck_f_is_read_and_written_as_it_stands():
    assert format_deck(read_deck(DECK_F)) == DECK_F
    assert write_deal(read_deal(DECK_F)) == DECK_F
    assert format_cards(read_deck(DECK_F)[:3]) == "AS 2D QD"


@given(decks, st.data())
def test_plain_cards_in_other_spellings(deck, data):
    pieces = []
    for name in format_cards(deck).split():
        suits = data.draw(st.sampled_from([SUIT_LETTERS, SUIT_SYMBOLS, "♤♡♢♧"]))
        rank = data.draw(st.sampled_from(["T", "10"])) if name[0] == "T" else name[0]
        spelled = rank + suits[SUIT_LETTERS.index(name[1])]
        pieces.append(data.draw(st.sampled_from([spelled, spelled.lower()])))
        pieces.append(data.draw(st.sampled_from([" ", ",", ", ", "\n", "\t"])))
    assert read_deck("".join(pieces)) == deck


def test_emoji_suits_are_read():
    emoji = DECK_F.translate(
        {ord(letter): symbol + "\ufe0f" for letter, symbol in zip(SUIT_LETTERS, SUIT_SYMBOLS, strict=True)}
    )
    assert read_deck(emoji) == read_deck(DECK_F)


BAD_DECKS = {
    "31 cards": (NAMES_F[:31], "31 cards instead of 52; 21 cards are missing, the first of them 5S"),
    "AS for AD": ([*NAMES_F[:51], "AS"], "AS twice (cards 1 and 52); AD is missing"),
    "1S for AD": ([*NAMES_F[:51], "1S"], "card 52 of the deal: '1S' is no card"),
    "nothing": ([], "no cards instead of 52; 52 cards are missing, the first of them AS"),
    "53 cards": ([*NAMES_F, "QH"], "53 cards instead of 52; QH twice (cards 26 and 53)"),
    "a joker": ([*NAMES_F[:51], "Joker"], "card 52 of the deal: 'Joker' is no card"),
    "51 cards": (NAMES_F[:51], "51 cards instead of 52; AD is missing"),
    "two missing": ([*NAMES_F[:50], "AS", "AS"], "AS 3 times (cards 1, 51 and 52); KS and AD are missing"),
    "no spaces": ([DECK_F.replace(" ", "")], "card 1 of the deal: 'AS2DQD7H3H6…' is no card"),
}


@pytest.mark.parametrize(("names", "message"), BAD_DECKS.values(), ids=BAD_DECKS.keys())
def test_what_is_no_deck_is_named(names, message):
    with pytest.raises(DealError, match=f"^{re.escape(message)}$"):
        read_deck(" ".join(names))


@pytest.mark.parametrize("format", list(FORMATS))
@pytest.mark.parametrize("text", ["", " \n", "nonsense", "-1", "0" * 500, "[]", "{}", "\x00"])
def test_no_format_reads_what_is_no_deal(format, text):
    with pytest.raises(DealError):
        read_deal(text, format)


@pytest.mark.parametrize("format", list(FORMATS))
@pytest.mark.parametrize("text", [None, 7, b"AS", ["AS"]])
def test_only_texts_are_read(format, text):
    with pytest.raises(DealError, match="a deal is read from a text, not from"):
        read_deal(text, format)


@pytest.mark.parametrize("format", list(FORMATS))
@given(text=st.text())
def test_random_text_is_refused_and_never_crashes(format, text):
    if format == "lonelybot-exact" and re.fullmatch(r"\s*[0-9]+\s*", text):
        return
    with pytest.raises(DealError):
        read_deal(text, format)


@pytest.mark.parametrize("format", list(FORMATS))
@pytest.mark.parametrize(
    ("cards", "message"),
    [
        (range(51), "51 cards instead of 52; KC is missing"),
        ([*range(51), 52], "card 52 is 52, which is no card"),
        ([-1, *range(1, 52)], "card 1 is -1, which is no card"),
        ([*range(51), 51.0], "card 52 is 51.0, which is no card"),
        ("AS", "card 1 is 'A', which is no card"),
    ],
)
def test_only_deals_are_written(format, cards, message):
    with pytest.raises(DealError, match=message):
        write_deal(cards, format)


def test_check_deck_takes_any_iterable_of_integers():
    assert check_deck(np.arange(52, dtype=np.int8)) == tuple(range(52))
    assert all(type(card) is int for card in check_deck(np.arange(52)))
    assert check_deck(iter(range(52))) == tuple(range(52))


def test_unknown_formats_are_refused():
    with pytest.raises(DealError, match="'xml' is no deal format; known are cards, solvitaire, klondike-solver"):
        read_deal(DECK_F, "xml")
    with pytest.raises(DealError, match="is no deal format"):
        write_deal(range(52), "xml")


# Solvitaire JSON


def test_greenfelt_815_as_solvitaire_json():
    cards = deal_cards("greenfelt", 815)
    assert json.loads(write_deal(cards, "solvitaire")) == SOLVITAIRE_815
    assert json.loads(write_deal(cards, "solvitaire"))["stock"][-1] == "7H"
    assert read_deal(json.dumps(SOLVITAIRE_815), "solvitaire") == cards


def test_solvitaire_json_with_empty_piles_and_t_for_ten():
    text = json.dumps({**SOLVITAIRE_815, "foundation": [[], [], [], []], "waste": []}).replace("10", "T")
    assert read_deal(text, "solvitaire") == deal_cards("greenfelt", 815)


def changed(*path_and_value):
    """The JSON of greenfelt 815 with one value replaced."""
    position = json.loads(json.dumps(SOLVITAIRE_815))
    *path, last, value = path_and_value
    place = position
    for key in path:
        place = place[key]
    place[last] = value
    return json.dumps(position)


PILES = "tableau piles"
BAD_SOLVITAIRE = {
    "no JSON": ("{", "no JSON: "),
    "nested too deep": ("[" * 100_000, "no JSON: "),
    "no object": ("[]", "the JSON is no object with 'tableau piles' and 'stock'"),
    "no stock": (json.dumps({PILES: SOLVITAIRE_815[PILES]}), "'stock' is missing"),
    "no columns": (json.dumps({"stock": SOLVITAIRE_815["stock"]}), "'tableau piles' is missing"),
    "another pile": (changed("cells", []), "'cells' is no pile of a Klondike deal"),
    "cards on a foundation": (changed("foundation", [["AS"], [], [], []]), "'foundation' holds cards"),
    "cards on the waste": (changed("waste", ["AS"]), "'waste' holds cards"),
    "six columns": (changed(PILES, SOLVITAIRE_815[PILES][:6]), "'tableau piles' lists 6 columns instead of 7"),
    "a column of a string": (changed(PILES, 0, "JD"), "'a column' is 'JD', not a list"),
    "columns of a number": (changed(PILES, 7), "'tableau piles' is 7, not a list"),
    "stock of null": (changed("stock", None), "'stock' is None, not a list"),
    "column too long": (changed(PILES, 0, ["10d", "8D"]), "column 1 has 2 cards instead of 1"),
    "column too short": (changed(PILES, 2, ["3H"]), "column 3 has 1 card instead of 3"),
    "stock too short": (changed("stock", SOLVITAIRE_815["stock"][1:]), "'stock' has 23 cards instead of 24"),
    "top face down": (changed(PILES, 1, 1, "8d"), "column 2, card 2: the suit of '8d' must be in upper case"),
    "bottom face up": (changed(PILES, 1, 0, "10D"), "column 2, card 1: the suit of '10D' must be in lower case"),
    "unknown card": (changed(PILES, 1, 0, "1d"), "column 2, card 1: '1d' is no card"),
    "no card": (changed("stock", 3, 7), "stock, card 4: 7 is no card"),
    "doubled card": (changed("stock", 3, "JD"), r"JD twice \(cards 1 and 49\); QS is missing"),
}


@pytest.mark.parametrize(("text", "message"), BAD_SOLVITAIRE.values(), ids=BAD_SOLVITAIRE.keys())
def test_what_is_no_solvitaire_deal_is_named(text, message):
    with pytest.raises(DealError, match=message):
        read_deal(text, "solvitaire")


# Klondike-Solver


def test_golden_solver_digits():
    assert format_cards(read_deal(SOLVER_DIGITS, "klondike-solver")) == SOLVER_DECK
    assert write_deal(read_deck(SOLVER_DECK), "klondike-solver") == SOLVER_DIGITS


@pytest.mark.parametrize(
    ("digits", "message"),
    [
        (SOLVER_DIGITS[:93], "31 cards instead of 52; 21 cards are missing, the first of them AS"),
        (README_DIGITS, r"AH twice \(cards 19 and 37\); AD is missing"),
        (SOLVER_DIGITS[:-1], "card 52 of the deal: '04' is no card"),
        (SOLVER_DIGITS[:-3] + "031", r"3C twice \(cards 1 and 52\); 4C is missing"),
        (SOLVER_DIGITS + "031", r"53 cards instead of 52; 3C twice \(cards 1 and 53\)"),
        (SOLVER_DIGITS[:-3] + "141", "card 52 of the deal: '141' is no card"),
        (SOLVER_DIGITS[:-3] + "001", "card 52 of the deal: '001' is no card"),
        ("035" + SOLVER_DIGITS[3:], "card 1 of the deal: '035' is no card"),
        ("٠٣١" + SOLVER_DIGITS[3:], "card 1 of the deal: '٠٣١' is no card"),
    ],
)
def test_what_are_no_solver_digits_is_named(digits, message):
    with pytest.raises(DealError, match=message):
        read_deal(digits, "klondike-solver")


# lonelybot


def test_lonelybot_lists_column_by_column():
    text = write_deal(deal_cards("greenfelt", 815), "lonelybot")
    assert text.startswith(
        "JD TD 8D 8S 5H 3H 3S AC 2H 8H KC AH TH 4C 6S 9S 7C QD AS 7D KD 3D JS 9D QC JH 2S 9H 7H 4D AD"
    )


def test_lonelybot_exact_number_is_the_numbering():
    assert read_deal(" 0 ", "lonelybot-exact") == deal_cards("lonelybot-exact", 0)
    with pytest.raises(DealError, match="is no lonelybot-exact number"):
        read_deal("9" * 68, "lonelybot-exact")
    with pytest.raises(DealError, match=r"is no whole number from 0 to 52! - 1"):
        read_deal("9" * 10_000, "lonelybot-exact")
