"""Compiled search for the best assignment of accents to beats."""

from __future__ import annotations

import numpy as np

from retime.compiled import kernel


@kernel
def _close(moment, beats, sigma):  # type: ignore[no-untyped-def]
    after = np.searchsorted(beats, moment)
    gap = np.inf
    if after < len(beats):
        gap = beats[after] - moment
    if after > 0:
        gap = min(gap, moment - beats[after - 1])
    return np.exp(-(gap**2) / (2 * sigma**2))


@kernel
def _leg(times, weights, forced, beats, sigma, skip, first, past, o0, s0, rate, most):  # type: ignore[no-untyped-def]
    """Return the cost of the accents between two assigned ones at one rate, up to ``most``."""
    cost = 0.0
    for k in range(first, past):
        if forced[k]:
            return np.inf
        shown = o0 + (times[k] - s0) / rate
        cost += skip * weights[k] * (1 - _close(shown, beats, sigma))
        if cost >= most:
            return np.inf
    return cost


@kernel
def assign_kernel(  # type: ignore[no-untyped-def]
    times, weights, forced, accent, output, place, beats, ends, uniform, limits, prices, sigma, gap
):
    """Find the cheapest chain of nodes (accent, output time); see :mod:`.assignment`.

    Nodes are sorted by accent. ``place`` is each node's beat as a number. ``ends`` are the first
    output and source time, and the last ones; a last output time of NaN is free. ``prices`` are of
    rate, skipped accents, missed beats, and the gain of an assigned accent.
    """
    count = len(accent)
    bend, skip, miss, gain = prices
    slow, fast = limits
    cost = np.full(count, np.inf)
    back = np.full(count, -2)
    o_first, s_first, o_last, s_last = ends
    for n in range(count):
        i = accent[n]
        for m in range(n - 1, -2, -1):
            if m >= 0:
                if accent[m] == i or not np.isfinite(cost[m]):
                    continue
                base, o0, s0, first = cost[m], output[m], times[accent[m]], accent[m] + 1
                missed = max(place[n] - place[m] - 1, 0.0)
            else:
                base, o0, s0, first = 0.0, o_first, s_first, 0
                missed = max(place[n], 0.0)
            base -= gain * weights[i]
            if base >= cost[n] or output[n] - o0 < gap:
                continue
            rate = (times[i] - s0) / (output[n] - o0)
            if not slow <= rate <= fast:
                continue
            total = base + bend * np.log(rate / uniform) ** 2 * (output[n] - o0) + miss * missed
            if total >= cost[n]:
                continue
            total += _leg(
                times, weights, forced, beats, sigma, skip, first, i, o0, s0, rate, cost[n] - total
            )
            if total < cost[n]:
                cost[n] = total
                back[n] = m
    best, end = np.inf, -2
    for m in range(-1, count):
        if m >= 0:
            if not np.isfinite(cost[m]):
                continue
            base, o0, s0, first = cost[m], output[m], times[accent[m]], accent[m] + 1
        else:
            base, o0, s0, first = 0.0, o_first, s_first, 0
        rate = uniform
        if np.isfinite(o_last):
            if o_last - o0 < gap:
                continue
            rate = (s_last - s0) / (o_last - o0)
            if m >= 0 and not slow <= rate <= fast:
                continue
            base += bend * np.log(rate / uniform) ** 2 * (o_last - o0)
        base += _leg(
            times, weights, forced, beats, sigma, skip, first, len(times), o0, s0, rate, np.inf
        )
        if base < best:
            best, end = base, m
    return best, end, back
