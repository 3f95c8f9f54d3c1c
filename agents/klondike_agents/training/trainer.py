"""Training of a run from its settings to its end, across any number of stops."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger

from klondike_agents.sb3_vec_env import KlondikeVecEnv
from klondike_agents.training.config import TrainingConfig
from klondike_agents.training.curves import CurveWriter
from klondike_agents.training.files import (
    BEST_FILE,
    CURVES_FOLDER,
    LAST_FILE,
    Arrays,
    RunFolder,
    read_arrays,
    write_arrays,
)
from klondike_agents.training.imitating_ppo import ImitatingPPO
from klondike_agents.training.move_vec_env import CardMoveVecEnv
from klondike_agents.training.network import CardPolicy
from klondike_agents.training.player import PpoPolicy
from klondike_agents.training.recorded import read_decisions
from klondike_env.errors import OptionError
from klondike_env.evaluation import evaluate
from klondike_env.rules import parse_rules
from klondike_env.suites import SUITE_NUMBERS, FixedGame, Suite

Report = Callable[[int, dict[str, float]], None]
"""Called after each rollout with the steps so far and what is known of the run."""


_CRITIC_PARTS = ("mlp_extractor.critic", "value_net", "player_value")
"""Beginnings of the names of weights that a run can learn anew."""


@dataclass(frozen=True, slots=True)
class TrainingOutcome:
    """What ``train`` returns.

    Attributes:
        steps: Steps of the run, this call's and earlier ones'.
        steps_now: Steps of this call; 0 if the run was finished before.
        evaluations: All evaluations, as they stand in the run's file.
    """

    steps: int
    steps_now: int
    evaluations: list[dict[str, Any]]


def train(config: TrainingConfig, out: str | Path, report: Report | None = None) -> TrainingOutcome:
    """Train, or go on with a run that was stopped.

    Args:
        config: The settings.
        out: The run's folder. If it holds a run with these settings, that run goes on from its newest checkpoint.
        report: Called after each rollout.

    Returns:
        What came of it.

    Raises:
        OptionError: The folder holds something else, or cannot be written or read.
    """
    folder = RunFolder(out)
    if not folder.checkpoints:
        _check_sources(config)
    folder.begin(config)
    run = _Run(config, folder)
    steps_before = run.resume()
    if steps_before < config.all_steps:
        run.go_on(report)
    return TrainingOutcome(run.model.num_timesteps, run.model.num_timesteps - steps_before, run.evaluations)


def _check_sources(config: TrainingConfig) -> None:
    """Refuse to begin a run whose beginning is not there, before anything is written."""
    for name in ("start_from", "imitation_data"):
        path = getattr(config, name)
        if path and not Path(path).exists():
            raise OptionError(f"{name} is {path!r}, and there is no such file or folder")


def make_model(config: TrainingConfig) -> ImitatingPPO:
    """Return an untrained model with its env; torch is set to one thread, on which networks this small are fastest."""
    torch.set_num_threads(1)
    env: KlondikeVecEnv
    policy: Any
    if config.network == "cards":
        env = CardMoveVecEnv(config)
        policy = CardPolicy
        policy_arguments: dict[str, Any] = {
            "channels": config.channels,
            "layers": config.layers,
            "bfloat16": config.bfloat16,
            "full_critic": config.critic == "full",
        }
    else:
        env = KlondikeVecEnv(
            config.rows, max_episode_steps=config.step_limit, rules=config.rules, reward=config.reward, threads=1
        )
        policy = "MlpPolicy"
        policy_arguments = {"net_arch": [8 * config.channels] * (config.layers + 1)}
    model = ImitatingPPO(
        policy,
        env,
        learning_rate=lambda left: config.rate_after(round((1 - left) * config.all_steps)),
        n_steps=config.rollout_steps,
        batch_size=config.batch,
        n_epochs=config.epochs,
        gamma=config.gamma,
        gae_lambda=config.gae_lambda,
        clip_range=config.clip_range,
        ent_coef=config.entropy_weight,
        vf_coef=config.value_weight,
        max_grad_norm=config.max_gradient,
        seed=config.seed,
        device="cpu",
        policy_kwargs=policy_arguments,
    )
    model.imitation_steps = config.imitated_steps
    model.imitation_epochs = config.imitation_epochs
    model.judging_steps = config.taught_steps - config.imitated_steps
    model.judging_epochs = config.judging_epochs
    model.judging_unit = config.judging_unit
    return model


class _Run:
    """A run being trained."""

    def __init__(self, config: TrainingConfig, folder: RunFolder) -> None:
        self.config = config
        self.folder = folder
        self.model = make_model(config)
        self.evaluations: list[dict[str, Any]] = []
        self.seconds_before = -time.perf_counter()
        self.curves: CurveWriter

    @property
    def env(self) -> CardMoveVecEnv | None:
        """The env, if decisions are card moves."""
        env = self.model.get_env()
        return env if isinstance(env, CardMoveVecEnv) else None

    def resume(self) -> int:
        """Go back to the newest checkpoint, if there is one, and return its steps."""
        checkpoints = self.folder.checkpoints
        if checkpoints:
            self._restore(*read_arrays(checkpoints[-1]))
        elif self.config.start_from:
            self._start_from(Path(self.config.start_from))
        if not checkpoints and self.config.imitation_data:
            decisions = read_decisions(self.config.imitation_data, self.config.may_repeat, self.config.opinion_depth)
            self.model.learn_decisions(decisions, self.config.data_epochs, self.config.imitation_rate)
            self.save()
        # What was evaluated after the checkpoint will be evaluated again.
        evaluations = self.folder.read_evaluations()
        self.evaluations = [line for line in evaluations if line["steps"] <= self.model.num_timesteps]
        return self.model.num_timesteps

    def _start_from(self, path: Path) -> None:
        """Begin with the network of another run."""
        newest = RunFolder(path).checkpoints[-1:] if path.is_dir() else [path]
        if not newest:
            raise OptionError(f"start_from: {path} holds no checkpoint")
        arrays, _ = read_arrays(newest[0])
        self._load_network(arrays, str(path), whole=False)

    def _load_network(self, arrays: Arrays, where: str, *, whole: bool = True) -> None:
        """Set the network's weights; unless ``whole``, what judges positions may be missing."""
        prefix = "network."
        weights = {
            name.removeprefix(prefix): torch.from_numpy(np.array(array))
            for name, array in arrays.items()
            if name.startswith(prefix)
        }
        try:
            missing, _ = self.model.policy.load_state_dict(weights, strict=whole)
        except RuntimeError as error:
            raise OptionError(f"the weights in {where} are of another network: {error}") from error
        needed = [name for name in missing if not name.startswith(_CRITIC_PARTS)]
        if needed:
            raise OptionError(f"the weights in {where} are of another network: {', '.join(needed)} missing")

    def go_on(self, report: Report | None) -> None:
        """Train to the end."""
        steps = self.model.num_timesteps
        self.curves = writer = CurveWriter(self.folder.path / CURVES_FOLDER, steps)
        self.model.set_logger(Logger(None, [writer]))
        try:
            self.model.learn(
                self.config.all_steps - steps,
                callback=_RunCallback(self, report),
                reset_num_timesteps=False,
                use_masking=self.config.masks,
            )
        finally:
            writer.close()

    def player(self) -> Any:
        """Return the player that the network is now."""
        return PpoPolicy.from_arrays(self.network_arrays(), self.notes())

    def network_arrays(self) -> Arrays:
        """Return the network in the form that players load."""
        policy: Any = self.model.policy
        if isinstance(policy, CardPolicy):
            return policy.dense_arrays()
        return {name: tensor.detach().numpy() for name, tensor in policy.state_dict().items()}

    def notes(self) -> dict[str, Any]:
        """Return what is written beside the network."""
        return {
            "network": self.config.network,
            "rules": self.config.rules,
            "may_repeat": self.config.may_repeat,
            "opinion_depth": self.config.opinion_depth,
            "steps": self.model.num_timesteps,
        }

    def evaluate(self) -> dict[str, Any]:
        """Play games of the dev suite as the network is now, note what came of it, and keep the best."""
        rules = parse_rules(self.config.rules)
        numbers = SUITE_NUMBERS["dev"][: self.config.evaluation_games]
        suite = Suite(f"{rules.name}-dev", tuple(FixedGame(number, rules) for number in numbers))
        result = evaluate(self.player(), suite, step_limit=self.config.step_limit)
        line = {
            "steps": self.model.num_timesteps,
            "games": result.summary.games,
            "wins": result.summary.wins,
            "mean_return": round(result.summary.mean_paid, 3),
            "seconds": round(self.seconds_before + time.perf_counter(), 1),
        }
        best = max((line["wins"] for line in self.evaluations), default=-1)
        self.evaluations.append(line)
        self.folder.write_evaluations(self.evaluations)
        if line["wins"] > best:
            self.save_network(BEST_FILE)
        return line

    def save_network(self, name: str) -> None:
        """Write the network as players load it."""
        write_arrays(self.folder.path / name, self.network_arrays(), self.notes())

    def save(self) -> None:
        """Write a checkpoint and the network."""
        arrays: Arrays = {f"network.{name}": t.detach().numpy() for name, t in self.model.policy.state_dict().items()}
        optimizer = self.model.policy.optimizer.state_dict()
        for number, moments in optimizer["state"].items():
            arrays |= {f"optimizer.{number}.{name}": tensor.numpy() for name, tensor in moments.items()}
        kind, keys, *rest = np.random.get_state()
        arrays["random.numpy"] = np.asarray(keys)
        arrays["random.torch"] = torch.get_rng_state().numpy()
        notes = {
            **self.notes(),
            "updates": self.model._n_updates,
            "seconds": self.seconds_before + time.perf_counter(),
            "numpy": [kind, *rest],
        }
        env = self.env
        if env is not None and self.model._last_obs is not None:
            arrays |= {f"env.{name}": array for name, array in env.state_arrays().items()}
            arrays["episode_starts"] = np.asarray(self.model._last_episode_starts)
            notes["generators"] = env.generator_states()
            notes["games"], notes["wins"], notes["judge"] = env.games, env.wins, env.judge.seed
        self.folder.write_checkpoint(self.model.num_timesteps, arrays, notes, self.config.kept_checkpoints)
        self.save_network(LAST_FILE)

    def _restore(self, arrays: Arrays, notes: dict[str, Any]) -> None:
        """Bring back what ``save`` wrote."""
        model = self.model
        self._load_network(arrays, "the checkpoint")
        state = model.policy.optimizer.state_dict()
        state["state"] = {}
        for name, array in arrays.items():
            if name.startswith("optimizer."):
                _, number, moment = name.split(".")
                state["state"].setdefault(int(number), {})[moment] = torch.from_numpy(np.array(array))
        model.policy.optimizer.load_state_dict(state)
        model.num_timesteps = notes["steps"]
        model._n_updates = notes["updates"]
        self.seconds_before = notes["seconds"] - time.perf_counter()
        env = self.env
        if env is not None and "generators" in notes:
            own = {name.removeprefix("env."): array for name, array in arrays.items() if name.startswith("env.")}
            model._last_obs = env.restore(own, notes["generators"])
            model._last_episode_starts = np.array(arrays["episode_starts"])
            env.games, env.wins, env.judge.seed = notes["games"], notes["wins"], notes["judge"]
        kind, *rest = notes["numpy"]
        np.random.set_state((kind, arrays["random.numpy"], *rest))
        torch.set_rng_state(torch.from_numpy(np.array(arrays["random.torch"])))


