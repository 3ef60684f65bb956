"""Compiled loops of the search: an interior-point method over speeds and nearest feasible points.

The distance of a timing z = (p'' / unit, p'^2) from a region is that to its nearest point c, which
is a variable of its own here: (alpha |z - c|^2 / 2 + ...) times the time is convex in speeds and
points together and smooth, and c stays within the region's walls n c <= d by a barrier. Each point
meets only its own interval's two speeds, so that eliminating it leaves the system of the speeds
tridiagonal.
"""

from __future__ import annotations

import numpy as np

from retime.compiled import kernel


@kernel
def _interval(b0, b1, step, unit):  # type: ignore[no-untyped-def]
    """Return the timing of an interval, its time, and the time's derivatives."""
    v0, v1 = np.sqrt(b0), np.sqrt(b1)
    mean = 0.5 * (v0 + v1)
    time = step / mean
    m0, m1 = 0.25 / v0, 0.25 / v1
    t0 = -time * m0 / mean
    t1 = -time * m1 / mean
    return (b1 - b0) / (2 * step * unit), 0.5 * (b0 + b1), time, t0, t1, m0, m1, mean


@kernel
def start_points(b, steps, unit, starts, normals, offsets, middles, points):  # type: ignore[no-untyped-def]
    """Fill the points (K - 1, 2, 2): from each region's middle toward the timing, nine tenths."""
    for k in range(len(steps)):
        y = (b[k + 1] - b[k]) / (2 * steps[k] * unit)
        x = 0.5 * (b[k] + b[k + 1])
        for side in range(2):
            f = k + side
            my, mx = middles[f, 0], middles[f, 1]
            share = 1.0
            for e in range(starts[f], starts[f + 1]):
                room = offsets[e] - normals[e, 0] * my - normals[e, 1] * mx
                goes = normals[e, 0] * (y - my) + normals[e, 1] * (x - mx)
                if goes > 0:
                    share = min(share, 0.9 * room / goes)
            points[k, side, 0] = my + share * (y - my)
            points[k, side, 1] = mx + share * (x - mx)


@kernel
def wall_rooms(starts, normals, offsets, points, walls, out):  # type: ignore[no-untyped-def]
    """Fill the distances of all sides from their walls."""
    for k in range(points.shape[0]):
        for side in range(2):
            f = k + side
            for e in range(starts[f], starts[f + 1]):
                out[walls[2 * k + side] + e - starts[f]] = (
                    offsets[e]
                    - normals[e, 0] * points[k, side, 0]
                    - normals[e, 1] * points[k, side, 1]
                )


