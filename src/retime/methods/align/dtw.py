"""Dynamic time warping: the cheapest path through a matrix of costs, within a corridor."""

from __future__ import annotations

import numpy as np

from retime.compiled import kernel

_NO = 1e300
# Paths whose costs differ by less are equal, metres: rounding errors must not choose.
_EQUAL = 1e-9


@kernel
def pose_costs(live, recorded, weights, low, width):  # type: ignore[no-untyped-def]
    """Sum weighted distances of joints (5) between poses (M, P, 3) and (N, P, 3).

    Row i of the result (M, width) holds columns from ``low[i]`` on; beyond the last recorded pose
    the cost is forbidding.
    """
    rows, parts, _ = live.shape
    columns = recorded.shape[0]
    by_part = np.ascontiguousarray(recorded.transpose(1, 2, 0))  # columns last, for SIMD
    out = np.full((rows, width), _NO)
    for i in range(rows):
        first = low[i]
        known = min(width, columns - first)
        row = out[i]
        row[:known] = 0.0
        for p in range(parts):
            x, y, z = live[i, p]
            weight = weights[p]
            xs = by_part[p, 0, first:]
            ys = by_part[p, 1, first:]
            zs = by_part[p, 2, first:]
            for c in range(known):
                dx = x - xs[c]
                dy = y - ys[c]
                dz = z - zs[c]
                row[c] += weight * np.sqrt(dx * dx + dy * dy + dz * dz)
    return out


@kernel
def cheapest_path(costs, low, columns, most_steps, most_stalls, open_end):  # type: ignore[no-untyped-def]
    """Find the cheapest monotone path from the first cell to the last column, or any.

    From one row to the next a path stays in its column (a stall, at most ``most_stalls`` in a row;
    -1: any number) or moves on by up to ``most_steps`` columns. A row costs the mean of the cells
    that the path passes in it, so that an open end favours neither haste nor delay.
    Returns the cost, and for every row the first and the last column that it passes (M, 2); the
    cost is infinite where there is no path.
    """
    # One loop nest: its tables would have to be passed to every part of it.
    rows, width = costs.shape
    limited = most_stalls >= 0
    depth = most_stalls + 1 if limited else 2
    # by_stalls[s, c]: the cheapest way to end a row in column c after s stalls there.
    by_stalls = np.full((depth, width), _NO)
    new = np.full((depth, width), _NO)
    best = np.full(width, _NO)
    steps = np.zeros((rows, width), np.int16)
    stalls = np.zeros((rows, width), np.int32)
    way = np.full((rows, 2), -1)
    # The first row: the start, and what is passed beyond it at once.
    total = 0.0
    for c in range(min(most_steps, width)):
        if low[0] + c >= columns:
            break
        total += costs[0, c]
        by_stalls[0, c] = total / (c + 1)
        best[c] = by_stalls[0, c]
        steps[0, c] = c + 1
    before = best.copy()
    for i in range(1, rows):
        shift = low[i] - low[i - 1]
        for c in range(width):
            j = low[i] + c
            for s in range(depth):
                new[s, c] = _NO
            best[c] = _NO
            if j >= columns:
                continue
            cost = costs[i, c]
            passed = 0.0
            for k in range(1, most_steps + 1):
                q = c - k + 1  # the first cell of this row that is passed
                if q < 0:
                    break
                passed += costs[i, q]
                from_c = c - k + shift
                if from_c < 0 or from_c >= width:
                    continue
                value = before[from_c] + passed / k
                if value < new[0, c] - _EQUAL:
                    new[0, c] = value
                    steps[i, c] = k
            best[c] = new[0, c]
            stalls[i, c] = 0
            old = c + shift
            if 0 <= old < width:
                if limited:
                    for s in range(1, depth):
                        if by_stalls[s - 1, old] < _NO:
                            new[s, c] = by_stalls[s - 1, old] + cost
                            if new[s, c] < best[c] - _EQUAL:
                                best[c] = new[s, c]
                                stalls[i, c] = s
                elif before[old] + cost < best[c] - _EQUAL:
                    best[c] = before[old] + cost
                    stalls[i, c] = 1
        by_stalls, new = new, by_stalls
        before[:] = best
    end = columns - 1 - low[rows - 1]
    if open_end:
        end = 0
        for c in range(width):
            if before[c] < before[end] - _EQUAL:
                end = c
    if end < 0 or end >= width or before[end] >= _NO:
        return np.inf, way
    total = before[end]
    i = rows - 1
    j = low[rows - 1] + end
    while i >= 0:
        s = stalls[i, j - low[i]]
        for _ in range(s):
            way[i, 0] = j
            way[i, 1] = j
            i -= 1
        if not limited and s:
            continue
        k = steps[i, j - low[i]]
        way[i, 0] = j - k + 1
        way[i, 1] = j
        j -= k
        i -= 1
    return total, way
