"""``klondike play``: a game to play, in a window or in the terminal."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TYPE_CHECKING, Annotated, Final

import typer

from klondike_env.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Callable

    from klondike_env.playing.session import PlaySession

DEFAULT_AGENT: Final = "search"
"""It tells what it expects of the moves, as the greedy agent does not."""

_IN_TERMINAL = "to play in the terminal: klondike play --terminal"


def play(
    code: Annotated[
        str | None,
        typer.Argument(
            help="Game code, such as KL1-D1N-AAAAAAG; by default the last game goes on, or a new one begins."
        ),
    ] = None,
    deck: Annotated[
        str | None,
        typer.Option(
            help="52 cards in deal order instead of a code, or another program's deal, such as greenfelt:815."
        ),
    ] = None,
    rules: Annotated[
        str | None, typer.Option(help="Rules, such as D3V or D3N,passes=3; by default the code's own, or D1N.")
    ] = None,
    agent: Annotated[str, typer.Option(help="Agent that plays on when asked to, as for evaluate.")] = DEFAULT_AGENT,
    terminal: Annotated[bool, typer.Option("--terminal", help="Play in this terminal.")] = False,
    new: Annotated[bool, typer.Option("--new", help="Begin anew, also where a saved game could go on.")] = False,
    ascii_only: Annotated[
        bool, typer.Option("--ascii", help="In the terminal, letters instead of suit symbols.")
    ] = False,
) -> None:
    """Play a game, in a window or with --terminal in the terminal.

    The game is saved after every move and goes on where it was left. $KLONDIKE_HOME names another folder for that.
    """
    run = _terminal_runner(ascii_only) if terminal else _window_runner()
    from klondike_env.playing.saved_games import SavedGames
    from klondike_env.playing.session import PlaySession

    with PlaySession.open(SavedGames(), code=code, deck=deck, rules=rules, new=new, agent=agent) as session:
        run(session)
        kept = session.saved_path
    with contextlib.suppress(OSError):  # The terminal may have gone.
        if kept is not None:
            typer.echo(f"the game is kept in {kept}; klondike replay shows it")
        for notice in session.take_notices():
            typer.echo(notice, err=True)


def _terminal_runner(ascii_only: bool) -> Callable[[PlaySession], None]:
    """Return what plays in the terminal, or refuse if there is none."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise OptionError("--terminal plays in a terminal, but input or output is a file or pipe; run it without these")
    try:
        import curses  # noqa: F401
    except ImportError as error:
        raise OptionError("this Python has no curses; on Windows: pip install windows-curses") from error
    from klondike_env.playing.terminal_game import run_terminal

    return lambda session: run_terminal(session, ascii_only=ascii_only)


def _window_runner() -> Callable[[PlaySession], None]:
    """Return what plays in a window, or refuse if none can be opened."""
    drivers = ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")
    if sys.platform.startswith("linux") and not any(os.environ.get(name) for name in drivers):
        raise OptionError(f"there is no display to open a window on; {_IN_TERMINAL}")
    from gymnasium.error import DependencyNotInstalled

    from klondike_env.rendering.env_renderer import load_pygame

    try:
        load_pygame()
    except DependencyNotInstalled as error:
        raise OptionError(f'the window needs pygame: pip install "klondike-env[render]"; or {_IN_TERMINAL}') from error
    from klondike_env.playing.window import run_window

    def run(session: PlaySession) -> None:
        try:
            run_window(session)
        except OptionError as error:
            raise OptionError(f"{error}; {_IN_TERMINAL}") from error

    return run
