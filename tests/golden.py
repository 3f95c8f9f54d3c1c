"""Golden files: values that a reviewer can read, one a line, `#` starts a comment."""

from pathlib import Path

DATA = Path(__file__).parent / "data"


def read_golden(name: str) -> list[str]:
    """Return the lines of a golden file without comments and empty lines."""
    lines = (line.partition("#")[0].strip() for line in (DATA / name).read_text().splitlines())
    return [line for line in lines if line]
