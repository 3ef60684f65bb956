"""Pickles of plain data: numbers, text, lists, mappings and numpy arrays, and nothing that runs.

A pickle may name any function to call. Here every name is rejected except those that numpy uses for
its arrays. Even those are not called: their arguments are kept, and arrays are made from them after
the whole file is read.
"""

from __future__ import annotations

import io
import pickle
from pathlib import Path
from typing import Any

import numpy as np

from retime.errors import FormatError

_MOST_VALUES = 1 << 28
# Kinds of numbers that arrays may hold: booleans, whole numbers, floats.
_KINDS = "biuf"


class NotPlain(Exception):
    """A pickle contains more than plain data."""


class _DType:
    """The type of an array, as declared in the pickle."""

    def __init__(self, code: Any = "", *_: Any) -> None:
        self.code, self.order = code, "<"

    def __setstate__(self, state: Any) -> None:
        if isinstance(state, tuple) and len(state) > 1 and state[1] in ("<", ">", "|", "="):
            self.order = state[1]

    def made(self) -> np.dtype[Any]:
        code = self.code
        if isinstance(code, bytes):
            code = code.decode("latin1")
        if not isinstance(code, str) or len(code) > 4 or code[:1] not in _KINDS:
            raise NotPlain(f"an array of {str(code)[:20]!r}")
        return np.dtype(code).newbyteorder(self.order)  # type: ignore[arg-type]


class _Array:
    """An array, as declared in the pickle."""

    def __init__(self) -> None:
        self.state: Any = None

    def __setstate__(self, state: Any) -> None:
        self.state = state

    def made(self) -> Any:
        _, shape, dtype, fortran, data = self.state
        if isinstance(data, str):
            data = data.encode("latin1")
        if not isinstance(dtype, _DType) or not isinstance(data, bytes | bytearray):
            raise NotPlain("an array of objects")
        found = np.frombuffer(bytes(data), dtype.made())
        if found.size > _MOST_VALUES:
            raise NotPlain(f"an array of {found.size} values")
        return found.reshape(shape, order="F" if fortran else "C")


class _Scalar:
    """A numpy scalar type, as declared in the pickle."""

    def __init__(self, dtype: Any = None, data: Any = b"") -> None:
        self.dtype, self.data = dtype, data

    def made(self) -> Any:
        data = self.data.encode("latin1") if isinstance(self.data, str) else self.data
        if not isinstance(self.dtype, _DType) or not isinstance(data, bytes):
            raise NotPlain("a number of an unknown kind")
        return np.frombuffer(data, self.dtype.made())[0].item()


def _reconstruct(*_: Any) -> _Array:
    return _Array()


def _from_buffer(data: Any = b"", dtype: Any = None, shape: Any = (), order: Any = "C") -> _Array:
    array = _Array()
    array.state = (1, shape, dtype, order == "F", data)
    return array


def _encode(text: Any, coding: Any = "latin1") -> bytes:
    if not isinstance(text, str) or coding != "latin1":
        raise NotPlain("text in an unknown coding")
    return text.encode("latin1")


_KNOWN: dict[tuple[str, str], Any] = {
    **{(f"numpy.{core}.multiarray", "_reconstruct"): _reconstruct for core in ("core", "_core")},
    **{(f"numpy.{core}.multiarray", "scalar"): _Scalar for core in ("core", "_core")},
    **{(f"numpy.{core}.numeric", "_frombuffer"): _from_buffer for core in ("core", "_core")},
    ("numpy", "ndarray"): _Array,
    ("numpy", "dtype"): _DType,
    ("_codecs", "encode"): _encode,
}


class _Reader(pickle._Unpickler):
    """Read a pickle in Python, without the compiled parts of numpy and pickle."""

    def find_class(self, module: str, name: str) -> Any:
        try:
            return _KNOWN[module, name]
        except KeyError:
            raise NotPlain(f"{module}.{name}") from None


def load(data: bytes, path: str | Path) -> Any:
    """Read a pickle of plain data; anything more is a ``FormatError``."""
    try:
        return _made(_Reader(io.BytesIO(data), encoding="latin1").load(), 0)
    except NotPlain as e:
        held = " ".join(str(e).split())
        raise FormatError(
            f"the pickle contains {held}, which is more than numbers and arrays; it is not read, "
            "because it may run code",
            path=path,
        ) from None
    except (Exception, MemoryError):  # a damaged pickle raises various exceptions
        raise FormatError(
            "not a whole pickle: it is damaged or cut off; copy or download it again", path=path
        ) from None


def _made(value: Any, depth: int) -> Any:
    if depth > 20:
        raise NotPlain("mappings in mappings without end")
    if isinstance(value, _Array | _Scalar):
        return value.made()
    if isinstance(value, dict):
        return {_key(k): _made(v, depth + 1) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_made(v, depth + 1) for v in value]
    if value is None or isinstance(value, bool | int | float | str | bytes):
        return value
    raise NotPlain(type(value).__name__.lstrip("_"))


def _key(key: Any) -> Any:
    if not isinstance(key, str | int | bytes):
        raise NotPlain("a mapping by other things than names")
    return key
