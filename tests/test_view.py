"""`PlayerView`: it hides what the player does not know, and samples what may lie there."""

import pickle
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from walks import games, lay_out, play_on, random_game

from klondike_env import RULE_SETS, Game, PlayerView
from klondike_env.cards import card_name
from klondike_env.errors import OptionError, UndoError
from klondike_env.observation import observe

seeds = st.integers(0, 2**32 - 1)


def known_cards(game: Game) -> set[int]:
    """Work out from play what a player with perfect memory knows; the game's own bookkeeping of sight is not asked."""
    founded = {13 * suit + rank for suit in range(4) for rank in range(game.foundation_height(suit))}
    face_up = {card for number in range(1, 8) for card in game.column(number)[game.face_down_count(number) :]}
    return founded | face_up | set(game.waste_in_sight)


@given(st.sampled_from(list(RULE_SETS)), seeds, st.integers(0, 2**16))
def test_unknown_are_the_cards_that_never_were_in_sight(rules: str, number: int, seed: int) -> None:
    game = Game.from_number(number, rules)
    known = known_cards(game)
    for _ in play_on(game, np.random.default_rng(seed), 120):
        known |= known_cards(game)
        assert game.view().unknown_cards == sorted(set(range(52)) - known)


@given(games)
def test_no_unknown_card_stands_in_a_view(game: Game) -> None:
    view = game.view()
    unknown = set(view.unknown_cards)
    shown = [*view.columns.ravel(), *view.talon, *view.stock, *view.waste, *view.waste_in_sight]
    shown += [card for number in range(1, 8) for card in view.column(number)]
    assert not unknown & {int(card) for card in shown}
    state = view.states[0]
    assert state["game_number"] == -1
    bits = [int(state["seen"]), int(state["paid"]), *map(int, state["runs"])]
    assert not any(sets >> card & 1 for sets in bits for card in unknown)
    named = set(re.findall(r"\b[A2-9TJQK][SHDC]\b", str(view)))
    assert not named & {card_name(card) for card in unknown}
    assert not set(re.findall(r"\b[A2-9TJQK][SHDC]\b", str(game))) & {card_name(card) for card in unknown}


@given(games, seeds)
def test_every_byte_of_a_view_is_the_same_for_other_unknown_cards(game: Game, seed: int) -> None:
    view = game.view()
    other = view.sample(np.random.default_rng(seed)).view()
    assert other == view
    assert pickle.dumps(other) == pickle.dumps(view)
    assert repr(other.states.tolist()) == repr(view.states.tolist())
    assert str(other) == str(view)


def test_a_view_holds_neither_deal_nor_game() -> None:
    view = random_game("D3N", 6, 30).view()
    for name in ("deal", "deck", "code", "game_number", "notation", "undo", "play", "is_lost", "__dict__"):
        assert not hasattr(view, name)
    with pytest.raises(AttributeError):
        view.game = None  # type: ignore[attr-defined]
    assert b"Game" not in pickle.dumps(view)


@given(games)
def test_a_view_shows_what_the_game_shows(game: Game) -> None:
    view = game.view()
    assert view.legal_actions() == game.legal_actions()
    assert (view.action_mask() == game.action_mask()).all()
    assert (view.rules, view.score, view.score_text) == (game.rules, game.score, game.score_text)
    assert (view.passes_left, view.pass_number, view.can_redeal) == (
        game.passes_left,
        game.pass_number,
        game.can_redeal,
    )
    assert (view.founded, view.is_won, view.waste_in_sight) == (game.founded, game.is_won, game.waste_in_sight)
    assert (view.talon_length, view.waste_length) == (len(game.waste + game.stock), len(game.waste))
    assert view.foundation_heights.tolist() == [game.foundation_height(suit) for suit in range(4)]
    unknown = set(view.unknown_cards)
    for number in range(1, 8):
        count = game.face_down_count(number)
        assert view.face_down_counts[number - 1] == view.face_down_count(number) == count
        assert view.column_lengths[number - 1] == len(game.column(number))
        assert view.column(number) == [-1] * count + game.column(number)[count:]
        assert view.columns[number - 1].tolist() == view.column(number) + [-1] * (19 - len(game.column(number)))
    talon = [-1 if card in unknown else card for card in game.waste + game.stock]
    assert view.talon.tolist() == talon + [-1] * (24 - len(talon))


def test_arrays_of_a_view_are_copies_of_fixed_size() -> None:
    view = random_game("D1N", 6, 40).view()
    before = pickle.dumps(view)
    arrays = (view.columns, view.column_lengths, view.face_down_counts, view.talon, view.foundation_heights)
    assert [array.shape for array in arrays] == [(7, 19), (7,), (7,), (24,), (4,)]
    for array in arrays:
        assert array.dtype == np.int8
        array[...] = 5
    view.unknown_cards.clear()
    assert pickle.dumps(view) == before


def test_a_view_stays_when_its_game_goes_on() -> None:
    game = random_game("D3N", 6, 20)
    view, before = game.view(), pickle.dumps(game.view())
    for _ in play_on(game, np.random.default_rng(1), 20):
        pass
    assert pickle.dumps(view) == before
    assert game.view() != view
    for _ in range(20):
        game.undo()
    assert game.view() == view


@given(games)
def test_views_are_equal_by_what_they_tell(game: Game) -> None:
    view = game.view()
    assert view == game.copy().view() == view.copy() == pickle.loads(pickle.dumps(view))
    assert view.copy().states is not view.states
    assert view != game
    assert view != str(view)
    for action in game.legal_actions()[:3]:
        other = game.copy()
        other.play(action)
        assert other.view() != view
    with pytest.raises(TypeError, match="unhashable"):
        hash(view)


