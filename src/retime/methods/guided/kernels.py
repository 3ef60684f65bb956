"""Compiled loops of guided time warping; the frame index is the innermost axis, for SIMD."""

from __future__ import annotations

import numpy as np

from retime.compiled import kernel

__all__ = [
    "distance_terms",
    "fewest_cost_path",
    "finish_scores",
    "free_path",
    "lagged_products",
    "nearest_three",
]


@kernel
def distance_terms(products, middle, weights, terms):  # type: ignore[no-untyped-def]
    """Fill the terms of squared distances that depend on one input frame each: before, here, after.

    ``products`` (R, width): inner products of reference and input frames; ``middle``: the middle
    row of each reference triple; ``weights``: squared weights of pose, velocity and acceleration.
    The reference's velocity and acceleration are differences of its frames, so their products with
    the input are differences of products.
    """
    pose, speed, bend = weights[0], weights[1], weights[2]
    for q in range(len(middle)):
        last = products[middle[q] - 1]
        this = products[middle[q]]
        coming = products[middle[q] + 1]
        before, here, after = terms[0, q], terms[1, q], terms[2, q]
        for t in range(products.shape[1]):
            velocity = speed * (coming[t] - last[t])
            curve = bend * (coming[t] - 2 * this[t] + last[t])
            before[t] = 2 * (velocity - curve)
            here[t] = 4 * curve - 2 * pose * this[t]
            after[t] = -2 * (velocity + curve)


@kernel
def nearest_three(before, here, after, base, steps, best):  # type: ignore[no-untyped-def]
    """Keep the three smallest squared distances (less a common term) of every triple of frames.

    The distance of the triple (i, j, k) to reference frame q is, up to what does not depend on q,
    ``base[q] + before[q, i] + here[q, j] + after[q, k]``. Columns are frames from ``steps`` before
    the block's first; ``best`` is (3, steps, steps, block), smallest first. The number of reference
    frames must be a multiple of four: they are sorted four at a time, so that memory is passed over
    a quarter as often.
    """
    count = base.shape[0]
    block = best.shape[3]
    u0 = np.empty(block, base.dtype)
    u1 = np.empty(block, base.dtype)
    u2 = np.empty(block, base.dtype)
    u3 = np.empty(block, base.dtype)
    for a in range(steps):
        left = steps - 1 - a
        for q in range(0, count, 4):
            i0 = before[q, left:]
            i1 = before[q + 1, left:]
            i2 = before[q + 2, left:]
            i3 = before[q + 3, left:]
            j0 = here[q, steps:]
            j1 = here[q + 1, steps:]
            j2 = here[q + 2, steps:]
            j3 = here[q + 3, steps:]
            b0 = base[q]
            b1 = base[q + 1]
            b2 = base[q + 2]
            b3 = base[q + 3]
            for t in range(block):
                u0[t] = b0 + j0[t] + i0[t]
                u1[t] = b1 + j1[t] + i1[t]
                u2[t] = b2 + j2[t] + i2[t]
                u3[t] = b3 + j3[t] + i3[t]
            for b in range(steps):
                right = steps + 1 + b
                k0 = after[q, right:]
                k1 = after[q + 1, right:]
                k2 = after[q + 2, right:]
                k3 = after[q + 3, right:]
                first = best[0, a, b]
                second = best[1, a, b]
                third = best[2, a, b]
                for t in range(block):
                    x0 = u0[t] + k0[t]
                    x1 = u1[t] + k1[t]
                    x2 = u2[t] + k2[t]
                    x3 = u3[t] + k3[t]
                    # Sort the four, and drop the largest.
                    low0 = x0 if x0 < x1 else x1
                    high0 = x1 if x0 < x1 else x0
                    low1 = x2 if x2 < x3 else x3
                    high1 = x3 if x2 < x3 else x2
                    y0 = low0 if low0 < low1 else low1
                    mid0 = low1 if low0 < low1 else low0
                    mid1 = high0 if high0 < high1 else high1
                    y1 = mid0 if mid0 < mid1 else mid1
                    y2 = mid1 if mid0 < mid1 else mid0
                    # Merge with the three so far: the smaller of opposite ends are the three
                    # smallest of six, to be sorted.
                    f = first[t]
                    g = second[t]
                    h = third[t]
                    m0 = f if f < y2 else y2
                    m1 = g if g < y1 else y1
                    m2 = h if h < y0 else y0
                    n0 = m0 if m0 < m2 else m2
                    n2 = m2 if m0 < m2 else m0
                    v0 = n0 if n0 < m1 else m1
                    v1 = m1 if n0 < m1 else n0
                    first[t] = v0
                    second[t] = v1 if v1 < n2 else n2
                    third[t] = n2 if v1 < n2 else v1


