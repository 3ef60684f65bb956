"""Euler angles of FBX: degrees about X, Y and Z, turned in one of six orders."""

from __future__ import annotations

import numpy as np

from retime.arrays import FloatArray
from retime.motion import quat

# Rotation orders by number, the first axis first. The seventh, spheric, is not an order.
ORDERS = ("XYZ", "XZY", "YZX", "YXZ", "ZXY", "ZYX")
# From this sine of the middle angle on, the first and the third axis coincide.
_LOCKED = 1 - 1e-9


def _axes(order: str) -> tuple[int, int, int, float]:
    """Return the axes in an order, and 1 if they run X, Y, Z, otherwise -1."""
    i, j, k = map("XYZ".index, order)
    return i, j, k, 1.0 if (j - i) % 3 == 1 else -1.0


def euler(degrees: FloatArray, order: str) -> FloatArray:
    """Convert angles (..., 3) to rotations (..., 4)."""
    i, j, k, sign = _axes(order)
    half = np.radians(degrees) / 2
    (ci, cj, ck), (si, sj, sk) = (np.moveaxis(f(half), -1, 0)[[i, j, k]] for f in (np.cos, np.sin))
    out = np.empty((*half.shape[:-1], 4))
    out[..., 0] = ck * cj * ci + sign * sk * sj * si
    out[..., 1 + i] = ck * cj * si - sign * sk * sj * ci
    out[..., 1 + j] = ck * sj * ci + sign * sk * cj * si
    out[..., 1 + k] = sk * cj * ci - sign * ck * sj * si
    return out


def _solved(turn: FloatArray, order: str) -> tuple[FloatArray, FloatArray]:
    """Return the angles of each axis in its order, radians (F, 3), and the sine of the second.

    Where the first and the third axis coincide, all of their turn is in the first.
    """
    i, j, k, sign = _axes(order)
    m = quat.to_matrix(turn)
    sine = np.clip(-sign * m[:, k, i], -1.0, 1.0)
    locked = np.abs(sine) > _LOCKED
    first = np.where(
        locked,
        np.arctan2(-sign * m[:, j, k], m[:, j, j]),
        np.arctan2(sign * m[:, k, j], m[:, k, k]),
    )
    third = np.where(locked, 0.0, np.arctan2(sign * m[:, j, i], m[:, i, i]))
    return np.stack([first, np.arcsin(sine), third], axis=1), sine


def angles(turn: FloatArray, order: str) -> FloatArray:
    """Convert rotations (F, 4) to angles (F, 3)."""
    out = np.empty((len(turn), 3))
    out[:, _axes(order)[:3]] = np.degrees(_solved(turn, order)[0])
    return out


def to_euler(turn: FloatArray, order: str, near: FloatArray) -> FloatArray:
    """Convert rotations to angles (F, 3), each as near to the one before as possible."""
    axes = list(_axes(order)[:3])
    found, sine = _solved(turn, order)
    out = np.empty_like(found)
    before = np.radians(near[axes])
    for f, (a, b, c) in enumerate(found):
        if abs(sine[f]) > _LOCKED:
            # Only the sum or the difference of first and third counts: keep the first.
            way = -_axes(order)[3] * np.sign(sine[f])
            tries = np.array([[before[0], b, way * (a - before[0])]])
        else:
            tries = np.array([[a, b, c], [a + np.pi, np.pi - b, c + np.pi]])
        tries += 2 * np.pi * np.round((before - tries) / (2 * np.pi))
        before = tries[np.abs(tries - before).sum(axis=1).argmin()]
        out[f, axes] = before
    return np.degrees(out)
