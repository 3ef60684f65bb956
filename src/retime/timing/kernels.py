"""Compiled loops over curves of time; see :mod:`retime.compiled`."""

from __future__ import annotations

import numpy as np

from retime.compiled import kernel


@kernel
def _bezier_parameter(t, x, x0, x1, x2, x3):  # type: ignore[no-untyped-def]
    """Solve x(t) = x on a monotone segment, by Newton's method inside a bracket."""
    low = 0.0
    high = 1.0
    for _ in range(64):
        v = 1.0 - t
        miss = v * v * v * x0 + 3 * v * v * t * x1 + 3 * v * t * t * x2 + t * t * t * x3 - x
        if miss > 0.0:
            high = t
        else:
            low = t
        slope = 3 * v * v * (x1 - x0) + 6 * v * t * (x2 - x1) + 3 * t * t * (x3 - x2)
        new = t - miss / slope if slope > 0.0 else -1.0
        if not low < new < high:
            new = 0.5 * (low + high)
        if abs(new - t) < 1e-13:
            return new
        t = new
    return t


@kernel
def bezier_error(x, y, slope_in, slope_out, a, b):  # type: ignore[no-untyped-def]
    """Return the largest distance in y of points from a segment with handles of length a and b."""
    x1 = x[0] + a
    y1 = y[0] + a * slope_in
    x2 = x[-1] - b
    y2 = y[-1] - b * slope_out
    worst = 0.0
    t = 0.0
    for k in range(1, len(x) - 1):
        t = _bezier_parameter(t, x[k], x[0], x1, x2, x[-1])
        v = 1.0 - t
        fy = v * v * v * y[0] + 3 * v * v * t * y1 + 3 * v * t * t * y2 + t * t * t * y[-1]
        worst = max(worst, abs(fy - y[k]))
    return worst


@kernel
def fit_bezier_segment(x, y, slope_in, slope_out, enough):  # type: ignore[no-untyped-def]
    """Fit the handles of a Bezier segment to points, given its ends and end slopes.

    Gauss-Newton over the two handle lengths (along x). Returns them and the largest error; stops as
    soon as the error is at most half of ``enough``.
    """
    n = len(x)
    width = x[-1] - x[0]
    a = width / 3.0
    b = width / 3.0
    best = np.array([a, b, np.inf])
    u = (x - x[0]) / width
    for _ in range(12):
        x1 = x[0] + a
        y1 = y[0] + a * slope_in
        x2 = x[-1] - b
        y2 = y[-1] - b * slope_out
        worst = 0.0
        jj00 = jj01 = jj11 = jr0 = jr1 = 0.0
        for k in range(1, n - 1):
            t = u[k]
            t = _bezier_parameter(t, x[k], x[0], x1, x2, x[-1])
            u[k] = t
            v = 1.0 - t
            fy = v * v * v * y[0] + 3 * v * v * t * y1 + 3 * v * t * t * y2 + t * t * t * y[-1]
            r = fy - y[k]
            worst = max(worst, abs(r))
            dx = 3 * v * v * (x1 - x[0]) + 6 * v * t * (x2 - x1) + 3 * t * t * (x[-1] - x2)
            dy = 3 * v * v * (y1 - y[0]) + 6 * v * t * (y2 - y1) + 3 * t * t * (y[-1] - y2)
            along = dy / max(dx, 1e-12 * width)
            # x is constant while a handle changes, so the parameter changes with it.
            j0 = 3 * v * v * t * (slope_in - along)
            j1 = -3 * v * t * t * (slope_out - along)
            jj00 += j0 * j0
            jj01 += j0 * j1
            jj11 += j1 * j1
            jr0 += j0 * r
            jr1 += j1 * r
        if worst < best[2]:
            best[0] = a
            best[1] = b
            best[2] = worst
        if best[2] <= 0.5 * enough:
            break
        damp = 1e-9 * (jj00 + jj11) + 1e-300
        det = (jj00 + damp) * (jj11 + damp) - jj01 * jj01
        if det <= 0.0:
            break
        a -= ((jj11 + damp) * jr0 - jj01 * jr1) / det
        b -= ((jj00 + damp) * jr1 - jj01 * jr0) / det
        a = min(max(a, 0.02 * width), 0.98 * width)
        b = min(max(b, 0.02 * width), 0.98 * width)
    return best
