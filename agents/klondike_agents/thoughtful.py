"""The thoughtful agent: it sees all cards and plays a solution that the solver has found."""

from __future__ import annotations

from klondike_agents.greedy import GreedyPolicy
from klondike_env.errors import OptionError
from klondike_env.evaluation.thoughts import Thoughts
from klondike_env.game import Game
from klondike_env.solver import UNWINNABLE, WINNABLE, solve

DEFAULT_NODE_LIMIT = 50_000_000
"""Positions; four times what any winnable game of the suites ``D1N-test`` and ``D3N-test`` needs."""
MEMORY_LIMIT = 2**31
"""Bytes."""


class SolverPolicy:
    """Wins every game that can be won, as far as the solver settles it; else it plays on as the greedy agent does.

    It is no player but the bound of what a player could reach with luck, so its results are listed apart. Where a game
    cannot be won, the greedy agent, which sees only what a player sees, plays for cards on the foundations.

    Attributes:
        name: ``"thoughtful"``, with the limit if it is not the usual one.
        thoughtful: True: it sees all cards.
        verdict: What the solver said of the present game: ``"winnable"``, ``"unwinnable"``, ``"unknown"`` (the limit
            was reached), or None before the first action.
        thoughts: The last decision: the chance to win is 1 or 0, or not told when the verdict is unknown.
    """

    thoughtful = True

    def __init__(self, node_limit: int = DEFAULT_NODE_LIMIT) -> None:
        """Make an agent.

        Args:
            node_limit: Positions after which the solver gives a game up. Positions rather than seconds, so that results
                are the same on every machine.

        Raises:
            OptionError: The limit is no positive whole number.
        """
        if isinstance(node_limit, bool) or not isinstance(node_limit, int) or node_limit < 1:
            raise OptionError(f"node_limit is {node_limit!r}; it must be a positive whole number")
        usual = node_limit == DEFAULT_NODE_LIMIT
        self.name = "thoughtful" if usual else f"thoughtful node_limit={node_limit}"
        self.verdict: str | None = None
        self.thoughts: Thoughts | None = None
        self._node_limit = node_limit
        self._greedy = GreedyPolicy()
        self._plan: list[int] = []
        self._expected: str | None = None

    def reset(self, seed: int) -> None:
        """Begin a new game. There is no randomness to seed."""
        self._greedy.reset(seed)
        self.verdict = None
        self.thoughts = None
        self._plan = []
        self._expected = None

    def act_on_game(self, game: Game) -> int:
        """Return a legal action of a game.

        The game is solved at the first call after ``reset``, and again when it is not where the plan has led, as after
        an undo or a move by somebody else.
        """
        if game.notation != self._expected:
            self._make_plan(game)
        action = self._plan.pop() if self._plan else self._greedy.act(game.view())
        value = {WINNABLE: 1.0, UNWINNABLE: 0.0}.get(self.verdict or "")
        self.thoughts = Thoughts({action: 1.0}, value)
        after = game.copy()
        after.play(action)
        self._expected = after.notation
        return action

    def _make_plan(self, game: Game) -> None:
        """Solve the game from where it is."""
        solution = solve(game, node_limit=self._node_limit, memory_limit=MEMORY_LIMIT)
        self.verdict = solution.verdict
        self._plan = list(reversed(solution.actions))
