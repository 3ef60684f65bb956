"""Tangents of Maya's keys: each side of a key is fixed, or follows a rule of its neighbours."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from retime.arrays import FloatArray

# A tangent without overshooting is at most this many times as steep as the line to a neighbour.
_STEEPEST = 3.0
# Neighbours whose values differ by less, relative to the values, are equal for clamped tangents.
_EQUAL = 1e-6
Sides = tuple[FloatArray, FloatArray]
Words = Sequence[tuple[str, str]]


def _smooth(times: FloatArray, values: FloatArray) -> FloatArray:
    """Return the slope from neighbour to neighbour; at an end, that to the neighbour."""
    before, after = np.r_[0, np.arange(len(times) - 1)], np.r_[np.arange(1, len(times)), -1]
    out: FloatArray = (values[after] - values[before]) / (times[after] - times[before])
    return out


def _lines(times: FloatArray, values: FloatArray) -> Sides:
    across = np.diff(values) / np.diff(times)
    return np.r_[across[:1], across], np.r_[across, across[-1:]]


def _spline(times: FloatArray, values: FloatArray) -> Sides:
    smooth = _smooth(times, values)
    return smooth, smooth


def _flat(times: FloatArray, values: FloatArray) -> Sides:
    return np.zeros(len(times)), np.zeros(len(times))


def _clamped(times: FloatArray, values: FloatArray) -> Sides:
    """Return smooth slopes, but straight lines between keys of one value."""
    smooth, (left, right) = _smooth(times, values), _lines(times, values)
    equal = np.abs(np.diff(values)) <= _EQUAL * max(1.0, float(np.abs(values).max()))
    return np.where(np.r_[False, equal], left, smooth), np.where(np.r_[equal, False], right, smooth)


def _auto(times: FloatArray, values: FloatArray) -> Sides:
    """Return smooth slopes that never overshoot: flat at extremes and at both ends."""
    left, right = _lines(times, values)
    most = _STEEPEST * np.minimum(np.abs(left), np.abs(right)) * (left * right > 0)
    slope = np.clip(_smooth(times, values), -most, most)
    slope[[0, -1]] = 0.0
    return slope, slope


_RULES: dict[str, Callable[[FloatArray, FloatArray], Sides]] = {
    "linear": _lines, "flat": _flat, "slow": _flat, "spline": _spline, "clamped": _clamped,
}  # fmt: skip


def slopes_by_rule(words: Words, times: FloatArray, values: FloatArray) -> FloatArray:
    """Return the slopes before and after each key (K, 2) by its tangent types.

    Types without a rule here are automatic; fixed tangents and steps are for the caller.
    """
    out = np.zeros((len(times), 2))
    if len(times) < 2:
        return out
    for side in (0, 1):
        own = np.array([pair[side] for pair in words])
        for word in set(own.tolist()):
            rule = _RULES.get(word, _auto)
            out[own == word, side] = rule(times, values)[side][own == word]
    return out
