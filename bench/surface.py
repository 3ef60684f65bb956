"""Time control surfaces: one edit, the warp and the frames that change, against plain numpy.

The peer evaluates the same surfaces frame by frame and joint by joint in numpy and interpolates the
whole clip, as one would write it first. Both use the paper's falloff; ``bench.joint_timing``
measures limbs that arrive in space.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from bench.performances import MOCAP
from bench.timing import Figure, seconds
from retime import (
    ControlSurfaces,
    Motion,
    SurfaceKey,
    TimeWarp,
    apply,
    find_body,
    quat,
    read,
    samples,
)
from retime.methods.surface.projection import View, topological_distances
from retime.motion.kinematics import height, positions


def _clip() -> Motion:
    file = MOCAP / "124_07.bvh"
    motion = read(file) if file.exists() else samples.walk(seconds=10)
    return apply(motion, TimeWarp([0, 10], [0, 10]), fps=120)


def _keys(count: int) -> list[SurfaceKey]:
    return [SurfaceKey(time=1 + 1.9 * k, joint="RightHand", shift=-0.2) for k in range(count)]


def edit(motion: Motion, keys: Sequence[SurfaceKey]) -> Motion:
    """Make the warp, and the frames that it changes."""
    surfaces = ControlSurfaces(motion, keys, falloff="joint")
    t = motion.times
    changed = np.zeros(len(t), dtype=bool)
    for low, high in surfaces.spans:
        changed |= (t > low) & (t < high)
    return apply(motion, surfaces.warp(), times=t[changed])


def plain(
    motion: Motion, keys: Sequence[SurfaceKey]
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """The same in plain numpy: rotations of the whole clip, (F, J, 4)."""
    body = find_body(motion)
    tall = height(motion.skeleton) * motion.units.metres
    points = positions(motion)
    view = View.of(motion, body, None)
    times = np.repeat(motion.times[:, None], len(motion.skeleton), axis=1)
    for key in keys:
        frame = round(key.time * motion.rate)
        places = view.project(points[frame : frame + 1], motion.skeleton.roots[0])[0] / tall
        joint = motion.skeleton.index(key.joint or "")
        ways = topological_distances(body, joint, points[frame]) / tall
        bell = np.exp(-(((places - places[joint]) / key.sigma) ** 2).sum(1) / 2)
        shifts = key.shift * bell * np.exp(-((ways / key.range_sigma) ** 2) / 2)
        low, high = (
            key.time + min(0, key.shift) - key.gamma,
            key.time + max(0, key.shift) + key.gamma,
        )
        for j, shift in enumerate(shifts):
            peak = key.time + shift
            t = motion.times
            u = np.where(t < peak, (peak - t) / (peak - low), (t - peak) / (high - peak))
            v = np.clip(1 - u, 0, 1)
            times[:, j] -= shift * v**3 * (10 - 15 * v + 6 * v**2)
    place = np.clip((times - motion.start) * motion.rate, 0, len(motion) - 1)
    before = np.minimum(place.astype(int), len(motion) - 2)
    joints = np.arange(len(motion.skeleton))
    one, other = motion.rotations[before, joints], motion.rotations[before + 1, joints]
    return quat.slerp(one, other, place - before)


def figures() -> Iterator[Figure]:
    motion = _clip()
    size = f"{motion.duration:.0f} s, {len(motion.skeleton)} joints"
    for count in (1, 5):
        keys = _keys(count)
        ours = seconds(partial(edit, motion, keys), repeats=15)
        peer = seconds(partial(plain, motion, keys))
        yield Figure(f"an edit of {count} keys, {size}", ours, "plain numpy", peer)
    keys = _keys(1)
    met = seconds(lambda: ControlSurfaces(motion, keys, mode="intersection").warp())
    yield Figure(
        "intersection mode, the warp", met, "plain numpy", seconds(lambda: plain(motion, keys))
    )
