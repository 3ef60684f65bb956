"""Read-only, finite float64 arrays for the data types."""

from __future__ import annotations

import math
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from retime.errors import InputError
from retime.pictured import Pictured

FloatArray = npt.NDArray[np.float64]


def read_only(
    values: npt.ArrayLike, shape: tuple[int | None, ...], what: str, *, may_be_nan: bool = False
) -> FloatArray:
    """Convert finite values to a read-only float64 array of a shape; ``None`` matches any length.

    An array that is already read-only is returned unchanged, so that equal data stays shared. With
    ``may_be_nan`` the caller checks for values that are not finite.
    """
    a = _numbers(values, what)
    _must_have_shape(a, shape, what)
    if not may_be_nan and not np.isfinite(a).all():
        raise InputError(f"{what} must be finite")
    if a.flags.writeable or _shows_writeable(a):
        if a is values or a.base is not None:
            a = a.copy()
        a.setflags(write=False)
    return a


def freeze(values: FloatArray) -> FloatArray:
    """Mark a new array read-only, so that :func:`read_only` does not copy it."""
    values.setflags(write=False)
    return values


def columns(values: FloatArray) -> FloatArray:
    """Return numbers (F, ...) as C-contiguous float64 (F, D), for kernels."""
    return np.ascontiguousarray(values, dtype=float).reshape(
        len(values), math.prod(values.shape[1:])
    )


def _must_have_shape(a: FloatArray, shape: tuple[int | None, ...], what: str) -> None:
    fits = [n is None or n == m for n, m in zip(shape, a.shape, strict=False)]
    if a.ndim != len(shape) or not all(fits):
        wanted = ", ".join("any" if n is None else str(n) for n in shape)
        raise InputError(f"{what} has shape {a.shape}, expected ({wanted})")


def _numbers(values: npt.ArrayLike, what: str) -> FloatArray:
    try:
        if np.asarray(values).dtype.kind not in "biuf":
            raise TypeError
        return np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{what} must be numbers") from None


def _shows_writeable(a: npt.NDArray[Any]) -> bool:
    """Return whether a read-only array is a view of a writeable one."""
    base = a.base
    while isinstance(base, np.ndarray):
        if base.flags.writeable:
            return True
        base = base.base
    return False


class ReadOnlyArrays(Pictured):
    """Keep arrays read-only after unpickling and copying, which numpy does not."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        for key, value in state.items():
            object.__setattr__(self, key, _protected(value))

    def __getstate__(self) -> dict[str, Any]:
        # Mapping proxies do not pickle; cached values are recomputed.
        state = {k: v for k, v in self.__dict__.items() if k in self.__dataclass_fields__}
        return {k: dict(v) if isinstance(v, MappingProxyType) else v for k, v in state.items()}

    __dataclass_fields__: ClassVar[dict[str, Any]]


def _protected(value: Any) -> Any:
    """Return an array, or a mapping of arrays, that cannot be changed; other values as they are."""
    if isinstance(value, np.ndarray):
        value.setflags(write=False)
    elif isinstance(value, dict):
        return MappingProxyType({k: _protected(v) for k, v in value.items()})
    return value
