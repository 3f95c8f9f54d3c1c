"""Answers to "no useful move left?" and "can it still be won?", neither of which the rules ever declare."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from klondike_env.game import Game
from klondike_env.playing.places import move_text

WINNABLE_LIMIT: Final = 10.0
"""Seconds after which the solver answers "unknown"."""
_MOST_ACTIONS: Final = 500

_WINNABLE_TEXTS: Final = {"winnable": "yes", "unwinnable": "no", "unknown": "unknown"}


def can_be_won(game: Game, time_limit: float = WINNABLE_LIMIT, stopped: Callable[[], bool] | None = None) -> str:
    """Tell whether a game can still be won from where it stands, all its cards known.

    Args:
        game: The game, which is not changed.
        time_limit: Seconds after which the answer is ``"unknown"``.
        stopped: Asked a few times a second whether the answer is still wanted.

    Returns:
        ``"yes"``, ``"no"``, both proved, or ``"unknown"``.
    """
    from klondike_env.solver import solve

    return _WINNABLE_TEXTS[solve(game, time_limit=time_limit, should_stop=stopped).verdict]


def find_useful_move(game: Game, stopped: Callable[[], bool] = lambda: False) -> str:
    """Tell in one line whether a player who knows what the view tells finds anything new from here.

    The greedy agent plays on in a copy until it turns up a card that was not seen, or brings more cards up than ever
    before; then its first move is named. Nothing of what it finds is told.

    Args:
        game: The game, which is not changed.
        stopped: Whether the answer is still wanted.

    Returns:
        A sentence for the player.
    """
    from klondike_agents import GreedyPolicy

    if game.is_won:
        return "the game is won"
    if not game.legal_actions():
        return "no useful move is left: no move at all is legal"
    trial = game.copy()
    agent = GreedyPolicy()
    agent.reset(0)
    unknown, founded = len(trial.view().unknown_cards), trial.founded
    first = ""
    for _ in range(_MOST_ACTIONS):
        view = trial.view()
        if stopped() or not trial.legal_actions():
            break
        action = agent.act(view)
        if agent.gave_up:
            break
        first = first or move_text(view, action)
        trial.play(action)
        if trial.founded > founded or len(trial.view().unknown_cards) < unknown:
            return f"there is a way on, beginning with: {first}"
    return "no useful move found: nothing new can be reached from here as far as the greedy agent sees"
