"""Curves that continue beyond their keys, written out as keys."""

from __future__ import annotations

from typing import Any

import numpy as np

from retime.io.fbx.curves import CONSTANT, LINEAR, NEXT, PLAIN_WEIGHT, Curve, Segments, explicit
from retime.io.fbx.tree import Malformed

_MOST_KEYS = 200_000


def unrolled(curve: Curve, ends: tuple[int, int], per_second: int) -> Curve:
    """Return the same curve with keys from the first to the last of two times, in ticks."""
    count, first, last = len(curve.ticks), int(curve.ticks[0]), int(curve.ticks[-1])
    missing = (max(first - ends[0], 0), max(ends[1] - last, 0))
    before, after = (
        _rounds(gap, last - first, *how) for gap, how in zip(missing, curve.beyond, strict=True)
    )
    if (before + after) * count > _MOST_KEYS:
        raise Malformed(f"a curve repeats {before + after} times in the clip, which is too often")
    number = np.repeat(np.arange(-before, after + 1), count)
    place = np.tile(np.arange(count), before + after + 1)
    how = np.where(number < 0, curve.beyond[0][0], curve.beyond[1][0])
    swung = (how == "M") & (number % 2 != 0)
    key = np.where(swung, count - 1 - place, place)
    # A segment belongs to the key before it; in a round played backwards, to the one behind it.
    segment = np.where(swung & (place < count - 1), count - 2 - place, place)
    inside = curve.ticks[key] - first
    ticks = first + number * (last - first) + np.where(swung, last - first - inside, inside)
    gain = np.where(how == "A", number * (curve.values[-1] - curve.values[0]), 0.0)
    values, parts, back = curve.values[key] + gain, curve.segments, swung[:, None]
    slopes, weights = parts.slopes[segment], parts.weights[segment]
    mode = parts.mode[segment]
    slopes, weights = (
        np.where(back, -slopes[:, ::-1], slopes),
        np.where(back, weights[:, ::-1], weights),
    )
    mode = np.where(swung & (mode & CONSTANT > 0), mode ^ NEXT, mode)
    # A round ends where the next one begins; a jump to its first value takes a tick.
    end = place == count - 1
    kept = ~end | (values != np.r_[values[1:], np.inf])
    ticks, mode = ticks - (end & (number < after)), np.where(end, LINEAR, mode)
    line = [
        curve.end_slope(curve.ticks / per_second, n) * (curve.beyond[n][0] == "K") for n in (0, 1)
    ]
    rows: list[tuple[Any, ...]] = [
        (ticks[kept], values[kept], mode[kept], slopes[kept], weights[kept])
    ]
    for side, at in enumerate(ends):
        tip = -side
        gap = at - int(rows[0][0][0] if side == 0 else rows[-1][0][-1])
        if gap and (gap > 0) == bool(side):
            value = rows[tip][1][tip] + line[side] * gap / per_second
            own = (np.array([at]), np.array([value]), np.array([LINEAR]))
            rows.insert(len(rows) * side, (*own, np.zeros((1, 2)), np.full((1, 2), PLAIN_WEIGHT)))
    whole, reals, kinds, rises, reach = (np.concatenate(a) for a in zip(*rows, strict=True))
    data, made = np.zeros((len(whole), 4), np.uint32), Segments(kinds, rises, reach)
    return explicit(Curve(whole, reals, kinds, data, made, curve.beyond))


def _rounds(missing: int, period: int, mode: str, count: int) -> int:
    """Return how many rounds lie on one side of the keys."""
    rounds = -(-missing // period) if mode in "RAM" else 0
    return rounds if count < 0 else min(rounds, count)