@kernel
def newton_system(  # type: ignore[no-untyped-def]
    b, steps, unit, starts, normals, offsets, matching, alphas, beta, prices, usual, gammas,
    points, walls, duals, barrier, spent, value, gradient, plain, of_time, diagonal, beside, own
):  # fmt: skip
    """Fill the tridiagonal system of a Newton step, points eliminated.

    ``walls`` (2 (K - 1) + 1,) says where each side's multipliers begin in ``duals``. ``plain`` gets
    the gradient by the speeds alone, with the points as they are and without the barrier;
    ``gradient`` that of the reduced problem. ``prices`` are those of the intervals' times.
    ``own`` (K - 1, 2, 5) keeps each point's own system for its step.
    """
    gradient[:] = 0.0
    plain[:] = 0.0
    diagonal[:] = 0.0
    for k in range(len(steps)):
        step = steps[k]
        slope = 1.0 / (2 * step * unit)
        y, x, time, t0, t1, m0, m1, mean = _interval(b[k], b[k + 1], step, unit)
        f = fy = fx = fyy = fxy = fxx = 0.0
        for side in range(2):
            frame = k + side
            if starts[frame + 1] > starts[frame]:
                alpha = alphas[frame]
                ry, rx = y - points[k, side, 0], x - points[k, side, 1]
                f += 0.5 * alpha * (ry * ry + rx * rx)
                fy += alpha * ry
                fx += alpha * rx
                fyy += alpha
                fxx += alpha
            c = matching[frame]
            f += 0.5 * beta * (
                c[0] * x * x + c[1] * x + c[2] * x * y + c[3] * y * y + c[4] * y + c[5]
            )  # fmt: skip
            fx += 0.5 * beta * (2 * c[0] * x + c[1] + c[2] * y)
            fy += 0.5 * beta * (c[2] * x + 2 * c[3] * y + c[4])
            fyy += beta * c[3]
            fxx += beta * c[0]
            fxy += 0.5 * beta * c[2]
        u0, u1 = np.sqrt(b[k] / usual[k]), np.sqrt(b[k + 1] / usual[k + 1])
        s0, s1 = 1.0 / usual[k], 1.0 / usual[k + 1]
        smooth = gammas[k] / step
        bend = u1 - u0
        value[k] = f * time + smooth * bend * bend
        spent[k] = time
        of_time[k, 0] = t0
        of_time[k, 1] = t1
        priced = f + prices[k]
        f0 = -slope * fy + 0.5 * fx
        f1 = slope * fy + 0.5 * fx
        g0 = f0 * time + priced * t0 - smooth * bend * s0 / u0
        g1 = f1 * time + priced * t1 + smooth * bend * s1 / u1
        plain[k] += g0
        plain[k + 1] += g1
        cube = mean * mean * mean
        t00 = step * (2 * m0 * m0 / cube + 0.5 * m0 / b[k] / (mean * mean))
        t11 = step * (2 * m1 * m1 / cube + 0.5 * m1 / b[k + 1] / (mean * mean))
        t01 = step * 2 * m0 * m1 / cube
        half = 0.5 * smooth
        h00 = (slope * slope * fyy - slope * fxy + 0.25 * fxx) * time + 2 * f0 * t0 + priced * t00
        h11 = (slope * slope * fyy + slope * fxy + 0.25 * fxx) * time + 2 * f1 * t1 + priced * t11
        h01 = (-slope * slope * fyy + 0.25 * fxx) * time + f0 * t1 + f1 * t0 + priced * t01
        h00 += half * s0 * s0 * u1 / (u0 * u0 * u0)
        h11 += half * s1 * s1 * u0 / (u1 * u1 * u1)
        h01 -= half * s0 * s1 / (u0 * u1)
        for side in range(2):
            frame = k + side
            if starts[frame + 1] == starts[frame]:
                continue
            alpha = alphas[frame]
            ry, rx = y - points[k, side, 0], x - points[k, side, 1]
            iyy, iyx, ixx, gy, gx = _point_system(
                starts[frame], starts[frame + 1], normals, offsets, points[k, side],
                duals, walls[2 * k + side], barrier, time * alpha, ry, rx,
            )  # fmt: skip
            keep = own[k, side]
            keep[0], keep[1], keep[2], keep[3], keep[4] = iyy, iyx, ixx, gy, gx
            ay0, ax0 = alpha * (-time * slope + ry * t0), alpha * (0.5 * time + rx * t0)
            ay1, ax1 = alpha * (time * slope + ry * t1), alpha * (0.5 * time + rx * t1)
            py0, px0 = iyy * ay0 + iyx * ax0, iyx * ay0 + ixx * ax0
            py1, px1 = iyy * ay1 + iyx * ax1, iyx * ay1 + ixx * ax1
            h00 -= ay0 * py0 + ax0 * px0
            h11 -= ay1 * py1 + ax1 * px1
            h01 -= ay0 * py1 + ax0 * px1
            g0 -= gy * py0 + gx * px0
            g1 -= gy * py1 + gx * px1
        gradient[k] += g0
        gradient[k + 1] += g1
        diagonal[k] += h00
        diagonal[k + 1] += h11
        beside[k] = h01


@kernel
def _point_system(  # type: ignore[no-untyped-def]
    first, past, normals, offsets, point, duals, wall, barrier, pull, ry, rx
):
    """Return the inverse of a point's own system, and the slope that moves it, barrier included."""
    myy, mxx, myx = pull, pull, 0.0
    gy, gx = pull * ry, pull * rx
    for e in range(first, past):
        ny, nx = normals[e, 0], normals[e, 1]
        room = offsets[e] - ny * point[0] - nx * point[1]
        firm = duals[wall + e - first] / room
        myy += firm * ny * ny
        myx += firm * ny * nx
        mxx += firm * nx * nx
        gy -= barrier / room * ny
        gx -= barrier / room * nx
    d = 1.0 / (myy * mxx - myx * myx)
    return mxx * d, -myx * d, myy * d, gy, gx


