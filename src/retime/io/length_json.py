"""The file of a table of lengths, as runtimes of game engines read it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from retime.errors import FormatError, InputError
from retime.io.files import write_bytes
from retime.io.json_text import parse_json
from retime.timing.table import FORMAT, LengthTable


def read_lengths(path: str | Path) -> LengthTable:
    """Read a table of lengths.

    Parameters
    ----------
    path : str or Path
        The JSON file.
    """
    document = parse_json(path)
    try:
        return LengthTable.from_document(document)
    except InputError as e:
        raise FormatError(str(e), path=path) from None


def is_length_table(path: str | Path) -> bool:
    """Return whether a JSON file has the mark of a table of lengths."""
    document = parse_json(path)
    return isinstance(document, Mapping) and document.get("format") == FORMAT


def write_lengths(table: LengthTable, path: str | Path) -> None:
    """Write a table of lengths, completely or not at all.

    Parameters
    ----------
    table : LengthTable
        What to write.
    path : str or Path
        Where.
    """
    write_bytes(path, [lengths_text(table).encode()])


def lengths_text(table: LengthTable) -> str:
    """Return the file of a table: a line for each entry, and for each row."""
    entries = []
    for name, value in table.to_document().items():
        if name == "times":
            rows = ",\n".join(json.dumps(row, separators=(",", ":")) for row in value)
            entries.append(f'"times": [\n{rows}]')
        else:
            text = json.dumps(value, separators=(",", ":"), allow_nan=False)
            entries.append(f"{json.dumps(name)}: {text}")
    return "{" + ",\n".join(entries) + "}\n"
