"""Move texts of other programs: golden solutions they printed, round trips, and what is said about bad texts."""

import contextlib
import json
import random
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from klondike_env.cards import format_cards
from klondike_env.errors import IllegalActionError, MoveTextError
from klondike_env.formats import read_deal
from klondike_env.game import Game
from klondike_env.move_texts import MOVE_TEXTS, read_moves, write_moves
from klondike_env.numberings import deal_cards

DATA = Path(__file__).parent / "data"
STYLES = list(MOVE_TEXTS)
DECK_F = (
    "AS 2D QD 7H 3H 6C KC 3S 6H AH 8H 8C KH 4S QC 5D 7D 4H 2H JC QS 5C KD 2S 3D QH 8D TC 9H 4C JH 5S TD TH 9D JS 7C "
    "JD 2C 9S 6S 5H AC 9C 4D TS 3C 8S 7S 6D KS AD"
)
DECK_J = (
    "2S AD 4H QC 6D AS JC 7C 5H KS TC 5C QH QS 6H 9D 9H KC JD 7D 2H 8D TS JH 3C 4C 8H 3S AH 3D AC 7H KD 9S 8C 4D 5D 7S "
    "4S 3H TD 9C 2C KH 8S QD 6S 5S 6C 2D JS TH"
)


def played(game, actions):
    """A copy of the game after these actions."""
    game = game.copy()
    for action in actions:
        game.play(action)
    return game


def assert_round_trip(game, actions, style):
    text = write_moves(game, actions, style)
    assert read_moves(game, text, style) == actions
    assert write_moves(game, read_moves(game, text, style), style) == text


# What the programs themselves printed


def test_minimal_klondike_readme_example():
    # The deal and the position after the moves as ShootMe/MinimalKlondike's README draws them.
    deck = (
        "7D TH 2H 4D 9S KS JC 9D 5C 3S 4S 7S JS 5D QH AC 8H QD AD KC 9C 8D QS 6S AS 9H 3H JD 7C TS KD 5H KH TD 8S 4C "
        "AH 7H 6H 3C 6C 4H 8C 5S JH 6D 2S 2C TC 2D 3D QC"
    )
    text = "IC @@AL KL @@AK @@@@@AE LJ AK LK"
    game = Game.from_deck(deck)
    actions = read_moves(game, text, "minimal-klondike")
    assert write_moves(game, actions, "minimal-klondike") == text
    end = played(game, actions)
    assert format_cards(end.waste) == "7C KD KH TD 8S"
    assert format_cards(end.stock) == "7H 6H 3C 6C 4H 8C 5S JH 6D 2S 2C TC 2D 3D QC"
    assert [format_cards(end.column(column)) for column in range(1, 8)] == [
        "7D",
        "TH 9D",
        "2H 5C 5D",
        "4D 3S QH",
        "9S 4S AC KC QS JD TS 9H",
        "KS 7S 8H 9C 6S 5H 4C 3H",
        "JC JS QD 8D AS",
    ]
    assert [end.foundation_height(suit) for suit in range(4)] == [0, 1, 1, 0]


MINIMAL_KLONDIKE_SOLUTIONS = {
    # ShootMe/MinimalKlondike #6; the deal is the one of tests/test_formats.py.
    "issue 6": (
        read_deal(
            "031112012094033022071023111021072032122104064121043062044133061024073114082052054083102134124074132013081053"
            "092011113084034103091014051063042093131101123041",
            "klondike-solver",
        ),
        "IK KI @AK @@@AL @@AE GE @@@@AB AH HG @@AG JG IG IB FB JF AJ @@AH @AH @AD LI IK @@AK @@@AI @AJ @@AB AI LK LH "
        "LD AJ AK AB AD JF KI AK AF JF JE KF KE FE FB IL IE KG LI HL HC KC GC GD IC GC ID GD GE IC FC ID GD IE LC GC "
        "ID GD IC GC ID LI LC LB FB FE IB FB IE FE IB FB IE FE IB AC AD AD",
    ),
    # ShootMe/MinimalKlondike #4, a deal that took it half a billion states.
    "greenfelt 1492773577": (
        deal_cards("greenfelt", 1492773577),
        "HG @AD @AG @@AG @AL @@@@@@AL @AL @@@@@AG @AG AG @@@@@AJ @@@@@AJ HJ @AH FH @@@AF @@AF @@@@@AF KF KD KB KH KI "
        "LH HL JH LJ LH LK LC LB LE GE GB IE GE IB @AB @@@@AC JC @AD JD GD JE JB JI JL @AC JC GC IC AL AD GD GC AE "
        "@AC @AE GE IG IB GB GE FE HB GB FB HC GC GB ID JD KD KE FE FB HD HC GC LD LE HD",
    ),
}


