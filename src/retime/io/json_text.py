"""JSON as people like to read it: an object a block, a list of numbers a line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from retime.bounded_json import MOST_LEVELS, TOO_DEEP, parse
from retime.coercion import is_whole
from retime.errors import InputError
from retime.io.files import read_bytes, write_bytes


def dumps(value: Any, indent: str = "") -> str:
    """Format a JSON value; only objects and lists of objects take several lines."""
    deeper = indent + " "
    if isinstance(value, Mapping) and value:
        items = [f"{deeper}{json.dumps(k)}: {dumps(v, deeper)}" for k, v in value.items()]
        return "{\n" + ",\n".join(items) + f"\n{indent}}}"
    # Check types first: lists of thousands of numbers are common.
    if isinstance(value, list) and any(issubclass(k, Mapping) for k in set(map(type, value))):
        items = [deeper + dumps(v, deeper) for v in value]
        return "[\n" + ",\n".join(items) + f"\n{indent}]"
    return json.dumps(value, allow_nan=False)


def write_json(value: Any, path: str | Path, *, private: bool = False) -> None:
    """Write a JSON file, completely or not at all; only the owner can read a ``private`` one."""
    write_bytes(path, [dumps(value).encode(), b"\n"], private=private)


def parse_json(path: str | Path) -> Any:
    """Parse a JSON file; invalid JSON is a ``FormatError`` with its line."""
    return parse_bytes(read_bytes(path), path)


def parse_bytes(data: bytes, path: str | Path) -> Any:
    """Parse the JSON of a file, or of a part; invalid JSON is a ``FormatError``."""
    return parse(data, path=path)


def must_be_shallow(value: Any) -> None:
    """Reject a value that is nested deeper than any document of retime."""
    level = [value]
    for _ in range(MOST_LEVELS):
        level = [below for one in level for below in _below(one)]
        if not level:
            return
    raise InputError(TOO_DEEP)


def _below(value: Any) -> Iterable[Any]:
    """Return the lists and objects inside a list or object."""
    held = value.values() if isinstance(value, Mapping) else value
    if not isinstance(value, Mapping | list | tuple):
        return ()
    return [v for v in held if isinstance(v, Mapping | list | tuple)]


def must_be_version(document: Any, form: str, what: str, version: int) -> None:
    """Reject a document that is not one of retime's own, or of another version."""
    if not isinstance(document, Mapping) or document.get("format") != form:
        raise InputError(f'not a {what} file: "format": "{form}" is missing')
    given = document.get("version")
    if not is_whole(given):
        raise InputError(f'a {what} needs a "version", not {given!r}')
    if given != version:
        raise InputError(
            f"a {what} of version {given}, and this retime reads version {version}; make it again"
        )
