"""Compiling: announced once, renewed when any source changes, and possible without a cache."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numba
import pytest

import klondike_env
from klondike_env.compiled import compiled

SHOW = "from klondike_env import Game; print(Game.from_number(6).legal_actions())"


def run_show(package_folder: Path, cache: Path) -> subprocess.CompletedProcess[str]:
    """Start a game in a new process with the package of a folder and a cache folder."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache), "PYTHONPATH": str(package_folder)}
    return subprocess.run(
        [sys.executable, "-c", SHOW],
        cwd=package_folder,  # Python looks in the current folder first.
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )


def test_compiling_is_announced_once_and_renewed_when_a_callee_changes(tmp_path: Path) -> None:
    source = Path(klondike_env.__file__).parent
    package = tmp_path / "klondike_env"
    shutil.copytree(source, package, ignore=shutil.ignore_patterns("__pycache__"))
    cache = tmp_path / "cache"
    first = run_show(tmp_path, cache)
    assert first.stdout == "[0, 11, 67, 68]\n"
    assert first.stderr.count("compiling for this machine") == 1
    assert run_show(tmp_path, cache).stderr == ""
    # Starting a game calls kernels in engine/single.py, which call those of this other file.
    with (package / "engine" / "moves.py").open("a") as moves:
        moves.write("\n\n@compiled\ndef stock_action_is_legal(state):\n    return False\n")
    assert run_show(tmp_path, cache).stdout == "[11, 67, 68]\n"


def test_functions_compile_where_no_cache_can_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    njit = numba.njit

    def without_cache(*arguments: Any, **options: Any) -> Any:
        if options.get("cache"):
            raise RuntimeError("cannot cache function: no locator available")
        return njit(*arguments, **options)

    monkeypatch.setattr(numba, "njit", without_cache)

    def add_one(number: int) -> int:
        return number + 1

    assert compiled(add_one)(2) == 3
