"""Cycles: clips whose last pose equals the first, except for the position on the ground."""

from __future__ import annotations

import numpy as np

from retime.arrays import FloatArray
from retime.errors import InputError
from retime.motion import quat
from retime.motion.kinematics import carriers, height
from retime.motion.motion import Motion

# Largest difference between the ends of a cycle, as an angle and relative to the height: typical of
# hand-made loops.
_LOOP_ANGLE = np.radians(5.0)
_LOOP_SHARE = 0.02
# Least mean speed of the joints of a cycle, rad/s, and least speed at its ends relative to it.
_STILL, _THROUGH = 0.02, 0.3
# Relative difference of the first and last step above which a clip reverses at the seam.
_TURNS_BACK = 1.5


def wrap(times: FloatArray, span: tuple[float, float]) -> tuple[FloatArray, FloatArray]:
    """Wrap times into the span of a cycle; return them and the number of turns of each."""
    start, end = span
    period = end - start
    if period <= 0:
        return times, np.zeros(times.shape)
    # Times just before the seam are at the seam, because of rounding.
    turns = np.floor((times - start) / period + 1e-9)
    return np.maximum(times - turns * period, start), turns


def travels(motion: Motion, name: str) -> bool:
    """Return whether the translation of a joint moves the whole body."""
    parent = int(motion.skeleton.parents[motion.skeleton.index(name)])
    return parent < 0 or parent in carriers(motion.skeleton)


def ground_displacement(motion: Motion, name: str) -> FloatArray:
    """Return the displacement of a joint along the ground in one cycle, (3,)."""
    skeleton = motion.skeleton
    track = motion.translations[name]
    travel: FloatArray = track[-1] - track[0]
    up = np.array([0.0, 1.0, 0.0] if motion.units.up == "Y" else [0.0, 0.0, 1.0])
    for j in reversed(skeleton.chain(skeleton.index(name))[1:]):  # in the parent's frame
        up = quat.rotate(quat.conjugate(motion.rotations[0, j]), up)
    travel -= (travel @ up) * up
    return travel


def is_cycle(motion: Motion) -> bool:
    """Return whether a clip is a cycle: its ends agree in pose and in motion.

    A jump from standing to standing is not a cycle, because it rests at its ends.
    """
    if len(motion) < 4:
        return False
    try:
        must_loop(motion)
    except InputError:
        return False
    turns = quat.angle(motion.rotations[:-1], motion.rotations[1:]).mean(axis=1)
    pace = turns / np.maximum(np.diff(motion.times), 1e-9)
    if not (pace.mean() > _STILL and min(pace[0], pace[-1]) > _THROUGH * pace.mean()):
        return False
    r = motion.rotations
    first, final = (quat.multiply(quat.conjugate(r[k]), r[k + 1]) for k in (0, -2))
    return bool(quat.angle(first, final).mean() < _TURNS_BACK * min(turns[0], turns[-1]))


def must_loop(motion: Motion) -> None:
    """Raise if the ends of a clip differ by more than its position on the ground."""
    _must_turn_back(motion)
    tall = height(motion.skeleton)
    for name, track in motion.translations.items():
        off = track[-1] - track[0]
        if travels(motion, name):
            off = off - ground_displacement(motion, name)
        if tall > 0 and np.abs(off).max() > _LOOP_SHARE * tall:
            raise InputError(
                f"the clip is not a cycle: {name!r} ends {np.abs(off).max():.3g} units away"
            )
    for name, track in motion.scales.items():
        if (np.abs(track[-1] - track[0]) > _LOOP_SHARE * np.abs(track[0])).any():
            raise InputError(f"the clip is not a cycle: {name!r} ends with another scale")


def _must_turn_back(motion: Motion) -> None:
    gap = quat.angle(motion.rotations[0], motion.rotations[-1])
    joint = int(gap.argmax())
    if gap[joint] > _LOOP_ANGLE:
        raise InputError(
            f"the clip is not a cycle: {motion.skeleton.names[joint]!r} turns by "
            f"{np.degrees(gap[joint]):.0f} degrees between its last and its first frame; cut it to "
            "whole cycles first"
        )
