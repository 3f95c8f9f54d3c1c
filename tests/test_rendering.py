"""Pictures and coloured text: what they show, what they do not, and how they get on with the ecosystem."""

import copy
import importlib.util
import io
import os
import pickle
import re
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cloudpickle
import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import HumanRendering, RecordVideo
from oracle.positions import CASE_DECKS

from klondike_env import Game, card_name
from klondike_env.env import KlondikeEnv
from klondike_env.errors import EpisodeError
from klondike_env.rendering.ansi import ansi_text, shows_colours, shows_symbols
from klondike_env.rendering.env_renderer import load_pygame

load_pygame()
import pygame  # noqa: E402  # after the loader, so that it does not greet

SHAPE = (540, 720, 3)


@pytest.fixture(autouse=True)
def no_screen(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let windows of these tests open nowhere."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    yield
    pygame.display.quit()


def differing(first: np.ndarray[Any, Any], second: np.ndarray[Any, Any]) -> float:
    """Return the share of pixels in which two pictures differ."""
    return float((first != second).any(axis=-1).mean())


@pytest.mark.parametrize("mode", [None, "rgb_array", "human", "ansi"])
@pytest.mark.filterwarnings("error")
def test_the_checker_passes_in_every_mode(mode: str | None) -> None:
    env = gym.make("Klondike-v0", render_mode=mode).unwrapped
    monkey = env.metadata | {"render_fps": 1000}
    env.metadata = monkey  # type: ignore[misc]  # so that the window is not waited for
    check_env(env, skip_render_check=mode == "human")


def test_pictures_are_new_arrays_of_one_size() -> None:
    env = gym.make("Klondike-v0", rules="D3N", render_mode="rgb_array")
    env.reset(seed=1)
    first = env.render()
    assert isinstance(first, np.ndarray)
    assert (first.shape, first.dtype) == (SHAPE, np.uint8)
    kept = first.copy()
    again = env.render()
    assert isinstance(again, np.ndarray)
    assert not np.shares_memory(first, again)
    assert (again == first).all()
    again[:] = 0
    env.step(0)
    after = env.render()
    assert isinstance(after, np.ndarray)
    assert after.shape == SHAPE
    assert differing(first, after) > 0.01
    assert (first == kept).all()


def test_pictures_need_neither_display_nor_setting() -> None:
    code = (
        "import gymnasium as gym, klondike_env;"
        "env = gym.make('Klondike-v0', render_mode='rgb_array'); env.reset(seed=1); print(env.render().shape);"
        "import pygame; print(pygame.display.get_init(), pygame.get_init()); env.close(); env.close()"
    )
    environment = {k: v for k, v in os.environ.items() if k not in ("SDL_VIDEODRIVER", "DISPLAY", "WAYLAND_DISPLAY")}
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    assert result.stdout.split("\n") == ["(540, 720, 3)", "False False", ""]


def test_without_pygame_the_message_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['pygame'] = None\n"
        "import gymnasium as gym, klondike_env\n"
        "for mode in ('rgb_array', 'human'):\n"
        "    env = gym.make('Klondike-v0', render_mode=mode).unwrapped\n"
        "    try:\n"
        "        env.reset(seed=1); env.render()\n"
        "    except gym.error.DependencyNotInstalled as error:\n"
        "        print(error)\n"
        "env = gym.make('Klondike-v0', render_mode='ansi'); env.reset(seed=1); print('stock' in env.render())\n"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    lines = result.stdout.splitlines()
    assert lines[:2] == ['pygame-ce is not installed; drawing needs it: pip install "klondike-env[render]"'] * 2
    assert lines[2] == "True"


def test_rendering_before_the_first_reset_is_refused() -> None:
    for mode in ("rgb_array", "human", "ansi"):
        with pytest.raises(EpisodeError, match="call reset"):
            KlondikeEnv(render_mode=mode).render()


COPIERS = [
    copy.deepcopy,
    lambda value: pickle.loads(pickle.dumps(value)),
    lambda value: cloudpickle.loads(cloudpickle.dumps(value)),
]


@pytest.mark.parametrize("copier", COPIERS)
@pytest.mark.parametrize("mode", ["rgb_array", "human", "ansi"])
@pytest.mark.parametrize("wrapped", [False, True])
def test_case_25_a_rendered_env_can_be_copied(copier: Any, mode: str, wrapped: bool) -> None:
    env = gym.make("Klondike-v0", rules="D3N", render_mode=mode)
    env = env if wrapped else env.unwrapped
    env.unwrapped.metadata = {**env.metadata, "render_fps": 1000}
    env.reset(options={"deck": CASE_DECKS["B"]})
    for action in (0, 1, 1):
        env.step(action)
    shown = env.render()
    other = copier(env)
    again = other.render()
    assert (np.array(again) == np.array(shown)).all()
    rng = np.random.default_rng(5)
    for _ in range(20):
        action = int(rng.choice(env.unwrapped.game.legal_actions()))
        ours, theirs = env.step(action), other.step(action)
        assert (ours[0] == theirs[0]).all()
        assert ours[1:4] == theirs[1:4]
        assert (np.array(env.render()) == np.array(other.render())).all()
    other.unwrapped.game.undo()
    assert env.unwrapped.game.notation != other.unwrapped.game.notation
    other.close()
    env.step(int(env.unwrapped.game.legal_actions()[0]))
    env.render()
    env.close()
    env.close()


def test_the_window_shows_each_step_and_may_be_closed_by_hand() -> None:
    env = KlondikeEnv(render_mode="human")
    env.metadata = {**env.metadata, "render_fps": 1000}  # type: ignore[misc]
    other = KlondikeEnv(render_mode="human")
    other.metadata = env.metadata  # type: ignore[misc]
    env.reset(seed=1)
    other.reset(seed=1)
    assert env._renderer is not None
    assert other._renderer is not None
    window = env._renderer._window
    assert window is not None
    shown = pygame.surfarray.array3d(window.get_surface())
    assert env.step(0)[2] is False
    assert (pygame.surfarray.array3d(window.get_surface()) != shown).any()
    pygame.event.post(pygame.event.Event(pygame.WINDOWCLOSE, window=window))
    other.step(0)
    assert other._renderer._window is not None
    for _ in range(3):
        assert env.step(0)[2] is False
        assert env.render() is None
        assert env._renderer._window is None
    assert other._renderer._window is not None
    env.close()
    env.close()
    other.close()
    # A new window opens when the env is used again after close().
    env.reset(seed=2)
    assert env._renderer is not None
    assert env._renderer._window is not None
    env.close()


def test_the_window_runs_at_its_rate() -> None:
    env = KlondikeEnv(render_mode="human")
    env.metadata = {**env.metadata, "render_fps": 40}  # type: ignore[misc]
    env.reset(seed=1)
    clock = pygame.time.Clock()
    clock.tick()
    for _ in range(8):
        env.step(0)
    assert clock.tick() >= 7 * 1000 / 40 * 0.9
    env.close()


def test_record_video_gives_a_readable_film(tmp_path: Path) -> None:
    from moviepy import VideoFileClip

    env = RecordVideo(gym.make("Klondike-v0", rules="D3N", render_mode="rgb_array"), str(tmp_path / "film"))
    env.reset(seed=3)
    rng = np.random.default_rng(0)
    frames = 1
    last = None
    for _ in range(25):
        action = int(rng.choice(env.unwrapped.game.legal_actions()))  # type: ignore[attr-defined]
        if env.step(action)[2]:
            break
        frames += 1
        last = env.unwrapped.render()
    env.close()
    (film,) = (tmp_path / "film").glob("*.mp4")
    clip = VideoFileClip(str(film))
    assert tuple(clip.size) == (720, 540)
    assert abs(clip.duration - frames / 4) < 0.3
    shown = clip.get_frame(clip.duration - 0.01).astype(int)
    assert isinstance(last, np.ndarray)
    # The film compresses, but it shows the last picture and not an empty or shifted one.
    assert np.abs(shown - last.astype(int)).mean() < 8
    clip.close()


@pytest.mark.filterwarnings("error")
def test_wrappers_and_lists_of_pictures_work() -> None:
    env = gym.make("Klondike-v0", render_mode="rgb_array_list")
    env.reset(seed=1)
    for _ in range(3):
        env.step(0)
    frames = env.render()
    assert isinstance(frames, list)
    assert [frame.shape for frame in frames] == [SHAPE] * 4
    assert not np.shares_memory(frames[0], frames[1])
    assert differing(frames[0], frames[1]) > 0.01
    shown = HumanRendering(gym.make("Klondike-v0", render_mode="rgb_array"))
    shown.env.unwrapped.metadata = {**shown.metadata, "render_fps": 1000}
    shown.reset(seed=1)
    shown.step(0)
    shown.close()


@pytest.mark.skipif(importlib.util.find_spec("stable_baselines3") is None, reason="needs stable-baselines3")
def test_stable_baselines_gets_pictures_by_default() -> None:
    from stable_baselines3.common.env_util import make_vec_env

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        envs = make_vec_env("klondike_env:Klondike-v0", n_envs=2, seed=0)
    envs.reset()
    assert envs.render_mode == "rgb_array"
    assert [image.shape for image in envs.get_images()] == [SHAPE] * 2
    envs.close()


def test_gymnasiums_sync_vector_env_renders() -> None:
    envs = gym.make_vec("klondike_env:Klondike-v0", 2, vectorization_mode="sync", render_mode="rgb_array")
    envs.reset(seed=0)
    frames = envs.render()
    assert frames is not None
    assert [np.array(frame).shape for frame in frames] == [SHAPE] * 2
    envs.close()


def test_ansi_is_plain_where_nothing_shows_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    env = KlondikeEnv(rules="D3N", render_mode="ansi")
    env.reset(options={"number": 6})
    assert env.render() == str(env.game) + "\n"
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("NO_COLOR", "1")
    assert env.render() == str(env.game) + "\n"


def test_ansi_has_colours_and_symbols_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.TextIOWrapper):
        def isatty(self) -> bool:
            return True

    utf8, latin = Terminal(io.BytesIO(), "utf-8"), Terminal(io.BytesIO(), "latin-1")
    assert shows_colours(utf8, {"TERM": "xterm"})
    assert not shows_colours(utf8, {"TERM": "dumb"})
    assert not shows_colours(utf8, {"NO_COLOR": "1"})
    assert shows_colours(utf8, {"NO_COLOR": ""})
    assert shows_colours(io.StringIO(), {"FORCE_COLOR": "1"})
    assert not shows_colours(io.StringIO(), {})
    assert not shows_colours(None, {})
    assert shows_symbols(utf8)
    assert not shows_symbols(latin)

    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)
    game = Game.from_number(6, "D3N")
    game.play(0)
    text = ansi_text(game, game.code or "", colours=True, symbols=True)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
    unsuited = str(game)
    for letter, symbol in zip("SHDC", "♠♥♦♣", strict=True):
        plain = plain.replace(symbol, letter)
    assert plain == unsuited
    for row in game.view().columns.tolist():
        for card in row:
            if card >= 0:
                assert card_name(card, symbols=True) in text
    letters = ansi_text(game, "", colours=True, symbols=False)
    assert "\x1b[" in letters
    assert not set("♠♥♦♣") & set(letters)
    assert ansi_text(game, "x", colours=False) == str(game).replace(game.code or "", "x", 1)


