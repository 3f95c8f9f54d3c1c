"""Evaluation in several processes: the same results, nothing lost, nobody left behind; and options of agents."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from klondike_agents import GreedyPolicy, RandomPolicy

from klondike_env import PlayerView
from klondike_env.errors import OptionError, PolicyError, ResultsFileError
from klondike_env.evaluation import GameResult, evaluate, load_policy, read_results
from klondike_env.evaluation.agent_options import options_text, parse_options
from klondike_env.records import read_record
from klondike_env.suites import Suite, get_suite

KLONDIKE = Path(sys.executable).parent / "klondike"
GAMES = Suite("some", get_suite("D1N-dev").games[:24])
TWO_HUNDRED = Suite("two hundred", get_suite("D1N-dev").games[:200])

AGENTS = """
import os
import signal
import sys
import time

from klondike_agents import RandomPolicy


class Base:
    name = "agent"

    def reset(self, seed):
        self.actions = 0

    def act(self, view):
        self.actions += 1
        return view.legal_actions()[0]


class Slow(Base):
    def act(self, view):
        time.sleep(0.002)
        return view.legal_actions()[0]


class Stuck(Base):
    def act(self, view):
        with open(f"stuck-{os.getpid()}", "w"):
            pass
        while True:
            pass


class Killed(Base):
    def act(self, view):
        if self.actions == 30:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().act(view)


class Leaving(Base):
    def act(self, view):
        if self.actions == 30:
            os._exit(7)
        return super().act(view)


class Illegal(Base):
    def act(self, view):
        return 1


class Talking(RandomPolicy):
    def act(self, view):
        print("a word from the agent")
        assert sys.stdin.read() == ""
        return super().act(view)


class OneThread:
    name = "one thread"
    information = "visible"

    def __init__(self):
        import torch

    def act_batch(self, observations, masks, generators):
        import torch
        assert torch.get_num_threads() == 1
        return masks.argmax(axis=1)
"""


class BatchRandom:
    """The random agent as a batch agent only."""

    name = "random"

    def act_batch(
        self, observations: np.ndarray, masks: np.ndarray, generators: list[np.random.Generator]
    ) -> np.ndarray:
        return RandomPolicy().act_batch(observations, masks, generators)


@pytest.fixture
def agents_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The current folder, with a module of agents in it."""
    (tmp_path / "job_agents.py").write_text(AGENTS)
    monkeypatch.chdir(tmp_path)
    # Another test's module of that name lay in another folder.
    monkeypatch.setattr(sys, "path", list(sys.path))
    sys.modules.pop("job_agents", None)
    yield tmp_path
    sys.modules.pop("job_agents", None)


def result_lines(path: Path) -> list[str]:
    return sorted(path.read_text().splitlines())


def worker_pids(parent: int) -> list[int]:
    """Return the processes that a process has started and that are alive."""
    pids = []
    for folder in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            if int(fields[1]) == parent and fields[0] != "Z":
                pids.append(int(folder.name))
    return pids


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until(condition: object, seconds: float = 60) -> bool:
    deadline = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def test_case_28_rows_jobs_and_stops_change_no_result(tmp_path: Path) -> None:
    """Greedy on 200 games: one process and two, stopped after half and resumed with another number."""
    whole = evaluate("greedy", TWO_HUNDRED, out=tmp_path / "one.jsonl")
    expected = result_lines(tmp_path / "one.jsonl")
    assert len(expected) == len(set(expected)) == 200

    path = tmp_path / "cut.jsonl"
    for jobs, finished_then in ((2, 70), (1, 120)):

        def stop(result: GameResult, finished: int, games: int, limit: int = finished_then) -> None:
            if finished == limit:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            evaluate("greedy", TWO_HUNDRED, out=path, jobs=jobs, progress=stop)
        assert len(read_results(path)) == finished_then
    resumed = evaluate("greedy", TWO_HUNDRED, out=path, jobs=2)
    assert resumed.games_played == 80
    assert result_lines(path) == expected
    assert resumed.results == whole.results
    assert resumed.summary.win_rate == resumed.summary.wins / 200 == whole.summary.win_rate
    assert worker_pids(os.getpid()) == []


