"""The picture of the whole window: table, cards in the air, panel, bar."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import pygame

from klondike_env.actions import STOCK_PILE
from klondike_env.cards import Card
from klondike_env.playing.playing_agent import Choice
from klondike_env.playing.session import PlaySession
from klondike_env.playing.terminal_board import Marks
from klondike_env.playing.window_bar import Bar, SidePanel
from klondike_env.playing.window_table import Table, spot_of_place
from klondike_env.rendering.painter import MARK_HINT, MARK_SELECTED, MARK_TARGET, TableMarks
from klondike_env.rendering.table_layout import Spot
from klondike_env.rendering.texts import Rgb

SMALLEST_WINDOW: Final = (320, 240)
AGENT_PANEL, HINTS_PANEL = "agent", "hints"


@dataclass(frozen=True, slots=True)
class Shown:
    """What is to be shown beside the position.

    Attributes:
        message: The line below the table.
        is_refusal: Whether it says why something was refused.
        keys: The cursor and hand of the keys.
        shows_cursor: Whether the cursor is to be seen.
        flying: Cards in the air, each with its upper left corner.
        agent_runs: Whether the agent plays on.
        agent_thinks: Whether something is awaited of it.
        choice: What it chose last.
        choice_text: The same in words.
    """

    message: str
    is_refusal: bool
    keys: Marks
    shows_cursor: bool
    flying: list[tuple[Card, int, int]]
    agent_runs: bool
    agent_thinks: bool
    choice: Choice | None
    choice_text: str


class Scene:
    """Everything in its place, for one size of the window and one panel.

    Attributes:
        size: Width and height of the window.
        table: The table.
        bar: The line and the buttons below it.
        side: Where the panel lies, if there is one.
        panel: ``"hints"``, ``"agent"`` or None for no panel.
    """

    def __init__(self, size: tuple[int, int], panel: str | None) -> None:
        """Lay out a window; a very small one is laid out as the smallest."""
        self.size = width, height = self.fitting(size)
        self.panel = panel
        self.bar = Bar(width, height)
        self.side = SidePanel(width, height, self.bar.height)
        footer = self.bar.height
        if panel is not None and self.side.beside:
            width -= self.side.box.width
        elif panel is not None:
            footer += self.side.box.height
        self.table = Table(width, height, footer)

    @staticmethod
    def fitting(size: tuple[int, int]) -> tuple[int, int]:
        """Return the size that a window of some size is laid out for."""
        return max(size[0], SMALLEST_WINDOW[0]), max(size[1], SMALLEST_WINDOW[1])

    def on_panel(self, x: float, y: float) -> bool:
        """Return whether a point lies on an open panel."""
        return self.panel is not None and self.side.box.collidepoint(x, y)

    def draw(self, surface: pygame.Surface, session: PlaySession, shown: Shown) -> None:
        """Draw the window."""
        move = session.last_move
        in_the_air = {card for card, _, _ in shown.flying}
        marks = TableMarks(
            code=session.code_text,
            moved=() if move is None else [card for card in move.cards if card not in in_the_air],
            redealt=move is not None and move.source == STOCK_PILE and not move.cards,
            outlined=self._outlines(session, shown),
            lifted=in_the_air,
        )
        painter = self.table.painter
        painter.draw(surface, session.view, marks)
        if self.panel is not None:
            self._draw_panel(surface, session, shown)
        self._draw_bar(surface, session, shown)
        for card, x, y in shown.flying:
            painter.draw_card(surface, card, x, y)

    def _outlines(self, session: PlaySession, shown: Shown) -> dict[Spot, Rgb]:
        """Return what is outlined: legal moves, the agent's choice, what keys hold and where it may go, the cursor."""
        view = session.view
        actions: list[int] = []
        if self.panel == HINTS_PANEL:
            actions = session.hints()
        elif self.panel == AGENT_PANEL and session.agent_choice is not None:
            actions = [session.agent_choice.action]
        outlines: dict[Spot, Rgb] = {}
        sources: dict[Spot, Rgb] = {}
        for action in actions:
            source, target = session.places_of(action)
            if source != STOCK_PILE:
                outlines[spot_of_place(target)] = MARK_TARGET
            sources[self._card_spot(session, source, view.moved_cards(action))] = MARK_HINT
        outlines |= sources
        keys = shown.keys
        if keys.hand_place is not None:
            outlines |= {spot_of_place(target): MARK_TARGET for target in keys.targets}
            outlines[self._card_spot(session, keys.hand_place, list(keys.hand))] = MARK_HINT
        if shown.shows_cursor:
            outlines[spot_of_place(keys.place, keys.depth)] = MARK_SELECTED
        return outlines

    @staticmethod
    def _card_spot(session: PlaySession, place: str, cards: list[Card]) -> Spot:
        """Return the spot of the first of some cards in a column, or of a place elsewhere."""
        spot = spot_of_place(place)
        known = session.view.column(spot.number) if place.startswith("column") else []
        return spot._replace(row=known.index(cards[0])) if cards and cards[0] in known else spot

    def _draw_panel(self, surface: pygame.Surface, session: PlaySession, shown: Shown) -> None:
        """Draw legal moves, or the agent's thoughts."""
        names = {action: session.move_text(action) for action in session.hints()}
        if self.panel == HINTS_PANEL:
            self.side.draw_lines(surface, "Legal moves", list(names.values()) or ["none"])
            return
        name = session.agent_name or "no agent"
        present = session.agent_choice
        choice = present or shown.choice
        if choice is not None:
            text = f"played: {shown.choice_text}" if present is None else f"would play: {names[present.action]}"
            self.side.draw_thoughts(surface, name, text, choice.thoughts, names if present is not None else {})
        elif shown.agent_thinks:
            self.side.draw_lines(surface, name, ["thinks …"])
        else:
            keys = ["p: tells its move", "a: plays one move", "A: plays on", "g: another agent"]
            self.side.draw_lines(surface, name, keys)

    def _draw_bar(self, surface: pygame.Surface, session: PlaySession, shown: Shown) -> None:
        """Draw the line and the buttons."""
        texts = {"u": f"Undo {session.undo_count}"}
        chosen = ["l"] if self.panel == HINTS_PANEL else []
        if shown.agent_runs:
            texts["A"] = "Stop"
            chosen.append("A")
        off = [] if session.undo_count else ["u"]
        self.bar.draw(surface, shown.message, shown.is_refusal, texts, off, chosen)
