"""Compiled loops of physics-based retiming: feasible polygons, the objective, minimum time."""

from __future__ import annotations

import numpy as np

from retime.compiled import kernel

__all__ = [
    "fastest",
    "fewer_vertices",
    "nearest_point",
    "newton_euler",
    "polygon",
    "retiming_terms",
]

_SMALL = 1e-9
_HUGE = 1e300
# The sweep starts at an angle that no edge of a symmetric problem has.
_FIRST_ANGLE = -np.pi / 2 + 0.1234567
_MOST_PIVOTS = 2000


@kernel
def _exchange(table, shadow, row, column):  # type: ignore[no-untyped-def]
    """Exchange a basic with a nonbasic variable in the dictionary ``basic = table @ nonbasic``."""
    rows, columns = table.shape
    inverse = 1.0 / table[row, column]
    for k in range(columns):
        table[row, k] *= -inverse
    table[row, column] = inverse
    for i in range(rows):
        if i != row:
            factor = table[i, column]
            if factor != 0.0:
                for k in range(columns):
                    if k != column:
                        table[i, k] += factor * table[row, k]
                table[i, column] = factor * inverse
    for i in range(2):
        factor = shadow[i, column]
        if factor != 0.0:
            for k in range(columns):
                if k != column:
                    shadow[i, k] += factor * table[row, k]
            shadow[i, column] = factor * inverse


@kernel
def _reach(table, basic, low, high, column, way, first_phase):  # type: ignore[no-untyped-def]
    """Find how far a nonbasic variable may move: the step, the row that stops it, at which bound.

    In the first phase a basic variable outside its bounds stops only where it comes in.
    """
    best = _HUGE
    row = -1
    at_high = False
    largest = 0.0
    for i in range(table.shape[0]):
        slope = table[i, column] * way
        if abs(slope) < 1e-10:
            continue
        step = _HUGE
        upper = False
        if slope > 0:
            if first_phase and basic[i] < low[i] - _SMALL:
                step = (low[i] - basic[i]) / slope
            elif basic[i] <= high[i] + _SMALL:
                step = (high[i] - basic[i]) / slope
                upper = True
        elif first_phase and basic[i] > high[i] + _SMALL:
            step = (high[i] - basic[i]) / slope
            upper = True
        elif basic[i] >= low[i] - _SMALL:
            step = (low[i] - basic[i]) / slope
        step = max(step, 0.0)
        if step < best - 1e-12 or (step < best + 1e-12 and abs(slope) > largest):
            best = step
            row = i
            at_high = upper
            largest = abs(slope)
    return best, row, at_high


