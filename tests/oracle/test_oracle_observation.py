"""Planes against positions worked out by hand, and properties that hold in every position of random games."""

import dataclasses
import random
from collections.abc import Iterator

import numpy as np
import pytest

from .klondike_oracle import ColumnCard, OracleGame
from .oracle_observation import oracle_observation
from .oracle_rules import ALL_CARDS, ORACLE_RULES, OracleRules, oracle_deck
from .positions import mask_set, plane_cards, start


def random_games(rules: OracleRules, seeds: range, steps: int) -> Iterator[OracleGame]:
    """Every position of some random games; turning is drawn no oftener than any other action."""
    for seed in seeds:
        rng = random.Random(seed)
        game = OracleGame(oracle_deck(rng.randrange(2**32)), rules)
        for _ in range(steps):
            yield game
            actions = game.legal_actions()
            if not actions or game.is_ended():
                break
            game.play(rng.choice(actions))


def with_unknown_cards_permuted(game: OracleGame, rng: random.Random) -> OracleGame:
    """A copy in which the cards that the player never saw have changed places."""
    unknown = [e.card for column in game.columns for e in column if not e.face_up]
    unknown += [card for card in game.waste + game.stock if card not in game.seen]
    shuffled = list(unknown)
    rng.shuffle(shuffled)
    now = dict(zip(unknown, shuffled, strict=True))
    other = game.copy()
    other.columns = [[ColumnCard(now.get(e.card, e.card), e.face_up) for e in c] for c in game.columns]
    other.stock = [now.get(card, card) for card in game.stock]
    other.waste = [now.get(card, card) for card in game.waste]
    return other


def test_talon_planes_at_draw_3() -> None:
    game = start("N6", "D3N", [0, 0])  # AS 8D 2C, then 6D 4C 5D
    planes = oracle_observation(game)
    assert plane_cards(planes, 8) == {"5D": 1}
    assert plane_cards(planes, 9) == {"6D": 1, "4C": 1}
    assert plane_cards(planes, 10) == {"AS": 1, "8D": 1, "2C": 1}
    assert plane_cards(planes, 11) == {"AS": 1, "8D": 2, "2C": 3, "6D": 4, "4C": 5, "5D": 6}
    # Six turns are left, then the redeal and one turn.
    assert plane_cards(planes, 12) == {"2C": 8}
    visible = oracle_observation(game, "visible")
    assert plane_cards(visible, 10) == {}
    assert plane_cards(visible, 11) == {"6D": 4, "4C": 5, "5D": 6}
    assert plane_cards(visible, 12) == {}
    assert plane_cards(visible, 13) == plane_cards(planes, 13) | {"AS": 1, "8D": 1, "2C": 1}
    full = oracle_observation(game, "full")
    assert list(plane_cards(full, 11).values()).count(24) == 1
    turned_next = {"2S": 1, "8S": 2, "AC": 3, "9S": 4, "6S": 5, "KD": 6}
    assert plane_cards(full, 12) == {"2C": 8} | turned_next
    assert plane_cards(full, 10) == plane_cards(planes, 10)
    assert not full[13].any()


def test_talon_planes_without_fan() -> None:
    game = start("N6", dataclasses.replace(ORACLE_RULES["D3N"], fan=False), [0, 0])
    planes = oracle_observation(game)
    assert plane_cards(planes, 8) == {"5D": 1}
    assert plane_cards(planes, 9) == {}
    assert plane_cards(planes, 10) == {"2C": 1}
    assert plane_cards(planes, 11) == {"2C": 3, "5D": 6}
    assert plane_cards(planes, 12) == {"2C": 8}


def test_talon_planes_at_draw_1() -> None:
    game = start("N6", "D1N", [0, 0])
    planes = oracle_observation(game)
    assert plane_cards(planes, 10) == {"AS": 1}
    # 22 turns, the redeal, one turn.
    assert plane_cards(planes, 12) == {"AS": 24}
    assert (planes[28] == 22).all()
    assert (planes[29] == 2).all()
    assert (planes[30] == 4).all()
    one_pass = oracle_observation(start("N6", "D1V", [0, 0]))
    assert plane_cards(one_pass, 12) == {}
    assert plane_cards(one_pass, 11) == {"AS": 1, "8D": 2}
    assert (one_pass[30] == 0).all()
    last = oracle_observation(start("N6", "D1N", [0] * 25))
    assert len(plane_cards(last, 10)) == 24
    assert plane_cards(last, 12) == plane_cards(last, 11)


