"""Buffer views packed by meshopt: attributes, such as an animation's keys."""

from __future__ import annotations

from typing import Any

import numpy as np

from retime import _native
from retime.coercion import is_whole
from retime.io.gltf.document import Document

NAMES = ("EXT_meshopt_compression", "KHR_meshopt_compression")
# The largest unpacked buffer view.
_MOST_BYTES = 1 << 30


def packed(view: dict[str, Any]) -> Any:
    """Return how a buffer view is packed; ``None`` if it is not."""
    extensions = view.get("extensions", {})
    if not isinstance(extensions, dict):
        return None
    return next((extensions[name] for name in NAMES if name in extensions), None)


def unpacked(document: Document, index: int, told: Any) -> bytes:
    """Unpack a buffer view; the document caches the result."""
    found: bytes | None = document.unpacked.get(index)
    if found is None:
        found = document.unpacked[index] = _unpack(document, index, told)
    return found


def _unpack(document: Document, index: int, told: Any) -> bytes:
    where = f"buffer view {index} (packed by meshopt)"
    if not isinstance(told, dict):
        raise document.fail(f"{where} does not declare its compression")
    if told.get("mode") != "ATTRIBUTES":
        raise document.fail(f"{where} contains {told.get('mode')!r}, which is not an animation's")
    count, stride = (
        _whole(document, told, "count", where),
        _whole(document, told, "byteStride", where),
    )
    if not 4 <= stride <= 256 or stride % 4 or count * stride > _MOST_BYTES:
        raise document.fail(f"{where} has {count} elements of {stride} bytes, which is not valid")
    data = _data(document, told, where, least=1 + max(stride, 32))
    values, whole = _native.gltf.decode_attributes(np.frombuffer(data, np.uint8), count, stride)
    if not whole:
        raise document.fail(f"{where} is damaged")
    return _filtered(document, values, told.get("filter", "NONE"), where)


def _whole(document: Document, told: dict[str, Any], name: str, where: str) -> int:
    value = told.get(name, 0)
    if not is_whole(value) or value < 0:
        raise document.fail(f"{where} has {value!r} for a whole number")
    return value


def _data(document: Document, told: dict[str, Any], where: str, least: int) -> bytes:
    """Return the packed bytes."""
    at = _whole(document, told, "byteOffset", where)
    length = _whole(document, told, "byteLength", where)
    which: Any = told.get("buffer")
    document.item("buffers", which, where)
    data: bytes = document.buffers[which][at : at + length]
    if len(data) < length or length < least:
        raise document.fail(f"{where} is cut off")
    if data[0] != 0xA0:
        raise document.fail(
            f"{where} is packed in another version (0x{data[0]:02x}); pack it with gltfpack -c, or "
            "unpack the file first"
        )
    return data


def _filtered(document: Document, values: Any, name: Any, where: str) -> bytes:
    stride = values.shape[1]
    if name == "NONE":
        return bytes(values.tobytes())
    if name == "EXPONENTIAL":
        words = values.view("<i4")
        exponents, mantissas = words >> 24, (words << 8) >> 8
        return bytes(np.ldexp(mantissas.astype(np.float64), exponents).astype("<f4").tobytes())
    if name == "QUATERNION" and stride == 8:
        return bytes(_quaternions(values.view("<i2").astype(np.int64)).astype("<i2").tobytes())
    raise document.fail(f"{where} has the filter {name!r}, which animations do not use")


def _quaternions(packed_values: Any) -> Any:
    """Restore the omitted largest component, whose index is in the last two bits."""
    place, unit = packed_values[:, 3] & 3, packed_values[:, 3] | 3
    others = packed_values[:, :3] / (np.sqrt(2.0) * unit[:, None])
    largest = np.sqrt(np.maximum(0.0, 1.0 - (others**2).sum(axis=1)))
    out = np.empty((len(packed_values), 4))
    rows = np.arange(len(out))
    out[rows, place] = largest
    for k in range(3):
        out[rows, (place + k + 1) & 3] = others[:, k]
    return np.rint(out * 32767)
