"""All settings of a training run, in one dataclass that is saved with the run."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from klondike_agents.greedy_kernel import MAX_DEPTH
from klondike_env.errors import OptionError
from klondike_env.registration import STEP_LIMIT
from klondike_env.rules import parse_rules

NETWORKS: Final = ("cards", "plain")
CRITICS: Final = ("player", "full")
TRAINING_REWARDS: Final = ("shaped", "win", "score")
_FROM_0_TO_1: Final = ("gamma", "gae_lambda", "turned_up_worth", "founded_worth")
_POSITIVE: Final = (
    *("learning_rate", "imitation_rate", "judging_rate", "clip_range", "max_gradient", "score_unit"),
    *("judging_margin", "judging_unit", "judging_sharpness"),
)
_NOT_NEGATIVE: Final = ("final_learning_rate", "entropy_weight", "value_weight", "judging_trust")
_MAY_BE_ZERO: Final = ("seed", "imitation_steps", "judging_steps", "layers", "opinion_depth")


@dataclass(frozen=True, slots=True)
class TrainingConfig:
    """Settings of a training run. Steps are decisions: what needs none, such as turning to a chosen card, is no step.

    Attributes:
        rules: Rule set that is trained on, as ``parse_rules`` reads it.
        steps: Steps of all rows together; rounded up to whole rollouts.
        seed: Seed of games, initial weights and sampling.
        step_limit: Actions, not steps, after which a game is over.
        network: ``"cards"`` (weights shared among the suits, card moves to choose from) or ``"plain"`` (the planes of
            the observation, the 86 actions).
        channels: Width of the network: 8 times so many units a layer.
        layers: Hidden layers after the first.
        bfloat16: Whether hidden layers are computed in bfloat16, which processors with AVX-512 BF16 do faster.
        critic: Who judges positions in training: ``"player"`` sees what the player sees, ``"full"`` hidden cards too.
            That takes luck out of what a move is credited with; the player never sees them.
        opinion_depth: How many moves ahead the greedy agent looks for its opinion of each move, which is part of what
            the network sees (``"cards"`` only); 0 for no opinions.
        may_repeat: Whether moves to a position decided in before in the same game are offered (``"cards"`` only).
        masks: Whether illegal actions are masked in training; False is for comparison.
        rows: Games that are played at once.
        rollout_steps: Steps of each row between updates.
        batch: Steps a gradient is taken over.
        epochs: How often each rollout is learned from.
        learning_rate: Of PPO, at its start; it falls in a straight line.
        final_learning_rate: Of PPO, at its end.
        gamma: Discount a step.
        gae_lambda: Of generalised advantage estimation.
        clip_range: Of PPO.
        entropy_weight: Weight of the entropy bonus.
        value_weight: Weight of the value loss.
        max_gradient: Norm that gradients are clipped to.
        reward: ``"shaped"`` (1 for a win, and differences of a potential, which leave the best policy as it is),
            ``"win"`` or ``"score"``.
        turned_up_worth: Potential of all face-down cards turned up.
        founded_worth: Potential of all cards on the foundations.
        score_unit: Points that count as 1 under ``"score"``.
        imitation_steps: So many first steps learn from a teacher instead of PPO, in positions that the learner meets.
        imitation_rate: Learning rate meanwhile, at its start; it falls to a tenth.
        imitation_epochs: How often each rollout is learned from meanwhile.
        teacher_depth: How many moves the greedy teacher thinks ahead, in imitation and judging.
        judging_steps: So many steps after that learn from what moves are worth in sampled games (``judging``).
        judging_rate: Learning rate meanwhile, at its start; it falls to a twentieth.
        judging_epochs: How often each rollout is learned from meanwhile.
        judging_samples: Samples of the hidden cards in which the moves of a decision are judged.
        judging_margin: Moves are judged whose logit is less than this below the best one's.
        judging_unit: A difference in worth that is to make a move e times as likely.
        judging_trust: What the teacher's choice counts more than it is worth in the samples.
        judging_sharpness: What logits are multiplied by to draw the moves that are played; for good once PPO begins.
        imitation_data: Folder of recorded decisions (``klondike_agents.training.recorded``) to learn from before all
            else; empty for none.
        data_epochs: How often they are learned from.
        start_from: Weights to begin with (a run's folder or a safetensors file); empty for random ones.
        checkpoint_interval: Steps between checkpoints.
        kept_checkpoints: How many of the newest are kept, besides the best.
        evaluation_interval: Steps between evaluations.
        evaluation_games: Games of the ``dev`` suite that are played then.
    """

    rules: str = "D1N"
    steps: int = 6_000_000
    seed: int = 0
    step_limit: int = STEP_LIMIT
    network: str = "cards"
    channels: int = 64
    layers: int = 3
    bfloat16: bool = False
    critic: str = "player"
    opinion_depth: int = 3
    may_repeat: bool = False
    masks: bool = True
    rows: int = 512
    rollout_steps: int = 64
    batch: int = 2048
    epochs: int = 2
    learning_rate: float = 5e-5
    final_learning_rate: float = 1e-5
    gamma: float = 1.0
    gae_lambda: float = 0.95
    clip_range: float = 0.1
    entropy_weight: float = 0.0
    value_weight: float = 0.5
    max_gradient: float = 5.0
    reward: str = "shaped"
    turned_up_worth: float = 0.3
    founded_worth: float = 0.2
    score_unit: float = 100.0
    imitation_steps: int = 300_000
    imitation_rate: float = 1.5e-3
    imitation_epochs: int = 2
    teacher_depth: int = 2
    judging_steps: int = 4_000_000
    judging_rate: float = 1e-3
    judging_epochs: int = 2
    judging_samples: int = 4
    judging_margin: float = 4.0
    judging_unit: float = 0.01
    judging_trust: float = 0.02
    judging_sharpness: float = 3.0
    imitation_data: str = ""
    data_epochs: int = 4
    start_from: str = ""
    checkpoint_interval: int = 100_000
    kept_checkpoints: int = 3
    evaluation_interval: int = 250_000
    evaluation_games: int = 250

    def __post_init__(self) -> None:
        """Refuse what cannot be trained.

        Raises:
            OptionError: A setting has a value that it cannot take; the message says what is allowed.
            RulesError: No such rules.
        """
        for field in dataclasses.fields(self):
            _check_value(field.name, getattr(self, field.name), type(field.default))
        parse_rules(self.rules)
        _check_choice("network", self.network, NETWORKS)
        _check_choice("critic", self.critic, CRITICS)
        _check_choice("reward", self.reward, TRAINING_REWARDS)
        if self.rows * self.rollout_steps < 2:
            raise OptionError("rows * rollout_steps is 1; an update needs at least 2 steps")
        if self.batch > self.rollout:
            raise OptionError(
                f"batch is {self.batch}, more than the {self.rollout} steps of a rollout ({self.rows} rows *"
                f" {self.rollout_steps} rollout_steps)"
            )
        if self.batch < 2 or self.rollout % self.batch == 1:
            raise OptionError(
                f"batch is {self.batch}; a gradient needs at least 2 steps, and the last batch of the {self.rollout}"
                " steps of a rollout would have fewer"
            )
        if self.seed >= 2**32:
            raise OptionError(f"seed is {self.seed}; it must be from 0 to {2**32 - 1}")
        if self.network == "plain" and (
            self.taught_steps or self.imitation_data or self.reward == "shaped" or self.critic == "full"
        ):
            raise OptionError(
                "the plain network learns without teacher, shaping and full critic: set imitation_steps and"
                ' judging_steps to 0, imitation_data to "", reward to "win" or "score" and critic to "player"'
            )
        if self.imitation_steps + self.judging_steps > self.steps:
            raise OptionError(
                f"imitation_steps is {self.imitation_steps} and judging_steps {self.judging_steps}, together more than"
                f" all {self.steps} steps"
            )
        if not 1 <= self.teacher_depth <= MAX_DEPTH:
            raise OptionError(f"teacher_depth is {self.teacher_depth}; it must be from 1 to {MAX_DEPTH}")
        if self.opinion_depth > MAX_DEPTH:
            raise OptionError(f"opinion_depth is {self.opinion_depth}; it must be from 0 to {MAX_DEPTH}")
        if self.evaluation_games > 1000:
            raise OptionError(f"evaluation_games is {self.evaluation_games}; the dev suite has 1000 games")

    @property
    def rollout(self) -> int:
        """Steps of all rows between two updates."""
        return self.rows * self.rollout_steps

    @property
    def all_steps(self) -> int:
        """``steps``, rounded up to whole rollouts."""
        return math.ceil(self.steps / self.rollout) * self.rollout

    @property
    def imitated_steps(self) -> int:
        """Steps after which imitation ends: ``imitation_steps``, rounded up to whole rollouts."""
        return math.ceil(self.imitation_steps / self.rollout) * self.rollout

    @property
    def taught_steps(self) -> int:
        """Steps after which PPO begins: ``judging_steps`` more, rounded up to whole rollouts."""
        return self.imitated_steps + math.ceil(self.judging_steps / self.rollout) * self.rollout

    def rate_after(self, steps: int) -> float:
        """Return the learning rate after so many steps."""
        if steps < self.imitated_steps:
            return self.imitation_rate * (1 - 0.9 * steps / self.imitated_steps)
        if steps < self.taught_steps:
            share = (steps - self.imitated_steps) / (self.taught_steps - self.imitated_steps)
            return self.judging_rate * (1 - 0.95 * share)
        share = (steps - self.taught_steps) / max(1, self.all_steps - self.taught_steps)
        return self.learning_rate + min(1.0, share) * (self.final_learning_rate - self.learning_rate)

    def to_text(self) -> str:
        """Write the settings as JSON, one a line."""
        return json.dumps(dataclasses.asdict(self), indent=2) + "\n"

    def differences(self, other: TrainingConfig) -> list[str]:
        """Return what differs in another run's settings, as ``"name: own, other's"``."""
        pairs = ((name, getattr(self, name), getattr(other, name)) for name in FIELDS)
        return [f"{name}: {own!r}, {others!r}" for name, own, others in pairs if own != others]


FIELDS: Final = tuple(field.name for field in dataclasses.fields(TrainingConfig))


def config_from_values(values: Mapping[str, Any], where: str) -> TrainingConfig:
    """Return settings from a mapping of some of them, the others as they are by default.

    Args:
        values: Settings by name.
        where: What they were read from, for messages.

    Raises:
        OptionError: No such setting, or a value that it cannot take.
        RulesError: No such rules.
    """
    for name in values:
        if name not in FIELDS:
            raise OptionError(f"{where}: {name!r} is no setting; settings are {', '.join(FIELDS)}")
    types = {field.name: type(field.default) for field in dataclasses.fields(TrainingConfig)}
    plain: dict[str, Any] = {
        name: float(value) if _is_whole(value, types[name]) else value for name, value in values.items()
    }
    return TrainingConfig(**plain)


def read_values(path: str | Path) -> dict[str, Any]:
    """Read the settings of a JSON file.

    Raises:
        OptionError: The file cannot be read or is no JSON object.
    """
    path = Path(path)
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise OptionError(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise OptionError(f"{path} is no JSON: {error}") from error
    if not isinstance(values, dict):
        raise OptionError(f"{path} is no JSON object of settings")
    return values


def read_config(path: str | Path) -> TrainingConfig:
    """Read the settings of a run from its ``config.json``.

    Raises:
        OptionError: The file cannot be read, or a setting is wrong.
    """
    return config_from_values(read_values(path), str(path))


def parse_count(text: str, name: str) -> int:
    """Read a whole number that may be written like ``20e6`` or ``1_000_000``.

    Raises:
        OptionError: It is no whole number of at least 1.
    """
    try:
        number = float(text.replace(",", "").replace("_", ""))
    except ValueError:
        number = math.nan
    if not (math.isfinite(number) and number == int(number) and 1 <= number <= 1e12):
        raise OptionError(f"{name} is {text!r}; it must be a whole number from 1 to 1e12, such as 20e6")
    return int(number)


def _is_whole(value: Any, wanted: type) -> bool:
    """Return whether a whole number stands where a fraction may."""
    return wanted is float and isinstance(value, int) and not isinstance(value, bool)


def _check_choice(name: str, value: str, allowed: tuple[str, ...]) -> None:
    """Refuse a word that is none of a few."""
    if value not in allowed:
        raise OptionError(f"{name} is {value!r}; it must be one of {', '.join(map(repr, allowed))}")


def _check_value(name: str, value: Any, wanted: Any) -> None:
    """Refuse a setting of the wrong type or range."""
    if type(value) is not wanted:
        kinds = {int: "a whole number", float: "a number", bool: "true or false", str: "a text"}
        raise OptionError(f"{name} is {value!r}; it must be {kinds[wanted]}")
    if wanted is int and value < (0 if name in _MAY_BE_ZERO else 1):
        raise OptionError(f"{name} is {value}; it must be at least {0 if name in _MAY_BE_ZERO else 1}")
    if wanted is float and not math.isfinite(value):
        raise OptionError(f"{name} is {value}; it must be finite")
    if name in _FROM_0_TO_1 and not 0 <= value <= 1:
        raise OptionError(f"{name} is {value}; it must be from 0 to 1")
    if name in _POSITIVE and value <= 0:
        raise OptionError(f"{name} is {value}; it must be more than 0")
    if name in _NOT_NEGATIVE and value < 0:
        raise OptionError(f"{name} is {value}; it must not be negative")
