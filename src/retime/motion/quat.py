"""Functions of unit quaternions, wxyz, of shape ``(..., 4)``.

Conventions: right-handed, active rotations; ``multiply(a, b)`` rotates by ``b`` first; angles are
in radians; a rotation vector is axis times angle.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray

# Sine of the half angle below which a series is more accurate than a quotient.
_SMALL = 1e-8


def identity(*shape: int) -> FloatArray:
    """Make an array of identity rotations, shape ``(*shape, 4)``."""
    q = np.zeros((*shape, 4))
    q[..., 0] = 1.0
    return q


def _length(q: FloatArray) -> FloatArray:
    """Return the norms of quaternions (..., 4); faster than numpy's norm, with equal results."""
    w, x, y, z = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    out: FloatArray = np.sqrt(w * w + x * x + y * y + z * z)
    return out


def normalize(q: FloatArray) -> FloatArray:
    """Scale to unit length; a zero quaternion becomes the identity."""
    n = _length(q)[..., None]
    return np.where(n > 0, q / np.where(n > 0, n, 1.0), [1.0, 0.0, 0.0, 0.0])


def multiply(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return the rotation by ``b``, then by ``a``.

    >>> quarter = from_axis_angle([0, 0, 1], np.pi / 2)
    >>> multiply(quarter, quarter).round(6).tolist()
    [0.0, 0.0, 0.0, 1.0]
    """
    a, b = np.asarray(a), np.asarray(b)
    aw, ax, ay, az = a[..., 0], a[..., 1], a[..., 2], a[..., 3]
    bw, bx, by, bz = b[..., 0], b[..., 1], b[..., 2], b[..., 3]
    out = np.empty(np.broadcast_shapes(a.shape, b.shape))  # twice as fast as np.stack
    out[..., 0] = aw * bw - ax * bx - ay * by - az * bz
    out[..., 1] = aw * bx + ax * bw + ay * bz - az * by
    out[..., 2] = aw * by - ax * bz + ay * bw + az * bx
    out[..., 3] = aw * bz + ax * by - ay * bx + az * bw
    return out


def _cross(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return cross products (..., 3); faster than numpy's, with equal results."""
    ax, ay, az = a[..., 0], a[..., 1], a[..., 2]
    bx, by, bz = b[..., 0], b[..., 1], b[..., 2]
    out = np.empty(np.broadcast_shapes(a.shape, b.shape))
    out[..., 0] = ay * bz - az * by
    out[..., 1] = az * bx - ax * bz
    out[..., 2] = ax * by - ay * bx
    return out


def conjugate(q: FloatArray) -> FloatArray:
    """Invert rotations."""
    out: FloatArray = q * np.array([1.0, -1.0, -1.0, -1.0])
    return out


def rotate(q: FloatArray, v: npt.ArrayLike) -> FloatArray:
    """Rotate vectors ``(..., 3)`` by quaternions ``(..., 4)``."""
    v = np.asarray(v, dtype=float)
    u = q[..., 1:]
    t = 2.0 * _cross(u, v)
    out: FloatArray = v + q[..., :1] * t + _cross(u, t)
    return out


def from_axis_angle(axis: npt.ArrayLike, radians: npt.ArrayLike) -> FloatArray:
    """Make rotations about a unit axis."""
    half = np.asarray(radians, dtype=float)[..., None] / 2
    return np.concatenate([np.cos(half), np.sin(half) * np.asarray(axis, dtype=float)], axis=-1)


def exp(v: FloatArray) -> FloatArray:
    """Convert rotation vectors ``(..., 3)`` to quaternions."""
    half = np.linalg.norm(v, axis=-1, keepdims=True) / 2
    return np.concatenate([np.cos(half), np.sinc(half / np.pi) * v / 2], axis=-1)


def log(q: FloatArray) -> FloatArray:
    """Convert quaternions to rotation vectors of at most half a turn."""
    q = np.where(q[..., :1] < 0, -q, q)
    sine = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    full = 2.0 * np.arctan2(sine, q[..., :1])
    scale = np.where(sine > _SMALL, full / np.where(sine > _SMALL, sine, 1.0), 2.0)
    out: FloatArray = scale * q[..., 1:]
    return out


def angle(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return the angle between rotations, radians in [0, pi]; accurate near zero."""
    chord = np.minimum(_length(a - b), _length(a + b))
    out: FloatArray = 4.0 * np.arcsin(np.clip(chord / 2, 0.0, 1.0))
    return out


def slerp(a: FloatArray, b: FloatArray, u: npt.ArrayLike) -> FloatArray:
    """Interpolate along the shorter arc; ``u`` has the shape of ``a`` without its last axis."""
    share = np.asarray(u, dtype=float)[..., None]
    b = np.where((a * b).sum(-1, keepdims=True) < 0, -b, b)
    half = angle(a, b)[..., None] / 2
    sine = np.sin(half)
    safe = np.where(sine > _SMALL, sine, 1.0)
    wa = np.where(sine > _SMALL, np.sin((1 - share) * half) / safe, 1 - share)
    wb = np.where(sine > _SMALL, np.sin(share * half) / safe, share)
    return normalize(wa * a + wb * b)


def continuous(q: FloatArray) -> FloatArray:
    """Choose signs so that adjacent quaternions along the first axis have a positive product."""
    if len(q) < 2:
        return q.copy()
    sign = np.where((q[1:] * q[:-1]).sum(-1) < 0, -1.0, 1.0)
    out = q.copy()
    out[1:] *= np.cumprod(sign, axis=0)[..., None]
    return out


def from_axes(x: FloatArray, y: FloatArray, z: FloatArray) -> FloatArray:
    """Return the rotations of XYZ to right-handed orthonormal axes, (..., 3) each."""
    a, b, c = y[..., 2] - z[..., 1], z[..., 0] - x[..., 2], x[..., 1] - y[..., 0]
    d, e, f = y[..., 0] + x[..., 1], z[..., 0] + x[..., 2], z[..., 1] + y[..., 2]
    xx, yy, zz = x[..., 0], y[..., 1], z[..., 2]
    # Row k is the quaternion times four times its component k; the largest is most accurate.
    rows = np.stack(
        [
            np.stack([1 + xx + yy + zz, a, b, c], axis=-1),
            np.stack([a, 1 + xx - yy - zz, d, e], axis=-1),
            np.stack([b, d, 1 - xx + yy - zz, f], axis=-1),
            np.stack([c, e, f, 1 - xx - yy + zz], axis=-1),
        ],
        axis=-2,
    )
    largest = np.argmax(np.einsum("...ii->...i", rows), axis=-1)
    return normalize(np.take_along_axis(rows, largest[..., None, None], axis=-2)[..., 0, :])


def between(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return the smallest rotations of unit vectors ``a`` to ``b``, which may be opposite."""
    cross, dot = _cross(a, b), (a * b).sum(-1, keepdims=True)
    opposite = dot < -1 + 1e-12
    real = np.where(opposite, 0.0, 1 + dot)
    if opposite.any():
        # Half a turn has no unique axis: use one perpendicular to the smallest component.
        across = _cross(a, np.eye(3)[np.argmin(np.abs(a), axis=-1)])
        cross = np.where(opposite, across, cross)
    return normalize(np.concatenate([real, cross], axis=-1))


def twist(q: FloatArray, axis: npt.ArrayLike) -> FloatArray:
    """Return the rotation about a unit axis, in radians: the twist of swing and twist."""
    along = q[..., 1:] @ np.asarray(axis, dtype=float)
    out: FloatArray = 2.0 * np.arctan2(along, q[..., 0])
    return out


def to_matrix(q: FloatArray) -> FloatArray:
    """Convert quaternions to rotation matrices ``(..., 3, 3)``."""
    w, x, y, z = np.moveaxis(q, -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