@pytest.mark.parametrize(("cards", "text"), MINIMAL_KLONDIKE_SOLUTIONS.values(), ids=MINIMAL_KLONDIKE_SOLUTIONS.keys())
def test_minimal_klondike_solutions(cards, text):
    game = Game.from_deck(cards)
    actions = read_moves(game, text, "minimal-klondike")
    assert played(game, actions).is_won
    assert write_moves(game, actions, "minimal-klondike") == text


KLONDIKE_SOLVER_TEXTS = {
    # ShootMe/Klondike-Solver #5, draw 3, solved.
    "issue 5": (
        *(3, True),
        "092054023042061044011043122063014053021101104093123032133024103111082072124051083102134041084033081022074062052121"
        "064114071031034132073131094091012113013112",
        "DR1 W1 13-2 DR4 W2 DR1 W1 DR1 WD DR1 NEW DR2 W5 DR1 W4 DR4 W4 WH NEW DR2 W5 WD 34-3 F3 31 F3 3H DR1 W1 71 F7 "
        "65 F6 64 F6 W4 W4 DR1 W3 DR1 W6 76 F7 73 F7 67-3 F6 76-4 F7 W1 DR1 NEW DR1 WH W4 74 F7 74 F7 7C 47-12 F4 7C "
        "DR1 WC 51-4 F5 57 F5 54 F5 5S F5 7S 2S 7D 2H F2 7C 1C 5C WC WC W5 65-5 F6 6H F6 6S 2S DR1 W3 43-2 F4 4H F4 "
        "4D 7D 1D 7S 1S 7D WH 1D 5H 7S 1S 3H 5C 7D 1D 3S 5H 7C 1S 3H 5C 7D 1D 3S 5H 7C 1C 3D 5S 7H",
    ),
    # ShootMe/Klondike-Solver #11, draw 3, the first half.
    "issue 11": (
        *(3, False),
        "122021053133044042092074131071132062123061011022101013064091114073063082034041014024103121094113102031033134072"
        "111084032023052012081112124043104083093051054",
        "DR4 W6 DR1 WD 76 F7 7S F7 6S 7S F7 47 F4 4C F4 W7 67-2 F6 26 F2 2C 54 F5 65-2 F6 61 F6 DR3 NEW DR2 WC W1 51-3 "
        "F5 5D F5 7D 7C 52 F5 5S DR3 W2 W2 62 F6 61 F6 6D 7D 1D DR2 WS 7S 1S W4 W2",
    ),
    # ShootMe/Klondike-Solver #14, draw 1, until all cards are uncovered; a person wrote it.
    "issue 14": (
        *(1, False),
        "132114074043113024111053121013041063042032103091044093011023012064061071101092102021084034081051122014062123022"
        "133112134082054072033104124073083052094031131",
        "4C F4 7C F7 DR6 WS 25 F2 72 F7 DR12 W1 DR6 NEW DR10 W1 71 F7 DR12 NEW DR1 W6 DR12 W6 76 F7 71 F7 DR7 WC DR1 "
        "NEW DR2 W1 DR12 W1 51-2 F5 DR4 NEW DR1 W7 57 F5 52 F5 5C F5 DR11 W5 65-4 F6 DR1 W2 62 F6 6D F6 DR3 NEW DR5 WD "
        "3D F3 53-6 61 F6 62 F6 6S DR1 W5 35-7 F3 DR7 NEW DR1 W2 72-3 F7 47 F4 4H F4",
    ),
}


