"""OpenSpiel's solitaire, by the fastest way from Python that gives an observation and a mask."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from benchmarks.measuring import Clock, Contestant

OBSERVATION_FLOATS = 1741
ACTIONS = 205


def openspiel_contestants() -> list[Contestant]:
    """Return OpenSpiel's routes, the one that others are compared with first; none if it is not installed."""
    try:
        import pyspiel
    except ImportError:
        return []
    game = pyspiel.load_game("solitaire")
    size = 4 * OBSERVATION_FLOATS + ACTIONS
    return [
        Contestant("OpenSpiel, observation buffer and mask", _Route(game, True, True).play, size),
        Contestant("OpenSpiel, observation buffer, list of actions", _Route(game, True, False).play),
        Contestant("OpenSpiel, list of actions only", _Route(game, False, False).play),
    ]


class _Route:
    """Random legal play with the C++ state itself; no Python wrapper of OpenSpiel is between."""

    def __init__(self, game: Any, observation: bool, mask: bool) -> None:
        import pyspiel

        self._game = game
        # The buffer that the C++ observer writes to; reused, as is the mask.
        observer = game.make_observer(pyspiel.IIGObservationType(perfect_recall=False), {})
        self._observation = pyspiel._Observation(game, observer) if observation else None
        self._mask = np.zeros(ACTIONS, np.int8) if mask else None
        self._random = random.Random(0).random
        self._state = game.new_initial_state()

    def play(self, seconds: float, clock: Clock) -> tuple[int, int, float]:
        """Play for some seconds; decisions count as steps, the turning up of cards (chance) does not.

        Drawing an action is part of the time, since it is about a hundredth of it.
        """
        draw, observation, mask = self._random, self._observation, self._mask
        state = self._state
        steps = games = 0
        start = clock()
        while True:
            if state.is_terminal():
                games += 1
                state = self._game.new_initial_state()
                # The clock is read once a game, which takes a millisecond or two.
                elapsed = clock() - start
                if elapsed >= seconds:
                    self._state = state
                    return steps, games, elapsed
            elif state.is_chance_node():
                outcomes = state.legal_actions()
                state.apply_action(outcomes[int(draw() * len(outcomes))])
            else:
                actions = state.legal_actions()
                if observation is not None:
                    observation.set_from(state, 0)
                if mask is not None:
                    mask.fill(0)
                    mask[actions] = 1
                state.apply_action(actions[int(draw() * len(actions))])
                steps += 1
