"""Accessors: arrays in a glTF file's buffers, read within their bounds."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.coercion import is_whole
from retime.io.gltf.document import Document
from retime.io.gltf.meshopt import packed, unpacked

FLOAT = 5126
_DTYPES: dict[int, str] = {
    5120: "i1", 5121: "u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", FLOAT: "<f4",
}  # fmt: skip
COMPONENTS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}
# The longest accessor without a buffer, which is all zeros.
_MOST_ZEROS = 1 << 22
# Values read from one file, counting accessors each time they are used.
_MOST_VALUES = 1 << 27


def read_accessor(document: Document, index: Any, what: str) -> FloatArray:
    """Read an accessor as floats (count, components); normalised integers become fractions."""
    accessor = document.item("accessors", index, what)
    name = f"accessor {index} of {what}"
    size, dtype = _type(document, accessor, name)
    count = _whole(document, accessor.get("count"), f"the count of {name}")
    if "bufferView" in accessor:
        start = _whole(document, accessor.get("byteOffset", 0), f"the offset of {name}")
        values = _view(document, accessor["bufferView"], start, count, size, dtype, name)
    else:
        if count * size > _MOST_ZEROS:
            raise document.fail(f"{name} has {count} values and no data")
        values = np.zeros((count, size), dtype)
    if "sparse" in accessor:
        values = _with_sparse(document, accessor["sparse"], values, dtype, name)
    document.values_read += values.size
    if document.values_read > _MOST_VALUES:
        raise document.fail("its animations have more values than fit in memory")
    out = values.astype(np.float64)
    if accessor.get("normalized") is True and dtype.kind in "iu":
        out = np.maximum(out / np.iinfo(dtype).max, -1.0)
    return out


def _type(document: Document, accessor: dict[str, Any], name: str) -> tuple[int, np.dtype[Any]]:
    """Return the number and the type of an accessor's components."""
    kind, component = accessor.get("type"), accessor.get("componentType")
    known = isinstance(kind, str) and isinstance(component, int)
    if not known or kind not in COMPONENTS or component not in _DTYPES:
        raise document.fail(f"{name} is of an unknown type ({kind!r}, {component!r})")
    return COMPONENTS[kind], np.dtype(_DTYPES[component])


def _whole(document: Document, value: Any, what: str) -> int:
    if not is_whole(value) or value < 0:
        raise document.fail(f"{what} is {value!r}, not a whole number")
    return value


def _view(
    document: Document, index: Any, start: int, count: int, size: int, dtype: np.dtype[Any],
    what: str,
) -> npt.NDArray[Any]:  # fmt: skip
    """Read values from a buffer view, packed or with a stride."""
    view = document.item("bufferViews", index, what)
    how = packed(view)
    at = _whole(document, view.get("byteOffset", 0), f"the offset of buffer view {index}")
    length = _whole(document, view.get("byteLength", 0), f"the length of buffer view {index}")
    item = size * dtype.itemsize
    stride = view.get("byteStride", item)
    if _whole(document, stride, f"the stride of buffer view {index}") < item:
        raise document.fail(f"the stride of buffer view {index} is {stride}, less than {item}")
    if how is not None:
        data, at = unpacked(document, index, how), 0
        length = min(length, len(data))
    else:
        which: Any = view.get("buffer")
        document.item("buffers", which, f"buffer view {index}")
        data = document.buffers[which]
    end = start + (count - 1) * stride + item if count else start
    if end > length or at + length > len(data):
        raise document.fail(
            f"{what} is out of bounds: it needs {end} bytes of a view of {length}, in a buffer of "
            f"{len(data)}"
        )
    raw = np.frombuffer(data, np.uint8, count=end - start if count else 0, offset=at + start)
    if stride == item:
        return raw.view(dtype).reshape(count, size)
    rows = np.lib.stride_tricks.as_strided(raw, (count, item), (stride, 1), writeable=False)
    return np.ascontiguousarray(rows).view(dtype).reshape(count, size)


def _with_sparse(
    document: Document, sparse: Any, values: npt.NDArray[Any], dtype: np.dtype[Any], what: str
) -> npt.NDArray[Any]:
    """Replace the values that a sparse accessor lists."""
    if not isinstance(sparse, dict):
        raise document.fail(f"{what}: its sparse part is not an object")
    count = _whole(document, sparse.get("count"), f"the sparse count of {what}")
    places, new = sparse.get("indices"), sparse.get("values")
    if not isinstance(places, dict) or not isinstance(new, dict) or count > len(values):
        raise document.fail(f"{what}: its sparse part is incomplete")
    component: Any = places.get("componentType")
    if not isinstance(component, int) or component not in (5121, 5123, 5125):
        raise document.fail(f"{what}: sparse indices of type {component!r}")

    def listed(part: dict[str, Any], size: int, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
        start = _whole(document, part.get("byteOffset", 0), f"the sparse offset of {what}")
        return _view(document, part.get("bufferView"), start, count, size, dtype, what)

    at = listed(places, 1, np.dtype(_DTYPES[component]))[:, 0]
    if count and int(at.max()) >= len(values):
        raise document.fail(f"{what}: a sparse index is out of bounds")
    out = values.copy()
    out[at] = listed(new, values.shape[1], dtype)
    return out
