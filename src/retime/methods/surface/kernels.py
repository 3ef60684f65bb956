"""Compiled loops: where a bent surface meets the joints' paths (section 3.5)."""

from __future__ import annotations

import numpy as np

from retime.compiled import kernel

__all__ = ["intersect"]


@kernel
def _lookup(grids, weights, x, y):  # type: ignore[no-untyped-def]
    """Return the weighted sum of grids ``(C, P, Q)`` at a cell position, bilinear and clamped."""
    p, q = grids.shape[1], grids.shape[2]
    x = min(max(x, 0.0), p - 1.0)
    y = min(max(y, 0.0), q - 1.0)
    i = min(int(x), p - 2)
    k = min(int(y), q - 2)
    a = x - i
    b = y - k
    total = 0.0
    for c in range(grids.shape[0]):
        low = (1 - b) * grids[c, i, k] + b * grids[c, i, k + 1]
        high = (1 - b) * grids[c, i + 1, k] + b * grids[c, i + 1, k + 1]
        total += weights[c] * ((1 - a) * low + a * high)
    return total


@kernel
def _miss(source, t, share, path, start, rate, grids, weights):  # type: ignore[no-untyped-def]
    """Return the distance of a joint's source time from the surface at output time t."""
    f = min(max((source - start) * rate, 0.0), len(path) - 1.0)
    i = min(int(f), len(path) - 2)
    u = f - i
    x = (1 - u) * path[i, 0] + u * path[i + 1, 0]
    y = (1 - u) * path[i, 1] + u * path[i + 1, 1]
    return source - t + share * _lookup(grids, weights, x, y)


@kernel
def intersect(times, shares, paths, start, rate, grids, weights):  # type: ignore[no-untyped-def]
    """Find where surfaces meet joint paths: source times ``(N, J)``.

    ``times`` and ``shares`` ``(N,)`` are the output time of each surface and its fraction of the
    drag; ``paths`` ``(F, J, 2)`` are in cells of the grids ``(C, P, Q)``, which contain shifts in
    seconds; ``weights`` ``(J, C)`` is the range filter. If a path meets a surface more than once,
    the intersection nearest to the previous one is used.
    """
    joints = paths.shape[1]
    out = np.empty((len(times), joints))
    for j in range(joints):
        most = 0.0
        for c in range(grids.shape[0]):
            most += np.abs(grids[c]).max() * abs(weights[j, c])
        path = np.ascontiguousarray(paths[:, j])
        own = weights[j]
        before = times[0]
        for n in range(len(times)):
            t = times[n]
            share = shares[n]
            reach = share * most
            if reach < 1e-9:
                out[n, j] = t
                before = t
                continue
            guess = before + (t - times[n - 1] if n else 0.0)
            guess = min(max(guess, t - reach), t + reach)
            # Step from the guess until the sign changes; the nearest intersection is there.
            here = _miss(guess, t, share, path, start, rate, grids, own)
            step = -0.002 if here > 0 else 0.002
            low = guess
            high = guess
            there = here
            while there * here > 0 and t - reach <= high + step <= t + reach:
                low = high
                high = high + step
                there = _miss(high, t, share, path, start, rate, grids, own)
            if there * here > 0:
                high = t - reach if here > 0 else t + reach
            for _ in range(50):
                middle = 0.5 * (low + high)
                value = _miss(middle, t, share, path, start, rate, grids, own)
                if value * here > 0:
                    low = middle
                else:
                    high = middle
                if abs(high - low) < 1e-9:
                    break
            before = 0.5 * (low + high)
            out[n, j] = before
    return out
