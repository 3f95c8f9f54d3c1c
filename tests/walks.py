"""Positions for tests: random play from random deals, and positions laid out by hand."""

from collections.abc import Iterator

import numpy as np
from hypothesis import strategies as st

from klondike_env import RULE_SETS, Game, Rules, card_name
from klondike_env.actions import COLUMN_TO_COLUMN, TAKE_BACK, TURN_STOCK

SUIT_LETTERS = "SHDC"


def choose(game: Game, rng: np.random.Generator) -> int:
    """Draw a legal action; moves that get somewhere oftener than turns, and these oftener than take-backs."""
    legal = np.array(game.legal_actions())
    weights = np.ones(len(legal))
    weights[legal < TAKE_BACK] = 8
    weights[legal == TURN_STOCK] = 4
    weights[(legal >= TAKE_BACK) & (legal < COLUMN_TO_COLUMN)] = 0.3
    bounds = weights.cumsum()
    return int(legal[np.searchsorted(bounds, rng.random() * bounds[-1], side="right")])


def play_on(game: Game, rng: np.random.Generator, steps: int) -> Iterator[int]:
    """Play random legal actions, yielding each after it was played, until none is left."""
    for _ in range(steps):
        if not game.legal_actions():
            return
        action = choose(game, rng)
        game.play(action)
        yield action


def random_game(rules: str | Rules, number: int, steps: int, seed: int = 0) -> Game:
    """Return a game in the middle of random play."""
    game = Game.from_number(number, rules)
    for _ in play_on(game, np.random.default_rng(seed), steps):
        pass
    return game


def lay_out(
    columns: str, waste: str = "-", foundations: str = "0,0,0,0", rules: str = "D1N", score: int = 0, fan: int = 1
) -> Game:
    """Return the position with these face-up columns and waste; all cards that are left lie in the stock."""
    heights = [int(height) for height in foundations.split(",")]
    used = {card_name(13 * suit + rank) for suit, height in enumerate(heights) for rank in range(height)}
    used |= {pile[i : i + 2].upper() for pile in [*columns.split("/"), waste] for i in range(0, len(pile), 2)}
    stock = "".join(name for card in range(52) if (name := card_name(card)) not in used) or "-"
    return Game.from_notation(
        f"rules={rules} columns={columns} waste={waste} stock={stock} foundations={foundations}"
        f" fan={0 if waste == '-' else fan} score={score}"
    )


any_rules = st.builds(
    Rules,
    draw=st.integers(1, 3),
    passes=st.none() | st.integers(1, 4) | st.integers(1, 1_000_000),
    scoring=st.sampled_from(["normal", "vegas"]),
    take_back=st.booleans(),
    aces=st.sampled_from(["free", "must", "first"]),
    fan=st.booleans(),
)
"""Every rule set that there can be."""

game_numbers = st.integers(0, 2**32 - 1)

games = st.builds(
    random_game,
    rules=st.sampled_from([*RULE_SETS.values()]) | any_rules,
    number=game_numbers,
    steps=st.integers(0, 250),
    seed=st.integers(0, 2**16),
)
"""Games at any point, under any rules."""