@kernel
def polygon(  # type: ignore[no-untyped-def]
    gravity, speed, change, forces, most_change, most_speed, most_force, corners, at_corners
):
    """Project what is feasible at a frame onto (p'', p'^2), exactly: figure 4 without gaps.

    Feasible is -1 <= gravity + speed x + change y - forces l <= 1, l >= 0 (13), rows scaled by
    their limits, with |y| <= most_change, 0 <= x <= most_speed and l <= most_force. The simplex
    method walks along the projection's edges, turning its direction as it goes (shadow vertices),
    so that no corner is missed. ``corners`` (V, 2) gets (y, x) against the clock, ``at_corners``
    (V, L) the forces there. Returns how many; -1 where nothing is feasible, -2 where it gave up.
    """
    rows = gravity.shape[0]
    count = forces.shape[1]
    columns = 2 + count
    table = np.empty((rows, columns))
    shadow = np.zeros((2, columns))
    shadow[0, 0] = 1.0
    shadow[1, 1] = 1.0
    value = np.zeros(columns)
    value[1] = 1.0  # start at the recorded timing
    floor = np.zeros(columns)
    floor[0] = -most_change
    ceiling = np.full(columns, most_force)
    ceiling[0] = most_change
    ceiling[1] = most_speed
    basic = np.empty(rows)
    low = np.full(rows, -1.0)
    high = np.full(rows, 1.0)
    for i in range(rows):
        table[i, 0] = change[i]
        table[i, 1] = speed[i]
        for k in range(count):
            table[i, 2 + k] = -forces[i, k]
        basic[i] = gravity[i] + speed[i]
    basic_name = np.arange(columns, columns + rows)
    name = np.arange(columns)
    here = np.array([0.0, 1.0])
    angle = _FIRST_ANGLE
    turned = 0.0
    found = 0
    pivots = 0
    phase = 0  # 0: find a feasible point, 1: all nonbasic to a bound, 2: first corner, 3: sweep
    price = np.empty(columns)
    while True:
        pivots += 1
        if pivots > _MOST_PIVOTS:
            return -2
        column = -1
        way = 0.0
        if phase == 0:
            outside = 0.0
            price[:] = 0.0
            for i in range(rows):
                if basic[i] < low[i] - _SMALL:
                    outside += low[i] - basic[i]
                    price += table[i]
                elif basic[i] > high[i] + _SMALL:
                    outside += basic[i] - high[i]
                    price -= table[i]
            if outside <= _SMALL * rows:
                phase = 1
                continue
            best = _SMALL
            for j in range(columns):
                if ceiling[j] - floor[j] < 1e-14:
                    continue
                if price[j] > best and value[j] < ceiling[j] - _SMALL:
                    column, best, way = j, price[j], 1.0
                elif -price[j] > best and value[j] > floor[j] + _SMALL:
                    column, best, way = j, -price[j], -1.0
            if column < 0:
                return -1
        elif phase == 1:
            for j in range(columns):
                if floor[j] + _SMALL < value[j] < ceiling[j] - _SMALL:
                    column = j
                    break
            if column < 0:
                phase = 2
                continue
            gain = np.cos(angle) * shadow[0, column] + np.sin(angle) * shadow[1, column]
            way = 1.0 if gain > 0 else -1.0
        elif phase == 2:
            best = _SMALL
            for j in range(columns):
                if ceiling[j] - floor[j] < 1e-14:
                    continue
                gain = np.cos(angle) * shadow[0, j] + np.sin(angle) * shadow[1, j]
                if gain > best and value[j] < ceiling[j] - _SMALL:
                    column, best, way = j, gain, 1.0
                elif -gain > best and value[j] > floor[j] + _SMALL:
                    column, best, way = j, -gain, -1.0
            if column < 0:
                phase = 3
                found = _keep(corners, at_corners, found, here, name, value, basic_name, basic)
                continue
        else:
            least = _HUGE
            for j in range(columns):
                if ceiling[j] - floor[j] < 1e-14:
                    continue
                sign = 1.0 if value[j] <= floor[j] + _SMALL else -1.0
                dy = sign * shadow[0, j]
                dx = sign * shadow[1, j]
                if dy * dy + dx * dx < 1e-20:
                    continue
                # How far the direction must turn until moving this way no longer loses.
                turn = (np.arctan2(dx, dy) + 1.5 * np.pi - angle) % (2 * np.pi)
                if turn > 2 * np.pi - 1e-7:
                    turn = 0.0
                if turn < least:
                    column, least, way = j, turn, sign
            if column < 0 or turned + least > 2 * np.pi + 1e-9:
                break
            angle += least
            turned += least
        step, row, at_high = _reach(table, basic, low, high, column, way, phase == 0)
        room = ceiling[column] - value[column] if way > 0 else value[column] - floor[column]
        flips = room <= step
        if flips:
            step = room
        dy = shadow[0, column] * way * step
        dx = shadow[1, column] * way * step
        for i in range(rows):
            basic[i] += table[i, column] * way * step
        here[0] += dy
        here[1] += dx
        value[column] += way * step
        if flips:
            value[column] = ceiling[column] if way > 0 else floor[column]
        else:
            _exchange(table, shadow, row, column)
            entering = value[column], floor[column], ceiling[column], name[column]
            value[column] = high[row] if at_high else low[row]
            floor[column] = low[row]
            ceiling[column] = high[row]
            name[column] = basic_name[row]
            basic[row], low[row], high[row], basic_name[row] = entering
        if phase == 3 and abs(dy) + abs(dx) > _SMALL:
            if found >= corners.shape[0]:
                return -2
            found = _keep(corners, at_corners, found, here, name, value, basic_name, basic)
    last = found - 1
    if found > 1:
        apart = abs(corners[0, 0] - corners[last, 0]) + abs(corners[0, 1] - corners[last, 1])
        if apart < 1e-8:
            found -= 1
    return found


@kernel
def _keep(corners, at_corners, found, here, name, value, basic_name, basic):  # type: ignore[no-untyped-def]
    """Write down a corner and the contact forces at it; return how many there are now."""
    columns = name.shape[0]
    corners[found] = here
    for j in range(columns):
        if 2 <= name[j] < columns:
            at_corners[found, name[j] - 2] = value[j]
    for i in range(basic_name.shape[0]):
        if 2 <= basic_name[i] < columns:
            at_corners[found, basic_name[i] - 2] = basic[i]
    return found + 1


