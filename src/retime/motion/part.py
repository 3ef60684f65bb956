"""A joint with all that hangs from it, as a motion of its own: one character of a scene."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from retime.arrays import FloatArray
from retime.motion import quat
from retime.motion.kinematics import global_transforms
from retime.motion.motion import Motion
from retime.motion.skeleton import Skeleton


def part_below(motion: Motion, joint: str) -> Motion:
    """Return a joint and all joints below it; what moves the joint's parents moves the new root.

    Parameters
    ----------
    motion : Motion
        The scene.
    joint : str
        The character's top joint.
    """
    skeleton = motion.skeleton
    top = skeleton.index(joint)
    inside = [j for j in range(len(skeleton)) if top in skeleton.chain(j)]
    number = {j: k for k, j in enumerate(inside)}
    sites = [site for site in skeleton.end_sites if site.parent in number]
    names = {skeleton.names[j] for j in inside}
    places, linear = global_transforms(motion)
    rotations = motion.rotations[:, inside].copy()
    rotations[:, 0] = _turn(motion, top)
    size = np.linalg.norm(linear[:, top], axis=1)
    scales = {n: track for n, track in motion.scales.items() if n in names and n != joint}
    return replace(
        motion,
        skeleton=Skeleton(
            tuple(skeleton.names[j] for j in inside),
            np.array([number.get(int(skeleton.parents[j]), -1) for j in inside]),
            skeleton.offsets[inside],
            skeleton.rest_rotations[inside],
            skeleton.rest_scales[inside],
            tuple(replace(s, parent=number[s.parent]) for s in sites),
            tuple(skeleton.file_names[j] for j in inside),
        ),
        rotations=rotations,
        translations={
            **{n: track for n, track in motion.translations.items() if n in names},
            joint: places[:, top],
        },
        scales=scales if np.allclose(size, 1) else {**scales, joint: size},
        rest_pose=None,
        roles={role: name for role, name in motion.roles.items() if name in names},
        origin=None,
    )  # fmt: skip


def _turn(motion: Motion, joint: int) -> FloatArray:
    """Return the rotation (F, 4) of a joint in the file's axes."""
    turn = motion.rotations[:, joint]
    for above in motion.skeleton.chain(joint)[1:]:
        turn = quat.multiply(motion.rotations[:, above], turn)
    return quat.continuous(turn)
