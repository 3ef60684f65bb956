"""Parse untrusted JSON and TOML, with bounds on size, depth and number of values.

A small file can take a lot of memory (each byte of ``[[],[],...]`` takes 24) or crash the process
(a hundred thousand nested brackets). A linear scan finds both before parsing. All readers of files,
lines and messages use :func:`parse` or :func:`parse_toml`. No whole number that they return is
beyond the range of a float.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from retime.errors import FormatError

MOST_BYTES = 64 << 20
"""Largest retime document, bytes: a warp of 100 joints and 10,000 frames takes 40 MB."""
MOST_LINE = 16 << 20
"""Longest line from another program, bytes."""
MOST_LEVELS = 100
"""Deepest nesting of objects and lists."""
TOO_DEEP = f"its JSON is nested more than {MOST_LEVELS} levels deep"
# Allowed number of objects and lists: a constant, and one per 10 bytes. Real files have at most one
# per 15 bytes.
_SOME_HELD, _BYTES_FOR_ONE = 200_000, 10
_OPENS = b"[{"
_OTHERS = bytes(c for c in range(256) if c not in b"[]{}")
_CHUNK = 1 << 20
_MOST_TOML = 4 << 20
# Every whole number of fewer digits is within the range of a float.
_MANY_DIGITS = b"0" * 309
_DIGITS_AS_ZERO = bytes.maketrans(b"123456789", b"000000000")


def parse(
    data: bytes | bytearray | str,
    *,
    path: str | Path | None = None,
    most_bytes: int = MOST_BYTES,
    constants: bool = False,
) -> Any:
    """Parse JSON; raise a ``FormatError`` with the line number if it is invalid.

    Parameters
    ----------
    data : bytes or str
        The text, in UTF-8.
    path : str or Path, optional
        The file, for error messages.
    most_bytes : int
        Largest size.
    constants : bool
        Accept NaN and Infinity, which some programs write although JSON has no such numbers.
    """
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else bytes(data)
    if len(raw) > most_bytes:
        raise FormatError(
            f"its JSON has {len(raw) / (1 << 20):.0f} MB; at most {most_bytes >> 20} MB are read",
            path=path,
        )
    _must_be_bounded(raw, path)
    try:
        text = raw.decode("utf-8-sig")
        refuse = None if constants else lambda name: _no_constant(name, text)
        # A function for integers takes time, so it is only used if there are long ones.
        whole = _whole if _MANY_DIGITS in raw.translate(_DIGITS_AS_ZERO) else None
        return json.loads(text, parse_constant=refuse, parse_int=whole)
    except UnicodeDecodeError:
        raise FormatError("not a text file in UTF-8", path=path) from None
    except json.JSONDecodeError as e:
        raise FormatError(
            f"not a JSON file ({e.msg})" if e.pos == 0 else f"not valid JSON: {e.msg}",
            path=path,
            line=e.lineno,
        ) from None
    except RecursionError:
        raise FormatError(TOO_DEEP, path=path) from None
    except (OverflowError, ValueError):  # no float holds it, or Python's own bound on digits
        raise FormatError("not valid JSON: a number of hundreds of digits", path=path) from None


def parse_toml(data: bytes, *, path: str | Path) -> dict[str, Any]:
    """Parse TOML; invalid TOML raises a ``FormatError``."""
    import tomllib

    if len(data) > _MOST_TOML:
        raise FormatError(
            f"it has {len(data) / (1 << 20):.0f} MB; at most {_MOST_TOML >> 20} MB are read",
            path=path,
        )
    # The time for a dotted key grows with the square of its parts.
    if any(line.partition(b"=")[0].count(b".") > MOST_LEVELS for line in data.splitlines()):
        raise FormatError(f"a key has more than {MOST_LEVELS} parts", path=path)
    try:
        document = tomllib.loads(data.decode("utf-8-sig"))
        _must_be_floats(document)
    except UnicodeDecodeError:
        raise FormatError("not a text file in UTF-8", path=path) from None
    except tomllib.TOMLDecodeError as e:
        raise FormatError(f"not valid TOML: {e}", path=path) from None
    except RecursionError:
        raise FormatError(
            f"its TOML is nested more than {MOST_LEVELS} levels deep", path=path
        ) from None
    except (OverflowError, ValueError):
        raise FormatError("not valid TOML: a number of hundreds of digits", path=path) from None
    return document


def _must_be_floats(value: Any, depth: int = 0) -> None:
    """Raise an ``OverflowError`` for a whole number that no float holds."""
    if depth > MOST_LEVELS:
        raise RecursionError
    if isinstance(value, int):
        float(value)
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            _must_be_floats(inner, depth + 1)


def bounded_lines(source: TextIO, most: int = MOST_LINE) -> Iterator[str]:
    """Yield lines from another program, cut off if they are too long.

    A line that is cut off is still longer than ``most``, so that :func:`parse` rejects it.
    """
    while line := source.readline(most + 1):
        yield line
        while len(line) > most and not line.endswith("\n"):
            line = source.readline(most + 1)


def _must_be_bounded(raw: bytes, path: str | Path | None) -> None:
    """Raise if JSON is nested too deeply, or has too many objects and lists for its size."""
    count = raw.count(b"[") + raw.count(b"{")
    if count <= MOST_LEVELS:
        return
    held, deepest = _measured(raw)
    if held > _SOME_HELD + len(raw) // _BYTES_FOR_ONE:
        raise FormatError(
            f"its JSON has {held} objects and lists, too many for {len(raw) >> 10} kB",
            path=path,
        )
    if deepest > MOST_LEVELS:
        raise FormatError(TOO_DEEP, path=path)


def _measured(raw: bytes) -> tuple[int, int]:
    """Return the number of objects and lists, and their deepest nesting."""
    import numpy as np

    # Without escapes, every quote begins or ends a string.
    text = raw.replace(b"\\\\", b"").replace(b'\\"', b"") if b"\\" in raw else raw
    held = deepest = depth = inside = 0
    for begin in range(0, len(text), _CHUNK):
        parts = text[begin : begin + _CHUNK].split(b'"')
        outside = b"".join(parts[inside::2])
        inside = (inside + len(parts) - 1) % 2
        brackets = np.frombuffer(outside.translate(None, _OTHERS), np.uint8)
        if len(brackets):
            opens = (brackets == _OPENS[0]) | (brackets == _OPENS[1])
            levels = depth + np.cumsum(np.where(opens, 1, -1))
            held += int(opens.sum())
            deepest, depth = max(deepest, int(levels.max())), int(levels[-1])
    return held, deepest


def _whole(digits: str) -> int:
    """Return a whole number that a float can hold, or raise an ``OverflowError``."""
    number = int(digits)
    float(number)
    return number


def _no_constant(name: str, text: str) -> float:
    found = re.search(rf'(?<![\w"]){re.escape(name)}(?![\w"])', text)
    place = found.start() if found else 0
    raise json.JSONDecodeError(f"{name} is not a number that JSON knows", text, place)
