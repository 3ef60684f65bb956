"""How much the values of an attribute change, in the program that runs USD."""

from __future__ import annotations

from typing import Any

import numpy as np
from pxr import Gf, Vt

from retime.arrays import FloatArray

# Size above which point caches are compressed with a larger tolerance, in numbers.
_MANY, _COARSER = 3000, 100.0


def changes(values: list[Any]) -> FloatArray | None:
    """Return how much values change between samples; ``None`` if they are not interpolated."""
    first = _numbers(values[0])
    if first is None:
        return None
    turns = _turns(values[0])
    out = np.zeros(len(values) - 1)
    low, high, before = first.copy(), first.copy(), first
    for k, value in enumerate(values[1:]):
        now = _numbers(value)
        if now is None or now.shape != first.shape:
            return None
        out[k] = _largest_step(before, now, turns=turns)
        low, high, before = np.minimum(low, now), np.maximum(high, now), now
    spread = 1.0 if turns else float((high - low).max() if low.size else 0.0)
    out[~np.isfinite(out)] = spread
    if first.size > _MANY:
        spread *= _COARSER
    shares: FloatArray = out / spread if spread > 0 else out
    return shares


def _largest_step(before: FloatArray, now: FloatArray, *, turns: bool) -> float:
    if not now.size:
        return 0.0
    step = np.abs(now - before)
    if turns:  # the same rotation has two signs
        step = np.minimum(step.max(axis=-1), np.abs(now + before).max(axis=-1))
    return float(step.max())


def _turns(value: Any) -> bool:
    quats = (Gf.Quatd, Gf.Quatf, Gf.Quath, Vt.QuatdArray, Vt.QuatfArray, Vt.QuathArray)
    return isinstance(value, quats)


def _numbers(value: Any) -> FloatArray | None:
    """Return a value's numbers if USD interpolates between such values, otherwise ``None``."""
    if isinstance(value, (Gf.Quatd, Gf.Quatf, Gf.Quath)):
        value = [value.GetReal(), *value.GetImaginary()]
    if value is None or isinstance(value, (str, bool, int)):
        return None
    try:
        found = np.asarray(value)
    except (TypeError, ValueError):
        return None
    return found.astype(float) if found.dtype.kind == "f" else None
