"""Assign accents to beats, by an exact search over all monotone assignments.

The cost of an assignment is the sum of

- stiffness * ln(rate / uniform)^2 per second of output, between adjacent assigned accents;
- w (1 - closeness) of each accent that is not assigned, at its resulting time;
- 0.15 for each beat without an accent; and
- -w for each accent that is on a beat.

Dynamic programming over pairs of accent and beat minimises it. Accents stay within a limited
distance of their time at uniform speed, and rates within limits.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from retime import _native
from retime.arrays import FloatArray
from retime.methods.music.accents import Accents
from retime.methods.music.alignment import SIGMA

# Largest distance of an accent from its time at uniform speed, in beats: for motions without a
# steady beat, and for motions with one, whose tempo may drift.
_DRIFT, _STEADY_DRIFT = 0.75, 2.0
_MISS, _SKIP, _GAIN = 0.15, 1.0, 1.0
# Least distance of assigned accents in the result, seconds.
_GAP = 0.12


@dataclass(frozen=True, eq=False)
class Locked:
    """Moments that must be assigned."""

    keytimes: tuple[tuple[float, float], ...] = ()
    """Output and source time of each."""
    moments: tuple[float, ...] = ()
    """Source times that must be on a beat."""


@dataclass(frozen=True, eq=False)
class Assignment:
    """Accents on beats."""

    cost: float
    """Total cost; infinite if locked moments cannot be met."""
    keys: FloatArray
    """Increasing output and source times of the assigned accents, (K, 2)."""


def assign(
    accents: Accents,
    beats: FloatArray,
    *,
    ends: tuple[float, float, float, float],
    uniform: float,
    limits: tuple[float, float],
    stiffness: float,
    locked: Locked,
    steady: bool = False,
) -> Assignment:
    """Assign accents to beats.

    ``ends`` are the first output and source time and the last ones; NaN if the last output time is
    free. ``uniform`` is the rate at uniform speed, ``limits`` are those of the rate, and ``steady``
    is whether the motion has a steady beat.
    """
    times, weights, forced, pinned = _with_locked(accents, locked)
    step = float(np.median(np.diff(beats))) if len(beats) > 1 else 1.0
    start_out, start_in = ends[:2]
    shown = start_out + (times - start_in) / uniform
    reach = np.where(forced | steady, _STEADY_DRIFT, _DRIFT) * step
    accent, output, place = _nodes(beats, start_out, shown, reach, pinned)
    if not len(accent):
        return Assignment(0.0 if not forced.any() else np.inf, np.zeros((0, 2)))
    prices = np.array([stiffness, _SKIP, _MISS, _GAIN])
    cost, chain = _native.beats.cheapest_chain(
        times, weights, forced, accent, output, place, beats, np.array(ends, dtype=float),
        uniform, np.array(limits, dtype=float), prices, SIGMA, _GAP,
    )  # fmt: skip
    return Assignment(cost, np.c_[output[chain], times[accent[chain]]])


def _nodes(
    beats: FloatArray, start: float, shown: FloatArray, reach: FloatArray, pinned: FloatArray
) -> tuple[npt.NDArray[np.int64], FloatArray, FloatArray]:
    """List the possible pairs: number of the accent, output time, and number of the beat."""
    before = int(np.searchsorted(beats, start))
    low = np.maximum(np.searchsorted(beats, shown - reach), np.searchsorted(beats, start, "right"))
    fixed = np.isfinite(pinned)
    count = np.where(fixed, 1, np.maximum(np.searchsorted(beats, shown + reach) - low, 0))
    accent = np.repeat(np.arange(len(shown)), count)
    number = low[accent] + np.arange(len(accent)) - np.repeat(np.cumsum(count) - count, count)
    output = np.where(fixed[accent], pinned[accent], beats[np.minimum(number, len(beats) - 1)])
    # A pinned accent may lie between two beats.
    return accent, output, np.interp(output, beats, np.arange(len(beats))) - before


def _with_locked(
    accents: Accents, locked: Locked
) -> tuple[FloatArray, FloatArray, npt.NDArray[np.bool_], FloatArray]:
    """Add locked moments to accents, and remove accents that are too close to one."""
    own = [(s, 1.0, True, o) for o, s in locked.keytimes]
    own += [(s, 1.0, True, np.nan) for s in locked.moments]
    rest = [
        (float(t), float(w), False, np.nan)
        for t, w in zip(accents.times, accents.weights, strict=True)
        if all(abs(t - s) > _GAP / 2 for s, *_ in own)
    ]
    every = sorted(own + rest)
    columns = list(zip(*every, strict=True)) if every else [(), (), (), ()]
    times, weights, forced, pinned = columns
    return (
        np.array(times, dtype=float),
        np.array(weights, dtype=float),
        np.array(forced, dtype=bool),
        np.array(pinned, dtype=float),
    )
