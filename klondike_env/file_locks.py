"""The lock of an open file: one holder at a time, gone with the process that holds it, however that ends."""

from __future__ import annotations

import errno
import os
import sys
from typing import Final

_HELD: Final = (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES)
"""What the system answers for a file that is locked already. Any other answer is of a file system that knows no locks,
which is no reason not to play or to write results."""

_LOCKED_BYTE: Final = 1 << 30
"""What is locked on Windows, which lets nobody else read or write such a byte; files end far before it."""


def lock_file(descriptor: int) -> bool:
    """Lock an open file, where the system can; return False if it is locked already."""
    try:
        _lock(descriptor)
    except OSError as error:
        return error.errno not in _HELD
    except ImportError:
        return True
    return True


if sys.platform == "win32":

    def _lock(descriptor: int) -> None:
        """Lock an open file without waiting."""
        import msvcrt

        place = os.lseek(descriptor, 0, os.SEEK_CUR)
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        finally:
            os.lseek(descriptor, place, os.SEEK_SET)

else:

    def _lock(descriptor: int) -> None:
        """Lock an open file without waiting."""
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
