"""Golden files: values that a reviewer can read, one a line, `#` starts a comment."""

import json
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent / "data"


def read_golden(name: str) -> list[str]:
    """Return the lines of a golden file without comments and empty lines."""
    lines = (line.partition("#")[0].strip() for line in (DATA / name).read_text().splitlines())
    return [line for line in lines if line]


def read_json_lines(name: str) -> list[dict[str, Any]]:
    """Return the objects of a file of JSON lines."""
    return [json.loads(line) for line in (DATA / name).read_text().splitlines()]
