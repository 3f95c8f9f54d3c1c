"""The one way in which this package compiles functions: numba, cached on disk, with a word to the user.

Three things are added to plain ``numba.njit(cache=True)``:

* A compile that really happens (nothing usable in the cache) is announced on standard error, once a process.
* Cached code is thrown away when *any* compiled source file of the package has changed. Numba itself looks only at
  the file of the function that is called, so a changed callee in another file would go unnoticed.
* Where no cache directory can be written, functions compile without a cache instead of failing at import.

``NUMBA_DISABLE_JIT=1`` turns all of it off and runs the same code as plain Python.
"""

from __future__ import annotations

import functools
import hashlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import numba
from numba.core import event

FunctionT = TypeVar("FunctionT", bound=Callable[..., Any])

JIT_DISABLED: Final = bool(getattr(numba.config, "DISABLE_JIT", False))
_PACKAGES: Final = ("klondike_env", "klondike_agents")
_PACKAGE_FOLDER: Final = Path(__file__).parent
_WITHOUT_KERNELS: Final = {
    *("cli.py", "terminal.py", "solve_command.py", "env.py", "records.py"),
    *("commands", "evaluation", "playing", "rendering", "replay", "training"),
}
"""Files and folders whose changes leave compiled code as it is."""


@functools.cache
def _source_stamp(folder: Path) -> str:
    """Return what identifies the present source files of a folder and below, those aside that compile nothing."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        place = path.relative_to(folder)
        if not _WITHOUT_KERNELS & set(place.parts):
            digest.update(str(place).encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


def compiled(function: FunctionT) -> FunctionT:
    """Compile a function of arrays and scalars on its first call, without the interpreter lock."""
    if JIT_DISABLED:
        return function
    dispatcher: Any
    try:
        dispatcher = numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:
        # Numba raises at decoration when it finds no place for its cache that can be written.
        dispatcher = numba.njit(nogil=True)(function)
    # Private to numba, so looked up with care: without it the cache still works, only less strictly.
    cache_file: Any = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    if hasattr(cache_file, "_source_stamp"):
        # Constants of other modules are compiled in, too, so all files count: this package's, and the function's own.
        own_folder = Path(function.__code__.co_filename).parent
        folders = {_PACKAGE_FOLDER, own_folder if _PACKAGE_FOLDER not in own_folder.parents else _PACKAGE_FOLDER}
        cache_file._source_stamp = tuple(_source_stamp(folder) for folder in sorted(folders))
    return cast(FunctionT, dispatcher)


class _CompileNotice(event.Listener):
    """Tells the user, once, that a pause is a compile."""

    def __init__(self) -> None:
        self.given = False

    def on_start(self, event: Any) -> None:
        """Print the notice when a function of this package starts to compile."""
        function = getattr(event.data.get("dispatcher"), "py_func", None)
        package = getattr(function, "__module__", "").partition(".")[0]
        if not self.given and package in _PACKAGES:
            self.given = True
            print(
                "klondike_env: compiling for this machine; each part takes some seconds at its first use, then it is"
                " cached",
                file=sys.stderr,
                flush=True,
            )

    def on_end(self, event: Any) -> None:
        """Do nothing: the notice needs no end."""


event.register("numba:compile", _CompileNotice())  # type: ignore[no-untyped-call]  # numba has no types here
