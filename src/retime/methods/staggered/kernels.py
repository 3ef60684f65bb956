"""Compiled loops: cubic quaternion splines by recursive slerp, and turns from frame to frame."""

from __future__ import annotations

import math

import numpy as np

from retime.compiled import kernel
from retime.motion.kernels import arc_shares, half_turn, multiply

__all__ = [
    "arc_gaps",
    "evaluate_places",
    "evaluate_rotations",
    "rising",
    "rotation_changes",
    "spline_at",
    "spline_changes",
    "turn_controls",
    "turned",
    "turned_by",
]


@kernel
def _between(a, b, u):  # type: ignore[no-untyped-def]
    """Interpolate without changing a sign: control points are continuous, also past half a turn."""
    gap, left = _gaps(a, b)
    return _mixed(arc_shares(gap, left, u), a, b)


@kernel
def _mixed(shares, a, b):  # type: ignore[no-untyped-def]
    wa, wb = shares
    return (
        wa * a[0] + wb * b[0],
        wa * a[1] + wb * b[1],
        wa * a[2] + wb * b[2],
        wa * a[3] + wb * b[3],
    )


@kernel
def _gaps(a, b):  # type: ignore[no-untyped-def]
    """Return 1 - cos and 1 + cos of the angle between two control points."""
    gap = 0.5 * ((b[0] - a[0]) ** 2 + (b[1] - a[1]) ** 2 + (b[2] - a[2]) ** 2 + (b[3] - a[3]) ** 2)
    left = 2.0 - gap
    if gap > 1.0:  # near half a circle, the difference from 2 is not accurate
        left = 0.5 * (
            (b[0] + a[0]) ** 2 + (b[1] + a[1]) ** 2 + (b[2] + a[2]) ** 2 + (b[3] + a[3]) ** 2
        )
    return gap, left


@kernel
def arc_gaps(controls):  # type: ignore[no-untyped-def]
    """Return the gaps (3, 2) between the control points of a cubic, for :func:`spline_at`."""
    out = np.empty((3, 2))
    for k in range(3):
        out[k] = _gaps(controls[k], controls[k + 1])
    return out


@kernel
def spline_at(c, gap, u, out):  # type: ignore[no-untyped-def]
    """Evaluate a cubic by de Casteljau's steps on the sphere (Shoemake 1985).

    ``gap`` (3, 2) is of :func:`arc_gaps`, the same throughout a transition.
    """
    # Tuples stay in registers, which arrays do not.
    a = _mixed(arc_shares(gap[0, 0], gap[0, 1], u), c[0], c[1])
    b = _mixed(arc_shares(gap[1, 0], gap[1, 1], u), c[1], c[2])
    d = _mixed(arc_shares(gap[2, 0], gap[2, 1], u), c[2], c[3])
    q = _between(_between(a, b, u), _between(b, d, u), u)
    scale = 1.0 / math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    for e in range(4):
        out[e] = scale * q[e]


@kernel
def evaluate_rotations(controls, knots, times):  # type: ignore[no-untyped-def]
    """Evaluate splines ``(N - 1, 4, 4)`` between knots ``(N,)`` at rising times ``(M,)``."""
    out = np.empty((len(times), 4))
    gap = np.empty((3, 2))
    known = -1
    s = 0
    for m in range(len(times)):
        while s < len(knots) - 2 and times[m] >= knots[s + 1]:
            s += 1
        if s != known:
            known = s
            gap = arc_gaps(controls[s])
        u = min(max((times[m] - knots[s]) / (knots[s + 1] - knots[s]), 0.0), 1.0)
        spline_at(controls[s], gap, u, out[m])
    return out


@kernel
def spline_changes(controls, before, knots, times, detail, source, floor):  # type: ignore[no-untyped-def]
    """Return the rotation vectors ``(F, 3)`` from source rotations to a spline and its detail.

    They are 0 where the control points are the same as ``before``, and below the floor. They do not
    jump at half a turn.
    """
    out = np.zeros((len(times), 3))
    gap = np.empty((3, 2))
    value = np.empty(4)
    last = np.array([1.0, 0.0, 0.0, 0.0])
    known = -1
    same = True
    s = 0
    for m in range(len(times)):
        while s < len(knots) - 2 and times[m] >= knots[s + 1]:
            s += 1
        if s != known:
            known = s
            same = np.array_equal(controls[s], before[s])
            gap = arc_gaps(controls[s])
        if same:
            continue
        u = min(max((times[m] - knots[s]) / (knots[s + 1] - knots[s]), 0.0), 1.0)
        spline_at(controls[s], gap, u, value)
        multiply(value, detail[m], value)
        _change(value, source[m], last, floor, out[m])
    return out


