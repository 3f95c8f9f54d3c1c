"""The examples run as they stand, with little to do."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
ARGUMENTS = {"maskable_ppo.py": ["2048"], "own_agent.py": []}
EXPECTED = {"maskable_ppo.py": "mean return", "own_agent.py": "of 104 games won"}


def test_every_example_is_tested() -> None:
    assert {path.name for path in EXAMPLES.glob("*.py")} == set(ARGUMENTS)


@pytest.mark.parametrize("name", ARGUMENTS)
def test_example_runs(name: str, tmp_path: Path) -> None:
    command = [sys.executable, str(EXAMPLES / name), *ARGUMENTS[name]]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stderr
    assert EXPECTED[name] in result.stdout
