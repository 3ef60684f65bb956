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
    from retime.methods.music.kernels import assign_kernel

    times, weights, forced, pinned = _with_locked(accents, locked)
    step = float(np.median(np.diff(beats))) if len(beats) > 1 else 1.0
    start_out, start_in = ends[:2]
    shown = start_out + (times - start_in) / uniform
    reach = np.where(forced | steady, _STEADY_DRIFT, _DRIFT) * step
    nodes = _nodes(beats, start_out, shown, reach, pinned)
    if not nodes:
        return Assignment(0.0 if not forced.any() else np.inf, np.zeros((0, 2)))
    accent: npt.NDArray[np.int64] = np.array([n[0] for n in nodes])
    output, place = np.array([n[1] for n in nodes]), np.array([n[2] for n in nodes])
    cost, end, back = assign_kernel(
        times, weights, forced, accent, output, place, beats, np.array(ends), uniform, limits,
        (stiffness, _SKIP, _MISS, _GAIN), SIGMA, _GAP,
    )  # fmt: skip
    keys = []
    while end >= 0:
        keys.append((output[end], times[accent[end]]))
        end = back[end]
    return Assignment(float(cost), np.array(keys[::-1]).reshape(-1, 2))


def _nodes(
    beats: FloatArray, start: float, shown: FloatArray, reach: FloatArray, pinned: FloatArray
) -> list[tuple[int, float, float]]:
    """List the possible pairs: number of the accent, output time, and number of the beat."""
    out: list[tuple[int, float, float]] = []
    before = int(np.searchsorted(beats, start))
    for i, pin in enumerate(pinned.tolist()):
        if np.isfinite(pin):
            out.append((i, pin, float(np.interp(pin, beats, np.arange(len(beats)))) - before))
            continue
        low, high = np.searchsorted(beats, [shown[i] - reach[i], shown[i] + reach[i]])
        near = [j for j in range(low, high) if beats[j] > start]
        out += [(i, float(beats[j]), float(j - before)) for j in near]
    return out


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
