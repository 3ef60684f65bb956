"""Compiled loops of the search: paths of a given length, and of any."""

from __future__ import annotations

import numpy as np

from retime.compiled import kernel


@kernel
def _leave(costs, origin, j, step_costs, reach, early, late, start, nothing, spare):  # type: ignore[no-untyped-def]
    """Move all paths on from frame j: the recurrence (4), for every moment that can show it.

    ``costs[a, start[j] - origin + t - early[j]]`` is the least of a path that shows frame j at
    output frame t, after a step of a + 1. The moments are innermost: a step costs the same at all
    of them, so the table of step_costs is passed over but once.
    """
    steps = step_costs.shape[0]
    for b in range(min(steps, step_costs.shape[2] - 1 - j)):
        k = j + 1 + b
        first = max(early[j], early[k] - 1)
        length = max(min(late[j], late[k] - 1) - first + 1, 0)
        at = start[j] - origin + first - early[j]
        to = start[k] - origin + first + 1 - early[k] if length > 0 else start[k] - origin
        row = costs[b]
        out = row[to:]
        # In whole vectors; cells beyond the end are overwritten below or by later frames.
        padded = (length + 3) // 4 * 4
        # The minimum so far is in a separate array: a minimum with the written cell itself would
        # become a masked store, which is many times slower.
        known = nothing
        least, most = max(b - reach, 0), min(b + reach, steps - 1)
        # Four at a time; where fewer are left, the last one again.
        for a in range(least, most + 1, 4):
            a1, a2, a3 = min(a + 1, most), min(a + 2, most), min(a + 3, most)
            path0, edge0 = costs[a, at:], step_costs[a, b - max(a - reach, 0), j]
            path1, edge1 = costs[a1, at:], step_costs[a1, b - max(a1 - reach, 0), j]
            path2, edge2 = costs[a2, at:], step_costs[a2, b - max(a2 - reach, 0), j]
            path3, edge3 = costs[a3, at:], step_costs[a3, b - max(a3 - reach, 0), j]
            if a > least:
                for t in range(padded):
                    spare[t] = out[t]
                known = spare
            for t in range(padded):
                c0 = path0[t] + edge0
                c1 = path1[t] + edge1
                c2 = path2[t] + edge2
                c3 = path3[t] + edge3
                c0 = c0 if c0 < c1 else c1
                c2 = c2 if c2 < c3 else c3
                c0 = c0 if c0 < c2 else c2
                out[t] = c0 if c0 < known[t] else known[t]
        for t in range(start[k] - origin, to):
            row[t] = np.inf
        for t in range(to + length, start[k + 1] - origin):
            row[t] = np.inf


@kernel
def _pass_through(costs, begin, end, step_costs, reach, early, late, start):  # type: ignore[no-untyped-def]
    """Move all paths on from the input frames ``begin`` to ``end``."""
    steps = step_costs.shape[0]
    nothing = np.full(len(early) + 3, np.inf, costs.dtype)
    spare = nothing.copy()
    for j in range(begin, end):
        if j > 0:
            _leave(costs, start[begin], j, step_costs, reach, early, late, start, nothing, spare)
            continue
        known = min(steps + 1, len(early))
        costs[:, : start[known]] = np.inf
        for k in range(1, known):
            if early[k] <= 1 <= late[k]:
                costs[k - 1, start[k] + 1 - early[k]] = 0.0


@kernel
def fewest_cost_path(step_costs, reach, early, late, keep):  # type: ignore[no-untyped-def]
    """Find the path of least cost through a corridor, exact: its cost and its frames.

    ``early`` and ``late`` (n,) bound the output frames that may show each input frame. Costs of
    every ``keep``-th input frame are kept, and the rest is computed again on the way back, as are
    the choices on the path; no table of choices is stored.
    """
    steps = step_costs.shape[0]
    n = step_costs.shape[2]
    start = np.zeros(n + 1, np.int64)  # where an input frame's moments begin, laid end to end
    for j in range(n):
        start[j + 1] = start[j] + max(late[j] - early[j] + 1, 0)
    begins = np.arange(0, n, keep)
    ahead = start[np.minimum(begins + steps, n)] - start[begins]
    held = start[np.minimum(begins + keep + steps, n)] - start[begins]
    kept = np.empty((len(begins), steps, np.max(ahead)), step_costs.dtype)
    costs = np.empty((steps, np.max(held) + 3), step_costs.dtype)
    for c in range(len(begins)):
        if c > 0:
            done = start[begins[c]] - start[begins[c - 1]]
            kept[c, :, : ahead[c]] = costs[:, done : done + ahead[c]]
            costs[:, : ahead[c]] = kept[c, :, : ahead[c]]
        end = min(begins[c] + keep, n - 1)
        _pass_through(costs, begins[c], end, step_costs, reach, early, late, start)
    path = np.zeros(late[n - 1] + 1, np.int64)
    path[-1] = n - 1
    t = len(path) - 2
    best = np.inf
    for a in range(min(steps, n - 1)):
        cost = costs[a, start[n - 1] - start[begins[-1]]]
        if cost < best:
            best = cost
            path[t] = n - 2 - a
    if best == np.inf:
        return best, path
    for c in range(len(begins) - 1, -1, -1):
        begin = begins[c]
        if c < len(begins) - 1:
            costs[:, : ahead[c]] = kept[c, :, : ahead[c]]
            _pass_through(costs, begin, begin + keep, step_costs, reach, early, late, start)
        while t > 1 and path[t] >= begin:
            j = path[t]
            b = path[t + 1] - j - 1
            least = np.inf
            for a in range(max(b - reach, 0), min(b + reach + 1, steps, j)):
                edge = step_costs[a, b - max(a - reach, 0), j]
                cost = costs[a, start[j] - start[begin] + t - early[j]] + edge
                if cost < least:
                    least = cost
                    path[t - 1] = j - 1 - a
            t -= 1
    return best, path


@kernel
def free_path(step_costs, reach, price):  # type: ignore[no-untyped-def]
    """Find the path of least cost of any length; return its cost and frames."""
    steps, _, n = step_costs.shape
    cost = np.full((steps, n), np.inf)  # of a path that leaves frame j by a step of b + 1
    choice = np.zeros((steps, n), np.uint16)
    cost[:, 0] = 0.0
    for j in range(1, n - 1):
        for b in range(min(steps, n - 1 - j)):
            least = np.inf
            chosen = 0
            for a in range(max(b - reach, 0), min(b + reach + 1, steps, j)):
                value = cost[a, j - 1 - a] + step_costs[a, b - max(a - reach, 0), j]
                # without a branch, because the winning step is unpredictable
                better = value < least
                least = value if better else least
                chosen = a if better else chosen
            cost[b, j] = least + price
            choice[b, j] = chosen
    least = np.inf
    path = np.zeros(n, np.int64)
    path[0] = n - 1
    for b in range(min(steps, n - 1)):
        if cost[b, n - 2 - b] < least:
            least = cost[b, n - 2 - b]
            path[1] = n - 2 - b
    length = 2
    if least < np.inf:
        while path[length - 1] > 0:
            j = path[length - 1]
            path[length] = j - 1 - choice[path[length - 2] - j - 1, j]
            length += 1
    return least, path[:length][::-1].copy()
