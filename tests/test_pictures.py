"""What pictures show of a position, and what they do not."""

import functools
from typing import Any

import numpy as np
import pytest
from golden import read_json_lines
from oracle.positions import CASE_DECKS
from walks import play_on

from klondike_env import RULE_SETS, Game
from klondike_env.actions import TURN_STOCK
from klondike_env.rendering.env_renderer import EnvRenderer, game_title, load_pygame
from klondike_env.rendering.table_layout import Rect, Spot

load_pygame()
import pygame  # noqa: E402  # after the loader, so that it does not greet

from klondike_env.rendering.card_sprites import CardSprites  # noqa: E402
from klondike_env.rendering.painter import (  # noqa: E402
    MARK_HINT,
    TableMarks,
    TablePainter,
    last_move_marks,
    stock_place_sign,
)


def start(deck: str, rules: str = "D1N", actions: tuple[int, ...] = ()) -> Game:
    """Start a game of a case deck and play actions."""
    game = Game.from_deck(CASE_DECKS[deck], rules)
    for action in actions:
        game.play(action)
    return game


@functools.cache
def the_painter() -> TablePainter:
    """Return a painter, its cards kept from test to test."""
    return TablePainter(800, 600)


def picture(game: Game, **marks: Any) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Return the picture of a game's view, without a mark of the last move unless given."""
    surface = pygame.Surface((800, 600), 0, 32)
    the_painter().draw(surface, game.view(), TableMarks(**marks))
    return np.transpose(pygame.surfarray.array3d(surface), (1, 0, 2))


def part(image: np.ndarray[Any, Any], place: Rect) -> np.ndarray[Any, Any]:
    """Return the part of a picture in a place."""
    return image[place.y : place.bottom, place.x : place.right]


def differing(first: np.ndarray[Any, Any], second: np.ndarray[Any, Any]) -> float:
    """Return the share of pixels in which two pictures differ."""
    return float((first != second).any(axis=-1).mean())


def test_cards_unknown_to_the_player_do_not_show() -> None:
    for rules in RULE_SETS:
        game = Game.from_number(77, rules)
        for _ in play_on(game, np.random.default_rng(4), 60):
            pass
        expected = picture(game)
        changed = 0
        for seed in range(3):
            other = game.view().sample(np.random.default_rng(seed))
            changed += other.notation != game.notation
            assert (picture(other) == expected).all()
        assert changed


def test_pictures_of_a_game_with_other_hidden_cards_are_equal() -> None:
    cards = CASE_DECKS["F"].split()
    # Positions 1 and 2 of a deal lie face down, and so do the last ones of the stock.
    cards[1], cards[2], cards[50], cards[51] = cards[50], cards[1], cards[51], cards[2]
    first, second = Game.from_deck(CASE_DECKS["F"]), Game.from_deck(" ".join(cards))
    assert first.deck != second.deck
    renderer = EnvRenderer()
    for action in (0, 8):
        assert (renderer.frame(first) == renderer.frame(second)).all()
        first.play(action)
        second.play(action)
    assert (renderer.frame(first) == renderer.frame(second)).all()


def test_case_1_after_undo_the_turned_card_is_drawn_nowhere() -> None:
    renderer = EnvRenderer()
    game = start("F")
    at_the_start = renderer.frame(game)
    game.play(0)
    turned = renderer.frame(game)
    assert differing(at_the_start, turned) > 0.01
    game.undo()
    assert (renderer.frame(game) == at_the_start).all()