@pytest.mark.parametrize(
    ("draw", "is_won", "digits", "text"),
    KLONDIKE_SOLVER_TEXTS.values(),
    ids=KLONDIKE_SOLVER_TEXTS.keys(),
)
def test_klondike_solver_texts(draw, is_won, digits, text):
    game = Game.from_deck(read_deal(digits, "klondike-solver"), rules=f"D{draw}N")
    actions = read_moves(game, text, "klondike-solver")
    assert write_moves(game, actions, "klondike-solver") == text
    end = played(game, actions)
    assert end.is_won == is_won
    face_down = sum(end.face_down_count(column) for column in range(1, 8))
    assert face_down == 21 - len(re.findall(r"F\d", text))


# Round trips


def solutions(draw, count):
    with (DATA / f"oracle_d{draw}.jsonl").open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [(row["deck"], row["actions"]) for row in rows if row.get("actions")][:count]


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("draw", [1, 3])
def test_solutions_replay_from_deal_and_text_alone(draw, style):
    rows = solutions(draw, 60)
    assert len(rows) == 60
    for deck, actions in rows:
        text = write_moves(Game.from_deck(deck, rules=f"D{draw}N"), actions, style)
        fresh = Game.from_deck(deck, rules=f"D{draw}N")
        assert read_moves(fresh, text, style) == actions
        assert played(fresh, read_moves(fresh, text, style)).is_won


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("rules", ["D1N", "D3N", "D1V", "three-pass", "aces-first-3"])
def test_random_games_read_back(rules, style):
    for seed in range(20):
        choose = random.Random(seed)
        start = Game.from_deck(deal_cards("greenfelt", 815 + seed), rules=rules)
        game, actions = start.copy(), []
        while len(actions) < 150 and game.legal_actions():
            follows_redeal = bool(actions) and actions[-1] == 0 and not game.waste
            # MinimalKlondike has no redeal without a turn, so there the turn is made at once.
            must_turn = style == "minimal-klondike" and follows_redeal
            actions.append(0 if must_turn else choose.choice(game.legal_actions()))
            game.play(actions[-1])
        if style == "minimal-klondike" and actions[-1] == 0 and not game.waste:
            actions.pop()
        assert_round_trip(start, actions, style)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("rules", ["D1N", "D3N"])
def test_greenfelt_815_texts_begin_with_the_first_draw(rules, style):
    game = Game.from_deck(deal_cards("greenfelt", 815), rules=rules)
    text = write_moves(game, [0], style)
    assert text == ("DR1" if style == "klondike-solver" else "@")
    turned = played(game, read_moves(game, text, style))
    assert format_cards(turned.waste) == ("7H" if rules == "D1N" else "7H 4D AD")
    assert read_moves(game, write_moves(game, [0, 0, 0], style), style) == [0, 0, 0]


TURN_ALL = [0] * 24
SHORT_GAMES = {
    "ace from the waste at draw 3": ("815", "D3N", [0, 1], ["@AC", "DR1 WD", "@ AD:D>FD"]),
    "take-back": (DECK_J, "D1N", [0, 1, 23], ["@AE EF", "DR1 WH H1", "@ AH:D>FH AH:FH>T0"]),
    "king to an empty column": (DECK_F, "D1N", [9, 68], ["FD JF", "1S 51 F5", "AS:T0>FS KD:T4>T0"]),
    "redeal": (DECK_F, "D1N", [*TURN_ALL, 0, 0, 0], ["@" * 26, "DR24 NEW DR2", " ".join("@" * 27)]),
    "nothing": (DECK_F, "D1N", [], ["", "", ""]),
}


