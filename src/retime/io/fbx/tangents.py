"""Tangents that a file leaves to its readers: automatic ones, and those by tension.

Arrays have a row for each curve and a column for each key; what lies on both sides of a key has the
left side first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from retime.arrays import FloatArray
from retime.io.fbx.curves import CONSTANT, CUBIC, PLAIN_WEIGHT, TCB, USER, Curve, IntArray

# Kinds of automatic tangents: flat beside a neighbour of the same value, the same slope whatever
# the distances, and no overshooting.
_FLAT, _EVEN, _PROGRESSIVE = 0x1000, 0x2000, 0x4000
# From this bias on, a constant is added to the slope.
_STRONG, _STRENGTH = 5.0, 40.0
# Keys that are worked on at once.
_MOST_KEYS = 200_000


def resolved(curves: Mapping[int, Curve], per_second: int) -> dict[int, Curve]:
    """Return curves whose cubic segments all have slopes and weights."""
    alike: dict[bytes, list[int]] = {}
    for number, curve in curves.items():
        if curve.has_found_tangents:
            alike.setdefault(curve.ticks.tobytes(), []).append(number)
    out = dict(curves)
    for numbers in alike.values():
        ticks = curves[numbers[0]].ticks
        count = max(1, _MOST_KEYS // len(ticks))
        for k in range(0, len(numbers), count):
            some = [curves[n] for n in numbers[k : k + count]]
            slopes, weights = _tangents(ticks / per_second, some)
            for n, curve, *found in zip(numbers[k:], some, slopes, weights, strict=False):
                out[n] = curve.resolved(curve.segments.mode, *found)
    return out


def _tangents(times: FloatArray, curves: Sequence[Curve]) -> tuple[FloatArray, FloatArray]:
    """Return slopes and weights (C, K, 2) of segments, as :class:`Segments` has them."""
    values, flags, mode = (
        np.stack(rows)
        for rows in zip(*((c.values, c.flags, c.segments.mode) for c in curves), strict=True)
    )
    slopes = np.stack([c.segments.slopes for c in curves])
    weights = np.stack([c.segments.weights for c in curves])
    cubic = mode & CUBIC > 0
    tension = cubic & (flags & TCB > 0)
    automatic = cubic & ~tension & (flags & USER == 0)
    # Beside each key: the time to the neighbour, the slope to it, and the weight.
    step = np.diff(times)
    across = np.where(step > 0, np.diff(values) / np.where(step > 0, step, 1.0), 0.0)
    told = np.where(cubic & ~tension, slopes[..., 1], 0.0)[:, :-1]
    straight = (~cubic & (mode & CONSTANT == 0))[:, :-1]
    told = np.where(straight, across, told)
    shares = np.where(cubic[..., None], weights, PLAIN_WEIGHT)
    shares[..., 1] = np.where(tension, PLAIN_WEIGHT, shares[..., 1])
    w = np.stack([_later(shares[:, :-1, 1], PLAIN_WEIGHT), shares[..., 0]])
    d = np.stack([np.r_[0.0, step], np.r_[step, 0.0]])[:, None, :]
    s = np.stack([_later(across), _sooner(across)])
    left, right = _later(told), slopes[..., 0]
    if tension.any():
        found = _by_tension(np.stack([c.data for c in curves]), d, s)
        left, right = (np.where(tension, *pair) for pair in zip(found, (left, right), strict=True))
    if automatic.any():
        # The stored numbers are biases; where both sides have one, that of the left is negated.
        own = np.where(np.abs(left + right) > 1e-4, -left, right)
        found = _automatic(flags, d, s, w, own), _automatic(flags, d, s, w, right)
        left, right = (
            np.where(automatic, *pair) for pair in zip(found, (left, right), strict=True)
        )
    made = np.stack([right, _sooner(left[:, 1:])], axis=2)
    own = cubic[..., None]
    return np.where(own, made, slopes), np.where(own, shares, weights)


def _later(part: FloatArray, first: float = 0.0) -> FloatArray:
    return np.pad(part, ((0, 0), (1, 0)), constant_values=first)


def _sooner(part: FloatArray) -> FloatArray:
    return np.pad(part, ((0, 0), (0, 1)))


def _by_tension(data: IntArray, d: FloatArray, s: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return slopes of tension, continuity and bias, which stand in place of tangents."""
    numbers = np.ascontiguousarray(data).view(np.float32)[..., :3].astype(float)
    t, c, b = np.moveaxis(np.where(np.isfinite(numbers), numbers, 0.0), -1, 0)
    whole = np.where((d > 0).all(axis=0), 0.5, 1.0) * (1 - t)
    left = (1 + b) * (1 - c) * s[0] + (1 - b) * (1 + c) * s[1]
    right = (1 + b) * (1 + c) * s[0] + (1 - b) * (1 - c) * s[1]
    return whole * left, whole * right


def _automatic(
    flags: IntArray, d: FloatArray, s: FloatArray, w: FloatArray, bias: FloatArray
) -> FloatArray:
    """Return automatic slopes of keys."""
    inside, alone = (d > 0).all(axis=0), (d <= 0).all(axis=0)
    free = flags & _EVEN == 0
    whole = d.sum(axis=0)
    share = d[0] / np.where(whole > 0, whole, 1.0)
    # Half of it leans to the nearer neighbour, half is the slope from neighbour to neighbour.
    chord = s[0] * share + s[1] * (1 - share)
    slope = np.where(free, (chord + s[0] * (1 - share) + s[1] * share) / 2, chord)
    lean = np.abs(bias) / 100
    towards = np.where(bias > 0, s[1], s[0])
    extra = _STRENGTH * np.maximum(lean - _STRONG, 0.0) ** 2
    way = np.where(np.abs(towards - slope) > 1e-5, towards - slope, bias)
    leaned = slope * (1 - lean) + towards * lean + np.where(way > 0, extra, -extra)
    slope = np.where(free & (lean > 1e-4), leaned, slope)
    # An end continues towards its neighbour, and is flat where overshooting is prevented.
    end = s.sum(axis=0) + np.where(free, np.where(bias > 0, extra, -extra), 0.0)
    slope = np.where(inside, slope, end)
    # Without overshooting, no tangent passes the value of its neighbour.
    most = np.maximum(np.sign(slope) * s / np.maximum(w, 1e-12), 0.0).min(axis=0)
    held = np.sign(slope) * np.minimum(np.abs(slope), np.where(inside, most, 0.0))
    slope = np.where(flags & _PROGRESSIVE, held, slope)
    near = np.where(d > 0, np.abs(s * d), np.inf).min(axis=0)
    return np.where((flags & _FLAT > 0) & (near == 0) | alone, 0.0, slope)
