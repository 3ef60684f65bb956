"""The path of a figure: its poses, and their derivatives by source time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from retime.arrays import FloatArray
from retime.errors import InputError
from retime.methods.physics.figure.tree import Figure
from retime.motion import Motion, quat
from retime.motion.edits import apply
from retime.motion.kinematics import global_rotations, positions
from retime.numeric import Spline, low_pass
from retime.timing import TimeWarp

# Highest frame rate that is useful below the filter's cutoff.
_MOST_FPS = 120.0
_LEAST_FRAMES = 8
# Extension of the clip beyond its ends for the filter, seconds.
_PAD_SECONDS = 0.5


def even_motion(motion: Motion) -> Motion:
    """Return a motion at equal intervals, at most 120 frames per second, with the same ends."""
    if len(motion) < _LEAST_FRAMES:
        raise InputError(
            f"a clip of {len(motion)} frames is too short to measure accelerations; at least "
            f"{_LEAST_FRAMES} are needed"
        )
    start, end = motion.domain
    steps = round((end - start) * min(motion.rate, _MOST_FPS))
    if motion.sample_times is None and motion.rate <= _MOST_FPS * (1 + 1e-9):
        return motion
    times = np.linspace(start, end, max(steps, _LEAST_FRAMES) + 1)
    return apply(motion, TimeWarp.identity(start, end), times=times)


@dataclass(frozen=True, eq=False)
class Path:
    """Frames of a figure's moving joints, and their derivatives by source time.

    Parameters
    ----------
    turns, places : array (F, J, 3, 3), array (F, J, 3)
        Rotations and positions in the world, metres.
    velocity, acceleration : array (F, dofs)
        In each joint's own frame; the root's first six linear, then angular.
    """

    turns: FloatArray
    places: FloatArray
    velocity: FloatArray
    acceleration: FloatArray


def filtered_path(figure: Figure, motion: Motion, cutoff: float | None) -> Path:
    """Return the path of a motion and its derivatives, after a low-pass filter without delay.

    Accelerations of unfiltered capture are noise. A Butterworth filter is run in both directions,
    with a cutoff in hertz.
    """
    times = np.arange(len(motion)) / motion.rate

    def derivatives(values: FloatArray) -> tuple[FloatArray, FloatArray]:
        curve = Spline.through(times, values, 5)
        return curve(times, derivative=1), curve(times, derivative=2)

    turning = motion.rotations[:, list(figure.moving)]
    turning[:, 0] = global_rotations(motion)[:, figure.moving[0]]
    # The filter needs continuous signs.
    rotations = quat.normalize(_low_pass(quat.continuous(turning), motion.rate, cutoff))
    first, second = derivatives(rotations)
    back = quat.conjugate(rotations)
    spin, spin_change = (2 * quat.multiply(back, d)[..., 1:] for d in (first, second))
    root = _low_pass(positions(motion)[:, figure.moving[0]], motion.rate, cutoff)
    velocity, acceleration = (quat.rotate(back[:, 0], d) for d in derivatives(root))
    # The velocity of the root is in its rotating frame, hence - omega x v.
    acceleration = acceleration - np.cross(spin[:, 0], velocity)

    def rows(linear: FloatArray, angular: FloatArray) -> FloatArray:
        return np.asarray(np.c_[linear, angular.reshape(len(linear), -1)])

    frames = _world_frames(figure, rotations, root)
    return Path(*frames, rows(velocity, spin), rows(acceleration, spin_change))


def _world_frames(
    figure: Figure, rotations: FloatArray, root: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the joints' rotations (F, J, 3, 3) and positions (F, J, 3) in the world.

    ``rotations`` (F, J, 4) are the root's in the world, the others' from their placement at rest.
    """
    turns = np.array([f.turn for f in figure.rest]) @ quat.to_matrix(rotations)
    places = np.empty(turns.shape[:3])
    places[:, 0] = root
    for j, p in enumerate(figure.parents):
        if p >= 0:
            places[:, j] = places[:, p] + turns[:, p] @ figure.rest[j].place
            turns[:, j] = turns[:, p] @ turns[:, j]
    return turns, places


def _low_pass(values: FloatArray, rate: float, cutoff: float | None) -> FloatArray:
    if cutoff is None or cutoff >= 0.45 * rate:
        return np.asarray(values)
    pad = min(round(_PAD_SECONDS * rate), len(values) - 1)
    return low_pass(np.asarray(values), cutoff / rate, pad=pad)
