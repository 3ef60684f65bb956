"""Compiled loops over feasible polygons: walking their edges, thinning, nearest points."""

from __future__ import annotations

import numpy as np

from retime.compiled import kernel

_SMALL = 1e-9
_HUGE = 1e300
# The sweep starts at an angle that no edge of a symmetric problem has.
_FIRST_ANGLE = -np.pi / 2 + 0.1234567
_MOST_PIVOTS = 2000
# Angular tolerance of the sweep, radians. Tiny pivots leave rounding errors in its direction; with
# a smaller tolerance, an edge would count as one after a whole turn.
_SLIP = 1e-5


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
    """Return the largest step of a nonbasic variable, the blocking row, and its bound.

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
def _outside(table, basic, low, high, price):  # type: ignore[no-untyped-def]
    """Return the sum of bound violations of basic variables; ``price`` gets its gradient."""
    total = 0.0
    price[:] = 0.0
    for i in range(table.shape[0]):
        if basic[i] < low[i] - _SMALL:
            total += low[i] - basic[i]
            price += table[i]
        elif basic[i] > high[i] + _SMALL:
            total += basic[i] - high[i]
            price -= table[i]
    return total


@kernel
def _best_column(price, value, floor, ceiling):  # type: ignore[no-untyped-def]
    """Return the best entering nonbasic variable and its direction; -1 if there is none."""
    column = -1
    way = 0.0
    best = _SMALL
    for j in range(price.shape[0]):
        if ceiling[j] - floor[j] < 1e-14:
            continue
        if price[j] > best and value[j] < ceiling[j] - _SMALL:
            column, best, way = j, price[j], 1.0
        elif -price[j] > best and value[j] > floor[j] + _SMALL:
            column, best, way = j, -price[j], -1.0
    return column, way


@kernel
def _free_column(value, floor, ceiling):  # type: ignore[no-untyped-def]
    """Find a nonbasic variable between its bounds; -1 if there is none."""
    for j in range(value.shape[0]):
        if floor[j] + _SMALL < value[j] < ceiling[j] - _SMALL:
            return j
    return -1


@kernel
def _next_edge(shadow, value, floor, ceiling, angle):  # type: ignore[no-untyped-def]
    """Return the next edge of the sweep: its variable, direction, and angle of the sweep."""
    column = -1
    way = 0.0
    least = _HUGE
    for j in range(value.shape[0]):
        if ceiling[j] - floor[j] < 1e-14:
            continue
        sign = 1.0 if value[j] <= floor[j] + _SMALL else -1.0
        dy = sign * shadow[0, j]
        dx = sign * shadow[1, j]
        if dy * dy + dx * dx < 1e-20:
            continue
        # Angle at which this direction no longer decreases the objective.
        turn = (np.arctan2(dx, dy) + 1.5 * np.pi - angle) % (2 * np.pi)
        if turn > 2 * np.pi - _SLIP:
            turn = 0.0
        if turn < least:
            column, least, way = j, turn, sign
    return column, way, least


@kernel
def _dictionary(gravity, speed, change, forces):  # type: ignore[no-untyped-def]
    """Return the constraints' rows over (y, x, l), and their values at the recorded timing."""
    rows, count = forces.shape
    table = np.empty((rows, 2 + count))
    basic = np.empty(rows)
    for i in range(rows):
        table[i, 0] = change[i]
        table[i, 1] = speed[i]
        for k in range(count):
            table[i, 2 + k] = -forces[i, k]
        basic[i] = gravity[i] + speed[i]
    return table, basic


@kernel
def polygon(  # type: ignore[no-untyped-def]
    gravity, speed, change, forces, most_change, most_speed, most_force, corners, at_corners
):
    """Project the feasible set of a frame onto (p'', p'^2), exactly: figure 4 without gaps.

    Feasible is -1 <= gravity + speed x + change y - forces l <= 1, l >= 0 (13). Rows are scaled by
    their limits, |y| <= most_change, 0 <= x <= most_speed and l <= most_force. The simplex method
    walks along the projection's edges, turning its direction as it goes (shadow vertices), so that
    no corner is missed. ``corners`` (V, 2) gets (y, x) against the clock, ``at_corners`` (V, L) the
    forces there. Returns how many; -1 where nothing is feasible, -2 where it gave up.
    """
    table, basic = _dictionary(gravity, speed, change, forces)
    rows, columns = table.shape
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
    low = np.full(rows, -1.0)
    high = np.full(rows, 1.0)
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
        if phase == 0:
            if _outside(table, basic, low, high, price) <= _SMALL * rows:
                phase = 1
                continue
            column, way = _best_column(price, value, floor, ceiling)
            if column < 0:
                return -1
        elif phase == 1:
            column = _free_column(value, floor, ceiling)
            if column < 0:
                phase = 2
                continue
            gain = np.cos(angle) * shadow[0, column] + np.sin(angle) * shadow[1, column]
            way = 1.0 if gain > 0 else -1.0
        elif phase == 2:
            for j in range(columns):
                price[j] = np.cos(angle) * shadow[0, j] + np.sin(angle) * shadow[1, j]
            column, way = _best_column(price, value, floor, ceiling)
            if column < 0:
                phase = 3
                found = _keep(corners, at_corners, found, here, name, value, basic_name, basic)
                continue
        else:
            column, way, least = _next_edge(shadow, value, floor, ceiling, angle)
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
    """Store a corner and its contact forces; return the number of corners."""
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
    """Return the corners (V, 2) to keep, without repeated ones and those on an edge.

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
    inside = last - first >= 3 or last == first  # a frame without corners has no region
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
