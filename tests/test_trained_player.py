"""Card moves, the training env, the network of shared weights, and the player that comes of training."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from klondike_agents.card_features import FEATURE_COUNT, OPINIONS
from klondike_agents.card_moves import MOVE_COUNT, TURN_MOVE
from klondike_agents.training import PpoPolicy, load_run
from klondike_agents.training.files import write_arrays
from klondike_agents.training.move_vec_env import CardMoveVecEnv
from klondike_agents.training.symmetry import FEATURE_MAPS, MOVE_MAPS, RENAMINGS
from klondike_agents.training.trainer import make_model, train
from training_runs import curve, first_games, small

from klondike_env.cards import format_cards
from klondike_env.errors import OptionError
from klondike_env.evaluation import evaluate
from klondike_env.game import Game


@pytest.mark.parametrize("rules", ["D1N", "D3N", "D3V", "three-pass", "aces-first"])
def test_card_moves_are_legal_to_the_end_of_games(rules: str) -> None:
    """No move on offer is refused by the vector env, and games end by win, loss or step limit alone."""
    env = CardMoveVecEnv(small(rules=rules, reward="win"))
    env.seed(3)
    env.reset()
    rng = np.random.default_rng(0)
    total = 0.0
    for _ in range(300):
        masks = env.action_masks()
        assert masks.any(1).all()
        moves = np.argmax(masks * rng.random(masks.shape), axis=1)
        observations, rewards, _, _ = env.step(moves)
        assert observations[:, :OPINIONS].min() >= 0
        assert not (env.vector_env._rows.statuses & 1).any()  # No action was illegal.
        total += rewards.sum()
    assert env.games > 50
    assert total == env.wins


def test_shaping_pays_as_much_in_all_as_a_win() -> None:
    """Differences of the potential cancel out: each game pays its win, less the potential of its first position."""
    envs = [CardMoveVecEnv(small(reward=reward)) for reward in ("shaped", "win")]
    rng = np.random.default_rng(0)
    totals = np.zeros((2, 16))
    first = np.zeros(16)
    for env in envs:
        env.seed(1)
        env.reset()
    first[:] = envs[0]._potential()
    ends = 0
    for _ in range(200):
        masks = envs[0].action_masks()
        moves = np.argmax(masks * rng.random(masks.shape), axis=1)
        for number, env in enumerate(envs):
            _, rewards, dones, _ = env.step(moves)
            totals[number] += rewards
        for row in np.flatnonzero(dones):
            assert totals[0, row] == pytest.approx(totals[1, row] - first[row], abs=1e-5)
            ends += 1
        totals[:, dones] = 0
        first[dones] = envs[0]._potential()[dones]
    assert ends > 20


def test_the_network_renames_suits_with_the_position() -> None:
    model = make_model(small(channels=6, layers=2))
    features = torch.from_numpy(model.get_env().reset()).float()
    rng = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for parameter in model.policy.parameters():
            parameter += 0.1 * torch.randn(parameter.shape, generator=rng)
        logits = model.policy.action_net(model.policy.mlp_extractor(features)[0])
        values = model.policy.predict_values(features)
        assert logits.std() > 0.01
        for feature_map, move_map in zip(FEATURE_MAPS, MOVE_MAPS, strict=True):
            renamed = torch.empty_like(features)
            renamed[:, feature_map] = features
            renamed_logits = model.policy.action_net(model.policy.mlp_extractor(renamed)[0])
            torch.testing.assert_close(renamed_logits[:, move_map], logits, atol=1e-4, rtol=1e-4)
            torch.testing.assert_close(model.policy.predict_values(renamed), values, atol=1e-4, rtol=1e-4)


def test_features_and_moves_follow_renamed_cards() -> None:
    """A deal with its suits renamed gives the renamed features and masks, decision after decision."""
    for renaming, feature_map, move_map in zip(RENAMINGS, FEATURE_MAPS, MOVE_MAPS, strict=True):
        decks = []
        for number in range(2_000_000, 2_000_016):
            cards = Game.from_number(number, "D3N").deal.cards
            decks.append([cards, [13 * renaming[card // 13] + card % 13 for card in cards]])
        envs = [CardMoveVecEnv(small(rules="D3N")) for _ in range(2)]
        seen = []
        for number, env in enumerate(envs):
            env.set_options([{"deck": format_cards(pair[number])} for pair in decks])
            seen.append(env.reset())
        rng = np.random.default_rng(0)
        for _ in range(10):
            np.testing.assert_array_equal(seen[1][:, feature_map], seen[0])
            masks = envs[0].action_masks()
            np.testing.assert_array_equal(envs[1].action_masks()[:, move_map], masks)
            moves = np.argmax(masks * rng.random(masks.shape), axis=1)
            first, _, dones, _ = envs[0].step(moves)
            second, _, _, _ = envs[1].step(move_map[moves])
            seen = [first, second]
            if dones.any():
                break


def play(policy: Any, game: Game, steps: int = 150) -> list[int]:
    """Return what a player plays."""
    policy.reset(0)
    actions: list[int] = []
    while not (game.is_won or game.is_lost) and len(actions) < steps:
        actions.append(policy.act(game.view()))
        game.play(actions[-1])
    return actions


def random_player(seed: int = 0) -> Any:
    """Return a player with random weights, which tells more positions apart than one that plays well."""
    model = make_model(small(seed=seed))
    with torch.no_grad():
        model.policy.action_net.weight.mul_(100)
    return PpoPolicy.from_arrays(model.policy.dense_arrays(), {"network": "cards", "opinion_depth": 2})


@pytest.mark.parametrize("rules", ["D1N", "D3N", "D1V", "D3V", "one-pass", "three-pass", "aces-first", "aces-first-3"])
def test_unknown_cards_have_no_influence_on_the_player(rules: str) -> None:
    policy, other = random_player(), random_player()
    rng = np.random.default_rng(0)
    decisions = 0
    for number in range(2_000_000, 2_000_004):
        game = Game.from_number(number, rules)
        policy.reset(0)
        other.reset(0)
        for _ in range(150):
            if game.is_won or game.is_lost:
                break
            view = game.view()
            action = policy.act(view)
            assert other.act(view.sample(rng).view()) == action
            decisions += policy.thoughts is not None
            game.play(action)
    assert decisions > 10


def test_the_player_decides_as_the_training_env_offers() -> None:
    """Played by one network, the env's games and the player's are the same."""
    config = small(rules="D3N", reward="win", step_limit=500, opinion_depth=2)
    env = CardMoveVecEnv(config)
    policy = random_player()
    numbers = range(2_000_000, 2_000_016)
    env.set_options([{"number": number} for number in numbers])
    features = env.reset()
    won: dict[int, bool] = {}
    for _ in range(400):
        logits, _ = policy._network_for(None)(features)
        moves = np.where(env.action_masks(), logits, -np.inf).argmax(1)
        features, _, dones, infos = env.step(moves)
        for row in np.flatnonzero(dones).tolist():
            won.setdefault(row, infos[row]["won"])
        if len(won) == len(numbers):
            break
    for row, number in enumerate(numbers):
        game = Game.from_number(number, "D3N")
        play(policy, game, 500)
        assert game.is_won == won[row], number


def test_a_run_is_loaded_to_play(tmp_path: Path) -> None:
    train(small(rules="D3N"), tmp_path)
    policy = load_run(tmp_path)
    assert policy.name == "ppo"
    games = first_games("D3N-dev", 4)
    results = evaluate(policy, games, step_limit=120).results
    assert results == evaluate(load_run(tmp_path), games, step_limit=120, rows=1).results
    best = max(curve(tmp_path), key=lambda line: line["wins"])
    assert sum(result.won for result in results) == best["wins"]
    policy.reset(0)
    game = Game.from_number(0, "D3N")
    while policy.thoughts is None:
        game.play(policy.act(game.view()))
    assert sum(policy.thoughts.probabilities.values()) == pytest.approx(1)
    with pytest.raises(OptionError, match="no training run"):
        load_run(tmp_path / "checkpoints")
    with pytest.raises(OptionError, match="no such file"):
        load_run(tmp_path / "none.safetensors")
    (tmp_path / "best.safetensors").write_bytes(b"nonsense")
    with pytest.raises(OptionError, match="no whole safetensors file"):
        load_run(tmp_path)
    write_arrays(tmp_path / "best.safetensors", {"a": np.zeros(3)}, {})
    with pytest.raises(OptionError, match="another network"):
        load_run(tmp_path)


def test_spaces_of_the_training_env() -> None:
    env = CardMoveVecEnv(small())
    assert env.observation_space.shape == (FEATURE_COUNT,)
    assert env.action_space.n == MOVE_COUNT
    env.seed(0)
    assert env.observation_space.contains(env.reset()[0])
    # A move that is not offered changes nothing and is counted, as in the env below.
    masks = env.action_masks().copy()
    moves = np.argmin(masks, axis=1)
    assert TURN_MOVE not in moves
    before = env.vector_env._rows.states.copy()
    env.step(moves)
    assert (env.vector_env._rows.statuses & 1).all()
    np.testing.assert_array_equal(env.vector_env._rows.states, before)


def test_moves_to_positions_met_before_can_be_allowed(tmp_path: Path) -> None:
    """Without the rule a network that is no good goes round in circles; with it, no position is decided in twice."""
    train(small(steps=256, imitation_steps=0, judging_steps=0), tmp_path)
    decisions = {}
    for may_repeat in (False, True):
        policy = load_run(tmp_path, may_repeat=may_repeat)
        decisions[may_repeat] = 0
        for number in range(2_000_000, 2_000_010):
            game = Game.from_number(number, "D1N")
            policy.reset(0)
            for _ in range(300):
                if game.is_won or game.is_lost:
                    break
                game.play(policy.act(game.view()))
                decisions[may_repeat] += policy.thoughts is not None
    assert decisions[True] > 1.5 * decisions[False]
