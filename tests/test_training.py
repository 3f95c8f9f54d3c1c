"""Training: settings, runs that stop and go on, weights shared among suits, and that there is something to learn."""

import dataclasses
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from klondike_agents.greedy import GreedyPolicy
from klondike_agents.training import PpoPolicy, load_run
from klondike_agents.training.config import TrainingConfig, config_from_values, parse_count, read_config
from klondike_agents.training.files import read_arrays
from klondike_agents.training.move_vec_env import CardMoveVecEnv
from klondike_agents.training.player import WEIGHTS_FOLDER
from klondike_agents.training.recorded import DecisionRecorder, read_decisions
from klondike_agents.training.trainer import make_model, train
from training_runs import SMALL, Stopped, curve, first_games, same_arrays, small, stop_at
from typer.testing import CliRunner

from klondike_env.cli import app
from klondike_env.errors import KlondikeError, OptionError
from klondike_env.evaluation import evaluate
from klondike_env.game import Game
from klondike_env.rules import parse_rules


@pytest.mark.parametrize(("reward", "critic"), [("shaped", "full"), ("score", "player")])
def test_a_seed_gives_the_same_weights_and_a_stopped_run_goes_on_the_same(
    tmp_path: Path, reward: str, critic: str
) -> None:
    config = small(reward=reward, critic=critic)
    whole = train(config, tmp_path / "whole")
    assert (whole.steps, whole.steps_now) == (2048, 2048)
    # Stopped while the teacher is imitated, while moves are judged, at the first update of PPO and later.
    for steps in (256, 768, 1280, 1792):
        with pytest.raises(Stopped):
            train(config, tmp_path / "stopped", stop_at(steps))
    rest = train(config, tmp_path / "stopped")
    assert rest.steps == 2048
    assert 0 < rest.steps_now <= 1024
    assert same_arrays(tmp_path / "whole" / "last.safetensors", tmp_path / "stopped" / "last.safetensors")
    assert curve(tmp_path / "whole") == curve(tmp_path / "stopped")
    assert [line["steps"] for line in curve(tmp_path / "whole")] == [1024, 2048]
    other = train(small(reward=reward, critic=critic, seed=1), tmp_path / "other")
    assert other.steps == 2048
    assert not same_arrays(tmp_path / "whole" / "last.safetensors", tmp_path / "other" / "last.safetensors")


def test_parts_of_a_run_end_with_whole_rollouts(tmp_path: Path) -> None:
    """Imitation and judging may be asked for any number of steps; each rollout is learned from in one way."""
    default = TrainingConfig()
    for config in (default, small(imitation_steps=600, judging_steps=300)):
        assert config.imitated_steps % config.rollout == 0 == config.taught_steps % config.rollout
        assert 0 <= config.imitated_steps - config.imitation_steps < config.rollout
        assert config.rate_after(config.imitated_steps - 1) < 0.2 * config.imitation_rate
        assert config.rate_after(config.imitated_steps) == config.judging_rate
        assert config.rate_after(config.taught_steps) == config.learning_rate
    config = small(imitation_steps=600, judging_steps=300)
    assert (config.imitated_steps, config.taught_steps) == (768, 1280)
    with pytest.raises(Stopped):
        train(config, tmp_path / "stopped", stop_at(1280))
    assert train(config, tmp_path / "stopped").steps == 2048
    train(config, tmp_path / "whole")
    assert same_arrays(tmp_path / "whole" / "last.safetensors", tmp_path / "stopped" / "last.safetensors")


