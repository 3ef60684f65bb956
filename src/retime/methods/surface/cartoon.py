"""Cartoon: positions sampled in place of rotations, so that limbs squash and stretch."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from retime.arrays import FloatArray
from retime.motion import Motion
from retime.motion.fixes import Fix, FixContext
from retime.motion.kinematics import global_transforms
from retime.notes import Note

__all__ = ["cartoon_fix"]

# Distance, in the file's units, below which a joint gets no translation track.
_NOTHING = 1e-9


def cartoon_fix(share: float) -> Fix:
    """Make the fix that moves each joint to its source position at the joint's own time.

    Bones change their lengths: the result is written as translation tracks.

    Parameters
    ----------
    share : float
        Fraction of the stretch, 0 to 1.
    """

    def run(retimed: Motion, context: FixContext) -> Motion:
        if context.warp.loop:
            return retimed.with_notes(
                Note(
                    "a cycle is not stretched: its positions go on from cycle to cycle",
                    code="cycle-not-stretched",
                )
            )
        skeleton = retimed.skeleton
        now, linear = global_transforms(retimed)
        wanted = now + share * (_places(retimed, context) - now)
        tracks: dict[str, FloatArray] = dict(retimed.translations)
        for j, p in enumerate(skeleton.parents):
            if p < 0:
                continue
            away = (wanted[:, j] - wanted[:, p])[..., None]
            bone = np.asarray(np.linalg.solve(linear[:, p], away)[..., 0], dtype=np.float64)
            name = skeleton.names[j]
            if np.abs(bone - tracks.get(name, skeleton.offsets[j])).max() > _NOTHING:
                tracks[name] = bone
        return replace(retimed, translations=tracks)

    return Fix("cartoon", run)


def _places(retimed: Motion, context: FixContext) -> FloatArray:
    """Return the source position of each joint at its own time, in the file's units.

    Roots have the positions of the retimed motion.
    """
    skeleton = retimed.skeleton
    out = global_transforms(retimed)[0]
    groups: dict[bytes, tuple[FloatArray, list[int]]] = {}
    for j, name in enumerate(skeleton.names):
        if skeleton.parents[j] >= 0:
            t = context.warp(retimed.times, name)
            groups.setdefault(t.tobytes(), (t, []))[1].append(j)
    for t, joints in groups.values():
        moments, back = np.unique(t, return_inverse=True)
        body = context.body_at(moments)
        if len(body) < len(moments):
            # Where the time of the body holds or jumps, several times share a frame.
            here = context.warp.of_body()(body.times)
            back = np.abs(here[None] - moments[:, None]).argmin(axis=1)[back]
        out[:, joints] = global_transforms(body)[0][back][:, joints]
    return out