@kernel
def point_steps(  # type: ignore[no-untyped-def]
    b, way, steps, unit, starts, normals, offsets, alphas, points, walls, duals, barrier, own, keep,
    point_way, dual_way
):  # fmt: skip
    """Fill the steps of points and multipliers that go with a step of the speeds.

    Returns how far both may go until a wall, and until a multiplier reaches zero; ``keep`` of the
    room remains.
    """
    far, dual_far = 1.0, 1.0
    for k in range(len(steps)):
        slope = 1.0 / (2 * steps[k] * unit)
        y, x, time, t0, t1, _, _, _ = _interval(b[k], b[k + 1], steps[k], unit)
        dt = t0 * way[k] + t1 * way[k + 1]
        dy = slope * (way[k + 1] - way[k])
        dx = 0.5 * (way[k] + way[k + 1])
        for side in range(2):
            f = k + side
            if starts[f + 1] == starts[f]:
                continue
            alpha = alphas[f]
            point = points[k, side]
            ry, rx = y - point[0], x - point[1]
            wall = walls[2 * k + side]
            iyy, iyx, ixx, gy, gx = own[k, side]
            gy += alpha * (time * dy + ry * dt)
            gx += alpha * (time * dx + rx * dt)
            py, px = iyy * gy + iyx * gx, iyx * gy + ixx * gx
            point_way[k, side, 0] = py
            point_way[k, side, 1] = px
            for e in range(starts[f], starts[f + 1]):
                i = wall + e - starts[f]
                room = offsets[e] - normals[e, 0] * point[0] - normals[e, 1] * point[1]
                goes = normals[e, 0] * py + normals[e, 1] * px
                dual_way[i] = (barrier + duals[i] * goes) / room - duals[i]
                if goes > 0:
                    far = min(far, (1 - keep) * room / goes)
                if dual_way[i] < 0:
                    dual_far = min(dual_far, -(1 - keep) * duals[i] / dual_way[i])
    return far, dual_far


@kernel
def merit_terms(  # type: ignore[no-untyped-def]
    b, steps, unit, starts, normals, offsets, matching, alphas, beta, usual, gammas, points, spent,
    low, high, free
):  # fmt: skip
    """Return the objective with the points as they are, and the barrier's logarithms.

    ``spent`` gets the intervals' times. The objective is infinite beyond a wall or a bound.
    """
    total, logs = 0.0, 0.0
    for k in range(len(b)):
        if free[k]:
            room = (b[k] - low[k]) * (high[k] - b[k])
            if room <= 0:
                return np.inf, 0.0
            logs += np.log(room)
    for k in range(len(steps)):
        y, x, time, _, _, _, _, _ = _interval(b[k], b[k + 1], steps[k], unit)
        f = 0.0
        for side in range(2):
            frame = k + side
            c = matching[frame]
            f += 0.5 * beta * (
                c[0] * x * x + c[1] * x + c[2] * x * y + c[3] * y * y + c[4] * y + c[5]
            )  # fmt: skip
            if starts[frame + 1] == starts[frame]:
                continue
            point = points[k, side]
            ry, rx = y - point[0], x - point[1]
            f += 0.5 * alphas[frame] * (ry * ry + rx * rx)
            rooms = 1.0
            for e in range(starts[frame], starts[frame + 1]):
                room = offsets[e] - normals[e, 0] * point[0] - normals[e, 1] * point[1]
                if room <= 0:
                    return np.inf, 0.0
                rooms *= room
                if rooms < 1e-200 or rooms > 1e200:
                    logs += np.log(rooms)
                    rooms = 1.0
            logs += np.log(rooms)
        spent[k] = time
        bend = np.sqrt(b[k + 1] / usual[k + 1]) - np.sqrt(b[k] / usual[k])
        total += f * time + gammas[k] / steps[k] * bend * bend
    return total, logs


