"""The folder of a training run: what it holds, written so that no stop leaves half a file.

config.json                    the settings
checkpoints/000012345678.safetensors   everything needed to go on after so many steps; the newest few are kept
best.safetensors               the network with the most wins in an evaluation so far
last.safetensors               the network as it was last saved
evaluations.jsonl              a line an evaluation
tensorboard/                   curves
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from klondike_agents.training.config import TrainingConfig, read_config
from klondike_env.errors import OptionError

Arrays = dict[str, npt.NDArray[Any]]

CONFIG_FILE: Final = "config.json"
BEST_FILE: Final = "best.safetensors"
LAST_FILE: Final = "last.safetensors"
EVALUATIONS_FILE: Final = "evaluations.jsonl"
CURVES_FOLDER: Final = "tensorboard"
_CHECKPOINTS_FOLDER: Final = "checkpoints"
_SUFFIX: Final = ".safetensors"
_UNFINISHED: Final = ".part"


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that it is there whole or, after any stop, as it was before."""
    part = path.with_name(path.name + _UNFINISHED)
    with open(part, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(part, path)
    if hasattr(os, "O_DIRECTORY"):
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def write_arrays(path: Path, arrays: Arrays, notes: dict[str, Any]) -> None:
    """Write arrays by name, and notes that JSON can hold, as one safetensors file."""
    from safetensors.numpy import save

    plain = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    write_whole(path, save(plain, {"notes": json.dumps(notes)}))


def read_arrays(path: Path) -> tuple[Arrays, dict[str, Any]]:
    """Read what ``write_arrays`` wrote; no code in the file is ever run.

    Raises:
        OptionError: The file cannot be read or is something else.
    """
    try:
        from safetensors import SafetensorError, safe_open
    except ImportError as error:
        raise OptionError("trained weights need safetensors: pip install safetensors") from error
    if not path.is_file():
        raise OptionError(f"cannot read {path}: there is no such file")
    try:
        with safe_open(path, "numpy") as file:
            notes = json.loads((file.metadata() or {}).get("notes", "{}"))
            return {name: file.get_tensor(name) for name in file.keys()}, notes  # noqa: SIM118  # it is no dict
    except (SafetensorError, OSError, ValueError) as error:
        raise OptionError(f"{path} is no whole safetensors file of this package: {error}") from error


class RunFolder:
    """A run's folder.

    Attributes:
        path: The folder.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    @property
    def checkpoints(self) -> list[Path]:
        """The checkpoints, oldest first."""
        return sorted((self.path / _CHECKPOINTS_FOLDER).glob(f"*{_SUFFIX}"))

    def begin(self, config: TrainingConfig) -> None:
        """Make the folder and write the settings, or check that it is a run with the same ones.

        Raises:
            OptionError: The folder holds a run with other settings, something else, or cannot be written.
        """
        path = self.path / CONFIG_FILE
        try:
            if path.exists():
                differences = read_config(path).differences(config)
                if differences:
                    raise OptionError(
                        f"{self.path} holds a run with other settings; give another --out, or --resume alone to go on"
                        f" with the run there. Setting: there, here: {'; '.join(differences)}"
                    )
            elif self.path.exists() and any(self.path.iterdir()):
                raise OptionError(f"{self.path} is not empty and holds no run; give another folder")
            (self.path / _CHECKPOINTS_FOLDER).mkdir(parents=True, exist_ok=True)
            for part in (*self.path.glob(f"*{_UNFINISHED}"), *self.path.glob(f"*/*{_UNFINISHED}")):
                part.unlink()
            if not path.exists():
                write_whole(path, config.to_text().encode())
        except OSError as error:
            raise OptionError(f"cannot write a run to {self.path}: {error.strerror}") from error

    def write_checkpoint(self, steps: int, arrays: Arrays, notes: dict[str, Any], kept: int) -> None:
        """Write a checkpoint, then remove the oldest beyond ``kept``."""
        write_arrays(self.path / _CHECKPOINTS_FOLDER / f"{steps:012d}{_SUFFIX}", arrays, notes)
        for old in self.checkpoints[:-kept]:
            old.unlink()

    def read_evaluations(self) -> list[dict[str, Any]]:
        """Return the evaluations so far; a half last line is left out."""
        path = self.path / EVALUATIONS_FILE
        if not path.exists():
            return []
        lines = path.read_bytes().split(b"\n")[:-1]
        try:
            return [json.loads(line) for line in lines]
        except ValueError as error:
            raise OptionError(f"{path} holds a line that is no JSON: {error}") from error

    def write_evaluations(self, evaluations: list[dict[str, Any]]) -> None:
        """Write all evaluations so far."""
        text = "".join(json.dumps(evaluation) + "\n" for evaluation in evaluations)
        write_whole(self.path / EVALUATIONS_FILE, text.encode())
