"""Compiled loops over timings: the objective, minimum and maximum time."""

from __future__ import annotations

import numpy as np

from retime.compiled import kernel
from retime.methods.physics.polygon_kernels import nearest_point

_HUGE = 1e300


@kernel
def objective_terms(  # type: ignore[no-untyped-def]
    square_speed, steps, unit, starts, corners, matching, alphas, beta, usual, gammas, value, spent
):
    """Fill the objective (14) of every interval over b(s) = p'^2 at the nodes, and its time.

    Between nodes k and k + 1, ``steps[k]`` source seconds apart, p'' = (b1 - b0) / (2 step) and the
    time is step / mean speed; both nodes' regions and torques count half. Distances are in
    (p'' / unit, p'^2) and count by ``alphas`` (F,); ``matching`` (F, 6) are the coefficients of
    x^2, x, x y, y^2, y, 1. Smoothness adds ``gammas`` (K,) times the square of the slope of
    u = sqrt(b / usual).
    """
    for k in range(square_speed.shape[0] - 1):
        step = steps[k]
        b0, b1 = square_speed[k], square_speed[k + 1]
        v0, v1 = np.sqrt(b0), np.sqrt(b1)
        y = (b1 - b0) / (2 * step * unit)
        x = 0.5 * (b0 + b1)
        f = 0.0
        for frame in range(k, k + 2):
            inside, off, _, _, _, _ = nearest_point(starts[frame], starts[frame + 1], corners, y, x)
            if not inside:
                f += 0.5 * alphas[frame] * off
            f += 0.5 * beta * _matched(matching[frame], y, x)
        spent[k] = 2 * step / (v0 + v1)
        bend = v1 / np.sqrt(usual[k + 1]) - v0 / np.sqrt(usual[k])
        value[k] = f * spent[k] + gammas[k] / step * bend * bend


@kernel
def _matched(c, y, x):  # type: ignore[no-untyped-def]
    """Return the squared torque errors of a frame at a timing."""
    return c[0] * x * x + c[1] * x + c[2] * x * y + c[3] * y * y + c[4] * y + c[5]


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
    most_corners = 0
    for k in range(count):
        most_corners = max(most_corners, starts[k + 1] - starts[k])
    here = np.empty((most_corners + 8, 2))
    there = np.empty((most_corners + 8, 2))
    for k in range(count - 2, -1, -1):
        size = starts[k + 1] - starts[k]
        for i in range(size):
            here[i, 0] = corners[starts[k] + i, 0]
            here[i, 1] = corners[starts[k] + i, 1]
        for side in range(2):
            kept = 0
            sign = 1.0 if side == 0 else -1.0
            bound = sets[k + 1, 1] if side == 0 else sets[k + 1, 0]
            for i in range(size):
                j = i + 1 if i + 1 < size else 0
                h1 = sign * (here[i, 1] + reach * here[i, 0] - bound)
                h2 = sign * (here[j, 1] + reach * here[j, 0] - bound)
                if h1 <= 1e-12:
                    there[kept, 0] = here[i, 0]
                    there[kept, 1] = here[i, 1]
                    kept += 1
                if (h1 < -1e-12 and h2 > 1e-12) or (h1 > 1e-12 and h2 < -1e-12):
                    share = h1 / (h1 - h2)
                    there[kept, 0] = here[i, 0] + share * (here[j, 0] - here[i, 0])
                    there[kept, 1] = here[i, 1] + share * (here[j, 1] - here[i, 1])
                    kept += 1
            size = kept
            here, there = there, here
            if kept == 0:
                return np.zeros(count), sets, k
        low, high = here[0, 1], here[0, 1]
        for i in range(size):
            low = min(low, here[i, 1])
            high = max(high, here[i, 1])
        sets[k, 0] = max(low, 0.0)
        sets[k, 1] = min(high, most)
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


