"""Evaluation: the same results however a run is cut, resumed or batched; errors that lose nothing."""

import dataclasses
import json
import math
from pathlib import Path

import numpy as np
import pytest
from klondike_agents import RandomPolicy

from klondike_env import Game, PlayerView
from klondike_env.errors import CodesFileError, KlondikeError, OptionError, PolicyError, ResultsFileError, SuiteError
from klondike_env.evaluation import GameResult, evaluate, load_policy, read_results, summarize, wilson_interval
from klondike_env.evaluation.results import open_results, parse_result
from klondike_env.evaluation.runner import game_seed
from klondike_env.rules import RULE_SETS
from klondike_env.suites import FixedGame, Suite, get_suite, read_codes_file, suite_names

FEW = Suite("few", get_suite("D1N-dev").games[:40])


class FirstLegal:
    """Plays the last legal action, so that it has no randomness and moves a lot."""

    name = "last legal"

    def reset(self, seed: int) -> None:
        self.seed = seed

    def act(self, view: PlayerView) -> int:
        assert isinstance(view, PlayerView)
        return view.legal_actions()[-1]


class BatchRandom:
    """The random agent as a batch agent only."""

    name = "random"

    def act_batch(
        self, observations: np.ndarray, masks: np.ndarray, generators: list[np.random.Generator]
    ) -> np.ndarray:
        assert observations.shape == (len(masks), 37, 4, 13)
        return RandomPolicy().act_batch(observations, masks, generators)


def test_suites_are_the_fixed_numbers() -> None:
    assert len(suite_names()) == 2 * len(RULE_SETS)
    suite = get_suite("D3N-test")
    assert [game.number for game in suite.games] == list(range(1_000_000, 1_001_000))
    assert {game.rules for game in suite.games} == {RULE_SETS["D3N"]}
    assert get_suite("three-pass-dev").codes[6] == "KL1-D3N-AAAAAAG"
    with pytest.raises(SuiteError, match="Did you mean 'D3N-test'"):
        get_suite("D3N-tst")


def test_results_tell_each_game() -> None:
    evaluation = evaluate(FirstLegal(), FEW)
    assert [result.code for result in evaluation.results] == FEW.codes
    for fixed, result in zip(FEW.games, evaluation.results, strict=True):
        game = fixed.start()
        for _ in range(result.steps):
            assert not game.is_won
            assert not game.is_lost or game.undo_count == 0
            game.play(game.legal_actions()[-1])
        assert (result.score, result.founded, result.won) == (game.score, game.founded, game.is_won)
        assert result.terminated == (game.is_won or game.is_lost)
        assert result.truncated == (result.steps == 500)
    assert evaluation.games_played == 40


def test_batches_of_any_size_give_the_same_results() -> None:
    single = evaluate("random", FEW).results
    for rows in (1, 7, 64):
        batch = evaluate(BatchRandom(), FEW, rows=rows).results
        assert [dataclasses.replace(result, sees="view") for result in batch] == single


def test_random_streams_follow_from_the_game_number() -> None:
    all_results = evaluate("random", FEW).results
    assert evaluate("random", Suite("one", FEW.games[7:8])).results == all_results[7:8]
    assert evaluate("random", FEW, seed=1).results != all_results
    assert len({game_seed(0, number) for number in range(1000)}) == 1000


def test_a_run_cut_anywhere_goes_on(tmp_path: Path) -> None:
    whole = tmp_path / "whole.jsonl"
    evaluate("random", FEW, out=whole)
    data = whole.read_bytes()
    lines = data.splitlines(keepends=True)
    assert [parse_result(line.decode()).code for line in lines] == FEW.codes
    for cut in (0, 1, len(lines[0]) - 1, len(lines[0]), len(data) // 2, len(data) - 1, len(data)):
        part = tmp_path / "part.jsonl"
        part.write_bytes(data[:cut])
        evaluation = evaluate("random", FEW, out=part)
        assert part.read_bytes() == data
        assert evaluation.games_played == 40 - data[:cut].count(b"\n")
        assert len(evaluation.results) == 40


def test_interrupt_keeps_finished_games(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"

    def stop(result: GameResult, finished: int, games: int) -> None:
        assert games == 40
        if finished == 11:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate("random", FEW, out=out, progress=stop)
    assert len(read_results(out)) == 11
    assert evaluate("random", FEW, out=out).games_played == 29


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"agent": "greedy"}, "agent 'greedy', and this run has 'random'"),
        ({"seed": 3}, "seed 3, and this run has 0"),
        ({"step_limit": 77}, "step_limit 77"),
        ({"version": "0.0.0"}, "version '0.0.0'"),
        ({"sees": "everything"}, "sees 'everything', and this run has 'view'"),
    ],
)
def test_results_of_another_run_are_not_mixed(tmp_path: Path, change: dict[str, object], message: str) -> None:
    out = tmp_path / "out.jsonl"
    evaluate("random", FEW, out=out)
    line = json.loads(out.read_text().splitlines()[0])
    out.write_text(json.dumps({**line, **change}) + "\n")
    before = out.read_bytes()
    with pytest.raises(ResultsFileError, match=message):
        evaluate("random", FEW, out=out)
    assert out.read_bytes() == before


