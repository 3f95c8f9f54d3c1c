"""The window, driven by events of mouse and keys; what came of them is asked of the game."""

import numpy as np
import pytest
from oracle.positions import CASE_DECKS
from window_driver import Player, check_cards, legal, pygame, start

from klondike_env import Game, card_name, parse_card


def test_dragging_a_card_and_a_run() -> None:
    player = start("P", actions=(50, 56, 62, 74))
    assert legal(player) == {0, 14, 47, 81}
    assert set(player.session.hints()) == legal(player)
    # Case 7: the 7D and what lies on it go to column 5; the cards above stay.
    player.take("7D")
    assert [card_name(card) for card in player.window.cards_in_hand] == ["7D", "6S", "5H"]
    player.release(player.grip("7D"))
    assert player.game.undo_count == 4
    player.drag("7D", "column 5")
    assert [card_name(c) for c in player.game.column(1)] == ["9H", "8S"]
    assert [card_name(c) for c in player.game.column(5)[-4:]] == ["8C", "7D", "6S", "5H"]
    assert player.game.undo_count == 5
    check_cards(player)


def test_dragging_from_the_waste_and_back_from_a_foundation() -> None:
    player = start("J")
    player.tap("stock")
    waste = card_name(player.game.waste[-1])
    assert waste == "AH"
    player.drag("AH", "hearts")
    assert player.game.foundation_height(1) == 1
    assert player.game.score == 10
    # Take-back: AH on the 2S of column 1.
    player.drag("AH", "column 1")
    assert player.game.foundation_height(1) == 0
    assert [card_name(c) for c in player.game.column(1)] == ["2S", "AH"]
    # Case 16: nothing moves by itself afterwards, not in ten seconds, nor by resizing or moving the mouse.
    before = player.game.notation
    player.wait(10)
    player.send(pygame.VIDEORESIZE, size=(700, 500), w=700, h=500)
    for x in range(0, 700, 70):
        player.move((x, 300))
    player.wait(1)
    assert player.game.notation == before


def test_a_refused_drop_slides_back_and_says_why() -> None:
    player = start("F", actions=(9, 0))
    home = player.rect("QH")
    player.take("QH")
    target = player.place_point("column 2")
    player.move(target)
    player.release(target)
    assert "QH does not go on" in player.window.message
    assert player.window.is_refusal
    assert player.window.is_moving
    on_the_way = player.window._mouse.flying()
    assert [card for card, _, _ in on_the_way] == [parse_card("QH")]
    player.wait(0.1)
    (_, x, y), *_ = player.window._mouse.flying()
    assert (x, y) not in (on_the_way[0][1:], (home.x, home.y))
    player.wait(0.5)
    assert not player.window.is_moving
    assert player.game.undo_count == 2
    assert player.rect("QH") == home


def test_case_3_a_card_with_others_on_it_does_not_go_up() -> None:
    player = start("A", actions=(9, 10, 11, 71))
    before = player.game.notation
    player.take("4H")
    assert [card_name(card) for card in player.window.cards_in_hand] == ["4H", "3S"]
    player.release(player.grip("4H"))
    player.drag("4H", "hearts")
    assert "a foundation takes one card at a time" in player.window.message
    assert player.game.notation == before
    assert legal(player) == {0, 10, 80}
    assert player.game.score == 45
    check_cards(player)


def test_case_4_only_a_king_goes_to_an_empty_column() -> None:
    player = start("F", actions=(9, 0))
    assert legal(player) == {0, 8, 19, 63, 68}
    before = player.game.notation
    for card in ("9H", "3S", "4S", "2H", "QH", "TC"):
        player.drag(card, "column 1")
        assert "an empty column takes only a king" in player.window.message
        assert player.game.notation == before
    player.drag("KD", "column 1")
    assert [card_name(c) for c in player.game.column(1)] == ["KD"]


def test_case_5_foundations_take_their_suit_in_order() -> None:
    player = start("F", actions=(9,))
    before = player.game.notation
    for card in ("3S", "4S", "2H"):
        for place in ("spades", "hearts", "diamonds", "clubs"):
            player.drag(card, place)
            assert player.window.message
            assert player.game.notation == before
    assert {action for action in legal(player) if action == 1 or 9 <= action < 44} == {19}


def test_case_10_vegas_money_of_undone_moves_is_taken_back() -> None:
    player = start("B", "D3V")
    assert player.session.score_text == "-$52"
    player.tap("stock")
    player.tap("waste")
    assert player.session.score_text == "-$47"
    player.tap("waste")
    assert player.session.score_text == "-$42"
    for place in ("hearts", "diamonds", "clubs"):
        player.drag("2S", place)
        assert player.window.is_refusal
        assert player.game.score == -42
    player.key("u")
    assert player.session.score_text == "-$47"
    player.press_button("u")
    assert player.session.score_text == "-$52"
    assert [card_name(card) for card in player.game.waste_in_sight] == ["5D", "2S", "AS"]
    player.tap("waste")
    player.tap("waste")
    assert player.session.score_text == "-$42"


