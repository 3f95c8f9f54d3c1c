"""Curves of a run for TensorBoard."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from stable_baselines3.common.logger import KVWriter


class CurveWriter(KVWriter):
    """Writes TensorBoard files; what a stopped run wrote after its checkpoint is marked as overwritten."""

    def __init__(self, folder: Path, steps: int) -> None:
        from torch.utils.tensorboard import SummaryWriter

        # What was written at the checkpoint's own step stands.
        self._writer: Any = SummaryWriter(str(folder), purge_step=steps + 1)

    def write(self, key_values: dict[str, Any], key_excluded: dict[str, tuple[str, ...]], step: int = 0) -> None:
        """Write the numbers of one moment."""
        for key, value in key_values.items():
            if isinstance(value, int | float | np.number) and not isinstance(value, bool):
                self._writer.add_scalar(key, float(value), step)
        self._writer.flush()

    def close(self) -> None:
        """Close the files."""
        self._writer.close()