@kernel
def lagged_products(signal, out):  # type: ignore[no-untyped-def]
    """Fill ``out[lag, t]`` with the inner product of frames t and t + lag of a signal (D, F)."""
    columns, frames = signal.shape
    out[:, :] = 0.0
    for lag in range(min(out.shape[0], frames)):
        total = out[lag]
        for c in range(columns):
            one = signal[c]
            other = signal[c, lag:]
            for t in range(frames - lag):
                total[t] += one[t] * other[t]


@kernel
def finish_scores(best, products, weights, neighbours, start, scores):  # type: ignore[no-untyped-def]
    """Turn the smallest partial distances into scores: add the triple's own norm, root, mean (2).

    ``products`` (2 steps + 1, width): inner products of frames that lie so far apart; ``weights``:
    squared weights of pose, velocity and acceleration; ``scores`` (steps, steps, n) is filled from
    frame ``start``.
    """
    steps = best.shape[1]
    block = best.shape[3]
    n = scores.shape[2]
    pose, speed, bend = weights[0], weights[1], weights[2]
    # |w_p x_j|^2 + |w_v (x_k - x_i)|^2 + |w_a (x_k - 2 x_j + x_i)|^2, by products of two frames.
    own = pose + 4 * bend
    ends = speed + bend
    across = 2 * (bend - speed)
    beside = -4 * bend
    norm = np.empty(block)
    for a in range(steps):
        for b in range(steps):
            jj = products[0, steps:]
            ii = products[0, steps - 1 - a :]
            kk = products[0, steps + 1 + b :]
            ij = products[a + 1, steps - 1 - a :]
            jk = products[b + 1, steps:]
            ik = products[a + b + 2, steps - 1 - a :]
            for t in range(block):
                norm[t] = own * jj[t] + ends * (ii[t] + kk[t]) + across * ik[t]
                norm[t] += beside * (ij[t] + jk[t])
            low = max(0, a + 1 - start)
            high = min(block, n - 1 - b - start)
            total = scores[a, b, start + low : start + max(high, low)]
            total[:] = 0.0
            for c in range(neighbours):  # one a pass: each is a plain loop, for SIMD
                near = best[c, a, b, low:]
                rest = norm[low:]
                for t in range(len(total)):
                    square = near[t] + rest[t]
                    total[t] += np.sqrt(square if square > 0.0 else 0.0) / neighbours


@kernel
def _next_layer(old, new, scores, low, high, next_low, next_high, old_at, new_at):  # type: ignore[no-untyped-def]
    """One step of the recurrence (4), for all pairs of frames that a path can hold there.

    ``old[a, j - 1 - a - old_at]`` is the cost of a path that shows frame j after a step of a + 1;
    ``new`` likewise one frame later. Only frames in reach are passed over.
    """
    steps = scores.shape[0]
    known = np.empty(high - low + 1, new.dtype)
    new[:, : high - low + 2 * steps + 3] = np.inf  # as far as the next layer looks
    for b in range(steps):
        first = max(low, next_low - 1 - b)
        last = min(high, next_high - 1 - b)
        length = last - first + 1
        if length <= 0:
            continue
        out = new[b, first - new_at :]
        # What is known so far lies apart: a minimum with the very cell that is written becomes a
        # masked store, many times as slow.
        known[:length] = np.inf
        at = first - 1 - old_at
        a = 0
        while a + 8 <= steps:  # eight at a time: the result is passed over an eighth as often
            path0, edge0 = old[a, at - a :], scores[a, b, first:]
            path1, edge1 = old[a + 1, at - a - 1 :], scores[a + 1, b, first:]
            path2, edge2 = old[a + 2, at - a - 2 :], scores[a + 2, b, first:]
            path3, edge3 = old[a + 3, at - a - 3 :], scores[a + 3, b, first:]
            path4, edge4 = old[a + 4, at - a - 4 :], scores[a + 4, b, first:]
            path5, edge5 = old[a + 5, at - a - 5 :], scores[a + 5, b, first:]
            path6, edge6 = old[a + 6, at - a - 6 :], scores[a + 6, b, first:]
            path7, edge7 = old[a + 7, at - a - 7 :], scores[a + 7, b, first:]
            for t in range(length):
                c0 = path0[t] + edge0[t]
                c1 = path1[t] + edge1[t]
                c2 = path2[t] + edge2[t]
                c3 = path3[t] + edge3[t]
                c4 = path4[t] + edge4[t]
                c5 = path5[t] + edge5[t]
                c6 = path6[t] + edge6[t]
                c7 = path7[t] + edge7[t]
                c0 = c0 if c0 < c1 else c1
                c2 = c2 if c2 < c3 else c3
                c4 = c4 if c4 < c5 else c5
                c6 = c6 if c6 < c7 else c7
                c0 = c0 if c0 < c2 else c2
                c4 = c4 if c4 < c6 else c6
                c0 = c0 if c0 < c4 else c4
                out[t] = c0 if c0 < known[t] else known[t]
            known[:length] = out[:length]
            a += 8
        while a < steps:  # the rest four at a time; where fewer are left, the last one again
            a1, a2, a3 = min(a + 1, steps - 1), min(a + 2, steps - 1), min(a + 3, steps - 1)
            path0, edge0 = old[a, at - a :], scores[a, b, first:]
            path1, edge1 = old[a1, at - a1 :], scores[a1, b, first:]
            path2, edge2 = old[a2, at - a2 :], scores[a2, b, first:]
            path3, edge3 = old[a3, at - a3 :], scores[a3, b, first:]
            for t in range(length):
                c0 = path0[t] + edge0[t]
                c1 = path1[t] + edge1[t]
                c2 = path2[t] + edge2[t]
                c3 = path3[t] + edge3[t]
                c0 = c0 if c0 < c1 else c1
                c2 = c2 if c2 < c3 else c3
                c0 = c0 if c0 < c2 else c2
                out[t] = c0 if c0 < known[t] else known[t]
            known[:length] = out[:length]
            a += 4


