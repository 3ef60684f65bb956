"""Compiled loops of windows of evidence."""

from __future__ import annotations

import numpy as np

from retime.compiled import kernel


@kernel
def block_minima(squares, bumps, size, minima):  # type: ignore[no-untyped-def]
    """Fill ``minima`` (rows, blocks) with bounds below the squared distances of ``size`` columns.

    Between two columns a distance may be less than at both, by a quarter of their own: ``bumps``.
    """
    rows, columns = squares.shape
    for b in range(minima.shape[1]):
        first, last = b * size, min((b + 1) * size, columns)
        bump = np.float32(0.0)
        for c in range(max(first - 1, 0), min(last, len(bumps))):
            bump = max(bump, bumps[c])
        for r in range(rows):
            least = squares[r, first]
            for c in range(first + 1, last):
                least = min(least, squares[r, c])
            minima[r, b] = least - bump / 4


@kernel
def _windows(squares, bumps, rows, far, q0, q1, phase, offset, frames, best):  # type: ignore[no-untyped-def]
    """Return the least mean squared distance of the windows at columns q0 to q1, or ``best``.

    ``rows``: the source's samples of the window; ``far``: its places in the reference, relative to
    the middle; ``offset``: frame of the first column; ``frames``: of the whole reference. Windows
    may leave the reference by less than a half, which is charged by what is left out.
    """
    count = len(rows)
    total = np.zeros(q1 - q0, np.float32)
    inside = True
    for k in range(count):
        whole = int(np.floor(phase + far[k]))
        inside &= q0 + offset + whole >= 0 and q1 + offset + whole < frames
    if inside:
        for k in range(count):
            whole = int(np.floor(phase + far[k]))
            h = np.float32(phase + far[k] - whole)
            g = np.float32(1.0) - h
            here = squares[rows[k], q0 + whole :]
            coming = squares[rows[k], q0 + whole + 1 :]
            apart = bumps[q0 + whole :]
            for q in range(q1 - q0):
                total[q] += g * here[q] + h * coming[q] - g * h * apart[q]
        for q in range(q1 - q0):
            best = min(best, total[q] / count)
        return best
    for q in range(q0, q1):
        sum_, used = 0.0, 0
        for k in range(count):
            place = q + phase + far[k]
            if -1e-6 <= place + offset <= frames - 1 + 1e-6:
                whole = min(max(int(np.floor(place)), -offset), frames - 2 - offset)
                h = place - whole
                sum_ += (1 - h) * squares[rows[k], whole] + h * squares[rows[k], whole + 1]
                sum_ -= h * (1 - h) * bumps[whole]
                used += 1
        if 2 * used > count:
            best = min(best, sum_ * count / used**2)
    return best


@kernel
def window_distances(  # type: ignore[no-untyped-def]
    squares, bumps, minima, size, centres, near, far, order, begin, end, offset, frames, cap, out
):
    """Lower ``out`` (n, rates) to the least distances of windows in one piece of a reference.

    ``squares`` (rows, columns): distances of the source's samples to the piece's frames; ``bumps``:
    those between neighbouring frames; ``minima``: bounds below blocks of ``size`` columns;
    ``centres`` (n, rates): row of each window's middle; ``near`` (rates, K): rows from there;
    ``far`` (rates, K): frames from the reference's middle; ``begin`` to ``end``: columns whose
    windows belong to this piece; ``offset``: frame of column 0 of ``frames``. Values more than
    ``cap`` above the minimum of a source frame are not used and may be wrong.
    """
    count = near.shape[1]
    rows = np.empty(count, np.int64)
    first, last = begin // size, (end - 1) // size + 1
    worth = np.empty(last - first, np.bool_)
    for i in range(len(out)):
        least = out[i].min()
        _worth_a_look(minima, centres[i], size, begin, end, count * (least + cap), worth)
        for g in order:
            for k in range(count):
                rows[k] = centres[i, g] + near[g, k]
            for block in range(first, last):
                if not worth[block - first]:
                    continue
                q0, q1 = max(block * size, begin), min((block + 1) * size, end)
                most = count * min(least + cap, out[i, g])
                if _bound(minima, rows, far[g], size, q0, q1, offset, frames, most) > most:
                    continue
                for half in range(2):
                    value = _windows(
                        squares, bumps, rows, far[g], q0, q1, half / 2, offset, frames, out[i, g]
                    )
                    out[i, g] = value
                    least = min(least, value)


@kernel
def _worth_a_look(minima, centres, size, begin, end, most, worth):  # type: ignore[no-untyped-def]
    """Mark the blocks whose middles alone are not too far already, at any rate.

    A window's middle is halfway between two frames at most, and may lie in the next block.
    """
    low, high = centres.min(), centres.max()
    first = begin // size
    for block in range(len(worth)):
        nearest = minima[low, first + block]
        for row in range(low, high + 1):
            nearest = min(nearest, minima[row, first + block])
            if first + block + 1 < minima.shape[1]:
                nearest = min(nearest, minima[row, first + block + 1])
        worth[block] = nearest <= most


@kernel
def _bound(minima, rows, far, size, q0, q1, offset, frames, most):  # type: ignore[no-untyped-def]
    """Return a bound below the sums of squared distances of a block's windows.

    Parts outside the reference are ignored; the sum over the rest is a lower bound.
    """
    bound = np.float32(0.0)
    for k in range(len(rows)):
        first = int(np.floor(q0 + far[k]))
        last = int(np.floor(q1 + far[k])) + 1
        if first + offset < 0 or last + offset >= frames:
            continue
        lowest = minima[rows[k], first // size]
        for b in range(first // size + 1, min(last // size + 1, minima.shape[1])):
            lowest = min(lowest, minima[rows[k], b])
        bound += lowest
        if bound > most:
            break
    return bound


@kernel
def least_path(costs, change):  # type: ignore[no-untyped-def]
    """Find the levels of least cost: ``costs[i, g_i] + change[|g_i - g_(i-1)|]``, summed."""
    n, levels = costs.shape
    best = costs[0].copy()
    choice = np.zeros((n, levels), np.int16)
    new = np.empty(levels)
    for i in range(1, n):
        for g in range(levels):
            least, chosen = np.inf, 0
            for h in range(levels):
                value = best[h] + change[abs(g - h)]
                better = value < least
                least = value if better else least
                chosen = h if better else chosen
            new[g] = least + costs[i, g]
            choice[i, g] = chosen
        best[:] = new
    path = np.zeros(n, np.int64)
    path[-1] = np.argmin(best)
    for i in range(n - 1, 0, -1):
        path[i - 1] = choice[i, path[i]]
    return path
