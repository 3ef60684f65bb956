"""Flights of a body: higher or longer, so that they fall faster or slower."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.body.model.body import find_body
from retime.motion import Motion
from retime.motion.kinematics import cached_positions
from retime.timing import TimeWarp

__all__ = ["flight_offsets", "flight_stretch", "in_air"]

# Seconds in which the push before a flight, and the landing after it, take up what is added.
PUSH = 0.3
# Height above the lowest within which a crouch is as low, metres; rounding of times, seconds.
_LOW, _HAIR = 1e-3, 1e-6


def flight_offsets(
    times: FloatArray,
    spans: Sequence[tuple[float, float]],
    more: Sequence[float],
    *,
    ease: float = PUSH,
) -> FloatArray:
    """Return what to add to a body's height, (F,) metres, so that its flights fall faster.

    Each gets the parabola a (t - t0) (t1 - t) / 2. It is zero at take-off and landing, so contacts
    stay; the speed that it asks for there is gathered by a deeper push before, and taken up by a
    deeper landing after.

    Parameters
    ----------
    times : array (F,)
        Seconds.
    spans : sequence of (float, float)
        First and last time of each flight, in order.
    more : sequence of float
        By how much faster each shall fall, m/s^2; its share of its own acceleration is by how much
        higher it goes.
    ease : float
        Seconds that push and landing take at most; 0 changes nothing outside flights.

    Examples
    --------
    >>> times = np.linspace(0, 1, 11)
    >>> high = flight_offsets(times, [(0.3, 0.7)], [4.9])
    >>> round(float(high.max()), 3)                     # 4.9 (0.4 s)^2 / 8
    0.098
    """
    out = np.zeros(len(times))
    bounds = [-np.inf, *itertools.chain(*spans), np.inf]
    for k, ((start, end), by) in enumerate(zip(spans, more, strict=True)):
        inside = (times >= start) & (times <= end)
        out[inside] += 0.5 * by * ((times - start) * (end - times))[inside]
        if ease <= 0:
            continue
        speed = 0.5 * by * (end - start)
        before = min(ease, 0.5 * (start - bounds[2 * k]))
        after = min(ease, 0.5 * (bounds[2 * k + 3] - end))
        out += speed * _dip((times - start) / before + 1) * before
        out += speed * _dip((end - times) / after + 1) * after
    return out


def _dip(u: FloatArray) -> FloatArray:
    """Return a dip that begins at rest at 0 and ends at zero with slope 1 at 1."""
    inside = (u > 0) & (u < 1)
    return np.where(inside, u**3 - u**2, 0.0)


def in_air(motion: Motion, flights: Sequence[tuple[float, float]]) -> npt.NDArray[np.bool_]:
    """Mark the frames (F,) of flights."""
    out = np.zeros(len(motion), dtype=bool)
    for start, end in flights:
        out |= (motion.times >= start) & (motion.times <= end)
    return out


def flight_stretch(base: Motion, factor: float, flights: Sequence[tuple[float, float]]) -> TimeWarp:
    """Return the warp that slows crouch, flight and landing, so that a higher jump falls by g.

    Parameters
    ----------
    base : Motion
        The motion.
    factor : float
        How much longer flights last.
    flights : sequence of (float, float)
        Their first and last times, seconds.
    """
    slow = np.zeros(len(base))
    height = cached_positions(base)[:, find_body(base).roles["hips"], 1]
    for start, end in flights:
        before = np.flatnonzero((base.times >= start - 0.8 - _HAIR) & (base.times <= start + _HAIR))
        # A crouch that is held ends where the body rises.
        low = before[height[before] <= height[before].min(initial=np.inf) + _LOW]
        first = low[-1] if len(low) else 0
        last = np.searchsorted(base.times, end + 0.25 - _HAIR)
        slow[first : last + 1] = 1.0
    half = max(round(0.15 * base.rate), 1)
    window = np.ones(2 * half + 1) / (2 * half + 1)
    slow = np.convolve(np.pad(slow, half, mode="edge"), window, "valid")
    steps = np.diff(base.times) * (1 + (factor - 1) * slow[:-1])
    return TimeWarp(base.times[0] + np.r_[0.0, np.cumsum(steps)], base.times)
