"""Resampling 10 s at 120 fps with 31 joints, against numpy and scipy."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import retime
from bench.timing import Figure, seconds
from retime import quat, samples


def figures() -> Iterator[Figure]:
    from scipy.spatial.transform import Rotation, Slerp

    motion = samples.chain(31, duration=10.0, fps=120.0)
    end = motion.duration
    whole = retime.spline(motion, duration=9.0, keytimes=[(4.0, 5.0)]).warp
    local = retime.spline(motion, range=(4.0, 5.0), keytimes=[(4.4, 4.5)]).warp
    knots = whole.output, whole.source
    channels = dict.fromkeys(motion.channels, knots)
    per_joint = retime.TimeWarp(channels=channels)
    t = np.linspace(0, 9, 1081)

    def in_numpy() -> object:
        frame, share = motion.frame_at(whole(t))
        after = np.minimum(frame + 1, len(motion) - 1)
        shares = np.repeat(share[:, None], 31, axis=1)
        return quat.slerp(motion.rotations[frame], motion.rotations[after], shares)

    turns = [Rotation.from_quat(motion.rotations[:, j], scalar_first=True) for j in range(31)]

    def in_scipy() -> object:
        source = np.clip(whole(t), 0, end)
        return [Slerp(motion.times, turn)(source) for turn in turns]

    by_numpy, by_scipy = seconds(in_numpy), seconds(in_scipy)
    ours = seconds(lambda: retime.apply(motion, whole))
    yield Figure("apply a body warp", ours, "numpy slerp", by_numpy)
    yield Figure("apply a body warp", ours, "scipy Slerp, a joint a call", by_scipy)
    ours = seconds(lambda: retime.apply(motion, per_joint))
    yield Figure("apply a warp per channel", ours, "numpy slerp", by_numpy)
    ours = seconds(lambda: retime.apply(motion, local))
    yield Figure("apply a warp of 1 s in 10", ours, "numpy slerp of all", by_numpy)
    ours = seconds(lambda: retime.positions(motion))
    by_loop = seconds(lambda: _forward_in_numpy(motion))
    yield Figure("forward kinematics", ours, "numpy, a joint a step", by_loop)


def _forward_in_numpy(motion: retime.Motion) -> object:
    rotation = retime.kinematics.global_rotations(motion)
    position = np.zeros((len(motion), 31, 3))
    position[:, 0] = motion.root_translation
    for j in range(1, 31):
        p = int(motion.skeleton.parents[j])
        offset = quat.rotate(rotation[:, p], motion.skeleton.offsets[j])
        position[:, j] = position[:, p] + offset
    return position