@kernel
def fewest_cost_path(scores, low, high, keep):  # type: ignore[no-untyped-def]
    """Find the path of least cost through a corridor, exact: its cost and its frames.

    ``low`` and ``high`` (m,) bound the input frame that each output frame may show. Every
    ``keep``-th layer is kept, and those between are made again on the way back; the choice at each
    vertex is made again too, on the path only, so no table of choices is written.
    """
    steps = scores.shape[0]
    n = scores.shape[2]
    m = len(low)
    width = 0
    for t in range(m):
        width = max(width, high[t] - low[t] + 1)
    width += 2 * steps + 2
    at = low - steps - 1
    last = m - 2
    kept = np.empty((last // keep + 1, steps, width), scores.dtype)
    kept[0] = np.inf
    for b in range(steps):
        if low[1] <= 1 + b <= high[1]:
            kept[0, b, -at[0]] = 0.0
    block = np.empty((keep + 1, steps, width), scores.dtype)
    for c in range(len(kept)):
        begin = c * keep
        end = min(begin + keep, last)
        block[0] = kept[c]
        for t in range(begin + 1, end + 1):
            _next_layer(
                block[t - begin - 1], block[t - begin], scores,
                low[t], high[t], low[t + 1], high[t + 1], at[t - 1], at[t],
            )  # fmt: skip
        if c + 1 < len(kept):
            kept[c + 1] = block[keep]
    path = np.zeros(m, np.int64)
    path[m - 1] = n - 1
    best = np.inf
    for b in range(steps):
        j = n - 2 - b
        q = j - at[last]
        if j >= 0 and 0 <= q < width and block[last - (len(kept) - 1) * keep, b, q] < best:
            best = block[last - (len(kept) - 1) * keep, b, q]
            path[m - 2] = j
    if best == np.inf:
        return best, path
    for c in range(len(kept) - 1, -1, -1):
        begin = c * keep
        end = min(begin + keep, last)
        if c < len(kept) - 1:
            block[0] = kept[c]
            for t in range(begin + 1, end + 1):
                _next_layer(
                    block[t - begin - 1], block[t - begin], scores,
                    low[t], high[t], low[t + 1], high[t + 1], at[t - 1], at[t],
                )  # fmt: skip
        for t in range(end, begin, -1):
            j = path[t]
            b = path[t + 1] - j - 1
            least = np.inf
            for a in range(steps):
                q = j - 1 - a - at[t - 1]
                if 0 <= q < width:
                    cost = block[t - begin - 1, a, q] + scores[a, b, j]
                    if cost < least:
                        least = cost
                        path[t - 1] = j - 1 - a
    return best, path


@kernel
def free_path(scores, price):  # type: ignore[no-untyped-def]
    """Find the path of least cost of any length, each edge at a price: its cost and its frames."""
    steps, _, n = scores.shape
    cost = np.full((steps, n), np.inf)  # of a path that leaves frame j by a step of b + 1
    choice = np.zeros((steps, n), np.uint8)
    cost[:, 0] = 0.0
    for j in range(1, n - 1):
        for b in range(min(steps, n - 1 - j)):
            least = np.inf
            chosen = 0
            for a in range(min(steps, j)):
                value = cost[a, j - 1 - a] + scores[a, b, j]
                better = value < least  # without a branch: which step wins, nobody can foretell
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