def test_batch_agents_play_the_same_in_several_processes() -> None:
    expected = evaluate(BatchRandom(), GAMES).results
    for jobs, rows in ((2, 256), (3, 5)):
        evaluation = evaluate(BatchRandom(), GAMES, jobs=jobs, rows=rows)
        assert evaluation.results == expected
        assert evaluation.games_played == len(GAMES.games)


def test_more_processes_than_games() -> None:
    two = Suite("two", GAMES.games[:2])
    assert evaluate("random", two, jobs=8).results == evaluate("random", two).results


def test_agents_given_as_objects_are_sent() -> None:
    class Stubborn(GreedyPolicy):
        """A class that only this function knows."""

        name = "stubborn"  # type: ignore[assignment]

        def __init__(self, chosen: int) -> None:
            self.chosen = chosen
            self.steps = 0

        def reset(self, seed: int) -> None:
            self.steps = 0

        def act(self, view: PlayerView) -> int:
            return view.legal_actions()[self.chosen]

    agent = Stubborn(-1)
    assert evaluate(agent, GAMES, jobs=2).results == evaluate(Stubborn(-1), GAMES).results


def test_an_agent_that_cannot_be_sent_is_told() -> None:
    agent = RandomPolicy()
    agent.lock = threading.Lock()  # type: ignore[attr-defined]
    with pytest.raises(PolicyError, match=r"agent 'random' cannot be sent.*lock.*jobs=1"):
        evaluate(agent, GAMES, jobs=2)


@pytest.mark.parametrize(
    ("agent", "message"),
    [
        ("Killed", r"agent 'agent': a worker process was ended by signal 9 while it had to play KL1-D1N-AAAAAAA"),
        ("Leaving", r"a worker process ended with status 7 while it had to play KL1-D1N"),
        ("Illegal", r"agent 'agent' in game KL1-D1N-AAAAAAA: action 1 .*is not legal"),
    ],
)
def test_a_failing_worker_ends_the_run(agents_folder: Path, agent: str, message: str) -> None:
    with pytest.raises(PolicyError, match=message):
        evaluate(f"job_agents:{agent}", GAMES, jobs=2)
    assert worker_pids(os.getpid()) == []


def test_what_an_agent_prints_is_no_result(agents_folder: Path) -> None:
    few = Suite("few", GAMES.games[:4])
    expected = evaluate("random", few, step_limit=20).results
    assert evaluate("job_agents:Talking", few, step_limit=20, jobs=2).results == expected


def test_torch_has_one_thread_in_a_worker(agents_folder: Path) -> None:
    pytest.importorskip("torch")
    assert len(evaluate("job_agents:OneThread", Suite("few", GAMES.games[:4]), step_limit=5, jobs=2).results) == 4


def start_command(folder: Path, agent: str) -> subprocess.Popen[str]:
    command = [KLONDIKE, "evaluate", f"job_agents:{agent}", "--suite", "D1N-dev", "--jobs", "2", "--out", "out.jsonl"]
    command += ["--step-limit", "50"]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_stopped_run_leaves_its_games_and_no_process(agents_folder: Path, how: signal.Signals) -> None:
    out = agents_folder / "out.jsonl"
    with start_command(agents_folder, "Slow") as process:
        assert wait_until(lambda: out.exists() and out.read_bytes().count(b"\n") >= 3)
        assert wait_until(lambda: len(worker_pids(process.pid)) == 2)
        workers = worker_pids(process.pid)
        process.send_signal(how)
        _, errors = process.communicate(timeout=60)
    assert wait_until(lambda: not any(map(is_alive, workers)), seconds=10)
    if how == signal.SIGINT:
        assert process.returncode == 130
        assert "interrupted after" in errors
    assert "Traceback" not in errors
    kept = len(read_results(out))
    assert 3 <= kept < 1000


