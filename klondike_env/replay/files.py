"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

_USUAL_MODE: Final = 0o666


def write_whole(path: Path, data: bytes, *, overwrite: bool) -> None:
    """Write a file so that its name never stands for half of it. Folders on the way are made.

    Args:
        path: The file.
        data: What it is to hold.
        overwrite: Whether a file that is there is replaced; it stays as it is until the new one is whole.

    Raises:
        FileExistsError: There is such a file, and ``overwrite`` is not set.
        OSError: It cannot be written; nothing has changed.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name[:40]}.", suffix=".tmp", dir=path.parent)
    try:
        with open(handle, "wb") as file:
            file.write(data)
        _set_usual_mode(name)
        if overwrite:
            os.replace(name, path)
        else:
            _move_where_nothing_is(name, path)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(name)


def _set_usual_mode(name: str) -> None:
    """Give a file the rights that a new file has; a temporary one is for its owner alone."""
    mask = os.umask(0)
    os.umask(mask)
    with suppress(OSError):
        os.chmod(name, _USUAL_MODE & ~mask)


def _move_where_nothing_is(name: str, path: Path) -> None:
    """Give a file its name, unless there is a file of that name."""
    try:
        os.link(name, path)
    except FileExistsError:
        raise
    except OSError:
        # Some file systems know no second name for a file.
        if path.exists():
            raise FileExistsError(f"{path} is there already") from None
        os.rename(name, path)
