"""Records: games as small text files that replay exactly, written line by line while a game goes on.

A record holds what a game starts from (deal and rules) and what was done, never positions; the engine finds those
again. ``RecordWriter`` keeps a game that is being played, ``write_record`` a finished one, ``read_record`` reads both::

    klondike-record 1
    code: KL1-D1N-AAAAAAG
    rules: D1N
    agent: person

    11 1.250
    0 2.013 {"value": 0.43, "probabilities": {"0": 0.8, "67": 0.2}}
    undo 3.500
    end truncated 15

An entry is an action index, ``undo`` or ``restart``, then the seconds since the game began, then what an agent thought
of its decision. ``deck: 4S 9C …`` stands in place of the code where no code names the deal.
"""

from klondike_env.replay.record import RESTART, UNDO, Entry, GameRecord, RecordEnd, RecordError
from klondike_env.replay.record_files import (
    RECORD_SUFFIX,
    RecordKey,
    RecordWriter,
    find_records,
    read_record,
    record_key,
    record_path,
    write_record,
)
from klondike_env.replay.record_text import parse_record

__all__ = [
    "RECORD_SUFFIX",
    "RESTART",
    "UNDO",
    "Entry",
    "GameRecord",
    "RecordEnd",
    "RecordError",
    "RecordKey",
    "RecordWriter",
    "find_records",
    "parse_record",
    "read_record",
    "record_key",
    "record_path",
    "write_record",
]
