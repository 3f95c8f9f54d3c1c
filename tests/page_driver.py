"""A headless browser for the tests of pages, and what it reads off them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from klondike_env import Game, card_name
from klondike_env.cards import SUIT_NAMES

CHROMIUM = shutil.which("chromium")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
Places = dict[int, tuple[str, int, bool, str]]
"""For each card its pile, its place in it from the bottom (for the stock: from the next), whether its face is in sight,
and the face that is drawn."""


@contextmanager
def open_browser() -> Iterator[Any]:
    """Start Chromium; without it tests fail in CI and are skipped elsewhere."""
    if CHROMIUM is None:
        message = "there is no chromium; apt-get install chromium"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


class Watched:
    """A page whose console, errors and requests are noted."""

    def __init__(self, browser: Any, **options: Any) -> None:
        self.context = browser.new_context(**{"viewport": {"width": 1300, "height": 900}, **options})
        self.page = self.context.new_page()
        self.troubles: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.troubles.append(message.text))
        self.page.on("pageerror", lambda error: self.troubles.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))

    def open(self, path: Path, address: str = "", ready: str = "#step-count:not(:empty)") -> Any:
        """Open a file and wait until an element is there."""
        self.page.goto(path.as_uri() + address)
        self.page.wait_for_selector(ready)
        return self.page

    def close(self) -> None:
        """Close the page, which must have been quiet and alone."""
        self.context.close()
        assert self.troubles == []
        assert all(request.startswith("file:") for request in self.requests)
        assert len(self.requests) >= 1


def symbols(text: str) -> str:
    """Return card names as a page writes them: suits as symbols, ten with two digits."""
    for letter, symbol in zip("SHDC", "♠♥♦♣", strict=True):
        text = text.replace(letter, symbol)
    return text.replace("T", "10")


def face_text(card: int) -> str:
    """Return the name of a card as a page writes it."""
    return symbols(card_name(card))


def places_on_page(page: Any) -> Places:
    """Return where a page shows the cards."""
    rows = page.eval_on_selector_all(
        ".card",
        "cards => cards.map(c => [c.dataset.pile, Number(c.dataset.at), c.dataset.up === 'true', c.dataset.face])",
    )
    return {card: tuple(row) for card, row in enumerate(rows)}


def places_in_game(game: Game) -> Places:
    """Return where a game has the cards, as its public face tells it."""
    places: Places = {}

    def put(card: int, pile: str, at: int, up: bool) -> None:
        places[card] = (pile, at, up, face_text(card) if up else "")

    for at, card in enumerate(game.stock):
        put(card, "stock", at, False)
    for at, card in enumerate(game.waste):
        put(card, "waste", at, at >= len(game.waste) - len(game.waste_in_sight))
    for suit, name in enumerate(SUIT_NAMES):
        for rank in range(game.foundation_height(suit)):
            put(13 * suit + rank, name, rank, True)
    for column in range(1, 8):
        for at, card in enumerate(game.column(column)):
            put(card, f"column {column}", at, at >= game.face_down_count(column))
    return places


def legal_on_page(page: Any) -> list[int]:
    """Return the legal actions that a page lists, in ascending order."""
    actions = page.eval_on_selector_all("#legal-moves li", "items => items.map(item => Number(item.dataset.action))")
    return sorted(actions)


def drawn_at(page: Any, card: int) -> bool:
    """Return whether the face of a card is drawn anywhere."""
    return bool(page.evaluate("face => document.querySelector(`.card[data-face='${face}']`) !== null", face_text(card)))


def assert_shows(page: Any, game: Game) -> None:
    """Compare everything that a page shows of a position with the engine's."""
    assert places_on_page(page) == places_in_game(game)
    assert legal_on_page(page) == game.legal_actions()
    assert page.text_content("#score") == game.score_text
    left = game.passes_left
    ending = "" if left is None else ", the last" if left == 0 else f", {left} left"
    assert page.text_content("#pass") == f"{game.pass_number}{ending}"
    sign = page.get_attribute(".place.stock", "data-sign")
    assert sign == ("" if game.stock else "redeal" if game.can_redeal else "no pass" if game.waste else "")
