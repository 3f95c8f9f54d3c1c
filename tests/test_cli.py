"""The command line as a user meets it: output, exit status, messages without traceback, nothing lost."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from klondike_env import Deal, Game, __version__, parse_card
from klondike_env.evaluation import read_results
from klondike_env.move_texts import read_moves
from klondike_env.solver.labels import read_labels

KLONDIKE = Path(sys.executable).parent / "klondike"

ENDLESS_AGENT = """
import time

class Slow:
    name = "slow"

    def reset(self, seed):
        pass

    def act(self, view):
        time.sleep(0.002)
        return view.legal_actions()[0]
"""


def run(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run the command."""
    return subprocess.run([KLONDIKE, *arguments], cwd=cwd, capture_output=True, text=True, timeout=300)


def test_rules_and_suites() -> None:
    output = run("rules").stdout
    assert "three-pass" in output
    assert "before any other" in output
    assert "aces-first-3-test" in run("suites").stdout
    assert run("--version").stdout.strip() == __version__


def test_show() -> None:
    output = run("show", " kl1-d1n-aaaaaag ").stdout
    assert output.startswith("KL1-D1N-AAAAAAG   score 0")
    assert "legal     0 11 67 68" in output
    played = run("show", "KL1-D1N-AAAAAAG", "--actions", "11, 0").stdout
    assert "score 15" in played
    assert run("show", "KL1-D1N-AAAAAAG", "--as", "solvitaire").stdout.startswith("{")
    assert "pass 1   passes left 2" in run("show", "KL1-D3N-AAAAAAG", "--rules", "three-pass").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["show", "KL1-D1N-AAAAAA1"], "'1' at place 7"),
        (["show"], "give a game code or --deck, and not both"),
        (["show", "--deck", "AS AS"], "2 cards"),
        (["show", "KL1-D1N-AAAAAAG", "--actions", "0 x"], "number 2 (x): action 'x' is outside the action space"),
        (["show", "KL1-D1N-AAAAAAG", "--rules", "D4N"], "'D4N' is no rule set"),
        (["show", "KL1-D1N-AAAAAAG", "--actions", "0 1 44"], "number 3 (44): action 44"),
        (["show", "KL1-D1N-AAAAAAG", "--as", "json"], "json"),
        (["evaluate", "greedy", "--suite", "D3N-tset"], "Did you mean 'D3N-test'"),
        (["evaluate", "greedy"], "give either --suite or --codes"),
        (["evaluate", "gredy", "--suite", "D3N-test"], "'gredy' is no agent"),
        (["evaluate", "random", "--codes", "none.txt"], "cannot read codes file none.txt"),
        (["evaluate", "random", "--suite", "D3N-dev", "--out", "none/out.jsonl"], "cannot write results"),
        (["evaluate", "random", "--suite", "D3N-dev", "--step-limit", "0"], "step-limit"),
        (["evaluate"], "agent"),
        (["solve"], "give game codes, --suite, --codes or --deck"),
        (["solve", "KL1-D1N-AAAAAAG", "--suite", "D1N-dev"], "give game codes, --suite"),
        (["solve", "--deck", "AS 2S"], "50 cards are missing"),
        (["solve", "--deck", "greenfelt:0"], "greenfelt"),
        (["solve", "--deck", "greenfelt:AS"], "is no deal number"),
        (["solve", "KL1-D1N-AAAAAAG", "--rules", "D3N,passes=0"], "passes"),
        (["solve", "KL1-D1N-AAAAAAG", "--time-limit", "-1"], "time_limit"),
        (["solve", "KL1-D1N-AAAAAAG", "--moves", "--style", "prose"], "--style is 'prose'"),
        (["solve", "KL1-D1N-AAAAAAG", "--out", "none/labels.jsonl"], "cannot write"),
        (["solve", "KL1-D1N-AAAAAAG", "--out", "/dev/full"], "no regular file"),
    ],
)
def test_errors_are_messages(arguments: list[str], message: str, tmp_path: Path) -> None:
    result = run(*arguments, cwd=tmp_path)
    assert result.returncode == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_evaluate_prints_a_table_and_keeps_lines(tmp_path: Path) -> None:
    codes = tmp_path / "codes.txt"
    codes.write_text("KL1-D1N-AAAAAAA\nKL1-D3V-AAAAAAB\n")
    command = ("evaluate", "random", "--codes", str(codes), "--out", str(tmp_path / "out.jsonl"))
    first = run(*command).stdout
    assert "codes.txt (normal)" in first
    assert "codes.txt (vegas)" in first
    assert "$" in first
    again = run(*command).stdout
    assert "2 games were in" in again
    assert [result.code for result in read_results(tmp_path / "out.jsonl")] == ["KL1-D1N-AAAAAAA", "KL1-D3V-AAAAAAB"]


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_stopped_run_goes_on(tmp_path: Path, how: signal.Signals) -> None:
    (tmp_path / "slow_agent.py").write_text(ENDLESS_AGENT)
    (tmp_path / "codes.txt").write_text("".join(f"KL1-D1N-AAAAAA{letter}\n" for letter in "ABCDEFGHIJKL"))
    out = tmp_path / "out.jsonl"
    command = [
        *(KLONDIKE, "evaluate", "slow_agent:Slow", "--codes", "codes.txt"),
        *("--out", "out.jsonl", "--step-limit", "100"),
    ]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 120
    while (not out.exists() or out.read_bytes().count(b"\n") < 3) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(how)
    _, errors = process.communicate(timeout=60)
    kept = out.read_bytes()
    assert 3 <= kept.count(b"\n") < 12
    if how == signal.SIGINT:
        assert process.returncode == 130
        assert "interrupted after" in errors
        assert "the same command goes on from there" in errors
        assert "Traceback" not in errors
    finished = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert finished.returncode == 0, finished.stderr
    assert out.read_bytes().startswith(kept[: kept.rfind(b"\n") + 1])
    codes = [result.code for result in read_results(out)]
    assert len(codes) == len(set(codes)) == 12


