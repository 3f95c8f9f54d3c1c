"""``klondike report``: figures put together rightly, and a page whose grid and replays are those of the results."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from commands import run_klondike
from page_driver import Watched, assert_shows, open_browser
from playwright.sync_api import expect

from klondike_env.errors import ResultsFileError
from klondike_env.evaluation import evaluate, read_results, wilson_interval
from klondike_env.records import find_records, read_record
from klondike_env.replay.report import read_report, report_row
from klondike_env.replay.report_page import find_replays, report_page
from klondike_env.suites import FixedGame, Suite, get_suite


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of results: greedy on 40 games of D1N-dev, 30 of them recorded, and random."""
    folder = tmp_path_factory.mktemp("results")
    games = get_suite("D1N-dev").games
    evaluate("greedy", Suite("some", games[:30]), out=folder / "greedy.jsonl", record=folder / "records")
    evaluate("greedy", Suite("some", games[30:40]), out=folder / "greedy-2.jsonl")
    evaluate("random", Suite("some", games[:25]), out=folder / "random.jsonl", step_limit=60)
    vegas = Suite(
        "some", tuple(FixedGame(number, game.rules) for number, game in enumerate(get_suite("D3V-dev").games[:5]))
    )
    evaluate("random", vegas, out=folder / "vegas.jsonl", step_limit=60)
    return folder


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """One browser for all tests of this file."""
    with open_browser() as browser:
        yield browser


def results_files(folder: Path) -> list[Path]:
    """Return the results files of the folder."""
    return [folder / f"{name}.jsonl" for name in ("greedy", "greedy-2", "random", "vegas")]


def test_results_are_put_together_by_suite_and_agent(folder: Path) -> None:
    runs = read_report([*results_files(folder), folder / "greedy.jsonl"])
    assert [(run.agent, run.suite, len(run.results)) for run in runs] == [
        ("greedy", "D1N-dev", 40),
        ("random", "D1N-dev", 25),
        ("random", "D3V-dev", 5),
    ]
    assert [result.code for result in runs[0].results] == get_suite("D1N-dev").codes[:40]
    wins = sum(result.won for result in runs[0].results)
    assert 20 <= wins <= 38
    low, high = (100 * end for end in wilson_interval(wins, 40))
    row = report_row(runs[0])
    assert row[:4] == ["greedy", "D1N-dev", "40", f"{100 * wins / 40:.1f} % [{low:.1f}, {high:.1f}]"]
    labels = get_suite("D1N-dev").labels
    assert labels is not None
    winnable = labels.verdicts[:40].count("winnable")
    assert runs[0].winnable == winnable
    assert row[8].startswith(f"{100 * wins / winnable:.1f} %")
    assert report_row(runs[2])[4].startswith(("+$", "-$"))


def test_games_of_no_suite_and_agents_that_see_all_cards(folder: Path, tmp_path: Path) -> None:
    results = read_results(folder / "greedy.jsonl")
    seer = [replace(result, agent="seer", sees="everything", won=True) for result in results]
    other = [replace(results[0], code="KL1-D1N-ZZZZZA", rules="D1N,passes=3")]
    other = [replace(result, code="KL1-D1N-BAAAAAA") for result in other]
    path = tmp_path / "mixed.jsonl"
    path.write_text("".join(result.to_line() + "\n" for result in (*seer, *results, *other)))
    runs = read_report([path])
    assert [(run.title, run.suite) for run in runs] == [
        ("greedy", "D1N-dev"),
        ("seer (sees all cards)", "D1N-dev"),
        ("greedy", "codes, D1N,passes=3"),
    ]
    assert runs[2].winnable == (1 if results[0].won else None)
    assert "KL1-D1N-BAAAAAA" in report_page(runs)


def test_another_outcome_of_the_same_game_is_refused(folder: Path, tmp_path: Path) -> None:
    results = read_results(folder / "greedy.jsonl")
    path = tmp_path / "other.jsonl"
    path.write_text(replace(results[3], score=results[3].score + 5).to_line() + "\n")
    with pytest.raises(ResultsFileError, match=rf"other\.jsonl: game {results[3].code} with agent 'greedy'"):
        read_report([folder / "greedy.jsonl", path])
    path.write_text("")
    with pytest.raises(ResultsFileError, match="holds no results"):
        read_report([path])


def test_the_command_prints_tables(folder: Path) -> None:
    shown = run_klondike("report", *results_files(folder))
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.count("D1N-dev") == 2
    markdown = run_klondike("report", *results_files(folder), "--markdown").stdout
    lines = markdown.strip().split("\n")
    assert lines[0].startswith("| agent | suite | games |")
    assert len(lines) == 5
    assert len({line.count("|") for line in lines}) == 1
    for arguments, message in (
        ([folder / "nothing.jsonl"], "cannot read"),
        ([folder / "greedy.jsonl", "--records", folder], "give --html"),
        ([folder / "greedy.jsonl", "--html", folder], "is a folder"),
        ([folder / "greedy.jsonl", "--html", folder / "greedy.jsonl"], "is no page made by klondike"),
        ([folder / "greedy.jsonl", "--html", folder / "x.html", "--records", folder / "no"], "is no folder of records"),
    ):
        wrong = run_klondike("report", *arguments)
        assert (wrong.returncode, message in wrong.stderr) == (2, True), wrong.stderr
    assert not (folder / "x.html").exists()