@pytest.mark.parametrize("judging_steps", [300, 512])
def test_ppo_begins_with_the_chances_that_moves_were_drawn_with(tmp_path: Path, judging_steps: int) -> None:
    """The first update after judging learns from moves of its own policy, sharpened as it was when they were drawn."""
    config = small(
        imitation_steps=0,
        judging_steps=judging_steps,
        judging_rate=0.03,
        learning_rate=1e-9,
        steps=1280,
        epochs=1,
        batch=256,
        checkpoint_interval=256,
        kept_checkpoints=5,
    )
    train(config, tmp_path)
    assert all_scalars(tmp_path)["train/approx_kl"][0][1] < 1e-5
    last_judged, first_of_ppo = (
        read_arrays(tmp_path / "checkpoints" / f"{steps:012d}.safetensors")[0]["network.action_net.weight"]
        for steps in (config.taught_steps, config.taught_steps + config.rollout)
    )
    np.testing.assert_allclose(first_of_ppo, config.judging_sharpness * last_judged, atol=1e-5)
    assert np.abs(last_judged).max() > 0.05


def all_scalars(run: Path) -> dict[str, list[tuple[int, float]]]:
    """Return step and value of all points of a run's curves, by the curves' names."""
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(run / "tensorboard"), {"scalars": 0})
    events.Reload()
    return {name: [(point.step, point.value) for point in events.Scalars(name)] for name in events.Tags()["scalars"]}


def test_curves_go_on_where_the_checkpoint_was(tmp_path: Path) -> None:
    """Case 27: what TensorBoard shows of a run that was stopped is what it shows of a whole one."""
    with pytest.raises(Stopped):
        train(small(), tmp_path / "stopped", stop_at(1280))
    shown = []
    for name in ("whole", "stopped"):
        train(small(), tmp_path / name)
        curves = all_scalars(tmp_path / name)
        for points in curves.values():
            steps = [step for step, _ in points]
            assert steps == sorted(set(steps))
        shown.append({name: points for name, points in curves.items() if not name.startswith("time/")})
        assert [step for step, _ in curves["evaluation/win_rate"]] == [1024, 2048]
        assert curves["train/learning_rate"][-1][0] == 2048
    assert shown[0] == shown[1]
    assert {"judging/gain", "imitation/agreement", "train/approx_kl", "rollout/win_rate"} <= set(shown[0])


