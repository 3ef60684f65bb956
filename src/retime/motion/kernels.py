"""Compiled loops over frames and joints."""

from __future__ import annotations

import math

import numpy as np

from retime.compiled import kernel


@kernel
def multiply(a, b, out):  # type: ignore[no-untyped-def]
    """Multiply two quaternions; ``out`` may be one of them."""
    w = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3]
    x = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2]
    y = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1]
    z = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]
    out[0] = w
    out[1] = x
    out[2] = y
    out[3] = z


@kernel
def rotate(q, v, out):  # type: ignore[no-untyped-def]
    """Rotate a vector by a quaternion; ``out`` may be the vector."""
    tx = 2.0 * (q[2] * v[2] - q[3] * v[1])
    ty = 2.0 * (q[3] * v[0] - q[1] * v[2])
    tz = 2.0 * (q[1] * v[1] - q[2] * v[0])
    x = v[0] + q[0] * tx + q[2] * tz - q[3] * ty
    y = v[1] + q[0] * ty + q[3] * tx - q[1] * tz
    z = v[2] + q[0] * tz + q[1] * ty - q[2] * tx
    out[0] = x
    out[1] = y
    out[2] = z


@kernel
def arc_shares(gap, left, u):  # type: ignore[no-untyped-def]
    """Return the weights of two unit vectors at a share ``u`` of the arc between them.

    They are sin((1 - u) a) / sin(a) and sin(u a) / sin(a), where ``gap`` is 1 - cos(a) and ``left``
    is 1 + cos(a); each is accurate where the other is near 2. On arcs below 14 degrees a
    series in the gap (Eberly 2011) differs by less than rounding does, and is up to three times as
    fast: eight terms, or four on the shortest, which are most.
    """
    if gap > 0.03:
        angle = 2.0 * math.atan2(math.sqrt(gap), math.sqrt(left))
        sine = max(math.sqrt(gap * left), 1e-16)  # half a circle has no direction
        return math.sin((1.0 - u) * angle) / sine, math.sin(u * angle) / sine
    if gap > 0.0015:
        return _medium_share(gap, 1.0 - u), _medium_share(gap, u)
    return _short_share(gap, 1.0 - u), _short_share(gap, u)


@kernel
def _medium_share(gap, u):  # type: ignore[no-untyped-def]
    """Return sin(u a) / sin(a) for a ``gap`` of at most 0.03, by eight terms."""
    square = u * u
    out = 1.0 + gap * (8 / 17 - square * (1 / 136))
    out = 1.0 + gap * (7 / 15 - square * (1 / 105)) * out
    out = 1.0 + gap * (6 / 13 - square * (1 / 78)) * out
    out = 1.0 + gap * (5 / 11 - square * (1 / 55)) * out
    out = 1.0 + gap * (4 / 9 - square * (1 / 36)) * out
    out = 1.0 + gap * (3 / 7 - square * (1 / 21)) * out
    out = 1.0 + gap * (2 / 5 - square * (1 / 10)) * out
    return u * (1.0 + gap * (1 / 3 - square * (1 / 3)) * out)


@kernel
def _short_share(gap, u):  # type: ignore[no-untyped-def]
    """Return sin(u a) / sin(a) for a ``gap`` of at most 0.0015, by four terms."""
    square = u * u
    out = 1.0 + gap * (4 / 9 - square * (1 / 36))
    out = 1.0 + gap * (3 / 7 - square * (1 / 21)) * out
    out = 1.0 + gap * (2 / 5 - square * (1 / 10)) * out
    return u * (1.0 + gap * (1 / 3 - square * (1 / 3)) * out)


@kernel
def unevenness(rotations):  # type: ignore[no-untyped-def]
    """Return how far quaternions ``(F, J, 4)`` are from unit, squared, and their least product.

    The product is of neighbouring frames: below 0 the sign changes.
    """
    worst = 0.0
    least = 1.0
    total = 0.0  # not a number if one of them is not; a test of each would take eight times as long
    for f in range(rotations.shape[0]):
        for j in range(rotations.shape[1]):
            q = rotations[f, j]
            away = abs(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1.0)
            total += away
            if away > worst:
                worst = away
            if f > 0:
                p = rotations[f - 1, j]
                least = min(least, p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3])
    return (total if math.isnan(total) else worst), least


@kernel
def resample_rotations(rotations, frame, share, column):  # type: ignore[no-untyped-def]
    """Interpolate rotations ``(F, J, 4)`` at a frame and share per output frame and column.

    ``frame`` and ``share`` are ``(N, K)``; joint ``j`` follows column ``column[j]``. A share of 0
    copies the sample exactly. Signs are continuous in time.
    """
    n = frame.shape[0]
    joints = rotations.shape[1]
    out = np.empty((n, joints, 4))
    for t in range(n):
        for j in range(joints):
            k = column[j]
            i = frame[t, k]
            u = share[t, k]
            a0 = rotations[i, j, 0]
            a1 = rotations[i, j, 1]
            a2 = rotations[i, j, 2]
            a3 = rotations[i, j, 3]
            if u != 0.0:
                b0 = rotations[i + 1, j, 0]
                b1 = rotations[i + 1, j, 1]
                b2 = rotations[i + 1, j, 2]
                b3 = rotations[i + 1, j, 3]
                if a0 * b0 + a1 * b1 + a2 * b2 + a3 * b3 < 0.0:
                    b0, b1, b2, b3 = -b0, -b1, -b2, -b3
                # The chord is accurate for small angles, where the cosine loses half of the digits.
                d0 = b0 - a0
                d1 = b1 - a1
                d2 = b2 - a2
                d3 = b3 - a3
                gap = 0.5 * (d0 * d0 + d1 * d1 + d2 * d2 + d3 * d3)
                wa, wb = arc_shares(gap, 2.0 - gap, u)
                a0 = wa * a0 + wb * b0
                a1 = wa * a1 + wb * b1
                a2 = wa * a2 + wb * b2
                a3 = wa * a3 + wb * b3
                scale = 1.0 / math.sqrt(a0 * a0 + a1 * a1 + a2 * a2 + a3 * a3)
                a0 *= scale
                a1 *= scale
                a2 *= scale
                a3 *= scale
            if t > 0:
                before = out[t - 1, j]
                if a0 * before[0] + a1 * before[1] + a2 * before[2] + a3 * before[3] < 0.0:
                    a0, a1, a2, a3 = -a0, -a1, -a2, -a3
            out[t, j, 0] = a0
            out[t, j, 1] = a1
            out[t, j, 2] = a2
            out[t, j, 3] = a3
    return out