def test_solve(tmp_path: Path) -> None:
    out = tmp_path / "labels.jsonl"
    command = ("solve", "KL1-D3N-AAAAAAG", "KL1-D1V-AAAAAAG", "--out", str(out), "--jobs", "2")
    output = run(*command).stdout
    assert "codes: 1 winnable, 1 unwinnable, 0 unknown; 50.0 % [9.5, 90.5] of 2 winnable" in output
    labels = {label.code: label for label in read_labels(out)}
    assert labels["KL1-D3N-AAAAAAG"].verdict == "winnable"
    kept = out.read_bytes()
    assert run(*command).stdout == output
    assert out.read_bytes() == kept
    assert "three-pass" in run("solve", "KL1-D3N-AAAAAAG", "--rules", "three-pass").stdout


@pytest.mark.parametrize("style", ["minimal-klondike", "klondike-solver", "lonelybot"])
def test_printed_solutions_replay_from_the_text_alone(style: str) -> None:
    """Greenfelt deal 815: its first turned card is 7H."""
    arguments = ("solve", "--deck", "greenfelt:815", "--rules", "D3N", "--moves", "--style", style)
    verdict, text = run(*arguments).stdout.split("\n", 1)
    assert verdict.startswith("winnable")
    game = Game.from_deal(Deal.from_numbering("greenfelt", 815), "D3N")
    assert game.stock[:3] == [parse_card(name) for name in ("7H", "4D", "AD")]
    for action in read_moves(game, text, style):
        game.play(action)
    assert game.is_won


def test_solutions_in_words_name_the_cards() -> None:
    output = run("solve", "KL1-D1N-AAAAAAG", "--moves").stdout
    assert re.search(r"\n +1  AH: column 3 to foundation  \[11\]\n", output)


def test_open_verdicts_give_bounds_and_no_interval() -> None:
    output = run("solve", "KL1-D3N-AAAAAAG", "KL1-D3N-AAAAAAH", "--node-limit", "1").stdout
    assert "2 unknown; between 0.0 and 100.0 % of 2 winnable" in output


def test_an_output_that_takes_no_more_is_a_message() -> None:
    with open("/dev/full", "w") as full:
        command = [KLONDIKE, "show", "KL1-D1N-AAAAAAG"]
        result = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=300)
    assert result.returncode == 2
    assert "cannot write the output: No space left on device" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_terminal_without_unicode_shows_the_table(tmp_path: Path) -> None:
    (tmp_path / "codes.txt").write_text("KL1-D1N-AAAAAAA\n")
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    command = [KLONDIKE, "evaluate", "random", "--codes", "codes.txt"]
    result = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stderr
    assert "codes.txt" in result.stdout


def test_module_is_the_command() -> None:
    command = [sys.executable, "-m", "klondike_env", "--version"]
    assert subprocess.run(command, capture_output=True, text=True, timeout=60).stdout.strip() == __version__


def test_an_interrupted_solve_goes_on(tmp_path: Path) -> None:
    out = tmp_path / "labels.jsonl"
    command = [KLONDIKE, "solve", "--suite", "D1V-dev", "--out", out]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 120
    while (not out.exists() or out.read_bytes().count(b"\n") < 3) and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "interrupted; games solved now:" in errors
    assert "Traceback" not in errors
    kept = out.read_bytes()
    assert kept.endswith(b"\n")
    assert 3 <= len(read_labels(out)) < 1000


def test_a_full_disk_loses_nothing(tmp_path: Path) -> None:
    """A tmpfs of 16 KiB stands for the disk."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", disk], capture_output=True, text=True)
    if mounted.returncode:
        pytest.skip(f"a small file system cannot be mounted here, which needs root: {mounted.stderr.strip()}")
    try:
        command = ("evaluate", "random", "--suite", "D1N-dev", "--step-limit", "20", "--out", str(disk / "out.jsonl"))
        result = run(*command)
        assert result.returncode == 2
        assert "No space left on device" in result.stderr
        assert "Traceback" not in result.stderr
        data = (disk / "out.jsonl").read_bytes()
        assert data.endswith(b"\n")
        kept = len(read_results(disk / "out.jsonl"))
        assert 20 < kept < 1000
        assert f"holds the {kept} games before" in result.stderr
        subprocess.run(["mount", "-o", "remount,size=4m", disk], check=True)
        assert "1000" in run(*command).stdout
        assert (disk / "out.jsonl").read_bytes().startswith(data)
        assert len(read_results(disk / "out.jsonl")) == 1000
    finally:
        subprocess.run(["umount", disk], check=True)
