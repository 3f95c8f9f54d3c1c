"""`Game`: how one starts, play and undo, what an illegal action leaves behind, copies, restart, whole games."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from golden import read_json_lines
from hypothesis import given
from hypothesis import strategies as st
from walks import any_rules, choose, game_numbers, games, lay_out, play_on, random_game

from klondike_env import RULE_SETS, Deal, Game, Rules, make_rules, parse_code
from klondike_env.actions import TAKE_BACK, WASTE_TO_COLUMN
from klondike_env.errors import (
    ActionError,
    DealError,
    GameCodeError,
    IllegalActionError,
    PileError,
    RulesError,
    UndoError,
)

ORACLE_FILES = [f"oracle_d{draw}{variant}" for draw in (1, 3) for variant in ("", "_notb", "_p1", "_p3")]


def everything(game: Game) -> tuple[Any, ...]:
    """Return all that a game shows, to compare it before and after."""
    return (
        game.notation,
        game.legal_actions(),
        game.action_mask().tobytes(),
        game.undo_count,
        game.score_text,
        game.passes_left,
        game.is_lost,
        game.deck,
        str(game),
    )


# How a game starts


@pytest.mark.parametrize("mode", ["D1N", "D3N", "D1V", "D3V"])
def test_a_code_starts_its_game_under_its_rules(mode: str) -> None:
    code = f"KL1-{mode}-AAAAAAG"
    game = Game.from_code(code)
    assert game.rules == RULE_SETS[mode]
    assert (game.game_number, game.code, game.deal) == (6, code, Deal.from_number(6))
    assert game.notation == Game.from_code(parse_code(code)).notation == Game.from_number(6, mode).notation
    assert (game.score, game.founded, game.pass_number, game.undo_count) == (-52 if "V" in mode else 0, 0, 1, 0)
    assert not game.is_won


@given(game_numbers, any_rules)
def test_number_deck_and_deal_start_the_same_game(number: int, rules: Rules) -> None:
    game = Game.from_number(number, rules)
    deal = Deal.from_number(number)
    assert Game.from_deal(deal, rules).notation == Game.from_deck(deal, rules).notation == game.notation
    for deck in (game.deck, deal.cards, np.array(deal.cards)):
        other = Game.from_deck(deck, rules)  # type: ignore[arg-type]
        assert (other.game_number, other.code) == (None, None)
        assert other.notation == game.notation.replace(f" number={number}", "")
        assert other.legal_actions() == game.legal_actions()
    assert game.rules == rules
    assert game.score == rules.scoring_table.start


@pytest.mark.parametrize("start", [Game.from_number, lambda n, *a, **k: Game.from_deal(Deal.from_number(n), *a, **k)])
def test_rules_are_overridden_one_by_one(start: Any) -> None:
    changes = {"draw": 2, "passes": 5, "scoring": "vegas", "take_back": False, "aces": "must", "fan": False}
    for name, value in changes.items():
        assert start(6, "D3N", **{name: value}).rules == make_rules("D3N", **{name: value})
    assert start(6, rules="D3N", **changes).rules == Rules(**changes)  # type: ignore[arg-type]
    assert Game.from_code("KL1-D3V-AAAAAAG", passes="unlimited").rules == make_rules("D3V", passes="unlimited")


@pytest.mark.parametrize("name", ["rules", "deal", "redeals"])
def test_a_keyword_that_is_no_rule_is_named(name: str) -> None:
    with pytest.raises(RulesError, match=f"'{name}' is no rule; rules are draw, passes, scoring, take_back, aces, fan"):
        Game.from_code("KL1-D1N-AAAAAAG", **{name: "D3N"})


def test_wrong_codes_numbers_and_rules_are_refused() -> None:
    for code in ("KL1-D1N-AAAAAA", None, 6):
        with pytest.raises(GameCodeError):
            Game.from_code(code)  # type: ignore[arg-type]
    for number in (-1, 2**32, "6", 6.0):
        with pytest.raises(GameCodeError, match="is none; it must be a whole number from 0 to 4294967295"):
            Game.from_number(number)  # type: ignore[arg-type]
    with pytest.raises(RulesError, match="'D2N' is no rule set"):
        Game.from_number(6, "D2N")
    with pytest.raises(RulesError, match="draw is 0"):
        Game.from_number(6, draw=0)


def test_rules_without_a_code_have_none() -> None:
    assert Game.from_number(6, draw=2).code is None
    assert Game.from_number(6, "three-pass").code == "KL1-D3N-AAAAAAG"


# Play and undo


@given(st.sampled_from(list(RULE_SETS)) | any_rules, game_numbers, st.integers(0, 2**16))
def test_undo_restores_everything_a_hundred_times(rules: Any, number: int, seed: int) -> None:
    game = Game.from_number(number, rules)
    before = [everything(game)]
    before += [everything(game) for _ in play_on(game, np.random.default_rng(seed), 120)]
    played = len(before) - 1
    assert game.undo_count == min(played, 100)
    kept = game.undo_count
    for back in range(1, kept + 1):
        game.undo()
        # Of a position before the hundred last actions fewer can be undone now than then.
        now, then = everything(game), before[-1 - back]
        assert now[:3] + now[4:] == then[:3] + then[4:]
        assert game.undo_count == kept - back
    last = everything(game)
    with pytest.raises(UndoError, match=r"^nothing is left to undo; a game keeps its last 100 actions$"):
        game.undo()
    assert everything(game) == last


def test_play_after_undo_round_the_ring_of_kept_positions() -> None:
    game, rng = Game.from_number(6, "D1N"), np.random.default_rng(1)
    history = [game.notation]
    for _ in range(600):
        if game.undo_count and rng.random() < 0.45:
            game.undo()
            history.pop()
            assert game.notation == history[-1]
        else:
            game.play(choose(game, rng))
            history.append(game.notation)
    assert game.undo_count == min(len(history) - 1, 100)


@given(games)
def test_play_returns_the_change_in_score(game: Game) -> None:
    for action in game.legal_actions():
        before = game.score
        assert game.play(action) == game.score - before
        game.undo()
        assert game.score == before


@given(games)
def test_an_action_is_legal_if_and_only_if_it_changes_the_position(game: Game) -> None:
    before, mask = everything(game), game.action_mask()
    for action in range(86):
        assert game.is_legal(action) == bool(mask[action]) == (action in game.legal_actions())
        if mask[action]:
            other = game.copy()
            other.play(action)
            assert other.notation != game.notation
        else:
            with pytest.raises(IllegalActionError, match=rf"^action {action} \(.+\) is not legal: .+"):
                game.play(action)
            assert everything(game) == before


@pytest.mark.parametrize("action", [-1, 86, None, "0", 0.0, True])
def test_actions_outside_the_space_change_nothing(action: Any) -> None:
    game = random_game("D3N", 6, 20)
    before = everything(game)
    for refuse in (game.play, game.is_legal, game.illegal_reason, game.moved_cards):
        with pytest.raises(ActionError, match="outside the action space"):
            refuse(action)
    assert everything(game) == before


@given(games)
def test_the_pack_stays_whole(game: Game) -> None:
    columns = [card for number in range(1, 8) for card in game.column(number)]
    founded = [13 * suit + rank for suit in range(4) for rank in range(game.foundation_height(suit))]
    assert sorted(columns + game.waste + game.stock + founded) == list(range(52))
    assert game.founded == len(founded)
    assert game.validate() == []
    in_sight = game.waste_in_sight
    assert len(in_sight) <= (game.rules.draw if game.rules.fan else 1)
    assert bool(in_sight) == bool(game.waste)
    assert game.waste[len(game.waste) - len(in_sight) :] == in_sight
    assert all(
        game.foundation_top(suit)
        == (13 * suit + game.foundation_height(suit) - 1 if game.foundation_height(suit) else None)
        for suit in range(4)
    )


def test_a_mask_is_a_copy() -> None:
    game = Game.from_number(6)
    mask = game.action_mask()
    assert (mask.dtype, mask.shape) == (np.int8, (86,))
    mask[:] = 1
    assert game.action_mask().sum() == len(game.legal_actions()) < 86


# Whole games


@pytest.mark.parametrize("name", ORACLE_FILES)
def test_won_games_have_the_score_that_their_moves_make(name: str) -> None:
    lines = [line for line in read_json_lines(f"{name}.jsonl") if line.get("actions")]
    assert lines
    for line in lines:
        rules = make_rules(f"D{line['draw']}N", passes=line["passes"] or "unlimited", take_back=line["take_back"])
        game = Game.from_deck(line["deck"], rules)
        expected = 625
        for action in line["actions"]:
            if action == 0 and not game.stock:
                expected -= min(game.score, 100)
            game.play(action)
        waste_to_column = sum(WASTE_TO_COLUMN <= action < WASTE_TO_COLUMN + 7 for action in line["actions"])
        take_backs = sum(TAKE_BACK <= action < TAKE_BACK + 28 for action in line["actions"])
        assert take_backs == line["take_backs"]
        assert game.is_won
        assert not game.is_lost
        # A card that went back to a column has to go up once more.
        assert game.score == line["normal_score"] == expected + 5 * waste_to_column + 10 * take_backs, line["id"]


@pytest.mark.parametrize("name", ORACLE_FILES)
def test_won_vegas_games_end_at_208(name: str) -> None:
    lines = [line for line in read_json_lines(f"{name}.jsonl") if line.get("actions")]
    for line in lines if "vegas_score" in lines[0] else lines[::10]:
        rules = make_rules(f"D{line['draw']}V", passes=line["passes"] or "unlimited", take_back=line["take_back"])
        game = Game.from_deck(line["deck"], rules)
        for action in line["actions"]:
            game.play(action)
        assert game.is_won
        assert game.score == line.get("vegas_score", game.score) == 208 + 5 * line["take_backs"], line["id"]
        if not line["take_backs"]:
            assert game.score_text == "+$208"


# Restart and copies


@given(games)
def test_restart_deals_the_same_game_again(game: Game) -> None:
    number, rules = game.game_number, game.rules
    game.restart()
    assert number is not None
    assert everything(game) == everything(Game.from_number(number, rules))


def test_a_game_without_a_known_deal_cannot_restart() -> None:
    game = lay_out("KS/QH/-/-/-/-/-", foundations="11,11,13,13")
    before = everything(game)
    with pytest.raises(UndoError, match=r"^this game cannot restart: its deal is not known$"):
        game.restart()
    assert everything(game) == before
    assert (game.deal, game.deck, game.code) == (None, None, None)


@pytest.mark.parametrize("copier", [Game.copy, copy.deepcopy, copy.copy, lambda game: pickle.loads(pickle.dumps(game))])
def test_copies_go_their_own_ways(copier: Any) -> None:
    game = random_game("D3N", 6, 40)
    before = everything(game)
    other = copier(game)
    assert everything(other) == before
    for _ in play_on(other, np.random.default_rng(1), 30):
        pass
    assert other.notation != game.notation
    assert everything(game) == before
    game.undo()
    for _ in range(31):
        other.undo()
    assert other.notation == game.notation


@given(games)
def test_repr_makes_the_game_again(game: Game) -> None:
    again = eval(repr(game), {"Game": Game})
    assert again.notation == game.notation
    assert again.legal_actions() == game.legal_actions()
    assert "\n" not in repr(game)


@pytest.mark.parametrize("column", [0, 8, -1, None, "1", 1.5, True])
def test_columns_are_1_to_7(column: Any) -> None:
    game = Game.from_number(6)
    for refuse in (game.column, game.face_down_count, game.view().column):
        with pytest.raises(PileError, match=r"^column .+ is none; columns are 1 to 7$"):
            refuse(column)


@pytest.mark.parametrize("suit", [-1, 4, None, "spades", 0.5, False])
def test_suits_are_0_to_3(suit: Any) -> None:
    game = Game.from_number(6)
    for refuse in (game.foundation_height, game.foundation_top):
        with pytest.raises(PileError, match=r"^suit .+ is none; suits are 0 to 3: spades, hearts, diamonds, clubs$"):
            refuse(suit)


def test_game_is_not_made_from_a_deal_by_calling_the_class() -> None:
    for wrong in (Deal.from_number(6), "KL1-D1N-AAAAAAG", np.zeros(3)):
        with pytest.raises(DealError, match="takes over a record array"):
            Game(wrong)  # type: ignore[arg-type]
