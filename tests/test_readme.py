"""README is true: its tables are the code's, and every code block runs."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from readme_tables import README, filled

ROOT = README.parent
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", README.read_text(), re.MULTILINE | re.DOTALL)
PYTHON = [code for language, code in BLOCKS if language == "python"]
BASH = [code for language, code in BLOCKS if language == "bash"]
SET_UP = [code for code in BASH if code.startswith("pip install")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that README's blocks name in their first line."""
    folder = tmp_path_factory.mktemp("readme")
    for code in PYTHON:
        if name := re.match(r"# (\w+\.py)\n", code):
            (folder / name[1]).write_text(code)
    return folder


def run(command: list[str], folder: Path) -> str:
    """Run a command with this environment's programs first and return what it prints."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    result = subprocess.run(
        command, cwd=folder, env={**os.environ, "PATH": path}, capture_output=True, text=True, timeout=600
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def test_tables_are_those_of_the_code() -> None:
    assert filled(README.read_text()) == README.read_text(), "run python tests/readme_tables.py"


@pytest.mark.parametrize("code", PYTHON)
def test_python_block_runs(code: str, folder: Path) -> None:
    assert code.strip()
    run([sys.executable, "-W", "error", "-c", code], folder)


@pytest.mark.parametrize("code", [code for code in BASH if code not in SET_UP])
def test_bash_block_runs(code: str, folder: Path) -> None:
    output = run(["bash", "-ec", code], folder)
    following = BLOCKS[BLOCKS.index(("bash", code)) + 1 :]
    if following and following[0][0] == "text":
        assert output.startswith(following[0][1])


def test_there_are_two_set_up_commands() -> None:
    assert len(SET_UP) == 2
    assert "klondike evaluate greedy --suite D3N-test" in SET_UP[0]
    # This is the command that runs these tests in CI, so running it here would not end.
    assert SET_UP[1].endswith("&& pytest\n")


@pytest.mark.slow
def test_first_set_up_command_works_in_a_fresh_environment(tmp_path: Path) -> None:
    """The main job from nothing: a new environment, a copy of the project without built files, no torch."""
    files = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    for name in files:
        target = tmp_path / "project" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, target)
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    path = f"{tmp_path / 'venv' / 'bin'}{os.pathsep}{os.environ['PATH']}"
    clean = {name: value for name, value in os.environ.items() if name not in ("NUMBA_CACHE_DIR", "VIRTUAL_ENV")}
    result = subprocess.run(
        ["bash", "-ec", SET_UP[0]],
        cwd=tmp_path / "project",
        env={**clean, "PATH": path},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert "compiling for this machine" in result.stderr
    assert re.search(r"greedy +D3N-test +1000 ", result.stdout), result.stdout
    packages = subprocess.run(
        [tmp_path / "venv" / "bin" / "pip", "list"], capture_output=True, text=True, check=True
    ).stdout
    assert "torch" not in packages