def test_a_worker_that_is_stuck_in_a_game_ends_with_its_parent(agents_folder: Path) -> None:
    with start_command(agents_folder, "Stuck") as process:
        assert wait_until(lambda: list(agents_folder.glob("stuck-*")))
        pids = [int(path.name.partition("-")[2]) for path in agents_folder.glob("stuck-*")]
        process.kill()
        process.communicate(timeout=60)
    assert wait_until(lambda: not any(map(is_alive, pids)), seconds=10)


def test_a_script_needs_no_guard(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "from klondike_env import evaluate\n"
        "class Mine:\n"
        "    name = 'mine'\n"
        "    def reset(self, seed): pass\n"
        "    def act(self, view): return view.legal_actions()[0]\n"
        "codes = [f'KL1-D1N-AAAAAA{letter}' for letter in 'ABCDEF']\n"
        "print(evaluate(Mine(), codes, jobs=2, step_limit=20).games_played)\n"
    )
    result = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=120)
    assert result.stdout == "6\n", result.stderr


def test_options_are_read() -> None:
    options = parse_options(["depth=3", "seconds-per-move=0.02", "a=true", "b=no", "c=none", "d=x=y"])
    assert options == {"depth": 3, "seconds_per_move": 0.02, "a": True, "b": "no", "c": None, "d": "x=y"}
    assert options_text({"depth": 3, "a": True}) == "depth=3 a=True"
    for text in ("depth", "=3", "1x=3"):
        with pytest.raises(PolicyError, match="is not of the form key=value"):
            parse_options([text])
    with pytest.raises(PolicyError, match="'depth' is given twice"):
        parse_options(["depth=3", "depth=4"])


def test_agents_take_options(tmp_path: Path) -> None:
    assert load_policy("greedy", {"depth": 3}).name == "greedy depth=3"
    assert load_policy("greedy", {"depth": 2}).name == "greedy"
    with pytest.raises(PolicyError, match="'greedy' has no option 'depht'; its options are depth"):
        load_policy("greedy", {"depht": 3})
    with pytest.raises(PolicyError, match="'random' has no option 'depth'; it has none"):
        load_policy("random", {"depth": 3})
    with pytest.raises(PolicyError, match="depth is 'deep'; it must be a whole number from 1 to 5"):
        load_policy("greedy", {"depth": "deep"})
    with pytest.raises(OptionError, match="options are for an agent given by name"):
        evaluate(RandomPolicy(), GAMES, options={"depth": 1})
    few = Suite("few", GAMES.games[:4])
    shallow = evaluate("greedy", few, options={"depth": 1}, jobs=2, out=tmp_path / "out.jsonl")
    assert shallow.results == evaluate(GreedyPolicy(1), few).results
    assert {result.agent for result in shallow.results} == {"greedy depth=1"}
    with pytest.raises(ResultsFileError, match="agent 'greedy depth=1', and this run has 'greedy'"):
        evaluate("greedy", few, out=tmp_path / "out.jsonl")


def test_a_folder_without_a_run_is_told(agents_folder: Path) -> None:
    (agents_folder / "runs").mkdir()
    with pytest.raises(PolicyError, match=r"folder 'runs' holds no training run: there is no config\.json"):
        load_policy("runs")
    with pytest.raises(PolicyError, match=r"run 'none\.safetensors' cannot be loaded"):
        load_policy("none.safetensors")
    # A folder does not hide an agent of the package.
    (agents_folder / "greedy").mkdir()
    assert load_policy("greedy").name == "greedy"