def test_a_finished_run_is_left_alone(tmp_path: Path) -> None:
    train(small(), tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert train(small(), tmp_path).steps_now == 0
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def run_command(*options: Any) -> tuple[int, str]:
    """Train by command in this process, and return its status and what it printed."""
    result = CliRunner().invoke(app, ["train", "ppo", *map(str, options)])
    if isinstance(result.exception, KlondikeError):
        return 2, str(result.exception)  # As ``main`` ends it.
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.output


def test_killed_at_any_moment_a_run_goes_on_from_its_newest_checkpoint(tmp_path: Path) -> None:
    """Case 27: step counter, curve and files after kill -9, then the finished run."""
    settings = {**SMALL, "steps": 6144, "imitation_steps": 1024, "checkpoint_interval": 512}
    (tmp_path / "small.json").write_text(json.dumps(settings))
    run = tmp_path / "run"
    options = ("--out", run, "--config", tmp_path / "small.json")
    command = [sys.executable, "-m", "klondike_env", "train", "ppo", *map(str, options)]
    kills = 0
    for wanted in (1024, 3072):
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            while process.poll() is None and newest_steps(run) < wanted:
                time.sleep(0.005)
            if process.poll() is None:
                os.kill(process.pid, signal.SIGKILL)
                kills += 1
        # As if the kill had come in the middle of writing the next checkpoint.
        checkpoints = sorted((run / "checkpoints").glob("*.safetensors"))
        half = checkpoints[-1].read_bytes()[:1000]
        (run / "checkpoints" / "000000999999.safetensors.part").write_bytes(half)
    assert kills > 0
    steps_before = newest_steps(run)
    status, output = run_command(*options)
    assert status == 0
    assert f"trained {6144 - steps_before:,} steps, 6,144 in all" in output
    assert newest_steps(run) == 6144
    assert len(list((run / "checkpoints").iterdir())) == 3
    assert [line["steps"] for line in curve(run)] == list(range(1024, 6145, 1024))
    status, output = run_command(*options)
    assert status == 0
    assert "finished: 6,144 steps; nothing to do" in output
    train(config_from_values(settings, "test"), tmp_path / "whole")
    assert same_arrays(tmp_path / "whole" / "last.safetensors", run / "last.safetensors")


def newest_steps(run: Path) -> int:
    """Return the steps of a run's newest checkpoint, 0 if it has none."""
    return max((int(path.stem) for path in (run / "checkpoints").glob("*.safetensors")), default=0)


def test_other_settings_are_refused_for_a_run_that_is_there(tmp_path: Path) -> None:
    train(small(steps=256, imitation_steps=0, judging_steps=0), tmp_path / "run")
    with pytest.raises(OptionError, match=r"gamma: 1.0, 0.9"):
        train(small(steps=256, imitation_steps=0, judging_steps=0, gamma=0.9), tmp_path / "run")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "letter.txt").write_text("dear")
    with pytest.raises(OptionError, match="not empty"):
        train(small(), tmp_path / "other")
    assert (tmp_path / "other" / "letter.txt").read_text() == "dear"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rules": "D9N"}, "D9N"),
        ({"steps": 0}, "steps is 0; it must be at least 1"),
        ({"steps": 1.5}, "whole number"),
        ({"gamma": 1.5}, "gamma is 1.5"),
        ({"learning_rate": -1.0}, "learning_rate"),
        ({"learning_rate": float("nan")}, "finite"),
        ({"reward": "money"}, "'shaped', 'win', 'score'"),
        ({"network": "huge"}, "'cards', 'plain'"),
        ({"batch": 100_000}, "more than the 256 steps of a rollout"),
        ({"masks": 1}, "true or false"),
        ({"imitation_steps": 10_000}, "more than all 2048 steps"),
        ({"judging_steps": 1600}, "together more than all 2048 steps"),
        ({"judging_unit": 0.0}, "judging_unit is 0.0; it must be more than 0"),
        ({"judging_samples": 0}, "judging_samples is 0"),
        ({"judging_trust": -0.1}, "judging_trust"),
        ({"opinion_depth": 6}, "from 0 to 5"),
        ({"batch": 1}, "at least 2 steps"),
        ({"batch": 255}, "at least 2 steps"),
        ({"seed": 2**32}, "seed is 4294967296"),
        ({"teacher_depth": 9}, "from 1 to 5"),
        ({"evaluation_games": 2000}, "1000 games"),
        ({"network": "plain"}, "without teacher"),
    ],
)
def test_settings_that_cannot_be_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(KlondikeError, match=message):
        small(**changes)


@pytest.mark.parametrize("name", ["D1N", "D3N-first", "D3N"])
def test_settings_of_the_weights_are_settings(name: str) -> None:
    path = WEIGHTS_FOLDER / f"{name}.json"
    config = read_config(path)
    assert json.loads(path.read_text()) == json.loads(config.to_text())
    assert parse_rules(config.rules).draw == (1 if name == "D1N" else 3)


def test_settings_are_read_and_written(tmp_path: Path) -> None:
    config = small(rules="D3N,passes=3")
    (tmp_path / "config.json").write_text(config.to_text())
    assert read_config(tmp_path / "config.json") == config
    assert config_from_values({"gamma": 1}, "x").gamma == 1.0
    with pytest.raises(OptionError, match="'gama' is no setting"):
        config_from_values({"gama": 1}, "x")
    (tmp_path / "config.json").write_text("{")
    with pytest.raises(OptionError, match="no JSON"):
        read_config(tmp_path / "config.json")


@pytest.mark.parametrize(("text", "count"), [("20e6", 20_000_000), ("1_000", 1000), ("5", 5)])
def test_counts_are_read(text: str, count: int) -> None:
    assert parse_count(text, "--steps") == count


@pytest.mark.parametrize("text", ["many", "0", "-5", "1.5", "nan", "inf", "1e99"])
def test_counts_that_are_none(text: str) -> None:
    with pytest.raises(OptionError, match="--steps is"):
        parse_count(text, "--steps")


