"""Values of poses: their mean, and a pose as a still motion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from retime.arrays import FloatArray
from retime.motion import Motion, Pose


def mean_value(values: FloatArray) -> FloatArray:
    """Average values (N, D); rotations by the main axis of their outer products."""
    if values.shape[-1] == 3:
        return np.asarray(values.mean(axis=0))
    mean = np.linalg.eigh(values.T @ values)[1][:, -1]
    return np.asarray(mean if mean @ values[0] >= 0 else -mean)


def still_motion(motion: Motion, pose: Pose, at: Mapping[str, float]) -> Motion:
    """Make a motion of two frames that holds a pose, with other tracks at the channels' times."""

    def held(name: str, track: FloatArray) -> FloatArray:
        value = [np.interp(at[name], motion.times, track[:, c]) for c in range(3)]
        return np.tile(value, (2, 1))

    places = {n: held(n, t) for n, t in motion.translations.items()}
    places |= {n: np.tile(p, (2, 1)) for n, p in pose.translations.items()}
    return replace(
        motion,
        rotations=np.repeat(pose.rotations[None], 2, axis=0),
        translations=places,
        scales={n: held(n, t) for n, t in motion.scales.items()},
        fps=30.0,
        start=0.0,
        sample_times=None,
        origin=None,
        notes=(),
    )