def test_a_missing_extra_is_told(agents_folder: Path) -> None:
    (agents_folder / "lazy_agents.py").write_text(
        "def __getattr__(name):\n    raise ModuleNotFoundError(\"No module named 'torch'\", name='torch')\n"
    )
    with pytest.raises(PolicyError, match=r"No module named 'torch'; pip install \"klondike-env\[agents\]\""):
        load_policy("lazy_agents:Agent")


class Thinking(RandomPolicy):
    """Tells what it thinks."""

    name = "thinking/aloud"

    def act(self, view: PlayerView) -> int:
        from klondike_env.evaluation import Thoughts

        action = super().act(view)
        legal = view.legal_actions()
        self.thoughts = Thoughts({legal_action: 1 / len(legal) for legal_action in legal}, value=0.25)
        return action


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("agent", [Thinking, BatchRandom])
def test_every_game_is_recorded(tmp_path: Path, agent: type, jobs: int) -> None:
    few = Suite("few", (*GAMES.games[:5], *get_suite("three-pass-dev").games[:2]))
    folder = tmp_path / "records"
    evaluation = evaluate(agent(), few, record=folder, step_limit=60, jobs=jobs)
    assert evaluation.games_without_record == 0
    files = sorted(folder.rglob("*.klondike"))
    assert len(files) == 7
    records = {(record.code, record.rules.name): record for record in map(read_record, files)}
    for result in evaluation.results:
        record = records[result.key]
        game = record.final_game()
        assert (len(record.actions), game.score, game.founded) == (result.steps, result.score, result.founded)
        assert record.agent == result.agent
        assert record.info["seed"] == "0"
        assert record.end is not None
        if agent is Thinking:
            assert all(entry.thoughts is not None and entry.thoughts.value == 0.25 for entry in record.entries)


def test_records_of_a_resumed_run(tmp_path: Path) -> None:
    folder, out = tmp_path / "records", tmp_path / "out.jsonl"
    few = Suite("few", GAMES.games[:6])

    def stop(result: GameResult, finished: int, games: int) -> None:
        if finished == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate("random", few, out=out, record=folder, step_limit=30, progress=stop)
    before = {path: path.read_bytes() for path in sorted(folder.rglob("*.klondike"))}
    assert len(before) == 3
    # The last result was lost, as when a kill comes between record and result: only that record is written again.
    lines = out.read_bytes().splitlines(keepends=True)
    out.write_bytes(b"".join(lines[:2]))
    last = list(before)[2]
    last.write_text(last.read_text().replace("started: 2", "started: 1"))
    evaluate("random", few, out=out, record=folder, step_limit=30, jobs=2)
    assert len(list(folder.rglob("*.*"))) == 6
    for path, data in before.items():
        if path == last:
            assert b"started: 1" not in path.read_bytes()
        else:
            assert path.read_bytes() == data


def test_records_of_another_run_are_not_touched(tmp_path: Path) -> None:
    few = Suite("few", GAMES.games[:2])
    evaluate("random", few, record=tmp_path, step_limit=20)
    path = sorted(tmp_path.rglob("*.klondike"))[0]
    for text in (path.read_text().replace("seed: 0", "seed: 1"), "my thesis\n"):
        path.write_text(text)
        for jobs in (1, 2):
            with pytest.raises(ResultsFileError, match="is no record of this game with agent 'random', seed 0"):
                evaluate("random", few, record=tmp_path, step_limit=20, jobs=jobs)
        assert path.read_text() == text


def test_games_that_a_results_file_held_have_no_record(tmp_path: Path) -> None:
    few = Suite("few", GAMES.games[:4])
    evaluate("random", Suite("two", few.games[:2]), out=tmp_path / "out.jsonl", step_limit=20)
    evaluation = evaluate("random", few, out=tmp_path / "out.jsonl", record=tmp_path / "records", step_limit=20)
    assert evaluation.games_without_record == 2


def test_records_need_a_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ResultsFileError, match="cannot make folder"):
        evaluate("random", GAMES, record=tmp_path / "file")