@pytest.mark.parametrize(("deck", "rules", "actions", "texts"), SHORT_GAMES.values(), ids=SHORT_GAMES.keys())
def test_short_games_in_each_style(deck, rules, actions, texts):
    game = Game.from_deck(deal_cards("greenfelt", 815) if deck == "815" else deck, rules=rules)
    assert [write_moves(game, actions, style) for style in STYLES] == texts
    assert [read_moves(game, f" {text}\n", style) for style, text in zip(STYLES, texts, strict=True)] == [actions] * 3


@pytest.mark.parametrize("style", STYLES)
def test_the_game_itself_stays_as_it_is(style):
    game = Game.from_deck(DECK_F)
    before = game.notation
    read_moves(game, write_moves(game, [9, 0, 0], style), style)
    assert game.notation == before


@pytest.mark.parametrize("style", STYLES)
def test_texts_begin_at_the_position_that_is_given(style):
    game = Game.from_deck(DECK_F)
    later = played(game, [9, 0])
    assert_round_trip(later, [68, 0, 0], style)


# Redeals


@pytest.mark.parametrize("after", [[], [9]])
def test_minimal_klondike_has_no_redeal_without_the_turn(after):
    with pytest.raises(
        MoveTextError, match="step 25, '@': MinimalKlondike writes a redeal and the turn after it as one"
    ):
        write_moves(Game.from_deck(DECK_F), [*TURN_ALL, 0, *after], "minimal-klondike")


@pytest.mark.parametrize("style", ["klondike-solver", "lonelybot"])
def test_others_have_a_redeal_without_a_turn(style):
    assert_round_trip(Game.from_deck(DECK_F), [*TURN_ALL, 0, 9, 0], style)


@pytest.mark.parametrize(
    ("style", "text", "message"),
    [
        ("minimal-klondike", "@" * 25, "step 25, '@': the stock can be neither turned nor redealt"),
        ("klondike-solver", "DR24 NEW", "step 2, 'NEW': the stock can be neither turned nor redealt"),
        ("lonelybot", "@" * 25, "step 25, '@': the stock can be neither turned nor redealt"),
    ],
)
def test_no_redeal_after_the_last_pass(style, text, message):
    with pytest.raises(MoveTextError, match=message):
        read_moves(Game.from_deck(DECK_F, rules="D1V"), text, style)


# Other spellings


@pytest.mark.parametrize(
    ("style", "text", "actions"),
    [
        ("minimal-klondike", "fd\n@ @\tJF", [9, 0, 0, 68]),
        ("minimal-klondike", "FD@@JF", [9, 0, 0, 68]),
        ("klondike-solver", "1s dr2\n51 f5", [9, 0, 0, 68]),
        ("klondike-solver", "1S DR1 DR1 51-1", [9, 0, 0, 68]),
        ("lonelybot", "as:t0>fs, @, @, kd:t4>t0", [9, 0, 0, 68]),
        ("lonelybot", "A♠:1▸♠  = =  K♦:5▸1", [9, 0, 0, 68]),
        ("lonelybot", "AS:T0>F3 @@ KD:T4>T0", [9, 0, 0, 68]),
    ],
)
def test_other_spellings_are_read(style, text, actions):
    assert read_moves(Game.from_deck(DECK_F), text, style) == actions


@pytest.mark.parametrize("spelling", [r"10\1", r"T\1", r"t\1"])
def test_tens_are_read_in_each_spelling(spelling):
    deck, actions = solutions(1, 1)[0]
    game = Game.from_deck(deck)
    text, count = re.subn(r"\bT([SHDC]):", spelling + ":", write_moves(game, actions, "lonelybot"))
    assert count > 0
    assert read_moves(game, text, "lonelybot") == actions


# Bad texts and bad actions

