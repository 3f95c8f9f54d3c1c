"""The lock of an open file: one holder at a time, gone with the process that holds it, however that ends."""

from __future__ import annotations

import sys

if sys.platform == "win32":
    import errno
    import msvcrt
    import os
    from typing import Final

    _LOCKED_BYTE: Final = 1 << 30
    """Far behind the end: Windows lets nobody else read or write what is locked."""

    def lock_file(descriptor: int) -> bool:
        """Lock an open file; return False if it is locked already."""
        place = os.lseek(descriptor, 0, os.SEEK_CUR)
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            return error.errno != errno.EACCES
        finally:
            os.lseek(descriptor, place, os.SEEK_SET)
        return True

else:
    import errno
    import fcntl

    def lock_file(descriptor: int) -> bool:
        """Lock an open file; return False if it is locked already."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            # A file system that knows no locks is no reason not to play or to write results.
            return error.errno not in (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES)
        return True