def test_a_file_of_something_else_stays_as_it_is(tmp_path: Path) -> None:
    out = tmp_path / "thesis.txt"
    for text in ("my thesis\n", '{"code": 1}\n', "[]\n", "\xff\n", "my thesis", '{"a": 1}', '\n{"a": 1}'):
        out.write_bytes(text.encode("latin-1"))
        with pytest.raises(ResultsFileError, match=r"thesis\.txt, line [12]"):
            evaluate("random", FEW, out=out)
        assert out.read_bytes() == text.encode("latin-1")


def test_unwritable_results_stop_before_any_game(tmp_path: Path) -> None:
    class Untouchable(FirstLegal):
        def act(self, view: PlayerView) -> int:
            raise AssertionError("a game was played")

    for out in (tmp_path, tmp_path / "missing" / "out.jsonl", Path("/dev/full")):
        with pytest.raises(ResultsFileError, match="cannot write"):
            evaluate(Untouchable(), FEW, out=out)


def test_two_runs_do_not_write_to_one_file(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    with (
        open_results(out, agent="random", sees="view", version="0", seed=0, step_limit=1),
        pytest.raises(ResultsFileError, match="another run"),
    ):
        open_results(out, agent="random", sees="view", version="0", seed=0, step_limit=1)


def test_codes_file(tmp_path: Path) -> None:
    path = tmp_path / "codes.txt"
    path.write_text("# games\n\nKL1-D3V-AAAAAAG  # vegas\n  kl1-d1n-aaaaaab\n")
    suite = read_codes_file(path)
    assert suite.games == (FixedGame(6, RULE_SETS["D3V"]), FixedGame(1, RULE_SETS["D1N"]))
    results = evaluate("random", suite).results
    assert [result.rules for result in results] == ["D3V", "D1N"]
    for text, message in (
        ("KL1-D3V-AAAAAAG\nKL1-D3X-AAAAAAG\n", r"codes\.txt, line 2: game code 'KL1-D3X-AAAAAAG'.*mode"),
        ("KL1-D3V-AAAAAAG\n\nkl1-d3v-aaaaaag\n", "line 3: KL1-D3V-AAAAAAG stands in line 1 already"),
        ("# nothing\n", "holds no game code"),
    ):
        path.write_text(text)
        with pytest.raises(CodesFileError, match=message):
            read_codes_file(path)
    with pytest.raises(CodesFileError, match="No such file"):
        read_codes_file(tmp_path / "none.txt")


def test_bad_arguments_of_evaluate() -> None:
    with pytest.raises(OptionError, match="step_limit is 0"):
        evaluate("random", FEW, step_limit=0)
    with pytest.raises(OptionError, match="seed is -1"):
        evaluate("random", FEW, seed=-1)
    with pytest.raises(OptionError, match="rows is 0"):
        evaluate("random", FEW, rows=0)
    with pytest.raises(OptionError, match="no games"):
        evaluate("random", [])
    with pytest.raises(KlondikeError, match="KL2"):
        evaluate("random", ["KL2-D1N-AAAAAAA"])


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nobody", "'nobody' is no agent; agents are random, greedy"),
        ("no_such_module:Agent", "cannot be imported"),
        ("klondike_agents:Nobody", "has no 'Nobody'"),
        ("klondike_env:Game", "cannot be made without arguments"),
        ("collections:OrderedDict", "has no method act or act_batch"),
        ("json.py:Agent", "write the module without .py"),
        (":", "is no agent"),
    ],
)
def test_agents_that_cannot_be_loaded(name: str, message: str) -> None:
    with pytest.raises(PolicyError, match=message):
        load_policy(name)