def test_case_12_an_empty_stock_shows_whether_it_can_be_redealt() -> None:
    place = the_painter().layout.stock
    no_pass = Game.from_code("KL1-D1V-AAAAAAG")
    redeal = Game.from_code("KL1-D1N-AAAAAAG")
    for game in (no_pass, redeal):
        for _ in range(24):
            game.play(0)
    assert stock_place_sign(no_pass) == "no pass"
    assert not no_pass.is_legal(TURN_STOCK)
    assert stock_place_sign(redeal) == "redeal"
    assert differing(part(picture(no_pass), place), part(picture(redeal), place)) > 0.1
    three = Game.from_number(6, "D3N", passes=3)
    header = Rect(600, 0, 200, 34)
    pictures = []
    for left in (2, 1, 0):
        assert three.passes_left == left
        pictures.append(part(picture(three), header))
        for _ in range(8):
            three.play(0)
        assert stock_place_sign(three) == ("redeal" if left else "no pass")
        if left:
            three.play(0)
    for i in range(3):
        for j in range(i):
            assert differing(pictures[i], pictures[j]) > 0
    # Without a limit, too, the pass is told.
    unlimited = Game.from_code("KL1-D1N-AAAAAAG")
    first = part(picture(unlimited), header)
    for _ in range(25):
        unlimited.play(0)
    assert unlimited.view().pass_number == 2
    assert differing(part(picture(unlimited), header), first) > 0
    for _ in range(9):
        three.undo()
    assert three.passes_left == 1
    assert stock_place_sign(three) == "redeal"
    assert (part(picture(three), header) == pictures[1]).all()


def test_an_empty_stock_with_an_empty_waste_shows_that_it_is_finished() -> None:
    sprites = CardSprites(60)
    signs = [pygame.surfarray.array3d(sprites.empty_stock(s)) for s in ("redeal", "no pass", "finished")]
    for i in range(3):
        for j in range(i):
            assert differing(signs[i], signs[j]) > 0.05
    won = play_solution("oracle_d1.jsonl")
    assert stock_place_sign(won) == "finished"


def play_solution(name: str) -> Game:
    """Play the first proven solution of a file to its end."""
    line = next(line for line in read_json_lines(name) if line.get("actions"))
    game = Game.from_deck(line["deck"])
    for action in line["actions"]:
        game.play(action)
    assert game.is_won
    return game


def test_case_15_a_won_game_says_so() -> None:
    won = play_solution("oracle_d1.jsonl")
    before = won.copy()
    before.undo()
    middle = Rect(250, 240, 300, 80)
    assert differing(part(picture(won), middle), part(picture(before), middle)) > 0.05


def test_the_last_move_is_marked() -> None:
    for rules in ("D1N", "D3N", "three-pass", "D1V"):
        game = Game.from_number(4, rules)
        seen = {"turn": 0, "redeal": 0, "move": 0}
        before = game.copy()
        for action in play_on(game, np.random.default_rng(1), 150):
            moved, redealt = last_move_marks(before.view(), game.view())
            if action != TURN_STOCK:
                assert moved == set(before.moved_cards(action))
                assert not redealt
                seen["move"] += 1
            elif before.stock:
                assert moved == set(before.moved_cards(action)) & set(game.waste_in_sight)
                assert moved
                assert not redealt
                seen["turn"] += 1
            else:
                assert redealt
                assert not moved
                seen["redeal"] += 1
            before = game.copy()
        assert min(seen.values()) > (0 if rules != "D1V" else -1)
    game = start("F", actions=(0, 8))
    (card,) = last_move_marks(start("F", actions=(0,)).view(), game.view())[0]
    assert differing(picture(game, moved={card}), picture(game)) > 0.001


def test_score_and_code_are_written() -> None:
    header = Rect(0, 0, 200, 34)
    normal, vegas = start("J", actions=(0, 1)), start("J", "D1V", (0, 1))
    assert (normal.score_text, vegas.score_text) == ("10", "-$47")
    assert differing(part(picture(normal), header), part(picture(vegas), header)) > 0.01
    assert differing(picture(normal, code="KL1-D1N-AAAAAAG"), picture(normal)) > 0.001
    assert game_title(Game.from_number(6)) == "KL1-D1N-AAAAAAG"
    assert game_title(Game.from_number(6, "D3N", passes=3)) == "KL1-D3N-AAAAAAG  (D3N,passes=3)"
    assert game_title(start("J", "D3V")) == "D3V"