@kernel
def bound_steps(  # type: ignore[no-untyped-def]
    b, way, low, high, free, floor_dual, roof_dual, barrier, keep, lose, win, more, far
):
    """Return how far speeds may go until a bound, and until a bound's multiplier is zero.

    In one step a speed loses at most the fraction ``lose``, and wins ``win`` times itself and
    ``more``. ``far`` is how far other multipliers may go.
    """
    room = np.inf
    for k in range(len(b)):
        if not free[k]:
            continue
        above, below, d = b[k] - low[k], high[k] - b[k], way[k]
        if d < 0:
            room = min(room, -min((1 - keep) * above, lose * b[k]) / d)
        elif d > 0:
            room = min(room, min((1 - keep) * below, win * b[k] + more) / d)
        floor = (barrier - floor_dual[k] * d) / above - floor_dual[k]
        roof = (barrier + roof_dual[k] * d) / below - roof_dual[k]
        if floor < 0:
            far = min(far, -(1 - keep) * floor_dual[k] / floor)
        if roof < 0:
            far = min(far, -(1 - keep) * roof_dual[k] / roof)
    return room, far


@kernel
def move_duals(  # type: ignore[no-untyped-def]
    b, way, low, high, free, floor_dual, roof_dual, barrier, duals, dual_way, far
):
    """Move all multipliers along a step that began at speeds b."""
    for i in range(len(duals)):
        duals[i] += far * dual_way[i]
    for k in range(len(b)):
        if free[k]:
            above, below, d = b[k] - low[k], high[k] - b[k], way[k]
            floor_dual[k] += far * ((barrier - floor_dual[k] * d) / above - floor_dual[k])
            roof_dual[k] += far * ((barrier + roof_dual[k] * d) / below - roof_dual[k])


@kernel
def time_rows(of_time, legs, out):  # type: ignore[no-untyped-def]
    """Fill the derivatives (K, C + 1) of each leg's time by the speeds."""
    out[:] = 0.0
    for k in range(len(legs)):
        out[k, legs[k]] += of_time[k, 0]
        out[k + 1, legs[k]] += of_time[k, 1]


@kernel
def complementarity(  # type: ignore[no-untyped-def]
    b, low, high, free, floor_dual, roof_dual, rooms, duals
):
    """Return the complementarity gap: the sum of multipliers times distances."""
    out = 0.0
    for i in range(len(duals)):
        out += duals[i] * rooms[i]
    for k in range(len(b)):
        if free[k]:
            out += floor_dual[k] * (b[k] - low[k]) + roof_dual[k] * (high[k] - b[k])
    return out


@kernel
def joint_bound(b, steps, unit, starts, corners, alphas, points):  # type: ignore[no-untyped-def]
    """Return the largest decrease of the objective's tangent by moving points in their regions.

    Objective and regions are convex in speeds and points together: no other timing is better than
    the tangent over the regions' corners allows.
    """
    loss = 0.0
    for k in range(len(steps)):
        y, x, time, _, _, _, _, _ = _interval(b[k], b[k + 1], steps[k], unit)
        for side in range(2):
            f = k + side
            if starts[f + 1] == starts[f]:
                continue
            pull = time * alphas[f]
            ry, rx = pull * (y - points[k, side, 0]), pull * (x - points[k, side, 1])
            most = 0.0
            for v in range(starts[f], starts[f + 1]):
                gain = ry * (corners[v, 0] - points[k, side, 0])
                gain += rx * (corners[v, 1] - points[k, side, 1])
                most = max(most, gain)
            loss += most
    return loss


@kernel
def tridiagonal(diagonal, beside, right):  # type: ignore[no-untyped-def]
    """Solve a symmetric positive tridiagonal system for the columns of ``right`` (K, C), in place.

    Returns whether it is positive.
    """
    count, columns = right.shape
    pivot = np.empty(count)
    pivot[0] = diagonal[0]
    if not pivot[0] > 0:
        return False
    for k in range(1, count):
        share = beside[k - 1] / pivot[k - 1]
        pivot[k] = diagonal[k] - share * beside[k - 1]
        if not pivot[k] > 1e-13 * diagonal[k]:
            return False
        for c in range(columns):
            right[k, c] -= share * right[k - 1, c]
    for c in range(columns):
        right[count - 1, c] /= pivot[count - 1]
    for k in range(count - 2, -1, -1):
        for c in range(columns):
            right[k, c] = (right[k, c] - beside[k] * right[k + 1, c]) / pivot[k]
    return True