class _RunCallback(BaseCallback):
    """Saves, evaluates and reports at the start of each rollout, where a run can be taken up again exactly."""

    def __init__(self, run: _Run, report: Report | None) -> None:
        super().__init__()
        self._run = run
        self._report = report
        self._known: dict[str, float] = {}
        self._games = self._wins = 0
        self._last_steps = -1

    def _on_training_start(self) -> None:
        self._last_steps = self.num_timesteps

    def _on_rollout_start(self) -> None:
        steps = self.model.num_timesteps
        self._between(steps)
        model: Any = self.model
        for collected in (model.labels, model.judged, model.worths):
            collected.clear()
        env = self._run.env
        if env is not None:
            config = self._run.config
            judges = config.imitated_steps <= steps < config.taught_steps
            env.teaches = steps < config.taught_steps
            env.logits = (lambda: model.policy.last_logits) if judges else None
            model.policy.sharpness = config.judging_sharpness if judges else 1.0
            if config.judging_steps and steps == config.taught_steps:
                # PPO begins here, and it is to go on as the learner played.
                model.policy.sharpen(config.judging_sharpness)
            self._games, self._wins = env.games, env.wins

    def _between(self, steps: int) -> None:
        """Do what is due between an update and the next rollout."""
        config = self._run.config
        if steps > self._last_steps:
            # What the update told belongs to its step, and a checkpoint has all up to it on disk.
            self.logger.dump(steps)
            if self._is_due(steps, config.evaluation_interval):
                line = self._run.evaluate()
                self._known["won of dev"] = line["wins"] / line["games"]
                curve = {"win_rate": self._known["won of dev"], "mean_return": line["mean_return"]}
                self._run.curves.write({f"evaluation/{name}": value for name, value in curve.items()}, {}, steps)
            if self._is_due(steps, config.checkpoint_interval):
                self._run.save()
        self._last_steps = steps
        if self._report is not None:
            self._report(steps, self._known)

    def _is_due(self, steps: int, interval: int) -> bool:
        """Return whether a multiple of the interval lies between the last rollout and this one, or all is done."""
        return steps // interval > self._last_steps // interval or steps >= self._run.config.all_steps

    def _on_step(self) -> bool:
        env = self._run.env
        if env is not None and env.teaches:
            model: Any = self.model
            model.labels.append(env.labels.copy())
            if env.logits is not None:
                model.judged.append(env.judge.judged.copy())
                model.worths.append(env.judge.worths.copy())
        return True

    def _on_rollout_end(self) -> None:
        env = self._run.env
        if env is not None and env.games > self._games:
            self._known["won in training"] = (env.wins - self._wins) / (env.games - self._games)
            self.logger.record("rollout/win_rate", self._known["won in training"])
            self.logger.record("rollout/steps_per_game", self._run.config.rollout / (env.games - self._games))

    def _on_training_end(self) -> None:
        self._between(self.model.num_timesteps)