@kernel
def fewer_vertices(corners, unit, tolerance):  # type: ignore[no-untyped-def]
    """Return which corners (V, 2) remain without those that repeat or lie on an edge.

    The first coordinate counts in ``unit``; an edge may be missed by the tolerance.
    """
    count = corners.shape[0]
    kept = np.ones(count, np.bool_)
    left = count
    changed = True
    while changed and left > 3:
        changed = False
        for i in range(count):
            if not kept[i] or left <= 3:
                continue
            a = (i - 1) % count
            while not kept[a]:
                a = (a - 1) % count
            b = (i + 1) % count
            while not kept[b]:
                b = (b + 1) % count
            uy = (corners[i, 0] - corners[a, 0]) / unit
            ux = corners[i, 1] - corners[a, 1]
            vy = (corners[b, 0] - corners[i, 0]) / unit
            vx = corners[b, 1] - corners[i, 1]
            before = np.sqrt(uy * uy + ux * ux)
            after = np.sqrt(vy * vy + vx * vx)
            whole = max(np.sqrt((uy + vy) ** 2 + (ux + vx) ** 2), _HUGE**-1)
            off = abs(uy * vx - ux * vy) / whole
            if before < tolerance or after < tolerance or off < tolerance:
                kept[i] = False
                left -= 1
                changed = True
    return np.flatnonzero(kept)


@kernel
def nearest_point(first, last, corners, y, x):  # type: ignore[no-untyped-def]
    """Find the nearest point of a polygon: inside, squared distance, the point, edge normal.

    The normal is zero where the nearest point is a corner.
    """
    inside = last - first >= 3 or last == first  # nothing is known of a frame without corners
    best = _HUGE
    ny = nx = py = px = 0.0
    for a in range(first, last):
        b = a + 1 if a + 1 < last else first
        ey = corners[b, 0] - corners[a, 0]
        ex = corners[b, 1] - corners[a, 1]
        wy = y - corners[a, 0]
        wx = x - corners[a, 1]
        if ey * wx - ex * wy < 0:
            inside = False
        square = ey * ey + ex * ex
        share = 0.0
        if square > 0:
            share = min(1.0, max(0.0, (ey * wy + ex * wx) / square))
        qy = corners[a, 0] + share * ey
        qx = corners[a, 1] + share * ex
        off = (y - qy) ** 2 + (x - qx) ** 2
        if off < best:
            best = off
            py = qy
            px = qx
            ny = nx = 0.0
            if square > 0 and 0.0 < share < 1.0:
                ny = -ex / np.sqrt(square)
                nx = ey / np.sqrt(square)
    return inside, best, py, px, ny, nx


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


@kernel
def newton_euler(  # type: ignore[no-untyped-def]
    parents, turns, arms, masses, centres, inertias, velocity, acceleration, pull, torques
):
    """Fill the generalised forces (dofs,) of one frame: a free root, spherical joints below it.

    ``turns`` (J, 3, 3) and ``arms`` (J, 3) place each joint in its parent's frame, the root in the
    world; velocities and accelerations are in each joint's own frame, the root's first six linear
    then angular; ``pull`` (3,) is gravity in the world. Masses, centres and inertias (about the
    centres) are those of what moves with each joint.
    """
    count = parents.shape[0]
    spin = np.zeros((count, 3))
    change = np.zeros((count, 3))
    linear = np.zeros((count, 3))
    force = np.zeros((count, 3))
    moment = np.zeros((count, 3))
    for j in range(count):
        back = turns[j].T
        p = parents[j]
        if p < 0:
            spin[j] = velocity[3:6]
            change[j] = acceleration[3:6]
            linear[j] = acceleration[:3] + _cross(spin[j], velocity[:3]) - back @ pull
        else:
            at = 3 + 3 * j
            turned = back @ spin[p]
            own = velocity[at : at + 3]
            spin[j] = turned + own
            change[j] = back @ change[p] + _cross(turned, own) + acceleration[at : at + 3]
            arm = arms[j]
            linear[j] = back @ (
                linear[p] + _cross(change[p], arm) + _cross(spin[p], _cross(spin[p], arm))
            )
        c = centres[j]
        force[j] = masses[j] * (
            linear[j] + _cross(change[j], c) + _cross(spin[j], _cross(spin[j], c))
        )
        momentum = inertias[j] @ spin[j]
        moment[j] = inertias[j] @ change[j] + _cross(spin[j], momentum) + _cross(c, force[j])
    for j in range(count - 1, -1, -1):
        p = parents[j]
        if p < 0:
            torques[:3] = force[j]
            torques[3:6] = moment[j]
        else:
            torques[3 + 3 * j : 6 + 3 * j] = moment[j]
            carried = turns[j] @ force[j]
            force[p] += carried
            moment[p] += turns[j] @ moment[j] + _cross(arms[j], carried)


@kernel
def _cross(a, b):  # type: ignore[no-untyped-def]
    out = np.empty(3)
    out[0] = a[1] * b[2] - a[2] * b[1]
    out[1] = a[2] * b[0] - a[0] * b[2]
    out[2] = a[0] * b[1] - a[1] * b[0]
    return out
