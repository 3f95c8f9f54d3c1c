"""Labels of the suites: which of their games can be won, as the solver found and as this package ships it.

One JSON file a suite in ``klondike_env/data/labels``; ``python -m benchmarks.label_suites`` makes them.
"""

from __future__ import annotations

import dataclasses
import functools
import json
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, Final

from klondike_env.errors import ResultsFileError

VERDICT_LETTERS: Final = {"winnable": "w", "unwinnable": "u", "unknown": "?"}
_VERDICT_OF_LETTER: Final = {letter: verdict for verdict, letter in VERDICT_LETTERS.items()}
_FOLDER: Final = "data/labels"


@dataclass(frozen=True, slots=True)
class SuiteLabels:
    """The solver's verdict on each game of a suite.

    Attributes:
        suite: Name of the suite.
        solver_version: Version of the solver that found them.
        node_limit: Limits of each solve, None where there was none: positions,
        time_limit: seconds,
        memory_limit: and bytes.
        verdicts: ``"winnable"``, ``"unwinnable"`` or ``"unknown"``, in the order of the games.
        lengths: Actions of the solution found (not the fewest possible), None where there is none.
    """

    suite: str
    solver_version: str
    node_limit: int | None
    time_limit: float | None
    memory_limit: int
    verdicts: tuple[str, ...]
    lengths: tuple[int | None, ...]

    def count(self, verdict: str) -> int:
        """Return how many games have a verdict."""
        return self.verdicts.count(verdict)

    def to_json(self) -> str:
        """Write the labels as JSON, the verdicts as a letter a game."""
        fields = dataclasses.asdict(self)
        fields["verdicts"] = "".join(VERDICT_LETTERS[verdict] for verdict in self.verdicts)
        return json.dumps(fields) + "\n"


def parse_suite_labels(text: str, place: str) -> SuiteLabels:
    """Read what ``SuiteLabels.to_json`` wrote.

    Args:
        text: The JSON.
        place: Where it stood, for messages.

    Raises:
        ResultsFileError: The text is something else.
    """
    try:
        fields: dict[str, Any] = json.loads(text)
        fields["verdicts"] = tuple(_VERDICT_OF_LETTER[letter] for letter in fields["verdicts"])
        fields["lengths"] = tuple(fields["lengths"])
        return SuiteLabels(**fields)
    except (ValueError, KeyError, TypeError) as error:
        raise ResultsFileError(f"{place} holds no labels of a suite: {type(error).__name__}: {error}") from error


@functools.cache
def load_suite_labels(suite: str) -> SuiteLabels | None:
    """Return the labels that are shipped for a suite, or None if there are none.

    Raises:
        ResultsFileError: The file is damaged.
    """
    file = resources.files("klondike_env").joinpath(_FOLDER, f"{suite}.json")
    if not file.is_file():
        return None
    return parse_suite_labels(file.read_text(encoding="utf-8"), f"klondike_env/{_FOLDER}/{suite}.json")


def labels_folder() -> Path:
    """Return the folder of the shipped labels, for the program that makes them."""
    return Path(__file__).parent / _FOLDER
