"""The native vector env in threads, forked processes, copies, pickles and wrappers, and the memory it takes."""

import copy
import gc
import multiprocessing
import os
import pickle
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import cloudpickle
import numpy as np
import pytest
import torch
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers import vector as vector_wrappers
from oracle.positions import CASE_DECKS
from vector_checks import assert_same, choose_actions, make_native, make_sync

from klondike_env.actions import ACTION_COUNT
from klondike_env.engine.state import STATE_DTYPE
from klondike_env.observation import OBSERVATION_SIZE
from klondike_env.row_threads import RowThreads, default_thread_count
from klondike_env.vector_env import KlondikeVectorEnv

COPIERS = [
    copy.deepcopy,
    lambda value: pickle.loads(pickle.dumps(value)),
    lambda value: cloudpickle.loads(cloudpickle.dumps(value)),
]


def digest(envs: KlondikeVectorEnv, steps: int = 30, seed: int = 3) -> list[float]:
    """Return numbers that tell one run from another."""
    observations, info = envs.reset(seed=seed)
    rng = np.random.default_rng(0)
    numbers = []
    for _ in range(steps):
        observations, rewards, terminations, truncations, info = envs.step(choose_actions(info["action_mask"], rng))
        numbers += [float(observations.sum()), float(rewards.sum()), float(info["score"].sum())]
        numbers += [float(terminations.sum()), float(truncations.sum())]
    return numbers


@pytest.mark.parametrize("threads", [2, 3, 8])
def test_results_do_not_depend_on_threads(threads: int) -> None:
    expected = digest(make_native(300, threads=1, max_episode_steps=20))
    assert digest(make_native(300, threads=threads, max_episode_steps=20)) == expected


def test_rows_are_split_into_ranges_that_cover_all() -> None:
    for rows in (1, 63, 64, 65, 300, 1000):
        for count in (1, 2, 3, 7):
            threads = RowThreads(count)
            ranges = threads.run(lambda first, stop: (first, stop), rows)
            threads.close()
            assert [first for first, _ in ranges] == [0, *(stop for _, stop in ranges)][:-1]
            assert ranges[-1][1] == rows
            assert len(ranges) <= count
    assert default_thread_count(1) == 1


def _send_digest(envs: KlondikeVectorEnv, connection: Any) -> None:
    connection.send((digest(envs), os.getpid()))


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_works_in_a_forked_process_while_the_parent_has_threads() -> None:
    envs = make_native(200, threads=2)
    expected = digest(envs)
    ours, theirs = multiprocessing.Pipe()
    child = multiprocessing.get_context("fork").Process(target=_send_digest, args=(envs, theirs))
    child.start()
    assert ours.poll(60)
    numbers, pid = ours.recv()
    child.join()
    assert (numbers, child.exitcode) == (expected, 0)
    assert pid != os.getpid()
    assert digest(envs) == expected


def test_works_in_a_spawned_process() -> None:
    envs = make_native(5)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(digest, (envs,)) == digest(envs)


def test_works_in_threads_beside_each_other() -> None:
    expected = digest(make_native(200, threads=1))
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda _: digest(make_native(200, threads=2)), range(4)))
    assert results == [expected] * 4


def test_two_envs_in_a_process_do_not_disturb_each_other() -> None:
    first, second = make_native(70, threads=2), make_native(70, threads=2)
    expected = digest(first)
    first.reset(seed=1)
    second.reset(seed=2)
    first.close()
    assert digest(second) == expected


def test_close_ends_the_threads_and_may_be_called_twice() -> None:
    # Threads of envs in other tests may end at any time, so only those that this env starts count.
    before = set(threading.enumerate())
    envs = make_native(200, threads=3)
    digest(envs)
    started = set(threading.enumerate()) - before
    assert started
    envs.close()
    envs.close()
    assert not any(thread.is_alive() for thread in started)


@pytest.mark.parametrize("copier", COPIERS)
@pytest.mark.parametrize("copy_arrays", [True, False])
def test_copies_in_the_middle_of_games_go_on_alike_and_apart(copier: Any, copy_arrays: bool) -> None:
    """Case 25: all steps equal, random streams apart, the original untouched."""
    envs = make_native(3, rules="D3N", copy=copy_arrays, threads=2, max_episode_steps=40)
    envs.reset(seed=8, options={"deck": CASE_DECKS["B"]})
    for action in (0, 1, 1):
        result = envs.step([action] * 3)
    twin, third = copier(envs), copier(envs)
    assert twin.observation_space == envs.observation_space
    rng = np.random.default_rng(0)
    masks = result[4]["action_mask"].copy()
    results = []
    for _ in range(100):
        actions = choose_actions(masks, rng)
        result = envs.step(actions)
        masks = result[4]["action_mask"].copy()
        results.append((actions, copy.deepcopy(result)))
    for actions, expected in results:
        assert_same(twin.step(actions), expected)
    for actions, expected in results[:50]:
        assert_same(third.step(actions), expected)


