"""The paper's objective (1) of a delivered curve, at four phases of the sampling.

A curve whose frames fall on frames of the reference would score better than the same curve half a
step later, and a frame between two of the reference would cost half a step of motion even at the
recorded speed. So the reference is compared at four phases, and the score is the mean over four.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from retime.arrays import FloatArray
from retime.methods.guided.features import RATE_HZ, TAU
from retime.methods.guided.pose_curve import FINE, PoseCurve
from retime.timing import TimeWarp

_PHASES = 4
# Nearest features that are averaged.
_NEIGHBOURS = 3
# Distances in memory at once.
_BLOCK = 1 << 21


def features_of(poses: FloatArray, step: float) -> FloatArray:
    """Return the features [y, tau y', tau^2 y''] of the inner samples of a signal (N, D)."""
    before, here, after = poses[:-2], poses[1:-1], poses[2:]
    change = (TAU / (2 * step)) * (after - before)
    bend = (TAU**2 / step**2) * (after - 2 * here + before)
    return np.concatenate([here, change, bend], axis=1)


def score(
    curve: PoseCurve, domain: tuple[float, float], references: Sequence[FloatArray], warp: TimeWarp
) -> float:
    """Return the sum over output frames of the mean distance to the nearest reference features."""
    start, end = domain
    step = 1 / RATE_HZ
    known = np.concatenate([_at_phases(z, step) for z in references if len(z) > 2])
    total = []
    for phase in range(_PHASES):
        times = np.arange(warp.domain[0] + phase * step / _PHASES, warp.domain[1] + 1e-9, step)
        if len(times) < 3:
            continue
        shown = curve.at((warp(times) - start) / (end - start) * curve.frames)
        distance = _nearest(features_of(shown, step), known)
        total.append(distance.sum() * (warp.duration * RATE_HZ - 1) / len(distance))
    return float(np.mean(total)) if total else 0.0


def _at_phases(reference: FloatArray, step: float) -> FloatArray:
    """Return the features of a reference at all phases, by frames of the output."""
    last, curve = len(reference) - 1, PoseCurve(reference)
    phases = np.arange(_PHASES) / _PHASES
    shown = [curve.at(np.arange(phase, last + 1e-9) / FINE) for phase in phases]
    return np.concatenate([features_of(z, step) for z in shown if len(z) > 2])


def _nearest(features: FloatArray, known: FloatArray) -> FloatArray:
    """Return the mean distance of each feature to its nearest known ones (N,)."""
    centre, few = known.mean(axis=0), min(_NEIGHBOURS, len(known))
    features, known = features - centre, known - centre
    squares = (known**2).sum(axis=1)
    out = np.empty(len(features))
    block = max(_BLOCK // len(known), 1)
    for first in range(0, len(features), block):
        part = features[first : first + block]
        apart = squares - 2 * part @ known.T
        nearest = np.argpartition(apart, few - 1, axis=1)[:, :few]
        # Products find the nearest; their distances are computed without cancellation.
        gaps = np.linalg.norm(part[:, None] - known[nearest], axis=2)
        out[first : first + block] = gaps.mean(axis=1)
    return out