@kernel
def turned(q, v, out):  # type: ignore[no-untyped-def]
    """Write q exp(v)."""
    w, k = half_turn(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    x = k * v[0]
    y = k * v[1]
    z = k * v[2]
    o0 = q[0] * w - q[1] * x - q[2] * y - q[3] * z
    o1 = q[0] * x + q[1] * w + q[2] * z - q[3] * y
    o2 = q[0] * y - q[1] * z + q[2] * w + q[3] * x
    o3 = q[0] * z + q[1] * y - q[2] * x + q[3] * w
    out[0] = o0
    out[1] = o1
    out[2] = o2
    out[3] = o3


@kernel
def turn_controls(controls, turns):  # type: ignore[no-untyped-def]
    """Turn the control points beside each knot, in place, by rotation vectors ``(N, 3)``."""
    q = np.empty(4)
    unit = np.array([1.0, 0.0, 0.0, 0.0])
    for n in range(len(turns)):
        if turns[n, 0] == 0.0 and turns[n, 1] == 0.0 and turns[n, 2] == 0.0:
            continue
        turned(unit, turns[n], q)
        for side in range(2):
            s = n - 1 + side
            if s < 0 or s >= len(controls):
                continue
            for k in range(2):
                c = controls[s, 2 - 2 * side + k]
                multiply(q, c, c)


@kernel
def _change(v, p, before, floor, out):  # type: ignore[no-untyped-def]
    """Write the rotation vector from ``p`` to ``v``, on the side of the one before."""
    q0 = v[0] * p[0] + v[1] * p[1] + v[2] * p[2] + v[3] * p[3]
    q1 = -v[0] * p[1] + v[1] * p[0] - v[2] * p[3] + v[3] * p[2]
    q2 = -v[0] * p[2] + v[1] * p[3] + v[2] * p[0] - v[3] * p[1]
    q3 = -v[0] * p[3] - v[1] * p[2] + v[2] * p[1] + v[3] * p[0]
    if q0 * before[0] + q1 * before[1] + q2 * before[2] + q3 * before[3] < 0.0:
        q0, q1, q2, q3 = -q0, -q1, -q2, -q3
    before[0] = q0
    before[1] = q1
    before[2] = q2
    before[3] = q3
    sine = math.sqrt(q1 * q1 + q2 * q2 + q3 * q3)
    if q0 > 0.9999:  # a series of asin(sine) / sine, exact to the last digit
        x = sine * sine
        scale = 2.0 + x * (1 / 3 + x * (3 / 20 + x * (5 / 56 + x * (35 / 576))))
    else:
        scale = 2.0 * math.atan2(sine, q0) / sine
    if scale * sine > floor:
        out[0] = scale * q1
        out[1] = scale * q2
        out[2] = scale * q3


@kernel
def rotation_changes(values, source, floor):  # type: ignore[no-untyped-def]
    """Return the rotation vectors ``(F, 3)`` from source rotations to others.

    They do not jump at half a turn; values below the floor are 0.
    """
    out = np.zeros((len(values), 3))
    before = np.array([1.0, 0.0, 0.0, 0.0])
    for m in range(len(values)):
        _change(values[m], source[m], before, floor, out[m])
    return out


@kernel
def evaluate_places(controls, knots, times):  # type: ignore[no-untyped-def]
    """Evaluate splines of positions, ``(N - 1, 4, 3)``, at any times."""
    out = np.empty((len(times), 3))
    last = len(knots) - 2
    for m in range(len(times)):
        s = min(max(np.searchsorted(knots, times[m], side="right") - 1, 0), last)
        u = min(max((times[m] - knots[s]) / (knots[s + 1] - knots[s]), 0.0), 1.0)
        v = 1.0 - u
        for c in range(3):
            out[m, c] = (
                v * v * v * controls[s, 0, c]
                + 3 * u * v * v * controls[s, 1, c]
                + 3 * u * u * v * controls[s, 2, c]
                + u * u * u * controls[s, 3, c]
            )
    return out


@kernel
def rising(x):  # type: ignore[no-untyped-def]
    """Fit non-decreasing numbers (N,) by least squares (pool adjacent violators)."""
    level = np.empty(len(x))
    size = np.empty(len(x), dtype=np.int64)
    count = 0
    for k in range(len(x)):
        value = x[k]
        many = 1
        while count > 0 and level[count - 1] > value:
            count -= 1
            value = (level[count] * size[count] + value * many) / (size[count] + many)
            many += size[count]
        level[count] = value
        size[count] = many
        count += 1
    out = np.empty(len(x))
    at = 0
    for k in range(count):
        for _ in range(size[k]):
            out[at] = level[k]
            at += 1
    return out


@kernel
def turned_by(parents, own):  # type: ignore[no-untyped-def]
    """Return by how much joints turn from frame to frame, radians, for local turns (F, J, 4).

    The result, (F - 1, 2 J), is in space, then relative to the parents.
    """
    frames, joints = own.shape[0], own.shape[1]
    out = np.empty((max(frames - 1, 0), 2 * joints))
    in_space = np.empty((2, joints, 4))
    for f in range(frames):
        now, before = in_space[f % 2], in_space[(f + 1) % 2]
        for j in range(joints):
            if parents[j] < 0:
                now[j] = own[f, j]
            else:
                multiply(now[parents[j]], own[f, j], now[j])
            if f > 0:
                out[f - 1, j] = _angle(now[j], before[j])
                out[f - 1, joints + j] = _angle(own[f, j], own[f - 1, j])
    return out


@kernel
def _angle(a, b):  # type: ignore[no-untyped-def]
    """Return the angle between two rotations, radians in [0, pi]."""
    near = 0.0
    far = 0.0
    for c in range(4):
        near += (a[c] - b[c]) ** 2
        far += (a[c] + b[c]) ** 2
    x = 0.5 * math.sqrt(min(near, far))
    if x > 0.05:
        return 4.0 * math.asin(min(x, 1.0))
    square = x * x  # the series of the arcsine, exact to 3e-15
    series = 3 / 40 + square * (15 / 336 + square * (105 / 3456))
    return 4.0 * x * (1.0 + square * (1 / 6 + square * series))
