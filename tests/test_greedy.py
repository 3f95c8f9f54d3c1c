"""The greedy agent: legal, repeatable, strong enough, and blind to what a player cannot see."""

from typing import Any

import numpy as np
import pytest
from klondike_agents.greedy import GreedyPolicy
from klondike_agents.greedy_moves import is_safe
from klondike_agents.greedy_weights import ROW_COUNT, WEIGHT_COUNT, weight_table

from klondike_env.actions import FOUNDATION_PILE, MOVES
from klondike_env.cards import parse_card
from klondike_env.errors import OptionError
from klondike_env.game import Game
from klondike_env.rules import RULE_SETS

STEP_LIMIT = 500
FIRST_GAME = 2_000_000
"""Games that no suite holds."""


def play_game(policy: GreedyPolicy, game: Game, step_limit: int = STEP_LIMIT) -> list[int]:
    """Play a game until it is won or lost, given up or at the step limit, and return the actions."""
    policy.reset(0)
    actions: list[int] = []
    while not (game.is_won or game.is_lost or policy.gave_up or len(actions) == step_limit):
        actions.append(policy.act(game.view()))
        game.play(actions[-1])  # Raises if it is not legal.
    return actions


def play_games(rules: str, count: int) -> list[Game]:
    """Return games of a rule set as the player leaves them."""
    policy = GreedyPolicy()
    games = [Game.from_number(number, rules) for number in range(FIRST_GAME, FIRST_GAME + count)]
    for game in games:
        play_game(policy, game)
    return games


@pytest.mark.parametrize("rules", ["D1N", "D3N"])
def test_games_are_legal_and_the_same_every_time(rules: str) -> None:
    first_policy, second_policy = GreedyPolicy(), GreedyPolicy()
    for number in range(FIRST_GAME, FIRST_GAME + 50):
        first, second = Game.from_number(number, rules), Game.from_number(number, rules)
        # The second player has another game in between, which it has to forget.
        play_game(second_policy, Game.from_number(number + 1000, rules), step_limit=60)
        assert play_game(first_policy, first) == play_game(second_policy, second)
        assert first.notation == second.notation


@pytest.mark.parametrize(("rules", "least_wins"), [("D1N", 640), ("D3N", 310)])
def test_wins_of_a_thousand_games(rules: str, least_wins: int) -> None:
    assert sum(game.is_won for game in play_games(rules, 1000)) >= least_wins


@pytest.mark.parametrize(("rules", "least_founded"), [("D1V", 9.0), ("D3V", 3.0)])
def test_founded_cards_of_one_pass(rules: str, least_founded: float) -> None:
    assert np.mean([game.founded for game in play_games(rules, 500)]) >= least_founded


@pytest.mark.parametrize("rules", RULE_SETS)
def test_unknown_cards_have_no_influence(rules: str) -> None:
    generators = [np.random.default_rng(seed) for seed in range(2)]
    for number in range(FIRST_GAME, FIRST_GAME + 5):
        game = Game.from_number(number, rules)
        policy, others = GreedyPolicy(), [GreedyPolicy() for _ in generators]
        for step in range(150):
            if game.is_won or game.is_lost:
                break
            view = game.view()
            action = policy.act(view)
            for other, generator in zip(others, generators, strict=True):
                sampled = view.sample(generator)
                assert other.act(sampled.view()) == action, (number, step)
            game.play(action)


@pytest.mark.parametrize("rules", RULE_SETS)
def test_the_kernel_reads_no_unknown_card_of_a_full_record(rules: str) -> None:
    """A record with all cards, as rollouts hold it, gives the moves of the view."""

    class FullRecord:
        """Stands in for a view, with nothing hidden."""

        def __init__(self, game: Game) -> None:
            self.states: Any = game._states

    for number in range(FIRST_GAME, FIRST_GAME + 10):
        game = Game.from_number(number, rules)
        policy, peeking = GreedyPolicy(), GreedyPolicy()
        for _ in range(200):
            if game.is_won or game.is_lost:
                break
            action = policy.act(game.view())
            assert peeking.act(FullRecord(game)) == action  # type: ignore[arg-type]
            game.play(action)


@pytest.mark.parametrize("rules", RULE_SETS)
def test_no_rule_set_is_played_in_circles(rules: str) -> None:
    """Games end by themselves or by giving up, long before the step limit."""
    policy = GreedyPolicy()
    steps = [len(play_game(policy, Game.from_number(number, rules))) for number in range(FIRST_GAME, FIRST_GAME + 200)]
    assert sum(count == STEP_LIMIT for count in steps) <= 2
    assert np.mean(steps) <= STEP_LIMIT / 2


def test_a_player_who_gave_up_collects_no_points_by_choice() -> None:
    """The table pays for each time that a card goes up, so idling must not play one up and down."""
    policy = GreedyPolicy()
    idle = 0
    for number in range(FIRST_GAME, FIRST_GAME + 50):
        game = Game.from_number(number, "D1V")
        play_game(policy, game)
        for _ in range(20):
            if game.is_won or game.is_lost:
                break
            others = [action for action in game.legal_actions() if MOVES[action].target != FOUNDATION_PILE]
            action = policy.act(game.view())
            assert action in others or not others
            game.play(action)
            idle += 1
    assert idle > 0


@pytest.mark.parametrize(("card", "safe"), [("4H", True), ("5H", False), ("3S", True), ("4C", False), ("2C", True)])
def test_a_card_is_safe_when_none_that_goes_on_it_is_needed_in_a_column(card: str, safe: bool) -> None:
    states = Game.from_number(6)._states
    states[0]["foundations"] = [2, 5, 1, 2]  # Both black twos are up, and of the red ones the ace of diamonds.
    assert is_safe(states[0], parse_card(card)) == safe


def test_weights_have_a_row_for_every_kind_of_game() -> None:
    table = weight_table()
    assert table.shape == (ROW_COUNT, WEIGHT_COUNT)
    assert np.isfinite(table).all()


@pytest.mark.parametrize("depth", [0, 6, 1.5])
def test_depth_out_of_range(depth: Any) -> None:
    with pytest.raises(OptionError, match="depth is"):
        GreedyPolicy(depth)