def test_replays_are_found_by_what_they_record(folder: Path, tmp_path: Path) -> None:
    runs = read_report(results_files(folder))
    replays, left_out = find_replays(runs, folder / "records")
    assert left_out == 0
    assert len(replays) == 30
    assert all(place == 0 and record.code == code for (place, code), record in replays.items())
    changed = [replace(runs[0], results=tuple(replace(result, steps=1) for result in runs[0].results)), *runs[1:]]
    assert find_replays(changed, folder / "records") == ({}, 30)
    other_seed = [replace(run, seed=1) for run in runs]
    assert find_replays(other_seed, folder / "records") == ({}, 30)


def test_the_page_shows_each_game_and_its_replay(folder: Path, tmp_path: Path, browser: Any) -> None:
    path = tmp_path / "results.html"
    command = ["report", *results_files(folder), "--html", path, "--records", folder / "records"]
    shown = run_klondike(*command)
    assert shown.returncode == 0, shown.stderr
    assert "70 games, 30 replays" in shown.stdout
    watched = Watched(browser)
    page = watched.open(path, ready="#grid button")
    assert page.locator("tbody tr").count() == 3
    runs = read_report(results_files(folder))
    labels = get_suite("D1N-dev").labels
    assert labels is not None
    kinds = page.eval_on_selector_all("#grid button", "items => items.map(item => item.classList[0])")
    expected = [
        "won" if r.won else {"winnable": "lost", "unwinnable": "unwinnable"}[v]
        for r, v in zip(runs[0].results, labels.verdicts, strict=False)
    ]
    assert kinds == [*expected, *["unplayed"] * 960]
    assert f"{kinds.count('won')} won" in page.text_content("#legend")

    records = {record.code: record for record in map(read_record, find_records(folder / "records").values())}
    for place in (0, 7, 29):
        page.click(f"#grid button >> nth={place}")
        record = records[runs[0].results[place].code]
        expect(page.locator("#game-name")).to_have_text(str(record.code))
        page.click("#to-end")
        assert_shows(page, record.final_game())
        words = str(page.text_content("#cell-words"))
        assert words.startswith(str(record.code))
        assert f"Score {runs[0].results[place].score}," in words
    page.click("#previous-game")
    expect(page.locator("#game-name")).to_have_text(runs[0].results[28].code)
    assert page.locator("#grid [aria-current]").get_attribute("data-place") == "28"

    page.click("#grid button >> nth=35")
    assert page.is_hidden("#replay-section")
    assert f"klondike play {runs[0].results[35].code}" in page.text_content("#game-hint")
    page.click("[data-run='2']")
    expect(page.locator("#grid-title")).to_contain_text("random on D3V-dev")
    assert "$" in page.text_content("#cell-words")
    watched.close()


def test_the_grid_by_keyboard_and_on_a_phone(folder: Path, tmp_path: Path, browser: Any) -> None:
    path = tmp_path / "results.html"
    runs = read_report([folder / "greedy.jsonl"])
    replays, _ = find_replays(runs, folder / "records")
    path.write_text(report_page(runs, replays), encoding="utf-8")
    watched = Watched(browser, viewport={"width": 360, "height": 740}, color_scheme="dark")
    page = watched.open(path, ready="#grid button")
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    focused = "document.activeElement.dataset.place"
    page.focus("#grid [tabindex='0']")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    assert page.evaluate(focused) == "1"
    page.keyboard.press("ArrowDown")
    below = int(page.evaluate(focused))
    assert below > 5
    tops = page.eval_on_selector_all("#grid button", "items => items.map(item => item.offsetTop)")
    lefts = page.eval_on_selector_all("#grid button", "items => items.map(item => item.offsetLeft)")
    assert (lefts[below], tops[below] > tops[1]) == (lefts[1], True)
    page.keyboard.press("End")
    assert page.evaluate(focused) == "999"
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    expect(page.locator("#game-name")).to_have_text(runs[0].results[0].code)
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    # The game that was chosen is in sight, and arrows step through it; in the grid they go from game to game.
    expect(page.locator("#game-name")).to_be_focused()
    expect(page.locator("#game-name")).to_be_in_viewport()
    page.keyboard.press("ArrowRight")
    assert page.text_content("#step-count").startswith("1 /")
    expect(page.locator("#game-name")).to_be_in_viewport()
    page.focus("#grid [tabindex='0']")
    page.keyboard.press("ArrowRight")
    assert page.evaluate(focused) == "1"
    assert page.text_content("#step-count").startswith("1 /")
    watched.close()


def test_names_in_results_are_only_texts(folder: Path, tmp_path: Path, browser: Any) -> None:
    results = [replace(result, agent="<img src=x>") for result in read_results(folder / "random.jsonl")]
    results_file = tmp_path / "results.jsonl"
    results_file.write_text("".join(result.to_line() + "\n" for result in results))
    path = tmp_path / "results.html"
    path.write_text(report_page(read_report([results_file]), title="</title><img>"), encoding="utf-8")
    watched = Watched(browser)
    page = watched.open(path, ready="#grid button")
    assert page.title() == "</title><img>"
    assert page.text_content("tbody button") == "<img src=x>"
    assert page.locator("img").count() == 0
    watched.close()