@kernel
def slowest(starts, corners, count, step, unit, sets):  # type: ignore[no-untyped-def]
    """Find the slowest feasible b(s) = p'^2, (F,), within the controllable sets of the fastest."""
    reach = 2 * step * unit
    out = np.zeros(count)
    out[0] = sets[0, 0]
    for k in range(count - 1):
        x = out[k]
        least = _HUGE
        for a in range(starts[k], starts[k + 1]):
            b = a + 1 if a + 1 < starts[k + 1] else starts[k]
            xa = corners[a, 1]
            xb = corners[b, 1]
            if (xa - x) * (xb - x) <= 1e-15:
                if abs(xa - xb) < 1e-14:
                    least = min(least, corners[a, 0], corners[b, 0])
                else:
                    share = min(1.0, max(0.0, (x - xa) / (xb - xa)))
                    least = min(least, corners[a, 0] + share * (corners[b, 0] - corners[a, 0]))
        if least == _HUGE:
            least = 0.0
        out[k + 1] = min(max(x + reach * least, sets[k + 1, 0]), sets[k + 1, 1])
    return out


@kernel
def intervals(starts, corners, step, unit):  # type: ignore[no-untyped-def]
    """Intersect neighbouring frames' regions and shear them to b at the interval's first frame.

    On an interval (p'', mean p'^2) must lie in the regions of both its frames. With mean p'^2 =
    b + step p'' that is a polygon over (p'' / unit, b). Returns starts (F + 1,) and corners of all
    (the last frame has its own region), and the first interval that is empty, or -1.
    """
    count = starts.shape[0] - 1
    # Clipping by a convex polygon adds at most as many corners as that has.
    out = np.empty((2 * corners.shape[0] + 4, 2))
    begins = np.zeros(count + 1, np.int64)
    filled = 0
    most = 0
    for k in range(count):
        most = max(most, starts[k + 1] - starts[k])
    here = np.empty((4 * most + 8, 2))
    there = np.empty((4 * most + 8, 2))
    side = np.empty(4 * most + 8)
    for k in range(count - 1):
        size = starts[k + 1] - starts[k]
        for i in range(size):
            here[i, 0] = corners[starts[k] + i, 0]
            here[i, 1] = corners[starts[k] + i, 1]
        first, past = starts[k + 1], starts[k + 2]
        if past - first == 0:
            size = 0
        for a in range(first, past):
            b = a + 1 if a + 1 < past else first
            ey = corners[b, 0] - corners[a, 0]
            ex = corners[b, 1] - corners[a, 1]
            if abs(ey) + abs(ex) < 1e-13:
                continue
            cuts = False
            for i in range(size):
                side[i] = ey * (here[i, 1] - corners[a, 1]) - ex * (here[i, 0] - corners[a, 0])
                cuts |= side[i] < -1e-13
            if not cuts:
                continue
            kept = 0
            for i in range(size):
                j = i + 1 if i + 1 < size else 0
                h, g = side[i], side[j]
                if h >= -1e-13:
                    there[kept, 0] = here[i, 0]
                    there[kept, 1] = here[i, 1]
                    kept += 1
                if (h < -1e-13 and g > 1e-13) or (g < -1e-13 and h > 1e-13):
                    share = h / (h - g)
                    there[kept, 0] = here[i, 0] + share * (here[j, 0] - here[i, 0])
                    there[kept, 1] = here[i, 1] + share * (here[j, 1] - here[i, 1])
                    kept += 1
            size = kept
            here, there = there, here
        if size == 0:
            return begins, out[:0], k
        for i in range(size):
            out[filled, 0] = here[i, 0]
            out[filled, 1] = here[i, 1] - step * unit * here[i, 0]
            filled += 1
        begins[k + 1] = filled
    for i in range(starts[count - 1], starts[count]):
        out[filled] = corners[i]
        filled += 1
    begins[count] = filled
    return begins, out[:filled], -1 if starts[count] > starts[count - 1] else count - 1