def test_agents_that_fail_name_the_game(tmp_path: Path) -> None:
    class Illegal(FirstLegal):
        def act(self, view: PlayerView) -> int:
            return 1

    class Broken(FirstLegal):
        def act(self, view: PlayerView) -> int:
            return 1 // 0

    class Leaving(FirstLegal):
        def act(self, view: PlayerView) -> int:
            raise SystemExit(3)

    class Outside(FirstLegal):
        def act(self, view: PlayerView) -> int:
            return 86

    class Short(BatchRandom):
        def act_batch(self, observations: np.ndarray, masks: np.ndarray, generators: object) -> np.ndarray:
            return np.zeros(1, np.int64)

    code = FEW.codes[0]
    with pytest.raises(PolicyError, match=f"game {code}: action 1 .*not legal: the waste is empty"):
        evaluate(Illegal(), FEW)
    with pytest.raises(PolicyError, match=f"failed in game {code}: ZeroDivisionError.*test_evaluation.py"):
        evaluate(Broken(), FEW)
    with pytest.raises(PolicyError, match=f"failed in game {code}: SystemExit"):
        evaluate(Leaving(), FEW)
    with pytest.raises(PolicyError, match="outside the action space"):
        evaluate(Outside(), FEW)
    with pytest.raises(PolicyError, match="shape"):
        evaluate(Short(), FEW)


def test_no_agent_observes_hidden_cards() -> None:
    class Peeking(BatchRandom):
        information = "full"

    class Seeing(BatchRandom):
        information = "visible"

    class WithoutReset:
        def act(self, view: PlayerView) -> int:
            return view.legal_actions()[0]

    with pytest.raises(PolicyError, match="asks for information 'full'; an agent may observe 'visible'"):
        evaluate(Peeking(), FEW)
    with pytest.raises(PolicyError, match="has no method reset"):
        evaluate(WithoutReset(), FEW)
    assert {result.sees for result in evaluate(Seeing(), FEW).results} == {"visible"}
    assert {result.sees for result in evaluate(BatchRandom(), FEW).results} == {"remembered"}
    assert {result.sees for result in evaluate("random", FEW).results} == {"view"}


def test_only_thoughtful_agents_see_the_game() -> None:
    class Peeker:
        name = "peeker"
        thoughtful = True

        def reset(self, seed: int) -> None:
            pass

        def act_on_game(self, game: Game) -> int:
            assert isinstance(game, Game)
            action = game.legal_actions()[0]
            game.play(action)  # A copy: playing on it changes nothing.
            return action

    evaluation = evaluate(Peeker(), Suite("two", FEW.games[:2]), step_limit=30)
    assert evaluation.thoughtful
    assert evaluation.results[0].sees == "everything"


def test_a_win_on_the_last_allowed_step_counts() -> None:
    from golden import read_json_lines

    line = next(line for line in read_json_lines("oracle_d1.jsonl") if line.get("actions"))

    class Solution(FirstLegal):
        def reset(self, seed: int) -> None:
            self.actions = iter(line["actions"])

        def act(self, view: PlayerView) -> int:
            return next(self.actions)

    class SolvedGame(FixedGame):
        def start(self) -> Game:
            return Game.from_deck(line["deck"], "D1N")

    games = Suite("solved", (SolvedGame(0, RULE_SETS["D1N"]),))
    steps = len(line["actions"])
    result = evaluate(Solution(), games, step_limit=steps).results[0]
    assert (result.won, result.terminated, result.truncated, result.steps) == (True, True, True, steps)
    result = evaluate(Solution(), games, step_limit=steps - 1).results[0]
    assert (result.won, result.terminated, result.truncated) == (False, False, True)


def test_games_lost_from_the_deal_count_once() -> None:
    lost = [game for game in get_suite("D3N-dev").games if game.start().is_lost]
    assert lost
    for result in evaluate("random", Suite("lost", tuple(lost))).results:
        assert (result.steps, result.won, result.terminated, result.truncated) == (1, False, True, False)


def test_wilson_interval_equals_published_values() -> None:
    # Newcombe, "Two-sided confidence intervals for the single proportion", Statistics in Medicine 17 (1998), table I.
    for wins, games, low, high in ((81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611)):
        interval = wilson_interval(wins, games)
        assert interval == pytest.approx((low, high), abs=5e-5)
    assert math.isclose(wilson_interval(29, 29)[1], 1.0)
    with pytest.raises(ValueError, match="games must be at least 1"):
        wilson_interval(0, 0)


def test_summary_adds_up() -> None:
    evaluation = evaluate("random", FEW)
    summary = summarize(evaluation.results)
    assert summary.games == 40
    assert summary.wins == sum(result.won for result in evaluation.results)
    assert summary.mean_score == pytest.approx(np.mean([result.score for result in evaluation.results]))
    assert summary.mean_steps == pytest.approx(np.mean([result.steps for result in evaluation.results]))
    with pytest.raises(ValueError, match="no results"):
        summarize([])
