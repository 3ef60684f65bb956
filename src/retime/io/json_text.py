"""JSON as people like to read it: an object a block, a list of numbers a line."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from retime.coercion import is_whole
from retime.errors import FormatError, InputError
from retime.io.files import read_bytes, write_bytes


def dumps(value: Any, indent: str = "") -> str:
    """Write a JSON value; only objects and lists that hold objects take several lines."""
    deeper = indent + " "
    if isinstance(value, Mapping) and value:
        items = [f"{deeper}{json.dumps(k)}: {dumps(v, deeper)}" for k, v in value.items()]
        return "{\n" + ",\n".join(items) + f"\n{indent}}}"
    if isinstance(value, list) and any(isinstance(v, Mapping) for v in value):
        items = [deeper + dumps(v, deeper) for v in value]
        return "[\n" + ",\n".join(items) + f"\n{indent}]"
    return json.dumps(value, allow_nan=False)


def write_json(value: Any, path: str | Path) -> None:
    """Write a JSON file, whole or not at all."""
    write_bytes(path, [dumps(value).encode(), b"\n"])


def parse_json(path: str | Path) -> Any:
    """Parse a JSON file; what is no JSON is a ``FormatError`` with its line."""
    data = read_bytes(path)
    try:
        text = data.decode("utf-8-sig")
        return json.loads(text, parse_constant=lambda name: _no_constant(name, text))
    except UnicodeDecodeError:
        raise FormatError("not a text file in UTF-8", path=path) from None
    except json.JSONDecodeError as e:
        raise FormatError(f"not valid JSON: {e.msg}", path=path, line=e.lineno) from None
    except RecursionError:
        raise FormatError("nested too deeply", path=path) from None
    except ValueError as e:  # numbers of thousands of digits
        raise FormatError(f"not valid JSON: {e}", path=path) from None


def _no_constant(name: str, text: str) -> float:
    found = re.search(rf'(?<![\w"]){re.escape(name)}(?![\w"])', text)
    place = found.start() if found else 0
    raise json.JSONDecodeError(f"{name} is not a number that JSON knows", text, place)


def version_of(document: Any, form: str, what: str, newest: int) -> int:
    """Return the version of a document of retime's own, or say why it cannot be read."""
    if not isinstance(document, Mapping) or document.get("format") != form:
        raise InputError(f'not a {what}: it lacks "format": "{form}"')
    version = document.get("version")
    if not is_whole(version) or version < 1:
        raise InputError(f'a {what} needs a "version", not {version!r}')
    if version > newest:
        raise InputError(
            f"a {what} of version {version}, written by a newer retime; this one reads versions up "
            f"to {newest}"
        )
    return version
