"""What the search agent thinks of one position: `python examples/search_one_position.py`.

It prints the board as the player sees it, the legal moves, and what the agent expects of the moves that it considered:
the share of games won, over many samples of the hidden cards. Try another position:

    python examples/search_one_position.py --code KL1-D1N-AAAAAAG --actions "11 0 0" --simulations 1000
    python examples/search_one_position.py --notation "…"      # as `klondike show CODE --actions …` prints it

Moves that cost nothing, such as an ace to its foundation, are played without a look at samples; then there are no
values to print, and the example says so.
"""

import argparse

from klondike_agents import SearchPolicy

from klondike_env import Game
from klondike_env.actions import MOVES


def main() -> None:
    """Search the position that the arguments name."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--code", default="KL1-D3N-AAAAAAH", help="game code")
    parser.add_argument("--actions", help="action indices to play first; with a --code of your own none by default")
    parser.add_argument("--notation", help="a position as one line of text, instead of code and actions")
    parser.add_argument("--simulations", type=int, default=256, help="samples of the hidden cards")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()

    if arguments.notation:
        game = Game.from_notation(arguments.notation)
    else:
        game = Game.from_code(arguments.code)
        opening = "0 0 0 0 0 0 0 0 47 80 3 1 14" if arguments.code == parser.get_default("code") else ""
        for action in (opening if arguments.actions is None else arguments.actions).split():
            game.play(int(action))
    print(game, end="\n\n")

    view = game.view()  # The agent gets this and nothing else: what the player knows.
    if not view.legal_actions():
        parser.exit(0, "no move is legal here\n")
    policy = SearchPolicy(simulations=arguments.simulations)
    policy.reset(arguments.seed)
    chosen = policy.act(view)
    thoughts = policy.thoughts
    values = {} if thoughts is None else thoughts.action_values

    print(f"legal moves, with the {thoughts.unit if thoughts else 'values'} that the agent expects:")
    for action in sorted(view.legal_actions(), key=lambda action: (-values.get(action, -1.0), action)):
        value = f"{values[action]:5.1%}" if action in values else "    -"
        print(f"{'->' if action == chosen else '  '} {value}  {action:2}  {MOVES[action]}")
    if thoughts is None:
        print("The agent saw no need to sample: a move was safe, or only one was worth a thought.")


if __name__ == "__main__":
    main()
