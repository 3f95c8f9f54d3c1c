"""What imports what: rules and engine are free of Gymnasium, learners and drawing; and plain Python plays alike."""

import ast
import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

import klondike_env

PACKAGE = Path(klondike_env.__file__).parent
ROOT = PACKAGE.parent
OUTSIDE = {"gymnasium", "torch", "pygame", "rich", "typer", "stable_baselines3", "sb3_contrib", "klondike_agents"}
# Design section 10: the order in which modules may import each other, lowest first.
RULES_LEVEL = ["errors", "cards", "layout", "rules", "codes", "compiled", "numberings", "formats", "deals", "actions"]
RULES_LEVEL += ["engine/__init__", "engine/state", "engine/moves", "engine/single", "position", "board_text"]
RULES_LEVEL += ["illegal_reasons", "notation", "planes", "wide_stores", "observation", "view", "game"]
ENV_LEVEL = {
    "env",
    "vector_env",
    "registration",
    "stepping",
    "episode_options",
    "solver",
    "evaluation",
    "rendering",
    "cli",
}


def source_files() -> list[Path]:
    """Return all Python files of the project."""
    folders = ("klondike_env", "agents", "examples", "benchmarks", "tests")
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]


def imported_modules(path: Path) -> set[str]:
    """Return the full names of the modules that a file imports, at its top or inside functions."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            names |= {str(node.module)}
    return names


@pytest.mark.parametrize("module", RULES_LEVEL)
def test_rules_and_engine_import_no_env_no_learner_no_drawing(module: str) -> None:
    for name in imported_modules(PACKAGE / f"{module}.py"):
        first, _, rest = name.partition(".")
        assert first not in OUTSIDE, f"{module} imports {name}"
        assert name != "klondike_env", f"{module} imports the package, and so Gymnasium"
        if first == "klondike_env":
            assert rest.partition(".")[0] not in ENV_LEVEL, f"{module} imports {name}"


def test_engine_and_rules_are_below_game_and_view() -> None:
    above = {"game", "view", "position", "notation", "observation", "board_text", "illegal_reasons"}
    lower = RULES_LEVEL[: RULES_LEVEL.index("position")]
    for module in lower:
        for name in imported_modules(PACKAGE / f"{module}.py"):
            assert name.removeprefix("klondike_env.") not in above, f"{module} imports {name}"


def test_no_file_is_longer_than_500_lines() -> None:
    lengths = {path.relative_to(ROOT).as_posix(): len(path.read_text().splitlines()) for path in source_files()}
    assert len(lengths) > 40
    assert {path: length for path, length in lengths.items() if length > 500} == {}


def run_python(code: str, **environment: str) -> str:
    """Run code in a fresh process and return what it prints."""
    result = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, **environment},
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_a_game_loads_no_learner_and_no_drawing() -> None:
    code = "import sys, klondike_env.game; print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    loaded = set(run_python(code).split())
    assert {"klondike_env", "numpy", "numba"} <= loaded
    assert not loaded & {"torch", "pygame", "rich", "typer", "stable_baselines3", "sb3_contrib", "klondike_agents"}


def play_a_short_game() -> str:
    """Play some games and return a digest of everything that compiled code says on the way."""
    import numpy as np

    from klondike_env import RULE_SETS, Game
    from klondike_env.env import KlondikeEnv

    digest = hashlib.sha256()
    for rules in RULE_SETS:
        rng = np.random.default_rng(7)
        env = KlondikeEnv(rules, information="full")
        observation, info = env.reset(options={"number": 6})
        for _ in range(25):
            digest.update(observation.tobytes() + info["action_mask"].tobytes())
            digest.update(env.game.notation.encode() + repr(env.game.view().columns.tolist()).encode())
            action = int(rng.choice(np.flatnonzero(info["action_mask"])))
            observation, reward, terminated, truncated, info = env.step(action)
            digest.update(repr((action, reward, terminated, truncated, info["score"])).encode())
            if terminated:
                break
        game = Game.from_notation(env.game.view().sample(np.random.default_rng(1)).notation)
        undone = env.game.copy()
        while undone.undo_count:
            undone.undo()
        digest.update(f"{game.notation} {game.is_lost} {game.validate()} {undone.notation}".encode())
    return digest.hexdigest()


def test_plain_python_plays_like_compiled_code() -> None:
    code = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); import test_imports as t"
    code += "; from klondike_env.compiled import JIT_DISABLED; print(JIT_DISABLED, t.play_a_short_game())"
    assert run_python(code, NUMBA_DISABLE_JIT="1", PYTHONWARNINGS="error::RuntimeWarning").split() == [
        "True",
        play_a_short_game(),
    ]
