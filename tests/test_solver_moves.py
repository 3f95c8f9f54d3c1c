"""The graph of the search against the engine: successors of random positions map onto each other."""

import random

import numpy as np
import pytest

from klondike_env import Game
from klondike_env.solver import SolverPosition, frames
from klondike_env.solver.moves import list_moves
from klondike_env.solver.position import SearchInput, from_bit, pack_position, to_bit
from klondike_env.solver.search import search
from klondike_env.solver.unfold import write_actions

RULES = [
    {"draw": draw, "passes": passes, "take_back": take_back, "aces": aces}
    for draw in (1, 2, 3)
    for passes in ("unlimited", 1, 3)
    for take_back in (True, False)
    for aces in ("free", "must", "first")
]
TRIES = range(frames.TRY_UP, frames.TRY_BACK + 1)
Board = tuple[int, ...]


def walk(game: Game, generator: random.Random, steps: int) -> None:
    """Play random actions, turning the stock less often than one of many moves would give."""
    for _ in range(steps):
        actions = game.legal_actions()
        if not actions:
            return
        weights = [0.5 if action == 0 else 0.3 if 16 <= action < 44 else 1.0 for action in actions]
        game.play(generator.choices(actions, weights)[0])


def board(frame: np.ndarray) -> Board:
    """Return what a frame says of columns, foundations and talon cards."""
    return tuple(
        int(frame[word]) for word in (frames.FACE_UP, frames.BASES, frames.NEXT_UP, frames.EMPTY, frames.TALON)
    )


def pack(game: Game) -> SearchInput:
    """Return a game in the form of the search, without prunings."""
    return pack_position(SolverPosition.from_game(game), prune=False)


def talon_cards(packed: SearchInput, mask: int) -> frozenset[int]:
    """Return the talon cards of a mask of places."""
    return frozenset(bit for place, bit in enumerate(packed.talon_cards.tolist()) if mask >> place & 1)


def comparable(packed: SearchInput, found: Board) -> tuple[object, ...]:
    """Return a board with the talon as cards, so that positions with another first talon can be compared."""
    return (*found[:-1], talon_cards(packed, found[-1]))


def successors(packed: SearchInput) -> dict[tuple[int, int], np.ndarray]:
    """Return the frame after each move that the search tries at the root."""
    stack = np.zeros((8, frames.FRAME_WORDS), np.uint64)
    stack[0] = packed.root
    list_moves(stack, 0, packed.rules, np.uint64(0), np.uint64(0))
    tries = stack[0, frames.TRY_UP : frames.TRY_BACK + 1].tolist()
    result = {}
    for kind, mask in enumerate(tries):
        for bit in range(52):
            if mask >> bit & 1:
                stack[0, frames.TRY_UP : frames.TRY_BACK + 1] = 0
                stack[0, frames.TRY_UP + kind] = 1 << bit
                counters = np.zeros(frames.COUNTER_COUNT, np.int64)
                table = np.zeros(1 << 10, np.uint64)
                search(stack, counters, table, 1, *packed.arrays)
                assert counters[frames.DEPTH] == 1
                result[kind, bit] = stack[1].copy()
    return result


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_successors_of_random_positions_map_onto_each_other(rules: dict[str, object]) -> None:
    generator = random.Random(str(rules))
    for _ in range(12):
        game = Game.from_number(generator.randrange(2**32), **rules)
        walk(game, generator, generator.choice([0, 10, 40, 90, 150]))
        if game.is_won:
            continue
        packed = pack(game)
        here = comparable(packed, board(packed.root))
        reached = successors(packed)

        # Every move of the search can be played, and leads to the very position that the search goes on from.
        for (kind, bit), frame in reached.items():
            copy = game.copy()
            for action in write_actions(SolverPosition.from_game(game), [(kind, from_bit(bit))]):
                copy.play(action)
            if copy.is_won:
                continue
            after = pack(copy)
            assert comparable(packed, board(frame)) == comparable(after, board(after.root))
            if packed.rules[frames.UNLIMITED] == after.rules[frames.UNLIMITED]:
                for word in (frames.REACHABLE, frames.AFTER_REDEAL):
                    assert frame[word] == after.root[word], (game.notation, kind, bit)

        # Every action leads to a position that the search reaches in one move, or changes nothing that it looks at.
        boards = {comparable(packed, board(frame)) for frame in reached.values()} | {here}
        for action in game.legal_actions():
            copy = game.copy()
            copy.play(action)
            if not copy.is_won:
                after = pack(copy)
                assert comparable(after, board(after.root)) in boards, (game.notation, action)


def test_cards_and_bits_are_one_to_one() -> None:
    assert [from_bit(to_bit(card)) for card in range(52)] == list(range(52))
    assert sorted(map(to_bit, range(52))) == list(range(52))
