"""What moves are worth in sampled games, the greedy player's opinions of them, and learning from both."""

from typing import Any

import numpy as np
import pytest
import torch
from klondike_agents.card_features import OPINIONS
from klondike_agents.card_moves import MOVE_COUNT, greedy_card_move
from klondike_agents.greedy_opinions import OPINION_COUNT
from klondike_agents.move_stepping import greedy_labels
from klondike_agents.search_kernel import deal_sample
from klondike_agents.training.judging import MoveJudge, worth_loss
from klondike_agents.training.move_vec_env import CardMoveVecEnv
from training_runs import small

from klondike_env.engine.single import hide_unknown
from klondike_env.engine.state import new_states


def rows_in_play(rules: str, steps: int, **changes: Any) -> CardMoveVecEnv:
    """Return an env whose rows have been played on at random."""
    env = CardMoveVecEnv(small(rules=rules, reward="win", rows=32, **changes))
    env.seed(5)
    env.reset()
    rng = np.random.default_rng(0)
    for _ in range(steps):
        masks = env.action_masks()
        env.step(np.argmax(masks * rng.random(masks.shape), axis=1))
    return env


def judge_rows(env: CardMoveVecEnv, judge: MoveJudge, states: Any, labels: Any = None) -> None:
    """Judge all moves on offer in the rows of an env, its states perhaps exchanged."""
    logits = np.zeros((len(states), MOVE_COUNT), np.float32)
    none = np.full(len(states), -1, np.int64)
    offered, actions, turns = env._offered, env._move_actions, env._move_turns
    judge.judge(states, env._minds, logits, offered, actions, turns, none if labels is None else labels)


def new_judge(samples: int = 2, trust: float = 0.0, draw: int = 1, seed: int = 3) -> MoveJudge:
    """Return a judge of 32 rows."""
    return MoveJudge(32, draw, False, samples, 4.0, trust, seed)


@pytest.mark.parametrize("rules", ["D1N", "D3N", "three-pass"])
def test_worths_do_not_depend_on_unknown_cards(rules: str) -> None:
    env = rows_in_play(rules, 6)
    own = env.vector_env._rows.states
    others = own.copy()
    view, sample = new_states(1), new_states(2)
    for row in range(len(own)):
        hide_unknown(own[row : row + 1], view)
        deal_sample(view, np.uint64(99), row, sample)
        others[row] = sample[0]
    assert (others["columns"] != own["columns"]).any(axis=(1, 2)).sum() > 20
    judges = [new_judge(draw=int(own["draw"][0])) for _ in range(2)]
    judge_rows(env, judges[0], own)
    judge_rows(env, judges[1], others)
    assert judges[0].judged.sum() > 60
    np.testing.assert_array_equal(judges[0].judged, env._offered)
    np.testing.assert_array_equal(judges[0].worths, judges[1].worths)
    assert 0 < judges[0].worths.max() <= 1
    # Other samples, other worths.
    judge_rows(env, judges[0], own)
    assert (judges[0].worths != judges[1].worths).any()


def test_moves_of_a_game_that_is_nearly_won_are_worth_all() -> None:
    """With all cards face up at draw 1 every move wins, and the teacher's counts its trust more."""
    env = rows_in_play("D1N", 0, step_limit=500)
    judge = new_judge(trust=0.25)
    states = env.vector_env._rows.states
    settled = 0
    for _ in range(90):
        greedy_labels(states, env.vector_env._rows.legal, env._minds, env._offered, env._weights, 2, env.labels)
        env.step(np.where(env.labels >= 0, env.labels, env._offered.argmax(axis=1)))
        all_up = (states["face_down"].sum(axis=1) == 0) & (env._offered.sum(axis=1) > 1)
        labels = np.where(all_up, env._offered.argmax(axis=1), -1)
        judge_rows(env, judge, states, labels)
        for row in np.flatnonzero(all_up):
            worths = judge.worths[row][env._offered[row] > 0]
            assert worths[0] == pytest.approx(1.25)
            assert worths[1:] == pytest.approx(1.0)
            settled += 1
    assert settled > 5


def test_only_moves_that_might_be_chosen_are_judged() -> None:
    env = rows_in_play("D1N", 6)
    judge = new_judge()
    logits = np.where(np.arange(MOVE_COUNT) % 2 == 0, 5.0, 0.0).astype(np.float32)
    states = env.vector_env._rows.states
    none = np.full(32, -1, np.int64)
    arrays = (env._offered, env._move_actions, env._move_turns)
    judge.judge(states, env._minds, np.tile(logits, (32, 1)), *arrays, none)
    likely = (env._offered > 0) & (logits == 5.0)
    with_likely = likely.any(axis=1)
    np.testing.assert_array_equal(judge.judged[with_likely] > 0, likely[with_likely])
    assert (judge.judged.sum(axis=1) == 1).any()
    assert not judge.worths[judge.judged.sum(axis=1) < 2].any()


def test_the_loss_is_least_where_probabilities_follow_worth() -> None:
    worths = torch.tensor([[0.0, 0.1, 0.3, 9.0]])
    judged = torch.tensor([[True, True, True, False]])
    best = (worths / 0.1).requires_grad_()
    loss, gain, entropy = worth_loss(best, judged, worths, 0.1)
    (gradient,) = torch.autograd.grad(loss, best)
    torch.testing.assert_close(gradient, torch.zeros_like(gradient), atol=1e-6, rtol=0)
    probabilities = torch.softmax(torch.tensor([0.0, 1.0, 3.0]), 0)
    assert gain.item() == pytest.approx(float(probabilities @ worths[0, :3] - worths[0, :3].mean()))
    assert entropy.item() == pytest.approx(float(-(probabilities * probabilities.log()).sum()))
    for other in (torch.zeros(1, 4), worths / 0.05, -worths):
        assert worth_loss(other, judged, worths, 0.1)[0] > loss


@pytest.mark.parametrize("depth", [1, 3])
@pytest.mark.parametrize("rules", ["D1N", "D3N", "three-pass"])
def test_the_greedy_players_choice_has_its_best_opinion(rules: str, depth: int) -> None:
    env = rows_in_play(rules, 6, opinion_depth=depth, teacher_depth=depth)
    rows = env.vector_env._rows
    opinions = env._features[:, OPINIONS:].reshape(32, 2, MOVE_COUNT)
    assert not opinions[:, :, :][np.repeat(env._offered[:, None] == 0, 2, axis=1)].any()
    compared = 0
    for row in np.flatnonzero(env._offered.sum(axis=1) > 1):
        can_turn = bool(rows.legal[row, 0])
        move = greedy_card_move(rows.states[row], env._minds[row], env._weights, depth, can_turn)
        if move < 0:
            continue
        outlook = opinions[row, 1].astype(int)
        assert outlook[move] == outlook[env._offered[row] > 0].max()
        if depth == 1:
            np.testing.assert_array_equal(opinions[row, 0], opinions[row, 1])
        compared += 1
    assert compared > 15


def test_without_opinions_their_features_are_empty() -> None:
    with_opinions, without = rows_in_play("D3N", 6), rows_in_play("D3N", 6, opinion_depth=0)
    assert with_opinions._features[:, OPINIONS:].any()
    assert not without._features[:, OPINIONS:].any()
    assert without._features.shape[1] == OPINIONS + OPINION_COUNT
    np.testing.assert_array_equal(with_opinions._features[:, :OPINIONS], without._features[:, :OPINIONS])
