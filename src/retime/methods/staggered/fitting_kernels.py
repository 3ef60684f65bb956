"""Compiled loops that fit cubic splines to samples between knots."""

from __future__ import annotations

import math

import numpy as np

from retime.compiled import kernel
from retime.methods.staggered.kernels import arc_gaps, spline_at, turned

__all__ = ["fit_places", "fit_rotations", "refine_rotations"]

# A transition with fewer inner samples than this is a simple arc: two tangents would fit noise.
_FEWEST = 3


@kernel
def _log_from(a, b, out):  # type: ignore[no-untyped-def]
    """Write the rotation vector of a^-1 b, with its sign; the angle is up to a whole turn."""
    w = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
    x = a[0] * b[1] - a[1] * b[0] - a[2] * b[3] + a[3] * b[2]
    y = a[0] * b[2] + a[1] * b[3] - a[2] * b[0] - a[3] * b[1]
    z = a[0] * b[3] - a[1] * b[2] + a[2] * b[1] - a[3] * b[0]
    sine = math.sqrt(x * x + y * y + z * z)
    k = 2.0 if sine < 1e-12 else 2.0 * math.atan2(sine, w) / sine
    out[0] = k * x
    out[1] = k * y
    out[2] = k * z


@kernel
def _inner_controls(y, u, count, end, out):  # type: ignore[no-untyped-def]
    """Fit the two inner control vectors of a cubic from 0 to ``end`` to ``count`` samples."""
    m11 = m12 = m22 = 0.0
    r1 = np.zeros(3)
    r2 = np.zeros(3)
    for k in range(count):
        b1 = 3 * u[k] * (1 - u[k]) ** 2
        b2 = 3 * u[k] ** 2 * (1 - u[k])
        b3 = u[k] ** 3
        m11 += b1 * b1
        m12 += b1 * b2
        m22 += b2 * b2
        for c in range(3):
            rest = y[k, c] - b3 * end[c]
            r1[c] += b1 * rest
            r2[c] += b2 * rest
    det = m11 * m22 - m12 * m12
    plain = count < _FEWEST or det < 1e-12
    for c in range(3):
        out[0, c] = end[c] / 3 if plain else (m22 * r1[c] - m12 * r2[c]) / det
        out[1, c] = 2 * end[c] / 3 if plain else (m11 * r2[c] - m12 * r1[c]) / det


@kernel
def _samples_between(values, times, low, high):  # type: ignore[no-untyped-def]
    """Return the samples strictly between two knots, and their positions between them."""
    first = np.searchsorted(times, low, side="right")
    last = np.searchsorted(times, high, side="left")
    return values[first:last], (times[first:last] - low) / (high - low)


@kernel
def fit_places(values, times, knots, ends):  # type: ignore[no-untyped-def]
    """Fit cubics to positions ``(F, 3)`` between knots whose values ``(N, 3)`` are kept."""
    out = np.empty((len(knots) - 1, 4, 3))
    inner = np.empty((2, 3))
    for s in range(len(knots) - 1):
        samples, u = _samples_between(values, times, knots[s], knots[s + 1])
        _inner_controls(samples - ends[s], u, len(u), ends[s + 1] - ends[s], inner)
        out[s, 0] = ends[s]
        out[s, 1] = ends[s] + inner[0]
        out[s, 2] = ends[s] + inner[1]
        out[s, 3] = ends[s + 1]
    return out


@kernel
def _misses(controls, q, u, count, residual):  # type: ignore[no-untyped-def]
    """Write the distances of samples from a spline, and return the sum of their squares."""
    at = np.empty(4)
    total = 0.0
    gap = arc_gaps(controls)
    for k in range(count):
        spline_at(controls, gap, u[k], at)
        if at[0] * q[k, 0] + at[1] * q[k, 1] + at[2] * q[k, 2] + at[3] * q[k, 3] < 0.0:
            at[:] = -at
        _log_from(at, q[k], residual[k])
        total += residual[k, 0] ** 2 + residual[k, 1] ** 2 + residual[k, 2] ** 2
    return total


@kernel
def _levenberg_marquardt(controls, q, u, count, iterations):  # type: ignore[no-untyped-def]
    """Rotate the two inner controls to minimise the squared angles to the samples."""
    step = 1e-6
    residual = np.empty((count, 3))
    moved = np.empty((count, 3))
    jacobian = np.empty((3 * count, 6))
    trial = controls.copy()
    turn = np.zeros(3)
    cost = _misses(controls, q, u, count, residual)
    damping = 1e-6
    for _ in range(iterations):
        for e in range(6):
            trial[:] = controls
            turn[:] = 0.0
            turn[e % 3] = step
            turned(controls[1 + e // 3], turn, trial[1 + e // 3])
            _misses(trial, q, u, count, moved)
            for k in range(count):
                for c in range(3):
                    jacobian[3 * k + c, e] = (moved[k, c] - residual[k, c]) / step
        square = jacobian.T @ jacobian
        slope = jacobian.T @ residual.reshape(3 * count)
        better = cost
        for _attempt in range(6):
            damped = square + np.eye(6) * (damping * (np.trace(square) / 6 + 1e-12))
            move = np.linalg.solve(damped, -slope)
            trial[:] = controls
            turned(controls[1], move[:3], trial[1])
            turned(controls[2], move[3:], trial[2])
            better = _misses(trial, q, u, count, moved)
            if better <= cost:
                break
            damping = max(damping * 10, 1e-4)
        if better > cost:
            return
        gain = cost - better
        cost = better
        controls[:] = trial
        residual[:] = moved
        damping *= 0.1
        if gain < 1e-8 * cost + 1e-14:
            return


@kernel
def fit_rotations(values, times, knots, ends):  # type: ignore[no-untyped-def]
    """Fit quaternion cubics to rotations ``(F, 4)`` between knots whose values are kept.

    Appendix A uses a simplex search over the two tangents. In the space of logarithms the problem
    is linear, and its solution is as good to a thousandth.
    """
    out = np.empty((len(knots) - 1, 4, 4))
    y = np.empty((len(times), 3))
    end = np.empty(3)
    inner = np.empty((2, 3))
    for s in range(len(knots) - 1):
        samples, u = _samples_between(values, times, knots[s], knots[s + 1])
        for k in range(len(u)):
            _log_from(ends[s], samples[k], y[k])
        _log_from(ends[s], ends[s + 1], end)
        _inner_controls(y, u, len(u), end, inner)
        out[s, 0] = ends[s]
        turned(ends[s], inner[0], out[s, 1])
        turned(ends[s], inner[1], out[s, 2])
        out[s, 3] = ends[s + 1]
    return out


@kernel
def refine_rotations(controls, values, times, knots, iterations):  # type: ignore[no-untyped-def]
    """Refine fitted splines in place, by Levenberg-Marquardt on the angles themselves."""
    for s in range(len(knots) - 1):
        samples, u = _samples_between(values, times, knots[s], knots[s + 1])
        if len(u) >= _FEWEST:
            _levenberg_marquardt(controls[s], samples, u, len(u), iterations)