def test_bad_options_end_with_a_message(tmp_path: Path) -> None:
    for options, message in (
        (["--steps", "many"], "--steps is 'many'"),
        (["--rules", "D9N"], "D9N"),
        (["--resume"], "holds no run"),
        (["--config", str(tmp_path / "none.json")], "cannot read"),
    ):
        status, output = run_command("--out", tmp_path / "run", *options)
        assert status == 2
        assert message in output
    for values, message in (
        ({"steps": "many"}, "steps is 'many'"),
        ({"steps": None}, "steps is None"),
        ({"foo": 1}, "'foo' is no setting"),
        ({"start_from": "nowhere"}, "start_from is 'nowhere', and there is no such file"),
        ({"imitation_data": "nowhere"}, "imitation_data is 'nowhere'"),
    ):
        (tmp_path / "settings.json").write_text(json.dumps(values))
        status, output = run_command("--out", tmp_path / "run", "--config", tmp_path / "settings.json")
        assert status == 2
        assert message in output
    status, output = run_command("--out", tmp_path / "run", "--seed", 2**32)
    assert status == 2
    assert "seed is 4294967296" in output
    assert not (tmp_path / "run").exists()
    assert CliRunner().invoke(app, ["train", "ppo", "--help"]).exit_code == 0


def test_resume_goes_by_the_settings_of_the_run(tmp_path: Path) -> None:
    with pytest.raises(Stopped):
        train(small(), tmp_path / "run", stop_at(768))
    status, output = run_command("--out", tmp_path / "run", "--resume", "--steps", "999")
    assert status == 2
    assert "steps is 2048" in output
    (tmp_path / "foo.json").write_text('{"foo": 1}')
    status, output = run_command("--out", tmp_path / "run", "--resume", "--config", tmp_path / "foo.json")
    assert status == 2
    assert "'foo' in" in output
    status, output = run_command("--out", tmp_path / "run", "--resume")
    assert status == 0
    assert "2,048 in all" in output


def record_greedy(folder: Path, numbers: range) -> int:
    """Record games of the greedy agent as a shard, and return how many positions there are."""
    policy, recorder, count = GreedyPolicy(), DecisionRecorder(), 0
    for number in numbers:
        game = Game.from_number(number, "D3N")
        policy.reset(0)
        while not (game.is_won or game.is_lost or policy.gave_up):
            action = policy.act(game.view())
            recorder.add(game.view(), action)
            game.play(action)
            count += 1
        recorder.end_game(game.is_won)
    folder.mkdir(exist_ok=True)
    recorder.write(folder / f"{numbers.start}.npz")
    return count


def test_recorded_decisions_are_read_and_learned(tmp_path: Path) -> None:
    """Each label is what the greedy player would choose there, and the network comes to agree with many."""
    count = record_greedy(tmp_path / "data", range(2_000_000, 2_000_030))
    record_greedy(tmp_path / "data", range(2_000_030, 2_000_040))
    decisions = read_decisions(tmp_path / "data")
    assert 0 < len(decisions.labels) < count
    assert decisions.masks[np.arange(len(decisions.labels)), decisions.labels].all()
    assert set(decisions.won.tolist()) == {0.0, 1.0}
    model = make_model(small(rules="D3N"))
    before = model.learn_decisions(decisions, 1, 1e-9)
    assert model.learn_decisions(decisions, 15, 3e-3) > before + 0.2
    settings = {
        "rules": "D3N",
        "imitation_data": str(tmp_path / "data"),
        "steps": 512,
        "imitation_steps": 0,
        "judging_steps": 0,
    }
    assert train(small(**settings), tmp_path / "run").steps == 512
    with pytest.raises(OptionError, match=r"holds no \*.npz files"):
        read_decisions(tmp_path)
    np.savez(tmp_path / "data" / "bad.npz", states=np.zeros((2, 3)), actions=np.zeros(2), games=np.zeros(2))
    with pytest.raises(OptionError, match=r"bad.npz: states are float64 \(2, 3\)"):
        read_decisions(tmp_path / "data")


