"""Runs commands within the test's own process, which takes milliseconds instead of seconds."""

from __future__ import annotations

import contextlib
import io
import sys
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from klondike_env.cli import main


@dataclass(frozen=True)
class Ran:
    """What came of a command."""

    returncode: int
    stdout: str
    stderr: str


def run_klondike(*arguments: str | Path, cwd: Path | None = None) -> Ran:
    """Run ``klondike`` with arguments, in another folder if one is given."""
    output, errors = io.StringIO(), io.StringIO()
    status = 0
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.redirect_stdout(output))
        stack.enter_context(contextlib.redirect_stderr(errors))
        stack.enter_context(mock.patch.object(sys, "argv", ["klondike", *map(str, arguments)]))
        if cwd is not None:
            stack.enter_context(contextlib.chdir(cwd))
        try:
            main()
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else 1
    return Ran(status, output.getvalue(), errors.getvalue())
