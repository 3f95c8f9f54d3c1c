"""``GameBatch``: fixed games played many at once, with the same results for any number of rows."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from golden import read_json_lines

from klondike_env import Game
from klondike_env.errors import ActionError, EpisodeError, IllegalActionError, KlondikeError
from klondike_env.game_batch import FinishedGame, GameBatch
from klondike_env.suites import FixedGame, get_suite

GAMES = get_suite("D3N-dev").games[:30] + get_suite("D1V-dev").games[:10]


def choose(masks: npt.NDArray[np.int8], generators: list[np.random.Generator]) -> npt.NDArray[np.int64]:
    """Draw a legal action for each game from its own stream."""
    return np.array([rng.choice(np.flatnonzero(mask)) for mask, rng in zip(masks, generators, strict=True)])


def play(games: tuple[FixedGame, ...], **arguments: Any) -> list[FinishedGame]:
    """Play all games at random, each game's stream seeded by its place."""
    batch = GameBatch(games, step_limit=80, **arguments)
    generators = [np.random.default_rng(place) for place in range(len(games))]
    results: list[FinishedGame] = []
    while not batch.is_done:
        playing = batch.indices.tolist()
        assert batch.observations.shape == (len(playing), 37, 4, 13)
        results += batch.step(choose(batch.masks, [generators[place] for place in playing]))
    return results


def play_one_by_one(games: tuple[FixedGame, ...]) -> list[FinishedGame]:
    """Play the same with ``Game``."""
    results = []
    for place, fixed in enumerate(games):
        game, rng, steps, repeated = fixed.start(), np.random.default_rng(place), 0, 0
        while steps < 80 and not (steps and (game.is_won or game.is_lost)):
            repeated += game.play_counting(int(rng.choice(game.legal_actions())))
            steps += 1
        ended = game.is_won or game.is_lost
        paid = game.score - repeated
        results.append(FinishedGame(place, game.is_won, game.score, paid, game.founded, steps, ended, steps == 80))
    return results


@pytest.mark.parametrize("rows", [1, 7, 64])
def test_results_are_those_of_one_game_after_the_other(rows: int) -> None:
    results = play(GAMES, rows=rows, threads=2)
    assert sorted(results) == play_one_by_one(GAMES)


def test_observations_are_those_of_the_games_being_played() -> None:
    batch = GameBatch(GAMES[:5], rows=3, information="visible")
    rng = np.random.default_rng(0)
    actions: dict[int, list[int]] = {}
    for _ in range(20):
        for place, index in enumerate(batch.indices.tolist()):
            game = GAMES[index].start()
            for action in actions.setdefault(index, []):
                game.play(action)
            np.testing.assert_array_equal(batch.observations[place], game.view().observation("visible"))
            np.testing.assert_array_equal(batch.masks[place], game.action_mask())
        chosen = choose(batch.masks, [rng] * len(batch.indices))
        for index, action in zip(batch.indices.tolist(), chosen.tolist(), strict=True):
            actions[index].append(action)
        batch.step(chosen)


def test_what_a_batch_shows_is_not_changed_by_a_step() -> None:
    batch = GameBatch(GAMES[:3])
    observations, masks = batch.observations, batch.masks
    before = observations.copy(), masks.copy()
    batch.step(masks.argmax(axis=1))
    np.testing.assert_array_equal(observations, before[0])
    np.testing.assert_array_equal(masks, before[1])


def test_a_win_is_reported() -> None:
    solution = next(game for game in read_json_lines("oracle_d1.jsonl") if game.get("actions"))
    game = Game.from_deck(solution["deck"])
    batch = GameBatch([FixedGame(6, game.rules)])
    batch._rows.states[0] = game._states[0]
    batch._rows.legal[0] = game._legal
    for action in solution["actions"]:
        results = batch.step([action])
    (result,) = results
    assert (result.game, result.won, result.founded, result.terminated, result.truncated) == (0, True, 52, True, False)
    assert (result.score, result.steps) == (solution["normal_score"], len(solution["actions"]))


def test_wrong_actions_name_the_row_of_the_observations() -> None:
    batch = GameBatch(GAMES[:3], rows=2, step_limit=1)
    batch.step(batch.masks.argmax(axis=1))
    assert batch.indices.tolist() == [2]
    with pytest.raises(ActionError, match="row 1 has none"):
        GameBatch(GAMES[:3]).step([0])
    with pytest.raises(ActionError, match="row 0: action 86"):
        batch.step([86])
    with pytest.raises(IllegalActionError, match="row 0: action 1 "):
        batch.step([1])
    assert len(batch.step([0])) == 1
    assert batch.is_done
    with pytest.raises(EpisodeError, match="every game has ended"):
        batch.step([])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rows": 0}, "rows is 0"),
        ({"step_limit": 0}, "step_limit is 0"),
        ({"information": "all"}, "information is 'all'"),
    ],
)
def test_wrong_arguments_are_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(KlondikeError, match=message):
        GameBatch(GAMES, **arguments)
    with pytest.raises(KlondikeError, match="no games"):
        GameBatch([])