@pytest.mark.parametrize("mode", ["rgb_array", "human"])
def test_other_envs_may_end_pygame(mode: str) -> None:
    env = KlondikeEnv(render_mode=mode)
    env.metadata = {**env.metadata, "render_fps": 1000}  # type: ignore[misc]
    env.reset(seed=1)
    before = env.render()
    for again in (False, True):
        pygame.quit()
        if again:
            pygame.init()
        assert (np.array(env.render()) == np.array(before)).all()
    # Cards and scores that were not drawn before need fonts again.
    while env.game.legal_actions() and env.game.undo_count < 40:
        env.step(env.game.legal_actions()[-1])
        env.render()
    env.close()


def test_closing_after_pygame_was_ended() -> None:
    env = KlondikeEnv(render_mode="human")
    env.reset(seed=1)
    pygame.quit()
    env.close()
    env.close()


def test_the_vector_env_draws_each_row_as_the_single_env_does() -> None:
    envs = gym.make_vec("Klondike-v0", num_envs=3, rules="D3N", render_mode="rgb_array")
    _, infos = envs.reset(seed=4)
    pictures = envs.render()
    assert [picture.shape for picture in pictures] == [(540, 720, 3)] * 3
    for row, picture in enumerate(pictures):
        single = gym.make("Klondike-v0", rules="D3N", render_mode="rgb_array")
        single.reset(seed=4 + row)
        np.testing.assert_array_equal(picture, single.render())
    copied = pickle.loads(pickle.dumps(envs))
    actions = infos["action_mask"].argmax(axis=1)
    for each in (envs, copied):
        each.step(actions)
    np.testing.assert_array_equal(envs.render(), copied.render())
    assert not np.array_equal(envs.render()[0], pictures[0])
