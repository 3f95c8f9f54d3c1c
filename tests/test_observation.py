"""Observations: nothing unknown shows, every value lies in its bounds, and the planes say what lies on the table."""

import dataclasses
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from walks import any_rules, choose, games, lay_out, random_game

from klondike_env import RULE_SETS, Game
from klondike_env.cards import format_cards
from klondike_env.env import KlondikeEnv
from klondike_env.errors import OptionError
from klondike_env.observation import INFORMATION, PLANES, information_index, observe, plane_bounds

HIDING = [(information, squared) for information in ("visible", "remembered") for squared in (False, True)]
KINDS = [*HIDING, ("full", False), ("full", True)]
SPACE = KlondikeEnv().observation_space

Planes = npt.NDArray[np.int8]
seeds = st.integers(0, 2**32 - 1)


def planes_of(game: Game, information: str = "remembered", squared: bool = False) -> Planes:
    """Return the observation of a game with all 52 cards in one axis, shape (37, 52)."""
    return observe(game._states, information, squared).reshape(37, 52)


def cards_in(plane: Planes) -> set[int]:
    """Return the cards whose entry is not 0."""
    return set(np.flatnonzero(plane).tolist())


# What is unknown does not show


@given(games, seeds)
def test_other_unknown_cards_give_the_same_observation_and_mask(game: Game, seed: int) -> None:
    other = game.view().sample(np.random.default_rng(seed))
    assert (other.action_mask() == game.action_mask()).all()
    for information, squared in HIDING:
        assert (planes_of(other, information, squared) == planes_of(game, information, squared)).all()


@given(st.sampled_from(list(RULE_SETS)) | any_rules, st.sampled_from(HIDING), seeds, st.integers(1, 120))
def test_other_unknown_cards_in_the_deck_give_the_same_episode(rules: Any, kind: Any, seed: int, steps: int) -> None:
    rng = np.random.default_rng(seed)
    game = Game.from_number(seed, rules)
    actions: list[int] = []
    while len(actions) < steps and game.legal_actions():
        actions.append(choose(game, rng))
        game.play(actions[-1])
    unknown = game.view().unknown_cards
    swap = dict(zip(unknown, rng.permutation(unknown).tolist(), strict=True))
    assert game.deal is not None
    decks = [game.deal.cards, [swap.get(card, card) for card in game.deal.cards]]

    envs = [KlondikeEnv(rules, information=kind[0], squared=kind[1]) for _ in decks]
    shown = [env.reset(options={"deck": deck}) for env, deck in zip(envs, decks, strict=True)]
    for place, action in enumerate([*actions, None]):
        (observation, *rest), (other_observation, *other_rest) = shown
        assert observation.tobytes() == other_observation.tobytes(), place
        info, other_info = rest.pop(), other_rest.pop()
        assert info.keys() == other_info.keys()
        assert info.pop("action_mask").tobytes() == other_info.pop("action_mask").tobytes(), place
        assert (rest, info) == (other_rest, other_info), place
        if action is None:
            break
        shown = [env.step(action) for env in envs]
        # A lost game ends, and whether it is lost depends on what nobody has seen yet.
        if any(step[2] for step in shown):
            break


def test_the_test_above_would_notice_a_peek() -> None:
    game = random_game("D3N", 6, 10)
    other = game.view().sample(np.random.default_rng(1))
    assert (planes_of(other, "full") != planes_of(game, "full")).any()


# Bounds and the table of planes


@given(games)
def test_every_observation_lies_in_the_space(game: Game) -> None:
    for information, squared in KINDS:
        observation = observe(game._states, information, squared)
        assert SPACE.contains(observation), (information, squared)
        assert observation.dtype == np.int8
        assert observation.shape == (37, 4, 13)


def test_the_table_covers_every_plane_once() -> None:
    covered = [index for plane in PLANES for index in range(plane.first, plane.last + 1)]
    assert covered == list(range(37))
    assert len({plane.name for plane in PLANES}) == len(PLANES)
    for plane in PLANES:
        assert plane.first <= plane.last
        assert 0 <= plane.low < plane.high <= 100
        assert plane.meaning


