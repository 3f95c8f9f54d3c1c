"""Registration with Gymnasium, and rendering as text."""

import subprocess
import sys
import warnings

import gymnasium as gym
import pytest

import klondike_env
from klondike_env import Deal
from klondike_env.env import KlondikeEnv
from klondike_env.registration import ENV_ID, register_envs

DECK = str(Deal.from_number(6))


# Rendering


def test_ansi_rendering_is_the_board_as_text() -> None:
    env = gym.make(ENV_ID, render_mode="ansi")
    env.reset(options={"number": 6})
    text = env.render()
    assert isinstance(text, str)
    assert text == f"{env.unwrapped.game}\n"
    assert text.startswith("KL1-D1N-AAAAAAG   score 0   pass 1\nstock 24   waste -- (0)")
    shown = {name for name in DECK.split() if name in text.split()}
    assert len(shown) == 7
    env.step(0)
    assert env.render() != text


def test_rendering_without_a_mode_warns() -> None:
    env = KlondikeEnv()
    env.reset(seed=0)
    with pytest.warns(UserWarning, match="render was called on an env without render mode"):
        assert env.render() is None
    env.close()
    env.close()


# Registration


def run_python(code: str) -> subprocess.CompletedProcess[str]:
    """Run code in a fresh process."""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)


def test_a_bare_id_needs_the_import_and_a_prefixed_one_does_not() -> None:
    bare = run_python("import gymnasium as gym; gym.make('Klondike-v0')")
    assert bare.returncode != 0
    assert "NameNotFound" in bare.stderr
    code = "import gymnasium as gym; env = gym.make('klondike_env:Klondike-v0', rules='D3N'); print(env.reset(), env)"
    prefixed = run_python(code)
    assert prefixed.returncode == 0, prefixed.stderr
    assert "KlondikeEnv" in prefixed.stdout


def test_registering_twice_is_silent_and_changes_nothing() -> None:
    spec = gym.spec(ENV_ID)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        register_envs()
    assert gym.spec(ENV_ID) is spec
    assert (spec.max_episode_steps, spec.nondeterministic) == (500, False)
    assert spec.entry_point == "klondike_env.env:KlondikeEnv"
    gym.register_envs(klondike_env)


def test_an_argument_that_does_not_exist_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="redeals"):
        gym.make(ENV_ID, redeals=3)
