"""Compiled loops: which knots of a warp keys must be added at."""

from __future__ import annotations

import numpy as np

from retime.compiled import kernel


@kernel
def needed_knots(xs, ys, x, y, close):  # type: ignore[no-untyped-def]
    """Choose knots ``(N,)`` so that lines between keys and chosen knots stay close to all of them.

    ``close`` is the tolerance of each stretch between two keys (Douglas and Peucker's rule).
    """
    chosen = np.zeros(len(xs), np.bool_)
    stack = np.empty((len(xs) + 2, 2), np.int64)
    for k in range(len(x) - 1):
        if not close[k] < np.inf:
            continue
        first = np.searchsorted(xs, x[k], side="right")
        last = np.searchsorted(xs, x[k + 1], side="left") - 1
        if last < first:
            continue
        # A stretch is the knots between two that are kept, or the keys at its ends.
        stack[0, 0] = first
        stack[0, 1] = last
        size = 1
        while size > 0:
            size -= 1
            a = stack[size, 0]
            b = stack[size, 1]
            x0 = xs[a - 1] if a > first else x[k]
            y0 = ys[a - 1] if a > first else y[k]
            x1 = xs[b + 1] if b < last else x[k + 1]
            y1 = ys[b + 1] if b < last else y[k + 1]
            slope = (y1 - y0) / max(x1 - x0, 1e-12)
            worst = close[k]
            at = -1
            for i in range(a, b + 1):
                off = abs(ys[i] - y0 - slope * (xs[i] - x0))
                if off > worst:
                    worst = off
                    at = i
            if at < 0:
                continue
            chosen[at] = True
            if at > a:
                stack[size, 0] = a
                stack[size, 1] = at - 1
                size += 1
            if at < b:
                stack[size, 0] = at + 1
                stack[size, 1] = b
                size += 1
    return chosen
