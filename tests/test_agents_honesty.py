"""No agent but a thoughtful one sees a hidden card: games that differ in nothing else get the same moves."""

import copy
import gc
import sys
import types
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from klondike_env import Game, PlayerView
from klondike_env.deals import Deal
from klondike_env.evaluation import load_policy
from klondike_env.evaluation.policies import AGENT_CLASSES, is_thoughtful, plays_in_batches, what_it_sees

STEPS = 45
POINTS = (0, 4, 11, 23, 44)
"""Numbers of actions after which hidden cards are exchanged."""
GAMES = (("D1N", 2_000_003), ("D3N", 2_000_004), ("three-pass", 2_000_005))
SEED = 17

OPTIONS: dict[str, dict[str, Any]] = {}
"""Options under which an agent's moves depend on its seed alone, and not on the clock."""

AGENTS = [name for name in AGENT_CLASSES if not getattr(load_policy(name), "thoughtful", False)]


class Player:
    """An agent asked move by move, whichever way it takes its questions."""

    def __init__(self, agent: Any) -> None:
        self.agent = agent
        self.generators = [np.random.default_rng(SEED)]
        self.in_batches = plays_in_batches(agent)
        if not self.in_batches:
            agent.reset(SEED)

    def act(self, view: PlayerView) -> int:
        if not self.in_batches:
            return int(self.agent.act(view))
        observations = view.observation(what_it_sees(self.agent))[None]
        actions = self.agent.act_batch(observations, view.action_mask()[None], self.generators)
        return int(actions[0])


def exchange_unknown(game: Game, start: Game, rng: np.random.Generator) -> Game:
    """Return the start of a game that looks the same up to a position, its unknown cards dealt otherwise."""
    assert start.deal is not None
    unknown = set(game.view().unknown_cards)
    places = [place for place, card in enumerate(start.deal.cards) if card in unknown]
    cards = np.array(start.deal.cards)
    cards[places] = rng.permutation(cards[places])
    return Game.from_deal(Deal(cards.tolist()), start.rules)


def check_blind(make_agent: Any, rules: str, number: int) -> int:
    """Assert that an agent plays alike, whatever the unknown cards are; return how many games were compared."""
    rng = np.random.default_rng(1)
    start = Game.from_number(number, rules)
    game = start.copy()
    player = Player(make_agent())
    actions: list[int] = []
    others: list[tuple[int, Game]] = []
    while len(actions) < STEPS and game.legal_actions() and not game.is_won:
        if len(actions) in POINTS:
            others.append((len(actions), exchange_unknown(game, start, rng)))
        actions.append(player.act(game.view()))
        game.play(actions[-1])
    compared = 0
    for steps, other in others:
        assert other.deck != start.deck
        original = start.copy()
        player = Player(make_agent())
        for action in actions[: steps + 1]:
            view = other.view()
            assert view == original.view()
            assert player.act(view) == action, f"after {original.undo_count} actions"
            original.play(action)
            other.play(action)
        compared += 1
    return compared


@pytest.mark.parametrize(("rules", "number"), GAMES)
def test_a_search_with_a_guide_sees_no_hidden_card(rules: str, number: int) -> None:
    assert check_blind(lambda: load_policy("search", {"guide": "ppo", "simulations": 16}), rules, number) >= 3


@pytest.mark.parametrize(("rules", "number"), GAMES)
@pytest.mark.parametrize("name", AGENTS)
def test_hidden_cards_change_no_move(name: str, rules: str, number: int) -> None:
    assert check_blind(lambda: load_policy(name, OPTIONS.get(name)), rules, number) >= 3


class Peeking:
    """Looks for the game in the functions that have called it, and chooses by a card that lies face down."""

    name = "peeking"

    def reset(self, seed: int) -> None:
        pass

    def act(self, view: PlayerView) -> int:
        frame: types.FrameType | None = sys._getframe(1)
        while frame is not None:
            # The game that is being played looks as the view does.
            for value in frame.f_locals.values():
                if isinstance(value, Game) and value.view() == view:
                    legal = view.legal_actions()
                    return legal[sum(value.column(7)[:-1]) % len(legal)]
            frame = frame.f_back
        raise AssertionError("there was no game")


def test_a_peeking_agent_is_caught() -> None:
    for rules, number in GAMES:
        with pytest.raises(AssertionError, match=r"after \d+ actions"):
            check_blind(Peeking, rules, number)


@pytest.mark.parametrize("name", AGENTS)
def test_agents_change_no_view(name: str) -> None:
    player = Player(load_policy(name, OPTIONS.get(name)))
    game = Game.from_number(2_000_006, "D3N")
    for _ in range(15):
        view = game.view()
        before = copy.deepcopy(view)
        mask = view.action_mask()
        action = player.act(view)
        assert view == before
        assert (view.action_mask() == mask).all()
        game.play(action)


def test_agents_that_see_all_are_marked() -> None:
    assert is_thoughtful(load_policy("thoughtful"))
    assert "thoughtful" not in AGENTS
    assert {"random", "greedy"} <= set(AGENTS)


def reachable(root: object) -> Iterator[object]:
    """Yield all objects that can be reached from one, but for what all objects share: classes, modules, functions."""
    shared = (type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType)
    seen: set[int] = set()
    waiting = [root]
    while waiting:
        current = waiting.pop()
        if id(current) in seen or isinstance(current, shared):
            continue
        seen.add(id(current))
        yield current
        waiting += gc.get_referents(current)
        if isinstance(current, np.ndarray) and current.base is not None:
            # Arrays do not tell the garbage collector whose memory they show.
            waiting.append(current.base)


def check_without_game(view: PlayerView, game: Game) -> None:
    """Assert that no way leads from a view to its game or to memory of it."""
    for thing in reachable(view):
        assert not isinstance(thing, Game | Deal)
        if isinstance(thing, np.ndarray):
            assert not np.shares_memory(thing, game._states)


def test_no_way_leads_from_a_view_to_its_game() -> None:
    for rules, number in GAMES:
        game = Game.from_number(number, rules)
        for _ in range(10):
            check_without_game(game.view(), game)
            check_without_game(game.view().copy(), game)
            game.play(game.legal_actions()[-1])


def test_a_leaking_view_is_caught() -> None:
    class LeakingView(PlayerView):
        __slots__ = ("source",)

    game = Game.from_number(2_000_003)
    leaking = LeakingView(game.view().states)
    leaking.source = [game]
    with pytest.raises(AssertionError):
        check_without_game(leaking, game)
    # A view of the game's own memory, though it looks the same.
    with pytest.raises(AssertionError):
        check_without_game(PlayerView(game._states[:1]), game)