def test_a_foreign_place_or_none_puts_back() -> None:
    player = start("F")
    for point in ((2, 2), player.window.table.layout.stock.center, player.window.table.layout.waste.center):
        player.take("QH")
        player.release(point)
        player.wait(1)
        assert player.game.undo_count == 0
    player.take("QH")
    player.release(player.grip("QH"))
    assert player.game.undo_count == 0


def test_what_cannot_be_picked_up_says_why() -> None:
    player = start("F")
    last = player.rect("TC")
    player.press((last.x + 5, player.window.table.layout.column_place(7).y + 3))
    player.move((300, 300))
    assert "face down" in player.window.message
    assert player.window.cards_in_hand == ()
    player.release((300, 300))
    assert player.game.undo_count == 0
    fanned = start("B", "D3N", (0,))
    fanned.press(fanned.grip("5D"))
    fanned.move((300, 300))
    assert "only the top card" in fanned.window.message
    fanned.release((300, 300))
    no_take_back = Player(Game.from_deck(CASE_DECKS["F"], "one-pass"))
    no_take_back.session.act(9)
    no_take_back.take("AS")
    assert "no take-back" in no_take_back.window.message


# Taps


def test_a_tap_sends_up_and_a_second_one_looks_for_a_column() -> None:
    player = start("F")
    player.tap("column 1")
    assert card_name(player.game.foundation_top(0) or 0) == "AS"
    # 9H of the waste does not go up; tapped again at once it goes to the only column that takes it.
    player.tap("stock")
    player.tap("waste")
    assert "9H does not go up" in player.window.message
    assert player.game.undo_count == 2
    player.clock.now += 0.1
    player.click(player.place_point("waste"))
    assert card_name(player.game.column(7)[-1]) == "9H"
    # A king looks for an empty column.
    player.quick_taps("column 5", 2)
    assert [card_name(c) for c in player.game.column(1)] == ["KD"]
    # A slow second tap is another first one.
    slow = start("F", actions=(0,))
    slow.tap("waste")
    slow.tap("waste")
    assert slow.game.undo_count == 1


@pytest.mark.parametrize("count", [3, 5])
def test_case_17_many_quick_taps_move_one_card_once(count: int) -> None:
    player = start("F")
    player.quick_taps("column 1", count)
    assert player.game.undo_count == 1
    assert player.game.foundation_height(0) == 1
    # On the place that is empty now, and on the stock.
    player.quick_taps("column 1", count)
    assert player.game.undo_count == 1
    player.quick_taps("stock", count)
    assert player.game.undo_count == 1 + count
    assert len(player.game.waste) == count
    check_cards(player)
    for _ in range(1 + count):
        player.key("u")
    assert player.game.undo_count == 0
    assert player.game.notation == Game.from_deck(CASE_DECKS["F"]).notation


def test_case_17_a_card_in_the_air_goes_back_by_escape_and_before_anything_else() -> None:
    player = start("F", actions=(9, 0))
    before = player.game.notation
    for card in ("AS", "9H", "QH"):
        player.take(card)
        assert [card_name(c) for c in player.window.cards_in_hand] == [card]
        player.key("escape")
        assert player.window.cards_in_hand == ()
        player.release((450, 500))
        player.wait(1)
        assert player.game.notation == before
    # The stock is turned by key while a card is in the air; the card lies in its place again.
    player.take("AS")
    player.key("0")
    assert player.window.cards_in_hand == ()
    assert len(player.game.waste) == 2
    player.release((450, 500))
    player.take("AS")
    player.press(player.window.table.layout.stock.center, button=3)
    player.release((450, 500))
    assert len(player.game.waste) == 2
    player.take("AS")
    player.send(pygame.WINDOWFOCUSLOST)
    assert player.window.cards_in_hand == ()
    player.take("AS")
    player.send(pygame.VIDEORESIZE, size=(500, 400), w=500, h=400)
    player.release((100, 100))
    assert player.game.undo_count == 3
    check_cards(player)


def test_case_16_a_storm_of_input_leaves_a_position_that_its_history_explains() -> None:
    player = start("J", actions=(0, 1, 23))
    rng = np.random.default_rng(0)
    width, height = player.surface.get_size()
    for number in range(300):
        kind = rng.integers(6)
        x, y = int(rng.integers(width)), int(rng.integers(height - player.window.bar.height))
        if kind == 0:
            player.press((x, y), int(rng.integers(1, 4)))
        elif kind == 1:
            player.release((x, y))
        elif kind == 2:
            player.move((x, y))
        elif kind == 3:
            player.key(str(rng.choice(["u", "0", "escape", "enter", "space", "up", "left", "w", "h", "3", "7"])))
        elif kind == 4:
            player.click(player.place_point(str(rng.choice(["stock", "waste", "column 1", "column 6", "hearts"]))))
        else:
            size = (int(rng.integers(200, 1000)), int(rng.integers(150, 800)))
            player.send(pygame.VIDEORESIZE, size=size, w=size[0], h=size[1])
        player.window.tick(0.003)
        player.clock.now += 0.003
        if number % 25 == 0:
            player.draw()
    replayed = Game.from_deck(CASE_DECKS["J"])
    for action in player.session.actions:
        replayed.play(action)
    assert replayed.notation == player.game.notation
    assert player.game.validate() == []
