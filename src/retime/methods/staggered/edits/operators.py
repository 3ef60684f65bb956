"""The paper's two operators, a + b and c - a (section 3), on rotations and on translations.

A value is a quaternion (..., 4) or a position (..., 3), by its last axis. ``b`` in a + b is
on the body's side of ``a``. A change is on the parent's side, as in pose layers: on real
clips, it causes a sixth of the jump in speed that a change on the body's side causes.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.motion import quat

__all__ = ["change", "changed", "interpolate", "minus", "neutral", "plus", "scaled"]


def _turns(value: FloatArray) -> bool:
    return bool(value.shape[-1] == 4)


def plus(a: FloatArray, b: FloatArray) -> FloatArray:
    """Apply ``b`` after ``a``."""
    return quat.multiply(a, b) if _turns(a) else a + b


def minus(c: FloatArray, a: FloatArray) -> FloatArray:
    """Return the ``b`` with a + b = c."""
    return quat.multiply(quat.conjugate(a), c) if _turns(c) else c - a


def neutral(frames: int, size: int) -> FloatArray:
    """Make neutral values."""
    return quat.identity(frames) if size == 4 else np.zeros((frames, 3))


def scaled(value: FloatArray, share: npt.ArrayLike) -> FloatArray:
    """Scale a displacement; a rotation by its angle."""
    share = np.asarray(share, dtype=float)
    if _turns(value):
        return quat.exp(share[..., None] * quat.log(value))
    out: FloatArray = share[..., None] * value
    return out


def change(new: FloatArray, old: FloatArray) -> FloatArray:
    """Return the change, (..., 3), from an old value to a new one."""
    return quat.log(quat.multiply(new, quat.conjugate(old))) if _turns(new) else new - old


def changed(value: FloatArray, by: FloatArray) -> FloatArray:
    """Apply a change (..., 3)."""
    return quat.multiply(quat.exp(by), value) if _turns(value) else value + by


def interpolate(values: FloatArray, times: FloatArray, t: FloatArray) -> FloatArray:
    """Interpolate values (F, D) at times (F,) at other times ``t`` (N,)."""
    if len(times) == 1:
        return np.repeat(values, len(t), axis=0)
    i = np.clip(np.searchsorted(times, t, side="right") - 1, 0, len(times) - 2)
    u = np.clip((t - times[i]) / (times[i + 1] - times[i]), 0.0, 1.0)
    a, b = values[i], values[i + 1]
    return quat.slerp(a, b, u) if _turns(values) else a + u[:, None] * (b - a)