def test_the_table_is_that_of_the_design() -> None:
    bounds = {(plane.first, plane.last): (plane.low, plane.high) for plane in PLANES}
    ones = [(0, 6), (7, 7), (8, 8), (9, 9), (10, 10), (13, 13), (33, 33), (34, 34), (35, 35), (36, 36)]
    others = {(11, 11): (0, 24), (12, 12): (0, 49), (14, 20): (0, 6), (21, 27): (0, 6), (28, 28): (0, 24)}
    others |= {(29, 29): (0, 24), (30, 30): (0, 4), (31, 31): (1, 3), (32, 32): (0, 100)}
    assert bounds == dict.fromkeys(ones, (0, 1)) | others


def test_bounds_are_those_of_the_table() -> None:
    low, high = plane_bounds()
    assert low.dtype == high.dtype == np.int8
    for plane in PLANES:
        assert (low[plane.first : plane.last + 1] == plane.low).all()
        assert (high[plane.first : plane.last + 1] == plane.high).all()
    assert (SPACE.low == low).all()
    assert (SPACE.high == high).all()


@pytest.mark.parametrize("information", ["all", "Visible", "", None, 1, ["full"]])
def test_other_kinds_of_information_are_refused(information: Any) -> None:
    message = "it must be one of 'visible', 'remembered', 'full'"
    with pytest.raises(OptionError, match=message):
        information_index(information)
    with pytest.raises(OptionError, match=message):
        observe(Game.from_number(6)._states, information)
    with pytest.raises(OptionError, match=message):
        KlondikeEnv(information=information)


# What the planes say


@given(games)
def test_planes_show_piles_and_counts(game: Game) -> None:
    planes = planes_of(game, "remembered")
    unknown = set(game.view().unknown_cards)
    for number in range(1, 8):
        count = game.face_down_count(number)
        assert cards_in(planes[number - 1]) == set(game.column(number)[count:])
        assert (planes[20 + number] == count).all()
    founded = {13 * suit + rank for suit in range(4) for rank in range(game.foundation_height(suit))}
    assert cards_in(planes[7]) == founded
    in_sight = game.waste_in_sight
    assert cards_in(planes[8]) == set(in_sight[-1:])
    assert cards_in(planes[9]) == set(in_sight[:-1])
    talon = game.waste + game.stock
    assert cards_in(planes[10]) == set(talon) - set(in_sight) - unknown
    assert {card: planes[11, card] for card in cards_in(planes[11])} == {
        card: place for place, card in enumerate(talon, start=1) if card not in unknown
    }
    assert cards_in(planes[13]) == unknown
    assert not planes[14:21].any()
    rules, left = game.rules, game.passes_left
    scalars = [len(game.stock), len(game.waste), 4 if left is None else min(left, 3), rules.draw]
    scalars += [0 if rules.scoring == "vegas" else min(game.score, 100), rules.scoring == "vegas", rules.take_back]
    scalars += [rules.aces == "must", rules.aces == "first"]
    assert (planes[28:] == np.array(scalars)[:, None]).all()


@given(games)
def test_each_card_lies_in_one_place(game: Game) -> None:
    for information, squared in KINDS:
        planes = planes_of(game, information, squared)
        shown = planes[:11].sum(axis=0) + planes[13]
        if information == "full":
            assert not planes[13].any()
            unseen = [card for card in game.view().unknown_cards if card in game.waste + game.stock]
            shown = shown + (planes[14:21] > 0).sum(axis=0) + np.isin(np.arange(52), unseen)
        assert (shown == 1).all(), (information, squared)


