"""The replay page: games in one HTML file that needs nothing else, and asks nothing of a network."""

from __future__ import annotations

import html
import json
from collections.abc import Iterable, Mapping
from importlib import resources
from pathlib import Path
from typing import Any, Final

from klondike_env.actions import MOVES
from klondike_env.errors import KlondikeError
from klondike_env.replay.files import write_whole
from klondike_env.replay.page_games import FRAME_OFFSETS, page_games
from klondike_env.replay.record import GameRecord

GENERATOR: Final = b'<meta name="generator" content="klondike-env">'
"""What a page made here has near its beginning, so that no other file is written over."""

_ASSETS: Final = "replay/assets"
PLAYER_SCRIPTS: Final = ("game_data.js", "board.js", "player.js")
"""The scripts of the player, in order."""
_LOOKED_AT: Final = 1024


class PageError(KlondikeError):
    """A page that cannot be written."""


def replay_page(records: Iterable[GameRecord], title: str = "Klondike replay") -> str:
    """Return a page that plays games forward and back.

    Args:
        records: The games, in the order of the page's list.
        title: Its title.

    Raises:
        RecordError: A record cannot be replayed as it stands.
    """
    return fill_page(
        "replay_page.html",
        title=title,
        data=page_data(page_games(records)),
        styles=("page.css",),
        scripts=(*PLAYER_SCRIPTS, "game_list.js", "replay_page.js"),
    )


def page_data(games: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the data that a page's player reads: games as ``page_game`` makes them, and what they are read with."""
    moves = [
        {"name": str(move), "source": move.source, "from": move.source_column, "suit": move.suit} for move in MOVES
    ]
    return {"layout": FRAME_OFFSETS, "moves": moves, "games": games}


def fill_page(
    template: str,
    *,
    title: str,
    data: Mapping[str, Any],
    styles: Iterable[str],
    scripts: Iterable[str],
    tables: str = "",
) -> str:
    """Return a page template with its parts put in.

    Args:
        template: Name of the template among the assets.
        title: The page's title, as plain text.
        data: What its scripts read, written as JSON.
        styles: Names of the style sheets.
        scripts: Names of the scripts, in order.
        tables: HTML of tables, where the template has a place for them.
    """
    parts = {
        "title": html.escape(title),
        "style": "\n".join(map(read_asset, styles)),
        "player": read_asset("player.html"),
        "tables": tables,
        "data": script_json(data),
        "script": "\n".join(map(read_asset, scripts)),
    }
    pieces = read_asset(template).split("{{")
    filled = [pieces[0]]
    for piece in pieces[1:]:
        name, _, rest = piece.partition("}}")
        filled += [parts[name], rest]
    return "".join(filled)


def script_json(data: Any) -> str:
    """Return JSON that can stand in a script element whatever texts are in it: no ``<`` ends the element."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def read_asset(name: str) -> str:
    """Return the text of a file that pages are made of."""
    return resources.files("klondike_env").joinpath(_ASSETS, name).read_text(encoding="utf-8")


def check_page_place(path: str | Path) -> None:
    """Refuse a place for a page where another kind of file stands.

    Raises:
        PageError: There is a folder, or a file that is no page of this package.
    """
    path = Path(path)
    if path.is_dir():
        raise PageError(f"{path} is a folder; give the name of the page to write, such as {path / 'replay.html'}")
    if not path.exists():
        return
    try:
        with path.open("rb") as file:
            start = file.read(_LOOKED_AT)
    except OSError as error:
        raise PageError(f"cannot write {path}: {error.strerror}") from error
    if GENERATOR not in start:
        raise PageError(f"{path} is there already and is no page made by klondike; give another name")


def write_page(path: str | Path, page: str) -> None:
    """Write a page, whole or not at all; an older page of this package is replaced.

    Raises:
        PageError: Another kind of file stands there, or it cannot be written.
    """
    check_page_place(path)
    try:
        write_whole(Path(path), page.encode("utf-8", errors="replace"), overwrite=True)
    except OSError as error:
        raise PageError(f"cannot write {path}: {error.strerror}") from error