@given(games, seeds)
def test_a_sample_agrees_with_all_the_view_knows(game: Game, seed: int) -> None:
    view = game.view()
    sampled = view.sample(np.random.default_rng(seed))
    assert sampled.validate() == []
    assert sampled.legal_actions() == game.legal_actions()
    assert (sampled.rules, sampled.score, sampled.passes_left) == (game.rules, game.score, game.passes_left)
    unknown = set(view.unknown_cards)
    for ours, theirs in [
        *((game.column(number), sampled.column(number)) for number in range(1, 8)),
        (game.waste, sampled.waste),
        (game.stock, sampled.stock),
    ]:
        assert len(ours) == len(theirs)
        for one, other in zip(ours, theirs, strict=True):
            assert one == other if one not in unknown else other in unknown
    assert (sampled.deal, sampled.deck, sampled.code, sampled.game_number) == (None, None, None, None)
    assert sampled.undo_count == 0
    with pytest.raises(UndoError, match="its deal is not known"):
        sampled.restart()
    for _ in play_on(sampled, np.random.default_rng(seed), 10):
        pass
    assert game.view() == view


@given(games, seeds)
def test_a_sample_follows_from_its_generator(game: Game, seed: int) -> None:
    view = game.view()
    first, second = (view.sample(np.random.default_rng(seed)).notation for _ in range(2))
    assert first == second
    rng = np.random.default_rng(seed)
    if len(view.unknown_cards) > 12:
        assert len({view.sample(rng).notation for _ in range(5)}) == 5


@pytest.mark.parametrize(("rules", "steps"), [("D1N", 0), ("D3N", 10), ("three-pass", 14)])
def test_samples_are_uniform_at_every_unknown_place(rules: str, steps: int) -> None:
    view = random_game(rules, 6, steps).view()
    unknown = view.unknown_cards
    places = [(number, i) for number in range(1, 8) for i in range(view.face_down_count(number))]
    talon = [i for i, card in enumerate(view.waste + view.stock) if card == -1]
    assert len(places) + len(talon) == len(unknown) > 20
    counts = np.zeros((len(unknown), 52))
    rng, rounds = np.random.default_rng(0), 60 * len(unknown)
    for _ in range(rounds):
        sampled = view.sample(rng)
        columns = [sampled.column(number) for number in range(1, 8)]
        cards = [columns[number - 1][i] for number, i in places]
        pile = sampled.waste + sampled.stock
        cards += [pile[i] for i in talon]
        counts[np.arange(len(unknown)), cards] += 1
    counts = counts[:, unknown]
    assert counts.sum() == rounds * len(unknown)
    # Chi-square of (n - 1) ** 2 degrees of freedom over all places, n - 1 at each; six deviations wide.
    chi_square = (counts - 60) ** 2 / 60
    freedom = len(unknown) - 1
    assert abs(chi_square.sum() - freedom**2) < 6 * np.sqrt(2 * freedom**2)
    assert chi_square.sum(axis=1).max() < freedom + 6 * np.sqrt(2 * freedom)


def test_with_nothing_unknown_a_sample_is_the_position() -> None:
    game = lay_out("7H6S/KDQCJDTC9D8C7D6C/KSQHJS/-/-/-/-", "5H", "4,3,4,4")
    assert game.view().unknown_cards == []
    assert game.view().sample(np.random.default_rng(0)).notation == game.notation


@given(games)
def test_observations_of_view_and_game_are_equal(game: Game) -> None:
    view = game.view()
    for information in ("visible", "remembered"):
        for squared in (False, True):
            observation = view.observation(information, squared)
            assert (observation == observe(game._states, information, squared)).all()
    with pytest.raises(OptionError, match="which a PlayerView does not hold"):
        view.observation("full")


@pytest.mark.parametrize("information", ["all", "", None, 1, ["visible"]])
def test_other_kinds_of_information_are_refused(information: Any) -> None:
    with pytest.raises(OptionError, match="it must be one of 'visible', 'remembered', 'full'"):
        Game.from_number(6).view().observation(information)


@pytest.mark.parametrize("squared", [None, "yes", 1])
def test_squared_is_true_or_false(squared: Any) -> None:
    with pytest.raises(OptionError, match="it must be True or False"):
        Game.from_number(6).view().observation(squared=squared)


def test_views_survive_a_notation() -> None:
    for rules in RULE_SETS:
        game = random_game(rules, 17, 60)
        assert Game.from_notation(game.notation).view() == game.view(), rules


def test_views_are_equal_whatever_memory_held_before() -> None:
    game = random_game("D3N", 6, 30)
    for _ in range(50):
        # Freed at once, so that the next array may get this memory.
        np.full(game._states.nbytes, 0xFF, np.uint8).copy()
        np.full(game._states.itemsize, 0xFF, np.uint8).copy()
        other = game.copy().view().copy()
        assert isinstance(other, PlayerView)
        assert other == game.view()
        assert pickle.dumps(other) == pickle.dumps(game.view())


def test_sampling_needs_a_generator() -> None:
    view = Game.from_number(6).view()
    for rng in (3, None, np.random.RandomState(0)):
        with pytest.raises(OptionError, match="must be a numpy Generator"):
            view.sample(rng)  # type: ignore[arg-type]
