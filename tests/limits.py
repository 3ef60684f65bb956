"""How far a result goes beyond the movement of its sources."""

from __future__ import annotations

import numpy as np

from retime import positions
from retime.arrays import FloatArray
from retime.motion import Motion, quat


def extremes(motion: Motion) -> tuple[FloatArray, FloatArray]:
    """Return the largest turn between frames and the largest acceleration of each joint."""
    turns = quat.angle(motion.rotations[1:], motion.rotations[:-1]) * motion.rate
    acceleration = np.diff(positions(motion), 2, axis=0) * motion.rate**2
    return turns.max(axis=0), np.linalg.norm(acceleration, axis=-1).max(axis=0)


def beyond(made: Motion, *sources: Motion) -> tuple[float, float, float]:
    """Return turn and acceleration relative to the sources' own, and the depth added, metres."""
    own = [extremes(m) for m in sources]
    turn, acceleration = extremes(made)
    most = [np.max([o[k] for o in own], axis=0) for k in range(2)]
    low = positions(made)[..., 1].min() - min(positions(m)[..., 1].min() for m in sources)
    return (
        float((turn / np.maximum(most[0], 2.0)).max()),
        float((acceleration / np.maximum(most[1], 20.0)).max()),
        float(low),
    )
