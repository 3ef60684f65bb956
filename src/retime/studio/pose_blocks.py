"""Further data for the poses editor: candidates and tangents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from retime.arrays import FloatArray

if TYPE_CHECKING:
    from retime.methods.staggered import StaggeredPoses

__all__ = ["candidates", "tangents"]


def candidates(poses: StaggeredPoses, parameters: Any) -> FloatArray:
    """List the candidates for poses, (N, 4).

    Columns are the output's time, the input's time as ``keep`` takes it, how likely it is a pose
    (1 for the likeliest), and whether it is kept.
    """
    evidence = poses.evidence
    if evidence is None or not len(evidence.candidates):
        return np.zeros((0, 4))
    times = evidence.times[evidence.candidates]
    kept = np.isin(evidence.candidates, evidence.best(parameters.keep, parameters.range))
    shown = poses.warp().of_body().inverse(times)
    likely = evidence.priorities / evidence.priorities.max()
    return np.asarray(np.c_[shown, times, likely, kept], dtype=float)


def tangents(poses: StaggeredPoses) -> FloatArray:
    """Return how fast channels arrive at and leave poses, (poses, channels, 6), a second.

    Degrees about the parent's axes for rotations, the file's units for translations; of the lowest
    layer.
    """
    out = np.zeros((len(poses), len(poses.channels), 6))
    joints = len(poses.source.skeleton)
    row = {int(n): k for k, n in enumerate(poses.timing.numbers)}
    for i, curve in enumerate(poses.curves):
        arrive, leave = curve.extreme_tangents()
        at = np.flatnonzero(curve.extreme)
        places = [row[int(n)] for n in curve.owners[at]]
        speeds = np.c_[arrive[at], leave[at]]
        out[places, i] = np.degrees(speeds) if i < joints else speeds
    return out
