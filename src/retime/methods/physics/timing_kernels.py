"""Compiled loops of the retiming's objective and of minimum time."""

from __future__ import annotations

import numpy as np

from retime.compiled import kernel
from retime.methods.physics.polygon_kernels import nearest_point

__all__ = [
    "fastest",
    "retiming_terms",
]

_HUGE = 1e300


@kernel
def retiming_terms(  # type: ignore[no-untyped-def]
    square_speed, steps, unit, starts, corners, matching, alphas, beta, prices,
    value, spent, gradient, of_time, diagonal, beside, second
):  # fmt: skip
    """Evaluate the objective (14) over b(s) = p'^2 at the nodes, with its derivatives.

    Between nodes k and k + 1, ``steps[k]`` source seconds apart, p'' = (b1 - b0) / (2 step) and the
    time is step / mean speed; both nodes' regions and torques count half. Per interval: ``value``
    and ``spent`` time; per node the ``gradient``, and (with ``second``) the Hessian's ``diagonal``
    and off-diagonal ``beside``, of the objective plus ``prices`` times the time; ``of_time`` (K, 2)
    the time's own derivatives.
    Distances are in (p'' / unit, p'^2) and count by ``alphas`` (F,); ``matching`` (F, 6) are the
    coefficients of x^2, x, x y, y^2, y, 1.
    """
    count = square_speed.shape[0]
    gradient[:] = 0.0
    diagonal[:] = 0.0
    for k in range(count - 1):
        step = steps[k]
        slope = 1.0 / (2 * step * unit)
        b0 = square_speed[k]
        b1 = square_speed[k + 1]
        v0 = np.sqrt(b0)
        v1 = np.sqrt(b1)
        mean = 0.5 * (v0 + v1)
        y = (b1 - b0) * slope
        x = 0.5 * (b0 + b1)
        f = fy = fx = fyy = fxy = fxx = 0.0
        for frame in range(k, k + 2):
            alpha = alphas[frame]
            inside, off, py, px, ny, nx = nearest_point(
                starts[frame], starts[frame + 1], corners, y, x
            )
            if not inside:
                f += 0.5 * alpha * off
                fy += alpha * (y - py)
                fx += alpha * (x - px)
                if ny == 0.0 and nx == 0.0:
                    fyy += alpha
                    fxx += alpha
                else:
                    fyy += alpha * ny * ny
                    fxx += alpha * nx * nx
                    fxy += alpha * ny * nx
            c = matching[frame]
            f += (
                0.5
                * beta
                * (c[0] * x * x + c[1] * x + c[2] * x * y + c[3] * y * y + c[4] * y + c[5])
            )
            fx += 0.5 * beta * (2 * c[0] * x + c[1] + c[2] * y)
            fy += 0.5 * beta * (c[2] * x + 2 * c[3] * y + c[4])
            fyy += beta * c[3]
            fxx += beta * c[0]
            fxy += 0.5 * beta * c[2]
        time = step / mean
        m0 = 0.25 / v0
        m1 = 0.25 / v1
        t0 = -step * m0 / (mean * mean)
        t1 = -step * m1 / (mean * mean)
        value[k] = f * time
        spent[k] = time
        of_time[k, 0] = t0
        of_time[k, 1] = t1
        f0 = -slope * fy + 0.5 * fx
        f1 = slope * fy + 0.5 * fx
        priced = f + prices[k]
        gradient[k] += f0 * time + priced * t0
        gradient[k + 1] += f1 * time + priced * t1
        if second:
            cube = mean * mean * mean
            t00 = step * (2 * m0 * m0 / cube + 0.125 / (v0 * b0) / (mean * mean))
            t11 = step * (2 * m1 * m1 / cube + 0.125 / (v1 * b1) / (mean * mean))
            t01 = step * 2 * m0 * m1 / cube
            f00 = slope * slope * fyy - slope * fxy + 0.25 * fxx
            f11 = slope * slope * fyy + slope * fxy + 0.25 * fxx
            f01 = -slope * slope * fyy + 0.25 * fxx
            diagonal[k] += f00 * time + 2 * f0 * t0 + priced * t00
            diagonal[k + 1] += f11 * time + 2 * f1 * t1 + priced * t11
            beside[k] = f01 * time + f0 * t1 + f1 * t0 + priced * t01


@kernel
def fastest(starts, corners, count, step, unit, first, last, most):  # type: ignore[no-untyped-def]
    """Find the fastest feasible b(s) = p'^2, (F,): controllable sets backward, then greedily on.

    ``first`` and ``last`` bound b at the ends; ``most`` bounds it everywhere. Returns b, the sets
    (F, 2), and the frame at which nothing is left, or -1.
    """
    sets = np.zeros((count, 2))
    sets[count - 1, 0] = 0.0
    sets[count - 1, 1] = last
    reach = 2 * step * unit
    for k in range(count - 2, -1, -1):
        size = starts[k + 1] - starts[k]
        py = corners[starts[k] : starts[k + 1], 0].copy()
        px = corners[starts[k] : starts[k + 1], 1].copy()
        for side in range(2):
            qy = np.empty(size + 4)
            qx = np.empty(size + 4)
            kept = 0
            sign = 1.0 if side == 0 else -1.0
            bound = sets[k + 1, 1] if side == 0 else sets[k + 1, 0]
            for i in range(len(py)):
                j = (i + 1) % len(py)
                h1 = sign * (px[i] + reach * py[i] - bound)
                h2 = sign * (px[j] + reach * py[j] - bound)
                if h1 <= 1e-12:
                    qy[kept] = py[i]
                    qx[kept] = px[i]
                    kept += 1
                if (h1 < -1e-12 and h2 > 1e-12) or (h1 > 1e-12 and h2 < -1e-12):
                    share = h1 / (h1 - h2)
                    qy[kept] = py[i] + share * (py[j] - py[i])
                    qx[kept] = px[i] + share * (px[j] - px[i])
                    kept += 1
            py = qy[:kept]
            px = qx[:kept]
            if kept == 0:
                return np.zeros(count), sets, k
        sets[k, 0] = max(px.min(), 0.0)
        sets[k, 1] = min(px.max(), most)
    out = np.zeros(count)
    out[0] = min(sets[0, 1], first)
    for k in range(count - 1):
        x = out[k]
        best = -_HUGE
        for a in range(starts[k], starts[k + 1]):
            b = a + 1 if a + 1 < starts[k + 1] else starts[k]
            xa = corners[a, 1]
            xb = corners[b, 1]
            if (xa - x) * (xb - x) <= 0:
                if abs(xa - xb) < 1e-14:
                    best = max(best, corners[a, 0], corners[b, 0])
                else:
                    share = (x - xa) / (xb - xa)
                    best = max(best, corners[a, 0] + share * (corners[b, 0] - corners[a, 0]))
        out[k + 1] = max(min(x + reach * best, sets[k + 1, 1]), sets[k + 1, 0])
    return out, sets, -1