BAD_TEXTS = [
    ("minimal-klondike", "FD AL", "step 2, 'AL': not legal in this position"),
    ("minimal-klondike", "FD @ @@ MX", "step 5, 'MX': no move; moves are two pile letters A to L, or @"),
    ("minimal-klondike", "FD J", "step 2, 'J': no move"),
    ("minimal-klondike", "FC", "step 1, 'FC': the card there is AS, of another suit than this foundation"),
    ("minimal-klondike", "FF", "step 1, 'FF': no move leads from that pile to that pile"),
    ("minimal-klondike", "GA", "step 1, 'GA': no move leads from that pile to that pile"),
    ("minimal-klondike", "FD FD", "step 2, 'FD': not legal in this position"),
    ("minimal-klondike", "AD", "step 1, 'AD': not legal in this position"),
    ("klondike-solver", "1S XY", "step 2, 'XY': no move; moves are DRn, NEW, XY and XY-n"),
    ("klondike-solver", "1S DR0", "step 2, 'DR0': no move"),
    ("klondike-solver", "DR25", "step 1, 'DR25': the stock does not hold that many draws"),
    ("klondike-solver", "NEW", "step 1, 'NEW': no redeal before the stock is empty; it still holds 24 cards"),
    ("klondike-solver", "1S 51-2", "step 2, '51-2': this move carries 1 card, not 2"),
    ("klondike-solver", "1S 51 F4", "step 3, 'F4': the move before turned up no card of that column"),
    ("klondike-solver", "F1", "step 1, 'F1': the move before turned up no card of that column"),
    ("klondike-solver", "1S F1", "step 2, 'F1': the move before turned up no card of that column"),
    ("klondike-solver", "1H", "step 1, '1H': the card there is AS, of another suit than this foundation"),
    ("klondike-solver", "25", "step 1, '25': not legal in this position"),
    ("lonelybot", "@ AS", "step 2, 'AS': no move; moves are @ and CARD:FROM>TO"),
    ("lonelybot", "AS:T0>F9", "step 1, 'AS:T0>F9': no move"),
    ("lonelybot", "1S:T0>FS", "step 1, '1S:T0>FS': '1S' is no card"),
    ("lonelybot", "AH:T0>FH", "step 1, 'AH:T0>FH': the card that moves from there is AS"),
    ("lonelybot", "AS:T0>FH", "step 1, 'AS:T0>FH': the card there is AS, of another suit"),
    ("lonelybot", "AS:T0>T0", "step 1, 'AS:T0>T0': no"),
    ("lonelybot", "AS:T0>T1", "step 1, 'AS:T0>T1': not legal in this position"),
    ("lonelybot", "KD:T4>D", "step 1, 'KD:T4>D': no move leads from that pile to that pile"),
]


@pytest.mark.parametrize(("style", "text", "message"), BAD_TEXTS)
def test_bad_texts_are_refused_with_step_and_token(style, text, message):
    with pytest.raises(MoveTextError) as error:
        read_moves(Game.from_deck(DECK_F), text, style)
    assert message in str(error.value)


@pytest.mark.parametrize("style", STYLES)
@given(text=st.text(alphabet="@=ABCDEFGHIJKLNRSTWX0123456789:>▸♠♥♦♣-, ") | st.text())
def test_random_text_is_read_or_refused_but_never_crashes(style, text):
    game = Game.from_deck(DECK_F)
    with contextlib.suppress(MoveTextError):
        played(game, read_moves(game, text, style))


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("action", [1, 45, 86, -1, None, "0"])
def test_only_legal_actions_are_written(style, action):
    with pytest.raises(IllegalActionError, match=r"step 3: action .* is not legal there"):
        write_moves(Game.from_deck(DECK_F), [9, 0, action], style)


def test_unknown_styles_and_other_things_than_texts_are_refused():
    game = Game.from_deck(DECK_F)
    with pytest.raises(MoveTextError, match="'pgn' is no move text; known are minimal-klondike, klondike-solver"):
        write_moves(game, [9], "pgn")
    with pytest.raises(MoveTextError, match="'pgn' is no move text"):
        read_moves(game, "", "pgn")
    with pytest.raises(MoveTextError, match="moves are read from a text, not from NoneType None"):
        read_moves(game, None, "lonelybot")