@kernel
def half_turn(square):  # type: ignore[no-untyped-def]
    """Return cos(a / 2) and sin(a / 2) / a of an angle that is given squared.

    On small angles a series is faster, and exact to the last digit.
    """
    x = 0.25 * square
    if x > 0.02:
        angle = math.sqrt(square)
        return math.cos(0.5 * angle), math.sin(0.5 * angle) / angle
    cosine = 1.0 - x * (1 / 2) * (
        1.0 - x * (1 / 12) * (1.0 - x * (1 / 30) * (1.0 - x * (1 / 56) * (1.0 - x * (1 / 90))))
    )
    return cosine, 0.5 * (
        1.0 - x * (1 / 6) * (1.0 - x * (1 / 20) * (1.0 - x * (1 / 42) * (1.0 - x * (1 / 72))))
    )


@kernel
def turn_rotations(rotations, joints, turns):  # type: ignore[no-untyped-def]
    """Rotate joints ``(F, J, 4)`` by vectors ``(F, N, 3)`` in the parent's frame."""
    out = rotations.copy()
    for f in range(len(turns)):
        for n in range(len(joints)):
            v = turns[f, n]
            square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2]
            if square == 0.0:
                continue
            w, scale = half_turn(square)
            x = scale * v[0]
            y = scale * v[1]
            z = scale * v[2]
            q = rotations[f, joints[n]]
            out[f, joints[n], 0] = w * q[0] - x * q[1] - y * q[2] - z * q[3]
            out[f, joints[n], 1] = w * q[1] + x * q[0] + y * q[3] - z * q[2]
            out[f, joints[n], 2] = w * q[2] - x * q[3] + y * q[0] + z * q[1]
            out[f, joints[n], 3] = w * q[3] + x * q[2] - y * q[1] + z * q[0]
    return out


@kernel
def chain_rotations(parents, rotations, turn):  # type: ignore[no-untyped-def]
    """Multiply rotations ``(F, J, 4)`` from the roots on; the roots themselves by ``turn``."""
    out = np.empty_like(rotations)
    for f in range(len(rotations)):
        for j in range(len(parents)):
            a = turn if parents[j] < 0 else out[f, parents[j]]
            b = rotations[f, j]
            out[f, j, 0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3]
            out[f, j, 1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2]
            out[f, j, 2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1]
            out[f, j, 3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]
    return out


@kernel
def forward(parents, rotations, translations, scales, keep):  # type: ignore[no-untyped-def]
    """Forward kinematics: local transforms to global positions and linear parts.

    ``rotations`` ``(F, J, 4)``, ``translations`` ``(F, J, 3)``; ``scales`` ``(F, J, 3)``, or
    ``(0, J, 3)`` for none. Returns positions ``(F, J, 3)`` and matrices ``(F, J, 3, 3)``, or those
    of the last frame only, ``(1, J, 3, 3)``: positions alone are faster if they are not kept.
    """
    frames, joints = rotations.shape[0], rotations.shape[1]
    scaled = scales.shape[0] > 0
    positions = np.empty((frames, joints, 3))
    matrices = np.empty((frames if keep else 1, joints, 3, 3))
    m = np.empty((3, 3))
    for f in range(frames):
        linear = matrices[f if keep else 0]
        for j in range(joints):
            w = rotations[f, j, 0]
            x = rotations[f, j, 1]
            y = rotations[f, j, 2]
            z = rotations[f, j, 3]
            m[0, 0] = 1 - 2 * (y * y + z * z)
            m[0, 1] = 2 * (x * y - w * z)
            m[0, 2] = 2 * (x * z + w * y)
            m[1, 0] = 2 * (x * y + w * z)
            m[1, 1] = 1 - 2 * (x * x + z * z)
            m[1, 2] = 2 * (y * z - w * x)
            m[2, 0] = 2 * (x * z - w * y)
            m[2, 1] = 2 * (y * z + w * x)
            m[2, 2] = 1 - 2 * (x * x + y * y)
            if scaled:
                for c in range(3):
                    s = scales[f, j, c]
                    m[0, c] *= s
                    m[1, c] *= s
                    m[2, c] *= s
            p = parents[j]
            t0 = translations[f, j, 0]
            t1 = translations[f, j, 1]
            t2 = translations[f, j, 2]
            if p < 0:
                positions[f, j, 0] = t0
                positions[f, j, 1] = t1
                positions[f, j, 2] = t2
                for r in range(3):
                    for c in range(3):
                        linear[j, r, c] = m[r, c]
            else:
                for r in range(3):
                    l0 = linear[p, r, 0]
                    l1 = linear[p, r, 1]
                    l2 = linear[p, r, 2]
                    positions[f, j, r] = positions[f, p, r] + l0 * t0 + l1 * t1 + l2 * t2
                    for c in range(3):
                        linear[j, r, c] = l0 * m[0, c] + l1 * m[1, c] + l2 * m[2, c]
    return positions, matrices