def test_shifted_threes_bring_other_cards_up() -> None:
    game = start("B", "D3N", [0, 1])  # 5D 2S lie on the waste
    planes = oracle_observation(game)
    # Seven turns end at every third card; after the redeal the threes begin one card earlier than before,
    # and 5D and 2S come to the top in neither.
    assert plane_cards(planes, 12) == {}
    this_pass = ["TH", "JD", "5S", "2C", "9S", "6S", "AD"]
    next_pass = ["QD", "8D", "TD", "4S", "8C", "4C", "7D"]
    expected = {card: turns for turns, card in enumerate(this_pass, start=1)}
    expected |= {card: turns for turns, card in enumerate(next_pass, start=9)}
    assert plane_cards(oracle_observation(game, "full"), 12) == expected
    game.play(1)
    assert plane_cards(oracle_observation(game), 8) == {"5D": 1}
    assert plane_cards(oracle_observation(game), 11) == {"5D": 1}


def test_column_planes() -> None:
    game = start("A", "D1N", [9, 10, 11, 71])  # column 4: [8H] [QS] [JC] 4H 3S
    planes = oracle_observation(game)
    assert plane_cards(planes, 3) == {"4H": 1, "3S": 1}
    assert plane_cards(planes, 7) == {"AH": 1, "2H": 1, "3H": 1}
    assert [int(planes[21 + n].max()) for n in range(7)] == [0, 0, 1, 3, 3, 5, 6]
    assert not planes[14:21].any()
    assert (planes[32] == 45).all()
    squared = oracle_observation(game, squared=True)
    assert plane_cards(squared, 3) == {"3S": 1}
    assert not squared[21:28].any()
    assert "4H" in plane_cards(squared, 13)
    full = oracle_observation(game, "full", squared=True)
    assert plane_cards(full, 3) == {"4H": 1, "3S": 1}
    assert plane_cards(full, 17) == {"JC": 1, "QS": 2, "8H": 3}
    assert (full == oracle_observation(game, "full")).all()


@pytest.mark.parametrize("name", sorted(ORACLE_RULES))
def test_rule_planes(name: str) -> None:
    rules = ORACLE_RULES[name]
    planes = oracle_observation(OracleGame(oracle_deck(0), rules))
    left = {None: 4, 1: 0, 3: 2}[rules.passes]
    flags = [rules.scoring == "vegas", rules.take_back, rules.aces == "must", rules.aces == "first"]
    assert [int(planes[p, 0, 0]) for p in range(30, 37)] == [left, rules.draw, 0, *map(int, flags)]
    assert (planes[28:] == planes[28:, :1, :1]).all()
    many = dataclasses.replace(rules, passes=9)
    assert oracle_observation(OracleGame(oracle_deck(0), many))[30].max() == 3


@pytest.mark.parametrize("name", sorted(ORACLE_RULES))
def test_every_position_is_consistent(name: str) -> None:
    for game in random_games(ORACLE_RULES[name], range(2), steps=70):
        cards = [e.card for column in game.columns for e in column] + game.stock + game.waste
        cards += [card for pile in game.foundations for card in pile]
        assert sorted(cards) == sorted(ALL_CARDS)
        assert all(column[-1].face_up for column in game.columns if column)
        legal = game.legal_actions()
        assert mask_set(game) == (set(range(86)) if game.is_ended() else set(legal))
        for information in ("visible", "remembered"):
            for squared in (False, True):
                planes = oracle_observation(game, information, squared)
                assert (planes[:11].sum(axis=0) + planes[13] == 1).all()
        assert planes.min() >= 0
        assert planes.max() <= 100
        trial = game.copy()
        only_turns = True
        for _ in range(60):  # more than one way through any talon and back
            only_turns = only_turns and set(trial.legal_actions()) <= {0}
            if not trial.is_legal(0):
                break
            trial.play(0)
        assert game.is_lost() == (only_turns and not game.is_won())


@pytest.mark.parametrize("name", sorted(ORACLE_RULES))
def test_unknown_cards_do_not_show(name: str) -> None:
    rng = random.Random(1)
    for game in random_games(ORACLE_RULES[name], range(10, 13), steps=60):
        if game.is_ended():
            continue
        other = with_unknown_cards_permuted(game, rng)
        assert other.legal_actions() == game.legal_actions()
        for information in ("visible", "remembered"):
            planes = oracle_observation(game, information)
            assert np.array_equal(planes, oracle_observation(other, information))