@pytest.mark.parametrize("width", [30, 38, 98, 250])
def test_all_cards_look_different(width: int) -> None:
    sprites = CardSprites(width)
    faces = [pygame.surfarray.array3d(sprites.face(card)).astype(int) for card in range(52)]
    faces.append(pygame.surfarray.array3d(sprites.back).astype(int))
    # The strip that a card in a column shows under the next one must suffice.
    strips = [face[: width * 6 // 10, : max(3, round(width * 1.4 * 0.25))] for face in faces]
    for i, strip in enumerate(strips):
        assert sprites.face(0).get_size() == (width, round(width * 1.4))
        for other in strips[:i]:
            assert (np.abs(strip - other).max(axis=-1) > 60).mean() > 0.004
    corner = pygame.surfarray.array_alpha(sprites.face(0))
    assert corner[0, 0] < 128
    assert corner[width // 2, width // 2] == 255


def test_the_fan_shows_what_the_rules_leave_in_sight() -> None:
    layout = the_painter().layout
    with_fan, without = Game.from_number(6, "D3N"), Game.from_number(6, "D3N", fan=False)
    empty = picture(with_fan)
    for game in (with_fan, without):
        game.play(0)
    first, second, third = layout.waste_cards(3)
    beside_the_first = second._replace(x=first.right + 10, width=second.right - first.right - 20)
    for place in (beside_the_first, third._replace(x=second.right + 10, width=third.right - second.right - 12)):
        assert differing(part(picture(with_fan), place), part(empty, place)) > 0.9
        assert differing(part(picture(without), place), part(empty, place)) == 0
    assert differing(part(picture(without), first), part(empty, first)) > 0.9


def test_cards_in_the_hand_are_not_in_their_place() -> None:
    game = start("F", actions=(9, 0))
    ace = game.foundation_top(0)
    assert ace is not None
    top = game.waste[-1]
    column = game.column(7)[-1]
    layout = the_painter().layout
    emptied = start("F").view()
    assert emptied.foundation_height(0) == 0
    lifted = picture(game, lifted={ace})
    assert (part(lifted, layout.foundations[0]) == part(picture(start("F")), layout.foundations[0])).all()
    assert differing(part(picture(game, lifted={top}), layout.waste), part(picture(game), layout.waste)) > 0.3
    assert differing(picture(game, lifted={column}), picture(game)) > 0.01


def test_outlines_lie_around_their_spots() -> None:
    game = start("F")
    for spot in (Spot("stock"), Spot("waste"), Spot("foundation", 3), Spot("column", 7, 6), Spot("column", 2, 1)):
        place = the_painter().layout.spot_rect(game, spot)
        changed = (picture(game, outlined={spot: MARK_HINT}) != picture(game)).any(axis=-1)
        rows, columns = np.nonzero(changed)
        assert changed.any()
        margin = 8
        assert place.x - margin <= columns.min() <= place.x <= place.right - 1 <= columns.max() < place.right + margin
        assert place.y - margin <= rows.min() <= place.y <= place.bottom - 1 <= rows.max() < place.bottom + margin


@pytest.mark.parametrize("size", [(160, 120), (320, 240), (1920, 1080), (480, 900), (901, 333)])
def test_any_size_is_drawn(size: tuple[int, int]) -> None:
    painter = TablePainter(*size, footer=size[1] // 12)
    surface = pygame.Surface(size, 0, 32)
    game = Game.from_number(6, "D3N")
    for _ in play_on(game, np.random.default_rng(0), 80):
        pass
    painter.draw(surface, game.view(), TableMarks(code=game.code or ""))
    image = pygame.surfarray.array3d(surface)
    # Cards are nearly white; the table is not.
    assert 0.03 < (image.min(axis=-1) > 240).mean() < 0.8
