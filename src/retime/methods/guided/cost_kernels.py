"""Compiled loops of the step costs; the input frame is the innermost axis, for SIMD.

A table of step costs holds triples whose two steps differ by at most ``reach``: the cost of frame j
after a step of a + 1 and before one of b + 1 is ``step_costs[a, b - max(a - reach, 0), j]``.
"""

from __future__ import annotations

import numpy as np

from retime.compiled import kernel


@kernel
def change_norms(shown, middle, weights, norms):  # type: ignore[no-untyped-def]
    """Fill the squared norms of velocity and acceleration at the middle rows of reference triples.

    ``weights``: squared weights of pose, velocity and acceleration.
    """
    for q in range(len(middle)):
        last = shown[middle[q] - 1]
        this = shown[middle[q]]
        coming = shown[middle[q] + 1]
        speed = bend = 0.0
        for c in range(shown.shape[1]):
            speed += (coming[c] - last[c]) ** 2
            bend += (coming[c] - 2 * this[c] + last[c]) ** 2
        norms[q] = weights[1] * speed + weights[2] * bend


@kernel
def centre_input(poses, first, columns, centre):  # type: ignore[no-untyped-def]
    """Fill columns (D, width) with the frames from ``first``, the ends repeated, less their mean.

    Subtracting the mean avoids a loss of digits.
    """
    frames = poses.shape[0]
    width = columns.shape[1]
    centre[:] = 0.0
    for t in range(first, first + width):
        pose = poses[min(max(t, 0), frames - 1)]
        for c in range(len(centre)):
            centre[c] += pose[c]
    centre /= width
    for c in range(len(centre)):
        column = columns[c]
        for t in range(width):
            column[t] = poses[min(max(first + t, 0), frames - 1), c] - centre[c]


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
def nearest_three(before, here, after, base, steps, reach, best):  # type: ignore[no-untyped-def]
    """Find the three smallest squared distances, less a common term, of every triple of frames.

    The distance of the triple (i, j, k) to reference frame q is, up to what does not depend on q,
    ``base[q] + before[q, i] + here[q, j] + after[q, k]``. Columns are frames from ``steps`` before
    the block's first; ``best`` is (3, steps, width, block), smallest first. The number of reference
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
        lowest = max(a - reach, 0)
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
            for b in range(lowest, min(a + reach + 1, steps)):
                right = steps + 1 + b
                k0 = after[q, right:]
                k1 = after[q + 1, right:]
                k2 = after[q + 2, right:]
                k3 = after[q + 3, right:]
                first = best[0, a, b - lowest]
                second = best[1, a, b - lowest]
                third = best[2, a, b - lowest]
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
def finish_costs(best, products, weights, neighbours, start, reach, step_costs):  # type: ignore[no-untyped-def]
    """Turn the smallest partial distances into costs: add the triple's own norm, root, mean (2).

    ``products`` (2 steps + 1, width): inner products of frames that lie so far apart; ``weights``:
    squared weights of pose, velocity and acceleration; ``step_costs`` (steps, width, n) is filled
    from frame ``start``.
    """
    steps = best.shape[1]
    block = best.shape[3]
    n = step_costs.shape[2]
    pose, speed, bend = weights[0], weights[1], weights[2]
    # |w_p x_j|^2 + |w_v (x_k - x_i)|^2 + |w_a (x_k - 2 x_j + x_i)|^2, by products of two frames.
    own = pose + 4 * bend
    ends = speed + bend
    across = 2 * (bend - speed)
    beside = -4 * bend
    norm = np.empty(block)
    for a in range(steps):
        lowest = max(a - reach, 0)
        for b in range(lowest, min(a + reach + 1, steps)):
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
            total = step_costs[a, b - lowest, start + low : start + max(high, low)]
            total[:] = 0.0
            for c in range(neighbours):  # one a pass: each is a plain loop, for SIMD
                near = best[c, a, b - lowest, low:]
                rest = norm[low:]
                for t in range(len(total)):
                    square = near[t] + rest[t]
                    total[t] += np.sqrt(square if square > 0.0 else 0.0) / neighbours


@kernel
def nearest_frames(products, weights, base, squares, nearest):  # type: ignore[no-untyped-def]
    """Find the reference frames nearest to each frame of a finished signal.

    ``products`` (B + 2, F): inner products of the signal's and the references' frames; ``weights``:
    squared weights of pose, velocity and acceleration; ``base`` (F,): squared norms of the
    references' features, infinite where a frame is the middle of no triple. ``squares`` (B, k),
    less the signal's own norm, and ``nearest``, columns, are filled, smallest first.
    """
    pose, speed, bend = weights[0], weights[1], weights[2]
    k = squares.shape[1]
    columns = products.shape[1]
    change = np.empty(columns, products.dtype)
    curve = np.empty(columns, products.dtype)
    square = np.full(columns, np.inf, products.dtype)
    for t in range(len(squares)):
        last, this, coming = products[t], products[t + 1], products[t + 2]
        for c in range(columns):
            change[c] = speed * (coming[c] - last[c])
            curve[c] = bend * (coming[c] - 2 * this[c] + last[c])
        for c in range(1, columns - 1):
            like = pose * this[c] + change[c + 1] - change[c - 1]
            like += curve[c + 1] - 2 * curve[c] + curve[c - 1]
            square[c] = base[c] - 2 * like
        best, found = squares[t], nearest[t]
        for c in range(columns):
            if square[c] < best[k - 1]:
                place = k - 1
                while place > 0 and square[c] < best[place - 1]:
                    best[place], found[place] = best[place - 1], found[place - 1]
                    place -= 1
                best[place], found[place] = square[c], c
