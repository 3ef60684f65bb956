"""Binary messages: a header and arrays in one block.

A u32 says how long the header is, the header is JSON padded to four bytes and lists the arrays'
names and shapes, and the arrays follow as little-endian float32: a page reads them in place.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from retime.bounded_json import parse

_LENGTH = struct.Struct("<I")


def pack_frame(
    header: Callable[[list[tuple[str, list[int]]]], bytes], arrays: Mapping[str, Any]
) -> bytes:
    """Pack a header and its arrays into one message.

    ``header`` makes the JSON text, given the names and shapes that it must list as ``arrays``.
    """
    blocks = {n: np.ascontiguousarray(a, dtype="<f4") for n, a in arrays.items()}
    text = header([(n, list(a.shape)) for n, a in blocks.items()])
    return _joined(text, *(a.tobytes() for a in blocks.values()))


def _joined(text: bytes, *blocks: bytes) -> bytes:
    text += b" " * (-len(text) % 4)
    return b"".join([_LENGTH.pack(len(text)), text, *blocks])


def with_values(data: bytes, **values: Any) -> bytes:
    """Return a message with other values in its header; the arrays are unchanged."""
    (length,) = _LENGTH.unpack_from(data)
    header = parse(data[4 : 4 + length]) | values
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    return _joined(text, data[4 + length :])


def parse_frame(data: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
    """Unpack a binary message; return its header and arrays."""
    (length,) = _LENGTH.unpack_from(data)
    header = parse(data[4 : 4 + length])
    place, arrays = 4 + length, {}
    for listed in header["arrays"]:
        count = int(np.prod(listed["shape"]))
        arrays[listed["name"]] = np.frombuffer(data, "<f4", count, place).reshape(listed["shape"])
        place += 4 * count
    return header, arrays
