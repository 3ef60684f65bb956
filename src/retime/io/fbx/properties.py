"""Properties of FBX nodes: numbers, texts and arrays, unpacked within bounds."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from retime.coercion import is_number
from retime.io.fbx.tree import Malformed, Node

_SCALARS = {
    "Y": struct.Struct("<h"), "C": struct.Struct("<?"), "B": struct.Struct("<?"),
    "I": struct.Struct("<i"), "F": struct.Struct("<f"), "D": struct.Struct("<d"),
    "L": struct.Struct("<q"),
}  # fmt: skip
_ARRAYS = {"f": "<f4", "d": "<f8", "l": "<i8", "i": "<i4", "b": "u1", "c": "u1"}
_ARRAY_HEAD = struct.Struct("<III")
# An array may take this much memory.
_MOST_BYTES = 1 << 30
# Largest compression ratio of deflate.
_MOST_PACKED = 1032
# Arrays from this size on are packed when they are written.
_PACK_FROM = 1024


@dataclass(frozen=True, slots=True)
class Packed:
    """An array as it is in the file."""

    kind: str
    count: int
    encoding: int
    payload: memoryview


def property_parts(node: Node) -> list[bytes]:
    """Split a node's properties into their bytes, type letters included."""
    return [bytes(part) for _, part in _walk(node)]


def values(node: Node) -> list[Any]:
    """Read a node's properties: numbers, bytes for texts, :class:`Packed` for arrays."""
    return [value for value, _ in _walk(node)]


def _walk(node: Node) -> list[tuple[Any, memoryview]]:
    data, at, out = memoryview(node.properties), 0, []
    name = node.name.decode("ascii", "replace")
    try:
        for _ in range(node.count):
            start, kind = at, chr(data[at])
            at += 1
            value: Any
            if kind in _SCALARS:
                value = _SCALARS[kind].unpack_from(data, at)[0]
                at += _SCALARS[kind].size
            elif kind in "SR":
                size = struct.unpack_from("<I", data, at)[0]
                at += 4
                value = bytes(data[at : at + size])
                at += size
            elif kind in _ARRAYS:
                count, encoding, size = _ARRAY_HEAD.unpack_from(data, at)
                at += _ARRAY_HEAD.size
                if encoding == 0:
                    size = count * np.dtype(_ARRAYS[kind]).itemsize
                value = Packed(kind, count, encoding, data[at : at + size])
                at += size
            else:
                raise Malformed(f"a property of node {name!r} has the unknown type {kind!r}")
            if at > len(data):
                raise Malformed(f"a property of node {name!r} does not fit into it")
            out.append((value, data[start:at]))
    except (struct.error, IndexError):
        raise Malformed(f"the properties of node {name!r} end too early") from None
    return out


def array(node: Node | None, what: str) -> npt.NDArray[Any]:
    """Unpack the array that is a node's first property; its size is checked before."""
    found = values(node)[:1] if node is not None else []
    if not found or not isinstance(found[0], Packed):
        raise Malformed(f"{what} has no array")
    got = found[0]
    kind = np.dtype(_ARRAYS[got.kind])
    size = got.count * kind.itemsize
    if size > _MOST_BYTES:
        raise Malformed(f"{what} claims {size >> 20} MB, which is too much")
    if got.encoding == 0:
        raw = bytes(got.payload)
    elif got.encoding == 1:
        if size > _MOST_PACKED * len(got.payload) + 64:
            raise Malformed(f"{what} claims {size} bytes, which its {len(got.payload)} cannot hold")
        engine = zlib.decompressobj()
        try:
            raw = engine.decompress(got.payload, size + 1)
        except zlib.error:
            raise Malformed(f"{what} cannot be unpacked") from None
    else:
        raise Malformed(f"{what} is packed in an unknown way ({got.encoding})")
    if len(raw) != size:
        raise Malformed(f"{what} has {len(raw)} bytes, expected {size}")
    return np.frombuffer(raw, kind)


def letters(node: Node) -> list[Any]:
    """Return the values of a node of numbers and letters, which are characters, or text."""
    out = []
    for value, part in _walk(node):
        told = chr(part[1]) if chr(part[0]) in "CB" else value
        out.append(told.decode("latin-1") if isinstance(told, bytes) else told)
    return out


def numbers(node: Node | None) -> list[float]:
    """Return the numbers among a node's properties."""
    if node is None:
        return []
    return [v for v in values(node) if is_number(v)]


# ---- writing


def text(value: bytes) -> bytes:
    """Pack a text."""
    return b"S" + struct.pack("<I", len(value)) + value


def real(value: float, kind: str = "D") -> bytes:
    """Pack a number of a kind."""
    return kind.encode() + _SCALARS[kind].pack(value)


def packed(kind: str, numbers_: npt.ArrayLike, *, pack: bool = True) -> bytes:
    """Pack an array of a kind; a long one is deflated."""
    with np.errstate(over="ignore"):
        raw = np.ascontiguousarray(numbers_, dtype=_ARRAYS[kind]).tobytes()
    count = len(raw) // np.dtype(_ARRAYS[kind]).itemsize
    if len(raw) < _PACK_FROM or not pack:
        return kind.encode() + _ARRAY_HEAD.pack(count, 0, len(raw)) + raw
    small = zlib.compress(raw, 1)
    return kind.encode() + _ARRAY_HEAD.pack(count, 1, len(small)) + small