def test_weights_of_another_network_are_refused_as_a_start(tmp_path: Path) -> None:
    train(small(steps=256, imitation_steps=0, judging_steps=0), tmp_path / "run")
    config = small(start_from=str(tmp_path / "run"))
    assert (
        train(dataclasses.replace(config, steps=512, imitation_steps=0, judging_steps=0), tmp_path / "next").steps
        == 512
    )
    with pytest.raises(OptionError, match="another network"):
        train(dataclasses.replace(config, channels=5), tmp_path / "third")
    with pytest.raises(OptionError, match="holds no checkpoint"):
        train(dataclasses.replace(config, start_from=str(tmp_path)), tmp_path / "fourth")


@pytest.mark.slow
def test_judged_moves_are_learned(tmp_path: Path) -> None:
    """From scratch, by worths alone: no labels, no PPO, no opinions; many more wins than before."""
    steps = 16 * 1024
    config = dataclasses.replace(
        learning_config(),
        steps=steps,
        judging_steps=steps,
        judging_rate=5e-3,
        judging_unit=0.02,
        judging_samples=2,
        opinion_depth=0,
        evaluation_interval=steps,
        evaluation_games=200,
        checkpoint_interval=steps,
    )
    before = evaluate(player_of(make_model(config)), first_games("D1N-dev", 200)).summary.wins
    assert before < 60
    train(config, tmp_path)
    assert curve(tmp_path)[-1]["wins"] > before + 40


def player_of(model: Any) -> PpoPolicy:
    """Return the player that a model is now."""
    return PpoPolicy.from_arrays(model.policy.dense_arrays(), {"network": "cards"})


@pytest.mark.slow
def test_there_is_something_to_learn_and_masks_are_needed() -> None:
    """From scratch, without a teacher: many more wins than at random, and none without masks."""
    share = {masks: share_won_after_training(masks) for masks in (True, False)}
    random_share = share_won_at_random()
    assert 0.1 < random_share < 0.25
    assert share[True] > random_share + 0.1
    assert share[False] < random_share / 2


def learning_config(masks: bool = True) -> TrainingConfig:
    """Return settings under which something is learned in half a minute."""
    return TrainingConfig(
        steps=LEARNING_STEPS,
        imitation_steps=0,
        judging_steps=0,
        channels=8,
        layers=1,
        rows=128,
        rollout_steps=16,
        batch=512,
        epochs=4,
        learning_rate=5e-3,
        turned_up_worth=1.0,
        founded_worth=1.0,
        gamma=0.97,
        gae_lambda=0.9,
        clip_range=0.2,
        entropy_weight=0.003,
        max_gradient=0.5,
        masks=masks,
    )


LEARNING_STEPS = 80 * 1024


def share_won_after_training(masks: bool) -> float:
    """Return the share of games won in the last quarter of a training, as the learner plays then."""
    model = make_model(learning_config(masks))
    model.learn(LEARNING_STEPS * 3 // 4, use_masking=masks)
    env: Any = model.get_env()
    games, wins = env.games, env.wins
    model.learn(LEARNING_STEPS // 4, use_masking=masks, reset_num_timesteps=False)
    return float((env.wins - wins) / max(1, env.games - games))


def share_won_at_random() -> float:
    """Return the share of games won by card moves drawn at random."""
    env = CardMoveVecEnv(learning_config())
    env.seed(0)
    env.reset()
    rng = np.random.default_rng(0)
    while env.games < 1500:
        masks = env.action_masks()
        env.step(np.argmax(masks * rng.random(masks.shape), axis=1))
    return env.wins / env.games


def test_the_plain_network_is_trained_and_plays(tmp_path: Path) -> None:
    config = small(network="plain", reward="score", imitation_steps=0, judging_steps=0, channels=2, steps=1024)
    assert train(config, tmp_path).steps == 1024
    assert train(config, tmp_path).steps_now == 0
    policy = load_run(tmp_path)
    assert policy.name == "ppo-plain"
    games = first_games("D1N-dev", 4)
    results = evaluate(policy, games, step_limit=120).results
    assert results == evaluate(policy, games, step_limit=120, rows=1).results
    assert curve(tmp_path)[-1]["wins"] == sum(result.won for result in results)
