"""Arrays that data types are made of: float64, finite and read-only."""

from __future__ import annotations

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
    """Bring finite values to a read-only float64 array of a shape; ``None`` matches any length.

    An array that is read-only already is kept as it is, so that equal data stays shared. With
    ``may_be_nan`` the caller looks for values that are not finite, and says where they are.
    """
    a = _numbers(values, what)
    fits = [n is None or n == m for n, m in zip(shape, a.shape, strict=False)]
    if a.ndim != len(shape) or not all(fits):
        wanted = ", ".join("any" if n is None else str(n) for n in shape)
        raise InputError(f"{what} has shape {a.shape}, expected ({wanted})")
    if not may_be_nan and not np.isfinite(a).all():
        raise InputError(f"{what} must be finite")
    if a.flags.writeable or _shows_writeable(a):
        if a is values or a.base is not None:
            a = a.copy()
        a.setflags(write=False)
    return a


def _numbers(values: npt.ArrayLike, what: str) -> FloatArray:
    try:
        if np.asarray(values).dtype.kind not in "biuf":
            raise TypeError
        return np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{what} must be numbers") from None


def _shows_writeable(a: npt.NDArray[Any]) -> bool:
    """Return whether a read-only array is a view of memory that can still be written to."""
    base = a.base
    while isinstance(base, np.ndarray):
        if base.flags.writeable:
            return True
        base = base.base
    return False


class ReadOnlyArrays(Pictured):
    """Keep unpickled and copied arrays read-only, which numpy does not."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        for key, value in state.items():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)
            elif isinstance(value, dict):
                for inner in value.values():
                    if isinstance(inner, np.ndarray):
                        inner.setflags(write=False)
                value = MappingProxyType(value)
            object.__setattr__(self, key, value)

    def __getstate__(self) -> dict[str, Any]:
        # Mapping proxies do not pickle; cached values are recomputed.
        state = {k: v for k, v in self.__dict__.items() if k in self.__dataclass_fields__}
        return {k: dict(v) if isinstance(v, MappingProxyType) else v for k, v in state.items()}

    __dataclass_fields__: ClassVar[dict[str, Any]]