def test_pickles_are_small() -> None:
    envs = make_native(100)
    envs.reset(seed=0)
    assert len(pickle.dumps(envs)) < 100 * 1500 + 20_000


def test_wrapped_envs_copy_too() -> None:
    envs = vector_wrappers.RecordEpisodeStatistics(make_native(2))
    info = envs.reset(seed=0)[1]
    twin = copy.deepcopy(envs)
    actions = choose_actions(info["action_mask"], np.random.default_rng(0))
    assert_same(twin.step(actions)[:4], envs.step(actions)[:4])


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_episode_statistics_are_those_of_the_model(mode: AutoresetMode) -> None:
    """The reset mask stays in the options, so that a partial reset clears the counters of its rows only."""
    ours = vector_wrappers.RecordEpisodeStatistics(make_native(4, autoreset_mode=mode, max_episode_steps=15))
    theirs = vector_wrappers.RecordEpisodeStatistics(make_sync(4, mode, max_episode_steps=15))
    info, _ = ours.reset(seed=1)[1], theirs.reset(seed=1)
    masks = info["action_mask"].copy()
    rng = np.random.default_rng(5)
    for _ in range(100):
        actions = choose_actions(masks, rng)
        result, expected = ours.step(actions), theirs.step(actions)
        masks = result[4]["action_mask"].copy()
        over = result[2] | result[3]
        for info, model_info in ((result[4], expected[4]),):
            assert ("episode" in info) == ("episode" in model_info)
            for key in ("r", "l"):
                if "episode" in info:
                    np.testing.assert_array_equal(info["episode"][key], model_info["episode"][key])
        if mode is AutoresetMode.DISABLED and over.any():
            masks[over] = ours.reset(options={"reset_mask": over})[1]["action_mask"][over]
            theirs.reset(options={"reset_mask": over.copy()})
    assert ours.return_queue == theirs.return_queue or mode is AutoresetMode.DISABLED
    assert len(ours.return_queue) > 10


def test_normalized_rewards_are_those_of_the_model() -> None:
    ours = vector_wrappers.NormalizeReward(make_native(3, max_episode_steps=15))
    theirs = vector_wrappers.NormalizeReward(make_sync(3, AutoresetMode.NEXT_STEP, max_episode_steps=15))
    info = ours.reset(seed=1)[1]
    theirs.reset(seed=1)
    rng = np.random.default_rng(5)
    for _ in range(50):
        actions = choose_actions(info["action_mask"], rng)
        result = ours.step(actions)
        np.testing.assert_array_equal(result[1], theirs.step(actions)[1])
        info = result[4]


@pytest.mark.parametrize("copy_arrays", [True, False])
def test_torch_wraps_the_arrays_without_a_copy(copy_arrays: bool) -> None:
    pytest.importorskip("array_api_compat")
    native = make_native(2, copy=copy_arrays)
    envs = vector_wrappers.NumpyToTorch(native)
    observations, info = envs.reset(seed=0)
    assert observations.dtype == torch.int8
    actions = torch.as_tensor(info["action_mask"].to(torch.int64).argmax(dim=1))
    observations, rewards, terminations, _, info = envs.step(actions)
    assert (rewards.dtype, terminations.dtype) == (torch.float64, torch.bool)
    assert info["action_mask"].shape == (2, ACTION_COUNT)
    array = native.reset()[0]
    assert torch.from_numpy(array).data_ptr() == array.ctypes.data


MEMORY_SCRIPT = """
import gc, sys
import numpy as np
from klondike_env.vector_env import KlondikeVectorEnv

def resident():
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096

def play(envs, steps):
    for _ in range(steps):
        actions = envs.action_masks().argmax(axis=1)
        envs.step(actions)

warm = KlondikeVectorEnv(64, copy=False, threads=2)
warm.reset(seed=0)
play(warm, 5)
before = resident()
rows = int(sys.argv[1])
envs = KlondikeVectorEnv(rows, copy=False, threads=1, max_episode_steps=50)
envs.reset(seed=0)
envs.step(np.zeros(rows, np.int64))
first = resident()
play(envs, int(sys.argv[2]))
print((first - before) / rows, resident() - first)
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads the memory from Linux's /proc")
def test_memory_a_row_is_small_and_does_not_grow() -> None:
    """At most 1.5 times state, mask and observation; 2 million steps later hardly more."""
    rows = 10_000
    run = subprocess.run(
        [sys.executable, "-c", MEMORY_SCRIPT, str(rows), "200"], capture_output=True, text=True, check=True
    )
    bytes_a_row, growth = map(float, run.stdout.split())
    assert bytes_a_row <= 1.5 * (STATE_DTYPE.itemsize + ACTION_COUNT + OBSERVATION_SIZE)
    assert growth < 4_000_000


def test_garbage_is_collected() -> None:
    envs = make_native(3, threads=2)
    envs.reset(seed=0)
    envs.step([0, 0, 0])
    gc.collect()
    count = len(gc.get_objects())
    for _ in range(100):
        envs.step([0, 0, 0])
    gc.collect()
    assert len(gc.get_objects()) < count + 50
