"""Cycles: clips whose end meets their start, up to where they stand on the ground."""

from __future__ import annotations

import numpy as np

from retime.arrays import FloatArray
from retime.errors import InputError
from retime.motion import quat
from retime.motion.kinematics import carriers, height
from retime.motion.motion import Motion

# A cycle's ends may differ by this much: about what a hand-made loop is off by, unseen at 1/120 s.
_LOOP_ANGLE = np.radians(5.0)
_LOOP_SHARE = 0.02
# A cycle turns its joints at least this much on average, rad/s, and at its ends at least this share
# of that.
_STILL, _THROUGH = 0.02, 0.3
# Steps that differ by twice their size are opposite: from here on a clip turns back at its seam.
_TURNS_BACK = 1.5


def wrap(times: FloatArray, span: tuple[float, float]) -> tuple[FloatArray, FloatArray]:
    """Wrap times into the span of a cycle; return them and the number of turns of each."""
    start, end = span
    period = end - start
    if period <= 0:
        return times, np.zeros(times.shape)
    # A time a hair before the seam is the seam: its pose is the first one.
    turns = np.floor((times - start) / period + 1e-9)
    return np.maximum(times - turns * period, start), turns


def travels(motion: Motion, name: str) -> bool:
    """Return whether a joint's translation moves the body: a root's, or that of its first mover."""
    parent = int(motion.skeleton.parents[motion.skeleton.index(name)])
    return parent < 0 or parent in carriers(motion.skeleton)


def ground_displacement(motion: Motion, name: str) -> FloatArray:
    """Return how far the translation of what travels goes along the ground in one turn, (3,)."""
    skeleton = motion.skeleton
    track = motion.translations[name]
    travel: FloatArray = track[-1] - track[0]
    up = np.array([0.0, 1.0, 0.0] if motion.units.up == "Y" else [0.0, 0.0, 1.0])
    for j in reversed(skeleton.chain(skeleton.index(name))[1:]):  # as the node above sees it
        up = quat.rotate(quat.conjugate(motion.rotations[0, j]), up)
    travel -= (travel @ up) * up
    return travel


def is_cycle(motion: Motion) -> bool:
    """Whether a clip is a cycle: its ends meet, and it moves on through them the same way.

    A jump from standing to standing meets its start too, but rests there: it is not a cycle.
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
    """Refuse a clip whose ends do not meet, up to where it stands on the ground."""
    gap = quat.angle(motion.rotations[0], motion.rotations[-1])
    joint = int(gap.argmax())
    if gap[joint] > _LOOP_ANGLE:
        raise InputError(
            f"the clip is not a cycle: {motion.skeleton.names[joint]!r} turns by "
            f"{np.degrees(gap[joint]):.0f} degrees between its last and its first frame; cut it to "
            "whole cycles first"
        )
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
