"""An agent of one's own, evaluated: `python examples/own_agent.py`."""

from klondike_env import PlayerView, evaluate, format_code
from klondike_env.actions import COLUMN_TO_COLUMN, TAKE_BACK, TURN_STOCK


class FoundationsFirst:
    """Plays to a foundation if it can, else from the waste, else turns the stock."""

    name = "foundations first"

    def reset(self, seed: int) -> None:
        """Begin a game; this agent has nothing to remember and draws nothing at random."""

    def act(self, view: PlayerView) -> int:
        """Return the first legal action in the order of preference."""
        legal = view.legal_actions()
        up = [action for action in legal if TURN_STOCK < action < TAKE_BACK]
        runs = [action for action in legal if action >= COLUMN_TO_COLUMN and view.face_down_counts[(action - 44) // 6]]
        return (up or runs or legal)[0]


codes = [format_code(number, "D1N") for number in range(104)]
evaluation = evaluate(FoundationsFirst(), codes)
low, high = evaluation.summary.interval
print(f"{evaluation.summary.wins} of {evaluation.summary.games} games won, 95 % interval {low:.3f} to {high:.3f}")
