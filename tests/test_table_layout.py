"""Where everything lies on the table, and what lies at a point."""

import numpy as np
import pytest
from walks import random_game

from klondike_env import Game
from klondike_env.actions import COLUMN_PILE, FOUNDATION_PILE, STOCK_PILE, WASTE_PILE
from klondike_env.position import Position
from klondike_env.rendering.table_layout import Rect, Spot, TableLayout

LONGEST_COLUMN = (19, 6)
"""Cards, and how many of them lie face down, in the longest column that a game can have."""
SIZES = [(160, 120), (320, 240), (800, 600), (1920, 1080), (480, 900), (1000, 300), (3840, 2160)]


def places_of_piles(layout: TableLayout) -> list[Rect]:
    """Return the places of all piles."""
    return [layout.stock, layout.waste, *layout.foundations, *(layout.column_place(j) for j in range(1, 8))]


@pytest.mark.parametrize("size", SIZES)
def test_piles_lie_apart_and_on_the_table(size: tuple[int, int]) -> None:
    layout = TableLayout(*size, header=14, footer=20)
    places = places_of_piles(layout)
    for i, place in enumerate(places):
        assert place.x >= 0
        assert place.y >= 14
        assert place.right <= size[0]
        assert place.bottom <= size[1] - 20
        assert (place.width, place.height) == (layout.card_width, layout.card_height)
        for other in places[:i]:
            assert place.overlap(other) == 0
    fan = layout.waste_cards(3)
    assert fan[0] == layout.waste
    assert fan[-1].right <= layout.foundations[0].x
    assert len({place.x for place in fan}) == 3


@pytest.mark.parametrize("size", SIZES)
def test_the_longest_column_stays_on_the_table_with_every_card_to_be_seen(size: tuple[int, int]) -> None:
    layout = TableLayout(*size, header=14, footer=20)
    for length, face_down in [(1, 0), (7, 6), (13, 0), LONGEST_COLUMN]:
        places = layout.column_cards(5, length, face_down)
        assert len(places) == length
        assert places[0] == layout.column_place(5)
        assert places[-1].bottom <= size[1] - 20
        tops = [place.y for place in places]
        assert tops == sorted(tops)
        if size[1] >= 240:
            assert min(np.diff(tops[face_down:]), default=9) >= 3
            assert len(set(tops)) == length
    assert layout.column_cards(5, 0, 0) == []


def visible_point(place: Rect, covering: list[Rect]) -> tuple[int, int] | None:
    """Return a point of a place that no later one covers."""
    for y in range(place.y, place.bottom):
        for x in (place.x, place.right - 1):
            if not any(other.contains(x, y) for other in covering):
                return x, y
    return None


@pytest.mark.parametrize("size", [(320, 240), (800, 600), (480, 900)])
def test_every_card_is_hit_where_it_can_be_seen(size: tuple[int, int]) -> None:
    layout = TableLayout(*size, header=14)
    hits = 0
    for game in [random_game("D3N", number, 20 * number) for number in range(12)]:
        view = game.view()
        assert layout.hit(view, *layout.stock.center) == Spot(STOCK_PILE)
        top = layout.spot_rect(view, Spot(WASTE_PILE))
        assert layout.hit(view, top.right - 1, top.y) == Spot(WASTE_PILE)
        for suit, place in enumerate(layout.foundations):
            assert layout.hit(view, *place.center) == Spot(FOUNDATION_PILE, suit)
        for column in range(1, 8):
            cards = view.column(column)
            places = layout.column_cards(column, len(cards), view.face_down_count(column))
            if not cards:
                assert layout.hit(view, *layout.column_place(column).center) == Spot(COLUMN_PILE, column)
            for row, place in enumerate(places):
                point = visible_point(place, places[row + 1 :])
                assert point is not None
                assert layout.hit(view, *point) == Spot(COLUMN_PILE, column, row)
                hits += 1
                assert layout.spot_rect(view, Spot(COLUMN_PILE, column, row)) == place
        assert layout.hit(view, 0, 0) is None
        assert layout.hit(view, layout.width - 1, layout.height - 1) is None
    assert hits > 200


def drop_at(layout: TableLayout, position: Position, x: int, y: int) -> Spot | None:
    """Return where a card let go of with its corner at a point falls."""
    return layout.drop_spot(position, Rect(x, y, layout.card_width, layout.card_height))


def test_a_card_falls_where_it_covers_most() -> None:
    layout = TableLayout(800, 600)
    game = Game.from_number(6)
    view = game.view()
    for suit, place in enumerate(layout.foundations):
        assert drop_at(layout, view, place.x + 9, place.y - 20) == Spot(FOUNDATION_PILE, suit)
    for column in range(1, 8):
        last = layout.spot_rect(view, Spot(COLUMN_PILE, column))
        assert drop_at(layout, view, last.x - 12, last.y + 30) == Spot(COLUMN_PILE, column)
        # Far below the last card is still that column.
        assert drop_at(layout, view, last.x, layout.height - layout.card_height) == Spot(COLUMN_PILE, column)
    assert drop_at(layout, view, layout.stock.x, layout.stock.y) is None
    assert drop_at(layout, view, -500, -500) is None
    nearer = layout.column_place(2).x + (layout.card_width + layout.gap) * 6 // 10
    assert drop_at(layout, view, nearer, layout.column_place(2).y + 40) == Spot(COLUMN_PILE, 3)


def test_a_very_small_table_is_drawn_at_the_smallest_size() -> None:
    layout = TableLayout(1, 1)
    assert (layout.width, layout.height) == (160, 120)
    assert layout.card_width >= 8
