"""The replay page in a browser: what it shows at each step is what the engine says, by every way to get there."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from page_driver import Watched, assert_shows, drawn_at, legal_on_page, open_browser, places_on_page, symbols
from playwright.sync_api import expect
from test_records import DECK_F
from test_replay import random_record, won_record

from klondike_env import Deal, Game, make_rules, parse_card
from klondike_env.evaluation import Thoughts
from klondike_env.records import Entry, GameRecord
from klondike_env.replay.page import replay_page, write_page
from klondike_env.replay.words import record_words

MakePage = Callable[..., Any]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """One browser for all tests of this file."""
    with open_browser() as browser:
        yield browser


@pytest.fixture
def make_page(browser: Any, tmp_path: Path) -> Iterator[MakePage]:
    """Write a page of records, open it, and see at the end that it was quiet and asked for nothing."""
    opened: list[Watched] = []

    def make(records: list[GameRecord], address: str = "", **options: Any) -> Any:
        path = tmp_path / "page.html"
        write_page(path, replay_page(records))
        opened.append(Watched(browser, **options))
        return opened[-1].open(path, address)

    yield make
    for watched in opened:
        watched.close()


def played(code_or_deck: str, moves: list[int | str], rules: str = "D1N") -> GameRecord:
    """Return a record of moves."""
    deal = Game.from_code(code_or_deck).deal if code_or_deck.startswith("KL1") else Deal.from_text(code_or_deck)
    assert deal is not None
    return GameRecord(deal, make_rules(rules), "person", {}, tuple(Entry(move) for move in moves))


def go_to(page: Any, step: int) -> None:
    """Move the slider to a step, as a drag does."""
    page.locator("#slider").fill(str(step))


def positions(record: GameRecord) -> list[Game]:
    """Return the game at each step."""
    return [record.start(), *(game.copy() for _, game in record.replay())]


def count_text(page: Any) -> str:
    """Return the step that the page says it is at."""
    return str(page.text_content("#step-count"))


@pytest.mark.parametrize(("rules", "number"), [("D1N", 21), ("D3N", 22), ("D3V", 23), ("three-pass", 24)])
def test_every_step_shows_what_the_engine_says(make_page: MakePage, rules: str, number: int) -> None:
    record = random_record(number, rules, number, steps=110)
    page = make_page([record])
    games = positions(record)
    words = ["the deal", *(symbols(text) for _, text, _ in record_words(record))]
    for step in [0, 1, 2, 3, 110, 109, 50, 51, 75, 4]:
        go_to(page, step)
        assert_shows(page, games[step])
        assert str(page.text_content("#step-words")).startswith(words[step])
    page.click("#history summary")
    expect(page.locator("#all-moves li")).to_have_count(111)
    listed = page.eval_on_selector_all("#all-moves .words", "items => items.map(item => item.textContent)")
    assert listed == words
    page.click("#all-moves button[data-step='33']")
    assert_shows(page, games[33])


def test_buttons_keys_and_slider(make_page: MakePage) -> None:
    record = random_record(31, "D1N", 31, steps=60)
    games = positions(record)
    page = make_page([record])
    assert count_text(page) == "0 / 60"
    assert page.is_disabled("#back")
    page.click("#forward")
    page.click("#forward")
    page.click("#back")
    assert count_text(page) == "1 / 60"
    page.click("#to-end")
    assert_shows(page, games[60])
    assert page.is_disabled("#forward")
    page.click("#to-start")
    assert_shows(page, games[0])
    page.evaluate("document.activeElement.blur()")
    keys = [("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("PageDown", 11), ("PageUp", 1), ("End", 60)]
    for key, step in [*keys, ("ArrowRight", 60), ("Home", 0), ("ArrowLeft", 0)]:
        page.keyboard.press(key)
        assert count_text(page) == f"{step} / 60"
    page.focus("#slider")
    for key, step in [("ArrowRight", 1), ("PageDown", 11), ("End", 60), ("Home", 0)]:
        page.keyboard.press(key)
        assert count_text(page) == f"{step} / 60"
    assert_shows(page, games[0])


def test_what_was_done_is_seen_beside_the_buttons_on_a_low_screen(make_page: MakePage) -> None:
    page = make_page([random_record(32, "D1N", 32, steps=20)], viewport={"width": 1200, "height": 500})
    page.click("#forward")
    expect(page.locator("#step-words")).to_be_in_viewport(ratio=1)
    x, y = (page.locator("#step-words").bounding_box()[name] for name in ("x", "y"))
    assert page.evaluate("([x, y]) => document.elementFromPoint(x + 3, y + 3).id", [x, y]) == "step-words"


def test_playing_by_itself_pauses_and_stops_at_the_end(make_page: MakePage) -> None:
    record = random_record(32, "D1N", 32, steps=40)
    page = make_page([record])
    page.select_option("#speed", "40")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("Space")
    assert page.text_content("#play") == "Pause"
    expect(page.locator("#step-count")).to_have_text(re.compile(r"^([5-9]|[1-4][0-9]) /"))
    page.keyboard.press("Space")
    assert page.text_content("#play") == "Play"
    stopped_at = count_text(page)
    page.wait_for_timeout(200)
    assert count_text(page) == stopped_at
    page.click("#play")
    expect(page.locator("#step-count")).to_have_text("40 / 40")
    assert page.text_content("#play") == "Play"
    assert_shows(page, record.final_game())
    page.focus("#play")
    page.keyboard.press("Space")
    expect(page.locator("#play")).to_have_text("Pause")
    page.keyboard.press("Enter")
    assert page.text_content("#play") == "Play"


def test_an_undone_turn_shows_nothing_of_the_card(make_page: MakePage) -> None:
    page = make_page([played(DECK_F, [0, "undo"])])
    nine = parse_card("9H")
    go_to(page, 1)
    assert drawn_at(page, nine)
    assert 8 in legal_on_page(page)
    go_to(page, 2)
    assert not drawn_at(page, nine)
    assert "9♥" not in page.inner_text("body")
    assert "nine of hearts" not in page.text_content(".for-readers >> nth=0")
    assert legal_on_page(page) == [0, 9, 46, 63]
    assert page.text_content("#stock-count") == "24"
    assert page.text_content("#waste-count") == "0"
    page.check("#show-hidden")
    assert drawn_at(page, nine)
    page.uncheck("#show-hidden")
    assert not drawn_at(page, nine)


def test_passes_and_the_sign_on_the_stock(make_page: MakePage) -> None:
    one_pass = played("KL1-D1V-AAAAAAG", [0] * 24, "D1V")
    moves: list[int | str] = [0] * 8 + [0] + [0] * 8 + [0] + [0] * 8 + ["undo"] * 9
    page = make_page([one_pass, played("KL1-D3N-AAAAAAG", moves, "D3N,passes=3")], "#1/24")
    assert legal_on_page(page) == [11, 67, 68]
    assert page.get_attribute(".place.stock", "data-sign") == "no pass"
    no_pass = page.inner_html(".place.stock svg")
    page.keyboard.press("n")
    expect(page.locator("#game-name")).to_contain_text("D3N")
    seen = {}
    for step in (0, 8, 9, 17, 18, 26, 34, 35):
        go_to(page, step)
        seen[step] = (page.text_content("#pass"), page.get_attribute(".place.stock", "data-sign"))
    assert seen[0] == ("1, 2 left", "")
    assert seen[8] == ("1, 2 left", "redeal")
    assert seen[9] == ("2, 1 left", "")
    assert seen[17] == ("2, 1 left", "redeal")
    assert seen[18] == ("3, the last", "")
    assert seen[26] == ("3, the last", "no pass")
    assert seen[34] == ("3, the last", "")
    assert seen[35] == ("2, 1 left", "redeal")
    assert page.inner_html(".place.stock svg") != no_pass


@pytest.mark.parametrize(("mode", "turns"), [("D1N", 24), ("D3N", 8)])
def test_the_second_pass_runs_in_the_same_order(make_page: MakePage, mode: str, turns: int) -> None:
    page = make_page([played(f"KL1-{mode}-AAAAAAG", [0] * (turns + 1 + 3), mode)])
    first = []
    for step in range(1, 4):
        go_to(page, step)
        first.append(places_on_page(page))
    names = ["AS", "8D", "2C"]
    go_to(page, turns + 1)
    assert page.text_content("#waste-count") == "0"
    for step in range(1, 4):
        go_to(page, turns + 1 + step)
        assert places_on_page(page) == first[step - 1]
        waste = {card: place for card, place in places_on_page(page).items() if place[0] == "waste"}
        order = sorted(waste, key=lambda card: waste[card][1])
        if mode == "D1N":
            assert order == [parse_card(name) for name in names[:step]]
        else:
            assert order[:3] == [parse_card(name) for name in names]
            assert len(order) == 3 * step


def test_a_won_game_is_won_and_nothing_else(make_page: MakePage) -> None:
    record = won_record()
    page = make_page([record])
    page.keyboard.press("End")
    assert_shows(page, record.final_game())
    assert page.text_content("#outcome") == "won"
    assert page.text_content("#legal-moves") == ""
    assert "lost" not in page.inner_text("body")
    page.keyboard.press("ArrowLeft")
    assert page.text_content("#outcome") == "in play"


def test_thoughts_are_shown_as_bars(make_page: MakePage) -> None:
    thoughts = Thoughts({0: 0.7, 11: 0.25, 67: 0.05}, 0.4, {0: 0.6, 11: 0.1})
    points = Thoughts({0: 1.0}, -12.5, unit="points")
    share = Thoughts({0: 1.0}, 0.5, unit="share of sampled games won")
    entries = (Entry(11, 1, thoughts), Entry(0, 2, points), Entry(0, 3), Entry(0, 4, share))
    record = GameRecord(Deal.from_number(6), make_rules("D1N"), "search", {"seed": "3"}, entries)
    page = make_page([record])
    assert page.text_content("#value") == "chance to win: 40 %"
    rows = page.locator("#legal-moves li")
    assert rows.count() == 4
    assert [row.inner_text().split("\n") for row in rows.all()][:2] == [
        ["turn the stock", "70 %", "60 %"],
        ["A♥: column 3 to foundation ← played", "25 %", "10 %"],
    ]
    width = page.evaluate(
        "(() => { const bar = document.querySelector('#legal-moves .bar');"
        " return bar.firstChild.getBoundingClientRect().width / bar.getBoundingClientRect().width; })()"
    )
    assert width == pytest.approx(0.7, abs=0.02)
    page.keyboard.press("ArrowRight")
    assert page.text_content("#value") == "points: -12.5"
    page.keyboard.press("ArrowRight")
    assert page.is_hidden("#value")
    assert page.locator("#legal-moves .bar").count() == 0
    assert legal_on_page(page) == positions(record)[2].legal_actions()
    page.keyboard.press("ArrowRight")
    assert page.text_content("#value") == "share of sampled games won: 50 %"


def test_marks_of_the_last_move_and_of_what_can_move(make_page: MakePage) -> None:
    record = played("KL1-D1N-AAAAAAG", [11, 0])
    page = make_page([record])
    cards = "items => items.map(item => item.dataset.face)"
    assert page.is_hidden(".from")
    assert page.locator(".card.can-move").count() >= 3
    page.keyboard.press("ArrowRight")
    assert page.eval_on_selector_all(".card.moved", cards) == ["A♥"]
    assert page.eval_on_selector_all(".card.turned-up", cards) == ["2♥"]
    assert page.is_visible(".from")
    page.uncheck("#show-legal")
    assert page.locator(".can-move").count() == 0
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("ArrowRight")
    assert page.eval_on_selector_all(".card.moved", cards) == ["A♠"]


def test_the_list_of_games_searches_filters_and_sorts(make_page: MakePage) -> None:
    records = [random_record(number, "D3N" if number % 2 else "D1N", number, 20 + number % 7) for number in range(120)]
    records += [won_record()]
    page = make_page(records, "#121/3")
    assert page.text_content("#found") == "121 games"
    expect(page.locator("#game-name")).to_have_text(records[-1].code)
    assert count_text(page).startswith("3 / ")
    assert page.text_content("#page-number") == "101–121"
    page.fill("#search", "d3n aaaaadf")
    assert page.text_content("#found") == "1 of 121 games"
    page.click("#game-list button")
    expect(page.locator("#game-name")).to_have_text("KL1-D3N-AAAAADF")
    page.fill("#search", "")
    page.select_option("#outcome-filter", "won")
    assert page.text_content("#found") == "1 of 121 games"
    page.select_option("#outcome-filter", "")
    page.select_option("#rules-filter", "=D1N")
    assert page.text_content("#found") == "60 of 121 games"
    page.select_option("#rules-filter", "")
    page.select_option("#order", "most points")
    page.locator("#game-list button").nth(0).click()
    expect(page.locator("#game-name")).to_have_text(records[-1].code)
    page.focus("#game-list button >> nth=0")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator("#game-list li:nth-child(2) button")).to_have_attribute("aria-current", "true")
    assert page.evaluate("document.activeElement.dataset.index !== undefined")
    page.fill("#search", "no such game")
    assert page.text_content("#found") == "0 of 121 games"
    assert page.locator("#game-list button").count() == 0


@pytest.mark.slow
def test_a_thousand_games_open_at_once(make_page: MakePage, tmp_path: Path) -> None:
    records = []
    for number in range(1000):
        game = Game.from_number(number, "D3N")
        entries = []
        for step in range(60):
            legal = game.legal_actions()
            action = legal[(number + step) % len(legal)]
            game.play(action)
            entries.append(Entry(action))
        records.append(GameRecord(Deal.from_number(number), game.rules, "third", {}, tuple(entries)))
    page = make_page(records, "#1000/60")
    assert (tmp_path / "page.html").stat().st_size < 5_000_000
    assert_shows(page, records[999].final_game())
    timing = page.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd")
    # A tenth of this on a quiet machine.
    assert timing < 5000
    page.click("#earlier")
    page.click("#game-list button >> nth=7")
    expect(page.locator("#game-name")).to_have_text(records[907].code)
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("End")
    assert_shows(page, records[907].final_game())
    milliseconds = page.evaluate(
        "(() => { const box = document.querySelector('#search'), start = performance.now();"
        " for (const text of ['a', 'aa', 'aab', '']) { box.value = text; box.dispatchEvent(new Event('input')); }"
        " return performance.now() - start; })()"
    )
    assert milliseconds < 2000


def test_texts_from_records_are_only_texts(make_page: MakePage) -> None:
    agent = "</script><img src=x onerror=\"document.title='bad'\">"
    record = GameRecord(Deal.from_number(6), make_rules("D1N"), agent, {"note": "<b>{{data}}</b>"}, (Entry(0),))
    page = make_page([record, record])
    assert page.title() == "Klondike replay"
    assert f"played by {agent}" in page.text_content("#game-facts")
    assert "<b>{{data}}</b>" in page.text_content("#game-facts")
    assert page.locator("img").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_can_be_read_in_light_and_dark(make_page: MakePage, scheme: str) -> None:
    page = make_page([won_record(), random_record(3, "D1N", 3)], color_scheme=scheme)
    page.keyboard.press("ArrowRight")
    contrast = page.evaluate(
        """(() => {
          const light = (text) => {
            const [r, g, b] = text.match(/[0-9.]+/g).slice(0, 3).map((v) => v / 255)
              .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
          };
          const ground = (node) => {
            for (; node; node = node.parentElement) {
              const colour = getComputedStyle(node).backgroundColor;
              if (!/, 0\\)$/.test(colour)) return colour;
            }
          };
          const texts = ["h1", "#game-facts", "#score", "dt", "#step-words", "#play", "#step-count", ".chosen .words",
            ".mark", ".tag.won", ".tag.open", ".facts", "#outcome", "#found", "#search", ".keys"];
          return texts.map((name) => {
            const node = document.querySelector(name);
            const [a, b] = [light(getComputedStyle(node).color), light(ground(node))];
            return [name, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)];
          });
        })()"""
    )
    assert len(contrast) == 16
    assert {name: ratio for name, ratio in contrast if ratio < 4.5} == {}


def test_a_phone_shows_everything_within_its_width(make_page: MakePage) -> None:
    record = random_record(33, "D3N", 33)
    page = make_page([record, won_record()], viewport={"width": 360, "height": 740}, has_touch=True)
    assert page.is_hidden("#games")
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    inside = "items => items.every(item => item.getBoundingClientRect().right <= 360)"
    assert page.eval_on_selector_all(".card, .buttons *, .status *", inside)
    sizes = "items => Math.min(...items.map(item => item.getBoundingClientRect().height))"
    assert page.eval_on_selector_all(".buttons button", sizes) >= 40
    for place in ("#play", "#forward"):
        assert page.locator(place).is_visible()
        assert page.evaluate("name => document.querySelector(name).getBoundingClientRect().bottom <= 740", place)
    page.tap("#toggle-list")
    assert page.get_attribute("#toggle-list", "aria-expanded") == "true"
    page.tap("#game-list button >> nth=1")
    expect(page.locator("#game-name")).to_have_text("KL1-D3N-AAAAAAG")
    assert page.is_hidden("#games")
    assert page.evaluate("document.documentElement.scrollWidth") == 360


def test_keyboard_focus_is_seen_and_motion_can_be_off(make_page: MakePage) -> None:
    page = make_page([won_record()], reduced_motion="reduce")
    assert page.evaluate("getComputedStyle(document.querySelector('.card')).transitionDuration") == "0s"
    reached = set()
    for _ in range(16):
        page.keyboard.press("Tab")
        name, style, width = page.evaluate(
            "(() => { const node = document.activeElement, style = getComputedStyle(node);"
            " return [node.id || node.tagName, style.outlineStyle, parseFloat(style.outlineWidth)]; })()"
        )
        if name != "BODY":
            assert (style, width >= 2) == ("solid", True), name
        reached.add(name)
    assert {"copy-code", "slider", "play", "forward", "speed", "show-legal", "show-hidden"} <= reached
    unnamed = page.eval_on_selector_all(
        "button, select, input",
        "items => items.filter(item => item.offsetParent && !item.getAttribute('aria-label')"
        " && !item.textContent.trim() && !item.labels?.length).map(item => item.id)",
    )
    assert unnamed == []
