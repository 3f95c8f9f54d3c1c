"""A lock beside a file, held by one process at a time and gone with it, however it ends."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

from klondike_env.file_locks import lock_file

LOCK_SUFFIX: Final = ".lock"


class FileLock:
    """A lock on a file, through a second file beside it, so that the first can be renamed or replaced."""

    def __init__(self, path: Path) -> None:
        """Prepare the lock of a file."""
        self._path = path.with_name(path.name + LOCK_SUFFIX)
        self._descriptor: int | None = None

    def acquire(self) -> bool:
        """Take the lock; return False if another process, or another part of this one, holds it.

        Raises:
            OSError: The lock file cannot be made.
        """
        while self._descriptor is None:
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
            if not lock_file(descriptor):
                os.close(descriptor)
                return False
            # Whoever held it before may have removed the file; then another one is, or will be, the lock.
            if _is_same_file(descriptor, self._path):
                self._descriptor = descriptor
            else:
                os.close(descriptor)
        return True

    def release(self) -> None:
        """Give the lock back."""
        if self._descriptor is None:
            return
        if sys.platform != "win32":
            # Removed while it is still held, so that nobody can take a file that is about to go. An open file cannot be
            # removed on Windows; there it stays.
            self._path.unlink(missing_ok=True)
        os.close(self._descriptor)
        self._descriptor = None


def _is_same_file(descriptor: int, path: Path) -> bool:
    """Return whether an open file is the one that now has this name."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False
