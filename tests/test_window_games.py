"""The window: undo, restart, new games and codes, and going on where a game was left."""

from pathlib import Path

from oracle.positions import CASE_DECKS
from window_driver import Player, legal, pygame, seen, start

from klondike_env import Game, card_name, parse_card
from klondike_env.playing.saved_games import SavedGames
from klondike_env.playing.session import PlaySession


def test_the_last_hundred_actions_can_be_undone_and_the_101st_not() -> None:
    player = Player(Game.from_code("KL1-D1N-AAAAAAG"))
    for _ in range(101):
        player.tap("stock")
    assert player.session.action_count == 101
    after_one = Game.from_code("KL1-D1N-AAAAAAG")
    after_one.play(0)
    for left in range(99, -1, -1):
        player.key("u")
        assert player.game.undo_count == left
    assert player.game.notation == after_one.notation
    player.key("u")
    assert "nothing is left to undo" in player.window.message
    assert player.window.is_refusal
    assert player.game.notation == after_one.notation


def test_case_1_after_undo_the_window_shows_the_deal_again() -> None:
    player = start("F")
    player.window._say("")
    at_the_deal = seen(player)
    player.tap("stock")
    player.wait(1)
    assert legal(player) >= {8}
    assert (seen(player) != at_the_deal).any()
    player.key("u")
    player.wait(1)
    assert (seen(player) == at_the_deal).all()
    assert legal(player) == {0, 9, 46, 63}
    # Nothing lies on the waste that could be taken.
    player.press(player.window.table.layout.waste.center)
    player.move((300, 400))
    assert player.window.cards_in_hand == ()
    player.release(player.place_point("column 7"))
    assert player.game.undo_count == 0


def test_case_9_an_uncovered_card_turns_up_and_is_shown() -> None:
    player = start("M")
    player.drag("6H", "column 7")
    assert [card_name(card) for card in player.game.column(7)[-2:]] == ["7C", "6H"]
    assert legal(player) == {0, 12, 49, 51}
    assert player.game.score == 5
    assert parse_card("AD") in player.window.table.card_rects(player.session.view)


def test_case_12_the_stock_says_when_no_pass_is_left() -> None:
    player = Player(Game.from_code("KL1-D1V-AAAAAAG"))
    for _ in range(24):
        player.tap("stock")
    assert legal(player) == {11, 67, 68}
    player.tap("stock")
    assert player.window.message == "the stock is empty and no pass is left"
    assert player.game.undo_count == 24
    three = Player(Game.from_number(6, "D3N", passes=3))
    for passes_left in (2, 1, 0):
        assert three.session.passes_left == passes_left
        for _ in range(8):
            three.tap("stock")
        assert three.session.view.can_redeal is bool(passes_left)
        three.tap("stock")
    assert three.window.is_refusal
    for _ in range(9):
        three.key("u")
    assert three.session.passes_left == 1


def test_case_14_restart_deals_the_same_cards() -> None:
    player = Player(Game.from_code("KL1-D3N-AAAAAAG"))
    dealt = player.game.notation
    for _ in range(2):
        for _ in range(12):
            player.tap("stock")
        player.key("r")
        player.key("enter")
        assert player.window.dialog is None
        assert player.game.notation == dealt
        assert player.game.undo_count == 0
    player.key("r")
    assert player.window.dialog is None
    assert "beginning" in player.window.message
    player.tap("stock")
    player.key("r")
    player.key("escape")
    assert player.game.undo_count == 1


def test_case_14_a_game_goes_on_where_it_was_left(tmp_path: Path) -> None:
    code = "KL1-D3N-AAAAAAG"
    with PlaySession.open(SavedGames(tmp_path), code=code) as session:
        player = Player(session)
        for _ in range(11):
            player.tap("stock")
        player.drag(card_name(player.game.column(1)[-1]), "clubs")
        left = player.game.notation
        count = player.game.undo_count
    with PlaySession.open(SavedGames(tmp_path)) as again:
        player = Player(again)
        assert player.game.notation == left
        for _ in range(count):
            player.key("u")
        assert player.game.notation == Game.from_code(code).notation


def test_a_new_game_by_mouse() -> None:
    player = Player(Game.from_code("KL1-D1N-AAAAAAG"))
    player.press_button("n")
    player.draw()
    form = player.window.dialog
    assert form is not None
    player.click(form.box_of("draw", "D3").center)
    player.click(form.box_of("scoring", "V").center)
    player.draw()
    player.click(form.box_of("accept").center)
    assert player.window.dialog is None
    assert player.session.rules.name == "D3V"
    assert player.session.score_text == "-$52"
    assert player.game.code != "KL1-D3V-AAAAAAG"
    player.press_button("n")
    player.draw()
    kept = player.game.notation
    player.click(player.window.dialog.box_of("cancel").center)
    assert player.window.dialog is None
    assert player.game.notation == kept
    # A press outside of the buttons, and on the table below the form, does nothing.
    player.press_button("n")
    player.draw()
    player.click((3, 3))
    player.click(player.window.table.layout.stock.center)
    assert player.window.dialog is not None
    assert player.game.notation == kept


def test_a_new_game_by_keys() -> None:
    player = Player(Game.from_code("KL1-D1N-AAAAAAG"))
    for name, draw, vegas in (("D3N", 1, 0), ("D1V", 1, 1), ("D1N", 0, 1)):
        player.keys("n", "tab", "tab")
        assert player.window.dialog.focus == "draw"
        player.keys(*["right"] * draw, "down", *["left"] * vegas)
        player.keys("enter")
        assert player.session.rules.name == name
    player.keys("n", "escape")
    assert player.window.dialog is None


def test_a_code_is_typed_or_pasted_and_errors_are_shown_in_the_form() -> None:
    player = Player(Game.from_code("KL1-D1N-AAAAAAG"))
    kept = player.game.notation
    player.key("n")
    player.type("kl1-d3v-aaaaa")
    player.key("enter")
    form = player.window.dialog
    assert form is not None
    assert "seven letters" in form.error or "7" in form.error
    assert player.game.notation == kept
    player.draw()
    player.type("ag")
    assert form.error == ""
    player.key("enter")
    assert player.window.dialog is None
    assert player.game.code == "KL1-D3V-AAAAAAG"
    # Copied by one key, and pasted elsewhere.
    player.key("y")
    assert player.clipboard.text == "KL1-D3V-AAAAAAG"
    player.clipboard.text = "  KL1-D1V-AAAAABA\n"
    player.key("n")
    player.key("v", pygame.KMOD_CTRL)
    player.key("enter")
    assert player.game.code == "KL1-D1V-AAAAABA"
    # 52 cards have the draw and scoring that are chosen.
    player.clipboard.text = CASE_DECKS["J"]
    player.key("n")
    player.key("v", pygame.KMOD_CTRL)
    player.key("enter")
    assert player.game.deck == CASE_DECKS["J"]
    assert player.session.rules.name == "D1V"
    player.key("c", pygame.KMOD_CTRL)
    assert player.clipboard.text == CASE_DECKS["J"]
    player.key("n")
    player.type(CASE_DECKS["F"][:-2] + "AS")
    player.draw()
    player.key("enter")
    assert "AS" in player.window.dialog.error
    player.draw()
    player.keys(*["backspace"] * 3)
    player.key("escape")
    assert player.game.deck == CASE_DECKS["J"]