@given(games)
def test_stock_actions_are_those_that_turning_takes(game: Game) -> None:
    # Planes 12 counts by stock and passes alone; an ace that must be played first does not stop it.
    turning = Game.from_notation(
        game.notation.replace(game.rules.name, dataclasses.replace(game.rules, aces="free").name)
    )
    expected: dict[int, int] = {}
    top = game.waste[-1:]
    for actions in range(1, 60):
        if not turning.is_legal(0):
            break
        turning.play(0)
        if turning.waste and turning.waste[-1:] != top:
            expected.setdefault(turning.waste[-1], actions)
    unknown = set(game.view().unknown_cards)
    for information, known in [
        ("full", set(range(52))),
        ("remembered", set(range(52)) - unknown),
        ("visible", set(game.waste_in_sight)),
    ]:
        plane = planes_of(game, information)[12]
        found = {card: int(plane[card]) for card in cards_in(plane)}
        assert found == {card: actions for card, actions in expected.items() if card in known}, information


def test_no_card_of_the_talon_is_further_than_one_round() -> None:
    game, longest = Game.from_number(6), []
    for _ in range(50):
        longest.append(int(planes_of(game, "full")[12].max()))
        game.play(0)
    # The whole stock to turn; with a waste, the card under its top: the rest, the redeal and up to that card.
    assert longest[:3] == [24, 23, 24]
    assert max(longest) == 24


@given(games)
def test_full_information_shows_what_lies_face_down(game: Game) -> None:
    full, remembered = planes_of(game, "full"), planes_of(game, "remembered")
    for number in range(1, 8):
        face_down = game.column(number)[: game.face_down_count(number)]
        depths = {card: depth for depth, card in enumerate(reversed(face_down), start=1)}
        plane = full[13 + number]
        assert {card: int(plane[card]) for card in cards_in(plane)} == depths
    known = sorted(set(range(52)) - set(game.view().unknown_cards))
    assert (full[:, known] == remembered[:, known]).all()
    assert (full[21:] == remembered[21:]).all()
    assert (full[:11] == remembered[:11]).all()
    talon = game.waste + game.stock
    assert {card: int(full[11, card]) for card in cards_in(full[11])} == {c: i for i, c in enumerate(talon, start=1)}


@given(games)
def test_visible_is_remembered_without_memory(game: Game) -> None:
    visible, remembered = planes_of(game, "visible"), planes_of(game, "remembered")
    forgotten = cards_in(remembered[10])
    assert not visible[10:13][:, sorted(forgotten)].any()
    assert cards_in(visible[13]) == cards_in(remembered[13]) | forgotten
    kept = sorted(set(range(52)) - forgotten)
    assert (visible[:, kept] == remembered[:, kept]).all()


@given(games)
def test_squared_columns_hide_covered_cards_and_counts(game: Game) -> None:
    for information in ("visible", "remembered"):
        plain, squared = planes_of(game, information), planes_of(game, information, squared=True)
        covered: set[int] = set()
        for number in range(1, 8):
            column = game.column(number)
            assert cards_in(squared[number - 1]) == set(column[-1:])
            covered |= cards_in(plain[number - 1]) - set(column[-1:])
        assert not squared[21:28].any()
        assert cards_in(squared[13]) == cards_in(plain[13]) | covered
        rest = [*range(7, 13), *range(14, 21), *range(28, 37)]
        assert (squared[rest] == plain[rest]).all()
    assert (planes_of(game, "full", squared=True) == planes_of(game, "full")).all()


def test_an_observation_is_new_each_time() -> None:
    game = Game.from_number(6)
    first = observe(game._states)
    first[:] = 7
    assert (observe(game._states) != 7).any()
    assert not np.shares_memory(observe(game._states), observe(game._states))


def test_a_won_game_shows_all_cards_on_the_foundations() -> None:
    planes = planes_of(lay_out("-/-/-/-/-/-/-", foundations="13,13,13,13", score=650))
    assert planes[7].all()
    assert not planes[[*range(7), *range(8, 30)]].any()
    assert (planes[32] == 100).all()


def test_waste_at_draw_three() -> None:
    game = Game.from_number(6, "D3N")
    game.play(0)
    game.play(0)
    planes = planes_of(game)
    assert format_cards(sorted(cards_in(planes[8]))) == "5D"
    assert {format_cards([card]): int(planes[12, card]) for card in cards_in(planes[12])} == {"2C": 8}
    assert set(INFORMATION) == {"visible", "remembered", "full"}
